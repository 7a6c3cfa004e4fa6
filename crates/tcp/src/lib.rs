//! A TCP endpoint as a machine without I/O and without a clock.
//!
//! [`Endpoint`] is one connection: packets and time go in, packets, events and deadlines come out. The same
//! machine runs in a simulated cell and, through a TUN device, against the kernel's TCP.
//!
//! Where to look:
//! - [`endpoint`]: the machine: `input` (RFC 9293, 3.10.7), `acknowledge` (what an acknowledgement does to the
//!   sender), `undo` (which reductions were mistakes), `output` (what to send next), `segment` (how it is made), `predicted`, `train` and `pattern` (short ways for the many segments with nothing special to them), `pace` (when), `burst` (TSO), `small_queue` (TSQ), `tuning` (the receive window by itself), `ecn` (marks), `feedback` (what deliveries tell), `wakeup`, `application`,
//!   `inspect` (what can be seen of a live connection and changed about it);
//! - [`listener`]: many connections on one address, handed out as they are established;
//! - [`state`]: the states and the one table of the ways between them;
//! - [`congestion`], [`loss`], [`ack`]: the three policies, each a small trait: how much may be in flight, what is
//!   lost, when to acknowledge;
//! - [`measure`]: what a receiver measures; [`rtt`]: round-trip time and timeout;
//! - [`transmissions`]: a record of each transmission that is out, where time or packet numbers matter; [`delivery`]:
//!   rate samples; [`pacing`]: when the next segment may leave;
//! - [`tack`]: TACK, an extension that both ends may permit, with a receiver that says what is lost and a sender that says
//!   how often to acknowledge; `endpoint/tack_input` and `endpoint/tack_output` tie it to the machine;
//! - [`sequence`]: places in the stream without the wrap.
//!
//! Not modelled: urgent data (the pointer is ignored and urgent bytes are delivered in line), keep-alives, TCP
//! Fast Open (data on a SYN is left for the retransmission), path MTU discovery.

pub mod ack;
mod challenge;
pub mod config;
pub mod congestion;
pub mod delivery;
pub mod endpoint;
pub mod event;
pub mod listener;
pub mod loss;
pub mod measure;
pub mod pacing;
mod reassembly;
mod row;
pub mod rtt;
mod send_buffer;
pub mod sequence;
pub mod state;
pub mod stats;
pub mod tack;
pub mod timers;
mod timestamps;
pub mod transmissions;

pub use ack::AckChoice;
pub use challenge::ChallengeAcks;
pub use config::{Config, Consume, MissingTimestamp, NagleRule, SenderChoices, UndoChoices};
pub use congestion::{
    BbrPhase, CongestionChoice, CubicRule, GentleProbe, GrowthRule, InitialWindow, Losses, PathModel, RenoRule,
    SlowStartChoice, Variant,
};
pub use endpoint::{Agreed, Endpoint};
pub use event::{CloseReason, Event};
pub use listener::{Limits, Listener, ListenerStats, WhenFull};
pub use loss::{PrrRule, RackRule, RecoveryChoice};
pub use measure::Measured;
pub use rtt::RtoRule;
pub use state::State;
pub use stats::Stats;
pub use tack::TackConfig;

//! One connection (RFC 9293).
//!
//! Who looks for what a connection does finds it here:
//! - `application`: what it asks for; `inspect`: what it may look at and change;
//! - `handshake`: LISTEN, SYN-SENT and what both SYNs agree on;
//! - `input`: segments of a connection that there is, in the RFC's order of checks, with `predicted` for those that are expected next, `acknowledge` and
//!   `feedback` for what they say to the sending half, `receiver` for the receiving half and `tuning` for its buffer where that follows the traffic;
//! - `output`: which segment is next, of what the sending half (`sender`) has and may send; `segment`: how it is made; `train`, `again`, `burst` and `small_queue` for several at once, and
//!   `pace` for their times;
//! - `wakeup`: timers;
//! - `undo`: reductions of the window that were mistakes; `ecn`; `ack_request`: rates of ACKs that are asked for;
//! - `dialect`: where TACK takes the place of acknowledgements, and `tack_input` and `tack_output` for what it adds.

mod ack_request;
mod acknowledge;
mod again;
mod allowance;
mod application;
mod burst;
mod dialect;
mod ecn;
mod feedback;
mod handshake;
mod input;
mod inspect;
mod outlet;
mod output;
mod pace;
mod pattern;
mod predicted;
mod receiver;
mod segment;
mod sender;
mod small_queue;
mod tack_input;
mod tack_output;
mod train;
mod tuning;
mod undo;
mod usage;
mod wakeup;
mod window_use;

use std::net::SocketAddr;

use ackless_wire::{Bytes, Duration, Instant, IpHeader, Packet, SeqNumber, TcpHeader};

use self::ack_request::Asks;
use self::dialect::Dialect;
use self::ecn::Notification;
pub use self::inspect::Agreed;
use self::receiver::Receiver;
use self::sender::Sender;
pub use self::small_queue::LIMIT_OUTPUT;
use self::undo::Undo;
use crate::ack::{AckChoice, AckPolicy, AckReason, Policy};
use crate::challenge::ChallengeLimit;
use crate::config::Config;
use crate::congestion::{Congestion, Controller, PathModel};
use crate::delivery::DeliveryRate;
use crate::event::{CloseReason, Event, EventSet};
use crate::loss::{Detector, Prr};
use crate::measure::Measured;
use crate::pacing::Pacer;
use crate::rtt::{Marks, RttEstimator};
use crate::state::{State, Trigger};
use crate::stats::Stats;
use crate::timers::{Timer, Timers};
use crate::timestamps::Timestamps;

/// One TCP connection, from [`Endpoint::connect`] or [`Endpoint::listen`] to [`State::Closed`].
///
/// The verbs:
/// - [`handle_segment`](Self::handle_segment): a packet came; [`handle_timeout`](Self::handle_timeout): the deadline
///   came;
/// - [`poll_transmit`](Self::poll_transmit): the next packet to send;
/// - [`poll_event`](Self::poll_event): the next thing to tell the application;
/// - [`poll_timeout`](Self::poll_timeout): when to be woken;
/// - the application's: [`write`](Self::write), [`write_length`](Self::write_length), [`send`](Self::send),
///   [`send_forever`](Self::send_forever), [`read`](Self::read), [`close`](Self::close), [`abort`](Self::abort).
///
/// After every `handle_*` or application call, drain in this order: `poll_transmit` until `None`, `poll_event` until
/// `None`, then `poll_timeout` once. What a packet says is decided when it is asked for: whoever hands in several
/// segments before draining gets one acknowledgement for all of them, as from a stack with receive offload.
///
/// Time never runs back between calls. Over a real network it is that of a clock which goes on while the host sleeps (on Linux `CLOCK_BOOTTIME`), from one origin for all
/// calls: else a peer's timeouts and timestamps are of another time. A payload is real bytes or just a length, see [`ackless_wire::Payload`]:
/// written lengths cost no memory.
#[derive(Clone, Debug)]
pub struct Endpoint {
    config: Config,
    state: State,
    opening: Opening,
    local: SocketAddr,
    peer: Option<Peer>,
    /// The variables of the sending half: sequence numbers, window, buffer.
    tx: Sender,
    /// Those of the receiving half.
    rx: Receiver,
    congestion: Congestion,
    /// What finds losses, and says what goes again.
    loss: Detector,
    /// Fed only where the detector keeps records.
    delivery: DeliveryRate,
    pacer: Pacer,
    /// In a recovery that reduces the window bit by bit.
    prr: Option<Prr>,
    /// Where reductions of the window may be undone.
    undo: Option<Box<Undo>>,
    /// Where marks are asked for.
    ecn: Option<Box<Notification>>,
    /// When to acknowledge.
    ack_policy: Policy,
    rtt: RttEstimator,
    /// When what was sent, for samples of the round trip where no records of transmissions are kept.
    marks: Marks,
    /// What the receiving half has seen of the data that came, for its policy.
    measured: Measured,
    dialect: Dialect,
    /// TACK was in force on this connection, and is no more.
    fallen_back: bool,
    /// Where an ACK rate may be asked for.
    asks: Option<Box<Asks>>,
    /// Whether both ends do selective acknowledgements (RFC 2018): offered until the handshake, then agreed.
    sack: bool,
    /// Offered until the handshake, then agreed.
    stamps: Option<Timestamps>,
    timers: Timers,
    /// How often what is suspicious is answered (RFC 5961, 7).
    challenge_limit: ChallengeLimit,
    /// How often probes and keep-alives are answered, which come from just below the window.
    probe_answer_limit: ChallengeLimit,
    events: EventSet,
    close_reason: Option<CloseReason>,
    stats: Stats,
    /// An acknowledgement is due, for this reason.
    ack_owed: Option<AckReason>,
    /// A segment that is not part of the stream, most often a RST.
    reply: Option<Packet>,
    /// The last sample of the round trip, until [`Self::take_rtt_sample`] takes it.
    rtt_sample: Option<Duration>,
}

/// How a connection began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Opening {
    Active,
    Passive,
}

/// The other end, once it is known, with the header that every packet to it begins with.
#[derive(Clone, Copy, Debug)]
struct Peer {
    address: SocketAddr,
    ip: IpHeader,
    /// Our port and its own.
    ports: (u16, u16),
}

impl Endpoint {
    /// Calls `remote`: the next packet is a SYN with sequence number `iss`, which should be hard to guess (RFC 6528).
    ///
    /// # Panics
    /// If the two addresses are of different families.
    pub fn connect(now: Instant, config: Config, local: SocketAddr, remote: SocketAddr, iss: SeqNumber) -> Self {
        let mut endpoint = Self::new(config, local, iss, Opening::Active);
        endpoint.peer = Some(Peer::new(local, remote).expect("both ends of a connection are of one address family"));
        endpoint.tx.last_sent = now;
        endpoint.advance(Trigger::ActiveOpen);
        endpoint
    }

    /// Waits for a SYN to `local`; the first one that comes becomes the connection.
    pub fn listen(config: Config, local: SocketAddr, iss: SeqNumber) -> Self {
        let mut endpoint = Self::new(config, local, iss, Opening::Passive);
        endpoint.advance(Trigger::PassiveOpen);
        endpoint
    }

    fn new(config: Config, local: SocketAddr, iss: SeqNumber, opening: Opening) -> Self {
        let tx = Sender::new(&config, iss);
        Self {
            state: State::Closed,
            opening,
            local,
            peer: None,
            rx: Receiver::new(&config),
            congestion: Congestion::new(config.congestion, tx.slow_start(&config), iss.0.into()),
            loss: Self::detector(&config, config.sack),
            delivery: DeliveryRate::default(),
            pacer: Pacer::default(),
            prr: None,
            undo: Undo::new(config.sender.undo),
            ecn: config.ecn.then(Box::default),
            ack_policy: Policy::new(config.ack),
            rtt: RttEstimator::new(config.rto_bounds()),
            marks: Marks::new(),
            measured: Measured::default(),
            dialect: Dialect::Plain,
            fallen_back: false,
            asks: None,
            sack: config.sack,
            stamps: config.timestamps.map(|tick| {
                // A caller's clock ticks finely from the SYN on, in case TACK is permitted; a listener's when it is.
                let fine = opening == Opening::Active && config.tack_offer().is_some();
                Timestamps::new(if fine { TACK_TICK } else { tick }, iss)
            }),
            timers: Timers::new(),
            challenge_limit: ChallengeLimit::new(),
            probe_answer_limit: ChallengeLimit::new(),
            events: EventSet::default(),
            close_reason: None,
            stats: Stats::default(),
            ack_owed: None,
            reply: None,
            rtt_sample: None,
            tx,
            config,
        }
    }

    /// From now on, what comes is acknowledged by this policy. What the old one holds back is acknowledged now: drain the endpoint, as after any input. Nothing
    /// changes on a connection that has agreed on TACK, which has a policy of its own.
    pub fn set_ack_policy(&mut self, choice: AckChoice) {
        if self.dialect.has_a_policy() {
            return;
        }
        if self.ack_policy.deadline().is_some() {
            self.ack_owed.get_or_insert(AckReason::Timer);
        }
        self.timers.stop(Timer::DelayedAck);
        self.config.ack = choice;
        self.ack_policy = Policy::new(choice);
        self.ack_policy.on_measured(&self.measured);
    }

    /// Where the connection stands.
    pub const fn state(&self) -> State {
        self.state
    }

    /// Our address.
    pub const fn local(&self) -> SocketAddr {
        self.local
    }

    /// The peer's address, once it is known.
    pub fn remote(&self) -> Option<SocketAddr> {
        self.peer.map(|peer| peer.address)
    }

    /// When to call [`handle_timeout`](Self::handle_timeout), if nothing else happens before.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.timers.earliest()
    }

    /// What [`take_armed`](Self::take_armed) would say.
    pub const fn armed(&self) -> Instant {
        self.timers.armed()
    }

    /// A time before which no timer fires that was armed since the last call. Where it is no earlier than when [`handle_timeout`](Self::handle_timeout)
    /// will be called anyway, [`poll_timeout`](Self::poll_timeout) need not be asked.
    pub const fn take_armed(&mut self) -> Instant {
        self.timers.take_armed()
    }

    /// The next thing that the application may want to know. Events come once each, in the order of [`Event::ALL`],
    /// not of occurrence.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.take()
    }

    /// The latest round-trip sample, if there was one since the last call: from the first transmission of a segment
    /// to the acknowledgement that covers it, the receiver's delay included. At most one for each acknowledgement.
    pub const fn take_rtt_sample(&mut self) -> Option<Duration> {
        self.rtt_sample.take()
    }

    /// What has been counted so far.
    pub fn stats(&self) -> Stats {
        Stats {
            srtt: self.rtt.smoothed(),
            min_rtt: self.rtt.min(),
            cwnd: self.congestion.window(),
            ssthresh: self.congestion.slow_start_threshold(),
            pacing_rate: self.pacing_rate(),
            ..self.dialect.stats(self.stats, &self.measured)
        }
    }

    /// What has been measured of the path that the peer's data takes.
    pub const fn measured(&self) -> &Measured {
        &self.measured
    }

    /// The congestion window: cheaper than [`stats`](Self::stats) where it is traced for each packet.
    pub fn congestion_window(&self) -> Bytes {
        self.congestion.window()
    }

    /// What the congestion controller believes of the path at `now`, if it models it (BBR).
    pub fn path_model(&self, now: Instant) -> Option<PathModel> {
        self.congestion.model(now)
    }

    /// Payload bytes received in order so far: cheaper than [`stats`](Self::stats).
    pub const fn bytes_delivered(&self) -> Bytes {
        self.stats.bytes_delivered
    }

    /// Payload bytes that have come and wait behind a hole: with [`bytes_delivered`](Self::bytes_delivered) all that has come, each byte once.
    pub const fn bytes_behind_holes(&self) -> Bytes {
        self.rx.reassembly.held()
    }

    /// RCV.NXT: the sequence number of the first byte that has not come.
    pub fn next_expected(&self) -> SeqNumber {
        self.rx.next.seq(self.rx.irs)
    }

    /// Payload bytes acknowledged so far: cheaper than [`stats`](Self::stats).
    pub const fn bytes_acked(&self) -> Bytes {
        self.stats.bytes_acked
    }

    /// The retransmission timeout as it stands, with its back-off (RFC 6298), and what a receiver that sends TACKs may hold an
    /// acknowledgement back.
    pub fn retransmission_timeout(&self) -> Duration {
        self.retransmission_delay()
    }

    /// Takes the way that the table has for `trigger`.
    fn advance(&mut self, trigger: Trigger) {
        self.state = self.state.after(trigger).expect("a trigger comes only in states that have a way for it");
        if self.state == State::Closed {
            self.close_reason.get_or_insert(CloseReason::Finished);
            self.timers.stop_all();
            self.ack_owed = None;
            self.events.add(Event::Closed);
        }
    }

    /// Ends the connection at once. The application hears of what it has not brought about itself, unless both ends had said all.
    fn die(&mut self, why: CloseReason) {
        let is_over = matches!(self.state, State::Closing | State::LastAck | State::TimeWait);
        if let Some(event) = why.event().filter(|&event| event != Event::Reset || !is_over) {
            self.events.add(event);
        }
        self.close_reason = Some(why);
        self.rx.reassembly.clear();
        self.advance(Trigger::Abort);
    }

    fn enter_time_wait(&mut self, now: Instant) {
        self.timers.stop(Timer::Retransmit);
        self.timers.stop(Timer::Persist);
        self.timers.arm(Timer::TimeWait, now.saturating_add(self.config.time_wait));
    }
}

/// The tick of the timestamps of TACK.
const TACK_TICK: Duration = Duration::from_micros(1);

impl Peer {
    fn new(local: SocketAddr, address: SocketAddr) -> Option<Self> {
        IpHeader::between(local.ip(), address.ip()).map(|ip| Self {
            address,
            ip,
            ports: (local.port(), address.port()),
        })
    }

    /// Whether the packet goes from this peer to our address.
    fn is_source_of(&self, packet: &Packet, tcp: &TcpHeader) -> bool {
        let addresses = match (&packet.ip, &self.ip) {
            (IpHeader::V4(theirs), IpHeader::V4(ours)) => theirs.src == ours.dst && theirs.dst == ours.src,
            (IpHeader::V6(theirs), IpHeader::V6(ours)) => theirs.src == ours.dst && theirs.dst == ours.src,
            _ => false,
        };
        addresses && (tcp.dst_port, tcp.src_port) == self.ports
    }
}

#[cfg(test)]
mod tests;

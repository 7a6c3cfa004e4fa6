//! 802.11 ACK filtering: TCP ACKs go out as frames that no link-layer ACK answers (Statkus and Paulikas, section IV).
//!
//! The sending node changes how a packet is sent before it is queued ([`Form`]); nothing else about it. The receiving node takes the packet out
//! again, with the addresses that it had. There is no state, no timer, and nothing that either side must know of a flow.
//!
//! What follows from it, by the standard (802.11-2020):
//!
//! - A filtered frame is sent once. Where the air or a collision takes it, it is gone, and only a later ACK, being cumulative, makes
//!   up for it; after the last ACK of a transfer the sender's timeout does. Duplicates are impossible.
//! - It counts as a success for the contention window, heard or not (10.3.3, 10.23.2.2; so it does for auto-zoom). DIFS or AIFS and a new counter follow it, as
//!   any frame, or within a TXOP SIFS and the next frame; and no EIFS. The paper (section IV) counts EIFS and even the back-off among what is saved;
//!   what is saved is SIFS, the Ack, and the repetitions.
//! - Its Duration field is zero: nothing is reserved after it (9.2.5).
//! - A group-addressed frame goes at the group rate of the cell ([`ackless_dot11::station::MacConfig::group_rate`]), which is never an HT or VHT rate here,
//!   without QoS, as Linux sends it, and takes its sequence number from the one counter for such frames. An AP would keep it for the next DTIM beacon if any station
//!   dozed (11.2.3); none here does. The other forms go at the link's rate.
//! - None of these frames shares an A-MPDU. Group-addressed and management frames cannot; QoS Data under No Ack, and Action No Ack frames, could go into an
//!   A-MPDU that asks for no answer (9.7.3), which we do not make. In the queue of a link with A-MPDUs each filtered packet therefore also ends the A-MPDU
//!   of what waits before it.
//!
//! The group is one in which the receiver is alone ([`ackless_dot11::frame::NodeId::as_group`]), so that other stations drop the frame by its address, and the destination address
//! is the group of the final station: that is how the other side knows what to turn it back to. The paper's had a static rule for one receiver. A legacy
//! receiver, which nobody has told the group, would drop the frame; it gets its packets answered, as ever. So do SYN, FIN and RST in any form.
//!
//! TACKs and IACKs are no pure ACKs: they have a body, and one of them stands for very many ACKs. They are filtered only together with data
//! ([`Filtered::AcksAndData`]), and answered otherwise.

mod config;
mod counters;

use ackless_dot11::frame::{AckPolicy, Ds, FrameHandle, Mpdu, MpduKind, NodeId};
use ackless_dot11::hooks::{Admission, Context, Scheme, SendOptions, Verdict};
use ackless_wire::{Packet, PacketId, TcpFlags};

pub use config::{FilterConfig, Filtered, Form};
pub use counters::FilterCounters;

/// ACK filtering on one node.
#[derive(Debug)]
pub struct Filter {
    config: FilterConfig,
    counters: FilterCounters,
}

/// A packet to be sent unanswered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Subject {
    /// A pure ACK, with or without SACK blocks.
    Ack { sack: bool },
    /// A segment with data.
    Data,
}

impl Filter {
    /// A filter that has seen nothing.
    pub fn new(config: FilterConfig) -> Self {
        Self { config, counters: FilterCounters::default() }
    }

    /// What it has counted.
    pub fn counters(&self) -> &FilterCounters {
        &self.counters
    }

    /// How it is set up.
    pub fn config(&self) -> &FilterConfig {
        &self.config
    }

    /// What of the filter's business this packet is.
    fn subject(&self, packet: &Packet) -> Option<Subject> {
        if let Some(ack) = packet.pure_ack() {
            return Some(Subject::Ack { sack: !ack.options.sack.is_empty() });
        }
        let tcp = packet.tcp()?;
        let sets_up_or_ends = tcp.flags.intersects(TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST);
        let filtered = self.config.filtered == Filtered::AcksAndData && !packet.payload.is_empty() && !sets_up_or_ends;
        filtered.then_some(Subject::Data)
    }

    /// Changes `options` so that no answer will be due. Returns whether that is possible.
    fn disguise(&mut self, options: &mut SendOptions, capable: bool) -> bool {
        let form = self.config.form;
        if form != Form::NoAck && !capable {
            self.counters.answered_legacy += 1;
            return false;
        }
        match form {
            Form::Group if options.ds == Ds::ToAp => {
                self.counters.answered_to_ap += 1;
                return false;
            }
            Form::Group => {
                options.receiver = options.receiver.as_group();
                options.destination = options.destination.as_group();
                options.kind = MpduKind::Data;
            }
            Form::ActionNoAck => options.kind = MpduKind::ActionNoAck,
            Form::NoAck if options.kind.is_qos() => options.ack_policy = AckPolicy::NoAck,
            Form::NoAck => {
                self.counters.answered_without_qos += 1;
                return false;
            }
        }
        true
    }
}

impl Scheme for Filter {
    /// Filters what is to be filtered.
    // The way of each is its own, past what the others keep in registers.
    #[inline(never)]
    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        _handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        let Some(subject) = self.subject(cx.pool.get(packet)) else { return Verdict::Pass };
        let capable = cx.peer(options.receiver).capable;
        if self.disguise(options, capable) {
            match subject {
                Subject::Ack { sack } => {
                    self.counters.filtered_acks += 1;
                    self.counters.filtered_sacks += u64::from(sack);
                }
                Subject::Data => self.counters.filtered_data += 1,
            }
        }
        Verdict::Pass
    }

    /// Turns back what came disguised: the packet goes up as it is, since its addresses at link layer end here.
    fn on_mpdu(&mut self, _cx: &mut Context<'_>, mpdu: &Mpdu) -> Admission {
        let disguised = mpdu.receiver.is_group() && mpdu.receiver != NodeId::BROADCAST;
        if disguised || mpdu.kind == MpduKind::ActionNoAck {
            self.counters.turned_back += 1;
        } else if mpdu.ack_policy == AckPolicy::NoAck {
            self.counters.came_unanswered += 1;
        }
        Admission::Accept
    }

    /// It turns back what comes disguised.
    fn is_capable(&self) -> bool {
        true
    }
}

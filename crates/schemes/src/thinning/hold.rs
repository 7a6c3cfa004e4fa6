//! Broadcom's `dhd` driver, mode `TCPACK_SUP_HOLD` (`dhd_ip.c`): ACKs are held back, and one of a few is sent.
//!
//! The first ACK of a flow is held, for at most 10 ms. The next one with the same or a greater number takes its place; the third is sent, and the
//! count begins anew. One with a smaller number is swallowed. At most four flows; only IPv4, and only packets with no flag but ACK: others pass at
//! once and overtake what is held.
//!
//! Where it does harm: the same number counts as newer, so that of duplicate ACKs one in three is left, which comes up to 10 ms late. Three
//! duplicate ACKs make a fast retransmit; it takes nine segments behind a loss then, and a sender without SACK whose window is smaller waits for its
//! retransmission timeout. A window update that follows an ACK is held like any other.
//!
//! Ours: where four flows hold an ACK each, the driver says of a fifth one's that it is held but keeps it nowhere, so that it is never sent.
//! Here it passes. A held ACK ends with the SYN of the next connection on its ports; the driver would send it behind that.

use ackless_dot11::hooks::{Context, SendOptions, Verdict};
use ackless_wire::{Duration, Instant, PacketId, SeqNumber, TcpFlags};

use super::ThinningCounters;
use super::held::{Held, bare_ack, is_v4};
use crate::flow_key::FlowKey;

/// What is held.
#[derive(Debug)]
pub(super) struct Hold {
    ratio: u16,
    at_most: Duration,
    flows: Vec<Flow>,
}

#[derive(Clone, Copy, Debug)]
struct Flow {
    key: FlowKey,
    held: Held,
    /// The acknowledgment number of what is held.
    ack: SeqNumber,
    /// ACKs since the last that was sent, this one included.
    count: u16,
}

impl Hold {
    pub(super) fn new(ratio: u16, at_most: Duration) -> Self {
        Self { ratio, at_most, flows: Vec::new() }
    }

    pub(super) fn outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        options: &SendOptions,
        counters: &mut ThinningCounters,
    ) -> Verdict {
        let content = cx.pool.get(packet);
        let Some(key) = FlowKey::of(content) else { return Verdict::Pass };
        let place = self.flows.iter().position(|flow| flow.key == key);
        let Some(tcp) = bare_ack(content) else {
            let opens = content.tcp().is_some_and(|tcp| tcp.flags.contains(TcpFlags::SYN));
            if let Some(place) = place.filter(|_| opens) {
                counters.ended_with_connection += 1;
                cx.pool.release(self.flows.swap_remove(place).held.packet);
            }
            return Verdict::Pass;
        };
        if self.ratio <= 1 {
            return Verdict::Pass;
        }
        if !is_v4(content) {
            counters.not_ipv4 += 1;
            return Verdict::Pass;
        }
        let ack = tcp.ack;
        let Some(place) = place else {
            if self.flows.len() == MAX_FLOWS {
                counters.table_full += 1;
                return Verdict::Pass;
            }
            let held = Held { packet, options: *options, due: cx.now + self.at_most };
            self.flows.push(Flow { key, held, ack, count: 1 });
            counters.held += 1;
            return Verdict::Hold;
        };
        let flow = &mut self.flows[place];
        if ack.before(flow.ack) {
            counters.older_swallowed += 1;
            return Verdict::Swallow;
        }
        counters.suppressed += 1;
        counters.duplicates_merged += u64::from(ack == flow.ack);
        cx.pool.release(flow.held.packet);
        flow.count += 1;
        if flow.count >= self.ratio {
            counters.sent_by_count += 1;
            self.flows.swap_remove(place);
            return Verdict::Pass;
        }
        // The timer runs on from the first one that was held.
        (flow.held.packet, flow.held.options, flow.ack) = (packet, *options, ack);
        counters.held += 1;
        Verdict::Hold
    }

    pub(super) fn timer(&mut self, cx: &mut Context<'_>, counters: &mut ThinningCounters) {
        self.flows.retain(|flow| {
            let due = flow.held.due <= cx.now;
            if due {
                counters.sent_by_timer += 1;
                flow.held.send(cx);
            }
            !due
        });
    }

    pub(super) fn poll_timeout(&self) -> Option<Instant> {
        self.flows.iter().map(|flow| flow.held.due).min()
    }
}

/// `TCPACK_INFO_MAXNUM`.
const MAX_FLOWS: usize = 4;

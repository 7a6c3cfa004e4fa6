//! Broadcom's `dhd` driver, mode `TCPACK_SUP_REPLACE` (`dhd_ip.c`): a newer ACK takes the place of a queued older one.
//!
//! Of each of at most four flows one queued ACK is registered, the first; it stays so until it goes on the air. An ACK of the flow with a greater
//! number and headers of the same length takes its place in the queue. One of another length, or with the same or a smaller number, is
//! queued as ever and not registered: duplicate ACKs stay. Only IPv4, and only packets with no flag but ACK.
//!
//! Where it does harm: what is queued between the registered ACK and the newer one is overtaken. Duplicate ACKs among them come behind a
//! greater number and say nothing any more, and of SACK blocks only those of the newest remain. A fifth flow gets no help.
//!
//! Ours: the table forgets an ACK that its queue dropped, of which the driver is not told.

use ackless_dot11::frame::FrameHandle;
use ackless_dot11::hooks::{Context, Verdict};
use ackless_wire::{Bytes, PacketId, SeqNumber};

use super::ThinningCounters;
use super::held::{bare_ack, is_v4};
use crate::flow_key::FlowKey;

/// The ACKs that are registered.
#[derive(Debug, Default)]
pub(super) struct Replace {
    queued: Vec<Registered>,
}

#[derive(Clone, Copy, Debug)]
struct Registered {
    flow: FlowKey,
    frame: FrameHandle,
    ack: SeqNumber,
    header_len: Bytes,
}

impl Replace {
    pub(super) fn outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        handle: FrameHandle,
        counters: &mut ThinningCounters,
    ) -> Verdict {
        let content = cx.pool.get(packet);
        let (Some(tcp), Some(flow)) = (bare_ack(content), FlowKey::of(content)) else { return Verdict::Pass };
        if !is_v4(content) {
            counters.not_ipv4 += 1;
            return Verdict::Pass;
        }
        let (ack, header_len) = (tcp.ack, content.header_len());
        let Some(old) = self.queued.iter_mut().find(|old| old.flow == flow) else {
            if self.queued.len() < MAX_FLOWS {
                self.queued.push(Registered { flow, frame: handle, ack, header_len });
            } else {
                counters.table_full += 1;
            }
            return Verdict::Pass;
        };
        if ack == old.ack {
            counters.passed_duplicate += 1;
            return Verdict::Pass;
        }
        if ack.before(old.ack) {
            counters.passed_older += 1;
            return Verdict::Pass;
        }
        if header_len != old.header_len {
            counters.passed_length += 1;
            return Verdict::Pass;
        }
        let Ok(before) = cx.exchange(old.frame, packet) else {
            // The device below the queue has it: for the driver it has left.
            *old = Registered { flow, frame: handle, ack, header_len };
            return Verdict::Pass;
        };
        old.ack = ack;
        cx.pool.release(before);
        counters.replaced += 1;
        Verdict::Hold
    }

    pub(super) fn left(&mut self, handle: FrameHandle) -> bool {
        let place = self.queued.iter().position(|old| old.frame == handle);
        place.map(|place| self.queued.swap_remove(place)).is_some()
    }
}

/// `TCPACK_INFO_MAXNUM`.
const MAX_FLOWS: usize = 4;

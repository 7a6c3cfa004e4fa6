//! The second solution: the MAC ACK says whether the TCP ACK came down in time.
//!
//! An answer has the flag ON if the TCP has acknowledged all that this MAC has accepted of each flow with data in what is answered, and each of
//! these ACKs can be kept off the air or was before; and if no other flow's TCP owes one for data that the answer may acknowledge too.
//!
//! So the flag is cumulative, for a single frame and for an A-MPDU: all that came in order is acknowledged, whatever the AP has heard of earlier
//! answers. A delayed ACK makes the flag OFF for the frame that it waits on, and the next one, ON, stands for both. The answer to a BlockAck Request has it ON
//! only where the one before had: the AP may have that one already, and what it does not acknowledge anew the agent does not speak for.

use ackless_dot11::frame::{Answer, FrameHandle, NodeId};
use ackless_dot11::hooks::Context;
use ackless_wire::Instant;

use super::super::counters::AgentCounters;
use super::Client;
use crate::testing::steps;

impl Client {
    /// A frame is on the air, or was dropped: no flag can keep it back any more.
    #[inline]
    pub(in crate::agent) fn on_gone(&mut self, now: Instant, handle: FrameHandle, sent: bool) {
        if !self.queued.is_empty() {
            self.settle_queued(now, handle, sent);
        }
    }

    fn settle_queued(&mut self, now: Instant, handle: FrameHandle, sent: bool) {
        let Some(flow) = self.queued.remove(handle).and_then(|key| self.flows.get_mut(key)) else { return };
        // They leave in the order in which they were queued, and those before one that has gone
        // have gone too, as dropped frames do.
        while let Some((queued, ack)) = flow.queued.pop_front_if(|(queued, _)| *queued <= handle) {
            if queued == handle && sent {
                flow.goes_natively(ack, None, now);
            }
        }
    }

    /// An answer leaves, with the flag ON or OFF; the ACKs that an ON stands for are taken out of the queue.
    pub(in crate::agent) fn on_answer_due(
        &mut self,
        cx: &mut Context<'_>,
        counters: &mut AgentCounters,
        to: NodeId,
        answer: &mut Answer,
    ) {
        let Some(link) = self.links.iter().find(|link| link.peer == to) else { return };
        if !link.answerable.iter().any(|answerable| answerable.in_this_answer) {
            return;
        }
        let (mut vouched, mut late) = (true, false);
        for answerable in &link.answerable {
            steps::count(1);
            let Some(flow) = answerable.flow(&self.flows) else { return };
            let in_this_answer = answerable.in_this_answer;
            if !in_this_answer {
                vouched &= !flow.tcp_owes_ack();
                late |= flow.tcp_owes_ack();
                continue;
            }
            let point = flow.vouchable();
            late |= point.is_none();
            // What the TCP has acknowledged last was queued last.
            let queued = flow.queued.back().is_some_and(|(_, ack)| Some(*ack) == point);
            vouched &= flow.is_vouched() || point.is_some() && !link.to_block_ack_req && queued;
        }
        if !vouched {
            counters.flag_late += u64::from(late);
            counters.flag_off += u64::from(!late);
            return;
        }
        answer.agent = true;
        counters.flag_on += 1;
        counters.flag_repeated += u64::from(!link.has_new);
        for answerable in link.answerable.iter().filter(|answerable| answerable.in_this_answer) {
            let Some(flow) = self.flows.get_mut(answerable.key) else { continue };
            while let Some((handle, ack)) = flow.queued.pop_front() {
                self.queued.remove(handle);
                if let Ok(packet) = cx.withdraw(handle) {
                    cx.pool.release(packet);
                    flow.swallow(ack);
                    counters.swallowed += 1;
                }
            }
        }
    }
}

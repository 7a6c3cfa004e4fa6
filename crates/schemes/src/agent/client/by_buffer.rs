//! The first solution: what the MAC has acknowledged it keeps until the TCP has it.

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::{Context, Emission};
use ackless_wire::PacketId;

use super::super::buffer::Due;
use super::super::config::Solution;
use super::super::counters::AgentCounters;
use super::super::data_of;
use super::super::flow::Flow;
use super::{Client, link};
use crate::flow_key::FlowKey;

impl Client {
    /// A packet from the AP is on its way up: the first solution keeps a reference.
    pub(in crate::agent) fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, from: NodeId) {
        let Solution::Buffer { again, .. } = self.solution else { return };
        let content = cx.pool.get(packet);
        let (Some((tcp, end)), Some(key)) = (data_of(content), FlowKey::of(content)) else { return };
        let tcp = *tcp;
        let Some(flow) = self.flows.get_mut(key.reversed()).filter(|flow| flow.peer == from) else { return };
        let due = cx.now + again;
        if flow.goes_up(&tcp, end) && flow.buffer.keep(cx.pool, packet, (tcp.seq, end), due) {
            link(&mut self.links, from).kept += 1;
            self.wake = Some(self.wake.map_or(due, |wake| wake.min(due)));
        }
    }

    /// Buffers whose TCP has been silent for too long hand their first frames up again.
    pub(in crate::agent) fn on_timer(&mut self, cx: &mut Context<'_>, counters: &mut AgentCounters) {
        let Solution::Buffer { again, .. } = self.solution else { return };
        if self.wake.is_none_or(|wake| wake > cx.now) {
            return;
        }
        self.wake = None;
        for flow in self.flows.values_mut() {
            match flow.buffer.on_timer(cx.now, again, flow.window == 0) {
                Due::HandUp => hand_up(cx, counters, flow),
                Due::Abandon => {
                    let gone = flow.buffer.clear(cx.pool);
                    counters.abandoned += gone as u64;
                    link(&mut self.links, flow.peer).kept -= gone;
                }
                Due::Nothing => {}
            }
            self.wake = self.wake.into_iter().chain(flow.buffer.due()).min();
        }
    }
}

/// Hands the first frames of a flow up once more, as if they had just come.
pub(super) fn hand_up(cx: &mut Context<'_>, counters: &mut AgentCounters, flow: &Flow) {
    for packet in flow.buffer.first() {
        counters.handed_up_again += 1;
        cx.pool.retain(packet);
        cx.emit(Emission::Onward(packet, flow.peer));
    }
}

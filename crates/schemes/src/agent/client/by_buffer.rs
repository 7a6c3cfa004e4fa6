//! The first solution: what the MAC has acknowledged it keeps until the TCP has it.

use ackless_dot11::frame::{Mpdu, NodeId};
use ackless_dot11::hooks::Context;
use ackless_wire::tcp::Checksum;
use ackless_wire::{Duration, Instant, PacketId, SeqNumber, TcpFlags, TcpHeader};

use super::super::buffer::{Due, Upward};
use super::super::config::Solution;
use super::super::counters::AgentCounters;
use super::super::direction::data_of;
use super::super::flow::Flow;
use super::super::spans::is_near;
use super::{Client, Link, link};
use crate::flow_key::FlowKey;
use crate::resets::{Resets, Rsts, for_receiver, for_sender};

impl Client {
    /// Packets from the AP are on their way up. Returns how many these are: all up to the first SYN or RST.
    pub(in crate::agent) fn on_run_upward(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) -> usize {
        let begins_or_ends = |tcp: &TcpHeader| tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST);
        let mut taken = 0;
        while let Some(mpdu) = mpdus.get(taken) {
            if cx.pool.get(mpdu.packet).tcp().is_some_and(begins_or_ends) {
                break;
            }
            self.take_up(cx, mpdu.packet, mpdu.transmitter);
            taken += 1;
            taken += self.take_up_row(cx, &mpdus[taken..]);
        }
        taken
    }

    /// Takes up packets of the flow at hand that go on where it stands, one behind another and with nothing new beside their data: as [`Self::take_up`] would one by one. Returns how many
    /// these are at the start.
    fn take_up_row(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) -> usize {
        let Solution::Buffer { again, .. } = self.config.solution else { return 0 };
        let Some((key, flow)) = self.flows.row_at_hand() else { return 0 };
        let Some(mut next) = flow.next_of_row() else { return 0 };
        let mut taken = 0;
        for mpdu in mpdus {
            let content = cx.pool.get(mpdu.packet);
            let Some((tcp, end)) = data_of(content) else { break };
            let follows = tcp.seq == next && is_near(next, end) && mpdu.transmitter == flow.peer;
            if !follows || !flow.sender.is_repeated_by(tcp) || !key.is_against(content, tcp) {
                break;
            }
            flow.buffer.keep_last(cx.pool, (mpdu.packet, true), (next, end));
            next = end;
            taken += 1;
        }
        if taken > 0 {
            flow.end_row(next);
            flow.buffer.start_timer((cx.now, again));
            link(&mut self.links, flow.peer).kept += taken;
            self.wake = Instant::earlier(self.wake, flow.buffer.due());
            debug_assert!(flow.keeps_its_word(), "what the AP may acknowledge is kept: {flow:?}");
            let due = flow.buffer.due();
            self.dues.set(self.flows.place_at_hand(), due);
        }
        taken
    }

    /// A packet from the AP is on its way up.
    pub(in crate::agent) fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, from: NodeId) {
        self.take_up(cx, packet, from);
    }

    /// A reference to a packet on its way up is kept, if the agent speaks for it.
    #[inline(always)]
    fn take_up(&mut self, cx: &mut Context<'_>, packet: PacketId, from: NodeId) {
        let Solution::Buffer { again, .. } = self.config.solution else { return };
        let content = cx.pool.get(packet);
        let Some(tcp) = content.tcp() else { return };
        let (is_data, length) = (data_of(content).is_some(), content.payload.len());
        let asks = length > 0 || tcp.flags.contains(TcpFlags::FIN);
        if tcp.checksum != Checksum::Correct || !asks && self.wake.is_none() {
            return;
        }
        let (start, end) = (tcp.seq, tcp.seq + length);
        let Some(flow) = self.flows.get_against(content, tcp).filter(|flow| flow.peer == from) else { return };
        flow.unanswered |= asks;
        if flow.opaque.is() {
            return;
        }
        let acceptable = flow.note_sender(tcp, end);
        if !is_data {
            return;
        }
        let kept = (packet, acceptable);
        if flow.goes_up(tcp, end, acceptable) && flow.buffer.keep(cx.pool, kept, (start, end), (cx.now, again)) {
            link(&mut self.links, from).kept += 1;
            self.wake = Instant::earlier(self.wake, flow.buffer.due());
        }
        debug_assert!(flow.keeps_its_word(), "what the AP may acknowledge is kept: {flow:?}");
        let due = flow.buffer.due();
        self.dues.set(self.flows.place_at_hand(), due);
    }

    /// Buffers whose TCP has been silent for too long hand their first frames up again.
    pub(in crate::agent) fn on_timer(&mut self, cx: &mut Context<'_>, counters: &mut AgentCounters) {
        if self.wake.is_none_or(|wake| wake > cx.now) {
            return;
        }
        let mut due = std::mem::take(&mut self.due);
        self.dues.due_by(cx.now, &mut due);
        // In the order of their keys, whoever came first.
        due.sort_by_key(|place| self.flows.at(*place).map(|(key, _)| *key));
        for place in due.drain(..) {
            let Some(flow) = self.flows.at_place(place) else { continue };
            let (peer, sender, has_no_room) = (flow.peer, flow.sender, flow.has_no_room());
            let mut upward = Upward { cx, peer, sender, count: &mut counters.handed_up_again };
            if flow.buffer.on_timer(has_no_room, &mut upward) == Due::Abandon {
                link(&mut self.links, peer).kept -= abandon(flow, &mut self.resets, cx, counters);
            }
            self.dues.set(place, flow.buffer.due());
        }
        self.due = due;
        self.resets.on_timer(cx);
        self.wake = Instant::earlier(self.dues.first(), self.resets.due());
    }
}

/// The TCP has handed an ACK down. `new`: it acknowledges something for the first time; `before`: the window that it offered before; `pure`: it is nothing but an ACK, and may be a
/// duplicate (RFC 5681, 2).
#[inline(always)]
pub(super) fn on_ack(
    flow: &mut Flow,
    link: &mut Link,
    (cx, counters): (&mut Context<'_>, &mut AgentCounters),
    tcp: &TcpHeader,
    (new, before, pure): (bool, u16, bool),
    again: Duration,
) {
    if flow.buffer.is_empty() {
        return;
    }
    if new {
        link.kept -= flow.buffer.acknowledge(cx.pool, tcp.ack, (cx.now, again));
    }
    if !new || flow.buffer.heeds_progress(tcp) {
        repair(flow, (cx, counters), tcp, (new, before, pure), again);
    }
    debug_assert!(flow.keeps_its_word(), "what the AP may acknowledge is kept: {flow:?}");
}

/// What an ACK of the TCP's says of what it lacks, as in [`on_ack`]: that goes up again.
#[inline(never)]
fn repair(
    flow: &mut Flow,
    (cx, counters): (&mut Context<'_>, &mut AgentCounters),
    tcp: &TcpHeader,
    (new, before, pure): (bool, u16, bool),
    again: Duration,
) {
    let (was_narrow, has_no_room) = (flow.is_narrow(before), flow.has_no_room());
    let mut upward = Upward { cx, peer: flow.peer, sender: flow.sender, count: &mut counters.handed_up_again };
    if new {
        flow.buffer.on_progress(tcp, &mut upward);
    } else if flow.repeats_last_ack(tcp.ack) && tcp.window > before {
        flow.buffer.on_opened(was_narrow, again, &mut upward);
    } else if flow.repeats_last_ack(tcp.ack) && pure && !has_no_room {
        flow.buffer.on_duplicate(tcp, &mut upward);
    }
}

/// The TCP will not take what the AP has acknowledged: the connection is reset at both ends. Returns how many frames that lets go.
pub(super) fn abandon(
    flow: &mut Flow,
    resets: &mut Resets,
    cx: &mut Context<'_>,
    counters: &mut AgentCounters,
) -> usize {
    let data = flow.buffer.first().map(|first| cx.pool.get(first));
    if let Some((data, key)) = data.and_then(|data| Some((data, FlowKey::of(data)?))) {
        let up = flow.acked().and_then(|next| for_receiver(data, next));
        let down = flow
            .own_sending
            .and_then(|(next, options)| Some((for_sender(data, next, flow.acked().unwrap_or(SeqNumber(0)))?, options)));
        let rsts = Rsts { onward: up.map(|up| (up, flow.peer)), queued: down };
        resets.reset_both_ends(cx, key, rsts);
    }
    let gone = super::restart(flow, cx.pool, cx.now);
    counters.abandoned += gone as u64;
    gone
}

//! The ACK filter of `sch_cake` (Linux, `net/sched/sch_cake.c`).
//!
//! When a TCP packet with ACK and without SYN is queued, the packets of its flow before it are looked at from the head of the queue. One may
//! be dropped if it
//! - has no payload, no flag but ACK, ECE and CWR, no reserved bit, and no options but timestamps and SACK (so no TACK is dropped, which has a body and an option; but one may
//!   make plain ACKs of its connection before it superfluous);
//! - has no greater ACK number than the new packet, and neither a later TSval nor a later TSecr;
//! - has no SACK blocks that the new packet's do not cover, and no D-SACK; and, where the ACK numbers are equal, the new packet's cover more:
//!   so duplicate ACKs stay, and window updates too.
//!
//! The one nearest to the head is dropped once two are found; in aggressive mode also a single one, if it stands right before the new packet
//! and their ECN flags are the same. A packet of the flow with other ECN flags behind a candidate saves it: the change of flags is news.
//! At most one is dropped for each packet that comes.
//!
//! What it costs: fewer samples of the RTT, and larger steps of the window. Of duplicate ACKs whose SACK blocks grow only the last ones remain: a
//! sender that counts them (RFC 5681) and does not heed what they say is told of a loss later, or never.
//!
//! Ours: CAKE has a queue for each flow, so that who follows the dropped packet in its flow is served when it would have been. In
//! a queue that flows share, the packets of the flow move up by one place each for the same effect; at the tail, a flow whose only ACK was
//! dropped for a newer one again and again would not be served for as long as new ones come.

use std::collections::VecDeque;

use ackless_dot11::frame::FrameHandle;
use ackless_dot11::hooks::{Context, Verdict};
use ackless_wire::{Packet, PacketId, SeqNumber, TcpFlags, TcpHeader};

use super::ThinningCounters;
use crate::flow_key::FlowKey;
use crate::flow_table::FlowTable;
use crate::frames::Frames;
use crate::testing::steps;

/// The filter, and what of each flow stands in the queue.
#[derive(Debug)]
pub(super) struct Cake {
    aggressive: bool,
    flows: FlowTable<QueuedFlow>,
    frames: Frames<FlowKey>,
}

/// What of one flow stands in the queue.
#[derive(Debug, Default)]
struct QueuedFlow {
    frames: VecDeque<FrameHandle>,
    /// The packet in each of them.
    packets: VecDeque<QueuedPacket>,
    pure_acks: usize,
}

#[derive(Clone, Copy, Debug)]
struct QueuedPacket {
    tcp: TcpHeader,
    is_pure: bool,
}

impl Cake {
    pub(super) fn new(aggressive: bool) -> Self {
        Self { aggressive, flows: FlowTable::default(), frames: Frames::default() }
    }

    pub(super) fn outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        handle: FrameHandle,
        counters: &mut ThinningCounters,
    ) -> Verdict {
        let Some((key, queued)) = QueuedPacket::of(cx.pool.get(packet)) else { return Verdict::Pass };
        if self.flows.get_mut(key).is_none() {
            self.make_room();
            self.flows.insert(key, QueuedFlow::default());
        }
        self.flows.touch();
        let flow = self.flows.at_hand();
        // What a device below the queue has been given has left the queue, and a flow's frames leave it in their order.
        while let Some(&first) = flow.frames.front()
            && cx.is_with_device(first)
        {
            flow.remove(first);
            self.frames.remove(first);
        }
        let Some(place) = flow.superfluous(&queued.tcp, self.aggressive, counters) else {
            flow.push(handle, queued);
            self.frames.insert(handle, key);
            return Verdict::Pass;
        };
        counters.dropped += 1;
        let dropped = flow.move_up(cx, place, packet, queued);
        cx.pool.release(dropped);
        Verdict::Hold
    }

    /// Forgets flows of which nothing waits, at most two for each that comes: so there are at most
    /// twice as many as have packets in the queue.
    fn make_room(&mut self) {
        for _ in 0..2 {
            let many = self.flows.len() >= SWEEP;
            let Some((quietest, flow)) = self.flows.quietest().filter(|_| many) else { break };
            if flow.frames.is_empty() {
                self.flows.remove(quietest);
            } else {
                self.flows.touch();
            }
        }
    }

    pub(super) fn left(&mut self, handle: FrameHandle) -> bool {
        let Some(key) = self.frames.remove(handle) else { return false };
        let flow = self.flows.get_mut(key).expect("a frame in the queue belongs to a flow there");
        flow.remove(handle);
        true
    }
}

impl QueuedFlow {
    fn push(&mut self, handle: FrameHandle, queued: QueuedPacket) {
        self.frames.push_back(handle);
        self.packets.push_back(queued);
        self.pure_acks += usize::from(queued.is_pure);
    }

    fn remove(&mut self, handle: FrameHandle) {
        let place = self.frames.iter().position(|&other| other == handle).expect("a flow knows its frames");
        self.frames.remove(place);
        let queued = self.packets.remove(place).expect("each frame has a packet in it");
        self.pure_acks -= usize::from(queued.is_pure);
    }

    /// The packet at `place` goes, those behind it move up, and `packet` takes the last place. Returns the one that went.
    fn move_up(&mut self, cx: &mut Context<'_>, place: usize, packet: PacketId, queued: QueuedPacket) -> PacketId {
        let gone = self.packets.remove(place).expect("a superfluous ACK was found there");
        self.pure_acks = self.pure_acks + usize::from(queued.is_pure) - usize::from(gone.is_pure);
        self.packets.push_back(queued);
        self.frames.range(place..).rev().fold(packet, |packet, &frame| {
            cx.exchange(frame, packet).expect("a frame that has no sequence number waits in its queue")
        })
    }

    /// The place of the packet that may be dropped for a new one.
    fn superfluous(&self, new: &TcpHeader, aggressive: bool, counters: &mut ThinningCounters) -> Option<usize> {
        if self.pure_acks == 0 || new.flags & (TcpFlags::ACK | TcpFlags::SYN) != TcpFlags::ACK {
            return None;
        }
        let mut candidate: Option<usize> = None;
        let mut found = 0;
        for (place, queued) in self.packets.iter().enumerate() {
            steps::count(1);
            let old = &queued.tcp;
            if candidate.is_some_and(|candidate| ecn(old) != ecn(&self.packets[candidate].tcp)) {
                counters.kept_for_ecn += 1;
                candidate = None;
                found -= 1;
            }
            if !queued.says_no_more_than(new, counters) {
                continue;
            }
            candidate.get_or_insert(place);
            if found > 0 {
                return candidate;
            }
            found += 1;
        }
        let place = candidate?;
        if !aggressive {
            counters.kept_single += 1;
            return None;
        }
        if ecn(&self.packets[place].tcp) != ecn(new) {
            counters.kept_for_ecn += 1;
            return None;
        }
        (place + 1 == self.packets.len()).then_some(place)
    }
}

impl QueuedPacket {
    fn of(packet: &Packet) -> Option<(FlowKey, Self)> {
        let (key, tcp) = (FlowKey::of(packet)?, packet.tcp()?);
        Some((key, Self { tcp: *tcp, is_pure: packet.pure_ack().is_some() }))
    }

    fn says_no_more_than(&self, new: &TcpHeader, counters: &mut ThinningCounters) -> bool {
        let Self { tcp: old, is_pure } = self;
        let only_on_syn = old.options.mss.is_some() || old.options.sack_permitted || old.options.window_scale.is_some();
        if !is_pure || only_on_syn || !old.options.tack.is_empty() || old.options.ack_rate.is_some() {
            counters.kept_with_more += 1;
            return false;
        }
        let (new_val, new_ecr) = new.options.timestamps.unwrap_or_default();
        let later = |old: u32, new: u32| SeqNumber(old).after(SeqNumber(new));
        if old.options.timestamps.is_some_and(|(val, ecr)| later(val, new_val) || later(ecr, new_ecr)) {
            counters.kept_for_timestamp += 1;
            return false;
        }
        if old.ack.after(new.ack) {
            counters.kept_above += 1;
            return false;
        }
        match sack_of(old, new) {
            Sack::NotCovered => {
                counters.kept_for_sack += 1;
                false
            }
            Sack::Same if old.ack == new.ack => {
                counters.kept_duplicate += 1;
                false
            }
            Sack::Same | Sack::More => true,
        }
    }
}

/// What the SACK blocks of a newer packet say beside an older one's.
enum Sack {
    /// The older one has blocks that they do not cover, or a D-SACK.
    NotCovered,
    /// As much.
    Same,
    /// More.
    More,
}

/// Each block of the older must lie within one of the newer; a block before the ACK number reports a duplicate (RFC 2883).
fn sack_of(old: &TcpHeader, new: &TcpHeader) -> Sack {
    let (old_blocks, new_blocks) = (old.options.sack.as_slice(), new.options.sack.as_slice());
    let covered = |&(start, end): &(SeqNumber, SeqNumber)| {
        !start.before(old.ack) && new_blocks.iter().any(|(left, right)| !left.after(start) && !right.before(end))
    };
    if !old_blocks.iter().all(covered) {
        return Sack::NotCovered;
    }
    let bytes =
        |blocks: &[(SeqNumber, SeqNumber)]| blocks.iter().map(|&(left, right)| u64::from(right - left)).sum::<u64>();
    if bytes(new_blocks) > bytes(old_blocks) { Sack::More } else { Sack::Same }
}

fn ecn(tcp: &TcpHeader) -> TcpFlags {
    tcp.flags & (TcpFlags::ECE | TcpFlags::CWR)
}

/// With so many flows, those of which nothing waits are forgotten.
const SWEEP: usize = 64;

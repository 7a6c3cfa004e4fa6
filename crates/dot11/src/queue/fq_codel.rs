//! FQ-CoDel: deficit round robin over flows, each of which CoDel keeps short (RFC 8290).

use std::collections::VecDeque;

use ackless_wire::{Bytes, Duration, Instant, PacketId};

use super::Queued;
use super::codel::{Codel, CodelConfig, Source};
use crate::content::Content;
use crate::frame::FrameHandle;

/// The parameters of RFC 8290, 5.2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FqCodelConfig {
    /// Each flow's delay.
    pub codel: CodelConfig,
    /// What a flow may send in a round. At least 1.
    pub quantum: Bytes,
    /// Packets of all flows together. At least 1.
    pub limit: usize,
    /// Whether CoDel marks packets that may be marked, in place of dropping them (RFC 8290, 5.2.6).
    pub ecn: bool,
}

/// A queue that is fair among flows.
///
/// Deviations from RFC 8290: a full queue drops one packet from the head of the flow with most bytes, as mac80211 does, where
/// 4.1 drops up to 64 at once to save time; flows are told apart by a key from the caller in place of headers (4.1.1).
#[derive(Clone, Debug)]
pub struct FqCodel {
    config: FqCodelConfig,
    /// The place in `flows` of each hash value, once a packet with it has come.
    buckets: Box<[Option<u16>]>,
    flows: Vec<Flow>,
    /// Flows that have just begun to send, which go first.
    new: VecDeque<u16>,
    old: VecDeque<u16>,
    len: usize,
    bytes: Bytes,
}

#[derive(Clone, Debug, Default)]
struct Flow {
    items: VecDeque<Queued>,
    bytes: Bytes,
    codel: Codel,
    /// What it may still send in this round, in bytes.
    deficit: i64,
    /// Whether it stands in one of the lists.
    listed: bool,
}

impl FqCodelConfig {
    /// The defaults of RFC 8290, 5.2.
    pub const RFC_8290: Self = Self {
        codel: CodelConfig { target: Duration::from_millis(5), interval: Duration::from_millis(100) },
        quantum: Bytes(1514),
        limit: 10_240,
        ecn: true,
    };

    /// What Linux's mac80211 uses for its stations: a target of 20 ms, since a radio sends in bursts, and a small quantum, since
    /// aggregation is decided elsewhere.
    pub const MAC80211: Self = Self {
        codel: CodelConfig { target: Duration::from_millis(20), interval: Duration::from_millis(100) },
        quantum: Bytes(300),
        limit: 8192,
        ecn: true,
    };
}

impl FqCodel {
    /// An empty queue.
    pub fn new(config: FqCodelConfig) -> Self {
        let config = FqCodelConfig { quantum: config.quantum.max(Bytes(1)), limit: config.limit.max(1), ..config };
        Self {
            config,
            buckets: vec![None; BUCKETS].into_boxed_slice(),
            flows: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            len: 0,
            bytes: Bytes::ZERO,
        }
    }

    /// Queues a packet of the flow with this key; `drop` takes the one that makes room for it, which may be itself.
    pub fn push(&mut self, item: Queued, flow: u32, drop: impl FnMut(Queued)) {
        let index = self.flow_of(flow);
        let flow = &mut self.flows[usize::from(index)];
        flow.bytes += item.mpdu.packet_len;
        self.bytes += item.mpdu.packet_len;
        self.len += 1;
        flow.items.push_back(item);
        if !flow.listed {
            flow.listed = true;
            flow.deficit = self.config.quantum.get() as i64;
            self.new.push_back(index);
        }
        if self.len > self.config.limit {
            self.drop_from_fattest(drop);
        }
    }

    /// Takes the next packet (RFC 8290, 4.2); `drop` takes those that CoDel drops before it, or gives one back that it has marked.
    pub fn pop(&mut self, now: Instant, mut drop: impl FnMut(Queued) -> Option<Queued>) -> Option<Queued> {
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new { &mut self.new } else { &mut self.old };
            let index = *list.front()?;
            let flow = &mut self.flows[usize::from(index)];
            if flow.deficit <= 0 {
                flow.deficit += self.config.quantum.get() as i64;
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            let mut codel = std::mem::take(&mut flow.codel);
            let packet = codel.dequeue(self.config.codel, now, flow, |victim| {
                let marked = drop(victim);
                if marked.is_none() {
                    self.len -= 1;
                    self.bytes -= victim.mpdu.packet_len;
                }
                marked
            });
            flow.codel = codel;
            if let Some(packet) = packet {
                flow.deficit -= packet.mpdu.packet_len.get() as i64;
                self.len -= 1;
                self.bytes -= packet.mpdu.packet_len;
                return Some(packet);
            }
            // A flow that was new must wait out a round, or it could go first for ever by sending one packet at a time.
            list.pop_front();
            if from_new {
                self.old.push_back(index);
            } else {
                flow.listed = false;
            }
        }
    }

    /// The packet that would be next, if CoDel dropped none.
    pub fn peek(&self) -> Option<&Queued> {
        let waiting = |&index: &u16| {
            let flow = &self.flows[usize::from(index)];
            flow.items.front().map(|item| (self.rounds_until_credit(flow), item))
        };
        // A new flow without credit takes its first round on its way to the end of the old ones.
        let new = self.new.iter().filter_map(waiting);
        if let Some((_, item)) = new.clone().find(|(rounds, _)| *rounds == 0) {
            return Some(item);
        }
        let old = self.old.iter().filter_map(waiting);
        let moved = new.map(|(rounds, item)| (rounds - 1, item));
        old.chain(moved).min_by_key(|(rounds, _)| *rounds).map(|(_, item)| item)
    }

    /// Whether it marks packets that may be marked.
    pub fn marks(&self) -> bool {
        self.config.ecn
    }

    /// Packets that wait.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Their lengths together.
    pub fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Puts another packet into a frame, and returns the one before.
    pub fn exchange(&mut self, handle: FrameHandle, content: Content) -> Option<PacketId> {
        let found = self.flows.iter_mut().find_map(|flow| {
            let place = flow.items.iter().position(|item| item.mpdu.handle == handle)?;
            Some((flow, place))
        });
        let (flow, place) = found?;
        let item = &mut flow.items[place];
        flow.bytes = flow.bytes + content.len - item.mpdu.packet_len;
        self.bytes = self.bytes + content.len - item.mpdu.packet_len;
        Some(item.exchange(content))
    }

    /// Takes a frame out, wherever it stands.
    pub fn withdraw(&mut self, handle: FrameHandle) -> Option<Queued> {
        let item = self.flows.iter_mut().find_map(|flow| {
            let place = flow.items.iter().position(|item| item.mpdu.handle == handle)?;
            let item = flow.items.remove(place)?;
            flow.bytes -= item.mpdu.packet_len;
            Some(item)
        })?;
        self.len -= 1;
        self.bytes -= item.mpdu.packet_len;
        Some(item)
    }

    fn flow_of(&mut self, key: u32) -> u16 {
        let bucket = &mut self.buckets[bucket_of(key)];
        *bucket.get_or_insert_with(|| {
            self.flows.push(Flow::default());
            (self.flows.len() - 1) as u16
        })
    }

    fn drop_from_fattest(&mut self, mut drop: impl FnMut(Queued)) {
        // The first of equals, so that the choice does not depend on the iterator's taste.
        let fattest = self.flows.iter_mut().reduce(|most, flow| if flow.bytes > most.bytes { flow } else { most });
        let victim = fattest.and_then(Source::pop).expect("the fattest flow of a full queue holds a packet");
        self.len -= 1;
        self.bytes -= victim.mpdu.packet_len;
        drop(victim);
    }

    /// How many quanta a flow lacks to send.
    fn rounds_until_credit(&self, flow: &Flow) -> u64 {
        if flow.deficit > 0 { 0 } else { flow.deficit.unsigned_abs() / self.config.quantum.get() + 1 }
    }
}

impl Source for Flow {
    fn pop(&mut self) -> Option<Queued> {
        let item = self.items.pop_front()?;
        self.bytes -= item.mpdu.packet_len;
        Some(item)
    }

    fn bytes(&self) -> Bytes {
        self.bytes
    }
}

/// The bucket of a key: multiplicative hashing, by 2^32 divided by the golden ratio. Keys that follow on each other, as flow
/// numbers do, come to lie far apart and do not collide.
const fn bucket_of(key: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b9) >> (32 - BUCKETS.ilog2())) as usize
}

/// The number of hash values (RFC 8290, 5.2.5).
const BUCKETS: usize = 1024;

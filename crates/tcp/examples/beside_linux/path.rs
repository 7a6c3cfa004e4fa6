//! The path: as `tools/linux-traces/link.py` has it.

use std::collections::BTreeMap;

use ackless_wire::{Duration, Instant, Packet};

use crate::trace::Scene;

/// What is under way between the two ends.
pub struct Path<'a> {
    scene: &'a Scene,
    free_at: Instant,
    /// When each packet that waits for the rate has left.
    leaving: Vec<Instant>,
    data_packets: u64,
    under_way: BTreeMap<(Instant, u64), (Packet, bool)>,
    serial: u64,
}

impl<'a> Path<'a> {
    pub fn new(scene: &'a Scene) -> Self {
        Self {
            scene,
            free_at: Instant::ZERO,
            leaving: Vec::new(),
            data_packets: 0,
            under_way: BTreeMap::new(),
            serial: 0,
        }
    }

    /// Takes a packet, which may be lost.
    pub fn send(&mut self, now: Instant, packet: Packet, to_receiver: bool) {
        if !to_receiver {
            self.arrive(now + self.scene.delay, packet, to_receiver);
            return;
        }
        let has_data = !packet.payload.is_empty();
        let mut extra = Duration::ZERO;
        if has_data {
            let number = self.data_packets;
            self.data_packets += 1;
            if self.scene.drop.contains(&number) || random(self.scene.seed, number) % 1_000_000 < self.scene.loss {
                return;
            }
            extra = self.scene.late.get(&number).copied().unwrap_or_default();
        }
        self.leaving.retain(|&at| at > now);
        if self.leaving.len() >= self.scene.queue {
            return;
        }
        let mut begin = self.free_at.max(now);
        for &(stop, go) in &self.scene.stall {
            if (stop..go).contains(&begin) {
                begin = go;
            }
        }
        self.free_at = begin + self.scene.rate.time_ceil(packet.len());
        self.leaving.push(self.free_at);
        let mut at = self.free_at + self.scene.delay + extra;
        if has_data && !self.scene.batch.is_zero() {
            let batches = at.saturating_since(Instant::ZERO).div_ceil(self.scene.batch);
            at = Instant::ZERO + self.scene.batch * batches;
        }
        self.arrive(at, packet, to_receiver);
    }

    fn arrive(&mut self, at: Instant, packet: Packet, to_receiver: bool) {
        self.serial += 1;
        self.under_way.insert((at, self.serial), (packet, to_receiver));
    }

    pub fn next_arrival(&self) -> Option<Instant> {
        self.under_way.first_key_value().map(|(&(at, _), _)| at)
    }

    /// The next packet that has arrived by now, with whether it is the receiver's.
    pub fn arrived(&mut self, now: Instant) -> Option<(Packet, bool)> {
        let entry = self.under_way.first_entry().filter(|entry| entry.key().0 <= now)?;
        Some(entry.remove())
    }
}

/// splitmix64: the same in `tools/linux-traces/link.py`.
const fn random(seed: u64, number: u64) -> u64 {
    let word = (seed << 32 | number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

//! The path: as `tools/linux-traces/link.py` has it.

use std::collections::BTreeMap;

use ackless_wire::{Bytes, Duration, Instant};

use crate::trace::Scene;

/// What is under way between the two ends.
pub struct Path<'a, Packet> {
    scene: &'a Scene,
    free_at: Instant,
    /// When each packet that waits for the rate has left.
    leaving: Vec<Instant>,
    data_packets: u64,
    under_way: BTreeMap<(Instant, u64), (Packet, bool)>,
    serial: u64,
}

impl<'a, Packet> Path<'a, Packet> {
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

    /// Takes a packet of the receiver.
    pub fn send_back(&mut self, now: Instant, packet: Packet) {
        self.arrive(now + self.scene.delay, packet, false);
    }

    /// Takes a packet of the sender, of so many bytes with its headers, and says whether it will arrive.
    pub fn send(&mut self, now: Instant, packet: Packet, len: Bytes, has_data: bool) -> bool {
        let mut extra = Duration::ZERO;
        if has_data {
            let number = self.data_packets;
            self.data_packets += 1;
            if self.scene.drop.contains(&number) || random(self.scene.seed, number) % 1_000_000 < self.scene.loss {
                return false;
            }
            extra = self.scene.late.get(&number).copied().unwrap_or_default();
        }
        self.leaving.retain(|&at| at > now);
        if self.leaving.len() >= self.scene.queue {
            return false;
        }
        let mut begin = self.free_at.max(now);
        for &(stop, go) in &self.scene.stall {
            if (stop..go).contains(&begin) {
                begin = go;
            }
        }
        self.free_at = begin + self.scene.rate.time_ceil(len);
        self.leaving.push(self.free_at);
        let mut at = self.free_at + self.scene.delay + extra;
        if has_data && !self.scene.batch.is_zero() {
            // What comes at the very instant is late: the kernel sends nothing at the instant of an arrival, since reading the clock takes a moment there.
            let batches = (at.saturating_since(Instant::ZERO) + Duration::from_nanos(1)).div_ceil(self.scene.batch);
            at = Instant::ZERO + self.scene.batch * batches;
        }
        self.arrive(at, packet, true);
        true
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Trace;
    use crate::{folder, names};

    /// What the kernel sent comes to the same end on this path, and its ACKs arrive when its sender was handed them: so both paths are one.
    #[test]
    fn what_linux_sent_fares_here_as_it_did_there() {
        let names = names().expect("the traces can be listed");
        assert!(names.len() >= 10, "{names:?}");
        for name in names {
            let text = std::fs::read_to_string(folder().join(format!("{name}.csv"))).expect("a trace can be read");
            let (scene, trace) = Trace::parse(&text).expect("a trace is one");
            let (mut path, mut back) = (Path::new(&scene), Vec::new());
            for row in &trace.sent {
                // IPv4 and TCP with timestamps; the SYN has 8 bytes of options more.
                let len = Bytes(if row.seq == 0 { 60 } else { 52 + row.len });
                assert_eq!(!path.send(row.at, (), len, row.len > 0), row.lost, "{name}: {row:?}");
            }
            for row in &trace.acks {
                path.send_back(row.at, ());
            }
            while let Some(at) = path.next_arrival() {
                let (_, to_receiver) = path.arrived(at).expect("something has arrived");
                if !to_receiver {
                    back.push(at);
                }
            }
            for (row, at) in trace.sender.iter().zip(back) {
                let late = row.at.saturating_since(at);
                // What comes at the same instant is handed over one after the other, with a reading of the clock each.
                assert!(row.at >= at && late < Duration::from_micros(100), "{name}: {row:?} arrived at {at:?}");
            }
        }
    }

    #[test]
    fn splitmix64_begins_as_published() {
        // The first output of the reference implementation for the seed 0 is that of the state 0x9e3779b97f4a7c15, which is number 1 here.
        assert_eq!(random(0, 1), 0xe220_a839_7b1d_cdaf);
    }
}

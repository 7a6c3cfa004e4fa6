//! Packets that are put on the link together.

use ackless_wire::{Bytes, Duration, Instant};

use super::{Arrival, Wired};
use crate::config::{WireBuffer, WiredLink};

impl<P: Copy> Wired<P> {
    /// Puts packets on the link one behind another, if nothing can happen to them there but that they arrive in their order: none is turned away, lost or held back, and the link stays as it is.
    /// Returns whether that is so; else none of them is on it.
    #[inline(always)]
    pub fn put_together(&mut self, now: Instant, packets: impl ExactSizeIterator<Item = (P, Bytes)>) -> bool {
        let from = self.free_at.max(now);
        if !self.is_even() || !self.has_room_for(now, packets.len()) || self.is_overtaken(from + self.config.delay) {
            return false;
        }
        let was_empty = self.direct.is_empty();
        self.free_at = from;
        let (mut last, mut takes) = (Bytes::ZERO, Duration::ZERO);
        for (packet, len) in packets {
            if len != last {
                (last, takes) = (len, self.config.rate.time_ceil(len));
            }
            self.free_at += takes;
            self.departures.push_back((self.free_at, len));
            self.queued += len;
            self.direct.push_back(Arrival { at: self.free_at + self.config.delay, packet: Some(packet) });
        }
        if was_empty {
            self.next = Instant::earlier(self.next, self.direct.front().map(|first| first.at));
        }
        true
    }

    /// Whether what is put on the link now meets no change, no chance and no jitter.
    #[inline(always)]
    fn is_even(&self) -> bool {
        let WiredLink { jitter, loss, reorder, .. } = &self.config;
        self.is_steady && jitter.is_zero() && loss.get() <= 0.0 && reorder.get() <= 0.0
    }

    /// Whether so many more packets would be taken, where they are counted.
    #[inline(always)]
    fn has_room_for(&mut self, now: Instant, packets: usize) -> bool {
        matches!(self.config.buffer, WireBuffer::Packets(_))
            && packets > 0
            && self.has_room_beside(now, packets - 1, Bytes::ZERO)
    }

    /// Whether what would arrive at `at` might come before the last that has been put on the link.
    #[inline(always)]
    fn is_overtaken(&self, at: Instant) -> bool {
        self.direct.back().is_some_and(|last| last.at > at)
    }
}

#[cfg(test)]
mod tests {
    use ackless_wire::BitRate;
    use ackless_wire::random::{Purpose, Stream};

    use super::*;
    use crate::config::{Direction, Probability, WireStep};

    /// A link of one of several kinds, most of which have nothing that a packet may meet.
    fn link(seed: u64) -> Wired<u64> {
        let mut random = Stream::new(seed, 1, Purpose::Test);
        let mut config = WiredLink::clean(BitRate::from_mbps(500), Duration::from_micros(200), 40);
        let mut steps = Vec::new();
        match random.below(10) {
            0 => config.jitter = Duration::from_micros(90),
            1 => config.loss = Probability::new(0.2).expect("a probability"),
            2 => config.reorder = Probability::new(0.2).expect("a probability"),
            3 => config.buffer = WireBuffer::Bytes(Bytes(30_000)),
            4 => steps.push(WireStep {
                rate: Some(BitRate::from_mbps(100)),
                delay: Some(Duration::from_micros(10)),
                ..WireStep::nothing(Instant::from_millis(2))
            }),
            _ => {}
        }
        Wired::new(config, Stream::new(seed, 0, Purpose::Test)).changing(&steps, Direction::Down)
    }

    #[test]
    fn what_is_put_together_arrives_as_one_by_one() {
        let (mut together, mut alone) = (0, 0);
        for seed in 0..300 {
            let mut random = Stream::new(seed, 2, Purpose::Test);
            let (mut link, mut other) = (link(seed), link(seed));
            let mut now = Instant::ZERO;
            for first in (0..3_000).step_by(100) {
                now += Duration::from_nanos(random.below(600_000));
                let train: Vec<_> =
                    (first..first + random.below(25)).map(|id| (id, [1500, 1500, 52][id as usize % 3])).collect();
                let train = train.into_iter().map(|(id, len)| (id, Bytes(len)));
                let expected: Vec<_> = train.clone().map(|(id, len)| other.push(now, id, len)).collect();
                if link.put_together(now, train.clone()) {
                    together += 1;
                    assert!(expected.iter().all(Result::is_ok), "seed {seed}");
                } else {
                    alone += 1;
                    let pushed: Vec<_> = train.map(|(id, len)| link.push(now, id, len)).collect();
                    assert_eq!(pushed, expected, "seed {seed}");
                }
                assert_eq!(
                    (link.free_at(), link.poll_timeout()),
                    (other.free_at(), other.poll_timeout()),
                    "seed {seed}"
                );
                let until = now + Duration::from_nanos(random.below(600_000));
                while let Some(at) = other.poll_timeout().filter(|&at| at <= until) {
                    assert_eq!(
                        (link.pop(at), link.poll_timeout()),
                        (other.pop(at), other.poll_timeout()),
                        "seed {seed}"
                    );
                }
                now = until;
            }
        }
        assert!(together > 1_000 && alone > 1_000, "{together} and {alone}");
    }
}

//! CoDel: keeps the standing delay of a queue near a target by dropping from its head (RFC 8289), or by marking there what may be marked (RFC 8290, 4.3 and 5.2.6).

use ackless_wire::{Bytes, Duration, Instant};

use super::Queued;

/// How much delay is too much, and for how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodelConfig {
    /// TARGET: the standing delay that is tolerated (RFC 8289, section 4; there 5 ms).
    pub target: Duration,
    /// INTERVAL: how long the delay may exceed it before the first drop; about the longest RTT (RFC 8289, section 4; there 100 ms).
    pub interval: Duration,
}

/// CoDel's state for one queue.
#[derive(Clone, Debug, Default)]
pub struct Codel {
    /// When the delay will have exceeded the target for an interval; `None` while it does not exceed it.
    first_above: Option<Instant>,
    /// The present or last dropping state.
    drop_next: Instant,
    /// Drops since the dropping state was entered.
    count: u32,
    /// `count` when it was last entered.
    last_count: u32,
    dropping: bool,
    /// The longest packet seen: less than that in the queue is never worth a drop.
    longest: Bytes,
}

/// A queue that CoDel manages.
pub trait Source {
    /// Takes the oldest packet.
    fn pop(&mut self) -> Option<Queued>;
    /// What is left in it.
    fn bytes(&self) -> Bytes;
}

impl Codel {
    /// Takes the next packet that is to be sent; `drop` takes those dropped before it (RFC 8289, section 5), or gives one back that it has marked in place of that: it is sent.
    pub fn dequeue(
        &mut self,
        config: CodelConfig,
        now: Instant,
        source: &mut impl Source,
        mut drop: impl FnMut(Queued) -> Option<Queued>,
    ) -> Option<Queued> {
        let (mut packet, mut late) = self.take(config, now, source);
        if self.dropping {
            self.dropping = late;
            while self.dropping && now >= self.drop_next {
                self.count = self.count.saturating_add(1);
                // `late` is said of a packet only.
                if let Some(marked) = packet.and_then(&mut drop) {
                    self.drop_next = control_law(self.drop_next, config.interval, self.count);
                    return Some(marked);
                }
                (packet, late) = self.take(config, now, source);
                self.dropping = late;
                if late {
                    self.drop_next = control_law(self.drop_next, config.interval, self.count);
                }
            }
        } else if late {
            packet = match packet.and_then(&mut drop) {
                Some(marked) => Some(marked),
                None => self.take(config, now, source).0,
            };
            self.enter(config, now);
        }
        packet
    }

    /// Enters the dropping state, at nearly the last drop rate if that state was left not long ago.
    fn enter(&mut self, config: CodelConfig, now: Instant) {
        self.dropping = true;
        let before = self.count - self.last_count;
        let recent = now.saturating_since(self.drop_next) < config.interval.saturating_mul(16);
        self.count = if recent && before > 1 { before } else { 1 };
        self.last_count = self.count;
        self.drop_next = control_law(now, config.interval, self.count);
    }

    /// Takes the oldest packet, and says whether the delay has exceeded the target for an interval (`dodequeue`).
    fn take(&mut self, config: CodelConfig, now: Instant, source: &mut impl Source) -> (Option<Queued>, bool) {
        let Some(packet) = source.pop() else {
            self.first_above = None;
            return (None, false);
        };
        self.longest = self.longest.max(packet.mpdu.packet_len);
        if now.saturating_since(packet.enqueued) < config.target || source.bytes() <= self.longest {
            self.first_above = None;
            return (Some(packet), false);
        }
        let first_above = *self.first_above.get_or_insert_with(|| now.saturating_add(config.interval));
        (Some(packet), now >= first_above)
    }
}

/// When the next drop is due: an interval divided by the square root of `count` after `from` (RFC 8289, section 5).
///
/// The RFC allows any approximation; this is the exact value, rounded down to a nanosecond.
fn control_law(from: Instant, interval: Duration, count: u32) -> Instant {
    let square = u128::from(interval.as_nanos()).pow(2) / u128::from(count.max(1));
    from.saturating_add(Duration::from_nanos(square.isqrt() as u64))
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::super::tests::item;
    use super::*;

    const CONFIG: CodelConfig = CodelConfig { target: Duration::from_millis(5), interval: Duration::from_millis(100) };

    impl Source for VecDeque<Queued> {
        fn pop(&mut self) -> Option<Queued> {
            self.pop_front()
        }

        fn bytes(&self) -> Bytes {
            self.iter().map(|item| item.mpdu.packet_len).sum()
        }
    }

    /// A queue into which a packet of 1,500 bytes comes each `gap` and from which one goes each millisecond, for `millis`;
    /// the times of the drops in milliseconds, and the delay of the last packet.
    fn run(gap: Duration, millis: u64, backlog: u32) -> (Vec<u64>, Duration) {
        let (mut codel, mut queue) = (Codel::default(), VecDeque::new());
        let (mut next, mut handle, mut drops, mut delay) = (Instant::ZERO, 0, Vec::new(), Duration::ZERO);
        for _ in 0..backlog {
            queue.push_back(item(handle, 1500, Instant::ZERO));
        }
        for millis in 0..millis {
            let now = Instant::from_millis(millis);
            while next <= now {
                queue.push_back(item(handle, 1500, next));
                handle += 1;
                next += gap;
            }
            if let Some(sent) = codel.dequeue(CONFIG, now, &mut queue, |_| {
                drops.push(millis);
                None
            }) {
                delay = now - sent.enqueued;
            }
        }
        (drops, delay)
    }

    #[test]
    fn the_control_law_divides_the_interval_by_the_root_of_the_count() {
        let after = |count| control_law(Instant::ZERO, CONFIG.interval, count).as_nanos();
        // 100 ms / 1, / 1.41421356, / 1.73205081, / 2, / 10, / 31.6227766.
        let expected = [(1, 100_000_000), (2, 70_710_678), (3, 57_735_026), (4, 50_000_000), (100, 10_000_000)];
        assert_eq!(expected.map(|(count, _)| (count, after(count))), expected);
        assert_eq!(after(1000), 3_162_277);
    }

    #[test]
    fn a_queue_that_drains_within_the_interval_is_left_alone() {
        // 90 packets wait at once, and the delay sinks below the target before 100 ms are over.
        let (drops, _) = run(Duration::from_secs(10), 200, 90);
        assert_eq!(drops, [] as [u64; 0]);
    }

    #[test]
    fn a_standing_queue_loses_packets_at_the_rate_of_the_control_law() {
        // Arrivals keep up with departures, and 50 ms stand in the queue: above the target from the first packet on at
        // 5 ms, for an interval at 105 ms; then 100, 70.7, 57.7 and 50 ms between drops.
        let (drops, _) = run(Duration::from_millis(1), 450, 50);
        assert_eq!(drops, [105, 205, 276, 334, 384, 429]);
    }

    #[test]
    fn a_standing_queue_comes_down_to_the_target() {
        let (drops, delay) = run(Duration::from_millis(1), 4_000, 50);
        assert!(delay < CONFIG.target, "{delay}");
        // 50 ms less 5 ms are 45 packets or a few more: it is not cut to nothing.
        assert!((45..=50).contains(&drops.len()), "{} drops", drops.len());
    }

    #[test]
    fn a_single_packet_is_sent_however_late() {
        let mut queue = VecDeque::from([item(0, 1500, Instant::ZERO)]);
        let mut codel = Codel::default();
        for second in 1..10 {
            let now = Instant::from_secs(second);
            queue.push_back(item(second as u32, 1500, Instant::ZERO));
            assert!(codel.dequeue(CONFIG, now, &mut queue, |_| panic!("dropped with one packet left")).is_some());
        }
    }
}

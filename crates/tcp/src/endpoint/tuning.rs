//! Autotuning of the receive window: it begins small, follows what the application takes in a round trip, and what is told of it grows as
//! data comes (dynamic right-sizing).
//!
//! By the names of net/ipv4/tcp_input.c in Linux 6.12, with its default `tcp_rmem`:
//!
//! - `tcp_win_from_space`: a window is a share of the memory that the socket may take, in 256ths (`scaling_ratio`): half at first, and what payload has of
//!   the memory of a packet once one has come. A full packet takes 2,304 bytes, a buffer of 2 KiB and its `sk_buff`, as with most drivers: 160.
//! - `tcp_init_buffer_space`: the memory begins at 128 KiB, of which a window of 64 KiB less a segment is told.
//! - `tcp_grow_window`: each packet raises what is told (`rcv_ssthresh`) by two segments, or twice its own length, as far as the memory goes, and has the policy
//!   of Linux acknowledge at once; where packets have little payload it stops sooner.
//! - `tcp_rcv_space_adjust`: where the application has taken more in a round trip than in any before, the memory becomes what twice that and 16 segments need, and
//!   more by twice the share by which it has grown; at most the receive buffer.
//! - `__tcp_select_window` and `tcp_select_window`: what is told is rounded up to what the field can name, and so is what is left of the window told last, which never shrinks, as long as the memory has room.
//! - `tcp_rcv_rtt_update`: a round trip is what an echoed timestamp says, smoothed by an eighth, or how long a whole window takes to come.
//!
//! The application takes a batch once all of it is here: until then it counts as unread, and what is taken in a round trip is looked at with its first packet, less what waits behind it.
//!
//! Deviations: what an application that reads at a pace has taken is looked at when data comes, not when it reads; what waits is counted as full segments; a SYN tells the
//! same window whoever sends it. Off on a TACK connection, and once somebody sets the buffer.

use ackless_wire::{Bytes, Duration, Instant};

use crate::sequence::Position;

/// The state of a receiver that tunes itself.
#[derive(Clone, Debug)]
pub(super) struct Tuning {
    /// `sk_rcvbuf`, and the most that it may become (`tcp_rmem[2]`).
    memory: Bytes,
    most: Bytes,
    /// `scaling_ratio`, of 256.
    share: u64,
    /// `window_clamp`.
    clamp: Bytes,
    /// `rcv_ssthresh`: what may be told of the window.
    threshold: Bytes,
    /// `advmss`.
    segment: Bytes,
    /// `icsk_ack.rcv_mss`, the largest segment that has come.
    largest: Bytes,
    /// `rcvq_space`: the most that was taken in a round trip, and from where and when on the present one is counted.
    taken: Bytes,
    from: Position,
    since: Instant,
    /// `rcv_rtt_est.rtt_us`: eight times the round trip; zero before the first.
    trips: Duration,
    /// The place whose arrival ends a window, and since when it is waited for.
    window: Option<(Position, Instant)>,
    last_echo: Option<u32>,
}

/// A packet that has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    /// Its payload, and that of each segment that was merged into it.
    pub(super) len: Bytes,
    pub(super) segment: Bytes,
    /// Whether it lies above a hole.
    pub(super) above_hole: bool,
    /// The timestamp that it echoes, and the round trip which that says.
    pub(super) echo: Option<(u32, Option<Duration>)>,
    /// RCV.NXT and the end of the window that was told.
    pub(super) next: Position,
    pub(super) window_end: Position,
    /// What waits for the application, with this packet, and what waits above holes.
    pub(super) unread: Bytes,
    pub(super) held: Bytes,
    /// Whether both ends do SACK.
    pub(super) sack: bool,
}

impl Tuning {
    /// For a receive buffer of at most `most`, and of [`LEAST`] where that is less, with segments of `mss`.
    pub(super) fn new(most: Bytes, mss: Bytes) -> Self {
        let most = most.max(LEAST);
        let memory = FIRST.min(most);
        let mut tuning = Self {
            memory,
            most,
            share: 128,
            clamp: Bytes::ZERO,
            threshold: Bytes::ZERO,
            segment: mss,
            largest: Bytes(536),
            taken: Bytes::ZERO,
            from: Position::FIRST_BYTE,
            since: Instant::ZERO,
            trips: Duration::ZERO,
            window: None,
            last_echo: None,
        };
        tuning.clamp = tuning.space();
        // tcp_select_initial_window: whole segments.
        tuning.threshold = Bytes(tuning.clamp.get() / mss.get() * mss.get()).max(tuning.clamp.min(mss));
        tuning
    }

    /// The connection is established, with timestamps or without.
    pub(super) fn begin(&mut self, now: Instant, stamps: bool) {
        let options = if stamps { Bytes(12) } else { Bytes::ZERO };
        self.segment = self.segment.saturating_sub(options).max(Bytes(1));
        self.clamp = self.space().saturating_sub(self.segment).max(self.segment * 2).min(self.space());
        self.threshold = self.threshold.min(self.clamp);
        self.taken = self.threshold.min(self.segment * 10);
        self.since = now;
    }

    /// `tcp_full_space`: the window that there would be memory for.
    pub(super) fn space(&self) -> Bytes {
        self.told_of(self.memory)
    }

    /// `tcp_space`: what is left of it beside so much payload, in full segments.
    fn space_beside(&self, payload: Bytes) -> Bytes {
        let taken = Bytes(payload.get() * memory_of(self.largest).get() / self.largest.get().max(1));
        self.told_of(self.memory.saturating_sub(taken))
    }

    /// `__tcp_select_window`: the window to tell while so much payload is here, where the field counts in `unit`. Rounded up to that, so that scaling takes nothing
    /// away; down, and to none below a sixteenth of the memory or a segment, where less than half is left.
    pub(super) fn window_beside(&self, payload: Bytes, unit: u64) -> Bytes {
        let (mut free, full) = (self.space_beside(payload), self.space());
        if free.get() < full.min(self.clamp).get() / 2 {
            free = Bytes(free.get() / unit * unit);
            if free.get() < full.get() / 16 || free < self.largest.min(full) {
                return Bytes::ZERO;
            }
        }
        Bytes(free.min(self.threshold).get().next_multiple_of(unit))
    }

    /// The memory that it may take now.
    pub(super) fn memory(&self) -> Bytes {
        self.memory
    }

    /// The most memory that it may take.
    pub(super) fn most(&self) -> Bytes {
        self.most
    }

    /// Data has come. Returns whether more is told of the window now.
    pub(super) fn on_data(&mut self, now: Instant, arrival: &Arrival) -> bool {
        self.measure_echo(arrival);
        if arrival.above_hole {
            return arrival.sack && self.grow(arrival);
        }
        self.measure_share(arrival);
        self.measure_window(now, arrival);
        arrival.len >= Bytes(128) && self.grow(arrival)
    }

    /// `tcp_rcv_rtt_measure_ts`.
    fn measure_echo(&mut self, arrival: &Arrival) {
        let Some((echo, trip)) = arrival.echo else { return };
        if self.last_echo.replace(echo) == Some(echo) || arrival.len < self.largest {
            return;
        }
        if let Some(trip) = trip.filter(|&trip| trip > Duration::ZERO) {
            self.update(trip, false);
        }
    }

    /// `tcp_rcv_rtt_measure`.
    fn measure_window(&mut self, now: Instant, arrival: &Arrival) {
        match self.window {
            Some((end, _)) if arrival.next < end => return,
            Some((_, since)) => self.update(now.saturating_since(since).max(Duration::from_micros(1)), true),
            None => {}
        }
        self.window = Some((arrival.window_end, now));
    }

    /// `tcp_rcv_rtt_update`.
    fn update(&mut self, sample: Duration, by_window: bool) {
        let eight = sample * 8;
        if self.trips.is_zero() || eight < self.trips {
            self.trips = eight;
        } else if !by_window {
            self.trips = self.trips - self.trips / 8 + sample;
        }
    }

    /// The part of `tcp_measure_rcv_mss` that learns what payload has of memory.
    fn measure_share(&mut self, arrival: &Arrival) {
        if arrival.segment <= self.largest {
            return;
        }
        self.largest = arrival.segment;
        let share = (arrival.segment.get() * 256 / memory_of(arrival.segment).get()).max(1);
        if share != self.share {
            self.share = share;
            self.clamp = self.space();
            self.taken = self.taken.min(self.clamp);
        }
    }

    /// `tcp_grow_window`.
    fn grow(&mut self, arrival: &Arrival) -> bool {
        let waiting = arrival.unread + arrival.held;
        let room = self.clamp.min(self.space_beside(waiting)).saturating_sub(self.threshold);
        let step = self.step(arrival);
        if room == Bytes::ZERO || step == Bytes::ZERO {
            return false;
        }
        self.threshold += room.min(step.max(arrival.len * 2));
        true
    }

    /// By how much a packet raises what is told, or nothing if its payload has too little of its memory (`__tcp_grow_window`).
    fn step(&self, arrival: &Arrival) -> Bytes {
        let segments = arrival.len.get().div_ceil(arrival.segment.get().max(1));
        let needs = self.told_of(memory_of(arrival.segment) * segments).get();
        if needs <= arrival.len.get() {
            return self.segment * 2;
        }
        let (mut needs, mut window) = (needs / 2, self.told_of(self.most).get() / 2);
        while self.threshold.get() <= window {
            if needs <= arrival.len.get() {
                return self.largest * 2;
            }
            (needs, window) = (needs / 2, window / 2);
        }
        Bytes::ZERO
    }

    /// `tcp_rcv_space_adjust`: the application has taken the first packet of what waits for it, which goes up to `end`; it goes up to `first`.
    pub(super) fn on_read(&mut self, now: Instant, first: Position, end: Position) {
        if self.trips.is_zero() || now.saturating_since(self.since) < self.trips / 8 {
            return;
        }
        let read = self.from.max(first);
        let taken = read.since(self.from).saturating_sub(end.since(read));
        (self.from, self.since) = (read, now);
        if taken <= self.taken {
            return;
        }
        let base = taken * 2 + self.segment * 16;
        let grown =
            u128::from(base.get()) * u128::from((taken - self.taken).get()) / u128::from(self.taken.get().max(1));
        let window = base + Bytes(u64::try_from(grown).unwrap_or(u64::MAX / 4).min(u64::MAX / 4)) * 2;
        let memory = u128::from(window.get()) * 256 / u128::from(self.share);
        let memory = Bytes(u64::try_from(memory).unwrap_or(u64::MAX)).min(self.most);
        if memory > self.memory {
            self.memory = memory;
            self.clamp = self.space();
        }
        self.taken = taken;
    }

    /// `tcp_win_from_space`.
    fn told_of(&self, memory: Bytes) -> Bytes {
        Bytes(memory.get() * self.share / 256)
    }
}

/// What a packet with so much payload takes of memory (`truesize`): headers, headroom and `skb_shared_info` in a buffer whose size is a power of two, and the `sk_buff`.
fn memory_of(payload: Bytes) -> Bytes {
    let buffer = (payload.get() + 52 + 64 + 320).next_power_of_two();
    Bytes(buffer.max(2_048) + 256)
}

/// `SOCK_MIN_RCVBUF`: one small packet.
const LEAST: Bytes = Bytes(2_304);
/// `tcp_rmem[1]`.
const FIRST: Bytes = Bytes::from_kib(128);

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: Bytes = Bytes(1_448);

    /// A receiver that read at once all that came in full segments before.
    struct Reader {
        tuning: Tuning,
        next: Position,
    }

    impl Reader {
        fn new() -> Self {
            let mut tuning = Tuning::new(Bytes::from_kib(6 * 1024), Bytes(1_460));
            assert_eq!(tuning.threshold, Bytes(64_240), "44 segments of 1460 bytes");
            tuning.begin(Instant::from_millis(60), true);
            Self { tuning, next: Position::FIRST_BYTE }
        }

        /// A packet of so many segments comes at `micros` after the SYN. What is told then, as the field has it with a shift of 7.
        fn take(&mut self, micros: u64, segments: u64, echo: u32, trip: u64) -> (u64, bool) {
            let len = MSS * segments;
            self.next += len;
            let arrival = Arrival {
                len,
                segment: MSS,
                above_hole: false,
                echo: Some((echo, Some(Duration::from_millis(trip)))),
                next: self.next,
                window_end: self.next + self.tuning.threshold,
                unread: len,
                held: Bytes::ZERO,
                sack: true,
            };
            let now = Instant::from_micros(micros);
            let grows = self.tuning.on_data(now, &arrival);
            self.tuning.on_read(now, self.next, self.next);
            (self.tuning.threshold.get().next_multiple_of(128), grows)
        }
    }

    #[test]
    fn the_first_windows_are_those_of_linux() {
        // The ACKs of `start` in tests/linux-traces: 64,088 at first, two segments more for each, up to what 131,072 - 2,304 bytes of memory have room for.
        let mut reader = Reader::new();
        let told: Vec<_> = (0..8).map(|n| reader.take(60_645 + 600 * n, 1, 20, 40)).collect();
        let windows = [67_072, 69_888, 72_832, 75_776, 78_592, 80_512, 80_512, 80_512];
        assert_eq!(
            told,
            windows.into_iter().zip([true, true, true, true, true, true, false, false]).collect::<Vec<_>>()
        );
    }

    #[test]
    fn what_waits_is_memory_and_what_is_told_is_rounded_up() {
        // The third ACK of `start-gro`: of 131,072 bytes three packets of two segments take 13,824, of the rest 160 of 256 are 73,280, in units of 128 73,344.
        let mut reader = Reader::new();
        for n in 0..6 {
            reader.take(60_645 + 600 * n, 1, 20, 40);
        }
        assert_eq!(reader.tuning.window_beside(MSS * 6, 128), Bytes(73_344));
        assert_eq!(reader.tuning.window_beside(Bytes::ZERO, 128), Bytes(80_512), "as far as the memory goes");
        // 34 segments leave 52,736 bytes, of which 32,960 count, less than half of the window: rounded down. 54 leave 4,160, and that is less than a sixteenth.
        assert_eq!(reader.tuning.window_beside(MSS * 34, 128), Bytes(32_896));
        assert_eq!(reader.tuning.window_beside(MSS * 54, 128), Bytes::ZERO);
    }

    #[test]
    fn a_merged_packet_raises_what_is_told_by_twice_its_length() {
        let mut reader = Reader::new();
        assert_eq!(reader.take(16_000, 2, 10, 11).0, 69_888, "the first two ACKs of `start-gro-fast`");
        assert_eq!(reader.take(16_000, 2, 10, 11).0, 75_776);
    }

    #[test]
    fn the_memory_follows_what_is_taken_in_a_round_trip() {
        let mut reader = Reader::new();
        for n in 0..10 {
            reader.take(60_645 + 600 * n, 1, 20, 40);
        }
        // 41 ms after the connection: 11 segments, 15,928 bytes, against 14,480. 2 * 15,928 + 16 * 1,448 and twice a tenth of that is 66,028, for which 128 KiB do.
        reader.take(101_246, 1, 60, 41);
        assert_eq!((reader.tuning.memory, reader.tuning.taken), (Bytes(131_072), Bytes(15_928)));
        for n in 0..19 {
            reader.take(101_846 + 600 * n, 1, 60, 41);
        }
        // 20 more segments, 28,960 bytes: 81,088 and 2 * 66,349 more (28,960 / 15,928 is 1.818) are 213,786.
        reader.take(142_447, 1, 101, 41);
        let taken = 20 * 1_448;
        let base = 2 * taken + 16 * 1_448;
        let window = base + 2 * (base * (taken - 15_928) / 15_928);
        assert_eq!((reader.tuning.taken, reader.tuning.memory), (Bytes(taken), Bytes(window * 256 / 160)));
    }

    #[test]
    fn no_more_memory_is_taken_than_there_may_be() {
        let mut reader = Reader::new();
        let mut at = 60_000;
        for round in 0..12 {
            at += 50_000;
            for _ in 0..(20 << round) {
                reader.take(at, 1, round, 40);
                at += 1;
            }
        }
        assert_eq!(reader.tuning.memory, Bytes(6_291_456));
        assert_eq!(reader.take(at, 1, 0, 40).0, (6_291_456 * 160 / 256 - 1_448u64).next_multiple_of(128));
    }

    #[test]
    fn what_comes_at_once_behind_a_hole_is_not_taken_for_a_faster_sender() {
        let mut reader = Reader::new();
        reader.take(60_645, 1, 20, 40);
        // 70 segments wait behind the one that fills it.
        let first = reader.next + MSS;
        reader.tuning.on_read(Instant::from_micros(120_000), first, first + MSS * 70);
        assert_eq!((reader.tuning.memory, reader.tuning.taken), (Bytes(131_072), MSS * 10));
    }

    #[test]
    fn packets_with_little_payload_raise_it_less() {
        // 100 bytes in 2,304 of memory, of which 1,152 count: that is no more than 100 after four halvings, as which the largest window, 3 MiB, is 196,608.
        let mut tuning = Tuning::new(Bytes::from_kib(6 * 1024), Bytes(1_460));
        tuning.begin(Instant::ZERO, true);
        let arrival = |len| Arrival {
            len: Bytes(len),
            segment: Bytes(len),
            above_hole: false,
            echo: None,
            next: Position(2),
            window_end: Position(3),
            unread: Bytes::ZERO,
            held: Bytes::ZERO,
            sack: true,
        };
        for (threshold, step) in [(196_608, Bytes(2 * 536)), (196_609, Bytes::ZERO)] {
            tuning.threshold = Bytes(threshold);
            assert_eq!(tuning.step(&arrival(100)), step, "{threshold} bytes are told");
        }
    }
}

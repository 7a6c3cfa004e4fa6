//! Whatever the path does, every byte arrives once and in order, every run ends, and both ends close.

use ackless_tcp::{
    AckChoice, Config, CongestionChoice, Consume, Endpoint, Event, InitialWindow, RecoveryChoice, State, Variant,
};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Bytes, Duration, Payload, SeqNumber};

use crate::pair::{A, B, Pair, Path, address};

/// Paths tried.
const RUNS: u64 = 5_200;

#[test]
fn every_byte_arrives_once_and_in_order_and_both_ends_close() {
    // The longest of these tests by far, on two cores.
    let halves = [0..RUNS / 2, RUNS / 2..RUNS];
    let counts = std::thread::scope(|scope| {
        let halves = halves.map(|seeds| scope.spawn(|| counted(seeds)));
        halves.map(|half| half.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let [timeouts, recoveries, probes] = std::array::from_fn(|n| counts[0][n] + counts[1][n]);
    // The paths must have been hard enough to need all of this.
    assert!(timeouts > RUNS && recoveries > RUNS && probes > RUNS / 4, "{timeouts} {recoveries} {probes}");
}

/// The timeouts, fast retransmits and window probes of the conversations with these seeds, which all come to their end.
fn counted(seeds: std::ops::Range<u64>) -> [u64; 3] {
    let mut counts = [0; 3];
    for seed in seeds {
        let mut run = Run::new(seed);
        run.finish();
        for end in [A, B] {
            let stats = run.pair.ends[end].stats();
            counts[0] += stats.timeouts;
            counts[1] += stats.fast_retransmits;
            counts[2] += stats.window_probes;
        }
    }
    counts
}

/// One conversation: each end writes a random number of bytes, reads as it likes, and closes.
struct Run {
    seed: u64,
    pair: Pair,
    random: Stream,
    apps: [App; 2],
    sharp: bool,
}

struct App {
    to_write: u64,
    written: u64,
    read: u64,
    /// Ticks for which it does not read.
    pause: u64,
    closed: bool,
}

impl Run {
    fn new(seed: u64) -> Self {
        let mut random = Stream::new(seed, 1, Purpose::Test);
        let configs = [config(&mut random), config(&mut random)];
        let path = path(&mut random);
        let mut pair = Pair::new(configs.clone(), path, seed);
        if random.chance(0.1) {
            // Simultaneous open.
            let [a, b] = configs.clone();
            let iss = SeqNumber(random.bits() as u32);
            let ends = [
                Endpoint::connect(pair.now, a, address(A), address(B), iss),
                Endpoint::connect(pair.now, b, address(B), address(A), SeqNumber(random.bits() as u32)),
            ];
            pair = Pair::of(ends, pair.paths[A].clone(), seed);
        }
        // Buffers of a few bytes carry a few bytes in each round trip: write what that ends in reasonable time.
        let most = [A, B].map(|end| {
            let buffer = configs[1 - end].receive_buffer.min(configs[end].send_buffer);
            (buffer.get() * 100).min(60_000)
        });
        let apps = most.map(|most| App {
            to_write: if random.chance(0.2) { 0 } else { random.below(most) },
            written: 0,
            read: 0,
            pause: 0,
            closed: false,
        });
        let sharp = random.chance(0.5);
        Self { seed, pair, random, apps, sharp }
    }

    fn finish(&mut self) {
        let (mut ticks, mut idle, mut before) = (0, 1, 0);
        while self.apps.iter().any(|app| !app.closed)
            || self.apps[B].read < self.apps[A].to_write
            || self.apps[A].read < self.apps[B].to_write
        {
            self.act(A);
            self.act(B);
            // Where nothing has moved for a while, both sit out a timeout: look less often.
            let moved = self.apps.iter().map(|app| app.written + app.read + app.pause).sum();
            idle = if moved == before { idle + 1 } else { 1 };
            before = moved;
            let tick = Duration::from_micros(1 + self.random.below(if self.sharp { 5_000 } else { 80_000 }));
            self.pair.run_for(tick * idle);
            ticks += 1;
            assert!(ticks < 2_000_000, "seed {}: no end in sight, {}", self.seed, self.describe());
        }
        let mut steps = 0;
        while self.pair.step() {
            steps += 1;
            assert!(steps < 100_000, "seed {}: it does not come to rest, {}", self.seed, self.describe());
        }
        assert_eq!(self.pair.states(), [State::Closed; 2], "seed {}: {}", self.seed, self.describe());
        for end in [A, B] {
            let events = &self.pair.events[end];
            let bad = [Event::Reset, Event::TimedOut, Event::Refused];
            assert!(!events.iter().any(|event| bad.contains(event)), "seed {}: {events:?}", self.seed);
            for once in [Event::Connected, Event::PeerClosed, Event::Closed] {
                assert_eq!(events.iter().filter(|&&e| e == once).count(), 1, "seed {}: {events:?}", self.seed);
            }
            let (stats, app) = (self.pair.ends[end].stats(), &self.apps[end]);
            assert_eq!(stats.bytes_acked, Bytes(app.to_write), "seed {}", self.seed);
            assert_eq!(stats.bytes_delivered, Bytes(app.read), "seed {}", self.seed);
        }
    }

    /// What the application at `end` does in one tick.
    fn act(&mut self, end: usize) {
        let (app, endpoint) = (&mut self.apps[end], &mut self.pair.ends[end]);
        while app.written < app.to_write {
            let wanted = (1 + self.random.below(4_000)).min(app.to_write - app.written);
            let data: Vec<u8> = (app.written..app.written + wanted).map(|at| byte(end, at)).collect();
            let accepted = endpoint.write(&data).get();
            app.written += accepted;
            if accepted < wanted || self.random.chance(0.3) {
                break;
            }
        }
        if app.written == app.to_write && !app.closed && self.random.chance(0.5) {
            // Before the handshake, a close with nothing written would give the call up.
            if app.to_write > 0 || endpoint.state().is_synchronized() {
                endpoint.close();
                app.closed = true;
            }
        }
        if app.pause > 0 {
            app.pause -= 1;
            return;
        }
        if self.random.chance(0.05) {
            app.pause = self.random.below(60);
        }
        while let Some(payload) = endpoint.read(Bytes(1 + self.random.below(5_000))) {
            let Payload::Data(data) = payload else { panic!("seed {}: bytes were written", self.seed) };
            for &found in &data {
                assert_eq!(found, byte(1 - end, app.read), "seed {}: byte {} at {end}", self.seed, app.read);
                app.read += 1;
            }
            if self.random.chance(0.2) {
                break;
            }
        }
    }

    fn describe(&self) -> String {
        let parts = [A, B].map(|end| {
            let (endpoint, app) = (&self.pair.ends[end], &self.apps[end]);
            format!(
                "{:?} wrote {} of {} read {} closed {}: {:?}",
                endpoint.state(),
                app.written,
                app.to_write,
                app.read,
                app.closed,
                endpoint.stats()
            )
        });
        format!("at {:?}: {parts:#?}", self.pair.now)
    }
}

/// The byte at `at` of the stream that `end` sends.
fn byte(end: usize, at: u64) -> u8 {
    (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8 ^ end as u8
}

fn config(random: &mut Stream) -> Config {
    Config {
        mss: Bytes(pick(random, &[1460, 1460, 536, 88, 9000])),
        initial_window: [InitialWindow::Rfc6928, InitialWindow::Rfc3390, InitialWindow::Segments(1)]
            [random.below(3) as usize],
        congestion: [
            CongestionChoice::Reno,
            CongestionChoice::NewReno,
            CongestionChoice::Cubic,
            CongestionChoice::Bbr,
            CongestionChoice::ReceiverBbr(Variant::Standard),
            CongestionChoice::Bbr3,
        ][random.below(6) as usize],
        slow_start_limit: [None, Some(1), Some(2)][random.below(3) as usize],
        idle_restart: random.chance(0.5),
        ack: acknowledging(random),
        sack: random.chance(0.7),
        timestamps: random.chance(0.7).then(|| Duration::from_millis(pick(random, &[1, 10, 1000]))),
        window_scaling: random.chance(0.7),
        receive_buffer: Bytes(pick(random, &[1, 7, 100, 1_000, 3_000, 10_000, 65_535, 200_000, 6_000_000])),
        send_buffer: Bytes(pick(random, &[1, 500, 5_000, 100_000, 4_000_000])),
        receive_tuning: random.chance(0.3),
        consume: Consume::ByApplication,
        nagle: random.chance(0.5),
        syn_retries: 30,
        retries: 30,
        // Long enough for every last acknowledgement to get through at some point.
        time_wait: Duration::from_secs(3600),
        rto_min: Duration::from_millis(pick(random, &[1, 50, 200, 1000])),
        recovery: [RecoveryChoice::Standard, RecoveryChoice::Rack][random.below(2) as usize],
        pacing: random.chance(0.3),
        ..Config::default()
    }
}

fn pick(random: &mut Stream, choices: &[u64]) -> u64 {
    choices[random.below(choices.len() as u64) as usize]
}

fn acknowledging(random: &mut Stream) -> AckChoice {
    let segments = pick(random, &[0, 1, 2, 2, 4, 8, 64]) as u32;
    let timeout = Duration::from_millis(pick(random, &[1, 40, 200, 500]));
    if random.chance(0.3) {
        AckChoice::Request { share: segments, timeout }
    } else {
        AckChoice::Delayed { every: segments, timeout }
    }
}

fn path(random: &mut Stream) -> Path {
    let delay = 1 + random.below(100);
    let maybe = |random: &mut Stream, p: f64, most: f64| if random.chance(p) { random.unit() * most } else { 0.0 };
    Path {
        rate: random.chance(0.3).then(|| BitRate::from_kbps(200 + random.below(20_000))),
        queue: 3 + random.below(100) as usize,
        loss: maybe(random, 0.7, 0.25),
        reordering: maybe(random, 0.5, 0.5),
        held: Duration::from_millis(1 + random.below(delay * 4)),
        duplication: maybe(random, 0.4, 0.3),
        ..Path::of_delay(delay)
    }
}

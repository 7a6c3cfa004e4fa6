//! A conversation: each end writes a number of bytes, reads as it likes, and closes.

use std::sync::LazyLock;

use ackless_tcp::{Endpoint, Event, State};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Duration, Payload};

use super::case::Case;
use super::net::{A, B, Net, START, address};
use super::watch::{Seen, Watch};

/// What came of a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub seen: Seen,
    pub timeouts: u64,
    pub probes: u64,
    pub tail_probes: u64,
    pub retransmissions: u64,
    /// From the first SYN until both applications had everything and had closed.
    pub took: Duration,
    pub steps: u64,
}

/// Runs the conversation and checks it.
///
/// # Panics
/// If anything is not as it must be.
pub fn run(case: &Case, verbose: bool) -> Outcome {
    run_with(case, verbose, |_| {})
}

/// As [`run`], after a change to the net.
pub fn run_with(case: &Case, verbose: bool, change: impl FnOnce(&mut Net)) -> Outcome {
    let mut run = Run::new(case, verbose);
    change(&mut run.net);
    run.talk();
    let took = run.net.now - START;
    run.rest();
    run.outcome(took)
}

struct Run<'a> {
    case: &'a Case,
    net: Net,
    random: Stream,
    apps: [App; 2],
}

#[derive(Clone, Copy, Default)]
struct App {
    written: u64,
    read: u64,
    /// Looks for which it does not read or write.
    pause: u64,
    rest: u64,
    closed: bool,
}

impl<'a> Run<'a> {
    fn new(case: &'a Case, verbose: bool) -> Self {
        let [a, b] = case.configs.clone();
        let answering = if case.simultaneous {
            Endpoint::connect(START, b, address(B), address(A), case.iss[B])
        } else {
            Endpoint::listen(b, address(B), case.iss[B])
        };
        let ends = [Endpoint::connect(START, a, address(A), address(B), case.iss[A]), answering];
        let confused = case.links.iter().any(|link| link.reframe.confuses_numbers());
        let watch = Watch::new(case.seed, &case.configs, case.floor(), confused);
        let mut net = Net::new(ends, case.links.clone(), watch, case.seed);
        net.verbose = verbose;
        Self { case, net, random: Stream::new(case.seed, 2, Purpose::Test), apps: Default::default() }
    }

    fn talk(&mut self) {
        let plans = &self.case.plans;
        let (mut ticks, mut idle, mut before) = (0, 1, 0);
        while self.apps.iter().any(|app| !app.closed)
            || self.apps[B].read < plans[A].to_write
            || self.apps[A].read < plans[B].to_write
        {
            self.act(A);
            self.act(B);
            // Where nothing has moved for a while, both sit out a timeout: look less often.
            let moved = self.apps.iter().map(|app| app.written + app.read + app.pause + app.rest).sum();
            idle = if moved == before { (idle + 1).min(1000) } else { 1 };
            before = moved;
            let tick = Duration::from_nanos(1 + self.random.below(self.case.tick.as_nanos()));
            self.net.run_for(tick * idle);
            ticks += 1;
            self.check_bounds(ticks);
        }
    }

    fn check_bounds(&self, ticks: u64) {
        let (steps, events) = (self.net.steps, [A, B].map(|end| &self.net.events[end]));
        // Plain TCP, where options are stripped, takes an hour if half of its ACKs are lost.
        assert!(ticks < 4_000_000 && steps < 300_000, "seed {}: no end in sight, {}", self.case.seed, self.describe());
        for events in events {
            let bad = [Event::Reset, Event::TimedOut, Event::Refused];
            assert!(
                !events.iter().any(|event| bad.contains(event)),
                "seed {}: {events:?} {}",
                self.case.seed,
                self.describe()
            );
        }
    }

    /// Until nothing is left to happen.
    fn rest(&mut self) {
        let (seed, before) = (self.case.seed, self.net.steps);
        while self.net.step() {
            assert!(self.net.steps < before + 50_000, "seed {seed}: it does not come to rest, {}", self.describe());
        }
        assert_eq!(self.net.states(), [State::Closed; 2], "seed {seed}: {}", self.describe());
        for end in [A, B] {
            let events = &self.net.events[end];
            for once in [Event::Connected, Event::PeerClosed, Event::Closed] {
                assert_eq!(events.iter().filter(|&&e| e == once).count(), 1, "seed {seed}: {events:?}");
            }
            let stats = self.net.ends[end].stats();
            assert_eq!(stats.bytes_acked, Bytes(self.case.plans[end].to_write), "seed {seed}");
            assert_eq!(stats.bytes_delivered, Bytes(self.case.plans[1 - end].to_write), "seed {seed}");
        }
    }

    /// What the application at `end` does at one look.
    fn act(&mut self, end: usize) {
        let (plan, seed) = (&self.case.plans[end], self.case.seed);
        let (app, endpoint) = (&mut self.apps[end], &mut self.net.ends[end]);
        app.rest = app.rest.saturating_sub(1);
        if self.random.chance(plan.rests) {
            app.rest = self.random.below(60);
        }
        while app.written < plan.to_write && app.rest == 0 {
            let wanted = (1 + self.random.below(plan.chunk)).min(plan.to_write - app.written);
            let accepted = endpoint.write(pattern(end, app.written, wanted)).get();
            app.written += accepted;
            if accepted < wanted || self.random.chance(0.3) {
                break;
            }
        }
        if app.written == plan.to_write && !app.closed && self.random.chance(0.5) {
            // Before the handshake, a close with nothing written would give the call up.
            if plan.to_write > 0 || endpoint.state().is_synchronized() {
                endpoint.close();
                app.closed = true;
            }
        }
        if app.pause > 0 {
            app.pause -= 1;
            return;
        }
        if self.random.chance(plan.pauses) {
            app.pause = self.random.below(60);
        }
        while let Some(payload) = endpoint.read(Bytes(1 + self.random.below(plan.chunk))) {
            let Payload::Data(data) = payload else { panic!("seed {seed}: bytes were written") };
            let expected = pattern(1 - end, app.read, data.len() as u64);
            assert!(data == expected, "seed {seed}: what {end} reads from byte {} on differs", app.read);
            app.read += data.len() as u64;
            if self.random.chance(0.2) {
                break;
            }
        }
    }

    fn outcome(&self, took: Duration) -> Outcome {
        let stats = [A, B].map(|end| self.net.ends[end].stats());
        let [a, b] = &stats;
        Outcome {
            seen: Seen { fallbacks: a.fallbacks + b.fallbacks, ..self.net.watch.seen },
            timeouts: a.timeouts + b.timeouts,
            probes: a.window_probes + b.window_probes,
            tail_probes: a.tail_probes + b.tail_probes,
            retransmissions: a.retransmitted_segments + b.retransmitted_segments,
            took,
            steps: self.net.steps,
        }
    }

    fn describe(&self) -> String {
        let parts = [A, B].map(|end| {
            let (endpoint, app, plan) = (&self.net.ends[end], &self.apps[end], &self.case.plans[end]);
            format!(
                "{:?} wrote {} of {} read {} closed {}: {:?}",
                endpoint.state(),
                app.written,
                plan.to_write,
                app.read,
                app.closed,
                endpoint.stats()
            )
        });
        format!("at {:?}: {parts:#?}", self.net.now)
    }
}

impl Drop for Run<'_> {
    /// Names the seed of a panic inside an endpoint.
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {}", self.case.seed);
        }
    }
}

/// Bytes in which any shift shows: those at `at` of the stream that `end` sends.
fn pattern(end: usize, at: u64, len: u64) -> &'static [u8] {
    static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let once = (0..PERIOD).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8);
        once.cycle().take(2 * PERIOD as usize).collect()
    });
    let from = ((at + 30_011 * end as u64) % PERIOD) as usize;
    &BYTES[from..from + len as usize]
}

/// A prime, above every chunk.
const PERIOD: u64 = 65_521;

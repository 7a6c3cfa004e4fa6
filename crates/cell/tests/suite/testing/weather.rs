//! Random losses: each kind of frame has odds of its own, each way, and there may be times when nothing gets through. They end.

use ackless_cell::loss::Interference;
use ackless_dot11::frame::{NodeId, Ppdu};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Duration, Instant};

/// Random losses until a time.
#[derive(Debug)]
pub struct Weather {
    random: Stream,
    /// What kinds of PPDUs there are.
    kinds: Kinds,
    /// From the AP, and to it or between stations.
    ways: [Odds; 2],
    /// How long it is clear, and how long nothing gets through; each time up to twice this.
    storms: Option<(Duration, Duration)>,
    /// Whether nothing gets through just now, and until when.
    storm: (bool, Instant),
    /// When the losses end.
    until: Instant,
}

/// How PPDUs are told apart: each kind is lost as often as any other only by chance.
#[derive(Clone, Copy, Debug)]
pub struct Kinds {
    /// How many there are. The last one is lost half as often: RTS, CTS and beacons, without which nothing goes on.
    pub count: usize,
    /// The kind of one.
    pub of: fn(&Ppdu) -> usize,
}

/// The probabilities of loss of one way.
#[derive(Clone, Debug)]
struct Odds {
    /// Of a PPDU, by its kind.
    ppdu: Vec<f64>,
    /// Of each MPDU in it.
    mpdu: f64,
}

impl Weather {
    /// Random weather until a time, by what is drawn from `random`.
    pub fn draw(mut random: Stream, until: Instant, kinds: Kinds) -> Self {
        let storms = random.chance(0.25).then(|| {
            let millis = |random: &mut Stream, most| Duration::from_millis(1 + random.below(most));
            (millis(&mut random, 60), millis(&mut random, 25))
        });
        let ways = [Odds::draw(&mut random, kinds), Odds::draw(&mut random, kinds)];
        Self { random, kinds, ways, storms, storm: (false, Instant::ZERO), until }
    }

    /// Nothing is lost.
    pub fn none() -> Self {
        let (random, until) = (Stream::new(0, 1, Purpose::Test), Instant::ZERO);
        let none = Odds { ppdu: vec![0.0], mpdu: 0.0 };
        let kinds = Kinds { count: 1, of: |_| 0 };
        Self { random, kinds, ways: [none.clone(), none], storms: None, storm: (false, until), until }
    }

    /// The same weather with other draws: as likely to lose each frame, but it loses others.
    pub fn redrawn(self, seed: u64) -> Self {
        Self { random: Stream::new(seed, 3, Purpose::Test), ..self }
    }

    /// When it ends.
    pub const fn until(&self) -> Instant {
        self.until
    }

    /// The weather as a cell takes it.
    pub fn interference(mut self) -> Interference {
        Interference(Box::new(move |now, ppdu| if now < self.until { self.spare(now, ppdu) } else { u64::MAX }))
    }

    /// Which MPDUs get through.
    fn spare(&mut self, now: Instant, ppdu: &Ppdu) -> u64 {
        if self.is_stormy(now) {
            return 0;
        }
        let odds = &self.ways[usize::from(ppdu.transmitter != NodeId(0))];
        if self.random.chance(odds.ppdu[(self.kinds.of)(ppdu)]) {
            return 0;
        }
        let lost = (0..ppdu.frame_count()).filter(|_| self.random.chance(odds.mpdu)).fold(0, |lost, n| lost | 1 << n);
        !lost
    }

    fn is_stormy(&mut self, now: Instant) -> bool {
        let Some((clear, stormy)) = self.storms else { return false };
        while self.storm.1 <= now {
            self.storm.0 = !self.storm.0;
            let mean = if self.storm.0 { stormy } else { clear };
            self.storm.1 += Duration::from_nanos(1 + self.random.below(2 * mean.as_nanos()));
        }
        self.storm.0
    }
}

impl Odds {
    fn draw(random: &mut Stream, kinds: Kinds) -> Self {
        let mut odds = || match random.below(8) {
            0..4 => 0.0,
            4 => 0.05 * random.unit(),
            5 | 6 => 0.4 * random.unit(),
            _ => 0.9 * random.unit(),
        };
        let (first, mpdu) = (odds(), odds());
        let mut ppdu: Vec<_> = std::iter::once(first).chain(std::iter::repeat_with(odds)).take(kinds.count).collect();
        *ppdu.last_mut().expect("there is a kind") *= 0.5;
        Self { ppdu, mpdu }
    }
}

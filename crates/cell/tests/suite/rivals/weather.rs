//! What is done to the air: each kind of frame has odds of its own, each way, and there may be times when nothing gets through. It ends.

use ackless_cell::loss::Interference;
use ackless_dot11::frame::{Body, NodeId, Ppdu};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Duration, Instant};

/// Random losses until a time.
#[derive(Debug)]
pub struct Weather {
    random: Stream,
    /// From the AP, and to it or between stations.
    ways: [Odds; 2],
    /// How long it is clear, and how long nothing gets through; each time up to twice this.
    storms: Option<(Duration, Duration)>,
    /// Whether nothing gets through just now, and until when.
    storm: (bool, Instant),
    until: Instant,
}

/// The probabilities of loss of one way.
#[derive(Clone, Copy, Debug, Default)]
struct Odds {
    /// Of a whole data PPDU.
    ppdu: f64,
    /// Of each MPDU in it.
    mpdu: f64,
    /// Of a PPDU of pure ACKs.
    acks: f64,
    /// Of an Ack or BlockAck.
    answer: f64,
    /// Of a BlockAck Request.
    request: f64,
    /// Of anything else: RTS, CTS, beacon.
    other: f64,
}

impl Weather {
    /// Random weather until a random time before `latest`; with one seed in ten, none.
    pub fn draw(seed: u64, latest: Duration) -> Self {
        let mut random = Stream::new(seed, 1, Purpose::Test);
        let until = if random.chance(0.9) { random.below(latest.as_nanos()) } else { 0 };
        let until = Instant::ZERO + Duration::from_nanos(until);
        let storms = random.chance(0.25).then(|| {
            let millis = |random: &mut Stream, most| Duration::from_millis(1 + random.below(most));
            (millis(&mut random, 60), millis(&mut random, 25))
        });
        let ways = [Odds::draw(&mut random), Odds::draw(&mut random)];
        Self { random, ways, storms, storm: (false, Instant::ZERO), until }
    }

    /// Nothing is lost.
    pub fn none() -> Self {
        let (random, until) = (Stream::new(0, 1, Purpose::Test), Instant::ZERO);
        Self { random, ways: [Odds::default(); 2], storms: None, storm: (false, until), until }
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
        let odds = self.ways[usize::from(ppdu.transmitter != NodeId(0))];
        let whole = match &ppdu.body {
            Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_) if ppdu.mpdus().iter().all(|mpdu| mpdu.tcp_ack) => {
                odds.acks
            }
            Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_) => odds.ppdu,
            Body::Ack(_) | Body::BlockAck(..) => odds.answer,
            Body::BlockAckReq(..) => odds.request,
            Body::Rts | Body::Cts | Body::Beacon(_) => odds.other,
        };
        if self.random.chance(whole) {
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
    fn draw(random: &mut Stream) -> Self {
        let odds = |random: &mut Stream| match random.below(8) {
            0..4 => 0.0,
            4 => 0.05 * random.unit(),
            5 | 6 => 0.4 * random.unit(),
            _ => 0.9 * random.unit(),
        };
        Self {
            ppdu: odds(random),
            mpdu: odds(random),
            acks: odds(random),
            answer: odds(random),
            request: odds(random),
            other: 0.5 * odds(random),
        }
    }
}

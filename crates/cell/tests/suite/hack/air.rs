//! What is done to the air.

use ackless_cell::loss::Interference;
use ackless_dot11::frame::{Body, NodeId, Ppdu};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Duration, Instant};

/// From which PPDU on a pattern counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum From {
    /// The first one with MORE DATA.
    MoreData,
    /// The first answer with compressed ACKs.
    Appended,
}

/// What becomes of one PPDU of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It arrives.
    Whole,
    /// Nothing of it arrives.
    Lost,
    /// Of an A-MPDU all but the first MPDU arrives; anything else is lost.
    Headless,
}

/// `fate` decides what becomes of the PPDUs of all nodes, answers included, by their numbers from `from` on.
pub fn pattern(from: From, fate: impl Fn(u32) -> Fate + Send + 'static) -> Interference {
    let mut number = None;
    Interference(Box::new(move |_, ppdu| {
        let begins = match from {
            From::MoreData => ppdu.bits.more_data,
            From::Appended => ppdu.answer().is_some_and(|answer| !answer.appended.is_empty()),
        };
        if begins && number.is_none() {
            number = Some(0);
        }
        let Some(number) = &mut number else { return u64::MAX };
        *number += 1;
        match fate(*number - 1) {
            Fate::Whole => u64::MAX,
            Fate::Lost => 0,
            Fate::Headless => u64::MAX - 1,
        }
    }))
}

/// Random losses: each kind of frame has odds of its own, each way, and there may be times when nothing gets through. They end.
#[derive(Debug)]
pub struct Weather {
    random: Stream,
    /// From the AP, and to it or between stations.
    ways: [Odds; 2],
    /// How long it is clear, and how long nothing gets through; each time up to twice this.
    storms: Option<(Duration, Duration)>,
    /// Whether nothing gets through just now, and until when.
    storm: (bool, Instant),
    /// When the losses end.
    until: Instant,
}

/// The probabilities of loss of one way.
#[derive(Clone, Copy, Debug)]
struct Odds {
    /// Of a whole data PPDU.
    ppdu: f64,
    /// Of each MPDU in it.
    mpdu: f64,
    /// Of a data PPDU with SYNC.
    sync: f64,
    /// Of an answer without anything appended.
    answer: f64,
    /// Of an answer with compressed ACKs.
    appended: f64,
    /// Of a BlockAck Request.
    request: f64,
    /// Of anything else: RTS, CTS, beacon.
    other: f64,
}

impl Weather {
    /// Random weather until a random time before `latest`.
    pub fn draw(seed: u64, latest: Duration) -> Self {
        let mut random = Stream::new(seed, 1, Purpose::Test);
        let until = Instant::ZERO + Duration::from_nanos(random.below(latest.as_nanos()));
        let storms = random.chance(0.25).then(|| {
            let millis = |random: &mut Stream, most| Duration::from_millis(1 + random.below(most));
            (millis(&mut random, 60), millis(&mut random, 25))
        });
        let ways = [Odds::draw(&mut random), Odds::draw(&mut random)];
        Self { random, ways, storms, storm: (false, Instant::ZERO), until }
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
            Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_) if ppdu.bits.sync => odds.sync,
            Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_) => odds.ppdu,
            Body::Ack(answer) | Body::BlockAck(_, _, answer) if answer.appended.is_empty() => odds.answer,
            Body::Ack(_) | Body::BlockAck(..) => odds.appended,
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
            sync: odds(random),
            answer: odds(random),
            appended: odds(random),
            request: odds(random),
            other: 0.5 * odds(random),
        }
    }
}

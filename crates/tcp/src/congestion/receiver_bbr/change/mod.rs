//! Whether the path has become another one: longer than before, or slower. Ours; the paper waits until what it knew has left its filters.
//!
//! A step of the path shows from one round to the next: round trips that are longer by three tenths than those of the round before, and by a fifth than the longest of the last five to ten seconds. It often comes in two parts, one way before the
//! other, and so may show in two rounds. Where they then stay above one and a half times the least one, and for three rounds in a row less than nine tenths of what came before is delivered, something has changed: the path is longer, or it is slower and what is in flight waits, or
//! others fill the queue. Which of them shows when next to nothing is in flight, in ProbeRTT: if the round trip falls, the rates from before the change are forgotten; if it stays long, it may be the path's, and is the new RTTmin
//! for the time being (`doubt`).
//!
//! A queue that others share grows and drains all the time, and takes some of the rate each time. So what goes no further than round trips lately went is no step (`lately`). In the first five seconds nobody knows that yet: then everything
//! that is longer by as much is looked into, but flows that begin slow each other down, so that no rate is forgotten for it. A path counts as 10 ms long at least, as in all that [`Variant::Rounds`](super::Variant::Rounds) does.

mod doubt;
mod lately;

use ackless_wire::{BitRate, Duration, Instant};

use self::doubt::{Doubt, Verdict};
use self::lately::Lately;
use crate::tack::time::RateTime;

/// What is watched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// Of the present round: the least round trip and the greatest rate.
    least: Option<Duration>,
    rate: BitRate,
    /// Where round trips became long from one round to the next, what the path gave before. On a path that is four times as long, two products and what comes in an interval carry
    /// nearly the old rate: the rate slides, and a filter with it, many rounds behind.
    full: Option<BitRate>,
    /// The least round trip of the last round in which nothing was held back.
    earlier_least: Option<Duration>,
    /// The last round was a step, which may have been half of one.
    stepped: bool,
    lately: Lately,
    /// What a probe has found, and no other one yet.
    doubt: Option<Doubt>,
    /// For how many rounds all have been long since then.
    long_rounds: u32,
    /// Rounds in a row that looked as if the path had changed, and the greatest rate in them.
    rounds: u32,
    since: BitRate,
    /// That rate, as it was when the probe began.
    before: BitRate,
    /// The least round trip of what was sent with next to nothing in flight, and from when on samples are of that.
    probed: Option<Duration>,
    probing_from: Option<Instant>,
    /// The same of the stretch of the probe before this one, and how many stretches there have been.
    earlier: Option<Duration>,
    stretches: u32,
    /// No other probe before this, and how long after the next one.
    again_at: Instant,
    pause: Duration,
}

/// A round that is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    pub(super) now: Instant,
    pub(super) min_rtt: Option<Duration>,
    pub(super) bandwidth: BitRate,
    /// Whether the application or the controller held data back in it.
    pub(super) limited: bool,
    /// Whether the flow was still to fill the pipe, or to drain what that left.
    pub(super) starting: bool,
}

/// What a probe has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// It is as long as that, as far as is known.
    RoundTrip(Duration),
    /// It is no longer than before; this is what it has delivered lately.
    Slower(BitRate),
}

impl Change {
    pub(super) const fn new() -> Self {
        Self {
            least: None,
            rate: BitRate::ZERO,
            full: None,
            earlier_least: None,
            stepped: false,
            lately: Lately::new(),
            doubt: None,
            long_rounds: 0,
            rounds: 0,
            since: BitRate::ZERO,
            before: BitRate::ZERO,
            probed: None,
            probing_from: None,
            earlier: None,
            stretches: 0,
            again_at: Instant::ZERO,
            pause: FIRST_PAUSE,
        }
    }

    /// A report showed these. Whether that settles a probe: a round trip that is as short as before is enough.
    pub(super) fn on_sample(
        &mut self,
        now: Instant,
        rtt: Option<Duration>,
        rate: BitRate,
        min_rtt: Option<Duration>,
    ) -> bool {
        self.rate = self.rate.max(rate);
        let mut settled = false;
        if let Some(rtt) = rtt {
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
            let usual = self.doubt.map(Doubt::before).or(min_rtt);
            let short = usual.is_some_and(|usual| is_short(rtt, usual));
            settled = self.probing_from.is_some() && short;
            if self.probing_from.is_some_and(|from| short || now >= from) {
                self.probed = Some(self.probed.map_or(rtt, |least| least.min(rtt)));
            }
        }
        settled
    }

    /// Whether to probe for a change.
    pub(super) fn on_round(&mut self, over: Round) -> bool {
        let Round { now, min_rtt, bandwidth, limited, starting } = over;
        let (least, rate) = (self.least.take(), std::mem::replace(&mut self.rate, BitRate::ZERO));
        let long = least.zip(min_rtt).is_some_and(|(least, min)| least * 2 > RateTime::span(min) * 3);
        let step = least.is_some_and(|least| self.is_step(least));
        let sudden = std::mem::replace(&mut self.stepped, step) || step;
        if !starting {
            self.lately.take(now, least.unwrap_or_default());
        }
        // While something held back, no queue of its own stood: where one stands again, nothing has become longer.
        if !limited {
            self.earlier_least = least;
        }
        self.note_full(long, sudden, bandwidth);
        if let Some(doubt) = &mut self.doubt {
            return doubt.wants_another();
        }
        let slow = self.full.is_some_and(|full| rate > BitRate::ZERO && rate < full.percent(90));
        if limited || !slow {
            (self.rounds, self.since) = (0, BitRate::ZERO);
            return false;
        }
        self.rounds += 1;
        self.since = self.since.max(rate);
        self.rounds >= ROUNDS && now >= self.again_at
    }

    /// Whether a round whose least round trip is this one differs from those before it as by a step of the path.
    fn is_step(&self, least: Duration) -> bool {
        let beyond_the_last = self.earlier_least.is_some_and(|earlier| least * 10 >= earlier * 13);
        beyond_the_last && self.lately.longest().is_none_or(|longest| least * 5 >= longest * 6)
    }

    /// What the path gave is remembered where round trips became long at once, for as long as they stay so.
    fn note_full(&mut self, long: bool, sudden: bool, bandwidth: BitRate) {
        self.long_rounds = if long { self.long_rounds + 1 } else { 0 };
        if long && sudden && self.full.is_none() {
            (self.full, self.long_rounds) = (Some(bandwidth), 1);
        } else if !(1..=REMEMBERED).contains(&self.long_rounds) {
            self.full = None;
        }
    }

    /// A probe begins; what is sent from now on comes back from `from` on.
    pub(super) fn begin(&mut self, from: Instant) {
        (self.probed, self.probing_from) = (None, Some(from));
        (self.earlier, self.stretches) = (None, 0);
        self.before = self.since;
        self.again_at = from.saturating_add(self.pause);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }

    /// A stretch of the probe is over: whether it needs another one, since round trips still fell by a tenth, or nothing of it has been reported yet. So long a queue drains, and what it still makes of
    /// the round trip is not the path's.
    pub(super) fn wants_more(&mut self, min_rtt: Option<Duration>) -> bool {
        let (Some(_), Some(min)) = (self.probing_from, min_rtt) else { return false };
        let is_long = |probed| self.doubt.map_or(!is_short(probed, min), |doubt| doubt.is_beyond(probed));
        let open = match self.probed {
            None => self.earlier.is_none(),
            Some(probed) => is_long(probed) && self.earlier.is_none_or(|earlier| probed * 10 < earlier * 9),
        };
        if !open || self.stretches >= MOST_STRETCHES {
            return false;
        }
        self.stretches += 1;
        self.earlier = self.probed.take();
        true
    }

    /// The probe is over, if there was one.
    pub(super) fn end(&mut self, min_rtt: Option<Duration>) -> Option<Found> {
        self.probing_from.take()?;
        (self.full, self.rounds, self.since) = (None, 0, BitRate::ZERO);
        let (probed, min) = (self.probed.or(self.earlier)?, min_rtt?);
        match self.doubt.take() {
            Some(doubt) => Some(Found::RoundTrip(self.heed(doubt.judge(probed, min)))),
            None if !is_short(probed, min) => {
                self.pause = FIRST_PAUSE;
                self.doubt = Some(Doubt::new(min, probed));
                Some(Found::RoundTrip(probed))
            }
            None => self.lately.longest().map(|_| Found::Slower(self.before)),
        }
    }

    /// RTTmin by what another probe says of a longer path.
    fn heed(&mut self, verdict: Verdict) -> Duration {
        match verdict {
            Verdict::Path(rtt) => {
                self.pause = FIRST_PAUSE;
                rtt
            }
            Verdict::Unclear(doubt) => {
                self.doubt = Some(doubt);
                doubt.found()
            }
            Verdict::Queue(before) => before,
        }
    }
}

/// Whether a round trip is as short as before, by and large.
fn is_short(rtt: Duration, before: Duration) -> bool {
    rtt * 2 <= RateTime::span(before) * 3
}

const ROUNDS: u32 = 3;
/// For so many rounds what the path gave before counts.
const REMEMBERED: u32 = 30;
/// Where round trips fall for longer than this, the queue is not ours.
const MOST_STRETCHES: u32 = 8;
/// Between two probes, where the first has found nothing.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests;

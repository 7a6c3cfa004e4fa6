//! BBR with a receiver that measures (TACK paper, VI-D): what a TACK connection uses.
//!
//! Bandwidth comes out of reports and not out of the clock of acknowledgements, and the gain cycle is counted in TACK
//! intervals. What an interval is follows from the time that has passed and the frequency in force, never from how
//! many reports came, so that the loss of reports changes nothing: a phase also ends between reports, when the
//! next segment goes out. While the receiver acknowledges every packet, an interval counts as RTTmin/4 (beta = 4).
//!
//! Where the paper is silent it is done as in [`Bbr`]: packet-timed rounds and the full-pipe estimate in Startup, application-limited rates, restart from idleness, a random first phase. Ours: a
//! timeout leaves one segment (four in [`Variant::Rounds`]), and the cap grows back by what is delivered; losses that are pulled change nothing
//! (but by [`Losses::Bound`]), since the cap holds whatever is sent again. The interval clock stands still in ProbeRTT, which can last as long as
//! the bandwidth filter.

mod asking;
mod change;
mod losses;
mod probe_rtt;
mod variant;

use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use self::asking::{Asking, Next};
use self::change::{Change, Found, Round};
use self::losses::{Ended, LossBounds};
use self::probe_rtt::Probe;
pub use self::variant::{GentleProbe, Losses, Variant};
use super::bbr::Learned;
use super::path::{Aggregation, FullPipe, Gain, MaxFilter, MinRtt, Renewal, bdp};
use super::{AckFacts, Bbr, BbrPhase, Controller, Feedback, LossFacts, PathModel, ReportFacts, SlowStart};
use crate::tack::time::{Mark, RateTime};

/// Receiver-based BBR.
#[derive(Clone, Debug)]
pub struct ReceiverBbr {
    start: SlowStart,
    seed: u64,
    random: Stream,
    variant: Variant,
    state: State,
    /// Keyed by intervals, or in [`Variant::Rounds`] by rounds.
    bandwidth: MaxFilter,
    time: RateTime,
    /// 1/f in force; nothing while every packet is acknowledged.
    interval: Option<Duration>,
    /// The time between two reports that are heard.
    heard: Option<Duration>,
    /// The latest round trip. Where a queue grows or drains, the smoothed one lags behind by many of them.
    latest_rtt: Duration,
    /// The smoothed one.
    srtt: Duration,
    /// RTTmin as the connection has it.
    min_rtt: Option<Duration>,
    /// Where a change of path is looked for.
    change: Option<Change>,
    /// What losses bound.
    losses: Option<LossBounds>,
    /// What asking for more brings.
    asking: Asking,
    /// Startup has come again. It also ends while the application holds back, unlike the first one (draft, 4.3.2.2): until then it knew a full pipe.
    restarted: bool,
    /// RTTmin of the path that it has turned out to be, until it has been heard of.
    renewed: Option<Duration>,
    /// When RTTmin was last lowered.
    lowered: MinRtt,
    /// The packet-timed round.
    round: u64,
    /// Whether a rate of this round was limited by the application.
    round_limited: bool,
    full_pipe: FullPipe,
    aggregation: Aggregation,
    last_report: Instant,
    /// Until when rates still show what ProbeRTT held back.
    blind_until: Instant,
    idle_restart: bool,
    pacing_rate: BitRate,
    /// inflight_cap.
    cap: Bytes,
}

/// Where the state machine stands (VI-D; ProbeBW and ProbeRTT together are its Stable state).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Startup,
    Drain,
    /// In gain cycles, the first of which began here.
    ProbeBw {
        began: Mark,
    },
    ProbeRtt(Probe),
}

impl ReceiverBbr {
    /// A model of nothing yet. `seed` decides where gain cycles begin.
    pub fn new(start: SlowStart, seed: u64, variant: Variant) -> Self {
        Self {
            start,
            seed,
            random: Stream::new(seed, 0, Purpose::Congestion),
            variant,
            state: State::Startup,
            bandwidth: MaxFilter::new(variant.filter_length()),
            time: RateTime::new(),
            interval: None,
            heard: None,
            latest_rtt: Duration::ZERO,
            srtt: Duration::ZERO,
            min_rtt: None,
            change: variant.is_by_rounds().then_some(Change::new()),
            losses: (variant == Variant::Rounds { losses: Losses::Bound }).then_some(LossBounds::new(start.smss)),
            renewed: None,
            asking: Asking::default(),
            restarted: false,
            lowered: MinRtt::new(Renewal::Lower),
            round: 0,
            round_limited: false,
            full_pipe: FullPipe::default(),
            aggregation: Aggregation::new(Instant::ZERO),
            last_report: Instant::ZERO,
            blind_until: Instant::ZERO,
            idle_restart: false,
            pacing_rate: Gain::STARTUP.pace(start.initial.per(NOMINAL_RTT)),
            cap: start.initial,
        }
    }

    /// The least round trip of a path that has turned out to be another one, once.
    pub(crate) fn take_renewed_round_trip(&mut self) -> Option<Duration> {
        self.renewed.take()
    }

    /// The controller for a connection that lost its reports: BBR by the sender's own samples, which begins
    /// with what was learned.
    pub fn into_bbr(self, now: Instant) -> Bbr {
        let learned = Learned {
            bandwidth: self.bandwidth.best(),
            min_rtt: self.min_rtt,
            full_pipe: self.full_pipe,
            pacing_rate: self.pacing_rate,
            window: self.cap,
        };
        Bbr::inherit(self.start, self.seed, now, learned)
    }

    /// Where the state machine stands.
    pub fn phase(&self, now: Instant) -> BbrPhase {
        match self.state {
            State::Startup => BbrPhase::Startup,
            State::Drain => BbrPhase::Drain,
            State::ProbeBw { began } => BbrPhase::ProbeBw { phase: self.cycle_phase(now, began) },
            State::ProbeRtt(_) => BbrPhase::ProbeRtt,
        }
    }

    /// 0 while the gain cycle asks for more, 1 while it drains, 2 while it cruises.
    fn cycle_phase(&self, now: Instant, began: Mark) -> u8 {
        match self.time.since(now, began) % self.variant.cycle_length() {
            0..GAIN_INTERVALS => 0,
            GAIN_INTERVALS..DRAIN_END => 1,
            _ => 2,
        }
    }

    fn pacing_gain(&self, now: Instant) -> Gain {
        match self.state {
            State::Startup => Gain::STARTUP,
            State::Drain => Gain::DRAIN,
            State::ProbeBw { began } => [Gain::UP, Gain::DOWN, Gain::CRUISE][usize::from(self.cycle_phase(now, began))],
            State::ProbeRtt(_) => match self.variant {
                Variant::Standard | Variant::Rounds { .. } => Gain::NONE,
                Variant::Miracast { .. } => Gain::DOWN,
            },
        }
    }

    /// 1/f, or what stands in for it while every packet is acknowledged.
    fn interval_length(&self) -> Duration {
        self.interval.or(self.min_rtt.map(|rtt| rtt / BETA)).unwrap_or(NOMINAL_RTT).max(MIN_INTERVAL)
    }

    /// What is counted: intervals, as long as they count. On a path of 0.3 ms forty of them would be over before one rate is, and the filter would forget what the
    /// path gave before the last wait for the medium.
    fn clock_length(&self, srtt: Duration) -> Duration {
        let length = match self.variant {
            Variant::Rounds { .. } => {
                (srtt.max(self.min_rtt.unwrap_or_default()) + self.interval.unwrap_or_default()) / BETA
            }
            Variant::Standard | Variant::Miracast { .. } => self.interval_length(),
        };
        RateTime::interval(length)
    }

    /// BW_max, from rates that the application did not limit, or that are no smaller.
    fn update_bandwidth(&mut self, facts: &ReportFacts) {
        let held = matches!(self.state, State::ProbeRtt(_)) || facts.now < self.blind_until;
        let limited = facts.application_limited || held;
        self.round_limited |= limited;
        if facts.delivery_rate > BitRate::ZERO && (!limited || facts.delivery_rate >= self.bandwidth.best()) {
            let time = match self.variant {
                Variant::Rounds { .. } => {
                    self.time.round(facts.now, facts.round, self.min_rtt.unwrap_or_default() * LEAST_ROUND)
                }
                Variant::Standard | Variant::Miracast { .. } => self.time.intervals(facts.now),
            };
            self.bandwidth.update(time, facts.delivery_rate);
        }
    }

    fn update_round(&mut self, facts: &ReportFacts) {
        if facts.round == self.round {
            return;
        }
        self.round = facts.round;
        self.aggregation.on_round();
        self.look_for_change(facts);
        self.heed_losses(facts);
        if (!self.round_limited || self.restarted) && self.bandwidth.best() > BitRate::ZERO {
            self.full_pipe.on_round(self.bandwidth.best());
        }
        self.round_limited = false;
    }

    /// Where asking for more has brought a good deal more, the path may have become much faster.
    fn ask_again(&mut self, now: Instant) {
        if self.losses.as_ref().is_some_and(|losses| losses.limits_asking(now)) {
            self.asking.forget();
            return;
        }
        let State::ProbeBw { began } = self.state else {
            self.asking.interrupt();
            return;
        };
        let next = self.asking.on_report(self.cycle_phase(now, began), self.bandwidth.best());
        if let (Next::Ask | Next::Start, Some(losses)) = (next, &mut self.losses) {
            losses.end_bound();
        }
        match next {
            Next::GoOn => {}
            Next::Ask => self.begin_cycle(now),
            Next::Start => {
                self.full_pipe = FullPipe::above(self.bandwidth.best());
                (self.state, self.restarted) = (State::Startup, true);
            }
        }
    }

    /// A gain cycle begins with asking for more.
    fn begin_cycle(&mut self, now: Instant) {
        self.state = State::ProbeBw { began: self.time.mark(now, 0) };
    }

    /// Where losses are heeded, a cycle begins with a report, and so asks for more for as long as four intervals last.
    fn go_on_cycling(&mut self, now: Instant) {
        if self.losses.is_some()
            && let State::ProbeBw { began } = self.state
            && self.time.since(now, began) >= self.variant.cycle_length()
        {
            self.begin_cycle(now);
        }
    }

    /// A round is over: what its losses bound.
    fn heed_losses(&mut self, facts: &ReportFacts) {
        let ended = Ended {
            now: facts.now,
            starting: self.state == State::Startup,
            cruising: self.phase(facts.now) == BbrPhase::ProbeBw { phase: 2 },
            limited: self.round_limited,
            min_rtt: self.min_rtt,
            target: self.target(),
            product: self.bdp(),
        };
        if self.losses.as_mut().is_some_and(|losses| losses.end_round(&ended)) {
            self.full_pipe.fill();
        }
    }

    /// A round is over: whether the path has become another one.
    fn look_for_change(&mut self, facts: &ReportFacts) {
        let Some(change) = &mut self.change else { return };
        let round = Round {
            now: facts.now,
            min_rtt: self.min_rtt,
            bandwidth: self.bandwidth.best(),
            limited: self.round_limited,
            starting: matches!(self.state, State::Startup | State::Drain),
        };
        let wanted = change.on_round(round);
        if wanted && matches!(self.state, State::ProbeBw { .. }) {
            self.probe_change(facts);
        }
    }

    /// What a probe for a change has found.
    fn heed_change(&mut self) {
        let found = self.change.as_mut().and_then(|change| change.end(self.min_rtt));
        if found.is_some() {
            self.asking.forget();
            if let Some(losses) = &mut self.losses {
                losses.forget();
            }
        }
        match found {
            None => {}
            Some(Found::RoundTrip(rtt)) => {
                // What the path delivers is known as long as the filter has it: no Startup is needed to find it again.
                (self.min_rtt, self.renewed) = (Some(rtt), Some(rtt));
            }
            Some(Found::Slower(rate)) => {
                self.bandwidth = MaxFilter::new(self.variant.filter_length());
                self.bandwidth.update(self.time.rounds(), rate);
            }
        }
    }

    fn advance_state(&mut self, facts: &ReportFacts) {
        if self.state == State::Startup && self.full_pipe.is_filled() {
            (self.state, self.restarted) = (State::Drain, false);
        }
        if self.state == State::Drain && facts.inflight <= self.bdp() {
            self.enter_probe_bw(facts.now);
        }
        self.check_probe_rtt(facts);
    }

    /// At any interval of the cycle but those that drain, each equally likely.
    fn enter_probe_bw(&mut self, now: Instant) {
        let draw = self.random.below(self.variant.cycle_length() - (DRAIN_END - GAIN_INTERVALS));
        let position = if draw < GAIN_INTERVALS { draw } else { draw + DRAIN_END - GAIN_INTERVALS };
        self.state = State::ProbeBw { began: self.time.mark(now, position) };
    }

    /// max(gain BW_max, MSS f) (VI-D), the former 1 % less (footnote 3). In Startup it only grows.
    fn update_pacing(&mut self, now: Instant) {
        if self.bandwidth.best() == BitRate::ZERO {
            return;
        }
        let rate = match self.state {
            State::ProbeRtt(Probe::Half { from, rate, .. }) if now >= from => Gain::CRUISE.pace(rate),
            _ => self.pacing_gain(now).pace(self.bandwidth.best()),
        };
        let rate =
            self.most_pace(now).map_or(rate, |most| rate.min(most)).max(self.bounded_pace(now)).max(self.least_pace());
        if self.full_pipe.is_filled() || rate > self.pacing_rate || matches!(self.state, State::ProbeRtt(_)) {
            self.pacing_rate = rate;
        }
    }

    /// MSS f. On a slow link that is more than a queue drains by: a probe of [`Variant::Rounds`] sends no more than a quarter of the rate meanwhile, or four segments in a round trip, which are BBR's next to nothing.
    #[inline]
    fn least_pace(&self) -> BitRate {
        let least = self.start.smss.per(self.interval_length());
        if matches!(self.state, State::ProbeRtt(_)) && self.variant.is_by_rounds() {
            let few = (self.start.smss * MIN_CAP).per(self.latest_rtt.max(NOMINAL_RTT));
            return least.min(few.max(Gain::QUARTER.of_rate(self.bandwidth.best())));
        }
        least
    }

    /// Paced by the greatest rate a window that limits leaves as a train, the faster the more is asked for, and fills a short queue before anything shows. So for a while what that has lost sets the pace too, but in Startup, which asks for
    /// more than any bound.
    #[inline]
    fn most_pace(&self, now: Instant) -> Option<BitRate> {
        let waits = self.losses.as_ref().is_some_and(|losses| losses.waits(now));
        if !waits || self.state == State::Startup {
            return None;
        }
        self.bound().map(|(_, rate)| rate)
    }

    /// What losses bound, and the rate of that. A path counts as 10 ms long at least.
    fn bound(&self) -> Option<(Bytes, BitRate)> {
        let bound = self.losses.as_ref()?.bound()?;
        Some((bound, bound.per(RateTime::span(self.srtt))))
    }

    /// Where losses bound and others keep a queue, a window limits: paced by the rate that they have left, the bound would not be reached again, so ProbeBW is paced as Linux does in congestion avoidance, but while the cycle drains.
    /// With each segment: who heeds no losses, or has the path alone, does not even look at the cycle.
    #[inline]
    fn bounded_pace(&self, now: Instant) -> BitRate {
        if !self.losses.as_ref().is_some_and(LossBounds::has_standing_queue) {
            return BitRate::ZERO;
        }
        match (self.state, self.bound()) {
            (State::ProbeBw { began }, Some((_, rate))) if self.cycle_phase(now, began) != 1 => {
                Gain::OF_WINDOW.of_rate(rate)
            }
            _ => BitRate::ZERO,
        }
    }

    /// What may be in flight where losses bound. The bound is of what the path holds; beyond that there is what an interval brings, which has arrived and is not reported yet.
    fn bounded_cap(&self) -> Option<Bytes> {
        let (bound, rate) = self.bound()?;
        let cap = bound + rate.amount_floor(self.interval.unwrap_or_default());
        Some(cap.max(self.start.smss * MIN_CAP))
    }

    /// [`Variant::Rounds`] takes every path for 10 ms long at least, the time that a rate is measured over: on a shorter one twice the product is less than what an aggregating
    /// link takes at once, and other stations' turns are longer than RTTmin.
    fn bdp(&self) -> Bytes {
        let trip = |rtt| if self.variant.is_by_rounds() { RateTime::span(rtt) } else { rtt };
        self.min_rtt.map_or(self.start.initial, |rtt| bdp(self.bandwidth.best(), trip(rtt)))
    }

    /// The cap follows its target, but after a timeout, and before the pipe is full, only by what is delivered. Before the first
    /// rate is known the cap grows without a target, as in slow start; it shrinks only once the pipe is full.
    fn update_cap(&mut self, delivered: Bytes) {
        let bounded = self.bounded_cap().filter(|_| self.state != State::Startup);
        let target = bounded.unwrap_or(Bytes(u64::MAX)).min(self.target());
        if self.cap < target {
            self.cap = (self.cap + delivered).min(target);
        } else if self.full_pipe.is_filled() {
            self.cap = target;
        } else if self.bandwidth.best() == BitRate::ZERO {
            self.cap += delivered;
        }
    }

    /// What is no excess. A report ends with a batch, and an interval brings more of them or fewer: held against the greatest rate, which other flows' turns make much greater than the usual one, that shows
    /// nowhere. Against the latest one it does ([`Variant::Rounds`]).
    fn expected(&self, facts: &ReportFacts) -> BitRate {
        let best = self.bandwidth.best();
        if self.variant.is_by_rounds() && facts.delivery_rate > BitRate::ZERO {
            facts.delivery_rate.min(best)
        } else {
            best
        }
    }

    /// What aggregation may have in flight beyond that and the lump of an interval: by the latest rate no more than what makes it two lumps, since that rate follows every queue. Where many reports are lost, a lump
    /// is what comes from one that is heard to the next: that is known from what is in excess alone, since flows that share a buffer would fill it with more.
    fn allowance(&self) -> Bytes {
        let best = self.bandwidth.best();
        let allowed = self.aggregation.allowance(best);
        let [interval, heard] = [self.interval, self.heard].map(Option::unwrap_or_default);
        if self.variant.is_by_rounds() {
            allowed.min(best.amount_floor((heard * 2).saturating_sub(interval)))
        } else {
            allowed
        }
    }

    /// cwnd_gain BDP with cwnd_gain = 2 + 1/(RTTmin f), which is 2 BDP and what comes in an interval; in Startup and Drain
    /// with 2/ln 2 in place of 2, as in BBR. To it comes what aggregation needs. Never below BBR's four segments, nor
    /// below the initial window before the pipe is full.
    fn target(&self) -> Bytes {
        let bandwidth = self.bandwidth.best();
        let gain = if matches!(self.state, State::Startup | State::Drain) { Gain::STARTUP } else { Gain::WINDOW };
        let lump = bandwidth.amount_floor(self.interval.unwrap_or(Duration::ZERO));
        let cap = gain.of_bytes(self.bdp()) + lump;
        if self.full_pipe.is_filled() {
            (cap + self.allowance()).max(self.start.smss * MIN_CAP)
        } else {
            cap.max(self.start.initial)
        }
    }
}

impl Controller for ReceiverBbr {
    fn on_ack(&mut self, _facts: &AckFacts) {}

    fn on_loss(&mut self, _now: Instant, _flight: Bytes) {}

    fn on_losses(&mut self, facts: &LossFacts<'_>) {
        if let Some(losses) = &mut self.losses {
            facts.lost.iter().for_each(|lost| losses.on_lost(lost.span));
        }
    }

    fn on_feedback(&mut self, facts: &Feedback) {
        if let Some(losses) = &mut self.losses {
            losses.on_spurious(facts.spurious);
        }
    }

    fn on_timeout(&mut self, _now: Instant, _flight: Bytes, _repeated: bool) {
        self.full_pipe.forget();
        // A single segment is less than L of them: its TACK would wait.
        let left = if self.variant.is_by_rounds() { MIN_CAP } else { 1 };
        self.cap = self.cap.min(self.start.smss * left);
    }

    fn on_recovered(&mut self, _now: Instant, _flight: Bytes) {}

    /// The model stays; only a lost SYN makes the first cap smaller.
    fn on_idle(&mut self, _now: Instant, restart: Bytes) {
        if self.bandwidth.best() == BitRate::ZERO {
            self.cap = self.cap.min(restart);
        }
    }

    fn window(&self) -> Bytes {
        self.cap
    }

    fn slow_start_threshold(&self) -> Option<Bytes> {
        None
    }

    fn on_connected(&mut self, now: Instant, rtt: Option<Duration>) {
        self.last_report = now;
        self.aggregation.restart(now);
        self.min_rtt = rtt;
        self.lowered.update(now, rtt, self.variant.probe_rtt_after(rtt));
        self.time.set_interval(now, self.clock_length(rtt.unwrap_or_default()));
        if let Some(rtt) = rtt {
            self.pacing_rate = Gain::STARTUP.pace(self.start.initial.per(rtt));
        }
    }

    fn on_report(&mut self, facts: &ReportFacts) {
        (self.interval, self.heard) = (facts.interval, facts.heard);
        self.latest_rtt = facts.rtt.unwrap_or(self.latest_rtt);
        self.srtt = facts.srtt;
        if let (None, Some(rtt)) = (self.min_rtt, facts.min_rtt) {
            // A handshake with a lost SYN tells no round trip: until now one has counted as a millisecond.
            self.pacing_rate = Gain::STARTUP.pace(self.cap.per(rtt));
        }
        if self.renewed.is_none() {
            self.min_rtt = facts.min_rtt.or(self.min_rtt);
        }
        if let Some(change) = &mut self.change {
            let settled = change.on_sample(facts.now, facts.rtt, facts.delivery_rate, self.min_rtt);
            if settled {
                self.settle_probe(facts.now);
            }
        }
        self.time.set_interval(facts.now, self.clock_length(facts.srtt));
        self.update_bandwidth(facts);
        if let Some(losses) = &mut self.losses {
            let held = matches!(self.state, State::ProbeRtt(_)) || facts.now < self.blind_until;
            losses.on_report(facts, held || facts.application_limited);
        }
        self.update_round(facts);
        // What one interval brings is in the gain already, so an epoch begins that much earlier, or with the report before.
        let interval = self.interval.unwrap_or(Duration::ZERO);
        let elapsed = facts.now.saturating_since(self.last_report);
        let begin = facts.now - interval.min(elapsed);
        self.aggregation.on_delivered(facts.now, begin, facts.delivered, self.expected(facts), self.cap);
        self.last_report = facts.now;
        self.advance_state(facts);
        if self.variant.is_by_rounds() {
            self.ask_again(facts.now);
        }
        self.go_on_cycling(facts.now);
        self.update_pacing(facts.now);
        self.update_cap(facts.delivered);
        self.idle_restart &= facts.delivered == Bytes::ZERO;
    }

    fn on_sent(&mut self, now: Instant, inflight: Bytes, application_limited: bool) {
        if inflight == Bytes::ZERO && application_limited {
            self.idle_restart = true;
            self.last_report = now;
            self.aggregation.restart(now);
        }
        self.leave_probe_rtt(now, self.min_rtt.unwrap_or(NOMINAL_RTT));
        self.update_pacing(now);
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        Some(self.pacing_rate)
    }

    /// Beside flows whose ACKs let their segments in just as a queue has sent others off, one that spreads its own meets it full more often. So where it is paced as a window is, a few leave at once,
    /// whoever keeps the queue: beside flows that spread theirs it loses a part by it.
    fn burst(&self, now: Instant) -> Bytes {
        if self.bounded_pace(now) > BitRate::ZERO { self.start.smss * MAX_BURST } else { Bytes::ZERO }
    }

    fn holds_back(&self) -> bool {
        matches!(self.state, State::ProbeRtt(_))
    }

    fn model(&self, now: Instant) -> Option<PathModel> {
        Some(PathModel { phase: self.phase(now), bandwidth: self.bandwidth.best(), min_rtt: self.min_rtt })
    }
}

/// A round of [`Variant::Rounds`] counts as so many RTTmin at least: where the queue is short, sixteen of them would hardly see two gain cycles, and of what an aggregating
/// link gives, the more the longer its queue, only the least would be known.
const LEAST_ROUND: u64 = 2;
/// Intervals that ask for more.
const GAIN_INTERVALS: u64 = 4;
/// The interval at which the drain cycle ends.
const DRAIN_END: u64 = 8;
/// Intervals in RTTmin while every packet is acknowledged.
const BETA: u64 = 4;
/// What a round trip counts as before there is one, as in BBR.
const NOMINAL_RTT: Duration = Duration::from_millis(1);
/// No interval is shorter: a report says how long one is, and may say anything.
const MIN_INTERVAL: Duration = Duration::from_micros(10);
/// The least cap, in segments.
const MIN_CAP: u64 = 4;
/// So many segments leave at once where a window limits: Max.Burst of SCTP (RFC 9260, 6.1 and 16). Ten would meet others' ACKs better still, and by themselves fill a buffer of a few packets.
const MAX_BURST: u64 = 4;

#[cfg(test)]
mod tests;

//! The model of the path (5.5.1 to 5.5.9): rounds, bandwidth, round-trip times, what aggregation needs, and what follows from them.

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use super::super::path::{Aggregation, Gain, MinRtt, Renewal, bdp};
use super::{Bbr3, Feedback, MIN_WINDOW, State};

/// Both filters of round-trip times (2.16, 5.3.4.3).
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundTrips {
    /// BBR.probe_rtt_min_delay and its stamp.
    recent: MinRtt,
    /// BBR.min_rtt.
    min: Option<Duration>,
    /// BBR.min_rtt_stamp.
    taken: Instant,
}

impl RoundTrips {
    pub(super) const fn new() -> Self {
        Self { recent: MinRtt::new(Renewal::Lower), min: None, taken: Instant::ZERO }
    }

    /// BBR.min_rtt; nothing before the first sample.
    pub(super) const fn min(&self) -> Option<Duration> {
        self.min
    }

    /// UpdateMinRTT. True if no lower round trip has been seen for BBR.ProbeRTTInterval.
    pub(super) fn update(&mut self, now: Instant, sample: Option<Duration>) -> bool {
        let expired = self.recent.update(now, sample, PROBE_RTT_INTERVAL);
        let is_old = now.saturating_since(self.taken) > MIN_RTT_LENGTH;
        if let Some(recent) = self.recent.get()
            && (self.min.is_none_or(|min| recent < min) || is_old)
        {
            self.min = Some(recent);
            self.taken = self.recent.seen;
        }
        expired
    }

    /// The next ProbeRTT is due a whole interval from now.
    pub(super) const fn restart(&mut self, now: Instant) {
        self.recent.restart(now);
    }
}

/// What follows from bandwidth, round trip and pacing rate, which stay through many acknowledgements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Path {
    bandwidth: BitRate,
    min_rtt: Option<Duration>,
    pacing_rate: BitRate,
    /// BBR.bdp; nothing where no round trip is known.
    product: Option<Bytes>,
    /// The most that is allowed for aggregation.
    pub(super) most_extra: Bytes,
    /// BBR.offload_budget, and no less than BBR.MinPipeCwnd.
    pub(super) budget: Bytes,
}

impl Path {
    #[inline(never)]
    pub(super) fn new(bandwidth: BitRate, min_rtt: Option<Duration>, pacing_rate: BitRate, smss: Bytes) -> Self {
        let product = min_rtt.map(|rtt| bdp(bandwidth, rtt));
        let budget = (send_quantum(pacing_rate, smss) * OFFLOAD_QUANTA).max(smss * MIN_WINDOW);
        Self { bandwidth, min_rtt, pacing_rate, product, most_extra: Aggregation::most(bandwidth), budget }
    }

    /// BDPMultiple (5.6.4.2), or the `initial` window where no round trip is known.
    pub(super) fn product_times(&self, gain: Gain, initial: Bytes) -> Bytes {
        self.product.map_or(initial, |product| gain.of_bytes(product))
    }
}

/// SetSendQuantum (5.6.3).
pub(super) fn send_quantum(pacing_rate: BitRate, smss: Bytes) -> Bytes {
    pacing_rate.amount_floor(Duration::from_millis(1)).min(LARGEST_QUANTUM).max(smss * 2)
}

impl Bbr3 {
    /// UpdateMaxBw and UpdateRound (5.5.1, 5.5.5). An application-limited sample counts only if it is no smaller.
    pub(super) fn update_round_and_bandwidth(&mut self, facts: &Feedback) {
        let began = self.rounds.on_delivered(facts.sample.map(|sample| sample.prior_delivered), self.delivered);
        self.probing.rounds_since += u64::from(began);
        let Some(sample) = facts.sample else { return };
        let rate = sample.rate();
        if rate > BitRate::ZERO && (!sample.application_limited || rate >= self.max_bandwidth.best()) {
            self.max_bandwidth.update(self.cycle, rate);
        }
    }

    /// StartRound (5.5.1).
    pub(super) const fn start_round(&mut self) {
        self.rounds.end = self.delivered;
    }

    /// UpdateACKAggregation (5.5.9).
    pub(super) fn update_aggregation(&mut self, facts: &Feedback) {
        if facts.sample.is_none() || facts.delivered == Bytes::ZERO {
            return;
        }
        if self.rounds.began {
            self.aggregation.on_round_of(if self.full_reached { EXTRA_ROUNDS } else { 1 });
        }
        self.aggregation.on_delivered(facts.now, facts.now, facts.delivered, self.bandwidth(), self.window);
    }

    /// BBR.bw (2.9.1): the greatest of two cycles, but no more than what losses let through lately.
    pub(super) fn bandwidth(&self) -> BitRate {
        let max = self.max_bandwidth.best();
        self.bounds.bandwidth_short.map_or(max, |short| short.min(max))
    }

    /// What follows from the model as it stands.
    #[inline(always)]
    pub(super) fn path(&mut self) -> &Path {
        let (bandwidth, min_rtt, pacing_rate) = (self.bandwidth(), self.round_trips.min(), self.pace.rate);
        let known = &self.path;
        if known.bandwidth != bandwidth || known.min_rtt != min_rtt || known.pacing_rate != pacing_rate {
            self.path = Path::new(bandwidth, min_rtt, pacing_rate, self.start.smss);
        }
        &self.path
    }

    /// BDPMultiple (5.6.4.2).
    #[inline(always)]
    pub(super) fn bdp_times(&mut self, gain: Gain) -> Bytes {
        let initial = self.start.initial;
        self.path().product_times(gain, initial)
    }

    /// Inflight (5.6.4.2) for one product.
    pub(super) fn inflight(&self, path: &Path) -> Bytes {
        self.quantised(path.product_times(Gain::CRUISE, self.start.initial), path)
    }

    /// QuantizationBudget (5.6.4.2) with what `path` needs.
    pub(super) fn quantised(&self, amount: Bytes, path: &Path) -> Bytes {
        let amount = amount.max(path.budget);
        if matches!(self.state, State::Up) { amount + self.start.smss * 2 } else { amount }
    }

    /// TargetInflight (5.3.3.8.3).
    pub(super) fn target_inflight(&mut self) -> Bytes {
        self.bdp_times(Gain::CRUISE).min(self.window)
    }
}

/// BBR.MinRTTFilterLen (2.16.1).
const MIN_RTT_LENGTH: Duration = Duration::from_secs(10);
/// BBR.ProbeRTTInterval (2.16.2).
const PROBE_RTT_INTERVAL: Duration = Duration::from_secs(5);
/// Rounds in each half of the window of the greatest excess (Linux: 5; BBR.ExtraAckedFilterLen is 10).
const EXTRA_ROUNDS: u32 = 5;
/// Send quanta in BBR.offload_budget (5.5.8.1).
const OFFLOAD_QUANTA: u64 = 3;
/// 5.6.3.
const LARGEST_QUANTUM: Bytes = Bytes::from_kib(64);

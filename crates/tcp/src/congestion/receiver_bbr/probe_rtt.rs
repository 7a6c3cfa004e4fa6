//! ProbeRTT: little in flight, so that the queue drains and the least round trip shows. And the probe for a change of path, which wants next to nothing in flight.
//!
//! The paper (VI-D) and BBR version 1 leave next to nothing for 200 ms, every ten seconds in which no lower round trip came by itself. [`Variant::Rounds`] does as version 3
//! (draft-ietf-ccwg-bbr-06, 5.3.4): half of the product for 200 ms and a round, every five seconds (or ten times RTTmin, if that is longer); flows that do alike find each other, and a queue that they share drains. Deviation: version 3 has half of the product as its
//! window. Where that is all that is in flight and the report of it is lost, both ends would wait for a timer. So next to nothing is sent for as long as the path needs for what is too much, and then at the
//! rate that such a window would allow.

use ackless_wire::{BitRate, Duration, Instant};

use super::{GAIN_INTERVALS, ReceiverBbr, ReportFacts, State, Variant};
use crate::congestion::path::{Gain, bdp};
use crate::tack::time::RateTime;

/// How a probe holds back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Probe {
    /// Next to nothing is sent until then.
    Empty { end: Instant },
    /// The same until `from`, and then this rate until the `end`. RTTmin was `known` when it began.
    Half { from: Instant, rate: BitRate, end: Instant, known: Duration },
}

impl ReceiverBbr {
    /// Whether the least round trip is old, and so to be probed for; whether a probe is over.
    pub(super) fn check_probe_rtt(&mut self, facts: &ReportFacts) {
        let expired = self.lowered.update(facts.now, facts.rtt, self.variant.probe_rtt_after(self.min_rtt));
        if expired && !self.idle_restart && !matches!(self.state, State::ProbeRtt(_)) {
            let for_least = |least| Probe::Empty { end: facts.now + facts.srtt.max(least) };
            let probe = match self.variant {
                Variant::Standard => for_least(PROBE_RTT_LENGTH),
                Variant::Miracast { .. } => for_least(self.clock_length(facts.srtt) * GAIN_INTERVALS),
                Variant::Rounds { .. } => self.half_probe(facts),
            };
            self.enter_probe_rtt(facts.now, probe);
        }
        self.leave_probe_rtt(facts.now, facts.srtt);
    }

    /// The path may have become another one: what is sent from now on is back after a round trip, and seen for another one.
    pub(super) fn probe_change(&mut self, facts: &ReportFacts) {
        let span = facts.srtt.max(self.latest_rtt).max(PROBE_RTT_LENGTH / 2);
        if let Some(change) = &mut self.change {
            change.begin(facts.now + span);
        }
        self.enter_probe_rtt(facts.now, Probe::Empty { end: facts.now + span * 2 });
    }

    fn enter_probe_rtt(&mut self, now: Instant, probe: Probe) {
        self.state = State::ProbeRtt(probe);
        self.time.pause(now);
    }

    /// A probe for a change of path knows enough.
    pub(super) fn settle_probe(&mut self, now: Instant) {
        if let State::ProbeRtt(Probe::Empty { end }) = &mut self.state {
            *end = (*end).min(now);
        }
    }

    pub(super) fn leave_probe_rtt(&mut self, now: Instant, srtt: Duration) {
        let State::ProbeRtt(probe) = self.state else { return };
        let (Probe::Empty { end } | Probe::Half { end, .. }) = probe;
        if now < end {
            return;
        }
        if self.change.as_mut().is_some_and(|change| change.wants_more(self.min_rtt)) {
            // As long as a round trip lasts that is full of queue: in a shorter stretch hardly any of it drains.
            self.state = State::ProbeRtt(Probe::Empty { end: now + self.latest_rtt.max(PROBE_RTT_LENGTH / 2) });
            return;
        }
        if let Probe::Half { from, rate, known, .. } = probe {
            let min = self.min_rtt.unwrap_or_default();
            if min * 10 < known * 9 {
                // A queue drains that has been taken for the path's.
                let end = now + srtt.max(PROBE_RTT_LENGTH);
                self.state = State::ProbeRtt(Probe::Half { from, rate, end, known: min });
                return;
            }
        }
        // A probe for a change of path is not one for the least round trip: where it has taken others' queue for the path, that one is to find out. (One that falls due
        // amid it comes that much later.)
        if self.change.is_none() || matches!(probe, Probe::Half { .. }) {
            self.lowered.restart(now);
        }
        self.time.resume(now);
        self.heed_change();
        // What was sent slowly is reported a round trip later, in rates that look back two intervals.
        self.blind_until = now + srtt + self.clock_length(srtt) * 2;
        if self.full_pipe.is_filled() {
            self.enter_probe_bw(now);
        } else {
            self.state = State::Startup;
        }
    }

    /// A probe that leaves half of the product (ProbeRTTCwnd, 5.6.4.5), and what an interval brings, which may have come without a report. By the latest rate: by their greatest ones, flows that
    /// share a queue have more than half of it in flight together.
    fn half_probe(&self, facts: &ReportFacts) -> Probe {
        let (rate, interval) = (self.expected(facts), self.interval.unwrap_or_default());
        let trip = self.min_rtt.unwrap_or_default();
        let allowed = Gain::HALF.of_bytes(bdp(rate, RateTime::span(trip))) + rate.amount_floor(interval);
        let too_much = facts.inflight.saturating_sub(allowed);
        // All that is in flight is gone after a round trip, and heard of after an interval, whatever the rate was.
        let longest = self.latest_rtt + interval;
        let from = facts.now + if rate == BitRate::ZERO { longest } else { rate.time_ceil(too_much).min(longest) };
        let round = trip + interval;
        Probe::Half { from, rate: allowed.per(round).min(rate), end: from + round.max(PROBE_RTT_LENGTH), known: trip }
    }
}

/// The shortest ProbeRTT, and version 3's at half of the product (2.16.2).
const PROBE_RTT_LENGTH: Duration = Duration::from_millis(200);

//! ProbeRTT (5.3.4): half of the product in flight for 200 ms and a round, every five seconds in which no lower round trip came by itself.

use ackless_wire::{Bytes, Duration, Instant};

use super::super::path::Gain;
use super::probe_bw::AckPhase;
use super::{Bbr3, Feedback, MIN_WINDOW, State};

impl Bbr3 {
    /// CheckProbeRTT and HandleProbeRTT (5.3.4.3). That the samples of this state say nothing of the path, the sender knows by
    /// [`holds_back`](super::Controller::holds_back).
    pub(super) fn check_probe_rtt(&mut self, facts: &Feedback, expired: bool) {
        if expired && !self.idle_restart && !matches!(self.state, State::ProbeRtt { .. }) {
            self.save_window();
            self.state = State::ProbeRtt { end: None, round_done: false };
            self.probing.acks = AckPhase::Stopping;
            self.start_round();
        }
        if let State::ProbeRtt { end, round_done } = self.state {
            let round_done = round_done || self.rounds.began;
            match end {
                None if facts.inflight <= self.probe_rtt_window() => {
                    self.state = State::ProbeRtt { end: Some(facts.now + PROBE_RTT_LENGTH), round_done: false };
                    self.start_round();
                }
                Some(_) if round_done => {
                    self.state = State::ProbeRtt { end, round_done };
                    self.check_probe_rtt_done(facts.now);
                }
                _ => {}
            }
        }
        if facts.delivered > Bytes::ZERO {
            self.idle_restart = false;
        }
    }

    /// CheckProbeRTTDone and ExitProbeRTT (5.3.4.3, 5.3.4.4).
    pub(super) fn check_probe_rtt_done(&mut self, now: Instant) {
        let State::ProbeRtt { end: Some(end), .. } = self.state else { return };
        if now <= end {
            return;
        }
        self.round_trips.restart(now);
        self.restore_window();
        self.bounds.reset_short();
        if self.full_reached {
            self.start_down(now);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }

    /// ProbeRTTCwnd (5.6.4.5).
    pub(super) fn probe_rtt_window(&mut self) -> Bytes {
        self.bdp_times(Gain::HALF).max(self.start.smss * MIN_WINDOW)
    }
}

/// BBR.ProbeRTTDuration (2.16.2).
const PROBE_RTT_LENGTH: Duration = Duration::from_millis(200);

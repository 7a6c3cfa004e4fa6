//! How fast a BBR sends (draft-cardwell-iccrg-bbr-congestion-control-00, 4.2.1; version 3: draft-ietf-ccwg-bbr-06, 5.6.2).

use ackless_wire::{BitRate, Bytes, Duration};

use super::path::Gain;

/// The pacing rate of a controller that models the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// The rate in force.
    pub(crate) rate: BitRate,
    /// Whether it comes from a round trip and not from a guess.
    by_rtt: bool,
    /// Startup's gain.
    startup: Gain,
    /// What the model last asked for, and the rate that follows.
    wanted: (Wanted, BitRate),
}

/// What a model asks for: the pacing rate for `bandwidth` under `gain`, and a segment of `smss` in a round trip of `srtt` at the least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wanted {
    pub(crate) gain: Gain,
    pub(crate) bandwidth: BitRate,
    pub(crate) smss: Bytes,
    pub(crate) srtt: Duration,
}

impl Wanted {
    const NOTHING: (Self, BitRate) =
        (Self { gain: Gain::NONE, bandwidth: BitRate::ZERO, smss: Bytes::ZERO, srtt: Duration::ZERO }, BitRate::ZERO);

    #[inline(never)]
    fn rate(self) -> BitRate {
        self.gain.pace(self.bandwidth).max(self.smss.per(self.srtt))
    }
}

impl Pace {
    /// BBRInitPacingRate: the initial window in a nominal round trip, times Startup's gain.
    pub(crate) const fn new(startup: Gain, window: Bytes) -> Self {
        Self::inherit(startup, startup.pace(window.per(NOMINAL_RTT)), false)
    }

    /// Goes on with a rate that another controller had; `by_rtt` says whether that knew a round trip.
    pub(crate) const fn inherit(startup: Gain, rate: BitRate, by_rtt: bool) -> Self {
        Self { rate, by_rtt, startup, wanted: Wanted::NOTHING }
    }

    /// The first round trip is known: `window` goes out in it, times Startup's gain.
    pub(crate) const fn begin(&mut self, window: Bytes, rtt: Duration) {
        self.rate = self.startup.pace(window.per(rtt));
        self.by_rtt = true;
    }

    /// BBRSetPacingRate: the rate follows the model; until the pipe is known to be `full`, it only grows.
    ///
    /// Deviation: it is never less than a segment in a smoothed round trip. While the peer's window takes a few bytes at a time,
    /// their rate is all that is known, and at that rate a full segment could take hours once the window is open.
    #[inline(always)]
    pub(crate) fn update(&mut self, wanted: Wanted, full: bool, window: Bytes) {
        if !self.by_rtt && !wanted.srtt.is_zero() {
            self.begin(window, wanted.srtt);
        }
        // A model asks for the same again and again.
        if wanted != self.wanted.0 {
            self.wanted = (wanted, wanted.rate());
        }
        if full || self.wanted.1 > self.rate {
            self.rate = self.wanted.1;
        }
    }

    /// Sending begins again after silence, at the bandwidth and, again, a segment in a round trip at the least: the next one would else be put off until this rate
    /// has carried the first, whatever is learned meanwhile.
    pub(crate) fn restart(&mut self, bandwidth: BitRate, smss: Bytes, min_rtt: Option<Duration>) {
        let floor = min_rtt.map_or(BitRate::ZERO, |rtt| smss.per(rtt));
        self.rate = Gain::CRUISE.pace(bandwidth).max(floor);
    }
}

/// What a round trip counts as before there is one.
const NOMINAL_RTT: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use ackless_wire::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn what_is_asked_for_again_has_the_rate_that_it_has_alone() {
        for seed in 0..100 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let mut pace = Pace::inherit(Gain::STARTUP, BitRate::from_kbps(200), true);
            for _ in 0..200 {
                let wanted = Wanted {
                    gain: [Gain::UP, Gain::DOWN][random.below(2) as usize],
                    bandwidth: BitRate::from_kbps(900 + random.below(2)),
                    smss: Bytes(1_000 + random.below(2) * 460),
                    srtt: Duration::from_millis(random.below(20)),
                };
                let full = random.chance(0.8);
                let mut alone = Pace::inherit(Gain::STARTUP, pace.rate, true);
                alone.update(wanted, full, Bytes(10_000));
                pace.update(wanted, full, Bytes(10_000));
                assert_eq!(pace.rate, alone.rate, "seed {seed}: {wanted:?}");
            }
        }
    }
}

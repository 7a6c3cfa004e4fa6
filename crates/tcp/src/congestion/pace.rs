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
}

impl Pace {
    /// BBRInitPacingRate: the initial window in a nominal round trip, times Startup's gain.
    pub(crate) const fn new(startup: Gain, window: Bytes) -> Self {
        Self { rate: startup.pace(window.per(NOMINAL_RTT)), by_rtt: false, startup }
    }

    /// Goes on with a rate that another controller had; `by_rtt` says whether that knew a round trip.
    pub(crate) const fn inherit(startup: Gain, rate: BitRate, by_rtt: bool) -> Self {
        Self { rate, by_rtt, startup }
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
    pub(crate) fn update(&mut self, wanted: BitRate, full: bool, window: Bytes, smss: Bytes, srtt: Duration) {
        if !self.by_rtt && !srtt.is_zero() {
            self.begin(window, srtt);
        }
        let rate = wanted.max(smss.per(srtt));
        if full || rate > self.rate {
            self.rate = rate;
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

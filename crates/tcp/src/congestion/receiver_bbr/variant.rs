//! What differs between the kinds of receiver-based BBR.

use ackless_wire::Duration;

/// How a receiver-based BBR divides its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Variant {
    /// ProbeBW of 32 intervals, a bandwidth filter of 40, and ProbeRTT when RTTmin has had no lower value for 10 s
    /// (VI-D).
    #[default]
    Standard,
    /// For video over Wi-Fi Direct (VII-D): 16 and 20 intervals; the gain and drain cycles stay at four each.
    Miracast {
        /// What becomes of ProbeRTT.
        probe_rtt: GentleProbe,
    },
    /// For paths that change: a rate counts for sixteen packet-timed rounds, which is two gain cycles, as in version 3 of BBR, and not for a number of intervals of the round trip that was the least; cycles
    /// are counted in quarters of the smoothed round trip, whatever f is; what aggregation needs is held against the latest rate; ProbeRTT is version 3's; what has brought more is asked for again, and
    /// the third time Startup comes again (`asking`); and a change of path is looked for (`change`). Ours.
    Rounds {
        /// What losses change.
        losses: Losses,
    },
}

/// What losses change of what may be in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Losses {
    /// Nothing (VI-D).
    #[default]
    Ignored,
    /// Too many of them in a queue, by version 3's rule, leave a bound that grows as CUBIC's window does (`losses`). Ours.
    Bound,
}

/// A ProbeRTT that video survives (VII-D).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GentleProbe {
    /// None at all.
    Never,
    /// 0.75 times the rate, when RTTmin has had no lower value for 2.5 s. For how long the paper leaves open: here for a
    /// round trip, at least four intervals, as long as a drain cycle.
    Gentle,
}

impl Variant {
    /// Whether time is divided by rounds, and a change of path looked for.
    pub(super) const fn is_by_rounds(self) -> bool {
        matches!(self, Self::Rounds { .. })
    }

    /// Intervals in ProbeBW.
    pub(super) const fn cycle_length(self) -> u64 {
        match self {
            Self::Standard | Self::Rounds { .. } => 32,
            Self::Miracast { .. } => 16,
        }
    }

    /// Intervals, or rounds, for which a rate counts.
    pub(super) const fn filter_length(self) -> u64 {
        match self {
            Self::Standard => 40,
            Self::Miracast { .. } => 20,
            Self::Rounds { .. } => 16,
        }
    }

    /// How long RTTmin, if it is known, may go without a lower value. Version 3's five seconds are no more than a few round trips of a path by satellite, on which a probe and what rates show of it
    /// take three or four: there it is [`TRIPS`] of them.
    pub(super) fn probe_rtt_after(self, min_rtt: Option<Duration>) -> Duration {
        match self {
            Self::Standard => Duration::from_secs(10),
            Self::Rounds { .. } => Duration::from_secs(5).max(min_rtt.unwrap_or_default() * TRIPS),
            Self::Miracast { probe_rtt: GentleProbe::Gentle } => Duration::from_millis(2_500),
            Self::Miracast { probe_rtt: GentleProbe::Never } => Duration::MAX,
        }
    }
}

/// So many times RTTmin lies at least between two ProbeRTTs of [`Variant::Rounds`]: up to half a second its five seconds are more. With twice as many a path of 2 s gets 6 % more, but who began in others' queue of a second finds that out four times later and not twice.
const TRIPS: u64 = 10;

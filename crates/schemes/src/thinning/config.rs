//! What a user may choose of ACK thinning.

use ackless_wire::{BitRate, Duration};

/// How ACKs are thinned out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThinningConfig {
    /// By whose rules.
    pub kind: Kind,
}

/// The products that are modelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// CAKE's `ack-filter`: keeps at least two ACKs of a flow in the queue.
    CakeConservative,
    /// CAKE's `ack-filter-aggressive`: keeps one.
    CakeAggressive,
    /// A driver of the Broadcom kind: a newer ACK takes the place of a queued older one, and one may be held for more to come.
    Replace {
        /// How long an ACK is held for newer ones; zero holds none.
        hold: Duration,
    },
    /// A driver of the Samsung kind: so many ACKs are suppressed, at most for so long, by the rate of the flow.
    CountAndTime {
        /// The steps, by rising rate; below the first, nothing is suppressed.
        steps: [RateStep; 3],
    },
}

/// From this rate on so many ACKs are suppressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateStep {
    /// What the flow receives at least.
    pub from: BitRate,
    /// ACKs suppressed before one is sent.
    pub suppressed: u16,
    /// The longest time that an ACK is held.
    pub at_most: Duration,
}

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
    /// CAKE's `ack-filter`: drops the oldest of a flow's queued ACKs when two of them are superfluous.
    CakeConservative,
    /// CAKE's `ack-filter-aggressive`: also drops a single one, where the newer stands right behind it.
    CakeAggressive,
    /// A driver of the Broadcom kind: a newer ACK takes the place of a queued older one.
    Replace,
    /// The same driver's other mode: ACKs are held back, and one of a few is sent.
    Hold {
        /// One of so many ACKs is sent; 1 holds none.
        ratio: u16,
        /// The longest time that an ACK is held.
        at_most: Duration,
    },
    /// A driver of the Samsung kind: one of so many ACKs is sent, the others held for some time, by the rate of the flow.
    CountAndTime {
        /// The steps, by rising rate; below the first, nothing is held.
        steps: [RateStep; 3],
        /// So many ACKs of a connection go untouched at its start, and after each one with SACK blocks.
        slow_start_acks: u16,
    },
}

/// From this rate on so many ACKs become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateStep {
    /// What the flow receives at least, as its ACKs say.
    pub from: BitRate,
    /// One of so many ACKs is sent.
    pub count: u16,
    /// How long an ACK is held after the last one that it took the place of.
    pub at_most: Duration,
}

impl ThinningConfig {
    /// CAKE's `ack-filter`.
    pub const fn cake() -> Self {
        Self { kind: Kind::CakeConservative }
    }

    /// CAKE's `ack-filter-aggressive`.
    pub const fn cake_aggressive() -> Self {
        Self { kind: Kind::CakeAggressive }
    }

    /// Broadcom's `TCPACK_SUP_REPLACE`.
    pub const fn broadcom() -> Self {
        Self { kind: Kind::Replace }
    }

    /// Broadcom's `TCPACK_SUP_HOLD` as its driver sets it: one of three (`TCPACK_SUPP_RATIO`), at most 10 ms (`TCPACK_DELAY_TIME`).
    pub const fn broadcom_hold() -> Self {
        Self { kind: Kind::Hold { ratio: 3, at_most: Duration::from_millis(10) } }
    }

    /// Samsung's driver with the values of its module's parameters (`tcp_ack_suppression_rate_*`, `tcp_ack_suppression_slow_start_acks`).
    pub fn samsung() -> Self {
        let step = |mbps, count| RateStep { from: BitRate::from_mbps(mbps), count, at_most: Duration::from_millis(4) };
        Self { kind: Kind::CountAndTime { steps: [step(1, 10), step(20, 16), step(100, 20)], slow_start_acks: 512 } }
    }
}

impl Default for ThinningConfig {
    fn default() -> Self {
        Self::cake()
    }
}

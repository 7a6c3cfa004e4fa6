//! What can be chosen about TACK on a connection.

use ackless_wire::tcp::TackForm;

/// The choices of an end that offers TACK. Both ends must offer it (paper, VI-A); the one that receives data then does
/// what is chosen here about what it reports, and the one that sends data about what it asks for.
///
/// How often TACKs come is the business of [`AckChoice`](crate::AckChoice), how fast data goes that of
/// [`CongestionChoice`](crate::CongestionChoice).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TackConfig {
    /// How the options are written. Default: as kinds 40 to 42.
    pub form: TackForm,
    /// What a TACK tells of holes. Default: as many as fit.
    pub blocks: Blocks,
    /// Whether a loss is reported at once. Default: by an IACK, after the settling time.
    pub loss_signal: LossSignal,
    /// How the least round trip is measured. Default: by one-way delays.
    pub timing: Timing,
}

/// What a TACK tells of holes in the stream (paper, V-A and VI-B).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Blocks {
    /// The first hole only: Q = 1, "TACK-poor".
    Poor,
    /// As many distinct ones as fit into one MSS, the oldest repeated to fill: "TACK-rich".
    #[default]
    Rich,
    /// As many distinct ones as fit into one MSS, none of them twice. The paper's rule to repeat the oldest makes every TACK above
    /// a hole as long as an MSS; this is to learn what that costs.
    Distinct,
    /// The first hole, and Delta-Q more as soon as the loss on the ACK path demands it (equation 5).
    OnDemand,
}

/// Whether losses are reported outside of TACKs (paper, V-A).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LossSignal {
    /// An IACK pulls what is missing once it has been missing for RTTmin/4 (VIII).
    #[default]
    Iack,
    /// Only TACKs tell of losses: what figure 6(a) compares with.
    TackOnly,
}

/// How the least round-trip time is measured (paper, V-B).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Timing {
    /// From the packet that had the least smoothed one-way delay since the last TACK.
    #[default]
    OneWayDelay,
    /// From the newest packet that a TACK acknowledges, with the TACK's delay taken off: what figure 7(a) compares with.
    Sampled,
}

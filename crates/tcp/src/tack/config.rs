//! What can be chosen about TACK on a connection.

use ackless_wire::Duration;
use ackless_wire::tcp::TackForm;

/// The choices of an end that offers TACK. Both ends must offer it (paper, VI-A); the one that receives data then does
/// what is chosen here about what it reports, and the one that sends data about what it asks for.
///
/// How often TACKs come is the business of [`AckChoice`](crate::AckChoice), how fast data goes that of
/// [`CongestionChoice`](crate::CongestionChoice).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TackConfig {
    /// How the options are written. Default: as kinds 40 to 42.
    pub form: TackForm,
    /// What a TACK tells of holes. Default: as many as fit.
    pub blocks: Blocks,
    /// Whether a loss is reported at once. Default: by an IACK, after the settling time.
    pub loss_signal: LossSignal,
    /// How the least round trip is measured. Default: by one-way delays.
    pub timing: Timing,
    /// tau: for how long a least round trip counts (paper, V-B), in tenths of it, of a nanosecond at least. Default: 10 s.
    pub tau: Duration,
    /// Whether a TACK that falls due amid a batch waits for the batch's end: see [`Endpoint::end_batch`](crate::Endpoint::end_batch). So there is at most one for
    /// each batch, and then as many as f asks for. Ours; the paper acknowledges the packet with which a TACK falls due, the second of an A-MPDU where 1/f has
    /// passed, and the rest of it 1/f later. Default: no.
    pub batch: bool,
    /// Of which round trip 1/f is a share. Default: of the least.
    pub share: Share,
    /// Who measures the rate at which data is delivered. Default: the receiver.
    pub rate: RateBy,
    /// Whether a sender that the peer's window blocks asks for eight times as many TACKs, so that it learns sooner that there is room, and probes a window at once whose report is overdue. Ours. Default: no.
    pub window_asks: bool,
    /// For how long a gap may close. Default: for RTTmin/4.
    pub settling: Settling,
}

impl Default for TackConfig {
    fn default() -> Self {
        Self {
            form: TackForm::default(),
            blocks: Blocks::default(),
            loss_signal: LossSignal::default(),
            timing: Timing::default(),
            tau: Duration::from_secs(10),
            batch: false,
            share: Share::default(),
            rate: RateBy::default(),
            window_asks: false,
            settling: Settling::default(),
        }
    }
}

impl TackConfig {
    /// All that is ours beside the paper's rules: for paths that change, and for Wi-Fi, whose receivers are handed up many segments at once. It goes with
    /// [`Config::with_recommended_tack`](crate::Config::with_recommended_tack).
    pub fn recommended() -> Self {
        Self {
            blocks: Blocks::Distinct,
            batch: true,
            share: Share::Usual,
            rate: RateBy::Sender,
            window_asks: true,
            settling: Settling::Adaptive,
            ..Self::default()
        }
    }
}

/// Who measures the rate at which data is delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RateBy {
    /// The receiver, over two TACK intervals (paper, VI-D), which may be half of a round trip, and without knowing when the sender had nothing to send.
    #[default]
    Receiver,
    /// The sender, over at least a round, from what the receiver says that it has: the lesser of the rates at which it was sent and at which it came. Ours.
    Sender,
}

/// For how long what is missing may be just late.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Settling {
    /// For RTTmin/4 (paper, VIII).
    #[default]
    Quarter,
    /// For RTTmin/4, but where what had been given up came all the same, for as long as that would have taken and a quarter more, up to 100 ms; and after 64 losses without
    /// such a mistake, for half of it. Ours.
    Adaptive,
}

/// Of which round trip 1/f of equation 4 is the beta-th part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Share {
    /// RTTmin, as in the paper.
    #[default]
    Least,
    /// The lower quartile of the least round trips of the last sixteen rounds, but 1/f is between 30 and 40 ms by it, the latter what a delayed acknowledgement waits. Ours: where a
    /// queue stands on the path's own account, as that of an AP with many clients, beta for each least round trip are more than anything that changes can be
    /// answered by. It is bounded since fewer reports make longer queues, and these fewer reports. Where so many reports are lost that beta of them in a row are in more than
    /// one of 64 cases, 1/f is the share of RTTmin that has as many as it takes.
    Usual,
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

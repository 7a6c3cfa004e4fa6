//! How the two ends tell each other what has come: by the acknowledgements of any TCP, or by the reports of TACK.
//!
//! Here alone is decided what of the one holds for the other. The rest of the endpoint asks [`Dialect`] and takes what a segment says as a [`PeerReport`]; what TACK adds
//! happens in `tack_input` and `tack_output`.

use ackless_wire::tcp::TackOptions;
use ackless_wire::{BitRate, Bytes, Duration, Instant, TcpHeader};

use super::Endpoint;
use crate::ack::Place;
use crate::loss::LossDetector;
use crate::measure::Measured;
use crate::sequence::Position;
use crate::stats::Stats;
use crate::tack::Tack;
use crate::tack::receiving::News;
use crate::tack::sending::numbers;

/// What both ends speak on a connection.
#[derive(Clone, Debug)]
pub(super) enum Dialect {
    /// Acknowledgements, with SACK blocks where both ends have them; and whatever is spoken before the handshake is over.
    Plain,
    /// TACK, from the handshake that permits it on, until something shows that its options are stripped.
    Tack(Box<Tack>),
}

/// What a segment says to who sends data.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeerReport<'a> {
    /// Where the acknowledgement, the window, SACK blocks and the echo stand.
    pub(super) tcp: &'a TcpHeader,
    /// Where it begins, and how many places it occupies.
    pub(super) start: Position,
    pub(super) places: Bytes,
    pub(super) terms: Terms,
}

/// In what terms a segment says what it says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Terms {
    /// Those of any TCP.
    Plain,
    /// Those of TACK: round trips and what lies above a hole are told by reports, and segments are ordered by the peer's clock.
    Tack {
        /// What the peer's clock showed when the segment left. The number of a TACK or an IACK is old on purpose.
        left: Option<u32>,
    },
}

impl Dialect {
    /// Whether TACK is not in force.
    #[inline(always)]
    pub(super) const fn is_plain(&self) -> bool {
        matches!(self, Self::Plain)
    }

    #[inline(always)]
    pub(super) fn tack(&self) -> Option<&Tack> {
        match self {
            Self::Plain => None,
            Self::Tack(tack) => Some(tack),
        }
    }

    #[inline(always)]
    pub(super) fn tack_mut(&mut self) -> Option<&mut Tack> {
        match self {
            Self::Plain => None,
            Self::Tack(tack) => Some(tack),
        }
    }

    /// Whether each segment with data bears a number, and whoever repeats something gives it another one.
    #[inline(always)]
    pub(super) const fn numbers_data(&self) -> bool {
        !self.is_plain()
    }

    /// Whether the number of a segment with data is one that is missing, or the one that came last.
    pub(super) fn knows_late(&self, options: &TackOptions) -> bool {
        let arrivals = self.tack().map(|tack| &tack.receiving.arrivals);
        let number = arrivals.zip(options.packet_number);
        number.is_some_and(|(arrivals, number)| arrivals.is_missing(number) || arrivals.is_latest(number))
    }

    /// Whether an acknowledgement is a header, which says all: else it may be a report.
    #[inline(always)]
    pub(super) const fn acknowledges_in_headers(&self) -> bool {
        self.is_plain()
    }

    /// Whether the receiver says which transmissions are lost: none that the sender guesses can turn out to be a mistake then, and there is a cap on what is in flight, for probes too.
    #[inline(always)]
    pub(super) const fn pulls(&self) -> bool {
        !self.is_plain()
    }

    /// Whether data is spread over time, whatever is configured (VI-D), and so never sent in bursts.
    #[inline(always)]
    pub(super) const fn paces(&self) -> bool {
        !self.is_plain()
    }

    /// Whether a segment without a timestamp is none of the peer's (VI-B).
    #[inline]
    pub(super) const fn needs_timestamps(&self) -> bool {
        !self.is_plain()
    }

    /// Whether it says itself how acknowledgements are spaced.
    pub(super) const fn has_a_policy(&self) -> bool {
        !self.is_plain()
    }

    /// Whether TACK, where it is in force, has nothing to tell in a segment of its own that is not owed as an acknowledgement.
    #[inline(always)]
    pub(super) fn is_silent(&self) -> bool {
        self.tack().is_none_or(Tack::is_silent)
    }

    /// How much longer than a round trip what was sent may go without an acknowledgement, whatever is out.
    #[inline]
    pub(super) fn hold(&self) -> Duration {
        self.tack().map_or(Duration::ZERO, |tack| tack.sending.hold())
    }

    /// What was counted and is known of the path, added to these.
    pub(super) fn stats(&self, stats: Stats, measured: &Measured) -> Stats {
        let Self::Tack(tack) = self else { return stats };
        let sending = &tack.sending;
        let [min_rtt_advanced, min_rtt_sampled] = sending.min_rtt_by_method();
        Stats {
            min_rtt_advanced,
            min_rtt_sampled,
            told_interval: sending.interval(),
            bandwidth: sending.bandwidth(),
            ack_loss_ppm: sending.ack_loss_ppm(),
            tack: tack.receiving.stats(stats.tack, measured.rhythm()),
            ..stats
        }
    }

    /// The delivery rate as the receiver has told it, where it tells one.
    pub(super) fn reported_rate(&self) -> Option<BitRate> {
        self.tack().and_then(|tack| tack.sending.latest_rate())
    }

    /// Whether an acknowledgement may wait for the end of a batch.
    #[inline]
    pub(super) fn gathers(&self) -> bool {
        self.tack().is_some_and(|tack| tack.config.batch)
    }

    /// How a segment fits, as an acknowledgement policy is told: where IACKs tell of holes, a hole is no reason to acknowledge.
    #[inline(always)]
    pub(super) const fn told_as(&self, place: Place) -> Place {
        if self.is_plain() { place } else { place.beside_iacks() }
    }

    /// There is nothing to send, though more might be in flight.
    pub(super) fn on_dry(&mut self) {
        if let Self::Tack(tack) = self {
            tack.sending.on_dry();
        }
    }

    /// The peer's window blocks the sender.
    #[inline]
    pub(super) fn on_window_blocked(&mut self) {
        if let Self::Tack(tack) = self
            && tack.config.window_asks
        {
            tack.sending.on_blocked();
        }
    }

    /// Data flows again after idleness: nobody has measured meanwhile.
    pub(super) fn on_idle(&mut self) {
        if let Self::Tack(tack) = self {
            tack.sending.request_round_trip();
        }
    }

    /// The window has opened. Whether that will be told without an acknowledgement that is owed.
    pub(super) fn tells_window(&mut self) -> bool {
        match self {
            Self::Plain => false,
            Self::Tack(tack) => {
                tack.receiving.window_news = News::Due;
                true
            }
        }
    }

    /// The number of a segment with data or FIN that goes out now, where segments have numbers.
    #[inline(always)]
    pub(super) fn number(&mut self, now: Instant) -> Option<u64> {
        self.tack_mut().map(|tack| tack.sending.numbers.assign(now))
    }

    /// Writes that number into the options of a header.
    #[inline(always)]
    pub(super) fn write_number(&self, number: u64, options: &mut TackOptions) {
        if let Self::Tack(tack) = self {
            options.form = tack.config.form;
            options.packet_number = Some(numbers::wire(number));
        }
    }
}

impl Endpoint {
    /// What a segment says that occupies `places` from `start` on.
    #[inline(always)]
    pub(super) fn report_of<'a>(&self, tcp: &'a TcpHeader, start: Position, places: Bytes) -> PeerReport<'a> {
        let terms = match self.dialect {
            Dialect::Plain => Terms::Plain,
            Dialect::Tack(_) => Terms::of_tack(tcp),
        };
        PeerReport { tcp, start, places, terms }
    }

    /// Whether the window of this report is older than that which counts.
    #[inline(always)]
    pub(super) fn is_outdated(&mut self, now: Instant, ack: Position, report: &PeerReport<'_>) -> bool {
        if let (Terms::Tack { left: Some(left) }, Dialect::Tack(tack)) = (report.terms, &mut self.dialect) {
            return !tack.sending.window.takes(now, ack, left);
        }
        report.start < self.tx.wl1 || (report.start == self.tx.wl1 && ack < self.tx.wl2)
    }

    /// How long to wait for a report before its loss is the likelier, where the peer's window blocks the sender, which minds that, and so much is out that the receiver
    /// does not wait for more. Ours: each moment counts then. A round trip is taken for as long as is usual (RFC 9002, 6.2.1), since there is a probe for each window that
    /// takes longer.
    #[inline(always)]
    pub(super) fn window_is_overdue_after(&self) -> Option<Duration> {
        let Dialect::Tack(tack) = &self.dialect else { return None };
        let blocks = self.tx.window_end < self.tx.next + self.tx.smss && self.tx.next < self.tx.end();
        if !tack.config.window_asks || !blocks {
            return None;
        }
        let (every, hold) = tack.sending.hold_of_enough();
        let is_enough = self.loss.pipe(&self.tx.outstanding()) >= self.tx.smss * u64::from(every);
        let trip = self.rtt.usual_most()?.max(self.rtt.smoothed()? * 2);
        is_enough.then(|| trip + hold)
    }

    /// Whether SACK blocks are exchanged: where both ends do them, and TACK does not take their place.
    #[inline(always)]
    pub(super) const fn has_sack(&self) -> bool {
        self.sack && self.dialect.is_plain()
    }
}

impl Terms {
    #[cold]
    fn of_tack(tcp: &TcpHeader) -> Self {
        let is_typed = tcp.options.tack.ack_type.is_some();
        Self::Tack { left: tcp.options.timestamps.map(|(value, echo)| if is_typed { echo } else { value }) }
    }
}

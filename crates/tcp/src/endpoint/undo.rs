//! Reductions of the window that turn out to be mistakes, and how they are undone: by timestamps (Eifel: RFC 3522, RFC 4015), by the first
//! ACKs after a timeout (F-RTO: RFC 5682), and by reports of duplicates (DSACK: RFC 2883, RFC 3708).
//!
//! As in Linux 6.12 (`tcp_may_undo`, `tcp_packet_delayed`, `tcp_try_undo_partial`, `tcp_process_loss`, `tcp_check_dsack`), which tries them in this order. A fast retransmit that
//! timestamps show to be spurious is undone once nothing that was repeated is out, where there are records of that, and meanwhile nothing more is taken for lost; RFC 4015 undoes it at once.
//! Deviations: what was taken for lost by then may be sent again meanwhile; reports of duplicates count once all that was out is acknowledged (RFC 3708), where Linux does not wait for that; with CUBIC all
//! that RFC 9438 (4.9.2) names comes back, where Linux restores the window and the threshold alone.

use ackless_wire::{Bytes, Instant, TcpHeader};

use super::Endpoint;
use super::feedback::{Delivered, duplicate_report};
use crate::config::UndoChoices;
use crate::congestion::Controller;
use crate::loss::{LossDetector, Phase};
use crate::sequence::{Position, Span};
use crate::transmissions::Fate;

/// What may undo a reduction, and the latest one.
#[derive(Clone, Debug)]
pub(super) struct Undo {
    choices: UndoChoices,
    /// Until it is undone, or the next one begins.
    reduction: Option<Reduction>,
}

/// A reduction of the window, for a loss or by the timer.
#[derive(Clone, Copy, Debug)]
struct Reduction {
    /// SND.UNA when it began (`undo_marker`).
    from: Position,
    /// SND.MAX when it began.
    until: Position,
    /// TSval of the first retransmission (RetransmitTS of RFC 3522); nothing before that.
    repeated_at: Option<u32>,
    /// Whether anything has been repeated.
    repeated: bool,
    /// Segments that were repeated and have not been reported to have come twice (`undo_retrans`).
    unreported: u64,
    frto: Frto,
}

/// Where F-RTO stands (RFC 5682, 3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Frto {
    /// It has no say: not after a timeout, or the timeout was found to be genuine.
    Off,
    /// No acknowledgement has come since the timeout (step 2).
    Waiting,
    /// New data goes out in place of what the timer takes for lost (step 2b); the next acknowledgement decides (step 3).
    Probing,
}

impl Undo {
    /// Nothing where nothing is chosen.
    pub(super) fn new(choices: UndoChoices) -> Option<Box<Self>> {
        (choices != UndoChoices::default()).then(|| Box::new(Self { choices, reduction: None }))
    }
}

impl Endpoint {
    /// The window is about to be reduced in [`Phase::Open`].
    pub(super) fn begin_reduction(&mut self, by_timer: bool) {
        let Some(undo) = self.undo.as_mut().filter(|_| !self.dialect.pulls()) else { return };
        self.congestion.remember();
        if let Some(ecn) = &mut self.ecn {
            ecn.remember();
        }
        let repeated =
            |record: &&crate::transmissions::Transmission| record.is_repeated() && record.fate == Fate::InFlight;
        let unreported = self.loss.records().map_or(0, |records| records.iter().filter(repeated).count() as u64);
        let frto = if by_timer && undo.choices.frto && self.loss.is_rack() { Frto::Waiting } else { Frto::Off };
        let (from, until) = (self.tx.una, self.tx.max);
        undo.reduction = Some(Reduction { from, until, repeated_at: None, repeated: false, unreported, frto });
    }

    /// `span` goes out again.
    pub(super) fn note_repetition(&mut self, now: Instant, span: Span) {
        let Some(undo) = &mut self.undo else { return };
        let stamp = self.stamps.as_mut().map(|stamps| stamps.value(now));
        let smss = self.tx.smss;
        if let Some(reduction) = &mut undo.reduction {
            reduction.repeated_at = reduction.repeated_at.or(stamp);
            reduction.repeated = true;
            reduction.unreported += segments(span, smss);
        }
    }

    /// An acknowledgement of all below `ack` came, which is `acked` more than before: if it shows that the reduction was a mistake, that is undone. Returns whether it waits
    /// for what was repeated, and nothing more is taken for lost.
    pub(super) fn judge_reduction(
        &mut self,
        ack: Position,
        acked: Bytes,
        tcp: &TcpHeader,
        delivered: Option<&Delivered<'_>>,
    ) -> bool {
        if self.undo.as_ref().is_none_or(|undo| undo.reduction.is_none()) {
            return false;
        }
        let mut room = [Span::default(); 4];
        let spans = self.sack_spans(tcp, &mut room);
        let (smss, phase, widest, max) = (self.tx.smss, self.loss.phase(), self.tx.max_window, self.tx.max);
        let Some(undo) = &mut self.undo else { return false };
        let choices = undo.choices;
        let Some(reduction) = &mut undo.reduction else { return false };
        if choices.dsack
            && let Some(twice) = duplicate_report(ack, spans)
            && twice.end > reduction.from
            && twice.len() <= widest
        {
            reduction.unreported = reduction.unreported.saturating_sub(segments(twice, smss));
        }
        let recovering = phase != Phase::Open && acked > Bytes::ZERO;
        let is_older = |first: u32| {
            let echo = tcp.options.timestamps.map(|(_, echo)| echo).filter(|&echo| echo != 0);
            echo.is_some_and(|echo| (echo.wrapping_sub(first) as i32) < 0)
        };
        let by_timestamp = choices.eifel && recovering && reduction.repeated_at.is_some_and(is_older);
        if by_timestamp && matches!(phase, Phase::Recovery { .. }) && ack < reduction.until {
            let out =
                |record: &crate::transmissions::Transmission| record.is_repeated() && record.fate == Fate::InFlight;
            // The packet was late, and others may be (`tcp_check_sack_reordering`).
            self.loss.on_reordering();
            if self.loss.records().is_some_and(|records| records.iter().any(out)) {
                return true;
            }
        }
        // Only when all is acknowledged that was out (RFC 3708, 3): what is missing still has to be sent again, and without probes of the tail only the
        // timer would see to it.
        let over = phase == Phase::Open || ack >= reduction.until;
        let by_reports = choices.dsack && over && reduction.repeated && reduction.unreported == 0;
        let spared = delivered.and_then(|delivered| delivered.facts.lowest_once).map(|lowest| lowest.end);
        let is_mistake =
            by_timestamp || by_reports || reduction.judge_timeout(phase, ack, acked, max, !spans.is_empty(), spared);
        if is_mistake {
            self.undo_reduction();
        }
        false
    }

    fn undo_reduction(&mut self) {
        self.stats.undone_reductions += 1;
        self.congestion.undo();
        if let Some(ecn) = &mut self.ecn {
            ecn.on_undo();
        }
        // The timer was wrong to fire. The round trip of an echo is no sample (the algorithm of RFC 4015, 3.1, takes it): where ACKs were lost, the
        // timeout itself would be one.
        self.rtt.stop_backing_off();
        if self.loss.phase() != Phase::Open {
            self.loss.undo();
            self.tx.next = self.tx.max;
            self.prr = None;
        }
        self.forget_reduction();
    }

    /// The window has been reduced since, for what nothing undoes.
    pub(super) fn forget_reduction(&mut self) {
        if let Some(undo) = &mut self.undo {
            undo.reduction = None;
        }
    }

    /// Whether new data goes out in place of what the timer takes for lost.
    #[inline]
    pub(super) fn is_frto_probing(&self) -> bool {
        self.undo.as_ref().is_some_and(|undo| undo.reduction.is_some_and(|reduction| reduction.frto == Frto::Probing))
    }

    /// No new data can be sent: unless some was, F-RTO has no say.
    pub(super) fn gives_up_frto(&mut self) -> bool {
        let max = self.tx.max;
        match self.undo.as_mut().and_then(|undo| undo.reduction.as_mut()) {
            Some(reduction) if reduction.frto == Frto::Probing && max <= reduction.until => {
                reduction.frto = Frto::Off;
                true
            }
            _ => false,
        }
    }
}

impl Reduction {
    /// RFC 5682, 3.1, steps 2 and 3. `spared` is the end of the lowest segment that the acknowledgement delivers and that was sent once. True if
    /// the timeout was spurious.
    fn judge_timeout(
        &mut self,
        phase: Phase,
        ack: Position,
        acked: Bytes,
        max: Position,
        has_blocks: bool,
        spared: Option<Position>,
    ) -> bool {
        if self.frto == Frto::Off || !matches!(phase, Phase::GoBack { .. }) {
            return false;
        }
        // Step 3b: data that was sent before the timeout and not again has arrived.
        if self.repeated && spared.is_some_and(|end| end <= self.until) {
            return true;
        }
        let advances = acked > Bytes::ZERO && ack < self.until;
        self.frto = match self.frto {
            Frto::Waiting if advances => Frto::Probing,
            Frto::Probing if max > self.until && !has_blocks => Frto::Probing,
            Frto::Waiting if acked == Bytes::ZERO && !has_blocks => Frto::Waiting,
            _ => Frto::Off,
        };
        false
    }
}

/// How many segments `span` is.
fn segments(span: Span, smss: Bytes) -> u64 {
    span.len().get().div_ceil(smss.get()).max(1)
}

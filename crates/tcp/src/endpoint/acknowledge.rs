//! What an acknowledgement does to the sender (RFC 9293, 3.10.7.4, fifth; RFC 5961, 5; RFC 6298, 5).
//!
//! One that another has overtaken is late. Its SACK blocks say what has arrived all the same, and with news in them it is a duplicate acknowledgement whatever its number (RFC 6675, 2):
//! those count that lie above SND.UNA. Whether the first one reports a duplicate (RFC 2883, 4) goes by the segment's own number.

use ackless_wire::{Bytes, Duration, Instant, TcpFlags, TcpHeader};

use super::Endpoint;
use super::dialect::{PeerReport, Terms};
use super::feedback::Delivered;
use super::sender::{Probe, Writer};
use crate::ack::AckReason;
use crate::congestion::{AckFacts, Controller, GrowthRule};
use crate::delivery::Deliveries;
use crate::event::Event;
use crate::loss::{AckReport, LossDecision, LossDetector, Phase, SackRecovery};
use crate::sequence::{Position, Span};
use crate::state::{State, Trigger};
use crate::timers::Timer;

impl Endpoint {
    /// Takes the acknowledgement, the window and the SACK blocks of what the peer says.
    pub(super) fn on_acknowledgement(&mut self, now: Instant, report: &PeerReport<'_>) -> Acknowledgement {
        let &PeerReport { tcp, places, terms, .. } = report;
        let Some(ack) = Position::nearest(tcp.ack, self.tx.iss, self.tx.una).filter(|&ack| self.is_acceptable(ack))
        else {
            self.answer_suspicious(now, AckReason::Challenge);
            return Acknowledgement::Challenged;
        };
        let late = ack < self.tx.una;
        if late && !self.is_late_news(tcp) {
            return Acknowledgement::Late;
        }
        // The window of a late one is old.
        let window = if late { WindowChange::Same } else { self.update_window(now, ack, report) };
        self.hear_answer(ack, late);
        if places > Bytes::ZERO
            && ack == self.tx.max
            && self.tx.una == self.tx.max
            && terms == Terms::Plain
            && self.hears_numbers_alone(tcp)
        {
            // Data, and nothing is out here.
            return Acknowledgement::Current;
        }
        let acked = ack.since(self.tx.una);
        let bare = !late
            && acked == Bytes::ZERO
            && places == Bytes::ZERO
            && window == WindowChange::Same
            && !tcp.flags.contains(TcpFlags::FIN);
        let duplicate = self.notes_duplicate(bare);
        let window_used = self.has_used_window();
        let mut facts = self.is_recorded(tcp, bare).then(|| Deliveries::new(now, ack));
        let delivered = facts.as_mut().map(|facts| {
            let mut room = [Span::default(); 4];
            self.enter_delivery(tcp, bare, self.sack_spans(tcp, &mut room), facts)
        });
        let rtt =
            if acked > Bytes::ZERO { self.on_new_acknowledgement(now, ack, report, delivered.as_ref()) } else { None };
        let waits = self.undo.is_some() && self.judge_reduction(ack, acked, tcp, delivered.as_ref());
        if acked > Bytes::ZERO || self.tx.una < self.tx.max || delivered.is_some() {
            if let Some(delivered) = &delivered {
                self.loss.on_delivered(delivered.facts);
            }
            let grown = self.growing_by(acked, delivered.as_ref());
            if !waits {
                self.detect_losses(now, tcp, &Progress { acked, grown, duplicate, rtt, window_used });
            }
        }
        if self.ecn.is_some() {
            self.heed_echo(now, tcp);
        }
        if let Some(delivered) = &delivered {
            self.feed_back(delivered);
        }
        if acked > Bytes::ZERO {
            self.after_new_acknowledgement(now);
        }
        if let Some(delivered) = &delivered {
            self.after_delivery(now, delivered, acked > Bytes::ZERO);
        }
        if late {
            return Acknowledgement::Late;
        }
        if terms != Terms::Plain {
            self.on_plain_acknowledgement(now, tcp, acked, places);
        }
        Acknowledgement::Current
    }

    /// RFC 5961, 5.2: not of what was never sent, nor older than any window.
    #[inline(always)]
    pub(super) fn is_acceptable(&self, ack: Position) -> bool {
        ack <= self.tx.max && self.tx.una.since(ack) <= self.tx.max_window
    }

    /// The peer has answered with an acknowledgement up to `ack`, which may be late.
    #[inline]
    pub(super) fn hear_answer(&mut self, ack: Position, late: bool) {
        if self.tx.unanswered > 0 {
            // Without going back, repetitions themselves probe a window that was shrunk to nothing (RFC 9293, 3.8.6.1).
            let probing = self.timers.is_armed(Timer::Persist) || (self.tx.window_end <= ack && !self.loss.goes_back());
            self.tx.unanswered = if (probing && !late) || ack > self.tx.una { 0 } else { self.tx.unanswered };
        }
    }

    /// Whether an acknowledgement is a duplicate (RFC 5681, 2), which is `bare` if neither its number nor its window is new and it comes without text: counts it if so.
    #[inline]
    pub(super) fn notes_duplicate(&mut self, bare: bool) -> bool {
        let duplicate = bare && self.tx.una < self.tx.max && !self.is_probe_alone_out();
        self.stats.duplicate_acks += u64::from(duplicate);
        duplicate
    }

    /// Whether of this segment's acknowledgement nothing counts but its number and its window.
    #[inline(always)]
    fn hears_numbers_alone(&self, tcp: &TcpHeader) -> bool {
        tcp.options.sack.is_empty() && self.undo.is_none() && self.ecn.is_none()
    }

    /// Whether nothing is out but a probe of a closed window: its answers say that the window is still closed, and not that anything is lost.
    #[inline]
    fn is_probe_alone_out(&self) -> bool {
        self.tx.next == self.tx.una && self.loss.phase() == Phase::Open
    }

    /// Whether a late acknowledgement has SACK blocks to tell.
    fn is_late_news(&self, tcp: &TcpHeader) -> bool {
        !tcp.options.sack.is_empty() && self.has_sack() && self.tx.una < self.tx.max
    }

    /// SND.WND, unless the segment is older than the one that it was last taken from.
    #[inline(always)]
    pub(super) fn update_window(&mut self, now: Instant, ack: Position, report: &PeerReport<'_>) -> WindowChange {
        if self.is_outdated(now, ack, report) {
            return WindowChange::Same;
        }
        let tx = &mut self.tx;
        (tx.wl1, tx.wl2) = (report.start, ack);
        let window = Bytes(u64::from(report.tcp.window) << tx.shift);
        let before = tx.window_end.since(tx.una);
        tx.window_end = ack + window;
        tx.max_window = tx.max_window.max(window);
        if before == window { WindowChange::Same } else { WindowChange::Moved }
    }

    #[inline(always)]
    pub(super) fn on_new_acknowledgement(
        &mut self,
        now: Instant,
        ack: Position,
        report: &PeerReport<'_>,
        delivered: Option<&Delivered<'_>>,
    ) -> Option<Duration> {
        let data_end = self.tx.buffer.end();
        self.stats.bytes_acked += ack.min(data_end).since(self.tx.una.min(data_end));
        if self.tx.una < data_end && ack >= data_end {
            self.events.add(Event::Drained);
        }
        self.tx.una = ack;
        self.tx.next = self.tx.next.max(ack);
        match report.terms {
            Terms::Plain => self.sample_round_trip(now, ack, report.tcp, delivered),
            // Samples come from reports: an acknowledgement may have been held back for long.
            Terms::Tack { .. } => None,
        }
    }

    /// From a segment that was sent once (RFC 6298, 3), or, after a timeout, from the echo of what was sent since.
    ///
    /// RFC 7323 (4.1) takes any echo that comes with an acknowledgement of new data. But where an acknowledgement
    /// was lost, the answer to the retransmission echoes the first transmission, and the timeout itself would be
    /// taken for a round trip.
    ///
    /// Returns the round trip of the newest segment that is acknowledged.
    #[inline(always)]
    fn sample_round_trip(
        &mut self,
        now: Instant,
        ack: Position,
        tcp: &TcpHeader,
        delivered: Option<&Delivered<'_>>,
    ) -> Option<Duration> {
        let sample = match delivered {
            // The records know of every segment whether it was sent once.
            Some(delivered) => delivered.facts.round_trips(),
            None => self.marks.acknowledged(ack, now),
        };
        if let Some(sample) = sample {
            self.rtt_sample = Some(sample.oldest);
            self.rtt.on_sample(sample.oldest, sample.end, self.tx.max);
            self.rtt.note_minimum(sample.newest);
            self.measured.on_rtt(sample.newest);
        } else if matches!(self.loss.phase(), Phase::GoBack { .. }) {
            self.sample_echo(now, ack, tcp);
        }
        sample.map(|sample| sample.newest)
    }

    /// The echo of what was sent since a timeout.
    #[cold]
    fn sample_echo(&mut self, now: Instant, ack: Position, tcp: &TcpHeader) {
        if let (Some(stamps), Some((_, echo))) = (&mut self.stamps, tcp.options.timestamps)
            && stamps.is_since_timeout(echo)
            && let Some(rtt) = stamps.round_trip(echo, now)
        {
            // At least a tick: a round trip is never free.
            self.rtt.on_sample(rtt.max(stamps.tick()), ack, self.tx.max);
        }
    }

    /// How much of what an acknowledgement says lets the window grow. Without SACK, duplicates have
    /// counted segments before it (`tcp_cong_control` of Linux hears of what is newly delivered).
    #[inline]
    pub(super) fn growing_by(&self, acked: Bytes, delivered: Option<&Delivered<'_>>) -> Bytes {
        if self.config.sender.growth == GrowthRule::Rfc {
            return acked;
        }
        let known = || delivered.map_or(acked, |delivered| delivered.facts.bytes);
        self.loss.newly_delivered(acked, self.tx.smss).unwrap_or_else(known)
    }

    /// The same where the scoreboard tells, which had `reported` bytes before the acknowledgement.
    #[inline]
    pub(super) fn growing_beside(&self, reported: Bytes, progress: &Progress) -> Bytes {
        match self.loss.counting() {
            Some(recovery) if self.config.sender.growth == GrowthRule::Linux => {
                (progress.acked + recovery.reported()).saturating_sub(reported)
            }
            _ => progress.grown,
        }
    }

    /// Looks for losses by what an acknowledgement says, its SACK blocks among it.
    pub(super) fn detect_losses(&mut self, now: Instant, tcp: &TcpHeader, progress: &Progress) {
        let mut room = [Span::default(); 4];
        self.look_for_losses(now, self.sack_spans(tcp, &mut room), progress);
    }

    /// Has the detector look at an acknowledgement with these SACK blocks, and does what it finds.
    #[inline(always)]
    pub(super) fn look_for_losses(&mut self, now: Instant, sacked: &[Span], progress: &Progress) {
        let before = self.loss.phase();
        let reported = self.loss.counting().map_or(Bytes::ZERO, SackRecovery::reported);
        let decision = self.loss.on_ack(&self.tx.outstanding(), &progress.report(sacked));
        let grown = self.growing_beside(reported, progress);
        self.heed_losses(now, decision, before, &Progress { grown, ..*progress });
    }

    /// What follows from what the detector says, in the phase that was `before`.
    #[inline(always)]
    pub(super) fn heed_losses(
        &mut self,
        now: Instant,
        decision: LossDecision,
        before: Phase,
        &Progress { acked, grown, rtt, window_used, .. }: &Progress,
    ) {
        match decision {
            LossDecision::BeginRecovery => self.begin_recovery(now),
            LossDecision::TailRepaired => {
                self.stats.tail_losses += 1;
                // What the probe repaired lay at or above SND.UNA as it was.
                let from = Position(self.tx.una.0 - acked.get());
                self.reduce_for_loss(now, from);
                self.tell_of_recovery(now, from);
            }
            // Without a scoreboard the pipe was a guess, and the window may permit a burst now (RFC 6582, 3.2, step
            // 3).
            LossDecision::EndRecovery if self.loss.is_guessing() => {
                self.congestion.on_recovered(now, self.tx.max - self.tx.una)
            }
            LossDecision::EndRecovery | LossDecision::Nothing => {
                let linux = self.config.sender.growth == GrowthRule::Linux;
                let recovers =
                    matches!(before, Phase::Recovery { .. }) && !(linux && decision == LossDecision::EndRecovery);
                let advances = acked > Bytes::ZERO || (linux && grown > Bytes::ZERO && self.loss.is_reordered_far());
                if advances && !recovers && !self.is_reduced_by_mark() {
                    self.grow(now, grown, rtt, window_used, before);
                }
            }
        }
    }

    /// The window grows for what was acknowledged, in the phase that was `before`.
    #[inline(always)]
    pub(super) fn grow(&mut self, now: Instant, acked: Bytes, rtt: Option<Duration>, window_used: bool, before: Phase) {
        if self.congestion.sets_rate() {
            // It goes by what is delivered.
            return;
        }
        self.congestion.on_ack(&AckFacts {
            now,
            acked,
            una: self.tx.una,
            next: self.tx.max,
            rtt,
            srtt: self.rtt.smoothed().unwrap_or_default(),
            min_rtt: self.rtt.min().unwrap_or_default(),
            window_used,
            after_timeout: self.config.sender.growth == GrowthRule::Rfc && matches!(before, Phase::GoBack { .. }),
        });
    }

    pub(super) fn begin_recovery(&mut self, now: Instant) {
        self.stats.fast_retransmits += 1;
        self.marks.forget();
        let flight = self.tx.max - self.tx.una;
        self.begin_reduction(false);
        let window = self.congestion.window();
        self.reduce_for_loss(now, self.tx.una);
        self.tell_of_recovery(now, self.tx.una);
        self.begin_proportional_reduction(flight, window);
    }

    /// Timers, buffer, events and the fate of our FIN.
    #[inline(always)]
    pub(super) fn after_new_acknowledgement(&mut self, now: Instant) {
        if self.tx.una == self.tx.max {
            self.timers.stop(Timer::Retransmit);
        } else {
            self.timers.arm(Timer::Retransmit, now.saturating_add(self.retransmission_delay()));
        }
        self.tx.probe = Probe::Idle;
        self.timers.stop(Timer::Persist);
        if self.config.send_tuning {
            self.tune_send_buffer();
        }
        if self.asks.is_some() {
            self.consider_asking(now);
        }
        self.tx.buffer.release(self.tx.una);
        if self.tx.writer == Writer::Waiting && self.room() > Bytes::ZERO {
            self.tx.writer = Writer::Content;
            self.events.add(Event::Writable);
        }
        if self.tx.is_fin_acknowledged() && matches!(self.state, State::FinWait1 | State::Closing | State::LastAck) {
            self.advance(Trigger::AckOfFin);
            if self.state == State::TimeWait {
                self.enter_time_wait(now);
            }
        }
    }

    /// The buffer grows with the congestion window, while that is not full (`tcp_should_expand_sndbuf`). Linux does so only where the application waits for room; where it
    /// does not, what room there is makes no difference.
    fn tune_send_buffer(&mut self) {
        let window = self.congestion.window();
        if self.pipe() < window {
            self.tx.expand(window.get() / self.tx.smss.get());
        }
    }
}

/// What an acknowledgement says besides its blocks.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Progress {
    /// Bytes newly acknowledged.
    pub(super) acked: Bytes,
    /// What of that lets the window grow.
    pub(super) grown: Bytes,
    /// Whether it is a duplicate (RFC 5681, 2).
    pub(super) duplicate: bool,
    /// The round trip of the newest segment that it acknowledges, where one can be told.
    pub(super) rtt: Option<Duration>,
    /// Whether enough of the window was in use when this data was out.
    pub(super) window_used: bool,
}

impl Progress {
    /// What of it a detector hears, with what is selectively acknowledged.
    #[inline(always)]
    pub(super) const fn report<'a>(&self, sacked: &'a [Span]) -> AckReport<'a> {
        AckReport { acked: self.acked, sacked, duplicate: self.duplicate }
    }
}

/// What the acknowledgement number of a segment is (RFC 5961, 5.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Acknowledgement {
    /// Of something not sent yet, or older than any window: the segment is challenged and dropped.
    Challenged,
    /// Of less than has been acknowledged already.
    Late,
    /// Of SND.UNA or more.
    Current,
}

/// What a segment did to the send window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WindowChange {
    Same,
    Moved,
}

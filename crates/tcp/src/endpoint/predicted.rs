//! Header prediction (V. Jacobson; RFC 7323, 5.6): nearly all segments of a bulk transfer are the next data in order, to who receives, or a bare acknowledgement of new
//! data, to who sends. Such a segment changes little, and is known by a few comparisons.
//!
//! What it changes is what `input` and `acknowledge` would change; any segment with something else to tell goes there. An acknowledgement without data goes to `acknowledge` at once.
//!
//! | a segment that `is_ordinary` | is asked | and goes to |
//! |---|---|---|
//! | without data, of new data, while all is calm | `advances_una` | `advance_una` |
//! | without data, another one | | `take_counted_acknowledgement`, `take_uncounted_acknowledgement` |
//! | with data | `is_undisturbed`, `acknowledges_nothing`; and below: | |
//! | that is here already | `has_all_of` | `take_again` |
//! | that comes next | `only_takes` | `append` |
//! | that comes next, with a number | `only_takes`, `appends_numbered` | `append_numbered` |
//! | where holes are | `only_takes` | `take_amid_holes` |

use ackless_wire::{Bytes, Instant, Packet, TcpFlags, TcpHeader};

use super::Endpoint;
use super::acknowledge::{Acknowledgement, Progress, WindowChange};
use crate::ack::{AckPolicy, AckReason, Place, SegmentFacts};
use crate::delivery::Deliveries;
use crate::loss::{LossDetector, Phase};
use crate::sequence::{Position, Span};

impl Endpoint {
    /// Takes a segment, on an established connection, if it is what is expected next. Returns whether it was.
    ///
    /// What is asked of it stands here, in line; what it changes, behind a call that is the last thing done.
    #[inline(always)]
    pub(super) fn takes_as_predicted(
        &mut self,
        now: Instant,
        packet: &Packet,
        tcp: &TcpHeader,
        segment: Bytes,
    ) -> bool {
        if !self.is_ordinary(now, tcp) {
            return false;
        }
        let above = Bytes(u64::from(tcp.seq - self.rx.next.seq(self.rx.irs)));
        let span = Span::new(self.rx.next + above, Bytes(packet.payload.len().into()));
        let is_next = above == Bytes::ZERO;
        if span.is_empty() {
            if !is_next || !self.dialect.acknowledges_in_headers() {
                return false;
            }
            let acked = self.acked_by(tcp);
            if self.loss.counting().is_none() {
                self.take_uncounted_acknowledgement(now, tcp, acked);
            } else if self.advances_una(tcp, acked) {
                self.advance_una(now, acked, tcp);
            } else {
                self.take_counted_acknowledgement(now, tcp, acked);
            }
        } else if !self.is_undisturbed(tcp) || !self.acknowledges_nothing(tcp) {
            return false;
        } else if span.end > self.rx.window_end {
            let below = Bytes(u64::from(self.rx.next.seq(self.rx.irs) - tcp.seq));
            if !self.has_all_of(below, span.len()) {
                return false;
            }
            self.take_again(now, below, tcp);
        } else if !self.only_takes() {
            return false;
        } else if self.dialect.numbers_data() {
            if !is_next || !self.appends_numbered(tcp) {
                return false;
            }
            self.append_numbered(now, span, tcp, segment);
        } else if self.rx.in_batch {
            return false;
        } else if is_next && !self.rx.has_blocks() {
            self.append(now, span, tcp, segment);
        } else {
            if self.config.sender.undo.dsack {
                return false;
            }
            self.take_amid_holes(now, span.start, packet, tcp, segment);
        }
        true
    }

    /// How much more than before is acknowledged, if the acknowledgement is not late.
    #[inline(always)]
    fn acked_by(&self, tcp: &TcpHeader) -> Bytes {
        Bytes(u64::from(tcp.ack - self.tx.una.seq(self.tx.iss)))
    }

    /// Whether a segment has no flag and no option that asks for more than what it carries and acknowledges.
    #[inline(always)]
    fn is_ordinary(&self, now: Instant, tcp: &TcpHeader) -> bool {
        let flags = tcp.flags.union(TcpFlags::PSH);
        flags == TcpFlags::ACK.union(TcpFlags::PSH)
            && tcp.options.ack_rate.is_none()
            && !self.has_fallen_back()
            && match (&self.stamps, tcp.options.timestamps) {
                (Some(stamps), Some((value, _))) => !stamps.is_old(value, now),
                (Some(_), None) => self.takes_unstamped(),
                (None, _) => true,
            }
    }

    /// Whether neither this segment nor what has come before asks whether anything is lost, was taken for lost, or has met congestion.
    #[inline(always)]
    fn is_undisturbed(&self, tcp: &TcpHeader) -> bool {
        tcp.options.sack.is_empty() && self.tx.unanswered == 0 && self.undo.is_none() && self.ecn.is_none()
    }

    /// An acknowledgement without data where what is selectively acknowledged is counted, whatever it tells of that.
    #[inline(never)]
    fn take_counted_acknowledgement(&mut self, now: Instant, tcp: &TcpHeader, acked: Bytes) {
        let ack = self.tx.una + acked;
        if ack > self.tx.max || self.undo.is_some() || self.ecn.is_some() {
            self.take_bare(now, tcp);
            return;
        }
        let start = self.rx.next;
        let report = self.report_of(tcp, start, Bytes::ZERO);
        let window = self.update_window(now, ack, &report);
        self.hear_answer(ack, false);
        let bare = acked == Bytes::ZERO && window == WindowChange::Same;
        let duplicate = self.notes_duplicate(bare);
        let window_used = self.has_used_window();
        let mut rtt = None;
        if acked > Bytes::ZERO {
            rtt = self.on_new_acknowledgement(now, ack, &report, None);
        }
        if acked > Bytes::ZERO || self.tx.una < self.tx.max {
            let mut room = [Span::default(); 4];
            let sacked = self.sack_spans(tcp, &mut room);
            let progress = Progress { acked, grown: acked, duplicate, rtt, window_used };
            let out = self.tx.outstanding();
            if let Some(recovery) = self.loss.counting_mut() {
                let (before, reported) = (recovery.phase(), recovery.reported());
                let decision = recovery.hear(&out, &progress.report(sacked));
                let grown = self.growing_beside(reported, &progress);
                self.heed_losses(now, decision, before, &Progress { grown, ..progress });
            }
        }
        if acked > Bytes::ZERO {
            self.after_new_acknowledgement(now);
        }
        self.take_timestamp(now, start, tcp);
    }

    /// An acknowledgement without data where what is selectively acknowledged is recorded, or not known.
    #[inline(never)]
    fn take_uncounted_acknowledgement(&mut self, now: Instant, tcp: &TcpHeader, acked: Bytes) {
        let recorded = self.loss.is_recording() && self.is_undisturbed(tcp);
        if !(recorded && self.takes_recorded_acknowledgement(now, tcp, acked)) {
            self.take_bare(now, tcp);
        }
    }

    /// An acknowledgement without data, whatever it says: of all that is asked of a segment, only what it acknowledges is left.
    #[inline(never)]
    fn take_bare(&mut self, now: Instant, tcp: &TcpHeader) {
        let start = self.rx.next;
        if self.on_acknowledgement(now, &self.report_of(tcp, start, Bytes::ZERO)) == Acknowledgement::Current {
            self.take_timestamp(now, start, tcp);
        }
    }

    /// Data in order, where all that was sent here is acknowledged already and nothing waits above a hole.
    #[inline(never)]
    fn append(&mut self, now: Instant, span: Span, tcp: &TcpHeader, segment: Bytes) {
        self.update_window(now, self.tx.una, &self.report_of(tcp, span.start, span.len()));
        self.take_timestamp(now, span.start, tcp);
        self.take_next::<false>(now, span, segment);
    }

    /// Whether a segment on a TACK connection bears data and its number, and nothing waits above a hole.
    #[inline(always)]
    fn appends_numbered(&self, tcp: &TcpHeader) -> bool {
        let tack = &tcp.options.tack;
        !self.rx.has_blocks() && tack.packet_number.is_some() && tack.ack_type.is_none()
    }

    /// Data in order on a TACK connection, as [`append`](Self::append) takes it on a plain one, with its number; it may be one of a batch.
    #[inline(never)]
    fn append_numbered(&mut self, now: Instant, span: Span, tcp: &TcpHeader, segment: Bytes) {
        let len = span.len();
        self.on_packet_number(now, tcp);
        self.update_window(now, self.tx.una, &self.report_of(tcp, span.start, len));
        self.take_timestamp(now, span.start, tcp);
        let window = self.rx.window();
        self.take_next::<true>(now, span, segment);
        self.after_text(now, len, len, window);
        if self.rx.in_batch {
            self.rx.join_batch(span);
        }
    }

    /// Data anywhere in the window that has not come in order yet, where holes are or open, and all that was sent here is acknowledged already.
    #[inline(never)]
    fn take_amid_holes(&mut self, now: Instant, start: Position, packet: &Packet, tcp: &TcpHeader, segment: Bytes) {
        let span = Span::new(start, Bytes(packet.payload.len().into()));
        self.update_window(now, self.tx.una, &self.report_of(tcp, span.start, span.len()));
        self.take_timestamp(now, span.start, tcp);
        self.count_data(now, span.len(), segment);
        let place = self.store(span, span, &packet.payload);
        self.ask_policy::<false>(now, span.len(), place);
    }

    /// Whether all that was sent here is acknowledged already, and no more asked of whoever receives.
    #[inline(always)]
    fn acknowledges_nothing(&self, tcp: &TcpHeader) -> bool {
        self.acked_by(tcp) == Bytes::ZERO && self.tx.una == self.tx.max && !self.ack_policy.asks_host()
    }

    /// Whether data in the window is to be taken and acknowledged, and that is all there is to it.
    #[inline(always)]
    fn only_takes(&self) -> bool {
        self.rx.fin.is_none() && !self.rx.keeps() && !self.rx.tunes_itself()
    }

    /// Whether data that begins so far below what comes next is here already, and to be acknowledged, and that is all there is to it.
    #[inline(always)]
    fn has_all_of(&self, below: Bytes, len: Bytes) -> bool {
        len <= below
            && below <= self.rx.max_window.min(self.rx.next.since(Position::SYN))
            && self.dialect.acknowledges_in_headers()
            && !self.config.sender.undo.dsack
    }

    /// Data that is here already.
    #[inline(never)]
    fn take_again(&mut self, now: Instant, below: Bytes, tcp: &TcpHeader) {
        self.stats.dropped_outside_window += 1;
        self.stats.duplicate_segments += 1;
        self.ack_owed = Some(AckReason::Duplicate);
        let start = Position(self.rx.next.0 - below.get());
        self.update_window(now, self.tx.una, &self.report_of(tcp, start, Bytes::ZERO));
    }

    /// Data in order.
    #[inline(always)]
    fn take_next<const NUMBERED: bool>(&mut self, now: Instant, span: Span, segment: Bytes) {
        self.count_data(now, span.len(), segment);
        self.rx.next = span.end;
        self.stats.bytes_delivered += span.len();
        self.ask_policy::<NUMBERED>(now, span.len(), Place::InOrder);
    }

    /// A segment with so much data, each of a merged one with `segment` of it, is one more.
    #[inline(always)]
    fn count_data(&mut self, now: Instant, len: Bytes, segment: Bytes) {
        self.stats.data_segments_received += 1;
        self.rx.full_size = self.rx.full_size.max(segment);
        self.measured.on_data(now, len);
    }

    /// Whether what has come so is acknowledged now.
    #[inline(always)]
    fn ask_policy<const NUMBERED: bool>(&mut self, now: Instant, new_bytes: Bytes, place: Place) {
        let (full_size, measured) = (self.rx.full_size, &self.measured);
        let facts = SegmentFacts { new_bytes, full_size, place, measured, host: None };
        let decision = if NUMBERED {
            self.ack_policy.on_numbered_segment(now, &facts)
        } else {
            self.ack_policy.on_segment(now, &facts)
        };
        self.heed_policy(now, decision);
    }

    /// Whether a bare acknowledgement is of new data, while nothing is lost or above a hole.
    #[inline(always)]
    fn advances_una(&self, tcp: &TcpHeader, acked: Bytes) -> bool {
        acked > Bytes::ZERO && self.tx.una + acked <= self.tx.max && self.is_undisturbed(tcp) && self.loss.is_calm()
    }

    /// A bare acknowledgement of new data, while nothing is lost or above a hole.
    #[inline(never)]
    fn advance_una(&mut self, now: Instant, acked: Bytes, tcp: &TcpHeader) {
        let ack = self.tx.una + acked;
        let start = self.rx.next;
        let report = self.report_of(tcp, start, Bytes::ZERO);
        self.update_window(now, ack, &report);
        let window_used = self.has_used_window();
        let rtt = self.on_new_acknowledgement(now, ack, &report, None);
        self.grow(now, acked, rtt, window_used, Phase::Open);
        self.after_new_acknowledgement(now);
        self.take_timestamp(now, start, tcp);
    }

    /// Takes an acknowledgement without data, where there are records, if it is of new data: what `acknowledge` does that has any bearing then. Returns whether it was.
    #[inline(never)]
    fn takes_recorded_acknowledgement(&mut self, now: Instant, tcp: &TcpHeader, acked: Bytes) -> bool {
        let ack = self.tx.una + acked;
        let is_plain = acked > Bytes::ZERO && ack <= self.tx.max;
        if is_plain {
            let start = self.rx.next;
            let report = self.report_of(tcp, start, Bytes::ZERO);
            self.update_window(now, ack, &report);
            let window_used = self.has_used_window();
            let mut facts = Deliveries::new(now, ack);
            let delivered = self.enter_delivery(tcp, false, &[], &mut facts);
            let rtt = self.on_new_acknowledgement(now, ack, &report, Some(&delivered));
            self.loss.on_delivered(delivered.facts);
            let grown = self.growing_by(acked, Some(&delivered));
            self.look_for_losses(now, &[], &Progress { acked, grown, duplicate: false, rtt, window_used });
            self.feed_back(&delivered);
            self.after_new_acknowledgement(now);
            self.after_delivery(now, &delivered, true);
            self.take_timestamp(now, start, tcp);
        }
        is_plain
    }
}

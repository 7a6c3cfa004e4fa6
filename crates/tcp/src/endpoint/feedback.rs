//! What records of transmissions tell: what each acknowledgement delivered, how fast, and what a controller that models
//! the path hears of it. Connections without records skip all of this.

use ackless_wire::{Bytes, Instant, TcpHeader};

use super::Endpoint;
use crate::congestion::{Controller, Feedback, LossFacts, RateSample};
use crate::delivery::Deliveries;
use crate::loss::{Detector, LossDetector, RackRule};
use crate::sequence::{Position, Span};
use crate::transmissions::{Lost, Transmissions};

/// What an acknowledgement delivered, and how things stood before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivered<'a> {
    pub(super) facts: &'a Deliveries,
    in_flight: Bytes,
    /// What had ever been lost until then.
    pub(super) ever_lost: Bytes,
}

impl Endpoint {
    /// Whether an acknowledgement is entered into records, if there are any; `bare` if it says nothing new by number or window, and comes without payload.
    #[inline]
    pub(super) fn is_recorded(&self, tcp: &TcpHeader, bare: bool) -> bool {
        // A receiver of data has nothing out, and nothing to learn of it.
        let nothing = self.tx.una == self.tx.max && tcp.options.sack.is_empty() && !bare;
        !nothing && self.loss.is_recording()
    }

    /// Enters an acknowledgement, with its SACK blocks, into the records, and what it delivers into `facts`, which are empty.
    #[inline(always)]
    pub(super) fn enter_delivery<'a>(
        &mut self,
        tcp: &TcpHeader,
        bare: bool,
        spans: &[Span],
        facts: &'a mut Deliveries,
    ) -> Delivered<'a> {
        let (now, ack) = (facts.now, facts.una);
        let records = self.loss.records().expect("there are records");
        let (in_flight, ever_lost) = (self.pipe(), records.ever_lost());
        facts.min_rtt = self.rtt.min();
        facts.srtt = self.rtt.smoothed();
        if let (Some(stamps), Some((_, echo))) = (&mut self.stamps, tcp.options.timestamps) {
            facts.echoed = stamps.sent_by(echo, now);
        }
        facts.duplicate = duplicate_report(ack, spans);
        facts.bare = bare;
        facts.has_blocks = !spans.is_empty();
        let records = self.loss.records_mut().expect("there are records");
        records.acknowledge(ack, |run| facts.add(run));
        if self.config.sender.rack == RackRule::Linux {
            // Of what is reported above a hole the echo, which is from before the hole, says nothing.
            facts.echoed = None;
        }
        for &span in spans {
            records.sack(span, |run| facts.add(run));
        }
        if let Some(sample) = facts.round_trips() {
            self.rtt.note_minimum(sample.newest);
        }
        if let Some(pull) = self.loss.pull_mut() {
            pull.deliver_reported(|run| facts.add(run));
        }
        Delivered { facts, in_flight, ever_lost }
    }

    /// The SACK blocks of a segment as places, for which there is `room`.
    #[inline]
    pub(super) fn sack_spans<'a>(&self, tcp: &TcpHeader, room: &'a mut [Span; 4]) -> &'a [Span] {
        let mut reported = 0;
        for &(left, right) in tcp.options.sack.as_slice() {
            let near = self.tx.una;
            if let (Some(start), Some(end)) =
                (Position::nearest(left, self.tx.iss, near), Position::nearest(right, self.tx.iss, near))
            {
                room[reported] = Span { start, end };
                reported += 1;
            }
        }
        &room[..reported]
    }

    /// What is in flight, as the detector has it. Who is asked for each segment knows it at once.
    #[inline(always)]
    pub(super) fn pipe(&self) -> Bytes {
        match &self.loss {
            Detector::Rack(rack) => rack.in_flight(),
            _ => self.pipe_of_others(),
        }
    }

    #[inline(never)]
    fn pipe_of_others(&self) -> Bytes {
        self.loss.pipe(&self.tx.outstanding())
    }

    /// Tells the controller what was delivered, once losses have been looked for.
    pub(super) fn feed_back(&mut self, delivered: &Delivered<'_>) {
        let facts = delivered.facts;
        if facts.bytes == Bytes::ZERO {
            return;
        }
        let ever_lost = self.loss.records().map_or(Bytes::ZERO, |records| records.ever_lost());
        let sample = self.delivery.sample(facts, ever_lost).map(|sample| self.as_received(sample));
        if self.loss.records().is_some_and(Transmissions::has_losses) && self.config.congestion.hears_losses() {
            self.tell_losses(facts.now);
        }
        let feedback = Feedback {
            now: facts.now,
            delivered: facts.bytes,
            spurious: facts.spurious,
            total_delivered: self.delivery.delivered(),
            lost: ever_lost.saturating_sub(delivered.ever_lost),
            inflight_before: delivered.in_flight,
            inflight: self.pipe(),
            sample,
            rtt: facts.newest_round_trip(),
            srtt: self.rtt.smoothed().unwrap_or_default(),
            phase: self.loss.phase(),
            window_used: self.tx.usage.is_filled(self.tx.una),
            marked: self.ecn.as_ref().and_then(|ecn| ecn.marked(facts.bytes)),
        };
        self.congestion.on_feedback(&feedback);
    }

    /// Tells the controller what has been found lost.
    #[cold]
    pub(super) fn tell_losses(&mut self, now: Instant) {
        if let Some(lost) = self.loss.records_mut().and_then(Transmissions::take_losses) {
            self.tell(now, &lost);
        }
    }

    /// A recovery begins, or a probe has repaired a tail. Where the losses behind it are not marked in the records one by one, the segment at `from` stands for them: what
    /// counts losses by duplicate acknowledgements does not mark, and what a probe has repaired was never marked.
    pub(super) fn tell_of_recovery(&mut self, now: Instant, from: Position) {
        if !self.config.congestion.hears_losses()
            || self.loss.records().is_some_and(|records| records.lost() > Bytes::ZERO)
        {
            return;
        }
        let (span, flight) = (Span::new(from, self.tx.smss), self.tx.max.since(from));
        let (application_limited, counted) = (self.delivery.is_limited(), self.loss.is_rack());
        self.tell(now, &[Lost { span, in_flight: flight, lost: span.len(), application_limited, counted }]);
    }

    fn tell(&mut self, now: Instant, lost: &[Lost]) {
        let inflight = self.pipe();
        let total_delivered = self.delivery.delivered();
        self.congestion.on_losses(&LossFacts { now, total_delivered, inflight, lost });
    }

    /// Where the receiver tells a rate, that counts: acknowledgements that come four times in a round trip, some of them after
    /// a hole has settled, would show bursts that the path never had (paper, V-C: the estimation moves to the receiver).
    fn as_received(&self, sample: RateSample) -> RateSample {
        match self.dialect.reported_rate() {
            Some(rate) => RateSample { delivered: rate.amount_floor(sample.interval), ..sample },
            None => sample,
        }
    }

    /// Enters what is about to be sent into the records, if there are any.
    #[inline]
    pub(super) fn record_transmission(&mut self, now: Instant, span: Span) {
        if self.loss.is_recording() {
            self.enter_transmission(now, span);
        }
    }

    fn enter_transmission(&mut self, now: Instant, span: Span) {
        let in_flight = self.pipe();
        if self.congestion.holds_back() {
            self.delivery.limit_by_application(in_flight);
        }
        self.tell_of_sending(now, in_flight);
        let records = self.loss.records_mut().expect("there are records");
        let snapshot = self.delivery.snapshot(now, in_flight, span.len(), records.ever_lost());
        records.send(span, now, snapshot);
    }

    /// Data is about to go out, with so much in flight before it: the controller hears of it, and says how much may go at once.
    #[inline(always)]
    pub(super) fn tell_of_sending(&mut self, now: Instant, in_flight: Bytes) {
        self.congestion.on_sent(now, in_flight, self.delivery.is_limited());
        self.pacer.set_burst(self.congestion.burst(now));
    }

    /// There is nothing more to send: if that is what limits the sender, rates measured now are not the path's (3.4 of
    /// draft-cheng-iccrg-delivery-rate-estimation-00).
    pub(super) fn note_running_dry(&mut self) {
        let Some(records) = self.loss.records() else { return };
        let in_flight = self.pipe();
        if records.lost() == Bytes::ZERO && in_flight < self.congestion.window() {
            self.delivery.limit_by_application(in_flight);
            self.dialect.on_dry();
        }
    }
}

/// What the first block reports to have come twice, if it does (RFC 2883, 4): it lies below the acknowledgement, or inside
/// the second block.
pub(super) fn duplicate_report(ack: Position, spans: &[Span]) -> Option<Span> {
    let first = *spans.first()?;
    let inside = |outer: &Span| first.start >= outer.start && first.end <= outer.end;
    let duplicate = !first.is_empty() && (first.end <= ack || spans.get(1).is_some_and(inside));
    duplicate.then_some(first)
}

//! A scheme that is asked about nothing at once.

use ackless_dot11::frame::{Answer, FrameHandle, HeaderBits, Mpdu, NodeId};
use ackless_dot11::hooks::{Admission, AnswerDue, Arrival, Backlog, Context, Passage, Scheme, SendOptions, Verdict};
use ackless_schemes::AnyScheme;
use ackless_wire::{Duration, Instant, PacketId};

/// The scheme in it, asked about each frame and packet by itself: by what the trait does where a scheme has no answers to runs of its own. What it lets pass is queued as if it might
/// have changed how that is sent.
#[derive(Debug)]
pub struct OneByOne(pub AnyScheme);

impl Scheme for OneByOne {
    fn on_sent(&mut self, cx: &mut Context<'_>, packet: PacketId, to: NodeId) {
        self.0.on_sent(cx, packet, to);
    }

    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        self.0.on_outgoing(cx, packet, handle, options)
    }

    fn on_queued(&mut self, cx: &mut Context<'_>, packet: PacketId, handle: FrameHandle) {
        self.0.on_queued(cx, packet, handle);
    }

    fn on_dropped(&mut self, cx: &mut Context<'_>, handle: FrameHandle) {
        self.0.on_dropped(cx, handle);
    }

    fn on_sequenced(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.0.on_sequenced(cx, mpdu);
    }

    fn on_ppdu_out(&mut self, cx: &mut Context<'_>, to: NodeId, queued: Backlog, bits: &mut HeaderBits) {
        self.0.on_ppdu_out(cx, to, queued, bits);
    }

    fn on_ppdu_in(&mut self, cx: &mut Context<'_>, arrival: &Arrival) {
        self.0.on_ppdu_in(cx, arrival);
    }

    fn on_mpdu(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) -> Admission {
        self.0.on_mpdu(cx, mpdu)
    }

    fn on_answer_due(&mut self, cx: &mut Context<'_>, due: &AnswerDue, answer: &mut Answer, duration: &mut Duration) {
        self.0.on_answer_due(cx, due, answer, duration);
    }

    fn is_capable(&self) -> bool {
        self.0.is_capable()
    }

    fn answer_delay(&self) -> Duration {
        self.0.answer_delay()
    }

    fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, from: NodeId) -> Verdict {
        self.0.on_upward(cx, packet, from)
    }

    fn on_answer(&mut self, cx: &mut Context<'_>, from: NodeId, answer: &Answer, duration: Duration) {
        self.0.on_answer(cx, from, answer, duration);
    }

    fn on_answer_missing(&mut self, cx: &mut Context<'_>, from: NodeId) {
        self.0.on_answer_missing(cx, from);
    }

    fn on_delivered(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.0.on_delivered(cx, mpdu);
    }

    fn on_given_up(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.0.on_given_up(cx, mpdu);
    }

    fn on_forward(&mut self, cx: &mut Context<'_>, packet: PacketId, passage: Passage) -> Verdict {
        self.0.on_forward(cx, packet, passage)
    }

    fn on_timer(&mut self, cx: &mut Context<'_>) {
        self.0.on_timer(cx);
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.0.poll_timeout()
    }

    fn is_stock(&self) -> bool {
        self.0.is_stock()
    }

    fn heeds_passage(&self) -> bool {
        self.0.heeds_passage()
    }
}

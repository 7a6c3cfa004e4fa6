//! Any of the schemes, chosen when a cell is built.

use ackless_dot11::frame::{Answer, FrameHandle, HeaderBits, Mpdu, NodeId};
use ackless_dot11::hooks::{
    Admission, AnswerDue, Arrival, Backlog, Context, Fate, Passage, Scheme, SendOptions, Verdict,
};
use ackless_wire::{Duration, Instant, Packet, PacketId};

use crate::agent::Agent;
use crate::arq_proxy::ArqProxy;
use crate::fast_ack::FastAck;
use crate::filter::Filter;
use crate::hack::Hack;
use crate::thinning::Thinning;

/// One of the schemes: an enum, so that nothing is dispatched dynamically and a stock node pays one comparison.
#[derive(Debug)]
pub enum AnyScheme {
    /// [`crate::Stock`].
    Stock,
    /// HACK.
    Hack(Box<Hack>),
    /// The TCP ACK agent.
    Agent(Box<Agent>),
    /// 802.11 ACK filtering.
    Filter(Box<Filter>),
    /// The ARQ proxy.
    ArqProxy(Box<ArqProxy>),
    /// ACKs thinned out where they are sent.
    Thinning(Box<Thinning>),
    /// FastACK.
    FastAck(Box<FastAck>),
}

/// Asks the scheme that is there; a stock node answers as the trait does by default.
macro_rules! ask {
    ($any:expr, $default:expr, $scheme:ident => $question:expr) => {
        match $any {
            AnyScheme::Stock => $default,
            AnyScheme::Hack($scheme) => $question,
            AnyScheme::Agent($scheme) => $question,
            AnyScheme::Filter($scheme) => $question,
            AnyScheme::ArqProxy($scheme) => $question,
            AnyScheme::Thinning($scheme) => $question,
            AnyScheme::FastAck($scheme) => $question,
        }
    };
}

impl AnyScheme {
    /// HACK, if that is what this is.
    pub fn as_hack(&self) -> Option<&Hack> {
        match self {
            Self::Hack(hack) => Some(hack),
            _ => None,
        }
    }

    fn deadline(&self) -> Option<Instant> {
        ask!(self, None, scheme => scheme.poll_timeout())
    }

    /// The name and value of everything that the scheme has counted; nothing on a stock node.
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        ask!(self, Vec::new(), scheme => scheme.counters().entries().collect())
    }
}

impl Scheme for AnyScheme {
    fn on_sent(&mut self, cx: &mut Context<'_>, packet: PacketId, to: NodeId) {
        ask!(self, (), scheme => scheme.on_sent(cx, packet, to));
    }

    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        ask!(self, Verdict::Pass, scheme => scheme.on_outgoing(cx, packet, handle, options))
    }

    fn on_passing(&mut self, now: Instant, node: NodeId, packet: &Packet, options: &SendOptions) -> bool {
        ask!(self, true, scheme => scheme.on_passing(now, node, packet, options))
    }

    fn on_run_outgoing(&mut self, cx: &mut Context<'_>, packets: &[PacketId], options: &SendOptions) -> usize {
        ask!(self, 0, scheme => scheme.on_run_outgoing(cx, packets, options))
    }

    fn on_queued(&mut self, cx: &mut Context<'_>, packet: PacketId, handle: FrameHandle) {
        ask!(self, (), scheme => scheme.on_queued(cx, packet, handle));
    }

    fn on_dropped(&mut self, cx: &mut Context<'_>, handle: FrameHandle) {
        ask!(self, (), scheme => scheme.on_dropped(cx, handle));
    }

    fn on_sequenced(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        ask!(self, (), scheme => scheme.on_sequenced(cx, mpdu));
    }

    fn on_all_sequenced(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) {
        ask!(self, (), scheme => scheme.on_all_sequenced(cx, mpdus));
    }

    fn on_ppdu_out(&mut self, cx: &mut Context<'_>, to: NodeId, queued: Backlog, bits: &mut HeaderBits) {
        ask!(self, (), scheme => scheme.on_ppdu_out(cx, to, queued, bits));
    }

    fn on_ppdu_in(&mut self, cx: &mut Context<'_>, arrival: &Arrival) {
        ask!(self, (), scheme => scheme.on_ppdu_in(cx, arrival));
    }

    fn on_mpdu(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) -> Admission {
        ask!(self, Admission::Accept, scheme => scheme.on_mpdu(cx, mpdu))
    }

    fn on_mpdus(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) -> usize {
        ask!(self, mpdus.len(), scheme => scheme.on_mpdus(cx, mpdus))
    }

    fn on_answer_due(&mut self, cx: &mut Context<'_>, due: &AnswerDue, answer: &mut Answer, duration: &mut Duration) {
        ask!(self, (), scheme => scheme.on_answer_due(cx, due, answer, duration));
    }

    fn is_capable(&self) -> bool {
        ask!(self, false, scheme => scheme.is_capable())
    }

    fn answer_delay(&self) -> Duration {
        ask!(self, Duration::ZERO, scheme => scheme.answer_delay())
    }

    fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, from: NodeId) -> Verdict {
        ask!(self, Verdict::Pass, scheme => scheme.on_upward(cx, packet, from))
    }

    fn on_run_upward(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) -> usize {
        ask!(self, mpdus.len(), scheme => scheme.on_run_upward(cx, mpdus))
    }

    /// Apart: its only caller, with all of it within, is slower.
    #[inline(never)]
    fn on_answer(&mut self, cx: &mut Context<'_>, from: NodeId, answer: &Answer, duration: Duration) {
        ask!(self, (), scheme => scheme.on_answer(cx, from, answer, duration));
    }

    fn on_answer_missing(&mut self, cx: &mut Context<'_>, from: NodeId) {
        ask!(self, (), scheme => scheme.on_answer_missing(cx, from));
    }

    fn on_delivered(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        ask!(self, (), scheme => scheme.on_delivered(cx, mpdu));
    }

    fn on_given_up(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        ask!(self, (), scheme => scheme.on_given_up(cx, mpdu));
    }

    fn on_fates(&mut self, cx: &mut Context<'_>, fates: &[(Mpdu, Fate)]) {
        ask!(self, (), scheme => scheme.on_fates(cx, fates));
    }

    fn on_forward(&mut self, cx: &mut Context<'_>, packet: PacketId, passage: Passage) -> Verdict {
        // Those that heed what passes, see below.
        match self {
            Self::ArqProxy(scheme) => scheme.on_forward(cx, packet, passage),
            Self::Stock | Self::Hack(_) | Self::Agent(_) | Self::Filter(_) | Self::Thinning(_) | Self::FastAck(_) => {
                Verdict::Pass
            }
        }
    }

    /// Apart, as [`Self::on_answer`] is: it is seldom.
    #[inline(never)]
    fn on_timer(&mut self, cx: &mut Context<'_>) {
        ask!(self, (), scheme => scheme.on_timer(cx));
    }

    #[inline(always)]
    fn poll_timeout(&self) -> Option<Instant> {
        if self.is_stock() { None } else { self.deadline() }
    }

    #[inline(always)]
    fn is_stock(&self) -> bool {
        matches!(self, Self::Stock)
    }

    #[inline(always)]
    fn changes_options(&self) -> bool {
        match self {
            Self::Filter(_) => true,
            Self::Stock | Self::Hack(_) | Self::Agent(_) | Self::ArqProxy(_) | Self::Thinning(_) | Self::FastAck(_) => {
                false
            }
        }
    }

    #[inline(always)]
    fn answers_upward(&self) -> bool {
        match self {
            Self::Stock | Self::Hack(_) => false,
            Self::Agent(_) | Self::Filter(_) | Self::ArqProxy(_) | Self::Thinning(_) | Self::FastAck(_) => true,
        }
    }

    #[inline(always)]
    fn heeds_passage(&self) -> bool {
        // Each by its name: a new one has to say.
        match self {
            Self::ArqProxy(_) => true,
            Self::Stock | Self::Hack(_) | Self::Agent(_) | Self::Filter(_) | Self::Thinning(_) | Self::FastAck(_) => {
                false
            }
        }
    }
}

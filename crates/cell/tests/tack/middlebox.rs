//! A middlebox on the wire behind the AP, in front of any scheme: it takes TACK's options out of what passes.

use ackless_dot11::frame::{Answer, FrameHandle, HeaderBits, Mpdu, NodeId};
use ackless_dot11::hooks::{Admission, AnswerDue, Arrival, Backlog, Context, Passage, Scheme, SendOptions, Verdict};
use ackless_schemes::AnyScheme;
use ackless_wire::tcp::TackOptions;
use ackless_wire::{Duration, Instant, PacketId, Transport};

/// A scheme, and the middlebox behind it.
#[derive(Debug)]
pub struct Middlebox {
    pub scheme: AnyScheme,
    pub strips: Strips,
    passed: u64,
}

/// What is taken out: the options of all packets, from this one on, that go these ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strips {
    pub from: u64,
    pub towards_station: bool,
    pub towards_server: bool,
}

impl Strips {
    pub const NOTHING: Self = Self { from: 0, towards_station: false, towards_server: false };
}

impl Middlebox {
    pub fn new(scheme: AnyScheme, strips: Strips) -> Self {
        Self { scheme, strips, passed: 0 }
    }
}

/// Asks the scheme, and nothing else.
macro_rules! pass_on {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $answer:ty)?;)*) => {
        $(fn $name(&mut self, cx: &mut Context<'_>, $($argument: $type),*) $(-> $answer)? {
            self.scheme.$name(cx, $($argument),*)
        })*
    };
}

impl Scheme for Middlebox {
    fn on_forward(&mut self, cx: &mut Context<'_>, packet: PacketId, passage: Passage) -> Verdict {
        let verdict = self.scheme.on_forward(cx, packet, passage);
        assert_eq!(verdict, Verdict::Pass, "no scheme changes what is forwarded");
        self.passed += 1;
        let strips = match passage {
            Passage::FromWire(_) => self.strips.towards_station,
            Passage::ToWire(_) => self.strips.towards_server,
            Passage::OverAir { .. } => false,
        };
        let mut stripped = cx.pool.get(packet).clone();
        let Transport::Tcp(tcp) = &mut stripped.transport else { return verdict };
        if !strips || self.passed <= self.strips.from || tcp.options.tack.is_empty() {
            return verdict;
        }
        tcp.options.tack = TackOptions::default();
        Verdict::Replace(cx.pool.insert(stripped))
    }

    pass_on! {
        on_outgoing(packet: PacketId, handle: FrameHandle, options: &mut SendOptions) -> Verdict;
        on_queued(packet: PacketId, handle: FrameHandle);
        on_dropped(handle: FrameHandle);
        on_sequenced(mpdu: &Mpdu);
        on_ppdu_out(to: NodeId, queued: Backlog, bits: &mut HeaderBits);
        on_ppdu_in(arrival: &Arrival);
        on_mpdu(mpdu: &Mpdu) -> Admission;
        on_answer_due(due: &AnswerDue, answer: &mut Answer, duration: &mut Duration);
        on_upward(packet: PacketId, from: NodeId) -> Verdict;
        on_answer(from: NodeId, answer: &Answer, duration: Duration);
        on_answer_missing(from: NodeId);
        on_delivered(mpdu: &Mpdu);
        on_given_up(mpdu: &Mpdu);
        on_timer();
    }

    fn is_capable(&self) -> bool {
        self.scheme.is_capable()
    }

    fn answer_delay(&self) -> Duration {
        self.scheme.answer_delay()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.scheme.poll_timeout()
    }
}

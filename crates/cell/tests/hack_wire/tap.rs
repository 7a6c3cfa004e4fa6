//! A scheme with a listener in front of it: what its host handed to its MAC and got from it, and at the AP what passed
//! the wire.

use ackless_dot11::frame::{Answer, FrameHandle, HeaderBits, Mpdu, NodeId};
use ackless_dot11::hooks::{Admission, AnswerDue, Arrival, Backlog, Context, Passage, Scheme, SendOptions, Verdict};
use ackless_wire::{Duration, Instant, Packet, PacketId};

/// `S`, and what passed it.
#[derive(Debug)]
pub struct Tap<S> {
    pub scheme: S,
    pub log: Log,
}

/// Packets in the order in which they passed, each with the time.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// From the wire to the AP.
    pub from_wire: Vec<(Instant, Packet)>,
    /// From the AP to the wire.
    pub to_wire: Vec<(Instant, Packet)>,
    /// From a node's host to its MAC.
    pub handed_down: Vec<(Instant, Packet)>,
    /// Given their sequence number, which is when they go on the air or behind an RTS: each once.
    pub numbered: Vec<(Instant, Packet)>,
    /// Up from a node's reorder buffer.
    pub risen: Vec<(Instant, Packet)>,
}

impl<S> Tap<S> {
    pub fn new(scheme: S) -> Self {
        Self { scheme, log: Log::default() }
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

impl<S: Scheme> Scheme for Tap<S> {
    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        self.log.handed_down.push((cx.now, cx.pool.get(packet).clone()));
        self.scheme.on_outgoing(cx, packet, handle, options)
    }

    fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, from: NodeId) -> Verdict {
        self.log.risen.push((cx.now, cx.pool.get(packet).clone()));
        self.scheme.on_upward(cx, packet, from)
    }

    fn on_forward(&mut self, cx: &mut Context<'_>, packet: PacketId, passage: Passage) -> Verdict {
        let content = (cx.now, cx.pool.get(packet).clone());
        match passage {
            Passage::FromWire(_) => self.log.from_wire.push(content),
            Passage::ToWire(_) => self.log.to_wire.push(content),
            Passage::OverAir { .. } => panic!("no flow of these tests goes from station to station"),
        }
        self.scheme.on_forward(cx, packet, passage)
    }

    fn on_sequenced(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.log.numbered.push((cx.now, cx.pool.get(mpdu.packet).clone()));
        self.scheme.on_sequenced(cx, mpdu);
    }

    pass_on! {
        on_queued(packet: PacketId, handle: FrameHandle);
        on_dropped(handle: FrameHandle);
        on_ppdu_out(to: NodeId, queued: Backlog, bits: &mut HeaderBits);
        on_ppdu_in(arrival: &Arrival);
        on_mpdu(mpdu: &Mpdu) -> Admission;
        on_answer_due(due: &AnswerDue, answer: &mut Answer, duration: &mut Duration);
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

//! A scheme with a listener in front of it: what a station's MAC accepts, and what leaves a node for the wire or another station.

use std::sync::{Arc, Mutex};

use ackless_dot11::frame::{Answer, FrameHandle, HeaderBits, Mpdu, NodeId};
use ackless_dot11::hooks::{Admission, AnswerDue, Arrival, Backlog, Context, Passage, Scheme, SendOptions, Verdict};
use ackless_schemes::AnyScheme;
use ackless_wire::{Duration, Instant, PacketId};

use crate::ledger::{Ledger, destination};

/// A scheme whose node's receptions and forwarded packets are written down.
#[derive(Debug)]
pub struct Tap {
    pub scheme: AnyScheme,
    pub ledger: Arc<Mutex<Ledger>>,
}

/// Asks the scheme, and nothing else.
macro_rules! pass_on {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $answer:ty)?;)*) => {
        $(fn $name(&mut self, cx: &mut Context<'_>, $($argument: $type),*) $(-> $answer)? {
            self.scheme.$name(cx, $($argument),*)
        })*
    };
}

impl Tap {
    /// Writes down what concerns a packet.
    fn note(&self, write: impl FnOnce(&mut Ledger)) {
        write(&mut self.ledger.lock().expect("a run ends with its first panic"));
    }
}

impl Scheme for Tap {
    fn on_mpdu(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) -> Admission {
        let admission = self.scheme.on_mpdu(cx, mpdu);
        let packet = cx.pool.get(mpdu.packet);
        if admission == Admission::Accept && destination(packet) == Some(cx.node) {
            self.note(|ledger| ledger.taken(packet));
        }
        admission
    }

    fn on_forward(&mut self, cx: &mut Context<'_>, packet: PacketId, passage: Passage) -> Verdict {
        let verdict = self.scheme.on_forward(cx, packet, passage);
        let leaves = match verdict {
            Verdict::Pass => Some(packet),
            Verdict::Replace(other) => Some(other),
            Verdict::Hold | Verdict::Swallow => None,
        };
        if let Some(packet) = leaves {
            let packet = cx.pool.get(packet);
            match passage {
                Passage::ToWire(_) => self.note(|ledger| ledger.leaves(cx.now, packet)),
                Passage::OverAir { .. } => self.note(|ledger| ledger.forwarded(cx.now, packet)),
                Passage::FromWire(_) => {}
            }
        }
        verdict
    }

    pass_on! {
        on_outgoing(packet: PacketId, handle: FrameHandle, options: &mut SendOptions) -> Verdict;
        on_queued(packet: PacketId, handle: FrameHandle);
        on_dropped(handle: FrameHandle);
        on_sequenced(mpdu: &Mpdu);
        on_ppdu_out(to: NodeId, queued: Backlog, bits: &mut HeaderBits);
        on_ppdu_in(arrival: &Arrival);
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

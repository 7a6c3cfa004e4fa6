//! A scheme with a listener in front of it: what its host hands to its MAC and gets from it, what the MAC accepts, and what passes through the node, which the
//! listener may change.

use std::sync::{Arc, Mutex, MutexGuard};

use ackless_cell::config::CellConfig;
use ackless_cell::pcap::PcapWriter;
use ackless_cell::{Cell, scheme};
use ackless_dot11::frame::{Answer, FrameHandle, HeaderBits, Mpdu, NodeId};
use ackless_dot11::hooks::{Admission, AnswerDue, Arrival, Backlog, Context, Passage, Scheme, SendOptions, Verdict};
use ackless_schemes::AnyScheme;
use ackless_wire::{Duration, Instant, Packet, PacketId};

use crate::testing::ears;
use crate::testing::tested::{Tested, TestedCell};

/// Hears what a [`Tap`] hears.
pub trait Listener {
    /// The MAC of `node` has accepted a frame with this packet.
    fn accepted(&mut self, _node: NodeId, _packet: &Packet) {}

    /// This has come to pass through the node.
    fn comes(&mut self, _now: Instant, _passage: Passage, _packet: &Packet) {}

    /// What goes on in this packet's place, where the scheme lets it pass.
    fn stands_for(&mut self, _passage: Passage, _packet: &Packet) -> Option<Packet> {
        None
    }

    /// This goes on through the node.
    fn goes(&mut self, _now: Instant, _passage: Passage, _packet: &Packet) {}

    /// The node's host has handed this to its MAC.
    fn handed_down(&mut self, _now: Instant, _packet: &Packet) {}

    /// This was given its sequence number, which is when it goes on the air or behind an RTS: once.
    fn numbered(&mut self, _now: Instant, _packet: &Packet) {}

    /// This has risen from the node's reorder buffer.
    fn risen(&mut self, _now: Instant, _packet: &Packet) {}
}

/// A listener of several taps, or one that is asked afterwards what it has heard.
impl<L: Listener> Listener for Arc<Mutex<L>> {
    fn accepted(&mut self, node: NodeId, packet: &Packet) {
        shared(self).accepted(node, packet);
    }

    fn comes(&mut self, now: Instant, passage: Passage, packet: &Packet) {
        shared(self).comes(now, passage, packet);
    }

    fn stands_for(&mut self, passage: Passage, packet: &Packet) -> Option<Packet> {
        shared(self).stands_for(passage, packet)
    }

    fn goes(&mut self, now: Instant, passage: Passage, packet: &Packet) {
        shared(self).goes(now, passage, packet);
    }

    fn handed_down(&mut self, now: Instant, packet: &Packet) {
        shared(self).handed_down(now, packet);
    }

    fn numbered(&mut self, now: Instant, packet: &Packet) {
        shared(self).numbered(now, packet);
    }

    fn risen(&mut self, now: Instant, packet: &Packet) {
        shared(self).risen(now, packet);
    }
}

/// What several listen with, or write to.
pub fn shared<L>(common: &Mutex<L>) -> MutexGuard<'_, L> {
    common.lock().expect("a run ends with its first panic")
}

/// A node's scheme, and who listens.
pub struct Tap {
    scheme: AnyScheme,
    listener: Box<dyn Listener>,
}

impl Tap {
    /// On a node, as one of its cell's.
    pub fn boxed(scheme: AnyScheme, listener: impl Listener + 'static) -> Box<dyn Tested> {
        Box::new(Self { scheme, listener: Box::new(listener) })
    }
}

impl Tested for Tap {
    fn product(&self) -> Option<&AnyScheme> {
        Some(&self.scheme)
    }
}

/// Runs a cell, `prepared` so, to its end: its capture, and what a listener at this node has heard.
pub fn record<L: Listener + Default + 'static>(
    config: &CellConfig,
    seed: u64,
    place: NodeId,
    prepared: impl FnOnce(&mut TestedCell<'_>),
) -> (Vec<u8>, L) {
    let mut writer = PcapWriter::of_cell(Vec::new(), config).expect("memory takes everything");
    let heard = Arc::new(Mutex::new(L::default()));
    let tap = |node| {
        // What happens at others is nobody's affair.
        let listener = if node == place { Arc::clone(&heard) } else { Arc::default() };
        Tap::boxed(scheme(config, node), listener)
    };
    let mut cell = Cell::new(config, seed, tap, ears::with(config, &mut writer));
    prepared(&mut cell);
    cell.advance(config.end());
    drop(cell);
    (writer.finish().expect("memory takes everything"), std::mem::take(&mut *shared(&heard)))
}

/// Asks the scheme, and nothing else.
macro_rules! pass_on {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $answer:ty)?;)*) => {
        $(fn $name(&mut self, cx: &mut Context<'_>, $($argument: $type),*) $(-> $answer)? {
            self.scheme.$name(cx, $($argument),*)
        })*
    };
}

impl Scheme for Tap {
    fn on_mpdu(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) -> Admission {
        let admission = self.scheme.on_mpdu(cx, mpdu);
        if admission == Admission::Accept {
            self.listener.accepted(cx.node, cx.pool.get(mpdu.packet));
        }
        admission
    }

    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        self.listener.handed_down(cx.now, cx.pool.get(packet));
        self.scheme.on_outgoing(cx, packet, handle, options)
    }

    fn on_sequenced(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.listener.numbered(cx.now, cx.pool.get(mpdu.packet));
        self.scheme.on_sequenced(cx, mpdu);
    }

    fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, from: NodeId) -> Verdict {
        self.listener.risen(cx.now, cx.pool.get(packet));
        self.scheme.on_upward(cx, packet, from)
    }

    fn on_forward(&mut self, cx: &mut Context<'_>, packet: PacketId, passage: Passage) -> Verdict {
        self.listener.comes(cx.now, passage, cx.pool.get(packet));
        let verdict = self.scheme.on_forward(cx, packet, passage);
        let verdict = match (verdict, self.listener.stands_for(passage, cx.pool.get(packet))) {
            (Verdict::Pass, Some(other)) => Verdict::Replace(cx.pool.insert(other)),
            (verdict, None) => verdict,
            (verdict, Some(_)) => panic!("{verdict:?}: what a listener changes, the scheme must let pass"),
        };
        let goes = match verdict {
            Verdict::Pass => Some(packet),
            Verdict::Replace(other) => Some(other),
            Verdict::Hold | Verdict::Swallow => None,
        };
        if let Some(packet) = goes {
            self.listener.goes(cx.now, passage, cx.pool.get(packet));
        }
        verdict
    }

    pass_on! {
        on_sent(packet: PacketId, to: NodeId);
        on_queued(packet: PacketId, handle: FrameHandle);
        on_dropped(handle: FrameHandle);
        on_ppdu_out(to: NodeId, queued: Backlog, bits: &mut HeaderBits);
        on_ppdu_in(arrival: &Arrival);
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

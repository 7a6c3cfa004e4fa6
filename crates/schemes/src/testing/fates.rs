//! A scheme that follows each frame from its queue to its fate.

use ackless_dot11::frame::{FrameHandle, MacSeq, Mpdu, NodeId};
use ackless_dot11::hooks::{Context, Scheme, SendOptions, Verdict};
use ackless_wire::{Instant, PacketId};

use super::Log;

/// Writes down all that it is told of each frame.
#[derive(Clone, Debug, Default)]
pub struct Fates(pub Log<(Instant, FrameHandle, Step)>);

/// What happened to a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It was handed to the MAC.
    Handed,
    /// It got this sequence number.
    Sequenced(NodeId, MacSeq),
    /// It was delivered.
    Delivered(MacSeq),
    /// It was given up.
    GivenUp(MacSeq),
    /// Its queue dropped it.
    Dropped,
}

impl Scheme for Fates {
    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        _packet: PacketId,
        handle: FrameHandle,
        _options: &mut SendOptions,
    ) -> Verdict {
        self.0.push((cx.now, handle, Step::Handed));
        Verdict::Pass
    }

    fn on_sequenced(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.0.push((cx.now, mpdu.handle, Step::Sequenced(mpdu.receiver, mpdu.seq)));
    }

    fn on_delivered(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.0.push((cx.now, mpdu.handle, Step::Delivered(mpdu.seq)));
    }

    fn on_given_up(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.0.push((cx.now, mpdu.handle, Step::GivenUp(mpdu.seq)));
    }

    fn on_dropped(&mut self, cx: &mut Context<'_>, handle: FrameHandle) {
        self.0.push((cx.now, handle, Step::Dropped));
    }
}

//! Schemes that do something with the pure TCP ACKs that are handed to their node's MAC.

use ackless_dot11::frame::FrameHandle;
use ackless_dot11::hooks::{Context, Emission, Scheme, SendOptions, Verdict};
use ackless_wire::{Duration, Instant, PacketId};

use super::{Log, identification, renamed};

/// Sends each ACK with changed options.
#[derive(Clone, Copy, Debug)]
pub struct Sends(pub fn(&mut SendOptions));

/// Holds ACKs back and queues them together, so long after the first one came.
#[derive(Debug)]
pub struct Holds {
    /// How long.
    pub span: Duration,
    /// The name of each frame that was queued, with the packet's identification.
    pub queued: Log<(FrameHandle, u16)>,
    held: Vec<(PacketId, SendOptions)>,
    due: Option<Instant>,
}

/// Takes each ACK and queues it itself at once.
#[derive(Clone, Copy, Debug)]
pub struct Requeues;

/// Swallows every second ACK.
#[derive(Clone, Debug, Default)]
pub struct Swallows {
    /// The identification of each that was swallowed.
    pub swallowed: Log<u16>,
    seen: u64,
}

/// Sends each ACK as a copy with this identification.
#[derive(Clone, Copy, Debug)]
pub struct Replaces(pub u16);

/// Takes the ACK before back when the next one comes.
#[derive(Clone, Debug, Default)]
pub struct Withdraws {
    /// For each ACK but the last: when the next one came, its identification, and whether it could be taken back.
    pub attempts: Log<(Instant, u16, bool)>,
    last: Option<(FrameHandle, u16)>,
}

impl Scheme for Sends {
    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        _handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        if is_ack(cx, packet) {
            (self.0)(options);
        }
        Verdict::Pass
    }
}

impl Holds {
    /// Holds for this long.
    pub fn new(span: Duration) -> Self {
        Self { span, queued: Log::default(), held: Vec::new(), due: None }
    }
}

impl Scheme for Holds {
    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        _handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        if !is_ack(cx, packet) {
            return Verdict::Pass;
        }
        self.held.push((packet, *options));
        self.due.get_or_insert(cx.now + self.span);
        Verdict::Hold
    }

    fn on_queued(&mut self, cx: &mut Context<'_>, packet: PacketId, handle: FrameHandle) {
        self.queued.push((handle, identification(cx.pool.get(packet))));
    }

    fn on_timer(&mut self, cx: &mut Context<'_>) {
        self.due = None;
        for (packet, options) in self.held.drain(..) {
            cx.emit(Emission::Queue(packet, options));
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.due
    }
}

impl Scheme for Requeues {
    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        _handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        if !is_ack(cx, packet) {
            return Verdict::Pass;
        }
        cx.emit(Emission::Queue(packet, *options));
        Verdict::Hold
    }
}

impl Scheme for Swallows {
    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        _handle: FrameHandle,
        _options: &mut SendOptions,
    ) -> Verdict {
        if !is_ack(cx, packet) {
            return Verdict::Pass;
        }
        self.seen += 1;
        if self.seen % 2 == 1 {
            return Verdict::Pass;
        }
        self.swallowed.push(identification(cx.pool.get(packet)));
        Verdict::Swallow
    }
}

impl Scheme for Replaces {
    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        _handle: FrameHandle,
        _options: &mut SendOptions,
    ) -> Verdict {
        if !is_ack(cx, packet) {
            return Verdict::Pass;
        }
        let copy = renamed(cx.pool.get(packet), self.0);
        Verdict::Replace(cx.pool.insert(copy))
    }
}

impl Scheme for Withdraws {
    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        handle: FrameHandle,
        _options: &mut SendOptions,
    ) -> Verdict {
        if !is_ack(cx, packet) {
            return Verdict::Pass;
        }
        let id = identification(cx.pool.get(packet));
        if let Some((last, id)) = self.last.replace((handle, id)) {
            let taken = cx.withdraw(last);
            self.attempts.push((cx.now, id, taken.is_ok()));
            if let Ok(packet) = taken {
                cx.pool.release(packet);
            }
        }
        Verdict::Pass
    }
}

fn is_ack(cx: &Context<'_>, packet: PacketId) -> bool {
    cx.pool.get(packet).pure_ack().is_some()
}

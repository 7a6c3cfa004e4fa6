//! Schemes that do something with packets on their way up or through a node, and emit packets of their own.

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::{Context, Emission, Passage, Scheme, Verdict};
use ackless_wire::{Duration, Instant, PacketId, Payload};

use super::{Log, identification};

/// Holds each packet on its way up for so long, and then gives it to the local transport.
#[derive(Debug)]
pub struct Detains {
    /// How long.
    pub span: Duration,
    held: std::collections::VecDeque<(Instant, PacketId)>,
}

/// Lets none but every n-th packet on its way up go further.
#[derive(Clone, Copy, Debug)]
pub struct Thins {
    /// This n, at least 1.
    pub keep_every: u64,
    seen: u64,
}

/// Replaces each packet on its way up by a copy with this many bytes of payload.
#[derive(Clone, Copy, Debug)]
pub struct Shortens(pub u32);

/// Swallows pure ACKs on their way up, and emits a copy of each onwards.
#[derive(Clone, Debug, Default)]
pub struct Relays {
    /// Who sent each ACK that was emitted.
    pub emitted: Log<NodeId>,
}

/// Writes down what passes through, and lets none but every n-th packet pass.
#[derive(Clone, Debug)]
pub struct Guards {
    /// This n, at least 1.
    pub keep_every: u64,
    /// Each passage, with the packet's identification and whether it went on.
    pub passages: Log<(Passage, u16, bool)>,
    seen: u64,
}

/// Holds each packet that comes from the wire, and lets it go on so much later.
#[derive(Debug)]
pub struct Stores {
    /// How much later.
    pub span: Duration,
    held: std::collections::VecDeque<(Instant, PacketId)>,
}

impl Detains {
    /// Holds for this long.
    pub fn new(span: Duration) -> Self {
        Self { span, held: std::collections::VecDeque::new() }
    }
}

impl Scheme for Detains {
    fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, _from: NodeId) -> Verdict {
        self.held.push_back((cx.now + self.span, packet));
        Verdict::Hold
    }

    fn on_timer(&mut self, cx: &mut Context<'_>) {
        while let Some((_, packet)) = self.held.pop_front_if(|(due, _)| *due <= cx.now) {
            cx.emit(Emission::Local(packet));
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.held.front().map(|(due, _)| *due)
    }
}

impl Thins {
    /// Keeps every n-th.
    pub fn new(keep_every: u64) -> Self {
        Self { keep_every, seen: 0 }
    }
}

impl Scheme for Thins {
    fn on_upward(&mut self, _cx: &mut Context<'_>, _packet: PacketId, _from: NodeId) -> Verdict {
        self.seen += 1;
        if self.seen.is_multiple_of(self.keep_every) { Verdict::Pass } else { Verdict::Swallow }
    }
}

impl Scheme for Shortens {
    fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, _from: NodeId) -> Verdict {
        let mut copy = cx.pool.get(packet).clone();
        copy.payload = Payload::Length(self.0);
        Verdict::Replace(cx.pool.insert(copy))
    }
}

impl Scheme for Relays {
    fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, from: NodeId) -> Verdict {
        if cx.pool.get(packet).pure_ack().is_none() {
            return Verdict::Pass;
        }
        let copy = cx.pool.get(packet).clone();
        let copy = cx.pool.insert(copy);
        cx.emit(Emission::Onward(copy, from));
        self.emitted.push(from);
        Verdict::Swallow
    }
}

impl Guards {
    /// Keeps every n-th.
    pub fn new(keep_every: u64) -> Self {
        Self { keep_every, passages: Log::default(), seen: 0 }
    }
}

impl Scheme for Guards {
    fn on_forward(&mut self, cx: &mut Context<'_>, packet: PacketId, passage: Passage) -> Verdict {
        self.seen += 1;
        let keep = self.seen.is_multiple_of(self.keep_every);
        self.passages.push((passage, identification(cx.pool.get(packet)), keep));
        if keep { Verdict::Pass } else { Verdict::Swallow }
    }
}

impl Stores {
    /// Holds for this long.
    pub fn new(span: Duration) -> Self {
        Self { span, held: std::collections::VecDeque::new() }
    }
}

impl Scheme for Stores {
    fn on_forward(&mut self, cx: &mut Context<'_>, packet: PacketId, passage: Passage) -> Verdict {
        if !matches!(passage, Passage::FromWire(_)) {
            return Verdict::Pass;
        }
        self.held.push_back((cx.now + self.span, packet));
        Verdict::Hold
    }

    fn on_timer(&mut self, cx: &mut Context<'_>) {
        while let Some((_, packet)) = self.held.pop_front_if(|(due, _)| *due <= cx.now) {
            cx.emit(Emission::Onward(packet, cx.node));
        }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.held.front().map(|(due, _)| *due)
    }
}

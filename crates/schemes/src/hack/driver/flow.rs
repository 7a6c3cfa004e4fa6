//! One flow of ACKs towards a peer.

use std::collections::VecDeque;

use ackless_dot11::frame::FrameHandle;
use ackless_dot11::hooks::SendOptions;
use ackless_rohc::hack::{Ack, AckRef, Cid, Code, Codec, Compressor};
use ackless_wire::{Duration, Instant, PacketId, SeqNumber};

use crate::guard::Rtt;

/// One flow of ACKs.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) cid: Cid,
    /// Whether its ACKs can be compressed.
    pub(super) state: FlowState,
    /// Its frames that were handed to the MAC as they are and have no fate yet, all kinds.
    pub(super) outstanding: u32,
    /// Those of them that are pure ACKs.
    pub(super) outstanding_acks: u32,
    /// ACKs in the queue that may be taken back, in the order in which they were handed over.
    pub(super) candidates: VecDeque<Candidate>,
    /// The context before the first code that was on no answer, where that is known; meaningful while there is such a code, see `take_back`.
    pub(super) before_unsent: FlowState,
    /// When the peer may have received a native pure ACK or a run of it last.
    pub(super) maybe_received: Option<Instant>,
    /// When the last one was sent that the peer is known to have received.
    pub(super) surely_received: Option<Instant>,
    /// The TSval of its newest ACK.
    pub(super) ts_val: Option<u32>,
    /// Its round trip, from an ACK to data that follows from it.
    pub(super) rtt: Rtt,
    /// Data that came again though an ACK for it was on an answer: where it begins, and how often
    /// it did.
    pub(super) repeated: Option<(SeqNumber, u32)>,
    /// When a packet of it was last handed over.
    pub(super) last_used: Instant,
}

/// The context of a flow at this end. What is held of the flow lies with the NIC; it may also hold codes of a closed context,
/// which were on an answer and stay until a native frame stands for them.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::large_enum_variant,
    reason = "a flow with ACKs is open nearly always, and opens anew with each native one"
)]
pub(super) enum FlowState {
    /// The peer is not known to have a reference: ACKs go natively.
    #[default]
    Closed,
    /// So does the next one; but this native ACK, the newest that got a sequence number, opens the context when it is
    /// acknowledged at link layer.
    Awaiting(FrameHandle),
    /// The peer has the reference, and each code that was on an answer is in terms of the one before it.
    Open(Compressor),
}

/// An ACK that waits for an answer: its packet, with a reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) packet: PacketId,
    pub(super) options: SendOptions,
    pub(super) since: Instant,
}

/// An ACK that is queued natively and could go on an answer instead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) handle: FrameHandle,
    pub(super) ack: Ack,
    pub(super) options: SendOptions,
    pub(super) since: Instant,
}

impl Flow {
    pub(super) fn new(cid: Cid, now: Instant) -> Self {
        Self {
            cid,
            state: FlowState::Closed,
            outstanding: 0,
            outstanding_acks: 0,
            candidates: VecDeque::new(),
            before_unsent: FlowState::Closed,
            maybe_received: None,
            surely_received: None,
            ts_val: None,
            rtt: Rtt::new(),
            repeated: None,
            last_used: now,
        }
    }

    /// The next connection between the same addresses begins: its timestamps do so at an offset of their own (RFC 7323, 5.4), so that none of before is compared with them.
    pub(super) const fn begin_anew(&mut self) {
        self.ts_val = None;
        self.rtt = Rtt::new();
    }

    /// An ACK of it was handed over.
    #[inline]
    pub(super) fn note_ack(&mut self, ack: AckRef<'_>, now: Instant) {
        self.ts_val = ack.tcp().options.timestamps.map(|(value, _)| value);
        self.rtt.on_ack(self.ts_val, now);
        self.last_used = now;
    }

    /// A frame of it was handed to the MAC as it is.
    pub(super) fn on_handed_over(&mut self, pure: bool) {
        self.outstanding += 1;
        self.outstanding_acks += u32::from(pure);
    }

    /// Such a frame has its fate, or was taken back.
    pub(super) fn on_settled(&mut self, pure: bool) {
        self.outstanding -= 1;
        self.outstanding_acks -= u32::from(pure);
    }

    /// A native pure ACK or a run that was sent at `sent` has been received.
    pub(super) fn note_received(&mut self, sent: Instant) {
        self.surely_received = self.surely_received.max(Some(sent));
    }

    /// Whether the peer has surely received no pure ACK of this flow for [`CID_IDLE`], native or in a run, and none is
    /// on its way, of which the NIC holds `held`. Its data does not count, as it does not for the peer.
    pub(super) fn is_idle(&self, held: usize, now: Instant) -> bool {
        let received = self.maybe_received.is_some_and(|at| is_recent(at, now));
        self.outstanding_acks == 0 && held == 0 && !received
    }
}

/// Whether the peer may count a flow as active of which it may have received something at `at`.
pub(super) fn is_recent(at: Instant, now: Instant) -> bool {
    now.saturating_since(at) < CID_IDLE + CID_MARGIN
}

impl FlowState {
    /// A native ACK was acknowledged at link layer: the context opens if it is the one that was awaited.
    pub(super) fn open(&mut self, codec: Codec, native: FrameHandle, ack: impl FnOnce() -> Option<Ack>) {
        if matches!(self, Self::Awaiting(awaited) if *awaited == native)
            && let Some(ack) = ack()
        {
            let mut compressor = Compressor::new(codec);
            compressor.install(&ack);
            *self = Self::Open(compressor);
        }
    }

    /// Whether ACKs can be compressed.
    pub(super) const fn is_open(&self) -> bool {
        matches!(self, Self::Open(_))
    }

    /// Compresses the next ACK, if it can be. One that goes back behind the last is refused: the network reordered it on its way here,
    /// and the peer takes no such code for genuine.
    #[inline]
    pub(super) fn compress(&mut self, ack: AckRef<'_>, code: &mut Code) -> bool {
        let Self::Open(compressor) = self else { return false };
        let goes_back = compressor.reference().is_some_and(|last| ack.tcp().ack.before(last.tcp().ack));
        !goes_back && compressor.compress_into(ack, code).is_ok()
    }
}

/// The owner of a context identifier keeps it until nothing of it has been received for this long. A constant of the
/// protocol: both ends must have the same.
pub(in crate::hack) const CID_IDLE: Duration = Duration::from_secs(1);
/// More than from the start of an answer, when this end counts, to its end, when the other does: the longest frame, 4063 bytes, lasts 33 ms at
/// 1 Mbps.
const CID_MARGIN: Duration = Duration::from_millis(40);

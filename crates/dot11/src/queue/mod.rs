//! What stands between a packet handed to the MAC and its transmission: a queue for each receiver, and who is served next.
//!
//! - [`TxQueue`]: [`fifo`] with a packet limit, or [`fq_codel`], which manages each flow by [`codel`];
//! - [`Device`]: what the device below those queues is given in advance, if it is;
//! - [`Scheduler`]: which receiver's queue gets the next channel access.
//!
//! Each receiver has a queue and a limit of its own, for what waits in it, unless [`QueueBounds`](crate::station::QueueBounds) say otherwise; Linux's mac80211 has one limit for all stations of a radio.
//! CoDel marks packets that may be marked (ECN, RFC 3168) where that is chosen; a full queue drops.

pub mod codel;
pub mod device;
pub mod fifo;
pub mod fq_codel;
pub mod scheduler;
#[cfg(test)]
pub(crate) mod tests;

use ackless_phy::TxVector;
use ackless_wire::{Bytes, Instant, PacketId};

pub use codel::CodelConfig;
pub use device::{AirtimeLimits, Device, DeviceLimit, Staged, expected_airtime};
pub use fifo::Fifo;
pub use fq_codel::{FqCodel, FqCodelConfig};
pub use scheduler::{Scheduler, SchedulerKind};

use crate::content::Content;
use crate::frame::{AckPolicy, Ds, FrameHandle, MacSeq, Mpdu, MpduKind, NodeId, Part};

/// How a packet is to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SendOptions {
    /// Who shall receive it off the air (RA); a group is not answered.
    pub receiver: NodeId,
    /// Where it goes in the end (DA).
    pub destination: NodeId,
    /// Where it came from first (SA).
    pub source: NodeId,
    /// The direction bits.
    pub ds: Ds,
    /// Type and TID.
    pub kind: MpduKind,
    /// What answer it asks for.
    pub ack_policy: AckPolicy,
    /// How it is modulated; the link's rate if not given.
    pub rate: Option<TxVector>,
}

/// A packet in a queue.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    /// The packet, with a reference, as the MPDU that it will be, still without a sequence number.
    pub mpdu: Mpdu,
    /// How it is modulated; the link's rate if not given.
    pub rate: Option<TxVector>,
    /// When it was queued.
    pub enqueued: Instant,
}

/// Which kind of queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueueConfig {
    /// First in, first out, with a limit in packets.
    Fifo {
        /// At least 1.
        packets: usize,
    },
    /// FQ-CoDel over the flows to this receiver.
    FqCodel(FqCodelConfig),
}

/// What waits for one receiver.
#[derive(Clone, Debug)]
pub enum TxQueue {
    /// First in, first out.
    Fifo(Fifo),
    /// Fair among flows, and each kept short.
    FqCodel(FqCodel),
    /// One of these with the device's queue below it.
    Staged(Box<Staged>),
}

impl Queued {
    /// A packet that `transmitter` queues `now` under a name, to be sent as the options say.
    #[inline(always)]
    pub const fn new(
        now: Instant,
        transmitter: NodeId,
        content: Content,
        handle: FrameHandle,
        options: SendOptions,
    ) -> Self {
        let Content { packet, len, payload_len, tcp_ack } = content;
        let SendOptions { receiver, destination, source, ds, kind, ack_policy, rate } = options;
        let mpdu = Mpdu {
            packet,
            packet_len: len,
            payload_len,
            tcp_ack,
            handle,
            kind,
            ds,
            receiver,
            transmitter,
            destination,
            source,
            seq: MacSeq::ZERO,
            retry: false,
            ack_policy,
            part: Part::Alone,
        };
        Self { mpdu, rate, enqueued: now }
    }

    /// Whether it goes under a BlockAck agreement with `peer`: a QoS frame to the peer itself, at the link's rate, with an answer.
    ///
    /// The standard lets an A-MPDU without an answer carry QoS Data under No Ack outside of any agreement, and Action No Ack frames
    /// (802.11-2020, 9.7.3). No such A-MPDUs are made here: what is not answered goes alone.
    #[inline]
    pub(crate) fn goes_under_agreement(&self, peer: NodeId) -> bool {
        let Mpdu { kind, ack_policy, receiver, .. } = self.mpdu;
        kind.is_qos() && ack_policy == AckPolicy::Normal && self.rate.is_none() && receiver == peer
    }

    /// Puts another packet in the place of this one, which is returned. Since when the frame has waited does not change.
    pub const fn exchange(&mut self, content: Content) -> PacketId {
        let Content { packet, len, payload_len, tcp_ack } = content;
        let mpdu = &mut self.mpdu;
        let before = mpdu.packet;
        (mpdu.packet, mpdu.packet_len, mpdu.payload_len, mpdu.tcp_ack) = (packet, len, payload_len, tcp_ack);
        before
    }
}

impl TxQueue {
    /// An empty queue.
    pub fn new(config: QueueConfig) -> Self {
        match config {
            QueueConfig::Fifo { packets } => Self::Fifo(Fifo::new(packets)),
            QueueConfig::FqCodel(config) => Self::FqCodel(FqCodel::new(config)),
        }
    }

    /// The limit of one with a limit in packets.
    pub fn limit(&self) -> Option<usize> {
        match self {
            Self::Fifo(fifo) => Some(fifo.limit()),
            Self::FqCodel(_) => None,
            Self::Staged(staged) => staged.above().limit(),
        }
    }

    /// Queues a packet of the flow with this key. `drop` takes what is dropped for it.
    #[inline(always)]
    pub fn push(&mut self, item: Queued, flow: u32, drop: impl FnMut(Queued)) {
        match self {
            Self::Fifo(fifo) => fifo.push(item, drop),
            _ => self.push_managed(item, flow, drop),
        }
    }

    // What is asked for each packet of a fifo stands where it is asked; the other queues take their time.
    #[inline(never)]
    fn push_managed(&mut self, item: Queued, flow: u32, drop: impl FnMut(Queued)) {
        match self {
            Self::Fifo(fifo) => fifo.push(item, drop),
            Self::FqCodel(fq) => fq.push(item, flow, drop),
            Self::Staged(staged) => staged.push(item, flow, drop),
        }
    }

    /// Takes the next packet. `drop` takes what queue management drops before it, or gives it back marked.
    pub fn pop(&mut self, now: Instant, drop: impl FnMut(Queued) -> Option<Queued>) -> Option<Queued> {
        match self {
            Self::Fifo(fifo) => fifo.pop(),
            Self::FqCodel(fq) => fq.pop(now, drop),
            Self::Staged(staged) => staged.pop(),
        }
    }

    /// The packet that would be next, if queue management dropped none; of those that the device has, where there is one.
    pub fn peek(&self) -> Option<&Queued> {
        match self {
            Self::Fifo(fifo) => fifo.peek(),
            Self::FqCodel(fq) => fq.peek(),
            Self::Staged(staged) => staged.peek(),
        }
    }

    /// Whether its management marks packets that may be marked (ECN).
    pub fn marks(&self) -> bool {
        match self {
            Self::Fifo(_) => false,
            Self::FqCodel(fq) => fq.marks(),
            Self::Staged(staged) => staged.above().marks(),
        }
    }

    /// Packets that wait.
    pub fn len(&self) -> usize {
        match self {
            Self::Fifo(fifo) => fifo.len(),
            Self::FqCodel(fq) => fq.len(),
            Self::Staged(staged) => staged.len(),
        }
    }

    /// Their lengths together.
    pub fn bytes(&self) -> Bytes {
        match self {
            Self::Fifo(fifo) => fifo.bytes(),
            Self::FqCodel(fq) => fq.bytes(),
            Self::Staged(staged) => staged.bytes(),
        }
    }

    /// Whether none waits.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Fifo(fifo) => fifo.is_empty(),
            _ => self.len() == 0,
        }
    }

    /// Puts another packet into a frame that waits, wherever it stands but in the device, and returns the one before.
    pub fn exchange(&mut self, handle: FrameHandle, content: Content) -> Option<PacketId> {
        match self {
            Self::Fifo(fifo) => fifo.exchange(handle, content),
            Self::FqCodel(fq) => fq.exchange(handle, content),
            Self::Staged(staged) => staged.exchange(handle, content),
        }
    }

    /// Takes a frame out, wherever it stands but in the device.
    pub fn withdraw(&mut self, handle: FrameHandle) -> Option<Queued> {
        match self {
            Self::Fifo(fifo) => fifo.withdraw(handle),
            Self::FqCodel(fq) => fq.withdraw(handle),
            Self::Staged(staged) => staged.withdraw(handle),
        }
    }
}

//! A request, from the ACK that it stands for to the answer that is known to have arrived.

use ackless_dot11::frame::FrameHandle;
use ackless_dot11::hooks::{Emission, SendOptions};
use ackless_wire::{Duration, Instant, PacketId, SeqNumber};

use super::super::names::Name;
use super::env::Env;

/// The client's own ACK, on its way.
#[derive(Clone, Copy, Debug)]
pub(super) enum NativeAck {
    /// From the transport to the MAC, which has no reference yet.
    Coming(PacketId),
    /// In the queue, by its frame's name.
    Queued(FrameHandle, SendOptions),
    /// Kept here, with its reference.
    Kept(PacketId, SendOptions),
}

/// A request that no answer has carried yet. The older ACKs that it covers are the flow's `older`, in their order, so that their place serves
/// the next request too.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) name: Name,
    pub(super) ack: SeqNumber,
    /// The ACK itself, unless the queue has dropped it.
    pub(super) native: Option<NativeAck>,
    /// Whether any of them is kept here.
    pub(super) any_kept: bool,
    /// When the first of them came.
    pub(super) since: Instant,
}

/// A request that an answer has carried, not known to have arrived.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) name: Name,
    pub(super) ack: SeqNumber,
    /// The ACK itself: kept, or coming.
    pub(super) native: Option<NativeAck>,
    /// When the guard timer ends.
    pub(super) until: Instant,
}

impl Pending {
    /// The ACK of this packet, that is on its way to the MAC.
    #[inline]
    pub(super) fn coming<'a>(&'a mut self, older: &'a mut [NativeAck], packet: PacketId) -> Option<&'a mut NativeAck> {
        self.native.iter_mut().chain(older).find(|native| native.is_coming(packet))
    }

    /// Is not asked for any more: what is kept goes natively, in its order.
    pub(super) fn send_natively(self, older: &mut Vec<NativeAck>, env: &mut Env<'_, '_>) {
        for native in older.drain(..).chain(self.native) {
            env.counters.let_go += u64::from(matches!(native, NativeAck::Kept(..)));
            native.send_natively(env);
        }
    }

    /// Goes into an answer: the client's own ACKs are taken back. `None` where the newest is out of reach, and goes by itself; older ones that are
    /// kept follow it. It waits for a sign that the answer has arrived for so long.
    pub(super) fn ask(self, older: &mut Vec<NativeAck>, env: &mut Env<'_, '_>, patience: Duration) -> Option<Asked> {
        let native = match self.native.map(|native| native.take_back(env)) {
            Some(None) => {
                env.counters.too_late += 1;
                older.drain(..).for_each(|older| older.send_natively(env));
                return None;
            }
            Some(Some(native)) => Some(native),
            None => None,
        };
        env.counters.requested += 1;
        env.counters.cancelled += u64::from(native.is_some());
        for older in older.drain(..) {
            if let Some(older) = older.take_back(env) {
                older.discard(env);
                env.counters.cancelled += 1;
                env.counters.covered += 1;
            }
        }
        let until = env.cx.now + patience;
        env.wake_at(until);
        Some(Asked { name: self.name, ack: self.ack, native, until })
    }
}

impl Asked {
    /// The ACK is not needed any more.
    pub(super) fn discard_native(self, env: &mut Env<'_, '_>) {
        if let Some(native) = self.native {
            native.discard(env);
        }
    }
}

impl NativeAck {
    /// Takes it out of the queue; `None` where it is out of reach.
    fn take_back(self, env: &mut Env<'_, '_>) -> Option<Self> {
        match self {
            Self::Queued(handle, options) => env.cx.withdraw(handle).ok().map(|packet| Self::Kept(packet, options)),
            Self::Coming(_) | Self::Kept(..) => Some(self),
        }
    }

    /// Whether it is this packet, on its way to the MAC.
    #[inline]
    pub(super) fn is_coming(&self, packet: PacketId) -> bool {
        matches!(self, Self::Coming(coming) if *coming == packet)
    }

    /// Whether it waits in the queue under this name.
    pub(super) fn is_frame(&self, name: FrameHandle) -> bool {
        matches!(self, Self::Queued(handle, _) if *handle == name)
    }

    /// It goes no further, unless it is queued.
    pub(super) fn discard(self, env: &mut Env<'_, '_>) {
        match self {
            Self::Kept(packet, _) => env.cx.pool.release(packet),
            Self::Coming(packet) => env.unwanted.push(packet),
            Self::Queued(..) => {}
        }
    }

    /// It goes natively: what is coming or queued does so by itself.
    pub(super) fn send_natively(self, env: &mut Env<'_, '_>) {
        if let Self::Kept(packet, options) = self {
            env.cx.emit(Emission::Queue(packet, options));
        }
    }
}

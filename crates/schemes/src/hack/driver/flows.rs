//! The flows whose ACKs go to one peer, and who owns each context identifier.
//!
//! **Ownership.** The identifier is one byte of a hash (paper, 3.3.2), so two flows may share it. The first one owns
//! it, and the other goes natively until the owner has been idle for [`CID_IDLE`]. Both ends follow from the same
//! frames, and no loss makes them disagree:
//! - the decompressing end gives a free identifier to the flow of the first native pure ACK, by MAC sequence number,
//!   and another flow takes it over only when nothing of the owner (native pure ACK or run; its data does not count) has
//!   been received for [`CID_IDLE`];
//! - this end takes a flow for the owner only after a native ACK of it was acknowledged at link layer that was *clear*:
//!   when it got its sequence number, no other flow with the identifier could still count as active at the other end,
//!   by the same frames;
//! - while flows share an identifier, the owner must be known to have been received within [`CID_IDLE`]; after a longer
//!   pause it is the owner only by a clear native ACK again.
//!
//! Where the clear native ACK was given up, and another flow's came after it, neither is known to own the identifier,
//! and both go natively until one has been idle.

use std::collections::VecDeque;

use ackless_dot11::frame::FrameHandle;
use ackless_dot11::hooks::SendOptions;
use ackless_rohc::hack::{Ack, Cid, Code, Compressor};
use ackless_wire::{Duration, Instant, PacketId};

use crate::flow_key::{FlowKey, Table};

/// All flows towards one peer. A flow is named by its place, which is also the number of its chain in the NIC.
#[derive(Debug)]
pub(super) struct Flows {
    flows: Vec<Option<Flow>>,
    places: Table<u16>,
    identifiers: Box<[Identifier; 256]>,
    /// Identifiers that several flows share.
    shared: usize,
    /// Idle flows are forgotten when there are so many.
    sweep_at: usize,
}

/// One flow of ACKs.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) cid: Cid,
    /// Closed unless the peer is known to have its reference.
    pub(super) compressor: Compressor,
    /// The packets behind the descriptors of its chain, each with its reference.
    pub(super) held: VecDeque<Held>,
    /// Its frames that were handed to the MAC as they are and have no fate yet, all kinds.
    pub(super) outstanding: u32,
    /// Those of them that are pure ACKs.
    pub(super) outstanding_acks: u32,
    /// The newest pure ACK that got a sequence number: the peer's reference, once it is delivered.
    pub(super) newest: Option<FrameHandle>,
    /// ACKs in the queue that the opportunistic policy may take back.
    pub(super) candidates: VecDeque<Candidate>,
    /// The peer may have received a native pure ACK or a run of it up to then.
    pub(super) last_possible: Option<Instant>,
    /// The peer has received one that was sent then.
    pub(super) last_confirmed: Option<Instant>,
    /// When a packet of it was last handed over.
    pub(super) last_used: Instant,
}

/// An ACK that waits for an answer.
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

#[derive(Clone, Copy, Default, Debug)]
struct Identifier {
    owner: Option<u16>,
    flows: u16,
}

impl Default for Flows {
    fn default() -> Self {
        Self {
            flows: Vec::new(),
            places: Table::default(),
            identifiers: Box::new([Identifier::default(); 256]),
            shared: 0,
            sweep_at: SWEEP,
        }
    }
}

impl Flows {
    /// Whether no flow is known.
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The flow at a place, unless it was forgotten.
    pub(super) fn get(&self, place: u16) -> Option<&Flow> {
        self.flows.get(usize::from(place))?.as_ref()
    }

    /// The place of a flow.
    pub(super) fn find(&mut self, key: FlowKey) -> Option<u16> {
        self.places.get_mut(key).copied()
    }

    /// The place of a flow, which is added if it is new. `None` where there is no place left: more than 65,536 flows
    /// within [`FORGET`]; they all go natively.
    pub(super) fn find_or_add(&mut self, key: FlowKey, ack: &Ack, now: Instant) -> Option<u16> {
        if let Some(place) = self.find(key) {
            self[place].last_used = now;
            return Some(place);
        }
        if self.places.len() >= self.sweep_at {
            self.sweep(now);
            self.sweep_at = SWEEP.max(2 * self.places.len());
        }
        let free = self.flows.iter().position(Option::is_none).unwrap_or(self.flows.len());
        let place = u16::try_from(free).ok()?;
        let flow = Flow::new(Cid::of(&ack.flow()), now);
        let identifier = &mut self.identifiers[usize::from(flow.cid.0)];
        identifier.flows += 1;
        self.shared += usize::from(identifier.flows == 2);
        if free == self.flows.len() {
            self.flows.push(None);
        }
        self.flows[free] = Some(flow);
        self.places.insert(key, place);
        Some(place)
    }

    /// Whether any identifier is shared.
    pub(super) fn any_shared(&self) -> bool {
        self.shared > 0
    }

    /// Whether the peer surely takes the identifier of this flow for its own.
    pub(super) fn owns(&self, place: u16, now: Instant) -> bool {
        let flow = &self[place];
        let identifier = self.identifiers[usize::from(flow.cid.0)];
        identifier.owner == Some(place)
            && (identifier.flows < 2 || flow.last_confirmed.is_some_and(|at| now.saturating_since(at) <= CID_IDLE))
    }

    /// Whether a native ACK of this flow that gets its sequence number now makes it the owner, if it is received.
    pub(super) fn is_clear(&self, place: u16, now: Instant) -> bool {
        let cid = self[place].cid;
        if self.identifiers[usize::from(cid.0)].flows < 2 {
            return true;
        }
        let others = self.flows.iter().enumerate().filter(|(other, _)| *other != usize::from(place));
        others.filter_map(|(_, flow)| flow.as_ref()).all(|flow| flow.cid != cid || flow.is_idle(now))
    }

    /// A native ACK that was sent at `sent` is known by `now` to have been received.
    pub(super) fn on_received(&mut self, place: u16, sent: Instant, now: Instant, clear: bool) {
        let flow = &self[place];
        let paused = flow.last_confirmed.is_none_or(|at| now.saturating_since(at) > CID_IDLE);
        let identifier = &mut self.identifiers[usize::from(flow.cid.0)];
        if clear {
            identifier.owner = Some(place);
        } else if paused && identifier.owner == Some(place) {
            // Another flow may have taken it over meanwhile, and this frame does not take it back.
            identifier.owner = None;
        }
        self[place].confirmed(sent);
    }

    /// Forgets flows that have long been idle and have no frame under way. The peer then counts them as idle too.
    fn sweep(&mut self, now: Instant) {
        let (identifiers, shared) = (&mut self.identifiers, &mut self.shared);
        let flows = &mut self.flows;
        self.places.retain(|_, &place| {
            let slot = &mut flows[usize::from(place)];
            let flow = slot.as_ref().expect("a place in the table has its flow");
            let under_way = flow.outstanding > 0;
            if under_way || !flow.is_idle(now) || now.saturating_since(flow.last_used) < FORGET {
                return true;
            }
            let identifier = &mut identifiers[usize::from(flow.cid.0)];
            identifier.flows -= 1;
            identifier.owner = identifier.owner.filter(|&owner| owner != place);
            *shared -= usize::from(identifier.flows == 1);
            *slot = None;
            false
        });
    }
}

impl std::ops::Index<u16> for Flows {
    type Output = Flow;
    fn index(&self, place: u16) -> &Flow {
        self.flows[usize::from(place)].as_ref().expect("a flow with frames under way is not forgotten")
    }
}

impl std::ops::IndexMut<u16> for Flows {
    fn index_mut(&mut self, place: u16) -> &mut Flow {
        self.flows[usize::from(place)].as_mut().expect("a flow with frames under way is not forgotten")
    }
}

impl Flow {
    fn new(cid: Cid, now: Instant) -> Self {
        Self {
            cid,
            compressor: Compressor::default(),
            held: VecDeque::new(),
            outstanding: 0,
            outstanding_acks: 0,
            newest: None,
            candidates: VecDeque::new(),
            last_possible: None,
            last_confirmed: None,
            last_used: now,
        }
    }

    /// Compresses its next ACK. One that goes back behind the last is refused: the network reordered it on its way
    /// here, and the peer takes no such code for genuine.
    pub(super) fn compress(&mut self, ack: &Ack) -> Option<Code> {
        let goes_back = self.compressor.reference().is_some_and(|last| ack.tcp().ack.before(last.tcp().ack));
        if goes_back { None } else { self.compressor.compress(ack).ok() }
    }

    /// A frame of it was handed to the MAC as it is.
    pub(super) fn handed_over(&mut self, pure: bool) {
        self.outstanding += 1;
        self.outstanding_acks += u32::from(pure);
    }

    /// Such a frame has its fate, or was taken back.
    pub(super) fn settled(&mut self, pure: bool) {
        self.outstanding -= 1;
        self.outstanding_acks -= u32::from(pure);
    }

    /// A native pure ACK or a run that was sent at `sent` has been received.
    pub(super) fn confirmed(&mut self, sent: Instant) {
        self.last_confirmed = self.last_confirmed.max(Some(sent));
    }

    /// Whether the peer has surely received no pure ACK of this flow for [`CID_IDLE`], native or in a run, and none is
    /// on its way. Its data does not count, as it does not for the peer.
    fn is_idle(&self, now: Instant) -> bool {
        let heard = self.last_possible.is_some_and(|at| now.saturating_since(at) < CID_IDLE + CID_MARGIN);
        self.outstanding_acks == 0 && self.held.is_empty() && !heard
    }
}

/// The owner of a context identifier keeps it until nothing of it has been received for this long. A constant of the
/// protocol: both ends must have the same.
pub(in crate::hack) const CID_IDLE: Duration = Duration::from_secs(1);
/// More than from the start of an answer, when this end counts, to its end, when the other does: the longest frame, 4063 bytes, lasts 33 ms at
/// 1 Mbps.
const CID_MARGIN: Duration = Duration::from_millis(40);
/// An idle flow is remembered for at least this long.
const FORGET: Duration = Duration::from_secs(10);
/// So many flows are kept without looking for idle ones.
const SWEEP: usize = 32;

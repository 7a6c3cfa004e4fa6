//! The flows whose ACKs go to one peer, and who owns each context identifier.
//!
//! **Ownership.** The identifier is one byte of a hash (paper, 3.3.2), so two flows may share it. The first one owns
//! it, and the other goes natively until the owner has been idle for [`CID_IDLE`]. Both ends follow from the same
//! frames, and no loss makes them disagree:
//! - the decompressing end gives a free identifier to the flow of the first native pure ACK, by MAC sequence number,
//!   and another flow takes it over only when nothing of the owner (native pure ACK or run; its data does not count) has
//!   been received for [`CID_IDLE`];
//! - this end takes a flow for the owner only after a native ACK of it was acknowledged at link layer that *would own* the
//!   identifier: when it got its sequence number, no other flow with it could still count as active at the other end, by the
//!   same frames;
//! - while flows share an identifier, the owner must be known to have been received within [`CID_IDLE`]; after a longer
//!   pause it is the owner only by another such native ACK.
//!
//! Where such an ACK was given up, and another flow's came after it, neither is known to own the identifier,
//! and both go natively until one has been idle.

use ackless_rohc::hack::{AckRef, Cid};
use ackless_wire::{Duration, Instant, Packet, TcpHeader};

use super::flow::{CID_IDLE, Flow, Held};
use crate::flow_key::{FlowKey, FlowTable};
use crate::hack::nic::{FlowPlace, Nic};

/// All flows towards one peer. A flow is named by its place, which is also the number of its chain in the NIC.
#[derive(Debug)]
pub(super) struct Flows {
    flows: Vec<Option<Flow>>,
    places: FlowTable<FlowPlace>,
    identifiers: Box<[Identifier; 256]>,
    /// Identifiers that several flows share.
    shared: usize,
    /// Idle flows are forgotten when there are so many.
    sweep_at: usize,
}

#[derive(Clone, Copy, Default, Debug)]
struct Identifier {
    owner: Option<FlowPlace>,
    flows: u16,
}

impl Default for Flows {
    fn default() -> Self {
        Self {
            flows: Vec::new(),
            places: FlowTable::default(),
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
    pub(super) fn get(&self, place: FlowPlace) -> Option<&Flow> {
        self.flows.get(place.index())?.as_ref()
    }

    /// The place of a flow.
    pub(super) fn find(&mut self, key: FlowKey) -> Option<FlowPlace> {
        self.places.get_mut(key).copied()
    }

    /// The place of the flow of a packet with this TCP header.
    #[inline]
    pub(super) fn find_of(&mut self, packet: &Packet, tcp: &TcpHeader) -> Option<FlowPlace> {
        self.places.get_of(packet, tcp).copied()
    }

    /// The place of the flow of this ACK, which is that packet, and is added if it is new. `None` where there is no place left: more than 65,536 flows
    /// within [`FORGET`]; they all go natively.
    #[inline]
    pub(super) fn find_or_add(
        &mut self,
        packet: &Packet,
        ack: AckRef<'_>,
        nic: &Nic<Held>,
        now: Instant,
    ) -> Option<FlowPlace> {
        self.find_of(packet, ack.tcp()).or_else(|| self.add(packet, ack, nic, now))
    }

    #[inline(never)]
    fn add(&mut self, packet: &Packet, ack: AckRef<'_>, nic: &Nic<Held>, now: Instant) -> Option<FlowPlace> {
        let key = FlowKey::of(packet)?;
        if self.places.len() >= self.sweep_at {
            self.sweep(nic, now);
            self.sweep_at = SWEEP.max(2 * self.places.len());
        }
        let free = self.flows.iter().position(Option::is_none).unwrap_or(self.flows.len());
        let place = FlowPlace(u16::try_from(free).ok()?);
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
    pub(super) fn owns(&self, place: FlowPlace, now: Instant) -> bool {
        let flow = &self[place];
        let identifier = self.identifiers[usize::from(flow.cid.0)];
        identifier.owner == Some(place)
            && (identifier.flows < 2 || flow.surely_received.is_some_and(|at| now.saturating_since(at) <= CID_IDLE))
    }

    /// Whether a native ACK of this flow that gets its sequence number now makes it the owner, if it is received.
    pub(super) fn would_own(&self, place: FlowPlace, nic: &Nic<Held>, now: Instant) -> bool {
        let cid = self[place].cid;
        if self.identifiers[usize::from(cid.0)].flows < 2 {
            return true;
        }
        let mut others = (0..=u16::MAX).map(FlowPlace).zip(&self.flows).filter(|(other, _)| *other != place);
        others
            .all(|(other, flow)| flow.as_ref().is_none_or(|flow| flow.cid != cid || flow.is_idle(nic.held(other), now)))
    }

    /// A native ACK that was sent at `sent` is known by `now` to have been received.
    pub(super) fn on_received(&mut self, place: FlowPlace, sent: Instant, now: Instant, would_own: bool) {
        let flow = &self[place];
        let paused = flow.surely_received.is_none_or(|at| now.saturating_since(at) > CID_IDLE);
        let identifier = &mut self.identifiers[usize::from(flow.cid.0)];
        if would_own {
            identifier.owner = Some(place);
        } else if paused && identifier.owner == Some(place) {
            // Another flow may have taken it over meanwhile, and this frame does not take it back.
            identifier.owner = None;
        }
        self[place].note_received(sent);
    }

    /// Forgets flows that have long been idle and have no frame under way. The peer then counts them as idle too.
    fn sweep(&mut self, nic: &Nic<Held>, now: Instant) {
        let (identifiers, shared) = (&mut self.identifiers, &mut self.shared);
        let flows = &mut self.flows;
        self.places.retain(|_, &mut place| {
            let slot = &mut flows[place.index()];
            let flow = slot.as_ref().expect("a place in the table has its flow");
            let under_way = flow.outstanding > 0;
            if under_way || !flow.is_idle(nic.held(place), now) || now.saturating_since(flow.last_used) < FORGET {
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

impl std::ops::Index<FlowPlace> for Flows {
    type Output = Flow;
    fn index(&self, place: FlowPlace) -> &Flow {
        self.flows[place.index()].as_ref().expect("a flow with frames under way is not forgotten")
    }
}

impl std::ops::IndexMut<FlowPlace> for Flows {
    fn index_mut(&mut self, place: FlowPlace) -> &mut Flow {
        self.flows[place.index()].as_mut().expect("a flow with frames under way is not forgotten")
    }
}

/// An idle flow is remembered for at least this long.
const FORGET: Duration = Duration::from_secs(10);
/// So many flows are kept without looking for idle ones.
const SWEEP: usize = 32;

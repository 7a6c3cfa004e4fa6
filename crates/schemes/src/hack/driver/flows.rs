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

use super::flow::{CID_IDLE, Flow, Held, is_recent};
use crate::flow_key::FlowKey;
use crate::flow_table::FlowTable;
use crate::hack::nic::{FlowPlace, Nic};

/// All flows towards one peer. A flow is named by its place, which is also the number of its chain in the NIC.
#[derive(Debug)]
pub(super) struct Flows {
    flows: FlowTable<Flow>,
    identifiers: Box<[Identifier; 256]>,
    /// Identifiers that several flows share.
    shared: usize,
}

/// What the flows of one identifier have in common: what is asked about all of them is known
/// without looking at each.
#[derive(Clone, Copy, Default, Debug)]
struct Identifier {
    owner: Option<FlowPlace>,
    flows: u32,
    /// Pure ACKs of all of them that were handed to the MAC as they are and have no fate yet.
    outstanding_acks: u32,
    heard: Heard,
}

/// When the peer may have received something last of the flows of one identifier.
#[derive(Clone, Copy, Default, Debug)]
struct Heard {
    /// Of which flow it may have done so last.
    latest: Option<(FlowPlace, Instant)>,
    /// When of any other flow.
    before: Option<Instant>,
}

impl Heard {
    fn note(&mut self, place: FlowPlace, now: Instant) {
        self.before = self.of_others(place);
        self.latest = Some((place, now));
    }

    /// When the peer may have received something last of any flow but this one.
    fn of_others(&self, place: FlowPlace) -> Option<Instant> {
        match self.latest {
            Some((latest, at)) if latest != place => Some(at),
            _ => self.before,
        }
    }
}

impl Default for Flows {
    fn default() -> Self {
        Self { flows: FlowTable::default(), identifiers: Box::new([Identifier::default(); 256]), shared: 0 }
    }
}

impl Flows {
    /// Whether no flow is known.
    pub(super) fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    /// The flow at a place, unless it was forgotten.
    pub(super) fn get(&self, place: FlowPlace) -> Option<&Flow> {
        self.flows.at(place.index()).map(|(_, flow)| flow)
    }

    /// The place of a flow.
    pub(super) fn find(&mut self, key: FlowKey) -> Option<FlowPlace> {
        self.flows.get_mut(key)?;
        Some(self.at_hand())
    }

    /// The place of the flow of a packet with this TCP header, which is sent now.
    #[inline]
    pub(super) fn find_of(&mut self, packet: &Packet, tcp: &TcpHeader) -> Option<FlowPlace> {
        self.flows.get_of(packet, tcp)?;
        self.flows.touch();
        Some(self.at_hand())
    }

    #[inline]
    fn at_hand(&self) -> FlowPlace {
        // No more are added than can be numbered.
        FlowPlace(self.flows.place_at_hand() as u16)
    }

    /// The place of the flow of this ACK, which is that packet, and is added if it is new. `None`
    /// where there is no place left: [`MOST`] flows of which none may be forgotten yet. What is
    /// beyond goes natively.
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
        self.make_room(nic, now);
        if self.flows.len() >= MOST {
            return None;
        }
        let flow = Flow::new(Cid::of(&ack.flow()), now);
        let identifier = &mut self.identifiers[usize::from(flow.cid.0)];
        identifier.flows += 1;
        self.shared += usize::from(identifier.flows == 2);
        self.flows.insert(key, flow);
        Some(self.at_hand())
    }

    /// A frame of a flow was handed to the MAC as it is.
    pub(super) fn on_handed_over(&mut self, place: FlowPlace, pure: bool) {
        let flow = &mut self[place];
        flow.on_handed_over(pure);
        let cid = flow.cid;
        self.identifiers[usize::from(cid.0)].outstanding_acks += u32::from(pure);
    }

    /// Such a frame has its fate, or was taken back.
    pub(super) fn on_settled(&mut self, place: FlowPlace, pure: bool) {
        let flow = &mut self[place];
        flow.on_settled(pure);
        let cid = flow.cid;
        self.identifiers[usize::from(cid.0)].outstanding_acks -= u32::from(pure);
    }

    /// The peer may have received a native pure ACK or a run of a flow now.
    pub(super) fn on_maybe_received(&mut self, place: FlowPlace, now: Instant) {
        let flow = &mut self[place];
        flow.maybe_received = Some(now);
        let cid = flow.cid;
        self.identifiers[usize::from(cid.0)].heard.note(place, now);
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
        let flow = &self[place];
        let identifier = &self.identifiers[usize::from(flow.cid.0)];
        let others_wait = identifier.outstanding_acks > flow.outstanding_acks;
        let others_held = nic.chains_of(flow.cid) > usize::from(nic.held(place) > 0);
        let others_heard = identifier.heard.of_others(place).is_some_and(|at| is_recent(at, now));
        identifier.flows < 2 || !(others_wait || others_held || others_heard)
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

    /// Where there are many flows, forgets those that have long been idle and have no frame under
    /// way. The peer then counts them as idle too. At most two for each flow that comes, so that
    /// none costs much and there are never many more than were used lately.
    fn make_room(&mut self, nic: &Nic<Held>, now: Instant) {
        for _ in 0..2 {
            let many = self.flows.len() >= MANY;
            let Some((key, flow)) = self.flows.quietest().filter(|_| many) else { return };
            if now.saturating_since(flow.last_used) < FORGET {
                // What is not yet forgotten is looked at again when all others have been.
                return;
            }
            let (idle, cid) = (flow.outstanding == 0, flow.cid);
            let place = self.at_hand();
            if !idle || !self[place].is_idle(nic.held(place), now) {
                self.flows.touch();
                continue;
            }
            let identifier = &mut self.identifiers[usize::from(cid.0)];
            identifier.flows -= 1;
            identifier.owner = identifier.owner.filter(|&owner| owner != place);
            self.shared -= usize::from(identifier.flows == 1);
            self.flows.remove(key);
        }
    }
}

impl std::ops::Index<FlowPlace> for Flows {
    type Output = Flow;
    fn index(&self, place: FlowPlace) -> &Flow {
        self.get(place).expect("a flow with frames under way is not forgotten")
    }
}

impl std::ops::IndexMut<FlowPlace> for Flows {
    fn index_mut(&mut self, place: FlowPlace) -> &mut Flow {
        self.flows.at_place(place.index()).expect("a flow with frames under way is not forgotten")
    }
}

/// An idle flow is remembered for at least this long.
const FORGET: Duration = Duration::from_secs(10);
/// So many flows are kept without looking for idle ones.
const MANY: usize = 32;
/// So many flows are known at most: as many as a [`FlowPlace`] can number.
const MOST: usize = 1 << 16;

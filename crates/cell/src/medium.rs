//! The medium: who is on the air, what collided, and what each station makes of it.
//!
//! [`Medium`] is the one where all hear each other; in [`by_power`] powers decide. Of the first: all stations of a cell hear each other, and two PPDUs that overlap destroy each other everywhere (equal power, no capture). A
//! bystander understands every PPDU that did not collide: it honours its Duration field, and waits EIFS after a collision. Losses on the
//! air are the receiver's own, see [`crate::loss`]. Stations ask for their view of the medium instead of being told of each
//! change, so that an idle station costs nothing and a medium that not all hear alike has its place here.

use ackless_dot11::frame::{NodeId, Ppdu};
use ackless_dot11::station::MediumView;
use ackless_wire::Instant;

pub mod by_power;
pub mod progress;

/// The medium of a cell in which all hear each other.
#[derive(Debug, Default)]
pub struct Medium {
    on_air: Vec<Transmission>,
    idle_since: Instant,
    /// Who sent in the last busy period, if anything collided in it.
    collided: Vec<NodeId>,
    reservations: Vec<Reservation>,
}

/// A PPDU on the air.
#[derive(Debug)]
pub struct Transmission {
    /// The PPDU.
    pub ppdu: Ppdu,
    /// When its first bit left.
    pub start: Instant,
    /// When its last bit (and signal extension) is over.
    pub end: Instant,
    /// Whether it overlapped with another.
    pub collided: bool,
}

/// A stretch of time that a Duration field has reserved.
#[derive(Clone, Copy, Debug)]
struct Reservation {
    transmitter: NodeId,
    receiver: NodeId,
    until: Instant,
}

impl Medium {
    /// Whether somebody sends.
    pub fn is_busy(&self) -> bool {
        !self.on_air.is_empty()
    }

    /// When the next transmission ends.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.on_air.iter().map(|transmission| transmission.end).min()
    }

    /// Puts a PPDU on the air.
    pub fn begin(&mut self, now: Instant, ppdu: Ppdu) {
        if self.on_air.is_empty() {
            self.collided.clear();
        }
        let collided = !self.on_air.is_empty();
        if collided {
            for other in &mut self.on_air {
                if !other.collided {
                    other.collided = true;
                    self.collided.push(other.ppdu.transmitter);
                }
            }
            self.collided.push(ppdu.transmitter);
        }
        let end = now + ppdu.duration;
        self.on_air.push(Transmission { ppdu, start: now, end, collided });
    }

    /// The PPDU on the air, if it is the only one and none has overlapped with it.
    pub fn alone(&mut self) -> Option<&mut Transmission> {
        match &mut self.on_air[..] {
            [transmission] if !transmission.collided => Some(transmission),
            _ => None,
        }
    }

    /// Takes a PPDU that ends at `now` off the air, the first to begin of several. The medium stays busy until [`Self::settle`].
    pub fn end(&mut self, now: Instant) -> Option<Transmission> {
        let ended = self.on_air.iter().position(|transmission| transmission.end <= now)?;
        Some(self.on_air.remove(ended))
    }

    /// What follows from a PPDU that ended: its reservation, and the end of the busy period if it was the last. Returns whether
    /// the medium is idle now.
    pub fn settle(&mut self, now: Instant, ended: &Transmission) -> bool {
        self.reservations.retain(|reservation| reservation.until > now);
        let ppdu = &ended.ppdu;
        if !ended.collided && !ppdu.duration_field.is_zero() {
            self.reservations.push(Reservation {
                transmitter: ppdu.transmitter,
                receiver: ppdu.receiver,
                until: now + ppdu.duration_field,
            });
        }
        if self.on_air.is_empty() {
            self.idle_since = now;
        }
        self.on_air.is_empty()
    }

    /// Whether `node` sent in the present busy period, and something overlapped.
    pub fn has_collided(&self, node: NodeId) -> bool {
        self.collided.contains(&node)
    }

    /// The medium as those see it who neither sent in the last busy period nor are party to a reservation.
    pub fn view_of_bystanders(&self) -> MediumView {
        MediumView {
            busy: self.is_busy(),
            ending: false,
            idle_since: self.idle_since,
            nav_until: self.reservations.iter().map(|reservation| reservation.until).max().unwrap_or_default(),
            unintelligible: !self.collided.is_empty(),
        }
    }

    /// The idle medium as all see it, if all see the same: nothing is reserved, and nothing collided last.
    pub fn common_view(&self) -> Option<MediumView> {
        let same = self.on_air.is_empty() && self.reservations.is_empty() && self.collided.is_empty();
        same.then(|| self.view_of_bystanders())
    }

    /// Those who are party to a reservation, its transmitter and its receiver: it does not hold for them.
    pub fn parties(&self) -> impl Iterator<Item = NodeId> {
        self.reservations.iter().flat_map(|reservation| [reservation.transmitter, reservation.receiver])
    }

    /// The medium as `node` sees it. `ending`: a PPDU ends in this instant, and the medium still counts as busy.
    pub fn view(&self, node: NodeId, ending: bool) -> MediumView {
        let others = |reservation: &&Reservation| reservation.transmitter != node && reservation.receiver != node;
        let nav_until = self.reservations.iter().filter(others).map(|reservation| reservation.until).max();
        MediumView {
            busy: ending || self.is_busy(),
            ending: ending && !self.is_busy(),
            idle_since: self.idle_since,
            nav_until: nav_until.unwrap_or_default(),
            unintelligible: !self.collided.is_empty() && !self.collided.contains(&node),
        }
    }
}

#[cfg(test)]
mod tests;

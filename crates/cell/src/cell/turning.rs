//! What whoever runs a cell may change between two steps: what the steps of a scenario can change, the rate of a link and when a flow acknowledges. A cell in
//! which nothing is changed pays nothing for it.

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::Scheme;
use ackless_phy::{Db, TxVector};
use ackless_wire::{BitRate, Bytes, Duration};

use super::Cell;
use crate::config::{AckChoice, AckConfig, Direction, Probability, WireStep};
use crate::flows::Place;
use crate::observe::Observer;
use crate::slots::Busy;

/// How a flow stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The congestion window of its sender; `None` for UDP, and before there is a connection.
    pub cwnd: Option<Bytes>,
    /// The smoothed round-trip time of its sender, once it has measured one.
    pub srtt: Option<Duration>,
    /// How fast its sender lets data go, where it is paced.
    pub pacing: Option<BitRate>,
    /// The bandwidth that its sender takes the path to have, if it has such a model.
    pub bandwidth: Option<BitRate>,
    /// Packets in the first MAC queue on its way, those of other flows with the same next hop included.
    pub queued: usize,
}

/// A change of the air of one station's link.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum AirChange {
    /// The signal-to-noise ratio, where the link has one.
    Snr(Db),
    /// A loss of each MPDU and each control frame, besides what the loss model does.
    Loss(Probability),
    /// Nothing is received for so long.
    Outage(Duration),
}

impl<S: Scheme, O: Observer> Cell<S, O> {
    /// From its next PPDU on, the AP, or the relay in its place, sends data to station `station` (by its place in the configuration) at rate
    /// `down`, and that station sends to it at rate `up`; in an ad hoc cell to all others. Both are of the same PHY as before, and no rate control chooses.
    pub fn set_rates(&mut self, station: usize, down: TxVector, up: TxVector) {
        let node = station + 1;
        match self.routes.above(node) {
            Some(above) => {
                self.stations[usize::from(above.0)].set_rate(NodeId(node as u16), down);
                self.stations[node].set_rate(above, up);
            }
            None => (0..self.stations.len()).for_each(|peer| self.stations[node].set_rate(NodeId(peer as u16), up)),
        }
    }

    /// The wire changes now; [`WireStep::at`] is not looked at. What has been put on it already, also what still waits for it, leaves and arrives as it would
    /// have: unlike a step that is known beforehand, the change is for what comes after. So a rate
    /// of zero pauses the wire behind its queue. What has come to a wire that pauses, and that no
    /// step starts again, goes on with the next change that has a rate. A rate ends the trace of a
    /// direction.
    pub fn change_wire(&mut self, change: WireStep) {
        let step = WireStep { at: self.now, ..change };
        let concerns = |direction| step.direction.is_none_or(|only| only == direction);
        if concerns(Direction::Down) {
            let departures = self.wire_down.insert(step);
            self.wire_goes_on(&departures);
            self.agenda.set_busy(Busy::WireDown as usize, self.wire_down.poll_timeout());
        }
        if concerns(Direction::Up) {
            self.wire_up.insert(step);
            self.agenda.set_busy(Busy::WireUp as usize, self.wire_up.poll_timeout());
        }
        if step.new_options.is_some() {
            self.middlebox.get_or_insert_default().add(&step);
        }
    }

    /// The air between a station, by its place in the configuration, and what it is linked to changes now.
    pub fn change_air(&mut self, station: usize, change: AirChange) {
        let now = self.now;
        self.loss.change(station + 1, now, change);
    }

    /// From now on, both ends of a TCP flow acknowledge by this rule, on this connection and on later ones; what they hold back is acknowledged now. Datagrams,
    /// and connections with TACK, stay as they are.
    pub fn set_ack_rule(&mut self, flow: usize, ack: AckConfig, policy: Option<AckChoice>) {
        self.flows.flow_mut(flow).set_ack_rule(ack, policy);
        for end in 0..2 {
            self.service(flow, end);
        }
        self.finish_instant();
    }

    /// How a flow stands.
    pub fn standing(&self, flow: usize) -> Standing {
        let state = self.flows.flow(flow);
        let sender = state.sender();
        let node = |place| if let Place::Station(node) = place { node } else { 0 };
        let (from, to) = (node(state.ends[sender].place), node(state.ends[1 - sender].place));
        let tcp = state.ends[sender].tcp.as_ref();
        Standing {
            cwnd: tcp.map(|tcp| tcp.congestion_window()),
            srtt: tcp.and_then(|tcp| tcp.stats().srtt),
            pacing: tcp.and_then(|tcp| tcp.pacing_rate()),
            bandwidth: tcp.and_then(|tcp| tcp.path_model(self.now)).map(|model| model.bandwidth),
            queued: self.stations[from].backlog(self.routes.next(from, NodeId(to as u16))),
        }
    }
}

//! Who sends to whom on the way of a packet: a tree with the AP at its root and relays in it, or none in an ad hoc cell.

use ackless_dot11::frame::{Ds, NodeId};
use ackless_dot11::station::Route;

use crate::config::{CellConfig, StationConfig, Topology};

/// The ways through one cell.
#[derive(Debug)]
pub(super) struct Routes {
    /// The AP or relay that each node talks to, by node number; the AP's own entry means nothing. Empty in an ad hoc cell.
    above: Vec<NodeId>,
    /// Whether all data between a station and its AP or relay bears four addresses, by node number.
    bridges: Vec<bool>,
    /// The way of what each station sends to the AP or to what lies behind the wire, by node number: nearly all of it.
    ways_up: Vec<Route>,
}

impl Routes {
    /// The ways through this cell.
    ///
    /// # Panics
    /// If a station's relay does not come before it, or an ad hoc cell has one.
    pub(super) fn new(config: &CellConfig) -> Self {
        let above = |(number, station): (usize, &StationConfig)| match station.via {
            None => NodeId(0),
            Some(relay) => {
                assert!(relay < number, "a station comes behind its relay in the list of stations");
                NodeId(relay as u16 + 1)
            }
        };
        let stations = config.stations.iter();
        let above = match config.topology {
            Topology::Infrastructure => {
                std::iter::once(NodeId(0)).chain(stations.clone().enumerate().map(above)).collect()
            }
            Topology::AdHoc => {
                assert!(stations.clone().all(|station| station.via.is_none()), "no station relays in an ad hoc cell");
                Vec::new()
            }
        };
        let bridges = std::iter::once(false).chain(stations.map(|station| station.four_address)).collect();
        Self::of(above, bridges)
    }

    fn of(above: Vec<NodeId>, bridges: Vec<bool>) -> Self {
        let mut routes = Self { above, bridges, ways_up: Vec::new() };
        routes.ways_up = (0..routes.bridges.len()).map(|node| routes.find_way(node, NodeId(0))).collect();
        routes
    }

    /// The way of a packet that a transport on `node` sends to `destination`.
    #[inline]
    pub(super) fn way(&self, node: usize, destination: NodeId) -> Route {
        if destination == NodeId(0) { self.ways_up[node] } else { self.find_way(node, destination) }
    }

    fn find_way(&self, node: usize, destination: NodeId) -> Route {
        let source = NodeId(node as u16);
        let next = self.next(node, destination);
        Route { next, destination, source, ds: self.ds(node, next, source, destination) }
    }

    /// The AP or relay that a station talks to; nothing in an ad hoc cell.
    pub(super) fn above(&self, node: usize) -> Option<NodeId> {
        self.above.get(node).copied()
    }

    /// The station that `node` sends to for the packet to reach `to`, the AP for what goes to the wire.
    pub(super) fn next(&self, node: usize, to: NodeId) -> NodeId {
        let Some(above) = self.above(node) else { return to };
        self.towards_below(node, to).unwrap_or(above)
    }

    /// The station that `node` relays to for the packet from `from` to reach `to`; nothing if it is not on the way: a packet in a
    /// group-addressed frame comes to stations that it is not for. What the AP has from the wire, it has from itself.
    pub(super) fn relay(&self, node: usize, from: NodeId, to: NodeId) -> Option<NodeId> {
        let above = self.above(node)?;
        self.towards_below(node, to).or((node != 0 && from != above).then_some(above))
    }

    /// The station below `node` behind which `to` is, or which it is.
    fn towards_below(&self, node: usize, to: NodeId) -> Option<NodeId> {
        let mut hop = to;
        while hop.0 != 0 {
            let above = self.above(hop.0.into())?;
            if usize::from(above.0) == node {
                return Some(hop);
            }
            hop = above;
        }
        None
    }

    /// The direction bits of a frame from one node to a neighbour with a packet from `source` for `destination`.
    pub(super) fn ds(&self, node: usize, next: NodeId, source: NodeId, destination: NodeId) -> Ds {
        let up = node != 0
            && match self.above(node) {
                None => return Ds::Direct,
                Some(above) => next == above,
            };
        if up && usize::from(source.0) == node && !self.bridges[node] {
            Ds::ToAp
        } else if !up && destination == next && !self.bridges[usize::from(next.0)] {
            Ds::FromAp
        } else {
            Ds::FourAddress
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The AP, stations 1 and 2 on it, 3 and 4 behind 2, 5 behind 4, which is a bridge.
    fn chain() -> Routes {
        let above = [0, 0, 0, 2, 2, 4].map(NodeId).to_vec();
        Routes::of(above, vec![false, false, false, false, false, true])
    }

    #[test]
    fn a_packet_goes_down_towards_its_station_and_otherwise_up() {
        let next = |node, to| chain().next(node, NodeId(to)).0;
        assert_eq!([next(0, 1), next(0, 2), next(0, 3), next(0, 5)], [1, 2, 2, 2]);
        assert_eq!([next(2, 0), next(2, 1), next(2, 3), next(2, 5), next(4, 5)], [0, 0, 3, 4, 5]);
        assert_eq!([next(5, 0), next(5, 3), next(4, 3), next(3, 5)], [4, 4, 2, 2]);
    }

    #[test]
    fn a_relay_forwards_what_it_is_on_the_way_of() {
        let relay = |node, from, to| chain().relay(node, NodeId(from), NodeId(to)).map(|to| to.0);
        assert_eq!(
            [relay(2, 0, 3), relay(2, 3, 0), relay(2, 3, 5), relay(2, 4, 1)],
            [Some(3), Some(0), Some(4), Some(0)]
        );
        // What the AP sent to a group is not sent back to it.
        assert_eq!([relay(2, 0, 1), relay(1, 0, 2), relay(3, 2, 4)], [None; 3]);
        // There is no station 9.
        assert_eq!([relay(0, 0, 3), relay(0, 1, 5), relay(0, 0, 9), relay(2, 0, 9)], [Some(2), Some(2), None, None]);
        let ad_hoc = Routes::of(Vec::new(), vec![false; 3]);
        assert_eq!((ad_hoc.next(1, NodeId(2)), ad_hoc.relay(1, NodeId(2), NodeId(0))), (NodeId(2), None));
    }

    #[test]
    fn frames_for_others_bear_four_addresses() {
        let ds = |node, next, source, destination| chain().ds(node, NodeId(next), NodeId(source), NodeId(destination));
        assert_eq!([ds(0, 1, 0, 1), ds(0, 2, 0, 2), ds(0, 2, 1, 2)], [Ds::FromAp; 3]);
        assert_eq!([ds(1, 0, 1, 0), ds(2, 0, 2, 1), ds(3, 2, 3, 0)], [Ds::ToAp; 3]);
        assert_eq!([ds(0, 2, 0, 3), ds(2, 0, 3, 0), ds(2, 4, 3, 5)], [Ds::FourAddress; 3]);
        assert_eq!(ds(2, 3, 0, 3), Ds::FromAp);
        assert_eq!([ds(4, 5, 0, 5), ds(5, 4, 5, 0)], [Ds::FourAddress; 2], "a bridge");
    }
}

//! Who sends data over the links of this node: peers to it, and the node itself. Ours: the paper's receiver holds ACKs
//! whatever else goes on.
//!
//! **Many peers.** Senders whose ACKs need no access contend as saturating senders do. Up to about four, what the ACKs'
//! accesses had taken is more than what further collisions take; from ten on it is less, since TCP ACKs that wait for the
//! receiver's access keep some of the senders from contending.
//!
//! **The node itself.** A node that sends much data contends often, and its ACKs go with it. Where many do, the peer that
//! announced more data may come back much later than that.

use ackless_dot11::frame::NodeId;

/// Who sent the last [`REMEMBERED`] data PPDUs.
#[derive(Clone, Debug, Default)]
pub(super) struct Senders {
    /// Its peers, and `None` for this node itself. The oldest is at `next` once all places are used.
    last: Vec<Option<NodeId>>,
    next: usize,
    /// How many of those are of each peer, by its number.
    of_peer: Vec<u32>,
    own: usize,
    different_peers: usize,
}

impl Senders {
    /// A PPDU with data came from a peer.
    pub(super) fn on_data_in(&mut self, from: NodeId) {
        self.forget_oldest();
        self.remember(Some(from));
        let count = self.count_of(from);
        *count += 1;
        self.different_peers += usize::from(*count == 1);
    }

    /// This node sent a PPDU with data.
    pub(super) fn on_data_out(&mut self) {
        self.forget_oldest();
        self.remember(None);
        self.own += 1;
    }

    /// Whether no more than `most` peers are among them; `None` is no limit.
    pub(super) fn are_at_most(&self, most: Option<u16>) -> bool {
        most.is_none_or(|most| self.different_peers <= usize::from(most))
    }

    /// Whether this node sent a good part of them.
    pub(super) const fn include_this_node(&self) -> bool {
        self.own >= OWN_PART
    }

    fn remember(&mut self, sender: Option<NodeId>) {
        match self.last.get_mut(self.next) {
            Some(place) => *place = sender,
            None => self.last.push(sender),
        }
        self.next = (self.next + 1) % REMEMBERED;
    }

    fn forget_oldest(&mut self) {
        match self.last.get(self.next).copied() {
            Some(Some(peer)) => {
                let count = self.count_of(peer);
                *count -= 1;
                self.different_peers -= usize::from(*count == 0);
            }
            Some(None) => self.own -= 1,
            None => {}
        }
    }

    fn count_of(&mut self, peer: NodeId) -> &mut u32 {
        let index = usize::from(peer.0);
        if self.of_peer.len() <= index {
            self.of_peer.resize(index + 1, 0);
        }
        &mut self.of_peer[index]
    }
}

/// Enough to see ten senders that take turns at random: one of ten is missing in 32 PPDUs with a probability of 3 %.
const REMEMBERED: usize = 32;
/// From an eighth on a node is a sender. Requests for downloads and acknowledgements of other protocols are less.
const OWN_PART: usize = REMEMBERED / 8;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn only_the_last_32_ppdus_count() {
        let mut senders = Senders::default();
        assert!(senders.are_at_most(Some(0)) && senders.are_at_most(None));
        (0..32).for_each(|n| senders.on_data_in(NodeId(n)));
        assert!(senders.are_at_most(Some(32)) && !senders.are_at_most(Some(31)));
        (0..31).for_each(|_| senders.on_data_in(NodeId(500)));
        assert!(senders.are_at_most(Some(2)) && !senders.are_at_most(Some(1)), "31 was the last of the first");
        senders.on_data_in(NodeId(500));
        assert!(senders.are_at_most(Some(1)));
    }

    #[test]
    fn a_node_that_sent_four_of_32_is_a_sender_and_no_peer() {
        let mut senders = Senders::default();
        (0..28).for_each(|_| senders.on_data_in(NodeId(0)));
        (0..3).for_each(|_| senders.on_data_out());
        assert!(!senders.include_this_node());
        senders.on_data_out();
        assert!(senders.include_this_node() && senders.are_at_most(Some(1)));
        (0..28).for_each(|_| senders.on_data_in(NodeId(0)));
        assert!(senders.include_this_node(), "those were the oldest");
        senders.on_data_in(NodeId(0));
        assert!(!senders.include_this_node());
    }

    #[test]
    fn it_counts_as_a_set_of_the_last_ones_does() {
        let (mut senders, mut seen, mut state) = (Senders::default(), Vec::new(), 12_345_u32);
        for _ in 0..5_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let from = (state >> 24) as u16 % 40;
            if from == 0 {
                senders.on_data_out()
            } else {
                senders.on_data_in(NodeId(from))
            }
            seen.push(from);
            let last: Vec<_> = seen.iter().rev().take(REMEMBERED).collect();
            let peers: BTreeSet<_> = last.iter().filter(|from| ***from > 0).collect();
            assert_eq!(senders.different_peers, peers.len());
            assert_eq!(senders.own, last.iter().filter(|from| ***from == 0).count());
        }
    }
}

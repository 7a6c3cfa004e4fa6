//! What a scheme keeps for each peer that has it too.

use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::Context;

/// The links to the peers that have the scheme, by node number; nothing for those that were never met, or have it not.
#[derive(Debug)]
pub(crate) struct Links<L> {
    links: Vec<Option<Box<L>>>,
    /// Makes the link to a peer.
    make: fn(NodeId) -> L,
}

impl<L> Links<L> {
    /// None; each is made by `make` when its peer is met.
    pub(crate) const fn new(make: fn(NodeId) -> L) -> Self {
        Self { links: Vec::new(), make }
    }

    /// The link to a peer that has the scheme, made where it is new.
    #[inline]
    pub(crate) fn meet(&mut self, cx: &Context<'_>, peer: NodeId) -> Option<&mut L> {
        let index = usize::from(peer.0);
        if self.links.get(index).is_none_or(Option::is_none) {
            self.add(cx, peer)?;
        }
        self.links[index].as_deref_mut()
    }

    /// Makes the link to a peer, if the peer has the scheme.
    #[cold]
    fn add(&mut self, cx: &Context<'_>, peer: NodeId) -> Option<()> {
        if !cx.peer(peer).capable {
            return None;
        }
        let index = usize::from(peer.0);
        if self.links.len() <= index {
            self.links.resize_with(index + 1, || None);
        }
        self.links[index] = Some(Box::new((self.make)(peer)));
        Some(())
    }

    /// The link to a peer that has been met.
    #[inline]
    pub(crate) fn get(&self, peer: NodeId) -> Option<&L> {
        self.links.get(usize::from(peer.0))?.as_deref()
    }

    /// The link to a node of this number, if it has been met.
    #[inline]
    pub(crate) fn at(&mut self, node: usize) -> Option<&mut L> {
        self.links.get_mut(node)?.as_deref_mut()
    }

    /// One more than the highest number of a peer that has been met.
    #[inline]
    pub(crate) const fn nodes(&self) -> usize {
        self.links.len()
    }

    /// The links to all peers that have been met.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut L> {
        self.links.iter_mut().flatten().map(|link| &mut **link)
    }
}

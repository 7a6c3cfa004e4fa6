//! What sits on the nodes of a cell under test, where that is not a scheme of the product alone: behind a pointer, as [`ears`](super::ears) are, so that all such cells are compiled once.

use std::collections::BTreeMap;

use ackless_cell::Cell;
use ackless_cell::config::CellConfig;
use ackless_dot11::frame::NodeId;
use ackless_dot11::hooks::Scheme;
use ackless_schemes::AnyScheme;

use crate::testing::ears::Ears;

/// A scheme on a node under test.
pub trait Tested: Scheme {
    /// The scheme of the product that is in it, if one is.
    fn product(&self) -> Option<&AnyScheme> {
        None
    }
}

/// One that is made for a test.
impl Tested for Box<dyn Scheme> {}

/// A cell with such schemes on its nodes.
pub type TestedCell<'a> = Cell<Box<dyn Tested>, Ears<'a>>;

/// What the product's schemes on all nodes of a cell have counted together.
pub fn counts(cell: &TestedCell<'_>, config: &CellConfig) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    for node in (0..=config.stations.len()).map(|node| NodeId(node as u16)) {
        for (name, count) in cell.station(node).scheme().product().into_iter().flat_map(AnyScheme::counts) {
            *counts.entry(name).or_default() += count;
        }
    }
    counts
}

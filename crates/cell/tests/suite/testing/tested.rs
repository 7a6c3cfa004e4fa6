//! What sits on the nodes of a cell under test: behind a pointer, as [`ears`](super::ears) are, so that all such cells are compiled once.

use std::collections::BTreeMap;

use ackless_cell::config::CellConfig;
use ackless_cell::{Cell, scheme};
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

impl Tested for AnyScheme {
    fn product(&self) -> Option<&AnyScheme> {
        Some(self)
    }
}

/// A cell with such schemes on its nodes.
pub type TestedCell<'a> = Cell<Box<dyn Tested>, Ears<'a>>;

/// A cell with the schemes that its configuration names.
pub fn configured<'a>(config: &CellConfig, seed: u64, ears: Ears<'a>) -> TestedCell<'a> {
    with_schemes(config, seed, |node| scheme(config, node), ears)
}

/// A cell with these schemes of the product.
pub fn with_schemes<'a>(
    config: &CellConfig,
    seed: u64,
    scheme: impl Fn(NodeId) -> AnyScheme,
    ears: Ears<'a>,
) -> TestedCell<'a> {
    Cell::new(config, seed, |node| -> Box<dyn Tested> { Box::new(scheme(node)) }, ears)
}

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

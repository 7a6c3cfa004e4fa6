//! Cells in which powers decide who hears whom.

#[path = "../topology/cells.rs"]
#[expect(dead_code, reason = "the cells are shared with other tests, which use the rest")]
mod cells;

#[path = "../support/powers.rs"]
mod powers;

mod capture;
mod equal;
mod hidden;
mod neighbours;
mod random;
mod world;

//! Cells in which powers decide who hears whom.

mod capture;
mod equal;
mod hidden;
mod neighbours;
mod random;
mod world;

//! Nodes, links, medium, event queue and observers of one simulated cell.

pub mod config;
pub mod result;

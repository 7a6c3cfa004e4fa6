//! What the fuzz targets of HACK share: [`node`], a node whose own MAC keeps to the hooks' contract, and [`segment`],
//! arbitrary TCP packets.

pub mod node;
pub mod segment;

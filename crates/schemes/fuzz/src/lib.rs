//! What the fuzz targets share: [`node`], a node with HACK whose own MAC keeps to the hooks' contract, [`bare`], one with any scheme, and [`segment`], arbitrary TCP packets.

pub mod bare;
pub mod node;
pub mod segment;

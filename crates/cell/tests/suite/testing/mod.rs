//! What tests of whole cells share: cells, hosts and airs that are drawn, taps on the wire, captures and who reads them.

pub mod capture;
pub mod cells;
pub mod crew;
pub mod ears;
pub mod hack_cells;
pub mod hosts;
pub mod macs;
pub mod powers;
pub mod radio;
pub mod runs;
pub mod sound;
pub mod tap;
pub mod tested;
pub mod tshark;
pub mod weather;
pub mod wires;

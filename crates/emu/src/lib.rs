//! The cell on a clock: real programs and the kernel's own TCP over an emulated Wi-Fi cell.
//!
//! - [`world`] is what a person gets: the server and each station in a network namespace of its
//!   own, with a TUN device, or behind an interface that is there already; it consists of [`claim`]
//!   (the names), [`namespace`], [`netlink`], [`device`], [`interface`] and [`standing`];
//! - [`drive`] is the loop that hands packets from devices to the cell and back when the clock says so, and [`tally`] what it counts; [`bridge`] knows which Ethernet
//!   frames go where, and [`too_big`] what becomes of packets that the cell is too narrow for;
//! - [`offload`] takes large packets of the kernel apart, and puts together what the kernel would have merged;
//! - [`session`] is a whole emulation, in which programs run; [`command`] starts one in a
//!   namespace, and [`leftovers`] ends what they have left; [`signals`] are those that end it.
//!
//! What the cell does is the simulator's ([`ackless_cell::Cell`]); nothing below this crate learns of clocks, files or devices. Linux only.
#![cfg(target_os = "linux")]

pub mod bridge;
pub mod claim;
pub mod command;
mod descriptors;
pub mod device;
pub mod drive;
mod error;
pub mod interface;
pub mod leftovers;
pub mod namespace;
pub mod netlink;
pub mod offload;
mod running;
pub mod session;
pub mod signals;
pub mod standing;
pub mod tally;
pub mod too_big;
pub mod world;

pub use error::EmuError;

//! Nodes, links, medium, event queue and observers of one simulated cell.
//!
//! - [`config`] is what a run starts from, [`result`] what it ends in, and [`run`](run()) goes from one to the other;
//! - [`Cell`] is the run itself: "advance to t", "when next?"; [`agenda`] and [`slots`] order its events, [`medium`] and [`loss`] are its air,
//!   [`wired`] its wire and `middlebox` what stands on it, [`host`] the way from MAC to transport, [`flows`] its transports and applications, `gro` and `small_queue` what hosts do between them and the MAC, `video` is
//!   an encoder and its player; `neighbours` are the other cells on the channel;
//! - [`outside`] lets real packets through: where real hosts live, and what has come to them; [`OpenCell`] is what an emulation has of a cell;
//! - [`observe`] is the stream of typed events, and [`recorder`], [`ledger`], [`pcap`] and [`timeline`] listen to it.
//!
//! Nothing here reads a clock, a file or the environment: the same configuration and seed give the same bytes.

pub mod agenda;
mod cell;
pub mod config;
pub mod flows;
pub mod gro;
pub mod host;
pub mod ledger;
pub mod loss;
mod measured;
pub mod medium;
mod middlebox;
mod neighbours;
pub mod observe;
mod open;
pub mod outside;
pub mod pcap;
pub mod recorder;
pub mod result;
mod run;
pub mod slots;
mod small_queue;
pub mod timeline;
mod video;
pub mod wired;

pub use cell::{AirChange, Cell, Standing};
pub use measured::{Measured, scheme};
pub use open::OpenCell;
pub use run::{Run, run, run_observed, run_while};

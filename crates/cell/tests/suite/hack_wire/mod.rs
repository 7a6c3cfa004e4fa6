//! HACK as others see it: on the air, on the wire, and behind bit errors that no FCS has stopped.
//!
//! - `replay`: a fresh access point, fed only the capture of a run and what came over the wire, puts the same packets
//!   on the wire;
//! - `flips`: every single bit of the appended bytes flipped, with the FCS not looked at;
//! - `dissector`: the Wireshark dissector on the capture of a whole cell.
//!
//! `capture` reads the files, `heard` finds in them what the access point has received, `fresh` is the access point,
//! `tap` listens at the wire. The cells are those of the suite beside this one.

mod dissector;
mod flips;
mod fresh;
mod heard;
mod replay;
mod tap;

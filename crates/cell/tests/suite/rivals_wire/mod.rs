//! The rivals of HACK as others see them: a fresh access point, fed only the capture of a run and what came over the wire, puts the same
//! packets on the wire.
//!
//! - `replay`: the runs, and the comparison;
//! - `capture` reads the file, `timing` says when each transmission ended, `evidence` what the access point can have made of it;
//! - `mac` is as much of an access point's MAC as a scheme sees, `fresh` the access point around it;
//! - `tap` listens at the run's access point. Cells and threads are those of the suite of HACK.

mod evidence;
mod fresh;
mod mac;
mod replay;
mod timing;

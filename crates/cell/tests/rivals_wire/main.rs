//! The rivals of HACK as others see them: a fresh access point, fed only the capture of a run and what came over the wire, puts the same
//! packets on the wire.
//!
//! - `replay`: the runs, and the comparison;
//! - `capture` reads the file, `timing` says when each transmission ended, `evidence` what the access point can have made of it;
//! - `mac` is as much of an access point's MAC as a scheme sees, `fresh` the access point around it;
//! - `tap` listens at the run's access point. Cells and threads are those of the suite of HACK.

#[path = "../hack_wire/capture.rs"]
mod capture;
#[path = "../hack/cells.rs"]
#[expect(dead_code, reason = "what only the suites of HACK use of its cells")]
mod cells;
#[path = "../hack/crew.rs"]
mod crew;
mod evidence;
mod fresh;
mod mac;
mod replay;
#[path = "../support/tap.rs"]
mod tap;
mod timing;

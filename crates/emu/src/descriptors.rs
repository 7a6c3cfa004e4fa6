//! Whether this process may have as many open files as an emulation takes.

use nix::sys::resource::{Resource, getrlimit};

use crate::EmuError;

/// Refuses an emulation that would run out of file descriptors on the way.
///
/// # Errors
/// Where `hosts` hosts and `programs` programs need more of them than the limit leaves.
pub(crate) fn check(hosts: usize, programs: usize) -> Result<(), EmuError> {
    let (limit, most) =
        getrlimit(Resource::RLIMIT_NOFILE).map_err(EmuError::sys("the limit of open files is unknown"))?;
    let open = std::fs::read_dir(OPEN).map_err(EmuError::io(OPEN))?.count();
    let needed = (open + hosts * OF_A_HOST + programs * OF_A_PROGRAM + SPARE) as u64;
    if needed <= limit {
        return Ok(());
    }
    let raise = format!("raise the limit of this shell: ulimit -n {needed}");
    let help =
        if needed <= most { raise } else { format!("{raise}; that is above the hard limit, {most}, and so for root") };
    Err(EmuError::Wrong {
        what: format!(
            "{hosts} hosts need {needed} open files, and the limit of this process is {limit} (RLIMIT_NOFILE)"
        ),
        help: format!("{help}; or emulate fewer stations"),
    })
}

/// What this process has open.
const OPEN: &str = "/proc/self/fd";
/// A host's namespace and its device.
const OF_A_HOST: usize = 2;
/// Both ends of the pipe that tells of its end, and of the one for its output.
const OF_A_PROGRAM: usize = 4;
/// What is open for a moment while the network is made, the files of a recording, and room to
/// spare.
const SPARE: usize = 24;

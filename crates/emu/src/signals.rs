//! Signals that would end this process, read instead while there is something to take down first.

use std::os::fd::{AsFd, BorrowedFd};

use nix::libc;
use nix::sys::signal::{SigSet, SigmaskHow};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use crate::EmuError;

pub use nix::sys::signal::Signal;

/// The signals are blocked and read for as long as this lives; the calling thread's mask is then as
/// before.
///
/// The kernel delivers a signal to any thread that does not block it. So take the signals before
/// the process starts another thread: a new thread inherits the mask. One owner holds them for as
/// many emulations as it runs.
#[derive(Debug)]
pub struct Signals {
    fd: SignalFd,
    before: SigSet,
}

/// A signal that came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Came {
    /// Which signal.
    pub signal: Signal,
    /// Whether the kernel sent it, as a terminal's Ctrl-C, and no process did (`SI_KERNEL`,
    /// sigaction(2)). A terminal sends its signals to all processes of its foreground group.
    pub from_kernel: bool,
}

impl Signals {
    /// Takes SIGINT and SIGTERM, and of the other signals that end a process those that this
    /// process does not ignore: under nohup(1), SIGHUP stays ignored.
    ///
    /// # Errors
    /// Where the kernel does not let it.
    pub fn take() -> Result<Self, EmuError> {
        let ignored = ignored()?;
        let mut set = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM]);
        set.extend(OTHERS.into_iter().filter(|signal| ignored & bit(*signal) == 0));
        let fd = SignalFd::with_flags(&set, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
            .map_err(EmuError::sys(UNREADABLE))?;
        let before = set.thread_swap_mask(SigmaskHow::SIG_BLOCK).map_err(EmuError::sys("signals cannot be blocked"))?;
        Ok(Self { fd, before })
    }

    /// The next signal that has come, if there is one.
    ///
    /// # Errors
    /// Where the kernel does not say.
    pub fn next(&self) -> Result<Option<Came>, EmuError> {
        let read = self.fd.read_signal().map_err(EmuError::sys(UNREADABLE))?;
        Ok(read.map(|read| Came {
            signal: Signal::try_from(read.ssi_signo.cast_signed()).unwrap_or(Signal::SIGTERM),
            from_kernel: read.ssi_code == libc::SI_KERNEL,
        }))
    }

    /// The signals that the thread blocked before, which its programs are to block.
    pub(crate) fn before(&self) -> SigSet {
        self.before
    }
}

impl AsFd for Signals {
    /// Readable when a signal has come.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        // A signal that came while all was taken down asks for nothing else.
        while matches!(self.next(), Ok(Some(_))) {}
        // The mask could be set, so it can be set back.
        let _ = self.before.thread_set_mask();
    }
}

/// The signals that this process ignores, a bit for each (proc(5), `SigIgn`).
fn ignored() -> Result<u64, EmuError> {
    let status = std::fs::read_to_string(STATUS).map_err(EmuError::io(STATUS))?;
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let set = set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    set.ok_or_else(|| EmuError::Wrong {
        what: format!("{STATUS} does not say which signals are ignored"),
        help: "mount /proc".to_owned(),
    })
}

/// The bit of a signal in such a set; there is no signal 0.
fn bit(signal: Signal) -> u64 {
    1 << (signal as i32 - 1)
}

/// Signals besides SIGINT and SIGTERM whose default action ends a process and that come from
/// outside of it, or from a limit (setrlimit(2)).
const OTHERS: [Signal; 9] = [
    Signal::SIGHUP,
    Signal::SIGQUIT,
    Signal::SIGALRM,
    Signal::SIGVTALRM,
    Signal::SIGPROF,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGXCPU,
    Signal::SIGXFSZ,
];
const STATUS: &str = "/proc/self/status";
/// Why a call failed.
const UNREADABLE: &str = "signals cannot be read";

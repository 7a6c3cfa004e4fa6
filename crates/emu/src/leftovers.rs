//! What programs have started and left: a server in the background, the rest of a pipeline whose shell was ended. It ends with the emulation.
//!
//! So that it is still known to be theirs once whoever started it has ended, this process adopts orphans meanwhile (`PR_SET_CHILD_SUBREAPER`, prctl(2)). Of its
//! descendants those are taken that are in a network namespace of the emulation or bear its mark, a variable in their environment ([`MARK`]): the mark tells programs that
//! run in none from what else this process may have started.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::EmuError;
use crate::namespace::{Namespace, path_of};

/// The variable in a program's environment that says in which emulations it runs, the innermost
/// last, divided by slashes. Each is its name, its process and when that process began:
/// `ackless:1234.56789`.
pub const MARK: &str = "ACKLESS_EMULATION";

/// Ends what programs have left when it is dropped.
#[derive(Debug)]
pub(crate) struct Leftovers {
    /// What [`MARK`] has of this emulation.
    own: String,
    /// What tells the network namespaces of the emulation from others.
    networks: Vec<(u64, u64)>,
    _adopting: Adopting,
}

impl Leftovers {
    /// Of the programs of the emulation with this mark, which has these namespaces.
    ///
    /// # Errors
    /// Where orphans cannot be adopted.
    pub(crate) fn new(own: &str, namespaces: &[Option<Namespace>]) -> Result<Self, EmuError> {
        let networks = namespaces.iter().flatten().filter_map(|namespace| network_of(&path_of(namespace.name())));
        Ok(Self { own: own.to_owned(), networks: networks.collect(), _adopting: Adopting::begin()? })
    }

    /// What programs are to have as [`MARK`].
    pub(crate) fn mark(&self) -> OsString {
        let mut mark = std::env::var_os(MARK).map_or_else(Vec::new, |outer| [outer.as_bytes(), b"/"].concat());
        mark.extend_from_slice(self.own.as_bytes());
        OsString::from_vec(mark)
    }

    /// Asks them to end, except those of `asked`, who have been asked, and kills what has not ended
    /// in time. Returns whether something was killed. Leaves no zombies but of `asked`, for whom
    /// somebody else waits.
    pub(crate) fn end(&self, asked: &[Pid]) -> bool {
        let (mut told, killed) = end(|| self.find(), asked);
        told.retain(|process| !asked.contains(process));
        // A process that ends is in no namespace any more and bears no mark, but is no zombie yet,
        // or still its parent's, which ends too.
        for _ in 0..PATIENCE_MS / STEP_MS {
            told.retain(|&process| !is_gone(process));
            if told.is_empty() {
                break;
            }
            step();
        }
        killed
    }

    /// What still runs of them.
    fn find(&self) -> Vec<Pid> {
        let mut left = processes();
        left.retain(|process| is_descendant(process.as_raw()) && self.owns(*process));
        left
    }

    /// Whether a process is in one of the emulation's namespaces or bears its mark. One that has ended is nowhere, and bears none.
    fn owns(&self, process: Pid) -> bool {
        let network = network_of(Path::new(&format!("/proc/{process}/ns/net")));
        network.is_some_and(|network| self.networks.contains(&network)) || is_marked(process, &self.own)
    }
}

/// Ends the programs of an emulation that was killed, wherever they are. Returns how many there
/// were.
pub(crate) fn end_orphans(mark: &str) -> usize {
    let find = || {
        let mut left = processes();
        left.retain(|process| is_marked(*process, mark));
        left
    };
    let (mut told, _) = end(find, &[]);
    told.sort_unstable();
    told.dedup();
    told.len()
}

/// Asks a process to end, also one that was stopped.
pub(crate) fn ask_to_end(process: Pid) {
    // It may end in this very moment.
    let _ = kill(process, Signal::SIGTERM).and_then(|()| kill(process, Signal::SIGCONT));
}

/// Asks all that `find` finds to end, but for those of `asked`, and kills what it still finds when
/// patience ends. Returns all that were told, those of `asked` among them, and whether something
/// was killed.
fn end(find: impl Fn() -> Vec<Pid>, asked: &[Pid]) -> (Vec<Pid>, bool) {
    let mut told = asked.to_vec();
    let all_ended = tell(&find, &mut told, ask_to_end);
    if !all_ended {
        let mut killed = Vec::new();
        tell(&find, &mut killed, |process| {
            // It may end in this very moment.
            let _ = kill(process, Signal::SIGKILL);
        });
        told.extend(killed);
    }
    (told, !all_ended)
}

/// Tells each of those that `find` finds once, and adds it to those `told`; whether nothing runs
/// any more before patience ends.
fn tell(find: &impl Fn() -> Vec<Pid>, told: &mut Vec<Pid>, by: impl Fn(Pid)) -> bool {
    let mut looks_at_nothing = 0;
    for _ in 0..PATIENCE_MS / STEP_MS {
        let left = find();
        // One look may miss a process that bears the mark: between two programs (execve(2)) it has
        // no environment.
        looks_at_nothing = if left.is_empty() { looks_at_nothing + 1 } else { 0 };
        if looks_at_nothing == 2 {
            return true;
        }
        for process in left {
            if !told.contains(&process) {
                by(process);
                told.push(process);
            }
        }
        step();
    }
    false
}

/// All processes.
fn processes() -> Vec<Pid> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).map(Pid::from_raw).collect()
}

/// Whether a process has this in its [`MARK`].
fn is_marked(process: Pid, own: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    let mut variables = environment.split(|byte| *byte == 0);
    let mark = variables.find_map(|variable| variable.strip_prefix(MARK.as_bytes())?.strip_prefix(b"="));
    mark.is_some_and(|mark| mark.split(|byte| *byte == b'/').any(|one| one == own.as_bytes()))
}

impl Drop for Leftovers {
    fn drop(&mut self) {
        self.end(&[]);
    }
}

/// This process adopts orphans for as long as one of these lives, and is then what it was.
#[derive(Debug)]
struct Adopting(());

/// How many of them there are, and whether the process adopted orphans before the first of them.
static ADOPTING: Mutex<(usize, bool)> = Mutex::new((0, false));

impl Adopting {
    fn begin() -> Result<Self, EmuError> {
        let refused = || EmuError::sys("what programs leave behind cannot be watched");
        let mut adopting = ADOPTING.lock().unwrap_or_else(PoisonError::into_inner);
        if adopting.0 == 0 {
            adopting.1 = prctl::get_child_subreaper().map_err(refused())?;
            prctl::set_child_subreaper(true).map_err(refused())?;
        }
        adopting.0 += 1;
        Ok(Self(()))
    }
}

impl Drop for Adopting {
    fn drop(&mut self) {
        let mut adopting = ADOPTING.lock().unwrap_or_else(PoisonError::into_inner);
        adopting.0 -= 1;
        if adopting.0 == 0 {
            // What could be set can be set back.
            let _ = prctl::set_child_subreaper(adopting.1);
        }
    }
}

/// What tells a network namespace from others.
fn network_of(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|namespace| (namespace.dev(), namespace.ino()))
}

/// Whether this process has started another one, or one that did.
fn is_descendant(mut process: i32) -> bool {
    let own = std::process::id().cast_signed();
    if process == own {
        return false;
    }
    while process > 1 && process != own {
        let Ok(status) = std::fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
        // The name, in parentheses, may have blanks; the state and the parent follow (proc(5)).
        let parent = status.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        let Some(parent) = parent else { return false };
        process = parent;
    }
    process == own
}

/// Whether a process that was told to end has, and is no zombie of this one: waits for it, but without standing still.
fn is_gone(process: Pid) -> bool {
    match waitpid(process, Some(WaitPidFlag::WNOHANG)) {
        Ok(WaitStatus::StillAlive) => false,
        Ok(_) => true,
        // Not a child of this one: it has been waited for, or its parent is to do so, or to leave it to this process.
        Err(_) => !is_descendant(process.as_raw()),
    }
}

fn step() {
    std::thread::park_timeout(std::time::Duration::from_millis(STEP_MS.into()));
}

/// How long they may take to end.
const PATIENCE_MS: u16 = 2_000;
/// How often they are looked at meanwhile.
const STEP_MS: u16 = 10;

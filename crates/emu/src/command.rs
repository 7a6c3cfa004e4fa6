//! Programs in a namespace.

use std::ffi::{CString, NulError, OsStr, OsString};
use std::io::{self, PipeWriter};
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawnp};
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::Pid;

use crate::EmuError;
use crate::namespace::Namespace;

/// How a program starts, besides what it inherits.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// In which network namespace; where there is none, in that of the calling thread.
    pub namespace: Option<&'a Namespace>,
    /// A variable that is added to its environment.
    pub variable: (&'a str, &'a OsStr),
    /// The signals that it blocks: not those that this thread reads while an emulation lasts.
    pub blocked: SigSet,
    /// Where its output goes, if not where ours does. Then it has no input, and gets no signals of a terminal's.
    pub output: Option<&'a PipeWriter>,
}

/// Starts a program, in a namespace with `/sys` showing that namespace's devices, as `ip netns exec` does.
///
/// # Errors
/// Where there is no such program, or it cannot be started.
pub fn start(program: &[OsString], setting: Setting<'_>) -> Result<Pid, EmuError> {
    let Some(name) = program.first() else {
        return Err(EmuError::Wrong {
            what: "there is no program to run".to_owned(),
            help: "name one behind --".to_owned(),
        });
    };
    let started = match setting.namespace {
        Some(namespace) => namespace.within(|| {
            show_own_devices()?;
            spawn(program, setting)
        }),
        None => spawn(program, setting),
    };
    started.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => EmuError::Wrong {
            what: format!("there is no program called {}", name.display()),
            help: "give its path, or install it".to_owned(),
        },
        io::ErrorKind::PermissionDenied => EmuError::Wrong {
            what: format!("{} is no program, or not one that may be run here", name.display()),
            help: "name a file that can be executed: chmod +x makes it one".to_owned(),
        },
        _ => EmuError::Io { what: format!("{} cannot be started", name.display()), source: error },
    })
}

/// By posix_spawn(3), which unlike the standard library's says which signals the program blocks.
fn spawn(program: &[OsString], setting: Setting<'_>) -> io::Result<Pid> {
    let terminated =
        |words: Vec<Vec<u8>>| -> Result<Vec<CString>, NulError> { words.into_iter().map(CString::new).collect() };
    let arguments = terminated(program.iter().map(|word| word.as_bytes().to_vec()).collect())?;
    let (added, value) = setting.variable;
    let inherited = std::env::vars_os().filter(|(name, _)| name != added);
    let variables = inherited.chain([(added.into(), value.to_owned())]);
    let line = |(name, value): (OsString, OsString)| [name.as_bytes(), b"=", value.as_bytes()].concat();
    let environment = terminated(variables.map(line).collect())?;
    let mut attributes = PosixSpawnAttr::init()?;
    let mut files = PosixSpawnFileActions::init()?;
    let mut flags = PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF;
    attributes.set_sigmask(&setting.blocked)?;
    // Programs of ours ignore it, others expect to end by it.
    attributes.set_sigdefault(&SigSet::from(Signal::SIGPIPE))?;
    let nothing = std::fs::File::open(NOTHING)?;
    if let Some(output) = setting.output {
        files.add_dup2(nothing.as_raw_fd(), INPUT)?;
        files.add_dup2(output.as_raw_fd(), OUTPUT)?;
        attributes.set_pgroup(OWN_GROUP)?;
        flags |= PosixSpawnFlags::POSIX_SPAWN_SETPGROUP;
    }
    attributes.set_flags(flags)?;
    Ok(posix_spawnp(&arguments[0], &files, &attributes, &arguments, &environment)?)
}

/// Mounts `/sys` anew for the calling thread and what it starts.
fn show_own_devices() -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    mount(None::<&str>, "/", None::<&str>, MsFlags::MS_SLAVE | MsFlags::MS_REC, None::<&str>)?;
    // Where there is no /sys, as in some containers, there is none to be shown.
    if umount2("/sys", MntFlags::MNT_DETACH).is_ok() {
        mount(Some("sysfs"), "/sys", Some("sysfs"), MsFlags::empty(), None::<&str>)?;
    }
    Ok(())
}

/// What can be read from and gives nothing.
const NOTHING: &str = "/dev/null";
/// Standard input.
const INPUT: i32 = 0;
/// Standard output.
const OUTPUT: i32 = 1;
/// A process group of the new process's own.
const OWN_GROUP: Pid = Pid::from_raw(0);

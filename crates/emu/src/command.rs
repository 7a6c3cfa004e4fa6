//! Programs in a namespace.

use std::ffi::OsString;
use std::io;
use std::process::{Child, Command};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};

use crate::EmuError;
use crate::namespace::Namespace;

/// Starts a program in a namespace, with `/sys` showing that namespace's devices, as `ip netns exec` does; where there is none, in that of the calling thread.
///
/// # Errors
/// Where there is no such program, or it cannot be started.
pub fn start(
    namespace: Option<&Namespace>,
    program: &[OsString],
    prepare: impl FnOnce(&mut Command),
) -> Result<Child, EmuError> {
    let Some((name, arguments)) = program.split_first() else {
        return Err(EmuError::Wrong {
            what: "there is no program to run".to_owned(),
            help: "name one behind --".to_owned(),
        });
    };
    let mut command = Command::new(name);
    command.args(arguments);
    prepare(&mut command);
    let started = match namespace {
        Some(namespace) => namespace.within(|| {
            show_own_devices()?;
            command.spawn()
        }),
        None => command.spawn(),
    };
    started.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => EmuError::Wrong {
            what: format!("there is no program called {}", name.display()),
            help: "give its path, or install it".to_owned(),
        },
        _ => EmuError::Io { what: format!("{} cannot be started", name.display()), source: error },
    })
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

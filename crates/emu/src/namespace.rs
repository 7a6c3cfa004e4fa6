//! Network namespaces with names, as `ip netns` has them: a file under `/run/netns` on which the namespace is mounted.
//!
//! A thread that enters a namespace stays in it, so everything that must happen in one happens in a thread of its own ([`Namespace::within`]).

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, setns, unshare};

use crate::EmuError;
use crate::netlink;

/// A network namespace that has a name for as long as this lives.
#[derive(Debug)]
pub struct Namespace {
    name: String,
    path: PathBuf,
    door: Door,
}

/// A way into a namespace, which lives as long as this even where its name is gone.
#[derive(Debug)]
pub struct Door(File);

impl Namespace {
    /// A new namespace called `name`, with its loopback device up.
    ///
    /// # Errors
    /// Where the name is taken, or the rights are missing.
    pub fn new(name: &str) -> Result<Self, EmuError> {
        prepare_folder()?;
        let path = path_of(name);
        // The mount needs a file to lie on; that it is new keeps the names of others safe.
        File::options().write(true).create_new(true).open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => EmuError::Taken {
                what: format!("there is a network namespace called {name} already"),
                help: format!("choose other names with --name, or remove it: ip netns delete {name}"),
            },
            _ => refused(format!("the network namespace {name} cannot be made"), error),
        })?;
        let made = in_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET).map_err(io::Error::from)?;
            netlink::Netlink::open()?.set_up(netlink::LOOPBACK)?;
            mount(Some(OWN), &path, None::<&str>, MsFlags::MS_BIND, None::<&str>).map_err(io::Error::from)?;
            File::open(&path)
        });
        match made {
            Ok(file) => Ok(Self { name: name.to_owned(), path, door: Door(file) }),
            Err(error) => {
                remove(&path);
                Err(refused(format!("the network namespace {name} cannot be made"), error))
            }
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs `work` in this namespace, in a thread of its own.
    ///
    /// # Errors
    /// Where the namespace cannot be entered, and those of `work`.
    pub fn within<R: Send>(&self, work: impl FnOnce() -> io::Result<R> + Send) -> io::Result<R> {
        self.door.within(work)
    }

    /// A way into it, for others.
    ///
    /// # Errors
    /// Where this process has too many files open.
    pub fn door(&self) -> io::Result<Door> {
        self.door.0.try_clone().map(Door)
    }
}

impl Door {
    /// As [`Namespace::within`].
    ///
    /// # Errors
    /// Likewise.
    pub fn within<R: Send>(&self, work: impl FnOnce() -> io::Result<R> + Send) -> io::Result<R> {
        in_thread(|| {
            setns(&self.0, CloneFlags::CLONE_NEWNET)?;
            work()
        })
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Where a namespace of this name lies.
pub fn path_of(name: &str) -> PathBuf {
    Path::new(FOLDER).join(name)
}

/// Takes a namespace its name. What still runs in it keeps the namespace, but nobody finds it any more. A name that is not there is fine.
pub fn remove(path: &Path) {
    // Whoever has unmounted or deleted it before has done what was to be done.
    let _ = umount2(path, MntFlags::MNT_DETACH);
    let _ = fs::remove_file(path);
}

/// The folder of the names, a mount of its own that other mount namespaces share, as `ip netns` makes it.
fn prepare_folder() -> Result<(), EmuError> {
    fs::create_dir_all(FOLDER).map_err(|error| refused(format!("{FOLDER} cannot be made"), error))?;
    let share = || mount(None::<&str>, FOLDER, None::<&str>, MsFlags::MS_SHARED | MsFlags::MS_REC, None::<&str>);
    if share().is_err() {
        let bind = MsFlags::MS_BIND | MsFlags::MS_REC;
        mount(Some(FOLDER), FOLDER, None::<&str>, bind, None::<&str>)
            .and_then(|()| share())
            .map_err(|error| refused(format!("{FOLDER} cannot be shared between mount namespaces"), error.into()))?;
    }
    Ok(())
}

fn refused(what: String, source: io::Error) -> EmuError {
    let help = "run it as root; or without root in namespaces of your own, where /run is yours: \
                unshare -Urnm sh -c 'mount -t tmpfs tmpfs /run && exec ackless emulate ...'";
    EmuError::Refused { what, source, help: help.to_owned() }
}

/// Runs `work` in a thread that ends with it, so that what it changes of itself is gone.
pub(crate) fn in_thread<R: Send>(work: impl FnOnce() -> io::Result<R> + Send) -> io::Result<R> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, work)?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Where `ip netns` and we keep names.
const FOLDER: &str = "/run/netns";
/// The calling thread's own network namespace.
pub(crate) const OWN: &str = "/proc/thread-self/ns/net";

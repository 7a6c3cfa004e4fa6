//! Who has which names: a file for each emulation under `/run/ackless`, which says the process, when that began, and what it has made.
//!
//! Interfaces that it uses are in it too, so that no two use the same.
//!
//! What an emulation has made goes when it ends, also by a panic. After a `SIGKILL` its namespaces
//! and programs stay; the next one with the same name finds the file, sees that the process is
//! gone, and removes them. A name whose process lives is refused.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::EmuError;
use crate::leftovers::end_orphans;
use crate::namespace;

/// The names of one emulation, for as long as this lives.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    mark: String,
    removed: Option<Removed>,
}

/// The remains of a dead emulation of the same name, which are removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Removed {
    /// Its process.
    pub process: u32,
    /// How many network namespaces there were.
    pub namespaces: usize,
    /// How many programs of it still ran.
    pub programs: usize,
}

/// What the file says.
#[derive(Debug, Serialize, Deserialize)]
struct Owner {
    process: u32,
    /// When it began, in the kernel's ticks since it booted: another process may get the same number later.
    began: u64,
    namespaces: Vec<String>,
    /// Each with the number of the network namespace that it is in.
    #[serde(default)]
    interfaces: Vec<(u64, String)>,
}

impl Claim {
    /// Takes the name `name`, with all of `namespaces`, and uses `interfaces` of the calling thread's namespace. What a dead owner has left of them is removed.
    ///
    /// # Errors
    /// Where a living process has the name or uses an interface, or the rights are missing.
    pub fn new<'a>(
        name: &str,
        namespaces: Vec<String>,
        interfaces: impl Iterator<Item = &'a str>,
    ) -> Result<Self, EmuError> {
        let refused = |error| {
            EmuError::Refused {
            what: format!("{FOLDER} cannot be written"),
            source: error,
            help: "run it as root, or where /run is yours: unshare -Urnm sh -c 'mount -t tmpfs tmpfs /run && exec ackless emulate ...'".to_owned(),
        }
        };
        fs::create_dir_all(FOLDER).map_err(refused)?;
        // Two that start at once must not both find the name free.
        let lock = File::create(Path::new(FOLDER).join(".lock")).map_err(refused)?;
        lock.lock().map_err(EmuError::io(format!("{FOLDER} cannot be locked")))?;
        let path = Path::new(FOLDER).join(format!("{name}.json"));
        let removed = match fs::read(&path) {
            Ok(text) => bury(name, &text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(refused(error)),
        };
        let process = std::process::id();
        let began = began(process).ok_or_else(|| EmuError::Wrong {
            what: format!("/proc/{process}/stat cannot be read"),
            help: "mount /proc".to_owned(),
        })?;
        let inside = fs::metadata(namespace::OWN).map_err(EmuError::io(namespace::OWN))?.ino();
        let interfaces: Vec<_> = interfaces.map(|interface| (inside, interface.to_owned())).collect();
        if !interfaces.is_empty() {
            check_unused(&interfaces)?;
        }
        let owner = Owner { process, began, namespaces, interfaces };
        let this = Self { path, mark: owner.mark(name), removed };
        let text = serde_json::to_vec(&owner).expect("numbers and names are JSON");
        // Where the disk is full, the file is there and goes with `this`.
        File::create(&this.path).and_then(|mut file| file.write_all(&text)).map_err(refused)?;
        Ok(this)
    }

    /// What tells programs of this emulation from those of others, of the same name too.
    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    /// The remains of a dead owner of the name.
    pub fn removed(&self) -> Option<Removed> {
        self.removed
    }
}

impl Owner {
    /// See [`Claim::mark`].
    fn mark(&self, name: &str) -> String {
        format!("{name}:{}.{}", self.process, self.began)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // If it is gone, somebody has done it for us.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes the remains of the owner in `text`, if it is dead.
fn bury(name: &str, text: &[u8]) -> Result<Option<Removed>, EmuError> {
    // A file that is cut short is of one that died while it wrote it, before it had made anything.
    let Ok(owner) = serde_json::from_slice::<Owner>(text) else { return Ok(None) };
    if began(owner.process) == Some(owner.began) {
        return Err(EmuError::Taken {
            what: format!("process {} emulates a cell called {name} already", owner.process),
            help: "give this one another name with --name, or end the other".to_owned(),
        });
    }
    let programs = end_orphans(&owner.mark(name));
    let paths = owner.namespaces.iter().map(|namespace| namespace::path_of(namespace));
    let there: Vec<_> = paths.filter(|path| path.exists()).collect();
    there.iter().for_each(|path| namespace::remove(path));
    Ok(Some(Removed { process: owner.process, namespaces: there.len(), programs }))
}

/// That nobody who lives uses any of these interfaces.
fn check_unused(interfaces: &[(u64, String)]) -> Result<(), EmuError> {
    let cannot = || EmuError::io(format!("{FOLDER} cannot be read"));
    for entry in fs::read_dir(FOLDER).map_err(cannot())? {
        let path = entry.map_err(cannot())?.path();
        // What is no claim, or is gone by now, uses nothing.
        let Some(owner) = fs::read(path).ok().and_then(|text| serde_json::from_slice::<Owner>(&text).ok()) else {
            continue;
        };
        let used = interfaces.iter().find(|interface| owner.interfaces.contains(interface));
        if let (Some((_, name)), true) = (used, began(owner.process) == Some(owner.began)) {
            return Err(EmuError::Taken {
                what: format!("process {} emulates a cell behind the interface {name} already", owner.process),
                help: "take another interface, or end the other".to_owned(),
            });
        }
    }
    Ok(())
}

/// When a process began, if it lives: field 22 of `/proc/PID/stat` (proc(5)).
fn began(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field, in parentheses, may contain anything.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(START_TIME)?.parse().ok()
}

/// Where the files lie.
const FOLDER: &str = "/run/ackless";
/// The place of the start time behind the name.
const START_TIME: usize = 19;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_lives_has_a_start_and_one_that_does_not_has_none() {
        let own = began(std::process::id());
        assert!(own.is_some_and(|at| at > 0));
        assert_eq!(own, began(std::process::id()));
        // Greater than any process number (PID_MAX_LIMIT, 2^22).
        assert_eq!(began(5_000_000), None);
    }
}

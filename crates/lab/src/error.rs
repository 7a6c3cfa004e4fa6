//! What can go wrong in an experiment.

use std::io;
use std::path::{Path, PathBuf};

use ackless_scenario::ScenarioError;
use ackless_scenario::printable::{brief, printable};

/// Why an experiment did not run, or its results could not be kept. Messages quote what others
/// wrote as [`printable`] shows it.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The scenario, an override or the name of a row is wrong.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// An axis, or a list of rows, cannot be read.
    #[error("{option} {argument}: {message}\n  help: {help}", argument = brief(argument), message = printable(message))]
    Axis {
        /// The option that gave it.
        option: &'static str,
        /// What was given.
        argument: String,
        /// What is wrong.
        message: String,
        /// What to do.
        help: String,
    },
    /// The file of a scenario cannot be read.
    #[error("{name}: the scenario cannot be read: {source}\n  help: {help}", name = brief(name))]
    Unread {
        /// The file.
        name: String,
        /// Why not.
        source: io::Error,
        /// What to do.
        help: String,
    },
    /// A file or folder cannot be read or written.
    #[error("{path}: {action}: {source}{help}", path = shown(path), help = remedy(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// Results lie in the folder that would be replaced by others.
    #[error("{folder}: {what}\n  help: name another folder, or replace them with --overwrite; runs in runs/ are kept", folder = shown(folder), what = printable(what))]
    Occupied {
        /// The folder.
        folder: PathBuf,
        /// What lies there.
        what: String,
    },
    /// Files lie there that would be replaced, and nothing says that they are of the same.
    #[error("{} there already\n  help: name another place, or replace what lies there with --overwrite", lie(.0))]
    Exists(Vec<PathBuf>),
    /// Somebody else writes results into the folder.
    #[error("{}: another ackless is at work there\n  help: wait until it is done, or name another folder", shown(.0))]
    AtWork(PathBuf),
    /// There is nothing to run.
    #[error("{0}")]
    Nothing(&'static str),
    /// There is too much to run.
    #[error("{0} cells are more than the {1} that one experiment can have\n  help: give fewer values, or divide it")]
    TooMany(usize, usize),
    /// The threads could not be started.
    #[error("{0} threads could not be started: {1}\n  help: use fewer with --threads")]
    Threads(usize, String),
    /// The runner was stopped before all runs were made.
    #[error("stopped before all runs were made")]
    Stopped,
    /// A result could not be turned into text.
    #[error("a result could not be written as {0}: {1}")]
    Format(&'static str, String),
}

impl LabError {
    pub(crate) fn io(path: &Path, action: &'static str, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), action, source }
    }
}

/// A path in a message or a remark.
pub fn shown(path: &Path) -> String {
    printable(&path.display().to_string()).into_owned()
}

/// What to do where a file cannot be read or written.
fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "\n  help: make the folder first, or name another place",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "\n  help: name a place that you may write to"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "\n  help: make room, or name another place",
        _ => "\n  help: name another place",
    }
}

/// These files with their verb.
fn lie(paths: &[PathBuf]) -> String {
    let names: Vec<_> = paths.iter().map(|path| shown(path)).collect();
    format!("{} {}", names.join(", "), if paths.len() == 1 { "lies" } else { "lie" })
}

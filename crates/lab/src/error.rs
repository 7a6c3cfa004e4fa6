//! What can go wrong in an experiment.

use std::path::{Path, PathBuf};

use ackless_scenario::ScenarioError;

/// Why an experiment did not run, or its results could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The scenario, an override or the name of a row is wrong.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// An axis, or a list of rows, cannot be read.
    #[error("{option} {argument}: {message}\n  help: {help}")]
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
    #[error("{name}: the scenario cannot be read: {source}\n  help: {help}")]
    Unread {
        /// The file.
        name: String,
        /// Why not.
        source: std::io::Error,
        /// What to do.
        help: String,
    },
    /// A file or folder cannot be read or written.
    #[error("{path}: {action}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
    /// Results lie in the folder that would be replaced by others.
    #[error("{folder}: {what}\n  help: name another folder, or replace them with --overwrite; runs in runs/ are kept", folder = folder.display())]
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
    #[error("{}: another ackless is at work there\n  help: wait until it is done, or name another folder", .0.display())]
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
    pub(crate) fn io(path: &Path, action: &'static str, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), action, source }
    }
}

/// These files with their verb.
fn lie(paths: &[PathBuf]) -> String {
    let names: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    format!("{} {}", names.join(", "), if paths.len() == 1 { "lies" } else { "lie" })
}

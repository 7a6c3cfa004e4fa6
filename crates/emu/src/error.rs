//! What can go wrong between a cell and the kernel.

use std::io;

/// Why a cell cannot be emulated here. Each says what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum EmuError {
    /// The kernel refuses something that needs rights.
    #[error("{what}: {source}\n  help: {help}")]
    Refused {
        /// What was tried.
        what: String,
        /// What the kernel says.
        source: io::Error,
        /// What to do.
        help: String,
    },
    /// Somebody else has the names.
    #[error("{what}\n  help: {help}")]
    Taken {
        /// Which, and whose they are.
        what: String,
        /// What to do.
        help: String,
    },
    /// What was asked for is not there or makes no sense.
    #[error("{what}\n  help: {help}")]
    Wrong {
        /// What.
        what: String,
        /// What to do.
        help: String,
    },
    /// A call failed that does not fail where all is well.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
}

impl EmuError {
    /// A call that does not fail where all is well.
    pub fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }

    /// As [`Self::io`], of a system call.
    pub fn sys(what: impl Into<String>) -> impl FnOnce(nix::Error) -> Self {
        let what = what.into();
        move |error| Self::Io { what, source: error.into() }
    }
}

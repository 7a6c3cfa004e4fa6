//! The programs of an emulation, from their start to their end.

use std::ffi::OsString;
use std::io::{self, PipeReader, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::thread::JoinHandle;

use ackless_cell::flows::Place;
use ackless_wire::{Duration, Instant};
use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::EmuError;
use crate::command::{self, Setting};
use crate::leftovers::{Leftovers, MARK, ask_to_end};
use crate::namespace::Namespace;
use crate::world::index;

/// A program that runs in the emulated network.
#[derive(Debug)]
pub struct Program<'a> {
    /// At whose host; `None` is where this process is.
    pub inside: Option<Place>,
    /// Its name and arguments.
    pub command: &'a [OsString],
    /// Whether its output is kept; else it goes where ours goes.
    pub keep_output: bool,
    /// Whether the emulation waits for its end; a server has none.
    pub awaited: bool,
    /// How long after the start of the cell it starts.
    pub after: Duration,
}

/// How a program ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exit {
    /// What the kernel says of it.
    pub status: ExitStatus,
    /// What it wrote, if that was kept.
    pub output: Vec<u8>,
}

/// That each program has a place to run.
pub(crate) fn check_places(programs: &[Program<'_>], namespaces: &[Option<Namespace>]) -> Result<(), EmuError> {
    let nowhere = programs.iter().filter_map(|program| program.inside).any(|place| namespaces[index(place)].is_none());
    if nowhere {
        return Err(EmuError::Wrong {
            what: "no program can be started at a host behind an interface".to_owned(),
            help: "--in here runs it where this one runs".to_owned(),
        });
    }
    Ok(())
}

/// The programs that were started.
pub(crate) struct Running {
    programs: Vec<Started>,
    /// By what they and what they start are known.
    mark: OsString,
    /// The signals that they block.
    blocked: SigSet,
}

/// A program that was started.
struct Started {
    process: Pid,
    /// Readable when it has ended.
    end: PipeReader,
    /// What waits for it.
    waiter: Option<JoinHandle<io::Result<Exit>>>,
    result: Option<Exit>,
}

impl Running {
    /// Nothing has started yet. Programs get `mark` as [`MARK`] and block the signals `blocked`.
    pub(crate) fn new(mark: OsString, blocked: SigSet) -> Self {
        Self { programs: Vec::new(), mark, blocked }
    }

    /// Starts the programs whose time has come.
    pub(crate) fn start_due(
        &mut self,
        programs: &[Program<'_>],
        namespaces: &[Option<Namespace>],
        now: Instant,
    ) -> Result<(), EmuError> {
        while let Some(program) = programs.get(self.programs.len()).filter(|next| Instant::ZERO + next.after <= now) {
            let namespace = program.inside.and_then(|place| namespaces[index(place)].as_ref());
            let pipe = program.keep_output.then(io::pipe).transpose().map_err(EmuError::io(UNWATCHED))?;
            let (output, input) = pipe.unzip();
            let setting =
                Setting { namespace, variable: (MARK, &self.mark), blocked: self.blocked, output: input.as_ref() };
            let process = command::start(program.command, setting)?;
            drop(input);
            self.programs.push(Started::watch(process, output).map_err(EmuError::io(UNWATCHED))?);
        }
        Ok(())
    }

    /// What becomes readable when a program ends.
    pub(crate) fn ends(&self) -> impl Iterator<Item = std::os::fd::BorrowedFd<'_>> {
        self.running().map(|program| program.end.as_fd())
    }

    /// Takes what has ended.
    pub(crate) fn reap(&mut self) -> Result<(), EmuError> {
        for program in &mut self.programs {
            if program.waiter.as_ref().is_some_and(|waiter| waiter.is_finished()) {
                program.join()?;
            }
        }
        Ok(())
    }

    /// Whether a program runs that has the terminal.
    pub(crate) fn has_foreground(&self, programs: &[Program<'_>]) -> bool {
        self.programs.iter().zip(programs).any(|(started, program)| !program.keep_output && started.waiter.is_some())
    }

    /// Whether there is something to wait for, and all of it has ended.
    pub(crate) fn has_ended(&self, programs: &[Program<'_>]) -> bool {
        let mut awaited = programs.iter().enumerate().filter(|(_, program)| program.awaited).peekable();
        awaited.peek().is_some()
            && awaited.all(|(n, _)| self.programs.get(n).is_some_and(|program| program.waiter.is_none()))
    }

    /// Asks the programs that still run, and all that they have started, to end (SIGTERM), and
    /// kills what has not ended 2 s later. Returns how the awaited programs ended, and whether
    /// something was killed.
    ///
    /// All are asked at once: a shell runs its trap only when the program that it waits for has
    /// ended.
    pub(crate) fn end(
        mut self,
        programs: &[Program<'_>],
        leftovers: Option<&Leftovers>,
    ) -> Result<(Vec<Option<Exit>>, bool), EmuError> {
        let running: Vec<_> = self.running().map(|program| program.process).collect();
        for process in &running {
            ask_to_end(*process);
        }
        let mut killed = leftovers.is_some_and(|leftovers| leftovers.end(&running));
        for program in self.programs.iter_mut().filter(|program| program.waiter.is_some()) {
            killed |= program.give_time()?;
            program.join()?;
            program.result = None;
        }
        let results = std::mem::take(&mut self.programs).into_iter().zip(programs);
        Ok((results.filter(|(_, program)| program.awaited).map(|(started, _)| started.result).collect(), killed))
    }

    fn running(&self) -> impl Iterator<Item = &Started> {
        self.programs.iter().filter(|program| program.waiter.is_some())
    }
}

/// Where the emulation fails, what still runs has no network any more.
impl Drop for Running {
    fn drop(&mut self) {
        for program in self.running() {
            // It may have ended in this very moment.
            let _ = kill(program.process, Signal::SIGKILL);
        }
    }
}

impl Started {
    fn watch(process: Pid, kept: Option<PipeReader>) -> io::Result<Self> {
        let (end, mut tell) = io::pipe()?;
        let waiter = std::thread::Builder::new().spawn(move || {
            let mut output = Vec::new();
            if let Some(mut kept) = kept {
                kept.read_to_end(&mut output)?;
            }
            let status = wait(process)?;
            tell.write_all(&[0])?;
            Ok(Exit { status, output })
        })?;
        Ok(Self { process, end, waiter: Some(waiter), result: None })
    }

    /// Waits for its end a while, then kills it. Returns whether it had to.
    fn give_time(&self) -> Result<bool, EmuError> {
        let mut fds = [nix::poll::PollFd::new(self.end.as_fd(), nix::poll::PollFlags::POLLIN)];
        let ended = nix::poll::poll(&mut fds, PATIENCE_MS).map_err(EmuError::sys(UNWATCHED))?;
        if ended == 0 {
            let _ = kill(self.process, Signal::SIGKILL);
        }
        Ok(ended == 0)
    }

    fn join(&mut self) -> Result<(), EmuError> {
        if let Some(waiter) = self.waiter.take() {
            let ended = waiter.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            self.result = Some(ended.map_err(EmuError::io(UNWATCHED))?);
        }
        Ok(())
    }
}

/// Waits for the end of a process that this one has started.
fn wait(process: Pid) -> io::Result<ExitStatus> {
    loop {
        match waitpid(process, None) {
            Ok(WaitStatus::Exited(_, code)) => return Ok(ExitStatus::from_raw(code << 8)),
            Ok(WaitStatus::Signaled(_, signal, _)) => return Ok(ExitStatus::from_raw(signal as i32)),
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// What failures are called.
const UNWATCHED: &str = "a program cannot be waited for";
/// How long a program may take to end.
const PATIENCE_MS: u16 = 2_000;

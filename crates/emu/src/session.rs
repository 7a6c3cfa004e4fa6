//! A whole emulation: from a configuration to what it has shown, with a program in it or until somebody ends it.

use std::ffi::OsString;
use std::io::{self, PipeReader, Read as _, Write as _};
use std::ops::ControlFlow;
use std::os::fd::AsFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::thread::JoinHandle;

use ackless_cell::OpenCell;
use ackless_cell::config::{CellConfig, Topology};
use ackless_cell::flows::Place;
use ackless_cell::host::Eavesdropper;
use ackless_cell::observe::Observer;
use ackless_cell::result::RunResult;
use ackless_wire::{Duration, Instant};
use nix::errno::Errno;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::EmuError;
use crate::command::{self, Setting};
use crate::drive::{Drive, Woken};
use crate::leftovers::{Leftovers, MARK};
use crate::namespace::Namespace;
use crate::tally::Tally;
use crate::world::{Plan, World, index};

/// What is to be emulated.
#[derive(Debug)]
pub struct Request<'a> {
    /// The cell, as [`prepared`] makes it.
    pub config: &'a CellConfig,
    /// The seed of its randomness.
    pub seed: u64,
    /// Names and devices.
    pub plan: Plan<'a>,
    /// Within this time of an event the loop does not sleep; zero always sleeps.
    pub spin: Duration,
    /// How long; `None` until the program ends, or somebody ends it.
    pub duration: Option<Duration>,
    /// What runs in it.
    pub programs: Vec<Program<'a>>,
    /// Who hears what hosts send and get, as it crosses between a device and the cell.
    pub eavesdropper: Option<Eavesdropper>,
}

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

/// What an emulation has shown.
#[derive(Debug)]
pub struct Emulated {
    /// What the cell has counted; its window is the whole run.
    pub result: RunResult,
    /// What went through the devices.
    pub tally: Tally,
    /// What a device's queue in the kernel dropped, or had no room for on its way up, in the order of [`places`](crate::world::places).
    pub dropped: Vec<u64>,
    /// Packets that were under way in the cell at its end.
    pub left: usize,
    /// How the programs ended that were awaited, in their order, with the output of those whose output was kept. `None` for one that was ended.
    pub programs: Vec<Option<Exit>>,
    /// Why it is over.
    pub ended: Ended,
}

/// How a program ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exit {
    /// What the kernel says of it.
    pub status: ExitStatus,
    /// What it wrote, if that was kept.
    pub output: Vec<u8>,
}

/// Why an emulation is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Its duration is over.
    Duration,
    /// All awaited programs have ended.
    Programs,
    /// A signal came.
    Signal(Signal),
    /// Whoever looks on has asked for it.
    Asked,
}

/// The configuration that is emulated: that of the scenario, counted from the start on; without the scenario's own flows and pings unless they are wanted as background.
///
/// # Errors
/// Where it has no server, or other cells beside it.
pub fn prepared(config: &CellConfig, with_flows: bool) -> Result<CellConfig, EmuError> {
    let wrong = |what: &str, help: &str| Err(EmuError::Wrong { what: what.to_owned(), help: help.to_owned() });
    if config.topology != Topology::Infrastructure {
        return wrong(
            "an ad hoc cell has no server behind an AP",
            "take a scenario with wifi.topology = \"infrastructure\"",
        );
    }
    if !config.neighbours.is_empty() {
        return wrong("there are other cells on the channel, and only one can be emulated", "leave out [[cells]]");
    }
    let mut config = config.clone();
    if !with_flows {
        config.flows.clear();
        config.pings.clear();
    }
    (config.warm_up, config.measured) = (Duration::ZERO, FOREVER);
    Ok(config)
}

/// Emulates a cell. `ready` is called when the network is there, before anything runs; `each` a few times a second, and may end it.
///
/// While it lasts, SIGINT, SIGTERM and SIGHUP end it: they are blocked in the calling thread and read here, so other threads of the process must block them too. The thread's
/// timers are exact (prctl(2), `PR_SET_TIMERSLACK`), and where there are programs the process adopts orphans, of whom those that end before the emulation does stay zombies until
/// the process ends or waits for them. All that is as before once it returns or unwinds.
///
/// # Errors
/// Where the network cannot be made, a program not be started, or a device fails. Nothing is left behind.
pub fn emulate<'o>(
    mut request: Request<'o>,
    observer: &'o mut dyn Observer,
    ready: impl FnOnce(&World),
    mut each: impl FnMut(&Drive<'_, 'o>) -> ControlFlow<()>,
) -> Result<Emulated, EmuError> {
    let signals = Signals::block()?;
    let world = World::new(request.plan, request.config)?;
    ready(&world);
    let World { devices, namespaces, claim } = world;
    check_places(&request.programs, &namespaces)?;
    let mut cell = OpenCell::new(request.config, request.seed, observer);
    if let Some(eavesdropper) = request.eavesdropper.take() {
        cell.eavesdrop(eavesdropper);
    }
    let mut drive = Drive::new(&mut cell, devices, request.spin)?;
    let some = !request.programs.is_empty();
    let leftovers = some.then(|| Leftovers::new(request.plan.name, &namespaces)).transpose()?;
    let mark = leftovers.as_ref().map(Leftovers::mark).unwrap_or_default();
    let mut running = Running { programs: Vec::new(), mark, blocked: signals.before };
    let end = request.duration.map_or(Instant::FAR_FUTURE, |duration| Instant::ZERO + duration);
    let mut tick = Instant::ZERO;
    let ended = loop {
        running.start_due(&request.programs, &namespaces, tick)?;
        let next = request.programs.iter().map(|program| Instant::ZERO + program.after).filter(|at| *at > tick).min();
        let watched: Vec<_> = std::iter::once(signals.fd.as_fd()).chain(running.ends()).collect();
        let until = (tick + TICK).min(end).min(next.unwrap_or(end));
        match drive.run(until, &watched)? {
            Woken::Time => {
                tick = until;
                if each(&drive).is_break() {
                    break Ended::Asked;
                }
            }
            Woken::Watched => {}
        }
        match signals.next()? {
            // The terminal has told the program too, and what it makes of it is its own affair.
            Some(Signal::SIGINT) if running.has_foreground(&request.programs) => {}
            Some(signal) => break Ended::Signal(signal),
            None => {}
        }
        running.reap()?;
        if running.has_ended(&request.programs) {
            break Ended::Programs;
        }
        if tick >= end {
            break Ended::Duration;
        }
    };
    let programs = running.end(&request.programs, leftovers.as_ref())?;
    let (tally, devices) = drive.into_parts();
    let dropped = namespaces.iter().zip(&devices).map(|(namespace, device)| {
        let dropped = match namespace {
            Some(namespace) => namespace.within(|| device.dropped()),
            None => device.dropped(),
        };
        Ok(dropped? + device.refused())
    });
    let dropped = dropped.collect::<io::Result<_>>().map_err(EmuError::io("the devices' counts cannot be read"))?;
    drop(leftovers);
    drop((devices, namespaces, claim));
    let left = cell.packets_under_way();
    Ok(Emulated { left, result: cell.finish(), tally, dropped, programs, ended })
}

/// That each program has a place to run.
fn check_places(programs: &[Program<'_>], namespaces: &[Option<Namespace>]) -> Result<(), EmuError> {
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
struct Running {
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
    /// Starts the programs whose time has come.
    fn start_due(
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
    fn ends(&self) -> impl Iterator<Item = std::os::fd::BorrowedFd<'_>> {
        self.programs.iter().filter(|program| program.waiter.is_some()).map(|program| program.end.as_fd())
    }

    /// Takes what has ended.
    fn reap(&mut self) -> Result<(), EmuError> {
        for program in &mut self.programs {
            if program.waiter.as_ref().is_some_and(|waiter| waiter.is_finished()) {
                program.join()?;
            }
        }
        Ok(())
    }

    /// Whether a program runs that has the terminal.
    fn has_foreground(&self, programs: &[Program<'_>]) -> bool {
        self.programs.iter().zip(programs).any(|(started, program)| !program.keep_output && started.waiter.is_some())
    }

    /// Whether there is something to wait for, and all of it has ended.
    fn has_ended(&self, programs: &[Program<'_>]) -> bool {
        let mut awaited = programs.iter().enumerate().filter(|(_, program)| program.awaited).peekable();
        awaited.peek().is_some()
            && awaited.all(|(n, _)| self.programs.get(n).is_some_and(|program| program.waiter.is_none()))
    }

    /// Ends what still runs, and what they have left: it may hold what their output is read from.
    fn end(mut self, programs: &[Program<'_>], leftovers: Option<&Leftovers>) -> Result<Vec<Option<Exit>>, EmuError> {
        for program in self.programs.iter().filter(|program| program.waiter.is_some()) {
            // It may end in this very moment.
            let _ = kill(program.process, Signal::SIGTERM);
        }
        for program in self.programs.iter().filter(|program| program.waiter.is_some()) {
            program.give_time()?;
        }
        if let Some(leftovers) = leftovers {
            let awaited = self.programs.iter().filter(|program| program.waiter.is_some());
            leftovers.end(&awaited.map(|program| program.process).collect::<Vec<_>>());
        }
        for program in self.programs.iter_mut().filter(|program| program.waiter.is_some()) {
            program.join()?;
            program.result = None;
        }
        let results = std::mem::take(&mut self.programs).into_iter().zip(programs);
        Ok(results.filter(|(_, program)| program.awaited).map(|(started, _)| started.result).collect())
    }
}

/// Where the emulation fails, what still runs has no network any more.
impl Drop for Running {
    fn drop(&mut self) {
        for program in self.programs.iter().filter(|program| program.waiter.is_some()) {
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

    /// Waits for its end a while, then kills it.
    fn give_time(&self) -> Result<(), EmuError> {
        let mut fds = [nix::poll::PollFd::new(self.end.as_fd(), nix::poll::PollFlags::POLLIN)];
        let ended = nix::poll::poll(&mut fds, PATIENCE_MS).map_err(EmuError::sys(UNWATCHED))?;
        if ended == 0 {
            let _ = kill(self.process, Signal::SIGKILL);
        }
        Ok(())
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

/// Signals that end us are read and do not, for as long as this lives.
struct Signals {
    fd: SignalFd,
    /// What the thread blocked before.
    before: SigSet,
}

impl Signals {
    fn block() -> Result<Self, EmuError> {
        let mut set = SigSet::empty();
        for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
            set.add(signal);
        }
        let fd = SignalFd::with_flags(&set, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
            .map_err(EmuError::sys(UNREADABLE))?;
        // Before any other thread begins, so that all have it.
        let before = set.thread_swap_mask(SigmaskHow::SIG_BLOCK).map_err(EmuError::sys("signals cannot be blocked"))?;
        Ok(Self { fd, before })
    }

    fn next(&self) -> Result<Option<Signal>, EmuError> {
        let signal = self.fd.read_signal().map_err(EmuError::sys(UNREADABLE))?;
        Ok(signal.map(|signal| Signal::try_from(signal.ssi_signo.cast_signed()).unwrap_or(Signal::SIGTERM)))
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        // What came while all was being taken down has asked for nothing else.
        while matches!(self.next(), Ok(Some(_))) {}
        // What could be set can be set back.
        let _ = self.before.thread_set_mask();
    }
}

/// What failures are called.
const UNWATCHED: &str = "a program cannot be waited for";
/// Likewise.
const UNREADABLE: &str = "signals cannot be read";
/// How often is told how it stands.
const TICK: Duration = Duration::from_millis(250);
/// How long a program may take to end.
const PATIENCE_MS: u16 = 2_000;
/// Longer than anybody emulates.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

//! A whole emulation: from a configuration to what it has shown, with a program in it or until somebody ends it.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, PipeReader, Read as _, Write as _};
use std::ops::ControlFlow;
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::thread::JoinHandle;

use ackless_cell::Measured;
use ackless_cell::config::{CellConfig, Topology};
use ackless_cell::flows::Place;
use ackless_cell::host::Eavesdropper;
use ackless_cell::observe::Observer;
use ackless_cell::result::RunResult;
use ackless_wire::{Duration, Instant};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::Pid;

use crate::EmuError;
use crate::command;
use crate::drive::{Drive, Woken};
use crate::namespace::{Namespace, path_of};
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
/// # Errors
/// Where the network cannot be made, a program not be started, or a device fails. Nothing is left behind.
pub fn emulate<'o, O: Observer>(
    mut request: Request<'o>,
    observer: &'o mut O,
    ready: impl FnOnce(&World),
    mut each: impl FnMut(&Drive<'_, 'o, O>) -> ControlFlow<()>,
) -> Result<Emulated, EmuError> {
    let signals = signals()?;
    let world = World::new(request.plan, request.config)?;
    ready(&world);
    let World { devices, namespaces, claim } = world;
    check_places(&request.programs, &namespaces)?;
    let mut measured = Measured::new(Cow::Borrowed(request.config), request.seed, request.seed, Some(observer));
    measured.begin_window();
    if let Some(eavesdropper) = request.eavesdropper.take() {
        measured.cell.eavesdrop(eavesdropper);
    }
    let mut drive = Drive::new(&mut measured, devices, request.spin)?;
    if !request.programs.is_empty() {
        // So that what programs leave behind is still known to be theirs at the end.
        prctl::set_child_subreaper(true).map_err(EmuError::sys("what programs leave behind cannot be watched"))?;
    }
    let mut running = Running { programs: Vec::new() };
    let end = request.duration.map_or(Instant::FAR_FUTURE, |duration| Instant::ZERO + duration);
    let mut tick = Instant::ZERO;
    let ended = loop {
        running.start_due(&request.programs, &namespaces, tick)?;
        let next = request.programs.iter().map(|program| Instant::ZERO + program.after).filter(|at| *at > tick).min();
        let watched: Vec<_> = std::iter::once(signals.as_fd()).chain(running.ends()).collect();
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
        match next_signal(&signals)? {
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
    let programs = running.end(&request.programs)?;
    let (tally, devices) = drive.into_parts();
    let dropped = namespaces.iter().zip(&devices).map(|(namespace, device)| {
        let dropped = match namespace {
            Some(namespace) => namespace.within(|| device.dropped()),
            None => device.dropped(),
        };
        Ok(dropped? + device.refused())
    });
    let dropped = dropped.collect::<io::Result<_>>().map_err(EmuError::io("the devices' counts cannot be read"))?;
    if !request.programs.is_empty() {
        end_descendants(&namespaces);
    }
    drop((devices, namespaces, claim));
    let left = measured.cell.packets_under_way();
    Ok(Emulated { left, result: measured.finish_early(), tally, dropped, programs, ended })
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
            let child = command::start(namespace, program.command, |command| {
                if program.keep_output {
                    // What nobody watches gets no terminal's signals either.
                    command.stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0);
                }
            })?;
            self.programs.push(Started::watch(child).map_err(EmuError::io("a program cannot be waited for"))?);
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

    /// Ends what still runs.
    fn end(mut self, programs: &[Program<'_>]) -> Result<Vec<Option<Exit>>, EmuError> {
        for program in self.programs.iter().filter(|program| program.waiter.is_some()) {
            // It may end in this very moment.
            let _ = kill(program.process, Signal::SIGTERM);
        }
        for program in self.programs.iter_mut().filter(|program| program.waiter.is_some()) {
            program.give_time()?;
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
    fn watch(mut child: Child) -> io::Result<Self> {
        let (end, mut tell) = io::pipe()?;
        let process = Pid::from_raw(child.id().cast_signed());
        let waiter = std::thread::Builder::new().spawn(move || {
            let mut output = Vec::new();
            if let Some(mut out) = child.stdout.take() {
                out.read_to_end(&mut output)?;
            }
            let status = child.wait()?;
            tell.write_all(&[0])?;
            Ok(Exit { status, output })
        })?;
        Ok(Self { process, end, waiter: Some(waiter), result: None })
    }

    /// Waits for its end a while, then kills it.
    fn give_time(&self) -> Result<(), EmuError> {
        let mut fds = [nix::poll::PollFd::new(self.end.as_fd(), nix::poll::PollFlags::POLLIN)];
        let ended = nix::poll::poll(&mut fds, PATIENCE_MS).map_err(EmuError::sys("a program cannot be waited for"))?;
        if ended == 0 {
            let _ = kill(self.process, Signal::SIGKILL);
        }
        Ok(())
    }

    fn join(&mut self) -> Result<(), EmuError> {
        if let Some(waiter) = self.waiter.take() {
            let ended = waiter.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            self.result = Some(ended.map_err(EmuError::io("a program cannot be waited for"))?);
        }
        Ok(())
    }
}

/// Ends what programs have started in these namespaces and left: a server in the background, the rest of a pipeline whose shell was ended.
fn end_descendants(namespaces: &[Option<Namespace>]) {
    let ours: Vec<_> =
        namespaces.iter().flatten().filter_map(|namespace| network_of(&path_of(namespace.name()))).collect();
    for (signal, times) in [(Signal::SIGTERM, PATIENCE_MS / STEP_MS), (Signal::SIGKILL, 1)] {
        for time in 0..times {
            let left = descendants(&ours);
            if left.is_empty() {
                return;
            }
            if time == 0 {
                for process in left {
                    // It may end in this very moment.
                    let _ = kill(process, signal);
                }
            }
            std::thread::park_timeout(std::time::Duration::from_millis(STEP_MS.into()));
        }
    }
}

/// The processes that descend from this one and are in one of these network namespaces.
fn descendants(networks: &[(u64, u64)]) -> Vec<Pid> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let inside = numbers.filter(|process| {
        network_of(Path::new(&format!("/proc/{process}/ns/net"))).is_some_and(|network| networks.contains(&network))
    });
    inside.filter(|process| is_descendant(*process)).map(Pid::from_raw).collect()
}

/// What tells a network namespace from others.
fn network_of(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|namespace| (namespace.dev(), namespace.ino()))
}

/// Whether this process has started another one, or one that did.
fn is_descendant(mut process: i32) -> bool {
    let own = std::process::id().cast_signed();
    while process > 1 && process != own {
        let Ok(status) = std::fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
        // The name, in parentheses, may have blanks; the state and the parent follow (proc(5)).
        let parent = status.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        let Some(parent) = parent else { return false };
        process = parent;
    }
    process == own
}

/// From now on, signals that end us are read and do not.
fn signals() -> Result<SignalFd, EmuError> {
    let mut set = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        set.add(signal);
    }
    // Before any other thread begins, so that all have it.
    set.thread_block().map_err(EmuError::sys("signals cannot be blocked"))?;
    SignalFd::with_flags(&set, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
        .map_err(EmuError::sys("signals cannot be read"))
}

fn next_signal(signals: &SignalFd) -> Result<Option<Signal>, EmuError> {
    let signal = signals.read_signal().map_err(EmuError::sys("signals cannot be read"))?;
    Ok(signal.map(|signal| Signal::try_from(signal.ssi_signo.cast_signed()).unwrap_or(Signal::SIGTERM)))
}

/// How often is told how it stands.
const TICK: Duration = Duration::from_millis(250);
/// How long a program may take to end.
const PATIENCE_MS: u16 = 2_000;
/// How often it is looked at meanwhile.
const STEP_MS: u16 = 10;
/// Longer than anybody emulates.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

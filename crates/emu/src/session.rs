//! A whole emulation: from a configuration to what it has shown, with a program in it or until somebody ends it.

use std::io;
use std::ops::ControlFlow;
use std::os::fd::AsFd as _;

use ackless_cell::OpenCell;
use ackless_cell::config::{CellConfig, Topology};
use ackless_cell::flows::Place;
use ackless_cell::host::Eavesdropper;
use ackless_cell::observe::Observer;
use ackless_cell::result::RunResult;
use ackless_wire::{Duration, Instant};
use nix::sys::signal::Signal;

use crate::EmuError;
use crate::descriptors;
use crate::drive::{Drive, Woken};
use crate::leftovers::Leftovers;
use crate::namespace::Namespace;
use crate::running::{Running, check_places};
use crate::signals::{Came, Signals};
use crate::tally::Tally;
use crate::world::{Plan, World};

pub use crate::running::{Exit, Program};

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
    /// Who hears the signals that end it.
    pub signals: &'a Signals,
    /// Who hears what hosts send and get, as it crosses between a device and the cell.
    pub eavesdropper: Option<Eavesdropper>,
}

/// What an emulation has shown.
#[derive(Debug)]
pub struct Emulated {
    /// What the cell has counted; its window is the whole run.
    pub result: RunResult,
    /// What went through the devices.
    pub tally: Tally,
    /// What a device's queue in the kernel dropped, or had no room for on its way up, in the order
    /// of [`places`](crate::world::places). `None` for a device that was deleted with its count.
    pub dropped: Vec<Option<u64>>,
    /// How long each device was down, in the same order.
    pub down: Vec<Duration>,
    /// Packets that were under way in the cell at its end.
    pub left: usize,
    /// How the programs ended that were awaited, in their order, with the output of those whose output was kept. `None` for one that was ended.
    pub programs: Vec<Option<Exit>>,
    /// Whether a process did not end within 2 s of SIGTERM and was killed.
    pub killed: bool,
    /// Why it is over.
    pub ended: Ended,
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
    /// The device or interface of this host was deleted, or moved to another network namespace.
    Gone(Place),
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
/// A signal that `request.signals` reads ends it. One signal is left to programs: the SIGINT of a
/// terminal, which sends it to a program in its foreground group too. The thread's timers are exact
/// (prctl(2), `PR_SET_TIMERSLACK`), and where there are programs the process adopts orphans, of
/// whom those that end before the emulation does stay zombies until the process ends or waits for
/// them. All that is as before once it returns or unwinds.
///
/// # Errors
/// Where the network cannot be made, a program not be started, or a device fails. Nothing is left behind.
pub fn emulate<'o>(
    mut request: Request<'o>,
    observer: &'o mut dyn Observer,
    ready: impl FnOnce(&World),
    mut each: impl FnMut(&Drive<'_, 'o>) -> ControlFlow<()>,
) -> Result<Emulated, EmuError> {
    descriptors::check(request.config.stations.len() + 1, request.programs.len())?;
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
    let leftovers = some.then(|| Leftovers::new(claim.mark(), &namespaces)).transpose()?;
    let mark = leftovers.as_ref().map(Leftovers::mark).unwrap_or_default();
    let mut running = Running::new(mark, request.signals.before());
    let ended = run_until_ended(&mut drive, &mut running, &request, &namespaces, &mut each)?;
    let (programs, killed) = running.end(&request.programs, leftovers.as_ref())?;
    let now = drive.now();
    let (tally, devices) = drive.into_parts();
    let down = devices.iter().map(|device| device.down(now)).collect();
    let dropped = namespaces.iter().zip(&devices).map(|(namespace, device)| {
        let dropped = match namespace {
            Some(namespace) => namespace.within(|| device.dropped()),
            None => device.dropped(),
        };
        Ok(dropped?.map(|dropped| dropped + device.refused()))
    });
    let dropped = dropped.collect::<io::Result<_>>().map_err(EmuError::io("the devices' counts cannot be read"))?;
    drop(leftovers);
    drop((devices, namespaces, claim));
    let left = cell.packets_under_way();
    Ok(Emulated { left, result: cell.finish(), tally, dropped, down, programs, killed, ended })
}

/// Lets the emulation go on until something ends it.
fn run_until_ended<'o>(
    drive: &mut Drive<'_, 'o>,
    running: &mut Running,
    request: &Request<'_>,
    namespaces: &[Option<Namespace>],
    each: &mut impl FnMut(&Drive<'_, 'o>) -> ControlFlow<()>,
) -> Result<Ended, EmuError> {
    let end = request.duration.map_or(Instant::FAR_FUTURE, |duration| Instant::ZERO + duration);
    let mut tick = Instant::ZERO;
    loop {
        running.start_due(&request.programs, namespaces, tick)?;
        let next = request.programs.iter().map(|program| Instant::ZERO + program.after).filter(|at| *at > tick).min();
        let watched: Vec<_> = std::iter::once(request.signals.as_fd()).chain(running.ends()).collect();
        let until = (tick + TICK).min(end).min(next.unwrap_or(end));
        match drive.run(until, &watched)? {
            Woken::Time => {
                tick = until;
                let gone = drive.look_at_those_down()?;
                if let Some(place) = gone {
                    return Ok(Ended::Gone(place));
                }
                if each(drive).is_break() {
                    return Ok(Ended::Asked);
                }
            }
            Woken::Watched => {}
            Woken::Gone(place) => return Ok(Ended::Gone(place)),
        }
        match request.signals.next()? {
            // What a program makes of its terminal's Ctrl-C is its own affair.
            Some(Came { signal: Signal::SIGINT, from_kernel: true }) if running.has_foreground(&request.programs) => {}
            Some(came) => return Ok(Ended::Signal(came.signal)),
            None => {}
        }
        running.reap()?;
        if running.has_ended(&request.programs) {
            return Ok(Ended::Programs);
        }
        if tick >= end {
            return Ok(Ended::Duration);
        }
    }
}

/// How often is told how it stands.
const TICK: Duration = Duration::from_millis(250);
/// Longer than anybody emulates.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

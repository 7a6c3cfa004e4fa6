//! `ackless emulate`: a cell on the clock, with real programs over it.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitCode, ExitStatus};

use ackless_cell::config::CellConfig;
use ackless_cell::flows::Place;
use ackless_cell::gro::Gro;
use ackless_emu::claim::Removed;
use ackless_emu::device::{Addresses, Offload};
use ackless_emu::session::{Emulated, Ended, Program, Request, emulate, prepared};
use ackless_emu::signals::{Signal, Signals};
use ackless_emu::world::{Ends, Plan, World, directory, find};
use ackless_scenario::{Row, Scenario};
use ackless_wire::Duration;

use super::one_row;
use crate::args::{Emulate, Offloads};
use crate::capture;
use crate::live::Live;
use crate::output::{Failure, exit_code, print, print_text, remark, remark_text, signalled};
use crate::recording::{Files, Recording};
use figures::{Told, names, text};
use watch::{Behind, Links, device};

pub use watch::LATE_US;

mod figures;
mod watch;

/// Emulates the cell and prints what it has shown. The exit code is that of the command in it.
pub fn run(options: &Emulate) -> ExitCode {
    exit_code(try_run(options))
}

fn try_run(options: &Emulate) -> Result<ExitCode, Failure> {
    let scenario = options.subject.read()?;
    let row = one_row(&options.scheme)?;
    scenario.heeds_overrides(&[row])?;
    let built = without_end(&scenario)?.build(row)?;
    let config = prepared(&built, options.with_flows)?;
    let ends = Ends { server: options.server_dev.as_deref(), stations: &options.station_dev };
    let inside = match options.inside.as_deref() {
        Some(HERE) => None,
        Some(name) => Some(find(name, &config)?),
        None => Some(Place::Station(1)).filter(|first| ends.at(*first).is_none()),
    };
    let mut recording = options.recorded.is_wanted().then(|| Recording::of(&options.recorded, &config)).transpose()?;
    let plan = Plan { ends, ..plan(&options.name, options.offload, &config) };
    let length = options.duration.and_then(|time| capture::warning(&options.recorded, &config, time));
    for line in remarks(options, &built, row).into_iter().chain(length) {
        remark(&line);
    }
    // Before another thread starts: see `Signals`.
    let signals = Signals::take()?;
    let (emulated, behind) = emulated(options, &config, plan, (inside, &signals), recording.as_mut())?;
    let written = recording.map(Recording::finish).transpose();
    // What is printed now may wait for its reader, and a signal ends that.
    drop(signals);
    let hosts: Vec<_> = names(&config).collect();
    for line in ended(plan, &hosts, &emulated) {
        remark(&line);
    }
    let status = emulated.programs.first().map(|program| program.as_ref().map(|exit| exit.status));
    let code = code(status, emulated.ended);
    let told = Told::of(options.name.as_str(), scenario.effective(row), &config, plan, emulated, behind);
    match show(options, &told) {
        // The command has ended as it has, whoever reads the figures.
        Ok(()) | Err(Failure::ClosedPipe) => {}
        Err(failure) => return Err(failure),
    }
    // Where the files of the recording had no room, the figures are still good.
    written?.into_iter().flatten().for_each(|line| remark(&line));
    Ok(code)
}

/// The scenario with a window as long as there can be one: its own ends no emulation, so flows and
/// steps may begin after it.
fn without_end(scenario: &Scenario) -> Result<Scenario, Failure> {
    let mut open = scenario.clone();
    open.set("run.warm_up=0s")?;
    open.set("run.measured=100000s")?;
    Ok(open)
}

/// Emulates the cell. Also returns for how long the machine did not keep up.
fn emulated(
    options: &Emulate,
    config: &CellConfig,
    plan: Plan<'_>,
    (inside, signals): (Option<Place>, &Signals),
    recording: Option<&mut Recording>,
) -> Result<(Emulated, Duration), Failure> {
    let hosts = directory(&options.name, config)?;
    let program =
        Program { inside, command: &options.command, keep_output: false, awaited: true, after: Duration::ZERO };
    let request = Request {
        config,
        seed: options.seed,
        plan,
        spin: options.spin,
        duration: options.duration,
        programs: if options.command.is_empty() { Vec::new() } else { vec![program] },
        signals,
        eavesdropper: None,
    };
    // What records nothing is of the same type.
    let mut nothing: Files = (None, None);
    let files = recording.map_or(&mut nothing, Recording::observer);
    let names: Vec<_> = names(config).collect();
    // A command has the terminal for itself.
    let mut live = None;
    let mut behind = Behind::default();
    let mut links = Links::default();
    let emulated = emulate(
        request,
        files,
        |world| {
            removed(&options.name, world).iter().for_each(|line| remark(line));
            remark(&introduction(options, &hosts, plan.ends));
        },
        |drive| {
            let complaint = behind.look(drive.cell().now(), drive.tally());
            let changes = links.look(drive.devices(), plan.ends, &names);
            if options.command.is_empty() {
                live.get_or_insert_with(Live::new);
            }
            match live.as_mut().and_then(Option::as_mut) {
                Some(live) => live.show(drive, &names, behind.is()),
                None => complaint.iter().chain(&changes).for_each(|line| remark(line)),
            }
            ControlFlow::Continue(())
        },
    )?;
    Ok((emulated, behind.time))
}

/// Prints the figures.
fn show(options: &Emulate, told: &Told) -> Result<(), Failure> {
    if options.json {
        told.complaint().iter().for_each(|complaint| remark(complaint));
        print(&serde_json::to_string_pretty(told)?)
    } else if options.command.is_empty() {
        print_text(|| text(told))
    } else {
        // Standard output is the command's.
        remark_text(|| text(told));
        Ok(())
    }
}

/// A remark about the remains of a killed emulation of the same name, if there were any.
pub fn removed(name: &str, world: &World) -> Option<String> {
    let Removed { process, namespaces, programs } = world.removed()?;
    Some(format!(
        "process {process} was killed while it emulated a cell called {name}; its remains are removed: \
         network namespaces {namespaces}, running programs {programs}"
    ))
}

/// Why it is over, where that was not to be expected.
fn ended(plan: Plan<'_>, hosts: &[String], emulated: &Emulated) -> Vec<String> {
    let mut lines = Vec::new();
    let cut = emulated.programs.iter().any(Option::is_none);
    match emulated.ended {
        Ended::Duration if cut => lines.push(format!(
            "the command was still running when --duration was over: it was ended, and the exit code is {OUT_OF_TIME}"
        )),
        Ended::Signal(signal) if cut => lines.push(format!("{signal} came: the command was ended")),
        Ended::Signal(signal) if !is_request(signal) => lines.push(format!("{signal} came: the emulation is over")),
        Ended::Gone(place) => lines.push(format!(
            "{} was deleted: the emulation is over, the figures go up to here, and the exit code is {GONE}",
            device(place, plan.ends, hosts)
        )),
        _ => {}
    }
    if emulated.killed {
        lines.push("a program did not end within 2 s of SIGTERM and was killed".to_owned());
    }
    lines
}

/// Whether a signal is the usual way to end an emulation.
fn is_request(signal: Signal) -> bool {
    matches!(signal, Signal::SIGINT | Signal::SIGTERM | Signal::SIGHUP)
}

/// What the hosts' devices are left.
pub fn plan<'a>(name: &'a str, offload: Offloads, config: &CellConfig) -> Plan<'a> {
    let of = |gro, segments| Offload { gro, segments };
    let (server, stations) = match offload {
        Offloads::Scenario => {
            let station = &config.stations[0];
            (of(config.server.gro, config.server.tso.is_some()), of(station.gro, station.tso.is_some()))
        }
        Offloads::Off => (of(Gro::Off, false), of(Gro::Off, false)),
        Offloads::Gro => (of(Gro::PerBatch, false), of(Gro::PerBatch, false)),
        Offloads::Full => (of(Gro::PerBatch, true), of(Gro::PerBatch, true)),
    };
    Plan { name, server, stations, ends: Ends::default() }
}

/// What must be known before it begins.
fn remarks(options: &Emulate, built: &CellConfig, row: &Row) -> Vec<String> {
    let mut lines = Vec::new();
    let own = built.flows.len() + built.pings.len();
    if own > 0 && !options.with_flows {
        lines.push(format!(
            "the scenario's own {own} flows and pings are left out; --with-flows runs them as background"
        ));
    }
    if needs_answers_at_sifs(row.name) {
        lines.push(format!(
            "{} wants the host's answer before the link-layer ACK leaves, a SIFS after the data: on the wall clock this host answers some tens of microseconds late, \
             and the scheme finds a slow station",
            row.name
        ));
    }
    lines
}

/// Whether what a scheme does at the SIFS deadline depends on what the host has answered by then.
pub fn needs_answers_at_sifs(row: &str) -> bool {
    row.starts_with("agent-flag") || row.starts_with("arq")
}

/// Who is where, and how to use it.
fn introduction(options: &Emulate, hosts: &[(String, Addresses)], ends: Ends<'_>) -> String {
    let width = hosts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    let places = std::iter::once(Place::Server).chain((1..).map(Place::Station));
    for ((name, Addresses { v4, v6 }), place) in hosts.iter().zip(places) {
        match ends.at(place) {
            None => writeln!(text, "  {name:width$}  {v4:<12}  {v6}"),
            Some(interface) => writeln!(text, "  {name:width$}  behind the interface {interface}"),
        }
        .expect("a string takes all that is written");
    }
    if options.command.is_empty() {
        if ends == Ends::default() {
            let server = hosts[0].1.v4;
            write!(
                text,
                "try: ip netns exec {} iperf3 -s &\n     ip netns exec {} iperf3 -c {server} -R\n",
                hosts[0].0, hosts[1].0
            )
            .expect("a string takes all that is written");
        }
        text.push_str("Ctrl-C ends it");
    }
    text.trim_end().to_owned()
}

/// The command's exit code, as a shell has it; where the command was ended, a code that says why.
fn code(status: Option<Option<ExitStatus>>, ended: Ended) -> ExitCode {
    match (status, ended) {
        (Some(Some(status)), _) => match (status.code(), status.signal()) {
            (None, Some(signal)) => signalled(signal),
            (code, _) => ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        },
        (_, Ended::Gone(_)) => ExitCode::from(GONE),
        (status, Ended::Signal(signal)) if status.is_some() || !is_request(signal) => signalled(signal as i32),
        (Some(None), Ended::Duration) => ExitCode::from(OUT_OF_TIME),
        _ => ExitCode::SUCCESS,
    }
}

/// The place of a program that is at no host.
const HERE: &str = "here";
/// The exit code where `--duration` was over before the command, as timeout(1) has it.
const OUT_OF_TIME: u8 = 124;
/// The exit code where a host's device was deleted.
const GONE: u8 = 125;

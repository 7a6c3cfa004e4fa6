//! `ackless emulate`: a cell on the clock, with real programs over it.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitCode, ExitStatus};

use ackless_cell::config::{CellConfig, Peer};
use ackless_cell::flows::Place;
use ackless_cell::gro::Gro;
use ackless_cell::result::{AirtimeClass, RunResult, jain};
use ackless_emu::device::{Addresses, Offload};
use ackless_emu::session::{Emulated, Ended, Program, Request, emulate, prepared};
use ackless_emu::tally::{Crossed, Lateness, Tally};
use ackless_emu::world::{Ends, Plan, SERVER, directory, find, places};
use ackless_lab::VERSION;
use ackless_lab::metric::airtime_percent;
use ackless_lab::run::Record;
use ackless_lab::table::{Table, airtime_table};
use ackless_scenario::{Effective, Row};
use ackless_wire::{Duration, Instant};
use serde::Serialize;

use crate::args::{Emulate, Offloads};
use crate::live::Live;
use crate::output::{Failure, exit_code, print, remark};
use crate::recording::{Files, Recording};

/// Emulates the cell and prints what it has shown. The exit code is that of the command in it.
pub fn run(options: &Emulate) -> ExitCode {
    exit_code(try_run(options))
}

fn try_run(options: &Emulate) -> Result<ExitCode, Failure> {
    let scenario = options.subject.read()?;
    let row = Row::find(&options.scheme)?;
    scenario.heeds_overrides(&[row])?;
    let built = scenario.build(row)?;
    let config = prepared(&built, options.with_flows)?;
    let hosts = directory(&options.name, &config)?;
    let ends = Ends { server: options.server_dev.as_deref(), stations: &options.station_dev };
    let inside = match options.inside.as_deref() {
        Some(HERE) => None,
        Some(name) => Some(find(name, &config)?),
        None => Some(Place::Station(1)).filter(|first| ends.at(*first).is_none()),
    };
    let mut recording = options.recorded.is_wanted().then(|| Recording::of(&options.recorded, &config)).transpose()?;
    let plan = Plan { ends, ..plan(&options.name, options.offload, &config) };
    let program =
        Program { inside, command: &options.command, keep_output: false, awaited: true, after: Duration::ZERO };
    let request = Request {
        config: &config,
        seed: options.seed,
        plan,
        spin: options.spin,
        duration: options.duration,
        programs: if options.command.is_empty() { Vec::new() } else { vec![program] },
        eavesdropper: None,
    };
    for line in remarks(options, &built, row) {
        remark(&line);
    }
    // What records nothing is of the same type.
    let mut nothing: Files = (None, None);
    let files = recording.as_mut().map_or(&mut nothing, Recording::observer);
    let names: Vec<_> = names(&config).collect();
    // A command has the terminal for itself.
    let mut live = None;
    let mut behind = Behind::default();
    let emulated = emulate(
        request,
        files,
        |_| remark(&introduction(options, &hosts, ends)),
        |drive| {
            let complaint = behind.look(drive.cell().now(), drive.tally());
            if options.command.is_empty() {
                live.get_or_insert_with(Live::new);
            }
            match live.as_mut().and_then(Option::as_mut) {
                Some(live) => live.show(drive, &names, behind.is()),
                None => complaint.iter().for_each(|complaint| remark(complaint)),
            }
            ControlFlow::Continue(())
        },
    )?;
    drop(live);
    if let Some(recording) = recording {
        let written: Vec<_> = recording.finish()?.iter().map(|path| path.display().to_string()).collect();
        remark(&format!("written: {}", written.join(", ")));
    }
    let Emulated { programs, ended, .. } = &emulated;
    let status = programs.first().map(|program| program.as_ref().map(|exit| exit.status));
    let code = code(status, *ended);
    let told = Told::of(options.name.as_str(), scenario.effective(row), &config, plan, emulated, behind.time);
    if options.json {
        told.complaint().iter().for_each(|complaint| remark(complaint));
        print(&serde_json::to_string_pretty(&told)?)?;
    } else if options.command.is_empty() {
        print(&text(&told))?;
    } else {
        // Standard output is the command's.
        remark(&text(&told));
    }
    Ok(code)
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

/// The command's exit code, or as a shell says it that a signal has ended it.
fn code(status: Option<Option<ExitStatus>>, ended: Ended) -> ExitCode {
    let code = match (status, ended) {
        (Some(Some(status)), _) => status.code().or_else(|| status.signal().map(|signal| SIGNALLED + signal)),
        (_, Ended::Signal(signal)) if status.is_some() => Some(SIGNALLED + signal as i32),
        _ => Some(0),
    };
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// The names of all hosts, the server first.
fn names(config: &CellConfig) -> impl Iterator<Item = String> {
    std::iter::once(SERVER.to_owned()).chain(config.stations.iter().map(|station| station.name.clone()))
}

/// The object of `--json`: that of `run`, and what the hosts and their devices have seen.
#[derive(Debug, Serialize)]
struct Told {
    #[serde(flatten)]
    record: Record,
    hosts: Vec<Host>,
    lateness: Lateness,
    /// For how long more than 1 packet in 100 came too late, by [`LATE_US`].
    behind_seconds: f64,
    offload: [String; 2],
}

/// A host and what has crossed its device.
#[derive(Debug, Serialize)]
struct Host {
    name: String,
    /// The interface that it is behind, if it was there before.
    #[serde(skip_serializing_if = "Option::is_none")]
    interface: Option<String>,
    #[serde(flatten)]
    made: Option<Made>,
    goodput_mbps: f64,
    packets_sent: u64,
    packets_received: u64,
    pure_acks_received: u64,
    packets_refused: u64,
    frames_past_the_cell: u64,
    packets_without_ethernet_address: u64,
    dropped_by_kernel: u64,
}

/// What was made for a host.
#[derive(Debug, Serialize)]
struct Made {
    namespace: String,
    ipv4: String,
    ipv6: String,
}

impl Told {
    fn of(
        name: &str,
        scenario: Effective,
        config: &CellConfig,
        plan: Plan<'_>,
        emulated: Emulated,
        behind: Duration,
    ) -> Self {
        let Emulated { mut result, tally, dropped, .. } = emulated;
        let seconds = result.sim_seconds;
        let host = |((place, own), dropped): ((Place, String), u64)| {
            let Crossed { sent, received, payload, pure_acks, refused, passed, homeless, .. } = tally.of(place);
            let Addresses { v4, v6 } = Addresses::of(place);
            let interface = plan.ends.at(place).map(str::to_owned);
            let made = || Made { namespace: format!("{name}-{own}"), ipv4: v4.to_string(), ipv6: v6.to_string() };
            Host {
                made: interface.is_none().then(made),
                interface,
                name: own,
                goodput_mbps: if seconds > 0.0 { payload.bits() as f64 / seconds / 1e6 } else { 0.0 },
                packets_sent: sent,
                packets_received: received,
                pure_acks_received: pure_acks,
                packets_refused: refused,
                frames_past_the_cell: passed,
                packets_without_ethernet_address: homeless,
                dropped_by_kernel: dropped,
            }
        };
        let hosts: Vec<_> = places(config).zip(names(config)).zip(dropped).map(host).collect();
        result.goodput_mbps += hosts.iter().map(|host| host.goodput_mbps).sum::<f64>();
        result.wall_seconds = seconds;
        result.fairness.jain_goodput = jain(&shares(config, &result, &tally));
        let record = Record { version: VERSION, scenario, result };
        Self {
            record,
            hosts,
            lateness: tally.lateness(),
            behind_seconds: behind.as_secs_f64(),
            offload: [plan.server, plan.stations].map(told),
        }
    }

    /// That the machine did not keep up, and by how much, if that was so.
    fn complaint(&self) -> Option<String> {
        let Lateness { p99_us, max_us, .. } = self.lateness;
        (p99_us > LATE_US || self.behind_seconds > 0.0).then(|| {
            format!(
                "This machine did not keep up for {:.0} of {:.0} s: of all packets 1 in 100 came more than {:.1} ms after its time, the latest {:.0} ms. \
                 The figures are of a slower host than the scenario's.",
                self.behind_seconds,
                self.record.result.sim_seconds,
                p99_us / 1e3,
                max_us / 1e3
            )
        })
    }
}

/// What each station that took part got and gave, in Mbit/s: through its device, and by the scenario's own flows where they ran.
fn shares(config: &CellConfig, result: &RunResult, tally: &Tally) -> Vec<f64> {
    let mut shares: Vec<_> = (1..=config.stations.len())
        .map(|station| {
            let Crossed { sent, received, payload, given, .. } = tally.of(Place::Station(station));
            (sent + received > 0).then(|| (payload + given).bits() as f64 / result.sim_seconds / 1e6)
        })
        .collect();
    for (flow, told) in config.flows.iter().zip(&result.flows) {
        let other = if let Peer::Station(other) = flow.peer { Some(other) } else { None };
        for station in [Some(flow.station), other].into_iter().flatten() {
            *shares[station].get_or_insert(0.0) += told.goodput_mbps;
        }
    }
    shares.into_iter().flatten().collect()
}

/// Whether the machine keeps up, looked at every second.
#[derive(Debug, Default)]
struct Behind {
    /// What was counted at the beginning of this second.
    before: Option<(Instant, Tally)>,
    /// Whether it did not in the last one.
    is: bool,
    /// For how long it did not, in all.
    time: Duration,
    /// When it was last said.
    told: Option<Instant>,
}

impl Behind {
    /// What is to be said of the last second, if there is anything to be said.
    fn look(&mut self, now: Instant, tally: &Tally) -> Option<String> {
        let Some((since, before)) = &self.before else {
            self.before = Some((now, tally.clone()));
            return None;
        };
        let passed = now.saturating_since(*since);
        if passed < Duration::from_secs(1) {
            return None;
        }
        let Lateness { p99_us, max_us, .. } = tally.lateness_since(before);
        self.before = Some((now, tally.clone()));
        self.is = p99_us > LATE_US;
        if !self.is {
            return None;
        }
        self.time += passed;
        if self.told.is_some_and(|told| now.saturating_since(told) < SAID_AGAIN) {
            return None;
        }
        self.told = Some(now);
        Some(format!(
            "this machine does not keep up: within {:.1} s 1 packet in 100 came more than {:.1} ms after its time, the latest {:.0} ms",
            passed.as_secs_f64(),
            p99_us / 1e3,
            max_us / 1e3
        ))
    }

    /// Whether it did not keep up just now.
    fn is(&self) -> bool {
        self.is
    }
}

fn told(Offload { segments, gro }: Offload) -> String {
    match (gro, segments) {
        (Gro::Off, false) => "off",
        (_, false) => "gro",
        (Gro::Off, true) => "tso",
        (_, true) => "full",
    }
    .to_owned()
}

/// What it has shown, for people.
fn text(told: &Told) -> String {
    let result = &told.record.result;
    let Lateness { median_us, p99_us, max_us, packets } = told.lateness;
    let counters = &result.counters.total;
    let mut text = format!("scheme {}, {:.2} s emulated\n\n", result.scheme, result.sim_seconds);
    let hack = result.hack.map(|hack| {
        format!(
            "{} ACKs compressed in {} answers, {} ACKs native",
            hack.compressed_acks, hack.appended_answers, hack.native_acks
        )
    });
    let lines = [
        ("TCP ACK frames", counters.tcp_ack_ppdus.to_string()),
        ("channel accesses", counters.channel_accesses.to_string()),
        ("collided PPDUs", counters.collisions.to_string()),
        ("queue drops", counters.queue_drops.to_string()),
        ("HACK", hack.unwrap_or_default()),
        ("lateness", format!("median {median_us:.0}, p99 {p99_us:.0}, greatest {max_us:.0} us, of {packets} packets")),
    ];
    for (title, value) in lines.iter().filter(|(_, value)| !value.is_empty()) {
        writeln!(text, "{title:<18} {value}").expect("a string takes all that is written");
    }
    if let Some(complaint) = told.complaint() {
        writeln!(text, "\n{complaint}").expect("a string takes all that is written");
    }
    let header = [
        "host",
        "goodput\nMbps",
        "packets\nsent",
        "received",
        "of these\npure ACKs",
        "not\ncarried",
        "past\nthe cell",
        "dropped by\nthe kernel",
    ];
    let mut table = Table::new(header.map(str::to_owned).to_vec());
    for host in &told.hosts {
        table.push(vec![
            host.name.clone(),
            format!("{:.2}", host.goodput_mbps),
            host.packets_sent.to_string(),
            host.packets_received.to_string(),
            host.pure_acks_received.to_string(),
            host.packets_refused.to_string(),
            host.frames_past_the_cell.to_string(),
            host.dropped_by_kernel.to_string(),
        ]);
    }
    write!(text, "\n{table}").expect("a string takes all that is written");
    let shares = AirtimeClass::ALL.map(|class| airtime_percent(result, class));
    let airtime = airtime_table(vec![("%".to_owned(), shares)]);
    write!(text, "\nShare of the air time\n\n{airtime}").expect("a string takes all that is written");
    text
}

/// The place of a program that is at no host.
const HERE: &str = "here";
/// Shells say so that a signal has ended a program.
const SIGNALLED: i32 = 128;
/// From here on, packets come late enough to change what TCP does: about as long as an A-MPDU lasts.
pub const LATE_US: f64 = 3_000.0;
/// How long it does not say again that the machine does not keep up.
const SAID_AGAIN: Duration = Duration::from_secs(10);

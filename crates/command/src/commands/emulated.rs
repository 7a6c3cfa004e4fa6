//! `ackless compare --emulated`: downloads by the kernel's TCP through the emulated cell, with the simulated figures beside them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;

use ackless_cell::config::{CellConfig, Direction, Peer, TransportConfig};
use ackless_cell::flows::Place;
use ackless_cell::result::RunResult;
use ackless_emu::EmuError;
use ackless_emu::device::Addresses;
use ackless_emu::session::{Emulated, Ended, Exit, Program, Request, emulate, prepared};
use ackless_emu::signals::{Signal, Signals};
use ackless_emu::world::World;
use ackless_lab::case::{Case, LeftOut, left_out_lines};
use ackless_lab::input;
use ackless_lab::statistics::Estimate;
use ackless_lab::table::{Table, described, figure_with_interval};
use ackless_scenario::{Row, Scenario};
use ackless_wire::Duration;
use clap::ValueEnum as _;
use indicatif::ProgressBar;
use serde::Serialize;

use super::emulate::{LATE_US, needs_answers_at_sifs, plan, removed};
use crate::args::{Compare, Offloads};
use crate::output::{Failure, print, print_text, progress, remark, remark_text};

/// Runs all of it, one after the other, and prints it.
pub fn run(options: &Compare) -> Result<(), Failure> {
    // Before the progress bar starts its thread: see `Signals`.
    let signals = Signals::take()?;
    let scenario = options.subject.read()?;
    let (cases, left_out) = cases(options, &scenario)?;
    let seeds = options.effort.seeds.unwrap_or_else(|| scenario.seeds());
    for tcp in &options.emulation.tcp {
        check_congestion_control(tcp)?;
    }
    let mut plans = Vec::new();
    for &offload in &options.emulation.offload {
        for tcp in &options.emulation.tcp {
            for case in &cases {
                // A flood of datagrams has no congestion control.
                if case.row.name != BOUND || tcp == &options.emulation.tcp[0] {
                    plans.push(Twin::new(&scenario, case.row, tcp, offload)?);
                }
            }
        }
    }
    let bar = progress(plans.len() * seeds as usize);
    let lines = measure(&plans, options, seeds.into(), &signals, &bar);
    bar.finish_and_clear();
    let lines = lines?;
    // What is printed now may wait for its reader, and a signal ends that.
    drop(signals);
    let left_out: Vec<_> = left_out_lines(&left_out);
    if !left_out.is_empty() {
        remark_text(|| format!("left out\n\n{}", described(&left_out)));
    }
    let figures: Vec<Figures> = lines.iter().map(Line::figures).collect();
    if options.json {
        print(&serde_json::to_string_pretty(&figures)?)
    } else if options.csv {
        print(&csv(&figures))
    } else {
        print_text(|| text(scenario.name(), seeds, &figures))
    }
}

/// Measures all twins with each seed.
fn measure(
    plans: &[Twin],
    options: &Compare,
    seeds: u64,
    signals: &Signals,
    bar: &ProgressBar,
) -> Result<Vec<Line>, Failure> {
    let mut lines = Vec::new();
    for twin in plans {
        let mut line = Line::of(twin);
        for seed in 1..=seeds {
            let cut = |signal| Failure::Signal { signal, done: bar.position(), all: bar.length().unwrap_or(0) };
            let simulated = twin.simulate(seed, signals)?.map_err(cut)?;
            let emulated = twin.emulate(options, seed, simulated.goodput_mbps, signals)?;
            if let Ended::Signal(signal) = emulated.ended {
                return Err(cut(signal));
            }
            line.simulated.push(simulated.goodput_mbps);
            line.simulated_counts.add(&simulated);
            line.measured(Once::of(&emulated)?);
            bar.inc(1);
        }
        lines.push(line);
    }
    Ok(lines)
}

/// The rows to be measured, and those that are left out.
fn cases(options: &Compare, scenario: &Scenario) -> Result<(Vec<Case>, Vec<LeftOut>), Failure> {
    let (cases, mut left_out) = input::cases("--schemes", &options.effort.schemes, scenario, &[], None)?;
    let (of_hosts, cases): (Vec<_>, Vec<_>) = cases.into_iter().partition(|case| case.row.is_of_hosts_alone());
    let asked = options.effort.schemes.iter().any(|name| name != "all");
    if let (Some(case), true) = (of_hosts.first(), asked) {
        return Err(Failure::Argument {
            option: "--schemes",
            value: case.row.name.to_owned(),
            message: OF_HOSTS.to_owned(),
            help: "leave it out; --tcp says which congestion control the kernel has",
        });
    }
    let left = |case: &Case| LeftOut { scheme: case.row.name, point: String::new(), reason: OF_HOSTS.to_owned() };
    left_out.extend(of_hosts.iter().map(left));
    Ok((cases, left_out))
}

/// One line of the table: the same cell with the kernel's TCP and with ours.
struct Twin {
    row: &'static Row,
    tcp: String,
    offload: Offloads,
    /// The cell as the simulator runs it.
    simulated: CellConfig,
    /// The same without its own flows.
    emulated: CellConfig,
}

impl Twin {
    fn new(scenario: &Scenario, row: &'static Row, tcp: &str, offload: Offloads) -> Result<Self, Failure> {
        let mut twin = scenario.clone();
        let mut set = |keys: &[&str]| keys.iter().try_for_each(|key| twin.set(key));
        set(&["transport.preset=linux"])?;
        set(&[format!("transport.congestion={tcp}").as_str()])?;
        match offload {
            Offloads::Scenario | Offloads::Full => {}
            Offloads::Gro => set(&["stations.tso=off", "server.tso=off"])?,
            // Packets come one by one, and still the program reads once all that came in an instant is through.
            Offloads::Off => set(&["stations.tso=off", "server.tso=off", "stations.gro=1", "server.gro=1"])?,
        }
        let simulated = twin.build(row)?;
        let downloads =
            simulated.flows.iter().all(|flow| flow.direction == Direction::Down && flow.peer == Peer::Server);
        if !downloads || simulated.flows.len() != simulated.stations.len() {
            return Err(Failure::Argument {
                option: "--emulated",
                value: scenario.name().to_owned(),
                message: "not every station has one download from the server, which is what is measured".to_owned(),
                help: "take another scenario, such as wifi-80211n",
            });
        }
        let emulated = prepared(&simulated, false)?;
        Ok(Self { row, tcp: tcp.to_owned(), offload, simulated, emulated })
    }

    /// Simulates it once; the signal, where one came meanwhile.
    fn simulate(&self, seed: u64, signals: &Signals) -> Result<Result<RunResult, Signal>, Failure> {
        let mut came = Ok(None);
        let result = ackless_cell::run_while(&self.simulated, seed, &mut || {
            came = signals.next();
            matches!(came, Ok(None))
        });
        let signal = came?.map_or(Signal::SIGTERM, |came| came.signal);
        Ok(result.ok_or(signal))
    }

    /// Emulates it once.
    fn emulate(&self, options: &Compare, seed: u64, simulated: f64, signals: &Signals) -> Result<Emulated, Failure> {
        let seconds = |time: Duration| time.as_secs_f64().ceil();
        let (warm_up, measured) = (seconds(self.simulated.warm_up), seconds(self.simulated.measured));
        let stations = self.emulated.stations.len();
        let servers: Vec<Vec<OsString>> = (0..stations).map(server).collect();
        let clients: Vec<Vec<OsString>> =
            (0..stations).map(|station| self.client(station, warm_up, measured, simulated / stations as f64)).collect();
        let program = |inside, command, awaited, after| Program {
            inside: Some(inside),
            command,
            keep_output: true,
            awaited,
            after,
        };
        let servers = servers.iter().map(|command| program(Place::Server, command.as_slice(), false, Duration::ZERO));
        let clients = clients
            .iter()
            .enumerate()
            .map(|(station, command)| program(Place::Station(station + 1), command.as_slice(), true, SERVERS_ARE_UP));
        let request = Request {
            config: &self.emulated,
            seed,
            plan: plan(&options.emulation.name, self.offload, &self.simulated),
            spin: options.emulation.spin,
            duration: Some(Duration::from_secs((warm_up + measured) as u64) + AT_MOST_LONGER),
            programs: servers.chain(clients).collect(),
            signals,
            eavesdropper: None,
        };
        let ready = |world: &World| removed(&options.emulation.name, world).iter().for_each(|line| remark(line));
        Ok(emulate(request, &mut (), ready, |_| std::ops::ControlFlow::Continue(()))?)
    }

    /// A download by a station, told as JSON.
    fn client(&self, station: usize, warm_up: f64, measured: f64, simulated: f64) -> Vec<OsString> {
        let server = Addresses::of(Place::Server).v4;
        let mut line = format!("iperf3 -c {server} -p {} -R -J -O {warm_up} -t {measured}", PORT + station);
        match self.simulated.flows[station].transport {
            // A quarter more than comes through keeps the AP's queue full.
            TransportConfig::Udp { payload, .. } => {
                write!(line, " -u -l {} -b {:.0}k", payload.get(), simulated * 1_250.0)
            }
            TransportConfig::Tcp(_) => write!(line, " -C {}", self.tcp),
        }
        .expect("a string takes all that is written");
        words(&line)
    }
}

/// The server that a station's download comes from.
fn server(station: usize) -> Vec<OsString> {
    words(&format!("iperf3 -s -1 -p {}", PORT + station))
}

fn words(line: &str) -> Vec<OsString> {
    line.split(' ').map(OsString::from).collect()
}

/// What one emulation has shown.
struct Once {
    goodput_mbps: f64,
    repeats: u64,
    late_us: f64,
    dropped: u64,
    counts: Counts,
}

impl Once {
    fn of(emulated: &Emulated) -> Result<Self, Failure> {
        let mut once = Self {
            goodput_mbps: 0.0,
            repeats: 0,
            late_us: emulated.tally.lateness().p99_us,
            dropped: emulated.dropped.iter().flatten().sum(),
            counts: Counts::default(),
        };
        once.counts.add(&emulated.result);
        for exit in &emulated.programs {
            let Some(Exit { output, .. }) = exit else {
                return Err(unmeasured("iperf3 did not end in time".to_owned()));
            };
            let told: serde_json::Value = serde_json::from_slice(output)
                .map_err(|error| unmeasured(format!("iperf3 says nothing that can be read: {error}")))?;
            if let Some(error) = told["error"].as_str() {
                return Err(unmeasured(format!("iperf3: {error}")));
            }
            let end = &told["end"];
            let received = end["sum_received"]["bits_per_second"].as_f64().or(end["sum"]["bits_per_second"].as_f64());
            let lost = end["sum"]["lost_percent"].as_f64().filter(|_| end["sum_received"].is_null());
            once.goodput_mbps += received.unwrap_or(0.0) * (1.0 - lost.unwrap_or(0.0) / 100.0) / 1e6;
            once.repeats += end["sum_sent"]["retransmits"].as_u64().unwrap_or(0);
        }
        Ok(once)
    }
}

/// What the nodes' schemes counted, in all runs of a line.
#[derive(Clone, Debug, Default, Serialize)]
struct Counts {
    /// In how many seconds: of the simulator's the measured ones, of emulations all, the start and the end of iperf3 included.
    seconds: f64,
    /// By the names of `ackless run --json`: those of `hack`, and those of `rival`.
    #[serde(flatten)]
    counts: BTreeMap<String, u64>,
}

impl Counts {
    fn add(&mut self, result: &RunResult) {
        self.seconds += result.sim_seconds;
        let hack = result.hack.and_then(|hack| serde_json::to_value(hack).ok());
        let hack = hack.iter().flat_map(serde_json::Value::as_object).flatten();
        let hack = hack.filter_map(|(name, count)| Some((name.clone(), count.as_u64()?)));
        for (name, count) in hack.chain(result.rival.clone()) {
            *self.counts.entry(name).or_default() += count;
        }
    }

    fn merge(&mut self, other: Self) {
        self.seconds += other.seconds;
        for (name, count) in other.counts {
            *self.counts.entry(name).or_default() += count;
        }
    }
}

/// What is measured of a twin.
struct Line {
    scheme: &'static str,
    tcp: String,
    offload: Offloads,
    emulated: Vec<f64>,
    simulated: Vec<f64>,
    repeats: Vec<f64>,
    late_us: f64,
    dropped: u64,
    emulated_counts: Counts,
    simulated_counts: Counts,
}

/// A line of the table.
#[derive(Debug, Serialize)]
struct Figures {
    scheme: &'static str,
    tcp: String,
    offload: String,
    /// What iperf3 says that arrived, in Mbit/s.
    emulated_mbps: Option<Estimate>,
    /// What the simulator says, in Mbit/s.
    simulated_mbps: Option<Estimate>,
    /// By how much the former is more than the latter, in percent.
    differs_percent: f64,
    /// Segments that the kernel sent again.
    retransmits: f64,
    /// The worst of the runs' 99th percentiles of how late packets came.
    late_p99_us: f64,
    /// What devices' queues dropped, in all runs.
    dropped_by_kernel: u64,
    /// What the scheme did in the emulated cell.
    emulated_counts: Counts,
    /// The same of the simulated one.
    simulated_counts: Counts,
}

impl Line {
    fn of(twin: &Twin) -> Self {
        let Twin { row, tcp, offload, .. } = twin;
        let tcp = if row.name == BOUND { "none".to_owned() } else { tcp.clone() };
        let none = Vec::new;
        Self {
            scheme: row.name,
            tcp,
            offload: *offload,
            emulated: none(),
            simulated: none(),
            repeats: none(),
            late_us: 0.0,
            dropped: 0,
            emulated_counts: Counts::default(),
            simulated_counts: Counts::default(),
        }
    }

    fn measured(&mut self, once: Once) {
        self.emulated.push(once.goodput_mbps);
        self.repeats.push(once.repeats as f64);
        self.late_us = self.late_us.max(once.late_us);
        self.dropped += once.dropped;
        self.emulated_counts.merge(once.counts);
    }

    fn figures(&self) -> Figures {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let (emulated, simulated) = (mean(&self.emulated), mean(&self.simulated));
        Figures {
            scheme: self.scheme,
            tcp: self.tcp.clone(),
            offload: self.offload.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned()),
            emulated_mbps: Estimate::of(&self.emulated),
            simulated_mbps: Estimate::of(&self.simulated),
            differs_percent: if simulated > 0.0 { (emulated / simulated - 1.0) * 100.0 } else { 0.0 },
            retransmits: mean(&self.repeats),
            late_p99_us: self.late_us,
            dropped_by_kernel: self.dropped,
            emulated_counts: self.emulated_counts.clone(),
            simulated_counts: self.simulated_counts.clone(),
        }
    }
}

fn text(name: &str, seeds: u32, figures: &[Figures]) -> String {
    let header = [
        "offload",
        "TCP",
        "scheme",
        "emulated\nMbps",
        "simulated\nMbps",
        "differs\n%",
        "segments\nagain",
        "late p99\nus",
        "dropped by\nthe kernel",
    ];
    let mut table = Table::new(header.map(str::to_owned).to_vec());
    for line in figures {
        table.push(vec![
            line.offload.clone(),
            line.tcp.clone(),
            line.scheme.to_owned(),
            figure_with_interval(line.emulated_mbps, 2),
            figure_with_interval(line.simulated_mbps, 2),
            format!("{:+.1}", line.differs_percent),
            format!("{:.0}", line.retransmits),
            format!("{:.0}", line.late_p99_us),
            line.dropped_by_kernel.to_string(),
        ]);
    }
    let mut text = format!(
        "{name}: downloads by the kernel's TCP through the emulated cell, and simulated under transport.preset=linux, {seeds} {}\n\n{table}",
        if seeds == 1 { "seed" } else { "seeds" }
    );
    let mut prompt: Vec<_> = figures.iter().map(|line| line.scheme).filter(|row| needs_answers_at_sifs(row)).collect();
    prompt.sort_unstable();
    prompt.dedup();
    if !prompt.is_empty() {
        write!(
            text,
            "\n{}: what the scheme does depends on what the host has answered a SIFS after the data. On the wall clock a host answers some tens of microseconds late, and it is another \
             figure than in virtual time (docs/emulate.md).\n",
            prompt.join(", ")
        )
        .expect("a string takes all that is written");
    }
    let worst = figures.iter().map(|line| line.late_p99_us).fold(0.0, f64::max);
    if worst > LATE_US {
        write!(
            text,
            "\nThis machine did not keep up: in the worst run 1 packet in 100 came more than {:.1} ms after its time.\n",
            worst / 1e3
        )
        .expect("a string takes all that is written");
    }
    text
}

fn csv(figures: &[Figures]) -> String {
    let mut text = "offload,tcp,scheme,emulated_mbps,emulated_ci95,simulated_mbps,simulated_ci95,differs_percent,retransmits,late_p99_us,dropped_by_kernel\n".to_owned();
    let estimate = |estimate: Option<Estimate>| {
        let ci95 = estimate.and_then(|estimate| estimate.ci95).map(|ci95| format!("{ci95}")).unwrap_or_default();
        format!("{},{ci95}", estimate.map_or(0.0, |estimate| estimate.mean))
    };
    for line in figures {
        let Figures { scheme, tcp, offload, differs_percent, retransmits, late_p99_us, dropped_by_kernel, .. } = line;
        let (emulated, simulated) = (estimate(line.emulated_mbps), estimate(line.simulated_mbps));
        writeln!(text, "{offload},{tcp},{scheme},{emulated},{simulated},{differs_percent},{retransmits},{late_p99_us},{dropped_by_kernel}")
            .expect("a string takes all that is written");
    }
    text
}

/// That the kernel has this congestion control, and lets it be used.
fn check_congestion_control(name: &str) -> Result<(), Failure> {
    let available = std::fs::read_to_string(AVAILABLE).map_err(EmuError::io(AVAILABLE))?;
    if available.split_whitespace().any(|other| other == name) {
        return Ok(());
    }
    Err(Failure::Argument {
        option: "--tcp",
        value: name.to_owned(),
        message: format!("this kernel has no such congestion control; it has {}", available.trim()),
        help: "load its module, for example: modprobe tcp_bbr",
    })
}

fn unmeasured(what: String) -> Failure {
    EmuError::Wrong { what, help: "try the same with: ackless emulate".to_owned() }.into()
}

/// Why some rows are not measured.
const OF_HOSTS: &str = "it changes nothing but what the hosts' TCP does, and the kernel's does what it does";
/// The row whose flows are floods of datagrams.
const BOUND: &str = "udp";
/// Where the kernel says what it has.
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";
/// The first server's port, which is iperf3's own.
const PORT: usize = 5_201;
/// When clients start.
const SERVERS_ARE_UP: Duration = Duration::from_millis(500);
/// How much longer than its measurement an emulation may take.
const AT_MOST_LONGER: Duration = Duration::from_secs(15);

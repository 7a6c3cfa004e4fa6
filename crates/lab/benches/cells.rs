//! How fast cells run: `cargo bench -p ackless-lab`.
//!
//! A table, since what matters are figures that a timing of one function does not give: simulated seconds per second, the
//! cost of an event, how that cost grows with the clients, and the most memory that a process with nothing but this cell
//! takes. Each cell runs once through its warm-up and then in slices, one of each cell in turn, so that whatever
//! else the machine does hits all of them; of the slices the median counts, and the fastest stands beside it.
//! The cost of an event is in time of the core, which a busy machine takes away and does not count; where the core has
//! nothing else to do, and where the system does not tell, it is wall time.
//! A cell is simulated as a run does it, with the recorder that makes the result.
//!
//! `cargo bench -p ackless-lab --bench cells -- --rounds 21` for another number of slices. `cargo test` runs one short round.
//!
//! `cargo bench -p ackless-lab --bench cells -- --advances STATIONS FLOWS` goes from instant to instant instead, as whoever emulates a cell does, in one with so
//! many stations and flows for each, and prints in nanoseconds of the core how long the median call of `advance` takes, the 99.9th percentile and the longest.
//! `bench/growth.py` asks it.

use std::error::Error;
use std::process::Command;
use std::time::Instant as WallInstant;

use ackless_cell::Cell;
use ackless_cell::config::CellConfig;
use ackless_cell::recorder::Recorder;
use ackless_scenario::Row;
use ackless_scenario::builtin::Builtin;
use ackless_schemes::AnyScheme;
use ackless_wire::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let place = arguments.iter().position(|argument| argument == name)?;
        Some(arguments.get(place + 1).and_then(|value| value.parse::<usize>().ok()).ok_or(name.to_owned()))
    };
    if let Some(case) = value(MEMORY_OF).transpose()? {
        let case = CASES.get(case).ok_or("there is no such case")?;
        case.config()?.whole_run();
        println!("{}", peak_memory().ok_or("this system does not tell")?);
        return Ok(());
    }
    if let Some(stations) = value(ADVANCES).transpose()? {
        let place = arguments.iter().position(|argument| argument == ADVANCES).unwrap_or_default();
        let flows = arguments.get(place + 2).ok_or("how many flows for each station?")?.parse()?;
        return time_advances(stations, flows);
    }
    let benchmarks = arguments.iter().any(|argument| argument == "--bench");
    let rounds = value("--rounds").transpose()?.unwrap_or(if benchmarks { ROUNDS } else { 1 });
    compare(rounds.max(1), if benchmarks { 1 } else { SHORTER })
}

/// A cell of the table.
struct Case {
    scenario: &'static str,
    /// What the table calls the flows.
    flows: &'static str,
    row: &'static str,
    clients: u32,
    overrides: &'static [&'static str],
    /// What lets flows start, one after another, and get to their steady state, in seconds.
    warm_up: u64,
    /// One timed slice, in milliseconds of simulated time: about a tenth of a second of wall time.
    slice: u64,
}

/// A configuration, and how to simulate it.
struct Prepared(CellConfig);

/// A cell in the middle of its run, with the slices that were timed.
struct Running {
    cell: Cell<AnyScheme, Recorder>,
    slice: Duration,
    slices: Vec<Slice>,
}

/// What one slice took.
#[derive(Clone, Copy)]
struct Slice {
    wall_nanos: u64,
    core_nanos: u64,
    events: u64,
}

/// A point in time, by the wall's clock and by what this thread has had of a core.
struct Start {
    wall: WallInstant,
    core_nanos: Option<u64>,
}

impl Case {
    fn config(&self) -> Result<Prepared, Box<dyn Error>> {
        let mut scenario = Builtin::find(self.scenario)?.scenario()?;
        scenario.set(&format!("stations.count={}", self.clients))?;
        scenario.set(&format!("run.warm_up={}s", self.warm_up))?;
        for argument in self.overrides {
            scenario.set(argument)?;
        }
        Ok(Prepared(scenario.build(Row::find(self.row)?)?))
    }

    /// The most memory, in bytes, that a process takes that runs this and nothing else.
    fn memory(&self) -> Option<u64> {
        let case = CASES.iter().position(|case| std::ptr::eq(case, self))?;
        let program = std::env::current_exe().ok()?;
        let output = Command::new(program).args([MEMORY_OF, &case.to_string()]).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    }
}

impl Prepared {
    fn whole_run(&self) {
        std::hint::black_box(ackless_cell::run(&self.0, SEED));
    }

    fn warmed_up(&self, slice: Duration) -> Running {
        let mut cell = Cell::new(&self.0, SEED, |node| ackless_cell::scheme(&self.0, node), Recorder::new(&self.0));
        cell.advance(Instant::ZERO + self.0.warm_up);
        Running { cell, slice, slices: Vec::new() }
    }
}

impl Running {
    fn time_a_slice(&mut self) {
        let (events, until) = (self.cell.events(), self.cell.now() + self.slice);
        let start = Start::now();
        self.cell.advance(until);
        let (wall_nanos, core_nanos) = start.elapsed();
        self.slices.push(Slice { wall_nanos, core_nanos, events: self.cell.events() - events });
    }

    /// Simulated seconds per second, of the median slice.
    fn speed(&self, nanos: fn(&Slice) -> u64) -> f64 {
        self.slice.as_nanos() as f64 / median(self.slices.iter().map(|slice| nanos(slice) as f64).collect())
    }

    fn events_per_second(&self) -> f64 {
        let events: u64 = self.slices.iter().map(|slice| slice.events).sum();
        events as f64 / (self.slice.as_secs_f64() * self.slices.len() as f64)
    }

    fn nanos_per_event(&self) -> Vec<f64> {
        self.slices.iter().map(|slice| slice.core_nanos as f64 / slice.events as f64).collect()
    }
}

impl Start {
    fn now() -> Self {
        #[expect(clippy::disallowed_methods, reason = "a benchmark times what it runs")]
        let wall = WallInstant::now();
        Self { wall, core_nanos: core_nanos() }
    }

    /// Nanoseconds since then, by the wall's clock and of the core.
    fn elapsed(&self) -> (u64, u64) {
        let core = core_nanos().zip(self.core_nanos).map(|(now, then)| now - then);
        let wall = self.wall.elapsed().as_nanos() as u64;
        (wall, core.unwrap_or(wall))
    }
}

/// What this thread has had of a core so far.
#[cfg(unix)]
fn core_nanos() -> Option<u64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

#[cfg(not(unix))]
fn core_nanos() -> Option<u64> {
    None
}

/// Runs all cells in turn and prints the table.
fn compare(rounds: usize, shorter: u64) -> Result<(), Box<dyn Error>> {
    let mut cells = Vec::new();
    for case in CASES {
        cells.push(case.config()?.warmed_up(Duration::from_millis(case.slice / shorter)));
    }
    for _ in 0..rounds {
        cells.iter_mut().for_each(Running::time_a_slice);
    }
    println!("{:38} {:>25}", "", "simulated seconds per");
    println!(
        "{:16} {:12} {:>8} {:>12} {:>12} {:>14} {:>9} {:>8} {:>6} {:>8}",
        "scenario",
        "flows",
        "clients",
        "wall second",
        "core second",
        "events/sim. s",
        "ns/event",
        "fastest",
        "ratio",
        "peak MB"
    );
    let first = median(cells[0].nanos_per_event());
    for (case, running) in CASES.iter().zip(&cells) {
        let costs = running.nanos_per_event();
        let fastest = costs.iter().copied().fold(f64::INFINITY, f64::min);
        let cost = median(costs);
        let memory = case.memory().map_or("unknown".to_owned(), |bytes| format!("{:.1}", bytes as f64 / 1e6));
        println!(
            "{:16} {:12} {:>8} {:>12.1} {:>12.1} {:>14.0} {:>9.1} {:>8.1} {:>6.2} {:>8}",
            case.scenario,
            case.flows,
            case.clients,
            running.speed(|slice| slice.wall_nanos),
            running.speed(|slice| slice.core_nanos),
            running.events_per_second(),
            cost,
            fastest,
            cost / first,
            memory
        );
    }
    Ok(())
}

/// Times the calls of `advance` that each end with one instant.
fn time_advances(stations: usize, flows: usize) -> Result<(), Box<dyn Error>> {
    let mut scenario = Builtin::find("wifi-80211n")?.scenario()?;
    scenario.set(&format!("stations.count={stations}"))?;
    scenario.set(&format!("flows.count={flows}"))?;
    scenario.set("flows.stagger=1ms")?;
    scenario.set(&format!("run.warm_up={}ms", 2_000 + 2 * stations * flows))?;
    let mut cell = Prepared(scenario.build(Row::find("tcp")?)?).warmed_up(Duration::ZERO).cell;
    let mut nanos = Vec::with_capacity(ADVANCES_TIMED);
    while nanos.len() < ADVANCES_TIMED
        && let Some(next) = cell.poll_timeout()
    {
        let start = Start::now();
        cell.advance(next + Duration::from_nanos(1));
        nanos.push(start.elapsed().1);
    }
    nanos.sort_unstable();
    let at = |share: f64| nanos.get((share * nanos.len() as f64) as usize).or(nanos.last()).ok_or("nothing happens");
    println!("{} {} {}", at(0.5)?, at(0.999)?, at(1.0)?);
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// The most memory that this process has had resident so far, in bytes. Linux alone tells it in a file.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// The argument that makes this program run one case and print its peak memory.
const MEMORY_OF: &str = "--memory-of";
/// The argument that makes it time the calls of `advance`.
const ADVANCES: &str = "--advances";
/// How many of them.
const ADVANCES_TIMED: usize = 200_000;
/// Slices of each cell, unless told otherwise.
const ROUNDS: usize = 9;
/// By how much slices are shorter where nothing is to be measured.
const SHORTER: u64 = 100;
/// The seed of all runs.
const SEED: u64 = 1;
/// The first one is what the others' cost per event is compared with.
const CASES: &[Case] = &[
    Case {
        scenario: "wifi-80211n",
        flows: "TCP down",
        row: "tcp",
        clients: 1,
        overrides: &[],
        warm_up: 2,
        slice: 10_000,
    },
    Case {
        scenario: "wifi-80211n",
        flows: "TCP down",
        row: "tcp",
        clients: 10,
        overrides: &[],
        warm_up: 3,
        slice: 8_000,
    },
    Case {
        scenario: "wifi-80211n",
        flows: "TCP down",
        row: "tcp",
        clients: 100,
        overrides: &[],
        warm_up: 12,
        slice: 5_000,
    },
    Case {
        scenario: "wifi-80211n",
        flows: "TCP, HACK",
        row: "hack",
        clients: 1,
        overrides: &[],
        warm_up: 2,
        slice: 8_000,
    },
    Case {
        scenario: "wifi-80211ac",
        flows: "TCP down",
        row: "tcp",
        clients: 1,
        overrides: &[],
        warm_up: 2,
        slice: 2_000,
    },
    Case {
        scenario: "wifi-80211a",
        flows: "UDP up",
        row: "udp",
        clients: 50,
        overrides: &["flows.direction=up", "flows.stagger=0s", "wifi.retry_limit=never"],
        warm_up: 2,
        slice: 10_000,
    },
];

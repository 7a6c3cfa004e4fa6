//! Every sentence of every headline is true of the results of the flows. Scenarios and results are drawn, `sentences`
//! reads a headline word by word, and `facts` has what the flows of each run got, from the JSON of the comparison:
//! neither knows how a headline is made.
//!
//! `ACKLESS_RUNS=2000 cargo test --release -p ackless-lab --test suite claims::` draws more. A failure prints its seed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ackless_cell::config::{CellConfig, Pace, Traffic};
use ackless_cell::result::{Airtime, AirtimeClass, FlowResult, Percentiles, RunResult, shares};
use ackless_lab::case::{Axis, Case};
use ackless_lab::compare::Comparison;
use ackless_lab::run::{Runner, Simulator};
use ackless_scenario::builtin::Builtin;
use ackless_scenario::{Row, Scenario};
use ackless_wire::Duration;
use ackless_wire::random::{Purpose, Stream};

use crate::experiments::pretend;

mod facts;
mod sentences;

/// How many draws a test makes unless `ACKLESS_RUNS` says how many.
#[expect(clippy::disallowed_methods, reason = "how long a test goes on is no result")]
fn draws(usual: u64) -> u64 {
    std::env::var("ACKLESS_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(usual)
}

const BASES: &[&str] = &["wifi-80211n", "wifi-80211a", "wifi-hidden", "wifi-mixed", "wifi-80211g", "wifi-short-flows"];

const ROWS: &[&str] = &[
    "udp",
    "tcp",
    "tcp-l1",
    "tcp-l8",
    "hack",
    "hack-timer",
    "agent",
    "filter-action",
    "cw2",
    "zoom",
    "cake",
    "fastack",
    "arq",
    "stock",
    "bbr",
    "linux",
    "tack",
];

/// Keys with their values.
const CHOICES: &[(&str, &[&str])] = &[
    ("stations.count", &["1", "2", "3", "6"]),
    ("stations.legacy", &["true", "false"]),
    ("stations.distance", &["5m", "20m", "26m", "40m"]),
    ("flows.count", &["1", "2"]),
    ("flows.direction", &["down", "up"]),
    ("flows.traffic", &["bulk", "on-off", "video", "finite", "repeated"]),
    ("flows.rate", &["200kbps", "3Mbps", "20Mbps", "saturating"]),
    ("flows.size", &["20kB", "300kB"]),
    ("flows.on", &["40ms", "200ms"]),
    ("flows.off", &["40ms", "300ms"]),
    ("flows.think", &["5ms", "50ms"]),
    ("flows.times", &["exponential", "fixed"]),
    ("flows.read_rate", &["2Mbps", "15Mbps"]),
    ("flows.protocol", &["udp", "auto"]),
    ("wired.loss", &["0.01", "0.3", "1.0"]),
    ("wired.rate", &["1bps", "2Mbps", "50Mbps"]),
    ("wired.delay", &["1ms", "20ms"]),
    ("loss.model", &["per-frame", "path-loss"]),
    ("loss.mpdu", &["0.1", "0.5"]),
    ("ap.queue", &["fq-codel", "fifo"]),
    ("ap.queue_packets", &["3", "40"]),
    ("wifi.mcs", &["0", "7"]),
    ("wifi.hearing", &["by-power", "all"]),
    ("transport.preset", &["linux"]),
    ("transport.receive_buffer", &["64KiB"]),
];

fn one_of<T: Copy>(stream: &mut Stream, choices: &[T]) -> T {
    choices[stream.below(choices.len() as u64) as usize]
}

/// A scenario with rows, and the arguments that make it; `None` if the draw makes no cell.
fn drawn(stream: &mut Stream, warm_up: &str) -> Option<(Vec<Case>, Vec<String>)> {
    let base = one_of(stream, BASES);
    let mut scenario = Builtin::find(base).and_then(Builtin::scenario).unwrap_or_else(|error| panic!("{error}"));
    let mut rows: Vec<&'static Row> = Vec::new();
    let usual = [("udp", 0.5), ("tcp", 0.6)].map(|(name, often)| stream.chance(often).then_some(name));
    let others = (0..1 + stream.below(4)).map(|_| one_of(stream, ROWS)).collect::<Vec<_>>();
    for name in usual.into_iter().flatten().chain(others) {
        let row = Row::find(name).unwrap_or_else(|error| panic!("{error}"));
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let mut given = vec![base.to_owned(), rows.iter().map(|row| row.name).collect::<Vec<_>>().join(",")];
    let times = [format!("run.warm_up={warm_up}"), "run.measured=300ms".to_owned(), "flows.stagger=1ms".to_owned()];
    let mut wanted: Vec<String> = times.into();
    wanted.push("flows.start=0ms".to_owned());
    for _ in 0..stream.below(9) {
        let (key, values) = one_of(stream, CHOICES);
        wanted.push(format!("{key}={}", one_of(stream, values)));
    }
    // What one key refuses another may make possible, so that all are asked again until nothing more goes in.
    loop {
        let before = wanted.len();
        wanted.retain(|argument| {
            let mut next: Scenario = scenario.clone();
            let fits = next.set(argument).is_ok() && rows.iter().all(|row| next.build(row).is_ok());
            if fits {
                scenario = next;
                given.push(argument.clone());
            }
            !fits
        });
        if wanted.len() == before {
            break;
        }
    }
    let axes: Vec<Axis> = match stream.below(6) {
        0 => vec!["wifi.mcs=1,5"],
        1 => vec!["stations.count=1,3"],
        _ => Vec::new(),
    }
    .into_iter()
    .map(|axis| Axis::parse("--vary", axis).unwrap_or_else(|error| panic!("{error}")))
    .collect();
    given.extend(axes.iter().map(|axis| format!("vary {}", axis.key)));
    Case::all(&scenario, &axes, &rows).ok().map(|cases| (cases, given))
}

/// Compares the cases drawn with `seed` by `runner` and checks the headline. Returns the headline.
fn checked(seed: u64, warm_up: &str, runner: impl FnOnce(u64) -> Box<dyn Runner>) -> Option<String> {
    let mut stream = Stream::new(seed, 2, Purpose::Test);
    let (cases, given) = drawn(&mut stream, warm_up)?;
    let seeds = 1 + stream.below(3) as u32;
    let runner = runner(stream.bits());
    let run = AssertUnwindSafe(|| Comparison::run(&*runner, cases, seeds, 2, &|| ()));
    let comparison = catch_unwind(run).unwrap_or_else(|_| panic!("seed {seed}: it panics: {given:?}"));
    let comparison = comparison.unwrap_or_else(|error| panic!("{error}"));
    let json = comparison.to_json().unwrap_or_else(|error| panic!("{error}"));
    let facts = facts::Facts::of(&json, &comparison);
    if let Err(why) = sentences::check(&comparison.finding, &facts) {
        panic!("seed {seed}: {why}\n{}\n{given:?}\n{facts:#?}", comparison.finding);
    }
    let text = comparison.to_text();
    let said: Vec<&str> = text.lines().skip(3).take_while(|line| !line.is_empty()).collect();
    assert_eq!(said.join(" "), comparison.finding, "seed {seed}");
    Some(comparison.finding)
}

#[test]
fn every_sentence_is_true_of_the_flows_of_drawn_scenarios() {
    let found = (0..draws(40)).filter_map(|seed| checked(seed, "150ms", |_| Box::new(Simulator)));
    let found: Vec<String> = found.collect();
    assert!(found.len() as u64 * 2 > draws(40), "only {} could be built", found.len());
}

/// Results that no cell has, so that intervals overlap in every way, and rows tie.
#[test]
fn every_sentence_is_true_of_drawn_results() {
    let found = (0..draws(400)).filter_map(|seed| checked(seed, "150ms", |key| Box::new(invented(key))));
    let found: Vec<String> = found.collect();
    // Each kind of sentence is among them.
    for part in sentences::KINDS {
        assert!(found.iter().any(|headline| headline.contains(part)), "no headline says `{part}`");
    }
}

/// Invents the results of a run: of a row around a mean of its own, as far apart as chance has it.
fn invented(key: u64) -> impl Fn(&CellConfig, u64) -> RunResult + Sync {
    move |config, seed| {
        let name = config.scheme.bytes().fold(key, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        let mut of_row = Stream::new(name, config.stations.len() as u64, Purpose::Test);
        let mut of_run = Stream::new(name ^ seed.wrapping_mul(0x9e37), 7, Purpose::Test);
        let spread = one_of(&mut of_row, &[0.0, 0.0, 0.001, 0.02, 0.5, 1.5]);
        let mut noise = |mean: f64| mean * (1.0 + spread * (of_run.unit() - 0.5));
        // The pretended result needs a window of seconds.
        let longer = CellConfig { measured: Duration::from_secs(5), ..config.clone() };
        let mut result = pretend(&longer, seed);
        result.sim_seconds = config.measured.as_secs_f64();
        let template = result.flows[0].clone();
        let carries = one_of(&mut of_row, &[0.3, 0.9, 0.985, 1.0, 1.0]);
        // One flow gets all that there is.
        let greedy = of_row.below(3) == 0;
        result.flows = config
            .flows
            .iter()
            .enumerate()
            .map(|(place, flow)| {
                let traffic = traffic_of(&flow.traffic);
                let offered = offered_mbps(&flow.traffic);
                let got = match offered {
                    Some(offered) => noise(offered * carries).min(offered),
                    None => noise(one_of(&mut of_row, &[20.0, 20.0, 20.01, 25.0, 4.0, 0.0])),
                };
                let got = match (greedy, place) {
                    (true, 0) => offered.unwrap_or(60.0),
                    (true, _) => of_row.below(2) as f64 * 0.5,
                    (false, _) if of_row.below(15) == 0 => 0.0,
                    (false, _) => got,
                };
                let endless = !matches!(traffic, "finite" | "repeated");
                let took = noise(one_of(&mut of_row, &[0.1, 0.1, 0.1001, 0.13, 0.2]));
                let ends = of_row.below(8) > 0;
                let time = Percentiles { samples: 9, min: took, median: took * 1e3, p95: took * 1e3, p99: took * 1e3 };
                FlowResult {
                    name: flow.name.clone(),
                    traffic: traffic.to_owned(),
                    goodput_mbps: got,
                    air_mbps: got,
                    halves_mbps: [got; 2],
                    offered_mbps: offered.or((!endless).then_some(0.0)),
                    dead: endless && got == 0.0,
                    completion_s: (traffic == "finite" && ends).then_some(took),
                    unfinished_s: (!endless && !ends).then_some(0.2),
                    transfers_ms: (traffic == "repeated" && ends).then_some(time),
                    rtt_ms: template.rtt_ms.map(|rtt| Percentiles { median: noise(rtt.median), ..rtt }),
                    ..template.clone()
                }
            })
            .collect();
        shares::judge(config, &mut result.flows);
        result.goodput_mbps = result.flows.iter().map(|flow| flow.goodput_mbps).sum();
        let used = noise(one_of(&mut of_row, &[0.3, 0.3, 0.5])).min(1.0);
        result.airtime_ns = Airtime::default();
        let used = Duration::from_secs_f64(config.measured.as_secs_f64() * used);
        result.airtime_ns.add(AirtimeClass::Payload, used);
        result.airtime_ns.add(AirtimeClass::Idle, config.measured - used);
        result.counters.total.channel_accesses = noise(4_000.0) as u64;
        result
    }
}

fn traffic_of(traffic: &Traffic) -> &'static str {
    match traffic {
        Traffic::Bulk(_) => "bulk",
        Traffic::Finite { .. } => "finite",
        Traffic::Repeated { .. } => "repeated",
        Traffic::OnOff { .. } => "on-off",
        Traffic::Video(_) => "video",
        Traffic::Requests(_) => "requests",
    }
}

/// What an application without end offers, if it has a rate.
fn offered_mbps(traffic: &Traffic) -> Option<f64> {
    match traffic {
        Traffic::Bulk(Pace::Rate(rate)) | Traffic::OnOff { pace: Pace::Rate(rate), .. } => Some(rate.mbps_f64()),
        Traffic::Video(video) => Some(video.rate.mbps_f64()),
        _ => None,
    }
}

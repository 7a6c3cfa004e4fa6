//! `ackless run`: one run of one cell.

use std::fmt::Write as _;

use ackless_cell::result::{AirtimeClass, FlowResult, Percentiles, RunResult};
use ackless_lab::case::Case;
use ackless_lab::entry::{Entry, deeds_line};
use ackless_lab::metric::airtime_percent;
use ackless_lab::run::{Job, run_one};
use ackless_lab::table::{Table, airtime_table};
use ackless_scenario::Row;

use crate::args::Run;
use crate::input;
use crate::output::{Failure, print, remark, spinner};
use crate::simulator::{Recording, Simulator};

/// Runs the cell and prints what it found.
pub fn run(options: &Run) -> Result<(), Failure> {
    let scenario = input::scenario(&options.subject)?;
    let row = Row::find(&options.scheme)?;
    let config = scenario.build(row)?;
    let case = Case { point: Vec::new(), row, scenario, config };
    let job = Job { case: &case, seed: options.seed };
    let records = options.pcap.is_some() || options.timeline.is_some();
    let recording = records.then(|| Recording::of(options, &case.config)).transpose()?;
    let spinner = spinner();
    let record = match &recording {
        Some(recording) => run_one(recording, job),
        None => run_one(&Simulator, job),
    };
    spinner.finish_and_clear();
    if let Some(recording) = recording {
        let written: Vec<_> = recording.finish()?.iter().map(|path| path.display().to_string()).collect();
        remark(&format!("written: {}", written.join(", ")));
    }
    if options.json {
        return print(&serde_json::to_string_pretty(&record)?);
    }
    print(&text(&Entry { case, runs: vec![record.result] }))
}

/// What a single run found, for people.
fn text(entry: &Entry) -> String {
    let (name, result) = (entry.case.scenario.name(), &entry.runs[0]);
    let counters = &result.counters.total;
    let mut text = format!("{name}, scheme {}, seed {}\n\n", result.scheme, result.seed);
    let lines = [
        ("goodput", format!("{:.2} Mbps", result.goodput_mbps)),
        ("TCP ACK frames", counters.tcp_ack_ppdus.to_string()),
        ("channel accesses", counters.channel_accesses.to_string()),
        ("collided PPDUs", counters.collisions.to_string()),
        ("MPDUs sent, again", format!("{}, {}", counters.data_mpdus, counters.retries)),
        ("queue drops", counters.queue_drops.to_string()),
        ("HACK", hack(result)),
        ("the scheme", entry.deeds().map(|deeds| deeds_line(&deeds)).unwrap_or_default()),
        (
            "fairness (Jain)",
            format!("{:.3} goodput, {:.3} air time", result.fairness.jain_goodput, result.fairness.jain_airtime),
        ),
        (
            "simulated",
            format!(
                "{} s measured, {} events, {:.2} s of wall time",
                result.sim_seconds, result.events, result.wall_seconds
            ),
        ),
    ];
    for (title, value) in lines.iter().filter(|(_, value)| !value.is_empty()) {
        writeln!(text, "{title:<18} {value}").expect("a string takes all that is written");
    }
    write!(text, "\n{}", flows(result)).expect("a string takes all that is written");
    if !result.pings.is_empty() {
        write!(text, "\n{}", pings(result)).expect("a string takes all that is written");
    }
    let shares = AirtimeClass::ALL.map(|class| airtime_percent(result, class));
    let airtime = airtime_table(vec![("%".to_owned(), shares)]);
    write!(text, "\nShare of the air time\n\n{airtime}").expect("a string takes all that is written");
    text
}

/// What became of the TCP ACKs of HACK nodes; nothing where there are none.
fn hack(result: &RunResult) -> String {
    let Some(hack) = &result.hack else { return String::new() };
    format!(
        "{} ACKs compressed in {} answers ({} bytes), {} ACKs native",
        hack.compressed_acks, hack.appended_answers, hack.appended_bytes, hack.native_acks
    )
}

fn flows(result: &RunResult) -> Table {
    let titles = [
        "flow",
        "station",
        "way",
        "over",
        "goodput\nMbps",
        "RTT med\nms",
        "RTT p95\nms",
        "rexmits",
        "timeouts",
        "done after\ns",
        "transfers",
        "med\nms",
        "p95\nms",
    ];
    let mut table = Table::new(titles.map(str::to_owned).to_vec());
    for flow in &result.flows {
        table.push(vec![
            flow.name.clone(),
            flow.station.clone(),
            flow.direction.clone(),
            flow.transport.clone(),
            format!("{:.2}", flow.goodput_mbps),
            milliseconds(flow.rtt_ms, |rtt| rtt.median),
            milliseconds(flow.rtt_ms, |rtt| rtt.p95),
            of_tcp(flow, flow.retransmissions),
            of_tcp(flow, flow.timeouts),
            flow.completion_s.map(|seconds| format!("{seconds:.3}")).unwrap_or_default(),
            flow.transfers_ms.map(|times| times.samples.to_string()).unwrap_or_default(),
            milliseconds(flow.transfers_ms, |times| times.median),
            milliseconds(flow.transfers_ms, |times| times.p95),
        ]);
    }
    table
}

fn pings(result: &RunResult) -> Table {
    let titles = ["ping", "station", "sent", "lost", "median\nms", "p95\nms", "p99\nms"];
    let mut table = Table::new(titles.map(str::to_owned).to_vec());
    for ping in &result.pings {
        table.push(vec![
            ping.name.clone(),
            ping.station.clone(),
            ping.sent.to_string(),
            ping.lost.to_string(),
            milliseconds(ping.rtt_ms, |rtt| rtt.median),
            milliseconds(ping.rtt_ms, |rtt| rtt.p95),
            milliseconds(ping.rtt_ms, |rtt| rtt.p99),
        ]);
    }
    table
}

/// What only TCP counts.
fn of_tcp(flow: &FlowResult, count: u64) -> String {
    if flow.transport == "tcp" { count.to_string() } else { String::new() }
}

fn milliseconds(times: Option<Percentiles>, of: fn(&Percentiles) -> f64) -> String {
    times.map(|times| format!("{:.2}", of(&times))).unwrap_or_default()
}

//! `ackless run`: one run of one cell.

use std::fmt::Write as _;

use ackless_cell::result::{AirtimeClass, FlowResult, Percentiles, RunResult};
use ackless_lab::case::Case;
use ackless_lab::entry::{Entry, deeds_line};
use ackless_lab::metric::airtime_percent;
use ackless_lab::run::{Job, Simulator, Told, run_one};
use ackless_lab::table::{Table, airtime_table, described, listed};
use ackless_lab::yardstick::Yardstick;
use ackless_wire::Instant;

use super::one_row;
use crate::args::Run;
use crate::capture;
use crate::output::{Failure, print, print_text, remark, spinner};
use crate::recording::Recording;

mod rates;

/// Runs the cell and prints what it found.
pub fn run(options: &Run) -> Result<(), Failure> {
    let scenario = options.subject.read()?;
    let row = one_row(&options.scheme)?;
    scenario.heeds_overrides(&[row])?;
    let config = scenario.build(row)?;
    let case = Case { point: Vec::new(), row, scenario, config };
    let job = Job { case: &case, seed: options.seed };
    let recording = options.recorded.is_wanted().then(|| Recording::of(&options.recorded, &case.config)).transpose()?;
    let time = case.config.end() - Instant::ZERO;
    capture::warning(&options.recorded, &case.config, time).iter().for_each(|line| remark(line));
    let spinner = spinner();
    let record = match &recording {
        Some(recording) => run_one(recording, job),
        None => run_one(&Simulator, job),
    };
    spinner.finish_and_clear();
    if let Some(recording) = recording {
        recording.finish()?.iter().for_each(|line| remark(line));
    }
    if options.json {
        return print(&serde_json::to_string_pretty(&Told::of(&case, &record))?);
    }
    let cells = Entry::all([(case, vec![record.result])]);
    print_text(|| cells.iter().map(|cell| text(cell, options.full)).collect::<Vec<_>>().join("\n"))
}

/// What a single run found, for people; long tables whole only if it is to be `full`.
fn text(entry: &Entry, full: bool) -> String {
    let (name, result) = (entry.case.scenario.name(), &entry.runs[0]);
    let counters = &result.counters.total;
    let cell: String = entry.case.point.iter().map(|(_, cell)| format!(", cell {cell}")).collect();
    let mut text = format!("{name}{cell}, scheme {}, seed {}\n\n", result.scheme, result.seed);
    let (done, transfers) = (done(entry), transfers(entry));
    let of_window = if done.is_empty() && transfers.is_empty() { "" } else { " over the whole window" };
    let lines = [
        ("done after", done),
        ("a transfer takes", transfers),
        ("goodput", format!("{:.2} Mbps{of_window}", result.goodput_mbps)),
        ("over the air", carried(result)),
        ("TCP ACK frames", counters.tcp_ack_ppdus.to_string()),
        ("channel accesses", counters.channel_accesses.to_string()),
        ("collided PPDUs", counters.collisions.to_string()),
        ("MPDUs sent, again", format!("{}, {}", counters.data_mpdus, counters.retries)),
        ("queue drops", counters.queue_drops.to_string()),
        ("ECN marks", if counters.ecn_marks > 0 { counters.ecn_marks.to_string() } else { String::new() }),
        ("HACK", hack(result)),
        ("the scheme", entry.deeds().map(|deeds| deeds_line(&deeds)).unwrap_or_default()),
        (
            "fairness (Jain)",
            format!(
                "{} goodput, {} air time",
                index(result.fairness.jain_goodput),
                index(result.fairness.jain_airtime)
            ),
        ),
        (
            "simulated",
            format!(
                "{} s measured, {} events, {:.2} s of wall time",
                // Nanoseconds as a float may be off in the sixteenth digit.
                (result.sim_seconds * 1e9).round() / 1e9,
                result.events,
                result.wall_seconds
            ),
        ),
    ];
    let lines = lines.into_iter().filter(|(_, value)| !value.is_empty());
    text.push_str(&listed(&lines.collect::<Vec<_>>()));
    let cautions = entry.cautions();
    if !cautions.is_empty() {
        let lines: Vec<_> = cautions.iter().map(|caution| ("*".to_owned(), caution.text.clone())).collect();
        write!(text, "\nTo be read with care\n\n{}", described(&lines)).expect("a string takes all that is written");
    }
    let mut tables: Vec<(Table, Option<String>)> =
        [Some(flows(result)), ends(result), datagrams(result), videos(result)]
            .into_iter()
            .chain([(!result.pings.is_empty()).then(|| pings(result))])
            .flatten()
            .map(|table| folded(table, full))
            .collect();
    let shares = AirtimeClass::ALL.map(|class| airtime_percent(result, class));
    tables.extend(rates::rates(result, full));
    for (table, note) in &tables {
        write!(text, "\n{table}{}", note.as_deref().unwrap_or_default()).expect("a string takes all that is written");
    }
    let airtime = airtime_table(vec![("%".to_owned(), shares)]);
    write!(text, "\nShare of the air time\n\n{airtime}").expect("a string takes all that is written");
    text
}

/// The table whole, or where it is long and need not be `full` its first lines, and what is said of
/// the others.
fn folded(mut table: Table, full: bool) -> (Table, Option<String>) {
    let all = table.len();
    if full || all <= LONGEST {
        return (table, None);
    }
    table.truncate(LONGEST);
    (table, Some(format!(" and {} more; --full shows all {all}\n", all - LONGEST)))
}

/// When the transfers were done; nothing where flows are not compared by that, or others beside them have no end.
fn done(entry: &Entry) -> String {
    if !compared_by(entry, Yardstick::CompletionTime) {
        return String::new();
    }
    let finite = entry.runs[0].flows.iter().filter(|flow| flow.traffic == "finite");
    let all = finite.clone().count();
    let times: Vec<f64> = finite.filter_map(|flow| flow.completion_s).collect();
    let (mean, last) = (times.iter().sum::<f64>() / times.len() as f64, times.iter().copied().fold(0.0, f64::max));
    match (times.len(), all) {
        (0, _) => "not within the run".to_owned(),
        (1, 1) => format!("{last:.3} s"),
        (some, all) if some < all => {
            format!("{last:.3} s, the last of {some} of {all} transfers; the others not within the run")
        }
        (all, _) => format!("{mean:.3} s on average over {all} transfers, the last after {last:.3} s"),
    }
}

/// How long transfers take that follow one another; nothing where flows are not compared by that, or others beside them have no end.
fn transfers(entry: &Entry) -> String {
    if !compared_by(entry, Yardstick::TransferTime) {
        return String::new();
    }
    let count: u64 = entry.runs[0].flows.iter().filter_map(|flow| flow.transfers_ms).map(|times| times.samples).sum();
    match Yardstick::TransferTime.of(entry) {
        Some(median) => format!("{:.1} ms (median of {count})", median.mean),
        None => "longer than the run".to_owned(),
    }
}

/// Whether this is a yardstick for the cell, and goodput is none.
fn compared_by(entry: &Entry, yardstick: Yardstick) -> bool {
    let all = Yardstick::all(std::slice::from_ref(entry));
    all.contains(&yardstick) && all.iter().all(|yardstick| yardstick.is_time())
}

/// What the air carried, where it is not what arrived.
fn carried(result: &RunResult) -> String {
    let air: f64 = result.flows.iter().map(|flow| flow.air_mbps).sum();
    let (air, goodput) = (format!("{air:.2} Mbps"), format!("{:.2} Mbps", result.goodput_mbps));
    if air == goodput { String::new() } else { format!("{air} of new payload") }
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
    table.dense()
}

/// What both ends of flows with BBR, TACK and the like did; nothing where there are none.
fn ends(result: &RunResult) -> Option<Table> {
    let titles = [
        "flow",
        "data\npackets",
        "ACKs",
        "per\ndata %",
        "TACKs",
        "in\nstart-up",
        "loss\nIACKs",
        "other\nIACKs",
        "f\nHz",
        "RTTmin\nms",
        "sampled\nms",
        "bw\nMbps",
        "rho\n%",
        "rho'\n%",
    ];
    let number = |value: Option<f64>, decimals: usize| value.map(|value| format!("{value:.decimals$}"));
    let lines = result.flows.iter().filter_map(|flow| {
        let ends = flow.ends?;
        // Without TACK these are none of its.
        let of_tack = |count: u64| ends.data_loss_percent.map(|_| count.to_string());
        Some([
            Some(flow.name.clone()),
            Some(ends.data_packets.to_string()),
            Some(ends.acks.to_string()),
            number(ends.acks_per_data_percent, 2),
            of_tack(ends.tacks),
            of_tack(ends.start_up_tacks),
            of_tack(ends.loss_iacks),
            of_tack(ends.window_iacks + ends.round_trip_iacks + ends.frequency_iacks),
            number(ends.tack_hz, 1),
            number(ends.rtt_min_ms, 3),
            number(ends.rtt_min_sampled_ms, 3),
            number(ends.bandwidth_mbps, 1),
            number(ends.data_loss_percent, 3),
            number(ends.ack_loss_percent, 3),
        ])
    });
    table_of(&titles, lines).map(Table::dense)
}

/// Datagrams and their answers; nothing where they are not counted.
fn datagrams(result: &RunResult) -> Option<Table> {
    let titles = ["flow", "datagrams\nsent", "received", "answers\nsent", "received", "answers\nMbps"];
    let lines = result.flows.iter().filter_map(|flow| {
        let udp = flow.udp?;
        let counts = [udp.sent, udp.received, udp.answers_sent, udp.answers_received].map(|count| count.to_string());
        let [sent, received, answers_sent, answers_received] = counts;
        let rate = format!("{:.3}", udp.answers_mbps);
        Some([flow.name.clone(), sent, received, answers_sent, answers_received, rate].map(Some))
    });
    table_of(&titles, lines)
}

/// What viewers saw; nothing without a video.
fn videos(result: &RunResult) -> Option<Table> {
    let titles =
        ["flow", "frames\nshown", "damaged", "per 30\nminutes", "skipped", "stalls", "stalled\ns", "rebuf-\nfering %"];
    let lines = result.flows.iter().filter_map(|flow| {
        let video = flow.video?;
        Some([
            Some(flow.name.clone()),
            Some(video.frames.to_string()),
            Some(video.damaged_frames.to_string()),
            video.damaged_per_30min.map(|damaged| format!("{damaged:.1}")),
            Some(video.skipped_frames.to_string()),
            Some(video.stalls.to_string()),
            Some(format!("{:.3}", video.stalled_s)),
            video.rebuffering_percent.map(|percent| format!("{percent:.2}")),
        ])
    });
    table_of(&titles, lines)
}

/// A table of these lines, in which what there is not stays empty; nothing without a line.
fn table_of<const N: usize>(titles: &[&str; N], lines: impl Iterator<Item = [Option<String>; N]>) -> Option<Table> {
    let mut lines = lines.peekable();
    lines.peek()?;
    let mut table = Table::new(titles.map(str::to_owned).to_vec());
    for line in lines {
        table.push(line.map(Option::unwrap_or_default).to_vec());
    }
    Some(table)
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

/// Jain's index, which nothing delivered does not have.
fn index(jain: Option<f64>) -> String {
    jain.map_or_else(|| "undefined".to_owned(), |jain| format!("{jain:.3}"))
}

/// What only TCP counts.
fn of_tcp(flow: &FlowResult, count: u64) -> String {
    if flow.transport == "tcp" { count.to_string() } else { String::new() }
}

fn milliseconds(times: Option<Percentiles>, of: fn(&Percentiles) -> f64) -> String {
    times.map(|times| format!("{:.2}", of(&times))).unwrap_or_default()
}

/// A table with more lines is folded.
const LONGEST: usize = 24;

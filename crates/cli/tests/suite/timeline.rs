//! `ackless run --timeline`: what it writes agrees with what the run itself says.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// A cell with flows up and down over TCP and UDP, so that everything a row can say is said.
const MIXED: [&str; 9] = [
    "run",
    "wifi-mixed",
    "--json",
    "--set",
    "flows.start=0s",
    "--set",
    "run.warm_up=300ms",
    "--set",
    "run.measured=505ms",
];
/// The measured window, in nanoseconds.
const WINDOW: (u64, u64) = (300_000_000, 805_000_000);

fn ackless(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ackless")).args(arguments).output().expect("the program can be started")
}

/// Runs the cell with a timeline in this file, and gives back what it printed.
fn run(file: &Path) -> Value {
    let output = ackless(&[&MIXED[..], &["--timeline", file.to_str().expect("the path is text")]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("it is JSON")
}

/// The rows of a CSV file as maps from column to field.
fn rows(file: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(file).expect("the file was written");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let columns = lines.next().expect("a table has columns");
    lines
        .map(|fields| {
            assert_eq!(fields.len(), columns.len());
            Row(columns.iter().cloned().zip(fields).collect())
        })
        .collect()
}

struct Row(Vec<(String, String)>);

impl Row {
    fn text(&self, column: &str) -> &str {
        &self.0.iter().find(|(name, _)| name == column).expect("the column is there").1
    }

    fn number(&self, column: &str) -> u64 {
        self.text(column).parse().expect("the field is a number")
    }

    fn span(&self) -> (u64, u64) {
        (self.number("start_ns"), self.number("end_ns"))
    }
}

#[test]
fn the_air_is_told_without_gaps_and_agrees_with_ledger_and_counters() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join("air.csv");
    let result = run(&file);
    let rows = rows(&file);
    let mut reached = 0;
    for row in &rows {
        let (start, end) = row.span();
        assert!(start <= reached && end >= reached, "a gap or a step back before {start}: {reached}");
        assert!(
            start == reached || row.text("outcome") == "collided",
            "only what collides overlaps: {start} {reached}"
        );
        reached = end;
    }
    assert!(reached >= WINDOW.1, "the run is told to its end");

    let clipped = |(start, end): (u64, u64)| end.min(WINDOW.1).saturating_sub(start.max(WINDOW.0));
    for class in ["idle", "interframe_space", "backoff", "timeouts", "sifs"] {
        let told: u64 = rows.iter().filter(|row| row.text("kind") == class).map(|row| clipped(row.span())).sum();
        assert_eq!(Some(told), result["airtime_ns"][class].as_u64(), "{class}");
    }
    let starts_in = |row: &&Row| (WINDOW.0..WINDOW.1).contains(&row.span().0);
    let count = |of: &dyn Fn(&Row) -> u64| rows.iter().filter(starts_in).map(of).sum::<u64>();
    let sent = |row: &Row| row.text("outcome") != "silent";
    let total = &result["counters"]["total"];
    let accesses = count(&|row| u64::from(sent(row) && row.number("access") == 1));
    assert_eq!(Some(accesses), total["channel_accesses"].as_u64());
    let mpdus = count(&|row| if sent(row) { row.number("mpdus") } else { 0 });
    assert_eq!(Some(mpdus), total["data_mpdus"].as_u64());
    assert_eq!(Some(count(&|row| u64::from(row.text("kind") == "tcp_ack"))), total["tcp_ack_ppdus"].as_u64());
    let retried = count(&|row| if sent(row) { row.number("retried_mpdus") } else { 0 });
    assert_eq!(Some(retried), total["retries"].as_u64());
    assert!(rows.iter().any(|row| row.text("outcome") == "collided"), "nothing in this run collides");
}

#[test]
fn the_series_of_a_flow_sums_to_its_goodput() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join("air.csv");
    let result = run(&file);
    let series = rows(&folder.path().join("air.series.csv"));
    let flows = result["flows"].as_array().expect("there are flows");
    assert_eq!(series.len(), flows.len() * 81, "80 intervals of 10 ms and one of 5 ms");
    for flow in flows {
        let name = flow["name"].as_str().expect("a flow has a name");
        let own: Vec<&Row> = series.iter().filter(|row| row.text("flow") == name).collect();
        assert!(own.windows(2).all(|pair| pair[0].span().1 == pair[1].span().0), "{name} has a gap");
        let measured = own.iter().filter(|row| row.span().0 >= WINDOW.0);
        let bytes: u64 = measured.map(|row| row.number("delivered_bytes")).sum();
        let goodput = bytes as f64 * 8e3 / (WINDOW.1 - WINDOW.0) as f64;
        let told = flow["goodput_mbps"].as_f64().expect("it is a number");
        assert!((goodput - told).abs() < 1e-9, "{name}: {goodput} {told}");
        let tcp = flow["transport"] == "tcp";
        let last = own.last().expect("a flow has rows");
        assert_eq!((last.text("cwnd_bytes").is_empty(), last.text("srtt_ns").is_empty()), (!tcp, !tcp), "{name}");
    }
    assert!(series.iter().any(|row| row.number("queued_packets") > 0), "no queue ever fills");
}

#[test]
fn where_a_sender_models_its_path_the_series_has_what_it_believes() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let series = |scheme: &str| {
        let file = folder.path().join(format!("{scheme}.csv"));
        let short = ["--set", "run.warm_up=500ms", "--set", "run.measured=500ms"];
        let path = file.to_str().expect("the path is text");
        let output = ackless(&[&["run", "wifi-80211g", "--scheme", scheme, "--timeline", path], &short[..]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        rows(&folder.path().join(format!("{scheme}.series.csv")))
    };
    let tack = series("tack");
    let last = tack.last().expect("a flow has rows");
    // The cell carries 24 to 30 Mbps, and the pacing of a gain cycle is a quarter more.
    assert!((20_000_000..40_000_000).contains(&last.number("bandwidth_bps")), "{}", last.text("bandwidth_bps"));
    assert!((14_000_000..50_000_000).contains(&last.number("pacing_bps")), "{}", last.text("pacing_bps"));
    let plain = series("tcp");
    assert!(plain.iter().all(|row| !row.0.iter().any(|(column, _)| column.ends_with("pacing_bps"))));
}

#[test]
fn json_says_the_same_as_csv_and_a_run_repeats_byte_for_byte() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = |name: &str| folder.path().join(name);
    let results = ["a.csv", "b.csv", "c.json"].map(|name| {
        let mut result = run(&path(name));
        result["wall_seconds"] = Value::Null;
        result
    });
    assert!(results.iter().all(|result| *result == results[0]), "a timeline changes no figure");
    let read = |name: &str| std::fs::read_to_string(path(name)).expect("the file was written");
    assert_eq!((read("a.csv"), read("a.series.csv")), (read("b.csv"), read("b.series.csv")));
    let json: Value = serde_json::from_str(&read("c.json")).expect("it is JSON");
    for (table, file) in [("air", "a.csv"), ("series", "a.series.csv")] {
        let line = |row: &Value| {
            let field = |field: &Value| match field {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            row.as_array().expect("a row is a list").iter().map(field).collect::<Vec<_>>().join(",")
        };
        let rows = json[table]["rows"].as_array().expect("a table has rows").iter().map(line);
        let text: Vec<String> = std::iter::once(line(&json[table]["columns"])).chain(rows).collect();
        assert!(text.join("\n") + "\n" == read(file), "{table} differs");
    }
}

#[test]
fn a_timeline_that_cannot_be_written_is_refused_before_the_run() {
    let refused = |arguments: &[&str], expected: &str| {
        let output = ackless(&[&["run"], arguments].concat());
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(complaint.contains(expected) && output.stdout.is_empty(), "{complaint}");
    };
    refused(&["--timeline", "air.txt"], "--timeline air.txt: the name does not say in what form");
    refused(&["--timeline", "no/such/air.csv"], "no/such: a file cannot be written here");
    refused(&["--timeline", "x.json", "--pcap", "x.json"], "give --pcap and --timeline different names");
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let taken = folder.path().join("air.csv");
    std::fs::create_dir(&taken).expect("a folder can be made");
    let path = taken.to_str().expect("the path is text");
    refused(&["--timeline", path, "--set", "run.warm_up=20ms", "--set", "run.measured=50ms"], path);
    let left = std::fs::read_dir(folder.path()).expect("the folder can be read").count();
    assert_eq!(left, 1, "a refused run left something");
}

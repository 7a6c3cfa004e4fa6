//! The program as a person meets it: what it prints, where, and with which exit code.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Short runs: the claims here are about the command, not about the figures.
const SHORT: [&str; 4] = ["--set", "run.warm_up=20ms", "--set", "run.measured=50ms"];

fn ackless(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program can be started")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ackless"));
    command.args(arguments);
    command
}

/// The arguments with short runs.
fn short<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [arguments, &SHORT].concat()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("output is text")
}

/// Asserts that the command fails with exit code 2, prints nothing, and complains with `expected`.
#[track_caller]
fn assert_refused(arguments: &[&str], expected: &str) {
    let output = ackless(arguments);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(complaint.contains(expected), "expected: {expected}\ngot: {complaint}");
}

fn without_wall_seconds(text: &str) -> String {
    text.lines().filter(|line| !line.contains("\"wall_seconds\"")).collect::<Vec<_>>().join("\n")
}

#[test]
fn compare_without_arguments_has_its_rows_and_a_split_that_sums() {
    let text = stdout(&ackless(&short(&["compare", "--seeds", "2"])));
    let rows = ["udp", "tcp-l1", "tcp", "tcp-l4", "tcp-l8", "hack-timer", "hack-opportunistic", "hack"];
    let (goodput, _) =
        text.split_once("\n\n scheme  ").and_then(|(_, rest)| rest.split_once("\n\n")).expect("it begins with a table");
    let named: Vec<_> = goodput.lines().filter_map(|line| line.split_whitespace().next()).skip(3).collect();
    assert_eq!(named, rows, "{text}");
    let sum = text.lines().find(|line| line.trim_start().starts_with("sum")).expect("the split has a sum");
    assert_eq!(sum.split_whitespace().skip(1).collect::<Vec<_>>(), ["100.0"; 8], "{text}");
}

#[test]
fn compare_prints_the_same_with_one_thread_and_with_eight() {
    let json = |threads| {
        let output = ackless(&short(&["compare", "--seeds", "3", "--json", "--threads", threads]));
        without_wall_seconds(&stdout(&output))
    };
    assert_eq!(json("1"), json("8"));
}

#[test]
fn compare_varies_a_key_and_writes_its_files() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path().join("out");
    let out_name = out.to_str().expect("the path is text");
    let arguments =
        ["compare", "wifi-80211a", "--vary", "transport.ack=1,2", "--seeds", "1", "--csv", "--out", out_name];
    let csv = stdout(&ackless(&short(&arguments)));
    let lines: Vec<_> = csv.lines().collect();
    assert!(lines[0].starts_with("transport.ack,scheme,seeds,goodput_mbps,"), "{csv}");
    assert!(lines[1].starts_with("1,stock,1,") && lines[2].starts_with("2,stock,1,"), "{csv}");
    let read = |name: &str| std::fs::read_to_string(out.join(name)).expect("the file was written");
    let picture = read("comparison.svg");
    assert!(picture.starts_with("<svg ") && picture.contains("transport.ack=2"), "{picture}");
    assert_eq!(read("comparison.csv"), csv);
    assert!(read("comparison.txt").contains("transport.ack=1"));
    let json: serde_json::Value = serde_json::from_str(&read("comparison.json")).expect("it is JSON");
    assert_eq!(json["rows"][1]["scenario"]["transport"]["ack"], 2);
}

#[test]
fn run_prints_one_object_that_repeats_byte_for_byte() {
    let run = || stdout(&ackless(&short(&["run", "wifi-80211n", "--seed", "3", "--json", "--set", "wifi.mcs=5"])));
    let text = run();
    assert_eq!(without_wall_seconds(&text), without_wall_seconds(&run()));
    let json: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!((&json["seed"], &json["scheme"]), (&3.into(), &"stock".into()));
    assert_eq!(json["scenario"]["wifi"]["mcs"], 5);
    let airtime = json["airtime_ns"].as_object().expect("the ledger is an object");
    assert_eq!(airtime.values().filter_map(serde_json::Value::as_u64).sum::<u64>(), 50_000_000);
    for key in ["goodput_mbps", "flows", "counters", "fairness", "sim_seconds", "wall_seconds", "events"] {
        assert!(!json[key].is_null(), "{key}");
    }
}

#[test]
fn run_for_people_names_flows_and_pings() {
    let text = stdout(&ackless(&short(&["run", "wifi-latency", "--set", "pings.start=0s", "--set", "flows.start=0s"])));
    for word in ["download-1", "upload-1", "ping-2", "goodput", "Share of the air time", "100.0"] {
        assert!(text.contains(word), "{word}\n{text}");
    }
}

#[test]
fn run_writes_a_capture_that_repeats_byte_for_byte_and_changes_no_figure() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let capture = |name: &str| {
        let file = folder.path().join(name);
        let path = file.to_str().expect("the path is text");
        let json = stdout(&ackless(&short(&["run", "--json", "--pcap", path])));
        (without_wall_seconds(&json), std::fs::read(&file).expect("the capture was written"))
    };
    let first = capture("first.pcapng");
    assert_eq!(first, capture("second.pcapng"));
    assert_eq!(first.0, without_wall_seconds(&stdout(&ackless(&short(&["run", "--json"])))));
    // The section header block of pcapng, and more than a few frames.
    assert_eq!(first.1[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
    assert!(first.1.len() > 10_000, "{}", first.1.len());
    assert_refused(&["run", "--pcap", "no/such/folder/x.pcapng"], "no/such/folder: a file cannot be written here");
}

#[test]
fn a_large_capture_is_announced_and_ends_at_its_limit() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = |name: &str| folder.path().join(name).to_str().expect("the path is text").to_owned();
    let captured = |name: &str, options: &[&str]| {
        let output = ackless(&[&["run", "--pcap", &path(name)], options].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        stdout(&output);
        (std::fs::metadata(path(name)).expect("the capture was written").len(), said)
    };
    let (whole, said) = captured("whole", &SHORT);
    assert!(!said.contains("--pcap-limit"), "{said}");
    let (limited, said) = captured("limited", &short(&["--pcap-limit", "100kB"]));
    assert!(limited <= 100_000 && limited > 90_000 && whole > 500_000, "{limited} of {whole}");
    assert!(said.contains("the capture ends after 0.") && said.contains("frames are not in it"), "{said}");
    let (cut, said) = captured("cut", &short(&["--pcap-snaplen", "100B"]));
    assert!(cut * 5 < whole && !said.contains("ends"), "{cut} of {whole}: {said}");
    let long = ["--set", "run.measured=100000s", "--timeline", "no/such/folder/x.csv"];
    let refused = ackless(&[&["run", "--pcap", &path("long")], &long[..]].concat());
    assert!(!String::from_utf8_lossy(&refused.stderr).contains("may take about"), "what does not run is not announced");
}

#[test]
fn sweep_resumes_and_leaves_the_same_tables() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path().to_str().expect("the path is text");
    let over = ["sweep", "--over", "stations.count=1,2", "--over", "wifi.mcs=6..7", "--set", "flows.stagger=0s"];
    let arguments = [&over[..], &["--schemes", "udp,tcp", "--seeds", "2", "--csv", "--out", out]].concat();
    let first = ackless(&short(&arguments));
    let table = stdout(&first);
    assert!(String::from_utf8_lossy(&first.stderr).contains("16 runs made, 0 taken"));
    assert_eq!(table.lines().count(), 1 + 8, "{table}");
    assert!(table.starts_with("stations.count,wifi.mcs,scheme,seeds,goodput_mbps,"), "{table}");
    let kept = |name: &str| std::fs::read_to_string(Path::new(out).join(name)).expect("the table was written");
    assert_eq!(kept("sweep.csv"), table);
    let runs = kept("runs.csv");
    assert!(kept("sweep.svg").contains("wifi.mcs=6") || kept("sweep.svg").contains("stations.count=1"));
    let second = ackless(&short(&arguments));
    assert!(String::from_utf8_lossy(&second.stderr).contains("0 runs made, 16 taken"));
    assert_eq!((stdout(&second), kept("runs.csv")), (table, runs));
}

#[test]
fn scenarios_lists_shows_and_what_it_shows_can_be_run() {
    let list = stdout(&ackless(&["scenarios"]));
    for name in ["wifi-80211n", "wifi-80211n-300", "wifi-80211ac", "wifi-80211a", "wifi-80211g", "wifi-80211b"] {
        assert!(list.lines().any(|line| line.starts_with(&format!("{name} "))), "{list}");
    }
    let shown = stdout(&ackless(&["scenarios", "show", "wifi-mixed", "--set", "wired.delay=7ms"]));
    assert!(shown.contains("delay = \"7ms\""), "{shown}");
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, &shown).expect("the folder can be written");
    let again = stdout(&ackless(&["scenarios", "show", file.to_str().expect("the path is text")]));
    assert_eq!(again, shown);
    assert!(stdout(&ackless(&["scenarios", "keys"])).contains("| `mcs` |"));
}

#[test]
fn scenarios_show_a_row_as_it_runs_and_the_file_runs_so_without_the_row() {
    let shown = stdout(&ackless(&["scenarios", "show", "--scheme", "linux", "--set", "transport.ack=4"]));
    for line in ["preset = \"plain\"", "congestion = \"cubic\"", "ack = 4", "gro = \"per-batch\"", "tsq = \"8ms\""] {
        assert!(shown.lines().any(|shown| shown.starts_with(line)), "{line}: {shown}");
    }
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, &shown).expect("the folder can be written");
    let short = ["--json", "--set", "run.warm_up=100ms", "--set", "run.measured=200ms"];
    let goodput = |arguments: &[&str]| {
        let printed = stdout(&ackless(&[&["run"], arguments, &short].concat()));
        let line = printed.lines().find(|line| line.contains("\"goodput_mbps\"")).map(str::to_owned);
        line.expect("a run has a goodput")
    };
    let by_row = goodput(&["--scheme", "linux", "--set", "transport.ack=4"]);
    assert_eq!(goodput(&[file.to_str().expect("the path is text")]), by_row);
    assert_ne!(goodput(&["--scheme", "tcp"]), by_row);
}

#[test]
fn a_flow_with_tack_a_video_and_answers_have_their_tables_and_plain_flows_have_none() {
    let plain = stdout(&ackless(&short(&["run", "wifi-80211n"])));
    assert!(!["RTTmin", "answers", "damaged"].iter().any(|title| plain.contains(title)), "{plain}");
    let tack = stdout(&ackless(&short(&["run", "wifi-80211n", "--scheme", "tack"])));
    assert!(tack.contains("TACKs") && tack.contains("RTTmin") && tack.contains("rho'"), "{tack}");
    let compared = stdout(&ackless(&short(&["compare", "wifi-80211n", "--schemes", "bbr,tack", "--seeds", "1"])));
    for title in ["gain vs", "ACKs per", "RTTmin", "IACKs", "blocked"] {
        assert!(compared.contains(title), "{title}: {compared}");
    }
    assert!(compared.contains("bbr %"), "{compared}");
    let over_udp = ["--set", "transport.protocol=udp", "--set", "flows.rate=5Mbps", "--set", "flows.traffic=video"];
    let video = stdout(&ackless(&short(&[&["run", "wifi-80211n"], &over_udp[..]].concat())));
    assert!(video.contains("damaged") && video.contains("fering %"), "{video}");
    let csv = ["compare", "wifi-80211n", "--schemes", "tcp,tack", "--seeds", "1", "--csv"];
    let csv = stdout(&ackless(&short(&csv)));
    let header = csv.lines().next().expect("a table has a header");
    assert!(header.contains(",acks_per_data_percent,") && !header.contains("rebuffering"), "{header}");
    let plain = stdout(&ackless(&short(&["compare", "wifi-80211n", "--schemes", "tcp", "--seeds", "1", "--csv"])));
    assert!(
        plain.lines().next().is_some_and(|header| header.ends_with(",airtime_idle_percent_ci95,cautions")),
        "{plain}"
    );
}

#[test]
fn schemes_lists_every_row_and_says_of_each_what_it_is_and_breaks() {
    let list = stdout(&ackless(&["schemes"]));
    let names: Vec<_> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() >= 29 && names.contains(&"agent-zoom") && names.contains(&"tcp-l8"), "{list}");
    for name in names {
        let text = stdout(&ackless(&["schemes", "show", name]));
        assert!(text.starts_with(&format!("{name}: ")), "{text}");
        for part in ["\n what ", "\n source ", "\n needs ", "\n breaks ", "\nOptions: "] {
            assert!(text.contains(part), "{part:?} of {name}: {text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    }
    let zoom = stdout(&ackless(&["schemes", "show", "agent-zoom"]));
    for part in
        ["* wifi.backoff = \"auto-zoom\"", "  agent.buffer_packets = 128", "ack-agent-symmetric", "section III.2"]
    {
        assert!(zoom.contains(part), "{part}: {zoom}");
    }
    assert_eq!(stdout(&ackless(&["schemes", "agent-zoom"])), zoom);
    assert_eq!(stdout(&ackless(&["schemes", "tack"])), stdout(&ackless(&["schemes", "show", "tack"])));
    assert_refused(&["schemes", "agent-zom"], "did you mean `agent-zoom`?");
    assert_refused(&["schemes", "tack", "show"], "'show' cannot be used with");
    assert_refused(&["schemes", "show", "agent-zom"], "did you mean `agent-zoom`?");
    assert_refused(&["schemes", "show"], "<NAME>");
    assert_refused(&["scenarios", "schemes"], "unrecognized subcommand 'schemes'");
}

#[test]
fn all_schemes_are_compared_and_those_without_sense_named_below() {
    let text = stdout(&ackless(&short(&["compare", "wifi-80211a", "--schemes", "all", "--seeds", "1"])));
    let (table, reasons) = text.split_once("\nLeft out\n\n").expect("some rows make no sense");
    for row in
        ["udp", "tcp", "hack", "agent", "agent-flag", "agent-zoom", "zoom", "cw2", "filter-action", "arq", "fastack"]
    {
        assert!(table.lines().any(|line| line.split_whitespace().next() == Some(row)), "{row}: {text}");
    }
    for (row, reason) in [
        ("tcp-l2", "the same cell as tcp"),
        ("filter", "filter.form is group, but every TCP ACK here goes from a client to its AP"),
        ("filter-noack", "filter.form is no-ack, an ack policy of QoS data"),
    ] {
        let line = reasons.lines().find(|line| line.split_whitespace().next() == Some(row));
        assert!(line.is_some_and(|line| line.contains(reason)), "{row}: {text}");
    }
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path().to_str().expect("the path is text");
    let arguments = ["sweep", "wifi-80211a", "--over", "flows.direction=down,up", "--schemes", "all", "--seeds", "1"];
    let sweep = ackless(&short(&[&arguments[..], &["--out", out]].concat()));
    let remark = String::from_utf8_lossy(&sweep.stderr).into_owned();
    assert!(stdout(&sweep).contains("agent-zoom"));
    assert!(remark.contains("left out:") && remark.contains("(flows.direction=up)"), "{remark}");
}

#[test]
fn a_default_scheme_that_makes_no_sense_is_left_out_and_a_named_one_is_a_mistake() {
    let arguments = ["compare", "wifi-80211n", "--seeds", "1", "--set", "flows.traffic=requests"];
    let output = ackless(&short(&arguments));
    let text = stdout(&output);
    let (tables, left_out) = text.split_once("\nLeft out\n").expect("something is left out");
    assert!(tables.contains("\n hack ") && !tables.contains("\n udp "), "{text}");
    assert!(left_out.contains(" udp  flows.traffic is requests, which need TCP"), "{text}");
    let named = ackless(&short(&[&arguments[..], &["--schemes", "udp,tcp"]].concat()));
    assert_eq!(named.status.code(), Some(2));
}

#[test]
fn run_says_what_the_scheme_did() {
    let text = stdout(&ackless(&short(&["run", "ack-agent-80211b", "--scheme", "broadcom-hold"])));
    let line = text.lines().find(|line| line.starts_with("the scheme ")).expect("it counts");
    assert!(line.contains("held ") && line.contains("suppressed "), "{text}");
    let stock = stdout(&ackless(&short(&["run", "ack-agent-80211b"])));
    assert!(!stock.contains("the scheme "), "{stock}");
}

#[test]
fn mistakes_end_with_exit_code_2_the_place_and_the_remedy() {
    assert_refused(&["run", "wifi-80211m"], "did you mean `wifi-80211n`?");
    assert_refused(&["run", "no/such.toml"], "no/such.toml: the scenario cannot be read");
    assert_refused(&["run", "--set", "wifi.msc=5"], "--set wifi.msc=5: unknown key `msc` in [wifi]");
    assert_refused(&["run", "--scheme", "tpc"], "did you mean `tcp`?");
    assert_refused(&["compare", "--schemes", "tcp,hax"], "no scheme is called `hax`");
    assert_refused(&["compare", "--schemes", "tcp,all"], "--schemes tcp,all: all stands beside others");
    assert_refused(&["run", "--scheme", "filter"], "help: let a flow go up (flows.direction=up)");
    assert_refused(
        &["compare", "--schemes", "tcp,filter"],
        "wifi-80211n: filter.form (row filter): filter.form is group",
    );
    assert_refused(
        &["run", "--scheme", "agent", "--set", "agent.again=1ms"],
        "--set agent.again=1ms: agent.again is 1ms, but",
    );
    assert_refused(&["compare", "--vary", "wifi.mcs"], "--vary wifi.mcs: there is no `=`");
    assert_refused(&["compare", "--seeds", "0"], "expected a whole number from 1 to 10000");
    assert_refused(&["compare", "--seeds", "-1"], "expected a whole number from 1 to 10000");
    assert_refused(&["compare", "--threads", "100000"], "expected a whole number from 0 to 1024");
    assert_refused(&["compare", "--schemes", "tcp,"], "--schemes tcp,: a name is missing");
    assert_refused(&["compare", "--schemes", "tcp,udp,tcp"], "tcp stands there twice");
    assert_refused(&["compare", "--vary", "wifi.mcs=1,1"], "--vary wifi.mcs=1,1: the value 1 stands there twice");
    assert_refused(&["run", "wifi-80211n.toml"], "the built-in scenario is called `wifi-80211n`");
    assert_refused(&["run", "--pcap", "."], ".: the file cannot be written: it is a directory");
    assert_refused(&["compare", "--jsn"], "'--json'");
    assert_refused(&["sweep", "--over", "wifi.mcs=0..7"], "--out");
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path().join("out");
    let out_name = out.to_str().expect("the path is text");
    assert_refused(&["sweep", "--over", "wifi.mcs=7,99", "--out", out_name], "--over wifi.mcs=99");
    assert!(!out.exists(), "a refused sweep left a folder");
    let file = folder.path().join("cell.toml");
    std::fs::write(&file, "[wifi]\nmcs = \"5ms\"\n").expect("the folder can be written");
    assert_refused(
        &["run", file.to_str().expect("the path is text")],
        "cell.toml:2:7: \"5ms\" is not allowed for wifi.mcs",
    );
    let name = file.to_str().expect("the path is text");
    assert_refused(&["compare", "--out", name], "cell.toml: the folder cannot be made: not a directory");
    std::fs::write(&file, [0xff, 0xfe]).expect("the folder can be written");
    assert_refused(&["run", file.to_str().expect("the path is text")], "the scenario cannot be read");
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let mut child = command(&["scenarios", "keys"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.as_mut().expect("the program can be started");
    drop(child.stdout.take());
    let status = child.wait().expect("the program ends");
    let mut complaint = String::new();
    child.stderr.take().expect("standard error is piped").read_to_string(&mut complaint).expect("it is text");
    assert_eq!((status.code(), complaint.as_str()), (Some(0), ""));
}

//! `ackless model` as a person meets it.

use std::process::{Command, Output};

use serde_json::Value;

fn ackless(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ackless"));
    command.args(["model", "hack"]).args(arguments).output().expect("the program can be started")
}

fn stdout(arguments: &[&str]) -> String {
    let output = ackless(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is text")
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(&[arguments, &["--json"]].concat())).expect("it is JSON")
}

/// The words of the line that begins so.
#[track_caller]
fn line<'a>(text: &'a str, beginning: &str) -> Vec<&'a str> {
    let line = text.lines().find(|line| line.trim_start().starts_with(beginning));
    line.unwrap_or_else(|| panic!("no line begins with {beginning}\n{text}")).split_whitespace().collect()
}

#[test]
fn figure_1_stands_beside_the_paper_s_words() {
    let text = stdout(&[]);
    assert_eq!(line(&text, "54 ")[..5], ["54", "23.92", "29.44", "29.93", "23.1"]);
    assert_eq!(line(&text, "600 ")[..8], ["600", "31", "4", "42", "370.55", "439.70", "460.30", "18.7"]);
    let ends = |beginning| line(&text, beginning).into_iter().rev().take(4).collect::<Vec<_>>();
    assert_eq!(ends("802.11n below 100 Mbps: mean gain"), ["4.4", "6.4", "7.9", "8"]);
    assert_eq!(ends("150 Mbps: gain"), ["7.3", "7.3", "7.3", "7"]);
    assert_eq!(ends("600 Mbps: gain"), ["18.7", "18.7", "18.7", "20"]);
    assert_eq!(ends("802.11n: mean idle"), ["110.5", "110.5", "110.5", "110.5"]);
}

#[test]
fn options_choose_the_standard_the_limit_and_the_length_of_a_compressed_ack() {
    let n = json(&["--standard", "n", "--txop", "length", "--ack-bytes", "0"]);
    assert_eq!(n["figures"].as_array().map(Vec::len), Some(1));
    let slowest = &n["figures"][0]["points"][0];
    assert_eq!((&slowest["rate_mbps"], &slowest["packets_per_ppdu"]), (&15.0.into(), &42.into()));
    assert_eq!(slowest["appended_us"], 0.0);
    assert_eq!((&n["ack_bytes"], &n["limit"], &n["txop_us"]), (&0.0.into(), &"length".into(), &Value::Null));
    let a = json(&["--standard", "a"]);
    let fastest = &a["figures"][0]["points"][7];
    // Two data exchanges of 393.5 us and one of an ACK.
    assert_eq!((&fastest["data_us"], &fastest["acks_us"]), (&787.0.into(), &181.5.into()));
    assert_eq!((&a["limit"], &a["txop_us"]), (&"txop".into(), &4_000.0.into()));
}

#[test]
fn tables_2_and_3_stand_beside_the_paper_s() {
    let text = stdout(&["--tables"]);
    assert!(text.contains("9052   470704"), "{text}");
    let tables = json(&["--tables"]);
    assert_eq!(tables["table_2"][3]["compressed_bytes"], 39_424);
    let rohc = tables["table_3"][4]["rohc_ms"].as_f64().expect("a number");
    assert!((rohc - 13.159).abs() < 0.001, "{rohc}");
}

#[test]
fn out_writes_both_figures_and_the_results() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path().join("figures");
    let text = stdout(&["--out", out.to_str().expect("the path is text")]);
    let read = |name: &str| std::fs::read_to_string(out.join(name)).expect("the file was written");
    assert_eq!(read("hack.txt"), text);
    assert_eq!(serde_json::from_str::<Value>(&read("hack.json")).expect("it is JSON"), json(&[]));
    for (name, says) in [("figure-1a.svg", "23.1 % more"), ("figure-1b.svg", "TXOP of 4ms")] {
        let svg = read(name);
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{name}");
        assert!(svg.contains(says), "{name}");
    }
}

#[test]
fn a_wrong_option_is_refused_with_its_remedy_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path().join("out");
    let out_name = out.to_str().expect("the path is text");
    for (arguments, remedy) in [
        (["--txop", "9ms"], "8160us"),
        (["--ack-bytes", "4,36"], "for example 4.36"),
        (["--standard", "g"], "possible values: a, n"),
    ] {
        let output = ackless(&[&arguments[..], &["--out", out_name]].concat());
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(output.stdout.is_empty() && complaint.contains(remedy), "{complaint}");
    }
    assert!(!out.exists());
}

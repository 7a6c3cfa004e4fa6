//! `ackless model` as a person meets it.

use std::process::{Command, Output};
use std::thread;

use serde_json::Value;

fn ackless(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ackless"));
    command.arg("model").args(arguments).output().expect("the program can be started")
}

fn stdout(arguments: &[&str]) -> String {
    let output = ackless(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is text")
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(&[arguments, &["--json"]].concat())).expect("it is JSON")
}

/// What a claim of the paper is by each of our forms.
#[track_caller]
fn claim<'a>(answer: &'a Value, what: &str) -> &'a Value {
    let claims = answer["paper"].as_array().expect("the paper's claims are a list");
    let found = claims.iter().find(|claim| claim["what"].as_str().is_some_and(|text| text.starts_with(what)));
    &found.unwrap_or_else(|| panic!("no claim begins with {what}"))["ours"]
}

#[track_caller]
fn assert_near(value: &Value, expected: f64) {
    let value = value.as_f64().expect("a number");
    assert!((value - expected).abs() < 0.05, "{value}, not {expected}");
}

/// The words of the line that begins so.
#[track_caller]
fn line<'a>(text: &'a str, beginning: &str) -> Vec<&'a str> {
    let line = text.lines().find(|line| line.trim_start().starts_with(beginning));
    line.unwrap_or_else(|| panic!("no line begins with {beginning}\n{text}")).split_whitespace().collect()
}

#[test]
fn figure_1_stands_beside_the_paper_s_words() {
    let text = stdout(&["hack"]);
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
    let n = json(&["hack", "--standard", "n", "--txop", "length", "--ack-bytes", "0"]);
    assert_eq!(n["figures"].as_array().map(Vec::len), Some(1));
    let slowest = &n["figures"][0]["points"][0];
    assert_eq!((&slowest["rate_mbps"], &slowest["packets_per_ppdu"]), (&15.0.into(), &42.into()));
    assert_eq!(slowest["appended_us"], 0.0);
    assert_eq!((&n["ack_bytes"], &n["limit"], &n["txop_us"]), (&0.0.into(), &"length".into(), &Value::Null));
    let a = json(&["hack", "--standard", "a"]);
    let fastest = &a["figures"][0]["points"][7];
    // Two data exchanges of 393.5 us and one of an ACK.
    assert_eq!((&fastest["data_us"], &fastest["acks_us"]), (&787.0.into(), &181.5.into()));
    assert_eq!((&a["limit"], &a["txop_us"]), (&"txop".into(), &4_000.0.into()));
}

#[test]
fn tables_2_and_3_stand_beside_the_paper_s() {
    let text = stdout(&["hack", "--tables"]);
    assert!(text.contains("9052   470704"), "{text}");
    let tables = json(&["hack", "--tables"]);
    assert_eq!(tables["table_2"][3]["compressed_bytes"], 39_424);
    let rohc = tables["table_3"][4]["rohc_ms"].as_f64().expect("a number");
    assert!((rohc - 13.159).abs() < 0.001, "{rohc}");
}

#[test]
fn out_writes_both_figures_with_what_they_found() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path().join("figures");
    let text = stdout(&["hack", "--out", out.to_str().expect("the path is text")]);
    let read = |name: &str| std::fs::read_to_string(out.join(name)).expect("the file was written");
    assert_eq!(read("hack.txt"), text);
    assert_eq!(serde_json::from_str::<Value>(&read("hack.json")).expect("it is JSON"), json(&["hack"]));
    for (name, says) in [("figure-1a.svg", "23.1 % more"), ("figure-1b.svg", "TXOP of 4ms")] {
        assert!(read(name).contains(says), "{name}");
    }
}

#[test]
fn the_agent_s_sums_stand_term_by_term_beside_what_is_printed() {
    let text = stdout(&["ack-agent"]);
    assert_eq!(line(&text, "MAC"), ["MAC", "20.36", "20.36", "with", "data", "with", "data"]);
    assert_eq!(line(&text, "sum"), ["sum", "1611.27", "549.46", "1618.00", "556.00"]);
    assert_eq!(line(&text, "printed"), ["printed", "1620.00", "560.00"]);
    assert_eq!(line(&text, "1480 ")[..7], ["1480", "7.30", "7.20", "4.26", "71.5", "5.04", "45.0"]);
    let both = json(&["ack-agent"]);
    let gains = claim(&both, "802.11b: gain, %");
    assert_near(&gains["each_packet"], 71.5);
    assert_near(&gains["each_packet_contending"], 61.0);
    assert_near(&claim(&both, "802.11a/g: gain, %")["each_packet"], 73.4);
    let ag = json(&["ack-agent", "--standard", "ag", "--segments", "500", "--min-cw", "16"]);
    assert_eq!((&ag["min_cw_min"], ag["standards"].as_array().map(Vec::len)), (&16.into(), Some(1)));
    let only = &ag["standards"][0]["segments"][0];
    // 548 * 8 / 54 + 112 / 6 + 2 * 20 + 16 + 34 + 7.5 * 9 = 257.352 us for 4000 bits.
    assert_near(&only["s_tcp_mbps"], 4_000.0 / 257.352);
    assert_eq!(ag["standards"][0]["air_time"]["printed"], Value::Null);
}

#[test]
fn the_filter_s_equations_stand_over_the_length_of_a_frame() {
    let text = stdout(&["ack-filter"]);
    assert_eq!(line(&text, "1500 "), ["1500", "536.0", "681.5", "17.61", "637.5", "18.82", "6.9"]);
    assert_eq!(line(&text, "filter on: ")[4..], ["48", "48", "54", "none", "none"]);
    let at_54 = json(&["ack-filter", "--rate", "54", "--frames", "1500", "--mac-bytes", "36", "--ack-every", "1"]);
    // 34 + 67.5 + 248 and, answered, 44 more.
    let frame = &at_54["frames"][0];
    assert_eq!((&frame["unanswered_us"], &frame["t_dcf_us"]), (&349.5.into(), &393.5.into()));
    // One of four frames; and no contending form where every packet is acknowledged.
    assert_near(&claim(&at_54, "frames saved")["sum"], 25.0);
    assert_eq!(at_54["tcp"][7]["on"][0]["contending_mbps"], Value::Null);
}

#[test]
fn the_proxy_s_form_stands_over_datagrams_losses_and_windows() {
    let text = stdout(&["arq-proxy"]);
    assert_eq!(line(&text, "1500 ")[..5], ["1500", "6.224", "6.058", "4.295", "44.9"]);
    assert_eq!(line(&text, "0.25 ")[..4], ["0.25", "4.225", "2.840", "48.8"]);
    assert_eq!(line(&text, "20 "), ["20", "55.88", "38.56", "17.32"]);
    let answer = json(&["arq-proxy", "--datagrams", "40,200", "--retry-limit", "1"]);
    assert_eq!(answer["datagrams"].as_array().map(Vec::len), Some(2));
    assert_near(&answer["datagrams"][0]["each_packet"]["gain_percent"], 100.0);
    // One attempt: what is lost is given up.
    assert_eq!((&answer["losses"][5]["per"], &answer["losses"][5]["given_up"]), (&0.25.into(), &0.25.into()));
    assert_near(&claim(&answer, "200 bytes")["each_packet_contending"], 64.8);
}

#[test]
fn tack_s_equations_stand_over_links_and_round_trips() {
    let text = stdout(&["tack"]);
    // 590 Mbps are 24,583.3 ACKs in a second; four in 80 ms are 50.
    let rows: Vec<_> = text.lines().map(str::trim_start).filter(|row| row.starts_with("802.11ac")).collect();
    let row: Vec<_> = rows[2].split_whitespace().collect();
    assert_eq!(row[..5], ["802.11ac", "80", "24583.3", "50.0", "99.8"]);
    let answer = json(&["tack", "--rtts", "10", "--beta", "2", "--ack-every", "1"]);
    // 7 Mbps: 583.3 packets in a second; two in 10 ms are 200.
    let b = &answer["links"][0]["frequencies"][0]["room"];
    assert_near(&b["tcp_hz"], 7e6 / 12e3);
    assert_near(&b["tack_hz"], 200.0);
    assert_near(&claim(&answer, "buffer")["equation"], 100.0);
}

#[test]
fn out_says_which_files_it_wrote_and_each_is_whole() {
    // The longest of these tests, so all at once.
    thread::scope(|scope| {
        for (question, pictures) in [
            ("hack", &["figure-1a.svg", "figure-1b.svg"][..]),
            ("ack-agent", &["ack-agent-figure-5.svg", "ack-agent-figure-6.svg", "ack-agent-figure-7.svg"]),
            ("ack-filter", &["ack-filter-figure-2.svg", "ack-filter-gain.svg"]),
            ("arq-proxy", &["arq-proxy-figure-5.svg", "arq-proxy-figure-7.svg"]),
            ("tack", &["tack-figure-12b.svg"]),
        ] {
            scope.spawn(move || writes_whole_files(question, pictures));
        }
    });
}

fn writes_whole_files(question: &str, pictures: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().to_str().expect("the path is text");
    let output = ackless(&[question, "--out", path]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut files = vec![format!("{question}.txt"), format!("{question}.json")];
    files.extend(pictures.iter().map(|picture| (*picture).to_owned()));
    assert_eq!(said, format!("written to {path}: {}\n", files.join(", ")));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("the file was written");
    assert_eq!(read(&files[0]).as_bytes(), output.stdout);
    let results: Value = serde_json::from_str(&read(&files[1])).expect("it is JSON");
    assert!(results["paper"].as_array().is_some_and(|claims| claims.len() > 5), "{question}");
    for picture in pictures {
        let svg = read(picture);
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{picture}");
    }
}

#[test]
fn a_wrong_option_is_refused_with_its_remedy_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path().join("out");
    let out_name = out.to_str().expect("the path is text");
    for (arguments, remedy) in [
        (["hack", "--txop", "9ms"], "8160us"),
        (["hack", "--ack-bytes", "4,36"], "for example 4.36"),
        (["hack", "--standard", "g"], "possible values: a, n"),
        (["ack-agent", "--standard", "n"], "possible values: b, ag"),
        (["ack-agent", "--segments", "long"], "from 21 to 2276"),
        (["ack-agent", "--segments", "1480,20"], "from 21 to 2276"),
        (["ack-agent", "--min-cw", "17"], "from 1 to 16"),
        (["ack-filter", "--rate", "11"], "possible values: 6, 9, 12, 18, 24, 36, 48, 54"),
        (["ack-filter", "--frames", "2305"], "from 1 to 2304"),
        (["ack-filter", "--mac-bytes", "-1"], "from 0 to 64"),
        (["ack-filter", "--ack-every", "0"], "from 1 to 64"),
        (["arq-proxy", "--datagrams", "39"], "from 40 to 2296"),
        (["arq-proxy", "--retry-limit", "0"], "from 1 to 255"),
        (["tack", "--rtts", "0"], "from 1 to 10000"),
        (["tack", "--beta", "1"], "from 2 to 64"),
    ] {
        let output = ackless(&[&arguments[..], &["--out", out_name]].concat());
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(output.stdout.is_empty() && complaint.contains(remedy), "{complaint}");
    }
    assert!(!out.exists());
}

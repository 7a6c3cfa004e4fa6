//! What a table, a picture, CSV and JSON say before a figure is believed, as a person meets it.

use std::path::Path;
use std::process::Command;

/// What a command prints that ends well.
#[track_caller]
fn ackless(arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_ackless")).args(arguments).output().expect("the program can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is text")
}

/// A comparison in all four forms: text, CSV, JSON and picture.
struct Forms {
    text: String,
    csv: String,
    json: serde_json::Value,
    svg: String,
}

#[track_caller]
fn compare(arguments: &[&str]) -> Forms {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path().to_str().expect("the path is text");
    ackless(&[&["compare"], arguments, &["--out", out]].concat());
    let read = |name: &str| std::fs::read_to_string(Path::new(out).join(name)).expect("the file was written");
    let json = serde_json::from_str(&read("comparison.json")).expect("it is JSON");
    Forms { text: read("comparison.txt"), csv: read("comparison.csv"), json, svg: read("comparison.svg") }
}

impl Forms {
    /// The cell of CSV in this row's line and this column.
    #[track_caller]
    fn cell(&self, row: &str, column: &str) -> &str {
        let mut lines = self.csv.lines();
        let header: Vec<_> = lines.next().expect("there is a header").split(',').collect();
        let place = |name: &str| header.iter().position(|column| *column == name).expect("the column is there");
        let line = lines.map(|line| line.split(',').collect::<Vec<_>>()).find(|line| line[place("scheme")] == row);
        line.expect("the row is there")[place(column)]
    }

    /// The kinds of cautions of a row.
    fn kinds(&self, row: &str) -> Vec<&str> {
        let rows = self.json["rows"].as_array().expect("rows are a list");
        let row = rows.iter().find(|entry| entry["scheme"] == row).expect("the row is there");
        let cautions = row["cautions"].as_array().expect("cautions are a list");
        cautions.iter().filter_map(|caution| caution["kind"].as_str()).collect()
    }

    /// The title of the picture, its lines joined.
    fn headline(&self) -> String {
        let bold = self.svg.split("<text ").filter(|text| text.contains("font-weight=\"bold\""));
        let lines: Vec<_> = bold.filter_map(|text| text.lines().nth(1)).collect();
        lines.join(" ")
    }
}

const TRANSFER: [&str; 6] = ["hack-snr", "--seeds", "2", "--set", "flows.size=4MB", "--set"];

#[test]
fn transfers_that_end_are_compared_by_how_long_they_take() {
    let forms = compare(&[&TRANSFER[..], &["run.measured=2s"]].concat());
    let (table, _) = forms.text.split_once(" native ").expect("HACK's own table follows");
    assert!(table.contains(" done ") && table.contains(" time vs ") && !table.contains("goodput"), "{table}");
    let seconds = |row: &str| forms.cell(row, "completion_s").parse::<f64>().expect("it is a time");
    let (plain, hack) = (seconds("tcp"), seconds("hack"));
    assert!(hack < 1.0 && plain < 1.0, "{hack} s against {plain} s");
    let percent = forms.cell("hack", "completion_s_vs_baseline_percent").parse::<f64>().expect("it is a percentage");
    assert!((percent - (hack / plain - 1.0) * 100.0).abs() < 1e-9, "{percent}");
    let line = table.lines().find(|line| line.starts_with(" hack ")).expect("the row is there");
    assert!(line.contains(&format!("{hack:.3}")) && line.contains(&format!(" {percent:.1} ")), "{line}");
    let headline = forms.headline();
    let expected = format!("hack takes {hack:.2} s for a transfer, {:.1} % less than tcp", -percent);
    let close = "No row is clearly quicker than tcp";
    assert!(headline.contains(&expected) || headline.contains(close), "{headline}");
    assert!(forms.svg.contains("Time until a transfer is complete, s (less is better)"), "{}", forms.svg);
    assert_eq!(forms.json["compared_by"], serde_json::json!(["completion-time"]));
    assert_eq!(forms.kinds("tcp"), Vec::<&str>::new());
}

#[test]
fn a_transfer_that_does_not_end_has_no_mean_and_is_named() {
    // Sooner or later than the end, by the seed and the scheme.
    let forms = compare(&[&TRANSFER[..], &["run.measured=200ms"]].concat());
    for row in ["tcp", "hack"] {
        assert_eq!((forms.cell(row, "completion_s"), forms.cell(row, "unfinished_transfers")), ("", "1"), "{row}");
        assert_eq!((forms.kinds(row), forms.cell(row, "cautions")), (vec!["unfinished"], "unfinished"));
    }
    for form in [&forms.text, &forms.svg] {
        assert!(form.contains("2 of 2 transfers did not end within the run, after up to 0.2 s"), "{form}");
    }
    assert!(forms.text.contains("> 0.200 *"), "{}", forms.text);
}

#[test]
fn in_a_mixed_cell_each_flow_counts_in_one_comparison() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join("mixed.toml");
    let flows = "[[stations]]\nname = \"a\"\n[[stations]]\nname = \"b\"\n[[flows]]\nname = \"bulk\"\nstations = \"a\"\n\
                 [[flows]]\nname = \"file\"\nstations = \"b\"\ntraffic = \"finite\"\nsize = \"1MB\"\n";
    std::fs::write(&file, format!("[run]\nwarm_up = \"100ms\"\nmeasured = \"400ms\"\n{flows}"))
        .expect("it can be written");
    let file = file.to_str().expect("the path is text");
    let forms = compare(&[file, "--schemes", "tcp,hack", "--seeds", "2"]);
    for title in [" without ", " gain vs ", " done ", " time vs "] {
        assert!(forms.text.contains(title), "{title:?}: {}", forms.text);
    }
    assert_eq!(forms.json["compared_by"], serde_json::json!(["endless-goodput", "completion-time"]));
    let figure = |column| forms.cell("hack", column).parse::<f64>().expect("it is a figure");
    assert!(figure("endless_goodput_mbps") < figure("goodput_mbps"), "{}", forms.csv);
    assert!(forms.svg.contains("Goodput of flows without end, Mbps"), "{}", forms.svg);
    assert!(forms.svg.contains("Time until a transfer is complete, s (less is better): tcp "), "{}", forms.svg);
}

#[test]
fn goodput_that_crossed_the_air_before_the_window_is_told_with_its_cause() {
    // Ten slow starts overflow their queues within 20 s, and what came above the holes is released in the seconds after.
    let cell = ["wifi-80211b", "--schemes", "udp,tcp", "--seeds", "1", "--set", "stations.count=10"];
    let forms = compare(&[&cell[..], &["--set", "run.warm_up=20s", "--set", "run.measured=15s"]].concat());
    assert!(forms.kinds("tcp").contains(&"above-air"), "{:?}", forms.kinds("tcp"));
    assert_eq!(forms.kinds("udp"), Vec::<&str>::new());
    let line = |row: &str| forms.text.lines().find(|line| line.starts_with(row)).expect("the row is there");
    assert!(line(" tcp").contains(" *") && !line(" udp").contains(" *"), "{}", forms.text);
    let words = forms.text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("that the air carried in the window: ") && words.contains("released from behind holes"),
        "{words}"
    );
    assert!(forms.svg.contains("that the air carried") && forms.headline().contains("more than the air carried"));
    let mbps = |column| forms.cell("tcp", column).parse::<f64>().expect("it is a figure");
    assert!(mbps("goodput_mbps") > 1.02 * mbps("air_mbps"), "{}", forms.csv);
}

#[test]
fn windows_that_are_not_steady_are_named() {
    let late = compare(&[
        "--schemes",
        "tcp",
        "--seeds",
        "1",
        "--set",
        "stations.count=5",
        "--set",
        "run.warm_up=250ms",
        "--set",
        "run.measured=300ms",
    ]);
    assert!(late.kinds("tcp").contains(&"not-begun"), "{:?}", late.kinds("tcp"));
    assert!(
        late.text.contains("2 of 5 flows begin after the window, which begins at 0.25 s: the last at 0.4 s"),
        "{}",
        late.text
    );
    // In slow start the second half carries far more than the first, in every seed.
    let starting =
        ["--schemes", "tcp", "--set", "wired.delay=50ms", "--set", "run.warm_up=150ms", "--set", "run.measured=300ms"];
    for seeds in ["1", "3"] {
        let forms = compare(&[&starting[..], &["--seeds", seeds]].concat());
        assert!(forms.kinds("tcp").contains(&"not-steady"), "{seeds}: {}", forms.text);
    }
    // A queue of ten stations takes 2 s to cross 802.11b, so that the halves of a window of 4 s say nothing.
    let few =
        ["wifi-80211b", "--schemes", "tcp", "--seeds", "2", "--set", "stations.count=10", "--set", "run.measured=4s"];
    let few = compare(&few);
    assert!(few.text.contains("not known to be steady: the window is 3."), "{}", few.text);
    let steady = compare(&["--schemes", "udp,tcp", "--seeds", "3", "--set", "run.measured=1s"]);
    assert_eq!((steady.kinds("udp"), steady.kinds("tcp")), (vec![], vec![]), "{}", steady.text);
    assert!(!steady.text.contains("with care"), "{}", steady.text);
}

#[test]
fn a_gain_stands_beside_its_fairness_where_that_is_low() {
    let unfair = ["wifi-80211b", "--schemes", "tcp,hack", "--seeds", "2", "--set", "stations.count=3"];
    let window = [
        "--set",
        "run.warm_up=1s",
        "--set",
        "run.measured=1s",
        "--set",
        "wifi.backoff=auto-zoom",
        "--set",
        "wifi.cw_floor=0",
    ];
    let forms = compare(&[&unfair[..], &window].concat());
    assert!(forms.kinds("hack").contains(&"unfair"), "{}", forms.text);
    let titles = forms.text.lines().find(|line| line.starts_with(" scheme ")).expect("there are titles");
    let gain = titles.find("gain vs").expect("a gain is shown");
    assert!(titles.find("Jain").is_some_and(|jain| jain > gain), "{}", forms.text);
    assert!(forms.svg.contains("Jain 0."), "{}", forms.svg);
    let fair = compare(&[
        "wifi-80211n",
        "--schemes",
        "tcp,hack",
        "--seeds",
        "1",
        "--set",
        "run.warm_up=300ms",
        "--set",
        "run.measured=300ms",
    ]);
    assert!(!fair.text.contains("Jain"), "one station cannot be served unevenly: {}", fair.text);
}

#[test]
fn a_run_as_json_has_the_cautions_of_its_text() {
    let window = ["--set", "wired.delay=50ms", "--set", "run.warm_up=150ms", "--set", "run.measured=300ms"];
    let json = |more: &[&str]| {
        let text = ackless(&[&["run", "--scheme", "tcp", "--json"], more].concat());
        serde_json::from_str::<serde_json::Value>(&text).expect("it is JSON")["cautions"].clone()
    };
    let cautions = json(&window);
    assert_eq!(cautions[0]["kind"], "not-steady", "{cautions}");
    let text = ackless(&[&["run", "--scheme", "tcp"], &window[..]].concat());
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for caution in cautions.as_array().expect("cautions are a list") {
        assert!(words.contains(caution["text"].as_str().expect("a caution has a text")), "{caution}: {text}");
    }
    let compared = compare(&[&["--schemes", "tcp", "--seeds", "1"], &window[..]].concat());
    assert_eq!(cautions, compared.json["rows"][0]["cautions"]);
    assert_eq!(json(&["--set", "run.measured=3s"]), serde_json::json!([]));
}

#[test]
fn a_run_of_transfers_leads_with_when_they_were_done() {
    let lead = |arguments: &[&str]| {
        let text = ackless(&[&["run", "hack-snr", "--set", "flows.size=4MB", "--set"], arguments].concat());
        text.lines().nth(2).expect("there are lines").to_owned()
    };
    let one = lead(&["run.measured=2s", "--scheme", "tcp"]);
    let json = ackless(&[
        "run",
        "hack-snr",
        "--set",
        "flows.size=4MB",
        "--set",
        "run.measured=2s",
        "--scheme",
        "tcp",
        "--json",
    ]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    let done = json["flows"][0]["completion_s"].as_f64().expect("it is done");
    assert_eq!(one, format!("done after         {done:.3} s"));
    let never = lead(&["run.measured=200ms", "--scheme", "tcp"]);
    assert_eq!(never, "done after         not within the run");
    let several = lead(&["run.measured=4s", "--set", "stations.count=2", "--scheme", "tcp"]);
    assert!(
        several.starts_with("done after         ")
            && several.contains(" s on average over 2 transfers, the last after "),
        "{several}"
    );
    let repeated = lead(&["run.measured=2s", "--set", "flows.traffic=repeated", "--set", "flows.size=100kB"]);
    assert!(repeated.starts_with("a transfer takes   ") && repeated.contains(" ms (median of "), "{repeated}");
    // A transfer of datagrams ends as well.
    assert!(lead(&["run.measured=200ms", "--scheme", "udp"]).starts_with("done after "));
}

#[test]
fn a_dead_flow_comes_before_any_gain_in_every_form() {
    let short = ["--seeds", "2", "--set", "run.warm_up=1500ms", "--set", "run.measured=1s"];
    let forms = compare(&[&["wifi-today", "--schemes", "tcp,filter-action"], &short[..]].concat());
    let first = "camera-1 gets nothing in filter-action; ";
    assert!(forms.text.lines().nth(3).is_some_and(|line| line.starts_with(first)), "{}", forms.text);
    assert!(forms.headline().starts_with(first), "{}", forms.headline());
    assert!(forms.json["finding"].as_str().is_some_and(|finding| finding.starts_with(first)));
    assert_eq!(forms.json["rows"][1]["flows"][2]["dead_runs"], 2);
    assert_eq!(forms.kinds("filter-action")[0], "dead");
    assert_eq!([forms.cell("tcp", "dead_flows"), forms.cell("filter-action", "dead_flows")], ["0", "1"]);
    let row = forms.text.lines().find(|line| line.starts_with(" filter-action")).expect("the row is there");
    assert!(row.starts_with(" filter-action   camera-1 dead "), "before its goodput: {row}");
    assert!(forms.text.contains("0.00 dead"), "{}", forms.text);
}

#[test]
fn flows_that_offer_a_rate_are_told_by_air_time_and_not_as_a_loss_to_a_flood() {
    let forms = compare(&["wifi-80211n", "--schemes", "udp,tcp,hack", "--seeds", "2", "--set", "flows.rate=20Mbps"]);
    let said = forms.json["finding"].as_str().expect("it is a text");
    assert!(said.starts_with("tcp carries all of the 20.0 Mbps offered in "), "{said}");
    assert!(!said.contains("loses"), "{said}");
    let nothing = compare(&["wifi-80211n", "--schemes", "tcp", "--seeds", "1", "--set", "wired.loss=1.0"]);
    assert_eq!(nothing.json["finding"], "download-1 gets nothing");
    assert_eq!(nothing.cell("tcp", "jain_goodput"), "", "nothing has no index of fairness");
}

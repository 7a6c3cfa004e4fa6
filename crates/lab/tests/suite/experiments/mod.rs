//! Comparisons and sweeps with a runner that computes its results from the configuration, so that only the laboratory
//! itself is on trial.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use ackless_cell::config::{CellConfig, Neighbour, SchemeChoice, TransportConfig};
use ackless_cell::result::{
    Airtime, AirtimeClass, Counters, Fairness, FlowResult, NeighbourResult, NodeCounters, Percentiles, RunResult,
};
use ackless_lab::case::{Axis, Case};
use ackless_lab::compare::Comparison;
use ackless_lab::place::{Kind, Place};
use ackless_lab::run::{Job, run_one};
use ackless_lab::sweep::Sweep;
use ackless_scenario::builtin::Builtin;
use ackless_scenario::{Row, Scenario};
use ackless_wire::Duration;
use ackless_wire::random::{Purpose, Stream};

mod headlines;
mod pictures;

/// A result that depends on the configuration and on the seed, and on nothing else.
pub(crate) fn pretend(config: &CellConfig, seed: u64) -> RunResult {
    let mut stream = Stream::new(seed, config.stations.len() as u64, Purpose::Test);
    let flow = &config.flows[0];
    let acks = match flow.transport {
        TransportConfig::Udp { .. } => 0,
        TransportConfig::Tcp(tcp) => 60_000 / u64::from(tcp.ack.every),
    };
    let goodput = 130.0 - acks as f64 / 1_000.0 + stream.unit();
    let mut airtime = Airtime::default();
    airtime.add(AirtimeClass::TcpAcks, Duration::from_micros(acks * 20));
    airtime.add(AirtimeClass::Payload, config.measured - Duration::from_micros(acks * 20));
    let total = NodeCounters {
        channel_accesses: 5_000 + acks,
        data_mpdus: 50_000,
        tcp_ack_ppdus: acks,
        collisions: stream.below(100),
        retries: stream.below(1_000),
        ..NodeCounters::default()
    };
    let rtt = Percentiles { samples: 100, min: 1.0, median: 8.0, p95: 12.0, p99: 14.0 };
    RunResult {
        neighbours: config.neighbours.iter().map(|other| beside(other, seed)).collect(),
        scheme: config.scheme.clone(),
        seed,
        goodput_mbps: goodput,
        flows: vec![FlowResult {
            name: flow.name.clone(),
            station: config.stations[flow.station].name.clone(),
            direction: "down".into(),
            transport: if acks == 0 { "udp" } else { "tcp" }.into(),
            traffic: "bulk".into(),
            goodput_mbps: goodput,
            offered_mbps: None,
            dead: false,
            fair_mbps: None,
            starved: false,
            air_mbps: goodput,
            halves_mbps: [goodput; 2],
            held: None,
            rtt_ms: (acks > 0).then_some(rtt),
            retransmissions: 0,
            timeouts: 0,
            ecn_marks: None,
            completion_s: None,
            unfinished_s: None,
            transfers_ms: None,
            ends: None,
            udp: None,
            video: None,
        }],
        pings: Vec::new(),
        airtime_ns: airtime,
        counters: Counters { total, nodes: Vec::new() },
        rates: Vec::new(),
        hack: None,
        rival: rivals(config, seed),
        fairness: Fairness { jain_goodput: Some(1.0), jain_airtime: Some(1.0) },
        sim_seconds: config.measured.as_secs_f64(),
        wall_seconds: 0.0,
        events: 12_345,
    }
}

/// What the nodes of ARQ proxy cells count: one counter that matters, one that stays at zero, and one that few people ask for.
/// A neighbour carries 20 Mbps less, and hears of others for a tenth of the time.
fn beside(neighbour: &Neighbour, seed: u64) -> NeighbourResult {
    let mut result = pretend(&neighbour.cell, seed);
    result.goodput_mbps -= 20.0;
    result.airtime_ns = Airtime::default();
    result.airtime_ns.add(AirtimeClass::Payload, neighbour.cell.measured / 10 * 9);
    result.airtime_ns.add(AirtimeClass::Neighbours, neighbour.cell.measured / 10);
    NeighbourResult { cell: neighbour.name.clone(), result }
}

fn rivals(config: &CellConfig, seed: u64) -> BTreeMap<String, u64> {
    match config.ap.scheme {
        SchemeChoice::ArqProxy(_) => [("released", 1_000 * seed), ("cancelled", 0), ("unasked", 7)]
            .map(|(name, count)| (name.to_owned(), count))
            .into(),
        _ => BTreeMap::new(),
    }
}

/// The built-in scenario with five rows, none of which has a table of its own.
fn wifi_80211n() -> Scenario {
    let scenario = Builtin::find("wifi-80211n").and_then(Builtin::scenario);
    let mut scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    scenario.set("run.schemes=udp,tcp-l1,tcp,tcp-l4,tcp-l8").unwrap_or_else(|error| panic!("{error}"));
    scenario
}

fn cases(scenario: &Scenario, axes: &[&str]) -> Vec<Case> {
    let axes: Vec<_> =
        axes.iter().map(|axis| Axis::parse("--over", axis).unwrap_or_else(|error| panic!("{error}"))).collect();
    let rows = ["udp", "tcp-l1", "tcp", "tcp-l4", "tcp-l8"].map(|name| Row::find(name).expect("this is a row"));
    Case::all(scenario, &axes, &rows).unwrap_or_else(|error| panic!("{error}"))
}

/// `text` without the lines that say how long something took.
fn without_wall_seconds(text: &str) -> String {
    text.lines().filter(|line| !line.contains("\"wall_seconds\"")).collect::<Vec<_>>().join("\n")
}

#[test]
fn cells_on_one_channel_have_lines_of_their_own_and_are_compared_within_a_cell() {
    let scenario = Builtin::find("wifi-neighbours").and_then(Builtin::scenario);
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    let comparison = Comparison::run(&pretend, cases(&scenario, &[]), 2, 2, &|| ()).expect("there are rows");
    let lines: Vec<_> = comparison.rows.iter().map(|row| (row.case.point_label(), row.case.row.name)).collect();
    let rows = ["udp", "tcp-l1", "tcp", "tcp-l4", "tcp-l8"];
    let expected = ["cell=own", "cell=next"].map(|cell| rows.map(|row| (cell.to_owned(), row)));
    assert_eq!(lines, expected.concat());
    let goodput = |n: usize| comparison.rows[n].goodput().expect("it was measured").mean;
    assert!((goodput(0) - goodput(5) - 20.0).abs() < 1e-9, "{} and {}", goodput(0), goodput(5));
    // Each against the UDP row of its own cell: 20 Mbps less of 20 Mbps less.
    let loss = |n: usize| comparison.loss_against_udp(&comparison.rows[n]).expect("there is a UDP row");
    assert!((loss(7) - 30.0 / (goodput(5)) * 100.0).abs() < 1.0 && loss(7) > loss(2) + 3.0, "{} {}", loss(7), loss(2));
    let csv = comparison.to_csv().unwrap_or_else(|error| panic!("{error}"));
    let header = csv.lines().next().expect("CSV has a header");
    assert!(header.starts_with("cell,scheme,") && header.contains("airtime_neighbours_percent"), "{header}");
    assert!(comparison.to_text().contains(" other cells"));
    assert!(comparison.to_svg().unwrap_or_else(|error| panic!("{error}")).contains("other cells"));
    let alone = Comparison::run(&pretend, cases(&wifi_80211n(), &[]), 2, 2, &|| ()).expect("there are rows");
    let svg = alone.to_svg().unwrap_or_else(|error| panic!("{error}"));
    let [csv, json] = [alone.to_csv(), alone.to_json()].map(|text| text.unwrap_or_else(|error| panic!("{error}")));
    assert!([csv, svg, json].iter().all(|text| !text.contains("airtime_neighbours") && !text.contains("other cells")));
}

#[test]
fn a_comparison_reads_like_this() {
    let comparison = Comparison::run(&pretend, cases(&wifi_80211n(), &[]), 5, 2, &|| ()).expect("there are rows");
    let expected = "\
wifi-80211n: An 802.11n AP at 150 Mbps and its clients, downloading
5 seeds, 5 s measured in each run

tcp loses 23.0 % to udp; tcp-l8 gives back 17.2 of these percentage points, tcp-l4 11.5

 scheme         goodput   gain vs   loss vs   TCP ACK   accesses   collided   RTT med   RTT p95
                   Mbps     tcp %     udp %    frames     per MB          %        ms        ms
------------------------------------------------------------------------------------------------
 udp      130.57 ± 0.43      29.8                   0       61.3       1.03
 tcp-l1    70.57 ± 0.43     -29.8      46.0     60000     1473.7       0.08      8.00     12.00
 tcp      100.57 ± 0.43                23.0     30000      556.8       0.15      8.00     12.00
 tcp-l4   115.57 ± 0.43      14.9      11.5     15000      276.9       0.26      8.00     12.00
 tcp-l8   123.07 ± 0.43      22.4       5.7      7500      162.5       0.41      8.00     12.00

Share of the air time in %

 class              udp   tcp-l1     tcp   tcp-l4   tcp-l8
-----------------------------------------------------------
 payload          100.0     76.0    88.0     94.0     97.0
 TCP ACK frames     0.0     24.0    12.0      6.0      3.0
 sum              100.0    100.0   100.0    100.0    100.0
";
    let text = comparison.to_text();
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn the_picture_of_a_comparison_says_what_was_found_in_the_figures_of_the_table() {
    let picture = |axes: &[&str], seeds| {
        let comparison =
            Comparison::run(&pretend, cases(&wifi_80211n(), axes), seeds, 2, &|| ()).expect("there are rows");
        comparison.to_svg().expect("there are rows")
    };
    let svg = picture(&[], 5);
    let texts = texts(&svg);
    let title = "tcp loses 23.0 % to udp; tcp-l8 gives back 17.2 of these percentage points, tcp-l4 11.5";
    assert_eq!(texts[..2].join(" "), title);
    for text in ["100.57 \u{b1} 0.43", "\u{2212}23.0 %", "88.0", "12.0", "TCP ACK frames"] {
        assert!(texts.contains(&text), "{text}: {texts:?}");
    }
    assert!(!texts.contains(&"retransmissions"), "no row has any");
    let of_many = picture(&["stations.count=1,2"], 2);
    assert!(self::texts(&of_many)[0].starts_with("tcp carries from 22."), "{of_many}");
}

#[test]
fn the_sentence_above_a_comparison_says_what_tcp_loses_and_which_rows_give_it_back() {
    // udp, tcp, tcp-l4, tcp-l8 and tcp-l16 have 130.57, 100.57, 115.57, 123.07 and 126.82 Mbps, before some are lifted.
    let sentence = |schemes: &[&str], lifted: &[&str], by: f64| {
        let lift = |config: &CellConfig, seed: u64| {
            let mut result = pretend(config, seed);
            let more = if lifted.contains(&config.scheme.as_str()) { by } else { 0.0 };
            result.flows[0].air_mbps += more;
            RunResult { goodput_mbps: result.goodput_mbps + more, ..result }
        };
        let rows: Vec<_> = schemes.iter().map(|name| Row::find(name).expect("this is a row")).collect();
        let cases = Case::all(&wifi_80211n(), &[], &rows).expect("every row makes a cell");
        let comparison = Comparison::run(&lift, cases, 5, 2, &|| ()).expect("there are rows");
        comparison.finding
    };
    let many = ["udp", "tcp", "tcp-l4", "tcp-l8", "tcp-l16", "hack"];
    assert_eq!(
        sentence(&many, &["hack"], 5.0),
        "tcp loses 23.0 % to udp; tcp-l16 gives back 20.1 of these percentage points, tcp-l8 17.2, tcp-l4 11.5, one other row less"
    );
    let three = ["udp", "tcp", "tcp-l4", "tcp-l8"];
    assert_eq!(
        sentence(&three, &["tcp-l8"], 20.0),
        "tcp loses 23.0 % to udp; tcp-l8 gives back all of these percentage points and carries 9.6 % more than udp, tcp-l4 11.5"
    );
    assert_eq!(
        sentence(&three, &["tcp", "tcp-l4", "tcp-l8"], 40.0),
        "tcp carries 7.7 % more than udp; tcp-l8 carries 16.0 % more than tcp, tcp-l4 10.7 %"
    );
    assert_eq!(
        sentence(&["udp", "tcp", "tcp-l1"], &[], 0.0),
        "tcp loses 23.0 % to udp, and no other row is clearly better"
    );
    // 0.4 Mbps more than tcp lie within the intervals, of 0.43 each.
    let little = sentence(&["udp", "tcp", "hack"], &["hack"], 0.4);
    assert_eq!(little, "tcp loses 23.0 % to udp, and no other row is clearly better");
    assert_eq!(sentence(&["udp", "tcp"], &[], 0.0), "tcp loses 23.0 % to udp");
}

#[test]
fn a_comparison_without_udp_names_the_extremes_or_none() {
    let title = |schemes: &[&str]| {
        let rows: Vec<_> = schemes.iter().map(|name| Row::find(name).expect("this is a row")).collect();
        let cases = Case::all(&wifi_80211n(), &[], &rows).expect("every row makes a cell");
        let comparison = Comparison::run(&pretend, cases, 5, 2, &|| ()).expect("there are rows");
        texts(&comparison.to_svg().expect("there are rows"))[..2].join(" ")
    };
    assert!(title(&["tcp", "tcp-l8"]).starts_with("tcp-l8 carries most, 123.1 Mbps, and tcp least, 100.6 Mbps"));
    assert!(
        title(&["tcp", "stock"]).starts_with("No row differs clearly from another: they carry 100.6 to 100.6 Mbps")
    );
    assert!(title(&["tcp"]).starts_with("tcp carries 100.6 Mbps"));
}

#[test]
fn a_sweep_of_one_key_or_two_has_a_picture_and_others_have_none() {
    let sweep = |axes: &[&str], schemes: &[&str]| {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let axes: Vec<_> =
            axes.iter().map(|axis| Axis::parse("--over", axis).unwrap_or_else(|error| panic!("{error}"))).collect();
        let rows: Vec<_> = schemes.iter().map(|name| Row::find(name).expect("this is a row")).collect();
        let cases = Case::all(&wifi_80211n(), &axes, &rows).expect("every combination makes a cell");
        let sweep = Sweep::run(&pretend, cases, 2, 2, folder.path(), &|| ()).expect("there are points");
        assert_eq!(sweep.files.contains(&"sweep.svg"), folder.path().join("sweep.svg").exists());
        std::fs::read_to_string(folder.path().join("sweep.svg")).ok()
    };
    let one = sweep(&["stations.count=1,2,10"], &["udp", "tcp"]).expect("one key has a picture");
    for text in ["stations.count", "udp", "tcp", "goodput, Mbps", "10"] {
        assert!(texts(&one).contains(&text), "{text}");
    }
    let panels = sweep(&["stations.count=1,2", "wifi.mcs=5,6,7"], &["udp", "tcp"]).expect("two keys have a picture");
    for text in ["stations.count=1", "stations.count=2", "wifi.mcs", "udp", "tcp"] {
        assert!(texts(&panels).contains(&text), "{text}");
    }
    let lines = sweep(&["wired.delay=1ms,5ms", "wifi.mcs=5,6,7"], &["tcp"]).expect("two keys have a picture");
    assert!(texts(&lines).contains(&"wired.delay=5ms"));
    let fixed = sweep(&["stations.count=2", "wifi.mcs=5,6,7"], &["tcp"]).expect("a key with one value is none");
    assert!(!texts(&fixed).contains(&"stations.count=2"));
    assert!(sweep(&["stations.count=1,2", "wifi.mcs=6,7", "transport.ack=1,2"], &["tcp"]).is_none());
    assert!(sweep(&["stations.count=1"], &["tcp"]).is_none());
    let many = sweep(&["stations.count=1..14", "wired.delay=1ms,2ms,3ms,4ms,5ms,6ms,7ms,8ms,9ms,10ms,11ms"], &["tcp"]);
    assert!(many.is_none(), "eleven lines cannot be told apart");
}

/// The texts of a picture, in the order in which they are drawn.
fn texts(svg: &str) -> Vec<&str> {
    svg.split("<text ").skip(1).filter_map(|element| element.lines().nth(1)).collect()
}

#[test]
fn the_loss_is_against_the_udp_row_of_the_same_point() {
    let comparison = Comparison::run(&pretend, cases(&wifi_80211n(), &["stations.count=1,2"]), 3, 0, &|| ());
    let comparison = comparison.expect("there are rows");
    let mean = |row: usize| {
        let runs = &comparison.rows[row].runs;
        runs.iter().map(|run| run.goodput_mbps).sum::<f64>() / runs.len() as f64
    };
    // Rows 5 to 9 are those with two stations, beginning with UDP.
    let loss = comparison.loss_against_udp(&comparison.rows[6]).expect("this point has a UDP row");
    assert!((loss - (mean(5) - mean(6)) / mean(5) * 100.0).abs() < 1e-9);
    assert_eq!(comparison.loss_against_udp(&comparison.rows[5]), None);
}

#[test]
fn one_thread_and_eight_give_the_same_bytes() {
    let outcome = |threads| {
        let comparison = Comparison::run(&pretend, cases(&wifi_80211n(), &["wifi.mcs=0..7"]), 4, threads, &|| ());
        let comparison = comparison.expect("there are rows");
        let json = without_wall_seconds(&comparison.to_json().expect("a comparison is JSON"));
        (json, comparison.to_csv().expect("a comparison is CSV"), comparison.to_text())
    };
    assert_eq!(outcome(1), outcome(8));
}

#[test]
fn progress_is_told_once_for_each_run() {
    let done = AtomicUsize::new(0);
    let count = || {
        done.fetch_add(1, Ordering::Relaxed);
    };
    Comparison::run(&pretend, cases(&wifi_80211n(), &[]), 3, 2, &count).expect("there are rows");
    assert_eq!(done.into_inner(), 15);
}

#[test]
fn a_record_holds_what_is_needed_to_repeat_it_in_a_fixed_order() {
    let case = &cases(&wifi_80211n(), &[])[2];
    let record = run_one(&pretend, Job { case, seed: 3 });
    let json = serde_json::to_value(&record).expect("a record is JSON");
    let keys: Vec<_> = json.as_object().expect("it is an object").keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "version",
            "scenario",
            "scheme",
            "seed",
            "goodput_mbps",
            "flows",
            "pings",
            "airtime_ns",
            "counters",
            "hack",
            "rival",
            "fairness",
            "sim_seconds",
            "wall_seconds",
            "events",
        ]
    );
    assert_eq!((&json["scheme"], &json["seed"]), (&"tcp".into(), &3.into()));
    assert_eq!(json["scenario"]["transport"]["ack"], 2);
    let airtime: u64 =
        json["airtime_ns"].as_object().expect("the ledger is an object").values().filter_map(|v| v.as_u64()).sum();
    assert_eq!(airtime, 5_000_000_000);
}

#[test]
fn a_sweep_is_resumed_and_ends_with_the_same_tables() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let sweep = |axes: &[&str], seeds, threads| {
        Sweep::run(&pretend, cases(&wifi_80211n(), axes), seeds, threads, folder.path(), &|| ())
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let table = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("the sweep wrote its tables");
    let first = sweep(&["stations.count=1,2"], 2, 8);
    assert_eq!((first.ran, first.resumed), (20, 0));
    let (means, runs) = (table("sweep.csv"), table("runs.csv"));
    assert!(means.starts_with("stations.count,scheme,seeds,goodput_mbps,goodput_mbps_ci95,"), "{means}");
    assert_eq!((means.lines().count(), runs.lines().count()), (11, 21));

    let again = sweep(&["stations.count=1,2"], 2, 1);
    assert_eq!((again.ran, again.resumed), (0, 20));
    assert_eq!((table("sweep.csv"), table("runs.csv")), (means.clone(), runs));

    // More seeds and points run only what is new.
    let more = sweep(&["stations.count=1,2,3"], 3, 2);
    assert_eq!((more.ran, more.resumed), (25, 20));

    // A file cut short, or of something else, is not believed.
    let file = std::fs::read_dir(folder.path().join("runs")).expect("there are runs").next().expect("there is one");
    let path = file.expect("an entry can be read").path();
    let text = std::fs::read_to_string(&path).expect("a run can be read");
    std::fs::write(&path, &text[..text.len() / 2]).expect("a run can be written");
    assert_eq!(sweep(&["stations.count=1,2,3"], 3, 2).ran, 1);
    std::fs::write(&path, text.replace("\"seed\": ", "\"seed\": 9")).expect("a run can be written");
    assert_eq!(sweep(&["stations.count=1,2,3"], 3, 2).ran, 1);
    sweep(&["stations.count=1,2"], 2, 2);
    assert_eq!(table("sweep.csv"), means);
}

/// A sweep of one point, one row and one seed into `folder`.
fn of_one_run(folder: &std::path::Path) -> Sweep {
    let cases = Case::all(&wifi_80211n(), &[], &[Row::find("tcp").expect("this is a row")]).expect("it makes a cell");
    Sweep::run(&pretend, cases, 1, 1, folder, &|| ()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_run_file_with_any_digit_changed_is_made_again_and_named() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let first = of_one_run(folder.path());
    assert_eq!((first.ran, first.damaged.len()), (1, 0));
    let runs = folder.path().join("runs");
    let file = std::fs::read_dir(&runs).expect("there are runs").next().expect("there is one");
    let path = file.expect("an entry can be read").path();
    let name = path.file_name().and_then(|name| name.to_str()).expect("the name is text");
    let tables = || ["sweep.csv", "runs.csv"].map(|name| std::fs::read(folder.path().join(name)).expect("a table"));
    let (whole, before) = (std::fs::read(&path).expect("a run can be read"), tables());
    let digits: Vec<_> = (0..whole.len()).filter(|&at| whole[at].is_ascii_digit()).collect();
    assert!(digits.len() > 100, "a run has figures");
    for at in digits.iter().step_by(7) {
        let mut damaged = whole.clone();
        damaged[*at] = if damaged[*at] == b'9' { b'1' } else { damaged[*at] + 1 };
        std::fs::write(&path, damaged).expect("a run can be written");
        let again = of_one_run(folder.path());
        assert_eq!((again.ran, again.resumed), (1, 0), "byte {at}");
        assert!(again.damaged.len() == 1 && again.damaged[0].starts_with(name), "{:?}", again.damaged);
        assert_eq!(tables(), before, "byte {at}");
    }
    let last = of_one_run(folder.path());
    assert_eq!((last.ran, last.resumed, last.damaged.len()), (0, 1, 0));
}

#[cfg(unix)]
#[test]
fn a_fifo_a_socket_or_a_link_to_a_device_in_the_place_of_a_run_is_replaced() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    of_one_run(folder.path());
    let runs = folder.path().join("runs");
    let file = std::fs::read_dir(&runs).expect("there are runs").next().expect("there is one");
    let path = file.expect("an entry can be read").path();
    let mkfifo = || assert!(std::process::Command::new("mkfifo").arg(&path).status().is_ok_and(|s| s.success()));
    let bind = || drop(std::os::unix::net::UnixListener::bind(&path).expect("a socket can be made"));
    let link = || std::os::unix::fs::symlink("/dev/zero", &path).expect("a link can be made");
    for (make, what) in [(&mkfifo as &dyn Fn(), "a FIFO"), (&bind, "a socket"), (&link, "a device")] {
        std::fs::remove_file(&path).expect("a run can be removed");
        make();
        let again = of_one_run(folder.path());
        assert!(again.ran == 1 && again.damaged.iter().all(|reason| reason.contains(what)), "{:?}", again.damaged);
        assert_eq!(of_one_run(folder.path()).resumed, 1);
    }
    // In the place of anything else of the sweep, too.
    let take = || {
        let cases = Case::all(&wifi_80211n(), &[], &[Row::STOCK]).expect("it makes a cell");
        Place::take(folder.path(), Kind::Sweep, &cases, 1, false).map(drop).map_err(|error| error.to_string())
    };
    for name in ["sweep.json", ".ackless.lock"] {
        let path = folder.path().join(name);
        if path.exists() {
            std::fs::remove_file(&path).expect("it can be removed");
        }
        assert!(std::process::Command::new("mkfifo").arg(&path).status().is_ok_and(|status| status.success()));
        let refused = take().expect_err("a FIFO lies there");
        assert!(refused.contains(name), "{refused}");
        std::fs::remove_file(path).expect("it can be removed");
    }
}

#[test]
fn a_wrong_value_is_refused_before_anything_runs() {
    let axes = [Axis::parse("--over", "wifi.mcs=7,99").expect("this is an axis")];
    let rows = [Row::find("tcp").expect("this is a row")];
    let error = Case::all(&wifi_80211n(), &axes, &rows).expect_err("there is no MCS 99").to_string();
    assert!(error.starts_with("--over wifi.mcs=99: wifi.mcs does not fit"), "{error}");
}

/// A comparison of two seeds in every row that makes sense.
fn of_all(overrides: &[&str], axes: &[&str]) -> Comparison {
    let mut scenario = wifi_80211n();
    for argument in overrides {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let axes: Vec<_> =
        axes.iter().map(|axis| Axis::parse("--vary", axis).unwrap_or_else(|error| panic!("{error}"))).collect();
    let (cases, left_out) = Case::all_that_make_sense(&scenario, &axes).unwrap_or_else(|error| panic!("{error}"));
    let comparison = Comparison::run(&pretend, cases, 2, 2, &|| ()).unwrap_or_else(|error| panic!("{error}"));
    Comparison { left_out, ..comparison }
}

#[test]
fn all_schemes_are_those_that_make_sense_and_the_others_have_their_reason() {
    let comparison = of_all(&["transport.ack=4"], &[]);
    let run: Vec<_> = comparison.rows.iter().map(|row| row.case.row.name).collect();
    let left: Vec<_> = comparison.left_out.iter().map(|row| (row.scheme, row.reason.as_str())).collect();
    assert_eq!(run.len() + left.len() + 1, Row::all().len(), "all but stock, which is tcp: {run:?} {left:?}");
    assert!(left.contains(&("tcp-l4", "the same cell as tcp")), "{left:?}");
    assert!(run.starts_with(&["udp", "tcp-l1", "tcp", "tcp-l2", "tcp-l8"]), "{run:?}");
    for row in ["agent", "agent-flag", "agent-zoom", "zoom", "cw2", "filter-noack", "arq", "cake", "samsung", "fastack"]
    {
        assert!(run.contains(&row), "{row}: {run:?}");
    }
    let text = comparison.to_text();
    let (_, reasons) = text.split_once("\nLeft out\n\n").expect("some rows make no sense");
    let filter = reasons.lines().find(|line| line.trim_start().starts_with("filter ")).expect("filter is one of them");
    assert!(filter.contains("filter.form is group, but every TCP ACK here goes from a client to its AP"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&comparison.to_json().expect("it is JSON")).expect("it is JSON");
    assert_eq!(json["left_out"].as_array().map(Vec::len), Some(left.len()));
}

#[test]
fn a_row_may_make_sense_at_some_points_only() {
    let comparison = of_all(&[], &["flows.direction=down,up"]);
    let at = |name: &str| -> Vec<String> {
        comparison.rows.iter().filter(|row| row.case.row.name == name).map(|row| row.case.point_label()).collect()
    };
    assert_eq!(at("agent"), ["flows.direction=down"]);
    assert_eq!(at("filter"), ["flows.direction=up"]);
    assert_eq!(at("tcp").len(), 2);
    let text = comparison.to_text();
    assert!(text.contains("(flows.direction=up)"), "{text}");
}

#[test]
fn a_mistake_of_the_scenario_is_not_left_out() {
    let mut scenario = wifi_80211n();
    scenario.set("wifi.mcs=99").unwrap_or_else(|error| panic!("{error}"));
    let error = Case::all_that_make_sense(&scenario, &[]).expect_err("there is no MCS 99").to_string();
    assert!(error.starts_with("--set wifi.mcs=99: wifi.mcs does not fit"), "{error}");
}

#[test]
fn what_legacy_stations_get_is_shown_where_there_are_any_and_every_table_fits_on_a_page() {
    let comparison = of_all(&["stations.legacy=true", "flows.direction=up"], &[]);
    let text = comparison.to_text();
    assert!(text.contains("    legacy\n") && text.contains("vs tcp %\n"), "{text}");
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(120), "{widest:?}\n{text}");
    let udp = &comparison.rows[0];
    let gain = udp.legacy_gain_over_tcp(&comparison.rows).expect("the only station is a legacy one");
    assert!((gain - udp.gain_over_tcp(&comparison.rows).expect("tcp is there")).abs() < 1e-9);
    let sums: Vec<_> = text.lines().filter(|line| line.trim_start().starts_with("sum")).collect();
    assert!(sums.len() > 1, "more rows than one table holds: {text}");
    let shares: usize = sums.iter().map(|line| line.matches("100.0").count()).sum();
    assert_eq!(shares, comparison.rows.len(), "{text}");
    assert!(!of_all(&[], &[]).to_text().contains("legacy"));
}

#[test]
fn legacy_stations_that_no_flow_goes_to_carry_nothing_and_not_minus_nothing() {
    let text =
        "[[stations]]\nname = \"new\"\n[[stations]]\nname = \"old\"\nlegacy = true\n[[flows]]\nstations = \"new\"\n";
    let scenario = Scenario::parse("cell.toml", text).unwrap_or_else(|error| panic!("{error}"));
    let cases = Case::all(&scenario, &[], &[Row::STOCK]).unwrap_or_else(|error| panic!("{error}"));
    let comparison = Comparison::run(&pretend, cases, 2, 1, &|| ()).unwrap_or_else(|error| panic!("{error}"));
    let carried = comparison.rows[0].legacy_goodput().expect("there is a legacy station").mean;
    assert_eq!((carried, carried.is_sign_positive()), (0.0, true));
}

#[test]
fn what_a_scheme_did_is_a_line_with_the_means_of_what_matters() {
    let text = of_all(&[], &[]).to_text();
    let (_, deeds) = text.split_once("What the schemes did in a run, on average\n\n").expect("the proxy did something");
    let (deeds, _) = deeds.split_once("\n\n").expect("something follows");
    assert_eq!(
        deeds,
        " arq            released 1500\n arq-more-data  released 1500\n arq-hash       released 1500\n arq-stateless  released 1500"
    );
}

#[test]
fn without_a_tcp_row_gains_are_over_the_scenario_as_it_is_written() {
    let rows = ["stock", "tcp-l8"].map(|name| Row::find(name).expect("this is a row"));
    let cases = Case::all(&wifi_80211n(), &[], &rows).expect("both make cells");
    let comparison = Comparison::run(&pretend, cases, 2, 1, &|| ()).expect("there are rows");
    assert_eq!(comparison.rows[0].gain_over_tcp(&comparison.rows), None);
    let gain = comparison.rows[1].gain_over_tcp(&comparison.rows).expect("stock is there");
    let means = [0, 1].map(|row: usize| comparison.rows[row].goodput().expect("it ran").mean);
    assert!((gain - (means[1] / means[0] - 1.0) * 100.0).abs() < 1e-9, "{gain}");
}

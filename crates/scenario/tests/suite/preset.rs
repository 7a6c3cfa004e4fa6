//! `transport.preset`: what it lays over a file, and what is laid over it.

use ackless_cell::config::{
    AckChoice, CellConfig, CongestionChoice, CubicRule, Gro, GrowthRule, NagleRule, PrrRule, RackRule, RecoveryChoice,
    RenoRule, RtoRule, SenderChoices, SlowStartChoice, TcpConfig, TransportConfig, UndoChoices,
};
use ackless_scenario::{Row, Scenario};
use ackless_wire::{Bytes, Duration};

const FILE: &str = r#"
[transport]
preset = "linux"
congestion = "reno"
ack = 1
recovery = "standard"
receive_buffer = "100kB"
pacing = true

[[stations]]
name = "old"
gro = "off"

[[stations]]
name = "new"
gro = 4

[[flows]]
name = "chooses"
stations = "old"
ack = 8
congestion = "newreno"

[[flows]]
name = "leaves"
stations = "new"
"#;

fn read(text: &str, overrides: &[&str]) -> Scenario {
    let mut scenario = Scenario::parse("cell.toml", text).unwrap_or_else(|error| panic!("{error}"));
    overrides.iter().for_each(|argument| scenario.set(argument).unwrap_or_else(|error| panic!("{error}")));
    scenario
}

fn cell(text: &str, overrides: &[&str], row: &str) -> CellConfig {
    let row = Row::find(row).unwrap_or_else(|error| panic!("{error}"));
    read(text, overrides).build(row).unwrap_or_else(|error| panic!("{error}"))
}

fn tcp(cell: &CellConfig, flow: usize) -> TcpConfig {
    match cell.flows[flow].transport {
        TransportConfig::Tcp(tcp) => tcp,
        TransportConfig::Udp { .. } => panic!("flow {flow} is UDP"),
    }
}

const LINUX: Option<AckChoice> = Some(AckChoice::Linux { sack_compression: true });

#[test]
fn it_replaces_what_the_file_says_of_transports_and_hosts() {
    let cell = cell(FILE, &[], "tcp");
    let leaves = tcp(&cell, 1);
    assert_eq!(
        (leaves.congestion, leaves.recovery, leaves.policy),
        (CongestionChoice::Cubic, RecoveryChoice::Rack, LINUX)
    );
    assert_eq!((leaves.receive_buffer, leaves.pacing), (Bytes::from_kib(6 * 1024), false));
    assert!(leaves.receive_tuning && leaves.send_tuning);
    let sender = SenderChoices {
        slow_start: SlowStartChoice::HyStart,
        undo: UndoChoices { eifel: true, frto: true, dsack: true },
        nagle: NagleRule::Minshall,
        rto: RtoRule::Linux,
        reno: RenoRule::Bytes,
        cubic: CubicRule::Linux,
        growth: GrowthRule::Linux,
        rack: RackRule::Linux,
        prr: PrrRule::Linux,
    };
    assert_eq!(leaves.sender, sender);
    assert!(cell.stations.iter().all(|station| station.gro == Gro::PerBatch));
    assert_eq!(cell.server.gro, Gro::PerBatch);
    assert!(cell.stations.iter().all(|station| station.tsq == Some(Duration::from_millis(8))));
    assert_eq!(cell.server.tsq, Some(Duration::from_millis(1)));
    assert!(cell.stations.iter().all(|station| station.tso == Some(Duration::from_millis(8))));
    assert_eq!(cell.server.tso, Some(Duration::from_millis(1)));
}

#[test]
fn a_flow_an_override_and_a_row_say_more_than_the_preset() {
    let chooses = tcp(&cell(FILE, &[], "tcp"), 0);
    assert_eq!((chooses.congestion, chooses.ack.every, chooses.policy), (CongestionChoice::NewReno, 8, None));
    let overridden = cell(
        FILE,
        &["transport.ack=4", "stations.old.gro=off", "stations.new.tsq=off", "transport.pacing=true"],
        "tcp",
    );
    assert_eq!(
        (tcp(&overridden, 1).ack.every, tcp(&overridden, 1).policy, tcp(&overridden, 1).pacing),
        (4, None, true)
    );
    assert_eq!((overridden.stations[0].gro, overridden.stations[1].gro), (Gro::Off, Gro::PerBatch));
    assert_eq!((overridden.stations[0].tsq, overridden.stations[1].tsq), (Some(Duration::from_millis(8)), None));
    assert_eq!(tcp(&cell(FILE, &[], "tcp-l8"), 1).policy, None);
    let hack = cell(FILE, &[], "hack");
    assert_eq!(tcp(&hack, 1).policy, LINUX, "a scheme rides on it");
}

#[test]
fn the_row_is_tcp_under_the_preset() {
    let plain = FILE.replace("preset = \"linux\"", "");
    let (row, key) = (cell(&plain, &[], "linux"), cell(&plain, &["transport.preset=linux"], "tcp"));
    assert_eq!(CellConfig { scheme: key.scheme.clone(), ..row }, key);
    assert_eq!(tcp(&cell(&plain, &[], "tcp"), 1).congestion, CongestionChoice::Reno, "and only there");
}

#[test]
fn the_effective_scenario_reads_back_as_the_same_cell() {
    for (overrides, row) in
        [(&["transport.ack=4"][..], "tcp"), (&["stations.new.gro=2"], "linux"), (&[], "tack"), (&[], "udp")]
    {
        let row = Row::find(row).unwrap_or_else(|error| panic!("{error}"));
        let text = read(FILE, overrides).effective(row).to_toml();
        let same = |scenario: &Scenario, row| scenario.build(row).unwrap_or_else(|error| panic!("{error}"));
        let (first, again) = (same(&read(FILE, overrides), row), same(&read(&text, &[]), Row::STOCK));
        assert_eq!(first, CellConfig { scheme: row.name.to_owned(), ..again }, "row {}", row.name);
    }
}

/// What was laid stands in the keys themselves, `preset` included: a file that named it would lay it over what the file has from overrides.
#[test]
fn the_effective_scenario_has_each_key_as_resolved_and_names_no_preset() {
    let of = |row: &str| Row::find(row).unwrap_or_else(|error| panic!("{error}"));
    let document = |scenario: &Scenario, row| {
        serde_json::to_value(scenario.effective(row)).unwrap_or_else(|error| panic!("{error}"))
    };
    let overridden = ["transport.ack=4", "stations.new.gro=2"];
    let (plain, linux) = (document(&read("", &[]), of("tcp")), document(&read(FILE, &overridden), of("linux")));
    for (key, resolved) in [
        ("preset", "plain"),
        ("congestion", "cubic"),
        ("recovery", "rack"),
        ("slow_start", "hystart"),
        ("nagle", "minshall"),
        ("rto", "linux"),
        ("cubic", "linux"),
        ("rack", "linux"),
        ("prr", "linux"),
        ("growth", "linux"),
    ] {
        assert_eq!(linux["transport"][key], resolved, "{key}");
        assert!(key == "preset" || plain["transport"][key] != resolved, "{key} is nothing of the preset's");
    }
    for key in ["eifel", "frto", "dsack", "receive_tuning", "send_tuning"] {
        assert_eq!((&linux["transport"][key], &plain["transport"][key]), (&true.into(), &false.into()), "{key}");
    }
    let host = |table: &serde_json::Value| ["gro", "tsq", "tso"].map(|key| table[key].clone());
    assert_eq!(host(&linux["server"]), ["per-batch", "1ms", "1ms"]);
    assert_eq!(host(&linux["stations"][0]), ["per-batch", "8ms", "8ms"]);
    assert_eq!(linux["stations"][1]["gro"], 2);
    assert_eq!(linux["transport"]["ack"], 4);
    let text = read(FILE, &overridden).effective(of("linux")).to_toml();
    let named = text.replace("preset = \"plain\"", "preset = \"linux\"");
    assert_ne!(named, text);
    assert_ne!(tcp(&cell(&named, &[], "stock"), 1).policy, tcp(&cell(&text, &[], "stock"), 1).policy);
}

#[test]
fn a_tack_flow_keeps_what_belongs_to_tack() {
    let cell = cell("", &["transport.tack=true", "transport.preset=linux"], "stock");
    let tcp = tcp(&cell, 0);
    assert!(matches!(tcp.congestion, CongestionChoice::ReceiverBbr(_)), "{tcp:?}");
    assert!(matches!(tcp.policy, Some(AckChoice::Tack { .. })), "{tcp:?}");
}

#[test]
fn a_flow_that_chooses_tack_itself_keeps_what_belongs_to_tack_and_reads_back_so() {
    let file = "[[flows]]\nname = \"plain\"\n[[flows]]\nname = \"sparse\"\ntack = true\n";
    let overrides = ["transport.preset=linux"];
    let built = cell(file, &overrides, "stock");
    assert_eq!(tcp(&built, 0).policy, LINUX);
    let sparse = tcp(&built, 1);
    assert!(matches!(sparse.congestion, CongestionChoice::ReceiverBbr(_)), "{sparse:?}");
    assert!(matches!(sparse.policy, Some(AckChoice::Tack { .. })), "{sparse:?}");
    let text = read(file, &overrides).effective(Row::STOCK).to_toml();
    assert_eq!(cell(&text, &[], "stock"), built);
    let named = cell(file, &["transport.preset=linux", "transport.ack=4"], "stock");
    assert_eq!(tcp(&named, 1).policy, None, "a key names another");
}

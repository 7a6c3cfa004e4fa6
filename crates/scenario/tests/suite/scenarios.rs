//! The built-in scenarios, the rows, and what overrides and the effective scenario do.

use ackless_cell::config::{
    Access, AckConfig, AnswerRate, ApQueue, CellConfig, CongestionChoice, Direction, Peer, Probability,
    TransportConfig, WireBuffer,
};
use ackless_phy::{OfdmRate, TxVector};
use ackless_scenario::builtin::Builtin;
use ackless_scenario::effective::reference;
use ackless_scenario::keys::SECTIONS;
use ackless_scenario::{Row, Scenario};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

fn builtin(name: &str) -> Scenario {
    Builtin::find(name).and_then(Builtin::scenario).unwrap_or_else(|error| panic!("{error}"))
}

fn cell(scenario: &Scenario, row: &str) -> CellConfig {
    Row::find(row).and_then(|row| scenario.build(row)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_built_in_scenario_builds_as_it_is_written_and_in_the_rows_that_it_names() {
    for builtin in Builtin::all() {
        let scenario = builtin.scenario().unwrap_or_else(|error| panic!("{error}"));
        assert!(!scenario.title().is_empty(), "{}", builtin.name);
        assert_eq!(cell(&scenario, "stock").scheme, "stock");
        for row in scenario.rows().unwrap_or_else(|error| panic!("{error}")) {
            assert_eq!(cell(&scenario, row.name).scheme, row.name);
        }
    }
}

#[test]
fn every_key_of_a_built_in_scenario_has_a_comment() {
    for builtin in Builtin::all() {
        for line in builtin.text.lines().filter(|line| line.contains('=') && !line.starts_with("title")) {
            assert!(line.contains(" # "), "{}: {line}", builtin.name);
        }
    }
}

#[test]
fn the_rates_of_the_built_in_scenarios_are_those_of_their_titles() {
    let rates = [
        ("wifi-80211n", 150_000_000),
        ("wifi-80211n-300", 300_000_000),
        ("wifi-80211ac", 866_666_666),
        ("wifi-80211a", 54_000_000),
        ("wifi-80211g", 54_000_000),
        ("wifi-80211b", 11_000_000),
    ];
    for (name, bps) in rates {
        assert_eq!(cell(&builtin(name), "tcp").stations[0].down.rate(), BitRate::from_bps(bps), "{name}");
    }
}

#[test]
fn wifi_80211n_is_the_cell_that_the_comparison_is_about() {
    let cell = cell(&builtin("wifi-80211n"), "tcp");
    let TxVector::Ofdm(answer) = (match cell.answer_rate {
        AnswerRate::Fixed(answer) => answer,
        AnswerRate::ByRule => panic!("the answers' rate is fixed"),
    }) else {
        panic!("answers are sent by OFDM");
    };
    assert_eq!(answer.rate, OfdmRate::Mbps24);
    assert_eq!(cell.ap.queue, ApQueue::Fifo { packets: 126 });
    assert_eq!(cell.ap.mac.access, Access::Edca { aifsn: 3, cw_min: 15, cw_max: 1023, txop_limit: Duration::ZERO });
    let aggregation = cell.ap.mac.aggregation.expect("802.11n aggregates");
    assert_eq!((aggregation.max_bytes, aggregation.max_mpdus, aggregation.window), (Bytes(65_535), 64, 64));
    assert_eq!((cell.wired.down.rate, cell.wired.up.delay), (BitRate::from_mbps(500), Duration::from_millis(1)));
    assert_eq!((cell.warm_up, cell.measured), (Duration::from_secs(2), Duration::from_secs(5)));
    assert_eq!(cell.beacons, None);
    let [flow] = cell.flows.as_slice() else { panic!("there is one client") };
    assert_eq!((flow.name.as_str(), flow.direction, flow.peer), ("download-1", Direction::Down, Peer::Server));
    let TransportConfig::Tcp(tcp) = flow.transport else { panic!("the row is TCP") };
    assert_eq!((tcp.congestion, tcp.packet, tcp.ack.every), (CongestionChoice::NewReno, Bytes(1_500), 2));
}

#[test]
fn flows_start_one_stagger_after_another() {
    let mut scenario = builtin("wifi-80211n");
    scenario.set("stations.count=3").expect("three clients are allowed");
    let starts: Vec<_> = cell(&scenario, "tcp").flows.iter().map(|flow| flow.start).collect();
    assert_eq!(starts, [0, 100, 200].map(Instant::from_millis));
}

#[test]
fn the_udp_row_turns_tcp_flows_into_udp_that_offers_the_same() {
    let scenario = builtin("wifi-mixed");
    let (tcp, udp) = (cell(&scenario, "tcp"), cell(&scenario, "udp"));
    for (before, after) in tcp.flows.iter().zip(&udp.flows) {
        assert_eq!((&before.name, before.direction, before.start), (&after.name, after.direction, after.start));
        match before.transport {
            TransportConfig::Udp { .. } => assert_eq!(before, after),
            TransportConfig::Tcp(_) => {
                let buffer = Bytes::from_kib(4 * 1024);
                assert_eq!(after.transport, TransportConfig::Udp { payload: Bytes(1_472), answers: None, buffer });
                assert_eq!(after.traffic, before.traffic);
            }
        }
    }
}

#[test]
fn a_row_sets_the_ack_policy_but_not_that_of_a_flow_with_its_own() {
    let text = "[[flows]]\nname = \"a\"\n[[flows]]\nname = \"b\"\nack = 3\n";
    let scenario = Scenario::parse("two", text).expect("two flows are a scenario");
    let acks = |row| -> Vec<AckConfig> {
        let flows = cell(&scenario, row).flows;
        let tcp = |transport| if let TransportConfig::Tcp(tcp) = transport { Some(tcp.ack) } else { None };
        flows.iter().filter_map(|flow| tcp(flow.transport)).collect()
    };
    let every = |row| acks(row).iter().map(|ack| ack.every).collect::<Vec<_>>();
    assert_eq!(every("tcp-l1"), [1, 3]);
    assert_eq!(every("tcp"), [2, 3]);
    assert_eq!(every("tcp-l8"), [8, 3]);
}

#[test]
fn the_last_override_wins_over_earlier_ones_and_over_the_file() {
    let mut scenario = Scenario::parse("cell", "[wired]\ndelay = \"7ms\"\n").expect("this is a scenario");
    assert_eq!(cell(&scenario, "tcp").wired.down.delay, Duration::from_millis(7));
    scenario.set("wired.delay=8ms").expect("a delay has a unit");
    scenario.set("wired.delay = \"9ms\"").expect("spaces and quotes do no harm");
    assert_eq!(cell(&scenario, "tcp").wired.down.delay, Duration::from_millis(9));
}

#[test]
fn an_override_reaches_every_group_or_the_one_that_it_names() {
    let mut scenario = builtin("wifi-mixed");
    scenario.set("stations.queue_packets=7").expect("a queue has packets");
    scenario.set("stations.phone.count=4").expect("phone is a group");
    let cell = cell(&scenario, "tcp");
    assert!(cell.stations.iter().all(|station| station.queue_packets == 7));
    let phones = cell.stations.iter().filter(|station| station.name.starts_with("phone-")).count();
    assert_eq!((phones, cell.stations.len()), (4, 8));
}

#[test]
fn an_override_of_pings_makes_a_group_where_there_is_none() {
    let mut scenario = builtin("wifi-80211n");
    scenario.set("pings.interval=10ms").expect("an interval has a unit");
    assert_eq!(cell(&scenario, "tcp").pings.len(), 1);
}

#[test]
fn a_legacy_station_has_neither_qos_nor_aggregates() {
    let cell = cell(&builtin("wifi-mixed"), "tcp");
    let printer = cell.stations.last().expect("the printer is the last station");
    assert_eq!(printer.mac.access, Access::Dcf { cw_min: 15, cw_max: 1023 });
    assert_eq!(printer.mac.aggregation, None);
    assert_eq!(printer.down.rate(), BitRate::from_mbps(54));
}

#[test]
fn a_station_of_another_kind_does_not_take_the_cells_mcs() {
    let text = "[wifi]\nstandard = \"11ac\"\nmcs = 9\nstreams = 2\n[[stations]]\nstandard = \"11n\"\n";
    let cell = cell(&Scenario::parse("cell", text).expect("this is a scenario"), "tcp");
    assert_eq!(cell.stations[0].down.rate(), BitRate::from_mbps(150));
    let aggregation = cell.stations[0].mac.aggregation.expect("802.11n aggregates");
    assert_eq!(aggregation.max_bytes, Bytes(65_535));
}

#[test]
fn the_effective_scenario_reads_back_as_the_same_cell() {
    for builtin in Builtin::all() {
        let scenario = builtin.scenario().unwrap_or_else(|error| panic!("{error}"));
        for row in Row::all() {
            let Ok(expected) = scenario.build(row) else { continue };
            let effective = scenario.effective(row);
            let text = effective.to_toml();
            let again = Scenario::parse("again", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(cell(&again, "stock"), expected.named("stock"), "{} {}", builtin.name, row.name);
            assert_eq!(again.effective(Row::STOCK).to_toml(), text);
        }
    }
}

#[test]
fn the_effective_scenario_has_every_key_with_a_comment_and_json_has_them_too() {
    let mut latency = builtin("wifi-latency");
    for argument in ["steps.at=3s", "pairs.power=-60dBm", "cells.distance=9m"] {
        latency.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let effective = latency.effective(Row::STOCK);
    let text = effective.to_toml();
    let json = serde_json::to_value(&effective).expect("a scenario is JSON");
    for section in SECTIONS {
        let object = if section.repeated { &json[section.name][0] } else { &json[section.name] };
        for key in section.keys {
            let shown = |line: &str| line.starts_with(&format!("{} = ", key.name)) && line.ends_with(&key.summary());
            assert!(text.lines().any(shown), "{}.{}", section.name, key.name);
            assert!(!object[key.name].is_null(), "{}.{}", section.name, key.name);
        }
    }
    assert_eq!(json["wired"]["delay"], "1ms");
    assert_eq!(json["wifi"]["mcs"], 7);
    assert_eq!(json["loss"]["down_data"], 0.0);
}

#[test]
fn every_key_has_a_meaning_and_a_default_that_is_allowed() {
    for section in SECTIONS {
        for key in section.keys {
            assert!(key.summary().ends_with('.'), "{}.{}: {}", section.name, key.name, key.summary());
            let text = format!("[[{}]]\n{} = {}\n", section.name, key.name, key.default);
            let text = if section.repeated { text } else { text.replace("[[", "[").replacen("]]", "]", 1) };
            if let Err(error) = Scenario::parse("default", &text) {
                panic!("{error}");
            }
        }
    }
}

#[test]
fn the_reference_page_is_that_of_the_schema() {
    let page = include_str!("../../../../docs/scenarios.md");
    assert_eq!(page, reference(), "write it anew: ackless scenarios keys > docs/scenarios.md");
}

#[test]
fn an_ad_hoc_cell_has_neither_server_nor_bridges() {
    let text = "[wifi]\ntopology = \"ad-hoc\"\n[[stations]]\ncount = 2\n[[stations]]\nname = \"far\"\n[[flows]]\nstations = \"sta\"\npeer = \"far\"\n";
    let mut scenario = Scenario::parse("adhoc", text).expect("this is a scenario");
    let peers: Vec<_> = cell(&scenario, "tcp").flows.iter().map(|flow| (flow.station, flow.peer)).collect();
    assert_eq!(peers, [(0, Peer::Station(2)), (1, Peer::Station(2))]);
    scenario.set("stations.four_address=true").expect("a station may be a bridge");
    let error = scenario.build(Row::STOCK).expect_err("there is nothing to bridge to").to_string();
    assert!(error.starts_with("--set stations.four_address=true: stations.four_address has no bearing"), "{error}");
}

#[test]
fn a_direction_of_the_wire_differs_where_a_key_names_it_and_changes_at_its_steps() {
    let text = "[wired]\nloss = 0.01\nup_loss = 0.1\ndown_rate = \"100Mbps\"\nup_delay = \"30ms\"\ndown_buffer = \"64KiB\"\n\
                up_buffer = 7\njitter = \"2ms\"\ndown_jitter = \"1ms\"\njitter_reorders = true\n\
                [[steps]]\nname = \"back\"\nat = \"4s\"\nrate = \"10Mbps\"\n\
                [[steps]]\nname = \"up\"\nat = \"3s\"\ndirection = \"up\"\ndelay = \"9ms\"\nloss = 0.5\n";
    let wired = cell(&Scenario::parse("wire", text).unwrap_or_else(|error| panic!("{error}")), "stock").wired;
    let (down, up) = (wired.down, wired.up);
    assert_eq!((down.loss.get(), up.loss.get()), (0.01, 0.1));
    assert_eq!((down.rate, up.rate), (BitRate::from_mbps(100), BitRate::from_mbps(500)));
    assert_eq!((down.delay, up.delay), (Duration::from_millis(1), Duration::from_millis(30)));
    assert_eq!((down.buffer, up.buffer), (WireBuffer::Bytes(Bytes::from_kib(64)), WireBuffer::Packets(7)));
    assert_eq!((down.jitter, up.jitter), (Duration::from_millis(1), Duration::from_millis(2)));
    assert!(down.jitter_reorders && up.jitter_reorders);
    let [first, second] = wired.steps.as_slice() else { panic!("there are two steps: {:?}", wired.steps) };
    assert_eq!((first.at, first.direction, first.rate), (Instant::from_secs(3), Some(Direction::Up), None));
    assert_eq!((first.delay, first.loss.map(Probability::get)), (Some(Duration::from_millis(9)), Some(0.5)));
    assert_eq!((second.at, second.direction), (Instant::from_secs(4), None));
    assert_eq!((second.rate, second.delay, second.loss), (Some(BitRate::from_mbps(10)), None, None));
}

#[test]
fn an_override_of_the_steps_makes_one_where_the_file_has_none() {
    let mut scenario = Scenario::parse("empty", "").expect("an empty file is a scenario");
    for argument in ["steps.at=3s", "steps.rate=10Mbps"] {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let steps = cell(&scenario, "stock").wired.steps;
    assert_eq!((steps.len(), steps[0].at), (1, Instant::from_secs(3)));
}

#[test]
fn the_short_form_of_every_scenario_in_every_row_is_the_same_scenario() {
    let laid = |text: &str, what: &str| {
        let scenario = Scenario::parse("again", text).unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
        scenario.effective(Row::STOCK).to_toml()
    };
    for builtin in Builtin::all() {
        let scenario = builtin.scenario().unwrap_or_else(|error| panic!("{error}"));
        for row in Row::all() {
            let effective = scenario.effective(row);
            let (short, whole) = (effective.to_short_toml(), effective.to_toml());
            let what = format!("{} as {}", builtin.name, row.name);
            assert_eq!(laid(&short, &what), whole, "{what}: {short}");
            assert_eq!(laid(&whole, &what), whole, "{what}");
            assert!(short.len() * 5 < whole.len(), "{what} has {} of {} bytes", short.len(), whole.len());
        }
    }
}

#[test]
fn the_short_form_keeps_groups_of_which_every_key_is_a_default() {
    let text =
        "[[stations]]\n[[stations]]\nname = \"b\"\n[[pings]]\n[[steps]]\n[[pairs]]\n[[cells]]\n[wifi]\nmcs = 7\n";
    let scenario = Scenario::parse("groups", text).unwrap_or_else(|error| panic!("{error}"));
    let effective = scenario.effective(Row::STOCK);
    let short = effective.to_short_toml();
    let again = Scenario::parse("again", &short).unwrap_or_else(|error| panic!("{error}\n{short}"));
    assert_eq!(again.effective(Row::STOCK).to_toml(), effective.to_toml(), "{short}");
    let silent = Scenario::parse("empty", "").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(silent.effective(Row::STOCK).to_short_toml().lines().filter(|line| line.contains('=')).count(), 0);
}

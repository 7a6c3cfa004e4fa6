//! The rows: what each lays over a scenario, where it makes sense, and what is said of it.

use ackless_cell::config::{
    Access, AckChoice, BackoffPolicy, CellConfig, CongestionChoice, RecoveryChoice, SchemeChoice, TackConfig,
    TcpConfig, TransportConfig,
};
use ackless_scenario::keys::SECTIONS;
use ackless_scenario::{Row, Scenario};
use ackless_schemes::agent::{AgentCounters, Solution};
use ackless_schemes::arq_proxy::{ArqProxyCounters, Identification};
use ackless_schemes::fast_ack::FastAckCounters;
use ackless_schemes::filter::{FilterCounters, Filtered, Form};
use ackless_schemes::hack::HackCounters;
use ackless_schemes::thinning::ThinningCounters;
use ackless_tcp::tack::{Blocks, Timing};
use ackless_tcp::{Config, GentleProbe, Losses, Variant};
use ackless_wire::Duration;

fn scenario(overrides: &[&str]) -> Scenario {
    let mut scenario = Scenario::parse("cell.toml", "").unwrap_or_else(|error| panic!("{error}"));
    for argument in overrides {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    scenario
}

fn build(overrides: &[&str], row: &str) -> Result<CellConfig, String> {
    let row = Row::find(row).unwrap_or_else(|error| panic!("{error}"));
    scenario(overrides).build(row).map_err(|error| error.to_string())
}

#[track_caller]
fn cell(overrides: &[&str], row: &str) -> CellConfig {
    build(overrides, row).unwrap_or_else(|error| panic!("{error}"))
}

/// Asserts that `row` is refused with a message that begins with `expected`, and with a remedy.
#[track_caller]
fn assert_refused(overrides: &[&str], row: &str, expected: &str) {
    let message = build(overrides, row).err().unwrap_or_else(|| panic!("{row} was accepted: {overrides:?}"));
    assert!(message.starts_with(expected), "expected: {expected}\ngot:      {message}");
    assert!(message.contains("\n  help: "), "{message}");
}

const AD_HOC: [&str; 4] = ["wifi.topology=ad-hoc", "stations.count=2", "flows.stations=sta", "flows.peer=far"];

/// Two groups, whose first sends to the second.
fn ad_hoc(row: &str) -> Result<CellConfig, String> {
    let text = "[[stations]]\n[[stations]]\nname = \"far\"\ncount = 2\n";
    let mut scenario = Scenario::parse("cell.toml", text).unwrap_or_else(|error| panic!("{error}"));
    for argument in AD_HOC.iter().filter(|argument| !argument.contains("count")) {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let row = Row::find(row).unwrap_or_else(|error| panic!("{error}"));
    scenario.build(row).map_err(|error| error.to_string())
}

#[test]
fn every_row_builds_or_is_refused_with_a_reason_in_every_standard_with_and_without_aggregation() {
    let mut refused = Vec::new();
    for standard in ["11b", "11a", "11g", "11n", "11ac"] {
        for ampdu in ["auto", "false"] {
            for direction in ["down", "up"] {
                let settings = ["wifi.standard", "wifi.ampdu", "flows.direction"];
                let values = [standard, ampdu, direction];
                let overrides: Vec<_> =
                    settings.iter().zip(values).map(|(key, value)| format!("{key}={value}")).collect();
                let overrides: Vec<_> = overrides.iter().map(String::as_str).collect();
                for row in Row::all() {
                    match build(&overrides, row.name) {
                        Ok(cell) => assert_eq!(cell.scheme, row.name),
                        Err(message) => {
                            assert!(message.contains(&format!("(row {})", row.name)), "{message}");
                            assert!(message.contains("\n  help: "), "{message}");
                            refused.push(format!("{standard} {ampdu} {direction} {}", row.name));
                        }
                    }
                }
            }
        }
    }
    let of_row = |row: &str, part: &str| {
        let ends = format!(" {row}");
        refused.iter().filter(|line| line.ends_with(&ends) && line.contains(part)).count()
    };
    // Group addresses do nothing for what clients send to their AP; the AP's schemes nothing for uploads.
    assert_eq!((of_row("filter", " down "), of_row("filter", " up ")), (10, 0), "{refused:?}");
    for row in ["agent", "agent-flag", "agent-zoom", "arq", "arq-more-data", "arq-hash", "arq-stateless", "fastack"] {
        assert_eq!((of_row(row, " down "), of_row(row, " up ")), (0, 10), "{row}: {refused:?}");
    }
    // 802.11b, a and g have no QoS unless it is asked for.
    assert_eq!((of_row("filter-noack", "11b"), of_row("filter-noack", "11n ")), (4, 0), "{refused:?}");
    for row in ["tcp", "udp", "hack", "zoom", "cw2", "filter-data", "cake", "broadcom-hold", "samsung"] {
        assert_eq!(of_row(row, ""), 0, "{row}: {refused:?}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_the_reason_and_the_remedy() {
    assert_refused(&[], "filter", "cell.toml: filter.form (row filter): filter.form is group, but every TCP ACK");
    assert_refused(
        &["wifi.standard=11a", "flows.direction=up"],
        "filter-noack",
        "cell.toml: filter.form (row filter-noack): filter.form is no-ack, an ack policy of QoS data",
    );
    let up = &["flows.direction=up"][..];
    assert_refused(up, "agent", "cell.toml: scheme.name (row agent): scheme.name is agent, which replaces TCP ACKs of");
    assert_refused(
        &["wifi.cw_min=1"],
        "zoom",
        "cell.toml: wifi.cw_floor (default): wifi.cw_floor is 1, but auto-zoom goes below",
    );
    assert_refused(&["ap.cw_max=0", "ap.cw_min=0"], "cw2", "cell.toml: ap.cw_min (row cw2): ap.cw_min makes");
    for row in ["agent", "agent-flag", "fastack"] {
        let message = ad_hoc(row).expect_err("an ad hoc cell has no AP");
        assert!(message.contains("which acts at an AP, and an ad hoc cell has none"), "{message}");
    }
    let message = ad_hoc("cw2").expect_err("an ad hoc cell has no AP");
    assert!(message.contains("ap.cw_min has no bearing, since an ad hoc cell has no AP"), "{message}");
    for row in ["arq", "filter", "filter-noack", "filter-action", "cake", "zoom", "hack"] {
        ad_hoc(row).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn the_group_form_is_for_uploads_bridges_ad_hoc_cells_and_data_from_the_ap() {
    cell(&["flows.direction=up"], "filter");
    cell(&["stations.four_address=true"], "filter");
    cell(&[], "filter-data");
    cell(&["filter.form=no-ack", "scheme.name=filter"], "tcp");
    assert_refused(
        &["scheme.name=filter", "filter.form=group"],
        "tcp",
        "--set filter.form=group: filter.form is group, but",
    );
}

#[test]
fn a_row_puts_its_scheme_at_the_ap_and_at_every_station_but_legacy_ones() {
    let text = "[[stations]]\n[[stations]]\nname = \"old\"\nlegacy = true\n[wifi]\nbackoff = \"auto-zoom\"\n";
    let scenario = Scenario::parse("cell.toml", text).unwrap_or_else(|error| panic!("{error}"));
    for row in ["agent", "arq", "cake", "filter-noack", "hack"] {
        let row = Row::find(row).unwrap_or_else(|error| panic!("{error}"));
        let cell = scenario.build(row).unwrap_or_else(|error| panic!("{error}"));
        assert_ne!(cell.ap.scheme, SchemeChoice::Stock, "{}", row.name);
        assert_eq!(cell.stations[0].scheme, cell.ap.scheme, "{}", row.name);
        assert_eq!(cell.stations[1].scheme, SchemeChoice::Stock, "{}", row.name);
        let policies = cell.stations.iter().map(|station| station.mac.backoff).collect::<Vec<_>>();
        assert_eq!(policies, [BackoffPolicy::AutoZoom { floor: 1 }, BackoffPolicy::Standard], "{}", row.name);
        assert_eq!(scenario.legacy_stations(), ["old-1"]);
    }
}

#[test]
fn a_scheme_without_a_partner_or_without_tcp_is_refused_and_what_the_ap_does_alone_is_not() {
    for row in ["hack", "agent", "agent-flag", "arq", "filter-action", "filter-noack", "filter-data", "cake", "samsung"]
    {
        let message = format!("cell.toml: scheme.name (row {row}): scheme.name is ");
        assert_refused(&["stations.legacy=true"], row, &message);
        assert_refused(&["flows.protocol=udp"], row, &message);
    }
    for row in ["stock", "udp", "tcp-l8", "zoom", "cw2", "fastack"] {
        cell(&["stations.legacy=true"], row);
    }
    for row in ["stock", "udp", "tcp", "zoom"] {
        cell(&["flows.protocol=udp", "scheme.name=hack"], row);
    }
    for row in ["filter-noack", "cake", "broadcom", "samsung"] {
        cell(&["stations.legacy=true", "flows.direction=up"], row);
    }
    cell(&["stations.legacy=true", "scheme.name=filter", "filter.form=no-ack", "filter.filtered=acks-and-data"], "tcp");
    let behind_a_relay = |row: &str, legacy: &str| {
        let text = "[[stations]]\nname = \"hop\"\n[[stations]]\nvia = \"hop\"\n[[flows]]\nstations = \"sta\"\n";
        let mut scenario = Scenario::parse("cell.toml", text).unwrap_or_else(|error| panic!("{error}"));
        scenario.set(&format!("stations.{legacy}.legacy=true")).unwrap_or_else(|error| panic!("{error}"));
        scenario.build(Row::find(row).unwrap_or_else(|error| panic!("{error}"))).is_ok()
    };
    for (row, expected) in [("agent", false), ("arq-hash", false), ("hack", true), ("filter-action", true)] {
        assert_eq!((behind_a_relay(row, "hop"), behind_a_relay(row, "sta")), (expected, expected), "{row}");
    }
}

#[test]
fn the_ap_alone_has_the_small_window_and_all_zoom() {
    let control = cell(&["wifi.standard=11b"], "cw2");
    assert_eq!(control.ap.mac.access, Access::Dcf { cw_min: 1, cw_max: 1023 });
    assert_eq!(control.stations[0].mac.access, Access::Dcf { cw_min: 31, cw_max: 1023 });
    assert_eq!(control.ap.mac.backoff, BackoffPolicy::Standard);
    let zoomed = cell(&["wifi.standard=11b", "wifi.cw_floor=3", "ap.backoff=standard"], "zoom");
    assert_eq!(zoomed.ap.mac.access, Access::Dcf { cw_min: 31, cw_max: 1023 });
    for mac in [zoomed.ap.mac, zoomed.stations[0].mac] {
        assert_eq!(mac.backoff, BackoffPolicy::AutoZoom { floor: 3 });
    }
    let of_ap = cell(&["ap.backoff=auto-zoom", "ap.cw_min=7", "ap.cw_max=63"], "tcp");
    assert_eq!(of_ap.ap.mac.backoff, BackoffPolicy::AutoZoom { floor: 1 });
    assert_eq!(of_ap.stations[0].mac.backoff, BackoffPolicy::Standard);
    assert!(matches!(of_ap.ap.mac.access, Access::Edca { cw_min: 7, cw_max: 63, .. }), "{:?}", of_ap.ap.mac.access);
}

#[test]
fn each_row_chooses_its_form_of_the_scheme_and_leaves_the_rest_to_the_scenario() {
    let solution = |row| match cell(&["agent.extra_sifs=30us", "agent.buffer_packets=9"], row).ap.scheme {
        SchemeChoice::Agent(agent) => agent.solution,
        other => panic!("{row} is {other:?}"),
    };
    assert!(matches!(solution("agent"), Solution::Buffer { packets: 9, .. }));
    assert!(matches!(solution("agent-zoom"), Solution::Buffer { packets: 9, .. }));
    assert!(matches!(solution("agent-flag"), Solution::Flag { extra_sifs } if extra_sifs.as_nanos() == 30_000));
    let filter = |row| match cell(&["flows.direction=up"], row).ap.scheme {
        SchemeChoice::Filter(filter) => (filter.form, filter.filtered),
        other => panic!("{row} is {other:?}"),
    };
    assert_eq!(filter("filter"), (Form::Group, Filtered::Acks));
    assert_eq!(filter("filter-noack"), (Form::NoAck, Filtered::Acks));
    assert_eq!(filter("filter-action"), (Form::ActionNoAck, Filtered::Acks));
    assert_eq!(filter("filter-data"), (Form::Group, Filtered::AcksAndData));
    let proxy = |row| match cell(&["arq_proxy.lifetime=3s"], row).ap.scheme {
        SchemeChoice::ArqProxy(proxy) => (proxy.identification, proxy.stateless, proxy.lifetime.as_nanos()),
        other => panic!("{row} is {other:?}"),
    };
    assert_eq!(proxy("arq"), (Identification::FrameSequence, false, 3_000_000_000));
    assert_eq!(proxy("arq-hash"), (Identification::Hash, false, 3_000_000_000));
    assert_eq!(proxy("arq-stateless"), (Identification::FrameSequence, true, 3_000_000_000));
}

#[test]
fn what_is_said_of_a_row_names_keys_and_counters_that_there_are() {
    let names = |section: &str| SECTIONS.iter().find(|known| known.name == section).map(|known| known.keys);
    let known: Vec<&str> = [
        AgentCounters::default().entries().map(|(name, _)| name).collect::<Vec<_>>(),
        FilterCounters::default().entries().map(|(name, _)| name).collect(),
        ArqProxyCounters::default().entries().map(|(name, _)| name).collect(),
        ThinningCounters::default().entries().map(|(name, _)| name).collect(),
        FastAckCounters::default().entries().map(|(name, _)| name).collect(),
        HackCounters::default().entries().map(|(name, _)| name).collect(),
    ]
    .concat();
    for row in Row::all() {
        for key in row.about.keys {
            let exists = match key.split_once('.') {
                Some((section, key)) => names(section).is_some_and(|keys| keys.iter().any(|known| known.name == key)),
                None => names(key).is_some(),
            };
            assert!(exists, "{}: {key}", row.name);
        }
        for counter in row.about.counters {
            assert!(known.contains(counter), "{}: {counter}", row.name);
        }
        assert!(!row.options().is_empty(), "{}", row.name);
        assert!(row.summary.len() + 22 <= 130, "{}: {}", row.name, row.summary);
    }
}

#[test]
fn the_options_of_a_row_have_its_values_and_say_which_it_sets() {
    let options = Row::find("agent-zoom").unwrap_or_else(|error| panic!("{error}")).options();
    let option = |name: &str| {
        let found = options.iter().find(|option| format!("{}.{}", option.section, option.key.name) == name);
        found.map(|option| (option.value.to_string(), option.by_row)).unwrap_or_else(|| panic!("{name}"))
    };
    assert_eq!(option("agent.solution"), ("\"buffer\"".to_owned(), true));
    assert_eq!(option("agent.buffer_packets"), ("128".to_owned(), false));
    assert_eq!(option("wifi.backoff"), ("\"auto-zoom\"".to_owned(), true));
    assert_eq!(option("wifi.cw_floor"), ("1".to_owned(), false));
}

#[test]
fn a_row_sets_what_no_override_can_change() {
    let sets = |row: &str, key: &str| Row::find(row).unwrap_or_else(|error| panic!("{error}")).sets(key);
    assert!(sets("filter-noack", "filter.form"));
    assert!(sets("linux", "transport.preset"), "the row is the preset");
    assert!(!sets("linux", "transport.ack"), "an override is laid over what a preset says");
    assert_eq!(tcp(&[], "linux").policy, Some(AckChoice::Linux { sack_compression: true }));
    let overridden = tcp(&["transport.ack=1"], "linux");
    assert_eq!((overridden.policy, overridden.ack.every), (None, 1));
    assert!(sets("tcp", "transport.protocol"));
    assert_eq!(tcp(&["transport.protocol=udp"], "tcp"), tcp(&[], "tcp"));
    assert!(!sets("tcp", "wifi.mcs") && !sets("tcp", "nonsense"));
}

#[test]
fn stations_behind_relays_take_them_in_turn_and_are_beyond_fastack() {
    let text = "[[stations]]\nname = \"relay\"\ncount = 2\n[[stations]]\nname = \"far\"\ncount = 3\nvia = \"relay\"\n\
                [[flows]]\nstations = \"far\"\n";
    let scenario = Scenario::parse("cell.toml", text).unwrap_or_else(|error| panic!("{error}"));
    let build = |row| {
        let row = Row::find(row).unwrap_or_else(|error| panic!("{error}"));
        scenario.build(row).map_err(|error| error.to_string())
    };
    let cell = build("tcp").unwrap_or_else(|error| panic!("{error}"));
    let ways: Vec<_> = cell.stations.iter().map(|station| station.via).collect();
    assert_eq!(ways, [None, None, Some(0), Some(1), Some(0)]);
    // Relays are agents and proxies too, each for its own stations.
    for row in ["agent", "arq", "filter", "hack", "cake"] {
        build(row).unwrap_or_else(|error| panic!("{error}"));
    }
    let message = build("fastack").expect_err("no client is the AP's own");
    assert!(message.contains("but all that download are behind relays"), "{message}");
    let circle = text.replace("via = \"relay\"", "via = \"far\"");
    let circle = Scenario::parse("cell.toml", &circle).unwrap_or_else(|error| panic!("{error}"));
    let message = circle.build(Row::STOCK).expect_err("a station cannot be its own relay").to_string();
    assert!(message.starts_with("cell.toml:7:7: stations.via names \"far\", which is no group above"), "{message}");
    assert!(message.contains("allowed are ap, relay"), "{message}");
}

#[test]
fn a_flag_that_no_host_can_set_in_time_is_refused_with_the_time_that_it_takes() {
    let late = ["wifi.standard=11b", "stations.host_latency=50us"];
    assert_refused(
        &late,
        "agent-flag",
        "cell.toml: agent.solution (row agent-flag): agent.solution is flag, but no host has a TCP ACK down before its MAC \
         answers: SIFS is 10us, and the way up and down takes 100us\n  help: set agent.extra_sifs, by which stations answer \
         later, to more than 90us",
    );
    cell(&[&late[..], &["agent.extra_sifs=91us"]].concat(), "agent-flag");
    cell(&[&late[..], &["wifi.answer_delay=91us"]].concat(), "agent-flag");
    cell(&late, "agent");
    assert_refused(
        &["stations.host_latency=80ms"],
        "agent",
        "cell.toml: agent.again (default): agent.again is 200ms, but TCP may hold an ACK for 40ms, and a host takes 80ms",
    );
}

/// The TCP of the first flow.
#[track_caller]
fn tcp(overrides: &[&str], row: &str) -> TcpConfig {
    match cell(overrides, row).flows[0].transport {
        TransportConfig::Tcp(tcp) => tcp,
        TransportConfig::Udp { .. } => panic!("{row} is over UDP: {overrides:?}"),
    }
}

#[test]
fn a_stack_row_sets_congestion_control_and_acknowledgements_whatever_the_scenario_says() {
    let written = ["transport.congestion=newreno", "transport.ack=8", "transport.tack=true"];
    let bbr = tcp(&written, "bbr");
    assert_eq!((bbr.congestion, bbr.ack.every, bbr.policy, bbr.tack), (CongestionChoice::Bbr, 2, None, None));
    assert_eq!((bbr.recovery, tcp(&written, "tcp").recovery), (RecoveryChoice::Rack, RecoveryChoice::Standard));
    assert_eq!(tcp(&["transport.congestion=bbr"], "tcp").recovery, RecoveryChoice::Rack, "what BBR comes with");
    assert_eq!((tcp(&written, "bbr-l16").ack.every, tcp(&written, "cubic").congestion), (16, CongestionChoice::Cubic));
    let tack = tcp(&["transport.ack_l=3", "transport.ack_beta=8", "tack.timing=sampled"], "tack");
    assert_eq!(tack.congestion, CongestionChoice::ReceiverBbr(Variant::Standard));
    assert_eq!(tack.policy, Some(AckChoice::Tack { beta: 8, every: 3 }));
    assert_eq!(tack.tack, Some(TackConfig { timing: Timing::Sampled, ..TackConfig::default() }));
    assert_eq!(tcp(&[], "tack-poor").tack.map(|tack| tack.blocks), Some(Blocks::Poor));
    assert_eq!(tcp(&[], "tack-cubic").congestion, CongestionChoice::Cubic);
    let wifi = tcp(&["transport.ack_beta=8"], "tack-wifi");
    assert_eq!(wifi.congestion, CongestionChoice::ReceiverBbr(Variant::Rounds { losses: Losses::Bound }));
    assert_eq!(wifi.policy, Some(AckChoice::Tack { beta: 2, every: 2 }));
    assert_eq!(wifi.tack, Some(TackConfig::recommended()));
    // What the crate recommends is what the row measures, and what it calls the paper's the row of that name.
    for (row, config) in
        [("tack-wifi", Config::default().with_recommended_tack()), ("tack", Config::default().with_tack())]
    {
        let tcp = tcp(&[], row);
        assert_eq!((tcp.tack, tcp.policy), (config.tack, Some(config.ack)), "{row}");
        assert_eq!((tcp.congestion, tcp.recovery), (config.congestion, config.recovery), "{row}");
    }
    let delayed = tcp(&written, "tack-delayed");
    assert_eq!((delayed.ack.every, delayed.policy, delayed.tack), (2, None, Some(TackConfig::default())));
}

#[test]
fn with_tack_what_is_left_to_itself_is_tacks_own_in_every_scheme_and_flow() {
    for row in ["tcp", "stock", "hack", "agent", "filter-noack", "arq", "cake", "fastack"] {
        let tack = tcp(&["transport.tack=true"], row);
        assert_eq!(tack.congestion, CongestionChoice::ReceiverBbr(Variant::Standard), "{row}");
        assert_eq!((tack.policy, tack.tack.is_some()), (Some(AckChoice::Tack { beta: 4, every: 2 }), true), "{row}");
    }
    let plain = tcp(&[], "tcp");
    assert_eq!((plain.congestion, plain.ack.every, plain.tack), (CongestionChoice::Cubic, 2, None));
    let rule = |ack: &str| tcp(&[ack, "transport.ack_l=4", "transport.ack_interval=5ms"], "tcp").policy;
    assert_eq!(rule("transport.ack=byte-counting"), Some(AckChoice::ByteCounting { every: 4 }));
    let share = AckChoice::Share { share: 4, timeout: Duration::from_millis(40) };
    assert_eq!((rule("transport.ack=share"), tcp(&[], "ack-share").policy), (Some(share), Some(share)));
    let request = AckChoice::Request { share: 4, timeout: Duration::from_millis(40) };
    assert_eq!((rule("transport.ack=request"), tcp(&[], "ack-request").policy), (Some(request), Some(request)));
    assert_eq!(rule("transport.ack=periodic"), Some(AckChoice::Periodic { interval: Duration::from_millis(5) }));
    let video = ["transport.tack=true", "tack.variant=miracast", "tack.probe_rtt=never"];
    let expected = Variant::Miracast { probe_rtt: GentleProbe::Never };
    assert_eq!(tcp(&video, "tcp").congestion, CongestionChoice::ReceiverBbr(expected));

    let text = "[[flows]]\nname = \"tack\"\ntack = true\n[[flows]]\nname = \"plain\"\ncongestion = \"bbr\"\nack = 4\n";
    let scenario = Scenario::parse("cell.toml", text).unwrap_or_else(|error| panic!("{error}"));
    let cell = scenario.build(Row::STOCK).unwrap_or_else(|error| panic!("{error}"));
    let [TransportConfig::Tcp(first), TransportConfig::Tcp(second)] =
        [cell.flows[0].transport, cell.flows[1].transport]
    else {
        panic!("both flows are over TCP")
    };
    assert_eq!((first.tack.is_some(), first.congestion), (true, CongestionChoice::ReceiverBbr(Variant::Standard)));
    assert_eq!((second.tack, second.congestion, second.ack.every), (None, CongestionChoice::Bbr, 4));
}

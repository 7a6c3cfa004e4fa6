//! What a person reads when a scenario is wrong: the whole message, with place, reason and remedy.

use ackless_scenario::builtin::Builtin;
use ackless_scenario::{Row, Scenario};

/// Asserts that reading or building `text` with `overrides` fails with `expected`.
#[track_caller]
fn assert_refused(text: &str, overrides: &[&str], expected: &str) {
    let message = match outcome(text, overrides) {
        Ok(()) => panic!("this was accepted:\n{text}\n{overrides:?}"),
        Err(message) => message,
    };
    assert_eq!(message, expected.trim_matches('\n'), "\n--- got:\n{message}\n---");
}

fn outcome(text: &str, overrides: &[&str]) -> Result<(), String> {
    let mut scenario = Scenario::parse("cell.toml", text).map_err(|error| error.to_string())?;
    for argument in overrides {
        scenario.set(argument).map_err(|error| error.to_string())?;
    }
    scenario.build(Row::STOCK).map(drop).map_err(|error| error.to_string())
}

#[test]
fn an_unknown_key_is_shown_with_its_line_and_the_likely_one() {
    assert_refused(
        "[wifi]\nstandard = \"11n\"\n  msc = 5\n",
        &[],
        r"
cell.toml:3:3: unknown key `msc` in [wifi]
      msc = 5
      ^
  help: did you mean `mcs`? near it: `amsdu_max`, `aifsn`; `ackless scenarios keys` lists all
",
    );
}

#[test]
fn a_key_in_the_wrong_section_is_sent_to_the_right_one() {
    assert_refused(
        "[wifi]\ncongestion = \"cubic\"\n",
        &[],
        r#"
cell.toml:2:1: unknown key `congestion` in [wifi]
    congestion = "cubic"
    ^
  help: `congestion` is a key of [transport]
"#,
    );
    assert_refused(
        "mcs = 5\n",
        &[],
        r"
cell.toml:1:1: unknown section `mcs`
    mcs = 5
    ^
  help: `mcs` is a key of [wifi]
",
    );
}

#[test]
fn an_unknown_section_names_the_sections() {
    assert_refused(
        "[wired]\ndelay = \"1ms\"\n[transprot]\nack = 1\n",
        &[],
        r"
cell.toml:3:2: unknown section `transprot`
    [transprot]
     ^
  help: did you mean `transport`? near it: `arq_proxy`, `run`; `ackless scenarios keys` lists all
",
    );
}

#[test]
fn a_quantity_without_or_with_a_wrong_unit_is_refused() {
    assert_refused(
        "[wired]\ndelay = 5\n",
        &[],
        r#"
cell.toml:2:9: 5 is not allowed for wired.delay: the unit is missing
    delay = 5
            ^
  help: expected a time with its unit, such as "5ms" (ns, us, ms, s)
"#,
    );
    assert_refused(
        "[wired]\nrate = \"5ms\"\n",
        &[],
        r#"
cell.toml:2:8: "5ms" is not allowed for wired.rate: `ms` is not a unit of it
    rate = "5ms"
           ^
  help: expected a rate with its unit, such as "150Mbps" (bps, kbps, Mbps, Gbps)
"#,
    );
}

#[test]
fn a_beacon_too_short_for_what_belongs_into_it_is_refused_with_its_range() {
    assert_refused(
        "[wifi]\nbeacons = true\nbeacon_size = \"40B\"\n",
        &[],
        r#"
cell.toml:3:15: wifi.beacon_size is 40B, which is out of range
    beacon_size = "40B"
                  ^
  help: allowed is from 58B to 2.304kB
"#,
    );
    for shortest in [
        &["wifi.beacons=true", "wifi.beacon_size=58B"][..],
        &["wifi.standard=11b", "wifi.beacons=true", "wifi.beacon_size=54B"],
    ] {
        assert_eq!(outcome("", shortest), Ok(()));
    }
}

#[test]
fn a_frame_is_sent_at_least_once() {
    assert_refused(
        "[wifi]\nretry_limit = 0\n",
        &[],
        r"
cell.toml:2:15: wifi.retry_limit is 0
    retry_limit = 0
                  ^
  help: an MPDU is sent at least once; allowed is from 1 up
",
    );
}

#[test]
fn a_wrong_word_suggests_the_right_one() {
    assert_refused(
        "[ap]\nscheduler = \"round-robbin\"\n",
        &[],
        r#"
cell.toml:2:13: "round-robbin" is not allowed for ap.scheduler
    scheduler = "round-robbin"
                ^
  help: did you mean `round-robin`? expected one of "round-robin", "fcfs", "airtime-fair"
"#,
    );
}

#[test]
fn an_override_is_named_as_it_was_given() {
    assert_refused(
        "",
        &["wifi.mcs=fast"],
        r#"
--set wifi.mcs=fast: "fast" is not allowed for wifi.mcs
  help: expected "auto" or a whole number, 0 or more
"#,
    );
    assert_refused("", &["wifi.mcs"], "--set wifi.mcs: there is no `=`\n  help: write section.key=value");
    assert_refused(
        "",
        &["mcs=5"],
        "--set mcs=5: an override names a section and a key\n  help: `mcs` is a key of [wifi]",
    );
    assert_refused(
        "",
        &["stations.laptop.count=5"],
        "--set stations.laptop.count=5: no such group in [[stations]]\n  help: the groups are sta",
    );
    assert_refused(
        "",
        &["wired.x.rate=5Mbps"],
        "--set wired.x.rate=5Mbps: no such group in [[wired]]\n  help: [wired] has no groups; write wired.KEY=value",
    );
}

#[test]
fn text_that_is_not_toml_is_refused_at_its_place() {
    let message = outcome("[wifi]\nmcs = = 5\n", &[]).expect_err("this is not TOML");
    assert!(message.starts_with("cell.toml:2:7: "), "{message}");
    let message = outcome("[wifi]\nmcs = 5\nmcs = 6\n", &[]).expect_err("a key stands once");
    assert!(message.starts_with("cell.toml:3:1: duplicate key"), "{message}");
}

#[test]
fn values_that_do_not_go_together_are_refused_at_the_one_that_was_given() {
    assert_refused(
        "[wifi]\nstandard = \"11ac\"\nmcs = 9\nwidth = \"20MHz\"\n",
        &[],
        r"
cell.toml:3:7: wifi.mcs does not fit: 802.11ac excludes MCS 9 with 1 spatial stream(s) at 20 MHz; use a lower MCS, or another width
    mcs = 9
          ^
",
    );
    assert_refused(
        "[wifi]\nstandard = \"11a\"\n",
        &["wifi.mcs=5"],
        "--set wifi.mcs=5: wifi.mcs has no bearing, since 11a has only a rate\n  help: leave the key out, or put its default back: --set wifi.mcs=auto",
    );
    assert_refused(
        "[wifi]\nstandard = \"11a\"\n",
        &["wifi.rate=11Mbps"],
        "--set wifi.rate=11Mbps: wifi.rate names 11Mbps, which is not a rate of OFDM\n  help: the rates are 6Mbps, 9Mbps, 12Mbps, 18Mbps, 24Mbps, 36Mbps, 48Mbps, 54Mbps",
    );
    assert_refused(
        "[[stations]]\ncount = 0\n",
        &[],
        r"
cell.toml:2:9: stations.count leaves the cell without a station
    count = 0
            ^
  help: it needs at least one
",
    );
    assert_refused(
        "",
        &["loss.down_data=0.1"],
        "--set loss.down_data=0.1: loss.down_data has no bearing, since loss.model is not per-frame\n  help: leave the key out, or put its default back: --set loss.down_data=0.0",
    );
    assert_refused(
        "",
        &["run.schemes=tcp,hax"],
        "--set run.schemes=tcp,hax: no scheme is called `hax`\n  help: the nearest are `hack`, `tack`, `arq-hash`; `ackless schemes` lists all",
    );
}

#[test]
fn each_of_these_is_refused_by_the_key_that_is_at_fault() {
    let cases: &[(&[&str], &str)] = &[
        (&["wifi.band=2.4GHz", "wifi.standard=11ac"], "--set wifi.band=2.4GHz: wifi.band is 2.4GHz"),
        (&["wifi.cw_min=14"], "--set wifi.cw_min=14: wifi.cw_min is 14"),
        (&["wifi.cw_min=1023", "wifi.cw_max=15"], "--set wifi.cw_min=1023: wifi.cw_min makes"),
        (&["wifi.cw_max=7"], "--set wifi.cw_max=7: wifi.cw_max makes"),
        (&["wifi.aifsn=1"], "--set wifi.aifsn=1: wifi.aifsn is 1"),
        (&["wifi.qos=false", "wifi.aifsn=2"], "--set wifi.aifsn=2: wifi.aifsn has no bearing"),
        (&["wifi.ampdu_max=100KiB"], "--set wifi.ampdu_max=100KiB: wifi.ampdu_max is"),
        (&["wifi.block_ack_window=65"], "--set wifi.block_ack_window=65: wifi.block_ack_window is 65"),
        (&["wifi.ampdu=false", "wifi.ampdu_mpdus=8"], "--set wifi.ampdu_mpdus=8: wifi.ampdu_mpdus has no"),
        (&["wifi.standard=11a", "wifi.ampdu=true"], "--set wifi.ampdu=true: wifi.ampdu is true"),
        (&["wifi.group_rate=7Mbps"], "--set wifi.group_rate=7Mbps: wifi.group_rate names 7Mbps"),
        (&["wifi.backoff=auto-zoom", "wifi.cw_floor=15"], "--set wifi.cw_floor=15: wifi.cw_floor is 15, but auto-zoom"),
        (
            &["ap.backoff=auto-zoom", "ap.cw_min=1"],
            "cell.toml: wifi.cw_floor (default): wifi.cw_floor is 1, but auto-zoom goes below the smallest contention \
             window, here 1",
        ),
        (&["ap.cw_min=2"], "--set ap.cw_min=2: ap.cw_min is 2"),
        (&["ap.cw_max=7"], "--set ap.cw_max=7: ap.cw_max makes"),
        (
            &["wifi.topology=ad-hoc", "stations.count=2", "flows.peer=sta", "ap.cw_min=1"],
            "--set ap.cw_min=1: ap.cw_min has no bearing, since an ad hoc cell has no AP",
        ),
        (&["agent.buffer_packets=0"], "--set agent.buffer_packets=0: agent.buffer_packets is 0"),
        (
            &["scheme.name=agent", "agent.again=40ms"],
            "--set agent.again=40ms: agent.again is 40ms, but TCP may hold an ACK for 40ms",
        ),
        (&["agent.refresh=0s"], "--set agent.refresh=0s: agent.refresh is 0ns, which is out of range"),
        (&["hack.mic=5"], "--set hack.mic=5: hack.mic is 5"),
        (&["agent.extra_sifs=11ms"], "--set agent.extra_sifs=11ms: agent.extra_sifs is 11ms"),
        (
            &["scheme.name=arq-proxy", "arq_proxy.lifetime=100ms"],
            "--set arq_proxy.lifetime=100ms: arq_proxy.lifetime is 100ms, less than",
        ),
        (&["thinning.hold_ratio=0"], "--set thinning.hold_ratio=0: thinning.hold_ratio is 0"),
        (&["thinning.hold_at_most=501ms"], "--set thinning.hold_at_most=501ms: thinning.hold_at_most is 501ms"),
        (&["thinning.steps_count=1,2"], "--set thinning.steps_count=1,2: thinning.steps_count has 2 values"),
        (&["thinning.steps_count=7"], "--set thinning.steps_count=7: thinning.steps_count has 1 value\n"),
        (&["thinning.steps_count=1,two,3"], "--set thinning.steps_count=1,two,3: \"1,two,3\" is not allowed"),
        (&["wifi.basic_rates=6,12"], "--set wifi.basic_rates=6,12: \"6,12\" is not allowed"),
        (
            &["scheme.name=agent", "stations.legacy=true"],
            "--set scheme.name=agent: scheme.name is agent, but the stations that would have to",
        ),
        (&["thinning.steps_count=[1,2]"], "--set thinning.steps_count=[1,2]: thinning.steps_count has 2 values"),
        (&["thinning.steps_count=[0,1,2]"], "--set thinning.steps_count=[0,1,2]: thinning.steps_count sends one of 0"),
        (
            &["thinning.steps_from=5Mbps,5Mbps,6Mbps"],
            "--set thinning.steps_from=5Mbps,5Mbps,6Mbps: thinning.steps_from does not rise",
        ),
        (
            &["thinning.steps_at_most=1ms,1ms,1s"],
            "--set thinning.steps_at_most=1ms,1ms,1s: thinning.steps_at_most holds ACKs for 1s",
        ),
        (&["stations.via=sta"], "--set stations.via=sta: stations.via names \"sta\", which is no group above"),
        (&["fast_ack.cache_packets=0"], "--set fast_ack.cache_packets=0: fast_ack.cache_packets is 0"),
        (&["fast_ack.repair_after=0s"], "--set fast_ack.repair_after=0s: fast_ack.repair_after is 0ns"),
        (&["wifi.retry_limit=0"], "--set wifi.retry_limit=0: wifi.retry_limit is 0"),
        (&["wifi.beacons=true", "wifi.beacon_size=57B"], "--set wifi.beacon_size=57B: wifi.beacon_size is 57B"),
        (
            &["wifi.standard=11b", "wifi.beacons=true", "wifi.beacon_size=53B"],
            "--set wifi.beacon_size=53B: wifi.beacon_size is 53B",
        ),
        (&["wifi.topology=ad-hoc", "flows.peer=server"], "--set flows.peer=server: flows.peer is the server"),
        (
            &["wifi.topology=ad-hoc", "stations.count=2", "flows.peer=sta", "wifi.beacons=true"],
            "--set wifi.beacons=true: wifi.beacons is true, but an ad hoc cell has no AP",
        ),
        (&["wifi.mcs=32"], "--set wifi.mcs=32: wifi.mcs does not fit"),
        (&["wifi.mcs=300"], "--set wifi.mcs=300: wifi.mcs does not fit"),
        (&["wifi.mcs=9", "wifi.streams=1"], "--set wifi.streams=1: wifi.streams is 1, but MCS 9"),
        (&["wifi.streams=5"], "--set wifi.streams=5: wifi.streams is 5"),
        (&["wifi.width=80MHz"], "--set wifi.width=80MHz: wifi.width does not fit"),
        (&["wifi.width=20MHz", "stations.width=40MHz"], "--set stations.width=40MHz: stations.width is"),
        (&["wifi.answer_rate=10Mbps"], "--set wifi.answer_rate=10Mbps: wifi.answer_rate names 10Mbps"),
        (&["wifi.basic_rates=6Mbps,7Mbps"], "--set wifi.basic_rates=6Mbps,7Mbps: wifi.basic_rates names 7Mbps"),
        (&["wifi.basic_rates=[]", "wifi.beacons=true"], "--set wifi.basic_rates=[]: wifi.basic_rates is empty"),
        (&["wifi.preamble=short"], "--set wifi.preamble=short: wifi.preamble has no bearing"),
        (&["wifi.beacon_size=80B"], "--set wifi.beacon_size=80B: wifi.beacon_size has no bearing"),
        (&["ap.queue=fq-codel", "ap.queue_packets=9"], "--set ap.queue_packets=9: ap.queue_packets has no bearing"),
        (&["ap.queue_packets=0"], "--set ap.queue_packets=0: ap.queue_packets is 0"),
        (&["stations.standard=11b"], "--set stations.standard=11b: stations.standard is"),
        (&["stations.count=2008"], "--set stations.count=2008: stations.count is 2008"),
        (&["stations.name=all"], "--set stations.name=all: stations.name is"),
        (&["stations.name=a.b"], "--set stations.name=a.b: stations.name is"),
        (&["wired.rate=0bps"], "--set wired.rate=0bps: wired.rate is zero"),
        (&["wired.reorder_delay=5ms"], "--set wired.reorder_delay=5ms: wired.reorder_delay has no bearing"),
        (&["wired.down_rate=0bps"], "--set wired.down_rate=0bps: wired.down_rate is zero"),
        (&["wired.up_buffer=0"], "--set wired.up_buffer=0: wired.up_buffer is 0, which is out of range"),
        (&["wired.down_buffer=0B"], "--set wired.down_buffer=0B: wired.down_buffer is 0B, which is out of range"),
        (&["wired.down_buffer=5ms"], "--set wired.down_buffer=5ms: \"5ms\" is not allowed for wired.down_buffer"),
        (&["wired.jitter_reorders=true"], "--set wired.jitter_reorders=true: wired.jitter_reorders has no bearing"),
        (&["steps.at=3s"], "cell.toml: steps.name (default): steps.name is a step that changes nothing"),
        (&["steps.at=7s", "steps.rate=9Mbps"], "--set steps.at=7s: steps.at is 7s, but the run ends at 7s"),
        (
            &["steps.at=3s", "steps.rate=9Mbps", "wired.down_rate_trace=[\"0s 1Mbps\"]"],
            "--set steps.rate=9Mbps: steps.rate has no bearing, since a trace",
        ),
        (
            &["wired.rate_trace=[\"0s 1Mbps\", \"1s 0bps\", \"1s 2Mbps\"]"],
            "--set wired.rate_trace=[\"0s 1Mbps\", \"1s 0bps\", \"1s 2Mbps\"]: wired.rate_trace goes from 1s to 1s",
        ),
        (
            &["wired.up_rate_trace=[\"0s 0bps\"]"],
            "--set wired.up_rate_trace=[\"0s 0bps\"]: wired.up_rate_trace has no rate above zero",
        ),
        (
            &["wired.rate_trace=[\"0s 1Mbps\", \"1s 1B\"]"],
            "--set wired.rate_trace=[\"0s 1Mbps\", \"1s 1B\"]: wired.rate_trace has rates and amounts of data",
        ),
        (
            &["wired.rate_trace=[\"0s 1B\"]"],
            "--set wired.rate_trace=[\"0s 1B\"]: wired.rate_trace is no trace that can be followed: its period is zero",
        ),
        (
            &["wired.rate_trace=[\"0s 1\"]"],
            "--set wired.rate_trace=[\"0s 1\"]: [\"0s 1\"] is not allowed for wired.rate_trace: the unit is missing",
        ),
        (
            &["wired.rate=9Mbps", "wired.rate_trace=[\"0s 1Mbps\"]"],
            "--set wired.rate=9Mbps: wired.rate has no bearing, since a trace",
        ),
        (
            &["wired.down_rate=9Mbps", "wired.rate_trace=[\"2ms 1kB\"]"],
            "--set wired.down_rate=9Mbps: wired.down_rate has no bearing, since a trace",
        ),
        (&["wired.rate_trace_end=hold"], "--set wired.rate_trace_end=hold: wired.rate_trace_end has no bearing"),
        (&["wired.rate_file=t.csv"], "--set wired.rate_file=t.csv: wired.rate_file is \"t.csv\", which was not read"),
        (
            &["wired.rate_file_columns=[1, 3]"],
            "--set wired.rate_file_columns=[1, 3]: wired.rate_file_columns has no bearing, since no file is named",
        ),
        (&["loss.snr_file_columns=[1, 3]"], "--set loss.snr_file_columns=[1, 3]: loss.snr_file_columns has no bearing"),
        (&["steps.direction=left"], "--set steps.direction=left: \"left\" is not allowed for steps.direction"),
        (&["transport.packet=1600B"], "--set transport.packet=1600B: transport.packet is"),
        (
            &["transport.recovery=rack", "transport.sack=false"],
            "--set transport.recovery=rack: transport.recovery is rack",
        ),
        (
            &["transport.protocol=udp", "transport.udp_ack_every=0"],
            "--set transport.udp_ack_every=0: udp_ack_every is 0",
        ),
        (&["flows.protocol=udp", "flows.udp_ack_every=0"], "--set flows.udp_ack_every=0: udp_ack_every is 0"),
        (&["flows.protocol=udp", "transport.udp_ack_payload=0B"], "--set transport.udp_ack_payload=0B: transport.udp"),
        (&["flows.traffic=video"], "cell.toml: flows.rate (default): flows.rate is saturating, but a video has a rate"),
        (&["flows.catch_up=1s"], "--set flows.catch_up=1s: flows.catch_up has no bearing, since the traffic is bulk"),
        (&["flows.key_every=9"], "--set flows.key_every=9: flows.key_every has no bearing"),
        (
            &["flows.traffic=video", "flows.rate=2Mbps", "flows.catch_up=99ms"],
            "--set flows.catch_up=99ms: flows.catch_up is 99ms, less than what the player waits for",
        ),
        (
            &["flows.traffic=video", "flows.rate=200bps"],
            "--set flows.rate=200bps: flows.rate is 200bps, which leaves frames without a byte",
        ),
        (
            &["flows.traffic=video", "flows.rate=2Mbps", "flows.frame_interval=999us"],
            "--set flows.frame_interval=999us: flows.frame_interval is 999us",
        ),
        (&["transport.ack=0"], "--set transport.ack=0: 0 is not allowed for transport.ack"),
        (&["flows.ack=seldom"], "--set flows.ack=seldom: \"seldom\" is not allowed for flows.ack"),
        (&["transport.ack_l=0"], "--set transport.ack_l=0: transport.ack_l is 0, which is out of range"),
        (&["transport.ack_beta=0"], "--set transport.ack_beta=0: transport.ack_beta is 0, which is out of range"),
        (&["transport.ack_interval=0s"], "--set transport.ack_interval=0s: transport.ack_interval is 0ns"),
        (&["transport.congestion=bbr2"], "--set transport.congestion=bbr2: \"bbr2\" is not allowed for transport"),
        (
            &["transport.tack=true", "transport.timestamps=false"],
            "--set transport.timestamps=false: transport.timestamps is false, but TACK is about times",
        ),
        (&["transport.ack_timeout=600ms"], "--set transport.ack_timeout=600ms: transport.ack_timeout is"),
        (&["flows.protocol=udp", "flows.udp_payload=1473B"], "--set flows.udp_payload=1473B: flows.udp_payload is"),
        (&["flows.stations=phones"], "--set flows.stations=phones: flows.stations names"),
        (&["flows.peer=sta"], "--set flows.peer=sta: flows.peer makes a station its own peer"),
        (&["flows.size=1MiB"], "--set flows.size=1MiB: flows.size has no bearing"),
        (
            &["flows.udp_payload=9B"],
            "--set flows.udp_payload=9B: flows.udp_payload has no bearing, since the flow is TCP",
        ),
        (&["flows.protocol=udp", "flows.ack=1"], "--set flows.ack=1: flows.ack has no bearing, since the flow is UDP"),
        (
            &["flows.protocol=udp", "flows.read_rate=1Mbps"],
            "--set flows.read_rate=1Mbps: flows.read_rate has no bearing, since the flow is UDP",
        ),
        (
            &["flows.traffic=video", "flows.rate=1Mbps", "transport.nagle=minshall"],
            "--set transport.nagle=minshall: transport.nagle has no bearing, since every flow has flows.no_delay",
        ),
        (&["flows.request_size=1B"], "--set flows.request_size=1B: flows.request_size has no bearing"),
        (&["flows.request_count=2"], "--set flows.request_count=2: flows.request_count has no bearing"),
        (&["flows.traffic=requests", "flows.request_count=0"], "--set flows.request_count=0: flows.request_count is 0"),
        (
            &["flows.traffic=requests", "flows.request_size=3B", "flows.request_writes=4"],
            "--set flows.request_writes=4: flows.request_writes is 4, which is out of range",
        ),
        (
            &["flows.traffic=requests", "flows.response_size=0B"],
            "--set flows.response_size=0B: flows.response_size is 0B, which is out of range",
        ),
        (
            &["flows.traffic=requests", "flows.protocol=udp"],
            "--set flows.traffic=requests: flows.traffic is requests, which need TCP",
        ),
        (&["flows.traffic=requests", "flows.rate=1Mbps"], "--set flows.rate=1Mbps: flows.rate has no bearing"),
        (&["flows.traffic=finite", "flows.size=0B"], "--set flows.size=0B: flows.size is zero"),
        (&["flows.rate=0bps"], "--set flows.rate=0bps: flows.rate is zero"),
        (&["flows.read_rate=0bps"], "--set flows.read_rate=0bps: flows.read_rate is zero"),
        (&["flows.read_rate=fast"], "--set flows.read_rate=fast:"),
        (&["stations.host_loss=1.5"], "--set stations.host_loss=1.5:"),
        (&["flows.start=7s"], "--set flows.start=7s: flows.start and the stagger"),
        (&["pings.interval=1us"], "--set pings.interval=1us: pings.interval is"),
        (&["run.measured=0s"], "--set run.measured=0s: run.measured is"),
        (&["run.schemes=hack,tcp,hack"], "--set run.schemes=hack,tcp,hack: run.schemes names hack twice"),
        (&["run.schemes=[]"], "--set run.schemes=[]: run.schemes names no scheme"),
    ];
    for (overrides, expected) in cases {
        let message = outcome("", overrides).expect_err(expected);
        assert!(message.starts_with(expected), "{overrides:?}\nexpected: {expected}\ngot:      {message}");
    }
}

#[test]
fn two_groups_may_not_share_a_name() {
    let message = outcome("[[stations]]\n[[stations]]\n", &[]).expect_err("both are called sta");
    assert!(message.contains("stations.name is \"sta\", as another group's"), "{message}");
    let steps = "[[steps]]\nrate = \"9Mbps\"\n[[steps]]\nrate = \"8Mbps\"\n";
    let message = outcome(steps, &[]).expect_err("both are called step");
    assert!(message.contains("steps.name is \"step\", as another group's"), "{message}");
}

#[test]
fn no_text_makes_the_parser_or_the_builder_panic() {
    use ackless_wire::random::{Purpose, Stream};

    let pieces = [
        "[",
        "]",
        "[[",
        "]]",
        "=",
        "\n",
        "\"",
        "'",
        ".",
        ",",
        "wifi",
        "stations",
        "flows",
        "pings",
        "run",
        "count",
        "mcs",
        "5",
        "-1",
        "1e400",
        "nan",
        "0x",
        "99999999999999999999",
        "\"5ms\"",
        "\u{e9}",
        "\u{0}",
        "#",
        "{",
        "}",
        "true",
        "1979-05-27",
        "rate",
        "\"9e99Gbps\"",
        " ",
    ];
    for seed in 0..3_000 {
        let mut stream = Stream::new(seed, 0, Purpose::Test);
        let text: String = (0..stream.below(30)).map(|_| pieces[stream.below(pieces.len() as u64) as usize]).collect();
        // The outcome does not matter, only that there is one; a panic shows the seed through this guard.
        let outcome = std::panic::catch_unwind(|| (outcome(&text, &[]).is_ok(), outcome("", &[&text]).is_ok()));
        assert!(outcome.is_ok(), "seed {seed}: {text:?}");
    }
}

#[test]
fn a_delivery_or_a_queue_that_is_out_of_range_or_where_it_cannot_be_is_refused() {
    let refused = |keys: &[&str], why: &str| {
        let message = outcome("", keys).expect_err(why);
        assert!(message.contains(why), "{keys:?}: {message}");
    };
    refused(&["wifi.delivery=coalesced"], "expected \"per-ppdu\", \"per-mpdu\" or \"coalesced(TIME)\"");
    refused(&["wifi.delivery=coalesced(0us)"], "allowed are times of up to 1s");
    refused(&["wifi.delivery=coalesced(1001ms)"], "allowed are times of up to 1s");
    refused(&["wifi.delivery=per-mpdu", "wifi.hearing=by-power", "loss.model=path-loss"], "set wifi.hearing=all");
    refused(
        &["wifi.reception_end=idle", "wifi.hearing=by-power", "loss.model=path-loss"],
        "set wifi.hearing=all, or wifi.reception_end=busy",
    );
    refused(&["ap.queue_shared=true", "ap.queue=fq-codel"], "ap.queue is fq-codel");
    refused(&["ap.device_queue=0"], "it is not from 1 to");
    refused(&["ap.device_queue=fifo"], "expected \"none\", \"aql\" or a number of packets from 1 up");
    refused(&["ap.device_queue=10000001"], "packets are allowed");
    refused(&["ap.device_queue=aql", "ap.aql_high=1ms"], "is 1ms, less than ap.aql_low");
    refused(&["ap.device_queue=aql", "ap.aql_low=0us"], "ap.aql_low");
    refused(&["ap.aql_threshold=1ms"], "ap.device_queue is not aql");
    refused(&["wifi.delivery=coalesced(200ms)", "scheme.name=agent"], "agent.again");
    outcome("", &["wifi.delivery=coalesced(500us)", "wifi.hearing=by-power", "loss.model=path-loss"])
        .expect("any card may wait");
}

#[test]
fn an_amsdu_max_and_what_comes_with_it_is_refused_where_it_cannot_be() {
    let refused = |keys: &[&str], why: &str| {
        let message = outcome("", keys).expect_err(why);
        assert!(message.contains(why), "{keys:?}: {message}");
    };
    refused(&["wifi.amsdu_max=7936B"], "allowed is \"off\", or from 256B to 7.935kB for 11n");
    refused(&["wifi.amsdu_max=255B"], "is 255B, which is out of range");
    refused(&["wifi.standard=11ac", "wifi.amsdu_max=11425B"], "or from 256B to 11.424kB for 11ac");
    refused(&["wifi.ampdu=false", "wifi.amsdu_max=3839B"], "A-MSDUs are made inside A-MPDUs");
    for (scheme, why) in [("agent", "takes or refuses an MPDU"), ("arq-proxy", "by the one MPDU that it came in")] {
        let name = format!("scheme.name={scheme}");
        refused(&[&name, "wifi.amsdu_max=3839B"], why);
        outcome("", &[&name]).expect("one packet an MPDU");
    }
    refused(&["scheme.name=hack", "hack.msn_bits=9"], "allowed is 8 or 16");
    refused(&["scheme.name=hack", "hack.msn_bits=16", "hack.codec=rfc6846"], "set hack.msn_bits=8");
    outcome("", &["wifi.amsdu_max=7935B", "scheme.name=hack"]).expect("the longest of 11n");
    outcome("", &["wifi.standard=11ac", "wifi.amsdu_max=11424B"]).expect("the longest of 11ac");
}

#[test]
fn a_standard_that_is_not_modelled_is_said_to_be_none_and_no_other_is_suggested() {
    for (given, name) in [
        ("11ax", "802.11ax (Wi-Fi 6)"),
        ("802.11be", "802.11be (Wi-Fi 7)"),
        ("wifi6", "802.11ax (Wi-Fi 6)"),
        ("ax", "802.11ax (Wi-Fi 6)"),
    ] {
        let expected = format!(
            "--set wifi.standard={given}: \"{given}\" is not allowed for wifi.standard: {name} is not modelled\n  \
             help: expected one of \"11b\", \"11a\", \"11g\", \"11n\", \"11ac\""
        );
        assert_refused("", &[&format!("wifi.standard={given}")], &expected);
    }
    let message = |name| Builtin::find(name).expect_err("there is none").to_string();
    for name in ["wifi-80211ax", "11ax", "802.11ax", "hack-80211ax"] {
        let message = message(name);
        assert!(message.starts_with(&format!("`{name}`: 802.11ax (Wi-Fi 6) is not modelled\n  help: ")), "{message}");
        assert!(message.contains("802.11ac") && !message.contains("did you mean"), "{message}");
    }
    for (given, word) in [("n", "11n"), ("802.11AC", "11ac"), ("wifi5", "11ac")] {
        let message = outcome("", &[&format!("wifi.standard={given}")]).expect_err("it is no word for it");
        assert!(message.contains(&format!("help: did you mean `{word}`? expected one of")), "{message}");
    }
    let quiet = outcome("", &["wifi.standard=11nn"]).expect_err("there is none");
    assert!(quiet.contains("did you mean `11n`?") && !quiet.contains("modelled"), "{quiet}");
    let width = outcome("", &["wifi.width=320MHz"]).expect_err("there is none");
    assert!(!width.contains("did you mean"), "{width}");
}

/// Texts with what a terminal obeys or nobody sees.
const HOSTILE: &[&str] =
    &["\u{1b}[31m", "\u{1b}]0;t\u{7}", "a\rb", "\u{9b}2J", "\u{7f}", "\u{202e}x", "\u{200b}", "\u{0}", "\t"];

#[test]
fn no_message_holds_a_hidden_character_whatever_it_quotes() {
    let mut messages = Vec::new();
    for hostile in HOSTILE {
        let mut refuse = |outcome: Result<(), String>| messages.extend(outcome.err());
        refuse(Scenario::parse(hostile, "=").map(drop).map_err(|error| error.to_string()));
        refuse(Builtin::find(hostile).map(drop).map_err(|error| error.to_string()));
        refuse(Row::find(hostile).map(drop).map_err(|error| error.to_string()));
        let escaped: String = hostile.chars().map(|c| format!("\\u{:04X}", c as u32)).collect();
        for text in [hostile, escaped.as_str()] {
            for file in [
                format!("{text} = 1"),
                format!("\"{text}\" = 1"),
                format!("[\"{text}\"]"),
                format!("[wifi]\n\"{text}\" = 1"),
                format!("[wifi]\nmcs = \"{text}\""),
                format!("[wifi]\nmcs = {text}"),
                format!("[wifi]\nstandard = \"11ax{text}\""),
                format!("[wifi] # {text}\nmcs = = 5 # {text}"),
                format!("[run]\ntitle = \"{text}\""),
                format!("[run]\nschemes = [\"{text}\"]"),
                format!("[[stations]]\nname = \"{text}\""),
                format!("[[stations]]\nvia = \"{text}\""),
                format!("[[flows]]\nstations = \"{text}\""),
                format!("[loss]\nsnr_file = \"{text}\""),
            ] {
                let refused = outcome(&file, &[]).expect_err(&file);
                messages.push(refused);
            }
            for argument in [
                text.to_owned(),
                format!("{text}=1"),
                format!("wifi.{text}=1"),
                format!("{text}.mcs=1"),
                format!("stations.{text}.count=1"),
                format!("wifi.mcs={text}"),
                format!("wifi.basic_rates=6Mbps,{text}y"),
                format!("run.title={text}"),
            ] {
                if let Err(message) = outcome("", &[&argument]) {
                    messages.push(message);
                }
            }
        }
    }
    assert!(messages.len() > 300, "{}", messages.len());
    for message in messages {
        let shown = message
            .chars()
            .all(|c| c == '\n' || !(c.is_control() || HOSTILE.concat().contains(c) && !c.is_ascii_graphic()));
        assert!(shown, "{message:?}");
        assert!(message.lines().count() <= 4, "{message:?}");
    }
}

#[test]
fn an_override_of_every_flow_stands_where_one_group_heeds_it_and_not_where_none_does() {
    let text = "[[flows]]\nname = \"a\"\n[[flows]]\nname = \"b\"\nprotocol = \"udp\"\n";
    let mut mixed = Scenario::parse("mixed", text).expect("this is a scenario");
    mixed.set("flows.ack=4").expect("the value is allowed");
    mixed.build(Row::STOCK).expect("it bears on flow a");
    let mut named = Scenario::parse("mixed", text).expect("this is a scenario");
    named.set("flows.b.ack=4").expect("the value is allowed");
    let error = named.build(Row::STOCK).expect_err("flow b is UDP").to_string();
    assert!(error.contains("the flow is UDP"), "{error}");
}

//! What flows do that are more than plain TCP and UDP, in whole cells: answered datagrams, videos, TACK, and a wire that differs by direction
//! and in time.

use ackless_cell::result::{EndsResult, FlowResult, RunResult, UdpResult, VideoResult};
use ackless_scenario::{Row, Scenario};

/// The run of an otherwise empty scenario with these overrides, in this row.
#[track_caller]
fn run_in(row: &str, overrides: &[&str]) -> RunResult {
    let mut scenario = Scenario::parse("cell.toml", "").unwrap_or_else(|error| panic!("{error}"));
    for argument in ["run.warm_up=1s", "run.measured=2s"].iter().chain(overrides) {
        scenario.set(argument).unwrap_or_else(|error| panic!("{error}"));
    }
    let row = Row::find(row).unwrap_or_else(|error| panic!("{error}"));
    let cell = scenario.build(row).unwrap_or_else(|error| panic!("{error}"));
    ackless_cell::run(&cell, 1)
}

#[track_caller]
fn run(overrides: &[&str]) -> RunResult {
    run_in("stock", overrides)
}

fn flow(result: &RunResult) -> &FlowResult {
    &result.flows[0]
}

#[track_caller]
fn udp(result: &RunResult) -> UdpResult {
    flow(result).udp.expect("its datagrams are counted")
}

#[track_caller]
fn video(result: &RunResult) -> VideoResult {
    flow(result).video.expect("it is a video")
}

#[track_caller]
fn ends(result: &RunResult) -> EndsResult {
    flow(result).ends.expect("its ends are counted")
}

#[test]
fn every_few_datagrams_are_answered_and_answers_are_no_goodput() {
    for direction in ["flows.direction=down", "flows.direction=up"] {
        let paced = ["flows.protocol=udp", "flows.rate=20Mbps", direction];
        let plain = run(&paced);
        assert_eq!(flow(&plain).udp, None);
        let answered = run(&[&paced[..], &["transport.udp_ack_every=3"]].concat());
        let counts = udp(&answered);
        assert!((counts.goodput_share() - 1.0).abs() < 0.01, "{direction}: {counts:?}");
        assert!(counts.answers_sent.abs_diff(counts.received / 3) <= 1, "{direction}: {counts:?}");
        assert!(counts.answers_received.abs_diff(counts.answers_sent) <= 2, "{direction}: {counts:?}");
        // 20 Mbps of 1,472 bytes are 1,698 datagrams a second, and a third of those are frames of 64 bytes.
        assert!((counts.answers_mbps - 0.29).abs() < 0.01, "{direction}: {counts:?}");
        assert!((answered.goodput_mbps - plain.goodput_mbps).abs() < 0.1, "{direction}");
    }
}

/// What of the datagrams has come.
trait Share {
    fn goodput_share(&self) -> f64;
}

impl Share for UdpResult {
    fn goodput_share(&self) -> f64 {
        self.received as f64 / self.sent as f64
    }
}

#[test]
fn answers_take_air_from_the_data_the_more_the_more_there_are() {
    let goodput = |every: &str| run(&["flows.protocol=udp", "wifi.ampdu=false", every]).goodput_mbps;
    let [each, second, eighth, never] = ["1", "2", "8", "never"].map(|l| goodput(&format!("flows.udp_ack_every={l}")));
    assert!(each < second && second < eighth && eighth < never, "{each} {second} {eighth} {never}");
}

#[test]
fn the_upper_bound_is_not_answered() {
    let overrides = ["transport.udp_ack_every=1", "flows.rate=20Mbps", "flows.traffic=video", "flows.key_weight=3"];
    let bound = run_in("udp", &overrides);
    assert_eq!(flow(&bound).udp.map(|udp| udp.answers_sent), Some(0));
    assert!((bound.goodput_mbps - 20.0).abs() < 0.2, "{}", bound.goodput_mbps);
}

const VIDEO: [&str; 5] = [
    "flows.traffic=video",
    "flows.rate=20Mbps",
    "flows.frame_interval=20ms",
    "flows.key_every=25",
    "flows.key_weight=3",
];

#[test]
fn a_video_that_has_room_is_shown_whole_over_every_transport() {
    for (row, protocol) in [("stock", "udp"), ("stock", "tcp"), ("bbr", "tcp"), ("tack", "tcp"), ("tack-cubic", "tcp")]
    {
        let result = run_in(row, &[&VIDEO[..], &[&format!("transport.protocol={protocol}")]].concat());
        let seen = video(&result);
        assert!(seen.frames.abs_diff(100) <= 1, "{row} over {protocol}: {seen:?}");
        assert_eq!((seen.damaged_frames, seen.stalls, seen.skipped_frames), (0, 0, 0), "{row} over {protocol}");
        assert_eq!((seen.rebuffering_percent, seen.play_s), (Some(0.0), 2.0), "{row} over {protocol}");
        assert!(
            seen.startup_s.is_some_and(|startup| (0.08..0.2).contains(&startup)),
            "{row} over {protocol}: {seen:?}"
        );
        assert!((result.goodput_mbps - 20.0).abs() < 0.8, "{row} over {protocol}: {}", result.goodput_mbps);
    }
}

#[test]
fn a_video_that_is_faster_than_its_path_stands_still_over_tcp_and_is_damaged_over_udp() {
    let slow = |protocol: &str| {
        let path = ["wired.rate=10Mbps", "wired.buffer_packets=50", &format!("transport.protocol={protocol}")];
        run(&[&VIDEO[..], &path].concat())
    };
    let tcp = slow("tcp");
    let (seen, carried) = (video(&tcp), tcp.goodput_mbps / 20.0 * 100.0);
    let stalled = seen.rebuffering_percent.expect("something was shown");
    assert!((stalled - (100.0 - carried)).abs() < 8.0, "{stalled} % stalled where {carried} % came: {seen:?}");
    assert_eq!(seen.damaged_frames, 0);
    let udp = video(&slow("udp"));
    assert!(udp.damaged_frames > udp.frames / 2, "{udp:?}");
    let per_30min = udp.damaged_per_30min.expect("something was shown");
    assert!((per_30min - udp.damaged_frames as f64 * 900.0).abs() < 1e-6, "{udp:?}");
}

#[test]
fn loss_and_delay_are_those_of_their_direction() {
    let goodput =
        |overrides: &[&str]| run(&[&["flows.protocol=udp", "flows.rate=20Mbps"], overrides].concat()).goodput_mbps;
    let whole = goodput(&[]);
    assert!((goodput(&["wired.up_loss=1"]) - whole).abs() < 0.1, "no datagram goes up");
    assert!((goodput(&["wired.down_loss=0.5"]) - whole / 2.0).abs() < 1.0);
    assert!((goodput(&["wired.loss=0.5", "wired.down_loss=0"]) - whole).abs() < 0.1);
    let ping =
        |overrides: &[&str]| run(&[&["pings.interval=20ms", "flows.rate=1Mbps"], overrides].concat()).pings[0].clone();
    let least = |overrides: &[&str]| ping(overrides).rtt_ms.expect("pings came back").min;
    let (near, far) = (least(&[]), least(&["wired.up_delay=31ms"]));
    assert!((far - near - 30.0).abs() < 0.5, "{near} and {far}");
    assert!((least(&["wired.down_jitter=20ms"]) - near) < 5.0 && least(&["wired.delay=10ms"]) > near + 17.0);
}

#[test]
fn a_step_changes_what_the_wire_carries() {
    let wire = ["flows.protocol=udp", "wired.rate=10Mbps", "steps.at=2s", "steps.rate=40Mbps"];
    let goodput = |window: [&str; 2]| run(&[&wire[..], &window].concat()).goodput_mbps;
    let share = 1_472.0 / 1_500.0;
    // A step comes before the end of the run, and here changes its last millisecond.
    assert!((goodput(["run.warm_up=1s", "run.measured=1001ms"]) - 10.0 * share).abs() < 0.2);
    assert!((goodput(["run.warm_up=3s", "run.measured=1s"]) - 40.0 * share).abs() < 0.2);
}

#[test]
fn plain_flows_have_no_counts_of_their_ends_and_others_have() {
    for row in ["stock", "udp", "tcp-l8"] {
        assert_eq!(flow(&run_in(row, &["run.measured=100ms"])).ends, None, "{row}");
    }
    for row in ["cubic", "bbr", "tack-delayed"] {
        let ends = ends(&run_in(row, &[]));
        assert!(
            ends.acks > 0 && ends.acks_per_data_percent.is_some_and(|percent| (40.0..80.0).contains(&percent)),
            "{row}: {ends:?}"
        );
    }
    assert!(
        ends(&run(&["transport.ack=byte-counting", "transport.ack_l=8"]))
            .acks_per_data_percent
            .is_some_and(|percent| percent < 20.0)
    );
}

#[test]
fn under_tack_as_many_acks_come_as_equation_4_says_and_rtt_min_is_the_paths() {
    for (delay, far) in [("wired.delay=5ms", 10.0), ("wired.delay=40ms", 80.0)] {
        let result = run_in("tack", &["wifi.standard=11g", "run.warm_up=3s", delay]);
        let ends = ends(&result);
        let (rtt_min, bandwidth) = (ends.rtt_min_ms.expect("TACK measures it"), ends.bandwidth_mbps.expect("and this"));
        assert!((far..far + 1.0).contains(&rtt_min), "{ends:?}");
        assert!(ends.rtt_min_sampled_ms.is_some_and(|sampled| sampled >= rtt_min - 0.001), "{ends:?}");
        // MSS as in the paper: a full-sized segment, here with its timestamps and number.
        let by_rate = bandwidth * 1e6 / (2.0 * 1_440.0 * 8.0);
        let f = by_rate.min(4_000.0 / rtt_min);
        let told = ends.tack_hz.expect("start-up is over");
        // It is told anew when it doubles or halves.
        assert!((f / 2.0..f * 2.0).contains(&told), "{told} where it is {f}: {ends:?}");
        assert!((ends.tacks as f64 - told * 2.0).abs() < told * 2.0 * 0.05 + 2.0, "{ends:?}");
        assert_eq!(
            (ends.start_up_tacks, ends.fallbacks, ends.acks),
            (0, 0, ends.tacks + ends.loss_iacks + ends.window_iacks + ends.round_trip_iacks)
        );
    }
}

#[test]
fn an_application_that_reads_slowly_sets_the_pace_and_no_byte_is_sent_in_vain() {
    for direction in ["flows.direction=down", "flows.direction=up"] {
        let result = run(&["flows.read_rate=5Mbps", "transport.receive_buffer=200kB", direction]);
        // A window that opens slowly lets no more through than is read, and the buffer levels its steps.
        assert!((result.goodput_mbps - 5.0).abs() < 0.05, "{direction}: {}", result.goodput_mbps);
        assert_eq!(flow(&result).timeouts, 0, "{direction}");
        let ratio = run(&["flows.read_rate=1000Mbps", direction]).goodput_mbps / run(&[direction]).goodput_mbps;
        assert!((ratio - 1.0).abs() < 0.03, "{direction}: who reads faster than the air carries {ratio} as much");
    }
}

#[test]
fn what_one_transfer_leaves_unread_is_read_before_the_next_ones_data() {
    let transfers = ["flows.traffic=repeated", "flows.size=100kB", "flows.think=1ms", "flows.read_rate=2Mbps"];
    let result = run(&transfers);
    assert!((result.goodput_mbps - 2.0).abs() < 0.05, "{}", result.goodput_mbps);
}

#[test]
fn a_host_loses_its_share_of_datagrams_either_way_and_tcp_repairs_what_it_loses() {
    for direction in ["flows.direction=down", "flows.direction=up"] {
        let datagrams = ["flows.protocol=udp", "flows.rate=20Mbps", "stations.host_loss=0.3", direction];
        let result = run(&datagrams);
        assert!((result.goodput_mbps - 14.0).abs() < 0.6, "{direction}: {}", result.goodput_mbps);
        let drops = result.counters.nodes[1].counters.host_drops;
        // 1,698 datagrams a second for 2 s.
        assert!(drops.abs_diff(1_019) < 100, "{direction}: {drops}");
        let all = run(&["flows.protocol=udp", "stations.host_loss=1", direction]);
        assert_eq!((all.goodput_mbps, all.counters.nodes[0].counters.host_drops), (0.0, 0), "{direction}");
        let tcp =
            run(&["stations.host_loss=0.02", "flows.traffic=finite", "flows.size=200kB", "run.warm_up=0s", direction]);
        assert!(flow(&tcp).completion_s.is_some() && flow(&tcp).retransmissions > 0, "{direction}");
    }
}

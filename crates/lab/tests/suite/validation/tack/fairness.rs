//! What a flow of row `tack-wifi` takes of a queue that it shares with BBR version 3 or CUBIC: the cells of `tools/tack/controls air-wifi`, short.

use ackless_cell::result::FlowResult;

use super::super::support::tool;

/// What row `tack-wifi` sets, for a cell in which flows have TACK by their own keys.
pub(super) const POLICIES: [&str; 9] = [
    "tack.blocks=distinct",
    "tack.batch=true",
    "tack.share=usual",
    "tack.rate=sender",
    "tack.variant=rounds",
    "tack.window_asks=true",
    "tack.settling=adaptive",
    "tack.losses=bound",
    "transport.ack_beta=2",
];

/// Share of the first in the goodput, in percent: `count` flows of `tack-wifi` and as many of `bbr3`, if the cell names no other, through one queue, in the cell that these settings make.
fn share(count: u32, losses: &str, cell: &[&str]) -> f64 {
    let (mut first, mut all) = (0.0, 0.0);
    for flow in flows(count, losses, cell) {
        all += flow.goodput_mbps;
        first += if flow.name.starts_with("first") { flow.goodput_mbps } else { 0.0 };
    }
    100.0 * first / all
}

/// The flows of that cell with seeds 1 to 3.
fn flows(count: u32, losses: &str, cell: &[&str]) -> Vec<FlowResult> {
    let tack = ["tack=true", "congestion=auto", "ack=tack"].map(|value| format!("flows.first.{value}"));
    let counts = [format!("flows.first.count={count}"), format!("flows.second.count={count}")];
    let rival = ["congestion=bbr3", "recovery=rack", "stations=first"].map(|value| format!("flows.second.{value}"));
    let losses = [format!("tack.losses={losses}")];
    let told = tack.iter().chain(&counts).chain(&rival).map(String::as_str);
    let settings: Vec<_> = [&POLICIES, &["stations.second.count=0"][..]]
        .concat()
        .into_iter()
        .chain(told)
        .chain(cell.iter().copied())
        .chain(losses.iter().map(String::as_str))
        .collect();
    let config = tool("pair.toml", "stock", &settings);
    (1..=3).flat_map(|seed| ackless_cell::run(&config, seed).flows).collect()
}

#[test]
fn a_shallow_queue_is_shared_with_bbr_3_where_losses_bound_and_taken_where_they_do_not() {
    let cell = ["ap.queue_packets=200", "run.warm_up=3s", "run.measured=5s"];
    for count in [1, 5] {
        let (bound, ignored) = (share(count, "bound", &cell), share(count, "ignored", &cell));
        println!("{count}: {bound:.0} and {ignored:.0} %");
        assert!((30.0..70.0).contains(&bound), "{count}: {bound:.0} %");
        assert!(ignored > 80.0, "{count}: {ignored:.0} %");
    }
}

#[test]
fn ten_flows_with_few_packets_each_share_a_queue_since_a_single_loss_counts() {
    // Upwards through 126 packets; where three losses were needed it was 78 %.
    let ways = ["flows.first.direction=up", "flows.second.direction=up"];
    let cell = [&ways[..], &["wifi.standard=11g", "run.warm_up=3s", "run.measured=10s"]].concat();
    let bound = share(5, "bound", &cell);
    assert!((40.0..70.0).contains(&bound), "{bound:.0} %");
}

#[test]
fn beside_cubic_a_queue_is_shared_whether_flows_have_many_segments_or_few() {
    let cubic = "flows.second.congestion=cubic";
    // Of 200 packets on n, with hundreds of segments in flight each: 28 % where the bound was version 3's.
    let one = share(1, "bound", &[cubic, "ap.queue_packets=200", "run.warm_up=3s", "run.measured=10s"]);
    assert!((38.0..62.0).contains(&one), "{one:.0} %");
    // Upwards through 126 packets on g, which ten share: 81 % then.
    let ways = ["flows.first.direction=up", "flows.second.direction=up"];
    let cell = [&ways[..], &[cubic, "wifi.standard=11g", "run.warm_up=3s", "run.measured=10s"]].concat();
    let five = share(5, "bound", &cell);
    assert!((50.0..78.0).contains(&five), "{five:.0} %");
}

#[test]
fn a_deep_queue_that_ten_flows_share_drains_as_that_of_bbr_3_alone() {
    // Of 1000 packets; a product is 47. Ten of BBR version 3 keep 68 ms of it, and where `tack-wifi` looked for the least round trip every ten seconds, with next to nothing in flight, it was 229 to 400 with seeds 1 to 3.
    let cell = ["wifi.standard=11g", "run.warm_up=20s", "run.measured=5s"];
    for flow in flows(5, "bound", &cell) {
        let median = flow.rtt_ms.expect("it sent").median;
        assert!(median < 130.0, "{}: {median:.0} ms", flow.name);
    }
}

#[test]
fn a_wire_with_room_for_few_packets_is_shared_though_no_round_trip_tells_of_its_queue() {
    // 30 packets are 3.6 of 20 ms. While only what showed a queue of an eighth counted, five had 66 % beside BBR version 3 and 87 beside CUBIC, one 78 and 91.
    let wire = [
        "wifi.standard=11ac",
        "wifi.width=80MHz",
        "wifi.streams=2",
        "ap.queue_packets=4000",
        "wired.down_rate=100Mbps",
        "wired.down_buffer=30",
        "run.warm_up=5s",
        "run.measured=5s",
    ];
    for (count, rival, most) in [(1, "bbr3", 68.0), (5, "bbr3", 55.0), (1, "cubic", 84.0), (5, "cubic", 76.0)] {
        let second = format!("flows.second.congestion={rival}");
        let share = share(count, "bound", &[&wire[..], &[&second]].concat());
        println!("{count} beside {rival}: {share:.0} %");
        assert!((25.0..most).contains(&share), "{count} beside {rival}: {share:.0} %");
    }
}

//! Loss recovery and round-trip timing: figures 6 and 7(a), claims tack-9, 10 and 19.

use super::super::support::{cell, excess, mean, runs, tool};
use super::{ends, goodput};

#[test]
fn what_comes_late_and_was_not_lost_does_not_keep_tack_wifi_down() {
    // Ours: reordered by up to 50 ms, of a round trip of 20. The link carries 98 Mbps; with mistakes that stay losses it is 57.
    let late = torture("tack-wifi", &["wired.jitter=50ms", "wired.jitter_reorders=true"], 3);
    println!("tack-wifi, reordered by up to 50 ms: {late:.2} Mbps");
    assert!(late > 75.0, "{late} Mbps");
}

#[test]
fn a_window_of_64_kib_costs_tack_wifi_a_third_of_what_it_costs_by_the_letter() {
    // A window for each round trip of 21.4 ms would be 24.5 Mbps, which BBR has with delayed ACKs. By the letter a report comes after 5 ms.
    let [bbr, tack, wifi] =
        ["bbr", "tack", "tack-wifi"].map(|row| torture(row, &["transport.receive_buffer=64KiB"], 1));
    println!("a window of 64 KiB: BBR {bbr:.2} Mbps, TACK {tack:.2}, tack-wifi {wifi:.2}");
    assert!((24.0..24.6).contains(&bbr) && tack < 21.0, "BBR {bbr}, TACK {tack} Mbps");
    assert!((bbr - wifi) * 3.0 < bbr - tack, "{wifi} of {bbr} Mbps, TACK {tack}");
}

#[test]
fn reordering_by_more_than_the_settling_time_costs_tack_wifi_nothing_on_n() {
    // By the letter, with RTTmin/4, 39 % of packets are reported lost and a quarter of the goodput goes.
    let of = |row| {
        let keys = ["wired.jitter=10ms", "wired.jitter_reorders=true", "run.measured=5s"];
        let run = runs("tack-80211n", row, &keys, 1).remove(0);
        let lost = ends(&run).data_loss_percent.expect("reports tell");
        println!("{row}, reordered by up to 10 ms: {:.1} Mbps, {lost:.1} % reported lost", goodput(&run));
        (goodput(&run), lost)
    };
    let (tack, wifi) = (of("tack"), of("tack-wifi"));
    assert!(tack.1 > 30.0 && wifi.1 < 1.0, "{} and {} % reported lost", tack.1, wifi.1);
    assert!(wifi.0 > 230.0 && tack.0 < 200.0, "{} and {} Mbps", tack.0, wifi.0);
}

#[test]
fn ten_percent_of_acks_lost_cost_tack_rich_less_than_five_percent() {
    // Claim tack-9 (figure 6b): RTT 200 ms, 1 % of the data lost.
    let measure = |row, lost: &str| {
        let lost = format!("wired.up_loss={lost}");
        let keys =
            [&NARROW[..], &["wired.delay=100ms", "wired.down_loss=0.01", &lost, "run.warm_up=8s", "run.measured=10s"]];
        mean(&cell("tack-80211n", row, &keys.concat()), 2, goodput)
    };
    let (rich, lossy) = (measure("tack", "0"), measure("tack", "0.1"));
    println!("TACK-rich: {rich:.2} Mbps, with 10 % of the ACKs lost {lossy:.2}");
    assert!(excess(lossy, rich) > -0.05, "{lossy} of {rich} Mbps");
    let bbr = measure("bbr", "0.1");
    println!("BBR with 10 % of the ACKs lost {bbr:.2} Mbps");
    assert!(lossy > bbr, "TACK {lossy}, BBR {bbr}");
}

#[test]
fn iacks_lower_what_waits_behind_holes() {
    // Claim tack-19 (figure 6a): over loss and round trip.
    for (loss, rtt) in [("0.01", 20), ("0.01", 80), ("0.03", 20), ("0.03", 200)] {
        let blocked = |signal| {
            let (loss, delay) = (format!("wired.down_loss={loss}"), format!("wired.delay={}ms", rtt / 2));
            let signal = format!("tack.loss_signal={signal}");
            let keys = [&NARROW[..], &[&loss, &delay, &signal, "run.warm_up=4s", "run.measured=4s"]].concat();
            let run = &runs("tack-80211n", "tack", &keys, 1)[0];
            ends(run).blocked_bytes_mean.expect("TACKs were sent")
        };
        let (with, without) = (blocked("iack"), blocked("tack-only"));
        println!("loss {loss}, {rtt:3} ms: {with:9.0} bytes with IACKs, {without:9.0} without");
        assert!(with < without, "loss {loss}, {rtt} ms: {with} bytes with IACKs, {without} without");
    }
}

#[test]
fn one_way_delays_and_one_sample_for_each_tack_both_find_the_least_round_trip() {
    // Claim tack-10 (figure 7a) differs: both find it, and why the paper's samples did not is open (docs/validation.md). The path's own: 100 ms, and a data packet
    // and its ACK on the air, alone. Nothing queues: the wire's 20 Mbps are the bottleneck, ahead of the jitter.
    for jitter in ["0ms", "20ms"] {
        let jitter_key = format!("wired.down_jitter={jitter}");
        let keys = ["wired.down_rate=20Mbps", "wired.delay=50ms", &jitter_key, "run.warm_up=5s", "run.measured=4s"];
        let run = &runs("tack-80211n", "tack", &keys, 1)[0];
        let ends = ends(run);
        let (delays, sampled) =
            (ends.rtt_min_ms.expect("TACK measures it"), ends.rtt_min_sampled_ms.expect("TACK measures it"));
        println!("jitter {jitter}: RTTmin {delays:.2} ms by one-way delays, {sampled:.2} by samples");
        assert!((100.0..104.0).contains(&delays), "jitter {jitter}: {delays} ms by one-way delays");
        assert!((100.0..104.0).contains(&sampled), "jitter {jitter}: {sampled} ms by samples");
    }
}

#[test]
fn a_filter_shorter_than_probe_rtt_s_ten_seconds_finds_the_queue_by_either_method() {
    // Figure 7(a) over tau, reordered by up to 10 ms: between two ProbeRTTs no packet meets an empty queue.
    let find = |tau: &str| {
        let tau = format!("tack.tau={tau}");
        let jitter = ["wired.jitter=10ms", "wired.jitter_reorders=true", "wired.delay=50ms"];
        let keys = [&jitter[..], &[&tau, "run.warm_up=10s", "run.measured=18s"]].concat();
        let run = &runs("tack-80211n", "tack", &keys, 1)[0];
        let ends = ends(run);
        let found = [ends.rtt_min_ms, ends.rtt_min_sampled_ms].map(|rtt| rtt.expect("TACK measures it"));
        println!("{tau}: RTTmin {:.2} ms by one-way delays, {:.2} by samples", found[0], found[1]);
        found
    };
    let (short, long) = (find("2500ms"), find("30s"));
    assert!(short.iter().all(|rtt| *rtt > 118.0), "{short:?}");
    assert!(long.iter().all(|rtt| (100.0..103.0).contains(rtt)), "{long:?}");
}

#[test]
fn a_path_that_becomes_two_to_three_times_as_long_is_full_again_whatever_a_short_buffer_has_lost() {
    // The one way becomes longer before the other. Taken for no step, a bound that losses left on the shorter path leaves 41 and 42 Mbps of the 15 seconds.
    for (before, after) in [(40, 100), (50, 100)] {
        let delays = [format!("wired.delay={before}ms"), format!("steps.change.delay={after}ms")];
        let run = ["wired.buffer_packets=30", "steps.change.at=8s", "run.warm_up=8s", "run.measured=15s"];
        let settings: Vec<_> = delays.iter().map(String::as_str).chain(run).collect();
        let [ours, three] = ["tack-wifi", "bbr3"].map(|row| torture(row, &settings, 4));
        println!("{} to {} ms: {ours:.1} Mbps, BBR v3 {three:.1}", 2 * before, 2 * after);
        assert!(ours > 70.0 && ours > 1.1 * three, "{before} to {after} ms: {ours:.1} Mbps, BBR v3 {three:.1}");
    }
}

#[test]
fn what_is_held_back_has_room_though_many_reports_are_lost_and_come_the_more_often() {
    // Held back in order by up to 30 ms each way round trips are 45 to 60 ms, and 11 at the least. While a lump was what a sixth of RTTmin brings, the cap was less than one of those, and the rate fell and fell: 10.1 ± 6.7 of 20 Mbps, 31 ± 15 of 50.
    for (loss, rate) in [("0.5", 20.0), ("0.3", 50.0)] {
        let path = [format!("wired.rate={rate}Mbps"), format!("wired.up_loss={loss}")];
        let held = ["wired.delay=5ms", "wired.jitter=30ms", "wired.buffer_packets=300", "run.warm_up=2s"];
        let settings: Vec<_> = path.iter().map(String::as_str).chain(held).collect();
        let [ours, one] = ["tack-wifi", "bbr"].map(|row| torture(row, &settings, 4));
        println!("{loss} of the ACKs lost: {ours:.1} of {rate} Mbps, BBR v1 {one:.1}");
        assert!(ours > 0.85 * one && ours > 0.8 * rate, "{loss} lost: {ours:.1} Mbps, BBR v1 {one:.1}");
    }
}

/// Goodput of a row on the path of `tools/tack/torture`.
fn torture(row: &str, arguments: &[&str], seeds: u64) -> f64 {
    mean(&tool("torture.toml", row, arguments), seeds, goodput)
}

/// A WAN that is the bottleneck, with a buffer of one product at 80 ms.
const NARROW: [&str; 2] = ["wired.down_rate=100Mbps", "wired.down_buffer=1MB"];

#[test]
fn a_path_that_has_become_a_hundred_times_as_fast_is_filled_in_eight_seconds() {
    // 1 to 100 Mbps at 200 ms. By a quarter more in each cycle it has 11 Mbps then.
    let step = ["wired.rate=1Mbps", "wired.delay=100ms", "steps.change.at=8s", "steps.change.rate=100Mbps"];
    let reached = torture("tack-wifi", &[&step[..], &["run.warm_up=16s", "run.measured=4s"]].concat(), 3);
    assert!(reached > 80.0, "{reached:.1} Mbps");
}

//! Row `tack-wifi` where the least round trip says little: it was seen once, or is seconds long; and where losses come with reordering, with a rate that falls, with a crowd.

use super::super::support::tool;

/// Goodput in Mbps of a flow of this row behind 100 Mbps, of three seeds. (The file's step, a radio that is gone for 1 us, comes at some time.)
fn goodput(row: &str, settings: &[&str]) -> f64 {
    let config = tool("torture.toml", row, settings);
    (1..=3).map(|seed| ackless_cell::run(&config, seed).flows[0].goodput_mbps).sum::<f64>() / 3.0
}

#[test]
fn what_every_round_loses_is_no_queue_s_though_all_round_trips_are_long() {
    for noise in ["wired.jitter=5ms", "wifi.delivery=coalesced(3ms)"] {
        let settings = [noise, "wired.down_loss=0.02", "run.warm_up=4s", "run.measured=10s", "steps.change.at=13s"];
        // 7 and 25 Mbps where every loss behind a long round trip was a queue's.
        let [ours, one] = ["tack-wifi", "bbr"].map(|row| goodput(row, &settings));
        println!("{noise}: {ours:.1} Mbps, BBR v1 {one:.1}");
        assert!(ours > 0.85 * one && one > 80.0, "{noise}: {ours:.1} Mbps, BBR v1 {one:.1}");
    }
}

#[test]
fn jitter_and_losses_leave_no_flow_a_few_segments() {
    // A round trip in a round, and each more than 33/32 of the least: a short queue, whose losses count from the first. 5 Mbps for as long as it lasts with these seeds where such cuts leave less and less.
    let settings = ["wired.jitter=5ms", "wired.down_loss=0.05", "run.warm_up=4s", "run.measured=10s"];
    let config = tool("torture.toml", "tack-wifi", &[&settings[..], &["steps.change.at=13s"]].concat());
    for seed in [3, 5, 6, 8] {
        let mbps = ackless_cell::run(&config, seed).flows[0].goodput_mbps;
        assert!(mbps > 70.0, "seed {seed}: {mbps:.1} Mbps");
    }
}

#[test]
fn a_round_that_a_full_receive_buffer_has_held_back_cuts_nothing() {
    // Behind a hole that is lost again Linux's buffer of 6 MB is full, and what leaves meanwhile are some tens of segments. Where their losses cut, 205 and 395 Mbps with these seeds, seconds of them at ten.
    let settings = ["wired.delay=10ms", "wired.loss=0.01", "run.warm_up=4s", "run.measured=10s"];
    let config = tool("today.toml", "tack-wifi", &settings);
    for seed in [3, 5] {
        let mbps = ackless_cell::run(&config, seed).flows[0].goodput_mbps;
        assert!(mbps > 550.0, "seed {seed}: {mbps:.1} Mbps");
    }
}

#[test]
fn probes_leave_a_path_of_seconds_most_of_the_time() {
    // 25 Mbps with a probe every five seconds.
    let settings = ["wired.delay=1s", "run.warm_up=20s", "run.measured=60s"];
    let ours = goodput("tack-wifi", &settings);
    println!("{ours:.1} Mbps");
    assert!(ours > 50.0, "{ours:.1} Mbps");
}

#[test]
fn what_is_reordered_behind_a_loss_is_not_lost_too() {
    // 8.6 Mbps of this row, and 60 by the letter, where what comes behind a repetition was old by its timestamp.
    let settings = ["wired.jitter=10ms", "wired.jitter_reorders=true", "wired.down_loss=0.01"];
    let run = ["run.warm_up=4s", "run.measured=10s", "steps.change.at=13s"];
    for (row, least) in [("tack-wifi", 75.0), ("tack", 62.0)] {
        let mbps = goodput(row, &[&settings[..], &run[..]].concat());
        println!("{row}: {mbps:.1} Mbps");
        assert!(mbps > least, "{row}: {mbps:.1} Mbps");
    }
}

/// Which share of the data was sent again, and Jain's index of the flows, of three seeds.
fn sent_again(settings: &[&str]) -> (f64, f64) {
    let config = tool("torture.toml", "tack-wifi", settings);
    let of_seed = |seed| {
        let run = ackless_cell::run(&config, seed);
        let sum = |of: &dyn Fn(&ackless_cell::result::FlowResult) -> f64| run.flows.iter().map(of).sum::<f64>();
        let again = sum(&|flow| flow.retransmissions as f64)
            / sum(&|flow| flow.ends.as_ref().map_or(0, |ends| ends.data_packets) as f64);
        let squares = sum(&|flow| flow.goodput_mbps * flow.goodput_mbps);
        (again, sum(&|flow| flow.goodput_mbps).powi(2) / squares / run.flows.len() as f64)
    };
    let all = [1, 2, 3].map(of_seed);
    (all.iter().map(|(again, _)| again).sum::<f64>() / 3.0, all.iter().map(|(_, jain)| jain).sum::<f64>() / 3.0)
}

#[test]
fn where_a_rate_falls_before_a_short_buffer_two_rounds_show_it() {
    // 59 % where a bound came down by a share in each second round.
    let settings = ["wired.delay=40ms", "wired.buffer_packets=30", "run.warm_up=8s", "run.measured=10s"];
    let (again, _) = sent_again(&[&settings[..], &["steps.change.at=8s", "steps.change.rate=10Mbps"]].concat());
    println!("{:.1} % sent again", 100.0 * again);
    assert!(again < 0.35, "{again}");
}

#[test]
fn two_seconds_after_a_rate_has_fallen_to_a_fifth_little_is_lost() {
    // 10 % where a cut left half of what the path had held by the greatest rate of sixteen rounds.
    let settings = ["wired.delay=40ms", "run.warm_up=10s", "run.measured=5s", "steps.change.at=8s"];
    for path in [
        &["wired.rate=20Mbps", "steps.change.rate=4Mbps", "wired.buffer_packets=5"][..],
        &["steps.change.rate=20Mbps", "wired.buffer_packets=30", "flows.download.count=5"][..],
    ] {
        let (again, _) = sent_again(&[&settings[..], path].concat());
        println!("{:.1} % sent again", 100.0 * again);
        assert!(again < 0.03, "{path:?}: {again}");
    }
}

#[test]
fn in_a_crowd_none_takes_the_losses_of_the_others_for_noise() {
    // 12 %, and 0.50, where what rounds without a queue had lost once was usual for ever.
    let settings = ["flows.download.count=20", "wired.rate=50Mbps", "wired.delay=20ms", "wired.buffer_packets=100"];
    let run = ["run.warm_up=20s", "run.measured=10s", "steps.change.at=24s"];
    let (again, jain) = sent_again(&[&settings[..], &run[..]].concat());
    println!("{:.1} % sent again, Jain's index {jain:.2}", 100.0 * again);
    assert!(again < 0.08 && jain > 0.85, "{again} {jain}");
}

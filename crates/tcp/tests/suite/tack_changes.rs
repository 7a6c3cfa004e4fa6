//! What stands beside the paper's rules, on paths that change: each where it was made for, beside the paper's own where that shows what it is worth.

use ackless_tcp::Config;
use ackless_wire::{BitRate, Bytes, Duration};

use crate::pair::{A, B, Pair, Path};

/// All that is recommended.
pub fn better() -> Config {
    Config::default().with_recommended_tack()
}

pub fn paper() -> Config {
    Config::default().with_tack()
}

/// 20 Mbps behind a queue of 200 packets, this long each way.
fn pair(config: &Config, millis: u64, seed: u64) -> Pair {
    let path = Path { queue: 200, ..Path::of_delay(millis) };
    let mut pair = Pair::new([config.clone(), config.clone()], path, seed);
    pair.paths[A].rate = Some(BitRate::from_mbps(20));
    pair.ends[A].send_forever();
    pair
}

/// Goodput in Mbps over this long from now on.
fn goodput(pair: &mut Pair, millis: u64) -> f64 {
    let before = pair.ends[B].bytes_delivered();
    pair.run_for(Duration::from_millis(millis));
    (pair.ends[B].bytes_delivered() - before).get() as f64 * 8.0 / millis as f64 / 1e3
}

#[test]
fn a_path_that_grows_forty_times_as_long_is_filled_again_within_seconds_whatever_the_phase() {
    let (mut low, mut times) = (0, Vec::new());
    for phase in 0..40 {
        let mut pair = pair(&better(), 3, phase);
        // Before and after it is known how long round trips lately were.
        pair.run_for(Duration::from_millis(500 + 250 * phase));
        pair.paths[A].delay = Duration::from_millis(100);
        pair.paths[B].delay = Duration::from_millis(100);
        // It is probed twice, eight rounds apart. What is lost of the rate before the first counts, too.
        let full = (1..=10_u32).find(|_| goodput(&mut pair, 500) > 0.9 * 19.2);
        times.push(full.map_or(f64::INFINITY, |halves| f64::from(halves) / 2.0));
        pair.run_for(Duration::from_secs(5).saturating_sub(Duration::from_millis(500) * u64::from(full.unwrap_or(10))));
        let after = goodput(&mut pair, 2_000);
        // In these two seconds ProbeRTT may take half of the rate for 440 ms, and in one of the phases the second probe takes all of it, too.
        assert!(after > 0.7 * 20.0, "phase {phase}: {after} Mbps");
        low += u32::from(after < 0.8 * 20.0);
        let min_rtt = pair.ends[A].path_model(pair.now).and_then(|model| model.min_rtt);
        assert!(min_rtt > Some(Duration::from_millis(199)), "phase {phase}: {min_rtt:?}");
    }
    assert!(low <= 1, "{low} phases below 16 Mbps");
    times.sort_by(f64::total_cmp);
    assert!(times[20] <= 3.0 && times[39] <= 5.0, "seconds until nine tenths of the path for half a second: {times:?}");
    // By the paper the path is all but empty by then.
    let mut pair = pair(&paper(), 3, 1);
    pair.run_for(Duration::from_secs(8));
    pair.paths[A].delay = Duration::from_millis(100);
    pair.paths[B].delay = Duration::from_millis(100);
    pair.run_for(Duration::from_secs(4));
    let after = goodput(&mut pair, 2_000);
    assert!(after < 10.0, "{after} Mbps");
}

#[test]
fn a_path_that_becomes_slower_keeps_its_round_trip_and_one_that_becomes_faster_is_filled() {
    for phase in 0..8 {
        let mut pair = pair(&better(), 10, phase);
        pair.run_for(Duration::from_millis(7_000 + 250 * phase));
        pair.paths[A].rate = Some(BitRate::from_mbps(2));
        pair.run_for(Duration::from_secs(5));
        let slow = goodput(&mut pair, 4_000);
        assert!(slow > 0.8 * 2.0, "phase {phase}: {slow} of 2 Mbps");
        let model = pair.ends[A].path_model(pair.now).expect("BBR models the path");
        assert!(model.min_rtt < Some(Duration::from_millis(40)), "phase {phase}: a queue is no path, {model:?}");
        assert!(model.bandwidth < BitRate::from_kbps(2_500), "phase {phase}: {model:?}");
        pair.paths[A].rate = Some(BitRate::from_mbps(20));
        pair.run_for(Duration::from_secs(5));
        let fast = goodput(&mut pair, 2_000);
        assert!(fast > 0.85 * 20.0, "phase {phase}: {fast} of 20 Mbps");
    }
}

#[test]
fn where_half_of_the_reports_are_lost_the_path_stays_full() {
    for seed in 0..6 {
        let mut pair = pair(&better(), 10, seed);
        pair.run_for(Duration::from_secs(1));
        pair.paths[B].loss = 0.5;
        pair.run_for(Duration::from_secs(4));
        let timeouts = pair.ends[A].stats().timeouts;
        let mbps = goodput(&mut pair, 10_000);
        assert!(mbps > 0.9 * 20.0, "seed {seed}: {mbps} of 20 Mbps");
        assert_eq!(pair.ends[A].stats().timeouts, timeouts, "seed {seed}");
    }
}

#[test]
fn reordering_beyond_a_quarter_of_the_round_trip_is_learned() {
    let lost = |config: &Config| {
        let mut pair = pair(config, 10, 3);
        (pair.paths[A].reordering, pair.paths[A].held) = (0.3, Duration::from_millis(10));
        pair.run_for(Duration::from_secs(10));
        let stats = pair.ends[B].stats();
        (stats.tack.spurious_losses, stats.data_segments_received)
    };
    let (mistakes, segments) = lost(&better());
    assert!(mistakes < 100, "{mistakes} of {segments}");
    let (mistakes, segments) = lost(&paper());
    assert!(mistakes > 500, "{mistakes} of {segments}, by the paper's quarter");
}

#[test]
fn a_sender_that_the_window_blocks_hears_of_room_in_time() {
    let rate = |config: Config| {
        let mut pair = pair(&Config { receive_buffer: Bytes(16 * 1024), ..config }, 10, 3);
        pair.run_for(Duration::from_secs(2));
        goodput(&mut pair, 4_000)
    };
    // 16 KiB in each round trip of 20.6 ms would be 6.3 Mbps.
    let (asks, silent) = (rate(better()), rate(paper()));
    assert!(asks > 5.2 && asks > 1.05 * silent, "{asks} and {silent} Mbps");
}

#[test]
fn the_sender_s_own_rate_is_what_the_path_gives() {
    let believed = |config: &Config| {
        let mut pair = pair(config, 5, 3);
        pair.run_for(Duration::from_secs(5));
        let model = pair.ends[A].path_model(pair.now).expect("BBR models the path");
        model.bandwidth
    };
    // 1,440 bytes of payload in packets of 1,500: 19.2 Mbps.
    let better = believed(&better());
    assert!(better > BitRate::from_mbps(18) && better <= BitRate::from_kbps(19_800), "{better:?}");
}

#[test]
fn losses_at_random_do_not_halve_what_arrives_where_losses_bound() {
    for (loss, least) in [(0.01, 17.0), (0.1, 11.0)] {
        for seed in 0..4 {
            let mut pair = pair(&better(), 20, seed);
            pair.paths[A].loss = loss;
            pair.run_for(Duration::from_secs(3));
            let mbps = goodput(&mut pair, 10_000);
            assert!(mbps > least, "seed {seed}: {mbps} of 20 Mbps with {loss} lost");
        }
    }
}

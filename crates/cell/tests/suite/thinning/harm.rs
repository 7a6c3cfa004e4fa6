//! Where a product's rules do harm: shown, so that a comparison is not surprised.

use ackless_cell::config::{CellConfig, CongestionChoice, Direction, Probability};
use ackless_cell::run;
use ackless_phy::Standard;
use ackless_schemes::thinning::ThinningConfig;
use ackless_wire::{Bytes, Duration};

use crate::thinning::{steady, thinned, with_all};

/// NewReno without SACK, whose wire loses a packet now and then.
fn lossy_wire() -> CellConfig {
    let mut config = steady(Standard::A, &[Direction::Down]);
    config.wired.down.loss = Probability::new(0.01).expect("one in a hundred");
    config.wired.down.delay = Duration::from_millis(10);
    config.measured = Duration::from_secs(20);
    with_all(config, |tcp| {
        (tcp.congestion, tcp.sack) = (CongestionChoice::NewReno, false);
        tcp.receive_buffer = Bytes(60_000);
    })
}

fn goodput_and_timeouts(config: &CellConfig) -> (f64, u64) {
    let seeds = 1..=3;
    seeds.map(|seed| run(config, seed)).fold((0.0, 0), |(goodput, timeouts), result| {
        (goodput + result.goodput_mbps / 3.0, timeouts + result.flows[0].timeouts)
    })
}

#[test]
fn holding_duplicate_acks_costs_a_sender_that_counts_them() {
    let config = lossy_wire();
    let (stock, stock_timeouts) = goodput_and_timeouts(&config);
    let (held, held_timeouts) = goodput_and_timeouts(&thinned(config.clone(), ThinningConfig::broadcom_hold()));
    assert!(held < 0.7 * stock, "{held} Mbps and {held_timeouts} timeouts, {stock} and {stock_timeouts} without");
    let (cake, _) = goodput_and_timeouts(&thinned(config.clone(), ThinningConfig::cake()));
    assert!(cake > 0.85 * stock, "CAKE keeps duplicate ACKs: {cake} Mbps, {stock} without");
}

#[test]
fn without_sack_samsungs_timer_slows_recovery_down() {
    // Duplicate ACKs go at once, but only SACK blocks would tell the driver that the window has shrunk.
    let config = lossy_wire();
    let (stock, _) = goodput_and_timeouts(&config);
    let samsung = thinned(config.clone(), ThinningConfig::samsung());
    let (held, _) = goodput_and_timeouts(&samsung);
    assert!(held < 0.9 * stock, "{held} Mbps, {stock} without");
    let (with_sack, _) = goodput_and_timeouts(&with_all(samsung, |tcp| tcp.sack = true));
    let (stock_with_sack, _) = goodput_and_timeouts(&with_all(config, |tcp| tcp.sack = true));
    assert!(with_sack > 0.97 * stock_with_sack, "{with_sack} Mbps with SACK, {stock_with_sack} without the driver");
}

#[test]
fn a_held_ack_is_in_the_round_trip_that_a_small_window_waits_for() {
    // Six segments in flight: their ACKs come together, and the timer is what sends the last one.
    let config = with_all(steady(Standard::A, &[Direction::Down]), |tcp| {
        (tcp.receive_buffer, tcp.window_scaling) = (Bytes(9_000), false);
    });
    let stock = run(&config, 1);
    let held = run(&thinned(config.clone(), ThinningConfig::broadcom_hold()), 1);
    let round_trip =
        |result: &ackless_cell::result::RunResult| result.flows[0].rtt_ms.expect("the sender took samples").p95;
    assert!(round_trip(&held) > round_trip(&stock) + 0.5, "{held:?} beside {stock:?}");
    assert!(held.goodput_mbps < 0.8 * stock.goodput_mbps);
}

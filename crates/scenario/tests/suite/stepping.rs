//! A run that is stepped and turned on its way.

use std::borrow::Cow;

use ackless_cell::config::{CellConfig, Direction, Probability, WireStep};
use ackless_cell::timeline::{Format, Timeline};
use ackless_cell::{AirChange, Run};
use ackless_scenario::builtin::Builtin;
use ackless_scenario::{Row, Scenario};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Duration, Instant};

type Watched = Run<'static, Timeline<Vec<u8>>>;

#[test]
fn steps_of_any_size_do_not_show() {
    let worlds = [
        ("wifi-80211n", "tcp"),
        ("wifi-80211n", "hack"),
        ("wifi-80211b", "agent"),
        ("wifi-80211ac", "linux"),
        ("wifi-hidden", "tcp"),
        ("wifi-neighbours", "tcp"),
        ("wifi-today", "stock"),
        ("tack-80211n", "tack"),
        ("hack-snr", "stock"),
    ];
    for (n, (scenario, row)) in worlds.into_iter().enumerate() {
        let config = cell(scenario, row, &[]);
        let seed = 100 + n as u64;
        let mut sizes = Stream::new(seed, 0, Purpose::Traffic);
        let mut steps = watched(&config, seed);
        while !steps.is_over() {
            // From an instant to tens of milliseconds, and again and again none at all.
            let most = 1 << sizes.below(26);
            let span = Duration::from_nanos(sizes.below(most));
            steps.advance(steps.now() + span);
        }
        let mut whole = watched(&config, seed);
        whole.advance(config.end());
        assert_eq!(told(steps), told(whole), "{scenario} {row} seed {seed}");
    }
}

#[test]
fn a_wire_that_changes_before_anything_is_on_it_is_as_a_step_known_beforehand() {
    let nothing = WireStep::nothing(Instant::ZERO);
    let (rate, delay) = (Some(BitRate::from_mbps(7)), Some(Duration::from_millis(9)));
    let loss = Probability::new(0.02);
    for (argument, step) in [
        ("steps.rate=7Mbps", WireStep { rate, ..nothing }),
        ("steps.delay=9ms", WireStep { delay, ..nothing }),
        ("steps.loss=0.02", WireStep { loss, ..nothing }),
    ] {
        let known = cell("wifi-80211n", "tcp", &[argument]);
        let mut beforehand = watched(&known, 5);
        beforehand.advance(known.end());
        let mut now = watched(&cell("wifi-80211n", "tcp", &[]), 5);
        now.own_mut().cell.change_wire(step);
        now.advance(known.end());
        assert_eq!(told(now), told(beforehand), "{argument}");
    }
    // One way alone.
    let mut run = watched(&cell("wifi-80211n", "tcp", &[]), 5);
    run.own_mut().cell.change_wire(WireStep { direction: Some(Direction::Up), rate, ..nothing });
    run.advance(run.config().end());
    assert!(run.finish().goodput_mbps > 50.0, "the data went the other way");
}

#[test]
fn a_rate_holds_from_the_next_ppdu_on() {
    let config = cell("wifi-80211n", "tcp", &[]);
    let slow = cell("wifi-80211n", "tcp", &["stations.mcs=1"]);
    let (down, up) = (slow.stations[0].down, slow.stations[0].up);
    assert_ne!(config.stations[0].down, down);
    let mut run = watched(&config, 9);
    let at = Instant::from_millis(120);
    run.advance(at);
    run.own_mut().cell.set_rates(0, down, up);
    run.advance(config.end());
    let (fast, slow) = (config.stations[0].down.rate().bps(), down.rate().bps());
    let mut seen = [0, 0];
    for (start, kind, rate) in air(run) {
        let after = start > at.as_nanos() + 6_000_000;
        if kind == "data" {
            seen[usize::from(after)] += 1;
            assert!(rate == if after { slow } else { fast } || start > at.as_nanos(), "{start}: {rate}");
        }
        assert!(!(after && kind == "data" && rate == fast), "{start}: the old rate");
    }
    assert!(seen[0] > 10 && seen[1] > 10, "{seen:?}");
}

#[test]
fn a_flow_acknowledges_by_its_new_rule_and_nothing_held_back_is_lost() {
    let eighth = cell("wifi-80211n", "tcp", &["transport.ack=8"]);
    let new = match eighth.flows[0].transport {
        ackless_cell::config::TransportConfig::Tcp(tcp) => tcp,
        ackless_cell::config::TransportConfig::Udp { .. } => panic!("the row is of TCP"),
    };
    let config = cell("wifi-80211n", "tcp", &[]);
    let mut run = watched(&config, 4);
    let counts = |run: &Watched| {
        let flows = run.own().cell.flows();
        let (sender, receiver) = (flows.endpoint(0, 0).expect("it runs"), flows.endpoint(0, 1).expect("it runs"));
        (sender.stats().segments_sent, receiver.stats().segments_sent)
    };
    let mut ratios = Vec::new();
    let mut before = (0, 0);
    for millis in (100..=300).step_by(50) {
        if millis == 200 {
            run.own_mut().cell.set_ack_rule(0, new.ack, new.policy);
        }
        run.advance(Instant::from_millis(millis));
        let now = counts(&run);
        ratios.push((now.1 - before.1) as f64 / (now.0 - before.0) as f64);
        before = now;
    }
    assert!(ratios[1] > 0.45, "an ACK for two segments: {ratios:?}");
    assert!(ratios[2..].iter().all(|&ratio| ratio < 0.2), "an ACK for eight: {ratios:?}");
    assert_eq!(run.finish().flows[0].timeouts, 0, "what was held back would have been missed");
}

#[test]
fn what_the_old_rule_holds_back_is_acknowledged_at_once() {
    let arguments = ["flows.rate=100kbps", "transport.ack=8"];
    let config = cell("wifi-80211n", "tcp", &arguments);
    let second = cell("wifi-80211n", "tcp", &["flows.rate=100kbps", "transport.ack=2"]);
    let new = match second.flows[0].transport {
        ackless_cell::config::TransportConfig::Tcp(tcp) => tcp,
        ackless_cell::config::TransportConfig::Udp { .. } => panic!("the row is of TCP"),
    };
    let owed = |run: &Watched| {
        let flows = run.own().cell.flows();
        let [sender, receiver] = [0, 1].map(|end| flows.endpoint(0, end));
        sender.zip(receiver).map_or(0, |(sender, receiver)| (receiver.bytes_delivered() - sender.bytes_acked()).get())
    };
    let later = |run: &mut Watched, millis| run.advance(run.now() + Duration::from_millis(millis));
    let mut run = watched(&config, 3);
    // Held for longer than an ACK takes on its way.
    let mut held = 0;
    while held < 8 {
        later(&mut run, 1);
        assert!(!run.is_over(), "some segment is held");
        held = if owed(&run) > 0 { held + 1 } else { 0 };
    }
    run.own_mut().cell.set_ack_rule(0, new.ack, new.policy);
    later(&mut run, 5);
    assert_eq!(owed(&run), 0, "it waits for nothing any more");
}

#[test]
fn the_air_may_fall_silent_and_lose_more() {
    let config = cell("wifi-80211n", "tcp", &[]);
    let mut run = watched(&config, 6);
    run.advance(Instant::from_millis(100));
    run.own_mut().cell.change_air(0, AirChange::Outage(Duration::from_millis(4)));
    run.advance(Instant::from_millis(101));
    let at = |run: &Watched| run.own().cell.flows().endpoint(0, 1).map(|tcp| tcp.bytes_delivered());
    let silent = at(&run);
    run.advance(Instant::from_millis(104));
    assert_eq!(at(&run), silent, "nothing comes through");
    run.advance(Instant::from_millis(150));
    assert!(at(&run) > silent, "it goes on");
    let lossy = AirChange::Loss(Probability::new(0.4).expect("it is one"));
    run.own_mut().cell.change_air(0, lossy);
    run.advance(config.end());
    let lost = run.finish().counters.total.air_losses;
    let mut clear = watched(&config, 6);
    clear.advance(config.end());
    let lost_in_clear_air = clear.finish().counters.total.air_losses;
    assert!(lost > 100 && lost_in_clear_air == 0, "{lost} and {lost_in_clear_air}");
}

#[test]
fn what_a_run_has_shown_on_its_way_changes_nothing() {
    let config = cell("wifi-80211n", "hack", &[]);
    let mut looked_at = watched(&config, 8);
    for millis in 1..=300 {
        looked_at.advance(Instant::from_millis(millis));
        let result = looked_at.so_far();
        assert!(result.goodput_mbps.is_finite() && result.sim_seconds <= 0.3, "at {millis} ms");
    }
    let mut whole = watched(&config, 8);
    whole.advance(config.end());
    assert_eq!(told(looked_at), told(whole));
}

#[test]
fn the_halves_of_a_window_that_is_cut_short_are_its_own() {
    // Goodput begins in the middle of what is left, or grows; the window would last 300 ms, or next to for ever.
    for (row, start, measured) in
        [("udp", "150ms", "300ms"), ("udp", "150ms", "3000s"), ("tcp", "40ms", "3000s"), ("tcp", "40ms", "300ms")]
    {
        let of = |measured: &str| {
            let flows = format!("flows.start={start}");
            cell("wifi-80211n", row, &[&format!("run.measured={measured}"), &flows])
        };
        for span in [1_u64, 37, 200, 211].into_iter().filter(|span| *span > 100 || start != "150ms") {
            let cut = Instant::from_millis(50 + span);
            let mut short = Run::<()>::new(Cow::Owned(of(measured)), 4, None);
            // In steps whose size does not show.
            short.advance(Instant::from_millis(90).min(cut));
            short.advance(cut);
            let looked_at = short.so_far().flows[0].clone();
            let short = short.finish().flows[0].clone();
            assert_eq!(looked_at.halves_mbps, short.halves_mbps, "{row} {measured}: {span} ms");
            let whole = ackless_cell::run(&of(&format!("{span}ms")), 4).flows[0].clone();
            assert_eq!(short.goodput_mbps, whole.goodput_mbps);
            for half in 0..2 {
                let (ours, theirs) = (short.halves_mbps[half], whole.halves_mbps[half]);
                // An A-MPDU of 42 packets, and what comes in a 128th of the window.
                let apart = 42.0 * 1_500.0 * 8.0 / (span as f64 * 1e3 / 2.0) + 0.05 * theirs;
                assert!((ours - theirs).abs() <= apart, "{row} of {measured} after {span} ms: {ours} and {theirs}");
            }
        }
    }
}

fn cell(scenario: &str, row: &str, overrides: &[&str]) -> CellConfig {
    let mut scenario: Scenario = Builtin::find(scenario).and_then(Builtin::scenario).expect("it comes with Ackless");
    let short = ["run.warm_up=50ms", "run.measured=250ms", "flows.start=0s", "flows.stagger=1ms", "pings.start=0s"];
    for argument in short.iter().chain(overrides) {
        scenario.set(argument).expect("it is an override");
    }
    scenario.build(Row::find(row).expect("it is a row")).expect("it is a cell")
}

fn watched(config: &CellConfig, seed: u64) -> Watched {
    let timeline = Timeline::of_cell(Vec::new(), Format::Csv, config, Duration::from_millis(7)).expect("it can begin");
    Run::new(Cow::Owned(config.clone()), seed, Some(timeline))
}

/// All that a run has found, and its timeline.
fn told(run: Watched) -> (String, String) {
    let (result, timeline) = run.finish_heard();
    let (air, series) = timeline.expect("it was watched").finish().expect("memory takes it");
    let text = |bytes| String::from_utf8(bytes).expect("a timeline is text");
    (format!("{result:?}"), text(air) + &text(series.expect("CSV has two tables")))
}

/// Of each PPDU its start, its kind and its rate.
fn air(run: Watched) -> Vec<(u64, String, u64)> {
    let (_, air) = told(run);
    let lines = air.lines().skip(1).take_while(|line| !line.starts_with("start_ns"));
    let fields = lines.map(|line| line.split(',').collect::<Vec<_>>());
    let ppdus = fields.filter(|fields| fields[5] != "silent");
    ppdus.map(|f| (f[0].parse().expect("a time"), f[2].to_owned(), f[12].parse().expect("a rate"))).collect()
}

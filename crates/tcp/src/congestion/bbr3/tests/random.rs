//! Whatever comes: bounds hold, and the cycle goes on.

use ackless_wire::random::Purpose;

use super::*;

/// What was delivered, lost, marked and timed out at random; after each step the window is where the bounds want it.
fn wander(seed: u64) {
    let mut random = Stream::new(seed, 5, Purpose::Test);
    let mut trace = Trace::seeded(seed);
    let (harsh, marks) = (random.chance(0.5), random.chance(0.3));
    let mut prior = 0;
    let (mut cycles, mut probes) = (0, 0);
    let mut last = trace.bbr.state;
    for step in 0..20_000 {
        trace.now += Duration::from_micros(200 + random.below(1_600));
        trace.inflight = random.below(80_000);
        trace.sent_in = 1_000 + random.below(80_000);
        trace.lost = if random.chance(0.1) { random.below(5_000) } else { 0 };
        trace.window_used = random.chance(0.5);
        trace.limited = random.chance(0.05);
        trace.marked = marks.then(|| random.below(2) * 1000);
        trace.rtt = Some(38 + random.below(40));
        if random.chance(if harsh { 0.05 } else { 0.002 }) {
            let lost = 1_000 + random.below(9_000);
            trace.lose(1 + random.below(1_000_000), trace.sent_in.max(lost), lost);
            trace.phase = FAST;
        } else if random.chance(0.05) {
            trace.phase = Phase::Open;
        }
        if random.chance(0.0005) {
            trace.bbr.on_timeout(trace.now, Bytes(trace.inflight), false);
            trace.lose_these(&[]);
            assert_eq!(trace.bbr.window, Bytes(trace.inflight) + SMSS, "seed {seed}");
            trace.phase = Phase::GoBack { until: Position::FIRST_BYTE };
        }
        if random.chance(0.001) {
            trace.bbr.undo();
            trace.phase = Phase::Open;
        }
        if random.chance(0.001) {
            trace.bbr.on_sent(trace.now, Bytes::ZERO, true);
        }
        let sample = trace.sample(5_000 + random.below(45_000), 38 + random.below(40), prior);
        if random.chance(0.025) {
            prior = trace.delivered;
        }
        trace.ack((!random.chance(0.02)).then_some(sample));
        let bbr = &mut trace.bbr;
        let (path, pacing_rate, product) = (*bbr.path(), bbr.pace.rate, bbr.bdp_times(Gain::WINDOW_UP_3));
        assert_eq!(path, Path::new(bbr.bandwidth(), bbr.round_trips.min(), pacing_rate, SMSS), "seed {seed}");
        let floor = SMSS * MIN_WINDOW;
        assert!(bbr.window >= floor, "seed {seed}, step {step}: {bbr:?}");
        assert!(bbr.bounds.inflight_short.is_none_or(|short| bbr.window <= short.max(floor)), "seed {seed}: {bbr:?}");
        let long = match bbr.state {
            State::Startup | State::Drain { .. } => None,
            State::Cruise | State::ProbeRtt { .. } => bbr.with_headroom(),
            State::Down | State::Refill | State::Up => bbr.bounds.inflight_long,
        };
        assert!(long.is_none_or(|long| bbr.window <= long.max(floor)), "seed {seed}: {bbr:?}");
        assert!(!bbr.full_reached || bbr.window <= product.max(floor) + Bytes(250_000));
        assert!(bbr.pace.rate > BitRate::ZERO && bbr.bandwidth() <= bbr.max_bandwidth.best(), "seed {seed}: {bbr:?}");
        assert!(bbr.round_trips.min().is_some_and(|min| min >= Duration::from_millis(38)), "seed {seed}: {bbr:?}");
        cycles += u32::from(bbr.state == State::Refill && last != State::Refill);
        probes += u32::from(matches!(bbr.state, State::ProbeRtt { .. }) && !matches!(last, State::ProbeRtt { .. }));
        last = bbr.state;
    }
    // Twenty seconds: at least a probe in three and ProbeRTT in five, a round more each, and less where Startup began again.
    assert!((2..=4).contains(&probes) && cycles >= 3, "seed {seed}: {probes} and {cycles}");
}

#[test]
fn whatever_comes_the_bounds_hold_and_the_cycle_goes_on() {
    for seed in 0..300 {
        wander(seed);
    }
}

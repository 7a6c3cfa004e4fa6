//! Drawing wires at random whose rate is not even; and how long such may keep a packet waiting.

use std::sync::Arc;

use ackless_cell::config::{CellConfig, Direction, RateTrace, TracePoints, WireStep};
use ackless_wire::random::Stream;
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::testing::hosts::one_of;

/// A wire that pauses before `latest`, or whose rate goes as a trace says: on average it is as fast
/// as without.
pub fn uneven(random: &mut Stream, config: &mut CellConfig, latest: Duration) {
    if random.chance(0.15) {
        let rate = config.wired.down.rate;
        let begin = Instant::ZERO + Duration::from_nanos(random.below(latest.as_nanos()));
        let end = begin + Duration::from_millis(1 + random.below(200));
        let direction = one_of(random, &[None, Some(Direction::Down), Some(Direction::Up)]);
        for (at, rate) in [(begin, BitRate::ZERO), (end, rate)] {
            let nothing = WireStep::nothing(at);
            config.wired.steps.push(WireStep { direction, rate: Some(rate), ..nothing });
        }
        config.wired.steps.sort_by_key(|step| step.at);
    } else if random.chance(0.15) {
        config.wired.down_trace = Some(trace(random, config.wired.down.rate));
        config.wired.up_trace = Some(trace(random, config.wired.up.rate));
    }
}

/// A trace that repeats and carries as much as `rate` in each of its periods.
fn trace(random: &mut Stream, rate: BitRate) -> Arc<RateTrace> {
    let half = Duration::from_millis(1 + random.below(20));
    let begin = Instant::ZERO + Duration::from_millis(random.below(5));
    let points = if random.chance(0.5) {
        let twice = BitRate::from_bps(rate.bps() * 2);
        TracePoints::Rates(vec![(begin, twice), (begin + half, BitRate::ZERO)])
    } else {
        let bytes = rate.amount_floor(half) + Bytes(1);
        TracePoints::Opportunities(vec![(begin, bytes), (begin + half, bytes)])
    };
    Arc::new(RateTrace::new(points, Some(half * 2)).expect("it has a rate"))
}

/// The longest that a packet waits in a wire for its rate, beyond what the mean rate says, both ways.
pub fn longest_wait(config: &CellConfig) -> Duration {
    let steps = &config.wired.steps;
    let begins = |step: &&WireStep| step.rate == Some(BitRate::ZERO);
    let pause = |step: &WireStep| {
        let mut later = steps.iter().filter(|other| other.at > step.at && other.rate.is_some());
        later.next().map_or(Duration::ZERO, |end| end.at - step.at)
    };
    let pauses: Duration = steps.iter().filter(begins).map(pause).sum();
    let traces = [&config.wired.down_trace, &config.wired.up_trace];
    let periods: Duration =
        traces.into_iter().flatten().filter_map(|trace| trace.period()).map(|period| period * 2).sum();
    pauses + periods
}

//! Rates and opportunities by hand, and against slow ways of the same.

use std::collections::VecDeque;

use ackless_wire::random::{Purpose, Stream};

use super::*;
use crate::config::{Direction, WireStep, WiredLink};
use crate::wired::Wired;

const FULL: Bytes = Bytes(1_500);

/// A link of 12 Mbps without delay, whose rate goes as the trace says.
fn link(points: TracePoints, period: Option<Duration>) -> Wired<u64> {
    let config = WiredLink::clean(BitRate::from_mbps(12), Duration::ZERO, 10_000);
    let trace = RateTrace::new(points, period).unwrap_or_else(|error| panic!("{error}"));
    let steady = Wired::new(config, Stream::new(1, 0, Purpose::Test));
    steady.changing(&[], Direction::Down).tracing(Some(Arc::new(trace)))
}

fn rates(points: &[(u64, u64)]) -> TracePoints {
    let point = |&(millis, mbps): &(u64, u64)| (Instant::from_millis(millis), BitRate::from_mbps(mbps));
    TracePoints::Rates(points.iter().map(point).collect())
}

fn opportunities(points: &[(u64, u64)]) -> TracePoints {
    let point = |&(millis, bytes): &(u64, u64)| (Instant::from_millis(millis), Bytes(bytes));
    TracePoints::Opportunities(points.iter().map(point).collect())
}

/// When each packet arrives, in nanoseconds.
fn arrivals(link: &mut Wired<u64>) -> Vec<(u64, u64)> {
    let mut arrived = Vec::new();
    while let Some(at) = link.poll_timeout() {
        arrived.extend(std::iter::from_fn(|| link.pop(at)).map(|packet| (at.as_nanos(), packet)));
    }
    arrived
}

fn in_micros(link: &mut Wired<u64>) -> Vec<u64> {
    arrivals(link).into_iter().map(|(at, _)| at / 1_000).collect()
}

fn fill(link: &mut Wired<u64>, packets: u64) {
    for packet in 0..packets {
        assert_eq!(link.push(Instant::ZERO, packet, FULL), Ok(()));
    }
}

#[test]
fn rates_hold_from_their_times_on_and_the_last_one_to_the_end() {
    // 12 Mbps of the link until 2 ms, nothing until 5 ms, then 6 Mbps: 2 ms each.
    let mut link = link(rates(&[(2, 0), (5, 6)]), None);
    fill(&mut link, 5);
    assert_eq!(in_micros(&mut link), [1_000, 2_000, 7_000, 9_000, 11_000]);
}

#[test]
fn rates_come_again_after_their_period() {
    // From 1 ms on: 2 ms at 12 Mbps, then a pause of 3 ms, again and again.
    let mut link = link(rates(&[(1, 12), (3, 0)]), Some(Duration::from_millis(5)));
    fill(&mut link, 6);
    assert_eq!(in_micros(&mut link), [1_000, 2_000, 3_000, 7_000, 8_000, 12_000]);
    // After a long silence it is where it would have been.
    assert_eq!(link.push(Instant::from_millis(5_004), 9, FULL), Ok(()));
    assert_eq!(in_micros(&mut link), [5_007_000]);
}

#[test]
fn a_trace_that_ends_in_a_pause_stops_the_link_until_somebody_gives_it_a_rate() {
    let mut link = link(rates(&[(0, 12), (1, 0)]), None);
    fill(&mut link, 2);
    assert_eq!((in_micros(&mut link), link.stopped()), (vec![1_000], 1));
    let delay = WireStep { delay: Some(Duration::ZERO), ..WireStep::nothing(Instant::from_millis(3)) };
    assert_eq!(link.insert(delay), [], "the rate is still the trace's");
    let rate = WireStep { rate: Some(BitRate::from_mbps(6)), ..WireStep::nothing(Instant::from_millis(4)) };
    assert_eq!(link.insert(rate), [Instant::from_millis(6)]);
    assert_eq!(in_micros(&mut link), [6_000]);
}

#[test]
fn an_opportunity_carries_its_bytes_and_what_is_not_used_is_lost() {
    // As in mahimahi: 1,500 bytes at 1, 2 and 4 ms, and again 4 ms later.
    let mut link = link(opportunities(&[(1, 1_500), (2, 1_500), (4, 1_500)]), Some(Duration::from_millis(4)));
    let push = |link: &mut Wired<u64>, micros, id, len| {
        assert_eq!(link.push(Instant::from_micros(micros), id, Bytes(len)), Ok(()));
    };
    // Two small packets leave at one opportunity; the third needs a part of the next.
    push(&mut link, 0, 0, 700);
    push(&mut link, 0, 1, 700);
    push(&mut link, 0, 2, 700);
    // This one has come before 2 ms and fits into the rest of that, the next one has not.
    push(&mut link, 1_999, 3, 500);
    push(&mut link, 2_000, 4, 100);
    // Nothing waits at 4, 5 and 6 ms.
    push(&mut link, 6_500, 5, 1_500);
    assert_eq!(in_micros(&mut link), [1_000, 1_000, 2_000, 2_000, 4_000, 8_000]);
}

#[test]
fn a_trace_of_opportunities_that_does_not_repeat_ends() {
    let mut link = link(opportunities(&[(1, 1_500), (2, 500)]), None);
    fill(&mut link, 2);
    assert_eq!((in_micros(&mut link), link.stopped()), (vec![1_000], 1));
    // Of the second packet 500 bytes have left; 1,000 take 2 ms at 4 Mbps.
    let rate = WireStep { rate: Some(BitRate::from_mbps(4)), ..WireStep::nothing(Instant::from_millis(9)) };
    assert_eq!(link.insert(rate), [Instant::from_millis(11)]);
}

#[test]
fn what_is_no_trace_is_refused() {
    let millis = Duration::from_millis;
    for (points, period) in [
        (rates(&[]), None),
        (rates(&[(1, 5), (1, 6)]), None),
        (rates(&[(2, 5), (1, 6)]), None),
        (rates(&[(0, 0), (1, 0)]), None),
        (rates(&[(0, 0), (5, 1)]), Some(millis(5))),
        (rates(&[(0, 1), (5, 1)]), Some(millis(4))),
        (opportunities(&[(1, 0)]), None),
        (opportunities(&[(0, 1)]), Some(millis(0))),
    ] {
        assert!(RateTrace::new(points.clone(), period).is_err(), "{points:?}, {period:?}");
    }
}

#[test]
fn a_trace_that_carries_next_to_nothing_takes_no_longer_to_follow() {
    // A bit a year, in periods of two nanoseconds.
    let slow = TracePoints::Rates(vec![(Instant::ZERO, BitRate::from_bps(1)), (Instant::from_nanos(1), BitRate::ZERO)]);
    let mut link = link(slow, Some(Duration::from_nanos(2)));
    assert_eq!(link.push(Instant::ZERO, 0, FULL), Ok(()));
    // Half of each period carries: the last bit leaves at the end of such a half.
    assert_eq!(arrivals(&mut link), [(2 * 12_000 * 1_000_000_000 - 1, 0)]);
    let never =
        TracePoints::Rates(vec![(Instant::ZERO, BitRate::from_bps(1)), (Instant::from_nanos(1), BitRate::ZERO)]);
    let mut never = super::tests::link(never, Some(Duration::from_secs(1_000_000)));
    assert_eq!(never.push(Instant::ZERO, 0, FULL), Ok(()));
    assert_eq!((never.poll_timeout(), never.stopped()), (None, 1), "that is beyond the end of any run");
}

#[test]
fn random_rates_carry_what_their_unrolled_steps_do() {
    for seed in 0..200 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let (mut points, mut at) = (Vec::new(), random.below(3_000_000));
        for _ in 0..1 + random.below(6) {
            let mbps = if random.chance(0.4) { 0 } else { 1 + random.below(20) };
            points.push((Instant::from_nanos(at), BitRate::from_mbps(mbps)));
            at += 1 + random.below(2_000_000);
        }
        let period = random.chance(0.7).then(|| Instant::from_nanos(at) - points[0].0);
        let Ok(trace) = RateTrace::new(TracePoints::Rates(points.clone()), period) else { continue };
        let config = WiredLink::clean(BitRate::from_mbps(12), Duration::from_micros(50), 10_000);
        let random_of = || Stream::new(seed, 1, Purpose::Test);
        let mut traced = Wired::new(config, random_of()).tracing(Some(Arc::new(trace)));
        let mut steps = Vec::new();
        for cycle in 0..period.map_or(1, |period| Duration::from_secs(30).div_floor(period)) {
            let shift = period.unwrap_or_default() * cycle;
            let step =
                |&(at, rate): &(Instant, BitRate)| WireStep { rate: Some(rate), ..WireStep::nothing(at + shift) };
            steps.extend(points.iter().map(step));
        }
        let mut stepped = Wired::new(config, random_of()).changing(&steps, Direction::Down);
        let mut now = Instant::ZERO;
        for packet in 0..40 {
            now += Duration::from_nanos(random.below(3_000_000));
            let len = Bytes(40 + random.below(1_461));
            assert_eq!(traced.push(now, packet, len), stepped.push(now, packet, len), "seed {seed}");
        }
        assert_eq!(arrivals(&mut traced), arrivals(&mut stepped), "seed {seed}: {points:?}, {period:?}");
    }
}

#[test]
fn random_opportunities_carry_what_a_queue_that_is_emptied_at_each_does() {
    for seed in 0..200 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let (mut points, mut at) = (Vec::new(), random.below(3));
        for _ in 0..1 + random.below(8) {
            points.push((at, 1_500 * (1 + random.below(3))));
            at += 1 + random.below(5);
        }
        let period = points.last().map_or(0, |(at, _)| *at).max(1);
        let mut link = link(opportunities(&points), Some(Duration::from_millis(period)));
        let mut packets = VecDeque::new();
        let mut now = 0;
        for packet in 0..60 {
            // Now and then at the very time of an opportunity.
            now += if random.chance(0.3) { 1_000_000 - now % 1_000_000 } else { random.below(2_000_000) };
            let len = 40 + random.below(1_461);
            assert_eq!(link.push(Instant::from_nanos(now), packet, Bytes(len)), Ok(()), "seed {seed}");
            packets.push_back((now, len, packet));
        }
        let mut expected = Vec::new();
        'all: for cycle in 0.. {
            for (at, bytes) in &points {
                let (at, mut bytes) = ((at + cycle * period) * 1_000_000, *bytes);
                while let Some((_, left, packet)) = packets.front_mut().filter(|(came, ..)| *came < at && bytes > 0) {
                    let used = bytes.min(*left);
                    (bytes, *left) = (bytes - used, *left - used);
                    if *left == 0 {
                        expected.push((at, *packet));
                        packets.pop_front();
                    }
                }
                if packets.is_empty() {
                    break 'all;
                }
            }
        }
        assert_eq!(arrivals(&mut link), expected, "seed {seed}: {points:?}");
    }
}

//! What a pause keeps, by hand and against a count of all that the link can have carried.

use ackless_wire::BitRate;
use ackless_wire::random::{Purpose, Stream};

use super::*;
use crate::config::{Direction, Probability, WireBuffer, WiredLink};

/// A link of 12 Mbps without delay, on which 1,500 bytes take a millisecond.
fn config() -> WiredLink {
    WiredLink::clean(BitRate::from_mbps(12), Duration::ZERO, 1_000)
}

fn link(config: WiredLink, steps: &[WireStep]) -> Wired<u64> {
    Wired::new(config, Stream::new(1, 0, Purpose::Test)).changing(steps, Direction::Down)
}

fn rate(at_micros: u64, rate: BitRate) -> WireStep {
    WireStep { rate: Some(rate), ..WireStep::nothing(Instant::from_micros(at_micros)) }
}

/// When each packet arrives, in microseconds.
fn arrivals(link: &mut Wired<u64>) -> Vec<(u64, u64)> {
    let mut arrived = Vec::new();
    while let Some(at) = link.poll_timeout() {
        arrived.extend(std::iter::from_fn(|| link.pop(at)).map(|packet| (at.as_nanos() / 1_000, packet)));
    }
    arrived
}

const FULL: Bytes = Bytes(1_500);
const FAST: BitRate = BitRate::from_mbps(12);

#[test]
fn a_pause_keeps_what_waits_and_the_rest_of_the_packet_that_is_under_way() {
    let steps = [rate(1_250, BitRate::ZERO), rate(9_000, BitRate::from_mbps(6))];
    let mut link = link(config(), &steps);
    for packet in 0..3 {
        assert_eq!(link.push(Instant::ZERO, packet, FULL), Ok(()));
    }
    // A packet that comes amid the pause waits for those before it.
    assert_eq!(link.push(Instant::from_micros(5_000), 3, FULL), Ok(()));
    // A quarter of the second has left by 1.25 ms; three quarters take 1.5 ms at half the rate.
    assert_eq!(arrivals(&mut link), [(1_000, 0), (10_500, 1), (12_500, 2), (14_500, 3)]);
}

#[test]
fn a_pause_that_begins_as_a_packet_ends_does_not_touch_it() {
    let mut link = link(config(), &[rate(1_000, BitRate::ZERO), rate(5_000, FAST)]);
    assert_eq!((link.push(Instant::ZERO, 0, FULL), link.push(Instant::ZERO, 1, FULL)), (Ok(()), Ok(())));
    assert_eq!(arrivals(&mut link), [(1_000, 0), (6_000, 1)]);
}

#[test]
fn only_a_full_buffer_drops_and_it_is_as_long_as_ever() {
    for buffer in [WireBuffer::Packets(2), WireBuffer::Bytes(Bytes(3_000))] {
        for end in [None, Some(rate(5_000, FAST))] {
            let steps: Vec<_> = [rate(0, BitRate::ZERO)].into_iter().chain(end).collect();
            let mut link = link(WiredLink { buffer, ..config() }, &steps);
            let taken = (0..5).filter(|&packet| link.push(Instant::from_micros(10), packet, FULL).is_ok()).count();
            // The first one is next to be sent, and does not wait.
            assert_eq!(taken, 3, "{buffer:?}");
            let expected = if end.is_some() { vec![(6_000, 0), (7_000, 1), (8_000, 2)] } else { Vec::new() };
            assert_eq!(arrivals(&mut link), expected, "{buffer:?}");
            assert_eq!(link.packets().count(), 3 - expected.len(), "{buffer:?}: none is lost");
        }
    }
}

#[test]
fn a_link_without_a_known_end_of_its_pause_goes_on_when_it_is_told_to() {
    let mut link = link(config(), &[rate(500, BitRate::ZERO)]);
    assert_eq!((link.push(Instant::ZERO, 0, FULL), link.push(Instant::ZERO, 1, FULL)), (Ok(()), Ok(())));
    assert_eq!((link.poll_timeout(), link.free_at(), link.stopped()), (None, Instant::FAR_FUTURE, 2));
    // Neither another delay nor another pause lets it go on.
    let delay = Some(Duration::from_micros(100));
    assert_eq!(link.insert(WireStep { delay, ..WireStep::nothing(Instant::from_micros(2_000)) }), []);
    assert_eq!(link.insert(rate(3_000, BitRate::ZERO)), []);
    let micros = Instant::from_micros;
    assert_eq!(link.insert(rate(20_000, FAST)), [micros(20_500), micros(21_500)]);
    assert_eq!((link.free_at(), link.stopped()), (micros(21_500), 0));
    assert_eq!(link.push(micros(30_000), 2, FULL), Ok(()));
    assert_eq!(arrivals(&mut link), [(20_600, 0), (21_600, 1), (31_100, 2)]);
}

#[test]
fn a_packet_that_is_lost_amid_a_pause_is_known_at_once_and_takes_its_time_on_the_link() {
    let loss = Probability::new(1.0).expect("a probability");
    let mut link = link(WiredLink { loss, ..config() }, &[rate(0, BitRate::ZERO)]);
    assert_eq!(link.push(Instant::ZERO, 0, FULL), Err(0));
    assert_eq!(link.insert(rate(7_000, FAST)), [Instant::from_micros(8_000)]);
    assert_eq!(link.packets().count(), 0);
    assert_eq!(link.poll_timeout(), Some(Instant::from_micros(8_000)));
    assert_eq!(arrivals(&mut link), []);
}

#[test]
fn whatever_the_pauses_each_packet_leaves_when_the_rates_have_carried_it() {
    for seed in 0..300 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let (mut steps, mut at) = (Vec::new(), 0);
        for _ in 0..random.below(12) {
            at += random.below(3_000);
            let mbps = if random.chance(0.4) { 0 } else { 1 + random.below(20) };
            steps.push(rate(at, BitRate::from_mbps(mbps)));
        }
        let mut link = link(config(), &steps);
        let (mut now, mut expected, mut free) = (0, Vec::new(), Some(0));
        for packet in 0..30 {
            now += random.below(1_500) * 1_000;
            let len = Bytes(40 + random.below(1_461));
            free = free.and_then(|free| carried(&steps, now.max(free), len));
            expected.extend(free.map(|at| (at, packet)));
            assert_eq!(link.push(Instant::from_nanos(now), packet, len), Ok(()), "seed {seed}");
        }
        let mut arrived = Vec::new();
        while let Some(at) = link.poll_timeout() {
            arrived.extend(std::iter::from_fn(|| link.pop(at)).map(|packet| (at.as_nanos(), packet)));
        }
        assert_eq!(arrived, expected, "seed {seed}: {steps:?}");
    }
}

/// When `len` is carried from `from` on: nanosecond by nanosecond within the one piece of constant
/// rate that ends it.
fn carried(steps: &[WireStep], from: u64, len: Bytes) -> Option<u64> {
    let changes = steps.iter().map(|step| (step.at.as_nanos(), step.rate.expect("each has one").bps()));
    let pieces: Vec<(u64, u64)> = [(0, FAST.bps())].into_iter().chain(changes).collect();
    let mut left = i128::from(len.bits()) * 1_000_000_000;
    for (n, (begin, bps)) in pieces.iter().enumerate() {
        let end = pieces.get(n + 1).map_or(u64::MAX, |(at, _)| *at);
        let (begin, bps) = (from.max(*begin), i128::from(*bps));
        if end <= begin {
            continue;
        }
        if bps > 0 && left <= bps * i128::from(end - begin) {
            return Some(begin + u64::try_from((left + bps - 1) / bps).expect("in the piece"));
        }
        left -= bps * i128::from(end - begin);
    }
    None
}

//! Two flows with one context identifier: each native ACK of each flow in turn is lost, and the two never get mixed up.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ackless_cell::config::{CellConfig, Direction, Span, Traffic};
use ackless_cell::loss::Interference;
use ackless_dot11::frame::{Body, FrameHandle, NodeId};
use ackless_phy::Standard;
use ackless_rohc::hack::{Cid, FiveTuple};
use ackless_schemes::Guard;
use ackless_wire::{Bytes, Duration, Instant};

use crate::hack::trial::Trial;
use crate::testing::crew;
use crate::testing::hack_cells::{cell, dormant, hack_of, tcp_of, transfer};

/// The least two numbers of flows whose ACKs have one identifier, both with a station and in a direction.
///
/// A cell numbers the ports of its flows on from 10,000 at the server and from 20,000 at the station.
pub fn colliding(station: usize, direction: Direction) -> (usize, usize) {
    let cid = |number: usize| {
        let station = (Ipv4Addr::new(10, 0, 0, station as u8 + 1).into(), 20_000 + number as u16);
        let server = (Ipv4Addr::new(10, 1, 0, 1).into(), 10_000 + number as u16);
        let ((src, src_port), (dst, dst_port)) = match direction {
            Direction::Down => (station, server),
            Direction::Up => (server, station),
        };
        Cid::of(&FiveTuple { src, dst, src_port, dst_port })
    };
    let pair = |second: usize| (0..second).find(|&first| cid(first) == cid(second)).map(|first| (first, second));
    (1..=256).find_map(pair).expect("of 257 flows two share one of 256 identifiers")
}

/// Flows `0..=second`, of which only the colliding two ever start.
pub fn with_colliding(mut config: CellConfig, station: usize, direction: Direction, size: Bytes) -> CellConfig {
    let (first, second) = colliding(station, direction);
    config.flows = (0..=second).map(dormant).collect();
    for number in [first, second] {
        config.flows[number] = transfer(number, station, direction, size);
    }
    config
}

/// How the two flows lie in time.
#[derive(Clone, Copy, Debug)]
enum Times {
    /// The second one starts so many milliseconds after the first.
    Later(u64),
    /// Both make short transfers with pauses in which the owner's claim to the identifier runs out.
    Turns,
}

/// What becomes of a native ACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mishap {
    /// Its first transmission is lost.
    Once,
    /// All its transmissions are lost.
    ForGood,
    /// It arrives, but no answer to it does.
    Unheard,
}

/// Two flows whose ACKs differ in length: with timestamps the first one's have 52 bytes, and the second one's 40.
fn two_flows(standard: Standard, direction: Direction, times: Times) -> CellConfig {
    let mut config = with_colliding(cell(standard, 4), 0, direction, Bytes(50_000));
    let (first, second) = colliding(0, direction);
    for number in [first, second] {
        let flow = &mut config.flows[number];
        match times {
            Times::Later(millis) if number == second => flow.start = Instant::from_millis(millis),
            Times::Later(_) => {}
            Times::Turns => {
                let think = Duration::from_millis(if number == first { 1300 } else { 700 });
                flow.traffic = Traffic::Repeated { size: Bytes(30_000), think: Span::Fixed(think) };
            }
        }
        (tcp_of(flow).timestamps, tcp_of(flow).sack) = (number == first, false);
    }
    config.ap.mac.retry_limit = Some(3);
    config.stations[0].mac.retry_limit = Some(3);
    config
}

/// Lets `mishap` come over the native ACKs numbers `which` of the flow whose ACKs are so long, and counts them in `seen`.
fn strike(len: Bytes, which: std::ops::Range<u64>, mishap: Mishap, seen: Arc<AtomicU64>) -> Interference {
    let (mut known, mut struck, mut unheard): (Vec<FrameHandle>, Vec<FrameHandle>, Option<NodeId>) =
        (Vec::new(), Vec::new(), None);
    Interference(Box::new(move |_, ppdu| {
        if ppdu.answer().is_some() {
            return if unheard == Some(ppdu.receiver) { 0 } else { u64::MAX };
        }
        if matches!(ppdu.body, Body::BlockAckReq(..)) {
            return u64::MAX;
        }
        let (mut lost, mut hit) = (0, false);
        for (n, mpdu) in ppdu.mpdus().iter().enumerate() {
            if !mpdu.tcp_ack || mpdu.packet_len != len {
                continue;
            }
            let new = !known.contains(&mpdu.handle);
            if new {
                known.push(mpdu.handle);
                let number = seen.fetch_add(1, Ordering::Relaxed);
                if which.contains(&number) {
                    struck.push(mpdu.handle);
                }
            }
            if struck.contains(&mpdu.handle) {
                hit = true;
                lost |= u64::from(mishap == Mishap::ForGood || (mishap == Mishap::Once && new)) << n;
            }
        }
        unheard = (hit && mishap == Mishap::Unheard).then_some(ppdu.transmitter);
        !lost
    }))
}

/// Runs the cell once for each native ACK of each of the two flows, and for each three in a row. Says how often a collision was met.
fn at_every_point(config: &CellConfig, what: &str, mishap: Mishap) -> u64 {
    let collisions = AtomicU64::new(0);
    for (len, in_a_row) in [(52, 1), (40, 1), (52, 3), (40, 3)] {
        let what = format!("{what}, {mishap:?} to {in_a_row} of {len} bytes, from native ACK");
        let met = crew::all(&what, POINTS, |first| {
            let seen = Arc::new(AtomicU64::new(0));
            let interference = strike(Bytes(len), first..first + in_a_row, mishap, Arc::clone(&seen));
            let outcome = Trial::disturbed(config.clone(), 1, interference).run();
            collisions.fetch_add(outcome.counters.cid_collision, Ordering::Relaxed);
            seen.load(Ordering::Relaxed)
        });
        assert!(met.iter().any(|&seen| seen > 0), "{what}: there is none");
        assert!(met.last().is_some_and(|&seen| seen < POINTS), "{what}: more native ACKs than points: {met:?}");
    }
    collisions.into_inner()
}

fn colliding_flows(direction: Direction) {
    for standard in [Standard::A, Standard::N] {
        for times in [Times::Later(0), Times::Later(7), Times::Later(1150), Times::Turns] {
            let config = two_flows(standard, direction, times);
            let what = format!("{standard:?} {direction:?} {times:?}");
            let mishaps = [Mishap::Once, Mishap::ForGood, Mishap::Unheard];
            let collisions: u64 = mishaps.into_iter().map(|mishap| at_every_point(&config, &what, mishap)).sum();
            let together = !matches!(times, Times::Later(1150));
            assert!(collisions > 0 || !together, "{what}: no collision was met");
        }
    }
}

#[test]
fn colliding_downloads_stay_apart_wherever_a_native_ack_is_lost() {
    colliding_flows(Direction::Down);
}

#[test]
fn colliding_uploads_stay_apart_wherever_a_native_ack_is_lost() {
    colliding_flows(Direction::Up);
}

/// Nothing of the AP's data arrives from `from` on for longer than an owner may be silent, and then `answers` answers with compressed ACKs
/// are lost.
fn outage(from: Instant, mut answers: u32) -> Interference {
    let until = from + Duration::from_millis(1200);
    Interference(Box::new(move |now, ppdu| {
        let lost = match ppdu.answer() {
            None => now >= from && now < until && ppdu.transmitter == NodeId(0),
            Some(answer) => now >= until && !answer.appended.is_empty() && answers > 0,
        };
        answers -= u32::from(lost && ppdu.answer().is_some());
        if lost { 0 } else { u64::MAX }
    }))
}

/// The guard timer waits through the outage, so that the owner still holds ACKs after it. Where the answer that brings them is lost, a native
/// ACK of the other flow comes before they do.
#[test]
fn an_owner_that_was_silent_for_too_long_appends_nothing_any_more() {
    for standard in [Standard::A, Standard::N] {
        let mut config = two_flows(standard, Direction::Down, Times::Later(3));
        for scheme in [&mut config.ap.scheme, &mut config.stations[0].scheme] {
            hack_of(scheme).expect("all nodes speak HACK").guard = Guard::Fixed(Duration::from_secs(5));
        }
        let taken_over = crew::all(&format!("{standard:?}, outage"), 300, |number| {
            let from = Instant::from_micros(4000 + 500 * (number / 4));
            let interference = outage(from, number as u32 % 4);
            Trial::disturbed(config.clone(), 1, interference).run().counters.taken_over
        });
        assert!(taken_over.iter().sum::<u64>() > 0, "{standard:?}: no identifier changed hands");
    }
}

#[test]
fn the_owner_of_an_identifier_goes_on_compressing_while_the_other_flow_goes_natively() {
    let mut config = two_flows(Standard::N, Direction::Down, Times::Later(20));
    for flow in &mut config.flows {
        flow.traffic = Traffic::Finite { size: Bytes(400_000) };
    }
    hack_of(&mut config.ap.scheme).expect("all nodes speak HACK").guard = Guard::Fixed(Duration::from_millis(50));
    let alone = config.flows.iter().find(|flow| flow.start == Instant::ZERO).expect("the first flow starts at once");
    let alone = CellConfig { flows: vec![alone.clone()], ..config.clone() };
    let [together, alone] = [config, alone].map(|config| Trial::undisturbed(config, 1).run().counters);
    assert!(together.cid_collision > 0, "the second flow's ACKs go natively: {together:#?}");
    assert_eq!(alone.cid_collision, 0);
    assert!(together.compressed_acks > 100 && together.native_acks > 100, "{together:#?}");
    assert_eq!(together.taken_over, 0, "nobody was idle");
}

/// More than either flow sends native ACKs, so that each is struck once.
const POINTS: u64 = 120;

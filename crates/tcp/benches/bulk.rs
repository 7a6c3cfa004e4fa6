//! What a bulk transfer costs: nanoseconds for each data segment, at the sender and at the receiver.
//!
//! Segments go in flights of 42, as an A-MPDU carries them, and their acknowledgements come back together.
//! `sender` and `receiver` time one end alone against recorded packets of the other; `both` times the pair with its
//! loop, `lossy` with one segment in a thousand lost.

use std::net::SocketAddr;

use ackless_tcp::{AckChoice, Config, CongestionChoice, Endpoint, State};
use ackless_wire::{Bytes, Duration, Instant, Packet, SeqNumber};
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// Few enough that recorded packets stay in the cache, as those of a simulated cell do.
const FLIGHTS: u64 = 24;
const SEGMENTS: u64 = 42;

fn config(every: u32) -> Config {
    Config {
        congestion: CongestionChoice::Reno,
        ack: AckChoice::Delayed { every, timeout: Duration::from_millis(40) },
        // One flight is out at a time.
        receive_buffer: Bytes(SEGMENTS * 1448),
        ..Config::default()
    }
}

fn address(end: u8) -> SocketAddr {
    SocketAddr::new([10, 0, 0, end].into(), 5000)
}

/// Two connected endpoints, the first with endless data, and the time.
fn connected(every: u32) -> ([Endpoint; 2], Instant) {
    let mut now = Instant::from_millis(1);
    let mut ends = [
        Endpoint::connect(now, config(every), address(1), address(2), SeqNumber(1)),
        Endpoint::listen(config(every), address(2), SeqNumber(2)),
    ];
    while ends[1].state() != State::Established {
        now += Duration::from_millis(1);
        for from in [0, 1] {
            while let Some(packet) = ends[from].poll_transmit(now) {
                ends[1 - from].handle_segment(now, &packet);
            }
        }
    }
    ends[0].send_forever();
    (ends, now)
}

/// Moves one flight and its acknowledgements; `lost` says which segments are. Returns how many segments went.
fn exchange(
    ends: &mut [Endpoint; 2],
    now: &mut Instant,
    (flight, acks): (&mut Vec<Packet>, &mut Vec<Packet>),
    mut lost: impl FnMut() -> bool,
) -> u64 {
    *now += Duration::from_micros(3_500);
    flight.clear();
    flight.extend(std::iter::from_fn(|| ends[0].poll_transmit(*now)));
    let segments = flight.len() as u64;
    acks.clear();
    for packet in flight.iter() {
        if !lost() {
            ends[1].handle_segment(*now, packet);
            acks.extend(ends[1].poll_transmit(*now));
        }
    }
    for packet in acks.iter() {
        ends[0].handle_segment(*now, packet);
    }
    for end in ends.iter_mut() {
        if end.poll_timeout().is_some_and(|at| at <= *now) {
            end.handle_timeout(*now);
        }
        divan::black_box(end.poll_event());
    }
    segments
}

#[divan::bench(args = [1, 2, 8])]
fn both(bencher: divan::Bencher, every: u32) {
    bencher.counter(ItemsCount::new(FLIGHTS * SEGMENTS)).with_inputs(|| connected(every)).bench_values(
        |(mut ends, mut now)| {
            let (mut flight, mut acks) = (Vec::new(), Vec::new());
            let mut segments = 0;
            while segments < FLIGHTS * SEGMENTS {
                segments += exchange(&mut ends, &mut now, (&mut flight, &mut acks), || false);
            }
            ends
        },
    );
}

#[divan::bench]
fn lossy(bencher: divan::Bencher) {
    bencher.counter(ItemsCount::new(FLIGHTS * SEGMENTS)).with_inputs(|| connected(2)).bench_values(
        |(mut ends, mut now)| {
            let (mut flight, mut acks) = (Vec::new(), Vec::new());
            let (mut segments, mut count) = (0, 0u64);
            while segments < FLIGHTS * SEGMENTS {
                segments += exchange(&mut ends, &mut now, (&mut flight, &mut acks), || {
                    count += 1;
                    count.is_multiple_of(1000)
                });
            }
            ends
        },
    );
}

/// The segments of one flight and their acknowledgements.
struct Flight {
    now: Instant,
    data: Vec<Packet>,
    acks: Vec<Packet>,
}

/// Everything that the two ends send in `FLIGHTS` flights, and the ends as they were before.
fn recorded(every: u32) -> ([Endpoint; 2], Vec<Flight>) {
    let (start, mut now) = connected(every);
    let mut ends = start.clone();
    let flights = (0..FLIGHTS).map(|_| {
        now += Duration::from_micros(3_500);
        for end in &mut ends {
            end.handle_timeout(now);
        }
        let data: Vec<Packet> = std::iter::from_fn(|| ends[0].poll_transmit(now)).collect();
        let mut acks = Vec::new();
        for packet in &data {
            ends[1].handle_segment(now, packet);
            acks.extend(ends[1].poll_transmit(now));
        }
        acks.iter().for_each(|packet| ends[0].handle_segment(now, packet));
        Flight { now, data, acks }
    });
    let flights = flights.collect();
    (start, flights)
}

#[divan::bench(args = [1, 2, 8])]
fn sender(bencher: divan::Bencher, every: u32) {
    let ([sender, _], flights) = recorded(every);
    let segments: usize = flights.iter().map(|flight| flight.data.len()).sum();
    bencher.counter(ItemsCount::new(segments)).with_inputs(|| sender.clone()).bench_values(|mut sender| {
        for Flight { now, acks, .. } in &flights {
            sender.handle_timeout(*now);
            while let Some(packet) = sender.poll_transmit(*now) {
                divan::black_box(packet);
            }
            for ack in acks {
                sender.handle_segment(*now, ack);
            }
            divan::black_box((sender.poll_event(), sender.poll_timeout()));
        }
        sender
    });
}

#[divan::bench(args = [1, 2, 8])]
fn receiver(bencher: divan::Bencher, every: u32) {
    let ([_, receiver], flights) = recorded(every);
    let segments: usize = flights.iter().map(|flight| flight.data.len()).sum();
    bencher.counter(ItemsCount::new(segments)).with_inputs(|| receiver.clone()).bench_values(|mut receiver| {
        for Flight { now, data, .. } in &flights {
            receiver.handle_timeout(*now);
            for segment in data {
                receiver.handle_segment(*now, segment);
                if let Some(packet) = receiver.poll_transmit(*now) {
                    divan::black_box(packet);
                }
            }
            divan::black_box((receiver.poll_event(), receiver.poll_timeout()));
        }
        receiver
    });
}

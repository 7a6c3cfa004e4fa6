//! What RFC mode costs for each ACK: compressed, and decompressed again.
//!
//! `plain` is a download without timestamps, `stamped` one whose timestamps move with every ACK, `sack` a growing SACK
//! block, `wild` a flow that changes everything now and then, as in the tests. All have settled, with the default window of
//! four references.

use ackless_rohc::rfc::{CidSpace, Compressor, Config, Decompressor};
use divan::counter::ItemsCount;

#[path = "../tests/suite/rfc/acks.rs"]
mod acks;

use acks::{Ack, Flow};

fn main() {
    divan::main();
}

const ACKS: usize = 1000;
/// Enough for every context to have settled.
const SETTLE: usize = 20;
const FLOWS: [&str; 4] = ["plain", "stamped", "sack", "wild"];

fn packets(flow: &str) -> Vec<Vec<u8>> {
    if flow == "wild" {
        let mut flow = Flow::new(6, 1);
        return (0..SETTLE + ACKS).map(|_| flow.next().bytes()).collect();
    }
    let mut ack = Ack::plain();
    if flow != "plain" {
        ack.timestamps = Some((100_000, 900_000));
    }
    if flow == "sack" {
        ack.sack = vec![(501_448, 502_896)];
    }
    let mut next = |n: u32| {
        ack.ip_id = Some(n as u16);
        ack.timestamps = ack.timestamps.map(|(value, echo)| (value + 1, echo + 1));
        match ack.sack.first_mut() {
            Some(block) => block.1 += 1448,
            None => ack.ack += 2896,
        }
        ack.bytes()
    };
    (1..=(SETTLE + ACKS) as u32).map(&mut next).collect()
}

fn settled(packets: &[Vec<u8>]) -> (Compressor, Decompressor) {
    let mut compressor = Compressor::new(CidSpace::SMALL, Config::default());
    let mut decompressor = Decompressor::new(CidSpace::SMALL);
    for packet in &packets[..SETTLE] {
        let mut rohc = Vec::new();
        compressor.compress(packet, &mut rohc).expect("a pure ACK");
        decompressor.decompress(&rohc, &mut Vec::new()).expect("our own packet");
    }
    (compressor, decompressor)
}

#[divan::bench(args = FLOWS)]
fn compress(bencher: divan::Bencher<'_, '_>, flow: &str) {
    let packets = packets(flow);
    bencher.counter(ItemsCount::new(ACKS)).with_inputs(|| settled(&packets).0).bench_values(|mut compressor| {
        let mut rohc = Vec::with_capacity(100);
        for packet in &packets[SETTLE..] {
            rohc.clear();
            compressor.compress(packet, &mut rohc).expect("a pure ACK");
            divan::black_box(&rohc);
        }
    });
}

#[divan::bench(args = FLOWS)]
fn compress_and_decompress(bencher: divan::Bencher<'_, '_>, flow: &str) {
    let packets = packets(flow);
    bencher.counter(ItemsCount::new(ACKS)).with_inputs(|| settled(&packets)).bench_values(
        |(mut compressor, mut end)| {
            let (mut rohc, mut out) = (Vec::with_capacity(100), Vec::with_capacity(100));
            for packet in &packets[SETTLE..] {
                rohc.clear();
                out.clear();
                compressor.compress(packet, &mut rohc).expect("a pure ACK");
                end.decompress(&rohc, &mut out).expect("our own packet");
                divan::black_box(&out);
            }
        },
    );
}

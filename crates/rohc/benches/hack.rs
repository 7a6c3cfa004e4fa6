//! What HACK mode costs for each ACK: compressed, decompressed, and both through the bytes of a frame.
//!
//! `steady` is a download with delayed ACKs and timestamps that move with each burst of 21; `wild` changes everything
//! now and then, as the tests do.

use ackless_rohc::hack::{Ack, Cid, Code, Codec, Compressor, Decompressor, Frame, FrameWriter};
use ackless_wire::ip::Ipv4Header;
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{IpHeader, Packet, Payload, TcpFlags, TcpHeader, Transport};
use divan::counter::ItemsCount;

#[path = "../tests/suite/hack/acks.rs"]
mod acks;

fn main() {
    divan::main();
}

/// The ACKs of an A-MPDU of 42 segments, and how many of such bursts.
const BURST: usize = 21;
const BURSTS: usize = 50;

/// The two kinds of flow.
const FLOWS: [&str; 2] = ["steady", "wild"];

fn acks(flow: &str) -> Vec<Ack> {
    let count = BURST * BURSTS + 1;
    if flow == "wild" {
        let mut flow = acks::Flow::new(Stream::new(1, 1, Purpose::Test), 0.02);
        return (0..count).map(|_| flow.next()).collect();
    }
    let of = |n: u32| {
        let mut ip = Ipv4Header::new([192, 168, 0, 2].into(), [10, 0, 0, 1].into());
        ip.id = n as u16;
        let mut tcp = TcpHeader { flags: TcpFlags::ACK, window: 0x2000, ..TcpHeader::new(40_000, 80) };
        tcp.ack += n * 2896;
        let tick = n / BURST as u32 * 4;
        tcp.options.timestamps = Some((7_000_000 + tick, 9_000_000 + tick));
        let packet = Packet { ip: IpHeader::V4(ip), transport: Transport::Tcp(tcp), payload: Payload::EMPTY };
        Ack::of(&packet).expect("a pure ACK")
    };
    (1..=count as u32).map(of).collect()
}

fn installed(acks: &[Ack]) -> (Compressor, Decompressor) {
    let (mut client, mut ap) = (Compressor::default(), Decompressor::default());
    client.install(&acks[0]);
    ap.install(&acks[0]);
    (client, ap)
}

#[divan::bench(args = FLOWS)]
fn compress(bencher: divan::Bencher<'_, '_>, flow: &str) {
    let acks = acks(flow);
    bencher.counter(ItemsCount::new(acks.len() - 1)).with_inputs(|| installed(&acks).0).bench_local_values(
        |mut client| {
            for ack in &acks[1..] {
                divan::black_box(client.compress(ack).expect("the context is open"));
            }
        },
    );
}

#[divan::bench(args = FLOWS)]
fn decompress(bencher: divan::Bencher<'_, '_>, flow: &str) {
    let acks = acks(flow);
    let (mut client, ap) = installed(&acks);
    let codes: Vec<Code> = acks[1..].iter().map(|ack| client.compress(ack).expect("the context is open")).collect();
    let frames: Vec<Vec<u8>> = codes.chunks(BURST).map(frame).collect();
    bencher.counter(ItemsCount::new(codes.len())).with_inputs(|| ap.clone()).bench_local_values(|mut ap| {
        frames.iter().for_each(|frame| read(&mut ap, frame));
    });
}

#[divan::bench(args = FLOWS)]
fn both_through_frames(bencher: divan::Bencher<'_, '_>, flow: &str) {
    let acks = acks(flow);
    let (mut held, mut bytes) = (Vec::with_capacity(BURST), Vec::with_capacity(Frame::MAX_LEN));
    bencher.counter(ItemsCount::new(acks.len() - 1)).with_inputs(|| installed(&acks)).bench_local_values(
        |(mut client, mut ap)| {
            for burst in acks[1..].chunks(BURST) {
                held.clear();
                held.extend(burst.iter().map(|ack| client.compress(ack).expect("the context is open")));
                bytes.clear();
                FrameWriter::new(Codec::default(), &mut bytes, Frame::MAX_LEN).run(Cid(1), &held);
                read(&mut ap, &bytes);
            }
        },
    );
}

fn frame(codes: &[Code]) -> Vec<u8> {
    let mut bytes = Vec::new();
    FrameWriter::new(Codec::default(), &mut bytes, Frame::MAX_LEN).run(Cid(1), codes);
    bytes
}

fn read(ap: &mut Decompressor, bytes: &[u8]) {
    let frame = Frame::read(Codec::default(), bytes).expect("a frame that was written");
    for run in frame.runs() {
        for decoded in ap.decode(&run).expect("the run fits") {
            divan::black_box(decoded.expect("each code is right"));
        }
    }
}

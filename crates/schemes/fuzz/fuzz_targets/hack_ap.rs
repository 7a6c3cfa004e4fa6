//! HACK's decompressing end against arbitrary clients, in any order: never a panic; what comes up and what
//! is kept is together not more than what came, and no packet is left in the end.
//!
//! Appended bytes are arbitrary, or those of a client that keeps to the protocol, whole or with a byte changed.
//! `cargo +nightly fuzz run hack_ap` in `crates/schemes`.

#![no_main]

use std::collections::BTreeMap;

use ackless_rohc::hack::{Ack, Cid, Codec, Compressor, FrameWriter};
use ackless_schemes_fuzz::node::{Header, MpduHeader, Node, Setting, node};
use ackless_schemes_fuzz::segment::{FLOWS, Segment, Way};
use ackless_wire::{Duration, Packet, Transport};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Step {
    /// Data for a peer comes over the wire.
    Data {
        peer: u8,
        segment: Segment,
    },
    Send(u8),
    SendAgain(u8),
    Settle {
        which: u8,
        delivered: bool,
    },
    Drop(u8),
    /// A peer sends frames: native ACKs, or anything else.
    Native {
        header: Header,
        mpdus: Vec<(MpduHeader, Segment)>,
    },
    Request {
        header: Header,
        behind: u8,
    },
    /// A peer answers with ACKs after the last one of a flow; one byte of them may be changed.
    Compressed {
        peer: u8,
        flow: u8,
        acks: Vec<Move>,
        again: u8,
        harm: Option<(u8, u8)>,
    },
    Answered {
        peer: u8,
        appended: Option<Vec<u8>>,
    },
    Wait {
        micros: u16,
    },
    WaitLong {
        millis: u16,
    },
}

/// From one ACK to the next.
#[derive(Arbitrary, Clone, Copy, Debug)]
struct Move {
    steps: u8,
    stamp: u8,
    window: i8,
}

/// What a client that keeps to the protocol has of each flow: by peer and flow.
type Clients = BTreeMap<(u16, u8), (Compressor, Packet)>;

fuzz_target!(|input: (Setting, Vec<Step>)| {
    let (setting, steps) = input;
    let codec = setting.codec();
    let mut ap = Node::new(setting);
    let mut clients = Clients::new();
    let mut came = 0;
    for step in steps {
        match step {
            Step::Data { peer, segment } => {
                let mut packet = segment.packet(peer, Way::ToPeer);
                // Nothing that this end would hold: what it holds then came out of appended bytes.
                packet.payload = ackless_wire::Payload::Length(packet.payload.len().max(1));
                ap.host(peer, packet);
            }
            Step::Send(count) => ap.send(count),
            Step::SendAgain(peer) => ap.send_again(node(peer)),
            Step::Settle { which, delivered } => ap.settle(which, delivered),
            Step::Drop(which) => ap.drop_queued(which),
            Step::Native { header, mpdus } => {
                let segments = mpdus.iter().take(64);
                let packets: Vec<_> =
                    segments.map(|(mpdu, segment)| (*mpdu, segment.packet(header.peer, Way::FromPeer))).collect();
                for ((_, segment), (_, packet)) in mpdus.iter().zip(&packets) {
                    came += 1;
                    if let Ok(ack) = Ack::of(packet) {
                        let client = clients.entry((node(header.peer).0, segment.flow % FLOWS));
                        let (compressor, last) = client.or_insert((Compressor::new(codec), packet.clone()));
                        compressor.install(&ack);
                        *last = packet.clone();
                    }
                }
                ap.arrive(header, packets.into_iter());
            }
            Step::Request { header, behind } => ap.request(header, behind),
            Step::Compressed { peer, flow, acks, again, harm } => {
                let Some(client) = clients.get_mut(&(node(peer).0, flow % FLOWS)) else { continue };
                let mut appended = answer(codec, client, &acks, again);
                if let Some((at, bits)) = harm.filter(|_| !appended.is_empty()) {
                    let at = usize::from(at) % appended.len();
                    appended[at] ^= bits;
                }
                came += appended.len() as u64;
                ap.answered(peer, Some(appended));
            }
            Step::Answered { peer, appended } => {
                came += appended.as_ref().map_or(0, |appended| appended.len() as u64);
                ap.answered(peer, appended);
            }
            Step::Wait { micros } => ap.wait(Duration::from_micros(micros.into())),
            Step::WaitLong { millis } => ap.wait(Duration::from_millis(millis.into())),
        }
        // Each byte is one ACK at most.
        assert!(ap.held() as u64 + ap.up() <= came, "{} packets are held", ap.held());
        assert!(ap.held() <= MOST_HELD, "{} packets are held", ap.held());
    }
    ap.finish();
});

/// What a client appends: its last ACK moved on by each of `acks`, and then unchanged as often as `again` says.
fn answer(codec: Codec, (compressor, last): &mut (Compressor, Packet), acks: &[Move], again: u8) -> Vec<u8> {
    let mut codes = Vec::new();
    let still = Move { steps: 0, stamp: 0, window: 0 };
    for step in acks.iter().copied().chain(std::iter::repeat_n(still, again.into())).take(codec.max_outstanding().into()) {
        if let Transport::Tcp(tcp) = &mut last.transport {
            tcp.ack += u32::from(step.steps) * 1448;
            tcp.window = tcp.window.wrapping_add_signed(step.window.into());
            if let Some((value, echo)) = &mut tcp.options.timestamps {
                *value = value.wrapping_add(step.stamp.into());
                *echo = echo.wrapping_add(step.stamp.into());
            }
        }
        let ack = Ack::of(last).expect("moving does not change what it is");
        // RFC 6846 has no packet for some ACKs, which go natively.
        let Ok(code) = compressor.compress(&ack) else { break };
        codes.push(code);
    }
    let flow = Ack::of(last).expect("moving does not change what it is").flow();
    let mut bytes = Vec::new();
    FrameWriter::new(codec, &mut bytes, usize::MAX).run(Cid::of(&flow), &codes);
    bytes
}

/// The ACKs of three peers that may wait for native frames in the reorder buffers.
const MOST_HELD: usize = 3 * 4096;

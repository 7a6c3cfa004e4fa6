//! FastACK against arbitrary servers and clients: never a panic; it acknowledges only up to where a
//! segment ends that a client's MAC has, or where the client has itself; what it keeps is bounded,
//! and nothing is left after the clients' RSTs.
//!
//! `cargo +nightly fuzz run fast_ack_ap` in `crates/schemes`.

#![no_main]

use std::collections::BTreeSet;

use ackless_schemes::fast_ack::{FastAck, FastAckConfig};
use ackless_schemes_fuzz::bare::Bare;
use ackless_schemes_fuzz::node::{PEERS, node};
use ackless_schemes_fuzz::segment::{FLOWS, Segment, Way};
use ackless_wire::{Duration, TcpFlags, Transport};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Step {
    /// A peer connects to the server.
    Connect {
        peer: u8,
        flow: u8,
        window: u16,
        scale: Option<u8>,
    },
    /// The server sends something to a peer.
    Server {
        peer: u8,
        segment: Segment,
    },
    /// A peer sends something.
    Client {
        peer: u8,
        segment: Segment,
    },
    Send(u8),
    Settle {
        which: u8,
        delivered: bool,
    },
    Drop(u8),
    Wait {
        millis: u16,
    },
}

fuzz_target!(|input: (u8, Vec<Step>)| {
    let (cache, steps) = input;
    let config = FastAckConfig { cache_packets: 1 + u32::from(cache), ..FastAckConfig::default() };
    let mut ap = Bare::new(FastAck::new(config));
    let mut sayable = BTreeSet::new();
    for step in steps {
        match step {
            Step::Connect { peer, flow, window, scale } => {
                for (way, flags) in [
                    (Way::FromPeer, TcpFlags::SYN),
                    (Way::ToPeer, TcpFlags::SYN | TcpFlags::ACK),
                    (Way::FromPeer, TcpFlags::ACK),
                ] {
                    let mut packet = Segment::plain(flow).packet(peer, way);
                    let Transport::Tcp(tcp) = &mut packet.transport else { unreachable!("a segment is TCP") };
                    (tcp.flags, tcp.window) = (flags, window);
                    if flags.contains(TcpFlags::SYN) {
                        tcp.options.window_scale = scale;
                        tcp.seq = tcp.seq - 1;
                    }
                    if way == Way::FromPeer {
                        sayable.insert((tcp.src_port, tcp.ack.0));
                        ap.upward(node(peer), packet);
                    } else {
                        ap.host(node(peer), packet);
                    }
                }
            }
            Step::Server { peer, segment } => ap.host(node(peer), segment.packet(peer, Way::ToPeer)),
            Step::Client { peer, segment } => {
                let packet = segment.packet(peer, Way::FromPeer);
                let tcp = packet.tcp().expect("all segments are TCP");
                sayable.insert((tcp.src_port, tcp.ack.0));
                ap.upward(node(peer), packet);
            }
            Step::Send(frames) => drop(ap.send(frames)),
            Step::Settle { which, delivered } => {
                if let Some(packet) = ap.settle(which, delivered) {
                    let tcp = packet.tcp().expect("all segments are TCP");
                    sayable.insert((tcp.dst_port, (tcp.seq + packet.payload.len()).0));
                    check(&mut ap, &sayable);
                }
            }
            Step::Drop(which) => ap.drop_queued(which),
            Step::Wait { millis } => ap.wait(Duration::from_millis(millis.into())),
        }
        check(&mut ap, &sayable);
        assert!(ap.held() <= usize::from(PEERS) * usize::from(FLOWS) * config.cache_packets as usize);
    }
    ap.clear();
    for peer in 0..PEERS as u8 {
        for flow in 0..FLOWS {
            // The client's: of a server's RST the client decides (RFC 5961, 3.2).
            let mut reset = Segment::plain(flow).packet(peer, Way::FromPeer);
            let Transport::Tcp(tcp) = &mut reset.transport else { unreachable!("a segment is TCP") };
            tcp.flags = TcpFlags::RST;
            ap.upward(node(peer), reset);
        }
    }
    ap.clear();
    assert_eq!(ap.held(), 0, "a client's RST ends all");
});

/// What the AP has said by now, it was allowed to say.
fn check(ap: &mut Bare<FastAck>, sayable: &BTreeSet<(u16, u32)>) {
    for (port, ack) in ap.onward.drain(..) {
        assert!(sayable.contains(&(port, ack.0)), "{ack:?} of port {port} was not the AP's to say");
    }
}

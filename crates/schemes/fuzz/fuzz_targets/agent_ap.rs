//! The ACK agent's AP against arbitrary servers and clients: never a panic; it acknowledges only up to where a segment ends that a client's MAC has, or where
//! the client has itself; it keeps no packet.
//!
//! `cargo +nightly fuzz run agent_ap` in `crates/schemes`.

#![no_main]

use std::collections::BTreeSet;

use ackless_dot11::frame::{Answer, NodeId};
use ackless_dot11::hooks::Peer;
use ackless_schemes::agent::{Agent, AgentConfig, Solution};
use ackless_schemes_fuzz::bare::Bare;
use ackless_schemes_fuzz::node::{PEERS, node};
use ackless_schemes_fuzz::segment::{Segment, Way};
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
    /// A peer answers, with the flag or without, or does not.
    Answered {
        peer: u8,
        flag: Option<bool>,
    },
    Settle {
        which: u8,
        delivered: bool,
    },
    Drop(u8),
    Wait {
        seconds: u8,
    },
}

fuzz_target!(|input: (bool, Vec<Step>)| {
    let (flag, steps) = input;
    let config = if flag {
        AgentConfig::of(Solution::Flag { extra_sifs: Duration::ZERO })
    } else {
        AgentConfig::default()
    };
    // The last peer is a legacy station.
    let peers = (0..=PEERS).map(|peer| Peer { capable: peer != PEERS, ..Peer::default() }).collect();
    let mut ap = Bare::among(Agent::at_ap(config), NodeId(0), peers);
    let mut sayable = BTreeSet::new();
    for step in steps {
        match step {
            Step::Connect { peer, flow, window } => {
                for (way, flags) in [
                    (Way::FromPeer, TcpFlags::SYN),
                    (Way::ToPeer, TcpFlags::SYN | TcpFlags::ACK),
                    (Way::FromPeer, TcpFlags::ACK),
                ] {
                    let mut packet = Segment::plain(flow).packet(peer, way);
                    let Transport::Tcp(tcp) = &mut packet.transport else { unreachable!("a segment is TCP") };
                    (tcp.flags, tcp.window) = (flags, window);
                    if flags.contains(TcpFlags::SYN) {
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
            Step::Answered { peer, flag } => {
                let answer = flag.map(|agent| Answer { agent, ..Answer::default() });
                ap.answered(node(peer), answer);
            }
            Step::Settle { which, delivered } => {
                if let Some(packet) = ap.settle(which, delivered) {
                    let tcp = packet.tcp().expect("all segments are TCP");
                    sayable.insert((tcp.dst_port, (tcp.seq + packet.payload.len()).0));
                }
            }
            Step::Drop(which) => ap.drop_queued(which),
            Step::Wait { seconds } => ap.wait(Duration::from_secs(seconds.into())),
        }
        for (port, ack) in ap.onward.drain(..) {
            assert!(sayable.contains(&(port, ack.0)), "{ack:?} of port {port} was not the AP's to say");
        }
        assert_eq!(ap.held(), 0);
    }
    ap.clear();
});

//! The ACK agent's station against arbitrary servers, APs and hosts: never a panic; it keeps no ACK
//! off the air that acknowledges more than its MAC has taken, and no more frames than its buffer
//! has room for, and two for each flow; after a RST of each flow it keeps nothing.
//!
//! `cargo +nightly fuzz run agent_client` in `crates/schemes`.

#![no_main]

use std::collections::BTreeSet;

use ackless_dot11::frame::{MacSeq, NodeId};
use ackless_dot11::hooks::{AnswerKind, Peer, Verdict};
use ackless_schemes::agent::{Agent, AgentConfig, Solution};
use ackless_schemes_fuzz::bare::Bare;
use ackless_schemes_fuzz::segment::{FLOWS, Segment, Way};
use ackless_wire::{Duration, TcpFlags, Transport};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Step {
    /// The AP sends something; `again`: with the number of the last one, as a repetition.
    Data {
        segment: Segment,
        again: bool,
    },
    Request,
    Answer {
        block: bool,
    },
    /// The host sends something.
    Host(Segment),
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

fuzz_target!(|input: (Option<u8>, Vec<Step>)| {
    let (packets, steps) = input;
    let packets = packets.map(|packets| 1 + u16::from(packets));
    let solution = match packets {
        Some(packets) => Solution::Buffer { packets, again: Duration::from_millis(50) },
        None => Solution::Flag { extra_sifs: Duration::ZERO },
    };
    let peers = vec![Peer { capable: true, ..Peer::default() }; 2];
    let mut station = Bare::among(Agent::new(AgentConfig::of(solution)), NodeId(PEER as u16 + 1), peers);
    let (mut sayable, mut seq) = (BTreeSet::new(), MacSeq::default());
    for step in steps {
        match step {
            Step::Data { segment, again } => {
                let packet = segment.packet(PEER, Way::ToPeer);
                let tcp = packet.tcp().copied().expect("all segments are TCP");
                let end = (tcp.dst_port, (tcp.seq + packet.payload.len()).0);
                if !again {
                    seq = seq.plus(1);
                }
                if station.arrive(packet, seq, again, !again) {
                    sayable.insert(end);
                }
            }
            Step::Request => station.request(),
            Step::Answer { block } => {
                let flagged = station.answer(if block { AnswerKind::BlockAck } else { AnswerKind::Ack });
                assert!(!flagged || packets.is_none(), "only the second solution has a flag");
            }
            Step::Host(segment) => {
                let packet = segment.packet(PEER, Way::FromPeer);
                let tcp = packet.tcp().copied().expect("all segments are TCP");
                let said = (tcp.src_port, tcp.ack.0);
                match station.hand_down(NodeId(0), packet) {
                    Verdict::Swallow => assert!(sayable.contains(&said), "{tcp:?} was not the AP's to say"),
                    verdict => assert_eq!(verdict, Verdict::Pass),
                }
                sayable.insert(said);
            }
            Step::Send(frames) => drop(station.send(frames)),
            Step::Settle { which, delivered } => {
                station.settle(which, delivered);
            }
            Step::Drop(which) => station.drop_queued(which),
            Step::Wait { millis } => station.wait(Duration::from_millis(millis.into())),
        }
        let most = packets.map_or(0, |packets| usize::from(packets) + 2 * usize::from(FLOWS));
        assert!(station.held() <= most, "{} packets are kept", station.held());
    }
    station.clear();
    for flow in 0..FLOWS {
        let mut reset = Segment::plain(flow).packet(PEER, Way::FromPeer);
        let Transport::Tcp(tcp) = &mut reset.transport else { unreachable!("a segment is TCP") };
        tcp.flags = TcpFlags::RST;
        station.host(NodeId(0), reset);
    }
    station.clear();
    assert_eq!(station.held(), 0, "a RST ends all");
});

/// The peer whose flows these are: node 1.
const PEER: u8 = 0;

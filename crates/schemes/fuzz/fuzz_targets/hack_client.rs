//! HACK's compressing end against an arbitrary host and an arbitrary peer, in any order: never a panic; what it appends
//! is always a frame; no packet is lost, and none is left in the end.
//!
//! `cargo +nightly fuzz run hack_client` in `crates/schemes`.

#![no_main]

use ackless_schemes_fuzz::node::{Header, MpduHeader, Node, Setting, node};
use ackless_schemes_fuzz::segment::{Segment, Way};
use ackless_wire::Duration;
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Step {
    /// The host sends an ACK, or anything else.
    Host {
        peer: u8,
        segment: Segment,
    },
    /// The host sends ACKs one after the other, each so many steps further.
    Acks {
        peer: u8,
        segment: Segment,
        count: u8,
        steps: u8,
    },
    /// All that is queued is sent and delivered.
    DeliverAll,
    Send(u8),
    SendAgain(u8),
    Settle {
        which: u8,
        delivered: bool,
    },
    Drop(u8),
    /// Data comes from a peer, and is answered unless its answer is late.
    Data {
        header: Header,
        mpdus: Vec<(MpduHeader, Segment)>,
        answered: bool,
    },
    Request {
        header: Header,
        behind: u8,
    },
    AnswerDue {
        peer: u8,
        block: bool,
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

fuzz_target!(|input: (Setting, Vec<Step>)| {
    let (setting, steps) = input;
    let mut client = Node::new(setting);
    let mut handed = 0;
    for step in steps {
        match step {
            Step::Host { peer, segment } => {
                handed += 1;
                client.host(peer, segment.packet(peer, Way::FromPeer));
            }
            Step::Acks { peer, segment, count, steps } => {
                let packet = segment.packet(peer, Way::FromPeer);
                for n in 0..u32::from(count) {
                    handed += 1;
                    let mut packet = packet.clone();
                    if let ackless_wire::Transport::Tcp(tcp) = &mut packet.transport {
                        tcp.ack += n * u32::from(steps) * 1448;
                    }
                    client.host(peer, packet);
                }
            }
            Step::DeliverAll => client.deliver_all(),
            Step::Send(count) => client.send(count),
            Step::SendAgain(peer) => client.send_again(node(peer)),
            Step::Settle { which, delivered } => client.settle(which, delivered),
            Step::Drop(which) => client.drop_queued(which),
            Step::Data { header, mpdus, answered } => {
                let block = mpdus.len() != 1;
                let mpdus = mpdus.iter().take(64);
                let packets = mpdus.map(|(mpdu, segment)| (*mpdu, segment.packet(header.peer, Way::ToPeer)));
                client.arrive(header, packets);
                if answered {
                    client.answer_due(header.peer, block);
                }
            }
            Step::Request { header, behind } => {
                client.request(header, behind);
                client.answer_due(header.peer, true);
            }
            Step::AnswerDue { peer, block } => drop(client.answer_due(peer, block)),
            Step::Answered { peer, appended } => client.answered(peer, appended),
            Step::Wait { micros } => client.wait(Duration::from_micros(micros.into())),
            Step::WaitLong { millis } => client.wait(Duration::from_millis(millis.into())),
        }
        assert!(client.held() <= handed, "what is held was handed over");
    }
    client.finish();
});

//! ACK filtering against an arbitrary host, in all forms: never a panic; it holds, drops and makes
//! no packet; and a frame is disguised only if the other side turns it back.
//!
//! `cargo +nightly fuzz run filter` in `crates/schemes`.

#![no_main]

use ackless_dot11::frame::{AckPolicy, NodeId};
use ackless_dot11::hooks::Peer;
use ackless_schemes::filter::{Filter, FilterConfig, Filtered, Form};
use ackless_schemes_fuzz::bare::Bare;
use ackless_schemes_fuzz::node::{PEERS, node};
use ackless_schemes_fuzz::segment::{Segment, Way};
use ackless_wire::Duration;
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Step {
    Host { peer: u8, segment: Segment },
    Send(u8),
    Settle { which: u8, delivered: bool },
    Drop(u8),
    Wait { millis: u16 },
}

fuzz_target!(|input: (u8, Vec<Step>)| {
    let (how, steps) = input;
    let form = [Form::Group, Form::ActionNoAck, Form::NoAck][usize::from(how % 3)];
    let filtered = if how & 4 == 0 { Filtered::Acks } else { Filtered::AcksAndData };
    // The last peer is a legacy station. Node 0 is the AP.
    let peers = (0..=PEERS).map(|peer| Peer { capable: peer != PEERS, ..Peer::default() }).collect();
    let config = FilterConfig { form, filtered };
    let mut sender = Bare::among(Filter::new(config), NodeId(u16::from(how & 8 != 0) * 7), peers);
    let mut receiver = Bare::new(Filter::new(config));
    let mut handed = 0;
    for step in steps {
        match step {
            Step::Host { peer, segment } => {
                handed += 1;
                sender.host(node(peer), segment.packet(peer, Way::ToPeer));
            }
            Step::Send(frames) => {
                for mpdu in sender.send(frames) {
                    let disguised = mpdu.receiver.is_group() || !mpdu.kind.is_qos();
                    assert!(!disguised || mpdu.receiver != node(PEERS as u8 - 1), "nobody turns it back: {mpdu:?}");
                    let unanswered = disguised || mpdu.ack_policy == AckPolicy::NoAck;
                    let before = *receiver.scheme.counters();
                    receiver.hear(&mpdu);
                    let after = receiver.scheme.counters();
                    let seen = after.turned_back + after.came_unanswered - before.turned_back - before.came_unanswered;
                    assert_eq!(seen, u64::from(unanswered), "{mpdu:?}");
                }
            }
            Step::Settle { which, delivered } => {
                sender.settle(which, delivered);
            }
            Step::Drop(which) => sender.drop_queued(which),
            Step::Wait { millis } => sender.wait(Duration::from_millis(millis.into())),
        }
        assert_eq!(sender.held(), 0);
    }
    let counters = sender.scheme.counters();
    assert!(counters.filtered_acks + counters.filtered_data <= handed);
    assert!(sender.onward.is_empty());
    sender.clear();
});

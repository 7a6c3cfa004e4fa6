//! Where holding does not pay: `announce` and `hold_beside_data`.

use ackless_schemes::hack::{Announce, HackConfig};
use ackless_wire::{Duration, TcpFlags};

use super::pair::{AP, Air, Pair, STATION};

/// Whether an ACK is held that is made after a PPDU with MORE DATA.
fn holds(pair: &mut Pair) -> bool {
    let data = pair.data(8, true);
    pair.exchange(&data, Air::Clear);
    let before = pair.queued();
    pair.ack(0);
    let holds = pair.queued() == before;
    pair.transfer();
    holds
}

#[test]
fn a_node_with_data_to_send_holds_no_acks() {
    for hold_beside_data in [true, false] {
        let mut pair = Pair::with_context(HackConfig { hold_beside_data, ..HackConfig::default() }, 8);
        assert!(holds(&mut pair), "nothing is queued yet");
        // Of another flow, which has nothing to do with the ACKs of this one.
        pair.segment(1, TcpFlags::ACK, 1000);
        assert_eq!(holds(&mut pair), hold_beside_data);
        assert_eq!(pair.counters(STATION).not_worth_holding, u64::from(!hold_beside_data));
        let queued = pair.queued();
        pair.natives(queued, Air::Clear);
        assert!(holds(&mut pair), "one PPDU does not make a sender");
    }
}

#[test]
fn a_node_that_sent_an_eighth_of_the_data_ppdus_is_a_sender_without_data_in_its_queue() {
    let mut pair = Pair::with_context(HackConfig { hold_beside_data: false, ..HackConfig::default() }, 8);
    for sent in 1..=4 {
        pair.segment(1, TcpFlags::ACK, 1000);
        let queued = pair.queued();
        pair.natives(queued, Air::Clear);
        assert_eq!(holds(&mut pair), sent < 4, "after {sent} PPDUs of its own");
    }
}

#[test]
fn a_sender_that_was_idle_announces_nothing_and_the_papers_does() {
    for announce in [Announce::Always, Announce::WhileBusy] {
        let mut pair = Pair::with_context(HackConfig { announce, ..HackConfig::default() }, 8);
        let mut bits = Vec::new();
        for _ in 0..40 {
            pair.queue_data();
            let sent = pair.data_before(1, 1);
            bits.push(sent.bits.more_data);
            pair.exchange(&sent, Air::Clear);
            pair.queue_data();
            let last = pair.data_before(2, 0);
            pair.exchange(&last, Air::Clear);
            pair.pass_time(Duration::from_millis(3));
        }
        let withheld = bits.iter().filter(|bit| !**bit).count() as u64;
        assert_eq!(withheld > 0, announce == Announce::WhileBusy, "{bits:?}");
        assert!(bits[0], "nothing is known at first");
        assert_eq!(pair.counters(AP).more_data_idle, withheld);
    }
}

//! Each side by hand and against a naive model; then both sides together over a channel that loses anything.

use ackless_wire::ip::Ipv4Header;
use ackless_wire::{Bytes, IpHeader, Packet, PacketPool, Payload, TcpHeader, Transport};

use super::*;
use crate::frame::{AckPolicy, Bitmap, Ds, FrameHandle, MacSeq, Mpdu, MpduKind, NodeId, Part, Tid};

mod together;

/// An MPDU with this handle. All share one packet: what is followed here is the handle.
fn mpdu(handle: u32) -> Mpdu {
    let packet = PacketPool::default().insert(Packet {
        ip: IpHeader::V4(Ipv4Header::new([10, 0, 0, 1].into(), [10, 0, 0, 2].into())),
        transport: Transport::Tcp(TcpHeader::new(1, 2)),
        payload: Payload::EMPTY,
    });
    Mpdu {
        packet,
        packet_len: Bytes(1500),
        payload_len: Bytes(1448),
        tcp_ack: false,
        handle: FrameHandle(handle),
        kind: MpduKind::QosData(Tid(0)),
        ds: Ds::FromAp,
        receiver: NodeId(1),
        transmitter: NodeId(0),
        destination: NodeId(1),
        source: NodeId(0),
        seq: MacSeq::default(),
        retry: false,
        ack_policy: AckPolicy::Normal,
        part: Part::Alone,
    }
}

fn with_seq(seq: u16) -> Mpdu {
    Mpdu { seq: MacSeq::new(seq), ..mpdu(seq.into()) }
}

fn bitmap(start: u16, acknowledged: &[u16]) -> Bitmap {
    let mut bitmap = Bitmap::empty(MacSeq::new(start));
    for &seq in acknowledged {
        bitmap.insert(MacSeq::new(seq));
    }
    bitmap
}

/// An originator from sequence number `first` on with `n` MPDUs on the air, their handles counted from 0.
fn on_the_air(first: u16, n: u32) -> Originator {
    let mut originator = Originator::new(MacSeq::new(first), MAX_WINDOW);
    for handle in 0..n {
        let seq = originator.push_new(mpdu(handle)).seq;
        originator.mark_sent([seq].into_iter());
    }
    originator
}

fn to_send(originator: &Originator) -> Vec<u16> {
    originator.unacknowledged().map(|mpdu| mpdu.seq.get()).collect()
}

/// What a recipient hands up for one MPDU; nothing where it is a duplicate.
fn receive(recipient: &mut Recipient, seq: u16) -> Option<Vec<u16>> {
    let mut up = Vec::new();
    recipient.on_mpdu(&[with_seq(seq)], |mpdu| up.push(mpdu.seq.get())).ok().map(|()| up)
}

fn request(recipient: &mut Recipient, seq: u16) -> Vec<u16> {
    let mut up = Vec::new();
    recipient.on_request(MacSeq::new(seq), |mpdu| up.push(mpdu.seq.get()));
    up
}

#[test]
fn the_window_takes_64_new_mpdus_and_no_more() {
    let originator = on_the_air(4090, 64);
    assert!(!originator.can_take_new());
    assert_eq!(originator.next_seq(), MacSeq::new(58));
}

#[test]
fn one_missing_mpdu_holds_the_window_although_63_are_acknowledged() {
    let mut originator = on_the_air(0, 64);
    originator.on_block_ack(Bitmap { start: MacSeq::new(0), bits: !1 }, 7, |_, _| {});
    assert!(!originator.can_take_new());
    assert_eq!(to_send(&originator), [0]);
    assert!(originator.unacknowledged().all(|mpdu| mpdu.retry));
    originator.mark_sent([MacSeq::new(0)].into_iter());
    originator.on_block_ack(bitmap(0, &[0]), 7, |_, _| {});
    assert!(originator.is_empty());
    assert_eq!(originator.window_start(), MacSeq::new(64));
}

#[test]
fn every_bitmap_over_three_mpdus_settles_each_of_them_rightly() {
    for bits in 0..8u64 {
        for retry_limit in [1, 2] {
            let mut originator = on_the_air(4095, 3);
            let mut fates = [None; 3];
            originator.on_block_ack(Bitmap { start: MacSeq::new(4095), bits }, retry_limit, |mpdu, fate| {
                assert_eq!(fates[mpdu.handle.0 as usize].replace(fate), None, "one fate each");
            });
            let mut missing = Vec::new();
            for (n, fate) in fates.into_iter().enumerate() {
                let expected = match (bits >> n & 1, retry_limit) {
                    (1, _) => Some(Fate::Delivered),
                    (_, 1) => Some(Fate::GivenUp),
                    _ => None,
                };
                assert_eq!(fate, expected, "bits {bits:03b}, limit {retry_limit}, MPDU {n}");
                if expected.is_none() {
                    missing.push(MacSeq::new(4095).plus(n as u16).get());
                }
            }
            assert_eq!(to_send(&originator), missing);
            let start = missing.first().copied().unwrap_or(2);
            assert_eq!(originator.window_start().get(), start, "bits {bits:03b}, limit {retry_limit}");
            let hole = retry_limit == 1 && bits != 7;
            assert_eq!(originator.needs_bar(), hole.then_some(MacSeq::new(2)));
        }
    }
}

#[test]
fn fates_are_told_in_sequence_order() {
    let mut originator = on_the_air(4000, 40);
    let mut told = Vec::new();
    originator.on_block_ack(bitmap(4000, &[4000, 4003, 4010, 4039]), 1, |mpdu, _| told.push(mpdu.handle.0));
    assert_eq!(told, (0..40).collect::<Vec<_>>());
}

#[test]
fn a_lost_block_ack_is_asked_for_and_fails_no_mpdu() {
    let mut originator = on_the_air(7, 4);
    let answer = originator.on_no_block_ack(1, |mpdu, fate| panic!("{mpdu:?} {fate:?}"));
    assert_eq!((answer, originator.needs_bar()), (NoAnswer::Request, Some(MacSeq::new(7))));
    assert_eq!(to_send(&originator), [] as [u16; 0], "none is sent again before its fate is asked for");
    let mut delivered = Vec::new();
    originator.on_block_ack(bitmap(7, &[7, 9]), 7, |mpdu, _| delivered.push(mpdu.seq.get()));
    assert_eq!(delivered, [7, 9]);
    assert_eq!(to_send(&originator), [8, 10]);
    assert_eq!(originator.needs_bar(), None);
}

#[test]
fn a_request_is_given_up_at_the_limit_and_its_mpdus_fail_once() {
    let mut originator = on_the_air(0, 2);
    for _ in 0..3 {
        assert_eq!(originator.on_no_block_ack(3, |_, _| panic!("nothing is settled yet")), NoAnswer::Request);
    }
    assert_eq!(originator.on_no_block_ack(3, |_, _| panic!("one failure of three")), NoAnswer::RequestGivenUp);
    assert_eq!(originator.needs_bar(), None, "an absent recipient is not asked for ever");
    assert_eq!(to_send(&originator), [0, 1]);
    // MPDU 1 had arrived the first time: the answer to the next exchange says so, though only 0 was sent again.
    originator.mark_sent([MacSeq::new(0)].into_iter());
    let mut delivered = Vec::new();
    originator.on_block_ack(bitmap(0, &[0, 1]), 3, |mpdu, _| delivered.push(mpdu.seq.get()));
    assert_eq!(delivered, [0, 1]);
    assert_eq!(
        originator.needs_bar(),
        Some(MacSeq::new(2)),
        "the deferred request follows once the recipient is heard"
    );
}

#[test]
fn an_mpdu_is_sent_as_often_as_the_retry_limit_says() {
    let mut originator = on_the_air(0, 1);
    for sent in 1..=7 {
        let mut given_up = false;
        originator.on_no_ack(MacSeq::new(0), 7, |_, fate| given_up = fate == Fate::GivenUp);
        assert_eq!(given_up, sent == 7, "after transmission {sent}");
        if sent < 7 {
            originator.mark_sent([MacSeq::new(0)].into_iter());
        }
    }
    assert_eq!(originator.needs_bar(), Some(MacSeq::new(1)));
}

#[test]
fn an_unsent_mpdu_is_not_acknowledged_by_a_stray_bit() {
    let mut originator = on_the_air(0, 1);
    originator.push_new(mpdu(1));
    originator.on_block_ack(bitmap(0, &[0, 1, 2]), 7, |mpdu, _| assert_eq!(mpdu.seq.get(), 0));
    assert_eq!(to_send(&originator), [1]);
    assert!(originator.unacknowledged().all(|mpdu| !mpdu.retry));
}

#[test]
fn after_failed_rts_what_was_to_be_sent_is_given_up_and_the_hole_told() {
    let mut originator = on_the_air(0, 2);
    originator.on_block_ack(bitmap(0, &[1]), 7, |_, _| {});
    let mut given_up = 0;
    originator.give_up_unacknowledged(|_, fate| given_up += u32::from(fate == Fate::GivenUp));
    assert_eq!((given_up, originator.is_empty()), (1, true));
    assert_eq!(originator.needs_bar(), Some(MacSeq::new(2)));
}

#[test]
fn a_request_that_becomes_due_while_an_a_mpdu_waits_for_its_cts_follows_it() {
    // MPDU 0 was given up, and so was the request that told of it; MPDU 1 waits behind an RTS.
    let mut originator = on_the_air(0, 1);
    originator.on_no_block_ack(1, |_, _| {});
    assert_eq!(originator.on_no_block_ack(1, |_, fate| assert_eq!(fate, Fate::GivenUp)), NoAnswer::RequestGivenUp);
    let waiting = originator.push_new(mpdu(1)).seq;
    assert!(originator.on_heard());
    originator.mark_sent([waiting].into_iter());
    originator.on_block_ack(bitmap(0, &[1]), 1, |_, fate| assert_eq!(fate, Fate::Delivered));
    assert_eq!(originator.needs_bar(), Some(MacSeq::new(2)), "the recipient still waits for MPDU 0");
    originator.on_block_ack(bitmap(2, &[]), 1, |_, _| {});
    assert_eq!(originator.needs_bar(), None);
}

#[test]
fn mpdus_in_order_go_straight_up() {
    let mut recipient = Recipient::new(MacSeq::new(4094), MAX_WINDOW);
    for seq in [4094, 4095, 0, 1] {
        assert_eq!(receive(&mut recipient, seq), Some(vec![seq]));
    }
    assert_eq!(recipient.bitmap(), bitmap(4094, &[4094, 4095, 0, 1]));
}

#[test]
fn any_order_of_arrival_of_six_mpdus_comes_up_in_order_and_once() {
    fn permute(arrived: &mut Vec<u16>, check: &mut impl FnMut(&[u16])) {
        if arrived.len() == 6 {
            return check(arrived);
        }
        for seq in [4093, 4094, 4095, 0, 1, 2] {
            if !arrived.contains(&seq) {
                arrived.push(seq);
                permute(arrived, check);
                arrived.pop();
            }
        }
    }
    let mut orders = 0;
    permute(&mut Vec::new(), &mut |order| {
        orders += 1;
        let mut recipient = Recipient::new(MacSeq::new(4093), MAX_WINDOW);
        let mut up = Vec::new();
        for &seq in order {
            up.extend(receive(&mut recipient, seq).expect("the first copy is new"));
            assert_eq!(receive(&mut recipient, seq), None, "the second copy is not");
        }
        assert_eq!(up, [4093, 4094, 4095, 0, 1, 2], "arrived as {order:?}");
        assert_eq!(recipient.held(), 0);
    });
    assert_eq!(orders, 720);
}

#[test]
fn a_request_releases_what_waits_behind_a_hole() {
    let mut recipient = Recipient::new(MacSeq::new(10), MAX_WINDOW);
    for seq in [11, 12, 15, 16, 18] {
        assert_eq!(receive(&mut recipient, seq), Some(vec![]));
    }
    assert_eq!(request(&mut recipient, 15), [11, 12, 15, 16]);
    assert_eq!(recipient.next_up(), MacSeq::new(17));
    assert_eq!(recipient.bitmap(), bitmap(15, &[15, 16, 18]));
    assert_eq!(request(&mut recipient, 12), [] as [u16; 0], "an old request moves nothing");
    assert_eq!(recipient.bitmap().start, MacSeq::new(15));
    assert_eq!(receive(&mut recipient, 10), None, "what was passed over comes too late");
    assert_eq!(request(&mut recipient, 1000), [18]);
    assert_eq!(recipient.bitmap(), bitmap(1000, &[]));
}

#[test]
fn an_mpdu_past_the_window_moves_it_and_releases_what_falls_out() {
    let mut recipient = Recipient::new(MacSeq::new(0), MAX_WINDOW);
    for seq in [1, 2, 5, 63] {
        assert_eq!(receive(&mut recipient, seq), Some(vec![]));
    }
    assert_eq!(receive(&mut recipient, 66), Some(vec![1, 2]), "the window is now 3 to 66");
    assert_eq!(recipient.bitmap(), bitmap(3, &[5, 63, 66]));
    assert_eq!(receive(&mut recipient, 3), Some(vec![3]));
    assert_eq!(receive(&mut recipient, 4), Some(vec![4, 5]));
    let mut up = Vec::new();
    recipient.flush(|mpdu| up.push(mpdu.seq.get()));
    assert_eq!(up, [63, 66]);
    assert_eq!(recipient.held(), 0);
}

#[test]
fn a_smaller_window_binds_the_originator_until_its_oldest_mpdu_has_its_fate() {
    let mut originator = Originator::new(MacSeq::new(4095), 3);
    for handle in 0..3 {
        let seq = originator.push_new(mpdu(handle)).seq;
        originator.mark_sent([seq].into_iter());
    }
    assert!(!originator.can_take_new());
    originator.on_block_ack(bitmap(4095, &[0, 1]), 7, |_, fate| assert_eq!(fate, Fate::Delivered));
    assert!(!originator.can_take_new(), "the oldest MPDU is still to be sent again");
    originator.mark_sent([MacSeq::new(4095)].into_iter());
    originator.on_ack(MacSeq::new(4095), |_, _| {});
    assert!(originator.can_take_new() && originator.is_empty());
    assert_eq!(originator.next_seq(), MacSeq::new(2));
}

#[test]
fn a_smaller_window_of_the_recipient_moves_sooner() {
    let mut recipient = Recipient::new(MacSeq::new(4094), 4);
    assert_eq!(receive(&mut recipient, 4095), Some(vec![]));
    assert_eq!(receive(&mut recipient, 1), Some(vec![]), "the last one within the window");
    assert_eq!(receive(&mut recipient, 2), Some(vec![4095]), "the window is now 4095 to 2, and waits for 0");
    assert_eq!(recipient.bitmap(), bitmap(4095, &[4095, 1, 2]));
    assert_eq!((recipient.next_up(), recipient.held()), (MacSeq::new(0), 2));
    assert_eq!(receive(&mut recipient, 0), Some(vec![0, 1, 2]));
}

#[test]
fn the_cache_knows_a_repeated_mpdu_by_retry_bit_and_number() {
    let mut cache = DuplicateCache::default();
    let first = with_seq(5);
    let repeated = Mpdu { retry: true, ..first };
    assert!(!cache.is_duplicate(&first));
    assert!(cache.is_duplicate(&repeated) && cache.is_duplicate(&repeated));
    assert!(!cache.is_duplicate(&first), "without the Retry bit it is a new one after 4096 others");
    assert!(!cache.is_duplicate(&Mpdu { kind: MpduKind::QosData(Tid(6)), ..repeated }), "each TID counts for itself");
    assert!(!cache.is_duplicate(&Mpdu { kind: MpduKind::Data, ..repeated }));
    assert!(cache.is_duplicate(&Mpdu { kind: MpduKind::Action, ..repeated }), "frames without a TID share a counter");
    assert!(!cache.is_duplicate(&Mpdu { seq: MacSeq::new(6), ..repeated }), "its first transmission was not heard");
}

//! The wrap of sequence numbers, and every order in which frames go up while ACKs wait.

use ackless_dot11::frame::{AckPolicy, Ds, FrameHandle, MpduKind, NodeId, Part, Tid};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, IpHeader, Packet, PacketPool, Payload, TcpHeader, Transport};

use super::*;

fn packets(n: usize) -> Vec<PacketId> {
    let mut pool = PacketPool::default();
    let ip = IpHeader::between([10, 0, 0, 1].into(), [10, 1, 0, 1].into()).expect("both are IPv4");
    let packet = Packet { ip, transport: Transport::Tcp(TcpHeader::new(1, 2)), payload: Payload::EMPTY };
    (0..n).map(|_| pool.insert(packet.clone())).collect()
}

fn mpdu(seq: u16, kind: MpduKind) -> Mpdu {
    Mpdu {
        packet: packets(1)[0],
        packet_len: Bytes(52),
        payload_len: Bytes(0),
        tcp_ack: true,
        handle: FrameHandle(0),
        kind,
        ds: Ds::ToAp,
        receiver: NodeId(0),
        transmitter: NodeId(1),
        destination: NodeId(0),
        source: NodeId(1),
        seq: MacSeq::new(seq),
        retry: false,
        ack_policy: AckPolicy::Normal,
        part: Part::Alone,
    }
}

#[test]
fn what_is_passed_moves_the_positions_as_what_is_asked_for() {
    for seed in 0..500 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let (mut asked, mut passed) = (SeqUnwrapper::default(), SeqUnwrapper::default());
        let mut seq = 4000;
        for _ in 0..20 {
            let run = (0..random.below(30)).map(|_| {
                seq += match random.below(20) {
                    0 => random.below(4096) as u16,
                    1 => 4096 - random.below(70) as u16,
                    2 => 0,
                    _ => 1,
                };
                seq %= MacSeq::MODULUS;
                let kind = if random.chance(0.05) { MpduKind::Data } else { MpduKind::QosData(Tid(0)) };
                Mpdu { part: if random.chance(0.9) { Part::Alone } else { Part::Middle }, ..mpdu(seq, kind) }
            });
            let run: Vec<_> = run.collect();
            run.iter().for_each(|mpdu| {
                asked.position(mpdu);
            });
            passed.pass(&run);
            assert_eq!(format!("{asked:?}"), format!("{passed:?}"), "seed {seed}");
        }
    }
}

#[test]
fn positions_follow_the_sequence_number_through_its_wrap() {
    let mut seq_unwrapper = SeqUnwrapper::default();
    let mut at = |seq| seq_unwrapper.position(&mpdu(seq, MpduKind::QosData(Tid(0))));
    let first = at(4000);
    let (second, late, third) = (at(4090), at(4050), at(10));
    assert!(second.is_after(first) && third.is_after(second));
    assert!(late.is_after(first) && !late.is_after(second), "a retransmission keeps its place");
    // A flow that pauses while the others use up three quarters of all numbers is followed all the same.
    let mut last = third;
    for seq in (10..3100).step_by(50) {
        last = at(seq);
    }
    assert!(at(3101).is_after(last) && last.is_after(third));
}

#[test]
fn the_packets_of_an_amsdu_stand_one_behind_the_other_also_when_it_comes_again() {
    let mut seq_unwrapper = SeqUnwrapper::default();
    let mut at = |seq, part| seq_unwrapper.position(&Mpdu { part, ..mpdu(seq, MpduKind::QosData(Tid(0))) });
    let before = at(4094, Part::Alone);
    let all = [Part::First, Part::Middle, Part::Middle, Part::Last].map(|part| at(4095, part));
    let after = at(0, Part::Alone);
    let again = [Part::First, Part::Middle, Part::Middle, Part::Last].map(|part| at(4095, part));
    let line = [&[before][..], &all, &[after]].concat();
    assert!(line.is_sorted_by(|a, b| b.is_after(*a) && a.is_before(*b)), "{line:?}");
    assert_eq!(again, all);
}

#[test]
fn lanes_count_for_themselves() {
    let mut seq_unwrapper = SeqUnwrapper::default();
    let first = seq_unwrapper.position(&mpdu(100, MpduKind::QosData(Tid(0))));
    let data = seq_unwrapper.position(&mpdu(3, MpduKind::Data));
    let next = seq_unwrapper.position(&mpdu(101, MpduKind::QosData(Tid(0))));
    assert!(data.is_after(first) && next.is_after(first) && !first.is_after(next));
}

#[test]
fn an_ack_waits_for_the_native_frame_before_it_and_goes_before_the_one_after_it() {
    let cid = Cid(7);
    let p = packets(6);
    // Native 0, ACKs 1 and 2, native 3, ACK 4. Packet 5 is none of theirs.
    let mut upward_order = UpwardOrder::default();
    upward_order.expect(p[0], cid);
    assert_eq!([1, 2].map(|n| upward_order.keep(p[n], cid)), [Kept::Yes; 2]);
    upward_order.expect(p[3], cid);
    assert_eq!(upward_order.keep(p[4], cid), Kept::Yes);
    assert_eq!(upward_order.keep(p[5], Cid(8)), Kept::No, "another context waits for nothing");
    let mut up = Vec::new();
    let mut take_up = |packet| {
        let mut taken_up = Vec::new();
        if !upward_order.take_up(packet, |packet| taken_up.push(packet)) {
            taken_up.push(packet);
        }
        up.extend(taken_up);
    };
    take_up(p[5]);
    take_up(p[0]);
    take_up(p[3]);
    assert_eq!(up, [p[5], p[0], p[1], p[2], p[3], p[4]]);
    assert!(upward_order.is_empty());
}

#[test]
fn a_native_frame_that_never_goes_up_keeps_nothing_back_for_ever() {
    let cid = Cid(7);
    let p = packets(3);
    let mut upward_order = UpwardOrder::default();
    upward_order.expect(p[0], cid);
    assert_eq!(upward_order.keep(p[1], cid), Kept::Yes);
    upward_order.expect(p[2], cid);
    let mut up = Vec::new();
    assert!(upward_order.take_up(p[2], |packet| up.push(packet)));
    assert_eq!(up, [p[1], p[2]], "what is older goes first");
    assert!(upward_order.is_empty());
}

#[test]
fn behind_a_hole_that_is_never_filled_no_more_than_so_many_wait() {
    let cid = Cid(7);
    let p = packets(MAX_WAITING + 4);
    let mut upward_order = UpwardOrder::default();
    upward_order.expect(p[0], cid);
    let (first, rest) = p[1..].split_at(MAX_WAITING);
    assert!(first.iter().all(|&packet| upward_order.keep(packet, cid) == Kept::Yes));
    for (&packet, &oldest) in rest.iter().zip(first) {
        assert_eq!(upward_order.keep(packet, cid), Kept::InPlaceOf(oldest));
    }
    let mut up = Vec::new();
    assert!(upward_order.take_up(p[0], |packet| up.push(packet)));
    assert_eq!(up, [&p[..1], &p[4..]].concat());
}

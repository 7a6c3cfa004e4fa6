use ackless_dot11::frame::{AckPolicy, Ds, FrameHandle, MpduKind, NodeId, Part, Tid};
use ackless_wire::{Bytes, PacketPool, Payload, TcpFlags, TcpHeader, Transport};

use super::*;

const LIFETIME: Duration = Duration::from_secs(1);

fn data(port: u16, seq: u32, len: u32) -> Packet {
    let ip = IpHeader::between([10, 1, 0, 1].into(), [10, 0, 0, 1].into()).expect("both are IPv4");
    let tcp = TcpHeader { seq: SeqNumber(seq), flags: TcpFlags::ACK, ..TcpHeader::new(80, port) };
    Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::Length(len) }
}

fn frame(packet: &Packet, kind: MpduKind, seq: u16) -> Mpdu {
    Mpdu {
        packet: PacketPool::default().insert(packet.clone()),
        packet_len: packet.len(),
        payload_len: Bytes(packet.payload.len().into()),
        tcp_ack: false,
        handle: FrameHandle(1),
        kind,
        ds: Ds::FromAp,
        receiver: NodeId(1),
        transmitter: NodeId(0),
        destination: NodeId(1),
        source: NodeId(0),
        seq: MacSeq::new(seq),
        retry: false,
        ack_policy: AckPolicy::Normal,
        part: Part::Alone,
    }
}

fn flow(packet: &Packet) -> FlowKey {
    FlowKey::of(packet).expect("TCP has a flow")
}

#[test]
fn a_tag_says_sequence_number_and_tid_within_an_access_category() {
    let packet = data(1, 1, 1000);
    let of = |kind, seq| tag(Identification::FrameSequence, &frame(&packet, kind, seq), &packet).map(Tag::get);
    assert_eq!(of(MpduKind::Data, 0), Some(1));
    assert_eq!(of(MpduKind::Data, 4095), Some(4096));
    assert_eq!(of(MpduKind::QosData(Tid(0)), 4095), Some(4096));
    assert_eq!(of(MpduKind::QosData(Tid(1)), 0), Some(4097));
    assert_eq!(of(MpduKind::QosData(Tid(3)), 4094), Some(16_383));
    assert_eq!(of(MpduKind::QosData(Tid(3)), 4095), None, "16,384 is no tag");
    for (one, other) in [(0, 3), (1, 2), (4, 5), (6, 7)] {
        assert_ne!(of(MpduKind::QosData(Tid(one)), 5), of(MpduKind::QosData(Tid(other)), 5));
    }
}

#[test]
fn fnv_1a_gives_its_authors_values() {
    assert_eq!(fnv(OFFSET_BASIS, b""), 0x811c_9dc5);
    assert_eq!(fnv(OFFSET_BASIS, b"a"), 0xe40c_292c);
    assert_eq!(fnv(OFFSET_BASIS, b"foobar"), 0xbf9c_f968);
}

#[test]
fn a_hash_does_not_change_when_a_segment_is_sent_again_and_is_spread_over_all_tags() {
    let mut again = data(1, 1, 1000);
    let first = hash(&again);
    let Transport::Tcp(tcp) = &mut again.transport else { unreachable!("built as TCP") };
    (tcp.ack, tcp.window, tcp.options.timestamps) = (SeqNumber(9), 7, Some((1, 2)));
    assert_eq!(hash(&again), first);
    let tags: std::collections::BTreeSet<_> = (0..16_383)
        .map(|n| data(1, n * 1460, 1460))
        .map(|packet| tag(Identification::Hash, &frame(&packet, MpduKind::Data, 0), &packet).expect("a hash is a tag"))
        .collect();
    // 16,383 balls in as many boxes leave 1/e of them empty.
    assert!((9_500..11_200).contains(&tags.len()), "{}", tags.len());
}

#[test]
fn a_frames_name_holds_until_half_the_numbers_are_used_up_or_half_the_lifetime_is_over() {
    let by = Identification::FrameSequence;
    let packet = data(1, 1, 1000);
    let mut names = Names::default();
    let come = |names: &mut Names, seq: u16| {
        let mpdu = frame(&packet, MpduKind::QosData(Tid(0)), seq % 4096);
        let unwrapped_seq = names.unwrapped_seq(&mpdu);
        let name =
            names.add(by, (&mpdu, unwrapped_seq), (&packet, flow(&packet)), (Instant::ZERO, LIFETIME), |_, _| false);
        name.expect("numbers do not collide").expect("TID 0 has all tags")
    };
    // On across the wrap, in steps as a peer makes them.
    let old = come(&mut names, 3000);
    for step in 1..=20 {
        come(&mut names, 3000 + step * 100);
    }
    let newer = come(&mut names, 3000 + 2047);
    assert!(names.holds(by, &old, Instant::ZERO, LIFETIME), "2047 on");
    assert!(names.holds(by, &old, Instant::ZERO + LIFETIME, LIFETIME * 2));
    assert!(!names.holds(by, &old, Instant::ZERO + LIFETIME, LIFETIME));
    come(&mut names, 3000 + 2048);
    assert!(!names.holds(by, &old, Instant::ZERO, LIFETIME), "2048 on");
    come(&mut names, 900);
    assert!(names.holds(by, &newer, Instant::ZERO, LIFETIME), "a frame that comes late moves nothing");
    come(&mut names, 952 + 2047);
    assert!(!names.holds(by, &newer, Instant::ZERO, LIFETIME));
}

#[test]
fn of_two_packets_with_one_hash_neither_may_be_asked_for() {
    let by = Identification::Hash;
    let first = data(1, 1, 1000);
    let name_of = |packet: &Packet| tag(by, &frame(packet, MpduKind::Data, 0), packet);
    let mut others = (1..).map(|n| data(1, 1 + n * 1000, 1000));
    let second = others.find(|packet| name_of(packet) == name_of(&first)).expect("there are 16,383 hashes");
    let third = others.find(|packet| name_of(packet) == name_of(&first)).expect("there are 16,383 hashes");
    let mut names = Names::default();
    let come_again = |names: &mut Names, packet: &Packet, at: Instant, retry: bool, said: bool| {
        let mpdu = Mpdu { retry, ..frame(packet, MpduKind::Data, 0) };
        names.add(by, (&mpdu, 0), (packet, flow(packet)), (at, LIFETIME), |_, _| said)
    };
    let come = |names: &mut Names, packet: &Packet, at: Instant| come_again(names, packet, at, false, false);
    let name = come(&mut names, &first, Instant::ZERO).expect("it is the first").expect("a hash is a tag");
    assert!(come(&mut names, &first, Instant::ZERO).is_ok(), "the same again is no collision");
    assert!(names.holds(by, &name, Instant::ZERO, LIFETIME));
    assert_eq!(come(&mut names, &second, Instant::ZERO + LIFETIME), Err(Collision));
    assert!(!names.holds(by, &name, Instant::ZERO, LIFETIME));
    let later = Instant::ZERO + LIFETIME * 2;
    assert_eq!(come(&mut names, &third, later), Err(Collision), "the second is not forgotten yet");
    assert_eq!(come(&mut names, &third, later), Err(Collision), "nor does its repetition make it the only one");
    let much_later = later + LIFETIME * 2;
    let name = come(&mut names, &second, much_later).expect("all is forgotten").expect("a hash is a tag");
    assert!(come_again(&mut names, &first, much_later, false, true).is_ok(), "what was acknowledged is free again");
    assert!(!names.holds(by, &name, much_later, LIFETIME), "and names nothing");
    assert_eq!(come_again(&mut names, &second, much_later, true, true), Err(Collision), "it may have been refused");
    assert!(come_again(&mut names, &third, much_later, false, true).is_ok(), "both are acknowledged");
    assert_eq!(come(&mut names, &second, much_later), Err(Collision));
    assert_eq!(come(&mut names, &first, much_later), Err(Collision));
    assert_eq!(come_again(&mut names, &third, much_later, false, true), Err(Collision), "there were three");
}

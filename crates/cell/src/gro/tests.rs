use std::net::Ipv4Addr;

use ackless_wire::ip::Ipv4Header;
use ackless_wire::{SeqNumber, TcpHeader, Transport};

use super::*;

/// What is done to a packet.
type Change = fn(&mut Packet);

/// Segment `number` of a stream of segments of 1000 bytes, each in its own packet.
fn segment(number: u32) -> Packet {
    let mut ip = Ipv4Header::new(Ipv4Addr::new(10, 1, 0, 1), Ipv4Addr::new(10, 0, 0, 1));
    ip.id = 65_500u16.wrapping_add(number as u16);
    let mut tcp = TcpHeader::new(80, 4000);
    tcp.seq = SeqNumber(u32::MAX - 3_500) + number * 1000;
    tcp.ack = SeqNumber(7);
    tcp.flags = TcpFlags::ACK;
    tcp.window = 512;
    tcp.options.timestamps = Some((9, 8));
    Packet { ip: IpHeader::V4(ip), transport: Transport::Tcp(tcp), payload: Payload::Length(1000) }
}

fn tcp(packet: &mut Packet) -> &mut TcpHeader {
    match &mut packet.transport {
        Transport::Tcp(tcp) => tcp,
        Transport::Udp(_) | Transport::Foreign(_) => unreachable!("it was made as TCP"),
    }
}

/// What goes up of a batch: the lengths of the payloads, in order.
fn lengths(gro: Gro, batch: &[Packet]) -> Vec<u32> {
    let mut merging = Merging::new(gro).expect("something is merged");
    let mut up = Vec::new();
    for packet in batch {
        let Passed { before, alone } = merging.take(packet);
        up.extend(before.map(|merged| merged.packet.payload.len()));
        up.extend(alone.then(|| packet.payload.len()));
    }
    up.extend(merging.flush().map(|merged| merged.packet.payload.len()));
    let (bytes, came): (u32, u32) = (up.iter().sum(), batch.iter().map(|packet| packet.payload.len()).sum());
    assert_eq!(bytes, came, "nothing is lost or doubled");
    let with_data = batch.iter().filter(|packet| !packet.payload.is_empty()).count() as u64;
    assert_eq!(
        (merging.counts.segments, merging.counts.packets),
        (with_data, up.iter().filter(|&&len| len > 0).count() as u64)
    );
    up
}

fn stream(count: u32) -> Vec<Packet> {
    (0..count).map(segment).collect()
}

#[test]
fn a_batch_in_sequence_is_one_packet_of_at_most_64_kilobytes() {
    assert_eq!(lengths(Gro::PerBatch, &stream(1)), [1000]);
    assert_eq!(lengths(Gro::PerBatch, &stream(20)), [20_000]);
    // 65,535 bytes less 20 of IP and 32 of TCP.
    assert_eq!(lengths(Gro::PerBatch, &stream(100)), [65_000, 35_000]);
}

#[test]
fn a_number_bounds_what_is_merged() {
    let most = |n| Gro::Most(NonZeroU32::new(n).expect("above 0"));
    assert_eq!(lengths(most(4), &stream(10)), [4000, 4000, 2000]);
    assert_eq!(lengths(most(1), &stream(3)), [1000; 3]);
}

#[test]
fn whatever_linux_does_not_merge_ends_the_packet_before_it() {
    let changes: [(&str, Change); 8] = [
        ("acknowledgement", |p| tcp(p).ack = SeqNumber(8)),
        ("window", |p| tcp(p).window = 511),
        ("timestamp value", |p| tcp(p).options.timestamps = Some((10, 8))),
        ("timestamp echo", |p| tcp(p).options.timestamps = Some((9, 9))),
        ("no timestamp", |p| tcp(p).options.timestamps = None),
        ("sequence", |p| tcp(p).seq = tcp(p).seq + 1),
        ("larger segment", |p| p.payload = Payload::Length(1001)),
        ("identification", |p| match &mut p.ip {
            IpHeader::V4(ip) => ip.id = ip.id.wrapping_add(1),
            IpHeader::V6(_) => unreachable!("it was made as IPv4"),
        }),
    ];
    for (what, change) in changes {
        let mut batch = stream(10);
        change(&mut batch[6]);
        assert_eq!(lengths(Gro::PerBatch, &batch)[0], 6000, "{what}");
    }
}

#[test]
fn a_push_a_fin_and_a_short_segment_are_merged_and_end_the_packet() {
    let changes: [(u32, Change); 3] = [
        (7000, |p| tcp(p).flags |= TcpFlags::PSH),
        (7000, |p| tcp(p).flags |= TcpFlags::FIN),
        (6010, |p| p.payload = Payload::Length(10)),
    ];
    for (first, change) in changes {
        let mut batch = stream(7);
        change(&mut batch[6]);
        assert_eq!(lengths(Gro::PerBatch, &batch), [first]);
        let mut next = segment(8);
        tcp(&mut next).seq = tcp(&mut batch[6]).seq + batch[6].payload.len();
        batch.push(next);
        assert_eq!(lengths(Gro::PerBatch, &batch), [first, 1000]);
    }
}

#[test]
fn what_bears_no_data_or_another_flag_or_a_wrong_checksum_passes_alone_in_its_turn() {
    let changes: [Change; 4] = [
        |p| p.payload = Payload::Length(0),
        |p| tcp(p).flags |= TcpFlags::URG,
        |p| tcp(p).flags |= TcpFlags::CWR,
        |p| tcp(p).checksum = Checksum::Wrong(1),
    ];
    for change in changes {
        let mut batch = stream(5);
        change(&mut batch[2]);
        let mut merging = Merging::new(Gro::PerBatch).expect("something is merged");
        let passed: Vec<_> = batch.iter().map(|packet| merging.take(packet)).collect();
        assert_eq!(passed[2].before.as_ref().map(|merged| merged.packet.payload.len()), Some(2000));
        assert!(passed[2].alone && !passed[1].alone && !passed[3].alone);
    }
}

#[test]
fn a_push_is_seen_on_the_merged_packet() {
    let mut batch = stream(3);
    tcp(&mut batch[2]).flags |= TcpFlags::PSH;
    let mut merging = Merging::new(Gro::PerBatch).expect("something is merged");
    let merged = batch.iter().find_map(|packet| merging.take(packet).before).expect("the push ends it");
    assert_eq!((merged.segment, merged.segments), (Bytes(1000), 3));
    assert!(merged.packet.tcp().is_some_and(|tcp| tcp.flags.contains(TcpFlags::PSH)));
}

#[test]
fn bytes_are_joined_in_order() {
    let mut batch = stream(2);
    batch[0].payload = Payload::Data(vec![1; 1000].into());
    batch[1].payload = Payload::Data(vec![2; 1000].into());
    let mut merging = Merging::new(Gro::PerBatch).expect("something is merged");
    batch.iter().for_each(|packet| _ = merging.take(packet));
    let merged = merging.flush().expect("held").packet.payload;
    assert_eq!(merged, Payload::Data([vec![1; 1000], vec![2; 1000]].concat().into()));
}

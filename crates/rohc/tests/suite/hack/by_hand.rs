//! Codes worked out by hand from the tables in the documentation of `hack`. Only the checksums are computed, bit by
//! bit, over octets that are written out here.

use ackless_rohc::hack::{Ack, Cid, Code, Codec, Compressor, Decompressor, Frame, FrameWriter, Kind};
use ackless_wire::ip::Ipv4Header;
use ackless_wire::tcp::SackBlocks;
use ackless_wire::{IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport};

/// The ACK that opens the context: ports 0x1111 and 0x2222, identification 0x0100, sequence number 1, acknowledgment
/// number 0x10000, window 0x0400, TSval 0x64, TSecr 0xc8.
fn reference() -> Packet {
    let mut ip = Ipv4Header::new([192, 168, 0, 2].into(), [10, 0, 0, 1].into());
    ip.id = 0x0100;
    let mut tcp = TcpHeader::new(0x1111, 0x2222);
    tcp.flags = TcpFlags::ACK;
    tcp.seq = SeqNumber(1);
    tcp.ack = SeqNumber(0x1_0000);
    tcp.window = 0x0400;
    tcp.options.timestamps = Some((0x64, 0xc8));
    Packet { ip: IpHeader::V4(ip), transport: Transport::Tcp(tcp), payload: Payload::EMPTY }
}

/// The octets that a check covers, for the reference.
const FLOW: [u8; 13] = [192, 168, 0, 2, 10, 0, 0, 1, 6, 0x11, 0x11, 0x22, 0x22];
const HEADER: [u8; 32] = [
    0, 0, 0, 1, 0, 1, 0, 0, // sequence and acknowledgment number
    0x10, 64, 0x04, 0x00, 0x01, 0x00, 0, 0, // flags, TTL, window, identification, urgent pointer
    0, 0, 0, 0x64, 0, 0, 0, 0xc8, // TSval, TSecr
    0, 0, 0, 1, 0x10, 0, 0, 0, // DSCP and ECN, Don't Fragment, options, window scale, MSS
];

/// A checksum bit by bit (RFC 5795, 5.3.1.1), the least significant bit of each octet first.
fn crc(reversed: u8, ones: u8, octets: &[u8]) -> u8 {
    let bits = octets.iter().flat_map(|octet| (0..8).map(move |n| octet >> n & 1));
    bits.fold(ones, |sum, bit| if (sum ^ bit) & 1 == 1 { sum >> 1 ^ reversed } else { sum >> 1 })
}

/// CRC-3, CRC-7 and CRC-8 over flow, header and `behind`.
fn checks(header: &[u8], behind: &[u8]) -> [u8; 3] {
    let octets = [&FLOW, header, behind].concat();
    [crc(0b110, 7, &octets), crc(0b111_1001, 0x7f, &octets), crc(0b1110_0000, 0xff, &octets)]
}

fn tcp_of(packet: &mut Packet) -> &mut TcpHeader {
    let Transport::Tcp(tcp) = &mut packet.transport else { unreachable!("built as TCP") };
    tcp
}

fn ip_of(packet: &mut Packet) -> &mut Ipv4Header {
    let IpHeader::V4(v4) = &mut packet.ip else { unreachable!("built as IPv4") };
    v4
}

/// Compresses the ACKs that `changes` make one of the other after the reference, and checks that all of them come out
/// again. Says each code, and the CRC-3 and CRC-7 that `headers` give, the octets of each.
fn codes<const N: usize>(changes: [fn(&mut Packet); N]) -> [Code; N] {
    let mut packet = reference();
    let (mut client, mut ap) = (Compressor::default(), Decompressor::default());
    let opening = Ack::of(&packet).expect("a pure ACK");
    client.install(&opening);
    ap.install(&opening);
    let mut acks = Vec::new();
    let codes = changes.map(|change| {
        let id = &mut ip_of(&mut packet).id;
        *id = id.wrapping_add(1);
        change(&mut packet);
        acks.push(packet.clone());
        client.compress(&Ack::of(&packet).expect("a pure ACK")).expect("the context is open")
    });
    let mut bytes = Vec::new();
    FrameWriter::new(Codec::default(), &mut bytes, usize::MAX).run(Cid(1), &codes);
    let frame = Frame::read(Codec::default(), &bytes).expect("what was written can be read");
    let run = frame.runs().next().expect("there is a run");
    let out: Vec<_> = ap
        .decode(&run)
        .expect("the run fits")
        .map(|decoded| decoded.expect("each code is right").ack.to_packet())
        .collect();
    assert_eq!(out, acks);
    codes
}

/// The octets of a header: those of the reference, with `changes` at their places.
fn header(changes: &[(usize, &[u8])]) -> Vec<u8> {
    let mut header = HEADER.to_vec();
    for (at, octets) in changes {
        header.resize(header.len().max(at + octets.len()), 0);
        header[*at..at + octets.len()].copy_from_slice(octets);
    }
    header
}

#[test]
fn the_first_msn_is_the_crc_8_of_the_reference() {
    let [code] = codes([|_| ()]);
    assert_eq!(code.msn(), checks(&HEADER, &[])[2].into());
}

/// The first stride is 2 * 1448 = 2896 = 0x0b50, the other one 1448 = 0x05a8.
#[test]
fn expected_steps_are_one_byte() {
    let codes = codes([
        |packet| tcp_of(packet).ack += 2896,
        |packet| tcp_of(packet).ack += 1448,
        |_| (),
        |packet| tcp_of(packet).options.timestamps = Some((0x65, 0xc8)),
        |packet| {
            tcp_of(packet).ack += 1448;
            tcp_of(packet).options.timestamps = Some((0x66, 0xc9));
        },
    ]);
    let msn = codes[0].msn() as u8;
    let headers = [
        header(&[(6, &[0x0b, 0x50]), (13, &[0x01])]),
        header(&[(6, &[0x10, 0xf8]), (13, &[0x02])]),
        header(&[(6, &[0x10, 0xf8]), (13, &[0x03])]),
        header(&[(6, &[0x10, 0xf8]), (13, &[0x04]), (19, &[0x65])]),
        header(&[(6, &[0x16, 0xa0]), (13, &[0x05]), (19, &[0x66]), (23, &[0xc9])]),
    ];
    // 1448 is the other stride at first, and the last one from then on.
    let bits = [0b0010_0000, 0b0100_0000, 0b0000_0000, 0b0001_0000, 0b0011_1000];
    for ((code, bits), (header, n)) in codes.iter().zip(bits).zip(headers.iter().zip(0..)) {
        assert_eq!(code.bytes(), [bits | checks(header, &[msn.wrapping_add(n)])[0]], "code {n}");
        assert_eq!(code.kind(), Kind::Compact);
    }
}

#[test]
fn timestamps_a_little_further_are_two_bytes() {
    let [code] = codes([|packet| {
        tcp_of(packet).ack += 2896;
        tcp_of(packet).options.timestamps = Some((0x64 + 5, 0xc8 + 12));
    }]);
    let header = header(&[(6, &[0x0b, 0x50]), (13, &[0x01]), (19, &[0x69]), (23, &[0xd4])]);
    let check = checks(&header, &[code.msn() as u8])[0];
    // 110, stride 01, TSval 0101, TSecr 1100.
    assert_eq!(code.bytes(), [0b1100_1010, 0b1110_0000 | check]);
    assert_eq!(code.kind(), Kind::Stamps);
}

#[test]
fn a_window_a_little_off_is_two_bytes() {
    let codes = codes([|packet| tcp_of(packet).window -= 3, |packet| tcp_of(packet).window += 64]);
    let msn = codes[0].msn() as u8;
    let first = checks(&header(&[(10, &[0x03, 0xfd]), (13, &[0x01])]), &[msn])[0];
    let second = checks(&header(&[(10, &[0x04, 0x3d]), (13, &[0x02])]), &[msn.wrapping_add(1)])[0];
    // 1110, step 00, then -3 as 125 = 1111101, and 64 as 63 = 0111111.
    assert_eq!(codes[0].bytes(), [0b1110_0011, 0b1110_1000 | first]);
    assert_eq!(codes[1].bytes(), [0b1110_0001, 0b1111_1000 | second]);
    assert!(codes.iter().all(|code| code.kind() == Kind::Window));
}

#[test]
fn whatever_moved_far_is_spelt_out() {
    let [code] = codes([|packet| {
        tcp_of(packet).ack += 0x5000;
        tcp_of(packet).options.timestamps = Some((0x64 + 20, 0xc8 + 200));
        tcp_of(packet).window = 0x0200;
        ip_of(packet).id = 0x4321;
    }]);
    let header = header(&[(6, &[0x50, 0x00]), (10, &[0x02, 0x00, 0x43, 0x21]), (19, &[0x78]), (22, &[0x01, 0x90])]);
    let check = checks(&header, &[code.msn() as u8])[1];
    let expected = [
        0b1011_1110,
        check, // 10, advance 3, T, W, I
        0xc0,
        0x50,
        0x00, // 0x5000 in 21 bits
        20,
        0x80,
        200, // 20 in 7 bits, 200 in 14
        0x83,
        0xff, // -512 as 1023
        0x43,
        0x21,
    ];
    assert_eq!(code.bytes(), expected);
    assert_eq!(code.kind(), Kind::Delta);
}

#[test]
fn a_block_that_opens_is_spelt_out_and_grows_in_one_byte() {
    let codes = codes([
        |packet| {
            let tcp = tcp_of(packet);
            tcp.options.sack = SackBlocks::from_slice(&[(tcp.ack + 1448, tcp.ack + 2896)]);
        },
        |packet| {
            let tcp = tcp_of(packet);
            tcp.options.sack = SackBlocks::from_slice(&[(tcp.ack + 1448, tcp.ack + 4344)]);
        },
    ]);
    let msn = codes[0].msn() as u8;
    // Edges 0x105a8 and 0x10b50, then 0x110f8.
    let blocks =
        |right: [u8; 2], id| header(&[(13, &[id]), (28, &[0x11]), (32, &[0, 1, 0x05, 0xa8, 0, 1, right[0], right[1]])]);
    let first = checks(&blocks([0x0b, 0x50], 1), &[msn])[1];
    let second = checks(&blocks([0x10, 0xf8], 2), &[msn.wrapping_add(1)])[0];
    // One new block: 001 101 00; 1448 above, doubled: 0xb50; 1448 long: 0x5a8.
    assert_eq!(codes[0].bytes(), [0b1000_0001, first, 0b0011_0100, 0x8b, 0x50, 0x85, 0xa8]);
    assert_eq!(codes[1].bytes(), [0b0110_0000 | second]);
}

#[test]
fn rare_fields_have_a_map_of_their_own() {
    let [code] = codes([|packet| {
        let tcp = tcp_of(packet);
        tcp.seq += 5;
        tcp.flags |= TcpFlags::ECE;
        tcp.urgent = 0x0102;
        tcp.options.timestamps = None;
        tcp.options.mss = Some(0x0505);
        tcp.options.window_scale = Some(7);
        let ip = ip_of(packet);
        ip.dscp_ecn = 0xb8;
        ip.ttl = 63;
        ip.dont_fragment = false;
    }]);
    let header = header(&[
        (3, &[6]),
        (8, &[0x50, 63]),
        (13, &[0x01, 0x01, 0x02, 0, 0, 0, 0, 0, 0, 0, 0]),
        (24, &[0xb8, 0, 0, 0, 0xa0, 7, 0x05, 0x05]),
    ]);
    let check = checks(&header, &[code.msn() as u8])[1];
    // Q F D H U O; 5 as 10; ECE and Don't Fragment; DSCP; TTL; urgent pointer; options with MSS and scale.
    let expected = [0x80, 0x80 | check, 0b1111_0110, 10, 0b101, 0xb8, 63, 0x01, 0x02, 0xa0, 0x05, 0x05, 7];
    assert_eq!(code.bytes(), expected);
    assert_eq!(code.kind(), Kind::Extended);
}

#[test]
fn an_identification_is_spelt_out_once_when_its_behaviour_changes() {
    let lens = codes([
        |packet| ip_of(packet).id = 0x0100,
        |packet| ip_of(packet).id = 0x0100,
        |packet| ip_of(packet).id = 0x0200,
        |packet| ip_of(packet).id = 0x0300,
    ])
    .map(|code| code.bytes().len());
    assert_eq!(lens, [4, 1, 4, 1]);
}

#[test]
fn runs_of_two_contexts_stand_one_behind_the_other() {
    let codes = codes([|packet| tcp_of(packet).ack += 2896, |packet| tcp_of(packet).ack += 2896]);
    let mut bytes = Vec::new();
    let mut writer = FrameWriter::new(Codec::default(), &mut bytes, usize::MAX);
    assert_eq!((writer.run(Cid(0xd4), &codes), writer.run(Cid(0x77), &codes[1..])), (2, 1));
    let [first, second] = codes.map(|code| (code.msn() as u8, code.bytes()[0]));
    assert_eq!(bytes, [0xd4, first.0, first.1, second.1, 0xff, 0x77, second.0, second.1]);
}

#[test]
fn the_longest_code_is_as_long_as_said() {
    let mut packet = reference();
    packet.ip = IpHeader::between([1; 16].into(), [2; 16].into()).expect("both are IPv6");
    tcp_of(&mut packet).options.timestamps = None;
    let mut client = Compressor::new(Codec::Own { checksum: true, wide: false });
    client.install(&Ack::of(&packet).expect("a pure ACK"));
    let IpHeader::V6(v6) = &mut packet.ip else { unreachable!("built as IPv6") };
    (v6.flow_label, v6.traffic_class, v6.hop_limit) = (0xf_ffff, 1, 1);
    let tcp = tcp_of(&mut packet);
    tcp.flags |= TcpFlags::CWR;
    tcp.window = 0x7000;
    tcp.urgent = 1;
    tcp.seq = SeqNumber(0x8000_0000);
    tcp.ack = SeqNumber(0xf000_0000);
    tcp.options.mss = Some(1);
    let edge = |n: u32| SeqNumber(0x7000_0000 + n);
    tcp.options.sack = SackBlocks::from_slice(&[0, 1, 2, 3].map(|n| (edge(n), edge(n) + 0x8000_0000)));
    let code = client.compress(&Ack::of(&packet).expect("a pure ACK")).expect("the context is open");
    assert_eq!(code.bytes().len(), Code::MAX_LEN);
}

use proptest::prelude::*;

use super::*;
use crate::ip::{Ecn, IpHeader, Ipv4Header, Ipv6Header, TCP, UDP};
use crate::packet::Transport;
use crate::tcp::{
    AckRate, Checksum, Omitted, RateRequest, SackBlocks, SeqNumber, TackForm, TackOptions, TcpFlags, TcpHeader,
    TcpOptions,
};
use crate::udp::UdpHeader;
use crate::units::Bytes;

fn v4() -> IpHeader {
    IpHeader::V4(Ipv4Header::new([10, 0, 0, 2].into(), [10, 1, 0, 1].into()))
}

fn v6() -> IpHeader {
    IpHeader::V6(Ipv6Header::new([0x20; 16].into(), [0xfd; 16].into()))
}

fn ack(ip: IpHeader) -> Packet {
    let tcp = TcpHeader { flags: TcpFlags::ACK, window: 502, ..TcpHeader::new(5001, 40000) };
    Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::EMPTY }
}

fn datagram(ip: IpHeader, payload: Payload) -> Packet {
    Packet { ip, transport: Transport::Udp(UdpHeader { src_port: 9, dst_port: 10 }), payload }
}

fn bytes_of(packet: &Packet) -> Vec<u8> {
    let mut out = Vec::new();
    packet.emit(&mut out);
    out
}

/// Changes an IPv4 header and makes its checksum right again.
fn rewrite(mut bytes: Vec<u8>, change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    change(&mut bytes);
    bytes[10..12].fill(0);
    let value = checksum::sum(&bytes[..20]).checksum();
    bytes[10..12].copy_from_slice(&value.to_be_bytes());
    bytes
}

/// The packet as it would be had it never been bytes.
fn unparsed(mut packet: Packet) -> Packet {
    if let Transport::Tcp(tcp) = &mut packet.transport {
        (tcp.checksum, tcp.omitted) = (Checksum::Correct, Omitted::empty());
    }
    packet
}

fn ip_headers() -> impl Strategy<Value = IpHeader> {
    let v4 = any::<(u32, u32, u8, u16, bool, u8)>().prop_map(|(src, dst, dscp_ecn, id, dont_fragment, ttl)| {
        IpHeader::V4(Ipv4Header { src: src.into(), dst: dst.into(), dscp_ecn, id, dont_fragment, ttl })
    });
    let v6 = any::<(u128, u128, u8, u32, u8)>().prop_map(|(src, dst, traffic_class, label, hop_limit)| {
        let flow_label = label & 0xf_ffff;
        IpHeader::V6(Ipv6Header { src: src.into(), dst: dst.into(), traffic_class, flow_label, hop_limit })
    });
    prop_oneof![v4, v6]
}

fn tcp_options() -> impl Strategy<Value = TcpOptions> {
    let sack = prop::collection::vec(any::<(u32, u32)>(), 0..5).prop_map(|blocks| {
        let blocks: Vec<_> = blocks.into_iter().map(|(left, right)| (SeqNumber(left), SeqNumber(right))).collect();
        SackBlocks::from_slice(&blocks)
    });
    let tack =
        any::<(bool, bool, Option<u8>, Option<u32>)>().prop_map(|(kinds, permitted, ack_type, packet_number)| {
            let tack = TackOptions { form: TackForm::Kinds, permitted, ack_type, packet_number };
            let form = if kinds || tack.is_empty() { TackForm::Kinds } else { TackForm::Experimental };
            TackOptions { form, ..tack }
        });
    let rate = prop_oneof![
        Just(None),
        Just(Some(AckRate::CAPABLE)),
        any::<u8>().prop_map(|byte| Some(AckRate::of(RateRequest::from_byte(byte))))
    ];
    (any::<(Option<u16>, bool, Option<(u32, u32)>, Option<u8>)>(), sack, tack, rate)
        .prop_map(|((mss, sack_permitted, timestamps, window_scale), sack, tack, ack_rate)| TcpOptions {
            ack_rate,
            mss,
            sack_permitted,
            timestamps,
            window_scale,
            sack,
            tack,
        })
        .prop_filter("options fit the header", |options| options.len().get() <= MAX_OPTIONS)
}

fn transports() -> impl Strategy<Value = Transport> {
    let tcp = (any::<(u16, u16, u32, u32, u8, u16, u16)>(), tcp_options()).prop_map(|(header, options)| {
        let (src_port, dst_port, seq, ack, flags, window, urgent) = header;
        Transport::Tcp(TcpHeader {
            src_port,
            dst_port,
            seq: SeqNumber(seq),
            ack: SeqNumber(ack),
            flags: TcpFlags::from_bits_retain(flags),
            window,
            urgent,
            checksum: Checksum::Correct,
            options,
            omitted: Omitted::empty(),
        })
    });
    let udp = any::<(u16, u16)>().prop_map(|(src_port, dst_port)| Transport::Udp(UdpHeader { src_port, dst_port }));
    prop_oneof![3 => tcp, 1 => udp]
}

fn packets() -> impl Strategy<Value = Packet> {
    let payload = prop_oneof![
        Just(Payload::EMPTY),
        prop::collection::vec(any::<u8>(), 1..1500).prop_map(|data| Payload::Data(data.into())),
    ];
    (ip_headers(), transports(), payload).prop_map(|(ip, transport, payload)| Packet { ip, transport, payload })
}

proptest! {
    #[test]
    fn parsing_undoes_emitting(packet in packets()) {
        let bytes = bytes_of(&packet);
        prop_assert_eq!(bytes.len() as u64, packet.len().get());
        prop_assert!(Packet::is_canonical(&bytes));
        prop_assert_eq!(Packet::parse(&bytes), Ok(packet));
    }

    #[test]
    fn a_payload_of_which_only_the_length_is_kept_becomes_zeros(packet in packets(), len in 0u32..3000) {
        let packet = Packet { payload: Payload::Length(len), ..packet };
        let bytes = bytes_of(&packet);
        prop_assert!(bytes[packet.header_len().get() as usize..].iter().all(|&byte| byte == 0));
        prop_assert_eq!(Packet::parse_without_payload(&bytes), Ok(packet));
    }

    #[test]
    fn a_wrong_tcp_checksum_survives_both_ways(packet in packets(), wrong: u16) {
        let mut packet = packet;
        if let Transport::Tcp(tcp) = &mut packet.transport {
            tcp.checksum = Checksum::Wrong(wrong);
            let bytes = bytes_of(&packet);
            let parsed = Packet::parse(&bytes);
            // One value in 65,536 is the right one after all.
            prop_assume!(!matches!(&parsed, Ok(p) if p.tcp().is_some_and(|t| t.checksum == Checksum::Correct)));
            prop_assert_eq!(parsed, Ok(packet));
        }
    }

    #[test]
    fn no_bytes_make_the_parser_panic(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        if let Ok(packet) = Packet::parse(&bytes) {
            bytes_of(&packet);
        }
    }

    #[test]
    fn no_damage_makes_the_parser_panic(packet in packets(), damage: [(prop::sample::Index, u8); 4], cut: prop::sample::Index) {
        let mut bytes = bytes_of(&packet);
        for (at, value) in damage {
            let at = at.index(bytes.len().min(80));
            bytes[at] = value;
        }
        if matches!(packet.ip, IpHeader::V4(_)) {
            bytes = rewrite(bytes, |_| {});
        }
        for bytes in [&bytes[..], &bytes[..cut.index(bytes.len())]] {
            if let Ok(parsed) = Packet::parse(bytes) {
                let written = bytes_of(&parsed);
                if parsed.tcp().is_some() {
                    prop_assert_eq!(parsed.is_whole(), bytes.starts_with(&written), "{:02x?}", bytes);
                }
                // A checksum that is wrong only for a reserved bit is right once that bit is gone.
                prop_assert_eq!(Packet::parse(&written).map(unparsed), Ok(unparsed(parsed)));
            }
        }
    }
}

/// What comes out where these bytes pass through: as they came, and with a mark of congestion.
fn passed(bytes: &[u8]) -> (Packet, Vec<u8>, Vec<u8>) {
    let packet = Packet::from_bytes(bytes).expect("it is an IP packet");
    let mut marked = packet.clone();
    marked.ip.set_ecn(Ecn::Experienced);
    let (out, marked) = (bytes_of(&packet), bytes_of(&marked));
    (packet, out, marked)
}

/// Whether the IPv4 header of these bytes, options included, has a right checksum.
fn is_sound(bytes: &[u8]) -> bool {
    checksum::sum(&bytes[..usize::from(bytes[0] & 0xf) * 4]).folded() == 0xffff
}

proptest! {
    #[test]
    fn what_passes_through_comes_out_byte_for_byte(packet in packets(), damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4), right: bool, padding in 0usize..8) {
        let mut bytes = bytes_of(&packet);
        for (at, value) in damage {
            let at = at.index(bytes.len().min(80));
            bytes[at] = value;
        }
        if right && bytes[0] == 0x45 {
            bytes = rewrite(bytes, |_| {});
        }
        let len = bytes.len();
        bytes.resize(len + padding, 0);
        match Packet::from_bytes(&bytes) {
            Ok(packet) => {
                let (again, out, marked) = passed(&bytes);
                prop_assert!(bytes.starts_with(&out), "{:02x?}\n{:02x?}", bytes, out);
                prop_assert_eq!(&again, &packet);
                prop_assert_eq!(out.len() as u64, packet.len().get());
                prop_assert_eq!(packet.header_len() + Bytes(packet.payload.len().into()), packet.len());
                prop_assert_eq!(packet.is_whole(), Packet::is_canonical(&out));
                prop_assert_eq!(packet.is_whole(), !matches!(packet.transport, Transport::Foreign(_)));
                prop_assert!(packet.tcp().is_none_or(|tcp| packet.is_whole() == tcp.omitted.is_empty()));
                let marked = Packet::from_bytes(&marked).map(|marked| (marked.ip.ecn(), bytes_of(&marked)));
                let (ecn, marked) = marked.expect("a marked packet is a packet");
                prop_assert_eq!(ecn, Ecn::Experienced);
                if packet.ip.len() == Ipv4Header::LEN {
                    prop_assert_eq!(is_sound(&marked), is_sound(&out), "{:02x?}", out);
                }
            }
            Err(ParseError::Truncated { .. } | ParseError::Version(_) | ParseError::Ipv4Length(_)) => {}
            Err(other) => prop_assert!(false, "{other}: {bytes:02x?}"),
        }
    }

    #[test]
    fn what_is_typed_passes_through_as_it_is(packet in packets()) {
        prop_assert_eq!(Packet::from_bytes(&bytes_of(&packet)), Ok(packet));
    }

    #[test]
    fn no_bytes_are_more_than_foreign(first in prop_oneof![Just(0x45u8), Just(0x46), Just(0x60), any::<u8>()], bytes in prop::collection::vec(any::<u8>(), 40..140)) {
        let mut bytes = bytes;
        let len = bytes.len() as u16;
        bytes[0] = first;
        match first >> 4 {
            4 => bytes[2..4].copy_from_slice(&len.to_be_bytes()),
            _ => bytes[4..6].copy_from_slice(&(len - 40).to_be_bytes()),
        }
        if let Ok(packet) = Packet::from_bytes(&bytes) {
            prop_assert_eq!(bytes_of(&packet), bytes);
        }
    }
}

/// An IPv4 packet with this protocol and content.
fn raw(protocol: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = bytes_of(&ack(v4()))[..20].to_vec();
    bytes.extend(content);
    let len = bytes.len() as u8;
    rewrite(bytes, |b| (b[3], b[9]) = (len, protocol))
}

#[test]
fn what_the_values_cannot_say_is_foreign_and_tells_its_flow() {
    let echo = [8, 0, 0xf7, 0xf2, 0x12, 0x34, 0, 1, b'a', b'b'];
    let sctp = [0x0b, 0x59, 0x0b, 0x5a, 0, 0, 0, 1, 0, 0, 0, 0];
    let unreachable = [3, 1, 0, 0, 0, 0, 0, 0, 0x45, 0];
    let whole = bytes_of(&ack(v4()));
    let fragment = rewrite(whole.clone(), |b| b[6] = 0x20);
    let later = rewrite(whole.clone(), |b| b[7] = 3);
    let no_checksum = raw(17, &[0x03, 0xe8, 0, 53, 0, 9, 0, 0, 7]);
    let wrong_checksum = raw(17, &[0x03, 0xe8, 0, 53, 0, 9, 1, 2, 7]);
    for (bytes, protocol, ports, header_len) in [
        (raw(1, &echo), 1, (0x1234, 0x1234), 20),
        (raw(132, &sctp), 132, (2905, 2906), 20),
        (raw(1, &unreachable), 1, (0, 0), 20),
        (fragment, 6, (0, 0), 20),
        (later, 6, (0, 0), 20),
        (no_checksum, 17, (1000, 53), 28),
        (wrong_checksum, 17, (1000, 53), 28),
    ] {
        let (packet, out, _) = passed(&bytes);
        assert_eq!(out, bytes);
        assert!(matches!(packet.transport, Transport::Foreign(_)) && packet.tcp().is_none(), "{packet:?}");
        assert_eq!((packet.protocol(), packet.ports(), packet.header_len()), (protocol, ports, Bytes(header_len)));
        assert!(packet.pure_ack().is_none() && !packet.is_acknowledgement());
    }
}

#[test]
fn a_foreign_segment_has_its_header_and_is_no_ack_that_anybody_may_make_again() {
    let bytes = bytes_of(&ack(v4()));
    // A DSS option of MPTCP (RFC 8684, 3.3) with nothing but a data ACK, and Router Alert (RFC 2113) in front of the segment.
    let dss = [30, 8, 0x20, 1, 0, 0, 0, 5];
    let mptcp = rewrite([&bytes[..], &dss].concat(), |b| (b[3], b[32]) = (48, 0x70));
    let alert = [&bytes[..20], &[0x94, 4, 0, 0], &bytes[20..]].concat();
    for (bytes, omitted) in [(mptcp, Omitted::OPTIONS), (alert, Omitted::NETWORK)] {
        let bytes = match omitted {
            Omitted::NETWORK => {
                let mut bytes = bytes;
                (bytes[0], bytes[3], bytes[10], bytes[11]) = (0x46, 44, 0, 0);
                let value = checksum::sum(&bytes[..24]).checksum();
                bytes[10..12].copy_from_slice(&value.to_be_bytes());
                bytes
            }
            _ => bytes,
        };
        let (packet, out, marked) = passed(&bytes);
        assert_eq!(out, bytes);
        assert!(is_sound(&out) && is_sound(&marked) && marked[1] == 3);
        let tcp = packet.tcp().expect("it is TCP");
        assert_eq!((tcp.omitted & !Omitted::LAYOUT, tcp.window, packet.ports()), (omitted, 502, (5001, 40000)));
        assert!(tcp.is_opaque() && packet.pure_ack().is_none() && packet.is_acknowledgement());
        assert!(packet.clone().tcp_mut().is_none());
        assert_eq!((packet.header_len(), packet.payload.len()), (packet.len(), 0));
    }
}

#[test]
fn options_in_another_order_are_written_as_they_came_and_in_our_order_once_changed() {
    let stamped = with_options(&[8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 1]);
    let (mut packet, out, _) = passed(&stamped);
    assert_eq!(out, stamped);
    assert!(matches!(packet.transport, Transport::Foreign(_)) && packet.pure_ack().is_some() && !packet.is_whole());
    packet.tcp_mut().expect("it is plain TCP").ack = SeqNumber(7);
    assert!(packet.is_whole());
    assert_eq!(bytes_of(&packet)[40..], [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2]);
}

#[test]
fn a_sum_that_is_written_with_the_other_zero_is_foreign_and_means_the_same() {
    // A window that makes the sum over everything but the checksum all ones, so that the checksum is zero, and ones are as right.
    let tcp = |window| TcpHeader { flags: TcpFlags::ACK, window, ..TcpHeader::new(5001, 40000) };
    let with = |window| bytes_of(&Packet { transport: Transport::Tcp(tcp(window)), ..ack(v4()) });
    let mut bytes = (0..=u16::MAX).map(with).find(|bytes| bytes[36..38] == [0, 0]).expect("one window does");
    assert!(Packet::from_bytes(&bytes).is_ok_and(|packet| packet.is_whole()));
    bytes[36..38].fill(0xff);
    let (mut packet, out, _) = passed(&bytes);
    assert_eq!(out, bytes);
    assert!(!packet.is_whole());
    assert_eq!(packet.tcp().map(|tcp| (tcp.omitted, tcp.checksum)), Some((Omitted::LAYOUT, Checksum::Correct)));
    // Else its whole connection would be left alone from here on.
    assert!(packet.pure_ack().is_some_and(|tcp| !tcp.is_opaque()));
    packet.tcp_mut().expect("it is plain TCP").ack = SeqNumber(7);
    assert!(packet.is_whole());
    // Beside a reserved bit of IPv4's it is opaque all the same.
    bytes[6] |= 0x80;
    bytes[10..12].fill(0);
    let sum = checksum::sum(&bytes[..20]).checksum();
    bytes[10..12].copy_from_slice(&sum.to_be_bytes());
    let packet = passed(&bytes).0;
    assert_eq!(packet.tcp().map(|tcp| tcp.omitted), Some(Omitted::RESERVED));
    assert!(packet.pure_ack().is_none());
}

#[test]
fn an_extension_header_is_looked_behind() {
    let segment = bytes_of(&ack(v6()));
    let mut bytes = [&segment[..40], &[6, 0, 1, 4, 0, 0, 0, 0], &segment[40..]].concat();
    (bytes[5], bytes[6]) = (28, 60);
    let (packet, out, marked) = passed(&bytes);
    assert_eq!(out, bytes);
    assert_eq!((packet.protocol(), packet.ports(), packet.header_len()), (6, (5001, 40000), Bytes(68)));
    assert_eq!(packet.tcp().map(|tcp| tcp.omitted), Some(Omitted::NETWORK));
    assert_eq!((marked[1], &marked[2..]), (0x30, &bytes[2..]));
    // A fragment header hides what follows, and one that is cut short ends the chain.
    bytes[6] = 44;
    assert_eq!((passed(&bytes).0.tcp(), passed(&bytes).0.protocol()), (None, 6));
    (bytes[6], bytes[41]) = (60, 200);
    assert_eq!((passed(&bytes).0.tcp(), passed(&bytes).0.protocol()), (None, 60));
}

#[test]
fn what_is_no_whole_packet_is_refused() {
    let bytes = bytes_of(&ack(v4()));
    let parse = |change: fn(&mut [u8])| Packet::from_bytes(&rewrite(bytes.clone(), change));
    assert_eq!(parse(|b| b[0] = 0x44), Err(ParseError::Ipv4Length(16)));
    assert_eq!(parse(|b| b[0] = 0x55), Err(ParseError::Version(5)));
    assert_eq!(parse(|b| b[3] = 19), Err(ParseError::Ipv4Length(19)));
    assert_eq!(parse(|b| (b[0], b[3]) = (0x46, 23)), Err(ParseError::Ipv4Length(23)));
    assert_eq!(parse(|b| b[3] = 41), Err(ParseError::Truncated { needed: 41, have: 40 }));
    assert_eq!(Packet::from_bytes(&[]), Err(ParseError::Truncated { needed: 1, have: 0 }));
    assert_eq!(Packet::from_bytes(&bytes_of(&ack(v6()))[..59]), Err(ParseError::Truncated { needed: 60, have: 59 }));
}

/// The ACK with these bytes as its options.
fn with_options(options: &[u8]) -> Vec<u8> {
    let len = 40 + options.len() as u8;
    let mut bytes = rewrite([&bytes_of(&ack(v4())), options].concat(), |b| (b[3], b[32]) = (len, (len - 20) << 2));
    bytes[36..38].fill(0);
    let mut sum = checksum::Sum::pseudo_header(&v4(), TCP, usize::from(len) - 20);
    sum.add(&bytes[20..]);
    bytes[36..38].copy_from_slice(&sum.checksum().to_be_bytes());
    bytes
}

#[test]
fn a_value_is_no_larger_for_what_it_cannot_say_than_a_pointer_is_aligned() {
    let plain = std::mem::size_of::<TcpHeader>().next_multiple_of(8)
        + std::mem::size_of::<IpHeader>()
        + std::mem::size_of::<Payload>();
    assert_eq!(std::mem::size_of::<Packet>(), plain.next_multiple_of(8));
}

#[test]
fn a_known_header_has_its_known_checksum() {
    // The words 4500 0028 0000 4000 4006 0a00 0002 0a01 0001 sum to d932, whose complement is 26cd.
    assert_eq!(bytes_of(&ack(v4()))[..12], [0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6, 0x26, 0xcd]);
}

#[test]
fn a_udp_checksum_of_zero_is_sent_as_ones() {
    // The sum over everything but the payload, whose complement as payload makes the sum all ones.
    let mut sum = checksum::Sum::pseudo_header(&v4(), UDP, 10);
    sum.add(&[0, 9, 0, 10, 0, 10]);
    let packet = datagram(v4(), Payload::Data(sum.checksum().to_be_bytes().to_vec().into()));
    let bytes = bytes_of(&packet);
    assert_eq!(bytes[26..28], [0xff, 0xff]);
    assert_eq!(Packet::parse(&bytes), Ok(packet));
}

#[test]
fn udp_without_checksum_is_accepted_over_ipv4_alone() {
    for (ip, expected) in [(v4(), Ok(())), (v6(), Err(ParseError::UdpChecksum))] {
        let mut bytes = bytes_of(&datagram(ip, Payload::Length(3)));
        let at = ip.len().get() as usize + 6;
        bytes[at..at + 2].fill(0);
        assert_eq!(Packet::parse(&bytes).map(drop), expected);
    }
}

#[test]
fn a_damaged_udp_payload_is_an_error() {
    let mut bytes = bytes_of(&datagram(v4(), Payload::Length(3)));
    *bytes.last_mut().expect("a datagram has bytes") ^= 1;
    assert_eq!(Packet::parse(&bytes), Err(ParseError::UdpChecksum));
}

#[test]
fn a_damaged_ipv4_header_is_an_error() {
    let mut bytes = bytes_of(&ack(v4()));
    bytes[8] ^= 1;
    assert_eq!(Packet::parse(&bytes), Err(ParseError::Ipv4Checksum));
}

#[test]
fn what_the_values_cannot_hold_is_named() {
    let bytes = bytes_of(&ack(v4()));
    let parse = |change: fn(&mut [u8])| Packet::parse(&rewrite(bytes.clone(), change));
    assert_eq!(parse(|b| b[0] = 0x46), Err(ParseError::Ipv4Options));
    assert_eq!(parse(|b| b[0] = 0x44), Err(ParseError::Ipv4Length(16)));
    assert_eq!(parse(|b| b[0] = 0x55), Err(ParseError::Version(5)));
    assert_eq!(parse(|b| b[3] = 19), Err(ParseError::Ipv4Length(19)));
    assert_eq!(parse(|b| b[3] = 41), Err(ParseError::Truncated { needed: 41, have: 40 }));
    assert_eq!(parse(|b| b[6] = 0x20), Err(ParseError::Fragment));
    assert_eq!(parse(|b| b[7] = 1), Err(ParseError::Fragment));
    assert_eq!(parse(|b| b[9] = 1), Err(ParseError::Protocol(1)));
    assert_eq!(parse(|b| b[32] = 0x40), Err(ParseError::DataOffset(16)));
    assert_eq!(parse(|b| b[32] = 0x60), Err(ParseError::DataOffset(24)));
    assert_eq!(Packet::parse(&[]), Err(ParseError::Truncated { needed: 1, have: 0 }));
    assert_eq!(Packet::parse(&bytes[..19]), Err(ParseError::Truncated { needed: 20, have: 19 }));

    let mut bytes = bytes_of(&ack(v6()));
    for (next_header, expected) in [
        (0, ParseError::ExtensionHeader(0)),
        (60, ParseError::ExtensionHeader(60)),
        (44, ParseError::Fragment),
        (58, ParseError::Protocol(58)),
    ] {
        bytes[6] = next_header;
        assert_eq!(Packet::parse(&bytes), Err(expected));
    }
}

#[test]
fn a_udp_length_that_differs_from_the_packet_is_an_error() {
    let mut bytes = bytes_of(&datagram(v4(), Payload::Length(3)));
    bytes[25] = 10;
    assert_eq!(Packet::parse(&bytes), Err(ParseError::UdpLength { udp: 10, ip: 11 }));
}

#[test]
fn options_too_tight_for_the_padded_layout_are_an_error() {
    // MSS, timestamps and three SACK blocks fill 40 bytes without padding and need 44 with it.
    let mut tight = vec![2, 4, 0, 9, 8, 10];
    tight.extend([0; 8]);
    tight.extend([5, 26]);
    tight.extend([0; 24]);
    let mut bytes = bytes_of(&ack(v4()));
    bytes[32] = 0xf0;
    bytes.extend(tight);
    let bytes = rewrite(bytes, |b| b[3] = 80);
    assert_eq!(Packet::parse(&bytes), Err(ParseError::OptionsTooLong(44)));
}

#[test]
fn padding_and_reserved_bits_are_ignored_and_not_canonical() {
    let bytes = bytes_of(&ack(v4()));
    assert!(Packet::is_canonical(&bytes));
    let padded = [&bytes[..], &[0; 6]].concat();
    assert_eq!(Packet::parse(&padded), Ok(ack(v4())));
    assert!(!Packet::is_canonical(&padded));
    for (at, bit) in [(6, 0x80), (32, 1), (32, 8)] {
        let reserved = rewrite(bytes.clone(), |b| b[at] |= bit);
        let parsed = Packet::parse(&reserved).expect("reserved bits are ignored");
        assert_eq!(parsed.tcp().map(|tcp| tcp.omitted), Some(Omitted::RESERVED));
        assert!(!parsed.is_whole() && parsed.pure_ack().is_none() && parsed.is_acknowledgement());
        assert_eq!(unparsed(parsed), ack(v4()));
        assert!(!Packet::is_canonical(&reserved));
    }
}

#[test]
#[should_panic(expected = "a packet's length fits its header")]
fn a_packet_too_long_for_its_header_is_a_bug() {
    bytes_of(&datagram(v4(), Payload::Length(65_536)));
}

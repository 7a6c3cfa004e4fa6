use proptest::prelude::*;

use super::*;
use crate::ip::{IpHeader, Ipv4Header, Ipv6Header};
use crate::packet::Transport;
use crate::tcp::{Checksum, Omitted, SackBlocks, SeqNumber, TackForm, TackOptions, TcpFlags, TcpHeader, TcpOptions};
use crate::udp::UdpHeader;

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
    (any::<(Option<u16>, bool, Option<(u32, u32)>, Option<u8>)>(), sack, tack)
        .prop_map(|((mss, sack_permitted, timestamps, window_scale), sack, tack)| TcpOptions {
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

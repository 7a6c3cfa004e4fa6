use ackless_phy::{Band, DsssRate, GuardInterval, HtMode, MpduSpacing, OfdmRate, TxVector, VhtMode, Width};
use ackless_wire::ip::{Ipv4Header, Ipv6Header};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Duration, Instant, IpHeader, Packet, PacketPool, Payload, TcpFlags, TcpHeader, Transport};
use proptest::prelude::*;

use super::*;
use crate::frame::{
    AckPolicy, Answer, BLOCK_ACK_LEN, Bitmap, Body, Ds, FrameHandle, HeaderBits, MacSeq, Mpdu, MpduKind, NodeId, Part,
    Ppdu, Tag, Tid,
};

const AP: NodeId = NodeId(0);
const CLIENT: NodeId = NodeId(1);
const FAR: NodeId = NodeId(9);

fn segment(ip: IpHeader, payload: u32) -> Packet {
    let tcp = TcpHeader { flags: TcpFlags::ACK, window: 500, ..TcpHeader::new(80, 5000) };
    Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::Length(payload) }
}

fn v4() -> IpHeader {
    IpHeader::V4(Ipv4Header::new([10, 0, 0, 1].into(), [10, 0, 0, 2].into()))
}

fn v6() -> IpHeader {
    IpHeader::V6(Ipv6Header::new([0xfd; 16].into(), [0xfe; 16].into()))
}

fn mpdu(pool: &mut PacketPool, kind: MpduKind, ds: Ds, packet: Packet) -> Mpdu {
    let packet_len = packet.len();
    Mpdu {
        packet: pool.insert(packet),
        packet_len,
        payload_len: Bytes::ZERO,
        tcp_ack: false,
        handle: FrameHandle(0),
        kind,
        ds,
        receiver: CLIENT,
        transmitter: AP,
        destination: CLIENT,
        source: FAR,
        seq: MacSeq::new(4094),
        retry: false,
        ack_policy: AckPolicy::Normal,
        part: Part::Alone,
    }
}

fn ppdu(txvector: TxVector, body: Body) -> Ppdu {
    // The codec takes lengths from the frames themselves.
    Ppdu {
        transmitter: AP,
        receiver: CLIENT,
        txvector,
        psdu_len: Bytes::ZERO,
        duration: Duration::ZERO,
        duration_field: Duration::from_nanos(43_001),
        bits: HeaderBits::default(),
        body,
    }
}

fn ofdm() -> TxVector {
    TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5)
}

fn ht() -> TxVector {
    TxVector::Ht(HtMode::new(7, Width::Mhz40, GuardInterval::Short, Band::Ghz5).expect("MCS 7 exists"))
}

fn vht() -> TxVector {
    TxVector::Vht(VhtMode::new(9, 2, Width::Mhz80, GuardInterval::Short).expect("MCS 9 exists at 80 MHz"))
}

fn bytes_of(ppdu: &Ppdu, pool: &PacketPool) -> Vec<u8> {
    let mut out = Vec::new();
    ppdu.emit_frame(0, Instant::from_millis(7), pool, &mut out);
    assert_eq!(out.len() as u64, ppdu.frame_len(0).get(), "{:?}", ppdu.body);
    out
}

#[test]
fn an_ack_is_these_14_bytes() {
    let ppdu = Ppdu { duration_field: Duration::ZERO, ..ppdu(ofdm(), Body::Ack(Answer::default())) };
    let bytes = bytes_of(&ppdu, &PacketPool::default());
    // The FCS as zlib's crc32 gives it over the ten bytes before.
    assert_eq!(bytes, [0xd4, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0xd8, 0xd6, 0xbf, 0x8f]);
}

#[test]
fn control_frames_come_back_with_their_fields() {
    let pool = PacketPool::default();
    let bitmap = Bitmap { start: MacSeq::new(4090), bits: 0x8000_0000_0000_0005 };
    let answer =
        || Answer { appended: vec![1, 2, 3], bits: HeaderBits { more_data: true, sync: true }, ..Answer::default() };
    let cases = [
        (Body::Rts, FrameKind::Rts, true, 0),
        (Body::Cts, FrameKind::Cts, false, 0),
        (Body::BlockAckReq(Tid(6), MacSeq::new(77)), FrameKind::BlockAckReq(Tid(6), MacSeq::new(77)), true, 0),
        (Body::Ack(answer()), FrameKind::Ack, false, 3),
        (Body::BlockAck(Tid(5), bitmap, answer()), FrameKind::BlockAck(Tid(5), bitmap), true, 3),
        (Body::BlockAck(Tid(0), bitmap, Answer::default()), FrameKind::BlockAck(Tid(0), bitmap), true, 0),
    ];
    for (body, kind, has_transmitter, appended) in cases {
        let bytes = bytes_of(&ppdu(ofdm(), body), &pool);
        let frame = Frame::parse(&bytes).expect("our own frame");
        assert_eq!(frame.kind, kind);
        assert!(frame.fcs_ok);
        assert_eq!(frame.duration, Some(Duration::from_micros(44)), "microseconds are rounded up");
        assert_eq!(frame.receiver, CLIENT.mac());
        assert_eq!(frame.transmitter, has_transmitter.then_some(AP.mac()));
        assert_eq!(frame.body, &[1, 2, 3][..appended]);
        let bits = appended > 0;
        assert_eq!(frame.control.has(FrameControl::MORE_DATA), bits);
        assert_eq!(frame.sync, bits);
        assert!(!frame.control.has(FrameControl::POWER_MANAGEMENT), "a station's answer does not say that it dozes");
    }
}

#[test]
fn what_a_scheme_puts_into_an_answers_header_comes_back() {
    let pool = PacketPool::default();
    for tag in [None, Tag::new(1), Tag::new(4096), Tag::new(Tag::MAX)] {
        for agent in [false, true] {
            let answer = Answer { tag, agent, ..Answer::default() };
            for body in [Body::Ack(answer.clone()), Body::BlockAck(Tid(0), Bitmap::empty(MacSeq::new(1)), answer)] {
                let bytes = bytes_of(&ppdu(ofdm(), body), &pool);
                let frame = Frame::parse(&bytes).expect("our own frame");
                assert_eq!((frame.tag, frame.control.has(FrameControl::RETRY)), (tag, agent));
                assert_eq!(frame.duration.is_some(), tag.is_none());
            }
        }
    }
    // Bit 15 set and bit 14 clear.
    let tagged = Body::Ack(Answer { tag: Tag::new(0x1234), ..Answer::default() });
    assert_eq!(bytes_of(&ppdu(ofdm(), tagged), &pool)[2..4], [0x34, 0x92]);
    assert_eq!((Tag::new(0), Tag::new(Tag::MAX + 1)), (None, None));
}

#[test]
fn a_data_frame_bears_its_addresses_where_its_direction_says() {
    let (third, fourth) = (|n: NodeId| Some(n.mac()), |n: NodeId| Some(n.mac()));
    let cases = [
        (Ds::Direct, 0, Some(IBSS_BSSID), None),
        (Ds::ToAp, FrameControl::TO_DS, third(CLIENT), None),
        (Ds::FromAp, FrameControl::FROM_DS, third(FAR), None),
        (Ds::FourAddress, FrameControl::TO_DS | FrameControl::FROM_DS, third(CLIENT), fourth(FAR)),
    ];
    for kind in [MpduKind::Data, MpduKind::QosData(Tid(5))] {
        for ip in [v4(), v6()] {
            for (ds, bits, third, fourth) in cases {
                let mut pool = PacketPool::default();
                let packet = segment(ip, 20);
                let body = Body::Single(Mpdu { retry: true, ..mpdu(&mut pool, kind, ds, packet.clone()) });
                let bytes = bytes_of(&ppdu(ofdm(), body), &pool);
                let frame = Frame::parse(&bytes).expect("our own frame");
                assert_eq!((frame.third, frame.fourth), (third, fourth), "{ds:?}");
                assert_eq!((frame.receiver, frame.transmitter), (CLIENT.mac(), Some(AP.mac())));
                assert_eq!(frame.seq, Some(MacSeq::new(4094)));
                assert!(frame.control.has(bits | FrameControl::RETRY));
                assert!(frame.fcs_ok);
                let found = frame.packet().map(Packet::parse_without_payload);
                assert_eq!(found, Some(Ok(packet)));
                let expected = match kind {
                    MpduKind::QosData(tid) => FrameKind::QosData { tid, ack_policy: 0, amsdu: false },
                    _ => FrameKind::Data,
                };
                assert_eq!(frame.kind, expected);
            }
        }
    }
}

#[test]
fn an_action_frame_hides_its_packet_and_names_the_bss() {
    let cases = [
        (Ds::ToAp, CLIENT, CLIENT.mac()),
        (Ds::ToAp, NodeId::BROADCAST, MacAddr::BROADCAST),
        (Ds::FromAp, NodeId::BROADCAST, AP.mac()),
        (Ds::Direct, CLIENT, IBSS_BSSID),
        (Ds::FourAddress, CLIENT, MacAddr::BROADCAST),
    ];
    let subtypes = [(MpduKind::Action, FrameKind::Action, 13), (MpduKind::ActionNoAck, FrameKind::ActionNoAck, 14)];
    for ((ds, receiver, bssid), (kind, parsed, subtype)) in
        cases.into_iter().flat_map(|case| subtypes.map(|subtype| (case, subtype)))
    {
        let mut pool = PacketPool::default();
        let mpdu = Mpdu { receiver, ..mpdu(&mut pool, kind, ds, segment(v4(), 0)) };
        let bytes = bytes_of(&ppdu(ofdm(), Body::Single(mpdu)), &pool);
        let frame = Frame::parse(&bytes).expect("our own frame");
        assert_eq!((frame.kind, frame.third, frame.fourth), (parsed, Some(bssid), None));
        assert_eq!((frame.control.type_number(), frame.control.subtype_number()), (0, subtype));
        assert_eq!(frame.packet().map(Packet::parse), Some(Ok(segment(v4(), 0))));
    }
}

/// Who knows nothing of HACK reads the same frame as without SYNC, but for what is reserved, obsolete or not known.
#[test]
fn sync_comes_back_and_tells_nobody_else_anything() {
    for kind in [MpduKind::Data, MpduKind::QosData(Tid(5))] {
        for ds in [Ds::ToAp, Ds::FromAp, Ds::Direct, Ds::FourAddress] {
            let mut pool = PacketPool::default();
            let mpdu = mpdu(&mut pool, kind, ds, segment(v4(), 0));
            let [plain, synced] = [false, true].map(|sync| {
                let bits = HeaderBits { sync, ..HeaderBits::default() };
                bytes_of(&Ppdu { bits, ..ppdu(ofdm(), Body::Single(mpdu)) }, &pool)
            });
            let [without, with] = [&plain, &synced].map(|bytes| Frame::parse(bytes).expect("our own frame"));
            assert!(with.sync && !without.sync, "{kind:?} {ds:?}");
            let from_ap = ds == Ds::FromAp;
            assert_eq!(with.control.has(FrameControl::POWER_MANAGEMENT), from_ap, "a station that says so dozes");
            assert!(!with.control.has(FrameControl::HTC) || !kind.is_qos(), "there is no HT Control field");
            assert_eq!((with.kind, with.body, with.seq), (without.kind, without.body, without.seq));
            let differ = plain.iter().zip(&synced).take(plain.len() - 4).filter(|(a, b)| a != b).count();
            let in_two = kind.is_qos() && matches!(ds, Ds::ToAp | Ds::Direct);
            assert_eq!(differ, if in_two { 2 } else { 1 }, "{kind:?} {ds:?}");
            if kind.is_qos() && ds == Ds::FourAddress {
                // Nobody takes it for the end of a service period (bit 4), or for a buffer state (bit 9) or one of its parts.
                let qos = [&plain, &synced].map(|bytes| u16::from_le_bytes([bytes[30], bytes[31]]));
                assert_eq!(qos, [5, 5 | 1 << 8]);
            }
        }
    }
}

#[test]
fn a_station_that_tells_its_queue_size_says_no_sync() {
    let mut pool = PacketPool::default();
    let mpdu = mpdu(&mut pool, MpduKind::QosData(Tid(0)), Ds::ToAp, segment(v4(), 0));
    let bytes = bytes_of(&ppdu(ofdm(), Body::Single(mpdu)), &pool);
    for (low, upper, sync) in [(0, 0, false), (0x10, 0, false), (0x10, 254, false), (0, 255, false), (0x10, 255, true)]
    {
        let mut told = bytes.clone();
        (told[24], told[25]) = (low, upper);
        assert_eq!(Frame::parse(&told).map(|frame| frame.sync), Ok(sync), "{low:#x} {upper}");
    }
}

#[test]
fn no_ack_is_said_in_the_qos_control_field() {
    let mut pool = PacketPool::default();
    let mpdu = mpdu(&mut pool, MpduKind::QosData(Tid(3)), Ds::FromAp, segment(v4(), 0));
    let body = Body::Single(Mpdu { ack_policy: AckPolicy::NoAck, ..mpdu });
    let bytes = bytes_of(&ppdu(ofdm(), body), &pool);
    let frame = Frame::parse(&bytes).expect("our own frame");
    assert_eq!(frame.kind, FrameKind::QosData { tid: Tid(3), ack_policy: 1, amsdu: false });
}

#[test]
fn a_beacon_has_the_length_asked_for() {
    let dsss = TxVector::dsss(DsssRate::Mbps1);
    assert_eq!((beacon::min_len(dsss), beacon::min_len(ofdm())), (Bytes(54), Bytes(58)));
    for (len, vector) in (0..1000).flat_map(|len| [(len, ofdm()), (len, dsss)]) {
        let ppdu = ppdu(vector, Body::Beacon(Bytes(len.max(28))));
        let bytes = bytes_of(&ppdu, &PacketPool::default());
        let frame = Frame::parse(&bytes).expect("our own frame");
        assert_eq!(frame.kind, FrameKind::Beacon);
        if len >= beacon::min_len(vector).get() {
            assert_eq!(frame.body[..8], 7_000u64.to_le_bytes());
            // The elements fill the body exactly.
            let mut elements = &frame.body[12..];
            while let [_, size, rest @ ..] = elements {
                elements = rest.get(usize::from(*size)..).expect("an element ends within the body");
            }
            assert!(elements.is_empty(), "{len}: {elements:?} is left");
        }
    }
}

fn aggregate(vector: TxVector, sizes: &[u32], pool: &mut PacketPool) -> Ppdu {
    let mpdus = sizes.iter().map(|&size| mpdu(pool, MpduKind::QosData(Tid(0)), Ds::FromAp, segment(v4(), size)));
    ppdu(vector, Body::Aggregate(mpdus.collect()))
}

fn psdu_of(ppdu: &Ppdu, pool: &PacketPool, spacing: MpduSpacing) -> Vec<u8> {
    let mut psdu = Vec::new();
    ppdu.emit_psdu(Instant::ZERO, pool, spacing, &mut psdu);
    psdu
}

/// Three packets of 40, 41 and 42 bytes to the client, from the AP and from two hosts behind it, as an A-MSDU.
fn three(pool: &mut PacketPool, ds: Ds) -> Vec<Mpdu> {
    [(0, Part::First, FAR), (1, Part::Middle, AP), (2, Part::Last, FAR)]
        .map(|(size, part, source)| Mpdu {
            part,
            source,
            ..mpdu(pool, MpduKind::QosData(Tid(5)), ds, segment(v4(), size))
        })
        .to_vec()
}

#[test]
fn an_amsdu_of_three_packets_is_these_bytes() {
    let mut pool = PacketPool::default();
    let packets = three(&mut pool, Ds::FromAp);
    let bytes = bytes_of(&ppdu(ht(), Body::Amsdu(packets)), &pool);
    // 26 of header, subframes of 14 + 8 + 40 = 62 and 2 of padding, 63 and 1, 64 and none, 4 of FCS.
    assert_eq!(bytes.len(), 26 + 64 + 64 + 64 + 4);
    let header = [
        0x88, 0x02, 44, 0, // QoS Data from the AP; the Duration field
        2, 0, 0, 0, 0, 1, // RA
        2, 0, 0, 0, 0, 0, // TA
        2, 0, 0, 0, 0, 0, // BSSID, in the place of the source
        0xe0, 0xff, // number 4094, no fragment
        0x85, 0, // A-MSDU present, Normal, TID 5
    ];
    assert_eq!(bytes[..26], header);
    for (at, source, len) in [(26, 9, 48), (90, 0, 49), (154, 9, 50)] {
        let subframe = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, source, 0, len, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45];
        assert_eq!(bytes[at..at + 23], subframe, "at {at}");
    }
    assert_eq!((&bytes[88..90], bytes[153]), (&[0, 0][..], 0), "padding, and none behind the last");
    assert_eq!(bytes[218..], crc32fast::hash(&bytes[..218]).to_le_bytes());
}

#[test]
fn the_packets_of_an_amsdu_come_back_with_their_addresses() {
    for (ds, third, fourth) in [
        (Ds::Direct, IBSS_BSSID, None),
        (Ds::ToAp, CLIENT.mac(), None),
        (Ds::FromAp, AP.mac(), None),
        (Ds::FourAddress, AP.mac(), Some(AP.mac())),
    ] {
        let mut pool = PacketPool::default();
        let bytes = bytes_of(&ppdu(ht(), Body::Amsdu(three(&mut pool, ds))), &pool);
        let frame = Frame::parse(&bytes).expect("our own frame");
        assert_eq!(frame.kind, FrameKind::QosData { tid: Tid(5), ack_policy: 0, amsdu: true });
        assert_eq!((frame.third, frame.fourth, frame.fcs_ok, frame.packet()), (Some(third), fourth, true, None));
        let found: Vec<_> = frame.subframes().map(|sub| (sub.source, sub.packet().map(Packet::parse))).collect();
        let meant = [(FAR, 0), (AP, 1), (FAR, 2)].map(|(from, size)| (from.mac(), Some(Ok(segment(v4(), size)))));
        // Payloads of which only the length was known come back as zeros.
        assert_eq!(found.len(), 3);
        for ((from, packet), (meant, sent)) in found.into_iter().zip(meant) {
            let len = |packet: Option<Result<Packet, _>>| packet.and_then(Result::ok).map(|packet| packet.len());
            assert_eq!((from, len(packet)), (meant, len(sent)), "{ds:?}");
        }
        assert!(frame.subframes().all(|sub| sub.destination == CLIENT.mac()));
    }
}

#[test]
fn an_ampdu_counts_its_amsdus_as_one_mpdu_each() {
    for vector in [ht(), vht()] {
        let mut pool = PacketPool::default();
        let alone = mpdu(&mut pool, MpduKind::QosData(Tid(5)), Ds::FromAp, segment(v4(), 7));
        let mpdus = [three(&mut pool, Ds::FromAp), vec![alone], three(&mut pool, Ds::FromAp)].concat();
        let ppdu = ppdu(vector, Body::Aggregate(mpdus));
        assert_eq!((ppdu.frame_count(), ppdu.mpdus().len()), (3, 7));
        let psdu = psdu_of(&ppdu, &pool, MpduSpacing::None);
        let lens: Vec<_> = ampdu::subframes(&psdu).map(|(_, mpdu)| mpdu.len()).collect();
        assert_eq!(lens, [222, 26 + 8 + 47 + 4, 222]);
        assert_eq!(lens, [0, 1, 2].map(|index| ppdu.frame_len(index).get() as usize));
        assert!(ampdu::subframes(&psdu).all(|(_, mpdu)| Frame::parse(mpdu).is_ok_and(|frame| frame.fcs_ok)));
    }
}

#[test]
fn an_ampdu_is_as_long_as_the_phy_says_and_holds_its_mpdus() {
    for vector in [ht(), vht()] {
        for spacing in MpduSpacing::ALL {
            let mut pool = PacketPool::default();
            let ppdu = aggregate(vector, &[0, 1, 2, 3, 1460, 17], &mut pool);
            let psdu = psdu_of(&ppdu, &pool, spacing);
            let apep =
                (0..6).fold(ackless_phy::AmpduLength::new(vector, spacing), |len, n| len.with(ppdu.frame_len(n))).len();
            let expected = match vector {
                TxVector::Vht(mode) => mode.padded_psdu(apep),
                _ => apep,
            };
            assert_eq!(Bytes(psdu.len() as u64), expected, "{vector} {spacing:?}");
            let found: Vec<_> = ampdu::subframes(&psdu).collect();
            assert_eq!(found.len(), 6);
            for (index, (eof, mpdu)) in found.into_iter().enumerate() {
                let mut alone = Vec::new();
                ppdu.emit_frame(index, Instant::ZERO, &pool, &mut alone);
                assert_eq!(mpdu, alone);
                assert!(!eof);
            }
        }
    }
}

#[test]
fn a_vht_frame_sent_alone_has_a_delimiter_with_the_eof_bit() {
    let mut pool = PacketPool::default();
    let alone = mpdu(&mut pool, MpduKind::QosData(Tid(0)), Ds::FromAp, segment(v4(), 100));
    let ppdu = ppdu(vht(), Body::Single(alone));
    let psdu = psdu_of(&ppdu, &pool, MpduSpacing::None);
    assert!(ppdu.is_ampdu());
    let found: Vec<_> = ampdu::subframes(&psdu).map(|(eof, mpdu)| (eof, mpdu.len() as u64)).collect();
    assert_eq!(found, [(true, ppdu.frame_len(0).get())]);
}

#[test]
fn an_ht_frame_sent_alone_has_no_delimiter() {
    let mut pool = PacketPool::default();
    let alone = mpdu(&mut pool, MpduKind::QosData(Tid(0)), Ds::FromAp, segment(v4(), 100));
    let ppdu = ppdu(ht(), Body::Single(alone));
    assert_eq!(psdu_of(&ppdu, &pool, MpduSpacing::Micros8), bytes_of(&ppdu, &pool));
}

#[test]
fn a_flipped_bit_makes_the_fcs_wrong() {
    let ppdu = ppdu(ofdm(), Body::BlockAck(Tid(0), Bitmap::empty(MacSeq::new(0)), Answer::default()));
    let bytes = bytes_of(&ppdu, &PacketPool::default());
    for bit in 16..8 * BLOCK_ACK_LEN.get() as usize {
        let mut bytes = bytes.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(!Frame::parse(&bytes).expect("the kind is untouched").fcs_ok, "bit {bit}");
    }
}

#[test]
fn what_we_do_not_read_is_named_other_and_keeps_its_body() {
    let body = Body::BlockAck(Tid(0), Bitmap::empty(MacSeq::new(0)), Answer::default());
    let bytes = bytes_of(&ppdu(ofdm(), body), &PacketPool::default());
    // Variants basic and multi-TID, a TSID, and a bitmap of 256 bits by the fragment number.
    for (at, value) in [(16, 0), (16, 6), (17, 0x90), (18, 4)] {
        let mut bytes = bytes.clone();
        bytes[at] = value;
        let frame = Frame::parse(&bytes).expect("it is a BlockAck of some kind");
        assert_eq!((frame.kind, frame.body.len()), (FrameKind::Other, 12));
        assert_eq!(frame.transmitter, Some(AP.mac()));
    }
}

#[test]
fn an_ht_control_field_is_skipped() {
    let mut pool = PacketPool::default();
    let body = Body::Single(mpdu(&mut pool, MpduKind::QosData(Tid(0)), Ds::FromAp, segment(v4(), 0)));
    let mut bytes = bytes_of(&ppdu(ofdm(), body), &pool);
    bytes[1] |= 0x80;
    bytes.splice(26..26, [1, 2, 3, 4]);
    let frame = Frame::parse(&bytes).expect("a QoS Data frame with HT Control");
    assert_eq!(frame.packet().map(Packet::parse), Some(Ok(segment(v4(), 0))));
}

#[test]
fn a_cut_frame_says_what_is_missing() {
    let bytes = bytes_of(&ppdu(ofdm(), Body::Rts), &PacketPool::default());
    for have in 0..bytes.len() {
        let error = Frame::parse(&bytes[..have]).expect_err("an RTS has 20 bytes");
        assert!(matches!(error, FrameError::Truncated { needed, have: h } if h == have && needed > have), "{error}");
    }
    assert_eq!(Frame::parse(&[1; 20]), Err(FrameError::Version(1)));
}

/// Reads everything that a view offers.
fn read(bytes: &[u8]) {
    if let Ok(frame) = Frame::parse(bytes) {
        if let Some(packet) = frame.packet() {
            let _ = Packet::parse(packet);
        }
        let subframes = frame.subframes().map(|subframe| 14 + subframe.body.len()).sum::<usize>();
        assert!(subframes <= frame.body.len());
        assert!(frame.body.len() + 14 <= bytes.len());
    }
    for (_, mpdu) in ampdu::subframes(bytes) {
        assert!(!mpdu.is_empty());
    }
}

proptest! {
    #[test]
    fn no_bytes_make_the_parser_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read(&bytes);
    }

    #[test]
    fn no_damage_makes_the_parser_panic(kind in 0usize..7, damage: [(prop::sample::Index, u8); 3], cut: prop::sample::Index) {
        let mut pool = PacketPool::default();
        let ppdu = match kind {
            6 => ppdu(ht(), Body::Amsdu(three(&mut pool, Ds::FourAddress))),
            0 => ppdu(ofdm(), Body::BlockAck(Tid(0), Bitmap::empty(MacSeq::new(0)), Answer::default())),
            1 => ppdu(ofdm(), Body::Beacon(Bytes(100))),
            2 => ppdu(ofdm(), Body::Single(mpdu(&mut pool, MpduKind::Data, Ds::FourAddress, segment(v6(), 9)))),
            3 => ppdu(ofdm(), Body::Single(mpdu(&mut pool, MpduKind::Action, Ds::ToAp, segment(v4(), 9)))),
            4 => aggregate(ht(), &[1, 2], &mut pool),
            _ => aggregate(vht(), &[3], &mut pool),
        };
        let mut bytes = psdu_of(&ppdu, &pool, MpduSpacing::None);
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        read(&bytes);
        read(&bytes[..cut.index(bytes.len())]);
    }
}

/// A stand-in for the fuzzer where there is none: a million short inputs, most of them with a plausible start.
#[test]
fn a_million_random_inputs_leave_the_parser_standing() {
    let seed = 20;
    let mut stream = Stream::new(seed, 0, Purpose::Test);
    let mut bytes = [0u8; 96];
    for _ in 0..1_000_000 {
        bytes.as_chunks_mut::<8>().0.iter_mut().for_each(|chunk| *chunk = stream.bits().to_le_bytes());
        bytes[0] &= 0xfc;
        let len = stream.below(97) as usize;
        read(&bytes[..len]);
    }
}

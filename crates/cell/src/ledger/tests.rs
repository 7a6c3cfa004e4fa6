use ackless_dot11::frame::{
    AckPolicy, Answer, Bitmap, Ds, FrameHandle, HeaderBits, MacSeq, MpduKind, NodeId, Part, Tid,
};
use ackless_phy::{
    AmpduLength, Band, DsssRate, GuardInterval, HtMode, MpduSpacing, OfdmRate, TxVector, VhtMode, Width,
};
use ackless_wire::ip::Ipv4Header;
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{IpHeader, Packet, PacketPool, Payload, TcpHeader, Transport};

use super::*;

#[test]
fn a_datagram_of_802_11a_is_preamble_payload_and_headers() {
    // 1536 bytes with SERVICE and tail are 57 symbols, 228 us; 1472 bytes of payload take 218.074 us at 54 Mbps.
    let ppdu = single(ofdm(), mpdu(1500, 1472));
    assert_eq!(ppdu.duration, Duration::from_micros(248));
    expect(
        &[ppdu],
        &[(AirtimeClass::Preambles, 20_000), (AirtimeClass::Payload, 218_074), (AirtimeClass::Headers, 9_926)],
    );
}

#[test]
fn an_aggregate_of_new_segments_is_payload_and_headers() {
    // 1544 + 1542 bytes are 46 symbols of 540 bits, 165.6 us, and 168 us with short GI rounded up to 4 us.
    let ppdu = aggregate(ht(), vec![mpdu(1500, 1448), mpdu(1500, 1448)]);
    assert_eq!((ppdu.psdu_len, ppdu.duration), (Bytes(3086), Duration::from_micros(204)));
    expect(
        &[ppdu],
        &[(AirtimeClass::Preambles, 36_000), (AirtimeClass::Payload, 154_453), (AirtimeClass::Headers, 13_547)],
    );
}

/// An A-MSDU of these packets under QoS.
fn amsdu<const N: usize>(mut packets: [Mpdu; N]) -> Vec<Mpdu> {
    for packet in &mut packets {
        (packet.part, packet.kind) = (Part::Middle, MpduKind::QosData(Tid(0)));
    }
    packets[0].part = Part::First;
    packets[N - 1].part = Part::Last;
    packets.to_vec()
}

#[test]
fn an_aggregate_of_amsdus_is_payload_and_headers_but_for_tcp_acks_in_it() {
    // Delimiter 4, header 26, a segment of 1522 and 2 of padding, another of 1522 and FCS 4 are 3080 bytes; then before a segment an ACK of 22 + 52 and 2 of
    // padding: 4 + 26 + 76 + 1522 + 4 = 1632. All is 4712 bytes, 70 symbols of 3.6, 252 us. Delimiter, header and subframe of the ACK are its own, 106 bytes,
    // 5.653 us; 3 x 1448 bytes of payload take 231.680 us.
    let segment = || mpdu(1500, 1448);
    let ack = Mpdu { tcp_ack: true, ..mpdu(52, 0) };
    let packets = [amsdu([segment(), segment()]), amsdu([ack, segment()])].concat();
    let ppdu = ppdu(ht(), Bytes(3080 + 1632), Body::Aggregate(packets));
    assert_eq!((ppdu.psdu_len, ppdu.duration), (Bytes(4712), Duration::from_micros(288)));
    expect(
        &[ppdu],
        &[
            (AirtimeClass::Preambles, 36_000),
            (AirtimeClass::Payload, 231_680),
            (AirtimeClass::TcpAcks, 5_653),
            (AirtimeClass::Headers, 14_667),
        ],
    );
}

#[test]
fn an_amsdu_alone_is_what_its_packets_are() {
    let again = |packet: Mpdu| Mpdu { retry: true, ..packet };
    let ack = Mpdu { tcp_ack: true, ..mpdu(52, 0) };
    let len = |packets: &[Mpdu]| packets.iter().map(Mpdu::len).sum::<Bytes>();
    for (packets, class) in [
        (amsdu([ack, ack, ack]), AirtimeClass::TcpAcks),
        (amsdu([again(ack), again(mpdu(1500, 1448))]), AirtimeClass::Retransmissions),
    ] {
        let ppdu = ppdu(ht(), len(&packets), Body::Amsdu(packets));
        expect(std::slice::from_ref(&ppdu), &[(class, ppdu.duration.as_nanos())]);
    }
    // 26 + 76 + 76 + 74 + 4.
    assert_eq!(len(&amsdu([ack, ack, ack])), Bytes(256));
}

#[test]
fn a_repeated_mpdu_among_new_ones_counts_whole_and_leaves_the_preamble() {
    // Its subframe of 1544 bytes takes 82.347 us at 150 Mbps.
    let again = Mpdu { retry: true, ..mpdu(1500, 1448) };
    expect(
        &[aggregate(ht(), vec![again, mpdu(1500, 1448)])],
        &[
            (AirtimeClass::Preambles, 36_000),
            (AirtimeClass::Retransmissions, 82_347),
            (AirtimeClass::Payload, 77_227),
            (AirtimeClass::Headers, 8_426),
        ],
    );
}

#[test]
fn what_is_all_repeated_is_a_retransmission_whole() {
    let again = |payload| Mpdu { retry: true, ..mpdu(1500, payload) };
    expect(&[single(ofdm(), again(1472))], &[(AirtimeClass::Retransmissions, 248_000)]);
    expect(&[aggregate(ht(), vec![again(1448), again(1448)])], &[(AirtimeClass::Retransmissions, 204_000)]);
}

#[test]
fn tcp_acks_alone_are_tcp_acks_whole() {
    // 96 + 96 + 94 bytes are 5 symbols, 18 us, and 20 us rounded up.
    let ack = Mpdu { tcp_ack: true, ..mpdu(52, 0) };
    let ppdu = aggregate(ht(), vec![ack, ack, ack]);
    assert_eq!((ppdu.psdu_len, ppdu.duration), (Bytes(286), Duration::from_micros(56)));
    expect(&[ppdu], &[(AirtimeClass::TcpAcks, 56_000)]);
    // 88 bytes in 802.11a: 726 bits, 4 symbols.
    expect(&[single(ofdm(), ack)], &[(AirtimeClass::TcpAcks, 36_000)]);
}

#[test]
fn answers_are_link_acks_but_for_what_is_appended() {
    // A BlockAck lasts 32 us at 24 Mbps; 20 bytes more are 5 symbols instead of 3.
    let answer = |appended| Answer { appended, ..Answer::default() };
    let bitmap = Bitmap::empty(MacSeq::default());
    let plain = Body::BlockAck(Tid(0), bitmap, answer(Vec::new()));
    expect(&[control(BLOCK_ACK_LEN, plain)], &[(AirtimeClass::LinkAcks, 32_000)]);
    let longer = Body::BlockAck(Tid(0), bitmap, answer(vec![0; 20]));
    let ppdu = control(BLOCK_ACK_LEN + Bytes(20), longer);
    expect(&[ppdu], &[(AirtimeClass::LinkAcks, 32_000), (AirtimeClass::Appended, 8_000)]);
    expect(&[control(ACK_LEN, Body::Ack(answer(Vec::new())))], &[(AirtimeClass::LinkAcks, 28_000)]);
}

#[test]
fn control_frames_and_beacons_have_classes_of_their_own() {
    expect(&[control(Bytes(20), Body::Rts)], &[(AirtimeClass::RtsCts, 28_000)]);
    expect(&[control(Bytes(14), Body::Cts)], &[(AirtimeClass::RtsCts, 28_000)]);
    let request = Body::BlockAckReq(Tid(0), MacSeq::default());
    expect(&[control(Bytes(24), request)], &[(AirtimeClass::BlockAckRequests, 32_000)]);
    // 1622 bits in 17 symbols of 96.
    expect(&[control(Bytes(200), Body::Beacon(Bytes(200)))], &[(AirtimeClass::Beacons, 88_000)]);
}

#[test]
fn a_busy_period_with_an_overlap_is_a_collision_from_its_first_bit_to_its_last() {
    let (long, short) = (single(ofdm(), mpdu(1500, 1472)), single(ofdm(), mpdu(52, 0)));
    let at = |micros| Instant::from_micros(micros);
    let mut ledger = Ledger::new(at(0), at(10_000));
    // Two begin together at 100; the short one ends, and a third begins while the long one lasts until 348, ending at 376.
    ledger.start(at(100), true);
    ledger.start(at(100), false);
    ledger.end(&short, at(100), at(136), false);
    ledger.start(at(340), false);
    ledger.end(&long, at(100), at(348), false);
    ledger.end(&short, at(340), at(376), true);
    assert_eq!(ledger.airtime()[AirtimeClass::Collisions], Duration::from_micros(276));
    assert_eq!(ledger.airtime().total(), Duration::from_micros(276));
    // The next busy period is a new one.
    ledger.start(at(400), true);
    ledger.end(&short, at(400), at(436), true);
    assert_eq!(ledger.airtime()[AirtimeClass::Headers] + ledger.airtime()[AirtimeClass::Preambles], micros(36));
    assert_eq!(ledger.airtime().total(), micros(276 + 36));
}

#[test]
fn a_silence_is_split_where_its_character_changes() {
    let at = |micros| Instant::from_micros(micros);
    let silence = Silence {
        from: at(10),
        wanted: at(20),
        waited: at(65),
        spaced: at(99),
        recovered: at(159),
        backed_off: at(195),
        until: at(211),
    };
    let mut ledger = Ledger::new(at(0), at(1_000));
    ledger.silence(&silence);
    let classes = [
        (AirtimeClass::Idle, 10),
        (AirtimeClass::Timeouts, 45 + 60),
        (AirtimeClass::InterframeSpace, 34),
        (AirtimeClass::Backoff, 36),
        (AirtimeClass::Sifs, 16),
    ];
    for (class, span) in classes {
        assert_eq!(ledger.airtime()[class], micros(span), "{class:?}");
    }
    assert_eq!(ledger.airtime().total(), micros(201));
}

#[test]
fn a_silence_that_ends_early_is_split_up_to_its_end() {
    // Somebody else begins within the interframe space of the one whose waiting it was.
    let at = |micros| Instant::from_micros(micros);
    let whole = Silence {
        from: at(10),
        wanted: at(10),
        waited: at(10),
        spaced: at(44),
        recovered: at(44),
        backed_off: at(80),
        until: at(30),
    };
    let mut ledger = Ledger::new(at(0), at(1_000));
    ledger.silence(&whole);
    assert_eq!(ledger.airtime()[AirtimeClass::InterframeSpace], micros(20));
    assert_eq!(ledger.airtime().total(), micros(20));
    ledger.silence(&Silence::of_sifs(at(100), at(116)));
    assert_eq!(ledger.airtime()[AirtimeClass::Sifs], micros(16));
}

#[test]
fn only_what_lies_in_the_window_is_booked() {
    let at = |micros| Instant::from_micros(micros);
    let (ppdu, vector) = (single(ofdm(), mpdu(1500, 1472)), ofdm());
    assert_eq!(vector.preamble(), micros(20));
    let mut ledger = Ledger::new(at(1_000), at(2_000));
    // Half its preamble comes before the window, and another frame's preamble alone within it.
    ledger.start(at(990), true);
    ledger.end(&ppdu, at(990), at(1_238), true);
    ledger.start(at(1_985), true);
    ledger.end(&ppdu, at(1_985), at(2_233), true);
    assert_eq!(ledger.airtime()[AirtimeClass::Preambles], micros(10 + 15));
    assert_eq!(ledger.airtime().total(), micros(238 + 15));
    ledger.silence(&Silence { wanted: at(5_000), ..Silence::of_sifs(at(3_000), at(5_000)) });
    assert_eq!(ledger.airtime().total(), micros(238 + 15));
}

#[test]
fn whatever_a_ppdu_carries_its_classes_sum_to_its_duration() {
    for seed in 0..3_000 {
        let mut stream = Stream::new(seed, 0, Purpose::Test);
        let ppdu = random_ppdu(&mut stream);
        let start = Instant::from_micros(stream.below(1_000));
        let mut ledger = Ledger::new(Instant::ZERO, Instant::from_secs(1));
        ledger.start(start, true);
        ledger.end(&ppdu, start, start + ppdu.duration, true);
        let airtime = ledger.airtime();
        assert_eq!(airtime.total(), ppdu.duration, "seed {seed}: {ppdu:?}");
        let payload: u64 = ppdu.mpdus().iter().filter(|mpdu| !mpdu.retry).map(|mpdu| mpdu.payload_len.get()).sum();
        let by_hand = Duration::from_nanos(payload * 8_000_000_000 / ppdu.txvector.rate().bps());
        let off = airtime[AirtimeClass::Payload].as_nanos().abs_diff(by_hand.as_nanos());
        assert!(off <= 1, "seed {seed}: payload {} and {by_hand}", airtime[AirtimeClass::Payload]);
    }
}

/// The classes of PPDUs that follow on each other, in nanoseconds and exact to one; every other class is empty.
fn expect(ppdus: &[Ppdu], classes: &[(AirtimeClass, u64)]) {
    let mut ledger = Ledger::new(Instant::ZERO, Instant::from_secs(1));
    let mut at = Instant::from_micros(7);
    for ppdu in ppdus {
        ledger.start(at, true);
        ledger.end(ppdu, at, at + ppdu.duration, true);
        at += ppdu.duration;
    }
    for class in AirtimeClass::ALL {
        let hand = classes.iter().find(|(known, _)| *known == class).map_or(0, |(_, nanos)| *nanos);
        let got = ledger.airtime()[class].as_nanos();
        assert!(got.abs_diff(hand) <= 1, "{class:?}: {got} ns is not {hand} ns");
    }
    assert_eq!(ledger.airtime().total(), at - Instant::from_micros(7));
}

/// A data PPDU of some standard with new, repeated and pure-ACK MPDUs.
fn random_ppdu(stream: &mut Stream) -> Ppdu {
    let some = |stream: &mut Stream| {
        let tcp_ack = stream.below(3) == 0;
        let payload = if tcp_ack { 0 } else { stream.below(1449) };
        Mpdu { tcp_ack, retry: stream.below(3) == 0, ..mpdu(payload + 52, payload) }
    };
    match stream.below(4) {
        0 => single(TxVector::dsss(DsssRate::Mbps11), some(stream)),
        1 => single(TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz2_4), some(stream)),
        n => {
            let vector = if n == 2 { ht() } else { vht() };
            let mpdus = 1 + stream.below(20);
            aggregate(vector, (0..mpdus).map(|_| some(stream)).collect())
        }
    }
}

fn mpdu(packet: u64, payload: u64) -> Mpdu {
    // The ledger looks at the MPDU alone, not at its packet.
    let packet_id = PacketPool::default().insert(Packet {
        ip: IpHeader::V4(Ipv4Header::new([10, 0, 0, 1].into(), [10, 0, 0, 2].into())),
        transport: Transport::Tcp(TcpHeader::new(1, 2)),
        payload: Payload::Length(0),
    });
    Mpdu {
        packet: packet_id,
        packet_len: Bytes(packet),
        payload_len: Bytes(payload),
        tcp_ack: false,
        handle: FrameHandle(1),
        kind: MpduKind::Data,
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

fn single(vector: TxVector, mpdu: Mpdu) -> Ppdu {
    ppdu(vector, mpdu.len(), Body::Single(mpdu))
}

fn aggregate(vector: TxVector, mut mpdus: Vec<Mpdu>) -> Ppdu {
    for mpdu in &mut mpdus {
        mpdu.kind = MpduKind::QosData(Tid(0));
    }
    let empty = AmpduLength::new(vector, MpduSpacing::None);
    let len = mpdus.iter().fold(empty, |length, mpdu| length.with(mpdu.len())).len();
    ppdu(vector, len, Body::Aggregate(mpdus))
}

fn control(len: Bytes, body: Body) -> Ppdu {
    ppdu(TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5), len, body)
}

fn ppdu(txvector: TxVector, psdu_len: Bytes, body: Body) -> Ppdu {
    Ppdu {
        transmitter: NodeId(0),
        receiver: NodeId(1),
        txvector,
        psdu_len,
        duration: txvector.duration(psdu_len),
        duration_field: Duration::ZERO,
        bits: HeaderBits::default(),
        body,
    }
}

fn micros(n: u64) -> Duration {
    Duration::from_micros(n)
}

fn ofdm() -> TxVector {
    TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz5)
}

fn ht() -> TxVector {
    TxVector::Ht(HtMode::new(7, Width::Mhz40, GuardInterval::Short, Band::Ghz5).expect("an HT mode"))
}

fn vht() -> TxVector {
    TxVector::Vht(VhtMode::new(9, 2, Width::Mhz80, GuardInterval::Short).expect("a VHT mode"))
}

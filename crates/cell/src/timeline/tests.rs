use ackless_dot11::frame::{
    ACK_LEN, AckPolicy, Answer, Ds, FrameHandle, HeaderBits, MacSeq, Mpdu, MpduKind, NodeId, Part, Tid,
};
use ackless_phy::{Band, OfdmRate, TxVector};
use ackless_wire::ip::Ipv4Header;
use ackless_wire::{IpHeader, Packet, PacketPool, Payload, TcpHeader, Transport};

use super::*;

/// What the tables of these events say: the air and the series.
fn told(format: Format, events: impl FnOnce(&mut Timeline<Vec<u8>>, &PacketPool)) -> (String, Option<String>) {
    let nodes = ["ap", "laptop", "phone"];
    let mut timeline = Timeline::new(Vec::new(), format, nodes, ["download", "upload"], Duration::from_millis(10))
        .expect("memory takes everything");
    events(&mut timeline, &PacketPool::default());
    let (air, series) = timeline.finish().expect("memory takes everything");
    let text = |bytes| String::from_utf8(bytes).expect("a timeline is text");
    (text(air), series.map(text))
}

fn at(micros: u64) -> Instant {
    Instant::from_micros(micros)
}

fn ppdu(transmitter: u16, receiver: u16, body: Body) -> Ppdu {
    let txvector = TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5);
    let psdu_len = match &body {
        Body::Single(mpdu) => mpdu.len(),
        _ => ACK_LEN,
    };
    Ppdu {
        transmitter: NodeId(transmitter),
        receiver: NodeId(receiver),
        txvector,
        psdu_len,
        duration: txvector.duration(psdu_len),
        duration_field: Duration::ZERO,
        bits: HeaderBits::default(),
        body,
    }
}

fn data(tcp_ack: bool, retry: bool) -> Body {
    let mut pool = PacketPool::default();
    let packet = pool.insert(Packet {
        ip: IpHeader::V4(Ipv4Header::new([10, 0, 0, 2].into(), [10, 1, 0, 1].into())),
        transport: Transport::Tcp(TcpHeader::new(1, 2)),
        payload: Payload::EMPTY,
    });
    Body::Single(Mpdu {
        packet,
        packet_len: Bytes(40),
        payload_len: Bytes::ZERO,
        tcp_ack,
        handle: FrameHandle(1),
        kind: MpduKind::QosData(Tid(0)),
        ds: Ds::FromAp,
        receiver: NodeId(1),
        transmitter: NodeId(0),
        destination: NodeId(1),
        source: NodeId(0),
        seq: MacSeq::default(),
        retry,
        ack_policy: AckPolicy::Normal,
        part: Part::Alone,
    })
}

#[test]
fn an_exchange_is_its_silences_and_its_frames() {
    let (air, _) = told(Format::Csv, |timeline, pool| {
        let silence = Silence {
            from: at(0),
            wanted: at(5),
            waited: at(5),
            spaced: at(39),
            recovered: at(39),
            backed_off: at(57),
            until: at(57),
        };
        let frame = ppdu(0, 1, data(false, true));
        let (start, end) = (at(57), at(57) + frame.duration);
        timeline.observe(start, &Event::Start { ppdu: &frame, pool, silence: Some(silence), access: true });
        let ended = Event::End { ppdu: &frame, pool, start, collided: false, damaged: 0, idle: true };
        timeline.observe(end, &ended);
        let answer = ppdu(1, 0, Body::Ack(Answer::default()));
        let sifs = Silence::of_sifs(end, end + Duration::from_micros(16));
        timeline.observe(sifs.until, &Event::Start { ppdu: &answer, pool, silence: Some(sifs), access: false });
        let start = sifs.until;
        let ended = Event::End { ppdu: &answer, pool, start, collided: false, damaged: 1, idle: true };
        timeline.observe(start + answer.duration, &ended);
    });
    // 40 bytes of IP with LLC, a QoS header and FCS are 78: 6 + 78 * 8 + 16 bits are 7 symbols. An Ack's 134 bits are 2.
    let expected = "\
start_ns,end_ns,kind,transmitter,receiver,outcome,access,mpdus,tcp_ack_mpdus,retried_mpdus,damaged_mpdus,psdu_bytes,rate_bps
0,5000,idle,,,silent,,,,,,,
5000,39000,interframe_space,,,silent,,,,,,,
39000,57000,backoff,,,silent,,,,,,,
57000,105000,data,ap,laptop,ok,1,1,0,1,0,78,24000000
105000,121000,sifs,,,silent,,,,,,,
121000,149000,ack,laptop,ap,damaged,0,0,0,0,1,14,24000000
";
    assert_eq!(air, expected, "\n{air}");
}

#[test]
fn frames_that_collide_are_both_there_with_their_own_access() {
    let (air, _) = told(Format::Csv, |timeline, pool| {
        let ack = ppdu(1, 0, data(true, false));
        let beacon = ppdu(0, NodeId::BROADCAST.0, Body::Beacon(Bytes(14)));
        let start = at(10);
        timeline.observe(start, &Event::Start { ppdu: &ack, pool, silence: None, access: true });
        timeline.observe(start, &Event::Start { ppdu: &beacon, pool, silence: None, access: false });
        for (ppdu, idle) in [(&beacon, false), (&ack, true)] {
            let ended = Event::End { ppdu, pool, start, collided: true, damaged: 0, idle };
            timeline.observe(start + ppdu.duration, &ended);
        }
    });
    let rows: Vec<&str> = air.lines().skip(1).collect();
    assert_eq!(rows[0], "10000,38000,beacon,ap,all,collided,0,0,0,0,0,14,24000000");
    assert_eq!(rows[1], "10000,58000,tcp_ack,laptop,ap,collided,1,1,1,0,0,78,24000000");
}

#[test]
fn an_interval_has_what_was_delivered_in_it_and_how_the_flow_stood_at_its_end() {
    let events = |timeline: &mut Timeline<Vec<u8>>, _: &PacketPool| {
        assert_eq!(timeline.sampling(), Some(Duration::from_millis(10)));
        let mut tell = |micros, event| timeline.observe(at(micros), &event);
        for bytes in [1_000, 250] {
            tell(4_000, Event::Delivered { flow: 0, at: None, bytes: Bytes(bytes) });
        }
        for rtt in [5, 8] {
            tell(5_000, Event::RoundTrip { flow: 0, rtt: Duration::from_micros(rtt) });
        }
        let stands = |flow, queued| Event::FlowSample {
            flow,
            cwnd: (flow == 0).then_some(Bytes(14_480)),
            srtt: (flow == 0).then_some(Duration::from_micros(6)),
            pacing: None,
            bandwidth: None,
            queued,
        };
        tell(10_000, stands(0, 7));
        tell(10_000, stands(1, 0));
        tell(15_000, stands(0, 0));
        tell(15_000, stands(1, 3));
    };
    let (_, series) = told(Format::Csv, events);
    let expected = "\
start_ns,end_ns,flow,delivered_bytes,goodput_bps,rtt_mean_ns,srtt_ns,cwnd_bytes,queued_packets
0,10000000,download,1250,1000000,6500,6000,14480,7
0,10000000,upload,0,0,,,,0
10000000,15000000,download,0,0,,6000,14480,0
10000000,15000000,upload,0,0,,,,3
";
    assert_eq!(series.as_deref(), Some(expected));
    let (json, none) = told(Format::Json, events);
    assert_eq!(none, None);
    assert!(json.starts_with("{\"air\":{\"columns\":[\"start_ns\",") && json.ends_with("]}\n}\n"), "{json}");
    assert!(json.contains("\n[0,10000000,\"upload\",0,0,null,null,null,0],"), "{json}");
}

/// A disk that is full from the third write on.
struct Full(u32);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += 1;
        if self.0 > 2 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_failure_while_observing_is_told_at_the_end() {
    let mut timeline = Timeline::new(Full(0), Format::Csv, ["ap"], [], Duration::from_millis(1)).expect("it has room");
    timeline.observe(at(9), &Event::Silence(Silence::of_sifs(at(0), at(9))));
    timeline.observe(at(12), &Event::Silence(Silence::of_sifs(at(9), at(12))));
    let error = timeline.finish().map(|_| ()).expect_err("the disk is full");
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert!(Timeline::new(Vec::new(), Format::Csv, ["ap"], [], Duration::ZERO).is_err());
}

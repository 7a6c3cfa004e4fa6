//! One PPDU of every kind, in every format.

use ackless_cell::pcap::PcapWriter;
use ackless_dot11::frame::{
    AckPolicy, Answer, Bitmap, Body, Ds, FrameHandle, HeaderBits, MacSeq, Mpdu, MpduKind, NodeId, Part, Ppdu, Tid,
};
use ackless_phy::{
    AmpduLength, Band, DsssMode, DsssRate, GuardInterval, HtMode, MpduSpacing, OfdmRate, Preamble, TxVector, VhtMode,
    Width,
};
use ackless_wire::ip::{Ipv4Header, Ipv6Header};
use ackless_wire::tcp::{SackBlocks, TcpOptions};
use ackless_wire::{
    Bytes, Duration, Instant, IpHeader, Packet, PacketPool, Payload, SeqNumber, TcpFlags, TcpHeader, Transport,
    UdpHeader,
};

/// The nodes, by their numbers.
pub const NODES: [&str; 3] = ["ap", "laptop", "phone"];
const AP: NodeId = NodeId(0);
const LAPTOP: NodeId = NodeId(1);
const PHONE: NodeId = NodeId(2);

/// PPDUs with their starts, and the packets in them.
#[derive(Default)]
pub struct Samples {
    pub ppdus: Vec<(Instant, Ppdu)>,
    pub pool: PacketPool,
    spacing: MpduSpacing,
    now: Instant,
    seq: MacSeq,
}

impl Samples {
    /// Every kind of frame, one after the other with 16 us between them.
    pub fn new(spacing: MpduSpacing) -> Self {
        // Past 2^32 ns, so that both halves of a timestamp count.
        let mut samples = Self { spacing, now: Instant::from_nanos(5_000_000_123), ..Self::default() };
        samples.legacy();
        samples.high_throughput();
        samples.very_high_throughput();
        samples
    }

    /// All of them as a file.
    pub fn file(&self) -> Vec<u8> {
        let mut writer = PcapWriter::new(Vec::new(), NODES).expect("memory takes everything");
        for (start, ppdu) in &self.ppdus {
            writer.ppdu(*start, ppdu, &self.pool).expect("memory takes everything");
        }
        writer.finish().expect("memory takes everything")
    }

    fn legacy(&mut self) {
        let long = TxVector::dsss(DsssRate::Mbps1);
        let short = |rate| TxVector::Dsss(DsssMode::new(rate, Preamble::Short).expect("above 1 Mbps"));
        let a = |rate| TxVector::ofdm(rate, Band::Ghz5);
        let g = |rate| TxVector::ofdm(rate, Band::Ghz2_4);
        self.send(AP, NodeId::BROADCAST, long, Body::Beacon(Bytes(120)));
        let syn = self.mpdu(MpduKind::Data, Ds::ToAp, (LAPTOP, AP), syn());
        self.send(LAPTOP, AP, short(DsssRate::Mbps11), Body::Single(syn));
        self.send(AP, LAPTOP, short(DsssRate::Mbps2), Body::Ack(Answer::default()));
        let datagram = self.mpdu(MpduKind::Data, Ds::FromAp, (AP, LAPTOP), udp(v4(), 1472));
        self.send(AP, LAPTOP, short(DsssRate::Mbps5_5), Body::Single(Mpdu { retry: true, ..datagram }));
        self.send(LAPTOP, AP, long, Body::Ack(Answer::default()));
        self.send(AP, NodeId::BROADCAST, a(OfdmRate::Mbps6), Body::Beacon(Bytes(350)));
        let data = self.mpdu(MpduKind::Data, Ds::FromAp, (AP, PHONE), tcp(v4(), |_| {}, Payload::Length(1448)));
        self.send(AP, PHONE, a(OfdmRate::Mbps54), Body::Single(data));
        let held =
            Answer { appended: vec![0x5a; 11], bits: HeaderBits { more_data: true, sync: false }, ..Answer::default() };
        self.send(PHONE, AP, a(OfdmRate::Mbps24), Body::Ack(held));
        let direct = self.mpdu(MpduKind::Data, Ds::Direct, (LAPTOP, PHONE), udp(v6(), 100));
        self.send(LAPTOP, PHONE, g(OfdmRate::Mbps48), Body::Single(direct));
        let fin = tcp(v4(), |tcp| tcp.flags |= TcpFlags::FIN | TcpFlags::PSH, Payload::Data(vec![7; 33].into()));
        let fin = self.mpdu(MpduKind::Data, Ds::FourAddress, (AP, LAPTOP), fin);
        self.send(AP, LAPTOP, g(OfdmRate::Mbps9), Body::Single(Mpdu { source: NodeId(7), ..fin }));
        let disguised = self.mpdu(MpduKind::Action, Ds::ToAp, (PHONE, NodeId::BROADCAST), tcp(v4(), |_| {}, NOTHING));
        self.send(PHONE, NodeId::BROADCAST, a(OfdmRate::Mbps12), Body::Single(disguised));
        let unanswered = self.mpdu(MpduKind::ActionNoAck, Ds::FromAp, (AP, PHONE), tcp(v4(), |_| {}, NOTHING));
        self.send(AP, PHONE, a(OfdmRate::Mbps54), Body::Single(unanswered));
        let to_group = self.mpdu(MpduKind::Data, Ds::FromAp, (AP, PHONE.as_group()), tcp(v4(), |_| {}, NOTHING));
        self.send(AP, PHONE.as_group(), a(OfdmRate::Mbps24), Body::Single(to_group));
    }

    fn high_throughput(&mut self) {
        let narrow = TxVector::Ht(
            HtMode::new(11, Width::Mhz20, GuardInterval::Long, Band::Ghz2_4).expect("MCS 11 exists at 20 MHz"),
        );
        let wide = TxVector::Ht(HtMode::new(7, Width::Mhz40, GuardInterval::Short, Band::Ghz5).expect("MCS 7 exists"));
        let basic = TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5);
        self.send(AP, LAPTOP, basic, Body::Rts);
        self.send(LAPTOP, AP, basic, Body::Cts);
        let mpdus = vec![
            self.mpdu(qos(0), Ds::FromAp, (AP, LAPTOP), tcp(v4(), |_| {}, Payload::Length(1448))),
            self.mpdu(qos(0), Ds::FromAp, (AP, LAPTOP), tcp(v6(), sack, NOTHING)),
            self.mpdu(qos(0), Ds::FromAp, (AP, LAPTOP), udp(v6(), 3)),
        ];
        self.send_with(HeaderBits { more_data: true, sync: true }, AP, LAPTOP, wide, Body::Aggregate(mpdus));
        let bitmap = Bitmap { start: MacSeq::new(4090), bits: 0x8000_0000_0000_0007 };
        self.send(LAPTOP, AP, basic, Body::BlockAck(Tid(0), bitmap, Answer::default()));
        self.send(AP, LAPTOP, basic, Body::BlockAckReq(Tid(5), MacSeq::new(4095)));
        let held =
            Answer { appended: vec![0xc3; 29], bits: HeaderBits { more_data: false, sync: true }, ..Answer::default() };
        self.send(LAPTOP, AP, basic, Body::BlockAck(Tid(5), bitmap, held));
        let alone = self.mpdu(qos(6), Ds::FourAddress, (PHONE, AP), tcp(v4(), sack, NOTHING));
        self.send(PHONE, AP, narrow, Body::Single(Mpdu { destination: NodeId(9), ..alone }));
        let unanswered = self.mpdu(qos(3), Ds::ToAp, (PHONE, AP), tcp(v6(), |_| {}, NOTHING));
        self.send(PHONE, AP, narrow, Body::Single(Mpdu { ack_policy: AckPolicy::NoAck, ..unanswered }));
        let one = vec![self.mpdu(qos(0), Ds::ToAp, (PHONE, AP), udp(v4(), 0))];
        self.send(PHONE, AP, narrow, Body::Aggregate(one));
        let packets = self.amsdu(Ds::ToAp, (PHONE, AP), &[0, 1, 1448]);
        self.send(PHONE, AP, narrow, Body::Amsdu(packets));
        let mpdus =
            [self.amsdu(Ds::FromAp, (AP, LAPTOP), &[3, 1448]), self.amsdu(Ds::FromAp, (AP, LAPTOP), &[2, 1, 0])];
        self.send(AP, LAPTOP, wide, Body::Aggregate(mpdus.concat()));
    }

    /// An A-MSDU of datagrams with so many bytes each.
    fn amsdu(&mut self, ds: Ds, (from, to): (NodeId, NodeId), sizes: &[u32]) -> Vec<Mpdu> {
        let last = sizes.len() - 1;
        let packets = sizes.iter().map(|&size| self.mpdu(qos(0), ds, (from, to), udp(v4(), size)));
        let mut packets: Vec<_> = packets.collect();
        let seq = packets[0].seq;
        for (n, packet) in packets.iter_mut().enumerate() {
            packet.seq = seq;
            packet.part = match n {
                0 => Part::First,
                n if n == last => Part::Last,
                _ => Part::Middle,
            };
        }
        packets
    }

    fn very_high_throughput(&mut self) {
        let fast = TxVector::Vht(VhtMode::new(9, 2, Width::Mhz80, GuardInterval::Short).expect("MCS 9 exists"));
        let slow = TxVector::Vht(VhtMode::new(0, 1, Width::Mhz20, GuardInterval::Long).expect("MCS 0 exists"));
        let packet = || tcp(v4(), |_| {}, Payload::Length(1448));
        let mpdus = (0..40).map(|_| self.mpdu(qos(0), Ds::FromAp, (AP, PHONE), packet())).collect();
        self.send(AP, PHONE, fast, Body::Aggregate(mpdus));
        let alone = self.mpdu(qos(0), Ds::ToAp, (PHONE, AP), tcp(v4(), sack, NOTHING));
        self.send(PHONE, AP, slow, Body::Aggregate(vec![alone]));
    }

    /// An MPDU from one node to another, which is also where the packet comes from and goes to.
    fn mpdu(&mut self, kind: MpduKind, ds: Ds, (from, to): (NodeId, NodeId), packet: Packet) -> Mpdu {
        self.seq = self.seq.plus(1);
        Mpdu {
            packet_len: packet.len(),
            payload_len: Bytes(packet.payload.len().into()),
            tcp_ack: packet.is_acknowledgement(),
            packet: self.pool.insert(packet),
            handle: FrameHandle(0),
            kind,
            ds,
            receiver: to,
            transmitter: from,
            destination: to,
            source: from,
            seq: self.seq,
            retry: false,
            ack_policy: AckPolicy::Normal,
            part: Part::Alone,
        }
    }

    fn send(&mut self, from: NodeId, to: NodeId, vector: TxVector, body: Body) {
        self.send_with(HeaderBits::default(), from, to, vector, body);
    }

    fn send_with(&mut self, bits: HeaderBits, from: NodeId, to: NodeId, vector: TxVector, body: Body) {
        let mut ppdu = Ppdu {
            transmitter: from,
            receiver: to,
            txvector: vector,
            psdu_len: Bytes::ZERO,
            duration: Duration::ZERO,
            duration_field: Duration::from_micros(44),
            bits,
            body,
        };
        ppdu.psdu_len = if ppdu.is_ampdu() {
            let empty = AmpduLength::new(vector, self.spacing);
            (0..ppdu.frame_count()).fold(empty, |length, index| length.with(ppdu.frame_len(index))).len()
        } else {
            ppdu.frame_len(0)
        };
        ppdu.duration = vector.duration(ppdu.psdu_len);
        let next = self.now + ppdu.duration + Duration::from_micros(16);
        self.ppdus.push((self.now, ppdu));
        self.now = next;
    }
}

fn qos(tid: u8) -> MpduKind {
    MpduKind::QosData(Tid(tid))
}

fn v4() -> IpHeader {
    IpHeader::V4(Ipv4Header { id: 0x1234, ..Ipv4Header::new([10, 1, 0, 1].into(), [10, 0, 0, 2].into()) })
}

fn v6() -> IpHeader {
    let [src, dst] = [1, 2].map(|last| std::net::Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, last));
    IpHeader::V6(Ipv6Header { flow_label: 0xabcde, traffic_class: 2, ..Ipv6Header::new(src, dst) })
}

fn udp(ip: IpHeader, payload: u32) -> Packet {
    let udp = UdpHeader { src_port: 40_000, dst_port: 50_000 };
    Packet { ip, transport: Transport::Udp(udp), payload: Payload::Length(payload) }
}

fn tcp(ip: IpHeader, change: impl FnOnce(&mut TcpHeader), payload: Payload) -> Packet {
    let mut tcp = TcpHeader {
        seq: SeqNumber(0xffff_ff00),
        ack: SeqNumber(77_777),
        flags: TcpFlags::ACK,
        window: 502,
        ..TcpHeader::new(50_001, 40_001)
    };
    tcp.options.timestamps = Some((123_456, 654_321));
    change(&mut tcp);
    Packet { ip, transport: Transport::Tcp(tcp), payload }
}

fn sack(tcp: &mut TcpHeader) {
    let edge = |n| SeqNumber(77_777) + n;
    tcp.options.sack = SackBlocks::from_slice(&[(edge(5000), edge(6000)), (edge(1000), edge(2000))]);
}

fn syn() -> Packet {
    let options = TcpOptions {
        mss: Some(1460),
        sack_permitted: true,
        timestamps: Some((1, 0)),
        window_scale: Some(7),
        ..TcpOptions::default()
    };
    let syn = TcpHeader { flags: TcpFlags::SYN, window: 64_240, options, ..TcpHeader::new(40_002, 50_002) };
    Packet { ip: v4(), transport: Transport::Tcp(syn), payload: NOTHING }
}

const NOTHING: Payload = Payload::EMPTY;

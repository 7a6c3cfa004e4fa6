//! ACK filtering against its hooks: which packets leave in which form, and what is made of them on the other side.

use ackless_dot11::frame::{AckPolicy, Ds, FrameHandle, MacSeq, Mpdu, MpduKind, NodeId, Part, Tid};
use ackless_dot11::hooks::{Admission, Context, Peer, Scheme, SendOptions, Verdict};
use ackless_schemes::filter::{Filter, FilterConfig, FilterCounters, Filtered, Form};
use ackless_wire::ip::{Ipv4Header, Ipv6Header};
use ackless_wire::tcp::SackBlocks;
use ackless_wire::{
    Bytes, Instant, IpHeader, Packet, PacketPool, Payload, SeqNumber, TcpFlags, TcpHeader, Transport, UdpHeader,
};

const AP: NodeId = NodeId(0);
const CLIENT: NodeId = NodeId(1);
const FAR: NodeId = NodeId(2);

/// A filter on the AP, whose client is node 1.
struct Script {
    filter: Filter,
    pool: PacketPool,
    peers: Vec<Peer>,
}

impl Script {
    fn new(form: Form, filtered: Filtered) -> Self {
        let capable = Peer { capable: true, ..Peer::default() };
        let filter = Filter::new(FilterConfig { form, filtered });
        Self { filter, pool: PacketPool::default(), peers: vec![capable; 3] }
    }

    /// How this packet leaves that would leave so.
    fn sends(&mut self, packet: Packet, options: SendOptions) -> SendOptions {
        let mut options = options;
        let (mut nothing, mut emissions) = (NoQueue, Vec::new());
        let id = self.pool.insert(packet);
        let mut cx = Context::new(Instant::ZERO, AP, &mut self.pool, &self.peers, &mut nothing, &mut emissions);
        assert_eq!(self.filter.on_outgoing(&mut cx, id, FrameHandle(1), &mut options), Verdict::Pass);
        assert!(emissions.is_empty());
        self.pool.release(id);
        options
    }

    /// A frame comes that was sent so.
    fn hears(&mut self, options: SendOptions) {
        let packet = self.pool.insert(ack());
        let mpdu = Mpdu {
            packet,
            packet_len: Bytes(40),
            payload_len: Bytes::ZERO,
            tcp_ack: true,
            handle: FrameHandle(1),
            kind: options.kind,
            ds: options.ds,
            receiver: options.receiver,
            transmitter: CLIENT,
            destination: options.destination,
            source: options.source,
            seq: MacSeq::default(),
            retry: false,
            ack_policy: options.ack_policy,
            part: Part::Alone,
        };
        let (mut nothing, mut emissions) = (NoQueue, Vec::new());
        let mut cx = Context::new(Instant::ZERO, AP, &mut self.pool, &self.peers, &mut nothing, &mut emissions);
        assert_eq!(self.filter.on_mpdu(&mut cx, &mpdu), Admission::Accept);
        assert_eq!(self.filter.on_upward(&mut cx, packet, CLIENT), Verdict::Pass);
        self.pool.release(packet);
    }

    #[track_caller]
    fn assert_counted(&self, expected: FilterCounters) {
        assert_eq!(*self.filter.counters(), expected);
        assert_eq!(self.pool.live(), 0);
    }
}

struct NoQueue;

impl ackless_dot11::hooks::Withdraw for NoQueue {
    fn withdraw(&mut self, _handle: FrameHandle) -> Option<ackless_wire::PacketId> {
        None
    }
}

/// From the AP to its client, with QoS.
const DOWN: SendOptions = SendOptions {
    receiver: CLIENT,
    destination: CLIENT,
    source: AP,
    ds: Ds::FromAp,
    kind: MpduKind::QosData(Tid(0)),
    ack_policy: AckPolicy::Normal,
    rate: None,
};
/// From a client to its AP.
const UP: SendOptions = SendOptions { receiver: AP, destination: FAR, source: CLIENT, ds: Ds::ToAp, ..DOWN };

fn segment(flags: TcpFlags, payload: u32) -> Packet {
    let tcp = TcpHeader { flags, ack: SeqNumber(77), ..TcpHeader::new(10_000, 20_000) };
    let ip = IpHeader::V4(Ipv4Header::new([10, 1, 0, 1].into(), [10, 0, 0, 1].into()));
    Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::Length(payload) }
}

fn ack() -> Packet {
    segment(TcpFlags::ACK, 0)
}

#[test]
fn an_ack_leaves_for_the_group_in_which_its_receiver_is_alone() {
    let mut script = Script::new(Form::Group, Filtered::Acks);
    let group = CLIENT.as_group();
    let expected = SendOptions { receiver: group, destination: group, kind: MpduKind::Data, ..DOWN };
    assert_eq!(script.sends(ack(), DOWN), expected);
    script.assert_counted(FilterCounters { filtered_acks: 1, ..FilterCounters::default() });
}

#[test]
fn over_a_bridge_receiver_and_destination_are_groups_of_their_own() {
    let mut script = Script::new(Form::Group, Filtered::Acks);
    let bridged = SendOptions { destination: FAR, ds: Ds::FourAddress, ..DOWN };
    let sent = script.sends(ack(), bridged);
    assert_eq!((sent.receiver, sent.destination, sent.source), (CLIENT.as_group(), FAR.as_group(), AP));
    // Towards the AP too: its own address stands nowhere in the frame.
    let sent = script.sends(ack(), SendOptions { ds: Ds::FourAddress, ..UP });
    assert_eq!((sent.receiver, sent.destination), (AP.as_group(), FAR.as_group()));
    let direct = script.sends(ack(), SendOptions { ds: Ds::Direct, ..DOWN });
    assert!(direct.receiver.is_group());
    script.assert_counted(FilterCounters { filtered_acks: 3, ..FilterCounters::default() });
}

#[test]
fn what_a_station_sends_to_its_ap_stays_answered_in_the_group_form() {
    let mut script = Script::new(Form::Group, Filtered::AcksAndData);
    assert_eq!(script.sends(ack(), UP), UP);
    assert_eq!(script.sends(segment(TcpFlags::ACK, 1000), UP), UP);
    script.assert_counted(FilterCounters { answered_to_ap: 2, ..FilterCounters::default() });
}

#[test]
fn an_action_no_ack_frame_may_go_to_the_ap() {
    let mut script = Script::new(Form::ActionNoAck, Filtered::Acks);
    for options in [UP, DOWN, SendOptions { ds: Ds::FourAddress, ..UP }, SendOptions { ds: Ds::Direct, ..DOWN }] {
        assert_eq!(script.sends(ack(), options), SendOptions { kind: MpduKind::ActionNoAck, ..options });
    }
    script.assert_counted(FilterCounters { filtered_acks: 4, ..FilterCounters::default() });
}

#[test]
fn no_ack_is_a_policy_of_qos_data() {
    let mut script = Script::new(Form::NoAck, Filtered::Acks);
    for options in [UP, DOWN] {
        assert_eq!(script.sends(ack(), options), SendOptions { ack_policy: AckPolicy::NoAck, ..options });
    }
    let without = SendOptions { kind: MpduKind::Data, ..DOWN };
    assert_eq!(script.sends(ack(), without), without);
    script.assert_counted(FilterCounters { filtered_acks: 2, answered_without_qos: 1, ..FilterCounters::default() });
}

#[test]
fn a_legacy_receiver_gets_only_what_it_understands() {
    for (form, filtered) in [(Form::Group, 0), (Form::ActionNoAck, 0), (Form::NoAck, 1)] {
        let mut script = Script::new(form, Filtered::Acks);
        script.peers[1].capable = false;
        let sent = script.sends(ack(), DOWN);
        assert_eq!(sent == DOWN, filtered == 0, "{form:?}");
        script.assert_counted(FilterCounters {
            filtered_acks: filtered,
            answered_legacy: 1 - filtered,
            ..FilterCounters::default()
        });
    }
}

#[test]
fn only_pure_acks_are_filtered_and_data_on_request() {
    let with_sack = {
        let mut packet = ack();
        let Transport::Tcp(tcp) = &mut packet.transport else { unreachable!("an ACK is TCP") };
        tcp.options.sack = SackBlocks::from_slice(&[(SeqNumber(100), SeqNumber(200))]);
        packet
    };
    let v6 = {
        let ends = [1, 2].map(|last| std::net::Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, last));
        Packet { ip: IpHeader::V6(Ipv6Header::new(ends[0], ends[1])), ..ack() }
    };
    let udp = Packet { transport: Transport::Udp(UdpHeader { src_port: 1, dst_port: 2 }), ..segment(TcpFlags::ACK, 9) };
    // Packet, filtered as an ACK, as data.
    let cases = [
        (ack(), true, false),
        (v6, true, false),
        (with_sack, true, false),
        (segment(TcpFlags::ACK | TcpFlags::ECE, 0), true, false),
        (segment(TcpFlags::ACK, 1), false, true),
        (segment(TcpFlags::ACK | TcpFlags::PSH, 1448), false, true),
        (segment(TcpFlags::ACK | TcpFlags::FIN, 1448), false, false),
        (segment(TcpFlags::ACK | TcpFlags::FIN, 0), false, false),
        (segment(TcpFlags::ACK | TcpFlags::SYN, 0), false, false),
        (segment(TcpFlags::SYN, 0), false, false),
        (segment(TcpFlags::RST, 0), false, false),
        (udp, false, false),
    ];
    for filtered in [Filtered::Acks, Filtered::AcksAndData] {
        let mut script = Script::new(Form::Group, filtered);
        for (packet, as_ack, as_data) in cases.clone() {
            let expected = as_ack || as_data && filtered == Filtered::AcksAndData;
            assert_eq!(script.sends(packet.clone(), DOWN) != DOWN, expected, "{packet:?}");
        }
        let filtered_data = if filtered == Filtered::AcksAndData { 2 } else { 0 };
        let counted =
            FilterCounters { filtered_acks: 4, filtered_sacks: 1, filtered_data, ..FilterCounters::default() };
        script.assert_counted(counted);
    }
}

#[test]
fn what_comes_disguised_is_turned_back() {
    let mut script = Script::new(Form::Group, Filtered::Acks);
    script.hears(SendOptions { receiver: AP.as_group(), destination: AP.as_group(), ds: Ds::Direct, ..UP });
    script.hears(SendOptions { kind: MpduKind::ActionNoAck, ..UP });
    script.hears(SendOptions { ack_policy: AckPolicy::NoAck, ..UP });
    // An ordinary frame, and an ordinary broadcast.
    script.hears(UP);
    script.hears(SendOptions { receiver: NodeId::BROADCAST, ..UP });
    script.assert_counted(FilterCounters { turned_back: 2, came_unanswered: 1, ..FilterCounters::default() });
}

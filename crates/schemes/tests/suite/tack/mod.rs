//! What each scheme does with a connection that does TACK, or that bears options or bits nobody here knows: nothing, on either side of the hop; and what
//! it makes of it after a fallback.
//!
//! The two ends are played by a script, which may send what no endpoint would.

mod hop;

use ackless_schemes::AnyScheme;
use ackless_schemes::agent::{Agent, AgentConfig, Solution};
use ackless_schemes::arq_proxy::{ArqProxy, ArqProxyConfig, Identification};
use ackless_schemes::fast_ack::{FastAck, FastAckConfig};
use ackless_schemes::filter::{Filter, FilterConfig, Form};
use ackless_schemes::hack::{Hack, HackConfig};
use ackless_schemes::thinning::{Kind, Thinning, ThinningConfig};
use ackless_tcp::tack::Body;
use ackless_tcp::tack::body::{LossRange, Report};
use ackless_wire::tcp::{Omitted, TackForm, TackOptions};
use ackless_wire::{Bytes, Duration, Instant, IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport};

use hop::{AP, Hop, STATION};

/// A download whose two ends do TACK, or do not.
struct Talk {
    hop: Hop,
    form: TackForm,
    /// What the bytes of each segment say and its value does not.
    omitted: Omitted,
    /// The first byte that the server sends next, and the first that the station does.
    next: [SeqNumber; 2],
    /// The PKT.SEQ that each side gives next.
    numbers: [u32; 2],
    /// What was handed down for each side's peer, in order.
    sent: [Vec<Packet>; 2],
}

const PORTS: [u16; 2] = [80, 20_000];
const SEGMENT: u32 = 1_000;
/// Timestamps of TACKs: far from those of all else, on either side of the wrap.
const REDEFINED: [u32; 2] = [0x4000_0000, 0xc000_0000];

impl Talk {
    /// Two ends that have just connected.
    fn new(schemes: (AnyScheme, AnyScheme), form: TackForm) -> Self {
        Self::of(schemes, form, Omitted::empty())
    }

    fn of((ap, station): (AnyScheme, AnyScheme), form: TackForm, omitted: Omitted) -> Self {
        let next = [SeqNumber(u32::MAX - 20_000), SeqNumber(4_999)];
        let hop = Hop::new(ap, station);
        let mut talk = Self { hop, form, omitted, next, numbers: [1; 2], sent: [Vec::new(), Vec::new()] };
        for (from, flags) in [(STATION, TcpFlags::SYN), (AP, TcpFlags::SYN | TcpFlags::ACK), (STATION, TcpFlags::ACK)] {
            let mut packet = talk.packet(from, 0);
            let tcp = header(&mut packet);
            tcp.flags = flags;
            if flags.contains(TcpFlags::SYN) {
                tcp.options.tack = TackOptions { permitted: true, form, ..TackOptions::default() };
                tcp.options.window_scale = Some(0);
                talk.next[from] += 1;
            }
            talk.hand_down(from, packet);
            talk.hop.air(from, |_| ());
        }
        // Products hold the first ACK for some milliseconds.
        talk.hop.wait(Duration::from_millis(20));
        talk.hop.air(STATION, |_| ());
        talk
    }

    fn packet(&self, from: usize, len: u32) -> Packet {
        let mut tcp = TcpHeader {
            seq: self.next[from],
            ack: self.next[1 - from],
            flags: TcpFlags::ACK,
            window: 60_000,
            omitted: self.omitted,
            ..TcpHeader::new(PORTS[from], PORTS[1 - from])
        };
        tcp.options.timestamps = Some((self.millis(), self.millis().saturating_sub(1)));
        let hosts = [[10, 1, 0, 1], [10, 0, 0, 2]];
        let ip = IpHeader::between(hosts[from].into(), hosts[1 - from].into()).expect("both are IPv4");
        Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::Length(len) }
    }

    fn millis(&self) -> u32 {
        self.hop.now.saturating_since(Instant::ZERO).as_nanos().div_euclid(1_000_000) as u32
    }

    fn hand_down(&mut self, from: usize, packet: Packet) {
        self.sent[from].push(packet.clone());
        self.hop.hand_down(from, packet);
    }

    /// A segment of data, numbered where the connection does TACK.
    fn data(&mut self, from: usize, numbered: bool) {
        let mut packet = self.packet(from, SEGMENT);
        if numbered {
            header(&mut packet).options.tack =
                TackOptions { form: self.form, packet_number: Some(self.numbers[from]), ..TackOptions::default() };
            self.numbers[from] += 1;
        }
        self.next[from] += SEGMENT;
        self.hand_down(from, packet);
    }

    /// A TACK or an IACK up to `ack`: old by its number, and stamped as no other segment.
    fn typed(&self, from: usize, ack: SeqNumber, round: u32) -> Packet {
        let range = LossRange { largest: round + 2, second: round };
        let (kind, body) = match round % 3 {
            0 => (2, Body::Loss(range)),
            1 => (4, Body::RoundTripRequest),
            _ => (1, Body::Report(Report { serial: round, largest: round, ..Report::default() })),
        };
        let body = body.encode(Bytes(1_440));
        let mut packet = self.packet(from, 0);
        let tcp = header(&mut packet);
        (tcp.seq, tcp.ack) = (tcp.seq - body.len() as u32, ack);
        tcp.options.tack = TackOptions { form: self.form, ack_type: Some(kind), ..TackOptions::default() };
        tcp.options.timestamps = Some((REDEFINED[round as usize % 2] + round, round));
        packet.payload = Payload::Data(body);
        packet
    }

    /// A pure ACK.
    fn ack(&self, ack: SeqNumber) -> Packet {
        let mut packet = self.packet(STATION, 0);
        header(&mut packet).ack = ack;
        packet
    }

    /// An aggregate of data goes down, and the station acknowledges each segment. Now and then data goes up, too.
    fn round(&mut self, round: u32, tack: bool) {
        let acks = [1, 2, 3, 4].map(|n| self.next[AP] + n * SEGMENT);
        for _ in acks {
            self.data(AP, tack);
        }
        let replies = acks.map(|ack| if tack { self.typed(STATION, ack, round) } else { self.ack(ack) });
        self.sent[STATION].extend(replies.iter().cloned());
        self.hop.air(AP, |hop| replies.into_iter().for_each(|reply| hop.hand_down(STATION, reply)));
        if round % 8 == 7 {
            self.data(STATION, tack);
            if tack {
                let typed = self.typed(AP, self.next[STATION], round);
                self.hand_down(AP, typed);
            }
        }
        self.hop.air(STATION, |_| ());
        self.hop.wait(Duration::from_millis(1));
    }

    /// Nothing more is said; what is held comes out, or is forgotten with the connection.
    fn end(&mut self) {
        for from in [AP, STATION] {
            let mut packet = self.packet(from, 0);
            header(&mut packet).flags |= TcpFlags::RST;
            self.hand_down(from, packet);
            self.hop.air(from, |_| ());
        }
        for _ in 0..3 {
            self.hop.wait(Duration::from_secs(1));
            self.hop.air(STATION, |_| ());
            self.hop.air(AP, |_| ());
        }
    }
}

fn header(packet: &mut Packet) -> &mut TcpHeader {
    match &mut packet.transport {
        Transport::Tcp(tcp) => tcp,
        Transport::Udp(_) | Transport::Foreign(_) => unreachable!("the script has TCP only"),
    }
}

/// Every scheme, on AP and station.
fn schemes() -> Vec<(String, AnyScheme, AnyScheme)> {
    let mut all = Vec::new();
    let mut both = |name: &str, scheme: &dyn Fn() -> AnyScheme| all.push((name.to_owned(), scheme(), scheme()));
    both("hack", &|| AnyScheme::Hack(Box::new(Hack::new(HackConfig::default()))));
    for solution in [
        Solution::Buffer { packets: 128, again: Duration::from_millis(200) },
        Solution::Flag { extra_sifs: Duration::ZERO },
    ] {
        both(&format!("agent, {solution:?}"), &|| AnyScheme::Agent(Box::new(Agent::new(AgentConfig::of(solution)))));
    }
    // What a station sends to its AP has no form but this one.
    let config = FilterConfig { form: Form::NoAck, ..FilterConfig::default() };
    both("filter", &|| AnyScheme::Filter(Box::new(Filter::new(config))));
    for (identification, stateless) in
        [(Identification::FrameSequence, false), (Identification::Hash, false), (Identification::FrameSequence, true)]
    {
        let config = ArqProxyConfig { identification, stateless, ..ArqProxyConfig::default() };
        both(&format!("arq proxy, {identification:?}, stateless: {stateless}"), &|| {
            AnyScheme::ArqProxy(Box::new(ArqProxy::new(config)))
        });
    }
    let mut samsung = ThinningConfig::samsung();
    if let Kind::CountAndTime { slow_start_acks, .. } = &mut samsung.kind {
        *slow_start_acks = 0;
    }
    for config in [
        ThinningConfig::cake(),
        ThinningConfig::cake_aggressive(),
        ThinningConfig::broadcom(),
        ThinningConfig::broadcom_hold(),
        samsung,
    ] {
        both(&format!("{:?}", config.kind), &|| AnyScheme::Thinning(Box::new(Thinning::new(config))));
    }
    all.push((
        "fast_ack".to_owned(),
        AnyScheme::FastAck(Box::new(FastAck::new(FastAckConfig::default()))),
        AnyScheme::Stock,
    ));
    all
}

const FORMS: [TackForm; 2] = [TackForm::Kinds, TackForm::Experimental];
/// Long enough for what decides twice a second.
const ROUNDS: u32 = 1_200;

#[test]
fn what_does_tack_is_left_alone_by_every_scheme() {
    for form in FORMS {
        for (name, ap, station) in schemes() {
            let mut talk = Talk::new((ap, station), form);
            let before = talk.hop.touched;
            for round in 0..ROUNDS {
                talk.round(round, true);
            }
            talk.hop.air(AP, |_| ());
            assert_eq!(talk.hop.touched, before, "{name} in {form:?}");
            for (from, out) in [(AP, STATION), (STATION, AP)] {
                assert!(
                    talk.sent[from] == talk.hop.out[out],
                    "{name} in {form:?}: what {from} sent comes out as it was"
                );
            }
            talk.end();
            assert_eq!(talk.hop.live(), 0, "{name} in {form:?} holds packets");
        }
    }
}

#[test]
fn every_scheme_is_at_work_on_the_same_rounds_without_tack() {
    for (name, ap, station) in schemes() {
        let mut talk = Talk::new((ap, station), TackForm::Kinds);
        let before = talk.hop.touched;
        for round in 0..ROUNDS {
            talk.round(round, false);
        }
        assert!(talk.hop.touched > before + 100, "{name}");
        talk.end();
        assert_eq!(talk.hop.live(), 0, "{name} holds packets");
    }
}

/// After the fallback the connection stays one that did TACK: nothing is made in the station's name.
#[test]
fn after_a_fallback_nobody_makes_an_ack() {
    for (name, ap, station) in schemes() {
        let mut talk = Talk::new((ap, station), TackForm::Kinds);
        for round in 0..ROUNDS {
            talk.round(round, round < 50);
        }
        talk.end();
        assert_eq!(talk.hop.live(), 0, "{name} holds packets");
        assert!(!talk.hop.out[AP].is_empty(), "{name}: no ACK has come through");
        for packet in &talk.hop.out[AP] {
            assert!(talk.sent[STATION].contains(packet), "{name}: {packet:?}");
        }
    }
}

/// A header with an MPTCP option, say, whose bytes no value holds: it is not made, held, dropped or said in another way.
#[test]
fn what_bears_unknown_options_or_reserved_bits_is_left_alone() {
    for omitted in [Omitted::OPTIONS | Omitted::LAYOUT, Omitted::RESERVED] {
        for (name, ap, station) in schemes() {
            if ["Replace", "Hold", "CountAndTime"].iter().any(|product| name.starts_with(product)) {
                // Those products go by flags and length.
                continue;
            }
            let mut talk = Talk::of((ap, station), TackForm::Kinds, omitted);
            for round in 0..ROUNDS {
                talk.round(round, false);
            }
            talk.hop.air(AP, |_| ());
            assert_eq!(talk.hop.touched, 0, "{name} with {omitted:?}");
            for (from, out) in [(AP, STATION), (STATION, AP)] {
                assert!(talk.sent[from] == talk.hop.out[out], "{name} with {omitted:?}: {from}");
            }
        }
    }
}

/// Options in another order mean the same. So such an ACK may be dropped for another, but none is written anew.
#[test]
fn what_has_its_options_in_another_order_comes_out_as_it_was_or_not_at_all() {
    for (name, ap, station) in schemes() {
        let mut talk = Talk::of((ap, station), TackForm::Kinds, Omitted::LAYOUT);
        for round in 0..ROUNDS {
            talk.round(round, false);
        }
        talk.end();
        let mut sent = talk.sent[STATION].iter();
        for packet in talk.hop.out[AP].iter().filter(|packet| !packet.is_whole()) {
            // In the order in which they were sent, but for what the agent queues twice.
            let known = sent.any(|sent| sent == packet) || talk.sent[STATION].contains(packet);
            assert!(known, "{name}: {packet:?}");
        }
        if name == "hack" {
            assert_eq!(talk.hop.touched, 0, "what is rebuilt has its options in the one order that is written");
        }
    }
}

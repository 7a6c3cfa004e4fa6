//! The receiver of data under TACK, against a script that plays its sender packet by packet.

use ackless_tcp::tack::body::{AckKind, Body, FrequencyUpdate, LossRange, Report};
use ackless_tcp::tack::{Blocks, LossSignal, Settling};
use ackless_tcp::{AckChoice, Config, Consume, Endpoint, State, TackConfig};
use ackless_wire::tcp::TcpOptions;
use ackless_wire::{
    BitRate, Bytes, Duration, Instant, IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport,
};

use crate::pair::{A, B, address};

/// The endpoint's and the script's initial sequence numbers.
const OURS: SeqNumber = SeqNumber(u32::MAX - 10);
const THEIRS: SeqNumber = SeqNumber(u32::MAX - 2_000);
/// The script's clock, in microseconds, less that of the test.
const OFFSET: u32 = u32::MAX - 50_000;
/// What the handshake takes.
const RTT: u64 = 80;
/// The payload of the script's packets.
const LEN: u32 = 1000;

/// An endpoint with TACK whose peer is the script.
struct Script {
    now: Instant,
    end: Endpoint,
    updates: u32,
    /// Whether what the script sends is part of a batch.
    in_batch: bool,
    typed: Vec<Typed>,
    plain: Vec<Packet>,
}

/// A TACK or IACK that the endpoint sent.
#[derive(Debug)]
struct Typed {
    at: Instant,
    kind: AckKind,
    body: Body,
    /// Acknowledged bytes of the stream.
    ack: u32,
    stamps: (u32, u32),
    window: u16,
}

impl Typed {
    fn report(&self) -> &Report {
        match &self.body {
            Body::Report(report) => report,
            other => panic!("a report was expected: {other:?}"),
        }
    }

    fn loss(&self) -> (u32, u32) {
        match self.body {
            Body::Loss(LossRange { largest, second }) => (second, largest),
            _ => panic!("a loss was expected: {self:?}"),
        }
    }
}

fn config(tack: TackConfig) -> Config {
    Config {
        mss: Bytes(1020),
        // As much as a SYN can offer.
        receive_buffer: Bytes(65_535),
        consume: Consume::ByApplication,
        tack: Some(tack),
        ack: AckChoice::Tack { beta: 4, every: 2 },
        ..Config::default()
    }
}

fn in_bytes(bytes: u32) -> SeqNumber {
    THEIRS + 1 + bytes
}

impl Script {
    /// A connection that the script has called, with a round trip of [`RTT`].
    fn connected(config: Config) -> Self {
        let (now, end) = (Instant::from_millis(500), Endpoint::listen(config, address(B), OURS));
        let mut script = Self { now, end, updates: 0, in_batch: false, typed: Vec::new(), plain: Vec::new() };
        let mut options = TcpOptions { mss: Some(1020), sack_permitted: true, ..TcpOptions::default() };
        options.window_scale = Some(7);
        options.tack.permitted = true;
        script.give(TcpFlags::SYN, THEIRS, options, Payload::EMPTY);
        script.drain();
        let answer = script.plain.pop().expect("a SYN is answered");
        assert!(answer.tcp().expect("it is TCP").options.tack.permitted);
        script.wait(RTT * 1000);
        script.give(TcpFlags::ACK, THEIRS + 1, TcpOptions::default(), Payload::EMPTY);
        assert_eq!(script.end.state(), State::Established);
        script
    }

    /// With a connection that is past start-up: a TACK every `interval` ms, and an RTTmin of 80 ms.
    fn told(config: Config, interval: u64) -> Self {
        let mut script = Self::connected(config);
        script.tell(Duration::from_millis(interval));
        script
    }

    fn give(&mut self, flags: TcpFlags, seq: SeqNumber, options: TcpOptions, payload: Payload) {
        self.give_late(flags, seq, options, payload, 0);
    }

    /// A segment that left `under_way` microseconds ago.
    fn give_late(&mut self, flags: TcpFlags, seq: SeqNumber, options: TcpOptions, payload: Payload, under_way: u64) {
        let mut tcp = TcpHeader::new(address(A).port(), address(B).port());
        let clock = self.clock().wrapping_sub(under_way as u32);
        (tcp.seq, tcp.flags, tcp.window, tcp.options) = (seq, flags, 60_000, options);
        tcp.ack = if flags.contains(TcpFlags::ACK) { OURS + 1 } else { SeqNumber(0) };
        tcp.options.timestamps = Some((clock, 0));
        let ip = IpHeader::between(address(A).ip(), address(B).ip()).expect("both addresses are IPv4");
        let packet = Packet { ip, transport: Transport::Tcp(tcp), payload };
        if self.in_batch {
            self.end.handle_merged(self.now, &packet, Bytes(packet.payload.len().into()));
        } else {
            self.end.handle_segment(self.now, &packet);
        }
    }

    fn clock(&self) -> u32 {
        OFFSET.wrapping_add((self.now.as_nanos() / 1000) as u32)
    }

    /// Packet `number` with the `at`th thousand bytes of the stream, counted from 1.
    fn packet(&mut self, number: u32, at: u32) {
        self.packet_late(number, at, 0);
    }

    fn packet_late(&mut self, number: u32, at: u32, under_way: u64) {
        let mut options = TcpOptions::default();
        options.tack.packet_number = Some(number);
        let seq = in_bytes(LEN * (at - 1));
        self.give_late(TcpFlags::ACK, seq, options, Payload::Length(LEN), under_way);
    }

    /// Packets with the bytes that follow from their numbers, one each millisecond.
    fn packets(&mut self, numbers: impl IntoIterator<Item = u32>) {
        for number in numbers {
            self.packet(number, number);
            self.wait(1000);
        }
    }

    fn tell(&mut self, interval: Duration) {
        self.updates += 1;
        self.iack(
            &Body::Frequency(FrequencyUpdate {
                serial: self.updates,
                interval,
                min_rtt: Duration::from_millis(RTT),
                bandwidth: BitRate::from_mbps(80),
                ack_loss_ppm: 100_000,
            }),
            AckKind::Frequency,
        );
    }

    fn iack(&mut self, body: &Body, kind: AckKind) {
        let bytes = body.encode(Bytes(1000));
        let mut options = TcpOptions::default();
        options.tack.ack_type = Some(kind.value());
        let seq = SeqNumber(in_bytes(0).0.wrapping_sub(bytes.len() as u32));
        self.give(TcpFlags::ACK, seq, options, Payload::Data(bytes));
    }

    /// `micros` pass, with timers firing as they come due.
    fn wait(&mut self, micros: u64) {
        let until = self.now + Duration::from_micros(micros);
        self.drain();
        while let Some(at) = self.end.poll_timeout().filter(|&at| at <= until) {
            self.now = self.now.max(at);
            self.end.handle_timeout(self.now);
            self.drain();
        }
        self.now = until;
    }

    fn drain(&mut self) {
        while let Some(packet) = self.end.poll_transmit(self.now) {
            if packet.tcp().is_some_and(|tcp| tcp.options.tack.ack_type.is_some()) {
                self.typed.push(typed(self.now, &packet));
            } else {
                self.plain.push(packet);
            }
        }
    }

    /// All TACKs and IACKs that the endpoint has sent since the last time; it has sent nothing else.
    fn all(&mut self) -> Vec<Typed> {
        self.drain();
        assert_eq!(self.plain, [], "nothing but TACKs and IACKs");
        std::mem::take(&mut self.typed)
    }

    fn one(&mut self, kind: AckKind) -> Typed {
        let all = self.all();
        assert_eq!(all.len(), 1, "one segment: {all:?}");
        let one = all.into_iter().next().expect("there is one");
        assert_eq!(one.kind, kind, "{one:?}");
        one
    }

    fn nothing(&mut self) {
        let all = self.all();
        assert!(all.is_empty(), "nothing: {all:?}");
    }
}

fn typed(at: Instant, packet: &Packet) -> Typed {
    let tcp = packet.tcp().expect("an endpoint sends TCP");
    let value = tcp.options.tack.ack_type.unwrap_or_else(|| panic!("a TACK or IACK was expected: {packet:?}"));
    let kind = AckKind::of(value).expect("the endpoint sends kinds that there are");
    let Payload::Data(bytes) = &packet.payload else { panic!("a body is bytes: {packet:?}") };
    assert_eq!(tcp.seq + bytes.len() as u32, OURS, "the body ends one place below SND.UNA");
    assert!(bytes.len() <= 1020 - 20, "a body is at most one MSS long");
    assert!(tcp.options.sack.is_empty());
    Typed {
        at,
        kind,
        body: Body::decode(kind, bytes).expect("the endpoint sends well-formed bodies"),
        ack: tcp.ack - in_bytes(0),
        stamps: tcp.options.timestamps.expect("TACK goes with timestamps"),
        window: tcp.window,
    }
}

/// The hole from the `from`th to the `to`th thousand bytes, as told above an acknowledgement of so many thousands.
fn hole(acked: u32, from: u32, to: u32) -> (Bytes, Bytes) {
    (Bytes((LEN * (from - 1 - acked)).into()), Bytes((LEN * (to - acked)).into()))
}

#[test]
fn of_ten_packets_the_papers_unacked_list_is_pulled_and_then_repeated_by_tacks() {
    let mut script = Script::told(config(TackConfig { blocks: Blocks::Distinct, ..TackConfig::default() }), 22);
    script.packets([1]);
    script.nothing();
    // The first TACK comes with the second packet; {2, 3} may still be late.
    script.packet(4, 4);
    let tack = script.one(AckKind::Tack);
    assert_eq!((tack.ack, tack.report().hol, tack.report().received_in_flight), (1000, None, Bytes(1000)));
    script.wait(1000);
    script.packets([5, 6]);
    script.packet(10, 10);
    script.nothing();
    // RTTmin/4 is 20 ms: {2, 3} are lost at 21 ms.
    script.wait(17_000);
    assert_eq!(script.one(AckKind::Loss).loss(), (1, 4));
    // A TACK tells only of holes that an IACK has told.
    script.wait(2000);
    let tack = script.one(AckKind::Tack);
    assert_eq!(tack.report().hol, Some(hole(1, 2, 3).1));
    assert_eq!(tack.report().bubbles, []);
    script.wait(1000);
    assert_eq!(script.one(AckKind::Loss).loss(), (6, 10));
    script.wait(10_000);
    script.packet(11, 2);
    script.wait(40_000);
    let tack = script.one(AckKind::Tack);
    assert_eq!((tack.ack, tack.report().hol), (2000, Some(hole(2, 3, 3).1)));
    assert_eq!(tack.report().bubbles, [hole(2, 7, 9)]);
    assert_eq!((tack.report().largest, tack.report().received_in_flight), (11, Bytes(4000)));
    let stats = script.end.stats().tack;
    assert_eq!((stats.packets_lost, stats.loss_iacks, stats.tacks_sent), (5, 2, 3));
}

#[test]
fn of_five_packets_the_one_lost_twice_is_pulled_twice() {
    // V-A: 2 is dropped; sent again as 4 it is dropped once more, and 5 shows that.
    let mut script = Script::told(config(TackConfig::default()), 1000);
    script.packets([1]);
    script.packet(3, 3);
    script.all();
    script.wait(20_000);
    assert_eq!(script.one(AckKind::Loss).loss(), (1, 3));
    script.packet(5, 4);
    script.wait(20_000);
    assert_eq!(script.one(AckKind::Loss).loss(), (3, 5));
    script.packet(6, 2);
    assert_eq!(script.end.bytes_delivered(), Bytes(4000));
}

#[test]
fn an_order_that_heals_within_the_settling_time_draws_no_iack() {
    let mut script = Script::told(config(TackConfig::default()), 1000);
    script.packets([1, 4, 2, 6, 7]);
    script.all();
    script.wait(12_000);
    script.packet(3, 3);
    script.wait(1000);
    script.packet(5, 5);
    script.wait(400_000);
    script.nothing();
    assert_eq!(script.end.stats().tack.packets_lost, 0);
    assert_eq!(script.end.bytes_delivered(), Bytes(7000));
}

#[test]
fn what_comes_after_it_was_given_up_is_counted() {
    let mut script = Script::told(config(TackConfig::default()), 1000);
    script.packets([1, 3]);
    script.all();
    script.wait(20_000);
    script.one(AckKind::Loss);
    script.packet(2, 2);
    let stats = script.end.stats().tack;
    assert_eq!((stats.packets_lost, stats.spurious_losses), (1, 1));
}

#[test]
fn reordering_that_was_a_mistake_is_waited_for_and_forgotten_after_many_losses() {
    let mut script = Script::told(config(TackConfig { settling: Settling::Adaptive, ..TackConfig::default() }), 1000);
    let lost = |script: &Script| script.end.stats().tack.packets_lost;
    script.packets([1, 3]);
    script.wait(39_000);
    // 40 ms late, and given up after 20: from now on 50 ms are waited.
    script.packet(2, 2);
    assert_eq!((lost(&script), script.end.stats().tack.spurious_losses), (1, 1));
    // Only numbers are missing from here on: what they bear has come before.
    let mut next = 4;
    let mut gap = |script: &mut Script| {
        script.packet(next, 1);
        script.packet(next + 2, 1);
        next += 3;
    };
    for known in 1..65 {
        gap(&mut script);
        script.wait(49_000);
        assert_eq!(lost(&script), known);
        script.wait(2_000);
        assert_eq!(lost(&script), known + 1);
    }
    // Half of it after 64 losses.
    gap(&mut script);
    script.wait(24_000);
    assert_eq!(lost(&script), 65);
    script.wait(2_000);
    assert_eq!(lost(&script), 66);
}

#[test]
fn where_only_tacks_tell_of_losses_there_is_no_iack() {
    let mut script =
        Script::told(config(TackConfig { loss_signal: LossSignal::TackOnly, ..TackConfig::default() }), 30);
    script.packets([1, 3]);
    assert_eq!(script.one(AckKind::Tack).report().hol, None);
    script.packets([4, 5]);
    script.wait(40_000);
    assert_eq!(script.one(AckKind::Tack).report().hol, Some(hole(1, 2, 2).1));
    assert_eq!(script.end.stats().tack.loss_iacks, 0);
}

#[test]
fn a_duplicate_left_of_the_window_has_a_number_and_is_not_lost() {
    let mut script = Script::told(config(TackConfig::default()), 100);
    script.packets([1, 2]);
    script.all();
    script.packet(3, 1);
    script.packet(4, 3);
    script.wait(90_000);
    script.nothing();
    assert_eq!(script.end.stats().tack.packets_lost, 0);
    script.wait(10_000);
    assert_eq!(script.one(AckKind::Tack).ack, 3000, "the duplicate is answered in the rhythm");
}

#[test]
fn whether_plain_segments_pass_is_answered_plainly_also_below_a_whole_window() {
    // Asked from the place below what the sender has no acknowledgement of, which may be a window.
    let small = Config { receive_buffer: Bytes(5_000), ..config(TackConfig::default()) };
    let mut script = Script::told(small, 100);
    script.packets([1, 2, 3, 4, 5]);
    script.wait(100_000);
    assert_eq!(script.all().last().map(|tack| (tack.ack, tack.window)), Some((5_000, 0)));
    for (below, answered) in [(0, true), (4_000, true), (u32::MAX - 1_000, false)] {
        script.give(TcpFlags::ACK, in_bytes(below) - 1, TcpOptions::default(), Payload::EMPTY);
        script.wait(1_000);
        let acks: Vec<_> = script.plain.drain(..).filter_map(|packet| packet.tcp().map(|tcp| tcp.ack)).collect();
        assert_eq!(acks, vec![in_bytes(5_000); usize::from(answered)], "asked from {below}");
    }
}

#[test]
fn whether_plain_segments_pass_is_answered_after_both_have_said_that_they_are_done() {
    // The acknowledgement of the peer's FIN may have been lost, and what repeats the FIN be dropped for its number.
    let mut script = Script::told(config(TackConfig::default()), 100);
    script.packets([1, 2]);
    script.wait(100_000);
    script.all();
    script.end.close();
    script.wait(1_000);
    script.plain.clear();
    let done = |script: &mut Script, flags, seq, number| {
        let mut options = TcpOptions::default();
        options.tack.packet_number = number;
        let mut tcp = TcpHeader::new(address(A).port(), address(B).port());
        (tcp.seq, tcp.ack, tcp.flags, tcp.window, tcp.options) = (seq, OURS + 2, flags, 60_000, options);
        tcp.options.timestamps = Some((script.clock(), 0));
        let ip = IpHeader::between(address(A).ip(), address(B).ip()).expect("both addresses are IPv4");
        script.end.handle_segment(script.now, &Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::EMPTY });
        script.wait(1_000);
    };
    done(&mut script, TcpFlags::ACK | TcpFlags::FIN, in_bytes(2_000), Some(3));
    assert_eq!(script.end.state(), State::TimeWait);
    script.plain.clear();
    done(&mut script, TcpFlags::ACK, in_bytes(2_000) - 1, None);
    let acks: Vec<_> = script.plain.iter().filter_map(|packet| packet.tcp().map(|tcp| tcp.ack)).collect();
    assert_eq!(acks, [in_bytes(2_001)]);
}

#[test]
fn wild_numbers_from_out_of_the_blue_do_not_count() {
    let mut script = Script::told(config(TackConfig::default()), 100);
    script.packets([1, 2]);
    script.all();
    let mut options = TcpOptions::default();
    options.tack.packet_number = Some(1_000_000);
    // Far ahead, far behind, and in the window but with no acknowledgement that we know of.
    for at in [100_000_000, 3_000_000_000, 2_000] {
        let mut tcp = TcpHeader::new(address(A).port(), address(B).port());
        (tcp.seq, tcp.ack, tcp.flags, tcp.window) = (in_bytes(at), OURS + 1_000_000, TcpFlags::ACK, 60_000);
        tcp.options = options;
        tcp.options.timestamps = Some((script.clock(), 0));
        let ip = IpHeader::between(address(A).ip(), address(B).ip()).expect("both addresses are IPv4");
        let payload = Payload::Length(LEN);
        script.end.handle_segment(script.now, &Packet { ip, transport: Transport::Tcp(tcp), payload });
        script.wait(1_000);
    }
    script.plain.clear();
    script.packets([3, 4]);
    script.wait(100_000);
    let tack = script.all().pop().expect("there is a TACK");
    assert_eq!((tack.report().largest, tack.ack), (4, 4_000));
    assert_eq!(script.end.stats().tack.packets_lost, 0);
}

/// When TACKs are sent, in ms, while a packet comes each millisecond.
fn tacks(script: &mut Script, numbers: std::ops::RangeInclusive<u32>) -> Vec<u64> {
    let begin = script.now;
    script.packets(numbers);
    let tacks = script.all().into_iter().filter(|typed| typed.kind == AckKind::Tack);
    tacks.map(|typed| typed.at.saturating_since(begin).as_micros_floor() / 1000).collect()
}

#[test]
fn tacks_come_for_each_packet_then_for_each_interval_or_for_each_second_packet() {
    let mut script = Script::connected(config(TackConfig::default()));
    assert_eq!(tacks(&mut script, 1..=5), [0, 1, 2, 3, 4], "start-up");
    script.tell(Duration::from_millis(10));
    assert_eq!(tacks(&mut script, 6..=45), [9, 19, 29, 39], "a large bdp: 1/f = RTTmin/beta");
    script.tell(Duration::from_millis(2));
    assert_eq!(tacks(&mut script, 46..=53), [1, 3, 5, 7], "a small bdp: 1/f = L MSS/bw");
    assert_eq!(script.end.stats().tack.start_up_tacks, 5);
    script.tell(Duration::ZERO);
    assert_eq!(tacks(&mut script, 54..=56), [0, 1, 2], "start-up once more");
}

#[test]
fn with_any_policy_holes_are_the_business_of_iacks() {
    let every_fourth = AckChoice::ByteCounting { every: 4 };
    let mut script = Script::connected(Config { ack: every_fourth, ..config(TackConfig::default()) });
    let begin = script.now;
    // 2 is lost, and the gap settles at 21 ms; what comes twice above the hole counts once.
    script.packets([1, 3, 4, 5, 6, 7, 8]);
    script.packet(8, 8);
    script.wait(20_000);
    let sent: Vec<_> =
        script.all().iter().map(|typed| (typed.kind, (typed.at - begin).as_micros_floor() / 1000)).collect();
    assert_eq!(sent, [(AckKind::Tack, 3), (AckKind::Loss, 21)]);
}

#[test]
fn the_packet_of_figure_5c_with_the_least_delay_is_named_with_its_departure_and_the_tack_delay() {
    let mut script = Script::told(config(TackConfig::default()), 20);
    // What left before the handshake's end would be old (PAWS).
    script.wait(20_000);
    for number in [1, 2] {
        script.packet_late(number, number, 9000);
        script.wait(1000);
    }
    let before = script.one(AckKind::Tack);
    // Under way for 9, 7, 5, 8 and 9 ms, one each 4 ms: smoothed by an eighth the fourth is the least.
    let mut named = 0;
    for (i, under_way) in (0..).zip([9, 7, 5, 8, 9]) {
        script.packet_late(3 + i, 3 + i, 1000 * under_way);
        if i == 3 {
            named = script.clock().wrapping_sub(8000);
        }
        script.wait(4000);
    }
    let tack = script.one(AckKind::Tack);
    assert_eq!(tack.stamps.0, named);
    assert_eq!(tack.stamps.1, before.stamps.1.wrapping_add(20_000), "our clock when it was sent");
    // It came 12 ms after the first of the five, the TACK goes 19 ms after it; the newest came at 16 ms.
    assert_eq!(tack.report().delay, Duration::from_millis(7));
    assert_eq!(tack.report().largest_delay, Duration::from_millis(3));
}

#[test]
fn rho_is_what_was_lost_of_what_should_have_come_in_the_last_interval() {
    let mut script = Script::told(config(TackConfig::default()), 60);
    script.packets([1, 2]);
    script.all();
    // 3 to 40 should have come; four of them are lost, the last settles at 38 ms.
    script.packets((3..=40).filter(|number| ![5, 10, 11, 17].contains(number)));
    script.wait(60_000);
    let tack = script.all().into_iter().find(|typed| typed.kind == AckKind::Tack).expect("a TACK is due");
    assert_eq!(tack.report().loss_ppm, 4_000_000 / 38);
}

#[test]
fn the_delivery_rate_is_that_of_two_tack_intervals() {
    let mut script = Script::told(config(TackConfig::default()), 10);
    // 1000 bytes each millisecond: 8 Mbps.
    tacks(&mut script, 1..=40);
    assert_eq!(script.end.stats().tack.delivery_rate, BitRate::from_mbps(8));
}

#[test]
fn on_demand_a_tack_tells_as_many_holes_as_equation_5_asks_for() {
    // bdp = 80 Mbps * 80 ms = 800 packets, rho' = 10 %, and of 201 packets 39 are lost, rho = 19.4 %: rho rho' bdp / MSS is 15.52,
    // Delta-Q 14.52, and so 15 holes more than the first.
    for (blocks, told) in [(Blocks::OnDemand, 15), (Blocks::Poor, 0), (Blocks::Distinct, 38), (Blocks::Rich, 119)] {
        let config = config(TackConfig { blocks, ..TackConfig::default() });
        let mut script = Script::told(Config { receive_buffer: Bytes(1 << 20), ..config }, 30);
        script.packets((1..200).filter(|number| number % 5 != 0));
        script.wait(100_000);
        script.packets([200]);
        script.all();
        script.packet(201, 201);
        let tack = script.one(AckKind::Tack);
        assert_eq!((tack.report().hol, tack.report().bubbles.len()), (Some(hole(4, 5, 5).1), told), "{blocks:?}");
        let distinct: Vec<_> = (2..40).map(|i| hole(4, 5 * i, 5 * i)).collect();
        assert!(tack.report().bubbles.iter().zip(&distinct).all(|(told, hole)| told == hole), "{blocks:?}");
        if blocks == Blocks::Rich {
            assert_eq!(tack.report().bubbles[38..40], [hole(4, 5, 5), hole(4, 10, 10)], "the oldest once more");
        }
    }
}

#[test]
fn a_window_that_closes_or_opens_is_told_at_once() {
    let config = Config { receive_buffer: Bytes(4000), ..config(TackConfig::default()) };
    let mut script = Script::told(config, 1000);
    script.packets([1, 2]);
    assert_eq!(script.one(AckKind::Tack).window, 2000);
    script.packet(3, 3);
    script.nothing();
    script.packet(4, 4);
    let iack = script.one(AckKind::Window);
    assert_eq!((iack.ack, iack.window), (4000, 0));
    // An octet of room is not worth a word; room for two segments is.
    assert_eq!(script.end.read(Bytes(1)).map(|payload| payload.len()), Some(1));
    script.nothing();
    assert_eq!(script.end.read(Bytes(2000)).map(|payload| payload.len()), Some(2000));
    let iack = script.one(AckKind::Window);
    assert_eq!((iack.ack, iack.window), (4000, 2001));
    assert_eq!(script.end.stats().tack.window_iacks, 2);
}

#[test]
fn what_the_peer_sent_within_a_wider_window_still_counts_when_the_buffer_has_shrunk() {
    let mut script = Script::told(config(TackConfig::default()), 1000);
    script.packets(1..=20);
    script.all();
    assert_eq!(script.end.read(Bytes(20_000)).map(|payload| payload.len()), Some(20_000));
    script.end.set_receive_buffer(Bytes(1_000));
    // It left before the 20 packets did, as its number says.
    script.iack(&Body::RoundTripRequest, AckKind::RoundTrip);
    assert_eq!(script.end.stats().malformed_tacks, 0);
    assert_eq!(script.one(AckKind::RoundTrip).report().largest, 20);
    // The first one again: nothing new, but a packet more.
    script.packet(21, 1);
    script.iack(&Body::RoundTripRequest, AckKind::RoundTrip);
    assert_eq!(script.all().last().map(|typed| typed.report().largest), Some(21));
    // Further back than any window that there was, all is as suspicious as ever.
    script.end.set_receive_buffer(Bytes(65_535));
    for at in 21..=100 {
        script.packet(at + 1, at);
        script.wait(100_000);
        assert_eq!(script.end.read(Bytes(1000)).map(|payload| payload.len()), Some(1000), "{at}");
    }
    script.end.set_receive_buffer(Bytes(1_000));
    script.iack(&Body::RoundTripRequest, AckKind::RoundTrip);
    assert_eq!(script.end.stats().malformed_tacks, 1);
}

#[test]
fn a_request_for_a_round_trip_is_answered_with_its_own_departure() {
    let mut script = Script::told(config(TackConfig::default()), 100);
    script.packets([1, 2]);
    script.all();
    script.wait(30_000);
    script.iack(&Body::RoundTripRequest, AckKind::RoundTrip);
    let asked = script.clock();
    let answer = script.one(AckKind::RoundTrip);
    assert_eq!((answer.stamps.0, answer.report().delay), (asked, Duration::ZERO));
    assert_eq!(answer.report().serial, 1);
}

#[test]
fn data_going_the_other_way_does_not_settle_what_is_owed() {
    let mut script = Script::told(config(TackConfig::default()), 20);
    script.packets([1, 2]);
    script.one(AckKind::Tack);
    script.packets([3, 4]);
    script.end.write_length(Bytes(100));
    script.drain();
    let data = script.plain.pop().expect("there is data to send");
    assert_eq!((data.payload.len(), data.tcp().expect("it is TCP").options.tack.packet_number), (100, Some(1)));
    assert_eq!(data.tcp().expect("it is TCP").ack, in_bytes(4000));
    script.wait(17_000);
    assert_eq!(script.one(AckKind::Tack).report().largest, 4);
}

#[test]
fn the_peers_fin_is_acknowledged_at_once_and_plainly() {
    let mut script = Script::told(config(TackConfig::default()), 100);
    script.packets([1, 2, 3]);
    script.all();
    let mut options = TcpOptions::default();
    options.tack.packet_number = Some(4);
    script.give(TcpFlags::ACK | TcpFlags::FIN, in_bytes(3000), options, Payload::EMPTY);
    script.drain();
    let answer = script.plain.pop().expect("a FIN is acknowledged");
    assert!(answer.pure_ack().is_some(), "{answer:?}");
    assert_eq!(answer.tcp().expect("it is TCP").ack, in_bytes(3001));
    script.nothing();
    assert_eq!(script.end.poll_timeout(), None, "nothing is held any more");
}

/// Batches of so many packets, 30 ms apart, all of one at once, where 1/f is 5 ms. How many bytes each TACK acknowledged, and after how many milliseconds.
fn batches(batch: bool, sizes: &[u32]) -> Vec<(u64, u32)> {
    let mut script = Script::told(config(TackConfig { batch, ..TackConfig::default() }), 5);
    assert_eq!(script.end.gathers(), batch);
    script.wait(100_000);
    let begin = script.now;
    let mut next = 1;
    for &size in sizes {
        script.in_batch = true;
        for number in next..next + size {
            script.packet(number, number);
            // A host may look after each packet.
            script.drain();
        }
        next += size;
        script.end.end_batch(script.now);
        script.in_batch = false;
        script.wait(30_000);
    }
    let read = |typed: &Typed| (typed.at.saturating_since(begin).as_nanos() / 1_000_000, typed.ack / LEN);
    let tacks = script.all();
    tacks.iter().filter(|typed| typed.kind == AckKind::Tack).map(read).collect()
}

#[test]
fn a_tack_that_falls_due_amid_a_batch_acknowledges_all_of_it() {
    // By the paper the second packet of a batch is acknowledged, and the others 1/f later.
    assert_eq!(batches(false, &[30, 30]), [(0, 2), (5, 30), (30, 32), (35, 60)]);
    assert_eq!(batches(true, &[30, 30]), [(0, 30), (30, 60)]);
    // Less than L waits for the timer as ever.
    assert_eq!(batches(true, &[1, 30]), [(30, 31)]);
    assert_eq!(batches(true, &[30, 1]), [(0, 30)]);
}

#[test]
fn the_end_of_the_stream_is_acknowledged_amid_a_batch() {
    let mut script = Script::told(config(TackConfig { batch: true, ..TackConfig::default() }), 5);
    script.in_batch = true;
    script.packet(1, 1);
    let mut options = TcpOptions::default();
    options.tack.packet_number = Some(2);
    script.give(TcpFlags::ACK | TcpFlags::FIN, in_bytes(LEN), options, Payload::EMPTY);
    script.drain();
    assert_eq!(script.plain.len(), 1, "what follows the FIN is plain, and at once");
    script.end.end_batch(script.now);
    assert_eq!(script.end.state(), State::CloseWait);
}

#[test]
fn what_a_batch_owes_goes_out_plain_where_tack_ended_in_it() {
    let mut script = Script::told(config(TackConfig { batch: true, ..TackConfig::default() }), 5);
    script.wait(100_000);
    script.in_batch = true;
    script.packet(1, 1);
    script.packet(2, 2);
    // Data without a number.
    script.give(TcpFlags::ACK, in_bytes(2 * LEN), TcpOptions::default(), Payload::Length(LEN));
    script.end.end_batch(script.now);
    script.drain();
    let acks: Vec<_> = script.plain.iter().filter_map(|packet| packet.tcp().map(|tcp| tcp.ack - in_bytes(0))).collect();
    assert_eq!(acks, [3 * LEN]);
    assert!(!script.end.gathers());
}

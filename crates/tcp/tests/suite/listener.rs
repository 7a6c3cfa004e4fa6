//! A listener: its queues, its bounds, and floods.

use std::net::SocketAddr;

use ackless_tcp::{CloseReason, Config, Endpoint, Event, Limits, Listener, ListenerStats, State, WhenFull};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::tcp::{Checksum, TcpOptions};
use ackless_wire::{Bytes, Duration, Instant, IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport};

use crate::pair::{B, address};
use crate::script::{ACK, FIN, RST, SYN};

/// A listener, callers, and a path without delay between them.
struct Hall {
    now: Instant,
    listener: Listener,
    callers: Vec<Endpoint>,
    accepted: Vec<Endpoint>,
    accepts: bool,
    serial: u32,
}

fn caller(port: u16) -> SocketAddr {
    SocketAddr::new([10, 0, 1, 1].into(), port)
}

/// What a caller at `port` sends; numbers are its own, and the acknowledgement is of our SYN with `iss`.
fn segment(port: u16, flags: TcpFlags, seq: u32, ack: u32) -> Packet {
    let from = caller(port);
    let tcp = TcpHeader {
        seq: SeqNumber(seq),
        ack: SeqNumber(ack),
        flags,
        window: 10_000,
        options: TcpOptions::default(),
        ..TcpHeader::new(from.port(), address(B).port())
    };
    let ip = IpHeader::between(from.ip(), address(B).ip()).expect("both addresses are IPv4");
    Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::EMPTY }
}

impl Hall {
    fn new(limits: Limits) -> Self {
        let listener = Listener::new(Config::default(), address(B), limits);
        let now = Instant::from_millis(10);
        Self { now, listener, callers: Vec::new(), accepted: Vec::new(), accepts: true, serial: 0 }
    }

    fn call(&mut self, port: u16) {
        self.callers.push(Endpoint::connect(
            self.now,
            Config::default(),
            caller(port),
            address(B),
            SeqNumber(port.into()),
        ));
    }

    fn hand_in(&mut self, packet: &Packet) {
        let port = packet.tcp().map(|tcp| tcp.src_port);
        let known = |end: &&mut Endpoint| end.remote().map(|remote| remote.port()) == port;
        match self.accepted.iter_mut().find(known) {
            Some(end) => end.handle_segment(self.now, packet),
            None => {
                self.serial = self.serial.wrapping_add(1_000_000);
                self.listener.handle_segment(self.now, packet, SeqNumber(self.serial));
            }
        }
    }

    /// Until nobody has anything to say.
    fn settle(&mut self) {
        loop {
            let now = self.now;
            let up: Vec<_> =
                self.callers.iter_mut().flat_map(|end| std::iter::from_fn(move || end.poll_transmit(now))).collect();
            up.iter().for_each(|packet| self.hand_in(packet));
            let mut down: Vec<_> = std::iter::from_fn(|| self.listener.poll_transmit(now)).collect();
            if self.accepts {
                self.accepted.extend(std::iter::from_fn(|| self.listener.accept()));
            }
            down.extend(self.accepted.iter_mut().flat_map(|end| std::iter::from_fn(move || end.poll_transmit(now))));
            for packet in &down {
                let port = packet.tcp().map(|tcp| tcp.dst_port);
                let caller = self.callers.iter_mut().find(|end| Some(end.local().port()) == port);
                if let Some(end) = caller {
                    end.handle_segment(now, packet);
                }
            }
            if up.is_empty() && down.is_empty() {
                return;
            }
        }
    }

    /// Lets time pass, timers fire and packets go.
    fn wait(&mut self, span: Duration) {
        let end = self.now + span;
        self.settle();
        loop {
            let timers = self.callers.iter().chain(&self.accepted).filter_map(Endpoint::poll_timeout);
            let next = timers.chain(self.listener.poll_timeout()).min().filter(|&at| at <= end);
            self.now = next.unwrap_or(end).max(self.now);
            let now = self.now;
            self.callers.iter_mut().chain(&mut self.accepted).for_each(|end| end.handle_timeout(now));
            self.listener.handle_timeout(now);
            self.settle();
            if next.is_none() {
                return;
            }
        }
    }

    fn states(&self) -> Vec<State> {
        self.callers.iter().map(Endpoint::state).collect()
    }
}

#[test]
fn every_caller_gets_an_endpoint_of_its_own_in_the_order_in_which_they_came() {
    let mut hall = Hall::new(Limits::default());
    for port in 1..=50 {
        hall.call(port);
    }
    hall.settle();
    assert_eq!(hall.states(), [State::Established; 50]);
    let remotes: Vec<_> = hall.accepted.iter().filter_map(Endpoint::remote).collect();
    assert_eq!(remotes, (1..=50).map(caller).collect::<Vec<_>>());
    for (end, size) in hall.callers.iter_mut().zip(1..) {
        end.send(Bytes(size * 100));
        end.close();
    }
    hall.wait(Duration::from_secs(1));
    for (end, size) in hall.accepted.iter_mut().zip(1..) {
        assert_eq!((end.bytes_delivered(), end.state()), (Bytes(size * 100), State::CloseWait));
        assert_eq!(end.poll_event(), Some(Event::Connected), "events wait for whoever accepts");
    }
    let stats = hall.listener.stats();
    let expected = ListenerStats { begun: 50, established: 50, accepted: 50, ..ListenerStats::default() };
    assert_eq!((stats, hall.listener.half_open(), hall.listener.waiting()), (expected, 0, 0));
}

#[test]
fn data_that_comes_before_anybody_accepts_is_kept_for_whoever_does() {
    let mut hall = Hall::new(Limits::default());
    hall.accepts = false;
    hall.call(1);
    hall.settle();
    hall.callers[0].send(Bytes(5_000));
    hall.wait(Duration::from_secs(1));
    assert_eq!(hall.callers[0].bytes_acked(), Bytes(5_000));
    let end = hall.listener.accept().expect("one waits");
    assert_eq!(end.bytes_delivered(), Bytes(5_000));
}

#[test]
fn a_full_backlog_ignores_callers_until_somebody_accepts() {
    let mut hall = Hall::new(Limits { backlog: 2, ..Limits::default() });
    hall.accepts = false;
    for port in 1..=4 {
        hall.call(port);
        hall.settle();
    }
    assert_eq!(hall.states(), [State::Established, State::Established, State::SynSent, State::SynSent]);
    assert_eq!((hall.listener.waiting(), hall.listener.stats().turned_away), (2, 2));
    hall.accepts = true;
    hall.settle();
    hall.wait(Duration::from_secs(2));
    assert_eq!(hall.states(), [State::Established; 4], "their SYNs came again");
}

#[test]
fn a_full_backlog_may_refuse_callers_at_once() {
    let mut hall = Hall::new(Limits { backlog: 1, when_full: WhenFull::Refuse, ..Limits::default() });
    hall.accepts = false;
    for port in 1..=2 {
        hall.call(port);
        hall.settle();
    }
    assert_eq!(hall.states(), [State::Established, State::Closed]);
    assert_eq!(hall.callers[1].close_reason(), Some(CloseReason::Refused));
    assert_eq!((hall.listener.stats().turned_away, hall.listener.stats().refused), (1, 0));
}

#[test]
fn the_end_of_a_handshake_waits_for_a_place_too() {
    let mut hall = Hall::new(Limits { backlog: 1, ..Limits::default() });
    hall.accepts = false;
    for port in 1..=3 {
        hall.call(port);
    }
    hall.settle();
    assert_eq!((hall.listener.waiting(), hall.listener.half_open(), hall.listener.stats().put_off), (1, 2, 2));
    hall.wait(Duration::from_secs(1));
    assert_eq!((hall.listener.waiting(), hall.listener.half_open()), (1, 2), "the bound holds");
    hall.accepts = true;
    hall.wait(Duration::from_secs(20));
    assert_eq!((hall.accepted.len(), hall.listener.half_open()), (3, 0));
}

#[test]
fn a_syn_that_acknowledges_ours_waits_for_a_place_as_any_end_of_a_handshake() {
    let mut hall = Hall::new(Limits { backlog: 1, ..Limits::default() });
    hall.hand_in(&segment(9, SYN, 7, 0));
    let answer = hall.listener.poll_transmit(hall.now).expect("a listener answers");
    let iss = answer.tcp().expect("an endpoint sends TCP").seq.0;
    hall.accepts = false;
    hall.call(1);
    hall.settle();
    hall.hand_in(&segment(9, SYN | ACK, 7, iss + 1));
    assert_eq!((hall.listener.waiting(), hall.listener.half_open(), hall.listener.stats().put_off), (1, 1, 1));
    hall.accepts = true;
    hall.settle();
    hall.hand_in(&segment(9, SYN | ACK, 7, iss + 1));
    assert_eq!((hall.listener.waiting(), hall.listener.half_open()), (1, 0), "now there is one");
}

#[test]
fn under_a_flood_the_oldest_handshake_makes_room_and_a_genuine_caller_gets_through() {
    let mut hall = Hall::new(Limits { half_open: 16, ..Limits::default() });
    for port in 1_000..11_000 {
        hall.hand_in(&segment(port, SYN, 7, 0));
        assert!(hall.listener.half_open() <= 16);
        while hall.listener.poll_transmit(hall.now).is_some() {}
        if port == 5_000 {
            hall.call(1);
            hall.settle();
        }
    }
    assert_eq!(hall.states(), [State::Established]);
    let stats = hall.listener.stats();
    assert_eq!((stats.begun, stats.established, stats.evicted), (10_001, 1, 10_000 - 16));
}

#[test]
fn a_caller_has_as_long_as_the_flood_takes_to_fill_the_table() {
    for (others, state) in [(15, State::Established), (16, State::Closed)] {
        let mut hall = Hall::new(Limits { half_open: 16, ..Limits::default() });
        hall.call(1);
        let call = hall.callers[0].poll_transmit(hall.now).expect("a caller calls");
        hall.hand_in(&call);
        let answer = hall.listener.poll_transmit(hall.now).expect("a listener answers");
        for port in 0..others {
            hall.hand_in(&segment(1_000 + port, SYN, 7, 0));
        }
        hall.callers[0].handle_segment(hall.now, &answer);
        hall.settle();
        assert_eq!(hall.states(), [state], "after {others} others");
    }
}

#[test]
fn a_handshake_ends_by_a_reset_or_when_nobody_answers() {
    let mut hall = Hall::new(Limits::default());
    hall.hand_in(&segment(1, SYN, 7, 0));
    hall.hand_in(&segment(2, SYN, 7, 0));
    hall.settle();
    hall.hand_in(&segment(1, RST, 8, 0));
    assert_eq!((hall.listener.half_open(), hall.listener.stats().failed), (1, 1));
    hall.wait(Duration::from_secs(300));
    assert_eq!((hall.listener.half_open(), hall.listener.stats().failed), (0, 2));
    assert_eq!(hall.listener.poll_timeout(), None);
}

#[test]
fn strangers_are_refused_and_resets_are_not_answered() {
    let mut hall = Hall::new(Limits::default());
    for (flags, answered) in
        [(ACK, true), (FIN | ACK, true), (SYN | ACK, true), (RST, false), (RST | ACK, false), (FIN, false)]
    {
        hall.hand_in(&segment(1, flags, 7, 9));
        let answer = hall.listener.poll_transmit(hall.now);
        let is_reset = answer.as_ref().and_then(Packet::tcp).map(|tcp| (tcp.flags, tcp.seq));
        assert_eq!(is_reset, answered.then_some((RST, SeqNumber(9))), "{flags:?}");
    }
    let mut other = segment(1, SYN, 7, 0);
    if let Transport::Tcp(tcp) = &mut other.transport {
        tcp.dst_port = 81;
    }
    hall.hand_in(&other);
    assert_eq!((hall.listener.half_open(), hall.listener.poll_transmit(hall.now)), (0, None), "not our port");
}

#[test]
fn what_is_not_for_the_listener_is_counted_as_such_and_as_nothing_else() {
    for when_full in [WhenFull::Ignore, WhenFull::Refuse] {
        let mut hall = Hall::new(Limits { backlog: 1, when_full, ..Limits::default() });
        hall.accepts = false;
        for port in 1..=2 {
            hall.call(port);
        }
        // One is established; of the other the end of the handshake has been put off.
        hall.settle();
        let before = hall.listener.stats();
        assert_eq!((before.established, before.put_off, before.ignored), (1, 1, 0));
        let mut others = 0;
        for port in [1, 2, 3] {
            for (flags, seq) in [(SYN, 7), (ACK, 8), (RST, 8), (SYN | ACK, 7)] {
                for fault in 0..3 {
                    let mut packet = segment(port, flags, seq, 9);
                    match (fault, &mut packet.transport) {
                        (0, Transport::Tcp(tcp)) => tcp.dst_port += 1,
                        (1, Transport::Tcp(tcp)) => tcp.checksum = Checksum::Wrong(1),
                        _ => {
                            let elsewhere = [10, 0, 9, 9].into();
                            packet.ip = IpHeader::between(caller(port).ip(), elsewhere).expect("both are IPv4");
                        }
                    }
                    hall.hand_in(&packet);
                    others += 1;
                }
            }
        }
        assert_eq!(hall.listener.stats(), ListenerStats { ignored: others, ..before }, "{when_full:?}");
        assert_eq!(hall.listener.poll_transmit(hall.now), None);
    }
}

#[test]
fn a_connection_that_is_reset_before_it_is_accepted_is_handed_to_nobody() {
    let mut hall = Hall::new(Limits::default());
    hall.accepts = false;
    hall.call(1);
    hall.settle();
    hall.callers[0].abort(hall.now);
    hall.settle();
    assert!(hall.listener.accept().is_none());
    assert_eq!(hall.listener.stats().lost, 1);
}

#[test]
fn whatever_comes_the_bounds_hold() {
    for seed in 0..200 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let limits = Limits {
            backlog: 1 + random.below(4) as usize,
            half_open: 1 + random.below(6) as usize,
            when_full: if random.chance(0.5) { WhenFull::Ignore } else { WhenFull::Refuse },
        };
        let mut hall = Hall::new(limits);
        // Our numbers in the latest SYN-ACK to each port.
        let mut offered = [0; 13];
        for _ in 0..300 {
            let flags = TcpFlags::from_bits_truncate(random.bits() as u8);
            let flags = [SYN, SYN, ACK, ACK, RST, FIN | ACK, SYN | ACK, flags][random.below(8) as usize];
            let port = 1 + random.below(12) as u16;
            // The numbers are guessed, or those that end the handshake of this port. Its SYN once more, with an acknowledgement, ends it too.
            let guess = 1_000_000 * random.below(u64::from(hall.serial / 1_000_000) + 1) as u32;
            let iss = if random.chance(0.5) { offered[usize::from(port)] } else { guess };
            let follows = if flags == (SYN | ACK) { random.chance(0.5) } else { flags != SYN };
            hall.hand_in(&segment(port, flags, 7 + u32::from(follows), iss.wrapping_add(1)));
            if random.chance(0.7) {
                while let Some(packet) = hall.listener.poll_transmit(hall.now) {
                    let tcp = packet.tcp().expect("an endpoint sends TCP");
                    if tcp.flags == (SYN | ACK) {
                        offered[usize::from(tcp.dst_port)] = tcp.seq.0;
                    }
                }
            }
            if random.chance(0.05) {
                hall.now += Duration::from_millis(random.below(5_000));
                hall.listener.handle_timeout(hall.now);
            }
            if random.chance(0.05) {
                _ = hall.listener.accept();
            }
            let (half_open, waiting) = (hall.listener.half_open(), hall.listener.waiting());
            assert!(half_open <= limits.half_open && waiting <= limits.backlog, "seed {seed}: {half_open} {waiting}");
            let stats = hall.listener.stats();
            let gone = stats.established + stats.failed + stats.evicted;
            assert_eq!(stats.begun, gone + half_open as u64, "seed {seed}: {stats:?}");
            assert_eq!(stats.established, stats.accepted + stats.lost + waiting as u64, "seed {seed}: {stats:?}");
        }
    }
}

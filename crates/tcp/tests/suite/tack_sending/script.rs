//! A receiver that a script plays, and the endpoint that sends to it.

use ackless_tcp::tack::body::{AckKind, Body, LossRange, Report};
use ackless_tcp::{Config, CongestionChoice, Endpoint, State};
use ackless_wire::tcp::{TackForm, TcpOptions};
use ackless_wire::{Bytes, Duration, Instant, IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport};

use crate::pair::{A, B, address};
use crate::tack_agreement::tack;

/// The endpoint's and the script's initial sequence numbers.
pub const OURS: SeqNumber = SeqNumber(u32::MAX - 2_000);
pub const THEIRS: SeqNumber = SeqNumber(9_000);
/// The payload of the endpoint's full segments.
pub const LEN: u32 = 1000;
pub const RTT: Duration = Duration::from_millis(100);

/// An endpoint that sends, and its receiver as a script.
pub struct Script {
    pub now: Instant,
    pub end: Endpoint,
    pub serial: u32,
    /// The script's clock, in microseconds, less that of the test.
    pub offset: u32,
    pub window: u16,
    /// The latest timestamp that the endpoint sent.
    pub stamp: u32,
    pub typed: Vec<Body>,
    /// When each number was sent, and with which timestamp.
    pub log: Vec<(Instant, Sent, u32)>,
}

/// A segment with data: its number, where it begins in thousands of bytes, and whether it ends the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    pub number: u32,
    pub place: u32,
    pub fin: bool,
}

pub const fn sent(number: u32, place: u32) -> Sent {
    Sent { number, place, fin: false }
}

pub fn config() -> Config {
    Config {
        mss: Bytes(1020),
        congestion: CongestionChoice::NewReno,
        window_scaling: false,
        nagle: false,
        ..tack(TackForm::Kinds)
    }
}

pub fn place(thousands: u32) -> SeqNumber {
    OURS + 1 + 1000 * thousands
}

impl Script {
    /// The endpoint has called the script, and [`RTT`] has passed for the handshake.
    pub fn connected(config: Config) -> Self {
        Self::connected_after(config, RTT)
    }

    /// The same, with an answer to the SYN that comes so late.
    pub fn connected_after(config: Config, late: Duration) -> Self {
        let now = Instant::from_secs(1);
        let end = Endpoint::connect(now, config, address(A), address(B), OURS);
        let mut script =
            Self { now, end, serial: 0, offset: 77, window: 60_000, stamp: 0, typed: Vec::new(), log: Vec::new() };
        script.drain();
        script.wait(late);
        let mut answer = script.header(0);
        answer.seq = THEIRS;
        answer.flags = TcpFlags::SYN | TcpFlags::ACK;
        answer.options.mss = Some(1020);
        answer.options.tack.permitted = true;
        script.deliver(answer, Payload::EMPTY);
        script.drain();
        assert_eq!(script.end.state(), State::Established);
        script
    }

    pub fn clock(&self) -> u32 {
        self.offset.wrapping_add(self.now.saturating_since(Instant::ZERO).as_micros_floor() as u32)
    }

    /// A header that acknowledges so many thousands of bytes.
    pub fn header(&self, acked: u32) -> TcpHeader {
        TcpHeader {
            seq: THEIRS + 1,
            ack: place(acked),
            flags: TcpFlags::ACK,
            window: self.window,
            options: TcpOptions { timestamps: Some((self.clock(), self.stamp)), ..TcpOptions::default() },
            ..TcpHeader::new(address(B).port(), address(A).port())
        }
    }

    pub fn deliver(&mut self, tcp: TcpHeader, payload: Payload) {
        let ip = IpHeader::between(address(B).ip(), address(A).ip()).expect("both addresses are IPv4");
        let tcp = if tcp.flags.contains(TcpFlags::SYN) { TcpHeader { ack: OURS + 1, ..tcp } } else { tcp };
        self.end.handle_segment(self.now, &Packet { ip, transport: Transport::Tcp(tcp), payload });
    }

    /// The script sends a TACK or an IACK.
    pub fn typed(&mut self, kind: AckKind, acked: u32, body: &Body, departure: Option<u32>) {
        let bytes = body.encode(Bytes(1000));
        let mut tcp = self.header(acked);
        tcp.seq = THEIRS - bytes.len() as u32;
        tcp.options.tack.ack_type = Some(kind.value());
        let clock = self.clock();
        tcp.options.timestamps = Some((departure.unwrap_or(clock), clock));
        self.deliver(tcp, Payload::Data(bytes));
    }

    /// A TACK about packets up to the largest that it names, which also had the least delay.
    pub fn report(&mut self, acked: u32, report: Report) {
        let serial = self.serial;
        self.serial += 1;
        let named = self.log.iter().find(|(_, sent, _)| sent.number == report.largest);
        let departure = named.map_or(self.stamp, |&(_, _, stamp)| stamp);
        self.typed(AckKind::Tack, acked, &Body::Report(Report { serial, ..report }), Some(departure));
    }

    /// What was sent at least a round trip ago, and not reported by this before.
    pub fn arrivals(&self, after: u32) -> Vec<Sent> {
        let old = self.log.iter().filter(|&&(at, _, _)| self.now.saturating_since(at) >= RTT);
        old.map(|&(_, sent, _)| sent).filter(|sent| sent.number > after).collect()
    }

    pub fn pull(&mut self, acked: u32, second: u32, largest: u32) {
        self.typed(AckKind::Loss, acked, &Body::Loss(LossRange { second, largest }), None);
    }

    /// The data that the endpoint sends now, with all that pacing holds back for most of a round trip.
    pub fn burst(&mut self) -> Vec<Sent> {
        self.wait(RTT * 9 / 10)
    }

    pub fn drain(&mut self) -> Vec<Sent> {
        let mut all = Vec::new();
        while let Some(packet) = self.end.poll_transmit(self.now) {
            let tcp = *packet.tcp().expect("an endpoint sends TCP");
            if let Some((value, _)) = tcp.options.timestamps.filter(|_| tcp.options.tack.ack_type.is_none()) {
                self.stamp = value;
            }
            match (tcp.options.tack.ack_type.and_then(AckKind::of), &packet.payload) {
                (Some(kind), Payload::Data(bytes)) => {
                    self.typed.push(Body::decode(kind, bytes).expect("an endpoint makes sense"));
                }
                _ => {
                    let fin = tcp.flags.contains(TcpFlags::FIN);
                    if let Some(number) = tcp.options.tack.packet_number {
                        let sent = Sent { number, place: (tcp.seq - place(0)) / 1000, fin };
                        self.log.push((self.now, sent, self.stamp));
                        all.push(sent);
                    }
                }
            }
        }
        all
    }

    /// Waits, and lets the endpoint's timers fire.
    pub fn wait(&mut self, span: Duration) -> Vec<Sent> {
        let until = self.now + span;
        let mut all = self.drain();
        while let Some(at) = self.end.poll_timeout().filter(|&at| at <= until) {
            self.now = self.now.max(at);
            self.end.handle_timeout(self.now);
            all.extend(self.drain());
        }
        self.now = until;
        all
    }
}

/// A report of packets up to `largest`, with `received` thousands of bytes above the acknowledgement.
pub fn report(largest: u32, received: u32) -> Report {
    Report { largest, received_in_flight: Bytes((received * LEN).into()), ..Report::default() }
}

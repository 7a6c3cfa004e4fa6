//! Two ends on a path that does what a string of bytes spells: it delivers, drops, doubles and reorders segments, strips options, changes bodies, and
//! makes up TACKs and IACKs of its own. The fuzzer uses the same driver.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

use ackless_tcp::tack::body::{FrequencyUpdate, LossRange, Report};
use ackless_tcp::tack::config::{Blocks, LossSignal, Timing};
use ackless_tcp::tack::{AckKind, Body, RateBy, Settling, Share, TackConfig};
use ackless_tcp::{AckChoice, Config, CongestionChoice, Consume, Endpoint, Event, Losses, Stats, Variant};
use ackless_wire::tcp::{TackForm, TackOptions};
use ackless_wire::{
    BitRate, Bytes, Duration, Instant, IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport,
};

/// Does what `bytes` spell, and checks what must hold whatever they are:
/// - nothing panics, and no end goes on sending for ever;
/// - no more counts as acknowledged than was written;
/// - what is read is what was written, in order and once;
/// - unless something was made up or changed, or an end gave up, all of it is read in the end.
///
/// Says what the two ends have counted.
///
/// # Panics
/// If it does not hold.
pub fn drive(bytes: &[u8]) -> [Stats; 2] {
    let mut reader = Reader(bytes);
    let mut chaos = Chaos::new(&mut reader);
    while let Some(verb) = reader.byte() {
        let from = usize::from(verb >> 7);
        match verb % 32 {
            // Some come in batches, where that makes a difference.
            at @ 0..=9 => chaos.deliver(from, at < 7),
            10 => _ = chaos.wires[from].pop_front(),
            11 => chaos.again(from),
            12 => chaos.wires[from].rotate_left(usize::from(!chaos.wires[from].is_empty())),
            13..=15 => chaos.pass(Duration::from_micros(u64::from(reader.word()) * 10)),
            16..=18 => chaos.next_deadline(),
            19..=22 => chaos.write(from, reader.word().into()),
            23..=25 => chaos.read(from),
            26 => chaos.strip(from, reader.byte().unwrap_or_default()),
            27 => chaos.change(from, &mut reader),
            28 => chaos.ends[from].close(),
            _ => chaos.make_up(from, &mut reader),
        }
        chaos.drain();
    }
    if !chaos.forged && !chaos.gave_up {
        chaos.finish();
    }
    chaos.ends.map(|end| end.stats())
}

struct Chaos {
    ends: [Endpoint; 2],
    /// Segments under way, by the end that sent them.
    wires: [VecDeque<Packet>; 2],
    now: Instant,
    /// What an end was given is part of a batch that goes on.
    in_batch: [bool; 2],
    written: [u64; 2],
    read: [u64; 2],
    /// What each end last sent: seq after it, ack, and timestamps.
    last: [Option<TcpHeader>; 2],
    form: TackForm,
    /// Something came that no end had sent.
    forged: bool,
    /// An end waited for too long, as nothing was delivered.
    gave_up: bool,
}

/// Bytes, and zeros once they are used up.
struct Reader<'a>(&'a [u8]);

impl Chaos {
    /// Two ends that are connected.
    fn new(reader: &mut Reader<'_>) -> Self {
        let [choices, more, beside] = [(); 3].map(|()| reader.byte().unwrap_or_default());
        let form = if choices & 1 == 0 { TackForm::Kinds } else { TackForm::Experimental };
        let tack = TackConfig {
            form,
            blocks: [Blocks::Rich, Blocks::Poor, Blocks::OnDemand, Blocks::Distinct][usize::from(choices >> 1 & 3)],
            loss_signal: if choices & 8 == 0 { LossSignal::Iack } else { LossSignal::TackOnly },
            timing: if choices & 16 == 0 { Timing::OneWayDelay } else { Timing::Sampled },
            tau: Duration::from_secs(10),
            batch: beside & 1 != 0,
            share: if beside & 2 == 0 { Share::Least } else { Share::Usual },
            rate: if beside & 4 == 0 { RateBy::Receiver } else { RateBy::Sender },
            window_asks: beside & 8 != 0,
            settling: if beside & 16 == 0 { Settling::Quarter } else { Settling::Adaptive },
        };
        let variant = match beside >> 5 {
            0..4 => Variant::Standard,
            4 | 5 => Variant::Rounds { losses: Losses::Ignored },
            _ => Variant::Rounds { losses: Losses::Bound },
        };
        let congestion = [
            CongestionChoice::ReceiverBbr(variant),
            CongestionChoice::Cubic,
            CongestionChoice::Bbr,
            if choices & 128 == 0 { CongestionChoice::NewReno } else { CongestionChoice::Bbr3 },
        ][usize::from(choices >> 5 & 3)];
        let config = Config {
            mss: Bytes(if more & 1 == 0 { 1460 } else { 150 }),
            congestion,
            ack: if more & 2 == 0 { AckChoice::Tack { beta: 4, every: 2 } } else { AckChoice::default() },
            receive_buffer: Bytes([1 << 20, 20_000, 700][usize::from(more >> 2 & 3) % 3]),
            sack: more & 16 == 0,
            consume: Consume::ByApplication,
            tack: Some(tack),
            ..Config::default()
        };
        let now = Instant::from_millis(1);
        let iss = if more & 32 == 0 { SeqNumber(u32::MAX - 3_000) } else { SeqNumber(77) };
        let caller = Endpoint::connect(now, config.clone(), address(0), address(1), iss);
        let ack = match (more >> 6, config.ack) {
            (terms @ 1.., AckChoice::Tack { .. }) => AckChoice::Tack {
                beta: [1, 8, 70_000][usize::from(terms) - 1],
                every: [16, 1, 1_000][usize::from(terms) - 1],
            },
            (_, ack) => ack,
        };
        let listener = Endpoint::listen(Config { ack, ..config }, address(1), SeqNumber(0x8000_0000));
        let mut chaos = Self {
            ends: [caller, listener],
            wires: Default::default(),
            now,
            in_batch: [false; 2],
            written: [0; 2],
            read: [0; 2],
            last: [None; 2],
            form,
            forged: false,
            gave_up: false,
        };
        chaos.drain();
        for from in [0, 1, 0] {
            chaos.pass(Duration::from_millis(5));
            chaos.deliver(from, true);
        }
        assert!(chaos.ends.iter().all(|end| end.state().is_synchronized()), "nothing was lost");
        chaos
    }

    /// The next segment comes; with it a batch `ends`, if it is part of one.
    fn deliver(&mut self, from: usize, ends: bool) {
        let Some(packet) = self.wires[from].pop_front() else { return };
        let to = 1 - from;
        if self.ends[to].gathers() {
            self.ends[to].handle_merged(self.now, &packet, Bytes(packet.payload.len().into()));
            self.in_batch[to] = true;
        } else {
            self.ends[to].handle_segment(self.now, &packet);
        }
        if ends {
            self.end_batches();
        }
        self.drain();
    }

    fn end_batches(&mut self) {
        for (end, in_batch) in self.ends.iter_mut().zip(&mut self.in_batch) {
            if std::mem::take(in_batch) {
                end.end_batch(self.now);
            }
        }
    }

    fn again(&mut self, from: usize) {
        let copy = self.wires[from].front().cloned();
        self.wires[from].extend(copy);
    }

    fn pass(&mut self, span: Duration) {
        self.now += span;
        self.wake();
    }

    fn wake(&mut self) {
        self.end_batches();
        for end in &mut self.ends {
            end.handle_timeout(self.now);
        }
        self.drain();
    }

    fn next_deadline(&mut self) {
        if let Some(at) = self.ends.iter().filter_map(Endpoint::poll_timeout).min() {
            self.now = self.now.max(at);
        }
        self.wake();
    }

    fn write(&mut self, end: usize, amount: u64) {
        let data: Vec<u8> = (self.written[end]..self.written[end] + amount).map(|place| pattern(end, place)).collect();
        self.written[end] += self.ends[end].write(&data).get();
    }

    fn read(&mut self, end: usize) {
        while let Some(payload) = self.ends[end].read(Bytes(4_096)) {
            let Payload::Data(data) = payload else { panic!("bytes were written") };
            for byte in data {
                assert_eq!(byte, pattern(1 - end, self.read[end]), "what is read is what was written");
                self.read[end] += 1;
            }
        }
        assert!(self.read[end] <= self.written[1 - end], "no more is read than was written");
    }

    /// A middlebox takes options out of the next segment.
    fn strip(&mut self, from: usize, which: u8) {
        // After one of these there is no TACK any more: they are rare.
        if which >= 16 {
            return;
        }
        let Some(tcp) = self.wires[from].front_mut().map(header) else { return };
        let tack = &mut tcp.options.tack;
        tack.ack_type = tack.ack_type.filter(|_| which & 1 != 0);
        tack.packet_number = tack.packet_number.filter(|_| which & 2 != 0);
    }

    /// The next segment, if it is a TACK or IACK, is changed on the way.
    fn change(&mut self, from: usize, reader: &mut Reader<'_>) {
        let Some(packet) = self.wires[from].front_mut() else { return };
        if header(packet).options.tack.ack_type.is_none() {
            return;
        }
        self.forged = true;
        let (at, value) = (usize::from(reader.byte().unwrap_or_default()), reader.byte().unwrap_or_default());
        match at {
            0..=9 => header(packet).options.tack.ack_type = Some(value),
            10..=19 => header(packet).options.timestamps = Some((reader.double(), reader.double())),
            20..=29 => header(packet).seq += reader.double(),
            _ => {
                let Payload::Data(body) = &packet.payload else { return };
                let mut body = body.to_vec();
                let at = at % body.len();
                body[at] ^= value;
                packet.payload = Payload::Data(body.into());
            }
        }
    }

    /// A segment comes that looks like a TACK or an IACK of `from`'s.
    fn make_up(&mut self, from: usize, reader: &mut Reader<'_>) {
        self.forged = true;
        let (kind, body) = made_up_body(reader);
        let Some(mut tcp) = self.last[from] else { return };
        tcp.flags = TcpFlags::ACK;
        if reader.byte().unwrap_or_default() & 7 == 0 {
            tcp.flags = TcpFlags::from_bits_truncate(reader.byte().unwrap_or_default());
        }
        tcp.seq = near(tcp.seq, reader) - body.len() as u32;
        // Beyond what the other end has sent, or old; what was not received is not acknowledged, or it would be lost for good.
        tcp.ack = match reader.byte().unwrap_or_default() {
            0..=199 => tcp.ack - u32::from(reader.word()) % 3_000,
            200..=229 => tcp.ack + 0x4000_0000 + reader.double() % 0x1000_0000,
            _ => tcp.ack,
        };
        tcp.window = reader.word();
        tcp.options.tack = TackOptions { form: self.form, ack_type: Some(kind), ..TackOptions::default() };
        tcp.options.timestamps = (reader.byte().unwrap_or_default() < 250).then(|| (reader.double(), reader.double()));
        let ip = IpHeader::between(address(from).ip(), address(1 - from).ip()).expect("both are IPv4");
        let packet = Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::Data(body.into()) };
        self.ends[1 - from].handle_segment(self.now, &packet);
    }

    fn drain(&mut self) {
        for end in [0, 1] {
            let mut count = 0;
            while let Some(mut packet) = self.ends[end].poll_transmit(self.now) {
                let tcp = *header(&mut packet);
                assert!(tcp.options.len() <= Bytes(40), "the options fit the header");
                if let (Some(before), Some(now)) = (self.last[end].as_ref().and_then(departure), departure(&tcp)) {
                    assert!(now.wrapping_sub(before) as i32 >= 0, "each segment tells when it left, by one clock");
                }
                self.last[end] = Some(TcpHeader { seq: tcp.seq + packet.data_len(), ..tcp });
                self.wires[end].push_back(packet);
                count += 1;
                assert!(count < 100_000, "sending comes to an end");
            }
            // A path holds only so much.
            self.wires[end].truncate(2_000);
            while let Some(event) = self.ends[end].poll_event() {
                self.gave_up |= event == Event::TimedOut;
            }
            assert!(
                self.ends[end].stats().bytes_acked.get() <= self.written[end],
                "no more is acknowledged than was written"
            );
        }
    }

    /// From here on the path does nothing but deliver, and both write no more.
    fn finish(&mut self) {
        for end in &mut self.ends {
            end.close();
        }
        self.drain();
        for _ in 0..20_000 {
            let waiting = [self.wires[0].len(), self.wires[1].len()];
            if waiting == [0, 0] {
                if self.read[0] == self.written[1] && self.read[1] == self.written[0] {
                    break;
                }
                self.next_deadline();
            }
            let tick = self.now + Duration::from_millis(5);
            while self.ends.iter().filter_map(Endpoint::poll_timeout).min().is_some_and(|at| at < tick) {
                self.next_deadline();
            }
            self.now = tick;
            self.wake();
            for from in [0, 1] {
                (0..waiting[from]).for_each(|_| self.deliver(from, true));
            }
            self.read(0);
            self.read(1);
            self.drain();
        }
        assert_eq!(
            [self.read[1], self.read[0]],
            self.written,
            "all that was written is read: {:#?}",
            [self.ends[0].stats(), self.ends[1].stats()]
        );
    }
}

/// The type and the body of a TACK or IACK: a body of any values, or any bytes.
fn made_up_body(reader: &mut Reader<'_>) -> (u8, Vec<u8>) {
    let micros = |reader: &mut Reader<'_>| Duration::from_micros(reader.double().into());
    let (kind, body) = match reader.byte().unwrap_or_default() % 8 {
        0..=2 => {
            let edge =
                |reader: &mut Reader<'_>| Bytes((reader.double() >> (reader.byte().unwrap_or_default() % 32)).into());
            let report = Report {
                serial: reader.double(),
                largest: reader.double(),
                largest_delay: micros(reader),
                delay: micros(reader),
                delivery_rate: BitRate::from_kbps(reader.double().into()),
                application_limited: reader.byte().unwrap_or_default() & 1 == 0,
                window: Bytes(reader.double().into()),
                received_in_flight: Bytes(reader.double().into()),
                interval: micros(reader),
                loss_ppm: reader.double() % 1_000_001,
                hol: Some(edge(reader) + Bytes(1)),
                bubbles: (0..reader.byte().unwrap_or_default() % 8)
                    .map(|_| edge(reader))
                    .map(|start| (start, start + Bytes(1_448)))
                    .collect(),
            };
            (AckKind::Tack, Body::Report(report))
        }
        3 | 4 => {
            let second = u32::from(reader.word());
            (AckKind::Loss, Body::Loss(LossRange { largest: second + 2 + u32::from(reader.word()), second }))
        }
        5 => {
            let update = FrequencyUpdate {
                serial: reader.double(),
                interval: micros(reader),
                min_rtt: micros(reader),
                bandwidth: BitRate::from_kbps(reader.double().into()),
                ack_loss_ppm: reader.double() % 1_000_001,
            };
            (AckKind::Frequency, Body::Frequency(update))
        }
        6 => (AckKind::RoundTrip, Body::RoundTripRequest),
        _ => {
            let len = usize::from(reader.byte().unwrap_or_default() % 64);
            return (reader.byte().unwrap_or_default(), (0..len).map(|_| reader.byte().unwrap_or_default()).collect());
        }
    };
    (kind.value(), body.encode(Bytes(200)).to_vec())
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn word(&mut self) -> u16 {
        u16::from_be_bytes([self.byte().unwrap_or_default(), self.byte().unwrap_or_default()])
    }

    /// Mostly a small number, so that numbers of packets and places are met.
    fn double(&mut self) -> u32 {
        match self.byte().unwrap_or_default() {
            byte @ 0..=149 => byte.into(),
            150..=199 => self.word().into(),
            _ => u32::from(self.word()) << 16 | u32::from(self.word()),
        }
    }
}

/// A number near `number`, most often that itself.
fn near(number: SeqNumber, reader: &mut Reader<'_>) -> SeqNumber {
    match reader.byte().unwrap_or_default() {
        0..=149 => number,
        150..=199 => number - u32::from(reader.word()),
        200..=229 => number + u32::from(reader.word()),
        _ => SeqNumber(reader.double()),
    }
}

fn header(packet: &mut Packet) -> &mut TcpHeader {
    match &mut packet.transport {
        Transport::Tcp(tcp) => tcp,
        Transport::Udp(_) | Transport::Foreign(_) => unreachable!("an endpoint sends TCP"),
    }
}

/// When a segment left, by its sender's clock, which a TACK or IACK has in TSecr. A reset does not say.
fn departure(tcp: &TcpHeader) -> Option<u32> {
    let (value, echo) = tcp.options.timestamps?;
    Some(if tcp.options.tack.ack_type.is_some() { echo } else { value })
}

/// The byte at this place of what an end writes.
fn pattern(end: usize, place: u64) -> u8 {
    (place.wrapping_mul(31) ^ (place >> 8) ^ end as u64) as u8
}

fn address(end: usize) -> SocketAddr {
    SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 1 + end as u8), [40_000, 80][end]))
}

//! An endpoint that is fed whatever a string of bytes spells: segments, timeouts and calls. The fuzzer uses the same
//! driver.

use std::net::SocketAddr;

use ackless_tcp::{AckChoice, Config, CongestionChoice, Consume, Endpoint, RecoveryChoice, State};
use ackless_wire::tcp::{AckRate, RateRequest, SackBlocks, TcpOptions};
use ackless_wire::{Bytes, Duration, Instant, IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport};

/// Does what `bytes` spell, and checks what must hold whatever they are.
///
/// # Panics
/// If it does not hold.
pub fn drive(bytes: &[u8]) {
    let mut chaos = Chaos::new(&mut Reader(bytes));
    let mut reader = Reader(bytes);
    while let Some(verb) = reader.byte() {
        match verb % 16 {
            0..=8 => chaos.segment(&mut reader),
            9 | 10 => chaos.now += Duration::from_micros(u64::from(reader.word()) * 50),
            11 | 12 => chaos.next_deadline(),
            _ => chaos.application(&mut reader),
        }
        chaos.drain();
    }
}

struct Chaos {
    end: Endpoint,
    now: Instant,
    /// Just past the highest number that the endpoint has sent, and what it acknowledged last: segments near these
    /// do something.
    sent: SeqNumber,
    wanted: SeqNumber,
    stamp: u32,
    mss: u64,
    written: u64,
    offered: u64,
}

/// Bytes, and zeros once they are used up.
struct Reader<'a>(&'a [u8]);

impl Chaos {
    fn new(reader: &mut Reader<'_>) -> Self {
        let (choices, more) = (reader.byte().unwrap_or_default(), reader.byte().unwrap_or_default());
        let config = Config {
            mss: Bytes(if choices & 1 == 0 { 1460 } else { 200 }),
            sack: choices & 2 == 0,
            timestamps: (choices & 4 == 0).then(|| Duration::from_millis(1)),
            congestion: [
                CongestionChoice::Reno,
                CongestionChoice::NewReno,
                CongestionChoice::Cubic,
                if more & 8 == 0 { CongestionChoice::Bbr } else { CongestionChoice::Bbr3 },
            ][usize::from(choices >> 3 & 3)],
            recovery: [RecoveryChoice::Standard, RecoveryChoice::Rack][usize::from(more >> 1 & 1)],
            pacing: more & 4 != 0,
            consume: if choices & 32 == 0 { Consume::Immediately } else { Consume::ByApplication },
            receive_buffer: Bytes([5_000, 1_000_000][usize::from(choices >> 6 & 1)]),
            ack: if more & 16 == 0 {
                AckChoice::Delayed { every: 1 + u32::from(choices >> 7), timeout: Duration::from_millis(40) }
            } else {
                AckChoice::Request { share: 1 + u32::from(choices >> 7), timeout: Duration::from_millis(40) }
            },
            ..Config::default()
        };
        let (now, mss) = (Instant::from_millis(1), config.mss.get());
        let end = if more & 1 == 0 {
            Endpoint::listen(config, OURS, ISS)
        } else {
            Endpoint::connect(now, config, OURS, PEER, ISS)
        };
        Self { end, now, sent: ISS, wanted: SeqNumber(0), stamp: 1, mss, written: 0, offered: 0 }
    }

    fn segment(&mut self, reader: &mut Reader<'_>) {
        let flags = match reader.byte().unwrap_or_default() {
            0..=149 => TcpFlags::ACK,
            150..=179 => TcpFlags::SYN | TcpFlags::ACK,
            180..=199 => TcpFlags::SYN,
            200..=229 => TcpFlags::FIN | TcpFlags::ACK,
            other => TcpFlags::from_bits_truncate(other),
        };
        let shape = reader.byte().unwrap_or_default();
        let mut options = TcpOptions::default();
        if flags.contains(TcpFlags::SYN) {
            options.mss = (shape & 1 == 0).then_some(if shape & 2 == 0 { 1460 } else { 200 });
            options.window_scale = (shape & 4 == 0).then_some(shape >> 6);
            options.sack_permitted = shape & 8 == 0;
            options.ack_rate = (shape & 128 == 0).then_some(AckRate::CAPABLE);
        } else if shape & 128 != 0 {
            options.ack_rate = Some(AckRate::of(RateRequest::from_byte(shape.rotate_left(3))));
        }
        if shape & 16 == 0 {
            self.stamp = self.stamp.wrapping_add(u32::from(shape >> 5));
            options.timestamps = Some((self.stamp, reader.word().into()));
        }
        let ack = near(self.sent, reader);
        for _ in 0..shape & 3 {
            let left = near(ack, reader);
            if !flags.contains(TcpFlags::SYN) {
                options.sack.push((left, left + u32::from(reader.word()) % 5000));
            }
        }
        let len = if shape & 32 == 0 { 0 } else { u32::from(reader.word()) % 1461 };
        let payload = if shape & 64 == 0 { Payload::Length(len) } else { Payload::Data(vec![7; len as usize].into()) };
        self.offered += u64::from(len);
        let tcp = TcpHeader {
            seq: near(self.wanted, reader),
            ack,
            flags,
            window: reader.word(),
            options,
            ..TcpHeader::new(PEER.port(), OURS.port())
        };
        let ip = IpHeader::between(PEER.ip(), OURS.ip()).expect("both addresses are IPv4");
        self.end.handle_segment(self.now, &Packet { ip, transport: Transport::Tcp(tcp), payload });
    }

    fn next_deadline(&mut self) {
        if let Some(at) = self.end.poll_timeout() {
            self.now = self.now.max(at);
        }
        self.end.handle_timeout(self.now);
    }

    fn application(&mut self, reader: &mut Reader<'_>) {
        let amount = u64::from(reader.word());
        match reader.byte().unwrap_or_default() % 16 {
            0..=3 => self.written += self.end.write_length(Bytes(amount)).get(),
            4..=6 => self.written += self.end.write(&vec![1; amount as usize]).get(),
            7 => {
                self.end.send_forever();
                self.written = u64::MAX / 2;
            }
            8 => self.end.set_nagle(amount.is_multiple_of(2)),
            9 => self.end.set_send_buffer(Bytes(amount)),
            10 => self.end.set_receive_buffer(Bytes(amount * 16)),
            11..=12 => while self.end.read(Bytes(1 + amount)).is_some() {},
            13 | 14 => self.end.close(),
            _ => self.end.abort(self.now),
        }
    }

    fn drain(&mut self) {
        let mut count = 0;
        while let Some(packet) = self.end.poll_transmit(self.now) {
            let tcp = packet.tcp().expect("an endpoint sends TCP");
            let len = packet.payload.len();
            assert!(u64::from(len) <= self.mss, "no segment is longer than the segment size");
            assert!(packet.len() <= Bytes(1500), "no packet is longer than the path takes");
            let end = tcp.seq + len + u32::from(tcp.flags.intersects(TcpFlags::SYN | TcpFlags::FIN));
            if !tcp.flags.contains(TcpFlags::RST) {
                self.sent = self.sent.max(end);
            }
            if tcp.flags.contains(TcpFlags::ACK) {
                self.wanted = tcp.ack;
            }
            assert_ne!(tcp.options.sack, SackBlocks::from_slice(&[(tcp.ack, tcp.ack)]), "no block is empty");
            count += 1;
            assert!(count < 1_000_000, "sending comes to an end");
        }
        while self.end.poll_event().is_some() {}
        let stats = self.end.stats();
        assert!(stats.bytes_acked.get() <= self.written, "no more is acknowledged than was written");
        assert!(stats.bytes_delivered.get() <= self.offered, "no more is delivered than came");
        let over = self.end.state() == State::Closed;
        assert!(!over || self.end.poll_timeout().is_none(), "a closed connection waits for nothing");
        assert!(self.end.poll_timeout().is_none_or(|at| at > self.now) || !over);
    }
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
}

/// A number near `number`, most often that itself.
fn near(number: SeqNumber, reader: &mut Reader<'_>) -> SeqNumber {
    match reader.byte().unwrap_or_default() {
        0..=99 => number,
        100..=159 => number - u32::from(reader.word()) % 3000,
        160..=219 => number + u32::from(reader.word()) % 3000,
        220..=239 => number + (u32::from(reader.word()) << 16),
        other => number + u32::from(other) - 240,
    }
}

const OURS: SocketAddr = SocketAddr::V4(std::net::SocketAddrV4::new(std::net::Ipv4Addr::new(10, 0, 0, 2), 80));
const PEER: SocketAddr = SocketAddr::V4(std::net::SocketAddrV4::new(std::net::Ipv4Addr::new(10, 0, 0, 1), 4000));
const ISS: SeqNumber = SeqNumber(u32::MAX - 100);

#[cfg(test)]
mod tests {
    use ackless_wire::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn whatever_comes_nothing_breaks() {
        for seed in 0..20_000 {
            let mut random = Stream::new(seed, 2, Purpose::Test);
            let len = random.below(600);
            let bytes: Vec<u8> = (0..len).map(|_| random.bits() as u8).collect();
            if let Err(cause) = std::panic::catch_unwind(|| drive(&bytes)) {
                eprintln!("seed {seed}");
                std::panic::resume_unwind(cause);
            }
        }
    }
}

//! Middleboxes on the wire: what they do with TCP options that are newer than they are, and with segments whose options they do not read.
//!
//! A box stands where each direction of the wire ends. Many that networks have remove options they do not know, or drop what bears them (RFC 8684, 6), from
//! a connection's first packet on, or from a moment on at which the path changes. The options that are new here are those of TACK and the request for an ACK
//! rate; others of packets from outside, which this crate does not read, pass. Some cut segments into shorter ones and copy all options, as cards do, or draw sequence
//! numbers anew, as firewalls do (RFC 8684, 3.3: for this reason MPTCP's options do not use those of the header).

use std::collections::VecDeque;

use ackless_wire::tcp::{SackBlocks, TackOptions};
use ackless_wire::{Instant, Packet, PacketId, PacketPool, Payload, TcpFlags, TcpHeader, Transport};

use crate::config::{Direction, NewOptions, Segments, WireStep, WiredConfig, WiredLink};

/// The boxes of both directions.
#[derive(Debug, Default)]
pub struct Middlebox {
    down: Way,
    up: Way,
}

/// The box of one direction.
#[derive(Debug, Default)]
struct Way {
    options: NewOptions,
    /// What it will do later, and from when on, in order of time.
    later: VecDeque<(Instant, NewOptions)>,
    segments: Segments,
    /// What is left of the segment that has just been cut.
    rest: Option<PacketId>,
}

impl Middlebox {
    /// The boxes of a wire; none where they would never do anything.
    pub fn of(wired: &WiredConfig) -> Option<Box<Self>> {
        let way = |link: &WiredLink| Way { options: link.new_options, segments: link.segments, ..Way::default() };
        let mut boxes = Self { down: way(&wired.down), up: way(&wired.up) };
        wired.steps.iter().for_each(|step| boxes.add(step));
        let idle =
            |way: &Way| way.options == NewOptions::Pass && way.later.is_empty() && way.segments == Segments::Pass;
        (!idle(&boxes.down) || !idle(&boxes.up)).then(|| Box::new(boxes))
    }

    /// One more change, after those of the same time.
    pub fn add(&mut self, step: &WireStep) {
        let Some(options) = step.new_options else { return };
        for (direction, way) in [(Direction::Down, &mut self.down), (Direction::Up, &mut self.up)] {
            if step.direction.is_none_or(|only| only == direction) {
                let place = way.later.partition_point(|(at, _)| *at <= step.at);
                way.later.insert(place, (step.at, options));
            }
        }
    }

    /// A packet has come to the end of the wire: what goes on from there.
    ///
    /// # Errors
    /// Gives the packet back if nothing does.
    pub fn pass(
        &mut self,
        now: Instant,
        direction: Direction,
        pool: &mut PacketPool,
        packet: PacketId,
    ) -> Result<PacketId, PacketId> {
        let way = match direction {
            Direction::Down => &mut self.down,
            Direction::Up => &mut self.up,
        };
        while let Some((_, options)) = way.later.pop_front_if(|(at, _)| *at <= now) {
            way.options = options;
        }
        let mut packet = match way.options {
            NewOptions::Drop if has_new_options(pool.get(packet)) => return Err(packet),
            NewOptions::Strip if has_new_options(pool.get(packet)) => strip(pool, packet),
            NewOptions::Pass | NewOptions::Drop | NewOptions::Strip => packet,
        };
        if way.segments == Segments::Cut && is_too_long(pool.get(packet)) {
            let [first, rest] = cut(pool, packet);
            way.rest = Some(rest);
            packet = first;
        }
        let renumbers = [self.down.segments, self.up.segments].map(|segments| segments == Segments::Renumber);
        Ok(if renumbers == [false; 2] { packet } else { renumber(pool, packet, direction, renumbers) })
    }

    /// What is left of the packet that has just passed, if that was cut: it comes to the box next.
    pub const fn take_rest(&mut self, direction: Direction) -> Option<PacketId> {
        match direction {
            Direction::Down => self.down.rest.take(),
            Direction::Up => self.up.rest.take(),
        }
    }
}

fn has_new_options(packet: &Packet) -> bool {
    match &packet.transport {
        Transport::Tcp(tcp) => !tcp.options.tack.is_empty() || tcp.options.ack_rate.is_some(),
        _ => false,
    }
}

/// The packet without its new options. Nobody holds it any more but who takes it off the wire.
fn strip(pool: &mut PacketPool, packet: PacketId) -> PacketId {
    let mut stripped = pool.take(packet);
    if let Transport::Tcp(tcp) = &mut stripped.transport {
        tcp.options.tack = TackOptions::default();
        tcp.options.ack_rate = None;
    }
    pool.insert(stripped)
}

/// Whether that is a segment of more payload than a box that cuts leaves whole.
fn is_too_long(packet: &Packet) -> bool {
    let starts = packet.tcp().is_none_or(|tcp| tcp.flags.contains(TcpFlags::SYN));
    !starts && Segments::LONGEST_WHOLE.get() < packet.payload.len().into()
}

/// The first part of a segment and the rest, each with all of its options; what it ends, the rest ends, and what it tells of a window reduced, the first.
fn cut(pool: &mut PacketPool, packet: PacketId) -> [PacketId; 2] {
    let whole = pool.take(packet);
    let (len, most) = (whole.payload.len(), Segments::LONGEST_WHOLE.get() as u32);
    let part = |from: u32, to: u32, without: TcpFlags| {
        let payload = match &whole.payload {
            Payload::Data(data) => Payload::Data(data.slice(from as usize..to as usize)),
            Payload::Length(_) => Payload::Length(to - from),
        };
        let mut part = Packet { payload, ..whole.clone() };
        if let Transport::Tcp(tcp) = &mut part.transport {
            tcp.seq += from;
            tcp.flags = tcp.flags.difference(without);
        }
        part
    };
    let parts = [part(0, most, TcpFlags::FIN | TcpFlags::PSH), part(most, len, TcpFlags::CWR)];
    parts.map(|part| pool.insert(part))
}

/// The packet with the sequence numbers of whoever sends in a direction in which they are drawn anew moved, and with what it says of the other's moved back.
fn renumber(pool: &mut PacketPool, packet: PacketId, direction: Direction, [down, up]: [bool; 2]) -> PacketId {
    let (sent, heard) = match direction {
        Direction::Down => (down, up),
        Direction::Up => (up, down),
    };
    let mut changed = pool.take(packet);
    if let Transport::Tcp(tcp) = &mut changed.transport {
        if sent {
            tcp.seq += MOVED;
        }
        if heard {
            move_back(tcp);
        }
    }
    pool.insert(changed)
}

fn move_back(tcp: &mut TcpHeader) {
    let back = 0_u32.wrapping_sub(MOVED);
    if tcp.flags.contains(TcpFlags::ACK) {
        tcp.ack += back;
    }
    let mut blocks = SackBlocks::EMPTY;
    for &(left, right) in tcp.options.sack.as_slice() {
        blocks.push((left + back, right + back));
    }
    tcp.options.sack = blocks;
}

/// How far numbers are moved that are drawn anew: so that a place that is told in the wrong numbers lies amid what is out as often as not.
const MOVED: u32 = 100_000;

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use ackless_wire::ip::{IpHeader, Ipv4Header};
    use ackless_wire::tcp::{AckRate, TcpHeader};
    use ackless_wire::{BitRate, Bytes, Duration, SeqNumber};

    use super::*;

    fn wired(options: NewOptions, steps: Vec<WireStep>) -> WiredConfig {
        let link = WiredLink::clean(BitRate::from_mbps(100), Duration::ZERO, 100);
        WiredConfig {
            down: WiredLink { new_options: options, ..link },
            up: link,
            steps,
            mtu: Bytes(1500),
            down_trace: None,
            up_trace: None,
        }
    }

    fn with_segments(segments: Segments) -> WiredConfig {
        let mut wired = wired(NewOptions::Pass, vec![]);
        wired.down.segments = segments;
        wired
    }

    fn tcp(change: impl FnOnce(&mut TcpHeader)) -> Packet {
        let mut tcp = TcpHeader::new(1, 2);
        tcp.options.timestamps = Some((3, 4));
        change(&mut tcp);
        let (from, to) = (Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2));
        let ip = IpHeader::V4(Ipv4Header::new(from, to));
        Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::Length(100) }
    }

    fn news() -> [Packet; 4] {
        [
            tcp(|tcp| tcp.options.tack.permitted = true),
            tcp(|tcp| tcp.options.tack.packet_number = Some(7)),
            tcp(|tcp| tcp.options.tack.ack_type = Some(1)),
            tcp(|tcp| tcp.options.ack_rate = Some(AckRate::CAPABLE)),
        ]
    }

    #[test]
    fn a_wire_on_which_all_passes_has_no_box() {
        let step = WireStep { delay: Some(Duration::ZERO), ..WireStep::nothing(Instant::ZERO) };
        assert!(Middlebox::of(&wired(NewOptions::Pass, vec![step])).is_none());
    }

    #[test]
    fn a_box_takes_new_options_out_and_nothing_else() {
        let mut boxes = Middlebox::of(&wired(NewOptions::Strip, vec![])).expect("one stands there");
        let mut pool = PacketPool::default();
        let plain = tcp(|_| {});
        for packet in news().into_iter().chain([plain.clone()]) {
            let up = pool.insert(packet.clone());
            let passed = boxes.pass(Instant::ZERO, Direction::Up, &mut pool, up).expect("it passes");
            assert_eq!(pool.take(passed), packet, "nothing stands upwards");
            let down = pool.insert(packet);
            let passed = boxes.pass(Instant::ZERO, Direction::Down, &mut pool, down).expect("it passes");
            assert_eq!(pool.len_of(passed), plain.len());
            assert_eq!(pool.take(passed), plain);
        }
        assert_eq!(pool.live(), 0);
    }

    #[test]
    fn a_box_that_drops_lets_plain_packets_pass() {
        let mut boxes = Middlebox::of(&wired(NewOptions::Drop, vec![])).expect("one stands there");
        let mut pool = PacketPool::default();
        for packet in news() {
            let id = pool.insert(packet);
            assert_eq!(boxes.pass(Instant::ZERO, Direction::Down, &mut pool, id), Err(id));
        }
        let plain = pool.insert(tcp(|_| {}));
        assert_eq!(boxes.pass(Instant::ZERO, Direction::Down, &mut pool, plain), Ok(plain));
    }

    #[test]
    fn a_long_segment_is_cut_into_parts_that_bear_all_of_its_options() {
        let mut boxes = Middlebox::of(&with_segments(Segments::Cut)).expect("one stands there");
        let mut pool = PacketPool::default();
        let long = Packet {
            payload: Payload::Length(1_401),
            ..tcp(|tcp| {
                tcp.seq = SeqNumber(u32::MAX - 99);
                tcp.flags = TcpFlags::ACK | TcpFlags::PSH | TcpFlags::FIN;
                tcp.options.tack.packet_number = Some(7);
            })
        };
        let mut came = Vec::new();
        let mut next = Some(pool.insert(long.clone()));
        while let Some(packet) = next {
            let passed = boxes.pass(Instant::ZERO, Direction::Down, &mut pool, packet).expect("it passes");
            came.push(pool.take(passed));
            next = boxes.take_rest(Direction::Down);
        }
        let [first, second, third] = came.try_into().expect("it comes in three parts");
        let seen = [&first, &second, &third].map(|part| {
            let tcp = part.tcp().expect("it is TCP");
            (tcp.seq, part.payload.len(), tcp.flags, tcp.options)
        });
        let options = long.tcp().expect("it is TCP").options;
        let (ack, all) = (TcpFlags::ACK, TcpFlags::ACK | TcpFlags::PSH | TcpFlags::FIN);
        assert_eq!(
            seen,
            [
                (SeqNumber(u32::MAX - 99), 700, ack, options),
                (SeqNumber(600), 700, ack, options),
                (SeqNumber(1_300), 1, all, options)
            ]
        );
        let up = pool.insert(long.clone());
        let passed = boxes.pass(Instant::ZERO, Direction::Up, &mut pool, up).expect("it passes");
        assert_eq!((pool.take(passed), boxes.take_rest(Direction::Up), pool.live()), (long, None, 0));
    }

    #[test]
    fn what_is_said_of_numbers_that_are_drawn_anew_is_said_in_those_that_were_sent() {
        let mut boxes = Middlebox::of(&with_segments(Segments::Renumber)).expect("one stands there");
        let mut pool = PacketPool::default();
        let mut through = |direction, packet: Packet| {
            let id = pool.insert(packet);
            let passed = boxes.pass(Instant::ZERO, direction, &mut pool, id).expect("it passes");
            *pool.take(passed).tcp().expect("it is TCP")
        };
        let data = tcp(|tcp| (tcp.seq, tcp.ack, tcp.flags) = (SeqNumber(u32::MAX), SeqNumber(5), TcpFlags::ACK));
        let seen = through(Direction::Down, data);
        assert_eq!((seen.seq, seen.ack), (SeqNumber(MOVED - 1), SeqNumber(5)));
        let answer = tcp(|tcp| {
            (tcp.seq, tcp.ack, tcp.flags) = (SeqNumber(5), SeqNumber(MOVED - 1), TcpFlags::ACK);
            tcp.options.sack = SackBlocks::from_slice(&[(SeqNumber(MOVED + 9), SeqNumber(MOVED + 19))]);
        });
        let seen = through(Direction::Up, answer);
        assert_eq!((seen.seq, seen.ack), (SeqNumber(5), SeqNumber(u32::MAX)));
        assert_eq!(seen.options.sack.as_slice(), [(SeqNumber(9), SeqNumber(19))]);
        // A first SYN acknowledges nothing.
        let syn = tcp(|tcp| tcp.flags = TcpFlags::SYN);
        assert_eq!(through(Direction::Up, syn).ack, SeqNumber(0));
    }

    #[test]
    fn what_a_box_does_changes_at_its_time_and_in_its_direction() {
        let at = |millis, options, direction| {
            let nothing = WireStep::nothing(Instant::from_millis(millis));
            WireStep { new_options: Some(options), direction, ..nothing }
        };
        let steps = vec![at(10, NewOptions::Drop, Some(Direction::Up)), at(20, NewOptions::Pass, None)];
        let mut boxes = Middlebox::of(&wired(NewOptions::Pass, steps)).expect("one will stand there");
        let mut pool = PacketPool::default();
        let mut passes = |millis, direction| {
            let id = pool.insert(news()[1].clone());
            boxes.pass(Instant::from_millis(millis), direction, &mut pool, id).is_ok()
        };
        assert!(passes(9, Direction::Up) && passes(9, Direction::Down));
        assert!(!passes(10, Direction::Up) && passes(10, Direction::Down));
        assert!(!passes(19, Direction::Up));
        assert!(passes(20, Direction::Up) && passes(20, Direction::Down));
    }
}

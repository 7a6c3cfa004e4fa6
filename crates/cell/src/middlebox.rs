//! Middleboxes on the wire: what they do with TCP options that are newer than they are.
//!
//! A box stands where each direction of the wire ends. Many that networks have remove options they do not know, or drop what bears them (RFC 8684, 6), from
//! a connection's first packet on, or from a moment on at which the path changes. The options that are new here are those of TACK and the request for an ACK
//! rate; others of packets from outside, which this crate does not read, pass.

use std::collections::VecDeque;

use ackless_wire::tcp::TackOptions;
use ackless_wire::{Instant, Packet, PacketId, PacketPool, Transport};

use crate::config::{Direction, NewOptions, WireStep, WiredConfig, WiredLink};

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
}

impl Middlebox {
    /// The boxes of a wire; none where they would never do anything.
    pub fn of(wired: &WiredConfig) -> Option<Box<Self>> {
        let way = |link: &WiredLink| Way { options: link.new_options, later: VecDeque::new() };
        let mut boxes = Self { down: way(&wired.down), up: way(&wired.up) };
        wired.steps.iter().for_each(|step| boxes.add(step));
        let idle = |way: &Way| way.options == NewOptions::Pass && way.later.is_empty();
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
        match way.options {
            NewOptions::Pass => Ok(packet),
            NewOptions::Drop if has_new_options(pool.get(packet)) => Err(packet),
            NewOptions::Strip if has_new_options(pool.get(packet)) => Ok(strip(pool, packet)),
            NewOptions::Drop | NewOptions::Strip => Ok(packet),
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

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use ackless_wire::ip::{IpHeader, Ipv4Header};
    use ackless_wire::packet::Payload;
    use ackless_wire::tcp::{AckRate, TcpHeader};
    use ackless_wire::{BitRate, Bytes, Duration};

    use super::*;

    fn wired(options: NewOptions, steps: Vec<WireStep>) -> WiredConfig {
        let link = WiredLink::clean(BitRate::from_mbps(100), Duration::ZERO, 100);
        WiredConfig { down: WiredLink { new_options: options, ..link }, up: link, steps, mtu: Bytes(1500) }
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

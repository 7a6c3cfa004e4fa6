//! Samsung's count and timer.

use ackless_schemes::thinning::ThinningConfig;
use ackless_wire::{Duration, TcpFlags};

use super::node::{Node, Segment, ack};

/// The payload of two segments, which an ACK covers.
const TWO: u32 = 2 * 1448;

/// A connection's ACKs, one after another.
struct Acks {
    node: Node,
    number: u32,
}

impl Acks {
    /// A connection whose SYN was seen.
    fn new() -> Self {
        let mut node = Node::new(ThinningConfig::samsung());
        node.give(ack(0).syn(1460, Some(7)));
        node.send(1);
        Self { node, number: 1000 }
    }

    /// The same past its first 512 ACKs, at about this rate.
    fn at_mbps(mbps: u64) -> Self {
        let mut acks = Self::new();
        acks.run(mbps, 1_100);
        acks.node.pass_ms(10);
        acks.send_all();
        acks
    }

    fn next(&mut self) -> Segment {
        self.number = self.number.wrapping_add(TWO);
        ack(self.number).window(8000)
    }

    fn give_next(&mut self) {
        let next = self.next();
        self.node.give(next);
    }

    /// So many milliseconds at this rate. Returns how many ACKs were handed down, and how many came into the queue.
    fn run(&mut self, mbps: u64, millis: u64) -> (usize, usize) {
        let gap = Duration::from_nanos(u64::from(TWO) * 8_000 / mbps);
        let count = Duration::from_millis(millis).div_floor(gap) as usize;
        let mut sent = 0;
        for _ in 0..count {
            self.node.pass(gap);
            self.give_next();
            sent += self.send_all();
        }
        (count, sent)
    }

    fn send_all(&mut self) -> usize {
        let queued = self.node.queued().len();
        self.node.send(queued);
        queued
    }
}

#[test]
fn the_first_512_acks_go_untouched_and_later_ones_by_the_rate() {
    let mut acks = Acks::new();
    let (given, sent) = acks.run(200, 10);
    assert_eq!(given, sent);
    acks.run(200, 1_000);
    assert_eq!(acks.node.counters().forwarded_slow_start, 512);
    let (given, sent) = acks.run(200, 500);
    assert_eq!(given / sent, 20, "one of twenty from 100 Mbps on: {given} and {sent}");
}

#[test]
fn the_steps_are_those_of_the_driver() {
    // Between two ACKs must be less than 4 ms, or the timer sends each: 2 * 1448 bytes are that at 5.8 Mbps.
    for (mbps, count) in [(10, 10), (50, 16), (150, 20)] {
        let mut acks = Acks::at_mbps(mbps.max(50));
        acks.run(mbps, 1_500);
        let (given, sent) = acks.run(mbps, 2_000);
        assert!(given.abs_diff(sent * count) <= count, "{mbps} Mbps: {sent} of {given}");
    }
    let mut acks = Acks::at_mbps(50);
    acks.run(50, 100);
    let slow = acks.run(1, 3_000);
    assert!(slow.0.abs_diff(slow.1) <= 1 && acks.node.counters().sent_by_timer > 0, "each waits its 4 ms: {slow:?}");
}

#[test]
fn the_timer_runs_from_the_last_one_that_came() {
    let mut acks = Acks::at_mbps(50);
    acks.give_next();
    acks.node.pass_ms(3);
    acks.give_next();
    acks.node.pass_ms(3);
    assert!(acks.node.queued().is_empty(), "6 ms after the first");
    acks.node.pass_ms(1);
    assert_eq!((acks.node.queued(), acks.node.held()), (vec![acks.number], 0));
}

#[test]
fn what_is_more_than_an_ack_goes_at_once_and_ends_what_is_held() {
    for (what, more) in [
        ("data", ack(0).data(10)),
        ("push", ack(0).flags(TcpFlags::PSH)),
        ("echo", ack(0).flags(TcpFlags::ECE)),
        ("FIN", ack(0).flags(TcpFlags::FIN)),
        ("SACK", ack(0).sack(&[(90_000, 91_000)])),
    ] {
        let mut acks = Acks::at_mbps(50);
        acks.give_next();
        assert_eq!(acks.node.held(), 1, "{what}");
        let mut more = more;
        more.tcp.ack = acks.next().tcp.ack;
        acks.node.give(more);
        assert_eq!((acks.node.queued(), acks.node.held()), (vec![acks.number], 0), "{what}");
    }
}

#[test]
fn duplicate_acks_go_at_once() {
    let mut acks = Acks::at_mbps(50);
    acks.give_next();
    let same = ack(acks.number).window(8000);
    acks.node.give_all([same; 3]);
    assert_eq!(
        (acks.node.queued(), acks.node.held()),
        (vec![acks.number; 3], 0),
        "the first was held, and ended with the second"
    );
    assert_eq!(acks.node.counters().forwarded_duplicate, 3);
}

#[test]
fn an_older_ack_passes_what_is_held() {
    let mut acks = Acks::at_mbps(50);
    acks.give_next();
    acks.node.give(ack(acks.number - 10));
    assert_eq!((acks.node.queued().len(), acks.node.held(), acks.node.counters().forwarded_older), (1, 1, 1));
}

#[test]
fn sack_blocks_switch_it_off_for_512_acks() {
    let mut acks = Acks::at_mbps(50);
    let next = acks.next().sack(&[(90_000, 91_000)]);
    acks.node.give(next);
    let before = acks.node.counters().forwarded_slow_start;
    for _ in 0..512 {
        acks.give_next();
    }
    assert_eq!((acks.node.held(), acks.node.counters().forwarded_slow_start - before), (0, 512));
    acks.give_next();
    assert_eq!(acks.node.held(), 1);
}

#[test]
fn an_ack_of_more_than_two_segments_goes_at_once() {
    let mut acks = Acks::at_mbps(50);
    acks.number += TWO;
    acks.give_next();
    assert_eq!((acks.node.queued().len(), acks.node.counters().forwarded_delayed), (1, 1));
}

#[test]
fn a_small_window_limits_the_count() {
    // 65,535 bytes, unscaled: a fifth of them are four pairs of segments.
    let mut node = Node::new(ThinningConfig::samsung());
    node.give(ack(0).syn(1460, None));
    let mut acks = Acks { node, number: 1000 };
    acks.send_all();
    let give = |acks: &mut Acks| {
        acks.number += TWO;
        acks.node.give(ack(acks.number).window(65_535));
        acks.node.pass(Duration::from_micros(400));
        acks.send_all()
    };
    for _ in 0..2_000 {
        give(&mut acks);
    }
    let sent: usize = (0..400).map(|_| give(&mut acks)).sum();
    assert_eq!((sent, acks.node.counters().window_capped), (100, 1));
}

#[test]
fn a_connection_whose_syn_was_not_seen_is_left_alone() {
    let mut node = Node::new(ThinningConfig::samsung());
    node.give_all((1..600).map(|n| ack(n * TWO)));
    assert_eq!((node.queued().len(), node.counters().no_record), (599, 599));
}

#[test]
fn sixteen_connections_have_room_until_one_ends_or_is_silent() {
    let mut node = Node::new(ThinningConfig::samsung());
    let syn = |flow| ack(0).syn(1460, None).flow(flow);
    node.give_all((0..17).map(syn));
    assert_eq!(node.counters().table_full, 1);
    node.give_all([ack(5).flow(3).flags(TcpFlags::FIN), syn(16)]);
    assert_eq!(node.counters().table_full, 1, "a FIN made room");
    node.pass_ms(10_000);
    node.give(syn(17));
    assert_eq!((node.counters().table_full, node.counters().records_recovered), (1, 16));
}

#[test]
fn the_next_connection_on_the_same_ports_begins_anew() {
    let mut acks = Acks::at_mbps(50);
    acks.give_next();
    acks.node.give(ack(0).syn(1460, Some(7)));
    assert_eq!((acks.node.held(), acks.node.counters().ended_with_connection), (0, 1));
    acks.send_all();
    acks.number = 5;
    acks.give_next();
    assert_eq!(acks.node.held(), 0, "slow start again");
}

#[test]
fn numbers_wrap() {
    let mut acks = Acks::new();
    acks.number = u32::MAX - 1_000 * TWO;
    acks.run(50, 2_000);
    assert!(acks.number < u32::MAX / 2, "the wrap is behind");
    let (given, sent) = acks.run(50, 500);
    assert!(given.abs_diff(sent * 16) <= 16, "{sent} of {given}");
    assert_eq!(acks.node.counters().forwarded_older, 0);
}

#[test]
fn ipv6_is_left_alone() {
    let mut node = Node::new(ThinningConfig::samsung());
    node.give_all([ack(0).syn(1460, None).v6(), ack(5).v6()]);
    assert_eq!((node.queued().len(), node.counters().not_ipv4), (2, 2));
}

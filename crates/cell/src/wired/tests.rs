//! Times to the nanosecond, the buffer, and what chance does.

use ackless_wire::ip::Ipv4Header;
use ackless_wire::random::Purpose;
use ackless_wire::{BitRate, Duration, IpHeader, Packet, PacketId, PacketPool, Payload, TcpHeader, Transport};

use super::*;
use crate::config::Probability;

/// A link at 500 Mbps with 1 ms of delay, on which 1,500 bytes take 24 us.
fn config() -> WiredLink {
    WiredLink::clean(BitRate::from_mbps(500), Duration::from_millis(1), 10_000)
}

fn wired(config: WiredLink, seed: u64) -> Wired<PacketId> {
    Wired::new(config, Stream::new(seed, 0, Purpose::Test))
}

fn chance(p: f64) -> Probability {
    Probability::new(p).expect("a probability")
}

/// `n` packets, told apart by their names alone.
fn packets(n: usize) -> Vec<PacketId> {
    let mut pool = PacketPool::default();
    let packet = Packet {
        ip: IpHeader::V4(Ipv4Header::new([10, 0, 0, 1].into(), [10, 0, 0, 2].into())),
        transport: Transport::Tcp(TcpHeader::new(1, 2)),
        payload: Payload::EMPTY,
    };
    (0..n).map(|_| pool.insert(packet.clone())).collect()
}

/// Everything that arrives, with its time, woken only when the link says so.
fn arrivals(link: &mut Wired<PacketId>) -> Vec<(u64, PacketId)> {
    let mut arrived = Vec::new();
    while let Some(now) = link.poll_timeout() {
        assert_eq!(link.pop(now - Duration::from_nanos(1)), None, "not before its time");
        while let Some(packet) = link.pop(now) {
            arrived.push((now.as_nanos(), packet));
        }
    }
    arrived
}

#[test]
fn packets_leave_one_after_another_and_arrive_a_delay_later() {
    let mut link = wired(config(), 1);
    let ids = packets(4);
    for &id in &ids[..3] {
        assert_eq!(link.push(Instant::from_micros(5), id, Bytes(1500)), Ok(()));
    }
    // The link has been free since 77 us.
    assert_eq!(link.push(Instant::from_micros(100), ids[3], Bytes(40)), Ok(()));
    let expected = [1_029_000, 1_053_000, 1_077_000, 1_100_640];
    assert_eq!(arrivals(&mut link), expected.into_iter().zip(ids).collect::<Vec<_>>());
}

#[test]
fn a_time_that_is_no_whole_nanosecond_is_rounded_up() {
    let mut link = wired(WiredLink { rate: BitRate::from_mbps(3), delay: Duration::ZERO, ..config() }, 1);
    let ids = packets(2);
    for &id in &ids {
        assert_eq!(link.push(Instant::ZERO, id, Bytes(1)), Ok(()));
    }
    assert_eq!(arrivals(&mut link), [(2_667, ids[0]), (5_334, ids[1])]);
}

#[test]
fn the_buffer_holds_those_that_wait_and_not_the_one_being_sent() {
    let mut link = wired(WiredLink { buffer: WireBuffer::Packets(2), ..config() }, 1);
    let ids = packets(5);
    for &id in &ids[..3] {
        assert_eq!(link.push(Instant::ZERO, id, Bytes(1500)), Ok(()));
    }
    assert_eq!(link.push(Instant::ZERO, ids[3], Bytes(1500)), Err(ids[3]));
    assert_eq!(link.push(Instant::from_nanos(23_999), ids[3], Bytes(1500)), Err(ids[3]));
    assert!(link.has_room(Instant::from_micros(24)), "the first has left, the second is being sent");
    assert_eq!(link.push(Instant::from_micros(24), ids[4], Bytes(1500)), Ok(()));
    assert_eq!(arrivals(&mut link).len(), 4);
}

#[test]
fn losses_come_at_their_rate_and_take_up_the_link() {
    let mut link = wired(
        WiredLink { loss: chance(0.1), delay: Duration::ZERO, buffer: WireBuffer::Packets(100_000), ..config() },
        3,
    );
    let ids = packets(100_000);
    let lost = ids.iter().filter(|&&id| link.push(Instant::ZERO, id, Bytes(1500)).is_err()).count();
    // The standard deviation is 95.
    assert!(lost.abs_diff(10_000) < 400, "{lost} of 100,000 lost");
    let arrived = arrivals(&mut link);
    assert_eq!(arrived.len(), 100_000 - lost);
    assert!(arrived.iter().all(|(at, id)| *at == 24_000 * (1 + position(&ids, *id))), "lost ones are sent too");
}

#[test]
fn the_link_wakes_although_all_is_lost() {
    let mut link = wired(WiredLink { loss: chance(1.0), ..config() }, 1);
    let id = packets(1)[0];
    assert_eq!(link.push(Instant::ZERO, id, Bytes(1500)), Err(id));
    assert_eq!(link.poll_timeout(), Some(Instant::from_micros(1_024)));
    assert_eq!(link.pop(Instant::from_micros(1_024)), None);
    assert_eq!(link.poll_timeout(), None);
}

#[test]
fn a_held_packet_is_overtaken_by_those_of_its_extra_delay_and_no_others() {
    // Held by 100 us, four packets of 24 us overtake it, if they are not held themselves.
    let reordered = WiredLink { reorder: chance(0.05), reorder_delay: Duration::from_micros(100), ..config() };
    let mut link = wired(reordered, 5);
    let ids = packets(10_000);
    for &id in &ids {
        assert_eq!(link.push(Instant::ZERO, id, Bytes(1500)), Ok(()));
    }
    let arrived = arrivals(&mut link);
    let mut held = 0;
    for &(at, id) in &arrived {
        let direct = 24_000 * (1 + position(&ids, id)) + 1_000_000;
        assert!(at == direct || at == direct + 100_000, "{at}");
        held += u32::from(at > direct);
    }
    // The standard deviation is 22.
    assert!(held.abs_diff(500) < 90, "{held} of 10,000 held");
    assert!(arrived.is_sorted_by_key(|(at, _)| *at));
    let mut all: Vec<PacketId> = arrived.iter().map(|(_, id)| *id).collect();
    all.sort();
    assert_eq!(all, ids, "each arrives once");
    let furthest = arrived.iter().enumerate().map(|(place, (_, id))| (place as u64).abs_diff(position(&ids, *id)));
    assert_eq!(furthest.max(), Some(4));
}

#[test]
fn the_same_seed_loses_and_holds_the_same_packets() {
    let uncertain =
        WiredLink { loss: chance(0.2), reorder: chance(0.2), reorder_delay: Duration::from_micros(50), ..config() };
    let ids = packets(1_000);
    let run = |seed| {
        let mut link = wired(uncertain, seed);
        let taken: Vec<bool> = ids.iter().map(|&id| link.push(Instant::ZERO, id, Bytes(900)).is_ok()).collect();
        (taken, arrivals(&mut link))
    };
    assert_eq!(run(8), run(8));
    assert_ne!(run(8), run(9));
}

#[test]
fn a_buffer_in_bytes_holds_what_waits_up_to_its_size_and_the_rest_of_the_last_packet() {
    let mut link = wired(WiredLink { buffer: WireBuffer::Bytes(Bytes(2_000)), ..config() }, 1);
    let ids = packets(6);
    for (&id, len) in ids.iter().zip([1_500, 1_500, 1_500]) {
        assert_eq!(link.push(Instant::ZERO, id, Bytes(len)), Ok(()), "one is being sent, and 1,500 bytes wait");
    }
    assert_eq!(link.push(Instant::ZERO, ids[3], Bytes(40)), Err(ids[3]), "3,000 bytes wait");
    assert!(link.has_room(Instant::from_micros(24)), "1,500 bytes wait");
    assert_eq!(link.push(Instant::from_micros(24), ids[3], Bytes(500)), Ok(()));
    assert_eq!(link.push(Instant::from_micros(24), ids[4], Bytes(40)), Err(ids[4]), "2,000 bytes wait");
    assert_eq!(arrivals(&mut link).len(), 4);
}

#[test]
fn jitter_lies_between_nothing_and_its_greatest_and_keeps_the_order() {
    let jitter = Duration::from_micros(100);
    let mut link = wired(WiredLink { jitter, ..config() }, 4);
    let ids = packets(2_000);
    let mut added = Vec::new();
    for (n, &id) in ids.iter().enumerate() {
        // Far enough apart that no packet waits for the one before it.
        assert_eq!(link.push(Instant::from_millis(n as u64), id, Bytes(1500)), Ok(()));
    }
    for (n, (at, id)) in arrivals(&mut link).into_iter().enumerate() {
        assert_eq!(id, ids[n]);
        added.push(at - (n as u64 * 1_000_000 + 1_024_000));
    }
    let (most, mean) = (jitter.as_nanos(), added.iter().sum::<u64>() / 2_000);
    assert!(added.iter().all(|&span| span <= most));
    // The standard deviation of the mean is 645 ns.
    assert!(mean.abs_diff(most / 2) < 3_000, "{mean}");
    let mut close = wired(WiredLink { jitter, ..config() }, 4);
    for &id in &ids {
        assert_eq!(close.push(Instant::ZERO, id, Bytes(1500)), Ok(()));
    }
    assert!(arrivals(&mut close).into_iter().map(|(_, id)| id).eq(ids), "nothing is overtaken");
}

#[test]
fn jitter_that_reorders_delivers_each_packet_once_at_its_own_time() {
    let jitter = Duration::from_micros(100);
    let mut link = wired(WiredLink { jitter, jitter_reorders: true, ..config() }, 6);
    let ids = packets(2_000);
    for &id in &ids {
        assert_eq!(link.push(Instant::ZERO, id, Bytes(1500)), Ok(()));
    }
    let arrived = arrivals(&mut link);
    assert!(arrived.is_sorted_by_key(|(at, _)| *at));
    for &(at, id) in &arrived {
        let direct = 24_000 * (1 + position(&ids, id)) + 1_000_000;
        assert!((direct..=direct + 100_000).contains(&at), "{at}");
    }
    assert!(!arrived.iter().map(|(_, id)| *id).is_sorted(), "some are overtaken");
    let mut all: Vec<PacketId> = arrived.into_iter().map(|(_, id)| id).collect();
    all.sort();
    assert_eq!(all, ids);
}

#[test]
fn a_step_of_the_rate_holds_for_the_rest_of_the_packet_that_is_being_sent() {
    // 1,500 bytes take 24 us at first, and 120 us from 36 us on.
    let slower = step(Duration::from_micros(36), Some(BitRate::from_mbps(100)), None);
    let mut link = wired(WiredLink { delay: Duration::ZERO, ..config() }, 1).changing(&[slower], Direction::Down);
    let ids = packets(4);
    for &id in &ids {
        assert_eq!(link.push(Instant::ZERO, id, Bytes(1500)), Ok(()));
    }
    let at: Vec<u64> = arrivals(&mut link).into_iter().map(|(at, _)| at).collect();
    assert_eq!(at, [24_000, 96_000, 216_000, 336_000], "half of the second goes at the old rate");
}

#[test]
fn a_step_concerns_what_leaves_after_it_in_its_direction_and_lets_nothing_overtake() {
    let millis = Duration::from_millis;
    let nearer = step(millis(5), None, Some(Duration::from_micros(100)));
    let up = WireStep { direction: Some(Direction::Up), ..step(Duration::ZERO, Some(BitRate::from_mbps(1)), None) };
    let lossy = WireStep { loss: Some(chance(1.0)), ..step(millis(20), None, None) };
    let config = WiredLink { delay: millis(10), ..config() };
    let mut link = wired(config, 1).changing(&[up, nearer, lossy], Direction::Down);
    let ids = packets(4);
    assert_eq!(link.push(Instant::from_millis(0), ids[0], Bytes(1500)), Ok(()));
    assert_eq!(link.push(Instant::from_millis(5), ids[1], Bytes(1500)), Ok(()));
    assert_eq!(link.push(Instant::from_millis(12), ids[2], Bytes(1500)), Ok(()));
    assert_eq!(link.push(Instant::from_millis(20), ids[3], Bytes(1500)), Err(ids[3]), "from here on all is lost");
    let expected = [(10_024_000, ids[0]), (10_024_000, ids[1]), (12_124_000, ids[2])];
    assert_eq!(arrivals(&mut link), expected);
}

#[test]
fn a_change_behind_a_backlog_does_not_undo_a_step_that_comes_later() {
    // 100 packets keep the link busy until 2.4 ms, past the step, which is taken up early for them.
    let (slow, near) = (Some(BitRate::from_mbps(100)), Some(Duration::from_micros(100)));
    let known = step(Duration::from_millis(1), slow, near);
    let mut link = wired(config(), 1).changing(&[known], Direction::Down);
    let ids = packets(103);
    for &id in &ids[..100] {
        assert_eq!(link.push(Instant::ZERO, id, Bytes(1500)), Ok(()));
    }
    // 41 packets and two thirds of one leave before the step, the others take 120 us each.
    let free = 1_040_000 + 58 * 120_000;
    assert_eq!(link.free_at().as_nanos(), free);
    let at = |micros, rate, delay| step(Duration::from_micros(micros), rate, delay);
    link.insert(at(500, Some(BitRate::from_mbps(10)), Some(Duration::from_millis(50))));
    assert_eq!(link.push(Instant::from_micros(500), ids[100], Bytes(1500)), Ok(()));
    assert_eq!(link.free_at().as_nanos(), free + 120_000, "the step is later");
    link.insert(at(1_000, Some(BitRate::from_mbps(50)), None));
    assert_eq!(link.push(Instant::from_micros(1_000), ids[101], Bytes(1500)), Ok(()));
    assert_eq!(link.free_at().as_nanos(), free + 360_000, "of the same time, the change has come after the step");
    link.insert(at(2_000, None, Some(Duration::from_millis(20))));
    assert_eq!(link.push(Instant::from_micros(2_000), ids[102], Bytes(1500)), Ok(()));
    let arrived = arrivals(&mut link);
    let of_last: Vec<u64> = arrived[100..].iter().map(|(at, _)| *at).collect();
    assert_eq!(
        of_last,
        [free + 220_000, free + 460_000, free + 20_600_000],
        "the delays are the step's, the step's, and the last change's"
    );
}

#[test]
fn whatever_waits_what_was_changed_last_holds_in_the_end() {
    for seed in 0..200 {
        let mut chosen = Stream::new(seed, 1, Purpose::Test);
        let mut any = |most: u64| chosen.below(most + 1);
        let mut change = |at: u64| {
            let rate = (any(1) == 1).then(|| BitRate::from_mbps(10 + any(90)));
            let delay = (any(1) == 1).then(|| Duration::from_micros(any(900)));
            step(Duration::from_micros(at), rate, delay)
        };
        let mut times: Vec<u64> = (0..6).map(|n| (seed * 7_919 + n * 104_729) % 5_000).collect();
        times.sort_unstable();
        let known: Vec<WireStep> = times.iter().map(|&at| change(at)).collect();
        let mut link = wired(config(), seed).changing(&known, Direction::Down);
        let mut all = known;
        let ids = packets(101);
        for (n, &id) in ids[..100].iter().enumerate() {
            let now = n as u64 * 50;
            assert_eq!(link.push(Instant::from_micros(now), id, Bytes(1500)), Ok(()));
            if n % 9 == 8 {
                let later = change(now);
                link.insert(later);
                all.push(later);
            }
        }
        // Sorted stably: of one time, known steps come first.
        all.sort_by_key(|step| step.at);
        let last = |told: fn(&WireStep) -> Option<u64>, first| all.iter().rev().find_map(told).unwrap_or(first);
        let rate = last(|step| step.rate.map(BitRate::bps), 500_000_000);
        let delay = last(|step| step.delay.map(Duration::as_nanos), 1_000_000);
        arrivals(&mut link);
        let now = Instant::from_millis(1_000);
        assert_eq!(link.push(now, ids[100], Bytes(1500)), Ok(()));
        let expected = BitRate::from_bps(rate).time_ceil(Bytes(1500)).as_nanos() + delay;
        assert_eq!(arrivals(&mut link), [(now.as_nanos() + expected, ids[100])], "seed {seed}");
    }
}

/// A change of both directions.
fn step(after: Duration, rate: Option<BitRate>, delay: Option<Duration>) -> WireStep {
    WireStep { rate, delay, ..WireStep::nothing(Instant::ZERO + after) }
}

fn position(ids: &[PacketId], id: PacketId) -> u64 {
    ids.binary_search(&id).expect("packets are named in ascending order") as u64
}

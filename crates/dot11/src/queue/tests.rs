//! The queues as a whole: what goes in comes out, is dropped or is withdrawn; and fairness among flows.

use ackless_wire::ip::Ipv4Header;
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Duration, IpHeader, Packet, PacketPool, Payload, TcpHeader, Transport};

use super::*;
use crate::frame::Tid;

/// A packet in a queue with this handle and length. All share one packet: what is followed here is the handle.
pub(crate) fn item(handle: u32, len: u64, enqueued: Instant) -> Queued {
    let packet = PacketPool::default().insert(Packet {
        ip: IpHeader::V4(Ipv4Header::new([10, 0, 0, 1].into(), [10, 0, 0, 2].into())),
        transport: Transport::Tcp(TcpHeader::new(1, 2)),
        payload: Payload::EMPTY,
    });
    let content = Content { packet, len: Bytes(len), payload_len: Bytes(len.saturating_sub(52)), tcp_ack: false };
    let options = SendOptions {
        receiver: NodeId(1),
        destination: NodeId(1),
        source: NodeId(0),
        ds: Ds::FromAp,
        kind: MpduKind::QosData(Tid(0)),
        ack_policy: AckPolicy::Normal,
        rate: None,
    };
    Queued::new(enqueued, NodeId(0), content, FrameHandle(handle), options)
}

fn handles(queue: &mut TxQueue, n: usize) -> Vec<u32> {
    (0..n).map_while(|_| queue.pop(Instant::ZERO, |_| None)).map(|item| item.mpdu.handle.0).collect()
}

fn fq(limit: usize) -> TxQueue {
    TxQueue::new(QueueConfig::FqCodel(FqCodelConfig { limit, ..FqCodelConfig::RFC_8290 }))
}

#[test]
fn a_fifo_drops_what_arrives_when_it_is_full() {
    let mut queue = TxQueue::new(QueueConfig::Fifo { packets: 3 });
    let mut dropped = Vec::new();
    for handle in 0..5 {
        queue.push(item(handle, 100, Instant::ZERO), 0, |victim| dropped.push(victim.mpdu.handle.0));
    }
    assert_eq!(dropped, [3, 4]);
    assert_eq!(handles(&mut queue, 9), [0, 1, 2]);
}

#[test]
fn flows_share_bytes_and_not_packets() {
    let mut queue = fq(10_000);
    let mut sent = [0; 2];
    for handle in 0..3_000 {
        queue.push(item(2 * handle, 1500, Instant::ZERO), 7, |_| {});
        queue.push(item(2 * handle + 1, 300, Instant::ZERO), 8, |_| {});
    }
    for _ in 0..2_400 {
        let item = queue.pop(Instant::ZERO, |_| None).expect("both flows wait");
        sent[(item.mpdu.handle.0 % 2) as usize] += item.mpdu.packet_len.get();
    }
    assert!(sent[0].abs_diff(sent[1]) <= 2 * 1514, "{sent:?}");
}

#[test]
fn a_sparse_flow_goes_before_a_standing_queue_but_not_twice_in_a_round() {
    let mut queue = fq(1_000);
    for handle in 0..100 {
        queue.push(item(handle, 500, Instant::ZERO), 1, |_| {});
    }
    // 4 x 500 bytes use up the first quantum of 1514; the second has 528 bytes left after one more packet.
    assert_eq!(handles(&mut queue, 5), [0, 1, 2, 3, 4]);
    queue.push(item(1000, 100, Instant::ZERO), 2, |_| {});
    assert_eq!(handles(&mut queue, 2), [1000, 5]);
    queue.push(item(1001, 100, Instant::ZERO), 2, |_| {});
    assert_eq!(handles(&mut queue, 3), [6, 1001, 7], "it waits until the standing flow has used its quantum");
}

#[test]
fn an_overflow_cuts_the_fattest_flow_at_its_head() {
    let mut queue = fq(10);
    let mut dropped = Vec::new();
    for handle in 0..8 {
        queue.push(item(handle, 1500, Instant::ZERO), 1, |victim| dropped.push(victim.mpdu.handle.0));
    }
    for handle in 100..104 {
        queue.push(item(handle, 1500, Instant::ZERO), 2, |victim| dropped.push(victim.mpdu.handle.0));
    }
    assert_eq!(dropped, [0, 1]);
    assert_eq!(queue.len(), 10);
}

#[test]
fn what_may_be_marked_is_sent_where_it_would_be_dropped() {
    // 1,500 bytes each millisecond into a queue that stands at 50 ms: marked after the first interval, then ever more often, and none is lost.
    let mut queue = fq(10_000);
    for handle in 0..50 {
        queue.push(item(handle, 1500, Instant::ZERO), 1, |_| {});
    }
    let (mut marked, mut sent) = (Vec::new(), 0);
    for millis in 0..1_000 {
        let now = Instant::from_millis(millis);
        queue.push(item(50 + millis as u32, 1500, now), 1, |_| {});
        let head = queue.peek().map(|item| item.mpdu.handle);
        let next = queue.pop(now, |victim| {
            marked.push(millis);
            Some(victim)
        });
        assert_eq!(next.map(|item| item.mpdu.handle), head, "at {millis} ms");
        sent += usize::from(next.is_some());
    }
    assert_eq!((sent, queue.len()), (1_000, 50));
    // The delay exceeds the target from the sixth packet on; marks then follow the control law: 100, 70.7, 57.7, 50, ... ms apart.
    assert_eq!(marked[..5], [105, 205, 276, 334, 384]);
}

#[test]
fn a_flow_that_codel_cuts_spares_the_others() {
    let mut queue = fq(10_000);
    let mut dropped = Vec::new();
    let mut handle = 0;
    for millis in 0..1_000 {
        let now = Instant::from_millis(millis);
        for _ in 0..3 {
            queue.push(item(2 * handle, 1500, now), 1, |_| {});
            handle += 1;
        }
        // Not before the standing flow has ceased to be new.
        if millis % 10 == 5 {
            queue.push(item(2 * handle + 1, 100, now), 2, |_| {});
        }
        let sent = queue.pop(now, |victim| {
            dropped.push(victim.mpdu.handle.0);
            None
        });
        let sent = sent.expect("the queue stands");
        assert!(
            sent.mpdu.handle.0.is_multiple_of(2) || sent.enqueued + Duration::from_millis(1) >= now,
            "a sparse packet waits"
        );
    }
    assert!(dropped.len() > 10 && dropped.iter().all(|handle| handle.is_multiple_of(2)), "{dropped:?}");
}

#[test]
fn flows_numbered_in_turn_do_not_collide() {
    let mut queue = fq(1_000);
    for flow in 0..300 {
        queue.push(item(2 * flow, 1500, Instant::ZERO), flow, |_| {});
        queue.push(item(2 * flow + 1, 1500, Instant::ZERO), flow, |_| {});
    }
    // Each flow's first packet goes, and its deficit of 14 bytes lets the second follow at once.
    let first: Vec<u32> = handles(&mut queue, 600);
    assert_eq!(first, (0..600).collect::<Vec<_>>());
}

#[test]
fn every_packet_leaves_once_and_the_counts_agree() {
    for seed in 0..300 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let limit = 1 + random.below(60) as usize;
        let mut queue = match random.below(3) {
            0 => TxQueue::new(QueueConfig::Fifo { packets: limit }),
            1 => fq(limit),
            _ => TxQueue::new(QueueConfig::FqCodel(FqCodelConfig { limit, ..FqCodelConfig::MAC80211 })),
        };
        let (mut now, mut inside) = (Instant::ZERO, std::collections::BTreeMap::new());
        for handle in 0..3_000 {
            now += Duration::from_micros(random.below(4_000));
            match random.below(9) {
                8 => {
                    let (wanted, other) =
                        (random.below(u64::from(handle) + 1) as u32, item(0, 40 + random.below(1_460), now));
                    let content = Content {
                        packet: other.mpdu.packet,
                        len: other.mpdu.packet_len,
                        payload_len: Bytes::ZERO,
                        tcp_ack: true,
                    };
                    let exchanged = queue.exchange(FrameHandle(wanted), content);
                    assert_eq!(exchanged.is_some(), inside.contains_key(&wanted), "seed {seed}: {wanted}");
                    inside.entry(wanted).and_modify(|len| *len = other.mpdu.packet_len);
                }
                0..4 => {
                    let item = item(handle, 40 + random.below(1_460), now);
                    inside.insert(handle, item.mpdu.packet_len);
                    queue.push(item, random.below(5) as u32, |victim| leave(&mut inside, &victim, seed));
                }
                4..=6 => {
                    let expected = queue.peek().map(|item| item.mpdu.handle);
                    let mut dropped = 0;
                    // Even handles are of packets that may be marked.
                    let sent = queue.pop(now, |victim| {
                        dropped += 1;
                        if seed.is_multiple_of(2) && victim.mpdu.handle.0.is_multiple_of(2) {
                            return Some(victim);
                        }
                        leave(&mut inside, &victim, seed);
                        None
                    });
                    if dropped == 0 {
                        assert_eq!(
                            sent.map(|item| item.mpdu.handle),
                            expected,
                            "seed {seed}: peek tells what pop gives"
                        );
                    }
                    if let Some(sent) = sent {
                        leave(&mut inside, &sent, seed);
                    }
                }
                _ => {
                    let wanted = random.below(u64::from(handle) + 1) as u32;
                    let withdrawn = queue.withdraw(FrameHandle(wanted));
                    assert_eq!(withdrawn.is_some(), inside.contains_key(&wanted), "seed {seed}: {wanted}");
                    if let Some(item) = withdrawn {
                        assert_eq!(item.mpdu.handle, FrameHandle(wanted));
                        leave(&mut inside, &item, seed);
                    }
                }
            }
            assert_eq!(queue.len(), inside.len(), "seed {seed}");
            assert_eq!(queue.bytes(), inside.values().copied().sum(), "seed {seed}");
            assert!(queue.len() <= limit, "seed {seed}");
        }
        while let Some(sent) = queue.pop(now, |victim| {
            leave(&mut inside, &victim, seed);
            None
        }) {
            leave(&mut inside, &sent, seed);
        }
        assert!(inside.is_empty() && queue.is_empty(), "seed {seed}: {inside:?}");
    }
}

fn leave(inside: &mut std::collections::BTreeMap<u32, Bytes>, item: &Queued, seed: u64) {
    let len = inside.remove(&item.mpdu.handle.0);
    assert_eq!(len, Some(item.mpdu.packet_len), "seed {seed}: {:?} leaves once", item.mpdu.handle);
}

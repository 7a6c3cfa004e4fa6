//! What the AP has acknowledged is not lost.

use ackless_dot11::hooks::Verdict;
use ackless_schemes::fast_ack::FastAckConfig;
use ackless_wire::{SeqNumber, TcpFlags, TcpHeader};

use super::ap::{Ap, LEN};

#[test]
fn what_the_mac_gave_up_is_sent_again_at_the_first_duplicate() {
    let mut ap = Ap::connected();
    ap.data(0..3);
    ap.give_up();
    ap.deliver(2);
    assert!(ap.upstream().is_empty(), "the first is missing");
    assert_eq!(ap.sack(0, &[(1, 2)]), Verdict::Swallow);
    assert_eq!((ap.queued(), ap.counters().repaired_given_up), (vec![0], 1));
    assert_eq!(ap.sack(0, &[(1, 3)]), Verdict::Swallow, "it is under way");
    assert_eq!((ap.queued(), ap.counters().duplicates_awaited), (vec![0], 1));
    ap.deliver(1);
    assert_eq!(ap.upstream_acks(), [3]);
    ap.ack(3);
    assert_eq!(ap.live(), 0);
}

#[test]
fn what_the_client_lost_behind_its_mac_is_sent_again_at_the_third_duplicate() {
    for with_sack in [true, false] {
        let mut ap = Ap::connected();
        ap.data(0..5);
        ap.deliver(5);
        assert_eq!(ap.upstream_acks(), [1, 2, 3, 4, 5]);
        assert_eq!(ap.ack(1), Verdict::Swallow);
        for more in 1..=3 {
            assert!(ap.queued().is_empty());
            let blocks = [(2, 2 + more)];
            assert_eq!(ap.sack(1, if with_sack { &blocks } else { &[] }), Verdict::Swallow);
        }
        assert_eq!((ap.queued(), ap.counters().repaired_delivered), (vec![1], 1));
        ap.deliver(1);
        assert_eq!(ap.ack(1), Verdict::Swallow, "an old duplicate");
        assert_eq!((ap.queued(), ap.counters().duplicates_ignored), (vec![], 3));
        assert_eq!(ap.ack(5), Verdict::Swallow);
        assert!(ap.upstream().is_empty() && ap.live() == 0, "the server never heard of it");
    }
}

#[test]
fn sack_blocks_tell_of_several_holes() {
    let mut ap = Ap::connected();
    ap.data(0..7);
    ap.deliver(7);
    ap.upstream();
    for (blocks, queued) in [
        (vec![(1, 2)], vec![]),
        (vec![(4, 5), (1, 2)], vec![0]),
        (vec![(4, 6), (1, 2)], vec![0, 2]),
        (vec![(4, 7), (1, 2)], vec![0, 2, 3]),
    ] {
        ap.sack(0, &blocks);
        assert_eq!(ap.queued(), queued, "three deliveries later");
    }
    ap.deliver(3);
    ap.ack(7);
    assert_eq!(ap.live(), 0);
}

#[test]
fn a_hole_that_came_from_the_wire_is_the_servers_to_fill() {
    let mut ap = Ap::connected();
    ap.data([0, 2, 3]);
    ap.deliver(3);
    assert_eq!(ap.upstream_acks(), [1]);
    assert_eq!(ap.ack(1), Verdict::Swallow);
    ap.upstream();
    for blocks in [[(2, 3)], [(2, 4)]] {
        assert_eq!(ap.sack(1, &blocks), Verdict::Pass);
    }
    let duplicates = ap.upstream();
    assert!(duplicates.iter().all(|tcp| tcp.ack == ap.byte(1) && !tcp.options.sack.is_empty()));
    assert_eq!((duplicates.len(), ap.counters().passed_duplicate), (2, 2));
    ap.data([1]);
    ap.deliver(1);
    assert_eq!(ap.upstream_acks(), [4], "all that waited behind it");
    ap.ack(4);
    assert_eq!(ap.live(), 0);
}

#[test]
fn three_duplicates_of_a_client_without_sack_are_three_for_the_server() {
    let mut ap = Ap::connected();
    ap.data([0, 2, 3, 4]);
    ap.deliver(4);
    ap.ack(1);
    let last = ap.upstream().pop().expect("the first was acknowledged");
    for _ in 0..3 {
        assert_eq!(ap.ack(1), Verdict::Pass);
    }
    let duplicates = ap.upstream();
    assert_eq!(duplicates.len(), 3);
    assert!(duplicates.iter().all(|tcp| (tcp.ack, tcp.window) == (last.ack, last.window)), "RFC 5681's duplicates");
}

#[test]
fn segments_that_the_wire_reordered_are_not_repaired() {
    let mut ap = Ap::connected();
    ap.data([0, 2, 3]);
    ap.deliver(3);
    ap.ack(1);
    ap.data([1]);
    ap.upstream();
    assert_eq!(ap.sack(1, &[(2, 3)]), Verdict::Pass, "as without an AP that helps");
    assert_eq!(ap.counters().duplicates_awaited, 1);
    ap.upstream();
    ap.deliver(1);
    assert_eq!(ap.upstream_acks(), [4]);
    assert_eq!(ap.sack(1, &[(2, 4)]), Verdict::Swallow);
    assert_eq!((ap.queued(), ap.counters().repaired), (vec![], 0));
}

#[test]
fn a_segment_that_the_queue_dropped_is_the_servers_to_repair() {
    let mut ap = Ap::connected();
    ap.data(0..4);
    ap.drop_at(1);
    ap.deliver(3);
    assert_eq!((ap.upstream_acks(), ap.counters().dropped_in_queue), (vec![1], 1));
    ap.ack(1);
    ap.upstream();
    assert_eq!(ap.sack(1, &[(2, 4)]), Verdict::Pass, "congestion is the server's to hear of");
    ap.data([1]);
    ap.deliver(1);
    assert_eq!(ap.upstream_acks(), [1, 4]);
}

#[test]
fn the_timer_sends_the_first_one_again_until_the_client_acknowledges() {
    let mut ap = Ap::connected();
    ap.data(0..2);
    ap.deliver(2);
    ap.upstream();
    let mut wait = 200;
    for attempt in 1..=5 {
        ap.pass_ms(wait - 1);
        assert!(ap.queued().is_empty(), "attempt {attempt}");
        ap.pass_ms(1);
        assert_eq!(ap.queued(), [0], "attempt {attempt}");
        ap.deliver(1);
        wait *= 2;
    }
    assert_eq!(ap.counters().repaired_by_timer, 5);
    assert_eq!(ap.ack(1), Verdict::Swallow);
    assert_eq!(ap.queued(), [1], "what it lacks next brings no duplicate");
    ap.give_up();
    ap.pass_ms(200);
    assert_eq!(ap.queued(), [1], "progress: the timer begins anew");
    ap.deliver(1);
    ap.ack(2);
    ap.pass_ms(100_000);
    assert_eq!((ap.queued(), ap.live()), (vec![], 0), "nothing is owed");
}

#[test]
fn after_the_timer_each_step_of_the_client_brings_the_next_segment_that_it_lacks_once() {
    let mut ap = Ap::connected();
    ap.data(0..4);
    ap.deliver(4);
    ap.pass_ms(200);
    for next in 0..3 {
        assert_eq!(ap.queued(), [next]);
        ap.deliver(1);
        ap.ack(next + 1);
    }
    assert_eq!(ap.queued(), [3]);
    ap.deliver(1);
    ap.data([4]);
    ap.deliver(1);
    ap.ack(3);
    ap.ack(4);
    assert_eq!((ap.queued(), ap.counters().repaired), (vec![], 4), "what is new has its own time");
}

#[test]
fn a_repair_that_is_lost_is_repeated() {
    let mut ap = Ap::connected();
    ap.data(0..3);
    ap.deliver(3);
    ap.pass_ms(200);
    ap.give_up();
    assert_eq!(ap.counters().repairs_lost, 1);
    for _ in 0..3 {
        ap.ack(0);
    }
    assert_eq!(ap.queued(), [0], "duplicates ask for it too");
    ap.drop_at(0);
    ap.pass_ms(400);
    assert_eq!(ap.queued(), [0]);
    ap.pass_ms(10_000);
    assert_eq!(ap.queued(), [0], "what still waits is not queued twice");
    ap.deliver(1);
    ap.ack(3);
    assert_eq!(ap.live(), 0);
}

#[test]
fn the_timer_is_not_for_what_was_never_acknowledged() {
    let mut ap = Ap::connected();
    ap.data([0]);
    ap.give_up();
    ap.pass_ms(100_000);
    assert_eq!((ap.queued(), ap.upstream_acks()), (vec![], vec![]), "the server's own timer is running");
    ap.data([0]);
    assert_eq!(ap.queued(), [0]);
    ap.deliver(1);
    assert_eq!(ap.upstream_acks(), [1]);
    ap.ack(1);
    assert_eq!(ap.live(), 0);
}

#[test]
fn a_client_that_is_gone_is_given_up_at_last() {
    let mut ap = Ap::connected();
    ap.data(0..3);
    ap.deliver(3);
    let resets = |headers: Vec<TcpHeader>| headers.into_iter().filter(|tcp| tcp.flags.contains(TcpFlags::RST));
    let mut to_client = Vec::new();
    for _ in 0..40 {
        ap.pass_ms(60_000);
        to_client.extend(resets(ap.queued_headers()));
        let waiting = ap.queued().len();
        (0..waiting).for_each(|_| ap.give_up());
    }
    assert_eq!((ap.counters().repaired_by_timer, ap.counters().abandoned, ap.live()), (15, 1, 0));
    let to_server: Vec<_> = resets(ap.upstream()).collect();
    assert_eq!(
        [to_client.len(), to_server.len()],
        [7, 7],
        "neither goes on, and of seven RSTs, which nobody acknowledges, one arrives"
    );
    assert!(
        to_server.iter().all(|reset| reset.seq == ap.client_header(0).1.seq),
        "no other is believed (RFC 5961, 3.2)"
    );
    assert!(to_client.iter().all(|reset| reset.seq == ap.byte(0)), "nor there");
    ap.data([3]);
    ap.deliver(1);
    assert!(ap.upstream().is_empty(), "no more early ACKs on this connection");
    assert_eq!(ap.ack(1), Verdict::Pass);
}

#[test]
fn nobody_resets_the_next_connection_on_the_ports_of_one_that_was_reset() {
    for calls in [true, false] {
        let mut ap = Ap::connected();
        ap.data(0..3);
        ap.deliver(3);
        while ap.counters().abandoned == 0 {
            ap.pass_ms(1_000);
            (0..ap.queued().len()).for_each(|_| ap.give_up());
        }
        ap.upstream();
        if calls {
            ap.connect(None);
        } else {
            // It may be forged, and the client does not answer it.
            let mut syn = ap.server_header(0);
            (syn.seq, syn.flags) = (SeqNumber(77), TcpFlags::SYN);
            ap.server_sends(syn, 0);
            ap.give_up();
        }
        let mut resets = [0; 2];
        for _ in 0..100 {
            ap.pass_ms(1_000);
            resets[0] += ap.upstream().len();
            resets[1] += ap.queued_headers().iter().filter(|tcp| tcp.flags.contains(TcpFlags::RST)).count();
            (0..ap.queued().len()).for_each(|_| ap.give_up());
        }
        assert_eq!(resets, if calls { [0; 2] } else { [6; 2] });
    }
}

#[test]
fn a_client_that_acknowledges_late_is_only_sent_more_than_it_needs() {
    let mut ap = Ap::connected_with(FastAckConfig {
        repair_after: ackless_wire::Duration::from_millis(20),
        ..FastAckConfig::default()
    });
    ap.data([0]);
    ap.deliver(1);
    ap.pass_ms(20);
    assert_eq!(ap.queued(), [0]);
    assert_eq!(ap.ack(1), Verdict::Swallow);
    ap.deliver(1);
    assert_eq!((ap.upstream_acks(), ap.live()), (vec![1], 0));
    assert_eq!(ap.byte(1) - ap.byte(0), LEN);
}

#[test]
fn a_repair_bears_the_servers_newest_timestamps() {
    // The third segment came over the wire before the second: the client has heard a later timestamp and drops the second (PAWS), each time.
    let mut ap = Ap::connected();
    ap.data(0..2);
    ap.deliver(2);
    let mut newer = ap.server_header(2);
    newer.options.timestamps = Some((9_000, 7));
    ap.server_sends(newer, 0);
    let mut older = ap.server_header(2);
    older.options.timestamps = Some((8_000, 6));
    ap.server_sends(older, LEN);
    ap.deliver(2);
    for _ in 0..4 {
        ap.ack(1);
    }
    assert_eq!(ap.queued(), [1]);
    assert_eq!(ap.queued_stamps(), [Some((9_000, 7))]);
    ap.deliver(1);
    ap.pass_ms(200);
    assert_eq!(ap.queued_stamps(), [Some((9_000, 7))]);
    ap.deliver(1);
    ap.ack(3);
    assert_eq!(ap.live(), 0);
}

#[test]
fn a_server_in_recovery_hears_every_duplicate() {
    // Two segments are lost to a full queue. While the first one's repair waits in that queue again, the duplicates tell of the second.
    let mut ap = Ap::connected();
    ap.data(0..6);
    ap.drop_at(1);
    ap.drop_at(2);
    ap.deliver(4);
    ap.ack(1);
    ap.data([1]);
    ap.upstream();
    for blocks in [vec![(2, 3)], vec![(4, 5), (2, 3)], vec![(4, 6), (2, 3)]] {
        assert_eq!(ap.sack(1, &blocks), Verdict::Pass);
    }
    assert_eq!((ap.upstream().len(), ap.counters().repaired), (3, 0));
}

#[test]
fn a_report_of_more_than_the_ap_repairs_passes_and_what_it_can_repair_is_sent() {
    let mut ap = Ap::connected();
    ap.data([0, 1, 3]);
    ap.give_up();
    ap.deliver(2);
    assert_eq!(ap.sack(0, &[(1, 2)]), Verdict::Swallow, "the first alone is missing, as far as the client knows");
    assert_eq!(ap.sack(0, &[(3, 4), (1, 2)]), Verdict::Pass, "the third never came");
    assert_eq!(ap.queued(), [0]);
}

#[test]
fn what_a_report_leaves_out_is_not_missing() {
    // Four blocks do not tell of five ranges. What an earlier one told of is not forgotten.
    let mut ap = Ap::connected();
    ap.data(0..12);
    ap.deliver(12);
    ap.sack(0, &[(1, 2)]);
    ap.sack(0, &[(3, 4), (1, 2)]);
    ap.sack(0, &[(11, 12), (9, 10), (7, 8), (5, 6)]);
    assert_eq!(ap.queued(), [0, 2, 4, 6, 8], "and the last block is too near to the eleventh");
}

#[test]
fn beyond_a_hole_of_the_servers_the_ap_repairs_nothing_that_arrived() {
    let mut ap = Ap::connected();
    ap.data([0, 1, 3, 4, 5]);
    ap.deliver(5);
    ap.ack(2);
    for blocks in [[(5, 6)]; 5] {
        assert_eq!(ap.sack(2, &blocks), Verdict::Pass);
    }
    assert_eq!((ap.queued(), ap.counters().repaired), (vec![], 0));
}

#[test]
fn duplicates_from_before_a_segment_came_are_not_about_it() {
    // The second came off the wire late, behind four others. Each of them has made a duplicate ACK, and those are still on their way.
    for with_sack in [true, false] {
        let mut ap = Ap::connected();
        ap.data([0, 2, 3, 4, 5, 1, 6]);
        ap.deliver(6);
        ap.ack(1);
        for more in 3..=6 {
            let blocks = [(2, more)];
            ap.sack(1, if with_sack { &blocks } else { &[] });
        }
        assert_eq!(ap.counters().repaired, 0);
        ap.deliver(1);
        ap.ack(7);
        assert_eq!((ap.counters().repaired, ap.live()), (0, 0));
    }
}

#[test]
fn timestamps_of_a_segment_that_the_client_refuses_never_come_back_in_a_repair() {
    // Left of the window, right of it, with an ACK of what the client never sent, with one from before its SYN, and a RST.
    for (segment, ack, flags) in [
        (0, 5_000, TcpFlags::ACK),
        (80, 5_000, TcpFlags::ACK),
        (3, 5_001, TcpFlags::ACK),
        (3, 4_999, TcpFlags::ACK),
        (3, 5_000, TcpFlags::RST),
    ] {
        let mut ap = Ap::connected();
        ap.data(0..3);
        ap.deliver(3);
        ap.ack(1);
        let mut forged = ap.server_header(segment);
        (forged.options.timestamps, forged.ack.0, forged.flags) = (Some((1 << 30, 7)), ack, flags);
        ap.server_sends(forged, 0);
        ap.deliver(1);
        ap.pass_ms(200);
        assert_eq!(ap.queued_stamps(), [Some((1_002, 0))], "segment {segment}, ACK {ack}, {flags:?}");
    }
}

#[test]
fn data_that_the_client_refuses_is_not_acknowledged_for_it() {
    let mut ap = Ap::connected();
    ap.data(0..1);
    let mut forged = ap.server_header(1);
    forged.ack.0 = 9_000_000;
    ap.server_sends(forged, LEN);
    ap.deliver(2);
    assert_eq!((ap.upstream_acks(), ap.kept(), ap.counters().not_cached), (vec![1], 1, 1));
    // The server's own copy is, as any.
    ap.data(1..2);
    ap.deliver(1);
    assert_eq!(ap.upstream_acks(), [2]);
}

#[test]
fn a_repair_bears_the_servers_newest_acknowledgment_number_and_window() {
    for stamps in [true, false] {
        let mut ap = Ap::connected();
        ap.stamps = stamps;
        ap.data(0..2);
        ap.deliver(2);
        ap.upstream();
        // The client uploads, and the server acknowledges that: its client's TCP finds the number of segment 0 older than any window.
        let (_, upload) = ap.client_header(0);
        ap.client_sends(upload, 500_000);
        let mut news = ap.server_header(2);
        (news.ack.0, news.window) = (505_000, 77);
        ap.server_sends(news, 0);
        ap.deliver(1);
        ap.pass_ms(200);
        let said: Vec<_> = ap.queued_headers().iter().map(|tcp| (tcp.ack.0, tcp.window)).collect();
        assert_eq!(said, [(505_000, 77)], "timestamps: {stamps}");
    }
}

//! Connections begin, end, and follow each other on the same ports.

use ackless_dot11::hooks::Verdict;
use ackless_wire::tcp::Omitted;
use ackless_wire::{SeqNumber, TcpFlags};

use super::ap::{Ap, LEN};

#[test]
fn a_connection_whose_syns_were_not_seen_is_left_alone() {
    let mut ap = Ap::new();
    ap.data(0..2);
    ap.deliver(2);
    assert_eq!(ap.ack(2), Verdict::Pass);
    assert_eq!((ap.upstream_acks(), ap.live(), ap.counters().opened), (vec![2], 0, 0));
}

#[test]
fn a_server_that_connects_to_the_client_is_helped_from_the_first_ack_on() {
    let mut ap = called_by_the_server();
    ap.data(0..2);
    ap.deliver(3);
    assert_eq!(ap.counters().opened, 0, "how large the client's window is, is not known");
    assert_eq!(ap.ack(1), Verdict::Pass);
    ap.upstream();
    ap.data([2]);
    ap.deliver(1);
    assert!(ap.upstream().is_empty(), "the second went before");
    assert_eq!(ap.ack(2), Verdict::Swallow);
    assert_eq!(ap.upstream_acks(), [3]);
    ap.ack(3);
    assert_eq!(ap.live(), 0);
}

/// By the forged one's options the AP would take the connection's windows for others than they are.
#[test]
fn a_connection_whose_servers_syn_a_forged_one_has_hidden_is_left_alone() {
    for forged in [false, true] {
        let mut ap = Ap::new();
        let mut syn = ap.server_header(0);
        (syn.seq, syn.flags) = (SeqNumber(ap.iss), TcpFlags::SYN);
        ap.server_sends(syn, 0);
        if forged {
            syn.seq = SeqNumber(77);
            ap.server_sends(syn, 0);
        }
        let (_, mut answer) = ap.client_header(0);
        (answer.seq, answer.flags) = (SeqNumber(4999), TcpFlags::SYN | TcpFlags::ACK);
        ap.client_sends(answer, 0);
        ap.data(0..2);
        ap.deliver(3 + usize::from(forged));
        ap.ack(1);
        ap.data([2]);
        ap.deliver(1);
        assert_eq!(ap.counters().opened, u64::from(!forged));
        assert_eq!(ap.ack(2), if forged { Verdict::Pass } else { Verdict::Swallow });
    }
}

#[test]
fn what_the_server_sent_before_the_clients_first_ack_is_known_to_be_sent() {
    let mut ap = called_by_the_server();
    ap.data(0..4);
    ap.deliver(5);
    ap.ack(1);
    // Segment 2 comes again, arrives, and its answer does not: the AP keeps it until the client has spoken.
    ap.data([2]);
    ap.give_up();
    assert_eq!(ap.ack(4), Verdict::Pass);
    assert_eq!((ap.live(), ap.counters().passed_unknown), (0, 0));
}

#[test]
fn a_syn_again_is_answered_by_the_client() {
    let mut ap = Ap::connected();
    let mut answer = ap.server_header(0);
    (answer.seq, answer.flags) = (SeqNumber(ap.iss), TcpFlags::SYN | TcpFlags::ACK);
    ap.server_sends(answer, 0);
    ap.deliver(1);
    assert_eq!(ap.ack(0), Verdict::Pass, "the first ACK was lost on the wire");
    assert_eq!((ap.counters().opened, ap.counters().reset), (1, 0));
    ap.upstream();
    ap.data([0]);
    ap.deliver(1);
    assert_eq!(ap.upstream_acks(), [1]);
}

#[test]
fn a_reset_ends_it_all() {
    for by_client in [true, false] {
        let mut ap = Ap::connected();
        ap.data(0..3);
        ap.deliver(2);
        let (_, mut reset) = ap.client_header(0);
        if by_client {
            reset.flags = TcpFlags::RST;
            assert_eq!(ap.client_sends(reset, 0), Verdict::Pass);
        } else {
            // The client has acknowledged nothing: this is what it waits for.
            let mut reset = ap.server_header(0);
            reset.flags = TcpFlags::RST;
            ap.server_sends(reset, 0);
            assert_eq!(ap.queued(), [2, 0]);
        }
        assert_eq!((ap.kept(), ap.counters().reset), (0, 1));
        ap.upstream();
        let queued = ap.queued().len();
        ap.deliver(queued);
        ap.pass_ms(100_000);
        assert!(ap.upstream().is_empty() && ap.live() == 0);
    }
}

#[test]
fn the_next_connection_on_the_same_ports_knows_nothing_of_the_one_before() {
    let mut ap = Ap::connected();
    ap.data(0..3);
    ap.deliver(1);
    // Frames of the old connection are still queued when the new one begins, with numbers that overlap its own.
    ap.iss = 999 + LEN;
    let old = ap.air(2);
    ap.connect(None);
    assert_eq!((ap.counters().reset, ap.counters().opened), (1, 2));
    ap.data(0..3);
    ap.arrive(&old);
    assert!(ap.upstream().is_empty(), "an old frame says nothing of the new data");
    ap.deliver(3);
    assert_eq!(ap.upstream_acks(), [1, 2, 3]);
    ap.ack(3);
    assert_eq!(ap.live(), 0);
}

#[test]
fn what_is_on_its_way_counts_though_another_connection_stands_in_its_place_by_now() {
    let mut ap = Ap::connected();
    ap.data(0..4);
    let first = ap.air(1);
    // Connections are kept in the order of their ports.
    let (_, mut other) = ap.client_header(0);
    (other.seq, other.flags, other.dst_port) = (SeqNumber(7000), TcpFlags::SYN, 70);
    assert_eq!(ap.client_sends(other, 0), Verdict::Pass);
    ap.upstream();
    ap.arrive(&first);
    ap.data(4..6);
    let next = ap.air(2);
    other.flags = TcpFlags::RST;
    assert_eq!(ap.client_sends(other, 0), Verdict::Pass);
    let mut heard = ap.upstream();
    ap.arrive(&next);
    ap.deliver(3);
    heard.extend(ap.upstream());
    let acks: Vec<_> = heard.iter().filter(|tcp| tcp.dst_port == 80).map(|tcp| tcp.ack).collect();
    assert_eq!(acks, [1, 2, 3, 4, 5, 6].map(|segment| ap.byte(segment)));
}

#[test]
fn an_ack_of_what_was_never_sent_is_the_servers_to_judge() {
    let mut ap = Ap::connected();
    ap.data([0]);
    ap.deliver(1);
    ap.upstream();
    for wrong in [5, 2_000_000] {
        assert_eq!(ap.ack(wrong), Verdict::Pass);
    }
    assert_eq!((ap.counters().passed_unknown, ap.live()), (2, 1), "and the AP believes nothing of it");
    assert_eq!(ap.ack(1), Verdict::Swallow);
}

#[test]
fn an_old_ack_ends_at_the_ap() {
    let mut ap = Ap::connected();
    ap.data(0..2);
    ap.deliver(2);
    ap.ack(2);
    assert_eq!(ap.ack(1), Verdict::Swallow);
    assert_eq!(ap.counters().stale, 1);
}

#[test]
fn a_reset_that_the_client_will_not_believe_ends_no_promise() {
    let mut ap = Ap::connected();
    ap.data(0..3);
    ap.deliver(3);
    assert_eq!(ap.upstream_acks(), [1, 2, 3]);
    let mut reset = ap.server_header(3);
    reset.flags = TcpFlags::RST;
    ap.server_sends(reset, 0);
    ap.deliver(1);
    assert_eq!((ap.kept(), ap.counters().reset), (3, 0), "the client waits for the first segment, not for the fourth");
    ap.pass_ms(200);
    assert_eq!(ap.queued(), [0], "and gets it again");
}

#[test]
fn a_syn_of_the_servers_ends_a_promise_only_where_the_client_answers_it() {
    for flags in [TcpFlags::SYN, TcpFlags::SYN | TcpFlags::ACK] {
        let mut ap = Ap::connected();
        ap.data(0..3);
        ap.deliver(3);
        assert_eq!(ap.upstream_acks(), [1, 2, 3]);
        // Whoever guesses no more than addresses and ports can send it, and the client's TCP questions it (RFC 5961, 4.2).
        let mut syn = ap.server_header(0);
        (syn.seq, syn.ack, syn.flags) = (SeqNumber(77), SeqNumber(4_242), flags);
        syn.options.window_scale = Some(2);
        ap.server_sends(syn, 0);
        ap.deliver(1);
        assert_eq!((ap.kept(), ap.counters().reset), (3, 0), "{flags:?}");
        ap.ack(0);
        ap.pass_ms(200);
        assert_eq!(ap.queued(), [0], "and the client gets what it lacks");
        ap.deliver(1);
        if flags == TcpFlags::SYN {
            // A client that has no such connection any more takes it up.
            ap.iss = 77;
            let (_, mut answer) = ap.client_header(0);
            (answer.seq, answer.ack, answer.flags) = (SeqNumber(4999), SeqNumber(78), TcpFlags::SYN | TcpFlags::ACK);
            answer.options.window_scale = Some(3);
            ap.client_sends(answer, 0);
            assert_eq!((ap.kept(), ap.counters().reset), (0, 1));
            assert_eq!(ap.ack(0), Verdict::Pass);
            ap.upstream();
            ap.data(0..1);
            ap.deliver(1);
            assert_eq!((ap.upstream_acks(), ap.counters().opened), (vec![1], 2));
        }
    }
}

#[test]
fn an_ap_that_starts_anew_repairs_nothing_and_keeps_nothing_back() {
    let mut ap = Ap::connected();
    ap.data(0..3);
    ap.deliver(3);
    assert_eq!(ap.upstream_acks(), [1, 2, 3]);
    ap.forget();
    // The client lacks the first segment, the server believes that it has it: what the design cannot repair.
    for _ in 0..4 {
        assert_eq!(ap.ack(0), Verdict::Pass);
    }
    ap.pass_ms(100_000);
    assert_eq!(ap.queued(), []);
}

#[test]
fn one_segment_with_what_is_not_known_here_and_the_connection_is_left_alone() {
    for by_client in [true, false] {
        let mut ap = Ap::connected();
        ap.data(0..3);
        ap.deliver(2);
        assert_eq!(ap.upstream_acks(), [1, 2]);
        let third = ap.air(1);
        let (_, mut from_client) = ap.client_header(1);
        let mut from_server = ap.server_header(3);
        (from_client.omitted, from_server.omitted) = (Omitted::OPTIONS, Omitted::OPTIONS);
        if by_client {
            assert_eq!(ap.client_sends(from_client, 0), Verdict::Pass);
        } else {
            ap.server_sends(from_server, 0);
            ap.deliver(1);
            ap.ack(1);
        }
        ap.upstream();
        ap.arrive(&third);
        ap.data(3..5);
        ap.deliver(2);
        assert_eq!(
            (ap.upstream_acks(), ap.kept()),
            (vec![], 1),
            "the second segment is owed, and no other is spoken for"
        );
        ap.pass_ms(200);
        assert_eq!(ap.queued(), [1]);
        ap.deliver(1);
        // Whatever that ACK says besides.
        (_, from_client) = ap.client_header(5);
        from_client.omitted = Omitted::OPTIONS;
        assert_eq!(ap.client_sends(from_client, 0), Verdict::Pass);
        ap.upstream();
        assert_eq!(ap.live(), 0);
        ap.data(5..6);
        ap.deliver(1);
        assert_eq!((ap.ack(6), ap.upstream_acks()), (Verdict::Pass, vec![6]), "plain segments of it too");
    }
}

/// An AP whose client has answered the server's SYN, and has not had anything of it since.
fn called_by_the_server() -> Ap {
    let mut ap = Ap::new();
    let mut syn = ap.server_header(0);
    (syn.seq, syn.flags) = (SeqNumber(ap.iss), TcpFlags::SYN);
    ap.server_sends(syn, 0);
    let (_, mut answer) = ap.client_header(0);
    (answer.seq, answer.flags) = (SeqNumber(4999), TcpFlags::SYN | TcpFlags::ACK);
    ap.client_sends(answer, 0);
    ap
}

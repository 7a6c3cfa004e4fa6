//! The window that the server is told of is the client's.

use ackless_dot11::hooks::Verdict;
use ackless_wire::TcpFlags;

use super::ap::{Ap, LEN};

#[test]
fn the_right_edge_is_the_clients() {
    let mut ap = Ap::new();
    (ap.window, ap.reads) = (5_000, true);
    ap.connect(None);
    ap.data(0..3);
    ap.deliver(3);
    let windows: Vec<_> = ap.upstream().iter().map(|tcp| tcp.window).collect();
    assert_eq!(windows, [4_000, 3_000, 2_000]);
}

#[test]
fn scaled_windows_are_rounded_down() {
    let mut ap = Ap::new();
    (ap.window, ap.reads) = (100, true);
    ap.connect(Some(7));
    ap.data([0]);
    ap.deliver(1);
    // 12,800 bytes of room less 1,000 are 92.2 units of 128.
    assert_eq!(ap.upstream()[0].window, 92);
}

#[test]
fn one_side_alone_does_not_scale() {
    let mut ap = Ap::new();
    (ap.window, ap.reads) = (5_000, true);
    let (_, mut syn) = ap.client_header(0);
    (syn.seq, syn.flags, syn.options.window_scale) = (syn.seq - 1, TcpFlags::SYN, Some(7));
    ap.client_sends(syn, 0);
    let mut answer = ap.server_header(0);
    (answer.seq, answer.flags) = (answer.seq - 1, TcpFlags::SYN | TcpFlags::ACK);
    ap.server_sends(answer, 0);
    ap.ack(0);
    ap.data([0]);
    ap.deliver(2);
    assert_eq!(ap.upstream().pop().map(|tcp| tcp.window), Some(4_000));
}

#[test]
fn nothing_is_acknowledged_beyond_the_edge() {
    let mut ap = Ap::new();
    (ap.window, ap.reads) = (2_000, true);
    ap.connect(None);
    ap.data(0..3);
    ap.deliver(3);
    let acks: Vec<_> = ap.upstream().iter().map(|tcp| (tcp.ack, tcp.window)).collect();
    assert_eq!(acks, [(ap.byte(1), 1_000), (ap.byte(2), 0)]);
    assert!(ap.counters().window_limited > 0 && ap.counters().zero_windows == 1);
    // The client makes room as it reads; the AP says so at once, with what has arrived since.
    assert_eq!(ap.ack(1), Verdict::Swallow);
    let opened = ap.upstream();
    assert_eq!((opened.len(), opened[0].ack, opened[0].window), (1, ap.byte(3), 0));
    assert_eq!(ap.ack(2), Verdict::Swallow);
    let opened = ap.upstream();
    assert_eq!((opened.len(), opened[0].ack, opened[0].window), (1, ap.byte(3), 1_000));
    assert_eq!(ap.counters().window_updates, 1);
}

#[test]
fn an_update_waits_for_an_ack_that_is_about_to_come() {
    let mut ap = Ap::new();
    (ap.window, ap.reads) = (50_000, true);
    ap.connect(None);
    ap.data(0..4);
    ap.deliver(2);
    ap.upstream();
    assert_eq!(ap.ack(1), Verdict::Swallow);
    assert!(ap.upstream().is_empty(), "the third segment is in the queue");
    ap.deliver(1);
    assert_eq!(ap.upstream()[0].window, 50_000 - 2_000, "and its ACK has the new edge");
}

#[test]
fn a_window_that_opens_alone_is_told() {
    let mut ap = Ap::new();
    (ap.window, ap.reads) = (LEN as u16, true);
    ap.connect(None);
    ap.data([0]);
    ap.deliver(1);
    assert_eq!(ap.upstream()[0].window, 0);
    ap.window = 0;
    assert_eq!(ap.ack(1), Verdict::Swallow, "the client has it and no room: as the server knows");
    ap.window = 9_000;
    assert_eq!(ap.ack(1), Verdict::Pass);
    assert_eq!((ap.upstream()[0].window, ap.counters().passed_window), (9_000, 1));
}

#[test]
fn a_probe_of_a_closed_window_is_answered_by_the_client() {
    let mut ap = Ap::new();
    (ap.window, ap.reads) = (LEN as u16, true);
    ap.connect(None);
    ap.data([0]);
    ap.deliver(1);
    ap.window = 0;
    ap.ack(1);
    ap.upstream();
    let probe = ap.server_header(1);
    for _ in 0..5 {
        ap.server_sends(probe, 1);
        ap.deliver(1);
        assert!(ap.upstream().is_empty(), "a byte without room is not acknowledged early");
        assert_eq!(ap.ack(1), Verdict::Pass);
        assert_eq!(ap.upstream_acks(), [1]);
    }
    ap.window = 9_000;
    assert_eq!(ap.ack(1), Verdict::Swallow);
    let ack = ap.upstream();
    assert_eq!(
        (ack.len(), ack[0].ack - ap.byte(1)),
        (1, 1),
        "there is room: the byte that has arrived is acknowledged"
    );
}

#[test]
fn an_ack_with_an_open_window_passes_where_nothing_else_will_tell() {
    let mut ap = Ap::connected();
    ap.reads = true;
    ap.data(0..2);
    ap.deliver(1);
    assert_eq!(ap.ack(1), Verdict::Swallow, "the second segment is in the queue");
    ap.deliver(1);
    ap.upstream();
    assert_eq!(ap.ack(2), Verdict::Pass);
    assert_eq!((ap.upstream()[0].window, ap.live()), (60_000, 0));
}

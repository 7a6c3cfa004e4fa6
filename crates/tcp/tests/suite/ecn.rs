//! Explicit congestion notification (RFC 3168): what both ends agree on, what is marked, echoed and reduced.

use ackless_tcp::{Config, CongestionChoice, Endpoint, RecoveryChoice, SenderChoices, TackConfig, UndoChoices};
use ackless_wire::{Bytes, Duration, Ecn, SeqNumber, TcpFlags};

use crate::pair::{A, B, address};
use crate::script::{ACK, SYN, Script, Sent, plain};

const ECE: TcpFlags = TcpFlags::ECE;
const CWR: TcpFlags = TcpFlags::CWR;

fn config() -> Config {
    let recovery = RecoveryChoice::Rack;
    Config { ecn: true, congestion: CongestionChoice::NewReno, recovery, receive_buffer: Bytes(60_000), ..plain() }
}

/// A connection that has agreed on ECN, with `bytes` to send and a first round trip of 100 ms.
fn agreed(bytes: u64) -> Script {
    let mut script = Script::calling(config());
    assert_eq!(script.one().flags, SYN | ECE | CWR);
    script.wait(100);
    script.receive(SYN | ACK | ECE, 0, 1, 0);
    assert_eq!(script.one().flags, ACK);
    script.end.send(Bytes(bytes));
    script
}

#[test]
fn a_listener_agrees_to_what_is_asked_and_to_nothing_else() {
    for (ecn, asked, answer) in [
        (true, ECE | CWR, ECE),
        (true, TcpFlags::empty(), TcpFlags::empty()),
        (true, ECE, TcpFlags::empty()),
        (false, ECE | CWR, TcpFlags::empty()),
    ] {
        let mut script = Script::listening(Config { ecn, ..config() });
        script.receive(SYN | asked, 0, 0, 0);
        let sent = script.one();
        assert_eq!((sent.flags, sent.ecn), (SYN | ACK | answer, Ecn::NotCapable), "{ecn}, {asked:?}");
    }
}

#[test]
fn a_caller_uses_it_only_if_the_answer_agrees() {
    for (answer, ecn) in [
        (ECE, Ecn::Capable0),
        (TcpFlags::empty(), Ecn::NotCapable),
        // What reflects the flags of a SYN does not know them (RFC 3168, 6.1.1).
        (ECE | CWR, Ecn::NotCapable),
    ] {
        let mut script = Script::calling(config());
        script.one();
        script.receive(SYN | ACK | answer, 0, 1, 0);
        script.one();
        script.end.send(Bytes(1_000));
        assert_eq!(script.one().ecn, ecn, "{answer:?}");
    }
}

#[test]
fn a_tack_connection_does_without() {
    let tack = Config { tack: Some(TackConfig::default()), timestamps: Some(Duration::from_millis(1)), ..config() };
    let mut script = Script::listening(tack.clone());
    let syn = Endpoint::connect(script.now, tack, address(A), address(B), SeqNumber(0)).poll_transmit(script.now);
    script.end.handle_segment(script.now, &syn.expect("a caller calls"));
    let answer = script.one();
    assert_eq!((answer.flags, script.end.agreed().tack), (SYN | ACK, true));
}

#[test]
fn a_repeated_syn_does_not_ask_again() {
    let mut script = Script::calling(config());
    assert_eq!(script.one().flags, SYN | ECE | CWR);
    script.wake();
    assert_eq!(script.one().flags, SYN);
    script.receive(SYN | ACK | ECE, 0, 1, 0);
    script.one();
    script.end.send(Bytes(1_000));
    assert_eq!(script.one().ecn, Ecn::NotCapable, "nobody has asked");
}

#[test]
fn new_data_may_be_marked_and_nothing_else() {
    let mut script = agreed(5_000);
    assert!(script.all().iter().all(|sent| sent.ecn == Ecn::Capable0));
    script.wait(100);
    script.sack = vec![(1001, 5001)];
    script.receive(ACK, 1, 1, 0);
    script.wake();
    let again = script.one();
    assert_eq!((again.seq, again.ecn), (1, Ecn::NotCapable), "what is repeated");
    script.receive(ACK, 1, 5001, 1000);
    script.wake();
    let answer = script.one();
    assert_eq!((answer.len, answer.ecn), (0, Ecn::NotCapable), "an acknowledgement");
}

#[test]
fn a_mark_is_echoed_until_the_sender_says_that_it_has_reduced_its_window() {
    let mut script = Script::listening(config());
    script.receive(SYN | ECE | CWR, 0, 0, 0);
    script.one();
    script.receive(ACK, 1, 1, 0);
    let mut answer_to = |seq, flags, ecn| {
        script.ecn = Some(ecn);
        script.receive(ACK | flags, seq, 1, 1000);
        script.wait(50);
        let due = script.end.poll_timeout().filter(|at| *at <= script.now);
        if due.is_some() {
            script.end.handle_timeout(script.now);
        }
        script.one().flags
    };
    let none = TcpFlags::empty();
    assert_eq!(answer_to(1, none, Ecn::Capable0), ACK);
    assert_eq!(answer_to(1001, none, Ecn::Experienced), ACK | ECE);
    assert_eq!(answer_to(2001, none, Ecn::Capable0), ACK | ECE);
    assert_eq!(answer_to(3001, CWR, Ecn::Experienced), ACK | ECE, "it has met congestion again");
    assert_eq!(answer_to(4001, CWR, Ecn::Capable0), ACK);
    assert_eq!(answer_to(5001, none, Ecn::Capable0), ACK);
}

#[test]
fn an_echo_halves_the_window_once_in_a_window_and_the_next_new_data_says_so() {
    let mut script = agreed(100_000);
    assert_eq!(script.all().len(), 10);
    script.wait(100);
    script.receive(ACK | ECE, 1, 2001, 0);
    // Ten and two by slow start, of which ten were out.
    assert_eq!(script.end.stats().reductions_by_mark, 1);
    let window = script.end.congestion_window();
    assert_eq!(window, Bytes(4_000), "half of the eight that are out");
    script.nothing();
    for ack in [4001, 6001] {
        script.receive(ACK | ECE, 1, ack, 0);
        script.nothing();
    }
    script.receive(ACK | ECE, 1, 8001, 0);
    let sent = script.all();
    assert_eq!(
        sent.iter().map(|sent| (sent.seq, sent.flags)).collect::<Vec<_>>(),
        [(10_001, ACK | CWR), (11_001, ACK)]
    );
    script.receive(ACK | ECE, 1, 10_001, 0);
    assert_eq!((script.end.congestion_window(), script.end.stats().reductions_by_mark), (window, 1));
    script.all();
    // Data after the reduction is acknowledged with an echo: it has met congestion in turn.
    script.wait(100);
    script.receive(ACK | ECE, 1, 11_001, 0);
    assert_eq!(script.end.stats().reductions_by_mark, 2);
    assert!(script.end.congestion_window() < window);
}

#[test]
fn a_loss_that_a_mark_has_told_of_reduces_nothing_more_and_nor_does_an_echo_in_a_recovery() {
    let mut script = agreed(100_000);
    script.all();
    script.wait(100);
    script.sack = vec![(1001, 2001)];
    script.receive(ACK | ECE, 1, 1, 0);
    let window = script.end.congestion_window();
    assert_eq!(window, Bytes(5_000));
    for edge in [3001, 4001, 5001] {
        script.sack = vec![(1001, edge)];
        script.receive(ACK | ECE, 1, 1, 0);
    }
    script.all();
    script.receive(ACK | ECE, 1, 5001, 0);
    let stats = script.end.stats();
    assert_eq!((stats.reductions_by_mark, stats.fast_retransmits, stats.cwnd), (1, 1, window));
}

#[test]
fn an_echo_after_a_loss_of_the_same_window_reduces_nothing_more() {
    let mut script = agreed(100_000);
    script.all();
    script.wait(100);
    for edge in [2001, 3001, 4001] {
        script.sack = vec![(1001, edge)];
        script.receive(ACK, 1, 1, 0);
    }
    script.all();
    let window = script.end.congestion_window();
    script.receive(ACK | ECE, 1, 10_001, 0);
    let stats = script.end.stats();
    assert_eq!((stats.reductions_by_mark, stats.fast_retransmits), (0, 1));
    assert!(stats.cwnd >= window, "{stats:?}");
}

/// The same as [`agreed`] where the endpoint undoes reductions, with timestamps of the script's or without.
fn undoing(undo: UndoChoices, stamped: bool) -> Script {
    let sender = SenderChoices { undo, ..SenderChoices::default() };
    let timestamps = stamped.then_some(Duration::from_millis(1));
    let mut script = Script::calling(Config { sender, timestamps, ..config() });
    let syn = script.one();
    script.wait(100);
    script.stamps = syn.stamps.map(|(value, _)| (1, value));
    script.receive(SYN | ACK | ECE, 0, 1, 0);
    assert_eq!(script.one().flags, ACK);
    script.end.send(Bytes(100_000));
    script
}

#[test]
fn a_reduction_by_a_mark_ends_what_an_earlier_one_could_have_undone() {
    let mut script = undoing(UndoChoices { dsack: true, ..UndoChoices::default() }, false);
    script.all();
    script.wait(100);
    script.sack = vec![(1001, 4001)];
    script.receive(ACK, 1, 1, 0);
    assert_eq!(script.all()[0].seq, 1);
    script.wait(100);
    script.receive(ACK, 1, 10_001, 0);
    script.all();
    assert_eq!(script.end.congestion_window(), Bytes(5_000));
    script.wait(100);
    script.receive(ACK | ECE, 1, 12_001, 0);
    script.all();
    let window = script.end.congestion_window();
    assert!(window < Bytes(5_000), "{window:?}");
    script.sack = vec![(1, 1001)];
    script.receive(ACK, 1, 12_001, 0);
    let stats = script.end.stats();
    assert_eq!((stats.reductions_by_mark, stats.undone_reductions, stats.cwnd), (1, 0, window));
}

/// Ten segments of which the last is lost, whose probe is out, as is an eleventh segment; what the eleventh says. The first is acknowledged with an echo of a mark or without.
fn lost_tail(flags: TcpFlags) -> (Script, Sent) {
    let mut script = agreed(10_000);
    script.all();
    script.wait(100);
    script.receive(ACK | flags, 1, 1001, 0);
    script.receive(ACK, 1, 9001, 0);
    script.wake();
    assert_eq!(script.spans(), [(9001, 1000)], "a probe of the tail");
    script.end.send(Bytes(1000));
    let eleventh = script.one();
    script.wait(100);
    (script, eleventh)
}

#[test]
fn a_lost_tail_that_a_mark_has_told_of_reduces_nothing_more() {
    for flags in [ECE, TcpFlags::empty()] {
        let (mut script, eleventh) = lost_tail(flags);
        let marked = flags == ECE;
        assert_eq!(eleventh.flags.contains(CWR), marked);
        let window = script.end.congestion_window();
        script.receive(ACK, 1, 11_001, 0);
        let stats = script.end.stats();
        assert_eq!((stats.reductions_by_mark, stats.tail_losses), (u64::from(marked), 1));
        assert_eq!(stats.cwnd == window, marked, "{stats:?}");
    }
}

#[test]
fn a_lost_tail_is_told_of_and_takes_the_place_of_a_mark() {
    let (mut script, _) = lost_tail(TcpFlags::empty());
    script.end.send(Bytes(1000));
    script.all();
    script.receive(ACK, 1, 11_001, 0);
    let window = script.end.congestion_window();
    script.end.send(Bytes(1000));
    assert!(script.one().flags.contains(CWR), "the window was reduced");
    script.receive(ACK | ECE, 1, 12_001, 0);
    let stats = script.end.stats();
    assert_eq!((stats.tail_losses, stats.reductions_by_mark), (1, 0));
    assert!(stats.cwnd >= window, "{stats:?}");
}

#[test]
fn a_reduction_that_is_undone_is_not_told_of_and_leaves_the_next_mark_its_own() {
    let mut script = undoing(UndoChoices { eifel: true, ..UndoChoices::default() }, true);
    let sent = script.all();
    script.stamps = Some((3, sent[0].stamps.expect("there are timestamps").0));
    let at = |n: usize| sent[n].seq;
    script.wait(100);
    script.sack = vec![(at(1), at(4))];
    script.receive(ACK, 1, 1, 0);
    assert_eq!(script.spans(), [(1, sent[0].len)]);
    script.wait(5);
    script.receive(ACK, 1, at(4), 0);
    let new = script.all();
    assert_eq!(script.end.stats().undone_reductions, 1);
    assert_eq!(new[0].flags, ACK, "nothing was reduced");
    let before = script.end.congestion_window();
    script.receive(ACK | ECE, 1, at(5), 0);
    assert_eq!(script.end.stats().reductions_by_mark, 1);
    assert!(script.end.congestion_window() < before);
}

#[test]
fn what_a_mark_has_done_stays_where_a_later_loss_is_undone() {
    let mut script = undoing(UndoChoices { eifel: true, ..UndoChoices::default() }, true);
    let sent = script.all();
    script.stamps = Some((3, sent[0].stamps.expect("there are timestamps").0));
    let at = |n: usize| sent[n].seq;
    script.wait(100);
    script.sack = vec![(at(1), at(2))];
    script.receive(ACK | ECE, 1, 1, 0);
    let window = script.end.congestion_window();
    script.sack = vec![(at(1), at(4))];
    script.receive(ACK | ECE, 1, 1, 0);
    assert_eq!(script.spans(), [(1, sent[0].len)]);
    script.receive(ACK | ECE, 1, at(4), 0);
    let stats = script.end.stats();
    assert_eq!((stats.fast_retransmits, stats.undone_reductions), (1, 1));
    script.receive(ACK | ECE, 1, at(8), 0);
    assert_eq!(script.all()[0].flags, ACK | CWR, "the mark's word is still owed");
    let stats = script.end.stats();
    assert_eq!(stats.reductions_by_mark, 1, "one reduction a round trip");
    assert!(stats.cwnd >= window, "{stats:?}");
}

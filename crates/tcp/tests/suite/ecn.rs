//! Explicit congestion notification (RFC 3168): what both ends agree on, what is marked, echoed and reduced.

use ackless_tcp::{Config, CongestionChoice, Endpoint, RecoveryChoice, TackConfig};
use ackless_wire::{Bytes, Duration, Ecn, SeqNumber, TcpFlags};

use crate::pair::{A, B, address};
use crate::script::{ACK, SYN, Script, plain};

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

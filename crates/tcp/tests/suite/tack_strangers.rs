//! Peers that do TACK otherwise than we do, strangers that speak in between, and paths without length.

use ackless_tcp::tack::body::AckKind;
use ackless_tcp::tack::{LossSignal, Verdict};
use ackless_tcp::{Endpoint, Event, State, TackConfig};
use ackless_wire::tcp::{TackForm, TcpOptions};
use ackless_wire::{Bytes, Duration, Instant, Payload, SeqNumber, TcpFlags, TcpHeader};

use crate::pair::{A, B, Middlebox, Pair, Path, address, hand_up};
use crate::tack_agreement::tack;
use crate::tack_sending::script::*;

const MS: fn(u64) -> Duration = Duration::from_millis;

#[test]
fn a_fin_that_came_without_the_last_segment_shows_that_as_a_hole() {
    for (signal, loses_iack) in [(LossSignal::Iack, false), (LossSignal::Iack, true), (LossSignal::TackOnly, false)] {
        let mut config = tack(TackForm::Kinds);
        config.tack = config.tack.map(|tack| TackConfig { loss_signal: signal, ..tack });
        let mut pair = Pair::new([config.clone(), config], Path::of_delay(20), 1);
        pair.run_for(MS(500));
        // Of five segments the last is lost once, and perhaps the first IACK that names it.
        let mut first = true;
        pair.alter[A] = Middlebox::new(move |packet| {
            let number = packet.tcp().and_then(|tcp| tcp.options.tack.packet_number);
            !(number == Some(5) && std::mem::take(&mut first))
        });
        let mut first = loses_iack;
        pair.alter[B] = Middlebox::new(move |packet| {
            let kind = packet.tcp().and_then(|tcp| tcp.options.tack.ack_type);
            !(kind == Some(AckKind::Loss.value()) && std::mem::take(&mut first))
        });
        pair.ends[A].write_length(Bytes(5 * 1440));
        pair.drain();
        pair.run_for(MS(30));
        pair.ends[A].close();
        pair.drain();
        pair.run_while(|pair| pair.ends[B].state() != State::CloseWait);
        let stats = pair.ends[A].stats();
        assert_eq!((stats.timeouts, stats.fallbacks), (0, 0), "{signal:?}, {loses_iack}: {stats:#?}");
    }
}

#[test]
fn where_a_round_trip_takes_no_time_probes_go_out_a_few_times_and_not_for_ever() {
    let config = tack(TackForm::Kinds);
    let mut pair = Pair::new([config.clone(), config], Path::of_delay(0), 1);
    pair.run_for(MS(50));
    pair.alter[A] = Middlebox::new(|packet| packet.payload.is_empty());
    pair.ends[A].write_length(Bytes(3_000));
    pair.drain();
    let until = pair.now + MS(150);
    let mut turns = 0..1_000;
    while pair.now < until && pair.step() {
        assert!(turns.next().is_some(), "it goes on for ever: {:#?}", pair.ends[A].stats());
    }
    // The second 2 ms after the first, and each of the others twice as long after the one before.
    let stats = pair.ends[A].stats();
    assert!((2..=8).contains(&stats.tail_probes), "{stats:#?}");
}

#[test]
fn a_peer_that_never_looks_at_what_lies_beyond_its_closed_window_does_tack_all_the_same() {
    let mut script = Script::connected(config());
    script.end.send(Bytes(100_000));
    script.burst();
    script.wait(RTT);
    let largest = script.log.last().expect("it has sent").1.number;
    script.window = 0;
    script.report(largest, report(largest, 0));
    script.drain();
    for _ in 0..12 {
        let before = script.end.stats().window_probes;
        while script.end.stats().window_probes == before {
            let at = script.end.poll_timeout().expect("a closed window is asked about");
            script.wait(at.saturating_since(script.now));
        }
        // It answers, with what it has had for long, and what asks whether plain segments pass with a plain one.
        script.report(largest, report(largest, 0));
        script.deliver(script.header(largest), Payload::EMPTY);
        script.drain();
    }
    let stats = script.end.stats();
    assert_eq!((stats.fallbacks, script.end.state()), (0, State::Established), "{stats:#?}");
}

/// An endpoint that listens, and what a stranger and its peer say to it.
struct Listening {
    now: Instant,
    end: Endpoint,
    iss: SeqNumber,
}

const ISN: SeqNumber = SeqNumber(1_000);

fn offer() -> TcpOptions {
    let mut options = plain_offer();
    options.tack.permitted = true;
    options
}

fn plain_offer() -> TcpOptions {
    TcpOptions { mss: Some(1460), timestamps: Some((5, 0)), ..TcpOptions::default() }
}

fn numbered(number: u32) -> TcpOptions {
    let mut options = TcpOptions { timestamps: Some((7, 0)), ..TcpOptions::default() };
    options.tack.packet_number = Some(number);
    options
}

impl Listening {
    fn new(batch: bool) -> Self {
        let mut config = tack(TackForm::Kinds);
        config.tack = config.tack.map(|tack| TackConfig { batch, ..tack });
        let end = Endpoint::listen(config, address(B), SeqNumber(77));
        Self { now: Instant::from_secs(1), end, iss: SeqNumber(77) }
    }

    /// A segment comes, so many places above [`ISN`].
    fn hear(&mut self, flags: TcpFlags, above: u32, options: TcpOptions, len: u32) {
        let tcp = TcpHeader {
            seq: ISN + above,
            ack: if flags.contains(TcpFlags::ACK) { self.iss + 1 } else { SeqNumber(0) },
            flags,
            window: 60_000,
            options,
            ..TcpHeader::new(40_000, address(B).port())
        };
        hand_up(&mut self.end, self.now, tcp, len);
    }

    /// What it says: the kind of each TACK and IACK, and nothing for what is plain.
    fn say(&mut self) -> Vec<Option<AckKind>> {
        let sent = std::iter::from_fn(|| self.end.poll_transmit(self.now));
        let kinds = sent.map(|packet| {
            let tcp = packet.tcp().expect("an endpoint sends TCP");
            tcp.options.tack.ack_type.and_then(AckKind::of)
        });
        kinds.collect()
    }
}

#[test]
fn whoever_calls_after_one_who_gave_up_finds_tack_as_it_was() {
    let mut listening = Listening::new(false);
    listening.hear(TcpFlags::SYN, 0, offer(), 0);
    listening.say();
    // The fourth SYN offers nothing, and then the caller gives up.
    listening.hear(TcpFlags::SYN, 0, plain_offer(), 0);
    listening.say();
    assert_eq!(listening.end.tack_verdict(), Verdict::Fails);
    listening.hear(TcpFlags::RST, 1, TcpOptions::default(), 0);
    assert_eq!(listening.end.state(), State::Listen);
    listening.hear(TcpFlags::SYN, 0, offer(), 0);
    listening.say();
    listening.hear(TcpFlags::ACK, 1, TcpOptions { timestamps: Some((6, 0)), ..TcpOptions::default() }, 0);
    assert_eq!(listening.end.state(), State::Established);
    assert_ne!(listening.end.tack_verdict(), Verdict::Fails);
    assert!(std::iter::from_fn(|| listening.end.poll_event()).any(|event| event == Event::Connected));
}

#[test]
fn a_strangers_syn_takes_no_tack_away_nor_a_tack_its_answer() {
    // Where the host says when a batch is over, the TACK waits for that.
    for batch in [false, true] {
        for stranger_first in [false, true] {
            let mut listening = Listening::new(batch);
            listening.hear(TcpFlags::SYN, 0, offer(), 0);
            listening.say();
            listening.hear(TcpFlags::ACK, 1, TcpOptions { timestamps: Some((6, 0)), ..TcpOptions::default() }, 0);
            listening.say();
            listening.hear(TcpFlags::ACK, 1, numbered(1), 1000);
            if stranger_first {
                listening.hear(TcpFlags::SYN, 1_500, numbered(9), 0);
            }
            listening.hear(TcpFlags::ACK, 2_001, numbered(3), 1000);
            if !stranger_first {
                listening.hear(TcpFlags::SYN, 1_500, numbered(9), 0);
            }
            listening.end.end_batch(listening.now);
            let said = listening.say();
            assert!(said.contains(&Some(AckKind::Tack)) && said.contains(&None), "{batch}, {stranger_first}: {said:?}");
        }
    }
}

#[test]
fn what_is_reordered_behind_a_hole_that_is_filled_again_is_not_old_by_its_timestamp() {
    // The second segment is lost, the third late. What the second is sent again as has a newer timestamp than that, and covers the first byte that is missing.
    let stamped = |number: u32, stamp: u32| {
        let mut options = numbered(number);
        options.timestamps = Some((stamp, 0));
        options
    };
    // By its number the third may have come from before the sequence numbers wrapped.
    for (third, taken) in [
        (100_003, true),
        (100_005_u32 - (1 << 15) + 1, true),
        (100_005 - (1 << 15), false),
        (100_004, false),
        (100_006, false),
    ] {
        let mut listening = Listening::new(false);
        listening.hear(TcpFlags::SYN, 0, offer(), 0);
        listening.say();
        listening.hear(TcpFlags::ACK, 1, stamped(1, 10), 1000);
        listening.hear(TcpFlags::ACK, 3_001, stamped(100_004, 13), 1000);
        listening.say();
        listening.hear(TcpFlags::ACK, 1_001, stamped(100_005, 20), 1000);
        listening.say();
        listening.hear(TcpFlags::ACK, 2_001, stamped(third, 12), 1000);
        let stats = listening.end.stats();
        let expected = if taken { (0, Bytes(4_000)) } else { (1, Bytes(2_000)) };
        assert_eq!((stats.dropped_by_timestamp, stats.bytes_delivered), expected, "{third}: {stats:#?}");
    }
}

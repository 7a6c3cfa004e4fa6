//! What a receiver answers: SACK blocks, windows, timestamps, delayed acknowledgements.

use ackless_tcp::{AckChoice, Config, Consume};
use ackless_wire::{Bytes, Duration};

use crate::pair::{A, B, Pair, Path};
use crate::script::{ACK, FIN, Script, plain};

/// Sends the 500-byte segment number `n` of RFC 2018's examples, which begin at sequence number 5000, and returns the
/// acknowledgement with its blocks as sequence numbers.
fn rfc2018(script: &mut Script, n: u32) -> (u32, Vec<(u32, u32)>) {
    script.receive(ACK, 1 + 500 * n, 1, 500);
    let ack = script.one();
    (ack.ack + 4999, ack.sack.iter().map(|&(left, right)| (left + 4999, right + 4999)).collect())
}

fn every_segment() -> Config {
    Config { ack: AckChoice::Delayed { every: 1, timeout: Duration::from_millis(40) }, ..plain() }
}

#[test]
fn rfc_2018_case_1_the_last_four_of_eight_are_lost() {
    let mut script = Script::established(every_segment());
    for n in 0..4 {
        assert_eq!(rfc2018(&mut script, n), (5500 + 500 * n, vec![]));
    }
}

#[test]
fn rfc_2018_case_2_the_first_of_eight_is_lost() {
    let mut script = Script::established(every_segment());
    for n in 1..8 {
        assert_eq!(rfc2018(&mut script, n), (5000, vec![(5500, 5500 + 500 * n)]));
    }
}

#[test]
fn rfc_2018_case_3_every_other_one_is_lost() {
    let mut script = Script::established(every_segment());
    assert_eq!(rfc2018(&mut script, 0), (5500, vec![]));
    assert_eq!(rfc2018(&mut script, 2), (5500, vec![(6000, 6500)]));
    assert_eq!(rfc2018(&mut script, 4), (5500, vec![(7000, 7500), (6000, 6500)]));
    assert_eq!(rfc2018(&mut script, 6), (5500, vec![(8000, 8500), (7000, 7500), (6000, 6500)]));
    // The fourth, then the second arrive late.
    assert_eq!(rfc2018(&mut script, 3), (5500, vec![(6000, 7500), (8000, 8500)]));
    assert_eq!(rfc2018(&mut script, 1), (7500, vec![(8000, 8500)]));
}

#[test]
fn with_timestamps_three_blocks_fit_and_four_without() {
    for (timestamps, blocks) in [(Some(Duration::from_millis(1)), 3), (None, 4)] {
        let mut script = Script::established(Config { timestamps, ..every_segment() });
        for n in [2, 4, 6, 8] {
            rfc2018(&mut script, n);
        }
        assert_eq!(rfc2018(&mut script, 10).1.len(), blocks);
    }
}

#[test]
fn small_segments_draw_an_ack_when_their_bytes_add_up_and_the_timer_does_the_rest() {
    let mut script = Script::established(plain());
    script.receive(ACK, 1, 1, 1000);
    script.nothing();
    for n in 0..9 {
        script.receive(ACK, 1001 + 100 * n, 1, 100);
        script.nothing();
    }
    script.receive(ACK, 1901, 1, 100);
    assert_eq!(script.one().ack, 2001);
    script.receive(ACK, 2001, 1, 100);
    script.nothing();
    assert_eq!(script.wake(), Duration::from_millis(40));
    assert_eq!(script.one().ack, 2101);
}

#[test]
fn what_is_not_in_order_and_the_fin_are_acknowledged_at_once() {
    let config = Config { ack: AckChoice::Delayed { every: 8, timeout: Duration::from_millis(40) }, ..plain() };
    let mut script = Script::established(config);
    script.receive(ACK, 1001, 1, 1000);
    assert_eq!(script.one().ack, 1, "above a hole");
    script.receive(ACK, 1, 1, 1000);
    assert_eq!(script.one().ack, 2001, "the hole is filled");
    script.receive(ACK, 1, 1, 1000);
    assert_eq!(script.one().ack, 2001, "a duplicate");
    script.receive(ACK, 2001, 1, 1000);
    script.nothing();
    script.receive(FIN | ACK, 3001, 1, 0);
    assert_eq!(script.one().ack, 3002, "the FIN");
}

#[test]
fn a_fin_above_a_hole_counts_once_the_hole_is_filled() {
    let mut script = Script::established(plain());
    script.receive(FIN | ACK, 1001, 1, 500);
    assert_eq!((script.one().ack, script.events()), (1, vec![]));
    script.receive(ACK, 1, 1, 1000);
    assert_eq!(script.one().ack, 1502);
    assert!(script.events().contains(&ackless_tcp::Event::PeerClosed));
}

#[test]
fn data_piggybacks_the_acknowledgement() {
    let mut script = Script::established(plain());
    script.receive(ACK, 1, 1, 100);
    script.nothing();
    script.end.write(b"answer");
    let answer = script.one();
    assert_eq!((answer.len, answer.ack), (6, 101));
    script.receive(ACK, 101, 7, 0);
    assert_eq!(script.end.poll_timeout(), None, "no acknowledgement is held any more");
}

#[test]
fn the_window_closes_and_opens_by_a_segment_or_half_the_buffer() {
    let mut script = Script::established(Config { receive_buffer: Bytes(2_000), ..plain() });
    script.receive(ACK, 1, 1, 1000);
    script.receive(ACK, 1001, 1, 1000);
    let full = script.one();
    assert_eq!((full.ack, full.window), (2001, 0));
    assert_eq!(script.read(999), 999);
    script.nothing();
    assert_eq!(script.read(1), 1);
    let update = script.one();
    assert_eq!((update.ack, update.window), (2001, 1000));
}

#[test]
fn a_closed_window_refuses_text_but_takes_acknowledgements() {
    let mut script = Script::established(Config { receive_buffer: Bytes(1_000), ..plain() });
    script.receive(ACK, 1, 1, 1000);
    script.end.write(b"data");
    assert_eq!(script.one().window, 0);
    script.receive(ACK, 1001, 5, 1);
    assert_eq!(script.end.bytes_acked(), Bytes(4));
    let probe_answer = script.one();
    assert_eq!((probe_answer.ack, probe_answer.window), (1001, 0));
}

#[test]
fn what_lies_beyond_the_window_is_cut_off() {
    let mut script = Script::established(Config { receive_buffer: Bytes(1_500), ..plain() });
    script.receive(ACK, 1, 1, 1000);
    script.receive(FIN | ACK, 1001, 1, 1000);
    script.wake();
    assert_eq!(script.one().ack, 1501);
    assert_eq!(script.read(5000), 1500);
}

#[test]
fn a_scaled_window_names_the_whole_buffer() {
    let config = Config { window_scaling: true, receive_buffer: Bytes(1_000_000), ..plain() };
    let mut script = Script::calling(config);
    let syn = script.one();
    assert_eq!(syn.window, 65_535, "never scaled on a SYN");
    // The script's SYN has no window scale option: then nobody scales.
    script.receive(crate::script::SYN | ACK, 0, 1, 0);
    assert_eq!(script.one().window, 65_535);
}

#[test]
fn old_timestamps_are_refused_and_answered() {
    let mut script = Script::established(Config { timestamps: Some(Duration::from_millis(1)), ..plain() });
    let (_, echo) = script.stamps.expect("timestamps are agreed");
    script.stamps = Some((100, echo));
    script.receive(ACK, 1, 1, 1000);
    script.receive(ACK, 1001, 1, 1000);
    assert_eq!(script.one().stamps.map(|(_, echo)| echo), Some(100));
    script.stamps = Some((99, echo));
    script.receive(ACK, 2001, 1, 1000);
    assert_eq!(script.one().ack, 2001);
    assert_eq!(script.end.stats().dropped_by_timestamp, 1);
}

#[test]
fn the_echo_is_of_the_first_segment_that_a_delayed_acknowledgement_covers() {
    let mut script = Script::established(Config { timestamps: Some(Duration::from_millis(1)), ..plain() });
    for (value, seq) in [(50, 1), (60, 1001)] {
        script.stamps = script.stamps.map(|(_, echo)| (value, echo));
        script.receive(ACK, seq, 1, 1000);
    }
    assert_eq!(script.one().stamps.map(|(_, echo)| echo), Some(50));
}

#[test]
fn a_reader_whose_peer_cannot_hear_of_more_tells_it_of_no_window() {
    // RFC 9293, 3.8.6.2.2: what the field can name without scaling is the whole window, however large the buffer.
    let mut script = Script::established(Config { receive_buffer: Bytes(1_000_000), ..plain() });
    for segment in 0..20 {
        script.receive(ACK, 1 + segment * 1000, 1, 1000);
        if segment % 2 == 1 {
            assert_eq!(script.one().window, 65_535);
        }
        assert_eq!(script.read(1_000), 1_000);
        script.nothing();
    }
    // One that had to stop hears at once that it may go on: 65,535 bytes are twice what was left to it.
    let mut script = Script::established(Config { receive_buffer: Bytes(200_000), ..plain() });
    for segment in 0..190 {
        script.receive(ACK, 1 + segment * 1000, 1, 1000);
        script.all();
    }
    assert_eq!(script.read(100_000), 100_000);
    assert_eq!(script.one().window, 65_535);
}

#[test]
fn what_a_batch_has_brought_counts_against_the_window_until_it_is_read_and_then_the_sender_hears_of_it() {
    let config = Config {
        consume: Consume::Immediately,
        ack: AckChoice::PerPacket,
        receive_tuning: true,
        receive_buffer: Bytes(20_000),
        ..plain()
    };
    let mut script = Script::established(config);
    // 8,000 bytes of a window of 10,000, half of the memory, merged of segments of 1,000.
    script.receive_merged(1, 8000, Bytes(1000));
    let early = script.one();
    assert_eq!((early.ack, early.window), (8001, 2000), "the acknowledgement goes before the application reads");
    script.end.end_batch(script.now);
    let read = script.one();
    // Of the memory 1,000 in 2,304 are told then, 111 of 256: 20,000 * 111 / 256.
    assert_eq!((read.ack, read.window), (8001, 8671));
    script.end.end_batch(script.now);
    script.nothing();
}

/// Rounding up what the field names must not give back with each ACK what the segments before it took.
#[test]
fn a_buffer_that_tunes_itself_promises_no_more_than_its_memory_however_the_field_counts() {
    for (buffer, mss) in [(Bytes::from_kib(500 << 10), Bytes(1460)), (Bytes::from_kib(6 << 10), Bytes(100))] {
        let reader = Config {
            consume: Consume::ByApplication,
            ack: AckChoice::PerPacket,
            receive_tuning: true,
            receive_buffer: buffer,
            ..Config::default()
        };
        let mut pair = Pair::new([Config { mss, nagle: false, ..Config::default() }, reader], Path::of_delay(1), 1);
        pair.ends[A].send_forever();
        pair.run_for(Duration::from_secs(3));
        // Nobody has read, so the memory is what it began with (tcp_rmem[1]), and a window is a share of it.
        let readable = pair.ends[B].readable();
        assert!(
            readable > Bytes::ZERO && readable <= Bytes::from_kib(128),
            "{buffer:?}, segments of {mss:?}: {readable:?}"
        );
    }
}

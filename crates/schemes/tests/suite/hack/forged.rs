//! An attacker within hearing: what he can say in the station's name, and what a key takes from him.

use ackless_schemes::hack::{HackConfig, Mic, MicLen};
use ackless_wire::{Duration, Packet, TcpFlags};

use super::pair::{AP, Air, Pair, STATION, past};

fn with_key(len: MicLen) -> HackConfig {
    HackConfig { mic: Some(Mic { len, key: *b"not known to all" }), ..HackConfig::default() }
}

fn in_context(config: HackConfig, mpdus: usize) -> Pair {
    let mut pair = Pair::with_context(config, mpdus);
    assert_eq!(pair.wire(), [NATIVE.0]);
    pair
}

/// The only native ACK of [`Pair::with_context`]: its identification, and how many segments it acknowledges.
const NATIVE: (u16, u32) = (1, 3);

#[test]
fn data_that_waits_in_the_queue_is_acknowledged_by_nobody() {
    let mut pair = in_context(HackConfig::default(), 3);
    pair.queue_data();
    pair.forge(Pair::imitate(NATIVE, pair.forwarded()));
    assert_eq!((pair.wire(), pair.counters(AP).verify_failures), (vec![], 1));
}

/// The MAC ACK says that the segments came; the forged code, that TCP has them. Neither is so.
#[test]
fn without_a_key_whoever_forges_an_answer_forges_a_tcp_ack() {
    let mut pair = in_context(HackConfig::default(), 3);
    let lost = pair.data(3, true);
    pair.forge(Pair::imitate(NATIVE, pair.forwarded()));
    assert_eq!((pair.wire(), pair.counters(AP).emitted), (vec![NATIVE.0 + 1], 1));
    pair.exchange(&lost, Air::PpduLost);
}

#[test]
fn with_a_key_a_forged_answer_is_none_and_breaks_nothing() {
    for len in [MicLen::Four, MicLen::Eight] {
        let mut pair = in_context(with_key(len), 3);
        let plain = Pair::imitate(NATIVE, pair.forwarded());
        let guessed = [&plain[..], &[0, 1], &[0x5a; 8][..len.bytes()]].concat();
        for forged in [plain, guessed, vec![0], vec![0xff; 40]] {
            pair.forge(forged);
        }
        assert_eq!((pair.wire(), pair.counters(AP).forged, pair.counters(AP).emitted), (vec![], 4, 0));
        let id = pair.ack(0);
        pair.transfer();
        let data = pair.data(3, true);
        assert!(data.bits.sync, "to the AP an answer is missing");
        pair.exchange(&data, Air::Clear);
        assert_eq!((pair.wire(), pair.counters(AP).forged), (vec![id], 4));
        assert!(!pair.data(3, true).bits.sync && pair.data(1, true).bits.more_data, "no context is broken");
    }
}

#[test]
fn with_a_key_an_answer_that_was_heard_before_is_none() {
    let mut pair = in_context(with_key(MicLen::Four), 3);
    let mut heard = Vec::new();
    for n in 0..300_u64 {
        let id = pair.ack(0);
        pair.transfer();
        let data = pair.data(3, true);
        pair.exchange(&data, Air::Clear);
        assert_eq!(pair.wire(), [id], "{n}");
        heard.push(pair.overheard.clone());
        let again = heard[n as usize / 2].clone();
        pair.forge(again);
        assert_eq!((pair.wire(), pair.counters(AP).forged), (vec![], n + 1));
        // What follows is what SYNC asks for.
        let after = pair.data(3, true);
        pair.exchange(&after, Air::Clear);
        assert_eq!(pair.wire(), []);
    }
}

/// The worst place for a forgery: the true answer, with codes, is jammed. They come again.
#[test]
fn with_a_key_what_a_forged_answer_stood_in_for_is_not_lost() {
    let mut pair = in_context(with_key(MicLen::Eight), 3);
    let id = pair.ack(0);
    pair.transfer();
    let jammed = pair.data(3, true);
    let forged = Pair::imitate(NATIVE, pair.forwarded());
    pair.exchange_forged(&jammed, forged);
    assert_eq!((pair.wire(), pair.overheard.is_empty()), (vec![], false));
    let next = pair.data(3, true);
    assert!(next.bits.sync);
    pair.exchange(&next, Air::Clear);
    assert_eq!((pair.wire(), pair.counters(STATION).sync_kept), (vec![id], 1));
}

/// The true answer, with codes, is jammed, and a bare one stands in for it. Without a key the station takes its codes for delivered and lets go of them, so the next run begins behind a gap: the
/// context is broken, and MORE DATA off until the flow's next native ACK.
#[test]
fn without_a_key_a_bare_answer_in_place_of_one_with_codes_breaks_the_context_until_a_native_ack() {
    let mut pair = in_context(HackConfig::default(), 3);
    let lost = pair.ack(0);
    pair.transfer();
    let jammed = pair.data(3, true);
    pair.exchange_forged(&jammed, Vec::new());
    assert_eq!((pair.wire(), pair.overheard.is_empty()), (vec![], false));
    let next = pair.data(3, true);
    assert!(!next.bits.sync, "nothing tells a bare answer from one that had nothing to say");
    pair.exchange(&next, Air::Clear);
    pair.ack(0);
    pair.transfer();
    let behind = pair.data(3, true);
    pair.exchange(&behind, Air::Clear);
    let ap = pair.counters(AP);
    assert_eq!((ap.gaps, ap.forged, ap.emitted), (1, 0, 0), "{lost}");
    assert_eq!(pair.wire(), []);
    let withheld = pair.data(3, true);
    assert!(!withheld.bits.more_data, "the station is to send natively");
    pair.exchange(&withheld, Air::Clear);
    let native = pair.ack(0);
    pair.natives(pair.queued(), Air::Clear);
    assert!(pair.wire().contains(&native));
    assert!(pair.data(3, true).bits.more_data);
}

#[test]
fn with_a_key_a_bare_answer_is_none_and_what_it_stood_in_for_comes_again() {
    for len in [MicLen::Four, MicLen::Eight] {
        let mut pair = in_context(with_key(len), 3);
        let kept = pair.ack(0);
        pair.transfer();
        let jammed = pair.data(3, true);
        pair.exchange_forged(&jammed, Vec::new());
        assert_eq!((pair.wire(), pair.counters(AP).forged), (vec![], 1));
        let next = pair.data(3, true);
        assert!(next.bits.sync && next.bits.more_data, "to the AP an answer is missing, and no context is broken");
        let more = pair.ack(0);
        pair.transfer();
        pair.exchange(&next, Air::Clear);
        assert_eq!((pair.wire(), pair.counters(AP).gaps), (vec![kept, more], 0));
        assert!(!pair.data(3, true).bits.sync);
    }
}

/// The same the other way round: the native ACK is jammed, and a bare answer stands in for the AP's. Without a key the station takes the context for open.
#[test]
fn a_native_ack_opens_no_context_by_a_bare_answer_where_there_is_a_key() {
    for config in [HackConfig::default(), with_key(MicLen::Four)] {
        let mut pair = Pair::new(config);
        let first = pair.data(3, false);
        pair.exchange(&first, Air::Clear);
        pair.ack(0);
        let jammed = pair.launch_natives(1);
        pair.deliver(&jammed);
        let second = pair.data(3, true);
        pair.exchange(&second, Air::Clear);
        pair.ack(0);
        let with_key = config.mic.is_some();
        assert_eq!((pair.counters(STATION).forged, pair.queued()), (u64::from(with_key), usize::from(with_key)));
        pair.transfer();
        let third = pair.data(3, true);
        pair.exchange(&third, Air::Clear);
        assert_eq!(pair.counters(AP).unknown_context, u64::from(!with_key));
    }
}

#[test]
fn with_a_key_each_answer_has_its_code_and_none_is_longer_than_that() {
    for (len, bytes) in [(MicLen::Four, 6), (MicLen::Eight, 10)] {
        let mut pair = in_context(with_key(len), 3);
        let before = pair.counters(STATION).appended_bytes;
        let data = pair.data(3, true);
        assert_eq!(pair.exchange(&data, Air::Clear), Some(bytes));
        let station = pair.counters(STATION);
        assert_eq!((station.appended_bytes - before, station.appended_answers), (bytes as u64, 0));
    }
}

/// After so many answers without a right code the AP asks the station to say its ACKs natively: a count that got lost (an AP that restarts without a new association) leaves
/// it with plain TCP, and not with a guard timer for each ACK.
#[test]
fn with_a_key_a_row_of_forged_answers_takes_more_data_away_until_a_true_one() {
    let mut pair = in_context(with_key(MicLen::Four), 3);
    for n in 0..3 {
        assert!(pair.data(1, true).bits.more_data, "{n} in a row may be lost by chance");
        pair.forge(vec![0x5a; 12]);
    }
    assert!(!pair.data(1, true).bits.more_data);
    let id = pair.ack(0);
    pair.transfer();
    let data = pair.data(3, true);
    pair.exchange(&data, Air::Clear);
    assert_eq!(pair.wire(), [id]);
    assert!(pair.data(3, true).bits.more_data, "a right code is back");
    for _ in 0..3 {
        pair.forge(vec![0x5a; 12]);
    }
    pair.pass_time(Duration::from_millis(999));
    assert!(!pair.data(1, true).bits.more_data);
    pair.pass_time(Duration::from_millis(1));
    assert!(pair.data(1, true).bits.more_data, "nobody takes it away for good");
}

/// The forged ACK has passed, and what it acknowledges is lost: the server has forgotten it.
#[test]
fn a_client_that_contradicts_a_forged_ack_for_three_seconds_is_reset_and_so_is_its_server() {
    let mut pair = in_context(HackConfig::default(), 3);
    let lost = pair.data(3, true);
    let told = pair.forwarded();
    pair.forge(Pair::imitate(NATIVE, told));
    pair.exchange(&lost, Air::PpduLost);
    pair.give_up(&lost);
    let last = pair.data(1, false);
    pair.exchange(&last, Air::Clear);
    pair.packets();
    let is_reset = |packet: &Packet| packet.tcp().is_some_and(|tcp| tcp.flags.contains(TcpFlags::RST));
    for second in 0..4 {
        pair.ack_number(0, NATIVE.1);
        pair.natives(pair.queued(), Air::Clear);
        let resets: Vec<_> = pair.packets().into_iter().filter(is_reset).collect();
        let queued: Vec<_> = pair.queued_at_ap().into_iter().filter(is_reset).collect();
        let numbers = |packets: &[Packet]| {
            packets.iter().filter_map(Packet::tcp).map(|tcp| (tcp.seq.0, tcp.ack.0)).collect::<Vec<_>>()
        };
        let (waits, sends) = (past(NATIVE.1), 5000);
        let expected = if second < 3 { [vec![], vec![]] } else { [vec![(sends, past(told))], vec![(waits, sends)]] };
        assert_eq!([numbers(&resets), numbers(&queued)], expected, "after {second} s");
        pair.pass_time(Duration::from_secs(1));
    }
    assert_eq!(pair.counters(AP).contradicted, 1);
    // Each goes again, until the client opens a connection anew.
    pair.pass_time(Duration::from_secs(1));
    assert_eq!(pair.packets().iter().filter(|packet| is_reset(packet)).count(), 1);
    pair.segment(0, TcpFlags::SYN, 0);
    pair.natives(pair.queued(), Air::Clear);
    pair.packets();
    pair.pass_time(Duration::from_secs(100));
    assert_eq!(pair.packets(), []);
}

#[test]
fn a_client_that_gets_what_was_acknowledged_too_early_goes_on() {
    let mut pair = in_context(HackConfig::default(), 3);
    let late = pair.data(3, true);
    pair.forge(Pair::imitate(NATIVE, pair.forwarded()));
    pair.exchange(&late, Air::PpduLost);
    for step in 0..40 {
        // Two words, and then progress.
        pair.ack_number(0, NATIVE.1 + step / 16);
        let queued = pair.queued();
        if queued > 0 {
            pair.natives(queued, Air::Clear);
        }
        let last = pair.data(1, false);
        pair.exchange(&last, Air::Clear);
        pair.pass_time(Duration::from_millis(150));
    }
    assert_eq!(pair.counters(AP).contradicted, 0);
}

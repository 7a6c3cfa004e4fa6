//! Codes that are too long for an answer, and answers that last long.

use ackless_schemes::hack::{Fit, HackConfig};
use ackless_wire::Duration;

use super::pair::{AP, Air, Pair, STATION, colliding_flows};

#[test]
fn a_code_that_fits_on_no_answer_goes_natively_and_holds_nothing_back() {
    let mut pair =
        Pair::with_context(HackConfig { fit: Fit::WithinAifs, aifs: Duration::ZERO, ..HackConfig::default() }, 1);
    pair.wire();
    for round in 0..60 {
        let ack = pair.ack(0);
        pair.pass_time(Duration::from_millis(5));
        let data = pair.data(1, true);
        assert_eq!(pair.exchange(&data, Air::Clear), Some(0), "nothing fits in no time");
        if pair.queued() > 0 {
            pair.natives(pair.queued(), Air::Clear);
        }
        assert_eq!(pair.wire(), [ack], "it comes in its round, {round}");
    }
    assert!(pair.counters(STATION).too_long > 0);
    assert_eq!(pair.counters(STATION).guard_fired, 0);
}

#[test]
fn an_answer_of_tens_of_milliseconds_does_not_divide_the_ends_over_whose_an_identifier_is() {
    for lasts in [0, 30] {
        let (owner, other) = colliding_flows();
        let mut pair = Pair::new(HackConfig::default());
        let data = |pair: &mut Pair, flows: &[u16]| {
            let sent = pair.data_of(flows, true);
            pair.exchange(&sent, Air::Clear);
        };
        data(&mut pair, &[owner, other]);
        pair.ack(owner);
        pair.natives(1, Air::Clear);
        pair.pass_time(Duration::from_millis(500));
        pair.ack(owner);
        pair.transfer();
        // The station counts from the start of this answer, the AP from its end.
        pair.answer_lasts(Duration::from_millis(lasts));
        data(&mut pair, &[owner, other]);
        pair.answer_lasts(Duration::ZERO);
        data(&mut pair, &[other]);
        pair.pass_time(Duration::from_millis(1_015 - lasts));
        pair.ack(other);
        pair.natives(1, Air::Clear);
        pair.wire();
        let made: Vec<_> = (0..4).map(|_| pair.ack(other)).collect();
        if pair.queued() > 0 {
            pair.natives(pair.queued(), Air::Clear);
        }
        pair.transfer();
        data(&mut pair, &[other]);
        assert_eq!(pair.wire(), made, "none is lost after an answer of {lasts} ms");
        let ap = pair.counters(AP);
        assert_eq!((ap.gaps, ap.unknown_context, ap.crc_failures, ap.duplicates_discarded), (0, 0, 0, 0));
    }
}

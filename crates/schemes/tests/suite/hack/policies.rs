//! The other policies, what fits on an answer, and a NIC that is not ready.

use ackless_schemes::hack::{Fit, HackConfig, Mic, MicLen, Policy};
use ackless_wire::Duration;

use super::pair::{Air, Pair, STATION};

const BOTH: [usize; 2] = [1, 2];

#[test]
fn opportunistic_acks_are_taken_back_from_the_queue_if_data_comes_first() {
    let config = HackConfig { policy: Policy::Opportunistic, ..HackConfig::default() };
    for mpdus in BOTH {
        let mut pair = Pair::with_context(config, mpdus);
        pair.wire();
        let acks = [pair.ack(0), pair.ack(0), pair.ack(0)];
        assert_eq!(pair.queued(), 3);
        let data = pair.data(mpdus, false);
        assert!(pair.exchange(&data, Air::Clear).is_some_and(|appended| appended > 0));
        assert_eq!((pair.queued(), pair.wire()), (0, acks.to_vec()));
        assert_eq!(pair.counters(STATION).withdrawn, 3);
    }
}

#[test]
fn opportunistic_acks_on_the_air_stay_there_and_are_not_overtaken() {
    let config = HackConfig { policy: Policy::Opportunistic, ..HackConfig::default() };
    let mut pair = Pair::with_context(config, 2);
    pair.wire();
    let acks = [pair.ack(0), pair.ack(0)];
    let first = pair.launch_natives(1);
    let data = pair.data(2, false);
    assert_eq!(pair.exchange(&data, Air::Clear), Some(0), "the second would overtake the first");
    pair.land_natives(&first, Air::Clear);
    let data = pair.data(2, false);
    assert!(pair.exchange(&data, Air::Clear).is_some_and(|appended| appended > 0));
    assert_eq!(pair.wire(), acks);
}

#[test]
fn opportunistic_acks_that_the_nic_does_not_have_stay_in_the_queue() {
    let config = HackConfig {
        policy: Policy::Opportunistic,
        driver_to_nic: Duration::from_micros(150),
        ..HackConfig::default()
    };
    let mut pair = Pair::with_context(config, 2);
    pair.wire();
    let ack = pair.ack(0);
    let data = pair.data(2, true);
    assert_eq!(pair.exchange(&data, Air::Clear), Some(0));
    assert_eq!((pair.queued(), pair.counters(STATION).not_ready), (1, 1));
    pair.natives(1, Air::Clear);
    assert_eq!(pair.wire(), [ack]);
}

#[test]
fn the_explicit_timer_holds_every_ack_and_then_sends_it_natively() {
    let policy = Policy::ExplicitTimer(Duration::from_millis(5));
    for mpdus in BOTH {
        let mut pair = Pair::with_context(HackConfig { policy, ..HackConfig::default() }, mpdus);
        pair.wire();
        // Nothing more was promised, and still it is held.
        let last = pair.data(mpdus, false);
        pair.exchange(&last, Air::Clear);
        let acks = [pair.ack(0), pair.ack(0)];
        pair.pass_time(Duration::from_micros(4_999));
        assert_eq!(pair.queued(), 0);
        pair.pass_time(Duration::from_micros(1));
        assert_eq!((pair.queued(), pair.counters(STATION).timer_fired), (2, 1));
        pair.natives(2, Air::Clear);
        let held = pair.ack(0);
        pair.transfer();
        let data = pair.data(mpdus, false);
        pair.exchange(&data, Air::Clear);
        assert_eq!(pair.wire(), [acks[0], acks[1], held]);
    }
}

#[test]
fn what_does_not_fit_within_aifs_goes_on_later_answers() {
    let mic = |len| Some(Mic { len, key: *b"not known to all" });
    let all = BOTH.into_iter().flat_map(|mpdus| [None, mic(MicLen::Four), mic(MicLen::Eight)].map(|mic| (mpdus, mic)));
    for (mpdus, mic) in all {
        let aifs = Duration::from_micros(8);
        let config = HackConfig { fit: Fit::WithinAifs, aifs, mic, ..HackConfig::default() };
        let mut pair = Pair::with_context(config, mpdus);
        pair.wire();
        let acks: Vec<_> = (0..60).map(|_| pair.ack(0)).collect();
        pair.transfer();
        let mut answers = 0;
        let mut came = Vec::new();
        while came.len() < acks.len() {
            let data = pair.data(mpdus, true);
            let air = if answers % 3 == 1 { Air::AnswerLost } else { Air::Clear };
            let appended = pair.exchange(&data, air).expect("an answer was sent");
            // 8 us are two symbols of 12 bytes at 24 Mbps, and the answer leaves some of its last symbol;
            // count and code under the key are among them.
            assert!((1..=36).contains(&appended), "{appended}");
            if air == Air::AnswerLost {
                pair.give_up(&data);
            }
            answers += 1;
            came.extend(pair.wire());
        }
        assert_eq!(came, acks);
        assert!(answers > 3, "{answers}");
        let counters = pair.counters(STATION);
        assert_eq!(counters.answers_within_aifs, counters.appended_answers);
    }
}

#[test]
fn without_more_data_what_does_not_fit_goes_natively() {
    let config = HackConfig { fit: Fit::WithinAifs, aifs: Duration::from_micros(4), ..HackConfig::default() };
    let mut pair = Pair::with_context(config, 2);
    pair.wire();
    let acks: Vec<_> = (0..60).map(|_| pair.ack(0)).collect();
    pair.transfer();
    let last = pair.data(2, false);
    pair.exchange(&last, Air::Clear);
    let queued = pair.queued();
    assert!(queued > 10 && queued < 60, "{queued}");
    pair.natives(queued, Air::Clear);
    assert_eq!(pair.wire(), acks);
}

#[test]
fn what_the_nic_does_not_have_in_time_waits_if_more_was_promised() {
    for mpdus in BOTH {
        let mut pair = Pair::with_context(
            HackConfig { driver_to_nic: Duration::from_micros(150), ..HackConfig::default() },
            mpdus,
        );
        pair.wire();
        let ack = pair.ack(0);
        let data = pair.data(mpdus, true);
        assert_eq!(pair.exchange(&data, Air::Clear), Some(0));
        assert_eq!((pair.counters(STATION).not_ready, pair.queued()), (1, 0));
        let data = pair.data(mpdus, true);
        pair.exchange(&data, Air::Clear);
        assert_eq!(pair.wire(), [ack]);
    }
}

#[test]
fn what_the_nic_does_not_have_in_time_goes_natively_if_nothing_more_was_promised() {
    for mpdus in BOTH {
        let config = HackConfig { driver_to_nic: Duration::from_micros(150), ..HackConfig::default() };
        let mut pair = Pair::with_context(config, mpdus);
        pair.wire();
        let acks = [pair.ack(0), pair.ack(0)];
        let last = pair.data(mpdus, false);
        assert_eq!(pair.exchange(&last, Air::Clear), Some(0));
        assert_eq!((pair.counters(STATION).not_ready, pair.counters(STATION).requeued, pair.queued()), (1, 2, 2));
        pair.natives(2, Air::Clear);
        assert_eq!(pair.wire(), acks, "in their order");
    }
}

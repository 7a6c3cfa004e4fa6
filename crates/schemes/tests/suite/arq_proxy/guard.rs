//! The guard timer that sets itself: it follows the AP's rounds, and nothing else.

use ackless_schemes::arq_proxy::{ArqProxyConfig, Policy};
use ackless_wire::Duration;

use super::pair::{Air, Pair, STATION};

/// A pair that has exchanged so many segments, each so long after the last, with so many packets left at the AP each time.
fn rounds(policy: Policy, apart: Duration, count: u32, backlog: usize) -> Pair {
    let mut pair = Pair::new(ArqProxyConfig { policy, ..ArqProxyConfig::default() }).open();
    pair.backlog = backlog;
    for segment in 1..=count {
        round(&mut pair, segment, Air::Clear);
        pair.pass_time(apart);
        if pair.queued() > 0 {
            pair.natives(pair.queued(), Air::Clear);
        }
    }
    pair
}

/// A segment whose ACK is asked for in the answer to it.
fn round(pair: &mut Pair, segment: u32, air: Air) {
    let data = pair.data(&[segment]);
    pair.arrive(&data);
    pair.ack_later(segment + 1);
    assert!(pair.answer(&data, air).is_some(), "segment {segment} is asked for");
    pair.comes();
}

#[test]
fn time_in_which_the_access_point_has_nothing_to_send_does_not_lengthen_it() {
    for policy in [Policy::Race, Policy::MoreData] {
        let mut pair = rounds(policy, Duration::from_millis(500), 30, 0);
        round(&mut pair, 31, Air::AnswerLost);
        pair.pass_time(Duration::from_millis(99));
        assert_eq!(pair.queued(), 0, "{policy:?}");
        pair.pass_time(Duration::from_millis(2));
        assert_eq!(pair.queued(), 1, "{policy:?}");
    }
}

#[test]
fn it_follows_the_rounds_of_an_access_point_that_has_more() {
    for policy in [Policy::Race, Policy::MoreData] {
        for apart in [3, 40, 100].map(Duration::from_millis) {
            let mut pair = rounds(policy, apart, 30, 1);
            let learnt = pair.counters(STATION).rescued;
            round(&mut pair, 31, Air::Clear);
            pair.pass_time(apart);
            round(&mut pair, 32, Air::Clear);
            assert_eq!(pair.counters(STATION).rescued, learnt, "{policy:?}, {apart}");
        }
    }
}

#[test]
fn it_ends_before_the_sender_s_least_timeout_where_no_round_trip_is_known() {
    for apart in [3, 150, 1000].map(Duration::from_millis) {
        let mut pair = rounds(Policy::Race, apart, 30, 1);
        round(&mut pair, 31, Air::AnswerLost);
        for _ in 0..20 {
            pair.pass_time(Duration::from_millis(10));
        }
        assert_eq!(pair.queued(), 1, "{apart}");
    }
}

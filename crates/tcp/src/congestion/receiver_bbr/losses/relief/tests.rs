use super::*;

const SEGMENT: Bytes = Bytes(1_000);

/// So often a round of 1,000 segments that lost `before`, and one of as many, sent after a cut had shown, that lost `low`.
fn tell(relief: &mut Relief, times: usize, before: u64, low: u64) {
    for _ in 0..times {
        relief.end_round(SEGMENT * before, SEGMENT * 1_000, false);
        relief.end_round(SEGMENT * low, SEGMENT * 1_000, true);
    }
}

/// The same of a flow that knows nothing else.
fn told(times: usize, before: u64, low: u64) -> Relief {
    let mut relief = Relief::new();
    tell(&mut relief, times, before, low);
    relief
}

#[test]
fn cuts_are_in_vain_where_what_followed_sixteen_lost_seven_tenths_of_what_all_did() {
    // 14 of 1,000 are seven tenths of 40 of 2,000.
    for (before, low, none) in [(26, 14, true), (26, 13, false), (20, 20, true), (10, 20, true), (20, 0, false)] {
        assert_eq!(told(16, before, low).is_none(), none, "{before} {low}");
    }
}

#[test]
fn fewer_than_sixteen_cuts_say_nothing_and_of_more_the_latest_count() {
    assert!(!Relief::new().is_none());
    assert!(!told(15, 20, 20).is_none());
    // With 20 lost of each 1,000 but after the cuts that helped: 180 of 16,000 beside 500 of 32,000, and 160 beside 480.
    for (helped, none) in [(7, true), (8, false)] {
        let mut relief = told(16, 20, 20);
        tell(&mut relief, helped, 20, 0);
        assert_eq!(relief.is_none(), none, "{helped}");
        tell(&mut relief, 16, 20, 20);
        assert!(relief.is_none(), "{helped}");
    }
}

#[test]
fn segments_count_and_not_rounds() {
    // Of eight rounds in sixteen that are a tenth as long nothing was lost: 160 of 8,800 are more than 320 of 24,800 by far.
    let mut relief = Relief::new();
    tell(&mut relief, 8, 20, 20);
    for _ in 0..8 {
        relief.end_round(SEGMENT * 20, SEGMENT * 1_000, false);
        relief.end_round(Bytes::ZERO, SEGMENT * 100, true);
    }
    assert!(relief.is_none());
}

#[test]
fn where_more_than_a_twentieth_is_lost_in_all_no_cut_is_in_vain() {
    assert!(told(16, 50, 50).is_none());
    assert!(!told(16, 50, 51).is_none());
}

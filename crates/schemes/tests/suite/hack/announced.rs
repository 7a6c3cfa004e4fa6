//! How much must follow for the MORE DATA bit to be set.

use ackless_schemes::hack::HackConfig;

use super::pair::Pair;

#[test]
fn more_data_asks_for_a_share_of_what_the_ppdu_carries() {
    for (percent, mpdus, remain, promised) in [
        (0, 42, 1, true),
        (0, 42, 0, false),
        (10, 42, 4, false),
        (10, 42, 5, true),
        (50, 1, 1, true),
        (100, 2, 1, false),
    ] {
        let mut pair = Pair::new(HackConfig { announce_percent: percent, ..HackConfig::default() });
        let sent = pair.data_before(mpdus, remain);
        assert_eq!(sent.bits.more_data, promised, "{percent} %: {remain} behind {mpdus}");
    }
}

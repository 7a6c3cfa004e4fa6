//! A connection that goes on for longer than sequence numbers tell before from after.

use ackless_dot11::hooks::Verdict;
use ackless_wire::Duration;

use super::pair::{Pair, SEGMENT, buffer, flag};

/// The bytes of a step: two make the flow go on by an eighth of a GiB.
const STEP: u32 = 1 << 26;
/// 10 GiB.
const STEPS: u32 = 160;

#[test]
fn acks_are_swallowed_beyond_two_gib_as_before() {
    let mut pair = Pair::flowing(buffer(8));
    for n in 0..STEPS {
        let data = pair.segment_with(|tcp| tcp.seq += n.wrapping_mul(STEP), 1, STEP);
        pair.exchange(&data);
        let due = n % 2 == 1;
        if due {
            pair.pass_time(Duration::from_secs(1));
        }
        let verdict = pair.ack_with(1, |tcp| tcp.ack += (n + 1).wrapping_mul(STEP));
        assert_eq!(verdict, if due { Verdict::Pass } else { Verdict::Swallow }, "step {n}");
        pair.natives();
    }
}

#[test]
fn what_once_came_from_too_far_away_keeps_no_flag_off_later() {
    let mut pair = Pair::flowing(flag());
    let far = pair.segment_with(|tcp| tcp.seq = tcp.seq - (1 << 30) - SEGMENT, 0, SEGMENT);
    pair.exchange(&far);
    for n in 0..STEPS {
        let data = pair.segment_with(|tcp| tcp.seq += n.wrapping_mul(STEP), 1, STEP);
        pair.arrive(&[data]);
        let due = n % 2 == 1;
        if due {
            pair.pass_time(Duration::from_secs(1));
        }
        pair.ack_with(1, |tcp| tcp.ack += (n + 1).wrapping_mul(STEP));
        assert_eq!(pair.answer(&[data]), !due, "step {n}");
        pair.natives();
    }
}

//! Frames and what the player makes of them, frame by frame.

use ackless_wire::{BitRate, Duration};

use super::*;

/// 10 frames a second at 80 kbps: 1,000 bytes each. Starts with two, goes on with three.
fn config() -> VideoConfig {
    VideoConfig {
        rate: BitRate::from_kbps(80),
        frame: Duration::from_millis(100),
        group: 1,
        key_weight: 1,
        start: Duration::from_millis(200),
        resume: Duration::from_millis(300),
        catch_up: None,
    }
}

fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

const SHOWN: Option<Playout> = Some(Playout::Shown { damaged: false, skipped: 0 });
const DAMAGED: Option<Playout> = Some(Playout::Shown { damaged: true, skipped: 0 });

#[test]
fn a_group_has_its_rate_and_its_first_frame_the_weight_of_a_key_frame() {
    let config = VideoConfig { group: 4, key_weight: 5, ..config() };
    // 4,000 bytes in 8 parts, of which the key frame has 5.
    let sizes: Vec<u64> = (0..6).map(|n| (config.bytes(n + 1) - config.bytes(n)).get()).collect();
    assert_eq!(sizes, [2_500, 500, 500, 500, 2_500, 500]);
    let odd = VideoConfig { rate: BitRate::from_bps(3_333_333), frame: Duration::from_nanos(33_366_700), ..config };
    let year = 365 * 24 * 3_600 * 30;
    let expected = 3_333_333.0 * 0.033_366_7 * year as f64 / 8.0;
    assert!((odd.bytes(year).get() as f64 - expected).abs() < expected * 1e-12, "nothing is lost by rounding");
}

#[test]
fn a_stream_is_shown_from_the_first_threshold_on_and_after_a_stop_from_the_second() {
    let mut video = Video::new(config());
    for _ in 0..10 {
        assert_eq!(video.make(), Bytes(1_000));
    }
    assert_eq!(video.bytes_came(at(50), Bytes(1_999)), None, "one frame is whole");
    assert_eq!((video.due(), video.bytes_came(at(60), Bytes(2_000))), (None, SHOWN));
    assert_eq!((video.due(), video.play(at(159))), (Some(at(160)), None), "it is not due yet");
    assert_eq!(video.play(at(160)), SHOWN);
    assert_eq!((video.play(at(260)), video.due()), (Some(Playout::Stopped), None));
    assert_eq!(video.bytes_came(at(300), Bytes(4_999)), None);
    assert_eq!((video.bytes_came(at(310), Bytes(5_000)), video.due()), (SHOWN, Some(at(410))));
}

#[test]
fn what_is_not_made_is_not_there() {
    let mut video = Video::new(config());
    video.make();
    assert_eq!(video.bytes_came(at(0), Bytes(1_000_000)), None);
    video.make();
    assert_eq!(video.bytes_came(at(1), Bytes(1_000_000)), SHOWN);
}

#[test]
fn a_frame_without_one_of_its_datagrams_is_shown_damaged_when_a_later_one_has_begun() {
    let mut video = Video::new(VideoConfig { start: Duration::ZERO, resume: Duration::ZERO, ..config() });
    let mut numbers = Vec::new();
    for _ in 0..3 {
        let len = video.make();
        let lengths: Vec<_> = video.split(len, Bytes(400)).collect();
        assert_eq!(lengths, [Bytes(400), Bytes(400), Bytes(200)]);
        numbers.extend(lengths);
    }
    assert_eq!(numbers.len(), 9);
    // The second datagram is lost, and with the fourth a part of the second frame is there.
    assert_eq!((video.datagram_came(at(1), 1), video.datagram_came(at(2), 3)), (None, None));
    assert_eq!(video.datagram_came(at(3), 4), DAMAGED);
    assert_eq!(video.datagram_came(at(4), 2), None, "it comes too late");
    assert_eq!((video.datagram_came(at(5), 6), video.datagram_came(at(6), 5)), (None, None), "the second is whole");
    assert_eq!(video.play(at(103)), SHOWN);
    assert_eq!(video.play(at(203)), Some(Playout::Stopped));
    assert_eq!((7..=9).map(|id| video.datagram_came(at(210), id)).collect::<Vec<_>>(), [None, None, SHOWN]);
}

#[test]
fn datagrams_are_told_apart_beyond_16_bits() {
    let mut video = Video::new(VideoConfig { start: Duration::ZERO, ..config() });
    let mut now = 0;
    for number in 1..=200_000_u64 {
        let len = video.make();
        assert_eq!(video.split(len, Bytes(1_472)).count(), 1);
        let outcome = video.datagram_came(at(now), number as u16);
        if number == 1 {
            assert_eq!(outcome, SHOWN);
        } else {
            now += 100;
            assert_eq!((outcome, video.play(at(now))), (None, SHOWN), "datagram {number}");
        }
    }
}

#[test]
fn a_player_that_lags_too_far_behind_skips_to_its_first_threshold() {
    let mut video = Video::new(VideoConfig { catch_up: Some(Duration::from_millis(400)), ..config() });
    for _ in 0..9 {
        video.make();
    }
    assert_eq!(video.bytes_came(at(0), Bytes(4_000)), SHOWN);
    assert_eq!(video.bytes_came(at(10), Bytes(6_000)), None);
    // Five frames are there; the first two of four would do, and the rest is skipped.
    assert_eq!(video.play(at(100)), Some(Playout::Shown { damaged: false, skipped: 3 }));
    assert_eq!(video.play(at(200)), SHOWN);
    assert_eq!(video.play(at(300)), Some(Playout::Stopped));
}

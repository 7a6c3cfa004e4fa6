use super::*;

const SMSS: Bytes = Bytes(1_000);

/// After stretches of 1,000 segments that lost so many, what of 1,000 is noise, in bytes.
fn after(lost: &[u64]) -> u64 {
    let mut noise = Noise::new(SMSS);
    lost.iter().for_each(|&lost| noise.end_round(SMSS * lost, SMSS * 1_000, false));
    noise.of(SMSS * 1_000).get()
}

/// So many segments, and three deviations of that.
fn chance(segments: f64) -> u64 {
    ((segments + 3.0 * segments.sqrt()) * 1_000.0) as u64
}

#[test]
fn what_all_but_one_of_the_last_eight_stretches_lost_is_noise_or_all_of_the_last_four() {
    for (lost, noise) in [
        (&[][..], 0.0),
        (&[15; 8], 15.0),
        // In any order; what came before does not count.
        (&[0, 0, 0, 15, 15, 15, 0, 15, 15, 15, 15], 15.0),
        (&[15, 15, 15, 15, 15, 15, 0, 15], 15.0),
        (&[15, 15, 0, 15, 0, 15, 15, 15], 0.0),
        (&[0, 0, 0, 0, 20, 15, 17, 16], 15.0),
        (&[0, 0, 0, 0, 0, 15, 17, 16], 0.0),
        (&[9, 9, 5, 9, 7, 9, 8, 8], 7.0),
        // As long as there are fewer, all.
        (&[15], 15.0),
        (&[0, 15, 15, 15, 15], 0.0),
        (&[15, 15, 15, 15, 15, 15, 5], 5.0),
        // Beyond a fifth nothing is.
        (&[300; 8], 200.0),
    ] {
        assert_eq!(after(lost), chance(noise), "{lost:?}");
    }
}

#[test]
fn a_stretch_is_of_200_segments_however_many_rounds_those_take() {
    let mut noise = Noise::new(SMSS);
    let mut end_round = |lost: u64, sent: u64| {
        noise.end_round(SMSS * lost, SMSS * sent, false);
        noise.of(SMSS * 100)
    };
    // 2 of 200 are 1 of 100.
    assert_eq!([(1, 50), (0, 50), (1, 50), (0, 49)].map(|(lost, sent)| end_round(lost, sent)), [Bytes::ZERO; 4]);
    assert_eq!(end_round(0, 1), Bytes(chance(1.0)));
    // What one has lost is nothing to the next.
    assert_eq!(end_round(0, 199), Bytes(chance(1.0)));
    assert_eq!(end_round(0, 1), Bytes::ZERO);
}

#[test]
fn noise_is_no_more_than_the_last_four_rounds_lost_together_that_followed_cuts() {
    let mut noise = Noise::new(SMSS);
    (0..8).for_each(|_| noise.end_round(SMSS * 30, SMSS * 1_000, false));
    let mut low = |lost: u64, sent: u64| {
        noise.end_round(SMSS * lost, SMSS * sent, true);
        noise.of(SMSS * 1_000).get()
    };
    assert_eq!([low(0, 20), low(1, 80), low(2, 50)], [0.0, 10.0, 20.0].map(chance));
    // 4 of 170, and then without the first of them 4 of 160. They are less than a stretch.
    assert_eq!([low(1, 20), low(0, 10)], [23.529, 25.0].map(chance));
}

#[test]
fn of_fewer_than_fifty_segments_none_is_noise() {
    let mut noise = Noise::new(SMSS);
    noise.end_round(SMSS * 20, SMSS * 1_000, false);
    assert_eq!([49, 50].map(|sent| noise.of(SMSS * sent)), [Bytes::ZERO, Bytes(chance(1.0))]);
}

//! The rate of the control answer to a frame at every rate of every standard.

use ackless_phy::{
    Band, BasicRates, DsssMode, DsssRate, GuardInterval, HtMode, LegacyRate, OfdmRate, Preamble, Standard, TxVector,
    VhtMode, Width,
};

use OfdmRate::{Mbps6, Mbps9, Mbps12, Mbps18, Mbps24, Mbps36, Mbps48, Mbps54};

const BANDS: [Band; 2] = [Band::Ghz2_4, Band::Ghz5];
const GUARDS: [GuardInterval; 2] = [GuardInterval::Long, GuardInterval::Short];
const WIDTHS: [Width; 4] = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160];

/// For each rate of 802.11a and g: the answer with the basic rates 6, 12 and 24; with 6 only; with 24 only; with all
/// eight.
const OFDM: [(OfdmRate, [OfdmRate; 4]); 8] = [
    (Mbps6, [Mbps6, Mbps6, Mbps6, Mbps6]),
    (Mbps9, [Mbps6, Mbps6, Mbps6, Mbps9]),
    (Mbps12, [Mbps12, Mbps6, Mbps12, Mbps12]),
    (Mbps18, [Mbps12, Mbps6, Mbps12, Mbps18]),
    (Mbps24, [Mbps24, Mbps6, Mbps24, Mbps24]),
    (Mbps36, [Mbps24, Mbps6, Mbps24, Mbps36]),
    (Mbps48, [Mbps24, Mbps6, Mbps24, Mbps48]),
    (Mbps54, [Mbps24, Mbps6, Mbps24, Mbps54]),
];

/// For each coding of 802.11n and ac, by MCS (of n: modulo 8): the non-HT reference rate of Table 10-10.
const REFERENCE: [OfdmRate; 10] = [Mbps6, Mbps12, Mbps18, Mbps24, Mbps36, Mbps48, Mbps54, Mbps54, Mbps54, Mbps54];

fn ofdm_sets() -> [BasicRates; 4] {
    let of = |rates: &[OfdmRate]| rates.iter().fold(BasicRates::NONE, |set, &rate| set.with(LegacyRate::Ofdm(rate)));
    [BasicRates::of(Standard::A), of(&[Mbps6]), of(&[Mbps24]), of(&OfdmRate::ALL)]
}

#[test]
fn usual_basic_rates_are_six_twelve_and_twenty_four() {
    let six_twelve_twenty_four = |standard| {
        let basic = BasicRates::of(standard);
        LegacyRate::ALL.into_iter().filter(|&rate| basic.contains(rate)).collect::<Vec<_>>()
    };
    for standard in [Standard::A, Standard::G, Standard::N, Standard::Ac] {
        assert_eq!(six_twelve_twenty_four(standard), [Mbps6, Mbps12, Mbps24].map(LegacyRate::Ofdm), "{standard:?}");
    }
    assert_eq!(six_twelve_twenty_four(Standard::B), [DsssRate::Mbps1, DsssRate::Mbps2].map(LegacyRate::Dsss));
}

#[test]
fn every_ofdm_rate_is_answered_as_the_table_says() {
    for band in BANDS {
        for (rate, answers) in OFDM {
            for (basic, answer) in ofdm_sets().iter().zip(answers) {
                assert_eq!(
                    TxVector::ofdm(rate, band).answer(basic),
                    TxVector::ofdm(answer, band),
                    "{rate:?} {basic:?}"
                );
            }
        }
    }
}

#[test]
fn every_ht_and_vht_frame_is_answered_as_its_reference_rate() {
    let answer_to = |rate| OFDM.into_iter().find(|(sent, _)| *sent == rate).expect("the table is complete").1;
    let mut frames = Vec::new();
    for (width, guard) in WIDTHS.into_iter().flat_map(|width| GUARDS.map(|guard| (width, guard))) {
        for band in BANDS {
            let modes =
                (0..32).filter_map(|mcs| Some((mcs % 8, TxVector::Ht(HtMode::new(mcs, width, guard, band).ok()?))));
            frames.extend(modes.map(|(mcs, vector)| (mcs, vector, band)));
        }
        for streams in 1..=8 {
            let modes =
                (0..10).filter_map(|mcs| Some((mcs, TxVector::Vht(VhtMode::new(mcs, streams, width, guard).ok()?))));
            frames.extend(modes.map(|(mcs, vector)| (mcs, vector, Band::Ghz5)));
        }
    }
    assert_eq!(frames.len(), 2 * 2 * 2 * 32 + 2 * (4 * 80 - 10));
    for (mcs, vector, band) in frames {
        let reference = REFERENCE[usize::from(mcs)];
        assert_eq!(vector.non_ht_reference(), LegacyRate::Ofdm(reference), "{vector}");
        for (basic, answer) in ofdm_sets().iter().zip(answer_to(reference)) {
            assert_eq!(vector.answer(basic), TxVector::ofdm(answer, band), "{vector}, {basic:?}");
        }
    }
}

#[test]
fn forty_megahertz_with_short_guard_answers_15_mbps_at_6_and_30_and_45_at_12() {
    let basic = BasicRates::of(Standard::N);
    let answers = [0, 1, 2, 3, 4, 5, 6, 7].map(|mcs| {
        let mode = HtMode::new(mcs, Width::Mhz40, GuardInterval::Short, Band::Ghz5).expect("an HT mode");
        let vector = TxVector::Ht(mode);
        (vector.rate().bps() / 1_000_000, vector.answer(&basic).rate().bps() / 1_000_000)
    });
    assert_eq!(answers, [(15, 6), (30, 12), (45, 12), (60, 24), (90, 24), (120, 24), (135, 24), (150, 24)]);
}

#[test]
fn every_dsss_rate_is_answered_as_the_table_says() {
    use DsssRate::{Mbps1, Mbps2, Mbps5_5, Mbps11};
    let of = |rates: &[DsssRate]| rates.iter().fold(BasicRates::NONE, |set, &rate| set.with(LegacyRate::Dsss(rate)));
    // The answers to 1, 2, 5.5 and 11 Mbps: all four are mandatory, so a set without a rate low enough answers at the
    // frame's own.
    let table = [
        (BasicRates::of(Standard::B), [Mbps1, Mbps2, Mbps2, Mbps2]),
        (of(&[Mbps1]), [Mbps1, Mbps1, Mbps1, Mbps1]),
        (of(&DsssRate::ALL), [Mbps1, Mbps2, Mbps5_5, Mbps11]),
        (of(&[Mbps11]), [Mbps1, Mbps2, Mbps5_5, Mbps11]),
        (BasicRates::NONE, [Mbps1, Mbps2, Mbps5_5, Mbps11]),
        (BasicRates::of(Standard::A), [Mbps1, Mbps2, Mbps5_5, Mbps11]),
    ];
    for (basic, answers) in table {
        for (rate, answer) in DsssRate::ALL.into_iter().zip(answers) {
            assert_eq!(TxVector::dsss(rate).answer(&basic), TxVector::dsss(answer), "{rate:?} {basic:?}");
        }
    }
}

#[test]
fn a_dsss_answer_keeps_the_preamble_where_its_rate_has_it() {
    let short = |rate| TxVector::Dsss(DsssMode::new(rate, Preamble::Short).expect("a short-preamble mode"));
    assert_eq!(short(DsssRate::Mbps11).answer(&BasicRates::of(Standard::B)), short(DsssRate::Mbps2));
    let one = BasicRates::NONE.with(LegacyRate::Dsss(DsssRate::Mbps1));
    assert_eq!(short(DsssRate::Mbps11).answer(&one), TxVector::dsss(DsssRate::Mbps1));
}

use super::*;
use crate::coding::{Band, GuardInterval, Width};
use crate::dsss::DsssMode;
use crate::ofdm::OfdmRate;
use crate::vht::VhtMode;

fn ofdm(rate: OfdmRate) -> TxVector {
    TxVector::ofdm(rate, Band::Ghz5)
}

fn vht(mcs: u8) -> TxVector {
    TxVector::Vht(VhtMode::new(mcs, 1, Width::Mhz80, GuardInterval::Long).expect("a VHT mode"))
}

fn dsss(rate: DsssRate) -> TxVector {
    TxVector::Dsss(DsssMode::long(rate))
}

/// The lowest SNR, in tenths of a decibel, at which nine of ten 1,000-byte frames arrive.
fn needed_snr(vector: TxVector) -> i32 {
    (-200..600)
        .find(|&tenths| BitErrors::new(vector, Db(f64::from(tenths) / 10.0)).success(Bytes(1000)) >= 0.9)
        .expect("60 dB are enough for everything")
}

#[test]
fn bit_error_rates_equal_those_worked_term_by_term() {
    // Way of sending, SNR in dB, and the bit error rate, summed term by term with another library's erfc.
    let cases = [
        (ofdm(OfdmRate::Mbps6), 3.5, 4.420598e-05),
        (ofdm(OfdmRate::Mbps9), 7.0, 5.342097e-06),
        (ofdm(OfdmRate::Mbps12), 6.5, 4.580154e-05),
        (ofdm(OfdmRate::Mbps18), 10.0, 5.534586e-06),
        (ofdm(OfdmRate::Mbps24), 13.0, 4.400454e-05),
        (ofdm(OfdmRate::Mbps36), 16.5, 1.252324e-05),
        (ofdm(OfdmRate::Mbps48), 21.0, 2.698738e-05),
        (ofdm(OfdmRate::Mbps54), 22.5, 1.267085e-05),
        (vht(7), 24.0, 4.515168e-06),
        (vht(8), 28.0, 3.559919e-05),
        (vht(9), 30.0, 3.549858e-06),
        (dsss(DsssRate::Mbps1), 0.0, 4.555594e-04),
        (dsss(DsssRate::Mbps2), 2.0, 1.576357e-03),
        (dsss(DsssRate::Mbps5_5), 4.0, 2.750933e-05),
        (dsss(DsssRate::Mbps11), 6.0, 4.019477e-04),
    ];
    for (vector, snr, expected) in cases {
        let got = BitErrors::new(vector, Db(snr)).probability();
        assert!((got / expected - 1.0_f64).abs() < 1e-5, "{vector} at {snr} dB: {got:e}, not {expected:e}");
    }
}

#[test]
fn a_better_signal_is_never_worse() {
    for vector in crate::tx_vector::tests::every_vector() {
        let mut before = 0.0;
        for half_decibels in -40..120 {
            let success = BitErrors::new(vector, Db(f64::from(half_decibels) / 2.0)).success(Bytes(1500));
            assert!((before..=1.0).contains(&success), "{vector} at {half_decibels}/2 dB: {before} then {success}");
            before = success;
        }
        assert!(before > 1.0 - 1e-9, "{vector} works at 60 dB");
    }
}

#[test]
fn a_faster_mode_of_a_phy_needs_more_signal() {
    let needed: Vec<_> = (0..=9).map(|mcs| needed_snr(vht(mcs))).collect();
    assert!(needed.is_sorted(), "VHT: {needed:?}");
    // 5.5 Mbps is 802.11b's exception: CCK with 4 bits gains more from its code than it pays for the rate over DQPSK.
    let needed = DsssRate::ALL.into_iter().filter(|&rate| rate != DsssRate::Mbps5_5).map(|rate| needed_snr(dsss(rate)));
    let needed: Vec<_> = needed.collect();
    assert!(needed.is_sorted(), "DSSS: {needed:?}");
    // 9 Mbps is the known exception of 802.11a: BPSK 3/4 needs more than QPSK 1/2 at 12 Mbps.
    let needed = OfdmRate::ALL.into_iter().filter(|&rate| rate != OfdmRate::Mbps9).map(|rate| needed_snr(ofdm(rate)));
    let needed: Vec<_> = needed.collect();
    assert!(needed.is_sorted(), "OFDM: {needed:?}");
}

#[test]
fn two_frames_arrive_as_one_of_both_lengths() {
    let errors = BitErrors::new(ofdm(OfdmRate::Mbps54), Db(22.0));
    let (a, b, both) = (errors.success(Bytes(700)), errors.success(Bytes(800)), errors.success(Bytes(1500)));
    assert!((a * b / both - 1.0).abs() < 1e-12);
    assert!(0.0 < both && both < a && a < 1.0, "{both} {a}");
}

#[test]
fn no_signal_carries_nothing_and_a_perfect_one_everything() {
    for vector in [ofdm(OfdmRate::Mbps6), vht(9), dsss(DsssRate::Mbps1), dsss(DsssRate::Mbps11)] {
        for nothing in [Db(f64::NEG_INFINITY), Db(f64::NAN)] {
            assert!(BitErrors::new(vector, nothing).success(Bytes(100)) < 1e-200, "{vector} at {nothing:?}");
        }
        assert_eq!(BitErrors::new(vector, Db(f64::INFINITY)).success(Bytes(65_535)), 1.0);
    }
    assert_eq!(BitErrors::NONE.success(Bytes(1_048_575)), 1.0);
}

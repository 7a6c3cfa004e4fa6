use super::*;
use crate::coding::GuardInterval;
use crate::dsss::Preamble;
use crate::mode_error::ModeError;

/// Every way of sending that exists.
pub(crate) fn every_vector() -> Vec<TxVector> {
    let guards = [GuardInterval::Long, GuardInterval::Short];
    let widths = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160];
    let bands = [Band::Ghz2_4, Band::Ghz5];
    let mut all = Vec::new();
    for preamble in [Preamble::Long, Preamble::Short] {
        all.extend(DsssRate::ALL.iter().filter_map(|&rate| DsssMode::new(rate, preamble).ok()).map(TxVector::Dsss));
    }
    for band in bands {
        all.extend(OfdmRate::ALL.map(|rate| TxVector::ofdm(rate, band)));
        for (mcs, width, guard) in product(0..=255, &widths, &guards) {
            all.extend(HtMode::new(mcs, width, guard, band).ok().map(TxVector::Ht));
        }
    }
    for streams in 0..=255 {
        for (mcs, width, guard) in product(0..=255, &widths, &guards) {
            all.extend(VhtMode::new(mcs, streams, width, guard).ok().map(TxVector::Vht));
        }
    }
    all
}

fn product<'a>(
    mcs: std::ops::RangeInclusive<u8>,
    widths: &'a [Width],
    guards: &'a [GuardInterval],
) -> impl Iterator<Item = (u8, Width, GuardInterval)> + 'a {
    mcs.flat_map(move |mcs| widths.iter().flat_map(move |&width| guards.iter().map(move |&guard| (mcs, width, guard))))
}

#[test]
fn there_are_as_many_modes_as_in_the_tables() {
    let all = every_vector();
    let count = |of: fn(&TxVector) -> bool| all.iter().filter(|vector| of(vector)).count();
    assert_eq!(count(|vector| matches!(vector, TxVector::Dsss(_))), 7);
    assert_eq!(count(|vector| matches!(vector, TxVector::Ofdm(_))), 2 * 8);
    assert_eq!(count(|vector| matches!(vector, TxVector::Ht(_))), 2 * 32 * 2 * 2);
    // 10 MCSs, 8 numbers of streams, 4 widths, 2 guard intervals, less ten exclusions.
    assert_eq!(count(|vector| matches!(vector, TxVector::Vht(_))), (10 * 8 * 4 - 10) * 2);
}

#[test]
fn the_longest_psdu_fits_and_one_byte_more_does_not() {
    for vector in every_vector() {
        assert_eq!(vector.max_psdu(Duration::MAX), vector.longest_psdu(), "{vector}");
        for micros in [0, 19, 20, 36, 41, 60, 100, 193, 250, 1_000, 2_080, 3_264, 5_484, 100_000] {
            let limit = Duration::from_micros(micros);
            let longest = vector.max_psdu(limit);
            if longest == Bytes::ZERO {
                assert!(vector.duration(Bytes(1)) > limit, "{vector} in {limit}");
                continue;
            }
            assert!(vector.duration(longest) <= limit, "{vector} in {limit}: {longest}");
            let capped = longest == vector.longest_psdu();
            assert!(capped || vector.duration(longest + Bytes(1)) > limit, "{vector} in {limit}: {longest}");
        }
    }
}

#[test]
fn coded_and_data_bits_divide_among_the_encoders() {
    for vector in every_vector() {
        let (encoders, bits) = match vector {
            TxVector::Ht(mode) => (mode.encoders(), mode.bits_per_symbol()),
            TxVector::Vht(mode) => (mode.encoders(), mode.bits_per_symbol()),
            TxVector::Dsss(_) | TxVector::Ofdm(_) => continue,
        };
        let modulation = vector.coding().expect("HT and VHT are OFDM").modulation;
        let coded = vector.width().data_subcarriers() * modulation.bits() * vector.streams();
        assert_eq!(coded % encoders, 0, "{vector}: {coded} coded bits on {encoders} encoders");
        assert_eq!(bits % encoders, 0, "{vector}: {bits} data bits on {encoders} encoders");
        // The short guard interval's rate decides: at most 300 Mbps (HT) or 600 Mbps (VHT) for each encoder.
        let most = if matches!(vector, TxVector::Ht(_)) { 1_080 } else { 2_160 };
        assert!(bits <= most * encoders, "{vector}");
    }
}

#[test]
fn eof_padding_fills_the_last_symbol_and_takes_no_time() {
    for vector in every_vector() {
        let TxVector::Vht(mode) = vector else { continue };
        for apep in [30, 1_542, 65_000] {
            let padded = mode.padded_psdu(Bytes(apep));
            assert!(padded >= Bytes(apep));
            assert_eq!(vector.duration(padded), vector.duration(Bytes(apep)), "{vector}, {apep}");
            let (symbols, more) = (coding_symbols(mode, padded), coding_symbols(mode, padded + Bytes(1)));
            assert_eq!(more, symbols + 1, "{vector}, {apep}");
        }
    }
}

fn coding_symbols(mode: VhtMode, psdu: Bytes) -> u64 {
    crate::coding::symbols(psdu, mode.bits_per_symbol(), mode.encoders())
}

#[test]
fn rates_are_those_of_the_data_sheets() {
    let ht = |mcs, width, guard| TxVector::Ht(HtMode::new(mcs, width, guard, Band::Ghz5).expect("an HT mode")).rate();
    let vht = |mcs, streams, width| {
        TxVector::Vht(VhtMode::new(mcs, streams, width, GuardInterval::Short).expect("a VHT mode")).rate()
    };
    assert_eq!(ht(7, Width::Mhz40, GuardInterval::Short), BitRate::from_mbps(150));
    assert_eq!(ht(7, Width::Mhz20, GuardInterval::Long), BitRate::from_mbps(65));
    assert_eq!(ht(7, Width::Mhz20, GuardInterval::Short).bps(), 72_222_222);
    assert_eq!(ht(15, Width::Mhz40, GuardInterval::Short), BitRate::from_mbps(300));
    assert_eq!(ht(31, Width::Mhz40, GuardInterval::Short), BitRate::from_mbps(600));
    assert_eq!(vht(9, 1, Width::Mhz80).bps(), 433_333_333);
    assert_eq!(vht(9, 2, Width::Mhz80).bps(), 866_666_666);
    assert_eq!(vht(9, 8, Width::Mhz160).bps(), 6_933_333_333);
}

#[test]
fn an_impossible_mode_says_what_is_possible() {
    let vht = |mcs, streams, width| VhtMode::new(mcs, streams, width, GuardInterval::Long).expect_err("no such mode");
    assert_eq!(vht(10, 1, Width::Mhz80), ModeError::NoVhtMcs { mcs: 10 });
    assert_eq!(vht(9, 0, Width::Mhz80), ModeError::NoVhtStreams { streams: 0 });
    let message = "802.11ac excludes MCS 9 with 1 spatial stream(s) at 20 MHz; use a lower MCS, or another width";
    assert_eq!(vht(9, 1, Width::Mhz20).to_string(), message);
    let ht = |mcs, width| HtMode::new(mcs, width, GuardInterval::Long, Band::Ghz5).expect_err("no such mode");
    assert_eq!(ht(32, Width::Mhz20).to_string(), "802.11n has no MCS 32 with equal modulation; allowed: 0 to 31");
    assert_eq!(ht(0, Width::Mhz80), ModeError::NoHtWidth { width: Width::Mhz80 });
    assert_eq!(DsssMode::new(DsssRate::Mbps1, Preamble::Short), Err(ModeError::ShortPreambleAt1Mbps));
}

#[test]
fn a_vector_is_small_enough_to_copy() {
    assert!(size_of::<TxVector>() <= 8);
}

//! Frame durations against cases worked from the standard outside the crate: `worked_cases.txt`, made by
//! `worked_cases.py`.

use ackless_phy::{
    AmpduLength, Band, DsssMode, DsssRate, GuardInterval, HtMode, MpduSpacing, OfdmRate, Preamble, TxVector, VhtMode,
    Width,
};
use ackless_wire::{Bytes, Duration};

const CASES: &str = include_str!("worked_cases.txt");

/// One line of the table.
struct Case<'a> {
    line: &'a str,
    vector: TxVector,
    mpdus: u64,
    mpdu: Bytes,
    psdu: Bytes,
    bits_per_symbol: u64,
    /// Nothing for DSSS.
    encoders: Option<u64>,
    symbols: u64,
    training_fields: u64,
    preamble: Duration,
    payload: Duration,
    extension: Duration,
    duration: Duration,
}

impl<'a> Case<'a> {
    fn parse(line: &'a str) -> Self {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let [_clause, format, rate, streams, mhz, guard, ghz, _what, mpdus, numbers @ ..] = cells.as_slice() else {
            panic!("a case has 18 columns: {line}");
        };
        let vector = vector(format, rate, streams, mhz, guard, ghz);
        let (count, length) = mpdus.split_once('x').expect("count x length");
        let [psdu, bits, encoders, symbols, training, preamble, payload, extension, duration] =
            <[&str; 9]>::try_from(numbers).expect("18 columns");
        Self {
            line,
            vector,
            mpdus: number(count),
            mpdu: Bytes(number(length)),
            psdu: Bytes(number(psdu)),
            bits_per_symbol: number(bits),
            encoders: (encoders != "-").then(|| number(encoders)),
            symbols: number(symbols),
            training_fields: number(training),
            preamble: Duration::from_micros(number(preamble)),
            payload: Duration::from_micros(number(payload)),
            extension: Duration::from_micros(number(extension)),
            duration: Duration::from_micros(number(duration)),
        }
    }
}

fn number(cell: &str) -> u64 {
    cell.parse().unwrap_or_else(|_| panic!("{cell} is a number"))
}

fn vector(format: &str, rate: &str, streams: &str, mhz: &str, guard: &str, ghz: &str) -> TxVector {
    let band = if ghz == "5" { Band::Ghz5 } else { Band::Ghz2_4 };
    let width = match mhz {
        "40" => Width::Mhz40,
        "80" => Width::Mhz80,
        "160" => Width::Mhz160,
        _ => Width::Mhz20,
    };
    let interval = if guard == "short" { GuardInterval::Short } else { GuardInterval::Long };
    let mcs = || rate.parse().expect("an MCS index");
    match format {
        "dsss" => {
            let rate = match rate {
                "1" => DsssRate::Mbps1,
                "2" => DsssRate::Mbps2,
                "5.5" => DsssRate::Mbps5_5,
                _ => DsssRate::Mbps11,
            };
            let preamble = if guard == "short" { Preamble::Short } else { Preamble::Long };
            TxVector::Dsss(DsssMode::new(rate, preamble).expect("a DSSS mode"))
        }
        "ofdm" => {
            let mbps = number(rate) * 1_000_000;
            let rate = OfdmRate::ALL.into_iter().find(|rate| rate.bits().bps() == mbps).expect("an OFDM rate");
            TxVector::ofdm(rate, band)
        }
        "ht" => TxVector::Ht(HtMode::new(mcs(), width, interval, band).expect("an HT mode")),
        "vht" => {
            let streams = streams.parse().expect("a number of streams");
            TxVector::Vht(VhtMode::new(mcs(), streams, width, interval).expect("a VHT mode"))
        }
        _ => panic!("no PHY is called {format}"),
    }
}

fn cases() -> Vec<Case<'static>> {
    CASES.lines().filter(|line| !line.starts_with('#')).map(Case::parse).collect()
}

#[test]
fn durations_equal_the_worked_cases() {
    let cases = cases();
    assert_eq!(cases.len(), 137, "the whole table is read");
    for Case { line, vector, psdu, preamble, payload, extension, duration, .. } in cases {
        assert_eq!(vector.preamble(), preamble, "preamble: {line}");
        assert_eq!(vector.payload_duration(psdu), payload, "payload: {line}");
        assert_eq!(vector.signal_extension(), extension, "extension: {line}");
        assert_eq!(vector.duration(psdu), duration, "TXTIME: {line}");
    }
}

#[test]
fn symbols_encoders_and_training_fields_equal_the_worked_cases() {
    for Case { line, vector, psdu, bits_per_symbol, encoders, symbols, training_fields, .. } in cases() {
        assert_eq!(vector.bits_per_symbol(), bits_per_symbol, "N_DBPS: {line}");
        let (own_encoders, own_fields) = match vector {
            TxVector::Dsss(_) => (None, 0),
            TxVector::Ofdm(_) => (Some(1), 0),
            TxVector::Ht(mode) => (Some(mode.encoders()), mode.training_fields()),
            TxVector::Vht(mode) => (Some(mode.encoders()), mode.training_fields()),
        };
        assert_eq!(own_encoders, encoders, "N_ES: {line}");
        assert_eq!(own_fields, training_fields, "LTF: {line}");
        // The table's count of symbols carries the PSDU, and one symbol less does not.
        let overhead = encoders.map_or(0, |encoders| 16 + 6 * encoders);
        let needed = overhead + psdu.bits();
        assert!(needed <= symbols * bits_per_symbol && needed > (symbols - 1) * bits_per_symbol, "N_SYM: {line}");
    }
}

#[test]
fn lengths_of_a_mpdus_equal_the_worked_cases() {
    let mut aggregates = 0;
    for Case { line, vector, mpdus, mpdu, psdu, .. } in cases() {
        if mpdus == 1 && !vector.must_aggregate() {
            assert_eq!(psdu, mpdu, "{line}");
            continue;
        }
        let ampdu = (0..mpdus).fold(AmpduLength::new(vector, MpduSpacing::None), |ampdu, _| ampdu.with(mpdu));
        assert_eq!(ampdu.len(), psdu, "{line}");
        aggregates += 1;
    }
    assert_eq!(aggregates, 59, "HT and VHT aggregates are both there");
}

#[test]
fn well_known_durations_come_out() {
    let micros = |vector: TxVector, psdu| vector.duration(Bytes(psdu)).as_micros_ceil();
    let a = |rate| TxVector::ofdm(rate, Band::Ghz5);
    assert_eq!(micros(TxVector::dsss(DsssRate::Mbps2), 14), 248, "802.11b's Ack at 2 Mbps");
    assert_eq!(micros(TxVector::dsss(DsssRate::Mbps1), 14), 304, "802.11b's Ack at 1 Mbps");
    assert_eq!(micros(a(OfdmRate::Mbps6), 14), 44, "802.11a's Ack at 6 Mbps");
    assert_eq!(micros(a(OfdmRate::Mbps24), 14), 28, "802.11a's Ack at 24 Mbps");
    assert_eq!(micros(a(OfdmRate::Mbps24), 32), 32, "a BlockAck at 24 Mbps");
    assert_eq!(micros(a(OfdmRate::Mbps54), 1536), 248, "1500 bytes of IP at 54 Mbps");
    let n150 = HtMode::new(7, Width::Mhz40, GuardInterval::Short, Band::Ghz5).expect("an HT mode");
    assert_eq!(TxVector::Ht(n150).rate().time_ceil(Bytes(1500)), Duration::from_micros(80), "1500 bytes at 150 Mbps");
}

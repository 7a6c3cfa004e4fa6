//! Air time worked out from a file alone: radiotap says how each frame was sent, and the standard how long that takes.
//!
//! The formulas of IEEE Std 802.11-2020 stand here once more, in another form than in `ackless-phy`, and are compared with it mode by mode.

use std::collections::BTreeMap;

use ackless_phy::{
    Band, DsssMode, DsssRate, GuardInterval, HtMode, MpduSpacing, OfdmRate, Preamble, TxVector, VhtMode, Width,
};
use ackless_wire::{Bytes, Duration, Instant};

use crate::pcap::capture::{self, Format, Record};
use crate::pcap::samples::{NODES, Samples};

/// One PPDU, from its first bit to its last (or to the end of its signal extension).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transmission {
    pub node: String,
    pub start: Instant,
    pub duration: Duration,
}

/// The PPDUs in a file. `spacing_ns`: the minimum MPDU start spacing, which radiotap does not tell.
pub fn transmissions(file: &[u8], spacing_ns: u64) -> Vec<Transmission> {
    let (_, records) = capture::read(file);
    let same = |a: &Record, b: &Record| a.ampdu.is_some() && a.ampdu == b.ampdu && a.node == b.node;
    let ppdu = |mpdus: &[Record]| {
        let Record { node, timestamp, format, ampdu, .. } = &mpdus[0];
        assert!(mpdus.iter().all(|mpdu| mpdu.timestamp == *timestamp && mpdu.format == *format));
        let psdu = match ampdu {
            None => mpdus[0].len,
            Some(_) => ampdu_len(mpdus.iter().map(|mpdu| mpdu.len), *format, spacing_ns),
        };
        Transmission {
            node: node.clone(),
            start: Instant::from_nanos(*timestamp),
            duration: Duration::from_nanos(nanos(*format, psdu)),
        }
    };
    records.chunk_by(same).map(ppdu).collect()
}

/// How long each node of a file transmits, in all.
pub fn busy_time(file: &[u8], spacing_ns: u64) -> BTreeMap<String, Duration> {
    let mut busy = BTreeMap::new();
    for transmission in transmissions(file, spacing_ns) {
        *busy.entry(transmission.node).or_insert(Duration::ZERO) += transmission.duration;
    }
    busy
}

/// How long the medium is busy in a window; where transmissions overlap, it counts once.
pub fn medium_busy(transmissions: &[Transmission], from: Instant, until: Instant) -> Duration {
    let (mut busy, mut covered) = (Duration::ZERO, from);
    for Transmission { start, duration, .. } in transmissions {
        let end = (*start + *duration).min(until);
        busy += end.saturating_since((*start).max(covered));
        covered = covered.max(end);
    }
    busy
}

/// The length of an A-MPDU: each MPDU behind four bytes, each but the last filled up to four, and to the spacing (9.7.1, 10.12.3).
fn ampdu_len(mpdus: impl Iterator<Item = u64>, format: Format, spacing_ns: u64) -> u64 {
    // Bytes in the spacing: bits per symbol over the symbol's duration, rounded up.
    let (bits, tenths_of_us) = match format {
        Format::Ht { short_guard, .. } | Format::Vht { short_guard, .. } => {
            (ofdm_bits(format), if short_guard { 36 } else { 40 })
        }
        Format::Legacy { .. } => panic!("A-MPDUs are HT or VHT"),
    };
    let gap = (spacing_ns * bits).div_ceil(tenths_of_us * 100 * 8);
    let (mut start, mut end) = (0u64, 0u64);
    for mpdu in mpdus {
        if end > 0 {
            start = end.max(start + gap).next_multiple_of(4);
        }
        end = start + 4 + mpdu;
    }
    end
}

/// TXTIME in nanoseconds (15.3.4, 16.3.4, 17.4.3, 18.5.3, 19.4.3, 21.4.3).
fn nanos(format: Format, psdu: u64) -> u64 {
    let extension = |low_band: bool| if low_band { 6 } else { 0 };
    let micros = match format {
        Format::Legacy { half_megabits, cck: true, short_preamble, .. } => {
            (if short_preamble { 96 } else { 192 }) + (psdu * 16).div_ceil(half_megabits.into())
        }
        Format::Legacy { low_band, .. } => {
            20 + 4 * (16 + 8 * psdu + 6).div_ceil(ofdm_bits(format)) + extension(low_band)
        }
        Format::Ht { mcs, short_guard, low_band, .. } => {
            let ltfs = [4, 8, 16, 16][usize::from(mcs / 8)];
            32 + ltfs + payload_micros(format, psdu, short_guard) + extension(low_band)
        }
        Format::Vht { streams, short_guard, .. } => {
            let ltfs = [4, 8, 16, 16, 24, 24, 32, 32][usize::from(streams - 1)];
            36 + ltfs + payload_micros(format, psdu, short_guard)
        }
    };
    1_000 * micros
}

/// Symbols of SERVICE, PSDU and tails; those with the short guard interval in whole symbols of the long one.
fn payload_micros(format: Format, psdu: u64, short_guard: bool) -> u64 {
    let symbols = (16 + 8 * psdu + 6 * encoders(format)).div_ceil(ofdm_bits(format));
    if short_guard { 4 * (36 * symbols).div_ceil(40) } else { 4 * symbols }
}

/// Bits per subcarrier, and the code rate as a fraction, of an HT or VHT MCS of one stream.
fn coding(mcs: u8) -> (u64, u64, u64) {
    [(1, 1, 2), (2, 1, 2), (2, 3, 4), (4, 1, 2), (4, 3, 4), (6, 2, 3), (6, 3, 4), (6, 5, 6), (8, 3, 4), (8, 5, 6)]
        [usize::from(mcs)]
}

/// Coded bits per symbol.
fn coded_bits(format: Format) -> u64 {
    match format {
        Format::Ht { mcs, wide, .. } => (if wide { 108 } else { 52 }) * coding(mcs % 8).0 * u64::from(mcs / 8 + 1),
        Format::Vht { mcs, streams, mhz, .. } => {
            let subcarriers = match mhz {
                20 => 52,
                40 => 108,
                80 => 234,
                _ => 468,
            };
            subcarriers * coding(mcs).0 * u64::from(streams)
        }
        Format::Legacy { .. } => panic!("of HT and VHT only"),
    }
}

/// Data bits per OFDM symbol.
fn ofdm_bits(format: Format) -> u64 {
    let (_, numerator, denominator) = match format {
        // At 4 us a symbol, two bits for each 500 kbps.
        Format::Legacy { half_megabits, .. } => return 2 * u64::from(half_megabits),
        Format::Ht { mcs, .. } => coding(mcs % 8),
        Format::Vht { mcs, .. } => coding(mcs),
    };
    coded_bits(format) * numerator / denominator
}

/// N_ES. HT: two above 300 Mbps. VHT: the least number, one for each 600 Mbps at least, that shares coded bits out in whole blocks of the
/// punctured code; this gives the tables of 21.5.
fn encoders(format: Format) -> u64 {
    let bits = ofdm_bits(format);
    match format {
        Format::Vht { mcs, .. } => {
            let block = coding(mcs).2;
            let fits = |n: &u64| coded_bits(format).is_multiple_of(n * block);
            (bits.div_ceil(2160)..).find(fits).expect("some number of encoders shares the bits out")
        }
        _ => 1 + u64::from(bits > 1080),
    }
}

#[test]
fn these_formulas_and_those_of_the_simulator_agree_in_every_mode() {
    let mut modes: Vec<(TxVector, Format)> = Vec::new();
    for (rate, half_megabits) in DsssRate::ALL.into_iter().zip([2, 4, 11, 22]) {
        for (preamble, short_preamble) in [(Preamble::Long, false), (Preamble::Short, true)] {
            let Ok(mode) = DsssMode::new(rate, preamble) else { continue };
            let format = Format::Legacy { half_megabits, cck: true, low_band: true, short_preamble };
            modes.push((TxVector::Dsss(mode), format));
        }
    }
    let bands = [(Band::Ghz2_4, true), (Band::Ghz5, false)];
    let guards = [(GuardInterval::Long, false), (GuardInterval::Short, true)];
    for (band, low_band) in bands {
        for (rate, half_megabits) in OfdmRate::ALL.into_iter().zip([12, 18, 24, 36, 48, 72, 96, 108]) {
            let format = Format::Legacy { half_megabits, cck: false, low_band, short_preamble: false };
            modes.push((TxVector::ofdm(rate, band), format));
        }
        for (mcs, (guard, short_guard)) in (0..32).flat_map(|mcs| guards.map(|guard| (mcs, guard))) {
            for (width, wide) in [(Width::Mhz20, false), (Width::Mhz40, true)] {
                let mode = HtMode::new(mcs, width, guard, band).expect("every MCS to 31 exists");
                modes.push((TxVector::Ht(mode), Format::Ht { mcs, wide, short_guard, low_band }));
            }
        }
    }
    for (width, mhz) in [(Width::Mhz20, 20), (Width::Mhz40, 40), (Width::Mhz80, 80), (Width::Mhz160, 160)] {
        for (mcs, streams) in (0..10).flat_map(|mcs| (1..=8).map(move |streams| (mcs, streams))) {
            for (guard, short_guard) in guards {
                let Ok(mode) = VhtMode::new(mcs, streams, width, guard) else { continue };
                modes.push((TxVector::Vht(mode), Format::Vht { mcs, streams, mhz, short_guard }));
            }
        }
    }
    assert_eq!(modes.len(), 7 + 16 + 256 + 2 * (4 * 80 - 10));
    for (vector, format) in modes {
        for psdu in [14, 20, 32, 33, 1536, 3839] {
            assert_eq!(vector.duration(Bytes(psdu)).as_nanos(), nanos(format, psdu), "{vector}, {psdu} bytes");
        }
    }
}

#[test]
fn durations_known_from_the_standards_figures_come_out() {
    let legacy = |half_megabits, cck| Format::Legacy { half_megabits, cck, low_band: cck, short_preamble: false };
    // An Ack at 24 Mbps, at 6 Mbps, and at 2 Mbps of 802.11b; a BlockAck at 24 Mbps; 1,500 bytes more at 150 Mbps.
    assert_eq!(nanos(legacy(48, false), 14), 28_000);
    assert_eq!(nanos(legacy(12, false), 14), 44_000);
    assert_eq!(nanos(legacy(4, true), 14), 248_000);
    assert_eq!(nanos(legacy(48, false), 32), 32_000);
    let wide = Format::Ht { mcs: 7, wide: true, short_guard: true, low_band: false };
    assert_eq!(nanos(wide, 15_000 + 1_500) - nanos(wide, 15_000), 80_000);
}

#[test]
fn every_sample_is_busy_as_long_as_it_was_sent() {
    for spacing in MpduSpacing::ALL {
        let samples = Samples::new(spacing);
        let found = transmissions(&samples.file(), spacing.duration().as_nanos());
        assert_eq!(found.len(), samples.ppdus.len());
        for (found, (start, ppdu)) in found.iter().zip(&samples.ppdus) {
            assert_eq!((found.start, found.duration), (*start, ppdu.duration), "{:?}, {spacing:?}", ppdu.body);
            assert_eq!(found.node, NODES[usize::from(ppdu.transmitter.0)]);
        }
        let busy = busy_time(&samples.file(), spacing.duration().as_nanos());
        for (number, node) in NODES.into_iter().enumerate() {
            let sent = samples.ppdus.iter().filter(|(_, ppdu)| usize::from(ppdu.transmitter.0) == number);
            assert_eq!(busy[node], sent.map(|(_, ppdu)| ppdu.duration).sum());
        }
    }
}

#[test]
fn overlapping_transmissions_make_the_medium_busy_once() {
    let sent = |from, micros| Transmission {
        node: String::new(),
        start: Instant::from_micros(from),
        duration: Duration::from_micros(micros),
    };
    let all = [sent(0, 10), sent(20, 100), sent(30, 10), sent(110, 30), sent(200, 50)];
    assert_eq!(medium_busy(&all, Instant::ZERO, Instant::from_micros(300)), Duration::from_micros(10 + 120 + 50));
    assert_eq!(medium_busy(&all, Instant::from_micros(5), Instant::from_micros(210)), Duration::from_micros(135));
}

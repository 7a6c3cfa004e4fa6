//! A second witness: tshark's own `wlan_radio.duration`, `preamble` and `data_rate` for frames at every rate, as
//! radiotap describes them.
//!
//! tshark (4.0, checked) computes durations for analysis, not by TXTIME to the letter. Each difference is a variant of
//! [`Difference`], and with these taken into account the two agree to the microsecond for every frame. Skipped, loudly,
//! where there is no tshark.

use std::io::ErrorKind;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use ackless_phy::{
    Band, DsssMode, DsssRate, GuardInterval, HtMode, OfdmMode, OfdmRate, Preamble, TxVector, VhtMode, Width,
};
use ackless_wire::{Bytes, Duration};

/// Where tshark's duration is not the standard's, and why.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Difference {
    /// tshark leaves out the 6 us after OFDM in the 2.4 GHz band (18.5.3 counts them into TXTIME).
    NoSignalExtension,
    /// tshark multiplies HT symbols by 3.6 us and rounds to the nearest microsecond; 19.4.3 rounds up to 4 us.
    ShortGuardNotRoundedUp,
    /// tshark takes a 40 MHz HT symbol for two of 20 MHz, 104 data subcarriers; Table 19-6 has 108.
    TwiceTwentyMegahertz,
    /// tshark looks N_ES up by MCS alone, so 20 MHz has the two encoders of 40 MHz from MCS 21 on.
    EncodersOfFortyMegahertz,
    /// tshark leaves out VHT-SIG-B, 4 us of the preamble (21.3.2).
    NoVhtSigB,
    /// tshark counts one VHT-LTF for each stream; Table 21-13 has 4, 6 and 8 for 3, 5 and 7 streams.
    OneTrainingFieldPerStream,
    /// tshark divides the SERVICE field and the PSDU of a VHT frame by the data rate and rounds down; 21.4.3 adds the
    /// tail and counts whole symbols.
    NoWholeVhtSymbols,
}

/// One frame of the capture.
#[derive(Clone, Copy, Debug)]
struct Frame {
    vector: TxVector,
    psdu: Bytes,
}

/// What tshark says of one frame.
#[derive(PartialEq, Debug)]
struct Reading {
    micros: u64,
    preamble: u64,
    mbps: f64,
}

impl Frame {
    /// The differences that tell on this frame.
    fn differences(self) -> Vec<Difference> {
        let mut all = Vec::new();
        if self.vector.signal_extension() > Duration::ZERO {
            all.push(Difference::NoSignalExtension);
        }
        match self.vector {
            TxVector::Dsss(_) | TxVector::Ofdm(_) => {}
            TxVector::Ht(mode) => {
                if mode.guard() == GuardInterval::Short {
                    all.push(Difference::ShortGuardNotRoundedUp);
                }
                match mode.width() {
                    Width::Mhz20 if tshark_ht_encoders(mode) != mode.encoders() => {
                        all.push(Difference::EncodersOfFortyMegahertz);
                    }
                    Width::Mhz40 => all.push(Difference::TwiceTwentyMegahertz),
                    _ => {}
                }
            }
            TxVector::Vht(mode) => {
                all.extend([Difference::NoVhtSigB, Difference::NoWholeVhtSymbols]);
                if mode.streams() != mode.training_fields() {
                    all.push(Difference::OneTrainingFieldPerStream);
                }
            }
        }
        all
    }

    /// Our duration with tshark's differences applied to it: preamble and the whole, in microseconds.
    fn as_tshark_counts(self) -> (u64, u64) {
        let differences = self.differences();
        let has = |difference| differences.contains(&difference);
        let mut preamble = self.vector.preamble();
        if has(Difference::NoVhtSigB) {
            preamble -= Duration::from_micros(4);
        }
        if has(Difference::OneTrainingFieldPerStream) {
            preamble -= Duration::from_micros(4);
        }
        let payload = match self.vector {
            TxVector::Ht(mode) => tshark_ht_payload(mode, self.psdu, &differences),
            TxVector::Vht(mode) => {
                (16 + self.psdu.bits()) * mode.guard().symbol().as_nanos() / mode.bits_per_symbol() / 1_000
            }
            _ => self.vector.payload_duration(self.psdu).as_micros_ceil(),
        };
        (preamble.as_micros_ceil(), preamble.as_micros_ceil() + payload)
    }
}

fn tshark_ht_encoders(mode: HtMode) -> u64 {
    let wide = HtMode::new(mode.mcs(), Width::Mhz40, mode.guard(), mode.band()).expect("every HT MCS exists at 40 MHz");
    wide.encoders()
}

fn tshark_ht_payload(mode: HtMode, psdu: Bytes, differences: &[Difference]) -> u64 {
    let narrow =
        HtMode::new(mode.mcs(), Width::Mhz20, mode.guard(), mode.band()).expect("every HT MCS exists at 20 MHz");
    let twice = differences.contains(&Difference::TwiceTwentyMegahertz);
    let bits_per_symbol = if twice { 2 * narrow.bits_per_symbol() } else { mode.bits_per_symbol() };
    let symbols = (16 + psdu.bits() + 6 * tshark_ht_encoders(mode)).div_ceil(bits_per_symbol);
    (symbols * mode.guard().symbol().as_nanos() + 500) / 1_000
}

/// Every rate of 802.11b, a, g, n and ac, each with several lengths.
fn frames() -> Vec<Frame> {
    let guards = [GuardInterval::Long, GuardInterval::Short];
    let mut vectors = Vec::new();
    for preamble in [Preamble::Long, Preamble::Short] {
        vectors.extend(DsssRate::ALL.iter().filter_map(|&rate| DsssMode::new(rate, preamble).ok()).map(TxVector::Dsss));
    }
    for band in [Band::Ghz2_4, Band::Ghz5] {
        vectors.extend(OfdmRate::ALL.map(|rate| TxVector::ofdm(rate, band)));
        for (width, guard) in
            [Width::Mhz20, Width::Mhz40].into_iter().flat_map(|width| guards.map(|guard| (width, guard)))
        {
            vectors.extend((0..32).filter_map(|mcs| HtMode::new(mcs, width, guard, band).ok()).map(TxVector::Ht));
        }
    }
    let widths = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160];
    for (width, guard) in widths.into_iter().flat_map(|width| guards.map(|guard| (width, guard))) {
        for streams in 1..=8 {
            vectors.extend((0..10).filter_map(|mcs| VhtMode::new(mcs, streams, width, guard).ok()).map(TxVector::Vht));
        }
    }
    let lengths = [28, 90, 777, 1_536, 1_538, 3_839];
    vectors.iter().flat_map(|&vector| lengths.map(|length| Frame { vector, psdu: Bytes(length) })).collect()
}

#[test]
fn durations_equal_tsharks_but_for_the_named_differences() {
    let frames = frames();
    let Some(readings) = read_with_tshark(&frames) else {
        writeln!(
            std::io::stderr(),
            "SKIPPED: tshark is not installed, so nothing was compared with its durations (apt-get install tshark)"
        )
        .expect("standard error takes a line");
        return;
    };
    assert_eq!(readings.len(), frames.len());
    let mut unchanged = 0;
    let mut met = Vec::new();
    for (frame, reading) in frames.iter().zip(readings) {
        let vector = frame.vector;
        let (preamble, micros) = frame.as_tshark_counts();
        assert_eq!(reading.micros, micros, "{vector}, {}: {:?}", frame.psdu, frame.differences());
        assert_eq!(reading.preamble, preamble, "{vector}");
        // tshark prints six digits.
        assert!(
            (reading.mbps / vector.rate().mbps_f64() - 1.0).abs() < 1e-5,
            "{vector}: tshark has {} Mbps",
            reading.mbps
        );
        if frame.differences().is_empty() {
            assert_eq!(vector.duration(frame.psdu), Duration::from_micros(reading.micros), "{vector}, {}", frame.psdu);
            unchanged += 1;
        }
        met.extend(frame.differences());
    }
    // 802.11b, 802.11a, and 802.11n in 20 MHz of the 5 GHz band with the long guard interval and one encoder are equal
    // as they stand.
    assert!(unchanged > 6 * (7 + 8 + 20), "{unchanged} frames without a difference");
    met.sort_unstable();
    met.dedup();
    assert_eq!(met.len(), 7, "every named difference is met: {met:?}");
}

/// What tshark says of each frame, or nothing if it is not installed.
fn read_with_tshark(frames: &[Frame]) -> Option<Vec<Reading>> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("durations.pcap");
    std::fs::write(&path, capture(frames)).expect("the build directory can be written");
    let fields = ["wlan_radio.duration", "wlan_radio.preamble", "wlan_radio.data_rate"];
    let mut command = Command::new("tshark");
    command.arg("-n").arg("-r").arg(&path).args(["-T", "fields"]).args(fields.iter().flat_map(|field| ["-e", field]));
    let output = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        output => output.expect("tshark starts"),
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).lines().map(reading).collect())
}

fn reading(line: &str) -> Reading {
    let cells: Vec<&str> = line.split('\t').collect();
    let [micros, preamble, mbps] = cells.as_slice() else { panic!("three fields: {line:?}") };
    let whole = |cell: &str| cell.parse().unwrap_or_else(|_| panic!("microseconds: {line:?}"));
    Reading { micros: whole(micros), preamble: whole(preamble), mbps: mbps.parse().expect("a rate") }
}

/// A pcap file of link type 127, IEEE 802.11 with radiotap.
fn capture(frames: &[Frame]) -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(0xa1b2_c3d4_u32.to_le_bytes());
    file.extend([2_u16, 4].map(u16::to_le_bytes).concat());
    file.extend([0_u32, 0, 65_535, 127].map(u32::to_le_bytes).concat());
    for (second, frame) in frames.iter().enumerate() {
        let mut packet = radiotap(frame.vector);
        let original = packet.len() as u32 + frame.psdu.get() as u32;
        // The head of a QoS Data frame; the rest was "not captured", which the duration does not need.
        packet.extend([0x88, 0, 0, 0]);
        packet.extend([2, 0, 0, 0, 0, 1].repeat(3));
        packet.extend([0; 4]);
        file.extend([second as u32, 0, packet.len() as u32, original].map(u32::to_le_bytes).concat());
        file.extend(packet);
    }
    file
}

/// The radiotap header: Flags (FCS at the end, and the short preamble), Rate or MCS or VHT, Channel.
fn radiotap(vector: TxVector) -> Vec<u8> {
    const FLAGS: u32 = 1 << 1;
    const RATE: u32 = 1 << 2;
    const CHANNEL: u32 = 1 << 3;
    const MCS: u32 = 1 << 19;
    const VHT: u32 = 1 << 21;
    let (present, body) = match vector {
        TxVector::Dsss(mode) => {
            let short = if mode.preamble_format() == Preamble::Short { 0x02 } else { 0 };
            (RATE, [vec![0x10 | short, half_megabits(vector)], channel(2_412, 0x00a0)].concat())
        }
        TxVector::Ofdm(OfdmMode { band, .. }) => {
            (RATE, [vec![0x10, half_megabits(vector)], ofdm_channel(band)].concat())
        }
        TxVector::Ht(mode) => {
            // Known: width, MCS, guard interval, format, FEC type, STBC. The format is HT-mixed, BCC, without STBC.
            let wide = u8::from(mode.width() == Width::Mhz40);
            let short = u8::from(mode.guard() == GuardInterval::Short) << 2;
            (MCS, [vec![0x10, 0], ofdm_channel(mode.band()), vec![0x3f, wide | short, mode.mcs()]].concat())
        }
        TxVector::Vht(mode) => {
            let width = match mode.width() {
                Width::Mhz20 => 0,
                Width::Mhz40 => 1,
                Width::Mhz80 => 4,
                Width::Mhz160 => 11,
            };
            let short = u8::from(mode.guard() == GuardInterval::Short) << 2;
            let user = mode.mcs() << 4 | mode.streams() as u8;
            // Known: STBC, guard interval, width. Four users, of whom the first is there; BCC; no group.
            let vht = vec![0x45, 0, short, width, user, 0, 0, 0, 0, 0, 0, 0];
            (VHT, [vec![0x10, 0], ofdm_channel(Band::Ghz5), vht].concat())
        }
    };
    let mut header = vec![0, 0];
    header.extend((8 + body.len() as u16).to_le_bytes());
    header.extend((FLAGS | CHANNEL | present).to_le_bytes());
    header.extend(body);
    header
}

fn half_megabits(vector: TxVector) -> u8 {
    (vector.rate().bps() / 500_000) as u8
}

fn ofdm_channel(band: Band) -> Vec<u8> {
    match band {
        Band::Ghz2_4 => channel(2_412, 0x00c0),
        Band::Ghz5 => channel(5_180, 0x0140),
    }
}

fn channel(megahertz: u16, flags: u16) -> Vec<u8> {
    [megahertz, flags].map(u16::to_le_bytes).concat()
}

//! The radiotap header (radiotap.org, "Defined Fields"): little-endian, each field aligned to its own size from the header's start.

use ackless_dot11::codec::ampdu;
use ackless_phy::{Band, GuardInterval, HtMode, OfdmMode, Preamble, TxVector, VhtMode, Width};
use ackless_wire::{Bytes, Instant};

/// The place of a frame in an A-MPDU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subframe {
    /// The number of the A-MPDU in this file.
    pub(super) reference: u32,
    /// Whether it is the last one.
    pub(super) last: bool,
    /// Whether it is the only MPDU of a VHT PPDU, which the EOF bit of its delimiter says.
    pub(super) alone: bool,
    /// The length of the frame.
    pub(super) len: Bytes,
}

/// Appends a header to an empty record: TSFT, Flags, Rate or MCS or VHT, Channel, and A-MPDU status for a subframe.
pub(super) fn emit(start: Instant, vector: TxVector, subframe: Option<Subframe>, out: &mut Vec<u8>) {
    let from = out.len();
    let format = match vector {
        TxVector::Dsss(_) | TxVector::Ofdm(_) => RATE,
        TxVector::Ht(_) => MCS,
        TxVector::Vht(_) => VHT,
    };
    let status = if subframe.is_some() { AMPDU_STATUS } else { 0 };
    out.extend([0; 4]);
    out.extend((TSFT | FLAGS | CHANNEL | format | status).to_le_bytes());
    out.extend((start.as_nanos() / 1_000).to_le_bytes());
    out.push(flags(vector));
    if format == RATE {
        out.push((vector.rate().bps() / 500_000) as u8);
    }
    align(2, from, out);
    out.extend(channel(vector).map(u16::to_le_bytes).concat());
    if let TxVector::Ht(mode) = vector {
        out.extend(mcs(mode));
    }
    if let Some(subframe) = subframe {
        align(4, from, out);
        out.extend(subframe.reference.to_le_bytes());
        out.extend(ampdu_status(subframe));
    }
    if let TxVector::Vht(mode) = vector {
        align(2, from, out);
        out.extend(vht(mode));
    }
    let len = (out.len() - from) as u16;
    out[from + 2..from + 4].copy_from_slice(&len.to_le_bytes());
}

/// Flags (bit 1).
fn flags(vector: TxVector) -> u8 {
    let format = match vector {
        TxVector::Dsss(mode) if mode.preamble_format() == Preamble::Short => SHORT_PREAMBLE,
        TxVector::Ht(mode) if mode.guard() == GuardInterval::Short => SHORT_GUARD,
        _ => 0,
    };
    FCS_AT_END | format
}

/// Channel (bit 3): frequency in MHz, and what is used there. The cell has one channel and does not say which; it is
/// channel 1 of the 2.4 GHz band or channel 36.
fn channel(vector: TxVector) -> [u16; 2] {
    let (modulation, band) = match vector {
        TxVector::Dsss(_) => (CHANNEL_CCK, Band::Ghz2_4),
        TxVector::Ofdm(OfdmMode { band, .. }) => (CHANNEL_OFDM, band),
        TxVector::Ht(mode) => (CHANNEL_OFDM, mode.band()),
        TxVector::Vht(_) => (CHANNEL_OFDM, Band::Ghz5),
    };
    match band {
        Band::Ghz2_4 => [2_412, modulation | CHANNEL_2_GHZ],
        Band::Ghz5 => [5_180, modulation | CHANNEL_5_GHZ],
    }
}

/// MCS (bit 19): what is known, flags, index. HT-mixed format, BCC, and no STBC or extension streams are zeros.
fn mcs(mode: HtMode) -> [u8; 3] {
    let wide = u8::from(mode.width() == Width::Mhz40);
    [MCS_ALL, wide | short_guard(mode.guard()) << 2, mode.mcs()]
}

/// A-MPDU status (bit 20) behind the reference number: flags, the delimiter's CRC, and a reserved byte.
fn ampdu_status(subframe: Subframe) -> [u8; 4] {
    let eof = if subframe.alone { AMPDU_EOF } else { 0 };
    let last = if subframe.last { AMPDU_LAST } else { 0 };
    let flags = AMPDU_LAST_KNOWN | AMPDU_CRC_KNOWN | AMPDU_EOF_KNOWN | last | eof;
    let [low, high] = flags.to_le_bytes();
    let [_, _, crc, _] = ampdu::delimiter(subframe.len.get() as u16, subframe.alone);
    [low, high, crc, 0]
}

/// VHT (bit 21): what is known, flags, bandwidth, MCS and streams of four users, coding, group and partial AID. One user; BCC.
fn vht(mode: VhtMode) -> [u8; 12] {
    let bandwidth = match mode.width() {
        Width::Mhz20 => 0,
        Width::Mhz40 => 1,
        Width::Mhz80 => 4,
        Width::Mhz160 => 11,
    };
    let [low, high] = VHT_STBC_GUARD_BANDWIDTH.to_le_bytes();
    let user = mode.mcs() << 4 | mode.streams() as u8;
    [low, high, short_guard(mode.guard()) << 2, bandwidth, user, 0, 0, 0, 0, 0, 0, 0]
}

/// The mode's one bit of guard interval, which MCS and VHT have in the same place.
fn short_guard(guard: GuardInterval) -> u8 {
    u8::from(guard == GuardInterval::Short)
}

/// Pads the header since `from` to a multiple of `to` bytes.
fn align(to: usize, from: usize, out: &mut Vec<u8>) {
    out.resize(from + (out.len() - from).next_multiple_of(to), 0);
}

/// Presence bit of TSFT, as the others: the position is the field's number.
const TSFT: u32 = 1;
const FLAGS: u32 = 1 << 1;
const RATE: u32 = 1 << 2;
const CHANNEL: u32 = 1 << 3;
const MCS: u32 = 1 << 19;
const AMPDU_STATUS: u32 = 1 << 20;
const VHT: u32 = 1 << 21;
/// Flags: short preamble.
const SHORT_PREAMBLE: u8 = 0x02;
/// Flags: the frame ends with its FCS.
const FCS_AT_END: u8 = 0x10;
/// Flags: short guard interval (HT).
const SHORT_GUARD: u8 = 0x80;
/// Channel: CCK.
const CHANNEL_CCK: u16 = 0x0020;
/// Channel: OFDM.
const CHANNEL_OFDM: u16 = 0x0040;
/// Channel: 2.4 GHz.
const CHANNEL_2_GHZ: u16 = 0x0080;
/// Channel: 5 GHz.
const CHANNEL_5_GHZ: u16 = 0x0100;
/// MCS, known: bandwidth, index, guard interval, format, FEC type, STBC and extension streams.
const MCS_ALL: u8 = 0x7f;
/// A-MPDU status: it is known which subframe is the last.
const AMPDU_LAST_KNOWN: u16 = 0x0004;
/// A-MPDU status: this is the last subframe.
const AMPDU_LAST: u16 = 0x0008;
/// A-MPDU status: the delimiter's CRC is known.
const AMPDU_CRC_KNOWN: u16 = 0x0020;
/// A-MPDU status: the delimiter's EOF bit.
const AMPDU_EOF: u16 = 0x0040;
/// A-MPDU status: the EOF bit is known.
const AMPDU_EOF_KNOWN: u16 = 0x0080;
/// VHT, known: STBC (none), guard interval and bandwidth.
const VHT_STBC_GUARD_BANDWIDTH: u16 = 0x0045;

//! The body of a beacon (9.3.3.2, Table 9-32): valid, small, and as long as a scenario asks for.

use ackless_phy::TxVector;
use ackless_wire::{Bytes, Instant};

/// The shortest beacon that holds the fields and elements that we send, header and FCS included: 54 bytes for one sent at a DSSS rate, 58 for
/// any other. A shorter one is cut off in its body, and an analyser will say so.
pub fn min_len(vector: TxVector) -> Bytes {
    let elements = 2 + 2 + rates(vector).len() + TIM.len();
    Bytes((24 + FIXED + elements + 4) as u64)
}

/// Appends a body of `len` bytes: timestamp, beacon interval, capabilities, SSID, supported rates and TIM, then vendor-specific
/// elements of zeros up to the length. The SSID is our name, shortened where that makes the length come out.
///
/// The interval says 100 TU, whatever the scenario's. Rates are those of the PHY at which the beacon itself is sent; the TIM
/// announces no traffic, as nobody dozes.
pub(super) fn emit_body(vector: TxVector, start: Instant, len: usize, out: &mut Vec<u8>) {
    let end = out.len() + len;
    let capabilities = if matches!(vector, TxVector::Dsss(_)) { ESS } else { ESS | SHORT_SLOT };
    let rates = rates(vector);
    out.extend((start.as_nanos() / 1_000).to_le_bytes());
    out.extend(INTERVAL_TU.to_le_bytes());
    out.extend(capabilities.to_le_bytes());
    let ssid = ssid(len.saturating_sub(FIXED + 2 + 2 + rates.len() + TIM.len()));
    element(SSID, ssid, out);
    element(SUPPORTED_RATES, rates, out);
    out.extend(TIM);
    while out.len() < end {
        let left = end - out.len();
        // The next element must not be left with too little.
        let len = if left <= MAX_ELEMENT { left } else { MAX_ELEMENT.min(left - MIN_VENDOR) };
        out.extend([VENDOR_SPECIFIC, (len - 2) as u8]);
        out.extend(NOBODY);
        out.resize(out.len() + len - MIN_VENDOR, 0);
    }
    out.truncate(end);
}

/// The rates that a beacon sent so names.
const fn rates(vector: TxVector) -> &'static [u8] {
    match vector {
        TxVector::Dsss(_) => &DSSS_RATES,
        TxVector::Ofdm(_) | TxVector::Ht(_) | TxVector::Vht(_) => &OFDM_RATES,
    }
}

/// The longest part of our name that leaves of `room` either nothing or enough for a vendor-specific element.
fn ssid(room: usize) -> &'static [u8] {
    let mut len = room.min(NAME.len());
    while (1..MIN_VENDOR).contains(&(room - len)) {
        len -= 1;
    }
    &NAME[..len]
}

/// Appends an element (9.4.2.1).
fn element(number: u8, value: &[u8], out: &mut Vec<u8>) {
    out.extend([number, value.len() as u8]);
    out.extend_from_slice(value);
}

/// Timestamp, beacon interval and capabilities.
const FIXED: usize = 8 + 2 + 2;
/// Beacon interval, in units of 1,024 us.
const INTERVAL_TU: u16 = 100;
/// Capability: sent by an AP (9.4.1.4).
const ESS: u16 = 0x0001;
/// Capability: short slots (9.4.1.4).
const SHORT_SLOT: u16 = 0x0400;
/// The network's name.
const NAME: &[u8] = b"ackless-cell";
/// Rates in units of 500 kbps, basic ones with the highest bit set (9.4.2.3).
const DSSS_RATES: [u8; 4] = [0x82, 0x84, 0x8b, 0x96];
/// 6 to 54 Mbps, with the mandatory ones as basic rates.
const OFDM_RATES: [u8; 8] = [0x8c, 18, 0x98, 36, 0xb0, 72, 96, 108];
/// Element number of the SSID (Table 9-92, as the others).
const SSID: u8 = 0;
/// Element number of Supported Rates and BSS Membership Selectors.
const SUPPORTED_RATES: u8 = 1;
/// A traffic indication map (number 5): every beacon is a DTIM, and nobody has traffic.
const TIM: [u8; 6] = [5, 4, 0, 1, 0, 0];
/// Element number of vendor-specific elements.
const VENDOR_SPECIFIC: u8 = 221;
/// An organisation identifier that is locally administered, and so nobody's.
const NOBODY: [u8; 3] = [0x02, 0xac, 0x1e];
/// The shortest vendor-specific element: number, length and organisation identifier.
const MIN_VENDOR: usize = 5;
/// The longest element.
const MAX_ELEMENT: usize = 257;

//! A-MPDU subframes: delimiters and what stands behind them (9.7).

use std::iter::FusedIterator;

/// The delimiter of an MPDU of `len` bytes; length 0 is a delimiter that only fills (9.7.1, Figures 9-1013 and 9-1014).
///
/// `eof` marks the only MPDU of a VHT PPDU, and EOF padding. The length has 14 bits, of which HT leaves the upper two zero.
pub fn delimiter(len: u16, eof: bool) -> [u8; 4] {
    let word = u16::from(eof) | (len >> 12 & 3) << 2 | (len & 0xfff) << 4;
    let [low, high] = word.to_le_bytes();
    [low, high, crc8(&[low, high]), SIGNATURE]
}

/// The MPDUs in an A-MPDU: each with the EOF bit of its delimiter.
///
/// Where a delimiter is damaged, or announces more than there is, the search goes on at the next multiple of four bytes, as
/// receivers do (9.7.1).
pub fn subframes(psdu: &[u8]) -> Subframes<'_> {
    Subframes { psdu, at: 0 }
}

/// See [`subframes`].
#[derive(Clone, Debug)]
pub struct Subframes<'a> {
    psdu: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Subframes<'a> {
    type Item = (bool, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let &[low, high, crc, signature] = self.psdu.get(self.at..)?.first_chunk()?;
            self.at += 4;
            if signature != SIGNATURE || crc != crc8(&[low, high]) {
                continue;
            }
            let word = u16::from_le_bytes([low, high]);
            let len = usize::from(word >> 4 | (word >> 2 & 3) << 12);
            match self.psdu.get(self.at..self.at + len) {
                Some(mpdu) if len > 0 => {
                    self.at = (self.at + len).next_multiple_of(4);
                    return Some((word & 1 == 1, mpdu));
                }
                _ => {}
            }
        }
    }
}

impl FusedIterator for Subframes<'_> {}

/// Pads what stands in `out` since `from` to a multiple of four bytes.
pub(super) fn pad(out: &mut Vec<u8>, from: usize) {
    out.resize(from + (out.len() - from).next_multiple_of(4), 0);
}

/// EOF padding of VHT up to `end`: first to a multiple of four bytes, then delimiters of length zero while they fit, then up to three
/// bytes (10.12.6).
pub(super) fn pad_to_end(out: &mut Vec<u8>, from: usize, end: usize) {
    let aligned = from + (out.len() - from).next_multiple_of(4);
    out.resize(aligned.min(end), 0);
    while out.len() + 4 <= end {
        out.extend(delimiter(0, true));
    }
    out.resize(end, 0);
}

/// The CRC of delimiters and of the HT SIGNAL field: x^8 + x^2 + x + 1 over the bits in the order in which they are sent, starting from
/// ones, the complement sent from the highest power down (19.3.9.4.4, 9.7.1).
fn crc8(bytes: &[u8]) -> u8 {
    let mut register: u8 = 0xff;
    for &byte in bytes {
        for bit in 0..8 {
            let feedback = register >> 7 ^ byte >> bit & 1;
            register = register << 1 ^ if feedback == 1 { 0x07 } else { 0 };
        }
    }
    // The highest power is sent first, and a byte's lowest bit is.
    (!register).reverse_bits()
}

/// The last byte of a delimiter: the letter N (9.7.1).
const SIGNATURE: u8 = 0x4e;

#[cfg(test)]
mod tests {
    use super::*;

    /// The same register, bit by bit.
    fn crc_of_bits(bits: &[u8]) -> u8 {
        let mut register: u8 = 0xff;
        for bit in bits {
            let feedback = register >> 7 ^ bit;
            register = register << 1 ^ if feedback == 1 { 0x07 } else { 0 };
        }
        !register
    }

    #[test]
    fn the_crc_is_that_of_the_standards_example() {
        // 19.3.9.4.4: these 34 bits of an HT-SIG field have the CRC 1 0 1 0 1 0 0 0, from c7 down.
        let bits: Vec<u8> = "1111000100100110000000001110000000".bytes().map(|digit| digit - b'0').collect();
        assert_eq!(crc_of_bits(&bits), 0b1010_1000);
        assert_eq!(crc_of_bits(&[0, 1, 0, 0, 1, 1, 0, 1]).reverse_bits(), crc8(&[0b1011_0010]));
    }

    #[test]
    fn lengths_up_to_14_bits_survive_a_delimiter() {
        for len in [1u16, 0xfff, 0x1000, 0x2cbe, 0x3fff] {
            let mut psdu = delimiter(len, true).to_vec();
            psdu.resize(4 + usize::from(len), 7);
            let found: Vec<_> = subframes(&psdu).map(|(eof, mpdu)| (eof, mpdu.len())).collect();
            assert_eq!(found, [(true, usize::from(len))]);
        }
    }

    #[test]
    fn a_damaged_delimiter_loses_its_own_mpdu_alone() {
        let mut psdu = Vec::new();
        for (len, fill) in [(5, 1), (6, 2), (7, 3)] {
            pad(&mut psdu, 0);
            psdu.extend(delimiter(len, false));
            psdu.resize(psdu.len() + usize::from(len), fill);
        }
        assert_eq!(subframes(&psdu).count(), 3);
        psdu[12] ^= 0x10;
        let left: Vec<_> = subframes(&psdu).map(|(_, mpdu)| mpdu[0]).collect();
        assert_eq!(left, [1, 3]);
    }

    #[test]
    fn an_announced_length_past_the_end_is_no_mpdu() {
        let mut psdu = delimiter(100, false).to_vec();
        psdu.resize(103, 0);
        assert_eq!(subframes(&psdu).next(), None);
    }
}

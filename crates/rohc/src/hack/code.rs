//! One compressed ACK as bytes, and the pieces that codes are made of.

use std::fmt;

use crate::hack::codec::CHECKSUM;
use crate::hack::error::Malformed;

/// One compressed ACK: from 1 to [`Code::MAX_LEN`] bytes, and its MSN, which only the first of a run spells out. With
/// [`Codec::Rfc6846`](super::Codec::Rfc6846) the bytes are a packet of the RFC.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Code {
    bytes: [u8; Code::MAX_LEN],
    len: u8,
    msn: u16,
}

/// The five forms of a code; the table in [`crate::hack`] has their bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// One byte: an expected advance, timestamps unchanged or one further, all else as before.
    Compact,
    /// Two bytes: as `Compact`, with timestamps up to 15 further.
    Stamps,
    /// Two bytes: as `Compact`, with timestamps unchanged and the window changed by up to 64.
    Window,
    /// From 2 bytes: any acknowledgment number, timestamps, window, IPv4 identification and SACK blocks.
    Delta,
    /// From 4 bytes: as `Delta`, and any field of the headers.
    Extended,
}

impl Code {
    /// The longest possible code: IPv6 with an MSS option and four SACK blocks, every field changed beyond recognition; 69 bytes, and the TCP checksum.
    pub const MAX_LEN: usize = 69 + CHECKSUM;

    /// A code of `msn` without bytes.
    pub(super) const fn empty(msn: u16) -> Self {
        Self { bytes: [0; Self::MAX_LEN], len: 0, msn }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The master sequence number.
    pub const fn msn(&self) -> u16 {
        self.msn
    }

    /// The form, of a code of [`Codec::Own`](super::Codec::Own).
    ///
    /// # Panics
    /// May, on what another codec has written.
    pub fn kind(&self) -> Kind {
        Kind::of(self.bytes()).expect("a compressor writes complete codes")
    }

    /// Appends a byte.
    #[inline]
    pub(super) fn push(&mut self, byte: u8) {
        self.bytes[usize::from(self.len)] = byte;
        self.len += 1;
    }

    /// Appends bytes.
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.push(byte));
    }

    /// Appends a number of up to 32 bits in as few bytes as it needs: 0 and 7 bits, 10 and 14, 110 and 21, 1110 and 28,
    /// or the byte 1111 0000 and 32.
    pub(super) fn number(&mut self, n: u32) {
        let bytes = n.to_be_bytes();
        match n {
            0..0x80 => self.push(bytes[3]),
            0x80..0x4000 => self.extend(&[0x80 | bytes[2], bytes[3]]),
            0x4000..0x20_0000 => self.extend(&[0xc0 | bytes[1], bytes[2], bytes[3]]),
            0x20_0000..0x1000_0000 => self.extend(&[0xe0 | bytes[0], bytes[1], bytes[2], bytes[3]]),
            _ => {
                self.push(0xf0);
                self.extend(&bytes);
            }
        }
    }

    /// Appends a number with a sign: 0, -1, 1, -2, 2 and so on as 0, 1, 2, 3, 4.
    pub(super) fn signed(&mut self, n: i32) {
        self.number((n << 1 ^ n >> 31) as u32);
    }
}

impl Default for Code {
    /// A place for a code, without bytes as yet.
    fn default() -> Self {
        Self::empty(0)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:02x?}", self.msn, self.bytes())
    }
}

impl Kind {
    /// All forms.
    pub const ALL: [Self; 5] = [Self::Compact, Self::Stamps, Self::Window, Self::Delta, Self::Extended];

    /// The form of the code at the start of `bytes`.
    #[inline]
    pub(super) fn of(bytes: &[u8]) -> Result<Self, Malformed> {
        match bytes {
            [] => Err(Malformed::Truncated),
            [0..0x80, ..] => Ok(Self::Compact),
            [0x80..0xc0] => Err(Malformed::Truncated),
            [0x80..0xc0, second, ..] => Ok(if second & MORE == 0 { Self::Delta } else { Self::Extended }),
            [0xc0..0xe0, ..] => Ok(Self::Stamps),
            [0xe0..0xf0, ..] => Ok(Self::Window),
            [other, ..] => Err(Malformed::Reserved(*other)),
        }
    }
}

/// Reads the pieces of a code.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the start of `bytes`.
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The bytes read so far.
    pub(super) const fn at(&self) -> usize {
        self.at
    }

    /// The next byte.
    pub(super) fn byte(&mut self) -> Result<u8, Malformed> {
        let [byte] = self.bytes()?;
        Ok(byte)
    }

    /// The next `N` bytes.
    pub(super) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let bytes = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk).ok_or(Malformed::Truncated)?;
        self.at += N;
        Ok(*bytes)
    }

    /// The next number; see [`Code::number`]. One that could be shorter is refused.
    pub(super) fn number(&mut self) -> Result<u32, Malformed> {
        let first = self.byte()?;
        let (n, least) = match first {
            0..0x80 => (u32::from(first), 0),
            0x80..0xc0 => (u32::from_be_bytes([0, 0, first & 0x3f, self.byte()?]), 0x80),
            0xc0..0xe0 => {
                let [b, c] = self.bytes()?;
                (u32::from_be_bytes([0, first & 0x1f, b, c]), 0x4000)
            }
            0xe0..0xf0 => {
                let [b, c, d] = self.bytes()?;
                (u32::from_be_bytes([first & 0x0f, b, c, d]), 0x20_0000)
            }
            0xf0 => (u32::from_be_bytes(self.bytes()?), 0x1000_0000),
            _ => return Err(Malformed::Field),
        };
        if n < least { Err(Malformed::Field) } else { Ok(n) }
    }

    /// The next number with a sign; see [`Code::signed`].
    pub(super) fn signed(&mut self) -> Result<i32, Malformed> {
        let n = self.number()?;
        Ok((n >> 1) as i32 ^ -((n & 1) as i32))
    }
}

/// In the second byte of a `Delta`: it is an `Extended`, and a map of rare fields follows.
pub(super) const MORE: u8 = 0x80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_the_bytes_that_they_need() {
        let numbers: [(u32, &[u8]); 9] = [
            (0, &[0]),
            (0x7f, &[0x7f]),
            (0x80, &[0x80, 0x80]),
            (2896, &[0x8b, 0x50]),
            (0x3fff, &[0xbf, 0xff]),
            (0x4000, &[0xc0, 0x40, 0x00]),
            (0x1f_ffff, &[0xdf, 0xff, 0xff]),
            (0xfff_ffff, &[0xef, 0xff, 0xff, 0xff]),
            (0x1000_0000, &[0xf0, 0x10, 0, 0, 0]),
        ];
        for (n, bytes) in numbers {
            let mut code = Code::empty(0);
            code.number(n);
            assert_eq!(code.bytes(), bytes, "{n}");
            assert_eq!(Cursor::new(bytes).number(), Ok(n));
            for end in 0..bytes.len() {
                assert_eq!(Cursor::new(&bytes[..end]).number(), Err(Malformed::Truncated));
            }
        }
    }

    #[test]
    fn signs_survive() {
        for (n, written) in [(0, 0), (-1, 1), (1, 2), (-64, 127), (64, 128), (i32::MIN, u32::MAX), (i32::MAX, !1)] {
            let mut code = Code::empty(0);
            code.signed(n);
            assert_eq!(Cursor::new(code.bytes()).number(), Ok(written));
            assert_eq!(Cursor::new(code.bytes()).signed(), Ok(n));
        }
    }

    #[test]
    fn a_number_longer_than_needed_is_no_number() {
        for bytes in [&[0x80, 0x7f][..], &[0xc0, 0x3f, 0xff], &[0xe0, 0, 0, 1], &[0xf0, 0, 0, 0, 1], &[0xf1; 5]] {
            assert_eq!(Cursor::new(bytes).number(), Err(Malformed::Field), "{bytes:?}");
        }
    }
}

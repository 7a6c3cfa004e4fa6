//! Context identifiers on the wire (RFC 5795, 5.1.3 and 5.3.2): an Add-CID octet for small ones, one or two octets of
//! self-describing length behind the first octet for large ones.

use super::error::Error;

/// Which context identifiers both ends use; part of what they agree upon before the first packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CidSpace {
    large: bool,
    max: u16,
}

impl CidSpace {
    /// Small identifiers, 0 to 15: none on the wire for 0, one octet for the others.
    pub const SMALL: Self = Self { large: false, max: 15 };

    /// Large identifiers, 0 to 16,383: one octet up to 127, two above.
    pub const LARGE: Self = Self { large: true, max: 16_383 };

    /// The same form with identifiers up to `max` only, which bounds the contexts that either end keeps.
    pub const fn up_to(self, max: u16) -> Self {
        Self { max: if max < self.max { max } else { self.max }, ..self }
    }

    /// The greatest identifier.
    pub const fn max(self) -> u16 {
        self.max
    }

    /// Whether identifiers are of the large form.
    pub const fn is_large(self) -> bool {
        self.large
    }

    /// Appends what stands in front of a header (or of feedback data) for a small identifier.
    pub(super) fn write_prefix(self, cid: u16, out: &mut Vec<u8>) {
        if !self.large && cid != 0 {
            out.push(ADD_CID | cid as u8);
        }
    }

    /// Appends what stands behind a header's first octet (or in front of feedback data) for a large identifier.
    pub(super) fn write_infix(self, cid: u16, out: &mut Vec<u8>) {
        if self.large {
            let (bytes, len) = sdvl(cid);
            out.extend_from_slice(&bytes[..len]);
        }
    }

    /// The small identifier in front of `bytes`, and how many octets it takes; 0 in none for the large form.
    pub(super) fn read_prefix(self, bytes: &[u8]) -> (u16, usize) {
        match bytes.first() {
            Some(&first) if !self.large && first & 0xf0 == ADD_CID => (u16::from(first & 0x0f), 1),
            _ => (0, 0),
        }
    }

    /// The large identifier at the front of `bytes`, and how many octets it takes.
    pub(super) fn read_infix(self, bytes: &[u8]) -> Result<(u16, usize), Error> {
        match *bytes {
            [first, ..] if first & 0x80 == 0 => Ok((first.into(), 1)),
            [first, second, ..] if first & 0xc0 == 0x80 => Ok((u16::from_be_bytes([first & 0x3f, second]), 2)),
            [] | [_] => Err(Error::Truncated),
            _ => Err(Error::Malformed),
        }
    }
}

/// An identifier in self-describing variable length: seven bits behind 0, fourteen behind 10.
fn sdvl(cid: u16) -> ([u8; 2], usize) {
    let [high, low] = cid.to_be_bytes();
    if cid < 0x80 { ([low, 0], 1) } else { ([high | 0x80, low], 2) }
}

/// The Add-CID octet, with the identifier in the low bits. With 0 there, it is padding.
pub(super) const ADD_CID: u8 = 0b1110_0000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_identifiers_have_self_describing_lengths() {
        for (cid, wire) in
            [(0, &[0x00][..]), (127, &[0x7f]), (128, &[0x80, 0x80]), (300, &[0x81, 0x2c]), (16_383, &[0xbf, 0xff])]
        {
            let mut out = Vec::new();
            CidSpace::LARGE.write_infix(cid, &mut out);
            assert_eq!(out, wire);
            assert_eq!(CidSpace::LARGE.read_infix(&out), Ok((cid, wire.len())));
        }
        assert_eq!(CidSpace::LARGE.read_infix(&[0xc0, 0, 0]), Err(Error::Malformed));
        assert_eq!(CidSpace::LARGE.read_infix(&[0x81]), Err(Error::Truncated));
    }

    #[test]
    fn small_identifiers_take_an_octet_unless_they_are_0() {
        for cid in 0..=15 {
            let mut out = Vec::new();
            CidSpace::SMALL.write_prefix(cid, &mut out);
            assert_eq!(out.len(), usize::from(cid != 0));
            out.push(0x55);
            assert_eq!(CidSpace::SMALL.read_prefix(&out), (cid, usize::from(cid != 0)));
        }
    }
}

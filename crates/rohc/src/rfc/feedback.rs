//! Feedback from decompressor to compressor (RFC 5795, 5.2.4; RFC 6846, 8.3).

use super::cid::CidSpace;
use super::error::Error;
use crate::crc::CRC8;

/// What a decompressor tells of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// The context.
    pub cid: u16,
    /// What is told.
    pub kind: FeedbackKind,
    /// The low bits of the master sequence number of the last packet that came out right, and how many bits they are
    /// (8 or 14); nothing if there was none.
    pub msn: Option<(u16, u8)>,
}

/// The kinds of feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FeedbackKind {
    /// The packet with this MSN came out right.
    Ack,
    /// The dynamic part of the context is in doubt.
    Nack,
    /// The static part is missing or in doubt.
    StaticNack,
}

impl Error {
    /// The feedback that a compressor should get for this.
    pub fn advice(self) -> Option<(u16, FeedbackKind)> {
        match self {
            Self::NoContext(cid) => Some((cid, FeedbackKind::StaticNack)),
            Self::InDoubt(cid) | Self::Crc(cid) | Self::Senseless(cid) => Some((cid, FeedbackKind::Nack)),
            _ => None,
        }
    }
}

impl Feedback {
    /// Whether it speaks of the packet with this master sequence number.
    pub(super) fn names(&self, msn: u16) -> bool {
        self.msn.is_some_and(|(low, bits)| msn & ((1 << bits) - 1) == low)
    }

    /// Appends the feedback as an element of its own: FEEDBACK-1 for an acknowledgement, else FEEDBACK-2, which has a
    /// checksum.
    pub(super) fn write(&self, space: CidSpace, out: &mut Vec<u8>) {
        let head = out.len();
        out.push(CODE);
        space.write_prefix(self.cid, out);
        space.write_infix(self.cid, out);
        match (self.kind, self.msn) {
            (FeedbackKind::Ack, Some((msn, _))) => out.push(msn as u8),
            _ => {
                let [high, low] = self.msn.map_or(0, |(msn, _)| msn).to_be_bytes();
                out.extend_from_slice(&[(self.kind as u8) << 6 | high & 0x3f, low, 0]);
                let crc_at = out.len() - 1;
                if self.msn.is_none() {
                    out.push(MSN_NOT_VALID << 4);
                }
                out[crc_at] = CRC8.of(&out[head + 1..]);
            }
        }
        out[head] |= (out.len() - head - 1) as u8;
    }

    /// Reads the element at the front of `bytes`, and says how long it is.
    pub(super) fn read(space: CidSpace, bytes: &[u8]) -> Result<(Self, usize), Error> {
        let (data_at, len) = match *bytes {
            [CODE, size, ..] => (2, usize::from(size)),
            [first, ..] if first & !SIZE == CODE && first != CODE => (1, usize::from(first & SIZE)),
            [] | [CODE] => return Err(Error::Truncated),
            _ => return Err(Error::Malformed),
        };
        let data = bytes.get(data_at..data_at + len).ok_or(Error::Truncated)?;
        // A single octet is FEEDBACK-1 of context 0 even where it looks like an Add-CID octet.
        let (cid, cid_len) = match (space.is_large(), data.len()) {
            (true, _) => space.read_infix(data)?,
            (false, 1) => (0, 0),
            (false, _) => space.read_prefix(data),
        };
        let feedback = match data[cid_len..] {
            [msn] => Self { cid, kind: FeedbackKind::Ack, msn: Some((msn.into(), 8)) },
            [high, low, crc, ref options @ ..] => {
                let so_far = CRC8.of(&data[..cid_len + 2]);
                if CRC8.extend(CRC8.extend(so_far, &[0]), options) != crc {
                    return Err(Error::FeedbackCrc);
                }
                let kind = match high >> 6 {
                    0 => FeedbackKind::Ack,
                    1 => FeedbackKind::Nack,
                    2 => FeedbackKind::StaticNack,
                    _ => return Err(Error::Malformed),
                };
                let msn = u16::from_be_bytes([high & 0x3f, low]);
                Self { cid, kind, msn: is_valid(options)?.then_some((msn, 14)) }
            }
            _ => return Err(Error::Truncated),
        };
        Ok((feedback, data_at + len))
    }
}

/// Whether the options leave the MSN valid; those that are not known are passed over.
fn is_valid(mut options: &[u8]) -> Result<bool, Error> {
    let mut valid = true;
    while let [first, rest @ ..] = options {
        valid &= first >> 4 != MSN_NOT_VALID;
        options = rest.get(usize::from(first & 0x0f)..).ok_or(Error::Malformed)?;
    }
    Ok(valid)
}

/// The first octet of feedback, with the length of the data in its low bits or, if that is 0, in the next octet.
const CODE: u8 = 0b1111_0000;
const SIZE: u8 = 0b0000_0111;
const MSN_NOT_VALID: u8 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feedback_comes_back_as_it_went() {
        for space in [CidSpace::SMALL, CidSpace::LARGE] {
            for cid in [0, 1, 15, 300].into_iter().filter(|&cid| cid <= space.max()) {
                for (kind, msn, came) in [
                    (FeedbackKind::Ack, Some((0x1234, 14)), Some((0x34, 8))),
                    (FeedbackKind::Ack, Some((0x12e5, 14)), Some((0xe5, 8))),
                    (FeedbackKind::Nack, Some((0x3fff, 14)), Some((0x3fff, 14))),
                    (FeedbackKind::StaticNack, None, None),
                ] {
                    let mut out = Vec::new();
                    Feedback { cid, kind, msn }.write(space, &mut out);
                    let len = out.len();
                    out.push(0x55);
                    assert_eq!(Feedback::read(space, &out), Ok((Feedback { cid, kind, msn: came }, len)));
                }
            }
        }
    }

    #[test]
    fn feedback_worked_by_hand() {
        let mut out = Vec::new();
        Feedback { cid: 3, kind: FeedbackKind::Ack, msn: Some((0x0142, 14)) }.write(CidSpace::SMALL, &mut out);
        assert_eq!(out, [0xf2, 0xe3, 0x42]);
        out.clear();
        Feedback { cid: 0, kind: FeedbackKind::Nack, msn: Some((0x0142, 14)) }.write(CidSpace::SMALL, &mut out);
        assert_eq!(out[..3], [0xf3, 0x41, 0x42]);
        assert_eq!(out[3], CRC8.of(&[0x41, 0x42, 0]));
    }

    #[test]
    fn a_damaged_nack_is_not_believed() {
        let mut out = Vec::new();
        let nack = Feedback { cid: 0, kind: FeedbackKind::Nack, msn: Some((77, 14)) };
        nack.write(CidSpace::SMALL, &mut out);
        for bit in 8..out.len() * 8 {
            let mut wrong = out.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert!(Feedback::read(CidSpace::SMALL, &wrong).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_length_may_stand_in_an_octet_of_its_own() {
        let ack = Feedback { cid: 0, kind: FeedbackKind::Ack, msn: Some((9, 8)) };
        assert_eq!(Feedback::read(CidSpace::SMALL, &[0xf0, 1, 9]), Ok((ack, 3)));
        assert_eq!(Feedback::read(CidSpace::SMALL, &[0xf0, 2, 9]), Err(Error::Truncated));
    }
}

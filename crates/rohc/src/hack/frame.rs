//! What is appended to a link-layer answer: one run of codes for each context.

use crate::hack::ack::Cid;
use crate::hack::code::{Code, Kind, Malformed};

/// Writes the runs of one answer behind what `out` holds.
#[derive(Debug)]
pub struct FrameWriter<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    limit: usize,
}

/// The runs of one answer, read and found well-formed to the last byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a>(&'a [u8]);

/// The codes of one context in an answer, of consecutive MSNs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run<'a> {
    cid: Cid,
    msn: u8,
    len: u8,
    codes: &'a [u8],
}

/// Why appended bytes are no frame. The place is counted in bytes from the start of the appended bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// There is nothing, or more than [`Frame::MAX_LEN`] bytes.
    #[error("{0} bytes cannot be appended")]
    Length(usize),
    /// The code at this place is none, or breaks off.
    #[error("at byte {0}: {1}")]
    Code(usize, Malformed),
    /// The run at this place has no codes, or more than [`Run::MAX_LEN`].
    #[error("at byte {0}: a run without codes, or with too many")]
    Count(usize),
    /// The run at this place is the second one of its context.
    #[error("at byte {0}: a second run of one context")]
    Repeated(usize),
}

impl<'a> FrameWriter<'a> {
    /// Appends to `out` up to `limit` bytes, or [`Frame::MAX_LEN`] if that is less.
    pub fn new(out: &'a mut Vec<u8>, limit: usize) -> Self {
        let start = out.len();
        Self { out, start, limit: limit.min(Frame::MAX_LEN) }
    }

    /// Appends a run of `codes`, which have consecutive MSNs: as many of the first of them as fit into the limit and a
    /// run. Says how many; nothing is written for a run of none. Call it once for each context.
    pub fn run<'c>(&mut self, cid: Cid, codes: impl IntoIterator<Item = &'c Code>) -> u8 {
        let mut count = 0;
        let end = self.start + self.limit;
        for code in codes {
            let bytes = code.bytes();
            if count == 0 {
                let separator: &[u8] = if self.out.len() > self.start { &[END] } else { &[] };
                if self.out.len() + separator.len() + HEADER + bytes.len() > end {
                    break;
                }
                self.out.extend_from_slice(separator);
                self.out.extend_from_slice(&[cid.0, code.msn()]);
            } else if self.out.len() + bytes.len() > end {
                break;
            }
            self.out.extend_from_slice(bytes);
            count += 1;
            if count == Run::MAX_LEN {
                break;
            }
        }
        count
    }
}

impl<'a> Frame<'a> {
    /// The most bytes that can be appended: what the 12 bits of the LENGTH field of a non-HT PPDU (802.11-2020, 17.3.4)
    /// leave beside a compressed BlockAck of 32 bytes, its FCS included.
    pub const MAX_LEN: usize = 4095 - 32;

    /// Reads the bytes between a standard answer and its FCS.
    ///
    /// Nothing but whole codes in whole runs is accepted, so one byte too many or too few is noticed before the first
    /// code is decoded.
    ///
    /// # Errors
    /// See [`FrameError`].
    pub fn read(bytes: &'a [u8]) -> Result<Self, FrameError> {
        if bytes.is_empty() || bytes.len() > Self::MAX_LEN {
            return Err(FrameError::Length(bytes.len()));
        }
        let mut seen = [0u64; 4];
        let mut at = 0;
        while at < bytes.len() {
            let (run, next) = Run::read(bytes, at)?;
            let bit = 1 << (run.cid.0 % 64);
            let word = &mut seen[usize::from(run.cid.0 / 64)];
            if *word & bit != 0 {
                return Err(FrameError::Repeated(at));
            }
            *word |= bit;
            at = next;
        }
        Ok(Self(bytes))
    }

    /// The runs in their order.
    pub fn runs(&self) -> impl Iterator<Item = Run<'a>> + use<'a> {
        let bytes = self.0;
        let mut at = 0;
        std::iter::from_fn(move || {
            if at == bytes.len() {
                return None;
            }
            let (run, next) = Run::read(bytes, at).expect("a frame is read whole before it is made");
            at = next;
            Some(run)
        })
    }
}

impl<'a> Run<'a> {
    /// The most codes of a run: fewer than 128 are outstanding in a context.
    pub const MAX_LEN: u8 = 127;

    /// The run at `at`, and where the next one begins.
    fn read(bytes: &'a [u8], at: usize) -> Result<(Self, usize), FrameError> {
        let Some(&[cid, msn]) = bytes[at..].first_chunk() else {
            return Err(FrameError::Code(at, Malformed::Truncated));
        };
        let first = at + HEADER;
        let mut end = first;
        let mut len = 0;
        let next = loop {
            match bytes.get(end) {
                None => break end,
                // What separates two runs cannot end a frame.
                Some(&END) if end + 1 == bytes.len() => return Err(FrameError::Code(end, Malformed::Truncated)),
                Some(&END) => break end + 1,
                Some(_) if len == Self::MAX_LEN => return Err(FrameError::Count(at)),
                Some(_) => {
                    end += Kind::len_of(&bytes[end..]).map_err(|malformed| FrameError::Code(end, malformed))?;
                    len += 1;
                }
            }
        };
        if len == 0 {
            return Err(FrameError::Count(at));
        }
        Ok((Self { cid: Cid(cid), msn, len, codes: &bytes[first..end] }, next))
    }

    /// The context.
    pub const fn cid(&self) -> Cid {
        self.cid
    }

    /// The MSN of the first code.
    pub const fn msn(&self) -> u8 {
        self.msn
    }

    /// The number of codes, 1 to [`Run::MAX_LEN`].
    #[expect(clippy::len_without_is_empty, reason = "no run is empty")]
    pub const fn len(&self) -> u8 {
        self.len
    }

    /// The codes' bytes.
    pub const fn bytes(&self) -> &'a [u8] {
        self.codes
    }

    /// The codes one by one: form and bytes.
    pub fn codes(&self) -> impl Iterator<Item = (Kind, &'a [u8])> + use<'a> {
        let mut rest = self.codes;
        std::iter::from_fn(move || {
            let kind = Kind::of(rest).ok()?;
            let (code, behind) = rest.split_at(Kind::len_of(rest).ok()?);
            rest = behind;
            Some((kind, code))
        })
    }
}

/// CID and MSN.
const HEADER: usize = 2;
/// The byte between two runs; no code begins with it.
const END: u8 = 0xff;

//! What is appended to a link-layer answer: one run of codes for each context.

use crate::hack::ack::Cid;
use crate::hack::code::{Code, Kind};
use crate::hack::codec::{Codec, MAX_APPENDED};
use crate::hack::error::Malformed;
use crate::hack::length::length_of;

/// Writes the runs of one answer behind what `out` holds.
#[derive(Debug)]
pub struct FrameWriter<'a> {
    codec: Codec,
    out: &'a mut Vec<u8>,
    start: usize,
    limit: usize,
    /// Where the codes of the last run begin.
    run_at: usize,
}

/// The runs of one answer, read and found well-formed to the last byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    codec: Codec,
    bytes: &'a [u8],
}

/// The codes of one context in an answer, of consecutive MSNs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run<'a> {
    codec: Codec,
    cid: Cid,
    msn: u16,
    len: Option<u16>,
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
    /// The run at this place has no codes, or more than [`Codec::max_outstanding`].
    #[error("at byte {0}: a run without codes, or with too many")]
    Count(usize),
    /// The run at this place is the second one of its context.
    #[error("at byte {0}: a second run of one context")]
    Repeated(usize),
}

impl<'a> FrameWriter<'a> {
    /// Appends to `out` up to `limit` bytes, or [`Frame::MAX_LEN`] if that is less.
    pub fn new(codec: Codec, out: &'a mut Vec<u8>, limit: usize) -> Self {
        let start = out.len();
        Self { codec, out, start, limit: limit.min(Frame::MAX_LEN), run_at: start }
    }

    /// Appends a run of `codes`, which have consecutive MSNs: as many of the first of them as fit into the limit and a
    /// run. Says how many; nothing is written for a run of none. Call it once for each context.
    pub fn run<'c>(&mut self, cid: Cid, codes: impl IntoIterator<Item = &'c Code>) -> u16 {
        let mut count = 0;
        let end = self.start + self.limit;
        for code in codes {
            let bytes = code.bytes();
            if count == 0 {
                let separator = if self.out.len() > self.start { self.codec.separator() } else { 0 };
                if self.out.len() + separator + self.codec.run_header() + bytes.len() > end {
                    break;
                }
                if separator > 0 {
                    self.separate();
                }
                self.out.push(cid.0);
                let [high, low] = code.msn().to_be_bytes();
                if self.codec.is_wide() {
                    self.out.push(high);
                }
                self.out.push(low);
                self.run_at = self.out.len();
            } else if self.out.len() + bytes.len() > end {
                break;
            }
            self.out.extend_from_slice(bytes);
            count += 1;
            if count == self.codec.max_outstanding() {
                break;
            }
        }
        count
    }

    /// Tells where the last run ends: behind codes of ours by a byte that begins none, in front of the RFC's packets by their length.
    fn separate(&mut self) {
        match self.codec {
            Codec::Own { .. } => self.out.push(END),
            Codec::Rfc6846 => {
                let [.., high, low] = (self.out.len() - self.run_at).to_be_bytes();
                self.out.splice(self.run_at..self.run_at, [END, high, low]);
            }
        }
    }
}

impl<'a> Frame<'a> {
    /// The most bytes that can be appended: what the 12 bits of the LENGTH field of a non-HT PPDU (802.11-2020, 17.3.4)
    /// leave beside a compressed BlockAck of 32 bytes, its FCS included.
    pub const MAX_LEN: usize = MAX_APPENDED;

    /// Reads the bytes between a standard answer and its FCS.
    ///
    /// Nothing but whole codes in whole runs is accepted, so one byte too many or too few is noticed before the first
    /// code is decoded. Where a packet of RFC 6846 ends, however, only its context can tell, while it decodes it.
    ///
    /// # Errors
    /// See [`FrameError`].
    pub fn read(codec: Codec, bytes: &'a [u8]) -> Result<Self, FrameError> {
        if bytes.is_empty() || bytes.len() > Self::MAX_LEN {
            return Err(FrameError::Length(bytes.len()));
        }
        let mut seen = [0u64; 4];
        let mut at = 0;
        while at < bytes.len() {
            let (run, next) = Run::read(codec, bytes, at)?;
            let bit = 1 << (run.cid.0 % 64);
            let word = &mut seen[usize::from(run.cid.0 / 64)];
            if *word & bit != 0 {
                return Err(FrameError::Repeated(at));
            }
            *word |= bit;
            at = next;
        }
        Ok(Self { codec, bytes })
    }

    /// The runs in their order.
    pub fn runs(&self) -> impl Iterator<Item = Run<'a>> + use<'a> {
        let Self { codec, bytes } = *self;
        let mut at = 0;
        std::iter::from_fn(move || {
            if at == bytes.len() {
                return None;
            }
            let (run, next) = Run::read(codec, bytes, at).expect("a frame is read whole before it is made");
            at = next;
            Some(run)
        })
    }
}

impl<'a> Run<'a> {
    /// The run at `at`, and where the next one begins.
    fn read(codec: Codec, bytes: &'a [u8], at: usize) -> Result<(Self, usize), FrameError> {
        let first = at + codec.run_header();
        let (cid, msn) = match bytes.get(at..first) {
            Some(&[cid, high, low]) => (cid, u16::from_be_bytes([high, low])),
            Some(&[cid, msn]) => (cid, msn.into()),
            _ => return Err(FrameError::Code(at, Malformed::Truncated)),
        };
        let (len, codes, next) = match codec {
            Codec::Own { .. } => Self::codes_at(codec, bytes, at, first)?,
            Codec::Rfc6846 => Self::packets_at(bytes, at, first)?,
        };
        Ok((Self { codec, cid: Cid(cid), msn, len, codes }, next))
    }

    /// How many codes of ours there are from `first` on, in the run at `at`; their bytes, and where the next run begins.
    fn codes_at(
        codec: Codec,
        bytes: &'a [u8],
        at: usize,
        first: usize,
    ) -> Result<(Option<u16>, &'a [u8], usize), FrameError> {
        let most = codec.max_outstanding();
        let (mut end, mut len) = (first, 0);
        let next = loop {
            match bytes.get(end) {
                None => break end,
                // What separates two runs cannot end a frame.
                Some(&END) if end + 1 == bytes.len() => return Err(FrameError::Code(end, Malformed::Truncated)),
                Some(&END) => break end + 1,
                Some(_) if len == most => return Err(FrameError::Count(at)),
                Some(_) => {
                    let code = length_of(&bytes[end..]).map_err(|malformed| FrameError::Code(end, malformed))?;
                    if bytes.len() - end < code + codec.behind_code() {
                        return Err(FrameError::Code(end, Malformed::Truncated));
                    }
                    end += code + codec.behind_code();
                    len += 1;
                }
            }
        };
        if len == 0 {
            return Err(FrameError::Count(at));
        }
        Ok((Some(len), &bytes[first..end], next))
    }

    /// The same of packets of RFC 6846, whose number only their context can tell.
    fn packets_at(bytes: &'a [u8], at: usize, first: usize) -> Result<(Option<u16>, &'a [u8], usize), FrameError> {
        let (first, end) = match bytes[first..] {
            [] => return Err(FrameError::Count(at)),
            [END, high, low, ..] => {
                let first = first + Codec::Rfc6846.separator();
                (first, first + usize::from(u16::from_be_bytes([high, low])))
            }
            [END, ..] => return Err(FrameError::Code(first, Malformed::Truncated)),
            _ => return Ok((None, &bytes[first..], bytes.len())),
        };
        // A length is said only where another run follows.
        match bytes.get(first..end) {
            Some([]) => Err(FrameError::Count(at)),
            // No packet of the RFC begins so. By itself, as the last of a frame, the run would
            // begin with a length.
            Some([END, ..]) => Err(FrameError::Code(first, Malformed::Reserved(END))),
            Some(packets) if end < bytes.len() => Ok((None, packets, end)),
            _ => Err(FrameError::Code(first, Malformed::Truncated)),
        }
    }

    /// The context.
    pub const fn cid(&self) -> Cid {
        self.cid
    }

    /// The MSN of the first code.
    pub const fn msn(&self) -> u16 {
        self.msn
    }

    /// The number of codes, 1 to [`Codec::max_outstanding`]; nothing for packets of RFC 6846, which only their context can count.
    #[expect(clippy::len_without_is_empty, reason = "no run is empty")]
    pub const fn len(&self) -> Option<u16> {
        self.len
    }

    /// The codes' bytes.
    pub const fn bytes(&self) -> &'a [u8] {
        self.codes
    }

    /// The codes of ours one by one: form and bytes, with the checksum behind them; none where there are packets of RFC 6846.
    pub fn codes(&self) -> impl Iterator<Item = (Kind, &'a [u8])> + use<'a> {
        let mut rest = if self.len.is_some() { self.codes } else { &[] };
        let behind_code = self.codec.behind_code();
        std::iter::from_fn(move || {
            let kind = Kind::of(rest).ok()?;
            let (code, behind) = rest.split_at(length_of(rest).ok()? + behind_code);
            rest = behind;
            Some((kind, code))
        })
    }
}

/// The byte between two runs; no code begins with it. Nor does a packet of RFC 6846 here: it begins a segment (RFC 5795, 5.2.5), of which there are none.
const END: u8 = 0xff;

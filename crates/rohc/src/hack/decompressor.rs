//! The decompressing end of one context.

use crate::hack::ack::Ack;
use crate::hack::check::Covered;
use crate::hack::code::{Kind, Malformed};
use crate::hack::context::Context;
use crate::hack::delta::Delta;
use crate::hack::frame::Run;
use crate::hack::small::Small;

/// The decompressing end of one context. Allocates nothing.
///
/// [`install`](Self::install) each native pure ACK of the flow as it is received, then [`decode`](Self::decode) the
/// runs with its CID. A run that cannot belong behind what was decoded so far is refused whole.
#[derive(Clone, Debug, Default)]
pub struct Decompressor {
    context: Option<Context>,
    /// The MSN of the next new code.
    expected: u8,
    /// The codes decoded since the reference was installed, at most [`MAX_BACK`]: so far may a run reach back.
    behind: u8,
}

/// An ACK that came out of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The headers.
    pub ack: Ack,
    /// The code's MSN.
    pub msn: u8,
    /// The code's form.
    pub kind: Kind,
}

/// Why a run, or the rest of one, is not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The context has no reference.
    #[error("the context has no reference")]
    NoReference,
    /// The run does not begin with the expected code, nor with one that was decoded since the reference was installed.
    #[error("a run begins with MSN {first}, the next new one is {expected}, and {behind} lie behind it")]
    Gap {
        /// The MSN of the run's first code.
        first: u8,
        /// The MSN of the next new code.
        expected: u8,
        /// How many codes before the expected one may come again.
        behind: u8,
    },
    /// The checksum of this code does not fit the header that it leads to.
    #[error("the checksum of the code with MSN {0} is wrong")]
    Checksum(u8),
    /// A code leads to no header from the one before: it moves timestamps that are not there, names a SACK block or
    /// a field of the other IP version, or gives more options than a header has room for.
    #[error("a code leads to no header from the one before")]
    Impossible,
    /// A code is none.
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

/// The new ACKs of a run, in order. After an error it ends; the context is then as before the code that failed.
#[derive(Debug)]
pub struct Decode<'c, 'f> {
    decompressor: &'c mut Decompressor,
    codes: &'f [u8],
    left: u8,
    duplicates: u8,
}

impl Decompressor {
    /// Makes `native` the reference of the next code. All codes of before are void.
    pub fn install(&mut self, native: &Ack) {
        let (context, msn) = Context::install(native);
        *self = Self { context: Some(context), expected: msn, behind: 0 };
    }

    /// Closes the context until the next [`install`](Self::install).
    pub fn invalidate(&mut self) {
        self.context = None;
    }

    /// Whether there is a reference.
    pub const fn is_ready(&self) -> bool {
        self.context.is_some()
    }

    /// The MSN of the next new code; meaningful while [`is_ready`](Self::is_ready).
    pub const fn expected(&self) -> u8 {
        self.expected
    }

    /// The ACK that the next code builds on: the last one decoded, or installed.
    pub fn reference(&self) -> Option<&Ack> {
        self.context.as_ref().map(|context| &context.reference)
    }

    /// Begins to decode `run`, behind those of its codes that were decoded before.
    ///
    /// The run's first MSN tells how many those are: `expected - first` modulo 256, see [`crate::hack`].
    ///
    /// # Errors
    /// [`DecodeError::NoReference`] and [`DecodeError::Gap`]; nothing has changed then.
    pub fn decode<'c, 'f>(&'c mut self, run: &Run<'f>) -> Result<Decode<'c, 'f>, DecodeError> {
        if self.context.is_none() {
            return Err(DecodeError::NoReference);
        }
        let back = self.expected.wrapping_sub(run.msn());
        if back > self.behind {
            return Err(DecodeError::Gap { first: run.msn(), expected: self.expected, behind: self.behind });
        }
        let duplicates = back.min(run.len());
        let mut codes = run.bytes();
        for _ in 0..duplicates {
            codes = &codes[Kind::len_of(codes)?..];
        }
        Ok(Decode { decompressor: self, codes, left: run.len() - duplicates, duplicates })
    }

    /// Decodes the code at the start of `bytes`, and says its length.
    #[inline]
    fn step(&mut self, bytes: &[u8]) -> Result<(Decoded, usize), DecodeError> {
        let context = self.context.as_mut().ok_or(DecodeError::NoReference)?;
        let msn = self.expected;
        let kind = Kind::of(bytes)?;
        let (ack, right, len) = match kind {
            Kind::Compact | Kind::Stamps | Kind::Window => {
                let (small, crc) = Small::read(kind, bytes)?;
                let ack = small.apply(context)?;
                (ack, context.sum.crc3(&Covered::of(&ack), msn) == crc, if kind == Kind::Compact { 1 } else { 2 })
            }
            Kind::Delta | Kind::Extended => {
                let (delta, crc, len) = Delta::read(bytes)?;
                let ack = delta.apply(context)?;
                (ack, context.sum.crc7(&Covered::of(&ack), msn) == crc, len)
            }
        };
        if !right {
            return Err(DecodeError::Checksum(msn));
        }
        context.step(&ack);
        self.expected = msn.wrapping_add(1);
        self.behind = (self.behind + 1).min(MAX_BACK);
        Ok((Decoded { ack, msn, kind }, len))
    }
}

impl Decode<'_, '_> {
    /// How many of the run's codes were decoded before, and are passed over.
    pub const fn duplicates(&self) -> u8 {
        self.duplicates
    }

    /// How many codes are still to come.
    pub const fn left(&self) -> u8 {
        self.left
    }
}

impl Iterator for Decode<'_, '_> {
    type Item = Result<Decoded, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let step = self.decompressor.step(self.codes);
        Some(match step {
            Ok((decoded, len)) => {
                self.codes = &self.codes[len..];
                Ok(decoded)
            }
            Err(error) => {
                self.left = 0;
                Err(error)
            }
        })
    }
}

/// How far a run may reach back behind the expected code: fewer than 128 are outstanding.
const MAX_BACK: u8 = 127;

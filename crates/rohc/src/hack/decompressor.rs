//! The decompressing end of one context.

use ackless_wire::Bytes;

use crate::hack::ack::Ack;
use crate::hack::check::{Covered, TcpSum};
use crate::hack::code::Kind;
use crate::hack::codec::{CHECKSUM, Codec};
use crate::hack::context::Context;
use crate::hack::delta::Delta;
use crate::hack::error::{DecodeError, Malformed};
use crate::hack::frame::Run;
use crate::hack::length::length_of;
use crate::hack::small::Small;
use crate::hack::standard::Receiver;

/// The decompressing end of one context. Allocates nothing for codes of ours.
///
/// [`install`](Self::install) each native pure ACK of the flow as it is received, then [`decode`](Self::decode) the
/// runs with its CID. A run that cannot belong behind what was decoded so far is refused whole.
#[derive(Clone, Debug, Default)]
pub struct Decompressor {
    codec: Codec,
    context: Option<Receiving>,
    /// The MSN of the next new code.
    expected: u16,
    /// The codes decoded since the reference was installed, at most [`Codec::max_outstanding`]: so far may a run reach back.
    behind: u16,
    sum: TcpSum,
}

/// What it knows of the flow.
#[derive(Clone, Debug)]
enum Receiving {
    Own(Context),
    Rfc6846(Box<Receiver>),
}

/// An ACK that came out of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The headers.
    pub ack: Ack,
    /// The code's MSN.
    pub msn: u16,
}

/// The new ACKs of a run, in order. After an error it ends; the context is then as before the code that failed.
#[derive(Debug)]
pub struct Decode<'c, 'f> {
    decompressor: &'c mut Decompressor,
    codes: &'f [u8],
    /// How many more a run can have.
    left: u16,
    duplicates: u16,
}

impl Decompressor {
    /// A decompressor without a reference. The default one has the default codec.
    pub fn new(codec: Codec) -> Self {
        Self { codec, ..Self::default() }
    }

    /// Makes `native` the reference of the next code. All codes of before are void.
    pub fn install(&mut self, native: &Ack) {
        let (context, msn) = Context::install(native);
        self.context = match self.codec {
            Codec::Own { .. } => Some(Receiving::Own(context)),
            Codec::Rfc6846 => Receiver::install(native, msn).map(|receiver| Receiving::Rfc6846(Box::new(receiver))),
        };
        (self.expected, self.behind) = (msn, 0);
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
    pub const fn expected(&self) -> u16 {
        self.expected
    }

    /// The ACK that the next code builds on: the last one decoded, or installed.
    pub fn reference(&self) -> Option<&Ack> {
        match self.context.as_ref()? {
            Receiving::Own(context) => Some(&context.reference),
            Receiving::Rfc6846(receiver) => Some(&receiver.reference),
        }
    }

    /// Begins to decode `run`, which was read with the same codec, behind those of its codes that were decoded before.
    ///
    /// The run's first MSN tells how many those are: `expected - first` modulo the number of MSNs, see [`crate::hack`].
    ///
    /// # Errors
    /// [`DecodeError::NoReference`] and [`DecodeError::Gap`]; [`DecodeError::Malformed`] where packets of the RFC that came before are not those that come again. Nothing
    /// has changed then.
    pub fn decode<'c, 'f>(&'c mut self, run: &Run<'f>) -> Result<Decode<'c, 'f>, DecodeError> {
        let Some(context) = &self.context else { return Err(DecodeError::NoReference) };
        let back = self.expected.wrapping_sub(run.msn()) & self.codec.max_msn();
        if back > self.behind {
            return Err(DecodeError::Gap { first: run.msn(), expected: self.expected, behind: self.behind });
        }
        let most = self.codec.max_outstanding();
        let (codes, duplicates) = match context {
            Receiving::Own(_) => self.pass_over(run.bytes(), back)?,
            Receiving::Rfc6846(receiver) => receiver.pass_over(run.bytes(), back)?,
        };
        Ok(Decode { decompressor: self, codes, left: most - duplicates, duplicates })
    }

    /// What is behind the first `back` codes of ours, or fewer if there are not so many; and how many those are.
    fn pass_over<'f>(&self, mut codes: &'f [u8], back: u16) -> Result<(&'f [u8], u16), Malformed> {
        let mut passed = 0;
        while passed < back && !codes.is_empty() {
            let len = length_of(codes)? + self.codec.behind_code();
            codes = codes.get(len..).ok_or(Malformed::Truncated)?;
            passed += 1;
        }
        Ok((codes, passed))
    }

    /// Decodes the code at the start of `bytes`, whose ACK is the reference then, and says how long its packet and the code are.
    #[inline]
    fn step(&mut self, bytes: &[u8]) -> Result<(&Ack, Bytes, usize), DecodeError> {
        let msn = self.expected;
        let (ack, packet_len, len) = match self.context.as_mut().ok_or(DecodeError::NoReference)? {
            Receiving::Own(context) => {
                let len = own(context, msn, bytes, self.codec, &mut self.sum)?;
                (&context.reference, context.packet_len, len)
            }
            Receiving::Rfc6846(receiver) => {
                let len = receiver.step(bytes, msn)?;
                (&receiver.reference, receiver.reference.packet_len(), len)
            }
        };
        self.expected = msn.wrapping_add(1) & self.codec.max_msn();
        self.behind = (self.behind + 1).min(self.codec.max_outstanding());
        Ok((ack, packet_len, len))
    }
}

/// Decodes a code of ours, whose ACK is the reference then, and says its length.
#[inline]
fn own(context: &mut Context, msn: u16, bytes: &[u8], codec: Codec, sum: &mut TcpSum) -> Result<usize, DecodeError> {
    let kind = Kind::of(bytes)?;
    let len = match kind {
        Kind::Compact | Kind::Stamps | Kind::Window => {
            let (small, crc) = Small::read(kind, bytes)?;
            let next = small.apply(context)?;
            let covered = context.covered_after(&next);
            if context.sum.crc3(&covered, msn) != crc {
                return Err(DecodeError::Checksum(msn));
            }
            let words = covered.words;
            let len = if kind == Kind::Compact { 1 } else { 2 };
            if codec.behind_code() > 0 {
                check_behind(&context.after(&next), msn, &bytes[len..], sum)?;
            }
            context.take(&next, words);
            len
        }
        Kind::Delta | Kind::Extended => own_delta(context, msn, bytes, codec, sum)?,
    };
    Ok(len + codec.behind_code())
}

/// The same of a code that is no small one; its length is without what is behind it.
#[inline(never)]
fn own_delta(
    context: &mut Context,
    msn: u16,
    bytes: &[u8],
    codec: Codec,
    sum: &mut TcpSum,
) -> Result<usize, DecodeError> {
    let (delta, crc, len) = Delta::read(bytes)?;
    let ack = delta.apply(context)?;
    if context.sum.crc7(&Covered::of(&ack), msn) != crc {
        return Err(DecodeError::Checksum(msn));
    }
    if codec.behind_code() > 0 {
        check_behind(&ack, msn, &bytes[len..], sum)?;
    }
    context.step(&ack);
    Ok(len)
}

/// Compares the TCP checksum of `ack` with that at the start of `bytes`, behind its code.
#[inline(never)]
fn check_behind(ack: &Ack, msn: u16, bytes: &[u8], sum: &mut TcpSum) -> Result<(), DecodeError> {
    let said: &[u8; CHECKSUM] = bytes.first_chunk().ok_or(Malformed::Truncated)?;
    if *said == sum.of(ack) { Ok(()) } else { Err(DecodeError::TcpChecksum(msn)) }
}

impl Decode<'_, '_> {
    /// How many of the run's codes were decoded before, and are passed over.
    pub const fn duplicates(&self) -> u16 {
        self.duplicates
    }

    /// The next of the run's ACKs that are new, where it lies, and its [`Ack::packet_len`]: as [`next`](Iterator::next), without a copy.
    #[inline]
    pub fn advance(&mut self) -> Option<Result<(&Ack, Bytes), DecodeError>> {
        if self.codes.is_empty() {
            return None;
        }
        let Some(left) = self.left.checked_sub(1) else {
            self.codes = &[];
            return Some(Err(DecodeError::Impossible));
        };
        self.left = left;
        Some(match self.decompressor.step(self.codes) {
            Ok((ack, packet_len, len)) => {
                self.codes = &self.codes[len..];
                Ok((ack, packet_len))
            }
            Err(error) => {
                self.codes = &[];
                Err(error)
            }
        })
    }
}

impl Iterator for Decode<'_, '_> {
    type Item = Result<Decoded, DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let msn = self.decompressor.expected;
        self.advance().map(|step| step.map(|(&ack, _)| Decoded { ack, msn }))
    }
}

//! The compressing end of one context.

use crate::hack::ack::{Ack, AckRef, Refused};
use crate::hack::check::{Covered, TcpSum};
use crate::hack::code::Code;
use crate::hack::codec::Codec;
use crate::hack::context::Context;
use crate::hack::delta::Delta;
use crate::hack::small::Small;
use crate::hack::standard::Sender;

/// The compressing end of one context: pure ACKs of one flow in, codes out. Allocates nothing for codes of ours.
///
/// A new one has no reference. [`install`](Self::install) gives it the native ACK that the other end is known to have;
/// from then on [`compress`](Self::compress) turns each ACK into a code in terms of the one before, so codes must reach
/// the other end complete and in order, though any prefix of those outstanding may arrive again. Where codes are given
/// up, call [`invalidate`](Self::invalidate): the context stays closed until the next native ACK.
///
/// The caller keeps no more than [`Codec::max_outstanding`] codes outstanding: compressed, and not known to have been received.
/// It may clone the compressor to take back codes that it has never sent.
#[derive(Clone, Debug, Default)]
pub struct Compressor {
    codec: Codec,
    context: Option<Sending>,
    msn: u16,
    sum: TcpSum,
}

/// What it knows of the other end.
#[derive(Clone, Debug)]
enum Sending {
    Own(Context),
    Rfc6846(Box<Sender>),
}

impl Compressor {
    /// A compressor without a reference. The default one has the default codec.
    pub fn new(codec: Codec) -> Self {
        Self { codec, ..Self::default() }
    }

    /// Makes `native`, which the other end is known to have received, the reference of the next code.
    /// It may be of another flow than the reference before it. All codes of before are void.
    ///
    /// The MSN goes on from the CRC-8 over the reference, on both ends: see [`crate::hack`].
    pub fn install(&mut self, native: &Ack) {
        let (context, msn) = Context::install(native);
        self.context = match self.codec {
            Codec::Own { .. } => Some(Sending::Own(context)),
            Codec::Rfc6846 => Sender::install(native, msn).map(|sender| Sending::Rfc6846(Box::new(sender))),
        };
        self.msn = msn;
    }

    /// Closes the context until the next [`install`](Self::install).
    pub fn invalidate(&mut self) {
        self.context = None;
    }

    /// Whether there is a reference.
    pub const fn is_ready(&self) -> bool {
        self.context.is_some()
    }

    /// The MSN of the next code; meaningful while [`is_ready`](Self::is_ready).
    pub const fn msn(&self) -> u16 {
        self.msn
    }

    /// The ACK that the next code builds on: the last one compressed, or installed.
    pub fn reference(&self) -> Option<&Ack> {
        match self.context.as_ref()? {
            Sending::Own(context) => Some(&context.reference),
            Sending::Rfc6846(sender) => Some(&sender.reference),
        }
    }

    /// Compresses the next ACK of the flow.
    ///
    /// # Errors
    /// [`Refused::NoReference`] and [`Refused::OtherFlow`], and of the RFC's packets [`Refused::TooLong`]; the next code is in terms of the same reference then.
    pub fn compress(&mut self, ack: &Ack) -> Result<Code, Refused> {
        let mut code = Code::default();
        self.compress_into(ack.by_ref(), &mut code)?;
        Ok(code)
    }

    /// [`compress`](Self::compress) for an ACK and a code where they lie. Of the code before nothing is left.
    ///
    /// # Errors
    /// The same; the code has no bytes then.
    #[inline]
    pub fn compress_into(&mut self, ack: AckRef<'_>, code: &mut Code) -> Result<(), Refused> {
        *code = Code::empty(self.msn);
        match self.context.as_mut().ok_or(Refused::NoReference)? {
            Sending::Own(context) => {
                if !context.reference.by_ref().same_flow(ack) {
                    return Err(Refused::OtherFlow);
                }
                match Small::between(context, ack) {
                    Some((small, next)) => {
                        let covered = context.covered_after(&next);
                        small.write(context.sum.crc3(&covered, self.msn), code);
                        let words = covered.words;
                        context.take(&next, words);
                    }
                    None => write_delta(context, &ack.copied(), self.msn, code),
                }
                if self.codec.behind_code() > 0 {
                    code.extend(&self.sum.of(&context.reference));
                }
            }
            Sending::Rfc6846(sender) => *code = sender.compress(&ack.copied(), self.msn)?,
        }
        self.msn = self.msn.wrapping_add(1) & self.codec.max_msn();
        Ok(())
    }
}

/// Writes the code of an ACK that is no expected step, which is the reference then.
#[inline(never)]
fn write_delta(context: &mut Context, ack: &Ack, msn: u16, code: &mut Code) {
    let delta = Delta::between(context, ack);
    delta.write(context.sum.crc7(&Covered::of(ack), msn), code);
    context.step(ack);
}

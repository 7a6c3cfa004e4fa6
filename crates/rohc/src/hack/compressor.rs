//! The compressing end of one context.

use crate::hack::ack::{Ack, Refused};
use crate::hack::check::Covered;
use crate::hack::code::Code;
use crate::hack::context::Context;
use crate::hack::delta::Delta;
use crate::hack::small::Small;

/// The compressing end of one context: pure ACKs of one flow in, codes out. Allocates nothing.
///
/// A new one has no reference. [`install`](Self::install) gives it the native ACK that the other end is known to have;
/// from then on [`compress`](Self::compress) turns each ACK into a code in terms of the one before, so codes must reach
/// the other end complete and in order, though any prefix of those outstanding may arrive again. Where codes are given
/// up, call [`invalidate`](Self::invalidate): the context stays closed until the next native ACK.
///
/// The caller keeps fewer than 128 codes outstanding: compressed, and not known to have been received.
/// It may clone the compressor to take back codes that it has never sent.
#[derive(Clone, Debug, Default)]
pub struct Compressor {
    context: Option<Context>,
    msn: u8,
}

impl Compressor {
    /// Makes `native`, which the other end is known to have received, the reference of the next code.
    /// It may be of another flow than the reference before it. All codes of before are void.
    ///
    /// The MSN goes on from the CRC-8 over the reference, on both ends: see [`crate::hack`].
    pub fn install(&mut self, native: &Ack) {
        let (context, msn) = Context::install(native);
        self.context = Some(context);
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
    pub const fn msn(&self) -> u8 {
        self.msn
    }

    /// The ACK that the next code builds on: the last one compressed, or installed.
    pub fn reference(&self) -> Option<&Ack> {
        self.context.as_ref().map(|context| &context.reference)
    }

    /// Compresses the next ACK of the flow.
    ///
    /// # Errors
    /// [`Refused::NoReference`] and [`Refused::OtherFlow`]; nothing has changed then.
    pub fn compress(&mut self, ack: &Ack) -> Result<Code, Refused> {
        let context = self.context.as_mut().ok_or(Refused::NoReference)?;
        if !context.reference.same_flow(ack) {
            return Err(Refused::OtherFlow);
        }
        let mut code = Code::empty(self.msn);
        let covered = Covered::of(ack);
        match Small::between(context, ack) {
            Some(small) => small.write(context.sum.crc3(&covered, self.msn), &mut code),
            None => Delta::between(context, ack).write(context.sum.crc7(&covered, self.msn), &mut code),
        }
        context.step(ack);
        self.msn = self.msn.wrapping_add(1);
        Ok(code)
    }
}

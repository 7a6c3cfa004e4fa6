//! How long a code is.

use crate::hack::code::Kind;
use crate::hack::delta::Delta;
use crate::hack::error::Malformed;
use crate::hack::small::Small;

/// The length of the code at the start of `bytes`. It follows from the code's own bytes, so that codes whose
/// context is not at hand can be passed over.
#[inline]
pub(super) fn length_of(bytes: &[u8]) -> Result<usize, Malformed> {
    match Kind::of(bytes)? {
        Kind::Compact => Ok(1),
        kind @ (Kind::Stamps | Kind::Window) => Small::read(kind, bytes).map(|_| 2),
        Kind::Delta | Kind::Extended => Delta::read(bytes).map(|(_, _, len)| len),
    }
}

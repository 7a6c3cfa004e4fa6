//! Block acknowledgement under an HT-immediate agreement (802.11-2020, 10.25), and duplicate detection of single MPDUs.
//!
//! - [`Originator`]: the sender's side of one (receiver, TID): its window, and what became of each MPDU;
//! - [`Recipient`]: the receiver's side of one (transmitter, TID): the scoreboard it answers from, and the reorder buffer;
//! - [`DuplicateCache`]: the sequence numbers by which a receiver knows repeated MPDUs that came without an agreement.
//!
//! Agreements are taken as set up: ADDBA and DELBA frames are not modelled, nor is an MSDU lifetime, fragmentation,
//! or the partial-state scoreboard (a recipient here never forgets an agreement between two A-MPDUs).

mod duplicate;
mod more;
mod originator;
mod recipient;
#[cfg(test)]
mod tests;

pub use duplicate::DuplicateCache;
pub use originator::{Fate, NoAnswer, Originator};
pub use recipient::{Duplicate, Recipient};

/// The largest WinSizeO, WinSizeR and WinSizeB: how many sequence numbers an originator may have outstanding, a scoreboard
/// records and a reorder buffer holds (802.11-2020, 10.25.6.1). It divides 4096 and is the width of
/// [`Bitmap`](crate::frame::Bitmap); both grow together when the bitmap does.
pub const MAX_WINDOW: u16 = 64;

//! The phases of loss recovery.

use crate::sequence::Position;

/// In what phase a sender is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Nothing is known to be lost.
    Open,
    /// A loss was detected by acknowledgements; over once `until` is acknowledged.
    Recovery {
        /// RecoveryPoint of RFC 6675, recover of RFC 6582.
        until: Position,
    },
    /// The timer fired, and all that was out is sent again from the start; over once `until` is acknowledged.
    GoBack {
        /// What had been sent when the timer fired.
        until: Position,
    },
}

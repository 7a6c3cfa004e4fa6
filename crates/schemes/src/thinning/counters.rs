//! What ACK thinning counts on one node, each number at the transition that it names.

use crate::counters::counters;

counters! {
    /// Counts of one node since the start of the run.
    pub struct ThinningCounters {
        /// ACKs dropped because a newer one says as much.
        dropped,
    }
}

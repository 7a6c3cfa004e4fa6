//! What FastACK counts on one node, each number at the transition that it names.

use crate::counters::counters;

counters! {
    /// Counts of one node since the start of the run.
    pub struct FastAckCounters {
        /// ACKs that the AP made.
        made,
        /// The client's ACKs that ended at the AP.
        suppressed,
        /// Segments sent again from the cache.
        repaired,
    }
}

//! What the ARQ proxy counts on one node, each number at the transition that it names.

use crate::counters::counters;

counters! {
    /// Counts of one node since the start of the run.
    pub struct ArqProxyCounters {
        /// ACKs released on a request.
        released,
        /// The client's own ACKs that a request replaced.
        cancelled,
    }
}

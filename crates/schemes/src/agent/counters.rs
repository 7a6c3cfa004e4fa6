//! What the agent counts on one node, each number at the transition that it names.

use crate::counters::counters;

counters! {
    /// Counts of one node since the start of the run.
    pub struct AgentCounters {
        /// ACKs that the AP made.
        made,
        /// The station's own ACKs that its MAC kept off the air.
        swallowed,
    }
}

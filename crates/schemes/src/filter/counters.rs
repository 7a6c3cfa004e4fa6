//! What ACK filtering counts on one node, each number at the transition that it names.

use crate::counters::counters;

counters! {
    /// Counts of one node since the start of the run.
    pub struct FilterCounters {
        /// Pure ACKs sent unanswered.
        filtered_acks,
        /// Data packets sent unanswered.
        filtered_data,
        /// Packets that came group-addressed and were turned back.
        turned_back,
    }
}

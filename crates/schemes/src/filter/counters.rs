//! What ACK filtering counts on one node, each number at the transition that it names.

use crate::counters::counters;

counters! {
    /// Counts of one node since the start of the run.
    pub struct FilterCounters {
        /// Pure ACKs queued to be sent unanswered.
        filtered_acks,
        /// Those of them with SACK blocks: where the air takes one, the sender learns later or never what is missing.
        filtered_sacks,
        /// Data packets queued to be sent unanswered.
        filtered_data,
        /// Packets that came group-addressed, or as an Action No Ack frame, and were turned back.
        turned_back,
        /// Packets that came as QoS Data under No Ack.
        came_unanswered,
        /// Packets that stayed answered because a station sends its frames to its AP, which acknowledges them whatever their destination.
        answered_to_ap,
        /// Packets that stayed answered because nothing on the other side would turn them back.
        answered_legacy,
        /// Packets that stayed answered because their link has no QoS, and so no ack policy.
        answered_without_qos,
    }
}

//! What the agent counts on one node, each number at the transition that it names.

use crate::counters::counters;

counters! {
    /// Counts of one node since the start of the run. The first group is the AP's, the others the station's.
    pub struct AgentCounters {
        // The AP.
        /// ACKs that the AP made.
        made,
        /// Data frames that the MAC ACK found above a hole: nothing was said of them.
        above_hole,
        /// Data frames with an older timestamp than one before: nothing was said of them.
        late,
        /// Connections reset at both ends because the client's own ACKs stayed below what had been
        /// said in its name.
        contradicted,
        /// Data frames that were acknowledged by a MAC ACK before a native ACK of the flow had come up: nothing could be said.
        without_facts,
        /// Data frames that the MAC ACK found beyond the window that the client has offered: nothing was said of them yet.
        edge_minded,
        /// Data frames whose MAC ACK had the flag OFF.
        unflagged,
        /// Data frames that the MAC gave up: holes.
        given_up,
        /// Holes that a native ACK of the client closed.
        hole_passed,
        /// Native ACKs that ended at the AP, because they said no more than the agent had said.
        stale,
        /// Native ACKs behind what the agent had said, but with news: sent on with the agent's acknowledgment number.
        lifted,
        /// Duplicate ACKs that the client's TCP sent and the AP passed on.
        duplicates_passed,
        /// Native ACKs that said no more than the agent had said but went on, because the server had sent that data again.
        doubted,
        /// Flows whose state ended with a SYN or RST.
        resets,
        /// Pieces above holes that were forgotten, and flows, because there were too many.
        forgotten,

        // The station.
        /// The station's own ACKs that its MAC kept off the air.
        swallowed,
        /// ACKs that went natively: the AP is not known to have one of the flow.
        native_unknown,
        /// ACKs that went natively: they acknowledge no more than the one before.
        native_duplicate,
        /// ACKs that went natively: they have SACK blocks, ECN bits, data, FIN or RST, or acknowledge a SYN.
        native_other,
        /// ACKs that went natively: the window has moved since the AP saw it.
        native_window,
        /// ACKs that went natively: they acknowledge something that came in no data frame of the agent's, for example a FIN.
        native_uncovered,
        /// ACKs that went natively because it was time for the AP to see one.
        refreshed,
        /// Duplicate ACKs that were queued twice, since the ACK that they repeat was swallowed.
        restated,

        // The station's buffer, the first solution.
        /// New data frames that were refused because the buffer was full.
        refused,
        /// Frames handed up again.
        handed_up_again,
        /// Frames let go although the local TCP never acknowledged them; their connections were reset at both ends.
        abandoned,

        // The flag, the second solution.
        /// Answers with the flag ON.
        flag_on,
        /// Of those, answers to frames that had all been answered so before: the answer was lost.
        flag_repeated,
        /// Answers to TCP data with the flag OFF because the TCP ACK had not come down in time, or was delayed.
        flag_late,
        /// Answers to TCP data with the flag OFF because the TCP ACK may not be swallowed, or was on the air.
        flag_off,
    }
}

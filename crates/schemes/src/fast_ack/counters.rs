//! What FastACK counts on one node, each number at the transition that it names.

use crate::counters::counters;

counters! {
    /// Counts of one node since the start of the run.
    pub struct FastAckCounters {
        /// ACKs that the AP made.
        made,
        /// Among them those that say only that the client's window has opened.
        window_updates,
        /// Among them those that say that it is full.
        zero_windows,
        /// Among them those for data that the server sent again.
        made_again,
        /// Among them those for the sake of the client's ECN-Echo.
        ecn_raised,
        /// The client's ACKs that ended at the AP, as they say nothing new.
        suppressed,
        /// Among them those older than another one that came before.
        stale,
        /// The client's ACKs that passed because they go beyond what the AP has said.
        passed_beyond,
        /// The client's ACKs that passed because they report a hole that is not the AP's to fill.
        passed_duplicate,
        /// The client's ACKs that passed with a window that the server does not know, or although nothing is outstanding: they answer something.
        passed_window,
        /// The client's packets with data, FIN or PSH, which pass.
        passed_with_more,
        /// The client's ACKs for something that never went through the AP, which pass.
        passed_unknown,
        /// Duplicate ACKs whose first missing segment waits to be sent.
        duplicates_awaited,
        /// Duplicate ACKs that miss nothing that is to be sent again yet: what they miss may be on its way up, or the AP does not have it.
        duplicates_ignored,
        /// Segments sent again from the cache.
        repaired,
        /// Among them those that the MAC had given up.
        repaired_given_up,
        /// Among them those that the client's MAC had acknowledged.
        repaired_delivered,
        /// Among them those for which a timer ran out.
        repaired_by_timer,
        /// Repairs that the MAC gave up or a queue dropped.
        repairs_lost,
        /// Frames with cached data that the MAC gave up.
        given_up,
        /// Segments that a queue dropped before they were sent, which are the server's to repair.
        dropped_in_queue,
        /// Segments that found the cache full.
        cache_full,
        /// Segments that overlap others in the cache in part, or lie far from them.
        not_cached,
        /// Segments that the server sent again although it has been told of them: they end at the AP.
        retransmissions_swallowed,
        /// Segments that the server sent again and that pass.
        retransmissions_passed,
        /// Acknowledgements held back at the edge of the client's window.
        window_limited,
        /// Connections that are helped.
        opened,
        /// Connections that ended with a RST or the SYN of another one.
        reset,
        /// Connections for which there was no room.
        no_room,
        /// Connections forgotten because they were silent.
        swept,
        /// Connections reset at both ends because the client has not acknowledged what was sent again.
        abandoned,
    }
}

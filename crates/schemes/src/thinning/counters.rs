//! What ACK thinning counts on one node, each number at the transition that it names.

use crate::counters::counters;

counters! {
    /// Counts of one node since the start of the run. CAKE's looks count each time that it looks at an ACK.
    pub struct ThinningCounters {
        /// CAKE: ACKs dropped because a newer one says as much.
        dropped,
        /// CAKE: looks at a queued packet that does more than acknowledge.
        kept_with_more,
        /// CAKE: looks at a queued ACK with a greater number than the new packet's.
        kept_above,
        /// CAKE: looks at a queued ACK whose timestamps are later than the new packet's.
        kept_for_timestamp,
        /// CAKE: looks at a queued ACK with SACK blocks that the new packet's do not cover, or with a D-SACK.
        kept_for_sack,
        /// CAKE: looks at a duplicate ACK of the new packet.
        kept_duplicate,
        /// CAKE: superfluous ACKs kept because another one's ECN flags differ.
        kept_for_ecn,
        /// CAKE: the only superfluous ACK in the queue, kept.
        kept_single,
        /// Drivers: ACKs over IPv6, left alone.
        not_ipv4,
        /// Drivers: ACKs of flows for which there was no room.
        table_full,
        /// Broadcom, replacing: queued ACKs whose place a newer one took.
        replaced,
        /// Broadcom, replacing: ACKs of another length than the queued one, left alone.
        passed_length,
        /// Broadcom, replacing: duplicates of the queued ACK, left alone.
        passed_duplicate,
        /// Broadcom, replacing: ACKs older than the queued one, left alone.
        passed_older,
        /// Broadcom, replacing: registered ACKs that their queue dropped.
        lost_in_queue,
        /// Drivers: ACKs held back.
        held,
        /// Drivers: held ACKs that ended because a newer packet of their flow came.
        suppressed,
        /// Broadcom, holding: among them those that the newer one was a duplicate of.
        duplicates_merged,
        /// Broadcom, holding: ACKs older than the held one, swallowed.
        older_swallowed,
        /// Drivers: ACKs sent because as many as may be had been held.
        sent_by_count,
        /// Drivers: ACKs sent because they had been held for as long as may be.
        sent_by_timer,
        /// Drivers: held ACKs that ended with the SYN or FIN behind them.
        ended_with_connection,
        /// Samsung: ACKs of connections whose SYN was not seen, or for which there was no room then.
        no_record,
        /// Samsung: records of connections that had been silent, given to others.
        records_recovered,
        /// Samsung: ACKs with SACK blocks, sent at once.
        forwarded_sack,
        /// Samsung: duplicate ACKs, sent at once.
        forwarded_duplicate,
        /// Samsung: ACKs with a smaller number than the last one's, sent at once.
        forwarded_older,
        /// Samsung: packets with ECN-Echo, sent at once.
        forwarded_ecn,
        /// Samsung: packets with data or PSH, sent at once.
        forwarded_data,
        /// Samsung: ACKs at the start of a connection or after SACK blocks, sent at once.
        forwarded_slow_start,
        /// Samsung: ACKs of a flow too slow, or with too small a window, sent at once.
        forwarded_below_rate,
        /// Samsung: ACKs of more than two segments, sent at once.
        forwarded_delayed,
        /// Samsung: new degrees of suppression.
        steps_taken,
        /// Samsung: among them those cut because of the receive window.
        window_capped,
    }
}

//! What HACK counts on one node, each number at the transition that it names.

use crate::counters::counters;

counters! {
    /// Counts of one node since the start of the run. The first groups are counted where ACKs are compressed, the
    /// third where data is sent, the last where ACKs are decompressed; a node may do all of it.
    pub struct HackCounters {
        // What became of TCP ACKs.
        /// Pure ACKs towards capable peers that went on the air natively, each at its first transmission.
        native_acks,
        /// ACKs appended to an answer, each at its first time.
        compressed_acks,
        /// Bytes appended to answers, repeated ones and codes under a key included, also those of answers with nothing else.
        appended_bytes,
        /// The same less what repeats bytes of an earlier answer: what compressing one ACK costs, with its share of run
        /// headers.
        appended_new_bytes,
        /// Answers with ACKs appended.
        appended_answers,
        /// Of those, answers that were lengthened by no more than DIFS or AIFS.
        answers_within_aifs,

        // Why ACKs went natively although the policy would have held them.
        /// There was no context: none installed yet, or the last native ACK was given up or dropped.
        no_context,
        /// A frame of the same flow was still queued, on the air or waiting for a retry; the compressed ACK would have
        /// overtaken it.
        native_overtaken,
        /// Another flow owns the context identifier.
        cid_collision,
        /// Not an ACK but a PPDU with the MORE DATA bit, which was not believed.
        disbelieved,
        /// Not an ACK but a PPDU with the MORE DATA bit, for which nothing was held, as this node had data of its own to send
        /// or too many peers sent data.
        not_worth_holding,
        /// As many ACKs of the flow were held as the MSN can tell apart.
        full,
        /// The ACK cannot be compressed.
        refused,

        // Held ACKs.
        /// The MSN of a context went from 255 to 0.
        msn_wrap,
        /// An answer left without the ACKs that were held, because the NIC did not have them yet.
        not_ready,
        /// ACKs that were held, never appended, and queued natively.
        requeued,
        /// Runs of appended but unconfirmed ACKs that were dropped because a later frame of their flow went natively; the
        /// peer's TCP may see a gap, which that frame's acknowledgment number closes.
        gap_after_drop,
        /// ACKs appended, unconfirmed, and queued natively as well, because nothing came that confirmed them; the peer's TCP may see them twice.
        rescued,
        /// A compressed ACK did not fit on an answer of its own, and went natively.
        too_long,
        /// The guard timer gave up waiting.
        guard_fired,
        /// Contexts closed, under the explicit timer, because the same data came again and again
        /// though its ACK was on an answer.
        doubted,
        /// The explicit timer of that policy ended.
        timer_fired,
        /// ACKs taken back from the queue, and compressed.
        withdrawn,
        /// Times that the driver came too late to take an ACK back.
        too_late,
        /// An MPDU with the same sequence number came after an Ack with something appended: the Ack was lost, and all is
        /// appended again.
        ack_lost,
        /// A BlockAck Request came while something appended was unconfirmed: the BlockAck may have been lost, and all is
        /// appended again.
        block_ack_lost,
        /// A data PPDU came with SYNC set while something appended was unconfirmed: it is kept.
        sync_kept,
        /// Answers that a later PPDU showed to have arrived, with all that was appended to them.
        confirmed,

        // The sender of data.
        /// PPDUs to capable peers with the MORE DATA bit.
        more_data_set,
        /// PPDUs without it although more was queued, because this node had nothing to send for too long before.
        more_data_idle,
        /// PPDUs without it although more was queued, because a context of the peer is broken and only a native ACK mends
        /// it, or because its last answers were forged.
        more_data_withheld,
        /// A BlockAck Request, or the BlockAck to it, was lost.
        block_ack_request_lost,
        /// PPDUs with the SYNC bit.
        sync_set,
        /// Of those, PPDUs that no answer came to.
        sync_lost,

        // The decompressing end.
        /// ACKs that came out of appended bytes and were sent on.
        emitted,
        /// Codes that had been decoded before.
        duplicates_discarded,
        /// Native ACKs that replaced the reference of a context that was in use.
        reinstalls,
        /// Native ACKs that were older than the reference of their context, and left it alone.
        late_natives,
        /// Contexts that passed to another flow.
        taken_over,
        /// ACKs that waited for a native frame of their flow in the reorder buffer.
        waited_in_order,
        /// Of those, ACKs that were let go because too many waited.
        waited_too_many,
        /// Codes whose checksum did not fit the header that they led to, or that led to none.
        crc_failures,
        /// Codes that came with a TCP checksum which did not fit the header that they led to.
        checksum_failures,
        /// Runs that began with a later code than the next one.
        gaps,
        /// Answers without a right code under the key; nothing of them was read.
        forged,
        /// Appended bytes that are no frame.
        malformed,
        /// Runs of contexts that do not exist or are broken.
        unknown_context,
        /// Headers that passed their checksum but cannot be: they acknowledge, or echo, what was never sent, or go back.
        verify_failures,
        /// Connections reset at both ends because the peer's own ACKs stayed below what had been
        /// emitted in its name.
        contradicted,
    }
}

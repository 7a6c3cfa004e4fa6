//! What the ARQ proxy counts on one node, each number at the transition that it names.

use crate::counters::counters;

counters! {
    /// Counts of one node since the start of the run. The first group is counted where data is sent, the rest where it is received; a node
    /// may do both.
    pub struct ArqProxyCounters {
        // The proxy: what became of templates.
        /// ACKs made and kept, one for each TCP data packet that was first put on the air.
        templates,
        /// Of those, kept in the place of one with the same key that nobody had asked for.
        templates_replaced,
        /// Data packets without a template, because another packet's has the same hash.
        templates_refused,
        /// Templates dropped at the end of their lifetime, not asked for.
        templates_expired,

        // The proxy: what became of requests.
        /// PPDUs in which More Data was set.
        more_data_set,
        /// ACKs released on a request.
        released,
        /// Requests repeated after the release.
        requests_repeated,
        /// Requests for what is not kept: refused, expired and swept, or never there.
        requests_unknown,
        /// Requests for a template whose lifetime was over.
        requests_late,
        /// Requests for an ACK that says nothing beyond what has already gone up.
        requests_stale,
        /// Requests that came before anything of the client's that its window and timestamp could be taken from.
        requests_early,
        /// Of those, answered when that came.
        released_late,
        /// Requests under a hash for a frame that the client's MAC had not acknowledged.
        requests_undelivered,
        /// Connections reset at both ends because the client's own ACKs stayed below what had been
        /// released in its name.
        contradicted,

        // The client: ACKs that came down from the transport here.
        /// ACKs asked for, each at its first request.
        requested,
        /// The client's own ACKs taken out of the queue, because a request said as much or more.
        cancelled,
        /// Of those, older than the one asked for.
        covered,
        /// ACKs whose request was cancelled, because the client's own went on the air first.
        native_first,
        /// Requests that came too late to take the client's own ACK back.
        too_late,
        /// Requests whose ACK the full queue had dropped.
        native_dropped,
        /// The client's own ACKs kept from the queue, because the AP had promised more data.
        kept,
        /// Of those, queued after all: no more data was promised, or none came.
        let_go,
        /// Requests dropped because the template was too old, or its key might have been given away again.
        outdated,

        // The client: why an ACK could not be asked for.
        /// The first of its connection, or after a long silence: the proxy may know nothing of the client's window.
        native_first_of_flow,
        /// It acknowledged no more than the one before.
        native_duplicate,
        /// It had SACK blocks.
        native_sack,
        /// The window was exhausted, had shrunk, or had grown by a quarter.
        native_window,
        /// Another flag was set.
        native_flags,
        /// The connection was being closed.
        native_closing,
        /// It ended no packet that had come in a frame.
        native_unmapped,
        /// It echoed a later timestamp than that of the packet that it ended, since it filled a hole.
        native_echo,
        /// It travelled on data, or its connection is left alone: it says, or has said, more than plain TCP does.
        native_piggybacked,
        /// Two packets had the same hash.
        hash_collision,

        // The client: what became of requests.
        /// Requests repeated in a further answer.
        repeated,
        /// Answers with a request that are known not to have arrived, because the frame or a BlockAck Request came again.
        answer_lost,
        /// Requests repeated although another frame came, since the one before may have been given up.
        unsure,
        /// Requests known to have arrived, or overtaken by a native ACK that did.
        confirmed,
        /// Withdrawn ACKs queued after all, when the guard timer ended.
        rescued,
    }
}

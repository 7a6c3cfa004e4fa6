//! When a congestion window counts as used, and what an idle time leaves of one.

use ackless_wire::Bytes;

use super::SlowStart;

/// When the window counts as used, and where it begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GrowthRule {
    /// Where at least half of it was in use (RFC 7661, 4.4; RFC 9438, 4.2 and 5.8), or it had no
    /// room for one more segment. In use is the most that was out in the last round trip: that much
    /// is acknowledged in the next one, which is the pipeACK of RFC 7661. Deviations: a round trip
    /// has one such sample, and not the largest of several counts; and pipeACK is never undefined.
    ///
    /// The window begins at one segment where a SYN was lost (RFC 5681, 3.1).
    #[default]
    Rfc,
    /// Where it had no room for one more segment, and in slow start also while it is less than
    /// twice the most that was out in the last round trip (`tcp_is_cwnd_limited` of Linux 6.12). It
    /// grows:
    ///
    /// - by what an acknowledgement delivers, so not once more by what SACK blocks or duplicate ACKs had
    ///   counted before (`tcp_cong_control`);
    /// - with the acknowledgement that ends a recovery, and after a timeout by more than one segment for each;
    /// - with what SACK blocks alone report, once RACK has seen a segment that more than three others overtook
    ///   (`tcp_may_raise_cwnd`).
    ///
    /// It begins at one segment where more than one SYN was lost (RFC 6928, 2;
    /// `tcp_init_transfer`).
    ///
    /// An idle window halves with each retransmission timeout that passes, to no less than the
    /// first window, and slow start ends at three quarters of what it was or later
    /// (`tcp_cwnd_restart`). An unused window stays, as a kernel shows that is asked:
    /// `tcp_cwnd_application_limited` reduces none that acknowledgements still come for.
    Linux,
}

impl SlowStart {
    /// The end of slow start where a window of `window` has been idle: by Linux at three quarters
    /// of it, or later (`tcp_current_ssthresh`).
    pub(super) fn threshold_after_idling(&self, threshold: Option<Bytes>, window: Bytes) -> Option<Bytes> {
        let segments = window.get() / self.smss.get();
        match self.growth {
            GrowthRule::Rfc => threshold,
            GrowthRule::Linux => threshold.map(|end| end.max(self.smss * (segments / 2 + segments / 4))),
        }
    }
}

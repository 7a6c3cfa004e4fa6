//! How much of the congestion window is in use: whether acknowledgements let it grow, and what is
//! left of it after idling (RFC 7661; `tcp_cwnd_validate`, `tcp_is_cwnd_limited` and
//! `tcp_cwnd_restart` of Linux 6.12).

use ackless_wire::{Bytes, Instant};

use super::Endpoint;
use crate::congestion::{Controller, GrowthRule};

impl Endpoint {
    /// Whether the congestion window may grow by the acknowledgement that comes now. To be asked
    /// before the acknowledgement changes anything: most is out then.
    #[inline]
    pub(super) fn has_used_window(&mut self) -> bool {
        let (una, max) = (self.tx.una, self.tx.max);
        if una == max {
            return false;
        }
        let filled = self.sending_room(self.pipe()) < self.tx.smss;
        self.tx.usage.note(una, max, filled);
        self.tx.usage.filled || self.has_used_enough()
    }

    /// Whether so much of a window that was not full was in use that it may grow.
    fn has_used_enough(&self) -> bool {
        let (window, most) = (self.congestion.window(), self.tx.usage.most);
        match self.config.sender.growth {
            GrowthRule::Rfc => most * 2 >= window,
            GrowthRule::Linux => {
                let slow = self.congestion.slow_start_threshold().is_none_or(|threshold| window < threshold);
                let segments = most.get().div_ceil(self.tx.smss.get());
                slow && window < self.tx.smss * segments * 2
            }
        }
    }

    /// Nothing is out: the window after idling for longer than the retransmission timeout. By RFC
    /// 5681 (4.1) it is the first window at most. By Linux it halves for each timeout that has
    /// passed, down to that.
    pub(super) fn restart_if_idle(&mut self, now: Instant) {
        let timeout = self.rtt.timeout();
        let mut idle = now.saturating_since(self.tx.last_sent);
        if !self.config.idle_restart || idle <= timeout {
            return;
        }
        let least = self.config.initial_window.bytes(self.tx.smss);
        let mut window = self.congestion.window();
        match self.config.sender.growth {
            GrowthRule::Rfc => window = window.min(least),
            GrowthRule::Linux => {
                while idle > timeout && window > least {
                    idle -= timeout;
                    window = Bytes(window.get() / self.tx.smss.get() / 2 * self.tx.smss.get()).max(least);
                }
            }
        }
        self.congestion.on_idle(now, window);
        self.dialect.on_idle();
        self.tx.last_sent = now;
    }
}

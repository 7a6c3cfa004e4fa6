//! The data of applications: pieces of paced applications, transfers as datagrams, and full send buffers.
//!
//! Datagrams have no connection. A transfer of datagrams floods the first MAC queue on its way until that queue has
//! taken all of it, and is complete when all of it has arrived. Lost datagrams are not sent again.

use ackless_wire::{Bytes, Duration, Instant};

use super::Flow;
use crate::config::{Pace, Traffic, TransportConfig};

impl Flow {
    /// How much a paced application hands over at once: a datagram, or a segment's worth of stream.
    pub(crate) fn piece(&self) -> Bytes {
        match self.config.transport {
            TransportConfig::Udp { payload, .. } => payload,
            TransportConfig::Tcp(tcp) => tcp.packet.saturating_sub(Bytes(52)).max(Bytes(1)),
        }
    }

    /// Whether the sender has data that the receiver has not got. Datagrams that are not a flood are sent at once.
    pub(crate) fn is_pending(&self) -> bool {
        let waits = self.application.handed > self.ends[1 - self.sender()].reported;
        let fills = self.config.traffic.is_saturating() && self.application.on;
        let asks = self.application.exchange.as_ref().is_some_and(|exchange| exchange.is_waiting());
        fills || self.floods().is_some() || waits || asks
    }

    /// The application begins to send.
    pub(crate) fn begin_to_send(&mut self, now: Instant) {
        self.application.begun = Some(now);
        let TransportConfig::Udp { .. } = self.config.transport else { return };
        let first = !self.application.has_begun;
        self.application.has_begun = true;
        match self.config.traffic {
            Traffic::Finite { size } => self.begin_transfer(now, size),
            Traffic::Repeated { size, .. } => {
                self.begin_transfer(now, size);
                self.application.draw_as_connection();
            }
            Traffic::OnOff { .. } => {
                self.application.left = None;
                if first {
                    self.application.draw_as_connection();
                }
            }
            Traffic::Bulk(_) | Traffic::Video(_) | Traffic::Requests(_) => {}
        }
    }

    fn begin_transfer(&mut self, now: Instant, size: Bytes) {
        (self.application.left, self.application.came) = (Some(size), Bytes::ZERO);
        self.await_datagrams(now);
    }

    /// An application that is on and off turns off: what its transport has taken of it is still to be sent.
    pub(crate) fn leave_in_buffer(&mut self) {
        if let (TransportConfig::Udp { buffer, .. }, Traffic::OnOff { pace: Pace::Saturating, .. }) =
            (self.config.transport, self.config.traffic)
        {
            self.application.left = Some(buffer);
        }
    }

    /// Whether it floods with datagrams, and not for ever.
    pub(crate) fn floods_for_a_while(&self) -> bool {
        self.datagrams_that_flood().is_some() && !matches!(self.config.traffic, Traffic::Bulk(_))
    }

    /// Whether its flood ends after a number of bytes that is known now.
    pub(crate) fn is_counted(&self) -> bool {
        self.datagrams_that_flood().is_some() && self.application.left.is_some()
    }

    /// The first MAC queue on the way takes `bytes` of a flood, or its rest if that is less. Returns the bytes taken.
    pub(crate) fn take_of_flood(&mut self, bytes: Bytes) -> Bytes {
        let Some(left) = &mut self.application.left else { return bytes };
        let taken = bytes.min(*left);
        *left -= taken;
        taken
    }

    /// A datagram has arrived. Returns whether it completes a transfer.
    pub(crate) fn datagram_of_transfer(&mut self, now: Instant, bytes: Bytes) -> bool {
        let (Traffic::Finite { size } | Traffic::Repeated { size, .. }) = self.config.traffic else { return false };
        if self.application.begun.is_none() {
            return false;
        }
        self.application.came += bytes;
        self.await_datagrams(now);
        self.application.came >= size
    }

    /// The present transfer ends: the next one begins after a pause, if there is one. Returns when it had begun.
    pub(crate) fn end_transfer(&mut self, now: Instant) -> Option<Instant> {
        let begun = self.application.begun.take()?;
        if let Traffic::Repeated { think, .. } = self.config.traffic {
            let pause = self.application.draw(think);
            self.application.turn = Some(now + pause);
        }
        if let TransportConfig::Udp { .. } = self.config.transport {
            (self.application.left, self.application.tick) = (Some(Bytes::ZERO), None);
        }
        Some(begun)
    }

    /// Repeated transfers do not wait for ever for datagrams that are lost.
    fn await_datagrams(&mut self, now: Instant) {
        if matches!(self.config.traffic, Traffic::Repeated { .. }) {
            self.application.tick = Some(now + PATIENCE);
        }
    }
}

/// After so long without a datagram a repeated transfer is given up.
const PATIENCE: Duration = Duration::from_secs(1);

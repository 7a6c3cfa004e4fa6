//! What can be seen of a live connection, and what can be changed about it.

use ackless_wire::Bytes;

use super::Endpoint;
use super::sender::Writer;
use crate::config::Config;
use crate::event::{CloseReason, Event};
use crate::loss::{LossDetector, Phase};
use crate::sequence::Position;

/// What both ends have agreed on in the handshake: from the peer's SYN on, and for good. Before it, what would be offered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Agreed {
    /// Selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Timestamps (RFC 7323, 3).
    pub timestamps: bool,
    /// Window scaling (RFC 7323, 2).
    pub window_scaling: bool,
    /// TACK, until it is given up.
    pub tack: bool,
}

impl Endpoint {
    /// The configuration as it stands, changes of the live connection included.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// What both ends do.
    pub fn agreed(&self) -> Agreed {
        let before = self.rx.next < Position::FIRST_BYTE;
        Agreed {
            sack: self.sack,
            timestamps: self.stamps.is_some(),
            window_scaling: if before { self.config.window_scaling } else { self.tx.scales },
            tack: if before { self.config.tack_offer().is_some() } else { self.dialect.numbers_data() },
        }
    }

    /// SMSS (RFC 5681, 2): the most payload that a segment may have, options of each segment subtracted. SACK blocks shorten it further.
    pub const fn segment_size(&self) -> Bytes {
        self.tx.smss
    }

    /// FlightSize (RFC 5681, 2): what has been sent and is not cumulatively acknowledged, SYN and FIN included as a byte each.
    pub fn flight_size(&self) -> Bytes {
        self.tx.max - self.tx.una
    }

    /// The sender's estimate of what is in the network (pipe of RFC 6675, 4): the flight less what is known to have arrived or to be lost,
    /// and what has been sent again.
    pub fn in_flight(&self) -> Bytes {
        self.pipe()
    }

    /// In what phase of loss recovery the sender is.
    pub fn recovery_phase(&self) -> Phase {
        self.loss.phase()
    }

    /// SND.WND (RFC 9293, 3.3.1): what the peer takes from the first unacknowledged byte on, after scaling.
    pub fn peer_window(&self) -> Bytes {
        self.tx.window_end.since(self.tx.una)
    }

    /// RCV.WND (RFC 9293, 3.3.1): what we have offered to take from the next byte on.
    pub fn receive_window(&self) -> Bytes {
        self.rx.window()
    }

    /// Why the connection is over; nothing while it is not.
    pub const fn close_reason(&self) -> Option<CloseReason> {
        self.close_reason
    }

    /// Whether a small segment waits while data is out (Nagle; RFC 9293, 3.7.4). Drain the endpoint after switching it off.
    pub const fn set_nagle(&mut self, nagle: bool) {
        self.config.nagle = nagle;
    }

    /// Room for written data that is not acknowledged. What has been accepted stays, also where it is more. From now on the buffer does not tune itself
    /// ([`Config::send_tuning`]), as under `SO_SNDBUF` of Linux.
    pub fn set_send_buffer(&mut self, buffer: Bytes) {
        (self.config.send_buffer, self.config.send_tuning) = (buffer, false);
        self.tx.space = Bytes(u64::MAX);
        if self.tx.writer == Writer::Waiting && self.room() > Bytes::ZERO {
            self.tx.writer = Writer::Content;
            self.events.add(Event::Writable);
        }
    }

    /// Room for data that the application has not taken, as [`Config::receive_buffer`]: 1 byte to 1 GiB, what lies outside counts as the nearest end. Where scaling is agreed,
    /// the least is the unit of our window field, 2^shift bytes (RFC 7323, 2.3). [`config`](Self::config) says which value is in force.
    ///
    /// A smaller buffer closes the window as data comes: what was offered is never taken back (RFC 9293, 3.8.6). A larger one opens it as far as the first SYN's scaling permits;
    /// a peer that waits is told, so drain the endpoint. From now on the buffer does not tune itself ([`Config::receive_tuning`]), as under `SO_RCVBUF` of Linux, which
    /// gives twice as much memory as is asked for: here all of it is window.
    pub fn set_receive_buffer(&mut self, buffer: Bytes) {
        (self.config.receive_buffer, self.config.receive_tuning) = (self.rx.set_buffer(buffer), false);
        if self.state.may_receive() && self.rx.is_update_due() {
            self.owe_window_update();
        }
    }
}

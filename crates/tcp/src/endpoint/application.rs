//! What the application asks for (RFC 9293, 3.9.1).

use ackless_wire::{Bytes, Payload, TcpFlags};

use super::Endpoint;
use super::segment::Draft;
use super::sender::{Ending, Writer};
use crate::ack::{AckDecision, AckPolicy};
use crate::event::CloseReason;
use crate::sequence::Position;
use crate::state::{State, Trigger};

impl Endpoint {
    /// Writes bytes, as many as the send buffer has room for, and returns how many. None are accepted after
    /// [`close`](Self::close) or once the connection is over.
    pub fn write(&mut self, data: &[u8]) -> Bytes {
        let accepted = self.accept(Bytes(data.len() as u64));
        self.tx.buffer.push_data(bytes::Bytes::copy_from_slice(&data[..accepted.get() as usize]));
        accepted
    }

    /// As [`write`](Self::write), sharing the bytes instead of copying them.
    pub fn write_shared(&mut self, data: &bytes::Bytes) -> Bytes {
        let accepted = self.accept(Bytes(data.len() as u64));
        self.tx.buffer.push_data(data.slice(..accepted.get() as usize));
        accepted
    }

    /// As [`write`](Self::write), with `len` bytes whose values do not matter: they are not stored.
    pub fn write_length(&mut self, len: Bytes) -> Bytes {
        let accepted = self.accept(len);
        self.tx.buffer.push_length(accepted);
        accepted
    }

    /// Writes `total` bytes whose values do not matter, whatever the size of the send buffer. Ignored after
    /// [`close`](Self::close).
    pub fn send(&mut self, total: Bytes) {
        if self.may_write() {
            self.tx.buffer.push_length(total);
        }
    }

    /// Sends bytes whose values do not matter until [`close`](Self::close): bulk transfer without a call for each
    /// packet.
    pub fn send_forever(&mut self) {
        if self.may_write() {
            self.tx.buffer.push_forever();
        }
    }

    /// How much [`write`](Self::write) would accept now.
    pub fn room(&self) -> Bytes {
        if !self.may_write() {
            return Bytes::ZERO;
        }
        let held = self.tx.buffer.end().since(self.tx.una.max(Position::FIRST_BYTE));
        self.config.send_buffer.min(self.tx.space).saturating_sub(held)
    }

    /// Takes what has arrived in order, at most `limit` of it, in the pieces in which it came: nothing if nothing is
    /// here. Only with [`Consume::ByApplication`](crate::Consume::ByApplication). May open the window, so drain the
    /// endpoint afterwards.
    pub fn read(&mut self, limit: Bytes) -> Option<Payload> {
        let taken = self.rx.inbox.take(limit)?;
        if self.state.may_receive() {
            // Reading moves no deadline.
            if let AckDecision::Now(reason) = self.ack_policy.on_read(self.rx.inbox.len() == Bytes::ZERO) {
                self.owe(reason);
            }
            if self.rx.is_update_due() {
                self.owe_window_update();
            }
        }
        Some(taken)
    }

    /// How much there is to read.
    pub const fn readable(&self) -> Bytes {
        self.rx.inbox.len()
    }

    /// No more will be written: a FIN follows what has been. An endless source ends where it stands. The peer may go
    /// on sending.
    ///
    /// Where the handshake is not complete, what has been written is still sent, and then the FIN; without anything
    /// written a call is given up and a listener stops listening. (RFC 9293, 3.10.4 gives a call up in either case.)
    pub fn close(&mut self) {
        if self.tx.is_closing() || matches!(self.state, State::Closed | State::TimeWait) {
            return;
        }
        self.tx.buffer.end_endless(self.tx.max);
        let nothing_written = self.tx.buffer.end() == Position::FIRST_BYTE;
        if nothing_written && matches!(self.state, State::Listen | State::SynSent) {
            self.die(CloseReason::Cancelled);
            return;
        }
        self.tx.ending = Ending::Fin;
        if self.state.is_synchronized() {
            self.advance(Trigger::Close);
        }
    }

    /// A close that came before the connection was established takes effect.
    pub(super) fn close_if_asked(&mut self) {
        if self.tx.is_closing() {
            self.advance(Trigger::Close);
        }
    }

    /// Ends the connection at once; the peer is told with a RST where it knows of us (RFC 9293, 3.10.5).
    pub fn abort(&mut self, now: ackless_wire::Instant) {
        match self.state {
            State::Closed => {}
            State::Listen | State::SynSent | State::Closing | State::LastAck | State::TimeWait => {
                self.die(CloseReason::Aborted);
            }
            State::SynReceived | State::Established | State::FinWait1 | State::FinWait2 | State::CloseWait => {
                let (start, flags) = (self.tx.ack_start(), TcpFlags::RST | TcpFlags::ACK);
                let reset = self.segment(now, Draft::bare(start, flags));
                self.stats.segments_sent -= 1;
                self.reply = Some(reset);
                self.die(CloseReason::Aborted);
            }
        }
    }

    fn may_write(&self) -> bool {
        let open = !matches!(self.state, State::Closed | State::TimeWait);
        open && self.tx.ending == Ending::Open
    }

    /// How much of `wanted` fits; remembers that the application waits if not all does.
    fn accept(&mut self, wanted: Bytes) -> Bytes {
        let accepted = wanted.min(self.room());
        if accepted < wanted && self.may_write() {
            self.tx.writer = Writer::Waiting;
        }
        accepted
    }
}

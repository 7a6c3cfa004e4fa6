//! Explicit congestion notification (RFC 3168): congestion is told by a mark in the place of a loss.
//!
//! - Both SYNs agree on it (6.1.1); one that is repeated does not ask again, since what drops SYNs with these flags may be on the way (6.1.1.1).
//! - New data is sent as ECT(0); what is repeated, probes of a window and segments without data are not (6.1.4 to 6.1.6).
//! - The receiver of a mark echoes it on every acknowledgement until data comes that says that the window was reduced (6.1.3).
//! - The sender reduces its window as for a loss, once in a window for marks and losses together (6.1.2), and says so with the next new data.
//! - What it has reduced for a loss that turns out to be none it does not tell of (`tcp_ecn_withdraw_cwr` in Linux), and what it has reduced for a mark nothing undoes
//!   (`tcp_enter_cwr`).
//!
//! As in Linux 6.12 the window does not grow until what was out at the reduction is acknowledged (`TCP_CA_CWR`). Deviations from Linux: the reduction is made at once, where Linux
//! spreads it by PRR; a repaired tail after a mark reduces nothing more, where Linux reduces again; neither a mark nor its echo draws quick ACKs. BBR and receiver-based BBR do not react, as BBR does not in Linux; BBR version 3 does in its own
//! way (`congestion/bbr3/marks`). Not on a TACK connection, whose acknowledgements
//! have no place for it.

use ackless_wire::{Bytes, Ecn, Instant, IpHeader, TcpFlags, TcpHeader};

use super::Endpoint;
use crate::congestion::Controller;
use crate::loss::{LossDetector, Phase};
use crate::sequence::Position;

/// Where a connection stands that may use ECN.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Notification {
    /// Our SYN has asked, or theirs has.
    asked: bool,
    agreed: bool,
    /// A mark has come, and no word since that the window was reduced.
    echoes: bool,
    /// The window was reduced, and that has not been said.
    owes_word: bool,
    /// What was out when the window was last reduced, for a mark or a loss; and whether it was for a mark.
    until: Option<(Position, bool)>,
    /// `owes_word` and `until` as they were before the reduction that undo remembers.
    before: (bool, Option<(Position, bool)>),
    /// The segment that is being made bears new data.
    capable: bool,
    /// The acknowledgement in hand echoes a mark.
    echoed: bool,
}

impl Notification {
    /// What our SYN says, or our answer to theirs.
    pub(super) fn offer(&mut self, answers: bool, again: bool) -> TcpFlags {
        match (answers, again) {
            (true, _) if self.agreed => TcpFlags::ECE,
            (false, false) => {
                self.asked = true;
                TcpFlags::ECE | TcpFlags::CWR
            }
            _ => {
                self.asked = false;
                TcpFlags::empty()
            }
        }
    }

    /// What their SYN says.
    pub(super) fn adopt(&mut self, flags: TcpFlags, calls: bool) {
        let both = flags & (TcpFlags::ECE | TcpFlags::CWR);
        self.agreed = if flags.contains(TcpFlags::ACK) {
            self.asked && both == TcpFlags::ECE
        } else {
            !calls && both == TcpFlags::ECE | TcpFlags::CWR
        };
    }

    /// A data segment is next, new or not. Returns what it says of our window.
    pub(super) fn on_data(&mut self, is_new: bool) -> TcpFlags {
        self.capable = self.agreed && is_new;
        if self.capable && std::mem::take(&mut self.owes_word) { TcpFlags::CWR } else { TcpFlags::empty() }
    }

    /// A segment is made: whether it may be marked.
    pub(super) fn mark(&mut self, ip: &mut IpHeader) {
        if std::mem::take(&mut self.capable) {
            ip.set_ecn(Ecn::Capable0);
        }
    }

    /// A segment is made: what it echoes.
    pub(super) fn dress(&self, flags: &mut TcpFlags) {
        let established = flags.contains(TcpFlags::ACK) && !flags.intersects(TcpFlags::SYN | TcpFlags::RST);
        if self.echoes && established {
            *flags |= TcpFlags::ECE;
        }
    }

    /// Data has come in the window. Returns whether it has a mark, where ECN is agreed.
    pub(super) fn on_text(&mut self, ip: &IpHeader, flags: TcpFlags) -> bool {
        let marked = self.agreed && ip.ecn() == Ecn::Experienced;
        if self.agreed {
            self.echoes = marked || (self.echoes && !flags.contains(TcpFlags::CWR));
        }
        marked
    }

    /// The window was reduced for a loss, with all below `max` out.
    pub(super) fn on_loss(&mut self, max: Position) {
        (self.until, self.owes_word) = (Some((max, false)), true);
    }

    /// A reduction begins that may be undone.
    pub(super) const fn remember(&mut self) {
        self.before = (self.owes_word, self.until);
    }

    /// It is undone.
    pub(super) const fn on_undo(&mut self) {
        (self.owes_word, self.until) = self.before;
    }

    /// What of `delivered` bytes the acknowledgement in hand echoes a mark for; nothing where ECN is not agreed.
    pub(super) fn marked(&self, delivered: Bytes) -> Option<Bytes> {
        self.agreed.then_some(if self.echoed { delivered } else { Bytes::ZERO })
    }

    /// Whether the window was reduced for a mark and what was out then is not all acknowledged below `una`.
    fn is_reduced_by_mark(&self, una: Position) -> bool {
        self.until.is_some_and(|(until, by_mark)| by_mark && una <= until)
    }
}

impl Endpoint {
    /// An acknowledgement came, and losses have been looked for.
    #[cold]
    pub(super) fn heed_echo(&mut self, now: Instant, tcp: &TcpHeader) {
        let (una, max, phase) = (self.tx.una, self.tx.max, self.loss.phase());
        let Some(ecn) = self.ecn.as_mut().filter(|ecn| ecn.agreed) else { return };
        ecn.echoed = tcp.flags.contains(TcpFlags::ECE);
        if !ecn.echoed || phase != Phase::Open {
            return;
        }
        // What follows the reduction must be acknowledged: only that bears its word.
        if ecn.until.is_some_and(|(until, _)| una <= until) || !self.congestion.heeds_marks() {
            return;
        }
        (ecn.until, ecn.owes_word) = (Some((max, true)), true);
        self.stats.reductions_by_mark += 1;
        if !self.congestion.sets_rate() {
            // A model hears of the mark with what is delivered.
            self.congestion.on_loss(now, max - una);
        }
        self.forget_reduction();
    }

    /// The window is reduced for a loss of something from `lost` on, unless a mark has told of the same congestion: one reduction a round trip for both (RFC 3168, 6.1.2).
    pub(super) fn reduce_for_loss(&mut self, now: Instant, lost: Position) {
        let (una, max) = (self.tx.una, self.tx.max);
        match &mut self.ecn {
            Some(ecn) if ecn.is_reduced_by_mark(lost) => return,
            Some(ecn) => ecn.on_loss(max),
            None => {}
        }
        self.congestion.on_loss(now, max - una);
    }

    /// Whether the window was reduced for a mark and what was out then is not all acknowledged.
    #[inline]
    pub(super) fn is_reduced_by_mark(&self) -> bool {
        self.ecn.as_ref().is_some_and(|ecn| ecn.is_reduced_by_mark(self.tx.una))
    }
}

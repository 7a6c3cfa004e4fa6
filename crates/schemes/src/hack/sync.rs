//! The sender of data: when it must tell its peer, by the SYNC bit, that the last answer is missing (paper, 3.4 and
//! figure 8).
//!
//! The peer takes the next PPDU for a sign that its last answer arrived, unless that PPDU is a BlockAck Request or
//! repeats the same MPDU alone. So this end sets SYNC in every other data PPDU while the answer to the last exchange is
//! missing, until an answer comes.
//!
//! The paper sets SYNC where the retry limit of BlockAck Requests is reached. That is the first of these cases; the
//! others follow from its own rules:
//! - a single MPDU is given up, and the next one has a greater sequence number, although no Ack came (802.11a too);
//! - a single MPDU under a BlockAck agreement had no Ack, and comes again among others in an A-MPDU, from which the
//!   peer could receive only the others.

use ackless_dot11::frame::Part;

use super::counters::HackCounters;

/// What the sender of data knows of the exchange with one peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Sync {
    /// How far the last exchange has come.
    exchange: Exchange,
    /// MPDUs with a sequence number and without a fate.
    outstanding_mpdus: u32,
    /// The packets in them.
    outstanding_packets: u32,
    /// The last PPDU carried the only such MPDU.
    alone: bool,
    /// Since then an MPDU got its sequence number, or was given up: the next PPDU is no mere repetition.
    changed: bool,
    /// SYNC stands in every data PPDU until an answer comes.
    set: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Exchange {
    /// Its answer came, or there was none yet.
    #[default]
    Answered,
    /// A data PPDU is on the air.
    OnAir,
    /// The answer is missing; perhaps a BlockAck Request asks for it.
    Unanswered,
}

impl Sync {
    /// How many packets are in MPDUs with a sequence number and no fate: those of a PPDU, from when it is made until it is answered.
    pub(super) fn outstanding_packets(&self) -> u64 {
        self.outstanding_packets.into()
    }

    /// A packet's MPDU got its sequence number; `part` says where in it the packet stands.
    pub(super) fn on_sequenced(&mut self, part: Part) {
        self.outstanding_packets += 1;
        self.outstanding_mpdus += u32::from(part.begins());
        self.changed = true;
    }

    /// A data PPDU leaves. Returns whether it bears SYNC.
    pub(super) fn on_ppdu_out(&mut self, counters: &mut HackCounters) -> bool {
        let repeats = self.alone && self.outstanding_mpdus == 1 && !self.changed;
        self.set |= self.exchange == Exchange::Unanswered && !repeats;
        self.alone = self.outstanding_mpdus == 1;
        self.changed = false;
        // What was unanswered before stays so: a repetition that remains unanswered changes nothing.
        self.exchange = Exchange::OnAir;
        counters.sync_set += u64::from(self.set);
        self.set
    }

    /// An answer came, to data or to a BlockAck Request.
    pub(super) fn on_answer(&mut self) {
        self.exchange = Exchange::Answered;
        self.set = false;
    }

    /// An answer came whose appended bytes nobody but the peer may have said, and did not: as if none had come.
    pub(super) fn on_forged(&mut self) {
        self.exchange = Exchange::Unanswered;
    }

    /// No answer came in time.
    ///
    /// A missing CTS looks the same as a missing BlockAck. It then costs a SYNC that was not needed, and the peer
    /// repeats what is discarded.
    pub(super) fn on_answer_missing(&mut self, counters: &mut HackCounters) {
        match self.exchange {
            Exchange::OnAir => counters.sync_lost += u64::from(self.set),
            Exchange::Unanswered => counters.block_ack_request_lost += 1,
            Exchange::Answered => {}
        }
        self.exchange = Exchange::Unanswered;
    }

    /// The MPDU of a packet has its fate.
    pub(super) fn on_fate(&mut self, part: Part, delivered: bool) {
        self.outstanding_packets = self.outstanding_packets.saturating_sub(1);
        self.outstanding_mpdus = self.outstanding_mpdus.saturating_sub(u32::from(part.begins()));
        self.changed |= !delivered;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sender after one answered exchange.
    fn sender() -> (Sync, HackCounters) {
        let (mut sync, mut counters) = (Sync::default(), HackCounters::default());
        assert!(!send(&mut sync, 1, &mut counters));
        answered(&mut sync, 1);
        (sync, counters)
    }

    /// Sends a PPDU with `new` new MPDUs. Returns whether it bears SYNC.
    fn send(sync: &mut Sync, new: usize, counters: &mut HackCounters) -> bool {
        (0..new).for_each(|_| sync.on_sequenced(Part::Alone));
        sync.on_ppdu_out(counters)
    }

    fn answered(sync: &mut Sync, delivered: usize) {
        sync.on_answer();
        (0..delivered).for_each(|_| sync.on_fate(Part::Alone, true));
    }

    #[test]
    fn a_repeated_single_mpdu_bears_no_sync_and_what_follows_its_end_does() {
        let (mut sync, mut counters) = sender();
        assert!(!send(&mut sync, 1, &mut counters));
        for _ in 0..3 {
            sync.on_answer_missing(&mut counters);
            assert!(!send(&mut sync, 0, &mut counters), "the same MPDU again says it by itself");
        }
        sync.on_answer_missing(&mut counters);
        sync.on_fate(Part::Alone, false);
        assert!(send(&mut sync, 1, &mut counters), "a greater sequence number would say that the Ack came");
        sync.on_answer_missing(&mut counters);
        assert!(send(&mut sync, 0, &mut counters), "until an answer comes");
        answered(&mut sync, 1);
        assert!(!send(&mut sync, 1, &mut counters));
        assert_eq!((counters.sync_set, counters.sync_lost), (2, 1));
    }

    #[test]
    fn after_the_request_limit_data_bears_sync_and_after_an_answered_request_not() {
        for request_answered in [false, true] {
            let (mut sync, mut counters) = sender();
            assert!(!send(&mut sync, 4, &mut counters));
            sync.on_answer_missing(&mut counters);
            sync.on_answer_missing(&mut counters);
            if request_answered {
                answered(&mut sync, 3);
            } else {
                sync.on_answer_missing(&mut counters);
            }
            assert_eq!(send(&mut sync, 0, &mut counters), !request_answered);
            assert_eq!(counters.block_ack_request_lost, if request_answered { 1 } else { 2 });
        }
    }

    #[test]
    fn a_single_mpdu_without_ack_that_comes_again_among_others_bears_sync() {
        let (mut sync, mut counters) = sender();
        assert!(!send(&mut sync, 1, &mut counters));
        sync.on_answer_missing(&mut counters);
        assert!(send(&mut sync, 5, &mut counters));
    }

    #[test]
    fn one_mpdu_left_of_an_aggregate_is_no_repetition() {
        let (mut sync, mut counters) = sender();
        assert!(!send(&mut sync, 2, &mut counters));
        sync.on_answer_missing(&mut counters);
        sync.on_answer_missing(&mut counters);
        sync.on_fate(Part::Alone, false);
        assert!(send(&mut sync, 0, &mut counters), "the answer to the aggregate is missing");
    }
}

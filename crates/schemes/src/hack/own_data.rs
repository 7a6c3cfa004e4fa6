//! The data that this node has to send itself, and whether it ran out of it lately. Ours: the paper's sender sets MORE DATA
//! wherever a packet is left (3.3.1), and its receiver holds ACKs whatever it has to send.
//!
//! **A sender that runs out announces nothing.** An ACK that rides on an answer comes one PPDU later than one with an access
//! of its own. A sender that always has data loses nothing by it, and each access that is saved carries data. A sender whose
//! windows are used up waits for those very ACKs: the medium is idle meanwhile, so no access is worth saving, and the wait
//! costs goodput. So [`OwnData`] measures for how long this node had no data to send, over [`ROUND`] PPDUs. From
//! [`IDLE_PERCENT`] on it withholds MORE DATA for a pause, and then tries again, since ACKs that contend are late as well
//! and may have been the reason. Each pause is twice as long as the one before, up to [`LONGEST_PAUSE`], until holding went
//! well for four times the last pause.
//!
//! **A receiver that has data to send holds nothing.** It contends for the medium anyway, and ACKs to the same peer travel
//! in its A-MPDUs. Where its ACKs need no access, the peers that send to it are limited by their own accesses alone, and
//! take the medium from its own data as saturating UDP would.
//!
//! Idle times of [`SILENCE`] or more do not count, and end a pause: a transfer is over, and its successor may pay.
//!
//! Data is every packet with a payload, to peers without the scheme too. A packet that a managed queue drops counts until
//! the next PPDU to its receiver tells how many are queued.

use ackless_dot11::frame::NodeId;
use ackless_wire::{Duration, Instant};

/// What one node has to send of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnData {
    /// Data packets queued for each receiver, by node number.
    queued: Vec<u32>,
    /// Their sum.
    queued_in_all: u64,
    /// Data packets in MPDUs with a sequence number and without a fate.
    on_air: u64,
    /// Since when there has been none of either.
    idle_since: Option<Instant>,
    round: Round,
    /// MORE DATA is withheld until then.
    pause_until: Instant,
    /// How long the last pause was.
    pause: Duration,
}

/// What [`ROUND`] PPDUs have shown so far.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    begun: Instant,
    ppdus: u32,
    idle: Duration,
}

impl OwnData {
    /// A data packet for `to` was handed to the MAC.
    #[inline]
    pub(super) fn on_queued(&mut self, now: Instant, to: NodeId) {
        if let Some(since) = self.idle_since.take() {
            self.end_idle(now, now.saturating_since(since));
        }
        *self.slot(to) += 1;
        self.queued_in_all += 1;
    }

    /// The last packet that was counted for `to` found no room in the queue.
    pub(super) fn on_no_room(&mut self, to: NodeId) {
        self.take_from_queue(to, 1);
    }

    /// So many data packets for `to` were given their sequence numbers.
    pub(super) fn on_sequenced(&mut self, to: NodeId, packets: u64) {
        self.on_air += packets;
        self.take_from_queue(to, packets);
    }

    /// A PPDU to `to` leaves, and `queued` packets stay for it, TCP ACKs among them.
    pub(super) fn on_ppdu_out(&mut self, now: Instant, to: NodeId, queued: usize) {
        let dropped = u64::from(*self.slot(to)).saturating_sub(queued as u64);
        self.take_from_queue(to, dropped);
        if now < self.pause_until {
            return;
        }
        if self.round.begun <= self.pause_until {
            self.round = Round { begun: now, ..Round::default() };
        }
        self.round.ppdus += 1;
        if self.round.ppdus == ROUND {
            self.judge(now);
        }
    }

    /// So many data packets are delivered or given up.
    pub(super) fn on_fates(&mut self, now: Instant, packets: u64) {
        self.on_air = self.on_air.saturating_sub(packets);
        if !self.is_there() {
            self.idle_since.get_or_insert(now);
        }
    }

    /// Whether any data is queued or on the air.
    #[inline]
    pub(super) const fn is_there(&self) -> bool {
        self.queued_in_all + self.on_air > 0
    }

    /// Whether this node may announce data.
    pub(super) fn may_announce(&self, now: Instant) -> bool {
        now >= self.pause_until
    }

    /// Data came after this node had none for so long.
    fn end_idle(&mut self, now: Instant, idle: Duration) {
        if idle < SILENCE {
            self.round.idle += idle;
        } else {
            self.pause_until = self.pause_until.min(now);
            self.round = Round::default();
        }
    }

    /// A round is over: withholds MORE DATA for a pause if this node was idle for too much of it.
    fn judge(&mut self, now: Instant) {
        let lasted = now.saturating_since(self.round.begun);
        if self.round.idle * 100 > lasted * IDLE_PERCENT {
            let held_for = now.saturating_since(self.pause_until);
            let doubled = (self.pause * 2).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
            self.pause = if held_for > self.pause * 4 { SHORTEST_PAUSE } else { doubled };
            self.pause_until = now + self.pause;
        }
        self.round = Round { begun: now, ..Round::default() };
    }

    fn take_from_queue(&mut self, to: NodeId, packets: u64) {
        let slot = self.slot(to);
        let taken = packets.min(u64::from(*slot));
        *slot -= taken as u32;
        self.queued_in_all -= taken;
    }

    #[inline]
    fn slot(&mut self, to: NodeId) -> &mut u32 {
        let index = usize::from(to.0);
        if self.queued.len() <= index {
            self.queued.resize(index + 1, 0);
        }
        &mut self.queued[index]
    }
}

/// PPDUs over which idle time is measured: a window of a few A-MPDUs comes round several times in them.
const ROUND: u32 = 32;
/// A node that was idle for a greater part of a round, in percent, is short of ACKs and not of accesses. A TCP ACK frame
/// with its access costs 3 to 15 % of a full A-MPDU's time in 802.11n, which is what holding can save.
const IDLE_PERCENT: u64 = 10;
/// After so long nobody waits for ACKs: a transfer has ended, and another one begins.
const SILENCE: Duration = Duration::from_millis(250);
/// The first pause: many round trips of a cell.
const SHORTEST_PAUSE: Duration = Duration::from_millis(200);
/// The longest. A trial lasts some 120 ms at 150 Mbps, so that trials in vain are 3 % of the time.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);

#[cfg(test)]
mod tests {
    use super::*;

    const PEER: NodeId = NodeId(3);

    /// A node that sends PPDUs of 4 packets, each on the air for 900 us, after an idle time of its own choice.
    struct Sender {
        own_data: OwnData,
        now: Instant,
    }

    impl Sender {
        fn new() -> Self {
            Self { own_data: OwnData::default(), now: Instant::from_millis(1) }
        }

        fn send(&mut self, idle: Duration) {
            self.now += idle;
            (0..4).for_each(|_| self.own_data.on_queued(self.now, PEER));
            self.own_data.on_sequenced(PEER, 4);
            self.own_data.on_ppdu_out(self.now, PEER, 0);
            self.now += Duration::from_micros(900);
            self.own_data.on_fates(self.now, 4);
        }

        fn announces(&self) -> bool {
            self.own_data.may_announce(self.now)
        }

        /// Sends with this idle time until that has changed, and says after how long.
        fn until_it_changes(&mut self, idle: Duration) -> Duration {
            let (begun, before) = (self.now, self.announces());
            while self.announces() == before {
                self.send(idle);
                assert!(self.now.saturating_since(begun) < Duration::from_secs(60), "nothing changes");
            }
            self.now.saturating_since(begun)
        }
    }

    fn micros(n: u64) -> Duration {
        Duration::from_micros(n)
    }

    #[test]
    fn a_sender_that_is_idle_for_a_tenth_of_the_time_goes_on_announcing() {
        let mut sender = Sender::new();
        for _ in 0..1000 {
            sender.send(micros(99));
            assert!(sender.announces());
        }
    }

    #[test]
    fn one_that_is_idle_for_more_pauses_after_32_ppdus_for_longer_and_longer() {
        let mut sender = Sender::new();
        let idle = micros(150);
        for pause in [200, 400, 800, 1600, 3200, 4000, 4000] {
            let tried = sender.until_it_changes(idle);
            assert!(tried <= micros(34 * 1050), "a trial of 32 PPDUs lasts {tried}");
            let paused = sender.until_it_changes(idle);
            let excess = paused.saturating_sub(Duration::from_millis(pause));
            assert!(
                paused >= Duration::from_millis(pause) - micros(1050) && excess < micros(2100),
                "{pause}: {paused}"
            );
        }
    }

    #[test]
    fn after_four_pauses_without_a_want_of_data_the_next_pause_is_short_again() {
        let mut sender = Sender::new();
        for _ in 0..6 {
            sender.until_it_changes(micros(200));
        }
        (0..4000).for_each(|_| sender.send(micros(0)));
        assert!(sender.announces());
        sender.until_it_changes(micros(200));
        assert!(sender.until_it_changes(micros(200)) < Duration::from_millis(203));
    }

    #[test]
    fn a_silence_is_no_want_of_acks_and_ends_a_pause() {
        let mut sender = Sender::new();
        for _ in 0..100 {
            (0..10).for_each(|_| sender.send(micros(0)));
            sender.send(SILENCE);
            assert!(sender.announces());
        }
        sender.until_it_changes(micros(200));
        sender.send(SILENCE);
        assert!(sender.announces(), "the next transfer begins anew");
    }

    #[test]
    fn dropped_packets_count_until_a_ppdu_tells_and_those_without_room_do_not() {
        let mut own = OwnData::default();
        let now = Instant::from_millis(1);
        (0..10).for_each(|_| own.on_queued(now, PEER));
        own.on_queued(now, PEER);
        own.on_no_room(PEER);
        assert_eq!(own.queued_in_all, 10);
        own.on_queued(now, NodeId(1));
        own.on_sequenced(PEER, 4);
        own.on_ppdu_out(now, PEER, 2);
        assert_eq!((own.queued_in_all, own.on_air), (3, 4), "four of ten were dropped");
        own.on_fates(now, 4);
        assert!(own.is_there());
        own.on_sequenced(PEER, 2);
        own.on_sequenced(NodeId(1), 1);
        own.on_fates(now, 3);
        assert!(!own.is_there());
    }
}

//! How fast a recovery sends: Proportional Rate Reduction (RFC 6937, RFC 9937).

use ackless_wire::Bytes;

/// Which rules the reduction follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PrrRule {
    /// RFC 6937 with its slow start reduction bound (PRR-SSRB): once less is in flight than the new window, each acknowledgement lets out a segment more than it
    /// delivered.
    #[default]
    Rfc6937,
    /// RFC 9937: so only where an acknowledgement is safe, that is, it advances SND.UNA and shows no further loss; else what was delivered (the conservative
    /// bound, PRR-CRB). At least one segment goes out as a recovery begins, and an acknowledgement that delivers nothing changes nothing. The old flight leaves out what had been
    /// selectively acknowledged before.
    Rfc9937,
    /// As Linux 6.12 (`tcp_cwnd_reduction`): RFC 9937 in whole segments, with the old congestion window for the old flight; where a timer begins the recovery, that counts as a
    /// segment delivered.
    Linux,
}

/// Spreads the reduction of the window over the recovery: for what is delivered, the share that the new window is of the
/// old flight may be sent; once less is in flight than the new window, it grows back to that.
///
/// Used with RACK and controllers of the window. The other detectors wait as RFC 6675 has it, until what is in flight has
/// fallen below the new window; controllers that model the path have rules of their own.
#[derive(Clone, Copy, Debug)]
pub struct Prr {
    rule: PrrRule,
    /// RecoverFS.
    flight: Bytes,
    /// Whether no acknowledgement of the recovery has been looked at.
    fresh: bool,
    /// prr_delivered.
    delivered: Bytes,
    /// prr_out.
    out: Bytes,
    /// cwnd: what was in flight after the last acknowledgement, and sndcnt.
    window: Bytes,
}

/// How things stand as a recovery begins.
#[derive(Clone, Copy, Debug)]
pub struct OldFlight {
    /// All between SND.UNA and SND.MAX.
    pub outstanding: Bytes,
    /// What of it is not selectively acknowledged.
    pub unacknowledged: Bytes,
    /// The congestion window before it was reduced.
    pub window: Bytes,
}

/// What an acknowledgement in a recovery said.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// DeliveredData: what it delivered.
    pub delivered: Bytes,
    /// What is in flight after it.
    pub pipe: Bytes,
    /// ssthresh, the window that the recovery leads to.
    pub threshold: Bytes,
    /// The sender's maximum segment size.
    pub smss: Bytes,
    /// safeACK: SND.UNA advances, and no further loss is indicated.
    pub safe: bool,
}

impl Prr {
    /// A recovery begins.
    pub fn new(rule: PrrRule, old: &OldFlight) -> Self {
        let flight = match rule {
            PrrRule::Rfc6937 => old.outstanding,
            PrrRule::Rfc9937 => old.unacknowledged,
            PrrRule::Linux => old.window,
        };
        let flight = flight.max(Bytes(1));
        Self { rule, flight, fresh: true, delivered: Bytes::ZERO, out: Bytes::ZERO, window: Bytes::ZERO }
    }

    /// An acknowledgement in recovery came, the one that begins it included.
    pub fn on_ack(&mut self, ack: &Delivery) {
        if std::mem::take(&mut self.fresh) && self.rule == PrrRule::Rfc9937 {
            // RecoverFS is of before this acknowledgement.
            self.flight += ack.delivered;
        }
        if ack.delivered == Bytes::ZERO && self.rule != PrrRule::Rfc6937 {
            self.window = self.window.max(self.forced(ack));
            return;
        }
        self.delivered += ack.delivered;
        let count = if ack.pipe > ack.threshold {
            self.share(ack).saturating_sub(self.out)
        } else {
            let more = if ack.safe || self.rule == PrrRule::Rfc6937 { ack.smss } else { Bytes::ZERO };
            (ack.threshold - ack.pipe).min(self.delivered.saturating_sub(self.out).max(ack.delivered) + more)
        };
        self.window = (ack.pipe + count).max(self.forced(ack));
    }

    /// A timer has begun the recovery.
    pub fn on_timer(&mut self, ack: &Delivery) {
        let delivered = if self.rule == PrrRule::Linux { ack.smss } else { Bytes::ZERO };
        self.on_ack(&Delivery { delivered, safe: false, ..*ack });
    }

    /// What the part that has been delivered entitles to of the new window, rounded up.
    fn share(&self, ack: &Delivery) -> Bytes {
        let unit = if self.rule == PrrRule::Linux { ack.smss.get().max(1) } else { 1 };
        let units = |bytes: Bytes| u128::from(bytes.get() / unit);
        let delivered = u128::from(self.delivered.get().div_ceil(unit));
        let share = (delivered * units(ack.threshold)).div_ceil(units(self.flight).max(1));
        Bytes(share as u64 * unit)
    }

    /// The window that lets out the first retransmission, which RFC 6937 leaves to the sender.
    fn forced(&self, ack: &Delivery) -> Bytes {
        if self.out == Bytes::ZERO && self.rule != PrrRule::Rfc6937 { ack.pipe + ack.smss } else { Bytes::ZERO }
    }

    /// cwnd: what may be in flight.
    pub const fn window(&self) -> Bytes {
        self.window
    }

    /// `len` went out.
    pub fn on_sent(&mut self, len: Bytes) {
        self.out += len;
    }

    /// What may be sent now, with `pipe` in flight: more than at the acknowledgement if more has been found to be lost.
    pub const fn room(&self, pipe: Bytes) -> Bytes {
        self.window.saturating_sub(pipe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A recovery with so much outstanding, of which so much is not selectively acknowledged, and a window.
    fn recovery(rule: PrrRule, outstanding: u64, unacknowledged: u64, window: u64) -> Prr {
        let old =
            OldFlight { outstanding: Bytes(outstanding), unacknowledged: Bytes(unacknowledged), window: Bytes(window) };
        Prr::new(rule, &old)
    }

    /// An acknowledgement of `delivered` after which `pipe` is in flight; what may be sent then.
    fn room(prr: &mut Prr, [delivered, pipe, threshold, smss]: [u64; 4], safe: bool) -> u64 {
        let [delivered, pipe, threshold, smss] = [delivered, pipe, threshold, smss].map(Bytes);
        prr.on_ack(&Delivery { delivered, pipe, threshold, smss, safe });
        prr.room(pipe).get()
    }

    /// What each of the acknowledgements lets out, in segments, of a flight of 20 with the first lost: each delivers one
    /// segment; what may be sent is sent.
    fn allowances(rule: PrrRule, threshold: u64, acks: usize) -> Vec<u64> {
        // Two had been selectively acknowledged before the one that tells of the loss.
        let mut prr = recovery(rule, 20, 17, 20);
        // The loss is noticed when three have been delivered above; the first is not in flight any more.
        let mut pipe = 20 - 1 - 2;
        (0..acks)
            .map(|_| {
                pipe -= 1;
                let sent = room(&mut prr, [1, pipe, threshold, 1], false);
                prr.on_sent(Bytes(sent));
                pipe += sent;
                sent
            })
            .collect()
    }

    #[test]
    fn half_a_window_lets_every_other_acknowledgement_send() {
        assert_eq!(allowances(PrrRule::Rfc6937, 10, 12), [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
        assert_eq!(allowances(PrrRule::Linux, 10, 12), [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn seven_tenths_let_seven_of_ten_send() {
        for rule in [PrrRule::Rfc6937, PrrRule::Linux] {
            let sent: u64 = allowances(rule, 14, 10).iter().sum();
            assert_eq!(sent, 7, "{rule:?}");
        }
    }

    #[test]
    fn by_rfc_9937_the_old_flight_leaves_out_what_was_known_to_have_arrived() {
        // RecoverFS is 18: ceil(10 / 18), ceil(20 / 18), ... less what has been sent.
        assert_eq!(allowances(PrrRule::Rfc9937, 10, 9), [1, 1, 0, 1, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn below_the_threshold_the_flight_grows_by_a_segment_for_each_acknowledgement() {
        let mut prr = recovery(PrrRule::Rfc6937, 20_000, 20_000, 20_000);
        assert_eq!(room(&mut prr, [1000, 4000, 10_000, 1000], false), 2000);
        prr.on_sent(Bytes(2000));
        assert_eq!(prr.room(Bytes(6000)), Bytes::ZERO);
        assert_eq!(prr.room(Bytes(5000)), Bytes(1000), "a segment has been found to be lost");
        assert_eq!(room(&mut prr, [1000, 9500, 10_000, 1000], false), 500, "no more than what is missing");
    }

    #[test]
    fn by_rfc_9937_it_grows_so_only_where_an_acknowledgement_is_safe() {
        for rule in [PrrRule::Rfc9937, PrrRule::Linux] {
            let mut prr = recovery(rule, 20_000, 20_000, 20_000);
            assert_eq!(room(&mut prr, [1000, 4000, 10_000, 1000], false), 1000, "{rule:?}");
            prr.on_sent(Bytes(1000));
            assert_eq!(room(&mut prr, [1000, 4000, 10_000, 1000], true), 2000, "{rule:?}");
            prr.on_sent(Bytes(2000));
            assert_eq!(room(&mut prr, [0, 5000, 10_000, 1000], true), 1000, "{rule:?}: the window stays at 6,000");
            assert_eq!(room(&mut prr, [1000, 9500, 10_000, 1000], true), 500, "{rule:?}: no more than what is missing");
        }
    }

    #[test]
    fn one_segment_goes_out_as_a_recovery_begins() {
        // Nothing has been delivered, or so little that the share is used up by nothing.
        for (rule, expected) in [(PrrRule::Rfc6937, 0), (PrrRule::Rfc9937, 1000), (PrrRule::Linux, 1000)] {
            let mut prr = recovery(rule, 20_000, 20_000, 20_000);
            assert_eq!(room(&mut prr, [0, 15_000, 10_000, 1000], false), expected, "{rule:?}");
            prr.on_sent(Bytes(expected));
            assert_eq!(prr.room(Bytes(15_000 + expected)), Bytes::ZERO);
        }
    }

    #[test]
    fn linux_takes_the_window_for_the_old_flight_and_counts_a_timer_as_a_segment() {
        // Six segments were out of a window of 20, which becomes 14: the first lets out ceil(14 / 20).
        let mut prr = recovery(PrrRule::Linux, 6_000, 6_000, 20_000);
        let [delivered, pipe, threshold, smss] = [0, 16_000, 14_000, 1000].map(Bytes);
        prr.on_timer(&Delivery { delivered, pipe, threshold, smss, safe: false });
        assert_eq!(prr.room(pipe), Bytes(1000));
        prr.on_sent(Bytes(1000));
        let sent: u64 = (0..9)
            .map(|_| {
                let sent = room(&mut prr, [1000, 16_000, 14_000, 1000], false);
                prr.on_sent(Bytes(sent));
                sent
            })
            .sum();
        assert_eq!(sent, 6_000, "seven of ten, the one by the timer among them");
    }
}

//! How fast a recovery sends: Proportional Rate Reduction (RFC 6937).

use ackless_wire::Bytes;

/// Spreads the reduction of the window over the recovery: for what is delivered, the share that the new window is of the
/// old flight may be sent; once less is in flight than the new window, what is delivered and one segment more (PRR-SSRB).
///
/// Used with RACK and controllers of the window. The other detectors wait as RFC 6675 has it, until what is in flight has
/// fallen below the new window; controllers that model the path have rules of their own.
#[derive(Clone, Copy, Debug)]
pub struct Prr {
    /// RecoverFS.
    flight: Bytes,
    /// prr_delivered.
    delivered: Bytes,
    /// prr_out.
    out: Bytes,
    /// cwnd: what was in flight after the last acknowledgement, and sndcnt.
    window: Bytes,
}

impl Prr {
    /// A recovery begins with `flight` outstanding.
    pub fn new(flight: Bytes) -> Self {
        Self { flight: flight.max(Bytes(1)), delivered: Bytes::ZERO, out: Bytes::ZERO, window: Bytes::ZERO }
    }

    /// An acknowledgement in recovery delivered `delivered`; `pipe` is in flight after it, and the window is `threshold`.
    pub fn on_ack(&mut self, delivered: Bytes, pipe: Bytes, threshold: Bytes, smss: Bytes) {
        self.delivered += delivered;
        let count = if pipe > threshold {
            let share = (u128::from(self.delivered.get()) * u128::from(threshold.get()))
                .div_ceil(u128::from(self.flight.get()));
            Bytes(share as u64).saturating_sub(self.out)
        } else {
            let limit = self.delivered.saturating_sub(self.out).max(delivered) + smss;
            threshold.saturating_sub(pipe).min(limit)
        };
        self.window = pipe + count;
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

    /// What each of the acknowledgements lets out, in segments, of a flight of 20 with the first lost: each delivers one
    /// segment; what may be sent is sent.
    fn allowances(threshold: u64, acks: usize) -> Vec<u64> {
        let mut prr = Prr::new(Bytes(20));
        // The loss is noticed when three have been delivered above; the first is not in flight any more.
        let mut pipe = 20 - 1 - 2;
        (0..acks)
            .map(|_| {
                pipe -= 1;
                prr.on_ack(Bytes(1), Bytes(pipe), Bytes(threshold), Bytes(1));
                let sent = prr.room(Bytes(pipe)).get();
                prr.on_sent(Bytes(sent));
                pipe += sent;
                sent
            })
            .collect()
    }

    #[test]
    fn half_a_window_lets_every_other_acknowledgement_send() {
        assert_eq!(allowances(10, 12), [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn seven_tenths_let_seven_of_ten_send() {
        let sent: u64 = allowances(14, 10).iter().sum();
        assert_eq!(sent, 7);
    }

    #[test]
    fn below_the_threshold_the_flight_grows_by_a_segment_for_each_acknowledgement() {
        let mut prr = Prr::new(Bytes(20_000));
        prr.on_ack(Bytes(1000), Bytes(4000), Bytes(10_000), Bytes(1000));
        assert_eq!(prr.room(Bytes(4000)), Bytes(2000));
        prr.on_sent(Bytes(2000));
        assert_eq!(prr.room(Bytes(6000)), Bytes::ZERO);
        assert_eq!(prr.room(Bytes(5000)), Bytes(1000), "a segment has been found to be lost");
        prr.on_ack(Bytes(1000), Bytes(9500), Bytes(10_000), Bytes(1000));
        assert_eq!(prr.room(Bytes(9500)), Bytes(500), "no more than what is missing");
    }
}

//! How many holes a TACK should tell of (paper, equation 5 and what follows it).

use ackless_wire::{BitRate, Bytes, Duration};

/// What equation (5) depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Demand {
    /// rho, the loss rate on the data path, in parts of a million.
    pub(crate) loss_ppm: u32,
    /// rho', that on the ACK path, in parts of a million.
    pub(crate) ack_loss_ppm: u32,
    /// bw RTTmin.
    pub(crate) bdp: Bytes,
    /// MSS.
    pub(crate) mss: Bytes,
    /// beta of equation (4).
    pub(crate) beta: u32,
    /// L of equation (4).
    pub(crate) every: u32,
}

impl Demand {
    /// Delta-Q: how many holes more than `primary` (Q) a TACK should report. Zero unless the loss on the ACK path is beyond
    /// equation (5).
    ///
    /// Both branches of the equation say that rho rho' n > Q, where n is bdp / MSS, the packets of a round trip, if
    /// bdp >= beta L MSS, and else L, those of a TACK interval; Delta-Q is rho rho' n - Q. It is rounded up here: part of a
    /// hole cannot be reported.
    pub(crate) fn additional(&self, primary: u64) -> u64 {
        let mss = self.mss.get().max(1);
        let threshold = u64::from(self.beta) * u64::from(self.every) * mss;
        let bytes = if self.bdp.get() >= threshold { self.bdp.get() } else { u64::from(self.every) * mss };
        let lost_twice = u128::from(self.loss_ppm) * u128::from(self.ack_loss_ppm) * u128::from(bytes);
        let unit = SQUARE * u128::from(mss);
        lost_twice.saturating_sub(unit * u128::from(primary)).div_ceil(unit) as u64
    }
}

/// bw RTTmin.
pub(crate) const fn bdp(bandwidth: BitRate, min_rtt: Duration) -> Bytes {
    bandwidth.amount_floor(min_rtt)
}

/// A million of a million.
const SQUARE: u128 = 1_000_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    /// With the paper's beta = 4 and L = 2, and an MSS of 1500.
    fn demand(loss_ppm: u32, ack_loss_ppm: u32, packets: u64) -> Demand {
        Demand { loss_ppm, ack_loss_ppm, bdp: Bytes(1500 * packets), mss: Bytes(1500), beta: 4, every: 2 }
    }

    #[test]
    fn a_large_bdp_demands_more_once_the_loss_on_the_ack_path_exceeds_q_mss_of_rho_bdp() {
        // rho = 1 %, bdp = 5000 packets: the limit for Q = 1 is rho' = 1 / (0.01 * 5000) = 2 %.
        assert_eq!(demand(10_000, 20_000, 5000).additional(1), 0);
        assert_eq!(demand(10_000, 20_001, 5000).additional(1), 1);
        // rho' = 10 %: 0.01 * 0.1 * 5000 = 5 holes, 4 more than one.
        assert_eq!(demand(10_000, 100_000, 5000).additional(1), 4);
        assert_eq!(demand(10_000, 100_000, 5000).additional(5), 0);
    }

    #[test]
    fn a_small_bdp_demands_more_only_if_nearly_everything_is_lost() {
        // bdp < 8 packets: rho rho' L > Q asks for rho rho' > 1/2.
        assert_eq!(demand(700_000, 700_000, 7).additional(1), 0);
        assert_eq!(demand(800_000, 700_000, 7).additional(1), 1);
        // bdp = beta L MSS: the other branch, 8 packets: 0.4 * 0.4 * 8 = 1.28.
        assert_eq!(demand(400_000, 400_000, 8).additional(1), 1);
        assert_eq!(demand(400_000, 400_000, 7).additional(1), 0);
    }

    #[test]
    fn no_loss_demands_nothing() {
        assert_eq!(demand(0, 1_000_000, 1 << 40).additional(0), 0);
        assert_eq!(demand(1_000_000, 0, 1 << 40).additional(0), 0);
        assert_eq!(bdp(BitRate::from_mbps(12), Duration::from_millis(100)), Bytes(150_000));
    }
}

//! TACK: how often it acknowledges, and what that leaves of the air (Li et al., "Revisiting Acknowledgment Mechanism for Transport
//! Control", 2021).
//!
//! - [`Flow`]: equations 1 to 4, and the saving that they promise;
//! - [`Emulation`]: section VII-C's "ideal goodput": a sender that is limited by nothing but the air, and small packets back, one for so
//!   many data packets, or as often as TACK;
//! - [`buffer`]: section VIII's requirement.
//!
//! No losses, no collisions, mean back-offs: what contention adds is simulated. The paper measured in a crowded room, so its gains are not
//! these.

use ackless_wire::{BitRate, Bytes, Duration};

use crate::exchange::Link;

/// A flow as the equations see it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Flow {
    /// bw, its throughput.
    pub bandwidth: BitRate,
    /// RTTmin. Greater than zero.
    pub min_rtt: Duration,
    /// MSS, the bytes that a full-sized packet counts; the paper takes 1500. Greater than zero.
    pub mss: Bytes,
}

/// beta and L of TACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tack {
    /// TACKs in a round trip, at least 2 (appendix B.1 of the paper, by its section VIII).
    pub beta: u32,
    /// Full-sized packets for each TACK at least, 1 up.
    pub every: u32,
}

impl Tack {
    /// beta = 4, L = 2 (IV-A).
    pub const PAPER: Self = Self { beta: 4, every: 2 };
}

impl Flow {
    /// Data packets in a second.
    pub fn packets_per_second(&self) -> f64 {
        self.bandwidth.bps() as f64 / self.mss.bits() as f64
    }

    /// Equation 1: ACKs in a second, one for `every` packets, at least 1.
    pub fn byte_counting(&self, every: u32) -> f64 {
        self.packets_per_second() / f64::from(every)
    }

    /// Equation 3: delayed ACKs in a second.
    pub fn delayed(&self, every: u32, timeout: Duration) -> f64 {
        self.byte_counting(every).max(1.0 / timeout.as_secs_f64())
    }

    /// Equation 4: TACKs in a second.
    pub fn tack(&self, tack: Tack) -> f64 {
        self.byte_counting(tack.every).min(f64::from(tack.beta) / self.min_rtt.as_secs_f64())
    }

    /// 1 - f_tack / f_delayed, where the delayed ACKs count as many packets and their timer never fires.
    pub fn saved(&self, tack: Tack) -> f64 {
        1.0 - self.tack(tack) / self.byte_counting(tack.every)
    }

    /// The least RTTmin that saves this share, 0 up to but not including 1, of the ACKs.
    pub fn min_rtt_to_save(&self, tack: Tack, share: f64) -> Duration {
        Duration::from_secs_f64(f64::from(tack.beta) / ((1.0 - share) * self.byte_counting(tack.every)))
    }
}

/// The bottleneck buffer that beta asks for, in units of the bandwidth-delay product: W_min - bdp = bdp / (beta - 1) (VIII). Nothing for
/// beta below 2.
pub fn buffer(beta: u32) -> Option<f64> {
    (beta >= 2).then(|| 1.0 / f64::from(beta - 1))
}

/// The traffic of sections III-B and VII-C: packets that never wait for an acknowledgement, and small packets back.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Emulation {
    /// How both ends send.
    pub link: Link,
    /// A data packet, IP header included.
    pub packet: Bytes,
    /// What counts of it.
    pub payload: Bytes,
    /// A packet back, IP header included.
    pub ack: Bytes,
}

impl Emulation {
    /// The paper's packets over `link`: Ethernet frames of 1518 bytes one way and 64 bytes the other, of which 18 are Ethernet's, and
    /// 28 bytes of each data packet are UDP's and IP's.
    pub const fn over(link: Link) -> Self {
        Self { link, packet: Bytes(1_500), payload: Bytes(1_472), ack: Bytes(46) }
    }

    /// Nothing goes back: the paper's "UDP baseline".
    pub fn without_acks(&self) -> BitRate {
        self.link.longest_exchange(self.packet).goodput(self.payload)
    }

    /// An ACK for `every` packets, at least 1, those of one PPDU of data together in one PPDU.
    pub fn byte_counting(&self, every: u32) -> BitRate {
        let data = self.link.longest_exchange(self.packet);
        let every = u64::from(every);
        // As many PPDUs of data as their packets are a multiple of `every`, and one PPDU of ACKs for each that completes one.
        let (mut time, mut held) = (Duration::ZERO, 0);
        for _ in 0..every {
            held += data.packets;
            time += data.duration();
            if held / every > 0 {
                time += self.link.exchange(held / every, self.ack).duration();
                held %= every;
            }
        }
        (self.payload * (data.packets * every)).per(time)
    }

    /// ACKs as often as TACK's, each alone in its PPDU.
    ///
    /// As many as fit the rate that remains: where equation 4's first branch governs this is [`byte_counting`](Self::byte_counting) without
    /// aggregated ACKs, else f seconds of every second go to ACKs.
    pub fn tack(&self, tack: Tack, min_rtt: Duration) -> BitRate {
        let data = self.link.longest_exchange(self.packet);
        let (each, ack) = (data.duration().as_secs_f64() / data.packets as f64, self.one_ack().as_secs_f64());
        let counted = 1.0 / (each + ack / f64::from(tack.every));
        let timed = (1.0 - ack * f64::from(tack.beta) / min_rtt.as_secs_f64()).max(0.0) / each;
        BitRate::from_bps((counted.max(timed) * self.payload.bits() as f64) as u64)
    }

    fn one_ack(&self) -> Duration {
        self.link.exchange(1, self.ack).duration()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::tests::{link_a, link_n150};

    fn flow(mbps: u64, millis: u64) -> Flow {
        Flow { bandwidth: BitRate::from_mbps(mbps), min_rtt: Duration::from_millis(millis), mss: Bytes(1_500) }
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found} {expected}");
    }

    #[test]
    fn the_example_of_section_iv_b_is_20_hz() {
        // RTTmin 200 ms, 10 Mbps, L = 1.
        near(flow(10, 200).tack(Tack { beta: 4, every: 1 }), 20.0);
    }

    #[test]
    fn tack_is_delayed_ack_where_the_product_is_small_and_bounded_by_the_round_trip_where_not() {
        // 802.11b: 7 Mbps are 583.3 packets in a second; 10 ms hold 5.8, fewer than beta L = 8.
        near(flow(7, 10).tack(Tack::PAPER), 7e6 / 24_000.0);
        near(flow(7, 10).saved(Tack::PAPER), 0.0);
        // 802.11ac: 590 Mbps, 24,583 ACKs in a second against 400 and 50: 61 and 492 times as many.
        let ratio = |millis| {
            let flow = flow(590, millis);
            flow.delayed(2, Duration::from_millis(40)) / flow.tack(Tack::PAPER)
        };
        assert!((ratio(10) - 61.458).abs() < 0.001 && (ratio(80) - 491.667).abs() < 0.001);
    }

    #[test]
    fn nine_of_ten_acks_are_saved_on_b_from_137_ms_on() {
        let rtt = flow(7, 1).min_rtt_to_save(Tack::PAPER, 0.9);
        assert_eq!(rtt.as_micros_floor(), 137_142);
        near(Flow { min_rtt: rtt, ..flow(7, 1) }.tack(Tack::PAPER) / flow(7, 1).byte_counting(2), 0.1);
    }

    #[test]
    fn a_slow_flow_still_gets_the_delayed_acks_that_its_timer_sends() {
        near(flow(0, 50).delayed(2, Duration::from_millis(40)), 25.0);
        near(flow(0, 50).tack(Tack::PAPER), 0.0);
    }

    #[test]
    fn beta_4_asks_for_a_third_of_the_product() {
        near(buffer(4).expect("beta is 2 or more"), 1.0 / 3.0);
        near(buffer(2).expect("beta is 2 or more"), 1.0);
        assert_eq!(buffer(1), None);
    }

    #[test]
    fn in_802_11a_an_ack_for_two_packets_costs_half_an_exchange() {
        // Data 393.5 us. An ACK of 46 + 36 bytes is 678 bits, 4 symbols: 34 + 67.5 + 36 + 16 + 28 = 181.5 us.
        let emulation = Emulation::over(link_a());
        let rate = |nanos: u64, packets: u64| packets * 1_472 * 8 * 1_000_000_000 / nanos;
        assert_eq!(emulation.without_acks().bps(), rate(393_500, 1));
        assert_eq!(emulation.byte_counting(2).bps(), rate(2 * 393_500 + 181_500, 2));
        assert_eq!(emulation.byte_counting(1).bps(), rate(393_500 + 181_500, 1));
        // 80 ms: 50 TACKs in a second take 9.075 ms of it.
        let tack = emulation.tack(Tack::PAPER, Duration::from_millis(80)).bps() as f64;
        assert!((tack / rate(393_500, 1) as f64 - (1.0 - 50.0 * 181.5e-6)).abs() < 1e-6);
        // 1 ms: 4000 in a second are more than one for two packets.
        let counted = emulation.tack(Tack::PAPER, Duration::from_millis(1)).bps();
        assert!(counted.abs_diff(emulation.byte_counting(2).bps()) <= 1);
    }

    #[test]
    fn sparser_acks_never_cost_and_tack_comes_within_1_5_percent_of_none_at_80_ms() {
        for link in [link_a(), link_n150()] {
            let emulation = Emulation::over(link);
            let rates: Vec<_> = [1, 2, 4, 8, 16].map(|every| emulation.byte_counting(every)).into();
            assert!(rates.is_sorted(), "{rates:?}");
            let (tack, bound) = (emulation.tack(Tack::PAPER, Duration::from_millis(80)), emulation.without_acks());
            assert!(tack < bound && tack.bps() as f64 > 0.985 * bound.bps() as f64, "{tack} {bound}");
        }
    }
}

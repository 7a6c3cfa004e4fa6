//! A TCP download over one hop whose ACKs contend for the same channel, without collisions and losses.
//!
//! As in section 2.1 of the TCP/HACK paper: the access point sends the longest PPDU, and the client answers it with one
//! PPDU of TCP ACKs, one for every `l` segments, each PPDU with a wait, a mean back-off and a link-layer answer of its
//! own. Where a PPDU holds fewer than `l` segments, several go before one ACK. What a simulation adds to this are
//! collisions between data and ACKs (which lower goodput) and back-offs that run at the same time (which raise it).

use ackless_wire::{BitRate, Bytes, Duration};

use crate::exchange::{Exchange, Link};

/// The pattern that a download repeats: data exchanges, then one exchange with the ACKs for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TcpRound {
    /// One exchange from the access point to the client.
    pub data: Exchange,
    /// How many of those there are in a round.
    pub data_exchanges: u64,
    /// The exchange from the client to the access point.
    pub acks: Exchange,
}

impl TcpRound {
    /// The round of a download over `link`: segments of `segment` bytes and ACKs of `ack` bytes, both with their IP
    /// headers, and an ACK for every `l` segments, at least 1.
    ///
    /// A PPDU whose segments are no multiple of `l` counts one ACK for what is left over.
    pub fn new(link: &Link, segment: Bytes, ack: Bytes, l: u64) -> Self {
        let l = l.max(1);
        let data = link.longest_exchange(segment);
        let data_exchanges = (l / data.packets).max(1);
        let acks = (data_exchanges * data.packets).div_ceil(l).min(link.most_packets(ack));
        Self { data, data_exchanges, acks: link.exchange(acks, ack) }
    }

    /// How long a round takes.
    pub fn duration(&self) -> Duration {
        self.data.duration() * self.data_exchanges + self.acks.duration()
    }

    /// The goodput, where each segment carries `payload` bytes; rounded down.
    pub fn goodput(&self, payload: Bytes) -> BitRate {
        (payload * (self.data.packets * self.data_exchanges)).per(self.duration())
    }

    /// The part of the time that the ACKs take, 0 to 1.
    pub fn ack_share(&self) -> f64 {
        self.acks.duration().as_secs_f64() / self.duration().as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::tests::{link_a, link_n150};

    const SEGMENT: Bytes = Bytes(1500);
    const ACK: Bytes = Bytes(52);

    #[test]
    fn an_ack_every_second_segment_costs_half_an_exchange_each() {
        // Data 393.5 us; an ACK of 88 bytes lasts 36 us and its exchange 34 + 67.5 + 36 + 16 + 28 = 181.5 us.
        let round = TcpRound::new(&link_a(), SEGMENT, ACK, 2);
        assert_eq!((round.data_exchanges, round.acks.packets), (2, 1));
        assert_eq!(round.duration(), Duration::from_nanos(2 * 393_500 + 181_500));
        assert_eq!(round.goodput(Bytes(1448)).bps(), 2 * 1448 * 8 * 1_000_000_000 / 968_500);
    }

    #[test]
    fn a_full_aggregate_is_answered_by_an_aggregate_of_acks() {
        // 42 segments in 3654.5 us; 21 ACKs of 90 bytes in 43 + 67.5 + 144 + 16 + 32 = 302.5 us.
        let round = TcpRound::new(&link_n150(), SEGMENT, ACK, 2);
        assert_eq!((round.data.packets, round.data_exchanges, round.acks.packets), (42, 1, 21));
        assert_eq!(round.duration(), Duration::from_nanos(3_654_500 + 302_500));
        assert!((round.ack_share() - 302.5 / 3957.0).abs() < 1e-12);
    }

    #[test]
    fn sparser_acks_never_cost_goodput_and_udp_is_the_bound() {
        for link in [link_a(), link_n150()] {
            let goodputs: Vec<_> =
                [1, 2, 4, 8, 16].map(|l| TcpRound::new(&link, SEGMENT, ACK, l).goodput(Bytes(1448))).into();
            assert!(goodputs.is_sorted(), "{goodputs:?}");
            assert!(goodputs[4] < link.longest_exchange(SEGMENT).goodput(Bytes(1448)));
        }
    }
}

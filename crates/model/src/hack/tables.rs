//! Tables 2 and 3: how many ACKs a transfer takes, their bytes with and without compression, and the time that goes into
//! them.
//!
//! Table 2 follows from the transfer's length and the mean length of a compressed ACK. Of table 3, the time of the ACKs'
//! own bytes (native at the data's rate, compressed at the answers') is arithmetic over those counts, and preambles are
//! left out, as the paper does. The time to get the channel and to be answered is a cost for each native ACK: the paper
//! measured it on its radios, and only its total stands in the table, so here it is an input: the mean of the standard's
//! timing ([`AckCosts::of`]), or what a measured total comes to for each ACK ([`AckCosts::measured`]).

use ackless_wire::{BitRate, Bytes, Duration};

use crate::exchange::Link;
use crate::hack::CompressedSize;

/// A transfer over TCP with delayed ACKs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// Application data.
    pub amount: Bytes,
    /// Data in a full segment.
    pub mss: Bytes,
    /// Segments for each ACK, at least 1.
    pub segments_per_ack: u64,
    /// A native ACK, IP header included.
    pub ack: Bytes,
}

/// A row of table 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AckCounts {
    /// ACKs sent as packets of their own.
    pub native: u64,
    /// Their bytes, IP headers included.
    pub native_bytes: Bytes,
    /// ACKs appended to answers.
    pub compressed: u64,
    /// Their bytes.
    pub compressed_bytes: Bytes,
}

/// What ACKs cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AckCosts {
    /// How native ACKs are sent.
    pub native_rate: BitRate,
    /// How answers, and what is appended to them, are sent.
    pub answer_rate: BitRate,
    /// The wait for the channel before a native ACK.
    pub acquisition: Duration,
    /// The wait for the answer after a native ACK, and that answer.
    pub answer: Duration,
}

/// A row of table 3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AckTimes {
    /// "TCP ACK": the bytes of native ACKs.
    pub native: Duration,
    /// "ROHC": the bytes of compressed ACKs.
    pub compressed: Duration,
    /// "Acquire Channel": waits before native ACKs.
    pub acquisition: Duration,
    /// "LL ACK overhead": answers to native ACKs.
    pub answers: Duration,
}

impl Transfer {
    /// The transfer of table 2, "25 Mbytes": 25 MiB, since 25,000,000 bytes would take 8,633 ACKs and not about 9,060; in
    /// segments of 1448 bytes with ACKs of 52, since 471,120 bytes in 9,060 ACKs are 52 each.
    pub const PAPER: Self =
        Self { amount: Bytes::from_kib(25 * 1024), mss: Bytes(1_448), segments_per_ack: 2, ack: Bytes(52) };

    /// Segments, the last one perhaps not full.
    pub const fn segments(&self) -> u64 {
        self.amount.get().div_ceil(self.mss.get())
    }

    /// ACKs for them, one for what is left over included; without those for SYN and FIN.
    pub const fn acks(&self) -> u64 {
        self.segments().div_ceil(self.segments_per_ack)
    }

    /// The row of table 2 where `native` of the ACKs go natively, or all if there are not so many, and the others in
    /// `size` each.
    pub fn counts(&self, native: u64, size: CompressedSize) -> AckCounts {
        let native = native.min(self.acks());
        let compressed = self.acks() - native;
        AckCounts { native, native_bytes: self.ack * native, compressed, compressed_bytes: size.total(compressed) }
    }

    /// How often a compressed ACK goes into a native one; nothing for none.
    pub fn compression_ratio(&self, counts: &AckCounts) -> Option<f64> {
        let bytes = counts.compressed_bytes.get();
        (bytes > 0).then(|| (self.ack * counts.compressed).get() as f64 / bytes as f64)
    }
}

impl AckCounts {
    /// Table 2, TCP/802.11a.
    pub const PAPER_TCP: Self =
        Self { native: 9_060, native_bytes: Bytes(471_120), compressed: 0, compressed_bytes: Bytes::ZERO };

    /// Table 2, TCP/HACK.
    pub const PAPER_HACK: Self =
        Self { native: 10, native_bytes: Bytes(520), compressed: 9_050, compressed_bytes: Bytes(39_478) };

    /// The row of table 3 for these counts.
    pub fn times(&self, costs: &AckCosts) -> AckTimes {
        AckTimes {
            native: costs.native_rate.time_ceil(self.native_bytes),
            compressed: costs.answer_rate.time_ceil(self.compressed_bytes),
            acquisition: costs.acquisition * self.native,
            answers: costs.answer * self.native,
        }
    }
}

impl AckCosts {
    /// The costs over `link` by the standard: wait and mean back-off without collisions, then SIFS and an Ack.
    pub fn of(link: &Link, ack: Bytes) -> Self {
        let exchange = link.exchange(1, ack);
        Self {
            native_rate: link.data.rate(),
            answer_rate: link.answer.rate(),
            acquisition: exchange.wait + exchange.backoff,
            answer: exchange.sifs + exchange.answer,
        }
    }

    /// These costs with the waits for each ACK that were measured as `acquisition` and `answers` over `acks` ACKs; zero
    /// for no ACKs.
    #[must_use]
    pub fn measured(self, acks: u64, acquisition: Duration, answers: Duration) -> Self {
        let each = |total: Duration| if acks == 0 { Duration::ZERO } else { total / acks };
        Self { acquisition: each(acquisition), answer: each(answers), ..self }
    }
}

impl AckTimes {
    /// Table 3, TCP/802.11a.
    pub const PAPER_TCP: Self = Self {
        native: Duration::from_millis(70),
        compressed: Duration::ZERO,
        acquisition: Duration::from_millis(1_093),
        answers: Duration::from_millis(456),
    };

    /// Table 3, TCP/HACK.
    pub const PAPER_HACK: Self = Self {
        native: Duration::from_micros(80),
        compressed: Duration::from_micros(13_100),
        acquisition: Duration::from_micros(1_170),
        answers: Duration::from_micros(460),
    };

    /// All of it.
    pub fn total(&self) -> Duration {
        self.native + self.compressed + self.acquisition + self.answers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::tests::link_a;

    const PAPER: Transfer = Transfer::PAPER;

    #[test]
    fn twenty_five_mebibytes_take_9052_acks() {
        // 26,214,400 / 1448 = 18,103.9; half of 18,104. The paper counts 9,060, with those of connection set-up and of
        // whatever was acknowledged at once.
        assert_eq!(PAPER.amount, Bytes(26_214_400));
        assert_eq!((PAPER.segments(), PAPER.acks()), (18_104, 9_052));
        let counts = PAPER.counts(u64::MAX, CompressedSize::PAPER);
        assert_eq!((counts.native, counts.native_bytes, counts.compressed), (9_052, Bytes(470_704), 0));
        assert_eq!(PAPER.compression_ratio(&counts), None);
        let decimal = Transfer { amount: Bytes(25_000_000), ..PAPER };
        assert_eq!(decimal.acks(), 8_633);
    }

    #[test]
    fn an_ack_counts_for_what_is_left_over() {
        let transfer = |amount| Transfer { amount: Bytes(amount), ..PAPER };
        assert_eq!([1, 1_448, 1_449, 2_896, 2_897].map(|amount| transfer(amount).acks()), [1, 1, 1, 1, 2]);
        assert_eq!(transfer(0).acks(), 0);
    }

    #[test]
    fn the_paper_s_counts_agree_with_their_bytes_and_ratio() {
        assert_eq!(PAPER.ack * AckCounts::PAPER_TCP.native, AckCounts::PAPER_TCP.native_bytes);
        assert_eq!(PAPER.ack * AckCounts::PAPER_HACK.native, AckCounts::PAPER_HACK.native_bytes);
        assert_eq!(AckCounts::PAPER_HACK.native + AckCounts::PAPER_HACK.compressed, AckCounts::PAPER_TCP.native);
        // 9050 * 52 / 39,478 = 11.92; 9050 * 4.36 = 39,458.
        let ratio = PAPER.compression_ratio(&AckCounts::PAPER_HACK).expect("some are compressed");
        assert!((ratio - 11.92).abs() < 0.005, "{ratio}");
        assert_eq!(CompressedSize::PAPER.total(9_050), Bytes(39_458));
        let ours = PAPER.counts(10, CompressedSize::PAPER);
        assert_eq!((ours.compressed, ours.compressed_bytes), (9_042, Bytes(39_424)));
    }

    #[test]
    fn the_bytes_of_table_3_are_its_counts_over_the_rates() {
        // 471,120 * 8 / 54 = 69,796 us; 520 * 8 / 54 = 77 us; 39,478 * 8 / 24 = 13,159 us.
        let costs = AckCosts::of(&link_a(), PAPER.ack);
        let (tcp, hack) = (AckCounts::PAPER_TCP.times(&costs), AckCounts::PAPER_HACK.times(&costs));
        assert_eq!(tcp.native.as_micros_floor(), 69_795);
        assert_eq!(hack.native.as_micros_ceil(), 78);
        assert_eq!(hack.compressed.as_micros_floor(), 13_159);
        assert_eq!(tcp.compressed, Duration::ZERO);
    }

    #[test]
    fn the_standard_s_waits_are_101_and_a_half_and_44_microseconds() {
        // DIFS 34 + 7.5 * 9; SIFS 16 + Ack 28.
        let costs = AckCosts::of(&link_a(), PAPER.ack);
        assert_eq!((costs.acquisition, costs.answer), (Duration::from_nanos(101_500), Duration::from_micros(44)));
        let tcp = AckCounts::PAPER_TCP.times(&costs);
        assert_eq!((tcp.acquisition, tcp.answers), (Duration::from_micros(919_590), Duration::from_micros(398_640)));
        assert_eq!(tcp.total(), tcp.native + Duration::from_micros(919_590 + 398_640));
    }

    #[test]
    fn one_row_s_waits_for_each_ack_give_the_other_s_within_ten_percent() {
        // 1093 ms and 456 ms over 9060 ACKs are 120.6 and 50.3 us; ten of them 1.21 and 0.50 ms. The paper has 1.17 and
        // 0.46: its two rows are two measurements.
        let costs = AckCosts::of(&link_a(), PAPER.ack).measured(
            AckCounts::PAPER_TCP.native,
            AckTimes::PAPER_TCP.acquisition,
            AckTimes::PAPER_TCP.answers,
        );
        assert_eq!((costs.acquisition.as_nanos(), costs.answer.as_nanos()), (120_640, 50_331));
        let hack = AckCounts::PAPER_HACK.times(&costs);
        assert_eq!((hack.acquisition.as_micros_floor(), hack.answers.as_micros_floor()), (1_206, 503));
        assert_eq!(costs.measured(0, Duration::from_millis(1), Duration::ZERO).acquisition, Duration::ZERO);
    }
}

//! Figure 1: goodput against the PHY's rate, and what the paper's text quotes from it.

use ackless_phy::{Band, GuardInterval, HtMode, OfdmRate, Standard, TxVector, Width};
use ackless_wire::{BitRate, Bytes};

use crate::exchange::Link;
use crate::hack::{BatchLimit, CompressedSize, Cycle, Download};

/// One half of the figure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Figure {
    /// 1 (a): 802.11a, 6 to 54 Mbps.
    A,
    /// 1 (b): 802.11n at 5 GHz, 40 MHz, guard interval 400 ns, 1 to 4 streams, 15 to 600 Mbps.
    N,
}

/// A rate of the figure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// How data is sent.
    pub vector: TxVector,
    /// TCP with native ACKs, without contention.
    pub tcp: Cycle,
    /// TCP/HACK.
    pub hack: Cycle,
    /// UDP.
    pub udp: Cycle,
}

impl Figure {
    /// Every rate, lowest first. Where 802.11n reaches a rate with several numbers of streams, the fewest: the shortest
    /// preamble.
    pub fn vectors(self) -> Vec<TxVector> {
        let mut vectors: Vec<TxVector> = match self {
            Self::A => OfdmRate::ALL.into_iter().map(|rate| TxVector::ofdm(rate, Band::Ghz5)).collect(),
            Self::N => (0..32).map(ht).collect(),
        };
        vectors.sort_by_key(|vector| (vector.rate(), vector.streams()));
        vectors.dedup_by_key(|vector| vector.rate());
        vectors
    }

    /// The standard that it is about.
    pub const fn standard(self) -> Standard {
        match self {
            Self::A => Standard::A,
            Self::N => Standard::N,
        }
    }

    /// The curves.
    pub fn points(self, limit: BatchLimit, compressed: CompressedSize) -> Vec<Point> {
        self.downloads(limit, compressed).iter().map(Point::of).collect()
    }

    /// The downloads behind the curves, in the same order.
    pub fn downloads(self, limit: BatchLimit, compressed: CompressedSize) -> Vec<Download> {
        let download = |vector| Download::over(self.link(vector)).bounded(limit).with_compressed(compressed);
        self.vectors().into_iter().map(download).collect()
    }

    /// The link that sends so: best effort in 802.11n, DCF in 802.11a.
    pub fn link(self, vector: TxVector) -> Link {
        Link::of(self.standard(), Band::Ghz5, vector)
    }
}

impl Point {
    /// What `download` gets by each means.
    pub fn of(download: &Download) -> Self {
        Self { vector: download.link.data, tcp: download.tcp(), hack: download.hack(), udp: download.udp() }
    }

    /// The PHY's rate.
    pub const fn rate(&self) -> BitRate {
        self.vector.rate()
    }

    /// By how much TCP/HACK is above TCP, in percent.
    pub fn gain(&self) -> f64 {
        percent_above(self.hack.goodput(), self.tcp.goodput())
    }
}

/// The mean of the gains at rates below `rate`, each rate counting once; nothing where there is none.
pub fn mean_gain_below(points: &[Point], rate: BitRate) -> Option<f64> {
    let gains: Vec<_> = points.iter().filter(|point| point.rate() < rate).map(Point::gain).collect();
    (!gains.is_empty()).then(|| gains.iter().sum::<f64>() / gains.len() as f64)
}

/// The point at `rate`, if there is one.
pub fn at(points: &[Point], rate: BitRate) -> Option<&Point> {
    points.iter().find(|point| point.rate() == rate)
}

/// How much of the PHY's rate remains, in percent, where each access sends one packet of `packet` bytes, of which
/// `counted` count (section 1: 9 % at 600 Mbps).
pub fn single_frame_share(link: &Link, packet: Bytes, counted: Bytes) -> f64 {
    100.0 * link.exchange(1, packet).goodput(counted).mbps_f64() / link.data.rate().mbps_f64()
}

/// By how much `rate` is above `base`, in percent.
pub fn percent_above(rate: BitRate, base: BitRate) -> f64 {
    100.0 * (rate.mbps_f64() / base.mbps_f64() - 1.0)
}

fn ht(mcs: u8) -> TxVector {
    let mode = HtMode::new(mcs, Width::Mhz40, GuardInterval::Short, Band::Ghz5);
    TxVector::Ht(mode.expect("HT has MCS 0 to 31 at 40 MHz"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footnote_4() -> BatchLimit {
        BatchLimit::Txop(ackless_wire::Duration::from_millis(4))
    }

    #[test]
    fn the_rates_are_those_of_both_standards_each_once() {
        let mbps = |figure: Figure| -> Vec<u64> {
            figure
                .vectors()
                .iter()
                .map(|vector| vector.rate().bps())
                .inspect(|bps| assert_eq!(bps % 1_000_000, 0))
                .map(|bps| bps / 1_000_000)
                .collect()
        };
        assert_eq!(mbps(Figure::A), [6, 9, 12, 18, 24, 36, 48, 54]);
        let n = [15, 30, 45, 60, 90, 120, 135, 150, 180, 240, 270, 300, 360, 405, 450, 480, 540, 600];
        assert_eq!(mbps(Figure::N), n);
        assert!(Figure::N.vectors()[..8].iter().all(|vector| vector.streams() == 1));
    }

    #[test]
    fn more_rate_is_more_goodput_and_hack_lies_between_tcp_and_udp() {
        for (figure, limit) in [(Figure::A, BatchLimit::Ppdu), (Figure::N, BatchLimit::Ppdu), (Figure::N, footnote_4())]
        {
            let points = figure.points(limit, CompressedSize::PAPER);
            for goodput in [|p: &Point| p.tcp.goodput(), |p: &Point| p.hack.goodput(), |p: &Point| p.udp.goodput()] {
                assert!(points.iter().map(goodput).is_sorted_by(|a, b| a < b), "{figure:?} {limit:?}");
            }
            for point in &points {
                assert!(point.tcp.goodput() < point.hack.goodput(), "{point:?}");
                assert!(point.hack.goodput() < point.udp.goodput(), "{point:?}");
            }
        }
    }

    #[test]
    fn longer_compressed_acks_never_gain() {
        for rate in [15, 150, 600].map(BitRate::from_mbps) {
            let gain = |milli| {
                let size = CompressedSize::from_milli(milli).expect("a size in range");
                at(&Figure::N.points(footnote_4(), size), rate).expect("a rate of the figure").gain()
            };
            assert!([0, 1_000, 3_000, 4_360, 8_000, 20_000, 52_000].map(gain).is_sorted_by(|a, b| a >= b), "{rate}");
        }
    }

    #[test]
    fn the_text_s_figures_come_out_as_far_as_validation_says() {
        // TCP/HACK, figure 1 caption, sections 1, 3.2 and 4.3: 8 %, 7 %, 20 % and 9 %.
        let points = Figure::N.points(footnote_4(), CompressedSize::PAPER);
        let gain = |mbps| at(&points, BitRate::from_mbps(mbps)).expect("a rate of the figure").gain();
        let below_100 = mean_gain_below(&points, BitRate::from_mbps(100)).expect("rates below 100 Mbps");
        assert!((below_100 - 7.88).abs() < 0.005, "{below_100}");
        assert!((gain(150) - 7.34).abs() < 0.005, "{}", gain(150));
        assert!((gain(600) - 18.66).abs() < 0.005, "{}", gain(600));
        // 1500 bytes in 43 + 67.5 + 48 + 24 + 16 + 28 us.
        let link = Figure::N.link(points[17].vector);
        let share = single_frame_share(&link, Bytes(1_500), Bytes(1_500));
        assert!((share - 100.0 * 12_000.0 / 226.5 / 600.0).abs() < 1e-4, "{share}");
    }

    #[test]
    fn what_is_appended_decides_the_gain_at_600_mbps() {
        // 1313 us over 1074.5 and the appended symbols: 63 bytes in 6 more, 92 in 8. ACKs of 40 bytes: 4 us less.
        let link = Figure::N.link(*Figure::N.vectors().last().expect("rates"));
        let gain = |download: Download| Point::of(&download).gain();
        let near = |gain: f64, expected: f64| assert!((gain - 100.0 * (expected - 1.0)).abs() < 1e-4, "{gain}");
        let three = CompressedSize::from_milli(3_000).expect("a size in range");
        near(gain(Download::over(link).with_compressed(CompressedSize::ZERO)), 1_313.0 / 1_074.5);
        near(gain(Download::over(link).with_compressed(three)), 1_313.0 / 1_098.5);
        near(gain(Download::over(link)), 1_313.0 / 1_106.5);
        near(gain(Download { ack: Bytes(40), ..Download::over(link) }), 1_309.0 / 1_106.5);
    }

    #[test]
    fn the_paper_s_udp_goodput_in_802_11a_is_that_of_qos_data() {
        // Section 4.2: 30.2 Mbps. Two bytes more than 1536: 12,326 bits in 58 symbols of 216. 34 + 67.5 + 252 + 16 + 28.
        let mut link = Figure::A.link(*Figure::A.vectors().last().expect("rates"));
        link.framing += Bytes(2);
        let exchange = link.exchange(1, Bytes(1_500));
        assert_eq!(exchange.duration(), ackless_wire::Duration::from_nanos(397_500));
        assert_eq!(exchange.goodput(Bytes(1_500)).bps() / 10_000, 3_018);
    }

    #[test]
    fn the_mean_is_over_the_rates_below() {
        let points = Figure::A.points(BatchLimit::Ppdu, CompressedSize::PAPER);
        let mean = mean_gain_below(&points, BitRate::from_mbps(12)).expect("6 and 9 Mbps");
        assert!((mean - (points[0].gain() + points[1].gain()) / 2.0).abs() < 1e-12);
        assert_eq!(mean_gain_below(&points, BitRate::from_mbps(6)), None);
    }
}

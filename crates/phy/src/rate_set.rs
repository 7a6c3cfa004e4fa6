//! All the ways in which data can go to a peer, from which a rate control chooses.

use crate::coding::{GuardInterval, Width};
use crate::dsss::{DsssMode, DsssRate};
use crate::ht::HtMode;
use crate::ofdm::{OfdmMode, OfdmRate};
use crate::tx_vector::TxVector;
use crate::vht::VhtMode;

impl TxVector {
    /// Every way of sending data to a peer that can receive this one at best: of the same PHY, with no more streams, no greater MCS (of 11n,
    /// within its streams) or rate, no more width, and the short guard interval only where this one has it. Those that the standard leaves out
    /// are not among them; this one is.
    ///
    /// The preamble of 802.11b stays what it is, as far as a rate allows it.
    pub fn all_up_to(self) -> Vec<Self> {
        match self {
            Self::Dsss(best) => {
                let slower = DsssRate::ALL.into_iter().filter(|rate| *rate <= best.data_rate());
                slower
                    .map(|rate| Self::Dsss(DsssMode::with_preamble_if_allowed(rate, best.preamble_format())))
                    .collect()
            }
            Self::Ofdm(best) => {
                let slower = OfdmRate::ALL.into_iter().filter(|rate| *rate <= best.rate);
                slower.map(|rate| Self::Ofdm(OfdmMode::new(rate, best.band))).collect()
            }
            Self::Ht(best) => shapes(best.width(), best.guard(), best.streams())
                .flat_map(|(width, guard, streams)| {
                    let codes = 0..=best.mcs() % 8;
                    codes.filter_map(move |code| HtMode::new(8 * (streams - 1) + code, width, guard, best.band()).ok())
                })
                .map(Self::Ht)
                .collect(),
            Self::Vht(best) => shapes(best.width(), best.guard(), best.streams())
                .flat_map(|(width, guard, streams)| {
                    (0..=best.mcs()).filter_map(move |code| VhtMode::new(code, streams, width, guard).ok())
                })
                .map(Self::Vht)
                .collect(),
        }
    }
}

/// Every width, guard interval and number of streams up to these.
fn shapes(width: Width, guard: GuardInterval, streams: u64) -> impl Iterator<Item = (Width, GuardInterval, u8)> {
    let widths = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160];
    let guards = [GuardInterval::Long, GuardInterval::Short];
    widths.into_iter().filter(move |w| w.mhz() <= width.mhz()).flat_map(move |width| {
        guards
            .into_iter()
            .filter(move |g| guard == GuardInterval::Short || *g == GuardInterval::Long)
            .flat_map(move |guard| (1..=streams as u8).map(move |streams| (width, guard, streams)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::Band;

    #[test]
    fn two_streams_of_802_11n_at_40_mhz_are_64_ways() {
        let best = HtMode::new(15, Width::Mhz40, GuardInterval::Short, Band::Ghz5).expect("a mode of 802.11n");
        let all = TxVector::Ht(best).all_up_to();
        // Eight codings, two numbers of streams, two widths, two guard intervals.
        assert_eq!(all.len(), 64);
        assert_eq!(all.iter().map(|vector| vector.rate().bps()).max(), Some(300_000_000));
        assert!(all.contains(&TxVector::Ht(best)));
    }

    #[test]
    fn one_stream_of_802_11ac_lacks_mcs_9_at_20_mhz() {
        let best = VhtMode::new(9, 1, Width::Mhz80, GuardInterval::Short).expect("a mode of 802.11ac");
        // Ten at 40 and 80 MHz, nine at 20, with two guard intervals each.
        assert_eq!(TxVector::Vht(best).all_up_to().len(), 58);
    }

    #[test]
    fn a_cap_caps() {
        let best = HtMode::new(3, Width::Mhz20, GuardInterval::Long, Band::Ghz5).expect("a mode of 802.11n");
        let rates: Vec<u64> = TxVector::Ht(best).all_up_to().iter().map(|vector| vector.rate().bps()).collect();
        assert_eq!(rates, [6_500_000, 13_000_000, 19_500_000, 26_000_000]);
        assert_eq!(TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5).all_up_to().len(), 5);
        assert_eq!(TxVector::dsss(DsssRate::Mbps11).all_up_to().len(), 4);
    }
}

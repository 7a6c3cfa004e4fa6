//! Slot, SIFS and contention window of each standard, and the waits that follow from them.

use ackless_wire::{Bytes, Duration};

use crate::coding::Band;
use crate::dsss::DsssRate;
use crate::ofdm::OfdmRate;
use crate::standard::Standard;
use crate::tx_vector::TxVector;

/// The timing constants of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// aSlotTime.
    pub slot: Duration,
    /// aSIFSTime, counted from the end of the signal extension where there is one.
    pub sifs: Duration,
    /// aCWmin, in slots.
    pub cw_min: u16,
    /// aCWmax, in slots.
    pub cw_max: u16,
    /// aSignalExtension: the silence that ends each OFDM PPDU; already in [`TxVector::duration`].
    pub signal_extension: Duration,
    /// The lowest mandatory rate, at which EIFS counts an Ack.
    pub lowest: TxVector,
}

impl Timing {
    /// The constants of `standard` (Tables 16-4, 17-21, 18-5, 19-25 and 21-29).
    ///
    /// `band` matters for 802.11n alone; the others have one band each, see [`Standard::runs_in`]. In 2.4 GHz, g and n
    /// have the short slot and 6 Mbps as their lowest rate: the cell has no 802.11b stations, for which the standard
    /// has slots of 20 us and an EIFS with an Ack at 1 Mbps.
    pub const fn of(standard: Standard, band: Band) -> Self {
        let band = standard.band(band);
        if let Standard::B = standard {
            return Self {
                slot: Duration::from_micros(20),
                sifs: Duration::from_micros(10),
                cw_min: 31,
                cw_max: 1023,
                signal_extension: Duration::ZERO,
                lowest: TxVector::dsss(DsssRate::Mbps1),
            };
        }
        let sifs = match band {
            Band::Ghz2_4 => Duration::from_micros(10),
            Band::Ghz5 => Duration::from_micros(16),
        };
        Self {
            slot: Duration::from_micros(9),
            sifs,
            cw_min: 15,
            cw_max: 1023,
            signal_extension: band.signal_extension(),
            lowest: TxVector::ofdm(OfdmRate::Mbps6, band),
        }
    }

    /// PIFS: SIFS and a slot (10.3.7).
    pub const fn pifs(&self) -> Duration {
        self.aifs(1)
    }

    /// DIFS: SIFS and two slots (10.3.7).
    pub const fn difs(&self) -> Duration {
        self.aifs(2)
    }

    /// AIFS of an access category: SIFS and `aifsn` slots (10.23.2.4).
    pub const fn aifs(&self, aifsn: u8) -> Duration {
        Duration::from_nanos(self.sifs.as_nanos() + aifsn as u64 * self.slot.as_nanos())
    }

    /// EIFS of DCF: SIFS, DIFS and an Ack at the lowest mandatory rate (10.3.2.3.7).
    pub const fn eifs(&self) -> Duration {
        self.eifs_before(self.difs())
    }

    /// What stands for AIFS after a frame that was not understood: EIFS - DIFS + AIFS (10.23.2.4).
    pub const fn eifs_aifs(&self, aifsn: u8) -> Duration {
        self.eifs_before(self.aifs(aifsn))
    }

    /// How long a station waits for the first sign of an answer before it takes its frame for lost (10.3.2.11): SIFS, a
    /// slot and the answer's preamble.
    ///
    /// The standard counts aRxPHYStartDelay after SIFS and slot, which we take as the preamble and PHY header of
    /// `answer`. A peer that is known to answer late adds its delay.
    pub const fn answer_timeout(&self, answer: TxVector) -> Duration {
        Duration::from_nanos(self.sifs.as_nanos() + self.slot.as_nanos() + answer.preamble().as_nanos())
    }

    const fn eifs_before(&self, wait: Duration) -> Duration {
        Duration::from_nanos(self.sifs.as_nanos() + self.lowest.duration(ACK).as_nanos() + wait.as_nanos())
    }
}

/// The length of an Ack frame (9.3.1.4).
const ACK: Bytes = Bytes(14);

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(standard: Standard, band: Band) -> [u64; 6] {
        let timing = Timing::of(standard, band);
        let spans = [timing.slot, timing.sifs, timing.difs(), timing.aifs(3), timing.eifs(), timing.eifs_aifs(3)];
        spans.map(Duration::as_micros_ceil)
    }

    #[test]
    fn waits_are_those_of_each_standard() {
        // EIFS: 10 + 304 + 50 with an Ack of 192 + 112 us; 16 + 44 + 34 with 20 + 24; 10 + 50 + 28 with 20 + 24 + 6.
        assert_eq!(micros(Standard::B, Band::Ghz2_4), [20, 10, 50, 70, 364, 384]);
        assert_eq!(micros(Standard::A, Band::Ghz5), [9, 16, 34, 43, 94, 103]);
        assert_eq!(micros(Standard::G, Band::Ghz2_4), [9, 10, 28, 37, 88, 97]);
        assert_eq!(micros(Standard::N, Band::Ghz2_4), [9, 10, 28, 37, 88, 97]);
        assert_eq!(micros(Standard::N, Band::Ghz5), [9, 16, 34, 43, 94, 103]);
        assert_eq!(micros(Standard::Ac, Band::Ghz5), [9, 16, 34, 43, 94, 103]);
    }

    #[test]
    fn a_standard_with_one_band_ignores_the_other() {
        for standard in [Standard::B, Standard::A, Standard::G, Standard::Ac] {
            assert_eq!(Timing::of(standard, Band::Ghz2_4), Timing::of(standard, Band::Ghz5));
            assert!(standard.runs_in(Band::Ghz2_4) != standard.runs_in(Band::Ghz5));
        }
    }

    #[test]
    fn an_answer_is_given_up_after_sifs_slot_and_its_preamble() {
        let a = Timing::of(Standard::A, Band::Ghz5);
        assert_eq!(a.answer_timeout(TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5)), Duration::from_micros(16 + 9 + 20));
        let b = Timing::of(Standard::B, Band::Ghz2_4);
        assert_eq!(b.answer_timeout(TxVector::dsss(DsssRate::Mbps2)), Duration::from_micros(10 + 20 + 192));
    }
}

//! The rate that a sender would choose who knew the SNR at its receiver.

use ackless_phy::{BitErrors, Channel, Db, TxVector};
use ackless_wire::{Bytes, Instant};

use super::Attempt;

/// An oracle's choice: the fastest rate at which [`REFERENCE`] arrives with [`SUCCESS`], and if there is none the slowest.
#[derive(Debug)]
pub(crate) struct Ideal {
    channel: Channel,
    /// Fastest first; of equally fast ones what needs the lower SNR.
    rates: Vec<Candidate>,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    rate: TxVector,
    /// The SNR over the rate's own width from which on it is good enough.
    needs: Db,
}

/// The frame whose loss is looked at.
const REFERENCE: Bytes = Bytes(1_500);

/// The chance to arrive that it must have.
const SUCCESS: f64 = 0.9;

impl Ideal {
    pub(crate) fn new(channel: Channel, best: TxVector) -> Self {
        let mut rates: Vec<Candidate> =
            best.all_up_to().into_iter().map(|rate| Candidate { rate, needs: needed(rate) }).collect();
        rates.sort_by(|a, b| b.rate.rate().cmp(&a.rate.rate()).then(a.needs.0.total_cmp(&b.needs.0)));
        Self { channel, rates }
    }

    pub(crate) fn choose(&self, now: Instant) -> Attempt {
        let good =
            self.rates.iter().find(|candidate| self.channel.snr(now, candidate.rate.width()).0 >= candidate.needs.0);
        let slowest = self.rates.last().expect("a link has a rate");
        Attempt { rate: good.unwrap_or(slowest).rate, protect: false, alone: false, amsdu: Attempt::ANY_AMSDU }
    }
}

/// The SNR from which on the reference frame arrives often enough, to a thousandth of a decibel: the chance rises with the SNR.
fn needed(rate: TxVector) -> Db {
    let enough = |milli: i32| BitErrors::new(rate, Db(f64::from(milli) / 1e3)).success(REFERENCE) >= SUCCESS;
    let (mut low, mut high) = (-100_000, 100_000);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Db(f64::from(high) / 1e3)
}

#[cfg(test)]
mod tests {
    use ackless_phy::{Band, GuardInterval, HtMode, Width};

    use super::*;

    fn ht(mcs: u8, width: Width) -> TxVector {
        TxVector::Ht(HtMode::new(mcs, width, GuardInterval::Short, Band::Ghz5).expect("a mode of 802.11n"))
    }

    #[test]
    fn the_choice_is_the_fastest_that_loses_at_most_a_tenth() {
        let best = ht(15, Width::Mhz40);
        for milli in (0..45_000).step_by(617) {
            let level = Db(f64::from(milli) / 1e3);
            let channel = Channel::constant(level, Width::Mhz40);
            let ideal = Ideal::new(channel.clone(), best);
            let chosen = ideal.choose(Instant::ZERO).rate;
            let lost = |rate| 1.0 - BitErrors::new(rate, channel.snr(Instant::ZERO, rate.width())).success(REFERENCE);
            let faster = best.all_up_to().into_iter().filter(|rate| rate.rate() > chosen.rate());
            for rate in faster {
                assert!(lost(rate) > 0.1, "{level:?}: {rate} loses {} and is faster than {chosen}", lost(rate));
            }
            let slowest = best.all_up_to().into_iter().all(|rate| rate.rate() >= chosen.rate());
            assert!(lost(chosen) <= 0.1 || slowest, "{level:?}: {chosen} loses {}", lost(chosen));
        }
    }

    #[test]
    fn where_nothing_gets_through_the_slowest_goes() {
        let ideal = Ideal::new(Channel::constant(Db(-20.0), Width::Mhz40), ht(7, Width::Mhz40));
        let slowest = HtMode::new(0, Width::Mhz20, GuardInterval::Long, Band::Ghz5).expect("a mode of 802.11n");
        assert_eq!(ideal.choose(Instant::ZERO).rate, TxVector::Ht(slowest));
    }
}

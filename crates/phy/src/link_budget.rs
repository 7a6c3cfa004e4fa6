//! From distance to SNR: log-distance path loss, transmit power and thermal noise.

use std::ops::{Add, Sub};

use crate::tx_vector::TxVector;

/// A ratio in decibels: a gain, a loss or an SNR.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Db(pub f64);

/// A power in decibels over one milliwatt.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Dbm(pub f64);

/// What decides the SNR between two stations but their distance.
///
/// No shadowing, no fading, no interference: the medium decides collisions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LinkBudget {
    /// The transmit power.
    pub tx_power: Dbm,
    /// The path loss at a distance of one metre.
    pub reference_loss: Db,
    /// The path-loss exponent: the loss grows by ten times this for each tenfold distance.
    pub exponent: f64,
    /// The receiver's noise over thermal noise.
    pub noise_figure: Db,
}

impl LinkBudget {
    /// The path loss over `metres`. Nearer than one metre counts as one metre.
    pub fn path_loss(&self, metres: f64) -> Db {
        Db(self.reference_loss.0 + 10.0 * self.exponent * libm::log10(metres.max(1.0)))
    }

    /// The SNR, over the PPDU's own bandwidth, at a receiver `metres` away.
    pub fn snr(&self, metres: f64, vector: TxVector) -> Db {
        self.tx_power - self.path_loss(metres) - self.noise(vector)
    }

    /// The receiver's noise floor over the bandwidth of such a PPDU.
    pub fn noise(&self, vector: TxVector) -> Dbm {
        let megahertz = match vector {
            TxVector::Dsss(_) => DSSS_MHZ,
            _ => vector.width().mhz() as f64,
        };
        Dbm(THERMAL_DBM_PER_HZ + 10.0 * libm::log10(megahertz * 1e6)) + self.noise_figure
    }
}

impl Default for LinkBudget {
    /// 40 mW (16.0206 dBm), 46.6777 dB at one metre (free space at 5.15 GHz), exponent 3 and a noise figure of 7 dB:
    /// the values that ns-3 starts from, so that a range means the same in both.
    fn default() -> Self {
        Self { tx_power: Dbm(16.0206), reference_loss: Db(46.6777), exponent: 3.0, noise_figure: Db(7.0) }
    }
}

impl Db {
    /// The ratio as a plain factor.
    pub fn factor(self) -> f64 {
        libm::pow(10.0, self.0 / 10.0)
    }
}

impl Add<Db> for Dbm {
    type Output = Self;
    fn add(self, gain: Db) -> Self {
        Self(self.0 + gain.0)
    }
}

impl Sub<Db> for Dbm {
    type Output = Self;
    fn sub(self, loss: Db) -> Self {
        Self(self.0 - loss.0)
    }
}

impl Sub for Dbm {
    type Output = Db;
    fn sub(self, other: Self) -> Db {
        Db(self.0 - other.0)
    }
}

/// Boltzmann's constant times 290 K, in dBm per hertz.
const THERMAL_DBM_PER_HZ: f64 = -173.975;

/// The bandwidth of DSSS, in MHz.
const DSSS_MHZ: f64 = 22.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::Band;
    use crate::dsss::DsssRate;
    use crate::ofdm::OfdmRate;

    #[test]
    fn ten_metres_cost_thirty_decibels_more_than_one() {
        let budget = LinkBudget::default();
        assert!((budget.path_loss(10.0).0 - budget.path_loss(1.0).0 - 30.0).abs() < 1e-12);
        assert_eq!(budget.path_loss(0.0), budget.path_loss(1.0));
    }

    #[test]
    fn ten_metres_leave_33_decibels_over_the_noise_of_20_mhz() {
        // 16.0206 - 46.6777 - 30 = -60.657 dBm over -173.975 + 73.010 + 7 = -93.965 dBm.
        let snr = LinkBudget::default().snr(10.0, TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz5));
        assert!((snr.0 - 33.308).abs() < 0.001, "{snr:?}");
        let dsss = LinkBudget::default().snr(10.0, TxVector::dsss(DsssRate::Mbps11));
        assert!((dsss.0 - (33.308 - 0.414)).abs() < 0.001, "{dsss:?}");
    }
}

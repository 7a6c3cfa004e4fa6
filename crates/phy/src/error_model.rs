//! From SNR to the chance that a frame arrives, for each modulation and code rate.
//!
//! The payload's bits fail independently with one probability, which [`BitErrors`] computes once for a way of sending
//! and an SNR:
//!
//! - OFDM, HT and VHT: the bit error rate of the modulation with Gray mapping in white noise (Proakis, "Digital
//!   Communications", 5.2), then the union bound over the convolutional code's distance spectrum with hard decisions
//!   and the Chernoff bound of each pairwise error, as in Pei and Henderson, "Validation of OFDM error rate model in
//!   ns-3" (2010), the model known as NIST's. The spectra are those of the code (133, 171) and its punctured forms in
//!   Frenger, Orten and Ottosson, "Multi-rate convolutional codes" (1998), and for rate 5/6 in Haccoun and Begin,
//!   "High-rate punctured convolutional codes" (1989). The sum stops after 9 or 10 terms, and no bit fails more often
//!   than every second time.
//! - DSSS and CCK: the coherent receiver's union bound in IEEE Std 802.15.2-2003.
//!
//! The SNR is that of each subcarrier and stream; how it fades is [`crate::channel`]'s. Not modelled: preambles and PHY headers (which are
//! sent at the lowest rate), and what several streams do to one another.

use ackless_wire::Bytes;

use crate::coding::{CodeRate, Coding, Modulation};
use crate::dsss::DsssRate;
use crate::link_budget::Db;
use crate::tx_vector::TxVector;

/// How the bits of a payload fail at one SNR. Compute it once for a link; [`success`](Self::success) is then cheap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BitErrors {
    /// The natural logarithm of the chance that a bit arrives: 0 or less.
    ln_bit_success: f64,
}

impl BitErrors {
    /// No errors at all.
    pub const NONE: Self = Self { ln_bit_success: 0.0 };

    /// The errors of a payload sent by `vector` and received with `snr`. A NaN is taken for no signal.
    pub fn new(vector: TxVector, snr: Db) -> Self {
        let snr = snr.factor();
        let snr = if snr.is_nan() { 0.0 } else { snr };
        let probability = match (vector, vector.coding()) {
            (TxVector::Dsss(mode), _) => dsss_bit_error(mode.data_rate(), snr),
            (_, coding) => coded_bit_error(coding.expect("every payload but DSSS is coded"), snr),
        };
        Self { ln_bit_success: libm::log1p(-probability.clamp(0.0, 0.5)) }
    }

    /// The chance that one bit fails, 0 to 0.5.
    pub fn probability(self) -> f64 {
        -libm::expm1(self.ln_bit_success)
    }

    /// The chance that all of `length` arrive, 0 to 1: an MPDU with its FCS, or a link-layer answer with what is
    /// appended to it.
    pub fn success(self, length: Bytes) -> f64 {
        self.success_of_bits(length.bits() as f64)
    }

    /// The chance that so many bits arrive, which need not be whole: a part of a frame that has one SNR.
    pub fn success_of_bits(self, bits: f64) -> f64 {
        libm::exp(self.ln_bit_success * bits)
    }
}

/// After decoding: `c(d) D^d` summed over the spectrum, for `k` input bits of the puncturing period, halved (a tie goes
/// either way), where `D = sqrt(4 p (1 - p))`.
fn coded_bit_error(coding: Coding, snr: f64) -> f64 {
    let p = modulation_bit_error(coding.modulation, snr);
    let d = libm::sqrt(4.0 * p * (1.0 - p));
    let spectrum = spectrum(coding.code_rate);
    // Horner from the highest distance down, then the first distance itself.
    let tail = spectrum.weights.iter().rev().fold(0.0, |sum, weight| sum * libm::pow(d, spectrum.step) + weight);
    tail * libm::pow(d, spectrum.first) / (2.0 * spectrum.period)
}

/// Before decoding: the chance that one coded bit fails at this SNR per subcarrier.
fn modulation_bit_error(modulation: Modulation, snr: f64) -> f64 {
    // For square M-QAM with log2 M = 2b bits: (1 - 2^-b) / b, and erfc of the root of 1.5 SNR / (M - 1).
    let (weight, divisor) = match modulation {
        Modulation::Bpsk => (1.0 / 2.0, 1.0),
        Modulation::Qpsk => (1.0 / 2.0, 2.0),
        Modulation::Qam16 => (3.0 / 8.0, 10.0),
        Modulation::Qam64 => (7.0 / 24.0, 42.0),
        Modulation::Qam256 => (15.0 / 64.0, 170.0),
    };
    weight * libm::erfc(libm::sqrt(snr / divisor))
}

/// A bit's chance to fail with DSSS or CCK at this SNR per chip.
fn dsss_bit_error(rate: DsssRate, snr: f64) -> f64 {
    let sum = |terms: &[(f64, f64)]| terms.iter().map(|&(count, gain)| count * q(libm::sqrt(gain * snr))).sum::<f64>();
    match rate {
        // Eleven chips to a symbol.
        DsssRate::Mbps1 => q(libm::sqrt(11.0 * snr)),
        DsssRate::Mbps2 => q(libm::sqrt(5.5 * snr)),
        // A wrong one of 2^n code words has 2^(n-1) / (2^n - 1) of its bits wrong.
        DsssRate::Mbps5_5 => 8.0 / 15.0 * sum(&[(14.0, 8.0), (1.0, 16.0)]),
        DsssRate::Mbps11 => {
            128.0 / 255.0 * sum(&[(24.0, 4.0), (16.0, 6.0), (174.0, 8.0), (16.0, 10.0), (24.0, 12.0), (1.0, 16.0)])
        }
    }
}

/// The upper tail of the standard normal distribution.
fn q(x: f64) -> f64 {
    0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The error weights c(d) of a code at the distances `first`, `first + step`, ...
struct Spectrum {
    first: f64,
    step: f64,
    /// The input bits of a puncturing period.
    period: f64,
    weights: &'static [f64],
}

const fn spectrum(rate: CodeRate) -> &'static Spectrum {
    match rate {
        CodeRate::Half => &HALF,
        CodeRate::TwoThirds => &TWO_THIRDS,
        CodeRate::ThreeQuarters => &THREE_QUARTERS,
        CodeRate::FiveSixths => &FIVE_SIXTHS,
    }
}

const HALF: Spectrum = Spectrum {
    first: 10.0,
    step: 2.0,
    period: 1.0,
    weights: &[36.0, 211.0, 1404.0, 11633.0, 77433.0, 502_690.0, 3_322_763.0, 21_292_910.0, 134_365_911.0],
};
const TWO_THIRDS: Spectrum = Spectrum {
    first: 6.0,
    step: 1.0,
    period: 2.0,
    weights: &[3.0, 70.0, 285.0, 1276.0, 6160.0, 27128.0, 117_019.0, 498_860.0, 2_103_891.0, 8_784_123.0],
};
const THREE_QUARTERS: Spectrum = Spectrum {
    first: 5.0,
    step: 1.0,
    period: 3.0,
    weights: &[
        42.0,
        201.0,
        1492.0,
        10469.0,
        62935.0,
        379_644.0,
        2_253_373.0,
        13_073_811.0,
        75_152_755.0,
        428_005_675.0,
    ],
};
const FIVE_SIXTHS: Spectrum = Spectrum {
    first: 4.0,
    step: 1.0,
    period: 5.0,
    weights: &[
        92.0,
        528.0,
        8694.0,
        79453.0,
        792_114.0,
        7_375_573.0,
        67_884_974.0,
        610_875_423.0,
        5_427_275_376.0,
        47_664_215_639.0,
    ],
};

#[cfg(test)]
mod tests;

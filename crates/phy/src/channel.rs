//! The signal-to-noise ratio of one link over time: a level that may change in steps, and Rayleigh fading about it.
//!
//! A [`Channel`] is a pure function of time, so that whoever decides about losses and whoever may look at them before sending (an ideal
//! rate control) ask the same one.
//!
//! Fading is flat and of Clarke's kind: waves of equal power come from all sides in the plane, so that the gain of the complex amplitude is
//! Rayleigh distributed, its mean power is 1, and its autocorrelation is J0(2 pi f_d t) for the greatest Doppler shift `f_d` (R. H. Clarke,
//! "A statistical theory of mobile-radio reception", 1968). It is summed of [`WAVES`] waves whose angles are drawn one from each of so many
//! equal sectors, with phases drawn evenly. Both ways, all subcarriers and all streams fade alike.

use ackless_wire::random::Stream;
use ackless_wire::{Duration, Instant};

use crate::coding::Width;
use crate::link_budget::Db;

/// How the SNR of a link goes over time.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Until the first step.
    level: Db,
    /// The width over which it holds.
    width: Width,
    /// From each time on it is this, in order of time.
    steps: Vec<(Instant, Db)>,
    fading: Option<Box<Fading>>,
}

/// Rayleigh fading of one link.
#[derive(Clone, Debug)]
pub struct Fading {
    waves: [Wave; WAVES],
    /// For how long the gain is taken to stand still.
    still: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Wave {
    /// Its Doppler shift in radians a second.
    shift: f64,
    /// Its phase at the start of the run.
    phase: f64,
}

/// How many waves fading is summed of.
pub const WAVES: usize = 16;

/// The gain is taken to stand still for this part of the time in which the fastest wave turns once.
const STANDSTILL: f64 = 1.0 / 200.0;

impl Channel {
    /// A channel that has this SNR for ever, over the `width` of the link's own data PPDUs.
    pub const fn constant(level: Db, width: Width) -> Self {
        Self { level, width, steps: Vec::new(), fading: None }
    }

    /// The same channel, but from each of these times on with this SNR instead. They stand in order of time; of several at the same time the
    /// last holds.
    pub fn stepped(mut self, steps: Vec<(Instant, Db)>) -> Self {
        debug_assert!(steps.is_sorted_by_key(|(at, _)| *at), "steps stand in order of time");
        self.steps = steps;
        self
    }

    /// From this time on it has this SNR, until the next step after it.
    pub fn step(&mut self, at: Instant, level: Db) {
        self.steps.insert(self.steps.partition_point(|(step, _)| *step <= at), (at, level));
    }

    /// The same channel under fading about its level.
    pub fn fading(mut self, fading: Fading) -> Self {
        self.fading = Some(Box::new(fading));
        self
    }

    /// Whether it is the same at all times.
    pub fn is_constant(&self) -> bool {
        self.steps.is_empty() && self.fading.is_none()
    }

    /// The SNR at a receiver, at this time, of a PPDU of this width: one that is narrower than the link's puts the same power into less width.
    pub fn snr(&self, at: Instant, width: Width) -> Db {
        let narrower = match width {
            _ if width == self.width => 0.0,
            _ => 10.0 * libm::log10(self.width.mhz() as f64 / width.mhz() as f64),
        };
        Db(self.level_at(at).0 + self.gain_at(at).0 + narrower)
    }

    /// The width over which the level holds.
    pub const fn width(&self) -> Width {
        self.width
    }

    /// For how long from `at` on the SNR does not change, as far as it is told apart.
    pub fn still_from(&self, at: Instant) -> Duration {
        let still = self.fading.as_ref().map_or(Duration::MAX, |fading| fading.still);
        let next = self.steps.get(self.steps.partition_point(|(step, _)| *step <= at));
        next.map_or(still, |(step, _)| still.min(step.saturating_since(at)))
    }

    fn level_at(&self, at: Instant) -> Db {
        match self.steps.partition_point(|(step, _)| *step <= at).checked_sub(1) {
            Some(place) => self.steps[place].1,
            None => self.level,
        }
    }

    fn gain_at(&self, at: Instant) -> Db {
        self.fading.as_ref().map_or(Db(0.0), |fading| fading.gain(at))
    }
}

impl Fading {
    /// Fading with the greatest Doppler shift `hertz`, more than zero: the speed over the wavelength, 5 Hz at 5.2 GHz and 1 km/h.
    pub fn new(hertz: f64, random: &mut Stream) -> Self {
        let turn = 2.0 * std::f64::consts::PI;
        let waves = std::array::from_fn(|n| {
            let angle = turn * (n as f64 + random.unit()) / WAVES as f64;
            Wave { shift: turn * hertz * libm::cos(angle), phase: turn * random.unit() }
        });
        Self { waves, still: Duration::from_secs_f64(STANDSTILL / hertz) }
    }

    /// The gain at this time, 0 dB on average over power; never less than -100 dB.
    pub fn gain(&self, at: Instant) -> Db {
        let time = at.as_secs_f64();
        let (mut real, mut imaginary) = (0.0, 0.0);
        for wave in &self.waves {
            let (sine, cosine) = libm::sincos(wave.shift * time + wave.phase);
            real += cosine;
            imaginary += sine;
        }
        let power = (real * real + imaginary * imaginary) / WAVES as f64;
        Db(10.0 * libm::log10(power.max(1e-10)))
    }
}

#[cfg(test)]
mod tests;

//! Values with a unit.

use ackless_cell::config::Distance;
use ackless_wire::{BitRate, Bytes, Duration};

use super::Value;
use crate::literal::Literal;
use crate::unit::{Dimension, QuantityError, Thousandths};

macro_rules! quantity {
    ($($type:ty, $dimension:expr, $from:expr, $amount:expr;)+) => {$(
        impl Value for $type {
            fn allowed() -> String {
                allowed_quantity(&$dimension)
            }
            fn read(literal: &Literal) -> Result<Self, Option<String>> {
                match literal {
                    Literal::Text(text) => $dimension.read(text).map($from).map_err(|error| explain(&error)),
                    Literal::Integer(_) | Literal::Decimal(_) => Err(explain(&QuantityError::NoUnit)),
                    _ => Err(None),
                }
            }
            fn write(&self) -> Literal {
                let amount: fn(&Self) -> u64 = $amount;
                Literal::Text($dimension.write(amount(self)))
            }
        }
    )+};
}

quantity! {
    Duration, Dimension::TIME, Duration::from_nanos, |span| span.as_nanos();
    BitRate, Dimension::RATE, BitRate::from_bps, |rate| rate.bps();
    Bytes, Dimension::SIZE, Bytes, |amount| amount.get();
    Distance, Dimension::DISTANCE, Distance, |distance| distance.0;
    Frequency, Dimension::FREQUENCY, Frequency, |frequency| frequency.0;
}

/// An angle in thousandths of a degree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Angle(u64);

impl Angle {
    pub(crate) fn radians(self) -> f64 {
        self.0 as f64 * (std::f64::consts::PI / 180_000.0)
    }
}

impl Value for Angle {
    fn allowed() -> String {
        allowed_quantity(&Dimension::ANGLE)
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        let Literal::Text(text) = literal else { return Err(None) };
        Dimension::ANGLE.read(text).map(Self).map_err(|error| explain(&error))
    }
    fn write(&self) -> Literal {
        Literal::Text(format!("{}deg", Thousandths(u128::from(self.0))))
    }
}

/// A ratio in thousandths of a decibel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Decibels(i32);

impl Decibels {
    pub(crate) const fn of_thousandths(thousandths: i32) -> Self {
        Self(thousandths)
    }
    pub(crate) fn db(self) -> f64 {
        f64::from(self.0) / 1_000.0
    }
}

impl Value for Decibels {
    fn allowed() -> String {
        allowed_quantity(&Dimension::RATIO)
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        read_decibels(&Dimension::RATIO, literal)
    }
    fn write(&self) -> Literal {
        write_decibels(*self, "dB")
    }
}

/// A frequency in millihertz.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Frequency(pub(crate) u64);

/// An SNR from a time on, both in one text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SnrPoint {
    pub(crate) at: Duration,
    pub(crate) snr: Decibels,
}

impl Value for SnrPoint {
    fn allowed() -> String {
        "a time and a ratio with their units, such as \"1.5s 20dB\"".into()
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        let Literal::Text(text) = literal else { return Err(None) };
        let (at, snr) = text.trim().split_once(char::is_whitespace).ok_or(None)?;
        let part = |text: &str| Literal::Text(text.trim().to_owned());
        Ok(Self { at: Duration::read(&part(at))?, snr: Decibels::read(&part(snr))? })
    }
    fn write(&self) -> Literal {
        Literal::Text(format!("{} {}", self.at.word(), self.snr.word()))
    }
}

/// A rate from a time on, or bytes that may leave at a time, both in one text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RatePoint {
    Rate(Duration, BitRate),
    Opportunity(Duration, Bytes),
}

impl RatePoint {
    /// When it comes.
    pub(crate) const fn at(self) -> Duration {
        match self {
            Self::Rate(at, _) | Self::Opportunity(at, _) => at,
        }
    }
}

impl Value for RatePoint {
    fn allowed() -> String {
        "a time and a rate, or a time and an amount of data, with their units, such as \"1.5s 20Mbps\" or \"5ms 1500B\""
            .into()
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        let Literal::Text(text) = literal else { return Err(None) };
        let (at, amount) = text.trim().split_once(char::is_whitespace).ok_or(None)?;
        let at = Duration::read(&Literal::Text(at.to_owned()))?;
        let amount = Literal::Text(amount.trim().to_owned());
        let of_rate = BitRate::read(&amount).map(|rate| Self::Rate(at, rate));
        of_rate.or_else(|detail| Bytes::read(&amount).map(|bytes| Self::Opportunity(at, bytes)).map_err(|_| detail))
    }
    fn write(&self) -> Literal {
        let amount = match self {
            Self::Rate(_, rate) => rate.word(),
            Self::Opportunity(_, bytes) => bytes.word(),
        };
        Literal::Text(format!("{} {amount}", self.at().word()))
    }
}

/// A power relative to one milliwatt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Level(pub(crate) Decibels);

impl Value for Level {
    fn allowed() -> String {
        allowed_quantity(&Dimension::LEVEL)
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        read_decibels(&Dimension::LEVEL, literal).map(Self)
    }
    fn write(&self) -> Literal {
        write_decibels(self.0, "dBm")
    }
}

fn read_decibels(dimension: &Dimension, literal: &Literal) -> Result<Decibels, Option<String>> {
    let Literal::Text(text) = literal else { return Err(None) };
    let milli = dimension.read_signed(text).map_err(|error| explain(&error))?;
    Ok(Decibels(i32::try_from(milli).expect("the limit of decibels fits into 31 bits")))
}

fn write_decibels(Decibels(milli): Decibels, unit: &str) -> Literal {
    let sign = if milli < 0 { "-" } else { "" };
    Literal::Text(format!("{sign}{}{unit}", Thousandths(u128::from(milli.unsigned_abs()))))
}

fn allowed_quantity(dimension: &Dimension) -> String {
    format!("{} with its unit, such as \"{}\" ({})", dimension.noun, dimension.example, dimension.unit_names())
}

fn explain(error: &QuantityError) -> Option<String> {
    Some(error.to_string())
}

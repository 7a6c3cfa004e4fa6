//! Quantities with their unit as text: `5ms`, `150Mbps`, `64KiB`, `10m`, `-3.5dB`.
//!
//! Reading and writing are exact: a quantity is a decimal number times a power of its smallest unit, all in integers,
//! so `0.1s` is 100,000,000 ns and what is finer than the smallest unit is refused, not rounded.

use std::fmt;

/// A unit: its name and how many of the smallest unit it holds.
pub(crate) struct Unit {
    name: &'static str,
    factor: u64,
}

/// A kind of quantity: its units, smallest first, and the largest amount accepted.
pub(crate) struct Dimension {
    /// What it is, for messages: "a time".
    pub(crate) noun: &'static str,
    /// An example, for messages.
    pub(crate) example: &'static str,
    units: &'static [Unit],
    limit: u64,
}

/// Why a text is not a quantity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum QuantityError {
    /// It does not begin with a number.
    NoNumber,
    /// It is less than zero.
    Negative,
    /// A number stands alone.
    NoUnit,
    /// The unit is none of this dimension's.
    UnknownUnit(String),
    /// Finer than the smallest unit, whose name this is.
    TooFine(&'static str),
    /// Beyond the limit, which this writes out.
    TooLarge(String),
}

/// Reads a time as scenarios have it: `5ms`, up to a million seconds.
///
/// # Errors
/// A sentence on why it is none, and what one looks like.
pub fn time(text: &str) -> Result<ackless_wire::Duration, String> {
    Dimension::TIME.argument(text).map(ackless_wire::Duration::from_nanos)
}

/// Reads an amount of data as scenarios have it: `64KiB` or `100MB`, up to 1,024 GiB.
///
/// # Errors
/// A sentence on why it is none, and what one looks like.
pub fn size(text: &str) -> Result<ackless_wire::Bytes, String> {
    Dimension::SIZE.argument(text).map(ackless_wire::Bytes)
}

impl Dimension {
    /// Times in nanoseconds, up to a million seconds: longer than any run, and far from overflow.
    pub(crate) const TIME: Self = Self {
        noun: "a time",
        example: "5ms",
        units: &[unit("ns", 1), unit("us", 1_000), unit("ms", 1_000_000), unit("s", 1_000_000_000)],
        limit: 1_000_000_000_000_000,
    };
    /// Rates in bits per second, up to 1,000 Gbps.
    pub(crate) const RATE: Self = Self {
        noun: "a rate",
        example: "150Mbps",
        units: &[unit("bps", 1), unit("kbps", 1_000), unit("Mbps", 1_000_000), unit("Gbps", 1_000_000_000)],
        limit: 1_000_000_000_000,
    };
    /// Amounts of data in bytes, up to 1,024 GiB. Kilo is 1,000; 1,024 is spelled `Ki`.
    pub(crate) const SIZE: Self = Self {
        noun: "an amount of data",
        example: "64KiB",
        units: &[
            unit("B", 1),
            unit("kB", 1_000),
            unit("KiB", 1 << 10),
            unit("MB", 1_000_000),
            unit("MiB", 1 << 20),
            unit("GB", 1_000_000_000),
            unit("GiB", 1 << 30),
        ],
        limit: 1 << 40,
    };
    /// Distances in millimetres, up to 100 km.
    pub(crate) const DISTANCE: Self = Self {
        noun: "a distance",
        example: "10m",
        units: &[unit("mm", 1), unit("cm", 10), unit("m", 1_000), unit("km", 1_000_000)],
        limit: 100_000_000,
    };
    /// Angles in thousandths of a degree, up to a whole turn.
    pub(crate) const ANGLE: Self =
        Self { noun: "an angle", example: "90deg", units: &[MILLI, unit("deg", 1_000)], limit: 360_000 };
    /// Ratios in thousandths of a decibel, up to 1,000 dB either way.
    pub(crate) const RATIO: Self =
        Self { noun: "a ratio", example: "30dB", units: &[MILLI, unit("dB", 1_000)], limit: 1_000_000 };
    /// Levels in thousandths of a decibel over one milliwatt.
    pub(crate) const LEVEL: Self =
        Self { noun: "a power", example: "16dBm", units: &[MILLI, unit("dBm", 1_000)], limit: 1_000_000 };

    /// Frequencies in millihertz, up to 10 kHz.
    pub(crate) const FREQUENCY: Self = Self {
        noun: "a frequency",
        example: "10Hz",
        units: &[unit("mHz", 1), unit("Hz", 1_000), unit("kHz", 1_000_000)],
        limit: 10_000_000,
    };

    /// Reads `text` as an amount of the smallest unit.
    pub(crate) fn read(&self, text: &str) -> Result<u64, QuantityError> {
        let text = text.trim();
        let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '_')).unwrap_or(text.len());
        let (number, name) = (&text[..end], text[end..].trim_start());
        if text.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            return Err(QuantityError::Negative);
        }
        let (mantissa, scale) = decimal(number).ok_or(QuantityError::NoNumber)?;
        if name.is_empty() {
            return Err(QuantityError::NoUnit);
        }
        // The micro sign and the Greek letter look the same; both are understood.
        let name = if matches!(name, "\u{b5}s" | "\u{3bc}s") { "us" } else { name };
        let unit = self
            .units
            .iter()
            .find(|unit| unit.name == name && !unit.name.is_empty())
            .ok_or_else(|| QuantityError::UnknownUnit(name.to_owned()))?;
        let too_large = || QuantityError::TooLarge(self.write(self.limit));
        let scaled = mantissa.checked_mul(u128::from(unit.factor)).ok_or_else(too_large)?;
        let divisor = 10u128.pow(scale);
        if !scaled.is_multiple_of(divisor) {
            return Err(QuantityError::TooFine(self.finest()));
        }
        u64::try_from(scaled / divisor).ok().filter(|&amount| amount <= self.limit).ok_or_else(too_large)
    }

    /// Reads `text` as an argument of the command.
    fn argument(&self, text: &str) -> Result<u64, String> {
        let Self { noun, example, .. } = self;
        self.read(text).map_err(|error| {
            format!("{error}; write {noun} with its unit ({}), for example {example}", self.unit_names())
        })
    }

    /// Reads `text`, which may begin with a sign.
    pub(crate) fn read_signed(&self, text: &str) -> Result<i64, QuantityError> {
        let text = text.trim();
        let (negative, rest) = match text.strip_prefix(['-', '+']) {
            Some(rest) => (text.starts_with('-'), rest),
            None => (false, text),
        };
        let amount = i64::try_from(self.read(rest)?).expect("the limit of a dimension fits into 63 bits");
        Ok(if negative { -amount } else { amount })
    }

    /// Writes `amount` in the largest unit that needs at most three decimals, without losing any.
    pub(crate) fn write(&self, amount: u64) -> String {
        let fits = |unit: &&Unit| {
            !unit.name.is_empty()
                && amount >= unit.factor
                && (amount as u128 * 1_000).is_multiple_of(u128::from(unit.factor))
        };
        // A binary unit is used only where it is whole: 1,500 bytes are not 1.46484375 KiB.
        let whole = |unit: &&Unit| !unit.name.contains('i') || amount.is_multiple_of(unit.factor);
        let smallest = self.units.iter().find(|unit| !unit.name.is_empty()).expect("a dimension has a unit");
        let unit = self.units.iter().rev().filter(whole).find(fits).unwrap_or(smallest);
        let thousandths = amount as u128 * 1_000 / u128::from(unit.factor);
        format!("{}{}", Thousandths(thousandths), unit.name)
    }

    /// Every unit by name: `ns, us, ms, s`.
    pub(crate) fn unit_names(&self) -> String {
        let names: Vec<_> = self.units.iter().map(|unit| unit.name).filter(|name| !name.is_empty()).collect();
        names.join(", ")
    }

    fn finest(&self) -> &'static str {
        match self.units[0].name {
            "" => "thousandth of a decibel",
            name => name,
        }
    }
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNumber => f.write_str("it does not begin with a number"),
            Self::Negative => f.write_str("it is negative"),
            Self::NoUnit => f.write_str("the unit is missing"),
            Self::UnknownUnit(unit) => write!(f, "`{unit}` is not a unit of it"),
            Self::TooFine(unit) => write!(f, "it is finer than 1 {unit}"),
            Self::TooLarge(limit) => write!(f, "it is more than {limit}"),
        }
    }
}

/// A number of thousandths, written without trailing zeros.
pub(crate) struct Thousandths(pub(crate) u128);

impl fmt::Display for Thousandths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 1_000, self.0 % 1_000);
        match rest {
            0 => write!(f, "{whole}"),
            _ => f.write_str(format!("{whole}.{rest:03}").trim_end_matches('0')),
        }
    }
}

/// Reads `12`, `1_000` or `1.25` as a whole number and how many of its digits are decimals.
pub(crate) fn decimal(text: &str) -> Option<(u128, u32)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| part.starts_with(|c: char| c.is_ascii_digit()) && part.ends_with(|c: char| c != '_');
    // Thirty digits are more than any limit needs and keep the arithmetic within 128 bits.
    if !digits(whole) || !digits(fraction) || fraction.contains('.') || whole.len() + fraction.len() > 30 {
        return None;
    }
    let fraction = fraction.replace('_', "");
    let fraction = fraction.trim_end_matches('0');
    let digits = whole.replace('_', "") + fraction;
    Some((digits.parse().ok()?, u32::try_from(fraction.len()).ok()?))
}

const MILLI: Unit = unit("", 1);

const fn unit(name: &'static str, factor: u64) -> Unit {
    Unit { name, factor }
}

#[cfg(test)]
mod tests {
    use ackless_wire::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn quantities_are_read_exactly() {
        let time = |text| Dimension::TIME.read(text);
        assert_eq!(time("0.1s"), Ok(100_000_000));
        assert_eq!(time("102.4ms"), Ok(102_400_000));
        assert_eq!(time("5 us"), Ok(5_000));
        assert_eq!(time("5\u{b5}s"), Ok(5_000));
        assert_eq!(time("0s"), Ok(0));
        assert_eq!(Dimension::RATE.read("866.7Mbps"), Ok(866_700_000));
        assert_eq!(Dimension::RATE.read("1_000kbps"), Ok(1_000_000));
        assert_eq!(Dimension::SIZE.read("64KiB"), Ok(65_536));
        assert_eq!(Dimension::SIZE.read("1.5kB"), Ok(1_500));
        assert_eq!(Dimension::DISTANCE.read("2.5m"), Ok(2_500));
        assert_eq!(Dimension::RATIO.read_signed("-3.5dB"), Ok(-3_500));
        assert_eq!(Dimension::LEVEL.read_signed("16.021dBm"), Ok(16_021));
    }

    #[test]
    fn what_is_no_quantity_is_refused_with_the_reason() {
        let time = |text| Dimension::TIME.read(text);
        assert_eq!(time("5"), Err(QuantityError::NoUnit));
        assert_eq!(time("ms"), Err(QuantityError::NoNumber));
        assert_eq!(time(""), Err(QuantityError::NoNumber));
        assert_eq!(time("1.2.3ms"), Err(QuantityError::NoNumber));
        assert_eq!(time(".5ms"), Err(QuantityError::NoNumber));
        assert_eq!(time("-5ms"), Err(QuantityError::Negative));
        assert_eq!(time("5Mbps"), Err(QuantityError::UnknownUnit("Mbps".into())));
        assert_eq!(time("0.5ns"), Err(QuantityError::TooFine("ns")));
        assert_eq!(time("2000000s"), Err(QuantityError::TooLarge("1000000s".into())));
        assert_eq!(time("99999999999999999999999999999s"), Err(QuantityError::TooLarge("1000000s".into())));
        assert_eq!(Dimension::RATIO.read_signed("5"), Err(QuantityError::NoUnit));
        assert_eq!(Dimension::RATIO.read_signed("0.0001dB"), Err(QuantityError::TooFine("thousandth of a decibel")));
    }

    #[test]
    fn what_is_written_reads_back_as_the_same() {
        let seed = 11;
        let mut stream = Stream::new(seed, 0, Purpose::Test);
        for dimension in [Dimension::TIME, Dimension::RATE, Dimension::SIZE, Dimension::DISTANCE] {
            for _ in 0..2_000 {
                let digits = stream.below(16) as u32;
                let amount = stream.below(10u64.pow(digits).min(dimension.limit)) + 1;
                let text = dimension.write(amount);
                assert_eq!(dimension.read(&text), Ok(amount), "seed {seed}: {amount} was written as {text}");
            }
        }
    }

    #[test]
    fn the_largest_fitting_unit_is_written() {
        assert_eq!(Dimension::TIME.write(102_400_000), "102.4ms");
        assert_eq!(Dimension::TIME.write(0), "0ns");
        assert_eq!(Dimension::SIZE.write(1_500), "1.5kB");
        assert_eq!(Dimension::SIZE.write(65_536), "64KiB");
        assert_eq!(Dimension::RATE.write(500_000_000), "500Mbps");
    }
}

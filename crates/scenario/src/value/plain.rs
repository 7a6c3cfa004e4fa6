//! Values without a unit: switches, texts and numbers.

use ackless_cell::config::Probability;

use super::Value;
use crate::literal::Literal;
use crate::printable::hidden;
use crate::unit::decimal;

impl Value for bool {
    fn allowed() -> String {
        "true or false".into()
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            Literal::Boolean(b) => Ok(*b),
            _ => Err(None),
        }
    }
    fn write(&self) -> Literal {
        Literal::Boolean(*self)
    }
}

impl Value for String {
    fn allowed() -> String {
        "a text in quotes".into()
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            // It reaches tables, pictures and terminals.
            Literal::Text(text) => match hidden(text) {
                Some(c) => Err(Some(format!("it holds {}, a character that is not shown", c.escape_unicode()))),
                None => Ok(text.clone()),
            },
            _ => Err(None),
        }
    }
    fn write(&self) -> Literal {
        Literal::Text(self.clone())
    }
}

impl Value for u32 {
    fn allowed() -> String {
        "a whole number, 0 or more".into()
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            Literal::Integer(n) => Self::try_from(*n).map_err(|_| Some(format!("it is not from 0 to {}", Self::MAX))),
            _ => Err(None),
        }
    }
    fn write(&self) -> Literal {
        Literal::Integer(i64::from(*self))
    }
}

/// A dimensionless number in thousandths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Milli(pub(crate) u32);

impl Value for Milli {
    fn allowed() -> String {
        "a number such as 3.5, with at most three decimals".into()
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        let text = match literal {
            Literal::Integer(n) => n.to_string(),
            Literal::Decimal(text) => text.clone(),
            _ => return Err(None),
        };
        let (mantissa, scale) = decimal(&text).ok_or(None)?;
        let thousandths = 10u128.checked_pow(3u32.checked_sub(scale).ok_or(None)?).ok_or(None)?;
        mantissa.checked_mul(thousandths).and_then(|n| u32::try_from(n).ok()).map(Self).ok_or(None)
    }
    fn write(&self) -> Literal {
        Literal::Decimal(format!("{}.{:03}", self.0 / 1_000, self.0 % 1_000))
    }
}

impl Value for Probability {
    fn allowed() -> String {
        "a probability from 0 to 1, or as \"2%\"".into()
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        let value = match literal {
            Literal::Integer(n) => *n as f64,
            Literal::Decimal(text) => text.replace('_', "").parse().map_err(|_| None)?,
            Literal::Text(text) => {
                let percent: f64 = text.strip_suffix('%').and_then(|n| n.trim().parse().ok()).ok_or(None)?;
                percent / 100.0
            }
            _ => return Err(None),
        };
        Self::new(value).ok_or_else(|| Some("it is not from 0 to 1".into()))
    }
    fn write(&self) -> Literal {
        // Debug writes the shortest text that reads back as the same number, and always with a decimal point.
        Literal::Decimal(format!("{:?}", self.get()))
    }
}

//! A value of a key as it stands in a file or an argument.

use std::fmt;

use serde::{Serialize, Serializer};
use toml::de::DeValue;

/// A value as it stands in a file or an argument, before it is known what it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Literal {
    /// A string.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with decimals, as written.
    Decimal(String),
    /// `true` or `false`.
    Boolean(bool),
    /// A list.
    List(Vec<Literal>),
    /// Something that no key takes, by its name in TOML: a date, a table, a number beyond 64 bits.
    Other(&'static str),
}

impl Literal {
    /// The value that `text` stands for in an override: TOML where it is, else the text itself, so that `11n` and `5ms`
    /// need no quotes.
    pub(crate) fn of_argument(text: &str) -> Self {
        match DeValue::parse(text) {
            Ok(value) => Self::of_toml(value.get_ref()),
            Err(_) => Self::Text(text.to_owned()),
        }
    }

    /// The value that a file holds.
    pub(crate) fn of_toml(value: &DeValue<'_>) -> Self {
        match value {
            DeValue::String(text) => Self::Text(text.to_string()),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => Self::Integer(number),
                Err(_) => Self::Other("number beyond 64 bits"),
            },
            DeValue::Float(number) => Self::Decimal(number.as_str().to_owned()),
            DeValue::Boolean(b) => Self::Boolean(*b),
            DeValue::Array(items) => Self::List(items.iter().map(|item| Self::of_toml(item.get_ref())).collect()),
            DeValue::Datetime(_) => Self::Other("date"),
            DeValue::Table(_) => Self::Other("table"),
        }
    }
}

impl fmt::Display for Literal {
    /// As TOML.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{}", toml::Value::String(text.clone())),
            Self::Integer(n) => write!(f, "{n}"),
            Self::Decimal(text) => f.write_str(text),
            Self::Boolean(b) => write!(f, "{b}"),
            Self::List(items) => {
                f.write_str("[")?;
                for (n, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if n == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Self::Other(name) => write!(f, "a {name}"),
        }
    }
}

impl Serialize for Literal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Integer(n) => serializer.serialize_i64(*n),
            Self::Decimal(text) => match text.parse::<f64>() {
                Ok(number) => serializer.serialize_f64(number),
                Err(_) => serializer.serialize_str(text),
            },
            Self::Boolean(b) => serializer.serialize_bool(*b),
            Self::List(items) => items.serialize(serializer),
            Self::Other(name) => serializer.serialize_str(name),
        }
    }
}

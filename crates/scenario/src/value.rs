//! The value types of keys: how each is read from a literal, written back, and described when it is wrong.

use crate::literal::Literal;

/// A type that a key's value can have.
pub(crate) trait Value: Sized + PartialEq {
    /// What is allowed, as the end of "expected ...".
    fn allowed() -> String;
    /// Reads `literal`, or says what is wrong with it where more is known than that it is not allowed.
    fn read(literal: &Literal) -> Result<Self, Option<String>>;
    /// The literal that reads back as `self`.
    fn write(&self) -> Literal;
    /// As it stands in a sentence: [`Self::write`] without quotes.
    fn word(&self) -> String {
        match self.write() {
            Literal::Text(text) => text,
            other => other.to_string(),
        }
    }
    /// The keywords among what is allowed, for suggestions.
    fn keywords() -> Vec<&'static str> {
        Vec::new()
    }
}

/// `auto`, or a value given outright; each key says what `auto` stands for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Auto<T> {
    Auto,
    Given(T),
}

impl<T> Auto<T> {
    /// The value given, or else what `automatic` finds.
    pub(crate) fn unwrap_or_else(self, automatic: impl FnOnce() -> T) -> T {
        match self {
            Self::Auto => automatic(),
            Self::Given(value) => value,
        }
    }
}

impl<T: Value> Value for Auto<T> {
    fn allowed() -> String {
        format!("\"auto\" or {}", T::allowed())
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            Literal::Text(text) if text == "auto" => Ok(Self::Auto),
            _ => T::read(literal).map(Self::Given),
        }
    }
    fn write(&self) -> Literal {
        match self {
            Self::Auto => Literal::Text("auto".into()),
            Self::Given(value) => value.write(),
        }
    }
    fn keywords() -> Vec<&'static str> {
        [vec!["auto"], T::keywords()].concat()
    }
}

/// `never`, or a value: `None` is never.
impl<T: Value> Value for Option<T> {
    fn allowed() -> String {
        format!("\"never\" or {}", T::allowed())
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            Literal::Text(text) if text == "never" => Ok(None),
            _ => T::read(literal).map(Some),
        }
    }
    fn write(&self) -> Literal {
        self.as_ref().map_or_else(|| Literal::Text("never".into()), T::write)
    }
    fn keywords() -> Vec<&'static str> {
        [vec!["never"], T::keywords()].concat()
    }
}

/// `off`, or a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Switch<T> {
    Off,
    On(T),
}

impl<T> Switch<T> {
    /// The value, unless it is off.
    pub(crate) fn on(self) -> Option<T> {
        match self {
            Self::Off => None,
            Self::On(value) => Some(value),
        }
    }
}

impl<T: Value> Value for Switch<T> {
    fn allowed() -> String {
        format!("\"off\" or {}", T::allowed())
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            Literal::Text(text) if text == "off" => Ok(Self::Off),
            _ => T::read(literal).map(Self::On),
        }
    }
    fn write(&self) -> Literal {
        match self {
            Self::Off => Literal::Text("off".into()),
            Self::On(value) => value.write(),
        }
    }
    fn keywords() -> Vec<&'static str> {
        [vec!["off"], T::keywords()].concat()
    }
}

/// A list, in a file between brackets; an argument may also separate its items by commas alone.
impl<T: Value> Value for Vec<T> {
    fn allowed() -> String {
        format!("a list, each item {}", T::allowed())
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            Literal::List(items) => items.iter().map(T::read).collect(),
            Literal::Text(text) => text.split(',').map(|item| read_item(item.trim())).collect(),
            other => T::read(other).map(|item| vec![item]),
        }
    }
    fn write(&self) -> Literal {
        Literal::List(self.iter().map(T::write).collect())
    }
}

/// An item without its brackets: a text without quotes, or else what stands there in TOML, such as a number.
fn read_item<T: Value>(item: &str) -> Result<T, Option<String>> {
    T::read(&Literal::Text(item.to_owned())).or_else(|of_text| match Literal::of_argument(item) {
        Literal::Text(_) => Err(of_text),
        other => T::read(&other),
    })
}

/// Gives a type its words, the first of each being the one that is written.
macro_rules! keywords {
    ($($type:ident { $($variant:ident = $word:literal $(| $other:literal)*),+ $(,)? })+) => {$(
        impl Value for $type {
            fn allowed() -> String {
                let words: Vec<_> = Self::keywords().iter().map(|word| format!("\"{word}\"")).collect();
                format!("one of {}", words.join(", "))
            }
            fn read(literal: &Literal) -> Result<Self, Option<String>> {
                match literal {
                    $(Literal::Text(text) if matches!(text.as_str(), $word $(| $other)*) => Ok(Self::$variant),)+
                    _ => Err(None),
                }
            }
            fn write(&self) -> Literal {
                Literal::Text(match self { $(Self::$variant => $word,)+ }.into())
            }
            fn keywords() -> Vec<&'static str> {
                vec![$($word),+]
            }
        }
    )+};
}

mod plain;
mod quantity;
mod queue;
mod radio;
mod schemes;
mod traffic;
mod transport;

pub(crate) use plain::Milli;
pub(crate) use quantity::{Angle, Decibels, Frequency, Level, RatePoint, SnrPoint};
pub(crate) use queue::{DeviceQueue, Discipline, Room};
pub(crate) use radio::{AtEnd, Backoff, Counted, Fading, Hears, LossModel};
pub(crate) use schemes::{Cure, Fitting, HackCodec, HackPolicy, Remedy, ThinningKind};
pub(crate) use traffic::{Pattern, Protocol, Spread, TraceEnd, Ways};
pub(crate) use transport::{AckRule, Congestion, ProbeRound, Recovery, TackKind, TransportPreset};

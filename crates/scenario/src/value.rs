//! The value types of keys: how each is read from a literal, written back, and described when it is wrong.

use std::fmt;
use std::num::NonZeroU32;

use ackless_cell::config::{ApScheduler, Delivery, Direction, Distance, Gro, Pace, Probability, RateControl, Topology};
use ackless_phy::{Band, GuardInterval, Preamble, Standard, Width};
use ackless_wire::{BitRate, Bytes, Duration};
use serde::{Serialize, Serializer};

use crate::unit::{Dimension, QuantityError, Thousandths, decimal};

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

impl Value for Delivery {
    fn allowed() -> String {
        format!("\"per-ppdu\", \"per-mpdu\" or \"coalesced(TIME)\", TIME being {}", Duration::allowed())
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        let Literal::Text(text) = literal else { return Err(None) };
        match text.as_str() {
            "per-ppdu" => Ok(Self::PerPpdu),
            "per-mpdu" => Ok(Self::PerMpdu),
            _ => match text.strip_prefix("coalesced(").and_then(|rest| rest.strip_suffix(')')) {
                Some(time) => Duration::read(&Literal::Text(time.trim().into())).map(Self::Coalesced),
                None => Err(None),
            },
        }
    }
    fn write(&self) -> Literal {
        Literal::Text(match self {
            Self::PerPpdu => "per-ppdu".into(),
            Self::PerMpdu => "per-mpdu".into(),
            Self::Coalesced(time) => format!("coalesced({})", time.word()),
        })
    }
    fn keywords() -> Vec<&'static str> {
        vec!["per-ppdu", "per-mpdu", "coalesced"]
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
    T::read(&Literal::Text(item.to_owned())).or_else(|of_text| match crate::document::literal(item) {
        Literal::Text(_) => Err(of_text),
        other => T::read(&other),
    })
}

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
            Literal::Text(text) if text.chars().any(char::is_control) => {
                Err(Some("it holds a control character".into()))
            }
            Literal::Text(text) => Ok(text.clone()),
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

impl Value for Gro {
    fn allowed() -> String {
        "\"off\", \"per-batch\" or a number of segments from 1 up".into()
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            Literal::Text(text) => match text.as_str() {
                "off" => Ok(Self::Off),
                "per-batch" => Ok(Self::PerBatch),
                _ => Err(None),
            },
            Literal::Integer(n) => {
                let most = u32::try_from(*n).ok().and_then(NonZeroU32::new);
                most.map(Self::Most).ok_or_else(|| Some(format!("it is not from 1 to {}", u32::MAX)))
            }
            _ => Err(None),
        }
    }
    fn write(&self) -> Literal {
        match self {
            Self::Off => Literal::Text("off".into()),
            Self::PerBatch => Literal::Text("per-batch".into()),
            Self::Most(most) => Literal::Integer(i64::from(most.get())),
        }
    }
    fn keywords() -> Vec<&'static str> {
        vec!["off", "per-batch"]
    }
}

impl Value for DeviceQueue {
    fn allowed() -> String {
        "\"none\", \"aql\" or a number of packets from 1 up".into()
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            Literal::Text(text) => match text.as_str() {
                "none" => Ok(Self::None),
                "aql" => Ok(Self::Aql),
                _ => Err(None),
            },
            Literal::Integer(n) => {
                let packets = u32::try_from(*n).ok().and_then(NonZeroU32::new);
                packets.map(Self::Packets).ok_or_else(|| Some(format!("it is not from 1 to {}", u32::MAX)))
            }
            _ => Err(None),
        }
    }
    fn write(&self) -> Literal {
        match self {
            Self::None => Literal::Text("none".into()),
            Self::Aql => Literal::Text("aql".into()),
            Self::Packets(packets) => Literal::Integer(i64::from(packets.get())),
        }
    }
    fn keywords() -> Vec<&'static str> {
        vec!["none", "aql"]
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

impl SnrPoint {
    /// The points in `text`: on each line a time in seconds and an SNR in dB, divided by blanks, a comma, a semicolon or a tab; empty lines and
    /// what follows a `#` do not count. An error is the number of the line and what is wrong with it.
    pub(crate) fn of_file(text: &str) -> Result<Vec<Self>, (usize, String)> {
        let mut points = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let fields: Vec<&str> = line
                .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';'))
                .filter(|field| !field.is_empty())
                .collect();
            match fields[..] {
                [] => {}
                [time, snr] => {
                    let point = format!("{time}s {snr}dB");
                    let wrong = |detail: Option<String>| detail.unwrap_or_else(|| "it is not a time and an SNR".into());
                    points.push(Self::read(&Literal::Text(point)).map_err(|detail| (number + 1, wrong(detail)))?);
                }
                _ => return Err((number + 1, format!("it has {} fields and not two", fields.len()))),
            }
        }
        Ok(points)
    }
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

impl Value for Pace {
    fn allowed() -> String {
        format!("\"saturating\" or {}", BitRate::allowed())
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            Literal::Text(text) if text == "saturating" => Ok(Self::Saturating),
            _ => BitRate::read(literal).map(Self::Rate),
        }
    }
    fn write(&self) -> Literal {
        match self {
            Self::Saturating => Literal::Text("saturating".into()),
            Self::Rate(rate) => rate.write(),
        }
    }
    fn keywords() -> Vec<&'static str> {
        vec!["saturating"]
    }
}

/// How much a buffer holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Room {
    Packets(u32),
    Bytes(Bytes),
}

impl Value for Room {
    fn allowed() -> String {
        format!("a number of packets, or {}", Bytes::allowed())
    }
    fn read(literal: &Literal) -> Result<Self, Option<String>> {
        match literal {
            Literal::Integer(_) => u32::read(literal).map(Self::Packets),
            _ => Bytes::read(literal).map(Self::Bytes),
        }
    }
    fn write(&self) -> Literal {
        match self {
            Self::Packets(packets) => packets.write(),
            Self::Bytes(bytes) => bytes.write(),
        }
    }
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

mod schemes;
mod transport;

pub(crate) use transport::{AckRule, Congestion, ProbeRound, Recovery, TackKind, TransportPreset};

pub(crate) use schemes::{Cure, Fitting, HackCodec, HackPolicy, Remedy, ThinningKind};

keywords! {
    Standard { B = "11b" | "802.11b", A = "11a" | "802.11a", G = "11g" | "802.11g", N = "11n" | "802.11n", Ac = "11ac" | "802.11ac" }
    Band { Ghz2_4 = "2.4GHz", Ghz5 = "5GHz" }
    Width { Mhz20 = "20MHz", Mhz40 = "40MHz", Mhz80 = "80MHz", Mhz160 = "160MHz" }
    GuardInterval { Long = "800ns" | "long", Short = "400ns" | "short" }
    Preamble { Long = "long", Short = "short" }
    Topology { Infrastructure = "infrastructure", AdHoc = "ad-hoc" }
    ApScheduler { RoundRobin = "round-robin", Fcfs = "fcfs", AirtimeFair = "airtime-fair" }
    Discipline { Fifo = "fifo", FqCodel = "fq-codel" }
    Protocol { Tcp = "tcp", Udp = "udp" }
    Direction { Down = "down", Up = "up" }
    Ways { Both = "both", Down = "down", Up = "up" }
    Pattern { Bulk = "bulk", Finite = "finite", Repeated = "repeated", OnOff = "on-off", Video = "video" }
    Spread { Fixed = "fixed", Exponential = "exponential" }
    Backoff { Standard = "standard", AutoZoom = "auto-zoom" }
    Hears { All = "all", ByPower = "by-power" }
    RateControl { Fixed = "fixed", Ideal = "ideal", MinstrelHt = "minstrel-ht" }
    Fading { None = "none", Rayleigh = "rayleigh" }
    Counted { Waiting = "waiting", InFlight = "in-flight" }
    AtEnd { Busy = "busy", Idle = "idle" }
    LossModel { None = "none", PerFrame = "per-frame", Snr = "snr", PathLoss = "path-loss" }
}

/// The kind of queue that the AP keeps for each station.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Discipline {
    Fifo,
    FqCodel,
}

/// What bounds the queue of the AP's device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DeviceQueue {
    None,
    Aql,
    Packets(NonZeroU32),
}

/// Which directions something concerns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ways {
    Both,
    Down,
    Up,
}

/// What carries a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Protocol {
    Tcp,
    Udp,
}

/// What an application sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pattern {
    Bulk,
    Finite,
    Repeated,
    OnOff,
    Video,
}

/// How times that recur are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spread {
    Fixed,
    Exponential,
}

/// How contention windows move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Backoff {
    Standard,
    AutoZoom,
}

/// What counts against the limit of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counted {
    Waiting,
    InFlight,
}

/// What the medium is taken for in the instant at which a reception ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AtEnd {
    Busy,
    Idle,
}

/// Who hears whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Hears {
    All,
    ByPower,
}

/// How an SNR fades.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fading {
    None,
    Rayleigh,
}

/// What the air loses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LossModel {
    None,
    PerFrame,
    Snr,
    PathLoss,
}

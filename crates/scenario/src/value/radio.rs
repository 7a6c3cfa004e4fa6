//! The types of keys of the radio, the MAC and the air.

use ackless_cell::config::{Delivery, RateControl, Topology};
use ackless_phy::{Band, GuardInterval, Preamble, Standard, Width};
use ackless_wire::Duration;

use super::Value;
use crate::literal::Literal;

keywords! {
    Standard { B = "11b" | "802.11b", A = "11a" | "802.11a", G = "11g" | "802.11g", N = "11n" | "802.11n", Ac = "11ac" | "802.11ac" }
    Band { Ghz2_4 = "2.4GHz", Ghz5 = "5GHz" }
    Width { Mhz20 = "20MHz", Mhz40 = "40MHz", Mhz80 = "80MHz", Mhz160 = "160MHz" }
    GuardInterval { Long = "800ns" | "long", Short = "400ns" | "short" }
    Preamble { Long = "long", Short = "short" }
    Topology { Infrastructure = "infrastructure", AdHoc = "ad-hoc" }
    RateControl { Fixed = "fixed", Ideal = "ideal", MinstrelHt = "minstrel-ht" }
    Backoff { Standard = "standard", AutoZoom = "auto-zoom" }
    Counted { Waiting = "waiting", InFlight = "in-flight" }
    AtEnd { Busy = "busy", Idle = "idle" }
    Hears { All = "all", ByPower = "by-power" }
    Fading { None = "none", Rayleigh = "rayleigh" }
    LossModel { None = "none", PerFrame = "per-frame", Snr = "snr", PathLoss = "path-loss" }
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

//! The scenarios that come with Ackless, as files inside the program.

use crate::amendment::{MODELLED, unmodelled};
use crate::error::{Place, ScenarioError};
use crate::names::help_on_name;
use crate::scenario::Scenario;

/// A scenario that comes with Ackless.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// What commands call it.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

impl Builtin {
    /// Every one, in the order in which they are listed.
    pub fn all() -> &'static [Self] {
        BUILTINS
    }

    /// The scenario in it.
    ///
    /// # Errors
    /// Never, as a test makes sure for each.
    pub fn scenario(&self) -> Result<Scenario, ScenarioError> {
        Scenario::parse(self.name, self.text)
    }

    /// The one called `name`.
    ///
    /// # Errors
    /// Where there is none.
    pub fn find(name: &str) -> Result<&'static Self, ScenarioError> {
        BUILTINS.iter().find(|builtin| builtin.name == name).ok_or_else(|| {
            let place = Place::Name(name.to_owned());
            if let Some(amendment) = unmodelled(name) {
                let help = format!("{MODELLED}: `ackless scenarios` lists what there is, such as wifi-80211ac");
                return ScenarioError::new(place, format!("{amendment} is not modelled"), help);
            }
            let names: Vec<_> = BUILTINS.iter().map(|builtin| builtin.name).collect();
            let listed = "`ackless scenarios` lists all; a file's name ends in .toml";
            let help = help_on_name(name, &names, "the scenarios", listed);
            ScenarioError::new(place, "no built-in scenario is called so", help)
        })
    }
}

macro_rules! builtins {
    ($($name:literal),+ $(,)?) => {
        &[$(Builtin { name: $name, text: include_str!(concat!("../builtin/", $name, ".toml")) }),+]
    };
}

const BUILTINS: &[Builtin] = builtins![
    "wifi-80211n",
    "wifi-80211n-300",
    "wifi-80211ac",
    "wifi-80211a",
    "wifi-80211g",
    "wifi-80211b",
    "wifi-mixed",
    "wifi-short-flows",
    "wifi-latency",
    "wifi-hidden",
    "wifi-neighbours",
    "wifi-today",
    "hack-80211n",
    "hack-80211a",
    "hack-sora",
    "hack-sora-loss",
    "hack-snr",
    "hack-slow-start",
    "hack-shallow",
    "ack-agent-80211b",
    "ack-agent-80211ag",
    "ack-agent-symmetric",
    "ack-filter-80211a",
    "arq-proxy-80211b",
    "tack-80211b",
    "tack-80211g",
    "tack-80211n",
    "tack-80211ac",
    "tack-emulation",
    "tack-miracast",
    "tack-step",
    "tack-buffer",
];

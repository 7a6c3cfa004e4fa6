//! Rows of a comparison: presets of scheme, channel access and ACK policy, each with a name.

use ackless_cell::config::Pace;

use crate::error::{Place, ScenarioError, did_you_mean};
use crate::scenario::Scenario;
use crate::schema::{Origin, Setting};
use crate::value::{AckEvery, Auto, Cure, HackPolicy, Pattern, Protocol};

/// A named preset that is laid over a scenario.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// As `--schemes` and results call it.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    preset: Preset,
}

/// What a row changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Preset {
    /// Nothing.
    AsWritten,
    /// The TCP flows become saturating UDP in the same direction: what the cell could carry without TCP's ACKs.
    UdpBound,
    /// The flows that do not choose their transport are TCP, and the ACK policy is the scenario's.
    Tcp,
    /// As [`Preset::Tcp`], with an ACK for every so many full-sized segments.
    TcpEvery(u32),
    /// As [`Preset::Tcp`], with HACK at the AP and at every station that is not legacy.
    Hack(HackPolicy),
}

impl Row {
    /// The scenario as it stands, with no row laid over it.
    pub const STOCK: &'static Self = &ROWS[0];

    /// Every row, in the order in which they are listed.
    pub fn all() -> &'static [Self] {
        ROWS
    }

    /// The row called `name`.
    ///
    /// # Errors
    /// Where there is none.
    pub fn find(name: &str) -> Result<&'static Self, ScenarioError> {
        Self::find_at(name, Place::Name(name.to_owned()))
    }

    pub(crate) fn find_at(name: &str, place: Place) -> Result<&'static Self, ScenarioError> {
        ROWS.iter().find(|row| row.name == name).ok_or_else(|| {
            let names: Vec<_> = ROWS.iter().map(|row| row.name).collect();
            let help = did_you_mean(name, names.iter().copied(), &format!("the schemes are {}", names.join(", ")));
            ScenarioError::new(place, format!("no scheme is called `{name}`"), help)
        })
    }

    /// `scenario` with this row laid over it.
    ///
    /// What a flow chooses for itself stays, but for the UDP bound, which replaces every TCP flow.
    pub(crate) fn apply(&self, scenario: &Scenario) -> Scenario {
        let mut scenario = scenario.clone();
        match self.preset {
            Preset::AsWritten => {}
            Preset::UdpBound => {
                let shared = scenario.transport.protocol.value;
                for flow in &mut scenario.flows {
                    if flow.protocol.value.clone().unwrap_or_else(|| shared) == Protocol::Tcp {
                        self.put(&mut flow.protocol, Auto::Given(Protocol::Udp));
                        self.put(&mut flow.traffic, Pattern::Bulk);
                        self.put(&mut flow.rate, Pace::Saturating);
                        // Without bearing on what never ends.
                        flow.size.reset();
                        flow.times.reset();
                        for span in [&mut flow.think, &mut flow.on, &mut flow.off] {
                            span.reset();
                        }
                    }
                }
            }
            Preset::Hack(policy) => {
                self.put(&mut scenario.transport.protocol, Protocol::Tcp);
                self.put(&mut scenario.scheme.name, Cure::Hack);
                self.put(&mut scenario.hack.policy, policy);
            }
            Preset::Tcp => self.put(&mut scenario.transport.protocol, Protocol::Tcp),
            Preset::TcpEvery(segments) => {
                self.put(&mut scenario.transport.protocol, Protocol::Tcp);
                self.put(&mut scenario.transport.ack, AckEvery(segments));
            }
        }
        scenario
    }

    fn put<T>(&self, setting: &mut Setting<T>, value: T) {
        setting.value = value;
        setting.origin = Origin::Row(self.name);
    }
}

const ROWS: &[Row] = &[
    Row { name: "stock", summary: "the scenario as it is written", preset: Preset::AsWritten },
    Row { name: "udp", summary: "upper bound: its TCP flows as saturating UDP", preset: Preset::UdpBound },
    Row { name: "tcp-l1", summary: "TCP, an ACK for every segment", preset: Preset::TcpEvery(1) },
    Row {
        name: "tcp",
        summary: "TCP as the scenario sets it: by default an ACK for two segments",
        preset: Preset::Tcp,
    },
    Row { name: "tcp-l2", summary: "TCP, an ACK for two segments", preset: Preset::TcpEvery(2) },
    Row { name: "tcp-l4", summary: "TCP, an ACK for four segments", preset: Preset::TcpEvery(4) },
    Row { name: "tcp-l8", summary: "TCP, an ACK for eight segments", preset: Preset::TcpEvery(8) },
    Row { name: "tcp-l16", summary: "TCP, an ACK for sixteen segments", preset: Preset::TcpEvery(16) },
    Row {
        name: "hack",
        summary: "TCP under HACK, whose ACKs wait for data that the More Data bit announces",
        preset: Preset::Hack(HackPolicy::MoreData),
    },
    Row {
        name: "hack-opportunistic",
        summary: "TCP under HACK, whose ACKs wait for the medium or for data, whichever comes first",
        preset: Preset::Hack(HackPolicy::Opportunistic),
    },
    Row {
        name: "hack-timer",
        summary: "TCP under HACK, whose ACKs wait for data until a timer fires",
        preset: Preset::Hack(HackPolicy::Timer),
    },
];

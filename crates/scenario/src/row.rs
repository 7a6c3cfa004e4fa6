//! Rows of a comparison: presets of scheme, channel access and ACK policy, each with a name.
//!
//! `table` lists them; [`about`] says of each kind what it is, where it comes from and what it breaks.

pub mod about;
mod table;
mod vain;

use ackless_cell::config::Pace;
use ackless_schemes::agent::Room;
use ackless_schemes::arq_proxy::{Identification, Policy};
use ackless_schemes::filter::{Filtered, Form};
use ackless_schemes::hack::Announce;
use ackless_tcp::Losses;
use ackless_tcp::tack::{Blocks, RateBy, Settling, Share};

use crate::error::{Place, ScenarioError};
use crate::keys::{Flows, SECTIONS};
use crate::literal::Literal;
use crate::names::help_on_name;
use crate::preset;
use crate::printable::brief;
use crate::scenario::Scenario;
use crate::schema::{KeyInfo, Origin, Section, Setting};
use crate::value::{
    AckRule, Auto, Backoff, Congestion, Cure, HackCodec, HackPolicy, Pattern, Protocol, Recovery, Remedy, TackKind,
    ThinningKind, TransportPreset,
};

use about::About;
use table::ROWS;

/// A named preset that is laid over a scenario.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// As `--schemes` and results call it.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// What its kind is, where it comes from and what it breaks.
    pub about: &'static About,
    preset: Preset,
}

/// A key that bears on what a row does.
#[derive(Clone, Debug)]
pub struct RowOption {
    /// Its section.
    pub section: &'static str,
    /// The key.
    pub key: &'static KeyInfo,
    /// Its value where a scenario leaves it at the default.
    pub value: Literal,
    /// Whether the row sets it, whatever the scenario says.
    pub by_row: bool,
}

/// What a row changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Preset {
    /// Nothing.
    AsWritten,
    /// The TCP flows become UDP that offers the same: what the cell could carry without TCP's ACKs.
    UdpBound,
    /// The flows that do not choose their transport are TCP, and the ACK policy is the scenario's.
    Tcp,
    /// As [`Preset::Tcp`], on hosts as Linux has them.
    Linux,
    /// As [`Preset::Tcp`], with this rule of acknowledging.
    Acks(AckRule),
    /// As [`Preset::Tcp`], with this instead of what the scenario sets.
    Stack(Stack),
    /// As the row `tack`, with what is better on Wi-Fi.
    TackWifi,
    /// As [`Preset::Tcp`], with HACK at the AP and at every station that is not legacy.
    Hack(HackPolicy),
    /// As [`Preset::Hack`] with the More Data bit, where holding pays.
    HackWifi,
    /// As [`Preset::Hack`] with the More Data bit, and the packets of RFC 6846 for codes.
    HackRohc,
    /// As [`Preset::Tcp`], with auto-zoom back-off everywhere.
    Zoom,
    /// As [`Preset::Tcp`], with standard back-off from this smallest window at the AP.
    ApWindow(u32),
    /// As [`Preset::Tcp`], with the TCP ACK agent, and with auto-zoom if that is wanted too.
    Agent { solution: Remedy, zoom: bool },
    /// As [`Preset::Agent`] with its buffer and without auto-zoom, and the AP minds the window's edge.
    AgentPromise,
    /// As [`Preset::Tcp`], with 802.11 ACK filtering in this form.
    Filter { form: Form, filtered: Filtered },
    /// As [`Preset::Tcp`], with the ARQ proxy.
    ArqProxy { identification: Identification, stateless: bool, policy: Policy },
    /// As [`Preset::Tcp`], with ACKs thinned out at every sender of them.
    Thinning(ThinningKind),
    /// As [`Preset::Tcp`], with FastACK.
    FastAck,
}

/// What a row lays over the transport.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stack {
    congestion: Congestion,
    ack: AckRule,
    /// What TACKs tell of holes, where TACK is offered.
    tack: Option<Blocks>,
}

impl Scenario {
    /// Whether its file or an override names the schemes of a comparison.
    pub fn names_schemes(&self) -> bool {
        self.run.schemes.origin != Origin::Default
    }

    /// The rows of a comparison.
    ///
    /// # Errors
    /// Where `run.schemes` names a row that there is not, or one twice.
    pub fn rows(&self) -> Result<Vec<&'static Row>, ScenarioError> {
        let schemes = &self.run.schemes;
        let mut rows: Vec<&'static Row> = Vec::new();
        for name in &schemes.value {
            let row = Row::find_at(name, self.place(schemes))?;
            if rows.contains(&row) {
                let message = format!("run.schemes names {name} twice");
                return Err(ScenarioError::new(self.place(schemes), message, "give each scheme once"));
            }
            rows.push(row);
        }
        Ok(rows)
    }
}

impl Row {
    /// The scenario as it stands, with no row laid over it.
    pub const STOCK: &'static Self = table::STOCK;

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

    /// Whether all that it changes is what the TCP of its hosts does: the same cell as plain TCP's, which another TCP has for itself.
    pub fn is_of_hosts_alone(&self) -> bool {
        matches!(self.preset, Preset::Linux | Preset::Acks(_) | Preset::Stack(_) | Preset::TackWifi)
    }

    pub(crate) fn find_at(name: &str, place: Place) -> Result<&'static Self, ScenarioError> {
        ROWS.iter().find(|row| row.name == name).ok_or_else(|| {
            let names: Vec<_> = ROWS.iter().map(|row| row.name).collect();
            let help = help_on_name(name, &names, "the schemes", "`ackless schemes` lists all");
            ScenarioError::new(place, format!("no scheme is called `{}`", brief(name)), help)
        })
    }

    /// `scenario` with this row laid over it.
    ///
    /// What a flow chooses for itself stays, except that the UDP bound turns every TCP flow into UDP.
    pub(crate) fn apply(&self, scenario: &Scenario) -> Scenario {
        let mut scenario = scenario.clone();
        if self.preset == Preset::Linux {
            self.put(&mut scenario.transport.preset, TransportPreset::Linux);
        }
        preset::lay(&mut scenario);
        if !matches!(self.preset, Preset::AsWritten | Preset::UdpBound) {
            self.put(&mut scenario.transport.protocol, Protocol::Tcp);
            for flow in scenario.flows.iter_mut().filter(|flow| flow.protocol.value == Auto::Auto) {
                // Without bearing on TCP.
                flow.udp_payload.reset();
                flow.udp_ack_every.reset();
            }
        }
        match self.preset {
            Preset::AsWritten | Preset::Tcp | Preset::Linux => {}
            Preset::UdpBound => self.bound(&mut scenario),
            Preset::Acks(rule) => self.put(&mut scenario.transport.ack, Auto::Given(rule)),
            Preset::Stack(stack) => self.stack(&mut scenario, stack),
            Preset::TackWifi => self.tack_wifi(&mut scenario),
            Preset::Hack(policy) => {
                self.put(&mut scenario.scheme.name, Cure::Hack);
                self.put(&mut scenario.hack.policy, policy);
            }
            Preset::HackWifi => self.hack_wifi(&mut scenario),
            Preset::HackRohc => {
                self.put(&mut scenario.scheme.name, Cure::Hack);
                self.put(&mut scenario.hack.policy, HackPolicy::MoreData);
                self.put(&mut scenario.hack.codec, HackCodec::Rfc6846);
            }
            Preset::Zoom => self.zoom(&mut scenario),
            Preset::ApWindow(cw_min) => {
                self.put(&mut scenario.ap.cw_min, Auto::Given(cw_min));
                self.put(&mut scenario.ap.backoff, Auto::Given(Backoff::Standard));
            }
            Preset::Agent { solution, zoom } => {
                self.put(&mut scenario.scheme.name, Cure::Agent);
                self.put(&mut scenario.agent.solution, solution);
                if zoom {
                    self.zoom(&mut scenario);
                }
            }
            Preset::AgentPromise => {
                self.put(&mut scenario.scheme.name, Cure::Agent);
                self.put(&mut scenario.agent.solution, Remedy::Buffer);
                self.put(&mut scenario.agent.room, Room::Promise);
            }
            Preset::Filter { form, filtered } => {
                self.put(&mut scenario.scheme.name, Cure::Filter);
                self.put(&mut scenario.filter.form, form);
                self.put(&mut scenario.filter.filtered, filtered);
            }
            Preset::ArqProxy { identification, stateless, policy } => {
                self.put(&mut scenario.scheme.name, Cure::ArqProxy);
                self.put(&mut scenario.arq_proxy.identification, identification);
                self.put(&mut scenario.arq_proxy.stateless, stateless);
                self.put(&mut scenario.arq_proxy.policy, policy);
            }
            Preset::Thinning(kind) => {
                self.put(&mut scenario.scheme.name, Cure::Thinning);
                self.put(&mut scenario.thinning.kind, kind);
            }
            Preset::FastAck => self.put(&mut scenario.scheme.name, Cure::FastAck),
        }
        scenario
    }

    /// The keys that bear on what this row does, with the values that they have in it where a scenario is silent.
    pub fn options(&self) -> Vec<RowOption> {
        let silent = Scenario::parse("defaults", "").expect("an empty file is a scenario");
        let laid = self.apply(&silent);
        let bears = |section: &str, key: &str| {
            let named = self.about.keys.iter().copied();
            named.map(|name| name.split_once('.').unwrap_or((name, key))).any(|name| name == (section, key))
        };
        let mut options = Vec::new();
        for section in SECTIONS {
            let Some(table) = laid.sections().into_iter().find(|table| table.info().name == section.name) else {
                continue;
            };
            let keys = table.literals().into_iter().filter(|(key, _)| bears(section.name, key.name));
            options.extend(keys.map(|(key, value)| RowOption {
                section: section.name,
                key,
                value,
                by_row: matches!(table.origin(key.name), Some(Origin::Row(_) | Origin::Preset(_))),
            }));
        }
        options
    }

    /// Whether this row sets `key`, named as an override names it, whatever the scenario says. What a preset of the row's lays gives way to an override.
    pub fn sets(&self, key: &str) -> bool {
        let laid = self.apply(&Scenario::parse("defaults", "").expect("an empty file is a scenario"));
        let Some((section, key)) = key.split_once('.') else { return false };
        let named = |table: &&dyn Section| table.info().name == section;
        laid.sections()
            .iter()
            .filter(|table| named(table))
            .any(|table| matches!(table.origin(key), Some(Origin::Row(_))))
    }

    /// Every TCP flow becomes UDP that offers the same: its traffic, sizes, rates and times stay. An application that
    /// reads at a rate would limit TCP to that rate, so datagrams without end come at no higher one.
    fn bound(&self, scenario: &mut Scenario) {
        let shared = scenario.transport.protocol.value;
        for flow in &mut scenario.flows {
            if flow.protocol.value.clone().unwrap_or_else(|| shared) != Protocol::Tcp {
                continue;
            }
            self.put(&mut flow.protocol, Auto::Given(Protocol::Udp));
            self.put(&mut flow.udp_ack_every, Auto::Given(None));
            if let (Auto::Given(read), Pattern::Bulk | Pattern::OnOff) = (&flow.read_rate.value, flow.traffic.value) {
                let offered = if let Pace::Rate(rate) = flow.rate.value { rate.min(*read) } else { *read };
                self.put(&mut flow.rate, Pace::Rate(offered));
            }
            forget_tcp(flow);
        }
    }

    fn stack(&self, scenario: &mut Scenario, stack: Stack) {
        self.put(&mut scenario.transport.congestion, Auto::Given(stack.congestion));
        self.put(&mut scenario.transport.ack, Auto::Given(stack.ack));
        self.put(&mut scenario.transport.tack, stack.tack.is_some());
        self.put(&mut scenario.transport.recovery, Auto::Given(Recovery::Rack));
        if let Some(blocks) = stack.tack {
            self.put(&mut scenario.tack.blocks, blocks);
        }
    }

    fn tack_wifi(&self, scenario: &mut Scenario) {
        self.stack(
            scenario,
            Stack { congestion: Congestion::ReceiverBbr, ack: AckRule::Tack, tack: Some(Blocks::Distinct) },
        );
        self.put(&mut scenario.transport.ack_beta, 2);
        self.put(&mut scenario.tack.batch, true);
        self.put(&mut scenario.tack.share, Share::Usual);
        self.put(&mut scenario.tack.rate, RateBy::Sender);
        self.put(&mut scenario.tack.variant, TackKind::Rounds);
        self.put(&mut scenario.tack.losses, Losses::Bound);
        self.put(&mut scenario.tack.window_asks, true);
        self.put(&mut scenario.tack.settling, Settling::Adaptive);
    }

    fn hack_wifi(&self, scenario: &mut Scenario) {
        self.put(&mut scenario.scheme.name, Cure::Hack);
        self.put(&mut scenario.hack.policy, HackPolicy::MoreData);
        self.put(&mut scenario.hack.announce, Announce::WhileBusy);
        self.put(&mut scenario.hack.hold_beside_data, false);
        self.put(&mut scenario.hack.hold_senders, 4);
        self.put(&mut scenario.hack.take_back, true);
        self.put(&mut scenario.hack.take_back_senders, 1);
        self.put(&mut scenario.hack.codec, HackCodec::Own);
        self.put(&mut scenario.hack.msn_bits, 16);
    }

    fn zoom(&self, scenario: &mut Scenario) {
        self.put(&mut scenario.wifi.backoff, Backoff::AutoZoom);
        self.put(&mut scenario.ap.backoff, Auto::Auto);
    }

    fn put<T>(&self, setting: &mut Setting<T>, value: T) {
        setting.value = value;
        setting.origin = Origin::Row(self.name);
    }
}

/// Puts back the keys of a flow that have no bearing on datagrams.
fn forget_tcp(flow: &mut Flows) {
    flow.congestion.reset();
    flow.recovery.reset();
    flow.ack.reset();
    flow.read_rate.reset();
    for choice in [&mut flow.tack, &mut flow.no_delay] {
        choice.reset();
    }
}

//! Who hears whom: where the nodes stand, and with what power each hears each other.

use std::ops::Range;

use ackless_cell::config::{Hearing, PowerConfig, Topology};
use ackless_phy::{Band, Dbm, LinkBudget, OfdmRate, Standard, TxVector};

use super::radio::Radio;
use super::stations::{Groups, check_name, propagation, relays};
use crate::error::ScenarioError;
use crate::scenario::Scenario;
use crate::schema::Setting;
use crate::value::{Auto, Hears, LossModel};

/// A place in metres.
#[derive(Clone, Copy)]
struct Place {
    x: f64,
    y: f64,
}

/// Who hears whom in `scenario`.
pub(super) fn hearing(scenario: &Scenario, radio: &Radio, groups: &Groups) -> Result<Hearing, ScenarioError> {
    let wifi = &scenario.wifi;
    if wifi.hearing.value == Hears::All {
        without_powers(scenario)?;
        return Ok(Hearing::All);
    }
    with_powers(scenario, radio)?;
    let budget = propagation(scenario);
    let places = places(scenario, groups)?;
    let nodes = places.len();
    let mut powers = vec![Dbm(f64::NEG_INFINITY); nodes * nodes];
    for (from, here) in places.iter().enumerate() {
        for (to, there) in places.iter().enumerate().filter(|(to, _)| *to != from) {
            powers[from * nodes + to] = budget.tx_power - budget.path_loss(here.to(there));
        }
    }
    override_pairs(scenario, groups, &mut powers, nodes)?;
    Ok(Hearing::ByPower(PowerConfig {
        powers,
        first: 0,
        noise: noise(&budget),
        preamble: Dbm(wifi.preamble_detection.value.0.db()),
        energy: Dbm(wifi.energy_detection.value.0.db()),
        relocks: wifi.relocking.value,
    }))
}

/// What only powers give a meaning.
fn without_powers(scenario: &Scenario) -> Result<(), ScenarioError> {
    let (wifi, reason) = (&scenario.wifi, "wifi.hearing is all");
    scenario.without_bearing(&wifi.relocking, reason)?;
    scenario.without_bearing(&wifi.preamble_detection, reason)?;
    scenario.without_bearing(&wifi.energy_detection, reason)?;
    for group in &scenario.stations {
        scenario.without_bearing(&group.angle, reason)?;
    }
    match scenario.pairs.first() {
        Some(pair) => Err(scenario.refuse(
            &pair.name,
            format!("is {:?}, which has no bearing, since {reason}", pair.name.value),
            "set wifi.hearing=\"by-power\", or leave [[pairs]] out",
        )),
        None => Ok(()),
    }
}

/// What powers ask for.
fn with_powers(scenario: &Scenario, radio: &Radio) -> Result<(), ScenarioError> {
    let wifi = &scenario.wifi;
    let refuse = |why: &str, help: &str| Err(scenario.refuse(&wifi.hearing, format!("is by-power, but {why}"), help));
    if scenario.loss.model.value != LossModel::PathLoss {
        return refuse("no powers follow from this loss.model", "set loss.model=path-loss");
    }
    if wifi.topology.value == Topology::AdHoc {
        return refuse("an ad hoc cell has no AP by whose ears air time is booked", "set wifi.topology=infrastructure");
    }
    if radio.standard == Standard::B {
        return refuse(
            "11b senses the medium in ways of its own, which are not modelled",
            "choose another wifi.standard",
        );
    }
    Ok(())
}

/// Where each node stands: the AP in the middle, each station around what it is linked to.
fn places(scenario: &Scenario, groups: &Groups) -> Result<Vec<Place>, ScenarioError> {
    let mut places = vec![Place { x: 0.0, y: 0.0 }];
    let count: u32 = scenario.stations.iter().map(|group| group.count.value).sum();
    for (number, group) in scenario.stations.iter().enumerate() {
        let relays = relays(scenario, groups, number)?;
        for member in 0..group.count.value as usize {
            let even = (places.len() - 1) as f64 / f64::from(count) * std::f64::consts::TAU;
            let angle = match group.angle.value {
                Auto::Given(angle) => angle.radians(),
                Auto::Auto => even,
            };
            let around = places[relays.clone().cycle().nth(member).map_or(0, |relay| relay + 1)];
            places.push(around.at(group.distance.value.metres(), angle));
        }
    }
    Ok(places)
}

/// Puts given powers in the place of those that follow from distances.
fn override_pairs(scenario: &Scenario, groups: &Groups, powers: &mut [Dbm], nodes: usize) -> Result<(), ScenarioError> {
    for (number, pair) in scenario.pairs.iter().enumerate() {
        check_name(scenario, &pair.name, scenario.pairs[..number].iter().map(|other| other.name.value.as_str()))?;
        let (from, to) = (side(scenario, groups, &pair.from)?, side(scenario, groups, &pair.to)?);
        if from == to && from.len() == 1 {
            let message = format!("is {:?}, a single node, as the other side", pair.to.value);
            return Err(scenario.refuse(&pair.to, message, "a pair has two nodes"));
        }
        let Auto::Given(power) = pair.power.value else { continue };
        for (one, other) in from.flat_map(|one| to.clone().map(move |other| (one, other))) {
            powers[one * nodes + other] = Dbm(power.0.db());
            powers[other * nodes + one] = Dbm(power.0.db());
        }
    }
    Ok(())
}

/// The nodes on one side of a pair.
fn side(scenario: &Scenario, groups: &Groups, setting: &Setting<String>) -> Result<Range<usize>, ScenarioError> {
    if setting.value == "ap" {
        return Ok(0..1);
    }
    let stations = groups.named(scenario, setting)?;
    Ok(stations.start + 1..stations.end + 1)
}

/// The noise of a receiver over 20 MHz.
fn noise(budget: &LinkBudget) -> Dbm {
    budget.noise(TxVector::ofdm(OfdmRate::Mbps6, Band::Ghz5))
}

impl Place {
    /// The place so many metres away from this one, in this direction.
    fn at(self, metres: f64, angle: f64) -> Self {
        Self { x: self.x + metres * libm::cos(angle), y: self.y + metres * libm::sin(angle) }
    }

    fn to(&self, other: &Self) -> f64 {
        libm::hypot(self.x - other.x, self.y - other.y)
    }
}

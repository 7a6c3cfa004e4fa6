//! Who hears whom: where the nodes stand, and with what power each hears each other.

use ackless_cell::config::{Hearing, PowerConfig, Topology};
use ackless_phy::{Band, Dbm, LinkBudget, OfdmRate, Standard, TxVector};

use super::cells::Cells;
use super::groups::{Groups, check_name};
use super::radio::Radio;
use super::stations::{propagation, relays};
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
///
/// The nodes of all cells are counted one cell after another, each with its AP first.
pub(super) fn hearing(
    scenario: &Scenario,
    radio: &Radio,
    groups: &Groups,
    cells: &Cells,
) -> Result<Hearing, ScenarioError> {
    let wifi = &scenario.wifi;
    if wifi.hearing.value == Hears::All {
        without_powers(scenario)?;
        return Ok(Hearing::All);
    }
    with_powers(scenario, radio)?;
    let budget = propagation(scenario);
    let places = places(scenario, groups, cells)?;
    let nodes = places.len();
    let mut powers = vec![Dbm(f64::NEG_INFINITY); nodes * nodes];
    for (from, here) in places.iter().enumerate() {
        for (to, there) in places.iter().enumerate().filter(|(to, _)| *to != from) {
            powers[from * nodes + to] = budget.tx_power - budget.path_loss(here.to(there));
        }
    }
    override_pairs(scenario, groups, cells, &mut powers)?;
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
    let pairs = scenario.pairs.iter().map(|pair| &pair.name);
    let cells = scenario.cells.iter().map(|cell| &cell.name);
    match pairs.chain(cells).next() {
        Some(name) => {
            let message = format!("is {:?}, which has no bearing, since {reason}", name.value);
            let help = format!("set wifi.hearing=\"by-power\", or leave [[{}]] out", name.section);
            Err(scenario.refuse(name, message, help))
        }
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

/// Where each node stands: the AP in the middle of its cell, each station around what it is linked to.
fn places(scenario: &Scenario, groups: &Groups, cells: &Cells) -> Result<Vec<Place>, ScenarioError> {
    let middle = Place { x: 0.0, y: 0.0 };
    let mut places = vec![middle; cells.nodes()];
    for (cell, neighbour) in scenario.cells.iter().enumerate() {
        places[cells.ap(cell + 1)] = middle.at(neighbour.distance.value.metres(), neighbour.angle.value.radians());
    }
    let mut station = 0;
    for (number, group) in scenario.stations.iter().enumerate() {
        let relays = relays(scenario, groups, number)?;
        for member in 0..group.count.value as usize {
            let (node, cell) = (cells.node(station), cells.cell(station));
            let ap = cells.ap(cell);
            let even = (node - ap - 1) as f64 / cells.stations(cell) as f64 * std::f64::consts::TAU;
            let angle = match group.angle.value {
                Auto::Given(angle) => angle.radians(),
                Auto::Auto => even,
            };
            let around = relays.clone().cycle().nth(member).map_or(ap, |relay| cells.node(relay));
            places[node] = places[around].at(group.distance.value.metres(), angle);
            station += 1;
        }
    }
    Ok(places)
}

/// Puts given powers in the place of those that follow from distances.
fn override_pairs(
    scenario: &Scenario,
    groups: &Groups,
    cells: &Cells,
    powers: &mut [Dbm],
) -> Result<(), ScenarioError> {
    let nodes = cells.nodes();
    for (number, pair) in scenario.pairs.iter().enumerate() {
        check_name(scenario, &pair.name, scenario.pairs[..number].iter().map(|other| other.name.value.as_str()))?;
        let [from, to] = [&pair.from, &pair.to].map(|end| side(scenario, groups, cells, end));
        let (from, to) = (from?, to?);
        if from == to && from.len() == 1 {
            let message = format!("is {:?}, a single node, as the other side", pair.to.value);
            return Err(scenario.refuse(&pair.to, message, "a pair has two nodes"));
        }
        let Auto::Given(power) = pair.power.value else { continue };
        for (one, other) in from.iter().flat_map(|&one| to.iter().map(move |&other| (one, other))) {
            powers[one * nodes + other] = Dbm(power.0.db());
            powers[other * nodes + one] = Dbm(power.0.db());
        }
    }
    Ok(())
}

/// The nodes on one side of a pair.
fn side(
    scenario: &Scenario,
    groups: &Groups,
    cells: &Cells,
    setting: &Setting<String>,
) -> Result<Vec<usize>, ScenarioError> {
    if setting.value == "ap" {
        return Ok(vec![cells.ap(0)]);
    }
    if let Some(name) = setting.value.strip_suffix(".ap") {
        return Ok(vec![cells.ap(cells.named(scenario, setting, name)?)]);
    }
    Ok(groups.named(scenario, setting)?.map(|station| cells.node(station)).collect())
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

//! Groups of stations, unrolled, and what the air between each and the AP loses.

use ackless_cell::config::{FrameLoss, LinkLoss, RateControl, SchemeChoice, StationConfig, Topology};
use ackless_phy::{Band, Db, Dbm, LinkBudget, Standard};

use super::checks::MAX_PACKETS;
use super::groups::Groups;
use super::radio::{Radio, RateKeys};
use crate::error::ScenarioError;
use crate::keys::{Stations, Wifi};
use crate::names::help_on_name;
use crate::scenario::Scenario;
use crate::value::{Auto, LossModel, Value};

/// Every station of the cell, group by group.
pub(super) fn stations(scenario: &Scenario, radio: &Radio) -> Result<Vec<StationConfig>, ScenarioError> {
    let groups = Groups::of(scenario)?;
    let mut stations = Vec::new();
    for (place, group) in scenario.stations.iter().enumerate() {
        let template = station(scenario, radio, group)?;
        let relays = relays(scenario, &groups, place)?;
        stations.extend((1..=group.count.value).map(|number| StationConfig {
            name: format!("{}-{number}", group.name.value),
            via: relays.clone().cycle().nth(number as usize - 1),
            ..template.clone()
        }));
    }
    Ok(stations)
}

/// How signal-to-noise ratios follow from distances.
pub(super) fn propagation(scenario: &Scenario) -> LinkBudget {
    let loss = &scenario.loss;
    LinkBudget {
        tx_power: Dbm(loss.tx_power.value.0.db()),
        reference_loss: Db(loss.reference_loss.value.db()),
        exponent: f64::from(loss.exponent.value.0) / 1_000.0,
        noise_figure: Db(loss.noise_figure.value.db()),
    }
}

fn station(scenario: &Scenario, radio: &Radio, group: &Stations) -> Result<StationConfig, ScenarioError> {
    let standard = group.standard.value.clone().unwrap_or_else(|| radio.standard);
    if !speaks(radio, standard) {
        let message = format!("is {}, which cannot join this cell of {}", standard.word(), radio.standard.word());
        return Err(scenario.refuse(&group.standard, message, "use \"auto\", or an older standard of the same band"));
    }
    let own = RateKeys {
        rate: &group.rate,
        mcs: &group.mcs,
        streams: &group.streams,
        width: &group.width,
        guard_interval: &group.guard_interval,
    };
    // What the cell's keys say is checked even where every group overrides it.
    let shared = shared_rate(&scenario.wifi);
    radio.data_tx(scenario, radio.standard, &shared, None)?;
    let tx = radio.data_tx(scenario, standard, &own, Some(&shared))?;
    let cell_width = radio.data_tx(scenario, radio.standard, &shared, None)?.width();
    if tx.width() > cell_width {
        let message = format!("is {}, but the cell's channel has {cell_width}", tx.width());
        return Err(scenario.refuse(&group.width, message, "use a width up to wifi.width"));
    }
    Ok(StationConfig {
        name: String::new(),
        distance: group.distance.value,
        scheme: match super::scheme::choice(scenario, radio)? {
            _ if stays_stock(scenario, group) => SchemeChoice::Stock,
            // The AP does all of it.
            SchemeChoice::FastAck(_) => SchemeChoice::Stock,
            choice => choice,
        },
        down: tx,
        up: tx,
        mac: if stays_stock(scenario, group) { radio.stock_mac(standard) } else { radio.mac(standard) },
        four_address: four_address(scenario, group)?,
        via: None,
        queue_packets: scenario.in_range(&group.queue_packets, 1, MAX_PACKETS)?,
        host_latency: group.host_latency.value,
        host_latency_spread: group.host_latency_spread.value,
        tsq: scenario.share_of_rate(&group.tsq)?,
        tso: scenario.share_of_rate(&group.tso)?,
        gro: group.gro.value,
        host_loss: group.host_loss.value,
        loss: loss(scenario, group)?,
        changes: super::air::changes(scenario, group)?,
        rate_control: rate_control(scenario, group)?,
    })
}

/// The stations through which those of the group at `place` are linked to the AP; none where they are linked to it directly.
pub(super) fn relays(
    scenario: &Scenario,
    groups: &Groups,
    place: usize,
) -> Result<std::ops::Range<usize>, ScenarioError> {
    let via = &scenario.stations[place].via;
    if via.value == "ap" {
        return Ok(0..0);
    }
    if scenario.wifi.topology.value == Topology::AdHoc {
        scenario.without_bearing(via, "wifi.topology is ad-hoc")?;
    }
    let relays = groups.above(place).iter().find(|(name, _)| *name == via.value);
    match relays {
        Some((_, range)) if range.is_empty() => {
            Err(scenario.refuse(via, "names a group without stations", "set its count above 0"))
        }
        Some((name, _)) if cell_of(scenario, name) != Some(&scenario.stations[place].cell.value) => {
            Err(scenario.refuse(via, format!("names {name:?}, a group of another cell"), "name one of the same cell"))
        }
        Some((_, range)) => Ok(range.clone()),
        None => {
            let above: Vec<_> = groups.above(place).iter().map(|(name, _)| name.as_str()).collect();
            let known = ["ap"].into_iter().chain(above).collect::<Vec<_>>();
            let relays = format!("{} are allowed", known.len());
            let help = help_on_name(&via.value, &known, "allowed", &relays);
            let help = format!("{help}: a relay's group stands above those that it serves");
            Err(scenario.refuse(via, format!("names {:?}, which is no group above this one", via.value), help))
        }
    }
}

/// The cell of the group that is called so.
fn cell_of<'a>(scenario: &'a Scenario, group: &str) -> Option<&'a String> {
    scenario.stations.iter().find(|other| other.name.value == group).map(|other| &other.cell.value)
}

fn four_address(scenario: &Scenario, group: &Stations) -> Result<bool, ScenarioError> {
    if scenario.wifi.topology.value == Topology::AdHoc {
        scenario.without_bearing(&group.four_address, "wifi.topology is ad-hoc")?;
    }
    Ok(group.four_address.value)
}

/// Whether a station of `standard` can be a member of the cell. 802.11b stations among OFDM ones are not modelled: they
/// would need protection and the long slot.
fn speaks(radio: &Radio, standard: Standard) -> bool {
    standard == radio.standard
        || matches!(
            (radio.standard, radio.band, standard),
            (Standard::Ac, _, Standard::A | Standard::N)
                | (Standard::N, Band::Ghz5, Standard::A)
                | (Standard::N, Band::Ghz2_4, Standard::G)
        )
}

fn shared_rate(wifi: &Wifi) -> RateKeys<'_> {
    RateKeys {
        rate: &wifi.rate,
        mcs: &wifi.mcs,
        streams: &wifi.streams,
        width: &wifi.width,
        guard_interval: &wifi.guard_interval,
    }
}

fn rate_control(scenario: &Scenario, group: &Stations) -> Result<RateControl, ScenarioError> {
    let control = group.rate_control.value.clone().unwrap_or_else(|| scenario.wifi.rate_control.value);
    let model = scenario.loss.model.value;
    if control == RateControl::Fixed || matches!(model, LossModel::Snr | LossModel::PathLoss) {
        return Ok(control);
    }
    let message = format!("is {}, but under loss.model = {} all rates are lost alike", control.word(), model.word());
    let help = "set loss.model=snr or path-loss, or the rate control to fixed";
    Err(match group.rate_control.value {
        Auto::Given(_) => scenario.refuse(&group.rate_control, message, help),
        Auto::Auto => scenario.refuse(&scenario.wifi.rate_control, message, help),
    })
}

fn loss(scenario: &Scenario, group: &Stations) -> Result<LinkLoss, ScenarioError> {
    let loss = &scenario.loss;
    let model = loss.model.value;
    if model != LossModel::PerFrame {
        let own = [&group.down_data_loss, &group.down_control_loss, &group.up_data_loss, &group.up_control_loss];
        for setting in own {
            scenario.without_bearing(setting, "loss.model is not per-frame")?;
        }
    }
    if model != LossModel::Snr {
        scenario.without_bearing(&group.snr, "loss.model is not snr")?;
    }
    Ok(match model {
        LossModel::None => LinkLoss::None,
        LossModel::PerFrame => LinkLoss::PerFrame {
            down: FrameLoss {
                data: group.down_data_loss.value.clone().unwrap_or_else(|| loss.down_data.value),
                control: group.down_control_loss.value.clone().unwrap_or_else(|| loss.down_control.value),
            },
            up: FrameLoss {
                data: group.up_data_loss.value.clone().unwrap_or_else(|| loss.up_data.value),
                control: group.up_control_loss.value.clone().unwrap_or_else(|| loss.up_control.value),
            },
        },
        LossModel::Snr => LinkLoss::Snr(Db(group.snr.value.clone().unwrap_or_else(|| loss.snr.value).db())),
        LossModel::PathLoss => LinkLoss::PathLoss,
    })
}

/// Whether the stations of `group` stay without a scheme, or speak an older standard than the cell.
pub(super) fn is_legacy(scenario: &Scenario, group: &Stations) -> bool {
    let cell = scenario.wifi.standard.value;
    stays_stock(scenario, group) || group.standard.value.clone().unwrap_or_else(|| cell) != cell
}

/// Whether the stations of `group` stay without a scheme, by themselves or with their cell.
fn stays_stock(scenario: &Scenario, group: &Stations) -> bool {
    let cell = scenario.cells.iter().find(|cell| cell.name.value == group.cell.value);
    group.legacy.value || cell.is_some_and(|cell| cell.legacy.value)
}

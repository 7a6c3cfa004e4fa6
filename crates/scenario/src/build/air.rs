//! How the air changes during the run: SNRs over time, fading, and what the steps say of it.

use ackless_cell::config::{AirChanges, LinkLoss, StationConfig};
use ackless_phy::Db;
use ackless_wire::Instant;

use super::groups::Groups;
use crate::error::ScenarioError;
use crate::keys::{Stations, Steps};
use crate::scenario::Scenario;
use crate::schema::Setting;
use crate::value::{Auto, Fading, Frequency, Hears, LossModel, SnrPoint, Value};

/// Whether a step changes the air.
pub(super) fn is_changed_by(step: &Steps) -> bool {
    step.snr.value != Auto::Auto || step.air_loss.value != Auto::Auto || !step.outage.value.is_zero()
}

/// What the keys of a group, and else of all, say of the SNR of its links.
pub(super) fn changes(scenario: &Scenario, group: &Stations) -> Result<AirChanges, ScenarioError> {
    let model = scenario.loss.model.value;
    for (file, columns) in
        [(&scenario.loss.snr_file, &scenario.loss.snr_file_columns), (&group.snr_file, &group.snr_file_columns)]
    {
        scenario.was_read(file)?;
        scenario.without_bearing(columns, "no file is named")?;
    }
    if model != LossModel::Snr {
        scenario.without_bearing(&scenario.loss.snr_trace, "loss.model is not snr")?;
        scenario.without_bearing(&group.snr_trace, "loss.model is not snr")?;
    }
    let ratios = match (&group.snr_trace.value, &group.snr.value) {
        (Auto::Given(points), _) => trace(scenario, &group.snr_trace, points)?,
        (Auto::Auto, Auto::Given(_)) => Vec::new(),
        (Auto::Auto, Auto::Auto) => trace(scenario, &scenario.loss.snr_trace, &scenario.loss.snr_trace.value)?,
    };
    Ok(AirChanges { ratios, doppler: doppler(scenario, group)?, ..AirChanges::default() })
}

/// Lays what the steps say of the air over `stations`.
pub(super) fn change(
    scenario: &Scenario,
    groups: &Groups,
    stations: &mut [StationConfig],
) -> Result<(), ScenarioError> {
    for step in &scenario.steps {
        if !is_changed_by(step) {
            scenario.without_bearing(&step.stations, "the step does not change the air")?;
            continue;
        }
        if scenario.wifi.hearing.value == Hears::ByPower {
            scenario.without_bearing(&step.air_loss, STILL)?;
            scenario.without_bearing(&step.snr, STILL)?;
            scenario.without_bearing(&step.outage, STILL)?;
        }
        let at = Instant::ZERO.saturating_add(step.at.value);
        let snr = step.snr.given().map(|snr| Db(snr.db()));
        for station in &mut stations[groups.named(scenario, &step.stations)?] {
            if snr.is_some() && !matches!(station.loss, LinkLoss::Snr(_)) {
                let help = "set loss.model=snr, or use steps.air_loss";
                return Err(scenario.refuse(&step.snr, "has no bearing, since loss.model is not snr", help));
            }
            let changes = &mut station.changes;
            changes.ratios.extend(snr.map(|snr| (at, snr)));
            changes.losses.extend(step.air_loss.given().map(|loss| (at, loss)));
            changes.outages.extend(Some((at, step.outage.value)).filter(|(_, span)| !span.is_zero()));
        }
    }
    for AirChanges { ratios, losses, outages, .. } in stations.iter_mut().map(|station| &mut station.changes) {
        ratios.sort_by_key(|(at, _)| *at);
        losses.sort_by_key(|(at, _)| *at);
        outages.sort_by_key(|(at, _)| *at);
    }
    Ok(())
}

/// The points of a trace, whose times must rise.
fn trace<T: Value>(
    scenario: &Scenario,
    setting: &Setting<T>,
    points: &[SnrPoint],
) -> Result<Vec<(Instant, Db)>, ScenarioError> {
    if let Some(pair) = points.windows(2).find(|pair| pair[1].at <= pair[0].at) {
        let message = format!("goes from {} to {}", pair[0].at.word(), pair[1].at.word());
        return Err(scenario.refuse(setting, message, "give its times in rising order"));
    }
    Ok(points.iter().map(|point| (Instant::ZERO + point.at, Db(point.snr.db()))).collect())
}

/// The greatest Doppler shift in Hz, where the links of a group fade.
fn doppler(scenario: &Scenario, group: &Stations) -> Result<Option<f64>, ScenarioError> {
    let loss = &scenario.loss;
    if loss.fading.value == Fading::None {
        scenario.without_bearing(&loss.doppler, "loss.fading is none")?;
        scenario.without_bearing(&group.doppler, "loss.fading is none")?;
        return Ok(None);
    }
    if !matches!(loss.model.value, LossModel::Snr | LossModel::PathLoss) {
        scenario.without_bearing(&loss.fading, "loss.model is neither snr nor path-loss")?;
    }
    if scenario.wifi.hearing.value == Hears::ByPower {
        scenario.without_bearing(&loss.fading, STILL)?;
    }
    let shared = scenario.in_range(&loss.doppler, LEAST, MOST)?;
    let Frequency(millihertz) = match group.doppler.value {
        Auto::Auto => shared,
        Auto::Given(own) if (LEAST..=MOST).contains(&own) => own,
        Auto::Given(own) => {
            let message = format!("is {}, which is out of range", own.word());
            let help = format!("allowed is from {} to {}", LEAST.word(), MOST.word());
            return Err(scenario.refuse(&group.doppler, message, help));
        }
    };
    Ok(Some(millihertz as f64 / 1e3))
}

/// Why nothing of this changes the air.
const STILL: &str = "wifi.hearing is by-power, and powers stay as they are";
/// A turn in 100 s.
const LEAST: Frequency = Frequency(10);
/// 200 km/h at 5.2 GHz.
const MOST: Frequency = Frequency(1_000_000);

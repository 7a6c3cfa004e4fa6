//! From a scenario to a cell: `auto` is resolved, groups are unrolled, and what does not go together is refused.
//!
//! A key that has no bearing, such as `wifi.mcs` in an 802.11a cell, may only stand at its default: a value that is
//! silently ignored would be believed.

mod air;
mod cells;
mod checks;
mod contention;
mod flows;
mod groups;
mod hearing;
mod radio;
mod scheme;
mod sense;
mod stations;
mod traces;
mod transport;
mod wired;

use ackless_cell::config::{
    AirtimeLimits, ApConfig, ApQueue, BeaconConfig, CellConfig, Delivery, DeviceLimit, ServerConfig, Topology,
};
use ackless_wire::{Bytes, Duration};

use crate::error::ScenarioError;
use crate::row::Row;
use crate::scenario::Scenario;
use crate::value::{AtEnd, Counted, DeviceQueue, Discipline, Hears, LossModel, Value};

use checks::MAX_PACKETS;
use radio::Radio;

impl Scenario {
    /// The cell of this scenario in `row`.
    ///
    /// # Errors
    /// Where values do not go together, a name is unknown, or a key that has no bearing was given.
    pub fn build(&self, row: &Row) -> Result<CellConfig, ScenarioError> {
        cell(&row.apply(self), row)
    }

    /// The names of the stations that stay without a scheme, or speak an older standard than the cell, in the order of the
    /// cell.
    pub fn legacy_stations(&self) -> Vec<String> {
        let legacy = self.stations.iter().filter(|group| stations::is_legacy(self, group));
        legacy.flat_map(|group| (1..=group.count.value).map(|n| format!("{}-{n}", group.name.value))).collect()
    }
}

/// The cell of `scenario`, over which `row` has already been laid.
fn cell(scenario: &Scenario, row: &Row) -> Result<CellConfig, ScenarioError> {
    let radio = Radio::of(scenario)?;
    let groups = groups::Groups::of(scenario)?;
    let mut stations = stations::stations(scenario, &radio)?;
    air::change(scenario, &groups, &mut stations)?;
    let cells = cells::Cells::of(scenario, &groups)?;
    check_loss(scenario)?;
    check_times(scenario)?;
    scenario.rows()?;
    let cell = CellConfig {
        scheme: row.name.to_owned(),
        topology: scenario.wifi.topology.value,
        standard: radio.standard,
        band: radio.band,
        basic_rates: radio.basic_rates,
        answer_rate: radio.answer_rate,
        group_rate: radio.group_rate,
        beacons: beacons(scenario, &radio)?,
        ap: ap(scenario, &radio)?,
        stations,
        server: ServerConfig {
            gro: scenario.server.gro.value,
            host_latency: scenario.server.host_latency.value,
            tsq: scenario.share_of_rate(&scenario.server.tsq)?,
            tso: scenario.share_of_rate(&scenario.server.tso)?,
        },
        wired: wired::wired(scenario)?,
        propagation: stations::propagation(scenario),
        hearing: hearing::hearing(scenario, &radio, &groups, &cells)?,
        neighbours: Vec::new(),
        delivery: delivery(scenario)?,
        counts_in_flight: scenario.wifi.queue_counts.value == Counted::InFlight,
        idle_at_end: idle_at_end(scenario)?,
        eifs: scenario.wifi.eifs.value,
        flows: flows::flows(scenario, &groups)?,
        pings: flows::pings(scenario, &groups)?,
        warm_up: scenario.run.warm_up.value,
        measured: scenario.run.measured.value,
    };
    let cell = cells.split(scenario, cell)?;
    sense::check(scenario, &cell)?;
    Ok(cell)
}

fn ap(scenario: &Scenario, radio: &Radio) -> Result<ApConfig, ScenarioError> {
    let ap = &scenario.ap;
    let queue = match ap.queue.value {
        Discipline::Fifo => {
            for setting in [&ap.codel_target, &ap.codel_interval] {
                scenario.without_bearing(setting, "ap.queue is fifo")?;
            }
            scenario.without_bearing(&ap.fq_quantum, "ap.queue is fifo")?;
            scenario.without_bearing(&ap.fq_limit, "ap.queue is fifo")?;
            scenario.without_bearing(&ap.fq_ecn, "ap.queue is fifo")?;
            ApQueue::Fifo { packets: scenario.in_range(&ap.queue_packets, 1, MAX_PACKETS)? }
        }
        Discipline::FqCodel => {
            scenario.without_bearing(&ap.queue_packets, "ap.queue is fq-codel, whose limit is ap.fq_limit")?;
            scenario.without_bearing(&ap.queue_shared, "ap.queue is fq-codel")?;
            ApQueue::FqCodel {
                target: scenario.positive(&ap.codel_target)?,
                interval: scenario.positive(&ap.codel_interval)?,
                quantum: scenario.in_range(&ap.fq_quantum, Bytes(1), Bytes(1 << 20))?,
                limit: scenario.in_range(&ap.fq_limit, 1, MAX_PACKETS)?,
                ecn: ap.fq_ecn.value,
            }
        }
    };
    Ok(ApConfig {
        scheme: scheme::choice(scenario, radio)?,
        mac: radio.ap_mac(scenario)?,
        queue,
        scheduler: ap.scheduler.value,
        shares_queue: ap.queue_shared.value,
        device: device(scenario)?,
        host_latency: ap.host_latency.value,
    })
}

/// What the AP's device is given in advance.
fn device(scenario: &Scenario) -> Result<Option<DeviceLimit>, ScenarioError> {
    let ap = &scenario.ap;
    let limit = match ap.device_queue.value {
        DeviceQueue::Aql => {
            let limits = AirtimeLimits {
                low: scenario.positive(&ap.aql_low)?,
                high: scenario.positive(&ap.aql_high)?,
                threshold: ap.aql_threshold.value,
            };
            if limits.high < limits.low {
                let message = format!("is {}, less than ap.aql_low", limits.high.word());
                return Err(scenario.refuse(&ap.aql_high, message, "ap.aql_low and more are allowed"));
            }
            return Ok(Some(DeviceLimit::Airtime(limits)));
        }
        DeviceQueue::None => None,
        DeviceQueue::Packets(packets) if packets.get() > MAX_PACKETS => {
            let message = format!("is {packets}");
            return Err(scenario.refuse(
                &ap.device_queue,
                message,
                format!("at most {MAX_PACKETS} packets are allowed"),
            ));
        }
        DeviceQueue::Packets(packets) => Some(DeviceLimit::Packets(packets.get() as usize)),
    };
    for setting in [&ap.aql_low, &ap.aql_high, &ap.aql_threshold] {
        scenario.without_bearing(setting, "ap.device_queue is not aql")?;
    }
    Ok(limit)
}

fn delivery(scenario: &Scenario) -> Result<Delivery, ScenarioError> {
    let setting = &scenario.wifi.delivery;
    match setting.value {
        Delivery::Coalesced(time) if time.is_zero() || time > Duration::from_secs(1) => Err(scenario.refuse(
            setting,
            format!("is coalesced({})", time.word()),
            "allowed are times of up to 1s, and per-ppdu for none",
        )),
        Delivery::PerMpdu if scenario.wifi.hearing.value != Hears::All => {
            let message = "is per-mpdu, but where not all nodes hear each other, what of an A-MPDU arrives is known at its end only";
            Err(scenario.refuse(setting, message, "set wifi.hearing=all, or another wifi.delivery"))
        }
        delivery => Ok(delivery),
    }
}

fn idle_at_end(scenario: &Scenario) -> Result<bool, ScenarioError> {
    let setting = &scenario.wifi.reception_end;
    if setting.value == AtEnd::Idle && scenario.wifi.hearing.value != Hears::All {
        let message = "is idle, which is for cells in which all nodes hear each other";
        return Err(scenario.refuse(setting, message, "set wifi.hearing=all, or wifi.reception_end=busy"));
    }
    Ok(setting.value == AtEnd::Idle)
}

fn beacons(scenario: &Scenario, radio: &Radio) -> Result<Option<BeaconConfig>, ScenarioError> {
    let wifi = &scenario.wifi;
    if !wifi.beacons.value {
        scenario.without_bearing(&wifi.beacon_interval, "wifi.beacons is false")?;
        scenario.without_bearing(&wifi.beacon_rate, "wifi.beacons is false")?;
        scenario.without_bearing(&wifi.beacon_size, "wifi.beacons is false")?;
        return Ok(None);
    }
    if wifi.topology.value == Topology::AdHoc {
        return Err(scenario.refuse(&wifi.beacons, "is true, but an ad hoc cell has no AP", "set it to false"));
    }
    let tx = radio.beacon_tx(scenario)?;
    // The body of a frame has at most 2,304 bytes (IEEE 802.11-2020, 9.2.4.7.1).
    Ok(Some(BeaconConfig {
        // A TU is 1,024 us (IEEE 802.11-2020, 3.1), and a beacon interval at least one of it.
        interval: scenario.in_range(&wifi.beacon_interval, Duration::from_micros(1_024), Duration::from_secs(67))?,
        tx,
        size: scenario.in_range(&wifi.beacon_size, BeaconConfig::min_size(tx), Bytes(2_304))?,
    }))
}

fn check_times(scenario: &Scenario) -> Result<(), ScenarioError> {
    let run = &scenario.run;
    scenario.in_range(&run.warm_up, Duration::ZERO, Duration::from_secs(100_000))?;
    scenario.in_range(&run.measured, Duration::from_millis(1), Duration::from_secs(100_000))?;
    scenario.in_range(&run.seeds, 1, 10_000)?;
    if run.schemes.value.is_empty() {
        return Err(scenario.refuse(&run.schemes, "names no scheme", "name at least one, such as \"tcp\""));
    }
    Ok(())
}

fn check_loss(scenario: &Scenario) -> Result<(), ScenarioError> {
    let loss = &scenario.loss;
    if loss.model.value != LossModel::PerFrame {
        for setting in [&loss.down_data, &loss.down_control, &loss.up_data, &loss.up_control] {
            scenario.without_bearing(setting, "loss.model is not per-frame")?;
        }
    }
    if loss.model.value != LossModel::Snr {
        scenario.without_bearing(&loss.snr, "loss.model is not snr")?;
    }
    if loss.model.value != LossModel::PathLoss {
        scenario.without_bearing(&loss.tx_power, "loss.model is not path-loss")?;
        scenario.without_bearing(&loss.reference_loss, "loss.model is not path-loss")?;
        scenario.without_bearing(&loss.exponent, "loss.model is not path-loss")?;
        scenario.without_bearing(&loss.noise_figure, "loss.model is not path-loss")?;
    }
    Ok(())
}

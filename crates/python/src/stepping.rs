//! A cell that goes step by step, and whose knobs can be turned between two steps.

use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant as WallInstant;

use ackless_cell::config::{CellConfig, Direction, RateControl, TransportConfig, WireStep};
use ackless_cell::result::AirtimeClass;
use ackless_cell::timeline::{Format, Timeline};
use ackless_cell::{AirChange, Run, Standing};
use ackless_lab::case::Case;
use ackless_lab::run::Record;
use ackless_lab::{VERSION, input};
use ackless_scenario::Row;
use ackless_wire::{Duration, Instant};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::border::{Listener, PATIENCE, SLICE, guarded, lab, mistake};
use crate::running::{only, tables, told_json};
use crate::scenario::Scenario;
use crate::table::Table;

/// A run in the middle.
#[pyclass(frozen, module = "ackless._native")]
pub struct Cell {
    slot: Mutex<Slot>,
}

/// Where the run is.
enum Slot {
    /// Here.
    Here(Box<State>),
    /// In the hands of a thread.
    AtWork,
    /// It has been finished, or a defect has ended it.
    Over,
}

struct State {
    run: Run<'static, Listener>,
    case: Case,
    /// What has been set, in order.
    set: Vec<Change>,
    /// When the last step began, and what each flow had delivered then.
    step: (Instant, Vec<u64>),
}

/// A key that has been set, for the station of that place or for all that it concerns.
struct Change {
    station: Option<usize>,
    argument: String,
}

/// A flow as it stands: its name, its station's, and its figures: window, smoothed round trip in nanoseconds, packets queued, bytes delivered since the start,
/// those of the last step, pacing rate and bandwidth in bit/s.
type FlowState = (String, String, Option<u64>, Option<u64>, usize, u64, u64, Option<u64>, Option<u64>);

#[pymethods]
impl Cell {
    #[new]
    fn new(scenario: &Scenario, scheme: &str, seed: u64, interval_ns: Option<u64>) -> PyResult<Self> {
        guarded(|| {
            let row = Row::find(scheme).map_err(|error| mistake(&error))?;
            let case = only(&scenario.scenario, row).map_err(|error| lab(&error))?;
            let timeline = interval_ns.map(|nanos| {
                Timeline::of_cell(Vec::new(), Format::Csv, &case.config, Duration::from_nanos(nanos))
                    .map_err(|error| PyRuntimeError::new_err(error.to_string()))
            });
            let listener = Listener { delivered: vec![0; case.config.flows.len()], timeline: timeline.transpose()? };
            let step = (Instant::ZERO, listener.delivered.clone());
            let run = Run::new(Cow::Owned(case.config.clone()), seed, Some(listener));
            let state = State { run, case, set: Vec::new(), step };
            Ok(Self { slot: Mutex::new(Slot::Here(Box::new(state))) })
        })
    }

    /// Lets time pass to this time, or to the end of the run; says what time it is. Ctrl-C stops it on the way.
    fn run_until(&self, py: Python<'_>, nanos: u64) -> PyResult<u64> {
        let until = Instant::ZERO + Duration::from_nanos(nanos);
        self.changed(py, |state, stopped| {
            state.step = (state.run.now(), state.delivered());
            while state.run.now() < until && !state.run.is_over() {
                let next = (state.run.now() + SLICE).min(until);
                state.run.advance(next);
                if stopped() {
                    break;
                }
            }
            Ok(state.run.now().as_nanos())
        })
    }

    #[getter]
    fn now(&self, py: Python<'_>) -> PyResult<u64> {
        self.changed(py, |state, _| Ok(state.run.now().as_nanos()))
    }

    /// When the warm-up ends and when the run does.
    #[getter]
    fn window(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        self.changed(py, |state, _| {
            let config = state.run.config();
            Ok((config.warm_up.as_nanos(), config.end().as_nanos()))
        })
    }

    #[getter]
    fn events(&self, py: Python<'_>) -> PyResult<u64> {
        self.changed(py, |state, _| Ok(state.run.own().cell.events()))
    }

    #[getter]
    fn flows(&self, py: Python<'_>) -> PyResult<Vec<FlowState>> {
        self.changed(py, |state, _| {
            let delivered = state.delivered();
            let config = state.run.config();
            let flow = |(n, flow): (usize, &ackless_cell::config::FlowConfig)| {
                let Standing { cwnd, srtt, pacing, bandwidth, queued } = state.run.own().cell.standing(n);
                (
                    flow.name.clone(),
                    config.stations[flow.station].name.clone(),
                    cwnd.map(ackless_wire::Bytes::get),
                    srtt.map(Duration::as_nanos),
                    queued,
                    delivered[n],
                    delivered[n] - state.step.1[n],
                    pacing.map(ackless_wire::BitRate::bps),
                    bandwidth.map(ackless_wire::BitRate::bps),
                )
            };
            Ok(config.flows.iter().enumerate().map(flow).collect())
        })
    }

    /// How long the last step was, in nanoseconds.
    #[getter]
    fn last_step(&self, py: Python<'_>) -> PyResult<u64> {
        self.changed(py, |state, _| Ok(state.run.now().saturating_since(state.step.0).as_nanos()))
    }

    /// The time of the measured window so far by class, in nanoseconds.
    #[getter]
    fn airtime(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, u64)>> {
        self.changed(py, |state, _| {
            let airtime = state.run.own().airtime();
            Ok(AirtimeClass::ALL.map(|class| (class.name(), airtime[class].as_nanos())).to_vec())
        })
    }

    /// What the run has shown until now, as JSON.
    fn so_far(&self, py: Python<'_>) -> PyResult<String> {
        self.changed(py, |state, _| {
            let result = state.run.so_far();
            state.told(result)
        })
    }

    /// Ends the run where it is: what it has shown, and its timeline.
    fn finish(&self) -> PyResult<(String, Option<(Table, Table)>)> {
        guarded(|| {
            let state = self.taken()?;
            *self.slot() = Slot::Over;
            let State { run, case, .. } = *state;
            let (result, listener) = run.finish_heard();
            let record = Record { version: VERSION, scenario: case.scenario.effective(case.row), result };
            let timeline = listener.and_then(|listener| listener.timeline).map(tables).transpose();
            let text = told_json(&case, &record).map_err(|error| lab(&error))?;
            Ok((text, timeline.map_err(|error| lab(&error))?))
        })
    }

    /// Changes a key from now on.
    fn set(&self, py: Python<'_>, key: &str, value: &str) -> PyResult<()> {
        self.changed(py, |state, _| {
            if state.run.is_over() {
                return Err(PyValueError::new_err(format!("{key}: the run is over\n  help: make another cell")));
            }
            state.set(key, value)
        })
    }
}

impl Cell {
    /// Does something with the run, without Python's lock; a defect in it ends the run. What it is given says now and then whether Ctrl-C was pressed.
    fn changed<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut State, &mut dyn FnMut() -> bool) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        let mut state = self.taken()?;
        let outcome = guarded(|| {
            Ok(py.detach(|| {
                let (mut asked, mut interrupt) = (now(), None);
                let mut stopped = || {
                    if interrupt.is_none() && asked.elapsed() >= PATIENCE {
                        asked = now();
                        interrupt = Python::attach(|py| py.check_signals()).err();
                    }
                    interrupt.is_some()
                };
                let result = work(&mut state, &mut stopped);
                (result, interrupt)
            }))
        });
        *self.slot() = if outcome.is_ok() { Slot::Here(state) } else { Slot::Over };
        let (result, interrupt) = outcome?;
        interrupt.map_or(result, Err)
    }

    /// The run, which is put back by whoever takes it.
    fn taken(&self) -> PyResult<Box<State>> {
        let mut slot = self.slot();
        match std::mem::replace(&mut *slot, Slot::AtWork) {
            Slot::Here(state) => Ok(state),
            Slot::AtWork => Err(PyRuntimeError::new_err(
                "another thread is at work with this cell\n  help: let one thread at a time use it, or give each a cell of its own",
            )),
            Slot::Over => {
                *slot = Slot::Over;
                Err(PyRuntimeError::new_err("the cell is finished, or a defect has ended it\n  help: make another one"))
            }
        }
    }

    /// Held for an instant only.
    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[expect(clippy::disallowed_methods, reason = "when Ctrl-C is looked for decides nothing")]
fn now() -> WallInstant {
    WallInstant::now()
}

impl State {
    fn delivered(&self) -> Vec<u64> {
        self.run.own().cell.observer().1.as_ref().map_or_else(Vec::new, |listener| listener.delivered.clone())
    }

    fn told(&self, result: ackless_cell::result::RunResult) -> PyResult<String> {
        let record = Record { version: VERSION, scenario: self.case.scenario.effective(self.case.row), result };
        told_json(&self.case, &record).map_err(|error| lab(&error))
    }

    fn set(&mut self, key: &str, value: &str) -> PyResult<()> {
        let parts: Vec<&str> = key.split('.').collect();
        match *parts.as_slice() {
            ["stations", name, what] if is_rate(what) => self.set_rates(&self.stations(key, Some(name))?, what, value),
            ["stations", what] if is_rate(what) => self.set_rates(&self.stations(key, None)?, what, value),
            ["stations", name, what] if is_air(what) => self.set_air(&self.stations(key, Some(name))?, what, value),
            ["stations", what] if is_air(what) => self.set_air(&self.stations(key, None)?, what, value),
            ["wired", what] => match wire_of(what) {
                Some((direction, what)) => self.set_wire(direction, what, value),
                None => Err(unknown(key)),
            },
            ["flows", name, "ack"] => self.set_ack(key, Some(name), value),
            ["flows", "ack"] | ["transport", "ack"] => self.set_ack(key, None, value),
            _ => Err(unknown(key)),
        }
    }

    /// The stations with that name, or of the group of that name.
    fn stations(&self, key: &str, name: Option<&str>) -> PyResult<Vec<usize>> {
        let stations = &self.run.config().stations;
        let of = |station: &str| name.is_none_or(|name| station == name || group(station) == name);
        let found: Vec<usize> = (0..stations.len()).filter(|&n| of(&stations[n].name)).collect();
        if found.is_empty() {
            let names: Vec<_> = stations.iter().map(|station| station.name.as_str()).collect();
            let help = format!("the stations are {}; the name of a group means all of its stations", names.join(", "));
            return Err(PyValueError::new_err(format!("{key}: no station or group is called so\n  help: {help}")));
        }
        Ok(found)
    }

    /// The cell as the scenario with `arguments` on top of it makes it.
    fn built(&self, arguments: impl IntoIterator<Item = String>) -> PyResult<CellConfig> {
        let arguments: Vec<String> = arguments.into_iter().collect();
        let scenario = input::overridden(self.case.scenario.clone(), None, &arguments).map_err(|error| lab(&error))?;
        scenario.build(self.case.row).map_err(|error| mistake(&error))
    }

    fn set_rates(&mut self, stations: &[usize], what: &str, value: &str) -> PyResult<()> {
        let mut changes = Vec::new();
        for &station in stations {
            let config = &self.run.config().stations[station];
            let (name, group) = (&config.name, group(&config.name));
            let argument = format!("stations.{group}.{what}={value}");
            if config.rate_control != RateControl::Fixed {
                let help = "set stations.rate_control=fixed in the scenario";
                return Err(PyValueError::new_err(format!(
                    "set {argument}: the rate control of {name} chooses its rates\n  help: {help}"
                )));
            }
            let before = self.set.iter().filter(|change| change.station == Some(station));
            let built = self.built(before.map(|change| change.argument.clone()).chain([argument.clone()]))?;
            let new = &built.stations[station];
            changes.push((station, argument, new.down, new.up));
        }
        for (station, argument, down, up) in changes {
            self.run.own_mut().cell.set_rates(station, down, up);
            self.set.push(Change { station: Some(station), argument });
        }
        Ok(())
    }

    fn set_air(&mut self, stations: &[usize], what: &str, value: &str) -> PyResult<()> {
        let built = self.built([format!("steps.{what}={value}"), "steps.stations=all".to_owned()])?;
        let mut changes = Vec::new();
        for &station in stations {
            let air = &built.stations[station].changes;
            let change = match what {
                "snr" => air.ratios.last().map(|&(_, snr)| AirChange::Snr(snr)),
                "air_loss" => air.losses.last().map(|&(_, loss)| AirChange::Loss(loss)),
                _ => air.outages.last().map(|&(_, span)| AirChange::Outage(span)),
            };
            let Some(change) = change else {
                return Err(PyValueError::new_err(format!("{what}={value} changes nothing\n  help: give a value")));
            };
            changes.push((station, change));
        }
        for (station, change) in changes {
            self.run.own_mut().cell.change_air(station, change);
        }
        Ok(())
    }

    fn set_wire(&mut self, direction: Option<Direction>, what: &str, value: &str) -> PyResult<()> {
        let built = self.built(["down", "up"].map(|way| format!("wired.{way}_{what}={value}")))?;
        let link = if direction == Some(Direction::Up) { built.wired.up } else { built.wired.down };
        let at = self.run.now();
        let nothing = WireStep { direction, ..WireStep::nothing(at) };
        self.run.own_mut().cell.change_wire(match what {
            "rate" => WireStep { rate: Some(link.rate), ..nothing },
            "delay" => WireStep { delay: Some(link.delay), ..nothing },
            "loss" => WireStep { loss: Some(link.loss), ..nothing },
            _ => WireStep { new_options: Some(link.new_options), ..nothing },
        });
        Ok(())
    }

    fn set_ack(&mut self, key: &str, name: Option<&str>, value: &str) -> PyResult<()> {
        let flows = &self.run.config().flows;
        let of = |flow: &str| name.is_none_or(|name| flow == name || group(flow) == name);
        let found: Vec<usize> = (0..flows.len()).filter(|&n| of(&flows[n].name)).collect();
        let argument = format!("flows.ack={value}");
        let built = self.built([argument.clone()])?;
        let names: Vec<_> = flows.iter().map(|flow| flow.name.as_str()).collect();
        let refuse = |what: String| {
            let help = format!(
                "it takes the name of a TCP flow without TACK, or of a group of them; the flows are {}",
                names.join(", ")
            );
            Err(PyValueError::new_err(format!("set {key}={value}: {what}\n  help: {help}")))
        };
        if found.is_empty() {
            return refuse("no flow or group is called so".to_owned());
        }
        let mut changes = Vec::new();
        for flow in found {
            match (&flows[flow].transport, &built.flows[flow].transport) {
                (TransportConfig::Tcp(now), TransportConfig::Tcp(new)) if now.tack.is_none() && new.tack.is_none() => {
                    changes.push((flow, new.ack, new.policy));
                }
                (TransportConfig::Tcp(_), TransportConfig::Tcp(_)) => {
                    return refuse(format!("{} has TACK, which says when it acknowledges", names[flow]));
                }
                _ => return refuse(format!("{} is not TCP", names[flow])),
            }
        }
        for (flow, ack, policy) in changes {
            self.run.own_mut().cell.set_ack_rule(flow, ack, policy);
        }
        Ok(())
    }
}

/// The group of a station or flow, which is called after it with a number.
fn group(name: &str) -> &str {
    name.rsplit_once('-').map_or(name, |(group, _)| group)
}

fn is_rate(key: &str) -> bool {
    matches!(key, "mcs" | "streams" | "guard_interval" | "rate")
}

fn is_air(key: &str) -> bool {
    matches!(key, "snr" | "air_loss" | "outage")
}

/// Which way a key of the wire concerns, and what it changes.
fn wire_of(key: &str) -> Option<(Option<Direction>, &str)> {
    let (direction, what) = match key.split_once('_') {
        Some(("down", what)) => (Some(Direction::Down), what),
        Some(("up", what)) => (Some(Direction::Up), what),
        Some(_) => return None,
        None => (None, key),
    };
    matches!(what, "rate" | "delay" | "loss" | "new_options").then_some((direction, what))
}

fn unknown(key: &str) -> PyErr {
    PyValueError::new_err(format!(
        "{key}: this cannot be set while a cell runs\n  help: what can: stations.NAME.mcs, .streams, .guard_interval and .rate (with rate_control=fixed), \
         stations.NAME.snr, .air_loss and .outage, wired.rate, .delay, .loss and .new_options (also down_ and up_), flows.NAME.ack; NAME is one station or flow, or a group"
    ))
}

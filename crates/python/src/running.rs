//! Runs, comparisons and sweeps.

use std::path::Path;

use ackless_cell::Run;
use ackless_cell::config::CellConfig;
use ackless_cell::result::RunResult;
use ackless_cell::timeline::{Format, Timeline};
use ackless_lab::LabError;
use ackless_lab::case::{Axis, Case, LeftOut, left_out_lines};
use ackless_lab::compare::Comparison;
use ackless_lab::entry::Entry;
use ackless_lab::export::{estimates_csv, runs_csv};
use ackless_lab::input;
use ackless_lab::kept::{keep as keep_run, made, name as name_of};
use ackless_lab::place::{Kind, Place};
use ackless_lab::run::{Job, Runner, Told, run_whole};
use ackless_lab::sweep::Sweep;
use ackless_scenario::Row;
use ackless_wire::Duration;
use pyo3::prelude::*;
use serde_json::{Map, Value};

use crate::border::{Listener, Simulator, guarded, lab, stoppable};
use crate::scenario::Scenario;
use crate::table::{Table, kind_of_figure, kind_of_timeline};

/// The two tables of a timeline: the air and the flows.
pub type Recorded = (Table, Table);

/// One run: the object of `ackless run --json` without its `wall_seconds`, the two tables of its timeline where `interval_ns` asks for them, and those
/// seconds.
#[pyfunction]
pub fn run(
    py: Python<'_>,
    scenario: &Scenario,
    scheme: &str,
    seed: u64,
    interval_ns: Option<u64>,
) -> PyResult<(String, Option<Recorded>, f64)> {
    guarded(|| {
        let scenario = &scenario.scenario;
        stoppable(py, |simulator| {
            let case = only(scenario, Row::find(scheme)?)?;
            let Some(interval) = interval_ns.map(Duration::from_nanos) else {
                let (text, wall) = told(&case, seed, simulator)?;
                return Ok((text, None, wall));
            };
            let timeline = Timeline::of_cell(Vec::new(), Format::Csv, &case.config, interval).map_err(unwritten)?;
            let listener = Listener { delivered: vec![0; case.config.flows.len()], timeline: Some(timeline) };
            let watched = Watched { simulator, listener: std::sync::Mutex::new(Some(listener)) };
            let (text, wall) = told(&case, seed, &watched)?;
            let listener = watched.listener.into_inner().ok().flatten();
            let timeline = listener.and_then(|listener| listener.timeline);
            Ok((text, timeline.map(tables).transpose()?, wall))
        })
    })
}

/// The tables of the flows, pings, nodes and rates in the JSON of a run, by name.
#[pyfunction]
pub fn run_tables(json: &str) -> PyResult<Vec<(&'static str, Table)>> {
    guarded(|| {
        let unread = |error: serde_json::Error| lab(&LabError::Format("tables", error.to_string()));
        let value: Value = serde_json::from_str(json).map_err(unread)?;
        let lists = [
            ("flows", &value["flows"]),
            ("pings", &value["pings"]),
            ("nodes", &value["counters"]["nodes"]),
            ("cautions", &value["cautions"]),
        ];
        let table = |(name, list): (&'static str, &Value)| {
            let objects = list.as_array().into_iter().flatten().filter_map(Value::as_object);
            Table::of_objects(objects).map(|table| (name, table)).map_err(|error| lab(&error))
        };
        lists.into_iter().map(table).collect()
    })
}

/// A comparison: its table for people, its JSON, its picture as SVG, and the tables of its estimates, of its runs and of
/// the flows of each row.
#[pyfunction]
pub fn compare(
    py: Python<'_>,
    scenario: &Scenario,
    schemes: Vec<String>,
    vary: Vec<String>,
    seeds: Option<u32>,
    threads: u16,
) -> PyResult<(String, String, String, Table, Table, Table)> {
    guarded(|| {
        let scenario = &scenario.scenario;
        stoppable(py, |simulator| {
            let axes = axes("vary", &vary)?;
            // As the command does it: values are compared in the scenario as it is written, unless schemes are asked for too.
            let default = if axes.is_empty() { None } else { Some(Row::STOCK) };
            let (cases, left_out) = input::cases("schemes", &schemes, scenario, &axes, default)?;
            let seeds = seeds.unwrap_or_else(|| scenario.seeds());
            let comparison = Comparison::run(simulator, cases, seeds, threads.into(), &|| {})?;
            let comparison = Comparison { left_out, ..comparison };
            let mut json: Value = serde_json::from_str(&comparison.to_json()?).map_err(unread)?;
            without_wall_time(&mut json);
            Ok((
                comparison.to_text(),
                json.to_string(),
                comparison.to_svg()?,
                Table::of_csv(&comparison.to_csv()?, kind_of_figure)?,
                Table::of_csv(&runs_csv(&comparison.rows)?, kind_of_figure)?,
                flows_of(&json)?,
            ))
        })
    })
}

/// A row for each flow of each row in the JSON of a comparison, with the row's point and scheme before it.
fn flows_of(comparison: &Value) -> Result<Table, LabError> {
    let mut objects: Vec<Map<String, Value>> = Vec::new();
    for row in comparison["rows"].as_array().into_iter().flatten() {
        for flow in row["flows"].as_array().into_iter().flatten().filter_map(Value::as_object) {
            let mut object = row["point"].as_object().cloned().unwrap_or_default();
            object.insert("scheme".to_owned(), row["scheme"].clone());
            object.extend(flow.clone());
            objects.push(object);
        }
    }
    Table::of_objects(&objects)
}

/// A sweep into a folder, on threads of this process: its table for people, the tables of its estimates and runs, the name of each run, how many were
/// made and how many were there, and what was left out. `done` is called without arguments now and then.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the package's own function of that name has them by name")]
#[expect(clippy::type_complexity, reason = "its doc says what each part is")]
pub fn sweep(
    py: Python<'_>,
    scenario: &Scenario,
    schemes: Vec<String>,
    over: Vec<String>,
    seeds: Option<u32>,
    threads: u16,
    folder: &str,
    overwrite: bool,
) -> PyResult<(String, Table, Table, Vec<String>, usize, usize, Vec<(String, String)>)> {
    guarded(|| {
        let scenario = &scenario.scenario;
        stoppable(py, |simulator| {
            let (cases, left_out, seeds) = grid(scenario, &schemes, &over, seeds)?;
            let folder = Path::new(folder);
            let _place = Place::take(folder, Kind::Sweep, &cases, seeds, overwrite)?;
            let sweep = Sweep::run(simulator, cases, seeds, threads.into(), folder, &|| {})?;
            let names = names(&sweep.entries)?;
            Ok((
                sweep.to_text(),
                Table::of_csv(&estimates_csv(&sweep.entries)?, kind_of_figure)?,
                Table::of_csv(&runs_csv(&sweep.entries)?, kind_of_figure)?,
                names,
                sweep.ran,
                sweep.resumed,
                left_out_lines(&left_out),
            ))
        })
    })
}

/// What a sweep runs, after it has taken its place in `folder`: for each cell the overrides of its point and its row, and the names of its runs by seed.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "its doc says what each part is")]
pub fn plan(
    scenario: &Scenario,
    schemes: Vec<String>,
    over: Vec<String>,
    seeds: Option<u32>,
    folder: &str,
    overwrite: bool,
) -> PyResult<Vec<(Vec<String>, &'static str, Vec<String>)>> {
    guarded(|| {
        let planned = || {
            let (cases, _, seeds) = grid(&scenario.scenario, &schemes, &over, seeds)?;
            Place::take(Path::new(folder), Kind::Sweep, &cases, seeds, overwrite)?;
            ackless_lab::files::prepare(&Path::new(folder).join("runs"))?;
            let of_case = |case: &Case| {
                let overrides = case.point.iter().map(|(key, value)| format!("{key}={value}")).collect();
                let names = (1..=u64::from(seeds)).map(|seed| name_of(Job { case, seed }));
                Ok((overrides, case.row.name, names.collect::<Result<_, LabError>>()?))
            };
            cases.iter().map(of_case).collect::<Result<Vec<_>, LabError>>()
        };
        planned().map_err(|error| lab(&error))
    })
}

/// Makes these runs, each of a point's overrides, a row and a seed: into `folder`, where those stay that are there, or else gives back the name and the
/// text of the file of each.
#[pyfunction]
pub fn keep(
    py: Python<'_>,
    scenario: &Scenario,
    runs: Vec<(Vec<String>, String, u64)>,
    folder: Option<&str>,
) -> PyResult<Vec<(String, String)>> {
    guarded(|| {
        stoppable(py, |simulator| {
            let mut texts = Vec::new();
            let mut last: Option<((&[String], &str), Case)> = None;
            for (overrides, row, seed) in &runs {
                let of = (overrides.as_slice(), row.as_str());
                let case = match last.take() {
                    Some((known, case)) if known == of => case,
                    _ => {
                        let mut point = scenario.scenario.clone();
                        overrides.iter().try_for_each(|argument| point.set(argument))?;
                        only(&point, Row::find(row)?)?
                    }
                };
                let job = Job { case: &case, seed: *seed };
                match folder {
                    Some(folder) => drop(keep_run(simulator, job, Path::new(folder))?),
                    None => texts.push((name_of(job)?, made(simulator, job)?)),
                }
                last = Some((of, case));
            }
            Ok(texts)
        })
    })
}

/// Runs a cell with a listener.
struct Watched<'a> {
    simulator: &'a Simulator,
    listener: std::sync::Mutex<Option<Listener>>,
}

impl Runner for Watched<'_> {
    fn run(&self, config: &CellConfig, seed: u64) -> RunResult {
        let mut listener = self.listener.lock().expect("one run at a time holds the listener");
        let mut run = Run::new(std::borrow::Cow::Borrowed(config), seed, listener.take());
        self.simulator.finish(&mut run);
        let (result, heard) = run.finish_heard();
        *listener = heard;
        result
    }

    fn is_stopped(&self) -> bool {
        self.simulator.is_stopped()
    }
}

/// The tables of a timeline: the air and the flows.
pub fn tables(timeline: Timeline<Vec<u8>>) -> Result<(Table, Table), LabError> {
    let (air, series) = timeline.finish().map_err(unwritten)?;
    let table = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).map_err(|error| LabError::Format("a table", error.to_string()))?;
        Table::of_csv(&text, kind_of_timeline)
    };
    Ok((table(air)?, table(series.unwrap_or_default())?))
}

/// What a run has found, as JSON.
pub fn told_json(case: &Case, record: &ackless_lab::run::Record) -> Result<String, LabError> {
    let mut json = serde_json::to_value(Told::of(case, record)).map_err(unread)?;
    without_wall_time(&mut json);
    Ok(json.to_string())
}

/// The cell of `scenario` in `row`.
pub fn only(scenario: &ackless_scenario::Scenario, row: &'static Row) -> Result<Case, LabError> {
    scenario.heeds_overrides(&[row])?;
    let config = scenario.build(row)?;
    Ok(Case { point: Vec::new(), row, scenario: scenario.clone(), config })
}

fn told(case: &Case, seed: u64, runner: &dyn Runner) -> Result<(String, f64), LabError> {
    let record = run_whole(runner, Job { case, seed })?;
    Ok((told_json(case, &record)?, record.result.wall_seconds))
}

fn grid(
    scenario: &ackless_scenario::Scenario,
    schemes: &[String],
    over: &[String],
    seeds: Option<u32>,
) -> Result<(Vec<Case>, Vec<LeftOut>, u32), LabError> {
    let axes = axes("over", over)?;
    let (cases, left_out) = input::cases("schemes", schemes, scenario, &axes, None)?;
    Ok((cases, left_out, seeds.unwrap_or_else(|| scenario.seeds())))
}

fn axes(option: &'static str, given: &[String]) -> Result<Vec<Axis>, LabError> {
    given.iter().map(|axis| Axis::parse(option, axis)).collect()
}

/// The name of each run, in the order of [`runs_csv`].
fn names(entries: &[Entry]) -> Result<Vec<String>, LabError> {
    let of_entry = |entry: &Entry| {
        let names = entry.runs.iter().map(|run| name_of(Job { case: &entry.case, seed: run.seed }));
        names.collect::<Result<Vec<_>, _>>()
    };
    Ok(entries.iter().map(of_entry).collect::<Result<Vec<_>, _>>()?.concat())
}

/// How long a run took is nothing that it found.
fn without_wall_time(json: &mut Value) {
    match json {
        Value::Object(object) => {
            object.shift_remove("wall_seconds");
            object.values_mut().for_each(without_wall_time);
        }
        Value::Array(items) => items.iter_mut().for_each(without_wall_time),
        _ => {}
    }
}

fn unwritten(error: std::io::Error) -> LabError {
    LabError::Format("a timeline", error.to_string())
}

fn unread(error: serde_json::Error) -> LabError {
    LabError::Format("JSON", error.to_string())
}

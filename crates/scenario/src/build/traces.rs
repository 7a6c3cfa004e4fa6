//! Rates of the wire that go as a trace says.

use std::sync::Arc;

use ackless_cell::config::{RateTrace, TracePoints};
use ackless_wire::{BitRate, Duration, Instant};

use crate::error::ScenarioError;
use crate::scenario::Scenario;
use crate::schema::Setting;
use crate::value::{Auto, RatePoint, TraceEnd, Value, Ways};

/// The keys of the rate of one direction.
pub(super) struct RateKeys<'a> {
    pub(super) rate: &'a Setting<Auto<BitRate>>,
    pub(super) trace: &'a Setting<Auto<Vec<RatePoint>>>,
}

/// The traces of both directions.
pub(super) struct Traces {
    pub(super) down: Option<Arc<RateTrace>>,
    pub(super) up: Option<Arc<RateTrace>>,
}

impl Traces {
    /// What the keys of both directions say. A rate that a trace leaves without bearing is refused.
    pub(super) fn of(scenario: &Scenario, down: &RateKeys<'_>, up: &RateKeys<'_>) -> Result<Self, ScenarioError> {
        let wired = &scenario.wired;
        for file in [&wired.rate_file, &wired.down_rate_file, &wired.up_rate_file] {
            scenario.was_read(file)?;
        }
        scenario.without_bearing(&wired.rate_file_columns, "no file is named")?;
        let traces = Self { down: trace(scenario, down)?, up: trace(scenario, up)? };
        if traces.down.is_none() && traces.up.is_none() {
            scenario.without_bearing(&wired.rate_trace_end, "there is no trace of a rate")?;
        }
        if own(down) && own(up) {
            scenario.without_bearing(&wired.rate_trace, "both directions have a trace of their own")?;
        }
        let shared = [(down, &traces.down), (up, &traces.up)].map(|(way, trace)| {
            let covered = trace.as_ref().is_some_and(|trace| covers(trace));
            if covered {
                scenario.without_bearing(way.rate, "a trace says how the rate goes")?;
            }
            Ok(way.rate.value == Auto::Auto && !covered)
        });
        let [down, up] = shared;
        if !down? && !up? && (traces.down.is_some() || traces.up.is_some()) {
            scenario.without_bearing(&wired.rate, "a trace says how the rate goes")?;
        }
        Ok(traces)
    }

    /// Refuses steps of a rate that follows a trace.
    pub(super) fn check_steps(&self, scenario: &Scenario) -> Result<(), ScenarioError> {
        for step in scenario.steps.iter().filter(|step| step.rate.value != Auto::Auto) {
            let concerns = |way| step.direction.value == Ways::Both || step.direction.value == way;
            let traced = [(Ways::Down, &self.down), (Ways::Up, &self.up)];
            if traced.into_iter().any(|(way, trace)| concerns(way) && trace.is_some()) {
                let help = "write it into the trace, or set steps.direction to the way without a trace";
                return Err(scenario.refuse(&step.rate, "has no bearing, since a trace says how the rate goes", help));
            }
        }
        Ok(())
    }
}

/// Whether a direction has a trace, or none, by a key of its own.
fn own(way: &RateKeys<'_>) -> bool {
    way.trace.value != Auto::Auto
}

/// Whether the rate of the key never holds.
fn covers(trace: &RateTrace) -> bool {
    trace.first() == Instant::ZERO || matches!(trace.points(), TracePoints::Opportunities(_))
}

/// The trace of a direction.
fn trace(scenario: &Scenario, way: &RateKeys<'_>) -> Result<Option<Arc<RateTrace>>, ScenarioError> {
    let shared = &scenario.wired.rate_trace;
    match &way.trace.value {
        Auto::Given(points) => built(scenario, way.trace, points),
        Auto::Auto => built(scenario, shared, &shared.value),
    }
}

fn built<T>(
    scenario: &Scenario,
    setting: &Setting<T>,
    points: &[RatePoint],
) -> Result<Option<Arc<RateTrace>>, ScenarioError> {
    if points.is_empty() {
        return Ok(None);
    }
    if let Some(pair) = points.windows(2).find(|pair| pair[1].at() <= pair[0].at()) {
        let message = format!("goes from {} to {}", pair[0].at().word(), pair[1].at().word());
        return Err(scenario.refuse(setting, message, "give its times in rising order"));
    }
    let (mut rates, mut opportunities) = (Vec::new(), Vec::new());
    for point in points {
        match *point {
            RatePoint::Rate(at, rate) => rates.push((Instant::ZERO + at, rate)),
            RatePoint::Opportunity(at, bytes) => opportunities.push((Instant::ZERO + at, bytes)),
        }
    }
    if !rates.is_empty() && !opportunities.is_empty() {
        let message = "has rates and amounts of data";
        return Err(scenario.refuse(setting, message, "write \"TIME RATE\" for each, or \"TIME AMOUNT\" for each"));
    }
    if rates.iter().all(|(_, rate)| *rate == BitRate::ZERO) && opportunities.is_empty() {
        let help = "give at least one rate above zero";
        return Err(scenario.refuse(setting, "has no rate above zero, so that nothing ever passes", help));
    }
    let of_bytes = !opportunities.is_empty();
    let auto = || if of_bytes { TraceEnd::Repeat } else { TraceEnd::Hold };
    let repeats = scenario.wired.rate_trace_end.value.clone().unwrap_or_else(auto) == TraceEnd::Repeat;
    let period = repeats.then(|| period(points, of_bytes));
    let points = if of_bytes { TracePoints::Opportunities(opportunities) } else { TracePoints::Rates(rates) };
    let trace = RateTrace::new(points, period).map_err(|problem| {
        let help = "give several times, or set wired.rate_trace_end=hold";
        scenario.refuse(setting, format!("is no trace that can be followed: {problem}"), help)
    })?;
    Ok(Some(Arc::new(trace)))
}

/// After how long the points come again.
fn period(points: &[RatePoint], of_bytes: bool) -> Duration {
    let times: Vec<Duration> = points.iter().map(|point| point.at()).collect();
    match times[..] {
        [.., last] if of_bytes => last,
        [first, .., before, last] => (last - first) + (last - before),
        [first, last] => (last - first) * 2,
        // One rate holds, whatever its period.
        _ => Duration::from_secs(1),
    }
}

//! All runs of one case, and what they say together.

use ackless_cell::config::CellConfig;
use ackless_cell::result::{AirtimeClass, RunResult};
use ackless_scenario::Row;
use ackless_scenario::row::about::About;

use crate::case::{BASELINE, BOUND, Case};
use crate::metric::{Metric, airtime_percent};
use crate::statistics::Estimate;

/// One line of a table: a case with its runs, one for each seed, in the order of the seeds.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What was run.
    pub case: Case,
    /// The results.
    pub runs: Vec<RunResult>,
}

impl Entry {
    /// The lines of these cases with their runs: one for each, or where cells have neighbours, one for each cell of each, the first cells before
    /// their neighbours. The cell is then part of the point, so that rows are compared within a cell only.
    pub fn all(cases: impl IntoIterator<Item = (Case, Vec<RunResult>)>) -> Vec<Self> {
        let mut lines: Vec<(usize, Self)> = Vec::new();
        for (case, runs) in cases {
            if case.config.neighbours.is_empty() {
                lines.push((0, Self { case, runs }));
                continue;
            }
            let line = |cell: &str, config: &CellConfig, runs: Vec<RunResult>| {
                let mut case = Case { config: config.clone(), ..case.clone() };
                case.point.push((CELL.to_owned(), cell.to_owned()));
                Self { case, runs }
            };
            lines.push((0, line(OWN_CELL, &case.config, runs.clone())));
            for (n, neighbour) in case.config.neighbours.iter().enumerate() {
                let runs = runs.iter().filter_map(|run| run.neighbours.get(n)).map(|other| other.result.clone());
                lines.push((n + 1, line(&neighbour.name, &neighbour.cell, runs.collect())));
            }
        }
        // The sort is stable: within a cell cases keep their order.
        lines.sort_by_key(|(cell, _)| *cell);
        lines.into_iter().map(|(_, entry)| entry).collect()
    }

    /// The estimate of `metric`.
    pub fn estimate(&self, metric: &Metric) -> Option<Estimate> {
        metric.estimate(&self.runs)
    }

    /// The estimate of goodput, in Mbps.
    pub fn goodput(&self) -> Option<Estimate> {
        self.estimate(Metric::find("goodput_mbps")?)
    }

    /// How many percent less it carries than that one of `rows` which is UDP at the same point; `None` without such a row, and for it.
    pub fn loss_against_udp(&self, rows: &[Self]) -> Option<f64> {
        let bound = rows.iter().find(|row| row.case.row.name == BOUND && row.case.point == self.case.point)?;
        let (bound, own) = (bound.goodput()?.mean, self.goodput()?.mean);
        (bound > 0.0 && self.case.row.name != BOUND).then(|| (bound - own) / bound * 100.0)
    }

    /// The estimate of what all flows of legacy stations carry together, in Mbps; `None` where there are no such stations.
    pub fn legacy_goodput(&self) -> Option<Estimate> {
        let legacy = self.case.scenario.legacy_stations();
        if legacy.is_empty() {
            return None;
        }
        let of_run = |run: &RunResult| {
            let flows = run.flows.iter().filter(|flow| legacy.contains(&flow.station));
            // A sum of nothing is -0.0.
            0.0 + flows.map(|flow| flow.goodput_mbps).sum::<f64>()
        };
        Estimate::of(&self.runs.iter().map(of_run).collect::<Vec<f64>>())
    }

    /// How many percent more legacy stations carry than in the plain TCP row of the same point; `None` without one, for it, and where
    /// there are no such stations, or they carry nothing there.
    pub fn legacy_gain_over_tcp(&self, rows: &[Self]) -> Option<f64> {
        let plain = self.baseline(rows)?;
        gain(self.legacy_goodput()?.mean, plain.legacy_goodput()?.mean)
    }

    /// The row of the same point that others are compared with: plain TCP, or where there is none the scenario as it is written, or else BBR;
    /// `None` for that row itself.
    pub fn baseline<'a>(&self, rows: &'a [Self]) -> Option<&'a Self> {
        let here = || rows.iter().filter(|row| row.case.point == self.case.point);
        let named = |name: &str| here().find(|row| row.case.row.name == name);
        let plain = named(BASELINE).or_else(|| named(Row::STOCK.name)).or_else(|| named("bbr"));
        plain.filter(|row| row.case.row != self.case.row)
    }

    /// What the nodes of the scheme counted in a run, on average: those counters that matter most, by name, without those that stayed at
    /// zero in every run. `None` where the scheme counts nothing, or is HACK, which has figures of its own.
    pub fn deeds(&self) -> Option<Vec<(&'static str, f64)>> {
        let about = About::of(&self.case.config.ap.scheme)?;
        self.runs.iter().find(|run| !run.rival.is_empty())?;
        let mean = |name: &str| {
            let sum: u64 = self.runs.iter().filter_map(|run| run.rival.get(name)).sum();
            sum as f64 / self.runs.len() as f64
        };
        Some(about.counters.iter().map(|&name| (name, mean(name))).filter(|(_, mean)| *mean > 0.0).collect())
    }

    /// The mean share of the window that `class` took, in percent.
    pub fn airtime(&self, class: AirtimeClass) -> Option<Estimate> {
        let shares: Vec<f64> = self.runs.iter().map(|run| airtime_percent(run, class)).collect();
        Estimate::of(&shares)
    }
}

/// Counts as a line: what [`Entry::deeds`] says.
pub fn deeds_line(deeds: &[(&str, f64)]) -> String {
    if deeds.is_empty() {
        return "nothing".to_owned();
    }
    let counts: Vec<_> = deeds.iter().map(|(name, count)| format!("{} {count:.0}", name.replace('_', " "))).collect();
    counts.join(", ")
}

/// How many percent more `own` is than `plain`.
fn gain(own: f64, plain: f64) -> Option<f64> {
    (plain > 0.0).then(|| (own - plain) / plain * 100.0)
}

/// How much there is behind the figures of `entries`: seeds, and what was measured of each run.
pub fn effort(entries: &[Entry]) -> String {
    let window = entries.iter().flat_map(|entry| &entry.runs).map(|run| run.sim_seconds).fold(0.0, f64::max);
    // To the millisecond, which hides what a binary fraction leaves.
    let window = (window * 1e3).round() / 1e3;
    match entries.first().map_or(0, |entry| entry.runs.len()) {
        1 => format!("1 seed, {window} s measured in each run"),
        seeds => format!("{seeds} seeds, {window} s measured in each run"),
    }
}

/// The key of a point that says of which cell a line is, and what it calls the first one.
const CELL: &str = "cell";
const OWN_CELL: &str = "own";

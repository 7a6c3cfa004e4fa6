//! All runs of one case, what they say together, and the same as CSV.

use ackless_cell::config::CellConfig;
use ackless_cell::result::{AirtimeClass, RunResult};
use ackless_scenario::Row;
use ackless_scenario::row::about::About;
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};

use crate::LabError;
use crate::case::{BASELINE, BOUND, Case};
use crate::caution::{Caution, cautions};
use crate::metric::{METRICS, Metric, airtime_percent, special};
use crate::statistics::Estimate;
use crate::yardstick::Yardstick;

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

    /// How many percent more it carries, all flows together, than the row that it is compared with ([`Self::baseline`]).
    pub fn gain_over_tcp(&self, rows: &[Self]) -> Option<f64> {
        Yardstick::Goodput.against_baseline(self, rows)
    }

    /// What must be known before its figures are believed.
    pub fn cautions(&self) -> Vec<Caution> {
        cautions(self)
    }

    /// The estimate of what all flows of legacy stations carry together, in Mbps; `None` where there are no such stations.
    pub fn legacy_goodput(&self) -> Option<Estimate> {
        let legacy = self.case.scenario.legacy_stations();
        if legacy.is_empty() {
            return None;
        }
        let of_run = |run: &RunResult| {
            let flows = run.flows.iter().filter(|flow| legacy.contains(&flow.station));
            flows.map(|flow| flow.goodput_mbps).sum()
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

impl Serialize for Entry {
    /// The case, each estimate by the name of its metric, what must be known of them, and every run.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Entry", 8)?;
        object.serialize_field("scheme", self.case.row.name)?;
        object.serialize_field("point", &Point(&self.case.point))?;
        object.serialize_field("scenario", &self.case.scenario.effective(self.case.row))?;
        object.serialize_field("summary", &Summary(self))?;
        object.serialize_field("cautions", &self.cautions())?;
        object.serialize_field("legacy_goodput_mbps", &self.legacy_goodput())?;
        object.serialize_field("airtime_percent", &Airtime(self))?;
        object.serialize_field("runs", &self.runs)?;
        object.end()
    }
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

/// The estimates of `entries` as CSV: a line for each, with the mean and half the 95 % interval of every figure, how times compare, and what
/// must be known of the row.
///
/// # Errors
/// Never in practice: text is always written to memory.
pub fn estimates_csv(entries: &[Entry]) -> Result<String, LabError> {
    let mut header = keys(entries);
    header.extend(["scheme".to_owned(), "seeds".to_owned()]);
    let special = special(entries.iter().flat_map(|entry| &entry.runs));
    let classes = classes(entries);
    for name in figure_names(&special, &classes) {
        header.extend([name.clone(), format!("{name}_ci95")]);
    }
    let times: Vec<_> = Yardstick::all(entries).into_iter().filter(|yardstick| yardstick.is_time()).collect();
    header.extend(times.iter().map(|time| format!("{}_vs_baseline_percent", time.metric().name)));
    header.push("cautions".to_owned());
    let lines = entries.iter().map(|entry| {
        let mut line = values(entry);
        line.push(entry.runs.len().to_string());
        for estimate in figures(entry, &special, &classes) {
            line.push(estimate.map(|estimate| estimate.mean.to_string()).unwrap_or_default());
            line.push(estimate.and_then(|estimate| estimate.ci95).map(|ci95| ci95.to_string()).unwrap_or_default());
        }
        let against = times.iter().map(|time| time.against_baseline(entry, entries));
        line.extend(against.map(|percent| percent.map(|percent| percent.to_string()).unwrap_or_default()));
        line.push(entry.cautions().iter().map(|caution| caution.kind.name()).collect::<Vec<_>>().join(" "));
        line
    });
    csv(header, lines)
}

/// Every run of `entries` as CSV: a line for each.
///
/// # Errors
/// Never in practice: text is always written to memory.
pub fn runs_csv(entries: &[Entry]) -> Result<String, LabError> {
    let mut header = keys(entries);
    header.extend(["scheme".to_owned(), "seed".to_owned()]);
    let special = special(entries.iter().flat_map(|entry| &entry.runs));
    let classes = classes(entries);
    header.extend(figure_names(&special, &classes));
    let lines = entries.iter().flat_map(|entry| {
        entry.runs.iter().map(|run| {
            let mut line = values(entry);
            line.push(run.seed.to_string());
            let metrics = METRICS.iter().map(|metric| (metric.of)(run));
            let airtime = classes.iter().map(|&class| Some(airtime_percent(run, class)));
            let special = special.iter().map(|metric| (metric.of)(run));
            line.extend(
                metrics
                    .chain(airtime)
                    .chain(special)
                    .map(|figure| figure.filter(|f| f.is_finite()).map(|f| f.to_string()).unwrap_or_default()),
            );
            line
        })
    });
    csv(header, lines)
}

fn keys(entries: &[Entry]) -> Vec<String> {
    let first = entries.first().map(|entry| &entry.case.point);
    first.into_iter().flatten().map(|(key, _)| key.clone()).collect()
}

fn values(entry: &Entry) -> Vec<String> {
    let point = entry.case.point.iter().map(|(_, value)| value.clone());
    point.chain([entry.case.row.name.to_owned()]).collect()
}

/// The classes of air time that are told of `entries`: those of other cells only where there are any.
fn classes(entries: &[Entry]) -> Vec<AirtimeClass> {
    let other = |run: &RunResult| !run.airtime_ns[AirtimeClass::Neighbours].is_zero();
    let neighbours = entries.iter().flat_map(|entry| &entry.runs).any(other);
    AirtimeClass::ALL.into_iter().filter(|&class| neighbours || class != AirtimeClass::Neighbours).collect()
}

/// The names of the figures in CSV, those that are not in every table at the end.
fn figure_names(special: &[&'static Metric], classes: &[AirtimeClass]) -> impl Iterator<Item = String> {
    let metrics = METRICS.iter().map(|metric| metric.name.to_owned());
    let airtime = classes.iter().map(|class| format!("airtime_{}_percent", class.name()));
    metrics.chain(airtime).chain(special.iter().map(|metric| metric.name.to_owned()))
}

fn figures(
    entry: &Entry,
    special: &[&'static Metric],
    classes: &[AirtimeClass],
) -> impl Iterator<Item = Option<Estimate>> {
    let metrics = METRICS.iter().map(|metric| entry.estimate(metric));
    let airtime = classes.iter().map(|&class| entry.airtime(class));
    metrics.chain(airtime).chain(special.iter().map(|metric| entry.estimate(metric)))
}

fn csv(header: Vec<String>, lines: impl Iterator<Item = Vec<String>>) -> Result<String, LabError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let write = || {
        writer.write_record(&header)?;
        lines.into_iter().try_for_each(|line| writer.write_record(&line))
    };
    write().map_err(|error| LabError::Format("CSV", error.to_string()))?;
    let bytes = writer.into_inner().map_err(|error| LabError::Format("CSV", error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| LabError::Format("CSV", error.to_string()))
}

/// The key of a point that says of which cell a line is, and what it calls the first one.
const CELL: &str = "cell";
const OWN_CELL: &str = "own";

struct Point<'a>(&'a [(String, String)]);

impl Serialize for Point<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

struct Summary<'a>(&'a Entry);

impl Serialize for Summary<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let special = special(self.0.runs.iter());
        let mut map = serializer.serialize_map(Some(METRICS.len() + special.len()))?;
        for metric in METRICS.iter().chain(special) {
            map.serialize_entry(metric.name, &self.0.estimate(metric))?;
        }
        map.end()
    }
}

struct Airtime<'a>(&'a Entry);

impl Serialize for Airtime<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let classes = classes(std::slice::from_ref(self.0)).into_iter();
        serializer.collect_map(classes.map(|class| (class.name(), self.0.airtime(class))))
    }
}

//! All runs of one case, what they say together, and the same as CSV.

use ackless_cell::result::{AirtimeClass, RunResult};
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};

use crate::LabError;
use crate::case::Case;
use crate::metric::{METRICS, Metric, airtime_percent};
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
        let bound = rows.iter().find(|row| row.case.row.name == "udp" && row.case.point == self.case.point)?;
        let (bound, own) = (bound.goodput()?.mean, self.goodput()?.mean);
        (bound > 0.0 && self.case.row.name != "udp").then(|| (bound - own) / bound * 100.0)
    }

    /// The mean share of the window that `class` took, in percent.
    pub fn airtime(&self, class: AirtimeClass) -> Option<Estimate> {
        let shares: Vec<f64> = self.runs.iter().map(|run| airtime_percent(run, class)).collect();
        Estimate::of(&shares)
    }
}

impl Serialize for Entry {
    /// The case, each estimate by the name of its metric, and every run.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Entry", 6)?;
        object.serialize_field("scheme", self.case.row.name)?;
        object.serialize_field("point", &Point(&self.case.point))?;
        object.serialize_field("scenario", &self.case.scenario.effective(self.case.row))?;
        object.serialize_field("summary", &Summary(self))?;
        object.serialize_field("airtime_percent", &Airtime(self))?;
        object.serialize_field("runs", &self.runs)?;
        object.end()
    }
}

/// How much there is behind the figures of `entries`: seeds, and what was measured of each run.
pub fn effort(entries: &[Entry]) -> String {
    let window = entries.iter().flat_map(|entry| &entry.runs).map(|run| run.sim_seconds).fold(0.0, f64::max);
    match entries.first().map_or(0, |entry| entry.runs.len()) {
        1 => format!("1 seed, {window} s measured in each run"),
        seeds => format!("{seeds} seeds, {window} s measured in each run"),
    }
}

/// The estimates of `entries` as CSV: a line for each, with the mean and half the 95 % interval of every figure.
///
/// # Errors
/// Never in practice: text is always written to memory.
pub fn estimates_csv(entries: &[Entry]) -> Result<String, LabError> {
    let mut header = keys(entries);
    header.extend(["scheme".to_owned(), "seeds".to_owned()]);
    for name in figure_names() {
        header.extend([name.clone(), format!("{name}_ci95")]);
    }
    let lines = entries.iter().map(|entry| {
        let mut line = values(entry);
        line.push(entry.runs.len().to_string());
        for estimate in figures(entry) {
            line.push(estimate.map(|estimate| estimate.mean.to_string()).unwrap_or_default());
            line.push(estimate.and_then(|estimate| estimate.ci95).map(|ci95| ci95.to_string()).unwrap_or_default());
        }
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
    header.extend(figure_names());
    let lines = entries.iter().flat_map(|entry| {
        entry.runs.iter().map(|run| {
            let mut line = values(entry);
            line.push(run.seed.to_string());
            let metrics = METRICS.iter().map(|metric| (metric.of)(run));
            let airtime = AirtimeClass::ALL.into_iter().map(|class| Some(airtime_percent(run, class)));
            line.extend(metrics.chain(airtime).map(|figure| figure.map(|f| f.to_string()).unwrap_or_default()));
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

fn figure_names() -> impl Iterator<Item = String> {
    let metrics = METRICS.iter().map(|metric| metric.name.to_owned());
    metrics.chain(AirtimeClass::ALL.into_iter().map(|class| format!("airtime_{}_percent", class.name())))
}

fn figures(entry: &Entry) -> impl Iterator<Item = Option<Estimate>> + '_ {
    let metrics = METRICS.iter().map(|metric| entry.estimate(metric));
    metrics.chain(AirtimeClass::ALL.into_iter().map(|class| entry.airtime(class)))
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

struct Point<'a>(&'a [(String, String)]);

impl Serialize for Point<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

struct Summary<'a>(&'a Entry);

impl Serialize for Summary<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(METRICS.len()))?;
        for metric in METRICS {
            map.serialize_entry(metric.name, &self.0.estimate(metric))?;
        }
        map.end()
    }
}

struct Airtime<'a>(&'a Entry);

impl Serialize for Airtime<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(AirtimeClass::ALL.into_iter().map(|class| (class.name(), self.0.airtime(class))))
    }
}

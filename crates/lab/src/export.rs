//! Entries as CSV and JSON: every figure with its interval, how times compare, and what must be known of a row.

use ackless_cell::result::{AirtimeClass, RunResult};
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};

use crate::LabError;
use crate::entry::Entry;
use crate::metric::{METRICS, Metric, airtime_percent, special};
use crate::statistics::Estimate;
use crate::yardstick::Yardstick;

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

impl Serialize for Entry {
    /// The case, each estimate by the name of its metric, what must be known of them, and every run.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Entry", 9)?;
        object.serialize_field("scheme", self.case.row.name)?;
        object.serialize_field("point", &Point(&self.case.point))?;
        object.serialize_field("scenario", &self.case.scenario.effective(self.case.row))?;
        object.serialize_field("summary", &Summary(self))?;
        object.serialize_field("cautions", &self.cautions())?;
        object.serialize_field("legacy_goodput_mbps", &self.legacy_goodput())?;
        object.serialize_field("flows", &self.flows())?;
        object.serialize_field("airtime_percent", &Airtime(self))?;
        object.serialize_field("runs", &self.runs)?;
        object.end()
    }
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

//! The picture of a sweep.

use super::lines::{Axis, Line, LineChart, Panel, Point, Scale, Stroke};
use super::look::Look;
use super::style::number;
use crate::LabError;
use crate::caution::Kind;
use crate::entry::{Entry, effort};
use crate::finding::finding;
use crate::remark::{bears, remarks_about};
use crate::yardstick::Yardstick;

/// Draws what the rows of a sweep are compared by over one key or two: over the one with more values, and a panel for each value of the other, or a line if
/// there is but one scheme.
///
/// Nothing where no key or more than two take several values, where there would be more than twelve panels or ten lines, which is better seen
/// in the tables, or where nothing was measured.
///
/// # Errors
/// Never in practice: there is a point to draw.
pub fn sweep(entries: &[Entry]) -> Result<Option<String>, LabError> {
    let mut keys = swept(entries);
    // The key with most values is the axis; of equals, the last.
    keys.sort_by_key(|key| key.values.len());
    let Some(axis) = keys.pop() else { return Ok(None) };
    let yardstick = Yardstick::all(entries).first().copied().unwrap_or(Yardstick::Goodput);
    let panels = match keys.as_slice() {
        [] => vec![Panel { lines: of_schemes(entries, yardstick, &axis, None), ..Panel::default() }],
        [other] => panels(entries, yardstick, &axis, other),
        _ => return Ok(None),
    };
    // Of transfers none may have ended.
    if !panels.iter().flat_map(|panel| &panel.lines).any(|line| line.points.iter().any(|point| point.y.is_finite())) {
        return Ok(None);
    }
    if panels.len() > MAX_PANELS || panels.iter().any(|panel| panel.lines.len() > MAX_LINES) {
        return Ok(None);
    }
    let name = entries.first().map(|entry| entry.case.scenario.name()).unwrap_or_default();
    let mut subtitle = format!("{name}. {}, intervals are 95 %.", effort(entries));
    let careful = entries.iter().filter(|entry| !entry.cautions().is_empty()).count();
    if careful > 0 {
        let are = if careful == 1 { "is" } else { "are" };
        subtitle.push_str(&format!(" Of {} points {careful} {are} to be read with care: see below.", entries.len()));
    }
    let chart = LineChart { title: finding(entries), subtitle, x: axis.axis(), y: yardstick.axis().to_owned(), panels };
    chart.to_svg_above(&below(entries)).map(Some)
}

/// Why points are to be read with care: each with its cause and figures or, where there are many, how many each cause has.
fn below(entries: &[Entry]) -> Vec<String> {
    let each =
        remarks_about(entries, |_| true, |entry| format!("{} {}", entry.case.row.name, entry.case.point_label()));
    if each.len() <= MAX_REMARKS {
        return each.into_iter().map(|(name, text)| format!("* {name}: {text}.")).collect();
    }
    let of_kind = |kind: Kind| match entries.iter().filter(|entry| bears(entry, kind)).count() {
        0 => None,
        1 => Some(format!("* 1 point: {}. The table says which.", kind.meaning())),
        several => Some(format!("* {several} points: {}. The table says which.", kind.meaning())),
    };
    Kind::ALL.into_iter().filter_map(of_kind).collect()
}

/// The values of `other` as panels, or, if there is but one scheme, as lines of one panel.
fn panels(entries: &[Entry], yardstick: Yardstick, axis: &Key, other: &Key) -> Vec<Panel> {
    let titled = other.values.iter().map(|value| (value, format!("{}={value}", other.name)));
    if let [scheme] = schemes(entries).as_slice() {
        let lines = titled.map(|(value, name)| line(entries, yardstick, axis, &name, scheme, Some((other, value))));
        return vec![Panel { lines: lines.collect(), ..Panel::default() }];
    }
    let panel = |(value, title): (&String, String)| {
        let lines = of_schemes(entries, yardstick, axis, Some((other, value)));
        Panel { title, lines, marks: Vec::new() }
    };
    titled.map(panel).collect()
}

/// A line for each scheme, at the points where a key has a value if one is given.
fn of_schemes(entries: &[Entry], yardstick: Yardstick, axis: &Key, fixed: Option<(&Key, &str)>) -> Vec<Line> {
    schemes(entries).iter().map(|scheme| line(entries, yardstick, axis, scheme, scheme, fixed)).collect()
}

fn line(
    entries: &[Entry],
    yardstick: Yardstick,
    axis: &Key,
    name: &str,
    scheme: &str,
    fixed: Option<(&Key, &str)>,
) -> Line {
    let rows = entries.iter().filter(|entry| entry.case.row.name == scheme);
    let rows = rows.filter(|entry| fixed.is_none_or(|(key, value)| value_of(entry, &key.name) == Some(value)));
    let point = |entry: &Entry| {
        let x = axis.place(value_of(entry, &axis.name)?)?;
        yardstick.of(entry).map(|measure| Point { x, y: measure.mean, ci95: measure.ci95 })
    };
    let mut points: Vec<Point> = rows.filter_map(point).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let stroke = if name == scheme { Stroke::Of(Look::of_scheme(scheme)) } else { Stroke::Solid };
    Line { name: name.to_owned(), stroke, points }
}

/// The schemes in the order of the rows.
fn schemes(entries: &[Entry]) -> Vec<&'static str> {
    let mut schemes = Vec::new();
    for entry in entries {
        if !schemes.contains(&entry.case.row.name) {
            schemes.push(entry.case.row.name);
        }
    }
    schemes
}

/// A key with the values that it takes, in the order in which they were asked for.
struct Key {
    name: String,
    values: Vec<String>,
    /// The values as numbers, where all are plain ones.
    numbers: Option<Vec<f64>>,
}

impl Key {
    /// Where a value stands on the axis.
    fn place(&self, value: &str) -> Option<f64> {
        let n = self.values.iter().position(|own| own == value)?;
        Some(self.numbers.as_ref().map_or(n as f64, |numbers| numbers[n]))
    }

    fn axis(&self) -> Axis {
        let Some(numbers) = &self.numbers else { return Axis::categories(&self.name, &self.values) };
        let (low, high) = numbers.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), &n| (l.min(n), h.max(n)));
        // Values that were chosen by ratio are shown so.
        let scale = if low > 0.0 && high >= 10.0 * low && numbers.len() > 2 { Scale::Log } else { Scale::Linear };
        let mut ticks: Vec<_> = numbers.iter().map(|&at| (at, number(at))).collect();
        ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
        Axis { title: self.name.clone(), scale, ticks }
    }
}

/// The keys that take more than one value.
fn swept(entries: &[Entry]) -> Vec<Key> {
    let names = entries.first().map(|entry| &entry.case.point).into_iter().flatten().map(|(key, _)| key);
    let keys = names.map(|name| {
        let mut values: Vec<String> = Vec::new();
        for value in entries.iter().filter_map(|entry| value_of(entry, name)) {
            if !values.iter().any(|known| known == value) {
                values.push(value.to_owned());
            }
        }
        let numbers = values.iter().map(|value| value.parse().ok().filter(|n: &f64| n.is_finite())).collect();
        Key { name: name.clone(), values, numbers }
    });
    keys.filter(|key| key.values.len() > 1).collect()
}

fn value_of<'a>(entry: &'a Entry, key: &str) -> Option<&'a str> {
    entry.case.point.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}

/// More remarks than these are longer than the picture.
const MAX_REMARKS: usize = 8;
/// More panels than these are too small to read.
const MAX_PANELS: usize = 12;
/// More lines than these in one panel cannot be told apart.
const MAX_LINES: usize = 10;

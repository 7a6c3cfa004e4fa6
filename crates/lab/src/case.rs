//! What an experiment runs: every combination of the values of its axes, in every row.

use ackless_cell::config::CellConfig;
use ackless_scenario::printable::printable;
use ackless_scenario::{Place, Row, Scenario, ScenarioError};
use serde::Serialize;

use crate::LabError;

/// A key of a scenario and the values that it takes in turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    /// The option that gave it, for messages.
    pub option: &'static str,
    /// The key, as an override names it.
    pub key: String,
    /// The values, as an override gives them.
    pub values: Vec<String>,
}

/// One cell to be run, but for the seed.
#[derive(Clone, Debug)]
pub struct Case {
    /// Each axis' key with its value here.
    pub point: Vec<(String, String)>,
    /// The row.
    pub row: &'static Row,
    /// The scenario with this point's overrides.
    pub scenario: Scenario,
    /// The cell.
    pub config: CellConfig,
}

/// A row that is not run, because it makes no sense or says nothing new.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LeftOut {
    /// The row.
    pub scheme: &'static str,
    /// Where, as [`Case::point_label`] says it.
    pub point: String,
    /// Why.
    pub reason: String,
}

impl Axis {
    /// Reads `key=1,2,5` or, for whole numbers, `key=0..7`, which includes both ends. `option` is what messages call it.
    ///
    /// # Errors
    /// Where there is no key or no value, or a range is empty or longer than 10,000.
    pub fn parse(option: &'static str, argument: &str) -> Result<Self, LabError> {
        let error = |message: &str, help: &str| LabError::Axis {
            option,
            argument: argument.to_owned(),
            message: message.to_owned(),
            help: String::from(help),
        };
        // The values become names of rows in tables and pictures.
        if printable(argument) != argument {
            return Err(error("it holds a character that is not shown", "write it without that"));
        }
        let (key, values) =
            argument.split_once('=').ok_or_else(|| error("there is no `=`", "write section.key=1,2,5 or =0..7"))?;
        let (key, values) = (key.trim(), values.trim());
        if key.is_empty() || values.is_empty() {
            return Err(error("a key or its values are missing", "write section.key=1,2,5 or =0..7"));
        }
        let mut list = Vec::new();
        for item in values.split(',').map(str::trim) {
            match item.split_once("..").map(|(low, high)| (low.parse::<i64>(), high.parse::<i64>())) {
                Some((Ok(low), Ok(high))) if low <= high && high.abs_diff(low) < MAX_RANGE => {
                    list.extend((low..=high).map(|n| n.to_string()));
                }
                Some((Ok(low), Ok(high))) if low > high => {
                    return Err(error("the range is empty", "write the smaller end first, as in 0..7"));
                }
                Some((Ok(_), Ok(_))) => {
                    let message = format!("the range has more than {MAX_RANGE} values");
                    return Err(error(&message, "write fewer, for example every tenth: 10,20,30"));
                }
                Some(_) if item.contains("..") && item.starts_with(|c: char| c.is_ascii_digit()) => {
                    return Err(error("a range goes over whole numbers", "write the values one by one: 1ms,2ms,5ms"));
                }
                _ if item.is_empty() => return Err(error("a value is missing", "leave out the extra comma")),
                _ => list.push(item.to_owned()),
            }
        }
        if let Some(twice) =
            list.iter().enumerate().find(|(n, value)| list[..*n].contains(value)).map(|(_, value)| value)
        {
            return Err(error(&format!("the value {twice} stands there twice"), "give each value once"));
        }
        Ok(Self { option, key: key.to_owned(), values: list })
    }
}

impl Axis {
    fn wrong(&self, value: &str, message: &str, help: &str) -> LabError {
        let argument = format!("{}={value}", self.key);
        LabError::Axis { option: self.option, argument, message: message.to_owned(), help: help.to_owned() }
    }
}

impl Case {
    /// The point in words: `wifi.mcs=5 stations.count=2`, or nothing without axes.
    pub fn point_label(&self) -> String {
        label(&self.point)
    }

    /// Every combination of the values of `axes`, the last axis running fastest, in every one of `rows`. Everything is
    /// checked before anything runs.
    ///
    /// # Errors
    /// Where a value is not allowed for its key, a key has two axes or is set by every row itself, as an override may be, a combination makes no cell, or there are
    /// more than 100,000 cells.
    pub fn all(scenario: &Scenario, axes: &[Axis], rows: &[&'static Row]) -> Result<Vec<Self>, LabError> {
        // All its points would be the same cells, and look like a measurement that the key does not matter.
        if let Some(axis) = axes.iter().find(|axis| !rows.is_empty() && rows.iter().all(|row| row.sets(&axis.key))) {
            let names: Vec<_> = rows.iter().map(|row| row.name).collect();
            let message = format!("every scheme here sets it, whatever its values: {}", names.join(", "));
            let help = "leave out the key, or take a scheme that does not set it, such as stock";
            return Err(axis.wrong(&axis.values.join(","), &message, help));
        }
        scenario.heeds_overrides(rows)?;
        let mut cases = Vec::new();
        for Point { at: point, scenario } in points(scenario, axes, rows.len())? {
            for &row in rows {
                let config = scenario.build(row).map_err(|error| named(error, axes))?;
                cases.push(Self { point: point.clone(), row, scenario: scenario.clone(), config });
            }
        }
        Ok(cases)
    }

    /// As [`Self::all`], in every row that makes sense at its point and is a cell of its own there, and which rows are not. The scenario as
    /// it is written is run only where no other row is the same; of rows that are the same, `tcp` is run, else the first.
    ///
    /// # Errors
    /// As [`Self::all`], but where only a row makes no sense.
    pub fn all_that_make_sense(scenario: &Scenario, axes: &[Axis]) -> Result<(Vec<Self>, Vec<LeftOut>), LabError> {
        let (mut cases, mut left_out) = (Vec::new(), Vec::new());
        for Point { at: point, scenario } in points(scenario, axes, Row::all().len())? {
            // A mistake of the scenario is nobody's but its own.
            let stock = scenario.build(Row::STOCK).map_err(|error| named(error, axes))?;
            let mut cells = Vec::new();
            let mut leave_out =
                |row: &Row, reason| left_out.push(LeftOut { scheme: row.name, point: label(&point), reason });
            for row in Row::all().iter().filter(|row| **row != *Row::STOCK) {
                match scenario.build(row) {
                    Ok(config) => cells.push((row, config)),
                    Err(error) => leave_out(row, error.message),
                }
            }
            cells.push((Row::STOCK, stock));
            for (n, (row, config)) in cells.iter().enumerate() {
                let before = cells
                    .iter()
                    .enumerate()
                    .find(|(m, (other, cell))| *m != n && (*m < n || other.name == BASELINE) && is_same(cell, config));
                match before.filter(|_| row.name != BASELINE) {
                    None => {
                        let (point, scenario) = (point.clone(), scenario.clone());
                        cases.push(Self { point, row, scenario, config: config.clone() });
                    }
                    Some(_) if *row == Row::STOCK => {}
                    Some((_, (other, _))) => leave_out(row, format!("the same cell as {}", other.name)),
                }
            }
        }
        Ok((cases, left_out))
    }
}

/// A scenario with the values that its axes have there.
struct Point {
    at: Vec<(String, String)>,
    scenario: Scenario,
}

/// Every combination of the values of `axes`, which is run in so many rows.
fn points(scenario: &Scenario, axes: &[Axis], rows: usize) -> Result<Vec<Point>, LabError> {
    let count = axes.iter().fold(rows, |count, axis| count.saturating_mul(axis.values.len()));
    if count > MAX_CASES {
        return Err(LabError::TooMany(count, MAX_CASES));
    }
    let mut points = vec![Point { at: Vec::new(), scenario: scenario.clone() }];
    for (n, axis) in axes.iter().enumerate() {
        if axes[..n].iter().any(|before| before.key == axis.key) {
            let values = axis.values.join(",");
            return Err(axis.wrong(&values, "the key has its values already", "give all values at once"));
        }
        let mut next = Vec::new();
        for Point { at, scenario } in &points {
            for value in &axis.values {
                let mut scenario = scenario.clone();
                scenario.set(&format!("{}={value}", axis.key)).map_err(|error| named(error, axes))?;
                let own = (axis.key.clone(), value.clone());
                next.push(Point { at: at.iter().cloned().chain([own]).collect(), scenario });
            }
        }
        points = next;
    }
    Ok(points)
}

/// Each row of `left_out` once for each reason: its name, and the reason with the points, where there are points.
pub fn left_out_lines(left_out: &[LeftOut]) -> Vec<(String, String)> {
    let mut lines: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for LeftOut { scheme, point, reason } in left_out {
        match lines.iter_mut().find(|(name, known, _)| name == scheme && known == reason) {
            Some((_, _, points)) => points.push(point),
            None => lines.push((scheme, reason, vec![point])),
        }
    }
    let line = |(scheme, reason, points): (&str, &str, Vec<&str>)| {
        let places = if points.iter().all(|point| point.is_empty()) {
            String::new()
        } else {
            format!(" ({})", points.join("; "))
        };
        (scheme.to_owned(), format!("{reason}{places}"))
    };
    lines.into_iter().map(line).collect()
}

/// A point in words.
fn label(point: &[(String, String)]) -> String {
    let parts: Vec<_> = point.iter().map(|(key, value)| format!("{key}={value}")).collect();
    parts.join(" ")
}

/// Whether two cells differ in the name of their row only.
fn is_same(a: &CellConfig, b: &CellConfig) -> bool {
    *a == b.clone().named(&a.scheme)
}

/// A mistake in a scenario; where it is in a value that an axis gave, with the option of that axis.
fn named(error: ScenarioError, axes: &[Axis]) -> LabError {
    if let Place::Override(argument) = &error.place
        && let Some((key, value)) = argument.split_once('=')
        && let Some(axis) = axes.iter().find(|axis| axis.key == key && axis.values.iter().any(|own| own == value))
    {
        return axis.wrong(value, &error.message, &error.help);
    }
    error.into()
}

/// The row that others are compared with.
pub(crate) const BASELINE: &str = "tcp";
/// The row that is the bound of all goodput: each flow a flood of datagrams without end.
pub(crate) const BOUND: &str = "udp";
/// The most cells of an experiment: far more than anybody waits for, and few enough to hold.
const MAX_CASES: usize = 100_000;
/// The longest range of an axis.
const MAX_RANGE: u64 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_is_a_list_or_an_inclusive_range() {
        let values = |argument| Axis::parse("--over", argument).map(|axis| axis.values).ok();
        let owned = |values: &[&str]| Some(values.iter().map(|&value| value.to_owned()).collect::<Vec<_>>());
        assert_eq!(values("stations.count=1,2,5"), owned(&["1", "2", "5"]));
        assert_eq!(values("wifi.mcs=0..3"), owned(&["0", "1", "2", "3"]));
        assert_eq!(values("wifi.mcs = 0..1, 7"), owned(&["0", "1", "7"]));
        assert_eq!(values("wired.delay=1ms,2.5ms"), owned(&["1ms", "2.5ms"]));
        for bad in [
            "wifi.mcs",
            "wifi.mcs=",
            "=1",
            "wifi.mcs=7..0",
            "wifi.mcs=0..99999",
            "a.b=1,,2",
            "a.b=1ms..5ms",
            "a.b=0..3,2",
        ] {
            assert_eq!(values(bad), None, "{bad}");
        }
        assert_eq!(values("a.b=-9223372036854775808..9223372036854775807"), None);
    }

    #[test]
    fn cases_run_through_the_last_axis_fastest_and_through_all_rows() {
        let scenario = Scenario::parse("empty", "").expect("an empty file is a scenario");
        let axes =
            ["stations.count=1,2", "wifi.mcs=6,7"].map(|axis| Axis::parse("--over", axis).expect("this is an axis"));
        let rows = ["udp", "tcp"].map(|row| Row::find(row).expect("this is a row"));
        let cases = Case::all(&scenario, &axes, &rows).expect("every combination makes a cell");
        let labels: Vec<_> = cases.iter().map(|case| format!("{} {}", case.point_label(), case.row.name)).collect();
        assert_eq!(
            labels[..3],
            ["stations.count=1 wifi.mcs=6 udp", "stations.count=1 wifi.mcs=6 tcp", "stations.count=1 wifi.mcs=7 udp",]
        );
        assert_eq!((cases.len(), cases[7].config.stations.len()), (8, 2));
    }

    #[test]
    fn what_makes_no_experiment_is_refused_with_its_option() {
        let scenario = Scenario::parse("empty", "").expect("an empty file is a scenario");
        let refused = |arguments: &[&str]| {
            let axes: Result<Vec<_>, _> = arguments.iter().map(|argument| Axis::parse("--over", argument)).collect();
            let cases = axes.and_then(|axes| Case::all(&scenario, &axes, &[Row::STOCK]));
            cases.map(|cases| cases.len()).expect_err("there is a mistake").to_string()
        };
        let twice = refused(&["wifi.mcs=1,2", "stations.count=1", "wifi.mcs=3"]);
        assert!(twice.starts_with("--over wifi.mcs=3: the key has its values already"), "{twice}");
        let unknown = refused(&["wifi.msc=1"]);
        assert!(unknown.starts_with("--over wifi.msc=1: unknown key"), "{unknown}");
        let many = refused(&["wifi.mcs=0..9999", "stations.count=0..9999"]);
        assert!(many.starts_with("100000000 cells are more than"), "{many}");
        let scheme = Row::find("filter-noack").expect("this is a row");
        let form = Axis::parse("--over", "filter.form=group,no-ack").expect("this is an axis");
        let without_bearing =
            Case::all(&scenario, std::slice::from_ref(&form), &[scheme]).expect_err("the row sets the form");
        let expected = "--over filter.form=group,no-ack: every scheme here sets it, whatever its values: filter-noack";
        assert!(without_bearing.to_string().starts_with(expected), "{without_bearing}");
        let tcp = Row::find("tcp").expect("this is a row");
        assert_eq!(Case::all(&scenario, &[form], &[scheme, tcp]).map(|cases| cases.len()).ok(), Some(4));
        let mut asked = scenario.clone();
        asked.set("filter.form=group").unwrap_or_else(|error| panic!("{error}"));
        let in_vain = Case::all(&asked, &[], &[scheme]).expect_err("the row sets the form").to_string();
        assert!(in_vain.starts_with("--set filter.form=group: every scheme here sets this key itself"), "{in_vain}");
        let udp = Row::find("udp").expect("this is a row");
        assert!(Case::all(&asked, &[], &[udp, scheme]).is_err(), "the UDP bound has no say");
        assert_eq!(
            Case::all(&asked, &[], &[scheme, tcp]).map(|cases| cases.len()).ok(),
            Some(2),
            "it tells in the other"
        );
        asked.set("filter.form=no-ack").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(Case::all(&asked, &[], &[scheme]).map(|cases| cases.len()).ok(), Some(1), "the row sets the same");
        let same = refused(&["wifi.mcs=1,1"]);
        assert!(same.starts_with("--over wifi.mcs=1,1: the value 1 stands there twice"), "{same}");
    }
}

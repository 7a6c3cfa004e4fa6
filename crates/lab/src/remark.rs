//! Cautions in tables and pictures: marks beside figures, columns, and lines below.

use crate::caution::{Caution, Kind, unfairness};
use crate::entry::Entry;
use crate::harm::{Harm, Harmed};
use crate::metric::Metric;
use crate::statistics::Estimate;
use crate::table::{Column, figure, figure_with_interval, index_with_interval};
use crate::yardstick::Yardstick;

/// Whether `row` has a caution of this kind.
pub(crate) fn bears(row: &Entry, kind: Kind) -> bool {
    row.cautions().iter().any(|caution| caution.kind == kind)
}

/// What `row` measures by `yardstick` with its interval, and a mark where it must be read with care. A time that is not known, because
/// transfers did not end, is what it is at least.
pub(crate) fn marked_figure(row: &Entry, yardstick: Yardstick) -> String {
    let about = |caution: &Caution| match yardstick.is_time() {
        true => matches!(caution.kind, Kind::Unfinished | Kind::Dead),
        false => caution.kind.is_of_window() || matches!(caution.kind, Kind::Dead | Kind::Starved),
    };
    let mark = if row.cautions().iter().any(about) { " *" } else { "" };
    let text = match (yardstick.of(row), at_least(row, yardstick)) {
        (None, Some(least)) => format!("> {}", figure(Some(least), yardstick.decimals())),
        (measured, _) => figure_with_interval(measured, yardstick.decimals()),
    };
    format!("{text}{mark}")
}

/// What a time that is not known is at least.
pub(crate) fn at_least(row: &Entry, yardstick: Yardstick) -> Option<Estimate> {
    match yardstick {
        Yardstick::CompletionTime => row.estimate(Metric::find("completion_at_least_s")?),
        _ => None,
    }
}

/// The dead and starved flows of every row, if any row has some.
pub(crate) fn harm_column(rows: &[Entry]) -> Option<Column> {
    let cells: Vec<String> = rows.iter().map(Entry::harm_in_short).collect();
    let any = cells.iter().any(|cell| !cell.is_empty());
    any.then(|| Column::new("dead or\nstarved", cells.into_iter()))
}

/// Jain's index of goodput of every row, if it is low in any.
pub(crate) fn fairness_column(rows: &[Entry]) -> Option<Column> {
    let jain = Metric::find("jain_goodput")?;
    let cells = rows.iter().map(|row| index_with_interval(row.estimate(jain), 2));
    rows.iter().any(|row| unfairness(row).is_some()).then(|| Column::new("Jain\ngoodput", cells))
}

/// What must be known of `rows`, but for what a column says: who, and what. What is so of all rows stands there once.
pub(crate) fn remarks(rows: &[Entry], label: impl Fn(&Entry) -> String) -> Vec<(String, String)> {
    remarks_about(rows, |kind| kind != Kind::Unfair, label)
}

/// The same of those kinds of cautions that are `told`.
pub(crate) fn remarks_about(
    rows: &[Entry],
    told: impl Fn(Kind) -> bool,
    label: impl Fn(&Entry) -> String,
) -> Vec<(String, String)> {
    let mut remarks: Vec<(Vec<String>, String)> = Vec::new();
    for row in rows {
        for caution in row.cautions().into_iter().filter(|caution| told(caution.kind)) {
            match remarks.iter_mut().find(|(_, text)| *text == caution.text) {
                Some((names, _)) => names.push(label(row)),
                None => remarks.push((vec![label(row)], caution.text)),
            }
        }
    }
    let lines = remarks.into_iter().flat_map(|(names, text)| {
        let names = if names.len() == rows.len() && rows.len() > 1 { vec!["all".to_owned()] } else { names };
        names.into_iter().map(move |name| (name, text.clone()))
    });
    lines.collect()
}

/// What a sentence that names `row` for its goodput must add; empty where there is nothing.
pub(crate) fn qualification(row: &Entry) -> String {
    let flows = |count: usize| if count == 1 { "flow" } else { "flows" };
    let harmed = Harm::ALL.into_iter().filter_map(|harm| {
        let Harmed { most, .. } = row.harmed(harm)?;
        Some(format!("{most} {} {}", harm.word(), flows(most)))
    });
    let mut words: Vec<_> = harmed.collect();
    words.extend(unfairness(row).map(|jain| format!("Jain's index {:.2}", jain.mean)));
    let of_window = row.cautions().into_iter().filter_map(|caution| match caution.kind {
        Kind::AboveAir => Some("more than the air carried"),
        Kind::BelowAir => Some("less than the air carried"),
        Kind::NotSteady | Kind::NotBegun => Some("not steady"),
        Kind::Unfinished | Kind::Unfair | Kind::Dead | Kind::Starved => None,
    });
    words.extend(of_window.map(str::to_owned));
    words.dedup();
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}

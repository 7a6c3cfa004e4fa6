//! Cautions in tables and pictures: marks beside figures, columns, and lines below.

use crate::case::BOUND;
use crate::caution::{Caution, Kind, unfairness};
use crate::entry::Entry;
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
        true => caution.kind == Kind::Unfinished,
        false => caution.kind.is_of_window(),
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
    if Yardstick::all(rows).iter().all(|yardstick| yardstick.is_time()) {
        for row in rows.iter().filter(|row| row.case.row.name == BOUND) {
            let carried = figure_with_interval(row.goodput(), 2);
            remarks
                .push((vec![label(row)], format!("a flood of datagrams, which has no end: it carries {carried} Mbps")));
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
    let mut words: Vec<_> = unfairness(row).map(|jain| format!("Jain's index {:.2}", jain.mean)).into_iter().collect();
    let of_window = row.cautions().into_iter().filter_map(|caution| match caution.kind {
        Kind::AboveAir => Some("more than the air carried"),
        Kind::BelowAir => Some("less than the air carried"),
        Kind::NotSteady | Kind::NotBegun => Some("not steady"),
        Kind::Unfinished | Kind::Unfair => None,
    });
    words.extend(of_window.map(str::to_owned));
    words.dedup();
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}

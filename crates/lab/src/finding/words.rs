//! Names and lists in sentences.

use crate::entry::Entry;

/// The most rows that a sentence names.
pub(super) const NAMED: usize = 3;

/// What tells a row from the others: its point, its scheme, or both.
pub(super) fn name(entry: &Entry, rows: &[Entry]) -> String {
    let point = place(entry);
    let one_scheme = rows.iter().all(|row| row.case.row.name == entry.case.row.name);
    match (point.is_empty(), one_scheme) {
        (true, _) => entry.case.row.name.to_owned(),
        (false, true) => point,
        (false, false) => format!("{} at {point}", entry.case.row.name),
    }
}

/// The point of a row, its keys divided by commas.
pub(super) fn place(entry: &Entry) -> String {
    entry.case.point_label().replace(' ', ", ")
}

/// The first of `names`, at most [`NAMED`] or all if one more, and the number of the others: `a, b and 4 other rows`.
pub(super) fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] if names.len() <= NAMED => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and {} other rows", names[..NAMED - 1].join(", "), names.len() + 1 - NAMED),
    }
}

/// The rows that are named, and how many of `all` are not.
pub(super) fn with_others(named: &[String], all: usize) -> String {
    let named = named.join(", ");
    match all.saturating_sub(NAMED) {
        0 => named,
        1 => format!("{named}, one other row less"),
        rest => format!("{named}, {rest} other rows less"),
    }
}

/// A sentence within another one; a sentence that begins with a name stays as it is.
pub(super) fn uncapitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

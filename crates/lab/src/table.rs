//! Tables for people: aligned columns, the first to the left and figures to the right, no borders.

use std::fmt;

use ackless_cell::result::AirtimeClass;
use comfy_table::{CellAlignment, LineStyle, TableStyle};

use crate::statistics::{Estimate, per_mille};

/// A table under construction.
#[derive(Clone, Debug)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    title: String,
    cells: Vec<String>,
}

impl Column {
    /// A column with this title, whose lines are divided by newlines.
    pub(crate) fn new(title: impl Into<String>, cells: impl Iterator<Item = String>) -> Self {
        Self { title: title.into(), cells: cells.collect() }
    }

    /// How many letters its widest line has.
    fn width(&self) -> usize {
        let lines = self.title.lines().chain(self.cells.iter().map(String::as_str));
        lines.map(|line| line.chars().count()).max().unwrap_or(0)
    }
}

impl Table {
    /// A table with these titles, whose lines are divided by newlines.
    pub fn new(header: Vec<String>) -> Self {
        Self { header, rows: Vec::new() }
    }

    /// A table of whole columns, which have as many cells each.
    pub(crate) fn of_columns(columns: &[Column]) -> Self {
        let header = columns.iter().map(|column| column.title.clone()).collect();
        let height = columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
        let row = |n: usize| columns.iter().map(|column| column.cells.get(n).cloned().unwrap_or_default()).collect();
        Self { header, rows: (0..height).map(row).collect() }
    }

    /// Whole columns as a table or, where they take more than the width of a page, as several, each of which begins with the first column.
    pub(crate) fn pages(columns: Vec<Column>) -> String {
        let Some((first, rest)) = columns.split_first() else { return String::new() };
        let mut tables = Vec::new();
        let mut rest = rest.to_vec();
        loop {
            let mut width = 1 + first.width();
            let fits = rest.iter().take_while(|column| {
                width += COLUMN_GAP + column.width();
                width <= PAGE_WIDTH
            });
            let later = rest.split_off(fits.count().max(1).min(rest.len()));
            rest.insert(0, first.clone());
            tables.push(Self::of_columns(&rest).to_string());
            if later.is_empty() {
                return tables.join("\n");
            }
            rest = later;
        }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = comfy_table::Table::new();
        table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('-').junction('-')));
        table.set_header(&self.header);
        for row in &self.rows {
            table.add_row(row);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        writeln!(f, "{}", table.trim_fmt())
    }
}

/// Names with what is said of each: the names in a column, the texts beside it, wrapped to the width of a page.
pub fn described(lines: &[(String, String)]) -> String {
    let names = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let indent = names + 3;
    let mut text = String::new();
    for (name, said) in lines {
        let mut column = indent;
        text.push_str(&format!(" {name:names$}  "));
        for (n, word) in said.split_whitespace().enumerate() {
            let long = word.chars().count();
            if n > 0 && column + 1 + long > PAGE_WIDTH {
                text.push_str(&format!("\n{:indent$}", ""));
                column = indent;
            } else if n > 0 {
                text.push(' ');
                column += 1;
            }
            text.push_str(word);
            column += long;
        }
        text.push('\n');
    }
    text
}

/// An estimate as text, without its interval; nothing where there is none.
pub fn figure(estimate: Option<Estimate>, decimals: usize) -> String {
    estimate.map(|estimate| format!("{:.decimals$}", estimate.mean)).unwrap_or_default()
}

/// An estimate as text with half its 95 % interval, where it has one.
pub fn figure_with_interval(estimate: Option<Estimate>, decimals: usize) -> String {
    match estimate {
        Some(Estimate { mean, ci95: Some(ci95), .. }) => format!("{mean:.decimals$} \u{b1} {ci95:.decimals$}"),
        other => figure(other, decimals),
    }
}

/// An estimate of an index, which is never below 0 nor above 1, as text with half its 95 % interval, where it has one, or, where that would
/// lead beyond what an index can be, with the ends of the interval, cut off there.
pub fn index_with_interval(estimate: Option<Estimate>, decimals: usize) -> String {
    let printed = |value: f64| (value * 10_f64.powi(decimals as i32)).round();
    match estimate {
        Some(Estimate { mean, ci95: Some(ci95), .. })
            if printed(mean) < printed(ci95) || printed(mean) + printed(ci95) > printed(1.0) =>
        {
            let (low, high) = ((mean - ci95).max(0.0), (mean + ci95).min(1.0));
            format!("{mean:.decimals$} ({low:.decimals$} to {high:.decimals$})")
        }
        other => figure_with_interval(other, decimals),
    }
}

/// The split of the air time: a row for each class that any of `columns`, a title and its shares in the order of
/// [`AirtimeClass::ALL`], has something in. The shares of a column are scaled to percent and add up to exactly 100.0.
pub fn airtime_table(columns: Vec<(String, [f64; AirtimeClass::ALL.len()])>) -> Table {
    let shares: Vec<Vec<u32>> = columns.iter().map(|(_, parts)| per_mille(parts)).collect();
    let titles = columns.into_iter().map(|(title, _)| title);
    let mut table = Table::new(["class".to_owned()].into_iter().chain(titles).collect());
    for (place, class) in AirtimeClass::ALL.into_iter().enumerate() {
        if shares.iter().any(|column| column[place] > 0) {
            let cells = shares.iter().map(|column| tenths(column[place]));
            table.push([class_title(class).to_owned()].into_iter().chain(cells).collect());
        }
    }
    let sums = shares.iter().map(|column| tenths(column.iter().sum()));
    table.push(["sum".to_owned()].into_iter().chain(sums).collect());
    table
}

fn tenths(per_mille: u32) -> String {
    format!("{}.{}", per_mille / 10, per_mille % 10)
}

/// What tables call a class of air time.
pub fn class_title(class: AirtimeClass) -> &'static str {
    match class {
        AirtimeClass::Payload => "payload",
        AirtimeClass::Headers => "headers, delimiters, padding",
        AirtimeClass::Preambles => "preambles, signal extension",
        AirtimeClass::Sifs => "SIFS",
        AirtimeClass::LinkAcks => "link-layer ACKs",
        AirtimeClass::Appended => "appended bytes",
        AirtimeClass::TcpAcks => "TCP ACK frames",
        AirtimeClass::BlockAckRequests => "BlockAck Requests",
        AirtimeClass::RtsCts => "RTS and CTS",
        AirtimeClass::Beacons => "beacons",
        AirtimeClass::InterframeSpace => "AIFS or DIFS",
        AirtimeClass::Backoff => "back-off",
        AirtimeClass::Timeouts => "EIFS and ACK timeouts",
        AirtimeClass::Collisions => "collisions",
        AirtimeClass::Retransmissions => "retransmissions",
        AirtimeClass::Idle => "nothing to send",
        AirtimeClass::Neighbours => "other cells",
    }
}

/// How many columns a line for people has at most, unless a single figure or word is wider.
pub const PAGE_WIDTH: usize = 120;

/// What stands between two columns of a table.
pub(crate) const COLUMN_GAP: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_names_is_wrapped_beside_them() {
        let lines = [("a".to_owned(), "word ".repeat(40)), ("longer".to_owned(), "short".to_owned())];
        let text = described(&lines);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines.iter().all(|line| line.len() <= PAGE_WIDTH), "{text}");
        assert!(lines[0].starts_with(" a       word word"), "{text}");
        assert!(lines[1].starts_with("         word"), "{text}");
        assert_eq!(lines[2], " longer  short");
        assert!(lines[0].len() + " word".len() > PAGE_WIDTH, "{text}");
    }
}

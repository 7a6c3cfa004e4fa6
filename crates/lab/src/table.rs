//! Tables for people: aligned columns, the first to the left and figures to the right, no borders.
//!
//! A table that is wider than the page is divided into several, each of which begins with the first
//! column. [`page`](crate::page) says how wide that is.

use std::fmt;

use ackless_cell::result::AirtimeClass;
use comfy_table::{CellAlignment, LineStyle, TableStyle};
use unicode_width::UnicodeWidthStr as _;

use crate::page::{broken, page_width, wrapped};
use crate::statistics::{Estimate, per_mille};

/// A table under construction.
#[derive(Clone, Debug)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Whether a part of the table that is divided lacks the rows that are zero there.
    drops_zeros: bool,
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
}

impl Table {
    /// A table with these titles, whose lines are divided by newlines.
    pub fn new(header: Vec<String>) -> Self {
        Self { header, rows: Vec::new(), drops_zeros: false }
    }

    /// A table of whole columns, which have as many cells each.
    pub(crate) fn of_columns(columns: &[Column]) -> Self {
        let header = columns.iter().map(|column| column.title.clone()).collect();
        let height = columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
        let row = |n: usize| columns.iter().map(|column| column.cells.get(n).cloned().unwrap_or_default()).collect();
        Self { header, rows: (0..height).map(row).collect(), drops_zeros: false }
    }

    /// The table in as many parts as it takes to keep each within `width` columns. Texts are
    /// wrapped where a part with one figure is still too wide.
    fn pages(&self, width: usize) -> Vec<Self> {
        if page_of(self.widths().iter()) <= width {
            return vec![self.clone()];
        }
        let narrow = self.wrapped(width);
        let widths = narrow.widths();
        let Some((&first, rest)) = widths.split_first() else { return vec![narrow] };
        let mut pages = Vec::new();
        let mut from = 0;
        while from < rest.len() {
            let fits = |&to: &usize| page_of([first].iter().chain(&rest[from..to])) <= width;
            let to = (from + 1..=rest.len()).take_while(fits).last().unwrap_or(from + 1);
            let part = |line: &Vec<String>| [&line[..1], &line[from + 1..=to]].concat();
            let rows = narrow.rows.iter().map(part);
            let shown = |row: &Vec<String>| !self.drops_zeros || row[1..].iter().any(|cell| cell != ZERO);
            pages.push(Self { header: part(&narrow.header), rows: rows.filter(shown).collect(), ..*self });
            from = to;
        }
        if pages.is_empty() { vec![narrow] } else { pages }
    }

    /// The same with the first column and the others so narrow that the first and any other fit.
    fn wrapped(&self, width: usize) -> Self {
        let widths = self.widths();
        let room = width.saturating_sub(page_of([0, 0].iter()));
        let widest = widths.iter().skip(1).copied().max().unwrap_or(0);
        let first = room.saturating_sub(widest).max(NARROWEST.min(room / 2));
        let first = widths.first().map_or(0, |&own| own.min(first));
        let line = |line: &Vec<String>| {
            let cells = line.iter().enumerate();
            cells.map(|(n, cell)| broken(cell, if n == 0 { first } else { room - first })).collect()
        };
        Self { header: line(&self.header), rows: self.rows.iter().map(line).collect(), ..*self }
    }

    /// How many columns of a terminal the widest line of each column takes.
    fn widths(&self) -> Vec<usize> {
        let lines = [&self.header].into_iter().chain(&self.rows);
        let width = |cell: &String| cell.lines().map(str::width).max().unwrap_or(0);
        let of = |n: usize| lines.clone().filter_map(|line| line.get(n)).map(width).max().unwrap_or(0);
        (0..self.header.len()).map(of).collect()
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Keeps the first `len` rows.
    pub fn truncate(&mut self, len: usize) {
        self.rows.truncate(len);
    }

    /// The table without the columns in which no row has anything, but for the first.
    pub fn dense(self) -> Self {
        let has = |n: usize| n == 0 || self.rows.iter().any(|row| row.get(n).is_some_and(|cell| !cell.is_empty()));
        let kept: Vec<_> = (0..self.header.len()).filter(|&n| has(n)).collect();
        let line = |line: &Vec<String>| kept.iter().map(|&n| line[n].clone()).collect();
        Self { header: line(&self.header), rows: self.rows.iter().map(line).collect(), drops_zeros: self.drops_zeros }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, page) in self.pages(page_width()).iter().enumerate() {
            let mut table = comfy_table::Table::new();
            table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('-').junction('-')));
            table.set_header(&page.header);
            for row in &page.rows {
                table.add_row(row);
            }
            for column in table.column_iter_mut().skip(1) {
                column.set_cell_alignment(CellAlignment::Right);
            }
            writeln!(f, "{}{}", if n > 0 { "\n" } else { "" }, table.trim_fmt())?;
        }
        Ok(())
    }
}

/// Names with what is said of each: the names in a column, the texts beside it, wrapped to the width of a page.
pub fn described(lines: &[(String, String)]) -> String {
    columns(lines.iter().map(|(name, said)| (name.as_str(), said.as_str())), " ")
}

/// As [`described`], with the names at the beginning of the line.
pub fn listed(lines: &[(&str, String)]) -> String {
    columns(lines.iter().map(|(name, said)| (*name, said.as_str())), "")
}

fn columns<'a>(lines: impl Iterator<Item = (&'a str, &'a str)> + Clone, margin: &str) -> String {
    let page = page_width();
    let names = lines.clone().map(|(name, _)| name.width()).max().unwrap_or(0);
    let beside = margin.len() + names + NAME_GAP;
    // Where names take most of the page, what is said of them stands below.
    let (below, indent) = if beside * 2 > page { (true, margin.len() + BELOW) } else { (false, beside) };
    let mut text = String::new();
    for (name, said) in lines {
        let said = wrapped(&said.split_whitespace().collect::<Vec<_>>().join(" "), page.saturating_sub(indent));
        let said = said.replace('\n', &format!("\n{:indent$}", ""));
        let gap = if below { format!("\n{:indent$}", "") } else { " ".repeat(beside - margin.len() - name.width()) };
        text.push_str(format!("{margin}{name}{gap}{said}").trim_end());
        text.push('\n');
    }
    text
}

/// How wide a table of columns of these widths is.
fn page_of<'a>(widths: impl Iterator<Item = &'a usize>) -> usize {
    widths.map(|width| width + COLUMN_GAP).sum::<usize>().saturating_sub(1)
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
    table.drops_zeros = true;
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

/// How [`tenths`] writes nothing.
const ZERO: &str = "0.0";
/// What stands between two columns of a table.
const COLUMN_GAP: usize = 3;
/// What stands between a name and what is said of it.
const NAME_GAP: usize = 2;
/// How far what stands below a name is indented.
const BELOW: usize = 4;
/// A first column is not made narrower, where there is room.
const NARROWEST: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{PAGE_WIDTH, within};

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

    /// The widest line of a text.
    fn widest(text: &str) -> usize {
        text.lines().map(str::width).max().unwrap_or(0)
    }

    #[test]
    fn a_table_fits_every_page_and_keeps_every_figure() {
        let mut table = Table::new((0..14).map(|n| format!("title {n}\nof column")).collect());
        for row in 0..5 {
            let name = format!("a name of row {row} that is rather long");
            table.push([name].into_iter().chain((1..14).map(|n| format!("{}", 1_000 * row + n))).collect());
        }
        for width in [40, 41, 57, 80, 119, 120, 200, 1_000] {
            let text = within(width, || table.to_string());
            assert!(widest(&text) <= width, "{width}: {text}");
            let figures = text.split_whitespace().filter(|word| word.parse::<u32>().is_ok_and(|n| n >= 1_000)).count();
            assert_eq!(figures, 4 * 13, "{width}: {text}");
        }
        assert_eq!(within(1_000, || table.to_string()).lines().count(), 8);
        assert!(widest(&table.to_string()) <= PAGE_WIDTH, "the width is that of a page again");
    }

    #[test]
    fn a_table_of_wide_letters_or_a_single_column_fits_too() {
        let mut table = Table::new(vec!["name".to_owned(), "figure".to_owned()]);
        table.push(vec!["\u{65e5}".repeat(15), "1.0".to_owned()]);
        let text = within(40, || table.to_string());
        assert!(widest(&text) <= 40, "{text}");
        let mut single = Table::new(vec!["words".to_owned()]);
        single.push(vec!["word ".repeat(30)]);
        let text = within(40, || single.to_string());
        assert!(widest(&text) <= 40 && text.matches("word ").count() + text.matches("word\n").count() >= 30, "{text}");
    }

    #[test]
    fn a_part_of_the_air_time_has_only_the_classes_in_which_it_has_something() {
        let shares = |class: AirtimeClass| AirtimeClass::ALL.map(|each| if each == class { 1.0 } else { 0.0 });
        let columns = |n: usize, class| (0..n).map(move |n| (format!("{class:?} {n}"), shares(class)));
        let table = airtime_table(columns(6, AirtimeClass::Sifs).chain(columns(6, AirtimeClass::Idle)).collect());
        let text = within(90, || table.to_string());
        let parts: Vec<_> = text.split("\n\n").collect();
        assert!(parts.len() > 1, "{text}");
        let of = |part: &str, class| part.lines().any(|line| line.trim_start().starts_with(class_title(class)));
        let (first, last) = (parts[0], parts[parts.len() - 1]);
        assert!(of(first, AirtimeClass::Sifs) && !of(last, AirtimeClass::Sifs), "{text}");
        assert!(of(last, AirtimeClass::Idle) && parts.iter().all(|part| part.contains(" sum")), "{text}");
    }

    #[test]
    fn a_column_without_anything_is_left_out_and_the_first_stays() {
        let mut table = Table::new(["", "a", "b", "c"].map(str::to_owned).to_vec());
        table.push(["", "", "1", ""].map(str::to_owned).to_vec());
        table.push(["", "", "", "2"].map(str::to_owned).to_vec());
        let dense = table.dense();
        assert_eq!(
            (dense.header, dense.rows[1].clone()),
            (["", "b", "c"].map(str::to_owned).to_vec(), ["", "", "2"].map(str::to_owned).to_vec(),)
        );
    }

    #[test]
    fn what_is_said_of_long_names_stands_below_them() {
        let lines = [("n".repeat(30), "word ".repeat(20)), ("b".to_owned(), "short".to_owned())];
        let text = within(40, || described(&lines));
        assert!(widest(&text) <= 40 && text.starts_with(&format!(" {}\n     word", "n".repeat(30))), "{text}");
        assert_eq!(within(40, || listed(&[("a", "b c".to_owned()), ("long", String::new())])), "a     b c\nlong\n");
    }
}

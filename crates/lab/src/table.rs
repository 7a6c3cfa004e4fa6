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

impl Table {
    /// A table with these titles, whose lines are divided by newlines.
    pub fn new(header: Vec<String>) -> Self {
        Self { header, rows: Vec::new() }
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

fn class_title(class: AirtimeClass) -> &'static str {
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
    }
}

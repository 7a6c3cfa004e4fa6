//! Rows against each other: the same cell with other schemes, ACK policies or values, over several seeds.

use ackless_cell::result::AirtimeClass;
use serde::Serialize;

use crate::case::{Case, LeftOut, left_out_lines};
use crate::entry::{Entry, deeds_line, effort};
use crate::export::estimates_csv;
use crate::finding::finding;
use crate::metric::Metric;
use crate::page::{page_width, wrapped};
use crate::parallel::in_parallel;
use crate::remark::{fairness_column, harm_column, marked_figure, remarks};
use crate::run::{Job, Runner, run_whole};
use crate::served::flow_table;
use crate::table::{Column, Table, airtime_table, described, figure, figure_with_interval, index_with_interval};
use crate::yardstick::{Yardstick, baseline_name};
use crate::{LabError, VERSION};

/// A finished comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The version of Ackless.
    pub version: &'static str,
    /// The scenario's name.
    pub name: String,
    /// What the scenario is about.
    pub title: String,
    /// How many seeds each row has, counted from 1.
    pub seeds: u32,
    /// The rows, in the order in which they were asked for.
    pub rows: Vec<Entry>,
    /// What rows are compared by, the most telling first.
    pub compared_by: Vec<Yardstick>,
    /// The finding, in one sentence: what stands over the tables.
    pub finding: String,
    /// What was not run, where every row was asked for.
    pub left_out: Vec<LeftOut>,
}

impl Comparison {
    /// Runs every one of `cases` with the seeds from 1 to `seeds`, on `threads` threads (0: one for each core); `done` is
    /// called after each run.
    ///
    /// # Errors
    /// Where there is nothing to run, or the threads cannot be started.
    pub fn run(
        runner: &dyn Runner,
        cases: Vec<Case>,
        seeds: u32,
        threads: usize,
        done: &(dyn Fn() + Sync),
    ) -> Result<Self, LabError> {
        let first = cases.first().ok_or(LabError::Nothing("there is no row to compare"))?;
        let (name, title) = (first.scenario.name().to_owned(), first.scenario.title().to_owned());
        if seeds == 0 {
            return Err(LabError::Nothing("a comparison needs at least one seed; set --seeds or run.seeds"));
        }
        let jobs: Vec<_> =
            cases.iter().flat_map(|case| (1..=u64::from(seeds)).map(move |seed| Job { case, seed })).collect();
        let results = in_parallel(&jobs, seeds as usize, Job::simulated_nanos, threads, done, |&job| {
            run_whole(runner, job).map(|record| record.result)
        })?;
        let mut results = results.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter();
        let rows = Entry::all(cases.into_iter().map(|case| (case, results.by_ref().take(seeds as usize).collect())));
        Ok(Self {
            version: VERSION,
            name,
            title,
            seeds,
            compared_by: Yardstick::all(&rows),
            finding: finding(&rows),
            rows,
            left_out: Vec::new(),
        })
    }

    /// How many percent less than the UDP row of the same point `entry` carries; `None` without such a row.
    pub fn loss_against_udp(&self, entry: &Entry) -> Option<f64> {
        entry.loss_against_udp(&self.rows)
    }

    /// As one JSON object, with every run.
    ///
    /// # Errors
    /// Never in practice: every figure is a number.
    pub fn to_json(&self) -> Result<String, LabError> {
        serde_json::to_string_pretty(self).map_err(|error| LabError::Format("JSON", error.to_string()))
    }

    /// As CSV, a line for each row.
    ///
    /// # Errors
    /// As [`estimates_csv`].
    pub fn to_csv(&self) -> Result<String, LabError> {
        estimates_csv(&self.rows)
    }

    /// For people: what was found, in a sentence, and tables: goodput or times, and counts; what must be known of them; what else was measured,
    /// if anything was; the split of the air time.
    pub fn to_text(&self) -> String {
        let title = if self.title.is_empty() { String::new() } else { format!(": {}", self.title) };
        let finding = wrapped(&self.finding, page_width());
        let mut text = format!("{}{title}\n{}\n\n{finding}\n\n", self.name, effort(&self.rows));
        text.push_str(&Table::of_columns(&self.main_columns()).to_string());
        let remarks = remarks(&self.rows, |row| self.label(row));
        if !remarks.is_empty() {
            text.push_str("\n* To be read with care\n\n");
            text.push_str(&described(&remarks));
        }
        if let Some(flows) = flow_table(&self.rows, |row| self.label(row)) {
            text.push_str(&format!("\nGoodput of each flow in Mbps\n\n{flows}"));
        }
        let tables = [TRANSPORT_TABLE, TACK_TABLE, DATAGRAM_TABLE, VIDEO_TABLE]
            .map(|table| self.table_of(&self.measured(table)));
        for table in [self.hack_table(), self.further_table()].into_iter().chain(tables).flatten() {
            text.push('\n');
            text.push_str(&table.to_string());
        }
        let deeds = self.deeds();
        if !deeds.is_empty() {
            text.push_str("\nWhat the schemes did in a run, on average\n\n");
            text.push_str(&described(&deeds));
        }
        text.push_str("\nShare of the air time in %\n\n");
        text.push_str(&self.airtime_table().to_string());
        if !self.left_out.is_empty() {
            text.push_str("\nLeft out\n\n");
            text.push_str(&described(&left_out_lines(&self.left_out)));
        }
        text
    }

    /// What the schemes did, a line for each row with one that counts.
    fn deeds(&self) -> Vec<(String, String)> {
        let line = |row: &Entry| row.deeds().map(|deeds| (self.label(row), deeds_line(&deeds)));
        self.rows.iter().filter_map(line).collect()
    }

    /// What rows are compared by, with what stands beside it.
    fn main_columns(&self) -> Vec<Column> {
        let baseline = baseline_name(&self.rows);
        let mut columns = vec![Column::new("scheme", self.rows.iter().map(|row| self.label(row)))];
        columns.extend(harm_column(&self.rows));
        if self.compared_by.contains(&Yardstick::EndlessGoodput) {
            columns.push(self.measured_by(Yardstick::Goodput));
        }
        for &yardstick in &self.compared_by {
            columns.push(self.measured_by(yardstick));
            let title = yardstick.title_against(baseline);
            columns.extend(self.percents(title, |row| yardstick.against_baseline(row, &self.rows)));
        }
        if let Some(main) = self.compared_by.first() {
            columns.extend(self.percents("loss vs\nudp %", |row| main.loss_against_udp(row, &self.rows)));
        }
        columns.extend(fairness_column(&self.rows));
        let limited = self.rows.iter().all(Entry::is_limited);
        let mut counts = self.measured(GOODPUT_TABLE);
        counts.retain(|metric| limited || !OF_OFFERED.contains(&metric.name));
        columns.extend(counts.into_iter().map(|metric| {
            Column::new(metric.title, self.rows.iter().map(|row| figure(row.estimate(metric), metric.decimals)))
        }));
        columns.extend(self.percents("legacy\nvs tcp %", |row| row.legacy_gain_over_tcp(&self.rows)));
        columns
    }

    fn measured_by(&self, yardstick: Yardstick) -> Column {
        Column::new(yardstick.title(), self.rows.iter().map(|row| marked_figure(row, yardstick)))
    }

    /// A column of percentages; nothing where no row has one.
    fn percents(&self, title: impl Into<String>, of: impl Fn(&Entry) -> Option<f64>) -> Option<Column> {
        let percents: Vec<_> = self.rows.iter().map(of).collect();
        let shown = |percent: &Option<f64>| percent.map(|percent| format!("{percent:.1}")).unwrap_or_default();
        percents.iter().any(Option::is_some).then(|| Column::new(title, percents.iter().map(shown)))
    }

    fn hack_table(&self) -> Option<Table> {
        self.table_of(&self.measured(HACK_TABLE))
    }

    fn further_table(&self) -> Option<Table> {
        let several = self.rows.iter().any(|row| row.case.config.stations.len() > 1);
        let mut columns = self.measured(FURTHER_TABLE);
        columns.retain(|metric| several || !metric.is_index());
        // Without losses on the air it says the same as the collisions.
        let lossy = self.rows.iter().flat_map(|row| &row.runs).any(|run| run.counters.total.air_losses > 0);
        columns.retain(|metric| lossy || metric.name != "retry_rate_percent");
        self.table_of(&columns)
    }

    /// The rows that have any of `columns`; `None` where none has.
    fn table_of(&self, columns: &[&Metric]) -> Option<Table> {
        if columns.is_empty() {
            return None;
        }
        let titles = columns.iter().map(|metric| metric.title.to_owned());
        let mut table = Table::new(["scheme".to_owned()].into_iter().chain(titles).collect());
        for row in self.rows.iter().filter(|row| columns.iter().any(|metric| row.estimate(metric).is_some())) {
            let cells = columns.iter().map(|metric| {
                let shown = if metric.is_index() { index_with_interval } else { figure_with_interval };
                shown(row.estimate(metric), metric.decimals)
            });
            table.push([self.label(row)].into_iter().chain(cells).collect());
        }
        Some(table)
    }

    fn airtime_table(&self) -> Table {
        let columns = self.rows.iter().map(|row| {
            let means = AirtimeClass::ALL.map(|class| row.airtime(class).map_or(0.0, |share| share.mean));
            (self.label(row).replace(' ', "\n"), means)
        });
        airtime_table(columns.collect())
    }

    /// The metrics among `names` that at least one row has.
    fn measured(&self, names: &[&str]) -> Vec<&'static Metric> {
        let metrics = names.iter().filter_map(|name| Metric::find(name));
        metrics.filter(|metric| self.rows.iter().any(|row| row.estimate(metric).is_some())).collect()
    }

    /// The name of a row in tables: its point where that tells rows apart, its scheme where that does, or both.
    pub(crate) fn label(&self, entry: &Entry) -> String {
        let point = entry.case.point_label();
        let one_scheme = self.rows.iter().all(|row| row.case.row.name == entry.case.row.name);
        match (point.is_empty(), one_scheme) {
            (true, _) => entry.case.row.name.to_owned(),
            (false, true) => point,
            (false, false) => format!("{} {point}", entry.case.row.name),
        }
    }
}

const GOODPUT_TABLE: &[&str] = &[
    "offered_mbps",
    "airtime_used_percent",
    "tcp_ack_frames",
    "accesses_per_mb",
    "collision_rate_percent",
    "rtt_median_ms",
    "rtt_p95_ms",
];

/// Those that say something only where flows offer no more than a rate.
const OF_OFFERED: &[&str] = &["offered_mbps", "airtime_used_percent"];

const HACK_TABLE: &[&str] = &["native_acks", "compressed_acks", "bytes_per_compressed_ack", "within_aifs_percent"];

const TRANSPORT_TABLE: &[&str] = &[
    "counted_goodput_mbps",
    "data_packets",
    "counted_retransmissions",
    "acks",
    "acks_per_data_percent",
    "bandwidth_mbps",
    "rtt_min_ms",
];

const TACK_TABLE: &[&str] = &[
    "tacks",
    "start_up_tacks",
    "iacks",
    "tack_hz",
    "rtt_min_sampled_ms",
    "data_loss_percent",
    "ack_loss_percent",
    "blocked_bytes_mean",
];

const DATAGRAM_TABLE: &[&str] = &["datagram_loss_percent", "answers_mbps", "answers_lost_percent"];

const VIDEO_TABLE: &[&str] = &["rebuffering_percent", "stalls", "damaged_per_30min", "skipped_frames"];

const FURTHER_TABLE: &[&str] = &[
    "retry_rate_percent",
    "transfer_p95_ms",
    "completion_last_s",
    "ping_median_ms",
    "ping_p95_ms",
    "jain_goodput",
    "jain_airtime",
];

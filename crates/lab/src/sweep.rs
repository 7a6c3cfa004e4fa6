//! A grid of points, each in several rows and seeds, kept on disk run by run so that it can be resumed.
//!
//! Every finished run is one whole file in `runs/`, named after a hash of what was run: version,
//! effective scenario, row and seed. A later sweep into the same folder takes a run from its file
//! if the file is undamaged and of exactly this run, and runs it again otherwise. The tables are
//! always assembled from what the files say. `kept` reads and writes the files.

use std::path::Path;

use crate::case::Case;
use crate::entry::Entry;
use crate::export::{estimates_csv, runs_csv};
use crate::files;
use crate::kept::{Made, keep};
use crate::parallel::in_parallel;
use crate::remark::{fairness_column, harm_column, marked_figure, remarks};
use crate::run::{Job, Runner};
use crate::table::{Column, Table, described};
use crate::yardstick::{Yardstick, baseline_name};
use crate::{LabError, picture};

/// What a sweep did.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// Every point in every row.
    pub entries: Vec<Entry>,
    /// How many runs were made.
    pub ran: usize,
    /// How many were taken from files.
    pub resumed: usize,
    /// The files that were there and not believed, so that their runs were made again, with the
    /// reason of each.
    pub damaged: Vec<String>,
    /// The names of the files that stand in the folder beside the runs.
    pub files: Vec<&'static str>,
}

impl Sweep {
    /// Runs `cases` with the seeds from 1 to `seeds` into `folder`, for which its caller has taken a [`Place`](crate::place::Place); `done` is
    /// called after each run, made or resumed.
    ///
    /// Writes `sweep.csv`, a line for each point and row with means and intervals, `runs.csv`, a line for each run, and, where one
    /// key or two are swept, the picture `sweep.svg`.
    ///
    /// # Errors
    /// Where there is nothing to run, or the folder cannot be written.
    pub fn run(
        runner: &dyn Runner,
        cases: Vec<Case>,
        seeds: u32,
        threads: usize,
        folder: &Path,
        done: &(dyn Fn() + Sync),
    ) -> Result<Self, LabError> {
        if cases.is_empty() || seeds == 0 {
            return Err(LabError::Nothing("a sweep needs at least one point and one seed"));
        }
        let runs = folder.join("runs");
        files::prepare(&runs)?;
        let jobs: Vec<_> =
            cases.iter().flat_map(|case| (1..=u64::from(seeds)).map(move |seed| Job { case, seed })).collect();
        let outcomes: Result<Vec<_>, _> =
            in_parallel(&jobs, seeds as usize, Job::simulated_nanos, threads, done, |&job| keep(runner, job, &runs))?
                .into_iter()
                .collect();
        let outcomes = outcomes?;
        let resumed = outcomes.iter().filter(|(_, made)| *made == Made::Before).count();
        let ran = outcomes.len() - resumed;
        let damaged = outcomes.iter().filter_map(|(_, made)| match made {
            Made::Again(reason) => Some(reason.clone()),
            Made::Before | Made::Now => None,
        });
        let damaged = damaged.collect();
        let mut results = outcomes.into_iter().map(|(result, _)| result);
        let cases = cases.into_iter().map(|case| (case, results.by_ref().take(seeds as usize).collect()));
        let entries = Entry::all(cases);
        let mut made = vec![("sweep.csv", estimates_csv(&entries)?), ("runs.csv", runs_csv(&entries)?)];
        made.extend(picture::sweep(&entries)?.map(|svg| ("sweep.svg", svg)));
        let contents: Vec<_> = made.iter().map(|(name, content)| (*name, content.as_str())).collect();
        files::write_all(folder, &contents)?;
        Ok(Self { entries, ran, resumed, damaged, files: made.into_iter().map(|(name, _)| name).collect() })
    }

    /// As CSV, a line for each point and row: the text of `sweep.csv`.
    ///
    /// # Errors
    /// As [`estimates_csv`].
    pub fn to_csv(&self) -> Result<String, LabError> {
        estimates_csv(&self.entries)
    }

    /// As a table for people: what rows are compared by at each point in each row, and what must be known of it.
    pub fn to_text(&self) -> String {
        let rows = &self.entries;
        let mut columns = Vec::new();
        for (n, (key, _)) in rows.first().map(|entry| &entry.case.point).into_iter().flatten().enumerate() {
            let values = rows.iter().map(|entry| entry.case.point[n].1.clone());
            columns.push(Column::new(key.replace('.', ".\n"), values));
        }
        columns.push(Column::new("scheme", rows.iter().map(|entry| entry.case.row.name.to_owned())));
        columns.extend(harm_column(rows));
        for yardstick in Yardstick::all(rows) {
            columns.push(Column::new(yardstick.title(), rows.iter().map(|entry| marked_figure(entry, yardstick))));
            let baseline = yardstick.title_against(baseline_name(rows));
            let against = |entry| match yardstick {
                Yardstick::Goodput => yardstick.loss_against_udp(entry, rows),
                _ => yardstick.against_baseline(entry, rows),
            };
            let percents: Vec<_> = rows.iter().map(against).collect();
            if percents.iter().any(Option::is_some) {
                let title = if yardstick == Yardstick::Goodput { "loss vs\nudp %".to_owned() } else { baseline };
                let shown = percents.iter().map(|percent| percent.map(|p| format!("{p:.1}")).unwrap_or_default());
                columns.push(Column::new(title, shown));
            }
        }
        columns.extend(fairness_column(rows));
        let mut text = Table::of_columns(&columns).to_string();
        let remarks = remarks(rows, |entry| format!("{} {}", entry.case.row.name, entry.case.point_label()));
        if !remarks.is_empty() {
            text.push_str("\n* To be read with care\n\n");
            text.push_str(&described(&remarks));
        }
        text
    }
}

//! Files that keys name: what is in them becomes part of the scenario, so that what is stored of it needs no other file.

use std::io;

use crate::error::ScenarioError;
use crate::numbers::{self, Fault};
use crate::scenario::Scenario;
use crate::schema::{Origin, Setting};
use crate::traces;
use crate::value::{Auto, Value};

/// What is in a file, and where its name comes from.
type Content<P> = Option<(Vec<P>, Origin)>;

impl Scenario {
    /// Reads the files that keys name, once all overrides are set, and puts their content in their
    /// place. `read` gets a file's name, and whether that stands in the scenario's own file, so
    /// that it is seen from there.
    ///
    /// # Errors
    /// Where a file cannot be read, a line of it is wrong, or the key that it fills is given too.
    pub fn read_files(&mut self, mut read: impl FnMut(&str, bool) -> io::Result<Vec<u8>>) -> Result<(), ScenarioError> {
        self.read_snr(&mut read)?;
        self.read_rates(&mut read)
    }

    fn read_snr(&mut self, read: &mut dyn FnMut(&str, bool) -> io::Result<Vec<u8>>) -> Result<(), ScenarioError> {
        let shared = self.columns(&self.loss.snr_file_columns, 2..=2)?;
        for n in 0..self.stations.len() {
            let group = &self.stations[n];
            let own = self.columns(&group.snr_file_columns, 2..=2)?.or_else(|| shared.clone());
            let parse = |text: &str| traces::snr(text, own.as_deref());
            if let Some((points, origin)) = self.content(&group.snr_file, &group.snr_trace, read, parse)? {
                let group = &mut self.stations[n];
                (group.snr_trace.value, group.snr_trace.origin) = (Auto::Given(points), origin);
                group.snr_file.reset();
                group.snr_file_columns.reset();
            }
        }
        let parse = |text: &str| traces::snr(text, shared.as_deref());
        let Some((points, origin)) = self.content(&self.loss.snr_file, &self.loss.snr_trace, read, parse)? else {
            return Ok(());
        };
        (self.loss.snr_trace.value, self.loss.snr_trace.origin) = (points, origin);
        self.loss.snr_file.reset();
        self.loss.snr_file_columns.reset();
        Ok(())
    }

    fn read_rates(&mut self, read: &mut dyn FnMut(&str, bool) -> io::Result<Vec<u8>>) -> Result<(), ScenarioError> {
        let columns = self.columns(&self.wired.rate_file_columns, 1..=2)?;
        let parse = |text: &str| traces::rates(text, columns.as_deref());
        let wired = &self.wired;
        let both = self.content(&wired.rate_file, &wired.rate_trace, read, parse)?;
        let down = self.content(&wired.down_rate_file, &wired.down_rate_trace, read, parse)?;
        let up = self.content(&wired.up_rate_file, &wired.up_rate_trace, read, parse)?;
        let wired = &mut self.wired;
        if both.is_some() || down.is_some() || up.is_some() {
            wired.rate_file_columns.reset();
        }
        if let Some((points, origin)) = both {
            (wired.rate_trace.value, wired.rate_trace.origin) = (points, origin);
            wired.rate_file.reset();
        }
        let ways = [
            (down, &mut wired.down_rate_trace, &mut wired.down_rate_file),
            (up, &mut wired.up_rate_trace, &mut wired.up_rate_file),
        ];
        for (content, trace, file) in ways {
            if let Some((points, origin)) = content {
                (trace.value, trace.origin) = (Auto::Given(points), origin);
                file.reset();
            }
        }
        Ok(())
    }

    /// The columns that a key names.
    fn columns(
        &self,
        setting: &Setting<Auto<Vec<u32>>>,
        count: std::ops::RangeInclusive<usize>,
    ) -> Result<Option<Vec<usize>>, ScenarioError> {
        let Auto::Given(columns) = &setting.value else { return Ok(None) };
        let twice = columns.iter().enumerate().any(|(n, column)| columns[..n].contains(column));
        if !count.contains(&columns.len()) || columns.iter().any(|column| !(1..=1_000).contains(column)) || twice {
            let message = format!("{}.{} is {}", setting.section, setting.key, setting.value.word());
            let help =
                "name each column once, counted from 1, as in [1, 3]: that of the times, then that of the values";
            return Err(ScenarioError::new(self.place(setting), message, help));
        }
        Ok(Some(columns.iter().map(|column| *column as usize).collect()))
    }

    /// What is in the file that `name` names, if it names one, for `trace`.
    fn content<T: Value, P>(
        &self,
        name: &Setting<String>,
        trace: &Setting<T>,
        read: &mut dyn FnMut(&str, bool) -> io::Result<Vec<u8>>,
        parse: impl Fn(&str) -> Result<Vec<P>, Fault>,
    ) -> Result<Content<P>, ScenarioError> {
        if name.value.is_empty() {
            return Ok(None);
        }
        let refuse = |message: String, help: &str| {
            ScenarioError::new(self.place(name), format!("{}.{} {message}", name.section, name.key), help)
        };
        if trace.differs() {
            let message = format!("is {:?}, but {}.{} is given too", name.value, trace.section, trace.key);
            return Err(refuse(message, "leave one of them out"));
        }
        let bytes = read(&name.value, matches!(name.origin, Origin::File { .. })).map_err(|error| {
            let help = "name a file of numbers; `ackless scenarios keys` says what its lines hold";
            refuse(format!("is {:?}, which cannot be read: {error}", name.value), help)
        })?;
        // The place is in that file, so that the key which names it is said in the message.
        let wrong = |fault: Fault, text: &str| {
            let place = fault.place(&name.value, text);
            ScenarioError::new(place, format!("{} ({}.{})", fault.message, name.section, name.key), fault.help)
        };
        let text = numbers::text(&bytes).map_err(|(fault, before)| wrong(fault, before))?;
        let points = parse(text).map_err(|fault| wrong(fault, text))?;
        if points.is_empty() {
            return Err(refuse(
                format!("is {:?}, which is empty", name.value),
                "write at least one line, or leave it out",
            ));
        }
        Ok(Some((points, name.origin)))
    }
}

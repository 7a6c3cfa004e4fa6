//! Files that keys name: what is in them becomes part of the scenario, so that what is stored of it needs no other file.

use std::io;

use crate::error::ScenarioError;
use crate::scenario::Scenario;
use crate::schema::{Origin, Setting};
use crate::value::{Auto, SnrPoint};

impl Scenario {
    /// Reads the files that keys name, once all overrides are set, and puts their content in their place. `read` gets a file's name, and whether that
    /// stands in the scenario's own file, so that it is seen from there.
    ///
    /// # Errors
    /// Where a file cannot be read, a line of it is wrong, or the key that it fills is given too.
    pub fn read_files(&mut self, mut read: impl FnMut(&str, bool) -> io::Result<String>) -> Result<(), ScenarioError> {
        let shared = self.points(&self.loss.snr_file, &self.loss.snr_trace, &mut read)?;
        if let Some((points, origin)) = shared {
            (self.loss.snr_trace.value, self.loss.snr_trace.origin) = (points, origin);
            self.loss.snr_file.reset();
        }
        for n in 0..self.stations.len() {
            let group = &self.stations[n];
            if let Some((points, origin)) = self.points(&group.snr_file, &group.snr_trace, &mut read)? {
                let group = &mut self.stations[n];
                (group.snr_trace.value, group.snr_trace.origin) = (Auto::Given(points), origin);
                group.snr_file.reset();
            }
        }
        Ok(())
    }

    /// What is in the file that `name` names, if it names one, for `trace`.
    fn points<T: crate::value::Value>(
        &self,
        name: &Setting<String>,
        trace: &Setting<T>,
        read: &mut impl FnMut(&str, bool) -> io::Result<String>,
    ) -> Result<Option<(Vec<SnrPoint>, Origin)>, ScenarioError> {
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
        let text = read(&name.value, matches!(name.origin, Origin::File { .. })).map_err(|error| {
            let help = "name a file with a time in seconds and an SNR in dB on each line";
            refuse(format!("is {:?}, which cannot be read: {error}", name.value), help)
        })?;
        let points = SnrPoint::of_file(&text).map_err(|(line, detail)| {
            let help = "each line has a time in seconds and an SNR in dB, such as `1.5 20`";
            refuse(format!("is {:?}, whose line {line} is wrong: {detail}", name.value), help)
        })?;
        if points.is_empty() {
            return Err(refuse(
                format!("is {:?}, which is empty", name.value),
                "write at least one line, or leave it out",
            ));
        }
        Ok(Some((points, name.origin)))
    }
}

//! The simulator as the laboratory's runner.

use std::io::BufWriter;
use std::path::Path;
use std::sync::Mutex;

use ackless_cell::config::CellConfig;
use ackless_cell::pcap::PcapWriter;
use ackless_cell::result::RunResult;
use ackless_lab::LabError;
use ackless_lab::files::WholeFile;
use ackless_lab::run::Runner;

/// Runs cells for real.
pub struct Simulator;

impl Runner for Simulator {
    fn run(&self, config: &CellConfig, seed: u64) -> RunResult {
        ackless_cell::run(config, seed)
    }
}

/// Runs one cell and writes what goes over its air.
pub struct Capturing {
    writer: Mutex<PcapWriter<BufWriter<WholeFile>>>,
}

impl Capturing {
    /// Begins the file at `path`.
    pub fn into_file(path: &Path, config: &CellConfig) -> Result<Self, LabError> {
        let writer = PcapWriter::of_cell(BufWriter::new(WholeFile::create(path)?), config);
        Ok(Self { writer: Mutex::new(writer.map_err(|error| unwritten(path, error))?) })
    }

    /// Gives the file its name, if all of it could be written to `path`.
    pub fn finish(self, path: &Path) -> Result<(), LabError> {
        let writer = self.writer.into_inner().expect("the run that held the writer has ended");
        let buffer = writer.finish().map_err(|error| unwritten(path, error))?;
        let file = buffer.into_inner().map_err(|error| unwritten(path, error.into_error()))?;
        file.finish()
    }
}

impl Runner for Capturing {
    fn run(&self, config: &CellConfig, seed: u64) -> RunResult {
        let mut writer = self.writer.lock().expect("one run at a time holds the writer");
        ackless_cell::run_observed(config, seed, &mut *writer)
    }
}

fn unwritten(path: &Path, source: std::io::Error) -> LabError {
    LabError::Io { path: path.to_owned(), action: "the capture cannot be written", source }
}

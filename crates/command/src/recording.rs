//! A run that is recorded as it goes.

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ackless_cell::config::CellConfig;
use ackless_cell::pcap::PcapWriter;
use ackless_cell::result::RunResult;
use ackless_cell::timeline::{Format, Timeline};
use ackless_lab::LabError;
use ackless_lab::error::shown;
use ackless_lab::files::{self, WholeFile};
use ackless_lab::run::Runner;
use ackless_wire::Duration;

use crate::output::Failure;
use crate::{args, capture};

/// Runs one cell and writes what happens in it. No file gets its name before all of them are complete.
pub struct Recording {
    files: Mutex<Files>,
    pcap: Option<PathBuf>,
    timeline: Option<PathBuf>,
}

/// The files in the making: the capture and the timeline.
pub type Files = (Option<PcapWriter<BufWriter<WholeFile>>>, Option<Timeline<BufWriter<WholeFile>>>);

impl Recording {
    /// Begins the files that `options` ask for, where none lies unless they say so.
    pub fn of(options: &args::Recorded, config: &CellConfig) -> Result<Self, Failure> {
        let (pcap, timeline) = (options.pcap.clone(), options.timeline.clone());
        let form = timeline.as_deref().map(format).transpose()?;
        if let (Some(path), true) = (&pcap, pcap == timeline) {
            return Err(Failure::Argument {
                option: "--timeline",
                value: path.display().to_string(),
                message: "the capture goes there already".to_owned(),
                help: "give --pcap and --timeline different names",
            });
        }
        if !options.overwrite {
            let series =
                timeline.as_deref().zip(form).filter(|(_, form)| *form == Format::Csv).map(|(path, _)| series(path));
            files::refuse_to_replace([&pcap, &timeline, &series].into_iter().filter_map(Option::as_deref))?;
        }
        let capture = pcap.as_deref().map(|path| {
            let file = BufWriter::new(WholeFile::create(path)?);
            PcapWriter::of_cell_within(file, config, options.bounds()).map_err(|error| unwritten(path, error))
        });
        let drawn = timeline.as_deref().zip(form).map(|(path, form)| {
            let file = BufWriter::new(WholeFile::create(path)?);
            Timeline::of_cell(file, form, config, INTERVAL).map_err(|error| unwritten(path, error))
        });
        let files = (capture.transpose()?, drawn.transpose()?);
        Ok(Self { files: Mutex::new(files), pcap, timeline })
    }

    /// Gives the files their names, if all of them could be written. Returns what is to be said of
    /// them: which they are, and what the capture lacks.
    pub fn finish(self) -> Result<Vec<String>, LabError> {
        let (capture, timeline) = self.files.into_inner().expect("the run that held the files has ended");
        let mut complete = Vec::new();
        let left_out = capture.as_ref().and_then(PcapWriter::left_out);
        if let (Some(capture), Some(path)) = (capture, &self.pcap) {
            complete.push((path.clone(), whole(path, capture.finish().map_err(|error| unwritten(path, error))?)?));
        }
        if let (Some(timeline), Some(path)) = (timeline, &self.timeline) {
            let (air, flows) = timeline.finish().map_err(|error| unwritten(path, error))?;
            complete.push((path.clone(), whole(path, air)?));
            if let Some(lines) = flows {
                let path = series(path);
                let mut file = WholeFile::create(&path)?;
                file.write_all(&lines).map_err(|error| unwritten(&path, error))?;
                complete.push((path, file));
            }
        }
        let written = complete.into_iter().map(|(path, file)| file.finish().map(|()| shown(&path)));
        let written = format!("written: {}", written.collect::<Result<Vec<_>, _>>()?.join(", "));
        Ok(std::iter::once(written).chain(left_out.map(capture::remark)).collect())
    }
}

#[cfg(all(target_os = "linux", feature = "emulate"))]
impl Recording {
    /// What listens to a cell and writes the files.
    pub fn observer(&mut self) -> &mut Files {
        self.files.get_mut().expect("nobody else holds the files")
    }
}

impl Runner for Recording {
    fn run(&self, config: &CellConfig, seed: u64) -> RunResult {
        let mut files = self.files.lock().expect("one run at a time holds the files");
        ackless_cell::run_observed(config, seed, &mut *files)
    }
}

/// Where the flows go beside the air in this file.
fn series(path: &Path) -> PathBuf {
    path.with_extension("series.csv")
}

/// In what form a timeline goes into a file of this name.
fn format(path: &Path) -> Result<Format, Failure> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => Ok(Format::Csv),
        Some("json") => Ok(Format::Json),
        _ => Err(Failure::Argument {
            option: "--timeline",
            value: path.display().to_string(),
            message: "the name does not say in what form".to_owned(),
            help: "end it in .csv or .json",
        }),
    }
}

/// What was written through the buffer, all of it in the file.
fn whole(path: &Path, buffer: BufWriter<WholeFile>) -> Result<WholeFile, LabError> {
    buffer.into_inner().map_err(|error| unwritten(path, error.into_error()))
}

fn unwritten(path: &Path, source: std::io::Error) -> LabError {
    LabError::Io { path: path.to_owned(), action: "the file cannot be written", source }
}

/// How often a timeline says how each flow stands: a few round trips of a loaded cell, so that a window's saw teeth can be seen.
const INTERVAL: Duration = Duration::from_millis(10);

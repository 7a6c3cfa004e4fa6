//! What every call passes on its way in and out.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration as WallTime;

use ackless_cell::Run;
use ackless_cell::config::CellConfig;
use ackless_cell::observe::{Event, Observer};
use ackless_cell::result::RunResult;
use ackless_cell::timeline::Timeline;
use ackless_lab::LabError;
use ackless_lab::run::Runner;
use ackless_scenario::ScenarioError;
use ackless_wire::{Duration, Instant};
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// The listener of a run from Python; a cell has one or none, so that one compiled cell serves both.
#[derive(Debug)]
pub struct Listener {
    /// Bytes that each flow's application has got since the start.
    pub delivered: Vec<u64>,
    /// The timeline, where one is recorded.
    pub timeline: Option<Timeline<Vec<u8>>>,
}

impl Observer for Listener {
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        if let Event::Delivered { flow, bytes, .. } = event {
            self.delivered[*flow] += bytes.get();
        }
        self.timeline.observe(now, event);
    }

    fn sampling(&self) -> Option<Duration> {
        self.timeline.sampling()
    }
}

/// Does `work`; a panic in it is an exception.
pub fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(broken(&*panic)))
}

/// Does `work`, which runs cells by the runner that it is given, without Python's lock, on a thread of its own; Ctrl-C stops it, and so does a
/// panic, which becomes an exception.
pub fn stoppable<T: Send>(py: Python<'_>, work: impl FnOnce(&Simulator) -> Result<T, LabError> + Send) -> PyResult<T> {
    let simulator = Simulator::default();
    let (outcome, interrupt) = py.detach(|| {
        std::thread::scope(|scope| {
            let (done, is_done) = channel::<()>();
            let simulator = &simulator;
            let worker = scope.spawn(move || {
                // Dropped however the work ends, which is what the other side waits for.
                let _done = done;
                work(simulator)
            });
            let mut interrupt = None;
            while is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                if interrupt.is_none() {
                    interrupt = Python::attach(|py| py.check_signals()).err();
                    simulator.stop.store(interrupt.is_some(), Ordering::Relaxed);
                }
            }
            (worker.join(), interrupt)
        })
    });
    if let Some(interrupt) = interrupt {
        return Err(interrupt);
    }
    match outcome {
        Ok(result) => result.map_err(|error| lab(&error)),
        Err(panic) => Err(broken(&*panic)),
    }
}

/// Runs cells until it is told to stop.
#[derive(Debug, Default)]
pub struct Simulator {
    stop: AtomicBool,
}

impl Simulator {
    /// Advances `run` to its end, unless it is told to stop before.
    pub fn finish(&self, run: &mut Run<'_, Listener>) {
        while !run.is_over() && !self.is_stopped() {
            run.advance(run.now() + SLICE);
        }
    }
}

impl Runner for Simulator {
    fn run(&self, config: &CellConfig, seed: u64) -> RunResult {
        let mut run = Run::new(std::borrow::Cow::Borrowed(config), seed, None);
        self.finish(&mut run);
        run.finish()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// A mistake in a scenario as an exception.
pub fn mistake(error: &ScenarioError) -> PyErr {
    PyValueError::new_err(in_python(&error.to_string()))
}

/// What went wrong in an experiment as an exception.
pub fn lab(error: &LabError) -> PyErr {
    let text = in_python(&error.to_string());
    match error {
        LabError::Unread { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
            PyFileNotFoundError::new_err(text)
        }
        LabError::Unread { .. } | LabError::Io { .. } => PyOSError::new_err(text),
        LabError::Threads(..) | LabError::Format(..) | LabError::Stopped => PyRuntimeError::new_err(text),
        LabError::Scenario(_)
        | LabError::Axis { .. }
        | LabError::Occupied { .. }
        | LabError::Exists(_)
        | LabError::AtWork(_)
        | LabError::Nothing(_)
        | LabError::TooMany(..) => PyValueError::new_err(text),
    }
}

/// A message that names the command's options, in the words of Python.
fn in_python(text: &str) -> String {
    WORDS.iter().fold(text.to_owned(), |text, (command, python)| text.replace(command, python))
}

fn broken(panic: &(dyn Any + Send)) -> PyErr {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    PyRuntimeError::new_err(format!(
        "ackless {} has a defect: {said}\n  help: please report it, with the scenario, the seed and the calls that led here",
        ackless_lab::VERSION
    ))
}

/// What messages of the command say, and what it is in Python.
const WORDS: &[(&str, &str)] = &[
    ("--set ", "set "),
    ("--overwrite", "overwrite=True"),
    ("--threads", "threads"),
    ("`ackless schemes` says", "`ackless.schemes()` says"),
    ("`ackless scenarios show NAME > mine.toml` makes a file", "`ackless.Scenario(NAME).to_toml()` gives a text"),
];

/// How often Ctrl-C is looked for.
pub const PATIENCE: WallTime = WallTime::from_millis(20);
/// How much simulated time passes between two looks at the flag: microseconds of wall time in most cells, milliseconds in the largest.
pub const SLICE: Duration = Duration::from_micros(500);

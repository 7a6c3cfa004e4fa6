//! Printing, complaining, and showing progress.

use std::convert::Infallible;
use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

use ackless_lab::LabError;
use ackless_lab::page::{within, wrapped};
use ackless_lab::table::listed;
use ackless_scenario::ScenarioError;
use ackless_scenario::printable::{brief, printable_lines};
use indicatif::{ProgressBar, ProgressStyle};
use terminal_size::{Height, Width, terminal_size_of};

/// Why a command did not end well.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The experiment could not be made or kept.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// The scenario is wrong.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The cell cannot be emulated here.
    #[cfg(all(target_os = "linux", feature = "emulate"))]
    #[error(transparent)]
    Emu(#[from] ackless_emu::EmuError),
    /// An argument is wrong by itself.
    #[error("{option} {value}: {message}\n  help: {help}", value = brief(value))]
    Argument {
        /// The option.
        option: &'static str,
        /// What it was given.
        value: String,
        /// What is wrong.
        message: String,
        /// What to do.
        help: &'static str,
    },
    /// Standard output cannot be written.
    #[error("standard output: {0}\n  help: send it to a place with room, such as a file on another disk")]
    Output(std::io::Error),
    /// A result could not be written as JSON.
    #[error("the result could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A signal has ended the command before there was a result.
    #[cfg(all(target_os = "linux", feature = "emulate"))]
    #[error("{signal} ended it after {done} of {all} runs: nothing is printed, and nothing is left behind")]
    Signal {
        /// Which signal.
        signal: ackless_emu::signals::Signal,
        /// How many runs were over.
        done: u64,
        /// Of how many.
        all: u64,
    },
    /// Nobody reads standard output any more.
    #[error("standard output is closed")]
    ClosedPipe,
}

/// Writes `text`, and a newline where it has none at its end, to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    let written = out.write_all(text.as_bytes()).and_then(|()| out.write_all(newline.as_bytes()));
    written.and_then(|()| out.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::ClosedPipe,
        _ => Failure::Output(error),
    })
}

/// Prints the text for people that `make` makes, as wide as standard output is.
pub fn print_text(make: impl FnOnce() -> String) -> Result<(), Failure> {
    try_print_text(|| Ok(make()))
}

/// As [`print_text`], where there may be no text.
pub fn try_print_text(make: impl FnOnce() -> Result<String, Failure>) -> Result<(), Failure> {
    print(&printable_lines(&fitted(width_of(terminal_size_of(std::io::stdout())), make)?))
}

/// Prints names with what is said of each. Where nothing says how wide the output is, each has one
/// line.
pub fn print_list(lines: &[(&str, String)]) -> Result<(), Failure> {
    let width = width_of(terminal_size_of(std::io::stdout())).unwrap_or(usize::MAX);
    print(&printable_lines(&within(width, || listed(lines))))
}

/// As [`print_text`], on standard error, as [`remark`].
pub fn remark_text(make: impl FnOnce() -> String) {
    let Ok(text) = fitted(width_of(terminal_size_of(std::io::stderr())), || Ok::<_, Infallible>(make()));
    remark(&text);
}

/// What `make` makes, with tables and lines of at most `width` columns; unknown, tables have those
/// of a page, and lines stay as they are.
fn fitted<E>(width: Option<usize>, make: impl FnOnce() -> Result<String, E>) -> Result<String, E> {
    match width {
        Some(width) => within(width, make).map(|text| wrapped(&text, width)),
        None => make(),
    }
}

/// How many columns lines may have: what the environment says, or else the terminal. `None` where
/// neither is known.
fn width_of(terminal: Option<(Width, Height)>) -> Option<usize> {
    let said = std::env::var_os("COLUMNS").and_then(|columns| columns.to_str()?.trim().parse::<usize>().ok());
    let width = said.filter(|&columns| columns > 0).or(terminal.map(|(Width(columns), _)| columns.into()));
    width.map(|columns| columns.clamp(NARROWEST, WIDEST))
}

/// Tables with two columns of words fit into so many columns.
const NARROWEST: usize = 40;
/// Longer lines are hard to read on any terminal.
const WIDEST: usize = 10_000;

/// What the process says at its end, after complaining where there is something to complain about.
pub fn exit_code(outcome: Result<ExitCode, Failure>) -> ExitCode {
    match outcome {
        Ok(code) => code,
        // Whoever reads has seen enough, as in `ackless compare | head`.
        Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(failure) => {
            complain(&failure);
            match failure {
                #[cfg(all(target_os = "linux", feature = "emulate"))]
                Failure::Signal { signal, .. } => signalled(signal as i32),
                _ => ExitCode::from(2),
            }
        }
    }
}

/// The exit code of a command that a signal of this number has ended, as shells have it: 128 and
/// the number.
#[cfg(all(target_os = "linux", feature = "emulate"))]
pub fn signalled(signal: i32) -> ExitCode {
    ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX))
}

/// Says on standard error why the command ends.
fn complain(failure: &Failure) {
    // Where standard error is closed there is nobody left to tell; the exit code still says it.
    let _ = writeln!(std::io::stderr(), "error: {}", printable_lines(&failure.to_string()));
}

/// Says something on standard error beside the results.
pub fn remark(text: &str) {
    // As above: a remark that nobody can read is no failure.
    let _ = writeln!(std::io::stderr(), "{}", printable_lines(text));
}

/// A bar for `runs` runs on standard error; it shows only on a terminal, and leaves no trace.
pub fn progress(runs: usize) -> ProgressBar {
    let bar = ProgressBar::new(runs as u64);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {elapsed} elapsed, {eta} left");
    bar.set_style(style.expect("the template of the bar is well-formed"));
    // A run can take longer than people wait for a sign of life.
    bar.enable_steady_tick(std::time::Duration::from_millis(250));
    bar
}

/// A sign of life on standard error for a single run; it shows only on a terminal, and leaves no trace.
pub fn spinner() -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_style(
        ProgressStyle::with_template("{spinner} running, {elapsed} elapsed").expect("the template is well-formed"),
    );
    spinner.enable_steady_tick(std::time::Duration::from_millis(250));
    spinner
}

//! The `ackless` command: compare, run, sweep, look at scenarios and schemes, and what theory says.
//!
//! - [`args`]: what can be typed; [`commands`]: one module for each command;
//! - [`recording`]: a run that leaves a capture or a timeline; [`output`]: printing, progress.
//!
//! Every mistake ends with a message that names the place and the remedy, and exit code 2, before anything is written.

mod args;
mod commands;
#[cfg(target_os = "linux")]
mod live;
mod output;
mod recording;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Args, Command};

fn main() -> ExitCode {
    let outcome = match Args::parse().command {
        Command::Compare(options) => commands::compare::run(&options),
        Command::Run(options) => commands::run::run(&options),
        #[cfg(target_os = "linux")]
        Command::Emulate(options) => return commands::emulate::run(&options),
        Command::Sweep(options) => commands::sweep::run(&options),
        Command::Scenarios(options) => commands::scenarios::run(&options),
        Command::Schemes(options) => commands::schemes::run(&options),
        Command::Model(options) => commands::model::run(&options),
    };
    output::exit_code(outcome.map(|()| ExitCode::SUCCESS))
}

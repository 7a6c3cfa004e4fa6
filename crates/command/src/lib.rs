//! The `ackless` command: compare, run, sweep, look at scenarios and schemes, and what theory says.
//!
//! - `args`: what can be typed; `mistakes`: what is said where it cannot; `commands`: one module
//!   for each command;
//! - `recording`: a run that leaves a capture or a timeline; `capture`: how large that may become;
//!   `output`: printing, progress.
//!
//! The command is [`main()`]; [`theory`] is what others ask of it.
//!
//! Every mistake ends with a message that names the place and the remedy, and exit code 2, before anything is written.

mod args;
mod capture;
mod commands;
#[cfg(all(target_os = "linux", feature = "emulate"))]
mod live;
mod mistakes;
mod output;
mod recording;

use std::process::ExitCode;

use ackless_scenario::printable::printable_lines;
use clap::Parser as _;

use args::{Args, Command};

/// The command.
pub fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return mistakes::refuse(error),
    };
    let outcome = match args.command {
        Command::Compare(options) => commands::compare::run(&options),
        Command::Run(options) => commands::run::run(&options),
        #[cfg(all(target_os = "linux", feature = "emulate"))]
        Command::Emulate(options) => return commands::emulate::run(&options),
        Command::Sweep(options) => commands::sweep::run(&options),
        Command::Scenarios(options) => commands::scenarios::run(&options),
        Command::Schemes(options) => commands::schemes::run(&options),
        Command::Model(options) => commands::model::run(&options),
        Command::Completions(options) => commands::completions::run(&options),
        Command::Man(options) => commands::man::run(&options),
    };
    output::exit_code(outcome.map(|()| ExitCode::SUCCESS))
}

/// What `ackless model` answers to these arguments, the question first: the text for people, and JSON.
///
/// # Errors
/// Where an argument is wrong, with the remedy.
pub fn theory(arguments: &[String]) -> Result<(String, String), String> {
    let words = ["ackless", "model"].into_iter().chain(arguments.iter().map(String::as_str));
    let args = Args::try_parse_from(words).map_err(|error| printable_lines(&error.to_string()).into_owned())?;
    let Command::Model(model) = args.command else { return Err("this is no question to theory".to_owned()) };
    commands::model::answered(&model).map_err(|failure| failure.to_string())
}

//! Mistakes in what was typed.

use std::io::ErrorKind;
use std::process::ExitCode;

use ackless_scenario::Row;
use ackless_scenario::amendment::unmodelled;
use ackless_scenario::printable::brief;
use clap::error::{ContextKind, ContextValue, ErrorKind as Mistake};
use clap::{CommandFactory as _, Parser as _};

use crate::args::Args;
use crate::output::{Failure, exit_code, remark};

/// Says what is wrong with the arguments, or shows the help or version that they ask for.
pub fn refuse(mut error: clap::Error) -> ExitCode {
    if matches!(error.kind(), Mistake::DisplayHelp | Mistake::DisplayVersion) {
        // Where nobody reads, as in `ackless --help | head`, nothing is wrong.
        return match error.print() {
            Err(failure) if failure.kind() != ErrorKind::BrokenPipe => exit_code(Err(Failure::Output(failure))),
            _ => ExitCode::SUCCESS,
        };
    }
    let amendment = match (error.get(ContextKind::InvalidArg), error.get(ContextKind::InvalidValue)) {
        (Some(ContextValue::String(option)), Some(ContextValue::String(value))) if option.contains("--standard") => {
            unmodelled(value)
        }
        _ => None,
    };
    if amendment.is_some() {
        // 802.11ax is no mistyped 802.11a.
        error.remove(ContextKind::SuggestedValue);
    }
    let typed: Vec<_> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let shown: Vec<_> = typed.iter().map(|word| brief(word).into_owned()).collect();
    if shown == typed {
        // Where standard error is closed, the exit code still says it.
        let _ = error.print();
    } else {
        // The message quotes what was typed, which a terminal must not obey.
        let error = Args::try_parse_from(&shown).err();
        remark(
            &error
                .map_or_else(|| "error: an argument holds a character that is not shown".to_owned(), |e| e.to_string()),
        );
    }
    advice(&error, &typed).iter().for_each(|help| remark(help));
    amendment.iter().for_each(|amendment| remark(&format!("  help: {amendment} is not modelled")));
    ExitCode::from(2)
}

/// What else can be said about a mistake in the arguments.
fn advice(error: &clap::Error, typed: &[String]) -> Option<String> {
    match error.kind() {
        Mistake::InvalidSubcommand => {
            let mut command = &Args::command();
            for word in typed.iter().skip(1) {
                command = command.find_subcommand(word).unwrap_or(command);
            }
            let names: Vec<_> = command.get_subcommands().map(clap::Command::get_name).collect();
            Some(format!("  help: the commands of `{}` are {}", command.get_name(), names.join(", ")))
        }
        Mistake::UnknownArgument => {
            let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return None };
            if word.contains('=') && !word.starts_with('-') {
                return Some(format!("  help: a key is set by --set {}", brief(word)));
            }
            Row::find(word).is_ok().then(|| format!("  help: schemes are named by an option: --schemes {word}"))
        }
        _ => None,
    }
}

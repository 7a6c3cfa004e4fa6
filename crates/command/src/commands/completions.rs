//! `ackless completions`: a script for a shell.

use ackless_scenario::Row;
use ackless_scenario::builtin::Builtin;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Command, CommandFactory as _};
use clap_complete::Shell as Script;
use clap_complete::generate;

use crate::args::{Args, Completions, Shell};
use crate::output::{Failure, print};

/// Prints the script.
pub fn run(options: &Completions) -> Result<(), Failure> {
    let shell = match options.shell {
        Shell::Bash => Script::Bash,
        Shell::Zsh => Script::Zsh,
        Shell::Fish => Script::Fish,
    };
    let mut script = Vec::new();
    generate(shell, &mut with_names(Args::command()), "ackless", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    match options.shell {
        Shell::Bash => {}
        Shell::Zsh => script = with_files_for_zsh(&script),
        Shell::Fish => script.push_str(&names_for_fish()),
    }
    print(&script)
}

/// The script for zsh with files beside the names of scenarios.
fn with_files_for_zsh(script: &str) -> String {
    let names: Vec<_> = Builtin::all().iter().map(|builtin| builtin.name).collect();
    let names = format!("({})", names.join(" "));
    let either = format!(":{{_alternative \"scenarios:scenario:{names}\" \"files:file:_files\"}}'");
    script.replace(&format!(":{names}'"), &either)
}

/// The names of scenarios and schemes where they are arguments without an option, which the script
/// for fish lacks.
fn names_for_fish() -> String {
    let scenarios: Vec<_> = Builtin::all().iter().map(|builtin| builtin.name).collect();
    let schemes: Vec<_> = Row::all().iter().map(|row| row.name).collect();
    let seen = "__fish_seen_subcommand_from";
    format!(
        "complete -c ackless -n \"{seen} compare run emulate sweep show; and not {seen} schemes\" -a \"{}\"\n\
         complete -c ackless -n \"{seen} schemes\" -f -a \"{}\"\n\
         complete -c ackless -n \"{seen} completions\" -f -a \"bash zsh fish\"\n",
        scenarios.join(" "),
        schemes.join(" ")
    )
}

/// The command with the names of scenarios and schemes as the values of the arguments that take
/// them.
fn with_names(mut command: Command) -> Command {
    let scenarios = || Builtin::all().iter().map(|builtin| PossibleValue::new(builtin.name));
    let schemes = || Row::all().iter().map(|row| PossibleValue::new(row.name));
    let arguments: Vec<_> = command.get_arguments().map(|argument| argument.get_id().clone()).collect();
    for id in arguments {
        let of_schemes = command.get_name() == "schemes" || command.get_name() == "show";
        command = command.mut_arg(&id, |argument| match id.as_str() {
            "scenario" => argument.value_parser(PossibleValuesParser::new(scenarios())),
            "scheme" | "schemes" => argument.value_parser(PossibleValuesParser::new(schemes())),
            "name" if of_schemes => argument.value_parser(PossibleValuesParser::new(schemes())),
            _ => argument,
        });
    }
    command.mut_subcommands(with_names)
}

//! `ackless schemes`: what rows of a comparison can name, and what each is.

use std::fmt::Write as _;

use ackless_lab::table::described;
use ackless_scenario::Row;
use ackless_scenario::builtin::Builtin;

use crate::args::{SchemeAction, Schemes};
use crate::output::{Failure, print_list, print_text};

/// Lists schemes, or shows one.
pub fn run(options: &Schemes) -> Result<(), Failure> {
    if let Some(SchemeAction::Show { name }) = &options.action {
        return show(name);
    }
    if let Some(name) = &options.name {
        return show(name);
    }
    let lines: Vec<_> = Row::all().iter().map(|row| (row.name, row.summary.to_owned())).collect();
    print_list(&lines)
}

fn show(name: &str) -> Result<(), Failure> {
    let row = Row::find(name)?;
    let scenarios = scenarios_with(row)?;
    print_text(|| shown(row, &scenarios))
}

/// All that there is to say of `row`, which these scenarios compare.
fn shown(row: &Row, scenarios: &[&str]) -> String {
    let about = row.about;
    let mut facts = vec![("what", about.what.to_owned()), ("source", about.source.to_owned())];
    facts.extend([("needs", about.needs.to_owned()), ("breaks", about.breaks.to_owned())]);
    if !about.counters.is_empty() {
        facts.push(("counts", format!("{}, and more in JSON", about.counters.join(", "))));
    }
    if !scenarios.is_empty() {
        facts.push(("compared in", scenarios.join(", ")));
    }
    let facts: Vec<_> = facts.into_iter().map(|(name, fact)| (name.to_owned(), fact)).collect();
    let mut text = format!("{}: {}\n\n{}", row.name, row.summary, described(&facts));
    let options: Vec<_> = row
        .options()
        .iter()
        .map(|option| {
            let mark = if option.by_row { "*" } else { " " };
            let name = format!("{mark} {}.{} = {}", option.section, option.key.name, option.value);
            let default = if option.by_row { format!(" Default: {}.", option.key.default) } else { String::new() };
            (name, format!("{}{default}", option.key.summary()))
        })
        .collect();
    let head = "Options: * is set by this scheme; the others are defaults, for a scenario or --set SECTION.KEY=VALUE to change";
    write!(text, "\n{head}\n\n{}", described(&options)).expect("a string takes all that is written");
    text
}

/// The built-in scenarios that compare `row` unless told otherwise.
fn scenarios_with(row: &Row) -> Result<Vec<&'static str>, Failure> {
    let mut names = Vec::new();
    for builtin in Builtin::all() {
        if builtin.scenario()?.rows()?.contains(&row) {
            names.push(builtin.name);
        }
    }
    Ok(names)
}

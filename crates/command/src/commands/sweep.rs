//! `ackless sweep`: every point of a grid, kept in a folder.

use ackless_lab::case::{Axis, left_out_lines};
use ackless_lab::error::shown;
use ackless_lab::input;
use ackless_lab::place::{Kind, Place};
use ackless_lab::run::Simulator;
use ackless_lab::sweep::Sweep;
use ackless_lab::table::described;

use crate::args;
use crate::output::{Failure, print, print_text, progress, remark, remark_text};

/// Runs what is not in the folder yet, and prints the table of all points.
pub fn run(options: &args::Sweep) -> Result<(), Failure> {
    let scenario = options.subject.read()?;
    let axes: Vec<_> = options.over.iter().map(|axis| Axis::parse("--over", axis)).collect::<Result<_, _>>()?;
    let (cases, left_out) = input::cases("--schemes", &options.effort.schemes, &scenario, &axes, None)?;
    let seeds = options.effort.seeds.unwrap_or_else(|| scenario.seeds());
    let _place = Place::take(&options.out, Kind::Sweep, &cases, seeds, options.overwrite)?;
    let bar = progress(cases.len() * seeds as usize);
    let sweep = Sweep::run(&Simulator, cases, seeds, options.effort.threads.into(), &options.out, &|| bar.inc(1));
    bar.finish_and_clear();
    let sweep = sweep?;
    remark(&format!(
        "{} runs made, {} taken from {out}; there now: {}",
        sweep.ran,
        sweep.resumed,
        sweep.files.join(", "),
        out = shown(&options.out)
    ));
    damage(&sweep.damaged).iter().for_each(|line| remark(line));
    if !left_out.is_empty() {
        remark_text(|| format!("left out:\n{}", described(&left_out_lines(&left_out))));
    }
    if options.csv { print(&sweep.to_csv()?) } else { print_text(|| sweep.to_text()) }
}

/// What is said of run files that were not believed; nothing where there are none.
fn damage(files: &[String]) -> Option<String> {
    let (shown, more) = files.split_at(files.len().min(FEW));
    let more = if more.is_empty() { String::new() } else { format!(", and {} more", more.len()) };
    let count = match files.len() {
        0 => return None,
        1 => "1 run file was damaged, and its run was".to_owned(),
        many => format!("{many} run files were damaged, and their runs were"),
    };
    Some(format!("{count} made again: {}{more}", shown.join(", ")))
}

/// So many files are named one by one.
const FEW: usize = 5;

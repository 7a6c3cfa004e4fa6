//! `ackless sweep`: every point of a grid, kept in a folder.

use ackless_lab::case::{Axis, left_out_lines};
use ackless_lab::input;
use ackless_lab::place::{Kind, Place};
use ackless_lab::run::Simulator;
use ackless_lab::sweep::Sweep;
use ackless_lab::table::described;

use crate::args;
use crate::output::{Failure, print, progress, remark};

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
        out = options.out.display()
    ));
    if !left_out.is_empty() {
        remark(&format!("left out:\n{}", described(&left_out_lines(&left_out))));
    }
    print(&if options.csv { sweep.to_csv()? } else { sweep.to_text() })
}

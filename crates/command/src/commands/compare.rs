//! `ackless compare`: schemes, or values of a key, side by side.

use ackless_lab::case::Axis;
use ackless_lab::compare::Comparison;
use ackless_lab::error::shown;
use ackless_lab::files;
use ackless_lab::input;
use ackless_lab::place::{Kind, Place};
use ackless_lab::run::Simulator;
use ackless_scenario::Row;

use crate::args::Compare;
use crate::output::{Failure, print, print_text, progress, remark};

/// Runs the comparison and prints it.
pub fn run(options: &Compare) -> Result<(), Failure> {
    #[cfg(all(target_os = "linux", feature = "emulate"))]
    if options.emulation.emulated {
        return super::emulated::run(options);
    }
    let scenario = options.subject.read()?;
    let axes: Vec<_> = options.vary.iter().map(|axis| Axis::parse("--vary", axis)).collect::<Result<_, _>>()?;
    // Values of a key are compared in the scenario as it is written, unless schemes are asked for too.
    let default = if axes.is_empty() { None } else { Some(Row::STOCK) };
    let (cases, left_out) = input::cases("--schemes", &options.effort.schemes, &scenario, &axes, default)?;
    let seeds = options.effort.seeds.unwrap_or_else(|| scenario.seeds());
    let take = |folder| Place::take(folder, Kind::Comparison, &cases, seeds, options.overwrite);
    // Held until the files are written.
    let _place = options.out.as_deref().map(take).transpose()?;
    let bar = progress(cases.len() * seeds as usize);
    let comparison = Comparison::run(&Simulator, cases, seeds, options.effort.threads.into(), &|| bar.inc(1));
    bar.finish_and_clear();
    let comparison = Comparison { left_out, ..comparison? };
    if let Some(folder) = &options.out {
        let (text, json, csv) = (comparison.to_text(), comparison.to_json()?, comparison.to_csv()?);
        let svg = comparison.to_svg()?;
        let files =
            [("comparison.txt", &text), ("comparison.json", &json), ("comparison.csv", &csv), ("comparison.svg", &svg)];
        files::write_all(folder, &files.map(|(name, content)| (name, content.as_str())))?;
        remark(&format!("written to {}: {}", shown(folder), files.map(|(name, _)| name).join(", ")));
    }
    if options.json {
        print(&comparison.to_json()?)
    } else if options.csv {
        print(&comparison.to_csv()?)
    } else {
        print_text(|| comparison.to_text())
    }
}

//! Our TCP beside the kernel's, on the same path and with the same application: for each situation of `tests/linux-traces`, what
//! both sent, when, and what the sender made of each ACK.
//!
//! ```text
//! cargo run --release -p ackless-tcp --example beside_linux                    # a line for each situation, and where both part
//! cargo run --release -p ackless-tcp --example beside_linux one-loss           # the rows around the first differences
//! cargo run --release -p ackless-tcp --example beside_linux one-loss all       # every row
//! cargo run --release -p ackless-tcp --example beside_linux means              # means of 20 MB, with and without random loss
//! ```
//!
//! Ours is what `transport.preset = linux` sets; with the word `plain` in front of the other arguments it is our TCP as it is by default, with RACK-TLP.
//!
//! The traces are recorded by `tools/linux-traces/record`; their README says what the columns mean. Two packets count as equal
//! if they say the same and their times are within [`TICK`].

mod gro;
mod means;
mod ours;
mod path;
mod side_by_side;
mod trace;

use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use ackless_wire::Duration;

use self::ours::Hosts;
use self::side_by_side::Comparison;
use self::trace::Trace;

/// Outcomes of long transfers, beside the traces.
const MEANS: &str = "means.csv";
/// Windows that are filled in part: a test reads them.
const FILLINGS: &str = "fillings.csv";

/// What the kernel's timers round to: 1/HZ.
const TICK: Duration = Duration::from_millis(4);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(text) => match std::io::stdout().write_all(text.as_bytes()) {
            // Whoever read it has seen enough.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: standard output: {error}");
                ExitCode::FAILURE
            }
            Ok(()) => ExitCode::SUCCESS,
        },
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<String, String> {
    let (hosts, arguments) = match arguments {
        [plain, rest @ ..] if plain == "plain" => (Hosts::Plain, rest),
        all => (Hosts::Linux, all),
    };
    match arguments {
        [] => {
            let lines = names()?.into_iter().map(|name| Ok(compare(&name, hosts)?.line(&name)));
            let lines: Vec<String> = lines.collect::<Result<_, String>>()?;
            Ok(format!("{}\n{}\n", Comparison::HEAD, lines.join("\n")))
        }
        [means] if means == "means" => {
            let (file, text) = read(MEANS)?;
            means::table(&text, hosts).map_err(|error| format!("{file}: {error}"))
        }
        [name] => Ok(compare(name, hosts)?.differences()),
        [name, all] if all == "all" => Ok(compare(name, hosts)?.all()),
        _ => Err("usage: beside_linux [plain] [SITUATION [all] | means]".to_owned()),
    }
}

/// Where the traces are.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/linux-traces")
}

/// The situations of which there are traces.
fn names() -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(folder()).map_err(|error| format!("{}: {error}", folder().display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|file| file != MEANS && file != FILLINGS)
        .filter_map(|file| file.strip_suffix(".csv").map(str::to_owned))
        .collect();
    names.sort();
    Ok(names)
}

fn compare(name: &str, hosts: Hosts) -> Result<Comparison, String> {
    let (file, text) = read(&format!("{name}.csv"))?;
    let (scene, kernel) = Trace::parse(&text).map_err(|error| format!("{file}: {error}"))?;
    let ours = ours::trace(&scene, &kernel, hosts);
    Ok(Comparison { kernel, ours })
}

/// A file of the folder, with where it is.
fn read(name: &str) -> Result<(String, String), String> {
    let file = folder().join(name);
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok((file.display().to_string(), text))
}

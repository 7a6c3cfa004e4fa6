//! What the README tells people to type works, and what it shows is there.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Short runs: the claim is that a command works.
const SHORT: [&str; 6] = ["--set", "run.warm_up=20ms", "--set", "run.measured=50ms", "--set", "flows.stagger=0s"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The lines of the README's blocks of this language, without their comments.
fn lines(language: &str) -> Vec<String> {
    let readme = read("README.md");
    let fence = format!("```{language}\n");
    let blocks = readme.split(&fence).skip(1).filter_map(|rest| rest.split_once("\n```"));
    let lines = blocks.flat_map(|(block, _)| {
        block.lines().map(|line| line.split(" #").next().unwrap_or_default().trim_end().to_owned())
    });
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_first_two_commands_are_the_comparison_and_the_tests_that_ci_runs() {
    let commands = lines("sh");
    assert_eq!(commands[0], "cargo run --release -- compare");
    let ci = read(".ci/run");
    assert!(
        commands[1].starts_with("cargo test ") && ci.lines().any(|line| line.starts_with(&commands[1])),
        "{commands:?}"
    );
    assert!(ci.contains("cargo build --release") && ci.contains("ackless compare"), "{ci}");
}

#[test]
fn every_ackless_command_runs() {
    let commands = lines("sh");
    let typed: Vec<&str> = commands.iter().filter_map(|line| line.strip_prefix("ackless ")).collect();
    for name in ["compare", "run", "sweep", "scenarios", "model"] {
        assert!(typed.iter().any(|line| line.starts_with(name)), "the README does not show `{name}`");
    }
    for line in typed {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut arguments: Vec<&str> = line.split_whitespace().collect();
        if matches!(arguments[0], "compare" | "run" | "sweep") {
            arguments.extend(SHORT);
        }
        if matches!(arguments[0], "compare" | "sweep") {
            arguments.extend(["--seeds", "1"]);
        }
        let output = Command::new(env!("CARGO_BIN_EXE_ackless")).args(&arguments).current_dir(folder.path()).output();
        let output = output.expect("the program can be started");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        for word in arguments
            .iter()
            .filter(|word| ["json", "csv", "pcapng"].iter().any(|end| word.ends_with(&format!(".{end}"))))
        {
            assert!(folder.path().join(word).is_file(), "{line} did not write {word}");
        }
    }
}

#[test]
fn the_printed_table_and_the_picture_have_the_rows_of_the_comparison() {
    let shown = Command::new(env!("CARGO_BIN_EXE_ackless")).args(["scenarios", "show", "wifi-80211n"]).output();
    let shown = String::from_utf8(shown.expect("the program can be started").stdout).expect("output is text");
    let schemes = shown.lines().find_map(|line| line.trim().strip_prefix("schemes = [")).expect("there are schemes");
    let (schemes, _) = schemes.split_once(']').expect("a list ends");
    let table = lines("text").join("\n");
    let picture = read("docs/images/wifi-80211n.svg");
    for scheme in schemes.split(',').map(|name| name.trim().trim_matches('"')) {
        let row = |line: &str| line.split_whitespace().next() == Some(scheme);
        assert!(table.lines().any(row), "the README's table has no row {scheme}");
        assert!(picture.contains(&format!("\n{scheme}\n")), "the README's picture has no row {scheme}");
    }
}

#[test]
fn what_it_links_to_is_there() {
    let readme = read("README.md");
    let targets = readme.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    let named = readme.split('`').skip(1).step_by(2).filter(|name| name.ends_with(".md") || name.starts_with(".ci/"));
    let all: Vec<&str> = targets.chain(named).filter(|target| !target.contains("://")).collect();
    assert!(all.len() > 5, "{all:?}");
    for target in all {
        assert!(root().join(target).exists(), "the README names {target}, which is not there");
    }
}

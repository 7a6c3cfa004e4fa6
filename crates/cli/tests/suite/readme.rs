//! What the README tells people to type works, what it shows is there, and what it says was measured is what the program prints.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Short runs: the claim is that a command works.
const SHORT: [&str; 6] = ["--set", "run.warm_up=20ms", "--set", "run.measured=50ms", "--set", "flows.stagger=0s"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn ackless(arguments: &[&str], folder: &Path) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_ackless")).args(arguments).current_dir(folder).output();
    let output = output.expect("the program can be started");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn printed(arguments: &[&str]) -> String {
    String::from_utf8(ackless(arguments, &root()).stdout).expect("output is text")
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

/// What stands between the marks of this name in a file.
fn between(file: &str, name: &str) -> String {
    let text = read(file);
    let (begin, end) = (format!("<!-- {name}: begin -->\n"), format!("<!-- {name}: end -->\n"));
    let inside = text.split_once(&begin).and_then(|(_, rest)| rest.split_once(&end));
    inside.unwrap_or_else(|| panic!("{file} has no marks of {name}")).0.to_owned()
}

/// The number behind `before` in `text`.
fn number_behind(text: &str, before: &str) -> f64 {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no {before:?} in: {text:.300}"));
    let number: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    number.parse().unwrap_or_else(|error| panic!("{before:?} in {text:.300}: {error}"))
}

/// The rows of the first table in `text`, each whole, by the scheme that it begins with.
fn rows(text: &str) -> Vec<(String, String)> {
    let table = text.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let row = |line: &str| Some((line.strip_prefix("| `")?.split_once('`')?.0.to_owned(), line.to_owned()));
    table.filter_map(row).collect()
}

#[test]
fn it_is_short_and_its_first_screen_has_the_finding_the_picture_and_the_two_commands() {
    let readme = read("README.md");
    assert!(readme.lines().count() <= 150, "{} lines", readme.lines().count());
    let screen = readme.lines().take(18).collect::<Vec<_>>().join("\n");
    let commands = lines("sh");
    for part in ["<!-- finding: end -->", "](docs/images/wifi-80211n.svg)", &commands[0], &commands[1]] {
        assert!(screen.contains(part), "{part:?} is not on the first screen:\n{screen}");
    }
}

#[test]
fn the_finding_is_what_the_comparison_prints() {
    let text = printed(&["compare", "--schemes", "udp,tcp,hack"]);
    let (loses, gives_back) = (number_behind(&text, "tcp loses "), number_behind(&text, "hack gives back "));
    let finding = between("README.md", "finding");
    // Whole percents of what is printed with one decimal.
    let is_about = |before: &str, exact: f64| {
        let whole = number_behind(&finding, before);
        assert!(
            (whole - exact).abs() <= 0.55,
            "{finding} but the program: {loses} and {gives_back}; run tools/comparison/run"
        );
    };
    is_about("TCP loses ", loses);
    is_about("HACK gives back ", gives_back);
    is_about("of these ", loses);
    let picture = read("docs/images/wifi-80211n.svg");
    let drawn = number_behind(&picture, "tcp loses ");
    assert!((drawn - loses).abs() < 1e-9, "the picture says {drawn} %; run tools/comparison/run");
}

#[test]
fn its_tables_are_cut_from_those_of_every_scheme() {
    let known = printed(&["schemes"]);
    let known: Vec<_> = known.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let tables = between("README.md", "tables");
    let heads = [
        ("Host latency 0:", "host latency 0us"),
        ("Host latency 50 us:", "host latency 50us"),
        ("Linux at the hosts (`--set transport.preset=linux`):", "linux hosts"),
    ];
    let places: Vec<_> = heads.iter().map(|(head, _)| tables.find(head)).collect();
    for (n, (head, mark)) in heads.into_iter().enumerate() {
        let from = places[n].unwrap_or_else(|| panic!("README.md has no table under {head}"));
        let table = &tables[from..places.get(n + 1).copied().flatten().unwrap_or(tables.len())];
        let (few, all) = (rows(table), rows(&between("docs/schemes.md", mark)));
        assert_eq!(few.len(), 7, "tcp and six schemes: {table}");
        for row in &few {
            assert!(all.contains(row), "docs/schemes.md has not at {mark}: {}; run tools/comparison/run", row.1);
        }
        for (scheme, _) in &all {
            assert!(known.contains(&scheme.as_str()), "docs/schemes.md has {scheme}, which is no scheme");
        }
    }
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
    let readme = read("README.md");
    let commands = lines("sh");
    let blocks = commands.iter().filter_map(|line| line.strip_prefix("ackless "));
    let in_text = readme.split('`').skip(1).step_by(2).filter_map(|code| code.strip_prefix("ackless "));
    let in_text = in_text.filter(|line| !line.contains("NAME") && !line.contains("mine.toml"));
    let typed: Vec<&str> = blocks.chain(in_text).collect();
    for name in ["compare", "run", "sweep", "scenarios", "model"] {
        assert!(typed.iter().any(|line| line.starts_with(name)), "the README does not show `{name}`");
    }
    for line in typed {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        // What a shell does with it.
        let (line, into) = line.split_once(" > ").map_or((line, None), |(line, file)| (line, Some(file)));
        let mut arguments: Vec<&str> = line.split_whitespace().collect();
        if matches!(arguments[0], "compare" | "run" | "sweep") {
            arguments.extend(SHORT);
        }
        if matches!(arguments[0], "compare" | "sweep") && !arguments.contains(&"--seeds") {
            arguments.extend(["--seeds", "1"]);
        }
        let output = ackless(&arguments, folder.path());
        if let Some(file) = into {
            std::fs::write(folder.path().join(file), &output.stdout).expect("the folder can be written");
            let compared = [&["compare", file, "--seeds", "1"][..], &SHORT].concat();
            ackless(&compared, folder.path());
        }
        for word in arguments
            .iter()
            .filter(|word| ["json", "csv", "pcapng"].iter().any(|end| word.ends_with(&format!(".{end}"))))
        {
            assert!(folder.path().join(word).is_file(), "{line} did not write {word}");
        }
    }
}

#[test]
fn the_picture_has_the_rows_of_the_comparison() {
    let shown = printed(&["scenarios", "show", "wifi-80211n"]);
    let schemes = shown.lines().find_map(|line| line.trim().strip_prefix("schemes = [")).expect("there are schemes");
    let (schemes, _) = schemes.split_once(']').expect("a list ends");
    let picture = read("docs/images/wifi-80211n.svg");
    for scheme in schemes.split(',').map(|name| name.trim().trim_matches('"')) {
        assert!(picture.contains(&format!("\n{scheme}\n")), "the README's picture has no row {scheme}");
    }
}

#[test]
fn what_it_and_the_page_of_every_scheme_link_to_is_there() {
    for (file, folder) in [("README.md", root()), ("docs/schemes.md", root().join("docs"))] {
        let text = read(file);
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
        let named = text.split('`').skip(1).step_by(2).filter(|name| name.starts_with(".ci/"));
        let all: Vec<&str> = targets.chain(named).filter(|target| !target.contains("://")).collect();
        assert!(all.len() >= 2, "{all:?}");
        for target in all {
            assert!(folder.join(target).exists(), "{file} names {target}, which is not there");
        }
    }
}

#[test]
fn what_is_to_be_cited_is_this_version() {
    let citation = read("CITATION.cff");
    let value = |key: &str| {
        let line = citation.lines().find_map(|line| line.strip_prefix(&format!("{key}: ")));
        line.unwrap_or_else(|| panic!("CITATION.cff has no {key}")).trim_matches('"').to_owned()
    };
    assert_eq!(value("version"), env!("CARGO_PKG_VERSION"));
    assert_eq!(value("title"), "Ackless");
    assert_eq!(value("cff-version"), "1.2.0");
}

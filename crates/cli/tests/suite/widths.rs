//! Tables fit the terminal, and long ones are folded.

use std::process::Command;

fn ackless(columns: Option<usize>, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ackless"));
    command.args(arguments).env_remove("COLUMNS");
    if let Some(columns) = columns {
        command.env("COLUMNS", columns.to_string());
    }
    let output = command.output().expect("the program can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is text")
}

const SHORT: [&str; 4] = ["--set", "run.warm_up=100ms", "--set", "run.measured=500ms"];

#[test]
fn every_command_for_people_fits_the_width_that_the_environment_says() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path().to_str().expect("the path is text");
    let runs: [&[&str]; 5] = [
        &["compare", "wifi-hidden", "--seeds", "1", "--schemes", "udp,tcp,hack-opportunistic,tack-wifi"],
        &["compare", "--vary", "ap.scheduler=round-robin,airtime-fair", "--schemes", "tcp,hack", "--seeds", "1"],
        &["run", "wifi-today", "--scheme", "tack-wifi"],
        &["run", "wifi-80211n", "--set", "pings.interval=10ms", "--full"],
        &["sweep", "--over", "ap.scheduler=round-robin,airtime-fair", "--seeds", "1", "--schemes", "tcp", "--out", out],
    ];
    let mut commands: Vec<Vec<&str>> = runs.iter().map(|run| [run, &SHORT[..]].concat()).collect();
    commands.extend([vec!["schemes"], vec!["schemes", "hack-opportunistic"], vec!["scenarios"]]);
    commands.extend(["hack", "ack-agent", "ack-filter", "arq-proxy", "tack"].map(|question| vec!["model", question]));
    for arguments in &commands {
        for columns in [40, 72, 100, 300] {
            let text = ackless(Some(columns), arguments);
            // A single word, such as a path or a formula, may be longer.
            let wide = |line: &&str| line.chars().count() > columns && line.trim().contains(' ');
            assert_eq!(text.lines().find(wide), None, "{columns} columns: ackless {}", arguments.join(" "));
        }
    }
}

#[test]
fn without_a_terminal_a_table_has_120_columns_and_a_list_a_line_for_each_name() {
    let text = ackless(None, &[&["run", "wifi-today", "--scheme", "tack-wifi"], &SHORT[..]].concat());
    let table = text.lines().filter(|line| line.starts_with(' '));
    assert!(table.clone().count() > 20 && table.map(|line| line.chars().count()).all(|width| width <= 120), "{text}");
    let list = ackless(None, &["scenarios"]);
    assert!(list.lines().all(|line| !line.starts_with(' ')), "{list}");
    assert!(ackless(Some(60), &["scenarios"]).lines().any(|line| line.starts_with("      ")));
}

#[test]
fn a_run_folds_its_long_tables_and_shows_them_whole_on_demand() {
    let long = [
        "run",
        "wifi-today",
        "--set",
        "run.warm_up=100ms",
        "--set",
        "run.measured=1500ms",
        "--set",
        "stations.count=4",
    ];
    let folded = ackless(None, &long);
    let full = ackless(None, &[&long[..], &["--full"]].concat());
    assert!(folded.lines().count() < 110, "{folded}");
    assert!(full.lines().count() > folded.lines().count() + 40, "{full}");
    assert!(folded.contains("--full shows all") && !full.contains("--full"), "{folded}");
    let flows =
        "[[stations]]\ncount = 40\n[run]\nmeasured = \"20ms\"\nwarm_up = \"1ms\"\n[[flows]]\nstagger = \"100us\"\n";
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join("many.toml");
    std::fs::write(&file, flows).expect("the folder can be written");
    let text = ackless(None, &["run", file.to_str().expect("the path is text")]);
    assert!(text.contains(" and 16 more; --full shows all 40"), "{text}");
}

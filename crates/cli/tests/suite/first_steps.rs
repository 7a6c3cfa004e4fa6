//! First steps that go wrong: what is wrong, where, and what to do.

use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the command in `folder` with empty standard input: its exit code, standard output and
/// standard error.
fn ackless(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ackless"));
    let output = command.args(arguments).current_dir(folder).stdin(Stdio::null()).output();
    let output = output.expect("the program can be started");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Wrong command lines, divided at spaces, and what the message says.
const WRONG: &[(&str, &[&str])] = &[
    ("rnu", &["unrecognized subcommand 'rnu'", "help: the commands of `ackless` are compare, run, "]),
    ("wifi-80211n", &["unrecognized subcommand", "help: the commands of `ackless` are compare, run, "]),
    ("scenarios wifi-80211n", &["unrecognized subcommand", "help: the commands of `scenarios` are list, show, keys"]),
    ("run wifi-80211ax", &["802.11ax (Wi-Fi 6) is not modelled", "802.11ac are"]),
    ("compare 11be", &["802.11be (Wi-Fi 7) is not modelled", "802.11ac are"]),
    ("emulate wifi6", &["802.11ax (Wi-Fi 6) is not modelled", "802.11ac are"]),
    ("run --set wifi.standard=wifi-80211be", &["802.11be (Wi-Fi 7) is not modelled", "expected one of \"11b\""]),
    ("run wifi-80211m", &["did you mean `wifi-80211n`?", "`ackless scenarios` lists all"]),
    ("run nothing-like-it", &["the nearest are `", "`ackless scenarios` lists all"]),
    ("run hack", &["help: `hack` is a scheme: name it by --scheme"]),
    ("run wifi.mcs=5", &["help: a key is set by an option: --set wifi.mcs=5"]),
    ("run wifi-80211n wifi.mcs=5", &["unexpected argument", "help: a key is set by --set wifi.mcs=5"]),
    ("compare wifi-80211n tcp", &["unexpected argument", "help: schemes are named by an option: --schemes tcp"]),
    ("run mine", &["no built-in scenario", "help: the file of that name is `./mine` here"]),
    (
        "run missing.toml",
        &["missing.toml: the scenario cannot be read", "help: `ackless scenarios show NAME > mine.toml`"],
    ),
    ("run folder/", &["it is a directory, not a file", "help: "]),
    ("run --scheme hax", &["no scheme is called `hax`", "the nearest are `hack`", "`ackless schemes` lists all"]),
    ("run --scheme tcp,hack", &["--scheme tcp,hack: it takes one scheme", "--schemes A,B"]),
    ("run --scheme all", &["it takes one scheme", "--schemes A,B"]),
    ("compare --schemes tcp,,udp", &["a name is missing", "help: leave out the extra comma"]),
    ("compare --seeds 0", &["'0' for '--seeds <N>'", "expected a whole number from 1 to 10000"]),
    ("compare --seeds 1.5", &["'1.5' for '--seeds <N>'", "expected a whole number from 1 to 10000"]),
    ("compare --threads -1", &["'-1' for '--threads <N>'", "expected a whole number from 0 to 1024"]),
    ("run --seed abc", &["'abc' for '--seed <N>'", "expected a whole number from 0 to"]),
    ("run --seeds 5", &["'--seeds'", "'--seed'"]),
    ("run --set wifi.mcs", &["there is no `=`", "help: write section.key=value"]),
    ("run --set mcs=5", &["an override names a section and a key", "help: `mcs` is a key of [wifi]"]),
    (
        "run --set wifi.msc=5",
        &["unknown key `msc` in [wifi]", "did you mean `mcs`?", "`ackless scenarios keys` lists all"],
    ),
    ("run --set wfi.mcs=5", &["unknown section `wfi`", "did you mean `wifi`?"]),
    ("run --set run.measured=5", &["the unit is missing", "help: expected a time with its unit"]),
    ("run --set run.measured=-5s", &["it is negative", "help: expected a time with its unit"]),
    ("run --set run.measured=0s", &["out of range", "help: allowed is from 1ms"]),
    ("run --set loss.down_data=NaN", &["\"NaN\" is not allowed for loss.down_data", "help: expected a probability"]),
    ("run --set wired.rate=0bps", &["wired.rate is zero", "help: "]),
    ("compare --vary wifi.mcs=7..0", &["the range is empty", "help: write the smaller end first"]),
    ("compare --vary wifi.mcs=0..999999", &["the range has more than 10000 values", "help: write fewer"]),
    ("sweep --over wifi.mcs=1,2", &["--out <DIR>"]),
    ("run --pcap no/x.pcapng", &["no: a file cannot be written here", "help: make the folder first"]),
    ("run --pcap mine", &["mine lies there already", "help: name another place"]),
    ("run --pcap x --pcap-limit 10", &["the unit is missing", "amount of data with its unit"]),
    ("run --pcap x --pcap-snaplen 10B", &["expected at least 80B"]),
    ("run --timeline x.txt", &["the name does not say in what form", "help: end it in .csv or .json"]),
    ("compare --out mine", &["mine: the folder cannot be made: not a directory", "help: name another place"]),
    ("schemes hax", &["the nearest are `hack`", "`ackless schemes` lists all"]),
    ("model hack --ack-bytes -1", &["'-1' for '--ack-bytes <BYTES>'"]),
    ("run --set wifi.standard=802.11N", &["did you mean `11n`?", "expected one of"]),
    ("model hack --standard ax", &["'ax' for '--standard <a|n>'", "802.11ax (Wi-Fi 6) is not modelled"]),
    ("completions tcsh", &["possible values: bash, zsh, fish"]),
];

#[test]
fn a_wrong_command_line_is_told_what_where_and_what_to_do_with_exit_code_2() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    std::fs::write(folder.path().join("mine"), "[wifi]\n").expect("the folder can be written");
    std::fs::create_dir(folder.path().join("folder")).expect("the folder can be written");
    for (line, parts) in WRONG {
        if cfg!(not(target_os = "linux")) && line.starts_with("emulate") {
            continue;
        }
        let (code, out, complaint) = ackless(folder.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!((code, out.as_str()), (Some(2), ""), "ackless {line}: {complaint}");
        for part in *parts {
            assert!(complaint.contains(part), "ackless {line}: {part:?} is missing in {complaint}");
        }
        assert!(complaint.contains("help"), "ackless {line}: {complaint}");
        let misleads = complaint.contains("not modelled") && complaint.contains("similar value");
        assert!(!misleads, "ackless {line}: {complaint}");
        assert!(complaint.lines().all(|line| line.chars().count() <= 300), "ackless {line}: {complaint}");
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("the folder can be read").collect();
    assert_eq!(left.len(), 2, "nothing was written");
}

/// Wrong scenario files, and what the message says.
const WRONG_FILES: &[(&[u8], &[&str])] = &[
    (b"[wifi]\nmcs = \"\xff\"\n", &["line 2 is not UTF-8 text (byte 15 of the file)", "help: "]),
    (b"\xff\xfe[\0w\0", &["it is UTF-16; save it as UTF-8"]),
    (b"[wifi]\nmcs = 5\nmcs = 6\n", &["cell.toml:3:1: duplicate key", "help: leave one of them out"]),
    (b"[wifi]\n[wifi]\n", &["cell.toml:2:2: duplicate key", "help: leave one of them out"]),
    (b"[wifi]\nstandard = 11n\n", &["cell.toml:2:12: string values must be quoted\n", "help: write it in quotes"]),
    (b"wifi = 5\n", &["`wifi` is a section, not a key", "help: write [wifi] above its keys"]),
    (b"[[wifi]]\nmcs = 5\n", &["there is only one [wifi]", "help: write [wifi] once"]),
    (b"stations = [1, 2]\n", &["`stations` is a list of tables", "help: write [[stations]]"]),
    (b"[stations]\ncount = [1, 2]\n", &["[1, 2] is not allowed for stations.count", "help: expected a whole number"]),
    (b"[wired]\ndelay = \"-5ms\"\n", &["it is negative", "help: expected a time"]),
    (b"[loss]\nmodel = \"per-frame\"\ndown_data = nan\n", &["nan is not allowed", "help: expected a probability"]),
    (b"{\"wifi\": {\"mcs\": 5}}", &["cell.toml:1:1: ", "help: a scenario is a TOML file"]),
    (b"\x0a\x0d\x0d\x0a and more", &["it is a pcapng capture, and captures are not read yet", "help: "]),
    (b"\xd4\xc3\xb2\xa1 and more", &["it is a pcap capture, and captures are not read yet", "help: "]),
];

#[test]
fn a_wrong_file_is_told_what_where_and_what_to_do_with_exit_code_2_and_so_is_standard_input() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join("cell.toml");
    for (content, parts) in WRONG_FILES {
        std::fs::write(&file, content).expect("the folder can be written");
        for (name, command) in [("cell.toml", "run"), ("-", "compare"), ("-", "scenarios show")] {
            let mut program = Command::new(env!("CARGO_BIN_EXE_ackless"));
            program.args(command.split(' ')).arg(name).current_dir(folder.path());
            let input = std::fs::File::open(&file).expect("the file can be read");
            let output = program.stdin(input).output().expect("the program can be started");
            let complaint = String::from_utf8(output.stderr).expect("it is text");
            assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{complaint}");
            for part in *parts {
                let part = if name == "-" { part.replace("cell.toml", "standard input") } else { (*part).to_owned() };
                assert!(complaint.contains(&part), "{part:?} is missing in {complaint}");
            }
        }
    }
}

#[test]
fn standard_input_is_a_scenario_as_a_file_is() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = folder.path().join("cell.toml");
    std::fs::write(&file, "[wifi]\nmcs = 5\n[run]\nmeasured = \"50ms\"\nwarm_up = \"20ms\"\n")
        .expect("it can be written");
    let show = |name: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_ackless"));
        program.args(["scenarios", "show", name, "--set", "wired.delay=7ms"]).current_dir(folder.path());
        program.stdin(std::fs::File::open(&file).expect("the file can be read"));
        program.output().expect("the program can be started").stdout
    };
    assert!(show("-").starts_with(b"# How long the cell runs") && show("-") == show("cell.toml"));
    // Nothing at all is a scenario, but perhaps not the one that was meant.
    let silent = ["scenarios", "show", "-", "--short"];
    let (code, out, remark) = ackless(folder.path(), &silent);
    assert_eq!((code, remark.as_str()), (Some(0), "standard input sets no key: every key has its default\n"), "{out}");
    let (_, _, remark) = ackless(folder.path(), &["scenarios", "show", "cell.toml", "--short"]);
    assert_eq!(remark, "");
}

#[test]
fn the_short_form_of_a_scenario_is_a_scenario_and_says_only_what_is_different() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let shown = |arguments: &[&str]| ackless(folder.path(), &[&["scenarios", "show"], arguments].concat()).1;
    let short = shown(&["wifi-today", "--short"]);
    assert!(short.len() < 3_000 && shown(&["wifi-today"]).len() > 10 * short.len(), "{short}");
    std::fs::write(folder.path().join("short.toml"), &short).expect("the folder can be written");
    assert_eq!(shown(&["short.toml"]), shown(&["wifi-today"]));
    let row = shown(&["wifi-80211n", "--short", "--scheme", "hack", "--set", "wired.delay=7ms"]);
    assert!(row.contains("name = \"hack\"") && row.contains("delay = \"7ms\""), "{row}");
}

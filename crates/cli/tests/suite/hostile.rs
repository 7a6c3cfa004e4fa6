//! Files and names made to hang a program, to fill a memory, or to command a terminal.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn ackless(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ackless"));
    command.args(arguments).stdin(Stdio::null()).output().expect("the program can be started")
}

/// The message of a command that must fail, all of whose characters are shown ones.
#[track_caller]
fn complaint(arguments: &[&str]) -> String {
    let output = ackless(arguments);
    let text = String::from_utf8(output.stderr).expect("a message is text");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}: {text:?}");
    let hidden = |c: &char| *c != '\n' && (c.is_control() || "\u{200b}\u{202e}\u{2066}\u{feff}".contains(*c));
    assert_eq!(text.chars().find(hidden), None, "{arguments:?}: {text:?}");
    text
}

/// What a terminal obeys or nobody sees.
const HOSTILE: &[&str] =
    &["\u{1b}[2J", "\u{1b}]0;title\u{7}", "\u{9b}31m", "\u{7f}", "\r", "\t", "\n", "\u{202e}", "\u{200b}", "\u{feff}"];

#[test]
fn no_message_about_what_was_typed_holds_a_hidden_character() {
    for text in HOSTILE {
        let with = |start: &str, end: &str| format!("{start}{text}{end}");
        let (word, key, value) = (with("a", "b"), with("wifi.", "x=5"), with("wifi.mcs=", "5x"));
        let (section, file, group) = (with("wi", "fi.mcs=5"), with("no/", ".toml"), with("stations.", ".count=2"));
        let (option, title) = (with("--s", "et"), with("run.title=a", "b"));
        let (values, path) = (with("wifi.mcs=1,", "2"), with("no/", "x.csv"));
        for arguments in [
            &[word.as_str()][..],
            &["run", &word],
            &["run", &option],
            &["run", &file],
            &["run", "--seed", &word],
            &["run", "--scheme", &word],
            &["run", "--set", &word],
            &["run", "--set", &key],
            &["run", "--set", &value],
            &["run", "--set", &section],
            &["run", "--set", &group],
            &["run", "--set", &title],
            &["run", "--timeline", &word],
            &["run", "--timeline", &path],
            &["run", "--pcap", &path],
            &["compare", "--schemes", &word],
            &["compare", "--vary", &word],
            &["compare", "--vary", &values],
            &["sweep", "--over", &values, "--out", &path],
            &["schemes", &word],
            &["model", &word],
        ] {
            complaint(arguments);
        }
    }
}

#[test]
fn no_message_about_a_file_holds_a_hidden_character_nor_does_what_is_made_of_its_name() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for (n, text) in HOSTILE.iter().enumerate() {
        let path = folder.path().join(format!("a{text}{n}.toml"));
        let name = path.to_str().expect("the path is text");
        for content in [
            format!("[wifi] # {text}\nmcs = 5{text}x"),
            format!("{text}wifi = 5{text}"),
            format!("[run]\ntitle = \"\\u{:04x}\"", u32::from(text.chars().next().unwrap_or('x'))),
        ] {
            std::fs::write(&path, content).expect("the folder can be written");
            let message = complaint(&["run", name]);
            assert!(message.lines().count() <= 5, "{message:?}");
        }
        std::fs::write(&path, "[run]\nmeasured = \"20ms\"\nwarm_up = \"1ms\"\n").expect("the folder can be written");
        let out = folder.path().join(format!("out{n}"));
        let out = out.to_str().expect("the path is text");
        let output = ackless(&["compare", name, "--schemes", "tcp,udp", "--seeds", "1", "--out", out]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let kept = |name: &str| std::fs::read(Path::new(out).join(name)).expect("the file was written");
        let json = kept("comparison.json");
        assert!(String::from_utf8_lossy(&json).contains("\\\\"), "the name is written out in JSON");
        for bytes in [output.stdout, output.stderr, kept("comparison.csv"), kept("comparison.svg"), json] {
            let text = String::from_utf8(bytes).expect("it is text");
            let hidden = |c: &char| *c != '\n' && (c.is_control() || "\u{200b}\u{202e}\u{feff}".contains(*c));
            assert_eq!(text.chars().find(hidden), None, "{text:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_and_nothing_waits_for_it() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = |name: &str| folder.path().join(name).to_str().expect("the path is text").to_owned();
    let mkfifo = |path: &str| assert!(Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success()));
    let fifo = path("fifo.toml");
    mkfifo(&fifo);
    let listener = std::os::unix::net::UnixListener::bind(path("socket.toml")).expect("a socket can be made");
    for command in
        [&["run"][..], &["compare"], &["scenarios", "show"], &["sweep", "--over", "wifi.mcs=1", "--out", "o"]]
    {
        for (name, what) in
            [(&fifo, "a FIFO"), (&path("socket.toml"), "a socket"), (&"/dev/zero".to_owned(), "a device")]
        {
            let message = complaint(&[command, &[name.as_str()]].concat());
            assert!(message.contains(&format!("it is {what}, not a regular file")), "{message}");
        }
    }
    drop(listener);
    let message = complaint(&["run", "--set", "loss.model=snr", "--set", &format!("loss.snr_file={fifo}")]);
    assert!(message.contains("it is a FIFO"), "{message}");
    for device in ["/dev/full", "/dev/null"] {
        let message = complaint(&["run", "--pcap", device, "--overwrite", "--set", "run.measured=1ms"]);
        assert!(message.contains("it is a device"), "{message}");
    }
    // In the places of a comparison's and a sweep's own files.
    let out = path("out");
    let short =
        ["--seeds", "1", "--schemes", "tcp", "--set", "run.measured=20ms", "--set", "run.warm_up=1ms", "--out", &out];
    for (command, file) in [
        (&["compare"][..], "comparison.json"),
        (&["compare"], "comparison.csv"),
        (&["sweep", "--over", "wifi.mcs=1"], "sweep.json"),
        (&["sweep", "--over", "wifi.mcs=1"], "runs.csv"),
        (&["sweep", "--over", "wifi.mcs=1"], ".ackless.lock"),
        (&["model", "hack"], "hack.json"),
    ] {
        let _ = std::fs::remove_dir_all(&out);
        std::fs::create_dir(&out).expect("the folder can be written");
        mkfifo(&format!("{out}/{file}"));
        let options = if command[0] == "model" { &short[8..] } else { &short[..] };
        let message = complaint(&[command, options].concat());
        assert!(message.contains(file), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn a_sweep_makes_damaged_runs_again_says_so_and_has_the_same_tables() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path().to_str().expect("the path is text");
    let sweep = || {
        let output = ackless(&[
            "sweep",
            "--over",
            "wifi.mcs=6,7",
            "--seeds",
            "2",
            "--schemes",
            "tcp",
            "--csv",
            "--out",
            out,
            "--set",
            "run.measured=20ms",
            "--set",
            "run.warm_up=1ms",
        ]);
        let said = String::from_utf8(output.stderr).expect("it is text");
        assert!(output.status.success(), "{said}");
        (output.stdout, said)
    };
    let (table, said) = sweep();
    assert!(said.contains("4 runs made") && !said.contains("damaged"), "{said}");
    let mut runs: Vec<_> = std::fs::read_dir(folder.path().join("runs"))
        .expect("there are runs")
        .map(|entry| entry.expect("an entry can be read").path())
        .collect();
    runs.sort();
    let text = std::fs::read_to_string(&runs[0]).expect("a run can be read");
    let at = text.find("\"goodput_mbps\": ").expect("a run has a goodput") + "\"goodput_mbps\": ".len();
    let digit = if text.as_bytes()[at] == b'9' { "1" } else { "9" };
    std::fs::write(&runs[0], format!("{}{digit}{}", &text[..at], &text[at + 1..])).expect("it can be written");
    std::fs::copy(&runs[2], &runs[1]).expect("a run can be copied");
    std::fs::remove_file(&runs[3]).expect("a run can be removed");
    assert!(Command::new("mkfifo").arg(&runs[3]).status().is_ok_and(|status| status.success()));
    let (again, said) = sweep();
    assert_eq!(again, table);
    assert!(said.contains("3 runs made, 1 taken") && said.contains("3 run files were damaged"), "{said}");
    for reason in ["does not match its digest", "it is of another run", "it is a FIFO"] {
        assert!(said.contains(reason), "{reason}: {said}");
    }
    let (last, said) = sweep();
    assert!(last == table && said.contains("0 runs made, 4 taken") && !said.contains("damaged"), "{said}");
}

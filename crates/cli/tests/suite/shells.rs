//! Completions and manual pages.

use std::process::{Command, Output};

fn ackless(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ackless")).args(arguments).output().expect("the program can be started")
}

fn stdout(arguments: &[&str]) -> String {
    let output = ackless(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is text")
}

#[test]
fn each_shell_completes_commands_options_scenarios_and_schemes() {
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&["completions", shell]);
        for word in ["compare", "emulate", "pcap-limit", "wifi-80211n", "tack-buffer", "hack-opportunistic", "bash"] {
            assert!(script.contains(word), "{word} is missing for {shell}");
        }
    }
}

#[test]
fn zsh_completes_scenarios_by_name_or_file() {
    let script = stdout(&["completions", "zsh"]);
    let either = script.matches("{_alternative \"scenarios:scenario:(wifi-80211n ").count();
    let takes_scenarios = if cfg!(target_os = "linux") { 5 } else { 4 };
    assert_eq!(either, takes_scenarios, "compare, run, emulate, sweep and scenarios show take a scenario");
}

/// What Bash offers for the last of these words.
fn offered(words: &[&str]) -> Option<Vec<String>> {
    let line = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    let ask = format!(
        "source /dev/stdin; COMP_WORDS=({line}); COMP_CWORD={}; _ackless ackless '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.len() - 1,
        words.last()?,
        words.get(words.len().checked_sub(2)?)?
    );
    let folder = tempfile::tempdir().ok()?;
    let script = folder.path().join("script");
    std::fs::write(&script, stdout(&["completions", "bash"])).ok()?;
    let bash =
        Command::new("bash").args(["--norc", "-c", &ask]).stdin(std::fs::File::open(script).ok()?).output().ok()?;
    assert!(bash.status.success(), "{}", String::from_utf8_lossy(&bash.stderr));
    Some(String::from_utf8(bash.stdout).ok()?.lines().map(str::to_owned).collect())
}

#[cfg(target_os = "linux")]
#[test]
fn bash_offers_what_can_be_typed() {
    let offered = |words: &[&str]| offered(words).expect("bash can be started");
    assert_eq!(offered(&["ackless", "comp"]), ["compare", "completions"]);
    assert_eq!(offered(&["ackless", "run", "wifi-80211n-"]), ["wifi-80211n-300"]);
    assert_eq!(offered(&["ackless", "run", "--scheme", "hack-t"]), ["hack-timer"]);
    assert_eq!(offered(&["ackless", "schemes", "show", "agent-z"]), ["agent-zoom"]);
    assert_eq!(offered(&["ackless", "scenarios", "show", "tack-ste"]), ["tack-step"]);
}

#[test]
fn each_command_has_a_manual_page() {
    let page = stdout(&["man"]);
    assert!(page.contains(".TH ackless 1") && page.contains(r"ackless\-compare(1)"), "{page}");
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path().to_str().expect("the path is text");
    let written = ackless(&["man", "--out", out]);
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let read = |name: &str| {
        std::fs::read_to_string(folder.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    assert_eq!(read("ackless.1"), page);
    for (name, part) in [
        ("ackless-compare.1", "Compare values of a key"),
        ("ackless-run.1", r"\-\-pcap\-limit"),
        ("ackless-scenarios-show.1", r"\-\-short"),
        ("ackless-model-hack.1", r"\-\-txop"),
    ] {
        assert!(read(name).contains(part), "{name}: {}", read(name));
    }
    let again = ackless(&["man", "--out", out]);
    assert!(again.status.success(), "the same pages are no others");
}

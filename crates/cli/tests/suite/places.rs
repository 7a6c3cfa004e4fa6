//! Results in files: nothing that lies there is replaced unasked, and no two experiments write into one folder.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

fn ackless(arguments: &[&str], out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ackless"));
    command.args(arguments).arg("--out").arg(out);
    command
}

fn run(arguments: &[&str], out: &Path) -> Output {
    ackless(arguments, out).output().expect("the program can be started")
}

#[track_caller]
fn succeeds(arguments: &[&str], out: &Path) {
    let output = run(arguments, out);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Asserts that the command ends with exit code 2 and leaves every file of the folder as it was; gives back its complaint.
#[track_caller]
fn refused(arguments: &[&str], out: &Path) -> String {
    let before = contents(out);
    let output = run(arguments, out);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(contents(out) == before, "files have changed: {complaint}");
    complaint
}

/// Each file of the folder with its content, but for the runs.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let files = entries.map(|entry| entry.expect("an entry can be read").path()).filter(|path| path.is_file());
    let mut files: Vec<_> =
        files.map(|path| (path.display().to_string(), std::fs::read(&path).expect("a file can be read"))).collect();
    files.sort();
    files
}

const SHORT: [&str; 4] = ["--set", "run.warm_up=20ms", "--set", "run.measured=50ms"];

fn sweep<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["sweep", "--over", "wifi.mcs=6,7", "--schemes", "udp,tcp", "--seeds", "2"], &SHORT[..], more].concat()
}

fn compare<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["compare", "--schemes", "udp,tcp", "--seeds", "2"], &SHORT[..], more].concat()
}

#[test]
fn a_sweep_replaces_no_other_unasked_and_grows_where_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path();
    succeeds(&sweep(&[]), out);
    succeeds(&sweep(&[]), out);
    for other in [&["--set", "wired.delay=5ms"][..], &["--over", "stations.count=1"]] {
        let complaint = refused(&sweep(other), out);
        let what = "sweep.json, sweep.csv, runs.csv, sweep.svg are of a sweep of wifi-80211n at wifi.mcs=6; wifi.mcs=7 in tcp, udp, 2 seeds";
        assert!(complaint.contains(what) && complaint.contains("--overwrite"), "{complaint}");
    }
    // Fewer seeds, points or rows would take lines away.
    let fewer = [&["sweep", "--over", "wifi.mcs=6,7", "--schemes", "udp,tcp", "--seeds", "1"], &SHORT[..]].concat();
    refused(&fewer, out);
    let larger =
        [&["sweep", "--over", "wifi.mcs=5..7", "--schemes", "udp,tcp,tcp-l4", "--seeds", "3"], &SHORT[..]].concat();
    succeeds(&larger, out);
    refused(&sweep(&[]), out);
    succeeds(&sweep(&["--set", "wired.delay=5ms", "--overwrite"]), out);
    succeeds(&sweep(&["--set", "wired.delay=5ms"]), out);
    std::fs::remove_file(out.join("sweep.json")).expect("a file can be removed");
    let complaint = refused(&sweep(&["--set", "wired.delay=5ms"]), out);
    assert!(
        complaint.contains("sweep.csv, runs.csv, sweep.svg lie there, and nothing says of what they are"),
        "{complaint}"
    );
}

#[test]
fn a_comparison_replaces_no_other_unasked() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path();
    succeeds(&compare(&[]), out);
    succeeds(&compare(&[]), out);
    for other in [&["--set", "wifi.mcs=5"][..], &["--vary", "wifi.mcs=5,7"]] {
        let complaint = refused(&compare(other), out);
        assert!(complaint.contains("are of a comparison of wifi-80211n in tcp, udp, 2 seeds"), "{complaint}");
        assert!(complaint.contains("comparison.json") && complaint.contains("--overwrite"), "{complaint}");
    }
    succeeds(&compare(&["--set", "wifi.mcs=5", "--overwrite"]), out);
    for name in ["comparison.txt", "comparison.csv", "comparison.json"] {
        std::fs::remove_file(out.join(name)).expect("a file can be removed");
    }
    let complaint = refused(&compare(&[]), out);
    assert!(complaint.contains("comparison.svg lies there, and nothing says of what it is"), "{complaint}");
    succeeds(&compare(&["--overwrite"]), out);
    // A sweep has other files, and may stand beside it.
    succeeds(&sweep(&[]), out);
    let without = Command::new(env!("CARGO_BIN_EXE_ackless")).args(["compare", "--overwrite"]).output();
    assert_eq!(without.expect("the program can be started").status.code(), Some(2));
}

/// A process that is ended with the test, however that ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it waits for another process")]
fn of_two_sweeps_on_one_folder_the_second_says_so_and_one_that_crashed_holds_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path();
    let long =
        ["sweep", "--over", "wifi.mcs=6,7", "--schemes", "udp,tcp", "--seeds", "2", "--set", "run.measured=10000s"];
    let child =
        ackless(&long, out).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program can be started");
    let mut running = Running(child);
    for patience in (0..6_000).rev() {
        if out.join("sweep.json").exists() {
            break;
        }
        assert!(running.0.try_wait().expect("a child can be asked").is_none(), "the first sweep ended by itself");
        assert!(patience > 0, "the first sweep does not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
    for second in [&long[..], &sweep(&["--overwrite"]), &compare(&[])] {
        let complaint = refused(second, out);
        assert!(complaint.contains("another ackless is at work there"), "{complaint}");
    }
    running.0.kill().expect("a child can be ended");
    running.0.wait().expect("a child that was ended ends");
    succeeds(&sweep(&["--overwrite"]), out);
}

#[test]
fn a_run_and_a_model_replace_nothing_unasked_either() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let out = folder.path();
    let at = |name: &str| out.join(name).to_str().expect("the path is text").to_owned();
    let (pcap, csv, json, model) = (at("a.pcapng"), at("a.csv"), at("a.json"), at("model"));
    let ackless = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_ackless")).args(arguments).output();
        let output = output.expect("the program can be started");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let run = |files: &[&str]| ackless(&[&["run"], &SHORT[..], files].concat());
    let refused = |(code, complaint): (Option<i32>, String), there: &str, before: Vec<(String, Vec<u8>)>| {
        assert_eq!(code, Some(2), "{complaint}");
        assert!(complaint.contains(there) && complaint.contains("--overwrite"), "{complaint}");
        assert!(contents(out) == before, "files have changed: {complaint}");
    };
    for files in [&["--pcap", &pcap][..], &["--timeline", &csv], &["--timeline", &json]] {
        assert_eq!(run(files).0, Some(0));
        refused(run(files), files[1], contents(out));
        assert_eq!(run(&[files, &["--overwrite"]].concat()).0, Some(0));
    }
    // The flows beside the air count too, and one file in the way keeps the others from being written.
    std::fs::remove_file(&csv).expect("a file can be removed");
    refused(run(&["--timeline", &csv]), "a.series.csv lies there already", contents(out));
    refused(run(&["--pcap", &at("new.pcapng"), "--timeline", &json]), "a.json lies there already", contents(out));
    assert_eq!(run(&["--overwrite"]).0, Some(2), "there is nothing to replace");

    let ask = |more: &[&str]| ackless(&[&["model", "tack", "--out", &model], more].concat());
    assert_eq!(ask(&[]).0, Some(0));
    assert_eq!(ask(&[]).0, Some(0), "the same answer again");
    let before = contents(Path::new(&model));
    let (code, complaint) = ask(&["--beta", "8"]);
    assert_eq!(code, Some(2), "{complaint}");
    assert!(complaint.contains("tack.json") && complaint.contains("--overwrite"), "{complaint}");
    assert!(contents(Path::new(&model)) == before, "files have changed");
    assert_eq!(ask(&["--beta", "8", "--overwrite"]).0, Some(0));
    assert!(contents(Path::new(&model)) != before);
    assert_eq!(ackless(&["model", "tack", "--overwrite"]).0, Some(2));
}

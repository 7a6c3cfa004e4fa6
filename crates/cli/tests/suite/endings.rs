//! How emulations end: by signals, limits, deleted devices, and what a killed one leaves. Wants
//! what `emulate` wants.
#![cfg(all(target_os = "linux", feature = "emulate"))]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::emulate::{ackless, emulate, has_tools, nothing_is_left_of, signal};

/// The running children of a process: their numbers and names.
fn children(of: u32) -> Vec<(u32, String)> {
    let all = fs::read_dir("/proc").expect("it is mounted").filter_map(|entry| {
        let process = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let (head, rest) = stat.rsplit_once(')')?;
        let mut rest = rest.split_whitespace();
        let runs = rest.next()? != "Z";
        let parent: u32 = rest.next()?.parse().ok()?;
        (runs && parent == of).then(|| (process, head.split_once('(').map_or("", |(_, name)| name).to_owned()))
    });
    all.collect()
}

/// Waits until a process has at least so many children of this name. Panics if it ends before.
#[expect(clippy::disallowed_methods, reason = "another process takes its time")]
fn wait_for_children(parent: &mut Child, name: &str, count: usize) -> Vec<u32> {
    loop {
        if let Some(status) = parent.try_wait().expect("it is a child") {
            panic!("it has ended before it has started {name}: {status}");
        }
        let found: Vec<_> = children(parent.id()).into_iter().filter(|(_, own)| own == name).collect();
        if found.len() >= count {
            return found.into_iter().map(|(process, _)| process).collect();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn ends(child: Child) -> Output {
    child.wait_with_output().expect("it ends")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Whether the signal of this number is ignored here, as SIGHUP is under `nohup`: programs inherit that.
fn is_ignored(number: u32) -> bool {
    let status = fs::read_to_string("/proc/self/status").expect("it is mounted");
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("Linux says what is ignored");
    u64::from_str_radix(mask.trim(), 16).expect("a mask in hexadecimal digits") >> (number - 1) & 1 == 1
}

fn assert_gone(processes: &[u32]) {
    for process in processes {
        let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        assert!(state.is_empty() || state.contains(") Z "), "{state}");
    }
}

/// Runs `script` in a shell, with the program as `$A`.
fn shell(script: &str) -> Output {
    let ran = Command::new("sh").args(["-c", script]).env("A", env!("CARGO_BIN_EXE_ackless")).output();
    ran.expect("there is a shell")
}

/// One with a command, which runs.
fn with_command(name: &str, command: &[&str]) -> (Child, Vec<u32>) {
    let mut child = ackless(&[&["emulate", "wifi-80211n", "--name", name, "--"], command].concat());
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program can be started");
    let processes = wait_for_children(&mut child, command[0], 1);
    (child, processes)
}

#[test]
fn a_comparison_with_the_kernel_that_a_signal_ends_leaves_no_network_and_no_program() {
    if !has_tools(&["iperf3"]) || emulate("c-cmp", &["--duration", "1ms"]).is_none() {
        return;
    }
    for (kind, code) in [("INT", 130), ("TERM", 143)] {
        if is_ignored(code as u32 - 128) {
            eprintln!("SKIPPED: SIG{kind} is ignored here");
            continue;
        }
        let comparison =
            ["compare", "wifi-80211n", "--emulated", "--schemes", "tcp", "--seeds", "1", "--name", "c-cmp"];
        let mut child = ackless(&[&comparison[..], &["--set", "run.measured=30s"]].concat());
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be started");
        let programs = wait_for_children(&mut child, "iperf3", 2);
        signal(&child, &format!("-{kind}"));
        let output = ends(child);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(output.stdout.is_empty() && said(&output).contains(&format!("SIG{kind} ended it")), "{output:?}");
        nothing_is_left_of("c-cmp");
        assert_gone(&programs);
    }
}

#[test]
fn a_signal_ends_the_command_of_an_emulation_and_the_exit_code_says_which() {
    if emulate("c-end", &["--duration", "1ms"]).is_none() {
        return;
    }
    for (kind, code) in [("INT", 130), ("TERM", 143), ("HUP", 129), ("QUIT", 131), ("XCPU", 152)] {
        if is_ignored(code as u32 - 128) {
            eprintln!("SKIPPED: SIG{kind} is ignored here");
            continue;
        }
        let (child, programs) = with_command("c-end", &["sleep", "1000"]);
        signal(&child, &format!("-{kind}"));
        let output = ends(child);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(said(&output).contains(&format!("SIG{kind} came: the command was ended")), "{output:?}");
        nothing_is_left_of("c-end");
        assert_gone(&programs);
    }
}

#[test]
fn under_nohup_an_emulation_outlasts_its_terminal() {
    if emulate("c-nohup", &["--duration", "1ms"]).is_none() {
        return;
    }
    let script =
        "trap '' HUP; exec $A emulate wifi-80211n --name c-nohup -- sh -c 'kill -HUP $PPID; sleep 0.5; exit 9'";
    assert_eq!(shell(script).status.code(), Some(9));
    nothing_is_left_of("c-nohup");
}

#[test]
fn a_command_that_outlasts_the_duration_is_ended_with_all_it_started_and_the_exit_code_says_so() {
    let traps = "trap 'echo tidied; exit 0' TERM; sleep 1000 & sleep 1000";
    let ignores = "trap '' TERM; sleep 1000 & sleep 1000";
    for (script, tidied, killed) in [("sleep 1000", false, false), (traps, true, false), (ignores, false, true)] {
        let Some(output) = emulate("c-over", &["--duration", "500ms", "--", "sh", "-c", script]) else { return };
        assert_eq!(output.status.code(), Some(124), "{output:?}");
        assert!(said(&output).contains("--duration was over: it was ended"), "{output:?}");
        assert_eq!(said(&output).contains("within 2 s of SIGTERM and was killed"), killed, "{script}: {output:?}");
        assert_eq!(output.stdout == b"tidied\n", tidied, "{script}: {output:?}");
        nothing_is_left_of("c-over");
    }
}

#[test]
fn stations_whose_flows_would_begin_after_the_scenario_s_window_are_emulated() {
    for set in ["stations.count=71", "flows.start=20s"] {
        let Some(output) = emulate("c-many", &["--duration", "1ms", "--set", set]) else { return };
        assert!(output.status.success(), "{}", said(&output));
    }
    nothing_is_left_of("c-many");
}

#[test]
fn a_limit_of_open_files_is_named_with_the_number_that_suffices() {
    if emulate("c-files", &["--duration", "1ms"]).is_none() {
        return;
    }
    let limited = |limit: &str| {
        shell(&format!(
            "ulimit -n {limit}; exec $A emulate wifi-80211n --name c-files --set stations.count=40 --duration 1ms"
        ))
    };
    let refused = limited("64");
    let complaint = said(&refused);
    assert_eq!(refused.status.code(), Some(2), "{complaint}");
    let (_, enough) = complaint.split_once("ulimit -n ").expect("it names the remedy");
    let enough: u32 = enough.split(';').next().and_then(|number| number.parse().ok()).expect("it names a number");
    nothing_is_left_of("c-files");
    assert_eq!(limited(&(enough - 1).to_string()).status.code(), Some(2));
    let output = limited(&enough.to_string());
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn what_a_killed_emulation_left_running_is_ended_by_the_next_one_of_its_name_and_said() {
    if emulate("c-killed", &["--duration", "1ms"]).is_none() {
        return;
    }
    let (mut child, programs) = with_command("c-killed", &["sleep", "1000"]);
    signal(&child, "-KILL");
    child.wait().expect("it ends");
    assert!(Path::new(&format!("/proc/{}", programs[0])).exists(), "nobody could end it");
    let next = emulate("c-killed", &["--duration", "1ms"]).expect("the first could be emulated");
    let told = said(&next);
    assert!(told.contains(&format!("process {}", child.id())), "{told}");
    assert!(told.contains("network namespaces 2, running programs 1"), "{told}");
    assert_gone(&programs);
    nothing_is_left_of("c-killed");
}

#[test]
fn an_emulation_waits_for_an_interface_that_is_down_and_ends_with_all_figures_when_it_is_deleted() {
    if !has_tools(&["ip", "ping"]) {
        return;
    }
    let made = shell(
        "set -e; ip netns add c-flap-host; ip link add cflap0 type veth peer name eth0 netns c-flap-host
         ip link set cflap0 up; ip -n c-flap-host addr add 10.77.0.9/16 dev eth0; ip -n c-flap-host link set eth0 up",
    );
    if !made.status.success() {
        return writeln!(std::io::stderr(), "SKIPPED: {}", said(&made)).expect("it takes it");
    }
    // The interface is down until the emulation has said so.
    let script = "ping=\"ip netns exec c-flap-host ping -q -c 2 -i 0.05 10.77.0.1\"
        until_said() { until grep -q \"$1\" $said; do sleep 0.05; done; }
        $ping; ip link set cflap0 down; until_said 'cflap0 of sta-1 is down'
        ip link set cflap0 up; until_said 'cflap0 of sta-1 is up again'; $ping; ip link delete cflap0; sleep 1000";
    let said_to = std::env::temp_dir().join(format!("ackless-{}-flap", std::process::id()));
    let output = shell(&format!(
        "export said={0}; $A emulate wifi-80211n --name c-flap --station-dev cflap0 --json -- sh -c '{1}' 2>{0}
         echo \"code $?\"; cat {0} >&2",
        said_to.display(),
        script.replace('\'', "'\\''")
    ));
    shell("ip netns delete c-flap-host; ip link delete cflap0 2>/dev/null");
    fs::remove_file(&said_to).expect("it is there");
    let printed = String::from_utf8_lossy(&output.stdout);
    if said(&output).contains("/dev/net/tun") || said(&output).contains("run it as root") {
        return writeln!(std::io::stderr(), "SKIPPED: {}", said(&output)).expect("it takes it");
    }
    assert_eq!(printed.matches("2 received").count(), 2, "{printed}{}", said(&output));
    let (json, code) = printed[printed.find('{').expect("there is an object")..].rsplit_once("code").expect("it ends");
    assert_eq!(code.trim(), "125", "{}", said(&output));
    assert!(said(&output).contains("cflap0 of sta-1 was deleted"), "{}", said(&output));
    let told: serde_json::Value = serde_json::from_str(json).expect("it is JSON");
    assert!(told["hosts"][1]["packets_sent"].as_u64() >= Some(4), "{told}");
    assert!(told["hosts"][1]["down_seconds"].as_f64() > Some(0.0), "{told}");
    nothing_is_left_of("c-flap");
}

#[test]
fn a_made_device_that_is_down_for_a_while_or_deleted_loses_no_figures() {
    if !has_tools(&["ip", "ping"]) {
        return;
    }
    let script = "ip link set wifi0 down; ip netns exec c-tun-server ping -q -c 1 -W 1 10.77.0.2
        ip link set wifi0 up; ip route add default dev wifi0; ip netns exec c-tun-server ping -q -c 2 -i 0.05 10.77.0.2; ip link delete wifi0; sleep 1000";
    let Some(output) = emulate("c-tun", &["--", "sh", "-c", script]) else { return };
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("0 received") && printed.contains("2 received"), "{output:?}");
    assert_eq!(output.status.code(), Some(125), "{}", said(&output));
    for told in ["the device of sta-1 was deleted", "Share of the air time", "device down        sta-1 for"] {
        assert!(said(&output).contains(told), "{told}: {}", said(&output));
    }
    nothing_is_left_of("c-tun");
}

#[test]
fn where_a_recording_has_no_room_the_figures_are_printed_and_no_half_file_is_left() {
    if !has_tools(&["ping"]) || emulate("c-room", &["--duration", "1ms"]).is_none() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("ackless-{}-room", std::process::id()));
    fs::create_dir_all(&folder).expect("there is room");
    let output = shell(&format!(
        "cd {}; ulimit -f 8; $A emulate wifi-80211n --name c-room --pcap air.pcapng --json -- ping -q -i 0.002 -c 2000 10.77.0.1",
        folder.display()
    ));
    let left = fs::read_dir(&folder).expect("it is there").count();
    fs::remove_dir_all(&folder).expect("it is there");
    assert_eq!((output.status.code(), left), (Some(2), 0), "{output:?}");
    assert!(said(&output).contains("air.pcapng: the file cannot be written: File too large"), "{}", said(&output));
    assert!(!said(&output).contains(".ackless-"), "the name of a temporary file says nothing: {}", said(&output));
    let printed = String::from_utf8_lossy(&output.stdout);
    let json = &printed[printed.find("{\n").expect("there is an object")..];
    let told: serde_json::Value = serde_json::from_str(json).expect("it is JSON");
    assert!(told["hosts"][1]["packets_sent"].as_u64() > Some(0), "{told}");
    nothing_is_left_of("c-room");
}

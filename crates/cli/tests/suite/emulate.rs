//! `ackless emulate`: programs and their exit codes, what is refused, and that nothing is left behind. Wants root, network namespaces and TUN devices, and says
//! so loudly where it has not got them.
#![cfg(all(target_os = "linux", feature = "emulate"))]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

pub fn ackless(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ackless"));
    command.args(arguments);
    command
}

/// What an emulation says and with what it ends; nothing, and a word why, where nothing can be emulated here.
pub fn emulate(name: &str, arguments: &[&str]) -> Option<Output> {
    let output = ackless(&[&["emulate", "wifi-80211n", "--name", name], arguments].concat()).output();
    let output = output.expect("the program can be started");
    let complaint = String::from_utf8_lossy(&output.stderr);
    if ["run it as root", "/dev/net/tun"].iter().any(|help| complaint.contains(help)) {
        writeln!(std::io::stderr(), "SKIPPED: nothing was emulated: {complaint}").expect("standard error takes a line");
        return None;
    }
    Some(output)
}

/// Whether these programs are here, and IPv6; a word where they are not.
pub fn has_tools(tools: &[&str]) -> bool {
    let here = |tool: &&str| {
        Command::new("sh")
            .args(["-c", &format!("command -v {tool}")])
            .output()
            .is_ok_and(|found| found.status.success())
    };
    let all = tools.iter().all(here) && Path::new("/proc/sys/net/ipv6").exists();
    if !all {
        writeln!(std::io::stderr(), "SKIPPED: this wants {} and IPv6", tools.join(", "))
            .expect("standard error takes a line");
    }
    all
}

pub fn nothing_is_left_of(name: &str) {
    for place in ["server", "sta-1"] {
        let path = format!("/run/netns/{name}-{place}");
        assert!(!Path::new(&path).exists(), "{path} is there");
    }
    let claim = format!("/run/ackless/{name}.json");
    assert!(!Path::new(&claim).exists(), "{claim} is there");
}

#[test]
fn the_exit_code_is_the_commands_and_its_output_has_standard_output_for_itself() {
    let Some(output) = emulate("c-code", &["--", "sh", "-c", "echo it; exit 7"]) else { return };
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "it\n");
    nothing_is_left_of("c-code");
}

#[test]
fn a_command_runs_where_it_is_told_to_and_reaches_the_others_over_both_families() {
    if !has_tools(&["ip", "ping"]) {
        return;
    }
    for (place, own, other) in [("sta-1", "10.77.0.2", "fd77::1"), ("server", "10.77.0.1", "fd77::2")] {
        let script = format!("ip -4 -o addr | grep -q {own}/ && ping -q -c 3 -i 0.05 {other}");
        let Some(output) = emulate("c-where", &["--in", place, "--", "sh", "-c", &script]) else { return };
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{place}: {said}");
        assert!(said.contains("3 received"), "{said}");
    }
}

#[test]
fn figures_of_the_emulation_are_json_with_those_of_a_run() {
    let Some(output) = emulate("c-json", &["--duration", "300ms", "--json"]) else { return };
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(told["scheme"], "stock");
    let seconds = told["sim_seconds"].as_f64().expect("it is a number");
    assert!((0.3..2.0).contains(&seconds), "{seconds}");
    let air = told["airtime_ns"].as_object().expect("there is a ledger");
    let sum: u64 = air.values().filter_map(serde_json::Value::as_u64).sum();
    assert_eq!(sum, (seconds * 1e9).round() as u64, "every nanosecond is booked once");
    assert_eq!(told["hosts"][1]["namespace"], "c-json-sta-1");
    nothing_is_left_of("c-json");
}

#[test]
fn how_evenly_hosts_were_served_is_of_what_they_got_and_gave() {
    if !has_tools(&["ip", "ping"]) {
        return;
    }
    let script = "ping -q -c 10 -i 0.02 -s 1400 10.77.0.1 >&2; ip netns exec c-fair-sta-2 ping -q -c 10 -i 0.02 -s 100 10.77.0.1 >&2; ip netns pids c-fair-sta-3 >&2";
    let arguments = ["--set", "stations.count=3", "--json", "--", "sh", "-ec", script];
    let Some(output) = emulate("c-fair", &arguments) else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    // Ten of 1,408 bytes of ICMP each way at the first station and ten of 108 at the second: 1516^2 / (2 * (1408^2 + 108^2)); the third took no part.
    let jain = told["fairness"]["jain_goodput"].as_f64().expect("it is a number");
    assert!((jain - 0.576_26).abs() < 0.000_1, "{jain}: {said}");
    let airtime = told["fairness"]["jain_airtime"].as_f64().expect("it is a number");
    assert!((0.5..0.99).contains(&airtime), "{airtime}");
}

#[test]
fn what_a_command_has_started_and_left_ends_with_it() {
    let name = "c-left";
    let left = std::env::temp_dir().join(format!("ackless-{}-left", std::process::id()));
    // The first ends by itself and leaves a program at each host; the second is ended, and so is not the one to end what it waits for.
    for (command, duration) in [
        (
            format!(
                "sleep 1000 & ip netns exec {name}-server sh -c \"echo \\$\\$; exec sleep 1000\" & echo $!; sleep 0.3"
            ),
            "20s",
        ),
        ("sleep 1000 & echo $!; sleep 1000; true".to_owned(), "1s"),
    ] {
        let script = format!("({command}) > {}", left.display());
        let Some(output) = emulate(name, &["--duration", duration, "--", "sh", "-c", &script]) else { return };
        let processes = std::fs::read_to_string(&left).expect("the command has written it");
        assert!(!processes.is_empty(), "{output:?}");
        for process in processes.split_whitespace() {
            let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
            assert!(state.is_empty() || state.contains(") Z "), "{script}: {state}");
        }
        nothing_is_left_of(name);
    }
    std::fs::remove_file(&left).expect("it was there");
}

#[test]
fn a_machine_that_does_not_keep_up_is_said_not_to_while_it_does_not_and_at_the_end() {
    if !has_tools(&["ping"]) {
        return;
    }
    // The program is stopped again and again by the command in it.
    let script = "ping -q -i 0.01 -c 200 10.77.0.1 >&2 & for n in 1 2 3 4 5 6 7; do sleep 0.15; kill -STOP $PPID; sleep 0.1; kill -CONT $PPID; done; wait";
    let Some(output) = emulate("c-behind", &["--json", "--", "sh", "-c", script]) else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("this machine does not keep up: within") && said.contains("This machine did not keep up for"),
        "{said}"
    );
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert!(told["behind_seconds"].as_f64() >= Some(1.0), "{}", told["behind_seconds"]);
    // How much of a stop a packet waits that was under way is chance; what counts as late, 3 ms, some have waited.
    assert!(told["lateness"]["max_us"].as_f64() >= Some(3_000.0), "{}", told["lateness"]);
}

#[test]
fn emulations_nest() {
    let inner = env!("CARGO_BIN_EXE_ackless");
    let arguments = ["--", inner, "emulate", "wifi-80211a", "--name", "c-inner", "--", "sh", "-c", "exit 5"];
    let Some(output) = emulate("c-outer", &arguments) else { return };
    assert_eq!(output.status.code(), Some(5), "{}", String::from_utf8_lossy(&output.stderr));
    nothing_is_left_of("c-outer");
    nothing_is_left_of("c-inner");
}

/// One that runs until it is ended, and has made its network.
pub fn endless(name: &str) -> Child {
    let mut child = ackless(&["emulate", "wifi-80211n", "--name", name])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let told = BufReader::new(child.stderr.take().expect("it is a pipe"));
    let ready = told.lines().map_while(Result::ok).any(|line| line.contains("Ctrl-C ends it"));
    assert!(ready, "it says when it is ready");
    child
}

pub fn signal(child: &Child, signal: &str) {
    let sent =
        Command::new("sh").args(["-c", &format!("kill {signal} {}", child.id())]).status().expect("there is a shell");
    assert!(sent.success());
}

#[test]
fn a_signal_ends_it_cleanly_a_live_one_keeps_its_names_and_what_a_killed_one_left_is_removed() {
    if emulate("c-signal", &["--duration", "1ms"]).is_none() {
        return;
    }
    for kind in ["-INT", "-TERM"] {
        let mut child = endless("c-signal");
        signal(&child, kind);
        assert!(child.wait().expect("it ends").success(), "{kind}");
        nothing_is_left_of("c-signal");
    }
    let mut live = endless("c-signal");
    let second = emulate("c-signal", &["--duration", "1ms"]).expect("the first could be emulated");
    assert_eq!(second.status.code(), Some(2));
    let complaint = String::from_utf8_lossy(&second.stderr);
    assert!(complaint.contains(&format!("process {}", live.id())) && complaint.contains("--name"), "{complaint}");
    signal(&live, "-KILL");
    live.wait().expect("it ends");
    assert!(Path::new("/run/netns/c-signal-sta-1").exists(), "nobody could clean up");
    let third = emulate("c-signal", &["--duration", "1ms"]).expect("the first could be emulated");
    assert!(third.status.success(), "{}", String::from_utf8_lossy(&third.stderr));
    nothing_is_left_of("c-signal");
}

#[test]
fn no_root_is_needed_in_namespaces_of_ones_own() {
    if !has_tools(&["unshare", "ping"]) {
        return;
    }
    let inner = format!(
        "mount -t tmpfs tmpfs /run && exec {} emulate wifi-80211n --name c-own -- ping -q -c 2 -i 0.05 fd77::1",
        env!("CARGO_BIN_EXE_ackless")
    );
    let output = Command::new("unshare").args(["-Urnm", "sh", "-c", &inner]).output().expect("there is unshare");
    let complaint = String::from_utf8_lossy(&output.stderr);
    // Where the kernel lets nobody make namespaces, or opens no TUN device to us.
    if complaint.contains("unshare") || complaint.contains("/dev/net/tun") {
        return writeln!(std::io::stderr(), "SKIPPED: nothing was emulated: {complaint}").expect("it takes a line");
    }
    assert!(String::from_utf8_lossy(&output.stdout).contains("2 received"), "{complaint}");
}

#[test]
fn an_interface_takes_the_place_of_a_station_and_a_command_runs_here() {
    if !has_tools(&["ip", "ping"]) {
        return;
    }
    let script = |script: &str| Command::new("sh").args(["-ec", script]).output().expect("there is a shell");
    let made = script(
        "ip netns add c-dev-host; ip link add cdev0 type veth peer name eth0 netns c-dev-host; ip link set cdev0 up
         ip -n c-dev-host addr add 10.77.0.9/16 dev eth0; ip -n c-dev-host link set eth0 up",
    );
    if !made.status.success() {
        return writeln!(std::io::stderr(), "SKIPPED: {}", String::from_utf8_lossy(&made.stderr)).expect("it takes it");
    }
    let inside = "ip netns exec c-dev-host ping -q -c 3 -i 0.05 10.77.0.1 >&2; exit 4";
    let output = emulate("c-dev", &["--station-dev", "cdev0", "--json", "--", "sh", "-c", inside]);
    let refused = emulate("c-dev", &["--station-dev", "cdev0", "--in", "sta-1", "--", "true"]);
    let unknown = emulate("c-dev", &["--server-dev", "nosuch0", "--", "true"]);
    script("ip netns delete c-dev-host; ip link delete cdev0 2>/dev/null || true");
    let (Some(output), Some(refused), Some(unknown)) = (output, refused, unknown) else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("3 received"), "{said}");
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(told["hosts"][1]["interface"], "cdev0");
    assert!(told["hosts"][1]["namespace"].is_null() && told["hosts"][0]["namespace"] == "c-dev-server", "{told}");
    assert!(told["hosts"][1]["packets_sent"].as_u64() >= Some(3), "{told}");
    for (refused, remedy) in [(refused, "--in here"), (unknown, "ip link lists")] {
        let complaint = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{complaint}");
        assert!(complaint.contains(remedy) && refused.stdout.is_empty(), "{complaint}");
    }
    nothing_is_left_of("c-dev");
}

#[test]
fn what_makes_no_emulation_is_refused_with_the_remedy_and_leaves_nothing() {
    let cases: [(&[&str], &str); 5] = [
        (&["--in", "sta-9", "--", "true"], "it has server, sta-1"),
        (&["--", "/nowhere/to-be-found"], "give its path, or install it"),
        (&["--scheme", "hak"], "did you mean"),
        (&["--set", "wifi.topology=ad-hoc"], "name a group of stations"),
        (&["--duration", "5"], "for example 5ms"),
    ];
    for (arguments, remedy) in cases {
        let Some(output) = emulate("c-wrong", arguments) else { return };
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {complaint}");
        assert!(complaint.contains(remedy), "{arguments:?}: {complaint}");
        assert!(output.stdout.is_empty());
        nothing_is_left_of("c-wrong");
    }
    for beside in [["--vary", "wifi.mcs=1,2"], ["--threads", "2"]] {
        let arguments = [&["compare", "wifi-80211n", "--emulated"], &beside[..]].concat();
        let output = ackless(&arguments).output().expect("the program can be started");
        assert_eq!(output.status.code(), Some(2), "{beside:?}");
    }
    let of_hosts = ackless(&["compare", "wifi-80211n", "--emulated", "--schemes", "tcp,tcp-l8"]).output();
    let complaint = of_hosts.expect("the program can be started").stderr;
    assert!(String::from_utf8_lossy(&complaint).contains("--schemes tcp-l8"));
    let unknown = ackless(&["compare", "wifi-80211n", "--emulated", "--tcp", "nosuch"]).output();
    let unknown = unknown.expect("the program can be started");
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("modprobe"));
}

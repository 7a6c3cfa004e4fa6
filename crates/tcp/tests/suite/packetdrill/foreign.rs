//! Scripts of others: packetdrill's own for Linux's TCP, as its repository and the kernel's have
//! them.
//!
//!     PACKETDRILL=~/packetdrill/gtests/net/tcp \
//!         cargo test -p ackless-tcp --test suite packetdrill::foreign -- --nocapture
//!
//! runs every `*.pkt` below that folder against an endpoint with the choices of Linux
//! (`transport.preset = linux`), and prints for each whether it passes, why it does not, or what it
//! needs that is not here. Those scripts have a licence of their own and are no part of this
//! repository. `tests/scripts/README.md` says what remains, and why.

use std::path::Path;

use ackless_tcp::{
    AckChoice, Config, Consume, CubicRule, GrowthRule, NagleRule, PrrRule, RackRule, RecoveryChoice, RenoRule, RtoRule,
    SenderChoices, SlowStartChoice, UndoChoices,
};
use ackless_wire::{Bytes, Duration};

use super::notation::Script;
use super::run::{Strictness, run_as};
use super::setup::Setup;
use super::{Fault, entries};

/// What became of a script.
#[derive(Clone, PartialEq, Debug)]
enum Outcome {
    Passes,
    /// The endpoint does something else.
    Fails(Fault),
    /// It needs something that the endpoint or this reader does not have.
    Refused(Fault),
}

/// An endpoint as `transport.preset = linux` has it, with the buffers that the scripts'
/// `defaults.sh` sets.
fn linux() -> Config {
    Config {
        recovery: RecoveryChoice::Rack,
        ack: AckChoice::Linux { sack_compression: true },
        sender: SenderChoices {
            undo: UndoChoices { eifel: true, frto: true, dsack: true },
            nagle: NagleRule::Minshall,
            rto: RtoRule::Linux,
            reno: RenoRule::Bytes,
            cubic: CubicRule::Linux,
            rack: RackRule::Linux,
            prr: PrrRule::Linux,
            growth: GrowthRule::Linux,
            slow_start: SlowStartChoice::HyStart,
        },
        receive_buffer: Bytes::from_kib(15 * 1024),
        idle_restart: false,
        consume: Consume::ByApplication,
        ..Config::default()
    }
}

fn outcome(text: &str) -> Outcome {
    match run(text) {
        Ok(()) => Outcome::Passes,
        Err(fault) if fault.text.contains("supported") => Outcome::Refused(fault),
        Err(fault) => Outcome::Fails(fault),
    }
}

fn run(text: &str) -> Result<(), Fault> {
    let mut script = Script::parse(&without_restoring(text))?;
    let mut setup = Setup { config: linux(), ipv6: false, tolerance: TOLERANCE };
    for (name, value) in script.settings.iter().map(|(_, name, value)| (name, value)) {
        if name == "tolerance_usecs" {
            setup.tolerance = Duration::from_micros(value.parse().unwrap_or(0));
        }
    }
    for (line, command) in std::mem::take(&mut script.commands) {
        let joined = command.replace("\\\n", " ");
        for command in joined.lines().map(str::trim).filter(|command| !command.is_empty()) {
            obey(&mut setup, line, command)?;
        }
    }
    run_as(&script, setup, Strictness::Bursts)
}

/// The commands that put a kernel back as it was have nothing to do here.
fn without_restoring(text: &str) -> String {
    let is_restoring = |line: &&str| line.trim_start().starts_with('`') && line.contains("sysctl_restore");
    text.lines().map(|line| if is_restoring(&line) { "" } else { line }).collect::<Vec<_>>().join("\n")
}

/// A shell command in front of a script.
fn obey(setup: &mut Setup, line: usize, command: &str) -> Result<(), Fault> {
    let mut words = command.split_whitespace();
    let first = words.next().unwrap_or_default();
    if first.ends_with("defaults.sh") || command.ends_with("root pfifo") {
        return Ok(());
    }
    if first != "sysctl" && !first.ends_with("set_sysctls.py") {
        return Err(Fault::new(line, format!("`{command}` is not supported")));
    }
    for word in words.filter(|word| !word.starts_with('-')) {
        let Some((path, value)) = word.split_once('=') else {
            return Err(Fault::new(line, format!("`{command}` is not supported")));
        };
        let key = path.trim_start_matches("/proc/sys/").replace('/', ".");
        let without_effect = key.strip_prefix("net.ipv4.tcp_").is_some_and(|name| WITHOUT_EFFECT.contains(&name));
        if !without_effect {
            setup.set(line, (&key, value.trim_matches('"')))?;
        }
    }
    Ok(())
}

/// All scripts below a folder, by their paths.
fn below(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for path in entries(folder) {
        if path.is_dir() {
            below(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "pkt") {
            found.push(path);
        }
    }
}

/// Says of each script what became of it; asserts nothing, since they are not ours.
#[test]
fn scripts_of_a_folder_that_is_given() {
    let Some(folder) = std::env::var_os("PACKETDRILL") else { return };
    let mut scripts = Vec::new();
    below(Path::new(&folder), &mut scripts);
    let mut counts = [0; 3];
    for path in &scripts {
        let outcome = outcome(&std::fs::read_to_string(path).expect("a script can be read"));
        let name = path.strip_prefix(&folder).unwrap_or(path).display();
        match &outcome {
            Outcome::Passes => println!("passes   {name}"),
            Outcome::Fails(Fault { line, text }) => println!("fails    {name}:{line}: {text}"),
            Outcome::Refused(Fault { line, text }) => println!("refused  {name}:{line}: {text}"),
        }
        counts[match outcome {
            Outcome::Passes => 0,
            Outcome::Fails(_) => 1,
            Outcome::Refused(_) => 2,
        }] += 1;
    }
    println!("{} scripts: {} pass, {} fail, {} refused", scripts.len(), counts[0], counts[1], counts[2]);
}

/// A script of our own, written as those of others are.
const EXAMPLE: &str = "
// Ten of ten segments, acknowledged five by five.
`../../common/defaults.sh
sysctl -q net.ipv4.tcp_min_tso_segs=10 \\
          net/ipv4/tcp_congestion_control=reno`

    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
  +.1 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,nop,nop,wscale 7>
   +0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK,nop,wscale 8>
  +.1 < . 1:1(0) ack 1 win 257
   +0 accept(3, ..., ...) = 4
   +0 write(4, ..., 10000) = 10000
   +0 > P. 1:10001(10000) ack 1
+.105 < . 1:1(0) ack 5001 win 257
   +0 < . 1:1(0) ack 10001 win 257
   +0 %{ assert tcpi_snd_cwnd == 20, 'cwnd=%d' % tcpi_snd_cwnd }%
`/tmp/sysctl_restore_${PPID}.sh`
";

#[test]
fn a_script_of_others_passes_fails_or_is_refused() {
    assert_eq!(outcome(EXAMPLE), Outcome::Passes);
    let fails = outcome(&EXAMPLE.replace("== 20", "== 21"));
    assert!(matches!(&fails, Outcome::Fails(fault) if fault.text.contains("tcpi_snd_cwnd is 20")), "{fails:?}");
    for (from, to) in [("tcp_min_tso_segs", "tcp_no_such_key"), ("assert ", "print "), ("listen(3, 1)", "epoll(3)")] {
        let refused = outcome(&EXAMPLE.replace(from, to));
        assert!(matches!(refused, Outcome::Refused(_)), "{to}: {refused:?}");
    }
}

/// packetdrill's default.
const TOLERANCE: Duration = Duration::from_millis(4);
/// Sysctls that change nothing that a script can see here: of fast open, of buffers that have room,
/// of how large the kernel's packets are, and of defaults that the endpoint has anyway.
const WITHOUT_EFFECT: [&str; 10] = [
    "early_retrans",
    "fastopen",
    "fastopen_key",
    "min_tso_segs",
    "notsent_lowat",
    "pacing_ca_ratio",
    "pacing_ss_ratio",
    "synack_retries",
    "tso_win_divisor",
    "wmem",
];

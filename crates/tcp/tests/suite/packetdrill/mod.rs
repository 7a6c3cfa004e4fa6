//! Scripts in packetdrill's notation, run against an endpoint in virtual time.
//!
//! The scripts lie in `tests/scripts/RFCNNNN`; each begins with the clauses of RFCs that it is about, and what it expects is what they say.
//! `tests/scripts/README.md` says what of the notation is understood; anything else is refused with its line. What cannot be said there is
//! checked of every segment that an endpoint sends in any script: its checksum, the layout of its options, and that its payload is what was
//! written. `clauses` holds the list of clauses that says which have scripts.

mod clauses;
mod foreign;
mod host;
mod info;
mod lexer;
mod notation;
mod run;
mod setup;
mod wire;

use std::path::{Path, PathBuf};

use self::run::run;

/// What is wrong with a script, or with the endpoint that it is about.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    line: usize,
    text: String,
}

impl Fault {
    pub fn new(line: usize, text: impl Into<String>) -> Self {
        Self { line, text: text.into() }
    }
}

/// Where the scripts are.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts")
}

/// All scripts, by their paths below the folder and in order, with their texts.
fn scripts() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for group in entries(&folder()).into_iter().filter(|path| path.is_dir()) {
        for path in entries(&group).into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "pkt")) {
            let name = path.strip_prefix(folder()).expect("it lies in the folder").display().to_string();
            found.push((name, std::fs::read_to_string(&path).expect("a script can be read")));
        }
    }
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    paths.sort();
    paths
}

#[test]
fn every_script_holds() {
    let all = scripts();
    let faults: Vec<String> = all
        .iter()
        .filter_map(|(name, text)| {
            let Fault { line, text } = run(text).err()?;
            Some(format!("crates/tcp/tests/scripts/{name}:{line}: {text}"))
        })
        .collect();
    assert!(!all.is_empty(), "there are scripts");
    assert!(faults.is_empty(), "{} of {} scripts do not hold:\n{}", faults.len(), all.len(), faults.join("\n"));
}

/// A connection that the peer has opened.
#[cfg(test)]
const OPENED: &str = "
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 32792 <mss 1000>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 32792
+0 accept(3, ..., ...) = 4
";

/// The fault of a script that begins with an opened connection; its line counts from there.
fn fault_of(rest: &str) -> Fault {
    let before = OPENED.lines().count();
    let Fault { line, text } = run(&format!("{OPENED}{rest}")).expect_err("the script does not hold");
    Fault { line: line - before, text }
}

#[test]
fn what_is_not_known_is_refused_with_its_line_and_what_is_known() {
    for (text, line, expected) in [
        ("+0 < icmp unreachable", 1, "only TCP segments"),
        ("\n\n+0 < . 1:1(0) ack 1 win 5 <experiment 4>", 3, "option experiment is not supported; supported are mss"),
        ("+0 < SX 1:1(0) win 5", 1, "flag X is not supported"),
        ("+0 sendfile(4, ..., 1) = 1", 1, "call sendfile is not supported; supported are socket"),
        ("+0 setsockopt(4, IPPROTO_TCP, TCP_CORK, [1], 4) = 0", 1, "TCP_CORK is not supported; supported are"),
        ("+0 %{ assert tcpi_pacing_rate == 1 }%", 1, "field tcpi_pacing_rate is not supported; supported are"),
        ("+0 %{ print(tcpi_rtt) }%", 1, "supported is `assert FIELD"),
        ("+0 `ls`", 1, "is not supported after a time"),
        ("+0 < . 1:3(1) ack 1 win 5", 1, "the length is not the difference"),
        ("+0 read(4, ..., 5)...0.5 = 0", 1, "calls that block"),
    ] {
        let fault = fault_of(text);
        assert!(fault.line == line && fault.text.contains(expected), "{text}: {fault:?}");
    }
    for (text, expected) in
        [("--mss=5\n0 close(3) = 0", "--mss=5 is not supported"), ("`sysctl -q a.b=1`\n0 close(3) = 0", "a.b is not")]
    {
        let fault = run(text).expect_err("it is refused");
        assert!(fault.line == 1 && fault.text.contains(expected), "{fault:?}");
    }
}

#[test]
fn what_does_not_hold_is_told_with_its_line_and_what_was_so() {
    for (text, line, expected) in [
        // Late, early, other, unexpected, missing.
        ("+0 write(4, ..., 500) = 500\n+.001 > P. 1:501(500) ack 1", 2, "sent at 0.100000 s, not at 0.101000 s"),
        ("+0 write(4, ..., 500) = 500\n+0 > P. 1:502(501) ack 1", 2, "sent was P. 1:501(500) ack 1"),
        ("+0 write(4, ..., 500) = 500\n+0 > P. 1:501(500) ack 2", 2, "ack is not 2"),
        (
            "+0 write(4, ..., 500) = 500\n+0 > P. 1:501(500) ack 1 <nop,nop>\n+.1 close(4) = 0\n+0 > . 1:1(0) ack 1",
            4,
            "flags are not",
        ),
        (
            "+0 write(4, ..., 500) = 500\n+0 < . 1:1(0) ack 1 win 5\n+.1 close(4) = 0",
            3,
            "nothing expects what was sent at 0.1",
        ),
        ("+0 write(4, ..., 500) = 500", 1, "nothing expects what was sent"),
        ("+0 > . 1:1(0) ack 1", 1, "nothing was sent by 0.1"),
        ("+0 < P. 1:9(8) ack 1 win 5\n+0 read(4, ..., 10) = 7", 2, "gave Ok(8), not Ok(7)"),
        ("+0 read(4, ..., 10) = 7", 1, "gave Err(\"EAGAIN\"), not Ok(7)"),
        ("+0 %{ assert tcpi_snd_mss == 999 }%", 1, "tcpi_snd_mss is 1000, not == 999"),
        ("0.05 close(4) = 0", 1, "it is 0.1"),
    ] {
        let fault = fault_of(text);
        assert!(fault.line == line && fault.text.contains(expected), "{text}: {fault:?}");
    }
}

#[test]
fn times_are_absolute_relative_ranges_and_any_with_a_tolerance_where_one_is_set() {
    // An acknowledgement that is due 40 ms after 0.1 s.
    let data = "0.1 < P. 1:11(10) ack 1 win 32792\n";
    for time in ["0.14", "+.04", "+0.040", "0.13~0.15", "+.03~+.05", "*", ".14~.14"] {
        assert_eq!(run(&format!("{OPENED}{data}{time} > . 1:1(0) ack 11")), Ok(()), "{time}");
    }
    for time in ["0.139", "+.041", "0.15~0.16", "+.01~+.03"] {
        assert!(fault_of(&format!("{data}{time} > . 1:1(0) ack 11")).line == 2, "{time}");
        let tolerant = format!("--tolerance_usecs=10000\n{OPENED}{data}{time} > . 1:1(0) ack 11");
        assert_eq!(run(&tolerant), Ok(()), "{time}");
    }
    // What follows a range or `*` counts from when that was.
    for time in ["*", "+0~+1"] {
        let after = format!("{data}{time} > . 1:1(0) ack 11\n+.01 write(4, ..., 5) = 5\n0.15 > P. 1:6(5) ack 11");
        assert_eq!(run(&format!("{OPENED}{after}")), Ok(()), "{time}");
    }
}

#[test]
fn what_the_endpoint_sends_is_read_by_code_of_our_own() {
    // The example of RFC 1071, section 3: 00 01 f2 03 f4 f5 f6 f7 sum to ddf2.
    assert_eq!(wire::folded(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7], 0), 0xddf2);
    let addresses = host::addresses(false);
    let segment = wire::Segment {
        from: (addresses.1.ip(), addresses.1.port()),
        to: (addresses.0.ip(), addresses.0.port()),
        ecn: ackless_wire::Ecn::NotCapable,
        seq: 1,
        ack: 2,
        flags: ackless_wire::TcpFlags::ACK,
        window: 3,
        options: vec![2, 4, 3, 232, 0, 0, 0, 1],
        payload: &[1, 2, 3],
        bad_checksum: false,
    };
    let inspect = |segment: &wire::Segment<'_>| wire::inspect(&segment.bytes(), segment.from.0, segment.to.0);
    for (flags, options, bad_checksum, expected) in [
        (ackless_wire::TcpFlags::SYN, vec![2, 4, 3, 232, 0, 0, 0, 1], false, "not zero"),
        (ackless_wire::TcpFlags::ACK, vec![2, 4, 3, 232], false, "for SYNs"),
        (ackless_wire::TcpFlags::ACK, vec![1, 1, 1, 8], false, "without length"),
        (ackless_wire::TcpFlags::ACK, vec![8, 0, 0, 0], false, "has length 0"),
        (ackless_wire::TcpFlags::ACK, vec![8, 12, 0, 0], false, "has length 12"),
        (ackless_wire::TcpFlags::ACK, vec![99, 4, 0, 0], false, "unknown"),
        (ackless_wire::TcpFlags::ACK, vec![1, 1, 1, 1], true, "checksum"),
    ] {
        let error =
            inspect(&wire::Segment { flags, options, bad_checksum, ..segment.clone() }).expect_err("it is wrong");
        assert!(error.contains(expected), "{error}");
    }
    let fine = wire::Segment { flags: ackless_wire::TcpFlags::SYN, options: vec![2, 4, 3, 232, 0, 0], ..segment };
    assert_eq!(inspect(&fine), Ok(vec![notation::Choice::Mss(1000), notation::Choice::End]));
}

#[test]
fn the_peers_first_number_may_be_any() {
    let numbers = |first: u32| {
        let [one, half, end] = [1, 1001, 2001].map(|at| first + at);
        format!(
            "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S {first}:{first}(0) win 32792 <mss 1000>
+0 > S. 0:0(0) ack {one} <mss 1460>
+.1 < . {one}:{one}(0) ack 1 win 32792
+0 accept(3, ..., ...) = 4
+0 < . {one}:{half}(1000) ack 1 win 32792
+0 < . {half}:{end}(1000) ack 1 win 32792
+0 > . 1:1(0) ack {end}
+0 read(4, ..., 5000) = 2000"
        )
    };
    for first in [0, 1, 5000, 1 << 30] {
        assert_eq!(run(&numbers(first)), Ok(()), "{first}");
    }
}

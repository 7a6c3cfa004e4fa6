//! The Wireshark dissector on the capture of a whole cell. Skipped loudly where there is no tshark.

use std::io::ErrorKind;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use ackless_cell::config::Direction;
use ackless_dot11::codec::FrameKind;
use ackless_phy::Standard;
use ackless_rohc::hack::Frame;
use ackless_wire::{Bytes, Duration};

use crate::capture;
use crate::cells::{cell, with_transfer};
use crate::replay::record;

/// What tshark says of each record: these fields.
const FIELDS: [&str; 6] =
    ["hack.cid", "hack.first_msn", "hack.count", "hack.malformed", "wlan.fcs.status", "_ws.malformed"];

/// What the crates' own readers say.
fn expected(file: &[u8]) -> Vec<[String; 6]> {
    let list = |values: Vec<String>| values.join(",");
    let frames = capture::read(file).into_iter().flat_map(|transmission| transmission.frames);
    let line = |body: &[u8], answer: bool| {
        let runs: Vec<_> = if answer && !body.is_empty() {
            Frame::read(body).expect("HACK appends frames").runs().collect()
        } else {
            Vec::new()
        };
        [
            list(runs.iter().map(|run| format!("0x{:02x}", run.cid().0)).collect()),
            list(runs.iter().map(|run| run.msn().to_string()).collect()),
            list(runs.iter().map(|run| run.len().to_string()).collect()),
            String::new(),
            "1".to_owned(),
            String::new(),
        ]
    };
    frames.map(|frame| line(frame.body, matches!(frame.kind, FrameKind::Ack | FrameKind::BlockAck(..)))).collect()
}

fn shown(name: &str, file: &[u8]) -> Option<Vec<Vec<String>>> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, file).expect("the build directory can be written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/wireshark/hack.lua");
    let mut command = Command::new("tshark");
    command.arg("-n").arg("-X").arg(format!("lua_script:{}", script.display())).arg("-r").arg(&path);
    command.args(["-o", "wlan.check_checksum:TRUE", "-T", "fields", "-E", "separator=|", "-E", "occurrence=a"]);
    command.args(FIELDS.iter().flat_map(|field| ["-e", field]));
    let output = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            writeln!(
                std::io::stderr(),
                "SKIPPED: tshark is not installed, so nobody dissected {name} (apt-get install tshark)"
            )
            .expect("standard error takes a line");
            return None;
        }
        output => output.expect("tshark starts"),
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !errors.contains("Lua"), "{errors}");
    let lines = String::from_utf8(output.stdout).expect("tshark writes text");
    Some(lines.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect())
}

#[test]
fn the_dissector_shows_the_compressed_acks_of_a_whole_cell() {
    for standard in [Standard::A, Standard::N, Standard::Ac] {
        let mut config = with_transfer(cell(standard, 32), 0, Direction::Down, Bytes(600_000));
        config = with_transfer(config, 0, Direction::Down, Bytes(600_000));
        config = with_transfer(config, 0, Direction::Up, Bytes(400_000));
        config.measured = Duration::from_millis(250);
        let (file, _) = record(&config, 1);
        let expected = expected(&file);
        let appended = expected.iter().filter(|line| !line[0].is_empty()).count();
        assert!(appended > 10, "{standard:?}: {appended} answers with something appended");
        // Under the Acks of single frames, what several flows hold comes together seldom.
        let several = expected.iter().any(|line| line[0].contains(','));
        assert!(several || standard == Standard::A, "{standard:?}: no answer with several contexts");
        let Some(shown) = shown(&format!("hack-{standard:?}.pcapng"), &file) else { return };
        assert_eq!(shown.len(), expected.len(), "{standard:?}");
        for (n, (shown, expected)) in shown.iter().zip(&expected).enumerate() {
            assert_eq!(shown, expected, "{standard:?}: record {}", n + 1);
        }
    }
}

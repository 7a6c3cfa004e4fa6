//! The capture of a cell with TACK, read by tshark and by the dissector in `tools/wireshark`. Skipped loudly where there is no tshark.

use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::Command;

use ackless_cell::config::{Direction, TransportConfig};
use ackless_cell::pcap::PcapWriter;
use ackless_cell::run_observed;
use ackless_phy::Standard;
use ackless_tcp::TackConfig;
use ackless_wire::Duration;
use ackless_wire::tcp::TackForm;

use crate::{lossy, with_transfer};

/// What tshark is asked for.
const FIELDS: [&str; 8] = [
    "_ws.malformed",
    "tack.malformed",
    "tcp.checksum.status",
    "wlan.fc.retry",
    "tack.permitted",
    "tack.ack_type",
    "tack.packet_number",
    "tcp.len",
];

fn shown(name: &str, file: &[u8]) -> Option<Vec<Vec<String>>> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, file).expect("the build directory can be written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/wireshark/tack.lua");
    let mut command = Command::new("tshark");
    command.arg("-n").arg("-X").arg(format!("lua_script:{}", script.display())).arg("-r").arg(&path);
    command.args(["-o", "tcp.check_checksum:TRUE", "-T", "fields", "-E", "separator=|", "-E", "occurrence=a"]);
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
fn every_tack_of_a_whole_cell_is_read_in_both_forms() {
    for form in [TackForm::Kinds, TackForm::Experimental] {
        let mut config = with_transfer(lossy(Standard::N), Direction::Down, 600_000, true);
        config.measured = Duration::from_secs(3);
        let TransportConfig::Tcp(tcp) = &mut config.flows[0].transport else { unreachable!("built as TCP") };
        tcp.tack = Some(TackConfig { form, ..TackConfig::default() });
        let mut writer = PcapWriter::of_cell(Vec::new(), &config).expect("memory takes everything");
        run_observed(&config, 1, &mut writer);
        let file = writer.finish().expect("memory takes everything");
        let Some(rows) = shown(&format!("tack-{form:?}.pcapng"), &file) else { return };
        let (mut syns, mut reports, mut losses, mut numbers) = (0, 0, 0, Vec::new());
        for (n, row) in rows.iter().enumerate() {
            let [malformed, no_body, checksum, retry, permitted, kind, number, len] = row.as_slice() else {
                panic!("eight fields, not {row:?}")
            };
            assert!(malformed.is_empty() && no_body.is_empty(), "{form:?}, frame {}: {row:?}", n + 1);
            assert!(["", "1"].contains(&checksum.as_str()), "{form:?}, frame {}: {row:?}", n + 1);
            let first = retry == "0" || retry == "False";
            syns += usize::from(!permitted.is_empty() && first);
            reports += usize::from(kind == "1");
            losses += usize::from(kind == "2");
            assert!(kind.is_empty() || len != "0", "{form:?}, frame {}: a body", n + 1);
            if first && !number.is_empty() {
                numbers.push(number.parse::<u32>().expect("a number"));
            }
        }
        assert!(syns >= 2 && reports > 20 && losses > 0, "{form:?}: {syns} SYNs, {reports} TACKs, {losses} IACKs");
        // The wire before the AP keeps the order, so that each new frame has a greater number than the one before.
        assert!(numbers.len() > 300 && numbers.is_sorted_by(|a, b| a < b), "{form:?}: {numbers:?}");
    }
}

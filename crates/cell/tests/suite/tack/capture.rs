//! The capture of a cell with TACK, read by tshark and by the dissector in `tools/wireshark`. Skipped loudly where there is no tshark.

use ackless_cell::config::{Direction, TransportConfig};
use ackless_cell::pcap::PcapWriter;
use ackless_cell::run_observed;
use ackless_phy::Standard;
use ackless_tcp::TackConfig;
use ackless_wire::Duration;
use ackless_wire::tcp::TackForm;

use crate::tack::{lossy, with_transfer};
use crate::testing::tshark::shown;

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
        let Some(rows) = shown(
            &format!("tack-{form:?}.pcapng"),
            &file,
            "tack.lua",
            &["tcp.check_checksum:TRUE".to_owned()],
            &FIELDS,
        ) else {
            return;
        };
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

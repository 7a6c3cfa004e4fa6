//! tshark as the judge: nothing is malformed, every FCS and checksum is right, and it reads the fields that were meant.

use std::io::ErrorKind;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use ackless_dot11::frame::{AckPolicy, Body, Ds, HeaderBits, Mpdu, MpduKind, NodeId, Ppdu};
use ackless_phy::{GuardInterval, MpduSpacing, TxVector, Width};
use ackless_wire::Packet;

use crate::pcap::cell;
use crate::pcap::samples::{NODES, Samples};

/// What tshark is asked for, in this order.
const FIELDS: [&str; 28] = [
    "frame.interface_name",
    "frame.time_epoch",
    "radiotap.mactime",
    "radiotap.datarate",
    "radiotap.mcs.index",
    "radiotap.mcs.bw",
    "radiotap.mcs.gi",
    "radiotap.vht.mcs.0",
    "radiotap.vht.nss.0",
    "radiotap.vht.bw",
    "radiotap.vht.gi",
    "radiotap.ampdu.reference",
    "radiotap.ampdu.flags.last",
    "wlan.fc.type_subtype",
    "wlan.fc.ds",
    "wlan.fc.retry",
    "wlan.fc.moredata",
    "wlan.duration",
    "wlan.ra",
    "wlan.ta",
    "wlan.da",
    "wlan.sa",
    "wlan.seq",
    "wlan.qos.tid",
    "wlan.qos.ack",
    "ip.proto",
    "ipv6.nxt",
    "frame.len",
];

/// Fields by which tshark says that something is wrong, and what it says of FCS and checksums.
const VERDICTS: [&str; 7] = [
    "_ws.malformed",
    "_ws.expert.severity",
    "_ws.expert.message",
    "wlan.fcs.status",
    "ip.checksum.status",
    "tcp.checksum.status",
    "udp.checksum.status",
];

/// tshark's severity of a warning.
const WARNING: u32 = 0x0060_0000;

/// Reads these fields of each record; nothing where there is no tshark.
fn read(name: &str, file: &[u8], fields: &[&str], options: &[&str]) -> Option<Vec<Vec<String>>> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, file).expect("the build directory can be written");
    let mut command = Command::new("tshark");
    command.arg("-n").arg("-r").arg(&path).args(["-T", "fields"]);
    let checks = ["wlan.check_checksum", "ip.check_checksum", "tcp.check_checksum", "udp.check_checksum"];
    for check in checks {
        command.args(["-o", &format!("{check}:TRUE")]);
    }
    command.args(options.iter().flat_map(|option| ["-o", option]));
    command.args(fields.iter().flat_map(|field| ["-e", field]));
    let output = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            writeln!(
                std::io::stderr(),
                "SKIPPED: tshark is not installed, so nobody judged {name} (apt-get install tshark)"
            )
            .expect("standard error takes a line");
            return None;
        }
        output => output.expect("tshark starts"),
    };
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("tshark writes UTF-8");
    Some(text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}

/// Refuses a file in which tshark finds a fault; gives the number of records it judged.
fn judge(name: &str, file: &[u8], options: &[&str]) -> Option<usize> {
    let rows = read(name, file, &VERDICTS, options)?;
    for (number, row) in rows.iter().enumerate() {
        let [malformed, severities, messages, fcs, ip, tcp, udp] = row.as_slice() else {
            panic!("{name}: seven verdicts, not {row:?}")
        };
        let frame = number + 1;
        assert_eq!(malformed, "", "{name}, frame {frame}: {messages}");
        let severe = |severity: &str| severity.parse::<u32>().expect("a number") >= WARNING;
        let severe = severities.split(',').filter(|severity| !severity.is_empty()).any(severe);
        assert!(!severe, "{name}, frame {frame}: {severities} {messages}");
        assert_eq!(fcs, "1", "{name}, frame {frame}: FCS");
        for (protocol, status) in [("IP", ip), ("TCP", tcp), ("UDP", udp)] {
            // One for each packet of an A-MSDU.
            let right = status.split(',').all(|status| ["", "1"].contains(&status));
            assert!(right, "{name}, frame {frame}: {protocol} checksum {status}");
        }
    }
    Some(rows.len())
}

#[test]
fn tshark_finds_no_fault_with_any_kind_of_frame() {
    let samples = Samples::new(MpduSpacing::Micros4);
    // The samples are no conversation, so what TCP makes of their order does not matter.
    let judged = judge("samples.pcapng", &samples.file(), &["tcp.analyze_sequence_numbers:FALSE"]);
    let sent: usize = samples.ppdus.iter().map(|(_, ppdu)| ppdu.frame_count()).sum();
    assert!(judged.is_none_or(|judged| judged == sent), "{judged:?} of {sent}");
}

#[test]
fn tshark_finds_no_fault_with_whole_runs() {
    for (number, config) in cell::cells().into_iter().enumerate() {
        let (file, _) = cell::record(&config, 1);
        // TCP's own troubles (loss, reordering) are no fault of the file.
        let judged = judge(&format!("run-{number}.pcapng"), &file, &["tcp.analyze_sequence_numbers:FALSE"]);
        assert!(judged.is_none_or(|judged| judged > 50), "{:?}: {judged:?} frames", config.standard);
    }
}

#[test]
fn tshark_reads_the_fields_that_were_meant() {
    let samples = Samples::new(MpduSpacing::None);
    let Some(rows) = read("fields.pcapng", &samples.file(), &FIELDS, &[]) else { return };
    let frames = samples
        .ppdus
        .iter()
        .enumerate()
        .flat_map(|(ppdu, (_, sent))| (0..sent.frame_count()).map(move |index| (ppdu, index)));
    let mut reference = 0;
    let expected: Vec<Vec<String>> = frames
        .map(|(number, index)| {
            let (_, ppdu) = &samples.ppdus[number];
            let row = meant(&samples, number, index, reference);
            reference += u32::from(ppdu.is_ampdu() && index + 1 == ppdu.frame_count());
            row
        })
        .collect();
    assert_eq!(rows.len(), expected.len());
    for (number, (row, expected)) in rows.iter().zip(&expected).enumerate() {
        for ((field, found), meant) in FIELDS.iter().zip(row).zip(expected) {
            assert_eq!(found, meant, "frame {}: {field}", number + 1);
        }
    }
}

#[test]
fn tshark_reads_tcp_flags_and_options() {
    let samples = Samples::new(MpduSpacing::None);
    let fields = [
        "tcp.options.mss_val",
        "tcp.options.wscale.shift",
        "tcp.options.timestamp.tsval",
        "tcp.options.sack_le",
        "tcp.options.sack_re",
        "tcp.flags.str",
        "tcp.len",
    ];
    let options = ["tcp.relative_sequence_numbers:FALSE"];
    let Some(rows) = read("options.pcapng", &samples.file(), &fields, &options) else { return };
    let has = |expected: [&str; 7]| rows.iter().any(|row| row == &expected);
    assert!(has(["1460", "7", "1", "", "", "··········S·", "0"]), "the SYN: {rows:?}");
    assert!(has(["", "", "123456", "82777,78777", "83777,79777", "·······A····", "0"]), "SACK: {rows:?}");
    assert!(has(["", "", "123456", "", "", "·······AP··F", "33"]), "the FIN with data: {rows:?}");
}

/// The fields of a frame as they were meant.
fn meant(samples: &Samples, number: usize, index: usize, reference: u32) -> Vec<String> {
    let (start, ppdu) = &samples.ppdus[number];
    let nanos = start.as_nanos();
    let packets = ppdu.packets().nth(index).unwrap_or_default();
    let mut row = vec![
        NODES[usize::from(ppdu.transmitter.0)].to_owned(),
        format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000),
        (nanos / 1_000).to_string(),
    ];
    row.extend(format_fields(ppdu.txvector));
    let ampdu = [reference.to_string(), u8::from(index + 1 == ppdu.frame_count()).to_string()];
    row.extend(if ppdu.is_ampdu() { ampdu } else { Default::default() });
    let bits = ppdu.answer().map_or(ppdu.bits, |answer| answer.bits);
    row.extend(header_fields(ppdu, packets, bits));
    let protocols = packets.iter().map(|mpdu| packet_fields(mpdu, samples.pool.get(mpdu.packet)));
    let [v4, v6]: [Vec<String>; 2] = protocols.fold(Default::default(), |[mut v4, mut v6], [four, six]| {
        v4.extend(Some(four).filter(|four| !four.is_empty()));
        v6.extend(Some(six).filter(|six| !six.is_empty()));
        [v4, v6]
    });
    row.extend([v4.join(","), v6.join(",")]);
    let header = match ppdu.txvector {
        TxVector::Dsss(_) | TxVector::Ofdm(_) => 22,
        TxVector::Ht(_) if ppdu.is_ampdu() => 36,
        TxVector::Ht(_) => 25,
        TxVector::Vht(_) => 44,
    };
    row.push((header + ppdu.frame_len(index).get()).to_string());
    row
}

/// Rate; MCS, width and guard interval of HT; MCS, streams, width and guard interval of VHT.
fn format_fields(vector: TxVector) -> [String; 8] {
    let short = |guard| u8::from(guard == GuardInterval::Short).to_string();
    let mut fields: [String; 8] = Default::default();
    match vector {
        TxVector::Dsss(_) | TxVector::Ofdm(_) => fields[0] = vector.rate().mbps_f64().to_string(),
        TxVector::Ht(mode) => {
            // tshark works the rate out by itself.
            let rate = vector.rate().mbps_f64().to_string();
            let wide = u8::from(mode.width() == Width::Mhz40).to_string();
            fields[..4].clone_from_slice(&[rate, mode.mcs().to_string(), wide, short(mode.guard())]);
        }
        TxVector::Vht(mode) => {
            let width = match mode.width() {
                Width::Mhz20 => "0",
                Width::Mhz40 => "1",
                Width::Mhz80 => "4",
                Width::Mhz160 => "11",
            };
            let values = [mode.mcs().to_string(), mode.streams().to_string(), width.to_owned(), short(mode.guard())];
            fields[4..].clone_from_slice(&values);
        }
    }
    fields
}

/// From type and subtype to ack policy.
fn header_fields(ppdu: &Ppdu, packets: &[Mpdu], bits: HeaderBits) -> Vec<String> {
    let mpdu = packets.first();
    let kind = match (&ppdu.body, mpdu.map(|mpdu| mpdu.kind)) {
        (_, Some(MpduKind::Data)) => 0x20,
        (_, Some(MpduKind::QosData(_))) => 0x28,
        (_, Some(MpduKind::Action)) => 0x0d,
        (_, Some(MpduKind::ActionNoAck)) => 0x0e,
        (Body::Beacon(_), _) => 0x08,
        (Body::BlockAckReq(..), _) => 0x18,
        (Body::BlockAck(..), _) => 0x19,
        (Body::Rts, _) => 0x1b,
        (Body::Cts, _) => 0x1c,
        _ => 0x1d,
    };
    let ds = match mpdu.map(|mpdu| (mpdu.kind, mpdu.ds)) {
        None | Some((MpduKind::Action | MpduKind::ActionNoAck, _) | (_, Ds::Direct)) => 0,
        Some((_, Ds::ToAp)) => 1,
        Some((_, Ds::FromAp)) => 2,
        Some((_, Ds::FourAddress)) => 3,
    };
    let address = |node: NodeId| node.mac().to_string();
    let has_transmitter = !matches!(ppdu.body, Body::Ack(_) | Body::Cts);
    let has_sequence = mpdu.is_some() || matches!(ppdu.body, Body::Beacon(_));
    let ends = match mpdu {
        Some(mpdu) => {
            // Of an A-MSDU those of each packet, behind the one that tshark takes the header's first or second address for.
            let several = packets.len() > 1;
            let (to, from) = (several && mpdu.ds == Ds::FromAp, several && mpdu.ds == Ds::ToAp);
            let to = to.then_some(mpdu.receiver).into_iter().chain(packets.iter().map(|mpdu| mpdu.destination));
            let from = from.then_some(mpdu.transmitter).into_iter().chain(packets.iter().map(|mpdu| mpdu.source));
            [to.map(address).collect::<Vec<_>>().join(","), from.map(address).collect::<Vec<_>>().join(",")]
        }
        None if has_sequence => [address(ppdu.receiver), address(ppdu.transmitter)],
        None => Default::default(),
    };
    let [destination, source] = ends;
    vec![
        format!("0x{kind:04x}"),
        format!("0x{ds:02x}"),
        u8::from(mpdu.is_some_and(|mpdu| mpdu.retry)).to_string(),
        u8::from(bits.more_data).to_string(),
        ppdu.duration_field.as_micros_ceil().to_string(),
        address(ppdu.receiver),
        if has_transmitter { address(ppdu.transmitter) } else { String::new() },
        destination,
        source,
        if has_sequence { mpdu.map_or(0, |mpdu| mpdu.seq.get()).to_string() } else { String::new() },
        mpdu.and_then(Mpdu::tid).map_or_else(String::new, |tid| tid.0.to_string()),
        mpdu.filter(|mpdu| mpdu.kind.is_qos()).map_or_else(String::new, |mpdu| match mpdu.ack_policy {
            AckPolicy::Normal => "0x0000".to_owned(),
            AckPolicy::NoAck => "0x0001".to_owned(),
        }),
    ]
}

/// The protocol above IPv4, and above IPv6; nothing where tshark does not look into a disguised packet.
fn packet_fields(mpdu: &Mpdu, packet: &Packet) -> [String; 2] {
    if mpdu.kind.is_action() {
        return Default::default();
    }
    let protocol = packet.protocol().to_string();
    match packet.ip {
        ackless_wire::IpHeader::V4(_) => [protocol, String::new()],
        ackless_wire::IpHeader::V6(_) => [String::new(), protocol],
    }
}

//! The Wireshark dissector on the capture of a whole cell. Skipped loudly where there is no tshark.

use ackless_cell::config::{CellConfig, Direction, FrameLoss, LinkLoss, Probability, SchemeChoice};
use ackless_dot11::codec::{self, FrameKind};
use ackless_phy::Standard;
use ackless_rohc::hack::{Codec, Frame, Run};
use ackless_schemes::hack::{HackConfig, Mic, MicLen};
use ackless_wire::{Bytes, Duration};

use crate::hack_wire::replay::record;
use crate::testing::capture;
use crate::testing::hack_cells::{cell, hack_of, with_transfer};
use crate::testing::tshark::shown;

/// What tshark says of each record: these fields.
const FIELDS: [&str; 11] = [
    "hack.cid",
    "hack.first_msn",
    "hack.count",
    "hack.checksum",
    "hack.packets",
    "hack.mic.count",
    "hack.mic",
    "hack.sync",
    "hack.malformed",
    "wlan.fcs.status",
    "_ws.malformed",
];

/// What the crates' own readers say, where what is appended ends in a code under a key of `mic` bytes.
fn expected(file: &[u8], codec: Codec, mic: usize) -> Vec<[String; 11]> {
    let list = |values: Vec<String>| values.join(",");
    let checksums = matches!(codec, Codec::Own { checksum: true, .. });
    let frames = capture::read(file).into_iter().flat_map(|transmission| transmission.frames);
    let line = |body: &[u8], answer: bool, sync: bool| {
        let appended = if answer { body } else { &[] };
        let behind = if mic > 0 && !appended.is_empty() { 2 + mic } else { 0 };
        let (frame, behind) = appended.split_at(appended.len() - behind);
        let (count, code) = behind.split_at(behind.len().min(2));
        let runs: Vec<_> = if !frame.is_empty() {
            Frame::read(codec, frame).expect("HACK appends frames").runs().collect()
        } else {
            Vec::new()
        };
        [
            list(runs.iter().map(|run| format!("0x{:02x}", run.cid().0)).collect()),
            list(runs.iter().map(|run| run.msn().to_string()).collect()),
            list(runs.iter().filter_map(|run| run.len()).map(|len| len.to_string()).collect()),
            list(runs.iter().filter(|_| checksums).flat_map(checksums_of).collect()),
            list(runs.iter().filter(|run| run.len().is_none()).map(|run| hex(run.bytes())).collect()),
            count.try_into().map_or(String::new(), |count| u16::from_be_bytes(count).to_string()),
            hex(code),
            if sync { "1".to_owned() } else { String::new() },
            String::new(),
            "1".to_owned(),
            String::new(),
        ]
    };
    let dissected = |frame: codec::Frame<'_>| {
        let answer = matches!(frame.kind, FrameKind::Ack | FrameKind::BlockAck(..));
        line(frame.body, answer, frame.sync)
    };
    frames.map(dissected).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The two bytes behind each code.
fn checksums_of(run: &Run<'_>) -> Vec<String> {
    run.codes().map(|(_, code)| format!("0x{}", hex(&code[code.len() - 2..]))).collect()
}

fn dissected(name: &str, file: &[u8], codec: Codec, mic: usize) -> Option<Vec<Vec<String>>> {
    let word = match codec {
        Codec::Own { checksum: false, .. } => "own",
        Codec::Own { checksum: true, .. } => "own-checksum",
        Codec::Rfc6846 => "rfc6846",
    };
    let msn_bits = if matches!(codec, Codec::Own { wide: true, .. }) { 16 } else { 8 };
    let options = [
        format!("hack.mic:{mic}"),
        format!("hack.codec:{word}"),
        format!("hack.msn_bits:{msn_bits}"),
        "wlan.check_checksum:TRUE".to_owned(),
    ];
    shown(name, file, "hack.lua", &options, &FIELDS)
}

/// Compares what both say of the capture of a cell. Returns how many answers had something appended, whether some had several contexts, and how much data bore SYNC;
/// without tshark nothing is compared.
fn compare(config: &CellConfig, name: &str, mic: usize) -> (usize, bool, usize) {
    let (file, _) = record(config, 1);
    let SchemeChoice::Hack(HackConfig { codec, .. }) = config.ap.scheme else { panic!("the access point speaks HACK") };
    let expected = expected(&file, codec, mic);
    if let Some(shown) = dissected(name, &file, codec, mic) {
        assert_eq!(shown.len(), expected.len(), "{name}");
        for (n, (shown, expected)) in shown.iter().zip(&expected).enumerate() {
            assert_eq!(shown, expected, "{name}: record {}", n + 1);
        }
    }
    let count = |field: usize| expected.iter().filter(|line| !line[field].is_empty()).count();
    (count(0), expected.iter().any(|line| line[0].contains(',')), count(7))
}

fn both_ways(standard: Standard) -> CellConfig {
    let mut config = with_transfer(cell(standard, 32), 0, Direction::Down, Bytes(600_000));
    config = with_transfer(config, 0, Direction::Down, Bytes(600_000));
    config = with_transfer(config, 0, Direction::Up, Bytes(400_000));
    config.measured = Duration::from_millis(250);
    config
}

#[test]
fn the_dissector_shows_the_compressed_acks_of_a_whole_cell() {
    for standard in [Standard::A, Standard::N, Standard::Ac] {
        let name = format!("hack-{standard:?}.pcapng");
        let (appended, several, _) = compare(&both_ways(standard), &name, 0);
        assert!(appended > 10, "{standard:?}: {appended} answers with something appended");
        // Under the Acks of single frames, what several flows hold comes together seldom.
        assert!(several || standard == Standard::A, "{standard:?}: no answer with several contexts");
    }
}

#[test]
fn the_dissector_shows_wide_msns_the_tcp_checksums_and_the_packets_of_the_rfc() {
    for codec in [Codec::Own { checksum: true, wide: false }, Codec::Own { checksum: true, wide: true }, Codec::Rfc6846]
    {
        let mut config = both_ways(Standard::N);
        for scheme in [&mut config.ap.scheme, &mut config.stations[0].scheme] {
            hack_of(scheme).expect("all of the cell speak HACK").codec = codec;
        }
        let (appended, several, _) = compare(&config, &format!("hack-{codec:?}.pcapng"), 0);
        assert!(appended > 10 && several, "{codec:?}: {appended} answers with something appended");
    }
}

#[test]
fn the_dissector_shows_codes_under_a_key_and_sync() {
    for (standard, len, bridge) in [
        (Standard::A, MicLen::Eight, false),
        (Standard::N, MicLen::Four, false),
        // Frames with four addresses.
        (Standard::N, MicLen::Four, true),
    ] {
        let mut config = both_ways(standard);
        config.stations[0].four_address = bridge;
        let mic = Some(Mic { len, key: *b"not known to all" });
        let p = |p| Probability::new(p).expect("a share");
        let loss = FrameLoss { data: p(0.1), control: p(0.3) };
        config.stations[0].loss = LinkLoss::PerFrame { down: loss, up: loss };
        for scheme in [&mut config.ap.scheme, &mut config.stations[0].scheme] {
            hack_of(scheme).expect("all of the cell speak HACK").mic = mic;
        }
        for mac in [&mut config.ap.mac, &mut config.stations[0].mac] {
            mac.retry_limit = Some(2);
        }
        let name = format!("hack-mic-{standard:?}-{bridge}.pcapng");
        let (appended, _, sync) = compare(&config, &name, len.bytes());
        assert!(
            appended > 10 && sync > 0,
            "{standard:?}: {appended} answers with something appended, {sync} with SYNC"
        );
    }
}

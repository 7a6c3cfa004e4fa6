//! TACK on the wire, judged by tshark: with nothing but its own knowledge of TCP, and with the dissector in `tools/wireshark`. Skipped loudly
//! where there is no tshark.

use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::Command;

use ackless_tcp::tack::body::{FrequencyUpdate, LossRange, Report};
use ackless_tcp::tack::{AckKind, Body};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::tcp::{AckRate, RateRequest, SackBlocks, TackForm, TackOptions, TackTerms};
use ackless_wire::{BitRate, Bytes, Duration, IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport};

const KINDS: [AckKind; 5] = [AckKind::Tack, AckKind::Loss, AckKind::Window, AckKind::RoundTrip, AckKind::Frequency];
const FORMS: [TackForm; 2] = [TackForm::Kinds, TackForm::Experimental];
const FIELDS: [&str; 24] = [
    "tack.ack_type",
    "tack.packet_number",
    "tack.form",
    "tack.flags",
    "tack.bubbles",
    "tack.serial",
    "tack.largest",
    "tack.second",
    "tack.largest_delay",
    "tack.delay",
    "tack.delivery_rate",
    "tack.received_in_flight",
    "tack.window",
    "tack.interval",
    "tack.loss_ppm",
    "tack.hol",
    "tack.bubble.start",
    "tack.bubble.end",
    "tack.min_rtt",
    "tack.bandwidth",
    "tack.ack_loss_ppm",
    "tack.malformed",
    "tack.beta",
    "tack.l",
];

/// The bytes of a capture of bare IP packets (pcap, little-endian, link type 101).
struct Capture(Vec<u8>);

impl Capture {
    fn new() -> Self {
        let mut bytes = 0xa1b2_c3d4_u32.to_le_bytes().to_vec();
        bytes.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend(0xffff_u32.to_le_bytes());
        bytes.extend(101_u32.to_le_bytes());
        Self(bytes)
    }

    fn packet(&mut self, packet: &Packet) {
        let mut bytes = Vec::new();
        packet.emit(&mut bytes);
        self.0.extend([0; 8]);
        self.0.extend((bytes.len() as u32).to_le_bytes());
        self.0.extend((bytes.len() as u32).to_le_bytes());
        self.0.extend(bytes);
    }

    /// What tshark says of each packet: the values of these fields, or nothing where tshark is missing.
    fn shown(&self, name: &str, script: Option<&str>, fields: &[&str]) -> Option<Vec<Vec<String>>> {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, &self.0).expect("the build directory can be written");
        let mut command = Command::new("tshark");
        command.arg("-n").arg("-r").arg(&path);
        if let Some(script) = script {
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/wireshark").join(script);
            command.arg("-X").arg(format!("lua_script:{}", script.display()));
        }
        // The packets are no conversation, so what TCP makes of their order does not matter.
        for option in ["ip.check_checksum:TRUE", "tcp.check_checksum:TRUE", "tcp.analyze_sequence_numbers:FALSE"] {
            command.args(["-o", option]);
        }
        command.args(["-T", "fields", "-E", "separator=|", "-E", "occurrence=a", "-E", "aggregator=,"]);
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
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !errors.contains("Lua"), "{errors}");
        let lines = String::from_utf8(output.stdout).expect("tshark writes UTF-8");
        Some(lines.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect())
    }
}

/// A segment with these options of TACK.
fn segment(v6: bool, tack: TackOptions, payload: Payload) -> Packet {
    let mut tcp = TcpHeader { flags: TcpFlags::ACK, window: 500, ack: SeqNumber(7), ..TcpHeader::new(20_000, 40_000) };
    tcp.options.timestamps = Some((123_456, 654_321));
    tcp.options.tack = tack;
    let ip = if v6 {
        IpHeader::between([0xfd; 16].into(), [0x20; 16].into())
    } else {
        IpHeader::between([10, 0, 0, 1].into(), [10, 1, 0, 1].into())
    };
    Packet { ip: ip.expect("both are of one family"), transport: Transport::Tcp(tcp), payload }
}

fn of_kind(form: TackForm, kind: u8, body: &[u8]) -> Packet {
    let tack = TackOptions { form, ack_type: Some(kind), ..TackOptions::default() };
    segment(false, tack, Payload::Data(body.to_vec().into()))
}

fn bodies(seed: u64) -> Vec<(AckKind, Body)> {
    let mut random = Stream::new(seed, 0, Purpose::Test);
    let mut word = || random.below(1 << 32) as u32;
    let report = Report {
        serial: word(),
        largest: word(),
        largest_delay: Duration::from_micros(word().into()),
        delay: Duration::from_micros(word().into()),
        delivery_rate: BitRate::from_kbps(word().into()),
        received_in_flight: Bytes(word().into()),
        ..Report::default()
    };
    let holes: Vec<_> =
        (0..seed % 180).map(|_| Bytes((word() >> 1).into())).map(|start| (start, start + Bytes(1_448))).collect();
    let full = Report {
        application_limited: seed.is_multiple_of(2),
        window: Bytes((word() | 1).into()),
        interval: Duration::from_micros((word() | 1).into()),
        loss_ppm: 1 + word() % 1_000_000,
        hol: Some(Bytes((word() | 1).into())),
        bubbles: holes,
        ..report.clone()
    };
    let second = word();
    let loss = LossRange { largest: second.wrapping_add(2 + word() % 1_000), second };
    let update = FrequencyUpdate {
        serial: word(),
        interval: Duration::from_micros(word().into()),
        min_rtt: Duration::from_micros(word().into()),
        bandwidth: BitRate::from_kbps(word().into()),
        ack_loss_ppm: word() % 1_000_001,
    };
    vec![
        (AckKind::Tack, Body::Report(full.clone())),
        (AckKind::Window, Body::Report(report.clone())),
        (AckKind::RoundTrip, Body::Report(Report { bubbles: Vec::new(), ..full })),
        (AckKind::Loss, Body::Loss(loss)),
        (AckKind::Frequency, Body::Frequency(update)),
        (AckKind::RoundTrip, Body::RoundTripRequest),
        (AckKind::Tack, Body::Report(report)),
    ]
}

#[test]
fn tshark_finds_no_fault_with_any_segment_of_tack() {
    let mut capture = Capture::new();
    let mut sent = 0;
    for form in FORMS {
        for v6 in [false, true] {
            let mut syn = segment(v6, TackOptions { form, permitted: true, ..TackOptions::default() }, Payload::EMPTY);
            let Transport::Tcp(tcp) = &mut syn.transport else { unreachable!("built as TCP") };
            tcp.flags = TcpFlags::SYN;
            (tcp.options.mss, tcp.options.window_scale, tcp.options.sack_permitted) = (Some(1_460), Some(7), true);
            capture.packet(&syn);
            let numbered = TackOptions { form, packet_number: Some(u32::MAX), ..TackOptions::default() };
            let mut data = segment(v6, numbered, Payload::Length(1_440));
            capture.packet(&data);
            let Transport::Tcp(tcp) = &mut data.transport else { unreachable!("built as TCP") };
            tcp.flags |= TcpFlags::FIN | TcpFlags::PSH;
            tcp.options.sack = SackBlocks::from_slice(&[(SeqNumber(9), SeqNumber(19))]);
            capture.packet(&data);
            sent += 3;
            for (kind, body) in bodies(sent) {
                let typed = TackOptions { form, ack_type: Some(kind.value()), ..TackOptions::default() };
                capture.packet(&segment(v6, typed, Payload::Data(body.encode(Bytes(1_440)))));
                sent += 1;
            }
        }
    }
    let verdicts =
        ["_ws.malformed", "_ws.expert.severity", "_ws.expert.message", "ip.checksum.status", "tcp.checksum.status"];
    for script in [None, Some("tack.lua")] {
        let Some(rows) = capture.shown("tack-segments.pcap", script, &verdicts) else { return };
        assert_eq!(rows.len() as u64, sent);
        for (n, row) in rows.iter().enumerate() {
            let [malformed, severities, messages, ip, tcp] = row.as_slice() else {
                panic!("five verdicts, not {row:?}")
            };
            assert_eq!(malformed, "", "packet {}: {messages}", n + 1);
            let severe = severities.split(',').filter(|severity| !severity.is_empty());
            let severe =
                severe.map(|severity| severity.parse::<u32>().expect("a number")).any(|level| level >= WARNING);
            assert!(!severe, "packet {}: {messages}", n + 1);
            assert!(["", "1"].contains(&ip.as_str()) && tcp == "1", "packet {}: checksums {ip} and {tcp}", n + 1);
        }
    }
}

#[test]
fn the_dissector_shows_the_options_and_every_field_of_every_body() {
    let mut capture = Capture::new();
    let mut expected = Vec::new();
    for seed in 0..60 {
        let form = FORMS[seed as usize % 2];
        for (kind, body) in bodies(seed) {
            capture.packet(&of_kind(form, kind.value(), &body.encode(Bytes(1_440))));
            expected.push(meant(kind, &body));
        }
        let number = TackOptions { form, packet_number: Some(seed as u32 * 71_582_788), ..TackOptions::default() };
        capture.packet(&segment(true, number, Payload::Length(100)));
        let mut row = vec![String::new(); FIELDS.len()];
        row[1] = (seed * 71_582_788).to_string();
        expected.push(row);
        // On a SYN the same field has what its end wants.
        let mut syn = TackOptions { form, permitted: true, ..TackOptions::default() };
        let wanted = TackTerms { beta: 2 + seed as u16, every: 1_000 * seed as u16 + 1 };
        syn.set_terms(Some(wanted));
        capture.packet(&segment(false, syn, Payload::EMPTY));
        let mut row = vec![String::new(); FIELDS.len()];
        (row[22], row[23]) = (wanted.beta.to_string(), wanted.every.to_string());
        expected.push(row);
    }
    let Some(rows) = capture.shown("tack-fields.pcap", Some("tack.lua"), &FIELDS) else { return };
    assert_eq!(rows.len(), expected.len());
    for (n, (row, expected)) in rows.iter().zip(&expected).enumerate() {
        for ((field, found), meant) in FIELDS.iter().zip(row).zip(expected) {
            assert_eq!(found, meant, "packet {}: {field}", n + 1);
        }
    }
}

#[test]
fn the_dissector_refuses_what_the_reader_refuses() {
    let mut random = Stream::new(5, 0, Purpose::Test);
    let mut capture = Capture::new();
    let mut expected = Vec::new();
    while expected.len() < 3_000 {
        let all = bodies(random.below(40));
        let (kind, body) = &all[random.below(all.len() as u64) as usize];
        let mut bytes = body.encode(Bytes(200)).to_vec();
        let mut kind = *kind;
        match random.below(6) {
            0 => bytes.truncate(1 + random.below(bytes.len() as u64 - 1) as usize),
            1 => bytes.push(random.bits() as u8),
            2 => kind = KINDS[random.below(5) as usize],
            3 => {
                let word = random.below(bytes.len() as u64 / 4) as usize;
                bytes[4 * word..][..4].fill(0);
            }
            _ => {
                let at = random.below(bytes.len().min(8) as u64) as usize;
                bytes[at] ^= 1 << random.below(8);
            }
        }
        capture.packet(&of_kind(FORMS[expected.len() % 2], kind.value(), &bytes));
        expected.push(Body::decode(kind, &bytes).is_err());
    }
    let refused = expected.iter().filter(|&&refused| refused).count();
    assert!((1_000..2_500).contains(&refused), "{refused} of 3000");
    let Some(rows) = capture.shown("tack-refused.pcap", Some("tack.lua"), &["tack.malformed"]) else { return };
    let shown: Vec<_> = rows.iter().map(|row| !row[0].is_empty()).collect();
    for (n, (shown, expected)) in shown.iter().zip(&expected).enumerate() {
        assert_eq!(shown, expected, "packet {}", n + 1);
    }
    assert_eq!(shown.len(), expected.len());
}

/// What the dissector should show of a body, in the order of [`FIELDS`].
fn meant(kind: AckKind, body: &Body) -> Vec<String> {
    let mut fields: Vec<(&str, String)> = vec![("ack_type", kind.value().to_string()), ("bubbles", "0".to_owned())];
    let form = match body {
        Body::Report(report) => {
            fields.extend(of_report(report));
            0
        }
        Body::Loss(range) => {
            fields.extend([("largest", range.largest.to_string()), ("second", range.second.to_string())]);
            1
        }
        Body::Frequency(update) => {
            fields.extend([
                ("serial", update.serial.to_string()),
                ("interval", update.interval.as_micros_floor().to_string()),
                ("min_rtt", update.min_rtt.as_micros_floor().to_string()),
                ("bandwidth", (update.bandwidth.bps() / 1_000).to_string()),
                ("ack_loss_ppm", update.ack_loss_ppm.to_string()),
            ]);
            2
        }
        Body::RoundTripRequest => 3,
    };
    fields.push(("form", form.to_string()));
    fields.push(("flags", format!("0x{:02x}", body.encode(Bytes(1_440))[1])));
    let value = |name: &str| {
        let found = fields.iter().rev().find(|(field, _)| name.strip_prefix("tack.") == Some(field));
        found.map_or_else(String::new, |(_, value)| value.clone())
    };
    FIELDS.iter().map(|name| value(name)).collect()
}

fn of_report(report: &Report) -> Vec<(&'static str, String)> {
    let micros = |span: Duration| span.as_micros_floor().to_string();
    let list = |edges: Vec<Bytes>| edges.iter().map(|edge| edge.get().to_string()).collect::<Vec<_>>().join(",");
    // What fits into the room of one segment.
    let bubbles = &report.bubbles[..report.bubbles.len().min((1_440 - 48) / 8)];
    let mut fields = vec![
        ("bubbles", bubbles.len().to_string()),
        ("serial", report.serial.to_string()),
        ("largest", report.largest.to_string()),
        ("largest_delay", micros(report.largest_delay)),
        ("delay", micros(report.delay)),
        ("delivery_rate", (report.delivery_rate.bps() / 1_000).to_string()),
        ("received_in_flight", report.received_in_flight.get().to_string()),
        ("bubble.start", list(bubbles.iter().map(|bubble| bubble.0).collect())),
        ("bubble.end", list(bubbles.iter().map(|bubble| bubble.1).collect())),
    ];
    if report.window > Bytes::ZERO {
        fields.push(("window", report.window.get().to_string()));
    }
    if !report.interval.is_zero() {
        fields.push(("interval", micros(report.interval)));
    }
    if report.loss_ppm > 0 {
        fields.push(("loss_ppm", report.loss_ppm.to_string()));
    }
    if let Some(hol) = report.hol {
        fields.push(("hol", hol.get().to_string()));
    }
    fields
}

/// tshark's severity of a warning.
const WARNING: u32 = 0x0060_0000;

#[test]
fn the_dissector_of_ack_rate_requests_shows_what_is_asked_for() {
    let mut capture = Capture::new();
    let with = |rate: Option<AckRate>| {
        let mut packet = segment(true, TackOptions::default(), Payload::Length(100));
        let Transport::Tcp(tcp) = &mut packet.transport else { unreachable!("built as TCP") };
        tcp.options.ack_rate = rate;
        tcp.options.sack = SackBlocks::from_slice(&[(SeqNumber(9), SeqNumber(10))]);
        packet
    };
    let requests: Vec<_> = [0, 1, 10, 126].iter().flat_map(|&r| [(r, false), (r, true)]).collect();
    for &(r, n) in &requests {
        capture.packet(&with(Some(AckRate::of(RateRequest::new(r, n)))));
    }
    capture.packet(&with(Some(AckRate::CAPABLE)));
    capture.packet(&with(None));
    let Some(rows) = capture.shown("tarr.pcap", Some("tarr.lua"), &["tarr", "tarr.r", "tarr.n", "tarr.capable"]) else {
        return;
    };
    let shown: Vec<_> = rows.iter().map(|row| row[1..3].to_vec()).collect();
    let yes = |n: bool| if n { ["1", "True"] } else { ["0", "False"] };
    for (row, &(r, n)) in shown.iter().zip(&requests) {
        assert_eq!(row[0], r.to_string());
        assert!(yes(n).contains(&&*row[1]), "{row:?}");
    }
    assert!(shown[requests.len()..].iter().all(|row| row.iter().all(String::is_empty)), "{shown:?}");
    let bears = |row: &[String]| !row[0].is_empty() || !row[3].is_empty();
    assert_eq!(
        rows.iter().map(|row| bears(row)).collect::<Vec<_>>(),
        [vec![true; requests.len() + 1], vec![false]].concat()
    );
}

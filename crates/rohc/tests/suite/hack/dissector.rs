//! The Wireshark dissector against this crate: tshark shows the same runs, forms and lengths, and refuses the same
//! bytes. Skipped loudly where there is no tshark.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ackless_rohc::hack::{Cid, Code, Codec, Compressor, Frame, FrameWriter, Run};
use ackless_wire::random::{Purpose, Stream};

use super::acks::Flow;

/// The bytes of a capture with radiotap headers (pcap, little-endian, link type 127).
struct Capture(Vec<u8>);

impl Capture {
    fn new() -> Self {
        let mut bytes = Vec::new();
        bytes.extend(0xa1b2_c3d4_u32.to_le_bytes());
        bytes.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend(0xffff_u32.to_le_bytes());
        bytes.extend(127_u32.to_le_bytes());
        Self(bytes)
    }

    /// Adds a frame; its FCS is computed, and the radiotap header says that it is there.
    fn frame(&mut self, frame: &[u8]) {
        // Version, length 9, only Flags present: FCS at the end.
        let radiotap = [0, 0, 9, 0, 2, 0, 0, 0, 0x10];
        let len = (radiotap.len() + frame.len() + 4) as u32;
        self.0.extend([0; 8]);
        self.0.extend(len.to_le_bytes());
        self.0.extend(len.to_le_bytes());
        self.0.extend(radiotap);
        self.0.extend(frame);
        self.0.extend(fcs(frame).to_le_bytes());
    }

    /// An Ack or a BlockAck with these bytes behind it.
    fn answer(&mut self, block_ack: bool, appended: &[u8]) {
        let mut frame = vec![if block_ack { 0x94 } else { 0xd4 }, 0, 0, 0, 2, 0, 0, 0, 0, 1];
        if block_ack {
            // Transmitter, compressed BlockAck of TID 0, starting sequence 0, a bitmap.
            frame.extend([2, 0, 0, 0, 0, 2, 0x04, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 3, 0, 0]);
        }
        frame.extend(appended);
        self.frame(&frame);
    }

    /// What tshark says of each frame: the values of these fields, or nothing where tshark is missing.
    fn shown(&self, name: &str, fields: &[&str]) -> Option<Vec<Vec<String>>> {
        if Command::new("tshark").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            writeln!(std::io::stderr(), "SKIPPED: tshark is not installed, the dissector is not tested")
                .expect("standard error takes a line");
            return None;
        }
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&file, &self.0).expect("the capture can be written");
        let mut command = Command::new("tshark");
        command.arg("-X").arg(format!("lua_script:{}", script().display())).arg("-r").arg(&file);
        command.args(["-T", "fields", "-E", "separator=|", "-E", "occurrence=a", "-E", "aggregator=,"]);
        for field in fields {
            command.args(["-e", field]);
        }
        let output = command.output().expect("tshark runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !errors.contains("Lua"), "{errors}");
        let lines = String::from_utf8(output.stdout).expect("tshark writes text");
        Some(lines.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect())
    }
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/wireshark/hack.lua")
}

/// CRC-32 of the FCS (802.11-2020, 9.2.4.8).
fn fcs(frame: &[u8]) -> u32 {
    let bits = frame.iter().flat_map(|octet| (0..8).map(move |n| u32::from(octet >> n & 1)));
    !bits.fold(u32::MAX, |sum, bit| if (sum ^ bit) & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 })
}

/// The codes of a random flow.
fn codes(seed: u64, count: u64) -> Vec<Code> {
    let mut flow = Flow::new(Stream::new(seed, 1, Purpose::Test), 0.3);
    let mut client = Compressor::default();
    client.install(&flow.next());
    (0..count).map(|_| client.compress(&flow.next()).expect("the context is open")).collect()
}

fn list<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(",")
}

#[test]
fn dissector_shows_the_runs_forms_and_bytes_that_were_written() {
    let mut capture = Capture::new();
    let mut expected = Vec::new();
    for seed in 0..300 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let mut bytes = Vec::new();
        let mut writer = FrameWriter::new(Codec::default(), &mut bytes, Frame::MAX_LEN);
        for cid in 0..random.below(3) {
            writer.run(Cid(200 + cid as u8), &codes(seed * 3 + cid, 1 + random.below(40)));
        }
        capture.answer(random.chance(0.5), &bytes);
        let runs: Vec<Run<'_>> =
            Frame::read(Codec::default(), &bytes).map(|frame| frame.runs().collect()).unwrap_or_default();
        let of_codes = || {
            runs.iter()
                .flat_map(|run| run.codes().zip(0..).map(|((kind, code), n)| ((run.msn() + n) % 256, kind, code)))
        };
        let hex = |code: &[u8]| code.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        expected.push(vec![
            list(runs.iter().map(|run| format!("0x{:02x}", run.cid().0))),
            list(runs.iter().map(Run::msn)),
            list(runs.iter().filter_map(Run::len)),
            list(of_codes().map(|(msn, _, _)| msn)),
            list(of_codes().map(|(_, kind, _)| format!("{kind:?}"))),
            list(of_codes().map(|(_, _, code)| hex(code))),
            String::new(),
        ]);
    }
    let fields = ["hack.cid", "hack.first_msn", "hack.count", "hack.msn", "hack.kind", "hack.code", "hack.malformed"];
    if let Some(shown) = capture.shown("shown.pcap", &fields) {
        for (n, (shown, expected)) in shown.iter().zip(&expected).enumerate() {
            assert_eq!(shown, expected, "frame {}", n + 1);
        }
        assert_eq!(shown.len(), expected.len());
    }
}

/// The codes of `by_hand`, with checks of zero.
#[test]
fn dissector_reads_each_field() {
    let cases: [(&[u8], &str, &str); 6] = [
        (&[0b0011_1000], "hack.step,hack.tsval,hack.tsecr,hack.crc3", "1;1;1;0x00"),
        (&[0b1100_1010, 0b1110_0101], "hack.step,hack.tsval,hack.tsecr,hack.crc3", "1;5;12;0x05"),
        (&[0b1110_0011, 0b1110_1000], "hack.step,hack.window", "0;-3"),
        (
            &[0b1011_1110, 0x15, 0xc0, 0x50, 0x00, 20, 0x80, 200, 0x83, 0xff, 0x43, 0x21],
            "hack.advance,hack.ack,hack.tsval,hack.tsecr,hack.window,hack.ip_id,hack.crc7",
            "3;20480;20;200;-512;0x4321;0x15",
        ),
        (
            // Three blocks, 011 100 101 000: the second of before grown by 100, a new one 1000 above, the first of
            // before.
            &[0b1000_0001, 0, 0b0111_0010, 0b1000_0000, 0x81, 0x91, 0x87, 0xd0, 0x85, 0xa8],
            "hack.sack.count,hack.sack.grown,hack.sack.growth,hack.sack.left,hack.sack.len,hack.sack.same",
            "3;1;100;1000;1448;0",
        ),
        (
            &[0x80, 0x80, 0b1111_1110, 10, 0b101, 0xb8, 63, 0x0f, 0xff, 0xff, 0x01, 0x02, 0xb0, 0x05, 0x05, 7],
            "hack.seq,hack.toggled,hack.dscp_ecn,hack.ttl,hack.flow_label,hack.urgent,hack.options,hack.mss,hack.window_scale",
            "5;0x05;0xb8;63;0x0fffff;258;0xb0;1285;7",
        ),
    ];
    for (n, (code, fields, values)) in cases.into_iter().enumerate() {
        let mut capture = Capture::new();
        capture.answer(false, &[&[7, 9], code].concat());
        let fields: Vec<_> = fields.split(',').chain(["hack.malformed"]).collect();
        let Some(shown) = capture.shown(&format!("field{n}.pcap"), &fields) else { return };
        let values: Vec<_> = values.split(';').chain([""]).collect();
        assert_eq!(shown, [values], "case {n}");
    }
}

#[test]
fn dissector_refuses_what_the_reader_refuses() {
    let mut random = Stream::new(4, 0, Purpose::Test);
    let mut capture = Capture::new();
    let mut expected = Vec::new();
    while expected.len() < 2000 {
        // Well-formed ones with a byte changed, cut off or added.
        let mut bytes = Vec::new();
        FrameWriter::new(Codec::default(), &mut bytes, 60).run(Cid(1), &codes(random.below(500), 8));
        match random.below(4) {
            0 => bytes.truncate(random.below(bytes.len() as u64) as usize),
            1 => bytes.push(random.bits() as u8),
            _ => {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] = random.bits() as u8 | if random.chance(0.5) { 0xf0 } else { 0 };
            }
        }
        if !bytes.is_empty() {
            capture.answer(random.chance(0.5), &bytes);
            expected.push(Frame::read(Codec::default(), &bytes).is_err());
        }
    }
    let refused = expected.iter().filter(|&&refused| refused).count();
    assert!((400..1600).contains(&refused), "{refused} of 2000");
    if let Some(shown) = capture.shown("refused.pcap", &["hack.malformed"]) {
        let shown: Vec<_> = shown.iter().map(|line| !line[0].is_empty()).collect();
        for (n, (shown, expected)) in shown.iter().zip(&expected).enumerate() {
            assert_eq!(shown, expected, "frame {}", n + 1);
        }
        assert_eq!(shown.len(), expected.len());
    }
}

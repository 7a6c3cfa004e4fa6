use ackless_dot11::frame::{Answer, Bitmap, Body, HeaderBits, MacSeq, NodeId, Tid};
use ackless_phy::{Band, DsssMode, DsssRate, GuardInterval, HtMode, OfdmRate, Preamble, TxVector, VhtMode, Width};
use ackless_wire::{Bytes, Duration};

use super::*;

fn header(vector: TxVector, subframe: Option<radiotap::Subframe>) -> Vec<u8> {
    let mut out = Vec::new();
    radiotap::emit(Instant::from_nanos(0x0102_0304 * 1_000 + 999), vector, subframe, &mut out);
    out
}

fn ht(guard: GuardInterval, width: Width) -> TxVector {
    TxVector::Ht(HtMode::new(15, width, guard, Band::Ghz5).expect("MCS 15 exists"))
}

#[test]
fn a_legacy_header_has_rate_flags_and_channel() {
    let short = DsssMode::new(DsssRate::Mbps11, Preamble::Short).expect("11 Mbps has a short preamble");
    assert_eq!(
        header(TxVector::Dsss(short), None),
        [0, 0, 22, 0, 0x0f, 0, 0, 0, 4, 3, 2, 1, 0, 0, 0, 0, 0x12, 22, 0x6c, 0x09, 0xa0, 0]
    );
    let a = header(TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz5), None);
    assert_eq!(a[16..], [0x10, 108, 0x3c, 0x14, 0x40, 0x01]);
    let g = header(TxVector::ofdm(OfdmRate::Mbps6, Band::Ghz2_4), None);
    assert_eq!(g[16..], [0x10, 12, 0x6c, 0x09, 0xc0, 0]);
}

#[test]
fn an_ht_header_has_mcs_and_aligned_ampdu_status() {
    let alone = header(ht(GuardInterval::Short, Width::Mhz40), None);
    assert_eq!(alone[..8], [0, 0, 25, 0, 0x0b, 0, 0x08, 0]);
    assert_eq!(alone[16..], [0x90, 0, 0x3c, 0x14, 0x40, 0x01, 0x7f, 0x05, 15]);
    let subframe = radiotap::Subframe { reference: 0x0a0b_0c0d, last: true, alone: false, len: Bytes(100) };
    let aggregated = header(ht(GuardInterval::Long, Width::Mhz20), Some(subframe));
    assert_eq!(aggregated[..8], [0, 0, 36, 0, 0x0b, 0, 0x18, 0]);
    let crc = ackless_dot11::codec::ampdu::delimiter(100, false)[2];
    assert_eq!(aggregated[22..], [0x7f, 0, 15, 0, 0, 0, 0x0d, 0x0c, 0x0b, 0x0a, 0xac, 0, crc, 0]);
}

#[test]
fn a_vht_header_has_bandwidth_mcs_and_streams() {
    let mode = VhtMode::new(9, 2, Width::Mhz80, GuardInterval::Short).expect("MCS 9 exists at 80 MHz");
    let subframe = radiotap::Subframe { reference: 0, last: false, alone: true, len: Bytes(9) };
    let header = header(TxVector::Vht(mode), Some(subframe));
    assert_eq!(header[..8], [0, 0, 44, 0, 0x0b, 0, 0x30, 0]);
    assert_eq!(header[24..30], [0, 0, 0, 0, 0xe4, 0]);
    assert_eq!(header[32..], [0x45, 0, 0x04, 4, 0x92, 0, 0, 0, 0, 0, 0, 0]);
}

fn answer(transmitter: NodeId, body: Body) -> Ppdu {
    Ppdu {
        transmitter,
        receiver: NodeId(0),
        txvector: TxVector::ofdm(OfdmRate::Mbps24, Band::Ghz5),
        psdu_len: Bytes::ZERO,
        duration: Duration::ZERO,
        duration_field: Duration::ZERO,
        bits: HeaderBits::default(),
        body,
    }
}

/// The blocks of a file: type and content.
fn blocks(mut file: &[u8]) -> Vec<(u32, &[u8])> {
    let word = |at: &[u8]| u32::from_le_bytes(at[..4].try_into().expect("four bytes"));
    let mut blocks = Vec::new();
    while !file.is_empty() {
        let (kind, len) = (word(file), word(&file[4..]) as usize);
        assert_eq!(len % 4, 0);
        assert_eq!(word(&file[len - 4..]) as usize, len, "both lengths of a block are equal");
        blocks.push((kind, &file[8..len - 4]));
        file = &file[len..];
    }
    blocks
}

#[test]
fn a_file_is_a_section_its_interfaces_and_its_records() {
    let mut writer = PcapWriter::new(Vec::new(), ["ap", "laptop"]).expect("memory takes everything");
    let pool = PacketPool::default();
    let ack = answer(NodeId(1), Body::Ack(Answer::default()));
    let start = Instant::from_nanos(0x0102_0304_0506);
    writer.ppdu(start, &ack, &pool).expect("memory takes everything");
    let file = writer.finish().expect("memory takes everything");
    let blocks = blocks(&file);
    assert_eq!(blocks.iter().map(|block| block.0).collect::<Vec<_>>(), [0x0a0d_0d0a, 1, 1, 6]);
    assert_eq!(blocks[0].1[..16], [0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]);
    assert_eq!(
        blocks[2].1,
        [&[127, 0, 0, 0, 0, 0, 0, 0, 2, 0, 6, 0][..], b"laptop\0\0", &[9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0]].concat()
    );
    let record = blocks[3].1;
    assert_eq!(record[..20], [1, 0, 0, 0, 2, 1, 0, 0, 6, 5, 4, 3, 36, 0, 0, 0, 36, 0, 0, 0]);
    assert_eq!(record[42..44], [0xd4, 0]);
    assert_eq!(record.len(), 20 + 36);
}

#[test]
fn the_only_mpdu_of_a_vht_ppdu_is_an_ampdu_of_one() {
    let vector = TxVector::Vht(VhtMode::new(0, 1, Width::Mhz20, GuardInterval::Long).expect("MCS 0 exists"));
    let request = Ppdu { txvector: vector, ..answer(NodeId(0), Body::BlockAckReq(Tid(0), MacSeq::new(3))) };
    let mut writer = PcapWriter::new(Vec::new(), ["ap"]).expect("memory takes everything");
    for _ in 0..2 {
        writer.ppdu(Instant::ZERO, &request, &PacketPool::default()).expect("memory takes everything");
    }
    let file = writer.finish().expect("memory takes everything");
    let references: Vec<_> = blocks(&file)[2..].iter().map(|(_, record)| record[20 + 24]).collect();
    assert_eq!(references, [0, 1]);
}

/// Takes a number of bytes and then fails.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| io::Error::other("full"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_observer_keeps_its_first_failure_for_the_end() {
    let bitmap = Bitmap::empty(MacSeq::new(0));
    let ppdu = answer(NodeId(0), Body::BlockAck(Tid(0), bitmap, Answer::default()));
    let (mut writer, pool) = (PcapWriter::new(Full(400), ["ap"]).expect("there is room"), PacketPool::default());
    for _ in 0..20 {
        let event = Event::Start { ppdu: &ppdu, pool: &pool, silence: None, access: true };
        writer.observe(Instant::ZERO, &event);
    }
    assert_eq!(writer.finish().map(drop).expect_err("400 bytes do not hold twenty records").to_string(), "full");
}

#[test]
fn a_limit_ends_the_records_before_the_first_that_does_not_fit() {
    let pool = PacketPool::default();
    let ack = answer(NodeId(1), Body::Ack(Answer::default()));
    let file = |bytes: Option<u64>, acks: u64| {
        let bounds = Bounds { bytes: bytes.map(Bytes), snap_len: None };
        let mut writer = PcapWriter::within(Vec::new(), ["ap", "laptop"], bounds).expect("memory takes everything");
        for n in 0..acks {
            writer.ppdu(Instant::from_micros(n), &ack, &pool).expect("memory takes everything");
        }
        (writer.left_out(), writer.finish().expect("memory takes everything"))
    };
    let (none, whole) = file(None, 10);
    assert_eq!(none, None);
    let (header, record) = (file(None, 0).1.len() as u64, (whole.len() - file(None, 9).1.len()) as u64);
    for most in header..header + 11 * record {
        let (left_out, cut) = file(Some(most), 10);
        let fit = ((most - header) / record).min(10);
        assert_eq!(cut, whole[..(header + fit * record) as usize], "{most}");
        let missing = (fit < 10).then(|| LeftOut { since: Instant::from_micros(fit), frames: 10 - fit });
        assert_eq!(left_out, missing, "{most}");
    }
}

#[test]
fn a_snap_length_cuts_records_and_keeps_their_original_length() {
    let pool = PacketPool::default();
    let ack = answer(NodeId(1), Body::Ack(Answer::default()));
    let bounds = Bounds { bytes: None, snap_len: Some(21) };
    let mut writer = PcapWriter::within(Vec::new(), ["ap", "laptop"], bounds).expect("memory takes everything");
    writer.ppdu(Instant::ZERO, &ack, &pool).expect("memory takes everything");
    let file = writer.finish().expect("memory takes everything");
    let blocks = blocks(&file);
    assert_eq!(blocks[1].1[4..8], [21, 0, 0, 0], "the interface says it");
    let record = blocks[3].1;
    assert_eq!(record[12..20], [21, 0, 0, 0, 36, 0, 0, 0]);
    assert_eq!(record.len(), 20 + 24, "21 bytes and their padding");
}

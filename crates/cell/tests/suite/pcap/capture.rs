//! A reader of the files, apart from the code that writes them: as much of pcapng and radiotap as air time needs.
//!
//! A test's own: what it does not expect, it refuses with a panic.

/// One record: an MPDU.
#[derive(Clone, Debug)]
pub struct Record {
    /// Name of its interface.
    pub node: String,
    /// Nanoseconds.
    pub timestamp: u64,
    /// How it was sent.
    pub format: Format,
    /// Reference number of its A-MPDU.
    pub ampdu: Option<u32>,
    /// Length of the frame, FCS included.
    pub len: u64,
}

/// Radiotap's words for the format of a PPDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Rate in units of 500 kbps; whether by CCK, at 2.4 GHz, with a short preamble.
    Legacy { half_megabits: u8, cck: bool, low_band: bool, short_preamble: bool },
    /// HT: MCS, 40 MHz, short guard interval, at 2.4 GHz.
    Ht { mcs: u8, wide: bool, short_guard: bool, low_band: bool },
    /// VHT: MCS, streams, width in MHz, short guard interval.
    Vht { mcs: u8, streams: u8, mhz: u64, short_guard: bool },
}

/// The names of the interfaces, and all records in their order.
pub fn read(file: &[u8]) -> (Vec<String>, Vec<Record>) {
    let mut rest = file;
    let (mut nodes, mut records) = (Vec::new(), Vec::new());
    while !rest.is_empty() {
        let (kind, len) = (u32_at(rest, 0), u32_at(rest, 4) as usize);
        let body = &rest[8..len - 4];
        match kind {
            0x0a0d_0d0a => assert_eq!(u32_at(body, 0), 0x1a2b_3c4d, "little-endian"),
            1 => nodes.push(interface(body)),
            6 => {
                let timestamp = u64::from(u32_at(body, 4)) << 32 | u64::from(u32_at(body, 8));
                let captured = u32_at(body, 12) as usize;
                assert_eq!(captured as u32, u32_at(body, 16), "records are whole");
                records.push(record(nodes[u32_at(body, 0) as usize].clone(), timestamp, &body[20..20 + captured]));
            }
            other => panic!("block type {other}"),
        }
        rest = &rest[len..];
    }
    (nodes, records)
}

fn interface(body: &[u8]) -> String {
    assert_eq!(u16_at(body, 0), 127, "radiotap");
    let (mut name, mut resolution, mut at) = (None, 6, 8);
    while at < body.len() {
        let (code, len) = (u16_at(body, at), usize::from(u16_at(body, at + 2)));
        let value = &body[at + 4..at + 4 + len];
        match code {
            2 => name = Some(String::from_utf8(value.to_vec()).expect("a name in UTF-8")),
            9 => resolution = value[0],
            _ => {}
        }
        at += 4 + len.next_multiple_of(4);
    }
    assert_eq!(resolution, 9, "nanoseconds");
    name.expect("an interface has a name")
}

fn record(node: String, timestamp: u64, data: &[u8]) -> Record {
    let (header_len, present) = (usize::from(u16_at(data, 2)), u32_at(data, 4));
    let has = |bit: u32| present >> bit & 1 == 1;
    let mut at = 8;
    let mut field = |bit: u32, align: usize, size: usize| {
        has(bit).then(|| {
            at = usize::next_multiple_of(at, align);
            at += size;
            &data[at - size..at]
        })
    };
    let known = [0, 1, 2, 3, 19, 20, 21].iter().fold(0, |bits, bit| bits | 1u32 << bit);
    assert_eq!(present & !known, 0, "no other fields");
    let tsft = field(0, 8, 8).expect("TSFT");
    assert_eq!(u64::from_le_bytes(tsft.try_into().expect("eight bytes")), timestamp / 1_000);
    let flags = field(1, 1, 1).expect("Flags")[0];
    let rate = field(2, 1, 1);
    let channel = field(3, 2, 4).expect("Channel");
    let mcs = field(19, 1, 3);
    let ampdu = field(20, 4, 8).map(|status| u32_at(status, 0));
    let vht = field(21, 2, 12);
    assert_eq!(at, header_len, "the header ends with its last field");
    let low_band = u16_at(channel, 2) & 0x80 != 0;
    let format = match (rate, mcs, vht) {
        (Some(rate), None, None) => Format::Legacy {
            half_megabits: rate[0],
            cck: u16_at(channel, 2) & 0x20 != 0,
            low_band,
            short_preamble: flags & 2 != 0,
        },
        (None, Some(mcs), None) => {
            Format::Ht { mcs: mcs[2], wide: mcs[1] & 3 == 1, short_guard: mcs[1] & 4 != 0, low_band }
        }
        (None, None, Some(vht)) => {
            let mhz = match vht[3] {
                0 => 20,
                1 => 40,
                4 => 80,
                11 => 160,
                other => panic!("VHT bandwidth {other}"),
            };
            Format::Vht { mcs: vht[4] >> 4, streams: vht[4] & 15, mhz, short_guard: vht[2] & 4 != 0 }
        }
        other => panic!("a frame has one format, not {other:?}"),
    };
    Record { node, timestamp, format, ampdu, len: (data.len() - header_len) as u64 }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

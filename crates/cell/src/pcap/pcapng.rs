//! The blocks of a pcapng file, little-endian (draft-ietf-opsawg-pcapng, 4.1 to 4.3).

use std::io;

/// Appends the section header: no length, as nobody seeks, and two options.
pub(super) fn section_header(out: &mut Vec<u8>, application: &str, comment: &str) -> io::Result<()> {
    let from = begin(SECTION_HEADER, out);
    out.extend(BYTE_ORDER_MAGIC.to_le_bytes());
    out.extend([1_u16, 0].map(u16::to_le_bytes).concat());
    out.extend((-1_i64).to_le_bytes());
    option(COMMENT, comment.as_bytes(), out)?;
    option(USER_APPLICATION, application.as_bytes(), out)?;
    option(END_OF_OPTIONS, &[], out)?;
    end(from, out);
    Ok(())
}

/// Appends an interface for 802.11 with radiotap, with timestamps in nanoseconds and records of at
/// most `snap_len` bytes, or of any length.
pub(super) fn interface_description(out: &mut Vec<u8>, name: &str, snap_len: Option<u32>) -> io::Result<()> {
    let from = begin(INTERFACE_DESCRIPTION, out);
    out.extend([LINKTYPE_RADIOTAP, 0].map(u16::to_le_bytes).concat());
    out.extend(snap_len.unwrap_or(0).to_le_bytes());
    option(IF_NAME, name.as_bytes(), out)?;
    option(IF_TSRESOL, &[9], out)?;
    option(END_OF_OPTIONS, &[], out)?;
    end(from, out);
    Ok(())
}

/// Appends a record of what `data` appends, or the first `snap_len` bytes of it, captured at
/// `nanos` after the start.
pub(super) fn enhanced_packet(
    out: &mut Vec<u8>,
    interface: u32,
    nanos: u64,
    snap_len: Option<u32>,
    data: impl FnOnce(&mut Vec<u8>),
) {
    let from = begin(ENHANCED_PACKET, out);
    out.extend([interface, (nanos >> 32) as u32, nanos as u32].map(u32::to_le_bytes).concat());
    let lengths = out.len();
    out.extend([0; 8]);
    data(out);
    let len = (out.len() - lengths - 8) as u32;
    let kept = snap_len.map_or(len, |most| most.min(len));
    out.truncate(lengths + 8 + kept as usize);
    out[lengths..lengths + 8].copy_from_slice(&[kept, len].map(u32::to_le_bytes).concat());
    pad(from, out);
    end(from, out);
}

/// Appends a block's type and keeps room for its length; gives the block's place for [`end`].
fn begin(kind: u32, out: &mut Vec<u8>) -> usize {
    out.extend(kind.to_le_bytes());
    out.extend([0; 4]);
    out.len() - 8
}

/// Writes the block's length where both ends of it have it.
fn end(from: usize, out: &mut Vec<u8>) {
    let len = (out.len() + 4 - from) as u32;
    out[from + 4..from + 8].copy_from_slice(&len.to_le_bytes());
    out.extend(len.to_le_bytes());
}

/// Appends an option.
fn option(code: u16, value: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    let len = u16::try_from(value.len())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a name in a pcapng file has at most 65,535 bytes"))?;
    let from = out.len();
    out.extend([code, len].map(u16::to_le_bytes).concat());
    out.extend_from_slice(value);
    pad(from, out);
    Ok(())
}

/// Pads what stands in `out` since `from` to a multiple of four bytes.
fn pad(from: usize, out: &mut Vec<u8>) {
    out.resize(from + (out.len() - from).next_multiple_of(4), 0);
}

/// Block type of the section header.
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
/// Block type of an interface description.
const INTERFACE_DESCRIPTION: u32 = 1;
/// Block type of an enhanced packet.
const ENHANCED_PACKET: u32 = 6;
/// Says in which order the bytes of the section are.
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
/// 802.11 behind a radiotap header.
const LINKTYPE_RADIOTAP: u16 = 127;
/// Option: the end of the options.
const END_OF_OPTIONS: u16 = 0;
/// Option: a comment.
const COMMENT: u16 = 1;
/// Option of an interface: its name.
const IF_NAME: u16 = 2;
/// Option of the section header: the application that wrote it.
const USER_APPLICATION: u16 = 4;
/// Option of an interface: the resolution of its timestamps, as a negative power of ten.
const IF_TSRESOL: u16 = 9;

//! Compressed lists of options as bytes (RFC 6846, 6.3.3 to 6.3.6 and the options' formats in 8.2).

use super::super::bits::Reader;
use super::super::error::Error;
use super::super::lsb::TIMESTAMP;
use super::{
    END, FIRST_GENERIC, Generic, List, MAX_CONTENTS, MAX_ITEMS, MSS, NOP, SACK, SACK_PERMITTED, SCALE, Sack,
    TIMESTAMPS, Table,
};

/// Appends the list; the items at the positions `present` come with their contents.
///
/// `ack` is the packet's own acknowledgement number, against which SACK blocks stand.
pub(in super::super) fn write_list(list: &List, table: &Table, present: u16, ack: u32, out: &mut Vec<u8>) {
    let indexes = list.indexes();
    let wide = indexes.iter().any(|&index| index > 7);
    out.push(u8::from(wide) << 4 | indexes.len() as u8);
    let shown = |at: usize| (present >> at & 1) as u8;
    if wide {
        out.extend(indexes.iter().enumerate().map(|(at, &index)| shown(at) << 7 | index));
    } else {
        for (pair, two) in indexes.chunks(2).enumerate() {
            let low = two.get(1).map_or(0, |&index| shown(2 * pair + 1) << 3 | index);
            out.push((shown(2 * pair) << 3 | two[0]) << 4 | low);
        }
    }
    for (at, &index) in indexes.iter().enumerate() {
        if shown(at) == 1 {
            write_contents(index, table, ack, out);
        }
    }
}

/// Reads a list and the contents that come with it; says at which positions they came.
pub(in super::super) fn read_list(reader: &mut Reader<'_>, table: &mut Table, ack: u32) -> Result<(List, u16), Error> {
    if reader.bits(3)? != 0 {
        return Err(Error::Malformed);
    }
    let wide = reader.flag()?;
    let (mut list, mut present) = (List::default(), 0);
    for at in 0..reader.bits(4)? as usize {
        debug_assert!(at < MAX_ITEMS, "four bits count to 15");
        present |= u16::from(reader.flag()?) << at;
        if wide && reader.bits(3)? != 0 {
            return Err(Error::Malformed);
        }
        list.push(reader.bits(if wide { 4 } else { 3 })? as u8);
    }
    if !wide && list.len % 2 == 1 && reader.bits(4)? != 0 {
        return Err(Error::Malformed);
    }
    for (at, &index) in list.indexes().iter().enumerate() {
        if present >> at & 1 == 1 {
            read_contents(reader, index, table, ack)?;
        }
    }
    Ok((list, present))
}

/// Appends what the irregular chain has of the items, but for those at the positions `present`, whose contents went
/// with the list. `references` are the tables that the decompressor may hold, none of which lacks an item.
pub(in super::super) fn write_irregular<'a>(
    list: &List,
    table: &Table,
    present: u16,
    ack: u32,
    references: impl Iterator<Item = &'a Table> + Clone,
    out: &mut Vec<u8>,
) {
    for (at, &index) in list.indexes().iter().enumerate() {
        if present >> at & 1 == 1 {
            continue;
        }
        match index {
            TIMESTAMPS => {
                for side in 0..2 {
                    let stamp = |table: &Table| table.timestamps.expect("a listed item is in the table")[side];
                    write_timestamp(stamp(table), references.clone().map(stamp), out);
                }
            }
            SACK if references.clone().all(|reference| reference.sack == table.sack) => out.push(0),
            SACK => write_contents(index, table, ack, out),
            FIRST_GENERIC.. => {
                let item = table.generic(index).expect("a listed item is in the table");
                if item.constant {
                    continue;
                }
                if references.clone().all(|reference| reference.generic(index) == Some(item)) {
                    out.push(UNCHANGED);
                } else {
                    out.push(CHANGED);
                    out.extend_from_slice(&item.contents[..usize::from(item.len)]);
                }
            }
            _ => {}
        }
    }
}

/// Reads what [`write_irregular`] wrote.
pub(in super::super) fn read_irregular(
    reader: &mut Reader<'_>,
    list: &List,
    present: u16,
    table: &mut Table,
    ack: u32,
) -> Result<(), Error> {
    for (at, &index) in list.indexes().iter().enumerate() {
        if present >> at & 1 == 1 {
            continue;
        }
        match index {
            TIMESTAMPS => {
                let old = table.timestamps.ok_or(Error::Malformed)?;
                table.timestamps = Some([read_timestamp(reader, old[0])?, read_timestamp(reader, old[1])?]);
            }
            SACK if reader.peek_byte() == Some(0) => {
                reader.u8()?;
            }
            SACK => read_contents(reader, index, table, ack)?,
            FIRST_GENERIC.. => {
                let mut item = *table.generic(index).ok_or(Error::Malformed)?;
                if item.constant {
                    continue;
                }
                match reader.u8()? {
                    UNCHANGED => {}
                    CHANGED => {
                        let len = usize::from(item.len);
                        item.contents[..len].copy_from_slice(reader.take(len)?);
                        table.set_generic(item);
                    }
                    _ => return Err(Error::Malformed),
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn write_contents(index: u8, table: &Table, ack: u32, out: &mut Vec<u8>) {
    let known = "a listed item is in the table";
    match index {
        NOP | SACK_PERMITTED => {}
        END => out.push(table.end.expect(known) * 8),
        MSS => out.extend_from_slice(&table.mss.expect(known).to_be_bytes()),
        SCALE => out.push(table.scale.expect(known)),
        TIMESTAMPS => {
            table.timestamps.expect(known).iter().for_each(|stamp| out.extend_from_slice(&stamp.to_be_bytes()))
        }
        SACK => {
            let sack = table.sack.expect(known);
            out.push(sack.len);
            let mut base = ack;
            for &edge in sack.blocks[..usize::from(sack.len)].iter().flatten() {
                write_edge(edge.wrapping_sub(base), out);
                base = edge;
            }
        }
        _ => {
            let item = table.generic(index).expect(known);
            out.extend_from_slice(&[item.kind, u8::from(item.constant) << 7 | (item.len + 2)]);
            out.extend_from_slice(&item.contents[..usize::from(item.len)]);
        }
    }
}

fn read_contents(reader: &mut Reader<'_>, index: u8, table: &mut Table, ack: u32) -> Result<(), Error> {
    match index {
        NOP => table.nop = true,
        END => {
            // Padding never is a whole number of bytes that is not one of bits, but for 8, 16 and 24 bytes.
            let padding = reader.u8()?;
            let bytes = if padding % 8 == 0 { padding / 8 } else { padding };
            table.end = Some(if bytes < 32 { bytes } else { return Err(Error::Malformed) });
        }
        MSS => table.mss = Some(reader.u16()?),
        SCALE => table.scale = Some(reader.u8()?),
        TIMESTAMPS => table.timestamps = Some([reader.u32()?, reader.u32()?]),
        SACK_PERMITTED => table.sack_permitted = true,
        SACK => {
            let len = reader.u8()?;
            if !(1..=4).contains(&len) {
                return Err(Error::Malformed);
            }
            let mut sack = Sack { len, ..Sack::default() };
            let mut base = ack;
            for edge in sack.blocks[..usize::from(len)].iter_mut().flatten() {
                base = base.wrapping_add(read_edge(reader)?);
                *edge = base;
            }
            table.sack = Some(sack);
        }
        _ => {
            let kind = reader.u8()?;
            let constant = reader.flag()?;
            let len = reader.bits(7)?.checked_sub(2).ok_or(Error::Malformed)? as usize;
            let mut contents = [0; MAX_CONTENTS];
            contents.get_mut(..len).ok_or(Error::Malformed)?.copy_from_slice(reader.take(len)?);
            table.set_generic(Generic { index, kind, constant, len: len as u8, contents });
        }
    }
    Ok(())
}

/// An edge of a SACK block as its distance from the one before, the first from the acknowledgement number.
fn write_edge(distance: u32, out: &mut Vec<u8>) {
    let bytes = distance.to_be_bytes();
    match distance {
        0..0x8000 => out.extend_from_slice(&bytes[2..]),
        0x8000..0x40_0000 => out.extend_from_slice(&[0x80 | bytes[1], bytes[2], bytes[3]]),
        0x40_0000..0x2000_0000 => out.extend_from_slice(&[0xc0 | bytes[0], bytes[1], bytes[2], bytes[3]]),
        _ => {
            out.push(0xff);
            out.extend_from_slice(&bytes);
        }
    }
}

fn read_edge(reader: &mut Reader<'_>) -> Result<u32, Error> {
    match reader.peek_byte().ok_or(Error::Truncated)? {
        0..0x80 => reader.bits(16),
        0x80..0xc0 => Ok(reader.bits(24)? & 0x3f_ffff),
        0xc0..0xe0 => Ok(reader.bits(32)? & 0x1fff_ffff),
        0xff => {
            reader.u8()?;
            reader.u32()
        }
        _ => Err(Error::Malformed),
    }
}

fn write_timestamp(stamp: u32, references: impl Iterator<Item = u32> + Clone, out: &mut Vec<u8>) {
    let (mark, mark_len, lsb) = TIMESTAMP
        .into_iter()
        .find(|(_, _, lsb)| references.clone().all(|reference| lsb.fits(reference, stamp, 32)))
        .expect("a timestamp beyond the longest encoding goes with the list");
    let len = mark_len + lsb.bits();
    let value = u32::from(mark) << lsb.bits() | lsb.low(stamp);
    out.extend_from_slice(&value.to_be_bytes()[4 - usize::from(len / 8)..]);
}

fn read_timestamp(reader: &mut Reader<'_>, reference: u32) -> Result<u32, Error> {
    let ones = reader.peek_byte().ok_or(Error::Truncated)?.leading_ones().min(3) as usize;
    let (_, mark_len, lsb) = TIMESTAMP[ones];
    reader.bits(mark_len)?;
    Ok(lsb.decode(reference, reader.bits(lsb.bits())?, 32))
}

/// A generic item that may change but did not.
const UNCHANGED: u8 = 0xff;
/// A generic item that changed; its contents follow.
const CHANGED: u8 = 0;

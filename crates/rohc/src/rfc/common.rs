//! The header that can change any field but the static ones (RFC 6846, 8.2, `co_common`).

use super::bits::{Fields, Reader};
use super::error::Error;
use super::format::{Crc, Rest, rsf_index, rsf_of, set_flags};
use super::header::{ACK, PSH, RSF, URG};
use super::lsb::Lsb;
use super::state::{Changes, IpIdBehavior, MSN, State};

/// Appends the header up to the list, if one goes with it. `changes` is in what any of the `references`, which the
/// decompressor may hold, differs from `new`.
pub(super) fn write<'a>(
    v4: bool,
    new: &State,
    changes: Changes,
    references: impl Iterator<Item = &'a State> + Clone,
    header: &[u8],
    out: &mut Vec<u8>,
) {
    let tcp = &new.header;
    let numbers = |of: fn(&State) -> u32| indicator(of(new), references.clone().map(of));
    let seq = if changes.contains(Changes::SEQ) { numbers(|state| state.header.seq) } else { 0 };
    let ack = if changes.contains(Changes::ACK) { numbers(|state| state.header.ack) } else { 0 };
    let offset = new.ip_id_offset();
    let whole_ip_id = new.behavior.is_sequential()
        && references
            .clone()
            .any(|old| old.behavior != new.behavior || !IP_ID.fits(old.ip_id_offset().into(), offset.into(), 16));
    let mut fields = Fields::default();
    fields.push(MARK.into(), 8);
    fields.flag(tcp.flags & ACK != 0);
    fields.flag(tcp.flags & PSH != 0);
    fields.push(rsf_index(tcp.flags), 2);
    fields.push(MSN.low(new.msn.into()), 4);
    fields.push(seq.into(), 2);
    fields.push(ack.into(), 2);
    fields.flag(changes.contains(Changes::STRIDE));
    fields.flag(changes.contains(Changes::WINDOW));
    fields.flag(whole_ip_id);
    fields.flag(changes.contains(Changes::URGENT));
    fields.flag(false);
    fields.flag(new.ecn_used);
    fields.flag(changes.contains(Changes::DSCP));
    fields.flag(changes.contains(Changes::HOPS));
    fields.flag(changes.contains(Changes::LIST));
    fields.push(new.behavior as u32, 2);
    fields.flag(tcp.flags & URG != 0);
    fields.flag(v4 && tcp.dont_fragment);
    fields.push(crate::crc::CRC7.of(header).into(), 7);
    fields.write(out);
    write_number(tcp.seq, seq, out);
    write_number(tcp.ack, ack, out);
    for (flag, value) in [(Changes::STRIDE, new.stride), (Changes::WINDOW, tcp.window)] {
        if changes.contains(flag) {
            out.extend_from_slice(&value.to_be_bytes());
        }
    }
    if whole_ip_id {
        out.extend_from_slice(&tcp.ip_id.to_be_bytes());
    } else if new.behavior.is_sequential() {
        out.push(IP_ID.low(offset.into()) as u8);
    }
    if changes.contains(Changes::URGENT) {
        out.extend_from_slice(&tcp.urgent.to_be_bytes());
    }
    if changes.contains(Changes::DSCP) {
        out.push(tcp.traffic_class & !3);
    }
    if changes.contains(Changes::HOPS) {
        out.push(tcp.hops);
    }
}

/// Reads the header up to the list, and brings `state` from the one before to that of the packet.
pub(super) fn read(v4: bool, reader: &mut Reader<'_>, state: &mut State) -> Result<Rest, Error> {
    if reader.u8()? != MARK {
        // The last bit would announce the hop limits of outer IP headers, of which there are none.
        return Err(Error::Unsupported);
    }
    let mut flags = 0;
    for flag in [ACK, PSH] {
        flags |= if reader.flag()? { flag } else { 0 };
    }
    flags |= rsf_of(reader.bits(2)?);
    let msn = reader.bits(4)?;
    let (seq, ack) = (reader.bits(2)?, reader.bits(2)?);
    let (has_stride, has_window, whole_ip_id, has_urgent) =
        (reader.flag()?, reader.flag()?, reader.flag()?, reader.flag()?);
    if reader.flag()? {
        return Err(Error::Malformed);
    }
    state.ecn_used = reader.flag()?;
    let (has_dscp, has_hops, list_present) = (reader.flag()?, reader.flag()?, reader.flag()?);
    let behavior = IpIdBehavior::from_bits(reader.bits(2)?);
    flags |= if reader.flag()? { URG } else { 0 };
    let dont_fragment = reader.flag()?;
    let crc = Crc::Seven(reader.bits(7)? as u8);

    let old = (state.behavior, state.msn, state.header.ip_id);
    state.behavior = if v4 { behavior } else { IpIdBehavior::Random };
    state.header.dont_fragment = v4 && dont_fragment;
    set_flags(state, ACK | PSH | RSF | URG, flags);
    state.header.seq = read_number(reader, seq, state.header.seq)?;
    state.header.ack = read_number(reader, ack, state.header.ack)?;
    if has_stride {
        state.stride = reader.u16()?;
    }
    if has_window {
        state.header.window = reader.u16()?;
    }
    // The reference takes the new byte order: what came before says nothing about the distance in the old one.
    let reference = state.behavior.ordered(old.2).wrapping_sub(old.1);
    state.msn = MSN.decode(old.1.into(), msn, 16) as u16;
    if state.behavior.is_sequential() {
        state.header.ip_id = if whole_ip_id {
            reader.u16()?
        } else {
            let offset = IP_ID.decode(reference.into(), reader.u8()?.into(), 16) as u16;
            state.behavior.ordered(offset.wrapping_add(state.msn))
        };
    } else if whole_ip_id {
        return Err(Error::Malformed);
    }
    if has_urgent {
        state.header.urgent = reader.u16()?;
    }
    if has_dscp {
        state.header.traffic_class = reader.u8()? & !3 | state.header.traffic_class & 3;
    }
    if has_hops {
        state.header.hops = reader.u8()?;
    }
    Ok(Rest { list_present, crc })
}

/// How much of a number is sent: 1 or 2 bytes of low bits, or 3 for all four.
fn indicator(new: u32, references: impl Iterator<Item = u32> + Clone) -> u8 {
    let fits = |lsb: Lsb| references.clone().all(|old| lsb.fits(old, new, 32));
    if fits(NUMBER[0]) {
        1
    } else if fits(NUMBER[1]) {
        2
    } else {
        3
    }
}

fn write_number(number: u32, indicator: u8, out: &mut Vec<u8>) {
    let bytes = [0, 1, 2, 4][usize::from(indicator)];
    out.extend_from_slice(&number.to_be_bytes()[4 - bytes..]);
}

fn read_number(reader: &mut Reader<'_>, indicator: u32, old: u32) -> Result<u32, Error> {
    Ok(match indicator {
        0 => old,
        1 | 2 => {
            let lsb = NUMBER[indicator as usize - 1];
            lsb.decode(old, reader.bits(lsb.bits())?, 32)
        }
        _ => reader.u32()?,
    })
}

/// Without outer hop limits in the irregular chain.
const MARK: u8 = 0b1111_1010;
const IP_ID: Lsb = Lsb::new(8, 3);
const NUMBER: [Lsb; 2] = [Lsb::new(8, 63), Lsb::new(16, 16383)];

#[cfg(test)]
mod tests {
    use super::super::state::sample;
    use super::*;

    fn came(old: &State, new: &State, bytes: usize) -> State {
        let mut out = Vec::new();
        write(true, new, new.changes_since(old), [old].into_iter(), b"header", &mut out);
        assert_eq!(out.len(), bytes);
        let mut state = old.clone();
        let mut reader = Reader::new(&out);
        read(true, &mut reader, &mut state).expect("what was written can be read");
        assert_eq!(reader.left(), 0);
        state
    }

    #[test]
    fn each_change_takes_its_own_bytes() {
        let old = sample();
        for (change, bytes) in [
            ((|_| {}) as fn(&mut State), 0_i32),
            (|state| state.header.seq += 192, 1),
            (|state| state.header.seq += 193, 2),
            (|state| state.header.ack += 60_000, 4),
            (|state| state.stride = 0, 2),
            (|state| state.header.window = 0, 2),
            (|state| state.header.ip_id += 600, 1),
            (|state| state.header.urgent = 1, 2),
            (|state| state.header.traffic_class = 0xb8, 1),
            (|state| state.header.hops = 1, 1),
            (|state| state.header.flags = PSH | URG | 4, 0),
            (|state| state.header.dont_fragment = false, 0),
            (|state| state.ecn_used = true, 0),
            (|state| state.behavior = IpIdBehavior::Swapped, 1),
            (|state| (state.behavior, state.header.ip_id) = (IpIdBehavior::Random, 0x1234), -1),
        ] {
            let mut new = old.clone();
            new.msn += 2;
            new.header.ip_id += 2;
            change(&mut new);
            // Five bytes always, and one of the identification's distance while it is sequential.
            assert_eq!(came(&old, &new, (6 + bytes) as usize), new);
        }
    }
}

//! Static, dynamic and irregular chain of one IP header and TCP (RFC 6846, 6.2 and 8.2).

use super::bits::{Fields, Reader};
use super::error::Error;
use super::header::{Flow, TCP_ECN};
use super::options::{List, Table, read_irregular, read_list, write_irregular, write_list};
use super::state::{IpIdBehavior, State};

/// Appends the static chain.
pub(super) fn write_static(flow: &Flow, out: &mut Vec<u8>) {
    let n = if flow.v4 {
        out.push(0);
        4
    } else {
        // Version, and whether there is a flow label, whose upper bits share the octet.
        match flow.label {
            0 => out.push(0x80),
            label => out.extend_from_slice(&(0x90_0000 | label).to_be_bytes()[1..]),
        }
        16
    };
    out.push(TCP);
    out.extend_from_slice(&flow.src[..n]);
    out.extend_from_slice(&flow.dst[..n]);
    out.extend_from_slice(&flow.ports);
}

/// Reads a static chain of one IP header; tunnels and extension headers are not known here.
pub(super) fn read_static(reader: &mut Reader<'_>) -> Result<Flow, Error> {
    let mut flow = Flow { src: [0; 16], dst: [0; 16], ports: [0; 4], label: 0, v4: !reader.flag()? };
    let reserved = if flow.v4 { reader.bits(7)? } else { reader.bits(2)? };
    if reserved != 0 {
        return Err(Error::Malformed);
    }
    let n = if flow.v4 { 4 } else { 16 };
    if !flow.v4 {
        if reader.flag()? {
            flow.label = reader.bits(20)?;
        } else if reader.bits(4)? != 0 {
            return Err(Error::Malformed);
        }
    }
    if reader.u8()? != TCP {
        return Err(Error::Unsupported);
    }
    flow.src[..n].copy_from_slice(reader.take(n)?);
    flow.dst[..n].copy_from_slice(reader.take(n)?);
    flow.ports.copy_from_slice(reader.take(4)?);
    Ok(flow)
}

/// Appends the dynamic chain, with the stride and every option's contents.
pub(super) fn write_dynamic(v4: bool, state: &State, out: &mut Vec<u8>) {
    let header = &state.header;
    if v4 {
        out.push(u8::from(header.dont_fragment) << 2 | state.behavior as u8);
    }
    out.extend_from_slice(&[header.traffic_class, header.hops]);
    if v4 && state.behavior != IpIdBehavior::Zero {
        out.extend_from_slice(&header.ip_id.to_be_bytes());
    }
    let mut fields = Fields::default();
    fields.flag(state.ecn_used);
    fields.flag(true);
    fields.flag(header.ack == 0);
    fields.flag(header.urgent == 0);
    fields.push(header.reserved.into(), 4);
    fields.push(header.flags.into(), 8);
    fields.push(state.msn.into(), 16);
    fields.push(header.seq, 32);
    fields.write(out);
    if header.ack != 0 {
        out.extend_from_slice(&header.ack.to_be_bytes());
    }
    out.extend_from_slice(&header.window.to_be_bytes());
    out.extend_from_slice(&header.checksum.to_be_bytes());
    if header.urgent != 0 {
        out.extend_from_slice(&header.urgent.to_be_bytes());
    }
    out.extend_from_slice(&state.stride.to_be_bytes());
    write_list(&state.list, &state.table, u16::MAX, header.ack, out);
}

/// Reads a dynamic chain into `state`, which holds what the context had before.
pub(super) fn read_dynamic(v4: bool, reader: &mut Reader<'_>, state: &mut State) -> Result<(), Error> {
    let header = &mut state.header;
    if v4 {
        if reader.bits(5)? != 0 {
            return Err(Error::Malformed);
        }
        header.dont_fragment = reader.flag()?;
        state.behavior = IpIdBehavior::from_bits(reader.bits(2)?);
    } else {
        header.dont_fragment = false;
        state.behavior = IpIdBehavior::Random;
    }
    header.traffic_class = reader.u8()?;
    header.hops = reader.u8()?;
    header.ip_id = if v4 && state.behavior != IpIdBehavior::Zero { reader.u16()? } else { 0 };
    state.ecn_used = reader.flag()?;
    let has_stride = reader.flag()?;
    let (ack_is_zero, urgent_is_zero) = (reader.flag()?, reader.flag()?);
    header.reserved = reader.bits(4)? as u8;
    header.flags = reader.u8()?;
    state.msn = reader.u16()?;
    header.seq = reader.u32()?;
    header.ack = if ack_is_zero { 0 } else { reader.u32()? };
    header.window = reader.u16()?;
    header.checksum = reader.u16()?;
    header.urgent = if urgent_is_zero { 0 } else { reader.u16()? };
    if has_stride {
        state.stride = reader.u16()?;
    }
    let (list, present) = read_list(reader, &mut state.table, header.ack)?;
    state.list = list;
    if present.count_ones() as usize == list.indexes().len() { Ok(()) } else { Err(Error::Malformed) }
}

/// Appends the irregular chain; the items at the positions `present` went with their contents before.
pub(super) fn write_irregular_chain<'a>(
    v4: bool,
    state: &State,
    present: u16,
    references: impl Iterator<Item = &'a Table> + Clone,
    out: &mut Vec<u8>,
) {
    let header = &state.header;
    if v4 && state.behavior == IpIdBehavior::Random {
        out.extend_from_slice(&header.ip_id.to_be_bytes());
    }
    if state.ecn_used {
        out.push(header.traffic_class << 6 | header.reserved << 2 | header.flags >> 6);
    }
    out.extend_from_slice(&header.checksum.to_be_bytes());
    write_irregular(&state.list, &state.table, present, header.ack, references, out);
}

/// Reads the irregular chain into `state`, whose other fields are those of the packet already.
pub(super) fn read_irregular_chain(
    v4: bool,
    reader: &mut Reader<'_>,
    state: &mut State,
    present: u16,
) -> Result<(), Error> {
    let header = &mut state.header;
    match state.behavior {
        IpIdBehavior::Random if v4 => header.ip_id = reader.u16()?,
        IpIdBehavior::Zero => header.ip_id = 0,
        _ => {}
    }
    if state.ecn_used {
        header.traffic_class = header.traffic_class & !3 | reader.bits(2)? as u8;
        header.reserved = reader.bits(4)? as u8;
        header.flags = header.flags & !TCP_ECN | (reader.bits(2)? as u8) << 6;
    }
    header.checksum = reader.u16()?;
    let list: List = state.list;
    read_irregular(reader, &list, present, &mut state.table, state.header.ack)
}

const TCP: u8 = 6;

#[cfg(test)]
mod tests {
    use super::super::state::sample;
    use super::*;

    #[test]
    fn the_flow_label_takes_its_bytes_only_if_there_is_one() {
        let mut flow = Flow { src: [1; 16], dst: [2; 16], ports: [0, 80, 1, 2], label: 0, v4: false };
        for (label, len) in [(0, 38), (0xa_bcde, 40)] {
            flow.label = label;
            let mut out = Vec::new();
            write_static(&flow, &mut out);
            assert_eq!(out.len(), len);
            assert_eq!(read_static(&mut Reader::new(&out)), Ok(flow));
        }
    }

    #[test]
    fn a_dynamic_chain_brings_the_whole_state() {
        for (v4, behavior, ack, urgent) in
            [(true, IpIdBehavior::Swapped, 5, 0), (true, IpIdBehavior::Zero, 0, 9), (false, IpIdBehavior::Random, 0, 0)]
        {
            let mut state = State { behavior, ecn_used: true, ..sample() };
            (state.header.ack, state.header.urgent, state.header.reserved) = (ack, urgent, 5);
            state.header.flags |= TCP_ECN;
            state.header.dont_fragment = v4;
            if !v4 || behavior == IpIdBehavior::Zero {
                state.header.ip_id = 0;
            }
            let mut out = Vec::new();
            write_dynamic(v4, &state, &mut out);
            let mut came = State { msn: 99, stride: 1, ..sample() };
            assert_eq!(read_dynamic(v4, &mut Reader::new(&out), &mut came), Ok(()));
            assert_eq!(came, state);
        }
    }

    #[test]
    fn a_dynamic_chain_without_a_stride_keeps_the_one_of_the_context() {
        let mut out = Vec::new();
        write_dynamic(true, &sample(), &mut out);
        let stride_at = out.len() - 3;
        out.drain(stride_at..stride_at + 2);
        out[5] &= !0x40;
        let mut came = State { stride: 77, ..sample() };
        assert_eq!(read_dynamic(true, &mut Reader::new(&out), &mut came), Ok(()));
        assert_eq!(came.stride, 77);
    }
}

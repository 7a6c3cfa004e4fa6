//! The sixteen short headers of RFC 6846, 8.2, as a table: which fields each has, in order.

use std::fmt;

use super::bits::{Fields, Reader};
use super::error::Error;
use super::header::{PSH, RSF};
use super::lsb::Lsb;
use super::state::{Changes, MSN, State};

/// The form of a packet (RFC 6846, 7.1 and 7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "rnd_1 to seq_8 say all in their names: the headers of RFC 6846, 8.2")]
pub enum PacketType {
    /// Initialises static and dynamic part of a context.
    Ir,
    /// Initialises the dynamic part.
    IrDyn,
    /// May change any field but the static ones.
    CoCommon,
    Rnd1,
    Rnd2,
    Rnd3,
    Rnd4,
    Rnd5,
    Rnd6,
    Rnd7,
    Rnd8,
    Seq1,
    Seq2,
    Seq3,
    Seq4,
    Seq5,
    Seq6,
    Seq7,
    Seq8,
}

/// One short header: what tells it from the others, then its fields in order.
#[derive(Debug)]
pub(super) struct Format {
    pub(super) kind: PacketType,
    mark: u8,
    mark_len: u8,
    fields: &'static [Field],
    carries: Changes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Seq(Lsb),
    /// By the length of the payload, which a pure ACK does not have: zero, and it means an unchanged number.
    SeqScaled,
    Ack(Lsb),
    AckScaled,
    /// The identification's distance from the MSN.
    IpId(Lsb),
    Window(Lsb),
    Msn,
    Psh,
    Hops,
    EcnUsed,
    Rsf,
    ListPresent,
    Crc3,
    Crc7,
}

/// What reading a short header leaves to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    /// A compressed list follows.
    pub(super) list_present: bool,
    /// The checksum to compare with.
    pub(super) crc: Crc,
}

/// A checksum that came with a header.
#[derive(Clone, Copy, Debug)]
pub(super) enum Crc {
    Three(u8),
    Seven(u8),
}

impl Format {
    const fn new(kind: PacketType, mark: u8, mark_len: u8, fields: &'static [Field]) -> Self {
        Self { kind, mark, mark_len, fields, carries: carried(fields) }
    }

    /// The shortest header that tells every decompressor whose state is among `references` how to get to `new`, if
    /// a short one can; `changes` is in what any of them differs.
    pub(super) fn shortest<'a>(
        new: &State,
        changes: Changes,
        references: impl Iterator<Item = &'a State> + Clone,
    ) -> Option<&'static Self> {
        let formats = if new.behavior.is_sequential() { &SEQ } else { &RND };
        formats.iter().find(|format| {
            !format.scales_payload()
                && format.carries.contains(changes)
                && format.fields.iter().all(|field| references.clone().all(|old| field.fits(old, new)))
        })
    }

    /// The format of a header that starts with the octet `first`, in a context with or without sequential
    /// identifications.
    pub(super) fn recognise(first: u8, sequential: bool) -> Option<&'static Self> {
        let formats = if sequential { &SEQ } else { &RND };
        formats.iter().find(|format| first >> (8 - format.mark_len) == format.mark)
    }

    /// Whether it has a number scaled by the length of the payload. Such headers are read and not written: without a payload the number says nothing,
    /// and another implementation in use refuses them.
    fn scales_payload(&self) -> bool {
        self.fields.contains(&Field::SeqScaled)
    }

    /// Whether the header may come with a list of options.
    pub(super) fn has_list(&self) -> bool {
        self.carries.contains(Changes::LIST)
    }

    /// Appends the header. `header` is the packet before compression, over which the checksum goes.
    pub(super) fn write(&self, new: &State, list_present: bool, header: &[u8], out: &mut Vec<u8>) {
        let mut fields = Fields::default();
        fields.push(self.mark.into(), self.mark_len);
        for field in self.fields {
            let value = match field {
                Field::ListPresent => list_present.into(),
                Field::Crc3 => crate::crc::CRC3.of(header).into(),
                Field::Crc7 => crate::crc::CRC7.of(header).into(),
                _ => field.value(new),
            };
            fields.push(value, field.bits());
        }
        fields.write(out);
    }

    /// Reads a header that [`Format::recognise`] knew, and brings `state` from the one before to that of the packet.
    pub(super) fn read(&self, reader: &mut Reader<'_>, state: &mut State) -> Result<Rest, Error> {
        reader.bits(self.mark_len)?;
        let mut values = [0; MAX_FIELDS];
        for (value, field) in values.iter_mut().zip(self.fields) {
            *value = reader.bits(field.bits())?;
        }
        let values = || self.fields.iter().zip(values);
        let old_offset = state.ip_id_offset();
        let msn = values().find(|(field, _)| **field == Field::Msn).expect("every header has the MSN").1;
        state.msn = MSN.decode(state.msn.into(), msn, 16) as u16;
        let mut rest = Rest { list_present: false, crc: Crc::Three(0) };
        for (field, value) in values() {
            match field {
                Field::Seq(lsb) => state.header.seq = lsb.decode(state.header.seq, value, 32),
                Field::SeqScaled if value != 0 => return Err(Error::Malformed),
                Field::SeqScaled | Field::Msn => {}
                Field::Ack(lsb) => state.header.ack = lsb.decode(state.header.ack, value, 32),
                Field::AckScaled => state.header.ack = state.unscale_ack(value).ok_or(Error::Malformed)?,
                Field::IpId(lsb) => {
                    let offset = lsb.decode(old_offset.into(), value, 16) as u16;
                    state.header.ip_id = state.behavior.ordered(offset.wrapping_add(state.msn));
                }
                Field::Window(lsb) => {
                    state.header.window = lsb.decode(state.header.window.into(), value, 16) as u16;
                }
                Field::Psh => set_flags(state, PSH, if value == 1 { PSH } else { 0 }),
                Field::Hops => state.header.hops = HOPS.decode(state.header.hops.into(), value, 8) as u8,
                Field::EcnUsed => state.ecn_used = value == 1,
                Field::Rsf => set_flags(state, RSF, rsf_of(value)),
                Field::ListPresent => rest.list_present = value == 1,
                Field::Crc3 => rest.crc = Crc::Three(value as u8),
                Field::Crc7 => rest.crc = Crc::Seven(value as u8),
            }
        }
        Ok(rest)
    }
}

impl Field {
    const fn bits(self) -> u8 {
        match self {
            Self::Seq(lsb) | Self::Ack(lsb) | Self::IpId(lsb) | Self::Window(lsb) => lsb.bits(),
            Self::SeqScaled | Self::AckScaled | Self::Msn => 4,
            Self::Hops | Self::Crc3 => 3,
            Self::Rsf => 2,
            Self::Crc7 => 7,
            Self::Psh | Self::EcnUsed | Self::ListPresent => 1,
        }
    }

    /// Whether a decompressor in the state `old` makes the value of `new` out of what this field says of it.
    fn fits(self, old: &State, new: &State) -> bool {
        match self {
            Self::Seq(lsb) => lsb.fits(old.header.seq, new.header.seq, 32),
            Self::SeqScaled => old.header.seq == new.header.seq,
            Self::Ack(lsb) => lsb.fits(old.header.ack, new.header.ack, 32),
            Self::AckScaled => old.unscale_ack(new.ack_scaled()) == Some(new.header.ack),
            Self::IpId(lsb) => lsb.fits(old.ip_id_offset().into(), new.ip_id_offset().into(), 16),
            Self::Window(lsb) => lsb.fits(old.header.window.into(), new.header.window.into(), 16),
            Self::Hops => HOPS.fits(old.header.hops.into(), new.header.hops.into(), 8),
            Self::Msn => MSN.fits(old.msn.into(), new.msn.into(), 16),
            Self::Psh | Self::EcnUsed | Self::Rsf | Self::ListPresent | Self::Crc3 | Self::Crc7 => true,
        }
    }

    fn value(self, new: &State) -> u32 {
        match self {
            Self::Seq(lsb) => lsb.low(new.header.seq),
            Self::Ack(lsb) => lsb.low(new.header.ack),
            Self::AckScaled => new.ack_scaled(),
            Self::IpId(lsb) => lsb.low(new.ip_id_offset().into()),
            Self::Window(lsb) => lsb.low(new.header.window.into()),
            Self::Msn => MSN.low(new.msn.into()),
            Self::Psh => u32::from(new.header.flags & PSH != 0),
            Self::Hops => HOPS.low(new.header.hops.into()),
            Self::EcnUsed => new.ecn_used.into(),
            Self::Rsf => rsf_index(new.header.flags),
            Self::SeqScaled | Self::ListPresent | Self::Crc3 | Self::Crc7 => 0,
        }
    }
}

impl fmt::Display for PacketType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ir => "IR",
            Self::IrDyn => "IR-DYN",
            Self::CoCommon => "co_common",
            Self::Rnd1 => "rnd_1",
            Self::Rnd2 => "rnd_2",
            Self::Rnd3 => "rnd_3",
            Self::Rnd4 => "rnd_4",
            Self::Rnd5 => "rnd_5",
            Self::Rnd6 => "rnd_6",
            Self::Rnd7 => "rnd_7",
            Self::Rnd8 => "rnd_8",
            Self::Seq1 => "seq_1",
            Self::Seq2 => "seq_2",
            Self::Seq3 => "seq_3",
            Self::Seq4 => "seq_4",
            Self::Seq5 => "seq_5",
            Self::Seq6 => "seq_6",
            Self::Seq7 => "seq_7",
            Self::Seq8 => "seq_8",
        })
    }
}

/// RST, SYN and FIN as an index, of which at most one can be set (RFC 6846, 8.2, `rsf_index_enc`).
pub(super) fn rsf_index(flags: u8) -> u32 {
    match flags & RSF {
        4 => 1,
        2 => 2,
        1 => 3,
        _ => 0,
    }
}

pub(super) const fn rsf_of(index: u32) -> u8 {
    [0, 4, 2, 1][(index & 3) as usize]
}

pub(super) fn set_flags(state: &mut State, mask: u8, flags: u8) {
    state.header.flags = state.header.flags & !mask | flags;
}

/// The changes that a header with these fields can tell of; whether their extent fits is for each field to say.
const fn carried(fields: &[Field]) -> Changes {
    let mut carried = Changes::empty();
    let mut at = 0;
    while at < fields.len() {
        carried = carried.union(match fields[at] {
            Field::Seq(_) => Changes::SEQ,
            Field::Ack(_) | Field::AckScaled => Changes::ACK,
            Field::Window(_) => Changes::WINDOW,
            Field::Hops => Changes::HOPS,
            Field::EcnUsed => Changes::ECN_USED,
            Field::Rsf => Changes::RSF,
            Field::ListPresent => Changes::LIST,
            _ => Changes::empty(),
        });
        at += 1;
    }
    carried
}

const fn seq(bits: u8, p: i32) -> Field {
    Field::Seq(Lsb::new(bits, p))
}

const fn ack(bits: u8, p: i32) -> Field {
    Field::Ack(Lsb::new(bits, p))
}

const fn ip_id(bits: u8, p: i32) -> Field {
    Field::IpId(Lsb::new(bits, p))
}

const fn window(bits: u8, p: i32) -> Field {
    Field::Window(Lsb::new(bits, p))
}

/// The profile of RFC 6846.
pub(super) const PROFILE: u8 = 6;
/// The first octet of an IR packet (RFC 5795, 5.2.2.1).
pub(super) const IR: u8 = 0b1111_1101;
/// The first octet of an IR-DYN packet (RFC 5795, 5.2.2.2).
pub(super) const IR_DYN: u8 = 0b1111_1000;

const HOPS: Lsb = Lsb::new(3, 3);
const MAX_FIELDS: usize = 10;

use Field::{AckScaled, Crc3, Crc7, EcnUsed, Hops, ListPresent, Msn, Psh, Rsf, SeqScaled};
use PacketType::{Rnd1, Rnd2, Rnd3, Rnd4, Rnd5, Rnd6, Rnd7, Rnd8, Seq1, Seq2, Seq3, Seq4, Seq5, Seq6, Seq7, Seq8};

/// For random and zero identifications and for IPv6, shortest first. A window of all 16 bits fits whatever it is. The
/// sequence number of rnd_8 is as the RFC has it: its 16 bits reach 65,535 back and nothing on.
static RND: [Format; 8] = [
    Format::new(Rnd4, 0b1101, 4, &[AckScaled, Msn, Psh, Crc3]),
    Format::new(Rnd2, 0b1100, 4, &[SeqScaled, Msn, Psh, Crc3]),
    Format::new(Rnd3, 0b0, 1, &[ack(15, 8191), Msn, Psh, Crc3]),
    Format::new(Rnd1, 0b10_1110, 6, &[seq(18, 65535), Msn, Psh, Crc3]),
    Format::new(Rnd6, 0b1010, 4, &[Crc3, Psh, ack(16, 16383), Msn, SeqScaled]),
    Format::new(Rnd5, 0b100, 3, &[Psh, Msn, Crc3, seq(14, 8191), ack(15, 8191)]),
    Format::new(Rnd7, 0b10_1111, 6, &[ack(18, 65535), window(16, 0), Msn, Psh, Crc3]),
    Format::new(Rnd8, 0b10110, 5, &[Rsf, ListPresent, Crc7, Msn, Psh, Hops, EcnUsed, seq(16, 65535), ack(16, 16383)]),
];

/// For sequential identifications in either byte order, shortest first.
static SEQ: [Format; 8] = [
    Format::new(Seq4, 0b0, 1, &[AckScaled, ip_id(3, 1), Msn, Psh, Crc3]),
    Format::new(Seq2, 0b11010, 5, &[ip_id(7, 3), SeqScaled, Msn, Psh, Crc3]),
    Format::new(Seq3, 0b1001, 4, &[ip_id(4, 3), ack(16, 16383), Msn, Psh, Crc3]),
    Format::new(Seq1, 0b1010, 4, &[ip_id(4, 3), seq(16, 32767), Msn, Psh, Crc3]),
    Format::new(Seq6, 0b11011, 5, &[SeqScaled, ip_id(7, 3), ack(16, 16383), Msn, Psh, Crc3]),
    Format::new(Seq5, 0b1000, 4, &[ip_id(4, 3), ack(16, 16383), seq(16, 32767), Msn, Psh, Crc3]),
    Format::new(Seq7, 0b1100, 4, &[window(15, 16383), ip_id(5, 3), ack(16, 32767), Msn, Psh, Crc3]),
    Format::new(
        Seq8,
        0b1011,
        4,
        &[ip_id(4, 3), ListPresent, Crc7, Msn, Psh, Hops, EcnUsed, ack(15, 8191), Rsf, seq(14, 8191)],
    ),
];

#[cfg(test)]
mod tests;

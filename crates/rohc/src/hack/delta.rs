//! The codes of any length: whatever differs from the header before.

use ackless_wire::tcp::TcpOptions;
use ackless_wire::{IpHeader, SeqNumber, TcpFlags};

use crate::hack::ack::Ack;
use crate::hack::code::{Code, Cursor, MORE};
use crate::hack::context::Context;
use crate::hack::error::{DecodeError, Malformed};
use crate::hack::sack::SackList;

/// What a `Delta` or `Extended` code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Delta {
    advance: Advance,
    /// How far TSval and TSecr moved, modulo 2^32.
    stamps: (u32, u32),
    /// How far the window moved, modulo 2^16.
    window: i16,
    /// The IPv4 identification, unless it is the expected one.
    ip_id: Option<u16>,
    /// The SACK blocks, unless they are as before.
    sack: Option<SackList>,
    rare: Rare,
}

/// How far the acknowledgment number moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Advance {
    /// Not at all.
    Stay,
    /// By the last stride.
    Stride,
    /// By the stride before.
    OtherStride,
    /// By this, modulo 2^32; not 0.
    By(u32),
}

/// The fields that only an `Extended` code has. What is absent is as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Rare {
    /// How far the sequence number moved, modulo 2^32.
    seq: i32,
    /// Which of ECE, CWR and Don't Fragment changed.
    toggled: u8,
    dscp_ecn: Option<u8>,
    ttl: Option<u8>,
    flow_label: Option<u32>,
    urgent: Option<u16>,
    options: Option<OptionSet>,
}

/// The options of a header, but for the values of timestamps and SACK blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OptionSet {
    mss: Option<u16>,
    sack_permitted: bool,
    window_scale: Option<u8>,
    timestamps: bool,
}

impl Delta {
    /// The code that leads to `ack`. Both belong to one flow.
    pub(super) fn between(context: &Context, ack: &Ack) -> Self {
        let before = &context.reference;
        let (old, new) = (&before.tcp, &ack.tcp);
        let advance = match new.ack - old.ack {
            0 => Advance::Stay,
            by if by == context.stride => Advance::Stride,
            by if by == context.other_stride => Advance::OtherStride,
            by => Advance::By(by),
        };
        let ((old_value, old_echo), (value, echo)) = (before.by_ref().stamps(), ack.by_ref().stamps());
        let has_stamps = new.options.timestamps.is_some();
        let stamps = (value.wrapping_sub(old_value), echo.wrapping_sub(old_echo));
        let ip_id = match &ack.ip {
            IpHeader::V4(v4) if v4.id != context.expected_id() => Some(v4.id),
            _ => None,
        };
        let same_blocks = old.options.sack == new.options.sack;
        Self {
            advance,
            stamps: if has_stamps { stamps } else { (0, 0) },
            window: new.window.wrapping_sub(old.window) as i16,
            ip_id,
            sack: (!same_blocks).then(|| SackList::between(&old.options.sack, &new.options.sack, new.ack)),
            rare: Rare::between(before, ack),
        }
    }

    /// Appends the code's bytes.
    pub(super) fn write(&self, crc7: u8, code: &mut Code) {
        let rare = self.rare.map();
        let mut map = TAG | (self.advance.bits() << ADVANCE_SHIFT);
        for (bit, there) in [
            (STAMPS, self.stamps != (0, 0)),
            (WINDOW, self.window != 0),
            (IP_ID, self.ip_id.is_some()),
            (SACK, self.sack.is_some()),
        ] {
            map |= if there { bit } else { 0 };
        }
        code.push(map);
        code.push(if rare == 0 { crc7 } else { MORE | crc7 });
        if rare != 0 {
            code.push(rare);
        }
        if let Advance::By(by) = self.advance {
            code.number(by);
        }
        if self.stamps != (0, 0) {
            code.number(self.stamps.0);
            code.number(self.stamps.1);
        }
        if self.window != 0 {
            code.signed(self.window.into());
        }
        if let Some(id) = self.ip_id {
            code.extend(&id.to_be_bytes());
        }
        if let Some(sack) = &self.sack {
            sack.write(code);
        }
        self.rare.write(code);
    }

    /// What the code at the start of `bytes` says, its CRC-7 and its length.
    pub(super) fn read(bytes: &[u8]) -> Result<(Self, u8, usize), Malformed> {
        let mut cursor = Cursor::new(bytes);
        let [map, check] = cursor.bytes()?;
        let rare = if check & MORE == 0 { 0 } else { nonzero(cursor.byte()?)? };
        let there = |bit: u8| map & bit != 0;
        let advance = match map >> ADVANCE_SHIFT & 3 {
            0 => Advance::Stay,
            1 => Advance::Stride,
            2 => Advance::OtherStride,
            _ => Advance::By(nonzero(cursor.number()?)?),
        };
        let stamps = if there(STAMPS) { nonzero((cursor.number()?, cursor.number()?))? } else { (0, 0) };
        let window =
            if there(WINDOW) { i16::try_from(nonzero(cursor.signed()?)?).map_err(|_| Malformed::Field)? } else { 0 };
        let ip_id = if there(IP_ID) { Some(u16::from_be_bytes(cursor.bytes()?)) } else { None };
        let sack = if there(SACK) { Some(SackList::read(&mut cursor)?) } else { None };
        let rare = Rare::read(rare, &mut cursor)?;
        Ok((Self { advance, stamps, window, ip_id, sack, rare }, check & !MORE, cursor.at()))
    }

    /// The header that the code stands for.
    pub(super) fn apply(&self, context: &Context) -> Result<Ack, DecodeError> {
        let mut ack = context.reference;
        self.rare.apply(&mut ack)?;
        match (&mut ack.ip, self.ip_id) {
            (IpHeader::V4(v4), said) => v4.id = said.unwrap_or(context.expected_id()),
            (IpHeader::V6(_), Some(_)) => return Err(DecodeError::Impossible),
            (IpHeader::V6(_), None) => {}
        }
        let tcp = &mut ack.tcp;
        tcp.ack += match self.advance {
            Advance::Stay => 0,
            Advance::Stride => context.stride,
            Advance::OtherStride => context.other_stride,
            Advance::By(by) => by,
        };
        match &mut tcp.options.timestamps {
            Some((value, echo)) => {
                *value = value.wrapping_add(self.stamps.0);
                *echo = echo.wrapping_add(self.stamps.1);
            }
            None if self.stamps == (0, 0) => {}
            None => return Err(DecodeError::Impossible),
        }
        tcp.window = tcp.window.wrapping_add_signed(self.window);
        if let Some(sack) = &self.sack {
            tcp.options.sack = sack.apply(&tcp.options.sack, tcp.ack)?;
        }
        if tcp.options.len().get() > 40 { Err(DecodeError::Impossible) } else { Ok(ack) }
    }
}

impl Advance {
    const fn bits(self) -> u8 {
        match self {
            Self::Stay => 0,
            Self::Stride => 1,
            Self::OtherStride => 2,
            Self::By(_) => 3,
        }
    }
}

impl Rare {
    fn between(before: &Ack, ack: &Ack) -> Self {
        let (old, new) = (&before.tcp, &ack.tcp);
        let mut rare = Self { seq: new.seq.distance_from(old.seq), ..Self::default() };
        let flags = old.flags ^ new.flags;
        for (bit, toggled) in [(ECE, flags.contains(TcpFlags::ECE)), (CWR, flags.contains(TcpFlags::CWR))] {
            rare.toggled |= if toggled { bit } else { 0 };
        }
        match (&before.ip, &ack.ip) {
            (IpHeader::V4(old), IpHeader::V4(new)) => {
                rare.toggled |= if old.dont_fragment == new.dont_fragment { 0 } else { DONT_FRAGMENT };
                rare.dscp_ecn = changed(old.dscp_ecn, new.dscp_ecn);
                rare.ttl = changed(old.ttl, new.ttl);
            }
            (IpHeader::V6(old), IpHeader::V6(new)) => {
                rare.dscp_ecn = changed(old.traffic_class, new.traffic_class);
                rare.ttl = changed(old.hop_limit, new.hop_limit);
                rare.flow_label = changed(old.flow_label, new.flow_label);
            }
            _ => unreachable!("the ACKs of a flow have one IP version"),
        }
        rare.urgent = changed(old.urgent, new.urgent);
        rare.options = changed(OptionSet::of(&old.options), OptionSet::of(&new.options));
        rare
    }

    /// Which fields there are.
    fn map(&self) -> u8 {
        let mut map = 0;
        for (bit, there) in [
            (SEQ, self.seq != 0),
            (TOGGLED, self.toggled != 0),
            (DSCP_ECN, self.dscp_ecn.is_some()),
            (TTL, self.ttl.is_some()),
            (FLOW_LABEL, self.flow_label.is_some()),
            (URGENT, self.urgent.is_some()),
            (OPTIONS, self.options.is_some()),
        ] {
            map |= if there { bit } else { 0 };
        }
        map
    }

    fn write(&self, code: &mut Code) {
        if self.seq != 0 {
            code.signed(self.seq);
        }
        if self.toggled != 0 {
            code.push(self.toggled);
        }
        for octet in [self.dscp_ecn, self.ttl].into_iter().flatten() {
            code.push(octet);
        }
        if let Some(label) = self.flow_label {
            code.extend(&label.to_be_bytes()[1..]);
        }
        if let Some(urgent) = self.urgent {
            code.extend(&urgent.to_be_bytes());
        }
        if let Some(options) = self.options {
            options.write(code);
        }
    }

    fn read(map: u8, cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let there = |bit: u8| map & bit != 0;
        if there(RESERVED) {
            return Err(Malformed::Field);
        }
        let seq = if there(SEQ) { nonzero(cursor.signed()?)? } else { 0 };
        let toggled = if there(TOGGLED) { nonzero(cursor.byte()?)? } else { 0 };
        let dscp_ecn = if there(DSCP_ECN) { Some(cursor.byte()?) } else { None };
        let ttl = if there(TTL) { Some(cursor.byte()?) } else { None };
        let flow_label = if there(FLOW_LABEL) {
            let [a, b, c] = cursor.bytes()?;
            Some(u32::from_be_bytes([0, a, b, c]))
        } else {
            None
        };
        let urgent = if there(URGENT) { Some(u16::from_be_bytes(cursor.bytes()?)) } else { None };
        let options = if there(OPTIONS) { Some(OptionSet::read(cursor)?) } else { None };
        if toggled & !(ECE | CWR | DONT_FRAGMENT) != 0 || flow_label.is_some_and(|label| label > 0xf_ffff) {
            return Err(Malformed::Field);
        }
        Ok(Self { seq, toggled, dscp_ecn, ttl, flow_label, urgent, options })
    }

    fn apply(&self, ack: &mut Ack) -> Result<(), DecodeError> {
        let tcp = &mut ack.tcp;
        tcp.seq = SeqNumber(tcp.seq.0.wrapping_add_signed(self.seq));
        for (bit, flag) in [(ECE, TcpFlags::ECE), (CWR, TcpFlags::CWR)] {
            if self.toggled & bit != 0 {
                tcp.flags.toggle(flag);
            }
        }
        tcp.urgent = self.urgent.unwrap_or(tcp.urgent);
        if let Some(options) = self.options {
            tcp.options = options.over(&tcp.options);
        }
        match &mut ack.ip {
            IpHeader::V4(v4) => {
                v4.dont_fragment ^= self.toggled & DONT_FRAGMENT != 0;
                v4.dscp_ecn = self.dscp_ecn.unwrap_or(v4.dscp_ecn);
                v4.ttl = self.ttl.unwrap_or(v4.ttl);
                if self.flow_label.is_some() { Err(DecodeError::Impossible) } else { Ok(()) }
            }
            IpHeader::V6(v6) => {
                v6.traffic_class = self.dscp_ecn.unwrap_or(v6.traffic_class);
                v6.hop_limit = self.ttl.unwrap_or(v6.hop_limit);
                v6.flow_label = self.flow_label.unwrap_or(v6.flow_label);
                if self.toggled & DONT_FRAGMENT != 0 { Err(DecodeError::Impossible) } else { Ok(()) }
            }
        }
    }
}

impl OptionSet {
    fn of(options: &TcpOptions) -> Self {
        Self {
            mss: options.mss,
            sack_permitted: options.sack_permitted,
            window_scale: options.window_scale,
            timestamps: options.timestamps.is_some(),
        }
    }

    fn write(self, code: &mut Code) {
        let mut map = 0;
        for (bit, there) in [
            (HAS_MSS, self.mss.is_some()),
            (HAS_SACK_PERMITTED, self.sack_permitted),
            (HAS_WINDOW_SCALE, self.window_scale.is_some()),
            (HAS_TIMESTAMPS, self.timestamps),
        ] {
            map |= if there { bit } else { 0 };
        }
        code.push(map);
        if let Some(mss) = self.mss {
            code.extend(&mss.to_be_bytes());
        }
        if let Some(shift) = self.window_scale {
            code.push(shift);
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let map = cursor.byte()?;
        if map & 0x0f != 0 {
            return Err(Malformed::Field);
        }
        let mss = if map & HAS_MSS != 0 { Some(u16::from_be_bytes(cursor.bytes()?)) } else { None };
        let window_scale = if map & HAS_WINDOW_SCALE != 0 { Some(cursor.byte()?) } else { None };
        let (sack_permitted, timestamps) = (map & HAS_SACK_PERMITTED != 0, map & HAS_TIMESTAMPS != 0);
        Ok(Self { mss, sack_permitted, window_scale, timestamps })
    }

    /// These options, with the timestamps (zeros if there were none) and SACK blocks of `old`.
    fn over(self, old: &TcpOptions) -> TcpOptions {
        TcpOptions {
            tack: old.tack,
            ack_rate: old.ack_rate,
            mss: self.mss,
            sack_permitted: self.sack_permitted,
            timestamps: self.timestamps.then(|| old.timestamps.unwrap_or((0, 0))),
            window_scale: self.window_scale,
            sack: old.sack,
        }
    }
}

/// The new value, if it differs.
fn changed<T: PartialEq>(old: T, new: T) -> Option<T> {
    (old != new).then_some(new)
}

/// A field that is only there where it says something.
fn nonzero<T: PartialEq + Default>(field: T) -> Result<T, Malformed> {
    if field == T::default() { Err(Malformed::Field) } else { Ok(field) }
}

// The first byte: 1 0 advance(2) stamps window ip-id sack.
const TAG: u8 = 0x80;
const ADVANCE_SHIFT: u32 = 4;
const STAMPS: u8 = 0x08;
const WINDOW: u8 = 0x04;
const IP_ID: u8 = 0x02;
const SACK: u8 = 0x01;

// The third byte of an `Extended` code.
const SEQ: u8 = 0x80;
const TOGGLED: u8 = 0x40;
const DSCP_ECN: u8 = 0x20;
const TTL: u8 = 0x10;
const FLOW_LABEL: u8 = 0x08;
const URGENT: u8 = 0x04;
const OPTIONS: u8 = 0x02;
const RESERVED: u8 = 0x01;

// The byte of what changed.
const ECE: u8 = 0x01;
const CWR: u8 = 0x02;
const DONT_FRAGMENT: u8 = 0x04;

// The byte of the options.
const HAS_MSS: u8 = 0x80;
const HAS_SACK_PERMITTED: u8 = 0x40;
const HAS_WINDOW_SCALE: u8 = 0x20;
const HAS_TIMESTAMPS: u8 = 0x10;

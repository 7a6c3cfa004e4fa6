//! The codes of one and two bytes: an expected step of the flow.

use ackless_wire::IpHeader;
use ackless_wire::tcp::SackBlocks;

use crate::hack::ack::AckRef;
use crate::hack::code::{Code, Kind};
use crate::hack::context::{Context, Next};
use crate::hack::error::{DecodeError, Malformed};

/// What a code of one or two bytes says. The IPv4 identification is the expected one, all else is as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Small {
    step: Step,
    /// How far TSval and TSecr moved, 0 to 15 each.
    stamps: (u8, u8),
    /// How far the window moved, -64 to 64; never together with `stamps`.
    window: i8,
}

/// An expected step of acknowledgment number and SACK blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Neither moved.
    Stay,
    /// The acknowledgment number moved by the last stride.
    Stride,
    /// The acknowledgment number moved by the stride before.
    OtherStride,
    /// The acknowledgment number stayed, and the first SACK block grew as it last did.
    Growth,
}

impl Small {
    /// The small code that leads to `ack`, if there is one, and what it changes. Both belong to one flow.
    #[inline]
    pub(super) fn between(context: &Context, ack: AckRef<'_>) -> Option<(Self, Next)> {
        let before = context.reference.by_ref();
        let (old, new) = (before.tcp, ack.tcp);
        let id = context.expected_id();
        let same = match (before.ip, ack.ip) {
            (IpHeader::V4(old), IpHeader::V4(new)) => {
                old.dscp_ecn == new.dscp_ecn
                    && old.dont_fragment == new.dont_fragment
                    && old.ttl == new.ttl
                    && new.id == id
            }
            (IpHeader::V6(old), IpHeader::V6(new)) => old == new,
            _ => false,
        };
        let same = same
            && old.seq == new.seq
            && old.flags == new.flags
            && old.urgent == new.urgent
            && old.options.mss == new.options.mss
            && old.options.sack_permitted == new.options.sack_permitted
            && old.options.window_scale == new.options.window_scale
            && old.options.timestamps.is_some() == new.options.timestamps.is_some();
        if !same {
            return None;
        }
        let step = Step::between(context, ack)?;
        let ((old_value, old_echo), (value, echo)) = (before.stamps(), ack.stamps());
        let stamps = (value.wrapping_sub(old_value), echo.wrapping_sub(old_echo));
        let window = new.window.wrapping_sub(old.window) as i16;
        let small = match (stamps, window) {
            ((0..16, 0..16), 0) => Self { step, stamps: (stamps.0 as u8, stamps.1 as u8), window: 0 },
            ((0, 0), -64..=64) => Self { step, stamps: (0, 0), window: window as i8 },
            _ => return None,
        };
        let grown = (step == Step::Growth).then_some(new.options.sack);
        Some((small, Next { ack: new.ack, timestamps: new.options.timestamps, window: new.window, id, grown }))
    }

    /// Appends the code's bytes.
    #[inline]
    pub(super) fn write(self, crc3: u8, code: &mut Code) {
        let step = self.step as u8;
        match self {
            Self { window: 0, stamps: (value @ 0..2, echo @ 0..2), .. } => {
                code.push(step << 5 | value << 4 | echo << 3 | crc3);
            }
            Self { window: 0, stamps: (value, echo), .. } => {
                code.push(0xc0 | step << 3 | value >> 1);
                code.push(value << 7 | echo << 3 | crc3);
            }
            Self { window, .. } => {
                // -64 to -1 as they are in seven bits, 1 to 64 as 0 to 63.
                let moved = (if window > 0 { window - 1 } else { window }) as u8 & 0x7f;
                code.push(0xe0 | step << 2 | moved >> 5);
                code.push(moved << 3 | crc3);
            }
        }
    }

    /// What the code at the start of `bytes` says, and its CRC-3. `kind` is its form.
    #[inline]
    pub(super) fn read(kind: Kind, bytes: &[u8]) -> Result<(Self, u8), Malformed> {
        let first = *bytes.first().ok_or(Malformed::Truncated)?;
        if kind == Kind::Compact {
            let stamps = (first >> 4 & 1, first >> 3 & 1);
            return Ok((Self { step: Step::of(first >> 5), stamps, window: 0 }, first & 7));
        }
        let second = *bytes.get(1).ok_or(Malformed::Truncated)?;
        let small = if kind == Kind::Stamps {
            let stamps = ((first & 7) << 1 | second >> 7, second >> 3 & 0xf);
            if stamps.0 < 2 && stamps.1 < 2 {
                return Err(Malformed::Field);
            }
            Self { step: Step::of(first >> 3), stamps, window: 0 }
        } else {
            // Shifted up and down again for the sign.
            let moved = (((first & 3) << 5 | second >> 3) << 1) as i8 >> 1;
            Self { step: Step::of(first >> 2), stamps: (0, 0), window: if moved < 0 { moved } else { moved + 1 } }
        };
        Ok((small, second & 7))
    }

    /// What the code changes of the header before.
    #[inline]
    pub(super) fn apply(self, context: &Context) -> Result<Next, DecodeError> {
        let tcp = &context.reference.tcp;
        let (ack, grown) = match self.step {
            Step::Stay => (tcp.ack, None),
            Step::Stride => (tcp.ack + context.stride, None),
            Step::OtherStride => (tcp.ack + context.other_stride, None),
            Step::Growth => (tcp.ack, Some(grown(context).ok_or(DecodeError::Impossible)?)),
        };
        let timestamps = match tcp.options.timestamps {
            Some((value, echo)) => {
                Some((value.wrapping_add(self.stamps.0.into()), echo.wrapping_add(self.stamps.1.into())))
            }
            None if self.stamps == (0, 0) => None,
            None => return Err(DecodeError::Impossible),
        };
        let window = tcp.window.wrapping_add_signed(self.window.into());
        Ok(Next { ack, timestamps, window, id: context.expected_id(), grown })
    }
}

impl Step {
    /// The expected step that leads to `ack`, if one does.
    #[inline]
    fn between(context: &Context, ack: AckRef<'_>) -> Option<Self> {
        let (old, new) = (&context.reference.tcp, ack.tcp);
        let same_blocks = old.options.sack.as_slice() == new.options.sack.as_slice();
        match new.ack - old.ack {
            0 if same_blocks => Some(Self::Stay),
            advance if advance == context.stride && same_blocks => Some(Self::Stride),
            advance if advance == context.other_stride && same_blocks => Some(Self::OtherStride),
            0 if grown(context) == Some(new.options.sack) => Some(Self::Growth),
            _ => None,
        }
    }

    /// The step of these two low bits.
    const fn of(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::Stay,
            1 => Self::Stride,
            2 => Self::OtherStride,
            _ => Self::Growth,
        }
    }
}

/// The SACK blocks before, the first of them grown as it last did; nothing if there are none.
fn grown(context: &Context) -> Option<SackBlocks> {
    let (&(left, right), rest) = context.reference.tcp.options.sack.as_slice().split_first()?;
    let mut blocks = SackBlocks::from_slice(&[(left, right + context.growth)]);
    for &block in rest {
        blocks.push(block);
    }
    Some(blocks)
}

#[cfg(test)]
mod tests {
    use ackless_wire::random::{Purpose, Stream};
    use ackless_wire::{Packet, Payload, TcpFlags, TcpHeader, Transport};

    use super::*;
    use crate::hack::ack::Ack;
    use crate::hack::check::Covered;

    fn first(v6: bool, stamped: bool) -> Ack {
        let ip = if v6 {
            IpHeader::between([1; 16].into(), [2; 16].into())
        } else {
            IpHeader::between([10, 0, 0, 2].into(), [10, 0, 0, 1].into())
        };
        let mut tcp = TcpHeader { flags: TcpFlags::ACK, window: 3, ..TcpHeader::new(1, 2) };
        tcp.options.timestamps = stamped.then_some((u32::MAX - 20, 7));
        let ip = ip.expect("both are of one version");
        Ack::of(&Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::EMPTY }).expect("a pure ACK")
    }

    #[test]
    fn a_small_step_leads_where_any_step_does() {
        let mut small_ones = 0;
        for seed in 0..300 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let (mut context, _) = Context::install(&first(seed % 2 == 0, seed % 3 > 0));
            for _ in 0..60 {
                let mut ack = context.reference;
                if let IpHeader::V4(v4) = &mut ack.ip {
                    v4.id = context.expected_id().wrapping_add(random.chance(0.1).into());
                }
                let moved = [0, context.stride, context.other_stride, 700][random.below(4) as usize];
                ack.tcp.ack += moved;
                if let Some((value, echo)) = &mut ack.tcp.options.timestamps {
                    *value = value.wrapping_add(random.below(3) as u32);
                    *echo = echo.wrapping_add(random.below(17) as u32 / 8);
                } else {
                    ack.tcp.window = ack.tcp.window.wrapping_add(random.below(60) as u16);
                }
                match random.below(6) {
                    0 => ack.tcp.options.sack = SackBlocks::from_slice(&[(ack.tcp.ack + 5, ack.tcp.ack + 9)]),
                    1 | 2 if moved == 0 => ack.tcp.options.sack = grown(&context).unwrap_or_default(),
                    3 => ack.tcp.options.sack = SackBlocks::EMPTY,
                    _ => {}
                }
                if let Some((small, next)) = Small::between(&context, ack.by_ref()) {
                    small_ones += 1;
                    assert_eq!(small.apply(&context), Ok(next), "seed {seed}");
                    assert_eq!(context.after(&next), ack, "seed {seed}");
                    let words = context.covered_after(&next).words;
                    let by_step = context.sum.crc3(&context.covered_after(&next), 9);
                    assert_eq!(by_step, context.sum.crc3(&Covered::of(&ack), 9), "seed {seed}");
                    let mut taken = context.clone();
                    taken.take(&next, words);
                    context.step(&ack);
                    assert_eq!(taken, context, "seed {seed}");
                } else {
                    context.step(&ack);
                }
            }
        }
        assert!(small_ones > 3_000, "{small_ones}");
    }
}

//! The codes of one and two bytes: an expected step of the flow.

use ackless_wire::IpHeader;
use ackless_wire::tcp::SackBlocks;

use crate::hack::ack::Ack;
use crate::hack::code::{Code, Kind};
use crate::hack::context::Context;
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
    /// The small code that leads to `ack`, if there is one. Both belong to one flow.
    #[inline]
    pub(super) fn between(context: &Context, ack: &Ack) -> Option<Self> {
        let before = &context.reference;
        let (old, new) = (&before.tcp, &ack.tcp);
        let same = match (&before.ip, &ack.ip) {
            (IpHeader::V4(old), IpHeader::V4(new)) => {
                old.dscp_ecn == new.dscp_ecn
                    && old.dont_fragment == new.dont_fragment
                    && old.ttl == new.ttl
                    && new.id == context.expected_id()
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
        match (stamps, window) {
            ((0..16, 0..16), 0) => Some(Self { step, stamps: (stamps.0 as u8, stamps.1 as u8), window: 0 }),
            ((0, 0), -64..=64) => Some(Self { step, stamps: (0, 0), window: window as i8 }),
            _ => None,
        }
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

    /// The header that the code stands for.
    #[inline]
    pub(super) fn apply(self, context: &Context) -> Result<Ack, DecodeError> {
        let mut ack = context.reference;
        if let IpHeader::V4(v4) = &mut ack.ip {
            v4.id = context.expected_id();
        }
        let tcp = &mut ack.tcp;
        match self.step {
            Step::Stay => {}
            Step::Stride => tcp.ack += context.stride,
            Step::OtherStride => tcp.ack += context.other_stride,
            Step::Growth => tcp.options.sack = grown(context).ok_or(DecodeError::Impossible)?,
        }
        match &mut tcp.options.timestamps {
            Some((value, echo)) => {
                *value = value.wrapping_add(self.stamps.0.into());
                *echo = echo.wrapping_add(self.stamps.1.into());
            }
            None if self.stamps == (0, 0) => {}
            None => return Err(DecodeError::Impossible),
        }
        tcp.window = tcp.window.wrapping_add_signed(self.window.into());
        Ok(ack)
    }
}

impl Step {
    /// The expected step that leads to `ack`, if one does.
    #[inline]
    fn between(context: &Context, ack: &Ack) -> Option<Self> {
        let (old, new) = (&context.reference.tcp, &ack.tcp);
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

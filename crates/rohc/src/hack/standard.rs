//! The packets of RFC 6846 in place of codes: one context at either end, in terms of one certain reference.
//!
//! What the paper's rules leave of the profile (3.3.2): no IR packets, no feedback, and no optimistic approach, since answers arrive in order or come again. What the
//! native ACK installs at both ends is the state that its IR packet would bring.

use std::collections::VecDeque;

use ackless_wire::Packet;

use crate::hack::ack::{Ack, Refused};
use crate::hack::code::Code;
use crate::hack::codec::Codec;
use crate::hack::error::{DecodeError, Malformed};
use crate::rfc;
use crate::rfc::certain;

/// The compressing end.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    /// The ACK before the next one.
    pub(super) reference: Ack,
    inner: certain::Sender,
    /// The packet at hand, before and after compression.
    header: Vec<u8>,
    packet: Vec<u8>,
}

/// The decompressing end.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    /// The ACK before the next one.
    pub(super) reference: Ack,
    inner: certain::Receiver,
    /// How long the last packets were, oldest first: only their contexts told, and they have gone on since.
    lengths: VecDeque<u8>,
    /// The packet at hand, rebuilt.
    header: Vec<u8>,
}

impl Sender {
    /// The context that a native ACK installs; nothing where the RFC cannot say such a one. `msn` is that of the next packet.
    pub(super) fn install(native: &Ack, msn: u16) -> Option<Self> {
        let mut header = Vec::new();
        native.to_packet().emit(&mut header);
        let inner = certain::Sender::install(&header, before(msn)).ok()?;
        Some(Self { reference: *native, inner, header, packet: Vec::new() })
    }

    /// Compresses the next ACK of the flow.
    pub(super) fn compress(&mut self, ack: &Ack, msn: u16) -> Result<Code, Refused> {
        self.header.clear();
        ack.to_packet().emit(&mut self.header);
        self.packet.clear();
        let sent = self.inner.compress(&self.header, &mut self.packet).map_err(|error| match error {
            certain::Unsayable::Refused(_) => Refused::NotPureAck,
            certain::Unsayable::OtherFlow => Refused::OtherFlow,
        })?;
        if self.packet.len() > Code::MAX_LEN {
            return Err(Refused::TooLong(self.packet.len()));
        }
        self.inner.sent(sent);
        self.reference = *ack;
        let mut code = Code::empty(msn);
        code.extend(&self.packet);
        Ok(code)
    }
}

impl Receiver {
    /// As [`Sender::install`].
    pub(super) fn install(native: &Ack, msn: u16) -> Option<Self> {
        let mut header = Vec::new();
        native.to_packet().emit(&mut header);
        let inner = certain::Receiver::install(&header, before(msn)).ok()?;
        Some(Self { reference: *native, inner, lengths: VecDeque::new(), header })
    }

    /// What is behind the first packets of `bytes`, up to `back` of them, which were the last `back` that came out; and how many those are.
    pub(super) fn pass_over<'f>(&self, mut bytes: &'f [u8], back: u16) -> Result<(&'f [u8], u16), Malformed> {
        let mut passed = 0;
        for &len in self.lengths.range(self.lengths.len() - usize::from(back)..) {
            if bytes.is_empty() {
                break;
            }
            bytes = bytes.get(usize::from(len)..).ok_or(Malformed::Truncated)?;
            passed += 1;
        }
        Ok((bytes, passed))
    }

    /// Takes the packet at the start of `bytes`, whose MSN is `msn` and whose ACK is the reference then, and says how long it was.
    #[inline(never)]
    pub(super) fn step(&mut self, bytes: &[u8], msn: u16) -> Result<usize, DecodeError> {
        self.header.clear();
        let rebuilt = self.inner.rebuild(bytes, &mut self.header).map_err(|error| match error {
            rfc::Error::Crc(_) => DecodeError::Checksum(msn),
            _ => DecodeError::Impossible,
        })?;
        if rebuilt.msn() & Codec::Rfc6846.max_msn() != msn {
            return Err(DecodeError::Checksum(msn));
        }
        let packet = Packet::parse_without_payload(&self.header).map_err(|_| DecodeError::Impossible)?;
        let ack = Ack::of(&packet).map_err(|refused| match refused {
            Refused::WrongChecksum => DecodeError::TcpChecksum(msn),
            _ => DecodeError::Impossible,
        })?;
        let len = rebuilt.len();
        let kept = u8::try_from(len).ok().filter(|_| len <= Code::MAX_LEN).ok_or(DecodeError::Impossible)?;
        self.inner.take(rebuilt);
        self.reference = ack;
        if self.lengths.len() == usize::from(Codec::Rfc6846.max_outstanding()) {
            self.lengths.pop_front();
        }
        self.lengths.push_back(kept);
        Ok(len)
    }
}

/// The reference's MSN, of which the next packet's is one more; the RFC's has 16 bits, of which a run says eight.
fn before(msn: u16) -> u16 {
    msn.wrapping_sub(1)
}

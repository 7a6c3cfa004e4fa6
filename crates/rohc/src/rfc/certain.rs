//! One context between two ends that share one reference for certain, as HACK's do: nothing initialises it, and nothing is acknowledged. Its identifier is told apart from
//! the packets, which have none (small identifiers, 0).

use super::cid::CidSpace;
use super::compressor::ONE;
use super::error::Error;
use super::header::{self, Refused};
use super::options::Scanned;
use super::state::State;
use super::{compressor, decompressor};

/// The compressing end.
#[derive(Clone, Debug)]
pub(crate) struct Sender(compressor::Context);

/// The decompressing end.
#[derive(Clone, Debug)]
pub(crate) struct Receiver(decompressor::Context);

/// What a packet that was compressed leaves behind, once it is known that it will be sent.
#[derive(Debug)]
pub(crate) struct Sent(State);

/// Why a packet is not compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsayable {
    /// The profile has no place for it.
    Refused(Refused),
    /// It belongs to another flow than the context; an IPv6 flow label is part of it.
    OtherFlow,
}

impl Sender {
    /// The context behind this packet, which had that master sequence number.
    pub(crate) fn install(packet: &[u8], msn: u16) -> Result<Self, Refused> {
        Ok(Self(compressor::Context::certain(packet, msn)?))
    }

    /// Appends the compressed packet. The next one is in terms of it if it is given to [`Self::sent`].
    pub(crate) fn compress(&mut self, packet: &[u8], out: &mut Vec<u8>) -> Result<Sent, Unsayable> {
        let (flow, header, raw) = header::parse(packet).map_err(Unsayable::Refused)?;
        let options = Scanned::new(raw).map_err(Unsayable::Refused)?;
        if flow != self.0.flow {
            return Err(Unsayable::OtherFlow);
        }
        let state = self.0.next_state(header, &options, false, ONE);
        self.0.write_compressed(&state, 0, CidSpace::SMALL, packet, out);
        Ok(Sent(state))
    }

    /// The packet will arrive.
    pub(crate) fn sent(&mut self, sent: Sent) {
        self.0.sent(sent.0, ONE);
    }
}

impl Receiver {
    /// As [`Sender::install`].
    pub(crate) fn install(packet: &[u8], msn: u16) -> Result<Self, Refused> {
        let (flow, state) = compressor::Context::certain(packet, msn)?.into_installed();
        Ok(Self(decompressor::Context::new(flow, state)))
    }

    /// Rebuilds the packet at the start of `bytes` into `out`, whose checksum then fits. The context has not gone on yet: see [`Self::take`].
    pub(crate) fn rebuild(&self, bytes: &[u8], out: &mut Vec<u8>) -> Result<decompressor::Rebuilt, Error> {
        self.0.rebuild(0, bytes, out)
    }

    /// The packet is the reference of the next one.
    pub(crate) fn take(&mut self, rebuilt: decompressor::Rebuilt) {
        self.0.take(rebuilt);
    }
}

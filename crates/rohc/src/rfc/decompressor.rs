//! From ROHC packets back to headers.

use std::collections::BTreeMap;

use super::bits::Reader;
use super::chain::{read_dynamic, read_irregular_chain, read_static};
use super::cid::{ADD_CID, CidSpace};
use super::common;
use super::error::Error;
use super::feedback::{Feedback, FeedbackKind};
use super::format::{Crc, Format, IR, IR_DYN, PROFILE, PacketType};
use super::header::{self, Flow, Header};
use super::options::{List, Table, read_list};
use super::state::{IpIdBehavior, State};
use crate::crc::{CRC3, CRC7, CRC8};

/// Rebuilds the headers of any number of flows.
///
/// Everything read is untrusted. A packet changes a context only if its checksum fits the header that was rebuilt; the
/// memory is bounded by the space of identifiers. Contexts go through the states of RFC 6846, 5.3.1: after three
/// failures in a row only packets with a checksum of 7 or 8 bits count, after three more the context is gone.
///
/// When to send feedback is the caller's decision: [`Error::advice`] says what a failure asks for.
#[derive(Debug)]
pub struct Decompressor {
    space: CidSpace,
    contexts: BTreeMap<u16, Context>,
    /// The packet at hand without its context identifier.
    scratch: Vec<u8>,
}

/// What came out of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decompressed {
    /// The context.
    pub cid: u16,
    /// What the packet was.
    pub kind: PacketType,
    /// Its master sequence number, which counts the packets of the context.
    pub msn: u16,
}

#[derive(Clone, Debug)]
pub(super) struct Context {
    flow: Flow,
    state: State,
    in_doubt: bool,
    /// Failures since the last success.
    failures: u8,
}

/// A compressed packet that its context has rebuilt, and whose checksum fits.
#[derive(Debug)]
pub(crate) struct Rebuilt {
    kind: PacketType,
    state: State,
    /// How long it was.
    len: usize,
}

/// A packet taken apart as far as every packet is the same.
struct Framed<'a> {
    cid: u16,
    first: u8,
    /// The identifier as it stands in the packet, before and behind the first octet.
    prefix: &'a [u8],
    infix: &'a [u8],
    rest: &'a [u8],
}

impl Decompressor {
    /// A decompressor without contexts.
    pub fn new(space: CidSpace) -> Self {
        Self { space, contexts: BTreeMap::new(), scratch: Vec::new() }
    }

    /// Appends to `out` the packet that went into the compressor.
    ///
    /// # Errors
    /// If there is no telling what went in; `out` is then as it was.
    pub fn decompress(&mut self, packet: &[u8], out: &mut Vec<u8>) -> Result<Decompressed, Error> {
        let framed = Framed::new(self.space, packet)?;
        let start = out.len();
        let done = match framed.first {
            IR | IR_DYN => self.initialise(&framed, out),
            ADD_CID.. if framed.first >> 1 != CO_COMMON => Err(Error::Unsupported),
            _ => self.rebuild(&framed, out),
        };
        if done.is_err() {
            out.truncate(start);
        }
        done
    }

    /// Appends feedback about a context: an acknowledgement of the last packet that came out right, or that packets of
    /// it do not come out right.
    pub fn feedback(&self, cid: u16, kind: FeedbackKind, out: &mut Vec<u8>) {
        let msn = self.contexts.get(&cid).map(|context| (context.state.msn & 0x3fff, 14));
        Feedback { cid, kind, msn }.write(self.space, out);
    }

    /// How many contexts there are.
    pub fn contexts(&self) -> usize {
        self.contexts.len()
    }

    /// Takes an IR or IR-DYN packet.
    fn initialise(&mut self, framed: &Framed<'_>, out: &mut Vec<u8>) -> Result<Decompressed, Error> {
        let [profile, crc, chains @ ..] = framed.rest else { return Err(Error::Truncated) };
        if *profile != PROFILE {
            return Err(Error::Profile(*profile));
        }
        let mut reader = Reader::new(chains);
        let known = self.contexts.get(&framed.cid);
        let (kind, flow) = match (framed.first, known) {
            (IR, _) => (PacketType::Ir, read_static(&mut reader)?),
            (_, Some(context)) => (PacketType::IrDyn, context.flow),
            (_, None) => return Err(Error::NoContext(framed.cid)),
        };
        let mut state = match known {
            Some(context) if context.flow == flow => context.state.clone(),
            _ => State::blank(),
        };
        read_dynamic(flow.v4, &mut reader, &mut state)?;
        let covered = &chains[..chains.len() - reader.left()];
        let parts = [framed.prefix, &[framed.first], framed.infix, &[PROFILE, 0], covered];
        if parts.iter().fold(CRC8.start(), |so_far, part| CRC8.extend(so_far, part)) != *crc {
            return Err(Error::Crc(framed.cid));
        }
        if reader.left() > 0 {
            return Err(Error::Payload);
        }
        state.emit(&flow, out)?;
        let msn = state.msn;
        self.contexts.insert(framed.cid, Context::new(flow, state));
        Ok(Decompressed { cid: framed.cid, kind, msn })
    }

    /// Takes a compressed packet, and keeps account of failures.
    fn rebuild(&mut self, framed: &Framed<'_>, out: &mut Vec<u8>) -> Result<Decompressed, Error> {
        let cid = framed.cid;
        let context = self.contexts.get_mut(&cid).ok_or(Error::NoContext(cid))?;
        self.scratch.clear();
        self.scratch.push(framed.first);
        self.scratch.extend_from_slice(framed.rest);
        let rebuilt = context.rebuild(cid, &self.scratch, out).map_err(|error| match error {
            Error::Truncated | Error::Malformed => Error::Senseless(cid),
            other => other,
        });
        let whole =
            |rebuilt: Rebuilt| if rebuilt.len == self.scratch.len() { Ok(rebuilt) } else { Err(Error::Payload) };
        match rebuilt.and_then(whole) {
            Ok(rebuilt) => {
                let (kind, msn) = (rebuilt.kind, rebuilt.msn());
                context.take(rebuilt);
                Ok(Decompressed { cid, kind, msn })
            }
            Err(error) => {
                if !matches!(error, Error::Payload | Error::InDoubt(_)) {
                    context.failures += 1;
                }
                if context.failures == TOO_MANY {
                    if context.in_doubt {
                        self.contexts.remove(&cid);
                    } else {
                        (context.in_doubt, context.failures) = (true, 0);
                    }
                }
                Err(error)
            }
        }
    }
}

impl Rebuilt {
    /// Its master sequence number.
    pub(crate) const fn msn(&self) -> u16 {
        self.state.msn
    }

    /// How many bytes of what was given it took.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }
}

impl Context {
    /// A context in this state.
    pub(super) const fn new(flow: Flow, state: State) -> Self {
        Self { flow, state, in_doubt: false, failures: 0 }
    }

    /// A packet that came out right is the reference of the next one.
    pub(super) fn take(&mut self, rebuilt: Rebuilt) {
        *self = Self::new(self.flow, rebuilt.state);
    }

    /// Rebuilds the packet at the start of `packet`; something may follow it.
    pub(super) fn rebuild(&self, cid: u16, packet: &[u8], out: &mut Vec<u8>) -> Result<Rebuilt, Error> {
        let v4 = self.flow.v4;
        let mut state = self.state.clone();
        let mut reader = Reader::new(packet);
        let first = *packet.first().ok_or(Error::Truncated)?;
        let (kind, rest) = if first >> 1 == CO_COMMON {
            (PacketType::CoCommon, common::read(v4, &mut reader, &mut state)?)
        } else {
            let format = Format::recognise(first, state.behavior.is_sequential()).ok_or(Error::Malformed)?;
            if self.in_doubt && !format.has_list() {
                return Err(Error::InDoubt(cid));
            }
            (format.kind, format.read(&mut reader, &mut state)?)
        };
        let mut present = 0;
        if rest.list_present {
            (state.list, present) = read_list(&mut reader, &mut state.table, state.header.ack)?;
        }
        read_irregular_chain(v4, &mut reader, &mut state, present)?;
        let start = out.len();
        state.emit(&self.flow, out)?;
        let fits = match rest.crc {
            Crc::Three(crc) => CRC3.of(&out[start..]) == crc,
            Crc::Seven(crc) => CRC7.of(&out[start..]) == crc,
        };
        if fits { Ok(Rebuilt { kind, state, len: packet.len() - reader.left() }) } else { Err(Error::Crc(cid)) }
    }
}

impl State {
    /// What a context holds before its first packet.
    fn blank() -> Self {
        let header = Header {
            traffic_class: 0,
            hops: 0,
            ip_id: 0,
            dont_fragment: false,
            seq: 0,
            ack: 0,
            reserved: 0,
            flags: 0,
            window: 0,
            checksum: 0,
            urgent: 0,
        };
        Self {
            header,
            msn: 0,
            behavior: IpIdBehavior::Random,
            stride: 0,
            ecn_used: false,
            list: List::default(),
            table: Table::default(),
        }
    }

    /// Appends the packet.
    fn emit(&self, flow: &Flow, out: &mut Vec<u8>) -> Result<(), Error> {
        let (options, len) = self.table.options(&self.list).ok_or(Error::Malformed)?;
        header::emit(flow, &self.header, &options[..len], out);
        Ok(())
    }
}

impl<'a> Framed<'a> {
    fn new(space: CidSpace, packet: &'a [u8]) -> Result<Self, Error> {
        // An Add-CID octet for 0 is padding.
        let padding = packet.iter().take_while(|&&octet| octet == ADD_CID).count();
        let packet = &packet[padding..];
        let (mut cid, prefix_len) = space.read_prefix(packet);
        let (prefix, header) = packet.split_at(prefix_len);
        let [first, rest @ ..] = header else { return Err(Error::Truncated) };
        if first & 0b1111_1000 == FEEDBACK {
            return Err(Error::Feedback);
        }
        let mut infix_len = 0;
        if space.is_large() {
            (cid, infix_len) = space.read_infix(rest)?;
        }
        if cid > space.max() {
            return Err(Error::Cid(cid));
        }
        let (infix, rest) = rest.split_at(infix_len);
        Ok(Self { cid, first: *first, prefix, infix, rest })
    }
}

/// The first seven bits of co_common.
const CO_COMMON: u8 = 0b111_1101;
/// The first five bits of feedback.
const FEEDBACK: u8 = 0b1111_0000;
/// Failures in a row that change the state of a context.
const TOO_MANY: u8 = 3;

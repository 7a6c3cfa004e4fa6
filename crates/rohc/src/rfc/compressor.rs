//! From pure ACKs to ROHC packets.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU32;

use super::chain::{write_dynamic, write_irregular_chain, write_static};
use super::cid::CidSpace;
use super::common;
use super::error::Error;
use super::feedback::{Feedback, FeedbackKind};
use super::format::{Format, IR, IR_DYN, PROFILE, PacketType};
use super::header::{self, Flow, Header, Refused};
use super::learn::{Learner, has_ecn_bits};
use super::options::{Scanned, Table, write_list};
use super::state::{Changes, State};
use crate::crc::CRC8;

/// Compresses the pure ACKs of any number of flows, each in a context of its own.
///
/// A short header is sent only if it comes out right from *every* state that the decompressor may be in. These are the
/// states after each of the last [`Config::window`] packets, or after those since the last that it acknowledged: so
/// all but one of a window may be lost (RFC 6846, 5.2.1 and 5.2.2, the optimistic approach and feedback, done as one).
#[derive(Debug)]
pub struct Compressor {
    space: CidSpace,
    config: Config,
    /// The context of each identifier in use.
    contexts: Vec<Context>,
    by_flow: BTreeMap<Flow, u16>,
    /// The identifier of the last packet: the next is likely of the same flow.
    last: u16,
    /// Packets compressed, by which the context that has rested longest is told.
    packets: u64,
}

/// How careful a compressor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Of how many packets in a row one is sure to arrive, 1 to 11. Default 4. Beyond that, four bits of the
    /// master sequence number would no longer reach.
    pub window: u8,
    /// How many packets in a row initialise a context unless an acknowledgement comes before, 1 to 255. Default 3.
    pub initial: u8,
    /// After how many packets a context is initialised again, by one IR packet, while no feedback has ever come (RFC 3095, 5.3.1.1.2, the
    /// unidirectional mode's periodic refresh, to which RFC 6846, 5.2.1, leaves the choice). Default 256, which is the default of RFC 2507, 14 (`F_MAX_PERIOD`);
    /// no ROHC RFC names a number. It costs a fifth of a byte for each ACK. Never, with `None`: a decompressor that
    /// cannot send feedback has then lost the flow for good once it has lost a window.
    pub refresh: Option<NonZeroU32>,
}

#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) flow: Flow,
    /// The states that the decompressor may be in, oldest first; the last packet's is always there once one was sent.
    references: VecDeque<State>,
    stage: Stage,
    learner: Learner,
    /// The master sequence number of the next packet.
    msn: u16,
    since_initialised: u32,
    feedback_seen: bool,
    last_used: u64,
}

/// What kind of packet comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// This many IR packets, of which the first voids what the decompressor had.
    Static { left: u8, void: bool },
    /// The same with IR-DYN.
    Dynamic { left: u8, void: bool },
    /// As short as can be.
    Compressed,
}

impl Default for Config {
    fn default() -> Self {
        Self { window: 4, initial: 3, refresh: NonZeroU32::new(256) }
    }
}

impl Config {
    fn clamped(self) -> Self {
        Self { window: self.window.clamp(1, MAX_WINDOW), initial: self.initial.max(1), ..self }
    }
}

impl Compressor {
    /// A compressor without contexts. Values of `config` outside their range are brought to its ends.
    pub fn new(space: CidSpace, config: Config) -> Self {
        let config = config.clamped();
        Self { space, config, contexts: Vec::new(), by_flow: BTreeMap::new(), last: 0, packets: 0 }
    }

    /// Appends the ROHC packet of a pure ACK to `out`, and says what it is.
    ///
    /// # Errors
    /// What is refused leaves `out` and every context as they were, and can be sent as it is.
    pub fn compress(&mut self, packet: &[u8], out: &mut Vec<u8>) -> Result<PacketType, Refused> {
        let (flow, header, raw) = header::parse(packet)?;
        let options = Scanned::new(raw)?;
        let cid = self.context_of(&flow);
        self.packets += 1;
        let context = &mut self.contexts[usize::from(cid)];
        context.last_used = self.packets;
        let initialises = context.prepare(self.config);
        let state = context.next_state(header, &options, initialises, self.config.window);
        let start = out.len();
        self.space.write_prefix(cid, out);
        let kind = if initialises {
            context.write_initial(&state, cid, self.space, start, out)
        } else {
            context.write_compressed(&state, cid, self.space, packet, out)
        };
        context.sent(state, self.config.window);
        Ok(kind)
    }

    /// Takes feedback from the decompressor, one element at the front of `bytes`; says what it was and how long.
    ///
    /// # Errors
    /// Malformed feedback changes nothing, nor does feedback for a context that there is not.
    pub fn feedback(&mut self, bytes: &[u8]) -> Result<(Feedback, usize), Error> {
        let (feedback, len) = Feedback::read(self.space, bytes)?;
        let context = self.contexts.get_mut(usize::from(feedback.cid)).ok_or(Error::NoContext(feedback.cid))?;
        context.feedback(&feedback, self.config.initial);
        Ok((feedback, len))
    }

    /// How many contexts are in use.
    pub fn contexts(&self) -> usize {
        self.contexts.len()
    }

    /// The context of a flow; a new flow takes a free identifier or that of the flow that has rested longest.
    fn context_of(&mut self, flow: &Flow) -> u16 {
        if self.contexts.get(usize::from(self.last)).is_some_and(|context| context.flow == *flow) {
            return self.last;
        }
        self.last = match self.by_flow.get(flow) {
            Some(&cid) => cid,
            None => {
                let cid = self.take_identifier(flow);
                self.by_flow.insert(*flow, cid);
                cid
            }
        };
        self.last
    }

    fn take_identifier(&mut self, flow: &Flow) -> u16 {
        let next = self.contexts.len();
        if next <= usize::from(self.space.max()) {
            self.contexts.push(Context::new(*flow, 0, self.config.initial));
            return next as u16;
        }
        let (cid, rested) = (0..)
            .zip(&mut self.contexts)
            .min_by_key(|(_, context)| context.last_used)
            .expect("an identifier space has at least one identifier");
        self.by_flow.remove(&rested.flow);
        // The numbers go on, so that late feedback for the flow before does not fit this one.
        *rested = Context::new(*flow, rested.msn, self.config.initial);
        cid
    }
}

impl Context {
    fn new(flow: Flow, msn: u16, initial: u8) -> Self {
        Self {
            flow,
            references: VecDeque::new(),
            stage: Stage::Static { left: initial, void: true },
            learner: Learner::default(),
            msn,
            since_initialised: 0,
            feedback_seen: false,
            last_used: 0,
        }
    }

    /// A context whose other end is known to have this packet, which had that master sequence number: what its IR packet would bring.
    pub(super) fn certain(packet: &[u8], msn: u16) -> Result<Self, Refused> {
        let (flow, header, raw) = header::parse(packet)?;
        let options = Scanned::new(raw)?;
        let mut context = Self { stage: Stage::Compressed, ..Self::new(flow, msn, 1) };
        let state = context.next_state(header, &options, true, ONE);
        context.sent(state, ONE);
        Ok(context)
    }

    /// Flow and state of a context that has just become [`Self::certain`].
    pub(super) fn into_installed(mut self) -> (Flow, State) {
        let state = self.references.pop_back().expect("the packet that installed it is its reference");
        (self.flow, state)
    }

    /// Whether the next packet initialises the context.
    fn prepare(&mut self, config: Config) -> bool {
        let due = config.refresh.is_some_and(|packets| self.since_initialised >= packets.get());
        if self.stage == Stage::Compressed && due && !self.feedback_seen {
            self.stage = Stage::Static { left: 1, void: false };
        }
        self.stage != Stage::Compressed
    }

    /// The state in which the packet leaves a decompressor.
    pub(super) fn next_state(&mut self, header: Header, options: &Scanned<'_>, initialises: bool, window: u8) -> State {
        let Some(last) = self.references.back() else {
            let mut table = Table::default();
            let list = options.place(&mut table);
            return State {
                behavior: Learner::first_behavior(self.flow.v4, header.ip_id),
                stride: if list.indexes().contains(&TIMESTAMPS) { STRIDE_WITH_TIMESTAMPS } else { STRIDE },
                ecn_used: has_ecn_bits(&header),
                msn: self.msn,
                header,
                list,
                table,
            };
        };
        // An initialisation may void the items that it does not list.
        let mut table = if initialises { Table::default() } else { last.table.clone() };
        let list = options.place(&mut table);
        table.forget_doubtful(&list, self.references.iter().map(|old| &old.table));
        let behavior = match self.flow.v4 {
            true => self.learner.behavior(last.behavior, last.header.ip_id, header.ip_id),
            false => last.behavior,
        };
        let delta = header.ack.wrapping_sub(last.header.ack);
        let stride = self.learner.stride(last.stride, delta, (12 / u32::from(window)).max(1));
        let ecn_used = self.learner.ecn_used(last.ecn_used, &header);
        State { header, msn: self.msn, behavior, stride, ecn_used, list, table }
    }

    /// Appends an IR or IR-DYN packet, which starts at `start` with what precedes the header.
    fn write_initial(
        &mut self,
        state: &State,
        cid: u16,
        space: CidSpace,
        start: usize,
        out: &mut Vec<u8>,
    ) -> PacketType {
        let (kind, left, void) = match self.stage {
            Stage::Dynamic { left, void } => (PacketType::IrDyn, left, void),
            Stage::Static { left, void } => (PacketType::Ir, left, void),
            Stage::Compressed => unreachable!("a packet that initialises has a stage that does"),
        };
        out.push(if kind == PacketType::Ir { IR } else { IR_DYN });
        space.write_infix(cid, out);
        out.extend_from_slice(&[PROFILE, 0]);
        let crc_at = out.len() - 1;
        if kind == PacketType::Ir {
            write_static(&self.flow, out);
        }
        write_dynamic(self.flow.v4, state, out);
        out[crc_at] = CRC8.of(&out[start..]);
        if void {
            self.references.clear();
        }
        self.stage = match (left - 1, kind) {
            (0, _) => Stage::Compressed,
            (left, PacketType::Ir) => Stage::Static { left, void: false },
            (left, _) => Stage::Dynamic { left, void: false },
        };
        self.since_initialised = 0;
        kind
    }

    /// Appends the shortest packet that brings the decompressor to `state` from whatever reference it is at.
    pub(super) fn write_compressed(
        &self,
        state: &State,
        cid: u16,
        space: CidSpace,
        packet: &[u8],
        out: &mut Vec<u8>,
    ) -> PacketType {
        let references = self.references.iter();
        let changes = references.clone().fold(Changes::empty(), |all, old| all | state.changes_since(old));
        let has_list = changes.contains(Changes::LIST);
        let first = out.len();
        let kind = match Format::shortest(state, changes, references.clone()) {
            Some(format) => {
                format.write(state, has_list, packet, out);
                format.kind
            }
            None => {
                common::write(self.flow.v4, state, changes, references.clone(), packet, out);
                PacketType::CoCommon
            }
        };
        let end = out.len();
        space.write_infix(cid, out);
        let infix = out.len() - end;
        out[first + 1..].rotate_right(infix);
        let present = if has_list {
            let present = references.clone().fold(0, |all, old| all | state.lacking_in(old));
            write_list(&state.list, &state.table, present, state.header.ack, out);
            present
        } else {
            0
        };
        write_irregular_chain(self.flow.v4, state, present, references.map(|old| &old.table), out);
        kind
    }

    pub(super) fn sent(&mut self, state: State, window: u8) {
        if self.references.len() == usize::from(window) {
            self.references.pop_front();
        }
        self.references.push_back(state);
        self.msn = self.msn.wrapping_add(1);
        self.since_initialised = self.since_initialised.saturating_add(1);
    }

    fn feedback(&mut self, feedback: &Feedback, initial: u8) {
        self.feedback_seen = true;
        match feedback.kind {
            FeedbackKind::Ack => {
                let voided = matches!(self.stage, Stage::Static { void: true, .. } | Stage::Dynamic { void: true, .. });
                let acknowledged = self.references.iter().position(|state| feedback.names(state.msn));
                // The decompressor has gone past every state before the acknowledged one.
                if let Some(at) = acknowledged.filter(|_| !voided) {
                    self.references.drain(..at);
                    self.stage = Stage::Compressed;
                }
            }
            FeedbackKind::Nack if !matches!(self.stage, Stage::Static { .. }) => {
                self.stage = Stage::Dynamic { left: initial, void: true };
            }
            FeedbackKind::Nack => {}
            FeedbackKind::StaticNack => self.stage = Stage::Static { left: initial, void: true },
        }
    }
}

/// The references that an end may have where the other's is certain.
pub(super) const ONE: u8 = 1;
/// Four bits of the MSN reach 11 packets on.
const MAX_WINDOW: u8 = 11;
/// The stride until another is learnt: a full-sized segment of Ethernet over IPv4.
const STRIDE: u16 = 1460;
const STRIDE_WITH_TIMESTAMPS: u16 = 1448;
/// The item of the timestamps in a list.
const TIMESTAMPS: u8 = 4;

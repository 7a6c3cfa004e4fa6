//! The client: asks in a link-layer answer for the ACK that its own transport has just sent, and takes that one back (section 2).

use std::collections::VecDeque;

use ackless_dot11::frame::{Ds, FrameHandle, MacSeq, Mpdu, Tag, Tid};
use ackless_dot11::hooks::{AnswerDue, AnswerKind, Context, Emission, SendOptions};
use ackless_wire::{Duration, Instant, PacketId, SeqNumber, TcpFlags, TcpHeader};

use super::names::{Name, Names};
use super::proxy::is_plain_data;
use super::{ArqProxyConfig, ArqProxyCounters};
use crate::flow_key::{FlowKey, Table};

/// What concerns one peer that sends data here.
#[derive(Debug, Default)]
pub(super) struct Client {
    names: Names,
    /// By flow of the ACKs.
    flows: Table<Flow>,
    /// Flows that have something to ask, or to ask again, in the order in which they came to it.
    line: VecDeque<FlowKey>,
    /// The last answer with a request.
    told: Option<Told>,
    heard: Heard,
}

/// What goes with each question.
pub(super) struct Env<'a, 'b> {
    pub(super) cx: &'a mut Context<'b>,
    pub(super) config: &'a ArqProxyConfig,
    pub(super) counters: &'a mut ArqProxyCounters,
    /// When the node is to be woken.
    pub(super) wake: &'a mut Option<Instant>,
}

/// One connection of the transport here.
#[derive(Debug)]
struct Flow {
    /// The data packets that came and are not acknowledged yet.
    came: VecDeque<Came>,
    /// The greatest number that the transport has acknowledged.
    acknowledged: Option<SeqNumber>,
    /// The last native packet that is known to have arrived.
    word: Option<Word>,
    /// The most that the proxy is known to have acknowledged on a request.
    said: Option<SeqNumber>,
    closing: bool,
    pending: Option<Pending>,
    asked: Option<Asked>,
    in_line: bool,
    /// When the transport last sent something.
    used: Instant,
}

/// A data packet.
#[derive(Clone, Copy, Debug)]
struct Came {
    end: SeqNumber,
    name: Name,
    /// Its TSval.
    value: Option<u32>,
}

/// What the proxy takes over from a native packet.
#[derive(Clone, Copy, Debug)]
struct Word {
    window: u16,
    ack: SeqNumber,
    /// Its TSval.
    value: Option<u32>,
    frame: MacSeq,
}

/// A request that no answer has carried yet. The native ACK waits in the queue meanwhile.
#[derive(Debug)]
struct Pending {
    name: Name,
    ack: SeqNumber,
    options: SendOptions,
    /// The frame of the ACK itself, unless the queue has dropped it.
    native: Option<FrameHandle>,
    /// Those of older ACKs, which it covers.
    older: Vec<FrameHandle>,
}

/// A request that an answer has carried, not known to have arrived.
#[derive(Debug)]
struct Asked {
    name: Name,
    ack: SeqNumber,
    /// The native ACK, with its reference.
    held: Option<(PacketId, SendOptions)>,
    /// When the guard timer ends.
    until: Instant,
}

/// An answer with a request.
#[derive(Clone, Copy, Debug)]
struct Told {
    flow: FlowKey,
    tag: Tag,
    /// The frame that an Ack acknowledged; `None` for a BlockAck.
    frame: Option<(Option<Tid>, MacSeq)>,
    /// Whether the peer, had it not heard the answer, would have sent the same again.
    sure: bool,
}

/// What came in the last PPDU.
#[derive(Clone, Copy, Debug, Default)]
struct Heard {
    /// It was a BlockAck Request.
    request: bool,
    /// The frame that the last request acknowledged came again.
    again: bool,
    /// The last frame, and whether it had been sent before.
    frame: Option<(Option<Tid>, MacSeq)>,
    retry: bool,
}

/// Why an ACK is not asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Native {
    FirstOfFlow,
    Duplicate,
    Sack,
    Window,
    Flags,
    Closing,
    Unmapped,
    Echo,
    Piggybacked,
}

impl Client {
    /// A PPDU came from the peer: a BlockAck Request, or something with MPDUs.
    pub(super) fn on_ppdu_in(&mut self, request: bool) {
        self.heard = Heard { request, ..Heard::default() };
    }

    /// An intact MPDU came, perhaps again.
    pub(super) fn on_mpdu(&mut self, env: &mut Env<'_, '_>, mpdu: &Mpdu) {
        let frame = Some((mpdu.tid(), mpdu.seq));
        self.heard.again |= self.told.is_some_and(|told| told.frame == frame);
        (self.heard.frame, self.heard.retry) = (frame, mpdu.retry);
        if mpdu.receiver != env.cx.node {
            return;
        }
        let place = self.names.place(mpdu);
        if mpdu.ds == Ds::ToAp || mpdu.destination != env.cx.node {
            return;
        }
        let packet = env.cx.pool.get(mpdu.packet);
        let (Some(&tcp), Some(key)) = (packet.tcp(), FlowKey::of(packet).map(FlowKey::reversed)) else { return };
        if tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST) {
            return self.restart(env, key);
        }
        if !is_plain_data(packet, &tcp) {
            if tcp.flags.contains(TcpFlags::FIN)
                && let Some(flow) = self.flows.get_mut(key)
            {
                flow.closing = true;
            }
            return;
        }
        let (by, time) = (env.config.identification, (env.cx.now, env.config.lifetime));
        let flows = &mut self.flows;
        // A stateless proxy keeps every template for its lifetime.
        let is_said = |flow, end: SeqNumber| {
            let said = flows.get_mut(flow).filter(|_| !env.config.stateless).and_then(|flow| flow.said);
            said.is_some_and(|said| !end.after(said))
        };
        let name = match self.names.came(by, (mpdu, place), (packet, key), time, is_said) {
            Ok(name) => name,
            Err(_) => {
                env.counters.hash_collision += 1;
                None
            }
        };
        let end = tcp.seq + packet.payload.len();
        let Some(flow) = self.flow(env, key) else { return };
        let Some(name) = name.filter(|_| flow.acknowledged.is_none_or(|acknowledged| end.after(acknowledged))) else {
            return;
        };
        flow.came.push_back(Came { end, name, value: tcp.options.timestamps.map(|(value, _)| value) });
        if flow.came.len() > MOST_PACKETS {
            flow.came.pop_front();
        }
    }

    /// The transport here hands down a packet that will be named `handle`.
    pub(super) fn on_outgoing(
        &mut self,
        env: &mut Env<'_, '_>,
        packet: PacketId,
        handle: FrameHandle,
        options: SendOptions,
    ) {
        if self.flows.is_empty() {
            return;
        }
        let content = env.cx.pool.get(packet);
        let (Some(&tcp), Some(key)) = (content.tcp(), FlowKey::of(content)) else { return };
        if tcp.flags.intersects(TcpFlags::SYN | TcpFlags::RST) {
            return self.restart(env, key);
        }
        let pure = content.pure_ack().is_some();
        let Some(flow) = self.flows.get_mut(key) else { return };
        flow.closing |= tcp.flags.contains(TcpFlags::FIN);
        let verdict = flow.may_ask(env, &tcp, pure);
        flow.take_note(tcp.ack, env.cx.now);
        match verdict {
            Err(native) => native.count(env.counters),
            Ok(name) => {
                let older = flow.pending.take().map_or_else(Vec::new, Pending::into_frames);
                flow.pending = Some(Pending { name, ack: tcp.ack, options, native: Some(handle), older });
                if !flow.in_line {
                    flow.in_line = true;
                    self.line.push_back(key);
                }
            }
        }
    }

    /// A native ACK goes on the air: its request, and that for older ones, is cancelled.
    pub(super) fn on_sequenced(&mut self, env: &mut Env<'_, '_>, mpdu: &Mpdu) {
        if !mpdu.tcp_ack || self.line.is_empty() {
            return;
        }
        let Some(key) = FlowKey::of(env.cx.pool.get(mpdu.packet)) else { return };
        let Some(flow) = self.flows.get_mut(key) else { return };
        let Some(pending) = &mut flow.pending else { return };
        if pending.native == Some(mpdu.handle) {
            flow.pending = None;
            env.counters.native_first += 1;
        } else {
            pending.older.retain(|&older| older != mpdu.handle);
        }
    }

    /// The full queue has dropped a frame. What it would have said can still be asked for.
    pub(super) fn on_dropped(&mut self, env: &mut Env<'_, '_>, handle: FrameHandle) {
        for n in 0..self.line.len() {
            let Some(flow) = self.flows.get_mut(self.line[n]) else { continue };
            let Some(pending) = &mut flow.pending else { continue };
            pending.older.retain(|&older| older != handle);
            if pending.native.take_if(|native| *native == handle).is_some() {
                env.counters.native_dropped += 1;
                return;
            }
        }
    }

    /// A native packet has arrived at the peer: it says what window the peer takes over, and what need not be asked for again.
    pub(super) fn on_delivered(&mut self, env: &mut Env<'_, '_>, mpdu: &Mpdu) {
        if self.flows.is_empty() {
            return;
        }
        let packet = env.cx.pool.get(mpdu.packet);
        let Some(&tcp) = packet.tcp().filter(|tcp| tcp.flags.contains(TcpFlags::ACK) && !tcp.is_opaque()) else {
            return;
        };
        let Some(key) = FlowKey::of(packet).filter(|_| !tcp.flags.contains(TcpFlags::SYN)) else { return };
        let Some(flow) = self.flows.get_mut(key) else { return };
        let value = tcp.options.timestamps.map(|(value, _)| value);
        let word = Word { window: tcp.window, ack: tcp.ack, value, frame: mpdu.seq };
        if flow.word.is_none_or(|before| word.is_newer(&before)) {
            flow.word = Some(word);
        }
        if let Some(asked) = flow.asked.take_if(|asked| !asked.ack.after(tcp.ack)) {
            env.counters.confirmed += 1;
            asked.drop_held(env);
        }
    }

    /// An answer leaves: the tag that it shall bear.
    pub(super) fn on_answer_due(&mut self, env: &mut Env<'_, '_>, due: &AnswerDue) -> Option<Tag> {
        self.judge_last(env, due.kind);
        let (flow, tag) = self.next_request(env)?;
        let alone = due.kind == AnswerKind::Ack;
        let frame = if alone { self.heard.frame } else { None };
        let sure = if alone { !self.heard.retry } else { !self.heard.request };
        self.told = Some(Told { flow, tag, frame, sure });
        Some(tag)
    }

    /// The guard timer of some request may have ended.
    pub(super) fn on_timer(&mut self, env: &mut Env<'_, '_>) {
        let now = env.cx.now;
        for flow in self.flows.values_mut() {
            let Some(until) = flow.asked.as_ref().map(|asked| asked.until) else { continue };
            if until > now {
                env.wake_at(until);
                continue;
            }
            let asked = flow.asked.take().expect("it was there a line ago");
            // A later ACK that is still queued says all of it.
            if let Some((packet, options)) = asked.held {
                if flow.pending.as_ref().is_some_and(|pending| pending.native.is_some()) {
                    env.cx.pool.release(packet);
                } else {
                    env.counters.rescued += 1;
                    env.cx.emit(Emission::Queue(packet, options));
                }
            }
        }
    }

    /// What the PPDU that is being answered says about the last answer with a request.
    fn judge_last(&mut self, env: &mut Env<'_, '_>, answer: AnswerKind) {
        let Some(told) = self.told.take() else { return };
        let lost = if told.frame.is_some() { self.heard.again || self.heard.request } else { self.heard.request };
        if lost {
            env.counters.answer_lost += 1;
            return;
        }
        // In an A-MPDU the frame of an Ack may have come again, damaged.
        if !told.sure || told.frame.is_some() && answer == AnswerKind::BlockAck {
            env.counters.unsure += 1;
            return;
        }
        let Some(flow) = self.flows.get_mut(told.flow) else { return };
        if let Some(asked) = flow.asked.take_if(|asked| asked.name.tag == told.tag) {
            env.counters.confirmed += 1;
            flow.said = Some(flow.said.map_or(asked.ack, |said| said.max(asked.ack)));
            asked.drop_held(env);
        }
        // The next flow has its turn.
        if self.line.pop_front_if(|first| *first == told.flow).is_some() {
            flow.in_line = flow.pending.is_some();
            self.line.extend(flow.in_line.then_some(told.flow));
        }
    }

    /// The first request in line, with the native ACKs that it replaces taken back.
    fn next_request(&mut self, env: &mut Env<'_, '_>) -> Option<(FlowKey, Tag)> {
        let (by, now, lifetime) = (env.config.identification, env.cx.now, env.config.lifetime);
        while let Some(&key) = self.line.front() {
            if let Some(flow) = self.flows.get_mut(key) {
                if let Some(pending) = flow.pending.take() {
                    if !self.names.holds(by, &pending.name, now, lifetime) {
                        env.counters.outdated += 1;
                    } else if let Some(asked) = pending.ask(env) {
                        let tag = asked.name.tag;
                        if let Some(before) = flow.asked.replace(asked) {
                            before.drop_held(env);
                        }
                        return Some((key, tag));
                    }
                    continue;
                }
                if let Some(asked) = &mut flow.asked
                    && self.names.holds(by, &asked.name, now, lifetime)
                {
                    env.counters.repeated += 1;
                    asked.until = now + env.config.guard;
                    return Some((key, asked.name.tag));
                }
                flow.in_line = false;
            }
            self.line.pop_front();
        }
        None
    }

    /// A connection begins or ends.
    fn restart(&mut self, env: &mut Env<'_, '_>, key: FlowKey) {
        if let Some(flow) = self.flows.get_mut(key) {
            let before = std::mem::replace(flow, Flow::new(env.cx.now));
            flow.in_line = before.in_line;
            if let Some(asked) = before.asked {
                asked.drop_held(env);
            }
        }
    }

    /// The flow with this key, made where it is new; `None` where there are too many.
    fn flow(&mut self, env: &Env<'_, '_>, key: FlowKey) -> Option<&mut Flow> {
        if self.flows.get_mut(key).is_none() {
            if self.flows.len() >= MOST_FLOWS {
                let silent = |flow: &Flow| env.cx.now.saturating_since(flow.used) > SILENCE;
                self.flows.retain(|_, flow| flow.asked.is_some() || flow.in_line || !silent(flow));
            }
            if self.flows.len() < MOST_FLOWS {
                self.flows.insert(key, Flow::new(env.cx.now));
            }
        }
        self.flows.get_mut(key)
    }
}

impl Flow {
    const fn new(now: Instant) -> Self {
        Self {
            came: VecDeque::new(),
            acknowledged: None,
            word: None,
            said: None,
            closing: false,
            pending: None,
            asked: None,
            in_line: false,
            used: now,
        }
    }

    /// The name of the packet that this ACK ends, if it may be asked for: the paper's four exceptions, and what a made ACK cannot say.
    fn may_ask(&mut self, env: &Env<'_, '_>, tcp: &TcpHeader, pure: bool) -> Result<Name, Native> {
        let silent = env.cx.now.saturating_since(self.used) > SILENCE;
        self.word = self.word.filter(|_| !silent);
        if self.closing {
            return Err(Native::Closing);
        }
        if !pure {
            return Err(Native::Piggybacked);
        }
        if !tcp.options.sack.is_empty() {
            return Err(Native::Sack);
        }
        if tcp.flags != TcpFlags::ACK {
            return Err(Native::Flags);
        }
        if self.acknowledged.is_some_and(|acknowledged| !tcp.ack.after(acknowledged)) {
            return Err(Native::Duplicate);
        }
        if !self.window_fits(env.config.stateless, tcp.window)? {
            return Err(Native::Window);
        }
        let ends = self.came.iter().rev().find(|came| came.end == tcp.ack).ok_or(Native::Unmapped)?;
        let echo = tcp.options.timestamps.map(|(_, echo)| echo).filter(|_| !env.config.stateless);
        if echo.zip(ends.value).is_some_and(|(echo, value)| SeqNumber(echo).after(SeqNumber(value))) {
            return Err(Native::Echo);
        }
        Ok(ends.name)
    }

    /// Whether the window that the proxy will say is one that may be said. It may fall short by a fifth, so that one that keeps growing is not
    /// sent natively each time.
    fn window_fits(&self, stateless: bool, window: u16) -> Result<bool, Native> {
        if stateless {
            return Ok(window > 0);
        }
        let known = self.word.ok_or(Native::FirstOfFlow)?.window;
        Ok(window > 0 && window >= known && u32::from(window) * 4 < u32::from(known) * 5)
    }

    /// The transport has acknowledged up to here.
    fn take_note(&mut self, ack: SeqNumber, now: Instant) {
        self.used = now;
        if self.acknowledged.is_some_and(|acknowledged| !ack.after(acknowledged)) {
            return;
        }
        self.acknowledged = Some(ack);
        self.came.retain(|came| came.end.after(ack));
    }
}

impl Word {
    /// Whether the proxy will take this over in the place of what it had before: it minds what is acknowledged, then timestamps, then the order in
    /// which frames leave its reorder buffer.
    fn is_newer(&self, before: &Self) -> bool {
        let older = |value: u32, than: u32| SeqNumber(value).before(SeqNumber(than));
        if self.ack.before(before.ack) || before.value.zip(self.value).is_some_and(|(before, now)| older(now, before)) {
            return false;
        }
        self.ack != before.ack || self.frame.offset_from(before.frame) < MacSeq::MODULUS / 2
    }
}

impl Pending {
    /// All frames that it replaces.
    fn into_frames(self) -> Vec<FrameHandle> {
        let mut frames = self.older;
        frames.extend(self.native);
        frames
    }

    /// Goes into an answer: the native ACKs are taken back. `None` where the newest is out of reach, and goes by itself.
    fn ask(self, env: &mut Env<'_, '_>) -> Option<Asked> {
        let held = match self.native.map(|native| env.cx.withdraw(native)) {
            Some(Err(_)) => {
                env.counters.too_late += 1;
                return None;
            }
            Some(Ok(packet)) => Some((packet, self.options)),
            None => None,
        };
        env.counters.requested += 1;
        env.counters.cancelled += u64::from(held.is_some());
        for older in self.older {
            if let Ok(packet) = env.cx.withdraw(older) {
                env.cx.pool.release(packet);
                env.counters.cancelled += 1;
                env.counters.covered += 1;
            }
        }
        let until = env.cx.now + env.config.guard;
        env.wake_at(until);
        Some(Asked { name: self.name, ack: self.ack, held, until })
    }
}

impl Asked {
    fn drop_held(self, env: &mut Env<'_, '_>) {
        if let Some((packet, _)) = self.held {
            env.cx.pool.release(packet);
        }
    }
}

impl Native {
    const fn count(self, counters: &mut ArqProxyCounters) {
        let counter = match self {
            Self::FirstOfFlow => &mut counters.native_first_of_flow,
            Self::Duplicate => &mut counters.native_duplicate,
            Self::Sack => &mut counters.native_sack,
            Self::Window => &mut counters.native_window,
            Self::Flags => &mut counters.native_flags,
            Self::Closing => &mut counters.native_closing,
            Self::Unmapped => &mut counters.native_unmapped,
            Self::Echo => &mut counters.native_echo,
            Self::Piggybacked => &mut counters.native_piggybacked,
        };
        *counter += 1;
    }
}

impl Env<'_, '_> {
    fn wake_at(&mut self, at: Instant) {
        *self.wake = Some(self.wake.map_or(at, |wake| wake.min(at)));
    }
}

/// A connection that was silent for so long begins anew with a native ACK: the proxy may have forgotten it.
pub(super) const SILENCE: Duration = Duration::from_secs(30);
/// With so many connections, those that are silent are forgotten; where none is, a further one is acknowledged natively.
const MOST_FLOWS: usize = 512;
/// So many packets of a connection are remembered that are not acknowledged yet.
const MOST_PACKETS: usize = 4096;

//! The decompressing end: from what a peer appends to its answers to TCP ACKs (paper, 3.3.1, "ACK reception").
//!
//! It sees three things: native pure ACKs of the peer, which install contexts as they are received, so that a
//! link-layer acknowledgement means that the context is there; the bytes on its answers; and the data that this node
//! sends to the peer, by which ACKs are verified.
//!
//! A context that turns out to be broken stays so until the next native ACK of its flow. The paper has no feedback for
//! this, and shows that the case does not arise; should it arise all the same (an undetected bit error), this node
//! withholds the MORE DATA bit from the peer, which then sends natively, and so installs the
//! context anew. Where an ACK was emitted by then that the peer's TCP never sent, the sender of the
//! data has forgotten what the peer still lacks: native ACKs show it that stay below what was
//! emitted, and both ends are reset (`crate::contradiction`). It does the same while answers come
//! whose code under a key
//! is not right, several in a row: whatever the reason, appended ACKs do not get through then, and native ones may.

mod order;
mod verify;

use ackless_dot11::frame::{Mpdu, NodeId};
use ackless_dot11::hooks::{self, Emission, Verdict};
use ackless_rohc::hack::{Ack, Cid, Codec, DecodeError, Decompressor, FiveTuple, Frame, Run};
use ackless_wire::{Duration, Instant, PacketId, TcpFlags};

use self::order::{Kept, Position, SeqUnwrapper, UpwardOrder};
use self::verify::{Bounds, Forwarded};
use super::driver::{CID_IDLE, Driver};
use super::env::Env;
use super::mic::{Forged, Opener};
use crate::flow_key::FlowKey;
use crate::flow_table::FlowTable;
use crate::resets::{FIRST_WAIT, Rsts, for_both, way_back};

/// The decompressing end for one peer.
#[derive(Debug)]
pub(super) struct Receiver {
    peer: NodeId,
    /// By identifier; empty before the first native ACK.
    contexts: Vec<Option<Box<Context>>>,
    /// By flow of data, towards the peer.
    forwarded: FlowTable<Forwarded>,
    seq_unwrapper: SeqUnwrapper,
    upward_order: UpwardOrder,
    /// The last answer that bore a right code under the key.
    opener: Opener,
    /// How many answers in a row bore a wrong one since then, and until when the last of them is remembered.
    forged: (u32, Instant),
    /// Identifiers whose context is broken or was not there, and until when what mends it is awaited.
    broken: Vec<(Cid, Instant)>,
}

/// A context and the flow that owns it.
#[derive(Debug)]
struct Context {
    /// The flow of data that the ACKs are for.
    data: FlowKey,
    decompressor: Decompressor,
    bounds: Bounds,
    /// The native ACK by which the flow came to own the identifier.
    acquired: Position,
    /// The newest native ACK: the reference.
    reference: Position,
    /// The newest native frame of any kind.
    newest: Position,
    /// When a native pure ACK or a run of the flow was last received.
    last_heard: Instant,
}

impl Receiver {
    pub(super) fn new(peer: NodeId) -> Self {
        Self {
            peer,
            contexts: Vec::new(),
            forwarded: FlowTable::default(),
            seq_unwrapper: SeqUnwrapper::default(),
            upward_order: UpwardOrder::default(),
            opener: Opener::default(),
            forged: (0, Instant::ZERO),
            broken: Vec::new(),
        }
    }

    /// Whether the peer should send natively.
    pub(super) fn is_broken(&self, now: Instant) -> bool {
        self.broken.iter().any(|&(_, until)| now < until) || self.distrusts(now)
    }

    /// Whether so many answers in a row were forged that nothing appended can be hoped for.
    fn distrusts(&self, now: Instant) -> bool {
        let (in_a_row, until) = self.forged;
        in_a_row >= MAX_FORGED && now < until
    }

    /// Packets for the peer were given their sequence numbers: they go on the air in this instant, or behind the RTS that does. What still waits in the queue cannot have
    /// been acknowledged.
    pub(super) fn on_all_sequenced(&mut self, cx: &hooks::Context<'_>, mpdus: &[Mpdu]) {
        let mut rest = mpdus;
        while let Some((first, others)) = rest.split_first() {
            let packet = cx.pool.get(first.packet);
            let Some(tcp) = packet.tcp() else {
                rest = others;
                continue;
            };
            if self.forwarded.get_of(packet, tcp).is_none()
                && let Some(key) = FlowKey::of(packet)
            {
                self.add_record(key, cx.now);
            }
            self.forwarded.touch();
            // Those of one flow in a row.
            let Some((key, record)) = self.forwarded.row_at_hand() else { return };
            record.note(tcp, packet.payload.len(), cx.now);
            rest = others;
            while let Some((next, others)) = rest.split_first() {
                let packet = cx.pool.get(next.packet);
                let Some(tcp) = packet.tcp().filter(|tcp| key.is_of(packet, tcp)) else { break };
                record.note(tcp, packet.payload.len(), cx.now);
                rest = others;
            }
        }
    }

    /// Intact MPDUs of one PPDU of the peer came, and so for one receiver.
    pub(super) fn on_mpdus(&mut self, env: &mut Env<'_, '_>, mpdus: &[Mpdu]) {
        if mpdus.first().is_none_or(|first| first.receiver.is_group()) {
            return;
        }
        let is_data = |mpdu: &&Mpdu| !mpdu.tcp_ack;
        let passed = if self.contexts.is_empty() { mpdus.iter().take_while(is_data).count() } else { 0 };
        self.seq_unwrapper.pass(&mpdus[..passed]);
        mpdus[passed..].iter().for_each(|mpdu| self.on_mpdu(env, mpdu));
    }

    /// An intact MPDU of the peer came, which may install a context where none is known.
    fn on_mpdu(&mut self, env: &mut Env<'_, '_>, mpdu: &Mpdu) {
        let position = self.seq_unwrapper.position(mpdu);
        let packet = env.cx.pool.get(mpdu.packet);
        let Some(key) = FlowKey::of(packet).map(FlowKey::reversed) else { return };
        let now = env.cx.now;
        if packet.tcp().is_some_and(|tcp| tcp.flags.contains(TcpFlags::SYN)) {
            env.resets.forget(key);
        }
        let Some(flow) = FiveTuple::of(packet) else { return };
        let native = if mpdu.tcp_ack { Ack::of(packet).ok() } else { None };
        let record = self.record(key, now);
        let cid = *record.cid.get_or_insert_with(|| Cid::of(&flow));
        if native.is_some() {
            record.forget_previous();
        }
        if let Some(native) = &native {
            self.heed(env, (cid, key), native, (mpdu, position));
            self.install(env, cid, key, native, position);
        }
        let Some(Some(context)) = self.contexts.get_mut(usize::from(cid.0)) else { return };
        if context.data != key {
            return;
        }
        // Only what the other end counts too keeps an identifier: it forgets flows of which it compresses nothing.
        if native.is_some() {
            context.last_heard = now;
        }
        if position.is_after(context.newest) {
            context.newest = position;
            self.upward_order.expect(mpdu.packet, cid);
        }
    }

    /// Whether no packet that leaves the reorder buffer has to wait for another, or another for it.
    #[inline]
    pub(super) fn lets_all_up(&self) -> bool {
        self.upward_order.is_empty()
    }

    /// A packet of the peer leaves the reorder buffer.
    pub(super) fn on_upward(&mut self, cx: &mut hooks::Context<'_>, packet: PacketId) -> Verdict {
        if self.upward_order.is_empty() {
            return Verdict::Pass;
        }
        let peer = self.peer;
        // It is emitted itself where others must go before it.
        let taken_up = self.upward_order.take_up(packet, |packet| cx.emit(Emission::Onward(packet, peer)));
        if taken_up { Verdict::Hold } else { Verdict::Pass }
    }

    /// An answer of the peer came with these bytes. False where it must bear a code under a key, and has none or a wrong one: then it is as if no answer had come.
    pub(super) fn on_answer(&mut self, env: &mut Env<'_, '_>, appended: &[u8], driver: &mut Driver) -> bool {
        let appended = match &env.config.mic {
            None => appended,
            Some(mic) => match self.opener.open(mic, self.peer, env.cx.node, appended) {
                Ok(frame) => {
                    self.forged.0 = 0;
                    frame
                }
                Err(Forged) => {
                    env.counters.forged += 1;
                    self.forged = (self.forged.0.saturating_add(1), env.cx.now + WITHHOLD_FOR);
                    return false;
                }
            },
        };
        if appended.is_empty() {
            return true;
        }
        let Ok(frame) = Frame::read(env.config.codec, appended) else {
            env.counters.malformed += 1;
            return true;
        };
        for run in frame.runs() {
            if self.on_run(env, &run, driver).is_err() {
                let now = env.cx.now;
                self.broken.retain(|&(cid, until)| cid != run.cid() && now < until);
                self.broken.push((run.cid(), now + WITHHOLD_FOR));
            }
        }
        true
    }

    /// Decompresses one run.
    ///
    /// # Errors
    /// The context does not exist or is broken.
    fn on_run(&mut self, env: &mut Env<'_, '_>, run: &Run<'_>, driver: &mut Driver) -> Result<(), Broken> {
        let cid = run.cid();
        let Some(Some(context)) = self.contexts.get_mut(usize::from(cid.0)) else {
            env.counters.unknown_context += 1;
            return Err(Broken);
        };
        context.last_heard = env.cx.now;
        let forwarded = self.forwarded.get_mut(context.data).copied();
        let mut decode = match context.decompressor.decode(run) {
            Ok(decode) => decode,
            Err(error) => {
                match error {
                    DecodeError::Gap { .. } => env.counters.gaps += 1,
                    _ => env.counters.unknown_context += 1,
                }
                context.decompressor.invalidate();
                return Err(Broken);
            }
        };
        env.counters.duplicates_discarded += u64::from(decode.duplicates());
        let mut emitted = None;
        let failures = loop {
            match decode.advance() {
                None => break None,
                Some(Err(DecodeError::TcpChecksum(_))) => break Some(&mut env.counters.checksum_failures),
                Some(Err(_)) => break Some(&mut env.counters.crc_failures),
                Some(Ok((ack, packet_len))) => {
                    let own_acks = || driver.newest_ts_val(context.data);
                    if !context.bounds.admit(ack, forwarded.as_ref(), own_acks) {
                        break Some(&mut env.counters.verify_failures);
                    }
                    emitted = Some(ack.tcp().ack);
                    let packet = env.cx.pool.insert_with(packet_len, || ack.to_packet());
                    env.counters.emitted += 1;
                    let kept = self.upward_order.keep(packet, cid);
                    env.counters.waited_in_order += u64::from(kept != Kept::No);
                    match kept {
                        Kept::No => env.cx.emit(Emission::Onward(packet, self.peer)),
                        Kept::Yes => {}
                        Kept::InPlaceOf(oldest) => {
                            env.counters.waited_too_many += 1;
                            env.cx.pool.release(oldest);
                        }
                    }
                }
            }
        };
        // They do not go back.
        if let Some(last) = emitted
            && let Some(record) = self.forwarded.get_mut(context.data)
        {
            record.emitted(last, env.cx.now);
        }
        let Some(failures) = failures else { return Ok(()) };
        *failures += 1;
        context.decompressor.invalidate();
        Err(Broken)
    }

    /// What a native ACK says about those that were emitted in the peer's name: where the peer
    /// contradicts them for long, the connection cannot go on and is reset at both ends.
    fn heed(
        &mut self,
        env: &mut Env<'_, '_>,
        (cid, data): (Cid, FlowKey),
        native: &Ack,
        (mpdu, position): (&Mpdu, Position),
    ) {
        let context = self.contexts.get(usize::from(cid.0)).and_then(Option::as_ref);
        if context.is_some_and(|context| context.data == data && !position.is_after(context.reference)) {
            // It is older than what was emitted.
            return;
        }
        let record = self.forwarded.at_hand();
        let Some(told) = record.contradicted(native.tcp().ack, env.cx.now) else { return };
        record.end_doubt();
        if let Some((to_peer, to_sender)) = for_both(env.cx.pool.get(mpdu.packet), told) {
            env.counters.contradicted += 1;
            let rsts = Rsts { onward: Some((to_sender, self.peer)), queued: Some((to_peer, way_back(mpdu))) };
            env.resets.reset_both_ends(env.cx, data, rsts);
            env.wake_after(FIRST_WAIT);
        }
    }

    /// A native ACK installs the context of its flow, if the flow owns the identifier and no newer one did before.
    fn install(&mut self, env: &mut Env<'_, '_>, cid: Cid, data: FlowKey, native: &Ack, position: Position) {
        if self.contexts.is_empty() {
            self.contexts.resize_with(CONTEXTS, || None);
        }
        let now = env.cx.now;
        let slot = &mut self.contexts[usize::from(cid.0)];
        let Some(context) = slot else {
            *slot = Some(Box::new(Context::new(env.config.codec, data, native, position, now)));
            self.broken.retain(|&(broken, _)| broken != cid);
            return;
        };
        if context.data != data {
            // The first one owns the identifier, also where its native ACK came later, by a retransmission.
            let idle = now.saturating_since(context.last_heard) > CID_IDLE;
            if idle || position.is_before(context.acquired) {
                env.counters.taken_over += 1;
                **context = Context::new(env.config.codec, data, native, position, now);
                self.broken.retain(|&(broken, _)| broken != cid);
            }
            return;
        }
        if !position.is_after(context.reference) {
            env.counters.late_natives += 1;
            return;
        }
        if !context.decompressor.is_ready() {
            self.broken.retain(|&(broken, _)| broken != cid);
        }
        env.counters.reinstalls += 1;
        context.decompressor.install(native);
        context.bounds = Bounds::of(native);
        context.reference = position;
    }

    /// What is known of a flow of data.
    #[inline(always)]
    fn record(&mut self, key: FlowKey, now: Instant) -> &mut Forwarded {
        if self.forwarded.get_mut(key).is_none() {
            self.add_record(key, now);
        }
        self.forwarded.touch();
        self.forwarded.at_hand()
    }

    /// A flow of data is new.
    #[inline(never)]
    fn add_record(&mut self, key: FlowKey, now: Instant) {
        // At most two go for each that comes, so that none costs much and there are never many more
        // than were used lately.
        for _ in 0..2 {
            let (many, full) = (self.forwarded.len() >= MANY, self.forwarded.len() >= MOST);
            let Some((quietest, record)) = self.forwarded.quietest().filter(|_| many) else { break };
            if !full && now.saturating_since(record.last_used) < FORGET {
                break;
            }
            let context = record.cid.and_then(|cid| self.contexts.get(usize::from(cid.0))?.as_ref());
            if context.is_some_and(|context| context.data == quietest) {
                self.forwarded.touch();
            } else {
                self.forwarded.remove(quietest);
            }
        }
        self.forwarded.insert(key, Forwarded::new(now));
    }
}

impl Context {
    fn new(codec: Codec, data: FlowKey, native: &Ack, position: Position, now: Instant) -> Self {
        let mut decompressor = Decompressor::new(codec);
        decompressor.install(native);
        let bounds = Bounds::of(native);
        // Nothing was received of the flow before: this frame is the newest, and is still to be followed upwards.
        let before = position.just_before();
        Self { data, decompressor, bounds, acquired: position, reference: position, newest: before, last_heard: now }
    }
}

/// A context needs a native ACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Broken;

/// Identifiers that a byte can name.
const CONTEXTS: usize = 256;
/// So many records are kept without looking for unused ones.
const MANY: usize = 64;
/// So many records are kept at most, but for those with a context. Where there is one more, the one
/// that was unused longest goes: of its flow no code is admitted until the next packet of data.
const MOST: usize = 1 << 16;
/// An unused record is kept for at least this long, where there are not too many.
const FORGET: Duration = Duration::from_secs(10);
/// So many forged answers in a row take MORE DATA away; one or two are bad luck, and SYNC repeats what they stood in for.
const MAX_FORGED: u32 = 3;
/// How long MORE DATA is withheld for a flow that sends no native ACK, which may have ended, and after forged answers, which may have.
const WITHHOLD_FOR: Duration = Duration::from_secs(1);

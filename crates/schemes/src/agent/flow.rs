//! What a station knows of one of its flows, and the rule by which an ACK of its own TCP may be swallowed.
//!
//! An ACK is swallowed where the AP's agent says exactly as much, or will when the MAC ACKs arrive ([`Flow::rule`]):
//!
//! - it is a bare ACK of new data, without SACK blocks and ECN bits, on a connection that is not left alone;
//! - all that it acknowledges beyond what the AP knows natively came in data frames that this MAC accepted, in the first solution in order;
//! - the AP has the connection's window and timestamp, from a native packet that it has acknowledged at link layer, not too long ago;
//! - the window is the one that stood there, or has grown by less than an eighth; a smaller one goes natively, and so does any growth below half of
//!   the widest window, where a sender might wait for it (RFC 9293, 3.8.6.2.1). Where the AP minds the window's edge ([`Room::Promise`]), it is the edge that counts: see
//!   [`Flow::keeps_the_edge`]; where this station does not know it, having seen no SYN, all go natively.
//!
//! The first solution keeps more data than ACKs are swallowed for: all in the order of what went up, late data included ([`Flow::goes_up`]). The AP may have heard already what this station does
//! not know it to have heard, a native ACK whose MAC ACK is lost; or it has started anew, and does not know any more that newer data went before.

use std::collections::VecDeque;

use ackless_dot11::frame::{FrameHandle, NodeId};
use ackless_dot11::hooks::SendOptions;
use ackless_wire::tcp::Checksum;
use ackless_wire::{Duration, Instant, SeqNumber, TcpFlags, TcpHeader};

use super::buffer::Buffer;
use super::config::Room;
use super::paws::Paws;
use super::spans::{Inflow, Taken};
use crate::connection::{Opaque, WindowScale};
use crate::repairs::{Acceptable, SenderFacts};

/// One flow, seen from the receiver of data.
#[derive(Debug)]
pub(super) struct Flow {
    /// Over which peer its data comes.
    pub(super) peer: NodeId,
    /// Whether its data comes in frames that an agent makes ACKs for.
    pub(super) spoken_for: bool,
    /// What came in data frames: in the first solution as it goes up to the TCP, in the second as the MAC accepts it.
    inflow: Inflow,
    paws: Paws,
    /// The end of data whose timestamp was older than one before, which the agent does not speak for.
    late: Option<SeqNumber>,
    /// Data below this was accepted, but it is not remembered which.
    forgotten_below: Option<SeqNumber>,
    /// The largest acknowledgment number that the TCP has handed down to this MAC, and the last window.
    acked: Option<SeqNumber>,
    pub(super) window: u16,
    pub(super) scale: WindowScale,
    /// Just past the last byte that the TCP has ever offered room for.
    edge: SeqNumber,
    /// Left alone: nothing more is kept of it, and no ACK of its kept off the air.
    pub(super) opaque: Opaque,
    /// The last acknowledgment number that was swallowed, and the largest that went natively.
    last_swallowed: Option<SeqNumber>,
    native_max: Option<SeqNumber>,
    /// All that the TCP acknowledges from here on came in frames of the agent's. What it acknowledged before did not, or the AP knows it natively.
    covered_from: Option<SeqNumber>,
    last_delivered: Option<Delivered>,
    refresh_at: Instant,
    /// The widest window that went natively.
    widest_window: u16,
    /// Data or a FIN has gone up since the TCP's last ACK: the next one may be its answer.
    pub(super) unanswered: bool,
    /// Just past the last byte that the AP knows the TCP to have room for.
    edge_at_ap: Option<SeqNumber>,
    pub(super) buffer: Buffer,
    /// What the peer has said last beside its data, by what went up.
    pub(super) sender: SenderFacts,
    /// The TCP's SND.NXT, and how it sends.
    pub(super) own_sending: Option<(SeqNumber, SendOptions)>,
    /// Its native ACKs in the queue that a flag may make superfluous, in their order, with what
    /// each acknowledges.
    pub(super) queued: VecDeque<(FrameHandle, SeqNumber)>,
    pub(super) last_heard: Instant,
}

/// The last native packet of the flow that the AP is known to have.
#[derive(Clone, Copy, Debug)]
struct Delivered {
    handle: FrameHandle,
    ack: SeqNumber,
    window: u16,
    at: Instant,
}

/// Why an ACK goes natively.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WhyNative {
    /// It has something that the agent never says.
    Other,
    /// It is a duplicate; `bare`: nothing but its number says so.
    Duplicate { bare: bool },
    /// The window has moved.
    Window,
    /// It acknowledges something that the agent does not know of.
    Uncovered,
    /// The AP does not know the flow, as far as this station can tell.
    Unknown,
    /// It is time for one.
    Refresh,
}

impl Flow {
    /// The TCP opens a connection, or answers one that does, with this SYN of its own, perhaps once more: `before` was known of its scale.
    pub(super) fn opened(
        peer: NodeId,
        before: WindowScale,
        syn: &TcpHeader,
        options: SendOptions,
        now: Instant,
    ) -> Self {
        let mut flow = Self::new(peer, now);
        let snd_nxt = syn.seq + 1;
        (flow.sender, flow.own_sending) = (SenderFacts::since(snd_nxt), Some((snd_nxt, options)));
        if syn.flags.contains(TcpFlags::ACK) {
            // Data may come before another word of the TCP's, and the AP speaks for it from here on. The window of a SYN is not scaled (RFC 7323, 2.2).
            flow.scale = WindowScale::Agreed { shift: 0, syn_acked_by: snd_nxt };
            flow.hand_down(syn);
        }
        flow.scale = before.updated_by(syn);
        flow
    }

    pub(super) fn new(peer: NodeId, now: Instant) -> Self {
        Self {
            peer,
            spoken_for: false,
            inflow: Inflow::default(),
            paws: Paws::default(),
            late: None,
            forgotten_below: None,
            acked: None,
            window: 0,
            scale: WindowScale::default(),
            edge: SeqNumber(0),
            opaque: Opaque::default(),
            last_swallowed: None,
            native_max: None,
            covered_from: None,
            last_delivered: None,
            refresh_at: now,
            widest_window: 0,
            unanswered: false,
            edge_at_ap: None,
            buffer: Buffer::default(),
            sender: SenderFacts::default(),
            own_sending: None,
            queued: VecDeque::new(),
            last_heard: now,
        }
    }

    /// The station has roamed: data comes over another peer from now on, which has heard no native ACK yet.
    pub(super) fn moves_to(&mut self, peer: NodeId) {
        (self.peer, self.last_delivered) = (peer, None);
    }

    /// The MAC has accepted data: the second solution takes it in whatever order it comes.
    pub(super) fn accept(&mut self, start: SeqNumber, end: SeqNumber) {
        if self.inflow.take(start, end, true) == Taken::Forgotten {
            self.forgotten_below = Some(self.forgotten_below.map_or(end, |below| below.max(end)));
        }
    }

    /// Data goes up. Returns whether the first solution must keep it: the AP may speak for it by now, and the TCP has not acknowledged it. `acceptable`: its ACK is.
    #[inline(always)]
    pub(super) fn goes_up(&mut self, data: &TcpHeader, end: SeqNumber, acceptable: bool) -> bool {
        let plain = self.spoken_for && self.late.is_none();
        let ts_val = data.options.timestamps.map(|(val, _)| val);
        if plain && self.paws.has_seen(ts_val) && self.inflow.follow(data.seq, end) {
            // As nearly all of a download goes.
            return !self.has_acknowledged(end);
        }
        self.goes_up_anyhow(data, end, acceptable)
    }

    /// [`Self::goes_up`] for whatever goes up.
    #[inline(never)]
    fn goes_up_anyhow(&mut self, data: &TcpHeader, end: SeqNumber, acceptable: bool) -> bool {
        if !self.spoken_for {
            return false;
        }
        let reached = self.inflow.rcv_nxt();
        let in_order = reached.is_some_and(|reached| !data.seq.after(reached));
        let acked = self.acked;
        let is_taken = || acceptable && in_order && acked.is_some_and(|acked| !end.before(acked));
        if !self.paws.accepts(data.options.timestamps.map(|(val, _)| val), is_taken) {
            self.inflow.take_above_hole(data.seq, end);
            // A late copy of what is there already opens no hole for the AP.
            if reached.is_none_or(|reached| end.after(reached)) {
                self.late = Some(self.late.map_or(end, |late| late.max(end)));
            }
        } else if self.is_doubtful() {
            self.inflow.take_above_hole(data.seq, end);
        } else {
            self.inflow.take(data.seq, end, false);
        }
        in_order && !self.has_acknowledged(end)
    }

    /// Where data goes on that [goes up](Self::goes_up) next and is kept, if it says nothing new beside that; nothing where more is to be looked at.
    #[inline]
    pub(super) fn next_of_row(&self) -> Option<SeqNumber> {
        let next = self.inflow.next_of_row()?;
        let plain = self.spoken_for && !self.opaque.is() && self.late.is_none();
        let is_last = self.acked.is_none_or(|acked| !acked.after(next)) && self.buffer.begins_before(next);
        (plain && is_last && self.paws.has_seen(self.sender.ts_val())).then_some(next)
    }

    /// Such data has gone up to here.
    #[inline]
    pub(super) fn end_row(&mut self, end: SeqNumber) {
        self.inflow.end_row(end);
        self.unanswered = true;
    }

    /// Whether the AP may not know that the TCP has taken late data: until it is known to, what follows is out of order for it.
    fn is_doubtful(&mut self) -> bool {
        let known = self.last_delivered.map(|last| last.ack);
        self.late = self.late.filter(|late| known.is_none_or(|known| known.before(*late)));
        self.late.is_some()
    }

    /// Up to where the TCP has acknowledged everything.
    pub(super) const fn acked(&self) -> Option<SeqNumber> {
        self.acked
    }

    /// Whether the TCP is sure to believe this RST: it waits for that number, and has nothing on its way up.
    pub(super) fn is_ended_by(&self, reset: &TcpHeader) -> bool {
        let waits = Some(reset.seq);
        reset.checksum == Checksum::Correct && self.acked == waits && self.inflow.rcv_nxt() == waits
    }

    /// Whether a full buffer takes this frame: it needs no more room, or has what the TCP lacks
    /// first and no frame that is kept has. Refused, that would lock both: nothing else lets the
    /// TCP acknowledge. An acceptable frame counts for more than others, so a flow has room for two
    /// beyond the limit.
    pub(super) fn has_place_for(&self, tcp: &TcpHeader, end: SeqNumber) -> bool {
        let acceptable = self.sender.is_ack_acceptable(tcp, self.own_sending.map(|(next, _)| next));
        let lacks = |acked: SeqNumber| !tcp.seq.after(acked) && !self.buffer.serves(acked, acceptable);
        let is_lacked = !self.buffer.is_empty() && self.acked.is_some_and(lacks);
        is_lacked || self.buffer.takes_in_place((tcp.seq, end), acceptable)
    }

    /// Whether this repeats the TCP's last ACK, or says no less.
    pub(super) fn repeats_last_ack(&self, ack: SeqNumber) -> bool {
        self.acked == Some(ack)
    }

    /// Whether a window is so narrow that the TCP may have had no room for what went up.
    pub(super) const fn is_narrow(&self, window: u16) -> bool {
        window < self.widest_window.div_ceil(2)
    }

    /// The TCP's SND.NXT after this segment of its own, with so many bytes of data.
    pub(super) fn snd_nxt_after(&self, tcp: &TcpHeader, length: u32) -> SeqNumber {
        let end = tcp.seq + length + u32::from(tcp.flags.contains(TcpFlags::FIN));
        self.own_sending.map_or(end, |(next, _)| next.max(end))
    }

    /// Whether the TCP can not take the first frame that is kept: it waits for something below, which the AP has not acknowledged, and the server sends it when it can; or its window
    /// is too narrow for the whole frame.
    pub(super) fn has_no_room(&self) -> bool {
        let (Some(acked), Some((start, end))) = (self.acked, self.buffer.first_span()) else { return false };
        start.after(acked) || end.after(acked + self.scale.max_window(self.window))
    }

    /// A segment from the peer, up to `end`, goes up: what it says beside its data is noted, if the TCP has said what it waits for. Returns whether its ACK is acceptable.
    #[inline(always)]
    pub(super) fn note_sender(&mut self, tcp: &TcpHeader, end: SeqNumber) -> bool {
        self.sender.is_repeated_by(tcp) || self.note_new_of_sender(tcp, end)
    }

    /// [`Self::note_sender`] for a segment that says something new.
    #[inline(never)]
    fn note_new_of_sender(&mut self, tcp: &TcpHeader, end: SeqNumber) -> bool {
        let snd_nxt = self.own_sending.map(|(next, _)| next);
        if let Some(rcv_nxt) = self.acked {
            // By the frames that went up, the TCP may have come further than its ACKs have come down.
            let rcv_nxt_at_most = self.inflow.rcv_nxt().map_or(rcv_nxt, |reached| reached.max(rcv_nxt));
            let edge = self.edge.max(rcv_nxt_at_most);
            self.sender.note(tcp, end, &Acceptable { rcv_nxt, rcv_nxt_at_most, edge, snd_nxt });
        }
        self.sender.is_ack_acceptable(tcp, snd_nxt)
    }

    /// The promise of the first solution: all that the AP may acknowledge and the TCP has not is in the buffer.
    pub(super) fn keeps_its_word(&self) -> bool {
        let (Some(acked), Some(point)) = (self.acked, self.inflow.may_ack_to()) else { return true };
        !point.after(acked) || self.buffer.covers(acked, point)
    }

    /// Whether the TCP has acknowledged everything before `end`.
    pub(super) fn has_acknowledged(&self, end: SeqNumber) -> bool {
        self.acked.is_some_and(|acked| !end.after(acked))
    }

    /// Whether an ACK of the flow's TCP may be swallowed.
    ///
    /// # Errors
    /// Why it may not.
    pub(super) fn rule(
        &self,
        tcp: &TcpHeader,
        pure: bool,
        now: Instant,
        (refresh, room): (Duration, Room),
    ) -> Result<(), WhyNative> {
        let plain = pure && tcp.flags == TcpFlags::ACK && tcp.checksum == Checksum::Correct;
        let edge_at_ap = self.edge_at_ap.filter(|_| room == Room::Promise);
        if self.acked.is_some_and(|acked| !tcp.ack.after(acked)) && plain {
            let bare = tcp.options.sack.is_empty() && tcp.window == self.window;
            if tcp.window == self.window || edge_at_ap.is_some() && self.unanswered {
                return Err(WhyNative::Duplicate { bare });
            }
            if edge_at_ap.is_none() {
                return Err(WhyNative::Window);
            }
        }
        if !plain || !tcp.options.sack.is_empty() || self.opaque.is() {
            return Err(WhyNative::Other);
        }
        if room == Room::Promise && edge_at_ap.is_none() {
            // The AP may know the edge that this station does not, and count the window down to it.
            return Err(WhyNative::Unknown);
        }
        let known = self
            .last_delivered
            .filter(|last| now.saturating_since(last.at) < refresh.saturating_mul(3))
            .ok_or(WhyNative::Unknown)?;
        let follows = self.covered_from.is_some_and(|from| !known.ack.before(from));
        if !follows || self.inflow.may_ack_to().is_none_or(|point| tcp.ack.after(point)) {
            return Err(WhyNative::Uncovered);
        }
        let kept = edge_at_ap
            .map_or_else(|| self.keeps_the_window(tcp.window, known.window), |edge| self.keeps_the_edge(tcp, edge));
        if !kept {
            return Err(WhyNative::Window);
        }
        if now >= self.refresh_at { Err(WhyNative::Refresh) } else { Ok(()) }
    }

    /// Whether a window is near enough to the one that the AP knows.
    fn keeps_the_window(&self, window: u16, known: u16) -> bool {
        let narrow = self.is_narrow(known);
        window.checked_sub(known).is_some_and(|growth| growth == 0 || !narrow && growth < known.div_ceil(8))
    }

    /// Whether the AP can say this ACK, and the edge of its window is near enough to the one that the AP knows: by less than a quarter of the widest window, within which a sender that
    /// has used up the edge waits no longer than the TCP takes to make so much room.
    fn keeps_the_edge(&self, tcp: &TcpHeader, edge_at_ap: SeqNumber) -> bool {
        let moved = (tcp.ack + self.scale.max_window(tcp.window)).distance_from(edge_at_ap);
        !tcp.ack.after(edge_at_ap)
            && i64::from(moved) < i64::from((self.scale.max_window(self.widest_window) / 4).max(1))
    }

    /// The TCP has handed this down. Returns whether it acknowledges something new.
    pub(super) fn hand_down(&mut self, tcp: &TcpHeader) -> bool {
        let new = self.acked.is_none_or(|acked| tcp.ack.after(acked));
        let edge = tcp.ack + self.scale.max_window(tcp.window);
        if self.acked.is_none() || edge.after(self.edge) {
            self.edge = edge;
        }
        if new {
            self.acked = Some(tcp.ack);
            // Left where it was, it would lie ahead again 2 GiB later.
            self.forgotten_below = self.forgotten_below.filter(|below| below.after(tcp.ack));
        }
        if self.inflow.advance_to(tcp.ack) {
            self.covered_from = Some(tcp.ack);
        }
        (self.window, self.unanswered) = (tcp.window, false);
        new
    }

    /// A packet goes natively; the next one has to at `next`. Returns whether it repeats an ACK that was swallowed, so that the AP must see it twice.
    pub(super) fn goes_natively(&mut self, ack: SeqNumber, why: Option<WhyNative>, next: Instant) -> bool {
        if why == Some(WhyNative::Refresh) {
            self.refresh_at = next;
        }
        let restated = why == Some(WhyNative::Duplicate { bare: true })
            && self.last_swallowed == Some(ack)
            && self.native_max.is_none_or(|max| max.before(ack));
        self.native_max = Some(self.native_max.map_or(ack, |max| max.max(ack)));
        restated
    }

    /// An ACK was kept off the air.
    pub(super) fn swallow(&mut self, ack: SeqNumber) {
        self.last_swallowed = Some(ack);
    }

    /// A native packet of the flow has reached the AP.
    pub(super) fn delivered(&mut self, handle: FrameHandle, tcp: &TcpHeader, now: Instant, refresh: Duration) {
        if self.last_delivered.is_some_and(|last| last.handle > handle) {
            return;
        }
        self.last_delivered = Some(Delivered { handle, ack: tcp.ack, window: tcp.window, at: now });
        // It follows: left where it was, it would lie ahead again 2 GiB later.
        self.covered_from = self.covered_from.map(|from| from.max(tcp.ack));
        self.refresh_at = now + refresh;
        self.widest_window = self.widest_window.max(tcp.window);
        if self.scale.agreed().is_some() {
            let edge = tcp.ack + self.scale.max_window(tcp.window);
            self.edge_at_ap = Some(self.edge_at_ap.map_or(edge, |known| known.max(edge)));
        }
    }

    /// How far the flag may vouch for the flow: the TCP has acknowledged all that this MAC has accepted of it.
    pub(super) fn vouchable(&self) -> Option<SeqNumber> {
        let point = self.inflow.may_ack_to()?;
        let whole = self.forgotten_below.is_none_or(|below| self.has_acknowledged(below));
        (whole && self.acked == Some(point)).then_some(point)
    }

    /// Whether this MAC has accepted data that the TCP could acknowledge and has not.
    pub(super) fn tcp_owes_ack(&self) -> bool {
        self.inflow.may_ack_to().is_some() && self.vouchable().is_none()
    }

    /// Whether the ACK that the flag may vouch for was swallowed before.
    pub(super) fn is_vouched(&self) -> bool {
        self.last_swallowed.is_some() && self.last_swallowed == self.vouchable()
    }
}

#[cfg(test)]
mod tests {
    use ackless_wire::random::{Purpose, Stream};
    use ackless_wire::tcp::TcpOptions;

    use super::*;

    #[test]
    fn what_goes_up_next_goes_as_whatever_goes_up() {
        let mut next = 0;
        for seed in 0..500 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let mut flows = [(); 2].map(|()| Flow::new(NodeId(0), Instant::ZERO));
            // The numbers wrap.
            let mut at = SeqNumber(u32::MAX - 2_000);
            let mut tcp = TcpHeader { flags: TcpFlags::ACK, ..TcpHeader::new(1, 2) };
            let mut stamp = 0;
            for _ in 0..80 {
                if random.chance(0.1) {
                    tcp.ack = at + random.below(300) as u32;
                    flows.iter_mut().for_each(|flow| {
                        flow.hand_down(&tcp);
                        flow.spoken_for |= seed % 5 != 0;
                        flow.delivered(FrameHandle(0), &tcp, Instant::ZERO, Duration::ZERO);
                    });
                }
                stamp += u32::from(random.chance(0.3));
                let stamps = (stamp - random.below(2).min(stamp.into()) as u32 * u32::from(random.chance(0.1)), 0);
                let skipped = if random.chance(0.1) { random.below(400) as u32 } else { 0 };
                let seq = if random.chance(0.1) { SeqNumber(at.0.wrapping_sub(150)) } else { at + skipped };
                let options = TcpOptions { timestamps: random.chance(0.9).then_some(stamps), ..TcpOptions::default() };
                let (data, end) = (TcpHeader { seq, options, ..tcp }, seq + 100);
                let acceptable = random.chance(0.9);
                let [one, other] = &mut flows;
                let kept = one.goes_up_anyhow(&data, end, acceptable);
                assert_eq!(other.goes_up(&data, end, acceptable), kept, "seed {seed}");
                assert_eq!(format!("{one:?}"), format!("{other:?}"), "seed {seed}");
                next += u32::from(kept);
                at = at.max(end);
            }
        }
        assert!(next > 5_000, "{next}");
    }
}

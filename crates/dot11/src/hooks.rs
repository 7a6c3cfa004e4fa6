//! The seam for schemes: what a node asks the scheme that sits on it, and what the scheme may do.
//!
//! A scheme is a machine like any other: it is handed inputs (the methods of [`Scheme`]), says when it wants to be woken
//! ([`Scheme::poll_timeout`]), and never reads a clock. Each method does nothing by default, so a scheme writes only what
//! it changes, and a stock node costs nothing. What a scheme wants done beyond its answer to the question at hand, it
//! asks for through the [`Context`].
//!
//! Ownership of packets: a packet in an argument belongs to whoever asks; [`Verdict::Hold`] hands its reference to the
//! scheme, which must then emit or release it.

use ackless_phy::TxVector;
use ackless_wire::{Bytes, Duration, Instant, Packet, PacketId, PacketPool};

pub use crate::block_ack::Fate;
pub use crate::content::Content;
use crate::frame::{Answer, FrameHandle, HeaderBits, MacSeq, Mpdu, NodeId};
pub use crate::queue::SendOptions;

/// What a scheme may do with a TCP ACK (or any packet) on the Wi-Fi hop. One sits on each node.
///
/// The order in which a node asks: `on_sent` when its transport sends a packet that takes a while to the MAC, `on_outgoing` when a packet is handed to its MAC, `on_sequenced` and `on_ppdu_out` when
/// it goes on the air, then one of `on_answer` or `on_answer_missing`, and after that `on_delivered` or `on_given_up` for each MPDU that is
/// done with. A receiver asks `on_ppdu_in`, then `on_mpdu` for each MPDU in it, `on_upward` for each packet that leaves the reorder buffer,
/// and `on_answer_due` when SIFS is over.
///
/// Where an MPDU carries an A-MSDU, `on_sequenced`, `on_mpdu`, `on_delivered` and `on_given_up` are asked about each of its packets, one after another
/// and with the same sequence number ([`Mpdu::part`]); one packet refused by `on_mpdu` refuses all.
///
/// What comes in a run is asked about at once by `on_run_outgoing`, `on_all_sequenced`, `on_mpdus`, `on_run_upward` and `on_fates`, and what only passes by `on_passing`; by default they ask one by
/// one, or leave all to those that do. A scheme that answers these itself does what it would have done then.
///
/// Each name that `on_outgoing` or `on_queued` gave a frame comes to one end: delivered, given up, dropped, or withdrawn by the scheme.
pub trait Scheme {
    /// The transport on this node has sent a packet towards `to`, which the MAC gets for certain after the host's latency, and in this order; `on_outgoing` is asked then. Where the
    /// host takes no time, only that is asked.
    fn on_sent(&mut self, _cx: &mut Context<'_>, _packet: PacketId, _to: NodeId) {}

    /// A packet was handed to this node's MAC. `handle` will name its frame if it passes, or what replaces it; `options` say how it will be
    /// sent and may be changed.
    fn on_outgoing(
        &mut self,
        _cx: &mut Context<'_>,
        _packet: PacketId,
        _handle: FrameHandle,
        _options: &mut SendOptions,
    ) -> Verdict {
        Verdict::Pass
    }

    /// [`Self::on_outgoing`] for a packet that passes as it is, where no context is needed to say so and nothing is asked for. False, and nothing has changed, for any other.
    fn on_passing(&mut self, _now: Instant, _node: NodeId, _packet: &Packet, _options: &SendOptions) -> bool {
        false
    }

    /// [`Self::on_outgoing`] for packets that are handed over one behind another and go one way, of as many at the start as are held without that anything is emitted. Returns how many
    /// these are; of the next one nothing has been asked.
    fn on_run_outgoing(&mut self, _cx: &mut Context<'_>, _packets: &[PacketId], _options: &SendOptions) -> usize {
        0
    }

    /// A packet that this scheme emitted with [`Emission::Queue`] is being queued: `handle` names its frame.
    fn on_queued(&mut self, _cx: &mut Context<'_>, _packet: PacketId, _handle: FrameHandle) {}

    /// The frame was dropped from its queue, which was full or is managed, before it was ever sent.
    fn on_dropped(&mut self, _cx: &mut Context<'_>, _handle: FrameHandle) {}

    /// A frame was made an MPDU with its sequence number; it goes on the air in this instant, or behind the RTS that does. Frames behind it that bear no TCP ACK may have theirs by then,
    /// and cannot be withdrawn.
    fn on_sequenced(&mut self, _cx: &mut Context<'_>, _mpdu: &Mpdu) {}

    /// [`Self::on_sequenced`] for each of these, of one PPDU.
    fn on_all_sequenced(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) {
        for mpdu in mpdus {
            self.on_sequenced(cx, mpdu);
        }
    }

    /// A PPDU with packets is about to be sent to `to`, and `queued` stays behind. `bits` will stand in the headers of all its MPDUs.
    /// Asked each time that it is sent, in the instant in which it is.
    fn on_ppdu_out(&mut self, _cx: &mut Context<'_>, _to: NodeId, _queued: Backlog, _bits: &mut HeaderBits) {}

    /// A PPDU addressed to this node came with these bits; at least one MPDU in it, or a BlockAck Request, was intact.
    fn on_ppdu_in(&mut self, _cx: &mut Context<'_>, _arrival: &Arrival) {}

    /// An intact MPDU came, perhaps again. A refused one is treated as if it had been damaged: no answer counts it.
    fn on_mpdu(&mut self, _cx: &mut Context<'_>, _mpdu: &Mpdu) -> Admission {
        Admission::Accept
    }

    /// [`Self::on_mpdu`] for intact MPDUs of one PPDU, none with an A-MSDU, up to the first that is refused. Returns how many have been accepted.
    fn on_mpdus(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) -> usize {
        let refused = mpdus.iter().position(|mpdu| self.on_mpdu(cx, mpdu) == Admission::Refuse);
        refused.unwrap_or(mpdus.len())
    }

    /// SIFS is over and an Ack or BlockAck leaves in this instant: bytes may be appended and bits set, and `duration`, its
    /// Duration field, changed.
    fn on_answer_due(
        &mut self,
        _cx: &mut Context<'_>,
        _due: &AnswerDue,
        _answer: &mut Answer,
        _duration: &mut Duration,
    ) {
    }

    /// Whether this node speaks a protocol of its own with peers that do too ([`Peer::capable`]); a legacy station does not.
    fn is_capable(&self) -> bool {
        false
    }

    /// How much later than SIFS this node answers. Its peers know it ([`Peer::answer_delay`]) and wait longer.
    fn answer_delay(&self) -> Duration {
        Duration::ZERO
    }

    /// A packet is on its way up, after reordering; `from` sent it over the air.
    fn on_upward(&mut self, _cx: &mut Context<'_>, _packet: PacketId, _from: NodeId) -> Verdict {
        Verdict::Pass
    }

    /// [`Self::on_upward`] for packets that leave the reorder buffer one behind another, of as many at the start as pass without that anything is emitted. Returns how many these
    /// are; of the next one nothing has been asked.
    fn on_run_upward(&mut self, _cx: &mut Context<'_>, _mpdus: &[Mpdu]) -> usize {
        0
    }

    /// The Ack or BlockAck to this node's last PPDU came, with this in its Duration field.
    fn on_answer(&mut self, _cx: &mut Context<'_>, _from: NodeId, _answer: &Answer, _duration: Duration) {}

    /// No intact answer to this node's last PPDU, which may have been an RTS, came in time.
    fn on_answer_missing(&mut self, _cx: &mut Context<'_>, _from: NodeId) {}

    /// The MPDU was acknowledged by the receiver's MAC, or needed no answer and was sent.
    fn on_delivered(&mut self, _cx: &mut Context<'_>, _mpdu: &Mpdu) {}

    /// The MPDU reached its retry limit and will not be sent again.
    fn on_given_up(&mut self, _cx: &mut Context<'_>, _mpdu: &Mpdu) {}

    /// [`Self::on_delivered`] or [`Self::on_given_up`] for each of these. Their packets are there until all have been told.
    fn on_fates(&mut self, cx: &mut Context<'_>, fates: &[(Mpdu, Fate)]) {
        for (mpdu, fate) in fates {
            match fate {
                Fate::Delivered => self.on_delivered(cx, mpdu),
                Fate::GivenUp => self.on_given_up(cx, mpdu),
            }
        }
    }

    /// A packet is passing through this node, from one of its links to another. One that this scheme emitted with
    /// [`Emission::Onward`] is asked about too.
    fn on_forward(&mut self, _cx: &mut Context<'_>, _packet: PacketId, _passage: Passage) -> Verdict {
        Verdict::Pass
    }

    /// The time that [`Self::poll_timeout`] named has come.
    fn on_timer(&mut self, _cx: &mut Context<'_>) {}

    /// When to be woken.
    fn poll_timeout(&self) -> Option<Instant> {
        None
    }

    /// Whether every answer is that of this trait, so that what is asked for each packet need not be asked at all.
    fn is_stock(&self) -> bool {
        false
    }

    /// Whether [`Self::on_outgoing`] ever changes how a packet is sent.
    fn changes_options(&self) -> bool {
        !self.is_stock()
    }

    /// Whether anything ever goes up on this node because of what [`Self::on_outgoing`] is asked: if not, packets that a host sends in an instant may be handed over behind one another at its end.
    fn answers_upward(&self) -> bool {
        !self.is_stock()
    }

    /// Whether [`Self::on_forward`] ever does more than to let packets pass: if not, it need not be asked.
    fn heeds_passage(&self) -> bool {
        !self.is_stock()
    }
}

impl<S: Scheme + ?Sized> Scheme for Box<S> {
    fn on_sent(&mut self, cx: &mut Context<'_>, packet: PacketId, to: NodeId) {
        (**self).on_sent(cx, packet, to);
    }

    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        (**self).on_outgoing(cx, packet, handle, options)
    }

    fn on_passing(&mut self, now: Instant, node: NodeId, packet: &Packet, options: &SendOptions) -> bool {
        (**self).on_passing(now, node, packet, options)
    }

    fn on_run_outgoing(&mut self, cx: &mut Context<'_>, packets: &[PacketId], options: &SendOptions) -> usize {
        (**self).on_run_outgoing(cx, packets, options)
    }

    fn on_queued(&mut self, cx: &mut Context<'_>, packet: PacketId, handle: FrameHandle) {
        (**self).on_queued(cx, packet, handle);
    }

    fn on_dropped(&mut self, cx: &mut Context<'_>, handle: FrameHandle) {
        (**self).on_dropped(cx, handle);
    }

    fn on_sequenced(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        (**self).on_sequenced(cx, mpdu);
    }

    fn on_all_sequenced(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) {
        (**self).on_all_sequenced(cx, mpdus);
    }

    fn on_ppdu_out(&mut self, cx: &mut Context<'_>, to: NodeId, queued: Backlog, bits: &mut HeaderBits) {
        (**self).on_ppdu_out(cx, to, queued, bits);
    }

    fn on_ppdu_in(&mut self, cx: &mut Context<'_>, arrival: &Arrival) {
        (**self).on_ppdu_in(cx, arrival);
    }

    fn on_mpdu(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) -> Admission {
        (**self).on_mpdu(cx, mpdu)
    }

    fn on_mpdus(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) -> usize {
        (**self).on_mpdus(cx, mpdus)
    }

    fn on_answer_due(&mut self, cx: &mut Context<'_>, due: &AnswerDue, answer: &mut Answer, duration: &mut Duration) {
        (**self).on_answer_due(cx, due, answer, duration);
    }

    fn is_capable(&self) -> bool {
        (**self).is_capable()
    }

    fn answer_delay(&self) -> Duration {
        (**self).answer_delay()
    }

    fn on_upward(&mut self, cx: &mut Context<'_>, packet: PacketId, from: NodeId) -> Verdict {
        (**self).on_upward(cx, packet, from)
    }

    fn on_run_upward(&mut self, cx: &mut Context<'_>, mpdus: &[Mpdu]) -> usize {
        (**self).on_run_upward(cx, mpdus)
    }

    fn on_answer(&mut self, cx: &mut Context<'_>, from: NodeId, answer: &Answer, duration: Duration) {
        (**self).on_answer(cx, from, answer, duration);
    }

    fn on_answer_missing(&mut self, cx: &mut Context<'_>, from: NodeId) {
        (**self).on_answer_missing(cx, from);
    }

    fn on_delivered(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        (**self).on_delivered(cx, mpdu);
    }

    fn on_given_up(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        (**self).on_given_up(cx, mpdu);
    }

    fn on_fates(&mut self, cx: &mut Context<'_>, fates: &[(Mpdu, Fate)]) {
        (**self).on_fates(cx, fates);
    }

    fn on_forward(&mut self, cx: &mut Context<'_>, packet: PacketId, passage: Passage) -> Verdict {
        (**self).on_forward(cx, packet, passage)
    }

    fn on_timer(&mut self, cx: &mut Context<'_>) {
        (**self).on_timer(cx);
    }

    fn poll_timeout(&self) -> Option<Instant> {
        (**self).poll_timeout()
    }

    fn is_stock(&self) -> bool {
        (**self).is_stock()
    }

    fn changes_options(&self) -> bool {
        (**self).changes_options()
    }

    fn answers_upward(&self) -> bool {
        (**self).answers_upward()
    }

    fn heeds_passage(&self) -> bool {
        (**self).heeds_passage()
    }
}

/// What becomes of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It goes on as if no scheme were there.
    Pass,
    /// The scheme keeps it, with its reference.
    Hold,
    /// It ends here.
    Swallow,
    /// This one goes on in its place; the original ends here.
    Replace(PacketId),
}

/// Whether an intact MPDU is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    /// It is taken and acknowledged.
    Accept,
    /// It is not: the sender will hear no acknowledgement for it.
    Refuse,
}

/// Between which links a packet passes through a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passage {
    /// From the wire to this station, which may be a relay on the way.
    FromWire(NodeId),
    /// From this station, which may be a relay on the way, to the wire.
    ToWire(NodeId),
    /// From one station to another over the air, as an AP or a relay forwards.
    OverAir {
        /// Who sent it to this node.
        from: NodeId,
        /// To whom this node will send it.
        to: NodeId,
    },
}

/// What stays queued for a receiver after a PPDU: MPDUs that are waiting to be sent again are counted too.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Backlog {
    /// Packets.
    pub packets: usize,
}

/// What a node learns of a PPDU that was addressed to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// Who sent it.
    pub from: NodeId,
    /// The bits in its headers.
    pub bits: HeaderBits,
    /// What it was.
    pub kind: ArrivalKind,
}

/// What kind of PPDU arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArrivalKind {
    /// A single MPDU with this sequence number.
    Single(MacSeq),
    /// An A-MPDU of which this many MPDUs were intact; in VHT it may have no more than one.
    Aggregate(u16),
    /// A BlockAck Request.
    BlockAckReq,
}

/// An answer that is about to leave, as it would without a scheme.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnswerDue {
    /// Who gets it.
    pub to: NodeId,
    /// What it is.
    pub kind: AnswerKind,
    /// How it is modulated.
    pub rate: TxVector,
    /// Its length, FCS included and nothing appended; with `rate`, the input of [`appended_within`].
    pub len: Bytes,
}

/// The answers that a scheme is asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnswerKind {
    /// To a single MPDU, VHT's A-MPDU of one included.
    Ack,
    /// To an A-MPDU or a BlockAck Request.
    BlockAck,
}

/// What a node knows of a peer that joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Peer {
    /// Whether its scheme speaks the same protocol as this node's; a legacy station does not.
    pub capable: bool,
    /// How much later than SIFS it answers.
    pub answer_delay: Duration,
}

/// What a scheme may look at and ask for while it answers a question.
pub struct Context<'a> {
    /// The time.
    pub now: Instant,
    /// The node that the scheme sits on.
    pub node: NodeId,
    /// All packets of the cell.
    pub pool: &'a mut PacketPool,
    /// The peers that joined, by node number.
    pub peers: &'a [Peer],
    queues: &'a mut dyn Withdraw,
    emissions: &'a mut Vec<Emission>,
}

/// A packet that a scheme emits; its reference goes with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Emission {
    /// Onwards, as if it had just come over the air from this node: after the MAC's host latency, and behind what came before it, to the wire,
    /// to another station, or to the transport here.
    Onward(PacketId, NodeId),
    /// To the transport on this node, as if it had just come up.
    Local(PacketId),
    /// Into this node's own queue, past [`Scheme::on_outgoing`]; [`Scheme::on_queued`] then says its frame's name.
    Queue(PacketId, SendOptions),
}

/// Where queued frames can be taken back from.
pub trait Withdraw {
    /// Takes a frame out of the queue, with its packet's reference. `None` if it is on the air, was sent at least once, or is gone.
    fn withdraw(&mut self, handle: FrameHandle) -> Option<PacketId>;

    /// Puts `content` into a queued frame in the place of its packet, which comes back with its reference. `None`, and no change, where
    /// the frame can no longer be withdrawn; by default, always.
    fn exchange(&mut self, _handle: FrameHandle, _content: Content) -> Option<PacketId> {
        None
    }

    /// Whether a frame that waits is out of reach all the same, since a device below the queues has been given it; by default, never.
    fn is_with_device(&self, _handle: FrameHandle) -> bool {
        false
    }
}

impl<'a> Context<'a> {
    /// A context for one question.
    pub fn new(
        now: Instant,
        node: NodeId,
        pool: &'a mut PacketPool,
        peers: &'a [Peer],
        queues: &'a mut dyn Withdraw,
        emissions: &'a mut Vec<Emission>,
    ) -> Self {
        Self { now, node, pool, peers, queues, emissions }
    }

    /// Emits a packet, after the question at hand is answered and in the order of the calls.
    pub fn emit(&mut self, emission: Emission) {
        self.emissions.push(emission);
    }

    /// Takes back a queued frame, with its packet's reference.
    ///
    /// # Errors
    /// [`TooLate`] if it is on the air, was sent at least once, is with a device below the queues, or is already gone.
    pub fn withdraw(&mut self, handle: FrameHandle) -> Result<PacketId, TooLate> {
        self.queues.withdraw(handle).ok_or(TooLate)
    }

    /// Puts `packet`, with its reference, into a queued frame in the place of the packet there, which comes back with its own. The frame
    /// keeps its name, its place in the queue and its options.
    ///
    /// # Errors
    /// [`TooLate`], and the reference stays with the scheme, if the frame is on the air, was sent at least once, is with a device below the queues, or is
    /// already gone.
    pub fn exchange(&mut self, handle: FrameHandle, packet: PacketId) -> Result<PacketId, TooLate> {
        let content = Content::of(packet, self.pool);
        self.queues.exchange(handle, content).ok_or(TooLate)
    }

    /// Whether a frame that has no sequence number yet can no longer be withdrawn, since a device below the queues has been given it (`ap.device_queue`).
    pub fn is_with_device(&self, handle: FrameHandle) -> bool {
        self.queues.is_with_device(handle)
    }

    /// What is known of `node`; a node that never joined is legacy.
    pub fn peer(&self, node: NodeId) -> Peer {
        self.peers.get(usize::from(node.0)).copied().unwrap_or_default()
    }
}

/// The frame can no longer be withdrawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the frame was sent or is gone")]
pub struct TooLate;

/// An amount of appended bytes that still fits into `room`, for schemes that keep an answer within AIFS (HACK, footnote 7).
pub fn appended_within(room: Duration, answer: TxVector, answer_len: Bytes) -> Bytes {
    let plain = answer.duration(answer_len);
    answer.max_psdu(plain + room).saturating_sub(answer_len)
}

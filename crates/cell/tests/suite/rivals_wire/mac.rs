//! As much of the access point's MAC as a scheme sees: what is queued, what has which sequence number, what was acknowledged and what given up.
//!
//! The two sides of a BlockAck agreement are the product's own machines; of them the frames of the capture say what they were fed.

use ackless_dot11::block_ack::{DuplicateCache, Fate, Originator, Recipient};
use ackless_dot11::codec::{Frame, FrameControl, FrameKind};
use ackless_dot11::frame::{FrameHandle, MacSeq, Mpdu, MpduKind, NodeId, Part};
use ackless_dot11::hooks::SendOptions;
use ackless_wire::{Bytes, Packet, PacketId};

use crate::rivals_wire::timing::{is_answered, is_data};
use crate::testing::capture::Transmission;

/// The access point's side of its link to one station.
#[derive(Debug, Default)]
pub struct Link {
    /// Under a BlockAck agreement.
    pub originator: Option<Originator>,
    pub recipient: Option<Recipient>,
    /// Outside of one.
    pub duplicates: DuplicateCache,
    /// What waits, in order.
    pub queue: Vec<Waiting>,
}

/// A packet that waits for its sequence number.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    pub packet: PacketId,
    pub handle: FrameHandle,
    pub options: SendOptions,
}

/// A frame outside of any agreement that is being sent.
#[derive(Clone, Copy, Debug)]
pub struct InService {
    pub mpdu: Mpdu,
    pub failures: u32,
}

/// What an answer, or the lack of one, makes of what was sent last on a link.
#[derive(Clone, Debug)]
pub struct Judged {
    pub originator: Option<Originator>,
    pub in_service: Option<InService>,
    pub fates: Vec<(Mpdu, Fate)>,
}

/// What was sent, as far as its answer is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// A frame outside of any agreement.
    InService,
    /// A single MPDU of the agreement.
    Alone(MacSeq),
    /// An A-MPDU or a BlockAck Request.
    Block,
}

impl Asked {
    /// What a transmission of the access point to a station asks for. `agreement`: whether there is one.
    pub fn of(transmission: &Transmission<'_>, agreement: bool) -> Self {
        let frame = &transmission.frames[0];
        match frame.kind {
            FrameKind::BlockAckReq(..) => Self::Block,
            _ if !agreement || !is_of_agreement(frame) => Self::InService,
            _ if transmission.frames.len() > 1 => Self::Block,
            _ => Self::Alone(seq(frame)),
        }
    }
}

/// Whether a frame goes under the agreement, where there is one.
pub fn is_of_agreement(frame: &Frame<'_>) -> bool {
    matches!(frame.kind, FrameKind::QosData { tid, .. } if tid.0 == 0) && is_answered(frame)
}

/// The state after the answer, or after it was missed.
pub fn judge(
    link: &Link,
    in_service: Option<InService>,
    asked: Asked,
    answer: Option<&Frame<'_>>,
    limit: u32,
) -> Judged {
    let mut judged = Judged { originator: link.originator.clone(), in_service, fates: Vec::new() };
    let fates = &mut judged.fates;
    let originator = judged.originator.as_mut();
    let agreed = "an agreement is asked under";
    match (asked, answer.map(|frame| frame.kind)) {
        (Asked::InService, answer) => {
            let frame = judged.in_service.as_mut().expect("a frame is in service until its fate");
            if answer.is_some() {
                fates.push((frame.mpdu, Fate::Delivered));
                judged.in_service = None;
            } else {
                frame.failures += 1;
                frame.mpdu.retry = true;
                if frame.failures == limit {
                    fates.push((frame.mpdu, Fate::GivenUp));
                    judged.in_service = None;
                }
            }
        }
        (Asked::Alone(seq), Some(_)) => originator.expect(agreed).on_ack(seq, |mpdu, fate| fates.push((*mpdu, fate))),
        (Asked::Alone(seq), None) => {
            originator.expect(agreed).on_no_ack(seq, limit, |mpdu, fate| fates.push((*mpdu, fate)));
        }
        (Asked::Block, Some(FrameKind::BlockAck(_, bitmap))) => {
            originator.expect(agreed).on_block_ack(bitmap, limit, |mpdu, fate| fates.push((*mpdu, fate)));
        }
        (Asked::Block, Some(other)) => panic!("a BlockAck was asked for, and came {other:?}"),
        (Asked::Block, None) => {
            originator.expect(agreed).on_no_block_ack(limit, |mpdu, fate| fates.push((*mpdu, fate)));
        }
    }
    judged
}

impl Judged {
    /// Whether an access point in this state sends `next` next to this station; `heard`: whether the station is heard before by a frame of its own.
    pub fn sends(&self, next: &Transmission<'_>, heard: bool) -> bool {
        let frame = &next.frames[0];
        if let Some(in_service) = &self.in_service {
            let same = is_data(frame) && frame.control.has(FrameControl::RETRY) && seq(frame) == in_service.mpdu.seq;
            return same && !(self.originator.is_some() && is_of_agreement(frame));
        }
        let Some(mut originator) = self.originator.clone() else { return !frame.control.has(FrameControl::RETRY) };
        if heard {
            originator.on_heard();
        }
        match (frame.kind, originator.needs_bar()) {
            (FrameKind::BlockAckReq(_, start), Some(due)) => start == due,
            (FrameKind::BlockAckReq(..), None) | (_, Some(_)) => false,
            _ if is_of_agreement(frame) => {
                let again = originator.unacknowledged().map(|mpdu| mpdu.seq);
                let new = (0..).map(|n| originator.next_seq().plus(n));
                next.frames.iter().zip(again.chain(new)).all(|(frame, expected)| seq(frame) == expected)
            }
            _ => originator.unacknowledged().next().is_none() && !frame.control.has(FrameControl::RETRY),
        }
    }
}

/// The MPDU that `transmitter` sends of a packet.
pub fn mpdu(waiting: &Waiting, packet: &Packet, kind: MpduKind, transmitter: NodeId, seq: MacSeq) -> Mpdu {
    let SendOptions { receiver, destination, source, ds, ack_policy, .. } = waiting.options;
    Mpdu {
        packet: waiting.packet,
        packet_len: packet.len(),
        payload_len: Bytes(packet.payload.len().into()),
        tcp_ack: packet.is_acknowledgement(),
        handle: waiting.handle,
        kind,
        ds,
        receiver,
        transmitter,
        destination,
        source,
        seq,
        retry: false,
        ack_policy,
        part: Part::Alone,
    }
}

/// The sequence number of a frame with a packet.
pub fn seq(frame: &Frame<'_>) -> MacSeq {
    frame.seq.expect("a frame with a packet has a sequence number")
}

/// Type, subtype and TID.
pub fn kind(frame: &Frame<'_>) -> MpduKind {
    match frame.kind {
        FrameKind::QosData { tid, .. } => MpduKind::QosData(tid),
        FrameKind::Action => MpduKind::Action,
        FrameKind::ActionNoAck => MpduKind::ActionNoAck,
        _ => MpduKind::Data,
    }
}

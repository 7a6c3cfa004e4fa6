//! What the access point has received, as a capture tells it that has only what was sent.
//!
//! - Of what stations send on their own, its answers tell: an Ack, the bits of a BlockAck.
//! - Of their answers, what it does next tells (802.11-2020, 10.3.4.4 and 10.25.6.7, and HACK's SYNC bit): it repeats
//!   the same single MPDU, requests a BlockAck from where it was, or sets SYNC, if it has not received the answer.
//!
//! There are cases that a capture does not tell apart, and the last answer of each station is always one; they are
//! [`Heard::Unknown`].

use ackless_cell::config::CellConfig;
use ackless_dot11::codec::{Frame, FrameControl, FrameKind};
use ackless_dot11::frame::{MacSeq, NodeId};

use crate::testing::capture::{Transmission, is_answer};

/// What the access point has received of one transmission, told at the time at which it can act on it.
#[derive(Debug)]
pub enum Reception {
    /// These frames of the transmission at this place. It is answered by the one of this place in the list.
    Frames(usize, Vec<usize>),
    /// A station's answer.
    Answer(Heard),
    /// Nothing, or nothing that concerns the access point.
    Nothing,
}

/// Whether an answer was received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heard {
    Yes,
    No,
    Unknown,
}

/// The exchanges with one station.
#[derive(Clone, Debug, Default)]
struct Link {
    /// What the access point has last sent to it, and the place of the answer to that.
    asked: Option<(Asked, Option<usize>)>,
    /// The place of what it has last sent to the access point, while no answer was seen.
    sent: Option<usize>,
    /// How many BlockAck Requests were sent to it in a row.
    requests: u32,
    /// The access point owes it a BlockAck Request, as soon as it hears it.
    owes_request: bool,
}

/// What asks a station for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    /// One MPDU with this sequence number.
    Single { seq: MacSeq, retry: bool, sync: bool },
    /// An A-MPDU whose first MPDU has this one.
    Aggregate { first: MacSeq, sync: bool },
    /// A BlockAck Request from this one on.
    Request { start: MacSeq },
}

/// What became of each of these transmissions at the access point of such a cell.
pub fn receptions(transmissions: &[Transmission<'_>], config: &CellConfig) -> Vec<Reception> {
    let mut links = vec![Link::default(); config.stations.len() + 1];
    let mut receptions: Vec<_> = transmissions.iter().map(|_| Reception::Nothing).collect();
    for (place, transmission) in transmissions.iter().enumerate() {
        let frame = &transmission.frames[0];
        if transmission.from != AP {
            let link = &mut links[usize::from(transmission.from.0)];
            if is_answer(frame) {
                receptions[place] = Reception::Answer(Heard::Unknown);
                link.asked = link.asked.map(|(asked, _)| (asked, Some(place)));
            } else {
                link.sent = Some(place);
            }
            continue;
        }
        let link = &mut links[usize::from(node(frame).0)];
        if is_answer(frame) {
            let sent = link.sent.take().expect("an answer is to something");
            receptions[place] = Reception::Frames(sent, acknowledged(&transmissions[sent], frame));
            continue;
        }
        let next = Asked::of(transmission);
        if let Some((asked, answer)) = link.asked.replace((next, None)) {
            let heard = match answer {
                None => Heard::No,
                Some(answer) => {
                    let last = config.ap.mac.retry_limit == Some(link.requests);
                    let heard = asked.was_heard(next, &transmissions[answer].frames[0], link.owes_request, last);
                    receptions[answer] = Reception::Answer(heard);
                    heard
                }
            };
            let requests = matches!(next, Asked::Request { .. });
            link.requests = if requests && heard == Heard::No { link.requests + 1 } else { u32::from(requests) };
            let given_up = matches!(asked, Asked::Request { .. }) && !requests;
            link.owes_request = match heard {
                Heard::Yes => false,
                Heard::No => link.owes_request || given_up,
                Heard::Unknown => link.owes_request,
            };
        }
    }
    receptions
}

impl Asked {
    fn of(transmission: &Transmission<'_>) -> Self {
        let frame = &transmission.frames[0];
        if let FrameKind::BlockAckReq(_, start) = frame.kind {
            return Self::Request { start };
        }
        let seq = frame.seq.expect("data has a sequence number");
        let sync = frame.sync;
        if transmission.frames.len() == 1 {
            Self::Single { seq, retry: frame.control.has(FrameControl::RETRY), sync }
        } else {
            Self::Aggregate { first: seq, sync }
        }
    }

    /// Whether the answer to this was received, if `next` is what was sent after it. `last`: no further request follows
    /// this one if its answer is missing, until the station is heard by a frame of its own.
    fn was_heard(self, next: Self, answer: &Frame<'_>, owes_request: bool, last: bool) -> Heard {
        use Heard::{No, Unknown, Yes};
        let yes = |heard| if heard { Yes } else { No };
        match (self, next) {
            (Self::Single { seq, .. }, Self::Single { seq: again, retry: true, .. }) if seq == again => No,
            (_, Self::Single { sync, .. } | Self::Aggregate { sync, .. }) => yes(!sync),
            // The MPDU has reached its retry limit, or the request was owed before.
            (Self::Single { .. }, Self::Request { .. }) => {
                if owes_request {
                    Unknown
                } else {
                    No
                }
            }
            // After an answer the window begins later: an MPDU was acknowledged, or has reached its retry limit.
            (Self::Aggregate { first, .. }, Self::Request { start }) if first != start => Yes,
            (Self::Aggregate { first, .. }, Self::Request { .. }) => match answer.kind {
                FrameKind::BlockAck(_, bitmap) if owes_request && !bitmap.contains(first) => Unknown,
                _ => No,
            },
            (Self::Request { .. }, Self::Request { .. }) if last => Unknown,
            (Self::Request { start: before }, Self::Request { start }) => yes(start != before),
        }
    }
}

/// Which frames of a transmission of a station this answer acknowledges. A BlockAck's bits may be older than the
/// transmission; what they say was then received before, and is a duplicate now.
fn acknowledged(sent: &Transmission<'_>, answer: &Frame<'_>) -> Vec<usize> {
    let received = |frame: &Frame<'_>| match (answer.kind, frame.seq) {
        (FrameKind::BlockAck(_, bitmap), Some(seq)) => bitmap.contains(seq),
        _ => true,
    };
    (0..sent.frames.len()).filter(|&n| received(&sent.frames[n])).collect()
}

/// The station that a frame of the access point is for.
fn node(frame: &Frame<'_>) -> NodeId {
    let [.., high, low] = frame.receiver.0;
    NodeId(u16::from_be_bytes([high, low]))
}

/// The access point.
pub const AP: NodeId = NodeId(0);

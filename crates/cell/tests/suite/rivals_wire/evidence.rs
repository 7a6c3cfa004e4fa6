//! What the access point can have made of each transmission, as the capture tells it that has only what was sent, collided and damaged frames too.
//!
//! - Of what stations send on their own, its answers tell: an Ack, the bits of a BlockAck. What nobody answers has arrived unless it overlapped with
//!   another transmission: the air of these cells damages only what is answered.
//! - Of their answers, what it does next tells: [`Judged::sends`]. Where both would do, nobody knows, and a replay ends.

use ackless_cell::config::CellConfig;
use ackless_dot11::codec::{Frame, FrameKind};
use ackless_dot11::frame::NodeId;
use ackless_wire::Instant;

use crate::rivals_wire::mac::{Asked, InService, Judged, Link, is_of_agreement, judge};
use crate::rivals_wire::timing::{end, is_answered, is_data, receiver, sifs, timeout};
use crate::testing::capture::{Transmission, is_answer};

/// Something that happens at the access point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Happening {
    /// It sends the transmission of this number.
    Sends(usize),
    /// It learns what came of its transmission of this number.
    Learns(usize),
    /// It has sent this one, which nobody answers.
    HasSent(usize),
    /// It receives this one, and answers it by that one.
    Receives(usize, Option<usize>),
}

/// A capture with what belongs together in it.
pub struct Evidence<'a> {
    pub transmissions: Vec<Transmission<'a>>,
    config: &'a CellConfig,
    ends: Vec<Instant>,
    /// For each transmission of the access point: the number of the station's answer.
    answers: Vec<Option<usize>>,
}

/// What the access point knows of an answer.
#[derive(Debug)]
pub enum Known<'a> {
    /// It has received it.
    Heard(Judged, &'a Frame<'a>),
    /// It has not.
    Missed(Judged),
    /// Nobody knows.
    Unknown,
}

impl<'a> Evidence<'a> {
    /// What a capture of a run of such a cell tells.
    pub fn new(transmissions: Vec<Transmission<'a>>, config: &'a CellConfig) -> Self {
        let ends = transmissions.iter().map(|transmission| end(config, transmission)).collect();
        let mut answers = vec![None; transmissions.len()];
        let mut asked: Option<(usize, NodeId)> = None;
        for (n, transmission) in transmissions.iter().enumerate() {
            let frame = &transmission.frames[0];
            match asked {
                Some((place, station)) if transmission.from == station && is_answer(frame) => {
                    answers[place] = Some(n);
                    asked = None;
                }
                _ if transmission.from == AP && !is_answer(frame) => {
                    asked = receiver(frame).map(|station| (n, station))
                }
                _ => {}
            }
        }
        Self { transmissions, config, ends, answers }
    }

    /// All that happens at the access point, in the order of time.
    pub fn happenings(&self) -> Vec<(Instant, Happening)> {
        let mut all = Vec::new();
        let mut last: Vec<Option<usize>> = vec![None; self.config.stations.len() + 1];
        for (n, transmission) in self.transmissions.iter().enumerate() {
            let frame = &transmission.frames[0];
            match (transmission.from, is_answer(frame)) {
                (AP, true) => {
                    let station = receiver(frame).expect("an answer goes to a station");
                    let place = last[usize::from(station.0)].take().expect("an answer is to something");
                    all.push((transmission.at - sifs(self.config), Happening::Receives(place, Some(n))));
                }
                (AP, false) => {
                    all.push((transmission.at, Happening::Sends(n)));
                    if is_data(frame) && !is_answered(frame) {
                        all.push((self.ends[n], Happening::HasSent(n)));
                    } else {
                        let missed = || self.ends[n] + timeout(self.config, transmission);
                        all.push((
                            self.answers[n].map_or_else(missed, |answer| self.ends[answer]),
                            Happening::Learns(n),
                        ));
                    }
                }
                (_, true) => {}
                (_, false) if is_data(frame) && !is_answered(frame) => {
                    if receiver(frame) == Some(AP) && !self.overlaps(n) {
                        all.push((self.ends[n], Happening::Receives(n, None)));
                    }
                }
                (station, false) => last[usize::from(station.0)] = Some(n),
            }
        }
        all.sort_by_key(|(at, _)| *at);
        all
    }

    /// What the access point knows after its transmission of number `n`. `link` and `in_service`: how it stood when it sent it.
    pub fn known(&self, n: usize, link: &Link, in_service: Option<InService>) -> Known<'_> {
        let transmission = &self.transmissions[n];
        let station = receiver(&transmission.frames[0]).expect("only stations are asked");
        let limit = self.config.ap.mac.retry_limit.unwrap_or(u32::MAX);
        let asked = Asked::of(transmission, link.originator.is_some());
        let missed = judge(link, in_service, asked, None, limit);
        let Some(answer) = self.answers[n] else { return Known::Missed(missed) };
        let frame = &self.transmissions[answer].frames[0];
        let heard = judge(link, in_service, asked, Some(frame), limit);
        let after = |next: &(usize, &Transmission<'_>)| {
            let (_, next) = next;
            let frame = &next.frames[0];
            // A frame in service is what comes next to whomever.
            let to = asked == Asked::InService || receiver(frame) == Some(station);
            next.from == AP && !is_answer(frame) && to
        };
        let Some((place, next)) = self.transmissions.iter().enumerate().skip(n + 1).find(after) else {
            return Known::Unknown;
        };
        let same = receiver(&next.frames[0]) == Some(station);
        let speaks = self.is_heard(station, answer, place);
        let fits = |judged: &Judged| {
            if same { judged.sends(next, speaks) } else { judged.in_service.is_none() }
        };
        match (fits(&heard), fits(&missed)) {
            (true, false) => Known::Heard(heard, frame),
            (false, true) => Known::Missed(missed),
            (true, true) => Known::Unknown,
            (false, false) => panic!(
                "after {transmission:?} and {frame:?} comes {next:?}, which fits neither {heard:?} nor {missed:?}"
            ),
        }
    }

    /// Whether the access point has answered a frame of a station between these two transmissions.
    fn is_heard(&self, station: NodeId, from: usize, until: usize) -> bool {
        let mut between = self.transmissions[from..until].iter();
        between.any(|answer| {
            let frame = &answer.frames[0];
            answer.from == AP && is_answer(frame) && receiver(frame) == Some(station)
        })
    }

    /// Whether another transmission was on the air at the same time.
    fn overlaps(&self, n: usize) -> bool {
        let (begin, end) = (self.transmissions[n].at, self.ends[n]);
        let before = (0..n).rev().take(NEAR).any(|other| self.ends[other] > begin);
        before || self.transmissions.get(n + 1).is_some_and(|next| next.at < end)
    }
}

/// Which frames of a transmission of a station an answer acknowledges. A BlockAck's bits may be older than the
/// transmission; what they say was then received before, and is a duplicate now.
pub fn acknowledged(sent: &Transmission<'_>, answer: Option<&Frame<'_>>) -> Vec<usize> {
    let received = |frame: &Frame<'_>| match (answer.map(|answer| answer.kind), frame.seq) {
        (Some(FrameKind::BlockAck(_, bitmap)), Some(seq)) if is_of_agreement(frame) => bitmap.contains(seq),
        _ => true,
    };
    (0..sent.frames.len()).filter(|&n| received(&sent.frames[n])).collect()
}

/// The access point.
pub const AP: NodeId = NodeId(0);
/// So many transmissions back one may still be on the air.
const NEAR: usize = 8;

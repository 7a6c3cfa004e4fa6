//! Schemes around link-layer answers and the header bits of PPDUs.

use ackless_dot11::frame::{Answer, FrameHandle, HeaderBits, MacSeq, Mpdu, NodeId};
use ackless_dot11::hooks::{Admission, AnswerDue, Arrival, Backlog, Context, Peer, Scheme, SendOptions, Verdict};
use ackless_wire::{Duration, Instant, PacketId};

use super::Log;

/// Refuses every n-th intact MPDU.
#[derive(Clone, Debug)]
pub struct Refuses {
    /// This n, at least 1.
    pub every: u64,
    /// When one was refused, and its sequence number.
    pub refused: Log<(Instant, MacSeq)>,
    seen: u64,
}

/// Appends bytes to each answer, sets its SYNC bit and lengthens its Duration field.
#[derive(Clone, Debug)]
pub struct Appends {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What is added to the Duration field.
    pub lengthen: Duration,
    /// When it was asked, and about what.
    pub asked: Log<(Instant, AnswerDue)>,
}

/// Writes down the answers that come, and that do not come.
#[derive(Clone, Debug, Default)]
pub struct Hears {
    /// Each answer with its time and Duration field.
    pub answers: Log<(Instant, NodeId, Answer, Duration)>,
    /// When none came, and from whom.
    pub missing: Log<(Instant, NodeId)>,
}

/// Answers later than SIFS, and speaks a protocol of its own.
#[derive(Clone, Debug)]
pub struct Late {
    /// By how much.
    pub by: Duration,
    /// What it knows of its peers, each time that it is asked about an answer.
    pub peers: Log<Vec<Peer>>,
}

/// Sets More Data where something stays queued, and SYNC on every second PPDU.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// For each PPDU: when, what the MAC says stays queued, by its own count what was handed over and has not been sent, and the bits.
    pub out: Log<(Instant, usize, u64, HeaderBits)>,
    handed: u64,
    sent: u64,
}

/// Writes down what arrives.
#[derive(Clone, Debug, Default)]
pub struct Arrivals(pub Log<(Instant, Arrival)>);

impl Refuses {
    /// Refuses every n-th.
    pub fn new(every: u64) -> Self {
        Self { every, refused: Log::default(), seen: 0 }
    }
}

impl Scheme for Refuses {
    fn on_mpdu(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) -> Admission {
        self.seen += 1;
        if !self.seen.is_multiple_of(self.every) {
            return Admission::Accept;
        }
        self.refused.push((cx.now, mpdu.seq));
        Admission::Refuse
    }
}

impl Scheme for Appends {
    fn on_answer_due(&mut self, cx: &mut Context<'_>, due: &AnswerDue, answer: &mut Answer, duration: &mut Duration) {
        self.asked.push((cx.now, *due));
        answer.appended.extend_from_slice(&self.bytes);
        answer.bits.sync = true;
        *duration += self.lengthen;
    }
}

impl Scheme for Hears {
    fn on_answer(&mut self, cx: &mut Context<'_>, from: NodeId, answer: &Answer, duration: Duration) {
        self.answers.push((cx.now, from, answer.clone(), duration));
    }

    fn on_answer_missing(&mut self, cx: &mut Context<'_>, from: NodeId) {
        self.missing.push((cx.now, from));
    }
}

impl Scheme for Late {
    fn is_capable(&self) -> bool {
        true
    }

    fn answer_delay(&self) -> Duration {
        self.by
    }

    fn on_answer_due(
        &mut self,
        cx: &mut Context<'_>,
        _due: &AnswerDue,
        _answer: &mut Answer,
        _duration: &mut Duration,
    ) {
        self.peers.push(cx.peers.to_vec());
    }
}

impl Scheme for Marks {
    fn on_outgoing(
        &mut self,
        _cx: &mut Context<'_>,
        _packet: PacketId,
        _handle: FrameHandle,
        _options: &mut SendOptions,
    ) -> Verdict {
        self.handed += 1;
        Verdict::Pass
    }

    fn on_dropped(&mut self, _cx: &mut Context<'_>, _handle: FrameHandle) {
        self.handed -= 1;
    }

    fn on_sequenced(&mut self, _cx: &mut Context<'_>, _mpdu: &Mpdu) {
        self.sent += 1;
    }

    fn on_ppdu_out(&mut self, cx: &mut Context<'_>, _to: NodeId, queued: Backlog, bits: &mut HeaderBits) {
        bits.more_data = queued.packets > 0;
        bits.sync = self.out.entries().len() % 2 == 1;
        self.out.push((cx.now, queued.packets, self.handed - self.sent, *bits));
    }
}

impl Scheme for Arrivals {
    fn on_ppdu_in(&mut self, cx: &mut Context<'_>, arrival: &Arrival) {
        self.0.push((cx.now, *arrival));
    }
}

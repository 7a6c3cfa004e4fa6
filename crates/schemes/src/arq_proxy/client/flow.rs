//! One connection of the transport here: what came, what may be asked for, and what is being asked.

use std::collections::VecDeque;

use ackless_dot11::frame::MacSeq;
use ackless_wire::{Instant, SeqNumber, TcpFlags, TcpHeader};

use super::super::ArqProxyCounters;
use super::super::names::Name;
use super::request::{Asked, Own, Pending};
use super::{Env, SILENCE};
use crate::connection::Opaque;
use crate::guard::Rtt;

/// One connection of the transport here.
#[derive(Debug)]
pub(super) struct Flow {
    /// The data packets that came and are not acknowledged yet.
    came: VecDeque<Came>,
    /// They end one behind the other, all within [`NEAR`].
    in_order: bool,
    /// The greatest number that the transport has acknowledged.
    acknowledged: Option<SeqNumber>,
    /// The last native packet that is known to have arrived.
    word: Option<Word>,
    /// The most that the proxy is known to have acknowledged on a request.
    pub(super) said: Option<SeqNumber>,
    pub(super) closing: bool,
    /// Left alone: nothing is asked for.
    pub(super) opaque: Opaque,
    pub(super) pending: Option<Pending>,
    /// ACKs that the pending one covers, in their order; none without it.
    pub(super) older: Vec<Own>,
    pub(super) asked: Option<Asked>,
    pub(super) in_line: bool,
    /// From a native ACK, whose timestamp the proxy repeats, to data that follows from it.
    pub(super) rtt: Rtt,
    /// When the transport last sent something.
    pub(super) used: Instant,
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

/// Why an ACK is not asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Native {
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

impl Flow {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            came: VecDeque::new(),
            in_order: true,
            acknowledged: None,
            word: None,
            said: None,
            closing: false,
            opaque: Opaque::default(),
            pending: None,
            older: Vec::new(),
            asked: None,
            in_line: false,
            rtt: Rtt::new(),
            used: now,
        }
    }

    /// A data packet with this header, payload included up to `end`, came in a frame with this name.
    pub(super) fn came(&mut self, tcp: &TcpHeader, end: SeqNumber, name: Option<Name>) {
        let Some(name) = name.filter(|_| self.acknowledged.is_none_or(|acknowledged| end.after(acknowledged))) else {
            return;
        };
        if let (Some(first), Some(last)) = (self.came.front(), self.came.back()) {
            self.in_order &= end.after(last.end) && end - first.end < NEAR;
        } else {
            self.in_order = true;
        }
        self.came.push_back(Came { end, name, value: tcp.options.timestamps.map(|(value, _)| value) });
        if self.came.len() > MOST_PACKETS {
            self.came.pop_front();
        }
    }

    /// A native packet has arrived at the peer.
    pub(super) fn arrived(&mut self, tcp: &TcpHeader, frame: MacSeq) {
        let value = tcp.options.timestamps.map(|(value, _)| value);
        let word = Word { window: tcp.window, ack: tcp.ack, value, frame };
        if self.word.is_none_or(|before| word.is_newer(&before)) {
            self.word = Some(word);
        }
    }

    /// The name of the packet that this ACK ends, if it may be asked for: the paper's four exceptions, and what a made ACK cannot say.
    pub(super) fn may_ask(&mut self, env: &Env<'_, '_>, tcp: &TcpHeader, pure: bool) -> Result<Name, Native> {
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
        let ends = self.ends_at(tcp.ack).ok_or(Native::Unmapped)?;
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
    pub(super) fn take_note(&mut self, ack: SeqNumber, now: Instant) {
        self.used = now;
        if self.acknowledged.is_some_and(|acknowledged| !ack.after(acknowledged)) {
            return;
        }
        self.acknowledged = Some(ack);
        if self.in_order {
            while self.came.pop_front_if(|came| !came.end.after(ack)).is_some() {}
        } else {
            self.came.retain(|came| came.end.after(ack));
        }
    }

    /// The last packet that came of those that end here.
    fn ends_at(&self, ack: SeqNumber) -> Option<&Came> {
        if self.in_order {
            // Nearly always one of the first.
            return self.came.iter().find(|came| !came.end.before(ack)).filter(|came| came.end == ack);
        }
        self.came.iter().rev().find(|came| came.end == ack)
    }

    /// What is kept and no answer has asked for goes natively, in its order, and is not asked for any more.
    pub(super) fn let_go(&mut self, env: &mut Env<'_, '_>) {
        let Some(pending) = self.pending.take_if(|pending| pending.keeps) else { return };
        pending.go(&mut self.older, env);
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

impl Native {
    pub(super) const fn count(self, counters: &mut ArqProxyCounters) {
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

/// Sequence numbers within this of each other compare alike from wherever one looks at them that is as near.
const NEAR: u32 = 1 << 29;
/// So many packets of a connection are remembered that are not acknowledged yet.
const MOST_PACKETS: usize = 4096;

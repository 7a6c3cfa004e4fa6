//! One connection of the transport here: what came, what may be asked for, and what is being asked.

use std::collections::VecDeque;

use ackless_dot11::frame::MacSeq;
use ackless_wire::{Instant, SeqNumber, TcpFlags, TcpHeader};

use super::super::ArqProxyCounters;
use super::super::names::Name;
use super::env::{Env, SILENCE};
use super::request::{Asked, NativeAck, Pending};
use crate::connection::Opaque;
use crate::guard::Rtt;

/// One connection of the transport here.
#[derive(Debug)]
pub(super) struct Flow {
    /// The data packets that came and that the transport has not acknowledged yet.
    unacked: VecDeque<DataPacket>,
    /// They end one behind the other, all within [`NEAR`].
    in_order: bool,
    /// The greatest number that the transport has acknowledged.
    acked: Option<SeqNumber>,
    /// The last native packet that is known to have arrived.
    last_delivered: Option<DeliveredNative>,
    /// The greatest number that the proxy is known to have acknowledged on a request.
    pub(super) proxy_acked: Option<SeqNumber>,
    pub(super) closing: bool,
    /// Left alone: nothing is asked for.
    pub(super) opaque: Opaque,
    pub(super) pending: Option<Pending>,
    /// ACKs that the pending one covers, in their order; none without it.
    pub(super) older: Vec<NativeAck>,
    pub(super) asked: Option<Asked>,
    pub(super) in_ask_queue: bool,
    /// It stands among those whose time is looked at.
    pub(super) timed: bool,
    /// From a native ACK, whose timestamp the proxy repeats, to data that follows from it.
    pub(super) rtt: Rtt,
    /// When the transport last sent something.
    pub(super) last_used: Instant,
}

/// A data packet.
#[derive(Clone, Copy, Debug)]
struct DataPacket {
    end: SeqNumber,
    name: Name,
    /// Its TSval.
    ts_val: Option<u32>,
}

/// What the proxy takes over from a native packet.
#[derive(Clone, Copy, Debug)]
struct DeliveredNative {
    window: u16,
    ack: SeqNumber,
    /// Its TSval.
    ts_val: Option<u32>,
    frame: MacSeq,
}

/// Why an ACK is not asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WhyNative {
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
            unacked: VecDeque::new(),
            in_order: true,
            acked: None,
            last_delivered: None,
            proxy_acked: None,
            closing: false,
            opaque: Opaque::default(),
            pending: None,
            older: Vec::new(),
            asked: None,
            in_ask_queue: false,
            timed: false,
            rtt: Rtt::new(),
            last_used: now,
        }
    }

    /// A data packet with this header, payload included up to `end`, came in a frame with this name.
    #[inline]
    pub(super) fn on_data(&mut self, tcp: &TcpHeader, end: SeqNumber, name: Option<Name>) {
        let Some(name) = name.filter(|_| self.acked.is_none_or(|acked| end.after(acked))) else {
            return;
        };
        if let (Some(first), Some(last)) = (self.unacked.front(), self.unacked.back()) {
            self.in_order &= end.after(last.end) && end - first.end < NEAR;
        } else {
            self.in_order = true;
        }
        self.unacked.push_back(DataPacket { end, name, ts_val: tcp.options.timestamps.map(|(ts_val, _)| ts_val) });
        if self.unacked.len() > MAX_PACKETS {
            self.unacked.pop_front();
        }
    }

    /// A native packet has arrived at the peer.
    pub(super) fn on_native_delivered(&mut self, tcp: &TcpHeader, frame: MacSeq) {
        let ts_val = tcp.options.timestamps.map(|(ts_val, _)| ts_val);
        let delivered = DeliveredNative { window: tcp.window, ack: tcp.ack, ts_val, frame };
        if self.last_delivered.is_none_or(|before| delivered.is_newer(&before)) {
            self.last_delivered = Some(delivered);
        }
    }

    /// The name of the packet that this ACK ends, if it may be asked for: the paper's four exceptions, and what a made ACK cannot say.
    pub(super) fn may_ask(&mut self, env: &Env<'_, '_>, tcp: &TcpHeader, pure: bool) -> Result<Name, WhyNative> {
        let silent = env.cx.now.saturating_since(self.last_used) > SILENCE;
        self.last_delivered = self.last_delivered.filter(|_| !silent);
        if self.closing {
            return Err(WhyNative::Closing);
        }
        if !pure {
            return Err(WhyNative::Piggybacked);
        }
        if !tcp.options.sack.is_empty() {
            return Err(WhyNative::Sack);
        }
        if tcp.flags != TcpFlags::ACK {
            return Err(WhyNative::Flags);
        }
        if self.acked.is_some_and(|acked| !tcp.ack.after(acked)) {
            return Err(WhyNative::Duplicate);
        }
        if !self.window_fits(env.config.stateless, tcp.window)? {
            return Err(WhyNative::Window);
        }
        let ends = self.ends_at(tcp.ack).ok_or(WhyNative::Unmapped)?;
        let echo = tcp.options.timestamps.map(|(_, echo)| echo).filter(|_| !env.config.stateless);
        if echo.zip(ends.ts_val).is_some_and(|(echo, ts_val)| SeqNumber(echo).after(SeqNumber(ts_val))) {
            return Err(WhyNative::Echo);
        }
        Ok(ends.name)
    }

    /// Whether the window that the proxy will say is one that may be said. It may fall short by a fifth, so that one that keeps growing is not
    /// sent natively each time.
    fn window_fits(&self, stateless: bool, window: u16) -> Result<bool, WhyNative> {
        if stateless {
            return Ok(window > 0);
        }
        let known = self.last_delivered.ok_or(WhyNative::FirstOfFlow)?.window;
        Ok(window > 0 && window >= known && u32::from(window) * 4 < u32::from(known) * 5)
    }

    /// The transport has acknowledged up to here.
    pub(super) fn on_ack(&mut self, ack: SeqNumber, now: Instant) {
        self.last_used = now;
        if self.acked.is_some_and(|acked| !ack.after(acked)) {
            return;
        }
        self.acked = Some(ack);
        if self.in_order {
            while self.unacked.pop_front_if(|data| !data.end.after(ack)).is_some() {}
        } else {
            self.unacked.retain(|data| data.end.after(ack));
        }
    }

    /// The last packet that came of those that end here.
    fn ends_at(&self, ack: SeqNumber) -> Option<&DataPacket> {
        if self.in_order {
            // Nearly always one of the first.
            return self.unacked.iter().find(|data| !data.end.before(ack)).filter(|data| data.end == ack);
        }
        self.unacked.iter().rev().find(|data| data.end == ack)
    }

    /// What is kept and no answer has asked for goes natively, in its order, and is not asked for any more.
    pub(super) fn send_kept_natively(&mut self, env: &mut Env<'_, '_>) {
        let Some(pending) = self.pending.take_if(|pending| pending.any_kept) else { return };
        pending.send_natively(&mut self.older, env);
    }
}

impl DeliveredNative {
    /// Whether the proxy will take this over in the place of what it had before: it minds what is acknowledged, then timestamps, then the order in
    /// which frames leave its reorder buffer.
    fn is_newer(&self, before: &Self) -> bool {
        let older = |ts_val: u32, than: u32| SeqNumber(ts_val).before(SeqNumber(than));
        if self.ack.before(before.ack) || before.ts_val.zip(self.ts_val).is_some_and(|(before, now)| older(now, before))
        {
            return false;
        }
        self.ack != before.ack || self.frame.offset_from(before.frame) < MacSeq::MODULUS / 2
    }
}

impl WhyNative {
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
const MAX_PACKETS: usize = 4096;

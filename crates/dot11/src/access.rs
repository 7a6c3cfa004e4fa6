//! Channel access: when a station may begin to transmit (802.11-2020, 10.3.4 for DCF, 10.23.2 for EDCA).
//!
//! One machine serves both. They differ in how the counter moves around a busy period:
//!
//! - **DCF** (10.3.4.3): the counter goes down by one at the *end* of each idle slot that follows DIFS. A slot that is cut
//!   short by a transmission does not count. A station that is frozen therefore always has at least one slot to go, so the
//!   first slot after a busy period belongs to the station that just sent, if it drew zero.
//! - **EDCA** (10.23.2.4): the decision is taken at slot boundaries, of which the first is the end of AIFS itself. At each
//!   boundary a station either sends (counter zero and a frame waiting) or counts down by one. The boundary at which
//!   somebody else begins to send counts too, so a counter may reach zero there and the station sends at the next AIFS.
//!
//! With both, an undisturbed counter of `k` means a start `k` slots after DIFS or AIFS.
//!
//! A frame that arrives while the medium is idle finds one of three situations: the counter of the last post-backoff still
//! runs (it waits for it); DCF: the medium has been idle for DIFS (it starts at once, 10.3.4.2) or will have been soon (it waits for the rest of DIFS);
//! EDCA: it waits for the next slot boundary. One that arrives while the medium is busy, physically, virtually or by the station's own frame
//! exchange, draws a counter unless one is pending.
//!
//! A station has one access function, hence no internal collisions.

use ackless_wire::random::Stream;
use ackless_wire::{Duration, Instant};

/// How the counter moves; see the module's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Function {
    /// The distributed coordination function.
    Dcf,
    /// Enhanced distributed channel access, one access category.
    Edca,
}

/// The constants of one station's channel access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// DCF or EDCA.
    pub function: Function,
    /// DIFS or AIFS: idle time before the first slot.
    pub ifs: Duration,
    /// The slot time.
    pub slot: Duration,
    /// The first contention window: a counter is drawn from 0 to this.
    pub cw_min: u16,
    /// The last contention window.
    pub cw_max: u16,
}

/// How the contention window follows from what happened: the policy of back-off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BackoffPolicy {
    /// The standard's: doubled after each failure up to the largest window, the smallest again after a success or when a frame is given up
    /// (802.11-2020, 10.3.3).
    #[default]
    Standard,
    /// Auto-zoom: with light or one-sided traffic the window goes below CWmin (the TCP ACK agent paper, III.2). As long as it is at or below CWmin, each
    /// success makes it smaller by one, down to `floor`; a collision below CWmin doubles it, at least to CWmin. Above
    /// CWmin it moves as the standard's. A frame that is given up leads back to CWmin, of which the paper says nothing; nor does it of frames that
    /// nobody answers, group-addressed ones and beacons: each counts as a success, since no collision of it is ever known.
    AutoZoom {
        /// The smallest window, as the largest counter that it can give. The paper counts values: its minCWmin of 2 is a floor of 1, its CWmin
        /// of 32 a `cw_min` of 31. Below `cw_min`.
        floor: u16,
    },
}

/// How an access ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Settled {
    /// The frame exchange succeeded, or needed no answer.
    Done,
    /// It failed, and its frame was given up.
    GivenUp,
    /// It failed and will be repeated.
    Failed,
}

/// The channel access of one station: the contention window, the counter, and when it runs out.
///
/// Inputs: [`Self::request`] and [`Self::withdraw_request`] (a frame waits, or no longer), [`Self::pause`] and [`Self::resume`] (the
/// medium got busy or idle), [`Self::settle`] (the end of an own frame exchange). Output: [`Self::grant`].
#[derive(Clone, Debug)]
pub struct ChannelAccess {
    parameters: Parameters,
    policy: BackoffPolicy,
    window: u16,
    /// Slots still to wait, as of `first_slot` while the counter runs.
    slots: u32,
    wants: bool,
    /// Somebody else counts its slots: see [`crate::station::Crowd`].
    lent: bool,
    idle: Option<Idle>,
    random: Stream,
}

/// An idle medium, seen from one station.
#[derive(Clone, Copy, Debug)]
struct Idle {
    /// Since when it is idle, or will be (the NAV can end in the future).
    since: Instant,
    /// When the first slot begins.
    first_slot: Instant,
    /// When the request came, if it came in this silence: no start before that.
    requested: Option<Instant>,
}

/// A won access, with what was waited for: the ledger books it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waited {
    /// From when the medium counted as idle for this station.
    pub idle_since: Instant,
    /// From when its slots were counted: `idle_since` plus DIFS, AIFS or EIFS, and whatever held it back.
    pub first_slot: Instant,
}

impl ChannelAccess {
    /// Access with nothing to send on a medium that has never been busy.
    pub fn new(parameters: Parameters, policy: BackoffPolicy, random: Stream) -> Self {
        let idle = Idle { since: Instant::ZERO, first_slot: Instant::ZERO + parameters.ifs, requested: None };
        let window = parameters.cw_min;
        Self { parameters, policy, window, slots: 0, wants: false, lent: false, idle: Some(idle), random }
    }

    /// A frame waits to be sent. Draws a counter where the medium is busy and none is pending.
    pub fn request(&mut self, now: Instant) {
        if self.wants {
            return;
        }
        debug_assert!(!self.lent, "who waits in a crowd has asked already");
        self.wants = true;
        match &mut self.idle {
            Some(idle) if now >= idle.since => idle.requested = Some(now),
            _ if self.slots == 0 => self.draw(),
            _ => {}
        }
    }

    /// A frame waits to be sent that takes a medium for idle which is busy to this instant: as [`Self::request`], but it draws no counter where none is pending, and
    /// goes when the medium has been idle for DIFS or AIFS.
    pub fn request_without_draw(&mut self, now: Instant) {
        self.wants = true;
        if let Some(idle) = &mut self.idle
            && now >= idle.since
        {
            idle.requested = Some(now);
        }
    }

    /// No frame waits any more (the last one was withdrawn). A running counter goes on as post-backoff.
    pub fn withdraw_request(&mut self) {
        debug_assert!(!self.lent, "it is to leave its crowd first");
        self.wants = false;
    }

    /// Whether a frame waits.
    pub fn wants(&self) -> bool {
        self.wants
    }

    /// The medium got busy, physically or by this station's own frame exchange: the counter stops.
    #[inline]
    pub fn pause(&mut self, now: Instant) {
        debug_assert!(!self.lent, "it is to leave its crowd first");
        let Some(idle) = self.idle.take() else { return };
        if idle.requested.is_some() {
            self.draw_if_cut_short(idle, now);
        }
        if self.slots > 0 && now >= idle.first_slot {
            let gone = self.parameters.slots_gone(idle.first_slot, now);
            self.slots = self.slots.saturating_sub(u32::try_from(gone).unwrap_or(u32::MAX));
        }
    }

    /// DCF: a frame that came in time to go without back-off has to draw if DIFS or EIFS is cut short (10.3.4.2).
    fn draw_if_cut_short(&mut self, idle: Idle, now: Instant) {
        if self.parameters.function == Function::Dcf && (self.wants && self.slots == 0 && now < idle.first_slot) {
            self.draw();
        }
    }

    /// The medium is idle from `since` on, which may lie ahead (NAV), and slots begin `ifs` later.
    #[inline]
    pub fn resume(&mut self, since: Instant, first_slot: Instant) {
        debug_assert!(!self.lent, "it is to leave its crowd first");
        self.idle = Some(Idle { since, first_slot, requested: None });
    }

    /// Whether the medium is paused for this station.
    pub fn is_paused(&self) -> bool {
        debug_assert!(!self.lent, "it is to leave its crowd first");
        self.idle.is_none()
    }

    /// When this station will begin to send if the medium stays idle; `None` without a frame or while the medium is busy.
    #[inline]
    pub fn grant(&self) -> Option<Instant> {
        debug_assert!(!self.lent, "it is to leave its crowd first");
        let idle = self.idle.filter(|_| self.wants)?;
        let counted = idle.first_slot + self.parameters.slot * u64::from(self.slots);
        let Some(requested) = idle.requested.filter(|&requested| requested > counted) else { return Some(counted) };
        Some(match self.parameters.function {
            Function::Dcf => requested,
            Function::Edca => {
                let slot = self.parameters.slot;
                idle.first_slot + slot * (requested - idle.first_slot).div_ceil(slot)
            }
        })
    }

    /// What the current grant waits for; meaningful while there is one.
    pub fn waited(&self) -> Option<Waited> {
        debug_assert!(!self.lent, "it is to leave its crowd first");
        self.idle.map(|idle| Waited { idle_since: idle.since, first_slot: idle.first_slot })
    }

    /// The own access is over: the window that follows, and a new counter, post-backoff where nothing waits. A frame that failed and will be repeated
    /// always waits.
    pub fn settle(&mut self, how: Settled, waiting: bool) {
        debug_assert!(!self.lent, "it is to leave its crowd first");
        let Parameters { cw_min, cw_max, .. } = self.parameters;
        let doubled = (u32::from(self.window) * 2 + 1).min(u32::from(cw_max)) as u16;
        self.window = match (self.policy, how) {
            (BackoffPolicy::AutoZoom { floor }, Settled::Done) if self.window <= cw_min => {
                self.window.saturating_sub(1).max(floor)
            }
            (BackoffPolicy::AutoZoom { .. }, Settled::Failed) => doubled.max(cw_min),
            (BackoffPolicy::Standard, Settled::Failed) => doubled,
            (_, Settled::Done | Settled::GivenUp) => cw_min,
        };
        self.wants = waiting || how == Settled::Failed;
        self.draw();
    }

    /// The contention window: the largest counter that may be drawn.
    pub fn window(&self) -> u16 {
        self.window
    }

    /// Whether nothing waits and no counter runs at `now`: such a station need not hear of the medium until its next request.
    pub fn is_settled(&self, now: Instant) -> bool {
        debug_assert!(!self.lent, "it is to leave its crowd first");
        let run_out = |idle: Idle| idle.first_slot + self.parameters.slot * u64::from(self.slots) <= now;
        !self.wants && (self.slots == 0 || self.idle.is_some_and(run_out))
    }

    /// The constants.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn draw(&mut self) {
        self.slots = self.random.below(u64::from(self.window) + 1) as u32;
    }

    /// Has its slots counted elsewhere from now on, if it waits in this silence as whoever asked before that began. Where its counter stands at the first slot.
    pub(crate) fn lend(&mut self, silence: Waited) -> Option<u32> {
        let idle = self.idle.filter(|idle| self.wants && idle.requested.is_none())?;
        self.lent = (idle.since, idle.first_slot) == (silence.idle_since, silence.first_slot);
        self.lent.then(|| {
            self.idle = None;
            self.slots
        })
    }

    /// Counts its slots itself again: in this silence, or in the next.
    pub(crate) fn take_back(&mut self, slots: u32, silence: Option<Waited>) {
        let idle =
            |silence: Waited| Idle { since: silence.idle_since, first_slot: silence.first_slot, requested: None };
        (self.lent, self.slots, self.idle) = (false, slots, silence.map(idle));
    }

    /// Whether its slots are counted elsewhere.
    #[inline(always)]
    pub(crate) const fn is_lent(&self) -> bool {
        self.lent
    }
}

impl Parameters {
    /// By how much a counter goes down, at most, in an idle period with this first slot that ends at `now`.
    #[inline]
    pub(crate) fn slots_gone(&self, first_slot: Instant, now: Instant) -> u64 {
        if now < first_slot {
            return 0;
        }
        let whole = (now - first_slot).div_floor(self.slot);
        match self.function {
            Function::Dcf => whole,
            Function::Edca => whole + 1,
        }
    }
}

#[cfg(test)]
mod tests;

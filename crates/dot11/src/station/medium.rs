//! The medium as a station hears it, and when the station wants it.

use ackless_wire::{Bytes, Duration, Instant, PacketPool};

use super::Station;
use super::exchange::Exchange;
use crate::access::Waited;
use crate::hooks::Scheme;

/// The medium as one station sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MediumView {
    /// Somebody sends.
    pub busy: bool,
    /// When the last transmission ended.
    pub idle_since: Instant,
    /// The NAV: until when frames that were addressed to others have reserved the medium.
    pub nav_until: Instant,
    /// The last transmission was not intelligible to this station, and it did not send at the time.
    pub unintelligible: bool,
    /// It is busy only in that a transmission ends in this instant.
    pub ending: bool,
}

impl MediumView {
    /// Somebody sends; for a station that does not look, since it has no use for more.
    pub const BUSY: Self =
        Self { busy: true, idle_since: Instant::ZERO, nav_until: Instant::ZERO, unintelligible: false, ending: false };

    /// What a station waits for in a medium that is idle: the end of the NAV, DIFS or AIFS (`ifs`) and what EIFS adds, if it has to.
    #[inline]
    pub(super) fn silence(self, ifs: Duration, eifs_extra: Duration) -> Waited {
        let eifs = if self.unintelligible { eifs_extra } else { Duration::ZERO };
        let idle_since = self.idle_since.max(self.nav_until);
        Waited { idle_since, first_slot: (self.nav_until + ifs).max(self.idle_since + ifs + eifs) }
    }
}

impl<S: Scheme> Station<S> {
    /// A beacon of this length (header and FCS included) is due: it goes with the next access.
    pub fn beacon_due(&mut self, now: Instant, view: MediumView, len: Bytes) {
        self.beacon = Some(len);
        self.request(now, view);
    }

    /// Somebody began to send, perhaps this station.
    #[inline]
    pub fn medium_busy(&mut self, now: Instant) {
        self.access.pause(now);
        self.exchange.hear_start();
    }

    /// The medium got busy, but no frame that the station could make out began: counters stop, and what is said of an awaited answer stands.
    pub fn energy_detected(&mut self, now: Instant) {
        self.access.pause(now);
    }

    /// The medium is idle, or the station's own exchange is over: counters run again. A crowd's member has been told with the crowd.
    #[inline]
    pub fn medium_idle(&mut self, now: Instant, view: MediumView) {
        if view.busy || self.is_engaged() || self.is_in_crowd() || !self.access.is_paused() {
            return;
        }
        debug_assert!(view.idle_since <= now, "an idle medium has been left");
        let ifs = self.access.parameters().ifs;
        let unintelligible = view.unintelligible || self.damaged_at == Some(view.idle_since);
        let silence = MediumView { unintelligible, ..view }.silence(ifs, self.config.eifs_extra);
        let since = silence.idle_since.max(self.exchange_ended);
        self.access.resume(since, silence.first_slot.max(self.exchange_ended + ifs));
    }

    /// A frame that was not for this station is over: if an answer was awaited and that frame came first, none will come.
    pub fn overhear(&mut self, now: Instant, pool: &mut PacketPool) {
        if self.exchange.has_heard() {
            self.judge_damaged(now, pool);
        }
    }

    /// Whether the answer to a PPDU of this station is to come, or will be missed.
    pub const fn awaits_answer(&self) -> bool {
        matches!(self.exchange, Exchange::Awaiting { .. })
    }

    /// DIFS or AIFS of this station.
    pub const fn ifs(&self) -> Duration {
        self.config.access.ifs
    }

    /// When this station will begin to send if the medium stays idle.
    pub fn grant(&self) -> Option<Instant> {
        self.access.grant()
    }

    /// What the grant waits for.
    pub fn waited(&self) -> Option<Waited> {
        self.access.waited()
    }

    /// Whether it has something to send, or is in the middle of an exchange of its own.
    pub fn wants_medium(&self) -> bool {
        self.access.wants() || !self.exchange.is_idle()
    }

    /// Whether it has asked for the medium, so that one more packet to send changes nothing about that.
    #[inline(always)]
    pub fn awaits_access(&self) -> bool {
        self.access.wants()
    }

    /// Whether the station need not hear of the medium until it has something to send.
    pub fn is_settled(&self, now: Instant) -> bool {
        !self.is_engaged() && self.access.is_settled(now)
    }

    /// Whether a frame exchange of this station is under way, as initiator or as responder.
    pub(super) fn is_engaged(&self) -> bool {
        !self.exchange.is_idle() || self.answer.is_some()
    }

    /// Asks for the medium if there is something to send.
    #[inline(always)]
    pub(super) fn request(&mut self, now: Instant, view: MediumView) {
        if !self.access.wants() && self.has_work() {
            self.ask(now, view);
        }
    }

    fn ask(&mut self, now: Instant, view: MediumView) {
        if self.access.is_settled(now) {
            // A settled station was not told what the medium did. It has no counter left, so nothing is lost by looking now.
            self.access.pause(now);
            self.medium_idle(now, view);
        }
        if view.ending && self.config.idle_at_end {
            return self.access.request_without_draw(now);
        }
        self.access.request(now);
    }

    /// Whether anything waits to be sent.
    pub(super) fn has_work(&self) -> bool {
        self.beacon.is_some() || self.awaiting_cts.is_some() || self.in_service.is_some() || self.links.any_ready()
    }
}

//! How fast the path delivers: rate samples (draft-cheng-iccrg-delivery-rate-estimation-00; the same in
//! draft-ietf-ccwg-bbr, 4.1).
//!
//! Amounts are places in sequence space: payload, and one for a FIN.

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::rtt::RttSample;
use crate::sequence::{Position, Span};
use crate::transmissions::{Fate, Run, Snapshot, Transmission};

/// Counts what is delivered, and whether the sender has kept the path busy.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DeliveryRate {
    /// C.delivered.
    delivered: Bytes,
    /// C.delivered_time.
    delivered_at: Instant,
    /// C.first_send_time: when that was sent which was delivered last.
    first_sent_at: Instant,
    /// C.app_limited: samples are limited by the application until this much is delivered.
    limited_until: Option<Bytes>,
}

/// What one acknowledgement showed to be delivered.
#[derive(Clone, Copy, Debug)]
pub struct Deliveries {
    /// When it came.
    pub now: Instant,
    /// How much it delivers, cumulatively or selectively.
    pub bytes: Bytes,
    /// Of that, what had been taken for lost and has come all the same: not sent again yet, or not long enough ago for that to have been it (RFC 8985, 6.2, step 2).
    pub spurious: Bytes,
    /// The transmission sent last of those that it delivers.
    pub newest: Option<Transmission>,
    /// The one sent last of those of which it is certain which transmission was delivered (RFC 8985, 6.2, step 2): what was
    /// sent once, and what was repeated if neither the echoed timestamp nor the time says that it was an earlier one.
    pub certain: Option<Sent>,
    /// The last of those in the order in which Linux enters what an acknowledgement delivers:
    /// selectively acknowledged segments by their places, then cumulatively acknowledged ones.
    pub entered_last: Option<Sent>,
    /// Of what was sent once: the first and the last sent.
    pub once: Option<(Sent, Sent)>,
    /// The lowest of what was sent once.
    pub lowest_once: Option<Span>,
    /// The end of the highest.
    pub highest: Option<Position>,
    /// What it reports to have come twice (RFC 2883).
    pub duplicate: Option<Span>,
    /// What is acknowledged cumulatively now.
    pub una: Position,
    /// Whether it reports anything selectively.
    pub has_blocks: bool,
    /// Whether it comes without payload and says neither by its number nor by its window anything new.
    pub bare: bool,
    /// The latest time at which a transmission can have been sent whose timestamp it echoes.
    pub echoed: Option<Instant>,
    /// The least round-trip time so far.
    pub min_rtt: Option<Duration>,
    /// The smoothed round-trip time.
    pub srtt: Option<Duration>,
}

/// A transmission, as far as its place in time matters.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// Which one it was.
    pub number: u64,
    /// When.
    pub at: Instant,
    /// One past the last place that it occupied.
    pub end: Position,
}

/// One sample of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation-00, 3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateSample {
    /// What was delivered between the two ends of the sample.
    pub delivered: Bytes,
    /// How long that took: the longer of the times in which it was sent and acknowledged. Not zero.
    pub interval: Duration,
    /// What had been delivered when the sample's newest segment was sent: packet-timed rounds are told by it.
    pub prior_delivered: Bytes,
    /// Whether the application, and not the path, limited the sender somewhere in between.
    pub application_limited: bool,
    /// What was in flight once the sample's newest segment was sent, that included (RS.tx_in_flight of draft-ietf-ccwg-bbr).
    pub in_flight: Bytes,
    /// What has been found lost since that was sent (RS.lost).
    pub lost: Bytes,
}

impl RateSample {
    /// The rate, rounded down.
    pub const fn rate(&self) -> BitRate {
        self.delivered.per(self.interval)
    }
}

impl Deliveries {
    /// An acknowledgement of all below `una` that delivers nothing so far.
    pub const fn new(now: Instant, una: Position) -> Self {
        Self {
            now,
            bytes: Bytes::ZERO,
            spurious: Bytes::ZERO,
            newest: None,
            certain: None,
            entered_last: None,
            once: None,
            lowest_once: None,
            highest: None,
            duplicate: None,
            una,
            has_blocks: false,
            bare: false,
            echoed: None,
            min_rtt: None,
            srtt: None,
        }
    }

    /// The round trip of the newest of what it delivers, if that was sent once.
    pub fn newest_round_trip(&self) -> Option<Duration> {
        self.newest.filter(|newest| !newest.is_repeated()).map(|newest| self.now.saturating_since(newest.sent_at))
    }

    /// The round trips of what was sent once, if anything was.
    pub(crate) fn round_trips(&self) -> Option<RttSample> {
        let (first, last) = self.once?;
        let [oldest, newest] = [first, last].map(|sent| self.now.saturating_since(sent.at));
        Some(RttSample { oldest, newest, end: first.end })
    }

    /// These are delivered.
    #[inline(always)]
    pub fn add(&mut self, run: Run<'_>) {
        let Run { first, last } = run;
        self.bytes += run.len();
        if self.newest.is_none_or(|newest| last.number > newest.number) {
            self.newest = Some(*last);
        }
        self.highest = self.highest.max(Some(last.span.end));
        if last.fate == Fate::Lost {
            self.spurious += run.len();
        }
        if last.is_repeated() {
            let rtt = self.now.saturating_since(last.sent_at);
            let too_early = self.echoed.is_some_and(|echoed| echoed < last.sent_at);
            let too_fast = self.min_rtt.is_some_and(|min| rtt < min);
            if too_fast && last.fate != Fate::Lost {
                self.spurious += run.len();
            }
            if too_early || too_fast {
                return;
            }
        } else {
            let (first, last) = (Sent::of(first), Sent::of(last));
            let (oldest, newest) = self.once.unwrap_or((first, last));
            let oldest = if first.number < oldest.number { first } else { oldest };
            let newest = if last.number > newest.number { last } else { newest };
            self.once = Some((oldest, newest));
            if self.lowest_once.is_none_or(|lowest| run.first.span.end < lowest.end) {
                self.lowest_once = Some(run.first.span);
            }
        }
        let sent = Sent::of(last);
        if self.certain.is_none_or(|newest| sent.number > newest.number) {
            self.certain = Some(sent);
        }
        let place = |sent: Sent| (sent.end <= self.una, sent.end);
        if self.entered_last.is_none_or(|before| place(sent) > place(before)) {
            self.entered_last = Some(sent);
        }
    }
}

impl Sent {
    const fn of(sent: &Transmission) -> Self {
        Self { number: sent.number, at: sent.sent_at, end: sent.span.end }
    }
}

impl DeliveryRate {
    /// What a segment of `len` sent now remembers, with `in_flight` out before it and `lost` ever lost.
    pub(crate) fn snapshot(&mut self, now: Instant, in_flight: Bytes, len: Bytes, lost: Bytes) -> Snapshot {
        if in_flight == Bytes::ZERO {
            // Time in which nothing was out says nothing of the path.
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        Snapshot {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            app_limited: self.limited_until.is_some(),
            in_flight: in_flight + len,
            lost,
        }
    }

    /// The sender has run dry with `in_flight` out: nothing is left to send, though the window has room.
    pub(crate) fn limit_by_application(&mut self, in_flight: Bytes) {
        self.limited_until = Some(self.delivered + in_flight);
    }

    /// Whether what is sent now would be limited by the application.
    pub(crate) const fn is_limited(&self) -> bool {
        self.limited_until.is_some()
    }

    /// What has been delivered since the connection began.
    pub(crate) const fn delivered(&self) -> Bytes {
        self.delivered
    }

    /// The sample that these deliveries give, `ever_lost` being lost by now; nothing if they took less than the least round trip, since then
    /// acknowledgements were lost or held and came in a bunch (3.3 of the draft).
    pub(crate) fn sample(&mut self, deliveries: &Deliveries, ever_lost: Bytes) -> Option<RateSample> {
        let now = deliveries.now;
        let newest = deliveries.newest?;
        self.delivered += deliveries.bytes;
        self.delivered_at = now;
        self.first_sent_at = newest.sent_at;
        if self.limited_until.is_some_and(|until| self.delivered > until) {
            self.limited_until = None;
        }
        let Snapshot { delivered, delivered_at, first_sent_at, app_limited, in_flight, lost } = newest.snapshot;
        let send_elapsed = newest.sent_at.saturating_since(first_sent_at);
        let ack_elapsed = now.saturating_since(delivered_at);
        let interval = send_elapsed.max(ack_elapsed);
        let too_short = interval == Duration::ZERO || deliveries.min_rtt.is_some_and(|min| interval < min);
        (!too_short).then(|| RateSample {
            delivered: self.delivered.saturating_sub(delivered),
            interval,
            prior_delivered: delivered,
            application_limited: app_limited,
            in_flight,
            lost: ever_lost.saturating_sub(lost),
        })
    }
}

#[cfg(test)]
mod tests;

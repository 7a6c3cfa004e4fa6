//! The half of TACK that sends data: it numbers what goes out, and learns from reports how the path and the receiver do.
//!
//! - [`numbers`]: the numbers of transmissions (PKT.SEQ) and when each was sent;
//! - [`reports`]: which reports came, and rho';
//! - [`round_trip`], [`bandwidth`]: RTTmin and bw, each a [`filter`];
//! - [`hold`]: how the receiver spaces its reports;
//! - [`usual`]: the usual round trip, where f goes by it;
//! - [`sample`]: rates by what has come, where the sender measures;
//! - [`frequency`]: f by equation 4, and what the receiver has been told;
//! - [`window`]: which segment's window counts.
//!
//! What is lost is the business of [`crate::loss::Pull`], how fast to send that of [`crate::congestion`].

mod bandwidth;
mod filter;
pub(crate) mod frequency;
mod hold;
pub(crate) mod numbers;
pub(crate) mod reports;
mod round_trip;
mod sample;
mod usual;
mod window;

use std::collections::VecDeque;

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use self::bandwidth::Bandwidth;
use self::frequency::{Frequency, Path};
use self::hold::Hold;
use self::numbers::Numbers;
use self::reports::{Order, Reports};
use self::round_trip::RoundTrip;
use self::sample::{Mark, Sampler};
use self::usual::Usual;
use self::window::WindowClock;
use super::body::{Body, Report};
use super::config::{RateBy, Share, TackConfig};
use super::terms::Terms;

/// What the sender of data keeps.
#[derive(Clone, Debug)]
pub(crate) struct Sending {
    /// The numbers given out.
    pub(crate) numbers: Numbers,
    /// Which window counts.
    pub(crate) window: WindowClock,
    /// Who the peer seems to be.
    pub(crate) hearing: Hearing,
    reports: Reports,
    round_trip: RoundTrip,
    bandwidth: Bandwidth,
    hold: Hold,
    frequency: Frequency,
    /// Kept where 1/f is a share of it.
    usual: Option<Usual>,
    /// Kept where the sender measures rates.
    sampler: Option<Sampler>,
    /// What the receiver had by the last report.
    received: Bytes,
    /// The round in which the peer's window last blocked the sender, where that is minded.
    blocked: Option<u64>,
    start_up: StartUp,
    /// The largest number that a report has told of; 0 before the first.
    largest: u64,
    /// The delivery rate that the newest report told; nothing before the first.
    rate: Option<BitRate>,
    /// Packet-timed rounds: how many, and the number with whose arrival the next begins.
    round: u64,
    round_ends: u64,
    /// Whether an answer to a request would be worth having.
    request: Request,
}

/// Whether the connection's first, fast phase is over, in which every packet is acknowledged (paper, VI-D).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StartUp {
    Running,
    Over,
}

/// Whether a round trip is to be asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Request {
    None,
    Due,
}

/// What speaks for and against a peer that does TACK, and a path that lets it.
///
/// Silence alone says nothing: a radio that is gone is as silent as a middlebox that drops what it does not know. So where timeouts follow each other and no report
/// tells of anything new, the peer is asked by a bare segment whether plain ones pass. Only where these are answered, time and again, while no numbered
/// packet is reported, TACK is what does not pass.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hearing {
    /// Timeouts since a report last told of something new.
    timeouts: u32,
    /// When the first plain acknowledgement of new data came since the last TACK or IACK.
    pub(crate) plain_since: Option<Instant>,
    inquiry: Inquiry,
    /// How many of the inquiries since then have been answered.
    answers: u32,
}

/// Where the latest inquiry stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Inquiry {
    #[default]
    None,
    Due,
    Asked,
}

impl Hearing {
    /// A TACK or an IACK came; `advanced` says whether it told of a transmission of which none had told before.
    pub(crate) const fn on_typed(&mut self, advanced: bool) {
        self.plain_since = None;
        if advanced {
            (self.timeouts, self.inquiry, self.answers) = (0, Inquiry::None, 0);
        }
    }

    /// The retransmission timer fired, or that which asks whether a window is still closed.
    pub(crate) const fn on_timeout(&mut self) {
        self.timeouts += 1;
        if self.timeouts >= MAX_TIMEOUTS {
            self.inquiry = Inquiry::Due;
        }
    }

    /// Whether to ask now.
    pub(crate) fn asks(&mut self) -> bool {
        let due = self.inquiry == Inquiry::Due;
        if due {
            self.inquiry = Inquiry::Asked;
        }
        due
    }

    /// Whether an answer is awaited.
    pub(crate) fn has_asked(&self) -> bool {
        self.inquiry == Inquiry::Asked
    }

    /// A segment without data came, after what it says has been taken. Whether it answers an inquiry.
    pub(crate) fn on_answer(&mut self) -> bool {
        let answers = self.inquiry == Inquiry::Asked;
        if answers {
            self.inquiry = Inquiry::None;
            self.answers += 1;
        }
        answers
    }

    /// Whether it is clear that what TACK adds does not pass.
    pub(crate) const fn is_in_vain(&self) -> bool {
        self.answers >= ENOUGH_ANSWERS
    }
}

/// What stands in the header above a report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    /// The receiver's clock when it sent the report, in microseconds.
    pub(crate) clock: u32,
    /// What it says that it has: acknowledged, and above that.
    pub(crate) delivered: Bytes,
}

/// What a report says, once it has been understood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Understood {
    /// Its largest number, unwrapped; 0 if no packet had come.
    pub(crate) largest: u64,
    /// Whether it is newer than all before.
    pub(crate) order: Order,
    /// Whether it tells of a transmission of which none has told before.
    pub(crate) advanced: bool,
    /// The round trip of the newest packet that it tells of, else of the one with the least delay.
    pub(crate) rtt: Option<Duration>,
    /// The delivery rate that it tells of, as far as it can be believed.
    pub(crate) rate: BitRate,
    /// Whether the application kept that down.
    pub(crate) limited: bool,
}

impl Sending {
    /// Of an end with these choices, on these terms.
    pub(crate) const fn new(config: TackConfig, terms: Terms) -> Self {
        Self {
            numbers: Numbers::new(),
            window: WindowClock::new(),
            hearing: Hearing { timeouts: 0, plain_since: None, inquiry: Inquiry::None, answers: 0 },
            reports: Reports::new(),
            round_trip: RoundTrip::new(config.timing, config.tau),
            bandwidth: Bandwidth::new(),
            hold: Hold::new(),
            frequency: Frequency::new(terms),
            usual: match config.share {
                Share::Least => None,
                Share::Usual => Some(Usual::new()),
            },
            sampler: match config.rate {
                RateBy::Receiver => None,
                RateBy::Sender => Some(Sampler { marks: VecDeque::new() }),
            },
            received: Bytes::ZERO,
            blocked: None,
            start_up: StartUp::Running,
            largest: 0,
            rate: None,
            round: 0,
            round_ends: 0,
            request: Request::None,
        }
    }

    /// The handshake took `rtt`.
    pub(crate) fn on_handshake(&mut self, now: Instant, rtt: Duration) {
        self.round_trip.on_handshake(now, rtt);
    }

    /// A report came whose TSval names a departure `elapsed` ago. `ceiling` is the most that can have been delivered in
    /// a second. Nothing if it tells of a packet that was never sent.
    pub(crate) fn on_report(
        &mut self,
        now: Instant,
        report: &Report,
        elapsed: Option<Duration>,
        arrived: Arrived,
        ceiling: BitRate,
    ) -> Option<Understood> {
        let largest = self.numbers.unwrap_or_zero(report.largest)?;
        let order = self.reports.on_report(report.serial);
        // A delay is told by the receiver's clock and taken off a span of ours, and of one that lasts for minutes the difference between the clocks is left: an end that reads again may name
        // a packet of long ago. And what is told once more is from long ago.
        let past = |span: Duration, delay: Duration| {
            (delay < span && delay <= hold::LONGEST * 2).then(|| span.saturating_sub(delay))
        };
        let by_delay = elapsed.filter(|_| order != Order::Repeated).and_then(|elapsed| past(elapsed, report.delay));
        let advanced = largest > self.largest;
        let newest = self.numbers.sent_at(largest).filter(|_| advanced);
        let by_newest = newest.and_then(|sent| past(now.saturating_since(sent), report.largest_delay));
        self.round_trip.on_samples(now, by_delay, by_newest);
        if advanced {
            self.advance(now, largest, by_newest, report);
        }
        let (rate, span) = self.rate_of(now, report, newest, arrived, ceiling);
        let limited = self.bandwidth.is_limited(now, largest, span);
        if order == Order::Newest && rate > BitRate::ZERO {
            self.rate = Some(rate);
            self.bandwidth.on_rate(now, self.round, rate, limited);
        }
        Some(Understood { largest, order, advanced, rtt: by_newest.or(by_delay), rate, limited })
    }

    /// A report tells of packet `largest` for the first time, whose round trip took `rtt`.
    fn advance(&mut self, now: Instant, largest: u64, rtt: Option<Duration>, report: &Report) {
        self.largest = largest;
        self.numbers.forget(largest);
        if largest >= self.round_ends {
            self.round += 1;
            if self.round == 2 {
                self.round_trip.on_first_round(now);
            }
            self.round_ends = self.numbers.next();
        }
        if let (Some(usual), Some(rtt)) = (&mut self.usual, rtt) {
            usual.on_sample(self.round, rtt);
        }
        self.hold.on_report(self.round, report);
    }

    /// The delivery rate, and over how long it was measured: as the report says, or, where the sender measures, since an earlier one; zero where that says nothing yet. `newest` is when
    /// the packet left that is told of for the first time.
    fn rate_of(
        &mut self,
        now: Instant,
        report: &Report,
        newest: Option<Instant>,
        arrived: Arrived,
        ceiling: BitRate,
    ) -> (BitRate, Duration) {
        let min_rtt = self.round_trip.min().unwrap_or_default();
        let span = (report.interval * 2).max(min_rtt);
        let Some(sampler) = &mut self.sampler else { return (report.delivery_rate.min(ceiling), span) };
        let sample = newest.and_then(|sent| {
            let arrived_at = arrived.clock.wrapping_sub(report.largest_delay.as_micros_ceil() as u32);
            let mark = Mark { heard: now, sent, arrived: arrived_at, delivered: arrived.delivered };
            sampler.on_report(mark, min_rtt / MARKS)
        });
        sample.unwrap_or((BitRate::ZERO, span))
    }

    /// Decides what to tell the receiver after a report. `starting` says whether the controller is still in its first
    /// phase (slow start, or BBR's Startup).
    ///
    /// Start-up is over once the controller has left that phase, or after 20 round trips: a controller that waits for a loss
    /// which never comes, or for data, would else have every packet acknowledged for ever.
    pub(crate) fn decide(&mut self, now: Instant, in_force: Duration, srtt: Duration, mss: Bytes, starting: bool) {
        if !starting || self.round >= START_UP_ROUNDS {
            self.start_up = StartUp::Over;
        }
        if self.round_trip.wants_sample(now) {
            self.request_round_trip();
        }
        let (StartUp::Over, Some(bandwidth), Some(min_rtt)) = (self.start_up, self.bandwidth.best(), self.min_rtt())
        else {
            return;
        };
        let usual = self.usual.as_ref().and_then(Usual::lower_quartile);
        let hurried = self.blocked.is_some_and(|round| self.round <= round + BLOCKED_ROUNDS);
        let path = Path { bandwidth, min_rtt, usual, hurried, mss, ack_loss_ppm: self.reports.loss_ppm() };
        self.frequency.on_report(now, in_force, srtt, &path);
    }

    /// There is nothing to send, though more might be in flight.
    pub(crate) fn on_dry(&mut self) {
        self.bandwidth.on_dry(self.numbers.next());
    }

    /// The peer's window blocks the sender.
    pub(crate) const fn on_blocked(&mut self) {
        self.blocked = Some(self.round);
    }

    /// The path is another one: what was known of its round trip is not true any more, which is `rtt` now.
    pub(crate) fn renew_round_trip(&mut self, now: Instant, rtt: Duration) {
        self.round_trip.renew(now, rtt);
    }

    /// What came since the report before, where the receiver has `received` after this one and had `before` by what was known until then. Where the sender measures,
    /// what plain acknowledgements have told meanwhile counts too: after a timeout they may be what tells of a whole flight.
    pub(crate) fn delivered_since_report(&mut self, before: Bytes, received: Bytes) -> Bytes {
        let last = std::mem::replace(&mut self.received, received);
        received.saturating_sub(if self.sampler.is_some() { before.min(last) } else { before })
    }

    /// How many packet-timed rounds have begun.
    pub(crate) const fn round(&self) -> u64 {
        self.round
    }

    /// A fresh round trip would be worth an IACK: the least one is about to leave the filter, data flows again after
    /// idleness, or the queue has been drained to measure it.
    pub(crate) const fn request_round_trip(&mut self) {
        self.request = Request::Due;
    }

    /// What is to be told to the receiver of data now, as an IACK: one thing at a time.
    pub(crate) fn next_iack(&mut self) -> Option<Body> {
        if let Some(update) = self.frequency.take() {
            return Some(Body::Frequency(update));
        }
        let request = std::mem::replace(&mut self.request, Request::None);
        (request == Request::Due).then_some(Body::RoundTripRequest)
    }

    /// Whether there is nothing to tell or to ask.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        !self.frequency.is_pending() && self.request == Request::None && self.hearing.inquiry != Inquiry::Due
    }

    /// RTTmin by the method that counts.
    pub(crate) fn min_rtt(&self) -> Option<Duration> {
        self.round_trip.min()
    }

    /// RTTmin by one-way delays, and by the newest packet of each report.
    pub(crate) fn min_rtt_by_method(&self) -> [Option<Duration>; 2] {
        [self.round_trip.advanced(), self.round_trip.sampled()]
    }

    /// The delivery rate that the newest report told.
    pub(crate) const fn latest_rate(&self) -> Option<BitRate> {
        self.rate
    }

    /// bw, once a rate has been reported.
    pub(crate) fn bandwidth(&self) -> Option<BitRate> {
        self.bandwidth.best()
    }

    /// rho', in parts of a million.
    pub(crate) const fn ack_loss_ppm(&self) -> u32 {
        self.reports.loss_ppm()
    }

    /// 1/f as told last; nothing in start-up.
    pub(crate) fn interval(&self) -> Option<Duration> {
        self.frequency.told()
    }

    /// The time between two reports, where the receiver says that 1/f is `in_force`; nothing while every packet is acknowledged.
    pub(crate) fn report_interval(&self, in_force: Duration) -> Option<Duration> {
        self.hold.interval(in_force)
    }

    /// The time between two reports that are heard, in 63 of 64 cases: longer than the time between two only where 1/f is the shorter for those that are lost (`tack.share`).
    pub(crate) fn heard_interval(&self, in_force: Duration) -> Option<Duration> {
        let reports = if self.usual.is_some() { self.frequency.for_one_heard(self.reports.loss_ppm()) } else { 1 };
        self.hold.interval(in_force).map(|interval| interval * u64::from(reports))
    }

    /// How long the receiver may hold the last of what was sent.
    pub(crate) fn hold(&self) -> Duration {
        self.hold.longest(self.interval())
    }

    /// How many full-sized segments it waits for, and how long it may hold those: 1/f, unless it has a rule of its own.
    pub(crate) fn hold_of_enough(&self) -> (u32, Duration) {
        (self.frequency.every(), self.hold.interval(self.interval().unwrap_or_default()).unwrap_or_default())
    }
}

/// Timeouts in a row after which the peer is asked.
const MAX_TIMEOUTS: u32 = 2;
/// So many answers, each a timeout after the other, come by chance where half of all acknowledgements are lost in one of 80 such silences.
const ENOUGH_ANSWERS: u32 = 4;
/// Marks of the sender's rates are this part of RTTmin apart.
const MARKS: u64 = 16;
/// For how many rounds after the peer's window has blocked the sender more TACKs are wanted.
const BLOCKED_ROUNDS: u64 = 2;
/// After how many round trips start-up is over in any case. Ten segments double 20 times on the way to any window that
/// there is.
const START_UP_ROUNDS: u64 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_something_new_takes_back_what_spoke_against_tack() {
        let mut hearing = Hearing::default();
        hearing.on_timeout();
        for answer in 1..ENOUGH_ANSWERS {
            hearing.on_timeout();
            assert!(hearing.asks() && hearing.on_answer() && !hearing.is_in_vain(), "answer {answer}");
        }
        hearing.on_typed(true);
        hearing.on_timeout();
        assert!(!hearing.asks(), "two timeouts in a row are needed");
        hearing.on_timeout();
        assert!(hearing.asks() && hearing.on_answer() && !hearing.is_in_vain(), "the first answer since");
        // One that tells of nothing new takes nothing back.
        for _ in 1..ENOUGH_ANSWERS {
            hearing.on_typed(false);
            hearing.on_timeout();
            assert!(hearing.asks() && hearing.on_answer());
        }
        assert!(hearing.is_in_vain());
    }

    #[test]
    fn what_plain_acknowledgements_told_between_two_reports_is_delivered_where_the_sender_measures() {
        for (rate, delivered) in [(RateBy::Sender, 3_000), (RateBy::Receiver, 1_000)] {
            let config = TackConfig { rate, ..TackConfig::default() };
            let mut sending = Sending::new(config, Terms::DEFAULT);
            assert_eq!(sending.delivered_since_report(Bytes::ZERO, Bytes(1_000)), Bytes(1_000));
            // 2,000 more by plain ones, and 1,000 by the report.
            assert_eq!(sending.delivered_since_report(Bytes(3_000), Bytes(4_000)), Bytes(delivered), "{rate:?}");
        }
    }
    #[test]
    fn reports_that_are_heard_are_further_apart_than_those_that_are_sent_where_losses_have_made_these_more() {
        let ms = Duration::from_millis;
        for (share, every, heard) in [(Share::Usual, 1, 1), (Share::Usual, 4, 8), (Share::Least, 4, 1)] {
            let config = TackConfig { share, ..TackConfig::default() };
            let mut sending = Sending::new(config, Terms { beta: 2, every: 2 });
            assert_eq!(sending.heard_interval(Duration::ZERO), None, "in start-up");
            // Of four, three are lost, or none.
            (0..1_000).for_each(|serial| _ = sending.reports.on_report(serial * every));
            assert_eq!(sending.report_interval(ms(5)), Some(ms(5)));
            assert_eq!(sending.heard_interval(ms(5)), Some(ms(5) * heard), "{share:?}, one in {every} is heard");
        }
    }
}

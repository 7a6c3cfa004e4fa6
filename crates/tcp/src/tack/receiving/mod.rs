//! The half of TACK that receives data: what it measures, and what it has to report.
//!
//! - [`arrivals`]: which numbers have come and which are lost (V-A), and rho (VI-C);
//! - [`patience`]: how long what is missing may be just late (VIII);
//! - [`delay`]: one-way delay (V-B);
//! - [`rate`]: the delivery rate (VI-D);
//! - [`demand`]: how many holes a TACK should tell of (equation 5).
//!
//! When a TACK is due is the business of [`crate::ack::Tack`]; the endpoint makes the segments.

pub(crate) mod arrivals;
pub(crate) mod delay;
pub(crate) mod demand;
mod patience;
pub(crate) mod rate;

use std::collections::VecDeque;

use ackless_wire::{Bytes, Duration, Instant};

use self::arrivals::{Arrival, Arrivals};
use self::delay::OneWayDelay;
use self::demand::Demand;
use self::patience::Patience;
use self::rate::Delivery;
use super::body::{Body, FrequencyUpdate, LossRange, Report};
use super::config::{Blocks, Settling, TackConfig};
use super::terms::Terms;
use crate::measure::{Measured, Rhythm};
use crate::stats::TackStats;

/// What the receiver of data keeps.
#[derive(Clone, Debug)]
pub(crate) struct Receiving {
    pub(crate) arrivals: Arrivals,
    pub(crate) delivery: Delivery,
    /// Kept where settling adapts.
    patience: Option<Patience>,
    delay: OneWayDelay,
    /// Losses that are to be told at once.
    losses: VecDeque<LossRange>,
    /// What the sender has told last.
    update: Option<FrequencyUpdate>,
    /// Reports sent.
    reports: u32,
    /// When a report last told of more holes than the first.
    listed: Option<Instant>,
    pub(crate) window_news: News,
    /// Whether the sender has asked for a plain acknowledgement.
    pub(crate) plain_answer: News,
    /// A request for a round trip that waits for its answer: when it left, in the sender's clock, and when it came.
    pub(crate) request: Option<(u32, Instant)>,
    terms: Terms,
}

/// Whether there is something to tell at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum News {
    #[default]
    None,
    Due,
}

/// What a report says of holes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Holes {
    /// Where the data above the first one begins, from the acknowledgement number on.
    pub(crate) hol: Option<Bytes>,
    /// More of them, counted as that is, in the order of the report.
    pub(crate) bubbles: Vec<(Bytes, Bytes)>,
    /// How many different ones are told, the first included.
    pub(crate) distinct: u64,
}

impl Receiving {
    /// At an end with these choices, on these terms.
    pub(crate) fn new(config: TackConfig, terms: Terms) -> Self {
        Self {
            arrivals: Arrivals::default(),
            delivery: Delivery::default(),
            patience: match config.settling {
                Settling::Quarter => None,
                Settling::Adaptive => Some(Patience::default()),
            },
            delay: OneWayDelay::default(),
            losses: VecDeque::new(),
            update: None,
            reports: 0,
            listed: None,
            window_news: News::None,
            plain_answer: News::None,
            request: None,
            terms,
        }
    }

    /// Packet `number` came, stamped as given in ticks of the given length.
    pub(crate) fn on_packet(
        &mut self,
        now: Instant,
        number: u32,
        stamp: Option<(u32, Duration)>,
        measured: &Measured,
    ) -> Arrival {
        let arrival = if self.arrivals.takes_next(now, number) {
            Arrival::Newest
        } else {
            self.on_packet_out_of_turn(now, number, measured)
        };
        if arrival != Arrival::Again
            && let Some((stamp, tick)) = stamp
        {
            self.delay.on_packet(now, stamp, tick);
        }
        arrival
    }

    #[inline(never)]
    fn on_packet_out_of_turn(&mut self, now: Instant, number: u32, measured: &Measured) -> Arrival {
        let mut settling = self.min_rtt(measured).unwrap_or_default() / SETTLING_SHARE;
        if let Some(patience) = &self.patience {
            settling = settling.max(patience.span());
        }
        let arrival = self.arrivals.on_packet(now, number, settling);
        if let (Some(patience), Arrival::Spurious(late)) = (&mut self.patience, arrival) {
            patience.on_mistake(late);
        }
        arrival
    }

    /// RTTmin as the sender has told it, else the least that this end has seen: the handshake's.
    fn min_rtt(&self, measured: &Measured) -> Option<Duration> {
        self.update.map(|update| update.min_rtt).filter(|rtt| !rtt.is_zero()).or(measured.min_rtt())
    }

    /// Takes what the sender says about the frequency, unless it is older than what it has said before. Returns the rhythm
    /// that is in force from now on, if it is news.
    pub(crate) fn on_update(&mut self, update: FrequencyUpdate) -> Option<Rhythm> {
        if self.update.is_some_and(|last| update.serial.wrapping_sub(last.serial) as i32 <= 0) {
            return None;
        }
        self.update = Some(update);
        Some(if update.interval.is_zero() { Rhythm::PerPacket } else { Rhythm::Every(update.interval) })
    }

    /// Gaps have been given up.
    pub(crate) fn on_lost(&mut self) {
        if let Some(patience) = &mut self.patience {
            patience.on_loss();
        }
    }

    /// A loss is to be told at once. Of too many the oldest are left to TACKs.
    pub(crate) fn pull(&mut self, range: LossRange) {
        if self.losses.len() == MAX_PULLS {
            self.losses.pop_front();
        }
        self.losses.push_back(range);
    }

    /// The next loss to tell of at once.
    pub(crate) fn next_loss(&mut self) -> Option<LossRange> {
        self.losses.pop_front()
    }

    /// Whether no IACK and no answer is to be sent.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        self.losses.is_empty()
            && self.request.is_none()
            && (self.window_news, self.plain_answer) == (News::None, News::None)
    }

    /// A TACK is about to be sent: measures what it reports of its interval.
    pub(crate) fn begin_tack(&mut self, measured: &Measured) {
        self.arrivals.on_tack();
        let rhythmic = matches!(measured.rhythm(), Rhythm::Every(_));
        let min_rtt = self.min_rtt(measured);
        self.delivery.on_tack(rhythmic, min_rtt);
    }

    /// The next report, with its TSval: when the request left that it answers, if any, else the packet that had the least
    /// delay; zero if no packet has come.
    pub(crate) fn report(
        &mut self,
        now: Instant,
        request: Option<(u32, Instant)>,
        measured: &Measured,
        held: Bytes,
        holes: Holes,
    ) -> (Report, u32) {
        let serial = self.reports;
        self.reports = self.reports.wrapping_add(1);
        let timed = request.or(self.delay.least().map(|least| (least.stamp, least.arrived)));
        let report = Report {
            serial,
            largest: self.arrivals.largest() as u32,
            largest_delay: now.saturating_since(self.arrivals.largest_at()),
            delay: timed.map_or(Duration::ZERO, |(_, arrived)| now.saturating_since(arrived)),
            delivery_rate: self.delivery.rate(),
            application_limited: self.delivery.is_limited(),
            window: Bytes::ZERO,
            received_in_flight: held,
            interval: match measured.rhythm() {
                Rhythm::Every(interval) => interval,
                Rhythm::PerPacket | Rhythm::Own => Duration::ZERO,
            },
            loss_ppm: self.arrivals.loss_ppm(),
            hol: holes.hol,
            bubbles: holes.bubbles,
        };
        (report, timed.map_or(0, |(stamp, _)| stamp))
    }

    /// A TACK has been sent: the next interval begins.
    pub(crate) const fn end_tack(&mut self) {
        self.delay.on_tack();
    }

    /// What a report of at most `room` bytes says of `holes`, the oldest first, each of which a loss IACK has told or, where
    /// there are none, could have told.
    ///
    /// The paper (VI-B) has two rules: as many distinct ones as possible, then the oldest once more until the report is full.
    ///
    /// While every packet is acknowledged nothing is repeated, and but for one report in RTTmin/beta all tell of the first hole alone:
    /// after an overshoot there are hundreds of holes, and the lists, one for each packet, would take the air from the data.
    pub(crate) fn holes(
        &mut self,
        now: Instant,
        blocks: Blocks,
        measured: &Measured,
        (room, mss): (Bytes, Bytes),
        mut holes: impl Iterator<Item = (Bytes, Bytes)>,
    ) -> Holes {
        let Some(first) = holes.next() else { return Holes::default() };
        let per_packet = measured.rhythm() == Rhythm::PerPacket;
        let pause = self.min_rtt(measured).unwrap_or_default() / u64::from(self.terms.beta);
        let listed = per_packet && self.listed.is_some_and(|at| now < at.saturating_add(pause));
        if !listed {
            self.listed = Some(now);
        }
        let fits = (room.saturating_sub(Body::LEAST_ROOM).get() / BUBBLE_LEN) as usize;
        let limit = match blocks {
            _ if listed => 0,
            Blocks::Poor => 0,
            Blocks::Rich | Blocks::Distinct => fits,
            Blocks::OnDemand => (self.demand(mss).additional(1) as usize).min(fits),
        };
        let mut bubbles: Vec<_> = holes.take(limit).collect();
        let distinct = 1 + bubbles.len();
        if blocks == Blocks::Rich && !per_packet {
            let oldest_first = std::iter::once(first).chain(bubbles.clone());
            bubbles.extend(oldest_first.cycle().take(fits + 1 - distinct));
        }
        Holes { hol: Some(first.1), bubbles, distinct: distinct as u64 }
    }

    /// `counters` with how things stand.
    pub(crate) fn stats(&self, counters: TackStats, rhythm: Rhythm) -> TackStats {
        let interval = if let Rhythm::Every(interval) = rhythm { Some(interval) } else { None };
        let (loss_ppm, delivery_rate) = (self.arrivals.loss_ppm(), self.delivery.rate());
        TackStats { loss_ppm, delivery_rate, interval, ..counters }
    }

    fn demand(&self, mss: Bytes) -> Demand {
        let (ack_loss_ppm, bdp) = self
            .update
            .map_or((0, Bytes::ZERO), |update| (update.ack_loss_ppm, demand::bdp(update.bandwidth, update.min_rtt)));
        let Terms { beta, every } = self.terms;
        Demand { loss_ppm: self.arrivals.long_loss_ppm(), ack_loss_ppm, bdp, mss, beta, every }
    }
}

/// A gap may close within RTTmin/4 (VIII).
const SETTLING_SHARE: u64 = 4;
/// One bubble in a report: its first byte and that past its last.
const BUBBLE_LEN: u64 = 8;
/// The most losses that wait to be told: one burst tells of few, since a gap is one range however long it is.
const MAX_PULLS: usize = 64;

#[cfg(test)]
mod tests;

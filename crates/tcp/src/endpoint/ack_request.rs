//! Asking for an ACK rate (draft-ietf-tcpm-ack-rate-request, TARR): what a sender of data does.
//!
//! Both ends say on their SYNs that they can; else nothing is ever asked for, and what asks all the same is not heeded. A request is an option of a segment with data, which
//! is so much shorter (RFC 9293, 3.7.1). [`Request`](crate::ack::Request) is what the receiver does about it.
//!
//! What to ask for the draft leaves to the sender, but that it should not stretch ACKs in slow start, which would open the window slowly, and that R stays within the window.
//! Ours: R is a share of what the window holds, from 2 segments to 126; 2 in slow start, and after a timeout again. It is asked for where it has
//! doubled or halved; more no sooner than a round trip after the last request, less at once. A segment with a request that has to be sent again may have been lost with it:
//! the next one bears it, too, unless three in a row were lost so while other segments arrived: then something on the way drops what bears them, and nothing is asked for any more. Beside SACK blocks there may be no room for it: then it waits. N is never asked for: losses should be told at once.

use ackless_wire::tcp::{AckRate, RateRequest, TcpOptions};
use ackless_wire::{Bytes, Instant};

use super::Endpoint;
use super::tack_input::is_starting;
use crate::ack::{AckChoice, Policy, UNASKED};
use crate::config::Config;
use crate::congestion::Controller;
use crate::sequence::{Position, Span};

/// What is asked for, on a connection whose ends both can.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asks {
    share: u32,
    /// R as it was asked for last.
    asked: u32,
    /// When, and on what.
    at: Option<(Instant, Span)>,
    /// What the next segment with data is to bear.
    due: Option<RateRequest>,
    /// What the segment in hand bears.
    borne: Option<RateRequest>,
    /// So many segments with a request had to be sent again, in a row, while others arrived.
    lost: u32,
    /// What was acknowledged when the last of them was counted.
    lost_at: Position,
}

impl Asks {
    /// Nothing, unless this end and a peer with these options on its SYN both can. An end that offers TACK offers nothing of this.
    pub(super) fn agree(config: &Config, theirs: &TcpOptions) -> Option<Box<Self>> {
        match config.ack {
            AckChoice::Request { share, .. } if theirs.ack_rate.is_some() && config.tack_offer().is_none() => {
                Some(Box::new(Self {
                    share: share.max(1),
                    asked: UNASKED,
                    at: None,
                    due: None,
                    borne: None,
                    lost: 0,
                    lost_at: Position::SYN,
                }))
            }
            _ => None,
        }
    }

    fn ask(&mut self, segments: u32) {
        if self.lost < MAX_LOST {
            self.asked = segments;
            self.due = Some(RateRequest::new(segments, false));
        }
    }
}

impl Endpoint {
    /// What a SYN says of it: an offer, which the fourth and later ones leave out as they do with TACK's, or the answer to one.
    pub(super) fn ack_rate_offer(&self, answers: bool) -> Option<AckRate> {
        let can = matches!(self.config.ack, AckChoice::Request { .. }) && self.config.tack_offer().is_none();
        let offers = if answers { self.asks.is_some() } else { self.tx.may_offer() };
        (can && offers).then_some(AckRate::CAPABLE)
    }

    /// The window has moved: whether to ask for another rate.
    #[cold]
    pub(super) fn consider_asking(&mut self, now: Instant) {
        let wanted = self.wanted_rate(now);
        let srtt = self.rtt.smoothed().unwrap_or_default();
        let Some(asks) = &mut self.asks else { return };
        let waited = asks.at.is_none_or(|(at, _)| now >= at.saturating_add(srtt));
        if wanted * 2 <= asks.asked || (wanted >= asks.asked * 2 && waited) {
            asks.ask(wanted);
        }
    }

    /// R as it should be now.
    fn wanted_rate(&self, now: Instant) -> u32 {
        let Some(asks) = &self.asks else { return UNASKED };
        if is_starting(&self.congestion, now) {
            return UNASKED;
        }
        let window = self.congestion.window().min(self.tx.max_window);
        let segments = window.get() / self.tx.smss.get() / u64::from(asks.share);
        segments.clamp(UNASKED.into(), RateRequest::MOST.into()) as u32
    }

    /// What a request takes of the next segment.
    #[cold]
    pub(super) fn request_len(&self) -> Bytes {
        let due = self.asks.as_ref().is_some_and(|asks| asks.due.is_some()) && !self.rx.has_blocks();
        if due { REQUEST_LEN } else { Bytes::ZERO }
    }

    /// `span` goes out; `again` if not for the first time.
    #[cold]
    pub(super) fn bear_request(&mut self, now: Instant, span: Span, again: bool) {
        let (has_room, una) = (!self.rx.has_blocks(), self.tx.una);
        let Some(asks) = &mut self.asks else { return };
        if asks.at.is_some_and(|(_, borne)| borne.end <= una) {
            asks.lost = 0;
        }
        let lost = again && asks.at.is_some_and(|(_, borne)| span.start <= borne.start && borne.start < span.end);
        if lost {
            asks.at = None;
            // Where nothing is acknowledged nothing at all arrives, whatever it bears.
            asks.lost += u32::from(una > asks.lost_at);
            asks.lost_at = una;
        }
        if asks.lost >= MAX_LOST {
            asks.due = None;
        } else if has_room && let Some(request) = asks.due.take() {
            asks.borne = Some(request);
            asks.at = Some((now, span));
            self.stats.ack_requests_sent += 1;
        } else if lost {
            asks.ask(asks.asked);
        }
    }

    /// Writes what the segment in hand bears.
    #[cold]
    pub(super) fn write_request(&mut self, options: &mut TcpOptions) {
        if let Some(asks) = &mut self.asks {
            options.ack_rate = asks.borne.take().map(AckRate::of);
        }
    }

    /// A segment with data or FIN came that asks for this.
    #[cold]
    pub(super) fn on_rate_request(&mut self, request: RateRequest) {
        if self.asks.is_some()
            && let Policy::Request(policy) = &mut self.ack_policy
        {
            policy.on_request(request);
            self.stats.ack_requests_heeded += 1;
        }
    }
}

/// Segments with a request that are lost in a row until nothing more is asked for.
const MAX_LOST: u32 = 3;
/// The option, padded.
const REQUEST_LEN: Bytes = Bytes(8);

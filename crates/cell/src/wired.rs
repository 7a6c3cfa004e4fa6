//! One direction of a wired link.
//!
//! A packet waits in a drop-tail buffer, is sent at the link's rate, may be lost, and arrives a propagation delay later, or later
//! still for jitter, or if it is held back so that others overtake it. Rate, delay and loss may change at given times. Not modelled:
//! framing, and bit errors that depend on the length.

use std::collections::VecDeque;
use std::sync::Arc;

use ackless_wire::random::Stream;
use ackless_wire::{Bytes, Duration, Instant};

use crate::config::{Direction, RateTrace, WireBuffer, WireStep, WiredLink};
use paused::Stopped;
use trace::Cursor;

mod paused;
#[cfg(test)]
mod tests;
mod together;
mod trace;

/// A link that sends packets one after another and delivers them later.
///
/// [`push`](Self::push) as packets come; [`poll_timeout`](Self::poll_timeout) names the next arrival, and only that; then
/// [`pop`](Self::pop) until it gives nothing. What stands for a packet on it is a `P`.
#[derive(Debug)]
pub struct Wired<P> {
    /// As of the last packet that has been put on the link.
    config: WiredLink,
    /// Changes that are still to come, in order of time.
    steps: VecDeque<WireStep>,
    /// Changes that have been taken up, perhaps before their time, for what waits for the link; of those whose time has passed some may be gone.
    taken_up: Vec<WireStep>,
    /// Its place in the trace of its rate, if it has one.
    trace: Option<Box<Cursor>>,
    /// Whether each packet takes what the rate says: no change is to come, and the link does not
    /// pause.
    is_steady: bool,
    /// Packets for which the link never has a rate again, as far as is known: in the order in which
    /// they came.
    stopped: VecDeque<Stopped<P>>,
    random: Stream,
    /// When the last packet will have left.
    free_at: Instant,
    /// When each packet that waits or is being sent will have left, and its length; packets that
    /// have left stay until somebody asks. Stopped packets leave in the far future.
    departures: VecDeque<(Instant, Bytes)>,
    /// The sum of those lengths.
    queued: Bytes,
    /// Packets that arrive after the delay, in order of arrival.
    direct: VecDeque<Arrival<P>>,
    /// Packets that are held back, in order of arrival.
    held: VecDeque<Arrival<P>>,
    /// When the first of both arrives.
    next: Option<Instant>,
}

#[derive(Clone, Copy, Debug)]
struct Arrival<P> {
    at: Instant,
    /// `None` for a lost one: its time is kept, so that whoever keeps the buffer full is woken all the same.
    packet: Option<P>,
}

impl<P: Copy> Wired<P> {
    /// An empty link that never changes. `random` decides on losses, reordering and jitter.
    pub fn new(config: WiredLink, random: Stream) -> Self {
        Self {
            config,
            steps: VecDeque::new(),
            taken_up: Vec::new(),
            trace: None,
            is_steady: true,
            stopped: VecDeque::new(),
            random,
            free_at: Instant::ZERO,
            departures: VecDeque::new(),
            queued: Bytes::ZERO,
            direct: VecDeque::new(),
            held: VecDeque::new(),
            next: None,
        }
    }

    /// The link with those of `steps` that concern this direction; they stand in order of time.
    pub fn changing(mut self, steps: &[WireStep], direction: Direction) -> Self {
        let ours = steps.iter().filter(|step| step.direction.is_none_or(|only| only == direction));
        self.steps = ours.copied().collect();
        self.note_steadiness();
        self
    }

    /// The link with a rate that goes as `trace` says, if there is one.
    pub fn tracing(mut self, trace: Option<Arc<RateTrace>>) -> Self {
        self.trace = trace.map(|trace| Box::new(Cursor::new(trace, self.config.rate)));
        self.note_steadiness();
        self
    }

    /// One more change, now: after those of the same time. It undoes nothing of a later one that
    /// has been taken up already, for what waits for the link. A rate ends the link's trace.
    /// Packets that were stopped go on if the link has a rate again: returns when each of them will
    /// have left, as far as it will.
    pub fn insert(&mut self, mut step: WireStep) -> Vec<Instant> {
        if step.rate.is_some() {
            self.trace = None;
        }
        self.taken_up.retain(|later| later.at > step.at);
        for later in &self.taken_up {
            step.rate = step.rate.filter(|_| later.rate.is_none());
            step.delay = step.delay.filter(|_| later.delay.is_none());
            step.loss = step.loss.filter(|_| later.loss.is_none());
        }
        let place = self.steps.partition_point(|other| other.at <= step.at);
        self.steps.insert(place, step);
        let departures = self.go_on(step.at);
        self.note_steadiness();
        departures
    }

    /// Puts a packet on the link.
    ///
    /// # Errors
    /// Gives the packet back if it will not arrive: the buffer was full, or it is lost on its way. A lost packet takes up the
    /// buffer and the link as any other.
    #[inline(always)]
    pub fn push(&mut self, now: Instant, packet: P, len: Bytes) -> Result<(), P> {
        if !self.has_room(now) {
            return Err(packet);
        }
        self.put(now, packet, len)
    }

    /// As [`push`](Self::push), where [`has_room`](Self::has_room) has just said that there is room.
    ///
    /// # Errors
    /// Gives the packet back if it is lost on its way.
    #[inline(always)]
    pub fn put(&mut self, now: Instant, packet: P, len: Bytes) -> Result<(), P> {
        if !self.is_steady {
            return self.put_unsteadily(now, packet, len);
        }
        self.put_leaving(self.free_at.max(now) + self.config.rate.time_ceil(len), packet, len)
    }

    /// Puts a packet on the link that will have left at `departs`.
    #[inline(always)]
    fn put_leaving(&mut self, departs: Instant, packet: P, len: Bytes) -> Result<(), P> {
        self.free_at = departs;
        self.departures.push_back((departs, len));
        self.queued += len;
        let arrives = departs + self.config.delay + self.draw_jitter();
        if self.random.chance(self.config.loss.get()) {
            self.arrive(Arrival { at: arrives, packet: None });
            return Err(packet);
        }
        if self.random.chance(self.config.reorder.get()) {
            self.hold_back(Arrival { at: arrives + self.config.reorder_delay, packet: Some(packet) });
        } else {
            self.arrive(Arrival { at: arrives, packet: Some(packet) });
        }
        Ok(())
    }

    #[inline(always)]
    fn draw_jitter(&mut self) -> Duration {
        Duration::from_nanos(match self.config.jitter.as_nanos() {
            0 => 0,
            most => self.random.below(most + 1),
        })
    }

    /// Whether one more packet would be taken: less waits than the buffer holds. The packet being sent does not wait.
    #[inline(always)]
    pub fn has_room(&mut self, now: Instant) -> bool {
        self.has_room_beside(now, 0, Bytes::ZERO)
    }

    /// Whether one more packet would be taken if so many others were pushed now, of so many bytes together.
    #[inline(always)]
    pub fn has_room_beside(&mut self, now: Instant, packets: usize, bytes: Bytes) -> bool {
        match self.config.buffer {
            WireBuffer::Packets(most) => {
                let most = most as usize;
                // What has left is looked for where the others might be too many.
                self.departures.len() + packets <= most || {
                    self.forget_departed(now);
                    self.departures.len() + packets <= most
                }
            }
            WireBuffer::Bytes(most) => {
                self.forget_departed(now);
                let being_sent = self.departures.front().map_or(Bytes::ZERO, |(_, len)| *len);
                (self.departures.is_empty() && packets == 0) || self.queued - being_sent + bytes < most
            }
        }
    }

    /// Where the buffer is kept full, it is one packet at a time.
    #[inline(always)]
    fn forget_departed(&mut self, now: Instant) {
        if let Some((_, len)) = self.departures.pop_front_if(|(at, _)| *at <= now) {
            self.queued -= len;
            if self.departures.front().is_some_and(|(at, _)| *at <= now) {
                self.forget_many(now);
            }
        }
    }

    #[inline(never)]
    fn forget_many(&mut self, now: Instant) {
        let departed = self.departures.partition_point(|(at, _)| *at <= now);
        self.queued -= self.departures.drain(..departed).map(|(_, len)| len).sum();
    }

    /// When all that has been put on the link will have been sent: in the far future while packets
    /// are stopped.
    pub fn free_at(&self) -> Instant {
        if self.stopped.is_empty() { self.free_at } else { Instant::FAR_FUTURE }
    }

    /// When the next packet arrives, or would have arrived.
    #[inline(always)]
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.next
    }

    /// The packets on the link that will arrive.
    pub fn packets(&self) -> impl Iterator<Item = P> + '_ {
        let stopped = self.stopped.iter().filter_map(|stopped| stopped.packet);
        self.direct.iter().chain(&self.held).filter_map(|arrival| arrival.packet).chain(stopped)
    }

    /// What arrives next, alone in its instant; nothing where it is lost, or nobody knows without a closer look.
    #[inline(always)]
    pub fn peek_alone(&self) -> Option<P> {
        let next = self.direct.front().filter(|_| self.held.is_empty())?;
        let alone = self.direct.get(1).is_none_or(|second| second.at > next.at);
        next.packet.filter(|_| alone)
    }

    /// The next packet that has arrived by `now`.
    #[inline]
    pub fn pop(&mut self, now: Instant) -> Option<P> {
        while self.next.is_some_and(|at| at <= now) {
            let queue = if self.held_is_next() { &mut self.held } else { &mut self.direct };
            let arrival = queue.pop_front();
            let queue = if self.held_is_next() { &self.held } else { &self.direct };
            self.next = queue.front().map(|arrival| arrival.at);
            if let Some(Arrival { packet: Some(packet), .. }) = arrival {
                return Some(packet);
            }
        }
        None
    }

    /// The next packet, with its time, if it arrives before `lead` and is one that is `wanted`; nothing where it is lost, or nobody knows without a closer look.
    #[inline(always)]
    pub fn pop_before<T>(
        &mut self,
        lead: Instant,
        wanted: impl FnOnce(Instant, P) -> Option<T>,
    ) -> Option<(Instant, T)> {
        let next = self.direct.front().filter(|next| next.at < lead && self.held.is_empty())?;
        let taken = (next.at, next.packet.and_then(|packet| wanted(next.at, packet))?);
        self.direct.pop_front();
        self.next = self.direct.front().map(|arrival| arrival.at);
        Some(taken)
    }

    /// A packet that is not held back: unless jitter may let it overtake, it arrives no sooner than the one before it.
    #[inline]
    fn arrive(&mut self, arrival: Arrival<P>) {
        match self.direct.back() {
            Some(last) if last.at > arrival.at => self.arrive_before(last.at, arrival),
            _ => {
                if self.direct.is_empty() {
                    self.next = Instant::earlier(self.next, Some(arrival.at));
                }
                self.direct.push_back(arrival);
            }
        }
    }

    /// A packet that jitter would let arrive before the last one, at `last`.
    #[cold]
    fn arrive_before(&mut self, last: Instant, arrival: Arrival<P>) {
        if self.config.jitter_reorders {
            insert(&mut self.direct, arrival);
            self.next = Instant::earlier(self.next, Some(arrival.at));
        } else {
            self.direct.push_back(Arrival { at: last, ..arrival });
        }
    }

    #[cold]
    fn hold_back(&mut self, arrival: Arrival<P>) {
        insert(&mut self.held, arrival);
        self.next = Instant::earlier(self.next, Some(arrival.at));
    }

    #[inline(always)]
    fn held_is_next(&self) -> bool {
        !self.held.is_empty() && self.held_is_first()
    }

    /// Of two that arrive at once the held one left first, and comes first.
    fn held_is_first(&self) -> bool {
        match (self.held.front(), self.direct.front()) {
            (Some(held), Some(direct)) => held.at <= direct.at,
            (held, _) => held.is_some(),
        }
    }
}

/// Puts an arrival in its place, behind those of the same time: nearly always at the end.
fn insert<P>(queue: &mut VecDeque<Arrival<P>>, arrival: Arrival<P>) {
    match queue.back() {
        Some(last) if last.at > arrival.at => {
            let place = queue.partition_point(|other| other.at <= arrival.at);
            queue.insert(place, arrival);
        }
        _ => queue.push_back(arrival),
    }
}

//! One node's ear: what it is locked on, what disturbs that, and what it can decode in the end.

use ackless_dot11::frame::Ppdu;
use ackless_phy::TxVector;
use ackless_wire::random::Stream;
use ackless_wire::{Bytes, Instant};

use super::{KnownErrors, Number};
use crate::medium::progress::{Progress, len_of};

/// What a node hears and has heard.
#[derive(Debug)]
pub(super) struct Receiver {
    /// What it sends.
    pub(super) sending: Option<Number>,
    /// What it receives.
    pub(super) lock: Option<Lock>,
    /// Whether the medium is busy for it.
    pub(super) busy: bool,
    pub(super) idle_since: Instant,
    pub(super) nav_until: Instant,
    /// Whether its last reception failed, and it has not sent since.
    pub(super) damaged: bool,
    pub(super) random: Stream,
}

/// A reception: the PPDU that a node has locked on, and what disturbs it.
#[derive(Clone, PartialEq, Debug)]
pub struct Lock {
    number: Number,
    start: Instant,
    /// In milliwatt, over the PPDU's width, as all here.
    power: f64,
    noise: f64,
    /// Stretches of constant interference, each until the next one begins; the first begins with the PPDU.
    stretches: Vec<Stretch>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Stretch {
    from: Instant,
    interference: f64,
}

impl Receiver {
    pub(super) fn new(random: Stream) -> Self {
        Self {
            sending: None,
            lock: None,
            busy: false,
            idle_since: Instant::ZERO,
            nav_until: Instant::ZERO,
            damaged: false,
            random,
        }
    }

    /// Locks on a PPDU, and lets go of any other.
    pub(super) fn lock_on(&mut self, lock: Lock) {
        self.damaged = false;
        self.lock = Some(lock);
    }

    /// Which MPDUs of the PPDU that it is locked on are intact, one bit each, bit 0 for a frame without MPDUs; it looks no further than for
    /// `enough` of them.
    pub(super) fn decode(&mut self, ppdu: &Ppdu, errors: &mut KnownErrors, enough: u32) -> u64 {
        let Some(lock) = &self.lock else { return 0 };
        let vector = ppdu.txvector;
        if ppdu.mpdus().is_empty() {
            let body = lock.start + vector.preamble();
            let span = ppdu.duration.saturating_sub(vector.preamble() + vector.signal_extension());
            let success = lock.success((body, body + span), ppdu.psdu_len, vector, errors);
            return u64::from(self.random.chance(success));
        }
        let progress = Progress::of(ppdu, lock.start);
        let (mut intact, mut before) = (0u64, 0);
        for (n, packets) in ppdu.packets().enumerate() {
            let until = before + progress.room(packets);
            let span = (progress.at(before), progress.at(until));
            let success = lock.success(span, len_of(packets), vector, errors);
            intact |= u64::from(self.random.chance(success)) << n;
            if intact.count_ones() >= enough {
                break;
            }
            before = until;
        }
        intact
    }
}

impl Lock {
    /// A lock on a PPDU that begins, with its power and the noise over its width.
    pub(super) fn new(number: Number, start: Instant, power: f64, noise: f64) -> Self {
        Self { number, start, power, noise, stretches: Vec::with_capacity(2) }
    }

    pub(super) fn number(&self) -> Number {
        self.number
    }

    pub(super) fn start(&self) -> Instant {
        self.start
    }

    pub(super) fn power(&self) -> f64 {
        self.power
    }

    /// From `now` on there is this much interference.
    pub(super) fn interfere(&mut self, now: Instant, interference: f64) {
        match self.stretches.last_mut() {
            Some(last) if last.from == now => last.interference = interference,
            Some(last) if last.interference == interference => {}
            _ => self.stretches.push(Stretch { from: now, interference }),
        }
    }

    /// The chance that so many bytes, which are on the air evenly over a span of time, arrive intact: the product over the stretches of
    /// constant interference.
    pub fn success(&self, span: (Instant, Instant), len: Bytes, vector: TxVector, errors: &mut KnownErrors) -> f64 {
        let (from, until) = span;
        let whole = (until - from).as_nanos() as f64;
        let mut success = 1.0;
        for (n, stretch) in self.stretches.iter().enumerate() {
            let next = self.stretches.get(n + 1).map_or(until, |next| next.from.min(until));
            let part = next.saturating_since(stretch.from.max(from));
            if part.is_zero() {
                continue;
            }
            let errors = errors.at(vector, self.power / (self.noise + stretch.interference));
            success *= errors.success_of_bits(len.bits() as f64 * (part.as_nanos() as f64 / whole));
        }
        success
    }
}

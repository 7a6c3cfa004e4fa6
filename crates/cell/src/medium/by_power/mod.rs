//! The medium where powers decide who hears whom: each node has a view of its own.
//!
//! A PPDU comes in at each node with a power, which does not change while it lasts. What a node makes of it follows from one rule, in four
//! steps:
//!
//! 1. **Detect.** A node that neither sends nor is locked locks on a PPDU as its preamble begins, if that comes in with at least
//!    [`PowerConfig::preamble`] over its primary 20 MHz, and with [`DETECTION_MARGIN`] over noise and whatever had begun before. Of
//!    several that begin in the same instant it takes the strongest: their preambles are alike and add up as echoes do. (That margin, and that
//!    a preamble is missed for good where its first bit is, are as in ns-3's `ThresholdPreambleDetectionModel`.)
//! 2. **Lock.** It stays with that PPDU. All others are interference from then on. When the preamble is over, its PHY header is read, at 6
//!    Mbps and at the SINR that it had; if that fails, the node lets go, and the reception was one in error. Else it stays to the end.
//! 3. **Decode.** At the end each MPDU is intact with a chance that follows from the SINR that its bits had: the product over all stretches of
//!    constant interference, each with the error model at its own SINR ([`Lock::success`]).
//! 4. **Capture.** A PPDU that is stronger than what overlaps it is decoded in spite of that, by step 3, if the node is locked on it: always
//!    where it came first. Where it came second, only a receiver that *re-locks* ([`PowerConfig::relocks`]) leaves the weaker one for it, at
//!    any time, if the new one has [`RELOCK_MARGIN`] over all else. That receivers do so was measured by Lee et al., "An Experimental Study
//!    on the Capture Effect in 802.11a Networks" (WiNTECH 2007); the margin is a choice of ours.
//!
//! The medium is **busy** for a node that sends, that is locked, or where the power of all PPDUs on the air over its primary 20 MHz is
//! at least [`PowerConfig::energy`]. A PPDU whose preamble was missed is therefore heard only if it is that strong. The thresholds are those
//! of 802.11-2020, 17.3.10.6 for OFDM, 19.3.19.5 for HT and 21.3.18.5 for VHT: -82 dBm for a PPDU of 20 MHz that is detected by its preamble,
//! -79, -76 and -73 dBm for 40, 80 and 160 MHz, and -62 dBm for any signal over the primary 20 MHz. The same power over twice
//! the width is 3 dB less over each 20 MHz, so one number over 20 MHz says all of them.
//!
//! A **NAV** is set only at nodes that decoded the frame (one of its MPDUs), and **EIFS** (10.3.2.3.7) follows a reception that failed, in
//! its header or in all of its MPDUs, until the node locks or sends again. What is only energy asks for neither.
//!
//! Several cells may share the channel. Each has a medium of its own, to which the PPDUs of the others are told ([`ByPower::begin`] with a
//! sender): at its nodes they are detected, decoded, interference and energy as its own are, and nothing else.
//!
//! Simplifications: sensing takes no time, so that a node whose counter runs out as another begins to send sends too, and no later; power is even
//! over a PPDU's width, and the narrower of two PPDUs lies within the wider one; capture is never better than the error model, which knows
//! interference only as noise; a control frame of 20 MHz leaves secondary channels free, and nobody looks at those; nothing fades.

use ackless_dot11::frame::{NodeId, Ppdu};
use ackless_dot11::station::MediumView;
use ackless_phy::{BitErrors, Db, Dbm, OfdmRate, TxVector};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Instant};

use super::Transmission;
use crate::config::PowerConfig;

mod receiver;

pub use receiver::Lock;
use receiver::Receiver;

/// By how much a preamble must exceed noise and what had begun before it: the default of ns-3's `ThresholdPreambleDetectionModel`.
pub const DETECTION_MARGIN: Db = Db(4.0);

/// By how much a PPDU must exceed all else for a locked receiver to leave what it is locked on.
pub const RELOCK_MARGIN: Db = Db(10.0);

/// The medium as the nodes of one cell hear it, each for itself.
#[derive(Debug)]
pub struct ByPower {
    config: PowerConfig,
    /// Received powers in milliwatt: from each node, in rows, at each node.
    powers: Vec<f64>,
    nodes: usize,
    thresholds: Thresholds,
    on_air: Vec<OnAir>,
    receivers: Vec<Receiver>,
    next: u64,
    errors: KnownErrors,
    /// What changed at which nodes, for the cell to take.
    changes: Vec<(usize, Change)>,
}

/// The thresholds as factors and milliwatts over 20 MHz.
#[derive(Clone, Copy, Debug)]
struct Thresholds {
    preamble: f64,
    energy: f64,
    detection: f64,
    relocking: f64,
    noise: f64,
}

/// A PPDU on the air.
#[derive(Debug)]
struct OnAir {
    number: Number,
    /// Who sends it, counted over all cells.
    from: usize,
    ppdu: Ppdu,
    start: Instant,
    /// When its PHY header has been read.
    header: Instant,
    header_over: bool,
    end: Instant,
    /// Who else has sent in the meantime, counted over all cells.
    met: Vec<usize>,
}

/// Names a PPDU from its beginning to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    place: u64,
    /// Whether it is of this cell.
    pub own: bool,
}

/// What changed at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It locked on a PPDU: the medium is busy, and something is being received.
    Locked,
    /// The medium is busy, but nothing is being received, unless the node itself sends.
    Busy,
    /// The medium is idle.
    Idle,
    /// It could not read the PHY header of what it was locked on.
    LostHeader,
}

/// What a node makes of the medium in an instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hears {
    /// Nothing.
    Silence,
    /// It sends this PPDU.
    Sending(Number),
    /// It is locked on this PPDU.
    Locked(Number),
    /// It cannot make out more than that somebody sends.
    Energy {
        /// Whether anybody of this cell does.
        own: bool,
    },
}

/// What comes next on the air.
#[derive(Debug)]
pub enum Next {
    /// The PHY header of a PPDU is over; [`ByPower::take_changes`] says who could not read it.
    Header,
    /// A PPDU ends. The medium stays as it is until [`ByPower::settle`].
    End(Ended),
}

/// A PPDU that ends, and what each node had of it.
#[derive(Debug)]
pub struct Ended {
    /// Its name.
    pub number: Number,
    /// The PPDU; `collided` where nothing of it arrived at any of its receivers, and one of them was disturbed.
    pub transmission: Transmission,
    /// What each of its receivers got, in order; none for a PPDU of another cell.
    pub received: Vec<Received>,
    /// The nodes of this cell that were locked on it without being its receivers.
    pub bystanders: Vec<usize>,
}

/// What a receiver got of a PPDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received {
    /// The receiver.
    pub node: usize,
    /// Whether it was locked on the PPDU to the end; otherwise it knows nothing of it.
    pub locked: bool,
    /// One bit for each MPDU that is intact, bit 0 for a frame without MPDUs.
    pub intact: u64,
}

impl ByPower {
    /// A silent medium between the nodes of one cell, so many.
    pub fn new(config: PowerConfig, nodes: usize, seed: u64) -> Self {
        let powers: Vec<f64> = config.powers.iter().map(|power| milliwatt(*power)).collect();
        let all = (powers.len() as f64).sqrt() as usize;
        assert_eq!(all * all, powers.len(), "powers are given from each node at each node");
        assert!(config.first + nodes <= all, "every node of the cell has powers");
        let receiver = |node| Receiver::new(Stream::new(seed, node as u64, Purpose::AirLoss));
        Self {
            thresholds: Thresholds {
                preamble: milliwatt(config.preamble),
                energy: milliwatt(config.energy),
                detection: DETECTION_MARGIN.factor(),
                relocking: RELOCK_MARGIN.factor(),
                noise: milliwatt(config.noise),
            },
            config,
            powers,
            nodes: all,
            on_air: Vec::new(),
            receivers: (0..nodes).map(receiver).collect(),
            next: 0,
            errors: KnownErrors::default(),
            changes: Vec::new(),
        }
    }

    /// When a header or a PPDU is over next.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.on_air.iter().map(OnAir::next).min()
    }

    /// Takes what changed since it was taken last, node by node in the order in which it happened.
    pub fn take_changes(&mut self) -> Vec<(usize, Change)> {
        std::mem::take(&mut self.changes)
    }

    /// Gives the buffer of [`Self::take_changes`] back.
    pub fn recycle_changes(&mut self, mut changes: Vec<(usize, Change)>) {
        changes.clear();
        if self.changes.is_empty() {
            self.changes = changes;
        }
    }

    /// A PPDU of this cell, or with `from` of another's node, goes on the air.
    pub fn begin(&mut self, now: Instant, ppdu: Ppdu, from: Option<usize>) {
        let own = from.is_none();
        let number = Number { place: self.next, own };
        self.next += 1;
        let from = from.unwrap_or(self.config.first + usize::from(ppdu.transmitter.0));
        let header = now + ppdu.txvector.preamble().min(ppdu.duration);
        let end = now + ppdu.duration;
        let met = self.on_air.iter().map(|other| other.from).collect();
        self.on_air.iter_mut().for_each(|other| other.met.push(from));
        self.on_air.push(OnAir { number, from, ppdu, start: now, header, header_over: false, end, met });
        for node in 0..self.receivers.len() {
            if own && self.config.first + node == from {
                let receiver = &mut self.receivers[node];
                receiver.lock = None;
                receiver.damaged = false;
                receiver.sending = Some(number);
            } else {
                self.arrive(now, node);
            }
            self.update(now, node);
        }
    }

    /// The PPDU that began last arrives at a node that does not send it.
    fn arrive(&mut self, now: Instant, node: usize) {
        let arriving = self.on_air.last().expect("a PPDU arrives that is on the air");
        let (number, power) = (arriving.number, self.power(arriving, node));
        let lock = self.receivers[node].lock.as_ref();
        let takes = self.receivers[node].sending.is_none()
            && match lock {
                None => self.detects(now, node, arriving),
                Some(lock) if lock.start() == now => power > lock.power() && self.detects(now, node, arriving),
                Some(_) => self.config.relocks && self.stands_out(node, arriving, self.thresholds.relocking, |_| true),
            };
        if takes {
            let noise = self.noise(arriving.ppdu.txvector);
            self.receivers[node].lock_on(Lock::new(number, now, power, noise));
            self.changes.push((node, Change::Locked));
        }
        self.note_interference(now, node);
    }

    /// Step 1: whether a node that is free locks on a PPDU that begins.
    fn detects(&self, now: Instant, node: usize, arriving: &OnAir) -> bool {
        self.power(arriving, node) * share(arriving.ppdu.txvector, MHZ_20) >= self.thresholds.preamble
            && self.stands_out(node, arriving, self.thresholds.detection, |other| other.start < now)
    }

    /// Whether a PPDU exceeds noise and the others that count by this factor.
    fn stands_out(&self, node: usize, arriving: &OnAir, factor: f64, counts: impl Fn(&OnAir) -> bool) -> bool {
        let width = arriving.ppdu.txvector;
        let others = self.on_air.iter().filter(|other| other.number != arriving.number && counts(other));
        let interference: f64 = others.map(|other| self.interference(other, node, width)).sum();
        self.power(arriving, node) >= factor * (self.noise(width) + interference)
    }

    /// What a node hears beside the PPDU that it is locked on has changed.
    fn note_interference(&mut self, now: Instant, node: usize) {
        let Some(lock) = &self.receivers[node].lock else { return };
        let locked = self.on_air.iter().find(|other| other.number == lock.number());
        let width = locked.expect("a node is locked on what is on the air").ppdu.txvector;
        let others = self.on_air.iter().filter(|other| other.number != lock.number());
        let interference = others.map(|other| self.interference(other, node, width)).sum();
        if let Some(lock) = &mut self.receivers[node].lock {
            lock.interfere(now, interference);
        }
    }

    /// Whether the medium is busy for a node, after something has changed.
    fn update(&mut self, now: Instant, node: usize) {
        let receiver = &self.receivers[node];
        let busy = receiver.sending.is_some() || receiver.lock.is_some() || self.energy(node) >= self.thresholds.energy;
        let receiver = &mut self.receivers[node];
        if busy != receiver.busy {
            receiver.busy = busy;
            if busy {
                self.changes.push((node, Change::Busy));
            } else {
                receiver.idle_since = now;
                self.changes.push((node, Change::Idle));
            }
        }
    }

    /// The next header or PPDU that is over at `now`.
    pub fn pop(&mut self, now: Instant) -> Option<Next> {
        let due = self.on_air.iter().position(|on_air| on_air.next() <= now)?;
        if self.on_air[due].header_over {
            return Some(Next::End(self.end(due)));
        }
        self.on_air[due].header_over = true;
        self.read_header(now, due);
        Some(Next::Header)
    }

    /// Step 2: those who are locked on a PPDU read its header.
    fn read_header(&mut self, now: Instant, which: usize) {
        let OnAir { number, start, header, ppdu, .. } = &self.on_air[which];
        let (number, span, vector) = (*number, (*start, *header), header_vector(ppdu.txvector));
        let len = header_len(ppdu.txvector);
        for node in 0..self.receivers.len() {
            let receiver = &mut self.receivers[node];
            let Some(lock) = receiver.lock.as_ref().filter(|lock| lock.number() == number) else { continue };
            let success = lock.success(span, len, vector, &mut self.errors);
            if receiver.random.chance(success) {
                continue;
            }
            receiver.lock = None;
            receiver.damaged = true;
            self.changes.push((node, Change::LostHeader));
            self.update(now, node);
        }
    }

    /// Step 3: what everybody had of a PPDU that ends.
    fn end(&mut self, which: usize) -> Ended {
        let OnAir { number, from, ppdu, start, end, met, .. } = self.on_air.remove(which);
        let own = number.own;
        let noise = self.noise(ppdu.txvector);
        let mut received = Vec::new();
        let mut bystanders = Vec::new();
        // Whether one of its receivers, or somebody whom that hears above its noise, sent in the meantime.
        let mut disturbed = false;
        for node in 0..self.receivers.len() {
            if own && self.config.first + node == from {
                continue;
            }
            let addressed = own && is_for(&ppdu, node);
            let receiver = &mut self.receivers[node];
            let locked = receiver.lock.as_ref().is_some_and(|lock| lock.number() == number);
            if addressed {
                let intact = if locked { receiver.decode(&ppdu, &mut self.errors, u32::MAX) } else { 0 };
                let here = self.config.first + node;
                disturbed |= met.iter().any(|&other| other == here || self.powers[other * self.nodes + here] > noise);
                received.push(Received { node, locked, intact });
                receiver.damaged |= locked && intact == 0;
            } else if locked {
                // One MPDU that is intact says what the Duration field is.
                let intact = receiver.decode(&ppdu, &mut self.errors, 1) != 0;
                receiver.damaged = !intact;
                if intact {
                    receiver.nav_until = receiver.nav_until.max(end + ppdu.duration_field);
                }
                bystanders.push(node);
            }
        }
        let collided = disturbed && received.iter().all(|received| received.intact == 0);
        Ended { number, transmission: Transmission { ppdu, start, end, collided }, received, bystanders }
    }

    /// Takes a PPDU that ended off the air.
    pub fn settle(&mut self, now: Instant, number: Number) {
        for node in 0..self.receivers.len() {
            let receiver = &mut self.receivers[node];
            receiver.sending.take_if(|sending| *sending == number);
            receiver.lock.take_if(|lock| lock.number() == number);
            self.note_interference(now, node);
            self.update(now, node);
        }
    }

    /// The medium as `node` sees it.
    pub fn view(&self, node: usize) -> MediumView {
        let Receiver { busy, idle_since, nav_until, damaged, .. } = self.receivers[node];
        MediumView { busy, idle_since, nav_until, unintelligible: damaged, ending: false }
    }

    /// What a node hears.
    pub fn hears(&self, node: usize) -> Hears {
        let receiver = &self.receivers[node];
        match (receiver.sending, &receiver.lock) {
            (Some(number), _) => Hears::Sending(number),
            (None, Some(lock)) => Hears::Locked(lock.number()),
            (None, None) if receiver.busy => Hears::Energy { own: self.on_air.iter().any(|on_air| on_air.number.own) },
            (None, None) => Hears::Silence,
        }
    }

    /// Everything on the air, cut off by the end of the run, in the order in which it began.
    pub fn cut(&mut self) -> Vec<(Number, Transmission)> {
        let cut = |OnAir { number, ppdu, start, end, .. }| (number, Transmission { ppdu, start, end, collided: false });
        self.on_air.drain(..).map(cut).collect()
    }

    /// The power with which a PPDU comes in at a node, over its whole width.
    fn power(&self, on_air: &OnAir, node: usize) -> f64 {
        self.powers[on_air.from * self.nodes + self.config.first + node]
    }

    /// What of a PPDU falls into the width of another.
    fn interference(&self, other: &OnAir, node: usize, width: TxVector) -> f64 {
        self.power(other, node) * share(other.ppdu.txvector, mhz(width))
    }

    /// The power of all that others send, over the primary 20 MHz.
    fn energy(&self, node: usize) -> f64 {
        let others = self.on_air.iter().filter(|other| other.from != self.config.first + node);
        others.map(|other| self.power(other, node) * share(other.ppdu.txvector, MHZ_20)).sum()
    }

    /// The noise over the width of a PPDU.
    fn noise(&self, vector: TxVector) -> f64 {
        self.thresholds.noise * mhz(vector) / MHZ_20
    }
}

impl OnAir {
    fn next(&self) -> Instant {
        if self.header_over { self.end } else { self.header }
    }
}

/// Error models that were needed before: few, since few rates meet few combinations of powers.
#[derive(Debug, Default)]
pub struct KnownErrors(Vec<(TxVector, f64, BitErrors)>);

impl KnownErrors {
    /// How bits fail that are sent by `vector` and come in at this ratio, a plain factor.
    fn at(&mut self, vector: TxVector, sinr: f64) -> BitErrors {
        if let Some((_, _, errors)) = self.0.iter().find(|(known, at, _)| *known == vector && *at == sinr) {
            return *errors;
        }
        if self.0.len() == MAX_KNOWN {
            self.0.clear();
        }
        let errors = BitErrors::new(vector, Db(10.0 * libm::log10(sinr)));
        self.0.push((vector, sinr, errors));
        errors
    }
}

/// How many error models are kept.
const MAX_KNOWN: usize = 256;

/// Whether a frame is for a node of its cell: to the station, alone in its group or not, or to all.
fn is_for(ppdu: &Ppdu, node: usize) -> bool {
    let receiver = ppdu.receiver.station();
    receiver.is_group() || receiver == NodeId(node as u16)
}

/// How the PHY header is sent: at 6 Mbps, by BPSK with rate 1/2 (802.11-2020, 17.3.4, 19.3.9.4.3 and 21.3.8.3).
fn header_vector(vector: TxVector) -> TxVector {
    match vector {
        TxVector::Dsss(_) => vector,
        TxVector::Ofdm(mode) => TxVector::ofdm(OfdmRate::Mbps6, mode.band),
        TxVector::Ht(mode) => TxVector::ofdm(OfdmRate::Mbps6, mode.band()),
        TxVector::Vht(_) => TxVector::ofdm(OfdmRate::Mbps6, ackless_phy::Band::Ghz5),
    }
}

/// The PHY header: L-SIG has 24 bits, HT-SIG and VHT-SIG-A 48 more.
fn header_len(vector: TxVector) -> Bytes {
    match vector {
        TxVector::Dsss(_) => Bytes(6),
        TxVector::Ofdm(_) => Bytes(3),
        TxVector::Ht(_) | TxVector::Vht(_) => Bytes(9),
    }
}

/// How much of a PPDU's power falls into a channel of this width, which begins at the same primary one.
fn share(vector: TxVector, within: f64) -> f64 {
    (within / mhz(vector)).min(1.0)
}

fn mhz(vector: TxVector) -> f64 {
    vector.width().mhz() as f64
}

fn milliwatt(power: Dbm) -> f64 {
    Db(power.0).factor()
}

/// The primary channel, and what thresholds and noise are given for.
const MHZ_20: f64 = 20.0;

#[cfg(test)]
mod tests;

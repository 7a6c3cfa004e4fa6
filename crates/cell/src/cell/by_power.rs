//! What differs in the air where powers decide who hears whom: each node hears of the medium for itself, and the ledger is kept by the AP's ear.
//!
//! The order of things when a PPDU ends is as where all hear each other: its receivers take it in, then its sender hears that it is over, then
//! bystanders who awaited an answer, and then the medium changes.

use ackless_dot11::frame::Ppdu;
use ackless_dot11::hooks::Scheme;
use ackless_dot11::station::MediumView;
use ackless_wire::Instant;

use super::Cell;
use crate::config::{CellConfig, Hearing};
use crate::loss::Interference;
use crate::medium::Transmission;
use crate::medium::by_power::{ByPower, Change, Ended, Hears, Next, Number};
use crate::observe::{Event, Heard, Observer, Silence};
use crate::slots::Busy;

/// The medium, and what the AP has heard of it.
#[derive(Debug)]
pub(super) struct Powers {
    medium: ByPower,
    /// What the AP hears now, and since when.
    heard: Hears,
    since: Instant,
    /// Where neighbouring cells must hear of what is sent here: the PPDUs that have begun, each with its sender's place among all nodes.
    begun: Option<Vec<(usize, Ppdu)>>,
    first: usize,
}

impl Powers {
    /// The medium of a cell in which powers decide; nothing where all hear each other.
    pub(super) fn of(config: &CellConfig, seed: u64) -> Option<Box<Self>> {
        let Hearing::ByPower(powers) = &config.hearing else { return None };
        let medium = ByPower::new(powers.clone(), config.stations.len() + 1, seed);
        let (heard, since) = (Hears::Silence, Instant::ZERO);
        Some(Box::new(Self { medium, heard, since, begun: None, first: powers.first }))
    }

    /// The medium as a node sees it.
    pub(super) fn view(&self, node: usize) -> MediumView {
        self.medium.view(node)
    }

    /// Whether the AP hears nothing.
    pub(super) fn is_silent(&self) -> bool {
        self.heard == Hears::Silence
    }
}

impl<S: Scheme, O: Observer> Cell<S, O> {
    fn powers(&mut self) -> &mut Powers {
        self.powers.as_mut().expect("powers decide who hears whom")
    }

    /// Puts a PPDU on the air. `silence`: that of the AP before it, where its sender knows how it was spent.
    #[cold]
    pub(super) fn begin_by_power(&mut self, ppdu: Ppdu, silence: Option<Silence>, access: bool) {
        let now = self.now;
        let event = Event::Start { ppdu: &ppdu, pool: &self.pool, silence: None, access };
        self.observer.observe(now, &event);
        let powers = self.powers();
        if let Some(begun) = &mut powers.begun {
            begun.push((powers.first + usize::from(ppdu.transmitter.0), ppdu.clone()));
        }
        powers.medium.begin(now, ppdu, None);
        self.account(silence, None);
        self.tell_changes();
    }

    /// From now on, what is sent here is kept for neighbouring cells ([`Self::take_begun`]).
    ///
    /// # Panics
    /// If all hear each other here.
    pub(crate) fn keep_for_neighbours(&mut self) {
        self.powers().begun = Some(Vec::new());
    }

    /// The PPDUs that have begun since this was asked last, each with its sender's place among the nodes of all cells.
    pub(crate) fn take_begun(&mut self) -> Vec<(usize, Ppdu)> {
        self.powers().begun.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// A node of another cell puts a PPDU on the air at `now`, when all that happens here in that instant has happened.
    pub(crate) fn hear_neighbour(&mut self, now: Instant, from: usize, ppdu: &Ppdu) {
        self.now = now;
        self.powers().medium.begin(now, ppdu.clone(), Some(from));
        self.account(None, None);
        self.tell_changes();
        self.arrange_contention();
    }

    /// Headers are read, and PPDUs end, in this instant.
    #[cold]
    pub(super) fn end_by_power(&mut self) {
        let now = self.now;
        while let Some(next) = self.powers().medium.pop(now) {
            match next {
                Next::Header => {
                    self.account(None, None);
                    self.tell_changes();
                }
                Next::End(ended) if ended.number.own => self.end_one(ended),
                Next::End(ended) => self.end_of_neighbour(ended),
            }
        }
    }

    #[cold]
    fn end_one(&mut self, ended: Ended) {
        let now = self.now;
        let Ended { number, mut transmission, received, bystanders } = ended;
        let spared = match &mut self.interference {
            Some(Interference(interfere)) if !transmission.collided => interfere(now, &mut transmission.ppdu),
            _ => u64::MAX,
        };
        let Transmission { ppdu, start, collided, .. } = &transmission;
        let transmitter = usize::from(ppdu.transmitter.0);
        let parts = ppdu.frame_count() as u32;
        let mut damaged = 0;
        for received in received {
            let intact = received.intact & spared;
            damaged += parts - intact.count_ones();
            if received.locked {
                self.take_in(received.node, ppdu, intact);
            }
        }
        self.stations[transmitter].transmission_ended(now, &mut self.pool);
        self.drain_station(transmitter);
        for node in bystanders {
            self.stations[node].overhear(now, &mut self.pool);
            self.after_station(node);
        }
        self.powers().medium.settle(now, number);
        let damaged = if *collided { 0 } else { damaged };
        let event = Event::End { ppdu, pool: &self.pool, start: *start, collided: *collided, damaged, idle: false };
        self.observer.observe(now, &event);
        self.watch(transmitter);
        self.account(None, Some((number, &transmission)));
        self.stations[transmitter].recycle(transmission.ppdu);
        self.tell_changes();
        self.refill_sources(transmitter);
    }

    /// A PPDU of another cell ends.
    #[cold]
    fn end_of_neighbour(&mut self, ended: Ended) {
        let now = self.now;
        for node in ended.bystanders {
            self.stations[node].overhear(now, &mut self.pool);
            self.after_station(node);
        }
        self.powers().medium.settle(now, ended.number);
        self.account(None, Some((ended.number, &ended.transmission)));
        self.tell_changes();
    }

    /// Tells the nodes that must hear of the medium what has changed for them.
    #[cold]
    fn tell_changes(&mut self) {
        let now = self.now;
        let changes = self.powers().medium.take_changes();
        for &(node, change) in &changes {
            if self.contention.active.binary_search(&(node as u16)).is_err() {
                continue;
            }
            // Sensing takes time: whoever's counter runs out in this instant sends in it.
            let sends = self.stations[node].grant().is_some_and(|at| at <= now);
            match change {
                Change::Locked | Change::Busy if sends => {}
                Change::Locked => self.stations[node].medium_busy(now),
                Change::Busy => self.stations[node].energy_detected(now),
                Change::LostHeader => {
                    self.stations[node].overhear(now, &mut self.pool);
                    self.after_station(node);
                }
                Change::Idle => {
                    let view = self.view(node);
                    self.stations[node].medium_idle(now, view);
                }
            }
        }
        self.powers().medium.recycle_changes(changes);
        let stations = &self.stations;
        self.contention.active.retain(|&node| !stations[usize::from(node)].is_settled(now));
        self.contention.stale = true;
        let next = self.powers().medium.poll_timeout();
        self.agenda.set_busy(Busy::Medium as usize, next);
    }

    /// Tells the listener what the AP has heard until now, if it hears something else from now on. `silence`: how the AP's silence was spent, if it
    /// was silent. `ended`: the PPDU that ends now.
    #[cold]
    fn account(&mut self, silence: Option<Silence>, ended: Option<(Number, &Transmission)>) {
        let now = self.now;
        let powers = self.powers();
        let hears = powers.medium.hears(0);
        if hears == powers.heard {
            return;
        }
        let (heard, from) = (std::mem::replace(&mut powers.heard, hears), std::mem::replace(&mut powers.since, now));
        if heard == Hears::Silence {
            let silence = silence.unwrap_or_else(|| self.last_silence(now));
            self.contention.wanted = None;
            self.observer.observe(now, &Event::Silence(silence));
        } else {
            self.observer.observe(now, &Event::Heard { what: what(heard, ended), from, until: now });
        }
        if hears == Hears::Silence {
            let wants = |&node: &u16| self.stations[usize::from(node)].wants_medium();
            self.contention.silence_from = now;
            self.contention.wanted = self.contention.active.iter().any(wants).then_some(now);
        }
    }

    /// The run is over: what is on the air, and what the AP hears, are told as far as they got.
    pub(super) fn finish_by_power(&mut self) {
        let now = self.now;
        let Powers { heard, since, .. } = *self.powers();
        let cut = self.powers().medium.cut();
        if heard == Hears::Silence {
            let silence = self.last_silence(now);
            self.observer.observe(now, &Event::Silence(silence));
        } else {
            let ended = cut.iter().find(|(number, _)| is_of(heard, *number)).map(|(number, ppdu)| (*number, ppdu));
            self.observer.observe(now, &Event::Heard { what: what(heard, ended), from: since, until: now });
        }
        for (_, Transmission { ppdu, start, end, collided }) in cut.iter().filter(|(number, _)| number.own) {
            let (start, collided) = (*start, *collided);
            let event = Event::End { ppdu, pool: &self.pool, start, collided, damaged: 0, idle: false };
            self.observer.observe(*end, &event);
        }
    }
}

/// What the AP has heard, where this PPDU has ended.
fn what<'a>(heard: Hears, ended: Option<(Number, &'a Transmission)>) -> Heard<'a> {
    match (heard, ended) {
        (Hears::Locked(Number { own: false, .. }) | Hears::Energy { own: false }, _) => Heard::Neighbours,
        (_, Some((number, transmission))) if is_of(heard, number) && !transmission.collided => {
            Heard::Ppdu(&transmission.ppdu)
        }
        _ => Heard::Overlap,
    }
}

fn is_of(heard: Hears, number: Number) -> bool {
    heard == Hears::Sending(number) || heard == Hears::Locked(number)
}

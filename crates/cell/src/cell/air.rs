//! The part of a cell that concerns the medium: contention, transmissions, and what is said about silences.

use ackless_dot11::frame::{NodeId, Ppdu};
use ackless_dot11::hooks::Scheme;
use ackless_dot11::station::{MediumView, Station};
use ackless_wire::Instant;

use super::Cell;
use crate::loss::Interference;
use crate::medium::Transmission;
use crate::medium::progress::Progress;
use crate::observe::{Event, Observer, Silence};
use crate::slots::{Busy, Wakeup};

impl<S: Scheme, O: Observer> Cell<S, O> {
    /// What follows after any input to a station: packets up, packets that its scheme emitted, its deadline and its grant.
    pub(super) fn after_station(&mut self, node: usize) {
        self.drain_station(node);
        self.watch(node);
        if self.counts_in_flight {
            // An answer may have made room.
            self.refill_sources(node);
        }
    }

    /// Tells the agenda a station's deadline, and keeps the list of those who must hear of the medium.
    pub(super) fn watch(&mut self, node: usize) {
        let station = &self.stations[node];
        self.agenda.set(self.slots.slot(Wakeup::Station(node)), station.poll_timeout());
        if station.is_in_crowd() || station.is_settled(self.now) {
            return;
        }
        enlist(&mut self.contention.active, node as u16);
        self.contention.stale = true;
        if self.contention.wanted.is_none() && station.wants_medium() {
            self.contention.wanted = Some(self.now);
        }
    }

    /// Tells the agenda the earliest grant, or when the stations must be told of the silence.
    pub(super) fn arrange_contention(&mut self) {
        self.contention.stale = false;
        let next = match self.contention.untold {
            _ if self.medium.is_busy() => None,
            Some(at) => Some(at),
            None => self.find_winners(),
        };
        self.agenda.set_busy(Busy::Contention as usize, next);
    }

    /// The earliest grant, and whose it is.
    fn find_winners(&mut self) -> Option<Instant> {
        let mut earliest = Instant::FAR_FUTURE;
        self.contention.winners.clear();
        for &node in &self.contention.active {
            let grant = self.stations[usize::from(node)].grant();
            note_grant(&mut self.contention.winners, &mut earliest, node, grant);
        }
        self.call_out_of_crowd(&mut earliest);
        (earliest < Instant::FAR_FUTURE).then_some(earliest)
    }

    /// Who comes first of the crowd leaves it, if nobody comes before: keeps the `earliest` grant of all, and whose it is.
    #[inline(always)]
    fn call_out_of_crowd(&mut self, earliest: &mut Instant) {
        let contention = &mut self.contention;
        while let Some((grant, NodeId(node))) = contention.crowd.first().filter(|(grant, _)| grant <= earliest) {
            self.stations[usize::from(node)].leave_crowd(&mut contention.crowd);
            enlist(&mut contention.active, node);
            note_grant(&mut contention.winners, earliest, node, Some(grant));
        }
    }

    /// Something is about to happen to a station that does not happen to others: it is told of the medium by itself again.
    #[inline(always)]
    pub(super) fn single_out(&mut self, node: usize) {
        if self.stations[node].is_in_crowd() {
            self.stations[node].leave_crowd(&mut self.contention.crowd);
            enlist(&mut self.contention.active, node as u16);
            self.contention.stale = true;
        }
    }

    /// All are told of the medium by themselves again.
    fn single_all_out(&mut self) {
        let members: Vec<NodeId> = self.contention.crowd.members().collect();
        for NodeId(node) in members {
            self.single_out(node.into());
        }
    }

    /// Counters have run out: their stations send, all in the same instant.
    pub(super) fn resolve_contention(&mut self) {
        if self.contention.untold.is_some() {
            // Nothing that happens in the cell.
            self.events -= 1;
            return self.tell_of_silence();
        }
        let now = self.now;
        let mut winners = std::mem::take(&mut self.contention.winners);
        winners.retain(|&node| self.stations[usize::from(node)].grant().is_some_and(|at| at <= now));
        let mut silence = winners.first().map(|&first| self.access_silence(&self.stations[usize::from(first)]));
        let mut sent = false;
        for &node in &winners {
            if let Some(ppdu) = self.stations[usize::from(node)].take_access(now, &mut self.pool) {
                self.begin(ppdu, silence.take(), true);
                sent = true;
            }
        }
        if sent {
            self.silence_is_over();
        }
        // Where all hear that somebody sends, nobody takes the medium for idle.
        let idle = !sent || self.powers.is_some();
        for &node in &winners {
            if idle {
                let view = self.view(node.into());
                self.stations[usize::from(node)].medium_idle(now, view);
            }
            self.after_station(node.into());
        }
        self.contention.winners = winners;
        self.contention.stale = true;
        if let Some(silence) = silence
            && self.is_silent()
        {
            self.settle_silence(silence);
        }
    }

    /// Puts a PPDU on the air. `silence`: what was before it, unless the medium was busy already.
    pub(super) fn begin(&mut self, ppdu: Ppdu, silence: Option<Silence>, access: bool) {
        if self.powers.is_some() {
            return self.begin_by_power(ppdu, silence, access);
        }
        let event = Event::Start { ppdu: &ppdu, pool: &self.pool, silence, access };
        self.observer.observe(self.now, &event);
        self.medium.begin(self.now, ppdu);
        self.agenda.set_busy(Busy::Medium as usize, self.medium.poll_timeout());
        if self.per_mpdu {
            self.expect_mpdus();
        }
    }

    /// An A-MPDU for one station is on the air: its first MPDU will be over long before it.
    #[cold]
    fn expect_mpdus(&mut self) {
        let several = |ppdu: &Ppdu| ppdu.frame_count() > 1 && !ppdu.receiver.station().is_group();
        let whole = self.medium.alone().filter(|transmission| several(&transmission.ppdu));
        let first = whole.and_then(|Transmission { ppdu, start, .. }| Progress::of(ppdu, *start).ends(ppdu).next());
        self.agenda.set(self.slots.slot(Wakeup::Ahead), first);
    }

    /// The first MPDU of an A-MPDU is over. Whatever begins at the same time has begun, so that none of it will be destroyed: its receiver takes all in, and hands up each
    /// MPDU when that is over.
    #[cold]
    pub(super) fn receive_ahead(&mut self) {
        self.agenda.set(self.slots.slot(Wakeup::Ahead), None);
        let now = self.now;
        let receiver = self.medium.alone().map(|transmission| transmission.ppdu.receiver.station());
        if let Some(NodeId(receiver)) = receiver {
            self.single_out(receiver.into());
        }
        let Some(Transmission { ppdu, start, end, .. }) = self.medium.alone() else { return };
        // The air as it will be until the PPDU's end, as for one that is taken in then.
        let spared = match &mut self.interference {
            Some(Interference(interfere)) => interfere(*end, ppdu),
            None => u64::MAX,
        };
        let receiver = ppdu.receiver.station();
        let intact = self.loss.intact(*end, ppdu, ppdu.frame_count(), receiver) & spared;
        self.ahead = Some((receiver, intact));
        let node = usize::from(receiver.0);
        if !self.stations[node].receive_ahead(now, ppdu, intact, &mut self.pool) {
            return;
        }
        let ends: Vec<Instant> = Progress::of(ppdu, *start).ends(ppdu).collect();
        while let Some(arrival) = self.stations[node].poll_up() {
            self.rise_at(node, arrival, ends[usize::from(arrival.mpdu)]);
        }
        self.after_station(node);
    }

    /// The medium is busy now: counters stop.
    pub(super) fn silence_is_over(&mut self) {
        if self.powers.is_some() {
            return;
        }
        let now = self.now;
        if self.contention.untold.take_if(|at| now < *at).is_some() {
            // No counter runs that could stop.
            for &node in &self.contention.awaiting {
                self.stations[usize::from(node)].medium_busy(now);
            }
        } else {
            // Who has not been told has nothing to stop: an answer that comes after the least of the interframe spaces is part of an exchange whose NAV holds counters.
            self.contention.untold = None;
            self.contention.crowd.medium_busy(now);
            let stations = &mut self.stations;
            keep(&mut self.contention.active, |node| {
                let station = &mut stations[usize::from(node)];
                station.medium_busy(now);
                !station.is_settled(now)
            });
        }
        self.contention.wanted = None;
        self.contention.stale = true;
    }

    /// One or several PPDUs end in this instant.
    pub(super) fn end_transmissions(&mut self) {
        if self.powers.is_some() {
            return self.end_by_power();
        }
        while let Some(ended) = self.medium.end(self.now) {
            self.end_transmission(ended);
        }
        self.agenda.set_busy(Busy::Medium as usize, self.medium.poll_timeout());
    }

    fn end_transmission(&mut self, mut ended: Transmission) {
        let spared = match &mut self.interference {
            Some(Interference(interfere)) if !ended.collided && self.ahead.is_none() => {
                interfere(self.now, &mut ended.ppdu)
            }
            _ => u64::MAX,
        };
        let (now, ppdu) = (self.now, &ended.ppdu);
        let transmitter = usize::from(ppdu.transmitter.0);
        self.ending = true;
        let damaged = if ended.collided { 0 } else { self.hear(&ended, spared) };
        if ended.collided {
            if let Some((receiver, _)) = self.ahead.take() {
                self.stations[usize::from(receiver.0)].forget_ahead();
            }
            self.hear_collision(&ended);
        }
        self.stations[transmitter].transmission_ended(now, &mut self.pool);
        self.drain_station(transmitter);
        self.bystanders_overhear(ppdu);
        self.note_waiting(transmitter);
        self.ending = false;
        let idle = self.medium.settle(now, &ended);
        let Transmission { ppdu, start, collided, .. } = &ended;
        let (start, collided) = (*start, *collided);
        let event = Event::End { ppdu, pool: &self.pool, start, collided, damaged, idle };
        self.observer.observe(now, &event);
        self.stations[transmitter].recycle(ended.ppdu);
        self.watch(transmitter);
        if idle {
            self.silence_begins();
        }
        self.refill_sources(transmitter);
    }

    /// The receivers of a PPDU that did not collide take in what an experiment `spared`. Returns how many MPDUs the air has damaged.
    ///
    /// For a station that is alone in its group the others are bystanders, as for a frame to the station itself.
    fn hear(&mut self, ended: &Transmission, spared: u64) -> u32 {
        let receiver = ended.ppdu.receiver.station();
        if !receiver.is_group() {
            return self.receive(usize::from(receiver.0), ended, spared);
        }
        let mut damaged = 0;
        for node in 0..self.stations.len() {
            if node != usize::from(ended.ppdu.transmitter.0) {
                damaged += self.receive(node, ended, spared);
            }
        }
        damaged
    }

    fn receive(&mut self, node: usize, ended: &Transmission, spared: u64) -> u32 {
        let receiver = NodeId(node as u16);
        let frames = ended.ppdu.frame_count();
        let intact = match self.ahead.take() {
            Some((_, intact)) => intact,
            None => self.loss.intact(self.now, &ended.ppdu, frames, receiver) & spared,
        };
        self.take_in(node, &ended.ppdu, intact);
        if self.per_mpdu {
            // What ends with the PPDU is handed up in this instant too, as all of it is where PPDUs are handed up whole.
            self.hand_up(node);
        }
        frames as u32 - intact.count_ones()
    }

    /// A station takes in what is intact of a PPDU.
    pub(super) fn take_in(&mut self, node: usize, ppdu: &Ppdu, intact: u64) {
        self.single_out(node);
        let view = self.view(node);
        self.stations[node].receive(self.now, view, ppdu, intact, &mut self.pool);
        self.after_station(node);
    }

    /// The receiver of a PPDU that collided hears nothing but noise, unless it was sending itself.
    fn hear_collision(&mut self, ended: &Transmission) {
        let receiver = ended.ppdu.receiver;
        if receiver.is_group() || self.medium.has_collided(receiver) {
            return;
        }
        self.take_in(usize::from(receiver.0), &ended.ppdu, 0);
    }

    /// A frame that began while a station awaited its answer, and is not for it, ends the wait.
    fn bystanders_overhear(&mut self, ppdu: &Ppdu) {
        for &node in &self.contention.awaiting {
            if node != ppdu.transmitter.0 && node != ppdu.receiver.0 {
                self.stations[usize::from(node)].overhear(self.now, &mut self.pool);
            }
        }
    }

    /// A station's PPDU is over: keeps the list of those that await an answer.
    fn note_waiting(&mut self, transmitter: usize) {
        let (stations, awaiting) = (&self.stations, &mut self.contention.awaiting);
        awaiting.retain(|&node| stations[usize::from(node)].awaits_answer());
        if stations[transmitter].awaits_answer()
            && let Err(place) = awaiting.binary_search(&(transmitter as u16))
        {
            awaiting.insert(place, transmitter as u16);
        }
    }

    /// A station has let go of the medium in the middle of a silence without having sent: where nobody wants it any more, the silence so
    /// far, which is `spent`, is told, and what follows is a new one with nothing to send.
    fn settle_silence(&mut self, spent: Silence) {
        let wants = |&node: &u16| self.stations[usize::from(node)].wants_medium();
        if self.contention.wanted.is_none()
            || !self.contention.crowd.is_empty()
            || self.contention.active.iter().any(wants)
        {
            return;
        }
        self.contention.wanted = None;
        self.contention.silence_from = self.now;
        self.observer.observe(self.now, &Event::Silence(spent));
    }

    /// A station's exchange ended in a silence, without an answer and with nothing left to send.
    pub(super) fn settle_exchange(&mut self) {
        if self.is_silent() {
            let (from, now) = (self.contention.silence_from, self.now);
            let wanted = self.contention.wanted.unwrap_or(now);
            self.settle_silence(Silence { wanted, waited: now, ..Silence::of_sifs(from, now) });
        }
    }

    /// The medium as a node sees it.
    pub(super) fn view(&self, node: usize) -> MediumView {
        match &self.powers {
            None => self.medium.view(NodeId(node as u16), self.ending),
            Some(powers) => powers.view(node),
        }
    }

    /// Whether nobody sends; where powers decide who hears whom, whether the AP hears nothing.
    pub(super) fn is_silent(&self) -> bool {
        match &self.powers {
            None => !self.medium.is_busy(),
            Some(powers) => powers.is_silent(),
        }
    }

    /// The medium as a node sees it that may be about to ask for it.
    pub(super) fn view_for_request(&mut self, node: usize) -> MediumView {
        self.tell_of_silence();
        self.view(node)
    }

    /// The medium is idle now: counters will run again.
    fn silence_begins(&mut self) {
        let now = self.now;
        let wants = |&node: &u16| self.stations[usize::from(node)].wants_medium();
        let wanted = !self.contention.crowd.is_empty() || self.contention.active.iter().any(wants);
        self.contention.silence_from = now;
        self.contention.wanted = wanted.then_some(now);
        self.contention.untold = Some(now + self.contention.least_ifs);
        self.contention.stale = true;
    }

    /// The stations that must hear of the medium hear that it has become idle, if they have not.
    #[inline(always)]
    pub(super) fn tell_of_silence(&mut self) {
        if self.contention.untold.is_some() {
            self.resume_counters();
        }
    }

    /// They all run from now on, and who has the earliest grant is found on the way: what changes that after this says so.
    #[inline(never)]
    fn resume_counters(&mut self) {
        self.contention.untold = None;
        if !self.contention.crowd.is_empty() || self.contention.active.len() >= MANY {
            self.gather_crowd();
        }
        let common = self.medium.common_view();
        let mut earliest = Instant::FAR_FUTURE;
        self.contention.winners.clear();
        for &node in &self.contention.active {
            let view = common.unwrap_or_else(|| self.medium.view(NodeId(node), false));
            let station = &mut self.stations[usize::from(node)];
            station.medium_idle(self.now, view);
            note_grant(&mut self.contention.winners, &mut earliest, node, station.grant());
        }
        self.call_out_of_crowd(&mut earliest);
        self.agenda.set_busy(Busy::Contention as usize, Some(earliest));
        self.contention.stale = false;
    }

    /// The crowd hears that the medium has become idle, and who sees that as it does joins it.
    #[inline(never)]
    fn gather_crowd(&mut self) {
        while let Some(NodeId(node)) = self.party_in_crowd() {
            self.single_out(node.into());
        }
        let Self { now, medium, stations, contention, .. } = self;
        contention.crowd.medium_idle(medium.view_of_bystanders());
        let common = medium.common_view();
        keep(&mut contention.active, |node| {
            let station = &mut stations[usize::from(node)];
            station.medium_idle(*now, common.unwrap_or_else(|| medium.view(NodeId(node), false)));
            !station.join_crowd(&mut contention.crowd)
        });
    }

    /// A member of the crowd for whom a reservation does not hold.
    fn party_in_crowd(&self) -> Option<NodeId> {
        let is_member = |node: &NodeId| self.stations.get(usize::from(node.0)).is_some_and(Station::is_in_crowd);
        self.medium.parties().find(is_member)
    }

    /// The silence before a won access.
    fn access_silence(&self, winner: &Station<S>) -> Silence {
        let (from, until) = (self.contention.silence_from, self.now);
        let wanted = self.contention.wanted.unwrap_or(until);
        let Some(waited) = winner.waited() else { return Silence::of_sifs(from, until) };
        Silence {
            from,
            wanted,
            waited: waited.idle_since,
            spaced: waited.idle_since + winner.ifs(),
            recovered: waited.first_slot,
            backed_off: until,
            until,
        }
    }

    /// The silence before an answer or a later frame of an exchange.
    pub(super) fn sifs_silence(&self) -> Silence {
        Silence::of_sifs(self.contention.silence_from, self.now)
    }

    /// The run is over: what is on the air and the last silence are told as far as they got.
    pub fn finish(&mut self) {
        self.report_totals();
        if self.powers.is_some() {
            return self.finish_by_power();
        }
        self.tell_of_silence();
        self.single_all_out();
        let end = self.now;
        let mut cut: Vec<Transmission> = Vec::new();
        while let Some(at) = self.medium.poll_timeout() {
            cut.extend(self.medium.end(at));
        }
        let last = cut.len().saturating_sub(1);
        for (n, transmission) in cut.iter().enumerate() {
            let Transmission { ppdu, start, end, collided } = transmission;
            let (start, collided, idle) = (*start, *collided, n == last);
            let event = Event::End { ppdu, pool: &self.pool, start, collided, damaged: 0, idle };
            self.observer.observe(*end, &event);
        }
        if cut.is_empty() {
            let silence = self.last_silence(end);
            self.observer.observe(end, &Event::Silence(silence));
        }
    }

    /// The silence that the end of the run cuts short: that of whoever would have sent next.
    pub(super) fn last_silence(&self, end: Instant) -> Silence {
        let from = self.contention.silence_from;
        let next = self.contention.active.iter().map(|&node| &self.stations[usize::from(node)]);
        let next = next.filter(|station| station.grant().is_some()).min_by_key(|station| station.grant());
        match next {
            Some(station) => Silence { until: end, ..self.access_silence(station) },
            // Somebody is in an exchange: an answer is due, or will be missed.
            None if self.contention.wanted.is_some() => Silence::of_sifs(from, end),
            None => Silence { wanted: end, ..Silence::of_sifs(from, end) },
        }
    }
}

/// A station has this grant: keeps the `earliest` of all, and whose it is.
#[inline(always)]
fn note_grant(winners: &mut Vec<u16>, earliest: &mut Instant, node: u16, grant: Option<Instant>) {
    let Some(grant) = grant.filter(|grant| grant <= earliest) else { return };
    if grant < *earliest {
        winners.clear();
        *earliest = grant;
    }
    match winners.last() {
        Some(&last) if last > node => winners.insert(winners.partition_point(|&other| other < node), node),
        _ => winners.push(node),
    }
}

/// Adds a station to those that must hear of the medium, if it is none of them.
#[inline(always)]
fn enlist(active: &mut Vec<u16>, node: u16) {
    // Most are the AP, or the one station that it deals with.
    if active.first() == Some(&node) || active.last() == Some(&node) {
        return;
    }
    if let Err(place) = active.binary_search(&node) {
        active.insert(place, node);
    }
}

/// As [`Vec::retain`], in line: few are asked, each at every PPDU.
#[inline(always)]
fn keep(active: &mut Vec<u16>, mut stays: impl FnMut(u16) -> bool) {
    let mut kept = 0;
    for at in 0..active.len() {
        let node = active[at];
        active[kept] = node;
        kept += usize::from(stays(node));
    }
    active.truncate(kept);
}

/// From how many on that wait stations are gathered. It is no more than a guess: cells of few do without, and where 50 wait it makes no difference.
const MANY: usize = 8;

//! Stations whose counters run together.
//!
//! Where many stations wait for the medium, nearly all see the same silences and count the same slots in them, each from a number of its own. A [`Crowd`] counts the slots once
//! for all of them: of a member it knows the slot at which its counter will have run out. Who sees anything of its own (a frame for it, an exchange of its own, a NAV that is
//! not for it) is to leave first, with the counter that it would have had alone, and may join again in a silence that it sees as all do.

use ackless_wire::{Duration, Instant};

use super::{MacConfig, MediumView, Station};
use crate::access::{Parameters, Waited};
use crate::frame::NodeId;
use crate::hooks::Scheme;

/// Stations that wait alike: each has something to send, no exchange under way, and sees the medium as one does whom nobody addresses.
#[derive(Clone, Debug)]
pub struct Crowd {
    parameters: Parameters,
    eifs_extra: Duration,
    /// The slot at which each counter will have run out, and whose it is, in falling order: who comes first is at the end.
    members: Vec<(u64, NodeId)>,
    /// How many slots have gone.
    gone: u64,
    /// The silence in which slots are counted now; `None` while the medium is busy, or nobody has said that it is not.
    silence: Option<Waited>,
}

impl Crowd {
    /// A crowd without members, for those who access the channel as this station does.
    pub fn like<S: Scheme>(station: &Station<S>) -> Self {
        let MacConfig { access: parameters, eifs_extra, .. } = station.config;
        Self { parameters, eifs_extra, members: Vec::new(), gone: 0, silence: None }
    }

    /// Whether nobody is in it.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Who is in it.
    pub fn members(&self) -> impl Iterator<Item = NodeId> {
        self.members.iter().map(|&(_, node)| node)
    }

    /// The medium is idle, and `view` is how it looks to those whom nobody addresses.
    pub fn medium_idle(&mut self, view: MediumView) {
        self.silence = Some(view.silence(self.parameters.ifs, self.eifs_extra));
    }

    /// The medium got busy: counters stop.
    pub fn medium_busy(&mut self, now: Instant) {
        if let Some(silence) = self.silence.take() {
            self.gone += self.parameters.slots_gone(silence.first_slot, now);
        }
    }

    /// Who will begin to send first if the medium stays idle, and when; of several one.
    pub fn first(&self) -> Option<(Instant, NodeId)> {
        let (silence, &(end, node)) = (self.silence?, self.members.last()?);
        Some((silence.first_slot + self.parameters.slot * end.saturating_sub(self.gone), node))
    }

    fn enter(&mut self, node: NodeId, slots: u32) {
        let member = (self.gone + u64::from(slots), node);
        let place = self.members.partition_point(|&other| other > member);
        self.members.insert(place, member);
    }

    /// Takes a member out, and says what its counter stands at.
    fn remove(&mut self, node: NodeId) -> u32 {
        let place = self.members.iter().rposition(|&(_, other)| other == node);
        let place = place.expect("who is in a crowd is in this one, as a cell has no other");
        let (end, _) = self.members.remove(place);
        end.saturating_sub(self.gone) as u32
    }
}

impl<S: Scheme> Station<S> {
    /// Joins a crowd if it waits as its members do. Returns whether it did: then it is told nothing of the medium until it [leaves](Self::leave_crowd).
    pub fn join_crowd(&mut self, crowd: &mut Crowd) -> bool {
        let counts_alike = (self.config.access, self.config.eifs_extra) == (crowd.parameters, crowd.eifs_extra);
        let Some(silence) = crowd.silence.filter(|_| counts_alike && !self.is_engaged()) else { return false };
        let slots = self.access.lend(silence);
        if let Some(slots) = slots {
            crowd.enter(self.config.node, slots);
        }
        slots.is_some()
    }

    /// Leaves the crowd that it is in, and is what it would be if it had been alone.
    pub fn leave_crowd(&mut self, crowd: &mut Crowd) {
        let slots = crowd.remove(self.config.node);
        self.access.take_back(slots, crowd.silence);
    }

    /// Whether its counter is a crowd's affair.
    #[inline(always)]
    pub fn is_in_crowd(&self) -> bool {
        self.access.is_lent()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{BackoffPolicy, ChannelAccess, Function, Settled};
    use ackless_wire::random::{Purpose, Stream};

    const fn us(micros: u64) -> Duration {
        Duration::from_micros(micros)
    }

    /// Stations by their channel access: each alone, and again with its counter lent to the crowd.
    struct Both {
        alone: Vec<ChannelAccess>,
        gathered: Vec<ChannelAccess>,
        crowd: Crowd,
    }

    impl Both {
        fn new(function: Function, stations: u64, seed: u64) -> Self {
            let parameters = Parameters { function, ifs: us(34), slot: us(9), cw_min: 15, cw_max: 1023 };
            let access = |n| {
                let random = Stream::new(seed, n, Purpose::Backoff);
                let mut access = ChannelAccess::new(parameters, BackoffPolicy::Standard, random);
                access.pause(Instant::ZERO);
                access.request(Instant::ZERO);
                access
            };
            let alone: Vec<ChannelAccess> = (0..stations).map(access).collect();
            let crowd = Crowd { parameters, eifs_extra: us(60), members: Vec::new(), gone: 0, silence: None };
            Self { gathered: alone.clone(), alone, crowd }
        }

        /// The medium is idle: all hear of it, and who hears it for itself joins the crowd if it waits as all do. Some see less of it than others.
        fn medium_idle(&mut self, view: MediumView, random: &mut Stream) {
            let common = view.silence(self.crowd.parameters.ifs, self.crowd.eifs_extra);
            let held = Waited { idle_since: common.idle_since + us(20), first_slot: common.first_slot + us(20) };
            let deaf = Waited { first_slot: common.first_slot + us(60), ..common };
            let early = Waited { idle_since: common.idle_since - us(1), ..common };
            let seen = [common, common, common, common, common, held, deaf, early];
            let seen: Vec<Waited> = self.alone.iter().map(|_| seen[random.below(8) as usize]).collect();
            for (node, &own) in seen.iter().enumerate() {
                if own != common && self.gathered[node].is_lent() {
                    self.leave(node);
                }
            }
            self.crowd.medium_idle(view);
            for (node, &own) in seen.iter().enumerate() {
                let (alone, gathered) = (&mut self.alone[node], &mut self.gathered[node]);
                alone.resume(own.idle_since, own.first_slot);
                if gathered.is_lent() {
                    continue;
                }
                gathered.resume(own.idle_since, own.first_slot);
                let asks_late = !alone.wants() && own == common && random.below(2) == 0;
                if asks_late {
                    let now = own.first_slot + us(random.below(40));
                    alone.request(now);
                    gathered.request(now);
                }
                let waits_alike = own == common && gathered.wants() && !asks_late;
                let slots = gathered.lend(common);
                assert_eq!(slots.is_some(), waits_alike, "{own:?} beside {common:?}");
                if let Some(slots) = slots {
                    self.crowd.enter(NodeId(node as u16), slots);
                }
            }
        }

        /// The earliest grant, and whose it is: of the crowd, or of those beside it.
        fn first(&self) -> Option<(Instant, usize)> {
            let apart = self.gathered.iter().enumerate().filter(|(_, access)| !access.is_lent());
            let apart = apart.filter_map(|(node, access)| access.grant().map(|at| (at, node)));
            apart.chain(self.crowd.first().map(|(at, NodeId(node))| (at, node.into()))).min()
        }

        fn leave(&mut self, node: usize) {
            let slots = self.crowd.remove(NodeId(node as u16));
            self.gathered[node].take_back(slots, self.crowd.silence);
            assert_eq!(format!("{:?}", self.gathered[node]), format!("{:?}", self.alone[node]), "station {node}");
        }
    }

    #[test]
    fn counters_that_run_together_run_as_each_would_alone() {
        for (function, seed) in [Function::Dcf, Function::Edca].into_iter().flat_map(|f| (0..40).map(move |s| (f, s))) {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let mut both = Both::new(function, 1 + random.below(12), seed);
            let mut now = Instant::ZERO + us(100);
            for _ in 0..200 {
                let nav_until = now + us(random.below(3) * 40);
                let unintelligible = random.below(4) == 0;
                let view = MediumView { busy: false, idle_since: now, nav_until, unintelligible, ending: false };
                both.medium_idle(view, &mut random);
                let least = both.alone.iter().filter_map(ChannelAccess::grant).min();
                let first = both.first();
                assert_eq!(first.map(|(grant, _)| grant), least, "seed {seed}");
                let Some((grant, winner)) = first else {
                    // Nobody has anything to send: somebody gets something.
                    now += us(500);
                    both.alone[0].request(now);
                    both.gathered[0].request(now);
                    continue;
                };
                assert_eq!(both.alone[winner].grant(), Some(grant), "seed {seed}");
                // Mostly somebody sends when the first counter has run out, sometimes an answer comes before.
                now = if random.below(4) == 0 { now + us(random.below(200)).min(grant - now) } else { grant };
                let sends = now == grant;
                if both.gathered[winner].is_lent() && (sends || random.below(4) == 0) {
                    both.leave(winner);
                }
                both.crowd.medium_busy(now);
                for access in &mut both.alone {
                    access.pause(now);
                }
                let apart = both.gathered.iter_mut().filter(|access| !access.is_lent());
                apart.for_each(|access| access.pause(now));
                if sends {
                    let how = if random.below(2) == 0 { Settled::Done } else { Settled::Failed };
                    let waiting = random.below(4) > 0;
                    for access in [&mut both.alone, &mut both.gathered].map(|all| &mut all[winner]) {
                        access.settle(how, waiting);
                    }
                }
                let node = random.below(both.alone.len() as u64) as usize;
                if both.gathered[node].is_lent() {
                    both.leave(node);
                }
                now += us(1 + random.below(500));
            }
        }
    }
}

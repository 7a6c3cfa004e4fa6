//! A TCP download whose ACKs contend with its data: back-offs that run at the same time, collisions, and what they cost.
//!
//! The mean back-offs of [`Download::tcp`](super::Download::tcp) follow each other. In a cell they overlap: access point and
//! client count down together, which saves time, and now and then both reach zero in the same slot, which costs a whole PPDU
//! and doubles both windows. Here the two counters are followed as a Markov chain from access to access:
//!
//! - the access point always has data, and so a counter; the client has one while it holds ACKs;
//! - a data PPDU gives the client its ACKs at the end of the exchange, where it draws a counter if it has none;
//! - who succeeds draws from CWmin anew; the other's counter stands where it is. By EDCA it has also stepped at the slot
//!   boundary where the winner began (802.11-2020, 10.23.2.4), by DCF not (10.3.4.3);
//! - who collides waits for its answer in vain (SIFS, slot, preamble) if that ends after the medium is idle again, doubles its
//!   window, and, if it sent an A-MPDU, first sends a BlockAck Request;
//! - a client that aggregates sends all ACKs that it holds, as far as a BlockAck's window goes, else one.
//!
//! A renewal is an access point's success that gives ACKs to a client that had none: both then have fresh counters. The
//! chain is followed from one to the next, with the probability of each state, until what is left is too unlikely to matter.
//!
//! Where each data PPDU causes as many ACKs as one PPDU takes, as with an ACK for every packet and no aggregation, neither side
//! ever gets ahead, and nothing is renewed: TCP's window wanders between the two queues, and either is rarely empty. Then both
//! are saturated, and half of what succeeds is data: [`Saturation`](crate::Saturation) with two stations. A window of a few
//! packets, which does empty a queue now and then, collides less.
//!
//! Not modelled: host latency (ACKs are there at the end of the exchange), retry limits, a BlockAck Request that shares a
//! TXOP with what follows, a sender that runs out of data, capture of the stronger signal. A PPDU of ACKs counts one for
//! segments left over, though the next data would have completed it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use ackless_phy::TxVector;
use ackless_wire::{BitRate, Bytes};

use crate::exchange::{BLOCK_ACK, Exchange};
use crate::hack::Download;
use crate::saturation::{Access, Contention, Counter};

/// What contention makes of a TCP download.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Contended {
    /// Application data over time, rounded down.
    pub goodput: BitRate,
    /// The share of the access point's PPDUs that collide, BlockAck Requests included.
    pub access_point_failures: f64,
    /// The share of the client's PPDUs that collide, BlockAck Requests included.
    pub client_failures: f64,
    /// Data PPDUs delivered for each of the client's PPDUs of ACKs.
    pub data_per_ack_ppdu: f64,
}

/// TCP with native ACKs over `download`'s link.
pub fn tcp(download: &Download) -> Contended {
    let race = Race::of(download);
    if race.client_keeps_up() { race.run() } else { race.saturated() }
}

/// TCP whose ACKs go out as `group`, each alone, and are neither answered nor sent again: the 802.11 ACK filter. An ACK that
/// collides is lost, and the next says as much.
///
/// Nothing where the link aggregates, or where there is an ACK for every packet, so that the client never gets ahead.
pub fn tcp_with_unanswered_acks(download: &Download, group: TxVector) -> Option<Contended> {
    let race = Race { unanswered: Some(group), ..Race::of(download) };
    (download.link.aggregation.is_none() && race.client_keeps_up()).then(|| race.run())
}

/// The costs of everything that can happen, and the rules of the back-off.
struct Race<'a> {
    download: &'a Download,
    data: Exchange,
    /// Data PPDUs that make a batch of ACKs: as many as one ACK takes, 1 where a PPDU causes at least one.
    ppdus_per_batch: u64,
    /// The most ACKs in a PPDU.
    most_acks: u64,
    /// A BlockAck Request: its own duration, and that with its answer.
    request: (f64, f64),
    wait: f64,
    slot: f64,
    timeout: f64,
    /// 1 where a counter also steps as another begins to send.
    step_at_busy: u16,
    /// How ACKs are sent, if nobody answers them.
    unanswered: Option<TxVector>,
}

/// Between two accesses, at the moment when the medium falls idle; all but the one counter that may stand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    access_point: Side,
    client: Side,
    /// Batches of ACKs that the client holds. Without any it does not contend.
    batches: u64,
    /// Data PPDUs towards the next batch.
    ppdus: u64,
    /// Whose counter was drawn before.
    stands: Stands,
}

/// One of the two that contend.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Side {
    /// How often its window is doubled.
    stage: u8,
    /// Slots by which it begins to wait after the medium fell idle.
    late: u16,
    /// Whether it has to ask for a BlockAck first.
    asks: bool,
}

/// Whose counter stands from before; the others are to be drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stands {
    Nobody,
    AccessPoint,
    Client,
}

/// The probability of a state for each value of the counter that stands; a single one where none does.
struct Likely(Vec<f64>);

/// Who begins next, by probability.
struct Draw {
    /// The access point alone, by what the client's counter is then.
    data: Likely,
    /// The client alone, by what the access point's counter is then.
    acks: Likely,
    /// Both.
    both: f64,
    /// The slots until then, weighted by probability.
    slots: f64,
}

/// What is summed up between renewals, weighted by probability.
#[derive(Default)]
struct Sums {
    seconds: f64,
    data: f64,
    acks: f64,
    access_point_attempts: f64,
    client_attempts: f64,
    collisions: f64,
}

impl<'a> Race<'a> {
    fn of(download: &'a Download) -> Self {
        let link = &download.link;
        let data = download.data_exchange();
        let request = link.answer.duration(BLOCK_ACK_REQUEST);
        let answered = request + link.timing.sifs + link.answer.duration(BLOCK_ACK);
        Self {
            download,
            data,
            ppdus_per_batch: (download.segments_per_ack / data.packets).max(1),
            most_acks: link.most_packets(download.ack),
            request: (request.as_secs_f64(), answered.as_secs_f64()),
            wait: link.wait.as_secs_f64(),
            slot: link.timing.slot.as_secs_f64(),
            timeout: link.timing.answer_timeout(link.answer).as_secs_f64(),
            step_at_busy: u16::from(link.wait > link.timing.difs()),
            unanswered: None,
        }
    }

    /// Whether the client has fewer accesses to make than the access point, and so runs out of ACKs now and then.
    fn client_keeps_up(&self) -> bool {
        self.ppdus_per_batch > 1 || self.ack_exchange(u64::MAX).0 > 1
    }

    /// What two stations get that both always contend, one with data and one with ACKs.
    fn saturated(&self) -> Contended {
        let (link, (_, acks)) = (&self.download.link, self.ack_exchange(1));
        let timeout = link.timing.answer_timeout(link.answer);
        let access = Access {
            payload: self.download.segment * self.data.packets,
            slot: link.timing.slot,
            success: (self.data.busy() + acks.busy()) / 2 + link.wait,
            collision: self.data.data().max(acks.data()) + timeout + link.wait,
        };
        let counter = if self.step_at_busy > 0 { Counter::StepsAtBusy } else { Counter::Freezes };
        let contention = Contention { stations: 2, cw_min: link.cw_min, cw_max: link.timing.cw_max, counter };
        let both = contention.solve(&access);
        Contended {
            goodput: BitRate::from_bps(both.throughput.bps() / 2),
            access_point_failures: both.collision_probability,
            client_failures: both.collision_probability,
            data_per_ack_ppdu: 1.0,
        }
    }

    fn run(&self) -> Contended {
        let sides = (Side::default(), Side::default());
        let renewal = State { access_point: sides.0, client: sides.1, batches: 1, ppdus: 0, stands: Stands::Nobody };
        let mut sums = Sums::default();
        let mut states = BTreeMap::from([(renewal, Likely(vec![1.0]))]);
        while !states.is_empty() {
            let mut next = BTreeMap::new();
            for (state, likely) in states {
                for (after, likely) in self.access(&state, &likely, &mut sums) {
                    if after != renewal && likely.sum() > NEGLIGIBLE {
                        next.entry(after).or_insert(Likely(Vec::new())).add(&likely);
                    }
                }
            }
            states = next;
        }
        let payload = (self.download.segment * self.data.packets).bits() as f64;
        Contended {
            goodput: BitRate::from_bps((payload * sums.data / sums.seconds) as u64),
            access_point_failures: sums.collisions / sums.access_point_attempts,
            client_failures: sums.collisions / sums.client_attempts,
            data_per_ack_ppdu: sums.data / sums.acks,
        }
    }

    /// All that can follow `state`.
    fn access(&self, state: &State, likely: &Likely, sums: &mut Sums) -> Vec<(State, Likely)> {
        let draw = self.draw(state, likely);
        sums.seconds += likely.sum() * self.wait + draw.slots * self.slot;
        let mut follows = vec![(self.data_goes(state, draw.data.sum(), sums), draw.data)];
        if state.batches > 0 {
            let (batches, acks) = self.ack_exchange(state.batches);
            follows.push((self.acks_go(state, batches, &acks, draw.acks.sum(), sums), draw.acks));
            follows.push((self.collide(state, &acks, draw.both, sums), Likely(vec![draw.both])));
        }
        follows
    }

    /// Draws the counters that are to be drawn, and compares.
    fn draw(&self, state: &State, likely: &Likely) -> Draw {
        let contends = state.batches > 0;
        let windows = (self.window(state.access_point.stage), self.window(state.client.stage));
        let mut draw = Draw { data: Likely::none(windows.1), acks: Likely::none(windows.0), both: 0.0, slots: 0.0 };
        for (standing, &given) in (0..).zip(&likely.0).filter(|(_, given)| **given > 0.0) {
            let own = if state.stands == Stands::AccessPoint { standing..=standing } else { 0..=windows.0 };
            let other = match (contends, state.stands) {
                (true, Stands::Client) => standing..=standing,
                (true, _) => 0..=windows.1,
                (false, _) => 0..=0,
            };
            let share = given / (own.len() * other.len()) as f64;
            for own in own {
                for other in other.clone() {
                    let begins = (own + state.access_point.late, other + state.client.late);
                    let (first, order) = match contends {
                        true => (begins.0.min(begins.1), begins.0.cmp(&begins.1)),
                        false => (begins.0, Ordering::Less),
                    };
                    draw.slots += share * f64::from(first);
                    match order {
                        Ordering::Less => draw.data.0[self.rest(other, &state.client, first)] += share,
                        Ordering::Greater => draw.acks.0[self.rest(own, &state.access_point, first)] += share,
                        Ordering::Equal => draw.both += share,
                    }
                }
            }
        }
        draw
    }

    /// The access point alone transmits: what follows.
    fn data_goes(&self, state: &State, share: f64, sums: &mut Sums) -> State {
        let asks = state.access_point.asks;
        sums.seconds += share * if asks { self.request.1 } else { self.data.busy().as_secs_f64() };
        sums.access_point_attempts += share;
        let client = Side { late: 0, ..state.client };
        let stands = if state.batches > 0 { Stands::Client } else { Stands::Nobody };
        let after = State { access_point: Side::default(), client, stands, ..*state };
        if asks {
            return after;
        }
        sums.data += share;
        match state.ppdus + 1 {
            ppdus if ppdus < self.ppdus_per_batch => State { ppdus, ..after },
            _ => State { ppdus: 0, batches: state.batches + 1, ..after },
        }
    }

    /// The client alone transmits so many batches as `acks`: what follows.
    fn acks_go(&self, state: &State, batches: u64, acks: &Exchange, share: f64, sums: &mut Sums) -> State {
        let asks = state.client.asks;
        sums.seconds += share * if asks { self.request.1 } else { acks.busy().as_secs_f64() };
        sums.client_attempts += share;
        let access_point = Side { late: 0, ..state.access_point };
        let after = State { access_point, client: Side::default(), stands: Stands::AccessPoint, ..*state };
        if asks {
            return after;
        }
        sums.acks += share;
        State { batches: state.batches - batches, ..after }
    }

    /// Both transmit at once, and nothing arrives: what follows.
    fn collide(&self, state: &State, acks: &Exchange, share: f64, sums: &mut Sums) -> State {
        let on_air = |side: &Side, exchange: &Exchange| {
            if side.asks { self.request.0 } else { exchange.data().as_secs_f64() }
        };
        let own = on_air(&state.access_point, &self.data);
        let other = on_air(&state.client, acks);
        let busy = own.max(other);
        sums.seconds += share * busy;
        sums.access_point_attempts += share;
        sums.client_attempts += share;
        sums.collisions += share;
        let after = |side: &Side, exchange: &Exchange, on_air: f64| Side {
            stage: (side.stage + 1).min(self.last_stage()),
            late: self.slots_in(on_air + self.timeout - busy),
            asks: side.asks || exchange.packets > 1,
        };
        let access_point = after(&state.access_point, &self.data, own);
        let collided = State { access_point, stands: Stands::Nobody, ..*state };
        match self.unanswered {
            // It cannot know, and goes on as after a success.
            Some(_) => State { client: Side::default(), batches: state.batches - 1, ..collided },
            None => State { client: after(&state.client, acks, other), ..collided },
        }
    }

    /// What is left of `side`'s counter when the other has begun after `slots`.
    fn rest(&self, counter: u16, side: &Side, slots: u16) -> usize {
        let steps = (slots + self.step_at_busy).saturating_sub(side.late);
        usize::from(counter.saturating_sub(steps))
    }

    /// What the client sends when it holds so many batches: how many of them, and the exchange.
    fn ack_exchange(&self, batches: u64) -> (u64, Exchange) {
        if let Some(group) = self.unanswered {
            return (1, self.download.link.unanswered(group, self.download.ack));
        }
        let segments = self.ppdus_per_batch * self.data.packets;
        let fit = (self.most_acks * self.download.segments_per_ack / segments).clamp(1, batches);
        let acks = (fit * segments).div_ceil(self.download.segments_per_ack);
        (fit, self.download.link.exchange(acks, self.download.ack))
    }

    /// CW at this stage.
    fn window(&self, stage: u8) -> u16 {
        let doubled = ((u32::from(self.download.link.cw_min) + 1) << stage) - 1;
        u16::try_from(doubled).unwrap_or(u16::MAX).min(self.download.link.timing.cw_max)
    }

    /// The first stage with the largest window.
    fn last_stage(&self) -> u8 {
        let most = self.download.link.timing.cw_max;
        (0..16).find(|&stage| self.window(stage) >= most).unwrap_or(15)
    }

    /// The slots that cover a time; none for none left.
    fn slots_in(&self, seconds: f64) -> u16 {
        libm::ceil((seconds / self.slot - ROUNDING).max(0.0)) as u16
    }
}

impl Likely {
    /// Impossible, for counters up to `window`.
    fn none(window: u16) -> Self {
        Self(vec![0.0; usize::from(window) + 1])
    }

    fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    fn add(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()), 0.0);
        for (sum, part) in self.0.iter_mut().zip(&other.0) {
            *sum += part;
        }
    }
}

/// A BlockAckReq frame (9.3.1.7).
const BLOCK_ACK_REQUEST: Bytes = Bytes(24);

/// States less likely than this are left out. Goodput then is within 0.05 % of what it is with a ten-thousandth of this.
const NEGLIGIBLE: f64 = 1e-7;

/// Parts of a slot that are no time but the error of floating point.
const ROUNDING: f64 = 1e-6;

#[cfg(test)]
mod tests;

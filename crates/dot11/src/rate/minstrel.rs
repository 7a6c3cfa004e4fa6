//! Minstrel-HT as in Linux 6.12 (`net/mac80211/rc80211_minstrel_ht.c`): a sender learns from acknowledgements which rate carries most.
//!
//! - Rates stand in groups of equal streams, guard interval and width ([`groups`]).
//! - Every 50 ms the share of acknowledged MPDUs of each rate goes into its average, and from these follow the four rates of most throughput
//!   and the one that is most likely to arrive ([`statistics`]).
//! - Each PPDU has a chain: the best rate, the second, the third, then the likeliest, each so often as fits into 6 ms. Where nothing of a PPDU is
//!   acknowledged, the next try in the chain follows; where something is, or the chain is at its end, a new one begins.
//! - At most every 20 ms a chain begins with one try of another rate ([`sampling`]), by turns one step faster than the best, any that is faster,
//!   or a slower one.
//!
//! What a driver has to decide is as in ath9k where it can be: a tried rate carries one MPDU alone, all rates but the first are preceded by RTS and
//! CTS, and RTSs and BlockAck Requests go at the lowest rate. Not as there:
//!
//! - times are exact and no ticks of the kernel's clock;
//! - the outcome of a try is counted when it is known, not at the end of its chain, and where it is missing a BlockAck Request asks for it
//!   (see [`super`]);
//! - an A-MPDU is as long as the rate of its own try allows, where ath9k looks at the slowest of the chain and at 4 ms;
//! - a frame is given up by `retry_limit` and not at the end of its chain, which goes on from the beginning; so that no frame is given up before
//!   the likeliest rate has been tried, as in no driver, the last try that the limit leaves has that rate;
//! - 802.11b sends with the preamble of the scenario and does not try the other, and no HT rate is mixed with CCK's.

use ackless_phy::{GuardInterval, TxVector};
use ackless_wire::{Bytes, Duration, Instant};

use super::Attempt;
use groups::Group;
use index::Index;
pub use sampling::SampleTable;
use sampling::Samples;

mod groups;
mod index;
mod sampling;
mod statistics;

/// The state of one link.
#[derive(Debug)]
pub(crate) struct Minstrel {
    /// The groups that the link has rates of, in the kernel's order.
    groups: Vec<Group>,
    overhead: Overhead,
    /// MPDUs and PPDUs since the last update, and their average ratio, in 1/4096.
    mpdus: u32,
    ppdus: u32,
    average_mpdus: u32,
    /// The rates of most throughput, best first.
    best: [Index; BEST],
    /// The rate that is most likely to arrive.
    likeliest: Index,
    samples: Samples,
    /// When statistics were last updated.
    updated: Instant,
    /// The retry chain of a PPDU that tries no other rate.
    usual: [Stage; STAGES],
    chain: Option<Chain>,
    /// The longest A-MSDU.
    amsdu: Bytes,
}

/// What a frame costs beside its payload, in microseconds.
#[derive(Clone, Copy, Debug)]
struct Overhead {
    bare: u32,
    with_rts: u32,
}

/// One rate of a retry chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stage {
    index: Index,
    /// How often it is tried.
    tries: u32,
}

/// A retry chain under way.
#[derive(Clone, Copy, Debug)]
struct Chain {
    stages: [Stage; STAGES],
    /// The stage that it has come to, and how often that has been tried.
    at: usize,
    tried: u32,
    /// Its first stage is a rate that is tried out.
    samples: bool,
}

/// Rates of most throughput that are kept (MAX_THR_RATES).
const BEST: usize = 4;
/// Rates of a chain, as many as the hardware takes (IEEE80211_TX_RATE_TABLE_SIZE).
const STAGES: usize = 4;
/// From one update of the statistics to the next.
const UPDATE: Duration = Duration::from_millis(50);
/// One, in probabilities and averages.
const ONE: u32 = 1 << 12;

impl Minstrel {
    pub(crate) fn new(table: SampleTable, best: TxVector) -> Self {
        let groups = groups::of(best);
        let lowest = Index::LOWEST;
        let stage = Stage { index: lowest, tries: 1 };
        let mut minstrel = Self {
            overhead: Overhead::of(best),
            mpdus: 0,
            ppdus: 0,
            average_mpdus: ONE,
            best: [lowest; BEST],
            likeliest: lowest,
            samples: Samples::new(table, &groups),
            groups,
            updated: Instant::ZERO,
            usual: [stage; STAGES],
            chain: None,
            amsdu: Attempt::ANY_AMSDU,
        };
        minstrel.update(Instant::ZERO);
        minstrel.set_chain();
        minstrel
    }

    pub(crate) fn choose(&mut self, now: Instant, last: bool) -> Attempt {
        let chain = self.chain.get_or_insert_with(|| {
            let mut stages = self.usual;
            let sample = self.samples.due(now);
            if let Some(index) = sample {
                stages[0] = Stage { index, tries: 1 };
            }
            Chain { stages, at: 0, tried: 0, samples: sample.is_some() }
        });
        if last {
            (chain.at, chain.tried) = (STAGES - 1, 0);
        }
        let chain = *chain;
        let rate = self.rate(chain.stages[chain.at].index);
        Attempt { rate, protect: chain.at > 0, alone: chain.samples && chain.at == 0, amsdu: self.amsdu }
    }

    pub(crate) fn report(&mut self, now: Instant, sent: u32, acknowledged: u32, over: bool) {
        let Some(chain) = &mut self.chain else { return };
        let tried = chain.stages[chain.at].index;
        if acknowledged > 0 || over || sent == 0 || !chain.advance() {
            self.chain = None;
        }
        if sent == 0 {
            return;
        }
        self.mpdus += sent;
        self.ppdus += 1;
        let stats = self.group_mut(tried).stats_mut(tried);
        stats.attempts += sent;
        stats.successes += acknowledged;
        let mut changed = self.leave_what_died();
        if now > self.updated + UPDATE {
            self.update(now);
            changed = true;
        }
        if changed {
            self.set_chain();
        }
    }

    /// Where one of the two best rates suddenly carries less than a quarter of more than 30 MPDUs, the best of a group below takes its place
    /// without waiting for the update. Returns whether that was so.
    fn leave_what_died(&mut self) -> bool {
        let mut changed = false;
        for place in 0..2 {
            let stats = self.stats(self.best[place]);
            if stats.attempts > 30 && stats.successes < stats.attempts / 4 {
                let streams = self.group(self.best[place]).streams;
                let below = &self.groups[..usize::from(self.best[place].group)];
                if let Some(group) = below.iter().rfind(|group| group.streams <= streams) {
                    self.best[place] = group.best[place];
                }
                changed = true;
            }
        }
        changed
    }

    /// Puts the usual chain together.
    fn set_chain(&mut self) {
        self.amsdu = self.longest_amsdu();
        let indices = [self.best[0], self.best[1], self.best[2], self.likeliest];
        for (place, index) in indices.into_iter().enumerate() {
            let tries = self.tries(index);
            let unlikely = self.stats(index).average < ONE / 5;
            let tries = if place == 0 { tries.bare } else { tries.with_rts };
            self.usual[place] = Stage { index, tries: if unlikely { 2 } else { tries } };
        }
    }

    /// The longest A-MSDU: the slower the likeliest rate, the shorter (`minstrel_ht_get_max_amsdu_len`). The bounds are what a packet lasts at MCS 1,
    /// 3 and 7 with one stream, 20 MHz and the long guard interval.
    fn longest_amsdu(&self) -> Bytes {
        let slowest = self.duration(self.likeliest);
        let [mcs_1, mcs_3, mcs_7] = [52, 104, 260].map(|bits| groups::aggregated(bits, GuardInterval::Long));
        match () {
            () if self.stats(self.likeliest).average < ONE / 2 => Bytes(1),
            () if slowest > mcs_1 => Bytes(500),
            () if slowest > mcs_3 => Bytes(1_600),
            () if slowest > mcs_7 || self.stats(self.best[0]).average < ONE * 75 / 100 => Bytes(3_200),
            () => Attempt::ANY_AMSDU,
        }
    }

    fn rate(&self, index: Index) -> TxVector {
        self.group(index).rates[usize::from(index.rate)].expect("an index names a rate that there is")
    }

    fn group(&self, index: Index) -> &Group {
        &self.groups[usize::from(index.group)]
    }

    fn group_mut(&mut self, index: Index) -> &mut Group {
        &mut self.groups[usize::from(index.group)]
    }

    /// How long an average packet lasts at this rate, in nanoseconds.
    fn duration(&self, index: Index) -> u32 {
        self.group(index).durations[usize::from(index.rate)]
    }
}

impl Chain {
    /// Goes on to the next try; false where there is none.
    fn advance(&mut self) -> bool {
        self.tried += 1;
        if self.tried >= self.stages[self.at].tries {
            (self.at, self.tried) = (self.at + 1, 0);
        }
        self.at < STAGES
    }
}

impl Overhead {
    /// SIFS, preamble and an empty frame, and its Ack, at 6 Mbps; for 802.11a, b and g the Ack alone, at the lowest rate
    /// (`ieee80211_frame_duration`, where 2.4 GHz counts as OFDM but for 802.11b).
    const fn of(best: TxVector) -> Self {
        let (empty, ack) = match best {
            TxVector::Ht(_) | TxVector::Vht(_) => (ofdm_at_6(0), ofdm_at_6(10)),
            TxVector::Ofdm(_) => (0, ofdm_at_6(10)),
            // SIFS, the short preamble, and 14 bytes at 1 Mbps.
            TxVector::Dsss(_) => (0, 10 + 72 + 24 + 14 * 8),
        };
        Self { bare: empty + ack, with_rts: empty + ack + 2 * ack }
    }
}

/// SIFS with signal extension, preamble and a frame of so many bytes and FCS at 6 Mbps, in microseconds.
const fn ofdm_at_6(bytes: u32) -> u32 {
    16 + 16 + 4 + 4 * (16 + 8 * (bytes + 4) + 6).div_ceil(24)
}

#[cfg(test)]
mod tests;

//! The groups of rates: equal in streams, guard interval and width.

use ackless_phy::{DsssRate, GuardInterval, HtMode, OfdmRate, Preamble, TxVector, VhtMode, Width};

use super::BEST;
use super::index::Index;
use super::statistics::Statistics;

/// The rates of a group (MCS_GROUP_RATES).
pub(super) const RATES: usize = 10;

/// A group of rates.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Its place in the kernel's table of groups.
    number: u8,
    pub(super) streams: u8,
    /// CCK or OFDM, without A-MPDUs.
    pub(super) legacy: bool,
    pub(super) rates: [Option<TxVector>; RATES],
    /// How long a packet of 1,200 bytes lasts, in nanoseconds, as the kernel's table has it.
    pub(super) durations: [u32; RATES],
    pub(super) statistics: [Statistics; RATES],
    /// Its rates of most throughput.
    pub(super) best: [Index; BEST],
    /// The one that is most likely to arrive.
    pub(super) likeliest: Index,
    /// How far it has come in the sample table: column and line.
    pub(super) sampled: (usize, usize),
}

impl Group {
    pub(super) fn stats_mut(&mut self, index: Index) -> &mut Statistics {
        &mut self.statistics[usize::from(index.rate)]
    }

    /// The places of the rates that there are, slowest first.
    pub(super) fn places(&self) -> impl DoubleEndedIterator<Item = u8> + use<> {
        let rates = self.rates;
        (0..RATES as u8).filter(move |place| rates[usize::from(*place)].is_some())
    }

    /// Whether it is the first of the kernel's groups.
    pub(super) const fn is_kernels_first(&self) -> bool {
        self.number == 0
    }

    fn new(number: u8, streams: u8, durations: [u32; RATES]) -> Self {
        let none = Index::LOWEST;
        Self {
            number,
            streams,
            legacy: number == CCK || number == OFDM,
            rates: [None; RATES],
            durations,
            statistics: [Statistics::default(); RATES],
            best: [none; BEST],
            likeliest: none,
            sampled: (0, 0),
        }
    }
}

/// The groups of a link that sends with `best` at best. Linux has none of more than four streams, and none of 160 MHz.
pub(super) fn of(best: TxVector) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for vector in best.all_up_to() {
        let Some((number, rate)) = place(vector) else { continue };
        let at = groups.binary_search_by_key(&number, |group| group.number).unwrap_or_else(|at| {
            groups.insert(at, Group::new(number, vector.streams() as u8, durations(vector)));
            at
        });
        groups[at].rates[usize::from(rate)] = Some(vector);
    }
    for (n, group) in groups.iter_mut().enumerate() {
        let first = Index { group: n as u8, rate: 0 };
        (group.best, group.likeliest) = ([first; BEST], first);
    }
    groups
}

/// The number of a rate's group and its place in it, as the kernel counts them; nothing where it has none.
fn place(vector: TxVector) -> Option<(u8, u8)> {
    match vector {
        TxVector::Ht(mode) => Some((shape(mode.width(), mode.guard(), mode.streams()), mode.mcs() % 8)),
        TxVector::Vht(mode) if mode.streams() > 4 || mode.width() == Width::Mhz160 => None,
        TxVector::Vht(mode) => Some((VHT + shape(mode.width(), mode.guard(), mode.streams()), mode.mcs())),
        TxVector::Ofdm(mode) => Some((OFDM, mode.rate as u8)),
        TxVector::Dsss(mode) => {
            let short = if mode.preamble_format() == Preamble::Short { DsssRate::ALL.len() as u8 } else { 0 };
            Some((CCK, short + mode.data_rate() as u8))
        }
    }
}

/// Width first, then the guard interval, then the streams.
const fn shape(width: Width, guard: GuardInterval, streams: u64) -> u8 {
    let width = match width {
        Width::Mhz20 => 0,
        Width::Mhz40 => 1,
        Width::Mhz80 | Width::Mhz160 => 2,
    };
    8 * width + if matches!(guard, GuardInterval::Short) { 4 } else { 0 } + streams as u8 - 1
}

const CCK: u8 = 16;
const OFDM: u8 = 17;
const VHT: u8 = 18;

/// How long an average packet lasts at each rate of the group of `vector`, in nanoseconds. The kernel keeps them in 16 bits, at a common shift of
/// the group.
fn durations(vector: TxVector) -> [u32; RATES] {
    let spans: [u32; RATES] = match vector {
        TxVector::Ht(mode) => std::array::from_fn(|code| {
            let vector = HtMode::new(
                8 * (mode.streams() as u8 - 1) + (code as u8).min(7),
                mode.width(),
                mode.guard(),
                mode.band(),
            );
            aggregated(vector.expect("every group has all eight codings").bits_per_symbol(), mode.guard())
        }),
        TxVector::Vht(mode) => std::array::from_fn(|code| {
            // Not every group has every coding: what one stream carries says how many bits it would have.
            let one = VhtMode::new(code as u8, 1, mode.width(), mode.guard());
            let bits = one.map_or(BITS_OF_MCS_9_AT_20_MHZ, VhtMode::bits_per_symbol);
            aggregated(bits * mode.streams(), mode.guard())
        }),
        TxVector::Ofdm(_) => std::array::from_fn(|rate| {
            let rate = OfdmRate::ALL[rate.min(OfdmRate::ALL.len() - 1)];
            let hundreds = (rate.bits().bps() / 100_000) as u32;
            1_000 * (16 + 16 + 4 + 4 * ((16 + 80 * (PACKET + 4) + 6) / (hundreds * 4)))
        }),
        TxVector::Dsss(_) => std::array::from_fn(|rate| {
            let of_short = rate >= DsssRate::ALL.len();
            let preamble = if of_short { 72 + 24 } else { 144 + 48 };
            let hundreds = (DsssRate::ALL[rate % DsssRate::ALL.len()].bits().bps() / 100_000) as u32;
            1_000 * (10 + preamble + 8 * (PACKET + 4) * 10 / hundreds)
        }),
    };
    let shift = (16u32).saturating_sub(spans[0].leading_zeros());
    spans.map(|span| span >> shift << shift)
}

/// The share of one packet in an A-MPDU of sixteen.
pub(super) const fn aggregated(bits_per_symbol: u64, guard: GuardInterval) -> u32 {
    let symbols = (PACKET as u64 * AGGREGATE * 8).div_ceil(bits_per_symbol);
    let span = match guard {
        GuardInterval::Short => (symbols * 18_000 + 4_000) / 5,
        GuardInterval::Long => symbols * 4_000,
    };
    (span / AGGREGATE) as u32
}

/// AVG_PKT_SIZE.
const PACKET: u32 = 1_200;
/// AVG_AMPDU_SIZE.
const AGGREGATE: u64 = 16;
/// VHT MCS 9 with one stream at 20 MHz, which the standard leaves out.
const BITS_OF_MCS_9_AT_20_MHZ: u64 = 346;

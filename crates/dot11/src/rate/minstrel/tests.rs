//! Numbers worked by hand from the kernel's formulas, and what the whole makes of a lossy link.

use ackless_phy::{
    Band, BitErrors, Db, DsssRate, GuardInterval, HtMode, OfdmRate, Preamble, VhtMode, Width, dsss::DsssMode,
};
use ackless_wire::Bytes;
use ackless_wire::random::{Purpose, Stream};

use super::statistics::Tries;
use super::*;

fn ht(mcs: u8, width: Width, guard: GuardInterval) -> TxVector {
    TxVector::Ht(HtMode::new(mcs, width, guard, Band::Ghz5).expect("a mode of 802.11n"))
}

fn vht(mcs: u8, streams: u8) -> TxVector {
    TxVector::Vht(VhtMode::new(mcs, streams, Width::Mhz80, GuardInterval::Short).expect("a mode of 802.11ac"))
}

fn link(best: TxVector) -> Minstrel {
    Minstrel::new(SampleTable::new(&mut Stream::new(1, 0, Purpose::Test)), best)
}

/// The eight rates of 802.11n with one stream, 20 MHz and the long guard interval.
fn narrow() -> Minstrel {
    link(ht(7, Width::Mhz20, GuardInterval::Long))
}

fn index(group: u8, rate: u8) -> Index {
    Index { group, rate }
}

/// Sets what was counted of a rate.
fn count(minstrel: &mut Minstrel, index: Index, attempts: u32, successes: u32) {
    let stats = minstrel.group_mut(index).stats_mut(index);
    (stats.attempts, stats.successes) = (attempts, successes);
}

#[test]
fn durations_are_those_of_the_kernels_table() {
    let duration = |best, rate: u8| {
        let minstrel = link(best);
        let group = minstrel.groups.iter().position(|group| group.rates[usize::from(rate)] == Some(best));
        minstrel.duration(index(group.expect("the best rate has a group") as u8, rate))
    };
    // 285 symbols of 3.6 us for 16 packets, a sixteenth of that; the group is shifted by 4 bits, since MCS 0 lasts 640,175 ns.
    assert_eq!(duration(ht(7, Width::Mhz40, GuardInterval::Short), 7), 64_175 / 16 * 16);
    // 5,908 symbols of 4 us; 5 bits.
    assert_eq!(duration(ht(0, Width::Mhz20, GuardInterval::Long), 0), 1_477_000 / 32 * 32);
    // 99 symbols of 3.6 us; MCS 0 lasts 295,475 ns, 3 bits.
    assert_eq!(duration(vht(9, 1), 9), 22_325 / 8 * 8);
    // 44 symbols, rounded down, and 36 us.
    assert_eq!(duration(TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz5), 7), 212_000);
    // 10 + 96 + 875 us at 11 Mbps with the short preamble, the last four of the group; 10 + 192 + 9,632 us at 1 Mbps make 8 bits.
    let short = TxVector::Dsss(DsssMode::with_preamble_if_allowed(DsssRate::Mbps11, Preamble::Short));
    assert_eq!(duration(short, 7), 981_000 / 256 * 256);
}

#[test]
fn groups_stand_in_the_kernels_order() {
    let minstrel = link(ht(15, Width::Mhz40, GuardInterval::Short));
    let first = |n: usize| minstrel.groups[n].rates[0].expect("each group has MCS 0");
    let shapes: Vec<_> = (0..8).map(first).map(|rate| (rate.width().mhz(), rate.symbol(), rate.streams())).collect();
    let (long, short) = (Duration::from_nanos(4_000), Duration::from_nanos(3_600));
    let expected =
        [20, 40].into_iter().flat_map(|mhz| [(long, 1), (long, 2), (short, 1), (short, 2)].map(|(s, n)| (mhz, s, n)));
    assert_eq!(shapes, expected.collect::<Vec<_>>());
    assert_eq!(minstrel.groups.len(), 8);
    // Five and more streams, and 160 MHz, Linux does not have.
    let widest = VhtMode::new(9, 8, Width::Mhz160, GuardInterval::Short).expect("a mode of 802.11ac");
    assert_eq!(link(TxVector::Vht(widest)).groups.len(), 24);
}

#[test]
fn an_average_is_filtered_twice() {
    let mut minstrel = narrow();
    let rate = index(0, 3);
    let mut after = |attempts, successes| {
        count(&mut minstrel, rate, attempts, successes);
        minstrel.update(Instant::ZERO);
        minstrel.stats(rate).average
    };
    // The first share is taken as it is.
    assert_eq!(after(10, 10), 4_096);
    // (1173 * 2048 + 5273 * 4096 - 2350 * 4096) / 4096, rounded down.
    assert_eq!(after(10, 5), 3_509);
    // (1173 * 4096 + 5273 * 3509 - 2350 * 4096) / 4096.
    assert_eq!(after(7, 7), 3_340);
    // What was not tried stays.
    assert_eq!(after(0, 0), 3_340);
    // None of ten counts as one of 4,096: (1173 + 5273 * 3340 - 2350 * 3509) / 4096.
    assert_eq!(after(10, 0), 2_286);
}

#[test]
fn throughput_counts_overhead_once_for_each_ppdu() {
    let mut minstrel = link(ht(7, Width::Mhz40, GuardInterval::Short));
    let top = index(3, 7);
    minstrel.group_mut(top).stats_mut(top).average = ONE;
    // 108 us of overhead and 64,160 ns: 0.9 packets in 172,160 ns.
    assert_eq!(minstrel.throughput(top), 522);
    minstrel.average_mpdus = 16 * ONE + ONE / 2;
    // 6,750 + 64,160 ns.
    assert_eq!(minstrel.throughput(top), 1_269);
    minstrel.group_mut(top).stats_mut(top).average = ONE / 10 - 1;
    assert_eq!(minstrel.throughput(top), 0);
}

#[test]
fn a_chain_tries_a_rate_as_often_as_fits_into_six_milliseconds() {
    let mut minstrel = link(ht(7, Width::Mhz40, GuardInterval::Short));
    let top = index(3, 7);
    minstrel.group_mut(top).stats_mut(top).average = ONE;
    minstrel.average_mpdus = 16 * ONE;
    // 16 packets last 1,026 us, with overhead 1,134, with RTS 1,254; contention lasts 67, 139, 283, 571, 1,147 us.
    assert_eq!(minstrel.tries(top), Tries { bare: 4, with_rts: 3 });
    // One that arrives seldom is tried once.
    assert_eq!(minstrel.tries(index(3, 6)), Tries { bare: 1, with_rts: 1 });
}

#[test]
fn the_chain_is_the_three_best_and_the_likeliest() {
    let mut minstrel = narrow();
    (0..=4).for_each(|rate| count(&mut minstrel, index(0, rate), 100, 100));
    count(&mut minstrel, index(0, 5), 100, 60);
    (6..=7).for_each(|rate| count(&mut minstrel, index(0, rate), 100, 0));
    minstrel.update(Instant::ZERO);
    minstrel.set_chain();
    // In 100 ms 254, 204, 188 and 149 packets.
    assert_eq!(minstrel.best, [4, 5, 3, 2].map(|rate| index(0, rate)));
    assert_eq!(minstrel.best.map(|index| minstrel.throughput(index)), [254, 204, 188, 149]);
    assert_eq!(minstrel.likeliest, index(0, 4));
    let stage = |rate, tries| Stage { index: index(0, rate), tries };
    assert_eq!(minstrel.usual, [stage(4, 5), stage(5, 5), stage(3, 5), stage(4, 5)]);
}

#[test]
fn the_likeliest_has_fewer_streams_than_the_best_where_there_are_such() {
    let mut minstrel = link(ht(15, Width::Mhz20, GuardInterval::Long));
    for rate in 0..8 {
        count(&mut minstrel, index(0, rate), 100, 100);
        count(&mut minstrel, index(1, rate), 100, 95);
    }
    minstrel.update(Instant::ZERO);
    assert_eq!(minstrel.best[0], index(1, 7));
    assert_eq!(minstrel.likeliest, index(0, 7));
}

#[test]
fn a_chain_goes_on_while_nothing_arrives_and_ends_when_something_does() {
    let mut minstrel = narrow();
    (0..=4).for_each(|rate| count(&mut minstrel, index(0, rate), 100, 100));
    minstrel.update(Instant::ZERO);
    minstrel.set_chain();
    let now = Instant::from_millis(1);
    let sample = minstrel.choose(now, false);
    assert!(sample.alone && !sample.protect, "the first chain after an update samples");
    assert_eq!(
        minstrel.choose(now + Duration::from_micros(16), false),
        sample,
        "what was chosen holds until its outcome"
    );
    minstrel.report(now, 1, 0, false);
    let mut stages = vec![minstrel.choose(now, false)];
    assert_eq!((stages[0].protect, stages[0].alone), (true, false), "after a sample comes the second of the chain");
    assert_eq!(stages[0].rate, minstrel.rate(minstrel.best[1]));
    // Fewer MPDUs than would let a rate die, until the chain is at its end.
    for _ in 0..100 {
        minstrel.report(now, 1, 0, false);
        stages.push(minstrel.choose(now, false));
    }
    let protected = stages.iter().take_while(|attempt| attempt.protect).count() as u32;
    let tries: u32 = minstrel.usual[1..].iter().map(|stage| stage.tries).sum();
    assert_eq!(protected, tries, "{:?}", minstrel.usual);
    assert_eq!(stages[protected as usize].rate, minstrel.rate(minstrel.best[0]), "a new chain begins");
    minstrel.chain = None;
    let best = minstrel.choose(now, false);
    minstrel.report(now, 1, 0, false);
    minstrel.report(now, 64, 1, false);
    assert_eq!(minstrel.choose(now, false), best, "something has arrived, and 20 ms have not passed");
}

#[test]
fn the_last_try_of_a_frame_has_the_likeliest_rate() {
    let mut minstrel = narrow();
    (0..=4).for_each(|rate| count(&mut minstrel, index(0, rate), 100, 100));
    count(&mut minstrel, index(0, 5), 100, 85);
    minstrel.update(Instant::ZERO);
    minstrel.set_chain();
    minstrel.likeliest = index(0, 1);
    minstrel.set_chain();
    let now = Instant::from_millis(1);
    let last = minstrel.choose(now, true);
    assert_eq!((last.rate, last.protect, last.alone), (ht(1, Width::Mhz20, GuardInterval::Long), true, false));
    minstrel.report(now, 1, 0, true);
    assert_eq!(minstrel.choose(now, false).rate, minstrel.rate(minstrel.best[0]), "the next frame begins a chain");
}

#[test]
fn an_amsdu_is_as_long_as_the_likeliest_rate_allows() {
    // The likeliest rate is the fastest that always arrives, up to this MCS.
    for (mcs, longest) in [(0, 500), (1, 1_600), (2, 1_600), (3, 3_200), (6, 3_200), (7, u64::MAX)] {
        let mut minstrel = narrow();
        (0..=mcs).for_each(|rate| count(&mut minstrel, index(0, rate), 100, 100));
        (mcs + 1..8).for_each(|rate| count(&mut minstrel, index(0, rate), 100, 0));
        minstrel.update(Instant::ZERO);
        minstrel.set_chain();
        assert_eq!(minstrel.choose(Instant::ZERO, false).amsdu, Bytes(longest), "MCS {mcs}");
    }
    assert_eq!(narrow().choose(Instant::ZERO, false).amsdu, Bytes(1), "nothing is known yet");
}

#[test]
fn a_rate_that_dies_is_left_before_the_update() {
    let mut minstrel = link(ht(7, Width::Mhz20, GuardInterval::Short));
    for rate in 0..8 {
        count(&mut minstrel, index(0, rate), 10, 10);
        count(&mut minstrel, index(1, rate), 10, 10);
    }
    minstrel.update(Instant::ZERO);
    minstrel.set_chain();
    while minstrel.samples.due(Instant::ZERO).is_some() {}
    assert_eq!(minstrel.best[..2], [index(1, 7), index(0, 7)]);
    let now = Instant::from_millis(1);
    let dying = minstrel.choose(now, false).rate;
    minstrel.report(now, 30, 7, false);
    assert_eq!(minstrel.choose(now, false).rate, dying, "30 MPDUs are not enough");
    minstrel.report(now, 2, 0, true);
    assert_eq!(minstrel.best[0], index(0, 7), "7 of 32 are less than a quarter");
    assert_eq!(minstrel.choose(now, false).rate, ht(7, Width::Mhz20, GuardInterval::Long));
}

#[test]
fn samples_come_by_turns_and_not_more_often_than_every_twenty_milliseconds() {
    let mut minstrel = narrow();
    (0..=3).for_each(|rate| count(&mut minstrel, index(0, rate), 100, 100));
    minstrel.update(Instant::ZERO);
    // Only one group: its first faster rate is the increment, and each faster one may be the jump.
    let [increment, jump, _] = minstrel.samples.waiting();
    assert_eq!(increment, [index(0, 4)]);
    assert!(!jump.is_empty() && jump.iter().all(|index| index.rate > 3), "{jump:?}");
    let at = Instant::from_micros;
    assert_eq!(minstrel.samples.due(at(100)), Some(index(0, 4)));
    assert_eq!(minstrel.samples.due(at(20_099)), None);
    assert_eq!(minstrel.samples.due(at(20_100)), Some(jump[0]));
    // The increment is spent until the next update; its turn passes.
    assert_eq!(minstrel.samples.due(at(40_100)), None);
}

#[test]
fn every_column_of_the_sample_table_is_a_permutation() {
    for seed in 0..50 {
        let table = SampleTable::new(&mut Stream::new(seed, 0, Purpose::Test));
        for column in table.columns() {
            let mut column = column.to_vec();
            column.sort_unstable();
            assert_eq!(column, (0..10).collect::<Vec<u8>>(), "seed {seed}");
        }
    }
}

/// A link without a MAC: PPDUs of up to 32 MPDUs one after another, with 150 us between them, whose MPDUs are lost by the error model.
struct Air {
    now: Instant,
    random: Stream,
    /// MPDUs that arrived.
    arrived: u64,
}

const MPDU: Bytes = Bytes(1_538);
const PPDU: u64 = 32;
const BETWEEN: Duration = Duration::from_micros(150);

impl Air {
    fn new(seed: u64) -> Self {
        Self { now: Instant::ZERO, random: Stream::new(seed, 1, Purpose::Test), arrived: 0 }
    }

    fn run(&mut self, minstrel: &mut Minstrel, snr: Db, until: Instant) {
        while self.now < until {
            let attempt = minstrel.choose(self.now, false);
            let most = attempt.rate.max_psdu(ackless_phy::MAX_PPDU).get() / MPDU.get();
            let mpdus = if attempt.alone { 1 } else { PPDU.min(most).max(1) };
            let success = BitErrors::new(attempt.rate, snr).success(MPDU);
            let arrived = (0..mpdus).filter(|_| self.random.chance(success)).count() as u64;
            self.now += attempt.rate.duration(MPDU * mpdus) + BETWEEN;
            self.arrived += arrived;
            minstrel.report(self.now, mpdus as u32, arrived as u32, false);
        }
        minstrel.assert_throughputs();
    }
}

/// The most that any one rate gets through in a second.
fn most(best: TxVector, snr: Db) -> f64 {
    let through = |rate: TxVector| {
        let mpdus = PPDU.min(rate.max_psdu(ackless_phy::MAX_PPDU).get() / MPDU.get()).max(1);
        let span = rate.duration(MPDU * mpdus) + BETWEEN;
        mpdus as f64 * BitErrors::new(rate, snr).success(MPDU) / span.as_secs_f64()
    };
    best.all_up_to().into_iter().map(through).fold(0.0, f64::max)
}

#[test]
fn it_finds_nearly_the_best_rate_at_any_snr() {
    let mut worst = (f64::MAX, String::new());
    for best in [ht(7, Width::Mhz40, GuardInterval::Short), ht(15, Width::Mhz40, GuardInterval::Short), vht(9, 2)] {
        for snr in [6.0, 9.5, 13.0, 17.3, 21.0, 25.0, 30.0, 38.0] {
            for seed in 0..2 {
                let mut minstrel = Minstrel::new(SampleTable::new(&mut Stream::new(seed, 0, Purpose::Test)), best);
                let (mut air, warm) = (Air::new(seed), Instant::from_secs(2));
                air.run(&mut minstrel, Db(snr), warm);
                let (from, before) = (air.now, air.arrived);
                air.run(&mut minstrel, Db(snr), warm + Duration::from_secs(1));
                let found = (air.arrived - before) as f64 / air.now.saturating_since(from).as_secs_f64();
                let share = found / most(best, Db(snr));
                if share < worst.0 {
                    worst = (share, format!("{best}, {snr} dB, seed {seed}: {share:.3} of what the best rate carries"));
                }
            }
        }
    }
    assert!(worst.0 > 0.85, "{}", worst.1);
}

#[test]
fn it_recovers_from_steps_down_and_up() {
    // The deeper the step, the longer it takes: each rate that was good before must be tried and fail for some updates.
    let best = ht(15, Width::Mhz40, GuardInterval::Short);
    for seed in 0..6 {
        let mut minstrel = Minstrel::new(SampleTable::new(&mut Stream::new(seed, 0, Purpose::Test)), best);
        let mut air = Air::new(seed);
        for (snr, tenths) in [(30.0, 15), (21.0, 10), (30.0, 15), (12.0, 20), (30.0, 15), (5.0, 35), (24.0, 15)] {
            let recovered = (0..tenths).any(|_| {
                let (from, before) = (air.now, air.arrived);
                air.run(&mut minstrel, Db(snr), from + Duration::from_millis(100));
                let found = (air.arrived - before) as f64 / air.now.saturating_since(from).as_secs_f64();
                found > 0.8 * most(best, Db(snr))
            });
            assert!(recovered, "seed {seed}: not within {tenths} tenths of a second after the step to {snr} dB");
        }
    }
}

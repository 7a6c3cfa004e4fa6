//! BBR version 3 on a plain bottleneck, against a trace worked by hand, and on random paths.
//!
//! As for version 1: 12 Mbps take a full segment of 1,448 bytes in a packet of 1,500 in exactly 1 ms: B = 1 segment/ms, or 11.584 Mbps of payload. 20 ms each way and 1 ms on
//! the bottleneck make a round trip of 41 ms, but the SYN, of 60 bytes, needs only 40.04 ms, and the least round trip stays at that for ten seconds.

use ackless_tcp::{AckChoice, BbrPhase, Config, CongestionChoice, RecoveryChoice};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Bytes, Duration, Ecn, Instant, TcpFlags};

use crate::pair::{A, B, FULL, Middlebox, Pair, Path, convergence};
use crate::stays::{millis, stays};

fn bottleneck(mbps: u64, seed: u64) -> Pair {
    let config = Config {
        congestion: CongestionChoice::Bbr3,
        recovery: RecoveryChoice::Rack,
        ack: AckChoice::PerPacket,
        ..Config::default()
    };
    let mut pair = Pair::new([config.clone(), config], Path::of_delay(20), seed);
    pair.paths[A].rate = Some(BitRate::from_mbps(mbps));
    pair.ends[A].send_forever();
    pair
}

#[test]
fn the_trace_on_a_plain_bottleneck_is_the_one_worked_by_hand() {
    let mut pair = bottleneck(12, 1);
    let stays = stays(&mut pair, Instant::from_millis(16_000), |_, _| {});
    let mut next = stays.iter().copied();
    let mut take = || next.next().expect("the trace goes on");

    // Startup. As in version 1 the first three rounds begin at 41, 82 and 123 ms, the fourth at 164 ms with a full pipe of 41 segments and a window of 81. It and the two that
    // follow bring nothing more. The window is two products, 80.1, and the greatest lump of a round, up to ten. So they last 41 to 81, 81 to 91 and 81 to 91 ms.
    let startup = take();
    assert_eq!(startup.phase, BbrPhase::Startup);
    assert!((81..=91).contains(&startup.inflight), "{startup:?}");
    startup.lasts(164.0 + 61.0 + 86.0 + 86.0, 25.0);

    // Drain, at 0.495 B, with the lumps of three rounds forgotten: until the product is left, 0.505 segments leave in a millisecond, and one where the window holds all back.
    let drain = take();
    assert_eq!((drain.phase, drain.inflight), (BbrPhase::Drain, 41));
    let held = startup.inflight as f64 - 81.0;
    drain.lasts(held + (81.0 - 40.5) / 0.505, 2.5);
    let down = take();
    assert_eq!((down.phase, down.inflight), (DOWN, 40));
    down.lasts(0.0, 10.0);

    // The cycle. CRUISE, REFILL and the first round of UP go at 0.99 B, or what was sent so: a round of 41 segments lasts 41.41 ms.
    let mut began = startup.to;
    let (mut probe_rtts, mut ups) = (0, 0);
    let mut until_probe_rtt = FIVE_SECONDS;
    for stay in next {
        let product = if stay.min_rtt == Some(Duration::from_micros(40_040)) { 57_977 } else { 59_368 };
        match stay.phase {
            CRUISE if stay.inflight == 41 && (stay.to - until_probe_rtt).abs() > 60.0 => {
                // The product has 40.04 segments: 40 rounds since DOWN began, or 39. Those in DOWN last as long as the queue is in flight, 78.5 ms at first: together the
                // queue's 38 and half of it over again.
                let rounds = (stay.to - began) / 41.41;
                assert!((37.0..48.0).contains(&rounds), "{rounds} rounds: {stay:?}");
            }
            CRUISE => {}
            REFILL => stay.lasts(41.41, 0.5),
            UP => {
                // 41 segments are in flight; each round brings 1.2375 times as many, and lasts as many milliseconds as they were: 41.4, 51.2, 63.4. Then 78.5 are.
                assert_eq!(stay.inflight, 78, "{stay:?}");
                stay.lasts(155.4, 1.5);
                // 2.25 products, two segments and a lump of one.
                let expected = Bytes(product * 9 / 4) + FULL * 3;
                assert!(stay.window >= Bytes(product * 2) && stay.window <= expected, "{stay:?}");
                ups += 1;
                began = stay.to;
            }
            DOWN => {
                // 0.9004 less 1 % of B: 38 segments at 0.1086 a millisecond; and with the second round trip one less.
                stay.lasts(345.0, 6.0);
                assert!(stay.window <= Bytes(product * 2) + FULL, "{stay:?}");
            }
            BbrPhase::ProbeRtt => {
                // Five seconds after the last one, or the handshake. 21 of 41 segments have to go first; 200 ms; the round's end comes within a round trip.
                assert!((stay.from - until_probe_rtt).abs() < 42.0, "{until_probe_rtt}: {stay:?}");
                assert_eq!((stay.inflight, stay.first_window), (20, Bytes(product / 2)), "{stay:?}");
                assert!((221.0..=263.0).contains(&(stay.to - stay.from)), "{stay:?}");
                until_probe_rtt = stay.to + FIVE_SECONDS;
                probe_rtts += 1;
                began = stay.to;
            }
            BbrPhase::Startup | BbrPhase::Drain | BbrPhase::ProbeBw { .. } => panic!("{stay:?}"),
        }
    }
    assert_eq!((probe_rtts, ups), (3, 6), "{stays:#?}");
    assert_eq!(stays.last().and_then(|stay| stay.min_rtt), Some(Duration::from_millis(41)));

    // Nothing was lost, and but for Startup, Drain and ProbeRTT the bottleneck lost 1 % of what CRUISE leaves at most.
    let stats = pair.ends[A].stats();
    assert_eq!((stats.retransmitted_segments, stats.timeouts), (0, 0));
    let idle = millis(pair.now) - (stats.bytes_acked.get() / FULL.get()) as f64;
    assert!((400.0..700.0).contains(&idle), "{idle} ms");
}

#[test]
fn ten_times_the_bandwidth_is_found_in_one_probe_and_a_tenth_believed_within_two_cycles() {
    // Appendix A.15 and A.16. The product is 34 segments, so a probe comes after 33 to 34 rounds of 41 ms, and one cycle more where it was just over or ProbeRTT cut it short.
    // UP lasts while each of its rounds brings a quarter more: ten times as much needs 11 of them.
    for seed in 0..4 {
        let mut pair = bottleneck(10, seed);
        // The product of 100 Mbps, ten of 10 Mbps.
        pair.paths[A].queue = 340;
        pair.run_for(Duration::from_millis(4_000 + 300 * seed));
        let up = convergence(&mut pair, 100, 1448, 6.0);
        assert!((11.0 * 41.0..3_000.0 + 15.0 * 41.0).contains(&up), "{up} ms");
        pair.run_for(Duration::from_secs(5));
        // The old maximum goes with the second cycle, of two to three seconds each and four rounds of the queue. Until then losses keep the rate down.
        let down = convergence(&mut pair, 10, 1448, 2.0);
        assert!((1_500.0..9_000.0).contains(&down), "{down} ms");
    }
}

/// A path for which all that follows must hold.
struct RandomPath {
    mbps: u64,
    rtt: Duration,
    loss: f64,
    /// The queue, in products.
    depth: f64,
    pair: Pair,
}

impl RandomPath {
    fn new(seed: u64) -> Self {
        let mut random = Stream::new(seed, 3, Purpose::Test);
        let mbps = 1 + random.below(20);
        let delay = 2 + random.below(50);
        let loss = [0.0, 0.0, 0.001, 0.01][random.below(4) as usize];
        let depth = [0.3, 1.0, 4.0][random.below(3) as usize];
        let ack = AckChoice::Delayed { every: [1, 2, 8][random.below(3) as usize], timeout: Duration::from_millis(40) };
        let recovery = RecoveryChoice::Rack;
        let config = Config { congestion: CongestionChoice::Bbr3, recovery, ack, ..Config::default() };
        let mut pair = Pair::new([config.clone(), config], Path::of_delay(delay), seed);
        let rtt = Duration::from_millis(2 * delay) + BitRate::from_mbps(mbps).time_ceil(Bytes(1500));
        let packets = |span| BitRate::from_mbps(mbps).amount_floor(span).get() as f64 / 1500.0;
        pair.paths[A].rate = Some(BitRate::from_mbps(mbps));
        // What is on its way counts as queued.
        let under_way = packets(Duration::from_millis(delay)) + 1.0;
        pair.paths[A].queue = (under_way + (packets(rtt) * depth).max(6.0)) as usize;
        pair.paths[A].loss = loss;
        pair.ends[A].send_forever();
        Self { mbps, rtt, loss, depth, pair }
    }

    fn describe(&self, seed: u64) -> String {
        let Self { mbps, rtt, loss, depth, pair } = self;
        format!("seed {seed}: {mbps} Mbps, {rtt:?}, loss {loss}, {depth} products of queue; {:?}", pair.ends[A].stats())
    }
}

#[test]
fn on_random_paths_bandwidth_is_found_probe_rtt_keeps_its_interval_and_losses_bound_what_is_in_flight() {
    for seed in 0..48 {
        let mut path = RandomPath::new(seed);
        let mut last_probe = None;
        let (mut half, mut sent_half, mut again_half) = (Bytes::ZERO, 0, 0);
        let end = Instant::from_millis(16_000);
        while path.pair.now < end {
            assert!(path.pair.step(), "{}", path.describe(seed));
            let (now, sender) = (path.pair.now, &path.pair.ends[A]);
            let stats = sender.stats();
            if stats.bytes_acked > Bytes::ZERO && stats.timeouts == 0 {
                assert!(sender.congestion_window() >= FULL * 4, "{}", path.describe(seed));
            }
            let model = sender.path_model(now).expect("BBR models the path");
            // Five seconds, and what a lower round trip puts it off: the handshake's successors, and what held ACKs hide.
            match model.phase {
                BbrPhase::ProbeRtt => last_probe = Some(now),
                _ => {
                    let since = now.saturating_since(last_probe.unwrap_or(Instant::ZERO));
                    assert!(since < Duration::from_secs(7) + path.rtt * 8, "{now:?}: {}", path.describe(seed));
                }
            }
            if now >= Instant::from_millis(8_000) && half == Bytes::ZERO {
                (half, sent_half, again_half) =
                    (path.pair.ends[B].bytes_delivered(), stats.data_segments_sent, stats.retransmitted_segments);
            }
        }
        let stats = path.pair.ends[A].stats();
        let share = 1448.0 / 1500.0;
        let goodput = (path.pair.ends[B].bytes_delivered().saturating_sub(half)).per(Duration::from_secs(8)).mbps_f64();
        // Where 1 % is lost, one loss in a window of less than fifty segments is more than 2 %: then it goes on, and no more can be asked.
        let least = if path.loss > 0.005 { 0.15 } else { 0.80 };
        assert!(goodput > least * path.mbps as f64 * share, "{goodput} Mbps, {}", path.describe(seed));
        let model = path.pair.ends[A].path_model(end).expect("BBR models the path");
        let found = model.bandwidth.mbps_f64() / (path.mbps as f64 * share);
        assert!(
            path.loss > 0.005 || (0.97..1.02).contains(&found),
            "{found} of the bandwidth, {}",
            path.describe(seed)
        );
        let sent = (stats.data_segments_sent - sent_half) as f64;
        let again = (stats.retransmitted_segments - again_half) as f64 / sent;
        assert!(again < path.loss * 1.6 + 0.03, "{again} repeated, {}", path.describe(seed));
        assert!(stats.timeouts <= 1, "{}", path.describe(seed));
    }
}

#[test]
fn after_whatever_the_path_has_done_bandwidth_and_round_trip_are_found() {
    for seed in 0..120 {
        let mut random = Stream::new(seed, 7, Purpose::Test);
        let mut pair = bottleneck(10, seed);
        let mut said = Vec::new();
        for _ in 0..2 + random.below(4) {
            let (mbps, delay) = (1 + random.below(20), 2 + random.below(80));
            let gone = random.chance(0.3);
            for path in &mut pair.paths {
                path.delay = Duration::from_millis(delay);
                path.held = Duration::from_millis(1 + random.below(50));
                path.reordering = if random.chance(0.4) { 0.3 * random.unit() } else { 0.0 };
                path.loss = if gone { 1.0 } else { random.unit() * random.unit() * 0.5 };
            }
            pair.paths[A].loss = if gone { 1.0 } else { pair.paths[A].loss / 10.0 };
            (pair.paths[A].rate, pair.paths[A].queue) =
                (Some(BitRate::from_mbps(mbps)), 10 + random.below(300) as usize);
            said.push((mbps, delay, gone));
            let end = pair.now
                + Duration::from_millis(if gone { 50 + random.below(3_000) } else { 500 + random.below(4_000) });
            while pair.now < end {
                pair.run_for(Duration::from_millis(5));
                let stats = pair.ends[A].stats();
                assert!(
                    stats.timeouts > 0
                        || stats.bytes_acked == Bytes::ZERO
                        || pair.ends[A].congestion_window() >= FULL * 4,
                    "seed {seed}: {said:?}"
                );
            }
        }
        let (mbps, delay) = (2 + random.below(20), 5 + random.below(60));
        for path in &mut pair.paths {
            (path.delay, path.reordering, path.loss) = (Duration::from_millis(delay), 0.0, 0.0);
        }
        // Two products, and what is on its way counts.
        let packets = mbps * 1_000_000 / 12_000 * (2 * delay + 1) / 1_000;
        (pair.paths[A].rate, pair.paths[A].queue) = (Some(BitRate::from_mbps(mbps)), 10 + 3 * packets as usize);
        // A timer may be left that waits for a minute; then two cycles of rates, and ten seconds of round trips.
        let (acked, last) = (pair.ends[A].stats().bytes_acked, pair.now + Duration::from_secs(61));
        while pair.ends[A].stats().bytes_acked == acked && pair.now < last {
            assert!(pair.step(), "seed {seed}: {said:?}");
        }
        pair.run_for(Duration::from_secs(20));
        let before = pair.ends[B].bytes_delivered();
        pair.run_for(Duration::from_secs(6));
        let goodput = pair.ends[B].bytes_delivered().saturating_sub(before).per(Duration::from_secs(6)).mbps_f64();
        let what = format!("seed {seed}: {said:?}, then {mbps} Mbps, {delay} ms: {:?}", pair.ends[A].stats());
        let carried = mbps as f64 * 1448.0 / 1500.0;
        assert!(goodput > 0.8 * carried, "{goodput} of {carried} Mbps, {what}");
        let model = pair.ends[A].path_model(pair.now).expect("BBR models the path");
        let found = model.bandwidth.mbps_f64() / carried;
        assert!((0.95..1.05).contains(&found), "{found} of the bandwidth, {what}");
        let least = Duration::from_millis(2 * delay);
        let min = model.min_rtt.expect("it has measured one");
        // Each lower one puts ProbeRTT off for five seconds (5.3.4.3), so that a queue may take long to be seen through.
        assert!(
            min >= least && min < least * 2 + BitRate::from_mbps(mbps).time_ceil(Bytes(1500)) * 12,
            "{min}, {what}"
        );
    }
}

#[test]
fn after_an_outage_the_rate_comes_back() {
    for (seed, millis) in [(1, 300), (2, 1_000), (3, 4_000)] {
        let mut pair = bottleneck(12, seed);
        pair.run_for(Duration::from_secs(4));
        pair.paths[A].loss = 1.0;
        pair.run_for(Duration::from_millis(millis));
        pair.paths[A].loss = 0.0;
        // The timer waits at most twice as long as the outage, and a cycle of the short-term bounds may have to end.
        pair.run_for(Duration::from_millis(2 * millis + 4_000));
        let before = pair.ends[B].bytes_delivered();
        pair.run_for(Duration::from_secs(4));
        let goodput = pair.ends[B].bytes_delivered().saturating_sub(before).per(Duration::from_secs(4)).mbps_f64();
        assert!(goodput > 0.85 * 11.584, "{goodput} Mbps after {millis} ms: {:?}", pair.ends[A].stats());
    }
}

#[test]
fn a_loss_in_cruise_cuts_the_window_however_it_is_found() {
    for (recovery, sack) in
        [(RecoveryChoice::Rack, true), (RecoveryChoice::Standard, true), (RecoveryChoice::Rack, false)]
    {
        for lose in [false, true] {
            let ack = AckChoice::PerPacket;
            let config = Config { congestion: CongestionChoice::Bbr3, recovery, sack, ack, ..Config::default() };
            let mut pair = Pair::new([config.clone(), config], Path::of_delay(20), 1);
            pair.paths[A].rate = Some(BitRate::from_mbps(12));
            pair.ends[A].send_forever();
            pair.run_for(Duration::from_millis(1_200));
            assert_eq!(pair.ends[A].path_model(pair.now).map(|model| model.phase), Some(CRUISE));
            if lose {
                pair.paths[A].drop = vec![pair.packets_sent(A) + 3];
            }
            pair.run_for(Duration::from_millis(250));
            let segments = pair.ends[A].congestion_window().get() / FULL.get();
            // Two products, or 70 % of that or what a round brings.
            let expected = if lose { 40..=62 } else { 81..=81 };
            assert!(expected.contains(&segments), "{recovery:?}, {sack}, {lose}: {segments}");
        }
    }
}

#[test]
fn marks_are_heeded_once_for_each_word_and_cut_the_window_and_not_the_bandwidth() {
    for (congestion, heeds) in [(CongestionChoice::Bbr3, true), (CongestionChoice::Bbr, false)] {
        let recovery = RecoveryChoice::Rack;
        let ack = AckChoice::PerPacket;
        let config = Config { congestion, recovery, ack, ecn: true, ..Config::default() };
        let mut pair = Pair::new([config.clone(), config], Path::of_delay(20), 1);
        pair.paths[A].rate = Some(BitRate::from_mbps(12));
        pair.ends[A].send_forever();
        pair.run_for(Duration::from_secs(1));
        let before = pair.ends[A].stats();
        // From here on one is marked.
        let mut marked = 0;
        pair.alter[A] = Middlebox::new(move |packet| {
            if marked == 0 && packet.ip.ecn() == Ecn::Capable0 {
                packet.ip.set_ecn(Ecn::Experienced);
                marked += 1;
            }
            true
        });
        pair.record = true;
        pair.run_for(Duration::from_millis(120));
        let after = pair.ends[A].stats();
        let words =
            pair.sent[A].iter().filter(|(_, packet)| packet.tcp().is_some_and(|tcp| tcp.flags.contains(TcpFlags::CWR)));
        assert_eq!((words.count(), after.reductions_by_mark), if heeds { (1, 1) } else { (0, 0) });
        // Two products of 41 segments, cut by up to a third of alpha, which is not far from 1 after a second.
        let left = after.cwnd.get() as f64 / before.cwnd.get() as f64;
        assert!(if heeds { (0.3..0.95).contains(&left) } else { left > 0.99 }, "{congestion:?}: {left}");
        let bandwidth = pair.ends[A].path_model(pair.now).map(|model| model.bandwidth);
        assert!(bandwidth.is_some_and(|bandwidth| bandwidth > BitRate::from_kbps(11_400)), "{bandwidth:?}");
    }
}

const FIVE_SECONDS: f64 = 5_000.0;
const DOWN: BbrPhase = BbrPhase::ProbeBw { phase: 1 };
const CRUISE: BbrPhase = BbrPhase::ProbeBw { phase: 2 };
const REFILL: BbrPhase = BbrPhase::ProbeBw { phase: 3 };
const UP: BbrPhase = BbrPhase::ProbeBw { phase: 0 };

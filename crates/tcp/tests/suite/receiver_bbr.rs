//! Receiver-based BBR on a TACK connection over a plain bottleneck, against a trace worked by hand.
//!
//! 12 Mbps take a full segment of 1,440 bytes in a packet of 1,500 (a number takes eight) in exactly 1 ms: B = 1 segment/ms,
//! or 11.52 Mbps of payload. With 20 ms each way the handshake takes 40.04 ms, and 1/f = RTTmin/4 is 10.01 ms.

use ackless_tcp::{AckChoice, BbrPhase, Config, CongestionChoice, GentleProbe, TackConfig, Variant};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::pair::{A, B, Pair, Path, convergence};

/// A state from when it is entered to when it is left, in milliseconds since the connection was established.
#[derive(Clone, Copy, Debug)]
struct Stay {
    phase: BbrPhase,
    from: f64,
    to: f64,
    /// What lies between the two ends in one direction when it is left, in segments: 20 are under way, the rest is queue.
    queue: u64,
    cap: Bytes,
    rate: BitRate,
}

impl Stay {
    fn lasts(&self, millis: f64, within: f64) {
        assert!((self.to - self.from - millis).abs() <= within, "{millis} ms expected: {self:?}");
    }
}

fn bottleneck(mbps: u64, variant: Variant) -> Pair {
    let config = Config {
        congestion: CongestionChoice::ReceiverBbr(variant),
        ack: AckChoice::Tack { beta: 4, every: 2 },
        tack: Some(TackConfig::default()),
        ..Config::default()
    };
    let mut pair = Pair::new([config.clone(), config], Path::of_delay(20), 1);
    pair.paths[A].rate = Some(BitRate::from_mbps(mbps));
    pair.ends[A].send_forever();
    pair
}

fn millis(now: Instant) -> f64 {
    now.saturating_since(ESTABLISHED).as_secs_f64() * 1e3
}

/// All states that are left by `end`.
fn stays(pair: &mut Pair, end: Instant) -> Vec<Stay> {
    let (mut stays, mut phase, mut from) = (Vec::new(), BbrPhase::Startup, 0.0);
    loop {
        let stats = pair.ends[A].stats();
        assert!(pair.step());
        if pair.now > end {
            return stays;
        }
        let model = pair.ends[A].path_model(pair.now).expect("BBR models the path");
        if phase != BbrPhase::Startup {
            assert_eq!(model.bandwidth, BitRate::from_kbps(11_520), "the bottleneck's, at {} ms", millis(pair.now));
        }
        if model.phase != phase {
            let queue = stats.data_segments_sent - pair.ends[B].bytes_delivered().get() / FULL.get();
            let rate = stats.pacing_rate.expect("it is always paced");
            let to = millis(pair.now);
            stays.push(Stay { phase, from, to, queue: queue.saturating_sub(20), cap: stats.cwnd, rate });
            (phase, from) = (model.phase, to);
        }
    }
}

#[test]
fn the_trace_on_a_plain_bottleneck_is_the_one_worked_by_hand() {
    let mut pair = bottleneck(12, Variant::Standard);
    let stays = stays(&mut pair, Instant::from_millis(10_500));
    let mut next = stays.iter().copied();
    let mut take = || next.next().expect("the trace goes on");

    // Startup: as in BBR (see there), with per-packet TACKs. The fourth round begins at 164 ms and lasts 41 to 81 ms, the
    // two after it as long as what 2.886 BDP of 40.04 segments hold, 115.5 ms: 164 + 41 to 81 + 231 = 436 to 476 ms. The
    // window of half a round trip in which the receiver measures costs 10 to 20 ms more.
    let startup = take();
    assert_eq!((startup.phase, startup.rate), (BbrPhase::Startup, paced(2955)));
    startup.lasts(468.0, 22.0);

    // Drain: 0.657 segments/ms leave until a BDP is left: (115.5 - 40.04) / 0.657 = 114.9 ms, to the next report.
    let drain = take();
    assert_eq!((drain.phase, drain.rate), (BbrPhase::Drain, paced(355)));
    drain.lasts(114.9, 2.0);

    // ProbeBW: 4, 4 and 24 intervals of 10.01 ms, whatever is in flight. The first stay may begin anywhere.
    assert_ne!(take().phase, BbrPhase::ProbeBw { phase: 1 });
    let mut cycles = Vec::new();
    let mut stay = take();
    while let BbrPhase::ProbeBw { phase } = stay.phase {
        if stay.to > TEN_SECONDS {
            break;
        }
        match phase {
            // 1.2375 B for 40.04 ms make a queue of 9.5 segments,
            0 => {
                assert!((9..=11).contains(&stay.queue) && stay.rate == paced(1280), "{stay:?}");
                stay.lasts(40.04, 1.0);
                cycles.push(stay.from);
            }
            // which 0.7425 B takes away,
            1 => {
                assert!(stay.queue <= 2 && stay.rate == paced(768), "{stay:?}");
                stay.lasts(40.04, 1.0);
            }
            // so that there is none while it cruises.
            _ => {
                assert!(stay.queue <= 2 && stay.rate == paced(1024), "{stay:?}");
                stay.lasts(240.26, 1.0);
            }
        }
        stay = take();
    }
    assert!(cycles.len() > 25, "{cycles:?}");
    assert!(cycles.windows(2).all(|pair| (pair[1] - pair[0] - 320.34).abs() < 2.0), "{cycles:?}");

    // The cap: cwnd_gain = 2 + 1/(RTTmin f) = 2.25, so 90.1 segments; a few more for lumps, where a report came late.
    let cap = stay.cap.get() as f64 / FULL.get() as f64;
    assert!((90.0..93.0).contains(&cap), "{cap} segments");

    // ProbeRTT once RTTmin was not lowered for ten seconds: MSS f = 1,440 bytes in 10.01 ms, for 200 ms and to the next
    // report or departure.
    assert!((stay.to - TEN_SECONDS - 5.0).abs() < 6.0, "{stay:?}");
    let probe = take();
    assert_eq!((probe.phase, probe.rate.bps() / 1_000), (BbrPhase::ProbeRtt, 1_150));
    assert_eq!(probe.queue, 0);
    probe.lasts(205.0, 6.0);

    // A round trip later the path is full again, and but for ProbeRTT and Startup the bottleneck was never idle for long:
    // cruising costs 1 %.
    let stats = pair.ends[A].stats();
    assert_eq!((stats.retransmitted_segments, stats.timeouts), (0, 0));
    let idle = millis(pair.now) - (stats.bytes_acked.get() / FULL.get()) as f64;
    assert!((300.0..650.0).contains(&idle), "{idle} ms");
}

#[test]
fn a_bandwidth_that_changes_is_found_in_half_the_time_by_the_variant_for_miracast() {
    for (variant, cycle, filter) in [
        (Variant::Standard, 320.0, 400.0),
        (Variant::Miracast { probe_rtt: GentleProbe::Never }, 160.0, 200.0),
        (GENTLE, 160.0, 200.0),
    ] {
        for wait in 0..8 {
            let mut pair = bottleneck(10, variant);
            pair.run_for(Duration::from_millis(8_000 + 41 * wait));
            // Three gain cycles for a factor of 1.2375^3 = 1.895, within 6 % of the doubled bandwidth. The first comes within a
            // cycle, the third two cycles after it, or three where a gentle ProbeRTT lies between, and the rate of all four
            // intervals shows a round trip and two intervals after they began.
            let up = convergence(&mut pair, 20, 1440, 6.0);
            assert!((2.0 * cycle..3.3 * cycle + 61.0).contains(&up), "{variant:?}: {up} ms for {cycle}");
            // The filter, and a round trip and two intervals before the first rate is reported that is small. In a gentle
            // ProbeRTT of a round trip of up to 60 ms the clock stands still, and a round trip and two intervals more do not
            // count.
            pair.run_for(Duration::from_secs(5));
            let down = convergence(&mut pair, 10, 1440, 2.0);
            let gentle = if variant == GENTLE { 140.0 } else { 0.0 };
            assert!((filter + 41.0..filter + 130.0 + gentle).contains(&down), "{variant:?}: {down} ms for {filter}");
        }
    }
}

/// What the bottleneck takes, times a gain in 1024ths, less 1 %.
fn paced(gain: u64) -> BitRate {
    BitRate::from_bps(11_520_000 * gain / 1024 * 99 / 100)
}

const GENTLE: Variant = Variant::Miracast { probe_rtt: GentleProbe::Gentle };
/// Payload of a full segment with a number and timestamps.
const FULL: Bytes = Bytes(1440);
/// Since Pair begins at 10 ms; SYNs of 64 bytes.
const ESTABLISHED: Instant = Instant::from_nanos(50_042_667);
const TEN_SECONDS: f64 = 10_000.0;

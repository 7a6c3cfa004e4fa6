//! BBR on a plain bottleneck, against a trace worked by hand.
//!
//! 12 Mbps take a full segment of 1,448 bytes in a packet of 1,500 in exactly 1 ms: B = 1 segment/ms, or 11.584 Mbps of
//! payload. 20 ms each way and 1 ms on the bottleneck make a round trip of 41 ms, but the SYN, of 60 bytes, needs only
//! 40.04 ms, and RTprop R stays at that for ten seconds. Buffers are deep, every segment is acknowledged at once.

use ackless_tcp::{AckChoice, BbrPhase, Config, CongestionChoice};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::pair::{A, B, FULL, Pair, Path, convergence};
use crate::stays::{millis, stays};

fn bottleneck(mbps: u64, congestion: CongestionChoice, ack: AckChoice) -> Pair {
    let config = Config { congestion, ack, ..Config::default() };
    let mut pair = Pair::new([config.clone(), config], Path::of_delay(20), 1);
    pair.paths[A].rate = Some(BitRate::from_mbps(mbps));
    pair.ends[A].send_forever();
    pair
}

#[test]
fn the_trace_on_a_plain_bottleneck_is_the_one_worked_by_hand() {
    let mut pair = bottleneck(12, CongestionChoice::Bbr, AckChoice::PerPacket);
    let stays = stays(&mut pair, Instant::from_millis(21_000), |model, now| {
        // The bottleneck's. In ProbeRTT rounds pass that do not count, so that cruising may be all that is known.
        let found = (11_468_000..=11_584_000).contains(&model.bandwidth.bps());
        assert!(model.phase == BbrPhase::Startup || found, "{} at {} ms", model.bandwidth, millis(now));
    });
    let mut next = stays.iter().copied();
    let mut take = || next.next().expect("the trace goes on");

    // Startup. Packet-timed rounds begin with the acknowledgement of what was sent when the one before began. The first
    // three begin at 41, 82 and 123 ms with 1, 11 and 31 segments delivered, the fourth at 164 ms: bandwidth has doubled in
    // each. From then on the bottleneck is busy, and a round lasts as many milliseconds as segments were in flight at its
    // beginning. For the fourth those are 41 (the pipe is just full) to 81 (the window, ten segments and all that was
    // delivered, is used). For the fifth and the sixth it is the whole window: 2.886 B R = 115.6 and three quanta of 1 ms at
    // 2.857 B, 124.1 or, in whole segments, 125. The seventh round is the third without growth: it begins between
    // 164 + 41 + 250 = 455 and 164 + 81 + 250 = 495 ms.
    let startup = take();
    assert_eq!((startup.phase, startup.inflight), (BbrPhase::Startup, 125));
    startup.lasts(475.0, 20.0);

    // Drain. B - 0.343 B leave the path each millisecond, until B R + 6 segments (three quanta of two) = 46.04 are left:
    // (125 - 46) / 0.657 = 120.3 ms.
    let drain = take();
    assert_eq!((drain.phase, drain.inflight), (BbrPhase::Drain, 47));
    drain.lasts(120.3, 1.5);

    // ProbeBW, from a random phase on that never is the draining one.
    let mut cycles = Vec::new();
    let mut stay = take();
    assert_ne!(stay.phase, DRAINING);
    while let BbrPhase::ProbeBw { phase } = stay.phase {
        if stay.to > TEN_SECONDS {
            break;
        }
        match phase {
            // 1.2375 B until 1.25 B R + 6 = 56.05 are in flight, that is 57. The queue that is never taken away entirely
            // makes it begin with 43 to 44: (57 - 43.5) / 0.2375 = 56.8 ms.
            0 => {
                assert_eq!(stay.inflight, 57, "{stay:?}");
                stay.lasts(55.0, 4.0);
                cycles.push(stay.from);
            }
            // 0.7425 B: the 11 segments down to 46.04 would take 42.7 ms, so R passes first.
            1 => {
                assert!((46..=47).contains(&stay.inflight), "{stay:?}");
                stay.lasts(41.0, 0.5);
            }
            // 0.99 B for R, to the next acknowledgement: 41 ms, in which 0.41 segments leave the queue.
            2..8 => {
                assert!((43..=47).contains(&stay.inflight), "{stay:?}");
                stay.lasts(41.0, 0.5);
            }
            _ => unreachable!("there are eight phases"),
        }
        assert_eq!(stay.min_rtt, Some(R));
        // 2 B R (2 * 57,977 bytes), three quanta of two segments, and a lump of one, as soon as the window has come there.
        if stay.from > 700.0 {
            assert_eq!(stay.window, Bytes(2 * 57_977) + FULL * 7, "{stay:?}");
        }
        let after = take();
        if let BbrPhase::ProbeBw { phase: later } = after.phase {
            assert_eq!(later, (phase + 1) % 8);
        }
        stay = after;
    }
    // 55 + 41 + 6 * 41 = 342 ms.
    assert!(cycles.len() > 25, "{cycles:?}");
    assert!(cycles.windows(2).all(|pair| (pair[1] - pair[0] - 342.0).abs() < 4.0), "{cycles:?}");

    // ProbeRTT when R is ten seconds old. The window is four segments at once, so nothing is sent until three are in
    // flight; 200 ms later, with the next burst of four, one each 41 ms, it is over. The queue is gone, and R is now what a
    // full segment needs.
    let cut_short = stay;
    assert!((cut_short.to - TEN_SECONDS).abs() < 1.1, "{cut_short:?}");
    let probe = take();
    assert_eq!(probe.phase, BbrPhase::ProbeRtt);
    let emptied = cut_short.inflight as f64 - 4.0;
    probe.lasts(emptied + 5.0 * 41.0, 2.5);
    assert_eq!((probe.min_rtt, probe.window), (Some(Duration::from_millis(41)), FULL * 4));

    // From now on R = 41 ms: 1.25 B R + 6 = 57.25, so 58 in flight at the end of asking for more; cruising lasts until the
    // first acknowledgement after more than 41 ms.
    stay = take();
    assert_ne!(stay.phase, DRAINING);
    let mut first_queue = None;
    loop {
        let BbrPhase::ProbeBw { phase } = stay.phase else { panic!("{stay:?}") };
        if phase == 0 {
            first_queue.get_or_insert(stay.from + 41.0);
        }
        if first_queue.is_some_and(|at| stay.to > at + TEN_SECONDS) {
            break;
        }
        match phase {
            0 => assert_eq!(stay.inflight, 58, "{stay:?}"),
            1 => stay.lasts(41.5, 1.0),
            _ => stay.lasts(42.0, 0.6),
        }
        assert_eq!(stay.min_rtt, Some(Duration::from_millis(41)));
        stay = take();
    }
    // Round trips of 41 ms have renewed R until BBR first asked for more, and were seen to. Ever since, a queue of three
    // segments has stood.
    let first_queue = first_queue.expect("BBR has asked for more");
    let late = stay.to - first_queue - TEN_SECONDS;
    assert!((0.0..6.0).contains(&late) && take().phase == BbrPhase::ProbeRtt, "{late} ms: {stay:?}");

    // Nothing was lost, and but for ProbeRTT and Startup the bottleneck was never idle.
    let stats = pair.ends[A].stats();
    assert_eq!((stats.retransmitted_segments, stats.timeouts), (0, 0));
    let idle = millis(pair.now) - (stats.bytes_acked.get() / FULL.get()) as f64;
    assert!((300.0..600.0).contains(&idle), "{idle} ms");
}

#[test]
fn a_doubled_bandwidth_is_found_in_one_phase_or_in_three_and_a_halved_one_believed_after_the_filter_s_length() {
    for wait in 0..8 {
        // With an acknowledgement for each segment, 1.25 BDP + 6 segments are not in flight a round trip after BBR has begun
        // to ask for more, and then the estimate grows, and what is asked for with it: by the factor e^x in each round trip,
        // where e^x x/(1 - e^-x) = 1.2375, so x = 0.1425. To come within 6 % takes ln(1.88)/0.1425 = 4.4 round trips,
        // and one before it begins, after none to all of the seven in which BBR does not ask.
        let (up, down) = step(1, wait);
        assert!((5.0..13.0).contains(&up), "{up} round trips");
        // Ten rounds of the filter, and the eleventh lets the last sample go. In the first the queue grows; then what may be in
        // flight, 2 BDP of 20 Mbps, takes 170 ms.
        assert!((10.0 * 170.0..12.0 * 170.0).contains(&down), "{down} ms");

        // With one for eight segments it is, at times, and there is but one step of 1.2375 in each cycle of 8.3 round trips:
        // three of them for a factor of 1.895, the last of which shows a round trip later. So it takes two cycles and a
        // round trip, and up to one cycle more; the paper on TACK says 24 round trips.
        let (up, down) = step(8, wait);
        assert!((17.5..34.0).contains(&up), "{up} round trips");
        assert!((10.0 * 170.0..12.0 * 170.0).contains(&down), "{down} ms");
    }
}

/// From 10 to 20 Mbps, in round trips of 41 ms, and back, in milliseconds; with an acknowledgement for every so many segments,
/// and the step so many round trips later.
fn step(every: u32, wait: u64) -> (f64, f64) {
    let ack = AckChoice::Delayed { every, timeout: Duration::from_millis(40) };
    let mut pair = bottleneck(10, CongestionChoice::Bbr, ack);
    pair.run_for(Duration::from_millis(8_000 + 41 * wait));
    let up = convergence(&mut pair, 20, 1448, 6.0) / RTT;
    pair.run_for(Duration::from_secs(5));
    (up, convergence(&mut pair, 10, 1448, 2.0))
}

#[test]
fn a_shallow_buffer_and_random_loss_leave_the_rate_alone() {
    for (queue, loss) in [(25, 0.0), (1_000, 0.02)] {
        let mut pair = bottleneck(12, CongestionChoice::Bbr, AckChoice::PerPacket);
        (pair.paths[A].queue, pair.paths[A].loss) = (queue, loss);
        pair.run_for(Duration::from_secs(20));
        let goodput = pair.ends[B].bytes_delivered().per(Duration::from_secs(20)).mbps_f64();
        assert!(goodput > 10.0, "queue {queue}, loss {loss}: {goodput} Mbps, {:?}", pair.ends[A].stats());
    }
}

const R: Duration = Duration::from_micros(40_040);
const RTT: f64 = 41.0;
const TEN_SECONDS: f64 = 10_000.0;
const DRAINING: BbrPhase = BbrPhase::ProbeBw { phase: 1 };

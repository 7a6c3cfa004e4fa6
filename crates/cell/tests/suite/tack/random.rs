//! Random cells: stations, flows with TACK and without, losses, latencies and queues, wires that change and radios that are gone, under a random scheme. `ACKLESS_SCHEDULES=2000` in the environment has more of them.

use ackless_cell::config::{
    ApQueue, ByLetter, CellConfig, Direction, Gro, NewOptions, Peer, Probability, Segments, Traffic, TransportConfig,
    WireStep, WiredLink,
};
use ackless_phy::Standard;
use ackless_tcp::tack::config::{Blocks, LossSignal, RateBy, Settling, Share, Timing};
use ackless_tcp::{AckChoice, CongestionChoice, Losses, TackConfig, Variant};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::tcp::TackForm;
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::tack::{Contender, contenders, run, with_tack};
use crate::testing::cells::{cell, loss, with_stations, with_tcp};
use crate::testing::crew::schedules;
use crate::testing::hosts::small_queues;
use crate::testing::macs::macs;
use crate::testing::radio::radio;
use crate::testing::wires::uneven;

/// The cell of a seed, and what is on its nodes.
fn draw(seed: u64) -> (CellConfig, Contender) {
    let mut random = Stream::new(seed, 0, Purpose::Test);
    let mut all = contenders();
    let contender = all.swap_remove(random.below(all.len() as u64) as usize);
    let standard = [Standard::B, Standard::A, Standard::G, Standard::N, Standard::Ac][random.below(5) as usize];
    let stations = 1 + random.below(3) as usize;
    let mut config = with_stations(cell(standard), stations);
    let by_letter = Stream::new(seed, 13, Purpose::Test).below(4);
    let by_letter = [ByLetter::Neither, ByLetter::Neither, ByLetter::Peer, ByLetter::Station][by_letter as usize];
    for _ in 0..1 + random.below(4) {
        let direction = if random.chance(0.5) { Direction::Down } else { Direction::Up };
        config = with_tcp(config, random.below(stations as u64) as usize, Peer::Server, direction);
        let flow = config.flows.last_mut().expect("a flow has just been added");
        flow.traffic = Traffic::Finite {
            size: Bytes(1 + random.below(if standard == Standard::B { 200_000 } else { 2_000_000 })),
        };
        let TransportConfig::Tcp(tcp) = &mut flow.transport else { unreachable!("built as TCP") };
        if random.chance(0.7) {
            *tcp = with_tack(*tcp);
            tcp.tack = Some(choices(&mut random));
            let rounds = |losses| Variant::Rounds { losses };
            let variants = [Variant::Standard, rounds(Losses::Ignored), rounds(Losses::Bound)];
            let variant = variants[random.below(3) as usize];
            tcp.congestion = [
                CongestionChoice::ReceiverBbr(variant),
                CongestionChoice::Bbr,
                CongestionChoice::Cubic,
                CongestionChoice::NewReno,
                CongestionChoice::Bbr3,
            ][random.below(5) as usize];
            tcp.by_letter = by_letter;
            if random.chance(0.2) {
                tcp.policy = [None, Some(AckChoice::PerPacket)][random.below(2) as usize];
            }
        }
        tcp.receive_buffer = Bytes([20_000, 200_000, 1 << 20][random.below(3) as usize]);
    }
    let mut p = || if random.chance(0.3) { 0.0 } else { 0.15 * random.unit() };
    let mut hosts = Stream::new(seed, 3, Purpose::Test);
    let host_loss = if hosts.chance(0.3) { 0.05 * hosts.unit() } else { 0.0 };
    for flow in &mut config.flows {
        let TransportConfig::Tcp(tcp) = &mut flow.transport else { unreachable!("built as TCP") };
        tcp.read_rate = hosts.chance(0.3).then(|| BitRate::from_kbps(500 << hosts.below(6)));
    }
    let losses = loss([p(), p(), p(), p()]);
    let mut kernels = Stream::new(seed, 6, Purpose::Test);
    let tso = kernels.chance(0.3).then(|| Duration::from_millis(kernels.below(9)));
    config.server.tso = tso;
    let gro = if hosts.chance(0.3) { Gro::PerBatch } else { Gro::Off };
    config.server.gro = gro;
    config.server.host_latency = Duration::from_micros(hosts.below(300));
    for station in &mut config.stations {
        station.loss = losses;
        station.gro = gro;
        station.tso = tso;
        station.host_loss = Probability::new(host_loss).expect("0.05 at most");
        station.host_latency = Duration::from_micros(random.below(200));
        station.queue_packets = 20 + random.below(200) as u32;
        station.mac.retry_limit = Some(3 + random.below(5) as u32);
    }
    config.ap.mac.retry_limit = Some(3 + random.below(5) as u32);
    config.ap.queue = ApQueue::Fifo { packets: 20 + random.below(200) as u32 };
    let mut wire = || Probability::new(if random.chance(0.5) { 0.0 } else { 0.02 * random.unit() });
    (config.wired.down.loss, config.wired.up.loss) =
        (wire().expect("it is a probability"), wire().expect("it is a probability"));
    let delay = Duration::from_micros(random.below(50_000));
    (config.wired.down.delay, config.wired.up.delay) = (delay, delay);
    config.measured = Duration::from_secs(120);
    small_queues(&mut Stream::new(seed, 7, Purpose::Test), &mut config);
    radio(&mut Stream::new(seed, 8, Purpose::Test), &mut config);
    macs(&mut Stream::new(seed, 9, Purpose::Test), &mut config);
    changes(&mut Stream::new(seed, 10, Purpose::Test), &mut config);
    rough(&mut Stream::new(seed, 11, Purpose::Test), &mut config);
    segments(&mut Stream::new(seed, 12, Purpose::Test), &mut config);
    harsh(&mut Stream::new(seed, 14, Purpose::Test), &mut config);
    uneven(&mut Stream::new(seed, 15, Purpose::Test), &mut config, Duration::from_secs(4));
    (config, contender)
}

/// How the wire changes under way: its delay, and what middleboxes do.
fn changes(random: &mut Stream, config: &mut CellConfig) {
    let options = [NewOptions::Pass, NewOptions::Strip, NewOptions::Drop];
    for way in [&mut config.wired.down, &mut config.wired.up] {
        way.new_options = if random.chance(0.1) { options[random.below(3) as usize] } else { NewOptions::Pass };
    }
    let mut at = Duration::ZERO;
    while random.chance(0.5) {
        at += Duration::from_millis(random.below(1_500));
        let direction = [None, Some(Direction::Down), Some(Direction::Up)][random.below(3) as usize];
        let delay = random.chance(0.5).then(|| Duration::from_micros(random.below(100_000)));
        let new_options = random.chance(0.3).then(|| options[random.below(3) as usize]);
        let nothing = WireStep::nothing(Instant::ZERO + at);
        config.wired.steps.push(WireStep { direction, delay, new_options, ..nothing });
    }
}

/// Middleboxes that take TCP for bytes.
fn segments(random: &mut Stream, config: &mut CellConfig) {
    for way in [&mut config.wired.down, &mut config.wired.up] {
        if random.chance(0.2) {
            way.segments = [Segments::Cut, Segments::Renumber][random.below(2) as usize];
        }
    }
}

/// What a wire does that is not even: it holds packets back, in order or not, and its rate and its loss change. And the radio is gone now and then.
fn rough(random: &mut Stream, config: &mut CellConfig) {
    if random.chance(0.4) {
        let jitter = Duration::from_micros(random.below(30_000));
        let reorders = random.chance(0.5);
        for way in [&mut config.wired.down, &mut config.wired.up] {
            (way.jitter, way.jitter_reorders) = (jitter, reorders);
        }
    }
    let mut at = Duration::ZERO;
    while random.chance(0.4) {
        at += Duration::from_millis(random.below(1_500));
        let rate = random.chance(0.5).then(|| BitRate::from_kbps(1_000 << random.below(8)));
        let loss = random.chance(0.3).then(|| Probability::new(0.05 * random.unit()).expect("it is a probability"));
        let nothing = WireStep::nothing(Instant::ZERO + at);
        config.wired.steps.push(WireStep { rate, loss, ..nothing });
    }
    config.wired.steps.sort_by_key(|step| step.at);
    let mut at = Instant::ZERO;
    while random.chance(0.3) {
        at += Duration::from_millis(1 + random.below(2_000));
        let gone = Duration::from_millis(1 + random.below(800));
        config.stations.iter_mut().for_each(|station| station.changes.outages.push((at, gone)));
        at += gone;
    }
    config.stations.iter_mut().for_each(|station| station.changes.outages.sort());
}

/// In one of six cells what the torture table has: up to a tenth of the data and a fifth of the acknowledgements lost (where a third are, one flow in a thousand loses all its SYNs), jitter to 50 ms, in two of three a radio that is gone for 3 or 10 s, and time enough for all that.
fn harsh(random: &mut Stream, config: &mut CellConfig) {
    if !random.chance(1.0 / 6.0) {
        return;
    }
    let mut lost = |most: f64| Probability::new(most * random.unit()).expect("it is a probability");
    (config.wired.down.loss, config.wired.up.loss) = (lost(0.1), lost(0.2));
    for way in [&mut config.wired.down, &mut config.wired.up] {
        way.jitter = Duration::from_micros(random.below(50_000));
    }
    let gone = Duration::from_secs([0, 3, 10][random.below(3) as usize]);
    let at = Instant::ZERO + Duration::from_millis(4_000 + random.below(2_000));
    config.stations.iter_mut().for_each(|station| station.changes.outages.retain(|&(begin, span)| begin + span < at));
    config.stations.iter_mut().for_each(|station| station.changes.outages.push((at, gone)));
    config.measured = Duration::from_secs(900);
}

fn choices(random: &mut Stream) -> TackConfig {
    TackConfig {
        form: [TackForm::Kinds, TackForm::Experimental][random.below(2) as usize],
        blocks: [Blocks::Rich, Blocks::Poor, Blocks::OnDemand, Blocks::Distinct][random.below(4) as usize],
        loss_signal: [LossSignal::Iack, LossSignal::Iack, LossSignal::TackOnly][random.below(3) as usize],
        tau: Duration::from_millis([10_000, 1_000, 60_000][random.below(3) as usize]),
        timing: [Timing::OneWayDelay, Timing::Sampled][random.below(2) as usize],
        batch: random.chance(0.4),
        share: [Share::Least, Share::Usual][random.below(2) as usize],
        rate: [RateBy::Receiver, RateBy::Sender][random.below(2) as usize],
        window_asks: random.chance(0.5),
        settling: [Settling::Quarter, Settling::Adaptive][random.below(2) as usize],
    }
}

#[test]
fn in_random_cells_all_transfers_end_and_no_tack_is_malformed_unless_packets_change_places_or_are_cut() {
    let (mut tacks, mut iacks) = (0, 0);
    // In the last one a rhythm becomes faster while an acknowledgement is held that would have been due before.
    for seed in (0..schedules(240)).chain([1_754]) {
        let (config, contender) = draw(seed);
        let run = run(&config, &contender, seed);
        for (flow, (asked, [sender, receiver])) in config.flows.iter().zip(&run.flows).enumerate() {
            let Traffic::Finite { size } = asked.traffic else { unreachable!("all transfers are finite") };
            let what = format!("seed {seed}, {} on {:?}, flow {flow}", contender.name, config.standard);
            assert_eq!(
                (sender.bytes_acked, receiver.bytes_delivered),
                (size, size),
                "{what}: {sender:#?} {receiver:#?}"
            );
            // What a whole window has overtaken passes for a stranger's, and a body that has been cut is none.
            let wires = [&config.wired.down, &config.wired.up];
            let garbles = |way: &&WiredLink| way.jitter_reorders || way.segments == Segments::Cut;
            let malformed = sender.malformed_tacks + receiver.malformed_tacks;
            assert!(malformed == 0 || wires.iter().any(garbles), "{what}: {sender:#?} {receiver:#?}");
            tacks += sender.tacks_received;
            iacks += sender.iacks_received;
        }
    }
    assert!(tacks > 10_000 && iacks > 2_000, "{tacks} TACKs and {iacks} IACKs");
}

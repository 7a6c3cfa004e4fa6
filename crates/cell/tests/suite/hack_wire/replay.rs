//! A fresh access point, fed only the capture of a run and its wired side, puts the same packets on the wire, byte for
//! byte and in order.
//!
//! Compressed ACKs come out of appended bytes, native ones and the data of uploads out of frames. A capture is followed
//! up to the first answer of which it does not tell whether the access point has received it, see
//! [`heard`](crate::hack_wire::heard).

use ackless_cell::config::{CellConfig, Direction, FrameLoss, LinkLoss, Probability, SchemeChoice};
use ackless_phy::Standard;
use ackless_rohc::hack::{Cid, FiveTuple};
use ackless_schemes::hack::{Codec, Fit, HackConfig, HackCounters, Mic, MicLen, Policy};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Duration, Instant, Packet};

use crate::hack_wire::fresh::FreshAp;
use crate::hack_wire::heard::{AP, Heard, Reception, receptions};
use crate::hack_wire::tap::Log;
use crate::testing::capture;
use crate::testing::crew;
use crate::testing::hack_cells::{cell, dormant, hack_of, tcp_of, transfer, with_stations};
use crate::testing::sound::assert_sound;
use crate::testing::tap;

/// Runs a cell: its capture, and what passed the wire.
pub fn record(config: &CellConfig, seed: u64) -> (Vec<u8>, Log) {
    tap::record(config, seed, AP, |cell| cell.witness_acks())
}

/// What a replay has compared.
#[derive(Debug)]
struct Compared {
    counters: HackCounters,
    /// Packets, and how many the run has put on the wire altogether.
    packets: usize,
    of: usize,
}

/// Replays a run.
///
/// # Panics
/// If something else goes on the wire.
fn replay(config: &CellConfig, seed: u64) -> Compared {
    let (file, log) = record(config, seed);
    let transmissions = capture::read(&file);
    let receptions = receptions(&transmissions, config);
    let mut ap = FreshAp::new(config);
    let mut from_wire = log.from_wire.iter().peekable();
    let mut until = config.end() - HOST;
    // Under a key every answer has as much.
    let sealed = match config.ap.scheme {
        SchemeChoice::Hack(HackConfig { mic: Some(mic), .. }) => 2 + mic.len.bytes(),
        _ => 0,
    };
    for (place, transmission) in transmissions.iter().enumerate() {
        let now = transmission.at;
        if now >= until {
            break;
        }
        while let Some((at, packet)) = from_wire.next_if(|(at, _)| *at + config.ap.host_latency <= now) {
            ap.send(*at + config.ap.host_latency, packet.clone());
        }
        let appended = transmission.frames[0].body;
        match &receptions[place] {
            Reception::Frames(sent, which) => {
                let sent = &transmissions[*sent];
                ap.receive(now, sent.from, which.iter().map(|&n| &sent.frames[n]));
            }
            Reception::Answer(Heard::Unknown) if appended.len() > sealed => {
                until = now;
                break;
            }
            Reception::Answer(Heard::Yes) => ap.answered(now, transmission.from, appended),
            Reception::Answer(Heard::No | Heard::Unknown) => {}
            Reception::Nothing => ap.overhear(transmission.from, &transmission.frames),
        }
    }
    let before = log.to_wire.iter().filter(|(at, _)| *at < until).count();
    assert!(ap.up().len() >= before, "{} of {before} packets came out", ap.up().len());
    for (n, (ours, (at, theirs))) in ap.up().iter().zip(&log.to_wire).enumerate() {
        assert!(emitted(ours) == emitted(theirs), "packet {n} at {at}:\n{ours:?}\ninstead of\n{theirs:?}");
    }
    assert!(ap.up().len() <= log.to_wire.len(), "more came out than there was");
    Compared { counters: *ap.counters(), packets: ap.up().len(), of: log.to_wire.len() }
}

fn emitted(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.emit(&mut bytes);
    bytes
}

/// A random lossy cell of this standard: up to three stations, downloads and uploads, often two that share an
/// identifier.
fn lossy(standard: Standard, seed: u64) -> CellConfig {
    let mut random = Stream::new(seed, standard as u64, Purpose::Test);
    let stations = 1 + random.below(3) as usize;
    let mut config = with_stations(cell(standard, 2 + random.below(63) as u16), stations);
    config.measured = Duration::from_millis(400);
    if random.chance(0.5) {
        let (first, second) = colliding();
        config.flows = (0..=second).map(dormant).collect();
        for number in [first, second] {
            config.flows[number] = transfer(number, 0, Direction::Down, Bytes(400_000));
        }
    }
    for _ in 0..1 + random.below(4) {
        let direction = if random.chance(0.6) { Direction::Down } else { Direction::Up };
        let (number, station) = (config.flows.len(), random.below(stations as u64) as usize);
        let mut flow = transfer(number, station, direction, Bytes(20_000 + random.below(2_000_000)));
        flow.start = Instant::from_millis(random.below(60));
        tcp_of(&mut flow).timestamps = random.chance(0.7);
        tcp_of(&mut flow).sack = random.chance(0.7);
        config.flows.push(flow);
    }
    config.wired.down.loss = Probability::new(0.01 * random.unit()).expect("at most one in a hundred");
    config.ap.host_latency = Duration::from_micros(random.below(200));
    config.ap.mac.retry_limit = Some(2 + random.below(6) as u32);
    let policy = match random.below(4) {
        0 | 1 => Policy::MoreData,
        2 => Policy::Opportunistic,
        _ => Policy::ExplicitTimer(Duration::from_millis(1 + random.below(20))),
    };
    let fit = if random.chance(0.3) { Fit::WithinAifs } else { Fit::Whole };
    let mic = [None, Some(MicLen::Four), Some(MicLen::Eight)][seed as usize % 3];
    let mic = mic.map(|len| Mic { len, key: *b"not known to all" });
    let codec = match seed / 3 % 4 {
        0 => Codec::Own { checksum: true, wide: false },
        1 => Codec::Rfc6846,
        _ => Codec::default(),
    };
    let ap = hack_of(&mut config.ap.scheme).expect("the access point speaks HACK");
    (ap.mic, ap.codec) = (mic, codec);
    for station in &mut config.stations {
        let mut loss = || {
            let p = |p| Probability::new(p).expect("a share of a half");
            FrameLoss { data: p(0.3 * random.unit()), control: p(0.3 * random.unit()) }
        };
        station.loss = LinkLoss::PerFrame { down: loss(), up: loss() };
        station.mac.retry_limit = Some(2 + random.below(6) as u32);
        if let Some(hack) = hack_of(&mut station.scheme) {
            (hack.policy, hack.fit, hack.mic, hack.codec) = (policy, fit, mic, codec);
        }
        if random.chance(0.1) {
            station.scheme = SchemeChoice::Stock;
        }
    }
    config
}

/// The least two numbers of flows to the first station whose ACKs have one identifier. A cell numbers the ports of its
/// flows on from 10,000 at the server and from 20,000 at the station.
fn colliding() -> (usize, usize) {
    let cid = |number: usize| {
        let number = number as u16;
        let (src, dst) = ([10, 0, 0, 1].into(), [10, 1, 0, 1].into());
        Cid::of(&FiveTuple { src, dst, src_port: 20_000 + number, dst_port: 10_000 + number })
    };
    let pair = |second: usize| (0..second).find(|&first| cid(first) == cid(second)).map(|first| (first, second));
    (1..=256).find_map(pair).expect("of 257 flows two share one of 256 identifiers")
}

fn replays(standard: Standard) {
    let runs = crew::all(&format!("{standard:?}, seed"), RUNS, |seed| replay(&lossy(standard, seed), seed));
    let mut counters = HackCounters::default();
    runs.iter().for_each(|run| counters += run.counters);
    let (packets, of) = runs.iter().fold((0, 0), |sum, run| (sum.0 + run.packets, sum.1 + run.of));
    println!(
        "{standard:?}: {packets} of {of} packets on the wire compared, {} out of appended bytes",
        counters.emitted
    );
    let HackCounters { emitted, duplicates_discarded, reinstalls, late_natives, .. } = counters;
    assert!(packets * 10 > of * 9, "the captures tell little: {packets} of {of}");
    assert!(emitted > 10 * RUNS && duplicates_discarded > RUNS, "{counters:?}");
    assert!(reinstalls > 10 * RUNS && late_natives > RUNS, "{counters:?}");
    assert_sound(&counters, "a replay");
}

#[test]
fn a_fresh_access_point_of_802_11a_puts_the_same_bytes_on_the_wire() {
    replays(Standard::A);
}

#[test]
fn a_fresh_access_point_of_802_11n_puts_the_same_bytes_on_the_wire() {
    replays(Standard::N);
}

#[test]
fn a_fresh_access_point_of_802_11ac_puts_the_same_bytes_on_the_wire() {
    replays(Standard::Ac);
}

/// More than an answer takes, and then the way through the host: what is answered so long before the end of a run is on
/// the wire by then.
const HOST: Duration = Duration::from_millis(2);
/// Random cells of each standard.
const RUNS: u64 = 150;

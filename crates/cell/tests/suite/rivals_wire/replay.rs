//! A fresh access point, fed only the capture of a run and its wired side, puts the same packets on the wire, byte for byte, in order and at the same
//! times.
//!
//! A capture is followed up to the first answer of which it does not tell whether the access point has received it, see [`crate::rivals_wire::evidence`].

use std::collections::BTreeMap;

use ackless_cell::config::{ApQueue, CellConfig, Direction, Probability, SchemeChoice};
use ackless_cell::loss::Interference;
use ackless_dot11::frame::Body;
use ackless_dot11::hooks::Passage;
use ackless_phy::Standard;
use ackless_schemes::agent::{AgentConfig, Solution};
use ackless_schemes::arq_proxy::{ArqProxyConfig, Identification};
use ackless_schemes::fast_ack::FastAckConfig;
use ackless_schemes::filter::{FilterConfig, Filtered, Form};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Duration, Instant, Packet};

use crate::rivals_wire::evidence::{AP, Evidence, Happening, Known, acknowledged};
use crate::rivals_wire::fresh::{FreshAp, emitted};
use crate::rivals_wire::timing::receiver;
use crate::testing::capture;
use crate::testing::crew;
use crate::testing::hack_cells::{cell, tcp_of, transfer, with_stations};
use crate::testing::tap::{self, Listener};

/// What passed the wire at the run's access point, and when.
#[derive(Clone, Debug, Default)]
struct Log {
    from_wire: Vec<(Instant, Packet)>,
    to_wire: Vec<(Instant, Packet)>,
}

/// What a replay has compared.
#[derive(Debug)]
struct Compared {
    counts: Vec<(&'static str, u64)>,
    /// Packets, and how many the run has put on the wire altogether.
    packets: usize,
    of: usize,
}

impl Listener for Log {
    fn comes(&mut self, now: Instant, passage: Passage, packet: &Packet) {
        if let Passage::FromWire(_) = passage {
            self.from_wire.push((now, packet.clone()));
        }
    }

    fn goes(&mut self, now: Instant, passage: Passage, packet: &Packet) {
        if let Passage::ToWire(_) = passage {
            self.to_wire.push((now, packet.clone()));
        }
    }
}

/// Runs a cell: its capture, and what passed the wire.
fn record(config: &CellConfig, seed: u64) -> (Vec<u8>, Log) {
    tap::record(config, seed, AP, |cell| cell.interfere(losses(seed)))
}

/// Random losses of all that is answered, and of answers.
fn losses(seed: u64) -> Interference {
    let mut random = Stream::new(seed, 7, Purpose::Test);
    let mut odds = |most: f64| if random.chance(0.3) { 0.0 } else { most * random.unit() };
    // Where the answer to a last attempt is lost, nobody knows whether the frame was given up.
    let answer = odds(0.15);
    let data = if answer > 0.0 { 0.05 } else { 0.4 };
    let (whole, part) = (odds(data), odds(data));
    Interference(Box::new(move |_, ppdu| {
        let mpdus = ppdu.mpdus();
        let whole = match ppdu.body {
            Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_) if mpdus.iter().all(|mpdu| !mpdu.is_answered()) => {
                return u64::MAX;
            }
            Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_) => whole,
            _ => answer,
        };
        if random.chance(whole) {
            return 0;
        }
        (0..mpdus.len()).filter(|_| random.chance(part)).fold(u64::MAX, |spared, n| spared & !(1 << n))
    }))
}

/// Replays a run.
///
/// # Panics
/// If something else goes on the wire.
fn replay(config: &CellConfig, seed: u64) -> Compared {
    let (file, log) = record(config, seed);
    let evidence = Evidence::new(capture::read(&file), config);
    let mut ap = FreshAp::new(config);
    let mut from_wire = log.from_wire.iter().peekable();
    let mut until = config.end() - LAST;
    let mut let_pass = |ap: &mut FreshAp, until| {
        while let Some((at, packet)) = from_wire.next_if(|(at, _)| *at <= until) {
            ap.advance(*at);
            ap.come(*at, packet.clone());
        }
        ap.advance(until);
    };
    for (now, happening) in evidence.happenings() {
        if now >= until {
            break;
        }
        let_pass(&mut ap, now);
        match happening {
            Happening::Sends(n) => ap.send(now, &evidence.transmissions[n]),
            Happening::HasSent(_) => ap.has_sent(now),
            Happening::Receives(n, answer) => {
                let sent = &evidence.transmissions[n];
                let answer = answer.map(|answer| &evidence.transmissions[answer].frames[0]);
                ap.receive(now, sent, &acknowledged(sent, answer));
            }
            Happening::Learns(n) => {
                let station = receiver(&evidence.transmissions[n].frames[0]).expect("a station is asked");
                let (link, in_service) = ap.state(station);
                match evidence.known(n, link, in_service) {
                    Known::Heard(judged, frame) => ap.heard(now, station, frame, judged),
                    Known::Missed(judged) => ap.missed(now, station, judged),
                    Known::Unknown => {
                        until = now;
                        break;
                    }
                }
            }
        }
    }
    let_pass(&mut ap, until);
    let before = log.to_wire.iter().filter(|(at, _)| *at < until).count();
    let ours: Vec<_> = ap.wire.iter().filter(|(at, _)| *at < until).collect();
    for (n, ((at, ours), (when, theirs))) in ours.iter().zip(&log.to_wire).enumerate() {
        assert!(
            emitted(ours) == emitted(theirs) && at == when,
            "packet {n} at {at}:\n{ours:?}\ninstead of, at {when},\n{theirs:?}"
        );
    }
    assert_eq!(ours.len(), before, "until {until} fewer or more came out");
    Compared { counts: ap.counts(), packets: before, of: log.to_wire.len() }
}

/// A random cell of this standard: up to three stations, downloads and uploads.
fn draw(standard: Standard, seed: u64) -> (Stream, CellConfig) {
    let mut random = Stream::new(seed, standard as u64, Purpose::Test);
    let stations = 1 + random.below(3) as usize;
    let mut config = with_stations(cell(standard, 1 + random.below(64) as u16), stations);
    config.measured = Duration::from_millis(300);
    for _ in 0..1 + random.below(4) {
        let direction = if random.chance(0.7) { Direction::Down } else { Direction::Up };
        let (number, station) = (config.flows.len(), random.below(stations as u64) as usize);
        let mut flow = transfer(number, station, direction, Bytes(20_000 + random.below(600_000)));
        flow.start = Instant::from_millis(random.below(60));
        let tcp = tcp_of(&mut flow);
        (tcp.timestamps, tcp.sack) = (random.chance(0.7), random.chance(0.7));
        tcp.ack.every = 1 + random.below(3) as u32;
        config.flows.push(flow);
    }
    for link in [&mut config.wired.down, &mut config.wired.up] {
        link.loss = Probability::new(0.01 * random.unit()).expect("at most one in a hundred");
        link.reorder = Probability::new(0.02 * random.unit()).expect("at most one in fifty");
        link.reorder_delay = Duration::from_micros(700);
    }
    // No two things at the access point happen at the same time by construction.
    config.ap.host_latency = Duration::from_nanos(1_009 + random.below(200_000));
    config.ap.queue = ApQueue::Fifo { packets: 10_000 };
    config.ap.mac.retry_limit = Some(4 + random.below(4) as u32);
    for station in &mut config.stations {
        station.mac.retry_limit = Some(3 + random.below(5) as u32);
        station.host_latency = Duration::from_nanos(random.below(40_000));
    }
    (random, config)
}

/// Each standard, so many random cells with a scheme.
fn replays(name: &str, scheme: impl Fn(&mut Stream, &mut CellConfig) + Sync, expected: &[&str]) {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for standard in [Standard::B, Standard::A, Standard::N, Standard::Ac] {
        let runs = crew::all(&format!("{name}, {standard:?}, seed"), RUNS, |seed| {
            let (mut random, mut config) = draw(standard, seed);
            scheme(&mut random, &mut config);
            replay(&config, seed)
        });
        let (packets, of) = runs.iter().fold((0, 0), |sum, run| (sum.0 + run.packets, sum.1 + run.of));
        println!("{name}, {standard:?}: {packets} of {of} packets on the wire compared");
        assert!(packets * 4 > of * 3, "{standard:?}: the captures tell little: {packets} of {of}");
        for (count, times) in runs.iter().flat_map(|run| &run.counts) {
            *sums.entry(count).or_default() += times;
        }
    }
    println!("{sums:#?}");
    for count in expected {
        assert!(sums.get(count).is_some_and(|times| *times > RUNS / 4), "{count} too seldom: {sums:#?}");
    }
}

/// This on the access point and on nine stations of ten.
fn everywhere(random: &mut Stream, config: &mut CellConfig, choice: SchemeChoice) {
    config.ap.scheme = choice;
    for station in &mut config.stations {
        station.scheme = if random.chance(0.1) { SchemeChoice::Stock } else { choice };
    }
}

#[test]
fn an_agent_with_buffers_is_all_in_the_capture() {
    let setup = |random: &mut Stream, config: &mut CellConfig| {
        let solution = Solution::Buffer { packets: 16 + random.below(100) as u16, again: Duration::from_millis(200) };
        everywhere(random, config, SchemeChoice::Agent(AgentConfig::of(solution)));
    };
    replays("agent-buffer", setup, &["made", "above_hole", "stale", "given_up", "duplicates_passed"]);
}

#[test]
fn an_agent_with_a_flag_is_all_in_the_capture() {
    let setup = |random: &mut Stream, config: &mut CellConfig| {
        let extra_sifs = Duration::from_micros(random.below(120));
        everywhere(random, config, SchemeChoice::Agent(AgentConfig::of(Solution::Flag { extra_sifs })));
    };
    replays("agent-flag", setup, &["made", "stale", "unflagged", "duplicates_passed"]);
}

#[test]
fn an_arq_proxy_is_all_in_the_capture() {
    let setup = |random: &mut Stream, config: &mut CellConfig| {
        let hash = random.chance(0.5);
        let identification = if hash { Identification::Hash } else { Identification::FrameSequence };
        let stateless = random.chance(0.2);
        let choice = ArqProxyConfig { identification, stateless, ..ArqProxyConfig::default() };
        everywhere(random, config, SchemeChoice::ArqProxy(choice));
    };
    replays("arq-proxy", setup, &["released", "requests_repeated", "templates_refused"]);
}

#[test]
fn fast_ack_is_all_in_the_capture() {
    let setup = |random: &mut Stream, config: &mut CellConfig| {
        let cache_packets = [2, 16, 4096][random.below(3) as usize];
        config.ap.scheme = SchemeChoice::FastAck(FastAckConfig { cache_packets, ..FastAckConfig::default() });
    };
    replays("fast-ack", setup, &["made", "suppressed", "repaired", "passed_window", "passed_beyond"]);
}

#[test]
fn what_a_filter_turns_back_is_all_in_the_capture() {
    let setup = |random: &mut Stream, config: &mut CellConfig| {
        let forms: &[Form] = if config.standard.is_qos() {
            &[Form::Group, Form::ActionNoAck, Form::NoAck]
        } else {
            &[Form::Group, Form::ActionNoAck]
        };
        let form = forms[random.below(forms.len() as u64) as usize];
        let filtered = if random.chance(0.5) { Filtered::Acks } else { Filtered::AcksAndData };
        for station in &mut config.stations {
            station.four_address = true;
        }
        everywhere(random, config, SchemeChoice::Filter(FilterConfig { form, filtered }));
    };
    replays("filter", setup, &["turned_back"]);
}

/// More than an answer takes, and then the way through the host: what is answered so long before the end of a run is on
/// the wire by then.
const LAST: Duration = Duration::from_millis(2);
/// Random cells of each standard.
const RUNS: u64 = 100;

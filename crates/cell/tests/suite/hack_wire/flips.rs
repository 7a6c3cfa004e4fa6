//! Every single bit of what a station appends, flipped on its way, with the FCS not looked at: one flip in each run.
//!
//! Nothing panics, and whatever wrong ACK comes out is one that the access point cannot know to be wrong. It is of a
//! flow of the cell, and
//! - goes not back behind an ACK of its flow that was on the wire before;
//! - acknowledges, by number and SACK blocks, no byte that the access point's MAC had not given a sequence number for the
//!   station by then;
//! - echoes no timestamp that was not in one of those packets.
//!
//! The test prints how often a wrong ACK comes out, by what the bit is part of; `docs/validation.md` has the table.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ackless_cell::config::{CellConfig, Direction, Probability};
use ackless_cell::loss::Interference;
use ackless_cell::{Cell, scheme};
use ackless_dot11::frame::{Body, NodeId, Ppdu};
use ackless_phy::Standard;
use ackless_rohc::hack::{Codec, Frame, Kind};
use ackless_schemes::AnyScheme;
use ackless_schemes::hack::{Hack, HackCounters};
use ackless_wire::{Bytes, Duration, Instant, Packet, SeqNumber, TcpFlags, TcpHeader};

use crate::hack_wire::heard::AP;
use crate::hack_wire::tap::Log;
use crate::testing::crew;
use crate::testing::ears;
use crate::testing::hack_cells::{cell, tcp_of, with_transfer};
use crate::testing::tap::{Tap, shared};

/// What a bit is part of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Cid,
    Msn,
    Separator,
    Code(Kind),
}

/// What flips did.
#[derive(Clone, Copy, Default, Debug)]
struct Effects {
    flips: u64,
    /// The access point found something wrong.
    noticed: u64,
    /// A wrong ACK came out.
    wrong: u64,
    /// One that acknowledges what the station did not have.
    ahead: u64,
}

/// One run: its appended answers, and what followed from the flip.
#[derive(Debug)]
struct Run {
    /// How many bytes each appended answer has.
    appended: Vec<usize>,
    /// What was hit.
    place: Option<Place>,
    noticed: bool,
    wrong: u64,
    ahead: u64,
}

/// Runs a cell with the bit number `bit` of the appended answer number `answer` flipped.
///
/// # Panics
/// If a wrong ACK comes out that the access point could have known.
fn run(config: &CellConfig, seed: u64, flip: Option<(usize, usize)>) -> Run {
    let seen = Arc::new(Mutex::new((Vec::new(), None)));
    let logs: Vec<Arc<Mutex<Log>>> = (0..=config.stations.len()).map(|_| Arc::default()).collect();
    let mut cell = Cell::new(
        config,
        seed,
        |node| Tap::boxed(scheme(config, node), Arc::clone(&logs[usize::from(node.0)])),
        ears::recorder(config),
    );
    let noted = Arc::clone(&seen);
    cell.interfere(Interference(Box::new(move |_, ppdu| {
        if let Some(appended) = appended(ppdu) {
            let (answers, place) = &mut *noted.lock().expect("nobody panics with it");
            if let Some((_, bit)) = flip.filter(|(answer, _)| *answer == answers.len()) {
                *place = Some(place_of(appended, bit / 8));
                appended[bit / 8] ^= 1 << (bit % 8);
            }
            answers.push(appended.len());
        }
        u64::MAX
    })));
    cell.advance(config.end());
    let ap = cell.station(AP).scheme();
    let [at_ap, at_station] = [AP, STATION].map(|node| shared(&logs[usize::from(node.0)]));
    let (wrong, ahead) = judge(&at_ap, &at_station);
    let HackCounters { crc_failures, checksum_failures, gaps, malformed, unknown_context, verify_failures, .. } =
        ap.product().and_then(AnyScheme::as_hack).map(Hack::counters).copied().expect("the access point speaks HACK");
    let noticed = crc_failures + checksum_failures + gaps + malformed + unknown_context + verify_failures > 0;
    let (appended, place) = std::mem::take(&mut *seen.lock().expect("nobody panics with it"));
    Run { appended, place, noticed, wrong, ahead }
}

/// What the station has appended to its answer.
fn appended(ppdu: &mut Ppdu) -> Option<&mut Vec<u8>> {
    let from = ppdu.transmitter;
    match &mut ppdu.body {
        Body::Ack(answer) | Body::BlockAck(_, _, answer) if from == STATION && !answer.appended.is_empty() => {
            Some(&mut answer.appended)
        }
        _ => None,
    }
}

/// What the byte is part of.
fn place_of(appended: &[u8], byte: usize) -> Place {
    let frame = Frame::read(Codec::default(), appended).expect("HACK appends frames");
    let mut at = 0;
    for run in frame.runs() {
        let mut end = at + 2;
        let codes = run.codes().map(|(kind, code)| {
            end += code.len();
            (end, Place::Code(kind))
        });
        let parts = [(at + 1, Place::Cid), (at + 2, Place::Msn)].into_iter().chain(codes);
        let parts: Vec<_> = parts.chain([(usize::MAX, Place::Separator)]).collect();
        let next = at + 2 + run.bytes().len() + 1;
        if byte < next {
            return parts.into_iter().find(|(end, _)| byte < *end).expect("the last one has no end").1;
        }
        at = next;
    }
    unreachable!("the byte is one of the frame")
}

/// Compares what came out at the wire with what the station's TCP made: how many were wrong, and how many of them
/// acknowledge what the station did not have.
fn judge(ap: &Log, station: &Log) -> (u64, u64) {
    let (mut wrong, mut ahead) = (0, 0);
    // Of each flow, by the ports of its ACKs: where the station's ACKs have come, and the highest ACK number on the
    // wire.
    let mut flows: BTreeMap<(u16, u16), (usize, SeqNumber)> = BTreeMap::new();
    for (at, packet) in &ap.to_wire {
        let Some(ack) = packet.pure_ack() else { continue };
        let ports = packet.ports();
        let made = || station.handed_down.iter().enumerate().filter(|(_, (_, made))| made.ports() == ports);
        assert!(made().next().is_some(), "an ACK of no flow: {packet:?}");
        let (next, highest) = flows.entry(ports).or_insert((0, ack.ack));
        if let Some((place, _)) = made().skip_while(|(place, _)| place < next).find(|(_, (_, made))| made == packet) {
            *next = place;
        } else {
            wrong += 1;
            let numbered = Reach::of(&ap.numbered, ports, *at);
            assert!(!ack.ack.before(*highest), "an ACK that goes back behind {highest:?}: {packet:?}");
            assert!(numbered.admits(ack), "an ACK of what was never sent, {numbered:?}: {packet:?}");
            ahead += u64::from(!Reach::of(&station.risen, ports, *at).admits(ack));
        }
        *highest = highest.max(ack.ack);
    }
    (wrong, ahead)
}

/// How far data goes.
#[derive(Clone, Copy, Debug)]
struct Reach {
    end: SeqNumber,
    stamp: Option<u32>,
}

impl Reach {
    /// Of the packets in a log until `at` that ACKs with these ports are for.
    fn of(log: &[(Instant, Packet)], (src, dst): (u16, u16), at: Instant) -> Self {
        let packets = log.iter().take_while(|(when, _)| *when <= at).map(|(_, packet)| packet);
        let headers = packets.filter(|packet| packet.ports() == (dst, src)).filter_map(|packet| {
            let tcp = packet.tcp()?;
            let flags = u32::from(tcp.flags.intersects(TcpFlags::SYN | TcpFlags::FIN));
            Some((tcp.seq + (packet.payload.len() + flags), tcp.options.timestamps.map(|(value, _)| value)))
        });
        let (end, stamp) = headers.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1))).expect("an ACK is for something");
        Self { end, stamp }
    }

    /// Whether an ACK acknowledges and echoes nothing beyond it. The timestamps of these runs do not wrap.
    fn admits(&self, ack: &TcpHeader) -> bool {
        let blocks = ack.options.sack.as_slice().iter().all(|(_, right)| !right.after(self.end));
        let echo = ack.options.timestamps.map(|(_, echo)| echo);
        !ack.ack.after(self.end) && blocks && echo <= self.stamp
    }
}

/// Short downloads: on single frames and on A-MPDUs; with and without timestamps; two at once; and with losses on the
/// wire, for SACK blocks.
fn downloads() -> Vec<CellConfig> {
    let downloads = |standard, flows, timestamps, lost| {
        let mut config = cell(standard, 8);
        for flow in 0..flows {
            config = with_transfer(config, 0, Direction::Down, Bytes(90_000 / flows as u64));
            tcp_of(&mut config.flows[flow]).timestamps = timestamps;
        }
        config.wired.down.loss = Probability::new(lost).expect("a share");
        // So that what comes out of an answer is on the wire in the same instant.
        config.ap.host_latency = Duration::ZERO;
        config.measured = Duration::from_millis(400);
        config
    };
    let mut all = Vec::new();
    for standard in [Standard::A, Standard::N] {
        for (timestamps, lost) in [(true, 0.0), (false, 0.0), (true, 0.05), (false, 0.05)] {
            all.extend([1, 2].map(|flows| downloads(standard, flows, timestamps, lost)));
        }
    }
    all
}

#[test]
fn no_flipped_bit_brings_out_what_the_access_point_could_know_to_be_wrong() {
    let mut effects: BTreeMap<Place, Effects> = BTreeMap::new();
    for (n, config) in downloads().iter().enumerate() {
        for seed in 0..SEEDS {
            let clean = run(config, seed, None);
            assert_eq!((clean.noticed, clean.wrong), (false, 0), "download {n}, seed {seed}: nothing was flipped");
            let bits: Vec<_> = (clean.appended.iter().enumerate())
                .flat_map(|(answer, &bytes)| (0..8 * bytes).map(move |bit| (answer, bit)))
                .collect();
            let flip = |number: u64| run(config, seed, Some(bits[number as usize]));
            for run in crew::all(&format!("download {n}, seed {seed}, flip"), bits.len() as u64, flip) {
                let effects = effects.entry(run.place.expect("a run is the same up to its flip")).or_default();
                effects.flips += 1;
                effects.noticed += u64::from(run.noticed);
                effects.wrong += u64::from(run.wrong > 0);
                effects.ahead += u64::from(run.ahead > 0);
            }
        }
    }
    println!("bit of           flips    noticed  wrong ACK  ahead of the station");
    for (place, Effects { flips, noticed, wrong, ahead }) in &effects {
        let share = |n: u64| 100.0 * n as f64 / *flips as f64;
        let name = format!("{place:?}");
        println!("{name:15} {flips:6}  {:7.2} %   {:6.2} %  {:6.2} %", share(*noticed), share(*wrong), share(*ahead));
    }
    for (place, Effects { flips, noticed, wrong, .. }) in effects {
        // A check of three bits misses one error in eight, and most of what it misses is not admitted.
        assert!(100 * wrong < 8 * flips, "a wrong ACK came out of {wrong} of {flips} flips in {place:?}");
        assert!(100 * noticed > 90 * flips, "{noticed} of {flips} flips in {place:?} were noticed");
        assert!(flips > 100, "only {flips} flips in {place:?}");
    }
}

/// Runs of each cell without a flip; each bit of each of them is flipped.
const SEEDS: u64 = 4;
/// The station of these cells.
const STATION: NodeId = NodeId(1);

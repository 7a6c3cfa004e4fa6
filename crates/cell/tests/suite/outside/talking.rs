//! Real connections through random cells: two TCPs outside whose segments pass as bytes.

use std::collections::BTreeMap;

use ackless_cell::config::{FlowConfig, Traffic};
use ackless_cell::flows::Place;
use ackless_cell::outside::Arrival;
use ackless_tcp::{Endpoint, State};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Duration, Instant, Packet, Payload, SeqNumber};

use crate::outside::dress::dressed;
use crate::outside::hosts::{Open, open};
use crate::outside::packets::bytes;
use crate::outside::schemes::{all, with};
use crate::outside::world::{Dress, Talk, World};
use crate::testing::crew;
use crate::testing::tested::counts;

/// A run under way.
struct Run {
    cell: Open,
    lines: Vec<Line>,
    random: Stream,
    arrivals: Vec<Arrival>,
    /// What the scheme in this run is held to.
    rules: Rules,
    end: Instant,
}

/// What a scheme may do to the segments of a connection.
#[derive(Clone, Copy, Debug)]
struct Rules {
    /// It sends segments of its own in the names of both ends, where the connection is plain TCP.
    makes: bool,
    /// It sends none, and those that arrive keep their order.
    in_order: bool,
    /// A pure ACK may come twice in a row: HACK sends one natively too whose answer may have got lost.
    repeats: bool,
}

/// A connection under way.
struct Line {
    talk: Talk,
    ends: [Option<Endpoint>; 2],
    written: u64,
    read: u64,
    done: [bool; 2],
    /// What each end has sent, and how far that has come to the other.
    sent: [Sent; 2],
    acks: u64,
}

#[derive(Default)]
struct Sent {
    /// How often each came less how often it was sent.
    open: BTreeMap<Vec<u8>, i64>,
    /// Its pure ACKs in order.
    acks: Vec<Vec<u8>>,
    /// How many of these have come or been passed over.
    passed: usize,
}

impl Run {
    fn new(world: &World, cell: Open, rules: Rules, seed: u64) -> Self {
        let line = |talk: &Talk| Line {
            talk: talk.clone(),
            ends: [None, None],
            written: 0,
            read: 0,
            done: [false; 2],
            sent: Default::default(),
            acks: 0,
        };
        Self {
            cell,
            lines: world.talks.iter().map(line).collect(),
            random: Stream::new(seed, 21, Purpose::Test),
            arrivals: Vec::new(),
            rules,
            end: Instant::ZERO + LONGEST,
        }
    }

    /// To the end of all connections, and of the cell's own flows of these sizes.
    fn run(&mut self, flows: &[Bytes]) {
        while !self.is_over(flows) {
            assert!(self.cell.now() < self.end, "it does not end: {:?}", self.standing());
            let next = self.cell.poll_timeout().unwrap_or(Instant::FAR_FUTURE);
            let timers = self.lines.iter().flat_map(|line| line.timeouts());
            let next = timers.fold(next, Instant::min).min(self.end);
            // What is due at an instant is processed by the advance past it.
            self.cell.advance(next.max(self.cell.now()) + Duration::from_nanos(1));
            self.take_arrivals();
            for line in 0..self.lines.len() {
                self.turn(line);
            }
        }
    }

    fn is_over(&self, flows: &[Bytes]) -> bool {
        let delivered =
            |flow, end| self.cell.flows().endpoint(flow, end).map_or(Bytes::ZERO, Endpoint::bytes_delivered);
        let done = |flow: usize| delivered(flow, 0).max(delivered(flow, 1)) == flows[flow];
        self.lines.iter().all(|line| line.done == [true; 2]) && (0..flows.len()).all(done)
    }

    fn standing(&self) -> Vec<String> {
        let states = |line: &Line| [0, 1].map(|end: usize| line.ends[end].as_ref().map(Endpoint::state));
        let line = |line: &Line| format!("{} written, {} read, {:?}", line.written, line.read, states(line));
        self.lines.iter().map(line).collect()
    }

    fn take_arrivals(&mut self) {
        let mut arrivals = std::mem::take(&mut self.arrivals);
        self.cell.take_arrivals(&mut arrivals);
        for Arrival { at, place, packet } in arrivals.drain(..) {
            assert!(at < self.cell.now());
            let bytes = bytes(&packet);
            let again = Packet::from_bytes(&bytes).expect("what comes out is a packet");
            assert_eq!(again, packet, "what comes out is read as what it is");
            let to = again.ip.dst();
            let ours = |line: &&mut Line| {
                let ends = line.talk.ends;
                (0..2).any(|end| {
                    (ends[end].ip(), ends[1 - end].ip()) == (to, again.ip.src())
                        && (ends[1 - end].port(), ends[end].port()) == again.ports()
                })
            };
            let line = self.lines.iter_mut().find(ours).unwrap_or_else(|| panic!("nobody's: {again:?}"));
            let end = usize::from(line.talk.ends[0].ip() != to);
            assert_eq!(place, [Place::Server, Place::Station(line.talk.station)][end], "it comes where it lives");
            line.check(end, &bytes, &again, self.rules);
            let now = self.cell.now();
            if let Some(tcp) = &mut line.ends[end] {
                tcp.handle_segment(now, &again);
            }
        }
        self.arrivals = arrivals;
    }

    /// Both ends of a connection do what they have to.
    fn turn(&mut self, line: usize) {
        let now = self.cell.now();
        let Self { cell, lines, random, .. } = self;
        let line = &mut lines[line];
        line.begin(now, random);
        for end in 0..2 {
            line.wake(now, end);
            line.apply(end);
            while let Some(packet) = line.ends[end].as_mut().and_then(|tcp| tcp.poll_transmit(now)) {
                let bytes = dressed(random, line.talk.dress, &packet);
                let packet = Packet::from_bytes(&bytes).expect("a TCP sends packets");
                line.note(end, bytes, &packet);
                let place = [Place::Server, Place::Station(line.talk.station)][end];
                cell.inject(place, packet).expect("it is for the other end");
            }
        }
    }
}

impl Line {
    fn timeouts(&self) -> impl Iterator<Item = Instant> {
        let begun = self.ends[0].is_some();
        let timers = self.ends.iter().flatten().filter_map(Endpoint::poll_timeout);
        timers.chain((!begun).then_some(self.talk.start))
    }

    fn begin(&mut self, now: Instant, random: &mut Stream) {
        if self.ends[0].is_none() && now >= self.talk.start {
            let [server, station] = self.talk.ends;
            let mut iss = || SeqNumber(random.bits() as u32);
            self.ends[0] = Some(Endpoint::listen(self.talk.config.clone(), server, iss()));
            self.ends[1] = Some(Endpoint::connect(now, self.talk.config.clone(), station, server, iss()));
        }
    }

    fn wake(&mut self, now: Instant, end: usize) {
        if let Some(tcp) = &mut self.ends[end]
            && tcp.poll_timeout().is_some_and(|at| at <= now)
        {
            tcp.handle_timeout(now);
        }
    }

    /// The application at an end: one writes and closes, the other reads and closes when the first has.
    fn apply(&mut self, end: usize) {
        let Some(tcp) = &mut self.ends[end] else { return };
        if end == self.talk.sender {
            let left = (self.talk.size - self.written).min(30_000);
            let piece: Vec<u8> = (self.written..self.written + left).map(pattern).collect();
            if left > 0 {
                self.written += tcp.write(&piece).get();
            }
            if self.written == self.talk.size {
                tcp.close();
            }
        }
        while let Some(piece) = tcp.read(Bytes(4096)) {
            let Payload::Data(data) = piece else { panic!("real bytes come as bytes") };
            for &byte in &data {
                assert_eq!(byte, pattern(self.read), "byte {} of {}", self.read, self.talk.size);
                self.read += 1;
            }
        }
        while let Some(event) = tcp.poll_event() {
            match event {
                ackless_tcp::Event::PeerClosed if end != self.talk.sender => {
                    assert_eq!(self.read, self.talk.size, "all comes before the end");
                    tcp.close();
                }
                ackless_tcp::Event::Reset | ackless_tcp::Event::Refused | ackless_tcp::Event::TimedOut => {
                    panic!("{event:?} at end {end}")
                }
                _ => {}
            }
        }
        self.done[end] = matches!(tcp.state(), State::Closed | State::TimeWait);
    }

    /// A segment has left an end.
    fn note(&mut self, end: usize, bytes: Vec<u8>, packet: &Packet) {
        if packet.bare_ack().is_some() {
            self.sent[end].acks.push(bytes.clone());
        }
        *self.sent[end].open.entry(bytes).or_default() += 1;
    }

    /// A segment has come to an end: it is one that the other end has sent, as it was, and not more often.
    fn check(&mut self, end: usize, bytes: &[u8], packet: &Packet, rules: Rules) {
        let sent = &mut self.sent[1 - end];
        let plain = self.talk.dress != Dress::Mptcp;
        if rules.makes && plain {
            return;
        }
        let repeats = rules.repeats && packet.pure_ack().is_some();
        if !self.talk.config.ecn && !repeats {
            let open = sent.open.get_mut(bytes).filter(|open| **open > 0);
            *open.unwrap_or_else(|| panic!("not sent, or not so often: {packet:?}")) -= 1;
        }
        if rules.in_order && packet.bare_ack().is_some() {
            let from = sent.passed.saturating_sub(usize::from(repeats));
            let place = sent.acks[from..].iter().position(|ack| ack == bytes);
            let place = place.unwrap_or_else(|| panic!("not sent, or overtaken by {}: {packet:?}", sent.passed));
            sent.passed = from + place + 1;
            self.acks += 1;
        }
    }
}

/// Byte `at` of what is sent.
const fn pattern(at: u64) -> u8 {
    (at.wrapping_mul(31) >> 3) as u8 ^ at as u8
}

/// Random cells for each scheme.
const SEEDS: u64 = 60;
/// A run that lasts longer is stuck.
const LONGEST: Duration = Duration::from_secs(900);

fn suite(name: &'static str, seeds: u64) -> Vec<(u64, BTreeMap<&'static str, u64>)> {
    crew::all(name, seeds, |seed| {
        let world = World::draw(seed);
        let schemes = all(&crate::testing::hack_cells::cell(world.config.standard, 1));
        let (_, ap, station) = schemes.into_iter().find(|scheme| scheme.0 == name).expect("it is a scheme");
        let config = with(world.config.clone(), ap, station);
        let makes = ["agent", "arq", "fastack"].iter().any(|made| name.starts_with(made));
        let in_order = ["tcp", "hack"].contains(&name) && !world.reorders;
        let mut cell = open(&config, seed);
        // With Broadcom's driver an ACK overtakes those behind the one whose place it takes.
        if !makes && name != "broadcom" {
            cell.witness_acks();
        }
        let mut run = Run::new(&world, cell, Rules { makes, in_order, repeats: name == "hack" }, seed);
        let size = |flow: &FlowConfig| match flow.traffic {
            Traffic::Finite { size } => size,
            _ => unreachable!("the flows of these cells end"),
        };
        run.run(&config.flows.iter().map(size).collect::<Vec<_>>());
        (run.lines.iter().map(|line| line.acks).sum(), counts(&run.cell, &config))
    })
}

/// Every byte comes once and in order, every run ends, and no segment comes that was not sent, but for what the scheme makes.
macro_rules! talks {
    ($($test:ident: $name:literal;)*) => {
        $(#[test]
        fn $test() {
            suite($name, SEEDS);
        })*
    };
}

talks! {
    stock_tcp_carries_real_connections: "tcp";
    the_agent_with_buffers_carries_real_connections: "agent";
    the_agent_that_promises_what_fits_carries_real_connections: "agent-promise";
    the_agent_with_a_flag_carries_real_connections: "agent-flag";
    the_arq_proxy_by_sequence_number_carries_real_connections: "arq";
    the_arq_proxy_by_hash_carries_real_connections: "arq-hash";
    the_filter_by_group_address_carries_real_connections: "filter";
    the_filter_by_policy_carries_real_connections: "filter-no-ack";
    thinning_as_cake_does_it_carries_real_connections: "cake";
    thinning_as_cake_does_it_when_aggressive_carries_real_connections: "cake-aggressive";
    thinning_as_broadcom_does_it_carries_real_connections: "broadcom";
    thinning_as_broadcom_does_it_with_a_timer_carries_real_connections: "broadcom-hold";
    thinning_as_samsung_does_it_carries_real_connections: "samsung";
    fast_ack_carries_real_connections: "fastack";
}

#[test]
fn hack_delivers_the_acks_that_were_sent_byte_for_byte_and_in_order() {
    let runs = suite("hack", 4 * SEEDS);
    let carried: u64 = runs.iter().map(|(_, counts)| counts["compressed_acks"]).sum();
    let came: u64 = runs.iter().map(|(acks, _)| acks).sum();
    assert!(carried > came / 10, "{carried} of {came} went on answers");
    // Over IPv6 too.
    let alone = |seed: &usize| {
        let world = World::draw(*seed as u64);
        world.config.flows.is_empty()
            && world.talks.iter().all(|talk| talk.ends[0].is_ipv6() && talk.dress == Dress::Plain)
    };
    let carried: u64 = (0..runs.len()).filter(alone).map(|seed| runs[seed].1["compressed_acks"]).sum();
    assert!(carried > 0, "no run had IPv6 alone");
}

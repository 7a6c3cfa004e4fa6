//! Two endpoints and a path between them, in simulated time.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use ackless_tcp::{Config, Endpoint, Event, State};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Bytes, Duration, Instant, IpHeader, Packet, Payload, SeqNumber, TcpHeader, Transport};

/// The end that calls.
pub const A: usize = 0;
/// The end that listens.
pub const B: usize = 1;

/// What the path does to packets in one direction.
#[derive(Clone, Debug)]
pub struct Path {
    /// From one end to the other.
    pub delay: Duration,
    /// Serialisation; nothing means at once.
    pub rate: Option<BitRate>,
    /// Packets that the queue before the rate holds.
    pub queue: usize,
    /// Probability that a packet is lost.
    pub loss: f64,
    /// Probability that a packet is held for up to `held` longer, so that others overtake it.
    pub reordering: f64,
    pub held: Duration,
    /// Probability that a packet arrives twice.
    pub duplication: f64,
    /// Numbers, counted from 0, of packets that are lost for certain.
    pub drop: Vec<u64>,
}

impl Path {
    pub fn of_delay(millis: u64) -> Self {
        Self {
            delay: Duration::from_millis(millis),
            rate: None,
            queue: usize::MAX,
            loss: 0.0,
            reordering: 0.0,
            held: Duration::from_millis(3 * millis),
            duplication: 0.0,
            drop: Vec::new(),
        }
    }
}

/// Something on the way that changes packets, and drops those for which it answers false.
pub struct Middlebox(Box<dyn FnMut(&mut Packet) -> bool>);

impl Middlebox {
    pub fn new(rule: impl FnMut(&mut Packet) -> bool + 'static) -> Self {
        Self(Box::new(rule))
    }

    /// Whether the packet goes on, as it is then.
    pub fn apply(&mut self, packet: &mut Packet) -> bool {
        (self.0)(packet)
    }
}

/// Two endpoints, the packets between them, and the clock.
pub struct Pair {
    pub now: Instant,
    pub ends: [Endpoint; 2],
    pub paths: [Path; 2],
    pub events: [Vec<Event>; 2],
    /// Every packet that an end has sent, with when, if `record` is set.
    pub sent: [Vec<(Instant, Packet)>; 2],
    pub record: bool,
    pub rtt_samples: Vec<Duration>,
    /// What happens to the packets of an end before they are on the path.
    pub alter: [Middlebox; 2],
    counts: [u64; 2],
    free_at: [Instant; 2],
    queued: [usize; 2],
    under_way: BTreeMap<(Instant, u64), (usize, Packet, bool)>,
    serial: u64,
    random: Stream,
}

pub fn address(end: usize) -> SocketAddr {
    SocketAddr::new([10, 0, 0, end as u8 + 1].into(), [40_000, 80][end])
}

/// B is handed up a segment of A's with this header and so many bytes, where it gathers as a part of a batch.
pub fn hand_up(end: &mut Endpoint, now: Instant, tcp: TcpHeader, len: u32) {
    let ip = IpHeader::between(address(A).ip(), address(B).ip()).expect("both addresses are IPv4");
    let packet = Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::Length(len) };
    if end.gathers() {
        end.handle_merged(now, &packet, Bytes(len.into()));
    } else {
        end.handle_segment(now, &packet);
    }
}

pub const ISS: [SeqNumber; 2] = [SeqNumber(u32::MAX - 20_000), SeqNumber(5_000)];

impl Pair {
    /// A calls B, which listens.
    pub fn new(configs: [Config; 2], path: Path, seed: u64) -> Self {
        let [a, b] = configs;
        let now = Instant::from_millis(10);
        let ends = [Endpoint::connect(now, a, address(A), address(B), ISS[A]), Endpoint::listen(b, address(B), ISS[B])];
        Self::of(ends, path, seed)
    }

    pub fn of(ends: [Endpoint; 2], path: Path, seed: u64) -> Self {
        let now = Instant::from_millis(10);
        Self {
            now,
            ends,
            paths: [path.clone(), path],
            events: Default::default(),
            sent: Default::default(),
            record: false,
            rtt_samples: Vec::new(),
            alter: [Middlebox::new(|_| true), Middlebox::new(|_| true)],
            counts: [0; 2],
            free_at: [now; 2],
            queued: [0; 2],
            under_way: BTreeMap::new(),
            serial: 0,
            random: Stream::new(seed, 0, Purpose::Test),
        }
    }

    /// The handshake over a path of this delay, with everything recorded from then on.
    pub fn connected(config: Config, millis: u64) -> Self {
        let mut pair = Self::new([config.clone(), config], Path::of_delay(millis), 1);
        pair.run_while(|pair| pair.ends[B].state() != State::Established);
        pair.drain();
        pair.record = true;
        pair
    }

    /// Takes everything that both ends have to say now.
    pub fn drain(&mut self) {
        for end in [A, B] {
            while let Some(packet) = self.ends[end].poll_transmit(self.now) {
                self.transmit(end, packet);
            }
            while let Some(event) = self.ends[end].poll_event() {
                self.events[end].push(event);
            }
        }
    }

    fn transmit(&mut self, from: usize, mut packet: Packet) {
        if self.record {
            self.sent[from].push((self.now, packet.clone()));
        }
        let number = self.counts[from];
        self.counts[from] += 1;
        if !self.alter[from].apply(&mut packet) {
            return;
        }
        let path = &self.paths[from];
        if path.drop.contains(&number) || self.random.chance(path.loss) || self.queued[from] >= path.queue {
            return;
        }
        let mut at = self.now;
        let rated = path.rate.is_some();
        if let Some(rate) = path.rate {
            at = self.free_at[from].max(self.now) + rate.time_ceil(packet.len());
            self.free_at[from] = at;
            self.queued[from] += 1;
        }
        at += path.delay;
        if self.random.chance(path.reordering) {
            at += Duration::from_nanos(self.random.below(path.held.as_nanos() + 1));
        }
        let again = self.random.chance(path.duplication);
        if again {
            let later = at + Duration::from_nanos(self.random.below(path.held.as_nanos() + 1));
            self.schedule(later, from, packet.clone(), false);
        }
        self.schedule(at, from, packet, rated);
    }

    fn schedule(&mut self, at: Instant, from: usize, packet: Packet, queued: bool) {
        self.serial += 1;
        self.under_way.insert((at, self.serial), (from, packet, queued));
    }

    /// Goes to the next arrival or deadline and handles it. False if there is none.
    pub fn step(&mut self) -> bool {
        self.drain();
        let arrival = self.under_way.keys().next().map(|&(at, _)| at);
        let deadlines = [A, B].map(|end| self.ends[end].poll_timeout());
        let Some(next) = [arrival, deadlines[A], deadlines[B]].into_iter().flatten().min() else { return false };
        assert!(next >= self.now || arrival != Some(next), "time runs forward");
        self.now = self.now.max(next);
        if arrival == Some(next) {
            let (_, (from, packet, queued)) = self.under_way.pop_first().expect("an arrival was found");
            self.queued[from] -= usize::from(queued);
            self.ends[1 - from].handle_segment(self.now, &packet);
            self.rtt_samples.extend(self.ends[1 - from].take_rtt_sample());
        } else {
            for end in [A, B] {
                if deadlines[end] == Some(next) {
                    self.ends[end].handle_timeout(self.now);
                }
            }
        }
        self.drain();
        true
    }

    /// Steps while `condition` holds.
    ///
    /// # Panics
    /// If it still holds when nothing is left to happen.
    pub fn run_while(&mut self, condition: impl Fn(&Self) -> bool) {
        while condition(self) {
            assert!(self.step(), "nothing is left to happen at {:?}: {:?}", self.now, self.states());
        }
    }

    /// Steps until `span` has passed, or nothing is left to happen.
    pub fn run_for(&mut self, span: Duration) {
        let end = self.now + span;
        self.drain();
        loop {
            let arrival = self.under_way.keys().next().map(|&(at, _)| at);
            let next = [arrival, self.ends[A].poll_timeout(), self.ends[B].poll_timeout()].into_iter().flatten().min();
            if next.is_none_or(|next| next > end) {
                self.now = end;
                return;
            }
            self.step();
        }
    }

    /// Steps until nothing is left to happen.
    pub fn run_to_end(&mut self) {
        while self.step() {}
    }

    pub fn states(&self) -> [State; 2] {
        [A, B].map(|end| self.ends[end].state())
    }

    /// How many packets `end` has sent since the start: the number of its next one.
    pub fn packets_sent(&self, end: usize) -> u64 {
        self.counts[end]
    }

    /// How many segments with payload `end` has sent since recording began.
    pub fn data_sent(&self, end: usize) -> usize {
        self.sent[end].iter().filter(|(_, packet)| !packet.payload.is_empty()).count()
    }

    /// How many pure acknowledgements `end` has sent since recording began.
    pub fn acks_sent(&self, end: usize) -> usize {
        self.sent[end].iter().filter(|(_, packet)| packet.pure_ack().is_some()).count()
    }
}

/// Payload bytes of one segment with the default options.
pub const FULL: Bytes = Bytes(1448);

/// How long the bandwidth estimate of the first end takes to come within `percent` of a new bandwidth, of whose packets of 1,500 bytes `payload` are the application's, in milliseconds.
pub fn convergence(pair: &mut Pair, mbps: u64, payload: u32, percent: f64) -> f64 {
    pair.paths[A].rate = Some(BitRate::from_mbps(mbps));
    let begin = pair.now;
    let goal = mbps as f64 * f64::from(payload) / 1500.0;
    let bandwidth = |pair: &Pair| pair.ends[A].path_model(pair.now).map_or(0.0, |model| model.bandwidth.mbps_f64());
    while (bandwidth(pair) / goal - 1.0).abs() * 100.0 > percent {
        assert!(pair.step());
        assert!(pair.now < begin + Duration::from_secs(20), "{} Mbps for {goal}", bandwidth(pair));
    }
    pair.now.saturating_since(begin).as_secs_f64() * 1e3
}

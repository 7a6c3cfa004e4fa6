//! Two endpoints and a path that does to packets whatever paths do: losses, queues, jitter, steps, and middleboxes
//! that strip options.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use ackless_tcp::{Endpoint, Event, State};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Bytes, Duration, Instant, Packet, TcpFlags, Transport};

use super::reframe::{Joins, Reframe};
use super::watch::{Before, Watch};
use super::wrap::Numbering;

/// The end that calls.
pub const A: usize = 0;
/// The end that listens, or calls as well.
pub const B: usize = 1;

/// What happens to packets in one direction.
#[derive(Clone, Debug)]
pub struct Link {
    /// From one end to the other.
    pub delay: Duration,
    /// Added to each packet's delay, evenly from nothing to this; the order is kept.
    pub jitter: Duration,
    /// Serialisation; nothing means at once.
    pub rate: Option<BitRate>,
    /// Packets that the queue before the rate holds.
    pub queue: usize,
    pub loss: Loss,
    /// Probability that a packet is held for up to `held` longer, so that others overtake it.
    pub reordering: f64,
    pub held: Duration,
    /// Probability that a packet arrives twice.
    pub duplication: f64,
    /// When delay and rate change, in the order of time.
    pub steps: Vec<Step>,
    pub strip: Strip,
    pub reframe: Reframe,
    /// When nothing gets through: from then on for so long.
    pub outages: Vec<(Instant, Duration)>,
    /// The receiving host is handed what comes only at whole multiples of this, all at once; nothing means at once.
    pub gathered: Duration,
}

/// How packets are lost.
#[derive(Clone, Copy, Debug)]
pub enum Loss {
    /// Each by itself with this probability.
    Single(f64),
    /// In bursts, which begin and end with these probabilities for each packet, and never outlast a second.
    Bursts { begin: f64, end: f64 },
    /// Packets with these numbers, counted from 0.
    Only([u64; 2]),
}

/// A change of the path.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub at: Instant,
    pub delay: Duration,
    pub rate: Option<BitRate>,
}

/// What a middlebox takes out of headers.
#[derive(Clone, Copy, Debug)]
pub struct Strip {
    pub permitted: bool,
    pub ack_type: bool,
    pub packet_number: bool,
    /// Whether it drops the whole packet instead.
    pub drops: bool,
    pub when: When,
}

/// Which packets a middlebox meddles with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    Never,
    /// SYN and SYN-ACK only.
    Syns,
    /// Every packet from this one on, counted from 0 as they enter the link.
    From(u64),
}

/// Two endpoints, the packets between them, what is written down about them, and the clock.
pub struct Net {
    pub now: Instant,
    pub ends: [Endpoint; 2],
    pub links: [Link; 2],
    pub events: [Vec<Event>; 2],
    pub watch: Watch,
    /// What is added to the packet numbers of each end.
    pub numbering: [Option<Numbering>; 2],
    /// Whether each packet is printed.
    pub verbose: bool,
    pub steps: u64,
    counts: [u64; 2],
    /// Since when the link loses everything.
    burst: [Option<Instant>; 2],
    free_at: [Instant; 2],
    last_arrival: [Instant; 2],
    queued: [usize; 2],
    /// Whether an end has been given a part of a batch.
    in_batch: [bool; 2],
    under_way: BTreeMap<(Instant, u64), UnderWay>,
    serial: u64,
    random: Stream,
}

struct UnderWay {
    from: usize,
    packet: Packet,
    /// Whether its payload is the body of an acknowledgement, whatever a middlebox has left of its options.
    typed: bool,
    queued: bool,
}

pub fn address(end: usize) -> SocketAddr {
    SocketAddr::new([10, 0, 0, end as u8 + 1].into(), [40_000, 80][end])
}

impl Link {
    pub fn of_delay(delay: Duration) -> Self {
        Self {
            delay,
            jitter: Duration::ZERO,
            rate: None,
            queue: usize::MAX,
            loss: Loss::Single(0.0),
            reordering: 0.0,
            held: Duration::ZERO,
            duplication: 0.0,
            steps: Vec::new(),
            strip: Strip::NOTHING,
            reframe: Reframe::NOTHING,
            outages: Vec::new(),
            gathered: Duration::ZERO,
        }
    }

    /// The least time that a packet ever takes.
    pub fn floor(&self) -> Duration {
        self.steps.iter().map(|step| step.delay).fold(self.delay, Duration::min)
    }
}

impl Strip {
    pub const NOTHING: Self =
        Self { permitted: false, ack_type: false, packet_number: false, drops: false, when: When::Never };

    /// Takes out what it is to take out. False if the packet goes no further.
    fn apply(self, number: u64, packet: &mut Packet) -> bool {
        let Transport::Tcp(tcp) = &mut packet.transport else { return true };
        let meddles = match self.when {
            When::Never => false,
            When::Syns => tcp.flags.contains(TcpFlags::SYN),
            When::From(first) => number >= first,
        };
        let before = tcp.options.tack;
        if meddles {
            let tack = &mut tcp.options.tack;
            tack.permitted &= !self.permitted;
            tack.ack_type = tack.ack_type.filter(|_| !self.ack_type);
            tack.packet_number = tack.packet_number.filter(|_| !self.packet_number);
        }
        !self.drops || tcp.options.tack == before
    }
}

impl Net {
    pub fn new(ends: [Endpoint; 2], links: [Link; 2], watch: Watch, seed: u64) -> Self {
        Self {
            now: START,
            ends,
            links,
            events: Default::default(),
            watch,
            numbering: [None, None],
            verbose: false,
            steps: 0,
            counts: [0; 2],
            burst: [None; 2],
            free_at: [START; 2],
            last_arrival: [START; 2],
            queued: [0; 2],
            in_batch: [false; 2],
            under_way: BTreeMap::new(),
            serial: 0,
            random: Stream::new(seed, 0, Purpose::Test),
        }
    }

    /// Takes everything that both ends have to say now.
    pub fn drain(&mut self) {
        for end in [A, B] {
            loop {
                let before = Before::of(&self.ends[end]);
                let Some(mut packet) = self.ends[end].poll_transmit(self.now) else { break };
                if let Some(numbering) = &self.numbering[1 - end]
                    && !numbering.change_body(&mut packet, self.watch.seen.largest_number)
                {
                    continue;
                }
                if self.links[1 - end].reframe.moved != 0 {
                    packet = self.links[1 - end].reframe.with_acknowledgement_moved(&packet);
                }
                self.watch.on_sent(self.now, end, &packet, &before, &self.ends[end]);
                self.transmit(end, packet);
            }
            while let Some(event) = self.ends[end].poll_event() {
                self.events[end].push(event);
            }
        }
    }

    fn transmit(&mut self, from: usize, mut packet: Packet) {
        let typed = packet.tcp().is_some_and(|tcp| tcp.options.tack.ack_type.is_some());
        let number = self.counts[from];
        self.counts[from] += 1;
        let link = &mut self.links[from];
        while link.steps.first().is_some_and(|step| step.at <= self.now) {
            let step = link.steps.remove(0);
            (link.delay, link.rate) = (step.delay, step.rate);
        }
        let lost = match link.loss {
            Loss::Single(p) => self.random.chance(p),
            Loss::Bursts { begin, end } => {
                let over = self.burst[from].is_some_and(|since| self.now > since + LONGEST_BURST);
                let changes = over || self.random.chance(if self.burst[from].is_some() { end } else { begin });
                if changes {
                    self.burst[from] = if self.burst[from].is_some() { None } else { Some(self.now) };
                }
                self.burst[from].is_some()
            }
            Loss::Only(numbers) => numbers.contains(&number),
        } || self.queued[from] >= link.queue
            || link.outages.iter().any(|&(begin, span)| begin <= self.now && self.now < begin + span);
        if self.verbose {
            let fate = if lost { "LOST " } else { "" };
            let stats = self.ends[from].stats();
            let rate = stats.pacing_rate.unwrap_or(BitRate::ZERO);
            eprintln!(
                "{:?} {} #{number} {fate}cwnd {} rate {rate:.3} {}",
                self.now,
                ["A>", "B>"][from],
                stats.cwnd,
                line(&packet)
            );
        }
        if lost {
            return;
        }
        if !link.strip.apply(number, &mut packet) {
            return;
        }
        let mut at = self.now;
        let rated = link.rate.is_some();
        if let Some(rate) = link.rate {
            at = self.free_at[from].max(self.now) + rate.time_ceil(packet.len());
            self.free_at[from] = at;
            self.queued[from] += 1;
        }
        at += link.delay + Duration::from_nanos(self.random.below(link.jitter.as_nanos() + 1));
        if link.jitter > Duration::ZERO {
            at = at.max(self.last_arrival[from]);
            self.last_arrival[from] = at;
        }
        if self.random.chance(link.reordering) {
            at += Duration::from_nanos(self.random.below(link.held.as_nanos() + 1));
        }
        if self.random.chance(link.duplication) {
            let later = at + Duration::from_nanos(self.random.below(link.held.as_nanos() + 1));
            self.schedule(later, UnderWay { from, packet: packet.clone(), typed, queued: false });
        }
        let Some([first, second]) = self.links[from].reframe.cut(&packet) else {
            self.schedule(at, UnderWay { from, packet, typed, queued: rated });
            return;
        };
        self.schedule(at, UnderWay { from, packet: first, typed, queued: rated });
        // Either part may be lost alone.
        if !self.random.chance(PART_LOST) {
            self.schedule(at, UnderWay { from, packet: second, typed, queued: false });
        }
    }

    fn schedule(&mut self, at: Instant, under_way: UnderWay) {
        let grain = self.links[under_way.from].gathered;
        let at = if grain.is_zero() {
            at
        } else {
            START
                + grain * (at.saturating_since(START) + grain).saturating_sub(Duration::from_nanos(1)).div_floor(grain)
        };
        self.serial += 1;
        self.under_way.insert((at, self.serial), under_way);
    }

    /// When something happens next.
    pub fn next(&self) -> Option<Instant> {
        let arrival = self.under_way.keys().next().map(|&(at, _)| at);
        [arrival, self.ends[A].poll_timeout(), self.ends[B].poll_timeout()].into_iter().flatten().min()
    }

    /// Goes to the next arrival or deadline and handles it. False if there is none.
    pub fn step(&mut self) -> bool {
        self.drain();
        let Some(next) = self.next() else { return false };
        self.steps += 1;
        self.now = self.now.max(next);
        if self.under_way.keys().next().is_some_and(|&(at, _)| at == next) {
            let (_, UnderWay { from, packet, typed, queued }) =
                self.under_way.pop_first().expect("an arrival was found");
            self.queued[from] -= usize::from(queued);
            let packet = self.joined(from, packet, typed);
            let to = 1 - from;
            if self.verbose {
                eprintln!("{:?}      {} {}", self.now, [">A", ">B"][to], line(&packet));
            }
            let before = Before::of(&self.ends[to]);
            let reframe = self.links[from].reframe;
            match &self.numbering[from] {
                Some(numbering) => self.give(to, &numbering.with_data_changed(&packet)),
                None if reframe.moved != 0 => self.give(to, &reframe.with_sequence_moved(&packet)),
                None => self.give(to, &packet),
            }
            if !(typed && reframe.confuses_numbers()) || super::watch::body(&packet).is_some() {
                self.watch.on_arrival(self.now, to, &packet, typed, &before, &self.ends[to]);
            }
            let more =
                self.under_way.first_key_value().is_some_and(|(&(at, _), next)| at == self.now && next.from == from);
            if !more && std::mem::take(&mut self.in_batch[to]) {
                self.ends[to].end_batch(self.now);
            }
        } else {
            for end in [A, B] {
                if self.ends[end].poll_timeout() == Some(next) {
                    self.ends[end].handle_timeout(self.now);
                }
            }
        }
        self.drain();
        true
    }

    /// What a middlebox makes of this segment and of those that come within a moment of it.
    fn joined(&mut self, from: usize, mut packet: Packet, typed: bool) -> Packet {
        let reframe = self.links[from].reframe;
        if typed || reframe.joins == Joins::Never {
            return packet;
        }
        while let Some(entry) = self.under_way.first_entry() {
            let (at, next) = (entry.key().0, entry.get());
            if at > self.now + MOMENT || next.from != from || next.typed {
                break;
            }
            let Some(both) = reframe.join(&packet, &next.packet) else { break };
            self.queued[from] -= usize::from(entry.remove().queued);
            packet = both;
        }
        packet
    }

    fn give(&mut self, to: usize, packet: &Packet) {
        if self.ends[to].gathers() {
            self.in_batch[to] = true;
            self.ends[to].handle_merged(self.now, packet, Bytes(packet.payload.len().into()));
        } else {
            self.ends[to].handle_segment(self.now, packet);
        }
    }

    /// Steps until `span` has passed, or nothing is left to happen.
    pub fn run_for(&mut self, span: Duration) {
        let end = self.now + span;
        self.drain();
        while self.next().is_some_and(|next| next <= end) {
            self.step();
        }
        self.now = end;
    }

    pub fn states(&self) -> [State; 2] {
        [A, B].map(|end| self.ends[end].state())
    }
}

/// A packet in a line.
pub fn line(packet: &Packet) -> String {
    use std::fmt::Write;
    let Some(tcp) = packet.tcp() else { return "no TCP".to_owned() };
    let mut line =
        format!("{:?} seq {:?} ack {:?} len {} win {}", tcp.flags, tcp.seq, tcp.ack, packet.payload.len(), tcp.window);
    let tack = &tcp.options.tack;
    let body = super::watch::body(packet);
    let parts = [
        tack.permitted.then(|| "permitted".to_owned()),
        tack.packet_number.map(|number| format!("pkt {number}")),
        tack.ack_type.map(|kind| format!("type {kind}")),
        tcp.options.timestamps.map(|(value, echo)| format!("ts {value} {echo}")),
        (!tcp.options.sack.is_empty()).then(|| format!("sack {:?}", tcp.options.sack)),
        body.map(|body| format!("{body:?}")),
    ];
    for part in parts.into_iter().flatten() {
        write!(line, " {part}").expect("a string takes what is written");
    }
    line
}

/// Of two parts of a segment the second is lost alone with this probability.
const PART_LOST: f64 = 0.02;
/// What comes within this time may be made one.
const MOMENT: Duration = Duration::from_micros(300);
/// When everything begins.
pub const START: Instant = Instant::from_millis(10);
/// Where packets are rare, a burst counted in packets would last for ever.
const LONGEST_BURST: Duration = Duration::from_secs(1);

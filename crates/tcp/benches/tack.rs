//! What a data segment costs the two ends of a bulk transfer, under TACK and under what it is compared with.
//!
//! Both ends talk over a path of 300 Mbps and 20 ms, so that TACK has its full rhythm: four in a round trip; and, for what recovery costs, over one of 2 Gbps and
//! 50 ms that loses 0.1 or 1 % of the data, or delays each packet of it by up to 10 ms more, on which thousands of segments are out and hundreds of holes open. What each end hears in the
//! middle of the transfer is written down, and then each end alone goes through it again, as often as it takes: nanoseconds for each
//! data segment, the fastest of many rounds in which all variants take turns. Ratios are within one run, since machines differ.

use std::collections::VecDeque;
use std::net::SocketAddr;

use ackless_tcp::congestion::Variant;
use ackless_tcp::loss::RecoveryChoice;
use ackless_tcp::{AckChoice, Config, CongestionChoice, Endpoint, Losses, TackConfig};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Bytes, Duration, Instant, Packet, SeqNumber};

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    if let [line, end] = numbers[..] {
        // For callgrind: one end, once.
        let (name, choices) = VARIANTS[line % VARIANTS.len()];
        let recording = Recording::of(choices);
        recording.replay(end % 2);
        println!("{name}: {} data segments at the {}", recording.segments, ["sender", "receiver"][end % 2]);
        return;
    }
    let rounds = numbers.first().copied().unwrap_or(21);
    let variants = VARIANTS.map(|(name, choices)| (name, Recording::of(choices)));
    let mut fastest = [[f64::INFINITY; 2]; VARIANTS.len()];
    for _ in 0..rounds {
        for ((_, recording), fastest) in variants.iter().zip(&mut fastest) {
            for (end, fastest) in fastest.iter_mut().enumerate() {
                *fastest = fastest.min(recording.replay(end));
            }
        }
    }
    println!(
        "{rounds} rounds of {SEGMENTS} data segments; ns for each data segment, and times the delayed ACKs of the same controller\n"
    );
    println!(
        "{:34} {:>9} {:>9} {:>9} {:>14} {:>14}",
        "", "ACKs/seg.", "sender", "receiver", "sender, times", "receiver, times"
    );
    let mut base = fastest[0];
    for ((name, recording), fastest) in variants.iter().zip(fastest) {
        if name.contains("delayed") {
            base = fastest;
        }
        let [sender, receiver] = fastest;
        println!(
            "{name:34} {:9.4} {sender:9.1} {receiver:9.1} {:14.2} {:14.2}",
            recording.acks as f64 / recording.segments as f64,
            sender / base[0],
            receiver / base[1]
        );
    }
}

/// What is compared, after the line that it is compared with.
const VARIANTS: [(&str, Choices); 19] = [
    (
        "CUBIC, delayed ACKs (L = 2)",
        Choices { congestion: CongestionChoice::Cubic, ack: DELAYED, tack: None, path: SHORT },
    ),
    (
        "CUBIC, an ACK for each segment",
        Choices { congestion: CongestionChoice::Cubic, ack: AckChoice::PerPacket, tack: None, path: SHORT },
    ),
    ("CUBIC, TACK", Choices { congestion: CongestionChoice::Cubic, ack: TACK, tack: Some(Rules::Paper), path: SHORT }),
    ("BBR and RACK, delayed ACKs (L = 2)", bbr(SHORT)),
    ("BBR and RACK, one for each segment", Choices { ack: AckChoice::PerPacket, ..bbr(SHORT) }),
    ("receiver-based BBR, TACK", tack(SHORT)),
    ("row tack-wifi", WIFI),
    ("BBR and RACK, delayed ACKs, 2 Gbps", bbr(LONG)),
    ("receiver-based BBR, TACK, 2 Gbps", tack(LONG)),
    ("BBR, delayed, 2 Gbps, 0.1 % lost", bbr(Path { lost: 1, ..LONG })),
    ("TACK, 2 Gbps, 0.1 % lost", tack(Path { lost: 1, ..LONG })),
    ("BBR, delayed, 2 Gbps, 1 % lost", bbr(Path { lost: 10, ..LONG })),
    ("TACK, 2 Gbps, 1 % lost", tack(Path { lost: 10, ..LONG })),
    ("BBR, delayed, 200 Mbps, 1 % lost", bbr(Path { lost: 10, ..TENTH })),
    ("TACK, 200 Mbps, 1 % lost", tack(Path { lost: 10, ..TENTH })),
    ("BBR, delayed, 2 Gbps, reordered", bbr(Path { jitter: JITTER, ..LONG })),
    ("TACK, 2 Gbps, reordered", tack(Path { jitter: JITTER, ..LONG })),
    ("BBR, delayed, 200 Mbps, reordered", bbr(Path { jitter: JITTER, ..TENTH })),
    ("TACK, 200 Mbps, reordered", tack(Path { jitter: JITTER, ..TENTH })),
];

const fn bbr(path: Path) -> Choices {
    Choices { congestion: CongestionChoice::Bbr, ack: DELAYED, tack: None, path }
}

const fn tack(path: Path) -> Choices {
    Choices { congestion: CongestionChoice::ReceiverBbr(Variant::Standard), ack: TACK, tack: Some(Rules::Paper), path }
}

const WIFI: Choices = Choices {
    congestion: CongestionChoice::ReceiverBbr(Variant::Rounds { losses: Losses::Bound }),
    ack: AckChoice::Tack { beta: 2, every: 2 },
    tack: Some(Rules::Wifi),
    path: SHORT,
};

const SHORT: Path =
    Path { rate: BitRate::from_mbps(300), delay: Duration::from_millis(10), lost: 0, jitter: Duration::ZERO };
const LONG: Path =
    Path { rate: BitRate::from_mbps(2_000), delay: Duration::from_millis(25), lost: 0, jitter: Duration::ZERO };
/// A tenth of its window: what recovery costs as the window grows by ten.
const TENTH: Path = Path { rate: BitRate::from_mbps(200), ..LONG };

/// Less than the quarter of a round trip for which either waits.
const JITTER: Duration = Duration::from_millis(10);

/// The path of a line.
#[derive(Clone, Copy)]
struct Path {
    rate: BitRate,
    /// In each direction.
    delay: Duration,
    /// Of a thousand data segments.
    lost: u64,
    /// What is added to the delay of each data packet: a time from nothing to this, so that later ones overtake.
    jitter: Duration,
}

const DELAYED: AckChoice = AckChoice::Delayed { every: 2, timeout: Duration::from_millis(40) };
const TACK: AckChoice = AckChoice::Tack { beta: 4, every: 2 };

/// One line of the table.
#[derive(Clone, Copy)]
struct Choices {
    congestion: CongestionChoice,
    ack: AckChoice,
    tack: Option<Rules>,
    path: Path,
}

/// Whose rules TACK goes by.
#[derive(Clone, Copy)]
enum Rules {
    Paper,
    /// Those of row `tack-wifi`. Nothing comes in batches here.
    Wifi,
}

/// What both ends went through in the middle of a transfer, and how they were before it.
struct Recording {
    ends: [Endpoint; 2],
    heard: [Vec<(Instant, Heard)>; 2],
    segments: u64,
    acks: u64,
}

enum Heard {
    Segment(Packet),
    Deadline,
}

/// Two ends and the path between them.
struct Talk {
    now: Instant,
    path: Path,
    random: Stream,
    ends: [Endpoint; 2],
    /// When what arrives, at either end.
    under_way: [VecDeque<(Instant, Packet)>; 2],
    free_at: Instant,
    segments: u64,
    acks: u64,
}

impl Rules {
    fn config(self) -> TackConfig {
        match self {
            Self::Paper => TackConfig::default(),
            // Segments are handed in one by one here.
            Self::Wifi => TackConfig { batch: false, ..TackConfig::recommended() },
        }
    }
}

impl Choices {
    fn config(self) -> Config {
        let recovery = match self.congestion {
            CongestionChoice::Bbr => RecoveryChoice::Rack,
            _ => RecoveryChoice::Standard,
        };
        Config {
            congestion: self.congestion,
            ack: self.ack,
            recovery,
            tack: self.tack.map(Rules::config),
            receive_buffer: if self.path.lost > 0 || self.path.rate > SHORT.rate {
                Bytes::from_kib(64 * 1024)
            } else {
                Config::default().receive_buffer
            },
            ..Config::default()
        }
    }
}

impl Talk {
    fn new(choices: Choices) -> Self {
        let now = Instant::from_millis(1);
        let mut ends = [
            Endpoint::connect(now, choices.config(), address(1), address(2), SeqNumber(1)),
            Endpoint::listen(choices.config(), address(2), SeqNumber(2)),
        ];
        ends[0].send_forever();
        let (path, random) = (choices.path, Stream::new(1, 0, Purpose::Test));
        Self { now, path, random, ends, under_way: Default::default(), free_at: now, segments: 0, acks: 0 }
    }

    fn drain(&mut self, from: usize) {
        while let Some(packet) = self.ends[from].poll_transmit(self.now) {
            self.segments += u64::from(from == 0 && !packet.payload.is_empty());
            self.acks += u64::from(from == 1);
            let mut at = self.now;
            if from == 0 {
                at = self.free_at.max(at) + self.path.rate.time_ceil(packet.len());
                // The queue holds a round trip's worth.
                if at > self.now + self.path.delay * 2 || self.random.below(1000) < self.path.lost {
                    continue;
                }
                self.free_at = at;
            }
            if from == 0 && !self.path.jitter.is_zero() {
                at += Duration::from_nanos(self.random.below(self.path.jitter.as_nanos() + 1));
            }
            let at = at + self.path.delay;
            let others = &mut self.under_way[1 - from];
            let place = others.iter().rposition(|(before, _)| *before <= at).map_or(0, |before| before + 1);
            others.insert(place, (at, packet));
        }
        while self.ends[from].poll_event().is_some() {}
    }

    /// The next thing that happens, at which end.
    fn step(&mut self) -> (usize, Heard) {
        let arrivals = [0, 1].map(|end| self.under_way[end].front().map(|(at, _)| *at));
        let deadlines = [0, 1].map(|end| self.ends[end].poll_timeout());
        let next = arrivals.into_iter().chain(deadlines).flatten().min().expect("a transfer goes on");
        self.now = self.now.max(next);
        let (end, heard) = match [0, 1].into_iter().find(|&end| arrivals[end] == Some(next)) {
            Some(end) => {
                let (_, packet) = self.under_way[end].pop_front().expect("an arrival was found");
                self.ends[end].handle_segment(self.now, &packet);
                (end, Heard::Segment(packet))
            }
            None => {
                let end = if deadlines[0] == Some(next) { 0 } else { 1 };
                self.ends[end].handle_timeout(self.now);
                (end, Heard::Deadline)
            }
        };
        self.drain(end);
        (end, heard)
    }
}

impl Recording {
    fn of(choices: Choices) -> Self {
        let mut talk = Talk::new(choices);
        talk.drain(0);
        while talk.now < WARM_UP {
            talk.step();
        }
        let ends = talk.ends.clone();
        (talk.segments, talk.acks) = (0, 0);
        let mut heard = [Vec::new(), Vec::new()];
        while talk.segments < SEGMENTS {
            let (end, what) = talk.step();
            heard[end].push((talk.now, what));
        }
        Self { ends, heard, segments: talk.segments, acks: talk.acks }
    }

    /// Nanoseconds for each data segment at `end`. Not inlined, so that callgrind can count in it alone.
    #[inline(never)]
    fn replay(&self, end: usize) -> f64 {
        let mut endpoint = self.ends[end].clone();
        let begin = clock();
        for (now, heard) in &self.heard[end] {
            match heard {
                Heard::Segment(packet) => endpoint.handle_segment(*now, packet),
                Heard::Deadline => endpoint.handle_timeout(*now),
            }
            while let Some(packet) = endpoint.poll_transmit(*now) {
                std::hint::black_box(packet);
            }
            while endpoint.poll_event().is_some() {}
            std::hint::black_box(endpoint.poll_timeout());
        }
        begin.elapsed().as_nanos() as f64 / self.segments as f64
    }
}

fn address(end: u8) -> SocketAddr {
    SocketAddr::new([10, 0, 0, end].into(), 5000)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn clock() -> std::time::Instant {
    std::time::Instant::now()
}

/// By then every controller has left its start.
const WARM_UP: Instant = Instant::from_secs(3);
/// Data segments of a recording.
const SEGMENTS: u64 = 20_000;

//! A peer that does TACK and says whatever it likes: bodies that can be read, about packets that were sent, with values that cannot be.

use ackless_tcp::tack::body::{AckKind, Body, FrequencyUpdate, LossRange, Report};
use ackless_tcp::tack::{Blocks, RateBy, Settling, Share, TackConfig, Timing};
use ackless_tcp::{Config, CongestionChoice, Consume, Losses, RecoveryChoice, State, Stats, Variant};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Bytes, Duration, Payload, TcpFlags, TcpHeader};

use crate::tack::paths::number;
use crate::tack_sending::script::*;

/// How many liars there are; `ACKLESS_LIARS=20000` has more.
const LIARS: u64 = 2_000;

/// A script that lies, and what it has said.
struct Liar {
    random: Stream,
    script: Script,
    /// Bytes that it has acknowledged.
    acked: u32,
    /// The number of its latest data packet.
    number: u32,
}

fn one<T: Copy, const N: usize>(random: &mut Stream, of: [T; N]) -> T {
    of[random.below(N as u64) as usize]
}

fn even(random: &mut Stream) -> bool {
    random.chance(0.5)
}

/// Any number, small ones and those at the ends most of all.
fn any(random: &mut Stream) -> u32 {
    let (hundreds, all) = (random.below(100_000) as u32, random.bits() as u32);
    one(random, [0, 1, 2, hundreds / 1_000, hundreds, all, 1 << 31, u32::MAX])
}

/// Any time that a body can say.
fn any_time(random: &mut Stream) -> Duration {
    Duration::from_micros(any(random).into())
}

/// A number that was said, or one near it.
fn near(random: &mut Stream, number: u32) -> u32 {
    let (less, more) = (random.below(40) as u32, random.below(3) as u32);
    let below = random.below(u64::from(number) + 1) as u32;
    one(random, [number, number, number, number.saturating_sub(less), number.wrapping_add(more), below])
}

fn any_config(random: &mut Stream) -> Config {
    let rounds = |losses| CongestionChoice::ReceiverBbr(Variant::Rounds { losses });
    let congestion = [
        CongestionChoice::ReceiverBbr(Variant::Standard),
        rounds(Losses::Bound),
        rounds(Losses::Ignored),
        CongestionChoice::NewReno,
        CongestionChoice::Cubic,
        CongestionChoice::Bbr,
        CongestionChoice::Bbr3,
    ];
    let tack = TackConfig {
        blocks: one(random, [Blocks::Poor, Blocks::Rich, Blocks::Distinct, Blocks::OnDemand]),
        rate: one(random, [RateBy::Receiver, RateBy::Sender]),
        settling: one(random, [Settling::Quarter, Settling::Adaptive]),
        share: one(random, [Share::Least, Share::Usual]),
        timing: one(random, [Timing::OneWayDelay, Timing::Sampled]),
        window_asks: even(random),
        batch: even(random),
        ..TackConfig::default()
    };
    Config {
        congestion: one(random, congestion),
        recovery: one(random, [RecoveryChoice::Standard, RecoveryChoice::Rack]),
        consume: one(random, [Consume::Immediately, Consume::ByApplication]),
        receive_buffer: Bytes(3_000 + random.below(60_000)),
        tack: Some(tack),
        ..config()
    }
}

impl Liar {
    fn new(seed: u64) -> Self {
        let mut random = Stream::new(seed, 11, Purpose::Test);
        let late = Duration::from_micros(one(&mut random, [1, 1_000, 100_000, 900_000]));
        let mut script = Script::connected_after(any_config(&mut random), late);
        if even(&mut random) {
            script.end.send_forever();
        } else {
            script.end.send(Bytes(random.below(300_000)));
        }
        Self { random, script, acked: 0, number: 0 }
    }

    fn newest(&self) -> u32 {
        self.script.log.last().map_or(0, |(_, sent, _)| sent.number)
    }

    /// How many bytes were sent, in thousands, as far as the script knows.
    fn sent(&self) -> u32 {
        self.script.log.iter().map(|(_, sent, _)| (sent.place + 1) * LEN).max().unwrap_or(0)
    }

    /// A header that acknowledges something, at times what was not sent, or less than before.
    fn header(&mut self) -> TcpHeader {
        let (acked, sent) = (self.acked, self.sent());
        let (before, beyond) = (near(&mut self.random, acked), near(&mut self.random, sent));
        let mut tcp = self.script.header(0);
        tcp.ack = OURS + 1 + one(&mut self.random, [acked, acked, before, beyond]);
        tcp.seq = THEIRS + 1 + self.script.end.stats().bytes_delivered.get() as u32;
        tcp
    }

    fn say(&mut self, kind: AckKind, body: &Body) {
        let bytes = body.encode(Bytes(1_000));
        let mut tcp = self.header();
        tcp.seq = tcp.seq - (bytes.len() as u32 + 1);
        tcp.options.tack.ack_type = Some(kind.value());
        let (stamp, clock) = (self.script.stamp, self.script.clock());
        let departure = [stamp, stamp.wrapping_sub(any(&mut self.random)), any(&mut self.random)];
        let arrival = [clock, clock, any(&mut self.random)];
        tcp.options.timestamps = Some((one(&mut self.random, departure), one(&mut self.random, arrival)));
        self.script.deliver(tcp, Payload::Data(bytes));
    }

    fn any_report(&mut self) -> Report {
        let (newest, sent) = (self.newest(), self.sent());
        let random = &mut self.random;
        self.script.serial = self.script.serial.wrapping_add(one(random, [1, 1, 1, 0, 3]));
        let rate = [0, 1, 10_000, any(random).into()];
        let received = [0, 1_000, sent.into(), any(random).into()];
        let mut report = Report {
            serial: self.script.serial,
            largest: near(random, newest),
            largest_delay: any_time(random),
            delay: any_time(random),
            delivery_rate: BitRate::from_kbps(one(random, rate)),
            application_limited: even(random),
            received_in_flight: Bytes(one(random, received)),
            interval: any_time(random),
            loss_ppm: random.below(1_000_001) as u32,
            ..Report::default()
        };
        if even(random) {
            let mut edge = Bytes(1 + random.below(3_000));
            report.hol = Some(edge);
            for _ in 0..random.below(20) {
                let start = edge + Bytes(random.below(3_000));
                edge = start + Bytes(1 + random.below(3_000));
                report.bubbles.push((start, edge));
            }
        }
        report
    }

    fn any_update(&mut self) -> FrequencyUpdate {
        let random = &mut self.random;
        FrequencyUpdate {
            serial: any(random),
            interval: any_time(random),
            min_rtt: any_time(random),
            bandwidth: BitRate::from_kbps(any(random).into()),
            ack_loss_ppm: random.below(1_000_001) as u32,
        }
    }

    /// Data of its own.
    fn speak(&mut self) {
        let mut tcp = self.header();
        let random = &mut self.random;
        self.number = self.number.wrapping_add(one(random, [1, 1, 1, 2, 5]));
        tcp.options.tack.packet_number = Some(near(random, self.number));
        tcp.seq = match random.below(6) {
            0 => tcp.seq + random.below(20_000) as u32,
            1 => tcp.seq - random.below(3_000) as u32,
            _ => tcp.seq,
        };
        let len = one(random, [1, 10, 1_000]);
        self.script.deliver(tcp, Payload::Length(len));
    }

    fn lie(&mut self) {
        match self.random.below(15) {
            0 => self.acked = self.acked.max(self.random.below(u64::from(self.sent()) + 1) as u32),
            1 => self.script.window = one(&mut self.random, [0, 1, 1_500, 60_000]),
            2 => _ = self.script.wait(any_time(&mut self.random).min(Duration::from_secs(100))),
            3..=7 => {
                let report = self.any_report();
                let kind = one(&mut self.random, [AckKind::Tack, AckKind::Tack, AckKind::Window, AckKind::RoundTrip]);
                self.say(kind, &Body::Report(report));
            }
            8 => {
                let newest = self.newest();
                let (a, b) = (near(&mut self.random, newest), near(&mut self.random, newest));
                self.say(AckKind::Loss, &Body::Loss(LossRange { largest: a.max(b), second: a.min(b) }));
            }
            9 => self.say(AckKind::RoundTrip, &Body::RoundTripRequest),
            10 => {
                let update = self.any_update();
                self.say(AckKind::Frequency, &Body::Frequency(update));
            }
            11 => {
                let (mut tcp, sent) = (self.header(), self.sent());
                let start = OURS + 1 + near(&mut self.random, sent);
                tcp.options.sack.push((start, start + LEN));
                self.script.deliver(tcp, Payload::EMPTY);
            }
            12 | 13 => self.speak(),
            _ => match self.random.below(60) {
                0 => self.script.end.close(),
                1 => {
                    let tcp = self.header();
                    self.script.deliver(TcpHeader { flags: TcpFlags::SYN, ..tcp }, Payload::EMPTY);
                }
                _ => _ = self.script.end.read(Bytes(self.random.below(5_000))),
            },
        }
    }

    /// What is due fires, and what that makes due, but not for ever. Nothing is due before now, since time has not passed without the endpoint.
    fn fire(&mut self) {
        let due = self.script.end.poll_timeout();
        assert!(due.is_none_or(|at| at >= self.script.now), "{due:?} is before {:?}", self.script.now);
        let mut turns = 0;
        while self.script.end.poll_timeout().is_some_and(|at| at <= self.script.now) {
            self.script.end.handle_timeout(self.script.now);
            self.script.drain();
            turns += 1;
            assert!(turns < 100, "a timer that fires is due again at once, for ever");
        }
    }

    /// Lies for a while, falls silent, and waits for the other to give up.
    fn run(mut self) -> Stats {
        for _ in 0..self.random.below(900) {
            self.lie();
            if self.random.chance(0.75) {
                self.script.drain();
            }
            if self.random.chance(0.3) {
                let pause = Duration::from_micros(self.random.below(50_000));
                self.script.wait(pause);
            }
            self.fire();
            let stats = self.script.end.stats();
            // Without TACK what is sent has no number, and the script does not know of it. Nor does it know where in its thousand a segment begins.
            let knows = stats.fallbacks == 0;
            assert!(
                !knows || stats.bytes_acked.get() <= u64::from(self.sent()) + 999,
                "more is acknowledged than was sent: {stats:#?}"
            );
            if self.script.end.state() == State::Closed {
                return stats;
            }
        }
        self.script.end.close();
        self.script.drain();
        let mut turns = 0;
        while let Some(at) = self.script.end.poll_timeout() {
            self.script.now = self.script.now.max(at);
            self.fire();
            turns += 1;
            assert!(turns < 2_000, "it never gives up: {:#?}", self.script.end.stats());
        }
        self.script.end.stats()
    }
}

#[test]
fn whatever_a_peer_reports_no_more_than_was_sent_counts_and_no_timer_goes_on_for_ever() {
    let mut reached = [0_u64; 7];
    let liars = number("ACKLESS_LIARS").unwrap_or(LIARS);
    for seed in 0..liars {
        let stats = std::panic::catch_unwind(|| Liar::new(seed).run()).unwrap_or_else(|cause| {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(cause)
        });
        let Stats { tacks_received, iacks_received, malformed_tacks, retransmitted_segments, timeouts, .. } = stats;
        let (probes, delivered) = (stats.tail_probes, stats.bytes_delivered.get());
        let of_this =
            [tacks_received, iacks_received, malformed_tacks, retransmitted_segments, timeouts, probes, delivered];
        reached.iter_mut().zip(of_this).for_each(|(sum, count)| *sum += count);
    }
    assert!(reached.iter().all(|&sum| sum > liars / 2), "some lies were never told: {reached:?}");
}

//! What a seed stands for: two configurations, a path and what the applications do.

use ackless_tcp::congestion::{GentleProbe, Losses, Variant};
use ackless_tcp::loss::RecoveryChoice;
use ackless_tcp::tack::config::{Blocks, LossSignal, RateBy, Settling, Share, Timing};
use ackless_tcp::{AckChoice, Config, CongestionChoice, Consume, InitialWindow, TackConfig};
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::tcp::TackForm;
use ackless_wire::{BitRate, Bytes, Duration, SeqNumber};

use super::net::{Link, Loss, START, Step, Strip, When};
use super::reframe::{Joins, Reframe};

/// A conversation before it has begun.
#[derive(Clone, Debug)]
pub struct Case {
    pub seed: u64,
    pub configs: [Config; 2],
    pub links: [Link; 2],
    pub plans: [Plan; 2],
    pub iss: [SeqNumber; 2],
    /// Whether both ends call.
    pub simultaneous: bool,
    /// The longest time between two looks of the applications.
    pub tick: Duration,
}

/// What the application at one end does.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub to_write: u64,
    /// The most that it writes or reads at once.
    pub chunk: u64,
    /// Probability, for each look, that it stops reading for a while.
    pub pauses: f64,
    /// Probability, for each look, that it stops writing for a while.
    pub rests: f64,
}

/// What kind of conversation a seed stands for: the remainder of its division by four, torture from [`TORTURE`] on, reframed torture from [`REFRAMED`] on, and either without TACK from [`PLAIN`] on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Anything with anything, short.
    Mixed,
    /// Enough data to leave start-up, over paths with losses, steps and queues.
    Bulk,
    /// Middleboxes that strip options, and ends that do not know TACK.
    Stripped,
    /// Buffers and segments of a few bytes, readers and writers that pause.
    Tiny,
    /// Two ends with TACK and any policy, over a path that changes: steps of delay and rate, outages, scans, reordering to 50 ms, loss of ACKs to a half and of data to a
    /// tenth, small windows and slow readers, and in one of eight a middlebox besides.
    Torture,
    /// The same, where a middlebox cuts segments in two, makes one of two, or draws sequence numbers anew.
    Reframed,
    /// Either of both, with the same middleboxes, between two ends without TACK: both BBRs, and what is older.
    Plain,
}

impl Family {
    pub const fn of(seed: u64) -> Self {
        match seed {
            PLAIN.. => Self::Plain,
            REFRAMED..PLAIN => Self::Reframed,
            TORTURE..REFRAMED => Self::Torture,
            _ => [Self::Mixed, Self::Bulk, Self::Stripped, Self::Tiny][(seed % 4) as usize],
        }
    }
}

impl Case {
    pub fn draw(seed: u64) -> Self {
        let family = Family::of(seed);
        let mut random = Stream::new(seed, 1, Purpose::Test);
        let random = &mut random;
        if seed >= TORTURE {
            let mut case = torture(seed, random);
            if family == Family::Reframed || family == Family::Plain && random.chance(0.5) {
                reframe(random, &mut case);
            }
            if family == Family::Plain {
                case.configs.iter_mut().for_each(|config| without_tack(random, config));
                // Else hardly two ends meet of which one asks for an ACK rate and the other heeds it.
                if random.chance(0.25) {
                    let ack = AckChoice::Request { share: 4, timeout: Duration::from_millis(40) };
                    case.configs.iter_mut().for_each(|config| config.ack = ack);
                }
            }
            return case;
        }
        let mut configs = [config(random, family), config(random, family)];
        let mut links = links(random, family);
        if family == Family::Stripped {
            strip(random, &mut configs, &mut links);
        } else if random.chance(0.08) {
            configs[random.below(2) as usize].tack = None;
        }
        let plans = [0, 1].map(|end| plan(random, family, &configs, end));
        Self {
            seed,
            configs,
            links,
            plans,
            iss: [(); 2].map(|()| {
                SeqNumber(if random.chance(0.5) {
                    u32::MAX - random.below(30_000) as u32
                } else {
                    random.bits() as u32
                })
            }),
            simultaneous: random.chance(0.1),
            tick: if random.chance(0.5) { Duration::from_millis(5) } else { Duration::from_millis(80) },
        }
    }

    /// The least round trip that the path ever has.
    pub fn floor(&self) -> Duration {
        self.links[0].floor() + self.links[1].floor()
    }
}

/// A conversation in which both ends do TACK all the time, but where a middlebox will not have it.
fn torture(seed: u64, random: &mut Stream) -> Case {
    // In two of five the receiver's buffer is small and its reader slow: else windows hardly ever close, since most readers keep up.
    let slow = random.chance(0.4);
    let mut configs = [(); 2].map(|()| {
        let base = config(random, Family::Bulk);
        Config {
            receive_buffer: Bytes(pick(random, &[3_000, 20_000, 65_535, 6_000_000, 6_000_000])),
            timestamps: Config::default().timestamps,
            tack: Some(policies(random, base.tack.unwrap_or_default())),
            congestion: if random.chance(0.5) {
                CongestionChoice::ReceiverBbr(rounds(random))
            } else {
                base.congestion
            },
            ..base
        }
    });
    if slow {
        let full = configs[0].mss.min(configs[1].mss).get();
        configs[1].receive_buffer = Bytes(full * pick(random, &[2, 4, 10, 30]) + random.below(full));
    }
    let delay = Duration::from_millis(1 + random.below(60));
    let [mut down, mut up] = [(); 2].map(|()| changing(random, delay));
    down.loss = Loss::Single(random.unit() * 0.1);
    // Above a third now and then only: where the SYN-ACKs are lost, plain TCP takes an hour.
    up.loss = Loss::Single(random.unit() * random.unit() * 0.5);
    let mut plans = [0, 1].map(|end| plan(random, Family::Torture, &configs, end));
    plans[1].to_write /= 20;
    plans[1].pauses = pick(random, &[0.0, 0.05, 0.15]);
    if slow {
        plans[1].pauses = 0.15 + 0.35 * random.unit();
        plans[1].chunk = pick(random, &[300, 1_000, 4_000]);
    }
    let iss = [(); 2].map(|()| SeqNumber(random.bits() as u32));
    let tick = Duration::from_millis(if slow { 40 } else { 5 });
    let mut links = [down, up];
    if random.chance(0.125) {
        middlebox(random, &mut links);
    }
    // One in eight scans, as phones do: the radio is gone both ways, for a moment, every few seconds.
    let scans = Stream::new(seed, 3, Purpose::Test).below(1_000);
    if scans < 125 {
        let (every, span) = (Duration::from_millis(1_000 + 20 * scans), Duration::from_millis(50 + 50 * (scans % 3)));
        let times: Vec<_> = (1..=100).map(|n| (START + every * n, span)).collect();
        links.iter_mut().for_each(|link| link.outages.clone_from(&times));
    }
    Case { seed, configs, links, plans, iss, simultaneous: false, tick }
}

/// `base` with any of the policies that stand beside the paper's.
fn policies(random: &mut Stream, base: TackConfig) -> TackConfig {
    TackConfig {
        blocks: pick(random, &[Blocks::Distinct, Blocks::Distinct, base.blocks]),
        batch: random.chance(0.7),
        share: pick(random, &[Share::Least, Share::Usual]),
        rate: pick(random, &[RateBy::Receiver, RateBy::Sender]),
        window_asks: random.chance(0.5),
        settling: pick(random, &[Settling::Quarter, Settling::Adaptive]),
        ..base
    }
}

/// A link whose delay and rate change, which reorders, and over which nothing gets at times.
fn changing(random: &mut Stream, delay: Duration) -> Link {
    let rate = |random: &mut Stream| random.chance(0.7).then(|| BitRate::from_kbps(1_000 + random.below(50_000)));
    let mut at = START;
    let mut steps = Vec::new();
    for _ in 0..random.below(4) {
        at += Duration::from_millis(1 + random.below(2_000));
        steps.push(Step { at, delay: Duration::from_millis(1 + random.below(200)), rate: rate(random) });
    }
    let mut at = START;
    let mut outages = Vec::new();
    for _ in 0..random.below(4) {
        at += Duration::from_millis(1 + random.below(2_000));
        // From a scan to a walk past the gate.
        let span = Duration::from_millis(pick(random, &[50, 100, 300, 1_000, 3_000, 10_000]));
        outages.push((at, span));
        at += span;
    }
    Link {
        rate: rate(random),
        queue: 10 + random.below(200) as usize,
        reordering: if random.chance(0.5) { random.unit() * 0.4 } else { 0.0 },
        held: Duration::from_millis(1 + random.below(50)),
        steps,
        outages,
        gathered: Duration::from_micros(pick(random, &[0, 0, 500, 3_500])),
        ..Link::of_delay(delay)
    }
}

fn pick<T: Copy>(random: &mut Stream, choices: &[T]) -> T {
    choices[random.below(choices.len() as u64) as usize]
}

fn plan(random: &mut Stream, family: Family, configs: &[Config; 2], end: usize) -> Plan {
    // Buffers of a few bytes carry a few bytes in each round trip: write what that ends in reasonable time.
    let buffer = configs[1 - end].receive_buffer.min(configs[end].send_buffer).get();
    let smss = configs[0].mss.min(configs[1].mss).get();
    let most = match family {
        Family::Tiny => (buffer * 100).min(smss * 60),
        Family::Mixed | Family::Stripped => (buffer * 100).min(smss * 100),
        Family::Bulk => (buffer * 100).min(smss * 600),
        Family::Torture | Family::Reframed | Family::Plain => (buffer * 100).min(smss * 250),
    };
    let silent = if end == 0 { 0.1 } else { 0.6 };
    Plan {
        to_write: if random.chance(silent) { 0 } else { random.below(most) },
        chunk: pick(random, &[300, 4_000, 4_000, 60_000]),
        pauses: pick(random, &[0.0, 0.0, 0.05]),
        rests: pick(random, &[0.0, 0.0, 0.05]),
    }
}

fn config(random: &mut Stream, family: Family) -> Config {
    let (buffers, send_buffers): (&[u64], &[u64]) = match family {
        Family::Tiny => (&[1, 2, 7, 100, 1_000, 3_000, 10_000], &[1, 500, 5_000, 100_000]),
        Family::Mixed | Family::Stripped => {
            (&[3_000, 10_000, 65_535, 200_000, 6_000_000], &[5_000, 100_000, 4_000_000])
        }
        Family::Bulk | Family::Torture | Family::Reframed | Family::Plain => {
            (&[65_535, 200_000, 6_000_000], &[100_000, 4_000_000])
        }
    };
    let paper = TackConfig {
        form: pick(random, &[TackForm::Kinds, TackForm::Kinds, TackForm::Experimental]),
        blocks: pick(random, &[Blocks::Poor, Blocks::Rich, Blocks::OnDemand]),
        loss_signal: pick(random, &[LossSignal::Iack, LossSignal::Iack, LossSignal::TackOnly]),
        timing: pick(random, &[Timing::OneWayDelay, Timing::Sampled]),
        tau: Duration::from_millis(pick(random, &[10_000, 10_000, 0, 1, 1_000, 600_000])),
        ..TackConfig::default()
    };
    let tack = if random.chance(0.5) { policies(random, paper) } else { paper };
    Config {
        mss: Bytes(pick(random, &[1460, 1460, 1460, 536, 88, 9000])),
        initial_window: pick(random, &[InitialWindow::Rfc6928, InitialWindow::Rfc3390, InitialWindow::Segments(1)]),
        congestion: congestion(random),
        slow_start_limit: pick(random, &[None, None, Some(1), Some(2)]),
        idle_restart: random.chance(0.5),
        ack: ack(random),
        sack: random.chance(0.7),
        timestamps: random.chance(0.95).then(|| Duration::from_millis(pick(random, &[1, 10, 1000]))),
        window_scaling: random.chance(0.8),
        receive_buffer: Bytes(pick(random, buffers)),
        send_buffer: Bytes(pick(random, send_buffers)),
        consume: Consume::ByApplication,
        nagle: random.chance(0.5),
        syn_retries: 40,
        retries: 40,
        // Long enough for every last acknowledgement to get through at some point.
        time_wait: Duration::from_secs(3600),
        rto_min: Duration::from_millis(pick(random, &[1, 50, 200, 1000])),
        recovery: pick(random, &[RecoveryChoice::Standard, RecoveryChoice::Rack]),
        pacing: random.chance(0.3),
        tack: Some(tack),
        ..Config::default()
    }
}

fn ack(random: &mut Stream) -> AckChoice {
    let millis = |random: &mut Stream| Duration::from_millis(pick(random, &[1, 40, 200, 500]));
    let every = pick(random, &[0, 1, 2, 2, 4, 8, 64]);
    match random.below(10) {
        0 if every >= 8 => AckChoice::Linux { sack_compression: every == 64 },
        0 => AckChoice::PerPacket,
        1 if every >= 8 => AckChoice::Request { share: every / 2, timeout: Duration::from_millis(40) },
        1 => AckChoice::ByteCounting { every },
        2 => AckChoice::Periodic { interval: millis(random) },
        3 if every > 2 => AckChoice::Share { share: every, timeout: millis(random) },
        3 => AckChoice::Delayed { every, timeout: millis(random) },
        _ => AckChoice::Tack { beta: pick(random, &[1, 2, 4, 4, 4, 8]), every: pick(random, &[1, 2, 2, 2, 8]) },
    }
}

fn rounds(random: &mut Stream) -> Variant {
    Variant::Rounds { losses: pick(random, &[Losses::Ignored, Losses::Bound]) }
}

fn congestion(random: &mut Stream) -> CongestionChoice {
    match random.below(11) {
        0 => CongestionChoice::Reno,
        1 => CongestionChoice::NewReno,
        2 => CongestionChoice::Cubic,
        3 => CongestionChoice::Bbr,
        4 => CongestionChoice::Bbr3,
        5 => CongestionChoice::ReceiverBbr(Variant::Miracast { probe_rtt: GentleProbe::Never }),
        6 => CongestionChoice::ReceiverBbr(Variant::Miracast { probe_rtt: GentleProbe::Gentle }),
        7 | 8 => CongestionChoice::ReceiverBbr(rounds(random)),
        _ => CongestionChoice::ReceiverBbr(Variant::Standard),
    }
}

fn links(random: &mut Stream, family: Family) -> [Link; 2] {
    let longest = if family == Family::Bulk { 60 } else { 100 };
    let delay = 1 + random.below(longest);
    [(); 2].map(|()| link(random, family, Duration::from_millis(delay)))
}

fn link(random: &mut Stream, family: Family, delay: Duration) -> Link {
    let maybe = |random: &mut Stream, p: f64, most: f64| if random.chance(p) { random.unit() * most } else { 0.0 };
    let rates = if family == Family::Bulk { 0.6 } else { 0.3 };
    let rate = |random: &mut Stream| random.chance(rates).then(|| BitRate::from_kbps(300 + random.below(30_000)));
    let loss = match random.below(4) {
        0 => Loss::Single(0.0),
        1 | 2 => Loss::Single(random.unit() * if family == Family::Bulk { 0.08 } else { 0.25 }),
        _ => Loss::Bursts { begin: 0.002 + random.unit() * 0.05, end: 0.15 + random.unit() * 0.6 },
    };
    let mut steps = Vec::new();
    if random.chance(0.3) {
        let mut at = START;
        for _ in 0..1 + random.below(3) {
            at += Duration::from_millis(1 + random.below(1_500));
            let delay = Duration::from_nanos(1 + random.below(delay.as_nanos() * 3));
            steps.push(Step { at, delay, rate: rate(random) });
        }
    }
    Link {
        delay,
        jitter: Duration::from_nanos(if random.chance(0.4) { random.below(delay.as_nanos()) } else { 0 }),
        rate: rate(random),
        queue: 3 + random.below(100) as usize,
        loss,
        reordering: maybe(random, 0.4, 0.5),
        held: Duration::from_nanos(1 + random.below(delay.as_nanos() * 4)),
        duplication: maybe(random, 0.3, 0.3),
        steps,
        ..Link::of_delay(delay)
    }
}

/// A middlebox in one or both directions, or an end without TACK.
fn strip(random: &mut Stream, configs: &mut [Config; 2], links: &mut [Link; 2]) {
    if random.chance(0.1) {
        configs[random.below(2) as usize].tack = None;
        return;
    }
    middlebox(random, links);
}

/// A middlebox in one direction or both.
fn middlebox(random: &mut Stream, links: &mut [Link; 2]) {
    let which = random.below(3);
    for (at, link) in links.iter_mut().enumerate() {
        if which == 2 || which == at as u64 {
            let all = random.chance(0.5);
            let one = random.below(3);
            link.strip = Strip {
                permitted: all || one == 0,
                ack_type: all || one == 1,
                packet_number: all || one == 2,
                drops: random.chance(0.2),
                when: match random.below(4) {
                    0 => When::Syns,
                    1 => When::From(0),
                    _ => When::From(1 + random.below(60)),
                },
            };
        }
    }
}

/// A middlebox that takes TCP for bytes, in one direction or both.
fn reframe(random: &mut Stream, case: &mut Case) {
    let which = random.below(3);
    for (at, link) in case.links.iter_mut().enumerate() {
        if which == 2 || which == at as u64 {
            let moved = random.bits() as u32;
            link.reframe = match random.below(4) {
                0 => Reframe { longest: pick(random, &[100, 500, 700, 1_200]), ..Reframe::NOTHING },
                1 => Reframe { joins: pick(random, &[Joins::First, Joins::Last]), ..Reframe::NOTHING },
                2 => Reframe { moved, ..Reframe::NOTHING },
                // Near what is out, so that a place that is told wrongly lies there.
                _ => Reframe { moved: (moved % 100_000).wrapping_sub(50_000), ..Reframe::NOTHING },
            };
        }
    }
}

/// An end that has never heard of TACK.
fn without_tack(random: &mut Stream, config: &mut Config) {
    config.tack = None;
    config.congestion = pick(random, &[CongestionChoice::Bbr, CongestionChoice::Bbr3, CongestionChoice::Cubic]);
    if random.chance(0.2) {
        config.congestion = pick(random, &[CongestionChoice::Reno, CongestionChoice::NewReno]);
    }
}

/// Seeds from here on are torture.
pub const TORTURE: u64 = 1_000_000_000;
/// Seeds from here on are torture with a middlebox that takes TCP for bytes.
pub const REFRAMED: u64 = 2_000_000_000;
/// Seeds from here on are torture without TACK.
pub const PLAIN: u64 = 3_000_000_000;

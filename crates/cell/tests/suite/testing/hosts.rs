//! Drawing hosts at random: what lies above the MACs of a cell; and how long such may wait.

use std::num::NonZeroU32;

use ackless_cell::config::{
    AckChoice, CellConfig, CubicRule, Gro, GrowthRule, NagleRule, Probability, PrrRule, RackRule, RecoveryChoice,
    RenoRule, RequestsConfig, RtoRule, SenderChoices, SlowStartChoice, Span, Traffic, TransportConfig, UndoChoices,
};
use ackless_tcp::Endpoint;
use ackless_wire::random::Stream;
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::testing::hack_cells::tcp_of;

/// One of these, each as likely.
pub fn one_of<T: Copy>(random: &mut Stream, choices: &[T]) -> T {
    choices[random.below(choices.len() as u64) as usize]
}

/// A span below `limit`, most often much below.
pub fn span(random: &mut Stream, limit: Duration) -> Duration {
    let limit = limit.as_nanos() >> random.below(10);
    Duration::from_nanos(random.below(limit.max(1)))
}

/// Hosts that lose up to `most` of all packets, applications that take their time to read, and how packets come from the MAC and go to the wire.
pub fn hosts(random: &mut Stream, config: &mut CellConfig, most: f64) {
    let loss = if random.chance(0.25) { most * random.unit() } else { 0.0 };
    for station in &mut config.stations {
        station.host_loss = Probability::new(loss).expect("it is one");
    }
    for flow in &mut config.flows {
        let rate = random.chance(0.25).then(|| BitRate::from_kbps(500 << random.below(6)));
        tcp_of(flow).read_rate = rate;
        // Drawn aside, so that it changes no other draw: how little room such a reader has.
        if rate.is_some() && random.clone().chance(0.5) {
            let room = &mut tcp_of(flow).receive_buffer;
            *room = (*room).min(Bytes(30_000));
        }
    }
    let gro = if random.chance(0.3) {
        one_of(random, &[Gro::PerBatch, Gro::Most(NonZeroU32::MIN.saturating_add(3))])
    } else {
        Gro::Off
    };
    config.server.gro = gro;
    if random.chance(0.3) {
        config.server.host_latency = span(random, Duration::from_millis(1));
    }
    config.stations.iter_mut().for_each(|station| station.gro = gro);
}

/// Requests and responses in the place of what one flow would transfer, so many of them.
pub fn exchanges(random: &mut Stream, config: &mut CellConfig, count: u32) {
    if !random.chance(0.2) {
        return;
    }
    let chosen = random.below(config.flows.len() as u64) as usize;
    let flow = &mut config.flows[chosen];
    if !matches!(flow.transport, TransportConfig::Tcp(_)) || flow.start == Instant::FAR_FUTURE {
        return;
    }
    let [most, most_back] = [&[600, 600, 20_000], &[600, 20_000, 20_000]].map(|most| one_of(random, most));
    let (request, response) = (1 + random.below(most), 1 + random.below(most_back));
    flow.traffic = Traffic::Requests(RequestsConfig {
        request: Bytes(request),
        request_writes: (1 + random.below(3)).min(request) as u32,
        response: Bytes(response),
        response_writes: (1 + random.below(3)).min(response) as u32,
        think: Span::Fixed(Duration::from_millis(random.below(300))),
        count: Some(count),
    });
    tcp_of(flow).no_delay = random.chance(0.5);
}

/// What of a sender's data may lie below its TCP.
pub fn small_queues(random: &mut Stream, config: &mut CellConfig) {
    if random.chance(0.3) {
        let tsq = one_of(random, &[Duration::ZERO, Duration::from_millis(1), Duration::from_millis(8)]);
        config.server.tsq = Some(tsq);
        config.stations.iter_mut().for_each(|station| station.tsq = Some(tsq));
    }
}

/// TCPs that acknowledge as Linux does, and senders with some of its choices.
pub fn linux(random: &mut Stream, config: &mut CellConfig) {
    for flow in &mut config.flows {
        let linux = AckChoice::Linux { sack_compression: random.chance(0.7) };
        tcp_of(flow).policy = random.chance(0.3).then_some(linux);
    }
    for flow in &mut config.flows {
        tcp_of(flow).sender = SenderChoices {
            slow_start: one_of(
                random,
                &[SlowStartChoice::Standard, SlowStartChoice::HyStart, SlowStartChoice::HyStartPlusPlus],
            ),
            undo: UndoChoices { eifel: random.chance(0.5), frto: random.chance(0.5), dsack: random.chance(0.5) },
            nagle: one_of(random, &[NagleRule::Rfc, NagleRule::Minshall]),
            rto: one_of(random, &[RtoRule::Rfc, RtoRule::Linux]),
            rack: one_of(random, &[RackRule::Rfc, RackRule::Linux]),
            reno: if random.clone().chance(0.5) { RenoRule::Acks } else { RenoRule::Bytes },
            cubic: one_of(random, &[CubicRule::Rfc, CubicRule::Linux]),
            growth: one_of(random, &[GrowthRule::Rfc, GrowthRule::Linux]),
            prr: PrrRule::default(),
        };
    }
}

/// What else of Linux's hosts can be chosen.
pub fn kernels(random: &mut Stream, config: &mut CellConfig) {
    let recovery = if random.chance(0.3) { RecoveryChoice::Rack } else { RecoveryChoice::Standard };
    let prr = one_of(random, &[PrrRule::Rfc6937, PrrRule::Rfc9937, PrrRule::Linux]);
    let (tuning, ecn) = (random.chance(0.3), random.chance(0.3));
    for tcp in config.flows.iter_mut().map(tcp_of) {
        (tcp.recovery, tcp.sender.prr, tcp.ecn) = (recovery, prr, ecn);
        // With 10 kB of memory a window is three segments, and that small ones stall an agent with finite buffers has nothing to do with tuning.
        (tcp.receive_tuning, tcp.send_tuning) = (tuning && tcp.receive_buffer >= Bytes(200_000), tuning);
    }
    if random.chance(0.3) {
        let tso = Some(one_of(random, &[Duration::ZERO, Duration::from_millis(1), Duration::from_millis(8)]));
        config.server.tso = tso;
        config.stations.iter_mut().for_each(|station| station.tso = tso);
    }
}

/// The longest that a probe of the tail waits, in the kernel's ticks: the receiver may hold an ACK back for 200 ms.
pub fn longest_probe(sender: &Endpoint) -> Duration {
    sender.stats().srtt.map_or(Duration::from_secs(1), |srtt| srtt * 2) + Duration::from_millis(204)
}

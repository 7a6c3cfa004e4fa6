//! The short ways of segments, header prediction, trains and acknowledgements alone, lead to where the long ones lead: all of an endpoint is compared after each step of random transfers.

mod named;
mod strange;

use std::collections::BTreeMap;

use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Duration, Instant, Packet, PacketPool, SeqNumber};

use super::Endpoint;
use crate::ack::AckChoice;
use crate::config::{Config, Consume, SenderChoices, UndoChoices};
use crate::congestion::{CongestionChoice, GrowthRule, Losses, Variant};
use crate::loss::{LossDetector, Phase, RecoveryChoice};
use crate::state::State;
use crate::tack::TackConfig;

/// Two ends and what is on its way between them, by when it arrives.
struct Transfer {
    ends: [Endpoint; 2],
    under_way: BTreeMap<(Instant, u64), (usize, Packet)>,
    random: Stream,
    loss: f64,
    late: f64,
    serial: u64,
    /// Segments that were taken as predicted, and that left in trains: those of any TCP, and those that TACK has numbered.
    predicted: [usize; 2],
    in_trains: [usize; 2],
    /// Of these, those that left in a recovery, and those after a timeout.
    amid_losses: [usize; 2],
    /// Of those taken as predicted, those whose data was here already.
    heard_again: usize,
    /// Whether the queues below hold the senders back; segments that left in bursts behind the first, and how often a sender was left alone.
    bounded: bool,
    in_bursts: usize,
    left_alone: usize,
}

impl Transfer {
    fn new(seed: u64) -> Self {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let mut both = [0, 1].map(|_| config(&mut random));
        if random.chance(0.4) {
            both.iter_mut().for_each(|end| speak_tack(end, &mut random));
        }
        let bounded = random.chance(0.3);
        if bounded {
            both.iter_mut().for_each(|end| end.tso = random.chance(0.8).then(|| Duration::from_millis(1)));
        }
        let [calling, listening] = both;
        let at = |host: u8| format!("10.0.0.{host}:80").parse().expect("an address");
        let now = Instant::from_millis(1);
        let mut ends = [
            Endpoint::connect(now, calling, at(1), at(2), SeqNumber(random.bits() as u32)),
            Endpoint::listen(listening, at(2), SeqNumber(random.bits() as u32)),
        ];
        let sender = random.below(2) as usize;
        if random.chance(0.7) {
            ends[sender].send_forever();
        } else {
            ends[sender].send(Bytes(random.below(400_000)));
        }
        if random.chance(0.2) {
            ends[1 - sender].write_length(Bytes(random.below(40_000)));
        }
        let [loss, late] = [0.02, 0.02].map(|most| if random.chance(0.5) { 0.0 } else { most });
        Self {
            ends,
            under_way: BTreeMap::new(),
            random,
            loss,
            late,
            serial: 0,
            predicted: [0; 2],
            in_trains: [0; 2],
            amid_losses: [0; 2],
            heard_again: 0,
            bounded,
            in_bursts: 0,
            left_alone: 0,
        }
    }

    /// Something arrives at an end, or a timer of it fires.
    fn step(&mut self, seed: u64) -> bool {
        let arrival = self.under_way.keys().next().copied();
        let timer = (0..2).filter_map(|end| self.ends[end].poll_timeout().map(|at| (at, end))).min();
        let (now, end) = match (arrival, timer) {
            (Some(key), timer) if timer.is_none_or(|(at, _)| key.0 <= at) => {
                let (to, packet) = self.under_way.remove(&key).expect("it is under way");
                self.hear(key.0, to, &packet, seed);
                (key.0, to)
            }
            (_, Some((at, end))) => {
                self.ends[end].handle_timeout(at);
                (at, end)
            }
            (_, None) => return false,
        };
        self.send(now, end, seed);
        true
    }

    fn hear(&mut self, now: Instant, to: usize, packet: &Packet, seed: u64) {
        let end = &mut self.ends[to];
        let mut long = end.clone();
        let len = Bytes(packet.payload.len().into());
        let tcp = packet.tcp().expect("all is TCP");
        let short = end.clone().takes_as_predicted(now, packet, tcp, len) && end.state == State::Established;
        self.predicted[is_numbered(packet)] += usize::from(short);
        let is_known = len > Bytes::ZERO && tcp.seq.before(end.rx.next.seq(end.rx.irs));
        self.heard_again += usize::from(short && is_known);
        let gathers = end.gathers();
        if gathers {
            end.handle_merged(now, packet, len);
        } else {
            end.handle_segment(now, packet);
        }
        long.stats.segments_received += 1;
        long.rx.in_batch = gathers;
        long.take_in(now, packet, tcp, len);
        long.rx.in_batch = false;
        if gathers && self.random.chance(0.5) {
            end.end_batch(now);
            long.end_batch(now);
        }
        assert_eq!(format!("{long:?}"), format!("{end:?}"), "seed {seed}, at {now:?}: {packet:?}");
    }

    fn send(&mut self, now: Instant, from: usize, seed: u64) {
        let sent = if self.bounded { self.send_bounded(now, from, seed) } else { self.send_freely(now, from, seed) };
        while self.ends[from].poll_event().is_some() {}
        for (place, packet) in (0..).zip(sent) {
            if self.random.chance(self.loss) {
                continue;
            }
            let held = if self.random.chance(self.late) { self.random.below(8_000) } else { 0 };
            self.serial += 1;
            let at = now + Duration::from_micros(2_000 + 20 * place + held);
            self.under_way.insert((at, self.serial), (1 - from, packet));
        }
    }

    /// In bursts where the queues below have their say before each, or before each segment. Then these let go of something.
    fn send_bounded(&mut self, now: Instant, from: usize, seed: u64) -> Vec<Packet> {
        let end = &mut self.ends[from];
        let mut long = end.clone();
        let first = Bytes(self.random.below(60_000));
        let (packet, time) = (Bytes(1_500), Duration::from_millis(1));
        let (mut below, mut sent, mut pool, mut burst) = (first, Vec::new(), PacketPool::default(), Vec::new());
        loop {
            end.heed_small_queue(below, packet, time);
            let Some(next) = end.poll_transmit_into(now, &mut pool) else { break };
            burst.push(next);
            end.poll_rest_of_burst(now, &mut pool, &mut burst);
            self.in_bursts += burst.len() - 1;
            below += burst.iter().map(|&packet| pool.len_of(packet)).sum();
            sent.extend(burst.drain(..).map(|packet| pool.get(packet).clone()));
        }
        let mut then = first;
        let expected = std::iter::from_fn(|| {
            long.heed_small_queue(then, packet, time);
            long.poll_transmit(now).inspect(|packet| then += packet.len())
        });
        assert_eq!(expected.collect::<Vec<_>>(), sent, "seed {seed}, at {now:?}");
        assert_eq!(format!("{long:?}"), format!("{end:?}"), "seed {seed}, at {now:?}");
        let less = Bytes(self.random.below(below.get() + 1));
        if end.stays_held(less) {
            let later = now + Duration::from_micros(self.random.below(5_000));
            long.heed_small_queue(less, packet, time);
            assert_eq!(long.poll_transmit(later), None, "seed {seed}, at {now:?}");
            assert_eq!(format!("{long:?}"), format!("{end:?}"), "seed {seed}, at {now:?}");
            self.left_alone += 1;
        }
        sent
    }

    fn send_freely(&mut self, now: Instant, from: usize, seed: u64) -> Vec<Packet> {
        let end = &mut self.ends[from];
        let mut long = end.clone();
        let (mut pool, mut train) = (PacketPool::default(), Vec::new());
        let phase = end.loss.phase();
        let is_all = end.poll_train(now, &mut pool, &mut train);
        match phase {
            Phase::Open => {}
            Phase::Recovery { .. } => self.amid_losses[0] += train.len(),
            Phase::GoBack { .. } => self.amid_losses[1] += train.len(),
        }
        let mut sent: Vec<Packet> = train.into_iter().map(|packet| pool.get(packet).clone()).collect();
        sent.iter().for_each(|packet| self.in_trains[is_numbered(packet)] += 1);
        if !is_all {
            let others: Vec<_> = std::iter::from_fn(|| end.poll_transmit_into(now, &mut pool)).collect();
            sent.extend(others.into_iter().map(|packet| pool.get(packet).clone()));
        }
        let expected: Vec<Packet> = std::iter::from_fn(|| long.poll_transmit(now)).collect();
        assert_eq!(expected, sent, "seed {seed}, at {now:?}");
        assert_eq!(format!("{long:?}"), format!("{end:?}"), "seed {seed}, at {now:?}");
        sent
    }
}

/// One for a segment that TACK has numbered.
fn is_numbered(packet: &Packet) -> usize {
    packet.tcp().map_or(0, |tcp| usize::from(tcp.options.tack.packet_number.is_some()))
}

/// TACK, in one of its ways.
fn speak_tack(config: &mut Config, random: &mut Stream) {
    let variant = if random.chance(0.5) { Variant::Standard } else { Variant::Rounds { losses: Losses::Bound } };
    config.congestion = CongestionChoice::ReceiverBbr(variant);
    config.ack = AckChoice::Tack { beta: 4, every: 2 };
    config.tack = Some(TackConfig { batch: random.chance(0.5), ..TackConfig::default() });
}

/// What makes a difference to what is sent and how it is taken; half of all are as a cell has them by default.
fn config(random: &mut Stream) -> Config {
    let plain = Config { congestion: CongestionChoice::NewReno, ..Config::default() };
    if random.chance(0.5) {
        return plain;
    }
    let mut draw = |p: f64| random.chance(p);
    let undo = UndoChoices { eifel: draw(0.2), frto: draw(0.2), dsack: draw(0.2) };
    let growth = if draw(0.3) { GrowthRule::Linux } else { GrowthRule::default() };
    Config {
        congestion: if draw(0.5) { CongestionChoice::Cubic } else { CongestionChoice::Bbr },
        recovery: if draw(0.5) { RecoveryChoice::Rack } else { RecoveryChoice::Standard },
        sender: SenderChoices { undo, growth, ..SenderChoices::default() },
        ack: if draw(0.2) { AckChoice::Linux { sack_compression: true } } else { AckChoice::default() },
        pacing: draw(0.2),
        ecn: draw(0.2),
        tso: draw(0.2).then(|| Duration::from_millis(1)),
        sack: draw(0.8),
        timestamps: draw(0.8).then(|| Duration::from_millis(1)),
        receive_tuning: draw(0.2),
        send_tuning: draw(0.2),
        receive_buffer: if draw(0.3) { Bytes(30_000) } else { Bytes(1 << 20) },
        consume: if draw(0.2) { Consume::ByApplication } else { Consume::Immediately },
        ..plain
    }
}

#[test]
fn short_ways_lead_to_where_the_long_ones_do() {
    let (mut predicted, mut in_trains, mut bounded) = ([0; 2], [0; 2], [0; 2]);
    for seed in 1..=150 {
        let mut transfer = Transfer::new(seed);
        transfer.send(Instant::from_millis(1), 0, seed);
        for _ in 0..300 {
            if !transfer.step(seed) {
                break;
            }
        }
        for (which, predicted) in predicted.iter_mut().enumerate() {
            *predicted += transfer.predicted[which];
            in_trains[which] += transfer.in_trains[which];
        }
        bounded[0] += transfer.in_bursts;
        bounded[1] += transfer.left_alone;
    }
    assert!(predicted.iter().all(|&predicted| predicted > 1_000), "{predicted:?} predicted");
    assert!(in_trains.iter().all(|&in_trains| in_trains > 1_000), "{in_trains:?} in trains");
    assert!(bounded.iter().all(|&bounded| bounded > 500), "{bounded:?} in bursts, and left alone");
}

#[test]
fn what_goes_again_does_so_in_trains_as_it_does_one_by_one() {
    let (mut amid_losses, mut heard_again) = ([0; 2], 0);
    for seed in 1..=60 {
        let mut transfer = Transfer::new(seed);
        transfer.loss = [0.05, 0.15, 0.3][seed as usize % 3];
        transfer.send(Instant::from_millis(1), 0, seed);
        for _ in 0..400 {
            if !transfer.step(seed) {
                break;
            }
        }
        amid_losses[0] += transfer.amid_losses[0];
        amid_losses[1] += transfer.amid_losses[1];
        heard_again += transfer.heard_again;
    }
    assert!(amid_losses.iter().all(|&sent| sent > 200), "{amid_losses:?} in recoveries, and after timeouts");
    assert!(heard_again > 100, "{heard_again} heard again");
}

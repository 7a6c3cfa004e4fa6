//! The same where a third of the transfers hears segments that nobody has sent, applications write, read and close on the way, and sequence numbers wrap.

use ackless_wire::tcp::SackBlocks;
use ackless_wire::{Payload, TcpFlags, Transport};

use super::*;
use crate::loss::RackRule;

#[test]
fn strange_segments_go_the_same_way_in_short_as_in_long() {
    let (mut predicted, mut in_trains) = (0, 0);
    for seed in 1..=60 {
        let mut transfer = transfer(seed);
        transfer.send(Instant::from_millis(1), 0, seed);
        let strange = [0.0, 0.005, 0.05][seed as usize % 3];
        for _ in 0..300 {
            transfer.disturb(seed, strange);
            if !transfer.step(seed) {
                break;
            }
        }
        predicted += transfer.predicted.iter().sum::<usize>();
        in_trains += transfer.in_trains.iter().sum::<usize>();
    }
    assert!(predicted > 500 && in_trains > 500, "{predicted} predicted, {in_trains} in trains");
}

/// A transfer whose numbers may wrap, between ends of any kind.
fn transfer(seed: u64) -> Transfer {
    let mut random = Stream::new(seed, 1, Purpose::Test);
    let mut transfer = Transfer::new(seed);
    let mut both = [0, 1].map(|_| any_config(&mut random));
    if random.chance(0.5) {
        both.iter_mut().for_each(|end| speak_tack(end, &mut random));
    }
    let [calling, listening] = both;
    let at = |host: u8| format!("10.0.0.{host}:80").parse().expect("an address");
    let mut isn = || {
        let near_the_end = random.chance(0.5);
        SeqNumber(if near_the_end { u32::MAX - random.below(300_000) as u32 } else { random.bits() as u32 })
    };
    let (ours, theirs) = (isn(), isn());
    transfer.ends = [
        Endpoint::connect(Instant::from_millis(1), calling, at(1), at(2), ours),
        Endpoint::listen(listening, at(2), theirs),
    ];
    transfer.ends[seed as usize % 2].write_length(Bytes(400_000));
    transfer
}

fn any_config(random: &mut Stream) -> Config {
    let mut config = config(random);
    let controls = [CongestionChoice::Reno, CongestionChoice::Cubic, CongestionChoice::Bbr, CongestionChoice::Bbr3];
    if random.chance(0.8) {
        config.congestion = controls[random.below(4) as usize];
    }
    if random.chance(0.4) {
        config.recovery = RecoveryChoice::Rack;
        config.sender.rack = if random.chance(0.5) { RackRule::Linux } else { RackRule::default() };
    }
    if random.chance(0.3) {
        config.mss = Bytes(200 + random.below(1_300));
    }
    if random.chance(0.3) {
        config.receive_buffer = Bytes(2_000 + random.below(20_000));
    }
    config.window_scaling = random.chance(0.8);
    config.nagle = random.chance(0.5);
    config
}

impl Transfer {
    /// Perhaps a segment that nobody has sent comes before what comes next, or an application does something.
    fn disturb(&mut self, seed: u64, strange: f64) {
        let Some((&(now, serial), _)) = self.under_way.first_key_value() else { return };
        if (0..2).filter_map(|end| self.ends[end].poll_timeout()).any(|at| at < now) {
            return;
        }
        if self.random.chance(strange) {
            let (to, mut packet) = self.under_way[&(now, serial)].clone();
            estrange(&mut packet, &self.ends[to], &mut self.random);
            self.hear(now, to, &packet, seed);
            self.send(now, to, seed);
        }
        if self.random.chance(0.02) {
            let end = self.random.below(2) as usize;
            let len = Bytes(self.random.below(30_000));
            match self.random.below(40) {
                0 => self.ends[end].close(),
                1..20 => {
                    self.ends[end].write_length(len);
                }
                _ => while self.ends[end].read(len).is_some() {},
            }
            self.send(now, end, seed);
        }
    }
}

/// Makes something of a segment that its sender did not say.
fn estrange(packet: &mut Packet, to: &Endpoint, random: &mut Stream) {
    let (una, max) = (to.tx.una.seq(to.tx.iss).0, to.tx.max.seq(to.tx.iss).0);
    let out = u64::from(max.wrapping_sub(una));
    let mut near = |place: u32| {
        let most = [10, 3_000, 100_000, 1 << 32][random.below(4) as usize];
        let distance = random.below(most) as u32;
        SeqNumber(if random.chance(0.6) { place.wrapping_add(distance) } else { place.wrapping_sub(distance) })
    };
    let Transport::Tcp(tcp) = &mut packet.transport else { return };
    let (seq, ack) = (near(tcp.seq.0), near(una));
    match random.below(9) {
        0 => tcp.flags ^= TcpFlags::from_bits_truncate(1 << random.below(8)),
        1 => tcp.seq = seq,
        2 => tcp.ack = ack,
        3 => tcp.window = if random.chance(0.5) { 0 } else { random.bits() as u16 },
        4 => {
            let mut edge = || SeqNumber(una.wrapping_add(random.below(out + 3) as u32));
            tcp.options.sack = SackBlocks::from_slice(&[(edge(), edge()), (edge(), edge())]);
        }
        5 => {
            let most = if random.chance(0.8) { 5_000 } else { 1 << 32 };
            let later = random.below(most) as u32;
            let forward = random.chance(0.5);
            tcp.options.timestamps = tcp.options.timestamps.filter(|_| random.chance(0.8)).map(|(value, echo)| {
                (if forward { value.wrapping_add(later) } else { value.wrapping_sub(later) }, echo)
            });
        }
        6 => {
            let number = tcp.options.tack.packet_number;
            tcp.options.tack.packet_number = number.map(|number| number.wrapping_sub(random.below(60) as u32));
        }
        7 => tcp.options.tack.packet_number = None,
        _ => packet.payload = Payload::Length(random.below(3_000) as u32),
    }
}

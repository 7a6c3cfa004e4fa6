//! How many bytes an ACK takes: within 5 % of an established implementation, and often below.

use ackless_rohc::rfc::{CidSpace, Compressor, Config, PacketType};

use super::acks::Ack;

/// The mean length behind the packets that initialise, of a flow whose n-th ACK `step` makes from the one before.
fn mean(mut ack: Ack, mut step: impl FnMut(u32, &mut Ack)) -> f64 {
    let mut compressor = Compressor::new(CidSpace::SMALL, Config::default());
    let (mut bytes, mut count) = (0, 0);
    for n in 0..2000 {
        ack.ip_id = ack.ip_id.map(|id| id.wrapping_add(1));
        ack.checksum = ack.checksum.wrapping_add(0x1235);
        step(n, &mut ack);
        let mut rohc = Vec::new();
        if compressor.compress(&ack.bytes(), &mut rohc) != Ok(PacketType::Ir) {
            bytes += rohc.len();
            count += 1;
        }
    }
    f64::from(u32::try_from(bytes).expect("a few bytes each")) / f64::from(count)
}

fn stamped() -> Ack {
    Ack { timestamps: Some((100_000, 900_000)), ..Ack::plain() }
}

fn tick(ack: &mut Ack) {
    let (value, echo) = ack.timestamps.expect("an ACK with timestamps");
    ack.timestamps = Some((value + 1, echo + 1));
}

fn assert_within(mean: f64, reference: f64) {
    println!("{mean:.3} bytes, reference {reference}");
    assert!(mean <= reference * 1.05, "{mean:.3} bytes for each ACK, reference {reference}");
}

#[test]
fn a_constant_stride_takes_4_bytes() {
    for stride in [1460, 2920, 2856, 1000, 14_600] {
        assert_within(mean(Ack::plain(), |_, ack| ack.ack += stride), 4.01);
    }
}

#[test]
fn timestamps_that_move_with_every_ack_take_2_more() {
    for stride in [1448, 2896, 1000] {
        let mean = mean(stamped(), |_, ack| {
            ack.ack += stride;
            tick(ack);
        });
        assert_within(mean, 6.01);
    }
}

#[test]
fn timestamps_that_rest_take_more_than_those_that_move() {
    let mean = mean(stamped(), |n, ack| {
        ack.ack += 2896;
        if n % 8 == 0 {
            tick(ack);
        }
    });
    assert_within(mean, 9.51);
}

#[test]
fn a_growing_sack_block_takes_its_edges() {
    let start = Ack { sack: vec![(501_448, 502_896)], ..stamped() };
    let mean = mean(start, |n, ack| {
        ack.sack[0].1 += 1448;
        if n % 8 == 0 {
            tick(ack);
        }
    });
    assert_within(mean, 18.4);
}

#[test]
fn duplicate_acks_take_less_than_the_reference() {
    let mean = mean(Ack::plain(), |_, _| {});
    assert_within(mean, 6.0);
    assert!(mean < 4.01, "{mean:.3} bytes");
}

#[test]
fn ipv6_takes_as_little_as_ipv4() {
    let v6 = Ack { ip_id: None, label: 0x1_2345, ..Ack::plain() };
    assert_within(mean(v6, |_, ack| ack.ack += 2856), 4.01);
}

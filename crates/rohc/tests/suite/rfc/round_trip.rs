//! What goes in comes out, if of every window of packets one arrives.

use std::collections::BTreeMap;

use ackless_rohc::rfc::{CidSpace, Compressor, Config, Decompressor, Error, FeedbackKind, PacketType};
use ackless_wire::random::{Purpose, Stream};

use super::acks::{Ack, Flow};

const SEED: u64 = 0x6846;

/// How a run goes, drawn from its seed.
struct Path {
    random: Stream,
    config: Config,
    loss: f64,
    /// The probability that a packet that came out right is acknowledged, and that this arrives.
    feedback: f64,
    lost_in_a_row: u8,
}

impl Path {
    fn new(seed: u64) -> Self {
        let mut random = Stream::new(seed, 99, Purpose::Test);
        let window = 1 + random.below(11) as u8;
        let loss = [0.0, 0.05, 0.5, 1.0][random.below(4) as usize];
        let feedback = [0.0, 0.1, 1.0][random.below(3) as usize];
        // Not all packets that initialise may be lost either.
        let config = Config { window, initial: window, refresh: None };
        Self { random, config, loss, feedback, lost_in_a_row: 0 }
    }

    fn loses_next(&mut self) -> bool {
        let lost = self.lost_in_a_row + 1 < self.config.window && self.random.chance(self.loss);
        self.lost_in_a_row = if lost { self.lost_in_a_row + 1 } else { 0 };
        lost
    }
}

#[test]
fn every_ack_of_ten_thousand_flows_comes_out_through_losses_within_the_window() {
    let mut kinds: BTreeMap<PacketType, u64> = BTreeMap::new();
    for seed in 0..10_000 {
        let mut path = Path::new(SEED + seed);
        let space = if seed % 3 == 0 { CidSpace::LARGE } else { CidSpace::SMALL };
        let mut compressor = Compressor::new(space, path.config);
        let mut decompressor = Decompressor::new(space);
        let mut flow = Flow::new(SEED, seed);
        for n in 0..60 {
            let packet = flow.next().bytes();
            let mut rohc = Vec::new();
            let kind = compressor.compress(&packet, &mut rohc);
            let kind = kind.unwrap_or_else(|refused| panic!("seed {seed}, ACK {n}: {refused}"));
            *kinds.entry(kind).or_default() += 1;
            if path.loses_next() {
                continue;
            }
            let mut out = Vec::new();
            let done = decompressor.decompress(&rohc, &mut out);
            let done = done.unwrap_or_else(|error| panic!("seed {seed}, ACK {n}, {kind}: {error}"));
            assert_eq!(out, packet, "seed {seed}, ACK {n}, {kind}");
            assert_eq!((done.kind, done.msn), (kind, n), "seed {seed}");
            if path.random.chance(path.feedback) {
                let mut ack = Vec::new();
                decompressor.feedback(done.cid, FeedbackKind::Ack, &mut ack);
                compressor.feedback(&ack).unwrap_or_else(|error| panic!("seed {seed}, ACK {n}: {error}"));
            }
        }
    }
    // All but those with a scaled sequence number, which are never written, and IR-DYN, which nobody asked for.
    for kind in [
        PacketType::Rnd1,
        PacketType::Rnd3,
        PacketType::Rnd4,
        PacketType::Rnd5,
        PacketType::Rnd7,
        PacketType::Rnd8,
        PacketType::Seq1,
        PacketType::Seq3,
        PacketType::Seq4,
        PacketType::Seq5,
        PacketType::Seq7,
        PacketType::Seq8,
        PacketType::CoCommon,
        PacketType::Ir,
    ] {
        assert!(kinds.get(&kind).is_some_and(|&count| count >= 20), "{kind} was hardly used: {kinds:?}");
    }
    for kind in [PacketType::Rnd2, PacketType::Rnd6, PacketType::Seq2, PacketType::Seq6] {
        assert_eq!(kinds.get(&kind), None, "{kind}: another implementation refuses it without a payload");
    }
}

/// One packet in five is lost and nothing is ever told: after four in a row, one time in 625, the decompressor is behind.
#[test]
fn without_feedback_a_flow_lives_through_losses_by_its_refreshes() {
    let came = |refresh| {
        let mut random = Stream::new(SEED, 7, Purpose::Test);
        let mut flow = Flow::new(SEED + 3, 1);
        let mut compressor = Compressor::new(CidSpace::SMALL, Config { refresh, ..Config::default() });
        let mut decompressor = Decompressor::new(CidSpace::SMALL);
        let (mut arrived, mut right, mut last) = (0_u32, 0_u32, 0);
        for n in 0..20_000_u32 {
            let packet = flow.next().bytes();
            let (mut rohc, mut out) = (Vec::new(), Vec::new());
            compressor.compress(&packet, &mut rohc).expect("a pure ACK");
            if random.chance(0.2) {
                continue;
            }
            arrived += 1;
            if decompressor.decompress(&rohc, &mut out).is_ok() && out == packet {
                (right, last) = (right + 1, n);
            }
        }
        println!("{right} of {arrived} came out right, the last at {last}");
        (f64::from(right) / f64::from(arrived), last)
    };
    let (share, last) = came(Config::default().refresh);
    assert!(share > 0.95 && last > 19_500, "{share:.3}, the last at {last}");
    let (share, last) = came(None);
    assert!(share < 0.5 && last < 10_000, "{share:.3}, the last at {last}");
}

#[test]
fn flows_share_the_identifiers_and_the_longest_at_rest_gives_way() {
    for (space, most) in [(CidSpace::SMALL, 16), (CidSpace::SMALL.up_to(2), 3), (CidSpace::LARGE.up_to(200), 201)] {
        let mut random = Stream::new(SEED, 3, Purpose::Test);
        let mut compressor = Compressor::new(space, Config::default());
        let mut decompressor = Decompressor::new(space);
        let mut flows: Vec<Flow> = (0..250).map(|n| Flow::new(SEED + 1, n)).collect();
        for n in 0..20_000 {
            let flow = (random.below(250) * random.below(250) / 250) as usize;
            let packet = flows[flow].next().bytes();
            let (mut rohc, mut out) = (Vec::new(), Vec::new());
            compressor.compress(&packet, &mut rohc).expect("a pure ACK");
            decompressor.decompress(&rohc, &mut out).unwrap_or_else(|error| panic!("ACK {n} of flow {flow}: {error}"));
            assert_eq!(out, packet, "ACK {n} of flow {flow}");
        }
        assert_eq!((compressor.contexts(), decompressor.contexts()), (most, most));
    }
}

#[test]
fn a_loss_of_a_whole_window_is_noticed_and_mended_by_feedback() {
    let (mut wrong, mut mended) = (0, 0);
    for seed in 0..500 {
        let mut compressor = Compressor::new(CidSpace::SMALL, Config::default());
        let mut decompressor = Decompressor::new(CidSpace::SMALL);
        let mut flow = Flow::new(SEED + 2, seed);
        let mut noticed = None;
        for n in 0..100 {
            let packet = flow.next().bytes();
            let (mut rohc, mut out) = (Vec::new(), Vec::new());
            compressor.compress(&packet, &mut rohc).expect("a pure ACK");
            // A burst that changes much of the context, and is lost whole.
            if (20..40).contains(&n) {
                continue;
            }
            match decompressor.decompress(&rohc, &mut out) {
                Ok(_) => wrong += u32::from(out != packet),
                Err(error) => {
                    if let Some((cid, kind)) = error.advice() {
                        noticed.get_or_insert(n);
                        let mut nack = Vec::new();
                        decompressor.feedback(cid, kind, &mut nack);
                        compressor.feedback(&nack).expect("our own feedback");
                    }
                    mended += 1;
                }
            }
            // A difference that stays may pass each short checksum, as this is linear. Once it has not, the next packet mends it.
            if noticed.is_some_and(|noticed| n > noticed) {
                assert!(out == packet, "seed {seed}: noticed at ACK {noticed:?}, not mended at {n}");
            }
        }
    }
    println!("{wrong} wrong, {mended} noticed");
    assert!(mended > 100, "the losses were to be noticed");
    // A checksum of 3 bits lets one wrong header in eight through.
    assert!(wrong < mended, "{wrong} wrong, {mended} noticed");
}

#[test]
fn a_refresh_brings_back_a_decompressor_that_was_not_there_at_the_start() {
    let config = Config { refresh: std::num::NonZeroU32::new(10), ..Config::default() };
    let mut compressor = Compressor::new(CidSpace::SMALL, config);
    let mut decompressor = Decompressor::new(CidSpace::SMALL);
    let mut came = 0;
    for n in 0..40 {
        let ack = Ack { ack: 5000 + n * 2920, ip_id: Some(n as u16), ..Ack::plain() };
        let (mut rohc, mut out) = (Vec::new(), Vec::new());
        compressor.compress(&ack.bytes(), &mut rohc).expect("a pure ACK");
        if n < 5 {
            continue;
        }
        match decompressor.decompress(&rohc, &mut out) {
            Ok(_) => {
                assert_eq!(out, ack.bytes());
                came += 1;
            }
            Err(error) => assert_eq!(error, Error::NoContext(0)),
        }
    }
    assert_eq!(came, 28, "all from the first refresh on, at ACK 12");
}

/// Options without an item of their own are generic ones (RFC 6846, 6.3.4): RFC mode carries TACK's, though no ACK that deserves it bears them.
#[test]
fn headers_with_options_of_tack_come_out_as_they_went_in() {
    let number = |n: u32| n.wrapping_mul(3).wrapping_sub(60).to_be_bytes();
    let by_kind = |n: u32| [&[1, 41, 3, (1 + n % 5) as u8, 1, 1, 42, 6][..], &number(n)].concat();
    let experimental =
        |n: u32| [&[1, 1, 1, 253, 5, 0x7a, 41, (1 + n % 5) as u8, 253, 8, 0x7a, 42][..], &number(n)].concat();
    let forms: [&dyn Fn(u32) -> Vec<u8>; 2] = [&by_kind, &experimental];
    for (form, options) in forms.into_iter().enumerate() {
        for lost_of_four in 0..4 {
            let config = Config { window: 4, initial: 4, refresh: None };
            let mut compressor = Compressor::new(CidSpace::SMALL, config);
            let mut decompressor = Decompressor::new(CidSpace::SMALL);
            let mut ack = Ack { timestamps: Some((5, 6)), ..Ack::plain() };
            for n in 0..200 {
                ack.more = if n % 7 == 6 { Vec::new() } else { options(n) };
                ack.ack = ack.ack.wrapping_add(1448);
                let packet = ack.bytes();
                let mut rohc = Vec::new();
                compressor.compress(&packet, &mut rohc).unwrap_or_else(|refused| panic!("form {form}, {n}: {refused}"));
                if n % 4 >= lost_of_four {
                    let mut out = Vec::new();
                    let done = decompressor.decompress(&rohc, &mut out);
                    done.unwrap_or_else(|error| panic!("form {form}, {n}: {error}"));
                    assert_eq!(out, packet, "form {form}, {n}");
                }
            }
        }
    }
}

//! Packets that nobody sent, and such as were damaged on the way.

use ackless_rohc::rfc::{CidSpace, Compressor, Config, Decompressor, Error, Refused};
use ackless_wire::random::{Purpose, Stream};

use super::acks::{Ack, Flow};

fn compressed(space: CidSpace, seed: u64, n: usize) -> Vec<Vec<u8>> {
    let mut compressor = Compressor::new(space, Config::default());
    let mut flow = Flow::new(0x4057, seed);
    let mut compress = || {
        let mut rohc = Vec::new();
        compressor.compress(&flow.next().bytes(), &mut rohc).expect("a pure ACK");
        rohc
    };
    (0..n).map(|_| compress()).collect()
}

#[test]
fn damaged_packets_are_errors_or_packets_and_never_a_panic() {
    for seed in 0..2000 {
        let space = if seed % 2 == 0 { CidSpace::SMALL } else { CidSpace::LARGE };
        let mut random = Stream::new(seed, 5, Purpose::Test);
        let mut decompressor = Decompressor::new(space);
        for mut rohc in compressed(space, seed, 40) {
            let len = rohc.len() as u64;
            match random.below(8) {
                0 => rohc[random.below(len) as usize] ^= 1 << random.below(8),
                1 => rohc.truncate(random.below(len) as usize),
                2 => rohc.push(random.bits() as u8),
                3 => rohc[random.below(len) as usize] = random.bits() as u8,
                _ => {}
            }
            let mut out = vec![0x55];
            let done = decompressor.decompress(&rohc, &mut out);
            assert!(done.is_ok() || out == [0x55], "seed {seed}: an error leaves nothing behind");
        }
    }
}

#[test]
fn random_bytes_fill_no_more_contexts_than_there_are_identifiers() {
    for (space, most) in [(CidSpace::SMALL, 16), (CidSpace::LARGE.up_to(30), 31)] {
        let mut random = Stream::new(1, 6, Purpose::Test);
        let mut decompressor = Decompressor::new(space);
        // Contexts to be trodden on: the same flow under every identifier.
        let mut compressor = Compressor::new(space, Config::default());
        for host in 0..64 {
            let mut rohc = Vec::new();
            compressor.compress(&Ack { host, ..Ack::plain() }.bytes(), &mut rohc).expect("a pure ACK");
            decompressor.decompress(&rohc, &mut Vec::new()).expect("our own packet");
        }
        for _ in 0..300_000 {
            let mut bytes = [0; 24];
            bytes.iter_mut().for_each(|byte| *byte = random.bits() as u8);
            let len = random.below(24) as usize;
            let mut out = Vec::new();
            if decompressor.decompress(&bytes[..len], &mut out).is_ok() {
                assert!(out.len() >= 40 && out.len() <= 100);
            }
            // Any outcome will do: this is about not panicking.
            let _outcome = compressor.feedback(&bytes[..len]);
            assert!(decompressor.contexts() <= most);
        }
    }
}

#[test]
fn every_bit_of_an_initialisation_is_checked() {
    let rohc = &compressed(CidSpace::SMALL, 1, 1)[0];
    for bit in 0..rohc.len() * 8 {
        let mut wrong = rohc.clone();
        wrong[bit / 8] ^= 1 << (bit % 8);
        let done = Decompressor::new(CidSpace::SMALL).decompress(&wrong, &mut Vec::new());
        assert!(done.is_err(), "bit {bit}");
    }
}

#[test]
fn packets_of_other_kinds_are_named() {
    let mut decompressor = Decompressor::new(CidSpace::SMALL);
    for (packet, error) in [
        (&[][..], Error::Truncated),
        (&[0xe0, 0xe0], Error::Truncated),
        (&[0xfd, 1, 0, 0], Error::Profile(1)),
        (&[0xfc, 6, 0, 0], Error::Unsupported),
        (&[0xff, 6, 0, 0], Error::Unsupported),
        (&[0xf1, 6], Error::Feedback),
        (&[0xf8, 6, 0, 0], Error::NoContext(0)),
        (&[0xe3, 0xd0, 0, 0], Error::NoContext(3)),
    ] {
        assert_eq!(decompressor.decompress(packet, &mut Vec::new()), Err(error), "{packet:?}");
    }
    let mut narrow = Decompressor::new(CidSpace::LARGE.up_to(9));
    assert_eq!(narrow.decompress(&[0xd0, 10, 0, 0], &mut Vec::new()), Err(Error::Cid(10)));
}

#[test]
fn a_payload_behind_the_header_is_refused_and_changes_nothing() {
    let mut decompressor = Decompressor::new(CidSpace::SMALL);
    let packets = compressed(CidSpace::SMALL, 7, 5);
    for packet in &packets {
        let mut longer = packet.clone();
        longer.push(1);
        assert_eq!(decompressor.decompress(&longer, &mut Vec::new()), Err(Error::Payload));
        assert!(decompressor.decompress(packet, &mut Vec::new()).is_ok());
    }
}

#[test]
fn what_is_no_pure_ack_is_refused_by_name() {
    let plain = Ack::plain().bytes();
    let changed = |at: usize, to: u8| {
        let mut packet = plain.clone();
        packet[at] = to;
        packet
    };
    // Fields of the IPv4 header under its checksum: the checksum is mended to fit.
    let mended = |at: usize, to: u8| {
        let mut packet = changed(at, to);
        packet[10..12].fill(0);
        let sum: u32 = packet[..20].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
        let sum = (sum & 0xffff) + (sum >> 16);
        packet[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
        packet
    };
    let options = |more: &[u8]| Ack { more: more.to_vec(), ..Ack::plain() }.bytes();
    for (packet, refused) in [
        (vec![], Refused::Ip),
        (plain[..39].to_vec(), Refused::Ip),
        ([&plain[..], &[0]].concat(), Refused::Ip),
        (changed(0, 0x46), Refused::Ip),
        (changed(0, 0x65), Refused::Ip),
        (mended(6, 0x20), Refused::Fragment),
        (mended(7, 0x01), Refused::Fragment),
        (mended(6, 0x80), Refused::Fragment),
        (changed(10, plain[10] ^ 1), Refused::IpChecksum),
        (mended(9, 17), Refused::NotTcp),
        (changed(33, 0x11), Refused::NotPureAck),
        (changed(33, 0x00), Refused::NotPureAck),
        (changed(33, 0x18), Refused::NotPureAck),
        (changed(32, 0x60), Refused::NotPureAck),
        (changed(32, 0x40), Refused::NotPureAck),
        (options(&[8, 4, 0, 0]), Refused::Options),
        (options(&[1; 16]), Refused::Options),
    ] {
        let mut compressor = Compressor::new(CidSpace::SMALL, Config::default());
        let mut out = Vec::new();
        assert_eq!(compressor.compress(&packet, &mut out), Err(refused), "{packet:02x?}");
        assert_eq!((out.len(), compressor.contexts()), (0, 0));
    }
}

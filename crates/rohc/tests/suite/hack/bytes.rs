//! Packets as others send them: what an [`Ack`] takes comes out byte for byte, and the rest is refused.

use ackless_rohc::hack::{Ack, Refused};
use ackless_wire::Packet;
use ackless_wire::random::{Purpose, Stream};

use super::acks::Flow;

/// What stands in the options of a pure ACK over IPv6 whose other bytes are ordinary.
fn segment(options: &[u8], reserved: u8, flags: u8) -> Vec<u8> {
    let len = 20 + options.len();
    let mut bytes = vec![0x60, 0, 0, 0, 0, len as u8, 6, 64];
    bytes.extend([0xfd; 32]);
    bytes.extend([0x9c, 0x40, 0, 80, 0, 0, 0, 1, 0, 0, 0, 2, (len as u8) << 2 | reserved, flags, 1, 0, 0, 0, 0, 0]);
    bytes.extend(options);
    let pseudo = bytes[8..].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum::<u32>();
    let mut sum = pseudo + 6 + len as u32;
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    bytes[56..58].copy_from_slice(&(!sum as u16).to_be_bytes());
    bytes
}

fn said(bytes: &[u8]) -> Result<(), Refused> {
    let ack = Ack::of(&Packet::parse(bytes).expect("a well-formed packet"))?;
    let mut out = Vec::new();
    ack.to_packet().emit(&mut out);
    assert_eq!(out, bytes);
    Ok(())
}

const STAMPS: [u8; 12] = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2];
const SACK: [u8; 12] = [1, 1, 5, 10, 0, 0, 0, 9, 0, 0, 0, 12];

#[test]
fn an_ack_is_taken_only_if_its_bytes_come_out_again() {
    let ack = 0x10;
    assert_eq!(said(&segment(&[], 0, ack)), Ok(()));
    assert_eq!(said(&segment(&[STAMPS, SACK].concat(), 0, ack)), Ok(()));
    assert_eq!(said(&segment(&[SACK, STAMPS].concat(), 0, ack)), Err(Refused::Layout));
    // The Data ACK of MPTCP (RFC 8684, 3.3): kind 30, subtype 2, the A flag, four octets.
    let data_ack = [30, 8, 0x20, 0x01, 0, 0, 0x12, 0x34];
    assert_eq!(said(&segment(&[&STAMPS[..], &data_ack].concat(), 0, ack)), Err(Refused::NotPureAck));
    // The bit that AccECN uses (RFC 9768, 3.1), and the others.
    for bit in [1, 2, 4, 8] {
        assert_eq!(said(&segment(&STAMPS, bit, ack)), Err(Refused::NotPureAck));
    }
}

#[test]
fn whatever_the_options_are_an_ack_that_is_taken_is_its_bytes() {
    let mut random = Stream::new(11, 0, Purpose::Test);
    let mut taken = 0;
    for _ in 0..20_000 {
        let mut options = Vec::new();
        for _ in 0..random.below(4) {
            match random.below(6) {
                0 | 1 => options.extend(STAMPS),
                2 => options.extend(SACK),
                3 => options.extend([1, 3, 3, random.bits() as u8]),
                4 => options.extend([random.bits() as u8 | 0x40, 4, 0, 7]),
                _ => options.extend([1, 1, 1, random.below(2) as u8]),
            }
        }
        if options.len() <= 40 && Packet::parse(&segment(&options, 0, 0x10)).is_ok() {
            taken += u32::from(said(&segment(&options, 0, 0x10)).is_ok());
        }
    }
    assert!(taken > 2_000, "{taken}");
}

#[test]
fn a_flow_of_the_other_tests_is_its_bytes() {
    for seed in 0..200 {
        let mut flow = Flow::new(Stream::new(seed, 1, Purpose::Test), 0.5);
        for _ in 0..20 {
            let mut bytes = Vec::new();
            flow.next().to_packet().emit(&mut bytes);
            assert_eq!(said(&bytes), Ok(()), "seed {seed}");
        }
    }
}

//! The ways to say an ACK: what the rules of HACK have to hold under each, and what the TCP checksum is good for.

use ackless_schemes::hack::{Codec, HackConfig};
use ackless_wire::Packet;
use ackless_wire::tcp::Checksum;

use super::pair::{AP, Air, Pair, STATION};

const CODECS: [Codec; 4] = [
    Codec::Own { checksum: false, wide: false },
    Codec::Own { checksum: true, wide: false },
    Codec::Own { checksum: false, wide: true },
    Codec::Rfc6846,
];

fn with(codec: Codec) -> HackConfig {
    HackConfig { codec, ..HackConfig::default() }
}

/// A pair in whose context some ACKs have been compressed, and nothing is left on the wire.
fn in_context(codec: Codec) -> Pair {
    let mut pair = Pair::with_context(with(codec), 3);
    pair.ack(0);
    pair.transfer();
    let data = pair.data(3, true);
    pair.exchange(&data, Air::Clear);
    assert_eq!(pair.wire().len(), 2);
    pair
}

fn checksum(packet: &Packet) -> Checksum {
    packet.tcp().expect("an ACK is TCP").checksum
}

/// Figures 5, 6 and 8, over and over, with more ACKs than the MSN has numbers.
#[test]
fn what_is_lost_comes_again_once_whatever_the_codec() {
    for codec in CODECS {
        let mut pair = in_context(codec);
        let mut expected = Vec::new();
        for round in 0..200 {
            expected.extend([pair.ack(0), pair.ack(0)]);
            pair.transfer();
            let data = pair.data(3, true);
            match round % 5 {
                0 => {
                    pair.exchange(&data, Air::AnswerLost);
                    pair.request(&data, Air::Clear);
                }
                1 => {
                    pair.exchange(&data, Air::AnswerLost);
                    pair.request(&data, Air::AnswerLost);
                    let again = pair.again(&data, 1, true);
                    assert!(again.bits.sync);
                    pair.exchange(&again, Air::Clear);
                }
                2 => {
                    // The AP has heard the answer, and the station cannot know.
                    pair.exchange(&data, Air::Clear);
                    let next = pair.data(2, true);
                    pair.exchange(&next, Air::PpduLost);
                    let again = pair.again(&next, 0, true);
                    pair.exchange(&again, Air::Clear);
                }
                _ => {
                    pair.exchange(&data, Air::Clear);
                }
            }
            assert_eq!(pair.wire(), expected, "{codec:?}, round {round}");
            expected.clear();
        }
        let (ap, station) = (pair.counters(AP), pair.counters(STATION));
        assert_eq!((ap.emitted, station.compressed_acks, station.native_acks), (401, 401, 1), "{codec:?}");
        assert_eq!([ap.gaps, ap.crc_failures, ap.checksum_failures, ap.unknown_context, ap.malformed], [0; 5]);
        assert_eq!(station.msn_wrap > 0, codec.max_msn() < 400);
        assert!(station.sync_kept > 0 && station.block_ack_lost > 0);
    }
}

/// An A-MPDU of A-MSDUs brings a TCP more segments at once than the paper's MSN can count ACKs for.
#[test]
fn with_an_msn_of_16_bits_the_acks_of_an_a_mpdu_of_amsdus_are_held_and_come_again() {
    let mut pair = in_context(Codec::Own { checksum: false, wide: true });
    let before = pair.counters(STATION).native_acks;
    for round in 0..3 {
        let acks: Vec<_> = (0..200).map(|_| pair.ack(0)).collect();
        pair.transfer();
        let data = pair.data(3, true);
        pair.exchange(&data, Air::AnswerLost);
        // The next ones come before the AP has had the first.
        let more: Vec<_> = (0..200).map(|_| pair.ack(0)).collect();
        pair.transfer();
        pair.request(&data, Air::Clear);
        assert_eq!(pair.wire(), [acks, more].concat(), "round {round}");
        let next = pair.data(3, true);
        pair.exchange(&next, Air::Clear);
        assert_eq!((pair.wire(), pair.queued()), (Vec::new(), 0), "round {round}");
    }
    assert_eq!((pair.counters(STATION).full, pair.counters(STATION).native_acks), (0, before));
}

/// Every byte of what a pure ACK says is the same, and so is what stands in the header as its checksum.
#[test]
fn packets_of_the_rfc_say_more_bytes_and_the_same() {
    let lengths = CODECS.map(|codec| {
        let mut pair = in_context(codec);
        let id = pair.ack(0);
        pair.transfer();
        let data = pair.data(3, true);
        let len = pair.exchange(&data, Air::Clear).expect("there is an answer");
        let packets = pair.packets();
        assert_eq!(packets.len(), 1);
        assert_eq!(
            (ackless_schemes::testing::identification(&packets[0]), checksum(&packets[0])),
            (id, Checksum::Correct)
        );
        len
    });
    // CID and MSN, which may have 16 bits, then: a code of two bytes, for a stride and timestamps that moved by 1 and 3; behind it the checksum; seq_3, since no stride is learnt yet, in four
    // bytes, with one for each timestamp and the checksum.
    assert_eq!(lengths, [2 + 2, 2 + 2 + 2, 3 + 2, 2 + 4 + 2 + 2]);
}

/// The driver looks before it takes an ACK: a wrong one goes as it is, behind what is held, and no codec repairs it.
#[test]
fn what_was_wrong_at_the_client_arrives_wrong_whatever_the_codec() {
    for codec in CODECS {
        let mut pair = in_context(codec);
        let held = pair.ack(0);
        let wrong = pair.wrong_ack(0);
        pair.transfer();
        let data = pair.data(3, true);
        pair.exchange(&data, Air::Clear);
        pair.natives(pair.queued(), Air::Clear);
        let packets = pair.packets();
        let arrived: Vec<_> =
            packets.iter().map(|packet| (ackless_schemes::testing::identification(packet), checksum(packet))).collect();
        assert_eq!(arrived, [(held, Checksum::Correct), (wrong, Checksum::Wrong(0xbad))], "{codec:?}");
        assert_eq!(pair.counters(STATION).refused, 1);
    }
}

/// Behind the driver the checks of three and seven bits are all there is; what they miss has no wrong checksum any more where the AP computes it.
#[test]
fn damage_behind_the_driver_is_repaired_silently_unless_the_checksum_goes_along() {
    // What comes out of one answer whose first bytes behind CID and MSN are changed by this mask, which leaves a code its form, and what the AP's checksum has stopped.
    let run = |codec: Codec, mask: u16| {
        let mut pair = in_context(codec);
        pair.ack_number(0, pair.forwarded() - 2);
        pair.transfer();
        let data = pair.data(3, true);
        pair.exchange_damaged(&data, |bytes| {
            for (byte, mask) in bytes[codec.run_header()..].iter_mut().zip(mask.to_be_bytes()) {
                *byte ^= mask;
            }
        });
        (pair.packets(), pair.counters(AP).checksum_failures)
    };
    let of_all = |codec| {
        let (right, _) = run(codec, 0);
        let damaged = (1..0x2000_u16).map(|mask| run(codec, mask));
        damaged.fold((0, 0), |(repaired, stopped), (packets, failures)| {
            assert!(packets.iter().all(|packet| checksum(packet) == Checksum::Correct));
            let wrong = |(came, right): (&Packet, &Packet)| came.tcp() != right.tcp();
            (repaired + u64::from(packets.iter().zip(&right).any(wrong)), stopped + failures)
        })
    };
    let [(plain, none), (with_checksum, by_checksum), wide, (rfc, by_rfc)] = CODECS.map(of_all);
    println!("repaired: {plain}, {with_checksum}, {rfc}; stopped by the checksum: {none}, {by_checksum}, {by_rfc}");
    // The AP's own bounds stop most of what the checks miss: of 8,191 masks few are left.
    assert!(plain > 1 && none == 0);
    assert_eq!(wide, (plain, none), "another length in front of the same codes");
    assert!((with_checksum, rfc) == (0, 0) && by_checksum > 1 && by_rfc > 1);
}

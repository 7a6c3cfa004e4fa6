//! The checksums over a rebuilt header.
//!
//! Checksums are those of ROHC (RFC 5795, 5.3.1.1), as in [`crate::crc`]. What they cover is fixed here, in
//! [`Covered`].
//!
//! They are most of what a code costs, so they are taken from whole words as they lie in registers: a third less time
//! for each ACK than through octets in memory.

use ackless_wire::{IpHeader, SeqNumber};

use crate::crc::{CRC3, CRC7, CRC8};
use crate::hack::ack::Ack;
use crate::hack::codec::CHECKSUM;

/// The octets of a header that its checksum covers: those that codes can change, in the order of the table in
/// [`crate::hack`], as big-endian words of eight. The octets of the flow come before them, the MSN behind them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Covered<'a> {
    /// All but the SACK blocks.
    pub(super) words: Words,
    /// The SACK blocks.
    pub(super) sack: &'a [(SeqNumber, SeqNumber)],
}

/// Sequence and acknowledgment number; flags, TTL, window, identification, urgent pointer; timestamps; the rest.
pub(super) type Words = [u64; 4];

/// The checksums of a flow's octets, from which those of its headers go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlowSum {
    crc3: u8,
    crc7: u8,
    crc8: u8,
}

impl<'a> Covered<'a> {
    /// What is covered of `ack`.
    #[inline(always)]
    pub(super) fn of(ack: &'a Ack) -> Self {
        let tcp = &ack.tcp;
        let (dscp_ecn, ttl, id, label_or_df) = match &ack.ip {
            IpHeader::V4(v4) => (v4.dscp_ecn, v4.ttl, v4.id, u32::from(v4.dont_fragment)),
            IpHeader::V6(v6) => (v6.traffic_class, v6.hop_limit, 0, v6.flow_label),
        };
        let options = &tcp.options;
        let sack = options.sack.as_slice();
        let present = u8::from(options.mss.is_some()) << 7
            | u8::from(options.sack_permitted) << 6
            | u8::from(options.window_scale.is_some()) << 5
            | u8::from(options.timestamps.is_some()) << 4
            | sack.len() as u8;
        let (value, echo) = ack.by_ref().stamps();
        let words = [
            u64::from(tcp.seq.0) << 32 | u64::from(tcp.ack.0),
            u64::from(tcp.flags.bits()) << 56
                | u64::from(ttl) << 48
                | u64::from(tcp.window) << 32
                | u64::from(id) << 16
                | u64::from(tcp.urgent),
            u64::from(value) << 32 | u64::from(echo),
            u64::from(dscp_ecn) << 56
                | u64::from(label_or_df) << 32
                | u64::from(present) << 24
                | u64::from(options.window_scale.unwrap_or(0)) << 16
                | u64::from(options.mss.unwrap_or(0)),
        ];
        Self { words, sack }
    }

    /// The words.
    #[inline(always)]
    fn all(&self) -> impl Iterator<Item = u64> {
        let blocks = self.sack.iter().map(|(left, right)| u64::from(left.0) << 32 | u64::from(right.0));
        self.words.into_iter().chain(blocks)
    }
}

impl FlowSum {
    /// The checksums of the octets of `ack`'s flow.
    pub(super) fn of(ack: &Ack) -> Self {
        let (octets, len) = ack.flow().octets();
        let [crc3, crc7, crc8] = [&CRC3, &CRC7, &CRC8].map(|crc| crc.of(&octets[..len]));
        Self { crc3, crc7, crc8 }
    }

    /// CRC-3 over flow, header and the low octet of the MSN.
    #[inline(always)]
    pub(super) fn crc3(&self, covered: &Covered, msn: u16) -> u8 {
        CRC3.extend(crc3_after(self.crc3, covered.all()), &[msn as u8])
    }

    /// CRC-7 over flow, header and the low octet of the MSN.
    pub(super) fn crc7(&self, covered: &Covered, msn: u16) -> u8 {
        SLICES7.octet(SLICES7.words(self.crc7, covered.all()), msn as u8)
    }

    /// CRC-8 over flow and header: the MSN that follows the installation of this header.
    pub(super) fn first_msn(&self, covered: &Covered) -> u8 {
        covered.all().fold(self.crc8, |sum, word| CRC8.extend(sum, &word.to_be_bytes()))
    }
}

/// The TCP checksum of ACKs, as it stands in their headers.
#[derive(Clone, Debug, Default)]
pub(super) struct TcpSum {
    /// The packet at hand.
    packet: Vec<u8>,
}

impl TcpSum {
    /// The checksum of `ack`.
    pub(super) fn of(&mut self, ack: &Ack) -> [u8; CHECKSUM] {
        self.packet.clear();
        ack.to_packet().emit(&mut self.packet);
        let tcp = match &ack.ip {
            IpHeader::V4(_) => 20,
            IpHeader::V6(_) => 40,
        };
        let at = tcp + CHECKSUM_AT;
        [self.packet[at], self.packet[at + 1]]
    }
}

/// Where in a TCP header the checksum stands (RFC 9293, 3.1).
const CHECKSUM_AT: usize = 16;

/// The tables of one checksum: table `n` is what an octet gives with `n` octets of zero behind it.
#[derive(Debug)]
struct Slices([[u8; 256]; 8]);

impl Slices {
    /// The tables of a polynomial whose bits are reversed, as [`crate::crc`] has them.
    const fn new(reversed: u8) -> Self {
        let mut tables = [[0; 256]; 8];
        let mut octet = 0;
        while octet < 256 {
            let mut rest = octet as u8;
            let mut behind = 0;
            while behind < 8 {
                let mut bit = 0;
                while bit < 8 {
                    rest = if rest & 1 == 1 { rest >> 1 ^ reversed } else { rest >> 1 };
                    bit += 1;
                }
                tables[behind][octet] = rest;
                behind += 1;
            }
            octet += 1;
        }
        Self(tables)
    }

    /// The checksum after big-endian words. No register is wider than an octet, so it lies whole in the first of a
    /// word.
    #[inline]
    fn words(&self, start: u8, words: impl Iterator<Item = u64>) -> u8 {
        words.fold(start, |sum, word| {
            let octets = (word ^ u64::from(sum) << 56).to_le_bytes();
            (0..8).fold(0, |sum, behind| sum ^ self.0[behind][usize::from(octets[behind])])
        })
    }

    /// The checksum after one more octet.
    #[inline]
    fn octet(&self, sum: u8, octet: u8) -> u8 {
        self.0[0][usize::from(sum ^ octet)]
    }
}

/// The CRC-3 after big-endian words.
///
/// Its polynomial, 1 + x + x^3, divides x^7 + 1 and so x^63 + 1: bits that stand 63 places apart count alike, and the register is what counts as much as all the bits before it. So
/// words lie on a ring of 63 bits, one upon the other, each a bit further than the one before, since a word has one bit more than the ring; and are divided once, at the end, when
/// 63 bits have become seven in the same way.
#[inline(always)]
fn crc3_after(start: u8, words: impl Iterator<Item = u64>) -> u8 {
    let ring = words.fold(u64::from(start), |ring, word| {
        // The lowest bit of each octet comes first.
        let bits = word.swap_bytes() ^ ring;
        bits >> 1 ^ (bits & 1) << 62
    });
    let half = (ring ^ ring >> 28 ^ ring >> 56) & 0xfff_ffff;
    let quarter = (half ^ half >> 14) & 0x3fff;
    SEVEN3[((quarter ^ quarter >> 7) & 0x7f) as usize]
}

/// The CRC-3 of seven bits.
static SEVEN3: [u8; 128] = {
    let mut table = [0; 128];
    let mut bits = 0;
    while bits < 128 {
        let mut rest = bits as u8;
        let mut bit = 0;
        while bit < 7 {
            rest = if rest & 1 == 1 { rest >> 1 ^ 0b110 } else { rest >> 1 };
            bit += 1;
        }
        table[bits] = rest;
        bits += 1;
    }
    table
};
/// CRC-7: 1 + x + x^2 + x^3 + x^6 + x^7.
static SLICES7: Slices = Slices::new(0b111_1001);

#[cfg(test)]
mod tests {
    use ackless_wire::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn all_words_at_once_give_the_same_crc3_as_one_octet_at_a_time() {
        for seed in 1..=200 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let words: Vec<u64> = (0..random.below(9)).map(|_| random.bits()).collect();
            let octets: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
            for start in 0..=CRC3.start() {
                assert_eq!(
                    crc3_after(start, words.iter().copied()),
                    CRC3.extend(start, &octets),
                    "seed {seed}: {words:x?}"
                );
            }
        }
    }

    #[test]
    fn eight_octets_at_a_time_give_the_same_as_one_at_a_time() {
        let words = [0x0123_4567_89ab_cdef, u64::MAX, 0, 0xdead_beef_0000_0001];
        let octets = words.map(u64::to_be_bytes);
        for start in 0..=CRC7.start() {
            assert_eq!(SLICES7.words(start, words.into_iter()), CRC7.extend(start, octets.as_flattened()));
            assert_eq!(SLICES7.octet(start, 0xa5), CRC7.extend(start, &[0xa5]));
        }
    }
}

//! The Internet checksum (RFC 1071), and the pseudo-header that TCP and UDP put in front of it.

use crate::ip::IpHeader;

/// A running one's complement sum of 16-bit words. Only the last piece of data added may have an odd length.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum(u64);

impl Sum {
    /// The sum over the pseudo-header of `len` bytes of `protocol` (RFC 9293, 3.1; RFC 768; RFC 8200, 8.1).
    pub(super) fn pseudo_header(ip: &IpHeader, protocol: u8, len: usize) -> Self {
        let mut sum = Self::default();
        match ip {
            IpHeader::V4(v4) => {
                sum.add(&v4.src.octets());
                sum.add(&v4.dst.octets());
            }
            IpHeader::V6(v6) => {
                sum.add(&v6.src.octets());
                sum.add(&v6.dst.octets());
            }
        }
        // The length has 16 bits over IPv4 and 32 over IPv6; in a sum of 16-bit words that makes no difference.
        sum.0 += u64::from(protocol) + len as u64;
        sum
    }

    /// Adds data; an odd last byte counts as the upper half of a word.
    pub(super) fn add(&mut self, data: &[u8]) {
        let (words, rest) = data.as_chunks::<2>();
        self.0 += words.iter().map(|&word| u64::from(u16::from_be_bytes(word))).sum::<u64>();
        self.0 += rest.iter().map(|&byte| u64::from(byte) << 8).sum::<u64>();
    }

    /// The folded sum. Over data that contain a right checksum it is 0xffff.
    pub(super) fn folded(self) -> u16 {
        let mut sum = self.0;
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        sum as u16
    }

    /// The checksum: the complement of the folded sum.
    pub(super) fn checksum(self) -> u16 {
        !self.folded()
    }
}

/// The sum over `data` alone.
pub(super) fn sum(data: &[u8]) -> Sum {
    let mut sum = Sum::default();
    sum.add(data);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example of RFC 1071, 3: the words 0001, f203, f4f5, f6f7 sum to 2ddf0, which folds to ddf2.
    const EXAMPLE: [u8; 8] = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];

    #[test]
    fn the_example_of_rfc_1071_sums_to_ddf2() {
        assert_eq!(sum(&EXAMPLE).folded(), 0xddf2);
        assert_eq!(sum(&EXAMPLE).checksum(), 0x220d);
    }

    #[test]
    fn pieces_sum_to_the_whole_in_any_order() {
        let mut pieces = sum(&EXAMPLE[4..]);
        pieces.add(&EXAMPLE[..4]);
        assert_eq!(pieces.folded(), 0xddf2);
    }

    #[test]
    fn swapping_every_pair_of_bytes_swaps_the_sum() {
        let mut swapped = EXAMPLE;
        swapped.as_chunks_mut::<2>().0.iter_mut().for_each(|pair| pair.reverse());
        assert_eq!(sum(&swapped).folded(), 0xf2dd);
    }

    #[test]
    fn an_odd_byte_is_padded_with_a_zero_behind_it() {
        assert_eq!(sum(&[0x12, 0x34, 0x56]).folded(), 0x1234 + 0x5600);
    }

    #[test]
    fn data_with_their_checksum_sum_to_ones() {
        let mut with = EXAMPLE.to_vec();
        with.extend(sum(&EXAMPLE).checksum().to_be_bytes());
        assert_eq!(sum(&with).folded(), 0xffff);
    }
}

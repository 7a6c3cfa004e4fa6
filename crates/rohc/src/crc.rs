//! The three checksums of ROHC (RFC 5795, 5.3.1.1): over the header as it was before compression, so that the
//! decompressor knows whether it rebuilt the right one.
//!
//! All start from ones and take the least significant bit of each byte first, so the polynomials stand here with their
//! bits reversed.

/// One of ROHC's checksums: how many bits it has, and its table.
#[derive(Debug)]
pub struct Crc {
    width: u32,
    table: [u8; 256],
}

/// CRC-3: 1 + x + x^3, in compressed headers that are sent most often.
pub static CRC3: Crc = Crc::new(3, 0b110);

/// CRC-7: 1 + x + x^2 + x^3 + x^6 + x^7, in headers that change more of the context.
pub static CRC7: Crc = Crc::new(7, 0b111_1001);

/// CRC-8: 1 + x + x^2 + x^8, over IR packets and feedback themselves.
pub static CRC8: Crc = Crc::new(8, 0b1110_0000);

impl Crc {
    const fn new(width: u32, reversed: u8) -> Self {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let mut rest = byte as u8;
            let mut bit = 0;
            while bit < 8 {
                rest = if rest & 1 == 1 { rest >> 1 ^ reversed } else { rest >> 1 };
                bit += 1;
            }
            table[byte] = rest;
            byte += 1;
        }
        Self { width, table }
    }

    /// The checksum of `bytes`, in the low bits.
    pub fn of(&self, bytes: &[u8]) -> u8 {
        self.extend(self.start(), bytes)
    }

    /// What [`Crc::extend`] starts from: the checksum of no bytes.
    pub const fn start(&self) -> u8 {
        (0xff_u16 >> (8 - self.width)) as u8
    }

    /// The checksum of what gave `so_far`, followed by `bytes`.
    pub fn extend(&self, so_far: u8, bytes: &[u8]) -> u8 {
        bytes.iter().fold(so_far, |crc, &byte| self.table[usize::from(crc ^ byte)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_string_gives_the_catalogued_values() {
        assert_eq!(CRC3.of(b"123456789"), 0x6);
        assert_eq!(CRC7.of(b"123456789"), 0x53);
        assert_eq!(CRC8.of(b"123456789"), 0xd0);
    }

    #[test]
    fn a_checksum_may_be_computed_in_parts() {
        for crc in [&CRC3, &CRC7, &CRC8] {
            assert_eq!(crc.extend(crc.of(b"12345"), b"6789"), crc.of(b"123456789"));
        }
    }

    #[test]
    fn every_single_bit_error_in_an_ack_is_noticed() {
        let header: Vec<u8> = (0..52).map(|n: u8| n.wrapping_mul(37)).collect();
        for crc in [&CRC3, &CRC7, &CRC8] {
            for bit in 0..header.len() * 8 {
                let mut wrong = header.clone();
                wrong[bit / 8] ^= 1 << (bit % 8);
                assert_ne!(crc.of(&wrong), crc.of(&header), "bit {bit} of CRC-{}", crc.width);
            }
        }
    }
}

//! The three checksums of ROHC (RFC 5795, 5.3.1.1): over the header as it was before compression, so that the
//! decompressor knows whether it rebuilt the right one.
//!
//! All start from ones and take the least significant bit of each byte first, so the polynomials stand here with their
//! bits reversed.

/// One of ROHC's checksums: how many bits it has, and its tables.
#[derive(Debug)]
pub struct Crc {
    width: u32,
    /// What a byte leaves behind when as many zero bytes follow as the table's number. Eight bytes then go at once,
    /// with no look-up waiting for another.
    tables: [[u8; 256]; 8],
}

/// CRC-3: 1 + x + x^3, in compressed headers that are sent most often.
pub static CRC3: Crc = Crc::new(3, 0b110);

/// CRC-7: 1 + x + x^2 + x^3 + x^6 + x^7, in headers that change more of the context.
pub static CRC7: Crc = Crc::new(7, 0b111_1001);

/// CRC-8: 1 + x + x^2 + x^8, over IR packets and feedback themselves.
pub static CRC8: Crc = Crc::new(8, 0b1110_0000);

impl Crc {
    const fn new(width: u32, reversed: u8) -> Self {
        let mut tables = [[0; 256]; 8];
        let mut byte = 0;
        while byte < 256 {
            let mut rest = byte as u8;
            let mut bit = 0;
            while bit < 8 {
                rest = if rest & 1 == 1 { rest >> 1 ^ reversed } else { rest >> 1 };
                bit += 1;
            }
            tables[0][byte] = rest;
            byte += 1;
        }
        let mut zeros = 1;
        while zeros < 8 {
            let mut byte = 0;
            while byte < 256 {
                tables[zeros][byte] = tables[0][tables[zeros - 1][byte] as usize];
                byte += 1;
            }
            zeros += 1;
        }
        Self { width, tables }
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
        let (eights, rest) = bytes.as_chunks::<8>();
        let [last, seventh, sixth, fifth, fourth, third, second, first] = &self.tables;
        let crc = eights.iter().fold(so_far, |crc, &[a, b, c, d, e, f, g, h]| {
            let at = |table: &[u8; 256], byte: u8| table[usize::from(byte)];
            let front = at(first, crc ^ a) ^ at(second, b) ^ at(third, c) ^ at(fourth, d);
            front ^ at(fifth, e) ^ at(sixth, f) ^ at(seventh, g) ^ at(last, h)
        });
        rest.iter().fold(crc, |crc, &byte| self.tables[0][usize::from(crc ^ byte)])
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
        let bytes: Vec<u8> = (0..60).map(|n: u8| n.wrapping_mul(73)).collect();
        for crc in [&CRC3, &CRC7, &CRC8] {
            for part in 0..bytes.len() {
                assert_eq!(crc.extend(crc.of(&bytes[..part]), &bytes[part..]), crc.of(&bytes), "{part} bytes first");
            }
            assert_eq!(bytes.chunks(1).fold(crc.start(), |so_far, byte| crc.extend(so_far, byte)), crc.of(&bytes));
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

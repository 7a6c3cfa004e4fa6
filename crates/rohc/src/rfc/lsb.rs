//! Least significant bits against a reference (RFC 4997, 4.11.5; with windows of references RFC 3095, 4.5.2).

/// How many low bits of a value are sent, and how far below the reference the value may lie.
///
/// With a reference `v`, `k` bits name one value of the interval from `v - p` to `v - p + 2^k - 1`. With a negative
/// `p` the interval starts above the reference: then the bits cannot say "unchanged".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lsb {
    bits: u8,
    p: i32,
}

impl Lsb {
    pub(super) const fn new(bits: u8, p: i32) -> Self {
        Self { bits, p }
    }

    pub(super) const fn bits(self) -> u8 {
        self.bits
    }

    /// Whether `value` lies in the interval of `reference`, both fields of `width` bits that wrap around.
    pub(super) const fn fits(self, reference: u32, value: u32, width: u8) -> bool {
        value.wrapping_sub(self.base(reference)) & mask(width) <= mask(self.bits)
    }

    /// What is sent of `value`.
    pub(super) const fn low(self, value: u32) -> u32 {
        value & mask(self.bits)
    }

    /// The one value in the interval of `reference` whose low bits were `received`.
    pub(super) const fn decode(self, reference: u32, received: u32, width: u8) -> u32 {
        let base = self.base(reference);
        base.wrapping_add(received.wrapping_sub(base) & mask(self.bits)) & mask(width)
    }

    const fn base(self, reference: u32) -> u32 {
        reference.wrapping_sub(self.p as u32)
    }
}

/// The four lengths of a timestamp in the irregular chain, shortest first (RFC 6846, 8.2, `ts_lsb`): what names the
/// length, its bits, and the timestamp's.
pub(super) const TIMESTAMP: [(u8, u8, Lsb); 4] = [
    (0b0, 1, Lsb::new(7, -1)),
    (0b10, 2, Lsb::new(14, -1)),
    (0b110, 3, Lsb::new(21, 0x0004_0000)),
    (0b111, 3, Lsb::new(29, 0x0400_0000)),
];

const fn mask(bits: u8) -> u32 {
    ((1_u64 << bits) - 1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference, bits, p, and the interval worked by hand from the definition.
    const INTERVALS: [(u32, u8, i32, u32, u32); 8] = [
        (1000, 4, 4, 996, 1011),
        (1000, 4, 0, 1000, 1015),
        (1000, 4, -1, 1001, 1016),
        (1000, 3, 1, 999, 1006),
        (5, 8, 63, 5_u32.wrapping_sub(63), 197),
        (u32::MAX, 7, -1, 0, 127),
        (0xffff_fff0, 15, 8191, 0xffff_dff1, 0x0000_5ff0),
        (0, 29, 0x0400_0000, 0xfc00_0000, 0x1bff_ffff),
    ];

    #[test]
    fn intervals_are_those_of_the_definition() {
        for (reference, bits, p, first, last) in INTERVALS {
            let lsb = Lsb::new(bits, p);
            assert!(lsb.fits(reference, first, 32) && lsb.fits(reference, last, 32), "{lsb:?} of {reference}");
            assert!(!lsb.fits(reference, first.wrapping_sub(1), 32), "{lsb:?} of {reference}");
            assert!(!lsb.fits(reference, last.wrapping_add(1), 32), "{lsb:?} of {reference}");
        }
    }

    #[test]
    fn what_fits_comes_back_and_what_does_not_comes_back_wrong() {
        for (reference, bits, p, first, _) in INTERVALS {
            let lsb = Lsb::new(bits, p);
            for step in [0, 1, (1 << bits) / 3, (1 << bits) - 1] {
                let value = first.wrapping_add(step);
                assert_eq!(lsb.decode(reference, lsb.low(value), 32), value);
                let outside = value.wrapping_add(1 << bits);
                assert_eq!(lsb.decode(reference, lsb.low(outside), 32), value);
            }
        }
    }

    #[test]
    fn narrow_fields_wrap_at_their_own_width() {
        let ip_id = Lsb::new(3, 1);
        assert!(ip_id.fits(0xffff, 0x0005, 16));
        assert_eq!(ip_id.decode(0xffff, 5, 16), 5);
        assert!(!ip_id.fits(0xffff, 0x0006, 16));
        let hop_limit = Lsb::new(3, 3);
        assert_eq!(hop_limit.decode(1, hop_limit.low(254), 8), 254);
    }
}

//! Bits on their way in and out: most significant first, as every format of ROHC has them.

use super::error::Error;

/// Takes fields from the front of a packet.
#[derive(Clone, Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    /// How many bits have been taken.
    taken: usize,
}

/// Gathers the fields of a base header, which has at most 7 bytes.
#[derive(Debug, Default)]
pub(super) struct Fields {
    bits: u64,
    len: u32,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, taken: 0 }
    }

    /// The next `n` bits, 32 at most.
    pub(super) fn bits(&mut self, n: u8) -> Result<u32, Error> {
        let end = self.taken + usize::from(n);
        if end > self.bytes.len() * 8 {
            return Err(Error::Truncated);
        }
        let (first, last) = (self.taken / 8, end.div_ceil(8));
        let whole = self.bytes[first..last].iter().fold(0_u64, |whole, &byte| whole << 8 | u64::from(byte));
        self.taken = end;
        Ok((whole >> (last * 8 - end) & ((1 << n) - 1)) as u32)
    }

    pub(super) fn flag(&mut self) -> Result<bool, Error> {
        Ok(self.bits(1)? == 1)
    }

    pub(super) fn u8(&mut self) -> Result<u8, Error> {
        Ok(self.bits(8)? as u8)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Error> {
        Ok(self.bits(16)? as u16)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Error> {
        self.bits(32)
    }

    /// The next `n` bytes; only between whole bytes.
    pub(super) fn take(&mut self, n: usize) -> Result<&'a [u8], Error> {
        debug_assert!(self.taken.is_multiple_of(8), "byte strings start at whole bytes");
        let start = self.taken / 8;
        let taken = self.bytes.get(start..start + n).ok_or(Error::Truncated)?;
        self.taken += n * 8;
        Ok(taken)
    }

    /// The next byte without taking it; only between whole bytes.
    pub(super) fn peek_byte(&self) -> Option<u8> {
        self.bytes.get(self.taken / 8).copied()
    }

    /// How many whole bytes are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.taken.div_ceil(8)
    }
}

impl Fields {
    pub(super) fn push(&mut self, value: u32, n: u8) {
        debug_assert!(u64::from(value) < 1 << n, "a field's value fits its bits");
        self.bits = self.bits << n | u64::from(value);
        self.len += u32::from(n);
    }

    pub(super) fn flag(&mut self, value: bool) {
        self.push(value.into(), 1);
    }

    /// Appends the fields to `out`; together they are whole bytes.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        debug_assert!(self.len.is_multiple_of(8) && self.len <= 64, "a base header is a few whole bytes");
        let bytes = self.bits.to_be_bytes();
        out.extend_from_slice(&bytes[8 - self.len as usize / 8..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back_as_they_went() {
        let mut fields = Fields::default();
        for (value, n) in [(1, 1), (5, 3), (0xabc, 12), (0xdead, 16), (0, 1), (0x3fff, 15)] {
            fields.push(value, n);
        }
        let mut out = Vec::new();
        fields.write(&mut out);
        assert_eq!(out, [0xda, 0xbc, 0xde, 0xad, 0x3f, 0xff]);
        let mut reader = Reader::new(&out);
        for (value, n) in [(1, 1), (5, 3), (0xabc, 12), (0xdead, 16), (0, 1), (0x3fff, 15)] {
            assert_eq!(reader.bits(n), Ok(value));
        }
        assert_eq!(reader.bits(1), Err(Error::Truncated));
    }
}

//! Timestamps of data, in the order in which it goes to a TCP.

use ackless_wire::TcpHeader;

use crate::timestamps::is_newer;

/// The newest TSval of a flow's data.
///
/// A segment that bears an older one than data before it was late on the wire, or is a copy. A TCP that has acknowledged up to newer data drops it by PAWS (RFC
/// 7323, 5.3) however often it is handed up, so that an agent which had acknowledged it would have lost it: the agent speaks for none of these.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stamps {
    newest: Option<u32>,
}

impl Stamps {
    /// Data comes next. Returns whether nothing before it was newer. Its stamp counts if the TCP may take it (`is_taken`): from a segment in its window, which begins no further than
    /// what it has, and whose ACK is acceptable (RFC 7323, 4.3 and 5.3). By one guess from the future, all that the server sends would be late for 24 days.
    #[inline]
    pub(super) fn is_next(&mut self, data: &TcpHeader, is_taken: impl FnOnce() -> bool) -> bool {
        let Some((value, _)) = data.options.timestamps else { return true };
        if self.newest == Some(value) {
            return true;
        }
        let next = self.newest.is_none_or(|newest| !is_newer(newest, value));
        if next && is_taken() {
            self.newest = Some(value);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_stamps_are_told_across_the_wrap_and_none_are_none() {
        let mut stamps = Stamps::default();
        let mut next = |stamp: Option<u32>| {
            let mut data = TcpHeader::new(1, 2);
            data.options.timestamps = stamp.map(|value| (value, 0));
            stamps.is_next(&data, || stamp != Some(3))
        };
        let stamps = [Some(u32::MAX), Some(u32::MAX), Some(2), Some(u32::MAX), None, Some(1), Some(3), Some(2)];
        assert_eq!(stamps.map(&mut next), [true, true, true, false, true, false, true, true]);
    }
}

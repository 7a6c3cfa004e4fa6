//! Whether a TCP's check of timestamps (PAWS, RFC 7323, 5) lets data through, by the order in which it goes there.

use crate::timestamps::is_newer;

/// The newest TSval of a flow's data.
///
/// A segment that bears an older one than data before it was late on the wire, or is a copy. A TCP that has acknowledged up to newer data drops it by PAWS (RFC
/// 7323, 5.3) however often it is handed up, so that an agent which had acknowledged it would have lost it: the agent speaks for none of these.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Paws {
    newest: Option<u32>,
}

impl Paws {
    /// Whether data with this TSval, or without one, is [accepted](Self::accepts) and nothing new.
    #[inline(always)]
    pub(super) fn has_seen(&self, ts_val: Option<u32>) -> bool {
        ts_val.is_none() || self.newest == ts_val
    }

    /// Data with this TSval comes next. Returns whether nothing before it was newer. Its timestamp counts if the TCP may take it (`is_taken`): from a segment in its window, which begins no further than
    /// what it has, and whose ACK is acceptable (RFC 7323, 4.3 and 5.3). By one guess from the future, all that the server sends would be late for 24 days.
    #[inline]
    pub(super) fn accepts(&mut self, ts_val: Option<u32>, is_taken: impl FnOnce() -> bool) -> bool {
        let Some(ts_val) = ts_val else { return true };
        if self.newest == Some(ts_val) {
            return true;
        }
        let next = self.newest.is_none_or(|newest| !is_newer(newest, ts_val));
        if next && is_taken() {
            self.newest = Some(ts_val);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_stamps_are_told_across_the_wrap_and_none_are_none() {
        let mut paws = Paws::default();
        let mut next = |stamp: Option<u32>| paws.accepts(stamp, || stamp != Some(3));
        let paws = [Some(u32::MAX), Some(u32::MAX), Some(2), Some(u32::MAX), None, Some(1), Some(3), Some(2)];
        assert_eq!(paws.map(&mut next), [true, true, true, false, true, false, true, true]);
    }
}

//! How long A-MSDUs may be, and what joins them.

use ackless_wire::Bytes;

use super::Amsdu;
use crate::frame::{AMSDU_PAD, FCS_LEN, Mpdu, amsdu_subframe_len};

impl Amsdu {
    /// The length of the MPDU with `first`, whose A-MSDU is `amsdu` long, if `next` joined it, and of the A-MSDU then, which may have `most` bytes; nothing where `next` must not.
    #[inline(always)]
    pub(super) fn joined_len(
        &self,
        (first, amsdu): (&Mpdu, Bytes),
        next: &Mpdu,
        most: Bytes,
    ) -> Option<(Bytes, Bytes)> {
        let joined = Self::with(amsdu, next);
        let fits = Self::may_join(first, next) && joined <= self.limit_for(first, most);
        fits.then_some((first.header_len() + joined + FCS_LEN, joined))
    }

    /// How long an A-MSDU of this length is with `next` in it.
    #[inline(always)]
    pub(super) fn with(amsdu: Bytes, next: &Mpdu) -> Bytes {
        Bytes(amsdu.get().next_multiple_of(AMSDU_PAD)) + amsdu_subframe_len(next.packet_len)
    }

    /// Whether the header of the MPDU with `first` holds for `next` too.
    #[inline(always)]
    pub(super) fn may_join(first: &Mpdu, next: &Mpdu) -> bool {
        (next.kind, next.ds) == (first.kind, first.ds)
    }

    /// The longest A-MSDU of the MPDU with `first`, of those that may have `most` bytes.
    #[inline(always)]
    pub(super) fn limit_for(&self, first: &Mpdu, most: Bytes) -> Bytes {
        self.max_mpdu.saturating_sub(first.header_len() + FCS_LEN).min(self.max_bytes).min(most)
    }
}

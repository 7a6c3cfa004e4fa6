//! Duplicate detection of MPDUs outside of an agreement (802.11-2020, 10.3.2.14).

use crate::frame::{MacSeq, Mpdu, Tid};

/// The receiver's cache for one transmitter: the last sequence number of each TID, and one for frames without a TID.
///
/// Each of the standard's receiver caches has one entry here, the least that it asks for, and enough for transmitters that
/// finish one MPDU before they begin the next. Fragments are not modelled.
/// Frames to groups are never repeated and need no cache.
#[derive(Clone, Debug, Default)]
pub struct DuplicateCache {
    last: [Option<MacSeq>; TIDS + 1],
}

impl DuplicateCache {
    /// Whether this MPDU was received before: it bears the Retry bit and the sequence number of the last one of its
    /// TID. Remembers it otherwise. A duplicate is answered, but goes no further.
    pub fn is_duplicate(&mut self, mpdu: &Mpdu) -> bool {
        let index = match mpdu.tid() {
            Some(Tid(tid)) => usize::from(tid) % TIDS,
            None => TIDS,
        };
        let duplicate = mpdu.retry && self.last[index] == Some(mpdu.seq);
        self.last[index] = Some(mpdu.seq);
        duplicate
    }
}

/// The number of TIDs of EDCA (802.11-2020, 9.2.4.5.2).
const TIDS: usize = 8;

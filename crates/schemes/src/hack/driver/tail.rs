//! Where little follows what was promised, ACKs are not held for it. Ours: the paper's client holds them whenever MORE DATA is set.
//!
//! A window of little more than one A-MPDU leaves a tail of a packet or two in the AP's queue. For that the bit is set, and the ACKs of all the rest wait for an access that
//! brings next to nothing, while what they would release could join the tail. The client cannot see what is left; but it has seen what came the last time.

use crate::hack::config::Tails;

/// What PPDUs of the peer have brought.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Tail {
    /// MPDUs in the last data PPDU.
    last_mpdus: u16,
    /// So many promises more are not believed.
    disbelieved: u16,
}

impl Tail {
    /// A data PPDU of so many MPDUs came. If it was `promised`, and ACKs waited for it, it shows what the promise was worth.
    pub(super) fn on_ppdu(&mut self, rule: Tails, mpdus: u16, promised: bool) {
        let little = u32::from(mpdus) * 100 < u32::from(self.last_mpdus) * rule.percent;
        if promised && little {
            self.disbelieved = rule.bursts;
        }
        self.last_mpdus = mpdus;
    }

    /// Whether ACKs wait for what the PPDU that has just come promises.
    pub(super) fn believes(&mut self) -> bool {
        let believes = self.disbelieved == 0;
        self.disbelieved = self.disbelieved.saturating_sub(1);
        believes
    }
}

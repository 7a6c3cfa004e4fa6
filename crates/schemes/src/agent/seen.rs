//! Which MPDUs of a peer this MAC has accepted, so that a repeated one is known.

use std::slice;

use ackless_dot11::frame::{MacSeq, Mpdu, Tid};

/// The last 128 sequence numbers of each TID that a peer sends with. The MAC's own duplicate detection comes after the scheme was asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen(Vec<(Option<Tid>, Recent)>);

#[derive(Clone, Copy, Debug)]
struct Recent {
    newest: MacSeq,
    /// Bit `n`: the number `n` before the newest.
    bits: u128,
}

impl Seen {
    /// Whether this MPDU was accepted before.
    pub(super) fn has(&self, mpdu: &Mpdu) -> bool {
        // What was never sent before never came before.
        mpdu.retry && self.0.iter().any(|(tid, recent)| *tid == mpdu.tid() && recent.has(mpdu.seq))
    }

    /// It is accepted.
    pub(super) fn add(&mut self, mpdu: &Mpdu) {
        self.add_all(slice::from_ref(mpdu));
    }

    /// These are accepted, one behind another.
    pub(super) fn add_all(&mut self, mpdus: &[Mpdu]) {
        let mut rest = mpdus;
        while let Some(first) = rest.first() {
            let tid = first.tid();
            let place = self.0.iter().position(|(of, _)| *of == tid).unwrap_or_else(|| {
                self.0.push((tid, Recent { newest: first.seq, bits: 1 }));
                self.0.len() - 1
            });
            let recent = &mut self.0[place].1;
            let alike = rest.iter().take_while(|mpdu| mpdu.tid() == tid);
            let added = alike.map(|mpdu| recent.add(mpdu.seq)).count();
            rest = &rest[added..];
        }
    }
}

impl Recent {
    fn has(&self, seq: MacSeq) -> bool {
        let back = u32::from(self.newest.offset_from(seq));
        back < u128::BITS && self.bits >> back & 1 == 1
    }

    #[inline]
    fn add(&mut self, seq: MacSeq) {
        if seq == self.newest.plus(1) {
            // As nearly all come.
            (self.newest, self.bits) = (seq, self.bits << 1 | 1);
            return;
        }
        if seq.before(self.newest) {
            let back = u32::from(self.newest.offset_from(seq));
            if back < u128::BITS {
                self.bits |= 1 << back;
            }
            return;
        }
        let on = u32::from(seq.offset_from(self.newest));
        self.bits = self.bits.checked_shl(on).unwrap_or(0) | 1;
        self.newest = seq;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_known_across_the_wrap_and_not_for_ever() {
        let seq = MacSeq::new;
        let mut recent = Recent { newest: seq(4094), bits: 1 };
        for n in [4095, 1, 0, 3] {
            recent.add(seq(n));
        }
        for (n, known) in [(4094, true), (4095, true), (0, true), (1, true), (2, false), (3, true), (4, false)] {
            assert_eq!(recent.has(seq(n)), known, "{n}");
        }
        recent.add(seq(3 + 128));
        assert!(!recent.has(seq(3)) && !recent.has(seq(4)) && recent.has(seq(131)));
    }
}

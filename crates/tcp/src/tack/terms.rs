//! beta and L, on which both ends agree.

use ackless_wire::tcp::{TackOptions, TackTerms};

use crate::ack::AckChoice;

/// Equation 4's beta and L as they are in force on a connection: the one that sends data computes f with them, the one that receives it waits for L segments.
///
/// Each end tells on its SYN what it wants where that is not 4 and 2, the paper's defaults; of both wishes the one counts that makes reports more frequent. So both ends
/// know both values, whoever has which configuration. A peer that says nothing wants the defaults, and one that does not know of the field goes by its own
/// configuration, as it would in any case. Ours: the paper has both configured alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Terms {
    /// TACKs for each least round trip. Range: 1 to 65,535.
    pub(crate) beta: u32,
    /// Full-sized segments for each TACK. Range: 1 to 65,535.
    pub(crate) every: u32,
}

impl Terms {
    /// Of an end that wants nothing else (paper, IV-C).
    pub(crate) const DEFAULT: Self = Self { beta: 4, every: 2 };

    /// Those of an end with this policy: its own, where it is TACK's.
    pub(crate) fn of(ack: AckChoice) -> Self {
        match ack {
            AckChoice::Tack { beta, every } => {
                Self { beta: beta.clamp(1, u16::MAX.into()), every: every.clamp(1, u16::MAX.into()) }
            }
            _ => Self::DEFAULT,
        }
    }

    /// What is in force where the peer's SYN says `theirs`.
    pub(crate) fn agree(self, theirs: &TackOptions) -> Self {
        let theirs = theirs.terms().map_or(Self::DEFAULT, |terms| Self {
            beta: u32::from(terms.beta).max(1),
            every: u32::from(terms.every).max(1),
        });
        Self { beta: self.beta.max(theirs.beta), every: self.every.min(theirs.every) }
    }

    /// What of it a SYN says.
    pub(crate) fn told(self) -> Option<TackTerms> {
        (self != Self::DEFAULT).then_some(TackTerms { beta: self.beta as u16, every: self.every as u16 })
    }

    /// A policy with these terms, where it is TACK's.
    pub(crate) const fn bind(self, ack: AckChoice) -> AckChoice {
        match ack {
            AckChoice::Tack { .. } => AckChoice::Tack { beta: self.beta, every: self.every },
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(terms: Terms) -> TackOptions {
        let mut options = TackOptions { permitted: true, ..TackOptions::default() };
        options.set_terms(terms.told());
        options
    }

    #[test]
    fn both_ends_come_to_the_same_terms_whatever_either_wants() {
        let wishes = [(4, 2), (2, 2), (8, 1), (4, 16), (1, 1_000), (1_000, 65_535), (0, 0), (u32::MAX, u32::MAX)];
        for (beta, every) in wishes {
            for (their_beta, their_every) in wishes {
                let ours = Terms::of(AckChoice::Tack { beta, every });
                let theirs = Terms::of(AckChoice::Tack { beta: their_beta, every: their_every });
                let agreed = ours.agree(&heard(theirs));
                assert_eq!(agreed, theirs.agree(&heard(ours)), "{ours:?} and {theirs:?}");
                assert!(agreed.beta >= ours.beta && agreed.every <= ours.every, "nobody hears less than it wants");
            }
        }
    }

    #[test]
    fn the_defaults_are_not_told_and_whoever_says_nothing_wants_them() {
        assert_eq!(Terms::DEFAULT.told(), None);
        assert_eq!(Terms::of(AckChoice::PerPacket), Terms::DEFAULT);
        let rare = Terms { beta: 2, every: 16 };
        assert_eq!(rare.told(), Some(TackTerms { beta: 2, every: 16 }));
        let silent = TackOptions { permitted: true, ..TackOptions::default() };
        assert_eq!(rare.agree(&silent), Terms::DEFAULT);
        let zero = heard(Terms { beta: 0, every: 0 });
        assert_eq!(rare.agree(&zero), Terms { beta: 2, every: 1 }, "zero counts as one");
    }
}

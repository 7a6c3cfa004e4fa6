//! How long what is missing may be just late, where the path reorders by more than RTTmin/4. Ours; the paper's is in [`super`].

use ackless_wire::Duration;

/// What reordering has been seen, less what has been forgotten.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Patience {
    /// How long a gap waits at least.
    span: Duration,
    /// Gaps given up since a mistake.
    losses: u32,
}

impl Patience {
    /// How long a gap waits at least.
    pub(crate) const fn span(&self) -> Duration {
        self.span
    }

    /// What had been given up came `late` after the packets above it.
    pub(crate) fn on_mistake(&mut self, late: Duration) {
        self.losses = 0;
        self.span = self.span.max((late + late / 4).min(LONGEST));
    }

    /// A gap has been given up.
    pub(crate) fn on_loss(&mut self) {
        self.losses += 1;
        if self.losses == FORGETS {
            (self.losses, self.span) = (0, self.span / 2);
        }
    }
}

/// What is later than this is lost for the stream that waits for it.
const LONGEST: Duration = Duration::from_millis(100);
/// So many losses without a mistake halve the time.
const FORGETS: u32 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_lengthens_it_and_many_losses_without_one_shorten_it() {
        let mut patience = Patience::default();
        let ms = Duration::from_millis;
        assert_eq!(patience.span(), ms(0));
        patience.on_mistake(ms(8));
        patience.on_mistake(ms(4));
        assert_eq!(patience.span(), ms(10));
        (0..63).for_each(|_| patience.on_loss());
        patience.on_mistake(ms(4));
        (0..63).for_each(|_| patience.on_loss());
        assert_eq!(patience.span(), ms(10));
        patience.on_loss();
        assert_eq!(patience.span(), ms(5));
        patience.on_mistake(ms(400));
        assert_eq!(patience.span(), ms(100));
    }
}

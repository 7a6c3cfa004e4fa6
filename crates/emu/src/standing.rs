//! Whether packets can cross a device, as the kernel's answers to reading and writing say, and for
//! how long they could not.

use ackless_wire::{Duration, Instant};
use nix::libc;

/// Whether packets can cross a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Standing {
    /// They can.
    #[default]
    Up,
    /// The device is down: packets for it are lost, and none come from it, until somebody sets it
    /// up again.
    Down,
    /// It was deleted, or an interface was moved to another namespace; it does not come back.
    Gone,
}

impl Standing {
    /// What an error of a packet socket (packet(7)) or of a TUN device says, if it is about this.
    pub(crate) fn of_error(error: i32) -> Option<Self> {
        match error {
            // A packet socket says so when its interface goes down, and also when it is deleted; a
            // TUN device when it is written to.
            libc::ENETDOWN | libc::EIO => Some(Self::Down),
            // A packet socket without its interface, and a TUN device without its network device.
            libc::ENXIO | libc::ENODEV | libc::EBADFD => Some(Self::Gone),
            _ => None,
        }
    }
}

/// How a device has stood so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record {
    standing: Standing,
    /// What the kernel's last answer said that is not booked yet.
    hint: Option<Standing>,
    /// Since when it has stood so.
    since: Instant,
    /// How long it was down before.
    down: Duration,
}

impl Record {
    pub(crate) fn standing(&self) -> Standing {
        self.standing
    }

    pub(crate) fn hint(&self) -> Option<Standing> {
        self.hint
    }

    /// The kernel's answer to reading or writing says this.
    #[inline]
    pub(crate) fn heed(&mut self, says: Standing) {
        if says != self.standing {
            self.hint = Some(says);
        }
    }

    /// From now on it stands like this. A device that is gone stays gone.
    pub(crate) fn book(&mut self, standing: Standing, now: Instant) {
        self.hint = None;
        if standing != self.standing && self.standing != Standing::Gone {
            self.down = self.down(now);
            (self.standing, self.since) = (standing, now);
        }
    }

    /// How long it was down until now, in all.
    pub(crate) fn down(&self, now: Instant) -> Duration {
        let lasting = if self.standing == Standing::Down { now.saturating_since(self.since) } else { Duration::ZERO };
        self.down + lasting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_down_is_counted_once_and_ends_when_the_device_is_up_or_gone() {
        let mut record = Record::default();
        let at = Instant::from_secs;
        record.heed(Standing::Up);
        assert_eq!(record.hint(), None, "it is up already");
        for (standing, now, down) in [
            (Standing::Down, 1, 0),
            (Standing::Down, 2, 1),
            (Standing::Up, 3, 2),
            (Standing::Down, 5, 2),
            (Standing::Gone, 9, 6),
            (Standing::Up, 10, 6),
        ] {
            record.heed(standing);
            record.book(standing, at(now));
            assert_eq!(record.down(at(now)), Duration::from_secs(down), "{standing:?} at {now} s");
        }
        assert_eq!((record.standing(), record.hint()), (Standing::Gone, None));
    }
}

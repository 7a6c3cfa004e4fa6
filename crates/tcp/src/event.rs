//! What an endpoint tells its application.

/// Something that the application may want to react to. None repeats before it has been taken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Event {
    /// The connection is established.
    Connected,
    /// There is something to read. Only where the application reads ([`crate::Consume::ByApplication`]).
    Readable,
    /// There is room again after a write that was not accepted whole.
    Writable,
    /// All that was written is acknowledged.
    Drained,
    /// The peer sends no more; all that it sent is here.
    PeerClosed,
    /// Nobody waits at the peer's port: a RST answered our SYN.
    Refused,
    /// The peer reset the connection.
    Reset,
    /// Gave up after too many unanswered retransmissions or probes.
    TimedOut,
    /// The connection is over; always the last event. [`Endpoint::close_reason`](crate::Endpoint::close_reason) says why.
    Closed,
}

/// Why a connection is over.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CloseReason {
    /// Both ends closed, and all that they had to say was acknowledged.
    Finished,
    /// The application closed it before anybody had called or answered, with nothing written.
    Cancelled,
    /// The application aborted it.
    Aborted,
    /// Nobody waits at the peer's port: a RST answered our SYN.
    Refused,
    /// The peer reset it. Where both ends had closed already there is no [`Event::Reset`], and in TIME-WAIT a reset only
    /// ends the wait: the connection is [`Finished`](Self::Finished).
    Reset,
    /// No SYN of ours was answered, [`Config::syn_retries`](crate::Config::syn_retries) repeated ones included.
    NoAnswer,
    /// What was sent was not acknowledged, after [`Config::retries`](crate::Config::retries) repetitions.
    NoAcknowledgement,
    /// The peer closed its window and answered none of [`Config::retries`](crate::Config::retries) probes.
    NoWindow,
}

/// Events not yet taken. They come out in the order of [`Event::ALL`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EventSet(u16);

impl Event {
    /// All events.
    pub const ALL: [Self; 9] = [
        Self::Connected,
        Self::Readable,
        Self::Writable,
        Self::Drained,
        Self::PeerClosed,
        Self::Refused,
        Self::Reset,
        Self::TimedOut,
        Self::Closed,
    ];
}

impl CloseReason {
    /// The event that tells of it besides [`Event::Closed`].
    pub const fn event(self) -> Option<Event> {
        match self {
            Self::Finished | Self::Cancelled | Self::Aborted => None,
            Self::Refused => Some(Event::Refused),
            Self::Reset => Some(Event::Reset),
            Self::NoAnswer | Self::NoAcknowledgement | Self::NoWindow => Some(Event::TimedOut),
        }
    }
}

impl EventSet {
    pub(crate) const fn add(&mut self, event: Event) {
        self.0 |= 1 << event as u8;
    }

    pub(crate) fn take(&mut self) -> Option<Event> {
        if self.0 == 0 {
            return None;
        }
        let first = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Event::ALL.get(first as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_once_each_and_closed_last() {
        let mut set = EventSet::default();
        for event in [Event::Closed, Event::Readable, Event::Connected, Event::Readable] {
            set.add(event);
        }
        let taken: Vec<_> = std::iter::from_fn(|| set.take()).collect();
        assert_eq!(taken, [Event::Connected, Event::Readable, Event::Closed]);
    }

    #[test]
    fn each_event_has_its_own_place() {
        for event in Event::ALL {
            let mut set = EventSet::default();
            set.add(event);
            assert_eq!((set.take(), set.take()), (Some(event), None));
        }
    }
}

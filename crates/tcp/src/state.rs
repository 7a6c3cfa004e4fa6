//! The states of a connection, and the one table of the ways between them (RFC 9293, 3.3.2, figure 5).

/// The state of a connection (RFC 9293, 3.3.2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum State {
    /// No connection: not yet, or no more.
    Closed,
    /// Waiting for a SYN.
    Listen,
    /// Our SYN is out, none has come.
    SynSent,
    /// Both SYNs are out, ours is not acknowledged.
    SynReceived,
    /// Data flows.
    Established,
    /// We closed; our FIN is not acknowledged.
    FinWait1,
    /// We closed, and our FIN is acknowledged; the peer still sends.
    FinWait2,
    /// The peer closed; we may still send.
    CloseWait,
    /// Both closed at once; our FIN is not acknowledged.
    Closing,
    /// The peer closed, then we; our FIN is not acknowledged.
    LastAck,
    /// Both FINs are acknowledged; the peer may not know it yet.
    TimeWait,
}

/// What takes a connection from one state to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trigger {
    /// The application waits for a peer.
    PassiveOpen,
    /// The application calls a peer.
    ActiveOpen,
    /// A SYN came without an acknowledgement of ours.
    Syn,
    /// A SYN came that acknowledges ours.
    SynAck,
    /// Our SYN is acknowledged.
    AckOfSyn,
    /// The application has no more to send.
    Close,
    /// The peer's FIN came, and all before it.
    Fin,
    /// Our FIN is acknowledged.
    AckOfFin,
    /// Twice the maximum segment lifetime has passed.
    TimeWaitOver,
    /// A RST came for a connection that was waiting for a peer a moment ago.
    ResetToListen,
    /// A RST came, the application aborted, or we gave up.
    Abort,
}

impl State {
    /// All states.
    pub const ALL: [Self; 11] = [
        Self::Closed,
        Self::Listen,
        Self::SynSent,
        Self::SynReceived,
        Self::Established,
        Self::FinWait1,
        Self::FinWait2,
        Self::CloseWait,
        Self::Closing,
        Self::LastAck,
        Self::TimeWait,
    ];

    /// The state that follows, or nothing if the trigger cannot come in this state.
    ///
    /// RFC 9293 also lets CLOSE lead from SYN-RECEIVED to FIN-WAIT-1. Here a close before ESTABLISHED is kept until
    /// then (3.10.4 allows it), so a state from FIN-WAIT-1 on implies that our SYN is acknowledged.
    pub const fn after(self, trigger: Trigger) -> Option<Self> {
        let next = match (self, trigger) {
            (Self::Closed, Trigger::PassiveOpen) => Self::Listen,
            (Self::Closed, Trigger::ActiveOpen) => Self::SynSent,
            (Self::Listen, Trigger::Syn) => Self::SynReceived,
            (Self::SynSent, Trigger::Syn) => Self::SynReceived,
            (Self::SynSent, Trigger::SynAck) => Self::Established,
            (Self::SynReceived, Trigger::AckOfSyn) => Self::Established,
            (Self::SynReceived, Trigger::ResetToListen) => Self::Listen,
            (Self::Established, Trigger::Close) => Self::FinWait1,
            (Self::Established, Trigger::Fin) => Self::CloseWait,
            (Self::FinWait1, Trigger::AckOfFin) => Self::FinWait2,
            (Self::FinWait1, Trigger::Fin) => Self::Closing,
            (Self::FinWait2, Trigger::Fin) => Self::TimeWait,
            (Self::Closing, Trigger::AckOfFin) => Self::TimeWait,
            (Self::CloseWait, Trigger::Close) => Self::LastAck,
            (Self::LastAck, Trigger::AckOfFin) => Self::Closed,
            (Self::TimeWait, Trigger::TimeWaitOver) => Self::Closed,
            (Self::Closed, Trigger::Abort) => return None,
            (_, Trigger::Abort) => Self::Closed,
            _ => return None,
        };
        Some(next)
    }

    /// Whether both SYNs have been exchanged and ours is acknowledged.
    pub const fn is_synchronized(self) -> bool {
        !matches!(self, Self::Closed | Self::Listen | Self::SynSent | Self::SynReceived)
    }

    /// Whether the peer may still send data to us.
    pub const fn may_receive(self) -> bool {
        matches!(self, Self::Established | Self::FinWait1 | Self::FinWait2)
    }

    /// Whether something of ours, data or FIN, may be unsent or unacknowledged.
    pub const fn may_transmit(self) -> bool {
        matches!(self, Self::Established | Self::CloseWait | Self::FinWait1 | Self::Closing | Self::LastAck)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use State::*;

    #[test]
    fn these_are_all_the_ways_between_states() {
        use Trigger::{
            AckOfFin, AckOfSyn, ActiveOpen, Close, Fin, PassiveOpen, ResetToListen, Syn, SynAck, TimeWaitOver,
        };
        let ways = [
            (Closed, PassiveOpen, Listen),
            (Closed, ActiveOpen, SynSent),
            (Listen, Syn, SynReceived),
            (SynSent, Syn, SynReceived),
            (SynSent, SynAck, Established),
            (SynReceived, AckOfSyn, Established),
            (SynReceived, ResetToListen, Listen),
            (Established, Close, FinWait1),
            (Established, Fin, CloseWait),
            (FinWait1, Fin, Closing),
            (FinWait1, AckOfFin, FinWait2),
            (FinWait2, Fin, TimeWait),
            (CloseWait, Close, LastAck),
            (Closing, AckOfFin, TimeWait),
            (LastAck, AckOfFin, Closed),
            (TimeWait, TimeWaitOver, Closed),
        ];
        let triggers =
            [PassiveOpen, ActiveOpen, Syn, SynAck, AckOfSyn, Close, Fin, AckOfFin, TimeWaitOver, ResetToListen];
        let mut found = Vec::new();
        for state in State::ALL {
            for trigger in triggers {
                found.extend(state.after(trigger).map(|next| (state, trigger, next)));
            }
        }
        assert_eq!(found, ways);
    }

    #[test]
    fn every_open_state_can_be_aborted() {
        for state in State::ALL {
            let expected = (state != Closed).then_some(Closed);
            assert_eq!(state.after(Trigger::Abort), expected, "{state:?}");
        }
    }
}

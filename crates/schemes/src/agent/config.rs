//! What a user may choose of the TCP ACK agent.

use ackless_wire::Duration;

/// How the agent behaves. AP and stations are configured alike: the AP must know which of the two solutions its stations have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentConfig {
    /// How a station makes sure that what its MAC acknowledged reaches its TCP.
    pub solution: Solution,
    /// How often at least the AP sees a native ACK of a flow whose others are swallowed, which the paper has not. It tells the server the client's clock, tells an AP
    /// that has forgotten the flow of it, and ends what a made ACK that got lost has stalled. Greater than zero.
    pub refresh: Duration,
    /// What keeps the AP from acknowledging more than a station has room for. Without bearing on the second solution, whose flag speaks for nothing that the TCP has not taken.
    pub room: Room,
}

impl AgentConfig {
    /// An agent with this solution, which refuses what it has no room for, and a native ACK of each flow every second.
    pub const fn of(solution: Solution) -> Self {
        Self { solution, refresh: Duration::from_secs(1), room: Room::Refuse }
    }
}

/// How the first solution minds the room at the station.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Room {
    /// As the paper has it: a full buffer gives no MAC ACK, so that the AP tries again and at last gives the frame up.
    Refuse,
    /// Ours: beside that, the AP acknowledges no byte beyond the right edge of the window that the client's TCP has offered (RFC 9293, 3.8.6), and tells what is left of that window;
    /// the station lets an ACK through whenever that edge has moved on by a quarter of the widest window from what the AP is known to have: of the ACKs that one A-MPDU draws at once, the
    /// first past a quarter and each later one, since the AP has none of them yet.
    Promise,
}

/// The paper's two answers to what gets lost between a station's MAC and its TCP (III.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Solution {
    /// The MAC keeps each data frame until its TCP has acknowledged it.
    Buffer {
        /// Frames that it keeps for each peer; where so many wait, a further one is refused, and no
        /// MAC ACK goes out, but for what a TCP lacks first: up to two for each flow. At least 1.
        /// The paper has no number.
        packets: u16,
        /// After how long without a TCP ACK it hands a frame up again; doubled each time. The paper has no number. Greater than zero, and above the
        /// delayed ACK's timer with twice the station's host latency: else its TCP sees frames twice that it was about to acknowledge.
        again: Duration,
    },
    /// The MAC ACK says whether the TCP ACK came down in time.
    Flag {
        /// How much longer than SIFS a station waits before it answers ("differentiated SIFS"); its peers know. SIFS and this must be longer than
        /// twice its host latency, or the flag is never set. The AP itself answers after SIFS.
        extra_sifs: Duration,
    },
}

impl Default for AgentConfig {
    /// The first solution, which the paper prefers.
    fn default() -> Self {
        Self::of(Solution::Buffer { packets: 128, again: Duration::from_millis(200) })
    }
}

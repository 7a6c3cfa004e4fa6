//! What a user may choose of the TCP ACK agent.

use ackless_wire::Duration;

/// How the agent behaves. AP and stations are configured alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentConfig {
    /// How a station makes sure that what its MAC acknowledged reaches its TCP.
    pub solution: Solution,
}

/// The paper's two answers to what gets lost between a station's MAC and its TCP (III.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Solution {
    /// The MAC keeps each data frame until its TCP has acknowledged it.
    Buffer {
        /// Frames that it keeps for each peer; where so many wait, a further one is refused, and no MAC ACK goes out. At least 1. The paper has no number.
        packets: u16,
        /// After how long without a TCP ACK it hands a frame up again. The paper has no number. Greater than zero, and above the delayed ACK's
        /// timer.
        again: Duration,
    },
    /// The MAC ACK says whether the TCP ACK came down in time.
    Flag {
        /// How much longer than SIFS the station waits before it answers ("differentiated SIFS"); its peers know.
        extra_sifs: Duration,
    },
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self { solution: Solution::Buffer { packets: 128, again: Duration::from_millis(200) } }
    }
}

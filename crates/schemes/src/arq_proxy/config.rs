//! What a user may choose of the ARQ proxy.

use ackless_wire::Duration;

/// How the proxy behaves. All nodes are configured alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArqProxyConfig {
    /// How a data packet is named without a word between the two sides.
    pub identification: Identification,
    /// How long an ACK is kept for a request; at least the TCP sender's timeout (section 2).
    pub lifetime: Duration,
    /// Whether ACKs are made from the data packet alone, as in the paper, and not with the window and timestamp that the client last sent.
    pub stateless: bool,
}

/// The paper's two identifications of a packet (section 2, figure 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Identification {
    /// The sequence number of its frame, with receiver and TID. The newest replaces.
    FrameSequence,
    /// A hash of its headers. A collision refuses the second.
    Hash,
}

impl Default for ArqProxyConfig {
    fn default() -> Self {
        Self { identification: Identification::FrameSequence, lifetime: Duration::from_secs(1), stateless: false }
    }
}

//! What a user may choose of FastACK.

use ackless_wire::Duration;

/// How FastACK behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FastAckConfig {
    /// Packets of a flow that are kept for repair. At least 1; beyond it nothing is acknowledged early.
    pub cache_packets: u32,
    /// What was acknowledged early is sent again after this time without progress at the client. It doubles each time, up to 60 s, and begins anew
    /// with progress. Greater than zero; longer than a client may delay its ACKs, or much is sent in vain.
    pub repair_after: Duration,
}

impl Default for FastAckConfig {
    /// 4096 packets hold the 6 MB of a large receive window; 200 ms is the retransmission timeout of deployed stacks at least.
    fn default() -> Self {
        Self { cache_packets: 4096, repair_after: Duration::from_millis(200) }
    }
}

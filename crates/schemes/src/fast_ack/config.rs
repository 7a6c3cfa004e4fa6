//! What a user may choose of FastACK.

/// How FastACK behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FastAckConfig {
    /// Packets of a flow that are kept for repair. At least 1; beyond it nothing is acknowledged early.
    pub cache_packets: u32,
}

impl Default for FastAckConfig {
    fn default() -> Self {
        Self { cache_packets: 4096 }
    }
}

//! Why bytes are no code, and why codes are not decoded.

/// Why bytes are no code, whatever the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The bytes end within a code, or before one.
    #[error("the bytes end within a code")]
    Truncated,
    /// A code begins with a byte that begins none.
    #[error("no code begins with {0:#04x}")]
    Reserved(u8),
    /// A field has a value that no compressor writes: it says nothing, is longer than needed, or names what is not
    /// there.
    #[error("a field of a code has a value that is never written")]
    Field,
}

/// Why a run, or the rest of one, is not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The context has no reference.
    #[error("the context has no reference")]
    NoReference,
    /// The run does not begin with the expected code, nor with one that was decoded since the reference was installed.
    #[error("a run begins with MSN {first}, the next new one is {expected}, and {behind} lie behind it")]
    Gap {
        /// The MSN of the run's first code.
        first: u16,
        /// The MSN of the next new code.
        expected: u16,
        /// How many codes before the expected one may come again.
        behind: u16,
    },
    /// The checksum of this code does not fit the header that it leads to.
    #[error("the checksum of the code with MSN {0} is wrong")]
    Checksum(u16),
    /// The TCP checksum that came with this code does not fit the header that it leads to. The compressor takes no such ACK, so it was damaged on the way.
    #[error("the TCP checksum that came with MSN {0} does not fit its header")]
    TcpChecksum(u16),
    /// A code leads to no header from the one before: it moves timestamps that are not there, names a SACK block or
    /// a field of the other IP version, or gives more options than a header has room for. Or a packet of the RFC makes no sense behind the one before.
    #[error("a code leads to no header from the one before")]
    Impossible,
    /// A code is none.
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

//! The ways to say an ACK behind an answer.

/// How an ACK is said behind an answer. Both ends of a hop have agreed on the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// In a [`Code`](super::Code) of ours.
    Own {
        /// Whether two bytes behind each code carry the TCP checksum. Else the decompressing end computes it, and so makes whatever came out of the codes look right.
        checksum: bool,
    },
    /// In a compressed packet of RFC 6846, which always carries the TCP checksum.
    Rfc6846,
}

impl Codec {
    /// How many bytes the context identifier and the MSN in front of a run take.
    pub const RUN_HEADER: usize = 2;

    /// How many bytes a further run costs beside its own: what tells where the one before it ends.
    pub const fn separator(self) -> usize {
        match self {
            Self::Own { .. } => 1,
            Self::Rfc6846 => 3,
        }
    }

    /// How many bytes follow each of our codes.
    pub(super) const fn behind_code(self) -> usize {
        match self {
            Self::Own { checksum: true } => CHECKSUM,
            Self::Own { checksum: false } | Self::Rfc6846 => 0,
        }
    }
}

impl Default for Codec {
    fn default() -> Self {
        Self::Own { checksum: false }
    }
}

/// The bytes of a TCP checksum.
pub(super) const CHECKSUM: usize = 2;

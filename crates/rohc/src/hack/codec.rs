//! The ways to say an ACK behind an answer.

/// How an ACK is said behind an answer. Both ends of a hop have agreed on the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// In a [`Code`](super::Code) of ours.
    Own {
        /// Whether two bytes behind each code carry the TCP checksum. Else the decompressing end computes it, and so makes whatever came out of the codes look right.
        checksum: bool,
        /// Whether the MSN in front of a run has 16 bits. The paper's 8 (3.4) are for A-MPDUs of 64 packets, which is what they can carry without A-MSDUs.
        wide: bool,
    },
    /// In a compressed packet of RFC 6846, which always carries the TCP checksum.
    Rfc6846,
}

impl Codec {
    /// How many bytes the context identifier and the MSN in front of a run take.
    pub const fn run_header(self) -> usize {
        if self.is_wide() { 3 } else { 2 }
    }

    /// The greatest MSN; the next one is 0.
    pub const fn max_msn(self) -> u16 {
        if self.is_wide() { u16::MAX } else { 0xff }
    }

    /// The most codes of a context that can be outstanding, and so be in a run: fewer than half the MSNs, and no more than one answer has room for.
    pub const fn max_outstanding(self) -> u16 {
        if self.is_wide() { (MAX_APPENDED - 3) as u16 } else { 127 }
    }

    /// Whether MSNs have 16 bits in front of a run.
    pub(super) const fn is_wide(self) -> bool {
        matches!(self, Self::Own { wide: true, .. })
    }

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
            Self::Own { checksum: true, .. } => CHECKSUM,
            Self::Own { checksum: false, .. } | Self::Rfc6846 => 0,
        }
    }
}

impl Default for Codec {
    fn default() -> Self {
        Self::Own { checksum: false, wide: false }
    }
}

/// The bytes of a TCP checksum.
pub(super) const CHECKSUM: usize = 2;

/// The most bytes behind an answer: [`Frame::MAX_LEN`](super::Frame::MAX_LEN).
pub(super) const MAX_APPENDED: usize = 4095 - 32;

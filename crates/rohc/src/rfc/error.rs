//! Why ROHC packets and feedback are refused.

/// Why a packet or feedback could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It ends before its last field.
    #[error("the packet ends before its last field")]
    Truncated,
    /// A field has a value that it cannot have.
    #[error("a field has a value that it cannot have")]
    Malformed,
    /// Of a kind that is not known here: IR-CR, a segment, a tunnel, another protocol than TCP.
    #[error("a kind of packet that is not supported")]
    Unsupported,
    /// Of another profile.
    #[error("of profile {0}, not of the TCP profile 6")]
    Profile(u8),
    /// The context identifier is greater than agreed upon.
    #[error("context identifier {0} is greater than agreed upon")]
    Cid(u16),
    /// There is no such context.
    #[error("there is no context {0}")]
    NoContext(u16),
    /// The context is in doubt, and the packet's checksum too short to mend it.
    #[error("context {0} is in doubt, and the packet's checksum too short to mend it")]
    InDoubt(u16),
    /// What was rebuilt does not fit the checksum.
    #[error("in context {0} the header does not fit its checksum")]
    Crc(u16),
    /// Read by its context the packet ends too early, or has a field that cannot be: it is damaged, or the context is behind.
    #[error("in context {0} the packet makes no sense")]
    Senseless(u16),
    /// The checksum of the feedback is wrong.
    #[error("the feedback's checksum is wrong")]
    FeedbackCrc,
    /// Something follows the header, so this is not a pure ACK.
    #[error("something follows the header")]
    Payload,
    /// This is feedback, for the compressor of the other direction.
    #[error("feedback, which is for the compressor of the other direction")]
    Feedback,
}

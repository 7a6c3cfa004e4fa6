//! What a user may choose of 802.11 ACK filtering.

/// How packets are kept from being answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FilterConfig {
    /// As what they go.
    pub form: Form,
    /// Which packets.
    pub filtered: Filtered,
}

/// What makes a frame one that no link-layer ACK answers (section IV).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A group address in the place of the receiver's, which the other side turns back: what the paper measured.
    Group,
    /// A management frame of subtype Action No Ack: the paper's other form.
    ActionNoAck,
    /// QoS Data with the ack policy No Ack (802.11e): today's equivalent.
    NoAck,
}

/// Which packets are filtered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filtered {
    /// Pure TCP ACKs.
    Acks,
    /// Pure TCP ACKs and TCP data, which the paper's section V warns of on lossy links.
    AcksAndData,
}

impl Default for FilterConfig {
    fn default() -> Self {
        Self { form: Form::Group, filtered: Filtered::Acks }
    }
}

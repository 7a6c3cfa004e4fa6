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
    /// A group address in the place of the receiver's, which the other side turns back: what the paper measured (section V).
    ///
    /// From an AP (or relay) to its stations, over links with four addresses, and in ad hoc cells. Not from a station to its AP: such frames
    /// bear the AP's own address as receiver, and the group only as destination, so that the AP acknowledges them (802.11-2020, 9.3.2.1 and 10.3.2.11).
    Group,
    /// A management frame of subtype Action No Ack: the paper's other form. On all links.
    ActionNoAck,
    /// QoS Data under the ack policy No Ack (802.11e): today's equivalent. On all links with QoS, legacy receivers included.
    NoAck,
}

/// Which packets are filtered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filtered {
    /// Pure TCP ACKs.
    Acks,
    /// Pure TCP ACKs and TCP data, of which the paper says that it is useful "only in wireless link conditions with no or very few package drops" (section V).
    AcksAndData,
}

impl Default for FilterConfig {
    /// The paper's experiment.
    fn default() -> Self {
        Self { form: Form::Group, filtered: Filtered::Acks }
    }
}

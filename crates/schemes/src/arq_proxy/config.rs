//! What a user may choose of the ARQ proxy.

use ackless_wire::Duration;

use crate::guard::Guard;

/// How the proxy and its clients behave. All nodes are configured alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArqProxyConfig {
    /// How a data packet is named without a word between the two sides.
    pub identification: Identification,
    /// How long an ACK is kept for a request, from the first transmission of its data packet; at least the TCP sender's timeout (section 2).
    /// A client asks within the first half, counted from when the packet came. Default: 1 s. Greater than zero.
    pub lifetime: Duration,
    /// Whether ACKs are made from the data packet alone, as in the paper, and not with the window, timestamp and sequence number that the client
    /// last sent. Such an ACK has no timestamps and a window of 65,535. Default: no.
    pub stateless: bool,
    /// When the client's own ACK joins its queue, where it contends for the medium. Default: the paper's race.
    pub policy: Policy,
    /// Under [`Policy::MoreData`], and with [`Guard::Auto`] under the race too, whose client takes the gaps from the promises: how much must remain in the queue for the client for the AP to promise it, in percent of the packets that the
    /// PPDU carries; at least one packet. As [`HackConfig::announce_percent`](crate::hack::HackConfig::announce_percent), and for its reason. Default: 0. From 0 to 100.
    pub announce_percent: u32,
    /// How long a withdrawn ACK is kept for want of a sign that the answer with its request has arrived; it then goes natively after all. Ours:
    /// the paper's client cancels it for good. Default: [`Guard::Auto`], for which the AP sets More Data while it has more for the client.
    pub guard: Guard,
}

/// The paper's two identifications of a packet (section 2, figure 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Identification {
    /// The sequence number of its frame, with receiver and TID. The newest replaces.
    FrameSequence,
    /// A hash of its headers. A collision refuses the second.
    Hash,
}

/// What a client does with its own ACK while the request for it waits for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// It goes into the queue at once, and "whichever comes first to the physical layer" cancels the other (section 2).
    Race,
    /// Ours, after TCP/HACK, 3.2: the AP sets More Data while it has more for the client, and until that has come the client keeps its ACK, at
    /// most for [`ArqProxyConfig::guard`]. What is not asked for in an answer to data without More Data joins the queue then.
    MoreData,
}

impl Default for ArqProxyConfig {
    fn default() -> Self {
        Self {
            identification: Identification::FrameSequence,
            lifetime: Duration::from_secs(1),
            stateless: false,
            policy: Policy::Race,
            announce_percent: 0,
            guard: Guard::Auto,
        }
    }
}

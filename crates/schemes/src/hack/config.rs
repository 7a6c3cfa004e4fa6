//! What a user may choose of HACK.

use ackless_rohc::hack::Codec;
use ackless_wire::Duration;

use crate::guard::Guard;

/// How HACK behaves on one node. AP and stations are configured alike: the scheme is symmetric (paper, 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HackConfig {
    /// When a TCP ACK waits for a link-layer answer, and when it goes natively.
    pub policy: Policy,
    /// How much must remain in the queue for a peer for this node to set the MORE DATA bit, in percent of the packets that
    /// the PPDU carries; at least one packet. The paper asks for no more than that (3.3.1). But a window of little more than
    /// one A-MPDU leaves a tail of a packet or two, for which a whole burst of ACKs waits, while what they would release could
    /// join it. Default: 0, the paper's. From 0 to 100.
    pub announce_percent: u32,
    /// Where the MORE DATA bit may be set at all. Default: [`Announce::Always`], the paper's.
    pub announce: Announce,
    /// Whether ACKs are held by a node that has data of its own to send. Default: true, the paper's.
    pub hold_beside_data: bool,
    /// ACKs are held only while at most this many peers send data to this node; `None`: any number, the paper's and the
    /// default. Counted over the last 32 data PPDUs.
    pub hold_senders: Option<u16>,
    /// Which promises of the peer are not believed. Default: all are, as in the paper.
    pub tails: Tails,
    /// Whether ACKs that went into the queue natively are taken back where an answer leaves before they do, and go on it as codes. The paper's driver leaves
    /// them there (3.3.1), but for its opportunistic policy, which always takes them back. Default: false, the paper's.
    pub take_back: bool,
    /// With [`Self::take_back`]: only while at most this many peers send data to this node, counted as for
    /// [`Self::hold_senders`]; `None`, the default: any number.
    pub take_back_senders: Option<u16>,
    /// How long an ACK may be held while nothing comes from the peer. The paper has no such timer: its MORE DATA bit
    /// promises a PPDU that may never come (lost for good, dropped from the queue, the peer gone). Also where something
    /// comes, no ACK is held longer than twice this without the peer being known to have it. Default: [`Guard::Auto`].
    ///
    /// What it sends natively may have arrived with an answer that was not confirmed yet; the peer's TCP then sees that
    /// one ACK twice (counted as `rescued`). The other end cannot tell it from a duplicate ACK, which TCP needs: where a
    /// host leaves the IP identification at 0 (RFC 6864), both are the same bytes.
    pub guard: Guard,
    /// From the driver's buffer descriptor until the NIC can send what it describes (paper, 3.3.1: "succeeded in conveying compressed TCP
    /// ACKs to the NIC"). The paper has no number, but says that SIFS is too short to make, compress and convey an ACK (3.2). Default: 20 us,
    /// somewhat longer than SIFS, so that also with a host that takes no time an ACK waits for the answer to later data.
    pub driver_to_nic: Duration,
    /// How much goes on one answer.
    pub fit: Fit,
    /// DIFS or AIFS of the cell: what [`Fit::WithinAifs`] keeps to and what `answers_within_aifs` is counted by.
    /// Default: 43 us, best effort at 5 GHz.
    pub aifs: Duration,
    /// How an ACK is said behind an answer. Default: in codes of ours, without the TCP checksum. With [`Codec::Rfc6846`] as the paper has it (3.3.2).
    pub codec: Codec,
    /// The code under a key that ends every answer, whether anything else is appended or not. Default: none, as in the paper: whoever forges an answer then forges TCP ACKs.
    pub mic: Option<Mic>,
}

/// Whether a sender of data announces more of it (paper, 3.3.1).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Announce {
    /// Wherever enough is queued, see [`HackConfig::announce_percent`]: the paper's.
    #[default]
    Always,
    /// Not after a time in which it had nothing to send, more than a tenth of 32 PPDUs: ours. Such a sender waits for
    /// ACKs, and not for the medium.
    WhileBusy,
}

/// When the MORE DATA bit of the peer is as good as none, by what followed it the last time. Such a promise is a bad one where a tail of a packet or two is all that is left
/// of a window, see [`HackConfig::announce_percent`] for what the sender of data can do about it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tails {
    /// A promised PPDU of less than so many percent of the MPDUs of the one before it is a tail. 0: none is. From 0 to 100.
    pub percent: u32,
    /// After a tail so many promises are not believed, until one is tried again.
    pub bursts: u16,
}

/// A message integrity code. Both ends of a hop must have the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mic {
    /// How long it is.
    pub len: MicLen,
    /// The key of the cell. In a true one it would come with the pairwise keys of the peer (802.11-2020, 12.7.1.3), new with each association; here the
    /// addresses of the two ends, which are covered too, tell one pair's codes from another's.
    pub key: [u8; 16],
}

/// The length of a [`Mic`]: a forger who guesses gets through once in 2^32 or 2^64 attempts. At 2,000 answers a second, as many as a busy cell has,
/// that is once in 25 days, or in 300 million years.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MicLen {
    /// 4 bytes.
    Four,
    /// 8 bytes, as CCMP has (802.11-2020, 12.5.3.2).
    Eight,
}

impl MicLen {
    /// In bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }
}

/// When a TCP ACK is held for a link-layer answer (paper, 3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// While the peer's last data PPDU had the MORE DATA bit set.
    MoreData,
    /// Never: each ACK is queued natively, and taken back and compressed if a data PPDU comes before it is sent.
    Opportunistic,
    /// Always, and natively after this time. Greater than zero.
    ExplicitTimer(Duration),
}

/// How much is appended to one answer (paper, footnote 7).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fit {
    /// All that is ready.
    Whole,
    /// What lengthens the answer by no more than DIFS or AIFS, so that a hidden terminal still waits when it ends; the
    /// rest goes on later ones.
    WithinAifs,
}

impl HackConfig {
    /// Whether it matters what data this node has to send, and who sends data to it.
    #[inline]
    pub(super) const fn watches_data(&self) -> bool {
        matches!(self.announce, Announce::WhileBusy)
            || !self.hold_beside_data
            || self.hold_senders.is_some()
            || self.take_back_senders.is_some()
    }
}

impl Default for HackConfig {
    fn default() -> Self {
        Self {
            policy: Policy::MoreData,
            announce_percent: 0,
            announce: Announce::Always,
            hold_beside_data: true,
            hold_senders: None,
            tails: Tails::default(),
            take_back: false,
            take_back_senders: None,
            guard: Guard::Auto,
            driver_to_nic: Duration::from_micros(20),
            fit: Fit::Whole,
            aifs: Duration::from_micros(43),
            codec: Codec::default(),
            mic: None,
        }
    }
}

//! The keys of the schemes. A section of one has no bearing on the others, so that a file may set several and rows
//! choose between them.

use ackless_schemes::agent::Room;
use ackless_schemes::arq_proxy::{Identification, Policy};
use ackless_schemes::filter::{Filtered, Form};
use ackless_schemes::hack::Announce;
use ackless_wire::{BitRate, Duration};

use crate::schema::section;
use crate::value::{Auto, Cure, Fitting, HackCodec, HackPolicy, Remedy, ThinningKind};

section! {
    /// What is done with TCP ACKs on the Wi-Fi hop. Rows of a comparison set it.
    struct Scheme as "scheme" {
        /// At the AP and at every station that is not legacy: nothing, or one of the schemes, each of which has its own
        /// section.
        name: Cure = "\"stock\"",
    }
}

section! {
    /// HACK: TCP ACKs compressed into link-layer ACKs. Without bearing on the other schemes.
    struct Hack as "hack" {
        /// What a TCP ACK waits for (section 3.2 of the paper): data announced by the More Data bit, whichever of data
        /// and its own frame comes first, or a timer.
        policy: HackPolicy = "\"more-data\"",
        /// How much must remain for the More Data bit to be set, in percent of the packets that the PPDU carries; at least one
        /// packet, which is all that the paper asks for.
        announce_percent: u32 = "0",
        /// Where the More Data bit may be set: always, as in the paper, or while-busy, which is ours: not after a node had
        /// nothing to send for more than a tenth of its last 32 PPDUs. Such a node waits for ACKs, not for the medium.
        announce: Announce = "\"always\"",
        /// Whether ACKs are held by a node that has data of its own to send. True is the paper's; with false they go
        /// natively, in the accesses that this data needs anyway.
        hold_beside_data: bool = "true",
        /// ACKs are held only while at most this many peers send data to the node; 0, the paper's: any number. Counted over
        /// its last 32 data PPDUs.
        hold_senders: u32 = "0",
        /// Where a PPDU that the More Data bit announced has less than so many percent of the MPDUs of the one before it, ACKs do not wait for what the next few announce.
        /// 0, the paper's: they always wait.
        tail_percent: u32 = "0",
        /// For how many announcements that is so, until one is believed again.
        tail_bursts: u32 = "8",
        /// Whether ACKs that went into the queue natively are taken back where a link-layer ACK leaves before they do, and go on it. The policy opportunistic
        /// does so anyway; the others, in the paper, leave them there.
        take_back: bool = "false",
        /// With take_back: ACKs are taken back only while at most this many peers send data to the node; 0: any number.
        take_back_senders: u32 = "0",
        /// How long an ACK waits for data under the policy timer.
        timer: Duration = "\"10ms\"",
        /// How long data that the More Data bit announced may fail to come; auto follows the gaps between the peer's PPDUs,
        /// within the flow's round trip.
        guard: Auto<Duration> = "\"auto\"",
        /// From the driver to the NIC: how long a compressed ACK is not yet ready to be appended.
        driver_to_nic: Duration = "\"20us\"",
        /// Compressed ACKs that do not fit within AIFS (footnote 7): whole on one answer, or split over several.
        fit: Fitting = "\"whole\"",
        /// How a compressed ACK is said: in a code of our own, or as a packet of the ROHC TCP profile, RFC 6846, as in the paper (section 3.3.2).
        codec: HackCodec = "\"own\"",
        /// Whether the TCP checksum goes with each compressed ACK, two bytes, and what comes out must fit it; else the other end computes it. The packets of codec
        /// rfc6846 carry it, whatever this says.
        checksum: bool = "false",
        /// Bits of the sequence number in front of the compressed ACKs of a flow: 8, the paper's for A-MPDUs of 64 packets (section 3.4), of which 127 ACKs of a flow can be on
        /// the way, or 16, a byte more on each answer, for 4,060. What is too much goes natively, and takes what is held with it. A-MSDUs bring so many at once. Codec rfc6846 has 8.
        msn_bits: u32 = "8",
        /// A code under a key at the end of every answer, so that nobody forges TCP ACKs: 0 (none), 4 or 8 bytes, and 2 more for a count against replay.
        mic: u32 = "0",
    }
}

section! {
    /// The TCP ACK agent: the AP acknowledges on a client's behalf when the MAC ACK has come. Without bearing on the other
    /// schemes.
    struct Agent as "agent" {
        /// What makes sure that data gets from a station's MAC to its TCP (section III.1 of the paper): the MAC's buffer, or
        /// a flag in the MAC ACK.
        solution: Remedy = "\"buffer\"",
        /// Frames that the buffer keeps for each peer; where it is full, further data is refused, and gets no MAC ACK. The
        /// paper has no number.
        buffer_packets: u32 = "128",
        /// What keeps the AP from acknowledging more than a station has room for (solution buffer): refuse, as the paper has it, gives no MAC ACK where the buffer is full; promise is ours:
        /// beside that, the AP acknowledges nothing beyond the window that the station's TCP has offered, and the station lets ACKs through from a quarter of it on until the AP has one.
        room: Room = "\"refuse\"",
        /// After how long without a TCP ACK the buffer hands a frame up again, doubled each time; longer than transport.ack_timeout
        /// with twice stations.host_latency. The paper has no number.
        again: Duration = "\"200ms\"",
        /// How much longer than SIFS a station waits for its TCP before it answers (solution flag); its peers know. SIFS and
        /// this must be longer than twice stations.host_latency, or the flag is never set.
        extra_sifs: Duration = "\"0us\"",
        /// How often at least a native ACK of each flow goes to the AP. The paper has none: it costs an access each time, and tells
        /// an AP that has forgotten the flow.
        refresh: Duration = "\"1s\"",
    }
}

section! {
    /// 802.11 ACK filtering: TCP ACKs go in frames that no link-layer ACK answers. Without bearing on the other schemes.
    struct Filter as "filter" {
        /// As what they go: group-addressed, as management frames of subtype Action No Ack, or as QoS data under No Ack
        /// (802.11e), which needs QoS. The sender of group-addressed frames is the AP, or any node of an ad hoc cell or of a
        /// bridged link.
        form: Form = "\"group\"",
        /// Which packets: TCP ACKs, or TCP data too, of which the paper warns on lossy links.
        filtered: Filtered = "\"acks\"",
    }
}

section! {
    /// The ARQ proxy: a request in the link-layer ACK releases a TCP ACK that the AP has made beforehand. Without bearing on
    /// the other schemes.
    struct ArqProxy as "arq_proxy" {
        /// What names a data packet on both sides: the sequence number of its frame, or a hash of its headers.
        identification: Identification = "\"frame-sequence\"",
        /// How long an ACK is kept for a request; at least the TCP sender's timeout (section 2 of the paper), so at least
        /// transport.rto_min.
        lifetime: Duration = "\"1s\"",
        /// Whether ACKs are made from the data packet alone, as in the paper, without the window and the timestamp that the
        /// client last sent.
        stateless: bool = "false",
        /// When the client's own TCP ACK joins its queue: at once, where request and ACK race, as in the paper; or, ours, not while the AP's More
        /// Data bit says that another answer will take the request, at most for the guard.
        policy: Policy = "\"race\"",
        /// How much must remain for the More Data bit to be set, in percent of the packets that the PPDU carries; at least one
        /// packet.
        announce_percent: u32 = "0",
        /// After how long a TCP ACK that a request has replaced goes natively after all, where nothing shows that the
        /// answer with the request has arrived; auto as for hack.guard. Ours: in the paper it is gone for good.
        guard: Auto<Duration> = "\"auto\"",
    }
}

section! {
    /// ACK thinning as it ships today, at every sender of TCP ACKs: of those that wait, only the newest go. Without bearing on
    /// the other schemes.
    struct Thinning as "thinning" {
        /// By whose rules: CAKE's ack-filter, its aggressive form, a driver that replaces a queued ACK by a newer one
        /// (Broadcom), one that holds ACKs and sends one of a few (Broadcom's other mode), or one that holds the more the
        /// faster the flow is (Samsung).
        kind: ThinningKind = "\"cake\"",
        /// Of how many ACKs one is sent (kind hold).
        hold_ratio: u32 = "3",
        /// How long an ACK is held at most (kind hold).
        hold_at_most: Duration = "\"10ms\"",
        /// From which rates of a flow on ACKs are held (kind count-and-time), three steps that rise.
        steps_from: Vec<BitRate> = "[\"1Mbps\", \"20Mbps\", \"100Mbps\"]",
        /// Of how many ACKs each step sends one.
        steps_count: Vec<u32> = "[10, 16, 20]",
        /// How long each step holds an ACK at most.
        steps_at_most: Vec<Duration> = "[\"4ms\", \"4ms\", \"4ms\"]",
        /// How many ACKs of a connection go before any is held, and after each with SACK blocks (kind count-and-time).
        slow_start_acks: u32 = "512",
    }
}

section! {
    /// FastACK: the AP acknowledges on a client's behalf when the 802.11 ACK has come, and repairs from a cache. Without
    /// bearing on the other schemes.
    struct FastAck as "fast_ack" {
        /// Packets of a flow that are kept for repair; beyond them nothing is acknowledged early.
        cache_packets: u32 = "4096",
        /// Time without news from the client after which what was acknowledged early is sent again; doubled each time.
        repair_after: Duration = "\"200ms\"",
    }
}

//! What each kind of row is, where it comes from, what it needs and what it is known to break.

use ackless_cell::config::SchemeChoice;
use ackless_schemes::agent::{AgentConfig, Room, Solution};
use ackless_schemes::hack::{Announce, Codec};
use ackless_schemes::thinning::Kind;

/// What people should know of a kind of row before they believe its figures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct About {
    /// How it works.
    pub what: &'static str,
    /// The paper with its section, the standard, or the product.
    pub source: &'static str,
    /// What must be there for it to have an effect.
    pub needs: &'static str,
    /// What it is known to break, or to cost.
    pub breaks: &'static str,
    /// The keys that bear on it: `section.key`, or a whole `section`.
    pub keys: &'static [&'static str],
    /// Its counters that matter most, by their names in JSON; empty where it has none.
    pub counters: &'static [&'static str],
}

impl About {
    /// What `scheme` is; `None` where it does nothing.
    pub fn of(scheme: &SchemeChoice) -> Option<&'static Self> {
        match scheme {
            SchemeChoice::Hack(hack) if hack.codec == Codec::Rfc6846 => Some(&HACK_ROHC),
            SchemeChoice::Hack(hack) if hack.announce == Announce::WhileBusy => Some(&HACK_WIFI),
            SchemeChoice::Hack(_) => Some(&HACK),
            SchemeChoice::Agent(AgentConfig { room: Room::Promise, solution: Solution::Buffer { .. }, .. }) => {
                Some(&AGENT_PROMISE)
            }
            SchemeChoice::Agent(_) => Some(&AGENT),
            SchemeChoice::Filter(_) => Some(&ACK_FILTER),
            SchemeChoice::ArqProxy(_) => Some(&ARQ_PROXY),
            SchemeChoice::Thinning(thinning) => Some(match thinning.kind {
                Kind::CakeConservative | Kind::CakeAggressive => &CAKE,
                Kind::Replace => &BROADCOM,
                Kind::Hold { .. } => &BROADCOM_HOLD,
                Kind::CountAndTime { .. } => &SAMSUNG,
            }),
            SchemeChoice::FastAck(_) => Some(&FAST_ACK),
            _ => None,
        }
    }
}

pub(super) const AS_WRITTEN: About = About {
    what: "Every key as the scenario sets it, scheme.name too.",
    source: "the scenario",
    needs: "nothing",
    breaks: "nothing",
    keys: &["scheme.name"],
    counters: &[],
};

pub(super) const UDP_BOUND: About = About {
    what: "Each TCP flow becomes a UDP flow the same way that offers the same, at the same rate and times: what the cell \
           could carry if nothing had to be acknowledged above the link layer. Lost datagrams are not sent again.",
    source: "the usual upper bound, as in figure 1 of the TCP/HACK paper",
    needs: "nothing",
    breaks: "fairness: such flows yield to nobody",
    keys: &["transport.udp_payload"],
    counters: &[],
};

pub(super) const ACK_SHARE: About = About {
    what: "The receiver acknowledges four times in a round trip, at least every 50 ms, and for no fewer than 2 nor more than 256 segments; at once above a hole.",
    source: "Firefox's QUIC (neqo, ackrate.rs), whose sender asks for it by the frame of draft-ietf-quic-ack-frequency; here the receiver decides, by its own rate and round trip",
    needs: "the receiver's TCP",
    breaks: "a sender that is clocked by ACKs and not paced: its bursts grow with what an ACK stands for",
    keys: &["transport.ack", "transport.ack_share", "transport.ack_timeout"],
    counters: &[],
};

pub(super) const ACK_REQUEST: About = About {
    what: "The sender asks, by a TCP option on its data, for an ACK for a quarter of its window, from 2 to 126 segments, and for 2 in slow start; the receiver does as it is asked, \
           after transport.ack_timeout at the latest, and at once above a hole. Both ends say on their SYNs that they can; with one that cannot, ACKs are delayed ones, for two segments.",
    source: "draft-ietf-tcpm-ack-rate-request (TARR): kind 254, identifier 0x00AC; how much to ask for is left to the sender there",
    needs: "both ends' TCP, and a path that lets an experimental option pass",
    breaks: "a sender that is clocked by ACKs and not paced: its bursts grow with what an ACK stands for; a window that shrinks below what was asked for waits for the receiver's timer",
    keys: &["transport.ack", "transport.ack_share", "transport.ack_timeout"],
    counters: &[],
};

pub(super) const STACK: About = About {
    what: "The scheme of the scenario under another congestion control and ACK policy.",
    source: "CUBIC: RFC 9438; RACK-TLP: RFC 8985; BBR version 1: draft-cardwell-iccrg-bbr-congestion-control-00, Cardwell and others: BBR (ACM \
             Queue 2016), with Linux's compensation of Wi-Fi aggregation; BBR version 3: draft-ietf-ccwg-bbr-06, its ECN as in Linux's version 3",
    needs: "nothing",
    breaks: "BBR version 1: fairness to flows that yield to loss, in small buffers; version 3: throughput where more than 2 % is lost at random; both: with few ACKs, their samples \
             of rate and round trip",
    keys: &["transport.congestion", "transport.ack", "transport.ack_timeout", "transport.recovery", "transport.tack"],
    counters: &[],
};

pub(super) const LINUX: About = About {
    what: "transport.preset = linux: hosts acknowledge by Linux's rules, merge what the MAC hands up at once before TCP sees it (GRO), and send with \
           CUBIC, HyStart, RACK-TLP and PRR in bursts (TSO) over TCP Small Queues, undo mistaken reductions and tune their buffers. Any other row rides on it with --set transport.preset=linux.",
    source: "Linux 6.12: net/ipv4/tcp_input.c, tcp_output.c, tcp_timer.c, tcp_cubic.c, tcp_offload.c, net/core/gro.c",
    needs: "nothing",
    breaks: "where ten clients upload at once, TCP Small Queues shrink A-MPDUs: 83 Mbps in the place of 97 on 802.11n, 394 and not 474 on ac",
    keys: &[
        "transport.ack",
        "transport.sack_compression",
        "transport.congestion",
        "transport.recovery",
        "transport.sack",
        "transport.pacing",
        "transport.rto_min",
        "transport.send_buffer",
        "transport.receive_buffer",
        "transport.receive_tuning",
        "transport.send_tuning",
        "transport.prr",
        "transport.slow_start",
        "transport.eifel",
        "transport.frto",
        "transport.dsack",
        "transport.nagle",
        "transport.rto",
        "transport.rack",
        "transport.cubic",
        "transport.growth",
        "stations.gro",
        "stations.tsq",
        "stations.tso",
        "server.gro",
        "server.tsq",
        "server.tso",
    ],
    counters: &[],
};

pub(super) const TACK: About = About {
    what: "TCP-TACK: the receiver acknowledges by equation 4, min(bw / (L MSS), beta / RTTmin) times a second, in segments that \
           carry what the sender needs for recovery, timing and rate control; an IACK tells at once of losses.",
    source: "Li and others: Revisiting Acknowledgment Mechanism for Transport Control (IEEE/ACM Transactions on Networking 2021)",
    needs: "TACK at both ends of a flow, timestamps, and middleboxes that let its options pass; else the flow is plain TCP",
    breaks: "what looks into TCP ACKs on their way: TACKs and IACKs have a body, and schemes take them for data or leave them \
             alone",
    keys: &["transport.tack", "transport.congestion", "transport.ack", "transport.ack_l", "transport.ack_beta", "tack"],
    counters: &[],
};

pub(super) const TACK_WIFI: About = About {
    what: "TACK as one would give it to people: the paper's mechanisms with the policies of [tack] that stand beside the paper's own and are better where Wi-Fi \
           aggregates, round trips change and radios vanish. docs/tack-wifi.md has each of them alone.",
    source: "TACK (IEEE/ACM ToN 2021) for the mechanisms; the policies are this project's",
    needs: "what tack needs, and for tack.batch a host that tells its TCP which segments came together",
    breaks: "what tack breaks; and of a buffer shorter than a 32nd of the path it takes nearly all beside CUBIC; and five stations that upload on 802.11g take three quarters beside five of CUBIC (docs/tack-wifi.md)",
    keys: &["transport.tack", "transport.congestion", "transport.ack", "transport.ack_l", "transport.ack_beta", "tack"],
    counters: &[],
};

pub(super) const ACK_POLICY: About = About {
    what: "The TCP receiver acknowledges every so many full-sized segments, and at the latest when its timer ends. 1 is \
           delayed ACKs off, 2 the standard, more is what TACK and QUIC's ACK frequency aim at.",
    source: "RFC 9293, 3.8.6.3; RFC 5681, 4.2 (at least every second segment)",
    needs: "nothing: only the receiver's TCP",
    breaks: "above 2: slow start and loss recovery, which count ACKs, and RTT samples; RFC 5681 forbids it",
    keys: &["transport.ack", "transport.ack_timeout"],
    counters: &[],
};

pub(super) const HACK: About = About {
    what: "The station compresses TCP ACKs and appends them to the link-layer ACKs that it sends anyway; the AP \
           decompresses them and sends them on.",
    source: "TCP/HACK (USENIX ATC 2014), sections 3.1 to 3.4; policies: section 3.2",
    needs: "HACK at both ends of the hop; data towards the sender of ACKs, on whose answers they ride",
    breaks: "longer answers, which hidden nodes may not expect (footnote 7); with the timer, ACKs that arrive in bursts. Where \
             a window is little more than an A-MPDU, a tail of two packets holds the ACKs of all before it: 7 % less than plain TCP with \
             two clients and 64 KiB on 802.11n (hack.announce_percent=10 avoids that and gains nothing there either; at the client hack.tail_percent=25 \
             with hack.take_back=true loses 1 % there and gains 2 % with one client). Uploads need no accesses of the AP any more and take from \
             downloads beside them what saturating UDP would; ten at once gain nothing on 802.11n and ac. With A-MSDUs the \
             paper's 8 bits of sequence number tell too few ACKs of a flow apart, and most go natively: hack.msn_bits=16. Security: link-layer ACKs lie \
             outside of CCMP and of protected management frames, so whoever forges an answer forges TCP ACKs, for data that was on the \
             air and not received; hack.mic puts a code under a key on them, for 6 or 10 bytes an answer. \
             A wrong ACK that passed makes the server forget data that the client lacks. Once the \
             client's own ACKs have stayed below it for 3 s, the AP resets the connection at both ends",
    keys: &["scheme.name", "hack"],
    counters: &["native_acks", "compressed_acks", "crc_failures", "forged", "contradicted"],
};

pub(super) const HACK_WIFI: About = About {
    what: "As hack, with four rules of ours about where holding pays. A node that had nothing to send for a tenth of its \
           last PPDUs announces nothing for a while: it waits for ACKs, and not for the medium. A node with data of its own to \
           send holds no ACKs, and neither does one to which more than four peers send data. Where only one peer does, ACKs \
           that are still queued when a link-layer ACK leaves go on it. Sequence numbers have 16 bits, for A-MSDUs.",
    breaks: "as hack, but not where windows are short, where many upload, nor where uploads meet downloads; there it does about \
             what plain TCP does. A sender that is at first short of data, as in slow start, may announce none for up to four \
             seconds after. Security: as hack",
    counters: &["native_acks", "compressed_acks", "more_data_idle", "not_worth_holding"],
    ..HACK
};

pub(super) const HACK_ROHC: About = About {
    what: "HACK, with the compressed TCP ACKs as packets of the ROHC TCP profile instead of codes of our own: each in terms of the \
           one before, TCP checksum and CRC included; one byte of context identifier and one of sequence number in front of each \
           answer's run. A native ACK stands for the profile's IR packet, and nothing is fed back.",
    source: "TCP/HACK (USENIX ATC 2014), section 3.3.2 (ROHC, CIDs from a hash, no IR packets) and 3.4 (8 bits of MSN on the first); \
             RFC 6846. The paper says neither where identifier and MSN stand nor how packets are told apart",
    breaks: "as hack, with longer answers: 4 bytes for each ACK without timestamps, 6 with timestamps that both moved, and up to \
             10 where one stayed, against one or two. The paper's 4.36 bytes for ACKs of 52, thus with timestamps, are less than the \
             profile's least. An ACK whose IPv6 flow label changed goes natively. hack.checksum says nothing here: each packet has it. \
             Security: as hack; hack.mic works here too",
    counters: &["native_acks", "compressed_acks", "crc_failures", "checksum_failures", "contradicted"],
    ..HACK
};

pub(super) const AGENT: About = About {
    what: "When the MAC ACK of a TCP data frame has come, the AP acknowledges to the server on the client's behalf, and the \
           client's MAC swallows its own TCP ACK. So that nothing is lost between the client's MAC and its TCP, the MAC keeps \
           each frame until TCP has acknowledged it, or says by a flag in the MAC ACK that TCP has. What the agent cannot know \
           goes natively: duplicate ACKs and SACK, window updates, SYN, FIN, RST, ACKs on data; and one ACK of each flow in \
           agent.refresh.",
    source: "Pang, Liew, Leung: TCP ACK Agent and Auto-Zoom Backoff, section III.1; auto-zoom: section III.2",
    needs: "an AP or relay with downloads, and the agent there and at the stations; for the flag a host that answers within \
            SIFS and agent.extra_sifs (see stations.host_latency), and an application that reads as fast as the air brings; \
            wifi.amsdu_max=off",
    breaks: "end-to-end meaning: with the buffer the server is told before the client's TCP has the data; the MAC keeps it until the \
             TCP does (stations.host_loss, flows.read_rate), and where the TCP never takes it, both ends are reset. Where every MAC ACK of \
             a frame is lost until the AP gives it up, the client has it and swallowed its TCP ACK, and the server waits for its \
             timeout; so it does where the AP has forgotten the flow. Security: MAC ACKs and the flag in them are authenticated by \
             nothing, not by CCMP or protected management frames: whoever forges one has the AP acknowledge to the server what the \
             client never got. Without the scheme that costs a retransmission, with it the connection: \
             once the client's own ACKs have stayed below that for 30 s though it has room (3 s with \
             the flag), the AP resets both ends",
    keys: &["scheme.name", "agent", "wifi.backoff", "wifi.cw_floor", "ap.backoff"],
    counters: &["made", "swallowed", "flag_on", "above_hole", "contradicted"],
};

pub(super) const AGENT_PROMISE: About = About {
    breaks: "as agent, but that the AP acknowledges no byte beyond the right edge of the window that the client's TCP has offered, and tells what \
             is left of that window: fewer accesses where applications read slowly, from 2 % gained to 2 % lost, where windows are about two A-MPDUs or \
             less and are read at once, since an ACK goes natively once the edge has moved on by a quarter, and so does each later one until the AP has it. \
             A station that has seen no SYN of a connection, or has forgotten it after a minute's silence, swallows none of its ACKs; an AP that \
             has seen none minds no edge. Where the ACK that moves the edge is lost, the server waits for the next. Security: as agent",
    ..AGENT
};

pub(super) const AUTO_ZOOM: About = About {
    what: "Each success at or below CWmin makes the contention window smaller by one, down to its floor; a collision below \
           CWmin doubles it, at least to CWmin; a success above CWmin leads back to CWmin.",
    source: "Pang, Liew, Leung: TCP ACK Agent and Auto-Zoom Backoff, section III.2",
    needs: "nothing: each node that is not legacy moves its own window",
    breaks: "fairness to legacy stations, whose window stays at CWmin or above; the standard does not allow it",
    keys: &["wifi.backoff", "wifi.cw_floor", "wifi.cw_min", "ap.backoff"],
    counters: &[],
};

pub(super) const SMALL_WINDOW: About = About {
    what: "The AP draws from two values instead of from CWmin's, under standard back-off; the stations stay as they are.",
    source: "Pang, Liew, Leung: TCP ACK Agent and Auto-Zoom Backoff, section III.3, figures 5 and 6 (\"CWmin = 2\")",
    needs: "an AP",
    breaks: "fairness to stations: the AP wins nearly every contention, and collides with those that it does not win",
    keys: &["ap.cw_min", "ap.cw_max", "ap.backoff"],
    counters: &[],
};

pub(super) const ACK_FILTER: About = About {
    what: "TCP ACKs leave in frames that no link-layer ACK answers, and that are not repeated: the next cumulative ACK makes \
           up for a lost one. SYN, FIN and RST are answered as ever.",
    source: "Statkus, Paulikas: Improving TCP Performance in IEEE 802.11 Networks, section IV; No Ack: IEEE 802.11-2020, \
             9.2.4.5.4; Action No Ack: 9.3.3.14",
    needs: "support at both ends; for group: an AP that sends ACKs (uploads), a bridged link, a relay or an ad hoc cell; for \
            no-ack: QoS",
    breaks: "ACKs that collide or fade are lost, and with the last one of a transfer the server waits for its timeout. None of \
             these frames shares an A-MPDU, which costs 802.11n and ac far more than the answers that are saved; group-addressed \
             ones go at wifi.group_rate, which may take longer than a fast frame with its answer. Filtered data is lost to TCP \
             with every error on the air",
    keys: &["scheme.name", "filter", "wifi.group_rate"],
    counters: &["filtered_acks", "filtered_data", "turned_back", "answered_to_ap"],
};

pub(super) const ARQ_PROXY: About = About {
    what: "For every TCP data packet that it sends, the AP makes the ACK in advance. When the client's TCP has acknowledged, \
           its MAC asks for that ACK by a key in the reserved values of the Duration field of its next link-layer ACK, and \
           takes its own TCP ACK back from the queue, if that has not reached the air first. With policy more-data, ours, the AP \
           sets More Data while it has more for the client, and the client's own ACK stays out of the queue meanwhile.",
    source: "Kliazovich, Ben Halima, Granelli: Cross-Layer Error Recovery Optimization in WiFi Networks, section 2; more-data: \
             after TCP/HACK, section 3.2",
    needs: "TCP data from an AP, a relay at the last hop or a node of an ad hoc cell, whose answers carry the requests; the \
            proxy at both ends; wifi.amsdu_max=off",
    breaks: "its gain, where a host takes longer than SIFS but has its ACK in the queue before the AP's next frame: that ACK reaches the \
             air first, as the paper has it. Of 18 to 20 % on 802.11a, n and ac with hosts that take up to 10 us each way, 0.7 to 7.4 are \
             left from 20 to 50 us, 12 to 17 at 100 us, and 19 to 26 are there from 200 us on (stations.host_latency); with ten \
             clients, whose next frame is another's, at most 3 wherever a host takes longer than SIFS. Under more-data it is 16 to 25 % throughout, but 7 to 13 ± 5 from 20 to 50 us on 802.11n, where \
             the ACKs of loss recovery go natively for their SACK blocks, and less than plain TCP where two clients' windows are 64 KiB and \
             their hosts take 50 us (arq_proxy.announce_percent=10 avoids that and gains nothing there either). One key for each answer: under BlockAck only the newest \
             cumulative ACK is asked for, and in such steps a window grows more slowly on long paths: -15 % on 802.11n over 100 ms with 20 ms \
             of jitter. With stateless: the client's window, which made ACKs do not know, and \
             connections with timestamps whose server drops a segment without (RFC 7323, 3.2: SHOULD; Linux and FreeBSD take it, and \
             then it gains as arq does): with transport.missing_timestamp=drop it loses 22 to 26 % on 802.11a, n and ac, and up to 84 with a guard of 100 ms. Security: \
             link-layer ACKs lie outside of CCMP and of protected management frames: whoever forges one, with a key in it, has the proxy \
             release the ACK of a packet that the client never got. Once the client's own ACKs have \
             stayed below that for 3 s, the AP resets the connection at both ends; with stateless it \
             cannot tell, and both ends repeat themselves until one gives up",
    keys: &["scheme.name", "arq_proxy"],
    counters: &["requested", "released", "cancelled", "rescued", "contradicted"],
};

pub(super) const CAKE: About = About {
    what: "In the queue of whoever sends ACKs, a newer pure ACK of a flow displaces older ones that say nothing more. The \
           conservative form drops the oldest when two are superfluous, the aggressive form also a single one.",
    source: "Linux, sch_cake: ack-filter and ack-filter-aggressive",
    needs: "a queue in which ACKs wait; it makes none wait",
    breaks: "ACK clocking: the sender sees fewer, larger steps, and grows its window more slowly in slow start",
    keys: &["scheme.name", "thinning.kind"],
    counters: &["dropped", "kept_for_sack", "kept_duplicate"],
};

pub(super) const BROADCOM: About = About {
    what: "A newer pure ACK of a flow takes the place of the one that waits in the driver's queue.",
    source: "Broadcom's drivers: TCP ACK suppression, TCPACK_SUP_REPLACE",
    needs: "a queue in which ACKs wait; it makes none wait",
    breaks: "ACK clocking: the sender sees fewer, larger steps, and grows its window more slowly in slow start; an \
             ACK is dropped whatever its options say, so what this driver cannot read, as MPTCP's DATA_ACK, goes with it",
    keys: &["scheme.name", "thinning.kind"],
    counters: &["replaced", "passed_duplicate", "lost_in_queue"],
};

pub(super) const BROADCOM_HOLD: About = About {
    what: "ACKs are held back, and one of a few is sent, or the last one when the timer ends.",
    source: "Broadcom's drivers: TCP ACK suppression, TCPACK_SUP_HOLD",
    needs: "nothing",
    breaks: "RTT, by the time held; slow start, as under few ACKs; duplicate ACKs are merged, so that fast retransmit comes late; an \
             ACK is dropped whatever its options say, so what this driver cannot read, as MPTCP's DATA_ACK, goes with it",
    keys: &["scheme.name", "thinning.kind", "thinning.hold_ratio", "thinning.hold_at_most"],
    counters: &["held", "suppressed", "sent_by_timer"],
};

pub(super) const SAMSUNG: About = About {
    what: "ACKs of a fast flow are counted and only one of so many is sent, or the last one when the timer ends: the faster the \
           flow, the more are held back.",
    source: "Samsung's Wi-Fi drivers: TCP ACK suppression by count and time",
    needs: "flows above the first step's rate, after their first thinning.slow_start_acks ACKs",
    breaks: "RTT, by the time held; a flow whose window is smaller than what is held back waits for the timer each time; an \
             ACK is dropped whatever its options say, so what this driver cannot read, as MPTCP's DATA_ACK, goes with it",
    keys: &[
        "scheme.name",
        "thinning.kind",
        "thinning.steps_from",
        "thinning.steps_count",
        "thinning.steps_at_most",
        "thinning.slow_start_acks",
    ],
    counters: &["held", "suppressed", "sent_by_timer"],
};

pub(super) const FAST_ACK: About = About {
    what: "When the 802.11 ACK of a TCP data frame has come, the AP acknowledges to the server, keeps the packet, and drops \
           the client's own ACKs; where the client turns out to miss something, the AP sends it again from its cache.",
    source: "Bhartia and others: Measurement-based, Practical Techniques to Improve 802.11ac Performance (IMC 2017); US patent \
             10,299,167",
    needs: "an AP with downloads; nothing at the stations, whose ACKs stay on the air",
    breaks: "end-to-end meaning: what is acknowledged is repaired from the AP's cache until the client has it, or both ends are reset; \
             but it is lost with the AP that starts anew, or when the client roams. It saves no air time, only waiting; the server's RTT \
             ends at the AP. Security: 802.11 ACKs are authenticated by nothing, not by CCMP or protected management frames: whoever \
             forges one has the AP acknowledge what the client never got, until the AP repairs it",
    keys: &["scheme.name", "fast_ack"],
    counters: &["made", "suppressed", "repaired", "abandoned"],
};

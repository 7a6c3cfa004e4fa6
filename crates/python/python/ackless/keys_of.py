"""A type for the dict of each section of a scenario, and ``Sections`` for all of them: what ``ackless.Scenario`` takes.

Every key has a default. Quantities are text that bears its unit. Written by ``tools/keys`` from the keys themselves.
"""

from __future__ import annotations

from typing import Literal, TypedDict


class Run(TypedDict, total=False):
    """The keys of ``[run]``."""

    title: str
    """One line that says what the scenario is about. Default: ''. Allowed: a text in quotes."""
    warm_up: str
    """Time that passes before anything is counted. Default: '2s'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    measured: str
    """Time that is measured after the warm-up. Default: '5s'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    seeds: int
    """How many seeds a comparison or a sweep runs, counted from 1. Default: 5. Allowed: a whole number, 0 or more."""
    schemes: str | int | float | bool | list[str]
    """The rows of a comparison, unless the command names others. Default: ['udp', 'tcp-l1', 'tcp', 'tcp-l4', 'tcp-l8', 'hack-timer',
    'hack-opportunistic', 'hack']. Allowed: a list, each item a text in quotes."""


class Wifi(TypedDict, total=False):
    """The keys of ``[wifi]``."""

    standard: Literal["11b", "11a", "11g", "11n", "11ac"]
    """The amendment of IEEE 802.11. Default: '11n'. Allowed: one of '11b', '11a', '11g', '11n', '11ac'."""
    topology: Literal["infrastructure", "ad-hoc"]
    """Whether stations talk through the AP, or ad hoc with each other. Default: 'infrastructure'. Allowed: one of 'infrastructure', 'ad-hoc'."""
    band: Literal["auto", "2.4GHz", "5GHz"]
    """The band; auto is 2.4 GHz for 11b and 11g, else 5 GHz. Default: 'auto'. Allowed: 'auto' or one of '2.4GHz', '5GHz'."""
    rate: str
    """Data rate of 11b, 11a and 11g; auto is the highest, 11 or 54 Mbps. Default: 'auto'. Allowed: 'auto' or a rate with its unit, such as '150Mbps'
    (bps, kbps, Mbps, Gbps)."""
    mcs: Literal['auto'] | int
    """MCS of 11n (0 to 31, from 8 up fixing the streams) and 11ac (0 to 9); auto is 7 and 9. Default: 'auto'. Allowed: 'auto' or a whole number, 0 or
    more."""
    streams: Literal['auto'] | int
    """Spatial streams of 11n (1 to 4) and 11ac (1 to 8); auto is what an 11n MCS above 7 says, else 1. Default: 'auto'. Allowed: 'auto' or a whole
    number, 0 or more."""
    width: Literal["auto", "20MHz", "40MHz", "80MHz", "160MHz"]
    """Channel width of 11n and 11ac; auto is 40 MHz and 80 MHz. Default: 'auto'. Allowed: 'auto' or one of '20MHz', '40MHz', '80MHz', '160MHz'."""
    guard_interval: Literal["auto", "800ns", "400ns"]
    """Guard interval of 11n and 11ac; auto is 400 ns. Default: 'auto'. Allowed: 'auto' or one of '800ns', '400ns'."""
    rate_control: Literal["fixed", "ideal", "minstrel-ht"]
    """How data rates are chosen: fixed, as the keys above say; or among all up to those, as minstrel-ht of Linux 6.12 does, which learns from what is
    acknowledged; or ideal, always the fastest at which 1,500 bytes arrive with 90 % or more at the SNR of the receiver. The latter two need
    loss.model = snr or path-loss. With minstrel-ht belongs wifi.retry_limit = 30: drivers under it, such as ath9k, give an MPDU of an A-MPDU up so
    late, and with 7 it is gone before slower rates have had their turn. Default: 'fixed'. Allowed: one of 'fixed', 'ideal', 'minstrel-ht'."""
    preamble: Literal["long", "short"]
    """Preamble of 11b frames. Default: 'long'. Allowed: one of 'long', 'short'."""
    basic_rates: str
    """Rates that every node supports; auto is 1 and 2 Mbps for 11b, else 6, 12 and 24 Mbps. Default: 'auto'. Allowed: 'auto' or a list, each item a
    rate with its unit, such as '150Mbps' (bps, kbps, Mbps, Gbps)."""
    answer_rate: str
    """Rate of ACKs, BlockAcks and CTSs; auto follows the rule of IEEE 802.11-2020, 10.6.6.5. Default: 'auto'. Allowed: 'auto' or a rate with its
    unit, such as '150Mbps' (bps, kbps, Mbps, Gbps)."""
    group_rate: str
    """Rate of group-addressed frames that carry packets, as 802.11 ACK filtering sends them; auto is that of beacons, or the lowest of the PHY where
    there are none. Default: 'auto'. Allowed: 'auto' or a rate with its unit, such as '150Mbps' (bps, kbps, Mbps, Gbps)."""
    qos: Literal['auto'] | bool
    """QoS data frames under EDCA as best effort instead of DCF; auto is true for 11n and 11ac. Default: 'auto'. Allowed: 'auto' or true or false."""
    aifsn: Literal['auto'] | int
    """Slots after SIFS before back-off under EDCA; auto is 3. Default: 'auto'. Allowed: 'auto' or a whole number, 0 or more."""
    cw_min: Literal['auto'] | int
    """Smallest contention window; auto is 31 for 11b, else 15. Default: 'auto'. Allowed: 'auto' or a whole number, 0 or more."""
    cw_max: Literal['auto'] | int
    """Largest contention window; auto is 1023. Default: 'auto'. Allowed: 'auto' or a whole number, 0 or more."""
    backoff: Literal["standard", "auto-zoom"]
    """How the contention window moves, at every node but legacy stations: as the standard says, or by auto-zoom (section III.2 of the ACK agent's
    paper), which goes below cw_min after successes. Default: 'standard'. Allowed: one of 'standard', 'auto-zoom'."""
    cw_floor: int
    """Smallest contention window under auto-zoom, below cw_min. The paper counts values, this like cw_min the largest counter: the paper's minCWmin
    of 2 is 1 here. Default: 1. Allowed: a whole number, 0 or more."""
    txop_limit: str
    """How long the medium may be held under EDCA; 0us is one frame exchange. Default: '0us'. Allowed: a time with its unit, such as '5ms' (ns, us,
    ms, s)."""
    ampdu: Literal['auto'] | bool
    """A-MPDUs under BlockAck; auto is true for 11n and 11ac. Default: 'auto'. Allowed: 'auto' or true or false."""
    ampdu_max: str
    """Longest A-MPDU; auto is 65,535 bytes for 11n and 1,048,575 for 11ac. Default: 'auto'. Allowed: 'auto' or an amount of data with its unit, such
    as '64KiB' (B, kB, KiB, MB, MiB, GB, GiB)."""
    ampdu_mpdus: int
    """Most MPDUs in an A-MPDU. Default: 64. Allowed: a whole number, 0 or more."""
    block_ack_window: int
    """Buffer of a BlockAck agreement in MPDUs, from 1 to 64: an unacknowledged MPDU keeps back those so far behind it. Default: 64. Allowed: a whole
    number, 0 or more."""
    min_mpdu_spacing: str
    """Shortest time from the start of one MPDU to the next within an A-MPDU; 0us is no restriction. Default: '0us'. Allowed: a time with its unit,
    such as '5ms' (ns, us, ms, s)."""
    amsdu_max: str
    """Longest A-MSDU, its subframes' headers and padding included: an MPDU of an A-MPDU carries as many of the packets that already wait for its
    receiver as fit, which share its header, its sequence number and its fate. At most 7,935 bytes for 11n, whose MPDUs in an A-MPDU have at most
    4,095, and 11,424 for 11ac, whose MPDUs have at most 11,454. Default: 'off'. Allowed: 'off' or an amount of data with its unit, such as '64KiB'
    (B, kB, KiB, MB, MiB, GB, GiB)."""
    delivery: str
    """When a node hands up to its host what it has received: per-ppdu, at the end of each PPDU; per-mpdu, each MPDU of an A-MPDU when its last bit is
    in, as ns-3 does; coalesced(TIME), what has come within TIME of the first, all at once, as network cards that hold their interrupt back. What is
    handed up at once is a batch for GRO. In Linux ath11k and ath12k wait 500 us or for 128 entries (HAL_SRNG_INT_TIMER_THRESHOLD_RX), iwlwifi 2,048
    us (IWL_HOST_INT_TIMEOUT_DEF), and ath9k until nothing has come for 500 us, at most 2,000 us (AR_RIMT_LAST, AR_RIMT_FIRST). Default: 'per-ppdu'.
    Allowed: 'per-ppdu', 'per-mpdu' or 'coalesced(TIME)', TIME being a time with its unit, such as '5ms' (ns, us, ms, s)."""
    queue_counts: Literal["waiting", "in-flight"]
    """What counts against the limits of fifo queues: waiting, what waits in them; in-flight, also MPDUs that have been sent and have no fate yet, as
    in ns-3, where an A-MSDU is one of them. Default: 'waiting'. Allowed: one of 'waiting', 'in-flight'."""
    reception_end: Literal["busy", "idle"]
    """What a frame that is queued in the instant at which a reception ends takes the medium for: busy, so that it draws a back-off (IEEE 802.11-2020,
    10.3.4.2); idle, as ns-3 does, so that it leaves after DIFS or AIFS where no counter is pending. Default: 'busy'. Allowed: one of 'busy',
    'idle'."""
    eifs: bool
    """Whether a node waits EIFS after a PPDU that it could not make out, such as one that has collided (IEEE 802.11-2020, 10.3.2.3.7); false: DIFS or
    AIFS, as after energy alone, which is what ns-3's receivers take equally strong PPDUs for that begin at once. Default: true. Allowed: true or
    false."""
    rts_threshold: str
    """Longer frames are preceded by RTS and CTS. Default: 'never'. Allowed: 'never' or an amount of data with its unit, such as '64KiB' (B, kB, KiB,
    MB, MiB, GB, GiB)."""
    retry_limit: str | int | float | bool | list[str]
    """How many times an MPDU is sent before it is given up (dot11ShortRetryLimit), at least 1; never gives up never. Default: 7. Allowed: 'never' or
    a whole number, 0 or more."""
    ack_timeout_extra: str
    """What the ACK timeout adds to SIFS, slot and preamble. Default: '0us'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    answer_delay: str
    """How much later than SIFS every node answers; its peers know it and wait as much longer. Default: '0us'. Allowed: a time with its unit, such as
    '5ms' (ns, us, ms, s)."""
    hearing: Literal["all", "by-power"]
    """Who hears whom: all hear each other, and what overlaps is lost; or by the powers with which frames come in, which then also decide what the air
    loses. The latter asks for loss.model=path-loss and an AP, and knows no 11b. Default: 'all'. Allowed: one of 'all', 'by-power'."""
    relocking: bool
    """Whether a receiver leaves the frame that it has locked on for one that begins later and is 10 dB stronger than all else (by-power). Default:
    false. Allowed: true or false."""
    preamble_detection: str
    """The least power over 20 MHz with which a node detects a preamble; over 40, 80 and 160 MHz it is 3, 6 and 9 dB more (by-power). IEEE
    802.11-2020, 17.3.10.6. Default: '-82dBm'. Allowed: a power with its unit, such as '16dBm' (dBm)."""
    energy_detection: str
    """The least power over the primary 20 MHz with which the medium counts as busy, whatever it is that comes in (by-power). Default: '-62dBm'.
    Allowed: a power with its unit, such as '16dBm' (dBm)."""
    beacons: bool
    """Whether the AP sends beacons. Default: false. Allowed: true or false."""
    beacon_interval: str
    """Time from one beacon to the next (100 TU). Default: '102.4ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    beacon_rate: str
    """Rate of a beacon; auto is the lowest basic rate. Default: 'auto'. Allowed: 'auto' or a rate with its unit, such as '150Mbps' (bps, kbps, Mbps,
    Gbps)."""
    beacon_size: str
    """Length of a beacon with its MAC header and FCS, at least 58 bytes (11b: 54); 200 is a choice of ours, real ones have 100 to 400. Default:
    '200B'. Allowed: an amount of data with its unit, such as '64KiB' (B, kB, KiB, MB, MiB, GB, GiB)."""


class Scheme(TypedDict, total=False):
    """The keys of ``[scheme]``."""

    name: Literal["stock", "hack", "agent", "filter", "arq-proxy", "thinning", "fast-ack"]
    """At the AP and at every station that is not legacy: nothing, or one of the schemes, each of which has its own section. Default: 'stock'.
    Allowed: one of 'stock', 'hack', 'agent', 'filter', 'arq-proxy', 'thinning', 'fast-ack'."""


class Hack(TypedDict, total=False):
    """The keys of ``[hack]``."""

    policy: Literal["more-data", "opportunistic", "timer"]
    """What a TCP ACK waits for (section 3.2 of the paper): data announced by the More Data bit, whichever of data and its own frame comes first, or a
    timer. Default: 'more-data'. Allowed: one of 'more-data', 'opportunistic', 'timer'."""
    announce_percent: int
    """How much must remain for the More Data bit to be set, in percent of the packets that the PPDU carries; at least one packet, which is all that
    the paper asks for. Default: 0. Allowed: a whole number, 0 or more."""
    announce: Literal["always", "while-busy"]
    """Where the More Data bit may be set: always, as in the paper, or while-busy, which is ours: not after a node had nothing to send for more than a
    tenth of its last 32 PPDUs. Such a node waits for ACKs, not for the medium. Default: 'always'. Allowed: one of 'always', 'while-busy'."""
    hold_beside_data: bool
    """Whether ACKs are held by a node that has data of its own to send. True is the paper's; with false they go natively, in the accesses that this
    data needs anyway. Default: true. Allowed: true or false."""
    hold_senders: int
    """ACKs are held only while at most this many peers send data to the node; 0, the paper's: any number. Counted over its last 32 data PPDUs.
    Default: 0. Allowed: a whole number, 0 or more."""
    tail_percent: int
    """Where a PPDU that the More Data bit announced has less than so many percent of the MPDUs of the one before it, ACKs do not wait for what the
    next few announce. 0, the paper's: they always wait. Default: 0. Allowed: a whole number, 0 or more."""
    tail_bursts: int
    """For how many announcements that is so, until one is believed again. Default: 8. Allowed: a whole number, 0 or more."""
    take_back: bool
    """Whether ACKs that went into the queue natively are taken back where a link-layer ACK leaves before they do, and go on it. The policy
    opportunistic does so anyway; the others, in the paper, leave them there. Default: false. Allowed: true or false."""
    take_back_senders: int
    """With take_back: ACKs are taken back only while at most this many peers send data to the node; 0: any number. Default: 0. Allowed: a whole
    number, 0 or more."""
    timer: str
    """How long an ACK waits for data under the policy timer. Default: '10ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    guard: str
    """How long data that the More Data bit announced may fail to come; auto follows the gaps between the peer's PPDUs, within the flow's round trip.
    Default: 'auto'. Allowed: 'auto' or a time with its unit, such as '5ms' (ns, us, ms, s)."""
    driver_to_nic: str
    """From the driver to the NIC: how long a compressed ACK is not yet ready to be appended. Default: '20us'. Allowed: a time with its unit, such as
    '5ms' (ns, us, ms, s)."""
    fit: Literal["whole", "split"]
    """Compressed ACKs that do not fit within AIFS (footnote 7): whole on one answer, or split over several. Default: 'whole'. Allowed: one of
    'whole', 'split'."""
    codec: Literal["own", "rfc6846"]
    """How a compressed ACK is said: in a code of our own, or as a packet of the ROHC TCP profile, RFC 6846, as in the paper (section 3.3.2). Default:
    'own'. Allowed: one of 'own', 'rfc6846'."""
    checksum: bool
    """Whether the TCP checksum goes with each compressed ACK, two bytes, and what comes out must fit it; else the other end computes it. The packets
    of codec rfc6846 carry it, whatever this says. Default: false. Allowed: true or false."""
    msn_bits: int
    """Bits of the sequence number in front of the compressed ACKs of a flow: 8, the paper's for A-MPDUs of 64 packets (section 3.4), of which 127
    ACKs of a flow can be on the way, or 16, a byte more on each answer, for 4,060. What is too much goes natively, and takes what is held with it.
    A-MSDUs bring so many at once. Codec rfc6846 has 8. Default: 8. Allowed: a whole number, 0 or more."""
    mic: int
    """A code under a key at the end of every answer, so that nobody forges TCP ACKs: 0 (none), 4 or 8 bytes, and 2 more for a count against replay.
    Default: 0. Allowed: a whole number, 0 or more."""


class Agent(TypedDict, total=False):
    """The keys of ``[agent]``."""

    solution: Literal["buffer", "flag"]
    """What makes sure that data gets from a station's MAC to its TCP (section III.1 of the paper): the MAC's buffer, or a flag in the MAC ACK.
    Default: 'buffer'. Allowed: one of 'buffer', 'flag'."""
    buffer_packets: int
    """Frames that the buffer keeps for each peer; where it is full, further data is refused, and gets no MAC ACK. The paper has no number. Default:
    128. Allowed: a whole number, 0 or more."""
    room: Literal["refuse", "promise"]
    """What keeps the AP from acknowledging more than a station has room for (solution buffer): refuse, as the paper has it, gives no MAC ACK where
    the buffer is full; promise is ours: beside that, the AP acknowledges nothing beyond the window that the station's TCP has offered, and the
    station lets ACKs through from a quarter of it on until the AP has one. Default: 'refuse'. Allowed: one of 'refuse', 'promise'."""
    again: str
    """After how long without a TCP ACK the buffer hands a frame up again, doubled each time; longer than transport.ack_timeout with twice
    stations.host_latency. The paper has no number. Default: '200ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    extra_sifs: str
    """How much longer than SIFS a station waits for its TCP before it answers (solution flag); its peers know. SIFS and this must be longer than
    twice stations.host_latency, or the flag is never set. Default: '0us'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    refresh: str
    """How often at least a native ACK of each flow goes to the AP. The paper has none: it costs an access each time, and tells an AP that has
    forgotten the flow. Default: '1s'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""


class Filter(TypedDict, total=False):
    """The keys of ``[filter]``."""

    form: Literal["group", "action-no-ack", "no-ack"]
    """As what they go: group-addressed, as management frames of subtype Action No Ack, or as QoS data under No Ack (802.11e), which needs QoS. The
    sender of group-addressed frames is the AP, or any node of an ad hoc cell or of a bridged link. Default: 'group'. Allowed: one of 'group',
    'action-no-ack', 'no-ack'."""
    filtered: Literal["acks", "acks-and-data"]
    """Which packets: TCP ACKs, or TCP data too, of which the paper warns on lossy links. Default: 'acks'. Allowed: one of 'acks', 'acks-and-data'."""


class ArqProxy(TypedDict, total=False):
    """The keys of ``[arq_proxy]``."""

    identification: Literal["frame-sequence", "hash"]
    """What names a data packet on both sides: the sequence number of its frame, or a hash of its headers. Default: 'frame-sequence'. Allowed: one of
    'frame-sequence', 'hash'."""
    lifetime: str
    """How long an ACK is kept for a request; at least the TCP sender's timeout (section 2 of the paper), so at least transport.rto_min. Default:
    '1s'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    stateless: bool
    """Whether ACKs are made from the data packet alone, as in the paper, without the window and the timestamp that the client last sent. Default:
    false. Allowed: true or false."""
    policy: Literal["race", "more-data"]
    """When the client's own TCP ACK joins its queue: at once, where request and ACK race, as in the paper; or, ours, not while the AP's More Data bit
    says that another answer will take the request, at most for the guard. Default: 'race'. Allowed: one of 'race', 'more-data'."""
    announce_percent: int
    """How much must remain for the More Data bit to be set, in percent of the packets that the PPDU carries; at least one packet. Default: 0.
    Allowed: a whole number, 0 or more."""
    guard: str
    """After how long a TCP ACK that a request has replaced goes natively after all, where nothing shows that the answer with the request has arrived;
    auto as for hack.guard. Ours: in the paper it is gone for good. Default: 'auto'. Allowed: 'auto' or a time with its unit, such as '5ms' (ns, us,
    ms, s)."""


class Thinning(TypedDict, total=False):
    """The keys of ``[thinning]``."""

    kind: Literal["cake", "cake-aggressive", "replace", "hold", "count-and-time"]
    """By whose rules: CAKE's ack-filter, its aggressive form, a driver that replaces a queued ACK by a newer one (Broadcom), one that holds ACKs and
    sends one of a few (Broadcom's other mode), or one that holds the more the faster the flow is (Samsung). Default: 'cake'. Allowed: one of 'cake',
    'cake-aggressive', 'replace', 'hold', 'count-and-time'."""
    hold_ratio: int
    """Of how many ACKs one is sent (kind hold). Default: 3. Allowed: a whole number, 0 or more."""
    hold_at_most: str
    """How long an ACK is held at most (kind hold). Default: '10ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    steps_from: str
    """From which rates of a flow on ACKs are held (kind count-and-time), three steps that rise. Default: ['1Mbps', '20Mbps', '100Mbps']. Allowed: a
    list, each item a rate with its unit, such as '150Mbps' (bps, kbps, Mbps, Gbps)."""
    steps_count: str | int | float | bool | list[str]
    """Of how many ACKs each step sends one. Default: [10, 16, 20]. Allowed: a list, each item a whole number, 0 or more."""
    steps_at_most: str
    """How long each step holds an ACK at most. Default: ['4ms', '4ms', '4ms']. Allowed: a list, each item a time with its unit, such as '5ms' (ns,
    us, ms, s)."""
    slow_start_acks: int
    """How many ACKs of a connection go before any is held, and after each with SACK blocks (kind count-and-time). Default: 512. Allowed: a whole
    number, 0 or more."""


class FastAck(TypedDict, total=False):
    """The keys of ``[fast_ack]``."""

    cache_packets: int
    """Packets of a flow that are kept for repair; beyond them nothing is acknowledged early. Default: 4096. Allowed: a whole number, 0 or more."""
    repair_after: str
    """Time without news from the client after which what was acknowledged early is sent again; doubled each time. Default: '200ms'. Allowed: a time
    with its unit, such as '5ms' (ns, us, ms, s)."""


class Ap(TypedDict, total=False):
    """The keys of ``[ap]``."""

    cw_min: Literal['auto'] | int
    """Its own smallest contention window; auto is wifi.cw_min. Default: 'auto'. Allowed: 'auto' or a whole number, 0 or more."""
    cw_max: Literal['auto'] | int
    """Its own largest contention window; auto is wifi.cw_max. Default: 'auto'. Allowed: 'auto' or a whole number, 0 or more."""
    backoff: Literal["auto", "standard", "auto-zoom"]
    """How its contention window moves; auto is wifi.backoff. Default: 'auto'. Allowed: 'auto' or one of 'standard', 'auto-zoom'."""
    queue: Literal["fifo", "fq-codel"]
    """The queue that it keeps for each client. Default: 'fifo'. Allowed: one of 'fifo', 'fq-codel'."""
    queue_packets: int
    """Packets that a fifo holds for each client; the rest is dropped at the tail. Default: 126. Allowed: a whole number, 0 or more."""
    queue_shared: bool
    """Whether that is one limit, so many times as long, for all clients together, as in ns-3. Default: false. Allowed: true or false."""
    codel_target: str
    """Standing delay that fq-codel tolerates; Linux uses 20 ms on Wi-Fi. Default: '20ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms,
    s)."""
    codel_interval: str
    """How long fq-codel lets the delay exceed the target; Linux uses 100 ms on Wi-Fi. Default: '100ms'. Allowed: a time with its unit, such as '5ms'
    (ns, us, ms, s)."""
    fq_quantum: str
    """What fq-codel lets a flow send in a round; Linux uses 300 bytes on Wi-Fi. Default: '300B'. Allowed: an amount of data with its unit, such as
    '64KiB' (B, kB, KiB, MB, MiB, GB, GiB)."""
    fq_limit: int
    """Packets that fq-codel holds for each client. Default: 8192. Allowed: a whole number, 0 or more."""
    fq_ecn: bool
    """Whether fq-codel marks packets that may be marked (transport.ecn) in place of dropping them, as mac80211 does. Default: true. Allowed: true or
    false."""
    device_queue: str | int | float | bool | list[str]
    """How much of what waits in these queues the device below them is given in advance, from which PPDUs are built and which codel does not see:
    none, so that a packet leaves its queue when its PPDU is built; so many packets for each client; or, with aql, as much as Linux's airtime queue
    limits allow, ap.aql_low to ap.aql_high of estimated air time for each client. A packet counts until it is acknowledged or given up. What the
    device has, a scheme can no longer take back. Default: 'none'. Allowed: 'none', 'aql' or a number of packets from 1 up."""
    aql_low: str
    """What the device may always hold for a client (aql). Default: '5ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    aql_high: str
    """What it may hold for a client where it holds less than ap.aql_threshold for all (aql). Default: '12ms'. Allowed: a time with its unit, such as
    '5ms' (ns, us, ms, s)."""
    aql_threshold: str
    """See there (aql). Default: '24ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    scheduler: Literal["round-robin", "fcfs", "airtime-fair"]
    """Which client is served next. Default: 'round-robin'. Allowed: one of 'round-robin', 'fcfs', 'airtime-fair'."""
    host_latency: str
    """Time from the wire to the MAC's queue, and back. Default: '0us'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""


class Stations(TypedDict, total=False):
    """The keys of ``[stations]``."""

    name: str
    """Name of the group; its stations are NAME-1, NAME-2 and so on. Default: 'sta'. Allowed: a text in quotes."""
    count: int
    """How many. Default: 1. Allowed: a whole number, 0 or more."""
    cell: str
    """The cell that they belong to: own, or the name of one in [[cells]]. Default: 'own'. Allowed: a text in quotes."""
    legacy: bool
    """Whether it stays without a scheme of its own, whatever scheme.name says. Default: false. Allowed: true or false."""
    four_address: bool
    """Whether it is a bridge: data between it and the AP bears four addresses. Default: false. Allowed: true or false."""
    via: str
    """What it is linked to: ap, or the name of a group above this one, whose stations then relay between it and the AP, each for some of its stations
    in turn. Rates, losses and distance are those of this link. Default: 'ap'. Allowed: a text in quotes."""
    distance: str
    """Distance from the AP; it matters only to the path-loss model. Default: '5m'. Allowed: a distance with its unit, such as '10m' (mm, cm, m,
    km)."""
    angle: str
    """Where it stands around what it is linked to, in degrees (by-power); auto spreads all stations of the cell evenly, the first at 0. Default:
    'auto'. Allowed: 'auto' or an angle with its unit, such as '90deg' (deg)."""
    standard: Literal["auto", "11b", "11a", "11g", "11n", "11ac"]
    """The amendment it speaks; auto is wifi.standard. An older one makes a legacy station: 11a or 11n in an 11ac cell, 11a or 11g in an 11n cell.
    Default: 'auto'. Allowed: 'auto' or one of '11b', '11a', '11g', '11n', '11ac'."""
    rate: str
    """Data rate of a station of 11b, 11a or 11g, both ways; auto is wifi.rate, or 54 Mbps for a legacy station. Default: 'auto'. Allowed: 'auto' or a
    rate with its unit, such as '150Mbps' (bps, kbps, Mbps, Gbps)."""
    mcs: Literal['auto'] | int
    """MCS, both ways; auto is wifi.mcs. Default: 'auto'. Allowed: 'auto' or a whole number, 0 or more."""
    streams: Literal['auto'] | int
    """Spatial streams, both ways; auto is wifi.streams. Default: 'auto'. Allowed: 'auto' or a whole number, 0 or more."""
    width: Literal["auto", "20MHz", "40MHz", "80MHz", "160MHz"]
    """Channel width, both ways, at most the cell's; auto is wifi.width. Default: 'auto'. Allowed: 'auto' or one of '20MHz', '40MHz', '80MHz',
    '160MHz'."""
    guard_interval: Literal["auto", "800ns", "400ns"]
    """Guard interval, both ways; auto is wifi.guard_interval. Default: 'auto'. Allowed: 'auto' or one of '800ns', '400ns'."""
    rate_control: Literal["auto", "fixed", "ideal", "minstrel-ht"]
    """How data rates are chosen, both ways; auto is wifi.rate_control. Default: 'auto'. Allowed: 'auto' or one of 'fixed', 'ideal', 'minstrel-ht'."""
    queue_packets: int
    """Packets that its MAC queue holds; the rest is dropped at the tail. Default: 126. Allowed: a whole number, 0 or more."""
    host_latency: str
    """Time from its TCP to its MAC's queue, and back. Default: '0us'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    host_latency_spread: str
    """What each station adds to that for the whole of a run: a time drawn evenly from 0 to this, by a stream of its own. Default: '0us'. Allowed: a
    time with its unit, such as '5ms' (ns, us, ms, s)."""
    gro: str | int | float | bool | list[str]
    """What it merges of what its MAC hands up at once, as generic receive offload does: nothing, all of a batch that Linux would, or at most so many
    segments. Default: 'off'. Allowed: 'off', 'per-batch' or a number of segments from 1 up."""
    tsq: str
    """TCP Small Queues: for how much time, at its rate, each of its connections may have data in the queues below, which is until the MAC has its
    MPDU acknowledged or given up; at least two packets, at most 1 MiB unless paced; up to 1s. Linux has 8 ms on Wi-Fi (mac80211). Default: 'off'.
    Allowed: 'off' or a time with its unit, such as '5ms' (ns, us, ms, s)."""
    tso: str
    """TCP segmentation offload: its TCPs send new data in bursts that carry what their rate does in this time (and more over round trips below 16
    ms), with PSH at the end, and wait a little for room for longer ones. Linux has 8 ms on Wi-Fi. Not with TACK. Default: 'off'. Allowed: 'off' or a
    time with its unit, such as '5ms' (ns, us, ms, s)."""
    host_loss: str | int | float | bool | list[str]
    """Loss of packets between its MAC and its transports, each way: what driver and kernel drop, and neither end of the air knows of. Default: 0.0.
    Allowed: a probability from 0 to 1, or as '2%'."""
    snr: str
    """Signal-to-noise ratio to and from the AP under the snr model; auto is loss.snr. Default: 'auto'. Allowed: 'auto' or a ratio with its unit, such
    as '30dB' (dB)."""
    snr_trace: str | int | float | bool | list[str]
    """How that goes over time, as loss.snr_trace; auto is loss.snr_trace, or that it stays where it has a stations.snr. Default: 'auto'. Allowed:
    'auto' or a list, each item a time and a ratio with their units, such as '1.5s 20dB'."""
    snr_file: str
    """A file with that, as loss.snr_file. Default: ''. Allowed: a text in quotes."""
    snr_file_columns: str | int | float | bool | list[str]
    """The columns of that file, as loss.snr_file_columns; auto is loss.snr_file_columns. Default: 'auto'. Allowed: 'auto' or a list, each item a
    whole number, 0 or more."""
    doppler: str
    """The greatest Doppler shift of its fading; auto is loss.doppler. Default: 'auto'. Allowed: 'auto' or a frequency with its unit, such as '10Hz'
    (mHz, Hz, kHz)."""
    down_data_loss: str | int | float | bool | list[str]
    """Loss of data MPDUs from the AP under the per-frame model; auto is loss.down_data. Default: 'auto'. Allowed: 'auto' or a probability from 0 to
    1, or as '2%'."""
    down_control_loss: str | int | float | bool | list[str]
    """Loss of control frames from the AP under the per-frame model; auto is loss.down_control. Default: 'auto'. Allowed: 'auto' or a probability from
    0 to 1, or as '2%'."""
    up_data_loss: str | int | float | bool | list[str]
    """Loss of data MPDUs to the AP under the per-frame model; auto is loss.up_data. Default: 'auto'. Allowed: 'auto' or a probability from 0 to 1, or
    as '2%'."""
    up_control_loss: str | int | float | bool | list[str]
    """Loss of control frames to the AP under the per-frame model; auto is loss.up_control. Default: 'auto'. Allowed: 'auto' or a probability from 0
    to 1, or as '2%'."""


class Loss(TypedDict, total=False):
    """The keys of ``[loss]``."""

    model: Literal["none", "per-frame", "snr", "path-loss"]
    """Nothing, each frame by a fixed probability, or by the modulation's error model at an SNR or a distance. Default: 'none'. Allowed: one of
    'none', 'per-frame', 'snr', 'path-loss'."""
    down_data: str | int | float | bool | list[str]
    """Loss of data MPDUs from the AP (per-frame). Default: 0.0. Allowed: a probability from 0 to 1, or as '2%'."""
    down_control: str | int | float | bool | list[str]
    """Loss of control frames from the AP, with what is appended to them (per-frame). Default: 0.0. Allowed: a probability from 0 to 1, or as '2%'."""
    up_data: str | int | float | bool | list[str]
    """Loss of data MPDUs to the AP (per-frame). Default: 0.0. Allowed: a probability from 0 to 1, or as '2%'."""
    up_control: str | int | float | bool | list[str]
    """Loss of control frames to the AP, with what is appended to them (per-frame). Default: 0.0. Allowed: a probability from 0 to 1, or as '2%'."""
    snr: str
    """Signal-to-noise ratio over the channel's width (snr). Default: '30dB'. Allowed: a ratio with its unit, such as '30dB' (dB)."""
    snr_trace: str | int | float | bool | list[str]
    """How that goes over time: from each of these times on, counted from the start of the run, it is this (snr). Default: []. Allowed: a list, each
    item a time and a ratio with their units, such as '1.5s 20dB'."""
    snr_file: str
    """A file with that: on each line a time in seconds and an SNR in dB, as NumPy, pandas and spreadsheets write numbers: divided by blanks, tabs,
    commas or semicolons, with any number of decimals or an exponent, and perhaps with a header. What follows a # does not count. Times are rounded to
    nanoseconds and SNRs to thousandths of a dB. The command reads the file and puts its content into loss.snr_trace. A name in a scenario file is
    seen from that file's folder. Default: ''. Allowed: a text in quotes."""
    snr_file_columns: str | int | float | bool | list[str]
    """The columns of loss.snr_file that have the time and the SNR, counted from 1; auto is [1, 2]. Default: 'auto'. Allowed: 'auto' or a list, each
    item a whole number, 0 or more."""
    fading: Literal["none", "rayleigh"]
    """Whether links fade about their SNR (snr, path-loss): rayleigh is flat fading by waves from all sides, each link for itself and both its ways
    alike. Default: 'none'. Allowed: one of 'none', 'rayleigh'."""
    doppler: str
    """The greatest Doppler shift of fading: 10 Hz are 2 km/h at 5.2 GHz. Default: '10Hz'. Allowed: a frequency with its unit, such as '10Hz' (mHz,
    Hz, kHz)."""
    tx_power: str
    """Transmit power of every node (path-loss). Default: '16.021dBm'. Allowed: a power with its unit, such as '16dBm' (dBm)."""
    reference_loss: str
    """Loss over the first metre (path-loss); the default is free space at 5.15 GHz. Default: '46.678dB'. Allowed: a ratio with its unit, such as
    '30dB' (dB)."""
    exponent: str | int | float | bool | list[str]
    """Path loss exponent (path-loss); 2 is free space. Default: 3.0. Allowed: a number such as 3.5, with at most three decimals."""
    noise_figure: str
    """What a receiver adds to thermal noise (path-loss). Default: '7dB'. Allowed: a ratio with its unit, such as '30dB' (dB)."""


_Pairs = TypedDict("_Pairs", {"from": str}, total=False)
"""On one side: ap, all (stations), the name of a group of stations, or NAME.ap for the AP of another cell. Default: 'ap'. Allowed: a text in quotes."""


class Pairs(_Pairs, total=False):
    """The keys of ``[pairs]``."""

    name: str
    """Name of the pairs. Default: 'pair'. Allowed: a text in quotes."""
    to: str
    """On the other side, likewise. Default: 'all'. Allowed: a text in quotes."""
    power: str
    """The power that comes in, over the width of a frame; auto leaves it to the distance. Default: 'auto'. Allowed: 'auto' or a power with its unit,
    such as '16dBm' (dBm)."""


class Cells(TypedDict, total=False):
    """The keys of ``[cells]``."""

    name: str
    """Name of the cell; the first one, which has no section, is called own. Default: 'next'. Allowed: a text in quotes."""
    distance: str
    """From the first cell's AP to this one's. Default: '20m'. Allowed: a distance with its unit, such as '10m' (mm, cm, m, km)."""
    angle: str
    """In which direction. Default: '0deg'. Allowed: an angle with its unit, such as '90deg' (deg)."""
    legacy: bool
    """Whether its AP and stations stay without a scheme of their own, whatever scheme.name says. Default: false. Allowed: true or false."""


class Server(TypedDict, total=False):
    """The keys of ``[server]``."""

    gro: str | int | float | bool | list[str]
    """What it merges of what the wire hands up in one instant, as stations.gro. Default: 'off'. Allowed: 'off', 'per-batch' or a number of segments
    from 1 up."""
    host_latency: str
    """Time from its TCP to its wire, and back. Default: '0us'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    tsq: str
    """TCP Small Queues, as stations.tsq, until the wire has sent a packet; Linux has 1 ms on a wire. Default: 'off'. Allowed: 'off' or a time with
    its unit, such as '5ms' (ns, us, ms, s)."""
    tso: str
    """TCP segmentation offload, as stations.tso; Linux has 1 ms on a wire. Default: 'off'. Allowed: 'off' or a time with its unit, such as '5ms' (ns,
    us, ms, s)."""


class Wired(TypedDict, total=False):
    """The keys of ``[wired]``."""

    rate: str
    """Rate at which IP packets leave. Default: '500Mbps'. Allowed: a rate with its unit, such as '150Mbps' (bps, kbps, Mbps, Gbps)."""
    down_rate: str
    """That to the AP; auto is wired.rate. Default: 'auto'. Allowed: 'auto' or a rate with its unit, such as '150Mbps' (bps, kbps, Mbps, Gbps)."""
    up_rate: str
    """That to the server; auto is wired.rate. Default: 'auto'. Allowed: 'auto' or a rate with its unit, such as '150Mbps' (bps, kbps, Mbps, Gbps)."""
    rate_trace: str | int | float | bool | list[str]
    """How the rate goes over time, counted from the start of the run: each item is a time with the rate from then on, such as '1.5s 20Mbps', where
    0bps pauses the wire as steps.rate does; or each is a time with the bytes that may leave then, such as '5ms 1500B', as in traces of mahimahi.
    Before the first rate wired.rate holds. Default: []. Allowed: a list, each item a time and a rate, or a time and an amount of data, with their
    units, such as '1.5s 20Mbps' or '5ms 1500B'."""
    down_rate_trace: str | int | float | bool | list[str]
    """That to the AP; auto is wired.rate_trace. Default: 'auto'. Allowed: 'auto' or a list, each item a time and a rate, or a time and an amount of
    data, with their units, such as '1.5s 20Mbps' or '5ms 1500B'."""
    up_rate_trace: str | int | float | bool | list[str]
    """That to the server; auto is wired.rate_trace. Default: 'auto'. Allowed: 'auto' or a list, each item a time and a rate, or a time and an amount
    of data, with their units, such as '1.5s 20Mbps' or '5ms 1500B'."""
    rate_trace_end: Literal["auto", "hold", "repeat"]
    """What comes after the end of these traces: hold, the last rate, or after the last bytes nothing at all; repeat, the trace again, the last rate
    having lasted as long as the one before it, and the time of the last bytes being the start of the next round, as in mahimahi. Auto is hold for
    rates and repeat for bytes. Default: 'auto'. Allowed: 'auto' or one of 'hold', 'repeat'."""
    rate_file: str
    """A file with that, written as loss.snr_file: on each line a time in seconds and a rate in Mbps, rounded to bits per second; or, where it has one
    column, a trace of mahimahi: on each line a time in milliseconds at which 1,500 bytes may leave. Bytes for which nothing waits are lost. The
    command reads it and puts its content into wired.rate_trace. Default: ''. Allowed: a text in quotes."""
    down_rate_file: str
    """That to the AP, for wired.down_rate_trace. Default: ''. Allowed: a text in quotes."""
    up_rate_file: str
    """That to the server, for wired.up_rate_trace. Default: ''. Allowed: a text in quotes."""
    rate_file_columns: str | int | float | bool | list[str]
    """The columns of these files that have the time and the rate, counted from 1, or the one with the times of mahimahi; auto is [1, 2], or [1] where
    a file has one. Default: 'auto'. Allowed: 'auto' or a list, each item a whole number, 0 or more."""
    delay: str
    """Delay one way. Default: '1ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    down_delay: str
    """That to the AP; auto is wired.delay. Default: 'auto'. Allowed: 'auto' or a time with its unit, such as '5ms' (ns, us, ms, s)."""
    up_delay: str
    """That to the server; auto is wired.delay. Default: 'auto'. Allowed: 'auto' or a time with its unit, such as '5ms' (ns, us, ms, s)."""
    jitter: str
    """What is added to the delay of each packet: a time drawn evenly from 0 to this. Default: '0s'. Allowed: a time with its unit, such as '5ms' (ns,
    us, ms, s)."""
    down_jitter: str
    """That to the AP; auto is wired.jitter. Default: 'auto'. Allowed: 'auto' or a time with its unit, such as '5ms' (ns, us, ms, s)."""
    up_jitter: str
    """That to the server; auto is wired.jitter. Default: 'auto'. Allowed: 'auto' or a time with its unit, such as '5ms' (ns, us, ms, s)."""
    jitter_reorders: bool
    """Whether jitter lets later packets overtake; if not, a packet waits for those before it. Default: false. Allowed: true or false."""
    loss: str | int | float | bool | list[str]
    """Loss of packets. Default: 0.0. Allowed: a probability from 0 to 1, or as '2%'."""
    down_loss: str | int | float | bool | list[str]
    """That to the AP; auto is wired.loss. Default: 'auto'. Allowed: 'auto' or a probability from 0 to 1, or as '2%'."""
    up_loss: str | int | float | bool | list[str]
    """That to the server; auto is wired.loss. Default: 'auto'. Allowed: 'auto' or a probability from 0 to 1, or as '2%'."""
    reorder: str | int | float | bool | list[str]
    """Probability that a packet is held back, so that later ones overtake it. Default: 0.0. Allowed: a probability from 0 to 1, or as '2%'."""
    reorder_delay: str
    """How long such a packet is held. Default: '1ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    buffer_packets: int
    """Packets that may wait for the wire at either end; the rest is dropped at the tail. Default: 1000. Allowed: a whole number, 0 or more."""
    down_buffer: str
    """What may wait at the server's end, in packets or bytes; auto is wired.buffer_packets. Default: 'auto'. Allowed: 'auto' or a number of packets,
    or an amount of data with its unit, such as '64KiB' (B, kB, KiB, MB, MiB, GB, GiB)."""
    up_buffer: str
    """What may wait at the AP's end, in packets or bytes; auto is wired.buffer_packets. Default: 'auto'. Allowed: 'auto' or a number of packets, or
    an amount of data with its unit, such as '64KiB' (B, kB, KiB, MB, MiB, GB, GiB)."""
    mtu: str
    """Largest IP packet. Default: '1500B'. Allowed: an amount of data with its unit, such as '64KiB' (B, kB, KiB, MB, MiB, GB, GiB)."""
    new_options: Literal["pass", "strip", "drop"]
    """What a middlebox at its end does with TCP options that are newer than it is, those of TACK and of transport.ack=request: it lets them pass,
    takes them out, or drops what bears them. Default: 'pass'. Allowed: one of 'pass', 'strip', 'drop'."""
    down_new_options: Literal["auto", "pass", "strip", "drop"]
    """That at the AP's end; auto is wired.new_options. Default: 'auto'. Allowed: 'auto' or one of 'pass', 'strip', 'drop'."""
    up_new_options: Literal["auto", "pass", "strip", "drop"]
    """That at the server's end; auto is wired.new_options. Default: 'auto'. Allowed: 'auto' or one of 'pass', 'strip', 'drop'."""
    segments: Literal["pass", "cut", "renumber"]
    """What a middlebox at its end does with TCP segments: it lets them pass, cuts them into parts of 700 bytes of payload and the rest, each with all
    options, as network cards do, or draws their sequence numbers anew, and takes that back out of acknowledgement numbers and SACK options, as
    firewalls do. Default: 'pass'. Allowed: one of 'pass', 'cut', 'renumber'."""
    down_segments: Literal["auto", "pass", "cut", "renumber"]
    """That at the AP's end; auto is wired.segments. Default: 'auto'. Allowed: 'auto' or one of 'pass', 'cut', 'renumber'."""
    up_segments: Literal["auto", "pass", "cut", "renumber"]
    """That at the server's end; auto is wired.segments. Default: 'auto'. Allowed: 'auto' or one of 'pass', 'cut', 'renumber'."""


class Steps(TypedDict, total=False):
    """The keys of ``[steps]``."""

    name: str
    """Name of the step. Default: 'step'. Allowed: a text in quotes."""
    at: str
    """When it comes, counted from the start of the run. Default: '0s'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    direction: Literal["both", "down", "up"]
    """Which way the wire changes. Default: 'both'. Allowed: one of 'both', 'down', 'up'."""
    rate: str
    """The new rate of the wire; auto leaves it. 0bps pauses it until a step with another rate: queued packets wait, and so does what is not sent yet
    of the packet under way; what finds the buffer full is dropped as ever. Default: 'auto'. Allowed: 'auto' or a rate with its unit, such as
    '150Mbps' (bps, kbps, Mbps, Gbps)."""
    delay: str
    """The new delay of the wire; auto leaves it. A shorter one lets no packet overtake. Default: 'auto'. Allowed: 'auto' or a time with its unit,
    such as '5ms' (ns, us, ms, s)."""
    loss: str | int | float | bool | list[str]
    """The new loss of the wire; auto leaves it. Default: 'auto'. Allowed: 'auto' or a probability from 0 to 1, or as '2%'."""
    new_options: Literal["auto", "pass", "strip", "drop"]
    """What a middlebox on the wire does from then on, as wired.new_options; auto leaves it. Default: 'auto'. Allowed: 'auto' or one of 'pass',
    'strip', 'drop'."""
    stations: str
    """The stations whose air changes: all, or the name of a group. Default: 'all'. Allowed: a text in quotes."""
    snr: str
    """The new SNR to and from them, under the snr model; auto leaves it. Default: 'auto'. Allowed: 'auto' or a ratio with its unit, such as '30dB'
    (dB)."""
    air_loss: str | int | float | bool | list[str]
    """A loss of each MPDU and each control frame to and from them, besides what the loss model does, whatever that is; auto leaves it. Default:
    'auto'. Allowed: 'auto' or a probability from 0 to 1, or as '2%'."""
    outage: str
    """For how long from then on nothing at all is received to and from them. Default: '0s'. Allowed: a time with its unit, such as '5ms' (ns, us, ms,
    s)."""


class Transport(TypedDict, total=False):
    """The keys of ``[transport]``."""

    preset: Literal["plain", "linux"]
    """Whose transports and hosts these are: plain is as the keys say; linux lays the choices of Linux 6.12 over what a file says of congestion, slow
    start, ACKs, recovery, undoing, timers, Nagle's rule, growth, pacing, buffers, gro, tsq and tso of stations and server, and under what an
    override, a flow or a row says. An effective scenario shows what it set, and so plain. Default: 'plain'. Allowed: one of 'plain', 'linux'."""
    protocol: Literal["tcp", "udp"]
    """What carries a flow. Default: 'tcp'. Allowed: one of 'tcp', 'udp'."""
    tack: bool
    """Whether TCP offers TACK, on both ends; [tack] says which. Default: false. Allowed: true or false."""
    congestion: Literal["auto", "reno", "newreno", "cubic", "bbr", "bbr3", "receiver-bbr"]
    """Congestion control; auto is receiver-bbr with TACK, else cubic. bbr is version 1; bbr, bbr3 and receiver-bbr are paced. Default: 'auto'.
    Allowed: 'auto' or one of 'reno', 'newreno', 'cubic', 'bbr', 'bbr3', 'receiver-bbr'."""
    ack: str | int | float | bool | list[str]
    """When the receiver acknowledges: for so many full-sized segments or after transport.ack_timeout (delayed ACKs), by byte counting alone,
    periodically, for a share of the round trip as a browser's QUIC has it, as the sender requests it (TARR, a TCP option), as seldom as TACK's
    equation 4 says, with the extension or without, or as Linux does; auto is tack with TACK, else 2. Default: 'auto'. Allowed: 'auto' or a number of
    segments from 1 up, 'per-packet' (1), 'delayed' (2), 'byte-counting', 'periodic', 'share', 'request', 'tack' or 'linux'."""
    ack_timeout: str
    """A held ACK leaves at the latest after this; Linux uses 40 ms. Default: '40ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    ack_l: int
    """L of byte-counting and of tack: full-sized segments that one ACK answers for. Default: 2. Allowed: a whole number, 0 or more."""
    ack_beta: int
    """Beta of tack: ACKs for each least round-trip time. Default: 4. Allowed: a whole number, 0 or more."""
    ack_interval: str
    """Alpha of periodic: the time between two ACKs. Default: '10ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    ack_share: int
    """ACKs for each round trip of ack = share: after that part of it, at most 50 ms, or that part of what came in it, from 2 to 256 segments. And for
    each window of ack = request: the sender asks for one ACK for that part of it, from 2 to 126 segments, and for 2 in slow start. Default: 4.
    Allowed: a whole number, 0 or more."""
    sack_compression: bool
    """Whether ack = linux compresses ACKs above a hole: for 5 % of the round trip, at most 1 ms and 44 of them. Default: true. Allowed: true or
    false."""
    recovery: Literal["auto", "standard", "rack"]
    """How a sender notices losses: by duplicate ACKs and SACK (RFC 5681, 6675), or by time (RACK-TLP, RFC 8985), which needs SACK; auto is rack with
    bbr, bbr3 and receiver-bbr, else standard. On a TACK connection the receiver pulls what is lost. Default: 'auto'. Allowed: 'auto' or one of
    'standard', 'rack'."""
    pacing: bool
    """Whether a congestion window is spread over the round trip, at the ratios of Linux; bbr, bbr3, receiver-bbr and TACK always are. Default: false.
    Allowed: true or false."""
    slow_start: Literal["standard", "hystart", "hystart++"]
    """How slow start of reno, newreno and cubic ends besides by a loss: hystart by ACK trains or a longer round trip, as Linux has it; hystart++ by
    RFC 9406. Default: 'standard'. Allowed: one of 'standard', 'hystart', 'hystart++'."""
    eifel: bool
    """Whether an echoed timestamp from before a retransmission shows that it was a mistake, and undoes what it did to the window (Eifel: RFC 3522,
    4015); with recovery = rack once nothing repeated is out, as Linux does. Default: false. Allowed: true or false."""
    frto: bool
    """Whether the first ACKs after a timeout may show the same of it (F-RTO: RFC 5682), with recovery = rack. Default: false. Allowed: true or
    false."""
    dsack: bool
    """Whether a receiver reports what has come twice (RFC 2883), and a sender whose retransmissions all did undoes what they did to the window (RFC
    3708). Default: false. Allowed: true or false."""
    nagle: Literal["rfc", "minshall"]
    """For what a small segment waits: for all that is out (RFC 9293, 3.7.4), or for another small one, as in Linux. Default: 'rfc'. Allowed: one of
    'rfc', 'minshall'."""
    rto: Literal["rfc", "linux"]
    """How the retransmission timeout is summed: as RFC 6298 has it, or as Linux does, which also rounds timers up to ticks of 4 ms. Default: 'rfc'.
    Allowed: one of 'rfc', 'linux'."""
    rack: Literal["rfc", "linux"]
    """Which repeated segments RACK takes for delivered: as RFC 8985 has it, not where an echoed timestamp is older, or as Linux does, which does not
    look at that for what SACK blocks report, and times RACK by the segment that an ACK delivers last in its order; whether a probe of the tail needs
    a round trip measured since the last one, as the RFC has it; and whether repeats go beyond a window that the peer has shrunk. Default: 'rfc'.
    Allowed: one of 'rfc', 'linux'."""
    prr: Literal["rfc6937", "rfc9937", "linux"]
    """How a recovery by RACK reduces the window: by RFC 6937 with its slow start bound; by RFC 9937, which lets out a segment beyond what was
    delivered only for ACKs that advance and show no loss; or as Linux does, which is that in whole segments and counts from the window. Default:
    'rfc6937'. Allowed: one of 'rfc6937', 'rfc9937', 'linux'."""
    reno: Literal["bytes", "acks"]
    """What makes the window of reno and newreno grow: bytes that are acknowledged (RFC 3465), or ACKs, each for one segment at most, as in ns-3; with
    an ACK for two segments it then grows half as fast. Default: 'bytes'. Allowed: one of 'bytes', 'acks'."""
    cubic: Literal["rfc", "linux"]
    """How CUBIC grows: as RFC 9438 has it, or as Linux does, whose estimate of Reno stays at 0.53 segments a round trip. Default: 'rfc'. Allowed: one
    of 'rfc', 'linux'."""
    growth: Literal["rfc", "linux"]
    """When the window may grow: where at least half of it was in use (RFC 7661), or as in Linux where all of it was, and in slow start up to twice
    what was out. By Linux it grows by what is newly delivered, an idle window halves with each timeout, and it begins at one segment only where more
    than one SYN was lost. Default: 'rfc'. Allowed: one of 'rfc', 'linux'."""
    packet: str
    """IP packet of a full-sized segment. Default: '1500B'. Allowed: an amount of data with its unit, such as '64KiB' (B, kB, KiB, MB, MiB, GB,
    GiB)."""
    sack: bool
    """Selective acknowledgements (RFC 2018). Default: true. Allowed: true or false."""
    timestamps: bool
    """Timestamps (RFC 7323). Default: true. Allowed: true or false."""
    missing_timestamp: Literal["accept", "drop"]
    """What becomes of a segment without timestamps on a connection that has them: Linux and FreeBSD accept it, RFC 7323 (3.2) says that it should be
    dropped. A RST always counts; a TACK connection always drops. Default: 'accept'. Allowed: one of 'accept', 'drop'."""
    ecn: bool
    """Explicit congestion notification (RFC 3168): new data may be marked in place of being dropped, which ap.fq_ecn does, and a mark reduces the
    window as a loss does, with bbr3 in its own way. bbr and receiver-bbr do not react. Not with TACK. Default: false. Allowed: true or false."""
    window_scaling: bool
    """Window scaling (RFC 7323). Default: true. Allowed: true or false."""
    initial_window: int
    """Initial window in full-sized segments (RFC 6928). Default: 10. Allowed: a whole number, 0 or more."""
    rto_min: str
    """Smallest retransmission timeout; RFC 6298 says 1 s, Linux uses 200 ms. Default: '200ms'. Allowed: a time with its unit, such as '5ms' (ns, us,
    ms, s)."""
    send_buffer: str
    """Buffer of a TCP sender, and of a UDP sender whose application saturates it on and off. Default: '4MiB'. Allowed: an amount of data with its
    unit, such as '64KiB' (B, kB, KiB, MB, MiB, GB, GiB)."""
    receive_buffer: str
    """Buffer of a TCP receiver, and so the largest window that it announces. Default: '4MiB'. Allowed: an amount of data with its unit, such as
    '64KiB' (B, kB, KiB, MB, MiB, GB, GiB)."""
    receive_tuning: bool
    """Whether the receive window begins at 64 kB and follows what the application takes in a round trip, as in Linux; receive_buffer is the most
    memory for it then, of which a window of five eighths is told. Each growth is acknowledged at once under ack = linux. Not with TACK. Default:
    false. Allowed: true or false."""
    send_tuning: bool
    """Whether the buffer of a TCP sender begins at 85 KiB and follows the congestion window up to send_buffer, as in Linux. Default: false. Allowed:
    true or false."""
    udp_payload: str
    """UDP payload of one datagram; the IP packet is 28 bytes longer. Default: '1472B'. Allowed: an amount of data with its unit, such as '64KiB' (B,
    kB, KiB, MB, MiB, GB, GiB)."""
    udp_ack_every: str | int | float | bool | list[str]
    """For how many datagrams the receiver sends one back, as an emulation of TCP ACKs (TACK paper, figure 3). Default: 'never'. Allowed: 'never' or a
    whole number, 0 or more."""
    udp_ack_payload: str
    """UDP payload of such a datagram; 18 bytes make the smallest Ethernet frame, 64 bytes. Default: '18B'. Allowed: an amount of data with its unit,
    such as '64KiB' (B, kB, KiB, MB, MiB, GB, GiB)."""


class Tack(TypedDict, total=False):
    """The keys of ``[tack]``."""

    form: Literal["kinds", "experimental"]
    """How its options are written: as kinds 40 to 42, which are not assigned, or behind an experiment's identifier (RFC 6994). Default: 'kinds'.
    Allowed: one of 'kinds', 'experimental'."""
    blocks: Literal["rich", "distinct", "poor", "on-demand"]
    """What a TACK tells of holes (section V-A): as many as fit, the oldest repeated to fill it or each but once, the first one alone, or more of them
    once the loss on the ACK path demands it (equation 5). Default: 'rich'. Allowed: one of 'rich', 'distinct', 'poor', 'on-demand'."""
    loss_signal: Literal["iack", "tack-only"]
    """Whether an IACK pulls lost packets, or only TACKs tell of losses (figure 6(a)). Default: 'iack'. Allowed: one of 'iack', 'tack-only'."""
    timing: Literal["one-way-delay", "sampled"]
    """How the least round-trip time is measured (section V-B): by one-way delays, or by one sample for each TACK (figure 7(a)). Default:
    'one-way-delay'. Allowed: one of 'one-way-delay', 'sampled'."""
    tau: str
    """tau: for how long a least round-trip time counts (section V-B). Default: '10s'. Allowed: a time with its unit, such as '5ms' (ns, us, ms,
    s)."""
    variant: Literal["standard", "miracast", "rounds"]
    """What receiver-bbr is tuned for: ProbeBW of 32 intervals and a filter of 40 (section VI-D), of 16 and 20 (VII-D), or, for paths that change, a
    filter of sixteen rounds and a look for a change of path (row tack-wifi). Default: 'standard'. Allowed: one of 'standard', 'miracast',
    'rounds'."""
    losses: Literal["ignored", "bound"]
    """Whether losses bound what variant rounds has in flight: where a queue stands all round, be it long or short, more than 2 % of a round, as of
    BBR version 3, leave 0.775 of it (up to 0.9 where cuts of a long queue have been in vain), which grows back as CUBIC's window does (row
    tack-wifi). Default: 'ignored'. Allowed: one of 'ignored', 'bound'."""
    probe_rtt: Literal["gentle", "never"]
    """ProbeRTT of the Miracast variant: at 0.75 of the rate every 2.5 s, or never. Default: 'gentle'. Allowed: one of 'gentle', 'never'."""
    batch: bool
    """Whether a TACK that falls due amid a batch, which is what the host is handed up at once, waits for its end (row tack-wifi: true): at most one
    for each PPDU, and then as many as f asks for. Default: false. Allowed: true or false."""
    share: Literal["least", "usual"]
    """Of which round trip 1/f is the beta-th part: of the least (section IV-A), or of the usual one, which the lower quartile of the last sixteen
    rounds is, but between 30 and 40 ms by that (row tack-wifi); and, where so many reports are lost that beta in a row are too often, of the least
    with as many as that takes. Default: 'least'. Allowed: one of 'least', 'usual'."""
    rate: Literal["receiver", "sender"]
    """Who measures the rate of delivery: the receiver over two TACK intervals (section VI-D), or the sender over at least a round, from what the
    receiver says that it has (row tack-wifi). Default: 'receiver'. Allowed: one of 'receiver', 'sender'."""
    window_asks: bool
    """Whether a sender that the peer's window blocks asks for eight times as many TACKs, and probes a window whose report is overdue at once (row
    tack-wifi: true). Default: false. Allowed: true or false."""
    settling: Literal["quarter", "adaptive"]
    """For how long a gap may close before it is a loss: RTTmin/4 (section VIII), or longer where what had been given up came all the same (row
    tack-wifi). Default: 'quarter'. Allowed: one of 'quarter', 'adaptive'."""
    by_letter: Literal["neither", "peer", "station"]
    """Which end of each flow does TACK by the letter of the paper, as a peer would that knows of nothing else, whatever these keys and ack_beta,
    ack_l and congestion = receiver-bbr say: neither, the one that is called (the server, or a flow's other station), or the station. Default:
    'neither'. Allowed: one of 'neither', 'peer', 'station'."""


class Flows(TypedDict, total=False):
    """The keys of ``[flows]``."""

    name: str
    """Name of the group; its flows are NAME-1, NAME-2 and so on. Default: 'flow'. Allowed: a text in quotes."""
    stations: str
    """The stations: all, or the name of a group. Default: 'all'. Allowed: a text in quotes."""
    count: int
    """How many for each station. Default: 1. Allowed: a whole number, 0 or more."""
    direction: Literal["down", "up"]
    """Which way the data goes, seen from the wire. Default: 'down'. Allowed: one of 'down', 'up'."""
    peer: str
    """The other end: server, or the name of a group of stations, whose stations are taken in turn. Default: 'server'. Allowed: a text in quotes."""
    protocol: Literal["auto", "tcp", "udp"]
    """What carries it; auto is transport.protocol. Default: 'auto'. Allowed: 'auto' or one of 'tcp', 'udp'."""
    tack: Literal['auto'] | bool
    """Whether TACK is offered; auto is transport.tack. Default: 'auto'. Allowed: 'auto' or true or false."""
    congestion: Literal["auto", "reno", "newreno", "cubic", "bbr", "bbr3", "receiver-bbr"]
    """Congestion control; auto is transport.congestion. Default: 'auto'. Allowed: 'auto' or one of 'reno', 'newreno', 'cubic', 'bbr', 'bbr3',
    'receiver-bbr'."""
    ack: str | int | float | bool | list[str]
    """When ACKs are sent; auto is transport.ack. Default: 'auto'. Allowed: 'auto' or a number of segments from 1 up, 'per-packet' (1), 'delayed' (2),
    'byte-counting', 'periodic', 'share', 'request', 'tack' or 'linux'."""
    recovery: Literal["auto", "standard", "rack"]
    """How losses are noticed; auto is transport.recovery. Default: 'auto'. Allowed: 'auto' or one of 'standard', 'rack'."""
    udp_payload: str
    """UDP payload of one datagram; auto is transport.udp_payload. Default: 'auto'. Allowed: 'auto' or an amount of data with its unit, such as
    '64KiB' (B, kB, KiB, MB, MiB, GB, GiB)."""
    udp_ack_every: str | int | float | bool | list[str]
    """For how many datagrams one is sent back; auto is transport.udp_ack_every. Default: 'auto'. Allowed: 'auto' or 'never' or a whole number, 0 or
    more."""
    traffic: Literal["bulk", "finite", "repeated", "on-off", "video", "requests"]
    """What the application sends: without end, once, again and again on new connections, on and off, a video as time passes, or requests and
    responses on one connection (TCP), which the results tell as transfers. Default: 'bulk'. Allowed: one of 'bulk', 'finite', 'repeated', 'on-off',
    'video', 'requests'."""
    rate: str
    """How fast the application hands over data (bulk, on-off), and the bit rate of a video, which needs one. Default: 'saturating'. Allowed:
    'saturating' or a rate with its unit, such as '150Mbps' (bps, kbps, Mbps, Gbps)."""
    read_rate: str
    """How fast the receiving application reads what has come (TCP), at most; auto is at once. What it has not read fills transport.receive_buffer,
    and goodput counts what it has. Default: 'auto'. Allowed: 'auto' or a rate with its unit, such as '150Mbps' (bps, kbps, Mbps, Gbps)."""
    size: str
    """Application bytes of a transfer (finite, repeated). Default: '1MB'. Allowed: an amount of data with its unit, such as '64KiB' (B, kB, KiB, MB,
    MiB, GB, GiB)."""
    think: str
    """Time from the end of a transfer to the start of the next (repeated), or from the end of a response to the next request (requests). Default:
    '100ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    request_size: str
    """Application bytes of a request, which goes against flows.direction (requests). Default: '300B'. Allowed: an amount of data with its unit, such
    as '64KiB' (B, kB, KiB, MB, MiB, GB, GiB)."""
    request_writes: int
    """In how many writes the client hands a request over, one behind another in one instant (requests). Default: 1. Allowed: a whole number, 0 or
    more."""
    response_size: str
    """Application bytes of a response, which goes in flows.direction (requests). Default: '30kB'. Allowed: an amount of data with its unit, such as
    '64KiB' (B, kB, KiB, MB, MiB, GB, GiB)."""
    response_writes: int
    """In how many writes the server hands a response over (requests). Default: 1. Allowed: a whole number, 0 or more."""
    request_count: str | int | float | bool | list[str]
    """How many requests there are (requests); never is without end. Default: 'never'. Allowed: 'never' or a whole number, 0 or more."""
    no_delay: Literal['auto'] | bool
    """Whether both ends switch Nagle's algorithm off (TCP_NODELAY), so that transport.nagle has no bearing; auto is true for a video. Default:
    'auto'. Allowed: 'auto' or true or false."""
    on: str
    """How long it sends (on-off). Default: '1s'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    off: str
    """How long it is silent (on-off). Default: '1s'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    frame_interval: str
    """Time from one frame to the next (video). Default: '33.333ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    key_every: int
    """Of how many frames the first is a key frame (video). Default: 30. Allowed: a whole number, 0 or more."""
    key_weight: int
    """How many times as long as another frame a key frame is (video). Default: 1. Allowed: a whole number, 0 or more."""
    play_from: str
    """How much video must be there before the first frame is shown (video). Default: '100ms'. Allowed: a time with its unit, such as '5ms' (ns, us,
    ms, s)."""
    resume_from: str
    """How much must be there after a stop (video). Default: '100ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    catch_up: str
    """Where more than this is there, frames are skipped until flows.play_from is left, so that the viewer does not lag behind (video). Default:
    'never'. Allowed: 'never' or a time with its unit, such as '5ms' (ns, us, ms, s)."""
    times: Literal["fixed", "exponential"]
    """Whether think, on and off are always the same or exponentially distributed with this mean. Default: 'fixed'. Allowed: one of 'fixed',
    'exponential'."""
    start: str
    """When the first flow of the group starts. Default: '0s'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    stagger: str
    """How much later each further one starts. Default: '100ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""


class Pings(TypedDict, total=False):
    """The keys of ``[pings]``."""

    name: str
    """Name of the group; its pings are NAME-1, NAME-2 and so on. Default: 'ping'. Allowed: a text in quotes."""
    stations: str
    """The stations: all, or the name of a group. Default: 'all'. Allowed: a text in quotes."""
    interval: str
    """Time from one request to the next. Default: '20ms'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""
    packet: str
    """IP packet of request and reply. Default: '84B'. Allowed: an amount of data with its unit, such as '64KiB' (B, kB, KiB, MB, MiB, GB, GiB)."""
    start: str
    """When the first request leaves. Default: '0s'. Allowed: a time with its unit, such as '5ms' (ns, us, ms, s)."""


class Sections(TypedDict, total=False):
    """All sections; one that may be repeated is a list."""

    run: Run
    wifi: Wifi
    scheme: Scheme
    hack: Hack
    agent: Agent
    filter: Filter
    arq_proxy: ArqProxy
    thinning: Thinning
    fast_ack: FastAck
    ap: Ap
    stations: list[Stations] | Stations
    loss: Loss
    pairs: list[Pairs] | Pairs
    cells: list[Cells] | Cells
    server: Server
    wired: Wired
    steps: list[Steps] | Steps
    transport: Transport
    tack: Tack
    flows: list[Flows] | Flows
    pings: list[Pings] | Pings

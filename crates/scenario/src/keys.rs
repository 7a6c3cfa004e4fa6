//! Every section and key of a scenario, with its type, default and meaning.
//!
//! Each declaration is the only place where its key is described: see [`crate::schema`]. Those of the schemes stand in
//! `schemes`, those of the transports in `transport`.

#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "meanings are printed too, and name sections as a file does: [tack]"
)]

mod schemes;
mod transport;

use ackless_cell::config::{
    ApScheduler, Delivery, Direction, Distance, Gro, NewOptions, Pace, Probability, RateControl, Segments, Topology,
};
use ackless_phy::{Band, GuardInterval, Preamble, Standard, Width};
use ackless_wire::{BitRate, Bytes, Duration};

use crate::schema::{SectionInfo, section};
use crate::value::{
    AckRule, Angle, AtEnd, Auto, Backoff, Congestion, Counted, Decibels, DeviceQueue, Discipline, Fading, Frequency,
    Hears, Level, LossModel, Milli, Pattern, Protocol, RatePoint, Recovery, Room, SnrPoint, Spread, Switch, TraceEnd,
    Ways,
};

pub(crate) use schemes::{Agent, ArqProxy, FastAck, Filter, Hack, Scheme, Thinning};
pub(crate) use transport::{Tack, Transport};

/// Every section, in the order in which a scenario is shown.
pub const SECTIONS: &[SectionInfo] = &[
    Run::INFO,
    Wifi::INFO,
    Scheme::INFO,
    Hack::INFO,
    Agent::INFO,
    Filter::INFO,
    ArqProxy::INFO,
    Thinning::INFO,
    FastAck::INFO,
    Ap::INFO,
    Stations::INFO,
    Loss::INFO,
    Pairs::INFO,
    Cells::INFO,
    Server::INFO,
    Wired::INFO,
    Steps::INFO,
    Transport::INFO,
    Tack::INFO,
    Flows::INFO,
    Pings::INFO,
];

section! {
    /// How long the cell runs and what is compared.
    struct Run as "run" {
        /// One line that says what the scenario is about.
        title: String = "\"\"",
        /// Time that passes before anything is counted.
        warm_up: Duration = "\"2s\"",
        /// Time that is measured after the warm-up.
        measured: Duration = "\"5s\"",
        /// How many seeds a comparison or a sweep runs, counted from 1.
        seeds: u32 = "5",
        /// The rows of a comparison, unless the command names others.
        schemes: Vec<String> =
            "[\"udp\", \"tcp-l1\", \"tcp\", \"tcp-l4\", \"tcp-l8\", \"hack-timer\", \"hack-opportunistic\", \"hack\"]",
    }
}

section! {
    /// The radio and the MAC that all nodes share, unless a group of stations says other.
    struct Wifi as "wifi" {
        /// The amendment of IEEE 802.11.
        standard: Standard = "\"11n\"",
        /// Whether stations talk through the AP, or ad hoc with each other.
        topology: Topology = "\"infrastructure\"",
        /// The band; auto is 2.4 GHz for 11b and 11g, else 5 GHz.
        band: Auto<Band> = "\"auto\"",
        /// Data rate of 11b, 11a and 11g; auto is the highest, 11 or 54 Mbps.
        rate: Auto<BitRate> = "\"auto\"",
        /// MCS of 11n (0 to 31, from 8 up fixing the streams) and 11ac (0 to 9); auto is 7 and 9.
        mcs: Auto<u32> = "\"auto\"",
        /// Spatial streams of 11n (1 to 4) and 11ac (1 to 8); auto is what an 11n MCS above 7 says, else 1.
        streams: Auto<u32> = "\"auto\"",
        /// Channel width of 11n and 11ac; auto is 40 MHz and 80 MHz.
        width: Auto<Width> = "\"auto\"",
        /// Guard interval of 11n and 11ac; auto is 400 ns.
        guard_interval: Auto<GuardInterval> = "\"auto\"",
        /// How data rates are chosen: fixed, as the keys above say; or among all up to those, as minstrel-ht of Linux 6.12 does,
        /// which learns from what is acknowledged; or ideal, always the fastest at which 1,500 bytes arrive with 90 % or more at the SNR of
        /// the receiver. The latter two need loss.model = snr or path-loss. With minstrel-ht belongs wifi.retry_limit = 30: drivers under
        /// it, such as ath9k, give an MPDU of an A-MPDU up so late, and with 7 it is gone before slower rates have had their turn.
        rate_control: RateControl = "\"fixed\"",
        /// Preamble of 11b frames.
        preamble: Preamble = "\"long\"",
        /// Rates that every node supports; auto is 1 and 2 Mbps for 11b, else 6, 12 and 24 Mbps.
        basic_rates: Auto<Vec<BitRate>> = "\"auto\"",
        /// Rate of ACKs, BlockAcks and CTSs; auto follows the rule of IEEE 802.11-2020, 10.6.6.5.
        answer_rate: Auto<BitRate> = "\"auto\"",
        /// Rate of group-addressed frames that carry packets, as 802.11 ACK filtering sends them; auto is that of beacons, or
        /// the lowest of the PHY where there are none.
        group_rate: Auto<BitRate> = "\"auto\"",
        /// QoS data frames under EDCA as best effort instead of DCF; auto is true for 11n and 11ac.
        qos: Auto<bool> = "\"auto\"",
        /// Slots after SIFS before back-off under EDCA; auto is 3.
        aifsn: Auto<u32> = "\"auto\"",
        /// Smallest contention window; auto is 31 for 11b, else 15.
        cw_min: Auto<u32> = "\"auto\"",
        /// Largest contention window; auto is 1023.
        cw_max: Auto<u32> = "\"auto\"",
        /// How the contention window moves, at every node but legacy stations: as the standard says, or by auto-zoom (section
        /// III.2 of the ACK agent's paper), which goes below cw_min after successes.
        backoff: Backoff = "\"standard\"",
        /// Smallest contention window under auto-zoom, below cw_min. The paper counts values, this like cw_min the largest
        /// counter: the paper's minCWmin of 2 is 1 here.
        cw_floor: u32 = "1",
        /// How long the medium may be held under EDCA; 0us is one frame exchange.
        txop_limit: Duration = "\"0us\"",
        /// A-MPDUs under BlockAck; auto is true for 11n and 11ac.
        ampdu: Auto<bool> = "\"auto\"",
        /// Longest A-MPDU; auto is 65,535 bytes for 11n and 1,048,575 for 11ac.
        ampdu_max: Auto<Bytes> = "\"auto\"",
        /// Most MPDUs in an A-MPDU.
        ampdu_mpdus: u32 = "64",
        /// Buffer of a BlockAck agreement in MPDUs, from 1 to 64: an unacknowledged MPDU keeps back those so far behind it.
        block_ack_window: u32 = "64",
        /// Shortest time from the start of one MPDU to the next within an A-MPDU; 0us is no restriction.
        min_mpdu_spacing: Duration = "\"0us\"",
        /// Longest A-MSDU, its subframes' headers and padding included: an MPDU of an A-MPDU carries as many of the packets that already wait for
        /// its receiver as fit, which share its header, its sequence number and its fate. At most 7,935 bytes for 11n, whose MPDUs in an A-MPDU have
        /// at most 4,095, and 11,424 for 11ac, whose MPDUs have at most 11,454.
        amsdu_max: Switch<Bytes> = "\"off\"",
        /// When a node hands up to its host what it has received: per-ppdu, at the end of each PPDU; per-mpdu, each MPDU of an A-MPDU when its last bit is in, as ns-3 does;
        /// coalesced(TIME), what has come within TIME of the first, all at once, as network cards that hold their interrupt back. What is handed up at once is a batch for GRO.
        /// In Linux ath11k and ath12k wait 500 us or for 128 entries (HAL_SRNG_INT_TIMER_THRESHOLD_RX), iwlwifi 2,048 us (IWL_HOST_INT_TIMEOUT_DEF), and ath9k until nothing has come
        /// for 500 us, at most 2,000 us (AR_RIMT_LAST, AR_RIMT_FIRST).
        delivery: Delivery = "\"per-ppdu\"",
        /// What counts against the limits of fifo queues: waiting, what waits in them; in-flight, also MPDUs that have been sent and have no fate yet, as in ns-3, where an A-MSDU is one of them.
        queue_counts: Counted = "\"waiting\"",
        /// What a frame that is queued in the instant at which a reception ends takes the medium for: busy, so that it draws a back-off (IEEE 802.11-2020, 10.3.4.2); idle, as ns-3 does, so
        /// that it leaves after DIFS or AIFS where no counter is pending.
        reception_end: AtEnd = "\"busy\"",
        /// Whether a node waits EIFS after a PPDU that it could not make out, such as one that has collided (IEEE 802.11-2020, 10.3.2.3.7); false: DIFS or AIFS, as after
        /// energy alone, which is what ns-3's receivers take equally strong PPDUs for that begin at once.
        eifs: bool = "true",
        /// Longer frames are preceded by RTS and CTS.
        rts_threshold: Option<Bytes> = "\"never\"",
        /// How many times an MPDU is sent before it is given up (dot11ShortRetryLimit), at least 1; never gives up never.
        retry_limit: Option<u32> = "7",
        /// What the ACK timeout adds to SIFS, slot and preamble.
        ack_timeout_extra: Duration = "\"0us\"",
        /// How much later than SIFS every node answers; its peers know it and wait as much longer.
        answer_delay: Duration = "\"0us\"",
        /// Who hears whom: all hear each other, and what overlaps is lost; or by the powers with which frames come in, which then also
        /// decide what the air loses. The latter asks for loss.model=path-loss and an AP, and knows no 11b.
        hearing: Hears = "\"all\"",
        /// Whether a receiver leaves the frame that it has locked on for one that begins later and is 10 dB stronger than all else
        /// (by-power).
        relocking: bool = "false",
        /// The least power over 20 MHz with which a node detects a preamble; over 40, 80 and 160 MHz it is 3, 6 and 9 dB more (by-power).
        /// IEEE 802.11-2020, 17.3.10.6.
        preamble_detection: Level = "\"-82dBm\"",
        /// The least power over the primary 20 MHz with which the medium counts as busy, whatever it is that comes in (by-power).
        energy_detection: Level = "\"-62dBm\"",
        /// Whether the AP sends beacons.
        beacons: bool = "false",
        /// Time from one beacon to the next (100 TU).
        beacon_interval: Duration = "\"102.4ms\"",
        /// Rate of a beacon; auto is the lowest basic rate.
        beacon_rate: Auto<BitRate> = "\"auto\"",
        /// Length of a beacon with its MAC header and FCS, at least 58 bytes (11b: 54); 200 is a choice of ours, real ones have 100 to 400.
        beacon_size: Bytes = "\"200B\"",
    }
}

section! {
    /// The access point.
    struct Ap as "ap" {
        /// Its own smallest contention window; auto is wifi.cw_min.
        cw_min: Auto<u32> = "\"auto\"",
        /// Its own largest contention window; auto is wifi.cw_max.
        cw_max: Auto<u32> = "\"auto\"",
        /// How its contention window moves; auto is wifi.backoff.
        backoff: Auto<Backoff> = "\"auto\"",
        /// The queue that it keeps for each client.
        queue: Discipline = "\"fifo\"",
        /// Packets that a fifo holds for each client; the rest is dropped at the tail.
        queue_packets: u32 = "126",
        /// Whether that is one limit, so many times as long, for all clients together, as in ns-3.
        queue_shared: bool = "false",
        /// Standing delay that fq-codel tolerates; Linux uses 20 ms on Wi-Fi.
        codel_target: Duration = "\"20ms\"",
        /// How long fq-codel lets the delay exceed the target; Linux uses 100 ms on Wi-Fi.
        codel_interval: Duration = "\"100ms\"",
        /// What fq-codel lets a flow send in a round; Linux uses 300 bytes on Wi-Fi.
        fq_quantum: Bytes = "\"300B\"",
        /// Packets that fq-codel holds for each client.
        fq_limit: u32 = "8192",
        /// Whether fq-codel marks packets that may be marked (transport.ecn) in place of dropping them, as mac80211 does.
        fq_ecn: bool = "true",
        /// How much of what waits in these queues the device below them is given in advance, from which PPDUs are built and which codel does not see: none, so that a packet
        /// leaves its queue when its PPDU is built; so many packets for each client; or, with aql, as much as Linux's airtime queue limits allow, ap.aql_low to ap.aql_high of estimated air time for each
        /// client. A packet counts until it is acknowledged or given up. What the device has, a scheme can no longer take back.
        device_queue: DeviceQueue = "\"none\"",
        /// What the device may always hold for a client (aql).
        aql_low: Duration = "\"5ms\"",
        /// What it may hold for a client where it holds less than ap.aql_threshold for all (aql).
        aql_high: Duration = "\"12ms\"",
        /// See there (aql).
        aql_threshold: Duration = "\"24ms\"",
        /// Which client is served next.
        scheduler: ApScheduler = "\"round-robin\"",
        /// Time from the wire to the MAC's queue, and back.
        host_latency: Duration = "\"0us\"",
    }
}

section! {
    /// A group of alike stations; several groups make a mixed cell.
    #[repeated = true]
    struct Stations as "stations" {
        /// Name of the group; its stations are NAME-1, NAME-2 and so on.
        name: String = "\"sta\"",
        /// How many.
        count: u32 = "1",
        /// The cell that they belong to: own, or the name of one in [[cells]].
        cell: String = "\"own\"",
        /// Whether it stays without a scheme of its own, whatever scheme.name says.
        legacy: bool = "false",
        /// Whether it is a bridge: data between it and the AP bears four addresses.
        four_address: bool = "false",
        /// What it is linked to: ap, or the name of a group above this one, whose stations then relay between it and the AP, each
        /// for some of its stations in turn. Rates, losses and distance are those of this link.
        via: String = "\"ap\"",
        /// Distance from the AP; it matters only to the path-loss model.
        distance: Distance = "\"5m\"",
        /// Where it stands around what it is linked to, in degrees (by-power); auto spreads all stations of the cell evenly, the first
        /// at 0.
        angle: Auto<Angle> = "\"auto\"",
        /// The amendment it speaks; auto is wifi.standard. An older one makes a legacy station: 11a or 11n in an 11ac
        /// cell, 11a or 11g in an 11n cell.
        standard: Auto<Standard> = "\"auto\"",
        /// Data rate of a station of 11b, 11a or 11g, both ways; auto is wifi.rate, or 54 Mbps for a legacy station.
        rate: Auto<BitRate> = "\"auto\"",
        /// MCS, both ways; auto is wifi.mcs.
        mcs: Auto<u32> = "\"auto\"",
        /// Spatial streams, both ways; auto is wifi.streams.
        streams: Auto<u32> = "\"auto\"",
        /// Channel width, both ways, at most the cell's; auto is wifi.width.
        width: Auto<Width> = "\"auto\"",
        /// Guard interval, both ways; auto is wifi.guard_interval.
        guard_interval: Auto<GuardInterval> = "\"auto\"",
        /// How data rates are chosen, both ways; auto is wifi.rate_control.
        rate_control: Auto<RateControl> = "\"auto\"",
        /// Packets that its MAC queue holds; the rest is dropped at the tail.
        queue_packets: u32 = "126",
        /// Time from its TCP to its MAC's queue, and back.
        host_latency: Duration = "\"0us\"",
        /// What each station adds to that for the whole of a run: a time drawn evenly from 0 to this, by a stream of its own.
        host_latency_spread: Duration = "\"0us\"",
        /// What it merges of what its MAC hands up at once, as generic receive offload does: nothing, all of a batch that Linux would,
        /// or at most so many segments.
        gro: Gro = "\"off\"",
        /// TCP Small Queues: for how much time, at its rate, each of its connections may have data in the queues below, which is until the
        /// MAC has its MPDU acknowledged or given up; at least two packets, at most 1 MiB unless paced; up to 1s. Linux has 8 ms on Wi-Fi (mac80211).
        tsq: Switch<Duration> = "\"off\"",
        /// TCP segmentation offload: its TCPs send new data in bursts that carry what their rate does in this time (and more over round trips below 16 ms), with PSH at
        /// the end, and wait a little for room for longer ones. Linux has 8 ms on Wi-Fi. Not with TACK.
        tso: Switch<Duration> = "\"off\"",
        /// Loss of packets between its MAC and its transports, each way: what driver and kernel drop, and neither end of the air knows of.
        host_loss: Probability = "0.0",
        /// Signal-to-noise ratio to and from the AP under the snr model; auto is loss.snr.
        snr: Auto<Decibels> = "\"auto\"",
        /// How that goes over time, as loss.snr_trace; auto is loss.snr_trace, or that it stays where it has a stations.snr.
        snr_trace: Auto<Vec<SnrPoint>> = "\"auto\"",
        /// A file with that, as loss.snr_file.
        snr_file: String = "\"\"",
        /// The columns of that file, as loss.snr_file_columns; auto is loss.snr_file_columns.
        snr_file_columns: Auto<Vec<u32>> = "\"auto\"",
        /// The greatest Doppler shift of its fading; auto is loss.doppler.
        doppler: Auto<Frequency> = "\"auto\"",
        /// Loss of data MPDUs from the AP under the per-frame model; auto is loss.down_data.
        down_data_loss: Auto<Probability> = "\"auto\"",
        /// Loss of control frames from the AP under the per-frame model; auto is loss.down_control.
        down_control_loss: Auto<Probability> = "\"auto\"",
        /// Loss of data MPDUs to the AP under the per-frame model; auto is loss.up_data.
        up_data_loss: Auto<Probability> = "\"auto\"",
        /// Loss of control frames to the AP under the per-frame model; auto is loss.up_control.
        up_control_loss: Auto<Probability> = "\"auto\"",
    }
}

section! {
    /// What the air loses, beside collisions.
    struct Loss as "loss" {
        /// Nothing, each frame by a fixed probability, or by the modulation's error model at an SNR or a distance.
        model: LossModel = "\"none\"",
        /// Loss of data MPDUs from the AP (per-frame).
        down_data: Probability = "0.0",
        /// Loss of control frames from the AP, with what is appended to them (per-frame).
        down_control: Probability = "0.0",
        /// Loss of data MPDUs to the AP (per-frame).
        up_data: Probability = "0.0",
        /// Loss of control frames to the AP, with what is appended to them (per-frame).
        up_control: Probability = "0.0",
        /// Signal-to-noise ratio over the channel's width (snr).
        snr: Decibels = "\"30dB\"",
        /// How that goes over time: from each of these times on, counted from the start of the run, it is this (snr).
        snr_trace: Vec<SnrPoint> = "[]",
        /// A file with that: on each line a time in seconds and an SNR in dB, as NumPy, pandas and
        /// spreadsheets write numbers: divided by blanks, tabs, commas or semicolons, with any
        /// number of decimals or an exponent, and perhaps with a header. What follows a # does not
        /// count. Times are rounded to nanoseconds and SNRs to thousandths of a dB. The command
        /// reads the file and puts its content into loss.snr_trace. A name in a scenario file is
        /// seen from that file's folder.
        snr_file: String = "\"\"",
        /// The columns of loss.snr_file that have the time and the SNR, counted from 1; auto is [1,
        /// 2].
        snr_file_columns: Auto<Vec<u32>> = "\"auto\"",
        /// Whether links fade about their SNR (snr, path-loss): rayleigh is flat fading by waves from all sides, each link for itself and both its
        /// ways alike.
        fading: Fading = "\"none\"",
        /// The greatest Doppler shift of fading: 10 Hz are 2 km/h at 5.2 GHz.
        doppler: Frequency = "\"10Hz\"",
        /// Transmit power of every node (path-loss).
        tx_power: Level = "\"16.021dBm\"",
        /// Loss over the first metre (path-loss); the default is free space at 5.15 GHz.
        reference_loss: Decibels = "\"46.678dB\"",
        /// Path loss exponent (path-loss); 2 is free space.
        exponent: Milli = "3.0",
        /// What a receiver adds to thermal noise (path-loss).
        noise_figure: Decibels = "\"7dB\"",
    }
}

section! {
    /// Nodes between which the power that comes in is given, and does not follow from their distance (by-power): a wall, or a line of sight. It
    /// holds both ways; of several that concern the same two nodes the last one does.
    #[repeated = true]
    struct Pairs as "pairs" {
        /// Name of the pairs.
        name: String = "\"pair\"",
        /// On one side: ap, all (stations), the name of a group of stations, or NAME.ap for the AP of another cell.
        from: String = "\"ap\"",
        /// On the other side, likewise.
        to: String = "\"all\"",
        /// The power that comes in, over the width of a frame; auto leaves it to the distance.
        power: Auto<Level> = "\"auto\"",
    }
}

section! {
    /// Another cell on the same channel, whose stations are the groups that name it (stations.cell): it has an AP like the first one, a wire
    /// and a server of its own, and runs in the same row. Tables, JSON and ledger are kept for each cell; a capture or timeline is of the first.
    #[repeated = true]
    struct Cells as "cells" {
        /// Name of the cell; the first one, which has no section, is called own.
        name: String = "\"next\"",
        /// From the first cell's AP to this one's.
        distance: Distance = "\"20m\"",
        /// In which direction.
        angle: Angle = "\"0deg\"",
        /// Whether its AP and stations stay without a scheme of their own, whatever scheme.name says.
        legacy: bool = "false",
    }
}

section! {
    /// The host behind the wire.
    struct Server as "server" {
        /// What it merges of what the wire hands up in one instant, as stations.gro.
        gro: Gro = "\"off\"",
        /// Time from its TCP to its wire, and back.
        host_latency: Duration = "\"0us\"",
        /// TCP Small Queues, as stations.tsq, until the wire has sent a packet; Linux has 1 ms on a wire.
        tsq: Switch<Duration> = "\"off\"",
        /// TCP segmentation offload, as stations.tso; Linux has 1 ms on a wire.
        tso: Switch<Duration> = "\"off\"",
    }
}

section! {
    /// The wire between the server and the AP, alike both ways where a key does not name one: down is to the AP, up to the server.
    struct Wired as "wired" {
        /// Rate at which IP packets leave.
        rate: BitRate = "\"500Mbps\"",
        /// That to the AP; auto is wired.rate.
        down_rate: Auto<BitRate> = "\"auto\"",
        /// That to the server; auto is wired.rate.
        up_rate: Auto<BitRate> = "\"auto\"",
        /// How the rate goes over time, counted from the start of the run: each item is a time with
        /// the rate from then on, such as "1.5s 20Mbps", where 0bps pauses the wire as steps.rate
        /// does; or each is a time with the bytes that may leave then, such as "5ms 1500B", as in
        /// traces of mahimahi. Before the first rate wired.rate holds.
        rate_trace: Vec<RatePoint> = "[]",
        /// That to the AP; auto is wired.rate_trace.
        down_rate_trace: Auto<Vec<RatePoint>> = "\"auto\"",
        /// That to the server; auto is wired.rate_trace.
        up_rate_trace: Auto<Vec<RatePoint>> = "\"auto\"",
        /// What comes after the end of these traces: hold, the last rate, or after the last bytes
        /// nothing at all; repeat, the trace again, the last rate having lasted as long as the one
        /// before it, and the time of the last bytes being the start of the next round, as in
        /// mahimahi. Auto is hold for rates and repeat for bytes.
        rate_trace_end: Auto<TraceEnd> = "\"auto\"",
        /// A file with that, written as loss.snr_file: on each line a time in seconds and a rate in
        /// Mbps, rounded to bits per second; or, where it has one column, a trace of mahimahi: on
        /// each line a time in milliseconds at which 1,500 bytes may leave. Bytes for which nothing
        /// waits are lost. The command reads it and puts its content into wired.rate_trace.
        rate_file: String = "\"\"",
        /// That to the AP, for wired.down_rate_trace.
        down_rate_file: String = "\"\"",
        /// That to the server, for wired.up_rate_trace.
        up_rate_file: String = "\"\"",
        /// The columns of these files that have the time and the rate, counted from 1, or the one
        /// with the times of mahimahi; auto is [1, 2], or [1] where a file has one.
        rate_file_columns: Auto<Vec<u32>> = "\"auto\"",
        /// Delay one way.
        delay: Duration = "\"1ms\"",
        /// That to the AP; auto is wired.delay.
        down_delay: Auto<Duration> = "\"auto\"",
        /// That to the server; auto is wired.delay.
        up_delay: Auto<Duration> = "\"auto\"",
        /// What is added to the delay of each packet: a time drawn evenly from 0 to this.
        jitter: Duration = "\"0s\"",
        /// That to the AP; auto is wired.jitter.
        down_jitter: Auto<Duration> = "\"auto\"",
        /// That to the server; auto is wired.jitter.
        up_jitter: Auto<Duration> = "\"auto\"",
        /// Whether jitter lets later packets overtake; if not, a packet waits for those before it.
        jitter_reorders: bool = "false",
        /// Loss of packets.
        loss: Probability = "0.0",
        /// That to the AP; auto is wired.loss.
        down_loss: Auto<Probability> = "\"auto\"",
        /// That to the server; auto is wired.loss.
        up_loss: Auto<Probability> = "\"auto\"",
        /// Probability that a packet is held back, so that later ones overtake it.
        reorder: Probability = "0.0",
        /// How long such a packet is held.
        reorder_delay: Duration = "\"1ms\"",
        /// Packets that may wait for the wire at either end; the rest is dropped at the tail.
        buffer_packets: u32 = "1000",
        /// What may wait at the server's end, in packets or bytes; auto is wired.buffer_packets.
        down_buffer: Auto<Room> = "\"auto\"",
        /// What may wait at the AP's end, in packets or bytes; auto is wired.buffer_packets.
        up_buffer: Auto<Room> = "\"auto\"",
        /// Largest IP packet.
        mtu: Bytes = "\"1500B\"",
        /// What a middlebox at its end does with TCP options that are newer than it is, those of TACK and of transport.ack=request: it lets them pass, takes them out, or drops what bears them.
        new_options: NewOptions = "\"pass\"",
        /// That at the AP's end; auto is wired.new_options.
        down_new_options: Auto<NewOptions> = "\"auto\"",
        /// That at the server's end; auto is wired.new_options.
        up_new_options: Auto<NewOptions> = "\"auto\"",
        /// What a middlebox at its end does with TCP segments: it lets them pass, cuts them into parts of 700 bytes of payload and the rest, each with all options, as network cards do, or draws
        /// their sequence numbers anew, and takes that back out of acknowledgement numbers and SACK options, as firewalls do.
        segments: Segments = "\"pass\"",
        /// That at the AP's end; auto is wired.segments.
        down_segments: Auto<Segments> = "\"auto\"",
        /// That at the server's end; auto is wired.segments.
        up_segments: Auto<Segments> = "\"auto\"",
    }
}

section! {
    /// A change of the wire, of the air, or of both during the run.
    #[repeated = true]
    struct Steps as "steps" {
        /// Name of the step.
        name: String = "\"step\"",
        /// When it comes, counted from the start of the run.
        at: Duration = "\"0s\"",
        /// Which way the wire changes.
        direction: Ways = "\"both\"",
        /// The new rate of the wire; auto leaves it. 0bps pauses it until a step with another rate:
        /// queued packets wait, and so does what is not sent yet of the packet under way; what
        /// finds the buffer full is dropped as ever.
        rate: Auto<BitRate> = "\"auto\"",
        /// The new delay of the wire; auto leaves it. A shorter one lets no packet overtake.
        delay: Auto<Duration> = "\"auto\"",
        /// The new loss of the wire; auto leaves it.
        loss: Auto<Probability> = "\"auto\"",
        /// What a middlebox on the wire does from then on, as wired.new_options; auto leaves it.
        new_options: Auto<NewOptions> = "\"auto\"",
        /// The stations whose air changes: all, or the name of a group.
        stations: String = "\"all\"",
        /// The new SNR to and from them, under the snr model; auto leaves it.
        snr: Auto<Decibels> = "\"auto\"",
        /// A loss of each MPDU and each control frame to and from them, besides what the loss model does, whatever that is; auto leaves it.
        air_loss: Auto<Probability> = "\"auto\"",
        /// For how long from then on nothing at all is received to and from them.
        outage: Duration = "\"0s\"",
    }
}

section! {
    /// A group of alike flows, one for each station that it names.
    #[repeated = true]
    struct Flows as "flows" {
        /// Name of the group; its flows are NAME-1, NAME-2 and so on.
        name: String = "\"flow\"",
        /// The stations: all, or the name of a group.
        stations: String = "\"all\"",
        /// How many for each station.
        count: u32 = "1",
        /// Which way the data goes, seen from the wire.
        direction: Direction = "\"down\"",
        /// The other end: server, or the name of a group of stations, whose stations are taken in turn.
        peer: String = "\"server\"",
        /// What carries it; auto is transport.protocol.
        protocol: Auto<Protocol> = "\"auto\"",
        /// Whether TACK is offered; auto is transport.tack.
        tack: Auto<bool> = "\"auto\"",
        /// Congestion control; auto is transport.congestion.
        congestion: Auto<Congestion> = "\"auto\"",
        /// When ACKs are sent; auto is transport.ack.
        ack: Auto<AckRule> = "\"auto\"",
        /// How losses are noticed; auto is transport.recovery.
        recovery: Auto<Recovery> = "\"auto\"",
        /// UDP payload of one datagram; auto is transport.udp_payload.
        udp_payload: Auto<Bytes> = "\"auto\"",
        /// For how many datagrams one is sent back; auto is transport.udp_ack_every.
        udp_ack_every: Auto<Option<u32>> = "\"auto\"",
        /// What the application sends: without end, once, again and again on new connections, on
        /// and off, a video as time passes, or requests and responses on one connection (TCP),
        /// which the results tell as transfers.
        traffic: Pattern = "\"bulk\"",
        /// How fast the application hands over data (bulk, on-off), and the bit rate of a video, which needs one.
        rate: Pace = "\"saturating\"",
        /// How fast the receiving application reads what has come (TCP), at most; auto is at once. What it has not read fills
        /// transport.receive_buffer, and goodput counts what it has.
        read_rate: Auto<BitRate> = "\"auto\"",
        /// Application bytes of a transfer (finite, repeated).
        size: Bytes = "\"1MB\"",
        /// Time from the end of a transfer to the start of the next (repeated), or from the end of
        /// a response to the next request (requests).
        think: Duration = "\"100ms\"",
        /// Application bytes of a request, which goes against flows.direction (requests).
        request_size: Bytes = "\"300B\"",
        /// In how many writes the client hands a request over, one behind another in one instant
        /// (requests).
        request_writes: u32 = "1",
        /// Application bytes of a response, which goes in flows.direction (requests).
        response_size: Bytes = "\"30kB\"",
        /// In how many writes the server hands a response over (requests).
        response_writes: u32 = "1",
        /// How many requests there are (requests); never is without end.
        request_count: Option<u32> = "\"never\"",
        /// Whether both ends switch Nagle's algorithm off (TCP_NODELAY), so that transport.nagle
        /// has no bearing; auto is true for a video.
        no_delay: Auto<bool> = "\"auto\"",
        /// How long it sends (on-off).
        on: Duration = "\"1s\"",
        /// How long it is silent (on-off).
        off: Duration = "\"1s\"",
        /// Time from one frame to the next (video).
        frame_interval: Duration = "\"33.333ms\"",
        /// Of how many frames the first is a key frame (video).
        key_every: u32 = "30",
        /// How many times as long as another frame a key frame is (video).
        key_weight: u32 = "1",
        /// How much video must be there before the first frame is shown (video).
        play_from: Duration = "\"100ms\"",
        /// How much must be there after a stop (video).
        resume_from: Duration = "\"100ms\"",
        /// Where more than this is there, frames are skipped until flows.play_from is left, so that the viewer does not lag behind (video).
        catch_up: Option<Duration> = "\"never\"",
        /// Whether think, on and off are always the same or exponentially distributed with this mean.
        times: Spread = "\"fixed\"",
        /// When the first flow of the group starts.
        start: Duration = "\"0s\"",
        /// How much later each further one starts.
        stagger: Duration = "\"100ms\"",
    }
}

section! {
    /// Echo requests from the server to stations: the latency under load.
    #[repeated = true]
    struct Pings as "pings" {
        /// Name of the group; its pings are NAME-1, NAME-2 and so on.
        name: String = "\"ping\"",
        /// The stations: all, or the name of a group.
        stations: String = "\"all\"",
        /// Time from one request to the next.
        interval: Duration = "\"20ms\"",
        /// IP packet of request and reply.
        packet: Bytes = "\"84B\"",
        /// When the first request leaves.
        start: Duration = "\"0s\"",
    }
}

impl Flows {
    /// Whether its applications switch Nagle's algorithm off: a video is sent as it is made.
    pub(crate) fn has_no_delay(&self) -> bool {
        self.no_delay.value.clone().unwrap_or_else(|| self.traffic.value == Pattern::Video)
    }
}

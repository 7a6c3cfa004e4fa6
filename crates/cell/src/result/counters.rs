//! What was counted at nodes and on links.

use serde::{Deserialize, Serialize};

/// Counts in all and per node.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counters {
    /// The sum over all nodes.
    pub total: NodeCounters,
    /// The AP first, then the stations in the order of the configuration.
    pub nodes: Vec<NamedCounters>,
}

/// The counts of one node.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct NamedCounters {
    /// The node's name.
    pub name: String,
    /// Its counts.
    #[serde(flatten)]
    pub counters: NodeCounters,
}

/// What is counted at a node, as the transmitter unless said otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct NodeCounters {
    /// Times that it won or took the medium: each RTS or data PPDU that opens a frame exchange, collided ones too.
    pub channel_accesses: u64,
    /// Data PPDUs, single or aggregated, repeated ones too.
    pub data_ppdus: u64,
    /// Data MPDUs in them, repeated ones too.
    pub data_mpdus: u64,
    /// MPDUs that carry nothing but a TCP ACK (pure, or a TACK or IACK), repeated ones too.
    pub tcp_ack_mpdus: u64,
    /// PPDUs that carry nothing but TCP ACKs: the "TCP ACK frames" of a table.
    pub tcp_ack_ppdus: u64,
    /// MPDUs sent again.
    pub retries: u64,
    /// MPDUs given up after the retry limit.
    pub given_up: u64,
    /// PPDUs of its own that overlapped with another one.
    pub collisions: u64,
    /// Ack frames.
    pub acks: u64,
    /// BlockAck frames.
    pub block_acks: u64,
    /// BlockAck Request frames.
    pub block_ack_requests: u64,
    /// RTS frames.
    pub rts: u64,
    /// CTS frames.
    pub cts: u64,
    /// Beacons.
    pub beacons: u64,
    /// Answers that did not come in time.
    pub ack_timeouts: u64,
    /// MPDUs that it received with a bad FCS while nothing collided.
    pub air_losses: u64,
    /// Packets dropped because its MAC queue was full, or by FQ-CoDel.
    pub queue_drops: u64,
    /// Packets that FQ-CoDel marked in place of dropping them (ECN).
    #[serde(default)]
    pub ecn_marks: u64,
    /// Packets dropped on the wire from this node: by its buffer or by loss.
    pub wire_drops: u64,
    /// Packets lost between its transports and its MAC.
    pub host_drops: u64,
    /// Acks and BlockAcks that it sent with bytes appended.
    pub appended_answers: u64,
    /// The bytes in them.
    pub appended_bytes: u64,
    /// Application bytes that arrived at it over the air.
    pub delivered_bytes: u64,
}

impl NodeCounters {
    /// Adds another node's counts.
    pub fn add(&mut self, other: &Self) {
        let Self {
            channel_accesses,
            data_ppdus,
            data_mpdus,
            tcp_ack_mpdus,
            tcp_ack_ppdus,
            retries,
            given_up,
            collisions,
            acks,
            block_acks,
            block_ack_requests,
            rts,
            cts,
            beacons,
            ack_timeouts,
            air_losses,
            queue_drops,
            ecn_marks,
            wire_drops,
            host_drops,
            appended_answers,
            appended_bytes,
            delivered_bytes,
        } = other;
        self.channel_accesses += channel_accesses;
        self.data_ppdus += data_ppdus;
        self.data_mpdus += data_mpdus;
        self.tcp_ack_mpdus += tcp_ack_mpdus;
        self.tcp_ack_ppdus += tcp_ack_ppdus;
        self.retries += retries;
        self.given_up += given_up;
        self.collisions += collisions;
        self.acks += acks;
        self.block_acks += block_acks;
        self.block_ack_requests += block_ack_requests;
        self.rts += rts;
        self.cts += cts;
        self.beacons += beacons;
        self.ack_timeouts += ack_timeouts;
        self.air_losses += air_losses;
        self.queue_drops += queue_drops;
        self.ecn_marks += ecn_marks;
        self.wire_drops += wire_drops;
        self.host_drops += host_drops;
        self.appended_answers += appended_answers;
        self.appended_bytes += appended_bytes;
        self.delivered_bytes += delivered_bytes;
    }
}

/// The data of one link, by rate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LinkRates {
    /// The sender's name.
    pub from: String,
    /// The receiver's name, or `group`.
    pub to: String,
    /// Each rate that was used, the fastest first.
    pub rates: Vec<RateUse>,
}

/// The data that was sent at one rate; PPDUs that ended within the window.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RateUse {
    /// The rate with all that fixes it.
    pub rate: String,
    /// Of the payload, in Mbit/s.
    pub mbps: f64,
    /// Data PPDUs, repeated ones too.
    pub ppdus: u64,
    /// Data MPDUs in them, repeated ones too.
    pub mpdus: u64,
    /// Those of them that the air damaged, or that collided.
    pub lost: u64,
}

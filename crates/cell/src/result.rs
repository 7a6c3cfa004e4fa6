//! What a run found: goodput and delay per flow, the ledger of air time, counters and fairness.
//!
//! Every value covers the measured window only, unless its comment says otherwise. The order of the fields is the
//! order of the keys in JSON.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Index;

pub use ackless_schemes::hack::HackCounters;
use ackless_wire::Duration;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The result of one run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunResult {
    /// The row that was run: [`crate::config::CellConfig::scheme`].
    pub scheme: String,
    /// The seed of every random stream of the run.
    pub seed: u64,
    /// Application bytes that arrived, of all flows, in Mbit/s.
    pub goodput_mbps: f64,
    /// One for each flow, in the order of the configuration.
    pub flows: Vec<FlowResult>,
    /// One for each ping, in the order of the configuration.
    pub pings: Vec<PingResult>,
    /// Where every nanosecond of the window went.
    pub airtime_ns: Airtime,
    /// What was counted, in all and per node.
    pub counters: Counters,
    /// At which rates data went, link by link; empty where all rates are fixed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<LinkRates>,
    /// What the HACK nodes counted together; `None` where there are none.
    pub hack: Option<HackCounters>,
    /// What the nodes with another scheme counted together, by name; empty where there are none.
    pub rival: BTreeMap<String, u64>,
    /// How evenly the stations were served.
    pub fairness: Fairness,
    /// The measured window in seconds of simulated time; the warm-up is not in it.
    pub sim_seconds: f64,
    /// Wall-clock seconds of the whole run. The cell knows no clock and leaves 0; who runs it fills it in.
    pub wall_seconds: f64,
    /// Events processed in the whole run.
    pub events: u64,
    /// The same of the other cells on the channel; none where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub neighbours: Vec<NeighbourResult>,
}

/// What another cell on the channel achieved.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NeighbourResult {
    /// The cell's name.
    pub cell: String,
    /// Its result.
    #[serde(flatten)]
    pub result: RunResult,
}

/// What one flow achieved.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FlowResult {
    /// The flow's name.
    pub name: String,
    /// Its station's name.
    pub station: String,
    /// `down` or `up`.
    pub direction: String,
    /// `udp` or `tcp`.
    pub transport: String,
    /// What its application does: `bulk`, `finite`, `repeated`, `on-off` or `video`.
    pub traffic: String,
    /// Application bytes that arrived, in Mbit/s; for TCP when they leave the reassembly, in order and once. Bytes that waited behind a hole
    /// count when it is filled, so that a window of a few round trips can show more than the air carries: see `air_mbps`.
    pub goodput_mbps: f64,
    /// Application bytes that the air carried over the last Wi-Fi hop of the flow's way within the window, in Mbit/s, each counted once, when
    /// it is new to the receiver. `goodput_mbps` is this less what `held` has grown by. Not known here, and counted only when they reach the
    /// receiver: bytes that a scheme keeps in a station's MAC, and those that are lost between that MAC or the AP and the receiver.
    pub air_mbps: f64,
    /// The goodput of the first half of the window and that of the second, in Mbit/s.
    pub halves_mbps: [f64; 2],
    /// What had crossed the air and was not delivered when the window began, and when it ended; `None` where there was nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<[HeldResult; 2]>,
    /// Round-trip times that the sender sampled; `None` where it took none.
    pub rtt_ms: Option<Percentiles>,
    /// Segments that the sender sent again.
    pub retransmissions: u64,
    /// Retransmission timeouts that fired.
    pub timeouts: u64,
    /// From the start of a finite flow to its last byte acknowledged, in the whole run; `None` for one without end or
    /// unfinished.
    pub completion_s: Option<f64>,
    /// How long a transfer over TCP, of a finite or repeated flow, had been under way when the run ended; `None` where none was.
    pub unfinished_s: Option<f64>,
    /// Completion times of repeated transfers that ended in the window; `None` where none did.
    pub transfers_ms: Option<Percentiles>,
    /// What both ends of a connection with BBR, RACK, pacing, TACK or an unusual policy of acknowledging did; `None` for plain TCP and UDP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<EndsResult>,
    /// Datagrams and their answers; `None` but for UDP that is answered or carries a video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub udp: Option<UdpResult>,
    /// What the viewer saw; `None` without a video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video: Option<VideoResult>,
}

impl FlowResult {
    /// Whether its application never has all of its data through: its traffic is bulk, on-off or a video.
    pub fn is_endless(&self) -> bool {
        !matches!(self.traffic.as_str(), "finite" | "repeated")
    }
}

/// Bytes of a flow that have crossed the last Wi-Fi hop of its way, each once, and that its receiver has not delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct HeldResult {
    /// In the reassembly of the receiving TCP, behind holes.
    pub behind_holes: u64,
    /// In the receiving TCP's buffer, in order, until the application reads it.
    pub unread: u64,
    /// Between the MAC and the transport: on their way up the host, or on the wire behind the AP.
    pub on_the_way: u64,
}

/// Both ends of one TCP flow: the sender of data and its receiver. Estimates are as of the end of the window.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct EndsResult {
    /// Segments with data sent, repeated ones included.
    pub data_packets: u64,
    /// Segments with nothing but an acknowledgement from the receiver, TACKs and IACKs included.
    pub acks: u64,
    /// TACKs among them, those of start-up apart.
    pub tacks: u64,
    /// TACKs among them while every packet was acknowledged.
    pub start_up_tacks: u64,
    /// IACKs among them that pull lost packets.
    pub loss_iacks: u64,
    /// IACKs among them about the window.
    pub window_iacks: u64,
    /// IACKs about a round trip, from either end.
    pub round_trip_iacks: u64,
    /// IACKs from the sender about the frequency.
    pub frequency_iacks: u64,
    /// `acks` for each hundred data packets; `None` without any.
    pub acks_per_data_percent: Option<f64>,
    /// f: the TACKs for each second that the receiver was told, by equation 4; `None` in start-up and without TACK.
    pub tack_hz: Option<f64>,
    /// RTTmin: by one-way delays under TACK, else the least round trip that the sender knows of.
    pub rtt_min_ms: Option<f64>,
    /// RTTmin by one sample for each TACK; `None` without TACK.
    pub rtt_min_sampled_ms: Option<f64>,
    /// bw: the bandwidth that the sender takes the path to have; `None` where it has no such model.
    pub bandwidth_mbps: Option<f64>,
    /// rho: packets that the receiver gave up for lost, in percent of those sent; `None` without TACK.
    pub data_loss_percent: Option<f64>,
    /// rho': TACKs that did not come, in percent, as the sender sees it; `None` without TACK.
    pub ack_loss_percent: Option<f64>,
    /// Packets that came after they had been given up for lost.
    pub spurious_losses: u64,
    /// Bytes held above a hole when a TACK was sent, on average (figure 6(a) of the TACK paper); `None` without a TACK.
    pub blocked_bytes_mean: Option<f64>,
    /// The most of them, since the connection began.
    pub blocked_bytes_max: u64,
    /// Tail loss probes.
    pub tail_probes: u64,
    /// Times that TACK was given up, since the connection began at most one.
    pub fallbacks: u64,
    /// Segments with data that came to a host that merges them (GRO); 0 where it does not.
    pub merged_segments: u64,
    /// Packets that it handed to TCP for them.
    pub merged_packets: u64,
    /// Those among them that ended because the next segment bore another timestamp.
    pub merges_ended_by_timestamp: u64,
}

/// Datagrams of one flow.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct UdpResult {
    /// Datagrams sent, those that the first queue on the way dropped included.
    pub sent: u64,
    /// Datagrams received.
    pub received: u64,
    /// Answers that the receiver sent.
    pub answers_sent: u64,
    /// Answers that came back to the sender.
    pub answers_received: u64,
    /// The answers that came back, in Mbit/s of Ethernet frames: 18 bytes longer than the IP packet, so that the smallest has 64.
    pub answers_mbps: f64,
}

/// How a video was shown.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct VideoResult {
    /// Frames shown.
    pub frames: u64,
    /// Shown frames of which a part was missing, as lost datagrams make them.
    pub damaged_frames: u64,
    /// The same for each half hour of play time: macroblocking. `None` where nothing was shown.
    pub damaged_per_30min: Option<f64>,
    /// Frames that were skipped to catch up.
    pub skipped_frames: u64,
    /// Stops of the player.
    pub stalls: u64,
    /// Seconds for which it stood still after a stop.
    pub stalled_s: f64,
    /// Seconds of play time: from the first frame, or the start of the window, to its end, stops included.
    pub play_s: f64,
    /// Stalled seconds over play time, in percent: the rebuffering ratio. `None` where nothing was shown.
    pub rebuffering_percent: Option<f64>,
    /// From the start of the flow to the first frame, in the whole run; `None` where there was none.
    pub startup_s: Option<f64>,
}

/// What one ping measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PingResult {
    /// The ping's name.
    pub name: String,
    /// Its station's name.
    pub station: String,
    /// Requests sent.
    pub sent: u64,
    /// Requests that no reply answered before the end of the run.
    pub lost: u64,
    /// From request to reply; `None` where none came back.
    pub rtt_ms: Option<Percentiles>,
}

/// A distribution of times, in milliseconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Percentiles {
    /// How many values it sums up.
    pub samples: u64,
    /// The smallest.
    pub min: f64,
    /// Half are not above it.
    pub median: f64,
    /// 95 % are not above it.
    pub p95: f64,
    /// 99 % are not above it.
    pub p99: f64,
}

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
        self.wire_drops += wire_drops;
        self.host_drops += host_drops;
        self.appended_answers += appended_answers;
        self.appended_bytes += appended_bytes;
        self.delivered_bytes += delivered_bytes;
    }
}

/// Jain's index, from `1/n` to 1; 1 where fewer than two stations took part.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Fairness {
    /// Over the stations with flows, by goodput.
    pub jain_goodput: f64,
    /// Over the same, by the air time of the frames to and from them, with their answers.
    pub jain_airtime: f64,
}

/// What a nanosecond of the medium can have gone into. Each belongs to exactly one class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(usize)]
pub enum AirtimeClass {
    /// Application bytes.
    Payload,
    /// MAC, LLC, IP, TCP and UDP headers, FCS, PLCP service and tail bits, A-MPDU delimiters, padding.
    Headers,
    /// Preambles with their PHY headers, and the signal extension, of data frames.
    Preambles,
    /// SIFS within a frame exchange.
    Sifs,
    /// Ack and BlockAck frames, whole, but for what is appended to them.
    LinkAcks,
    /// Bytes that a scheme appended to link-layer answers.
    Appended,
    /// Data PPDUs that carry nothing but TCP ACKs, whole.
    TcpAcks,
    /// BlockAck Request frames, whole.
    BlockAckRequests,
    /// RTS and CTS frames, whole.
    RtsCts,
    /// Beacons, whole.
    Beacons,
    /// DIFS or AIFS of the node that then sent, or that still counts.
    InterframeSpace,
    /// Idle slots in which at least one node counts down.
    Backoff,
    /// What EIFS and ACK timeouts last beyond DIFS or AIFS.
    Timeouts,
    /// From the first bit to the last of PPDUs that overlapped.
    Collisions,
    /// Frames with repeated MPDUs: the whole time of those MPDUs.
    Retransmissions,
    /// No node has anything to send.
    Idle,
    /// What the AP hears of other cells while nothing of its own is on the air. Only cells with neighbours have it: nothing is told of it
    /// where it is zero.
    Neighbours,
}

impl AirtimeClass {
    /// Every class, in the order of the ledger.
    pub const ALL: [Self; 17] = [
        Self::Payload,
        Self::Headers,
        Self::Preambles,
        Self::Sifs,
        Self::LinkAcks,
        Self::Appended,
        Self::TcpAcks,
        Self::BlockAckRequests,
        Self::RtsCts,
        Self::Beacons,
        Self::InterframeSpace,
        Self::Backoff,
        Self::Timeouts,
        Self::Collisions,
        Self::Retransmissions,
        Self::Idle,
        Self::Neighbours,
    ];

    /// Its key in JSON and CSV.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Payload => "payload",
            Self::Headers => "headers",
            Self::Preambles => "preambles",
            Self::Sifs => "sifs",
            Self::LinkAcks => "link_acks",
            Self::Appended => "appended",
            Self::TcpAcks => "tcp_acks",
            Self::BlockAckRequests => "block_ack_requests",
            Self::RtsCts => "rts_cts",
            Self::Beacons => "beacons",
            Self::InterframeSpace => "interframe_space",
            Self::Backoff => "backoff",
            Self::Timeouts => "timeouts",
            Self::Collisions => "collisions",
            Self::Retransmissions => "retransmissions",
            Self::Idle => "idle",
            Self::Neighbours => "neighbours",
        }
    }
}

/// The ledger of air time: how long each class had the medium. A whole one sums to the measured window.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Airtime([Duration; AirtimeClass::ALL.len()]);

impl Airtime {
    /// Books `span` under `class`.
    pub fn add(&mut self, class: AirtimeClass, span: Duration) {
        self.0[class as usize] += span;
    }

    /// Every class by name, in the order of [`AirtimeClass::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Duration)> + '_ {
        AirtimeClass::ALL.iter().map(|&class| (class.name(), self[class]))
    }

    /// The sum of all classes.
    pub fn total(&self) -> Duration {
        self.0.iter().copied().sum()
    }
}

impl Index<AirtimeClass> for Airtime {
    type Output = Duration;
    fn index(&self, class: AirtimeClass) -> &Duration {
        &self.0[class as usize]
    }
}

impl Serialize for Airtime {
    /// A map from class name to whole nanoseconds.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let told =
            AirtimeClass::ALL.into_iter().filter(|&class| class != AirtimeClass::Neighbours || !self[class].is_zero());
        serializer.collect_map(told.map(|class| (class.name(), self[class].as_nanos())))
    }
}

impl<'de> Deserialize<'de> for Airtime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(AirtimeVisitor)
    }
}

struct AirtimeVisitor;

impl<'de> Visitor<'de> for AirtimeVisitor {
    type Value = Airtime;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map from air-time class to nanoseconds")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Airtime, A::Error> {
        let mut airtime = Airtime::default();
        while let Some((name, nanos)) = map.next_entry::<String, u64>()? {
            let class = AirtimeClass::ALL
                .into_iter()
                .find(|class| class.name() == name)
                .ok_or_else(|| A::Error::custom(format_args!("no air-time class is called {name:?}")))?;
            airtime.0[class as usize] = Duration::from_nanos(nanos);
        }
        Ok(airtime)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_keeps_each_class_apart_and_sums_them() {
        let mut airtime = Airtime::default();
        for (n, class) in AirtimeClass::ALL.into_iter().enumerate() {
            airtime.add(class, Duration::from_micros(1 << n));
        }
        assert_eq!(airtime.total(), Duration::from_micros((1 << AirtimeClass::ALL.len()) - 1));
        assert_eq!(airtime[AirtimeClass::Idle], Duration::from_micros(1 << 15));
        assert_eq!(airtime.iter().nth(3), Some(("sifs", Duration::from_micros(8))));
    }
}

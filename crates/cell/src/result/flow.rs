//! What flows and pings achieved.

use serde::{Deserialize, Serialize};

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
    /// What its application does: `bulk`, `finite`, `repeated`, `on-off`, `video` or `requests`.
    pub traffic: String,
    /// Application bytes that arrived, in Mbit/s; for TCP when they leave the reassembly, in order and once. Bytes that waited behind a hole
    /// count when it is filled, so that a window of a few round trips can show more than the air carries: see `air_mbps`.
    pub goodput_mbps: f64,
    /// Application bytes that the application handed over within the window, in Mbit/s, whether or not its transport
    /// had room for them; `None` for an application that hands over as much as its transport takes.
    #[serde(default)]
    pub offered_mbps: Option<f64>,
    /// Whether nothing arrived in the window although the application had data to send: when the window began, or in
    /// its first half.
    #[serde(default)]
    pub dead: bool,
    /// The flow's max-min fair share of what all flows carry, in Mbit/s, by [`shares`](super::shares); `None` for a
    /// flow that has none.
    #[serde(default)]
    pub fair_mbps: Option<f64>,
    /// Whether something arrived, but less than a quarter of `fair_mbps`.
    #[serde(default)]
    pub starved: bool,
    /// Application bytes that the air carried over the last Wi-Fi hop of the flow's way within the window, in Mbit/s, each counted once, when
    /// it is new to the receiver. `goodput_mbps` is this less what `held` has grown by. Not known here, and counted only when they reach the
    /// receiver: bytes that a scheme keeps in a station's MAC, and those that are lost between that MAC or the AP and the receiver.
    pub air_mbps: f64,
    /// The goodput of the first half of the window and that of the second, in Mbit/s. Where the run was ended early, they meet within a 128th of the window
    /// beside its middle, if that has 6.4 ms or more.
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
    /// Data segments that reached the receiver with a congestion mark (ECN); `None` where the flow
    /// does not use ECN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ecn_marks: Option<u64>,
    /// From the start of a finite flow to its last byte acknowledged, in the whole run; `None` for one without end or
    /// unfinished.
    pub completion_s: Option<f64>,
    /// How long a transfer over TCP, of a finite or repeated flow, or a request had been under way
    /// when the run ended; `None` where none was.
    pub unfinished_s: Option<f64>,
    /// Completion times of repeated transfers, or latencies of requests, that ended in the window;
    /// `None` where none did. A request's latency is the time from its first write to the last byte
    /// of its response, at the client; that of the first one includes the handshake.
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
        !matches!(self.traffic.as_str(), "finite" | "repeated" | "requests")
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

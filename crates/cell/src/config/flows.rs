//! The flows of a cell: what they carry, and the transport that carries it.

use ackless_tcp::ack::{LAST_RESORT, LONGEST, LONGEST_DELAY};
use ackless_tcp::{AckChoice, CongestionChoice, MissingTimestamp, RecoveryChoice, SenderChoices, TackConfig};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

/// One flow of data between a station and its peer.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowConfig {
    /// As reports name it; unique in the cell.
    pub name: String,
    /// The station at the Wi-Fi end, by its place in [`CellConfig::stations`](super::CellConfig::stations).
    pub station: usize,
    /// Which way its data goes.
    pub direction: Direction,
    /// The other end.
    pub peer: Peer,
    /// What carries it.
    pub transport: TransportConfig,
    /// What its application sends.
    pub traffic: Traffic,
    /// When it starts.
    pub start: Instant,
}

/// Which way the data of a flow goes, seen from the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// To the station.
    Down,
    /// From the station.
    Up,
}

/// The end of a flow that is not its station.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Peer {
    /// The server behind the wire.
    Server,
    /// Another station, by its place in [`CellConfig::stations`](super::CellConfig::stations); the AP forwards.
    Station(usize),
}

/// What carries a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransportConfig {
    /// Datagrams, unacknowledged.
    Udp {
        /// UDP payload of one datagram; the IPv4 packet is 28 bytes longer.
        payload: Bytes,
        /// What the receiver sends back, as an emulation of TCP ACKs; `None` sends nothing.
        answers: Option<UdpAnswers>,
        /// The sender's buffer: how much an application that is on and off leaves in it when it turns off.
        buffer: Bytes,
    },
    /// One TCP connection (one per transfer for [`Traffic::Repeated`]).
    Tcp(TcpConfig),
}

/// Datagrams that answer datagrams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UdpAnswers {
    /// One for so many that came. At least 1.
    pub every: u32,
    /// UDP payload of an answer; 18 bytes make the smallest Ethernet frame, 64 bytes.
    pub payload: Bytes,
}

/// One TCP connection; both ends are configured alike, but for what [`by_letter`](Self::by_letter) says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TcpConfig {
    /// How the sender's window moves.
    pub congestion: CongestionChoice,
    /// When the receiver acknowledges, unless [`Self::policy`] says other; what a connection without TACK falls back to.
    pub ack: AckConfig,
    /// A policy in place of delayed ACKs.
    pub policy: Option<AckChoice>,
    /// What is chosen about TACK, where both ends offer it.
    pub tack: Option<TackConfig>,
    /// Which end does TACK by the letter of its paper, whatever was chosen: a peer that knows of nothing else, but that the ends agree on beta and L.
    pub by_letter: ByLetter,
    /// How the sender notices losses.
    pub recovery: RecoveryChoice,
    /// Whether a congestion window is spread over the round trip.
    pub pacing: bool,
    /// What else the sender does than the plainest of the standards.
    pub sender: SenderChoices,
    /// The largest IP packet; the announced MSS is this less 40 bytes, and options shorten the payload further.
    pub packet: Bytes,
    /// Selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Timestamps (RFC 7323); they take 12 bytes of each segment.
    pub timestamps: bool,
    /// What becomes of a segment without timestamps on a connection that has them.
    pub missing_timestamp: MissingTimestamp,
    /// Window scaling (RFC 7323); without it a window ends at 65,535 bytes.
    pub window_scaling: bool,
    /// Initial congestion window in full-sized segments (RFC 6928: 10). At least 1.
    pub initial_window: u32,
    /// Lower bound of the retransmission timeout (RFC 6298 says 1 s; deployed stacks 200 ms).
    pub rto_min: Duration,
    /// The sender's buffer.
    pub send_buffer: Bytes,
    /// The receiver's buffer, and so the largest window it can announce.
    pub receive_buffer: Bytes,
    /// How fast the receiving application takes data out of that buffer; `None` takes it as soon as it is there. Greater than zero.
    pub read_rate: Option<BitRate>,
    /// Whether the receive window begins small and follows what is read; the buffer is the most memory for it then. See [`ackless_tcp::Config::receive_tuning`].
    pub receive_tuning: bool,
    /// Explicit congestion notification (RFC 3168), asked for and accepted by both ends.
    pub ecn: bool,
    /// Whether the sender's buffer begins small and follows the congestion window. See [`ackless_tcp::Config::send_tuning`].
    pub send_tuning: bool,
    /// Whether the applications at both ends switch Nagle's algorithm off (`TCP_NODELAY`), so that
    /// small segments do not wait.
    pub no_delay: bool,
}

/// Which end of a flow does TACK by the letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ByLetter {
    /// Both do as was chosen.
    #[default]
    Neither,
    /// The end that is called: the server, or another station.
    Peer,
    /// The station.
    Station,
}

/// Delayed ACKs: when a TCP receiver acknowledges data that came in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AckConfig {
    /// After so many full-sized segments' bytes: 1 acknowledges each, 2 is the common delayed ACK. At least 1.
    pub every: u32,
    /// At the latest after this time (RFC 9293: below 0.5 s).
    pub timeout: Duration,
}

/// What the application of a flow sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Traffic {
    /// Without end.
    Bulk(Pace),
    /// This much, then it closes.
    Finite {
        /// Application bytes. Greater than zero.
        size: Bytes,
    },
    /// Transfers one after another, each on a new connection.
    Repeated {
        /// Application bytes of each. Greater than zero.
        size: Bytes,
        /// From the end of one to the start of the next.
        think: Span,
    },
    /// On and off in turn, beginning with on.
    OnOff {
        /// How long it sends. Greater than zero.
        on: Span,
        /// How long it is silent.
        off: Span,
        /// How it sends while on.
        pace: Pace,
    },
    /// A video that is made, sent and shown as time passes, without end.
    Video(VideoConfig),
    /// Requests one after another, each with its response, on one TCP connection.
    Requests(RequestsConfig),
}

/// Requests and responses. The client is at the end to which the flow's data goes, the responses
/// are that data. The client hands over a request, the server its response as soon as the whole
/// request has come, and the client its next request a while after the whole response has. The
/// connection stays open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestsConfig {
    /// Application bytes of a request. Greater than zero.
    pub request: Bytes,
    /// In how many writes the client hands over a request, one behind another in one instant, of
    /// equal size to a byte. From 1 to the request's bytes.
    pub request_writes: u32,
    /// Application bytes of a response. Greater than zero.
    pub response: Bytes,
    /// In how many writes the server hands over a response, likewise.
    pub response_writes: u32,
    /// From the last byte of a response to the next request.
    pub think: Span,
    /// After how many requests the client stops; `None` never stops.
    pub count: Option<u32>,
}

/// A video and its player. The encoder does not adapt; over UDP a frame is sent at once in as many datagrams as it takes, over TCP what
/// is not sent yet waits without limit.
///
/// The player stops where the next frame is not there when it is due (over UDP: neither whole nor followed by anything of a later one), and
/// then waits for [`Self::resume`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VideoConfig {
    /// Of the encoded video, constant over a group of frames. Each frame has at least one byte.
    pub rate: BitRate,
    /// From one frame to the next. Greater than zero.
    pub frame: Duration,
    /// The first of so many frames is a key frame. At least 1.
    pub group: u32,
    /// How many times as long as another frame a key frame is. At least 1.
    pub key_weight: u32,
    /// Play-out begins when so much video is there, at least one frame.
    pub start: Duration,
    /// After a stop it goes on when so much is there, at least one frame.
    pub resume: Duration,
    /// Where more than this is there when a frame is due, the player skips frames until only [`Self::start`] is left, so that it does not lag
    /// behind for ever; `None` never skips.
    pub catch_up: Option<Duration>,
}

/// How fast an application hands over data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// Always as much as the transport takes; for UDP, as much as keeps the first queue on its way full.
    Saturating,
    /// Evenly at this rate of application bytes. Greater than zero.
    Rate(BitRate),
}

/// A span of time, fixed or drawn anew each time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Span {
    /// Always this.
    Fixed(Duration),
    /// Exponentially distributed with this mean.
    Exponential(Duration),
}

/// Echo requests from the server to a station, answered at once: the latency that the queues impose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PingConfig {
    /// As reports name it; unique in the cell.
    pub name: String,
    /// The station, by its place in [`CellConfig::stations`](super::CellConfig::stations).
    pub station: usize,
    /// From one request to the next. Greater than zero.
    pub interval: Duration,
    /// The IP packet of request and reply.
    pub packet: Bytes,
    /// When the first one leaves.
    pub start: Instant,
}

impl TcpConfig {
    /// Whether it is what stacks do without BBR, RACK, pacing, TACK, what [`Self::sender`] adds, buffers that tune themselves and unusual policies of acknowledging.
    pub fn is_plain(&self) -> bool {
        let modelled = self.congestion.models_path();
        let standard =
            self.recovery == RecoveryChoice::Standard && !self.pacing && self.sender == SenderChoices::default();
        let tunes = self.receive_tuning || self.send_tuning;
        standard && !tunes && !modelled && self.policy.is_none() && self.tack.is_none()
    }

    /// The longest that its receiver holds an ACK, where holes and TACK do not come into it: that of Linux's delay, which adapts, or the timer.
    pub fn longest_hold(&self) -> Duration {
        match self.policy {
            Some(AckChoice::Linux { .. }) => LONGEST_DELAY,
            Some(AckChoice::Periodic { interval }) => interval,
            Some(AckChoice::Share { timeout, .. }) => timeout.max(LONGEST),
            Some(AckChoice::ByteCounting { .. }) => LAST_RESORT,
            Some(AckChoice::Delayed { timeout, .. } | AckChoice::Request { timeout, .. }) => timeout,
            Some(AckChoice::PerPacket) => Duration::ZERO,
            Some(AckChoice::Tack { .. }) | None => self.ack.timeout,
        }
    }
}

impl Default for TcpConfig {
    /// CUBIC with an ACK for two segments and all options, as deployed stacks have them.
    fn default() -> Self {
        Self {
            congestion: CongestionChoice::Cubic,
            ack: AckConfig { every: 2, timeout: Duration::from_millis(40) },
            policy: None,
            tack: None,
            by_letter: ByLetter::Neither,
            recovery: RecoveryChoice::Standard,
            pacing: false,
            sender: SenderChoices::default(),
            packet: Bytes(1_500),
            sack: true,
            timestamps: true,
            missing_timestamp: MissingTimestamp::Accept,
            window_scaling: true,
            initial_window: 10,
            rto_min: Duration::from_millis(200),
            send_buffer: Bytes::from_kib(4 * 1024),
            receive_buffer: Bytes::from_kib(4 * 1024),
            read_rate: None,
            ecn: false,
            receive_tuning: false,
            send_tuning: false,
            no_delay: false,
        }
    }
}

impl Traffic {
    /// Whether its application hands over as much as the transport takes, all the time or while it is on.
    pub const fn is_saturating(&self) -> bool {
        matches!(self, Self::Bulk(Pace::Saturating) | Self::OnOff { pace: Pace::Saturating, .. })
    }
}

impl VideoConfig {
    /// Bytes of the first so many frames together, rounded down.
    pub fn bytes(&self, frames: u64) -> Bytes {
        let (group, weight) = (u128::from(self.group.max(1)), u128::from(self.key_weight.max(1)));
        // In units of a frame that is no key frame.
        let units_of_group = weight + group - 1;
        let rest = u128::from(frames) % group;
        let units = u128::from(frames) / group * units_of_group + if rest == 0 { 0 } else { weight + rest - 1 };
        let byte_nanos = u128::from(self.rate.bps()) * u128::from(self.frame.as_nanos()) * group;
        // Divided in two steps, so that the product stays within 128 bits for centuries of video.
        let whole = units / units_of_group * byte_nanos / NANOS_OF_BYTE;
        Bytes((whole + units % units_of_group * byte_nanos / (units_of_group * NANOS_OF_BYTE)) as u64)
    }

    /// How many frames `span` of video is, at least one.
    pub(crate) fn frames(&self, span: Duration) -> u64 {
        span.div_ceil(self.frame).max(1)
    }
}

/// Bits of a byte, times nanoseconds of a second.
const NANOS_OF_BYTE: u128 = 8_000_000_000;

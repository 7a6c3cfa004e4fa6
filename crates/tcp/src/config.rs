//! What can be chosen about an endpoint.

use ackless_wire::{Bytes, Duration};

use crate::ack::AckChoice;
use crate::challenge::ChallengeAcks;
use crate::congestion::{
    CongestionChoice, CubicRule, GrowthRule, InitialWindow, Losses, RenoRule, SlowStartChoice, Variant,
};
use crate::loss::{PrrRule, RackRule, RecoveryChoice};
use crate::rtt::{RtoBounds, RtoRule};
use crate::tack::TackConfig;

/// The choices of one endpoint. The defaults are those of the standards, or of deployed stacks where that is said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// The maximum segment size that we announce and never exceed: IP packet less 40 bytes (60 for IPv6), options not
    /// subtracted (RFC 9293, 3.7.1). Range: 88 to 65,495; less counts as 88. Default: 1460, for a 1500-byte MTU and
    /// IPv4.
    pub mss: Bytes,
    /// The congestion window before the first acknowledgement. Default: ten segments (RFC 6928).
    pub initial_window: InitialWindow,
    /// How the congestion window moves. Default: CUBIC (RFC 9438), as deployed.
    pub congestion: CongestionChoice,
    /// How losses are found. Default: as the standards have it without timers, RFC 6675 or duplicate acknowledgements.
    pub recovery: RecoveryChoice,
    /// Whether a controller of the window spreads what it permits over the round trip, at 2 cwnd/SRTT in slow start and
    /// at 1.2 cwnd/SRTT later, as Linux can. Controllers that set a rate always pace, and so does every controller on a
    /// TACK connection. Default: no.
    pub pacing: bool,
    /// What else the sender may do than the plainest of the standards. Default: nothing.
    pub sender: SenderChoices,
    /// Whether to offer and accept explicit congestion notification (RFC 3168). Not on a TACK connection. Default: no; Linux accepts and does not offer it.
    pub ecn: bool,
    /// Whether new data goes out in bursts as with TCP segmentation offload, each of what the sender's rate carries in this time, with PSH at its end: `endpoint/burst` has
    /// the rules of Linux. Not on a TACK connection. Default: no.
    pub tso: Option<Duration>,
    /// The most that slow start may add for one acknowledgement, in segments (L of RFC 3465, 2.2); nothing means no
    /// limit. After a timeout it is one segment whatever stands here (RFC 3465, 2.3). Default: no limit, as in
    /// Linux; the RFC recommends 2, which would slow every start under sparse acknowledgements.
    pub slow_start_limit: Option<u32>,
    /// Whether a sender that was idle for longer than the timeout starts again from the initial window (RFC 5681,
    /// 4.1). Default: yes.
    pub idle_restart: bool,
    /// When to acknowledge. Default: every second full-sized segment, or after 40 ms (RFC 9293, 3.8.6.3 asks for at
    /// most 500 ms; 40 ms as in Linux).
    pub ack: AckChoice,
    /// Whether to offer selective acknowledgements (RFC 2018). Default: yes.
    pub sack: bool,
    /// Whether to offer timestamps (RFC 7323), and the tick of their clock: 1 ms to 1 s (5.4). Default: 1 ms.
    pub timestamps: Option<Duration>,
    /// What becomes of a segment without timestamps on a connection that negotiated them. Default: it is taken, as by Linux.
    pub missing_timestamp: MissingTimestamp,
    /// Whether to offer TACK, and how to do it. It needs timestamps, whose clock then ticks in microseconds: without
    /// `timestamps` it is not offered. [`with_tack`](Self::with_tack) and
    /// [`with_recommended_tack`](Self::with_recommended_tack) choose what goes with it, too: by itself it numbers data and reports what came of it, in the rhythm of whatever `ack` says. Over a
    /// real network no host may cut or join its segments, whose options are each of its own: TSO and LRO are off, and GRO joins none of different options. Default: no.
    pub tack: Option<TackConfig>,
    /// Whether to offer window scaling (RFC 7323). Default: yes, with the least shift that fits the receive buffer.
    pub window_scaling: bool,
    /// Room for data that the application has not taken. Range: 1 byte to 1 GiB; more counts as 1 GiB. Default: 6
    /// MiB, the limit of Linux's auto-tuning (tcp_rmem), so that the path governs and not the buffer.
    pub receive_buffer: Bytes,
    /// Whether the receive window begins small and follows what the application takes in a round trip, up to the receive buffer, which is memory
    /// then, of which a window is told in part: `endpoint/tuning` has the rules of Linux. A receive buffer below 2,304 bytes counts as that. Not on a TACK connection. Default: no.
    pub receive_tuning: bool,
    /// Whether the send buffer begins at 85 KiB and follows the congestion window up to `send_buffer` (`tcp_sndbuf_expand` of Linux). Default: no.
    pub send_tuning: bool,
    /// Room for written data that is not acknowledged; bounds `write`, not `send`. Default: 4 MiB (Linux, tcp_wmem).
    pub send_buffer: Bytes,
    /// Who takes data out of the receive buffer. Default: nobody needs to.
    pub consume: Consume,
    /// Whether a small segment waits while data is out (Nagle; RFC 9293, 3.7.4). Default: yes.
    pub nagle: bool,
    /// Retransmission timeout before the first round-trip sample. Default: 1 s (RFC 6298, 2.1).
    pub rto_initial: Duration,
    /// Least allowance for variation in the retransmission timeout. Default: 200 ms, as Linux and others deploy;
    /// RFC 6298 (2.4) says that the whole timeout should be at least 1 s.
    pub rto_min: Duration,
    /// Greatest retransmission timeout and probe interval. Default: 60 s (RFC 6298, 2.5).
    pub rto_max: Duration,
    /// Unanswered retransmissions or probes before giving up. Default: 15 (Linux, tcp_retries2), which lasts longer
    /// than the 100 s of RFC 9293, 3.8.3.
    pub retries: u32,
    /// Unanswered SYNs before giving up. Default: 6 (Linux, tcp_syn_retries); RFC 9293, 3.8.3 asks for 3 minutes,
    /// which takes 7.
    pub syn_retries: u32,
    /// How many suspicious segments are answered, in what time; probes and keep-alives have as many of their own. Default: 10 in 5 s (RFC 5961, 7).
    pub challenge_acks: ChallengeAcks,
    /// How long TIME-WAIT lasts. Default: 60 s as in Linux; RFC 9293 (3.4.2) has twice the maximum segment lifetime
    /// of 2 minutes.
    pub time_wait: Duration,
}

/// What a sender may do beyond the plainest of the standards, each by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SenderChoices {
    /// How slow start ends, besides by a loss.
    pub slow_start: SlowStartChoice,
    /// How reductions of the window are undone that turn out to be mistakes. Not on a TACK connection.
    pub undo: UndoChoices,
    /// For what a small segment waits, where [`Config::nagle`] has it wait.
    pub nagle: NagleRule,
    /// How the retransmission timeout follows from round trips.
    pub rto: RtoRule,
    /// How Reno grows.
    pub reno: RenoRule,
    /// How CUBIC grows.
    pub cubic: CubicRule,
    /// When the window counts as used, so that it may grow.
    pub growth: GrowthRule,
    /// Which repeated segments RACK takes for delivered.
    pub rack: RackRule,
    /// How a recovery by RACK reduces the window.
    pub prr: PrrRule,
}

/// For what a small segment waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NagleRule {
    /// For all that is out (RFC 9293, 3.7.4).
    #[default]
    Rfc,
    /// For another small one that is out (Minshall's variant, as Linux has it: `tcp_minshall_check`).
    Minshall,
}

/// What may show that a reduction of the window was a mistake, and undo it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UndoChoices {
    /// An echo of a timestamp from before the first retransmission (RFC 3522), where both ends have timestamps.
    pub eifel: bool,
    /// The first acknowledgements after a timeout (RFC 5682, 3.1), where losses are found by RACK.
    pub frto: bool,
    /// Reports that all that was repeated came twice (RFC 3708). Also whether this end reports it (RFC 2883). Where both ends do SACK.
    pub dsack: bool,
}

/// Who takes received data out of the receive buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Consume {
    /// It is counted and gone as soon as it is in order: the window never closes, bytes are not kept, and `read` has nothing. For simulated applications.
    Immediately,
    /// It stays until `read`.
    ByApplication,
}

/// What becomes of a segment without timestamps on a connection on which both SYNs had them.
///
/// A RST is judged by its number alone, whatever stands here (RFC 7323, 3.2). On a TACK connection such segments are
/// always dropped, because timestamps are what orders its windows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MissingTimestamp {
    /// It is taken as on a connection without timestamps: PAWS does not look at it, and it leaves TS.Recent alone. Linux does
    /// this, and FreeBSD by default (net.inet.tcp.tolerate_missing_ts).
    Accept,
    /// It is dropped and not answered, which RFC 7323 (3.2) says a TCP should do.
    Drop,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            mss: Bytes(1460),
            initial_window: InitialWindow::Rfc6928,
            congestion: CongestionChoice::Cubic,
            recovery: RecoveryChoice::Standard,
            pacing: false,
            sender: SenderChoices::default(),
            ecn: false,
            tso: None,
            slow_start_limit: None,
            idle_restart: true,
            ack: AckChoice::default(),
            sack: true,
            timestamps: Some(Duration::from_millis(1)),
            missing_timestamp: MissingTimestamp::Accept,
            tack: None,
            window_scaling: true,
            receive_buffer: Bytes::from_kib(6 * 1024),
            receive_tuning: false,
            send_tuning: false,
            send_buffer: Bytes::from_kib(4 * 1024),
            consume: Consume::Immediately,
            nagle: true,
            rto_initial: Duration::from_secs(1),
            rto_min: Duration::from_millis(200),
            rto_max: Duration::from_secs(60),
            retries: 15,
            syn_retries: 6,
            challenge_acks: ChallengeAcks::default(),
            time_wait: Duration::from_secs(60),
        }
    }
}

impl Config {
    /// With TACK as its paper has it, and what goes with that: beta = 4 and L = 2 (VI-C), receiver-based BBR (VI-D); RACK where TACK is given up.
    ///
    /// ```
    /// use ackless_tcp::{AckChoice, Config};
    ///
    /// let config = Config { mss: ackless_wire::Bytes(1_440), ..Config::default().with_tack() };
    /// assert_eq!(config.ack, AckChoice::Tack { beta: 4, every: 2 });
    /// ```
    #[must_use]
    pub fn with_tack(self) -> Self {
        self.with(TackConfig::default(), 4, Variant::Standard)
    }

    /// With TACK as we recommend it where the path is not the paper's: [`TackConfig::recommended`], beta = 2, and a controller that counts in rounds and minds losses. What each of it is
    /// worth, and where it falls short, is measured as row `tack-wifi` of the simulator.
    #[must_use]
    pub fn with_recommended_tack(self) -> Self {
        self.with(TackConfig::recommended(), 2, Variant::Rounds { losses: Losses::Bound })
    }

    fn with(self, tack: TackConfig, beta: u32, variant: Variant) -> Self {
        Self {
            tack: Some(tack),
            ack: AckChoice::Tack { beta, every: 2 },
            congestion: CongestionChoice::ReceiverBbr(variant),
            recovery: RecoveryChoice::Rack,
            ..self
        }
    }

    pub(crate) fn announced_mss(&self) -> Bytes {
        self.mss.clamp(MIN_MSS, Bytes(65_495))
    }

    /// What of TACK is offered: nothing without timestamps.
    pub(crate) const fn tack_offer(&self) -> Option<TackConfig> {
        if self.timestamps.is_some() { self.tack } else { None }
    }

    pub(crate) const fn rto_bounds(&self) -> RtoBounds {
        RtoBounds { initial: self.rto_initial, min: self.rto_min, max: self.rto_max, rule: self.sender.rto }
    }
}

/// Room for the largest options and 48 bytes of payload.
const MIN_MSS: Bytes = Bytes(88);

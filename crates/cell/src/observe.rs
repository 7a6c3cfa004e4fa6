//! The one stream of typed events, and whoever listens to it.
//!
//! Counters, the ledger of air time, pcapng files and timelines are all observers; nothing else in the cell keeps statistics. A cell without
//! an observer is compiled without the events.

use ackless_dot11::frame::{NodeId, Ppdu};
use ackless_dot11::station::StationCounts;
use ackless_wire::{BitRate, Bytes, Duration, Instant, PacketPool};

use crate::config::CellConfig;
use crate::gro::MergeCounts;
use crate::result::AirtimeClass;

/// Something that happened in the cell.
#[derive(Debug)]
pub enum Event<'a> {
    /// A PPDU goes on the air.
    Start {
        /// The PPDU.
        ppdu: &'a Ppdu,
        /// All packets, to look into it.
        pool: &'a PacketPool,
        /// The silence before it; `None` if the medium was busy already.
        silence: Option<Silence>,
        /// Whether it was sent on a won access, not as an answer or as a later frame of an exchange.
        access: bool,
    },
    /// A PPDU is over.
    End {
        /// The PPDU.
        ppdu: &'a Ppdu,
        /// All packets, to look into it.
        pool: &'a PacketPool,
        /// When it began.
        start: Instant,
        /// Whether it overlapped with another.
        collided: bool,
        /// MPDUs that the receiver could not read although nothing collided.
        damaged: u32,
        /// Whether the medium is idle now.
        idle: bool,
    },
    /// A silence, or the part of it since the last such event, ends without a PPDU: nobody has anything to send any more, or the run is over. Where
    /// powers decide who hears whom ([`Hearing::ByPower`](crate::config::Hearing::ByPower)), every silence of the AP ends so, `Start` tells of
    /// none, and no `End` says that the medium is idle.
    Silence(Silence),
    /// Where powers decide who hears whom: what the AP heard from one time to another, in which it was not silent for it. These stretches and its
    /// silences cover its time.
    Heard {
        /// What it was.
        what: Heard<'a>,
        /// Since when.
        from: Instant,
        /// Until when.
        until: Instant,
    },
    /// An application got bytes, for the first time and in order: as they arrived, or as it read them
    /// ([`TcpConfig::read_rate`](crate::config::TcpConfig::read_rate)). What comes in one instant may be told at once.
    Delivered {
        /// The flow, by its place in the configuration.
        flow: usize,
        /// Where: a station, or `None` for the server.
        at: Option<NodeId>,
        /// How many.
        bytes: Bytes,
    },
    /// An application handed data to its transport, or began to hand over as much as the transport takes.
    Offered {
        /// The flow.
        flow: usize,
        /// Bytes handed over; zero for an application that fills whatever its transport takes.
        bytes: Bytes,
    },
    /// A sender of a flow took a sample of the round-trip time.
    RoundTrip {
        /// The flow.
        flow: usize,
        /// The sample.
        rtt: Duration,
    },
    /// A transfer of a finite or repeated flow is complete.
    Completed {
        /// The flow.
        flow: usize,
        /// How long it took, from its start to the last byte acknowledged.
        took: Duration,
        /// Whether the flow is over with it.
        finite: bool,
    },
    /// An echo request left the server.
    PingSent {
        /// The ping.
        ping: usize,
    },
    /// The reply to an echo request came back.
    PingAnswered {
        /// The ping.
        ping: usize,
        /// When the request left.
        sent: Instant,
        /// The round-trip time.
        rtt: Duration,
    },
    /// The wire dropped a packet that this node (or the server, `None`) sent.
    WireDrop {
        /// The node.
        node: Option<NodeId>,
    },
    /// A packet was lost between a station's transports and its MAC.
    HostDrop {
        /// The station.
        node: NodeId,
    },
    /// The totals of a station's own counts, told when the window begins and when it ends.
    Totals {
        /// The station.
        node: NodeId,
        /// Its counts since the start of the run.
        counts: StationCounts,
    },
    /// The totals of a flow, told when the window begins and when it ends.
    FlowTotals {
        /// The flow.
        flow: usize,
        /// What its TCP has counted since the start of the run.
        totals: FlowTotals,
        /// What has crossed the last Wi-Fi hop and is not delivered.
        held: Held,
        /// Since when a transfer has been under way, of a flow whose transfers end.
        transfer: Option<Instant>,
        /// Whether the sender has data that the receiver has not got.
        pending: bool,
    },
    /// The totals of both ends of a TCP flow that is not plain ([`TcpConfig::is_plain`](crate::config::TcpConfig::is_plain)), told when the
    /// window begins and when it ends.
    TransportTotals {
        /// The flow.
        flow: usize,
        /// Its counts since the start of the run.
        counts: TransportCounts,
        /// Where its estimates stand.
        estimates: TransportEstimates,
    },
    /// The totals of a UDP flow, told when the window begins and when it ends.
    DatagramTotals {
        /// The flow.
        flow: usize,
        /// Its counts since the start of the run.
        counts: DatagramCounts,
    },
    /// The player of a video showed a frame or stopped.
    Playout {
        /// The flow.
        flow: usize,
        /// What it did.
        playout: Playout,
    },
    /// How a flow stands, told at every sample ([`Observer::sampling`]).
    FlowSample {
        /// The flow.
        flow: usize,
        /// The congestion window of its sender; `None` for UDP, and before there is a connection.
        cwnd: Option<Bytes>,
        /// The smoothed round-trip time of its sender, once it has measured one.
        srtt: Option<Duration>,
        /// How fast its sender lets data go, where it is paced.
        pacing: Option<BitRate>,
        /// The bandwidth that its sender takes the path to have, if it has such a model.
        bandwidth: Option<BitRate>,
        /// Packets in the first MAC queue on its way, those of other flows with the same next hop included.
        queued: usize,
    },
}

/// What an AP heard for a while.
#[derive(Clone, Copy, Debug)]
pub enum Heard<'a> {
    /// A PPDU that it sent, or was locked on from its beginning to its end, and that did not collide.
    Ppdu(&'a Ppdu),
    /// PPDUs that overlapped, or one that it could not make out, at least one of its own cell among them.
    Overlap,
    /// Other cells only.
    Neighbours,
}

/// New bytes of a flow that the air has carried over the last Wi-Fi hop, and that its receiving application does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Held {
    /// In the receiver's reassembly, behind holes.
    pub behind_holes: Bytes,
    /// In the receiver's buffer, in order, until the application reads it.
    pub unread: Bytes,
    /// Between the MAC and the transport: on their way up a host, or on the wire behind the AP.
    pub on_the_way: Bytes,
}

/// What the player of a video did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Playout {
    /// It showed a frame: the first one, or the first after a stop, if it stood still before.
    Shown {
        /// Whether a part of the frame is missing.
        damaged: bool,
        /// How many frames before it were skipped.
        skipped: u64,
    },
    /// It stopped, because the next frame was not there.
    Stopped,
}

/// What both ends of a TCP flow counted, over all its connections. Data goes from the sender, its acknowledgements come from the receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TransportCounts {
    /// Segments with data or FIN sent, repeated ones included.
    pub data_packets: u64,
    /// Segments with nothing but an acknowledgement from the receiver, TACKs and IACKs included.
    pub acks: u64,
    /// TACKs among them, those of start-up included.
    pub tacks: u64,
    /// TACKs among them that were sent while every packet was acknowledged.
    pub start_up_tacks: u64,
    /// IACKs among them that pull lost packets.
    pub loss_iacks: u64,
    /// IACKs among them about the window.
    pub window_iacks: u64,
    /// IACKs about a round trip from either end.
    pub round_trip_iacks: u64,
    /// IACKs from the sender about the frequency.
    pub frequency_iacks: u64,
    /// Packets that the receiver gave up for lost.
    pub packets_lost: u64,
    /// Packets that came after that.
    pub spurious_losses: u64,
    /// Bytes held above a hole, summed over the moments at which a TACK was sent.
    pub blocked_bytes: u64,
    /// Tail loss probes.
    pub tail_probes: u64,
    /// Times that TACK was given up.
    pub fallbacks: u64,
    /// What the receiver's host has merged.
    pub merged: MergeCounts,
}

/// Where the estimates of a TCP flow stand; nothing where there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TransportEstimates {
    /// 1/f in force at the receiver (TACK).
    pub interval: Option<Duration>,
    /// RTTmin: by one-way delays under TACK, else the least sample that the sender took.
    pub min_rtt: Option<Duration>,
    /// RTTmin by one sample for each TACK.
    pub min_rtt_sampled: Option<Duration>,
    /// bw: the bandwidth that the sender takes the path to have.
    pub bandwidth: Option<BitRate>,
    /// rho' as the sender sees it, in parts of a million (TACK).
    pub ack_loss_ppm: Option<u32>,
    /// The most bytes held above a hole when a TACK was sent, of the present connection.
    pub blocked_bytes_max: Bytes,
}

/// What the TCP of a flow has counted, all its connections together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FlowTotals {
    /// Segments that the sender sent again.
    pub retransmissions: u64,
    /// Retransmission timeouts of the sender that fired.
    pub timeouts: u64,
    /// Data segments that reached the receiver with a congestion mark (ECN).
    pub ecn_marks: u64,
}

/// How many datagrams a UDP flow had.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DatagramCounts {
    /// Sent, those that the first queue on the way dropped included.
    pub sent: u64,
    /// Received.
    pub received: u64,
    /// Answers sent by the receiver.
    pub answers_sent: u64,
    /// Answers that came back to the sender.
    pub answers_received: u64,
}

/// A silence of the medium and what it was spent on: consecutive stretches, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Silence {
    /// When it began.
    pub from: Instant,
    /// From then on somebody had something to send.
    pub wanted: Instant,
    /// Until then an answer that did not come, or a NAV without frames, held the next sender back.
    pub waited: Instant,
    /// Until then DIFS or AIFS lasted.
    pub spaced: Instant,
    /// Until then EIFS lasted beyond it.
    pub recovered: Instant,
    /// Until then slots were counted; and from then on it was SIFS.
    pub backed_off: Instant,
    /// When it ended.
    pub until: Instant,
}

impl Silence {
    /// The stretches of the silence with their classes and ends; the first begins with the silence, and each where the one before ended.
    /// Some are empty.
    pub fn stretches(&self) -> [(AirtimeClass, Instant); 6] {
        use AirtimeClass::{Backoff, Idle, InterframeSpace, Sifs, Timeouts};
        let mut from = self.from;
        [
            (Idle, self.wanted),
            (Timeouts, self.waited),
            (InterframeSpace, self.spaced),
            (Timeouts, self.recovered),
            (Backoff, self.backed_off),
            (Sifs, self.until),
        ]
        .map(|(class, until)| {
            from = until.min(self.until).max(from);
            (class, from)
        })
    }

    /// A silence that is SIFS from its beginning to its end; a late answer lengthens it.
    pub const fn of_sifs(from: Instant, until: Instant) -> Self {
        Self { from, wanted: from, waited: from, spaced: from, recovered: from, backed_off: from, until }
    }
}

/// Listens to the events of a cell.
pub trait Observer {
    /// Something happened at `now`.
    fn observe(&mut self, now: Instant, event: &Event<'_>);

    /// Before anything happens: the cell that will be watched.
    fn begin(&mut self, _config: &CellConfig) {}

    /// How often it is to be told how each flow stands ([`Event::FlowSample`]), more than nothing; `None` for never, which costs nothing.
    fn sampling(&self) -> Option<Duration> {
        None
    }
}

impl Observer for () {
    fn observe(&mut self, _now: Instant, _event: &Event<'_>) {}
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    #[inline(always)]
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        self.0.observe(now, event);
        self.1.observe(now, event);
    }

    fn begin(&mut self, config: &CellConfig) {
        self.0.begin(config);
        self.1.begin(config);
    }

    /// The more frequent of the two; each must bear samples between those that it asks for.
    fn sampling(&self) -> Option<Duration> {
        self.0.sampling().into_iter().chain(self.1.sampling()).min()
    }
}

impl<O: Observer> Observer for Option<O> {
    #[inline(always)]
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        if let Some(observer) = self {
            observer.observe(now, event);
        }
    }

    fn begin(&mut self, config: &CellConfig) {
        if let Some(observer) = self {
            observer.begin(config);
        }
    }

    fn sampling(&self) -> Option<Duration> {
        self.as_ref().and_then(O::sampling)
    }
}

impl<O: Observer + ?Sized> Observer for &mut O {
    #[inline(always)]
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        (**self).observe(now, event);
    }

    fn begin(&mut self, config: &CellConfig) {
        (**self).begin(config);
    }

    fn sampling(&self) -> Option<Duration> {
        (**self).sampling()
    }
}

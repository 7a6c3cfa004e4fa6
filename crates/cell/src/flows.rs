//! The transports and applications of a cell: TCP endpoints, datagram sources, and what keeps them busy.
//!
//! Each flow has two ends: end 0 is its peer's (the server, or another station), end 1 its station's. Which flow and end a packet is for follows from its
//! destination port by arithmetic, so that nothing is hashed.

use std::net::SocketAddr;

use ackless_tcp::{AckChoice, Config, CongestionChoice, Consume, Endpoint, InitialWindow, TackConfig, Variant};
use ackless_wire::ip::Ipv4Header;
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{BitRate, Bytes, Duration, Instant, IpHeader, Packet, Payload, SeqNumber, Transport, UdpHeader};

use crate::config::{
    AckConfig, ByLetter, Direction, FlowConfig, Pace, Peer, PingConfig, Span, TcpConfig, Traffic, TransportConfig,
    UdpAnswers,
};
use crate::gro::{Gro, Merging};
use crate::observe::{DatagramCounts, FlowTotals, Held, TransportCounts};
use crate::small_queue::SmallQueue;
use crate::video::Video;
use destinations::Destinations;
use exchange::Exchange;

mod destinations;
pub(crate) mod exchange;
mod sending;
mod totals;

/// Where a transport end stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Behind the wire.
    Server,
    /// On this node.
    Station(usize),
}

/// All flows and pings of a cell.
#[derive(Debug)]
pub struct Flows {
    flows: Vec<Flow>,
    pings: Vec<Ping>,
    destinations: Destinations,
}

/// One flow with its two ends and its application.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) config: FlowConfig,
    pub(crate) ends: [End; 2],
    pub(crate) application: Application,
    /// The size of its datagrams if it sends them as fast as they can be queued, all the time or now and then.
    flood: Option<Bytes>,
    /// Counts of the connections before the present one.
    past: FlowTotals,
    /// When the present connection began.
    connected: Instant,
    past_transport: TransportCounts,
    /// Of datagrams, if it is over UDP.
    pub(crate) datagrams: DatagramCounts,
    /// Datagrams that have come and have no answer yet.
    unanswered: u32,
}

/// One end of a flow.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) place: Place,
    pub(crate) address: SocketAddr,
    /// The connection; none for datagrams, and before the flow starts.
    pub(crate) tcp: Option<Box<Endpoint>>,
    /// Bytes delivered here by the present connection that the observer knows of.
    pub(crate) reported: Bytes,
    /// What its host merges, if it does.
    pub(crate) merging: Option<Box<Merging>>,
    /// What it has in the queues below, if they are bounded.
    pub(crate) small_queue: Option<SmallQueue>,
    /// How much time's worth its bursts carry, if it sends in bursts.
    tso: Option<Duration>,
    next_ip_id: u16,
}

impl End {
    /// Whether each packet that comes to it at `place` goes to its connection as it is, and what that sends in return leaves as it is.
    #[inline]
    pub(crate) fn takes_alone(&self, place: Place) -> bool {
        self.place == place && self.merging.is_none() && self.small_queue.is_none()
    }

    /// How much of its application's data has come since the last call.
    #[inline]
    pub(crate) fn take_new(&mut self) -> Bytes {
        let delivered = self.tcp.as_ref().map_or(Bytes::ZERO, |tcp| tcp.bytes_delivered() - tcp.readable());
        delivered.saturating_sub(std::mem::replace(&mut self.reported, delivered))
    }
}

/// What sends through a flow.
#[derive(Debug)]
pub(crate) struct Application {
    /// When it starts, or when it next turns on or off.
    pub(crate) turn: Option<Instant>,
    /// When it hands over the next piece, if it is paced.
    pub(crate) tick: Option<Instant>,
    /// When the present transfer began.
    pub(crate) begun: Option<Instant>,
    /// Whether it wants to send now.
    pub(crate) on: bool,
    /// Bytes that the present connection has taken from it, where it does not fill whatever that takes.
    pub(crate) handed: Bytes,
    /// Bytes that a flood of datagrams has left, where it ends; `None` floods while it is on.
    left: Option<Bytes>,
    /// Bytes of the present transfer that have arrived as datagrams.
    came: Bytes,
    /// Whether it has begun to send before.
    has_begun: bool,
    /// The video that it sends, if it does.
    pub(crate) video: Option<Box<Video>>,
    /// Its requests and responses, if it has any.
    pub(crate) exchange: Option<Box<Exchange>>,
    /// What takes the data at the other end, if that takes time.
    pub(crate) reader: Option<Reader>,
    random: Stream,
}

/// A receiving application that reads at a rate: a piece as it came in one segment, then the next when the time for that piece is over.
#[derive(Debug)]
pub(crate) struct Reader {
    rate: BitRate,
    /// When it is ready for the next piece.
    ready: Instant,
    /// When it takes the next piece; `None` where nothing waits.
    pub(crate) due: Option<Instant>,
    /// What the connections before the present one have left for it.
    left: Bytes,
}

/// Echo requests to one station.
#[derive(Debug)]
pub(crate) struct Ping {
    pub(crate) config: PingConfig,
    pub(crate) next: Instant,
    next_id: u16,
    /// When each request left that has had no reply, by identification.
    outstanding: std::collections::BTreeMap<u16, Instant>,
}

/// A datagram of which only the place in its flow is settled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draft {
    flow: u32,
    /// Its identification in the IP header.
    id: u16,
}

/// Whose packet it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Addressee {
    /// An end of a flow.
    End(usize, usize),
    /// A station that answers a ping.
    EchoRequest(usize),
    /// The server that sent a ping.
    EchoReply(usize),
}

impl Flows {
    /// The flows of a cell, none of which has started.
    pub(crate) fn new(seed: u64, flows: &[FlowConfig], pings: &[PingConfig]) -> Self {
        let flow = |(index, config): (usize, &FlowConfig)| Flow::new(seed, index, config.clone());
        let ping = |config: &PingConfig| Ping {
            config: config.clone(),
            next: config.start,
            next_id: 0,
            outstanding: std::collections::BTreeMap::new(),
        };
        let flows: Vec<_> = flows.iter().enumerate().map(flow).collect();
        let destinations = Destinations::of(&flows);
        Self { flows, pings: pings.iter().map(ping).collect(), destinations }
    }

    /// Each end merges what its host does.
    pub(crate) fn merge(&mut self, gro: impl Fn(Place) -> Gro) {
        for end in self.flows.iter_mut().flat_map(|flow| &mut flow.ends) {
            end.merging = Merging::new(gro(end.place)).map(Box::new);
        }
    }

    /// Each end sends in bursts as its host does.
    pub(crate) fn burst(&mut self, tso: impl Fn(Place) -> Option<Duration>) {
        for end in self.flows.iter_mut().flat_map(|flow| &mut flow.ends) {
            end.tso = tso(end.place);
        }
    }

    /// Each end has as small queues below it as its host does.
    pub(crate) fn bound_queues(&mut self, tsq: impl Fn(Place) -> Option<Duration>) {
        for Flow { config, ends, .. } in &mut self.flows {
            for end in ends {
                end.small_queue = SmallQueue::new(tsq(end.place), config);
            }
        }
    }

    /// What an end of a flow has in the queues below its TCP; nothing where they are not bounded (TCP Small Queues).
    pub fn bytes_below(&self, flow: usize, end: usize) -> Option<Bytes> {
        self.flows[flow].ends[end].small_queue.map(|queue| queue.below)
    }

    /// How many flows there are.
    pub fn len(&self) -> usize {
        self.flows.len()
    }

    /// Whether there are no flows.
    pub fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    /// A TCP endpoint of a flow: end 0 is the peer's, end 1 the station's. None for datagrams and before the start.
    pub fn endpoint(&self, flow: usize, end: usize) -> Option<&Endpoint> {
        self.flows[flow].ends[end].tcp.as_deref()
    }

    /// What the TCP of a flow has counted since the start of the run.
    pub fn totals(&self, flow: usize) -> FlowTotals {
        self.flows[flow].totals()
    }

    pub(crate) fn flow(&self, flow: usize) -> &Flow {
        &self.flows[flow]
    }

    pub(crate) fn flow_mut(&mut self, flow: usize) -> &mut Flow {
        &mut self.flows[flow]
    }

    /// Opens a new connection of a flow. Its station, which calls, offers TACK unless it has learned better on the way to this host.
    pub(crate) fn connect(&mut self, flow: usize, now: Instant, tcp: &TcpConfig) {
        let offers_tack = tcp.tack.is_some() && self.destinations.offers(&self.flows, flow, now);
        self.flows[flow].connect(now, tcp, offers_tack);
    }

    pub(crate) fn has_pings(&self) -> bool {
        !self.pings.is_empty()
    }

    pub(crate) fn ping_mut(&mut self, ping: usize) -> &mut Ping {
        &mut self.pings[ping]
    }

    /// Whose packet this is, if it is anybody's; it must be of the cell's own.
    pub(crate) fn addressee(&self, packet: &Packet) -> Option<Addressee> {
        let (_, port) = packet.ports();
        let within = |base: u16, len: usize| port.checked_sub(base).map(usize::from).filter(|&n| n < len);
        if let Some(flow) = within(PEER_PORT, self.flows.len().min(PORTS)) {
            return Some(Addressee::End(flow, 0));
        }
        if let Some(flow) = within(STATION_PORT, self.flows.len().min(PORTS)) {
            return Some(Addressee::End(flow, 1));
        }
        if let Some(ping) = within(REQUEST_PORT, self.pings.len()) {
            return Some(Addressee::EchoRequest(ping));
        }
        within(REPLY_PORT, self.pings.len()).map(Addressee::EchoReply)
    }

    /// A number that tells the flow of a packet of the cell's own from others, for fair queueing.
    pub(crate) fn flow_of(packet: &Packet) -> u32 {
        u32::from(packet.ports().1)
    }
}

impl Flow {
    fn new(seed: u64, index: usize, config: FlowConfig) -> Self {
        let peer = match config.peer {
            Peer::Server => Place::Server,
            Peer::Station(station) => Place::Station(station + 1),
        };
        let station = Place::Station(config.station + 1);
        let application = Application {
            turn: Some(config.start),
            tick: None,
            begun: None,
            on: false,
            handed: Bytes::ZERO,
            left: match config.traffic {
                Traffic::Finite { .. } | Traffic::Repeated { .. } => Some(Bytes::ZERO),
                Traffic::Bulk(_) | Traffic::OnOff { .. } | Traffic::Video(_) | Traffic::Requests(_) => None,
            },
            came: Bytes::ZERO,
            has_begun: false,
            video: match config.traffic {
                Traffic::Video(video) => Some(Box::new(Video::new(video))),
                _ => None,
            },
            exchange: match config.traffic {
                Traffic::Requests(requests) => Some(Box::new(Exchange::new(requests))),
                _ => None,
            },
            reader: match config.transport {
                TransportConfig::Tcp(tcp) => tcp.read_rate.map(Reader::new),
                TransportConfig::Udp { .. } => None,
            },
            random: Stream::new(seed, index as u64, Purpose::Traffic),
        };
        let end = |place, port: u16| End {
            place,
            address: SocketAddr::new(address::of(place), port + index as u16),
            tcp: None,
            reported: Bytes::ZERO,
            merging: None,
            small_queue: None,
            tso: None,
            next_ip_id: 0,
        };
        Self {
            ends: [end(peer, PEER_PORT), end(station, STATION_PORT)],
            flood: flood(&config),
            config,
            application,
            past: FlowTotals::default(),
            connected: Instant::ZERO,
            past_transport: TransportCounts::default(),
            datagrams: DatagramCounts::default(),
            unanswered: 0,
        }
    }

    /// From now on, both ends acknowledge by this rule, where it is over TCP without TACK.
    pub(crate) fn set_ack_rule(&mut self, ack: AckConfig, policy: Option<AckChoice>) {
        let TransportConfig::Tcp(tcp) = &mut self.config.transport else { return };
        if tcp.tack.is_some() {
            return;
        }
        (tcp.ack, tcp.policy) = (ack, policy);
        let choice = endpoint_config(tcp).ack;
        for endpoint in self.ends.iter_mut().filter_map(|end| end.tcp.as_mut()) {
            endpoint.set_ack_policy(choice);
        }
    }

    /// The end that sends data.
    pub(crate) fn sender(&self) -> usize {
        match self.config.direction {
            Direction::Down => 0,
            Direction::Up => 1,
        }
    }

    /// Whether its application does something each time that a connection has changed: it writes what there is room for, or reads at a rate.
    #[inline]
    pub(crate) fn is_attended(&self) -> bool {
        self.application.reader.is_some() || matches!(self.config.traffic, Traffic::OnOff { .. })
    }

    /// Whether data that comes to this end is its application's at once, and nobody asks how much of it came when in an instant.
    #[inline]
    pub(crate) fn only_receives(&self, end: usize) -> bool {
        let Application { video, exchange, .. } = &self.application;
        self.sender() != end && !self.is_attended() && video.is_none() && exchange.is_none()
    }

    /// The receiving application takes what it can now, if it reads at a rate. Returns how much that is of earlier connections.
    #[inline(never)]
    pub(crate) fn read(&mut self, now: Instant) -> Bytes {
        let receiver = 1 - self.sender();
        let (Some(reader), Some(tcp)) = (&mut self.application.reader, &mut self.ends[receiver].tcp) else {
            return Bytes::ZERO;
        };
        let mut earlier = Bytes::ZERO;
        while reader.ready <= now {
            let left = reader.left.min(PIECE);
            let taken = if left > Bytes::ZERO { left } else { tcp.read(PIECE).map_or(Bytes::ZERO, piece_len) };
            if taken == Bytes::ZERO {
                break;
            }
            reader.left -= left;
            earlier += left;
            reader.ready = now + reader.rate.time_ceil(taken);
        }
        let waits = reader.left > Bytes::ZERO || tcp.readable() > Bytes::ZERO;
        reader.due = waits.then_some(reader.ready);
        earlier
    }

    /// The size of its datagrams if it sends them as fast as they can be queued, all the time or now and then.
    #[inline]
    pub(crate) const fn datagrams_that_flood(&self) -> Option<Bytes> {
        self.flood
    }

    /// The size of its next datagram if it floods just now.
    #[inline]
    pub(crate) fn floods(&self) -> Option<Bytes> {
        let payload = self.datagrams_that_flood()?;
        match self.application.left {
            None => self.application.on.then_some(payload),
            Some(left) => Some(left.min(payload)).filter(|next| *next > Bytes::ZERO),
        }
    }

    /// Since when its present transfer has been under way, if its transfers end.
    pub(crate) fn transfer_under_way(&self) -> Option<Instant> {
        let ends =
            matches!(self.config.traffic, Traffic::Finite { .. } | Traffic::Repeated { .. } | Traffic::Requests(_));
        let over_tcp = matches!(self.config.transport, TransportConfig::Tcp(_));
        self.application.begun.filter(|_| ends && over_tcp)
    }

    /// What waits at the end that receives data.
    pub(crate) fn held_by_receiver(&self) -> Held {
        let Some(tcp) = &self.ends[1 - self.sender()].tcp else { return Held::default() };
        Held { behind_holes: tcp.bytes_behind_holes(), unread: tcp.readable(), on_the_way: Bytes::ZERO }
    }

    /// How much of a packet on its way to `end` that has not come there yet, as far as what is in order tells.
    pub(crate) fn new_bytes(&self, end: usize, packet: &Packet) -> Bytes {
        let len = Bytes(packet.payload.len().into());
        match (&self.ends[end].tcp, &packet.transport) {
            (Some(tcp), Transport::Tcp(header)) => {
                // Modulo 2^32, a sequence number that is still to come lies less than 2^31 ahead.
                let old = (tcp.next_expected() - header.seq).cast_signed();
                len.saturating_sub(Bytes(u64::try_from(old).unwrap_or(0)))
            }
            _ => len,
        }
    }

    /// Opens a new connection: the station calls, and offers TACK or not; its peer listens.
    /// Apart: two endpoints want room on the stack, which whoever calls it would make each time.
    #[cold]
    #[inline(never)]
    fn connect(&mut self, now: Instant, tcp: &TcpConfig, offers_tack: bool) {
        self.past = self.totals();
        self.keep_transport_counts();
        let receiver = 1 - self.sender();
        if let (Some(reader), Some(old)) = (&mut self.application.reader, &self.ends[receiver].tcp) {
            reader.left += old.readable();
        }
        self.connected = now;
        let [peer_config, config] = [ByLetter::Peer, ByLetter::Station].map(|end| {
            let place = usize::from(end == ByLetter::Station);
            let chosen = endpoint_config(tcp);
            // Only who receives the flow's data may read slowly: a server takes requests at once.
            let consume = if place == receiver { chosen.consume } else { Consume::Immediately };
            let tso = self.ends[place].tso;
            Config { consume, tso, ..if end == tcp.by_letter { by_letter(chosen) } else { chosen } }
        });
        let config = Config { tack: config.tack.filter(|_| offers_tack), ..config };
        let [peer, station] = [self.ends[0].address, self.ends[1].address];
        let mut iss = || SeqNumber(self.application.random.bits() as u32);
        let (listening, calling) = (iss(), iss());
        self.ends[0].tcp = Some(Box::new(Endpoint::listen(peer_config, peer, listening)));
        self.ends[1].tcp = Some(Box::new(Endpoint::connect(now, config, station, peer, calling)));
        self.application.handed = Bytes::ZERO;
        for end in &mut self.ends {
            end.reported = Bytes::ZERO;
        }
    }

    /// The next datagram from the sending end.
    pub(crate) fn datagram(&mut self, payload: Bytes) -> Packet {
        self.datagrams.sent += 1;
        self.datagram_from(self.sender(), payload)
    }

    /// As [`Self::datagram`], of the flow with this number, with all but its number left for later.
    pub(crate) fn draft(&mut self, flow: usize) -> Draft {
        self.datagrams.sent += 1;
        let end = self.sender();
        Draft { flow: flow as u32, id: self.ends[end].take_ip_id() }
    }

    /// A datagram that was put off.
    pub(crate) fn carry_out(&self, draft: Draft, payload: Bytes) -> Packet {
        let sender = self.sender();
        datagram(self.ends[sender].address, self.ends[1 - sender].address, payload, draft.id)
    }

    /// A datagram has come to the receiving end: the answer to it and those before it, if one is due.
    pub(crate) fn answer(&mut self) -> Option<Packet> {
        self.datagrams.received += 1;
        let TransportConfig::Udp { answers: Some(UdpAnswers { every, payload }), .. } = self.config.transport else {
            return None;
        };
        self.unanswered += 1;
        if self.unanswered < every {
            return None;
        }
        self.unanswered = 0;
        self.datagrams.answers_sent += 1;
        Some(self.datagram_from(1 - self.sender(), payload))
    }

    fn datagram_from(&mut self, end: usize, payload: Bytes) -> Packet {
        let id = self.ends[end].take_ip_id();
        datagram(self.ends[end].address, self.ends[1 - end].address, payload, id)
    }

    /// Counts of all connections: of the data's sender and of its receiver, and of both as both
    /// where requests go the other way.
    fn totals(&self) -> FlowTotals {
        let mut totals = self.past;
        let both = self.application.exchange.is_some();
        for (end, state) in self.ends.iter().enumerate() {
            let Some(tcp) = &state.tcp else { continue };
            let sends = end == self.sender();
            if sends || both {
                totals.retransmissions += tcp.stats().retransmitted_segments;
                totals.timeouts += tcp.stats().timeouts;
            }
            if !sends || both {
                totals.ecn_marks += tcp.stats().marked_segments;
            }
        }
        totals
    }
}

impl End {
    fn take_ip_id(&mut self) -> u16 {
        self.next_ip_id = self.next_ip_id.wrapping_add(1);
        self.next_ip_id
    }
}

impl Draft {
    /// Whose it is.
    pub(crate) const fn flow(self) -> usize {
        self.flow as usize
    }
}

impl Application {
    /// When it wants to be woken.
    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        let due = self.video.as_ref().and_then(|video| video.due());
        let read = self.reader.as_ref().and_then(|reader| reader.due);
        [self.turn, self.tick, due, read].into_iter().flatten().min()
    }

    /// Draws what a TCP connection draws when it opens, two initial sequence numbers, so that the times of the
    /// application are the same over both transports.
    fn draw_as_connection(&mut self) {
        self.random.bits();
        self.random.bits();
    }

    /// A span as configured, drawn if it is random.
    pub(crate) fn draw(&mut self, span: Span) -> Duration {
        match span {
            Span::Fixed(span) => span,
            Span::Exponential(mean) => {
                let seconds = -libm::log(1.0 - self.random.unit()) * mean.as_secs_f64();
                Duration::from_secs_f64(seconds).max(Duration::from_nanos(1))
            }
        }
    }
}

impl Reader {
    const fn new(rate: BitRate) -> Self {
        Self { rate, ready: Instant::ZERO, due: None, left: Bytes::ZERO }
    }
}

impl Ping {
    /// The next echo request.
    pub(crate) fn request(&mut self, now: Instant, index: usize) -> Packet {
        self.next = now + self.config.interval;
        self.next_id = self.next_id.wrapping_add(1);
        self.outstanding.insert(self.next_id, now);
        let station = Place::Station(self.config.station + 1);
        self.echo(Place::Server, REPLY_PORT, station, REQUEST_PORT, index, self.next_id)
    }

    /// The reply to an echo request with this identification.
    pub(crate) fn reply(&self, index: usize, id: u16) -> Packet {
        let station = Place::Station(self.config.station + 1);
        self.echo(station, REQUEST_PORT, Place::Server, REPLY_PORT, index, id)
    }

    /// A reply came back: when its request left, unless it is unknown.
    pub(crate) fn answered(&mut self, id: u16) -> Option<Instant> {
        self.outstanding.remove(&id)
    }

    fn echo(&self, from: Place, from_port: u16, to: Place, to_port: u16, index: usize, id: u16) -> Packet {
        let at = |place, port: u16| SocketAddr::new(address::of(place), port + index as u16);
        let payload = self.config.packet.saturating_sub(Bytes(28));
        datagram(at(from, from_port), at(to, to_port), payload, id)
    }
}

/// Addresses of nodes: stations in 10.0.0.0/16 by their number, the server at 10.1.0.1.
pub(crate) mod address {
    use std::net::{IpAddr, Ipv4Addr};

    use ackless_dot11::frame::NodeId;

    use super::Place;

    /// The address of a place.
    pub(crate) fn of(place: Place) -> IpAddr {
        match place {
            Place::Server => IpAddr::V4(Ipv4Addr::new(10, 1, 0, 1)),
            Place::Station(node) => {
                let [high, low] = (node as u16).to_be_bytes();
                IpAddr::V4(Ipv4Addr::new(10, 0, high, low))
            }
        }
    }

    /// The node with an address; `None` for what lies behind the wire.
    pub(crate) fn node_of(address: IpAddr) -> Option<NodeId> {
        match address {
            IpAddr::V4(v4) => match v4.octets() {
                [10, 0, high, low] => Some(NodeId(u16::from_be_bytes([high, low]))),
                _ => None,
            },
            IpAddr::V6(_) => None,
        }
    }

    /// Whether an address is one of these.
    pub(crate) fn is_own(address: IpAddr) -> bool {
        node_of(address).is_some() || address == of(Place::Server)
    }
}

fn datagram(from: SocketAddr, to: SocketAddr, payload: Bytes, id: u16) -> Packet {
    let mut ip = IpHeader::between(from.ip(), to.ip()).expect("all addresses of a cell are of one family");
    if let IpHeader::V4(v4) = &mut ip {
        v4.id = id;
    }
    let udp = UdpHeader { src_port: from.port(), dst_port: to.port() };
    Packet { ip, transport: Transport::Udp(udp), payload: Payload::Length(payload.get() as u32) }
}

/// See [`Flow::datagrams_that_flood`].
fn flood(config: &FlowConfig) -> Option<Bytes> {
    let pace = match config.traffic {
        Traffic::Bulk(pace) | Traffic::OnOff { pace, .. } => pace,
        Traffic::Finite { .. } | Traffic::Repeated { .. } => Pace::Saturating,
        Traffic::Video(_) | Traffic::Requests(_) => return None,
    };
    match config.transport {
        TransportConfig::Udp { payload, .. } if pace == Pace::Saturating => Some(payload),
        _ => None,
    }
}

fn endpoint_config(tcp: &TcpConfig) -> Config {
    let AckConfig { every, timeout } = tcp.ack;
    Config {
        mss: tcp.packet.saturating_sub(Bytes(40)),
        initial_window: InitialWindow::Segments(tcp.initial_window),
        congestion: tcp.congestion,
        ack: tcp.policy.unwrap_or(AckChoice::Delayed { every, timeout }),
        tack: tcp.tack,
        recovery: tcp.recovery,
        pacing: tcp.pacing,
        sender: tcp.sender,
        sack: tcp.sack,
        timestamps: tcp.timestamps.then_some(Duration::from_millis(1)),
        missing_timestamp: tcp.missing_timestamp,
        window_scaling: tcp.window_scaling,
        receive_buffer: tcp.receive_buffer,
        receive_tuning: tcp.receive_tuning,
        ecn: tcp.ecn,
        send_tuning: tcp.send_tuning,
        nagle: !tcp.no_delay,
        send_buffer: tcp.send_buffer,
        consume: if tcp.read_rate.is_some() { Consume::ByApplication } else { Consume::Immediately },
        rto_min: tcp.rto_min,
        ..Config::default()
    }
}

/// An end with TACK as its paper has it: beta and L of VI-C, and the controller and the choices that the paper's text says.
fn by_letter(chosen: Config) -> Config {
    let Some(tack) = chosen.tack else { return chosen };
    Config {
        tack: Some(TackConfig { form: tack.form, ..TackConfig::default() }),
        ack: match chosen.ack {
            AckChoice::Tack { .. } => AckChoice::Tack { beta: 4, every: 2 },
            other => other,
        },
        congestion: match chosen.congestion {
            CongestionChoice::ReceiverBbr(_) => CongestionChoice::ReceiverBbr(Variant::Standard),
            other => other,
        },
        ..chosen
    }
}

fn piece_len(piece: Payload) -> Bytes {
    Bytes(piece.len().into())
}

/// The length of the packet that a datagram with this much payload makes, between addresses of [`address`].
pub(crate) fn datagram_len(payload: Bytes) -> Bytes {
    Ipv4Header::LEN + UdpHeader::LEN + payload
}

/// The most that an application reads at once: a page of memory.
const PIECE: Bytes = Bytes(4096);

/// The first port of flows' peers, of flows' stations, of echo requests and of their replies; each range has room for 10,000.
const PEER_PORT: u16 = 10_000;
const STATION_PORT: u16 = 20_000;
const REQUEST_PORT: u16 = 30_000;
const REPLY_PORT: u16 = 40_000;
const PORTS: usize = 10_000;

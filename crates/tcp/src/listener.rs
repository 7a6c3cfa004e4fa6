//! A listener: many connections on one address, handed out as they are established (RFC 9293, 3.9.1; RFC 4987).
//!
//! [`Endpoint::listen`] becomes the first connection that comes. A [`Listener`] goes on listening: it makes an [`Endpoint`] for each SYN, leads
//! the handshakes, and hands out what is established by [`accept`](Listener::accept). Whoever runs it gives a packet to the accepted endpoint
//! whose [`remote`](Endpoint::remote) sent it, if there is one, else to the listener. Drop an accepted endpoint once it is [`State::Closed`]
//! and has nothing more to send: it would refuse the next call from its address and port, which the listener takes.
//!
//! Two bounds hold whatever comes. Connections that nobody has accepted are at most [`Limits::backlog`]: while there are so many, a SYN is
//! treated as [`Limits::when_full`] says, and the end of a handshake that has begun is ignored, so that its SYN-ACK comes again later
//! (Linux does the same). Handshakes that have not ended are at most [`Limits::half_open`]: under a SYN flood the oldest makes room, so that a
//! genuine caller gets through if its round trip is shorter than the flood takes to fill the table
//! (RFC 4987, 3.4). A segment costs O(log n) of the connections that wait, however large the bounds
//! are. A caller
//! that has lost its place, and believes itself established since it has our SYN-ACK, gets a RST for the next segment that it sends. Each
//! handshake costs an endpoint's memory; SYN cookies (RFC 4987, 3.6) are not modelled.
//!
//! ```
//! use ackless_tcp::{Config, Endpoint, Limits, Listener, State};
//! use ackless_wire::{Bytes, Instant, SeqNumber};
//!
//! let now = Instant::from_millis(1);
//! let at = std::net::SocketAddr::new([10, 0, 0, 1].into(), 80);
//! let mut listener = Listener::new(Config::default(), at, Limits::default());
//! let mut callers: Vec<Endpoint> = (1..=3)
//!     .map(|host| {
//!         let from = std::net::SocketAddr::new([10, 0, 0, 9].into(), 40_000 + host);
//!         Endpoint::connect(now, Config::default(), from, at, SeqNumber(u32::from(host)))
//!     })
//!     .collect();
//! // A network without delay: until nobody has anything to say.
//! let mut accepted: Vec<Endpoint> = Vec::new();
//! for serial in 0..3 {
//!     for caller in &mut callers {
//!         while let Some(packet) = caller.poll_transmit(now) {
//!             let port = packet.tcp().expect("an endpoint sends TCP").src_port;
//!             match accepted.iter_mut().find(|end| end.remote().is_some_and(|remote| remote.port() == port)) {
//!                 Some(end) => end.handle_segment(now, &packet),
//!                 None => listener.handle_segment(now, &packet, SeqNumber(serial)),
//!             }
//!         }
//!         let answers = std::iter::from_fn(|| listener.poll_transmit(now)).collect::<Vec<_>>();
//!         answers.iter().for_each(|packet| caller.handle_segment(now, packet));
//!         accepted.extend(std::iter::from_fn(|| listener.accept()));
//!     }
//! }
//! assert!(callers.iter().chain(&accepted).all(|end| end.state() == State::Established));
//! callers[0].send(Bytes(100));
//! let packet = callers[0].poll_transmit(now).expect("there is data to send");
//! accepted[0].handle_segment(now, &packet);
//! assert_eq!(accepted[0].bytes_delivered(), Bytes(100));
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use ackless_wire::tcp::Checksum;
use ackless_wire::{Instant, Packet, SeqNumber, TcpFlags, TcpHeader};

use crate::config::Config;
use crate::endpoint::Endpoint;
use crate::state::State;

/// How many connections a [`Listener`] holds, and what it does about one more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Connections that are established and not accepted. At least 1; 0 counts as 1. Default: 128.
    pub backlog: usize,
    /// Handshakes that have not ended. At least 1; 0 counts as 1. Default: 256.
    pub half_open: usize,
    /// What becomes of a SYN while the backlog is full. Default: it is ignored.
    pub when_full: WhenFull,
}

/// What becomes of a SYN for which there is no place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenFull {
    /// It is ignored: the caller's comes again after its timeout, when there may be a place (Linux by default).
    Ignore,
    /// It is refused with a RST: the caller knows at once (Linux with tcp_abort_on_overflow, which refuses at the end of the handshake).
    Refuse,
}

/// What a [`Listener`] has counted so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ListenerStats {
    /// Handshakes begun.
    pub begun: u64,
    /// Connections established.
    pub established: u64,
    /// Connections handed out.
    pub accepted: u64,
    /// SYNs ignored or refused because the backlog was full.
    pub turned_away: u64,
    /// Ends of handshakes ignored because the backlog was full; each may come again.
    pub put_off: u64,
    /// Half-open connections given up for newer ones.
    pub evicted: u64,
    /// Handshakes that failed otherwise: reset, or never answered.
    pub failed: u64,
    /// Connections that ended before anybody accepted them.
    pub lost: u64,
    /// Segments refused with a RST because they belong to no connection.
    pub refused: u64,
    /// Packets that are not TCP or not for this address, or have a wrong checksum.
    pub ignored: u64,
}

/// Listens at one address and hands out an [`Endpoint`] for each connection.
///
/// As with an endpoint, after every call drain [`poll_transmit`](Self::poll_transmit), then [`accept`](Self::accept), then ask
/// [`poll_timeout`](Self::poll_timeout). What an accepted endpoint has still to send is its own to say: drain it too.
#[derive(Clone, Debug)]
pub struct Listener {
    config: Config,
    local: SocketAddr,
    limits: Limits,
    connections: BTreeMap<Place, Connection>,
    by_remote: BTreeMap<SocketAddr, Place>,
    /// Their deadlines.
    dues: BTreeSet<(Instant, Place)>,
    /// Those that may have something to send.
    talkers: BTreeSet<Place>,
    half_open: usize,
    /// Counts the places that were given.
    places: u64,
    /// A RST that waits to be sent.
    reply: Option<Packet>,
    stats: ListenerStats,
}

/// Where a connection stands: handshakes in the order in which their SYNs came, and behind them
/// what is established, in the order in which it was.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Place {
    ready: bool,
    number: u64,
}

/// A connection that nobody has accepted.
#[derive(Clone, Debug)]
struct Connection {
    end: Box<Endpoint>,
    remote: SocketAddr,
    /// Its deadline in the list of all.
    due: Option<Instant>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { backlog: 128, half_open: 256, when_full: WhenFull::Ignore }
    }
}

impl Listener {
    /// Listens at `local`; every connection is configured by `config`.
    pub fn new(config: Config, local: SocketAddr, limits: Limits) -> Self {
        let limits = Limits { backlog: limits.backlog.max(1), half_open: limits.half_open.max(1), ..limits };
        Self {
            config,
            local,
            limits,
            connections: BTreeMap::new(),
            by_remote: BTreeMap::new(),
            dues: BTreeSet::new(),
            talkers: BTreeSet::new(),
            half_open: 0,
            places: 0,
            reply: None,
            stats: ListenerStats::default(),
        }
    }

    /// Where it listens.
    pub const fn local(&self) -> SocketAddr {
        self.local
    }

    /// What has been counted so far.
    pub const fn stats(&self) -> ListenerStats {
        self.stats
    }

    /// Handshakes that have not ended.
    pub fn half_open(&self) -> usize {
        self.half_open
    }

    /// Connections that wait to be accepted.
    pub fn waiting(&self) -> usize {
        self.connections.len() - self.half_open
    }

    /// The connection that has been established for longest, with its events, and what came for it so far.
    pub fn accept(&mut self) -> Option<Endpoint> {
        let first = self.connections.range(Place { ready: true, number: 0 }..).next().map(|(place, _)| *place)?;
        self.stats.accepted += 1;
        self.remove(first).map(|end| *end)
    }

    /// Takes a packet. If a connection begins with it, `iss` is its initial sequence number, which should be hard to guess (RFC 6528), and
    /// is not used otherwise. A packet that is not for this address, or has a wrong checksum, is counted and ignored; a segment of no connection
    /// is refused with a RST.
    pub fn handle_segment(&mut self, now: Instant, packet: &Packet, iss: SeqNumber) {
        let is_for_us = |tcp: &&TcpHeader| {
            let is_our_address = packet.ip.dst() == self.local.ip() && tcp.dst_port == self.local.port();
            is_our_address && tcp.checksum == Checksum::Correct
        };
        let Some(tcp) = packet.tcp().filter(is_for_us) else {
            self.stats.ignored += 1;
            return;
        };
        let from = SocketAddr::new(packet.ip.src(), tcp.src_port);
        match self.by_remote.get(&from).copied() {
            None => self.on_stranger(now, packet, tcp, iss),
            Some(place) if !place.ready && self.is_put_off(tcp) => self.stats.put_off += 1,
            Some(place) => {
                if let Some(connection) = self.connections.get_mut(&place) {
                    connection.end.handle_segment(now, packet);
                }
                self.judge(place);
            }
        }
    }

    /// Fires every timer that is due by `now`. Calling it early does nothing.
    pub fn handle_timeout(&mut self, now: Instant) {
        let due: Vec<_> = self.dues.iter().take_while(|(due, _)| *due <= now).map(|(_, place)| *place).collect();
        for place in due {
            if let Some(connection) = self.connections.get_mut(&place) {
                connection.end.handle_timeout(now);
            }
            self.judge(place);
        }
    }

    /// When to call [`handle_timeout`](Self::handle_timeout), if nothing else happens before.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.dues.first().map(|(due, _)| *due)
    }

    /// The next packet to send, or nothing for now.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Packet> {
        if let Some(reply) = self.reply.take() {
            return Some(reply);
        }
        while let Some(place) = self.talkers.first().copied() {
            let packet = self.connections.get_mut(&place).and_then(|connection| connection.end.poll_transmit(now));
            self.note_due(place);
            if packet.is_some() {
                return packet;
            }
            self.talkers.remove(&place);
        }
        None
    }

    /// Whether a segment of a handshake has to come again: it would end it, and there is no place
    /// for what is established.
    fn is_put_off(&self, tcp: &TcpHeader) -> bool {
        // Also with a SYN: in a simultaneous open the peer acknowledges ours by its own.
        let ends_handshake = tcp.flags.contains(TcpFlags::ACK) && !tcp.flags.contains(TcpFlags::RST);
        ends_handshake && self.waiting() >= self.limits.backlog
    }

    /// Something has happened to a connection: it may be established or over.
    fn judge(&mut self, place: Place) {
        let Some(connection) = self.connections.get(&place) else { return };
        match (connection.end.state(), place.ready) {
            (State::SynReceived, false) => self.stay(place),
            // A RST, or nobody has answered: a single endpoint would listen again.
            (State::Listen | State::Closed, false) => {
                self.remove(place);
                self.stats.failed += 1;
            }
            (_, false) => {
                self.stats.established += 1;
                if let Some(end) = self.remove(place) {
                    self.add(end, true);
                }
            }
            // Connections that are over before anybody has accepted them are nobody's.
            (State::Closed, true) => {
                self.remove(place);
                self.stats.lost += 1;
            }
            (_, true) => self.stay(place),
        }
    }

    /// It stays where it is, and may have something to send.
    fn stay(&mut self, place: Place) {
        self.talkers.insert(place);
        self.note_due(place);
    }

    /// Its deadline may have moved.
    fn note_due(&mut self, place: Place) {
        let Some(connection) = self.connections.get_mut(&place) else { return };
        let due = connection.end.poll_timeout();
        let before = std::mem::replace(&mut connection.due, due);
        if before != due {
            before.map(|before| self.dues.remove(&(before, place)));
            self.dues.extend(due.map(|due| (due, place)));
        }
    }

    fn add(&mut self, end: Box<Endpoint>, ready: bool) {
        let Some(remote) = end.remote() else { return };
        self.places += 1;
        let place = Place { ready, number: self.places };
        self.half_open += usize::from(!ready);
        self.by_remote.insert(remote, place);
        self.connections.insert(place, Connection { end, remote, due: None });
        self.stay(place);
    }

    fn remove(&mut self, place: Place) -> Option<Box<Endpoint>> {
        let Connection { end, remote, due } = self.connections.remove(&place)?;
        self.half_open -= usize::from(!place.ready);
        self.by_remote.remove(&remote);
        self.talkers.remove(&place);
        due.map(|due| self.dues.remove(&(due, place)));
        Some(end)
    }

    /// A segment of no connection that is here. What LISTEN makes of it is asked of an endpoint in that state.
    fn on_stranger(&mut self, now: Instant, packet: &Packet, tcp: &TcpHeader, iss: SeqNumber) {
        let begins = tcp.flags.contains(TcpFlags::SYN) && !tcp.flags.intersects(TcpFlags::RST | TcpFlags::ACK);
        let is_full = begins && self.waiting() >= self.limits.backlog;
        if is_full && self.limits.when_full == WhenFull::Ignore {
            self.stats.turned_away += 1;
            return;
        }
        let mut end = Endpoint::listen(self.config.clone(), self.local, iss);
        if is_full {
            // Nobody is there any more to take the call.
            end.close();
        }
        end.handle_segment(now, packet);
        if end.state() == State::SynReceived {
            self.stats.begun += 1;
            if self.half_open >= self.limits.half_open
                && let Some(oldest) = self.connections.keys().next().copied()
            {
                self.remove(oldest);
                self.stats.evicted += 1;
            }
            self.add(Box::new(end), false);
        } else if let Some(reset) = end.poll_transmit(now) {
            let count = if is_full { &mut self.stats.turned_away } else { &mut self.stats.refused };
            *count += 1;
            self.reply.get_or_insert(reset);
        }
    }
}

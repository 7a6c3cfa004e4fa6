//! A medium for a few stations that writes down what they send.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use ackless_wire::ip::Ipv4Header;
use ackless_wire::random::{Purpose, Stream};
use ackless_wire::{Bytes, Duration, Instant, IpHeader, Packet, PacketId, PacketPool, Payload, Transport, UdpHeader};

use crate::frame::{Body, Ds, FrameHandle, Mpdu, NodeId, Ppdu};
use crate::hooks::{Admission, Context, Scheme, SendOptions, Verdict};
use crate::queue::SchedulerKind;
use crate::station::{LinkConfig, MacConfig, MediumView, Route, Station};

/// Stations 0, 1, 2 ... that all hear each other, and the packets between them.
///
/// Where their schemes let everything pass, the same happens to stock stations beside it, which are asked less and take shorter ways: at the end both must have come to the same.
pub(super) struct Air {
    pub(super) stations: Vec<Station<Watch>>,
    /// The same with stock stations.
    stock: Option<Box<Air>>,
    now: Instant,
    pool: PacketPool,
    on_air: Vec<OnAir>,
    idle_since: Instant,
    /// Until when each station's NAV is set.
    nav: Vec<Instant>,
    /// Whether the last frame was noise to all but its transmitter.
    noise: Option<NodeId>,
    /// What the medium does to the n-th PPDU.
    harm: BTreeMap<usize, Harm>,
    /// Frames of others, by when they begin.
    foreign: BTreeMap<Instant, Ppdu>,
    script: Vec<String>,
    up: Vec<String>,
}

/// A scheme that writes down what it is told, and can be made to answer late or to refuse.
#[derive(Default)]
pub(super) struct Watch {
    /// How much later than SIFS it answers.
    pub(super) delay: Duration,
    /// Whether it refuses all MPDUs.
    pub(super) refuses: bool,
    /// Whether it is none: it is told of nothing then.
    pub(super) stock: bool,
    /// A packet that it sends in another way than it would be.
    pub(super) disguises: Option<Disguise>,
    /// What it was told, as `time what`.
    pub(super) told: Vec<String>,
}

/// How a packet is sent that would be sent as any other.
pub(super) struct Disguise {
    /// The packet's identification.
    pub(super) packet: u16,
    /// What is changed.
    pub(super) how: fn(&mut SendOptions),
}

struct OnAir {
    number: usize,
    end: Instant,
    ppdu: Ppdu,
}

#[derive(Clone, Copy)]
enum Harm {
    /// The receiver cannot read the MPDUs whose bits are set.
    Damage(u64),
    /// Nobody can read it.
    Garble,
}

impl Scheme for Watch {
    fn on_outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        _handle: FrameHandle,
        options: &mut SendOptions,
    ) -> Verdict {
        if let Some(disguise) = &self.disguises
            && disguise.packet == identification(&cx.pool.get(packet).ip)
        {
            (disguise.how)(options);
        }
        Verdict::Pass
    }

    fn on_mpdu(&mut self, _cx: &mut Context<'_>, _mpdu: &Mpdu) -> Admission {
        if self.refuses { Admission::Refuse } else { Admission::Accept }
    }

    fn answer_delay(&self) -> Duration {
        self.delay
    }

    fn is_stock(&self) -> bool {
        self.stock
    }

    fn on_answer_missing(&mut self, cx: &mut Context<'_>, _from: NodeId) {
        self.told.push(format!("{} missing", micros(cx.now)));
    }

    fn on_delivered(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.told.push(format!("{} delivered {}", micros(cx.now), mpdu.seq.get()));
    }

    fn on_given_up(&mut self, cx: &mut Context<'_>, mpdu: &Mpdu) {
        self.told.push(format!("{} given up {}", micros(cx.now), mpdu.seq.get()));
    }
}

impl Drop for Air {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.compare_with_stock();
        }
    }
}

impl Air {
    /// A silent medium with these stations, whose schemes do nothing.
    pub(super) fn new(stations: Vec<(MacConfig, Vec<LinkConfig>)>) -> Self {
        let schemes = |stock| stations.iter().map(|_| Watch { stock, ..Watch::default() }).collect();
        let stock = Self::with_schemes(stations.clone(), schemes(true), 1);
        let watched = schemes(false);
        let mut air = Self::with_schemes(stations, watched, 1);
        air.stock = Some(Box::new(stock));
        air
    }

    /// The same with these schemes, and back-off counters of this seed.
    pub(super) fn with_schemes(stations: Vec<(MacConfig, Vec<LinkConfig>)>, schemes: Vec<Watch>, seed: u64) -> Self {
        let nodes = stations.len();
        let station = |(node, ((config, links), scheme))| {
            let backoff = Stream::new(seed, node, Purpose::Backoff);
            Station::new(config, links, SchedulerKind::RoundRobin, scheme, backoff)
        };
        let mut stations: Vec<Station<Watch>> = (0..).zip(stations.into_iter().zip(schemes)).map(station).collect();
        let peers: Vec<_> = stations.iter().map(Station::as_peer).collect();
        for station in &mut stations {
            for (node, peer) in (0..).zip(&peers) {
                station.join(NodeId(node), *peer);
            }
        }
        Self {
            stations,
            stock: None,
            now: Instant::ZERO,
            pool: PacketPool::default(),
            on_air: Vec::new(),
            idle_since: Instant::ZERO,
            nav: vec![Instant::ZERO; nodes],
            noise: None,
            harm: BTreeMap::new(),
            foreign: BTreeMap::new(),
            script: Vec::new(),
            up: Vec::new(),
        }
    }

    /// Both of them, or it alone.
    fn both(&mut self, mut what: impl FnMut(&mut Self)) {
        if let Some(stock) = &mut self.stock {
            what(stock);
        }
        what(self);
    }

    /// The n-th PPDU reaches its receiver with the MPDUs damaged whose bits are set.
    pub(super) fn damage(&mut self, number: usize, mpdus: u64) {
        self.both(|air| _ = air.harm.insert(number, Harm::Damage(mpdus)));
    }

    /// The n-th PPDU reaches its receiver damaged whole; others can read it.
    pub(super) fn lose(&mut self, number: usize) {
        self.damage(number, u64::MAX);
    }

    /// Nobody can read the n-th PPDU.
    pub(super) fn garble(&mut self, number: usize) {
        self.both(|air| _ = air.harm.insert(number, Harm::Garble));
    }

    /// Somebody else begins to send this.
    pub(super) fn foreign(&mut self, start: Instant, ppdu: Ppdu) {
        self.both(|air| _ = air.foreign.insert(start, ppdu.clone()));
    }

    /// Sets the NAV of one station alone.
    pub(super) fn reserve(&mut self, node: usize, until: Instant) {
        self.both(|air| air.nav[node] = until);
    }

    /// Hands `from` packets of this length for `to`; their identifications are `ids`.
    pub(super) fn send(&mut self, from: u16, to: NodeId, len: Bytes, ids: impl IntoIterator<Item = u16>) {
        self.send_by(from, Route { next: to, destination: to, source: NodeId(from), ds: Ds::ToAp }, len, ids);
    }

    /// The same by a route of any kind.
    pub(super) fn send_by(&mut self, from: u16, route: Route, len: Bytes, ids: impl IntoIterator<Item = u16>) {
        for id in ids {
            self.both(|air| {
                let packet = air.pool.insert(datagram(len, id));
                let view = air.view(usize::from(from));
                air.stations[usize::from(from)].enqueue(air.now, view, &mut air.pool, packet, route, 0);
            });
        }
    }

    /// A beacon of this length is due at a station.
    pub(super) fn beacon(&mut self, node: usize, len: Bytes) {
        self.both(|air| {
            let view = air.view(node);
            air.stations[node].beacon_due(air.now, view, len);
        });
    }

    /// Lets time pass.
    pub(super) fn run(&mut self, until: Instant) {
        self.both(|air| {
            while let Some(next) = air.next_event().filter(|&next| next <= until) {
                assert!(next >= air.now, "time does not run back");
                air.now = next;
                air.step();
            }
            air.now = until;
        });
    }

    /// # Panics
    /// If stock stations have come to something else.
    fn compare_with_stock(&self) {
        let Some(stock) = &self.stock else { return };
        assert_eq!((&stock.script, &stock.up), (&self.script, &self.up), "stock stations beside those that are asked");
        assert_eq!(stock.pool.live(), self.pool.live(), "packets of stock stations beside those that are asked");
        for (stock, asked) in stock.stations.iter().zip(&self.stations) {
            assert_eq!(format!("{:?}", stock.counts()), format!("{:?}", asked.counts()));
            assert_eq!(stock.held_back(), asked.held_back());
        }
    }

    /// What was sent so far is this.
    #[track_caller]
    pub(super) fn assert_script(&self, expected: &[&str]) {
        assert_eq!(self.script, expected, "{:#?}", self.script);
    }

    /// What was sent so far.
    pub(super) fn script(&self) -> &[String] {
        &self.script
    }

    /// What came up so far, each as `time node packet`.
    pub(super) fn up(&self) -> &[String] {
        &self.up
    }

    /// What came up so far is this, each as `time node packet`.
    #[track_caller]
    pub(super) fn assert_up(&self, expected: &[&str]) {
        assert_eq!(self.up, expected, "{:#?}", self.up);
    }

    /// What a station's scheme was told so far is this.
    #[track_caller]
    pub(super) fn assert_told(&self, node: usize, expected: &[&str]) {
        let told = &self.stations[node].scheme().told;
        assert_eq!(told, expected, "{told:#?}");
    }

    /// Packets that somebody holds.
    pub(super) fn live(&self) -> usize {
        self.pool.live()
    }

    fn view(&self, node: usize) -> MediumView {
        MediumView {
            busy: !self.on_air.is_empty(),
            ending: false,
            idle_since: self.idle_since,
            nav_until: self.nav[node],
            unintelligible: self.noise.is_some_and(|transmitter| usize::from(transmitter.0) != node),
        }
    }

    fn next_event(&self) -> Option<Instant> {
        let ends = self.on_air.iter().map(|on_air| on_air.end).min();
        let timeouts = self.stations.iter().filter_map(Station::poll_timeout).min();
        let grants = self.stations.iter().filter_map(Station::grant).min();
        let foreign = self.foreign.keys().next().copied();
        [ends, timeouts, grants, foreign].into_iter().flatten().min()
    }

    /// What is due now: ends of frames before timeouts, and those before new frames.
    fn step(&mut self) {
        if let Some(place) = self.on_air.iter().position(|on_air| on_air.end <= self.now) {
            let ended = self.on_air.remove(place);
            return self.end(ended);
        }
        if let Some(node) = self.stations.iter().position(|station| is_due(station.poll_timeout(), self.now)) {
            let ppdu = self.stations[node].wake(self.now, &mut self.pool);
            match ppdu {
                Some(ppdu) => self.begin(vec![ppdu]),
                None => {
                    let view = self.view(node);
                    self.stations[node].medium_idle(self.now, view);
                }
            }
            return;
        }
        let mut starting: Vec<Ppdu> = Vec::new();
        if let Some(entry) = self.foreign.first_entry().filter(|entry| *entry.key() <= self.now) {
            starting.push(entry.remove());
        }
        for node in 0..self.stations.len() {
            if is_due(self.stations[node].grant(), self.now) {
                starting.extend(self.stations[node].take_access(self.now, &mut self.pool));
            }
        }
        self.begin(starting);
    }

    fn begin(&mut self, ppdus: Vec<Ppdu>) {
        for ppdu in ppdus {
            let number = self.script.len();
            let end = self.now + ppdu.duration;
            let duration = ppdu.duration_field.as_micros_ceil();
            let (start, stop) = (micros(self.now), micros(end));
            self.script.push(format!("{start}..{stop} {}, duration {duration}", describe(&ppdu)));
            self.on_air.push(OnAir { number, end, ppdu });
        }
        for station in &mut self.stations {
            station.medium_busy(self.now);
        }
        self.noise = None;
    }

    fn end(&mut self, ended: OnAir) {
        let (now, ppdu) = (self.now, ended.ppdu);
        let harm = self.harm.get(&ended.number).copied();
        // Its receivers take it in before its transmitter lets go of what needs no answer.
        let transmitter = usize::from(ppdu.transmitter.0);
        for node in (0..self.stations.len()).filter(|&node| node != transmitter) {
            let id = NodeId(node as u16);
            if ppdu.receiver == id || ppdu.receiver.is_group() {
                let parts = ppdu.frame_count();
                let all = if parts >= 64 { u64::MAX } else { (1 << parts) - 1 };
                let intact = match harm {
                    None => all,
                    Some(Harm::Damage(mpdus)) => all & !mpdus,
                    Some(Harm::Garble) => 0,
                };
                let view = MediumView { busy: true, ending: self.on_air.is_empty(), ..self.view(node) };
                self.stations[node].receive(now, view, &ppdu, intact, &mut self.pool);
            } else {
                self.stations[node].overhear(now, &mut self.pool);
                if !matches!(harm, Some(Harm::Garble)) {
                    self.nav[node] = self.nav[node].max(now + ppdu.duration_field);
                }
            }
            while let Some(upward) = self.stations[node].poll_up() {
                self.up.push(format!("{} {node} {}", micros(now), self.identification(upward.packet)));
                self.pool.release(upward.packet);
            }
        }
        if matches!(harm, Some(Harm::Garble)) {
            self.noise = Some(ppdu.transmitter);
        }
        if let Some(transmitter) = self.stations.get_mut(transmitter) {
            transmitter.transmission_ended(now, &mut self.pool);
            transmitter.recycle(ppdu);
        }
        if self.on_air.is_empty() {
            self.idle_since = now;
            for node in 0..self.stations.len() {
                let view = self.view(node);
                self.stations[node].medium_idle(now, view);
            }
        }
    }

    fn identification(&self, packet: PacketId) -> u16 {
        identification(&self.pool.get(packet).ip)
    }
}

fn identification(ip: &IpHeader) -> u16 {
    match ip {
        IpHeader::V4(v4) => v4.id,
        IpHeader::V6(_) => unreachable!("all packets here are IPv4"),
    }
}

/// A datagram of this length with this identification.
fn datagram(len: Bytes, id: u16) -> Packet {
    let mut ip = Ipv4Header::new(Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2));
    ip.id = id;
    let udp = UdpHeader { src_port: 1, dst_port: 2 };
    let payload = Payload::Length((len.get() - 28) as u32);
    Packet { ip: IpHeader::V4(ip), transport: Transport::Udp(udp), payload }
}

fn is_due(at: Option<Instant>, now: Instant) -> bool {
    at.is_some_and(|at| at <= now)
}

/// Microseconds; with a fraction only where there is one.
fn micros(at: Instant) -> String {
    match (at.as_nanos() / 1000, at.as_nanos() % 1000) {
        (whole, 0) => whole.to_string(),
        (whole, nanos) => format!("{whole}.{nanos:03}"),
    }
}

/// `from>to what`.
fn describe(ppdu: &Ppdu) -> String {
    let to = if ppdu.receiver.is_group() { "all".to_owned() } else { ppdu.receiver.0.to_string() };
    let what = match &ppdu.body {
        Body::Single(mpdu) => format!("data {}", numbered(mpdu)),
        Body::Amsdu(packets) => format!("data {} of {} packets", numbered(&packets[0]), packets.len()),
        Body::Aggregate(mpdus) => format!("A-MPDU {}", mpdus.iter().map(numbered).collect::<Vec<_>>().join(" ")),
        Body::Ack(_) => "Ack".to_owned(),
        Body::BlockAck(_, bitmap, _) => format!("BlockAck {}+{:b}", bitmap.start.get(), bitmap.bits),
        Body::BlockAckReq(_, start) => format!("BlockAckReq {}", start.get()),
        Body::Rts => "RTS".to_owned(),
        Body::Cts => "CTS".to_owned(),
        Body::Beacon(len) => format!("beacon of {len}"),
    };
    format!("{}>{to} {what}", ppdu.transmitter.0)
}

/// The sequence number, with `r` behind it if the Retry bit is set.
fn numbered(mpdu: &Mpdu) -> String {
    format!("{}{}", mpdu.seq.get(), if mpdu.retry { "r" } else { "" })
}

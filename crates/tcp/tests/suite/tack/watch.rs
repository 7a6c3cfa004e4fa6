//! What can be seen of a connection from outside: a second opinion on every rule that packets must keep.

use std::collections::BTreeMap;

use ackless_tcp::tack::body::{AckKind, Body, Report};
use ackless_tcp::tack::config::LossSignal;
use ackless_tcp::{AckChoice, Config, Endpoint};
use ackless_wire::{Bytes, Duration, Instant, Packet, Payload, SeqNumber, TcpFlags, TcpHeader};

/// Watches both ends.
pub struct Watch {
    seed: u64,
    /// The least round trip that the path ever has.
    floor: Duration,
    /// Whether a number may come without all that left under it.
    confused: bool,
    sides: [Side; 2],
    pub seen: Seen,
}

/// How often things happened that a path must have been hard enough for.
#[derive(Clone, Copy, Default, Debug)]
pub struct Seen {
    pub tacks: u64,
    /// TACKs in the rhythm of a frequency.
    pub paced_tacks: u64,
    pub loss_iacks: u64,
    pub window_iacks: u64,
    pub frequency_iacks: u64,
    pub round_trip_iacks: u64,
    pub holes: u64,
    pub bubbles: u64,
    /// New data when all but a segment of the cap was used.
    pub at_cap: u64,
    pub stripped_bodies: u64,
    pub stripped_data: u64,
    pub fallbacks: u64,
    pub number_gaps: u64,
    pub closed_windows: u64,
    pub sequence_wraps: u64,
    pub agreed: u64,
    /// The largest packet number of the end that calls.
    pub largest_number: u32,
}

/// What an endpoint said of itself just before it was asked for a packet or given one.
pub struct Before {
    cap: Bytes,
    timeouts: u64,
    probes: u64,
    tail_probes: u64,
    /// Segments refused, and segments with data taken.
    refused: u64,
    taken: u64,
    timeout: Duration,
    synchronized: bool,
}

/// One end, as its packets show it.
#[derive(Default)]
struct Side {
    offers: bool,
    signal: LossSignal,
    /// Whether its policy is TACK: others have a rhythm of their own.
    paced: bool,
    timeouts: u64,
    /// The segment size that its peer announced to it, if that has arrived.
    limit: Option<u64>,
    /// Whether it may do TACK: it offered, and saw the peer's permission.
    agreed: bool,
    iss: Option<SeqNumber>,
    /// Places counted from the SYN: all below are acknowledged, all below have been sent.
    una: u64,
    max: u64,
    /// The most places that its peer has said to have.
    reported: u64,
    /// What is out, by its first place: the latest transmission of each place.
    out: BTreeMap<u64, Sent>,
    /// Which places each number carried.
    numbers: BTreeMap<u32, (u64, u64)>,
    last_number: Option<u32>,
    /// Places of the peer's stream that have arrived: all below `complete`, and these.
    complete: u64,
    above: BTreeMap<u64, u64>,
    /// The first place that it has not offered to take, and the shift of its windows.
    edge: u64,
    shift: u8,
    /// Whether its peer scales windows, too.
    scales: bool,
    /// When its latest paced TACKs left, all with the same interval in force.
    rhythm: Vec<Instant>,
    interval: Duration,
    /// The ranges that its IACKs have named.
    named: Vec<(u32, u32)>,
    /// Numbers of segments that came and were not taken: too old an acknowledgement, or beyond the window.
    untaken: Vec<u32>,
    /// When it first saw that something had been stripped, and its timeout then.
    stripped: Option<(Instant, Duration)>,
}

#[derive(Clone, Copy)]
struct Sent {
    end: u64,
    at: Instant,
    timeouts: u64,
    lost: bool,
    /// A report showed it between two holes.
    there: bool,
    /// Into a closed window, or at the tail: not to be repeated, and not a repetition.
    probe: bool,
}

impl Before {
    pub fn of(end: &Endpoint) -> Self {
        let stats = end.stats();
        Self {
            cap: stats.cwnd,
            timeouts: stats.timeouts,
            probes: stats.window_probes,
            tail_probes: stats.tail_probes,
            refused: stats.dropped_by_timestamp + stats.dropped_outside_window,
            taken: stats.data_segments_received,
            timeout: end.retransmission_timeout(),
            synchronized: end.state().is_synchronized(),
        }
    }
}

impl Watch {
    pub fn new(seed: u64, configs: &[Config; 2], floor: Duration, confused: bool) -> Self {
        let sides = [0, 1].map(|end| {
            let tack = configs[end].tack;
            Side {
                offers: tack.is_some() && configs[end].timestamps.is_some(),
                signal: tack.unwrap_or_default().loss_signal,
                paced: matches!(configs[end].ack, AckChoice::Tack { .. }),
                ..Side::default()
            }
        });
        Self { seed, floor, confused, sides, seen: Seen::default() }
    }

    /// `from` sends a packet.
    pub fn on_sent(&mut self, now: Instant, from: usize, packet: &Packet, before: &Before, end: &Endpoint) {
        let tcp = packet.tcp().expect("an endpoint sends TCP");
        let (seed, peer_iss) = (self.seed, self.sides[1 - from].iss);
        let side = &mut self.sides[from];
        if tcp.flags.contains(TcpFlags::RST) {
            return;
        }
        let iss = *side.iss.get_or_insert(tcp.seq);
        if tcp.flags.contains(TcpFlags::SYN) {
            side.shift = tcp.options.window_scale.unwrap_or(0);
            side.edge = side.edge.max(1 + u64::from(tcp.window));
        }
        let limit = side.limit.unwrap_or(u64::MAX).max(48);
        assert!(
            packet.len().get() <= limit.saturating_add(40),
            "seed {seed}: {} bytes in a packet to a peer that takes {limit}",
            packet.len()
        );
        if let (true, Some(peer_iss)) = (tcp.flags.contains(TcpFlags::ACK), peer_iss) {
            let acked = u64::from(tcp.ack - peer_iss);
            assert!(acked <= side.complete, "seed {seed}: {acked} acknowledged, {} have come to {from}", side.complete);
            let is_syn = tcp.flags.contains(TcpFlags::SYN);
            let shift = if is_syn || !side.scales { 0 } else { side.shift };
            side.edge = side.edge.max(acked + (u64::from(tcp.window) << shift));
        }
        let tack = &tcp.options.tack;
        if !side.agreed && !tcp.flags.contains(TcpFlags::SYN) {
            assert!(tack.is_empty(), "seed {seed}: options of TACK without permission from {from} at {now:?}");
        }
        if let Some((at, timeout)) = side.stripped {
            let late = now > at.saturating_add(timeout);
            assert!(
                !late || tack.is_empty(),
                "seed {seed}: {from} saw something stripped at {at:?} and goes on at {now:?}, timeout {timeout}"
            );
        }
        if end.stats().fallbacks > 0 {
            assert!(tack.is_empty(), "seed {seed}: {from} has fallen back and goes on at {now:?}");
        }
        self.seen.closed_windows += u64::from(tcp.window == 0);
        if let Some(kind) = tack.ack_type {
            self.on_typed_sent(now, from, packet, tcp, kind);
            return;
        }
        let len = u64::from(packet.payload.len());
        let places = len + u64::from(tcp.flags.contains(TcpFlags::SYN)) + u64::from(tcp.flags.contains(TcpFlags::FIN));
        let start = u64::from(tcp.seq - iss);
        if places > 0 {
            self.seen.sequence_wraps += u64::from(tcp.seq.0.checked_add(places as u32).is_none());
            // On a SYN the field says beta and L.
            let number = tack.packet_number.filter(|_| !tack.permitted);
            self.on_text_sent(now, from, (start, start + places, len), number, before, end);
        }
    }

    fn on_typed_sent(&mut self, now: Instant, from: usize, packet: &Packet, tcp: &TcpHeader, kind: u8) {
        let seed = self.seed;
        let side = &mut self.sides[from];
        let iss = side.iss.expect("a SYN comes first");
        assert_eq!(tcp.flags, TcpFlags::ACK, "seed {seed}: a typed segment is an acknowledgement");
        let behind = (iss + side.una as u32).distance_from(tcp.seq + packet.payload.len());
        assert!(behind > 0, "seed {seed}: a body ends {behind} places below what is acknowledged");
        assert!(tcp.options.tack.packet_number.is_none(), "seed {seed}: a typed segment has no number");
        let body = body(packet).unwrap_or_else(|| panic!("seed {seed}: a body of type {kind} that nobody can read"));
        match (AckKind::of(kind).expect("a body was read"), &body) {
            (AckKind::Tack, Body::Report(report)) => self.on_tack_sent(now, from, tcp, report),
            (AckKind::Loss, Body::Loss(range)) => {
                self.seen.loss_iacks += 1;
                side.named.push((range.second, range.largest));
            }
            (AckKind::Window, Body::Report(_)) => self.seen.window_iacks += 1,
            (AckKind::RoundTrip, _) => self.seen.round_trip_iacks += 1,
            (AckKind::Frequency, Body::Frequency(_)) => self.seen.frequency_iacks += 1,
            _ => panic!("seed {seed}: type {kind} does not go with {body:?}"),
        }
    }

    fn on_tack_sent(&mut self, now: Instant, from: usize, tcp: &TcpHeader, report: &Report) {
        self.seen.tacks += 1;
        self.seen.paced_tacks += u64::from(!report.interval.is_zero());
        self.seen.holes += u64::from(report.hol.is_some());
        self.seen.bubbles += u64::from(!report.bubbles.is_empty());
        if self.sides[from].paced {
            self.check_rhythm(now, from, report.interval);
        }
        let seed = self.seed;
        let (ours, theirs) = (&self.sides[from], &self.sides[1 - from]);
        let iss = theirs.iss.expect("whoever reports has received");
        let (ack, first) = (u64::from(tcp.ack - iss), report.hol.map(|hol| (Bytes::ZERO, hol)));
        for &(left, right) in first.iter().chain(&report.bubbles) {
            let (left, right) = (ack + left.get(), ack + right.get());
            assert!(
                left < right && right <= theirs.max,
                "seed {seed}: a bubble from {left} to {right}, {} sent",
                theirs.max
            );
            let inside =
                ours.above.range(..right).next_back().is_some_and(|(&start, &end)| end > left && start < right);
            assert!(
                left >= ours.complete && !inside,
                "seed {seed}: a bubble from {left} to {right} where data is: {:?}",
                ours.above
            );
            // Of the transmissions of these places, one at least has been named lost, or has come in vain.
            let named = |number: u32| {
                let inside = |&(second, largest): &(u32, u32)| second < number && number < largest;
                ours.untaken.contains(&number) || ours.named.iter().any(inside)
            };
            let is_named =
                theirs.numbers.iter().any(|(&number, &(start, end))| start < right && end > left && named(number));
            assert!(
                is_named || ours.signal == LossSignal::TackOnly || self.confused,
                "seed {seed}: the bubble from {left} to {right} at {now:?} has been in no IACK of {from}: {:?}",
                ours.named
            );
        }
    }

    /// At most f T + 1 TACKs in any T of at least 1/f.
    fn check_rhythm(&mut self, now: Instant, from: usize, interval: Duration) {
        let (seed, side) = (self.seed, &mut self.sides[from]);
        if interval != side.interval || interval.is_zero() {
            // The first TACK under a new frequency still keeps the distance of the shorter interval.
            let least = interval.min(side.interval);
            let gap = side.rhythm.last().map(|&last| now.saturating_since(last) + ROUNDING);
            assert!(
                gap.is_none_or(|gap| gap >= least),
                "seed {seed}: {from} sends TACKs at {now:?} {gap:?} apart, the interval was {:?} and is {interval}",
                side.interval
            );
            side.rhythm.clear();
            side.interval = interval;
        }
        side.rhythm.push(now);
        if interval.is_zero() {
            return;
        }
        // The longest run that ends here and a few shorter ones: a burst shows in the shortest.
        let count = side.rhythm.len();
        for back in [2, 3, 5, 9, 33, count] {
            if back > 2 && back <= count {
                let span = now.saturating_since(side.rhythm[count - back]).max(interval);
                let permitted = (span + ROUNDING * back as u64).div_floor(interval) + 1;
                assert!(
                    back as u64 <= permitted,
                    "seed {seed}: {back} TACKs of {from} in {span} before {now:?}, the interval is {interval}"
                );
            }
        }
    }

    fn on_text_sent(
        &mut self,
        now: Instant,
        from: usize,
        (start, end, len): (u64, u64, u64),
        number: Option<u32>,
        before: &Before,
        endpoint: &Endpoint,
    ) {
        let (seed, floor) = (self.seed, self.floor);
        let side = &mut self.sides[from];
        let stats = endpoint.stats();
        let plain = !side.agreed || stats.fallbacks > 0 || start == 0;
        let into_window = stats.window_probes > before.probes;
        let probe = into_window || stats.tail_probes > before.tail_probes;
        assert_eq!(
            number.is_none(),
            plain,
            "seed {seed}: {from} sends {start} to {end} with number {number:?} at {now:?}"
        );
        if let Some(number) = number {
            let next = side.last_number.map_or(1, |last| last.wrapping_add(1));
            assert_eq!(number, next, "seed {seed}: numbers of {from} count transmissions");
            side.last_number = Some(number);
            if from == 0 {
                self.seen.largest_number = number;
            }
            side.numbers.insert(number, (start, end));
        }
        if before.timeouts > side.timeouts {
            // All that was out counts as lost.
            side.timeouts = before.timeouts;
            side.mark(0, u64::MAX, |sent| sent.lost = true);
        }
        if end > side.max && len > 0 && !plain && !into_window {
            let flight = side.flight();
            self.seen.at_cap += u64::from(flight + 2 * len >= before.cap.get());
            assert!(
                flight < before.cap.get(),
                "seed {seed}: new data from {from} at {now:?} while {flight} are in flight and the cap is {}: una {} max {} reported {}",
                before.cap,
                side.una,
                side.max,
                side.reported
            );
        }
        let sent = Sent { end, at: now, timeouts: before.timeouts, lost: false, there: false, probe };
        for earlier in side.replace(start, sent) {
            let gap = now.saturating_since(earlier.at);
            let exempt = plain || probe || earlier.probe || earlier.timeouts != before.timeouts;
            assert!(
                exempt || gap >= floor,
                "seed {seed}: {from} repeats {start} to {end} at {now:?} after {gap}, a round trip takes {floor}"
            );
        }
        side.max = side.max.max(end);
    }

    /// A packet reaches `to`; `typed` says that a body is its payload.
    pub fn on_arrival(
        &mut self,
        now: Instant,
        to: usize,
        packet: &Packet,
        typed: bool,
        before: &Before,
        end: &Endpoint,
    ) {
        let Some(tcp) = packet.tcp().filter(|tcp| !tcp.flags.contains(TcpFlags::RST)) else { return };
        let Some(iss) = self.sides[1 - to].iss else { return };
        let side = &mut self.sides[to];
        if tcp.flags.contains(TcpFlags::SYN) && side.limit.is_none() {
            side.limit = Some(tcp.options.mss.unwrap_or(536).into());
            side.scales = tcp.options.window_scale.is_some();
            side.agreed = side.offers && tcp.options.tack.permitted;
            self.seen.agreed += u64::from(side.agreed);
        }
        if let (Some(ours), true) = (side.iss, tcp.flags.contains(TcpFlags::ACK)) {
            side.acknowledge(u64::from(tcp.ack - ours));
        }
        let tack = &tcp.options.tack;
        if typed {
            match body(packet) {
                Some(body) => side.on_body(&body, tcp),
                None => {
                    self.seen.stripped_bodies += 1;
                    side.note_stripped(now, before);
                }
            }
            return;
        }
        // Plain ACKs come from an end that has fallen back, before this one has.
        if let Some(ours) = side.iss {
            for &(left, right) in tcp.options.sack.as_slice() {
                side.mark(u64::from(left - ours), u64::from(right - ours), |sent| {
                    (sent.lost, sent.there) = (false, true)
                });
            }
        }
        let fin_or_syn = tcp.flags.intersection(TcpFlags::SYN | TcpFlags::FIN).bits().count_ones();
        let start = u64::from(tcp.seq - iss);
        let stop = start + u64::from(packet.payload.len() + fin_or_syn);
        if stop > start && !tcp.flags.contains(TcpFlags::SYN) && tack.packet_number.is_none() {
            // What is taken for certain: the next in order, where the window is not closed.
            if start <= side.complete && side.complete < stop.min(side.edge) {
                self.seen.stripped_data += u64::from(side.agreed);
                side.note_stripped(now, before);
            }
        }
        self.seen.number_gaps += u64::from(start > side.complete && tack.packet_number.is_some());
        let stats = end.stats();
        let refused = stats.dropped_by_timestamp + stats.dropped_outside_window > before.refused
            || (!packet.payload.is_empty() && stats.data_segments_received == before.taken);
        let edge = if tcp.flags.contains(TcpFlags::SYN) { stop } else { side.edge };
        if let (true, Some(number)) = (refused || stop > edge, tack.packet_number.filter(|_| !tack.permitted)) {
            side.untaken.push(number);
        }
        if !refused && start < stop.min(edge) {
            side.arrive(start, stop.min(edge));
        }
    }
}

impl Side {
    /// What is in flight at most: places out that are neither reported received, by where they are or by how many, nor
    /// lost since they were last sent.
    fn flight(&self) -> u64 {
        // What is acknowledged may have been sent again, where the acknowledgement was not taken.
        let len = |start: u64, sent: &Sent| sent.end.saturating_sub(start.max(self.una));
        let sum = |which: fn(&Sent) -> bool| -> u64 {
            self.out.iter().filter(|(_, sent)| which(sent)).map(|(&start, sent)| len(start, sent)).sum()
        };
        let (unknown, there) = (sum(|sent| !sent.lost && !sent.there), sum(|sent| sent.there));
        unknown.saturating_sub(self.reported.saturating_sub(self.una + there))
    }

    /// Puts a transmission in the place of earlier ones of the same places, and returns those.
    fn replace(&mut self, start: u64, sent: Sent) -> Vec<Sent> {
        let overlapping: Vec<_> = self
            .out
            .range(..sent.end)
            .filter(|(_, other)| other.end > start)
            .map(|(&at, &other)| (at, other))
            .collect();
        for &(at, other) in &overlapping {
            self.out.remove(&at);
            if at < start {
                self.out.insert(at, Sent { end: start, ..other });
            }
            if other.end > sent.end {
                self.out.insert(sent.end, other);
            }
        }
        self.out.insert(start, sent);
        overlapping.into_iter().map(|(_, other)| other).collect()
    }

    fn acknowledge(&mut self, ack: u64) {
        if ack > self.una && ack <= self.max {
            self.una = ack;
            let mut kept = self.out.split_off(&ack);
            if let Some((_, last)) = self.out.pop_last().filter(|(_, last)| last.end > ack) {
                kept.insert(ack, last);
            }
            self.out = kept;
        }
    }

    /// What a report or an IACK says about what is out.
    fn on_body(&mut self, body: &Body, tcp: &TcpHeader) {
        let iss = self.iss.expect("whoever is acknowledged has sent");
        match body {
            Body::Report(report) => {
                let ack = u64::from(tcp.ack - iss);
                self.reported = self.reported.max(ack + report.received_in_flight.get());
                let first = report.hol.map(|hol| (Bytes::ZERO, hol));
                let mut below = None;
                for &(left, right) in first.iter().chain(&report.bubbles) {
                    let (left, right) = (ack + left.get(), ack + right.get());
                    self.mark(left, right, |sent| sent.lost |= !sent.there);
                    match below {
                        Some(below) if below < left => {
                            self.mark(below, left, |sent| (sent.lost, sent.there) = (false, true));
                        }
                        _ => {}
                    }
                    below = Some(right);
                }
            }
            Body::Loss(range) => {
                let spans: Vec<_> = self
                    .numbers
                    .iter()
                    .filter(|&(&number, _)| range.second < number && number < range.largest)
                    .map(|(_, &span)| span)
                    .collect();
                for (start, end) in spans {
                    self.mark(start, end, |sent| sent.lost |= !sent.there);
                }
            }
            Body::Frequency(_) | Body::RoundTripRequest => {}
        }
    }

    /// Marks what lies in these places, the rest of a transmission apart.
    fn mark(&mut self, start: u64, end: u64, change: impl Fn(&mut Sent)) {
        for at in [start, end] {
            let crossing = self.out.range_mut(..at).next_back().filter(|(_, sent)| sent.end > at);
            if let Some((_, sent)) = crossing {
                let rest = *sent;
                sent.end = at;
                self.out.insert(at, rest);
            }
        }
        self.out.range_mut(start..end).for_each(|(_, sent)| change(sent));
    }

    fn note_stripped(&mut self, now: Instant, before: &Before) {
        if self.agreed && before.synchronized {
            self.stripped.get_or_insert((now, before.timeout));
        }
    }

    fn arrive(&mut self, start: u64, stop: u64) {
        let (mut start, mut stop) = (start, stop);
        while let Some((&at, &end)) = self.above.range(..=stop).next_back().filter(|&(_, &end)| end >= start) {
            (start, stop) = (start.min(at), stop.max(end));
            self.above.remove(&at);
        }
        if start <= self.complete {
            self.complete = self.complete.max(stop);
        } else {
            self.above.insert(start, stop);
        }
    }
}

/// The body of a typed segment.
pub fn body(packet: &Packet) -> Option<Body> {
    let kind = AckKind::of(packet.tcp()?.options.tack.ack_type?)?;
    let Payload::Data(data) = &packet.payload else { return None };
    Body::decode(kind, data).ok()
}

/// Intervals travel in whole microseconds.
const ROUNDING: Duration = Duration::from_micros(1);

//! Samsung's `scsc` driver, `tcp_ack_suppression` (`netif.c`): one of so many ACKs is sent, by the rate of the flow.
//!
//! A connection has a record from its SYN to its FIN, one of 16; without one nothing is touched. An ACK that is not sent at once is held, and ends when the
//! next packet of the connection comes; it is sent as the `count`-th of those, or 4 ms after the last of them came. How many, is decided
//! every 500 ms from the rate at which the ACK numbers rise, in whole Mbps, if that has changed by more than a fifth; and not more than a fifth of the
//! receive window, in pairs of segments.
//!
//! Sent at once, and what is held ends with it: a packet with data, PSH or ECE; an ACK with SACK blocks, a duplicate one, one of more than two
//! segments; the first 512 ACKs of a connection, and the first 512 after one with SACK blocks, so that the sender's window may grow. An ACK with a smaller
//! number than the last one's passes, and what is held stays.
//!
//! Where it does harm: a flow that waits for its ACKs, after a timeout or with a small congestion window, waits 4 ms longer in each round trip
//! once its rate was above 1 Mbps, since nothing but SACK blocks tells the driver; and the sender's RTT has those 4 ms in it. The degree
//! follows the rate up to half a second late.
//!
//! As in the driver, and not as meant there: a scaled window counts twice (`2 << shift`), and the 500 ms of a sample may have lasted longer.
//! Ours: sequence numbers are compared modulo 2^32 throughout; a FIN ends its own connection's record, where the driver compares only address and port of the
//! peer and may end another's; a SYN takes over the record of the connection before it on the same ports. A SYN without an
//! MSS option counts as one of 536 bytes (RFC 9293, 3.7.1).

use ackless_dot11::hooks::{Context, SendOptions, Verdict};
use ackless_wire::{BitRate, Duration, Instant, PacketId, PacketPool, SeqNumber, TcpFlags, TcpHeader};

use super::held::{Held, is_v4};
use super::{RateStep, ThinningCounters};
use crate::flow_key::FlowKey;

/// The driver's records.
#[derive(Debug)]
pub(super) struct CountAndTime {
    steps: [RateStep; 3],
    slow_start_acks: u16,
    records: Vec<Record>,
}

/// One connection, as seen from the sender of the ACKs. `max`, `age`, `count` and `last_sent` are the driver's names.
#[derive(Debug)]
struct Record {
    flow: FlowKey,
    mss: u32,
    window_shift: u8,
    /// The number of the last ACK.
    ack: Option<SeqNumber>,
    /// So many more ACKs are not touched, as at a connection's start.
    slow_start_left: u16,
    /// One of so many is sent; 0 suppresses none.
    max: u16,
    /// How long an ACK may be held.
    age: Duration,
    held: Option<Held>,
    /// ACKs since the last that was sent.
    count: u16,
    last_sent: Instant,
    sample: Sample,
}

/// The measurement of a connection's rate.
#[derive(Debug)]
struct Sample {
    started: Instant,
    last_ack: Option<SeqNumber>,
    bytes: u64,
    mbps: u64,
}

/// What becomes of a packet of a connection with a record.
enum Ruling {
    AtOnce,
    Suppressible,
}

impl CountAndTime {
    pub(super) fn new(steps: [RateStep; 3], slow_start_acks: u16) -> Self {
        Self { steps, slow_start_acks, records: Vec::new() }
    }

    pub(super) fn outgoing(
        &mut self,
        cx: &mut Context<'_>,
        packet: PacketId,
        options: &SendOptions,
        counters: &mut ThinningCounters,
    ) -> Verdict {
        let content = cx.pool.get(packet);
        let (Some(flow), Some(tcp)) = (FlowKey::of(content), content.tcp().copied()) else { return Verdict::Pass };
        if !is_v4(content) {
            counters.not_ipv4 += 1;
            return Verdict::Pass;
        }
        let has_data = !content.payload.is_empty();
        if tcp.flags.contains(TcpFlags::SYN) {
            self.open(cx, flow, &tcp, counters);
            return Verdict::Pass;
        }
        let place = self.records.iter().position(|record| record.flow == flow);
        if tcp.flags.contains(TcpFlags::FIN) {
            if let Some(place) = place {
                self.records.swap_remove(place).end(cx.pool, counters);
            }
            return Verdict::Pass;
        }
        if !tcp.flags.contains(TcpFlags::ACK) || tcp.flags.intersects(TcpFlags::RST | TcpFlags::URG) {
            return Verdict::Pass;
        }
        let Some(place) = place else {
            counters.no_record += 1;
            return Verdict::Pass;
        };
        let record = &mut self.records[place];
        if record.ack.is_some_and(|last| tcp.ack.before(last)) {
            counters.forwarded_older += 1;
            return Verdict::Pass;
        }
        let ruling = record.judge(cx.now, &tcp, has_data, &self.steps, self.slow_start_acks, counters);
        record.carry_out(ruling, cx, packet, &tcp, options, counters)
    }

    /// A connection begins: it gets a record, if there is room.
    fn open(&mut self, cx: &mut Context<'_>, flow: FlowKey, syn: &TcpHeader, counters: &mut ThinningCounters) {
        let now = cx.now;
        if let Some(place) = self.records.iter().position(|record| record.flow == flow) {
            self.records.swap_remove(place).end(cx.pool, counters);
        }
        while let Some(place) = self.records.iter().position(|record| now - record.last_sent >= UNUSED) {
            counters.records_recovered += 1;
            self.records.swap_remove(place).end(cx.pool, counters);
        }
        if self.records.len() == MAX_RECORDS {
            counters.table_full += 1;
            return;
        }
        self.records.push(Record {
            flow,
            mss: syn.options.mss.map_or(536, u32::from).max(1),
            window_shift: syn.options.window_scale.filter(|&shift| shift <= 14).unwrap_or(0),
            ack: None,
            slow_start_left: self.slow_start_acks,
            max: 0,
            age: Duration::ZERO,
            held: None,
            count: 0,
            last_sent: now,
            sample: Sample { started: now, last_ack: None, bytes: 0, mbps: 0 },
        });
    }

    pub(super) fn timer(&mut self, cx: &mut Context<'_>, counters: &mut ThinningCounters) {
        let now = cx.now;
        for record in &mut self.records {
            if let Some(held) = record.held.take_if(|held| held.due <= now) {
                held.send(cx);
                (record.count, record.last_sent) = (0, now);
                counters.sent_by_timer += 1;
            }
        }
    }

    pub(super) fn poll_timeout(&self) -> Option<Instant> {
        self.records.iter().filter_map(|record| record.held.map(|held| held.due)).min()
    }
}

impl Record {
    /// The driver's rules, in its order.
    fn judge(
        &mut self,
        now: Instant,
        tcp: &TcpHeader,
        has_data: bool,
        steps: &[RateStep; 3],
        slow_start_acks: u16,
        counters: &mut ThinningCounters,
    ) -> Ruling {
        if has_data || tcp.flags.contains(TcpFlags::PSH) {
            counters.forwarded_data += 1;
            return Ruling::AtOnce;
        }
        if tcp.flags.contains(TcpFlags::ECE) {
            counters.forwarded_ecn += 1;
            return Ruling::AtOnce;
        }
        self.measure(now, tcp, steps, counters);
        if !tcp.options.sack.is_empty() {
            counters.forwarded_sack += 1;
            self.slow_start_left = slow_start_acks;
            return Ruling::AtOnce;
        }
        if self.ack == Some(tcp.ack) {
            counters.forwarded_duplicate += 1;
            return Ruling::AtOnce;
        }
        if self.slow_start_left > 0 {
            self.slow_start_left -= 1;
            counters.forwarded_slow_start += 1;
            return Ruling::AtOnce;
        }
        if self.max == 0 || self.age.is_zero() {
            counters.forwarded_below_rate += 1;
            return Ruling::AtOnce;
        }
        if self.ack.is_some_and(|last| tcp.ack - last > 2 * self.mss) {
            counters.forwarded_delayed += 1;
            return Ruling::AtOnce;
        }
        Ruling::Suppressible
    }

    fn carry_out(
        &mut self,
        ruling: Ruling,
        cx: &mut Context<'_>,
        packet: PacketId,
        tcp: &TcpHeader,
        options: &SendOptions,
        counters: &mut ThinningCounters,
    ) -> Verdict {
        self.ack = Some(tcp.ack);
        let before = self.held.take();
        if let Some(before) = before {
            counters.suppressed += 1;
            cx.pool.release(before.packet);
        }
        self.count += 1;
        // An ACK that finds nothing held is held even if one of one is to be sent.
        let full = before.is_some() && self.count >= self.max;
        if matches!(ruling, Ruling::Suppressible) && !full {
            self.held = Some(Held { packet, options: *options, due: cx.now + self.age });
            counters.held += 1;
            return Verdict::Hold;
        }
        counters.sent_by_count += u64::from(matches!(ruling, Ruling::Suppressible));
        (self.count, self.last_sent) = (0, cx.now);
        Verdict::Pass
    }

    /// Takes an ACK into the measurement, and decides anew when its time is over.
    fn measure(&mut self, now: Instant, tcp: &TcpHeader, steps: &[RateStep; 3], counters: &mut ThinningCounters) {
        let sample = &mut self.sample;
        if let Some(last) = sample.last_ack.replace(tcp.ack) {
            sample.bytes += u64::from(tcp.ack - last);
        }
        if now - sample.started <= INTERVAL {
            return;
        }
        let (before, mbps) = (sample.mbps, 8 * sample.bytes / INTERVAL.as_micros_floor());
        *sample = Sample { started: now, bytes: 0, mbps, ..*sample };
        if mbps.abs_diff(before) <= before / 5 {
            return;
        }
        counters.steps_taken += 1;
        let step = steps.iter().rev().find(|step| BitRate::from_mbps(mbps) >= step.from);
        (self.max, self.age) = step.map_or((0, Duration::ZERO), |step| (step.count, step.at_most));
        let scale = if self.window_shift == 0 { 1 } else { 2 << self.window_shift };
        let cap = u64::from(tcp.window) * scale / 5 / u64::from(2 * self.mss);
        if u64::from(self.max) > cap {
            counters.window_capped += 1;
            self.max = cap as u16;
        }
    }

    fn end(self, pool: &mut PacketPool, counters: &mut ThinningCounters) {
        if let Some(held) = self.held {
            counters.ended_with_connection += 1;
            pool.release(held.packet);
        }
    }
}

/// `TCP_ACK_SUPPRESSION_RECORDS_MAX`.
const MAX_RECORDS: usize = 16;
/// `TCP_ACK_SUPPRESSION_RECORD_UNUSED_TIMEOUT`.
const UNUSED: Duration = Duration::from_secs(10);
/// `tcp_ack_suppression_monitor_interval`.
const INTERVAL: Duration = Duration::from_millis(500);

//! What is counted of flows, and what that comes to.

use ackless_wire::{BitRate, Bytes, Duration, Instant};

use super::Recorder;
use super::samples::Samples;
use crate::config::{CellConfig, Direction, FlowConfig, Traffic, TransportConfig};
use crate::gro::MergeCounts;
use crate::observe::{DatagramCounts, FlowTotals, Held, TransportCounts, TransportEstimates};
use crate::result::{EndsResult, FlowResult, HeldResult, Percentiles, UdpResult, VideoResult};

/// What is counted of a flow.
#[derive(Clone, Debug, Default)]
pub(super) struct FlowRecord {
    pub(super) delivered: Bytes,
    /// In the first half of the window.
    pub(super) delivered_early: Bytes,
    /// Bytes that the application handed over in the window, of one whose transport does not set the pace.
    pub(super) offered: Bytes,
    /// Whether there was something to send when the window began or in its first half.
    pub(super) wanted: bool,
    /// What had crossed the air and was not delivered when the window began, and when it ended.
    pub(super) held: [Held; 2],
    /// Since when a transfer is under way that will end.
    pub(super) transfer: Option<Instant>,
    pub(super) transfers: Samples,
    pub(super) completion: Option<Duration>,
    /// What its TCP has counted since the start of the run, and what when the window began.
    pub(super) totals: FlowTotals,
    pub(super) before: FlowTotals,
    /// Counts since the start of the run, and what they were when the window began.
    pub(super) datagrams: DatagramCounts,
    pub(super) datagrams_before: DatagramCounts,
    pub(super) transport: TransportCounts,
    pub(super) transport_before: TransportCounts,
    pub(super) estimates: TransportEstimates,
    pub(super) viewing: Viewing,
}

/// What the viewer of a video has seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Viewing {
    /// When the first frame was shown.
    pub(super) begun: Option<Instant>,
    /// Since when the player has stood still.
    pub(super) stopped: Option<Instant>,
    pub(super) frames: u64,
    pub(super) damaged: u64,
    pub(super) skipped: u64,
    pub(super) stalls: u64,
    pub(super) stalled: Duration,
}

impl Recorder {
    /// What a flow comes to, with the percentiles of its round-trip times.
    pub(super) fn flow_result(
        &self,
        config: &CellConfig,
        flow: &FlowConfig,
        record: &FlowRecord,
        rtts: Option<Percentiles>,
    ) -> FlowResult {
        FlowResult {
            name: flow.name.clone(),
            station: config.stations[flow.station].name.clone(),
            direction: match flow.direction {
                Direction::Down => "down",
                Direction::Up => "up",
            }
            .to_owned(),
            transport: match flow.transport {
                TransportConfig::Udp { .. } => "udp",
                TransportConfig::Tcp(_) => "tcp",
            }
            .to_owned(),
            traffic: match flow.traffic {
                Traffic::Bulk(_) => "bulk",
                Traffic::Finite { .. } => "finite",
                Traffic::Repeated { .. } => "repeated",
                Traffic::OnOff { .. } => "on-off",
                Traffic::Video(_) => "video",
                Traffic::Requests(_) => "requests",
            }
            .to_owned(),
            goodput_mbps: self.rate_mbps(record.delivered),
            offered_mbps: (!flow.traffic.is_saturating()).then(|| self.rate_mbps(record.offered)),
            fair_mbps: None,
            starved: false,
            dead: record.wanted && record.delivered == Bytes::ZERO,
            air_mbps: self.rate_mbps(record.carried()),
            halves_mbps: [
                rate_mbps(record.delivered_early, self.middle - self.from),
                rate_mbps(record.delivered - record.delivered_early, self.until - self.middle),
            ],
            held: (record.held != [Held::default(); 2]).then(|| record.held.map(Held::result)),
            rtt_ms: rtts,
            retransmissions: record.totals.retransmissions - record.before.retransmissions,
            timeouts: record.totals.timeouts - record.before.timeouts,
            ecn_marks: match flow.transport {
                TransportConfig::Tcp(tcp) if tcp.ecn => Some(record.totals.ecn_marks - record.before.ecn_marks),
                _ => None,
            },
            completion_s: record.completion.map(Duration::as_secs_f64),
            unfinished_s: record.transfer.map(|begun| (self.until - begun).as_secs_f64()),
            transfers_ms: record.transfers.percentiles(),
            ends: match flow.transport {
                TransportConfig::Tcp(tcp) if !tcp.is_plain() || record.transport.merged != MergeCounts::default() => {
                    Some(ends_result(tcp.tack.is_some(), record))
                }
                _ => None,
            },
            udp: self.udp_result(flow, record),
            video: matches!(flow.traffic, Traffic::Video(_)).then(|| self.video_result(flow, &record.viewing)),
        }
    }

    fn udp_result(&self, flow: &FlowConfig, record: &FlowRecord) -> Option<UdpResult> {
        let TransportConfig::Udp { answers, .. } = flow.transport else { return None };
        if answers.is_none() && !matches!(flow.traffic, Traffic::Video(_)) {
            return None;
        }
        let (now, before) = (record.datagrams, record.datagrams_before);
        let answers_received = now.answers_received - before.answers_received;
        let frame = answers.map_or(Bytes::ZERO, |answers| answers.payload + AROUND_PAYLOAD);
        Some(UdpResult {
            sent: now.sent - before.sent,
            received: now.received - before.received,
            answers_sent: now.answers_sent - before.answers_sent,
            answers_received,
            answers_mbps: self.rate_mbps(frame * answers_received),
        })
    }

    fn video_result(&self, flow: &FlowConfig, viewing: &Viewing) -> VideoResult {
        let still = viewing.stopped.map_or(Duration::ZERO, |since| self.until.saturating_since(since.max(self.from)));
        let (stalled, begun) = (viewing.stalled + still, viewing.begun);
        let play = begun.map_or(Duration::ZERO, |begun| self.until.saturating_since(begun.max(self.from)));
        let over_play = |amount: f64| (!play.is_zero()).then(|| amount / play.as_secs_f64());
        VideoResult {
            frames: viewing.frames,
            damaged_frames: viewing.damaged,
            damaged_per_30min: over_play(viewing.damaged as f64 * 1_800.0),
            skipped_frames: viewing.skipped,
            stalls: viewing.stalls,
            stalled_s: stalled.as_secs_f64(),
            play_s: play.as_secs_f64(),
            rebuffering_percent: over_play(stalled.as_secs_f64() * 100.0),
            startup_s: begun.map(|begun| (begun - flow.start).as_secs_f64()),
        }
    }

    fn rate_mbps(&self, bytes: Bytes) -> f64 {
        rate_mbps(bytes, self.until - self.from)
    }
}

impl FlowRecord {
    /// The new bytes that came over the air in the window: those that were delivered, and those that wait at its end, but for those that
    /// waited when it began.
    fn carried(&self) -> Bytes {
        let [before, after] = self.held.map(|held| held.behind_holes + held.unread + held.on_the_way);
        (self.delivered + after).saturating_sub(before)
    }
}

impl Held {
    fn result(self) -> HeldResult {
        let Self { behind_holes, unread, on_the_way } = self;
        HeldResult { behind_holes: behind_holes.get(), unread: unread.get(), on_the_way: on_the_way.get() }
    }
}

/// `bytes` over `span`, in Mbit/s; zero over none.
fn rate_mbps(bytes: Bytes, span: Duration) -> f64 {
    if span.is_zero() { 0.0 } else { bytes.bits() as f64 / span.as_nanos() as f64 * 1e3 }
}

/// What the ends of a TCP flow did in the window.
fn ends_result(offers_tack: bool, record: &FlowRecord) -> EndsResult {
    let (now, before, estimates) = (&record.transport, &record.transport_before, &record.estimates);
    let ratio = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let percent = |part: u64, whole: u64| ratio(part * 100, whole);
    let millis = |span: Duration| span.as_secs_f64() * 1e3;
    let (data_packets, acks) = (now.data_packets - before.data_packets, now.acks - before.acks);
    let (all_tacks, start_up) = (now.tacks - before.tacks, now.start_up_tacks - before.start_up_tacks);
    let lost = percent(now.packets_lost - before.packets_lost, data_packets);
    let interval = estimates.interval.filter(|interval| !interval.is_zero());
    EndsResult {
        data_packets,
        acks,
        tacks: all_tacks - start_up,
        start_up_tacks: start_up,
        loss_iacks: now.loss_iacks - before.loss_iacks,
        window_iacks: now.window_iacks - before.window_iacks,
        round_trip_iacks: now.round_trip_iacks - before.round_trip_iacks,
        frequency_iacks: now.frequency_iacks - before.frequency_iacks,
        acks_per_data_percent: percent(acks, data_packets),
        tack_hz: interval.map(|interval| 1.0 / interval.as_secs_f64()),
        rtt_min_ms: estimates.min_rtt.map(millis),
        rtt_min_sampled_ms: estimates.min_rtt_sampled.map(millis),
        bandwidth_mbps: estimates.bandwidth.map(BitRate::mbps_f64),
        data_loss_percent: lost.filter(|_| offers_tack),
        ack_loss_percent: estimates.ack_loss_ppm.map(|ppm| f64::from(ppm) * 1e-4),
        spurious_losses: now.spurious_losses - before.spurious_losses,
        blocked_bytes_mean: ratio(now.blocked_bytes - before.blocked_bytes, all_tacks),
        blocked_bytes_max: estimates.blocked_bytes_max.get(),
        tail_probes: now.tail_probes - before.tail_probes,
        fallbacks: now.fallbacks,
        merged_segments: now.merged.segments - before.merged.segments,
        merged_packets: now.merged.packets - before.merged.packets,
        merges_ended_by_timestamp: now.merged.ended_by_timestamp - before.merged.ended_by_timestamp,
    }
}

/// Headers of UDP and IPv4, and the header and check sequence of an Ethernet frame.
const AROUND_PAYLOAD: Bytes = Bytes(8 + 20 + 18);

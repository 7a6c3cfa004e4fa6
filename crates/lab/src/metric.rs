//! The figures that are taken from a run and averaged over seeds.

use ackless_cell::result::{
    AirtimeClass, EndsResult, FlowResult, HackCounters, Percentiles, RunResult, UdpResult, VideoResult,
};

use crate::statistics::Estimate;

/// A figure of a run.
#[derive(Clone, Copy)]
pub struct Metric {
    /// Its name in CSV and JSON, with the unit at its end.
    pub name: &'static str,
    /// Its title in a table, lines divided by a newline, the unit last.
    pub title: &'static str,
    /// How many decimals a table shows.
    pub decimals: usize,
    /// The figure, where the run has it.
    pub of: fn(&RunResult) -> Option<f64>,
}

impl Metric {
    /// The metric called `name`.
    pub fn find(name: &str) -> Option<&'static Self> {
        METRICS.iter().chain(SPECIAL).find(|metric| metric.name == name)
    }

    /// Whether it is an index of fairness, which lies between 0 and 1.
    pub fn is_index(&self) -> bool {
        self.name.starts_with("jain")
    }

    /// The estimate over the runs that have it.
    pub fn estimate<'a>(&self, runs: impl IntoIterator<Item = &'a RunResult>) -> Option<Estimate> {
        let values: Vec<f64> = runs.into_iter().filter_map(self.of).collect();
        Estimate::of(&values)
    }
}

/// The share of the measured window that `class` took in `run`, in percent.
pub fn airtime_percent(run: &RunResult, class: AirtimeClass) -> f64 {
    let total = run.airtime_ns.total().as_nanos();
    if total == 0 { 0.0 } else { run.airtime_ns[class].as_nanos() as f64 / total as f64 * 100.0 }
}

/// The metrics of transports, datagrams and videos that any of `runs` has: they stand in files only where they are measured.
pub fn special<'a>(runs: impl Iterator<Item = &'a RunResult> + Clone) -> Vec<&'static Metric> {
    SPECIAL.iter().filter(|metric| runs.clone().any(|run| (metric.of)(run).is_some())).collect()
}

/// Every metric that each table has, in the order of the columns.
pub const METRICS: &[Metric] = &[
    Metric { name: "goodput_mbps", title: "goodput\nMbps", decimals: 2, of: |run| Some(run.goodput_mbps) },
    Metric {
        name: "tcp_ack_frames",
        title: "TCP ACK\nframes",
        decimals: 0,
        of: |run| Some(run.counters.total.tcp_ack_ppdus as f64),
    },
    Metric {
        name: "tcp_ack_mpdus",
        title: "TCP ACK\nMPDUs",
        decimals: 0,
        of: |run| Some(run.counters.total.tcp_ack_mpdus as f64),
    },
    Metric {
        name: "accesses_per_mb",
        title: "accesses\nper MB",
        decimals: 1,
        of: |run| ratio(run.counters.total.channel_accesses as f64, delivered_megabytes(run)),
    },
    Metric {
        name: "collision_rate_percent",
        title: "collided\n%",
        decimals: 2,
        of: |run| percent(run.counters.total.collisions, run.counters.total.channel_accesses),
    },
    Metric {
        name: "retry_rate_percent",
        title: "retries\n%",
        decimals: 2,
        of: |run| percent(run.counters.total.retries, run.counters.total.data_mpdus),
    },
    Metric {
        name: "rtt_median_ms",
        title: "RTT med\nms",
        decimals: 2,
        of: |run| mean_over_flows(run.flows.iter().filter_map(|flow| flow.rtt_ms), |rtt| rtt.median),
    },
    Metric {
        name: "rtt_p95_ms",
        title: "RTT p95\nms",
        decimals: 2,
        of: |run| mean_over_flows(run.flows.iter().filter_map(|flow| flow.rtt_ms), |rtt| rtt.p95),
    },
    Metric {
        name: "ping_median_ms",
        title: "ping med\nms",
        decimals: 2,
        of: |run| mean_over_flows(run.pings.iter().filter_map(|ping| ping.rtt_ms), |rtt| rtt.median),
    },
    Metric {
        name: "ping_p95_ms",
        title: "ping p95\nms",
        decimals: 2,
        of: |run| mean_over_flows(run.pings.iter().filter_map(|ping| ping.rtt_ms), |rtt| rtt.p95),
    },
    Metric {
        name: "transfer_median_ms",
        title: "transfer\nmed ms",
        decimals: 1,
        of: |run| mean_over_flows(run.flows.iter().filter_map(|flow| flow.transfers_ms), |time| time.median),
    },
    Metric {
        name: "transfer_p95_ms",
        title: "transfer\np95 ms",
        decimals: 1,
        of: |run| mean_over_flows(run.flows.iter().filter_map(|flow| flow.transfers_ms), |time| time.p95),
    },
    Metric {
        name: "completion_s",
        title: "completion\ns",
        decimals: 3,
        of: |run| mean(transfers_that_end(run).map(|flow| flow.completion_s.unwrap_or(f64::INFINITY))),
    },
    Metric {
        name: "native_acks",
        title: "native\nTCP ACKs",
        decimals: 0,
        of: |run| hack(run, |hack| Some(hack.native_acks as f64)),
    },
    Metric {
        name: "compressed_acks",
        title: "compressed\nTCP ACKs",
        decimals: 0,
        of: |run| hack(run, |hack| Some(hack.compressed_acks as f64)),
    },
    Metric {
        name: "bytes_per_compressed_ack",
        title: "bytes per\ncompressed",
        decimals: 2,
        of: |run| hack(run, |hack| ratio(hack.appended_new_bytes as f64, hack.compressed_acks as f64)),
    },
    Metric {
        name: "within_aifs_percent",
        title: "fits in\nAIFS %",
        decimals: 2,
        of: |run| hack(run, |hack| percent(hack.answers_within_aifs, hack.appended_answers)),
    },
    Metric {
        name: "retransmissions",
        title: "TCP\nrexmits",
        decimals: 1,
        of: |run| Some(run.flows.iter().map(|flow| flow.retransmissions).sum::<u64>() as f64),
    },
    Metric {
        name: "timeouts",
        title: "TCP\ntimeouts",
        decimals: 1,
        of: |run| Some(run.flows.iter().map(|flow| flow.timeouts).sum::<u64>() as f64),
    },
    Metric { name: "jain_goodput", title: "Jain\ngoodput", decimals: 3, of: |run| run.fairness.jain_goodput },
    Metric { name: "jain_airtime", title: "Jain\nair time", decimals: 3, of: |run| run.fairness.jain_airtime },
    Metric {
        name: "air_mbps",
        title: "over the\nair Mbps",
        decimals: 2,
        of: |run| sum_over(run.flows.iter(), |flow| flow.air_mbps),
    },
    Metric {
        name: "goodput_drift_percent",
        title: "drift\n%",
        decimals: 1,
        of: |run| {
            let half =
                |n: usize| sum_over(run.flows.iter().filter(|flow| flow.is_endless()), |flow| flow.halves_mbps[n]);
            let [early, late] = [half(0)?, half(1)?];
            ratio((late - early) * 100.0, (early + late) / 2.0)
        },
    },
    Metric {
        name: "dead_flows",
        title: "dead\nflows",
        decimals: 1,
        of: |run| Some(run.flows.iter().filter(|flow| flow.dead).count() as f64),
    },
    Metric {
        name: "starved_flows",
        title: "starved\nflows",
        decimals: 1,
        of: |run| Some(run.flows.iter().filter(|flow| flow.starved).count() as f64),
    },
    Metric {
        name: "least_flow_mbps",
        title: "least flow\nMbps",
        decimals: 2,
        of: |run| run.flows.iter().map(|flow| flow.goodput_mbps).reduce(f64::min),
    },
    Metric {
        name: "offered_mbps",
        title: "offered\nMbps",
        decimals: 2,
        of: |run| {
            let offers: Option<Vec<f64>> = run.flows.iter().map(|flow| flow.offered_mbps).collect();
            sum_over(offers?.into_iter(), |offer| offer)
        },
    },
    Metric {
        name: "airtime_used_percent",
        title: "air time\nused %",
        decimals: 1,
        of: |run| {
            let unused = [AirtimeClass::Idle, AirtimeClass::Neighbours].map(|class| airtime_percent(run, class));
            Some(100.0 - unused.iter().sum::<f64>())
        },
    },
];

/// Metrics of flows that are more than plain TCP or UDP without end; see [`special`].
const SPECIAL: &[Metric] = &[
    Metric {
        name: "endless_goodput_mbps",
        title: "without\nend Mbps",
        decimals: 2,
        of: |run| {
            let mixed = run.flows.iter().any(|flow| !flow.is_endless());
            sum_over(run.flows.iter().filter(|flow| mixed && flow.is_endless()), |flow| flow.goodput_mbps)
        },
    },
    Metric {
        name: "completion_last_s",
        title: "last one\ns",
        decimals: 3,
        of: |run| {
            let mut times = transfers_that_end(run).map(|flow| flow.completion_s.unwrap_or(f64::INFINITY));
            let first = times.next()?;
            times.reduce(f64::max).map(|last| last.max(first))
        },
    },
    Metric {
        name: "completion_at_least_s",
        title: "at least\ns",
        decimals: 3,
        of: |run| mean(transfers_that_end(run).filter_map(|flow| flow.completion_s.or(flow.unfinished_s))),
    },
    Metric {
        name: "unfinished_transfers",
        title: "unfinished\ntransfers",
        decimals: 1,
        of: |run| sum_over(transfers_that_end(run), |flow| f64::from(u8::from(flow.completion_s.is_none()))),
    },
    Metric {
        name: "counted_goodput_mbps",
        title: "goodput\nMbps",
        decimals: 2,
        of: |run| sum_over(run.flows.iter().filter(|flow| flow.ends.is_some()), |flow| flow.goodput_mbps),
    },
    Metric {
        name: "counted_retransmissions",
        title: "sent\nagain",
        decimals: 0,
        of: |run| sum_over(run.flows.iter().filter(|flow| flow.ends.is_some()), |flow| flow.retransmissions as f64),
    },
    Metric { name: "data_packets", title: "data\npackets", decimals: 0, of: |run| ends(run, |ends| ends.data_packets) },
    Metric { name: "acks", title: "ACKs", decimals: 0, of: |run| ends(run, |ends| ends.acks) },
    Metric {
        name: "acks_per_data_percent",
        title: "ACKs per\ndata %",
        decimals: 2,
        of: |run| ratio(ends(run, |ends| ends.acks)? * 100.0, ends(run, |ends| ends.data_packets)?),
    },
    Metric { name: "tacks", title: "TACKs", decimals: 0, of: |run| of_tack(run, |ends| ends.tacks) },
    Metric {
        name: "start_up_tacks",
        title: "in\nstart-up",
        decimals: 0,
        of: |run| of_tack(run, |ends| ends.start_up_tacks),
    },
    Metric {
        name: "iacks",
        title: "IACKs",
        decimals: 0,
        of: |run| {
            of_tack(run, |ends| ends.loss_iacks + ends.window_iacks + ends.round_trip_iacks + ends.frequency_iacks)
        },
    },
    Metric { name: "tack_hz", title: "f\nHz", decimals: 1, of: |run| mean_of_ends(run, |ends| ends.tack_hz) },
    Metric {
        name: "rtt_min_ms",
        title: "RTTmin\nms",
        decimals: 3,
        of: |run| mean_of_ends(run, |ends| ends.rtt_min_ms),
    },
    Metric {
        name: "rtt_min_sampled_ms",
        title: "sampled\nRTTmin ms",
        decimals: 3,
        of: |run| mean_of_ends(run, |ends| ends.rtt_min_sampled_ms),
    },
    Metric {
        name: "bandwidth_mbps",
        title: "bw\nMbps",
        decimals: 1,
        of: |run| mean_of_ends(run, |ends| ends.bandwidth_mbps),
    },
    Metric {
        name: "data_loss_percent",
        title: "rho\n%",
        decimals: 3,
        of: |run| mean_of_ends(run, |ends| ends.data_loss_percent),
    },
    Metric {
        name: "ack_loss_percent",
        title: "rho'\n%",
        decimals: 3,
        of: |run| mean_of_ends(run, |ends| ends.ack_loss_percent),
    },
    Metric {
        name: "blocked_bytes_mean",
        title: "blocked\nbytes",
        decimals: 0,
        of: |run| mean_of_ends(run, |ends| ends.blocked_bytes_mean),
    },
    Metric {
        name: "datagram_loss_percent",
        title: "datagrams\nlost %",
        decimals: 2,
        of: |run| {
            let (sent, received) = (datagrams(run, |udp| udp.sent)?, datagrams(run, |udp| udp.received)?);
            // What was on its way when the window began may outweigh what is when it ends.
            ratio((sent - received).max(0.0) * 100.0, sent)
        },
    },
    Metric {
        name: "answers_mbps",
        title: "answers\nMbps",
        decimals: 3,
        of: |run| sum_over(answered(run), |udp| udp.answers_mbps),
    },
    Metric {
        name: "answers_lost_percent",
        title: "answers\nlost %",
        decimals: 2,
        of: |run| {
            let sent = sum_over(answered(run), |udp| udp.answers_sent as f64)?;
            let came = sum_over(answered(run), |udp| udp.answers_received as f64)?;
            ratio((sent - came).max(0.0) * 100.0, sent)
        },
    },
    Metric {
        name: "rebuffering_percent",
        title: "rebuf-\nfering %",
        decimals: 2,
        of: |run| {
            let play = sum_over(videos(run), |video| video.play_s)?;
            ratio(sum_over(videos(run), |video| video.stalled_s)? * 100.0, play)
        },
    },
    Metric {
        name: "stalls",
        title: "stalls",
        decimals: 1,
        of: |run| sum_over(videos(run), |video| video.stalls as f64),
    },
    Metric {
        name: "damaged_per_30min",
        title: "damaged\nper 30min",
        decimals: 1,
        of: |run| {
            let play = sum_over(videos(run), |video| video.play_s)?;
            ratio(sum_over(videos(run), |video| video.damaged_frames as f64)? * 1_800.0, play)
        },
    },
    Metric {
        name: "skipped_frames",
        title: "skipped\nframes",
        decimals: 1,
        of: |run| sum_over(videos(run), |video| video.skipped_frames as f64),
    },
];

/// The flows with one transfer that ends. One that does not end within the run takes, for all that is known, for ever: a mean that
/// left it out would be less than what is true, so there is none ([`Estimate::of`]).
fn transfers_that_end(run: &RunResult) -> impl Iterator<Item = &FlowResult> {
    run.flows.iter().filter(|flow| flow.traffic == "finite")
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    ratio(sum, count)
}

/// The sum over the flows with a transport that counts.
fn ends(run: &RunResult, of: fn(&EndsResult) -> u64) -> Option<f64> {
    sum_over(run.flows.iter().filter_map(|flow| flow.ends.as_ref()), |ends| of(ends) as f64)
}

/// The same over those flows of them that use TACK.
fn of_tack(run: &RunResult, of: fn(&EndsResult) -> u64) -> Option<f64> {
    let flows = run.flows.iter().filter_map(|flow| flow.ends.as_ref());
    sum_over(flows.filter(|ends| ends.data_loss_percent.is_some()), |ends| of(ends) as f64)
}

/// The mean over the flows that have the figure.
fn mean_of_ends(run: &RunResult, of: fn(&EndsResult) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = run.flows.iter().filter_map(|flow| of(flow.ends.as_ref()?)).collect();
    ratio(values.iter().sum(), values.len() as f64)
}

/// The sum over the flows whose datagrams are counted.
fn datagrams(run: &RunResult, of: fn(&UdpResult) -> u64) -> Option<f64> {
    sum_over(run.flows.iter().filter_map(|flow| flow.udp.as_ref()), |udp| of(udp) as f64)
}

/// The flows whose datagrams are answered.
fn answered(run: &RunResult) -> impl Iterator<Item = &UdpResult> {
    run.flows.iter().filter_map(|flow| flow.udp.as_ref()).filter(|udp| udp.answers_sent > 0)
}

/// The videos of which a frame was shown.
fn videos(run: &RunResult) -> impl Iterator<Item = &VideoResult> {
    run.flows.iter().filter_map(|flow| flow.video.as_ref()).filter(|video| video.play_s > 0.0)
}

/// The sum over all of these; `None` where there is none.
fn sum_over<T>(items: impl Iterator<Item = T>, of: impl Fn(T) -> f64) -> Option<f64> {
    items.map(of).reduce(|sum, more| sum + more)
}

/// The mean over flows, each weighing as many as it has samples. Exact for one flow; for several it is no percentile of
/// them all, which the flows' own would not give.
fn mean_over_flows(flows: impl Iterator<Item = Percentiles>, of: fn(&Percentiles) -> f64) -> Option<f64> {
    let (sum, samples) = flows.fold((0.0, 0.0), |(sum, samples), flow| {
        (sum + of(&flow) * flow.samples as f64, samples + flow.samples as f64)
    });
    ratio(sum, samples)
}

/// A figure of the nodes with HACK, where there are any.
fn hack(run: &RunResult, of: fn(&HackCounters) -> Option<f64>) -> Option<f64> {
    run.hack.as_ref().and_then(of)
}

fn delivered_megabytes(run: &RunResult) -> f64 {
    run.goodput_mbps * run.sim_seconds / 8.0
}

fn percent(part: u64, whole: u64) -> Option<f64> {
    ratio(part as f64 * 100.0, whole as f64)
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

//! What the air did and how each flow stood, over time, as tables to plot.
//!
//! Two tables, each with a line of column names, all figures whole numbers in the unit at the end of their column's name:
//!
//! - **air**, a row for each PPDU and for each stretch of silence, warm-up included, in the order in which they end. Rows of one instant's
//!   collision overlap; otherwise they tile the time from the start of the run to its end (a PPDU that is on the air then is whole).
//!   `kind` is `data`, `tcp_ack` (data PPDUs with nothing but TCP ACKs), `ack`, `block_ack`, `block_ack_request`, `rts`, `cts` or
//!   `beacon`, or for a silence its class in the ledger: `idle`, `interframe_space`, `backoff`, `sifs` or `timeouts`. `outcome` is `ok`,
//!   `collided`, `damaged` (some of it could not be read though nothing collided) or `silent`; `access` is 1 where the PPDU was sent on a
//!   won access, 0 where it answers or continues; `damaged` counts MPDUs that a receiver could not read.
//! - **series**, a row for each flow at the end of each interval: what was delivered in it (application bytes, first time and in order),
//!   the mean of its round-trip samples, and at its end smoothed RTT, congestion window and the packets in the first MAC queue on its way;
//!   where a flow's TCP is not plain, also its pacing rate and the bandwidth that its model has.
//!   The last interval ends with the run and may be shorter.
//!
//! What a flow does not have, such as UDP a window, is an empty field in CSV and `null` in JSON. CSV is two texts; JSON is one object
//! with `air` and `series`, each with its `columns` and its `rows`. The same run gives the same bytes.

mod table;

use std::io::{self, Write};

use ackless_dot11::frame::{Body, NodeId, Ppdu, Tally};
use ackless_wire::{Bytes, Duration, Instant};

use crate::config::{CellConfig, FlowConfig, TransportConfig};
use crate::observe::{Event, Observer, Silence};
use table::{Field, Table};

pub use table::Format;

/// Writes the timeline of a run. The air is written as it goes; the series is kept until the end, a few numbers for each flow and interval.
///
/// Every row of the air is a call of [`Write::write_all`]: hand it a [`std::io::BufWriter`] where those are dear.
#[derive(Debug)]
pub struct Timeline<W> {
    air: Table<W>,
    series: Table<Vec<u8>>,
    interval: Duration,
    /// Whether the series has the columns of senders that model their path.
    rates: bool,
    /// The AP first.
    nodes: Vec<String>,
    flows: Vec<FlowInterval>,
    /// The transmitters of what is on the air, and whether each won the access for it.
    on_air: Vec<(NodeId, bool)>,
    /// When the present interval began.
    since: Instant,
    /// The first failure, which an observer can tell nobody until the end.
    failure: Option<io::Error>,
}

/// A flow in the present interval, with what its last sample said.
#[derive(Clone, Debug)]
struct FlowInterval {
    name: String,
    delivered: Bytes,
    rtt_sum: Duration,
    rtt_samples: u64,
}

impl<W: Write> Timeline<W> {
    /// Begins a timeline of nodes with these names, the AP first, and of flows with these, with a row for each flow at every multiple of
    /// `interval`.
    ///
    /// # Errors
    /// Those of the writer, and [`io::ErrorKind::InvalidInput`] for an interval of no length.
    pub fn new<'a>(
        output: W,
        format: Format,
        nodes: impl IntoIterator<Item = &'a str>,
        flows: impl IntoIterator<Item = &'a str>,
        interval: Duration,
    ) -> io::Result<Self> {
        if interval.is_zero() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "an interval lasts longer than nothing"));
        }
        let flow = |name: &str| FlowInterval {
            name: name.to_owned(),
            delivered: Bytes::ZERO,
            rtt_sum: Duration::ZERO,
            rtt_samples: 0,
        };
        Ok(Self {
            air: Table::begin(output, format, "{\"air\":", AIR)?,
            series: Table::begin(Vec::new(), format, ",\n\"series\":", SERIES)?,
            interval,
            rates: false,
            nodes: nodes.into_iter().map(str::to_owned).collect(),
            flows: flows.into_iter().map(flow).collect(),
            on_air: Vec::new(),
            since: Instant::ZERO,
            failure: None,
        })
    }

    /// Begins the timeline of this cell: the AP as `ap`, its stations and flows by their names.
    ///
    /// # Errors
    /// As [`Timeline::new`].
    pub fn of_cell(output: W, format: Format, config: &CellConfig, interval: Duration) -> io::Result<Self> {
        let stations = config.stations.iter().map(|station| station.name.as_str());
        let flows = config.flows.iter().map(|flow| flow.name.as_str());
        let mut timeline = Self::new(output, format, std::iter::once("ap").chain(stations), flows, interval)?;
        let models = |flow: &FlowConfig| matches!(flow.transport, TransportConfig::Tcp(tcp) if !tcp.is_plain());
        if config.flows.iter().any(models) {
            timeline.rates = true;
            timeline.series = Table::begin(Vec::new(), format, ",\n\"series\":", &[SERIES, RATES].concat())?;
        }
        Ok(timeline)
    }

    /// Ends the tables and gives the writer back, flushed: with the air in it as CSV, or with all of the JSON. The second is the series as
    /// CSV, and `None` for JSON.
    ///
    /// # Errors
    /// The first failure while observing, if there was one, else that of the writer.
    pub fn finish(mut self) -> io::Result<(W, Option<Vec<u8>>)> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let format = self.air.format();
        let (mut output, series) = (self.air.end()?, self.series.end()?);
        let series = match format {
            Format::Csv => Some(series),
            Format::Json => {
                output.write_all(&series)?;
                output.write_all(b"\n}\n")?;
                None
            }
        };
        output.flush()?;
        Ok((output, series))
    }

    fn silence(&mut self, silence: &Silence) -> io::Result<()> {
        let mut from = silence.from;
        for (class, until) in silence.stretches() {
            if until > from {
                let row = [from.into(), until.into(), Field::Word(class.name()), Field::Empty, Field::Empty];
                let rest = [Field::Empty; 7];
                self.air.row(row.into_iter().chain([Field::Word("silent")]).chain(rest))?;
            }
            from = until;
        }
        Ok(())
    }

    fn ppdu(&mut self, ppdu: &Ppdu, start: Instant, collided: bool, damaged: u32) -> io::Result<()> {
        // A node sends one PPDU at a time.
        let place = self.on_air.iter().position(|(transmitter, _)| *transmitter == ppdu.transmitter);
        let access = place.is_some_and(|place| self.on_air.swap_remove(place).1);
        let Tally { mpdus, tcp_acks, retries } = ppdu.tally();
        let outcome = match (collided, damaged) {
            (true, _) => "collided",
            (false, 0) => "ok",
            (false, _) => "damaged",
        };
        self.air.row([
            start.into(),
            (start + ppdu.duration).into(),
            Field::Word(kind(ppdu)),
            name(&self.nodes, ppdu.transmitter),
            name(&self.nodes, ppdu.receiver),
            Field::Word(outcome),
            Field::Number(access.into()),
            Field::Number(mpdus),
            Field::Number(tcp_acks),
            Field::Number(retries),
            Field::Number(damaged.into()),
            Field::Number(ppdu.psdu_len.get()),
            Field::Number(ppdu.txvector.rate().bps()),
        ])
    }

    /// A flow at the end of the present interval, which begins anew for it.
    fn sample(&mut self, now: Instant, flow: usize, standing: [Field<'_>; 3], rates: [Field<'_>; 2]) -> io::Result<()> {
        let interval = &mut self.flows[flow];
        let rtt = match interval.rtt_samples {
            0 => Field::Empty,
            samples => Field::Number((interval.rtt_sum / samples).as_nanos()),
        };
        let counted = [
            self.since.into(),
            now.into(),
            Field::Text(&interval.name),
            Field::Number(interval.delivered.get()),
            Field::Number(interval.delivered.per(now - self.since).bps()),
            rtt,
        ];
        let rates = rates.into_iter().filter(|_| self.rates);
        self.series.row(counted.into_iter().chain(standing).chain(rates))?;
        (interval.delivered, interval.rtt_sum, interval.rtt_samples) = (Bytes::ZERO, Duration::ZERO, 0);
        // Flows are told in order: the next interval begins once the last one was.
        if flow + 1 == self.flows.len() {
            self.since = now;
        }
        Ok(())
    }
}

impl<W: Write> Observer for Timeline<W> {
    /// Writes until the first failure, which [`Timeline::finish`] tells.
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        if self.failure.is_some() {
            return;
        }
        let written = match *event {
            Event::Start { ppdu, ref silence, access, .. } => {
                self.on_air.push((ppdu.transmitter, access));
                silence.as_ref().map_or(Ok(()), |silence| self.silence(silence))
            }
            Event::Silence(ref silence) => self.silence(silence),
            Event::End { ppdu, start, collided, damaged, .. } => self.ppdu(ppdu, start, collided, damaged),
            Event::Delivered { flow, bytes, .. } => {
                self.flows[flow].delivered += bytes;
                Ok(())
            }
            Event::RoundTrip { flow, rtt } => {
                self.flows[flow].rtt_sum += rtt;
                self.flows[flow].rtt_samples += 1;
                Ok(())
            }
            Event::FlowSample { flow, cwnd, srtt, pacing, bandwidth, queued } => {
                let srtt = srtt.map_or(Field::Empty, |srtt| Field::Number(srtt.as_nanos()));
                let cwnd = cwnd.map_or(Field::Empty, |cwnd| Field::Number(cwnd.get()));
                let rates = [pacing, bandwidth].map(|rate| rate.map_or(Field::Empty, |rate| Field::Number(rate.bps())));
                self.sample(now, flow, [srtt, cwnd, Field::Number(queued as u64)], rates)
            }
            _ => Ok(()),
        };
        self.failure = written.err();
    }

    fn sampling(&self) -> Option<Duration> {
        Some(self.interval)
    }
}

fn kind(ppdu: &Ppdu) -> &'static str {
    match &ppdu.body {
        Body::Single(mpdu) if mpdu.tcp_ack => "tcp_ack",
        Body::Amsdu(mpdus) | Body::Aggregate(mpdus) if mpdus.iter().all(|mpdu| mpdu.tcp_ack) => "tcp_ack",
        Body::Single(_) | Body::Amsdu(_) | Body::Aggregate(_) => "data",
        Body::Ack(_) => "ack",
        Body::BlockAck(..) => "block_ack",
        Body::BlockAckReq(..) => "block_ack_request",
        Body::Rts => "rts",
        Body::Cts => "cts",
        Body::Beacon(_) => "beacon",
    }
}

/// A node's name, also where it is alone in its group; `all` for a group of more.
fn name(nodes: &[String], node: NodeId) -> Field<'_> {
    nodes.get(usize::from(node.station().0)).map_or(Field::Word("all"), |name| Field::Text(name))
}

/// The columns of the air.
const AIR: &[&str] = &[
    "start_ns",
    "end_ns",
    "kind",
    "transmitter",
    "receiver",
    "outcome",
    "access",
    "mpdus",
    "tcp_ack_mpdus",
    "retried_mpdus",
    "damaged_mpdus",
    "psdu_bytes",
    "rate_bps",
];

/// The columns of the series.
const SERIES: &[&str] = &[
    "start_ns",
    "end_ns",
    "flow",
    "delivered_bytes",
    "goodput_bps",
    "rtt_mean_ns",
    "srtt_ns",
    "cwnd_bytes",
    "queued_packets",
];

/// Further columns of it, where a flow's sender paces or models its path.
const RATES: &[&str] = &["pacing_bps", "bandwidth_bps"];

#[cfg(test)]
mod tests;

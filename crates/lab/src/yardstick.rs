//! What rows are compared by: what they carry, or, where transfers end, how long they take.
//!
//! A flow of fixed size carries the same in every row, so that its goodput over the window says nothing. In a cell where some flows end
//! and others do not, there are several yardsticks, and each flow counts in one: what a transfer carries is the same in every row and would
//! only blur what the flows beside it gain.

use ackless_cell::config::{FlowConfig, Traffic};
use serde::Serialize;

use crate::case::BASELINE;
use crate::entry::Entry;
use crate::metric::Metric;
use crate::statistics::Estimate;

/// What rows are compared by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Yardstick {
    /// The goodput of all flows: no flow ends.
    Goodput,
    /// The goodput of those flows that do not end, beside others that do.
    EndlessGoodput,
    /// From the start of a finite flow to its last byte acknowledged, on average over the flows; measured only where all of them end.
    CompletionTime,
    /// The median time of transfers that follow one another, or of requests, those of all flows
    /// together.
    TransferTime,
}

impl Yardstick {
    /// Those that `entries` have, the most telling first.
    pub fn all(entries: &[Entry]) -> Vec<Self> {
        let flows = || entries.iter().flat_map(|entry| &entry.case.config.flows);
        let any = |is: fn(&FlowConfig) -> bool| flows().any(is);
        let finite = any(|flow| matches!(flow.traffic, Traffic::Finite { .. }));
        let repeated = any(recurs);
        let endless = any(|flow| !recurs(flow) && !matches!(flow.traffic, Traffic::Finite { .. }));
        let carried = match (endless, finite || repeated) {
            (true, true) => Some(Self::EndlessGoodput),
            (true, false) => Some(Self::Goodput),
            (false, _) => None,
        };
        let times = [finite.then_some(Self::CompletionTime), repeated.then_some(Self::TransferTime)];
        carried.into_iter().chain(times.into_iter().flatten()).collect()
    }

    /// Whether it is a time, of which less is better.
    pub const fn is_time(self) -> bool {
        matches!(self, Self::CompletionTime | Self::TransferTime)
    }

    /// What `entry` measures by it, in Mbps, seconds or, for [`Self::TransferTime`], milliseconds.
    pub fn of(self, entry: &Entry) -> Option<Estimate> {
        entry.estimate(self.metric())
    }

    /// How many percent more than the row that `entry` is compared with ([`Entry::baseline`]) it measures: of a goodput more is better, of a
    /// time less. `None` without such a row, for that row, and where either was not measured.
    pub fn against_baseline(self, entry: &Entry, rows: &[Entry]) -> Option<f64> {
        let (own, plain) = (self.of(entry)?.mean, self.of(entry.baseline(rows)?)?.mean);
        (plain > 0.0).then(|| (own - plain) / plain * 100.0)
    }

    /// How many percent less it measures than the UDP row of the same point, which is the bound for all goodput; `None` as above, and for
    /// times, which datagrams have none of.
    pub fn loss_against_udp(self, entry: &Entry, rows: &[Entry]) -> Option<f64> {
        if self != Self::Goodput {
            return None;
        }
        entry.loss_against_udp(rows)
    }

    /// The title of its column in a table.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Goodput => "goodput\nMbps",
            Self::EndlessGoodput => "without\nend Mbps",
            Self::CompletionTime => "done\nafter s",
            Self::TransferTime => "transfer\nmed ms",
        }
    }

    /// The title of the column that compares it with `baseline`.
    pub(crate) fn title_against(self, baseline: &str) -> String {
        let what = if self.is_time() { "time" } else { "gain" };
        format!("{what} vs\n{baseline} %")
    }

    /// The title of an axis of a picture.
    pub(crate) const fn axis(self) -> &'static str {
        match self {
            Self::Goodput => "goodput, Mbps",
            Self::EndlessGoodput => "goodput of flows without end, Mbps",
            Self::CompletionTime => "time until a transfer is complete, s (less is better)",
            Self::TransferTime => "median time of a transfer, ms (less is better)",
        }
    }

    /// A figure of its, with its unit.
    pub(crate) fn figure(self, value: f64) -> String {
        match self {
            Self::Goodput | Self::EndlessGoodput => format!("{value:.1} Mbps"),
            Self::CompletionTime => format!("{value:.2} s for a transfer"),
            Self::TransferTime => format!("{value:.1} ms for a transfer"),
        }
    }

    /// How many decimals it has in tables and pictures.
    pub(crate) fn decimals(self) -> usize {
        self.metric().decimals
    }

    pub(crate) fn metric(self) -> &'static Metric {
        let name = match self {
            Self::Goodput => "goodput_mbps",
            Self::EndlessGoodput => "endless_goodput_mbps",
            Self::CompletionTime => "completion_s",
            Self::TransferTime => "transfer_median_ms",
        };
        Metric::find(name).expect("each yardstick is a metric")
    }
}

/// Whether a flow has transfers or requests one after another.
const fn recurs(flow: &FlowConfig) -> bool {
    matches!(flow.traffic, Traffic::Repeated { .. } | Traffic::Requests(_))
}

impl Entry {
    /// How many percent more it carries, all flows together, than the row that it is compared with ([`Self::baseline`]).
    pub fn gain_over_tcp(&self, rows: &[Self]) -> Option<f64> {
        Yardstick::Goodput.against_baseline(self, rows)
    }
}

/// The name of what `rows` are compared with, for titles: BBR where neither plain TCP nor the scenario as it is written is there.
pub(crate) fn baseline_name(rows: &[Entry]) -> &'static str {
    let named = |name: &str| rows.iter().any(|row| row.case.row.name == name);
    let plain = named(BASELINE) || named(ackless_scenario::Row::STOCK.name);
    if named("bbr") && !plain { "bbr" } else { BASELINE }
}

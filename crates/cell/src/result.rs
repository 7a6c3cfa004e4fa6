//! What a run found: goodput and delay per flow, the ledger of air time, counters and fairness.
//!
//! Every value covers the measured window only, unless its comment says otherwise. The order of the fields is the
//! order of the keys in JSON.

use std::collections::BTreeMap;

pub use ackless_schemes::hack::HackCounters;
use serde::{Deserialize, Serialize};

pub use airtime::{Airtime, AirtimeClass};
pub use counters::{Counters, LinkRates, NamedCounters, NodeCounters, RateUse};
pub use flow::{EndsResult, FlowResult, HeldResult, Percentiles, PingResult, UdpResult, VideoResult};

mod airtime;
mod counters;
mod flow;
pub mod shares;

/// The result of one run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunResult {
    /// The row that was run: [`crate::config::CellConfig::scheme`].
    pub scheme: String,
    /// The seed of every random stream of the run.
    pub seed: u64,
    /// Application bytes that arrived, of all flows, in Mbit/s.
    pub goodput_mbps: f64,
    /// One for each flow, in the order of the configuration.
    pub flows: Vec<FlowResult>,
    /// One for each ping, in the order of the configuration.
    pub pings: Vec<PingResult>,
    /// Where every nanosecond of the window went.
    pub airtime_ns: Airtime,
    /// What was counted, in all and per node.
    pub counters: Counters,
    /// At which rates data went, link by link; empty where all rates are fixed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<LinkRates>,
    /// What the HACK nodes counted together; `None` where there are none.
    pub hack: Option<HackCounters>,
    /// What the nodes with another scheme counted together, by name; empty where there are none.
    pub rival: BTreeMap<String, u64>,
    /// How evenly the stations were served.
    pub fairness: Fairness,
    /// The measured window in seconds of simulated time; the warm-up is not in it.
    pub sim_seconds: f64,
    /// Wall-clock seconds of the whole run. The cell knows no clock and leaves 0; who runs it fills it in.
    pub wall_seconds: f64,
    /// Events processed in the whole run, but for wake-ups that came too early.
    pub events: u64,
    /// The same of the other cells on the channel; none where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub neighbours: Vec<NeighbourResult>,
}

/// What another cell on the channel achieved.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NeighbourResult {
    /// The cell's name.
    pub cell: String,
    /// Its result.
    #[serde(flatten)]
    pub result: RunResult,
}

/// Jain's index, from `1/n` to 1; 1 where only one station took part, and `None` where there is nothing to share.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Fairness {
    /// Over the stations with flows, by goodput.
    pub jain_goodput: Option<f64>,
    /// Over the same, or where there are no flows over the stations that were on the air, by the air time of the
    /// frames to and from them, with their answers.
    pub jain_airtime: Option<f64>,
}

/// Jain's index of fairness: the square of the sum over `n` times the sum of squares; `None` if all shares are zero.
pub fn jain(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

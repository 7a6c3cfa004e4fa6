//! The results of flows, read from the JSON of a comparison, and figures computed from them.

use ackless_cell::config::{FlowConfig, TransportConfig};
use ackless_lab::compare::Comparison;
use serde_json::Value;

/// The rows of a comparison.
#[derive(Debug)]
pub struct Facts {
    pub rows: Vec<RowFacts>,
}

/// One row.
#[derive(Debug)]
pub struct RowFacts {
    pub scheme: String,
    /// The point, its keys divided by `, `.
    pub point: String,
    pub runs: Vec<RunFacts>,
}

/// One run.
#[derive(Debug)]
pub struct RunFacts {
    pub flows: Vec<FlowFacts>,
    /// Percent of the window in which the medium was used.
    pub used: f64,
    pub accesses: f64,
    pub seconds: f64,
}

/// One flow of one run.
#[derive(Clone, Debug)]
pub struct FlowFacts {
    pub name: String,
    pub traffic: String,
    pub got: f64,
    pub offered: Option<f64>,
    pub completion: Option<f64>,
    /// The median of transfers in milliseconds, and how many there are.
    pub transfer: Option<(f64, f64)>,
    /// The median and the number of samples.
    pub rtt: Option<(f64, f64)>,
    /// How fast its receiver reads.
    pub reads: f64,
    /// What the run says of it, used only for flows that end or pause.
    said_dead: bool,
}

/// A mean with half its 95 % interval.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    pub mean: f64,
    pub half: f64,
}

impl Facts {
    pub fn of(json: &str, comparison: &Comparison) -> Self {
        let whole: Value = serde_json::from_str(json).expect("it is JSON");
        let rows = whole["rows"].as_array().expect("there are rows");
        let rows = rows.iter().zip(&comparison.rows).map(|(row, entry)| {
            let point = row["point"].as_object().expect("a point is an object");
            let parts = point.iter().map(|(key, value)| format!("{key}={}", value.as_str().expect("a text")));
            let runs = row["runs"].as_array().expect("a row has runs").iter();
            RowFacts {
                scheme: row["scheme"].as_str().expect("a name").to_owned(),
                point: parts.collect::<Vec<_>>().join(", "),
                runs: runs.map(|run| RunFacts::of(run, &entry.case.config.flows)).collect(),
            }
        });
        Self { rows: rows.collect() }
    }
}

impl RunFacts {
    fn of(run: &Value, configs: &[FlowConfig]) -> Self {
        let number = |value: &Value| value.as_f64().expect("a number");
        let airtime = run["airtime_ns"].as_object().expect("an object");
        let total: f64 = airtime.values().filter_map(Value::as_f64).sum();
        let unused = ["idle", "neighbours"].map(|class| airtime.get(class).and_then(Value::as_f64).unwrap_or(0.0));
        let flows = run["flows"].as_array().expect("a list").iter().zip(configs).map(|(flow, config)| FlowFacts {
            name: flow["name"].as_str().expect("a name").to_owned(),
            traffic: flow["traffic"].as_str().expect("a word").to_owned(),
            got: number(&flow["goodput_mbps"]),
            offered: flow["offered_mbps"].as_f64(),
            completion: flow["completion_s"].as_f64(),
            transfer: median(&flow["transfers_ms"]),
            rtt: median(&flow["rtt_ms"]),
            reads: match config.transport {
                TransportConfig::Tcp(tcp) => tcp.read_rate.map_or(f64::INFINITY, |rate| rate.mbps_f64()),
                TransportConfig::Udp { .. } => f64::INFINITY,
            },
            said_dead: flow["dead"].as_bool().expect("a truth"),
        });
        Self {
            flows: flows.collect(),
            used: 100.0 - unused.iter().sum::<f64>() / total * 100.0,
            accesses: number(&run["counters"]["total"]["channel_accesses"]),
            seconds: number(&run["sim_seconds"]),
        }
    }

    pub fn goodput(&self) -> f64 {
        self.flows.iter().map(|flow| flow.got).sum()
    }

    /// The goodput of the flows that do not end.
    pub fn endless(&self) -> f64 {
        self.flows.iter().filter(|flow| flow.is_endless()).map(|flow| flow.got).sum()
    }

    /// The flows that get nothing although they always have data to send. For flows that pause the run is believed.
    pub fn dead(&self) -> Vec<&str> {
        let dead = |flow: &&FlowFacts| match flow.traffic.as_str() {
            "bulk" | "video" => flow.got == 0.0,
            _ => flow.got == 0.0 && flow.said_dead,
        };
        self.flows.iter().filter(dead).map(|flow| flow.name.as_str()).collect()
    }

    /// The flows that get something, but less than a quarter of their fair share.
    pub fn starved(&self) -> Vec<&str> {
        let takes_part = |flow: &&FlowFacts| flow.is_endless() && (flow.traffic != "on-off" || flow.offered.is_some());
        let flows: Vec<&FlowFacts> = self.flows.iter().filter(takes_part).collect();
        let limit = |flow: &FlowFacts| flow.offered.unwrap_or(f64::INFINITY).min(flow.reads);
        let total: f64 = flows.iter().map(|flow| flow.got).sum();
        // The level up to which all are filled, by halving.
        let (mut low, mut high) = (0.0, total + 1.0);
        for _ in 0..200 {
            let level = (low + high) / 2.0;
            let filled: f64 = flows.iter().map(|flow| limit(flow).min(level)).sum();
            if filled < total { low = level } else { high = level }
        }
        let all: f64 = flows.iter().map(|flow| limit(flow)).sum();
        let level = if all < total { f64::INFINITY } else { low };
        let dead = self.dead();
        let starved = |flow: &&&FlowFacts| {
            flow.got < 0.25 * limit(flow).min(level) * (1.0 - 1e-9) && !dead.contains(&flow.name.as_str())
        };
        flows.iter().filter(starved).map(|flow| flow.name.as_str()).collect()
    }
}

impl FlowFacts {
    pub fn is_endless(&self) -> bool {
        !matches!(self.traffic.as_str(), "finite" | "repeated")
    }
}

impl RowFacts {
    pub fn goodput(&self) -> Measure {
        self.over(|run| Some(run.goodput())).expect("each run has a goodput")
    }

    pub fn endless(&self) -> Measure {
        self.over(|run| Some(run.endless())).expect("each run has a goodput")
    }

    pub fn has_ends(&self) -> bool {
        self.runs[0].flows.iter().any(|flow| !flow.is_endless())
    }

    /// From start to end of finite transfers, in seconds; nothing where one did not end.
    pub fn completion(&self) -> Option<Measure> {
        self.over(|run| {
            let finite: Vec<_> = run.flows.iter().filter(|flow| flow.traffic == "finite").collect();
            let times: Option<Vec<f64>> = finite.iter().map(|flow| flow.completion).collect();
            let times = times.filter(|times| !times.is_empty())?;
            Some(times.iter().sum::<f64>() / times.len() as f64)
        })
    }

    /// The median of repeated transfers, in milliseconds, over the runs in which any ended.
    pub fn transfer(&self) -> Option<Measure> {
        self.over_those(|run| weighted(run.flows.iter().filter_map(|flow| flow.transfer)))
    }

    pub fn used(&self) -> Measure {
        self.over(|run| Some(run.used)).expect("each run has air time")
    }

    pub fn accesses_per_mb(&self) -> Option<Measure> {
        self.over(|run| {
            let megabytes = run.goodput() * run.seconds / 8.0;
            (megabytes > 0.0).then(|| run.accesses / megabytes)
        })
    }

    pub fn rtt(&self) -> Option<Measure> {
        self.over_those(|run| weighted(run.flows.iter().filter_map(|flow| flow.rtt)))
    }

    /// Whether every flow without end has an offer.
    pub fn is_limited(&self) -> bool {
        let endless = || self.runs.iter().flat_map(|run| &run.flows).filter(|flow| flow.is_endless());
        endless().next().is_some() && endless().all(|flow| flow.offered.is_some())
    }

    pub fn offered(&self) -> f64 {
        let flows = self.runs.iter().flat_map(|run| &run.flows).filter(|flow| flow.is_endless());
        flows.filter_map(|flow| flow.offered).sum::<f64>() / self.runs.len() as f64
    }

    /// The least part of its offer that a flow without end gets through, on average over the runs.
    pub fn least_part(&self) -> f64 {
        let part = |place: usize| {
            let of = |what: fn(&FlowFacts) -> f64| self.runs.iter().map(|run| what(&run.flows[place])).sum::<f64>();
            let offered = of(|flow| flow.offered.unwrap_or(0.0));
            let counts = self.runs[0].flows[place].is_endless() && offered > 0.0;
            if counts { of(|flow| flow.got) / offered } else { 1.0 }
        };
        (0..self.runs[0].flows.len()).map(part).fold(1.0, f64::min)
    }

    /// The most flows that are dead or starved in one run.
    pub fn harmed(&self) -> usize {
        self.runs.iter().map(|run| run.dead().len() + run.starved().len()).max().unwrap_or(0)
    }

    /// The mean over all runs; nothing where one has none.
    fn over(&self, of: impl Fn(&RunFacts) -> Option<f64>) -> Option<Measure> {
        let values: Option<Vec<f64>> = self.runs.iter().map(of).collect();
        values.map(|values| Measure::of(&values))
    }

    /// The mean over the runs that have any.
    fn over_those(&self, of: impl Fn(&RunFacts) -> Option<f64>) -> Option<Measure> {
        let values: Vec<f64> = self.runs.iter().filter_map(of).collect();
        (!values.is_empty()).then(|| Measure::of(&values))
    }
}

/// The mean of values that have weights.
fn weighted(values: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let values: Vec<(f64, f64)> = values.collect();
    let weight: f64 = values.iter().map(|(_, weight)| weight).sum();
    (weight > 0.0).then(|| values.iter().map(|(value, weight)| value * weight).sum::<f64>() / weight)
}

fn median(of: &Value) -> Option<(f64, f64)> {
    of["median"].as_f64().zip(of["samples"].as_f64())
}

impl Measure {
    fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        // Student's t, from a printed table.
        let t = [0.0, 12.706, 4.303, 3.182, 2.776][values.len() - 1];
        let half = if values.len() > 1 { t * (squares / (n - 1.0) / n).sqrt() } else { 0.0 };
        Self { mean, half }
    }

    /// Whether two differ clearly; nothing where it is too close to call.
    pub fn apart(self, other: Self) -> Option<bool> {
        let (difference, halves) = ((self.mean - other.mean).abs(), self.half + other.half);
        let least = 0.001 * self.mean.max(other.mean);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-3 * a.max(b);
        let beyond = difference > halves && difference > least;
        let unsure = (halves > 0.0 && close(difference, halves)) || (least > 0.0 && close(difference, least));
        (!unsure).then_some(beyond)
    }
}

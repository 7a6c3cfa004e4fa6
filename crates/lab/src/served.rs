//! The service of each flow of a row over all seeds: its goodput, its offered load and its fair share.

use ackless_cell::result::{FlowResult, RunResult};
use serde::Serialize;

use crate::entry::Entry;
use crate::statistics::{Estimate, median};
use crate::table::{Column, Table};

/// One flow over all runs of a row.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Served {
    /// The flow's name.
    pub name: String,
    /// Its station's name.
    pub station: String,
    /// `down` or `up`.
    pub direction: String,
    /// Its goodput in Mbit/s.
    pub goodput_mbps: Option<Estimate>,
    /// What its application offers, in Mbit/s; `None` if it offers as much as its transport takes.
    pub offered_mbps: Option<Estimate>,
    /// Its max-min fair share of what all flows carry, in Mbit/s; `None` for a flow that has none.
    pub fair_mbps: Option<Estimate>,
    /// In how many runs it is dead ([`FlowResult::dead`]).
    pub dead_runs: usize,
    /// In how many runs it is starved ([`FlowResult::starved`]).
    pub starved_runs: usize,
}

impl Entry {
    /// Each flow, in the order of the configuration.
    pub fn flows(&self) -> Vec<Served> {
        let flows = self.case.config.flows.iter().enumerate().filter_map(|(place, flow)| {
            let results: Vec<&FlowResult> = self.runs.iter().filter_map(|run| run.flows.get(place)).collect();
            let first = results.first()?;
            let estimate = |of: fn(&FlowResult) -> Option<f64>| {
                let values: Option<Vec<f64>> = results.iter().map(|result| of(result)).collect();
                Estimate::of(&values?)
            };
            Some(Served {
                name: flow.name.clone(),
                station: first.station.clone(),
                direction: first.direction.clone(),
                goodput_mbps: estimate(|flow| Some(flow.goodput_mbps)),
                offered_mbps: estimate(|flow| flow.offered_mbps),
                fair_mbps: estimate(|flow| flow.fair_mbps),
                dead_runs: results.iter().filter(|result| result.dead).count(),
                starved_runs: results.iter().filter(|result| result.starved).count(),
            })
        });
        flows.collect()
    }

    /// Whether every flow without end has an application that sets its own pace.
    pub(crate) fn is_limited(&self) -> bool {
        let mut endless = self.endless().peekable();
        endless.peek().is_some() && endless.all(|flow| flow.offered_mbps.is_some())
    }

    /// What the applications of flows without end offer together, in Mbit/s, on average.
    pub(crate) fn offered(&self) -> f64 {
        self.endless().filter_map(|flow| flow.offered_mbps).sum::<f64>() / self.runs.len().max(1) as f64
    }

    /// Whether each flow without end delivers at least 98 % of its offered load, on average over the runs.
    pub(crate) fn carries_all(&self) -> bool {
        let carried = |place: usize| {
            let (mut got, mut offered) = (0.0, 0.0);
            for flow in self.runs.iter().filter_map(|run| run.flows.get(place)).filter(|flow| flow.is_endless()) {
                got += flow.goodput_mbps;
                offered += flow.offered_mbps.unwrap_or(0.0);
            }
            got >= ALL * offered
        };
        (0..self.case.config.flows.len()).all(carried) && !self.endless().any(|flow| flow.dead)
    }

    fn endless(&self) -> impl Iterator<Item = &FlowResult> {
        self.runs.iter().flat_map(|run: &RunResult| &run.flows).filter(|flow| flow.is_endless())
    }
}

/// The goodput of each flow in each of `rows`, with a line for the offered load. Many flows are folded to the least, the
/// median and the most. `None` if no row has several flows.
pub(crate) fn flow_table(rows: &[Entry], label: impl Fn(&Entry) -> String) -> Option<String> {
    let flows: Vec<Vec<Served>> = rows.iter().map(Entry::flows).collect();
    let most = flows.iter().map(Vec::len).max().filter(|most| *most > 1)?;
    let mut labels: Vec<String> = rows.iter().map(label).collect();
    let names = |served: &[Served]| served.iter().map(|flow| flow.name.clone()).collect::<Vec<_>>();
    let alike = flows.iter().all(|served| names(served) == names(&flows[0]));
    let mut columns = Vec::new();
    if alike && most <= UNFOLDED {
        let offers = flows[0].iter().any(|flow| flow.offered_mbps.is_some());
        for place in 0..most {
            let offered = flows[0][place].offered_mbps.map(|offered| format!("{:.2}", offered.mean));
            let cells = flows.iter().map(|served| figure(&served[place]));
            let cells = cells.chain(offers.then(|| offered.unwrap_or_default()));
            columns.push(Column::new(flows[0][place].name.clone(), cells));
        }
        labels.extend(offers.then(|| "offered".to_owned()));
    } else {
        columns.push(Column::new("flows", flows.iter().map(|served| served.len().to_string())));
        let goodput = |flow: &Served| flow.goodput_mbps.map_or(0.0, |goodput| goodput.mean);
        let sorted = flows.iter().map(|served| {
            let mut sorted: Vec<&Served> = served.iter().collect();
            sorted.sort_by(|a, b| goodput(a).total_cmp(&goodput(b)));
            sorted
        });
        let sorted: Vec<Vec<&Served>> = sorted.collect();
        let end = |of: fn(&[&Served]) -> Option<String>| sorted.iter().map(move |flows| of(flows).unwrap_or_default());
        columns.push(Column::new("least", end(|flows| flows.first().map(|flow| figure(flow)))));
        columns.push(Column::new("which", end(|flows| flows.first().map(|flow| flow.name.clone()))));
        let middle = |flows: &Vec<&Served>| median(&flows.iter().map(|flow| goodput(flow)).collect::<Vec<_>>());
        columns.push(Column::new("median", sorted.iter().map(|f| format!("{:.2}", middle(f).unwrap_or_default()))));
        columns.push(Column::new("most", end(|flows| flows.last().map(|flow| figure(flow)))));
        columns.push(Column::new("which", end(|flows| flows.last().map(|flow| flow.name.clone()))));
    }
    columns.insert(0, Column::new("scheme", labels.into_iter()));
    Some(Table::of_columns(&columns).to_string())
}

/// The goodput of a flow, with the word `dead` or `starved` if it is so in any run.
fn figure(flow: &Served) -> String {
    let goodput = flow.goodput_mbps.map(|goodput| format!("{:.2}", goodput.mean)).unwrap_or_default();
    match (flow.dead_runs, flow.starved_runs) {
        (0, 0) => goodput,
        (0, _) => format!("{goodput} starved"),
        _ => format!("{goodput} dead"),
    }
}

/// A flow that gets this part of its offered load gets all of it: the rest is under way when the window ends.
const ALL: f64 = 0.98;
/// More flows than these are folded.
const UNFOLDED: usize = 8;

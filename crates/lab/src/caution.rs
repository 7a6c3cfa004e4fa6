//! What a reader must know before a figure is believed: flows that get nothing or little; windows that show more or
//! less than the air carried, or are not steady; transfers that did not end; a medium that one station kept for itself.

use ackless_cell::config::{FlowConfig, Traffic};
use ackless_cell::result::{FlowResult, RunResult};
use ackless_wire::Instant;
use serde::Serialize;

use crate::entry::Entry;
use crate::harm::Harm;
use crate::metric::Metric;
use crate::statistics::Estimate;
use crate::table::index_with_interval;

/// Something to know of a row.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Caution {
    /// What it is about.
    pub kind: Kind,
    /// The same in words, with the figures, as half a sentence.
    pub text: String,
}

/// What a caution is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A flow gets nothing although it has data to send.
    Dead,
    /// A flow gets less than a quarter of its fair share.
    Starved,
    /// Goodput is more than 2 % above what the air carried in the window: it was carried before.
    AboveAir,
    /// Goodput is more than 2 % below what the air carried in the window: the rest has not been delivered.
    BelowAir,
    /// The second half of the window carries more or less than the first.
    NotSteady,
    /// Flows without end begin after the window does.
    NotBegun,
    /// Transfers did not end within the run.
    Unfinished,
    /// Jain's index of goodput is below 0.9.
    Unfair,
}

impl Kind {
    /// Every kind, in the order in which a row's are told.
    pub const ALL: [Self; 8] = [
        Self::Dead,
        Self::Starved,
        Self::AboveAir,
        Self::BelowAir,
        Self::NotBegun,
        Self::NotSteady,
        Self::Unfinished,
        Self::Unfair,
    ];

    /// What it says of any row, in words.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Dead => "a flow gets nothing although it has data to send",
            Self::Starved => "a flow gets less than a quarter of its fair share",
            Self::AboveAir => "goodput is above what the air carried in the window",
            Self::BelowAir => "goodput is below what the air carried in the window",
            Self::NotSteady => "the window is not steady, or not known to be",
            Self::NotBegun => "flows begin after the window does",
            Self::Unfinished => "transfers did not end within the run",
            Self::Unfair => "the stations share unevenly (Jain's index of goodput is below 0.9)",
        }
    }

    /// Its name in CSV and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dead => "dead",
            Self::Starved => "starved",
            Self::AboveAir => "above-air",
            Self::BelowAir => "below-air",
            Self::NotSteady => "not-steady",
            Self::NotBegun => "not-begun",
            Self::Unfinished => "unfinished",
            Self::Unfair => "unfair",
        }
    }

    /// Whether it is about the goodput that the window shows.
    pub const fn is_of_window(self) -> bool {
        matches!(self, Self::AboveAir | Self::BelowAir | Self::NotSteady | Self::NotBegun)
    }
}

impl Entry {
    /// What must be known before its figures are believed.
    pub fn cautions(&self) -> Vec<Caution> {
        let all = [
            harmed(self, Harm::Dead),
            harmed(self, Harm::Starved),
            air(self),
            not_begun(self),
            not_steady(self).or_else(|| few_round_trips(self)),
            unfinished(self),
            unfair(self),
        ];
        all.into_iter().flatten().collect()
    }
}

/// The flows that are dead or starved, with what the worst of them gets.
fn harmed(entry: &Entry, harm: Harm) -> Option<Caution> {
    let harmed = entry.harmed(harm)?;
    let (who, gets) = (harmed.who(), harm.gets(harmed.most > 1));
    let seeds =
        if harmed.of_runs > 1 { format!(" with {} of {} seeds", harmed.runs, harmed.of_runs) } else { String::new() };
    let (kind, detail) = match harm {
        Harm::Dead => (Kind::Dead, ", although there is data to send".to_owned()),
        Harm::Starved => {
            let flows = entry.runs.iter().flat_map(|run| &run.flows).filter(|flow| flow.starved);
            let shares = flows.filter_map(|flow| Some((flow.goodput_mbps, flow.fair_mbps?)));
            let worst = shares.min_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
            let detail = worst.map(|(got, fair)| format!(": at worst {got:.2} of {fair:.2} Mbps"));
            (Kind::Starved, detail.unwrap_or_default())
        }
    };
    Some(Caution { kind, text: format!("{who} {gets}{seeds}{detail}") })
}

/// Jain's index of goodput where several stations share the medium so unevenly that a gain must not be read without it.
pub fn unfairness(entry: &Entry) -> Option<Estimate> {
    let jain = entry.estimate(Metric::find("jain_goodput")?)?;
    (jain.mean < FAIR).then_some(jain)
}

/// Goodput against the new bytes that crossed the air within the window; where all flows end, nobody compares by it.
fn air(entry: &Entry) -> Option<Caution> {
    if !entry.case.config.flows.iter().any(is_endless) {
        return None;
    }
    let (goodput, air) = (entry.goodput()?.mean, entry.estimate(Metric::find("air_mbps")?)?.mean);
    let percent = (goodput - air) / air * 100.0;
    if air <= 0.0 && goodput <= 0.0 || percent.abs() <= AIR_PERCENT {
        return None;
    }
    let amount = |of: fn(&FlowResult) -> [u64; 2]| {
        let of_run = |run: &RunResult| {
            let grown: f64 = run.flows.iter().map(of).map(|[before, after]| after as f64 - before as f64).sum();
            grown * 8e-6 / run.sim_seconds
        };
        entry.runs.iter().map(of_run).sum::<f64>() / entry.runs.len() as f64
    };
    let behind = amount(|flow| flow.held.map_or([0; 2], |held| held.map(|held| held.behind_holes)));
    let unread = amount(|flow| flow.held.map_or([0; 2], |held| held.map(|held| held.unread)));
    let passing = amount(|flow| flow.held.map_or([0; 2], |held| held.map(|held| held.on_the_way)));
    let (kind, than, causes) = if percent > 0.0 {
        let causes = [
            (-behind, "had crossed it in the warm-up and were released from behind holes"),
            (-unread, "had crossed it in the warm-up and were read by the application in the window"),
            (-passing, "had crossed it in the warm-up and were on their way to the receiver"),
        ];
        (Kind::AboveAir, "above", causes)
    } else {
        let causes = [
            (behind, "have crossed it and are still held behind holes at the end"),
            (unread, "have crossed it and the application has not read them"),
            (passing, "have crossed it and are still on their way to the receiver"),
        ];
        (Kind::BelowAir, "below", causes)
    };
    let named = causes.iter().filter(|(mbps, _)| *mbps > air * NAMED_SHARE);
    let named: Vec<_> = named.map(|(mbps, cause)| format!("{mbps:.2} Mbps {cause}")).collect();
    let text = if air > 0.0 {
        format!("goodput is {:.1} % {than} the {air:.2} Mbps that the air carried in the window", percent.abs())
    } else {
        "goodput is above what the air carried in the window, which is nothing".to_owned()
    };
    Some(Caution { kind, text: format!("{text}: {}", named.join("; ")) })
}

/// Flows without end that the window does not have from its beginning.
fn not_begun(entry: &Entry) -> Option<Caution> {
    let config = &entry.case.config;
    let window = Instant::ZERO + config.warm_up;
    let endless = || config.flows.iter().filter(|flow| is_endless(flow));
    let late = endless().filter(|flow| flow.start > window);
    let last = late.clone().map(|flow| flow.start).max()?;
    let text = format!(
        "{} of {} flows begin after the window, which begins at {} s: the last at {} s; lengthen run.warm_up or shorten flows.stagger",
        late.count(),
        endless().count(),
        seconds(window),
        seconds(last)
    );
    Some(Caution { kind: Kind::NotBegun, text })
}

/// Whether the halves of the window differ: by more than 5 % of what the window carries, on average over the seeds, and, with several seeds,
/// by more than half the 95 % interval of that average (a paired t test). A single run of flows that pause has no say, and where a finite
/// flow begins or ends within the window nobody expects it to be steady.
fn not_steady(entry: &Entry) -> Option<Caution> {
    let flows = &entry.case.config.flows;
    if flows.iter().any(|flow| matches!(flow.traffic, Traffic::Finite { .. })) {
        return None;
    }
    let drift = entry.estimate(Metric::find("goodput_drift_percent")?)?;
    let pauses = flows.iter().any(|flow| !matches!(flow.traffic, Traffic::Bulk(_)));
    let shown = match drift.ci95 {
        Some(ci95) => drift.mean.abs() > ci95,
        None => !pauses,
    };
    if !shown || drift.mean.abs() <= STEADY_PERCENT {
        return None;
    }
    let than = if drift.mean > 0.0 { "more" } else { "less" };
    let interval = drift.ci95.map(|ci95| format!(" \u{b1} {ci95:.1}")).unwrap_or_default();
    let text = format!(
        "not steady: the second half of the window carries {:.1}{interval} % {than} than the first; lengthen run.warm_up or run.measured",
        drift.mean.abs()
    );
    Some(Caution { kind: Kind::NotSteady, text })
}

/// A window of so few round trips that nobody can tell from its halves whether it is steady: losses and their repairs take several.
fn few_round_trips(entry: &Entry) -> Option<Caution> {
    if !entry.case.config.flows.iter().any(is_endless) {
        return None;
    }
    let rtt = entry.estimate(Metric::find("rtt_median_ms")?)?.mean / 1e3;
    let round_trips = entry.runs.first()?.sim_seconds / rtt;
    let text = format!(
        "not known to be steady: the window is {round_trips:.1} round trips of {rtt:.2} s; lengthen run.warm_up and run.measured"
    );
    (round_trips < ROUND_TRIPS).then_some(Caution { kind: Kind::NotSteady, text })
}

/// Transfers that were under way when the run ended: those of finite flows, and of repeated ones that take far longer than the others.
fn unfinished(entry: &Entry) -> Option<Caution> {
    let over_tcp = |flow: &&FlowResult| flow.transport == "tcp";
    let flows = || entry.runs.iter().flat_map(|run| &run.flows).filter(over_tcp);
    let finite = || flows().filter(|flow| flow.traffic == "finite");
    let unfinished = finite().filter(|flow| flow.completion_s.is_none());
    let longest = unfinished.clone().filter_map(|flow| flow.unfinished_s).reduce(f64::max);
    let (count, all) = (unfinished.count(), finite().count());
    if count > 0 {
        let lasted = longest.map(|longest| format!(", after up to {longest:.1} s")).unwrap_or_default();
        let text = format!(
            "{count} of {all} transfers did not end within the run{lasted}: there is no mean time; lengthen run.measured"
        );
        return Some(Caution { kind: Kind::Unfinished, text });
    }
    let repeated = || flows().filter(|flow| matches!(flow.traffic.as_str(), "repeated" | "requests"));
    let stuck = repeated().filter(|flow| match (flow.unfinished_s, flow.transfers_ms) {
        (Some(lasts), Some(ended)) => lasts * 1e3 > STUCK * ended.p99,
        (lasts, None) => lasts.is_some(),
        (None, Some(_)) => false,
    });
    let longest = stuck.clone().filter_map(|flow| flow.unfinished_s).reduce(f64::max)?;
    let text = format!(
        "in {} of {} flows of repeated transfers one was still under way when the run ended, after up to {longest:.1} s, and is in no figure",
        stuck.count(),
        repeated().count()
    );
    Some(Caution { kind: Kind::Unfinished, text })
}

fn unfair(entry: &Entry) -> Option<Caution> {
    let jain = index_with_interval(Some(unfairness(entry)?), 2);
    let text = format!("the stations share unevenly: Jain's index of goodput is {jain}");
    Some(Caution { kind: Kind::Unfair, text })
}

fn is_endless(flow: &FlowConfig) -> bool {
    !matches!(flow.traffic, Traffic::Finite { .. } | Traffic::Repeated { .. } | Traffic::Requests(_))
}

/// To the millisecond, which hides what a binary fraction leaves.
fn seconds(at: Instant) -> f64 {
    ((at - Instant::ZERO).as_secs_f64() * 1e3).round() / 1e3
}

/// Goodput and what the air carried may differ by so many percent without a word.
const AIR_PERCENT: f64 = 2.0;
/// A cause is named from this share of what the air carried on.
const NAMED_SHARE: f64 = 0.005;
/// The halves of a steady window differ by so many percent at most.
const STEADY_PERCENT: f64 = 5.0;
/// A window that shows whether it is steady has so many round trips.
const ROUND_TRIPS: f64 = 5.0;
/// Jain's index from which on nothing is said.
const FAIR: f64 = 0.9;
/// A repeated transfer is stuck when it lasts so many times as long as 99 % of those that ended.
const STUCK: f64 = 2.0;

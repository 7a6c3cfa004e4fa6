//! Dead and starved flows of a row: they are told before any gain of it.
//!
//! A flow is dead in a run if nothing of it arrives within the window although it has data to send
//! ([`FlowResult::dead`]). It is starved if it gets less than a quarter of its fair share ([`FlowResult::starved`]).

use ackless_cell::result::{FlowResult, RunResult};

use crate::entry::Entry;

/// What a flow may suffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Harm {
    /// Nothing arrives, although there is data to send.
    Dead,
    /// Less than a quarter of the fair share arrives.
    Starved,
}

/// The flows of a row that suffer one harm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Harmed {
    /// The flows that suffer it in any run, in the order of the configuration.
    pub flows: Vec<String>,
    /// The most flows that suffer it in one run.
    pub most: usize,
    /// In how many runs any flow suffers it.
    pub runs: usize,
    /// How many runs there are.
    pub of_runs: usize,
    /// How many flows there are.
    pub of_flows: usize,
}

impl Harm {
    /// Both, the worse one first.
    pub const ALL: [Self; 2] = [Self::Dead, Self::Starved];

    /// Whether `flow` suffers it.
    pub fn is_of(self, flow: &FlowResult) -> bool {
        match self {
            Self::Dead => flow.dead,
            Self::Starved => flow.starved,
        }
    }

    /// As one word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Dead => "dead",
            Self::Starved => "starved",
        }
    }

    /// What one flow or several get, as the rest of a sentence.
    pub const fn gets(self, several: bool) -> &'static str {
        match (self, several) {
            (Self::Dead, false) => "gets nothing",
            (Self::Dead, true) => "get nothing",
            (Self::Starved, false) => "gets less than a quarter of its fair share",
            (Self::Starved, true) => "get less than a quarter of their fair share",
        }
    }
}

impl Harmed {
    /// Whether the same flows suffer it whenever any does, and they are few enough to be named.
    pub(crate) fn is_named(&self) -> bool {
        self.flows.len() == self.most && self.most <= NAMED
    }

    /// The flows, by name or by number: `camera-1`, `3 of 10 flows`.
    pub(crate) fn who(&self) -> String {
        if self.is_named() { self.flows.join(" and ") } else { format!("{} of {} flows", self.most, self.of_flows) }
    }
}

impl Entry {
    /// The flows that suffer `harm`; `None` where none does in any run.
    pub fn harmed(&self, harm: Harm) -> Option<Harmed> {
        let of_run = |run: &RunResult| run.flows.iter().filter(|flow| harm.is_of(flow)).count();
        let most = self.runs.iter().map(of_run).max().filter(|most| *most > 0)?;
        let in_any = |place: usize| self.runs.iter().any(|run| run.flows.get(place).is_some_and(|f| harm.is_of(f)));
        let flows = self.case.config.flows.iter().enumerate();
        Some(Harmed {
            flows: flows.filter(|(place, _)| in_any(*place)).map(|(_, flow)| flow.name.clone()).collect(),
            most,
            runs: self.runs.iter().filter(|run| of_run(run) > 0).count(),
            of_runs: self.runs.len(),
            of_flows: self.case.config.flows.len(),
        })
    }

    /// The most flows that are dead or starved in one run.
    pub fn most_harmed(&self) -> usize {
        let harmed = |flow: &&FlowResult| flow.dead || flow.starved;
        self.runs.iter().map(|run| run.flows.iter().filter(harmed).count()).max().unwrap_or(0)
    }

    /// Whether the flows of `harmed` suffer something worse in other runs, which says enough.
    pub(crate) fn is_told_with(&self, harm: Harm, harmed: &Harmed) -> bool {
        let dead = self.harmed(Harm::Dead).filter(|_| harm == Harm::Starved);
        dead.is_some_and(|dead| harmed.flows.iter().all(|flow| dead.flows.contains(flow)))
    }

    /// In a few words, for a cell of a table: `camera-1 dead`; empty where no flow suffers anything.
    pub(crate) fn harm_in_short(&self) -> String {
        let words = Harm::ALL.into_iter().filter_map(|harm| {
            let harmed = self.harmed(harm).filter(|harmed| !self.is_told_with(harm, harmed))?;
            let who = if harmed.is_named() { harmed.flows.join(", ") } else { harmed.most.to_string() };
            Some(format!("{who} {}", harm.word()))
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

/// More flows than these are counted and not named.
const NAMED: usize = 2;

//! Which flows are dead or starved, and in which rows.

use super::words::{list, name};
use crate::entry::Entry;
use crate::harm::{Harm, Harmed};

/// A clause for each harm that a flow of any row suffers, the worse harm first.
pub(super) fn told(rows: &[Entry]) -> Vec<String> {
    Harm::ALL.into_iter().filter_map(|harm| clause(rows, harm)).collect()
}

fn clause(rows: &[Entry], harm: Harm) -> Option<String> {
    let found = rows.iter().filter_map(|row| Some((row, row.harmed(harm)?)));
    let found: Vec<(&Entry, Harmed)> = found.filter(|(row, harmed)| !row.is_told_with(harm, harmed)).collect();
    let (_, first) = found.first()?;
    let all = || found.iter().map(|(_, harmed)| harmed);
    let most = all().map(|harmed| harmed.most).max().unwrap_or(0);
    let who = if first.is_named() && all().all(|harmed| harmed.flows == first.flows) {
        first.who()
    } else {
        let up_to = if all().all(|harmed| harmed.most == most) { "" } else { UP_TO };
        let same = all().all(|harmed| harmed.of_flows == first.of_flows);
        let of = if same { format!(" of {}", first.of_flows) } else { String::new() };
        let flows = if most == 1 && of.is_empty() { "flow" } else { "flows" };
        format!("{up_to}{most}{of} {flows}")
    };
    let names: Vec<String> = found.iter().map(|(row, _)| name(row, rows)).collect();
    let place = match (found.len() == rows.len(), rows.len()) {
        (true, 1) => String::new(),
        (true, _) => " in every row".to_owned(),
        (false, _) => format!(" in {}", list(&names)),
    };
    let seeds = match found.as_slice() {
        _ if all().all(|harmed| harmed.runs == harmed.of_runs) => String::new(),
        [(_, only)] => format!(" ({} of {} seeds)", only.runs, only.of_runs),
        _ => " (not with every seed)".to_owned(),
    };
    Some(format!("{who} {}{place}{seeds}", harm.gets(most > 1)))
}

/// What a number of flows begins with that is not the same in each row.
pub(super) const UP_TO: &str = "up to ";

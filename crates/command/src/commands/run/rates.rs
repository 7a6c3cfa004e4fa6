//! The table of data rates.

use ackless_cell::result::{RateUse, RunResult};
use ackless_lab::table::Table;

use super::{LONGEST, folded, table_of};

/// At which rates data went, with what is said of it; nothing where all are fixed. A long table has
/// one line for each link, unless it is to be `full`.
pub fn rates(result: &RunResult, full: bool) -> Option<(Table, Option<String>)> {
    let lines: usize = result.rates.iter().map(|link| link.rates.len()).sum();
    if full || lines <= LONGEST {
        return every_rate(result).map(|table| (table, None));
    }
    let (table, note) = folded(rate_of_links(result)?, full);
    let all = format!(" --full shows all {lines} rates of these links\n");
    Some((table, Some(note.unwrap_or_default() + &all)))
}

fn every_rate(result: &RunResult) -> Option<Table> {
    let titles = ["from", "to", "rate", "Mbps", "data\nPPDUs", "MPDUs", "lost %"];
    let lines = result.rates.iter().flat_map(|link| {
        link.rates.iter().enumerate().map(|(n, used)| {
            let of_link = |name: &String| (n == 0).then(|| name.clone());
            [
                of_link(&link.from),
                of_link(&link.to),
                Some(used.rate.clone()),
                Some(format!("{:.1}", used.mbps)),
                Some(used.ppdus.to_string()),
                Some(used.mpdus.to_string()),
                Some(lost_percent(used.lost, used.mpdus)),
            ]
        })
    });
    table_of(&titles, lines)
}

/// A line for each link: the rate that most of its MPDUs had, and the mean over its MPDUs.
fn rate_of_links(result: &RunResult) -> Option<Table> {
    let titles = ["from", "to", "rates", "most used", "% of\nMPDUs", "mean\nMbps", "data\nPPDUs", "MPDUs", "lost %"];
    let lines = result.rates.iter().filter_map(|link| {
        let sum = |of: fn(&RateUse) -> u64| link.rates.iter().map(of).sum::<u64>();
        let (ppdus, mpdus, lost) = (sum(|used| used.ppdus), sum(|used| used.mpdus), sum(|used| used.lost));
        let most = link.rates.iter().max_by_key(|used| used.mpdus)?;
        let mean = link.rates.iter().map(|used| used.mbps * used.mpdus as f64).sum::<f64>() / mpdus.max(1) as f64;
        let share = 100.0 * most.mpdus as f64 / mpdus.max(1) as f64;
        let line = [
            link.from.clone(),
            link.to.clone(),
            link.rates.len().to_string(),
            most.rate.clone(),
            format!("{share:.0}"),
            format!("{mean:.1}"),
            ppdus.to_string(),
            mpdus.to_string(),
            lost_percent(lost, mpdus),
        ];
        Some(line.map(Some))
    });
    table_of(&titles, lines)
}

fn lost_percent(lost: u64, mpdus: u64) -> String {
    format!("{:.1}", 100.0 * lost as f64 / mpdus.max(1) as f64)
}

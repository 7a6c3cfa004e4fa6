//! The sentence over a table and over a picture: what the rows say, and no more than their intervals allow.
//!
//! Dead and starved flows come first, then what rows are compared by: `goodput` against UDP, `offered` where flows
//! offer no more than the cell carries, `times` of transfers. `words` has the names and lists of all of them.

use crate::entry::Entry;
use crate::picture::style::capitalized;
use crate::yardstick::Yardstick;

mod goodput;
mod harm;
mod offered;
mod times;
mod words;

/// The finding in `rows`, as a sentence without a full stop.
///
/// Two rows are called different only if the 95 % intervals of their means do not overlap and the means differ by more
/// than 0.1 %; single runs have no interval. A row that is named for its goodput is named with its cautions.
pub(crate) fn finding(rows: &[Entry]) -> String {
    let mut parts = harm::told(rows);
    let nothing = rows.iter().all(|row| row.goodput().is_some_and(|goodput| goodput.mean == 0.0));
    let mut yardsticks = Yardstick::all(rows);
    // Rows that all carry nothing are not compared.
    yardsticks.retain(|yardstick| yardstick.is_time() || parts.is_empty() || !nothing);
    parts.extend(yardsticks.iter().map(|yardstick| match yardstick {
        Yardstick::Goodput => offered::told(rows, *yardstick).unwrap_or_else(|| goodput::told(rows)),
        Yardstick::EndlessGoodput => {
            let told = offered::told(rows, *yardstick);
            let told = told.unwrap_or_else(|| words::uncapitalized(&goodput::extremes(rows, *yardstick)));
            format!("Flows without end: {told}")
        }
        Yardstick::CompletionTime | Yardstick::TransferTime => times::told(rows, *yardstick),
    }));
    match parts.as_slice() {
        [] => "Nothing was measured".to_owned(),
        [only] if only.starts_with(harm::UP_TO) => capitalized(only),
        [only] => only.clone(),
        several => {
            let rest = several.iter().map(|part| words::uncapitalized(part));
            let joined = rest.collect::<Vec<_>>().join("; ");
            // A sentence that begins with a flow's name keeps it as it is.
            let begins_with_word = yardsticks.len() == parts.len() || joined.starts_with(harm::UP_TO);
            if begins_with_word { capitalized(&joined) } else { joined }
        }
    }
}

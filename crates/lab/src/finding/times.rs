//! Times of transfers: the quickest row against the one that rows are compared with. UDP, which does not repair its
//! losses, is no rival.

use ackless_cell::result::FlowResult;

use super::goodput::extremes;
use super::words::name;
use crate::case::BOUND;
use crate::caution::Kind;
use crate::entry::Entry;
use crate::remark::bears;
use crate::yardstick::Yardstick;

/// The quickest of the rows that are clearly quicker than the one that they are compared with, where there is one such
/// row; else the extremes. Rows whose transfers do not end within the run are added.
pub(super) fn told(rows: &[Entry], yardstick: Yardstick) -> String {
    let open: Vec<_> = rows.iter().filter(|row| yardstick.of(row).is_none() && bears(row, Kind::Unfinished)).collect();
    let not_done = match open.as_slice() {
        [] => String::new(),
        [row] => format!("; {} does not end within the run", name(row, rows)),
        several => format!("; {} rows do not end within the run", several.len()),
    };
    if !open.is_empty() && rows.iter().all(|row| yardstick.of(row).is_none()) {
        return none_ended(rows, yardstick);
    }
    let one_point = rows.iter().all(|row| row.case.point == rows[0].case.point);
    let plain = rows.iter().find_map(|row| row.baseline(rows)).filter(|_| one_point);
    let Some((plain, other)) = plain.and_then(|plain| Some((plain, yardstick.of(plain)?))) else {
        return format!("{}{not_done}", extremes(rows, yardstick));
    };
    let others = rows.iter().filter(|row| row.case.row != plain.case.row && row.case.row.name != BOUND);
    let mut others = others.filter_map(|row| Some((row, yardstick.of(row)?))).peekable();
    if others.peek().is_none() {
        return format!("{}{not_done}", extremes(rows, yardstick));
    }
    let quicker = others.filter(|(_, own)| own.mean < other.mean && own.differs_from(other));
    let finding = match quicker.min_by(|(_, a), (_, b)| a.mean.total_cmp(&b.mean)) {
        Some((row, own)) => {
            let percent = (1.0 - own.mean / other.mean) * 100.0;
            let (takes, plain) = (yardstick.figure(own.mean), name(plain, rows));
            format!("{} takes {takes}, {percent:.1} % less than {plain}", name(row, rows))
        }
        None => {
            let takes = yardstick.figure(other.mean);
            let bound = rows.iter().find(|row| row.case.row.name == BOUND).and_then(|row| yardstick.of(row));
            let but = bound.is_some_and(|udp| udp.mean < other.mean && udp.differs_from(other));
            let none = if but { "No row but udp" } else { "No row" };
            format!("{none} is clearly quicker than {}, which takes {takes}", plain.case.row.name)
        }
    };
    format!("{finding}{not_done}")
}

fn none_ended(rows: &[Entry], yardstick: Yardstick) -> String {
    let ended = |flow: &FlowResult| match yardstick {
        Yardstick::CompletionTime => flow.completion_s.is_some(),
        _ => flow.transfers_ms.is_some(),
    };
    let some = rows.iter().flat_map(|row| &row.runs).flat_map(|run| &run.flows).any(ended);
    let none = if some { "In no row did every transfer end" } else { "No transfer ended" };
    format!("{none} within the run")
}

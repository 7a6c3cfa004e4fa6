//! The sentence over a table and over a picture: what the rows say, and no more than their intervals allow.

use ackless_cell::result::FlowResult;

use crate::case::BOUND;
use crate::caution::Kind;
use crate::entry::Entry;
use crate::picture::style::capitalized;
use crate::remark::{bears, qualification};
use crate::statistics::Estimate;
use crate::yardstick::Yardstick;

/// What `rows` say: about goodput how much of what UDP carries TCP loses, where both are there, and how much of it the best other rows give
/// back, all in percent of UDP, else which row carries most and which least; about times how much sooner than the row that all are compared with the quickest is done, else which is first and which last.
///
/// Rows are called apart only if their 95 % intervals do not overlap; single runs have none and are compared as they are. What must be
/// known of a row that is named for its goodput is added.
pub(crate) fn finding(rows: &[Entry]) -> String {
    let of = |yardstick: &Yardstick| match yardstick {
        Yardstick::Goodput => of_goodput(rows),
        Yardstick::EndlessGoodput => format!("Flows without end: {}", uncapitalized(&extremes(rows, *yardstick))),
        Yardstick::CompletionTime | Yardstick::TransferTime => of_times(rows, *yardstick),
    };
    let yardsticks = Yardstick::all(rows);
    if let [only] = yardsticks.as_slice() {
        return of(only);
    }
    let sentences: Vec<_> = yardsticks.iter().map(|yardstick| uncapitalized(&of(yardstick))).collect();
    if sentences.is_empty() { "Nothing was measured".to_owned() } else { capitalized(&sentences.join("; ")) }
}

/// How much of what UDP carries TCP loses, where both are there, and how much of it the best other rows give back, all in percent of UDP.
fn of_goodput(rows: &[Entry]) -> String {
    let losses = losses(rows);
    match losses.as_slice() {
        [] => extremes(rows, Yardstick::Goodput),
        [(plain, loss)] => of_one_point(rows, plain, *loss),
        several => of_many_points(rows, several),
    }
}

/// The quickest row against the one that it is compared with, where there is one such row; else the extremes.
fn of_times(rows: &[Entry], yardstick: Yardstick) -> String {
    let open: Vec<_> = rows.iter().filter(|row| yardstick.of(row).is_none() && bears(row, Kind::Unfinished)).collect();
    let not_done = match open.as_slice() {
        [] => String::new(),
        [row] => format!("; {} does not end within the run", name(row, rows)),
        several => format!("; {} rows do not end within the run", several.len()),
    };
    let compared = || rows.iter().filter_map(|row| yardstick.against_baseline(row, rows).map(|percent| (row, percent)));
    let by_time = |a: &(&Entry, f64), b: &(&Entry, f64)| a.1.total_cmp(&b.1);
    if !open.is_empty() && rows.iter().all(|row| yardstick.of(row).is_none()) {
        let ended = |flow: &FlowResult| match yardstick {
            Yardstick::CompletionTime => flow.completion_s.is_some(),
            _ => flow.transfers_ms.is_some(),
        };
        let some = rows.iter().flat_map(|row| &row.runs).flat_map(|run| &run.flows).any(ended);
        let none = if some { "In no row did every transfer end" } else { "No transfer ended" };
        return format!("{none} within the run");
    }
    let one_point = rows.iter().all(|row| row.case.point == rows[0].case.point);
    let (Some((first, percent)), true) = (compared().min_by(by_time), one_point) else {
        return format!("{}{not_done}", extremes(rows, yardstick));
    };
    let (Some(own), Some(plain)) = (yardstick.of(first), first.baseline(rows)) else { return String::new() };
    let Some(other) = yardstick.of(plain) else { return String::new() };
    let (name, plain) = (name(first, rows), plain.case.row.name);
    let finding = if percent < 0.0 && apart(own, other) {
        format!("{name} takes {}, {:.1} % less than {plain}", yardstick.figure(own.mean), -percent)
    } else {
        format!("No row is clearly quicker than {plain}, which takes {}", yardstick.figure(other.mean))
    };
    format!("{finding}{not_done}")
}

/// For each point with a UDP row its plain TCP row, and what that loses. Plain is the row called `tcp`, else the first that loses at all.
fn losses(rows: &[Entry]) -> Vec<(&Entry, f64)> {
    let compared = || rows.iter().filter_map(|row| row.loss_against_udp(rows).map(|loss| (row, loss)));
    let name = compared().map(|(row, _)| row.case.row.name);
    let Some(plain) = name.clone().find(|&name| name == "tcp").or_else(|| name.clone().next()) else {
        return Vec::new();
    };
    compared().filter(|(row, _)| row.case.row.name == plain).collect()
}

fn of_one_point(rows: &[Entry], plain: &Entry, lost: f64) -> String {
    let (Some(own), Some(udp)) = (plain.goodput(), bound(plain, rows)) else { return String::new() };
    let (name, known) = (plain.case.row.name, qualification(plain));
    let differs = apart(own, udp);
    let loses = match (differs, lost >= 0.0) {
        (true, true) => format!("{name} loses {lost:.1} % to udp{known}"),
        (true, false) => format!("{name} carries {:.1} % more than udp{known}", -lost),
        (false, _) => format!(
            "{name} does not differ clearly from udp: they carry {:.1} and {:.1} Mbps{known}",
            own.mean, udp.mean
        ),
    };
    let others = rows.iter().filter(|row| !std::ptr::eq(*row, plain) && row.loss_against_udp(rows).is_some());
    let others: Vec<_> = others.filter_map(|row| row.goodput().map(|goodput| (row, goodput))).collect();
    let clearly = |(_, goodput): &&(&Entry, Estimate)| goodput.mean > own.mean && apart(*goodput, own);
    let mut better: Vec<_> = others.iter().filter(clearly).collect();
    better.sort_by(|(_, a), (_, b)| b.mean.total_cmp(&a.mean));
    match (others.is_empty(), better.is_empty()) {
        (true, _) => loses,
        (false, true) => format!("{loses}, and no other row is clearly better"),
        (false, false) if differs => {
            let left = better.iter().map(|(row, goodput)| {
                let percent = row.loss_against_udp(rows).unwrap_or_default();
                (*row, Left { percent, clearly: apart(*goodput, udp) })
            });
            format!("{loses}; {}", given_back(lost, &left.collect::<Vec<_>>()))
        }
        (false, false) => {
            let gains = better.iter().map(|(row, goodput)| (*row, (goodput.mean / own.mean - 1.0) * 100.0));
            format!("{loses}; {}", carried_more(name, &gains.collect::<Vec<_>>()))
        }
    }
}

/// What a row loses to UDP, in percent, and whether it clearly does, or clearly carries more.
struct Left {
    percent: f64,
    clearly: bool,
}

/// What the rows that are better than one that loses `lost` percent to UDP give back of it, the best first: each with its own loss.
fn given_back(lost: f64, better: &[(&Entry, Left)]) -> String {
    let named = better.iter().take(NAMED).enumerate().map(|(n, (row, left))| {
        let (name, known) = (row.case.row.name, qualification(row));
        let (gives_back, of_these) = if n == 0 { (" gives back", " of these") } else { ("", "") };
        match (lost >= 0.0, left.percent >= 0.0) {
            (true, true) => format!("{name}{gives_back} {:.1}{of_these}{known}", lost - left.percent),
            (true, false) if !left.clearly => format!("{name}{gives_back} all{of_these}{known}"),
            (true, false) => format!("{name}{gives_back} all{of_these} and {:.1} more{known}", -left.percent),
            (false, _) => format!("{name} {:.1} % more{known}", -left.percent),
        }
    });
    with_others(named.collect(), better.len())
}

/// How many percent more than the row called `plain` those that are better carry, the best first.
fn carried_more(plain: &str, better: &[(&Entry, f64)]) -> String {
    let named = better.iter().take(NAMED).enumerate().map(|(n, (row, percent))| {
        let (name, known) = (row.case.row.name, qualification(row));
        if n == 0 {
            format!("{name} carries {percent:.1} % more than {plain}{known}")
        } else {
            format!("{name} {percent:.1} %{known}")
        }
    });
    with_others(named.collect(), better.len())
}

/// The rows that are named, and how many of `all` are not.
fn with_others(named: Vec<String>, all: usize) -> String {
    let named = named.join(", ");
    match all.saturating_sub(NAMED) {
        0 => named,
        1 => format!("{named}, one other row less"),
        rest => format!("{named}, {rest} other rows less"),
    }
}

/// What UDP carries at the point of `entry`.
fn bound(entry: &Entry, rows: &[Entry]) -> Option<Estimate> {
    rows.iter().find(|row| row.case.row.name == BOUND && row.case.point == entry.case.point)?.goodput()
}

fn of_many_points(rows: &[Entry], losses: &[(&Entry, f64)]) -> String {
    let by_loss = |a: &&(&Entry, f64), b: &&(&Entry, f64)| a.1.total_cmp(&b.1);
    let (Some((least, low)), Some((most, high))) = (losses.iter().min_by(by_loss), losses.iter().max_by(by_loss))
    else {
        return String::new();
    };
    let name = least.case.row.name;
    let differs = |row: &Entry| row.goodput().zip(bound(row, rows)).is_some_and(|(own, bound)| apart(own, bound));
    if !losses.iter().any(|(row, _)| differs(row)) {
        return format!("{name} differs clearly from udp at none of {} points", losses.len());
    }
    format!("{name} carries from {low:.1} % ({}) to {high:.1} % less than udp ({})", place(least), place(most))
}

fn extremes(rows: &[Entry], yardstick: Yardstick) -> String {
    let measured = || rows.iter().filter_map(|row| yardstick.of(row).map(|measure| (row, measure)));
    let by_mean = |a: &(&Entry, Estimate), b: &(&Entry, Estimate)| a.1.mean.total_cmp(&b.1.mean);
    let (Some((least, low)), Some((most, high))) = (measured().min_by(by_mean), measured().max_by(by_mean)) else {
        return "nothing was measured".to_owned();
    };
    let times = yardstick.is_time();
    let (does, they) = if times { ("takes", "take") } else { ("carries", "carry") };
    let known = |row: &Entry| if times { String::new() } else { qualification(row) };
    let said = |row: &Entry, what: &str, measure: Estimate| {
        format!("{} {what}, {}{}", name(row, rows), yardstick.figure(measure.mean), known(row))
    };
    let [low_figure, high_figure] = [low, high].map(|measure| yardstick.figure(measure.mean));
    if std::ptr::eq(least, most) {
        return format!("{} {does} {high_figure}{}", name(most, rows), known(most));
    }
    if !apart(low, high) {
        let low_figure = low_figure.split(' ').next().unwrap_or_default();
        return format!("No row differs clearly from another: they {they} {low_figure} to {high_figure}");
    }
    if times {
        return format!("{}, and {}", said(least, "takes least", low), said(most, "most", high));
    }
    format!("{}, and {}", said(most, "carries most", high), said(least, "least", low))
}

/// A sentence within another one; what begins with a name stays as it is.
fn uncapitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// Whether the intervals of two estimates do not overlap.
fn apart(a: Estimate, b: Estimate) -> bool {
    (a.mean - b.mean).abs() > a.ci95.unwrap_or(0.0) + b.ci95.unwrap_or(0.0)
}

/// What tells a row from the others: its point, its scheme, or both.
fn name(entry: &Entry, rows: &[Entry]) -> String {
    let point = place(entry);
    let one_scheme = rows.iter().all(|row| row.case.row.name == entry.case.row.name);
    match (point.is_empty(), one_scheme) {
        (true, _) => entry.case.row.name.to_owned(),
        (false, true) => point,
        (false, false) => format!("{} at {point}", entry.case.row.name),
    }
}

fn place(entry: &Entry) -> String {
    entry.case.point_label().replace(' ', ", ")
}

/// How many rows that are clearly better than plain TCP are named.
const NAMED: usize = 3;

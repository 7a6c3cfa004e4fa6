//! The sentence over a table and over a picture: what the rows say, and no more than their intervals allow.

use crate::entry::Entry;
use crate::statistics::Estimate;

/// What `rows` say about goodput: how much of what UDP carries TCP loses, where both are there, and how much of it the best other rows give
/// back, all in percent of UDP; else which row carries most and which least.
///
/// Rows are called apart only if their 95 % intervals do not overlap; single runs have none and are compared as they are.
pub(crate) fn finding(rows: &[Entry]) -> String {
    let losses = losses(rows);
    match losses.as_slice() {
        [] => extremes(rows),
        [(plain, loss)] => of_one_point(rows, plain, *loss),
        several => of_many_points(several),
    }
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
    let Some(own) = plain.goodput() else { return String::new() };
    let name = plain.case.row.name;
    let loses = if lost >= 0.0 {
        format!("{name} loses {lost:.1} % to udp")
    } else {
        format!("{name} carries {:.1} % more than udp", -lost)
    };
    let others = rows.iter().filter(|row| !std::ptr::eq(*row, plain) && row.loss_against_udp(rows).is_some());
    let others: Vec<_> = others.filter_map(|row| row.goodput().map(|goodput| (row, goodput))).collect();
    let clearly = |(_, goodput): &&(&Entry, Estimate)| goodput.mean > own.mean && apart(*goodput, own);
    let mut better: Vec<_> = others.iter().filter(clearly).collect();
    better.sort_by(|(_, a), (_, b)| b.mean.total_cmp(&a.mean));
    match (others.is_empty(), better.is_empty()) {
        (true, _) => loses,
        (false, true) => format!("{loses}, and no other row is clearly better"),
        (false, false) => {
            let better =
                better.iter().map(|(row, _)| (row.case.row.name, row.loss_against_udp(rows).unwrap_or_default()));
            format!("{loses}; {}", given_back(lost, &better.collect::<Vec<_>>()))
        }
    }
}

/// What the rows that are better than one that loses `lost` percent to UDP give back of it, the best first: each by its name and its own loss.
fn given_back(lost: f64, better: &[(&str, f64)]) -> String {
    let named = better.iter().take(NAMED).enumerate().map(|(n, (name, left))| {
        let (gives_back, of_these) = if n == 0 { (" gives back", " of these") } else { ("", "") };
        match (lost >= 0.0, *left >= 0.0) {
            (true, true) => format!("{name}{gives_back} {:.1}{of_these}", lost - left),
            (true, false) => format!("{name}{gives_back} all{of_these} and {:.1} more", -left),
            (false, _) => format!("{name} {:.1} % more", -left),
        }
    });
    let named = named.collect::<Vec<_>>().join(", ");
    match better.len().saturating_sub(NAMED) {
        0 => named,
        1 => format!("{named}, one other row less"),
        rest => format!("{named}, {rest} other rows less"),
    }
}

fn of_many_points(losses: &[(&Entry, f64)]) -> String {
    let by_loss = |a: &&(&Entry, f64), b: &&(&Entry, f64)| a.1.total_cmp(&b.1);
    let (Some((least, low)), Some((most, high))) = (losses.iter().min_by(by_loss), losses.iter().max_by(by_loss))
    else {
        return String::new();
    };
    let name = least.case.row.name;
    format!("{name} carries from {low:.1} % ({}) to {high:.1} % less than udp ({})", place(least), place(most))
}

fn extremes(rows: &[Entry]) -> String {
    let measured = || rows.iter().filter_map(|row| row.goodput().map(|goodput| (row, goodput)));
    let by_mean = |a: &(&Entry, Estimate), b: &(&Entry, Estimate)| a.1.mean.total_cmp(&b.1.mean);
    let (Some((worst, low)), Some((best, high))) = (measured().min_by(by_mean), measured().max_by(by_mean)) else {
        return "Nothing was measured".to_owned();
    };
    if std::ptr::eq(worst, best) {
        return format!("{} carries {:.1} Mbps", name(best, rows), high.mean);
    }
    if !apart(low, high) {
        return format!("No row differs clearly from another: they carry {:.1} to {:.1} Mbps", low.mean, high.mean);
    }
    format!(
        "{} carries most, {:.1} Mbps, and {} least, {:.1} Mbps",
        name(best, rows),
        high.mean,
        name(worst, rows),
        low.mean
    )
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

//! The sentence over a picture: what the rows say, and no more than their intervals allow.

use crate::entry::Entry;
use crate::statistics::Estimate;

/// What `rows` say about goodput: how much less TCP carries than UDP, where both are there, else which row carries most and which least.
///
/// Rows are called apart only if their 95 % intervals do not overlap; single runs have none and are compared as they are.
pub(super) fn finding(rows: &[Entry]) -> String {
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
    let name = plain.case.row.name;
    let finding = format!("{name} carries {}", than_udp(lost));
    let others = || rows.iter().filter(|row| !std::ptr::eq(*row, plain) && row.loss_against_udp(rows).is_some());
    let best = others().filter_map(|row| row.goodput().map(|goodput| (row, goodput)));
    let best = best.max_by(|(_, a), (_, b)| a.mean.total_cmp(&b.mean));
    match (best, plain.goodput()) {
        (Some((best, top)), Some(own)) if top.mean > own.mean && apart(top, own) => {
            let lost = best.loss_against_udp(rows).unwrap_or_default();
            let compared = if lost >= 0.0 { format!("only {lost:.1} % less") } else { format!("{:.1} % more", -lost) };
            format!("{finding}, and {} {compared}", best.case.row.name)
        }
        (Some(_), _) => format!("{finding}, and no other row is clearly better"),
        (None, _) => finding,
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

fn than_udp(lost: f64) -> String {
    if lost >= 0.0 { format!("{lost:.1} % less than udp") } else { format!("{:.1} % more than udp", -lost) }
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

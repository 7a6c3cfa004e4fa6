//! Goodput: the part of UDP's that TCP loses, and the part of that which other rows give back; without UDP the extremes.

use super::words::{self, NAMED, list, name, place, with_others};
use crate::case::BOUND;
use crate::entry::Entry;
use crate::remark::qualification;
use crate::statistics::Estimate;
use crate::yardstick::Yardstick;

/// The loss of TCP against UDP, in percent of UDP, and how much of it the best other rows give back.
pub(super) fn told(rows: &[Entry]) -> String {
    let losses = losses(rows);
    match losses.as_slice() {
        [] => extremes(rows, Yardstick::Goodput),
        [(plain, loss)] => of_one_point(rows, plain, *loss),
        several => of_many_points(rows, several),
    }
}

/// For each point with a UDP row its plain row and the loss of that: the row `tcp`, else the first that is compared.
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
    let (name, known) = (name(plain, rows), qualification(plain));
    let differs = own.differs_from(udp);
    let loses = match (differs, lost >= 0.0) {
        (true, true) => format!("{name} loses {lost:.1} % to udp{known}"),
        (true, false) => {
            let but = if plain.most_harmed() > harmed_in_bound(plain, rows) { ", but starves flows" } else { "" };
            format!("{name} carries {:.1} % more than udp{known}{but}", -lost)
        }
        (false, _) => format!(
            "{name} does not differ clearly from udp: they carry {:.1} and {:.1} Mbps{known}",
            own.mean, udp.mean
        ),
    };
    let others = rows.iter().filter(|row| !std::ptr::eq(*row, plain) && row.loss_against_udp(rows).is_some());
    let others: Vec<_> = others.filter_map(|row| row.goodput().map(|goodput| (row, goodput))).collect();
    if others.is_empty() {
        return loses;
    }
    let Better { fair, unfair } = Better::than(plain, own, others);
    if fair.is_empty() {
        let without = if unfair.is_empty() { "" } else { " without starving a flow" };
        return format!("{loses}, and no other row is clearly better{without}");
    }
    let gains = if differs && lost >= 0.0 {
        given_back(lost, udp, &fair, rows)
    } else {
        let gains = fair.iter().map(|(row, goodput)| (*row, (goodput.mean / own.mean - 1.0) * 100.0));
        carried_more(&name, &gains.collect::<Vec<_>>(), rows)
    };
    let best = fair.first().map_or(0.0, |(_, goodput)| goodput.mean);
    let above = unfair.iter().filter(|(_, goodput)| goodput.mean > best);
    let above: Vec<String> = above.map(|(row, _)| words::name(row, rows)).collect();
    let (carry, starve) = if above.len() == 1 { ("carries", "starves") } else { ("carry", "starve") };
    let above = match above.len() {
        0 => String::new(),
        _ => format!("; {} {carry} more, but {starve} flows", list(&above)),
    };
    format!("{loses}; {gains}{above}")
}

/// The rows that are clearly better than a plain one, the best first.
pub(super) struct Better<'a> {
    /// Rows with no more dead or starved flows than the plain one.
    pub(super) fair: Vec<(&'a Entry, Estimate)>,
    /// Rows with more dead or starved flows.
    pub(super) unfair: Vec<(&'a Entry, Estimate)>,
}

impl<'a> Better<'a> {
    pub(super) fn than(plain: &Entry, own: Estimate, others: Vec<(&'a Entry, Estimate)>) -> Self {
        let clearly = |(_, goodput): &(&Entry, Estimate)| goodput.mean > own.mean && goodput.differs_from(own);
        let mut better: Vec<_> = others.into_iter().filter(clearly).collect();
        better.sort_by(|(_, a), (_, b)| b.mean.total_cmp(&a.mean));
        let (fair, unfair) = better.into_iter().partition(|(row, _)| row.most_harmed() <= plain.most_harmed());
        Self { fair, unfair }
    }
}

/// How many of the `lost` percentage points the rows that are better give back, the best first.
fn given_back(lost: f64, udp: Estimate, better: &[(&Entry, Estimate)], rows: &[Entry]) -> String {
    let named = better.iter().take(NAMED).enumerate().map(|(n, (row, goodput))| {
        let (name, known) = (name(row, rows), qualification(row));
        let (gives_back, points) = if n == 0 { (" gives back", " of these percentage points") } else { ("", "") };
        let left = (1.0 - goodput.mean / udp.mean) * 100.0;
        if left >= 0.0 {
            format!("{name}{gives_back} {:.1}{points}{known}", lost - left)
        } else if goodput.differs_from(udp) {
            format!("{name}{gives_back} all{points} and carries {:.1} % more than udp{known}", -left)
        } else {
            format!("{name}{gives_back} all{points}{known}")
        }
    });
    with_others(&named.collect::<Vec<_>>(), better.len())
}

/// The gains of the better rows over the row called `plain`, in percent, the best first.
fn carried_more(plain: &str, better: &[(&Entry, f64)], rows: &[Entry]) -> String {
    let named = better.iter().take(NAMED).enumerate().map(|(n, (row, percent))| {
        let (name, known) = (name(row, rows), qualification(row));
        if n == 0 {
            format!("{name} carries {percent:.1} % more than {plain}{known}")
        } else {
            format!("{name} {percent:.1} %{known}")
        }
    });
    with_others(&named.collect::<Vec<_>>(), better.len())
}

/// What UDP carries at the point of `entry`.
fn bound(entry: &Entry, rows: &[Entry]) -> Option<Estimate> {
    udp_at(entry, rows)?.goodput()
}

fn harmed_in_bound(entry: &Entry, rows: &[Entry]) -> usize {
    udp_at(entry, rows).map_or(0, Entry::most_harmed)
}

fn udp_at<'a>(entry: &Entry, rows: &'a [Entry]) -> Option<&'a Entry> {
    rows.iter().find(|row| row.case.row.name == BOUND && row.case.point == entry.case.point)
}

fn of_many_points(rows: &[Entry], losses: &[(&Entry, f64)]) -> String {
    let by_loss = |a: &&(&Entry, f64), b: &&(&Entry, f64)| a.1.total_cmp(&b.1);
    let (Some((least, low)), Some((most, high))) = (losses.iter().min_by(by_loss), losses.iter().max_by(by_loss))
    else {
        return String::new();
    };
    let name = least.case.row.name;
    let differs = |row: &Entry| row.goodput().zip(bound(row, rows)).is_some_and(|(own, udp)| own.differs_from(udp));
    if !losses.iter().any(|(row, _)| differs(row)) {
        return format!("{name} differs clearly from udp at none of {} points", losses.len());
    }
    let (from, to) = (place(least), place(most));
    match (*low < 0.0, *high < 0.0) {
        _ if format!("{low:.1}") == format!("{high:.1}") && *low >= 0.0 => {
            format!("{name} carries {low:.1} % less than udp at {} points", losses.len())
        }
        (false, _) => format!("{name} carries from {low:.1} % ({from}) to {high:.1} % less than udp ({to})"),
        (true, false) => format!("{name} carries from {:.1} % more ({from}) to {high:.1} % less than udp ({to})", -low),
        (true, true) => format!("{name} carries from {:.1} % ({to}) to {:.1} % more than udp ({from})", -high, -low),
    }
}

/// The row that measures most and the row that measures least, if any two differ clearly.
pub(super) fn extremes(rows: &[Entry], yardstick: Yardstick) -> String {
    let measured: Vec<(&Entry, Estimate)> =
        rows.iter().filter_map(|row| yardstick.of(row).map(|measure| (row, measure))).collect();
    let by_mean = |a: &&(&Entry, Estimate), b: &&(&Entry, Estimate)| a.1.mean.total_cmp(&b.1.mean);
    let (Some((least, low)), Some((most, high))) = (measured.iter().min_by(by_mean), measured.iter().max_by(by_mean))
    else {
        return "nothing was measured".to_owned();
    };
    let times = yardstick.is_time();
    let (does, they) = if times { ("takes", "take") } else { ("carries", "carry") };
    let known = |row: &Entry| if times { String::new() } else { qualification(row) };
    let said = |row: &Entry, what: &str, measure: Estimate| {
        format!("{} {what}, {}{}", name(row, rows), yardstick.figure(measure.mean), known(row))
    };
    let [low_figure, high_figure] = [low, high].map(|measure| yardstick.figure(measure.mean));
    if measured.len() == 1 {
        return format!("{} {does} {high_figure}{}", name(most, rows), known(most));
    }
    let any = measured.iter().any(|(_, a)| measured.iter().any(|(_, b)| a.differs_from(*b)));
    if !any {
        let low_figure = low_figure.split(' ').next().unwrap_or_default();
        return format!("No row differs clearly from another: they {they} {low_figure} to {high_figure}");
    }
    if times {
        return format!("{}, and {}", said(least, "takes least", *low), said(most, "most", *high));
    }
    format!("{}, and {}", said(most, "carries most", *high), said(least, "least", *low))
}

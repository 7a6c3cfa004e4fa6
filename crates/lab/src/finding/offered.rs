//! Flows that set their own pace: where the cell carries all that they offer, goodput says nothing. Then rows differ in
//! the air time and the accesses that they need for it, and in latency.

use super::goodput::Better;
use super::words::{NAMED, list, with_others};
use crate::case::{BASELINE, BOUND};
use crate::entry::Entry;
use crate::metric::Metric;
use crate::remark::qualification;
use crate::statistics::Estimate;
use crate::yardstick::Yardstick;

/// What part of the offered load the plain row carries, and what the others need for theirs; `None` where a flow
/// without end offers as much as its transport takes, where rows are of several points, or where all are UDP.
pub(super) fn told(rows: &[Entry], yardstick: Yardstick) -> Option<String> {
    let one_point = rows.iter().all(|row| row.case.point == rows[0].case.point);
    if !one_point || !rows.iter().all(Entry::is_limited) {
        return None;
    }
    let named = |name: &str| rows.iter().find(|row| row.case.row.name == name);
    let plain = named(BASELINE).or_else(|| rows.iter().find(|row| row.case.row.name != BOUND))?;
    let others: Vec<&Entry> =
        rows.iter().filter(|row| !std::ptr::eq(*row, plain) && row.case.row.name != BOUND).collect();
    Some(if plain.carries_all() {
        carried(plain, &others, named(BOUND))
    } else {
        not_carried(plain, &others, named(BOUND), yardstick)
    })
}

/// The plain row carries all: what that takes, and which rows need less.
fn carried(plain: &Entry, others: &[&Entry], udp: Option<&Entry>) -> String {
    let name = plain.case.row.name;
    let Some(own) = used(plain) else { return String::new() };
    let mut text = format!(
        "{name} carries all of the {:.1} Mbps offered in {:.1} % of the air time{}",
        plain.offered(),
        own.mean,
        qualification(plain)
    );
    if let Some(of_udp) = udp.filter(|udp| udp.carries_all()).and_then(used) {
        text.push_str(&format!(" (udp: {:.1} %)", of_udp.mean));
    }
    let (all, less): (Vec<&Entry>, Vec<&Entry>) = others.iter().partition(|row| row.carries_all());
    let mut thrifty: Vec<(&Entry, Estimate)> = all.iter().filter_map(|row| Some((*row, used(row)?))).collect();
    thrifty.retain(|(_, need)| need.mean < own.mean && need.differs_from(own));
    thrifty.sort_by(|(_, a), (_, b)| a.mean.total_cmp(&b.mean));
    match thrifty.len() {
        _ if all.is_empty() => {}
        0 => text.push_str(", and no other row needs clearly less"),
        count => {
            let first = thrifty.iter().take(NAMED).enumerate();
            let named = first.map(|(n, (row, need))| economy(row, *need, plain, own, n == 0)).collect::<Vec<_>>();
            text.push_str(&format!("; {}", with_others(&named, count)));
        }
    }
    if let Some((row, rtt, before)) = soonest(plain, &all) {
        let name = row.case.row.name;
        text.push_str(&format!("; {name} has the shortest median RTT, {rtt:.2} ms instead of {before:.2}"));
    }
    if !less.is_empty() {
        let names: Vec<String> = less.iter().map(|row| row.case.row.name.to_owned()).collect();
        let carry = if less.len() == 1 { "carries" } else { "carry" };
        text.push_str(&format!("; {} {carry} less than is offered", list(&names)));
    }
    text
}

/// How much less than the plain row a row needs.
fn economy(row: &Entry, need: Estimate, plain: &Entry, own: Estimate, first: bool) -> String {
    let (name, known) = (row.case.row.name, qualification(row));
    let less = (1.0 - need.mean / own.mean) * 100.0;
    if !first {
        return format!("{name} {less:.1} %{known}");
    }
    let of = |row: &Entry| row.estimate(Metric::find("accesses_per_mb")?);
    let accesses = of(row).zip(of(plain)).filter(|(own, plain)| own.differs_from(*plain));
    let accesses = accesses.map(|(own, plain)| (own.mean / plain.mean - 1.0) * 100.0);
    let accesses = match accesses {
        Some(percent) if percent < 0.0 => format!(" and {:.1} % fewer accesses", -percent),
        Some(percent) => format!(" but {percent:.1} % more accesses"),
        None => String::new(),
    };
    format!("{name} needs {less:.1} % less air time{accesses} than {}{known}", plain.case.row.name)
}

/// The row with the shortest median round trip, if that is clearly shorter than the plain row's, with both times.
fn soonest<'a>(plain: &Entry, rows: &[&'a Entry]) -> Option<(&'a Entry, f64, f64)> {
    let of = |row: &Entry| row.estimate(Metric::find("rtt_median_ms")?);
    let own = of(plain)?;
    let shorter = rows.iter().filter_map(|row| Some((*row, of(row)?)));
    let shorter = shorter.filter(|(_, rtt)| rtt.mean < own.mean && rtt.differs_from(own));
    let (row, rtt) = shorter.min_by(|(_, a), (_, b)| a.mean.total_cmp(&b.mean))?;
    Some((row, rtt.mean, own.mean))
}

/// The plain row carries a part: which rows carry clearly more of it.
fn not_carried(plain: &Entry, others: &[&Entry], udp: Option<&Entry>, yardstick: Yardstick) -> String {
    let (name, offered) = (plain.case.row.name, plain.offered());
    let Some(own) = yardstick.of(plain).or_else(|| plain.goodput()) else { return String::new() };
    let mut text = format!("{name} carries {:.1} of the {offered:.1} Mbps offered{}", own.mean, qualification(plain));
    let measure = |row: &Entry| yardstick.of(row).or_else(|| row.goodput());
    if let Some(of_udp) = udp.and_then(measure) {
        text.push_str(&format!(", udp {:.1}", of_udp.mean));
    }
    let measured = others.iter().filter_map(|row| Some((*row, measure(row)?))).collect();
    let Better { fair, unfair } = Better::than(plain, own, measured);
    match fair.len() {
        _ if others.is_empty() => {}
        0 => {
            let without = if unfair.is_empty() { "" } else { " without starving a flow" };
            text.push_str(&format!(", and no other row carries clearly more{without}"));
        }
        count => {
            let named = fair.iter().take(NAMED).enumerate().map(|(n, (row, goodput))| {
                let carries = if n == 0 { " carries" } else { "" };
                let how = if row.carries_all() { "all".to_owned() } else { format!("{:.1}", goodput.mean) };
                format!("{}{carries} {how}{}", row.case.row.name, qualification(row))
            });
            text.push_str(&format!("; {}", with_others(&named.collect::<Vec<_>>(), count)));
        }
    }
    text
}

/// The share of the window in which the cell used the medium, in percent.
fn used(row: &Entry) -> Option<Estimate> {
    row.estimate(Metric::find("airtime_used_percent")?)
}

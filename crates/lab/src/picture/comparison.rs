//! The picture of a comparison.

use ackless_cell::result::AirtimeClass::{self, *};
use plotters::style::RGBColor;

use super::bars::{Bar, BarChart, Part};
use super::look::Look;
use super::style::{SERIES, capitalized};
use crate::LabError;
use crate::caution::unfairness;
use crate::compare::Comparison;
use crate::entry::{Entry, effort};
use crate::remark::{at_least, marked_figure, remarks};
use crate::statistics::per_mille;
use crate::yardstick::{Yardstick, baseline_name};

impl Comparison {
    /// As a picture: for each row what rows are compared by with its 95 % interval, and what the air time went into.
    ///
    /// Classes of the ledger that belong together share a colour; their shares are those of the printed table, added up.
    ///
    /// # Errors
    /// Never in practice: there is at least one row.
    pub fn to_svg(&self) -> Result<String, LabError> {
        picture(self)
    }
}

fn picture(comparison: &Comparison) -> Result<String, LabError> {
    let yardstick = comparison.compared_by.first().copied().unwrap_or(Yardstick::Goodput);
    // The bound for all goodput is what one wants to see it against.
    let by_udp = comparison.rows.iter().any(|row| yardstick.loss_against_udp(row, &comparison.rows).is_some());
    let against = |row: &Entry| {
        let percent = if by_udp {
            yardstick.loss_against_udp(row, &comparison.rows).map(|loss| -loss)
        } else {
            yardstick.against_baseline(row, &comparison.rows)
        };
        let jain = unfairness(row).map(|jain| format!("Jain {:.2}", jain.mean));
        let harm = Some(row.harm_in_short()).filter(|harm| !harm.is_empty());
        harm.into_iter().chain(percent.map(signed)).chain(jain).collect::<Vec<_>>().join(", ")
    };
    let in_any = |class| comparison.rows.iter().any(|row| row.airtime(class).is_some_and(|share| share.mean > 0.0));
    let groups: Vec<_> = GROUPS.iter().filter(|group| group.classes != [Neighbours] || in_any(Neighbours)).collect();
    let rows = comparison.rows.iter().map(|row| {
        let means = AirtimeClass::ALL.map(|class| row.airtime(class).map_or(0.0, |share| share.mean));
        let shares = per_mille(&means);
        let of_group = |group: &Group| group.classes.iter().map(|&class| shares[class as usize]).sum();
        Bar {
            label: comparison.label(row),
            measure: yardstick.of(row).or_else(|| at_least(row, yardstick)),
            figure: marked_figure(row, yardstick),
            note: against(row),
            look: Look::of_scheme(row.case.row.name),
            reference: row.case.row.name == "udp",
            shares: groups.iter().map(|group| of_group(group)).collect(),
        }
    });
    let title = if comparison.title.is_empty() { String::new() } else { format!(": {}", comparison.title) };
    let remarks = remarks(&comparison.rows, |row| comparison.label(row));
    // Each picture has bars for one yardstick; what the others say stands below.
    let further = comparison.compared_by.iter().skip(1).map(|&yardstick| {
        let of_row = |row: &Entry| {
            let against = yardstick.against_baseline(row, &comparison.rows);
            let against = against.map(|percent| format!(" ({})", signed(percent))).unwrap_or_default();
            format!("{} {}{against}", comparison.label(row), marked_figure(row, yardstick))
        };
        let figures: Vec<_> = comparison.rows.iter().map(of_row).collect();
        format!("{}: {}.", capitalized(yardstick.axis()), figures.join(", "))
    });
    let chart = BarChart {
        title: comparison.finding.clone(),
        subtitle: format!("{}{title}. {}, intervals are 95 %.", comparison.name, effort(&comparison.rows)),
        measure: capitalized(yardstick.axis()),
        notes: format!("against {}", if by_udp { "udp" } else { baseline_name(&comparison.rows) }),
        shares: "Share of the air time, %".to_owned(),
        parts: groups.iter().map(|group| Part { name: group.name, colour: group.colour }).collect(),
        rows: rows.collect(),
        remarks: further.chain(remarks.into_iter().map(|(name, text)| format!("* {name}: {text}."))).collect(),
    };
    chart.to_svg()
}

fn signed(percent: f64) -> String {
    if percent <= 0.0 { format!("\u{2212}{:.1} %", -percent) } else { format!("+{percent:.1} %") }
}

/// Classes that are shown as one.
struct Group {
    name: &'static str,
    colour: RGBColor,
    classes: &'static [AirtimeClass],
}

/// Every class of the ledger once, in the order of the stack. Neighbours differ in lightness as well as in hue.
const GROUPS: [Group; 11] = [
    Group { name: "payload", colour: SERIES[0], classes: &[Payload] },
    Group { name: "headers, preambles", colour: SERIES[5], classes: &[Headers, Preambles] },
    Group { name: "SIFS, link-layer ACKs", colour: SERIES[2], classes: &[Sifs, LinkAcks] },
    Group { name: "appended bytes", colour: RGBColor(0xf0, 0xe4, 0x42), classes: &[Appended] },
    Group { name: "TCP ACK frames", colour: SERIES[1], classes: &[TcpAcks] },
    Group { name: "AIFS or DIFS, back-off", colour: SERIES[3], classes: &[InterframeSpace, Backoff] },
    Group { name: "collisions, EIFS, ACK timeouts", colour: SERIES[4], classes: &[Collisions, Timeouts] },
    Group { name: "retransmissions", colour: RGBColor(0x44, 0x4c, 0x56), classes: &[Retransmissions] },
    Group {
        name: "BlockAck Requests, RTS, CTS, beacons",
        colour: RGBColor(0x99, 0xa1, 0xaa),
        classes: &[BlockAckRequests, RtsCts, Beacons],
    },
    Group { name: "nothing to send", colour: RGBColor(0xe1, 0xe4, 0xe8), classes: &[Idle] },
    Group { name: "other cells", colour: RGBColor(0x6e, 0x77, 0x81), classes: &[Neighbours] },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_in_one_group() {
        for class in AirtimeClass::ALL {
            let groups = GROUPS.iter().filter(|group| group.classes.contains(&class)).count();
            assert_eq!(groups, 1, "{class:?}");
        }
    }
}

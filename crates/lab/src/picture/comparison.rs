//! The picture of a comparison.

use ackless_cell::result::AirtimeClass::{self, *};
use plotters::style::RGBColor;

use super::bars::{Bar, BarChart, Part};
use super::style::SERIES;
use crate::LabError;
use crate::compare::Comparison;
use crate::entry::effort;
use crate::finding::finding;
use crate::statistics::per_mille;

/// Draws a comparison: for each row its goodput with its 95 % interval, and what the air time went into.
///
/// Classes of the ledger that belong together share a colour; their shares are those of the printed table, added up.
///
/// # Errors
/// Where the comparison has no rows.
pub fn comparison(comparison: &Comparison) -> Result<String, LabError> {
    let rows = comparison.rows.iter().map(|row| {
        let means = AirtimeClass::ALL.map(|class| row.airtime(class).map_or(0.0, |share| share.mean));
        let shares = per_mille(&means);
        let of_group = |group: &Group| group.classes.iter().map(|&class| shares[class as usize]).sum();
        Bar {
            label: comparison.label(row),
            measure: row.goodput(),
            note: comparison.loss_against_udp(row).map(against_udp).unwrap_or_default(),
            reference: row.case.row.name == "udp",
            shares: GROUPS.iter().map(of_group).collect(),
        }
    });
    let title = if comparison.title.is_empty() { String::new() } else { format!(": {}", comparison.title) };
    let chart = BarChart {
        title: finding(&comparison.rows),
        subtitle: format!("{}{title}. {}, intervals are 95 %.", comparison.name, effort(&comparison.rows)),
        measure: "Goodput, Mbps".to_owned(),
        notes: "against udp".to_owned(),
        shares: "Share of the air time, %".to_owned(),
        parts: GROUPS.iter().map(|group| Part { name: group.name, colour: group.colour }).collect(),
        rows: rows.collect(),
    };
    chart.to_svg()
}

fn against_udp(loss: f64) -> String {
    if loss >= 0.0 { format!("\u{2212}{loss:.1} %") } else { format!("+{:.1} %", -loss) }
}

/// Classes that are shown as one.
struct Group {
    name: &'static str,
    colour: RGBColor,
    classes: &'static [AirtimeClass],
}

/// Every class of the ledger once, in the order of the stack. Neighbours differ in lightness as well as in hue.
const GROUPS: [Group; 10] = [
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

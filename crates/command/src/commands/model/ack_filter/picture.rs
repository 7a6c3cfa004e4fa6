//! Figure 2: throughput with and without link-layer ACKs over the length of a frame, and the gain.

use ackless_lab::LabError;
use ackless_lab::picture::lines::{Axis, Line, LineChart, Mark, Panel};
use ackless_model::ack_filter::Equations;
use ackless_phy::OfdmRate;
use ackless_wire::Bytes;

use super::super::mbps;

/// Both pictures with the names of their files.
pub fn all(equations: &Equations, rate: OfdmRate) -> Result<Vec<(&'static str, String)>, LabError> {
    let throughput = Panel {
        title: String::new(),
        lines: vec![
            over_payloads("without ACKs: (8)", |payload| mbps(equations.throughput_unanswered(rate, payload))),
            over_payloads("with ACKs: (3)", |payload| mbps(equations.throughput(rate, payload))),
        ],
        marks: Vec::new(),
    };
    let gain =
        |rate: OfdmRate| over_payloads(&format!("{} Mbps", mbps(rate.bits())), |payload| equations.gain(rate, payload));
    let gains = Panel {
        title: String::new(),
        lines: [OfdmRate::Mbps54, OfdmRate::Mbps24, OfdmRate::Mbps6].map(gain).into(),
        marks: vec![Mark { x: 1.0, y: 30.0, label: "paper: up to 30".to_owned() }],
    };
    let finding = format!(
        "Without link-layer ACKs at {} Mbps, 64 bytes gain {:.0} %, 1500 only {:.0} %",
        mbps(rate.bits()),
        equations.gain(rate, Bytes(64)),
        equations.gain(rate, Bytes(1_500))
    );
    let charts = [
        ("ack-filter-figure-2.svg", chart(finding.clone(), equations, "throughput, Mbps", throughput)),
        ("ack-filter-gain.svg", chart(finding, equations, "gain without link-layer ACKs, %", gains)),
    ];
    charts.into_iter().map(|(name, chart)| Ok((name, chart.to_svg()?))).collect()
}

fn chart(title: String, equations: &Equations, y: &str, panel: Panel) -> LineChart {
    LineChart {
        title,
        subtitle: format!(
            "802.11a, one sender, no losses, back-offs from 0 to {}, {} bytes around the payload",
            equations.cw,
            equations.mac.get()
        ),
        x: Axis::linear("L_data, bytes"),
        y: y.to_owned(),
        panels: vec![panel],
    }
}

fn over_payloads(name: &str, of: impl Fn(Bytes) -> f64) -> Line {
    let payloads = [1].into_iter().chain((32..=2_304).step_by(32));
    Line::new(name, payloads.map(|payload| (payload as f64, of(Bytes(payload)))))
}

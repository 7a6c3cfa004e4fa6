//! Figure 12(b): ACKs in a second over RTTmin, for TCP with an ACK for L packets and for TACK.

use ackless_lab::LabError;
use ackless_lab::picture::lines::{Axis, Line, LineChart, Panel};
use ackless_model::tack::Flow;
use ackless_wire::Duration;

use super::{Report, Wifi};

/// The picture with the name of its file.
pub fn all(report: &Report) -> Result<Vec<(&'static str, String)>, LabError> {
    let panel = |wifi: &Wifi| Panel {
        title: wifi.name.to_owned(),
        lines: vec![
            over_rtts(wifi, "TCP", |flow| flow.byte_counting(report.tack.every)).of_scheme("tcp"),
            over_rtts(wifi, "TACK", |flow| flow.tack(report.tack)).of_scheme("tack"),
        ],
        marks: Vec::new(),
    };
    let chart = LineChart {
        title: "The longer the round trip and the faster the link, the fewer ACKs TACK sends".to_owned(),
        subtitle: format!(
            "equation 4, beta = {}, L = {}, MSS 1500 bytes; bw is UDP's in the paper's room (figure 11)",
            report.tack.beta, report.tack.every
        ),
        x: Axis::log("RTTmin, ms", &[1.0, 10.0, 100.0]),
        y: "log10 of ACKs in a second".to_owned(),
        panels: report.links.iter().map(panel).collect(),
    };
    Ok(vec![("tack-figure-12b.svg", chart.to_svg()?)])
}

fn over_rtts(wifi: &Wifi, name: &str, of: impl Fn(Flow) -> f64) -> Line {
    let rtts = (0..=46).map(|step| libm::exp2(f64::from(step) / 6.0));
    Line::new(
        name,
        rtts.map(|millis| {
            let [room, _] = wifi.flows(Duration::from_secs_f64(millis * 1e-3));
            (millis, libm::log10(of(room)))
        }),
    )
}

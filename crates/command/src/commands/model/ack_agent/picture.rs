//! The agent's throughput and gain over the length of a segment.

use ackless_lab::LabError;
use ackless_lab::picture::lines::{Axis, Line, LineChart, Mark, Panel, Stroke};
use ackless_model::ack_agent::{Column, SEGMENT};

use super::super::mbps;
use super::{Curve, Point, name};

/// Each picture with the name of its file.
pub fn all(columns: &[Column], min_cw_min: u16) -> Result<Vec<(&'static str, String)>, LabError> {
    let lengths = || (100..=SEGMENT.get()).step_by(115);
    let curves: Vec<_> = columns.iter().map(|&column| Curve::of(column, lengths(), min_cw_min)).collect();
    let mut charts: Vec<_> = curves.iter().map(|curve| (curve.file(), curve.throughput(min_cw_min))).collect();
    charts.push(("ack-agent-figure-7.svg", gains(&curves, min_cw_min)));
    charts.into_iter().map(|(name, chart)| Ok((name, chart.to_svg()?))).collect()
}

fn gains(curves: &[Curve], min_cw_min: u16) -> LineChart {
    let findings: Vec<_> = curves.iter().map(Curve::finding).collect();
    LineChart {
        title: format!("Agent and auto-zoom gain {} over contending TCP", findings.join(" and ")),
        subtitle: subtitle(min_cw_min),
        x: axis(),
        y: "gain over the standard exchange, %".to_owned(),
        panels: curves.iter().map(Curve::gains).collect(),
    }
}

fn subtitle(min_cw_min: u16) -> String {
    format!(
        "Table I's rates, minCWmin {min_cw_min}, no losses; the title: {} bytes, an ACK for every packet",
        SEGMENT.get()
    )
}

fn axis() -> Axis {
    Axis::linear("TCP_DATA, bytes")
}

impl Curve {
    fn file(&self) -> &'static str {
        match self.column {
            Column::B => "ack-agent-figure-5.svg",
            Column::AG => "ack-agent-figure-6.svg",
        }
    }

    /// The gain at the paper's segment length, the longest, where there is an ACK for every packet and TCP contends.
    fn finding(&self) -> String {
        let longest = self.points.last().expect("a curve has points");
        let [_, contending] = longest.gains(&longest.beside[0]);
        format!("{contending:.0} % in {}", name(self.column))
    }

    fn line(&self, name: &str, of: fn(&Point) -> f64) -> Line {
        Line::new(name, self.points.iter().map(|point| (point.segment.get() as f64, of(point))))
    }

    fn throughput(&self, min_cw_min: u16) -> LineChart {
        let lines = vec![
            self.line("S_TCP", |point| mbps(point.agent)).of_scheme("agent"),
            self.line("an ACK for each", |point| mbps(point.beside[0].sum)).of_scheme("tcp-l1"),
            self.line("the same, contending", |point| mbps(point.beside[0].contending)).drawn(Stroke::Variant),
            self.line("for every second", |point| mbps(point.beside[1].sum)).of_scheme("tcp"),
            self.line("the same, contending", |point| mbps(point.beside[1].contending)).drawn(Stroke::Variant),
        ];
        LineChart {
            title: format!("Agent and auto-zoom gain {} over contending TCP", self.finding()),
            subtitle: subtitle(min_cw_min),
            x: axis(),
            y: "throughput, TCP header counted, Mbps".to_owned(),
            panels: vec![Panel { title: String::new(), lines, marks: Vec::new() }],
        }
    }

    fn gains(&self) -> Panel {
        let percent = match self.column {
            Column::B => 60.0,
            Column::AG => 65.0,
        };
        let figure = Mark { x: SEGMENT.get() as f64, y: percent, label: format!("paper: {percent}") };
        Panel {
            title: name(self.column).to_owned(),
            lines: vec![
                self.line("over an ACK for each", |point| point.gains(&point.beside[0])[0]),
                self.line("each, contending", |point| point.gains(&point.beside[0])[1]).drawn(Stroke::Variant),
                self.line("over one for every second", |point| point.gains(&point.beside[1])[0]),
                self.line("second, contending", |point| point.gains(&point.beside[1])[1]).drawn(Stroke::Variant),
            ],
            marks: vec![Mark { x: 500.0, y: 100.0, label: "paper: > 100".to_owned() }, figure],
        }
    }
}

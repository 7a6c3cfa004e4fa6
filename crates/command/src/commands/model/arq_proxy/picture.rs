//! Figures 5 and 7: throughput over the length of a datagram, and over losses.

use ackless_lab::LabError;
use ackless_lab::picture::lines::{Axis, Line, LineChart, Panel, Stroke};
use ackless_wire::Bytes;

use super::{Lossy, Size};

/// Both pictures with the names of their files.
pub fn all(retry_limit: u8) -> Result<Vec<(&'static str, String)>, LabError> {
    let charts = [("arq-proxy-figure-5.svg", over_sizes()), ("arq-proxy-figure-7.svg", over_losses(retry_limit))];
    charts.into_iter().map(|(name, chart)| Ok((name, chart.to_svg()?))).collect()
}

fn over_sizes() -> LineChart {
    let sizes: Vec<_> = (40..=1_500).step_by(146).map(|datagram| Size::of(Bytes(datagram))).collect();
    let line = |name: &str, of: fn(&Size) -> f64| {
        Line::new(name, sizes.iter().map(|size| (size.datagram.get() as f64, of(size))))
    };
    let ends = [sizes.first(), sizes.last()].map(|size| {
        size.map(|size| format!("{:.0} % at {} bytes", size.native[0].contending_gain, size.datagram.get()))
            .unwrap_or_default()
    });
    LineChart {
        title: format!("The ARQ proxy gains {} over contending TCP with an ACK for each", ends.join(" and ")),
        subtitle: "802.11b at 11 Mbps, long preamble, Acks at 2 Mbps; no losses".to_owned(),
        x: Axis::linear("TCP/IP datagram, bytes"),
        y: "throughput of datagrams, Mbps".to_owned(),
        panels: vec![Panel {
            title: String::new(),
            lines: vec![
                line("ARQ proxy", |size| size.proxied).of_scheme("arq"),
                line("an ACK for every second", |size| size.native[1].sum).of_scheme("tcp"),
                line("the same, contending", |size| size.native[1].contending).drawn(Stroke::Variant),
                line("an ACK for each", |size| size.native[0].sum).of_scheme("tcp-l1"),
                line("the same, contending", |size| size.native[0].contending).drawn(Stroke::Variant),
            ],
            marks: Vec::new(),
        }],
    }
}

fn over_losses(retry_limit: u8) -> LineChart {
    let losses: Vec<_> = (0..=20).map(|step| Lossy::of(f64::from(step) / 40.0, retry_limit)).collect();
    let line = |name: &str, of: fn(&Lossy) -> f64| Line::new(name, losses.iter().map(|lossy| (lossy.per, of(lossy))));
    let gain = |per: f64| Lossy::of(per, retry_limit).gains[0];
    LineChart {
        title: format!(
            "Over TCP with an ACK for each, the ARQ proxy gains {:.0} % at a PER of 0 and {:.0} % at 0.25",
            gain(0.0),
            gain(0.25)
        ),
        subtitle: format!("802.11b at 11 Mbps, datagrams of 1500 bytes, up to {retry_limit} attempts; no collisions"),
        x: Axis::linear("PER of data frames and TCP ACKs"),
        y: "goodput, Mbps".to_owned(),
        panels: vec![Panel {
            title: String::new(),
            lines: vec![
                line("ARQ proxy", |lossy| lossy.proxied).of_scheme("arq"),
                line("an ACK for every second", |lossy| lossy.native[1]).of_scheme("tcp"),
                line("an ACK for each", |lossy| lossy.native[0]).of_scheme("tcp-l1"),
            ],
            marks: Vec::new(),
        }],
    }
}

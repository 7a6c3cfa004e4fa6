//! The curves of figure 1 as table, JSON and picture.

use std::fmt::Write as _;

use ackless_lab::picture::lines::{Axis, Line, LineChart, Mark, Panel, Stroke};
use ackless_lab::table::Table;
use ackless_lab::{LabError, VERSION};
use ackless_model::hack::contention::{self, Contended};
use ackless_model::hack::figure::{Figure, Point, percent_above};
use ackless_model::{BatchLimit, CompressedSize};
use ackless_phy::TxVector;
use ackless_wire::BitRate;
use serde_json::{Value, json};

use super::claims::{self, Claim};

/// Everything that `ackless model hack` says.
pub struct Report {
    limit: BatchLimit,
    size: CompressedSize,
    curves: Vec<Curves>,
    claims: Vec<Claim>,
}

/// One half of the figure.
struct Curves {
    figure: Figure,
    points: Vec<(Point, Contended)>,
}

impl Report {
    pub fn new(figures: &[Figure], limit: BatchLimit, size: CompressedSize) -> Self {
        let curves = figures.iter().map(|&figure| {
            let downloads = figure.downloads(limit, size);
            let points = downloads.iter().map(|download| (Point::of(download), contention::tcp(download))).collect();
            Curves { figure, points }
        });
        Self { limit, size, curves: curves.collect(), claims: Claim::about(figures, size) }
    }

    pub fn to_text(&self) -> String {
        let mut text = format!(
            "TCP/HACK, section 2.1: goodput of one lossless download in Mbps\n\
             packets of 1500 bytes, an ACK of 52 bytes for every second one; compressed ACKs of {} bytes\n\
             802.11n: A-MPDUs of up to 65,535 bytes{}\n",
            self.size,
            self.limit_in_words()
        );
        for curves in &self.curves {
            write!(text, "\n{}\n\n{}", curves.title(), curves.table()).expect("a string takes all that is written");
        }
        let claims = claims::table(&self.claims);
        write!(text, "\nThe paper's text beside this, for each limit of an A-MPDU\n\n{claims}")
            .expect("a string takes all that is written");
        text
    }

    pub fn to_json(&self) -> Value {
        let (limit, txop_us) = match self.limit {
            BatchLimit::Txop(txop) => ("txop", Some(txop.as_micros_f64())),
            BatchLimit::Ppdu => ("ppdu", None),
            BatchLimit::Length => ("length", None),
        };
        json!({
            "version": VERSION,
            "ack_bytes": self.size.as_f64(),
            "limit": limit,
            "txop_us": txop_us,
            "figures": self.curves.iter().map(Curves::to_json).collect::<Vec<_>>(),
            "paper": self.claims.iter().map(Claim::to_json).collect::<Vec<_>>(),
        })
    }

    /// Each half of the figure with the name of its file.
    pub fn to_svg(&self) -> Result<Vec<(&'static str, String)>, LabError> {
        let named = |curves: &Curves| {
            let name = match curves.figure {
                Figure::A => "figure-1a.svg",
                Figure::N => "figure-1b.svg",
            };
            Ok((name, self.chart(curves).to_svg()?))
        };
        self.curves.iter().map(named).collect()
    }

    fn chart(&self, curves: &Curves) -> LineChart {
        let limit = match curves.figure {
            Figure::A => String::new(),
            Figure::N => format!("; A-MPDUs of up to 65,535 bytes{}", self.limit_in_words()),
        };
        let line = |name: &str, goodput: fn(&(Point, Contended)) -> f64| {
            Line::new(name, curves.points.iter().map(|point| (point.0.rate().mbps_f64(), goodput(point))))
        };
        let lines = vec![
            line("UDP", |(point, _)| point.udp.goodput().mbps_f64()).drawn(Stroke::Reference),
            line("TCP/HACK", |(point, _)| point.hack.goodput().mbps_f64()).of_scheme("hack"),
            line("TCP", |(point, _)| point.tcp.goodput().mbps_f64()).of_scheme("tcp"),
            line("TCP, contending", |(_, contended)| contended.goodput.mbps_f64()).drawn(Stroke::Variant),
        ];
        // Of the goodputs in the paper's text, this one alone is of a clean MAC.
        let marks = match curves.figure {
            Figure::A => vec![Mark { x: 54.0, y: 30.2, label: "UDP in the paper's text: 30.2".to_owned() }],
            Figure::N => Vec::new(),
        };
        let panel = Panel { title: String::new(), lines, marks };
        LineChart {
            title: curves.finding(),
            subtitle: format!(
                "{}; one lossless download, 1500-byte packets, compressed ACKs of {} bytes{limit}",
                curves.title(),
                self.size
            ),
            x: Axis::linear("PHY rate, Mbps"),
            y: "goodput, Mbps".to_owned(),
            panels: vec![panel],
        }
    }

    fn limit_in_words(&self) -> String {
        match self.limit {
            BatchLimit::Txop(txop) => format!(", with their BlockAck in a TXOP of {txop}"),
            BatchLimit::Ppdu => ", PPDUs of up to 5.484 ms".to_owned(),
            BatchLimit::Length => ", of any duration".to_owned(),
        }
    }
}

impl Curves {
    fn title(&self) -> &'static str {
        match self.figure {
            Figure::A => "Figure 1 (a): 802.11a",
            Figure::N => "Figure 1 (b): 802.11n, 5 GHz, 40 MHz, guard interval 400 ns",
        }
    }

    fn finding(&self) -> String {
        let gains = [self.points.first(), self.points.last()].map(|point| {
            let (point, _) = point.expect("a figure has rates");
            format!("{:.1} % more than TCP at {} Mbps", point.gain(), point.rate().mbps_f64())
        });
        let [low, high] = gains;
        format!("Without accesses for its ACKs, TCP/HACK carries {low} and {high}")
    }

    fn table(&self) -> Table {
        let mut titles = vec!["PHY rate"];
        if self.figure == Figure::N {
            titles.extend(["MCS", "streams", "packets\nper PPDU"]);
        }
        titles.extend(["TCP", "TCP/HACK", "UDP", "gain\n%", "TCP,\ncontending", "gain\n%"]);
        let mut table = Table::new(titles.into_iter().map(str::to_owned).collect());
        for (point, contended) in &self.points {
            let mut row = vec![format!("{}", point.rate().mbps_f64())];
            if let TxVector::Ht(mode) = point.vector {
                let packets = point.tcp.packets / point.tcp.data_ppdus;
                row.extend([mode.mcs().to_string(), mode.streams().to_string(), packets.to_string()]);
            }
            let goodputs = [&point.tcp, &point.hack, &point.udp].map(|cycle| cycle.goodput().mbps_f64());
            row.extend(goodputs.map(|mbps| format!("{mbps:.2}")));
            row.push(format!("{:.1}", point.gain()));
            row.push(format!("{:.2}", contended.goodput.mbps_f64()));
            row.push(format!("{:.1}", contended_gain(point, contended)));
            table.push(row);
        }
        table
    }

    fn to_json(&self) -> Value {
        let points = self.points.iter().map(|(point, contended)| {
            let mode = match point.vector {
                TxVector::Ht(mode) => Some((mode.mcs(), mode.streams())),
                _ => None,
            };
            json!({
                "rate_mbps": mbps(point.rate()),
                "mcs": mode.map(|(mcs, _)| mcs),
                "streams": mode.map(|(_, streams)| streams),
                "packets_per_ppdu": point.tcp.packets / point.tcp.data_ppdus,
                "cycle_packets": point.tcp.packets,
                "data_us": point.tcp.data.as_micros_f64(),
                "acks_us": point.tcp.acks.as_micros_f64(),
                "appended_us": point.hack.appended.as_micros_f64(),
                "tcp_mbps": mbps(point.tcp.goodput()),
                "hack_mbps": mbps(point.hack.goodput()),
                "udp_mbps": mbps(point.udp.goodput()),
                "gain_percent": point.gain(),
                "contending": {
                    "tcp_mbps": mbps(contended.goodput),
                    "gain_percent": contended_gain(point, contended),
                    "access_point_failures": contended.access_point_failures,
                    "client_failures": contended.client_failures,
                    "data_per_ack_ppdu": contended.data_per_ack_ppdu,
                },
            })
        });
        let name = match self.figure {
            Figure::A => "1a",
            Figure::N => "1b",
        };
        json!({ "figure": name, "title": self.title(), "points": points.collect::<Vec<_>>() })
    }
}

/// By how much TCP/HACK, which has nobody to contend with, is above TCP with contention, in percent.
fn contended_gain(point: &Point, contended: &Contended) -> f64 {
    percent_above(point.hack.goodput(), contended.goodput)
}

/// The rate in Mbps, nearest to its decimal digits.
fn mbps(rate: BitRate) -> f64 {
    rate.bps() as f64 / 1e6
}

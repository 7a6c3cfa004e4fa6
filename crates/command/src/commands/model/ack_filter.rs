//! `ackless model ack-filter`: equations 2 to 8 of the paper on 802.11 ACK filtering, and TCP by them.

use ackless_lab::VERSION;
use ackless_lab::table::Table;
use ackless_model::ack_filter::{Equations, download, frames_per_second, frames_saved, slowest_rate};
use ackless_model::hack::contention;
use ackless_model::hack::figure::{Figure, percent_above};
use ackless_model::{Download, Link};
use ackless_phy::{Band, OfdmRate, TxVector};
use ackless_wire::{BitRate, Bytes, Duration};
use serde_json::{Value, json};

use super::beside::{Beside, Claim};
use super::{Answer, mbps, titles};
use crate::args::FilterModel;
use crate::output::Failure;

mod picture;

/// The answer.
pub fn answer(options: &FilterModel) -> Result<Answer, Failure> {
    let report = Report {
        equations: Equations::A.with_mac(Bytes(options.mac_bytes)),
        rate: options.rate,
        frames: options.frames.iter().map(|&frame| Bytes(frame)).collect(),
        segments_per_ack: options.ack_every,
        rates: OfdmRate::ALL.map(|rate| Tcp::of(rate, options.ack_every)),
    };
    let pictures =
        if options.answer.out.is_some() { picture::all(&report.equations, report.rate)? } else { Vec::new() };
    Ok(Answer { name: "ack-filter", text: report.to_text(), json: report.to_json(), pictures })
}

struct Report {
    equations: Equations,
    rate: OfdmRate,
    frames: Vec<Bytes>,
    segments_per_ack: u64,
    rates: [Tcp; 8],
}

/// A TCP download over 802.11a.
struct Tcp {
    rate: OfdmRate,
    /// Its ACKs cost nothing.
    bound: BitRate,
    /// Filter off: one access after the other, and contending.
    off: [BitRate; 2],
    /// Filter on, for each of [`groups`]: the same. Where an ACK goes for every packet, there is no contending form.
    on: [(BitRate, Option<BitRate>); 3],
}

impl Tcp {
    fn of(rate: OfdmRate, segments_per_ack: u64) -> Self {
        let tcp = Download { segments_per_ack, ..Download::over(link(rate)) };
        let on = groups(rate).map(|group| {
            let contending = contention::tcp_with_unanswered_acks(&tcp, group);
            (download(&tcp, group).goodput(), contending.map(|contended| contended.goodput))
        });
        let off = [tcp.tcp().goodput(), contention::tcp(&tcp).goodput];
        Self { rate, bound: tcp.without_acks().goodput(), off, on }
    }

    /// The gains with the filter, in percent, for each of [`groups`].
    fn gains(&self) -> [(f64, Option<f64>); 3] {
        self.on.map(|(alone, contending)| {
            let contending = contending.map(|rate| percent_above(rate, self.off[1]));
            (percent_above(alone, self.off[0]), contending)
        })
    }
}

impl Report {
    fn to_text(&self) -> String {
        let (rate, mac) = (mbps(self.rate.bits()), self.equations.mac.get());
        format!(
            "802.11 ACK filtering: equations 2 to 8 for 802.11a, L_mac {mac} bytes, CW 15\n\
             equation 7 is not printed: T_difs + T_b + T_data, the denominator of equation 8, is taken for it\n\n\
             Frames at {rate} Mbps: with link-layer ACKs (equations 3 and 4) and without (7 and 8)\n\n{}\n\
             TCP, segments of 1448 bytes, an ACK for {} of them, in Mbps; filtered ACKs at the data's rate, at 24 or less, at 6\n\n{}\n\
             The lowest rate in Mbps by which the throughput of section V fits\n\n{}\n\
             The paper's text beside this\n\n{}\n{}",
            self.frames(),
            self.segments_per_ack,
            self.tcp(),
            self.needed(),
            self.beside().table(),
            self.notes()
        )
    }

    /// A row for each payload.
    fn frames(&self) -> Table {
        let mut table = Table::new(titles(&[
            "L_data\nbytes",
            "T_data\nus",
            "(4) T_dcf\nus",
            "(3)\nMbps",
            "(7)\nus",
            "(8)\nMbps",
            "gain\n%",
        ]));
        let (it, rate) = (&self.equations, self.rate);
        let micros = |span: Duration| format!("{:.1}", span.as_micros_f64());
        for &payload in &self.frames {
            table.push(vec![
                payload.get().to_string(),
                micros(it.data(rate, payload)),
                micros(it.exchange(rate, payload)),
                format!("{:.2}", mbps(it.throughput(rate, payload))),
                micros(it.unanswered(rate, payload)),
                format!("{:.2}", mbps(it.throughput_unanswered(rate, payload))),
                format!("{:.1}", it.gain(rate, payload)),
            ]);
        }
        table
    }

    /// A row for each rate.
    fn tcp(&self) -> Table {
        let mut header = titles(&["rate\n", "without\nACKs", "off\n"]);
        for group in ["same", "24", "6"] {
            header.extend([format!("on,\n{group}"), "gain\n%".to_owned()]);
        }
        header.push("contending:\noff".to_owned());
        for group in ["same", "24", "6"] {
            header.extend([format!("on,\n{group}"), "gain\n%".to_owned()]);
        }
        let mut table = Table::new(header);
        let rate = |rate: BitRate| format!("{:.2}", mbps(rate));
        for tcp in &self.rates {
            let pairs = || tcp.on.into_iter().zip(tcp.gains());
            let mut row = vec![mbps(tcp.rate.bits()).to_string(), rate(tcp.bound), rate(tcp.off[0])];
            row.extend(pairs().flat_map(|(on, gain)| [rate(on.0), format!("{:.1}", gain.0)]));
            row.push(rate(tcp.off[1]));
            row.extend(pairs().flat_map(|(on, gain)| {
                [on.1.map(rate), gain.1.map(|gain| format!("{gain:.1}"))].map(Option::unwrap_or_default)
            }));
            table.push(row);
        }
        table
    }

    /// The lowest rates that carry what section V measured.
    fn needed(&self) -> Table {
        let forms = [
            "section V",
            "by (3),\n1500 bytes",
            "by (8),\n1500 bytes",
            "TCP\nwithout ACKs",
            "TCP,\noff",
            "TCP, on,\nsame rate",
        ];
        let mut table = Table::new(titles(&forms));
        for (name, target) in TARGETS {
            let rates =
                self.needs(target).map(|rate| rate.map_or("none".to_owned(), |rate| mbps(rate.bits()).to_string()));
            table.push([name.to_owned()].into_iter().chain(rates).collect());
        }
        table
    }

    /// The lowest rate for `target` by each form: equations 3 and 8 with 1500 bytes, TCP whose ACKs cost nothing, and TCP with the filter
    /// off and on, contending where there is such a form.
    fn needs(&self, target: BitRate) -> [Option<OfdmRate>; 5] {
        let it = &self.equations;
        let by_tcp =
            |carries: fn(&Tcp) -> BitRate| self.rates.iter().find(|tcp| carries(tcp) >= target).map(|tcp| tcp.rate);
        [
            slowest_rate(target, |rate| it.throughput(rate, PACKET)),
            slowest_rate(target, |rate| it.throughput_unanswered(rate, PACKET)),
            by_tcp(|tcp| tcp.bound),
            by_tcp(|tcp| tcp.off[1]),
            by_tcp(|tcp| tcp.on[0].1.unwrap_or(tcp.on[0].0)),
        ]
    }

    fn beside(&self) -> Beside {
        let claim = |name, place, what, paper, ours| Claim { name, place, what, paper, ours };
        let small = |bytes| Equations::A.gain(OfdmRate::Mbps24, Bytes(bytes));
        let tcp = Tcp::of(OfdmRate::Mbps54, self.segments_per_ack);
        let gain = |group: usize| {
            let (alone, contending) = tcp.gains()[group];
            vec![Some(alone), contending]
        };
        let paper = "5.8";
        let claims = vec![
            claim(
                "filter-1",
                "figure 2",
                "24 Mbps, a byte in a frame: gain, %",
                "up to 30",
                vec![Some(small(1)), None],
            ),
            claim("filter-1", "figure 2", "24 Mbps, 64 bytes: gain, %", "up to 30", vec![Some(small(64)), None]),
            claim("filter-2", "V", "54 Mbps: TCP, filter off, Mbps", "26", tcp.off.map(|rate| Some(mbps(rate))).into()),
            claim("filter-2", "V", "54 Mbps: TCP, filter on, ACKs at 54, Mbps", "27.5", {
                vec![Some(mbps(tcp.on[0].0)), tcp.on[0].1.map(mbps)]
            }),
            claim("filter-2", "V", "the same: gain, %", paper, gain(0)),
            claim("filter-2", "V", "ACKs at 24: gain, %", paper, gain(1)),
            claim("filter-2", "V", "ACKs at 6: gain, %", paper, gain(2)),
            claim("filter-3", "V", "frames saved, %", "> 16", vec![Some(frames_saved(self.segments_per_ack)), None]),
        ];
        Beside { forms: vec![("sum", "in turn"), ("contending", "contending")], claims }
    }

    fn notes(&self) -> String {
        let frames = frames_per_second(TARGETS[0].1, Bytes(1_448), self.segments_per_ack);
        format!(
            "26 and 27.5 Mbps cannot be at 24 Mbps, the rate that section III names. One frame of six is saved with an ACK for every second packet.\n\
             What the filter gains depends on the rate of filtered ACKs: where data goes at 54 Mbps and they go at 6, it loses.\n\
             26 Mbps in segments of 1448 bytes take {frames:.0} frames a second, link-layer ACKs included; section V's 600 are not a second's.\n\
             Frames of TCP here have 36 bytes around a packet (8 of LLC and SNAP, 28 of MAC header and FCS), and its goodput counts 1448 of 1500 bytes.\n"
        )
    }

    fn to_json(&self) -> Value {
        let (it, rate) = (&self.equations, self.rate);
        let frames = self.frames.iter().map(|&payload| {
            json!({
                "payload_bytes": payload.get(),
                "t_data_us": it.data(rate, payload).as_micros_f64(),
                "t_dcf_us": it.exchange(rate, payload).as_micros_f64(),
                "throughput_mbps": mbps(it.throughput(rate, payload)),
                "unanswered_us": it.unanswered(rate, payload).as_micros_f64(),
                "unanswered_mbps": mbps(it.throughput_unanswered(rate, payload)),
                "gain_percent": it.gain(rate, payload),
            })
        });
        let tcp = self.rates.iter().map(|tcp| {
            let on = tcp.on.into_iter().zip(tcp.gains()).zip(groups(tcp.rate)).map(|((on, gain), group)| {
                json!({
                    "group_rate_mbps": mbps(group.rate()), "mbps": mbps(on.0), "gain_percent": gain.0,
                    "contending_mbps": on.1.map(mbps), "contending_gain_percent": gain.1,
                })
            });
            json!({
                "rate_mbps": mbps(tcp.rate.bits()),
                "without_acks_mbps": mbps(tcp.bound),
                "off": { "mbps": mbps(tcp.off[0]), "contending_mbps": mbps(tcp.off[1]) },
                "on": on.collect::<Vec<_>>(),
            })
        });
        let needed = TARGETS.map(|(name, target)| {
            let [answered, unanswered, bound, off, on] =
                self.needs(target).map(|rate| rate.map(|rate| mbps(rate.bits())));
            json!({
                "what": name, "mbps": mbps(target), "equation_3": answered, "equation_8": unanswered,
                "tcp_without_acks": bound, "tcp_off": off, "tcp_on_same_rate": on,
            })
        });
        json!({
            "version": VERSION,
            "rate_mbps": mbps(rate.bits()),
            "mac_bytes": it.mac.get(),
            "segments_per_ack": self.segments_per_ack,
            "frames": frames.collect::<Vec<_>>(),
            "tcp": tcp.collect::<Vec<_>>(),
            "lowest_rate_mbps": needed,
            "paper": self.beside().to_json(),
        })
    }
}

/// The rates that filtered ACKs may go at: the data's, 24 Mbps where the data is faster, and 6.
fn groups(rate: OfdmRate) -> [TxVector; 3] {
    [rate, rate.min(OfdmRate::Mbps24), OfdmRate::Mbps6].map(|rate| TxVector::ofdm(rate, Band::Ghz5))
}

fn link(rate: OfdmRate) -> Link {
    Figure::A.link(TxVector::ofdm(rate, Band::Ghz5))
}

/// What section V measured.
const TARGETS: [(&str, BitRate); 2] =
    [("filter off: 26 Mbps", BitRate::from_mbps(26)), ("filter on: 27.5 Mbps", BitRate::from_kbps(27_500))];

/// A full Ethernet frame's payload.
const PACKET: Bytes = Bytes(1_500);

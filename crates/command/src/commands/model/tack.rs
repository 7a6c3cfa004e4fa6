//! `ackless model tack`: how often TACK acknowledges, and what that leaves of the air.

use ackless_lab::VERSION;
use ackless_lab::table::Table;
use ackless_model::Link;
use ackless_model::hack::figure::percent_above;
use ackless_model::tack::{Emulation, Flow, Tack, buffer};
use ackless_phy::{Band, DsssRate, GuardInterval, HtMode, OfdmRate, Standard, TxVector, VhtMode, Width};
use ackless_wire::{BitRate, Bytes, Duration};
use serde_json::{Value, json};

use super::beside::{Beside, Claim};
use super::{Answer, mbps, titles};
use crate::args::TackModel;
use crate::output::Failure;

mod picture;

/// The answer.
pub fn answer(options: &TackModel) -> Result<Answer, Failure> {
    let tack = Tack { beta: options.beta, every: options.ack_every };
    let rtts: Vec<_> = options.rtts.iter().map(|&millis| Duration::from_millis(millis)).collect();
    let report = Report { tack, rtts, links: LINKS.each_ref().map(|place| Wifi::of(place, tack)) };
    let pictures = if options.answer.out.is_some() { picture::all(&report)? } else { Vec::new() };
    Ok(Answer { name: "tack", text: report.to_text(), json: report.to_json(), pictures })
}

struct Report {
    tack: Tack,
    rtts: Vec<Duration>,
    links: [Wifi; 4],
}

/// One of the paper's four links (figure 11).
struct Wifi {
    name: &'static str,
    /// What UDP gets in the paper's room.
    baseline: BitRate,
    /// Goodput with an ACK for each of [`COUNTS`] packets.
    counted: [BitRate; COUNTS.len()],
    /// With TACK at an RTT of 80 ms.
    tamed: BitRate,
    bound: BitRate,
}

impl Wifi {
    fn of(place: &Place, tack: Tack) -> Self {
        let emulation = Emulation::over(Link::of(place.standard, place.band, (place.data)()));
        Self {
            name: place.name,
            baseline: place.baseline,
            counted: COUNTS.map(|every| emulation.byte_counting(every)),
            tamed: emulation.tack(tack, Duration::from_millis(80)),
            bound: emulation.without_acks(),
        }
    }

    /// A flow that gets what UDP gets: in the paper's room, and in clean air.
    fn flows(&self, min_rtt: Duration) -> [Flow; 2] {
        [self.baseline, self.bound].map(|bandwidth| Flow { bandwidth, min_rtt, mss: MSS })
    }
}

impl Report {
    fn to_text(&self) -> String {
        format!(
            "TACK: f = min(bw / (L MSS), beta / RTTmin), beta = {}, L = {}, MSS 1500 bytes (equation 4)\n\n\
             ACKs in a second: TCP with an ACK for L packets, and TACK; bw is what UDP gets in the paper's room (figure 11) and in clean air\n\n{}\n\
             Ideal goodput in Mbps, clean air: 1518-byte frames that wait for nothing, 64-byte frames back; TACK at an RTT of 80 ms\n\n{}\n\
             The paper's text beside this\n\n{}\n{NOTES}",
            self.tack.beta,
            self.tack.every,
            self.frequencies(),
            self.goodputs(),
            self.beside().table()
        )
    }

    /// A row for each link and RTT.
    fn frequencies(&self) -> Table {
        let mut table = Table::new(titles(&[
            "link\n",
            "RTTmin\nms",
            "paper's room:\nTCP, Hz",
            "TACK\nHz",
            "saved\n%",
            "clean air:\nTCP, Hz",
            "TACK\nHz",
            "saved\n%",
        ]));
        for wifi in &self.links {
            for &rtt in &self.rtts {
                let mut row = vec![wifi.name.to_owned(), format!("{}", rtt.as_secs_f64() * 1e3)];
                for flow in wifi.flows(rtt) {
                    row.push(format!("{:.1}", flow.byte_counting(self.tack.every)));
                    row.push(format!("{:.1}", flow.tack(self.tack)));
                    row.push(format!("{:.1}", 100.0 * flow.saved(self.tack)));
                }
                table.push(row);
            }
        }
        table
    }

    /// A row for each link.
    fn goodputs(&self) -> Table {
        let mut header = titles(&["link\n"]);
        header.extend(COUNTS.map(|every| format!("L = {every}\n")));
        header.extend(titles(&["TACK\n", "no ACKs\n", "TACK over\nL = 2, %"]));
        let mut table = Table::new(header);
        for wifi in &self.links {
            let rates = wifi.counted.iter().chain([&wifi.tamed, &wifi.bound]);
            let rates = rates.map(|&rate| format!("{:.2}", mbps(rate)));
            let gain = format!("{:.1}", percent_above(wifi.tamed, wifi.counted[1]));
            table.push([wifi.name.to_owned()].into_iter().chain(rates).chain([gain]).collect());
        }
        table
    }

    fn beside(&self) -> Beside {
        let claim = |name, place, what, paper, ours| Claim { name, place, what, paper, ours: vec![Some(ours)] };
        let flow = |mbps: f64, millis| Flow {
            bandwidth: BitRate::from_bps((mbps * 1e6) as u64),
            min_rtt: Duration::from_millis(millis),
            mss: MSS,
        };
        let (b, ac) = (&self.links[0], &self.links[3]);
        let to_save = |share| flow(mbps(b.baseline), 1).min_rtt_to_save(self.tack, share).as_secs_f64() * 1e3;
        let times = |millis| {
            let flow = flow(mbps(ac.baseline), millis);
            flow.byte_counting(self.tack.every) / flow.tack(self.tack)
        };
        let share = |mbps, millis| {
            let flow = flow(mbps, millis);
            100.0 * flow.tack(self.tack) / flow.packets_per_second()
        };
        let at_10 = flow(mbps(b.baseline), 10);
        Beside {
            forms: vec![("equation", "here")],
            claims: vec![
                claim(
                    "tack-1",
                    "figure 1",
                    "802.11b: RTTmin that saves 90.5 % of ACKs, ms",
                    "4 to 200",
                    to_save(0.905),
                ),
                claim("tack-11", "VII-B", "802.11b, 10 ms: TCP's ACKs over TACK's", "1", {
                    at_10.byte_counting(self.tack.every) / at_10.tack(self.tack)
                }),
                claim("tack-12", "VII-B", "802.11ac, 10 ms: the same", "100", times(10)),
                claim("tack-12", "VII-B", "802.11ac, 80 ms: the same", "1000", times(80)),
                claim("tack-5", "figure 18, 1", "20.21 Mbps, 20 ms: ACKs per 100 packets", "10.9", share(20.21, 20)),
                claim("tack-7", "figure 18, 3", "190.22 Mbps, 200 ms: the same", "0.12", share(190.22, 200)),
                claim("tack-16", "VIII", "buffer in units of bdp, %", "33", {
                    100.0 * buffer(self.tack.beta).unwrap_or(f64::INFINITY)
                }),
            ],
        }
    }

    fn to_json(&self) -> Value {
        let links = self.links.iter().map(|wifi| {
            let rtts = self.rtts.iter().map(|&rtt| {
                let [room, clean] = wifi.flows(rtt).map(|flow| {
                    json!({
                        "bandwidth_mbps": mbps(flow.bandwidth),
                        "tcp_hz": flow.byte_counting(self.tack.every),
                        "tack_hz": flow.tack(self.tack),
                        "saved": flow.saved(self.tack),
                    })
                });
                json!({ "rtt_min_ms": rtt.as_secs_f64() * 1e3, "room": room, "clean": clean })
            });
            let counted =
                COUNTS.iter().zip(wifi.counted).map(|(every, rate)| json!({ "l": every, "mbps": mbps(rate) }));
            json!({
                "link": wifi.name,
                "frequencies": rtts.collect::<Vec<_>>(),
                "byte_counting": counted.collect::<Vec<_>>(),
                "tack_80ms_mbps": mbps(wifi.tamed),
                "without_acks_mbps": mbps(wifi.bound),
            })
        });
        json!({
            "version": VERSION,
            "beta": self.tack.beta,
            "l": self.tack.every,
            "links": links.collect::<Vec<_>>(),
            "paper": self.beside().to_json(),
        })
    }
}

/// A link of the paper's (figure 11).
struct Place {
    name: &'static str,
    standard: Standard,
    band: Band,
    /// How data is sent.
    data: fn() -> TxVector,
    /// What UDP gets in the paper's room.
    baseline: BitRate,
}

const LINKS: [Place; 4] = [
    Place {
        name: "802.11b",
        standard: Standard::B,
        band: Band::Ghz2_4,
        data: || TxVector::dsss(DsssRate::Mbps11),
        baseline: BitRate::from_mbps(7),
    },
    Place {
        name: "802.11g",
        standard: Standard::G,
        band: Band::Ghz2_4,
        data: || TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz2_4),
        baseline: BitRate::from_mbps(26),
    },
    Place { name: "802.11n", standard: Standard::N, band: Band::Ghz5, data: n_300, baseline: BitRate::from_mbps(210) },
    Place {
        name: "802.11ac",
        standard: Standard::Ac,
        band: Band::Ghz5,
        data: ac_866,
        baseline: BitRate::from_mbps(590),
    },
];

fn n_300() -> TxVector {
    let mode = HtMode::new(15, Width::Mhz40, GuardInterval::Short, Band::Ghz5);
    TxVector::Ht(mode.expect("HT has MCS 15 at 40 MHz"))
}

fn ac_866() -> TxVector {
    let mode = VhtMode::new(9, 2, Width::Mhz80, GuardInterval::Short);
    TxVector::Vht(mode.expect("VHT has MCS 9 with two streams at 80 MHz"))
}

const COUNTS: [u32; 5] = [1, 2, 4, 8, 16];
const MSS: Bytes = Bytes(1_500);
const NOTES: &str = "Clean air: no losses, no collisions, mean back-offs; ACKs for one A-MPDU go in one A-MPDU. In the paper's room, with 10 other access \
                     points and 100 users, each access costs more.\n";

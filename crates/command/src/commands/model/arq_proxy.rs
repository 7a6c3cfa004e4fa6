//! `ackless model arq-proxy`: a closed form of the exchange that the ARQ proxy's paper simulates.

use ackless_lab::VERSION;
use ackless_lab::table::Table;
use ackless_model::arq_proxy::{
    Losses, TCP_IP, TcpAcks, WIRE, alone, contending_datagrams_per_second, datagrams_per_second, gain,
    gain_over_contending, goodput, paper, rtt,
};
use ackless_wire::{Bytes, Duration};
use serde_json::{Value, json};

use super::beside::{Beside, Claim};
use super::{Answer, mbps, titles};
use crate::args::ProxyModel;
use crate::output::Failure;

mod picture;

/// The answer.
pub fn answer(options: &ProxyModel) -> Result<Answer, Failure> {
    let sizes = options.datagrams.iter().map(|&datagram| Size::of(Bytes(datagram))).collect();
    let losses = PERS.map(|per| Lossy::of(per, options.retry_limit));
    let report = Report { sizes, retry_limit: options.retry_limit, losses, beside: beside(options.retry_limit) };
    let pictures = if options.answer.out.is_some() { picture::all(options.retry_limit)? } else { Vec::new() };
    Ok(Answer { name: "arq-proxy", text: report.to_text(), json: report.to_json(), pictures })
}

struct Report {
    sizes: Vec<Size>,
    retry_limit: u8,
    losses: [Lossy; PERS.len()],
    beside: Beside,
}

/// What datagrams of one length get, in Mbps of whole datagrams.
struct Size {
    datagram: Bytes,
    proxied: f64,
    /// The same as application data.
    goodput: f64,
    /// Beside TCP with an ACK for every datagram, and for every second.
    native: [Native; 2],
}

/// TCP ACKs as frames, one access after the other and contending; gains in percent.
struct Native {
    sum: f64,
    gain: f64,
    contending: f64,
    contending_gain: f64,
}

/// What datagrams of 1500 bytes get where frames are lost, as application data in Mbps.
struct Lossy {
    per: f64,
    proxied: f64,
    native: [f64; 2],
    gains: [f64; 2],
    given_up: f64,
}

impl Size {
    fn of(datagram: Bytes) -> Self {
        let rate = |per_second: f64| per_second * datagram.bits() as f64 * 1e-6;
        let each = paper(datagram, 1);
        let native = [1, 2].map(|l| {
            let download = paper(datagram, l);
            Native {
                sum: rate(datagrams_per_second(&download, TcpAcks::Native, &Losses::NONE)),
                gain: gain(&download, &Losses::NONE),
                contending: rate(contending_datagrams_per_second(&download)),
                contending_gain: gain_over_contending(&download),
            }
        });
        Self {
            datagram,
            proxied: rate(datagrams_per_second(&each, TcpAcks::Proxied, &Losses::NONE)),
            goodput: mbps(goodput(&each, TcpAcks::Proxied, &Losses::NONE)),
            native,
        }
    }
}

impl Lossy {
    fn of(per_attempt: f64, retry_limit: u8) -> Self {
        let losses = Losses { per_attempt, retry_limit };
        let forms = [1, 2].map(|l| paper(DATAGRAM, l));
        Self {
            per: per_attempt,
            proxied: mbps(goodput(&forms[0], TcpAcks::Proxied, &losses)),
            native: forms.map(|download| mbps(goodput(&download, TcpAcks::Native, &losses))),
            gains: forms.map(|download| gain(&download, &losses)),
            given_up: losses.given_up(),
        }
    }
}

impl Report {
    fn to_text(&self) -> String {
        format!(
            "ARQ proxy: 802.11b at 11 Mbps, long preamble, Acks at 2 Mbps, TCP ACKs of 40 bytes; the paper prints no equations\n\n\
             Throughput of datagrams in Mbps, headers counted; TCP with an ACK for each and for every second\n\n{}\n\
             Application data in Mbps where data frames and TCP ACKs are lost, datagrams of 1500 bytes, {} attempts\n\n{}\n\
             RTT in ms over a wire of 15 ms each way, an ACK for each datagram of 1500 bytes\n\n{}\n\
             The paper's text beside this; gains\n\n{}\n{NOTES}",
            self.sizes(),
            self.retry_limit,
            self.losses(),
            rtts(),
            self.beside.table()
        )
    }

    fn sizes(&self) -> Table {
        let header = [
            "datagram\nbytes",
            "proxy\n",
            "data\nalone",
            "each\n",
            "gain\n%",
            "second\n",
            "gain\n%",
            "each,\ncontending",
            "gain\n%",
            "second,\ncontending",
            "gain\n%",
        ];
        let mut table = Table::new(titles(&header));
        for size in &self.sizes {
            let mut row =
                vec![size.datagram.get().to_string(), format!("{:.3}", size.proxied), format!("{:.3}", size.goodput)];
            let pair = |rate: f64, gain: f64| [format!("{rate:.3}"), format!("{gain:.1}")];
            row.extend(size.native.iter().flat_map(|native| pair(native.sum, native.gain)));
            row.extend(size.native.iter().flat_map(|native| pair(native.contending, native.contending_gain)));
            table.push(row);
        }
        table
    }

    fn losses(&self) -> Table {
        let header = ["PER", "proxy\n", "each\n", "gain\n%", "second\n", "gain\n%", "given up\n%"];
        let mut table = Table::new(titles(&header));
        for lossy in &self.losses {
            let mut row = vec![format!("{:.2}", lossy.per), format!("{:.3}", lossy.proxied)];
            let pairs = lossy.native.iter().zip(&lossy.gains);
            row.extend(pairs.flat_map(|(rate, gain)| [format!("{rate:.3}"), format!("{gain:.1}")]));
            row.push(format!("{:.4}", 100.0 * lossy.given_up));
            table.push(row);
        }
        table
    }

    fn to_json(&self) -> Value {
        let sizes = self.sizes.iter().map(|size| {
            let native = |native: &Native| {
                json!({
                    "mbps": native.sum, "gain_percent": native.gain,
                    "contending_mbps": native.contending, "contending_gain_percent": native.contending_gain,
                })
            };
            let [each, second] = &size.native;
            json!({
                "datagram_bytes": size.datagram.get(),
                "proxy_mbps": size.proxied,
                "proxy_goodput_mbps": size.goodput,
                "each_packet": native(each),
                "every_second": native(second),
            })
        });
        let losses = self.losses.iter().map(|lossy| {
            let native = |l: usize| json!({ "goodput_mbps": lossy.native[l], "gain_percent": lossy.gains[l] });
            json!({
                "per": lossy.per, "proxy_goodput_mbps": lossy.proxied, "each_packet": native(0), "every_second": native(1),
                "given_up": lossy.given_up,
            })
        });
        let each = paper(DATAGRAM, 1);
        let rtts = WINDOWS.map(|window| {
            let [native, proxied] =
                [TcpAcks::Native, TcpAcks::Proxied].map(|acks| millis(rtt(&each, acks, window, WIRE)));
            json!({ "window": window, "native_ms": native, "proxy_ms": proxied })
        });
        json!({
            "version": VERSION,
            "retry_limit": self.retry_limit,
            "datagrams": sizes.collect::<Vec<_>>(),
            "losses": losses.collect::<Vec<_>>(),
            "rtt": rtts,
            "paper": self.beside.to_json(),
        })
    }
}

/// The paper's numbers.
fn beside(retry_limit: u8) -> Beside {
    let claim = |name, place, what, paper, ours: Vec<Option<f64>>| Claim { name, place, what, paper, ours };
    let gains = |datagram| {
        let [each, second] = Size::of(Bytes(datagram)).native;
        [each.gain, second.gain, each.contending_gain, second.contending_gain].map(Some).into()
    };
    let lossy = |per| {
        let [each, second] = Lossy::of(per, retry_limit).gains;
        vec![Some(each), Some(second), None, None]
    };
    let each = paper(DATAGRAM, 1);
    let saved = |of: &dyn Fn(TcpAcks) -> Duration| {
        let [native, proxied] = [TcpAcks::Native, TcpAcks::Proxied].map(of);
        vec![Some(1e3 * (native - proxied).as_secs_f64()), None, None, None]
    };
    let claims = vec![
        claim("arq-1", "figure 5", "1500 bytes: gain, %", "25 to 30", gains(1_500)),
        claim("arq-2", "figure 5", "200 bytes: gain, %", "60 to 70", gains(200)),
        claim("arq-2", "figure 5", "100 bytes: gain, %", "60 to 70", gains(100)),
        claim("arq-2", "figure 5", "40 bytes: gain, %", "60 to 70", gains(TCP_IP.get())),
        claim("arq-3", "figure 5", "like a TCP ACK, 40 bytes: gain, %", "up to 100", gains(TCP_IP.get())),
        claim("arq-4", "figure 6", "RTT saved, a packet alone, ms", "several", saved(&|acks| alone(&each, acks))),
        claim("arq-4", "figure 6", "RTT saved, 15 packets in flight, ms", "several", {
            saved(&|acks| rtt(&each, acks, 15, WIRE))
        }),
        claim("arq-5", "figure 7", "1500 bytes, PER 0: gain, %", "about 30", lossy(0.0)),
        claim("arq-5", "figure 7", "1500 bytes, PER 0.25: gain, %", "about 30", lossy(0.25)),
    ];
    let forms = vec![
        ("each_packet", "ACK for\neach packet"),
        ("every_second", "for every\nsecond"),
        ("each_packet_contending", "each,\ncontending"),
        ("every_second_contending", "second,\ncontending"),
    ];
    Beside { forms, claims }
}

/// The RTT over the packets in flight.
fn rtts() -> Table {
    let mut table = Table::new(titles(&["packets\nin flight", "TCP", "proxy", "saved"]));
    let each = paper(DATAGRAM, 1);
    for window in WINDOWS {
        let [native, proxied] = [TcpAcks::Native, TcpAcks::Proxied].map(|acks| rtt(&each, acks, window, WIRE));
        let cells = [native, proxied, native - proxied].map(|span| format!("{:.2}", millis(span)));
        table.push([window.to_string()].into_iter().chain(cells).collect());
    }
    table
}

fn millis(span: Duration) -> f64 {
    span.as_micros_f64() / 1e3
}

/// The losses that are shown.
const PERS: [f64; 9] = [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5];

/// Packets in flight: alone, around what the wire holds, and the queue of the paper's access point.
const WINDOWS: [u64; 6] = [1, 10, 15, 20, 50, 700];

/// The paper's largest datagram, on which losses and RTT are shown.
const DATAGRAM: Bytes = Bytes(1_500);

const NOTES: &str = "\
Datagrams of 40 bytes are all headers, so their gain is that of datagrams a second. Accesses in turn give 100 % there, the paper's
upper end; contending stations with an ACK for each have 65 to 73 % from 200 to 40 bytes, the paper's range for small packets.
With losses there is no contending form.
";

//! What the paper says in words, beside what the closed form says.

use ackless_lab::table::Table;
use ackless_model::hack::contention;
use ackless_model::hack::figure::{Figure, at, mean_gain_below, percent_above, single_frame_share};
use ackless_model::{BatchLimit, CompressedSize, Download};
use ackless_wire::{BitRate, Bytes, Duration};
use serde_json::{Value, json};

/// A number of the paper's text.
pub struct Claim {
    /// Where in the paper.
    place: &'static str,
    what: &'static str,
    paper: f64,
    /// Ours for each of [`limits`]; the same thrice where aggregation does not enter.
    ours: [f64; 3],
}

impl Claim {
    /// The claims about `figures`.
    pub fn about(figures: &[Figure], size: CompressedSize) -> Vec<Self> {
        figures
            .iter()
            .flat_map(|figure| match figure {
                Figure::A => about_a(),
                Figure::N => about_n(size),
            })
            .collect()
    }

    pub fn to_json(&self) -> Value {
        let [txop, ppdu, length] = self.ours;
        json!({
            "place": self.place, "what": self.what, "paper": self.paper,
            "txop_4ms": txop, "ppdu_limit": ppdu, "length_only": length,
        })
    }
}

/// The claims for people.
pub fn table(claims: &[Claim]) -> Table {
    let titles = ["the paper's text", "where", "paper", "TXOP\n4 ms", "PPDU\n5.484 ms", "65,535\nbytes alone"];
    let mut table = Table::new(titles.map(str::to_owned).into());
    for claim in claims {
        let ours = claim.ours.map(|value| format!("{value:.1}"));
        let names = [claim.what.to_owned(), claim.place.to_owned(), claim.paper.to_string()];
        table.push(names.into_iter().chain(ours).collect());
    }
    table
}

fn about_a() -> Vec<Claim> {
    let exchange = fastest(Figure::A).data_exchange();
    let counting = |bytes| [exchange.goodput(Bytes(bytes)).mbps_f64(); 3];
    let late = Duration::from_micros(37);
    let late = Bytes(1_472).per(exchange.duration() + late).mbps_f64();
    let place = "4.2";
    vec![
        Claim { place, what: "802.11a, 54 Mbps: UDP, counting 1500 bytes, Mbps", paper: 30.2, ours: counting(1_500) },
        Claim { place, what: "802.11a, 54 Mbps: UDP, counting 1472 bytes, Mbps", paper: 30.2, ours: counting(1_472) },
        Claim { place, what: "the same, 1472 bytes, Acks 37 us late, Mbps", paper: 28.1, ours: [late; 3] },
    ]
}

fn about_n(size: CompressedSize) -> Vec<Claim> {
    let points = limits().map(|limit| Figure::N.points(limit, size));
    let mean = |rate| points.each_ref().map(|points| mean_gain_below(points, rate).unwrap_or(f64::NAN));
    let gain = |rate| points.each_ref().map(|points| at(points, rate).map_or(f64::NAN, |point| point.gain()));
    let contended = limits().map(|limit| {
        let download = download(BitRate::from_mbps(150)).bounded(limit).with_compressed(size);
        percent_above(download.hack().goodput(), contention::tcp(&download).goodput)
    });
    let fastest = fastest(Figure::N);
    let single = fastest.link.exchange(1, fastest.packet);
    let idle = (single.wait + single.backoff).as_micros_f64();
    let payload = BitRate::from_mbps(150).time_ceil(Bytes(1_500)).as_micros_f64();
    let share = single_frame_share(&fastest.link, fastest.packet, fastest.packet);
    let claim = |place, what, paper, ours| Claim { place, what, paper, ours };
    vec![
        claim("1", "802.11n: mean idle before a best-effort frame, us", 110.5, [idle; 3]),
        claim("1", "1500 bytes at 150 Mbps, us", 80.0, [payload; 3]),
        claim("1", "600 Mbps, single frames: share of the rate, %", 9.0, [share; 3]),
        claim("figure 1", "802.11n below 100 Mbps: mean gain, %", 8.0, mean(BitRate::from_mbps(100))),
        claim("4.3", "150 Mbps: gain, %", 7.0, gain(BitRate::from_mbps(150))),
        claim("3.2", "600 Mbps: gain, %", 20.0, gain(BitRate::from_mbps(600))),
        claim("4.3", "150 Mbps, simulated there, contention here: gain, %", 14.0, contended),
    ]
}

/// The limits of aggregation that the claims are shown for.
fn limits() -> [BatchLimit; 3] {
    [BatchLimit::Txop(Duration::from_millis(4)), BatchLimit::Ppdu, BatchLimit::Length]
}

fn fastest(figure: Figure) -> Download {
    let vectors = figure.vectors();
    Download::over(figure.link(*vectors.last().expect("a figure has rates")))
}

/// The download over 802.11n at a rate of its figure.
fn download(rate: BitRate) -> Download {
    let vector = Figure::N.vectors().into_iter().find(|vector| vector.rate() == rate);
    Download::over(Figure::N.link(vector.expect("the rate is one of the figure's")))
}

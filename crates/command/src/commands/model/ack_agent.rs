//! `ackless model ack-agent`: section II and S_TCP of the paper on TCP ACK agent and auto-zoom.

use std::fmt::Write as _;

use ackless_lab::VERSION;
use ackless_lab::table::Table;
use ackless_model::Download;
use ackless_model::ack_agent::{
    Column, MIN_CW_MIN, PRINTED_ACK, PRINTED_DATA, Parameters, SEGMENT, TCP_ACK, ack_share, download,
};
use ackless_model::hack::contention;
use ackless_model::hack::figure::percent_above;
use ackless_wire::{BitRate, Bytes, Duration};
use serde_json::{Value, json};

use super::beside::{Beside, Claim};
use super::{Answer, mbps, titles};
use crate::args::{AgentModel, AgentStandard};
use crate::output::Failure;

mod picture;

/// The answer.
pub fn answer(options: &AgentModel) -> Result<Answer, Failure> {
    let columns = match options.standard {
        None => vec![Column::B, Column::AG],
        Some(AgentStandard::B) => vec![Column::B],
        Some(AgentStandard::Ag) => vec![Column::AG],
    };
    let report = Report::new(&columns, &options.segments, options.min_cw);
    let pictures = if options.answer.out.is_some() { picture::all(&columns, options.min_cw)? } else { Vec::new() };
    Ok(Answer { name: "ack-agent", text: report.to_text(), json: report.to_json(), pictures })
}

struct Report {
    min_cw_min: u16,
    curves: Vec<Curve>,
    beside: Beside,
}

/// One standard's points.
struct Curve {
    column: Column,
    points: Vec<Point>,
}

/// What one segment length gets, in Mbps, TCP header counted.
struct Point {
    segment: Bytes,
    /// S_TCP.
    agent: BitRate,
    /// The same without counting the TCP header.
    agent_goodput: BitRate,
    /// The agent by the standard's frames.
    by_frames: BitRate,
    /// Each beside the standard exchange: an ACK for every packet, and for every second.
    beside: [Standard; 2],
}

/// The standard exchange.
struct Standard {
    /// By the paper's terms, one access after the other.
    sum: BitRate,
    /// By the standard's frames, with contention.
    contending: BitRate,
}

impl Point {
    fn of(column: Column, segment: Bytes, min_cw_min: u16) -> Self {
        let parameters = column.parameters();
        let agent = parameters.agent(segment, min_cw_min);
        // With the TCP header counted, as S_TCP does.
        let counted = |l| Download { segment, ..column.by_the_standard(segment, l) };
        let beside = [1, 2].map(|l| Standard {
            sum: parameters.standard(segment, l).throughput(),
            contending: contention::tcp(&counted(l)).goodput,
        });
        let by_frames = download(&counted(1), min_cw_min).goodput();
        Self { segment, agent: agent.throughput(), agent_goodput: agent.goodput(), by_frames, beside }
    }

    /// The gain over the standard exchange in percent: by the paper's terms, and by the standard's frames with contention.
    fn gains(&self, standard: &Standard) -> [f64; 2] {
        [percent_above(self.agent, standard.sum), percent_above(self.by_frames, standard.contending)]
    }
}

impl Curve {
    fn of(column: Column, segments: impl Iterator<Item = u64>, min_cw_min: u16) -> Self {
        Self { column, points: segments.map(|segment| Point::of(column, Bytes(segment), min_cw_min)).collect() }
    }
}

impl Report {
    fn new(columns: &[Column], segments: &[u64], min_cw_min: u16) -> Self {
        let curve = |&column| Curve::of(column, segments.iter().copied(), min_cw_min);
        Self { min_cw_min, curves: columns.iter().map(curve).collect(), beside: beside(columns) }
    }

    fn to_text(&self) -> String {
        let mut text = format!(
            "TCP ACK agent with auto-zoom: sections II and III.3; Mbps with TCP headers counted as payload, as in the paper\n\
             contention windows count values: minCWmin {} means back-offs from 0 to {}\n",
            self.min_cw_min,
            self.min_cw_min - 1
        );
        for Curve { column, points } in &self.curves {
            let column = *column;
            let (name, parameters) = (name(column), column.parameters());
            let (data, basic) = (mbps(parameters.data_rate), mbps(parameters.basic_rate));
            write!(
                text,
                "\n{name}: air time of a frame and its Ack, data at {data} Mbps, Acks at {basic}, in us\n\n{}\n\
                 {name}: the agent, and the standard exchange with an ACK for every packet and for every second\n\n{}\n\
                 {name}: S_TCP over minCWmin, segments of {} bytes\n\n{}",
                terms(column),
                gains(points),
                SEGMENT.get(),
                windows(column)
            )
            .expect("a string takes all that is written");
        }
        write!(
            text,
            "\nThe paper's text beside this; gains over the standard exchange, with minCWmin 2\n\n{}\n{DIFFERENCES}",
            self.beside.table()
        )
        .expect("a string takes all that is written");
        text
    }

    fn to_json(&self) -> Value {
        let columns = self.curves.iter().map(|Curve { column, points }| {
            let points = points.iter().map(|point| {
                let standard = |standard: &Standard| {
                    let [sum, contending] = point.gains(standard);
                    json!({
                        "mbps": mbps(standard.sum), "gain_percent": sum,
                        "contending_mbps": mbps(standard.contending), "contending_gain_percent": contending,
                    })
                };
                let [each, second] = &point.beside;
                json!({
                    "tcp_data_bytes": point.segment.get(),
                    "s_tcp_mbps": mbps(point.agent),
                    "without_header_mbps": mbps(point.agent_goodput),
                    "by_frames_mbps": mbps(point.by_frames),
                    "each_packet": standard(each),
                    "every_second": standard(second),
                })
            });
            json!({
                "standard": match column { Column::B => "b", Column::AG => "ag" },
                "air_time": air_time(*column),
                "segments": points.collect::<Vec<_>>(),
            })
        });
        json!({
            "version": VERSION,
            "min_cw_min": self.min_cw_min,
            "standards": columns.collect::<Vec<_>>(),
            "paper": self.beside.to_json(),
        })
    }
}

/// A row for each segment length.
fn gains(points: &[Point]) -> Table {
    let mut table = Table::new(titles(&[
        "TCP_DATA\nbytes",
        "S_TCP\n",
        "without\nheader",
        "each\n",
        "gain\n%",
        "second\n",
        "gain\n%",
        "agent,\nframes",
        "each,\ncontending",
        "gain\n%",
        "second,\ncontending",
        "gain\n%",
    ]));
    for point in points {
        let rate = |rate: BitRate| format!("{:.2}", mbps(rate));
        let gain = |standard: &Standard, of: usize| format!("{:.1}", point.gains(standard)[of]);
        let [each, second] = &point.beside;
        table.push(vec![
            point.segment.get().to_string(),
            rate(point.agent),
            rate(point.agent_goodput),
            rate(each.sum),
            gain(each, 0),
            rate(second.sum),
            gain(second, 0),
            rate(point.by_frames),
            rate(each.contending),
            gain(each, 1),
            rate(second.contending),
            gain(second, 1),
        ]);
    }
    table
}

/// The paper's numbers, with its own minCWmin and segment lengths.
fn beside(columns: &[Column]) -> Beside {
    let claim = |name, place, what, paper, ours: Vec<Option<f64>>| Claim { name, place, what, paper, ours };
    let gains = |column, segment| {
        let point = Point::of(column, Bytes(segment), MIN_CW_MIN);
        let [each, second] = point.beside.each_ref().map(|standard| point.gains(standard));
        [each[0], second[0], each[1], second[1]].map(Some).into()
    };
    let share = |data: Duration, ack: Duration| Some(ack_share(data, ack));
    let [data, ack] = [Bytes(1_500), TCP_ACK].map(|payload| Parameters::B.frame(payload).duration());
    let mut claims = Vec::new();
    if columns.contains(&Column::B) {
        let only = |value| vec![value, None, None, None];
        let micros = |span: Duration| Some(span.as_micros_f64());
        claims.extend([
            claim("agent-1", "II", "802.11b: data frame and its Ack, us", "1620", only(micros(data))),
            claim("agent-2", "II", "802.11b: TCP ACK and its Ack, us", "560", only(micros(ack))),
            claim("agent-1, agent-2", "II", "802.11b: share of TCP ACKs, printed sums, %", "> 25", {
                vec![share(PRINTED_DATA, PRINTED_ACK), share(PRINTED_DATA * 2, PRINTED_ACK), None, None]
            }),
            claim("agent-1, agent-2", "II", "802.11b: the same, sums of the terms, %", "> 25", {
                vec![share(data, ack), share(data * 2, ack), None, None]
            }),
            claim("agent-8", "III.3", "802.11b: S_TCP, Mbps", "equation", {
                only(Some(mbps(Parameters::B.agent(SEGMENT, MIN_CW_MIN).throughput())))
            }),
            claim("agent-3", "figure 5", "802.11b: gain, %", "60", gains(Column::B, SEGMENT.get())),
            claim("agent-5", "figure 7", "802.11b: gain at 500 bytes, %", "> 100", gains(Column::B, 500)),
        ]);
    }
    if columns.contains(&Column::AG) {
        claims.extend([
            claim("agent-4", "figure 6", "802.11a/g: gain, %", "65", gains(Column::AG, SEGMENT.get())),
            claim("agent-5", "figure 7", "802.11a/g: gain at 500 bytes, %", "> 100", gains(Column::AG, 500)),
        ]);
    }
    let forms = vec![
        ("each_packet", "ACK for\neach packet"),
        ("every_second", "for every\nsecond"),
        ("each_packet_contending", "each,\ncontending"),
        ("every_second_contending", "second,\ncontending"),
    ];
    Beside { forms, claims }
}

/// Section II term by term, and the standard's frames beside it.
fn terms(column: Column) -> Table {
    let parameters = column.parameters();
    let [data, ack] = [Bytes(1_500), TCP_ACK].map(|payload| parameters.frame(payload));
    let by_frames = by_frames(column);
    let mut table = Table::new(titles(&[
        "term",
        "data,\n1500 bytes",
        "TCP ACK,\n40 bytes",
        "802.11-2020,\ndata",
        "802.11-2020,\nTCP ACK",
    ]));
    let micros = |span: Duration| format!("{:.2}", span.as_micros_f64());
    for (term, ((title, data), (_, ack))) in data.terms().into_iter().zip(ack.terms()).enumerate() {
        // The standard rounds a frame's bits as a whole.
        let frames = by_frames.map(|terms| terms[term].map_or("with data".to_owned(), micros));
        table.push([title.to_owned(), micros(data), micros(ack)].into_iter().chain(frames).collect());
    }
    let frames = by_frames.map(|terms| micros(terms.into_iter().flatten().sum()));
    let sums = ["sum".to_owned(), micros(data.duration()), micros(ack.duration())];
    table.push(sums.into_iter().chain(frames).collect());
    if column == Column::B {
        let printed = [PRINTED_DATA, PRINTED_ACK].map(micros);
        table.push(["printed".to_owned()].into_iter().chain(printed).chain(["".to_owned(), "".to_owned()]).collect());
    }
    table
}

/// The terms of [`terms`] by the standard's frames: data and TCP ACK; the MAC's header is part of the data.
fn by_frames(column: Column) -> [[Option<Duration>; 7]; 2] {
    let link = column.by_the_standard(SEGMENT, 1).link;
    let answer = link.answer.preamble();
    [Bytes(1_500), TCP_ACK].map(|packet| {
        let it = link.exchange(1, packet);
        let [wait, phy, data] = [it.wait, it.data_overhead, it.data_payload].map(Some);
        [wait, phy, None, data, Some(it.sifs), Some(answer), Some(it.answer - answer)]
    })
}

fn air_time(column: Column) -> Value {
    let [data, ack] = [Bytes(1_500), TCP_ACK].map(|payload| column.parameters().frame(payload));
    let by_frames = by_frames(column);
    let terms = data.terms().into_iter().zip(ack.terms()).enumerate().map(|(term, ((title, data), (_, ack)))| {
        let [data_frame, ack_frame] = by_frames.map(|terms| terms[term].map(Duration::as_micros_f64));
        json!({
            "term": title, "data_us": data.as_micros_f64(), "tcp_ack_us": ack.as_micros_f64(),
            "by_frames_data_us": data_frame, "by_frames_tcp_ack_us": ack_frame,
        })
    });
    let printed = (column == Column::B)
        .then(|| json!({ "data_us": PRINTED_DATA.as_micros_f64(), "tcp_ack_us": PRINTED_ACK.as_micros_f64() }));
    json!({
        "terms": terms.collect::<Vec<_>>(),
        "sum": { "data_us": data.duration().as_micros_f64(), "tcp_ack_us": ack.duration().as_micros_f64() },
        "printed": printed,
    })
}

/// S_TCP over minCWmin.
fn windows(column: Column) -> Table {
    let parameters = column.parameters();
    let mut table = Table::new(titles(&["minCWmin\nvalues", "back-off\nus", "S_TCP\nMbps", "gain over\neach, %"]));
    let standard = parameters.standard(SEGMENT, 1).throughput();
    for values in [1, 2, 4, 8, 16] {
        let rate = parameters.agent(SEGMENT, values).throughput();
        table.push(vec![
            values.to_string(),
            format!("{:.1}", parameters.backoff(values).as_micros_f64()),
            format!("{:.3}", mbps(rate)),
            format!("{:.1}", percent_above(rate, standard)),
        ]);
    }
    table
}

const fn name(column: Column) -> &'static str {
    match column {
        Column::B => "802.11b",
        Column::AG => "802.11a/g",
    }
}

const DIFFERENCES: &str = "\
The printed terms of section II sum to 1611.3 and 549.5 us; it prints 1620 and 560. With 10 us more, the mean back-off of
minCWmin = 2 that S_TCP has, both would round to what is printed.
The paper's frames have 28 bytes around a packet (MAC header and FCS), those of 802.11-2020 36 (8 of LLC and SNAP). The paper divides
bits by the rate; the standard counts whole us in 802.11b, and in 802.11a whole symbols of 4 us with 22 bits of SERVICE and tail.
";

use super::bars::{Bar, BarChart, Part};
use super::lines::{Axis, Line, LineChart, Mark, Panel, Point, Stroke};
use super::look::Look;
use super::style::{SERIES, TEXT, WIDTH, text_width};
use crate::statistics::Estimate;
use crate::table::figure_with_interval;

/// A text of a picture with the box that it takes: left, right, top, bottom.
#[derive(Debug)]
struct Placed {
    text: String,
    area: (i32, i32, i32, i32),
}

/// Every text of an SVG, with the box that the wide estimate of its width gives it.
fn placed(svg: &str) -> Vec<Placed> {
    let mut all = Vec::new();
    for element in svg.split("<text ").skip(1) {
        let (attributes, rest) = element.split_once(">\n").expect("a text has content");
        let (text, _) = rest.split_once("\n</text>").expect("a text ends");
        let attribute = |name: &str| {
            let (_, value) = attributes.split_once(&format!("{name}=\"")).expect("the attribute is there");
            value.split_once('"').expect("a value ends").0
        };
        let number = |name| attribute(name).parse::<f64>().expect("it is a number").round() as i32;
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").replace("&#x27;", "'");
        let (x, y, size) = (number("x"), number("y"), number("font-size"));
        let width = text_width(&text, size);
        let left = match attribute("text-anchor") {
            "start" => x,
            "middle" => x - width / 2,
            _ => x - width,
        };
        all.push(Placed { text, area: (left, left + width, y - size / 2, y + size / 2) });
    }
    all
}

/// Asserts that a picture is a whole SVG, all of its text on the sheet, and no text on another one.
#[track_caller]
pub(super) fn assert_readable(svg: &str) {
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    let height: i32 = {
        let (_, rest) = svg.split_once("height=\"").expect("a picture has a height");
        rest.split_once('"').expect("a value ends").0.parse().expect("it is a number")
    };
    let all = placed(svg);
    for (n, text) in all.iter().enumerate() {
        let (left, right, top, bottom) = text.area;
        assert!(left >= 0 && right <= WIDTH && top >= 0 && bottom <= height, "off the sheet: {text:?}");
        for other in &all[n + 1..] {
            let (l, r, t, b) = other.area;
            assert!(right <= l || r <= left || bottom <= t || b <= top, "{text:?} touches {other:?}");
        }
    }
}

fn chart(panels: Vec<Panel>) -> LineChart {
    LineChart {
        title: "TCP loses more the faster the link is, and compressed ACKs give most of it back".to_owned(),
        subtitle: "802.11n at 40 MHz & 400 ns, one client, no losses".to_owned(),
        x: Axis::linear("PHY rate, Mbps"),
        y: "goodput, Mbps".to_owned(),
        panels,
    }
}

fn curve(name: &str, factor: f64) -> Line {
    Line::new(name, (1..=20).map(|n| (f64::from(n) * 30.0, f64::from(n) * 30.0 * factor)))
}

#[test]
fn a_line_chart_names_its_lines_axes_and_marks_and_nothing_touches() {
    let lines = vec![
        curve("UDP", 0.93).drawn(Stroke::Reference),
        curve("TCP", 0.75),
        curve("TCP/HACK", 0.90),
        curve("TCP/HACK, 4 ms TXOP", 0.89).drawn(Stroke::Variant),
    ];
    let marks = vec![
        Mark { x: 600.0, y: 450.0, label: "paper: 20 %".to_owned() },
        Mark { x: 590.0, y: 455.0, label: "paper: 19 %".to_owned() },
    ];
    let svg = chart(vec![Panel { title: String::new(), lines, marks }]).to_svg().expect("there are points");
    assert_readable(&svg);
    for text in ["UDP", "TCP/HACK, 4 ms TXOP", "PHY rate, Mbps", "goodput, Mbps", "600", "paper: 19 %"] {
        assert!(placed(&svg).iter().any(|placed| placed.text == text), "{text}");
    }
}

#[test]
fn panels_share_a_legend_and_their_scale() {
    let panel = |n: u32| Panel {
        title: format!("stations.count={n}"),
        lines: vec![curve("udp", 1.0).drawn(Stroke::Reference), curve("tcp", 1.0 / f64::from(n))],
        marks: Vec::new(),
    };
    for count in 1..=7 {
        let svg = chart((1..=count).map(panel).collect()).to_svg().expect("there are points");
        assert_readable(&svg);
        let tops = placed(&svg).iter().filter(|placed| placed.text == "600").count() as u32;
        assert!(tops >= count, "every panel has the whole scale: {tops}");
    }
}

#[test]
fn categories_and_logarithms_are_axes_and_crowded_labels_are_left_out() {
    let names: Vec<String> = (0..40).map(|n| format!("{n}.5ms")).collect();
    let line = Line::new("tcp", (0..40).map(|n| (f64::from(n), 100.0)));
    let mut chart = chart(vec![Panel { lines: vec![line], ..Panel::default() }]);
    chart.x = Axis::categories("wired.delay", &names);
    let svg = chart.to_svg().expect("there are points");
    assert_readable(&svg);
    assert!(svg.contains("\n0.5ms\n") && svg.contains("\n39.5ms\n"), "the ends of an axis are named");
    let stations = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];
    let points = stations.map(|x| Point { x, y: 120.0 / x, ci95: Some(1.0) });
    chart.panels[0].lines[0].points = points.to_vec();
    chart.x = Axis::log("stations.count", &stations);
    let svg = chart.to_svg().expect("there are points");
    assert_readable(&svg);
    let places: Vec<i32> = ["1", "10", "100"]
        .map(|label| placed(&svg).iter().filter(|p| p.text == label).map(|p| p.area.0 + p.area.1).max())
        .map(|sum| sum.expect("the tick is there") / 2)
        .to_vec();
    assert!((places[2] - places[1]).abs_diff(places[1] - places[0]) <= 2, "decades are equally wide: {places:?}");
}

#[test]
fn a_chart_without_points_is_refused_and_odd_values_are_left_out() {
    assert!(chart(Vec::new()).to_svg().is_err());
    assert!(chart(vec![Panel::default()]).to_svg().is_err());
    let line = Line::new("odd", [(1.0, f64::NAN), (f64::INFINITY, 3.0), (2.0, 5.0)]);
    let svg = chart(vec![Panel { lines: vec![line], ..Panel::default() }]).to_svg().expect("one point is finite");
    assert_readable(&svg);
    assert!(!svg.contains("NaN"));
}

#[test]
fn a_name_with_markup_is_text() {
    let svg = chart(vec![Panel { lines: vec![curve("a<b>&c", 0.5)], ..Panel::default() }]).to_svg();
    let svg = svg.expect("there are points");
    assert!(svg.contains("a&lt;b&gt;&amp;c") && !svg.contains("<b>"));
    assert!(placed(&svg).iter().any(|p| p.text == "a<b>&c" && p.area.1 - p.area.0 == text_width("a<b>&c", TEXT)));
}

fn bars(rows: Vec<Bar>) -> BarChart {
    let names =
        ["payload", "headers, preambles", "TCP ACK frames", "collisions, EIFS, ACK timeouts", "nothing to send"];
    BarChart {
        title: "tcp loses 16.0 % to udp, and no other row is clearly better".to_owned(),
        subtitle: "wifi-80211n. 5 seeds".to_owned(),
        measure: "Goodput, Mbps".to_owned(),
        notes: "against udp".to_owned(),
        shares: "Share of the air time, %".to_owned(),
        parts: names.iter().zip(SERIES).map(|(name, colour)| Part { name, colour }).collect(),
        rows,
        remarks: vec!["udp: not steady, which takes more than one line to tell. ".repeat(6), "tcp: short".to_owned()],
    }
}

fn bar(label: &str, mean: f64, ci95: Option<f64>) -> Bar {
    Bar {
        label: label.to_owned(),
        measure: Some(Estimate { mean, ci95, n: 5 }),
        figure: figure_with_interval(Some(Estimate { mean, ci95, n: 5 }), 2),
        note: "\u{2212}16.0 %".to_owned(),
        look: Look::of_scheme(label),
        reference: label == "udp",
        shares: vec![700, 60, 38, 200, 2],
    }
}

#[test]
fn bars_bear_their_figures_and_nothing_touches() {
    let rows = vec![
        bar("udp", 135.36, Some(0.07)),
        bar("tcp", 113.72, Some(1.63)),
        bar("tcp-l8 stations.count=10 wifi.mcs=7 transport.congestion=cubic", 1_113.72, Some(300.0)),
        Bar { measure: None, shares: vec![0; 5], ..bar("nothing", 0.0, None) },
        bar("zero", 0.0, None),
    ];
    let svg = bars(rows).to_svg().expect("there are rows");
    assert_readable(&svg);
    for text in ["udp", "113.72 \u{b1} 1.63", "1113.72 \u{b1} 300.00", "70.0", "TCP ACK frames", "0.00", "against udp"]
    {
        assert!(placed(&svg).iter().any(|placed| placed.text == text), "{text}");
    }
    // 2 thousandths are too narrow for a figure.
    assert!(!placed(&svg).iter().any(|placed| placed.text == "0.2"));
}

#[test]
fn a_part_that_no_row_has_is_not_in_the_legend_and_no_rows_are_refused() {
    let mut one = bar("tcp", 10.0, None);
    one.shares = vec![1_000, 0, 0, 0, 0];
    let svg = bars(vec![one]).to_svg().expect("there is a row");
    assert!(svg.contains("\npayload\n") && !svg.contains("TCP ACK frames"));
    assert!(svg.contains("\n100.0\n"));
    assert!(bars(Vec::new()).to_svg().is_err());
}

//! A line chart: one panel, or several that share their axes.
//!
//! In one panel each line bears its name at its right end; several panels share a legend. The vertical axis begins at zero, or below it
//! where a value is negative.

use super::look::{Look, Mark as LineMark};
use super::sheet::{Align, Heading, Legend, Sheet, Swatch, sheet};
use super::style::{self, GRID, INK, LINE, MARGIN, PAPER, QUIET, REFERENCE, TEXT, WIDTH};
use crate::LabError;

mod panel;

use panel::Frame;

/// A line chart.
#[derive(Clone, PartialEq, Debug)]
pub struct LineChart {
    /// What was found, in one sentence without a full stop.
    pub title: String,
    /// Of what: scenario, seeds, run length.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The title of the vertical axis, with its unit: `goodput, Mbps`.
    pub y: String,
    /// The panels, at least one of them with a point.
    pub panels: Vec<Panel>,
}

/// A horizontal axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// What it shows, with its unit: `PHY rate, Mbps`.
    pub title: String,
    /// How values are laid out. [`Scale::Log`] needs them all above zero, and is [`Scale::Linear`] where they are not.
    pub scale: Scale,
    /// Where ticks are, with their labels; where there are none, round numbers are found. A label that would touch another is left out.
    pub ticks: Vec<(f64, String)>,
}

/// How values are laid out along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// Equal differences are equal lengths.
    Linear,
    /// Equal ratios are equal lengths.
    Log,
}

/// One field of lines.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Panel {
    /// What distinguishes it from the others; empty where it stands alone.
    pub title: String,
    /// The lines. A line that is no scheme's has the same place in each panel, and so the same look.
    pub lines: Vec<Line>,
    /// Single values of another source, to compare with.
    pub marks: Vec<Mark>,
}

/// A line with its name.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// What it is called.
    pub name: String,
    /// How it is drawn.
    pub stroke: Stroke,
    /// From left to right. Values that are not finite are left out.
    pub points: Vec<Point>,
}

/// How a line is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stroke {
    /// In this look: that of a scheme.
    Of(Look),
    /// In a look of its own, by its place among such lines.
    Solid,
    /// In the colour of the line before it, dashed: a variant of that one.
    Variant,
    /// Grey and dashed: a bound or a reference, which takes no colour.
    Reference,
}

/// A value at a place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// The place.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Half the width of its 95 % interval, where it has one.
    pub ci95: Option<f64>,
}

/// A single value that is drawn as a ring with a label.
#[derive(Clone, PartialEq, Debug)]
pub struct Mark {
    /// The place.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// What it says: whose value it is, and how much.
    pub label: String,
}

impl Axis {
    /// An axis on which equal differences are equal lengths, with ticks at round numbers.
    pub fn linear(title: &str) -> Self {
        Self { title: title.to_owned(), scale: Scale::Linear, ticks: Vec::new() }
    }

    /// An axis on which equal ratios are equal lengths, with ticks at `ticks`.
    pub fn log(title: &str, ticks: &[f64]) -> Self {
        let ticks = ticks.iter().map(|&at| (at, style::number(at))).collect();
        Self { title: title.to_owned(), scale: Scale::Log, ticks }
    }

    /// An axis with equal steps from each of `names` to the next; the first is at 0, the second at 1.
    pub fn categories(title: &str, names: &[String]) -> Self {
        let ticks = names.iter().enumerate().map(|(n, name)| (n as f64, name.clone())).collect();
        Self { title: title.to_owned(), scale: Scale::Linear, ticks }
    }
}

impl Line {
    /// A line in a colour of its own through these points.
    pub fn new(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let points = points.into_iter().map(|(x, y)| Point { x, y, ci95: None }).collect();
        Self { name: name.to_owned(), stroke: Stroke::Solid, points }
    }

    /// The same in the look of the scheme called `name`.
    #[must_use]
    pub fn of_scheme(self, name: &str) -> Self {
        self.drawn(Stroke::Of(Look::of_scheme(name)))
    }

    /// The same drawn as `stroke`.
    #[must_use]
    pub fn drawn(self, stroke: Stroke) -> Self {
        Self { stroke, ..self }
    }
}

impl LineChart {
    /// The chart as SVG.
    ///
    /// # Errors
    /// Where no panel has a point with finite values.
    pub fn to_svg(&self) -> Result<String, LabError> {
        self.to_svg_above(&[])
    }

    /// The same with what must be known of the figures below it.
    pub(crate) fn to_svg_above(&self, remarks: &[String]) -> Result<String, LabError> {
        let range = self.range().ok_or(LabError::Nothing("a line chart needs at least one point"))?;
        let heading = Heading::new(&self.title, &self.subtitle);
        let alone = self.panels.len() == 1;
        let legend = if alone { Legend { entries: Vec::new() } } else { self.legend() };
        let columns = columns(self.panels.len());
        let rows = self.panels.len().div_ceil(columns) as i32;
        let plot = if alone { 340 } else { 190 };
        // Above a panel its title and that of the vertical axis, below it ticks.
        let row_height = plot + if alone { LINE + 8 } else { 2 * LINE + 10 } + LINE + 14;
        let top = heading.height() + legend.height();
        let below = top + rows * row_height + LINE + if remarks.is_empty() { 0 } else { 14 };
        let remarks: Vec<_> = remarks.iter().flat_map(|text| style::wrap(text, TEXT, WIDTH - 2 * MARGIN)).collect();
        sheet(below + remarks.len() as i32 * LINE + MARGIN, |sheet| {
            for (n, line) in remarks.iter().enumerate() {
                sheet.text(line, (MARGIN, below + n as i32 * LINE + LINE / 2), Align::Left, INK)?;
            }
            heading.draw(sheet)?;
            legend.draw(sheet, heading.height())?;
            for (n, panel) in self.panels.iter().enumerate() {
                let (column, row) = ((n % columns) as i32, (n / columns) as i32);
                let upper = top + row * row_height;
                let frame = self.frame(column, columns as i32, upper, plot, range);
                self.draw_panel(sheet, panel, &frame, upper)?;
            }
            let middle = MARGIN + (WIDTH - 2 * MARGIN) / 2;
            sheet.text(&self.x.title, (middle, top + rows * row_height + LINE / 2), Align::Center, QUIET)
        })
    }

    /// The lowest and highest places and values of all panels: `((x, x), (y, y))`.
    fn range(&self) -> Option<((f64, f64), (f64, f64))> {
        let lines = self.panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points);
        let points = lines.map(|point| (point.x, point.y, point.ci95.filter(|ci95| ci95.is_finite()).unwrap_or(0.0)));
        let marks = self.panels.iter().flat_map(|panel| &panel.marks).map(|mark| (mark.x, mark.y, 0.0));
        let mut all = points.chain(marks).filter(|(x, y, _)| x.is_finite() && y.is_finite()).peekable();
        all.peek()?;
        let none = ((f64::INFINITY, f64::NEG_INFINITY), (0.0, 0.0));
        Some(all.fold(none, |((left, right), (low, high)): ((f64, f64), (f64, f64)), (x, y, ci95)| {
            ((left.min(x), right.max(x)), (low.min(y), high.max(y + ci95)))
        }))
    }

    /// The lines by name in the order in which they first appear.
    fn legend(&self) -> Legend {
        let mut entries: Vec<(String, Swatch)> = Vec::new();
        for panel in &self.panels {
            for (line, look) in panel.lines.iter().zip(looks(&panel.lines)) {
                if !entries.iter().any(|(name, _)| *name == line.name) {
                    entries.push((line.name.clone(), Swatch::Line(look)));
                }
            }
        }
        Legend { entries }
    }

    /// Where the panel in this column is drawn.
    fn frame(&self, column: i32, columns: i32, upper: i32, plot: i32, range: ((f64, f64), (f64, f64))) -> Frame {
        let alone = self.panels.len() == 1;
        let ticks = style::round_ticks(range.1.0, range.1.1.max(range.1.0 + f64::MIN_POSITIVE.max(1e-9)), 5);
        let widest = ticks.iter().map(|&tick| style::text_width(&style::number(tick), TEXT)).max().unwrap_or(0);
        let names = self.panels.iter().flat_map(|panel| &panel.lines).map(|line| style::text_width(&line.name, TEXT));
        let room = if alone { (names.max().unwrap_or(0) + 26).min(WIDTH / 3) } else { 14 };
        let width = (WIDTH - 2 * MARGIN) / columns;
        let left = MARGIN + column * width;
        let top = upper + if alone { LINE + 8 } else { 2 * LINE + 10 };
        let log = self.x.scale == Scale::Log && range.0.0 > 0.0;
        Frame::new((left + widest + 10, left + width - room), (top, top + plot), range.0, log, ticks)
    }

    fn draw_panel(&self, sheet: &Sheet<'_>, panel: &Panel, frame: &Frame, upper: i32) -> Result<(), LabError> {
        let alone = self.panels.len() == 1;
        let left = frame.outer_left();
        let mut y = upper + LINE / 2;
        if !alone {
            sheet.bold(&panel.title, (left, y), TEXT, INK)?;
            y += LINE;
        }
        sheet.text(&self.y, (left, y), Align::Left, QUIET)?;
        frame.draw_axes(sheet, &self.x.ticks)?;
        let looks = looks(&panel.lines);
        for (line, &look) in panel.lines.iter().zip(&looks) {
            frame.draw_line(sheet, line, look)?;
        }
        frame.draw_marks(sheet, &panel.marks)?;
        if alone { frame.draw_names(sheet, &panel.lines, &looks) } else { Ok(()) }
    }
}

/// The look of each line.
fn looks(lines: &[Line]) -> Vec<Look> {
    let mut next = 0;
    let mut last = Look::of_place(0);
    let look = |line: &Line| match line.stroke {
        Stroke::Of(look) => {
            last = look;
            look
        }
        Stroke::Solid => {
            last = Look::of_place(next);
            next += 1;
            last
        }
        Stroke::Variant => last.with_mark(LineMark::Dashed),
        Stroke::Reference => Look::REFERENCE,
    };
    lines.iter().map(look).collect()
}

/// In how many columns so many panels stand.
fn columns(panels: usize) -> usize {
    match panels {
        0 | 1 => 1,
        2 | 4 => 2,
        _ => 3,
    }
}

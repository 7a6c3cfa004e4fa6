//! Where a panel lies on the sheet, how values become pixels, and the drawing of what is in it.

use plotters::style::RGBColor;

use super::{Align, GRID, INK, LINE, Line, Look, Mark, PAPER, QUIET, REFERENCE, Sheet, Stroke, TEXT, style};
use crate::LabError;

/// The field of a panel in pixels, and the values at its edges.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
    x: (f64, f64),
    log: bool,
    y_ticks: Vec<f64>,
}

impl Frame {
    /// A frame between these columns and rows of pixels. `range` are the places to show; `log` needs them above zero.
    pub(super) fn new(
        (left, right): (i32, i32),
        (top, bottom): (i32, i32),
        range: (f64, f64),
        log: bool,
        y_ticks: Vec<f64>,
    ) -> Self {
        let place = |value: f64| if log { libm::log(value) } else { value };
        Self { left, right, top, bottom, x: (place(range.0), place(range.1)), log, y_ticks }
    }

    /// Where the labels of the vertical axis begin.
    pub(super) fn outer_left(&self) -> i32 {
        let widest = self.y_ticks.iter().map(|&tick| style::text_width(&style::number(tick), TEXT)).max();
        self.left - widest.unwrap_or(0) - 10
    }

    fn column(&self, x: f64) -> i32 {
        let place = if self.log { libm::log(x) } else { x };
        let (low, high) = self.x;
        let share = if high > low { (place - low) / (high - low) } else { 0.5 };
        // The outermost points stand clear of the frame.
        let (left, right) = (self.left + INSET, self.right - INSET);
        left + (share * f64::from(right - left)).round() as i32
    }

    fn row(&self, y: f64) -> i32 {
        let (low, high) = (self.y_ticks[0], self.y_ticks[self.y_ticks.len() - 1]);
        let share = ((y - low) / (high - low)).clamp(0.0, 1.0);
        self.bottom - (share * f64::from(self.bottom - self.top)).round() as i32
    }

    /// Draws the grid and the ticks of both axes. Without `ticks` the horizontal ones are round numbers.
    pub(super) fn draw_axes(&self, sheet: &Sheet<'_>, ticks: &[(f64, String)]) -> Result<(), LabError> {
        for &tick in &self.y_ticks {
            let y = self.row(tick);
            sheet.line(&[(self.left, y), (self.right, y)], 1, if tick == 0.0 { REFERENCE } else { GRID })?;
            sheet.text(&style::number(tick), (self.left - 8, y), Align::Right, QUIET)?;
        }
        let found: Vec<(f64, String)>;
        let ticks = if ticks.is_empty() && self.x.1 > self.x.0 {
            let round = style::round_ticks(self.x.0, self.x.1, 7);
            let inside = round.into_iter().filter(|&at| at >= self.x.0 && at <= self.x.1);
            found = inside.map(|at| (at, style::number(at))).collect();
            &found
        } else {
            ticks
        };
        let places = ticks.iter().filter(|(at, _)| at.is_finite() && (!self.log || *at > 0.0));
        let places: Vec<(i32, &str)> = places.map(|(at, label)| (self.column(*at), label.as_str())).collect();
        for (x, label) in without_touching(&places) {
            if (self.left..=self.right).contains(&x) {
                sheet.line(&[(x, self.bottom), (x, self.bottom + 4)], 1, REFERENCE)?;
                sheet.text(label, (x, self.bottom + 6 + LINE / 2), Align::Center, QUIET)?;
            }
        }
        Ok(())
    }

    /// Draws a line, its points and their intervals.
    pub(super) fn draw_line(&self, sheet: &Sheet<'_>, line: &Line, look: Look) -> Result<(), LabError> {
        let points: Vec<(i32, i32)> = self.visible(line).map(|(x, y, _)| (self.column(x), self.row(y))).collect();
        sheet.path(&points, look)?;
        let colour = look.colour();
        for (x, y, ci95) in self.visible(line) {
            if let Some(ci95) = ci95 {
                let (x, from, to) = (self.column(x), self.row(y - ci95), self.row(y + ci95));
                sheet.line(&[(x, from), (x, to)], 1, colour)?;
                for end in [from, to] {
                    sheet.line(&[(x - 3, end), (x + 3, end)], 1, colour)?;
                }
            }
        }
        // Points so close that they touch are a curve, and a dot on each would hide it.
        let dense = points.len() > 1 && (self.right - self.left) / points.len() as i32 <= 10;
        if matches!(line.stroke, Stroke::Solid | Stroke::Of(_)) && !dense {
            points.iter().try_for_each(|&at| sheet.point(at, look))?;
        }
        Ok(())
    }

    /// Draws rings with their labels, each label on whichever side touches no other one.
    pub(super) fn draw_marks(&self, sheet: &Sheet<'_>, marks: &[Mark]) -> Result<(), LabError> {
        let mut taken: Vec<(i32, i32, i32)> = Vec::new();
        for mark in marks.iter().filter(|mark| mark.x.is_finite() && mark.y.is_finite()) {
            if self.log && mark.x <= 0.0 {
                continue;
            }
            let (x, y) = (self.column(mark.x), self.row(mark.y));
            sheet.ring((x, y), 5, INK)?;
            let width = style::text_width(&mark.label, TEXT);
            let sides = [(10, 0), (-10 - width, 0), (10, LINE), (-10 - width, LINE), (10, -LINE), (-10 - width, -LINE)];
            let free = |&(dx, dy): &(i32, i32)| {
                let (from, row) = (x + dx, y + dy);
                let inside = from >= self.left && from + width <= self.right && row > self.top && row < self.bottom;
                inside && taken.iter().all(|&(l, r, t)| from + width < l || from > r || (row - t).abs() >= LINE)
            };
            let (dx, dy) = sides.iter().copied().find(free).unwrap_or(sides[0]);
            taken.push((x + dx, x + dx + width, y + dy));
            // Lines that run there stop at the label.
            sheet.block((x + dx, y + dy - LINE / 2), (x + dx + width, y + dy + LINE / 2), PAPER)?;
            sheet.text(&mark.label, (x + dx, y + dy), Align::Left, INK)?;
        }
        Ok(())
    }

    /// Writes the name of each line at its right end.
    pub(super) fn draw_names(&self, sheet: &Sheet<'_>, lines: &[Line], looks: &[Look]) -> Result<(), LabError> {
        let ends: Vec<(usize, (i32, i32))> = lines
            .iter()
            .enumerate()
            .filter_map(|(n, line)| self.visible(line).last().map(|(x, y, _)| (n, (self.column(x), self.row(y)))))
            .collect();
        let mut rows: Vec<i32> = ends.iter().map(|(_, (_, y))| *y).collect();
        style::spread(&mut rows, LINE - 2, self.top, self.bottom);
        for ((n, end), row) in ends.into_iter().zip(rows) {
            let start = self.right + 14;
            sheet.line(&[(end.0 + 5, end.1), (start - 4, row)], 1, GRID)?;
            sheet.text(&lines[n].name, (start, row), Align::Left, darker(looks[n].colour()))?;
        }
        Ok(())
    }

    /// The points that have a place in this frame: place, value, interval.
    fn visible<'a>(&'a self, line: &'a Line) -> impl Iterator<Item = (f64, f64, Option<f64>)> + 'a {
        let shown = line.points.iter().filter(|p| p.x.is_finite() && p.y.is_finite() && (!self.log || p.x > 0.0));
        shown.map(|point| (point.x, point.y, point.ci95.filter(|ci95| ci95.is_finite())))
    }
}

/// The labels of an axis, without those that would touch one that is kept: the first and the last come before those between.
fn without_touching<'a>(places: &[(i32, &'a str)]) -> Vec<(i32, &'a str)> {
    let reach = |&(x, label): &(i32, &str)| {
        let half = style::text_width(label, TEXT) / 2 + 4;
        (x - half, x + half)
    };
    let mut kept: Vec<(i32, &str)> = Vec::new();
    for place in places.last().into_iter().chain(places) {
        let (from, to) = reach(place);
        if kept.iter().all(|other| to < reach(other).0 || from > reach(other).1) {
            kept.push(*place);
        }
    }
    kept
}

/// A colour dark enough for text on white.
fn darker(colour: RGBColor) -> RGBColor {
    let RGBColor(red, green, blue) = colour;
    let scale = |part: u8| (u32::from(part) * 3 / 4) as u8;
    RGBColor(scale(red), scale(green), scale(blue))
}

/// How far the outermost points stand from the edge of the frame, in pixels.
const INSET: i32 = 8;

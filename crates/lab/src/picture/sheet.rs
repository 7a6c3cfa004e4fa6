//! What a picture is drawn on: a sheet with texts and shapes, a heading above, a legend.

use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, IntoFont, RGBColor, ShapeStyle, TextStyle};

use super::look::{Look, Mark};
use super::style::{self, INK, LINE, MARGIN, PAPER, QUIET, TEXT, TITLE, WIDTH};
use crate::LabError;

/// A sheet that is drawn on: [`WIDTH`] pixels wide, with (0, 0) at its upper left.
pub(super) struct Sheet<'a>(DrawingArea<SVGBackend<'a>, Shift>);

/// Where a text stands to its point; vertically its middle is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Align {
    /// It begins at the point.
    Left,
    /// Its middle is at the point.
    Center,
    /// It ends at the point.
    Right,
}

/// Draws a sheet of this height and gives it back as SVG.
pub(super) fn sheet(height: i32, draw: impl FnOnce(&Sheet<'_>) -> Result<(), LabError>) -> Result<String, LabError> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH as u32, height.max(1) as u32)).into_drawing_area();
        area.fill(&PAPER).map_err(failure)?;
        let sheet = Sheet(area);
        draw(&sheet)?;
        sheet.0.present().map_err(failure)?;
    }
    Ok(svg)
}

/// A title with the finding, and lines below it that say of what.
#[derive(Clone, Debug)]
pub(super) struct Heading {
    title: Vec<String>,
    subtitle: Vec<String>,
}

impl Heading {
    pub(super) fn new(title: &str, subtitle: &str) -> Self {
        let width = WIDTH - 2 * MARGIN;
        // A bold face is wider.
        Self { title: style::wrap(title, TITLE, width * 9 / 10), subtitle: style::wrap(subtitle, TEXT, width) }
    }

    /// Down to where the heading reaches.
    pub(super) fn height(&self) -> i32 {
        MARGIN + self.title.len() as i32 * (TITLE + 7) + self.subtitle.len() as i32 * LINE + 8
    }

    pub(super) fn draw(&self, sheet: &Sheet<'_>) -> Result<(), LabError> {
        let mut y = MARGIN + TITLE / 2;
        for line in &self.title {
            sheet.bold(line, (MARGIN, y), TITLE, INK)?;
            y += TITLE + 7;
        }
        for line in &self.subtitle {
            sheet.text(line, (MARGIN, y), Align::Left, QUIET)?;
            y += LINE;
        }
        Ok(())
    }
}

/// Names beside swatches, in rows.
#[derive(Clone, Debug)]
pub(super) struct Legend {
    pub(super) entries: Vec<(String, Swatch)>,
}

/// What stands beside a name in a legend.
#[derive(Clone, Copy, Debug)]
pub(super) enum Swatch {
    /// A surface of this colour.
    Surface(RGBColor),
    /// A piece of a line, with a point.
    Line(Look),
}

impl Legend {
    /// Where each entry begins: its column in pixels and its row.
    fn places(&self) -> Vec<(i32, i32)> {
        let (mut x, mut row) = (MARGIN, 0);
        let mut places = Vec::new();
        for (name, _) in &self.entries {
            let width = self.swatch() + 6 + style::text_width(name, TEXT) + 18;
            if x > MARGIN && x + width > WIDTH - MARGIN {
                (x, row) = (MARGIN, row + 1);
            }
            places.push((x, row));
            x += width;
        }
        places
    }

    pub(super) fn height(&self) -> i32 {
        self.places().last().map_or(0, |(_, row)| (row + 1) * (LINE + 2) + 6)
    }

    pub(super) fn draw(&self, sheet: &Sheet<'_>, top: i32) -> Result<(), LabError> {
        let width = self.swatch();
        for ((name, swatch), (x, row)) in self.entries.iter().zip(self.places()) {
            let y = top + row * (LINE + 2) + LINE / 2;
            match swatch {
                Swatch::Surface(colour) => sheet.block((x, y - SWATCH / 2), (x + width, y + SWATCH / 2), *colour)?,
                Swatch::Line(look) => {
                    sheet.path(&[(x, y), (x + width, y)], *look)?;
                    sheet.point((x + width / 2, y), *look)?;
                }
            }
            sheet.text(name, (x + width + 6, y), Align::Left, INK)?;
        }
        Ok(())
    }

    /// The width of its swatches: that of a line shows how it is broken.
    fn swatch(&self) -> i32 {
        let lines = self.entries.iter().any(|(_, swatch)| matches!(swatch, Swatch::Line(_)));
        if lines { 3 * SWATCH } else { SWATCH }
    }
}

impl Sheet<'_> {
    pub(super) fn text(&self, text: &str, at: (i32, i32), align: Align, colour: RGBColor) -> Result<(), LabError> {
        self.write(text, at, align, TEXT, FontStyle::Normal, colour)
    }

    pub(super) fn bold(&self, text: &str, at: (i32, i32), size: i32, colour: RGBColor) -> Result<(), LabError> {
        self.write(text, at, Align::Left, size, FontStyle::Bold, colour)
    }

    fn write(
        &self,
        text: &str,
        at: (i32, i32),
        align: Align,
        size: i32,
        face: FontStyle,
        colour: RGBColor,
    ) -> Result<(), LabError> {
        let align = match align {
            Align::Left => HPos::Left,
            Align::Center => HPos::Center,
            Align::Right => HPos::Right,
        };
        // The backend divides sizes by this factor.
        let font = ("sans-serif", f64::from(size) * 1.24).into_font().style(face);
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(align, VPos::Center));
        self.0.draw(&Text::new(text, at, style)).map_err(failure)
    }

    pub(super) fn block(
        &self,
        upper_left: (i32, i32),
        lower_right: (i32, i32),
        colour: RGBColor,
    ) -> Result<(), LabError> {
        self.0.draw(&Rectangle::new([upper_left, lower_right], colour.filled())).map_err(failure)
    }

    pub(super) fn line(&self, points: &[(i32, i32)], width: u32, colour: RGBColor) -> Result<(), LabError> {
        self.0.draw(&PathElement::new(points.to_vec(), stroke(colour, width))).map_err(failure)
    }

    /// A line through these points, broken as its mark says.
    pub(super) fn path(&self, points: &[(i32, i32)], look: Look) -> Result<(), LabError> {
        match look.mark.dashes() {
            [] => self.line(points, 2, look.colour()),
            pattern => dashes(points, pattern).iter().try_for_each(|dash| self.line(dash, 2, look.colour())),
        }
    }

    /// A point of a line, as its mark says; a reference has none.
    pub(super) fn point(&self, (x, y): (i32, i32), look: Look) -> Result<(), LabError> {
        let (colour, side) = (look.colour(), 3);
        match look.mark {
            _ if look == Look::REFERENCE => Ok(()),
            Mark::Plain => self.dot((x, y), side, colour),
            Mark::Dashed => self.ring((x, y), side, colour),
            Mark::Dotted => self.block((x - side, y - side), (x + side, y + side), colour),
            Mark::Mixed => {
                self.block((x - side - 1, y - side - 1), (x + side + 1, y + side + 1), colour)?;
                self.block((x - side + 1, y - side + 1), (x + side - 1, y + side - 1), PAPER)
            }
        }
    }

    /// A surface with the pattern of its mark; a reference has none.
    pub(super) fn surface(&self, from: (i32, i32), to: (i32, i32), look: Look) -> Result<(), LabError> {
        self.block(from, to, look.colour())?;
        let ((left, top), (right, bottom)) = (from, to);
        match look.mark {
            _ if look == Look::REFERENCE => Ok(()),
            Mark::Plain => Ok(()),
            Mark::Dashed => {
                (left + 8..=right - 4).step_by(12).try_for_each(|x| self.block((x, top), (x + 3, bottom), PAPER))
            }
            Mark::Dotted => {
                (top + 5..=bottom - 4).step_by(8).try_for_each(|y| self.block((left, y), (right, y + 2), PAPER))
            }
            Mark::Mixed if right - left > 8 && bottom - top > 8 => {
                self.block((left + 4, top + 4), (right - 4, bottom - 4), PAPER)
            }
            Mark::Mixed => Ok(()),
        }
    }

    pub(super) fn dot(&self, at: (i32, i32), radius: i32, colour: RGBColor) -> Result<(), LabError> {
        self.0.draw(&Circle::new(at, radius, colour.filled())).map_err(failure)
    }

    pub(super) fn ring(&self, at: (i32, i32), radius: i32, colour: RGBColor) -> Result<(), LabError> {
        self.dot(at, radius, PAPER)?;
        self.0.draw(&Circle::new(at, radius, stroke(colour, 2))).map_err(failure)
    }
}

/// A path as the dashes of `pattern`, which has the lengths of dashes and gaps in turn, in pixels.
fn dashes(points: &[(i32, i32)], pattern: &[f64]) -> Vec<[(i32, i32); 2]> {
    let period: f64 = pattern.iter().sum();
    let mut dashes = Vec::new();
    // How far into the pattern the path is.
    let mut phase = 0.0;
    for pair in points.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
        let length = (dx * dx + dy * dy).sqrt();
        let at = |along: f64| {
            let share = (along / length).clamp(0.0, 1.0);
            (from.0 + (dx * share).round() as i32, from.1 + (dy * share).round() as i32)
        };
        let mut along = -phase;
        while along < length {
            let mut begin = along;
            for parts in pattern.chunks(2) {
                if begin + parts[0] > 0.0 && begin < length {
                    dashes.push([at(begin), at(begin + parts[0])]);
                }
                begin += parts.iter().sum::<f64>();
            }
            along += period;
        }
        phase = period - (along - length);
    }
    dashes
}

fn stroke(colour: RGBColor, width: u32) -> ShapeStyle {
    colour.stroke_width(width)
}

fn failure(error: impl std::fmt::Display) -> LabError {
    LabError::Format("SVG", error.to_string())
}

/// The side of a legend's swatch, in pixels.
const SWATCH: i32 = 12;

//! Bars for the rows of a comparison: what each one carries, and below what its time went into.

use plotters::style::RGBColor;

use super::look::Look;
use super::sheet::{Align, Heading, Legend, Sheet, Swatch, sheet};
use super::style::{self, GRID, INK, LINE, MARGIN, QUIET, REFERENCE, TEXT, WIDTH};
use crate::LabError;
use crate::statistics::Estimate;

/// Two fields of bars with the same rows: a measure with its interval, and shares that add up.
#[derive(Clone, Debug)]
pub struct BarChart {
    /// What was found, in one sentence without a full stop.
    pub title: String,
    /// Of what: scenario, seeds, run length.
    pub subtitle: String,
    /// The title of the upper field, with its unit: `goodput, Mbps`.
    pub measure: String,
    /// The title of the notes beside the bars.
    pub notes: String,
    /// The title of the lower field, with its unit.
    pub shares: String,
    /// What the shares are of, in the order in which they are stacked. A part that no row has anything of is not shown.
    pub parts: Vec<Part>,
    /// The rows, at least one.
    pub rows: Vec<Bar>,
    /// What stands below: what must be known of the figures.
    pub remarks: Vec<String>,
}

/// What a share is of.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Part {
    /// Its name in the legend.
    pub name: &'static str,
    /// Its colour.
    pub colour: RGBColor,
}

/// A row.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What it is called.
    pub label: String,
    /// How much it measures, where it was measured; not negative.
    pub measure: Option<Estimate>,
    /// The same as text.
    pub figure: String,
    /// What else is said beside the bar.
    pub note: String,
    /// How its bar looks.
    pub look: Look,
    /// Whether this is what others are measured against; a line leads from its end through the others then.
    pub reference: bool,
    /// The share of each part, in thousandths of the whole.
    pub shares: Vec<u32>,
}

/// Where the bars of both fields stand.
#[derive(Clone, Copy, Debug)]
struct Layout {
    left: i32,
    /// Where the longest bar of the upper field ends.
    right: i32,
    /// Where the figures beside the bars begin.
    figures: i32,
    /// The measure of the longest bar with its interval.
    longest: f64,
}

impl BarChart {
    /// The chart as SVG.
    ///
    /// # Errors
    /// Where there are no rows.
    pub fn to_svg(&self) -> Result<String, LabError> {
        if self.rows.is_empty() {
            return Err(LabError::Nothing("a bar chart needs at least one row"));
        }
        let heading = Heading::new(&self.title, &self.subtitle);
        let part = |n: usize| (self.parts[n].name.to_owned(), Swatch::Surface(self.parts[n].colour));
        let legend = Legend { entries: self.shown().map(part).collect() };
        let layout = self.layout();
        let bars = self.rows.len() as i32 * PITCH;
        let measures = heading.height() + LINE + 6;
        let shares = measures + bars + 14;
        let stacks = shares + LINE + 6 + legend.height();
        let remarks: Vec<_> =
            self.remarks.iter().flat_map(|text| style::wrap(text, TEXT, WIDTH - 2 * MARGIN)).collect();
        let below = stacks + bars - (PITCH - BAR) + if remarks.is_empty() { 0 } else { 14 };
        sheet(below + remarks.len() as i32 * LINE + MARGIN, |sheet| {
            for (n, line) in remarks.iter().enumerate() {
                sheet.text(line, (MARGIN, below + n as i32 * LINE + LINE / 2), Align::Left, INK)?;
            }
            heading.draw(sheet)?;
            sheet.bold(&self.measure, (MARGIN, measures - 6 - LINE / 2), TEXT, INK)?;
            if self.rows.iter().any(|row| !row.note.is_empty()) {
                let at = (WIDTH - MARGIN, measures - 6 - LINE / 2);
                sheet.text(&self.notes, at, Align::Right, QUIET)?;
            }
            self.draw_measures(sheet, layout, measures)?;
            sheet.bold(&self.shares, (MARGIN, shares + LINE / 2), TEXT, INK)?;
            legend.draw(sheet, shares + LINE + 6)?;
            self.draw_stacks(sheet, layout, stacks)
        })
    }

    fn layout(&self) -> Layout {
        let labels = self.rows.iter().map(|row| style::text_width(&row.label, TEXT)).max().unwrap_or(0);
        let widest = |of: fn(&Bar) -> String| self.rows.iter().map(|row| style::text_width(&of(row), TEXT)).max();
        let notes = widest(|row| row.note.clone()).filter(|&width| width > 0);
        let notes = notes.map_or(0, |width| width.max(style::text_width(&self.notes, TEXT)) + 18);
        let left = MARGIN + labels.min(WIDTH / 3) + 10;
        let figures = WIDTH - MARGIN - notes - widest(|row| row.figure.clone()).unwrap_or(0);
        let right = figures - 14;
        let longest = self.rows.iter().filter_map(|row| row.measure).map(|m| m.mean + m.ci95.unwrap_or(0.0));
        Layout { left, right, figures, longest: longest.filter(|value| value.is_finite()).fold(0.0, f64::max) }
    }

    fn draw_measures(&self, sheet: &Sheet<'_>, layout: Layout, top: i32) -> Result<(), LabError> {
        let bottom = top + self.rows.len() as i32 * PITCH - (PITCH - BAR);
        let reference = self.rows.iter().filter(|row| row.reference).filter_map(|row| row.measure).next();
        for (n, row) in self.rows.iter().enumerate() {
            let upper = top + n as i32 * PITCH;
            let middle = upper + BAR / 2;
            label(sheet, &row.label, layout.left, middle)?;
            let Some(measure) = row.measure else { continue };
            let end = layout.column(measure.mean);
            sheet.surface((layout.left, upper), (end, upper + BAR), row.look)?;
            let interval = measure.ci95.unwrap_or(0.0);
            let (from, to) = (layout.column(measure.mean - interval), layout.column(measure.mean + interval));
            if to > from {
                sheet.line(&[(from, middle), (to, middle)], 1, INK)?;
                for x in [from, to] {
                    sheet.line(&[(x, middle - 3), (x, middle + 3)], 1, INK)?;
                }
            }
            sheet.text(&row.figure, (layout.figures, middle), Align::Left, INK)?;
            sheet.text(&row.note, (WIDTH - MARGIN, middle), Align::Right, INK)?;
        }
        if let (Some(reference), true) = (reference, self.rows.len() > 1) {
            let x = layout.column(reference.mean);
            let from = self.rows.iter().position(|row| row.reference).unwrap_or(0) as i32;
            let dashes = (top + from * PITCH + BAR..bottom).step_by(8);
            for dash in dashes {
                sheet.line(&[(x, dash), (x, (dash + 4).min(bottom))], 1, REFERENCE)?;
            }
        }
        sheet.line(&[(layout.left, top - 3), (layout.left, bottom + 3)], 1, REFERENCE)
    }

    fn draw_stacks(&self, sheet: &Sheet<'_>, layout: Layout, top: i32) -> Result<(), LabError> {
        let (left, width) = (layout.left, WIDTH - MARGIN - layout.left);
        let column = |thousandths: u32| left + (i64::from(width) * i64::from(thousandths) / 1_000) as i32;
        for (n, row) in self.rows.iter().enumerate() {
            let upper = top + n as i32 * PITCH;
            let middle = upper + BAR / 2;
            label(sheet, &row.label, left, middle)?;
            sheet.block((left, upper), (left + width, upper + BAR), GRID)?;
            let mut sum = 0;
            for (part, &share) in self.parts.iter().zip(&row.shares) {
                let (from, to) = (column(sum), column((sum + share).min(1_000)));
                sum += share;
                if share == 0 || to <= from {
                    continue;
                }
                // A pixel between neighbours tells them apart where colours do not.
                let until = if to - from > 3 { to - 1 } else { to };
                sheet.block((from, upper), (until, upper + BAR), part.colour)?;
                let text = format!("{}.{}", share / 10, share % 10);
                if style::text_width(&text, TEXT) + 2 <= to - from {
                    sheet.text(&text, ((from + to) / 2, middle), Align::Center, style::ink_on(part.colour))?;
                }
            }
        }
        Ok(())
    }

    /// The parts of which some row has a share, by their places.
    fn shown(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.parts.len()).filter(|&n| self.rows.iter().any(|row| row.shares.get(n).is_some_and(|&share| share > 0)))
    }
}

impl Layout {
    fn column(&self, measure: f64) -> i32 {
        let share = if self.longest > 0.0 { (measure / self.longest).clamp(0.0, 1.0) } else { 0.0 };
        self.left + (share * f64::from(self.right - self.left)).round() as i32
    }
}

fn label(sheet: &Sheet<'_>, text: &str, left: i32, middle: i32) -> Result<(), LabError> {
    sheet.text(&style::shorten(text, TEXT, left - 10 - MARGIN), (left - 8, middle), Align::Right, QUIET)
}

/// The height of a bar, in pixels.
const BAR: i32 = 20;
/// From one bar to the next, in pixels.
const PITCH: i32 = 26;

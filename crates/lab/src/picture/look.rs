//! How a scheme looks: a colour and a mark of its own, the same in every picture and whatever else is shown.
//!
//! Twelve colours are told apart on white; with four marks they make 48 looks. The schemes that are shown most often
//! have the plain mark. The bound, UDP, is grey. `tools/today/run` has the colours that it needs once more, and
//! `ackless.plot` takes them from here.

use plotters::style::RGBColor;

use super::style::REFERENCE;
use crate::case::BOUND;

/// How a line, a bar or a swatch is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Look {
    /// The place of the colour in [`COLOURS`]; `None` is the grey of a reference.
    place: Option<usize>,
    /// What tells it from others of its colour.
    pub mark: Mark,
}

/// What tells looks of one colour apart: how a line is broken, its points, and the pattern of a surface.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// A whole line with discs; a whole surface.
    Plain,
    /// A dashed line with rings; vertical stripes.
    Dashed,
    /// A dotted line with squares; horizontal stripes.
    Dotted,
    /// A line of dashes and dots with open squares; a frame.
    Mixed,
}

impl Look {
    /// The look of a bound or a reference.
    pub const REFERENCE: Self = Self { place: None, mark: Mark::Dashed };

    /// The look of the scheme called `name`; of another name, one that follows from its letters.
    pub fn of_scheme(name: &str) -> Self {
        if name == BOUND {
            return Self::REFERENCE;
        }
        let find = |(mark, names): &(Mark, [&str; COLOURS.len()])| {
            Some(Self { place: Some(names.iter().position(|own| *own == name)?), mark: *mark })
        };
        SCHEMES.iter().find_map(find).unwrap_or_else(|| {
            let sum = name.bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
            Self::of_place(sum)
        })
    }

    /// The look of the nth of lines that are no schemes; after 48 they begin anew.
    pub const fn of_place(n: usize) -> Self {
        let (mark, _) = SCHEMES[n / COLOURS.len() % SCHEMES.len()];
        Self { place: Some(n % COLOURS.len()), mark }
    }

    /// The same colour with another mark.
    pub(super) const fn with_mark(self, mark: Mark) -> Self {
        Self { mark, ..self }
    }

    /// The colour.
    pub const fn colour(self) -> RGBColor {
        match self.place {
            Some(place) => COLOURS[place],
            None => REFERENCE,
        }
    }

    /// The colour as a web page writes it: `#0072b2`.
    pub fn hex(self) -> String {
        let RGBColor(red, green, blue) = self.colour();
        format!("#{red:02x}{green:02x}{blue:02x}")
    }
}

impl Mark {
    /// The lengths of dashes and gaps in turn, in pixels; none for a whole line.
    pub(super) const fn dashes(self) -> &'static [f64] {
        match self {
            Self::Plain => &[],
            Self::Dashed => &[7.0, 4.0],
            Self::Dotted => &[2.0, 3.0],
            Self::Mixed => &[9.0, 3.0, 2.0, 3.0],
        }
    }

    /// As Python and JSON call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Dashed => "dashed",
            Self::Dotted => "dotted",
            Self::Mixed => "mixed",
        }
    }
}

/// Six colours that people with any of the common colour deficiencies tell apart (Okabe and Ito, "Color universal
/// design", 2008), and six darker ones between them.
const COLOURS: [RGBColor; 12] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x6a, 0x3d, 0x9a),
    RGBColor(0x7a, 0x48, 0x1e),
    RGBColor(0x80, 0x8c, 0x00),
    RGBColor(0xb0, 0x10, 0x30),
    RGBColor(0x1c, 0x2b, 0x70),
    RGBColor(0xe0, 0x2c, 0xb4),
];

/// For each mark the scheme of each colour; an empty name is free.
const SCHEMES: [(Mark, [&str; COLOURS.len()]); 4] = [
    (
        Mark::Plain,
        [
            "agent",
            "tcp",
            "hack",
            "filter-action",
            "arq",
            "tcp-l4",
            "tack",
            "hack-timer",
            "hack-opportunistic",
            "tcp-l1",
            "tcp-l8",
            "bbr",
        ],
    ),
    (
        Mark::Dashed,
        [
            "agent-promise",
            "stock",
            "hack-rohc",
            "filter",
            "arq-more-data",
            "tcp-l16",
            "tack-wifi",
            "zoom",
            "cw2",
            "tcp-l2",
            "linux",
            "cubic",
        ],
    ),
    (
        Mark::Dotted,
        [
            "agent-flag",
            "fastack",
            "hack-wifi",
            "filter-noack",
            "arq-hash",
            "bbr-l8",
            "tack-poor",
            "ack-share",
            "ack-request",
            "bbr-l4",
            "bbr-l16",
            "bbr3",
        ],
    ),
    (
        Mark::Mixed,
        [
            "agent-zoom",
            "",
            "",
            "filter-data",
            "arq-stateless",
            "broadcom-hold",
            "tack-cubic",
            "cake-aggressive",
            "broadcom",
            "samsung",
            "tack-delayed",
            "cake",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ackless_scenario::Row;

    use super::*;

    #[test]
    fn every_scheme_has_a_look_of_its_own() {
        let looks: BTreeSet<_> = Row::all().iter().map(|row| Look::of_scheme(row.name)).map(key).collect();
        assert_eq!(looks.len(), Row::all().len(), "two schemes look alike");
        let listed = |name: &str| name == BOUND || SCHEMES.iter().any(|(_, names)| names.contains(&name));
        for row in Row::all() {
            assert!(listed(row.name), "{} has no look in SCHEMES", row.name);
        }
    }

    #[test]
    fn colours_are_told_apart() {
        let all: Vec<_> = COLOURS.iter().chain([&REFERENCE]).collect();
        for (n, a) in all.iter().enumerate() {
            for b in &all[..n] {
                assert!(distance(**a, **b) > 80.0, "{a:?} and {b:?}: {}", distance(**a, **b));
            }
        }
    }

    #[test]
    fn the_places_of_lines_that_are_no_schemes_look_different_too() {
        let looks: BTreeSet<_> = (0..48).map(Look::of_place).map(key).collect();
        assert_eq!(looks.len(), 48);
    }

    #[test]
    fn the_picture_of_todays_cells_has_the_same_colours() {
        let tool = include_str!("../../../../tools/today/run");
        for scheme in ["tcp", "hack"] {
            let colour = format!("\"{scheme}\": \"{}\"", Look::of_scheme(scheme).hex());
            assert!(tool.contains(&colour), "{colour}");
        }
    }

    fn key(look: Look) -> (String, &'static str) {
        (look.hex(), look.mark.name())
    }

    /// Riemersma's approximation of how far apart colours look ("Colour metric", CompuPhase): 0 to 765.
    fn distance(RGBColor(r1, g1, b1): RGBColor, RGBColor(r2, g2, b2): RGBColor) -> f64 {
        let red = (f64::from(r1) + f64::from(r2)) / 2.0;
        let square = |a: u8, b: u8| (f64::from(a) - f64::from(b)).powi(2);
        let sum = (2.0 + red / 256.0) * square(r1, r2) + 4.0 * square(g1, g2);
        (sum + (2.0 + (255.0 - red) / 256.0) * square(b1, b2)).sqrt()
    }
}

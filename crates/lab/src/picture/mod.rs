//! Results as pictures: SVG that stands in any browser and any page, drawn with `plotters`.
//!
//! - `comparison` and [`sweep`](sweep()) draw what `ackless compare` and `ackless sweep` found;
//! - [`bars`]: a measure for each row, and what its time went into; [`lines`]: one or several panels of lines over a quantity;
//! - `sheet`: what they are drawn on, its heading and its legend;
//! - [`look`]: the colour and mark of each scheme; [`style`]: other colours, sizes, round numbers.
//!
//! A title says what was found, not what is drawn; every axis has its unit; a line bears its own name where there is room. Fonts are the
//! reader's, so the layout keeps clear of what a wide one takes. The same figures give the same bytes: coordinates are whole pixels.

pub mod bars;
mod comparison;
pub mod lines;
pub mod look;
mod sheet;
pub mod style;
mod sweep;

pub use sweep::sweep;

#[cfg(test)]
mod tests;

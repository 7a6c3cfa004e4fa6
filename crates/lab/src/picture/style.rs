//! What all pictures have in common: colours, type sizes, round numbers for axes, and how wide a text is.

use plotters::style::RGBColor;

/// Text that is to be read first.
pub const INK: RGBColor = RGBColor(0x1f, 0x23, 0x28);
/// Text that explains: subtitles, ticks, units.
pub const QUIET: RGBColor = RGBColor(0x59, 0x63, 0x6e);
/// Lines of a grid.
pub const GRID: RGBColor = RGBColor(0xe1, 0xe4, 0xe8);
/// An axis, and a reference against which others are seen.
pub const REFERENCE: RGBColor = RGBColor(0x6e, 0x77, 0x81);
/// What everything is drawn on, so that it is readable on a dark page too.
pub const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);

/// Colours that people with any of the common colour deficiencies tell apart (Okabe and Ito, "Color universal design", 2008), but
/// for their yellow, which is lost on white as a line, and their black, which is the ink.
pub const SERIES: [RGBColor; 6] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
];

/// The width of every picture, in pixels.
pub const WIDTH: i32 = 860;
/// The margin around a picture, in pixels.
pub const MARGIN: i32 = 20;
/// The size of a title, in pixels.
pub const TITLE: i32 = 19;
/// The size of all other text, in pixels.
pub const TEXT: i32 = 13;
/// From one line of text to the next, in pixels.
pub const LINE: i32 = 18;

/// The ink for text on a surface of this colour: dark on light ones and white on dark ones.
pub fn ink_on(surface: RGBColor) -> RGBColor {
    let RGBColor(red, green, blue) = surface;
    // The weights of ITU-R BT.601, in thousandths.
    let luma = (299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue)) / 1_000;
    if luma > 135 { INK } else { PAPER }
}

/// About how wide `text` is at `size` pixels, in pixels. Which sans-serif font a reader has is unknown: this is that of wide ones.
pub fn text_width(text: &str, size: i32) -> i32 {
    let thousandths: i32 = text
        .chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 330,
            ' ' | 'f' | 't' | 'r' | '-' | '(' | ')' | '/' => 410,
            'm' | 'w' | 'M' | 'W' | '%' | '=' | '+' | '±' => 950,
            'A'..='Z' => 710,
            _ => 620,
        })
        .sum();
    (thousandths * size + 999) / 1_000
}

/// `text` in lines of at most `width` pixels at `size`, broken at spaces; a longer word stands alone.
pub fn wrap(text: &str, size: i32, width: i32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(line, size) + text_width(word, size) + text_width(" ", size) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// `text` in at most `width` pixels at `size`: if it is too long, its beginning and an ellipsis.
pub fn shorten(text: &str, size: i32, width: i32) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let mut short = text.to_owned();
    while short.pop().is_some() && text_width(&short, size) + size > width {}
    format!("{}…", short.trim_end())
}

/// Round numbers from at most `low` to at least `high`, in steps of 1, 2 or 5 times a power of ten, about `count` of them.
/// `low` must be below `high`, and both finite.
pub fn round_ticks(low: f64, high: f64, count: u32) -> Vec<f64> {
    let rough = (high - low) / f64::from(count.max(1));
    let mut power = 1.0;
    while power * 10.0 <= rough && power < 1e300 {
        power *= 10.0;
    }
    while power > rough && power > 1e-300 {
        power /= 10.0;
    }
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&step| step >= rough);
    let step = step.unwrap_or(power * 10.0);
    let (first, last) = ((low / step).floor(), (high / step).ceil());
    (0..=(last - first) as u32).map(|n| (first + f64::from(n)) * step).collect()
}

/// A number as a tick shows it: no more decimals than it needs, at most four.
pub fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Moves `places`, each the middle of a label, apart until neighbours are `gap` from each other, all between `low` and `high` if there
/// is room. Their order is kept; labels that do not touch stay where they are.
pub fn spread(places: &mut [i32], gap: i32, low: i32, high: i32) {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|&n| (places[n], n));
    let mut floor = low;
    for &n in &order {
        places[n] = places[n].max(floor);
        floor = places[n] + gap;
    }
    let mut ceiling = high;
    for &n in order.iter().rev() {
        places[n] = places[n].min(ceiling);
        ceiling = places[n] - gap;
    }
}

/// `text` with its first letter as a capital.
pub(crate) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_range() {
        assert_eq!(round_ticks(0.0, 135.4, 5), [0.0, 50.0, 100.0, 150.0]);
        assert_eq!(round_ticks(0.0, 0.9, 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(round_ticks(-3.0, 21.0, 5), [-5.0, 0.0, 5.0, 10.0, 15.0, 20.0, 25.0]);
        assert_eq!(round_ticks(0.0, 4e9, 4), [0.0, 1e9, 2e9, 3e9, 4e9]);
    }

    #[test]
    fn numbers_have_no_needless_decimals() {
        let texts = [0.0, -0.0, 150.0, 2.5, 0.6000000000000001, -5.0].map(number);
        assert_eq!(texts, ["0", "0", "150", "2.5", "0.6", "-5"]);
    }

    #[test]
    fn labels_move_apart_and_stay_in_order() {
        let mut places = [100, 98, 101, 300];
        spread(&mut places, 15, 0, 310);
        assert_eq!(places, [113, 98, 128, 300]);
        let mut places = [300, 305, 310];
        spread(&mut places, 15, 0, 310);
        assert_eq!(places, [280, 295, 310]);
    }

    #[test]
    fn text_breaks_at_spaces() {
        let lines = wrap("TCP carries 16 % less than UDP", 10, 100);
        assert!(lines.len() > 1 && lines.iter().all(|line| text_width(line, 10) <= 100), "{lines:?}");
        assert_eq!(lines.join(" "), "TCP carries 16 % less than UDP");
    }

    #[test]
    fn a_long_text_is_cut_with_an_ellipsis() {
        assert_eq!(shorten("tcp-l8", 13, 100), "tcp-l8");
        let short = shorten("tcp-l8 stations.count=10 wifi.mcs=7", 13, 100);
        assert!(short.starts_with("tcp-l8 ") && short.ends_with('…') && text_width(&short, 13) <= 100, "{short}");
        assert_eq!(shorten("tcp", 13, 0), "…");
    }

    #[test]
    fn ink_is_readable_on_every_surface() {
        assert_eq!(ink_on(PAPER), INK);
        assert_eq!(ink_on(SERIES[0]), PAPER);
        assert_eq!(ink_on(SERIES[4]), INK);
    }
}

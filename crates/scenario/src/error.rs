//! What is wrong with a scenario: the place, the reason, and the remedy.

use std::fmt;

use crate::printable::{brief, printable};

/// A mistake in a scenario file or in an override.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct ScenarioError {
    /// Where it is.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What is allowed, or what to do; may be empty.
    pub help: String,
}

/// Where a mistake is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// In a file.
    File {
        /// Its name.
        name: String,
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
        /// The text of that line.
        text: String,
    },
    /// In an override, as it was given.
    Override(String),
    /// In a value that nobody gave: a default, or the choice of a row, which does not go with what was given.
    Key(String),
    /// In a name on the command line.
    Name(String),
}

impl ScenarioError {
    /// A mistake at `place`.
    pub(crate) fn new(place: Place, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { place, message: message.into(), help: help.into() }
    }
}

impl Place {
    /// The place of byte `offset` in the file `name` with the text `source`.
    pub(crate) fn in_file(name: &str, source: &str, offset: usize) -> Self {
        let offset = (0..=offset.min(source.len())).rev().find(|&at| source.is_char_boundary(at)).unwrap_or(0);
        let before = &source[..offset];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let text = source[start..].lines().next().unwrap_or("").to_owned();
        let line = before.matches('\n').count() + 1;
        Self::File { name: name.to_owned(), line, column: source[start..offset].chars().count() + 1, text }
    }
}

impl fmt::Display for ScenarioError {
    /// One line with place and message; the line of the file with a mark under it; and the help.
    /// What others wrote is quoted as [`printable`] shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::File { name, line, column, .. } => write!(f, "{}:{line}:{column}: ", brief(name))?,
            Place::Override(argument) => write!(f, "--set {}: ", brief(argument))?,
            Place::Key(key) => write!(f, "{}: ", printable(key))?,
            Place::Name(name) => write!(f, "`{}`: ", brief(name))?,
        }
        f.write_str(&printable(&self.message))?;
        if let Place::File { column, text, .. } = &self.place {
            let (line, mark) = excerpt(text, *column);
            write!(f, "\n    {line}\n    {:mark$}^", "")?;
        }
        if !self.help.is_empty() {
            write!(f, "\n  help: {}", printable(&self.help))?;
        }
        Ok(())
    }
}

/// The part of a line that is shown for a mistake in this column, and the number of characters
/// before the mistake there. A tab becomes a space.
fn excerpt(line: &str, column: usize) -> (String, usize) {
    let shown = |text: &str| printable(&text.replace('\t', " ")).into_owned();
    let mut parts = line.char_indices().map(|(at, _)| at).chain([line.len()]);
    let length = parts.clone().count() - 1;
    let at = |parts: &mut dyn Iterator<Item = usize>, n: usize| parts.nth(n).unwrap_or(line.len());
    let from = if length <= LONGEST_LINE { 0 } else { column.saturating_sub(LONGEST_LINE / 2) };
    let (start, mistake) = (at(&mut parts.clone(), from), at(&mut parts.clone(), column - 1));
    let end = at(&mut parts, from + LONGEST_LINE);
    let before = if from > 0 { "..." } else { "" };
    let after = if end < line.len() { "..." } else { "" };
    let lead = format!("{before}{}", shown(&line[start..mistake]));
    let mark = lead.chars().count();
    (format!("{lead}{}{after}", shown(&line[mistake..end.max(mistake)])), mark)
}

/// How many characters of a line are shown.
const LONGEST_LINE: usize = 120;

#[cfg(test)]
mod tests {
    use ackless_wire::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn a_place_counts_lines_and_characters_from_one() {
        let source = "a = 1\n\u{e9}\u{e9} = 2\n";
        let Place::File { line, column, text, .. } = Place::in_file("x", source, source.find('=').unwrap_or(0) + 9)
        else {
            panic!("a place in a file is one");
        };
        assert_eq!((line, column, text.as_str()), (2, 4, "\u{e9}\u{e9} = 2"));
        let past_the_end = Place::in_file("x", source, 10_000);
        assert!(matches!(past_the_end, Place::File { line: 3, column: 1, .. }), "{past_the_end:?}");
    }

    #[test]
    fn a_message_quotes_what_others_wrote_visibly_and_marks_its_place() {
        let source = "[wifi]\n\t\u{1b}[2Jx\u{202e}y = 5\n";
        let at = source.find('y').unwrap_or(0);
        let place = Place::in_file("a\u{1b}]0;b\u{7}.toml", source, at);
        let message = ScenarioError::new(place, "unknown key `x\u{9b}31m\n`", "\u{200b}").to_string();
        let expected =
            "a\\u{1b}]0;b\\u{7}.toml:2:8: unknown key `x\\u{9b}31m\\n`\n     \\u{1b}[2Jx\\u{202e}y = 5\n    ";
        assert!(message.starts_with(expected), "{message:?}");
        let lines: Vec<_> = message.lines().collect();
        assert_eq!(lines[2].find('^'), lines[1].find("y = 5"), "{message}");
        assert_eq!(lines[3], "  help: \\u{200b}");
    }

    #[test]
    fn of_a_long_line_the_part_around_the_mistake_is_shown() {
        let line = format!("{}bad{}", "\u{e9}".repeat(5_000), "z".repeat(5_000));
        let (shown, mark) = excerpt(&line, 5_001);
        assert!(shown.chars().count() <= LONGEST_LINE + 6, "{shown}");
        assert!(shown.chars().skip(mark).collect::<String>().starts_with("badzz"), "{shown}");
        assert_eq!(excerpt("short", 6), ("short".to_owned(), 5));
        assert_eq!(excerpt("", 1), (String::new(), 0));
    }

    #[test]
    fn of_any_line_and_column_an_excerpt_is_short_and_its_mark_is_under_the_mistake() {
        let letters = ['a', ' ', '\u{e9}', '\u{65e5}', '\u{1f600}', 'z'];
        for seed in 0..200 {
            let mut stream = Stream::new(seed, 0, Purpose::Test);
            let line: String =
                (0..stream.below(400)).map(|_| letters[stream.below(letters.len() as u64) as usize]).collect();
            for column in (1..=line.chars().count() + 3).step_by(7) {
                let (shown, mark) = excerpt(&line, column);
                assert_eq!(
                    shown.chars().nth(mark),
                    line.chars().nth(column - 1),
                    "seed {seed}, column {column}: {line}"
                );
                assert!(shown.chars().count() <= LONGEST_LINE + 6, "seed {seed}, column {column}: {shown}");
            }
        }
    }
}

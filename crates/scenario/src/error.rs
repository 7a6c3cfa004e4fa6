//! What is wrong with a scenario: the place, the reason, and the remedy.

use std::fmt;

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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::File { name, line, column, .. } => write!(f, "{name}:{line}:{column}: ")?,
            Place::Override(argument) => write!(f, "--set {argument}: ")?,
            Place::Key(key) => write!(f, "{key}: ")?,
            Place::Name(name) => write!(f, "`{name}`: ")?,
        }
        f.write_str(&self.message)?;
        if let Place::File { column, text, .. } = &self.place {
            // Tabs are kept in the padding so that the mark stands under its character.
            let padding: String = text.chars().take(column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            write!(f, "\n    {text}\n    {padding}^")?;
        }
        if !self.help.is_empty() {
            write!(f, "\n  help: {}", self.help)?;
        }
        Ok(())
    }
}

/// The entry of `known` that `typed` was probably meant to be.
pub fn suggestion<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let fold = |text: &str| text.to_lowercase().replace('-', "_");
    let typed = fold(typed);
    let limit = (typed.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (distance(&typed, &fold(candidate)), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// "did you mean `x`? ", or nothing, before `rest`.
pub(crate) fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>, rest: &str) -> String {
    match suggestion(typed, known) {
        Some(candidate) => format!("did you mean `{candidate}`? {rest}"),
        None => rest.to_owned(),
    }
}

/// Edits that turn `a` into `b`: insertions, deletions, replacements and swaps of neighbours (restricted
/// Damerau-Levenshtein distance). Texts beyond 64 characters are as far apart as can be.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(65).collect(), b.chars().take(65).collect());
    if a.len() > 64 || b.len() > 64 {
        return usize::MAX;
    }
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_likely_typing_mistake_is_recognised_and_an_unlikely_one_is_not() {
        let known = ["mcs", "streams", "guard_interval", "rate"];
        assert_eq!(suggestion("msc", known), Some("mcs"));
        assert_eq!(suggestion("guard-interval", known), Some("guard_interval"));
        assert_eq!(suggestion("gaurd_intervall", known), Some("guard_interval"));
        assert_eq!(suggestion("colour", known), None);
        assert_eq!(suggestion("", known), None);
        assert_eq!(suggestion(&"x".repeat(10_000), known), None);
    }

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
}

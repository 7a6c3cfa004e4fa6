//! Names that are not known, and what was probably meant.

/// The entry of `known` that `typed` was probably meant to be. Another number is none: `bbr2` does
/// not mean `bbr3`.
pub fn suggestion<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let ranked = ranked(typed, known).into_iter();
    ranked.filter(|found| found.is_likely).min_by_key(|found| found.distance).map(|found| found.name)
}

/// The three entries of `known` that are nearest to `typed`, the nearest first.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    ranked(typed, known).into_iter().take(NEAREST).map(|found| found.name).collect()
}

/// "did you mean `x`? ", or nothing, before `rest`.
pub(crate) fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>, rest: &str) -> String {
    match suggestion(typed, known) {
        Some(candidate) => format!("did you mean `{candidate}`? {rest}"),
        None => rest.to_owned(),
    }
}

/// What to do about a name that is none of `known`: the likely one and, where `known` has few, all
/// of them after `what`, else the three nearest and `listed`, which says where all are.
pub(crate) fn help_on_name(typed: &str, known: &[&str], what: &str, listed: &str) -> String {
    if known.len() <= FEW {
        return did_you_mean(typed, known.iter().copied(), &format!("{what} are {}", known.join(", ")));
    }
    let likely = suggestion(typed, known.iter().copied());
    let near: Vec<_> = nearest(typed, known.iter().copied())
        .into_iter()
        .filter(|name| likely != Some(name))
        .map(|name| format!("`{name}`"))
        .collect();
    match likely {
        Some(likely) => format!("did you mean `{likely}`? near it: {}; {listed}", near.join(", ")),
        None => format!("the nearest are {}; {listed}", near.join(", ")),
    }
}

struct Found<'a> {
    name: &'a str,
    distance: usize,
    /// Whether it was probably meant.
    is_likely: bool,
}

/// Every entry of `known`, the nearest to `typed` first: the likely ones, those that contain it,
/// those that are part of it, and the others.
fn ranked<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<Found<'a>> {
    let typed = fold(typed);
    let limit = (typed.chars().count() / 3).max(1);
    let mut found: Vec<_> = known
        .into_iter()
        .map(|name| {
            let folded = fold(name);
            let distance = distance(&typed, &folded);
            let is_likely = distance <= limit && !is_other_number(&typed, &folded);
            let is_more = typed.len() >= SHORTEST_PART && folded.contains(&typed);
            let is_less = typed.len() >= SHORTEST_PART && typed.contains(&folded);
            // Three edits of twelve characters are less than three of three.
            let length = typed.chars().count().max(folded.chars().count()).max(1);
            (
                (!is_likely, !is_more, !is_less, distance.min(length) * 1_000 / length),
                Found { name, distance, is_likely },
            )
        })
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, found)| found).collect()
}

fn fold(text: &str) -> String {
    text.to_lowercase().replace('-', "_")
}

/// Whether two texts differ in their digits alone.
fn is_other_number(a: &str, b: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    a != b && letters(a) == letters(b)
}

/// Edits that turn `a` into `b`: insertions, deletions, replacements and swaps of neighbours
/// (restricted Damerau-Levenshtein distance). Texts beyond 64 characters are as far apart as can
/// be.
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

/// How many names are shown where there are many.
const NEAREST: usize = 3;
/// So many names are shown whole.
const FEW: usize = 6;
/// A shorter text is part of too much.
const SHORTEST_PART: usize = 3;

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
    fn another_number_is_no_typing_mistake() {
        assert_eq!(suggestion("bbr2", ["bbr", "bbr3"]), None);
        assert_eq!(suggestion("320MHz", ["20MHz", "40MHz", "80MHz", "160MHz"]), None);
        assert_eq!(suggestion("6GHz", ["2.4GHz", "5GHz"]), None);
        assert_eq!(suggestion("bbr33", ["bbr3", "cubci"]), None);
        assert_eq!(suggestion("bbr4", ["bbr3", "bbrx"]), Some("bbrx"));
    }

    #[test]
    fn of_many_names_the_three_nearest_are_shown_and_of_few_all() {
        let many = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "long-zeta-name"];
        assert_eq!(nearest("long-zeta", many)[0], "long-zeta-name");
        let help = help_on_name("bete", &many, "the letters", "`x` lists all");
        assert_eq!(help, "did you mean `beta`? near it: `zeta`, `delta`; `x` lists all");
        let help = help_on_name("omikron", &many, "the letters", "`x` lists all");
        assert!(help.starts_with("the nearest are `") && help.ends_with("; `x` lists all"), "{help}");
        assert_eq!(help.matches('`').count(), 8, "{help}");
        assert_eq!(
            help_on_name("bete", &many[..3], "the letters", ""),
            "did you mean `beta`? the letters are alpha, beta, gamma"
        );
    }
}

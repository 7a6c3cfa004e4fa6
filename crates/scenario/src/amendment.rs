//! Amendments of 802.11 that are not modelled, by the names that people give them.

/// The amendment that `typed` names, if it is one that is not modelled: `wifi-80211ax`, `802.11be`,
/// `11ax`, `wifi6` or `ax`.
pub fn unmodelled(typed: &str) -> Option<String> {
    let folded: String = typed.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    let folded = folded.strip_prefix("ieee").unwrap_or(&folded);
    if let Some(generation) = folded.strip_prefix("wifi").and_then(generation) {
        return Some(generation.to_owned());
    }
    let after = |prefix: &str| folded.find(prefix).map(|at| &folded[at + prefix.len()..]);
    let rest = after("80211").or_else(|| folded.strip_prefix("wifi11")).or_else(|| folded.strip_prefix("11"));
    let letters: String = match rest {
        Some(rest) => rest.chars().take_while(char::is_ascii_alphabetic).collect(),
        // Without a number only the two letters alone are an amendment.
        None if folded.len() == 2 => folded.to_owned(),
        None => return None,
    };
    let (amendment, generation) = AMENDMENTS.iter().find(|(amendment, _)| *amendment == letters)?;
    let generation = if generation.is_empty() { String::new() } else { format!(" ({generation})") };
    Some(format!("802.11{amendment}{generation}"))
}

/// The word for the standard that `typed` names, if it is one that is modelled: `11n` for `802.11N`, `wifi4` or `n`.
pub(crate) fn modelled(typed: &str) -> Option<&'static str> {
    let folded: String = typed.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    let name = ["ieee", "wifi", "802", "11"].iter().fold(folded.as_str(), |name, prefix| {
        // What is written in front of the letters.
        name.strip_prefix(prefix).unwrap_or(name)
    });
    match name {
        "b" => Some("11b"),
        "a" => Some("11a"),
        "g" => Some("11g"),
        "n" | "4" => Some("11n"),
        "ac" | "5" => Some("11ac"),
        _ => None,
    }
}

fn generation(number: &str) -> Option<&'static str> {
    match number {
        "6" | "6e" => Some("802.11ax (Wi-Fi 6)"),
        "7" => Some("802.11be (Wi-Fi 7)"),
        "8" => Some("802.11bn (Wi-Fi 8)"),
        _ => None,
    }
}

/// What is modelled, in a sentence.
pub(crate) const MODELLED: &str = "802.11b, 802.11a, 802.11g, 802.11n and 802.11ac are";

const AMENDMENTS: &[(&str, &str)] = &[
    ("ax", "Wi-Fi 6"),
    ("be", "Wi-Fi 7"),
    ("bn", "Wi-Fi 8"),
    ("ad", "60 GHz"),
    ("ay", "60 GHz"),
    ("aj", "60 GHz"),
    ("af", "television bands"),
    ("ah", "below 1 GHz"),
    ("bd", "vehicles"),
    ("bf", "sensing"),
    ("j", "10 MHz channels"),
    ("p", "vehicles"),
    ("y", "3.6 GHz"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standard_that_is_modelled_has_its_word() {
        for (name, word) in
            [("n", "11n"), ("802.11N", "11n"), ("wifi-80211ac", "11ac"), ("Wi-Fi 5", "11ac"), ("A", "11a")]
        {
            assert_eq!(modelled(name), Some(word), "{name}");
        }
        for name in ["", "11", "11ax", "802.11be", "wifi6", "nn"] {
            assert_eq!(modelled(name), None, "{name}");
        }
    }

    #[test]
    fn an_amendment_is_known_by_each_of_its_names_and_what_is_modelled_is_none() {
        for name in [
            "wifi-80211ax",
            "802.11ax",
            "80211ax",
            "11ax",
            "11AX",
            "IEEE 802.11ax-2021",
            "wifi6",
            "Wi-Fi 6E",
            "ax",
            "hack-80211ax-80",
            "wifi-11ax",
        ] {
            assert_eq!(unmodelled(name).as_deref(), Some("802.11ax (Wi-Fi 6)"), "{name}");
        }
        for name in ["wifi-80211be", "11be", "wifi7", "802.11be"] {
            assert_eq!(unmodelled(name).as_deref(), Some("802.11be (Wi-Fi 7)"), "{name}");
        }
        for name in [
            "",
            "11",
            "11n",
            "802.11ac",
            "wifi-80211n",
            "wifi-80211n-300",
            "wifi5",
            "wifi-mixed",
            "tack-80211ac",
            "axe",
            "wifi-80211m",
            "\u{e9}",
        ] {
            assert_eq!(unmodelled(name), None, "{name}");
        }
    }
}

//! Foreign text in messages: characters that a terminal obeys, or that nobody sees, are written
//! out.

use std::borrow::Cow;

/// `text` with every hidden character written as its escape, such as `\u{1b}`, `\n` or `\u{202e}`.
///
/// Hidden are control characters (Unicode's Cc), format characters such as bidirectional overrides
/// and zero-width spaces (Cf), line and paragraph separators, default ignorable characters, and
/// code points that Unicode has not assigned. A backslash stays as it is.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_shown(c) {
            shown.push(c);
        } else {
            shown.extend(c.escape_default());
        }
    }
    Cow::Owned(shown)
}

/// As [`printable`], but newlines stay.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    if text.lines().all(|line| line.chars().all(is_shown)) && !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let lines: Vec<_> = text.split('\n').map(printable).collect();
    Cow::Owned(lines.join("\n"))
}

/// As [`printable`], but of a long text only the beginning.
pub fn brief(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => Cow::Owned(format!("{}...", printable(&text[..end]))),
        None => printable(text),
    }
}

/// The first character of `text` that [`printable`] would escape.
pub(crate) fn hidden(text: &str) -> Option<char> {
    text.chars().find(|&c| !is_shown(c))
}

fn is_shown(c: char) -> bool {
    if c.is_ascii() {
        return c == ' ' || c.is_ascii_graphic();
    }
    match c {
        '\u{2028}' | '\u{2029}' => false,
        // Default ignorable characters that are letters or marks, which the standard library shows.
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' => false,
        '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}' => false,
        c if c.is_control() => false,
        c if c.is_whitespace() => true,
        // The standard library knows what Unicode calls printable. A combining mark is escaped only
        // where it begins a text.
        c => {
            let mut buffer = [b'a'; 5];
            let len = c.encode_utf8(&mut buffer[1..]).len();
            let text = std::str::from_utf8(&buffer[..=len]).expect("a letter and a character are text");
            text.escape_debug().nth(1) == Some(c)
        }
    }
}

/// How many characters of a foreign text a message quotes.
const LONGEST: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_or_nobody_sees_is_written_out() {
        for c in (0..0x20).chain(0x7f..0xa0).filter_map(char::from_u32) {
            let text = format!("a{c}b");
            assert_eq!(hidden(&text), Some(c));
            assert!(printable(&text).chars().all(|c| matches!(c, ' '..='~')), "{c:?}");
        }
        for c in
            "\u{200b}\u{200d}\u{200f}\u{202e}\u{2066}\u{2028}\u{2029}\u{feff}\u{ad}\u{61c}\u{e0041}\u{3164}\u{fe0f}"
                .chars()
        {
            assert_eq!(printable(&format!("a{c}b")), format!("a\\u{{{:x}}}b", c as u32));
        }
    }

    #[test]
    fn what_people_write_stays_as_it_is() {
        for text in [
            "",
            "a b",
            r"C:\x",
            "\"it's\"",
            "\u{e9}",
            "e\u{301}",
            "\u{b5}s \u{b1} 2",
            "\u{65e5}\u{672c}",
            "\u{928}\u{93f}",
            "\u{1f600}",
            "20\u{a0}Mbps",
        ] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text), "{text:?}");
            assert_eq!(hidden(text), None, "{text:?}");
        }
    }

    #[test]
    fn newlines_stay_in_lines_alone_and_a_long_text_is_cut() {
        assert_eq!(printable("a\nb\tc"), r"a\nb\tc");
        assert_eq!(printable_lines("a\nb\u{1b}[1mc\r\n"), "a\nb\\u{1b}[1mc\\r\n");
        assert!(matches!(printable_lines("a\nb\n"), Cow::Borrowed("a\nb\n")));
        let long = "\u{e9}".repeat(10_000);
        assert_eq!(brief(&long).chars().count(), LONGEST + 3);
        assert_eq!(brief("short\u{7f}"), r"short\u{7f}");
    }
}

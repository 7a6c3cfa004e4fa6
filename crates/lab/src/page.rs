//! The page that people read: how wide it is, and texts that are wrapped to a width.

use std::cell::Cell;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// `text` with newlines instead of spaces where its lines would have more than `width` columns. A
/// single word that is wider stays as it is.
pub fn wrapped(text: &str, width: usize) -> String {
    let lines = text.split('\n').map(|line| {
        if line.width() <= width {
            return line.to_owned();
        }
        let mut wrapped = String::new();
        let mut column = 0;
        for word in line.split(' ') {
            let long = word.width();
            if column > 0 && column + 1 + long > width {
                wrapped.push('\n');
                column = 0;
            } else if column > 0 {
                wrapped.push(' ');
                column += 1;
            }
            wrapped.push_str(word);
            column += long;
        }
        wrapped
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// As [`wrapped`], and a word that is wider is divided.
pub(crate) fn broken(text: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for line in wrapped(text, width).split('\n') {
        for c in line.chars() {
            let last = lines.last_mut().expect("there is a line");
            if last.is_empty() || last.width() + c.width().unwrap_or(0) <= width {
                last.push(c);
            } else {
                lines.push(c.to_string());
            }
        }
        lines.push(String::new());
    }
    lines.pop();
    lines.join("\n")
}

/// What `make` makes, with tables and descriptions of at most `width` columns in this thread
/// meanwhile.
pub fn within<T>(width: usize, make: impl FnOnce() -> T) -> T {
    struct Before(usize);
    impl Drop for Before {
        fn drop(&mut self) {
            WIDTH.set(self.0);
        }
    }
    let _before = Before(WIDTH.replace(width));
    make()
}

/// How many columns a page has here and now.
pub(crate) fn page_width() -> usize {
    WIDTH.get()
}

thread_local! {
    static WIDTH: Cell<usize> = const { Cell::new(PAGE_WIDTH) };
}

/// How many columns a line for people has at most, unless a single figure or word is wider, where
/// nothing says how wide the terminal is.
pub const PAGE_WIDTH: usize = 120;

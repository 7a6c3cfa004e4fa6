//! A table that is written row by row, as CSV (RFC 4180, but for line ends of one byte) or as JSON (RFC 8259).

use std::fmt::Write as _;
use std::io::{self, Write};

use ackless_wire::Instant;

/// In what form a timeline is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Two texts of comma-separated values.
    Csv,
    /// One object with both tables.
    Json,
}

/// A table in the making.
#[derive(Debug)]
pub(super) struct Table<W> {
    output: W,
    format: Format,
    columns: usize,
    /// Whether there is a row already.
    begun: bool,
    /// One row, kept for its memory.
    line: String,
}

/// A value in a row.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Field<'a> {
    /// A number.
    Number(u64),
    /// A word of ours, which needs no quoting in CSV and no escape in JSON.
    Word(&'static str),
    /// A name from the scenario, which may be anything.
    Text(&'a str),
    /// Nothing.
    Empty,
}

impl<W: Write> Table<W> {
    /// Begins a table. `opening` goes before it in JSON.
    pub(super) fn begin(mut output: W, format: Format, opening: &str, columns: &[&str]) -> io::Result<Self> {
        let header = match format {
            Format::Csv => columns.join(","),
            Format::Json => format!("{opening}{{\"columns\":[\"{}\"],\n\"rows\":[", columns.join("\",\"")),
        };
        output.write_all(header.as_bytes())?;
        if format == Format::Csv {
            output.write_all(b"\n")?;
        }
        Ok(Self { output, format, columns: columns.len(), begun: false, line: String::new() })
    }

    pub(super) const fn format(&self) -> Format {
        self.format
    }

    /// Writes a row with a field for each column.
    pub(super) fn row<'a>(&mut self, fields: impl IntoIterator<Item = Field<'a>>) -> io::Result<()> {
        self.line.clear();
        if self.format == Format::Json {
            self.line.push_str(if self.begun { ",\n[" } else { "\n[" });
        }
        let mut count = 0;
        for field in fields {
            if count > 0 {
                self.line.push(',');
            }
            count += 1;
            field.write(self.format, &mut self.line);
        }
        debug_assert_eq!(count, self.columns, "a row has a field for each column");
        self.line.push(if self.format == Format::Json { ']' } else { '\n' });
        self.begun = true;
        self.output.write_all(self.line.as_bytes())
    }

    /// Ends the table and gives the writer back.
    pub(super) fn end(mut self) -> io::Result<W> {
        if self.format == Format::Json {
            self.output.write_all(b"\n]}")?;
        }
        Ok(self.output)
    }
}

impl Field<'_> {
    fn write(self, format: Format, line: &mut String) {
        match (self, format) {
            (Self::Number(number), _) => write!(line, "{number}").expect("a string takes all that is written"),
            (Self::Word(word), Format::Csv) => line.push_str(word),
            (Self::Word(word), Format::Json) => json_string(word, line),
            (Self::Text(text), Format::Json) => json_string(text, line),
            (Self::Text(text), Format::Csv) if text.contains([',', '"', '\n', '\r']) => {
                line.push('"');
                line.push_str(&text.replace('"', "\"\""));
                line.push('"');
            }
            (Self::Text(text), Format::Csv) => line.push_str(text),
            (Self::Empty, Format::Csv) => {}
            (Self::Empty, Format::Json) => line.push_str("null"),
        }
    }
}

impl From<Instant> for Field<'_> {
    fn from(instant: Instant) -> Self {
        Self::Number(instant.as_nanos())
    }
}

fn json_string(text: &str, line: &mut String) {
    line.push('"');
    for c in text.chars() {
        match c {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            c if c < ' ' => write!(line, "\\u{:04x}", u32::from(c)).expect("a string takes all that is written"),
            c => line.push(c),
        }
    }
    line.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(format: Format) -> String {
        let mut table = Table::begin(Vec::new(), format, "", &["a", "b", "c"]).expect("memory takes it");
        table.row([Field::Number(7), Field::Word("ok"), Field::Empty]).expect("memory takes it");
        table.row([Field::Number(8), Field::Text("x, \"y\"\n"), Field::Text("ap")]).expect("memory takes it");
        String::from_utf8(table.end().expect("memory takes it")).expect("a table is text")
    }

    #[test]
    fn csv_quotes_what_needs_it_and_json_escapes_it() {
        assert_eq!(written(Format::Csv), "a,b,c\n7,ok,\n8,\"x, \"\"y\"\"\n\",ap\n");
        let json =
            "{\"columns\":[\"a\",\"b\",\"c\"],\n\"rows\":[\n[7,\"ok\",null],\n[8,\"x, \\\"y\\\"\\u000a\",\"ap\"]\n]}";
        assert_eq!(written(Format::Json), json);
    }
}

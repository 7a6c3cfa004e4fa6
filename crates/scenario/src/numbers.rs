//! Files of numbers as NumPy, pandas and spreadsheets write them: lines of fields, of which some
//! are wanted.
//!
//! A line's fields are divided by semicolons where it has any, else by tabs, else by commas, else
//! by blanks; those between double quotes do not count. A number has any number of decimals and
//! perhaps an exponent. Empty lines and what follows a `#` do not count, nor does a first line
//! whose wanted fields are words. A byte-order mark and either kind of line end are taken. The
//! `csv` crate would not do: it knows neither runs of blanks nor where in its line a field stands,
//! which every message says.

use crate::error::Place;
use crate::printable::brief;

/// A number with its place, as an offset into the text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Number {
    pub(crate) value: f64,
    pub(crate) at: usize,
}

/// What is wrong with a file.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    /// Where, as an offset into the text.
    pub(crate) at: usize,
    pub(crate) message: String,
    pub(crate) help: String,
}

/// A field with its place.
#[derive(Clone, Copy, Debug)]
struct Field<'t> {
    text: &'t str,
    at: usize,
}

impl Fault {
    pub(crate) fn new(at: usize, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { at, message: message.into(), help: help.into() }
    }

    /// Its place in the file called `name` with this text.
    pub(crate) fn place(&self, name: &str, text: &str) -> Place {
        Place::in_file(name, text, self.at)
    }
}

/// The text in `bytes`, without a byte-order mark.
///
/// # Errors
/// Where that is not UTF-8; what precedes the place is returned too.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, (Fault, &str)> {
    let utf_16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let before = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
        let message = if utf_16 {
            "the file is UTF-16, as spreadsheets write \"Unicode text\"".to_owned()
        } else {
            format!("the byte 0x{:02x} is not UTF-8", bytes[error.valid_up_to()])
        };
        (Fault::new(before.len(), message, "save the file as UTF-8, such as \"CSV UTF-8\""), before)
    })
}

/// The wanted numbers of each line. `columns` says which are wanted, counted from 1, once it hears
/// how many fields the first line has.
///
/// # Errors
/// At the first line in which one is missing or is no number.
pub(crate) fn read(text: &str, columns: impl FnOnce(usize) -> Vec<usize>) -> Result<Vec<Vec<Number>>, Fault> {
    let (mut rows, mut is_first) = (Vec::new(), true);
    let (mut columns, mut wanted) = (Some(columns), Vec::new());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let fields = fields(line, at)?;
        at += line.len();
        if fields.is_empty() {
            continue;
        }
        if let Some(columns) = columns.take() {
            wanted = columns(fields.len());
        }
        if std::mem::take(&mut is_first) && is_header(&fields, &wanted) {
            continue;
        }
        rows.push(wanted.iter().map(|&column| number(&fields, column)).collect::<Result<_, _>>()?);
    }
    Ok(rows)
}

/// The fields of a line that begins at `start`; none where nothing in it counts.
fn fields(line: &str, start: usize) -> Result<Vec<Field<'_>>, Fault> {
    if line.len() > LONGEST_LINE {
        let message = format!("the line has more than {LONGEST_LINE} bytes");
        return Err(Fault::new(start, message, "write a line for each time"));
    }
    let line = content(line, start)?;
    if line.trim().is_empty() {
        return Ok(Vec::new());
    }
    let divider = [';', '\t', ','].into_iter().find(|divider| unquoted(line).any(|(_, c)| c == *divider));
    let mut fields = Vec::new();
    let mut begin = 0;
    let mut add = |begin: usize, end: usize, blank: bool| {
        let text = line[begin..end].trim();
        if !(blank && text.is_empty()) {
            let at = start + begin + (line[begin..end].len() - line[begin..end].trim_start().len());
            fields.push(Field { text, at });
        }
    };
    for (place, c) in unquoted(line) {
        let divides = divider.map_or_else(|| c.is_whitespace(), |divider| c == divider);
        if divides {
            add(begin, place, divider.is_none());
            begin = place + c.len_utf8();
        }
    }
    add(begin, line.len(), divider.is_none());
    Ok(fields)
}

/// What counts of a line.
fn content(line: &str, start: usize) -> Result<&str, Fault> {
    let end = unquoted(line).find(|(_, c)| *c == '#').map_or(line.len(), |(place, _)| place);
    if line[..end].matches('"').count() % 2 == 1 {
        let at = start + line.find('"').unwrap_or(0);
        return Err(Fault::new(at, "a quotation mark is not closed", "write quotation marks in pairs, or none"));
    }
    Ok(line[..end].trim_end())
}

/// The characters of a line that do not stand between double quotes, with their places.
fn unquoted(line: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let mut quoted = false;
    line.char_indices().filter(move |(_, c)| {
        quoted ^= *c == '"';
        !quoted
    })
}

/// Whether the wanted fields of a first line are words. A line that has too few fields is none.
fn is_header(fields: &[Field<'_>], wanted: &[usize]) -> bool {
    let is_word = |field: &Field<'_>| {
        let text = bare(field.text);
        !is_unknown(text) && text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.parse::<f64>().is_err()
    };
    wanted.iter().all(|column| fields.get(column - 1).is_some_and(is_word))
}

/// The number in a column, counted from 1.
fn number(fields: &[Field<'_>], column: usize) -> Result<Number, Fault> {
    let Some(Field { text, at }) = fields.get(column - 1) else {
        let (last, count) = (fields[fields.len() - 1], fields.len());
        let message = format!("the line has {count} column{}, and column {column} is wanted", plural(count));
        return Err(Fault::new(last.at, message, "name the columns by number, as in snr_file_columns=[1, 3]"));
    };
    let (text, at) = (bare(text), *at);
    let fault = |problem: &str, help: &str| {
        let message = format!("`{}` in column {column} {problem}", brief(text));
        Err(Fault::new(at, message, help))
    };
    if text.is_empty() {
        return fault("is empty", "write a number, or leave the line out");
    }
    if is_unknown(text) {
        return fault("is no number to work with", "leave the line out, so that the value before it holds");
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Number { value, at }),
        Ok(_) => fault("is too large", "write a smaller number"),
        Err(_) if text.contains(',') && text.replace(',', ".").parse::<f64>().is_ok() => {
            fault("has a decimal comma", "write decimal points: 0.5 and not 0,5")
        }
        // Of `0,5 10,5`, which commas divide, it is the second column.
        Err(_) if is_two_numbers(text) => fault(
            "is two numbers, as decimal commas make them",
            "write decimal points: 0.5 and not 0,5, and divide all columns alike",
        ),
        Err(_) => fault("is not a number", "write numbers such as 0.5 or 5e-1, without a unit"),
    }
}

fn is_two_numbers(text: &str) -> bool {
    let parts: Vec<_> = text.split_whitespace().collect();
    parts.len() == 2 && parts.iter().all(|part| part.parse::<f64>().is_ok())
}

/// A field without the double quotes around it.
fn bare(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text).trim()
}

/// Whether a field is one of the words for a value that is missing or not finite.
fn is_unknown(text: &str) -> bool {
    let word = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
    ["nan", "inf", "infinity", "na", "n/a", "null", "none", "#n/a"].contains(&word.as_str())
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// No line of two or of twenty numbers is so long.
const LONGEST_LINE: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    /// The first two columns of each line.
    fn pairs(text: &str) -> Vec<[f64; 2]> {
        let rows = read(text, |_| vec![1, 2]).unwrap_or_else(|fault| panic!("{text:?}: {fault:?}"));
        rows.iter().map(|row| [row[0].value, row[1].value]).collect()
    }

    #[test]
    fn whatever_wrote_the_file_its_numbers_are_the_same() {
        for text in [
            "0 30\n0.5 10.25\n",
            "0.000000000000000000e+00 3.000000000000000000e+01\n5.000000000000000000e-01 1.025000000000000000e+01\n",
            "# time snr\n  0\t30\t# near\n\n .5   10.25   \n\n\n",
            "0,30\r\n0.5,10.25\r\n\r\n",
            "0, 30\n0.5 ,10.25",
            "0;30;\n0.5;10.25;;\n",
            "time,snr\n0.0,30.0\n0.5,10.25\n",
            "\"time\";\"snr\"\n\"0\";\"30\"\n\"0.5\";\"10.25\"\n",
            "time (s)\tsnr (dB)\trssi\n0\t30\t-65\n+5E-1\t1.025e1\t-85\n",
            "0,30,near # \"\n0.5,10.25,\"far, #2\"\n",
        ] {
            assert_eq!(pairs(text), [[0.0, 30.0], [0.5, 10.25]], "{text:?}");
        }
        assert_eq!(text(b"\xef\xbb\xbf0 1"), Ok("0 1"));
        assert_eq!(pairs(""), Vec::<[f64; 2]>::new());
    }

    #[test]
    fn columns_are_those_that_are_named() {
        let text = ",time,rssi,snr\n0,0.5,-65,30\n1,1.5,-85,10\n";
        let rows = read(text, |count| vec![2, count]).expect("four columns");
        let values: Vec<_> = rows.iter().map(|row| [row[0].value, row[1].value]).collect();
        assert_eq!(values, [[0.5, 30.0], [1.5, 10.0]]);
        assert_eq!(&text[rows[1][1].at..], "10\n");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let fault = |content: &str| {
            let fault = read(content, |_| vec![1, 2]).expect_err(content);
            let Place::File { line, column, .. } = fault.place("f", content) else { panic!("it is in a file") };
            (line, column, fault.message)
        };
        let of = |line, column, message: &str| (line, column, message.to_owned());
        assert_eq!(fault("0 1\n2\n"), of(2, 1, "the line has 1 column, and column 2 is wanted"));
        assert_eq!(fault("0 1\n2  nan\n"), of(2, 4, "`nan` in column 2 is no number to work with"));
        assert_eq!(fault("nan,nan\n"), of(1, 1, "`nan` in column 1 is no number to work with"));
        assert_eq!(fault("0,-Inf\n"), of(1, 3, "`-Inf` in column 2 is no number to work with"));
        assert_eq!(fault("0,1\n1,\n"), of(2, 3, "`` in column 2 is empty"));
        assert_eq!(fault("0,1\n0.5,ten\n"), of(2, 5, "`ten` in column 2 is not a number"));
        assert_eq!(fault("time,snr\nTime,SNR\n"), of(2, 1, "`Time` in column 1 is not a number"));
        assert_eq!(fault("0,dB\n"), of(1, 3, "`dB` in column 2 is not a number"));
        assert_eq!(fault("0;1\n0,5;10\n"), of(2, 1, "`0,5` in column 1 has a decimal comma"));
        assert_eq!(fault("\"0,5\",\"10,5\"\n"), of(1, 1, "`0,5` in column 1 has a decimal comma"));
        let two = "is two numbers, as decimal commas make them";
        assert_eq!(fault("0,5 10,5\n"), of(1, 3, &format!("`5 10` in column 2 {two}")));
        assert_eq!(fault("0 1e999\n"), of(1, 3, "`1e999` in column 2 is too large"));
        assert_eq!(fault("0 1\n\"1 2\n"), of(2, 1, "a quotation mark is not closed"));
        assert_eq!(fault("0 1_000\n"), of(1, 3, "`1_000` in column 2 is not a number"));
        let long = format!("0 1\n{}\n", "1,".repeat(6_000));
        assert_eq!(fault(&long), of(2, 1, "the line has more than 10000 bytes"));
        assert_eq!(fault("0 \x1b[31mred\n").2, "`\\u{1b}[31mred` in column 2 is not a number");
    }

    #[test]
    fn what_is_no_text_is_said_too() {
        let message =
            |bytes: &[u8]| text(bytes).map(str::to_owned).map_err(|(fault, before)| (fault.message, before.to_owned()));
        let latin = message(b"t\xfcr,1\n").expect_err("it is Latin-1");
        assert_eq!(latin, ("the byte 0xfc is not UTF-8".to_owned(), "t".to_owned()));
        let (wide, _) = message(b"\xff\xfe0\0 \x001\0").expect_err("it is UTF-16");
        assert!(wide.contains("UTF-16"), "{wide}");
    }

    #[test]
    fn any_bytes_are_read_or_refused() {
        use ackless_wire::random::{Purpose, Stream};
        const PIECES: [&str; 19] = [
            "0", "1.5", "e", "-", ",", ";", "\t", " ", "\n", "\r\n", "#", "\"", "nan", "time", "\u{e9}", "\u{2212}",
            ".", "_", "\0",
        ];
        for seed in 0..3_000 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let pieces = (0..random.below(40)).map(|_| PIECES[random.below(PIECES.len() as u64) as usize]);
            let content: String = pieces.collect();
            match read(&content, |count| vec![1, count.max(2)]) {
                Ok(rows) => assert!(rows.iter().flatten().all(|number| number.value.is_finite()), "seed {seed}"),
                Err(fault) => drop(fault.place("f", &content)),
            }
        }
    }
}

//! The effective scenario: every key with the value that a run has, as TOML with comments and for JSON.

use std::fmt::Write as _;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::literal::Literal;
use crate::row::Row;
use crate::scenario::Scenario;
use crate::schema::{KeyInfo, SectionInfo};

/// Every key of a scenario with its value, defaults and overrides included.
#[derive(Clone, Debug)]
pub struct Effective {
    tables: Vec<Table>,
}

#[derive(Clone, Debug)]
struct Table {
    section: &'static SectionInfo,
    entries: Vec<(&'static KeyInfo, Literal)>,
}

impl Scenario {
    /// Every key with the value that it has in `row`.
    pub fn effective(&self, row: &Row) -> Effective {
        Effective::of(&row.apply(self))
    }
}

impl Effective {
    fn of(scenario: &Scenario) -> Self {
        let tables = scenario.sections().into_iter();
        Self { tables: tables.map(|table| Table { section: table.info(), entries: table.literals() }).collect() }
    }

    /// A scenario file that reads back as the same scenario, with a comment on every line.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        for table in &self.tables {
            let separator = if text.is_empty() { "" } else { "\n" };
            let doc: Vec<_> = table.section.doc.iter().map(|line| line.trim()).collect();
            writeln!(text, "{separator}# {}\n{}", doc.join(" "), table.header())
                .expect("a string takes all that is written");
            let width = table.entries.iter().map(|(key, value)| line(key, value).chars().count()).filter(|&w| w <= 36);
            let width = width.max().unwrap_or(0);
            for (key, value) in &table.entries {
                writeln!(text, "{:width$}  # {}", line(key, value), key.summary())
                    .expect("a string takes all that is written");
            }
        }
        text
    }

    /// A scenario file that reads back as the same scenario, with only the keys whose values are
    /// not their defaults, and without comments.
    pub fn to_short_toml(&self) -> String {
        let defaults = Scenario::parse("defaults", "[[pings]]\n[[steps]]\n[[pairs]]\n[[cells]]\n");
        let defaults = Self::of(&defaults.expect("a group of each kind is a scenario"));
        let mut tables = Vec::new();
        for table in &self.tables {
            let silent = defaults.tables.iter().find(|other| other.section.name == table.section.name);
            let silent = silent.map_or(&[][..], |silent| &silent.entries);
            let differs = |(key, value): &&(&KeyInfo, Literal)| {
                silent.iter().all(|(other, default)| other.name != key.name || default != value)
            };
            let lines: Vec<_> = table.entries.iter().filter(differs).map(|(key, value)| line(key, value)).collect();
            // The header of a group is there even if all its keys are silent: it makes the group.
            if !lines.is_empty() || table.section.repeated {
                tables.push(format!(
                    "{}\n{}",
                    table.header(),
                    lines.iter().map(|line| format!("{line}\n")).collect::<String>()
                ));
            }
        }
        format!("{SHORT_HEAD}\n{}", tables.join("\n"))
    }
}

impl Serialize for Effective {
    /// An object of sections; a repeated one is a list, which may be empty.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for section in crate::keys::SECTIONS {
            let mut tables = self.tables.iter().filter(|table| table.section.name == section.name);
            if section.repeated {
                map.serialize_entry(section.name, &tables.collect::<Vec<_>>())?;
            } else if let Some(table) = tables.next() {
                map.serialize_entry(section.name, table)?;
            }
        }
        map.end()
    }
}

impl Table {
    /// The line above its keys.
    fn header(&self) -> String {
        let name = self.section.name;
        if self.section.repeated { format!("[[{name}]]") } else { format!("[{name}]") }
    }
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.entries.iter().map(|(key, value)| (key.name, value)))
    }
}

/// The reference page of all keys, in Markdown.
pub fn reference() -> String {
    let mut text = String::from(REFERENCE_HEAD);
    for section in crate::keys::SECTIONS {
        let doc: Vec<_> = section.doc.iter().map(|line| line.trim()).collect();
        let (open, close) = if section.repeated { ("[[", "]]") } else { ("[", "]") };
        write!(text, "\n## `{open}{}{close}`\n\n{}\n\n", section.name, doc.join(" "))
            .expect("a string takes all that is written");
        text.push_str("| key | default | allowed | meaning |\n|---|---|---|---|\n");
        for key in section.keys {
            let allowed = (key.allowed)().replace('|', "\\|");
            writeln!(text, "| `{}` | `{}` | {allowed} | {} |", key.name, key.default, key.summary())
                .expect("a string takes all that is written");
        }
    }
    text
}

/// How the short form begins.
const SHORT_HEAD: &str = "\
# Keys that are not listed have their defaults. `ackless scenarios show NAME|FILE.toml` writes
# every key with its meaning.
";

/// How the reference page begins.
const REFERENCE_HEAD: &str = "\
# Keys of a scenario

A scenario is a TOML file. Every key has a default, so an empty file is one station that downloads over 802.11n. Every
quantity carries its unit. Sections in double brackets may be repeated, each time as a group of alike stations, flows or
pings, or as one more step. `--set SECTION.KEY=VALUE` overrides a key, in every group of a repeated section, and
`--set SECTION.GROUP.KEY=VALUE` in one.

`ackless scenarios show NAME` writes a built-in scenario out as a file with every key and its meaning, and with `--short`
only the keys whose values are not their defaults. `-` in the place of a scenario's name or file is standard input. This
page is written by `ackless scenarios keys`.

An example: a link down whose rate is in a file, with seconds in its second column and Mbps in its
fourth, and which pauses where the file has 0; and a client that asks for web pages over one
connection, each request written in two pieces. `transfers_ms` in the result has the latency of the
requests: how many, the median, and the 95th and 99th percentile.

```toml
[wired]
down_rate_file = \"drive.csv\"
rate_file_columns = [2, 4]
rate_trace_end = \"repeat\"
delay = \"20ms\"

[[flows]]
name = \"web\"
traffic = \"requests\"
request_size = \"600B\"
request_writes = 2
response_size = \"60kB\"
think = \"500ms\"
times = \"exponential\"
no_delay = true
```
";

fn line(key: &KeyInfo, value: &Literal) -> String {
    format!("{} = {value}", key.name)
}

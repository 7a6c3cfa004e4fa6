//! From TOML text to literals with their places, and from those into the sections of a scenario.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::amendment::{modelled, unmodelled};
use crate::error::{Place, ScenarioError};
use crate::keys::SECTIONS;
use crate::literal::Literal;
use crate::names::{did_you_mean, help_on_name};
use crate::printable::brief;
use crate::schema::{KeyInfo, Origin, Refusal, Section, SectionInfo};

/// The text of a file with the name that messages give it.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// One table of a file: the place of its name, and its keys in the order of the file.
pub(crate) struct Table {
    pub(crate) section: &'static SectionInfo,
    entries: Vec<Entry>,
}

struct Entry {
    key: String,
    key_at: usize,
    value: Literal,
    value_at: usize,
}

impl Source {
    pub(crate) fn place(&self, offset: usize) -> Place {
        Place::in_file(&self.name, &self.text, offset)
    }

    /// Every table of the file, in its order.
    ///
    /// # Errors
    /// Where the text is not TOML, or holds something that is not a section.
    pub(crate) fn tables(&self) -> Result<Vec<Table>, ScenarioError> {
        let document = DeTable::parse(&self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let (message, help) = explained(error.message());
            ScenarioError::new(self.place(at), message, help)
        })?;
        let mut tables = Vec::new();
        for (key, value) in in_order(document.get_ref()) {
            self.tables_of(key, value, &mut tables)?;
        }
        Ok(tables)
    }

    fn tables_of(
        &self,
        key: &Spanned<DeString<'_>>,
        value: &Spanned<DeValue<'_>>,
        tables: &mut Vec<Table>,
    ) -> Result<(), ScenarioError> {
        let name = key.get_ref().as_ref();
        let error = |message, help: String| Err(ScenarioError::new(self.place(key.span().start), message, help));
        let Some(section) = section(name) else {
            return error(format!("unknown section `{}`", brief(name)), section_help(name));
        };
        match value.get_ref() {
            DeValue::Table(table) => tables.push(Table { section, entries: entries(table) }),
            DeValue::Array(items) if section.repeated => {
                for item in items.iter() {
                    let DeValue::Table(table) = item.get_ref() else {
                        let message = format!("`{name}` is a list of tables");
                        return Err(ScenarioError::new(self.place(item.span().start), message, group_help(name)));
                    };
                    tables.push(Table { section, entries: entries(table) });
                }
            }
            DeValue::Array(_) => return error(format!("there is only one [{name}]"), format!("write [{name}] once")),
            _ if section.repeated => return error(format!("`{name}` is a section, not a key"), group_help(name)),
            _ => return error(format!("`{name}` is a section, not a key"), format!("write [{name}] above its keys")),
        }
        Ok(())
    }

    /// Sets every key of `table` in `target`.
    ///
    /// # Errors
    /// At the first key that `target` does not have, and the first value that its key does not allow.
    pub(crate) fn fill(&self, table: &Table, target: &mut dyn Section) -> Result<(), ScenarioError> {
        for entry in &table.entries {
            let origin = Origin::File { offset: entry.value_at };
            target.assign(&entry.key, &entry.value, origin).map_err(|refusal| match refusal {
                Refusal::UnknownKey => unknown_key(table.section, &entry.key, self.place(entry.key_at)),
                Refusal::Value { key, detail } => {
                    wrong_value(table.section, key, &entry.value, detail, self.place(entry.value_at))
                }
            })?;
        }
        Ok(())
    }
}

/// The section called `name`.
pub(crate) fn section(name: &str) -> Option<&'static SectionInfo> {
    SECTIONS.iter().find(|section| section.name == name)
}

/// The mistake of naming a section that there is not.
pub(crate) fn section_help(name: &str) -> String {
    if let Some(section) = SECTIONS.iter().find(|section| section.keys.iter().any(|key| key.name == name)) {
        return format!("`{name}` is a key of [{}]", section.name);
    }
    let names: Vec<_> = SECTIONS.iter().map(|section| section.name).collect();
    help_on_name(name, &names, "the sections", LISTED)
}

/// The mistake of naming a key that `section` does not have.
pub(crate) fn unknown_key(section: &SectionInfo, key: &str, place: Place) -> ScenarioError {
    let elsewhere = SECTIONS.iter().find(|other| other.keys.iter().any(|known| known.name == key));
    let names: Vec<_> = section.keys.iter().map(|key| key.name).collect();
    let help = match elsewhere {
        Some(other) => format!("`{key}` is a key of [{}]", other.name),
        None => help_on_name(key, &names, "the keys", LISTED),
    };
    ScenarioError::new(place, format!("unknown key `{}` in [{}]", brief(key), section.name), help)
}

/// The mistake of giving `key` a value that it does not allow.
pub(crate) fn wrong_value(
    section: &SectionInfo,
    key: &KeyInfo,
    value: &Literal,
    detail: Option<String>,
    place: Place,
) -> ScenarioError {
    let keywords = (key.keywords)();
    let expected = format!("expected {}", (key.allowed)());
    let (detail, help) = match value {
        Literal::Text(text) if keywords.contains(&A_STANDARD) => match (unmodelled(text), modelled(text)) {
            (Some(amendment), _) => (Some(format!("{amendment} is not modelled")), expected),
            (None, Some(standard)) => (detail, format!("did you mean `{standard}`? {expected}")),
            (None, None) => (detail, did_you_mean(text, keywords, &expected)),
        },
        Literal::Text(text) => (detail, did_you_mean(text, keywords, &expected)),
        _ => (detail, expected),
    };
    let detail = detail.map(|detail| format!(": {detail}")).unwrap_or_default();
    let value = value.to_string();
    let message = format!("{} is not allowed for {}.{}{detail}", brief(&value), section.name, key.name);
    ScenarioError::new(place, message, help)
}

/// What is wrong with a text that is not TOML, and what to do.
fn explained(message: &str) -> (&str, &'static str) {
    if message.starts_with("duplicate key") {
        return (
            message,
            "leave one of them out; only a section in double brackets, such as [[stations]], is repeated",
        );
    }
    if message.starts_with("string values must be quoted") {
        // What the parser expected besides does not matter.
        let message = message.split(',').next().unwrap_or(message);
        return (message, "write it in quotes, such as \"5ms\"");
    }
    (message, "a scenario is a TOML file (https://toml.io); `ackless scenarios show` writes one")
}

/// Where all sections and keys are listed.
const LISTED: &str = "`ackless scenarios keys` lists all";
/// A key that takes this word takes standards.
const A_STANDARD: &str = "11n";

fn group_help(name: &str) -> String {
    format!("write [[{name}]] above the keys of each group")
}

fn entries(table: &DeTable<'_>) -> Vec<Entry> {
    in_order(table)
        .into_iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            key_at: key.span().start,
            value: Literal::of_toml(value.get_ref()),
            value_at: value.span().start,
        })
        .collect()
}

/// The entries of `table` in the order of the file, so that the first mistake is the one reported.
fn in_order<'t, 'i>(table: &'t DeTable<'i>) -> Vec<(&'t Spanned<DeString<'i>>, &'t Spanned<DeValue<'i>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| {
        let Range { start, .. } = key.span();
        start
    });
    entries
}

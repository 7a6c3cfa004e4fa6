//! The schema: sections, their keys, and for each key its type, default and meaning, all stated once in
//! [`crate::keys`].
//!
//! The doc comment of a field there is at once the documentation of the field and of the key; reading a file, checking
//! an argument, `scenarios show` and the reference page all follow from the same table.

use crate::literal::Literal;
use crate::value::{Auto, Value};

/// A section as users see it.
#[derive(Clone, Copy, Debug)]
pub struct SectionInfo {
    /// Its name in a file: `wifi`.
    pub name: &'static str,
    /// Whether a file may hold several of it, as `[[stations]]`.
    pub repeated: bool,
    /// What it describes.
    pub doc: &'static [&'static str],
    /// Its keys, in the order in which they are shown.
    pub keys: &'static [KeyInfo],
}

/// A key as users see it.
#[derive(Clone, Copy, Debug)]
pub struct KeyInfo {
    /// Its name within the section.
    pub name: &'static str,
    /// Its default, as TOML.
    pub default: &'static str,
    /// What it means, in sentences.
    pub doc: &'static [&'static str],
    /// What it may be set to, as the end of "expected ...".
    pub allowed: fn() -> String,
    pub(crate) keywords: fn() -> Vec<&'static str>,
}

impl KeyInfo {
    /// What it means, as one line.
    pub fn summary(&self) -> String {
        self.doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// The schema.
    Default,
    /// The file, at this byte.
    File { offset: usize },
    /// An override, by its number.
    Override(usize),
    /// A preset of hosts, by its name.
    Preset(&'static str),
    /// The row of the comparison, by its name.
    Row(&'static str),
}

/// A key with its value and where that comes from.
#[derive(Clone, Debug)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
    pub(crate) section: &'static str,
    pub(crate) key: &'static str,
    default: &'static str,
}

/// `own` where it says something or nothing is shared, else `shared`.
pub(crate) fn chosen<'a, T: PartialEq>(
    own: &'a Setting<Auto<T>>,
    shared: Option<&'a Setting<Auto<T>>>,
) -> &'a Setting<Auto<T>> {
    match shared {
        Some(shared) if own.value == Auto::Auto => shared,
        _ => own,
    }
}

/// Why a key could not be set.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The section has no such key.
    UnknownKey,
    /// The value is not allowed; with what is wrong, where more is known.
    Value { key: &'static KeyInfo, detail: Option<String> },
}

/// A section of a scenario: what [`section!`] makes of its declaration.
pub(crate) trait Section {
    fn info(&self) -> &'static SectionInfo;
    /// Sets `key` from `literal`.
    fn assign(&mut self, key: &str, literal: &Literal, origin: Origin) -> Result<(), Refusal>;
    /// Where the value of `key` comes from; `None` where there is no such key.
    fn origin(&self, key: &str) -> Option<Origin>;
    /// Every key with its value, in order.
    fn literals(&self) -> Vec<(&'static KeyInfo, Literal)>;

    /// The value of `name`, for a group.
    fn group_name(&self) -> Option<String> {
        self.literals().into_iter().find_map(|(key, literal)| match literal {
            Literal::Text(text) if key.name == "name" => Some(text),
            _ => None,
        })
    }
}

impl<T: Copy> Setting<Auto<T>> {
    /// The value, unless it is `auto`.
    pub(crate) fn given(&self) -> Option<T> {
        match self.value {
            Auto::Auto => None,
            Auto::Given(value) => Some(value),
        }
    }
}

impl<T: Value> Setting<T> {
    /// The key's default.
    pub(crate) fn of_default(section: &'static str, key: &'static str, default: &'static str) -> Self {
        let value = Self::read_default(default);
        Self { value, origin: Origin::Default, section, key, default }
    }

    /// Whether the value is other than the default, wherever it comes from.
    pub(crate) fn differs(&self) -> bool {
        self.value != Self::read_default(self.default)
    }

    /// The default as an override gives it.
    pub(crate) fn default_word(&self) -> String {
        Self::read_default(self.default).word()
    }

    /// Puts the default back.
    pub(crate) fn reset(&mut self) {
        self.value = Self::read_default(self.default);
        self.origin = Origin::Default;
    }

    fn read_default(default: &'static str) -> T {
        let literal = Literal::of_argument(default);
        T::read(&literal).expect("every default in the schema is allowed for its key")
    }
}

macro_rules! section {
    (
        $(#[doc = $doc:literal])+
        $(#[repeated = $repeated:literal])?
        struct $name:ident as $section:literal {
            $($(#[doc = $key_doc:literal])+ $field:ident: $type:ty = $default:literal,)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug)]
        pub(crate) struct $name {
            $($(#[doc = $key_doc])+ pub(crate) $field: $crate::schema::Setting<$type>,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $crate::schema::Setting::of_default($section, stringify!($field), $default),)+ }
            }
        }

        impl $name {
            pub(crate) const INFO: $crate::schema::SectionInfo = $crate::schema::SectionInfo {
                name: $section,
                repeated: false $(|| $repeated)?,
                doc: &[$($doc),+],
                keys: &[$($crate::schema::KeyInfo {
                    name: stringify!($field),
                    default: $default,
                    doc: &[$($key_doc),+],
                    allowed: <$type as $crate::value::Value>::allowed,
                    keywords: <$type as $crate::value::Value>::keywords,
                }),+],
            };
        }

        impl $crate::schema::Section for $name {
            fn info(&self) -> &'static $crate::schema::SectionInfo {
                &Self::INFO
            }

            fn assign(
                &mut self,
                key: &str,
                literal: &$crate::literal::Literal,
                origin: $crate::schema::Origin,
            ) -> Result<(), $crate::schema::Refusal> {
                let mut infos = Self::INFO.keys.iter();
                $(
                    let info = infos.next().expect("a section has as many keys as fields");
                    if key == stringify!($field) {
                        self.$field.value = <$type as $crate::value::Value>::read(literal)
                            .map_err(|detail| $crate::schema::Refusal::Value { key: info, detail })?;
                        self.$field.origin = origin;
                        return Ok(());
                    }
                )+
                Err($crate::schema::Refusal::UnknownKey)
            }

            fn origin(&self, key: &str) -> Option<$crate::schema::Origin> {
                $(
                    if key == stringify!($field) {
                        return Some(self.$field.origin);
                    }
                )+
                None
            }

            fn literals(&self) -> Vec<(&'static $crate::schema::KeyInfo, $crate::literal::Literal)> {
                let infos = Self::INFO.keys.iter();
                infos.zip([$($crate::value::Value::write(&self.$field.value)),+]).collect()
            }
        }
    };
}
pub(crate) use section;

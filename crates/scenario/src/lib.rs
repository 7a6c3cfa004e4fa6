//! Scenario files: parsing, defaults, overrides, and building a cell from them.
//!
//! - [`keys`]: every section and key with its type, default and meaning, stated once; [`schema`] says how;
//! - `literal`: a value as it stands in a file or an argument; `unit` and `value`: quantities with their unit, and the other types that a key can have;
//! - `document`: from TOML text to literals with their places; [`error`]: what is wrong, where, and the remedy;
//! - [`Scenario`]: all keys with their values; [`Row`]: what `--schemes` lays over it, `preset`: what `transport.preset` does; [`Effective`]: all of it written out;
//! - `build`: from a scenario to a [`CellConfig`](ackless_cell::config::CellConfig), checking what goes together;
//! - [`names`]: what an unknown name was probably meant to be; `amendment`: those of 802.11 that
//!   are not modelled; [`printable`]: foreign text in messages;
//! - `files`: what stands in files that keys name; `numbers` reads them, `traces` says what they
//!   hold;
//! - [`builtin`]: the scenarios that come with Ackless.
//!
//! Nothing here reads a file or the environment: text comes in, a cell goes out. No text makes it panic.

pub mod amendment;
mod build;
pub mod builtin;
mod document;
pub mod effective;
pub mod error;
mod files;
pub mod keys;
mod literal;
pub mod names;
mod numbers;
mod preset;
pub mod printable;
pub mod row;
pub mod scenario;
pub mod schema;
mod traces;
mod unit;
mod value;

pub use effective::Effective;
pub use error::{Place, ScenarioError};
pub use literal::Literal;
pub use row::Row;
pub use scenario::Scenario;
pub use unit::{size, time};

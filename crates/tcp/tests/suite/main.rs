//! Conversations between two endpoints, and of one endpoint with a script.

mod bulk;
mod chaos;
mod cubic;
mod pair;
mod properties;
mod receiving;
mod script;
mod sending;
mod states;

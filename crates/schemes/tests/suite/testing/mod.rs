//! What the scripts of several schemes share.

pub mod queue;

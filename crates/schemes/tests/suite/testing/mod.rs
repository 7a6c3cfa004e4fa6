//! What the scripts of several schemes share.

pub mod frames;
pub mod queue;

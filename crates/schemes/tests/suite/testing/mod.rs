//! What the scripts of several schemes share.

pub mod crowd;
pub mod frames;
pub mod queue;

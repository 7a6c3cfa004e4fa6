//! TACK: a transport that needs almost no acknowledgements (Li et al., "Revisiting Acknowledgment Mechanism for Transport
//! Control", IEEE/ACM Transactions on Networking, 2021).
//!
//! The paper's parts and their rooms:
//! - [`config`]: what can be chosen;
//! - [`body`]: what TACKs and IACKs carry, and its bytes (VI-B).

pub mod body;
pub mod config;

pub use body::{AckKind, Body, BodyError};
pub use config::{Blocks, LossSignal, TackConfig, Timing};

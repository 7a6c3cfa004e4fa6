//! The receiver of data under TACK: what it keeps besides what every receiver keeps.

/// The state of the receiving half.
#[derive(Clone, Debug, Default)]
pub(crate) struct Receiving {}

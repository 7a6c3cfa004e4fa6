//! The half of TACK that sends data: it numbers what goes out, and draws from reports what paths and peers do.
//!
//! - [`numbers`]: the numbers of transmissions (PKT.SEQ) and when each was sent.

mod numbers;

pub(crate) use numbers::Numbers;

/// What the sender of data keeps.
#[derive(Clone, Debug)]
pub(crate) struct Sending {
    /// The numbers given out.
    pub(crate) numbers: Numbers,
}

impl Sending {
    /// Nothing has been sent.
    pub(crate) const fn new() -> Self {
        Self { numbers: Numbers::new() }
    }
}

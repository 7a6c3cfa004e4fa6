//! The half of TACK that sends data: it numbers what goes out, and draws from reports what paths and peers do.
//!
//! - [`numbers`]: the numbers of transmissions (PKT.SEQ) and when each was sent.

pub(crate) mod numbers;

pub(crate) use numbers::Numbers;

use ackless_wire::Instant;

use super::Body;

/// What the sender of data keeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sending {
    /// The numbers given out.
    pub(crate) numbers: Numbers,
}

impl Sending {
    /// What is to be told to the receiver of data now, as an IACK: only one thing at a time.
    pub(crate) const fn next_iack(&mut self, _now: Instant) -> Option<Body> {
        None
    }
}

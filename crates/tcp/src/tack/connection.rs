//! What TACK keeps on a connection whose ends have agreed on it.

use ackless_wire::tcp::TackForm;

use super::sending::Sending;

/// The state of TACK on one connection.
#[derive(Clone, Debug)]
pub(crate) struct Tack {
    /// How we write the options: as the peer's SYN did.
    pub(crate) form: TackForm,
    /// Our half as the sender of data.
    pub(crate) sending: Sending,
}

/// Whether TACK is used on a connection.
#[derive(Clone, Debug)]
pub(crate) enum Negotiated {
    /// No: not agreed, or not yet.
    Plain,
    /// Yes.
    Tack(Box<Tack>),
    /// It was, until options were stripped on the way: plain TCP for good.
    FellBack,
}

impl Tack {
    /// Nothing has been sent or received.
    pub(crate) const fn new(form: TackForm) -> Self {
        Self { form, sending: Sending::new() }
    }
}

impl Negotiated {
    /// The state of TACK, where it is used.
    pub(crate) fn tack(&self) -> Option<&Tack> {
        match self {
            Self::Tack(tack) => Some(tack),
            Self::Plain | Self::FellBack => None,
        }
    }

    /// The same, to change it.
    pub(crate) fn tack_mut(&mut self) -> Option<&mut Tack> {
        match self {
            Self::Tack(tack) => Some(tack),
            Self::Plain | Self::FellBack => None,
        }
    }

    /// Whether TACK is used.
    pub(crate) const fn is_tack(&self) -> bool {
        matches!(self, Self::Tack(_))
    }
}

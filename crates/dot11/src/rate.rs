//! Which data rate a PPDU goes at, where it is not fixed.
//!
//! A link whose rate adapts has a `RateControl`. It is asked before each data PPDU (`RateControl::choose`) and told what became of it
//! (`RateControl::report`): `ideal` knows the SNR at the receiver, `minstrel` learns from what was acknowledged. A link whose rate is
//! fixed has none, and reads its rate from a field.
//!
//! A PPDU's outcome is known from its Ack or BlockAck. Where a BlockAck is missing, a BlockAck Request asks for it, as always here, and the outcome
//! is that of its answer; only where that is given up too nothing has arrived. A device that repeats the whole A-MPDU instead counts all of it
//! as failed.

use ackless_phy::{Channel, TxVector};
use ackless_wire::{Bytes, Instant};

use ideal::Ideal;
use minstrel::Minstrel;
pub use minstrel::SampleTable;

mod ideal;
mod minstrel;

/// How the rate of data on a link is chosen, among [`TxVector::all_up_to`] the link's own.
#[derive(Clone, Debug)]
pub enum RateChoice {
    /// It is always the link's own.
    Fixed,
    /// The fastest at which a frame of 1,500 bytes arrives with a probability of 90 % or more, at the SNR that the receiver has when the PPDU
    /// is put together: what no sender knows.
    Ideal(Channel),
    /// Minstrel-HT as in Linux 6.12, which tries rates in the order of this table.
    MinstrelHt(SampleTable),
}

/// How a data PPDU is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Attempt {
    /// Its rate.
    pub(crate) rate: TxVector,
    /// An RTS goes before it.
    pub(crate) protect: bool,
    /// It carries one MPDU.
    pub(crate) alone: bool,
    /// The longest A-MSDU that is put together for it.
    pub(crate) amsdu: Bytes,
}

impl Attempt {
    /// An A-MSDU of any length.
    pub(crate) const ANY_AMSDU: Bytes = Bytes(u64::MAX);
}

/// The rate control of one link.
#[derive(Debug)]
pub(crate) enum RateControl {
    Ideal(Box<Ideal>),
    MinstrelHt(Box<Minstrel>),
}

impl RateControl {
    /// That of a link that sends with `best` at best, unless its rate is fixed.
    pub(crate) fn new(choice: RateChoice, best: TxVector) -> Option<Self> {
        match choice {
            RateChoice::Fixed => None,
            RateChoice::Ideal(channel) => Some(Self::Ideal(Box::new(Ideal::new(channel, best)))),
            RateChoice::MinstrelHt(table) => Some(Self::MinstrelHt(Box::new(Minstrel::new(table, best)))),
        }
    }

    /// How the PPDU goes that is put together now. What was chosen once holds until its outcome is reported. `last`: an MPDU of it has failed
    /// before, and will be given up if it fails again.
    pub(crate) fn choose(&mut self, now: Instant, last: bool) -> Attempt {
        match self {
            Self::Ideal(ideal) => ideal.choose(now),
            Self::MinstrelHt(minstrel) => minstrel.choose(now, last),
        }
    }

    /// The PPDU that was last chosen for had so many MPDUs, of which so many were acknowledged. `over`: none of the others will be sent again.
    pub(crate) fn report(&mut self, now: Instant, sent: u32, acknowledged: u32, over: bool) {
        match self {
            Self::Ideal(_) => {}
            Self::MinstrelHt(minstrel) => minstrel.report(now, sent, acknowledged, over),
        }
    }
}

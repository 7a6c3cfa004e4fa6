//! How far a PPDU with data has come: which of its bytes are on the air when.

use ackless_dot11::frame::{Body, Mpdu, Ppdu};
use ackless_wire::{Bytes, Duration, Instant};

/// The body of a PPDU with data, over which its bytes are taken as spread evenly. Where minimum MPDU spacing has set MPDUs apart, their bits are spread over the gaps.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    body: Instant,
    span: Duration,
    total: u64,
    aggregated: bool,
}

impl Progress {
    /// Of a PPDU that began at `start`.
    pub fn of(ppdu: &Ppdu, start: Instant) -> Self {
        let vector = ppdu.txvector;
        let mut progress = Self {
            body: start + vector.preamble(),
            span: ppdu.duration.saturating_sub(vector.preamble() + vector.signal_extension()),
            total: 0,
            aggregated: matches!(ppdu.body, Body::Aggregate(_)),
        };
        progress.total = ppdu.packets().map(|packets| progress.room(packets)).sum();
        progress
    }

    /// The bytes that an MPDU with these packets takes: in an A-MPDU its delimiter and padding too.
    pub fn room(&self, packets: &[Mpdu]) -> u64 {
        let len = len_of(packets).get();
        if self.aggregated { (len + 4).next_multiple_of(4) } else { len }
    }

    /// When so many bytes have been sent.
    pub fn at(&self, bytes: u64) -> Instant {
        let nanos = u128::from(self.span.as_nanos()) * u128::from(bytes) / u128::from(self.total);
        self.body + Duration::from_nanos(nanos as u64)
    }

    /// When each MPDU of its PPDU has been sent.
    pub fn ends<'p>(&'p self, ppdu: &'p Ppdu) -> impl Iterator<Item = Instant> + 'p {
        ppdu.packets().scan(0, |sent, packets| {
            *sent += self.room(packets);
            Some(self.at(*sent))
        })
    }
}

/// The length of the MPDU with these packets.
pub fn len_of(packets: &[Mpdu]) -> Bytes {
    packets.iter().map(Mpdu::len).sum()
}

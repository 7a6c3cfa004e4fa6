//! The packets of A-MSDUs behind the first, which stands for its MPDU wherever there is a slot for each sequence number.

use super::MAX_WINDOW;
use crate::frame::{Mpdu, Part};

/// The further packets of the MPDUs of one window. Takes no memory before the first A-MSDU, and keeps what it has taken.
#[derive(Clone, Debug, Default)]
pub(super) struct More {
    /// Those of sequence number `n` stand in place `n % MAX_WINDOW`.
    packets: Vec<Vec<Mpdu>>,
}

impl More {
    /// Puts packets, at least one, behind the others of `mpdu`, whose sequence number they get.
    #[inline(always)]
    pub(super) fn join<'m>(&mut self, mpdu: &mut Mpdu, packets: impl Iterator<Item = &'m Mpdu>) {
        let others = self.place(mpdu);
        match others.last_mut() {
            Some(last) => last.part = Part::Middle,
            None => mpdu.part = Part::First,
        }
        let from = others.len();
        // Each is copied as a whole, and changed where it stands: that is a few words, and not field by field.
        others.extend(packets);
        others[from..].iter_mut().for_each(|packet| (packet.seq, packet.part) = (mpdu.seq, Part::Middle));
        others.last_mut().expect("at least one joins").part = Part::Last;
    }

    /// Keeps the packets of an MPDU but the first.
    #[inline]
    pub(super) fn keep(&mut self, packets: &[Mpdu]) {
        if let [first, behind @ ..] = packets
            && !behind.is_empty()
        {
            self.place(first).extend_from_slice(behind);
        }
    }

    /// The packets behind `mpdu`.
    #[inline]
    pub(super) fn of(&self, mpdu: &Mpdu) -> &[Mpdu] {
        if mpdu.part.ends() { &[] } else { self.kept(mpdu) }
    }

    /// `mpdu` will be sent again.
    #[inline]
    pub(super) fn repeat(&mut self, mpdu: &Mpdu) {
        if !mpdu.part.ends() {
            self.packets[place(mpdu)].iter_mut().for_each(|packet| packet.retry = true);
        }
    }

    /// Takes the packets behind the first of an A-MSDU out.
    pub(super) fn take(&mut self, first: &Mpdu) -> impl Iterator<Item = Mpdu> {
        self.packets[place(first)].drain(..)
    }

    #[cold]
    fn kept(&self, mpdu: &Mpdu) -> &[Mpdu] {
        &self.packets[place(mpdu)]
    }

    #[cold]
    fn place(&mut self, mpdu: &Mpdu) -> &mut Vec<Mpdu> {
        if self.packets.is_empty() {
            self.packets.resize_with(MAX_WINDOW.into(), Vec::new);
        }
        &mut self.packets[place(mpdu)]
    }
}

const fn place(mpdu: &Mpdu) -> usize {
    (mpdu.seq.get() % MAX_WINDOW) as usize
}

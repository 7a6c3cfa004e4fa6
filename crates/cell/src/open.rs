//! A cell for hosts outside of it, as one that runs on a clock needs it: what [`Cell`](crate::Cell) lets real packets do, and what is measured of them.

use std::borrow::Cow;
use std::net::IpAddr;

use ackless_dot11::frame::NodeId;
use ackless_schemes::hack::HackCounters;
use ackless_wire::{Instant, Packet};

use crate::config::CellConfig;
use crate::flows::Place;
use crate::host::Eavesdropper;
use crate::measured::Measured;
use crate::observe::Observer;
use crate::outside::{Arrival, Refusal, SettleError};
use crate::result::{Airtime, RunResult};

/// A cell that is open from the start and measured from the start on. Unlike [`Cell`](crate::Cell) and [`Run`](crate::Run) it is of one type, with the listener
/// of [`run_observed`](crate::run_observed): it is compiled in this crate, once with what that runs, and not again by whoever has one.
pub struct OpenCell<'a>(Measured<'a, &'a mut dyn Observer>);

impl<'a> OpenCell<'a> {
    /// A cell at its start.
    pub fn new(config: &'a CellConfig, seed: u64, observer: &'a mut dyn Observer) -> Self {
        let mut measured = Measured::new(Cow::Borrowed(config), seed, seed, Some(observer));
        measured.begin_window();
        measured.cell.open();
        Self(measured)
    }

    /// From now on, `eavesdropper` hears what hosts send and get.
    pub fn eavesdrop(&mut self, eavesdropper: Eavesdropper) {
        self.0.cell.eavesdrop(eavesdropper);
    }

    /// See [`Cell::settle`](crate::Cell::settle).
    ///
    /// # Errors
    /// See [`SettleError`].
    pub fn settle(&mut self, address: IpAddr, place: Place) -> Result<(), SettleError> {
        self.0.cell.settle(address, place)
    }

    /// See [`Cell::unsettle`](crate::Cell::unsettle).
    pub fn unsettle(&mut self, address: IpAddr) {
        self.0.cell.unsettle(address);
    }

    /// See [`Cell::home_of`](crate::Cell::home_of).
    pub fn home_of(&self, address: IpAddr) -> Option<Place> {
        self.0.cell.home_of(address)
    }

    /// See [`Cell::inject`](crate::Cell::inject).
    ///
    /// # Errors
    /// See [`Refusal`].
    pub fn inject(&mut self, place: Place, packet: Packet) -> Result<(), Refusal> {
        self.0.cell.inject(place, packet)
    }

    /// See [`Cell::take_arrivals`](crate::Cell::take_arrivals).
    pub fn take_arrivals(&mut self, into: &mut Vec<Arrival>) {
        self.0.cell.take_arrivals(into);
    }

    /// See [`Cell::poll_timeout`](crate::Cell::poll_timeout).
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.0.cell.poll_timeout()
    }

    /// Processes all events before `until`, and tells the listener how flows stand as often as it asks for that.
    pub fn advance(&mut self, until: Instant) {
        self.0.advance(until);
    }

    /// The time.
    pub fn now(&self) -> Instant {
        self.0.cell.now()
    }

    /// See [`Cell::queued`](crate::Cell::queued).
    pub fn queued(&self, node: NodeId) -> usize {
        self.0.cell.queued(node)
    }

    /// See [`Cell::packets_under_way`](crate::Cell::packets_under_way).
    pub fn packets_under_way(&self) -> usize {
        self.0.cell.packets_under_way()
    }

    /// Where the time has gone.
    pub fn airtime(&self) -> &Airtime {
        self.0.airtime()
    }

    /// What all HACK nodes together have counted; `None` where there is none.
    pub fn hack(&self) -> Option<HackCounters> {
        self.0.hack()
    }

    /// What it has shown, if it ends now.
    pub fn finish(self) -> RunResult {
        self.0.ended(true).0
    }
}

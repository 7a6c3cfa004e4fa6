//! A cell with hosts outside, and what a run is.

use std::net::IpAddr;

use ackless_cell::config::CellConfig;
use ackless_cell::flows::Place;
use ackless_cell::outside::Arrival;
use ackless_wire::{Duration, Instant, Packet};

use crate::testing::ears;
use crate::testing::tested::{TestedCell, configured};

/// A cell that is open.
pub type Open = TestedCell<'static>;

/// The cell of a configuration, with an IPv4 and an IPv6 address at each host, and a witness of its ACKs.
pub fn open(config: &CellConfig, seed: u64) -> Open {
    let mut cell = configured(config, seed, ears::recorder(config));
    for place in std::iter::once(Place::Server).chain((1..=config.stations.len()).map(Place::Station)) {
        for version in [4, 6] {
            cell.settle(address(place, version), place).expect("it is nobody's");
        }
    }
    cell
}

/// The address of a place.
pub fn address(place: Place, version: u8) -> IpAddr {
    let host = match place {
        Place::Server => 1,
        Place::Station(node) => node as u16 + 1,
    };
    match version {
        4 => [10, 77, 0, host as u8].into(),
        _ => [0xfd77, 0, 0, 0, 0, 0, 0, host].into(),
    }
}

/// Bytes enter at a place.
pub fn send(cell: &mut Open, place: Place, bytes: &[u8]) {
    let packet = Packet::from_bytes(bytes).expect("it is an IP packet");
    cell.inject(place, packet).expect("it is for a host of the cell");
}

/// Lets time pass, and says what has come.
pub fn pass(cell: &mut Open, span: Duration) -> Vec<Arrival> {
    let until = cell.now() + span;
    advance(cell, until)
}

/// Lets time pass to a moment, and says what has come.
pub fn advance(cell: &mut Open, until: Instant) -> Vec<Arrival> {
    cell.advance(until);
    let mut arrivals = Vec::new();
    cell.take_arrivals(&mut arrivals);
    arrivals
}

/// The bytes of what has come to a place, in order.
pub fn came(arrivals: &[Arrival], place: Place) -> Vec<Vec<u8>> {
    let here = arrivals.iter().filter(|arrival| arrival.place == place);
    here.map(|arrival| crate::outside::packets::bytes(&arrival.packet)).collect()
}

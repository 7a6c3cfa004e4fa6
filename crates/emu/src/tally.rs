//! What an emulation counts itself: what the hosts got, and how late.

use ackless_cell::flows::Place;
use ackless_wire::{Bytes, Duration, Packet};
use hdrhistogram::Histogram;
use serde::Serialize;

use crate::world::index;

/// What has crossed one host's device so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Crossed {
    /// Packets of the kernel's that went into the cell.
    pub sent: u64,
    /// Packets that came out of the cell to it.
    pub received: u64,
    /// Bytes of the transports' payload among these; of what is neither TCP nor UDP, all behind the IP header. What the kernel sent again counts again.
    pub payload: Bytes,
    /// The same of what has come from it to other hosts.
    pub given: Bytes,
    /// Pure ACKs of TCP among the packets that came to it.
    pub pure_acks: u64,
    /// Packets of the kernel's that the cell cannot carry.
    pub refused: u64,
    /// Ethernet frames of the kernel's that went past the cell: to groups, or of other protocols than IP.
    pub passed: u64,
    /// Packets that came out of the cell and were lost, since their source and destination have sent each other nothing in Ethernet.
    pub homeless: u64,
}

/// Everything that is counted.
#[derive(Clone, Debug)]
pub struct Tally {
    crossed: Vec<Crossed>,
    lateness: Histogram<u64>,
}

/// How late packets were handed to the kernel after their instant in the cell, in microseconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Lateness {
    /// Packets.
    pub packets: u64,
    /// Median.
    pub median_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
    /// Greatest.
    pub max_us: f64,
}

impl Tally {
    /// Nothing has crossed so many devices.
    pub fn new(devices: usize) -> Self {
        let lateness =
            Histogram::new_with_max(LATEST.as_nanos(), DIGITS).expect("the bounds of the histogram are in order");
        Self { crossed: vec![Crossed::default(); devices], lateness }
    }

    /// The kernel has sent a packet at a place, and the cell has taken it or not.
    pub fn sent(&mut self, place: Place, taken: bool) {
        let crossed = &mut self.crossed[index(place)];
        *if taken { &mut crossed.sent } else { &mut crossed.refused } += 1;
    }

    /// An Ethernet frame went past the cell.
    pub fn passed(&mut self, from: Place) {
        self.crossed[index(from)].passed += 1;
    }

    /// So many packets could not be handed on at a place.
    pub fn homeless(&mut self, place: Place, packets: u64) {
        self.crossed[index(place)].homeless += packets;
    }

    /// A packet has come to a place, so late, from another one if that is known.
    pub fn received(&mut self, from: Option<Place>, place: Place, packet: &Packet, late: Duration) {
        let payload = packet.len().saturating_sub(packet.header_len());
        if let Some(from) = from {
            self.crossed[index(from)].given += payload;
        }
        let crossed = &mut self.crossed[index(place)];
        crossed.received += 1;
        crossed.payload += payload;
        crossed.pure_acks += u64::from(packet.pure_ack().is_some());
        self.lateness.saturating_record(late.as_nanos());
    }

    /// What has crossed the device of a place.
    pub fn of(&self, place: Place) -> Crossed {
        self.crossed[index(place)]
    }

    /// How late packets were.
    pub fn lateness(&self) -> Lateness {
        Lateness::of(&self.lateness)
    }

    /// How late those packets were that have come since this was `before`.
    pub fn lateness_since(&self, before: &Self) -> Lateness {
        let mut since = self.lateness.clone();
        since.subtract(&before.lateness).expect("what was counted then is counted now");
        Lateness::of(&since)
    }
}

impl Lateness {
    fn of(histogram: &Histogram<u64>) -> Self {
        let us = |nanos: u64| nanos as f64 / 1e3;
        Self {
            packets: histogram.len(),
            median_us: us(histogram.value_at_quantile(0.5)),
            p99_us: us(histogram.value_at_quantile(0.99)),
            max_us: us(histogram.max()),
        }
    }
}

/// What is later counts as this late.
const LATEST: Duration = Duration::from_secs(60);
/// Significant digits of lateness.
const DIGITS: u8 = 3;

#[cfg(test)]
mod tests {
    use ackless_wire::ip::Ipv4Header;
    use ackless_wire::{IpHeader, Payload, TcpHeader, Transport};

    use super::*;

    #[test]
    fn what_came_since_is_judged_without_what_came_before() {
        let packet = Packet {
            ip: IpHeader::V4(Ipv4Header::new([10, 77, 0, 1].into(), [10, 77, 0, 2].into())),
            transport: Transport::Tcp(TcpHeader::new(1, 2)),
            payload: Payload::Length(0),
        };
        let mut tally = Tally::new(1);
        (0..1_000).for_each(|_| tally.received(None, Place::Server, &packet, Duration::from_micros(50)));
        let before = tally.clone();
        (0..5).for_each(|_| tally.received(None, Place::Server, &packet, Duration::from_millis(9)));
        let (all, since) = (tally.lateness(), tally.lateness_since(&before));
        assert_eq!((all.packets, since.packets), (1_005, 5));
        assert!(all.p99_us < 60.0 && since.median_us > 8_900.0 && since.max_us > 8_900.0, "{all:?} {since:?}");
    }
}

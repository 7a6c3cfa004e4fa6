//! Packet numbers go round: a middlebox makes the numbers of one end run ahead, and takes that back out of what the other
//! end says of them, so that both reach 2^32 within a hundred packets.

use ackless_tcp::tack::body::{Body, LossRange, Report};
use ackless_wire::{Bytes, Packet, Payload, Transport};

use super::case::{Case, Family};
use super::net::{A, Net};
use super::run::run_with;
use super::watch::body;

/// What the middlebox adds to the numbers of an end.
#[derive(Clone, Debug)]
pub struct Numbering {
    /// The end's own numbers from which on so much more is added.
    jumps: Vec<(u32, u32)>,
}

impl Numbering {
    /// So that packet `at` of the end is one of the last before the wrap. Nothing may jump by more than half of the space.
    fn reaching_the_wrap(at: u32) -> Self {
        let jump = 0x7000_0000;
        Self { jumps: vec![(at / 3, jump), (2 * at / 3, jump), (at, 0u32.wrapping_sub(2 * jump + at + 5))] }
    }

    fn added(&self, number: u32) -> u32 {
        self.jumps.iter().filter(|&&(from, _)| from <= number).fold(0, |sum, &(_, more)| sum.wrapping_add(more))
    }

    fn outwards(&self, number: u32) -> u32 {
        number.wrapping_add(self.added(number))
    }

    /// The end's own number, of which it has sent `sent` so far: the latest that looks like this. Zero stands for the one
    /// before the first.
    fn inwards(&self, wire: u32, sent: u32) -> u32 {
        let candidates = (0..=self.jumps.len()).rev().map(|jumps| {
            let added = self.jumps[..jumps].iter().fold(0, |sum: u32, &(_, more)| sum.wrapping_add(more));
            wire.wrapping_sub(added)
        });
        candidates.filter(|&number| number <= sent).find(|&number| self.outwards(number) == wire).unwrap_or(wire)
    }

    /// Data of the end as the other one sees it.
    pub fn with_data_changed(&self, packet: &Packet) -> Packet {
        let mut changed = packet.clone();
        if let Transport::Tcp(tcp) = &mut changed.transport
            && !tcp.options.tack.permitted
            && let Some(number) = &mut tcp.options.tack.packet_number
        {
            *number = self.outwards(*number);
        }
        changed
    }

    /// Changes what is said about the end's data. False if nothing is left of it: the loss of numbers that were jumped over.
    pub fn change_body(&self, packet: &mut Packet, sent: u32) -> bool {
        let changed = match body(packet) {
            Some(Body::Report(report)) => {
                Body::Report(Report { largest: self.inwards(report.largest, sent), ..report })
            }
            Some(Body::Loss(range)) => {
                let (largest, second) = (self.inwards(range.largest, sent), self.inwards(range.second, sent));
                if largest <= second + 1 {
                    return false;
                }
                Body::Loss(LossRange { largest, second })
            }
            _ => return true,
        };
        packet.payload = Payload::Data(changed.encode(Bytes(packet.payload.len().into())));
        true
    }
}

#[test]
fn packet_numbers_go_round_in_mid_transfer() {
    let mut wrapped = 0;
    for seed in (0..RUNS * 4).filter(|&seed| Family::of(seed) == Family::Bulk) {
        let mut case = Case::draw(seed);
        // Late packets from before two jumps would lie more than half of the space behind.
        (case.links[A].reordering, case.links[A].duplication) = (0.0, 0.0);
        let numbering = Numbering::reaching_the_wrap(30 + (seed % 40) as u32);
        let set = |net: &mut Net| net.numbering[A] = Some(numbering.clone());
        let outcome = run_with(&case, false, set);
        wrapped += u64::from(outcome.seen.largest_number > 110);
    }
    assert!(wrapped > RUNS / 4, "{wrapped} of {RUNS} transfers went on after the wrap");
}

/// Conversations.
const RUNS: u64 = 150;

//! A link that changes its rate in the middle of a run, which the schedules make use of.

use ackless_cell::config::Direction;
use ackless_cell::observe::{Event, Observer};
use ackless_dot11::frame::NodeId;
use ackless_phy::{MAX_PPDU, Standard, TxVector};
use ackless_wire::{Bytes, Duration, Instant};

use crate::testing::ears;
use crate::testing::hack_cells::{cell, rates, with_transfer};
use crate::testing::tested::configured;

/// The AP's data PPDUs: when and how each was sent, and how long it was.
#[derive(Default)]
struct Sent(Vec<(Instant, TxVector, Duration)>);

impl Observer for Sent {
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        if let Event::Start { ppdu, .. } = event
            && ppdu.transmitter == NodeId(0)
            && !ppdu.mpdus().is_empty()
        {
            self.0.push((now, ppdu.txvector, ppdu.duration));
        }
    }
}

#[test]
fn a_new_rate_holds_from_the_next_ppdu_on_and_bounds_its_length() {
    for standard in [Standard::A, Standard::N, Standard::Ac] {
        let config = with_transfer(cell(standard, 64), 0, Direction::Down, Bytes(20_000_000));
        let (fast, slow) = (rates(standard)[0], rates(standard)[2]);
        let (mut sent, change) = (Sent::default(), Instant::from_millis(60));
        let mut cell = configured(&config, 1, ears::with(&config, &mut sent));
        cell.witness_acks();
        cell.advance(change);
        cell.set_rates(0, slow, slow);
        cell.advance(Instant::from_millis(1500));
        drop(cell);
        let (at_first, afterwards) = sent.0.split_at(sent.0.partition_point(|(start, ..)| *start <= change));
        assert!(at_first.len() > 5 && at_first.iter().all(|(_, rate, _)| *rate == fast), "{standard:?}");
        // A frame that was being repeated keeps its rate.
        let of_new_rate = afterwards.iter().skip(1);
        assert!(of_new_rate.len() > 5, "{standard:?}");
        for &(_, rate, duration) in of_new_rate {
            assert_eq!(rate, slow, "{standard:?}");
            assert!(duration <= MAX_PPDU, "{standard:?}: {duration}");
        }
    }
}

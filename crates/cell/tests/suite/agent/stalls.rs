//! The stall of the paper's own design: all MAC ACKs to a frame are lost until the AP gives it up, while the station has it and swallowed the TCP ACK.

use ackless_cell::config::{CellConfig, Direction, Peer, Traffic};
use ackless_cell::loss::Interference;
use ackless_cell::result::RunResult;
use ackless_dot11::frame::{MacSeq, NodeId};
use ackless_phy::Standard;
use ackless_wire::{Bytes, Duration, Instant};

use crate::agent::{FLAG, buffer, with_agent};
use crate::testing::cells::{cell, with_tcp};
use crate::testing::ears;
use crate::testing::tested::configured;

/// A download in which no answer to one frame, or to the A-MPDUs that it is in, gets through.
fn run(config: &CellConfig) -> RunResult {
    let mut cell = configured(config, 1, ears::recorder(config));
    let (mut doomed, mut on_air): (Option<MacSeq>, Vec<MacSeq>) = (None, Vec::new());
    cell.interfere(Interference(Box::new(move |now: Instant, ppdu| {
        if ppdu.transmitter == NodeId(0) && !ppdu.mpdus().is_empty() {
            on_air = ppdu.mpdus().iter().map(|mpdu| mpdu.seq).collect();
            if now > Instant::from_millis(60) && doomed.is_none() {
                doomed = on_air.first().copied();
            }
        }
        let lost = ppdu.transmitter == NodeId(1)
            && ppdu.answer().is_some()
            && doomed.is_some_and(|doomed| on_air.contains(&doomed));
        if lost { 0 } else { u64::MAX }
    })));
    cell.advance(config.end());
    cell.finish();
    let events = cell.events();
    cell.into_observer().0.result(config, 1, events)
}

#[test]
fn the_senders_timeout_ends_it() {
    let mut config = with_tcp(cell(Standard::A), 0, Peer::Server, Direction::Down);
    config.flows[0].traffic = Traffic::Finite { size: Bytes(600_000) };
    config.measured = Duration::from_secs(10);
    let stock = run(&config);
    let took = |result: &RunResult| result.flows[0].completion_s.expect("the transfer ends");
    assert_eq!((stock.flows[0].timeouts, stock.counters.nodes[0].counters.given_up), (0, 1));
    for solution in [buffer(), FLAG] {
        let with = run(&with_agent(config.clone(), solution));
        assert_eq!(with.counters.nodes[0].counters.given_up, 1);
        assert_eq!(with.flows[0].timeouts, 1, "{solution:?}");
        // The timeout is at least 200 ms, and not much longer after round trips of some milliseconds.
        let longer = took(&with) - took(&stock);
        assert!((0.1..0.5).contains(&longer), "{solution:?}: {longer} s");
    }
}

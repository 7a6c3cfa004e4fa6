//! A station remembers of each host that it calls what came of TACK on the way, for all its flows to it.

use ackless_cell::config::{CellConfig, Direction, NewOptions, Peer, Traffic, TransportConfig, WireStep};
use ackless_cell::{Cell, scheme};
use ackless_phy::Standard;
use ackless_tcp::Stats;
use ackless_wire::{Bytes, Duration, Instant};

use crate::tack::with_tack;
use crate::testing::cells::{cell, with_stations, with_tcp};
use crate::testing::ears;

const SIZE: Bytes = Bytes(200_000);

/// A transfer that begins so many seconds after the start, from the server to a station or between stations.
fn then(config: CellConfig, station: usize, peer: Peer, start: u64) -> CellConfig {
    let mut config = with_tcp(config, station, peer, Direction::Down);
    let flow = config.flows.last_mut().expect("a flow has just been added");
    (flow.traffic, flow.start) = (Traffic::Finite { size: SIZE }, Instant::from_secs(start));
    let TransportConfig::Tcp(tcp) = &mut flow.transport else { unreachable!("built as TCP") };
    *tcp = with_tack(*tcp);
    config
}

/// What the receivers of all flows have counted a second after each has begun, and at the end.
fn receivers(mut config: CellConfig, end: u64) -> Vec<[Stats; 2]> {
    config.measured = Duration::from_secs(end);
    let mut cell = Cell::new(&config, 3, |node| scheme(&config, node), ears::recorder(&config));
    let stats = |cell: &Cell<_, _>, flow| cell.flows().endpoint(flow, 1).expect("it has begun").stats();
    let mut early = Vec::new();
    for (number, flow) in config.flows.iter().enumerate() {
        cell.advance(flow.start + Duration::from_secs(1));
        early.push(stats(&cell, number));
    }
    cell.advance(config.end());
    (0..).zip(early).map(|(flow, early)| [early, stats(&cell, flow)]).collect()
}

#[test]
fn what_failed_for_one_flow_is_not_tried_by_the_next_to_the_same_host() {
    let mut config = with_stations(cell(Standard::N), 2);
    config.wired.up.new_options = NewOptions::Drop;
    let pass = WireStep { new_options: Some(NewOptions::Pass), ..WireStep::nothing(Instant::from_secs(45)) };
    config.wired.steps = vec![pass];
    for (station, peer, start) in [
        (0, Peer::Server, 0),
        (0, Peer::Server, 20),
        (1, Peer::Server, 22),
        (0, Peer::Station(1), 24),
        (0, Peer::Server, 50),
        (0, Peer::Server, 90),
    ] {
        config = then(config, station, peer, start);
    }
    let flows = receivers(config, 120);
    assert!(flows.iter().all(|[_, end]| end.bytes_delivered == SIZE), "{flows:#?}");
    let done_at_once: Vec<_> = flows.iter().map(|[early, _]| early.bytes_delivered == SIZE).collect();
    let with_tack: Vec<_> = flows.iter().map(|[_, end]| end.tack.tacks_sent > 0).collect();
    // The first asks in vain; the second knows. Another station does not, and to another host TACK works. Within a minute of what failed, learned when the second began, nothing is offered;
    // later it is, and works.
    assert_eq!(done_at_once, [false, true, false, true, true, true]);
    assert_eq!(with_tack, [false, false, false, true, false, true]);
}

//! HACK that is asked about runs of packets does what it does when asked about each, in random cells under random losses.

use ackless_cell::config::{AggregationConfig, ApQueue, Direction};
use ackless_dot11::frame::NodeId;
use ackless_phy::Standard;
use ackless_wire::Bytes;

use crate::hack::schedules::schedule;
use crate::testing::cells::macs;
use crate::testing::crew;
use crate::testing::hack_cells::{cell, tcp_of, with_transfer};
use crate::testing::runs::{assert_alike, with_instant_hosts};
use crate::testing::weather::Weather;

#[test]
fn a_run_of_packets_is_held_and_let_pass_as_each_of_them_would_be() {
    crew::all("schedule", SCHEDULES, |seed| {
        let mut config = schedule(seed).config;
        if seed % 4 > 0 {
            config = with_instant_hosts(config);
        }
        _ = assert_alike(&config, seed, || schedule(seed).interference.expect("a schedule has weather"));
    });
}

#[test]
fn a_run_ends_where_no_more_can_be_numbered_on_an_answer() {
    let mut config = with_transfer(cell(Standard::Ac, 64), 0, Direction::Down, Bytes(20_000_000));
    for mac in macs(&mut config) {
        mac.aggregation = mac.aggregation.map(|terms| AggregationConfig { amsdu: Some(Bytes(7_935)), ..terms });
    }
    config.ap.queue = ApQueue::Fifo { packets: 2_000 };
    let tcp = tcp_of(&mut config.flows[0]);
    (tcp.ack.every, tcp.receive_buffer) = (1, Bytes(4 << 20));
    let counts = assert_alike(&with_instant_hosts(config), 1, || Weather::none().interference());
    let full = counts[&(NodeId(1), "full")];
    assert!(full > 10, "more ACKs than MSNs: {full}");
}

/// So many schedules are run.
const SCHEDULES: u64 = 400;

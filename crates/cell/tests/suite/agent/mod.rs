//! The TCP ACK agent and auto-zoom in whole cells: what they are worth, what they must leave alone, and where the design stalls.

mod everywhere;
mod paper;
mod promise;
mod stalls;
mod topologies;

use ackless_cell::config::{CellConfig, SchemeChoice};
use ackless_schemes::agent::{AgentConfig, Solution};
use ackless_wire::Duration;

use crate::testing::cells::Run;

/// The first solution.
fn buffer() -> Solution {
    AgentConfig::default().solution
}

/// The second, for hosts that answer at once.
const FLAG: Solution = Solution::Flag { extra_sifs: Duration::ZERO };

/// The cell with an agent on all its nodes.
fn with_agent(mut config: CellConfig, solution: Solution) -> CellConfig {
    let agent = SchemeChoice::Agent(AgentConfig::of(solution));
    config.ap.scheme = agent;
    config.stations.iter_mut().for_each(|station| station.scheme = agent);
    config
}

/// MPDUs of pure TCP ACKs that the stations sent.
fn uplink_acks(run: &Run) -> u64 {
    run.result.counters.nodes[1..].iter().map(|node| node.counters.tcp_ack_mpdus).sum()
}

//! The ARQ proxy in whole cells.

mod downloads;
mod places;
mod stateless;

use ackless_cell::config::{
    ApQueue, CellConfig, CongestionChoice, Direction, Peer, SchemeChoice, TcpConfig, TransportConfig, WiredLink,
};
use ackless_phy::Standard;
use ackless_schemes::arq_proxy::ArqProxyConfig;
use ackless_wire::{BitRate, Bytes, Duration};

use crate::testing::cells::{Run, cell, run, with_tcp};

/// The paper's cell (section 3): 802.11b at 11 Mbps, NewReno, a server behind 100 Mbps and 15 ms, 700 packets at the AP. An ACK for each packet,
/// no timestamps and a host that answers within SIFS, as in ns-2. So that slow start does not overshoot the queue, the window is 100 packets.
fn paper(packet: u64) -> CellConfig {
    let mut config = with_tcp(cell(Standard::B), 0, Peer::Server, Direction::Down);
    let link = WiredLink::clean(BitRate::from_mbps(100), Duration::from_millis(15), 10_000);
    (config.wired.down, config.wired.up) = (link, link);
    config.ap.queue = ApQueue::Fifo { packets: 700 };
    let tcp = tcp(&mut config);
    (tcp.congestion, tcp.ack.every, tcp.packet) = (CongestionChoice::NewReno, 1, Bytes(packet));
    (tcp.sack, tcp.timestamps, tcp.window_scaling) = (false, false, false);
    tcp.receive_buffer = Bytes(100 * (packet - 40)).min(Bytes(65_535));
    (config.warm_up, config.measured) = (Duration::from_secs(1), Duration::from_secs(4));
    config
}

/// A download in a cell of this standard, with a host that answers within SIFS.
fn download(standard: Standard) -> CellConfig {
    steady(with_tcp(cell(standard), 0, Peer::Server, Direction::Down))
}

/// The cell past slow start, with windows that no queue is too short for.
fn steady(mut config: CellConfig) -> CellConfig {
    let window = if config.standard.is_qos() { 1 << 18 } else { 1 << 16 };
    for flow in &mut config.flows {
        if let TransportConfig::Tcp(tcp) = &mut flow.transport {
            tcp.receive_buffer = Bytes(window);
        }
    }
    (config.warm_up, config.measured) = (Duration::from_millis(500), Duration::from_secs(2));
    config
}

/// How the first flow's ends are configured.
fn tcp(config: &mut CellConfig) -> &mut TcpConfig {
    match &mut config.flows[0].transport {
        TransportConfig::Tcp(tcp) => tcp,
        TransportConfig::Udp { .. } => panic!("the flow is one of TCP"),
    }
}

/// The same cell with the ARQ proxy on all nodes.
fn with_proxy(config: &CellConfig, proxy: ArqProxyConfig) -> CellConfig {
    let mut config = config.clone();
    let choice = SchemeChoice::ArqProxy(proxy);
    config.ap.scheme = choice;
    config.stations.iter_mut().for_each(|station| station.scheme = choice);
    config
}

/// A cell without and with the ARQ proxy.
fn both(config: &CellConfig, proxy: ArqProxyConfig) -> (Run, Run) {
    (run(config), run(&with_proxy(config, proxy)))
}

/// By how much the second carries more, as a factor.
fn gain((without, with): &(Run, Run)) -> f64 {
    with.goodput() / without.goodput()
}

/// What all nodes together have counted under this name.
fn count(run: &Run, name: &str) -> u64 {
    (0..run.counts.len()).map(|node| run.count(node, name)).sum()
}

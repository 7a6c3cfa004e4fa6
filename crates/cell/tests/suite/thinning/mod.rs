//! ACK thinning in whole cells: what each product saves, and where its rules do harm.

mod harm;
mod savings;

use ackless_cell::config::{CellConfig, Direction, Peer, SchemeChoice, TcpConfig, TransportConfig};
use ackless_phy::Standard;
use ackless_schemes::thinning::ThinningConfig;
use ackless_wire::{Bytes, Duration};

use crate::testing::cells::{cell, with_tcp};

/// All kinds.
fn kinds() -> [(&'static str, ThinningConfig); 5] {
    [
        ("cake", ThinningConfig::cake()),
        ("cake-aggressive", ThinningConfig::cake_aggressive()),
        ("broadcom", ThinningConfig::broadcom()),
        ("broadcom-hold", ThinningConfig::broadcom_hold()),
        ("samsung", ThinningConfig::samsung()),
    ]
}

/// The cell with this on every node.
fn thinned(mut config: CellConfig, thinning: ThinningConfig) -> CellConfig {
    config.ap.scheme = SchemeChoice::Thinning(thinning);
    config.stations.iter_mut().for_each(|station| station.scheme = SchemeChoice::Thinning(thinning));
    config
}

/// The cell with what the flows' connections can be told changed.
fn with_all(mut config: CellConfig, change: impl Fn(&mut TcpConfig)) -> CellConfig {
    for flow in &mut config.flows {
        let TransportConfig::Tcp(tcp) = &mut flow.transport else { unreachable!("all flows here are TCP") };
        change(tcp);
    }
    config
}

/// Flows whose windows fit into the queues, past slow start.
fn steady(standard: Standard, directions: &[Direction]) -> CellConfig {
    let mut config = cell(standard);
    for &direction in directions {
        config = with_tcp(config, 0, Peer::Server, direction);
    }
    (config.warm_up, config.measured) = (Duration::from_secs(2), Duration::from_secs(3));
    with_all(config, |tcp| tcp.receive_buffer = Bytes(200_000))
}

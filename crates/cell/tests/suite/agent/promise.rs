//! What the AP has acknowledged arrives: hosts that lose packets, applications that read slowly, a wire that loses.

use ackless_cell::Cell;
use ackless_cell::config::{CellConfig, Direction, Peer, Probability, TcpConfig, Traffic, TransportConfig};
use ackless_phy::Standard;
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::agent::{FLAG, buffer, with_agent};
use crate::testing::cells::{self, cell, with_tcp};
use crate::testing::ears;
use crate::testing::tested::configured;

/// A download of 2 MB to a host that loses this share of all packets.
fn download(standard: Standard, host_loss: f64) -> CellConfig {
    let mut config = with_tcp(cell(standard), 0, Peer::Server, Direction::Down);
    config.flows[0].traffic = Traffic::Finite { size: SIZE };
    config.stations[0].host_loss = Probability::new(host_loss).expect("it is one");
    config.measured = Duration::from_secs(100);
    config
}

fn tcp(config: &mut CellConfig) -> &mut TcpConfig {
    match &mut config.flows[0].transport {
        TransportConfig::Tcp(tcp) => tcp,
        TransportConfig::Udp { .. } => unreachable!("built as TCP"),
    }
}

/// What the server believes to have brought over, what the client has got, and when that was the whole.
fn run(config: &CellConfig, seed: u64) -> ([Bytes; 2], Option<Duration>) {
    let mut cell = configured(config, seed, ears::recorder(config));
    let ends = |cell: &Cell<_, _>| {
        let end = |end| cell.flows().endpoint(0, end);
        [end(0).map(|tcp| tcp.bytes_acked()), end(1).map(|tcp| tcp.bytes_delivered())].map(Option::unwrap_or_default)
    };
    let mut now = Instant::ZERO;
    while now < config.end() {
        now += Duration::from_millis(10);
        cell.advance(now);
        if ends(&cell) == [SIZE; 2] {
            return ([SIZE; 2], Some(now - Instant::ZERO));
        }
    }
    (ends(&cell), None)
}

#[test]
fn a_slow_application_behind_a_lossy_host_and_wire_gets_every_byte_that_was_acknowledged() {
    for solution in [buffer(), FLAG] {
        for (standard, host_loss) in [(Standard::N, 0.0), (Standard::N, 0.02), (Standard::A, 0.02), (Standard::B, 0.05)]
        {
            for seed in 1..=3 {
                let mut config = with_agent(download(standard, host_loss), solution);
                tcp(&mut config).read_rate = Some(BitRate::from_mbps(5));
                tcp(&mut config).receive_buffer = Bytes(200_000);
                config.wired.down.loss = Probability::new(0.005).expect("it is one");
                let (ends, took) = run(&config, seed);
                assert!(took.is_some(), "{solution:?}, {standard:?}, {host_loss}, seed {seed}: {ends:?} of {SIZE}");
            }
        }
    }
}

#[test]
fn what_a_host_loses_costs_the_buffer_little_of_what_it_costs_plain_tcp() {
    let mut plain = with_tcp(cell(Standard::A), 0, Peer::Server, Direction::Down);
    plain.warm_up = Duration::from_secs(2);
    plain.measured = Duration::from_secs(3);
    let goodput = |config: &CellConfig| cells::run(config).result.goodput_mbps;
    let whole = goodput(&plain);
    plain.stations[0].host_loss = Probability::new(0.05).expect("it is one");
    let (stock, with) = (goodput(&plain), goodput(&with_agent(plain, buffer())));
    assert!(with > stock * 2.0 && with > whole * 0.7, "{with} Mbps beside {stock}, and {whole} where nothing is lost");
}

const SIZE: Bytes = Bytes(2_000_000);

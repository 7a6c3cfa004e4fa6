//! The paper's experiments (III.3): Reno, an ACK for each packet, Table I, one flow for each station, wires that are never in the way.
//!
//! By air time alone, in microseconds, with 802.11b at 11 Mbps: a packet of 1,500 bytes is a frame of 1,536, 192 + 1,117.1 up to 1,118, and its Ack at 2 Mbps 192 + 56;
//! with DIFS 50, SIFS 10 and half a window of slots, 15.5 or 0.5 of 20, that is 1,928 or 1,628. An ACK of 40 bytes takes 192 + 56 (76 bytes) + 248 + 60 and its share of back-off.

use ackless_cell::config::{
    Access, AckConfig, AnswerRate, BackoffPolicy, CellConfig, CongestionChoice, Direction, Peer, TcpConfig,
    TransportConfig, WiredLink,
};
use ackless_phy::{DsssMode, DsssRate, OfdmRate, Standard, TxVector};
use ackless_wire::{BitRate, Bytes, Duration};

use crate::agent::{FLAG, buffer, uplink_acks, with_agent};
use crate::testing::cells::{cell, run, with_stations, with_tcp};

/// Downloads, one to each station, of packets of this size.
fn downloads(standard: Standard, stations: usize, packet: u64) -> CellConfig {
    let mut config = with_stations(cell(standard), stations);
    for station in 0..stations {
        config = with_tcp(config, station, Peer::Server, Direction::Down);
    }
    as_printed(config, packet)
}

/// What the paper says of TCP, answers and the wire.
fn as_printed(mut config: CellConfig, packet: u64) -> CellConfig {
    for flow in &mut config.flows {
        let TransportConfig::Tcp(tcp) = &mut flow.transport else { continue };
        *tcp = TcpConfig {
            congestion: CongestionChoice::Reno,
            ack: AckConfig { every: 1, ..tcp.ack },
            packet: Bytes(packet),
            sack: false,
            timestamps: false,
            window_scaling: false,
            ..*tcp
        };
    }
    config.answer_rate = AnswerRate::Fixed(match config.standard {
        Standard::B => TxVector::Dsss(DsssMode::long(DsssRate::Mbps2)),
        _ => TxVector::ofdm(OfdmRate::Mbps6, config.band),
    });
    let link = WiredLink::clean(BitRate::from_mbps(100_000), Duration::from_micros(10), 10_000);
    (config.wired.up, config.wired.down) = (link, link);
    (config.warm_up, config.measured) = (Duration::from_secs(1), Duration::from_secs(4));
    config
}

/// minCWmin = 2 counts values: 0 and 1.
fn zoom(mut config: CellConfig) -> CellConfig {
    let policy = BackoffPolicy::AutoZoom { floor: 1 };
    config.ap.mac.backoff = policy;
    config.stations.iter_mut().for_each(|station| station.mac.backoff = policy);
    config
}

/// The control: a window of 2 at the AP.
fn fixed_window_of_two(mut config: CellConfig) -> CellConfig {
    if let Access::Dcf { cw_min, .. } = &mut config.ap.mac.access {
        *cw_min = 1;
    }
    config
}

fn goodput(config: &CellConfig) -> f64 {
    run(config).goodput()
}

#[test]
fn agent_and_auto_zoom_together_give_more_than_half_again() {
    for (standard, least, most) in [(Standard::B, 1.5, 1.7), (Standard::A, 1.5, 1.75)] {
        for stations in [1, 10] {
            let tcp = downloads(standard, stations, 1500);
            let stock = goodput(&tcp);
            for solution in [buffer(), FLAG] {
                let agent = goodput(&with_agent(tcp.clone(), solution)) / stock;
                let both = goodput(&zoom(with_agent(tcp.clone(), solution))) / stock;
                assert!((least..most).contains(&both), "{standard:?}, {stations} stations: {both}");
                assert!(agent > 1.3 && agent < both, "{standard:?}, {stations} stations: {agent} alone");
            }
        }
    }
}

#[test]
fn small_segments_gain_more_than_twice() {
    // A "TCP DATA size" of 500 bytes has the TCP header in it, and no IP header.
    for standard in [Standard::B, Standard::A] {
        let tcp = downloads(standard, 1, 520);
        let gain = goodput(&zoom(with_agent(tcp.clone(), buffer()))) / goodput(&tcp);
        assert!((1.8..2.3).contains(&gain), "{standard:?}: {gain}");
    }
}

#[test]
fn auto_zoom_alone_does_little_and_no_harm() {
    for standard in [Standard::B, Standard::A] {
        for stations in [1, 5, 20] {
            let tcp = downloads(standard, stations, 1500);
            let gain = goodput(&zoom(tcp.clone())) / goodput(&tcp);
            assert!((0.98..1.05).contains(&gain), "{standard:?}, {stations} stations: {gain}");
        }
    }
}

#[test]
fn a_fixed_window_of_two_at_the_ap_does_harm_where_many_stations_send_acks() {
    for standard in [Standard::B, Standard::A] {
        let gain = |stations| {
            let tcp = downloads(standard, stations, 1500);
            goodput(&fixed_window_of_two(tcp.clone())) / goodput(&tcp)
        };
        let (one, twenty) = (gain(1), gain(20));
        assert!(twenty < 0.96 && one > twenty + 0.05, "{standard:?}: {one} with one, {twenty} with twenty");
    }
}

#[test]
fn goodput_is_what_the_papers_equation_says() {
    // S_TCP counts the TCP header as payload, and leaves out the LLC header, service and tail bits and the rounding to symbols.
    for (standard, printed, within) in [
        (Standard::B, 11_840.0 / (1_528.0 * 8.0 / 11.0 + 56.0 + 384.0 + 10.0 + 50.0 + 10.0), 0.02),
        (Standard::A, 11_840.0 / (1_528.0 * 8.0 / 54.0 + 112.0 / 6.0 + 40.0 + 16.0 + 34.0 + 4.5), 0.03),
    ] {
        let measured = goodput(&zoom(with_agent(downloads(standard, 1, 1500), buffer()))) * 1_480.0 / 1_460.0;
        assert!(measured < printed && measured > printed * (1.0 - within), "{standard:?}: {measured} of {printed}");
    }
}

#[test]
fn hardly_an_ack_of_the_stations_is_on_the_air() {
    for solution in [buffer(), FLAG] {
        let run = run(&with_agent(downloads(Standard::B, 5, 1500), solution));
        // One a second of each, and the first.
        let acks = uplink_acks(&run);
        assert!((20..=30).contains(&acks), "{solution:?}: {acks}");
    }
}

#[test]
fn in_symmetric_traffic_the_aps_own_acks_stay_and_the_whole_gains() {
    let mut config = with_stations(cell(Standard::B), 40);
    for station in 0..40 {
        let direction = if station < 20 { Direction::Down } else { Direction::Up };
        config = with_tcp(config, station, Peer::Server, direction);
    }
    let tcp = as_printed(config, 1500);
    let stock = run(&tcp);
    let agent = run(&zoom(with_agent(tcp, buffer())));
    let gain = agent.goodput() / stock.goodput();
    assert!((1.02..1.5).contains(&gain), "{gain} of {}", stock.goodput());
    // The segments that are uploaded, of 1,460 bytes, draw ACKs that the AP sends, but for what is lost in queues.
    for run in [&stock, &agent] {
        let mbps: f64 =
            run.result.flows.iter().filter(|flow| flow.direction == "up").map(|flow| flow.goodput_mbps).sum();
        let segments = mbps * 4.0e6 / 8.0 / 1_460.0;
        let acks = run.result.counters.nodes[0].counters.tcp_ack_mpdus as f64;
        assert!(acks > 0.5 * segments, "{acks} of {segments}");
    }
    assert!(uplink_acks(&agent) * 3 < uplink_acks(&stock), "{} of {}", uplink_acks(&agent), uplink_acks(&stock));
}

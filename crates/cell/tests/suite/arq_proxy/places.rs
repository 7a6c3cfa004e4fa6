//! Where a proxy may sit, and who else is in the cell.

use ackless_cell::config::{CellConfig, Direction, Peer, Topology, Traffic};
use ackless_cell::observe::{Event, Observer};
use ackless_dot11::frame::{Body, NodeId, Ppdu};
use ackless_dot11::hooks::Scheme;
use ackless_phy::{Standard, Timing};
use ackless_schemes::Stock;
use ackless_schemes::arq_proxy::{ArqProxy, ArqProxyConfig};
use ackless_wire::{Bytes, Duration, Instant};

use crate::arq_proxy::{both, count, gain, steady, with_proxy};
use crate::testing::cells::{AP, cell, loss, rate, run, run_with, with_stations, with_tcp, with_udp};
use crate::testing::ears;
use crate::testing::tested::configured;

const STANDARDS: [Standard; 4] = [Standard::B, Standard::A, Standard::N, Standard::Ac];

#[test]
fn in_an_ad_hoc_cell_the_sender_is_its_own_proxy() {
    for standard in STANDARDS {
        let mut config = with_stations(cell(standard), 2);
        config.topology = Topology::AdHoc;
        let config = steady(with_tcp(config, 0, Peer::Station(1), Direction::Up));
        let runs = both(&config, ArqProxyConfig::default());
        assert!(gain(&runs) > 1.08, "{standard:?}: {}", gain(&runs));
        assert!(runs.1.count(1, "released") > 100 && runs.1.count(2, "requested") > 100, "{standard:?}");
        assert!(count(&runs.1, "templates") == runs.1.count(1, "templates"), "{standard:?}");
    }
}

#[test]
fn behind_a_relay_the_relay_is_the_proxy_and_what_it_releases_goes_on() {
    for standard in STANDARDS {
        let mut config = with_stations(cell(standard), 2);
        config.stations[1].via = Some(0);
        let config = steady(with_tcp(config, 1, Peer::Server, Direction::Down));
        let runs = both(&config, ArqProxyConfig::default());
        assert!(gain(&runs) > 1.05, "{standard:?}: {}", gain(&runs));
        let released = runs.1.count(1, "released");
        assert!(released > 50 && runs.1.count(2, "requested") >= released, "{standard:?}");
        assert_eq!((runs.1.count(0, "templates"), runs.1.count(1, "requested")), (0, 0), "only the last hop");
        let hops = [(1, 0), (2, 1)].map(|(from, to)| {
            let frames = runs.1.data(from, to).flat_map(|sent| sent.ppdu.mpdus());
            frames.filter(|mpdu| mpdu.tcp_ack).count() as u64
        });
        assert!(hops[0] >= released && hops[1] * 5 < hops[0], "{standard:?}: {hops:?}");
    }
}

#[test]
fn stations_that_talk_through_the_ap_have_their_proxy_there() {
    let config = steady(with_tcp(with_stations(cell(Standard::A), 2), 0, Peer::Station(1), Direction::Up));
    let runs = both(&config, ArqProxyConfig::default());
    assert!(gain(&runs) > 1.05, "{}", gain(&runs));
    assert!(runs.1.count(0, "released") > 100 && runs.1.count(2, "requested") > 100);
}

#[test]
fn nobody_holds_a_packet_when_all_is_done() {
    for standard in STANDARDS {
        let mut config = with_tcp(cell(standard), 0, Peer::Server, Direction::Down);
        config.flows[0].traffic = Traffic::Finite { size: Bytes(200_000) };
        config.stations[0].loss = loss([0.1; 4]);
        config.measured = Duration::from_secs(5);
        let run = run(&with_proxy(&config, ArqProxyConfig::default()));
        assert!(run.result.flows[0].completion_s.is_some(), "{standard:?}");
        assert_eq!(run.under_way, 0, "{standard:?}");
    }
}

#[test]
fn a_bridge_is_a_client_like_any_other() {
    let mut config = cell(Standard::A);
    config.stations[0].four_address = true;
    let runs = both(&steady(with_tcp(config, 0, Peer::Server, Direction::Down)), ArqProxyConfig::default());
    assert!(gain(&runs) > 1.1, "{}", gain(&runs));
}

#[test]
fn legacy_stations_are_served_as_ever_and_lose_nothing() {
    for standard in STANDARDS {
        let config = with_stations(cell(standard), 2);
        let config = with_tcp(with_tcp(config, 0, Peer::Server, Direction::Down), 1, Peer::Server, Direction::Down);
        let config = steady(config);
        let scheme = |node: NodeId| -> Box<dyn Scheme> {
            if node == NodeId(2) { Box::new(Stock) } else { Box::new(ArqProxy::new(ArqProxyConfig::default())) }
        };
        let (stock, mixed) = (run(&config), run_with(&config, scheme));
        let goodput = |run: &crate::testing::cells::Run, flow: usize| run.result.flows[flow].goodput_mbps;
        let shares = [0, 1].map(|flow| goodput(&mixed, flow) / goodput(&stock, flow));
        assert!(shares[0] > 0.95 && shares[1] > 0.85, "{standard:?}: {shares:?}");
        let tagged = |from: u16| {
            let answers = mixed.seen.iter().filter(move |sent| sent.ppdu.transmitter == NodeId(from));
            answers.filter(|sent| sent.ppdu.answer().is_some_and(|answer| answer.tag.is_some())).count()
        };
        assert!(tagged(1) > 20 && tagged(0) + tagged(2) == 0, "{standard:?}");
    }
}

/// When each PPDU began, and the PPDU.
#[derive(Default)]
struct Starts(Vec<(Instant, Ppdu)>);

impl Observer for Starts {
    fn observe(&mut self, now: Instant, event: &Event<'_>) {
        if let Event::Start { ppdu, .. } = event {
            self.0.push((now, (*ppdu).clone()));
        }
    }
}

/// A download beside a bystander that always has something to send.
fn with_bystander() -> CellConfig {
    let config = with_stations(cell(Standard::A), 2);
    let config = with_udp(with_tcp(config, 0, Peer::Server, Direction::Down), 1, Peer::Server, Direction::Up);
    with_proxy(&config, ArqProxyConfig::default())
}

#[test]
fn a_tag_stands_in_the_reserved_values_of_duration() {
    let run = run(&with_bystander());
    let mut tags = 0;
    for sent in &run.seen {
        let Some(tag) = sent.ppdu.answer().and_then(|answer| answer.tag) else { continue };
        let field = u16::from_le_bytes([sent.bytes[2], sent.bytes[3]]);
        assert_eq!(field, 0x8000 | tag.get(), "bit 15 set, bit 14 clear");
        assert!(matches!(sent.ppdu.body, Body::Ack(_)) && sent.ppdu.receiver == AP);
        tags += 1;
    }
    assert!(tags > 50, "{tags}");
    assert_eq!(rate(Standard::A), with_bystander().stations[0].down);
}

#[test]
fn a_bystander_sends_after_difs_whatever_a_tag_says() {
    let config = with_bystander();
    let mut starts = Starts::default();
    let mut cell = configured(&config, 1, ears::with(&config, &mut starts));
    cell.advance(config.end());
    drop(cell);
    let seen = starts.0;
    let timing = Timing::of(config.standard, config.band);
    let mut behind_a_tag = Vec::new();
    for ((start, answer), (next, ppdu)) in seen.iter().zip(&seen[1..]) {
        if answer.answer().is_some_and(|answer| answer.tag.is_some()) && ppdu.transmitter == NodeId(2) {
            let idle = *next - (*start + answer.duration);
            let slots = idle.saturating_sub(timing.difs());
            assert!(idle >= timing.difs() && slots.as_nanos() % timing.slot.as_nanos() == 0, "{idle}");
            behind_a_tag.push(slots.as_nanos() / timing.slot.as_nanos());
        }
    }
    // The smallest tag, read as microseconds, would keep it silent for 32 ms.
    assert!(behind_a_tag.len() > 50 && behind_a_tag.iter().all(|&slots| slots <= 15), "{behind_a_tag:?}");
}

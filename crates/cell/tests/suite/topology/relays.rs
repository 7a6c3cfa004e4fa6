//! Paths of two hops: the AP, a relay (node 1), and a far station (node 2).

use ackless_cell::config::{Access, CellConfig, Direction, Peer, PingConfig, SchemeChoice};
use ackless_cell::run_observed;
use ackless_cell::timeline::{Format, Timeline};
use ackless_dot11::codec::Frame;
use ackless_dot11::frame::{Ds, NodeId};
use ackless_dot11::hooks::{Passage, Scheme};
use ackless_phy::{OfdmRate, Standard, TxVector};
use ackless_schemes::Stock;
use ackless_schemes::hack::HackConfig;
use ackless_schemes::testing::passing::Guards;
use ackless_wire::{Bytes, Duration, Instant};

use crate::testing::cells::{AP, Run, cell, loss, run, run_with, with_stations, with_tcp, with_udp};
use crate::testing::ears;
use crate::testing::tested::configured;

const DIRECTIONS: [Direction; 2] = [Direction::Down, Direction::Up];

/// A relay and so many stations behind it.
fn relayed(standard: Standard, behind: usize) -> CellConfig {
    let mut config = with_stations(cell(standard), behind + 1);
    for station in &mut config.stations[1..] {
        station.via = Some(0);
    }
    config
}

/// Between whom frames with packets went.
fn hops(run: &Run) -> Vec<(u16, u16)> {
    let with_packets = run.seen.iter().filter(|sent| !sent.ppdu.mpdus().is_empty());
    let mut hops: Vec<_> = with_packets.map(|sent| (sent.ppdu.transmitter.0, sent.ppdu.receiver.0)).collect();
    hops.sort_unstable();
    hops.dedup();
    hops
}

/// The median and the least of a ping of 100 bytes to the far station through a relay with this host latency, in microseconds.
fn ping(host_latency: u64) -> [f64; 2] {
    let mut config = relayed(Standard::A, 1);
    for mac in [&mut config.ap.mac].into_iter().chain(config.stations.iter_mut().map(|station| &mut station.mac)) {
        mac.access = Access::Dcf { cw_min: 0, cw_max: 0 };
    }
    config.stations[0].host_latency = Duration::from_micros(host_latency);
    config.pings.push(PingConfig {
        name: "far".to_owned(),
        station: 1,
        interval: Duration::from_millis(10),
        packet: Bytes(100),
        start: Instant::ZERO,
    });
    let result = run(&config).result;
    let rtt = result.pings[0].rtt_ms.expect("replies come back");
    assert_eq!((result.pings[0].lost, rtt.samples), (0, 50));
    [rtt.median, rtt.min].map(|ms| ms * 1000.0)
}

#[test]
fn a_ping_over_two_hops_takes_as_long_as_worked_out_by_hand() {
    // The wire takes 1.6 us for 100 bytes at 500 Mbps and a delay of 1 ms. At 54 Mbps, 142 bytes with four addresses and 136 with three
    // are both 6 symbols: 20 + 24 = 44 us, and SIFS and Ack are 16 + 28. No counter is above zero. From the arrival at the AP:
    // AP to relay 0..44, Ack to 88, DIFS to 122; relay to station 122..166, Ack to 210, DIFS to 244; and the same way back, so that
    // the AP has the reply at 166 + 244 = 410.
    let one_way = 1001.6;
    assert_eq!(ping(0), [(2.0 * one_way + 410.0_f64).floor(); 2]);
    // With 50 us each way between MAC and host, the relay has the packet in its queue at 144, when DIFS is over: 22 us later, each way.
    assert_eq!(ping(50), [(2.0 * one_way + 454.0_f64).floor(); 2]);
}

#[test]
fn bytes_flow_both_ways_over_two_hops() {
    for standard in [Standard::B, Standard::A, Standard::N, Standard::Ac] {
        for direction in DIRECTIONS {
            for with in [with_tcp, with_udp] {
                let config = with(relayed(standard, 1), 1, Peer::Server, direction);
                let direct = with(cell(standard), 0, Peer::Server, direction);
                let (relayed, direct) = (run(&config), run(&direct));
                let share = relayed.goodput() / direct.goodput();
                // Each packet takes the medium twice.
                assert!((0.25..0.75).contains(&share), "{standard:?} {direction:?}: {share} of {}", direct.goodput());
                assert!(hops(&relayed).iter().all(|hop| [(0, 1), (1, 2), (2, 1), (1, 0)].contains(hop)));
                let under_way = relayed.result.counters.nodes[2].counters.delivered_bytes;
                assert_eq!(under_way > 0, direction == Direction::Down);
            }
        }
    }
}

#[test]
fn frames_of_others_bear_four_addresses_between_ap_and_relay() {
    let config = with_tcp(relayed(Standard::A, 1), 1, Peer::Server, Direction::Down);
    let run = run(&with_tcp(config, 0, Peer::Server, Direction::Down));
    let far = NodeId(2);
    let mut seen = [0; 3];
    for sent in run.data(0, 1) {
        let frame = Frame::parse(&sent.bytes).expect("our own frame");
        assert_eq!((frame.receiver, frame.transmitter), (NodeId(1).mac(), Some(AP.mac())));
        let (third, fourth) = match sent.ppdu.mpdus()[0].ds {
            Ds::FourAddress => (far.mac(), Some(AP.mac())),
            _ => (AP.mac(), None),
        };
        assert_eq!((frame.third, frame.fourth), (Some(third), fourth));
        seen[usize::from(fourth.is_some())] += 1;
    }
    for sent in run.data(1, 2) {
        let frame = Frame::parse(&sent.bytes).expect("our own frame");
        assert_eq!((sent.ppdu.mpdus()[0].ds, frame.third, frame.fourth), (Ds::FromAp, Some(AP.mac()), None));
        seen[2] += 1;
    }
    assert!(seen.iter().all(|&frames| frames > 100), "{seen:?}");
}

#[test]
fn stations_behind_one_relay_do_without_the_ap() {
    let config = with_tcp(relayed(Standard::A, 2), 1, Peer::Station(2), Direction::Up);
    let run = run(&config);
    assert_eq!(hops(&run), [(1, 2), (1, 3), (2, 1), (3, 1)]);
    assert!(run.goodput() > 5.0);
}

#[test]
fn stations_behind_two_relays_meet_at_the_ap() {
    let mut config = with_stations(cell(Standard::N), 4);
    (config.stations[2].via, config.stations[3].via) = (Some(0), Some(1));
    let run = run(&with_tcp(config, 2, Peer::Station(3), Direction::Up));
    assert_eq!(hops(&run), [(0, 1), (0, 2), (1, 0), (1, 3), (2, 0), (2, 4), (3, 1), (4, 2)]);
    assert!(run.goodput() > 5.0);
}

#[test]
fn three_hops_are_a_relay_behind_a_relay() {
    let mut config = relayed(Standard::A, 2);
    config.stations[2].via = Some(1);
    let run = run(&with_tcp(config, 2, Peer::Server, Direction::Down));
    assert_eq!(hops(&run), [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]);
    assert!(run.goodput() > 3.0);
}

#[test]
fn a_relay_drops_what_its_queue_does_not_hold() {
    let mut config = relayed(Standard::A, 1);
    config.stations[0].queue_packets = 5;
    config.stations[1].down = TxVector::ofdm(OfdmRate::Mbps6, config.band);
    let run = run(&with_udp(config, 1, Peer::Server, Direction::Down));
    let drops: Vec<_> = run.result.counters.nodes.iter().map(|node| node.counters.queue_drops).collect();
    assert!(drops[1] > 10 && drops[2] == 0, "{drops:?}");
}

#[test]
fn what_the_second_hop_loses_the_relay_repeats() {
    let mut config = relayed(Standard::N, 1);
    config.stations[1].loss = loss([0.2, 0.0, 0.0, 0.0]);
    let run = run(&with_udp(config, 1, Peer::Server, Direction::Down));
    let nodes: Vec<_> = run.result.counters.nodes.iter().map(|node| node.counters).collect();
    assert_eq!(nodes.iter().map(|node| node.air_losses > 0).collect::<Vec<_>>(), [false, false, true]);
    // The others are collisions.
    assert!(nodes[1].retries > 100 + nodes[0].retries / 2 && nodes[2].retries == 0, "{nodes:?}");
}

#[test]
fn a_stations_rates_are_those_of_its_own_link() {
    let config = with_udp(relayed(Standard::A, 1), 1, Peer::Server, Direction::Down);
    let mut cell = configured(&config, 1, ears::recorder(&config));
    let slow = TxVector::ofdm(OfdmRate::Mbps6, config.band);
    // The relay's own link: what it sends to the far station stays fast.
    cell.set_rates(0, slow, slow);
    cell.advance(config.end());
    let mbps = cell.into_observer().0.result(&config, 1, 0).goodput_mbps;
    assert!((3.0..6.0).contains(&mbps), "a second hop at 6 Mbps too would leave half: {mbps}");
}

#[test]
fn air_time_belongs_to_the_station_at_the_far_end_of_its_hop() {
    let mut config = with_udp(relayed(Standard::A, 1), 1, Peer::Server, Direction::Down);
    config.stations[1].down = TxVector::ofdm(OfdmRate::Mbps6, config.band);
    let config = with_udp(config, 0, Peer::Server, Direction::Down);
    let fairness = run(&config).result.fairness;
    // The far station's hop alone takes several times what both packets take on the first.
    assert!(fairness.jain_airtime.is_some_and(|jain| jain < 0.9), "{fairness:?}");
}

#[test]
fn the_timeline_names_both_ends_of_each_hop() {
    let config = with_udp(relayed(Standard::A, 1), 1, Peer::Server, Direction::Up);
    let mut timeline = Timeline::of_cell(Vec::new(), Format::Csv, &config, Duration::from_millis(100))
        .expect("memory takes everything");
    run_observed(&config, 1, &mut timeline);
    let (air, series) = timeline.finish().expect("memory takes everything");
    let (air, series) = (String::from_utf8(air).expect("text"), String::from_utf8(series.expect("CSV")).expect("text"));
    for hop in ["data,station 1,station 0,ok", "data,station 0,ap,ok", "ack,station 0,station 1,ok"] {
        assert!(air.contains(hop), "{hop}");
    }
    // The first queue on the way is the far station's, which its source keeps full.
    let queued: Vec<u64> = series
        .lines()
        .skip(1)
        .map(|row| row.rsplit(',').next().expect("a column").parse().expect("a number"))
        .collect();
    assert!(!queued.is_empty() && queued.iter().all(|&queued| queued > 100), "{queued:?}");
}

#[test]
fn a_relays_scheme_is_asked_about_what_passes_through_it() {
    for direction in DIRECTIONS {
        let config = with_udp(relayed(Standard::A, 1), 1, Peer::Server, direction);
        let guards = Guards::new(2);
        let passages = guards.passages.clone();
        let mut guards = Some(guards);
        let run = run_with(&config, |node| -> Box<dyn Scheme> {
            if node == NodeId(1) { Box::new(guards.take().expect("one relay")) } else { Box::new(Stock) }
        });
        let (from, to) = match direction {
            Direction::Down => (NodeId(0), NodeId(2)),
            Direction::Up => (NodeId(2), NodeId(0)),
        };
        let passages = passages.entries();
        assert!(passages.len() > 100 && passages.iter().all(|entry| entry.0 == Passage::OverAir { from, to }));
        let kept = passages.iter().filter(|entry| entry.2).count() as u64;
        let delivered = (run.goodput() * 1e6 / 8.0 * config.measured.as_secs_f64()).round() as u64 / 1472;
        assert!(delivered <= kept && delivered + 210 >= kept, "{delivered} of {kept}");
    }
}

#[test]
fn hack_works_on_each_hop() {
    for standard in [Standard::A, Standard::N] {
        let mut config = with_tcp(relayed(standard, 1), 1, Peer::Server, Direction::Down);
        config.measured = Duration::from_secs(1);
        let stock = run(&config);
        let hack = SchemeChoice::Hack(HackConfig { aifs: Duration::from_micros(43), ..HackConfig::default() });
        config.ap.scheme = hack;
        config.stations.iter_mut().for_each(|station| station.scheme = hack);
        let with = run(&config);
        assert!(with.goodput() > 0.9 * stock.goodput(), "{} and {}", with.goodput(), stock.goodput());
        let frames = [&with, &stock].map(|run| run.result.counters.total.tcp_ack_ppdus);
        assert!(2 * frames[0] < frames[1], "{standard:?}: {frames:?}");
        // The far station's answers go to the relay, and the relay's to the AP.
        for node in [1, 2] {
            assert!(with.count(node, "compressed_acks") > 300, "{standard:?}, node {node}: {:?}", with.counts[node]);
        }
        assert_eq!(with.count(0, "crc_failures") + with.count(1, "crc_failures"), 0);
    }
}

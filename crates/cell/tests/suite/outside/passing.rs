//! What no scheme has anything to do with comes out as it went in: once, whole, and in order.

use std::net::IpAddr;

use ackless_cell::config::{CellConfig, FrameLoss, LinkLoss, Probability, Topology};
use ackless_cell::flows::Place;
use ackless_cell::outside::{Refusal, SettleError};
use ackless_cell::pcap::PcapWriter;
use ackless_phy::Standard;
use ackless_wire::{Bytes, Duration, Packet};

use crate::outside::hosts::{Open, address, came, open, pass, send};
use crate::outside::packets::{plain, strange};
use crate::outside::schemes::{all, with};
use crate::testing::ears;
use crate::testing::hack_cells::{cell, with_stations};
use crate::testing::tested::configured;

/// A cell in which the air loses, and each MAC tries for ever.
fn lossy(standard: Standard, stations: usize) -> CellConfig {
    let mut config = with_stations(cell(standard, 16), stations);
    let loss = |p| Probability::new(p).expect("it is one");
    let losses = FrameLoss { data: loss(0.2), control: loss(0.1) };
    config.ap.mac.retry_limit = None;
    for station in &mut config.stations {
        station.loss = LinkLoss::PerFrame { down: losses, up: losses };
        station.mac.retry_limit = None;
    }
    config
}

/// Sends everything both ways between the server and each station, and says what was sent to each place.
fn exchange(
    cell: &mut Open,
    stations: usize,
    arrivals: &mut Vec<ackless_cell::outside::Arrival>,
) -> Vec<(Place, Vec<Vec<u8>>)> {
    let mut sent: Vec<(Place, Vec<Vec<u8>>)> = Vec::new();
    for number in 0..12 {
        for station in (1..=stations).map(Place::Station) {
            for version in [4, 6] {
                for (from, to) in [(Place::Server, station), (station, Place::Server)] {
                    let (src, dst) = (address(from, version), address(to, version));
                    for packet in strange(src, dst, number).into_iter().chain(plain(src, dst, number)) {
                        send(cell, from, &packet);
                        match sent.iter_mut().find(|(place, _)| *place == to) {
                            Some((_, sent)) => sent.push(packet),
                            None => sent.push((to, vec![packet])),
                        }
                    }
                }
            }
        }
        arrivals.extend(pass(cell, Duration::from_millis(30)));
    }
    arrivals.extend(pass(cell, Duration::from_secs(5)));
    sent
}

#[test]
fn strange_packets_come_out_byte_for_byte_once_and_in_order_under_every_scheme() {
    for standard in [Standard::A, Standard::N] {
        let config = lossy(standard, 1);
        for (name, ap, station) in all(&config) {
            let mut cell = open(&with(config.clone(), ap, station), 7);
            cell.witness_acks();
            let mut arrivals = Vec::new();
            for (place, sent) in exchange(&mut cell, 1, &mut arrivals) {
                // Three products thin out whatever has no flag but ACK, without a look at what else it says (see the doc of `thinning`).
                let blind = ["broadcom", "broadcom-hold", "samsung"].contains(&name);
                let kept = |all: Vec<Vec<u8>>| -> Vec<Vec<u8>> {
                    all.into_iter().filter(|bytes| !blind || !is_acknowledgement(bytes)).collect()
                };
                let (came, sent) = (kept(came(&arrivals, place)), kept(sent));
                assert!(came == sent, "{name}, {standard:?}: {place:?} got {} of {}", came.len(), sent.len());
            }
            assert_eq!(cell.packets_under_way(), 0, "{name}");
            assert_eq!(cell.outside_counts().arrived as usize, arrivals.len(), "{name}");
        }
    }
}

fn is_acknowledgement(bytes: &[u8]) -> bool {
    Packet::from_bytes(bytes).is_ok_and(|packet| packet.is_acknowledgement())
}

#[test]
fn stations_reach_each_other_and_unknown_addresses_lie_behind_the_wire() {
    let mut cell = open(&with_stations(cell(Standard::N, 16), 2), 1);
    let [one, other] = [1, 2].map(Place::Station);
    let between = |src, dst| plain(src, dst, 1)[0].clone();
    let (a, b) = (address(one, 4), address(other, 4));
    let elsewhere = [192, 0, 2, 1].into();
    // The address of a cell's own station means nothing where the cell has no traffic of its own.
    let sent = [
        (one, between(a, b), other),
        (other, between(b, elsewhere), Place::Server),
        (one, between(a, [10, 0, 0, 2].into()), Place::Server),
    ];
    for (from, packet, _) in &sent {
        send(&mut cell, *from, packet);
    }
    let arrivals = pass(&mut cell, Duration::from_secs(1));
    for (_, packet, to) in &sent {
        assert!(came(&arrivals, *to).contains(packet), "{to:?}");
    }
    assert_eq!((arrivals.len(), cell.queued(ackless_dot11::frame::NodeId(1))), (3, 0));
}

#[test]
fn the_only_station_gets_what_is_for_unknown_addresses() {
    let config = cell(Standard::N, 16);
    let mut cell = configured(&config, 1, ears::recorder(&config));
    cell.open();
    let [here, there] = [[192, 0, 2, 1], [198, 51, 100, 1]].map(std::net::IpAddr::from);
    let (down, up) = (plain(here, there, 1)[0].clone(), plain(there, here, 2)[0].clone());
    send(&mut cell, Place::Server, &down);
    send(&mut cell, Place::Station(1), &up);
    let arrivals = pass(&mut cell, Duration::from_secs(1));
    assert_eq!((came(&arrivals, Place::Station(1)), came(&arrivals, Place::Server)), (vec![down], vec![up]));
}

#[test]
fn what_cannot_pass_is_refused_and_counted() {
    let mut config = with_stations(cell(Standard::N, 16), 2);
    config.flows.push(crate::testing::hack_cells::dormant(0));
    let mut cell = open(&config, 1);
    let server = address(Place::Server, 4);
    let packet = |src, dst| Packet::from_bytes(&plain(src, dst, 1)[0]).expect("it is a packet");
    let mut refused = |place, packet| cell.inject(place, packet).expect_err("it is refused");
    for group in [[224, 0, 0, 251], [255, 255, 255, 255], [0, 0, 0, 0]] {
        assert_eq!(refused(Place::Server, packet(server, group.into())), Refusal::Group);
    }
    let v6 = packet(address(Place::Server, 6), "ff02::2".parse().expect("an address"));
    assert_eq!(refused(Place::Station(1), v6), Refusal::Group);
    assert_eq!(refused(Place::Server, packet(server, [192, 0, 2, 1].into())), Refusal::NoRoute);
    assert_eq!(refused(Place::Server, packet(server, server)), Refusal::NoRoute);
    assert_eq!(refused(Place::Server, packet(server, [10, 0, 0, 1].into())), Refusal::OwnAddress);
    assert_eq!(refused(Place::Station(1), packet([10, 1, 0, 1].into(), server)), Refusal::OwnAddress);
    assert_eq!(refused(Place::Station(3), packet(server, server)), Refusal::NoHost);
    assert_eq!(refused(Place::Station(0), packet(server, server)), Refusal::NoHost);
    let mut long = packet(server, address(Place::Station(1), 4));
    long.payload = ackless_wire::Payload::Length(1473);
    assert_eq!(refused(Place::Server, long.clone()), Refusal::TooLong(Bytes(1500)));
    let counts = cell.outside_counts();
    assert_eq!((counts.groups, counts.unroutable, counts.refused, counts.injected), (4, 2, 5, 0));
    long.payload = ackless_wire::Payload::Length(1472);
    assert_eq!(cell.inject(Place::Server, long), Ok(()));
    assert_eq!(pass(&mut cell, Duration::from_secs(1)).len(), 1);

    let own = [10, 0, 0, 1].into();
    assert_eq!(cell.settle(own, Place::Station(1)), Err(SettleError::OwnAddress(own)));
    assert_eq!(cell.settle(server, Place::Station(9)), Err(SettleError::NoHost));
    let group = [224, 0, 0, 1].into();
    assert_eq!(cell.settle(group, Place::Server), Err(SettleError::Group(group)));
}

#[test]
fn an_address_that_is_forgotten_lives_nowhere_until_it_is_settled_again() {
    let mut cell = open(&lossy(Standard::N, 2), 1);
    let [one, two] = [1, 2].map(|n| IpAddr::from([192, 0, 2, n]));
    let to = |dst| Packet::from_bytes(&plain(address(Place::Server, 4), dst, 1)[0]).expect("it is a packet");
    for (address, place) in [(one, Place::Station(1)), (two, Place::Station(2))] {
        assert_eq!(cell.settle(address, place), Ok(()));
    }
    assert_eq!(cell.inject(Place::Server, to(one)), Ok(()));
    cell.unsettle(one);
    assert_eq!(cell.inject(Place::Server, to(one)), Err(Refusal::NoRoute));
    assert_eq!(cell.inject(Place::Server, to(two)), Ok(()), "the other stays");
    assert_eq!(cell.settle(one, Place::Station(2)), Ok(()));
    assert_eq!(cell.inject(Place::Server, to(one)), Ok(()));
}

#[test]
fn packets_enter_in_the_instants_of_other_events() {
    for seed in 0..20 {
        let config = lossy(Standard::N, 2);
        let mut cell = open(&config, seed);
        let (mut sent, mut arrivals) = ([Vec::new(), Vec::new(), Vec::new()], Vec::new());
        for number in 0..400 {
            // Whatever is due now has not happened yet.
            let next = cell.poll_timeout().filter(|_| number % 20 > 0).unwrap_or(cell.now() + Duration::from_millis(5));
            cell.advance(next);
            cell.take_arrivals(&mut arrivals);
            let station = 1 + usize::from(number) % 2;
            let (from, to, place) = match number % 3 {
                0 => (Place::Station(station), Place::Server, 0),
                _ => (Place::Server, Place::Station(station), station),
            };
            let packet = strange(address(from, 4), address(to, 4), number)[0].clone();
            send(&mut cell, from, &packet);
            sent[place].push(packet);
            let soon = cell.now() + Duration::from_nanos(1);
            cell.advance(soon);
        }
        arrivals.extend(pass(&mut cell, Duration::from_secs(5)));
        assert!(
            came(&arrivals, Place::Station(1)) == sent[1] && came(&arrivals, Place::Station(2)) == sent[2],
            "seed {seed}"
        );
        let mut up = came(&arrivals, Place::Server);
        // Two stations contend.
        up.sort();
        sent[0].sort();
        assert!(up == sent[0], "seed {seed}");
        assert!(arrivals.is_sorted_by_key(|arrival| arrival.at), "seed {seed}");
    }
}

#[test]
fn what_an_ampdu_brought_is_one_batch() {
    let mut cell = open(&cell(Standard::N, 16), 3);
    let (server, station) = (Place::Server, Place::Station(1));
    let packets: Vec<_> =
        (0..9).map(|number| plain(address(server, 4), address(station, 4), number)[0].clone()).collect();
    packets.iter().for_each(|packet| send(&mut cell, server, packet));
    let arrivals = pass(&mut cell, Duration::from_secs(1));
    assert_eq!(came(&arrivals, station), packets);
    let batches = arrivals.chunk_by(|one, next| (one.at, one.place) == (next.at, next.place)).count();
    assert!(batches < 4, "{batches} batches of 9 packets");
}

#[test]
fn real_packets_pass_relays_and_ad_hoc_cells() {
    let mut relayed = with_stations(cell(Standard::N, 16), 3);
    relayed.stations[1].via = Some(0);
    relayed.stations[2].via = Some(1);
    let mut ad_hoc = with_stations(cell(Standard::N, 16), 3);
    ad_hoc.topology = Topology::AdHoc;
    for (config, others) in [
        (relayed, vec![Place::Server, Place::Station(1), Place::Station(2)]),
        (ad_hoc, vec![Place::Station(1), Place::Station(2)]),
    ] {
        let last = Place::Station(3);
        let mut cell = configured(&config, 1, ears::recorder(&config));
        for place in others.iter().chain([&last]) {
            cell.settle(address(*place, 4), *place).expect("there is such a host");
        }
        for &other in &others {
            for (from, to) in [(other, last), (last, other)] {
                let packets = strange(address(from, 4), address(to, 4), 1);
                for packet in &packets {
                    send(&mut cell, from, packet);
                    let arrivals = pass(&mut cell, Duration::from_millis(100));
                    assert_eq!(came(&arrivals, to), std::slice::from_ref(packet), "{from:?} to {to:?}");
                }
            }
        }
        if config.topology == Topology::AdHoc {
            let unknown = Packet::from_bytes(&plain(address(last, 4), [192, 0, 2, 1].into(), 1)[0]).expect("a packet");
            assert_eq!(cell.inject(last, unknown.clone()), Err(Refusal::NoRoute));
            assert_eq!(cell.inject(Place::Server, unknown), Err(Refusal::NoHost));
            assert_eq!(cell.settle(address(Place::Server, 4), Place::Server), Err(SettleError::NoHost));
        }
    }
}

#[test]
fn a_capture_of_the_air_has_the_bytes() {
    let config = cell(Standard::N, 16);
    let mut writer = PcapWriter::of_cell(Vec::new(), &config).expect("memory takes it");
    let mut cell = configured(&config, 1, ears::with(&config, &mut writer));
    let (server, station) = (Place::Server, Place::Station(1));
    for place in [server, station] {
        cell.settle(address(place, 4), place).expect("there is such a host");
    }
    let mut packets = strange(address(server, 4), address(station, 4), 3);
    packets.extend(strange(address(station, 4), address(server, 4), 4));
    for packet in &packets {
        let from = if packet[15] == 1 { server } else { station };
        cell.inject(from, Packet::from_bytes(packet).expect("it is a packet")).expect("it is for the other");
    }
    let until = cell.now() + Duration::from_secs(1);
    cell.advance(until);
    drop(cell);
    let file = writer.finish().expect("memory takes it");
    for packet in packets {
        assert!(file.windows(packet.len()).any(|window| window == packet), "{packet:02x?}");
    }
}

//! The cell between interfaces that are there already: hosts find each other, every byte arrives whatever is left to their devices, and what is too long is said to be.

use std::io;
use std::net::IpAddr;
use std::process::Command;

use ackless_cell::flows::Place;
use ackless_emu::EmuError;
use ackless_emu::device::Addresses;
use ackless_emu::namespace::{Door, Namespace};
use ackless_emu::world::{Ends, Plan, World};

use crate::rig::{Heard, MERGED, SINGLE, cell, ours, skip, with_ends};
use crate::transfer::{LOSSY, all_ways, pattern};

/// Hosts of a test-bed of its own: each has a namespace with one end of a pair of Ethernet interfaces, whose other end is here.
struct Bed {
    hosts: Vec<Namespace>,
    /// The ends here.
    interfaces: Vec<String>,
}

impl Bed {
    /// So many hosts with the addresses of the network 192.168.77.0/24 and fd99::/64, counted from 1; nothing, and a word why, where that is not permitted here.
    fn new(name: &str, hosts: usize) -> Option<Self> {
        if !has_tools() {
            skip(&"this wants ip, ping and IPv6");
            return None;
        }
        let mut bed = Self { hosts: Vec::new(), interfaces: Vec::new() };
        for n in 1..=hosts {
            let host = ours(&format!("t-{name}-{n}"));
            match Namespace::new(&host) {
                Ok(host) => bed.hosts.push(host),
                Err(error @ EmuError::Refused { .. }) => {
                    skip(&error);
                    return None;
                }
                Err(error) => panic!("{error}"),
            }
            // At most 15 letters.
            let interface = ours(&format!("t{name}{n}"));
            run(&format!("ip link add {interface} type veth peer name eth0 netns {host}"));
            bed.interfaces.push(interface.clone());
            run(&format!("ip link set {interface} up"));
            bed.inside(n, &format!("ip addr add 192.168.77.{n}/24 dev eth0; ip addr add fd99::{n}/64 dev eth0 nodad; ip link set eth0 up"));
        }
        Some(bed)
    }

    /// Runs a script at a host.
    fn inside(&self, host: usize, script: &str) {
        run(&format!("ip netns exec {} sh -ec '{script}'", self.hosts[host - 1].name()));
    }

    fn doors(&self) -> Vec<Door> {
        self.hosts.iter().map(|host| host.door().expect("there are few files open")).collect()
    }

    /// The first host is the server, the others are stations.
    fn ends(&self) -> Ends<'_> {
        Ends { server: Some(&self.interfaces[0]), stations: &self.interfaces[1..] }
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        for interface in &self.interfaces {
            // With a namespace its ends go, but not at once.
            let _ = Command::new("ip").args(["link", "delete", interface]).output();
        }
    }
}

fn has_tools() -> bool {
    let here = |tool| Command::new(tool).arg("-V").output().is_ok();
    here("ip") && here("ping") && std::path::Path::new("/proc/sys/net/ipv6").exists()
}

fn run(script: &str) -> String {
    let output = Command::new("sh").args(["-c", script]).output().expect("there is a shell");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{script}: {said}");
    said
}

/// What a command says at a host, however it ends.
fn said(host: &Door, command: &str) -> io::Result<String> {
    let output = host.within(|| Command::new("sh").args(["-c", command]).output())?;
    Ok(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn hosts_behind_interfaces_get_every_byte_with_large_packets_and_without_checksums_over_both_families() {
    for (name, server, offload) in [("b4", "192.168.77.1", SINGLE), ("b6", "fd99::1", MERGED)] {
        let Some(bed) = Bed::new(name, 2) else { return };
        let server: IpAddr = server.parse().expect("it is an address");
        let (config, heard, doors) = (cell("wifi-80211n", "hack", &LOSSY), Heard::default(), bed.doors());
        let len = 1_000_000;
        let work = move |_| all_ways(&doors, server, len);
        let Some((got, emulated)) = with_ends(&format!("t-{name}"), &config, offload, bed.ends(), &heard, work) else {
            return;
        };
        assert!(got.iter().all(|bytes| *bytes == pattern(len).repeat(2)), "other bytes than were sent");
        let hack = emulated.result.hack.expect("there are HACK nodes");
        assert!(heard.check(Some(&hack)) > 0);
        assert!(hack.compressed_acks > 0);
        let crossed = [Place::Server, Place::Station(1)].map(|place| emulated.tally.of(place));
        for crossed in crossed {
            assert_eq!((crossed.homeless, crossed.refused), (0, 0), "{name}: {crossed:?}");
        }
        // Who connects asks for an Ethernet address. An answer in ARP goes past the cell too; one in neighbour discovery is a packet for one host, which goes through it, and what else
        // a host says there to groups it may have said before anybody listened.
        let [server, station] = crossed.map(|crossed| crossed.passed);
        let answered = server > 0 || name == "b6";
        assert!(station > 0 && answered, "{name}: nobody has asked for Ethernet addresses: {crossed:?}");
    }
}

#[test]
fn stations_reach_each_other_and_networks_behind_each_other_and_a_namespace_fills_the_place_that_is_left() {
    let Some(bed) = Bed::new("bm", 2) else { return };
    bed.inside(1, "ip addr add 10.77.1.1/16 dev eth0; ip addr add 172.30.0.1/24 dev lo; ip link set lo up");
    bed.inside(2, "ip addr add 10.77.1.2/16 dev eth0");
    let config = cell("wifi-80211n", "tcp", &["stations.count=2"]);
    let doors = bed.doors();
    let work = move |made: Vec<Door>| {
        assert_eq!(made.len(), 1, "the server's");
        let asked =
            ["ping -q -c 3 -i 0.05 10.77.1.2", "ping -q -c 3 -i 0.05 10.77.0.1", "ping -q -c 3 -i 0.05 fd99::2"];
        let mut told = asked.iter().map(|asked| said(&doors[0], asked)).collect::<io::Result<Vec<_>>>()?;
        let behind = "ip route add 172.30.0.0/24 via 10.77.1.1; ping -q -c 3 -i 0.05 172.30.0.1";
        told.extend([said(&made[0], behind)?, said(&doors[1], behind)?]);
        Ok(told)
    };
    let ends = Ends { server: None, stations: &bed.interfaces };
    let Some((told, emulated)) = with_ends("t-bm", &config, SINGLE, ends, &Heard::default(), work) else { return };
    for told in told {
        assert!(told.contains("3 received"), "{told}");
    }
    // Three pings of three and their answers came out at the second station, its own question and answer among them.
    assert!(emulated.tally.of(Place::Station(2)).received >= 9);
}

#[test]
fn what_is_too_long_for_the_cell_is_said_to_be_or_taken_apart() {
    let Some(bed) = Bed::new("bl", 2) else { return };
    let config = cell("wifi-80211n", "tcp", &["transport.packet=1400B", "wired.mtu=1400B"]);
    let doors = bed.doors();
    let work = move |_| {
        let ways = ["192.168.77.1", "fd99::1"];
        let got = ways.map(|server| all_ways(&doors, server.parse().expect("it is one"), 100_000));
        // What connections have found out is forgotten; and once it is told the sender knows it again. The first may not be: only so many are told in a second, and connections have had theirs.
        let forget = "ip route flush cache; ip -6 route flush cache";
        let forbidden = ways.map(|to| said(&doors[1], &format!("{forget}; ping -M do -c 3 -i 0.2 -W 1 -s 1440 {to}")));
        let allowed = said(&doors[1], "ping -q -M dont -c 3 -i 0.05 -W 1 -s 2500 192.168.77.1")?;
        let [four, six] = forbidden;
        Ok((four?, six?, allowed, got))
    };
    let Some(((four, six, allowed, got), emulated)) =
        with_ends("t-bl", &config, MERGED, bed.ends(), &Heard::default(), work)
    else {
        return;
    };
    assert!(four.contains("From 192.168.77.1") && four.contains("mtu = 1400"), "{four}");
    assert!(four.contains("mtu=1400"), "the sender's own kernel refuses the next: {four}");
    assert!(six.contains("From fd99::1") && six.to_lowercase().contains("mtu=1400"), "{six}");
    assert!(allowed.contains("3 received"), "{allowed}");
    for got in got {
        let got = got.expect("connections find the path's MTU");
        assert!(got.iter().all(|bytes| *bytes == pattern(100_000).repeat(2)), "other bytes than were sent");
    }
    assert!(emulated.tally.of(Place::Server).refused > 0);
}

#[test]
fn a_broadcast_that_is_too_long_for_the_other_side_s_interface_ends_nothing() {
    let Some(bed) = Bed::new("bb", 2) else { return };
    run(&format!("ip link set {} mtu 9000", bed.interfaces[0]));
    bed.inside(1, "ip link set eth0 mtu 9000");
    let config = cell("wifi-80211n", "tcp", &[]);
    let doors = bed.doors();
    let work = move |_| {
        // Nobody answers it.
        said(&doors[0], "ping -b -c 3 -i 0.05 -W 1 -s 5000 -M do 192.168.77.255")?;
        said(&doors[1], "ping -q -c 3 -i 0.05 -W 1 192.168.77.1")
    };
    let Some((said, emulated)) = with_ends("t-bb", &config, MERGED, bed.ends(), &Heard::default(), work) else {
        return;
    };
    assert!(said.contains("3 received"), "{said}");
    // The station's interface takes none of the three; the server's has had nothing to refuse.
    let [Some(server), Some(station)] = emulated.dropped[..] else { panic!("there are two hosts") };
    assert_eq!(server, 0);
    assert!(station >= 3, "{station} of three broadcasts were refused");
}

#[test]
fn a_device_whose_packets_may_be_longer_than_the_cell_s_hears_of_it() {
    let config = cell("wifi-80211n", "tcp", &[]);
    let work = |hosts: Vec<Door>| {
        let server = Addresses::of(Place::Server).v4;
        said(&hosts[1], &format!("ip link set wifi0 mtu 9000; ping -M do -c 2 -i 0.05 -W 1 -s 8000 {server}"))
    };
    if !has_tools() {
        return skip(&"this wants ip and ping");
    }
    for offload in [SINGLE, MERGED] {
        let heard = Heard::default();
        let Some((told, _)) = crate::rig::with_hosts("t-jumbo", &config, offload, &heard, work) else { return };
        assert!(told.contains("mtu = 1500") && told.contains("mtu=1500"), "{told}");
    }
}

#[test]
fn interfaces_that_cannot_be_ends_are_refused_with_the_remedy_and_nothing_is_left() {
    let Some(bed) = Bed::new("bw", 2) else { return };
    let [one, two] = &bed.interfaces[..] else { panic!("there are two") };
    let config = cell("wifi-80211n", "tcp", &[]);
    let (name, bridge) = (ours("t-bw"), ours("tbwbr"));
    let refused = |server: &str, stations: &[&str]| -> String {
        let stations: Vec<_> = stations.iter().map(|&name| name.to_owned()).collect();
        let ends = Ends { server: Some(server), stations: &stations };
        match World::new(Plan { name: &name, server: SINGLE, stations: SINGLE, ends }, &config) {
            Err(error @ (EmuError::Wrong { .. } | EmuError::Taken { .. })) => error.to_string(),
            other => panic!("{server}, {stations:?}: {other:?}"),
        }
    };
    let cases = [
        (refused("nosuch0", &[]), "ip link lists"),
        (refused("a-name-that-no-interface-can-have", &[]), "ip link lists"),
        (refused("", &[]), "ip link lists"),
        (refused("lo", &[]), "take one end of a veth pair"),
        (refused(one, &[one]), "given twice"),
        (refused(one, &[two, two]), "2 interfaces for 1 stations"),
    ];
    for (complaint, remedy) in cases {
        assert!(complaint.contains(remedy), "{complaint}");
    }
    run(&format!("ip link set {two} mtu 1400"));
    assert!(refused(one, &[two]).contains("--set wired.mtu=1400"));
    run(&format!("ip link set {two} mtu 1500 down"));
    assert!(refused(one, &[two]).contains(&format!("ip link set {two} up")));
    run(&format!("ip link add {bridge} type bridge && ip link set {two} up master {bridge}"));
    let bridged = refused(one, &[two]);
    run(&format!("ip link delete {bridge}"));
    assert!(bridged.contains("nomaster"), "{bridged}");
    let ends = Ends { server: Some(one), stations: &[] };
    let first = ours("t-bw-first");
    let world = World::new(Plan { name: &first, server: SINGLE, stations: SINGLE, ends }, &config);
    let world = match world {
        Ok(world) => world,
        Err(error) => return skip(&error),
    };
    let complaint = refused(one, &[]);
    assert!(complaint.contains(&std::process::id().to_string()), "{complaint}");
    drop(world);
    for left in [format!("/run/ackless/{name}.json"), format!("/run/netns/{name}-sta-1")] {
        assert!(!std::path::Path::new(&left).exists(), "{left} is there");
    }
}

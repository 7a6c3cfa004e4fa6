//! Stations at which nothing happens cost nothing.

use std::net::UdpSocket;
use std::time::Duration;

use ackless_cell::flows::Place;
use ackless_emu::device::Addresses;
use ackless_emu::namespace::Door;

use crate::rig::{Heard, SINGLE, cell, skip, with_hosts};

#[test]
fn devices_at_which_nothing_waits_are_not_read() {
    let config = cell("wifi-80211n", "tcp", &["stations.count=20"]);
    let packets = 100;
    let work = move |hosts: Vec<Door>| {
        let socket = hosts[1].within(|| UdpSocket::bind("0.0.0.0:0"))?;
        for _ in 0..packets {
            socket.send_to(&[0; 32], (Addresses::of(Place::Server).v4, 9))?;
            std::thread::park_timeout(Duration::from_millis(5));
        }
        Ok(())
    };
    let Some(before) = reads() else { return skip(&"this kernel does not count a thread's calls") };
    let Some(((), emulated)) = with_hosts("t-quiet", &config, SINGLE, &Heard::default(), work) else { return };
    let made = reads().expect("it was there before") - before;
    let sent: u64 =
        (0..=20).map(|node| emulated.tally.of(if node == 0 { Place::Server } else { Place::Station(node) }).sent).sum();
    assert!(sent >= packets, "{sent} packets were sent");
    // Each wants a read, and another that finds no more; to build the network and to look after it takes some too.
    assert!(made < 5 * sent + 200, "{made} reads for {sent} packets");
}

/// How often this thread has called `read` and its like, where the kernel counts that (proc(5)).
fn reads() -> Option<u64> {
    let counts = std::fs::read_to_string("/proc/thread-self/io").ok()?;
    counts.lines().find_map(|line| line.strip_prefix("syscr: ")?.parse().ok())
}

//! Bytes through the kernel's TCP and the cell, in both directions, whatever the air loses.

use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use ackless_cell::flows::Place;
use ackless_emu::device::Addresses;
use ackless_emu::namespace::Door;

use crate::rig::{Heard, MERGED, SINGLE, cell, with_hosts};

/// Bytes in which any shift shows.
pub fn pattern(len: usize) -> Vec<u8> {
    (0..len as u64).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

/// Three connections one after the other, down, up and both at once, of so many bytes each way; what each end got in all.
pub fn all_ways(hosts: &[Door], server: IpAddr, len: usize) -> io::Result<[Vec<u8>; 2]> {
    let address = SocketAddr::new(server, 5_000);
    let listener = hosts[0].within(|| TcpListener::bind(address))?;
    let ways = [(len, 0), (0, len), (len, len)];
    let at_server = std::thread::spawn(move || -> io::Result<Vec<u8>> {
        let got = ways.map(|(down, _)| exchange(listener.accept()?.0, down));
        Ok(got.into_iter().collect::<io::Result<Vec<_>>>()?.concat())
    });
    let mut at_station = Vec::new();
    for (_, up) in ways {
        let stream = hosts[1].within(|| TcpStream::connect_timeout(&address, PATIENCE))?;
        at_station.extend(exchange(stream, up)?);
    }
    Ok([at_server.join().expect("the server does not panic")?, at_station])
}

/// Sends and gets at the same time, over one connection.
fn exchange(stream: TcpStream, len: usize) -> io::Result<Vec<u8>> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut sending = stream.try_clone()?;
    let sender = std::thread::spawn(move || {
        sending.write_all(&pattern(len))?;
        sending.shutdown(std::net::Shutdown::Write)
    });
    let mut got = Vec::new();
    (&stream).read_to_end(&mut got)?;
    sender.join().expect("the sender does not panic")?;
    Ok(got)
}

fn every_byte_arrives(row: &str, overrides: &[&str], offload: ackless_emu::device::Offload, v6: bool) {
    let config = cell("wifi-80211n", row, overrides);
    let Addresses { v4, v6: six } = Addresses::of(Place::Server);
    let server: IpAddr = if v6 { six.into() } else { v4.into() };
    let len = 2_000_000;
    let name = format!("t-{row}-{}", if v6 { 6 } else { 4 });
    let heard = Heard::default();
    let Some((got, emulated)) = with_hosts(&name, &config, offload, &heard, move |hosts| all_ways(&hosts, server, len))
    else {
        return;
    };
    for (end, bytes) in ["server", "station"].iter().zip(&got) {
        let right = *bytes == pattern(len).repeat(2);
        assert!(right, "{row}: the {end} got {} bytes of {} or others than were sent", bytes.len(), 2 * len);
    }
    if row.starts_with("hack") {
        let hack = emulated.result.hack.expect("there are HACK nodes");
        assert!(heard.check(Some(&hack)) > 0);
        assert!(hack.compressed_acks > 0, "{hack:?}");
    }
}

#[test]
fn plain_tcp_brings_every_byte_of_the_kernels() {
    every_byte_arrives("tcp", &LOSSY, SINGLE, false);
}

#[test]
fn hack_brings_every_byte_of_the_kernels_through_loss() {
    every_byte_arrives("hack", &LOSSY, SINGLE, false);
}

#[test]
fn merged_packets_bring_every_byte_of_the_kernels() {
    every_byte_arrives("hack-rohc", &LOSSY, MERGED, false);
}

#[test]
fn ipv6_passes_under_hack() {
    if !std::path::Path::new("/proc/sys/net/ipv6").exists() {
        return crate::rig::skip(&"this kernel has no IPv6");
    }
    every_byte_arrives("hack", &[], MERGED, true);
}

#[test]
fn the_agent_and_the_proxy_bring_every_byte_of_the_kernels() {
    for row in ["agent", "arq", "fastack", "tcp-l8"] {
        every_byte_arrives(row, &LOSSY, SINGLE, false);
    }
}

#[test]
fn many_short_connections_leave_nothing_behind() {
    let config = cell("hack-80211n", "hack", &LOSSY);
    let connections = 500;
    let work = move |hosts: Vec<Door>| {
        let address = SocketAddr::new(Addresses::of(Place::Server).v4.into(), 5_000);
        let listener = hosts[0].within(|| TcpListener::bind(address))?;
        let server = std::thread::spawn(move || -> io::Result<()> {
            for _ in 0..connections {
                let (mut stream, _) = listener.accept()?;
                let mut got = [0; 1_000];
                stream.read_exact(&mut got)?;
                stream.write_all(&got)?;
            }
            Ok(())
        });
        // All from one thread within the namespace, some at a time.
        hosts[1].within(|| {
            for round in 0..connections / 10 {
                let streams: Vec<_> =
                    (0..10).map(|_| TcpStream::connect_timeout(&address, PATIENCE)).collect::<io::Result<_>>()?;
                for mut stream in streams {
                    let sent = pattern(1_000);
                    stream.write_all(&sent)?;
                    let mut got = Vec::new();
                    stream.read_to_end(&mut got)?;
                    assert!(got == sent, "round {round}");
                }
            }
            Ok(())
        })?;
        server.join().expect("the server does not panic")
    };
    let heard = Heard::default();
    let Some(((), emulated)) = with_hosts("t-many", &config, SINGLE, &heard, work) else { return };
    heard.check(emulated.result.hack.as_ref());
    assert!(emulated.left <= 4, "{} packets are under way in a cell in which nothing is", emulated.left);
}

/// What the air loses, each way.
pub const LOSSY: [&str; 5] = [
    "loss.model=per-frame",
    "loss.down_data=0.02",
    "loss.up_data=0.02",
    "loss.down_control=0.02",
    "loss.up_control=0.02",
];
/// How long a socket waits.
const PATIENCE: Duration = Duration::from_secs(40);

//! TUN devices: where the kernel's packets come from, and where the cell's go to.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use ackless_cell::flows::Place;
use ackless_cell::gro::Gro;
use ackless_wire::Bytes;
use tun_rs::{DeviceBuilder, SyncDevice};

use crate::netlink::Netlink;

/// A TUN device in some network namespace, which this process reads and writes.
pub struct Device {
    /// Whose it is.
    pub place: Place,
    tun: SyncDevice,
    offload: Offload,
    /// What it could not write: the kernel had no room.
    refused: u64,
}

/// What the kernel may leave to a device, and what it gets merged (issue of the experiment, not a detail: an A-MPDU that comes up merged has a few ACKs, else one
/// for two segments).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offload {
    /// Whether its TCP hands large packets down, which are taken apart here (TSO).
    pub segments: bool,
    /// What of a batch is merged on its way up (GRO).
    pub gro: Gro,
}

/// A device's addresses: one of each family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Addresses {
    /// In IPv4.
    pub v4: Ipv4Addr,
    /// In IPv6.
    pub v6: Ipv6Addr,
}

/// What devices read into: as many packets as the largest one may be taken apart into.
#[derive(Debug)]
pub struct Buffers {
    large: Vec<u8>,
    packets: Vec<Vec<u8>>,
    sizes: Vec<usize>,
}

impl Addresses {
    /// The addresses of a place in the networks 10.77.0.0/16 and fd77::/64: the server is 1, station `n`, counted from 0, is `n + 2`.
    ///
    /// Private addresses (RFC 1918) and unique local ones (RFC 4193), which nobody but the devices of one emulation has.
    pub fn of(place: Place) -> Self {
        let host = match place {
            Place::Server => 1,
            Place::Station(node) => node as u16 + 1,
        };
        let [high, low] = host.to_be_bytes();
        Self { v4: Ipv4Addr::new(10, 77, high, low), v6: Ipv6Addr::new(0xfd77, 0, 0, 0, 0, 0, 0, host) }
    }
}

impl Device {
    /// A new device called `name` in the calling thread's namespace, up, with its addresses and a route for everything.
    ///
    /// # Errors
    /// Where the kernel refuses.
    pub fn new(name: &str, place: Place, mtu: Bytes, offload: Offload) -> io::Result<Self> {
        let Addresses { v4, v6 } = Addresses::of(place);
        let with_header = offload.segments || offload.gro != Gro::Off;
        let has_v6 = mtu >= LEAST_V6 && Path::new(IPV6).exists();
        if has_v6 {
            std::fs::write(Path::new(IPV6).join("router_solicitations"), "0")?;
        }
        let tun = DeviceBuilder::new()
            .name(name)
            .ipv4(v4, NETWORK_V4, None)
            .mtu(mtu.get() as u16)
            .offload(with_header)
            .build_sync()?;
        tun.set_nonblocking(true)?;
        let netlink = Netlink::open()?;
        // Not by the older call, which wants rights over the whole machine.
        netlink.set_queue(tun.if_index()?, QUEUE)?;
        if has_v6 {
            netlink.add_address(tun.if_index()?, v6, NETWORK_V6)?;
        }
        if !offload.segments {
            netlink.set_largest_packet(tun.if_index()?, 1)?;
        }
        netlink.route_everything(tun.if_index()?, has_v6)?;
        Ok(Self { place, tun, offload, refused: 0 })
    }

    /// Its addresses.
    pub fn addresses(&self) -> [IpAddr; 2] {
        let Addresses { v4, v6 } = Addresses::of(self.place);
        [v4.into(), v6.into()]
    }

    /// What is left to it.
    pub fn offload(&self) -> Offload {
        self.offload
    }

    /// Whether frames to and from it begin with a virtio header.
    pub fn has_header(&self) -> bool {
        self.tun.tcp_gso()
    }

    /// Reads what waits first, as packets that are as long as they are on the link, with whole checksums. Nothing waits: an empty slice.
    ///
    /// # Errors
    /// Where the kernel refuses.
    pub fn read<'a>(&self, buffers: &'a mut Buffers) -> io::Result<impl Iterator<Item = &'a [u8]> + use<'a>> {
        let Buffers { large, packets, sizes } = buffers;
        let count = match self.tun.recv_multiple(large, packets, sizes, 0) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            Err(error) => return Err(error),
        };
        Ok(packets.iter().zip(sizes.iter()).take(count).map(|(packet, &len)| &packet[..len]))
    }

    /// Writes a frame, with its virtio header where there is one.
    ///
    /// # Errors
    /// Where the kernel refuses for another reason than want of room, which is counted.
    pub fn write(&mut self, frame: &[u8]) -> io::Result<()> {
        match nix::unistd::write(&self.tun, frame) {
            Ok(_) => Ok(()),
            Err(nix::Error::EAGAIN | nix::Error::ENOBUFS | nix::Error::ENOMEM) => {
                self.refused += 1;
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// What the kernel has dropped of what it wanted to send here, because nobody read it in time. To be asked in the device's own namespace.
    ///
    /// # Errors
    /// Where the kernel does not say.
    pub fn dropped(&self) -> io::Result<u64> {
        let name = self.tun.name()?;
        let counts = std::fs::read_to_string("/proc/thread-self/net/dev")?;
        let line = counts.lines().find_map(|line| line.trim_start().strip_prefix(&format!("{name}:")));
        let dropped = line.and_then(|line| line.split_whitespace().nth(SENT_DROPPED)?.parse().ok());
        dropped
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, format!("/proc/net/dev does not tell of {name}")))
    }

    /// How many frames it could not write.
    pub fn refused(&self) -> u64 {
        self.refused
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("place", &self.place).field("offload", &self.offload).finish_non_exhaustive()
    }
}

impl AsFd for Device {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.tun.as_fd()
    }
}

impl Default for Buffers {
    fn default() -> Self {
        Self { large: vec![0; LARGEST], packets: vec![vec![0; LONGEST]; MOST], sizes: vec![0; MOST] }
    }
}

/// The place of the packets dropped in sending among the counts of a device in `/proc/net/dev` (proc(5)).
const SENT_DROPPED: usize = 11;
/// The longest prefix that all addresses share, in bits.
const NETWORK_V4: u8 = 16;
/// As above, in IPv6.
const NETWORK_V6: u8 = 64;
/// Packets that wait in the kernel until they are read; they go on to the cell's own queues at once, so this is only for when the process gets no processor.
const QUEUE: u32 = 10_000;
/// A packet of 65,535 bytes with its virtio header.
const LARGEST: usize = 65_536 + 64;
/// The longest packet that a cell may be set to carry: an MSDU has at most 2,304 bytes (802.11-2020, 9.2.4.8), of which LLC and SNAP take 8.
const LONGEST: usize = 2_296;
/// Links with a smaller MTU have no IPv6 (RFC 8200, 5).
const LEAST_V6: Bytes = Bytes(1_280);
/// Where the kernel says how IPv6 is, if it has it.
const IPV6: &str = "/proc/sys/net/ipv6/conf/default";
/// As many segments as the kernel puts into a packet if they are as small as may be (`TCP_MIN_GSO_SIZE`, 8 bytes of payload, would be 8,192; its least MSS of 48 is what counts).
const MOST: usize = 1_366;

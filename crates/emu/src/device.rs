//! Devices: where the hosts' packets come from, and where the cell's go to.
//!
//! A host that is made here has a TUN device. Where another end is an interface that existed before, so that hosts find each other by Ethernet addresses, it has a TAP device.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use ackless_cell::flows::Place;
use ackless_cell::gro::Gro;
use ackless_wire::{Bytes, Duration, Instant};
use tun_rs::{DeviceBuilder, Layer, SyncDevice, VIRTIO_NET_HDR_LEN, VirtioNetHdr};

use crate::EmuError;
use crate::bridge::{self, Header};
use crate::interface::Interface;
use crate::netlink::Netlink;
use crate::offload::{Framing, complete, split};
use crate::standing::{Record, Standing};

/// The device of one host, which this process reads and writes.
pub struct Device {
    /// Whose it is.
    pub place: Place,
    link: Link,
    offload: Offload,
    /// What it could not write: the kernel had no room, or the device was down.
    refused: u64,
    record: Record,
}

/// What a device is.
enum Link {
    /// IP packets of a host that was made here.
    Tun(SyncDevice),
    /// Ethernet frames of a host that was made here.
    Tap(SyncDevice),
    /// Ethernet frames that come in through an interface.
    Interface(Interface),
}

/// What was read from a device at once.
#[derive(Debug)]
pub struct Taken<'a> {
    /// What stood before each packet, where the device is of Ethernet.
    pub header: Option<Header>,
    packets: &'a [Vec<u8>],
    sizes: &'a [usize],
}

/// What the kernel may leave to a device, and what it gets merged (a parameter of an experiment and no detail: an A-MPDU that comes up merged has a few ACKs, else one
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

/// What devices read into: as many packets as the largest one may be taken apart into. Of so many, each can only be so long.
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
    /// A new device called `name` in the calling thread's namespace, up, with its addresses and a route for everything; of Ethernet if `ethernet`.
    ///
    /// # Errors
    /// Where the kernel refuses.
    pub fn new(name: &str, place: Place, mtu: Bytes, offload: Offload, ethernet: bool) -> io::Result<Self> {
        let Addresses { v4, v6 } = Addresses::of(place);
        let has_v6 = mtu >= LEAST_V6 && Path::new(IPV6).exists();
        if has_v6 {
            std::fs::write(Path::new(IPV6).join("router_solicitations"), "0")?;
        }
        let tun = DeviceBuilder::new()
            .name(name)
            .layer(if ethernet { Layer::L2 } else { Layer::L3 })
            .ipv4(v4, NETWORK_V4, None)
            .mtu(mtu.get() as u16)
            .offload(ethernet || offload.segments || offload.gro != Gro::Off)
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
        let link = if ethernet { Link::Tap(tun) } else { Link::Tun(tun) };
        Ok(Self { place, link, offload, refused: 0, record: Record::default() })
    }

    /// An interface that is there already, behind which a host is.
    ///
    /// # Errors
    /// See [`Interface::open`].
    pub fn existing(name: &str, place: Place, mtu: Bytes, offload: Offload) -> Result<Self, EmuError> {
        let link = Link::Interface(Interface::open(name, mtu)?);
        Ok(Self { place, link, offload, refused: 0, record: Record::default() })
    }

    /// Its host's addresses, if that was made here.
    pub fn addresses(&self) -> Option<[IpAddr; 2]> {
        let Addresses { v4, v6 } = Addresses::of(self.place);
        (!matches!(self.link, Link::Interface(_))).then_some([v4.into(), v6.into()])
    }

    /// What is left to it.
    pub fn offload(&self) -> Offload {
        self.offload
    }

    /// Whether it is of Ethernet.
    pub fn is_ethernet(&self) -> bool {
        !matches!(self.link, Link::Tun(_))
    }

    /// What stands before packets that are written to it, which follow `header` where it is of Ethernet.
    pub fn framing(&self, header: Option<Header>) -> Framing {
        match (&self.link, header) {
            (Link::Tun(tun), _) if !tun.tcp_gso() => Framing::Bare,
            (Link::Tun(_), _) | (_, None) => Framing::Virtio,
            (_, Some(header)) => Framing::Ethernet(header),
        }
    }

    /// Reads what waits first, as packets that are as long as they are on the link, with whole
    /// checksums. `None`: nothing waits, or the device is down or gone ([`Self::is_in_doubt`]).
    ///
    /// # Errors
    /// Where the kernel refuses for another reason.
    pub fn read<'a>(&mut self, buffers: &'a mut Buffers) -> io::Result<Option<Taken<'a>>> {
        let read = match &self.link {
            Link::Tun(tun) => {
                let Buffers { large, packets, sizes } = &mut *buffers;
                tun.recv_multiple(large, packets, sizes, 0).map(|count| (None, count))
            }
            Link::Tap(_) | Link::Interface(_) => self.read_frame(buffers).map(|(header, count)| (Some(header), count)),
        };
        match read {
            Ok((header, count)) => {
                self.record.heed(Standing::Up);
                Ok(Some(Taken { header, packets: &buffers.packets[..count], sizes: &buffers.sizes[..count] }))
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => self.heed(error).map(|()| None),
        }
    }

    /// Takes an error as what it says of the device, if it says something.
    #[cold]
    fn heed(&mut self, error: io::Error) -> io::Result<()> {
        match error.raw_os_error().and_then(Standing::of_error) {
            Some(says) => {
                self.record.heed(says);
                Ok(())
            }
            None => Err(error),
        }
    }

    /// Whether packets can cross it, as far as is known.
    pub fn standing(&self) -> Standing {
        self.record.standing()
    }

    /// Whether the kernel's last answer was another than before: [`Self::look`] is due.
    #[inline]
    pub fn is_in_doubt(&self) -> bool {
        self.record.hint().is_some()
    }

    /// Finds out whether packets can cross it now. To be asked in the namespace in which an
    /// existing interface is.
    ///
    /// The kernel says only of an interface how it stands; a TUN device shows by the next packet
    /// that it is up again.
    ///
    /// # Errors
    /// Where the kernel does not say.
    pub fn look(&mut self, now: Instant) -> io::Result<()> {
        let standing = match (&self.link, self.record.hint()) {
            (Link::Interface(interface), _) => match interface.is_up()? {
                Some(true) => Standing::Up,
                Some(false) => Standing::Down,
                None => Standing::Gone,
            },
            (_, Some(hint)) => hint,
            (_, None) => return Ok(()),
        };
        self.record.book(standing, now);
        Ok(())
    }

    /// How long it was down until now, in all.
    pub fn down(&self, now: Instant) -> Duration {
        self.record.down(now)
    }

    /// Reads an Ethernet frame: its header, and how many packets it was.
    fn read_frame(&self, buffers: &mut Buffers) -> io::Result<(Header, usize)> {
        let Buffers { large, packets, sizes } = buffers;
        let len = nix::unistd::read(self.as_fd(), large)?;
        let Some((virtio, frame)) = large[..len].split_at_mut_checked(VIRTIO_NET_HDR_LEN) else {
            return Ok(([0; bridge::HEADER], 0));
        };
        let Some((header, packet)) = frame.split_first_chunk_mut() else {
            return Ok(([0; bridge::HEADER], 0));
        };
        let virtio = VirtioNetHdr::decode(virtio)?;
        let count = if virtio.gso_type == 0 {
            complete(&virtio, packet);
            packets[0][..packet.len()].copy_from_slice(packet);
            sizes[0] = packet.len();
            1
        } else {
            // What cannot be taken apart is nothing that the cell could carry.
            split(&virtio, packet, packets, sizes).unwrap_or(0)
        };
        Ok((*header, count))
    }

    /// Writes a frame as [`Self::framing`] has it.
    ///
    /// # Errors
    /// Where the kernel refuses for another reason than want of room, that the frame is longer than
    /// its interface takes, or that the device is down or gone. Those frames are counted.
    pub fn write(&mut self, frame: &[u8]) -> io::Result<()> {
        match nix::unistd::write(self.as_fd(), frame) {
            Ok(_) => {
                self.record.heed(Standing::Up);
                Ok(())
            }
            Err(nix::Error::EAGAIN | nix::Error::ENOBUFS | nix::Error::ENOMEM | nix::Error::EMSGSIZE) => {
                self.refused += 1;
                Ok(())
            }
            Err(error) => {
                self.heed(error.into())?;
                self.refused += 1;
                Ok(())
            }
        }
    }

    /// What the kernel has dropped of what its host sent here, because nobody read it in time;
    /// nothing where the count is gone with the device. To be asked in the device's own namespace.
    ///
    /// # Errors
    /// Where the kernel does not say.
    pub fn dropped(&self) -> io::Result<Option<u64>> {
        let name = match &self.link {
            Link::Interface(interface) => return interface.dropped().map(Some),
            Link::Tun(device) | Link::Tap(device) => match device.name() {
                Ok(name) => name,
                Err(error) if error.raw_os_error().and_then(Standing::of_error) == Some(Standing::Gone) => {
                    return Ok(None);
                }
                Err(error) => return Err(error),
            },
        };
        let counts = std::fs::read_to_string("/proc/thread-self/net/dev")?;
        let line = counts.lines().find_map(|line| line.trim_start().strip_prefix(&format!("{name}:")));
        // It has no line where somebody has moved it to another namespace.
        let Some(line) = line else { return Ok(None) };
        let dropped = line.split_whitespace().nth(SENT_DROPPED).and_then(|dropped| dropped.parse().ok());
        let unreadable =
            || io::Error::new(io::ErrorKind::InvalidData, format!("/proc/net/dev does not tell of {name}"));
        dropped.map(Some).ok_or_else(unreadable)
    }

    /// How many frames it could not write.
    pub fn refused(&self) -> u64 {
        self.refused
    }
}

impl<'a> Taken<'a> {
    /// The packets.
    pub fn packets(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.packets.iter().zip(self.sizes).map(|(packet, &len)| &packet[..len])
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("place", &self.place).field("offload", &self.offload).finish_non_exhaustive()
    }
}

impl AsFd for Device {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.link {
            Link::Tun(device) | Link::Tap(device) => device.as_fd(),
            Link::Interface(interface) => interface.as_fd(),
        }
    }
}

impl Default for Buffers {
    fn default() -> Self {
        // Where there is a packet of number n, n others of at least its length have come out of the same large one.
        let packets = (0..MOST).map(|n| vec![0; LARGEST / n.max(1) + HEADERS]).collect();
        Self { large: vec![0; LARGEST], packets, sizes: vec![0; MOST] }
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
/// A packet of 65,535 bytes with its virtio and Ethernet headers.
const LARGEST: usize = 65_536 + 64;
/// Headers of a packet's and its transport's, with all options.
const HEADERS: usize = 128;
/// Links with a smaller MTU have no IPv6 (RFC 8200, 5).
const LEAST_V6: Bytes = Bytes(1_280);
/// Where the kernel says how IPv6 is, if it has it.
const IPV6: &str = "/proc/sys/net/ipv6/conf/default";
/// As many segments as the kernel puts into a packet if they are as small as may be (`TCP_MIN_GSO_SIZE`, 8 bytes of payload, would be 8,192; its least MSS of 48 is what counts).
const MOST: usize = 1_366;

//! The few things that are asked of the kernel's routing socket: devices and how they are, their segmentation, routes.

use std::io;
use std::net::Ipv6Addr;

use ackless_wire::Bytes;
use netlink_packet_core::{
    NLM_F_ACK, NLM_F_CREATE, NLM_F_REPLACE, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload,
};
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};
use nix::libc;

use message::{LinkPart, Message};

mod message;

/// A routing socket in the network namespace of the thread that opened it.
#[derive(Debug)]
pub struct Netlink(Socket);

/// What the kernel says of a network interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Its number.
    pub index: u32,
    /// Whether it is of Ethernet.
    pub ethernet: bool,
    /// Whether it is up.
    pub up: bool,
    /// The longest packet that it takes.
    pub mtu: Bytes,
    /// Whether a bridge, a bond or the like has its frames.
    pub in_bridge: bool,
}

impl Netlink {
    /// Opens one in the calling thread's namespace.
    ///
    /// # Errors
    /// Where the kernel does not give one.
    pub fn open() -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Self(socket))
    }

    /// Sets a device up.
    ///
    /// # Errors
    /// Where the kernel refuses.
    pub fn set_up(&self, device: u32) -> io::Result<()> {
        let up = libc::IFF_UP as u32;
        let part = LinkPart { index: device, flags: up, change: up, ..LinkPart::default() };
        self.ask(Message::link(libc::RTM_SETLINK, part), 0)
    }

    /// So many packets may wait at a device for whoever takes them.
    ///
    /// # Errors
    /// Where the kernel refuses.
    pub fn set_queue(&self, device: u32, packets: u32) -> io::Result<()> {
        self.set(device, libc::IFLA_TXQLEN, packets)
    }

    /// From now on, TCP builds packets of at most `segments` segments for a device, whoever takes them apart; 1 is single packets.
    ///
    /// # Errors
    /// Where the kernel refuses.
    pub fn set_largest_packet(&self, device: u32, segments: u32) -> io::Result<()> {
        self.set(device, libc::IFLA_GSO_MAX_SEGS, segments)
    }

    /// What there is to know of the interface of this name, if it is there.
    ///
    /// # Errors
    /// Where the kernel does not say.
    pub fn link(&self, name: &str) -> io::Result<Option<Link>> {
        let message = Message::link(libc::RTM_GETLINK, LinkPart::default());
        self.found(message.with(libc::IFLA_IFNAME, &[name.as_bytes(), &[0]].concat()))
    }

    /// The same of the interface of this number, whatever its name is now.
    ///
    /// # Errors
    /// Likewise.
    pub fn link_at(&self, index: u32) -> io::Result<Option<Link>> {
        self.found(Message::link(libc::RTM_GETLINK, LinkPart { index, ..LinkPart::default() }))
    }

    fn found(&self, question: Message) -> io::Result<Option<Link>> {
        let told = match self.exchange(question, 0) {
            Ok(told) => told,
            // No interface can have a name of another length, and the kernel says so.
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENODEV | libc::ERANGE | libc::EINVAL)) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let found = told.as_ref().and_then(|told| {
            let LinkPart { index, layer, flags, .. } = told.link_part()?;
            let mtu = u32::from_ne_bytes(told.link_attribute(libc::IFLA_MTU)?.try_into().ok()?);
            Some(Link {
                index,
                ethernet: layer == libc::ARPHRD_ETHER,
                up: flags & libc::IFF_UP as u32 != 0,
                mtu: Bytes(mtu.into()),
                in_bridge: told.link_attribute(libc::IFLA_MASTER).is_some(),
            })
        });
        found.map(Some).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn set(&self, device: u32, attribute: u16, value: u32) -> io::Result<()> {
        let message = Message::link(libc::RTM_SETLINK, LinkPart { index: device, ..LinkPart::default() });
        self.ask(message.with(attribute, &value.to_ne_bytes()), 0)
    }

    /// Gives a device an IPv6 address that is good at once: nobody else is on the link whom one would have to ask (RFC 4862, 5.4).
    ///
    /// # Errors
    /// Where the kernel refuses.
    pub fn add_address(&self, device: u32, address: Ipv6Addr, prefix_len: u8) -> io::Result<()> {
        let message = Message::new_address(libc::AF_INET6, prefix_len, device);
        self.ask(message.with(libc::IFA_ADDRESS, &address.octets()), NLM_F_CREATE | NLM_F_REPLACE)?;
        wait_for_local_route(address)
    }

    /// Everything that has no other route goes to a device, in IPv4 and, if there is that, in IPv6.
    ///
    /// # Errors
    /// Where the kernel refuses.
    pub fn route_everything(&self, device: u32, with_v6: bool) -> io::Result<()> {
        for family in [libc::AF_INET, libc::AF_INET6].into_iter().take(1 + usize::from(with_v6)) {
            let message = Message::new_route(family).with(libc::RTA_OIF, &device.to_ne_bytes());
            self.ask(message, NLM_F_CREATE | NLM_F_REPLACE)?;
        }
        Ok(())
    }

    /// Asks for something to be done, and waits until it is.
    fn ask(&self, request: Message, flags: u16) -> io::Result<()> {
        self.exchange(request, NLM_F_ACK | flags).map(|_| ())
    }

    /// Sends a request, and waits for what the kernel says to it; an acknowledgement is `None`.
    fn exchange(&self, request: Message, flags: u16) -> io::Result<Option<Message>> {
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | flags;
        let mut message = NetlinkMessage::new(header, NetlinkPayload::InnerMessage(request));
        message.finalize();
        let mut bytes = vec![0; message.buffer_len()];
        message.serialize(&mut bytes);
        self.0.send(&bytes, 0)?;
        let mut answer = Vec::with_capacity(LONGEST_ANSWER);
        self.0.recv(&mut answer, 0)?;
        let answer = NetlinkMessage::<Message>::deserialize(&answer)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
        match answer.payload {
            NetlinkPayload::Error(error) if error.code.is_some() => Err(error.to_io()),
            NetlinkPayload::InnerMessage(told) => Ok(Some(told)),
            _ => Ok(None),
        }
    }
}

/// Waits until the kernel takes packets for this address of the calling thread's namespace. It adds
/// the local route some time after the address, in a thread of its own, and drops packets until then.
fn wait_for_local_route(address: Ipv6Addr) -> io::Result<()> {
    // The destination and the length of its prefix, in hexadecimal.
    let route = address.octets().map(|byte| format!("{byte:02x}")).concat() + " 80 ";
    for _ in 0..PATIENCE_MS {
        if std::fs::read_to_string(ROUTES)?.lines().any(|line| line.starts_with(&route)) {
            return Ok(());
        }
        std::thread::park_timeout(std::time::Duration::from_millis(1));
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, format!("there is no local route to {address}")))
}

/// The IPv6 routes of the calling thread's namespace.
const ROUTES: &str = "/proc/thread-self/net/ipv6_route";
/// How long a local route may take on a busy machine.
const PATIENCE_MS: u32 = 10_000;
/// The index of the loopback device of every network namespace.
pub const LOOPBACK: u32 = 1;
/// An acknowledgement with the request that it is for, or what there is to know of an interface.
const LONGEST_ANSWER: usize = 32_768;

//! The few things that are asked of the kernel's routing socket: devices and how they are, their segmentation, routes.

use std::io;
use std::net::Ipv6Addr;

use ackless_wire::Bytes;
use netlink_packet_core::{
    NLM_F_ACK, NLM_F_CREATE, NLM_F_REPLACE, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::address::{
    AddressAttribute, AddressHeader, AddressHeaderFlags, AddressMessage, AddressScope,
};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkLayerType, LinkMessage};
use netlink_packet_route::route::{RouteAttribute, RouteHeader, RouteMessage, RouteProtocol, RouteScope, RouteType};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};
use nix::libc;

/// A routing socket in the network namespace of the thread that opened it.
#[derive(Debug)]
pub struct Netlink(Socket);

/// What the kernel says of a network interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Its number.
    pub index: u32,
    /// What it is of.
    pub layer: LinkLayerType,
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
        let mut message = LinkMessage::default();
        message.header.index = device;
        (message.header.flags, message.header.change_mask) = (LinkFlags::Up, LinkFlags::Up);
        self.ask(RouteNetlinkMessage::SetLink(message), 0)
    }

    /// So many packets may wait at a device for whoever takes them.
    ///
    /// # Errors
    /// Where the kernel refuses.
    pub fn set_queue(&self, device: u32, packets: u32) -> io::Result<()> {
        self.set(device, LinkAttribute::TxQueueLen(packets))
    }

    /// From now on, TCP builds packets of at most `segments` segments for a device, whoever takes them apart; 1 is single packets.
    ///
    /// # Errors
    /// Where the kernel refuses.
    pub fn set_largest_packet(&self, device: u32, segments: u32) -> io::Result<()> {
        self.set(device, LinkAttribute::GsoMaxSegs(segments))
    }

    /// What there is to know of an interface, if it is there.
    ///
    /// # Errors
    /// Where the kernel does not say.
    pub fn link(&self, name: &str) -> io::Result<Option<Link>> {
        let mut message = LinkMessage::default();
        message.attributes.push(LinkAttribute::IfName(name.to_owned()));
        let told = match self.exchange(RouteNetlinkMessage::GetLink(message), 0) {
            Ok(Some(RouteNetlinkMessage::NewLink(told))) => told,
            Ok(_) => return Err(io::ErrorKind::InvalidData.into()),
            // No interface can have a name of another length, and the kernel says so.
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENODEV | libc::ERANGE | libc::EINVAL)) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let mtu = told.attributes.iter().find_map(|attribute| match attribute {
            LinkAttribute::Mtu(mtu) => Some(Bytes((*mtu).into())),
            _ => None,
        });
        Ok(Some(Link {
            index: told.header.index,
            layer: told.header.link_layer_type,
            up: told.header.flags.contains(LinkFlags::Up),
            mtu: mtu.ok_or(io::ErrorKind::InvalidData)?,
            in_bridge: told.attributes.iter().any(|attribute| matches!(attribute, LinkAttribute::Controller(_))),
        }))
    }

    fn set(&self, device: u32, attribute: LinkAttribute) -> io::Result<()> {
        let mut message = LinkMessage::default();
        message.header.index = device;
        message.attributes.push(attribute);
        self.ask(RouteNetlinkMessage::SetLink(message), 0)
    }

    /// Gives a device an IPv6 address that is good at once: nobody else is on the link whom one would have to ask (RFC 4862, 5.4).
    ///
    /// # Errors
    /// Where the kernel refuses.
    pub fn add_address(&self, device: u32, address: Ipv6Addr, prefix_len: u8) -> io::Result<()> {
        let mut message = AddressMessage::default();
        message.header = AddressHeader {
            family: AddressFamily::Inet6,
            prefix_len,
            flags: AddressHeaderFlags::Nodad,
            scope: AddressScope::Universe,
            index: device,
        };
        message.attributes.push(AddressAttribute::Address(address.into()));
        self.ask(RouteNetlinkMessage::NewAddress(message), NLM_F_CREATE | NLM_F_REPLACE)
    }

    /// Everything that has no other route goes to a device, in IPv4 and, if there is that, in IPv6.
    ///
    /// # Errors
    /// Where the kernel refuses.
    pub fn route_everything(&self, device: u32, with_v6: bool) -> io::Result<()> {
        let families = [AddressFamily::Inet, AddressFamily::Inet6];
        for address_family in families.into_iter().take(1 + usize::from(with_v6)) {
            let mut message = RouteMessage::default();
            message.header = RouteHeader {
                address_family,
                table: RouteHeader::RT_TABLE_MAIN,
                protocol: RouteProtocol::Static,
                scope: RouteScope::Link,
                kind: RouteType::Unicast,
                ..RouteHeader::default()
            };
            message.attributes.push(RouteAttribute::Oif(device));
            self.ask(RouteNetlinkMessage::NewRoute(message), NLM_F_CREATE | NLM_F_REPLACE)?;
        }
        Ok(())
    }

    /// Asks for something to be done, and waits until it is.
    fn ask(&self, request: RouteNetlinkMessage, flags: u16) -> io::Result<()> {
        self.exchange(request, NLM_F_ACK | flags).map(|_| ())
    }

    /// Sends a request, and waits for what the kernel says to it; an acknowledgement is `None`.
    fn exchange(&self, request: RouteNetlinkMessage, flags: u16) -> io::Result<Option<RouteNetlinkMessage>> {
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | flags;
        let mut message = NetlinkMessage::new(header, NetlinkPayload::from(request));
        message.finalize();
        let mut bytes = vec![0; message.buffer_len()];
        message.serialize(&mut bytes);
        self.0.send(&bytes, 0)?;
        let mut answer = Vec::with_capacity(LONGEST_ANSWER);
        self.0.recv(&mut answer, 0)?;
        let answer = NetlinkMessage::<RouteNetlinkMessage>::deserialize(&answer)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
        match answer.payload {
            NetlinkPayload::Error(error) if error.code.is_some() => Err(error.to_io()),
            NetlinkPayload::InnerMessage(told) => Ok(Some(told)),
            _ => Ok(None),
        }
    }
}

/// The index of the loopback device of every network namespace.
pub const LOOPBACK: u32 = 1;
/// An acknowledgement with the request that it is for, or what there is to know of an interface.
const LONGEST_ANSWER: usize = 32_768;

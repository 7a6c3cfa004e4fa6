//! Network interfaces that exist already: Ethernet frames that come in through one are read, and others written to it, by a packet socket (packet(7)).
//!
//! The kernel of this machine still gets what comes in, as with a packet sniffer. So what is for its own address is not taken, and what it sends itself is no frame that has come in.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use ackless_wire::Bytes;
use nix::ifaddrs::getifaddrs;
use nix::sys::socket::{
    AddressFamily, GetSockOpt as _, SetSockOpt as _, SockFlag, SockProtocol, SockType, bind, setsockopt, socket,
    sockopt,
};
use nix::{getsockopt_impl, libc, setsockopt_impl, sockopt_impl};
use socket2::{SockFilter, Socket};

use crate::EmuError;
use crate::netlink::Netlink;

/// An Ethernet interface of the calling thread's namespace, of which this process takes what comes in.
#[derive(Debug)]
pub struct Interface {
    name: String,
    /// Its number, which stays when it gets another name.
    index: u32,
    socket: Socket,
    /// What the socket had no room for, as far as it was asked.
    dropped: AtomicU64,
}

impl Interface {
    /// Opens the interface `name` for frames with packets of up to `mtu`, each behind a virtio header (10 bytes).
    ///
    /// # Errors
    /// Where there is no such interface, it is no Ethernet, down, part of a bridge, or takes shorter packets only; and where the rights are missing.
    pub fn open(name: &str, mtu: Bytes) -> Result<Self, EmuError> {
        let index = check(name, mtu)?;
        let refused = |error: nix::Error| EmuError::Refused {
            what: format!("the interface {name} cannot be opened"),
            source: error.into(),
            help: "run it as root, or where you have CAP_NET_RAW and CAP_NET_ADMIN".to_owned(),
        };
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        let fd = socket(AddressFamily::Packet, SockType::Raw, flags, SockProtocol::EthAll).map_err(refused)?;
        let this = Self { name: name.to_owned(), index, socket: fd.into(), dropped: AtomicU64::new(0) };
        this.prepare().map_err(|error| EmuError::Io {
            what: format!("the interface {name} cannot be prepared"),
            source: error,
        })?;
        Ok(this)
    }

    /// Binds the socket to its interface, so that it takes what is said above and nothing else.
    fn prepare(&self) -> io::Result<()> {
        // Until it is bound, it hears all interfaces; what it heard is thrown away.
        self.socket.attach_filter(&[SockFilter::new(RETURN, 0, 0, 0)])?;
        let address = getifaddrs()?
            .filter_map(|entry| entry.address?.as_link_addr().copied())
            .find(|address| address.ifindex() == self.index as usize)
            .ok_or(io::ErrorKind::NotFound)?;
        bind(self.socket.as_raw_fd(), &address)?;
        IgnoreOutgoing.set(&self.socket, &true)?;
        VirtioHeader.set(&self.socket, &true)?;
        let promiscuous = libc::packet_mreq {
            mr_ifindex: self.index.cast_signed(),
            mr_type: libc::PACKET_MR_PROMISC as u16,
            mr_alen: 0,
            mr_address: [0; 8],
        };
        AddMembership.set(&self.socket, &promiscuous)?;
        if setsockopt(&self.socket, sockopt::RcvBufForce, &BUFFER).is_err() {
            // Those who may not have as much as they like get what is left to everybody.
            setsockopt(&self.socket, sockopt::RcvBuf, &BUFFER)?;
        }
        self.socket.set_send_buffer_size(BUFFER)?;
        let mut old = [0; 1];
        while nix::unistd::read(&self.socket, &mut old).is_ok() {}
        Statistics.get(&self.socket)?;
        self.socket.attach_filter(&FOREIGN_AND_UNTAGGED)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is up; nothing where it was deleted, or moved to another namespace. To be asked
    /// in the namespace in which it was opened.
    ///
    /// # Errors
    /// Where the kernel does not say.
    pub fn is_up(&self) -> io::Result<Option<bool>> {
        Ok(Netlink::open()?.link_at(self.index)?.map(|link| link.up))
    }

    /// Frames that came in and that the socket had no room for, because nobody read it in time.
    ///
    /// # Errors
    /// Where the kernel does not say.
    pub fn dropped(&self) -> io::Result<u64> {
        // The kernel's count begins anew each time that it is asked.
        let new = Statistics.get(&self.socket)?.tp_drops;
        Ok(self.dropped.fetch_add(new.into(), Ordering::Relaxed) + u64::from(new))
    }
}

impl AsFd for Interface {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The index of the interface, if it can be an end of a cell with this MTU.
fn check(name: &str, mtu: Bytes) -> Result<u32, EmuError> {
    let wrong = |what: String, help: String| Err(EmuError::Wrong { what, help });
    let Some(link) = Netlink::open()
        .and_then(|netlink| netlink.link(name))
        .map_err(EmuError::io(format!("the kernel does not tell of the interface {name}")))?
    else {
        return wrong(
            format!("there is no network interface called {name}"),
            "ip link lists those of this network namespace".to_owned(),
        );
    };
    if !link.ethernet {
        return wrong(
            format!("{name} is no Ethernet interface"),
            "take one end of a veth pair whose other end is the host's: ip link add NAME type veth peer name eth0 netns HOST".to_owned(),
        );
    }
    if link.in_bridge {
        return wrong(
            format!("{name} belongs to a bridge or a bond, which would pass its frames on beside the cell"),
            format!("ip link set {name} nomaster"),
        );
    }
    if !link.up {
        return wrong(format!("the interface {name} is down"), format!("ip link set {name} up"));
    }
    if link.mtu < mtu {
        return wrong(
            format!(
                "packets through the cell have up to {} bytes, and {name} takes {} only",
                mtu.get(),
                link.mtu.get()
            ),
            format!("ip link set {name} mtu {}, or --set wired.mtu={}B", mtu.get(), link.mtu.get()),
        );
    }
    Ok(link.index)
}

sockopt_impl!(
    /// Frames that are sent out through the interface are not heard.
    IgnoreOutgoing, SetOnly, libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, bool
);
sockopt_impl!(
    /// Frames have a virtio header, which says what of a checksum is missing and how a large one is to be taken apart.
    VirtioHeader, SetOnly, libc::SOL_PACKET, libc::PACKET_VNET_HDR, bool
);
sockopt_impl!(
    /// The interface takes what is for others too, for as long as the socket lives.
    AddMembership, SetOnly, libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, libc::packet_mreq
);
sockopt_impl!(
    /// What was taken, and what there was no room for.
    Statistics, GetOnly, libc::SOL_PACKET, libc::PACKET_STATISTICS, libc::tpacket_stats
);

/// Takes what is for groups or for somebody else than this machine and has no VLAN tag: to take off the tag, as the kernel does before it hands a frame to a packet
/// socket, would bring it into another network.
const FOREIGN_AND_UNTAGGED: [SockFilter; 7] = [
    SockFilter::new(LOAD, 0, 0, ANCILLARY + PACKET_TYPE),
    SockFilter::new(JUMP_IF_AT_LEAST, 0, 4, libc::PACKET_BROADCAST as u32),
    SockFilter::new(JUMP_IF_ABOVE, 3, 0, libc::PACKET_OTHERHOST as u32),
    SockFilter::new(LOAD, 0, 0, ANCILLARY + VLAN_TAG_PRESENT),
    SockFilter::new(JUMP_IF_EQUAL, 0, 1, 0),
    SockFilter::new(RETURN, 0, 0, u32::MAX),
    SockFilter::new(RETURN, 0, 0, 0),
];
const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const JUMP_IF_AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const JUMP_IF_ABOVE: u16 = (libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K) as u16;
const JUMP_IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
/// `SKF_AD_OFF` of linux/filter.h: what the kernel knows of a packet beside its bytes.
const ANCILLARY: u32 = (-0x1000_i32).cast_unsigned();
/// `SKF_AD_PKTTYPE`: for whom it is.
const PACKET_TYPE: u32 = 4;
/// `SKF_AD_VLAN_TAG_PRESENT`.
const VLAN_TAG_PRESENT: u32 = 48;
/// What may wait in a socket, in bytes: some milliseconds of a fast network, for when the process gets no processor.
const BUFFER: usize = 16 << 20;

//! Messages of the routing socket: a fixed part each, and attributes behind it (rtnetlink(7)). There are those only that [`Netlink`](super::Netlink) sends and gets.

use std::convert::Infallible;

use netlink_packet_core::{
    DefaultNla, Emitable as _, NLA_HEADER_SIZE, NetlinkDeserializable, NetlinkHeader, NetlinkSerializable, NlasIterator,
};
use nix::libc;

/// One message, without the header that all of netlink have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    kind: u16,
    /// The fixed part and the attributes.
    body: Vec<u8>,
}

/// What a message about an interface says of it outside of the attributes (`ifinfomsg`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LinkPart {
    /// Its number, 0 where it is asked for by its name.
    pub index: u32,
    /// What it is of, `ARPHRD_ETHER` for example; nothing in a request.
    pub layer: u16,
    /// How it is: `IFF_UP` and others.
    pub flags: u32,
    /// Which of the flags are to be as they stand there; nothing in an answer.
    pub change: u32,
}

impl Message {
    /// A message about an interface.
    pub fn link(kind: u16, part: LinkPart) -> Self {
        let LinkPart { index, layer, flags, change } = part;
        let mut body = vec![libc::AF_UNSPEC as u8, 0];
        body.extend(layer.to_ne_bytes());
        [index, flags, change].iter().for_each(|field| body.extend(field.to_ne_bytes()));
        Self { kind, body }
    }

    /// An address of an interface, good everywhere and from now on (`ifaddrmsg`).
    pub fn new_address(family: libc::c_int, prefix_len: u8, index: u32) -> Self {
        let mut body = vec![family as u8, prefix_len, libc::IFA_F_NODAD as u8, libc::RT_SCOPE_UNIVERSE];
        body.extend(index.to_ne_bytes());
        Self { kind: libc::RTM_NEWADDR, body }
    }

    /// A route to everything that is on the link of an interface, for whatever service (`rtmsg`).
    pub fn new_route(family: libc::c_int) -> Self {
        let [to_len, from_len, service] = [0; 3];
        let mut body = vec![family as u8, to_len, from_len, service];
        body.extend([libc::RT_TABLE_MAIN, libc::RTPROT_STATIC, libc::RT_SCOPE_LINK, libc::RTN_UNICAST]);
        body.extend(NO_FLAGS.to_ne_bytes());
        Self { kind: libc::RTM_NEWROUTE, body }
    }

    /// The message with one attribute more.
    pub fn with(mut self, kind: u16, value: &[u8]) -> Self {
        let attribute = DefaultNla::new(kind, value.to_vec());
        let end = self.body.len();
        self.body.resize(end + attribute.buffer_len(), 0);
        attribute.emit(&mut self.body[end..]);
        self
    }

    /// What it says of an interface outside of the attributes, if it is about one.
    pub fn link_part(&self) -> Option<LinkPart> {
        let fixed = self.body.get(..LINK_PART).filter(|_| self.kind == libc::RTM_NEWLINK)?;
        let word = |at| u32::from_ne_bytes(std::array::from_fn(|n| fixed[at + n]));
        let layer = u16::from_ne_bytes([fixed[2], fixed[3]]);
        Some(LinkPart { layer, index: word(4), flags: word(8), change: word(12) })
    }

    /// An attribute of a message about an interface, if it is there.
    pub fn link_attribute(&self, kind: u16) -> Option<&[u8]> {
        let attributes = NlasIterator::new(self.body.get(LINK_PART..)?).map_while(Result::ok);
        let found = attributes.into_iter().find(|attribute| attribute.kind() == kind)?;
        let len = usize::from(found.length());
        found.into_inner().get(NLA_HEADER_SIZE..len)
    }
}

impl NetlinkSerializable for Message {
    fn message_type(&self) -> u16 {
        self.kind
    }

    fn buffer_len(&self) -> usize {
        self.body.len()
    }

    fn serialize(&self, buffer: &mut [u8]) {
        buffer.copy_from_slice(&self.body);
    }
}

impl NetlinkDeserializable for Message {
    type Error = Infallible;

    fn deserialize(header: &NetlinkHeader, payload: &[u8]) -> Result<Self, Infallible> {
        Ok(Self { kind: header.message_type, body: payload.to_vec() })
    }
}

/// Routes that are asked for have none.
const NO_FLAGS: u32 = 0;
/// The length of `ifinfomsg`.
const LINK_PART: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_an_interface_is_read_as_it_is_laid_out() {
        // An Ethernet interface of number 2 that is up: family, padding and ifi_type, ifi_index, ifi_flags, ifi_change; IFLA_IFNAME (3) of 7 bytes, padded; IFLA_MTU (4).
        let up = libc::IFF_UP as u32;
        let words = [2, up, 0].map(u32::to_ne_bytes).concat();
        let name = [&7_u16.to_ne_bytes()[..], &3_u16.to_ne_bytes(), b"lo\0", &[0]].concat();
        let mtu = [&8_u16.to_ne_bytes()[..], &4_u16.to_ne_bytes(), &1_500_u32.to_ne_bytes()].concat();
        let body = [&[0, 0], &1_u16.to_ne_bytes()[..], &words, &name, &mtu].concat();

        let part = LinkPart { index: 2, layer: libc::ARPHRD_ETHER, flags: up, change: 0 };
        let message = Message::link(libc::RTM_NEWLINK, part).with(libc::IFLA_IFNAME, b"lo\0");
        let message = message.with(libc::IFLA_MTU, &1_500_u32.to_ne_bytes());
        assert_eq!(message.body, body);
        assert_eq!(message.link_part(), Some(part));
        assert_eq!(message.link_attribute(libc::IFLA_IFNAME), Some(&b"lo\0"[..]));
        assert_eq!(message.link_attribute(libc::IFLA_MTU), Some(&1_500_u32.to_ne_bytes()[..]));
        assert_eq!(message.link_attribute(libc::IFLA_MASTER), None);
    }

    #[test]
    fn what_is_cut_short_says_nothing() {
        let message = Message::link(libc::RTM_NEWLINK, LinkPart::default()).with(libc::IFLA_MTU, &[0; 4]);
        for len in 0..message.body.len() {
            let cut = Message { body: message.body[..len].to_vec(), ..message };
            assert_eq!(cut.link_part().is_some(), len >= LINK_PART);
            assert_eq!(cut.link_attribute(libc::IFLA_MTU), None);
        }
    }
}

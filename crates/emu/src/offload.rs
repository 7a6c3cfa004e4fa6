//! Large packets on their way up to the kernel: what GRO would have merged where packets come from a network card.
//!
//! Writes to a TUN device are not merged by the kernel. So what the cell hands to a host at once is merged here, by the rules of [`ackless_cell::gro`], which the simulated
//! hosts use too, and handed to the kernel with a virtio header that says how to take it apart (`struct virtio_net_hdr`, Virtual I/O Device 1.2, 5.1.6).
//!
//! And large packets on their way down, where they come in Ethernet frames: with the same header, they are taken apart here.

use std::collections::BTreeMap;
use std::io;

use ackless_cell::gro::{Gro, Merging};
use ackless_wire::{Bytes, IpHeader, Packet};
use tun_rs::{VirtioNetHdr, checksum, gso_split};

use crate::bridge::{self, Header};

/// What of one batch is merged, connection by connection.
#[derive(Debug, Default)]
pub struct Batch {
    /// In the order in which they came.
    connections: Vec<(Connection, Merging)>,
    /// The place of each among them.
    places: BTreeMap<Connection, usize>,
    /// The place of the last one that something came for: packets of a connection come in a row.
    last: usize,
}

/// The two ends of a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Connection {
    addresses: (std::net::IpAddr, std::net::IpAddr),
    ports: (u16, u16),
}

impl Batch {
    /// A packet of the batch: what is complete now goes to `up`, with the payload of its segments if it is more than one.
    pub fn take(&mut self, gro: Gro, packet: &Packet, mut up: impl FnMut(&Packet, Option<Bytes>)) {
        let Some(_) = packet.tcp() else { return up(packet, None) };
        let connection = Connection { addresses: (packet.ip.src(), packet.ip.dst()), ports: packet.ports() };
        let at_hand = self.connections.get(self.last).is_some_and(|(other, _)| *other == connection);
        if !at_hand {
            let Some(place) = self.place_of(connection, gro) else { return up(packet, None) };
            self.last = place;
        }
        let passed = self.connections[self.last].1.take(packet);
        if let Some(before) = passed.before {
            up(before.packet(), before.segment());
        }
        if passed.alone {
            up(packet, None);
        }
    }

    /// The place of a connection, which is added if it is new; nothing where nothing is merged.
    fn place_of(&mut self, connection: Connection, gro: Gro) -> Option<usize> {
        if let Some(place) = self.places.get(&connection) {
            return Some(*place);
        }
        self.connections.push((connection, Merging::new(gro)?));
        let place = self.connections.len() - 1;
        self.places.insert(connection, place);
        Some(place)
    }

    /// The batch is over: what is held goes to `up`.
    pub fn end(&mut self, mut up: impl FnMut(&Packet, Option<Bytes>)) {
        self.places.clear();
        for (_, mut merging) in self.connections.drain(..) {
            if let Some(held) = merging.flush() {
                up(held.packet(), held.segment());
            }
        }
    }
}

/// What stands before a packet that is written to a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Framing {
    /// Nothing.
    Bare,
    /// A virtio header.
    Virtio,
    /// A virtio and an Ethernet header.
    Ethernet(Header),
}

/// Writes the frame of a packet into `frame`: its bytes behind its headers, of which the virtio header says how to take it apart if it is segments of this payload.
pub fn write_frame(packet: &Packet, segment: Option<Bytes>, framing: Framing, frame: &mut Vec<u8>) {
    begin_frame(framing, frame);
    let start = frame.len();
    packet.emit(frame);
    let (Some(segment), Some(tcp), true) = (segment, packet.tcp(), start >= HEADER) else { return };
    let (network, transport) = (packet.ip.len().get() as u16, tcp.len().get() as u16);
    let kind = match packet.ip {
        IpHeader::V4(_) => TCP_V4,
        IpHeader::V6(_) => TCP_V6,
    };
    // All places are counted from behind the virtio header.
    let network_ends = (start - HEADER) as u16 + network;
    let numbers = [network_ends + transport, segment.get() as u16, network_ends, CHECKSUM_AT];
    (frame[0], frame[1]) = (NEEDS_CHECKSUM, kind);
    for (place, number) in frame[2..HEADER].chunks_exact_mut(2).zip(numbers) {
        // In the processor's own order, as the kernel does for TUN devices and packet sockets unless it is told otherwise.
        place.copy_from_slice(&number.to_ne_bytes());
    }
    let sum = pseudo_header_sum(&packet.ip, packet.len() - packet.ip.len());
    let at = start + usize::from(network + CHECKSUM_AT);
    frame[at..at + 2].copy_from_slice(&sum.to_be_bytes());
}

/// As [`write_frame`], of a packet's own bytes.
pub fn write_bytes(packet: &[u8], framing: Framing, frame: &mut Vec<u8>) {
    begin_frame(framing, frame);
    frame.extend_from_slice(packet);
}

fn begin_frame(framing: Framing, frame: &mut Vec<u8>) {
    frame.clear();
    match framing {
        Framing::Bare => {}
        Framing::Virtio => frame.resize(HEADER, 0),
        Framing::Ethernet(header) => {
            frame.resize(HEADER, 0);
            frame.extend_from_slice(&header);
        }
    }
}

/// Writes the checksum of a packet, behind its Ethernet header, that its sender has left to the device.
pub fn complete(virtio: &VirtioNetHdr, packet: &mut [u8]) {
    let start = usize::from(virtio.csum_start).checked_sub(bridge::HEADER);
    let (Some(start), true) = (start, virtio.flags & NEEDS_CHECKSUM != 0) else { return };
    let at = start + usize::from(virtio.csum_offset);
    if at + 2 > packet.len() {
        return;
    }
    // The sum over the pseudo-header stands there.
    let mut sum = !checksum(&packet[start..], 0);
    if virtio.csum_offset == UDP_CHECKSUM_AT && sum == 0 {
        // A sum of zero would mean that there is none (RFC 768).
        sum = u16::MAX;
    }
    packet[at..at + 2].copy_from_slice(&sum.to_be_bytes());
}

/// Takes a large packet apart, behind its Ethernet header, and says into how many.
///
/// # Errors
/// Where it is no TCP or UDP directly behind an IP header, or not what its virtio header says.
pub fn split(
    virtio: &VirtioNetHdr,
    packet: &mut [u8],
    packets: &mut [Vec<u8>],
    sizes: &mut [usize],
) -> io::Result<usize> {
    let wrong = || io::Error::new(io::ErrorKind::InvalidData, "a large packet that is neither TCP nor UDP");
    let first = *packet.first().ok_or_else(wrong)?;
    let is_v6 = first >> 4 == 6;
    let network = if is_v6 { V6_HEADER } else { u16::from(first & 0xf) * 4 };
    let (transport, at) = match virtio.gso_type & !ECN {
        TCP_V4 | TCP_V6 => {
            let words = packet.get(usize::from(network) + TCP_DATA_OFFSET).ok_or_else(wrong)? >> 4;
            (u16::from(words) * 4, CHECKSUM_AT)
        }
        _ => (UDP_HEADER, UDP_CHECKSUM_AT),
    };
    // The header's own lengths are hints: what a packet socket gives as the headers' length is that of the first piece of memory.
    let virtio = VirtioNetHdr { hdr_len: network + transport, csum_start: network, csum_offset: at, ..*virtio };
    gso_split(packet, virtio, packets, sizes, 0, is_v6)
}

/// The sum over the pseudo-header, which stands in the checksum's place until the rest is added (RFC 9293, 3.1; RFC 8200, 8.1).
fn pseudo_header_sum(ip: &IpHeader, len: Bytes) -> u16 {
    let pairs = |bytes: &[u8]| -> u64 {
        bytes.chunks_exact(2).map(|pair| u64::from(u16::from_be_bytes([pair[0], pair[1]]))).sum()
    };
    let addresses = match ip {
        IpHeader::V4(v4) => pairs(&v4.src.octets()) + pairs(&v4.dst.octets()),
        IpHeader::V6(v6) => pairs(&v6.src.octets()) + pairs(&v6.dst.octets()),
    };
    let mut sum = addresses + u64::from(TCP) + len.get();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// The length of a virtio header without the number of buffers, as TUN devices and packet sockets have it unless they are told otherwise.
pub const HEADER: usize = 10;
/// `VIRTIO_NET_HDR_F_NEEDS_CSUM`.
const NEEDS_CHECKSUM: u8 = 1;
/// `VIRTIO_NET_HDR_GSO_TCPV4`.
const TCP_V4: u8 = 1;
/// `VIRTIO_NET_HDR_GSO_TCPV6`.
const TCP_V6: u8 = 4;
/// Where in a TCP header the checksum stands (RFC 9293, 3.1).
const CHECKSUM_AT: u16 = 16;
/// Where in a UDP header the checksum stands (RFC 768).
const UDP_CHECKSUM_AT: u16 = 6;
/// The length of a UDP header.
const UDP_HEADER: u16 = 8;
/// Where in a TCP header its length stands, in words, in the upper half of the byte.
const TCP_DATA_OFFSET: usize = 12;
/// The length of an IPv6 header.
const V6_HEADER: u16 = 40;
/// `VIRTIO_NET_HDR_GSO_ECN`: a congestion window was reduced in it.
const ECN: u8 = 0x80;
/// The number of TCP in IP headers.
const TCP: u8 = 6;

#[cfg(test)]
mod tests {
    use ackless_wire::ip::Ipv4Header;
    use ackless_wire::{Payload, SeqNumber, TcpFlags, TcpHeader, Transport};

    use super::*;

    fn segment(seq: u32, len: usize) -> Packet {
        let mut ip = Ipv4Header::new([10, 77, 0, 1].into(), [10, 77, 0, 2].into());
        ip.id = (seq / 1000) as u16;
        let tcp = TcpHeader { seq: SeqNumber(seq), flags: TcpFlags::ACK, ..TcpHeader::new(5201, 40_000) };
        let payload = Payload::Data(vec![(seq / 1000) as u8; len].into());
        Packet { ip: IpHeader::V4(ip), transport: Transport::Tcp(tcp), payload }
    }

    #[test]
    fn a_batch_of_segments_in_sequence_becomes_one_frame_that_says_how_to_take_it_apart() {
        let (mut batch, mut frames) = (Batch::default(), Vec::new());
        let mut up = |packet: &Packet, segment: Option<Bytes>| {
            let mut frame = Vec::new();
            write_frame(packet, segment, Framing::Virtio, &mut frame);
            frames.push(frame);
        };
        for (seq, len) in [(1000, 1000), (2000, 1000), (3000, 500)] {
            batch.take(Gro::PerBatch, &segment(seq, len), &mut up);
        }
        batch.end(&mut up);
        assert_eq!(frames.len(), 1);
        let frame = &frames[0];
        let number = |at: usize| u16::from_ne_bytes([frame[at], frame[at + 1]]);
        assert_eq!((frame[0], frame[1]), (1, 1));
        // 20 bytes of IPv4, 20 of TCP; segments of 1000.
        assert_eq!([2, 4, 6, 8].map(number), [40, 1000, 20, 16]);
        assert_eq!(frame.len(), 10 + 40 + 2500);
        // 10.77.0.1 and 10.77.0.2, protocol 6, 2520 bytes of TCP: by hand 0x0a4d + 0x0001 + 0x0a4d + 0x0002 + 6 + 2520.
        assert_eq!(frame[10 + 20 + 16..][..2], (0x0a4d_u16 * 2 + 1 + 2 + 6 + 2520).to_be_bytes());
    }

    #[test]
    fn one_segment_alone_keeps_its_checksum() {
        let (mut batch, mut frames) = (Batch::default(), Vec::new());
        let mut up = |packet: &Packet, segment: Option<Bytes>| frames.push((packet.clone(), segment));
        batch.take(Gro::PerBatch, &segment(1000, 700), &mut up);
        batch.end(&mut up);
        assert_eq!(frames, [(segment(1000, 700), None)]);
        let (mut bytes, mut frame) = (Vec::new(), Vec::new());
        segment(1000, 700).emit(&mut bytes);
        write_frame(&segment(1000, 700), None, Framing::Virtio, &mut frame);
        assert_eq!((&frame[..10], &frame[10..]), (&[0; 10][..], &bytes[..]));
    }

    #[test]
    fn what_was_merged_and_framed_is_taken_apart_into_what_it_was() {
        let (mut batch, mut frames) = (Batch::default(), Vec::new());
        let header = [7; bridge::HEADER];
        let mut up = |packet: &Packet, segment: Option<Bytes>| {
            let mut frame = Vec::new();
            write_frame(packet, segment, Framing::Ethernet(header), &mut frame);
            frames.push(frame);
        };
        let sent = [(1000, 1000), (2000, 1000), (3000, 500)].map(|(seq, len)| segment(seq, len));
        for packet in &sent {
            batch.take(Gro::PerBatch, packet, &mut up);
        }
        batch.end(&mut up);
        let [frame] = &mut frames[..] else { panic!("it is one frame") };
        let virtio = VirtioNetHdr::decode(frame).expect("it begins with a virtio header");
        assert_eq!((virtio.hdr_len, virtio.csum_start), (14 + 40, 14 + 20));
        assert_eq!(frame[HEADER..][..bridge::HEADER], header);
        let (mut packets, mut sizes) = (vec![vec![0; 2_000]; 4], vec![0; 4]);
        let count = split(&virtio, &mut frame[HEADER + bridge::HEADER..], &mut packets, &mut sizes);
        assert_eq!(count.expect("it can be taken apart"), 3);
        for (n, packet) in sent.iter().enumerate() {
            let mut bytes = Vec::new();
            packet.emit(&mut bytes);
            assert_eq!(packets[n][..sizes[n]], bytes, "segment {n}");
        }
    }

    #[test]
    fn a_checksum_that_was_left_is_written() {
        let whole = {
            let mut bytes = Vec::new();
            segment(1000, 701).emit(&mut bytes);
            bytes
        };
        let mut left = whole.clone();
        let sum = pseudo_header_sum(&segment(1000, 701).ip, Bytes(20 + 701));
        left[36..38].copy_from_slice(&sum.to_be_bytes());
        let mut virtio =
            VirtioNetHdr { flags: NEEDS_CHECKSUM, csum_start: 34, csum_offset: 16, ..VirtioNetHdr::default() };
        complete(&virtio, &mut left);
        assert_eq!(left, whole);
        virtio.csum_start = 900;
        complete(&virtio, &mut left);
        assert_eq!(left, whole, "what points behind the packet is nothing");
    }
}

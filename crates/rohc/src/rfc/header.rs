//! The header of a packet before compression, and what of it never changes.

use thiserror::Error;

/// What names a flow and stays as it is: the static chain (RFC 6846, 8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Flow {
    /// IPv4 addresses stand in the first four bytes, with zeros behind.
    pub(super) src: [u8; 16],
    pub(super) dst: [u8; 16],
    pub(super) ports: [u8; 4],
    /// IPv6 only, 20 bits.
    pub(super) label: u32,
    pub(super) v4: bool,
}

/// What changes from packet to packet, but for the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// DSCP above ECN, of either version.
    pub(super) traffic_class: u8,
    pub(super) hops: u8,
    /// 0 for IPv6.
    pub(super) ip_id: u16,
    /// Never set for IPv6.
    pub(super) dont_fragment: bool,
    pub(super) seq: u32,
    pub(super) ack: u32,
    /// The four bits behind the data offset.
    pub(super) reserved: u8,
    /// CWR, ECE, URG, ACK, PSH, RST, SYN, FIN.
    pub(super) flags: u8,
    pub(super) window: u16,
    pub(super) checksum: u16,
    pub(super) urgent: u16,
}

/// Why a packet is not compressed: it then travels as it is, beside the compressed ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refused {
    /// Neither IPv4 without options nor IPv6, or shorter or longer than its own length says.
    #[error("not one whole IP packet without IP options")]
    Ip,
    /// A fragment, or the reserved bit of IPv4 is set: the format has no place for either.
    #[error("a fragment, or the reserved bit is set")]
    Fragment,
    /// The IPv4 checksum is wrong; the other end would put it right.
    #[error("the IPv4 header's checksum is wrong")]
    IpChecksum,
    /// Not TCP directly behind the IP header.
    #[error("not TCP directly behind the IP header")]
    NotTcp,
    /// A payload, or a flag among SYN, FIN, RST, PSH and URG, or no ACK.
    #[error("not a pure ACK")]
    NotPureAck,
    /// TCP options that are malformed, repeated, or more than a compressed list holds.
    #[error("TCP options that a compressed list cannot carry")]
    Options,
}

/// Takes a pure ACK apart: its flow, its header and its TCP options as they stand there.
pub(super) fn parse(packet: &[u8]) -> Result<(Flow, Header, &[u8]), Refused> {
    let (ip, tcp) = match packet.first().map(|first| first >> 4) {
        Some(4) => packet.split_at_checked(20),
        Some(6) => packet.split_at_checked(40),
        _ => None,
    }
    .ok_or(Refused::Ip)?;
    let v4 = ip.len() == 20;
    if v4 {
        check_v4(ip, packet.len())?
    } else {
        check_v6(ip, tcp.len())?
    }
    let (fixed, options) = tcp.split_at_checked(20).ok_or(Refused::NotTcp)?;
    let flags = fixed[13];
    if usize::from(fixed[12] >> 4) * 4 != tcp.len() || flags & (ACK | OTHER_THAN_PURE) != ACK {
        return Err(Refused::NotPureAck);
    }
    let mut flow = Flow { src: [0; 16], dst: [0; 16], ports: [0; 4], label: 0, v4 };
    let n = if v4 { 4 } else { 16 };
    let addresses = &ip[ip.len() - 2 * n..];
    flow.src[..n].copy_from_slice(&addresses[..n]);
    flow.dst[..n].copy_from_slice(&addresses[n..]);
    flow.ports.copy_from_slice(&fixed[..4]);
    let (traffic_class, hops, ip_id, dont_fragment) = if v4 {
        (ip[1], ip[8], word(ip, 4), ip[6] & 0x40 != 0)
    } else {
        flow.label = double(ip, 0) & 0x000f_ffff;
        (ip[0] << 4 | ip[1] >> 4, ip[7], 0, false)
    };
    let header = Header {
        traffic_class,
        hops,
        ip_id,
        dont_fragment,
        seq: double(fixed, 4),
        ack: double(fixed, 8),
        reserved: fixed[12] & 0x0f,
        flags,
        window: word(fixed, 14),
        checksum: word(fixed, 16),
        urgent: word(fixed, 18),
    };
    Ok((flow, header, options))
}

/// Appends the packet again; `options` are padded to 4 bytes and at most 40.
pub(super) fn emit(flow: &Flow, header: &Header, options: &[u8], out: &mut Vec<u8>) {
    let tcp_len = 20 + options.len();
    if flow.v4 {
        let mut ip = [0; 20];
        ip[0] = 0x45;
        ip[1] = header.traffic_class;
        ip[2..4].copy_from_slice(&(20 + tcp_len as u16).to_be_bytes());
        ip[4..6].copy_from_slice(&header.ip_id.to_be_bytes());
        ip[6] = u8::from(header.dont_fragment) << 6;
        ip[8] = header.hops;
        ip[9] = TCP;
        ip[12..16].copy_from_slice(&flow.src[..4]);
        ip[16..20].copy_from_slice(&flow.dst[..4]);
        let checksum = !sum(&ip);
        ip[10..12].copy_from_slice(&checksum.to_be_bytes());
        out.extend_from_slice(&ip);
    } else {
        let first = 6 << 28 | u32::from(header.traffic_class) << 20 | flow.label;
        out.extend_from_slice(&first.to_be_bytes());
        out.extend_from_slice(&(tcp_len as u16).to_be_bytes());
        out.extend_from_slice(&[TCP, header.hops]);
        out.extend_from_slice(&flow.src);
        out.extend_from_slice(&flow.dst);
    }
    let mut tcp = [0; 20];
    tcp[..4].copy_from_slice(&flow.ports);
    tcp[4..8].copy_from_slice(&header.seq.to_be_bytes());
    tcp[8..12].copy_from_slice(&header.ack.to_be_bytes());
    tcp[12] = ((tcp_len / 4) as u8) << 4 | header.reserved;
    tcp[13] = header.flags;
    tcp[14..16].copy_from_slice(&header.window.to_be_bytes());
    tcp[16..18].copy_from_slice(&header.checksum.to_be_bytes());
    tcp[18..20].copy_from_slice(&header.urgent.to_be_bytes());
    out.extend_from_slice(&tcp);
    out.extend_from_slice(options);
}

fn check_v4(ip: &[u8], len: usize) -> Result<(), Refused> {
    if ip[0] != 0x45 || usize::from(word(ip, 2)) != len {
        return Err(Refused::Ip);
    }
    // All but Don't Fragment: the reserved bit, More Fragments and the offset.
    if word(ip, 6) & 0xbfff != 0 {
        return Err(Refused::Fragment);
    }
    if ip[9] != TCP {
        return Err(Refused::NotTcp);
    }
    // Written with the checksum that we would compute: of the two zeros of ones' complement only one comes back.
    let mut bare = [0; 20];
    bare.copy_from_slice(ip);
    bare[10..12].fill(0);
    if !sum(&bare) != word(ip, 10) { Err(Refused::IpChecksum) } else { Ok(()) }
}

fn check_v6(ip: &[u8], len: usize) -> Result<(), Refused> {
    if usize::from(word(ip, 4)) != len {
        return Err(Refused::Ip);
    }
    if ip[6] != TCP { Err(Refused::NotTcp) } else { Ok(()) }
}

/// The Internet checksum of an IPv4 header before its inversion (RFC 1071).
fn sum(ip: &[u8; 20]) -> u16 {
    let sum: u32 = (0..10).map(|n| u32::from(word(ip, 2 * n))).sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    (sum + (sum >> 16)) as u16
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn double(bytes: &[u8], at: usize) -> u32 {
    u32::from(word(bytes, at)) << 16 | u32::from(word(bytes, at + 2))
}

pub(super) const ACK: u8 = 0x10;
pub(super) const PSH: u8 = 0x08;
pub(super) const URG: u8 = 0x20;
/// RST, SYN and FIN.
pub(super) const RSF: u8 = 0x07;
/// CWR and ECE.
pub(super) const TCP_ECN: u8 = 0xc0;
const OTHER_THAN_PURE: u8 = URG | PSH | RSF;
const TCP: u8 = 6;

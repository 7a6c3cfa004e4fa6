//! Segments as bytes, written and read here without the help of `ackless-wire`: what the endpoint takes and sends is looked at from outside.

use std::net::IpAddr;

use ackless_wire::{Ecn, TcpFlags};

use super::notation::Choice;

/// A segment of the peer's, with numbers as they stand on the wire.
#[derive(Clone, Debug)]
pub struct Segment<'a> {
    pub from: (IpAddr, u16),
    pub to: (IpAddr, u16),
    pub ecn: Ecn,
    pub seq: u32,
    pub ack: u32,
    pub flags: TcpFlags,
    pub window: u16,
    pub options: Vec<u8>,
    pub payload: &'a [u8],
    pub bad_checksum: bool,
}

impl Segment<'_> {
    /// The packet: IPv4 or IPv6, then TCP (RFC 9293, 3.1).
    pub fn bytes(&self) -> Vec<u8> {
        let mut tcp = Vec::new();
        tcp.extend(self.from.1.to_be_bytes());
        tcp.extend(self.to.1.to_be_bytes());
        tcp.extend(self.seq.to_be_bytes());
        tcp.extend(self.ack.to_be_bytes());
        let mut options = self.options.clone();
        options.resize(options.len().next_multiple_of(4), 0);
        assert!(options.len() <= 40, "options have 40 bytes at most");
        tcp.push(((20 + options.len()) as u8 / 4) << 4);
        tcp.push(self.flags.bits());
        tcp.extend(self.window.to_be_bytes());
        tcp.extend([0; 4]);
        tcp.extend(&options);
        tcp.extend(self.payload);
        let wrong = u16::from(self.bad_checksum);
        let sum = (!sum_of_segment(self.from.0, self.to.0, &tcp)).wrapping_add(wrong);
        tcp[16..18].copy_from_slice(&sum.to_be_bytes());
        let mut packet = ip(self.from.0, self.to.0, self.ecn, tcp.len() as u16);
        packet.extend(tcp);
        packet
    }
}

fn ip(from: IpAddr, to: IpAddr, ecn: Ecn, len: u16) -> Vec<u8> {
    let ecn = match ecn {
        Ecn::NotCapable => 0,
        Ecn::Capable1 => 1,
        Ecn::Capable0 => 2,
        Ecn::Experienced => 3,
    };
    let mut header = Vec::new();
    match (from, to) {
        (IpAddr::V4(from), IpAddr::V4(to)) => {
            header.extend([0x45, ecn]);
            header.extend((len + 20).to_be_bytes());
            header.extend([0, 7, 0x40, 0, 64, 6, 0, 0]);
            header.extend(from.octets());
            header.extend(to.octets());
            let sum = !folded(&header, 0);
            header[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        (IpAddr::V6(from), IpAddr::V6(to)) => {
            header.extend([0x60, ecn << 4, 0, 0]);
            header.extend(len.to_be_bytes());
            header.extend([6, 64]);
            header.extend(from.octets());
            header.extend(to.octets());
        }
        _ => unreachable!("both addresses are of one family"),
    }
    header
}

/// The options of a packet that the endpoint sent, in their order. Everything that RFC 9293 (3.1 and 3.2) asks of every segment is looked at.
pub fn inspect(packet: &[u8], from: IpAddr, to: IpAddr) -> Result<Vec<Choice>, String> {
    let len = if from.is_ipv4() { 20 } else { 40 };
    if from.is_ipv4() && folded(&packet[..len], 0) != 0xffff {
        return Err("the checksum of its IPv4 header is wrong".into());
    }
    let tcp = &packet[len..];
    if sum_of_segment(from, to, tcp) != 0xffff {
        return Err("its checksum is wrong (MUST-2)".into());
    }
    let offset = usize::from(tcp[12] >> 4) * 4;
    if tcp[12] & 0xf != 0 {
        return Err("reserved bits are set".into());
    }
    if !(20..=tcp.len()).contains(&offset) {
        return Err(format!("its data offset is {offset}"));
    }
    let options = options(&tcp[20..offset])?;
    let syn = tcp[13] & 2 != 0;
    let only_on_syn = |choice: &Choice| matches!(choice, Choice::Mss(_) | Choice::Scale(_) | Choice::SackPermitted);
    if let Some(choice) = options.iter().find(|choice| !syn && only_on_syn(choice)) {
        return Err(format!("{choice:?} is for SYNs (MUST-65; RFC 7323, 2.2; RFC 2018, 2)"));
    }
    Ok(options)
}

fn options(mut bytes: &[u8]) -> Result<Vec<Choice>, String> {
    let mut found = Vec::new();
    while let Some((&kind, rest)) = bytes.split_first() {
        match kind {
            0 => {
                if rest.iter().any(|&byte| byte != 0) {
                    return Err("what stands behind the end of its options is not zero (MUST-69)".into());
                }
                found.push(Choice::End);
                break;
            }
            1 => {
                found.push(Choice::Nop);
                bytes = rest;
            }
            _ => {
                let len = usize::from(*rest.first().ok_or("an option without length (MUST-68)")?);
                let body = bytes.get(2..len).ok_or_else(|| format!("option {kind} has length {len}"))?;
                found.push(option(kind, body)?);
                bytes = &bytes[len..];
            }
        }
    }
    Ok(found)
}

fn option(kind: u8, body: &[u8]) -> Result<Choice, String> {
    let number = |at: usize| u32::from_be_bytes([body[at], body[at + 1], body[at + 2], body[at + 3]]);
    Ok(match (kind, body.len()) {
        (2, 2) => Choice::Mss(u16::from_be_bytes([body[0], body[1]])),
        (3, 1) => Choice::Scale(body[0]),
        (4, 0) => Choice::SackPermitted,
        (5, 8 | 16 | 24 | 32) => {
            Choice::Sack((0..body.len()).step_by(8).map(|at| (number(at), number(at + 4))).collect())
        }
        (8, 8) => Choice::Timestamps(number(0), number(4)),
        _ => return Err(format!("option {kind} with {} bytes is unknown", body.len())),
    })
}

/// An option of the peer's as bytes, all numbers as they stand on the wire.
pub fn emit(choice: &Choice, out: &mut Vec<u8>) {
    match choice {
        Choice::End => out.push(0),
        Choice::Nop => out.push(1),
        Choice::Mss(mss) => {
            out.extend([2, 4]);
            out.extend(mss.to_be_bytes());
        }
        Choice::Scale(shift) => out.extend([3, 3, *shift]),
        Choice::SackPermitted => out.extend([4, 2]),
        Choice::Sack(blocks) => {
            out.extend([5, 2 + 8 * blocks.len() as u8]);
            for (left, right) in blocks {
                out.extend(left.to_be_bytes());
                out.extend(right.to_be_bytes());
            }
        }
        Choice::Timestamps(value, echo) => {
            out.extend([8, 10]);
            out.extend(value.to_be_bytes());
            out.extend(echo.to_be_bytes());
        }
        Choice::Raw(bytes) => out.extend(bytes),
    }
}

fn sum_of_segment(from: IpAddr, to: IpAddr, tcp: &[u8]) -> u16 {
    let mut pseudo = Vec::new();
    for address in [from, to] {
        match address {
            IpAddr::V4(address) => pseudo.extend(address.octets()),
            IpAddr::V6(address) => pseudo.extend(address.octets()),
        }
    }
    pseudo.extend((tcp.len() as u32).to_be_bytes());
    pseudo.extend([0, 0, 0, 6]);
    folded(tcp, u32::from(folded(&pseudo, 0)))
}

/// The sum of RFC 1071 without its complement.
pub fn folded(bytes: &[u8], start: u32) -> u16 {
    let mut sum = start;
    for pair in bytes.chunks(2) {
        sum += u32::from(pair[0]) << 8 | u32::from(pair.get(1).copied().unwrap_or(0));
        sum = (sum & 0xffff) + (sum >> 16);
    }
    (sum & 0xffff) as u16 + (sum >> 16) as u16
}

//! What is longer than the cell carries: its sender is told so (RFC 1191, RFC 8201), or it is taken apart where IPv4 lets that be done on the way.
//!
//! A TUN device refuses such packets by itself; they come where somebody has raised its MTU, or where an end is an interface of which more is known to the hosts than
//! to the cell. The cell has no address of its own, so the message comes from the address that the packet was for, as from any device that nobody sees.

use ackless_wire::{Bytes, Duration, Instant};

/// What becomes of a packet that is too long.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// These go on in its place.
    Fragments(Vec<Vec<u8>>),
    /// Its sender gets this message.
    Told(Vec<u8>),
    /// Nobody hears of it: it is itself a message of an error, or a fragment whose head has been answered, or no packet at all.
    Silence,
}

/// What becomes of `packet`, the bytes of an IP packet, where at most `mtu` bytes pass.
pub fn fate(packet: &[u8], mtu: Bytes) -> Fate {
    let mtu = mtu.get() as usize;
    let fate = match packet.first().map(|first| first >> 4) {
        Some(4) => v4(packet, mtu),
        Some(6) => v6(packet, mtu),
        _ => None,
    };
    fate.unwrap_or(Fate::Silence)
}

/// Lets so many messages pass in a time, the others not (RFC 1812, 4.3.2.8; RFC 4443, 2.4 (f), whose example for small devices this is).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    tokens: u32,
    since: Instant,
}

impl Default for Limit {
    fn default() -> Self {
        Self { tokens: BURST, since: Instant::ZERO }
    }
}

impl Limit {
    /// Whether one may pass now.
    pub fn allows(&mut self, now: Instant) -> bool {
        while self.tokens < BURST && now.saturating_since(self.since) >= EVERY {
            self.tokens += 1;
            self.since += EVERY;
        }
        if self.tokens == BURST {
            self.since = now;
        }
        let allowed = self.tokens > 0;
        self.tokens -= u32::from(allowed);
        allowed
    }
}

fn v4(packet: &[u8], mtu: usize) -> Option<Fate> {
    let header_len = usize::from(packet.first()? & 0xf) * 4;
    if header_len < V4_HEADER || packet.len() < header_len {
        return None;
    }
    let flags = u16::from_be_bytes([packet[6], packet[7]]);
    if flags & DO_NOT_FRAGMENT == 0 {
        return fragments(packet, header_len, mtu, flags);
    }
    let is_first = flags & OFFSET == 0;
    // Errors are not answered with errors (RFC 1122, 3.2.2).
    let is_error = packet[9] == ICMP && !packet.get(header_len).is_some_and(|kind| V4_QUERIES.contains(kind));
    if !is_first || is_error {
        return None;
    }
    let quoted = &packet[..packet.len().min(V4_MESSAGE - V4_HEADER - MESSAGE_HEADER)];
    let mut told = vec![0; V4_HEADER];
    told[0] = 0x45;
    told[2..4].copy_from_slice(&((V4_HEADER + MESSAGE_HEADER + quoted.len()) as u16).to_be_bytes());
    (told[8], told[9]) = (HOPS, ICMP);
    told[12..16].copy_from_slice(&packet[16..20]);
    told[16..20].copy_from_slice(&packet[12..16]);
    write_checksum(&mut told, 10, 0);
    let [high, low] = (mtu as u16).to_be_bytes();
    let mut message = vec![UNREACHABLE, FRAGMENTATION_NEEDED, 0, 0, 0, 0, high, low];
    message.extend_from_slice(quoted);
    write_checksum(&mut message, 2, 0);
    told.append(&mut message);
    Some(Fate::Told(told))
}

/// The packet in pieces (RFC 791, 3.2). One with options is let go: which of them each piece repeats is a matter of each option.
fn fragments(packet: &[u8], header_len: usize, mtu: usize, flags: u16) -> Option<Fate> {
    let room = mtu.checked_sub(V4_HEADER)? / 8 * 8;
    if header_len != V4_HEADER || room == 0 {
        return None;
    }
    // What lies behind its end belongs to a frame, not to it.
    let packet = packet.get(..usize::from(u16::from_be_bytes([packet[2], packet[3]])))?;
    let (header, payload) = packet.split_at_checked(header_len)?;
    let count = payload.len().div_ceil(room);
    if usize::from(flags & OFFSET) + count.saturating_sub(1) * room / 8 > usize::from(OFFSET) {
        return None;
    }
    let piece = |(n, payload): (usize, &[u8])| {
        let mut piece = header.to_vec();
        let more = if n + 1 < count { MORE_FRAGMENTS } else { flags & MORE_FRAGMENTS };
        let at = (flags & OFFSET) + (n * room / 8) as u16;
        piece[2..4].copy_from_slice(&((header_len + payload.len()) as u16).to_be_bytes());
        piece[6..8].copy_from_slice(&(more | at).to_be_bytes());
        write_checksum(&mut piece, 10, 0);
        piece.extend_from_slice(payload);
        piece
    };
    Some(Fate::Fragments(payload.chunks(room).enumerate().map(piece).collect()))
}

fn v6(packet: &[u8], mtu: usize) -> Option<Fate> {
    if packet.len() < V6_HEADER {
        return None;
    }
    // Errors have numbers below 128 (RFC 4443, 2.1).
    let is_error = packet[6] == ICMP_V6 && packet.get(V6_HEADER).is_none_or(|kind| *kind < 128);
    if is_error {
        return None;
    }
    let quoted = &packet[..packet.len().min(V6_MESSAGE - V6_HEADER - MESSAGE_HEADER)];
    let len = MESSAGE_HEADER + quoted.len();
    let mut told = vec![0; V6_HEADER];
    told[0] = 0x60;
    told[4..6].copy_from_slice(&(len as u16).to_be_bytes());
    (told[6], told[7]) = (ICMP_V6, HOPS);
    told[8..24].copy_from_slice(&packet[24..40]);
    told[24..40].copy_from_slice(&packet[8..24]);
    let mut message = vec![PACKET_TOO_BIG, 0, 0, 0];
    message.extend_from_slice(&(mtu as u32).to_be_bytes());
    message.extend_from_slice(quoted);
    let pseudo_header = words(&told[8..40]) + u64::from(ICMP_V6) + len as u64;
    write_checksum(&mut message, 2, pseudo_header);
    told.append(&mut message);
    Some(Fate::Told(told))
}

/// Writes the Internet checksum (RFC 1071) of `bytes`, with `more` added to their sum, at `at`.
fn write_checksum(bytes: &mut [u8], at: usize, more: u64) {
    bytes[at..at + 2].fill(0);
    let mut sum = words(bytes) + more;
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    bytes[at..at + 2].copy_from_slice(&(!(sum as u16)).to_be_bytes());
}

fn words(bytes: &[u8]) -> u64 {
    let word = |pair: &[u8]| u64::from(u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]));
    bytes.chunks(2).map(word).sum()
}

const V4_HEADER: usize = 20;
const V6_HEADER: usize = 40;
const MESSAGE_HEADER: usize = 8;
/// The longest message in IPv4 (RFC 1812, 4.3.2.3).
const V4_MESSAGE: usize = 576;
/// The longest message in IPv6 (RFC 4443, 2.4 (c)).
const V6_MESSAGE: usize = 1_280;
const DO_NOT_FRAGMENT: u16 = 0x4000;
const MORE_FRAGMENTS: u16 = 0x2000;
const OFFSET: u16 = 0x1fff;
const ICMP: u8 = 1;
const ICMP_V6: u8 = 58;
/// What of ICMP is no error: echoes, router discovery, timestamps, information (RFC 792, RFC 1256).
const V4_QUERIES: [u8; 8] = [0, 8, 9, 10, 13, 14, 15, 16];
const UNREACHABLE: u8 = 3;
const FRAGMENTATION_NEEDED: u8 = 4;
const PACKET_TOO_BIG: u8 = 2;
const HOPS: u8 = 64;
/// So many messages may come at once.
const BURST: u32 = 10;
/// And one more each time that this has passed.
const EVERY: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests {
    use super::*;

    /// A UDP packet of so many bytes from 10.0.0.1 to 10.0.0.2.
    fn packet(len: u16, flags: u16) -> Vec<u8> {
        let mut packet: Vec<u8> = (0..len).map(|at| at as u8).collect();
        packet[..20].copy_from_slice(&[0x45, 0, 0, 0, 0x12, 0x34, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        packet[2..4].copy_from_slice(&len.to_be_bytes());
        packet[6..8].copy_from_slice(&flags.to_be_bytes());
        write_checksum(&mut packet, 10, 0);
        packet
    }

    #[test]
    fn who_forbids_fragments_is_told_how_long_packets_may_be() {
        let sent = packet(2_000, DO_NOT_FRAGMENT);
        let Fate::Told(told) = fate(&sent, Bytes(1_500)) else { panic!("it is told") };
        assert_eq!(told.len(), 576);
        assert_eq!(told[12..20], [10, 0, 0, 2, 10, 0, 0, 1]);
        // Type 3, code 4, and 1500 as the next hop's MTU (RFC 1191, 4).
        assert_eq!((&told[20..22], &told[24..28]), (&[3, 4][..], &[0, 0, 0x05, 0xdc][..]));
        assert_eq!(told[28..], sent[..548]);
        // A checksum over what contains it is all ones (RFC 1071, 1).
        for part in [&told[..20], &told[20..]] {
            let sum = words(part);
            assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff);
        }
    }

    #[test]
    fn who_allows_fragments_gets_them_and_they_are_the_packet() {
        let sent = packet(3_001, 0);
        let Fate::Fragments(pieces) = fate(&sent, Bytes(1_500)) else { panic!("it may be taken apart") };
        // 1480 bytes of payload are 185 times 8; of 2981 bytes 21 are left.
        assert_eq!(pieces.iter().map(Vec::len).collect::<Vec<_>>(), [1_500, 1_500, 41]);
        let flags: Vec<_> = pieces.iter().map(|piece| u16::from_be_bytes([piece[6], piece[7]])).collect();
        assert_eq!(flags, [0x2000, 0x2000 + 185, 370]);
        let payload: Vec<u8> = pieces.iter().flat_map(|piece| piece[20..].to_vec()).collect();
        assert_eq!(payload, sent[20..]);
        // A piece of what was a piece already keeps its place.
        let Fate::Fragments(again) = fate(&pieces[1], Bytes(800)) else { panic!("it may be taken apart") };
        let flags: Vec<_> = again.iter().map(|piece| u16::from_be_bytes([piece[6], piece[7]])).collect();
        assert_eq!(flags, [0x2000 + 185, 0x2000 + 185 + 97]);
    }

    #[test]
    fn pieces_end_where_the_packet_does_and_none_lies_where_no_offset_reaches() {
        // Ethernet pads short frames, and whoever sends may add more.
        let mut padded = packet(2_000, 0);
        padded.resize(2_600, 0xee);
        let Fate::Fragments(pieces) = fate(&padded, Bytes(1_500)) else { panic!("it may be taken apart") };
        assert_eq!(pieces.iter().map(Vec::len).collect::<Vec<_>>(), [1_500, 520]);
        assert_eq!(fate(&packet(2_000, OFFSET), Bytes(1_500)), Fate::Silence);
        let mut short = packet(2_000, 0);
        short[2..4].copy_from_slice(&2_001_u16.to_be_bytes());
        assert_eq!(fate(&short, Bytes(1_500)), Fate::Silence);
    }

    #[test]
    fn ipv6_tells_it_always_but_never_of_errors() {
        let mut sent = vec![0; 2_000];
        sent[0] = 0x60;
        sent[4..6].copy_from_slice(&1_960_u16.to_be_bytes());
        sent[6] = 17;
        (sent[23], sent[39]) = (1, 2);
        let Fate::Told(told) = fate(&sent, Bytes(1_400)) else { panic!("it is told") };
        assert_eq!((told.len(), told[23], told[39]), (1_280, 2, 1));
        assert_eq!((&told[40..42], &told[44..48]), (&[2, 0][..], &1_400_u32.to_be_bytes()[..]));
        let sum = words(&told[8..40]) + 58 + 1_240 + words(&told[40..]);
        assert_eq!((sum & 0xffff) + (sum >> 16), 0xffff);
        (sent[6], sent[40]) = (58, 1);
        assert_eq!(fate(&sent, Bytes(1_400)), Fate::Silence);
        sent[40] = 128;
        assert!(matches!(fate(&sent, Bytes(1_400)), Fate::Told(_)), "an echo is no error");
        let mut error = packet(2_000, DO_NOT_FRAGMENT);
        (error[9], error[20]) = (1, 3);
        assert_eq!(fate(&error, Bytes(1_500)), Fate::Silence);
    }

    #[test]
    fn ten_at_once_and_ten_a_second() {
        let mut limit = Limit::default();
        let at = |ms| Instant::ZERO + Duration::from_millis(ms);
        assert_eq!((0..50).filter(|_| limit.allows(at(5_000))).count(), 10);
        assert_eq!((0..1_000).filter(|ms| limit.allows(at(5_000 + ms))).count(), 9);
        assert_eq!((0..50).filter(|_| limit.allows(at(60_000))).count(), 10);
    }
}

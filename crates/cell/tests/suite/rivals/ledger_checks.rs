//! The ledger sees what is wrong.

use ackless_wire::ip::Ipv4Header;
use ackless_wire::tcp::SackBlocks;
use ackless_wire::{Instant, IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport};

use crate::rivals::ledger::{Ledger, Says};

const SERVER: [u8; 4] = [10, 1, 0, 1];
const CLIENT: [u8; 4] = [10, 0, 0, 1];
/// Initial sequence numbers: the server's wraps with its first bytes.
const ISS: SeqNumber = SeqNumber(u32::MAX - 500);
const IRS: SeqNumber = SeqNumber(7_000);
const NOW: Instant = Instant::ZERO;

fn packet(from: [u8; 4], to: [u8; 4], flags: TcpFlags, payload: u32, change: impl FnOnce(&mut TcpHeader)) -> Packet {
    let mut tcp = TcpHeader { flags, window: 1_000, ..TcpHeader::new(1, 1) };
    change(&mut tcp);
    let ip = IpHeader::V4(Ipv4Header::new(from.into(), to.into()));
    Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::Length(payload) }
}

/// Data of the server's from byte `at` on, counted from its SYN.
fn data(at: u32, len: u32) -> Packet {
    packet(SERVER, CLIENT, TcpFlags::ACK, len, |tcp| (tcp.seq, tcp.ack) = (ISS + at, IRS + 1))
}

/// An ACK of the client's up to byte `up_to`.
fn ack(up_to: u32, change: impl FnOnce(&mut TcpHeader)) -> Packet {
    packet(CLIENT, SERVER, TcpFlags::ACK, 0, |tcp| {
        (tcp.seq, tcp.ack) = (IRS + 1, ISS + up_to);
        change(tcp);
    })
}

/// A connection whose client has announced a window of 1,000 and taken bytes 1 to 1,000 and 2,001 to 3,000 of 3,000.
fn connected() -> Ledger {
    let mut ledger = Ledger::new(Says::Said);
    let syn = packet(CLIENT, SERVER, TcpFlags::SYN, 0, |tcp| tcp.seq = IRS);
    let answer = packet(SERVER, CLIENT, TcpFlags::SYN | TcpFlags::ACK, 0, |tcp| (tcp.seq, tcp.ack) = (ISS, IRS + 1));
    for packet in [&syn, &answer, &ack(1, |_| {}), &data(1, 1_000), &data(1_001, 1_000), &data(2_001, 1_000)] {
        ledger.sent(packet);
    }
    for packet in [&syn, &answer, &data(1, 1_000), &data(2_001, 1_000)] {
        ledger.taken(packet);
    }
    ledger
}

#[test]
fn an_ack_for_what_was_taken_is_right() {
    let mut ledger = connected();
    ledger.leaves(NOW, &ack(1_001, |tcp| tcp.options.sack = SackBlocks::from_slice(&[(ISS + 2_001, ISS + 3_001)])));
    ledger.received(NOW, &ack(501, |_| {}));
    ledger.received(NOW, &data(1, 1_000));
    assert_eq!(ledger.backwards(), 0);
    ledger.leaves(NOW, &ack(501, |_| {}));
    assert_eq!(ledger.backwards(), 1);
}

#[test]
#[should_panic(expected = "an acknowledgement up to byte 1002 of what was taken")]
fn an_ack_beyond_a_hole_is_seen() {
    connected().leaves(NOW, &ack(1_002, |_| {}));
}

#[test]
#[should_panic(expected = "an acknowledgement of no connection")]
fn an_ack_beyond_all_that_was_sent_is_seen() {
    connected().received(NOW, &ack(3_002, |_| {}));
}

#[test]
#[should_panic(expected = "a SACK block 1500 to 2500")]
fn a_sack_block_over_a_hole_is_seen() {
    let block = SackBlocks::from_slice(&[(ISS + 1_500, ISS + 2_500)]);
    connected().leaves(NOW, &ack(1_001, |tcp| tcp.options.sack = block));
}

#[test]
#[should_panic(expected = "a window that its sender has not announced")]
fn a_window_that_nobody_announced_is_seen() {
    connected().leaves(NOW, &ack(1_001, |tcp| tcp.window = 1_001));
}

#[test]
#[should_panic(expected = "a TSval that its sender has not said")]
fn a_timestamp_that_nobody_said_is_seen() {
    connected().leaves(NOW, &ack(1_001, |tcp| tcp.options.timestamps = Some((1, 1))));
}

#[test]
#[should_panic(expected = "nobody has sent what a transport gets")]
fn altered_data_is_seen() {
    connected().received(NOW, &data(1, 999));
}

//! What feedback does to the next packets.

use ackless_rohc::rfc::{CidSpace, Compressor, Config, Decompressor, Error, FeedbackKind, PacketType};

use super::acks::Ack;

struct Pair {
    compressor: Compressor,
    decompressor: Decompressor,
    ack: Ack,
}

impl Pair {
    fn new() -> Self {
        Self {
            compressor: Compressor::new(CidSpace::SMALL, Config::default()),
            decompressor: Decompressor::new(CidSpace::SMALL),
            ack: Ack::plain(),
        }
    }

    /// Compresses the next ACK; `change` says how it differs from the one before.
    fn send(&mut self, change: impl FnOnce(&mut Ack)) -> (PacketType, Vec<u8>) {
        self.ack.ack += 2920;
        self.ack.ip_id = self.ack.ip_id.map(|id| id + 1);
        change(&mut self.ack);
        let mut rohc = Vec::new();
        let kind = self.compressor.compress(&self.ack.bytes(), &mut rohc).expect("a pure ACK");
        (kind, rohc)
    }

    fn receive(&mut self, rohc: &[u8]) {
        let mut out = Vec::new();
        self.decompressor.decompress(rohc, &mut out).expect("our own packet");
        assert_eq!(out, self.ack.bytes());
    }

    fn tell(&mut self, kind: FeedbackKind) {
        let mut bytes = Vec::new();
        self.decompressor.feedback(0, kind, &mut bytes);
        self.compressor.feedback(&bytes).expect("our own feedback");
    }

    fn kinds(&mut self, n: usize) -> Vec<PacketType> {
        (0..n).map(|_| self.send(|_| {}).0).collect()
    }
}

#[test]
fn an_acknowledgement_ends_the_initialisation() {
    let mut pair = Pair::new();
    let (kind, rohc) = pair.send(|_| {});
    assert_eq!(kind, PacketType::Ir);
    pair.receive(&rohc);
    pair.tell(FeedbackKind::Ack);
    assert_eq!(pair.kinds(2), [PacketType::Seq4, PacketType::Seq4]);
    assert_eq!(Pair::new().kinds(4), [PacketType::Ir, PacketType::Ir, PacketType::Ir, PacketType::Seq4]);
}

#[test]
fn a_change_is_repeated_until_the_window_has_passed() {
    let mut pair = Pair::new();
    pair.kinds(8);
    assert_eq!(pair.send(|ack| ack.hops = 200).0, PacketType::CoCommon);
    let common = PacketType::CoCommon;
    assert_eq!(pair.kinds(4), [common, common, common, PacketType::Seq4]);
}

#[test]
fn a_change_is_not_repeated_once_it_is_acknowledged() {
    let mut pair = Pair::new();
    for change in [64, 200] {
        let (_, rohc) = pair.send(|ack| ack.hops = change);
        pair.receive(&rohc);
        pair.tell(FeedbackKind::Ack);
    }
    assert_eq!(pair.kinds(1), [PacketType::Seq4]);
}

#[test]
fn doubt_brings_the_dynamic_part_and_loss_the_static_part_again() {
    let mut pair = Pair::new();
    for _ in 0..5 {
        let (_, rohc) = pair.send(|_| {});
        pair.receive(&rohc);
    }
    pair.tell(FeedbackKind::Nack);
    assert_eq!(pair.send(|_| {}).0, PacketType::IrDyn);
    pair.tell(FeedbackKind::StaticNack);
    assert_eq!(pair.send(|_| {}).0, PacketType::Ir);
    pair.tell(FeedbackKind::Nack);
    let (kind, rohc) = pair.send(|_| {});
    assert_eq!(kind, PacketType::Ir, "a NACK asks for less than what is under way");
    pair.receive(&rohc);
}

#[test]
fn feedback_for_a_context_that_is_not_there_is_an_error() {
    let mut pair = Pair::new();
    let mut bytes = Vec::new();
    pair.decompressor.feedback(5, FeedbackKind::StaticNack, &mut bytes);
    assert_eq!(pair.compressor.feedback(&bytes), Err(Error::NoContext(5)));
}

#[test]
fn a_context_in_doubt_takes_only_packets_with_a_long_checksum() {
    let mut pair = Pair::new();
    for _ in 0..5 {
        let (_, rohc) = pair.send(|_| {});
        pair.receive(&rohc);
    }
    let (kind, good) = pair.send(|_| {});
    assert_eq!(kind, PacketType::Seq4);
    let mut bad = good.clone();
    bad[1] ^= 1;
    for _ in 0..3 {
        assert_eq!(pair.decompressor.decompress(&bad, &mut Vec::new()), Err(Error::Crc(0)));
    }
    assert_eq!(pair.decompressor.decompress(&good, &mut Vec::new()), Err(Error::InDoubt(0)));
    let (kind, mends) = pair.send(|ack| ack.urgent = 1);
    assert_eq!(kind, PacketType::CoCommon);
    pair.receive(&mends);
    for _ in 0..3 {
        pair.send(|_| {});
    }
    let (kind, short) = pair.send(|_| {});
    assert_eq!(kind, PacketType::Seq4);
    pair.receive(&short);
}

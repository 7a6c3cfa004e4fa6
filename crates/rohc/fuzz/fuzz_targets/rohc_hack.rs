//! Arbitrary appended bytes at an access point: never a panic, and never more ACKs than codes; and what a frame holds
//! comes out the same when it is decoded a second time from a clone.
//!
//! The first byte picks how ACKs are said and the native ACK that opened the context: IPv4 or IPv6, with or without timestamps
//! and SACK blocks. The bytes after it are a frame, in which each run is given the MSN that its context expects, or one behind
//! it. `cargo +nightly fuzz run rohc_hack` in `crates/rohc`.

#![no_main]

use ackless_rohc::hack::{Ack, Codec, Compressor, Decompressor, Frame};
use ackless_wire::tcp::SackBlocks;
use ackless_wire::{IpHeader, Packet, Payload, SeqNumber, TcpFlags, TcpHeader, Transport};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&first, appended)) = bytes.split_first() else { return };
    let codec = match first >> 3 & 7 {
        0 | 1 => Codec::Rfc6846,
        pick => Codec::Own { checksum: pick & 1 != 0, wide: pick & 2 != 0 },
    };
    let mut ap = Decompressor::new(codec);
    let native = native(first);
    ap.install(&native);
    let Ok(frame) = Frame::read(codec, appended) else { return };
    for run in frame.runs() {
        if codec == Codec::Rfc6846 {
            // Where its packets end is known once they are decoded.
            assert_eq!(run.len(), None);
        } else {
            assert!(run.len().is_some_and(|len| (1..=codec.max_outstanding()).contains(&len)));
            assert_eq!(run.codes().map(|(_, code)| code.len()).sum::<usize>(), run.bytes().len());
        }
        // As it is: nearly always a gap.
        if let Ok(decode) = ap.clone().decode(&run) {
            decode.for_each(drop);
        }
        let msn = (ap.expected().wrapping_sub(u16::from(first >> 6)) & codec.max_msn()).to_be_bytes();
        let mut own = vec![run.cid().0];
        own.extend(&msn[3 - codec.run_header()..]);
        own.extend(run.bytes());
        let own = Frame::read(codec, &own).expect("only the MSN is another");
        let run = own.runs().next().expect("there is a run");
        let (mut again, mut client) = (ap.clone(), Compressor::new(codec));
        let Ok(decode) = ap.decode(&run) else { continue };
        let out: Vec<_> = decode.collect();
        assert!(out.len() <= usize::from(run.len().unwrap_or(codec.max_outstanding())));
        assert!(out.iter().rev().skip(1).all(Result::is_ok), "an error is the last");
        let decode = again.decode(&run).expect("a clone decodes the same");
        assert!(decode.eq(out.iter().copied()));
        // Whatever came out can be compressed again.
        client.install(&native);
        for decoded in out.iter().flatten() {
            let packet = decoded.ack.to_packet();
            assert_eq!(Ack::of(&packet), Ok(decoded.ack));
            let again = client.compress(&decoded.ack);
            assert!(again.is_ok() || codec == Codec::Rfc6846, "an ACK of the context's flow: {again:?}");
        }
    }
});

/// A native ACK of the kind that `pick` names.
fn native(pick: u8) -> Ack {
    let ip = if pick & 1 == 0 {
        IpHeader::between([192, 168, 0, 2].into(), [10, 0, 0, 1].into())
    } else {
        IpHeader::between([1; 16].into(), [2; 16].into())
    };
    let mut tcp = TcpHeader { flags: TcpFlags::ACK, ..TcpHeader::new(40_000, 80) };
    tcp.options.timestamps = (pick & 2 == 0).then_some((7, u32::MAX));
    if pick & 4 != 0 {
        tcp.options.sack =
            SackBlocks::from_slice(&[(SeqNumber(5), SeqNumber(9)), (SeqNumber(20), SeqNumber(u32::MAX))]);
    }
    let ip = ip.expect("both addresses are of one family");
    let packet = Packet { ip, transport: Transport::Tcp(tcp), payload: Payload::EMPTY };
    Ack::of(&packet).expect("a pure ACK")
}

//! HACK's use of the TCP profile (the paper's sections 3.3.2 and 3.4): what is appended to a link-layer answer.
//!
//! A [`Compressor`] and a [`Decompressor`] hold one context each: one flow, in the direction in which its ACKs travel.
//! A native pure ACK that is known to have arrived is installed on both ends and is their reference. Each ACK after it
//! becomes a [`Code`], in terms of the ACK before. [`FrameWriter`] and [`Frame`] put the codes of all contexts into the
//! bytes behind an answer, and take them out again. Which ACKs to hold, until when, and when a context may be used is
//! the scheme's business (`ackless-schemes`); nothing here knows a link.
//!
//! # The bytes
//!
//! All numbers are in network byte order, bits of a byte are written with the most significant first. The appended
//! bytes stand between the last field of an Ack or BlockAck and its FCS, which covers both:
//!
//! ```text
//! frame   = run *( 0xff run )           no more than 4063 bytes, each context once
//! run     = CID(8) MSN(8) 1*127code     MSN is that of the first code; each code after it has one more, modulo 256
//! ```
//!
//! | Code | Bits | Check |
//! |---|---|---|
//! | `Compact` | `0 ss v e ccc` | CRC-3 |
//! | `Stamps` | `110 ss vvv` `v eeee ccc`, one of `v`, `e` at least 2 | CRC-3 |
//! | `Window` | `1110 ss ww` `wwwww ccc` | CRC-3 |
//! | `Delta` | `10 aa T W I S` `0 ccccccc` then the fields that the bits announce | CRC-7 |
//! | `Extended` | `10 aa T W I S` `1 ccccccc` `Q F D H L U O 0` then fields; not all of the third byte is zero | CRC-7 |
//! | reserved | `1111 0000` to `1111 1110` | |
//! | end of run | `1111 1111` | |
//!
//! With [`Codec::Own`]'s `wide` the MSN in front of a run has 16 bits, and a run up to 4,060 codes; all that is said of 127 and 256 below is then said of 4,060 and
//! 65,536, and a check covers the MSN's low octet. With its `checksum` the 16 bits of the TCP checksum follow each code, and what came out of it must fit them.
//!
//! `ss` is the step: 0 acknowledgment number and SACK blocks as before, 1 the acknowledgment number moved by the last
//! stride, 2 by the stride before, 3 the acknowledgment number is as before and the first SACK block grew at its right
//! edge as it last did. `v` and `e` say how far TSval and TSecr moved. `w` says how far the window moved: from -64 as
//! 64 (1000000) to -1 as 127, from 1 as 0 to 64 as 63. Everything else is as before, and the IPv4 identification is the
//! expected one.
//!
//! The fields of `Delta` and `Extended` follow in this order, each only where its bit is set (`aa` = 3 for the first):
//!
//! | Bit | Field |
//! |---|---|
//! | `aa` | 0, 1, 2 as `ss`; 3: *number*, how far the acknowledgment number moved modulo 2^32, not 0 |
//! | `T` | *number*, *number*: how far TSval and TSecr moved modulo 2^32, not both 0 |
//! | `W` | *signed*: how far the window moved, -32768 to 32767, not 0 |
//! | `I` | 16 bits: the IPv4 identification |
//! | `S` | the list of SACK blocks, below |
//! | `Q` | *signed*: how far the sequence number moved modulo 2^32, not 0 |
//! | `F` | 8 bits, what was toggled: 1 ECE, 2 CWR, 4 Don't Fragment; not 0 |
//! | `D` | 8 bits: DSCP and ECN, or the traffic class |
//! | `H` | 8 bits: TTL or hop limit |
//! | `L` | 24 bits: flow label, at most 0xfffff |
//! | `U` | 16 bits: urgent pointer |
//! | `O` | 8 bits, the options that there are: 0x80 MSS, 0x40 SACK permitted, 0x20 window scale, 0x10 timestamps; then the MSS (16 bits) and the shift (8 bits) if they are there. Timestamps that were not there before move from zero |
//!
//! A *number* is `0` and 7 bits, `10` and 14, `110` and 21, `1110` and 28, or the byte `1111 0000` and 32, whichever is
//! the first to hold it. A *signed* is the number 2n for n >= 0, and -2n - 1 for n < 0.
//!
//! A list of SACK blocks is `nnn`, 0 to 4, and three bits for each block, padded with zeros to one byte for up to one
//! block and to two bytes for more. Then each block's numbers in turn: 0 to 3, none, the block is the one at this place
//! of the list before; 4, *number* `4 * growth + place`, as the block at that place, its right edge further by growth,
//! 1 to 2^28 - 1; 5, *signed* and *number*, the distance of the left edge from the new acknowledgment number, and the
//! block's length. Six and seven are reserved.
//!
//! A reader refuses whatever a writer never writes, and a frame in which anything is left over or missing, before it
//! decodes the first code of it.
//!
//! # What is expected
//!
//! Both ends keep, and set anew with each reference: the last *stride*, by which the acknowledgment number moved, and
//! the different one before (first 2 and 1 times `1500 - IP header - 20`, 12 less with timestamps; steps above 2^30 do
//! not count); the last growth of a first SACK block that kept its left edge (first one such segment); and whether the
//! IPv4 identification is constant (first, if it is 0), sequential (first, if it is not) or sequential with its bytes
//! swapped: an identification that is not the expected one changes that to the first of the three that explains it, or
//! to nothing else. A random one is thus spelt out in each code.
//!
//! # The checks
//!
//! CRC-3 and CRC-7 are those of ROHC (RFC 5795, 5.3.1.1) over octets which stand for the whole rebuilt header: source
//! and destination address, 6, source and destination port; sequence number, acknowledgment number; flags, TTL, window,
//! identification (0 for IPv6), urgent pointer; TSval, TSecr (0 without); DSCP and ECN, 3 octets of flow label (IPv4:
//! Don't Fragment), an octet of options as in `O` with the number of SACK blocks in its low bits, window scale, MSS (0
//! without); the SACK blocks; and last the code's MSN, so that a code fails that is decoded at another place of its
//! run.
//!
//! With the FCS not looked at, single flipped bits had these effects in 3,000 frames of 21 codes each of the tests'
//! most restless flows (`tests/suite/hack/bit_errors.rs` prints the table). Refused: before anything was decoded. Stopped:
//! all that came out was right. A flipped CID names another context, or none.
//!
//! | Bit flipped in | Refused | Stopped | All right, but duplicates passed over that were none | Wrong ACK came out |
//! |---|---|---|---|---|
//! | MSN | 60.0 % | 28.8 % | 9.5 % | 1.6 % |
//! | `Compact` | 8.4 % | 88.7 % | | 2.9 % |
//! | `Stamps` | 9.7 % | 87.3 % | | 3.0 % |
//! | `Window` | 12.3 % | 84.8 % | 0.1 % | 2.8 % |
//! | `Delta` | 21.8 % | 77.7 % | | 0.5 % |
//! | `Extended` | 32.0 % | 67.7 % | | 0.3 % |
//!
//! # Sizes
//!
//! Of a download with delayed ACKs (`examples/hack_sizes.rs`), one segment in 2,000 lost on the way; bytes for each
//! ACK, with and without CID and MSN. The paper reports 4.36 (table 2, 802.11a).
//!
//! | Link | Timestamps | Codes: mean | p99 | With runs: mean |
//! |---|---|---|---|---|
//! | 802.11n, 150 Mbps, 42 segments at a time | none | 1.015 | 1 | 1.105 |
//! | | 1 ms | 1.104 | 2 | 1.193 |
//! | | 4 ms | 1.017 | 1 | 1.107 |
//! | | 10 ms | 1.017 | 1 | 1.107 |
//! | 802.11a, 54 Mbps, one segment at a time | none | 1.015 | 1 | 3.015 |
//! | | 1 ms | 1.021 | 1 | 3.021 |
//! | | 4 ms, 10 ms | 1.017 | 1 | 3.017 |
//!
//! These are the best case: one flow, a window that never moves, identifications that count. The same with one thing otherwise, timestamps of 1 ms; codes alone, means:
//!
//! | | 802.11n | 802.11a |
//! |---|---|---|
//! | steady, as above | 1.10 | 1.02 |
//! | the window moves with each ACK by up to 64 units | 2.39 | 4.93 |
//! | by up to 2,000 | 4.54 | 6.18 |
//! | the host sends up to 7 other packets between two ACKs, and counts its identifications through all | 4.18 | 5.59 |
//! | it draws its identifications at random | 4.61 | 6.23 |
//! | steady, as packets of RFC 6846 in terms of one certain reference, with the TCP checksum | 10.45 | 7.65 |
//! | the same without timestamps | 4.70 | 4.70 |
//!
//! # The packets of RFC 6846 instead
//!
//! The paper says that it "uses ROHC" [RFC 6846], without IR and feedback, with the CID as above, and with the first MSN of an answer "extended to 8 bits" (3.3.2 and 3.4); it does not say
//! where one packet ends and the next begins, nor where identifier and MSN stand. With [`Codec::Rfc6846`]:
//!
//! ```text
//! frame   = *( CID(8) MSN(8) 0xff LENGTH(16) 1*packet ) CID(8) MSN(8) 1*127packet
//! ```
//!
//! - A packet is one of rnd_1 to seq_8 or co_common, as [`rfc`](crate::rfc) writes them for a window of one certain reference, for small context identifiers and the identifier 0, which
//!   takes no byte. So it has its own CRC-3 or CRC-7, the low four bits of its MSN, and the TCP checksum.
//! - A native ACK installs what its IR packet would bring; the MSN goes on from it as above, and each packet's must be that of its place.
//! - Only its context knows where a packet ends, so only the length in front of all runs but the last, in bytes, lets a reader step over a context that is broken; and packets that come again are
//!   passed over by their lengths, which the decompressing end keeps of the last 127. No packet begins with 0xff.
//! - What cannot be said goes natively: another IPv6 flow label, which names the flow there, and packets above [`Code::MAX_LEN`].
//!
//! Single flipped bits, as in the table above: of 1,754,008 in packets 99.4 % were stopped, 0.2 % said nothing, and 0.4 % brought out an ACK with another identification or TTL; none one that a TCP
//! would take for another, for which the TCP checksum stands. Codes with the TCP checksum let 34 of 583,480 through: a sum does not see a segment that is taken from a SACK block's edge
//! and given to the acknowledgment number.
//!
//! # The master sequence number
//!
//! An installation sets the MSN of the next code, on both ends, to the CRC-8 over the octets above (without MSN) of the
//! ACK installed. The compressor then counts codes; the decompressor keeps the MSN `e` that it expects, and how many
//! codes it has decoded since, `b`, no more than 127. Let a run arrive with first MSN `f`. It begins with the oldest
//! code that the client holds, so no code from `f` on is known to the client to have arrived, and fewer than 128 are
//! outstanding. Every code before `f` has arrived, since otherwise the client would still hold it. So the decompressor
//! expects a code from `f` to at most 127 behind it, `e - f` modulo 256 is from 0 to 127, and is exactly the number of
//! the run's first codes that were decoded before; half of the circle is never used, and `f = e + 1` to `e + 128` can
//! only be a gap. Nor can a run reach back behind the installation, for dropped codes are never sent after it:
//! `e - f <= b`. A run for which this does not hold was written by a client with another reference, or behind a loss
//! that the client does not know of: it is a [`DecodeError::Gap`], nothing of it is decoded, and only the next native
//! ACK mends it.
//!
//! # Deviations from RFC 6846
//!
//! - No IR, IR-DYN, IR-CR or feedback packets: native ACKs install, and the link's own acknowledgment says that they
//!   did (paper, 3.3.2 and 3.4).
//! - The CID is one byte of a hash, [`Cid::of`], and stands once for each run, as does the MSN, with 8 bits instead of
//!   4 (paper, 3.4); after that both follow from the place in the run.
//! - Neither TCP checksum (by default) nor IPv4 header checksum is carried: the decompressor computes them, and packets whose TCP
//!   checksum is wrong are refused. The RFC's irregular chain costs 2 bytes for each ACK, more than all the rest.
//! - Codes are differences to the ACK before instead of least significant bits in terms of a window of references:
//!   answers arrive complete and in order or come again, so there is but one reference, and it is certain. A difference
//!   also says "unchanged" for nothing, where the RFC's lsb(7, -1) spends a packet type on a timestamp that stays.
//! - One packet format of five forms instead of 17, laid out so that a code's length follows from its own bytes:
//!   duplicates must be passed over by an end whose reference is already behind them.
//! - Checks cover the MSN and leave out checksums and lengths, which follow from the rest.
//! - The IPv4 identification has no "random" behaviour, in which each code would end with it and so have a length
//!   that only the context knows.
//! - Any pure ACK that an [`Ack`] holds can be said in one code. Where the RFC falls back to IR packets, here is `Extended`. What an `Ack` does not hold goes
//!   natively: options that are not in the table above (MPTCP, TCP-AO), options in another order, reserved bits.
//!
//! Not here: data segments, IPv4 options and IPv6 extension headers (`ackless-wire` has none), replication of contexts.

mod ack;
mod check;
mod code;
mod codec;
mod compressor;
mod context;
mod decompressor;
mod delta;
mod error;
mod frame;
mod length;
mod sack;
mod small;
mod standard;

pub use ack::{Ack, AckRef, Cid, FiveTuple, Refused};
pub use code::{Code, Kind};
pub use codec::Codec;
pub use compressor::Compressor;
pub use decompressor::{Decode, Decoded, Decompressor};
pub use error::{DecodeError, Malformed};
pub use frame::{Frame, FrameError, FrameWriter, Run};

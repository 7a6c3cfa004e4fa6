//! RFC mode: the packets of RFC 6846 themselves, for any pure ACK, to talk with other implementations.
//!
//! A [`Compressor`] takes whole IP packets and makes ROHC packets of them, a [`Decompressor`] the reverse; feedback goes
//! back as bytes of its own. Inside, both speak of a `State`: what a decompressor knows after a packet. A compressor
//! keeps the states in which its peer may be, and writes the shortest header that leads from each of them to the new
//! one. The short headers are a table in `format`.
//!
//! ```
//! use ackless_rohc::rfc::{CidSpace, Compressor, Config, Decompressor, FeedbackKind, PacketType};
//! # let ack = [0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6, 0x26, 0xce, 10, 0, 0, 1, 10, 0, 0, 2, 0, 80, 1, 1, 0, 0, 0, 1,
//! #     0, 0, 0, 9, 0x50, 0x10, 1, 0, 0, 0, 0, 0];
//!
//! let mut compressor = Compressor::new(CidSpace::SMALL, Config::default());
//! let mut decompressor = Decompressor::new(CidSpace::SMALL);
//! for kind in [PacketType::Ir, PacketType::Rnd4] {
//!     let (mut rohc, mut back, mut feedback) = (Vec::new(), Vec::new(), Vec::new());
//!     assert_eq!(compressor.compress(&ack, &mut rohc)?, kind);
//!     let done = decompressor.decompress(&rohc, &mut back)?;
//!     assert_eq!(back, ack);
//!     decompressor.feedback(done.cid, FeedbackKind::Ack, &mut feedback);
//!     compressor.feedback(&feedback)?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What of the RFC is here
//! Profile 6 over one IPv4 or IPv6 header; small and large context identifiers; IR, IR-DYN, co_common, rnd_1 to rnd_8
//! and seq_1 to seq_8; all four behaviours of the IP identification; scaled acknowledgement numbers; lists of options
//! with their table of items; the optimistic approach, and feedback by FEEDBACK-1 and FEEDBACK-2.
//!
//! # Limits and deviations
//! - Pure ACKs only. What is not one is refused, as are fragments, IPv4 options, IPv6 extension headers, tunnels, IPv4
//!   headers with a wrong checksum, malformed or repeated TCP options, and more than 15 options or 9 without an item of their
//!   own. The decompressor takes any header flags, but no payload. A wrong TCP checksum goes through as it is.
//! - Without a payload there is nothing to scale the sequence number by. rnd_2, rnd_6, seq_2 and seq_6, which have nothing else of it, are read (the scaled
//!   number is zero then and says "unchanged", as the RFC's scaling has it for a stride of zero) and never written: another implementation in use refuses them.
//! - An option without an item of its own is always announced as one that may change (`option_static` = 0, and a byte in each irregular chain), for the same
//!   reason; one that is announced as static is read.
//! - Without feedback an IR packet comes again and again, see [`Config::refresh`].
//! - Context replication (IR-CR), segmentation and other profiles are refused by the decompressor and never sent.
//! - The padding behind an End of Option List is counted in bits, as the RFC's formal notation has it; the
//!   decompressor takes a number that is no multiple of 8 as bytes, since implementations exist that count so.
//! - An acknowledgement stride is sent with every IR, and starts as a full segment (1460, with timestamps 1448): a guess
//!   that costs two bytes there and often saves the packets that would tell a stride later.
//! - While `ecn_used` is not set, the decompressor keeps the ECN and reserved bits that it has. The compressor unsets it
//!   only when all states that may be meant have them zero, so that a peer which takes them for zero does the same.
//! - The unchanged form of a SACK option is read and written in the irregular chain only.
//! - Feedback options other than MSN-NOT-VALID are passed over. The RFC's timers do not exist here: a refresh
//!   counts packets, and how often feedback is sent is for the caller to say.
//! - A compressed header has a checksum of 3 bits: of the headers rebuilt from a context that is not the compressor's, one in
//!   eight passes. Whoever can check the TCP checksum of what comes out should.

mod bits;
pub(crate) mod certain;
mod chain;
mod cid;
mod common;
mod compressor;
mod decompressor;
mod error;
mod feedback;
mod format;
mod header;
mod learn;
mod lsb;
mod options;
mod state;

pub use cid::CidSpace;
pub use compressor::{Compressor, Config};
pub use decompressor::{Decompressed, Decompressor};
pub use error::Error;
pub use feedback::{Feedback, FeedbackKind};
pub use format::PacketType;
pub use header::Refused;

//! Header compression of pure TCP ACKs by the TCP profile of ROHC (RFC 6846), in two modes.
//!
//! - [`rfc`]: the RFC's own packets, to talk with other implementations;
//! - [`hack`]: what HACK appends to a link-layer answer;
//! - [`crc`]: the checksums of ROHC (RFC 5795).
//!
//! Nothing here knows a link, a clock or a queue: bytes in, bytes out.

pub mod crc;
pub mod hack;
pub mod rfc;

//! Units, addresses and packets: the values that every other crate speaks in.
//!
//! - [`time`], [`units`]: nanoseconds, bytes and bit rates as types;
//! - [`random`]: one random stream for each component and purpose;
//! - [`pool`]: the slab in which the packets of a cell live;
//! - [`bytes`]: packets to bytes and back;
//! - [`address`], [`ip`], [`tcp`], [`udp`], [`packet`]: headers as values, and the one answer to "is this a pure ACK?".
//!
//! Nothing here knows a protocol's rules, a clock or a socket.

pub mod address;
pub mod bytes;
mod foreign;
pub mod ip;
pub mod packet;
pub mod pool;
pub mod random;
pub mod tcp;
pub mod time;
pub mod udp;
pub mod units;

pub use address::MacAddr;
pub use foreign::Foreign;
pub use ip::{Ecn, IpHeader};
pub use packet::{Packet, Payload, Transport};
pub use pool::{Discharge, PacketId, PacketPool};
pub use tcp::{SeqNumber, TcpFlags, TcpHeader};
pub use time::{Duration, Instant};
pub use udp::UdpHeader;
pub use units::{BitRate, Bytes};

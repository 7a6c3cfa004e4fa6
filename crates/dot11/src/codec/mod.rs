//! Frames as bytes: what a [`Ppdu`](crate::frame::Ppdu) looks like on the air, and what bytes from the air say.
//!
//! - [`emit`]: `Ppdu::emit_frame` for each MPDU with its FCS, `Ppdu::emit_psdu` for the whole payload as the PHY sends it;
//! - [`parse`]: [`Frame`], a typed view of one MPDU;
//! - [`control`]: the frame control field, which both share;
//! - [`ampdu`]: A-MPDU delimiters and the subframes behind them;
//! - [`beacon`]: the body of a beacon.
//!
//! Clauses are those of IEEE Std 802.11-2020. Fields are little-endian. Five things go beyond the standard:
//!
//! - [`HeaderBits::sync`](crate::frame::HeaderBits::sync) travels where it tells nobody else anything. In a frame from an AP to its station it is the Power Management
//!   bit, which is reserved there (9.2.4.1.7). The same bit of a station would tell its AP that the station dozes; so in QoS Data of a station it is a
//!   queue size that is not known: bit 4 of the QoS Control field set and 255 in its upper byte (9.2.4.5.6), in which nobody finds more than in no queue size at all, and which a
//!   node that speaks HACK never sends for another reason. Of an AP that would end a service period (EOSP), and with four addresses its frame looks as
//!   a station's; so there it is bit 8 of that field alone: of an AP it is reserved (9.2.4.5.8), of a station it asks for a polled TXOP of 32 us (9.2.4.5.5), of which an AP without HCCA takes no notice.
//!   Frames of an 802.11s mesh, where that bit announces a Mesh Control field, are not sent here.
//!   Where there is no QoS Control field it is the Order bit of a Data or Control frame: it once named the service class StrictlyOrdered, which is obsolete, and changes no
//!   layout outside of QoS Data and Management frames (9.2.4.1.10). CCMP covers it there, and no other of these bits (12.5.3.3.3): it is set before encryption, which the
//!   rules allow, since it stays the same over the retries of a single MPDU. A disguised Action frame cannot bear it;
//! - [`Answer::agent`](crate::frame::Answer::agent) travels in the Retry bit of an Ack or BlockAck, which is otherwise zero there (9.2.4.1.6);
//! - [`Answer::tag`](crate::frame::Answer::tag) stands in the Duration field, as a value that is reserved there;
//! - an Ack or BlockAck may carry bytes of a scheme between its last field and the FCS;
//! - a packet disguised as an Action frame stands behind a vendor-specific Action header of [`LLC_LEN`](crate::frame::LLC_LEN) bytes,
//!   see [`ACTION_HEADER`].
//!
//! Not here: encryption, fragments and HT Control on the sending side. The parser names them in what it returns.

pub mod ampdu;
pub mod beacon;
pub mod control;
pub mod emit;
pub mod parse;

pub use control::FrameControl;
pub use parse::{Frame, FrameError, FrameKind, Subframe};

use ackless_wire::MacAddr;

/// The BSSID in frames that go from station to station. An ad hoc cell draws its own at random, individual and locally
/// administered (11.1.4); ours is fixed, so that a seed decides every byte.
pub const IBSS_BSSID: MacAddr = MacAddr([0x02, 0xac, 0x1e, 0x55, 0x00, 0x00]);

/// What stands before the EtherType in front of a packet disguised as an Action frame: category Vendor-specific (127, 9.6.5), an
/// organisation identifier that is locally administered and so nobody's, and two bytes that name this use.
/// The paper leaves the layout open.
pub const ACTION_HEADER: [u8; 6] = [127, 0x02, 0xac, 0x1e, 0x55, 0x01];

/// LLC and SNAP before the EtherType of a packet in a Data frame (802.2; RFC 1042).
const LLC_SNAP: [u8; 6] = [0xaa, 0xaa, 0x03, 0, 0, 0];
/// The EtherType of IPv4.
const ETHERTYPE_IPV4: u16 = 0x0800;
/// The EtherType of IPv6.
const ETHERTYPE_IPV6: u16 = 0x86dd;
/// BlockAck and BlockAckReq control: the compressed variant, type 2 in bits 1 to 4 (9.3.1.7, 9.3.1.8).
const COMPRESSED: u16 = 2 << 1;
/// Where the TID stands in the BlockAck and BlockAckReq control fields (9.3.1.7, 9.3.1.8).
const BLOCK_ACK_TID_SHIFT: u32 = 12;

#[cfg(test)]
mod tests;

//! A reader of captures, apart from the code that writes them: pcapng, and as much of radiotap as tells which frames
//! were sent together.
//!
//! A test's own: what it does not expect, it refuses with a panic.

use ackless_dot11::codec::{Frame, FrameKind};
use ackless_dot11::frame::NodeId;
use ackless_wire::Instant;

/// One PPDU as it was sent.
#[derive(Debug)]
pub struct Transmission<'a> {
    /// Its transmitter: the number of its interface.
    pub from: NodeId,
    /// When it began.
    pub at: Instant,
    /// Its frames, more than one in an A-MPDU.
    pub frames: Vec<Frame<'a>>,
}

/// All PPDUs in the order in which they began.
pub fn read(file: &[u8]) -> Vec<Transmission<'_>> {
    let mut rest = file;
    let mut transmissions: Vec<Transmission<'_>> = Vec::new();
    let mut last = None;
    while !rest.is_empty() {
        let (kind, len) = (u32_at(rest, 0), u32_at(rest, 4) as usize);
        let body = &rest[8..len - 4];
        if kind == ENHANCED_PACKET {
            let from = NodeId(u32_at(body, 0) as u16);
            let at = Instant::from_nanos(u64::from(u32_at(body, 4)) << 32 | u64::from(u32_at(body, 8)));
            let captured = u32_at(body, 12) as usize;
            let (ampdu, bytes) = radiotap(&body[20..20 + captured]);
            let frame = Frame::parse(bytes).expect("what was sent is a frame");
            assert!(frame.fcs_ok, "the FCS of a frame at {at}");
            match transmissions.last_mut() {
                Some(begun) if ampdu.is_some() && ampdu == last => begun.frames.push(frame),
                _ => transmissions.push(Transmission { from, at, frames: vec![frame] }),
            }
            last = ampdu;
        }
        rest = &rest[len..];
    }
    assert!(transmissions.is_sorted_by_key(|transmission| transmission.at));
    transmissions
}

/// The number of the A-MPDU that a record is of, if any, and its frame.
fn radiotap(record: &[u8]) -> (Option<u32>, &[u8]) {
    let (len, present) = (usize::from(u16::from_le_bytes([record[2], record[3]])), u32_at(record, 4));
    let mut at = 8;
    for (bit, align, size) in FIELDS_UP_TO_AMPDU {
        if present >> bit & 1 == 1 {
            at = usize::next_multiple_of(at, align) + size;
        }
    }
    let ampdu = (present >> AMPDU_STATUS & 1 == 1).then(|| u32_at(record, at - AMPDU_SIZE));
    (ampdu, &record[len..])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

const ENHANCED_PACKET: u32 = 6;
const AMPDU_STATUS: u32 = 20;
const AMPDU_SIZE: usize = 8;
/// Bit, alignment and size of TSFT, Flags, Rate, Channel, MCS and A-MPDU status.
const FIELDS_UP_TO_AMPDU: [(u32, usize, usize); 6] =
    [(0, 8, 8), (1, 1, 1), (2, 1, 1), (3, 2, 4), (19, 1, 3), (AMPDU_STATUS, 4, AMPDU_SIZE)];

/// Whether the frame is an answer to data.
pub const fn is_answer(frame: &Frame<'_>) -> bool {
    matches!(frame.kind, FrameKind::Ack | FrameKind::BlockAck(..))
}

//! Bytes to frames.

use ackless_wire::{Duration, MacAddr};

use crate::codec::control::Sync;
use crate::codec::{ACTION_HEADER, BLOCK_ACK_TID_SHIFT, COMPRESSED, FrameControl, LLC_SNAP};
use crate::frame::{AMSDU_HEADER_LEN, AMSDU_PAD, Bitmap, MacSeq, Tag, Tid};

/// One MPDU as its bytes tell it, FCS included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame<'a> {
    /// What it is.
    pub kind: FrameKind,
    /// Frame control, with its flags.
    pub control: FrameControl,
    /// HACK's SYNC bit, wherever it stands in such a frame ([`crate::codec`]). It has no meaning in frames between nodes that do not both speak HACK.
    pub sync: bool,
    /// How long it reserves the medium; nothing where the field holds an identifier instead (bit 15, 9.2.4.2).
    pub duration: Option<Duration>,
    /// A reserved value of that field other than zero; nothing where it is a duration or an identifier.
    pub tag: Option<Tag>,
    /// The first address: who shall receive it (RA).
    pub receiver: MacAddr,
    /// The second address: who sent it (TA). An Ack and a CTS have none.
    pub transmitter: Option<MacAddr>,
    /// The third address of a Data or Management frame.
    pub third: Option<MacAddr>,
    /// The fourth address of a frame with To DS and From DS.
    pub fourth: Option<MacAddr>,
    /// Sequence number, of Data and Management frames.
    pub seq: Option<MacSeq>,
    /// Fragment number, 0 to 15, of Data and Management frames, else 0.
    pub fragment: u8,
    /// What stands between the last field that `kind` implies and the FCS: LLC and packet of a Data frame, the appended bytes of an
    /// Ack or BlockAck, the fields and elements of a Management frame, all of an unknown one.
    pub body: &'a [u8],
    /// Whether the FCS is right.
    pub fcs_ok: bool,
}

/// One of the packets in an A-MSDU as its bytes tell it (9.3.2.2.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subframe<'a> {
    /// Where it goes in the end (DA).
    pub destination: MacAddr,
    /// Where it came from first (SA).
    pub source: MacAddr,
    /// LLC and packet.
    pub body: &'a [u8],
}

/// What a frame is, with the fields that only this kind has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameKind {
    /// A Data frame without QoS.
    Data,
    /// A QoS Data frame.
    QosData {
        /// Its TID.
        tid: Tid,
        /// Its ack policy, 0 to 3 (9.2.4.5.4).
        ack_policy: u8,
        /// Whether its body is an A-MSDU.
        amsdu: bool,
    },
    /// A Data frame without a body, with or without QoS.
    Null,
    /// A management frame of subtype Action.
    Action,
    /// A management frame of subtype Action No Ack.
    ActionNoAck,
    /// A beacon.
    Beacon,
    /// An Ack.
    Ack,
    /// A compressed BlockAck of 64 sequence numbers.
    BlockAck(Tid, Bitmap),
    /// A compressed BlockAckReq.
    BlockAckReq(Tid, MacSeq),
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Anything else: other subtypes, other variants of BlockAck, and TSIDs (TID 8 to 15) in place of a TID.
    /// Addresses past the first are read for Management and Data frames only.
    Other,
}

/// Why bytes are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The bytes end before the last field that the frame's kind implies.
    #[error("frame is cut short: it needs {needed} bytes and has {have}")]
    Truncated {
        /// The bytes that it needs at least.
        needed: usize,
        /// The bytes that there are.
        have: usize,
    },
    /// A protocol version other than 0.
    #[error("frame has protocol version {0}, not 0")]
    Version(u8),
}

impl<'a> Frame<'a> {
    /// Reads a frame, from frame control to FCS. A wrong FCS is no error: see [`Frame::fcs_ok`].
    ///
    /// # Errors
    /// See [`FrameError`].
    pub fn parse(bytes: &'a [u8]) -> Result<Self, FrameError> {
        let mut fields = Fields { bytes, at: 0 };
        let control = FrameControl(fields.u16()?);
        if control.version() != 0 {
            return Err(FrameError::Version(control.version()));
        }
        let duration = fields.u16()?;
        let mut frame = Self {
            kind: FrameKind::Other,
            control,
            sync: match Sync::of(control) {
                Sync::PowerManagement => control.has(FrameControl::POWER_MANAGEMENT),
                Sync::Order => control.has(FrameControl::HTC),
                Sync::QueueSize | Sync::ShortestTxop | Sync::Nowhere => false,
            },
            duration: (duration < 0x8000).then(|| Duration::from_micros(duration.into())),
            tag: if duration & 0xc000 == 0x8000 { Tag::new(duration & Tag::MAX) } else { None },
            receiver: fields.address()?,
            transmitter: None,
            third: None,
            fourth: None,
            seq: None,
            fragment: 0,
            body: &[],
            fcs_ok: false,
        };
        match control.type_number() {
            MANAGEMENT => frame.management(&mut fields)?,
            CONTROL => frame.control(&mut fields)?,
            DATA => frame.data(&mut fields)?,
            _ => {}
        }
        (frame.body, frame.fcs_ok) = fields.finish()?;
        Ok(frame)
    }

    /// The IP packet in a Data frame or in one of our disguised Action frames; nothing where there is none, or where it is encrypted,
    /// a fragment or one of several.
    pub fn packet(&self) -> Option<&'a [u8]> {
        let prefix = match self.kind {
            FrameKind::Data | FrameKind::QosData { amsdu: false, .. } => LLC_SNAP,
            FrameKind::Action | FrameKind::ActionNoAck => ACTION_HEADER,
            _ => return None,
        };
        let fragment = self.fragment != 0 || self.control.has(FrameControl::MORE_FRAGMENTS);
        if fragment || self.control.has(FrameControl::PROTECTED) {
            return None;
        }
        ip_behind(&prefix, self.body)
    }

    /// The subframes of an A-MSDU, up to where the body ends or makes no sense (9.3.2.2.2); none where there is no A-MSDU, or where it is
    /// encrypted or a fragment.
    pub fn subframes(&self) -> impl Iterator<Item = Subframe<'a>> {
        let fragment = self.fragment != 0 || self.control.has(FrameControl::MORE_FRAGMENTS);
        let readable = !fragment && !self.control.has(FrameControl::PROTECTED);
        let amsdu = readable && matches!(self.kind, FrameKind::QosData { amsdu: true, .. });
        let mut rest = if amsdu { self.body } else { &[] };
        std::iter::from_fn(move || {
            let (destination, after) = rest.split_first_chunk::<6>()?;
            let (source, after) = after.split_first_chunk::<6>()?;
            let (len, after) = after.split_first_chunk::<2>()?;
            let len = usize::from(u16::from_be_bytes(*len));
            let body = after.get(..len)?;
            let padded = (AMSDU_HEADER_LEN.get() as usize + len).next_multiple_of(AMSDU_PAD as usize);
            rest = rest.get(padded..).unwrap_or_default();
            Some(Subframe { destination: MacAddr(*destination), source: MacAddr(*source), body })
        })
    }

    /// The addresses and the sequence control that Management and Data frames share (9.3.2.1, 9.3.3.1).
    fn addressed(&mut self, fields: &mut Fields<'a>) -> Result<(), FrameError> {
        self.transmitter = Some(fields.address()?);
        self.third = Some(fields.address()?);
        let sequence = fields.u16()?;
        self.seq = Some(MacSeq::new(sequence >> 4));
        self.fragment = (sequence & 15) as u8;
        Ok(())
    }

    fn management(&mut self, fields: &mut Fields<'a>) -> Result<(), FrameError> {
        self.addressed(fields)?;
        self.skip_ht_control(fields)?;
        match self.control.kind() {
            FrameControl::ACTION => self.kind = FrameKind::Action,
            FrameControl::ACTION_NO_ACK => self.kind = FrameKind::ActionNoAck,
            FrameControl::BEACON => self.kind = FrameKind::Beacon,
            _ => {}
        }
        Ok(())
    }

    fn data(&mut self, fields: &mut Fields<'a>) -> Result<(), FrameError> {
        self.addressed(fields)?;
        if self.control.has(FrameControl::TO_DS | FrameControl::FROM_DS) {
            self.fourth = Some(fields.address()?);
        }
        if self.control.subtype_number() & QOS != 0 {
            let qos = fields.u16()?;
            self.sync |= Sync::of(self.control).is_said_by(qos);
            self.skip_ht_control(fields)?;
            let (tid, ack_policy, amsdu) = (Tid((qos & 15) as u8), (qos >> 5 & 3) as u8, qos >> 7 & 1 == 1);
            match self.control.kind() {
                FrameControl::QOS_DATA if tid.0 < 8 => self.kind = FrameKind::QosData { tid, ack_policy, amsdu },
                FrameControl::QOS_NULL => self.kind = FrameKind::Null,
                _ => {}
            }
        } else {
            match self.control.kind() {
                FrameControl::DATA => self.kind = FrameKind::Data,
                FrameControl::NULL => self.kind = FrameKind::Null,
                _ => {}
            }
        }
        Ok(())
    }

    fn control(&mut self, fields: &mut Fields<'a>) -> Result<(), FrameError> {
        match self.control.kind() {
            FrameControl::ACK => self.kind = FrameKind::Ack,
            FrameControl::CTS => self.kind = FrameKind::Cts,
            FrameControl::RTS => {
                self.transmitter = Some(fields.address()?);
                self.kind = FrameKind::Rts;
            }
            FrameControl::BLOCK_ACK => {
                self.transmitter = Some(fields.address()?);
                if let Some((tid, start)) = fields.compressed()? {
                    let bits = u64::from_le_bytes(fields.take()?);
                    self.kind = FrameKind::BlockAck(tid, Bitmap { start, bits });
                }
            }
            FrameControl::BLOCK_ACK_REQ => {
                self.transmitter = Some(fields.address()?);
                if let Some((tid, start)) = fields.compressed()? {
                    self.kind = FrameKind::BlockAckReq(tid, start);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Skips the HT Control field that +HTC announces in QoS Data and Management frames (9.2.4.6).
    fn skip_ht_control(&self, fields: &mut Fields<'a>) -> Result<(), FrameError> {
        if self.control.has(FrameControl::HTC) { fields.take::<4>().map(drop) } else { Ok(()) }
    }
}

impl<'a> Subframe<'a> {
    /// The IP packet in it; nothing where there is none.
    pub fn packet(&self) -> Option<&'a [u8]> {
        ip_behind(&LLC_SNAP, self.body)
    }
}

/// The IP packet behind this prefix and its EtherType.
fn ip_behind<'a>(prefix: &[u8], body: &'a [u8]) -> Option<&'a [u8]> {
    match body.strip_prefix(prefix)? {
        [0x08, 0x00, packet @ ..] | [0x86, 0xdd, packet @ ..] => Some(packet),
        _ => None,
    }
}

/// The fields of a frame, one after the other.
struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    /// The next `N` bytes, which must leave room for the FCS.
    fn take<const N: usize>(&mut self) -> Result<[u8; N], FrameError> {
        let needed = self.at + N + FCS;
        let field = self.bytes[self.at..].first_chunk::<N>();
        match field {
            Some(field) if needed <= self.bytes.len() => {
                self.at += N;
                Ok(*field)
            }
            _ => Err(FrameError::Truncated { needed, have: self.bytes.len() }),
        }
    }

    fn u16(&mut self) -> Result<u16, FrameError> {
        self.take().map(u16::from_le_bytes)
    }

    fn address(&mut self) -> Result<MacAddr, FrameError> {
        self.take().map(MacAddr)
    }

    /// Control field and starting sequence control of a BlockAck or BlockAckReq (9.3.1.7, 9.3.1.8). Nothing is read, and nothing
    /// returned, where it is not the compressed variant for 64 MPDUs of one TID.
    fn compressed(&mut self) -> Result<Option<(Tid, MacSeq)>, FrameError> {
        let before = self.at;
        let (control, start) = (self.u16()?, self.u16()?);
        let tid = Tid((control >> BLOCK_ACK_TID_SHIFT) as u8);
        if control & VARIANT != COMPRESSED || start & 15 != 0 || tid.0 > 7 {
            self.at = before;
            return Ok(None);
        }
        Ok(Some((tid, MacSeq::new(start >> 4))))
    }

    /// What is left before the FCS, and whether the FCS is right.
    fn finish(self) -> Result<(&'a [u8], bool), FrameError> {
        let truncated = FrameError::Truncated { needed: self.at + FCS, have: self.bytes.len() };
        let (covered, fcs) = self.bytes.split_last_chunk::<FCS>().ok_or(truncated)?;
        let body = covered.get(self.at..).ok_or(truncated)?;
        Ok((body, crc32fast::hash(covered) == u32::from_le_bytes(*fcs)))
    }
}

/// Type number of Management frames (Table 9-1).
const MANAGEMENT: u8 = 0;
/// Type number of Control frames.
const CONTROL: u8 = 1;
/// Type number of Data frames.
const DATA: u8 = 2;
/// The bit of a Data frame's subtype that says QoS.
const QOS: u8 = 8;
/// The bits of the BlockAck control that name the variant.
const VARIANT: u16 = 15 << 1;
/// The length of the FCS.
const FCS: usize = 4;

//! Frames to bytes.

use ackless_phy::{AmpduLength, MpduSpacing, TxVector};
use ackless_wire::{Bytes, Duration, Instant, IpHeader, MacAddr, PacketPool};

use crate::codec::control::Sync;
use crate::codec::{
    ACTION_HEADER, BLOCK_ACK_TID_SHIFT, COMPRESSED, ETHERTYPE_IPV4, ETHERTYPE_IPV6, FrameControl, IBSS_BSSID, LLC_SNAP,
    ampdu, beacon,
};
use crate::frame::{
    ACK_LEN, AMSDU_PAD, AckPolicy, Answer, BLOCK_ACK_LEN, BLOCK_ACK_REQ_LEN, Body, CTS_LEN, Ds, FCS_LEN, HeaderBits,
    LLC_LEN, MacSeq, Mpdu, MpduKind, Part, Ppdu, RTS_LEN, Tid,
};

impl Ppdu {
    /// The length of frame number `index`, header and FCS included.
    ///
    /// # Panics
    /// If there is no such frame.
    pub fn frame_len(&self, index: usize) -> Bytes {
        match &self.body {
            Body::Single(mpdu) => mpdu.len(),
            Body::Amsdu(_) | Body::Aggregate(_) => self.packets_of(index).iter().map(Mpdu::len).sum(),
            Body::Ack(answer) => ACK_LEN + Bytes(answer.appended.len() as u64),
            Body::BlockAck(_, _, answer) => BLOCK_ACK_LEN + Bytes(answer.appended.len() as u64),
            Body::BlockAckReq(..) => BLOCK_ACK_REQ_LEN,
            Body::Rts => RTS_LEN,
            Body::Cts => CTS_LEN,
            Body::Beacon(len) => *len,
        }
    }

    /// Whether its payload is an A-MPDU: an aggregate, or any frame sent as VHT (9.7.1).
    pub fn is_ampdu(&self) -> bool {
        matches!(self.body, Body::Aggregate(_)) || self.txvector.must_aggregate()
    }

    /// Appends the bytes of frame number `index`, from frame control to FCS: [`Ppdu::frame_len`] of them.
    ///
    /// `start` is when the PPDU starts, which a beacon's timestamp tells; `pool` holds the packets. The Duration field is
    /// [`Ppdu::duration_field`] in microseconds, rounded up, at most 32,767 (9.2.5.1).
    ///
    /// # Panics
    /// If there is no such frame, or if its packet was released or differs from the length in the MPDU.
    pub fn emit_frame(&self, index: usize, start: Instant, pool: &PacketPool, out: &mut Vec<u8>) {
        let from = out.len();
        let (receiver, transmitter) = (self.receiver.mac(), self.transmitter.mac());
        match &self.body {
            Body::Single(mpdu) => self.emit_mpdu(std::slice::from_ref(mpdu), pool, out),
            Body::Amsdu(_) | Body::Aggregate(_) => self.emit_mpdu(self.packets_of(index), pool, out),
            Body::Ack(answer) => {
                self.begin_answer(FrameControl::ACK, answer, receiver, out);
                out.extend_from_slice(&answer.appended);
            }
            Body::BlockAck(tid, bitmap, answer) => {
                self.begin_answer(FrameControl::BLOCK_ACK, answer, receiver, out);
                out.extend(transmitter.0);
                out.extend(block_ack_fields(*tid, bitmap.start));
                out.extend(bitmap.bits.to_le_bytes());
                out.extend_from_slice(&answer.appended);
            }
            Body::BlockAckReq(tid, start) => {
                self.begin(FrameControl::BLOCK_ACK_REQ, self.bits, receiver, out);
                out.extend(transmitter.0);
                out.extend(block_ack_fields(*tid, *start));
            }
            Body::Rts => {
                self.begin(FrameControl::RTS, self.bits, receiver, out);
                out.extend(transmitter.0);
            }
            Body::Cts => self.begin(FrameControl::CTS, self.bits, receiver, out),
            Body::Beacon(len) => {
                self.begin(FrameControl::BEACON, self.bits, receiver, out);
                out.extend(transmitter.0);
                out.extend(transmitter.0);
                out.extend([0, 0]);
                let body = len.saturating_sub(FCS_LEN).get().saturating_sub((out.len() - from) as u64);
                beacon::emit_body(self.txvector, start, body as usize, out);
            }
        }
        let fcs = crc32fast::hash(&out[from..]);
        out.extend(fcs.to_le_bytes());
    }

    /// Appends the payload as the PHY sends it: the frame itself, or an A-MPDU with its delimiters, padding and, for VHT,
    /// the EOF padding that fills the last symbol (9.7.1, 10.12.6). `spacing` is what the receiver asked for.
    ///
    /// # Panics
    /// As [`Ppdu::emit_frame`].
    pub fn emit_psdu(&self, start: Instant, pool: &PacketPool, spacing: MpduSpacing, out: &mut Vec<u8>) {
        if !self.is_ampdu() {
            return self.emit_frame(0, start, pool, out);
        }
        let from = out.len();
        let single = self.frame_count() == 1 && self.txvector.must_aggregate();
        let mut length = AmpduLength::new(self.txvector, spacing);
        for index in 0..self.frame_count() {
            let mpdu_len = self.frame_len(index);
            length = length.with(mpdu_len);
            let subframe = from + (length.len() - mpdu_len - ackless_phy::ampdu::DELIMITER).get() as usize;
            ampdu::pad(out, from);
            while out.len() < subframe {
                out.extend(ampdu::delimiter(0, false));
            }
            out.extend(ampdu::delimiter(mpdu_len.get() as u16, single));
            self.emit_frame(index, start, pool, out);
        }
        if let TxVector::Vht(mode) = self.txvector {
            let end = from + mode.padded_psdu(length.len()).get() as usize;
            ampdu::pad_to_end(out, from, end);
        }
    }

    /// Appends frame control, Duration and the first address.
    fn begin(&self, control: FrameControl, bits: HeaderBits, receiver: MacAddr, out: &mut Vec<u8>) {
        let control = control.with(FrameControl::MORE_DATA, bits.more_data);
        let control = match Sync::of(control) {
            Sync::PowerManagement => control.with(FrameControl::POWER_MANAGEMENT, bits.sync),
            Sync::Order => control.with(FrameControl::HTC, bits.sync),
            Sync::QueueSize | Sync::ShortestTxop | Sync::Nowhere => control,
        };
        out.extend(control.0.to_le_bytes());
        out.extend(duration_field(self.duration_field).to_le_bytes());
        out.extend(receiver.0);
    }

    /// [`Self::begin`] for an Ack or BlockAck, with what a scheme put into its header.
    fn begin_answer(&self, control: FrameControl, answer: &Answer, receiver: MacAddr, out: &mut Vec<u8>) {
        let from = out.len();
        self.begin(control.with(FrameControl::RETRY, answer.agent), answer.bits, receiver, out);
        if let Some(tag) = answer.tag {
            out[from + 2..from + 4].copy_from_slice(&(RESERVED_DURATION | tag.get()).to_le_bytes());
        }
    }

    /// The packets of MPDU number `index`.
    fn packets_of(&self, index: usize) -> &[Mpdu] {
        self.packets().nth(index).expect("a frame is asked for that is there")
    }

    /// Appends an MPDU with these packets in it, up to its FCS (9.3.2.1, 9.3.3.13).
    fn emit_mpdu(&self, packets: &[Mpdu], pool: &PacketPool, out: &mut Vec<u8>) {
        let mpdu = &packets[0];
        let amsdu = mpdu.part == Part::First;
        let (kind, prefix) = match mpdu.kind {
            MpduKind::Data => (FrameControl::DATA, LLC_SNAP),
            MpduKind::QosData(_) => (FrameControl::QOS_DATA, LLC_SNAP),
            MpduKind::Action => (FrameControl::ACTION, ACTION_HEADER),
            MpduKind::ActionNoAck => (FrameControl::ACTION_NO_ACK, ACTION_HEADER),
        };
        let (direction, third, fourth) = addresses(mpdu);
        let control = kind.with(direction, true).with(FrameControl::RETRY, mpdu.retry);
        self.begin(control, self.bits, mpdu.receiver.mac(), out);
        out.extend(mpdu.transmitter.mac().0);
        out.extend(third.0);
        out.extend((mpdu.seq.get() << 4).to_le_bytes());
        out.extend(fourth.iter().flat_map(|address| address.0));
        if let MpduKind::QosData(tid) = mpdu.kind {
            let policy = match mpdu.ack_policy {
                AckPolicy::Normal => 0,
                AckPolicy::NoAck => 1,
            };
            let sync = if self.bits.sync { Sync::of(control).in_qos_control() } else { 0 };
            let [kind_of_upper, upper] = sync.to_le_bytes();
            out.extend([tid.0 & 15 | policy << 5 | u8::from(amsdu) << AMSDU_PRESENT | kind_of_upper, upper]);
        }
        if amsdu {
            return emit_amsdu(packets, pool, out);
        }
        out.extend(prefix);
        emit_packet(mpdu, pool, out);
    }
}

/// Appends an A-MSDU: subframes, each of destination, source, length, and LLC, SNAP and packet, padded but for the last (9.3.2.2.2).
fn emit_amsdu(packets: &[Mpdu], pool: &PacketPool, out: &mut Vec<u8>) {
    for mpdu in packets {
        let from = out.len();
        out.extend(mpdu.destination.mac().0);
        out.extend(mpdu.source.mac().0);
        out.extend(((LLC_LEN + mpdu.packet_len).get() as u16).to_be_bytes());
        out.extend(LLC_SNAP);
        emit_packet(mpdu, pool, out);
        if !mpdu.part.ends() {
            let end = from + (out.len() - from).next_multiple_of(AMSDU_PAD as usize);
            out.resize(end, 0);
        }
    }
}

/// Appends the EtherType and the packet of an MPDU.
fn emit_packet(mpdu: &Mpdu, pool: &PacketPool, out: &mut Vec<u8>) {
    let packet = pool.get(mpdu.packet);
    debug_assert_eq!(packet.len(), mpdu.packet_len, "an MPDU knows its packet's length");
    let ethertype = match packet.ip {
        IpHeader::V4(_) => ETHERTYPE_IPV4,
        IpHeader::V6(_) => ETHERTYPE_IPV6,
    };
    out.extend(ethertype.to_be_bytes());
    packet.emit(out);
}

/// The To DS and From DS bits, the third address, and the fourth where there is one (Table 9-30).
///
/// The third address of an Action frame is the BSSID (9.3.3.1): the AP's address, or the wildcard in a group-addressed frame from a
/// station and in one between bridges, which leave it open who the AP is. A management frame has no fourth address.
/// Where there is an A-MSDU, destination and source stand in its subframes, and the BSSID in their place, which is the AP's address.
fn addresses(mpdu: &Mpdu) -> (u16, MacAddr, Option<MacAddr>) {
    if mpdu.kind.is_action() {
        let bssid = match mpdu.ds {
            Ds::Direct => IBSS_BSSID,
            Ds::ToAp if !mpdu.receiver.is_group() => mpdu.receiver.mac(),
            Ds::FromAp => mpdu.transmitter.mac(),
            Ds::ToAp | Ds::FourAddress => MacAddr::BROADCAST,
        };
        return (0, bssid, None);
    }
    let (mut destination, mut source) = (mpdu.destination.mac(), mpdu.source.mac());
    if mpdu.part != Part::Alone {
        // Between bridges the standard leaves it open who the AP is; it is taken to be the one that sends.
        let bssid = if mpdu.ds == Ds::ToAp { mpdu.receiver } else { mpdu.transmitter };
        (destination, source) = (bssid.mac(), bssid.mac());
    }
    match mpdu.ds {
        Ds::Direct => (0, IBSS_BSSID, None),
        Ds::ToAp => (FrameControl::TO_DS, destination, None),
        Ds::FromAp => (FrameControl::FROM_DS, source, None),
        Ds::FourAddress => (FrameControl::TO_DS | FrameControl::FROM_DS, destination, Some(source)),
    }
}

/// Control field and starting sequence control of a compressed BlockAck or BlockAckReq (9.3.1.7, 9.3.1.8).
fn block_ack_fields(tid: Tid, start: MacSeq) -> [u8; 4] {
    let [c0, c1] = (COMPRESSED | u16::from(tid.0 & 15) << BLOCK_ACK_TID_SHIFT).to_le_bytes();
    let [s0, s1] = (start.get() << 4).to_le_bytes();
    [c0, c1, s0, s1]
}

/// The Duration field, in microseconds.
fn duration_field(duration: Duration) -> u16 {
    duration.as_micros_ceil().min(MAX_DURATION) as u16
}

/// Which bit of the QoS Control field says that the body is an A-MSDU (9.2.4.5.9).
const AMSDU_PRESENT: u32 = 7;
/// Bit 15 of the Duration field, and not bit 14: the values that stand for nothing (table 9-11).
const RESERVED_DURATION: u16 = 0x8000;
/// The longest duration that the field can say: bit 15 marks an association identifier (9.2.4.2).
const MAX_DURATION: u64 = 32_767;

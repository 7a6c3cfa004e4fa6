//! The frame control field (9.2.4.1).

use std::fmt;

/// The first two bytes of every frame: version, type and subtype, and eight flags.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FrameControl(pub u16);

impl FrameControl {
    /// Type Management, subtype Beacon (Table 9-1, as all that follow).
    pub const BEACON: Self = Self::of(0, 8);
    /// Type Management, subtype Action.
    pub const ACTION: Self = Self::of(0, 13);
    /// Type Management, subtype Action No Ack.
    pub const ACTION_NO_ACK: Self = Self::of(0, 14);
    /// Type Control, subtype BlockAckReq.
    pub const BLOCK_ACK_REQ: Self = Self::of(1, 8);
    /// Type Control, subtype BlockAck.
    pub const BLOCK_ACK: Self = Self::of(1, 9);
    /// Type Control, subtype RTS.
    pub const RTS: Self = Self::of(1, 11);
    /// Type Control, subtype CTS.
    pub const CTS: Self = Self::of(1, 12);
    /// Type Control, subtype Ack.
    pub const ACK: Self = Self::of(1, 13);
    /// Type Data, subtype Data.
    pub const DATA: Self = Self::of(2, 0);
    /// Type Data, subtype Null: no body.
    pub const NULL: Self = Self::of(2, 4);
    /// Type Data, subtype QoS Data.
    pub const QOS_DATA: Self = Self::of(2, 8);
    /// Type Data, subtype QoS Null: no body.
    pub const QOS_NULL: Self = Self::of(2, 12);

    /// Version 0, this type (0 to 3) and subtype (0 to 15), no flags.
    pub const fn of(kind: u16, subtype: u16) -> Self {
        Self(kind << 2 | subtype << 4)
    }

    /// With these flags set where `on`.
    #[must_use]
    pub const fn with(self, flags: u16, on: bool) -> Self {
        if on { Self(self.0 | flags) } else { self }
    }

    /// Whether all these flags are set.
    pub const fn has(self, flags: u16) -> bool {
        self.0 & flags == flags
    }

    /// The field without its flags: comparable with the constants here.
    pub const fn kind(self) -> Self {
        Self(self.0 & 0x00ff)
    }

    /// Protocol version: 0 in every frame of 802.11 but those of PV1.
    pub const fn version(self) -> u8 {
        (self.0 & 3) as u8
    }

    /// 0 Management, 1 Control, 2 Data, 3 Extension.
    pub const fn type_number(self) -> u8 {
        (self.0 >> 2 & 3) as u8
    }

    /// 0 to 15, within the type.
    pub const fn subtype_number(self) -> u8 {
        (self.0 >> 4 & 15) as u8
    }

    /// To DS.
    pub const TO_DS: u16 = 1 << 8;
    /// From DS.
    pub const FROM_DS: u16 = 1 << 9;
    /// More Fragments.
    pub const MORE_FRAGMENTS: u16 = 1 << 10;
    /// Retry.
    pub const RETRY: u16 = 1 << 11;
    /// Power Management; from an AP, [`HeaderBits::sync`](crate::frame::HeaderBits::sync).
    pub const POWER_MANAGEMENT: u16 = 1 << 12;
    /// More Data.
    pub const MORE_DATA: u16 = 1 << 13;
    /// Protected Frame.
    pub const PROTECTED: u16 = 1 << 14;
    /// +HTC, called Order in frames that are neither QoS Data nor Management.
    pub const HTC: u16 = 1 << 15;
}

/// Where the SYNC bit of HACK stands in a frame: see [`crate::codec`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sync {
    /// In frame control, from an AP.
    PowerManagement,
    /// In the QoS Control field, as [`QUEUE_SIZE_UNKNOWN`].
    QueueSize,
    /// In the QoS Control field, as [`SHORTEST_TXOP`]: with four addresses an AP's frames look as a station's.
    ShortestTxop,
    /// In frame control, without QoS.
    Order,
    /// Management frames have no place for it.
    Nowhere,
}

impl Sync {
    /// By type, subtype and direction.
    pub(super) const fn of(control: FrameControl) -> Self {
        let (to_ds, from_ds) = (control.has(FrameControl::TO_DS), control.has(FrameControl::FROM_DS));
        let qos = control.subtype_number() & 8 != 0;
        match control.type_number() {
            2 if from_ds && !to_ds => Self::PowerManagement,
            2 if from_ds && qos => Self::ShortestTxop,
            2 if qos => Self::QueueSize,
            1 | 2 => Self::Order,
            _ => Self::Nowhere,
        }
    }

    /// What it adds to the QoS Control field, where it stands there.
    pub(super) const fn in_qos_control(self) -> u16 {
        match self {
            Self::QueueSize => QUEUE_SIZE_UNKNOWN,
            Self::ShortestTxop => SHORTEST_TXOP,
            Self::PowerManagement | Self::Order | Self::Nowhere => 0,
        }
    }

    /// Whether this QoS Control field says it.
    pub(super) const fn is_said_by(self, qos: u16) -> bool {
        match self {
            Self::QueueSize => qos & QUEUE_SIZE_UNKNOWN == QUEUE_SIZE_UNKNOWN,
            Self::ShortestTxop => qos & (SHORTEST_TXOP | 1 << 4) == SHORTEST_TXOP,
            Self::PowerManagement | Self::Order | Self::Nowhere => false,
        }
    }
}

/// In the QoS Control field: the upper byte is a queue size (bit 4), and that is not known (9.2.4.5.6).
const QUEUE_SIZE_UNKNOWN: u16 = 0xff00 | 1 << 4;
/// In the QoS Control field: of an AP, a bit that is reserved (9.2.4.5.8); of a station, that it asks for a polled TXOP of 32 us (9.2.4.5.5).
const SHORTEST_TXOP: u16 = 1 << 8;

impl fmt::Debug for FrameControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "type {} subtype {} flags {:02x}", self.type_number(), self.subtype_number(), self.0 >> 8)
    }
}

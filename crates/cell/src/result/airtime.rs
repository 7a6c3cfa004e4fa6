//! The ledger of air time.

use std::fmt;
use std::ops::Index;

use ackless_wire::Duration;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a nanosecond of the medium can have gone into. Each belongs to exactly one class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(usize)]
pub enum AirtimeClass {
    /// Application bytes.
    Payload,
    /// MAC, LLC, IP, TCP and UDP headers, FCS, PLCP service and tail bits, A-MPDU delimiters, padding.
    Headers,
    /// Preambles with their PHY headers, and the signal extension, of data frames.
    Preambles,
    /// SIFS within a frame exchange.
    Sifs,
    /// Ack and BlockAck frames, whole, but for what is appended to them.
    LinkAcks,
    /// Bytes that a scheme appended to link-layer answers.
    Appended,
    /// Data PPDUs that carry nothing but TCP ACKs, whole.
    TcpAcks,
    /// BlockAck Request frames, whole.
    BlockAckRequests,
    /// RTS and CTS frames, whole.
    RtsCts,
    /// Beacons, whole.
    Beacons,
    /// DIFS or AIFS of the node that then sent, or that still counts.
    InterframeSpace,
    /// Idle slots in which at least one node counts down.
    Backoff,
    /// What EIFS and ACK timeouts last beyond DIFS or AIFS.
    Timeouts,
    /// From the first bit to the last of PPDUs that overlapped.
    Collisions,
    /// Frames with repeated MPDUs: the whole time of those MPDUs.
    Retransmissions,
    /// No node has anything to send.
    Idle,
    /// What the AP hears of other cells while nothing of its own is on the air. Only cells with neighbours have it: nothing is told of it
    /// where it is zero.
    Neighbours,
}

impl AirtimeClass {
    /// Every class, in the order of the ledger.
    pub const ALL: [Self; 17] = [
        Self::Payload,
        Self::Headers,
        Self::Preambles,
        Self::Sifs,
        Self::LinkAcks,
        Self::Appended,
        Self::TcpAcks,
        Self::BlockAckRequests,
        Self::RtsCts,
        Self::Beacons,
        Self::InterframeSpace,
        Self::Backoff,
        Self::Timeouts,
        Self::Collisions,
        Self::Retransmissions,
        Self::Idle,
        Self::Neighbours,
    ];

    /// Its key in JSON and CSV.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Payload => "payload",
            Self::Headers => "headers",
            Self::Preambles => "preambles",
            Self::Sifs => "sifs",
            Self::LinkAcks => "link_acks",
            Self::Appended => "appended",
            Self::TcpAcks => "tcp_acks",
            Self::BlockAckRequests => "block_ack_requests",
            Self::RtsCts => "rts_cts",
            Self::Beacons => "beacons",
            Self::InterframeSpace => "interframe_space",
            Self::Backoff => "backoff",
            Self::Timeouts => "timeouts",
            Self::Collisions => "collisions",
            Self::Retransmissions => "retransmissions",
            Self::Idle => "idle",
            Self::Neighbours => "neighbours",
        }
    }
}

/// The ledger of air time: how long each class had the medium. A whole one sums to the measured window.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Airtime([Duration; AirtimeClass::ALL.len()]);

impl Airtime {
    /// Books `span` under `class`.
    pub fn add(&mut self, class: AirtimeClass, span: Duration) {
        self.0[class as usize] += span;
    }

    /// Every class by name, in the order of [`AirtimeClass::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Duration)> + '_ {
        AirtimeClass::ALL.iter().map(|&class| (class.name(), self[class]))
    }

    /// The sum of all classes.
    pub fn total(&self) -> Duration {
        self.0.iter().copied().sum()
    }
}

impl Index<AirtimeClass> for Airtime {
    type Output = Duration;
    fn index(&self, class: AirtimeClass) -> &Duration {
        &self.0[class as usize]
    }
}

impl Serialize for Airtime {
    /// A map from class name to whole nanoseconds.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let told =
            AirtimeClass::ALL.into_iter().filter(|&class| class != AirtimeClass::Neighbours || !self[class].is_zero());
        serializer.collect_map(told.map(|class| (class.name(), self[class].as_nanos())))
    }
}

impl<'de> Deserialize<'de> for Airtime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(AirtimeVisitor)
    }
}

struct AirtimeVisitor;

impl<'de> Visitor<'de> for AirtimeVisitor {
    type Value = Airtime;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map from air-time class to nanoseconds")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Airtime, A::Error> {
        let mut airtime = Airtime::default();
        while let Some((name, nanos)) = map.next_entry::<String, u64>()? {
            let class = AirtimeClass::ALL
                .into_iter()
                .find(|class| class.name() == name)
                .ok_or_else(|| A::Error::custom(format_args!("no air-time class is called {name:?}")))?;
            airtime.0[class as usize] = Duration::from_nanos(nanos);
        }
        Ok(airtime)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_keeps_each_class_apart_and_sums_them() {
        let mut airtime = Airtime::default();
        for (n, class) in AirtimeClass::ALL.into_iter().enumerate() {
            airtime.add(class, Duration::from_micros(1 << n));
        }
        assert_eq!(airtime.total(), Duration::from_micros((1 << AirtimeClass::ALL.len()) - 1));
        assert_eq!(airtime[AirtimeClass::Idle], Duration::from_micros(1 << 15));
        assert_eq!(airtime.iter().nth(3), Some(("sifs", Duration::from_micros(8))));
    }
}

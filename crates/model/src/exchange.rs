//! One sender alone on the channel: what an exchange of data and answer costs, part by part.

use ackless_phy::{
    AccessCategory, AmpduLength, Band, BasicRates, EdcaParameters, MAX_PPDU, MpduSpacing, Standard, Timing, TxVector,
};
use ackless_wire::{BitRate, Bytes, Duration};

/// How one station sends to another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Link {
    /// Slot and SIFS.
    pub timing: Timing,
    /// The wait before the back-off: DIFS or AIFS.
    pub wait: Duration,
    /// CWmin, in slots.
    pub cw_min: u16,
    /// How data is sent.
    pub data: TxVector,
    /// How Ack and BlockAck are sent.
    pub answer: TxVector,
    /// What is around an IP packet in an MPDU: LLC/SNAP, MAC header and FCS.
    pub framing: Bytes,
    /// How MPDUs are aggregated, if they are.
    pub aggregation: Option<Aggregation>,
}

/// The limits of an A-MPDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Aggregation {
    /// The most MPDUs: the window of the BlockAck agreement.
    pub max_mpdus: u64,
    /// The longest A-MPDU that the receiver takes.
    pub max_length: Bytes,
    /// The longest PPDU.
    pub max_duration: Duration,
    /// The receiver's minimum MPDU start spacing.
    pub spacing: MpduSpacing,
}

/// A PPDU with its answer and all the waiting before and between, on average.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// IP packets delivered.
    pub packets: u64,
    /// DIFS or AIFS.
    pub wait: Duration,
    /// The mean back-off: CWmin / 2 slots.
    pub backoff: Duration,
    /// Preamble, PHY headers and signal extension of the data PPDU.
    pub data_overhead: Duration,
    /// The data PPDU's payload symbols.
    pub data_payload: Duration,
    /// SIFS; none where nobody answers.
    pub sifs: Duration,
    /// Ack or BlockAck, whole; none where nobody answers.
    pub answer: Duration,
}

impl Link {
    /// The link of `standard` with its usual parameters: DIFS and no aggregation for 802.11b, a and g; best effort with
    /// A-MPDUs of up to 64 MPDUs for 802.11n and ac; answers at the usual basic rates.
    pub fn of(standard: Standard, band: Band, data: TxVector) -> Self {
        let timing = Timing::of(standard, band);
        let answer = data.answer(&BasicRates::of(standard));
        if !standard.is_qos() {
            let framing = LLC + MAC_HEADER + FCS;
            let (wait, cw_min) = (timing.difs(), timing.cw_min);
            return Self { timing, wait, cw_min, data, answer, framing, aggregation: None };
        }
        let edca = EdcaParameters::of(AccessCategory::BestEffort, &timing);
        let aggregation = Aggregation {
            max_mpdus: 64,
            max_length: data.longest_psdu(),
            max_duration: MAX_PPDU,
            spacing: MpduSpacing::None,
        };
        Self {
            timing,
            wait: timing.aifs(edca.aifsn),
            cw_min: edca.cw_min,
            data,
            answer,
            framing: LLC + MAC_HEADER + QOS_CONTROL + FCS,
            aggregation: Some(aggregation),
        }
    }

    /// How many packets of `packet` bytes, IP header included, the longest PPDU takes: 1 without aggregation, and at
    /// least 1.
    pub fn most_packets(&self, packet: Bytes) -> u64 {
        let Some(limits) = self.aggregation else { return 1 };
        let mut ampdu = AmpduLength::new(self.data, limits.spacing).with(packet + self.framing);
        while ampdu.mpdus() < limits.max_mpdus {
            let longer = ampdu.with(packet + self.framing);
            if longer.len() > limits.max_length || self.data.duration(longer.len()) > limits.max_duration {
                break;
            }
            ampdu = longer;
        }
        ampdu.mpdus()
    }

    /// The exchange that delivers `packets` packets of `packet` bytes, IP header included, in one PPDU.
    ///
    /// One packet alone is answered by an Ack, several by a BlockAck. One alone goes without a delimiter in HT, and
    /// with one in VHT.
    pub fn exchange(&self, packets: u64, packet: Bytes) -> Exchange {
        let mpdu = packet + self.framing;
        let psdu = if packets == 1 && !self.data.must_aggregate() {
            mpdu
        } else {
            let spacing = self.aggregation.map_or(MpduSpacing::None, |limits| limits.spacing);
            (0..packets).fold(AmpduLength::new(self.data, spacing), |ampdu, _| ampdu.with(mpdu)).len()
        };
        let answer = if packets == 1 { ACK } else { BLOCK_ACK };
        Exchange {
            packets,
            wait: self.wait,
            backoff: self.timing.slot * u64::from(self.cw_min) / 2,
            data_overhead: self.data.preamble() + self.data.signal_extension(),
            data_payload: self.data.payload_duration(psdu),
            sifs: self.timing.sifs,
            answer: self.answer.duration(answer),
        }
    }

    /// The exchange of one packet of `packet` bytes, IP header included, that goes out as `vector` and that nobody answers:
    /// group-addressed, or No Ack.
    pub fn unanswered(&self, vector: TxVector, packet: Bytes) -> Exchange {
        let alone = Self { data: vector, ..*self }.exchange(1, packet);
        Exchange { sifs: Duration::ZERO, answer: Duration::ZERO, ..alone }
    }

    /// The exchange of the longest PPDU, for packets of this length: what a saturated sender repeats.
    pub fn longest_exchange(&self, packet: Bytes) -> Exchange {
        self.exchange(self.most_packets(packet), packet)
    }

    /// The goodput of one saturated UDP sender over IPv4: `payload` bytes of application data in each packet.
    pub fn udp_goodput(&self, payload: Bytes) -> BitRate {
        self.longest_exchange(payload + UDP_IP).goodput(payload)
    }
}

impl Exchange {
    /// From the end of one exchange to the end of the next.
    pub fn duration(&self) -> Duration {
        self.wait + self.backoff + self.busy()
    }

    /// The part in which the medium is taken: data, SIFS and answer.
    pub fn busy(&self) -> Duration {
        self.data() + self.sifs + self.answer
    }

    /// The data PPDU, whole.
    pub fn data(&self) -> Duration {
        self.data_overhead + self.data_payload
    }

    /// The rate at which this exchange, repeated, delivers `payload` bytes in each packet; rounded down.
    pub fn goodput(&self, payload: Bytes) -> BitRate {
        (payload * self.packets).per(self.duration())
    }
}

/// LLC and SNAP headers (802.2; 802.11-2020 5.1.4).
const LLC: Bytes = Bytes(8);
/// The MAC header with three addresses (9.3.2.1).
const MAC_HEADER: Bytes = Bytes(24);
/// The QoS Control field (9.2.4.5).
const QOS_CONTROL: Bytes = Bytes(2);
/// The frame check sequence (9.2.4.8).
const FCS: Bytes = Bytes(4);
/// An Ack frame (9.3.1.4).
pub(crate) const ACK: Bytes = Bytes(14);
/// A compressed BlockAck with a bitmap of 64 (9.3.1.8).
pub(crate) const BLOCK_ACK: Bytes = Bytes(32);
/// IPv4 and UDP headers.
pub(crate) const UDP_IP: Bytes = Bytes(28);

#[cfg(test)]
pub(crate) mod tests;

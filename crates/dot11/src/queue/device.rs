//! The queue of the device, below the queues of its driver: from it PPDUs are built, so that queue management above sees no more of a packet once the device has it.
//!
//! Without one, packets are taken from the queues in the instant in which their PPDU is built, and nothing waits behind queue management. Real devices
//! build PPDUs by themselves, in firmware, and are given packets in advance: so many, or as Linux's airtime queue limits (AQL) allow
//! (`ieee80211_txq_airtime_check` in net/mac80211/tx.c). What they hold counts until it has been acknowledged or given up.

use std::collections::VecDeque;

use ackless_phy::TxVector;
use ackless_wire::{Bytes, Duration, Instant, PacketId};

use super::{Queued, TxQueue};
use crate::content::Content;
use crate::frame::{FCS_LEN, FrameHandle};

/// How much the device is given in advance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeviceLimit {
    /// So many packets for each receiver, at least 1.
    Packets(usize),
    /// By air time.
    Airtime(AirtimeLimits),
}

/// Linux's airtime queue limits: a receiver is given the next packet while what the device holds for it takes less than `low`, or less than
/// `high` where what it holds for all takes less than `threshold`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AirtimeLimits {
    /// At least a nanosecond.
    pub low: Duration,
    /// At least `low`.
    pub high: Duration,
    /// Of all receivers together.
    pub threshold: Duration,
}

impl AirtimeLimits {
    /// The defaults of mac80211 (`IEEE80211_DEFAULT_AQL_TXQ_LIMIT_L` and `_H`, `IEEE80211_AQL_THRESHOLD`).
    pub const MAC80211: Self =
        Self { low: Duration::from_millis(5), high: Duration::from_millis(12), threshold: Duration::from_millis(24) };
}

/// A queue with the device's queue below it: what comes goes into the upper one, what leaves is taken from the lower one, and [`Staged::move_down`] moves packets between.
#[derive(Clone, Debug)]
pub struct Staged {
    above: TxQueue,
    below: VecDeque<Queued>,
    below_bytes: Bytes,
}

/// What a device holds, and for whom.
#[derive(Clone, Debug)]
pub struct Device {
    limit: DeviceLimit,
    held: Vec<Held>,
    /// Of all receivers.
    airtime: Duration,
    /// The receiver whose turn it is to be given a packet.
    next: usize,
}

/// What a device holds for one receiver: of each packet its frame and what it counts for, in the order in which they came.
#[derive(Clone, Debug, Default)]
struct Held {
    packets: VecDeque<(FrameHandle, Duration)>,
    airtime: Duration,
}

impl Staged {
    /// Nothing below `above`.
    pub fn new(above: TxQueue) -> Self {
        Self { above, below: VecDeque::new(), below_bytes: Bytes::ZERO }
    }

    /// Gives the device the next packet, which is returned. `drop` takes what queue management drops before it, or gives it back marked.
    pub fn move_down(&mut self, now: Instant, drop: impl FnMut(Queued) -> Option<Queued>) -> Option<Queued> {
        let item = self.above.pop(now, drop)?;
        self.below_bytes += item.mpdu.packet_len;
        self.below.push_back(item);
        Some(item)
    }

    /// The queue that the device's is below.
    pub fn above(&self) -> &TxQueue {
        &self.above
    }

    #[cold]
    pub(super) fn push(&mut self, item: Queued, flow: u32, drop: impl FnMut(Queued)) {
        self.above.push(item, flow, drop);
    }

    #[cold]
    pub(super) fn pop(&mut self) -> Option<Queued> {
        let item = self.below.pop_front()?;
        self.below_bytes -= item.mpdu.packet_len;
        Some(item)
    }

    #[cold]
    pub(super) fn peek(&self) -> Option<&Queued> {
        self.below.front()
    }

    #[cold]
    pub(super) fn len(&self) -> usize {
        self.above.len() + self.below.len()
    }

    #[cold]
    pub(super) fn bytes(&self) -> Bytes {
        self.above.bytes() + self.below_bytes
    }

    /// What the device has is out of reach.
    pub(super) fn exchange(&mut self, handle: FrameHandle, content: Content) -> Option<PacketId> {
        self.above.exchange(handle, content)
    }

    /// What the device has is out of reach.
    pub(super) fn withdraw(&mut self, handle: FrameHandle) -> Option<Queued> {
        self.above.withdraw(handle)
    }
}

impl Device {
    /// An empty one, with so many receivers.
    pub fn new(limit: DeviceLimit, receivers: usize) -> Self {
        Self { limit, held: vec![Held::default(); receivers], airtime: Duration::ZERO, next: 0 }
    }

    /// Whether it may be given the next packet for a receiver.
    pub fn has_room(&self, receiver: usize) -> bool {
        let held = &self.held[receiver];
        match self.limit {
            DeviceLimit::Packets(packets) => held.packets.len() < packets.max(1),
            DeviceLimit::Airtime(limits) => {
                held.airtime < limits.low || (self.airtime < limits.threshold && held.airtime < limits.high)
            }
        }
    }

    /// It has been given a packet, which counts for so much air time.
    pub fn take(&mut self, receiver: usize, frame: FrameHandle, airtime: Duration) {
        let held = &mut self.held[receiver];
        held.packets.push_back((frame, airtime));
        held.airtime += airtime;
        self.airtime += airtime;
    }

    /// Whether it has been given this frame, and is not done with it.
    pub fn holds(&self, frame: FrameHandle) -> bool {
        self.held.iter().any(|held| held.packets.iter().any(|&(name, _)| name == frame))
    }

    /// A frame has been acknowledged or given up.
    pub fn free(&mut self, frame: FrameHandle) {
        for held in &mut self.held {
            if let Some(place) = held.packets.iter().position(|&(name, _)| name == frame)
                && let Some((_, airtime)) = held.packets.remove(place)
            {
                held.airtime -= airtime;
                self.airtime -= airtime;
                return;
            }
        }
    }

    /// All receivers, once each, beginning with the one whose turn it is; the next time it is another's.
    pub fn round(&mut self) -> impl Iterator<Item = usize> + use<> {
        let (first, receivers) = (self.next, self.held.len());
        self.next = (first + 1) % receivers.max(1);
        (0..receivers).map(move |place| (first + place) % receivers)
    }

    /// Packets that it holds, those on the air included.
    pub fn packets(&self) -> usize {
        self.held.iter().map(|held| held.packets.len()).sum()
    }
}

/// What a packet counts for that goes at this rate in an MPDU of so many bytes: as `ieee80211_calc_expected_tx_airtime` (net/mac80211/airtime.c of Linux 6.12) estimates it, which
/// does not know how long A-MPDUs will be.
///
/// In A-MPDUs (`aggregates`) it counts for its bits and for a share of 36 us and 4 us for each stream, as one of 2 to 32, the more the faster the rate; else for what it
/// takes alone. `ieee80211_info_set_tx_time_est` keeps that in units of 4 us, and at most 4,092 us.
pub fn expected_airtime(mpdu: Bytes, rate: TxVector, aggregates: bool) -> Duration {
    /// Added to the length of what is queued, which has its MAC header already and no FCS yet.
    const MORE: Bytes = Bytes(38 - FCS_LEN.0);
    const UNIT: Duration = Duration::from_micros(4);
    const MOST_UNITS: u64 = 1023;
    /// How long a packet of so many bytes takes decides how many there are in an A-MPDU: 32, and half as many for each of these that it exceeds.
    const AVERAGE: Bytes = Bytes(1024);
    const STEPS: [Duration; 4] =
        [Duration::from_micros(70), Duration::from_micros(150), Duration::from_micros(250), Duration::from_micros(400)];

    let airtime = if aggregates && rate.can_aggregate() {
        let average = rate.rate().time_ceil(AVERAGE);
        let slower = STEPS.iter().filter(|&&step| average > step).count();
        let overhead = Duration::from_micros(36 + 4 * rate.streams());
        rate.rate().time_ceil(mpdu + MORE) + overhead / (32 >> slower)
    } else {
        rate.duration(mpdu + MORE)
    };
    UNIT * airtime.div_floor(UNIT).clamp(1, MOST_UNITS)
}

#[cfg(test)]
mod tests;

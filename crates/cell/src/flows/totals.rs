//! What the ends of a TCP flow have counted, put together.

use ackless_tcp::Endpoint;
use ackless_wire::Instant;

use super::Flow;
use crate::config::TransportConfig;
use crate::gro::MergeCounts;
use crate::observe::{TransportCounts, TransportEstimates};

impl Flow {
    /// Counts and estimates of a flow over TCP that is not plain; `None` for others, and before it starts.
    pub(crate) fn transport_totals(&self, now: Instant) -> Option<(TransportCounts, TransportEstimates)> {
        match self.config.transport {
            TransportConfig::Tcp(tcp) if !tcp.is_plain() || self.merges().is_some() => {}
            _ => return None,
        }
        let [sender, receiver] = self.sender_and_receiver()?;
        let mut counts = self.past_transport;
        counts.add(&present(sender, receiver));
        // A host merges for all connections of a flow.
        counts.merged = self.merges().unwrap_or_default();
        Some((counts, estimates(sender, receiver, now)))
    }

    /// What the present connection has counted is of the past from now on.
    pub(super) fn keep_transport_counts(&mut self) {
        if let Some([sender, receiver]) = self.sender_and_receiver() {
            let counts = present(sender, receiver);
            self.past_transport.add(&counts);
        }
    }

    /// What the host of the receiver has merged, if it does.
    fn merges(&self) -> Option<MergeCounts> {
        self.ends[1 - self.sender()].merging.as_ref().map(|merging| merging.counts)
    }

    fn sender_and_receiver(&self) -> Option<[&Endpoint; 2]> {
        let of = |end: usize| self.ends[end].tcp.as_deref();
        Some([of(self.sender())?, of(1 - self.sender())?])
    }
}

impl TransportCounts {
    /// Adds another connection's counts.
    fn add(&mut self, other: &Self) {
        let Self {
            data_packets,
            acks,
            tacks,
            start_up_tacks,
            loss_iacks,
            window_iacks,
            round_trip_iacks,
            frequency_iacks,
            packets_lost,
            spurious_losses,
            blocked_bytes,
            tail_probes,
            fallbacks,
            merged,
        } = other;
        self.data_packets += data_packets;
        self.acks += acks;
        self.tacks += tacks;
        self.start_up_tacks += start_up_tacks;
        self.loss_iacks += loss_iacks;
        self.window_iacks += window_iacks;
        self.round_trip_iacks += round_trip_iacks;
        self.frequency_iacks += frequency_iacks;
        self.packets_lost += packets_lost;
        self.spurious_losses += spurious_losses;
        self.blocked_bytes += blocked_bytes;
        self.tail_probes += tail_probes;
        self.fallbacks += fallbacks;
        self.merged.add(merged);
    }
}

fn present(sender: &Endpoint, receiver: &Endpoint) -> TransportCounts {
    let (sender, receiver) = (sender.stats(), receiver.stats());
    TransportCounts {
        data_packets: sender.data_segments_sent,
        acks: receiver.acks_sent,
        tacks: receiver.tack.tacks_sent,
        start_up_tacks: receiver.tack.start_up_tacks,
        loss_iacks: receiver.tack.loss_iacks,
        window_iacks: receiver.tack.window_iacks,
        round_trip_iacks: sender.tack.round_trip_iacks + receiver.tack.round_trip_iacks,
        frequency_iacks: sender.tack.frequency_iacks,
        packets_lost: receiver.tack.packets_lost,
        spurious_losses: receiver.tack.spurious_losses,
        blocked_bytes: u64::try_from(receiver.tack.blocked_bytes).unwrap_or(u64::MAX),
        tail_probes: sender.tail_probes,
        fallbacks: sender.fallbacks,
        merged: MergeCounts::default(),
    }
}

fn estimates(sender: &Endpoint, receiver: &Endpoint, now: Instant) -> TransportEstimates {
    let (own, theirs) = (sender.stats(), receiver.stats());
    let model = sender.path_model(now);
    // Without TACK a model such as BBR's forgets what is long ago, which the least of all samples does not.
    let plain = model.and_then(|model| model.min_rtt).or(own.min_rtt);
    TransportEstimates {
        interval: theirs.tack.interval,
        min_rtt: own.min_rtt_advanced.or(plain),
        min_rtt_sampled: own.min_rtt_sampled,
        bandwidth: own.bandwidth.or_else(|| model.map(|model| model.bandwidth)),
        ack_loss_ppm: (own.tacks_received > 0).then_some(own.ack_loss_ppm),
        blocked_bytes_max: theirs.tack.blocked_bytes_max,
    }
}

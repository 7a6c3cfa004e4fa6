//! What an endpoint has counted so far.

use ackless_wire::{BitRate, Bytes, Duration};

/// Counters of one connection since it began, and where its estimates stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Payload bytes that the peer has acknowledged.
    pub bytes_acked: Bytes,
    /// Payload bytes received in order: each counts once.
    pub bytes_delivered: Bytes,
    /// Segments sent, of every kind.
    pub segments_sent: u64,
    /// Segments with payload or FIN sent, repeated ones included.
    pub data_segments_sent: u64,
    /// Segments with payload or FIN of which at least the first byte had been sent before.
    pub retransmitted_segments: u64,
    /// Reductions of the window for a mark (ECN).
    pub reductions_by_mark: u64,
    /// Data segments that came with a congestion mark, where ECN is agreed; of a packet that
    /// receive offload has merged, all its segments.
    pub marked_segments: u64,
    /// Bursts in which new data went out, where it does so (`Config::tso`).
    pub bursts: u64,
    /// Payload bytes sent again.
    pub retransmitted_bytes: Bytes,
    /// Segments sent that carry nothing but an acknowledgement, TACKs and IACKs included.
    pub acks_sent: u64,
    /// How often the retransmission timer fired.
    pub timeouts: u64,
    /// Reductions of the window that turned out to be mistakes and were undone.
    pub undone_reductions: u64,
    /// How often loss recovery began without a timeout.
    pub fast_retransmits: u64,
    /// Tail loss probes sent (RFC 8985, 7.3).
    pub tail_probes: u64,
    /// Losses that such a probe repaired before they were noticed.
    pub tail_losses: u64,
    /// Probes sent into a closed window.
    pub window_probes: u64,
    /// Segments received that were for this connection and well formed.
    pub segments_received: u64,
    /// Segments with payload received.
    pub data_segments_received: u64,
    /// Acknowledgements received that acknowledged nothing new while data was out.
    pub duplicate_acks: u64,
    /// Segments received above a hole.
    pub out_of_order_segments: u64,
    /// Segments received with nothing but payload that was here already.
    pub duplicate_segments: u64,
    /// Packets ignored: not for this connection, no TCP, or a wrong checksum.
    pub ignored: u64,
    /// Segments dropped as old duplicates by their timestamp (PAWS), or for lacking one where that is chosen.
    pub dropped_by_timestamp: u64,
    /// Segments dropped because they lay outside the window.
    pub dropped_outside_window: u64,
    /// Challenge ACKs sent (RFC 5961).
    pub challenge_acks: u64,
    /// Smoothed round-trip time (RFC 6298), once there is one.
    pub srtt: Option<Duration>,
    /// Least round-trip time seen.
    pub min_rtt: Option<Duration>,
    /// Congestion window.
    pub cwnd: Bytes,
    /// Slow-start threshold; nothing before the first loss.
    pub ssthresh: Option<Bytes>,
    /// TACKs received.
    pub tacks_received: u64,
    /// IACKs received, of whatever kind.
    pub iacks_received: u64,
    /// TACKs and IACKs received whose body made no sense, that told of packets never sent, or whose number was no old one within a window.
    pub malformed_tacks: u64,
    /// How often TACK was given up because something stripped or dropped its options: once at most for each connection.
    pub fallbacks: u64,
    /// RTTmin by the least one-way delay, of the data that we send (TACK paper, V-B). Nothing without TACK, as the next ones.
    pub min_rtt_advanced: Option<Duration>,
    /// RTTmin by one sample for each report.
    pub min_rtt_sampled: Option<Duration>,
    /// Segments that asked for an ACK rate.
    pub ack_requests_sent: u64,
    /// Requests of the peer that were heeded.
    pub ack_requests_heeded: u64,
    /// 1/f as we have told it to the receiver of our data (VI-C); nothing in start-up.
    pub told_interval: Option<Duration>,
    /// bw: the greatest delivery rate that it has reported lately (VI-C).
    pub bandwidth: Option<BitRate>,
    /// rho': the loss of its reports, in parts of a million (VI-C).
    pub ack_loss_ppm: u32,
    /// How fast data goes out, where it is paced.
    pub pacing_rate: Option<BitRate>,
    /// What the connection has done as one with TACK, all zero without.
    pub tack: TackStats,
}

/// Counters of a connection's TACK. Those of a receiver of data come first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TackStats {
    /// TACKs sent, those of start-up included.
    pub tacks_sent: u64,
    /// TACKs sent while every packet was acknowledged.
    pub start_up_tacks: u64,
    /// IACKs sent that pull a range of lost packets.
    pub loss_iacks: u64,
    /// IACKs sent because the receive window has closed or changed abruptly.
    pub window_iacks: u64,
    /// IACKs sent about a round trip: requests and answers.
    pub round_trip_iacks: u64,
    /// IACKs sent that tell a frequency.
    pub frequency_iacks: u64,
    /// Packets of the peer that were lost, as their numbers tell.
    pub packets_lost: u64,
    /// Packets that came after they had been given up for lost.
    pub spurious_losses: u64,
    /// Holes told in reports: in each every one counts once.
    pub bubbles_reported: u64,
    /// Bytes held above a hole, summed over the moments at which a TACK was sent (paper, figure 6a).
    pub blocked_bytes: u128,
    /// The most at any such moment.
    pub blocked_bytes_max: Bytes,
    /// rho of the last TACK interval with packets, in parts of a million (VI-C).
    pub loss_ppm: u32,
    /// The delivery rate as measured last (VI-D).
    pub delivery_rate: BitRate,
    /// 1/f as the peer has told it; nothing before.
    pub interval: Option<Duration>,
}

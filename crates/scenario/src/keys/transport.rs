//! The keys of the transports that carry flows.

use ackless_cell::config::ByLetter;
use ackless_tcp::tack::{Blocks, LossSignal, RateBy, Settling, Share, Timing};
use ackless_tcp::{
    CubicRule, GrowthRule, Losses, MissingTimestamp, NagleRule, PrrRule, RackRule, RenoRule, RtoRule, SlowStartChoice,
};
use ackless_wire::tcp::TackForm;
use ackless_wire::{Bytes, Duration};

use crate::schema::section;
use crate::value::{AckRule, Auto, Congestion, ProbeRound, Protocol, Recovery, TackKind, TransportPreset};

section! {
    /// The transport of flows that do not choose their own.
    struct Transport as "transport" {
        /// Whose transports and hosts these are: plain is as the keys say; linux lays the choices of Linux 6.12 over what a file says of
        /// congestion, slow start, ACKs, recovery, undoing, timers, Nagle's rule, growth, pacing, buffers, gro, tsq and tso of stations and server, and under what an override, a flow or a row says. An
        /// effective scenario shows what it set, and so plain.
        preset: TransportPreset = "\"plain\"",
        /// What carries a flow.
        protocol: Protocol = "\"tcp\"",
        /// Whether TCP offers TACK, on both ends; [tack] says which.
        tack: bool = "false",
        /// Congestion control; auto is receiver-bbr with TACK, else cubic. bbr is version 1; bbr, bbr3 and receiver-bbr are paced.
        congestion: Auto<Congestion> = "\"auto\"",
        /// When the receiver acknowledges: for so many full-sized segments or after transport.ack_timeout (delayed ACKs), by
        /// byte counting alone, periodically, for a share of the round trip as a browser's QUIC has it, as the sender requests it (TARR, a TCP option), as seldom as TACK's equation 4 says, with the extension or without, or as Linux does;
        /// auto is tack with TACK, else 2.
        ack: Auto<AckRule> = "\"auto\"",
        /// A held ACK leaves at the latest after this; Linux uses 40 ms.
        ack_timeout: Duration = "\"40ms\"",
        /// L of byte-counting and of tack: full-sized segments that one ACK answers for.
        ack_l: u32 = "2",
        /// Beta of tack: ACKs for each least round-trip time.
        ack_beta: u32 = "4",
        /// Alpha of periodic: the time between two ACKs.
        ack_interval: Duration = "\"10ms\"",
        /// ACKs for each round trip of ack = share: after that part of it, at most 50 ms, or that part of what came in it, from 2 to 256 segments. And for each window of ack =
        /// request: the sender asks for one ACK for that part of it, from 2 to 126 segments, and for 2 in slow start.
        ack_share: u32 = "4",
        /// Whether ack = linux compresses ACKs above a hole: for 5 % of the round trip, at most 1 ms and 44 of them.
        sack_compression: bool = "true",
        /// How a sender notices losses: by duplicate ACKs and SACK (RFC 5681, 6675), or by time (RACK-TLP, RFC 8985), which needs
        /// SACK; auto is rack with bbr, bbr3 and receiver-bbr, else standard. On a TACK connection the receiver pulls what is lost.
        recovery: Auto<Recovery> = "\"auto\"",
        /// Whether a congestion window is spread over the round trip, at the ratios of Linux; bbr, bbr3, receiver-bbr and TACK always are.
        pacing: bool = "false",
        /// How slow start of reno, newreno and cubic ends besides by a loss: hystart by ACK trains or a longer round trip, as Linux has it; hystart++
        /// by RFC 9406.
        slow_start: SlowStartChoice = "\"standard\"",
        /// Whether an echoed timestamp from before a retransmission shows that it was a mistake, and undoes what it did to the window (Eifel: RFC
        /// 3522, 4015); with recovery = rack once nothing repeated is out, as Linux does.
        eifel: bool = "false",
        /// Whether the first ACKs after a timeout may show the same of it (F-RTO: RFC 5682), with recovery = rack.
        frto: bool = "false",
        /// Whether a receiver reports what has come twice (RFC 2883), and a sender whose retransmissions all did undoes what they did to the
        /// window (RFC 3708).
        dsack: bool = "false",
        /// For what a small segment waits: for all that is out (RFC 9293, 3.7.4), or for another small one, as in Linux.
        nagle: NagleRule = "\"rfc\"",
        /// How the retransmission timeout is summed: as RFC 6298 has it, or as Linux does, which also rounds timers up to ticks of 4 ms.
        rto: RtoRule = "\"rfc\"",
        /// Which repeated segments RACK takes for delivered: as RFC 8985 has it, not where an echoed timestamp is older, or as Linux does, which does
        /// not look at that for what SACK blocks report, and times RACK by the segment that an ACK
        /// delivers last in its order; whether a probe of the tail needs a round trip measured
        /// since the last one, as the RFC has it; and whether repeats go beyond a window that the
        /// peer has shrunk.
        rack: RackRule = "\"rfc\"",
        /// How a recovery by RACK reduces the window: by RFC 6937 with its slow start bound; by RFC 9937, which lets out a segment beyond what was delivered only for ACKs
        /// that advance and show no loss; or as Linux does, which is that in whole segments and counts from the window.
        prr: PrrRule = "\"rfc6937\"",
        /// What makes the window of reno and newreno grow: bytes that are acknowledged (RFC 3465), or ACKs, each for one segment at most, as in ns-3; with an ACK for two
        /// segments it then grows half as fast.
        reno: RenoRule = "\"bytes\"",
        /// How CUBIC grows: as RFC 9438 has it, or as Linux does, whose estimate of Reno stays at 0.53 segments a round trip.
        cubic: CubicRule = "\"rfc\"",
        /// When the window may grow: where at least half of it was in use (RFC 7661), or as in
        /// Linux where all of it was, and in slow start up to twice what was out. By Linux it grows
        /// by what is newly delivered, an idle window halves with each timeout, and it begins at
        /// one segment only where more than one SYN was lost.
        growth: GrowthRule = "\"rfc\"",
        /// IP packet of a full-sized segment.
        packet: Bytes = "\"1500B\"",
        /// Selective acknowledgements (RFC 2018).
        sack: bool = "true",
        /// Timestamps (RFC 7323).
        timestamps: bool = "true",
        /// What becomes of a segment without timestamps on a connection that has them: Linux and FreeBSD accept it, RFC 7323 (3.2) says
        /// that it should be dropped. A RST always counts; a TACK connection always drops.
        missing_timestamp: MissingTimestamp = "\"accept\"",
        /// Explicit congestion notification (RFC 3168): new data may be marked in place of being dropped, which ap.fq_ecn does, and a mark reduces the window as a loss
        /// does, with bbr3 in its own way. bbr and receiver-bbr do not react. Not with TACK.
        ecn: bool = "false",
        /// Window scaling (RFC 7323).
        window_scaling: bool = "true",
        /// Initial window in full-sized segments (RFC 6928).
        initial_window: u32 = "10",
        /// Smallest retransmission timeout; RFC 6298 says 1 s, Linux uses 200 ms.
        rto_min: Duration = "\"200ms\"",
        /// Buffer of a TCP sender, and of a UDP sender whose application saturates it on and off.
        send_buffer: Bytes = "\"4MiB\"",
        /// Buffer of a TCP receiver, and so the largest window that it announces.
        receive_buffer: Bytes = "\"4MiB\"",
        /// Whether the receive window begins at 64 kB and follows what the application takes in a round trip, as in Linux; receive_buffer is the most
        /// memory for it then, of which a window of five eighths is told. Each growth is acknowledged at once under ack = linux. Not with TACK.
        receive_tuning: bool = "false",
        /// Whether the buffer of a TCP sender begins at 85 KiB and follows the congestion window up to send_buffer, as in Linux.
        send_tuning: bool = "false",
        /// UDP payload of one datagram; the IP packet is 28 bytes longer.
        udp_payload: Bytes = "\"1472B\"",
        /// For how many datagrams the receiver sends one back, as an emulation of TCP ACKs (TACK paper, figure 3).
        udp_ack_every: Option<u32> = "\"never\"",
        /// UDP payload of such a datagram; 18 bytes make the smallest Ethernet frame, 64 bytes.
        udp_ack_payload: Bytes = "\"18B\"",
    }
}

section! {
    /// TACK, of flows that offer it (transport.tack, flows.tack). Without bearing on others.
    struct Tack as "tack" {
        /// How its options are written: as kinds 40 to 42, which are not assigned, or behind an experiment's identifier (RFC 6994).
        form: TackForm = "\"kinds\"",
        /// What a TACK tells of holes (section V-A): as many as fit, the oldest repeated to fill it or each but once, the first one
        /// alone, or more of them once the loss on the ACK path demands it (equation 5).
        blocks: Blocks = "\"rich\"",
        /// Whether an IACK pulls lost packets, or only TACKs tell of losses (figure 6(a)).
        loss_signal: LossSignal = "\"iack\"",
        /// How the least round-trip time is measured (section V-B): by one-way delays, or by one sample for each TACK (figure 7(a)).
        timing: Timing = "\"one-way-delay\"",
        /// tau: for how long a least round-trip time counts (section V-B).
        tau: Duration = "\"10s\"",
        /// What receiver-bbr is tuned for: ProbeBW of 32 intervals and a filter of 40 (section VI-D), of 16 and 20 (VII-D), or, for paths that change, a filter of sixteen
        /// rounds and a look for a change of path (row tack-wifi).
        variant: TackKind = "\"standard\"",
        /// Whether losses bound what variant rounds has in flight: where a queue stands all round, be it long or short, more than 2 % of a round, as of BBR version 3, leave 0.775 of it (up to
        /// 0.9 where cuts of a long queue have been in vain), which grows back as CUBIC's window does (row tack-wifi).
        losses: Losses = "\"ignored\"",
        /// ProbeRTT of the Miracast variant: at 0.75 of the rate every 2.5 s, or never.
        probe_rtt: ProbeRound = "\"gentle\"",
        /// Whether a TACK that falls due amid a batch, which is what the host is handed up at once, waits for its end (row tack-wifi: true): at most one for each
        /// PPDU, and then as many as f asks for.
        batch: bool = "false",
        /// Of which round trip 1/f is the beta-th part: of the least (section IV-A), or of the usual one, which the lower quartile of the last sixteen rounds is, but
        /// between 30 and 40 ms by that (row tack-wifi); and, where so many reports are lost that beta in a row are too often, of the least with as many as that takes.
        share: Share = "\"least\"",
        /// Who measures the rate of delivery: the receiver over two TACK intervals (section VI-D), or the sender over at least a round, from what the receiver says that it has (row
        /// tack-wifi).
        rate: RateBy = "\"receiver\"",
        /// Whether a sender that the peer's window blocks asks for eight times as many TACKs, and probes a window whose report is overdue at once (row tack-wifi: true).
        window_asks: bool = "false",
        /// For how long a gap may close before it is a loss: RTTmin/4 (section VIII), or longer where what had been given up came all the same (row tack-wifi).
        settling: Settling = "\"quarter\"",
        /// Which end of each flow does TACK by the letter of the paper, as a peer would that knows of nothing else, whatever these keys and ack_beta, ack_l and congestion = receiver-bbr say: neither, the one
        /// that is called (the server, or a flow's other station), or the station.
        by_letter: ByLetter = "\"neither\"",
    }
}

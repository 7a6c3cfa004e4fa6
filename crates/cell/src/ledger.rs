//! The ledger of air time: every nanosecond of the measured window goes into exactly one class.
//!
//! A silence is split where its character changes ([`Silence`]); a busy period in which anything overlapped is a collision, whole; any other
//! PPDU is split by what it carries. Inside the payload part of a data PPDU, time is proportional to bytes, and the SERVICE field, tail
//! and padding of the last symbol are headers. No class is what others leave over.

use ackless_dot11::frame::{ACK_LEN, BLOCK_ACK_LEN, Body, Mpdu, Part, Ppdu};
use ackless_wire::{BitRate, Bytes, Duration, Instant};

use crate::observe::{Heard, Silence};
use crate::result::{Airtime, AirtimeClass};

/// The ledger of one run.
#[derive(Clone, Debug)]
pub struct Ledger {
    from: Instant,
    until: Instant,
    airtime: Airtime,
    /// When the present busy period began, and whether anything in it overlapped.
    busy_from: Instant,
    overlapped: bool,
}

/// The bytes of a data PPDU by class.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    headers: u64,
    payload: u64,
    tcp_acks: u64,
    repeated: u64,
}

impl Ledger {
    /// A ledger of the window from `from` to `until`.
    pub fn new(from: Instant, until: Instant) -> Self {
        Self { from, until, airtime: Airtime::default(), busy_from: Instant::ZERO, overlapped: false }
    }

    /// The window ends at `until`, before it would have.
    pub(crate) fn end_at(&mut self, until: Instant) {
        self.until = until;
    }

    /// What was booked so far.
    pub fn airtime(&self) -> &Airtime {
        &self.airtime
    }

    /// A silence is over.
    pub fn silence(&mut self, silence: &Silence) {
        let mut from = silence.from;
        for (class, until) in silence.stretches() {
            self.book(class, from, until);
            from = until;
        }
    }

    /// A PPDU goes on the air. `first`: the medium was silent until now.
    pub fn start(&mut self, now: Instant, first: bool) {
        if first {
            self.busy_from = now;
        }
        self.overlapped = !first;
    }

    /// A PPDU is over, or is cut off by the end of the run.
    pub fn end(&mut self, ppdu: &Ppdu, start: Instant, end: Instant, last: bool) {
        if self.overlapped {
            if last {
                self.book(AirtimeClass::Collisions, self.busy_from, end);
            }
            return;
        }
        self.split(ppdu, start);
    }

    /// What an AP heard for a while, where powers decide who hears whom. A PPDU that collided, or was lost in its header, is a collision for as
    /// long as the AP was sending it or locked on it; so is every other time in which more than noise comes in.
    pub fn heard(&mut self, what: Heard<'_>, from: Instant, until: Instant) {
        match what {
            Heard::Ppdu(ppdu) => self.split(ppdu, from),
            Heard::Overlap => self.book(AirtimeClass::Collisions, from, until),
            Heard::Neighbours => self.book(AirtimeClass::Neighbours, from, until),
        }
    }

    fn split(&mut self, ppdu: &Ppdu, start: Instant) {
        let end = start + ppdu.duration;
        let whole = match &ppdu.body {
            Body::Single(mpdu) => return self.split_data(ppdu, std::slice::from_ref(mpdu), start),
            Body::Amsdu(mpdus) | Body::Aggregate(mpdus) => return self.split_data(ppdu, mpdus, start),
            Body::Ack(_) => return self.split_answer(ppdu, ACK_LEN, start),
            Body::BlockAck(..) => return self.split_answer(ppdu, BLOCK_ACK_LEN, start),
            Body::BlockAckReq(..) => AirtimeClass::BlockAckRequests,
            Body::Rts | Body::Cts => AirtimeClass::RtsCts,
            Body::Beacon(_) => AirtimeClass::Beacons,
        };
        self.book(whole, start, end);
    }

    fn split_answer(&mut self, ppdu: &Ppdu, plain: Bytes, start: Instant) {
        let end = start + ppdu.duration;
        let appended = ppdu.psdu_len > plain;
        let plain = if appended { start + ppdu.txvector.duration(plain) } else { end };
        self.book(AirtimeClass::LinkAcks, start, plain);
        self.book(AirtimeClass::Appended, plain, end);
    }

    fn split_data(&mut self, ppdu: &Ppdu, mpdus: &[Mpdu], start: Instant) {
        let aggregated = matches!(ppdu.body, Body::Aggregate(_));
        let load = Load::of(mpdus, aggregated, ppdu.psdu_len);
        let psdu = ppdu.psdu_len.get();
        let frame = if load.repeated == psdu {
            AirtimeClass::Retransmissions
        } else if load.tcp_acks + load.repeated == psdu {
            AirtimeClass::TcpAcks
        } else {
            AirtimeClass::Preambles
        };
        let rest = if frame == AirtimeClass::Preambles { AirtimeClass::Headers } else { frame };
        let (vector, rate) = (ppdu.txvector, ppdu.txvector.rate());
        let body = start + vector.preamble();
        self.book(frame, start, body);
        let payload = ppdu.duration - vector.preamble() - vector.signal_extension();
        let mut bytes = 0;
        let mut from = body;
        for (class, more) in [
            (AirtimeClass::Headers, load.headers),
            (AirtimeClass::Payload, load.payload),
            (AirtimeClass::TcpAcks, load.tcp_acks),
            (AirtimeClass::Retransmissions, load.repeated),
        ] {
            bytes += more;
            let until = body + time_floor(rate, bytes).min(payload);
            self.book(class, from, until);
            from = until;
        }
        self.book(rest, from, body + payload);
        self.book(frame, body + payload, start + ppdu.duration);
    }

    /// Books what of a stretch lies in the window.
    fn book(&mut self, class: AirtimeClass, from: Instant, until: Instant) {
        let span = until.min(self.until).saturating_since(from.max(self.from));
        self.airtime.add(class, span);
    }
}

impl Load {
    /// Sorts the bytes of a PSDU. Those of no MPDU, delimiters and padding, go with the MPDUs around them: to headers, unless there
    /// is nothing but TCP ACKs or repeated MPDUs. In an A-MSDU the MPDU's header goes with the first packet, its FCS with the last.
    fn of(mpdus: &[Mpdu], aggregated: bool, psdu: Bytes) -> Self {
        let mut load = Self::default();
        let mut any_new = false;
        for mpdu in mpdus {
            if !mpdu.retry && !mpdu.tcp_ack {
                load.payload += mpdu.payload_len.get();
                any_new = true;
                continue;
            }
            let len = mpdu.len().get();
            let subframe = match (aggregated, mpdu.part) {
                (false, _) | (_, Part::Middle) => len,
                (true, Part::Alone) => (len + 4).next_multiple_of(4),
                // Together with the padded subframes before it, the header decides how far the MPDU is from a multiple of four.
                (true, Part::First) => len + 4,
                (true, Part::Last) => len + pad(mpdu.header_len().get() + len),
            };
            *if mpdu.retry { &mut load.repeated } else { &mut load.tcp_acks } += subframe;
        }
        // The last subframe is not padded, and minimum MPDU spacing adds delimiters.
        let psdu = psdu.get();
        if any_new {
            load.headers = psdu - load.payload - load.tcp_acks - load.repeated;
        } else if load.tcp_acks > 0 {
            load.tcp_acks = psdu - load.repeated;
        } else {
            load.repeated = psdu;
        }
        load
    }
}

/// What `len` lacks to a multiple of four.
const fn pad(len: u64) -> u64 {
    len.next_multiple_of(4) - len
}

/// How long `bytes` of a PSDU take, rounded down.
fn time_floor(rate: BitRate, bytes: u64) -> Duration {
    Duration::from_nanos(bytes * 8 * 1_000_000_000 / rate.bps())
}

#[cfg(test)]
mod tests;

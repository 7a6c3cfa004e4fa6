//! The bodies as bytes.
//!
//! The layout is ours: figures 9 and 10 of the paper are not in its text, which names the fields. Everything is in network byte
//! order. Each body begins with four bytes that say what it is:
//!
//! ```text
//!  0                   1                   2                   3
//!  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//! +-------+-------+-----+-+-+-+-+-+-------------------------------+
//! |Version| Form  |  0  |A|H|L|I|W|       Number of bubbles       |
//! +-------+-------+-----+-+-+-+-+-+-------------------------------+
//! ```
//!
//! The version is 2. The letters and the number are for reports, zero in other bodies. The rest are 32-bit words.
//!
//! A **report** (form 0; figure 10), 28 to 44 bytes and 8 for each bubble. A word that a letter stands before is there if that bit is
//! set, and then it is not zero; so a report of start-up, which has no interval and no losses, has 28 bytes:
//!
//! ```text
//!     Serial                        reports sent before this one, modulo 2^32
//!     Largest PKT.SEQ
//!     Delay of that packet          us, rounded down
//!     TACK delay                    us, rounded down: that of the packet whose departure the TSval names
//!     Delivery rate                 kbit/s, rounded down; bit A: limited by the application
//!     Received in-flight data       bytes
//!  W  Congestion window             bytes
//!  I  TACK interval in force        us, rounded up
//!  L  Loss rate                     lost packets in a million, 1 to 1,000,000
//!  H  HOL.SEQ                       bytes above the acknowledgement number
//!  H  Bubbles                       for each: the first byte missing, the byte just past the last one missing; as HOL.SEQ
//! ```
//!
//! A **loss** (form 1; figure 9), 12 bytes; at least one number lies between the two:
//!
//! ```text
//!     Largest PKT.SEQ
//!     Second largest PKT.SEQ
//! ```
//!
//! A **frequency update** (form 2), 24 bytes:
//!
//! ```text
//!     Serial
//!     TACK interval                 us, rounded up; zero: acknowledge every packet
//!     Least round-trip time         us, rounded down
//!     Greatest delivery rate        kbit/s, rounded down
//!     Loss rate of TACKs            lost TACKs in a million, 0 to 1,000,000
//! ```
//!
//! A **request for a round trip** (form 3): nothing more. Its four bytes give the segment a payload, so that its sequence number can
//! lie behind the window, as that of every segment with a body.
//!
//! Amounts too great for their word are written as the greatest that fits. No body begins with a zero byte, so zeros in a body's place are never taken for one.
//!
//! Places are told from the acknowledgement number of the segment, and not as sequence numbers: firewalls draw these anew and rewrite headers and SACK options, but not what they do not
//! know (RFC 8684, 3.3, has the same reason). Version 1 had sequence numbers. A report may fill a segment, and what is too long for a link comes in parts: so the bubbles stand last, and
//! the first part tells what it has of them. Other parts hardly ever begin as a body does, and name a packet that was never sent.

use ackless_wire::{BitRate, Bytes, Duration, SeqNumber};

use super::{AckKind, Body, FrequencyUpdate, LossRange, Report};

/// Why bytes are not a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BodyError {
    /// Another version than ours, or bits set that have no meaning in ours.
    Unknown,
    /// The segment's ACK-Type does not go with this form.
    Kind,
    /// Fewer or more bytes than the first four announce, bubbles apart: of these some may be missing.
    Length,
    /// A field has a value that nobody sends: a loss rate above the whole, a bubble or range with nothing in it, a zero that is
    /// left out where it is meant.
    Value,
}

impl std::fmt::Display for BodyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Unknown => "the version or a flag is not known",
            Self::Kind => "the form does not go with the ACK-Type",
            Self::Length => "the length is not the one announced",
            Self::Value => "a field has an impossible value",
        })
    }
}

impl std::error::Error for BodyError {}

impl Body {
    /// The room that every body has, whatever its bubbles; no body without bubbles is longer.
    pub const LEAST_ROOM: Bytes = Bytes(44);

    /// The body as bytes, at most `room` of them, which is one MSS (VI-B): of bubbles that do not fit, the last are left out. A room below
    /// [`LEAST_ROOM`](Self::LEAST_ROOM) counts as that. Bubbles need a `hol` before them, and are left out without it.
    pub fn encode(&self, room: Bytes) -> bytes::Bytes {
        let bytes = match self {
            Self::Report(report) => encode_report(report, room.max(Self::LEAST_ROOM)),
            Self::Loss(range) => words(LOSS, &[range.largest, range.second]),
            Self::Frequency(update) => words(
                FREQUENCY,
                &[
                    update.serial,
                    fit(update.interval.as_micros_ceil()),
                    fit(update.min_rtt.as_micros_floor()),
                    kbps(update.bandwidth),
                    update.ack_loss_ppm.min(MILLION),
                ],
            ),
            Self::RoundTripRequest => words(REQUEST, &[]),
        };
        bytes.into()
    }

    /// Reads the body of a segment of this kind. The bytes say themselves whether one about a round trip is the request or the answer.
    /// Of a report whose segment was cut short bubbles are read as far as they go. Where places and packet numbers lie is for the connection to judge.
    ///
    /// # Errors
    /// Bytes that [`encode`](Self::encode) makes of no body, nor begins one with whose list of bubbles goes on: each body has exactly one form as bytes.
    pub fn decode(kind: AckKind, bytes: &[u8]) -> Result<Self, BodyError> {
        let (&[head, flags, high, low], rest) = bytes.split_first_chunk().ok_or(BodyError::Length)?;
        let bubbles = u16::from_be_bytes([high, low]);
        if head >> 4 != VERSION || flags & !ALL_FLAGS != 0 {
            return Err(BodyError::Unknown);
        }
        let form = head & 0xf;
        if form != REPORT && (flags != 0 || bubbles != 0) {
            return Err(BodyError::Unknown);
        }
        let body = match (form, kind) {
            (REPORT, AckKind::Tack | AckKind::Window | AckKind::RoundTrip) => {
                Self::Report(decode_report(flags, bubbles, rest)?)
            }
            (LOSS, AckKind::Loss) => Self::Loss(decode_loss(rest)?),
            (FREQUENCY, AckKind::Frequency) => Self::Frequency(decode_frequency(rest)?),
            (REQUEST, AckKind::RoundTrip) if rest.is_empty() => Self::RoundTripRequest,
            (REQUEST, AckKind::RoundTrip) => return Err(BodyError::Length),
            (REPORT | LOSS | FREQUENCY | REQUEST, _) => return Err(BodyError::Kind),
            _ => return Err(BodyError::Unknown),
        };
        Ok(body)
    }
}

fn encode_report(report: &Report, room: Bytes) -> Vec<u8> {
    let window = fit(report.window.get());
    let interval = fit(report.interval.as_micros_ceil());
    let loss = report.loss_ppm.min(MILLION);
    let optional = [
        (WINDOW, (window != 0).then_some(window)),
        (INTERVAL, (interval != 0).then_some(interval)),
        (LOSS_RATE, (loss != 0).then_some(loss)),
        (HOL, report.hol.map(|hol| fit(hol.get()))),
    ];
    let words = REPORT_WORDS + optional.iter().filter(|(_, word)| word.is_some()).count();
    let fixed = 4 * (1 + words);
    let fitting = (room.get() as usize - fixed) / 8;
    let bubbles = match report.hol {
        Some(_) => report.bubbles.len().min(fitting).min(u16::MAX.into()),
        None => 0,
    };

    let mut flags = if report.application_limited { APPLICATION } else { 0 };
    for (flag, word) in optional {
        flags |= if word.is_some() { flag } else { 0 };
    }
    let mut bytes = Vec::with_capacity(fixed + 8 * bubbles);
    bytes.extend([VERSION << 4 | REPORT, flags]);
    bytes.extend((bubbles as u16).to_be_bytes());
    let always = [
        report.serial,
        report.largest,
        fit(report.largest_delay.as_micros_floor()),
        fit(report.delay.as_micros_floor()),
        kbps(report.delivery_rate),
        fit(report.received_in_flight.get()),
    ];
    let present = optional.into_iter().filter_map(|(_, word)| word);
    for word in always.into_iter().chain(present) {
        bytes.extend(word.to_be_bytes());
    }
    for (start, end) in &report.bubbles[..bubbles] {
        bytes.extend(fit(start.get()).to_be_bytes());
        bytes.extend(fit(end.get()).to_be_bytes());
    }
    bytes
}

fn decode_report(flags: u8, bubbles: u16, rest: &[u8]) -> Result<Report, BodyError> {
    if bubbles > 0 && flags & HOL == 0 {
        return Err(BodyError::Value);
    }
    let optional = (flags & (WINDOW | INTERVAL | LOSS_RATE | HOL)).count_ones() as usize;
    let fixed = 4 * (REPORT_WORDS + optional);
    let room = rest.len().checked_sub(fixed).filter(|&room| room <= 8 * usize::from(bubbles));
    let bubbles = room.ok_or(BodyError::Length)? / 8;
    let (words, _) = rest.as_chunks::<4>();
    let mut words = words.iter().copied().map(u32::from_be_bytes);
    let mut word = || words.next().ok_or(BodyError::Length);
    let mut report = Report {
        serial: word()?,
        largest: word()?,
        largest_delay: micros(word()?),
        delay: micros(word()?),
        delivery_rate: BitRate::from_kbps(word()?.into()),
        application_limited: flags & APPLICATION != 0,
        received_in_flight: Bytes(word()?.into()),
        ..Report::default()
    };
    if flags & WINDOW != 0 {
        report.window = Bytes(non_zero(word()?)?.into());
    }
    if flags & INTERVAL != 0 {
        report.interval = micros(non_zero(word()?)?);
    }
    if flags & LOSS_RATE != 0 {
        report.loss_ppm = share(non_zero(word()?)?)?;
    }
    if flags & HOL != 0 {
        report.hol = Some(Bytes(non_zero(word()?)?.into()));
    }
    report.bubbles.reserve_exact(bubbles);
    for _ in 0..bubbles {
        let (start, end) = (word()?, word()?);
        if end <= start {
            return Err(BodyError::Value);
        }
        report.bubbles.push((Bytes(start.into()), Bytes(end.into())));
    }
    Ok(report)
}

fn decode_loss(rest: &[u8]) -> Result<LossRange, BodyError> {
    let [largest, second] = exactly(rest)?;
    // Numbers follow one another modulo 2^32, as sequence numbers do.
    if SeqNumber(largest).distance_from(SeqNumber(second)) < 2 {
        return Err(BodyError::Value);
    }
    Ok(LossRange { largest, second })
}

fn decode_frequency(rest: &[u8]) -> Result<FrequencyUpdate, BodyError> {
    let [serial, interval, min_rtt, bandwidth, ack_loss] = exactly(rest)?;
    Ok(FrequencyUpdate {
        serial,
        interval: micros(interval),
        min_rtt: micros(min_rtt),
        bandwidth: BitRate::from_kbps(bandwidth.into()),
        ack_loss_ppm: share(ack_loss)?,
    })
}

/// A body of this form with these words.
fn words(form: u8, words: &[u32]) -> Vec<u8> {
    let mut bytes = vec![VERSION << 4 | form, 0, 0, 0];
    bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
    bytes
}

/// Exactly `N` words.
fn exactly<const N: usize>(bytes: &[u8]) -> Result<[u32; N], BodyError> {
    let (words, []) = bytes.as_chunks::<4>() else { return Err(BodyError::Length) };
    let words: [[u8; 4]; N] = words.try_into().map_err(|_| BodyError::Length)?;
    Ok(words.map(u32::from_be_bytes))
}

/// An amount as a word: the greatest there is where it does not fit.
fn fit(amount: u64) -> u32 {
    u32::try_from(amount).unwrap_or(u32::MAX)
}

fn kbps(rate: BitRate) -> u32 {
    fit(rate.bps() / 1_000)
}

fn micros(word: u32) -> Duration {
    Duration::from_micros(word.into())
}

fn non_zero(word: u32) -> Result<u32, BodyError> {
    if word == 0 { Err(BodyError::Value) } else { Ok(word) }
}

fn share(ppm: u32) -> Result<u32, BodyError> {
    if ppm > MILLION { Err(BodyError::Value) } else { Ok(ppm) }
}

/// The version of this layout.
const VERSION: u8 = 2;

/// Forms.
const REPORT: u8 = 0;
const LOSS: u8 = 1;
const FREQUENCY: u8 = 2;
const REQUEST: u8 = 3;

/// The words that every report has behind its first.
const REPORT_WORDS: usize = 6;

/// Flags of a report.
const WINDOW: u8 = 1;
const INTERVAL: u8 = 1 << 1;
const LOSS_RATE: u8 = 1 << 2;
const HOL: u8 = 1 << 3;
const APPLICATION: u8 = 1 << 4;
const ALL_FLAGS: u8 = WINDOW | INTERVAL | LOSS_RATE | HOL | APPLICATION;

/// All of them, in parts of a million.
const MILLION: u32 = 1_000_000;

#[cfg(test)]
mod tests;

//! TCP options as bytes. The layout written is that of [`TcpOptions::len`].

use crate::bytes::ParseError;
use crate::tcp::{AckRate, Omitted, RateRequest, SackBlocks, SeqNumber, TackForm, TackOptions, TcpOptions};

/// Appends the options, [`TcpOptions::len`] bytes of them.
pub(super) fn emit(options: &TcpOptions, out: &mut impl Extend<u8>) {
    if let Some(mss) = options.mss {
        out.extend([MSS, 4]);
        out.extend(mss.to_be_bytes());
    }
    match (options.sack_permitted, options.timestamps) {
        (true, None) => out.extend([NOP, NOP, SACK_PERMITTED, 2]),
        (false, None) => {}
        (permitted, Some((value, echo))) => {
            out.extend(if permitted { [SACK_PERMITTED, 2] } else { [NOP, NOP] });
            out.extend([TIMESTAMPS, 10]);
            out.extend(value.to_be_bytes());
            out.extend(echo.to_be_bytes());
        }
    }
    if let Some(shift) = options.window_scale {
        out.extend([NOP, WINDOW_SCALE, 3, shift]);
    }
    let blocks = options.sack.as_slice();
    if !blocks.is_empty() {
        out.extend([NOP, NOP, SACK, 2 + 8 * blocks.len() as u8]);
        for (left, right) in blocks {
            out.extend(left.0.to_be_bytes());
            out.extend(right.0.to_be_bytes());
        }
    }
    emit_tack(&options.tack, out);
    match options.ack_rate.map(AckRate::request) {
        None => {}
        Some(None) => out.extend([EXPERIMENT_2, 4, ACK_RATE[0], ACK_RATE[1]]),
        Some(Some(request)) => out.extend([NOP, NOP, NOP, EXPERIMENT_2, 5, ACK_RATE[0], ACK_RATE[1], request.byte()]),
    }
}

fn emit_tack(tack: &TackOptions, out: &mut impl Extend<u8>) {
    if tack.is_empty() {
        return;
    }
    let experimental = tack.form == TackForm::Experimental;
    if tack.permitted {
        if experimental {
            out.extend([EXPERIMENT, 4, EXPERIMENT_IDS, PERMITTED]);
        } else {
            out.extend([NOP, NOP, PERMITTED, 2]);
        }
    }
    if let Some(ack_type) = tack.ack_type {
        if experimental {
            out.extend([NOP, NOP, NOP, EXPERIMENT, 5, EXPERIMENT_IDS, ACK_TYPE, ack_type]);
        } else {
            out.extend([NOP, ACK_TYPE, 3, ack_type]);
        }
    }
    if let Some(number) = tack.packet_number {
        out.extend(if experimental {
            [EXPERIMENT, 8, EXPERIMENT_IDS, PACKET_NUMBER]
        } else {
            [NOP, NOP, PACKET_NUMBER, 6]
        });
        out.extend(number.to_be_bytes());
    }
}

/// Reads the options of a header: any order, any padding, unknown kinds skipped (RFC 9293, 3.1). Of an option that occurs
/// twice the last counts, as with the receivers in use. What stands behind the end-of-list option is ignored. With them comes what of the bytes they
/// do not say.
pub(super) fn parse(bytes: &[u8]) -> Result<(TcpOptions, Omitted), ParseError> {
    let (options, mut omitted) = parse_known(bytes)?;
    let mut compared = Compared { left: bytes, same: true };
    emit(&options, &mut compared);
    omitted.set(Omitted::LAYOUT, !compared.same || !compared.left.is_empty());
    Ok((options, omitted))
}

fn parse_known(mut bytes: &[u8]) -> Result<(TcpOptions, Omitted), ParseError> {
    let (mut options, mut omitted) = (TcpOptions::default(), Omitted::empty());
    loop {
        match bytes {
            [] | [END, ..] => return Ok((options, omitted)),
            [NOP, rest @ ..] => bytes = rest,
            [kind, rest @ ..] => {
                let illegal = ParseError::TcpOption(*kind);
                let len = rest.first().ok_or(illegal)?;
                let value_len = usize::from(*len).checked_sub(2).ok_or(illegal)?;
                let (value, behind) = rest[1..].split_at_checked(value_len).ok_or(illegal)?;
                let known = read(&mut options, *kind, value).ok_or(illegal)?;
                omitted.set(Omitted::OPTIONS, omitted.contains(Omitted::OPTIONS) || !known);
                bytes = behind;
            }
        }
    }
}

/// Reads one option, and says whether it is known; nothing if its length is wrong for its kind.
fn read(options: &mut TcpOptions, kind: u8, value: &[u8]) -> Option<bool> {
    match kind {
        MSS => options.mss = Some(u16::from_be_bytes(value.try_into().ok()?)),
        WINDOW_SCALE => {
            let [shift] = value else { return None };
            options.window_scale = Some(*shift);
        }
        SACK_PERMITTED => options.sack_permitted = value.is_empty().then_some(true)?,
        TIMESTAMPS => options.timestamps = Some(pair(value.try_into().ok()?)),
        SACK => {
            let (blocks, rest) = value.as_chunks::<8>();
            if blocks.is_empty() || !rest.is_empty() {
                return None;
            }
            options.sack = SackBlocks::EMPTY;
            for &block in blocks {
                let (left, right) = pair(block);
                options.sack.push((SeqNumber(left), SeqNumber(right))).then_some(())?;
            }
        }
        PERMITTED | ACK_TYPE | PACKET_NUMBER => {
            return Some(read_tack(&mut options.tack, TackForm::Kinds, kind, value));
        }
        EXPERIMENT => {
            return Some(match value {
                [EXPERIMENT_IDS, which @ (PERMITTED | ACK_TYPE | PACKET_NUMBER), value @ ..] => {
                    read_tack(&mut options.tack, TackForm::Experimental, *which, value)
                }
                _ => false,
            });
        }
        EXPERIMENT_2 => match value {
            [a, b] if [*a, *b] == ACK_RATE => options.ack_rate = Some(AckRate::CAPABLE),
            [a, b, byte] if [*a, *b] == ACK_RATE => options.ack_rate = Some(AckRate::of(RateRequest::from_byte(*byte))),
            // Another experiment, or what a later version of this one may say.
            _ => return Some(false),
        },
        _ => return Some(false),
    }
    Some(true)
}

/// Reads one of TACK's, and says whether it is. Kinds 40 to 42 are nobody's: what has another length there is not ours, and skipped.
fn read_tack(tack: &mut TackOptions, form: TackForm, which: u8, value: &[u8]) -> bool {
    match (which, value) {
        (PERMITTED, []) => tack.permitted = true,
        (ACK_TYPE, &[ack_type]) => tack.ack_type = Some(ack_type),
        (PACKET_NUMBER, &[a, b, c, d]) => tack.packet_number = Some(u32::from_be_bytes([a, b, c, d])),
        _ => return false,
    }
    tack.form = form;
    true
}

/// Bytes that are being written, compared with those that there were.
struct Compared<'a> {
    left: &'a [u8],
    same: bool,
}

impl Extend<u8> for Compared<'_> {
    fn extend<I: IntoIterator<Item = u8>>(&mut self, bytes: I) {
        for byte in bytes {
            self.same &= self.left.split_off_first() == Some(&byte);
        }
    }
}

/// Two 32-bit numbers in network byte order.
fn pair(bytes: [u8; 8]) -> (u32, u32) {
    let both = u64::from_be_bytes(bytes);
    ((both >> 32) as u32, both as u32)
}

/// End of option list (RFC 9293, 3.1).
const END: u8 = 0;
/// No operation (RFC 9293, 3.1).
const NOP: u8 = 1;
/// Maximum segment size (RFC 9293, 3.7.1).
const MSS: u8 = 2;
/// Window scale (RFC 7323, 2.2).
const WINDOW_SCALE: u8 = 3;
/// SACK permitted (RFC 2018, 2).
const SACK_PERMITTED: u8 = 4;
/// SACK (RFC 2018, 3).
const SACK: u8 = 5;
/// Timestamps (RFC 7323, 3.2).
const TIMESTAMPS: u8 = 8;
/// TACK-Permitted (TACK, figure 8).
const PERMITTED: u8 = 40;
/// ACK-Type (TACK, figure 8).
const ACK_TYPE: u8 = 41;
/// PKT.SEQ (TACK, figure 8).
const PACKET_NUMBER: u8 = 42;
/// RFC 3692-style experiment 1 (RFC 4727; RFC 6994, 3).
const EXPERIMENT: u8 = 253;
/// The second kind for experiments, and the identifier of TARR on it.
const EXPERIMENT_2: u8 = 254;
const ACK_RATE: [u8; 2] = [0x00, 0xac];
/// The first octet of our 16-bit experiment identifiers (RFC 6994, 3.1); the second is the kind of figure 8. Not registered.
const EXPERIMENT_IDS: u8 = 0x7a;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_for_an_ack_rate_is_of_kind_254_with_its_identifier_and_r_in_the_upper_seven_bits() {
        let written = |rate| {
            let mut out = Vec::new();
            emit(&TcpOptions { ack_rate: Some(rate), ..TcpOptions::default() }, &mut out);
            out
        };
        assert_eq!(written(AckRate::CAPABLE), [254, 4, 0, 0xac]);
        let request = RateRequest::new(10, true);
        assert_eq!(written(AckRate::of(request)), [1, 1, 1, 254, 5, 0, 0xac, 21]);
        assert_eq!((request.segments(), request.ignores_order()), (10, true));
        assert_eq!(RateRequest::new(1_000, false).segments(), 126);
        // R = 127 has no value of its own, and what bears it is no copy of the packet.
        let (options, omitted) = parse(&[1, 1, 1, 254, 5, 0, 0xac, 255]).expect("these are options");
        assert_eq!(options.ack_rate, Some(AckRate::of(RateRequest::new(126, true))));
        assert_eq!(omitted, Omitted::LAYOUT);
        for rate in [AckRate::CAPABLE, AckRate::of(request), AckRate::of(RateRequest::new(0, false))] {
            let (options, omitted) = parse(&written(rate)).expect("these are options");
            assert_eq!((options.ack_rate, omitted), (Some(rate), Omitted::empty()));
        }
        // Another experiment, and lengths that nobody has given a meaning.
        for other in [&[254, 4, 0, 0xad][..], &[254, 6, 0, 0xac, 2, 2, 1, 1], &[254, 3, 0, 1]] {
            let (options, omitted) = parse(other).expect("these are options");
            assert!(options.ack_rate.is_none() && omitted.contains(Omitted::OPTIONS), "{other:?}");
        }
    }

    #[test]
    fn a_linux_syn_is_laid_out_as_linux_does() {
        let options = TcpOptions {
            mss: Some(1460),
            sack_permitted: true,
            timestamps: Some((0x0102_0304, 0x0506_0708)),
            window_scale: Some(7),
            ..TcpOptions::default()
        };
        let mut out = Vec::new();
        emit(&options, &mut out);
        assert_eq!(out, [2, 4, 5, 0xb4, 4, 2, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 3, 3, 7]);
    }

    #[test]
    fn any_order_and_padding_is_read() {
        let bytes = [3, 3, 9, 1, 1, 1, 4, 2, 2, 4, 2, 0, 0, 5, 99, 99];
        let expected =
            TcpOptions { mss: Some(512), sack_permitted: true, window_scale: Some(9), ..TcpOptions::default() };
        assert_eq!(parse(&bytes), Ok((expected, Omitted::LAYOUT)));
    }

    #[test]
    fn unknown_options_are_skipped() {
        // 30 is MPTCP, 34 is TCP Fast Open, 253 an experiment.
        let bytes = [30, 4, 9, 9, 34, 2, 253, 3, 1, 2, 4, 0, 9];
        let known = TcpOptions { mss: Some(9), ..TcpOptions::default() };
        assert_eq!(parse(&bytes), Ok((known, Omitted::OPTIONS | Omitted::LAYOUT)));
    }

    #[test]
    fn what_the_options_do_not_say_is_told() {
        let stamps = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2];
        let said = |bytes: &[u8]| parse(bytes).map(|(_, omitted)| omitted).expect("well-formed options");
        assert_eq!((said(&[]), said(&stamps)), (Omitted::empty(), Omitted::empty()));
        assert_eq!(said(&[stamps, [0; 12]].concat()), Omitted::LAYOUT, "a list that ends early");
        assert_eq!(said(&[&stamps[2..], &[1, 1]].concat()), Omitted::LAYOUT, "padded behind");
        assert_eq!(said(&[stamps, stamps].concat()), Omitted::LAYOUT, "twice");
        let sack = [1, 1, 5, 10, 0, 0, 0, 3, 0, 0, 0, 4];
        assert_eq!(said(&[stamps, sack].concat()), Omitted::empty());
        assert_eq!(said(&[sack, stamps].concat()), Omitted::LAYOUT, "in another order");
        // A Data ACK of MPTCP, a kind of TACK's with another length, and an experiment of somebody else's.
        for unknown in [[30, 8, 0x20, 1, 0, 0, 0, 7], [41, 8, 0, 0, 0, 0, 0, 0], [253, 8, 1, 2, 0, 0, 0, 0]] {
            assert_eq!(said(&[&stamps[..], &unknown].concat()), Omitted::OPTIONS | Omitted::LAYOUT, "{unknown:?}");
        }
    }

    #[test]
    fn an_illegal_length_names_the_option() {
        let illegal: [&[u8]; 10] = [
            &[2, 3, 0],
            &[2, 4, 0],
            &[3, 2],
            &[4, 3, 0],
            &[5, 2],
            &[5, 9, 0, 0, 0, 0, 0, 0, 0],
            &[8, 9, 0, 0, 0, 0, 0, 0, 0],
            &[77],
            &[77, 0],
            &[77, 1],
        ];
        for bytes in illegal {
            assert_eq!(parse(bytes), Err(ParseError::TcpOption(bytes[0])), "{bytes:?}");
        }
    }
}

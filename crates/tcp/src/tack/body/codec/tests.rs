use ackless_wire::random::{Purpose, Stream};

use super::*;

const MSS: Bytes = Bytes(1448);

const KINDS: [AckKind; 5] = [AckKind::Tack, AckKind::Loss, AckKind::Window, AckKind::RoundTrip, AckKind::Frequency];

/// The kinds whose segments may carry this body.
fn kinds(body: &Body) -> &'static [AckKind] {
    match body {
        Body::Report(_) => &[AckKind::Tack, AckKind::Window, AckKind::RoundTrip],
        Body::Loss(_) => &[AckKind::Loss],
        Body::Frequency(_) => &[AckKind::Frequency],
        Body::RoundTripRequest => &[AckKind::RoundTrip],
    }
}

fn full() -> Body {
    Body::Report(Report {
        serial: 0x0102_0304,
        largest: 0x1112_1314,
        largest_delay: Duration::from_micros(258),
        delay: Duration::from_micros(5_000),
        delivery_rate: BitRate::from_mbps(210),
        application_limited: true,
        window: Bytes(65_536),
        received_in_flight: Bytes(4_344),
        interval: Duration::from_millis(2),
        loss_ppm: 10_000,
        hol: Some(Bytes(1_448)),
        bubbles: vec![(Bytes(0x0801), Bytes(0x1002)), (Bytes(0x1_0000), Bytes(0xffff_ffff))],
    })
}

#[test]
fn a_report_with_everything_is_these_60_bytes() {
    let expected = [
        [0x20, 0x1f, 0, 2],
        [1, 2, 3, 4],
        [0x11, 0x12, 0x13, 0x14],
        [0, 0, 1, 2],       // 258 us
        [0, 0, 0x13, 0x88], // 5,000 us
        [0, 3, 0x34, 0x50], // 210,000 kbit/s
        [0, 0, 0x10, 0xf8], // 4,344 bytes
        [0, 1, 0, 0],       // 65,536 bytes
        [0, 0, 7, 0xd0],    // 2,000 us
        [0, 0, 0x27, 0x10], // 1 %
        [0, 0, 5, 0xa8],    // HOL.SEQ, 1,448 bytes above
        [0, 0, 8, 1],
        [0, 0, 0x10, 2],
        [0, 1, 0, 0],
        [0xff, 0xff, 0xff, 0xff],
    ];
    assert_eq!(full().encode(MSS), expected.concat());
    assert_eq!(Body::decode(AckKind::Tack, &expected.concat()), Ok(full()));
}

#[test]
fn a_report_of_start_up_is_28_bytes() {
    let report = Report {
        serial: 7,
        largest: 9,
        largest_delay: Duration::from_micros(2),
        delay: Duration::from_micros(3),
        delivery_rate: BitRate::from_kbps(4),
        received_in_flight: Bytes(5),
        ..Report::default()
    };
    let expected =
        [[0x20, 0, 0, 0], [0, 0, 0, 7], [0, 0, 0, 9], [0, 0, 0, 2], [0, 0, 0, 3], [0, 0, 0, 4], [0, 0, 0, 5]];
    assert_eq!(Body::Report(report).encode(MSS), expected.concat());
}

#[test]
fn a_loss_a_frequency_and_a_request_are_these_bytes() {
    // The example of V-A: 1 and 3 are received, 2 is lost.
    let loss = Body::Loss(LossRange { largest: 3, second: 1 });
    assert_eq!(&loss.encode(MSS)[..], [0x21, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1]);
    let frequency = Body::Frequency(FrequencyUpdate {
        serial: 1,
        interval: Duration::from_millis(50),
        min_rtt: Duration::from_millis(200),
        bandwidth: BitRate::from_mbps(100),
        ack_loss_ppm: 1_000_000,
    });
    let expected = [
        [0x22, 0, 0, 0],
        [0, 0, 0, 1],
        [0, 0, 0xc3, 0x50],
        [0, 3, 0x0d, 0x40],
        [0, 1, 0x86, 0xa0],
        [0, 0xf, 0x42, 0x40],
    ];
    assert_eq!(frequency.encode(MSS), expected.concat());
    assert_eq!(&Body::RoundTripRequest.encode(MSS)[..], [0x23, 0, 0, 0]);
}

#[test]
fn amounts_are_rounded_as_documented_and_end_at_the_greatest_word() {
    let small = Report {
        largest_delay: Duration::from_nanos(2_999),
        delay: Duration::from_nanos(1_999),
        delivery_rate: BitRate::from_bps(1_999),
        interval: Duration::from_nanos(1),
        ..Report::default()
    };
    let read = Report {
        largest_delay: Duration::from_micros(2),
        delay: Duration::from_micros(1),
        delivery_rate: BitRate::from_kbps(1),
        interval: Duration::from_micros(1),
        ..Report::default()
    };
    assert_eq!(through(&Body::Report(small)), Body::Report(read));
    let great = Report {
        largest_delay: Duration::from_secs(4_295),
        delay: Duration::from_secs(10_000),
        delivery_rate: BitRate::from_bps(u64::MAX),
        window: Bytes(u64::MAX),
        received_in_flight: Bytes(1 << 32),
        interval: Duration::from_nanos(u64::MAX),
        loss_ppm: u32::MAX,
        ..Report::default()
    };
    let most = u64::from(u32::MAX);
    let read = Report {
        largest_delay: Duration::from_micros(most),
        delay: Duration::from_micros(most),
        delivery_rate: BitRate::from_kbps(most),
        window: Bytes(most),
        received_in_flight: Bytes(most),
        interval: Duration::from_micros(most),
        loss_ppm: 1_000_000,
        ..Report::default()
    };
    assert_eq!(through(&Body::Report(great)), Body::Report(read));
}

#[test]
fn of_bubbles_that_do_not_fit_the_last_are_left_out() {
    let bubbles: Vec<_> = (0..200).map(|i| (Bytes(100 * i), Bytes(100 * i + 10))).collect();
    let report = Report { hol: Some(Bytes(1)), bubbles: bubbles.clone(), ..Report::default() };
    let Body::Report(full) = full() else { unreachable!("it is a report") };
    let all_fields = Report { bubbles: bubbles.clone(), ..full };
    // 32 bytes before the bubbles, and 44.
    for (report, room, fits) in [
        (&report, 1448, 177),
        (&report, 36, 1),
        (&report, 43, 1),
        (&report, 44, 1),
        (&report, 48, 2),
        (&all_fields, 51, 0),
        (&all_fields, 52, 1),
    ] {
        let bytes = Body::Report(report.clone()).encode(Bytes(room));
        assert!(bytes.len() as u64 <= room.max(Body::LEAST_ROOM.get()));
        let expected = Report { bubbles: bubbles[..fits].to_vec(), ..report.clone() };
        assert_eq!(Body::decode(AckKind::Tack, &bytes), Ok(Body::Report(expected)), "room {room}");
    }
    assert_eq!(Body::Report(all_fields).encode(Bytes(0)).len() as u64, Body::LEAST_ROOM.get());
}

#[test]
fn a_bubble_without_a_first_hole_is_not_written() {
    let report = Report { bubbles: vec![(Bytes(1), Bytes(2))], ..Report::default() };
    assert_eq!(through(&Body::Report(report)), Body::Report(Report::default()));
}

#[test]
fn no_body_can_be_lengthened_nor_cut_but_for_its_bubbles() {
    for body in
        [full(), any_body(&mut stream(1)), Body::Loss(LossRange { largest: 5, second: 2 }), Body::RoundTripRequest]
    {
        let bytes = body.encode(MSS);
        for kind in kinds(&body) {
            for end in 0..bytes.len() {
                assert_eq!(
                    Body::decode(*kind, &bytes[..end]),
                    without_bubbles_from(&body, end),
                    "{body:?} cut at {end}"
                );
            }
            for more in 1..=8 {
                let longer = [&bytes[..], &vec![0; more]].concat();
                assert_eq!(Body::decode(*kind, &longer), Err(BodyError::Length), "{body:?} and {more}");
            }
        }
    }
}

/// What is left of a body of which so many bytes came.
fn without_bubbles_from(body: &Body, end: usize) -> Result<Body, BodyError> {
    let Body::Report(report) = body else { return Err(BodyError::Length) };
    let fixed = Body::Report(Report { bubbles: Vec::new(), ..report.clone() }).encode(MSS).len();
    let told = end.checked_sub(fixed).ok_or(BodyError::Length)? / 8;
    Ok(Body::Report(Report { bubbles: report.bubbles[..told].to_vec(), ..report.clone() }))
}

#[test]
fn a_part_that_does_not_begin_a_body_is_none_in_windows_below_half_a_megabyte() {
    let bubbles: Vec<_> = (0..150).map(|i| (Bytes(1_448 * 2 * i), Bytes(1_448 * (2 * i + 1)))).collect();
    let report = Report { hol: Some(Bytes(1_448)), bubbles, ..Report::default() };
    let bytes = Body::Report(report).encode(MSS);
    // Behind the first words. In greater windows two bytes of a place may be those of a first word.
    for start in 28..bytes.len() {
        for kind in KINDS {
            assert!(Body::decode(kind, &bytes[start..]).is_err(), "{kind:?} from {start}");
        }
    }
}

#[test]
fn a_body_goes_with_its_own_kinds_only() {
    for seed in 0..64 {
        let body = any_body(&mut stream(seed));
        for kind in KINDS {
            let expected = if kinds(&body).contains(&kind) { Ok(through(&body)) } else { Err(BodyError::Kind) };
            assert_eq!(Body::decode(kind, &body.encode(MSS)), expected, "seed {seed}");
        }
    }
}

#[test]
fn what_is_not_known_is_refused() {
    let report = full().encode(MSS).to_vec();
    let mut refused = 0;
    for bit in 0..16 {
        let mut bytes = report.clone();
        bytes[bit / 8] ^= 0x80 >> (bit % 8);
        refused += usize::from(Body::decode(AckKind::Tack, &bytes) == Err(BodyError::Unknown));
    }
    // Four bits of the version, four of the form (no other one has flags), and the three that mean nothing.
    assert_eq!(refused, 4 + 4 + 3);
    for bytes in [[0; 4], [0x03, 0, 0, 0], [0x13, 0, 0, 0], [0x23, 1, 0, 0], [0x23, 0, 0, 1], [0x2f, 0, 0, 0]] {
        assert_eq!(Body::decode(AckKind::RoundTrip, &bytes), Err(BodyError::Unknown), "{bytes:?}");
    }
}

#[test]
fn impossible_values_are_refused() {
    let base = full().encode(MSS).to_vec();
    let changes: [(usize, [u8; 4]); 7] = [
        (28, [0; 4]),               // no window, though it is there
        (32, [0; 4]),               // no interval
        (36, [0; 4]),               // no loss rate
        (36, [0, 0xf, 0x42, 0x41]), // 1,000,001 of a million
        (40, [0; 4]),               // a hole of nothing
        (48, [0, 0, 8, 1]),         // a bubble of nothing
        (48, [0, 0, 8, 0]),         // a bubble that ends before it begins
    ];
    for (at, word) in changes {
        let mut bytes = base.clone();
        bytes[at..at + 4].copy_from_slice(&word);
        assert_eq!(Body::decode(AckKind::Tack, &bytes), Err(BodyError::Value), "{word:?} at {at}");
    }
    for (largest, second) in [(3, 3), (3, 2), (2, 3), (0, u32::MAX)] {
        let bytes = Body::Loss(LossRange { largest, second }).encode(MSS);
        assert_eq!(Body::decode(AckKind::Loss, &bytes), Err(BodyError::Value));
    }
    let over_the_wrap = Body::Loss(LossRange { largest: 1, second: u32::MAX });
    assert_eq!(through(&over_the_wrap), over_the_wrap);
    let no_hol = [&[0x20, 0, 0, 1][..], &[0; 28]].concat();
    assert_eq!(Body::decode(AckKind::Tack, &no_hol), Err(BodyError::Value));
}

#[test]
fn any_body_comes_back_as_it_was() {
    for seed in 0..2_000 {
        let body = any_body(&mut stream(seed));
        let first = through(&body);
        assert_eq!(first, body, "seed {seed}");
        assert_eq!(first.encode(MSS), body.encode(MSS), "seed {seed}");
    }
}

#[test]
fn what_can_be_read_of_any_bytes_is_written_as_them() {
    let mut read = 0;
    for seed in 0..20_000 {
        let mut stream = stream(seed);
        let body = any_body(&mut stream);
        let mut bytes = body.encode(MSS).to_vec();
        for _ in 0..stream.below(3) {
            let at = stream.below(bytes.len() as u64) as usize;
            bytes[at] = stream.below(256) as u8;
        }
        for kind in KINDS {
            if let Ok(body) = Body::decode(kind, &bytes) {
                read += 1;
                let written = body.encode(Bytes(u64::MAX));
                // A report that announces more bubbles than it has is read as far as it goes.
                let told = |bytes: &[u8]| u16::from_be_bytes([bytes[2], bytes[3]]);
                assert_eq!((&written[..2], &written[4..]), (&bytes[..2], &bytes[4..written.len()]), "seed {seed}");
                assert!(bytes.len() - written.len() < 8 && told(&written) <= told(&bytes), "seed {seed}");
            }
        }
    }
    assert!(read > 10_000, "only {read} could be read");
}

fn through(body: &Body) -> Body {
    Body::decode(kinds(body)[0], &body.encode(MSS)).expect("what is encoded can be decoded")
}

fn stream(seed: u64) -> Stream {
    Stream::new(seed, 0, Purpose::Test)
}

/// A body that the wire can say exactly, and that fits.
fn any_body(stream: &mut Stream) -> Body {
    match stream.below(4) {
        0 => Body::Loss(loss(word(stream), 2 + stream.below(100) as u32)),
        1 => Body::Frequency(FrequencyUpdate {
            serial: word(stream),
            interval: micros(word(stream)),
            min_rtt: micros(word(stream)),
            bandwidth: BitRate::from_kbps(word(stream).into()),
            ack_loss_ppm: stream.below(1_000_001) as u32,
        }),
        2 if stream.below(8) == 0 => Body::RoundTripRequest,
        _ => Body::Report(any_report(stream)),
    }
}

fn loss(second: u32, ahead: u32) -> LossRange {
    LossRange { largest: second.wrapping_add(ahead), second }
}

fn any_report(stream: &mut Stream) -> Report {
    let mut some = |word: u32| if stream.below(2) == 0 { 0 } else { word };
    let (window, interval, loss) = (some(3), some(4), some(5));
    let hol = (stream.below(3) > 0).then(|| Bytes(1 + stream.below((1 << 32) - 1)));
    let bubbles = if hol.is_some() { stream.below(20) } else { 0 };
    Report {
        serial: word(stream),
        largest: word(stream),
        largest_delay: micros(word(stream)),
        delay: micros(word(stream)),
        delivery_rate: BitRate::from_kbps(word(stream).into()),
        application_limited: stream.below(2) == 0,
        window: Bytes(u64::from(window) * stream.below(1 << 28)),
        received_in_flight: Bytes(word(stream).into()),
        interval: micros(interval * stream.below(1 << 28) as u32),
        loss_ppm: loss * stream.below(200_000) as u32,
        hol,
        bubbles: (0..bubbles)
            .map(|_| {
                let start = Bytes(stream.below(1 << 31));
                (start, start + Bytes(1 + stream.below(1 << 20)))
            })
            .collect(),
    }
}

fn word(stream: &mut Stream) -> u32 {
    stream.below(1 << 32) as u32
}

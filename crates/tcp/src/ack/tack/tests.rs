use super::*;

/// Packets of 1000 bytes.
fn ask(policy: &mut Tack, measured: &Measured, millis: u64, place: Place) -> AckDecision {
    let new_bytes = if place == Place::Duplicate { Bytes::ZERO } else { Bytes(1000) };
    let facts = SegmentFacts { new_bytes, full_size: Bytes(1000), place, measured, host: None };
    policy.on_segment(Instant::from_millis(millis), &facts)
}

fn told(millis: u64) -> Measured {
    let mut measured = Measured::default();
    measured.set_rhythm(Rhythm::Every(Duration::from_millis(millis)));
    measured
}

/// A packet each millisecond: when acknowledgements go out.
fn sent(policy: &mut Tack, measured: &Measured, millis: std::ops::Range<u64>) -> Vec<u64> {
    let mut sent = Vec::new();
    for at in millis {
        let now = Instant::from_millis(at);
        let due = policy.deadline().is_some_and(|at| at <= now) && policy.on_deadline(now) != AckDecision::Hold;
        if due {
            policy.on_ack_sent(now);
            sent.push(at);
        }
        if ask(policy, measured, at, Place::InOrder) != AckDecision::Hold {
            policy.on_ack_sent(now);
            sent.push(at);
        }
    }
    sent
}

#[test]
fn equation_4_takes_the_longer_interval() {
    // The paper, IV-B: RTTmin = 200 ms, 10 Mbps, here with beta = 4 and L = 1: 20 Hz, since bw / MSS is 833 Hz.
    let (ten, mss) = (BitRate::from_mbps(10), Bytes(1500));
    assert_eq!(interval(4, 1, mss, ten, Duration::from_millis(200)), Some(Duration::from_millis(50)));
    // RTTmin = 1 ms: beta / RTTmin is 4000 Hz, bw / (2 MSS) is 416.7 Hz, an interval of 2.4 ms.
    assert_eq!(interval(4, 2, mss, ten, Duration::from_millis(1)), Some(Duration::from_micros(2400)));
    // bdp = beta L MSS: both are the same. 9.6 ms times 10 Mbps is 12,000 bytes.
    assert_eq!(interval(4, 2, mss, ten, Duration::from_micros(9600)), Some(Duration::from_micros(2400)));
    assert_eq!(interval(4, 2, mss, BitRate::ZERO, Duration::from_millis(1)), None);
}

#[test]
fn a_large_bdp_makes_it_periodic() {
    let mut policy = Tack::new(4, 2);
    assert_eq!(sent(&mut policy, &told(10), 0..45), [1, 11, 21, 31, 41]);
}

#[test]
fn a_small_bdp_makes_it_count_bytes() {
    // 1/f = 2 ms is what two packets take, one each millisecond.
    let mut policy = Tack::new(4, 2);
    assert_eq!(sent(&mut policy, &told(2), 0..9), [1, 3, 5, 7]);
}

#[test]
fn every_packet_is_acknowledged_until_the_sender_has_told_a_frequency() {
    let mut policy = Tack::new(4, 2);
    let mut measured = Measured::default();
    measured.set_rhythm(Rhythm::PerPacket);
    for (millis, place) in [(0, Place::InOrder), (0, Place::AboveHole), (1, Place::FillsHole), (2, Place::Duplicate)] {
        assert_eq!(ask(&mut policy, &measured, millis, place), AckDecision::Now(AckReason::Count));
        policy.on_ack_sent(Instant::from_millis(millis));
    }
}

#[test]
fn without_permission_every_packet_is_acknowledged_until_rate_and_round_trip_are_known() {
    let mut policy = Tack::new(4, 2);
    let mut measured = Measured::default();
    assert_eq!(ask(&mut policy, &measured, 0, Place::InOrder), AckDecision::Now(AckReason::Count));
    policy.on_ack_sent(Instant::ZERO);
    measured.on_rtt(Duration::from_millis(40));
    assert_eq!(ask(&mut policy, &measured, 1, Place::InOrder), AckDecision::Now(AckReason::Count));
    policy.on_ack_sent(Instant::from_millis(1));
    // 1000 bytes in each of 20 ms, which is 8 Mbps: L MSS / bw = 2 ms, RTTmin / beta = 10 ms.
    (0..=20).for_each(|at| measured.on_data(Instant::from_millis(at), Bytes(1000)));
    assert_eq!(sent(&mut policy, &measured, 21..50), [22, 32, 42]);
    for (place, reason) in [(Place::AboveHole, AckReason::OutOfOrder), (Place::FillsHole, AckReason::HoleFilled)] {
        assert_eq!(ask(&mut policy, &measured, 50, place), AckDecision::Now(reason), "RFC 5681, 4.2");
    }
}

#[test]
fn holes_keep_the_rhythm_where_iacks_tell_of_them() {
    let (mut policy, measured) = (Tack::new(4, 2), told(10));
    policy.on_ack_sent(Instant::ZERO);
    for place in [Place::AboveHole, Place::FillsHole, Place::AboveHole] {
        assert_eq!(ask(&mut policy, &measured, 1, place), AckDecision::Hold);
    }
    assert_eq!(policy.deadline(), Some(Instant::from_millis(10)));
}

#[test]
fn the_tail_waits_40_ms_or_an_interval() {
    for (interval, due) in [(10, 45), (60, 65)] {
        let (mut policy, measured) = (Tack::new(4, 2), told(interval));
        policy.on_ack_sent(Instant::ZERO);
        assert_eq!(ask(&mut policy, &measured, 5, Place::InOrder), AckDecision::Hold);
        assert_eq!(policy.deadline(), Some(Instant::from_millis(due)));
        assert_eq!(policy.on_deadline(Instant::from_millis(due)), AckDecision::Now(AckReason::Timer));
    }
}

#[test]
fn a_duplicate_is_answered_in_the_rhythm_without_waiting_for_more() {
    let (mut policy, measured) = (Tack::new(4, 2), told(10));
    policy.on_ack_sent(Instant::ZERO);
    assert_eq!(ask(&mut policy, &measured, 5, Place::Duplicate), AckDecision::Hold);
    assert_eq!(policy.deadline(), Some(Instant::from_millis(10)));
    policy.on_ack_sent(Instant::from_millis(10));
    assert_eq!(ask(&mut policy, &measured, 30, Place::Duplicate), AckDecision::Now(AckReason::Count));
}

#[test]
fn a_new_frequency_moves_the_deadline_of_what_is_held() {
    let mut policy = Tack::new(4, 2);
    policy.on_ack_sent(Instant::ZERO);
    (1..=2).for_each(|at| assert_eq!(ask(&mut policy, &told(40), at, Place::InOrder), AckDecision::Hold));
    assert_eq!(policy.deadline(), Some(Instant::from_millis(40)));
    policy.on_measured(&told(20));
    assert_eq!(policy.deadline(), Some(Instant::from_millis(20)));
    policy.on_measured(&told(80));
    assert_eq!(policy.on_deadline(Instant::from_millis(40)), AckDecision::Hold);
    assert_eq!(policy.deadline(), Some(Instant::from_millis(80)));
}

#[test]
fn no_acknowledgement_is_held_longer_than_half_a_second_whatever_is_told_or_measured() {
    // RTTmin = 3 s with beta = 1; an hour, as only a segment from an attacker can tell.
    let mut own = Measured::default();
    own.on_rtt(Duration::from_secs(3));
    for i in 0..20 {
        own.on_data(Instant::from_millis(i), Bytes(1000));
    }
    for measured in [own, told(3_600_000)] {
        let mut policy = Tack::new(1, 2);
        policy.on_ack_sent(Instant::from_millis(100));
        assert_eq!(ask(&mut policy, &measured, 100, Place::InOrder), AckDecision::Hold);
        assert_eq!(policy.deadline(), Some(Instant::from_millis(600)));
    }
}

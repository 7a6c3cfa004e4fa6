use ackless_wire::BitRate;

use super::*;

/// What is measured while f is 20 Hz.
fn rhythmic() -> Measured {
    let mut measured = Measured::default();
    measured.set_rhythm(Rhythm::Every(Duration::from_millis(50)));
    measured
}

fn receiving() -> Receiving {
    Receiving::new(TackConfig::default(), Terms::DEFAULT)
}

fn span(start: u64, end: u64) -> (Bytes, Bytes) {
    (Bytes(start), Bytes(end))
}

fn update(serial: u32, millis: u64) -> FrequencyUpdate {
    FrequencyUpdate {
        serial,
        interval: Duration::from_millis(millis),
        min_rtt: Duration::from_millis(200),
        bandwidth: BitRate::from_mbps(300),
        ack_loss_ppm: 100_000,
    }
}

#[test]
fn a_rich_report_tells_distinct_holes_and_then_the_oldest_again_up_to_one_mss() {
    let all = [span(10, 20), span(30, 40), span(50, 60)];
    let room = |bubbles: u64| (Bytes(Body::LEAST_ROOM.get() + 8 * bubbles + 7), Bytes(1000));
    let tell = |blocks, bubbles| receiving().holes(Instant::ZERO, blocks, &rhythmic(), room(bubbles), all.into_iter());
    let told = |bubbles| tell(Blocks::Rich, bubbles);
    let first = Some(Bytes(20));
    assert_eq!(told(0), Holes { hol: first, bubbles: vec![], distinct: 1 });
    assert_eq!(told(1), Holes { hol: first, bubbles: vec![all[1]], distinct: 2 });
    assert_eq!(told(2), Holes { hol: first, bubbles: all[1..].to_vec(), distinct: 3 });
    let bubbles = vec![all[1], all[2], all[0], all[1], all[2], all[0]];
    assert_eq!(told(6), Holes { hol: first, bubbles, distinct: 3 });
    assert_eq!(tell(Blocks::Distinct, 6), told(2));
    let none = receiving().holes(Instant::ZERO, Blocks::Rich, &rhythmic(), room(6), std::iter::empty());
    assert_eq!(none, Holes::default());
}

#[test]
fn in_start_up_one_report_in_a_quarter_of_a_round_trip_lists_the_holes_and_the_others_tell_the_first() {
    let all = [span(10, 20), span(30, 40), span(50, 60)];
    let mut measured = Measured::default();
    measured.set_rhythm(Rhythm::PerPacket);
    measured.on_rtt(Duration::from_millis(80));
    let mut receiving = receiving();
    let mut told = |millis| {
        let sizes = (Bytes(1000), Bytes(1000));
        receiving.holes(Instant::from_millis(millis), Blocks::Rich, &measured, sizes, all.into_iter()).distinct
    };
    assert_eq!([1, 2, 20, 21, 22, 40, 41].map(&mut told), [3, 1, 1, 3, 1, 1, 3]);
}

#[test]
fn a_poor_report_tells_the_first_hole_only() {
    let holes = [span(10, 20), span(30, 40)];
    let sizes = (Bytes(1000), Bytes(1000));
    let told = receiving().holes(Instant::ZERO, Blocks::Poor, &rhythmic(), sizes, holes.into_iter());
    assert_eq!(told, Holes { hol: Some(Bytes(20)), bubbles: vec![], distinct: 1 });
}

#[test]
fn on_demand_holes_are_added_as_soon_as_equation_5_asks_for_them() {
    let mut receiving = receiving();
    let all: Vec<_> = (0..20).map(|i| span(10 * i, 10 * i + 5)).collect();
    let distinct = |receiving: &mut Receiving| {
        let sizes = (Bytes(1000), Bytes(1500));
        receiving.holes(Instant::ZERO, Blocks::OnDemand, &rhythmic(), sizes, all.iter().copied()).distinct
    };
    // rho = 1 % of 1000 packets.
    for number in (1..=1001).filter(|number| number % 100 != 50) {
        receiving.on_packet(Instant::from_millis(number), number as u32, None, &Measured::default());
        while receiving.arrivals.settle(Instant::from_millis(number)).is_some() {}
    }
    receiving.begin_tack(&Measured::default());
    assert_eq!((receiving.arrivals.long_loss_ppm(), distinct(&mut receiving)), (9990, 1));
    // 300 Mbps for 200 ms are 5000 packets, rho' = 10 %: 0.00999 * 0.1 * 5000 = 4.995, so 4 more.
    receiving.on_update(update(1, 50));
    assert_eq!(distinct(&mut receiving), 5);
}

#[test]
fn an_older_update_does_not_undo_a_newer_one() {
    let mut receiving = receiving();
    assert_eq!(receiving.on_update(update(u32::MAX, 0)), Some(Rhythm::PerPacket));
    assert_eq!(receiving.on_update(update(1, 50)), Some(Rhythm::Every(Duration::from_millis(50))));
    assert_eq!(receiving.on_update(update(0, 20)), None);
    assert_eq!(receiving.on_update(update(1, 20)), None);
    assert_eq!(receiving.min_rtt(&Measured::default()), Some(Duration::from_millis(200)));
}

#[test]
fn gaps_settle_for_a_quarter_of_the_least_round_trip_that_is_known() {
    let mut receiving = receiving();
    let mut measured = Measured::default();
    measured.on_rtt(Duration::from_millis(80));
    receiving.on_packet(Instant::ZERO, 2, None, &measured);
    assert_eq!(receiving.arrivals.due(), Some(Instant::from_millis(20)));
    receiving.on_packet(Instant::ZERO, 1, None, &measured);
    receiving.on_update(update(1, 50));
    receiving.on_packet(Instant::ZERO, 4, None, &measured);
    assert_eq!(receiving.arrivals.due(), Some(Instant::from_millis(50)));
}

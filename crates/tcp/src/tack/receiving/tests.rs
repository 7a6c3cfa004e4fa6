use ackless_wire::BitRate;

use super::*;

const EVERY: Rhythm = Rhythm::Every(Duration::from_millis(50));

fn receiving() -> Receiving {
    Receiving::new(AckChoice::Tack { beta: 4, every: 2 })
}

fn seq(start: u32, end: u32) -> (SeqNumber, SeqNumber) {
    (SeqNumber(start), SeqNumber(end))
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
    let receiving = receiving();
    let all = [seq(10, 20), seq(30, 40), seq(50, 60)];
    let room = |bubbles: u64| Bytes(Body::LEAST_ROOM.get() + 8 * bubbles + 7);
    let told = |bubbles| receiving.holes(Blocks::Rich, EVERY, room(bubbles), Bytes(1000), all.into_iter());
    let first = Some(SeqNumber(20));
    assert_eq!(told(0), Holes { hol: first, bubbles: vec![], distinct: 1 });
    assert_eq!(told(1), Holes { hol: first, bubbles: vec![all[1]], distinct: 2 });
    assert_eq!(told(2), Holes { hol: first, bubbles: all[1..].to_vec(), distinct: 3 });
    let bubbles = vec![all[1], all[2], all[0], all[1], all[2], all[0]];
    assert_eq!(told(6), Holes { hol: first, bubbles, distinct: 3 });
    let distinct = receiving.holes(Blocks::Distinct, EVERY, room(6), Bytes(1000), all.into_iter());
    assert_eq!(distinct, told(2));
    let start_up = receiving.holes(Blocks::Rich, Rhythm::PerPacket, room(6), Bytes(1000), all.into_iter());
    assert_eq!(start_up, distinct, "every packet is acknowledged: the next report repeats them");
    assert_eq!(receiving.holes(Blocks::Rich, EVERY, room(6), Bytes(1000), std::iter::empty()), Holes::default());
}

#[test]
fn a_poor_report_tells_the_first_hole_only() {
    let holes = [seq(10, 20), seq(30, 40)];
    let told = receiving().holes(Blocks::Poor, EVERY, Bytes(1000), Bytes(1000), holes.into_iter());
    assert_eq!(told, Holes { hol: Some(SeqNumber(20)), bubbles: vec![], distinct: 1 });
}

#[test]
fn on_demand_holes_are_added_as_soon_as_equation_5_asks_for_them() {
    let mut receiving = receiving();
    let all: Vec<_> = (0..20).map(|i| seq(10 * i, 10 * i + 5)).collect();
    let distinct = |receiving: &Receiving| {
        receiving.holes(Blocks::OnDemand, EVERY, Bytes(1000), Bytes(1500), all.iter().copied()).distinct
    };
    // rho = 1 % of 1000 packets.
    for number in (1..=1001).filter(|number| number % 100 != 50) {
        receiving.on_packet(Instant::from_millis(number), number as u32, None, &Measured::default());
        while receiving.arrivals.settle(Instant::from_millis(number)).is_some() {}
    }
    receiving.begin_tack(&Measured::default());
    assert_eq!((receiving.arrivals.long_loss_ppm(), distinct(&receiving)), (9990, 1));
    // 300 Mbps for 200 ms are 5000 packets, rho' = 10 %: 0.00999 * 0.1 * 5000 = 4.995, so 4 more.
    receiving.on_update(update(1, 50));
    assert_eq!(distinct(&receiving), 5);
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

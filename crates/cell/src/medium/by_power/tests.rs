use ackless_dot11::frame::{Body, HeaderBits};
use ackless_phy::{Band, GuardInterval, HtMode, OfdmRate, Width};
use ackless_wire::{Bytes, Duration};

use super::*;

const A: usize = 0;
const B: usize = 1;
/// The node whose ear is tested.
const EAR: usize = 2;

#[test]
fn a_preamble_is_heard_from_82_dbm_below_a_milliwatt_on_and_3_db_more_for_twice_the_width() {
    for (power, ppdu, heard) in [
        (-82.0, frame(A, B, 100), true),
        (-82.1, frame(A, B, 100), false),
        (-78.98, wide(A, B, 100), true),
        (-79.1, wide(A, B, 100), false),
    ] {
        let mut air = air(power, -200.0, false);
        air.begin(at(0), ppdu, None);
        assert_eq!(air.view(EAR).busy, heard, "{power} dBm");
        run(&mut air, at(100));
        assert!(!air.view(EAR).busy);
        assert_eq!(air.view(EAR).idle_since, at(if heard { 100 } else { 0 }), "{power} dBm");
    }
}

#[test]
fn a_missed_preamble_leaves_energy_from_62_dbm_below_a_milliwatt_on() {
    // The ear is locked on A as B begins; when A is over, only B's energy is left.
    for (power, busy) in [(-62.0, true), (-62.1, false)] {
        let mut air = air(-60.0, power, false);
        air.begin(at(0), frame(A, B, 100), None);
        air.begin(at(50), frame(B, A, 100), None);
        run(&mut air, at(100));
        assert_eq!(air.view(EAR).busy, busy, "{power} dBm");
        assert_eq!(air.hears(EAR), if busy { Hears::Energy { own: true } } else { Hears::Silence });
        run(&mut air, at(150));
        assert_eq!(air.view(EAR).idle_since, at(if busy { 150 } else { 100 }));
    }
}

#[test]
fn energies_add_up() {
    // Twice -65 dBm is -61.99 dBm: none of the two is heard alone, since the ear itself was sending as they began.
    let mut air = air(-65.0, -65.0, false);
    air.begin(at(0), frame(EAR, A, 30), None);
    air.begin(at(10), frame(A, EAR, 100), None);
    run(&mut air, at(30));
    assert!(!air.view(EAR).busy);
    air.begin(at(40), frame(B, EAR, 100), None);
    assert!(air.view(EAR).busy);
    run(&mut air, at(110));
    assert_eq!(air.view(EAR).idle_since, at(110));
}

#[test]
fn the_stronger_of_two_is_captured_if_it_came_first_and_else_only_by_a_receiver_that_relocks() {
    // 802.11a at 6 Mbps needs some 4 dB; 20 dB are plenty, and without them nothing arrives.
    let received = |powers: [f64; 2], relocks| {
        let mut air = air(powers[0], powers[1], relocks);
        air.begin(at(0), frame(A, EAR, 200), None);
        air.begin(at(60), frame(B, EAR, 200), None);
        run(&mut air, at(300)).into_iter().map(|(collided, intact)| (collided, intact == 1)).collect::<Vec<_>>()
    };
    for relocks in [false, true] {
        assert_eq!(received([-50.0, -70.0], relocks), [(false, true), (true, false)]);
        assert_eq!(received([-60.0, -60.0], relocks), [(true, false), (true, false)]);
    }
    assert_eq!(received([-70.0, -50.0], false), [(true, false), (true, false)]);
    assert_eq!(received([-70.0, -50.0], true), [(true, false), (false, true)]);
    // Ten decibels over the other and the noise: 0.02 dB more than over the other alone at -70 dBm.
    assert_eq!(received([-70.0, -60.0], true), [(true, false), (true, false)]);
    assert_eq!(received([-70.0, -59.9], true), [(true, false), (false, true)]);
}

#[test]
fn of_two_that_begin_at_once_the_stronger_is_locked_on_whichever_is_told_first() {
    for (first, second) in [(A, B), (B, A)] {
        let mut air = air(-70.0, -50.0, false);
        air.begin(at(0), frame(first, EAR, 200), None);
        air.begin(at(0), frame(second, EAR, 200), None);
        assert!(matches!(air.hears(EAR), Hears::Locked(Number { place, .. }) if place == u64::from(first == A)));
        let ends = run(&mut air, at(200));
        assert_eq!(ends.iter().filter(|(_, intact)| *intact == 1).count(), 1);
    }
}

#[test]
fn equal_ones_that_begin_at_once_are_lost_in_their_headers_and_leave_energy_and_eifs() {
    for (power, until) in [(-50.0, 200), (-75.0, 20)] {
        let mut air = air(power, power, false);
        air.begin(at(0), frame(A, EAR, 200), None);
        air.begin(at(0), frame(B, EAR, 200), None);
        assert!(matches!(air.hears(EAR), Hears::Locked(_)));
        assert_eq!(run(&mut air, at(200)), [(true, 0), (true, 0)]);
        let view = air.view(EAR);
        assert_eq!((view.idle_since, view.unintelligible), (at(until), true), "{power} dBm");
        // Those who sent heard nothing that failed.
        assert!([A, B].iter().all(|&node| !air.view(node).unintelligible));
    }
}

#[test]
fn a_preamble_4_db_over_what_is_there_is_found_under_interference() {
    // The ear has missed B's preamble while it sent.
    for (power, found) in [(-65.9, true), (-66.1, false)] {
        let mut air = air(power, -70.0, false);
        air.begin(at(0), frame(EAR, B, 30), None);
        air.begin(at(10), frame(B, EAR, 500), None);
        run(&mut air, at(30));
        air.begin(at(100), frame(A, EAR, 100), None);
        assert_eq!(matches!(air.hears(EAR), Hears::Locked(_)), found, "{power} dBm");
    }
}

#[test]
fn a_nav_is_set_where_the_frame_is_decoded_and_nowhere_else() {
    let reserving = |from, to| Ppdu { duration_field: Duration::from_micros(300), ..frame(from, to, 100) };
    let mut air = air(-60.0, -60.0, false);
    air.begin(at(0), reserving(A, B), None);
    run(&mut air, at(100));
    assert_eq!([A, B, EAR].map(|node| air.view(node).nav_until), [Instant::ZERO, Instant::ZERO, at(400)]);
    // A frame that is disturbed sets none, and asks for EIFS.
    air.begin(at(1_000), reserving(A, B), None);
    air.begin(at(1_050), frame(B, A, 100), None);
    run(&mut air, at(1_150));
    assert_eq!((air.view(EAR).nav_until, air.view(EAR).unintelligible), (at(400), true));
    // The next that it locks on ends that.
    air.begin(at(2_000), frame(A, B, 100), None);
    run(&mut air, at(2_100));
    assert!(!air.view(EAR).unintelligible);
}

#[test]
fn who_begins_to_send_lets_go_of_what_it_receives() {
    let mut air = air(-60.0, -60.0, false);
    air.begin(at(0), frame(A, EAR, 200), None);
    air.begin(at(100), frame(EAR, A, 50), None);
    assert!(matches!(air.hears(EAR), Hears::Sending(_)));
    // A sends itself: the ear's frame is lost to it, and A's to the ear. A is over the energy threshold.
    assert_eq!(run(&mut air, at(200)), [(true, 0), (true, 0)]);
    assert!(!air.view(EAR).unintelligible);
}

#[test]
fn a_frame_that_is_too_weak_is_lost_without_a_collision() {
    let mut air = air(-90.0, -60.0, false);
    air.begin(at(0), frame(A, EAR, 200), None);
    assert_eq!(run(&mut air, at(200)), [(false, 0)]);
}

#[test]
fn success_is_the_product_over_stretches_of_constant_interference() {
    let vector = TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz5);
    let mut errors = KnownErrors::default();
    // 30 dB over noise alone; interference that leaves 22 dB for the middle half of the time.
    let (power, noise) = (1e-6, 1e-9);
    let mut lock = Lock::new(Number { place: 0, own: true }, at(0), power, noise);
    lock.interfere(at(0), 0.0);
    let interference = power / Db(22.0).factor() - noise;
    lock.interfere(at(125), interference);
    lock.interfere(at(375), 0.0);
    let success = lock.success((at(0), at(500)), Bytes(1_000), vector, &mut errors);
    let of = |db: f64, bytes: u64| BitErrors::new(vector, Db(db)).success(Bytes(bytes));
    let expected = of(30.0, 500) * of(22.0, 500);
    assert!((success - expected).abs() < 1e-9 && expected < 0.99 && expected > 0.0, "{success}, not {expected}");
    // The half that lies before the interference knows nothing of it.
    let before = lock.success((at(0), at(125)), Bytes(1_000), vector, &mut errors);
    assert!((before - of(30.0, 1_000)).abs() < 1e-12);
}

#[test]
fn interference_counts_as_far_as_it_falls_into_the_width() {
    // 20 MHz into 40: whole; 40 MHz into 20: half.
    for (locked, other, expected) in
        [(wide(A, EAR, 100), frame(B, EAR, 50), 1.0), (frame(A, EAR, 100), wide(B, EAR, 50), 0.5)]
    {
        let mut air = air(-50.0, -60.0, false);
        let vector = locked.txvector;
        air.begin(at(0), locked, None);
        air.begin(at(50), other, None);
        let lock = air.receivers[EAR].lock.as_ref().expect("the ear is locked on A");
        let noise = milliwatt(Dbm(-94.0)) * mhz(vector) / 20.0;
        let sinr = milliwatt(Dbm(-50.0)) / (noise + expected * milliwatt(Dbm(-60.0)));
        let mut errors = KnownErrors::default();
        let success = lock.success((at(60), at(70)), Bytes(1_000), vector, &mut errors);
        let by_hand = BitErrors::new(vector, Db(10.0 * libm::log10(sinr))).success(Bytes(1_000));
        assert!((success - by_hand).abs() < 1e-9, "{success}, not {by_hand}");
    }
}

#[test]
fn a_ppdu_of_another_cell_is_heard_as_any_other_and_is_for_nobody() {
    // A is not of the ear's cell, which has B alone beside it: the nodes are counted from B on.
    let rows = [[0.0, -60.0, -60.0], [-60.0, 0.0, -60.0], [-60.0, -60.0, 0.0]];
    let config = PowerConfig {
        powers: rows.concat().into_iter().map(Dbm).collect(),
        first: 1,
        noise: Dbm(-94.0),
        preamble: Dbm(-82.0),
        energy: Dbm(-62.0),
        relocks: false,
    };
    let mut air = ByPower::new(config, 2, 1);
    let foreign = Ppdu { duration_field: Duration::from_micros(300), ..frame(0, 1, 100) };
    air.begin(at(0), foreign, Some(0));
    assert!((0..2).all(|node| matches!(air.hears(node), Hears::Locked(Number { own: false, .. }))));
    assert!(matches!(air.pop(at(20)), Some(Next::Header)));
    let Some(Next::End(ended)) = air.pop(at(100)) else { panic!("it ends") };
    assert!(ended.received.is_empty() && !ended.transmission.collided);
    assert_eq!(ended.bystanders, [0, 1]);
    air.settle(at(100), ended.number);
    // Its numbers mean nothing here: node 1 of that cell is not node 1 of this one.
    assert_eq!([0, 1].map(|node| air.view(node).nav_until), [at(400), at(400)]);
    // What begins while it is on the air is disturbed by it.
    air.begin(at(1_000), frame(0, 1, 100), Some(0));
    air.begin(at(1_000), frame(0, 1, 100), None);
    let ends = run(&mut air, at(1_100));
    assert_eq!(ends.last(), Some(&(true, 0)));
    assert_eq!(air.hears(0), Hears::Silence);
}

/// Three nodes: the ear hears A and B with these powers, both of which hear all others with -60 dBm.
fn air(a: f64, b: f64, relocks: bool) -> ByPower {
    let rows = [[0.0, -60.0, a], [-60.0, 0.0, b], [-60.0, -60.0, 0.0]];
    let config = PowerConfig {
        powers: rows.concat().into_iter().map(Dbm).collect(),
        first: 0,
        noise: Dbm(-94.0),
        preamble: Dbm(-82.0),
        energy: Dbm(-62.0),
        relocks,
    };
    ByPower::new(config, 3, 1)
}

/// Lets time pass, and says of each PPDU that ended whether it collided, and what its receiver had of it.
fn run(air: &mut ByPower, until: Instant) -> Vec<(bool, u64)> {
    let mut ends = Vec::new();
    while let Some(now) = air.poll_timeout().filter(|now| *now <= until) {
        while let Some(next) = air.pop(now) {
            if let Next::End(ended) = next {
                let intact = ended.received.first().map_or(0, |received| received.intact);
                ends.push((ended.transmission.collided, intact));
                air.settle(now, ended.number);
            }
        }
    }
    ends
}

/// A frame of 802.11a at 6 Mbps, of this many microseconds.
fn frame(from: usize, to: usize, lasts: u64) -> Ppdu {
    Ppdu {
        transmitter: NodeId(from as u16),
        receiver: NodeId(to as u16),
        txvector: TxVector::ofdm(OfdmRate::Mbps6, Band::Ghz5),
        psdu_len: Bytes(20),
        duration: Duration::from_micros(lasts),
        duration_field: Duration::ZERO,
        bits: HeaderBits::default(),
        body: Body::Rts,
    }
}

/// The same over 40 MHz, at MCS 0.
fn wide(from: usize, to: usize, lasts: u64) -> Ppdu {
    let mode = HtMode::new(0, Width::Mhz40, GuardInterval::Long, Band::Ghz5).expect("a mode of 802.11n");
    Ppdu { txvector: TxVector::Ht(mode), ..frame(from, to, lasts) }
}

fn at(micros: u64) -> Instant {
    Instant::from_micros(micros)
}

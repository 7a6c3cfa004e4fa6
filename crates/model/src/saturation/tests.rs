use super::*;
use crate::exchange::tests::{link_a, link_n150};

const PAYLOAD: Bytes = Bytes(1472);
const RULES: [Counter; 2] = [Counter::StepsAtBusy, Counter::Freezes];

fn contention(stations: u32, counter: Counter) -> Contention {
    Contention { stations, cw_min: 15, cw_max: 1023, counter }
}

fn access_a() -> Access {
    let link = link_a();
    Access::with_answer_timeout(&link, &link.longest_exchange(Bytes(1500)), PAYLOAD)
}

#[test]
fn costs_of_802_11a_are_those_worked_by_hand() {
    // 248 + 16 + 28 + 34; 248 + (16 + 9 + 20) + 34; 248 + 34.
    let (link, access) = (link_a(), access_a());
    assert_eq!((access.success, access.collision), (Duration::from_micros(326), Duration::from_micros(327)));
    let bianchi = Access::with_bianchi_collision(&link, &link.longest_exchange(Bytes(1500)), PAYLOAD);
    assert_eq!((bianchi.success, bianchi.collision), (Duration::from_micros(326), Duration::from_micros(282)));
}

#[test]
fn one_station_alone_has_the_goodput_of_the_plain_exchange() {
    for link in [link_a(), link_n150()] {
        let exchange = link.longest_exchange(Bytes(1500));
        let access = Access::with_answer_timeout(&link, &exchange, PAYLOAD);
        for counter in RULES {
            let solved = contention(1, counter).solve(&access);
            let (got, alone) = (solved.throughput.mbps_f64(), exchange.goodput(PAYLOAD).mbps_f64());
            assert!((got / alone - 1.0).abs() < 1e-6, "{counter:?}: {got} is not {alone}");
            assert_eq!(solved.collision_probability, 0.0);
            assert!(solved.collisions_per_second < 1e-9, "{}", solved.collisions_per_second);
        }
    }
}

#[test]
fn tau_and_p_satisfy_both_equations() {
    for counter in RULES {
        for stations in [2, 3, 5, 10, 20, 50, 200, 1_000] {
            let contention = contention(stations, counter);
            let (tau, p) = contention.fixed_point();
            let others = f64::from(stations - 1);
            assert!((p - (1.0 - libm::pow(1.0 - tau, others))).abs() < 1e-12, "{contention:?}");
            assert!(0.0 < tau && tau < 1.0 && 0.0 < p && p < 1.0, "{contention:?}: {tau} {p}");
        }
    }
}

#[test]
fn tau_is_bianchis_closed_form() {
    // Equation 7 of the paper, with W = 16 and m = 6.
    for p in [0.0, 0.1, 0.3, 0.45, 0.7, 0.9] {
        let (w, m) = (16.0, 6.0);
        let equation_7 = 2.0 * (1.0 - 2.0 * p) / ((1.0 - 2.0 * p) * (w + 1.0) + p * w * (1.0 - libm::pow(2.0 * p, m)));
        let got = contention(2, Counter::StepsAtBusy).tau(p);
        assert!((got / equation_7 - 1.0).abs() < 1e-12, "p = {p}: {got} is not {equation_7}");
    }
}

#[test]
fn more_stations_try_less_often_and_collide_more() {
    for counter in RULES {
        let solved: Vec<_> = (1..60).map(|n| contention(n, counter).solve(&access_a())).collect();
        assert!(solved.is_sorted_by(|few, many| few.tau > many.tau));
        assert!(solved.is_sorted_by(|few, many| few.collision_probability < many.collision_probability));
    }
}

#[test]
fn a_constant_window_needs_no_fixed_point() {
    // Bianchi's equation 8: with m = 0, tau is 2 / (W + 1) whatever the number of stations.
    for stations in [1, 2, 17] {
        let contention = Contention { stations, cw_min: 31, cw_max: 31, counter: Counter::StepsAtBusy };
        assert!((contention.fixed_point().0 - 2.0 / 33.0).abs() < 1e-15);
    }
}

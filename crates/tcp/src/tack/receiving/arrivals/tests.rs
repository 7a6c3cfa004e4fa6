use ackless_wire::random::{Purpose, Stream};

use super::*;

const SETTLING: Duration = Duration::from_millis(10);

fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

fn come(arrivals: &mut Arrivals, millis: u64, number: u32) -> Arrival {
    arrivals.on_packet(at(millis), number, SETTLING)
}

fn settled(arrivals: &mut Arrivals, millis: u64) -> Vec<(u32, u32)> {
    std::iter::from_fn(|| arrivals.settle(at(millis))).map(|(range, _)| (range.second, range.largest)).collect()
}

#[test]
fn the_papers_five_packets_lose_number_2_and_then_number_4() {
    // V-A: 2 is dropped, 3 comes and 2 is pulled; sent again as 4 it is dropped again, and 5 shows that.
    let mut arrivals = Arrivals::default();
    come(&mut arrivals, 0, 1);
    come(&mut arrivals, 1, 3);
    assert_eq!(arrivals.due(), Some(at(11)));
    assert_eq!(settled(&mut arrivals, 10), []);
    assert_eq!(arrivals.known(), 1);
    assert_eq!(settled(&mut arrivals, 11), [(1, 3)]);
    assert_eq!((arrivals.due(), arrivals.known()), (None, 3));
    come(&mut arrivals, 40, 5);
    assert_eq!(settled(&mut arrivals, 50), [(3, 5)]);
}

#[test]
fn the_papers_ten_packets_lose_two_ranges() {
    let mut arrivals = Arrivals::default();
    for number in [1, 4, 5, 6, 10] {
        come(&mut arrivals, u64::from(number), number);
    }
    assert_eq!(settled(&mut arrivals, 14), [(1, 4)]);
    assert_eq!(arrivals.known(), 6);
    assert_eq!(settled(&mut arrivals, 20), [(6, 10)]);
    assert_eq!(arrivals.known(), 10);
    arrivals.on_tack();
    assert_eq!(arrivals.loss_ppm(), 500_000);
}

#[test]
fn what_comes_while_it_settles_is_late_and_the_rest_is_lost() {
    let mut arrivals = Arrivals::default();
    come(&mut arrivals, 0, 1);
    come(&mut arrivals, 1, 6);
    assert_eq!(come(&mut arrivals, 2, 4), Arrival::Late);
    assert_eq!(come(&mut arrivals, 3, 4), Arrival::Again);
    assert_eq!(settled(&mut arrivals, 11), [(1, 4), (4, 6)]);
    assert_eq!(come(&mut arrivals, 12, 2), Arrival::Spurious(Duration::from_millis(11)));
    assert_eq!(come(&mut arrivals, 12, 2), Arrival::Again);
    assert_eq!(come(&mut arrivals, 12, 6), Arrival::Again);
    assert_eq!(arrivals.due(), None);
}

#[test]
fn an_order_that_heals_in_time_loses_nothing() {
    let mut arrivals = Arrivals::default();
    for (millis, number) in [(0, 2), (3, 1), (4, 5), (9, 3), (13, 4)] {
        come(&mut arrivals, millis, number);
    }
    assert_eq!((arrivals.due(), arrivals.known()), (None, 5));
    assert_eq!(settled(&mut arrivals, 1000), []);
}

#[test]
fn gaps_are_given_up_in_their_order_though_the_allowance_shrinks() {
    let mut arrivals = Arrivals::default();
    come(&mut arrivals, 0, 2);
    arrivals.on_packet(at(1), 4, Duration::from_millis(1));
    assert_eq!(settled(&mut arrivals, 9), []);
    assert_eq!(settled(&mut arrivals, 10), [(0, 2), (2, 4)]);
}

#[test]
fn rho_is_that_of_the_last_interval_with_packets() {
    let mut arrivals = Arrivals::default();
    for number in (1..=100).filter(|number| number % 10 != 5) {
        come(&mut arrivals, u64::from(number), number);
    }
    assert_eq!(settled(&mut arrivals, 200).len(), 10);
    arrivals.on_tack();
    assert_eq!(arrivals.loss_ppm(), 100_000);
    arrivals.on_tack();
    assert_eq!(arrivals.loss_ppm(), 100_000, "no packet was expected");
    (101..=200).for_each(|number| _ = come(&mut arrivals, 200, number));
    arrivals.on_tack();
    assert_eq!((arrivals.loss_ppm(), arrivals.long_loss_ppm()), (0, 50_000));
}

#[test]
fn a_peer_that_begins_with_a_great_number_has_lost_nothing_below_it() {
    for first in [FIRST + 1, 1_000_000, u32::MAX - 1] {
        let mut arrivals = Arrivals::default();
        come(&mut arrivals, 0, first);
        come(&mut arrivals, 1, first.wrapping_add(2));
        assert_eq!(settled(&mut arrivals, 20), [(first, first.wrapping_add(2))]);
        arrivals.on_tack();
        assert_eq!(arrivals.loss_ppm(), 333_333, "one of three");
    }
    // So many may have been lost of a first window.
    let mut arrivals = Arrivals::default();
    come(&mut arrivals, 0, FIRST);
    assert_eq!(settled(&mut arrivals, 10), [(0, FIRST)]);
}

#[test]
fn numbers_survive_the_wrap() {
    let mut arrivals = Arrivals { largest: u64::from(u32::MAX) - 1, settled: 5, ..Arrivals::default() };
    assert_eq!(come(&mut arrivals, 0, u32::MAX), Arrival::Newest);
    assert_eq!(come(&mut arrivals, 1, 2), Arrival::Newest);
    assert_eq!(arrivals.largest(), (1 << 32) + 2);
    assert_eq!(come(&mut arrivals, 2, 0), Arrival::Late);
    assert_eq!(settled(&mut arrivals, 20), [(0, 2)]);
}

#[test]
fn the_oldest_of_too_many_gaps_are_forgotten() {
    let mut arrivals = Arrivals::default();
    for i in 1..=MAX_GAPS as u32 + 3 {
        come(&mut arrivals, 0, 2 * i);
    }
    assert_eq!(arrivals.gaps.len(), MAX_GAPS);
    assert_eq!(come(&mut arrivals, 1, 5), Arrival::Again);
    assert_eq!(come(&mut arrivals, 1, 7), Arrival::Late);
}

#[test]
fn a_number_that_follows_is_taken_as_any_other_is() {
    for seed in 0..50 {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let largest = if random.chance(0.5) { 0 } else { u64::from(u32::MAX) - 50 };
        let mut arrivals = Arrivals { largest, ..Arrivals::default() };
        let mut followed = 0;
        for millis in 0..200 {
            let ahead = if random.chance(0.6) { 1 } else { random.below(8) as u32 };
            let number =
                (arrivals.largest as u32).wrapping_add(ahead).wrapping_sub(random.below(2) as u32 * (ahead / 4));
            let mut other = arrivals.clone();
            let fits = come(&mut other, millis, number);
            if arrivals.takes_next(at(millis), number) {
                assert_eq!((fits, format!("{other:?}")), (Arrival::Newest, format!("{arrivals:?}")), "seed {seed}");
                followed += 1;
            }
            arrivals = other;
            settled(&mut arrivals, millis);
        }
        assert!((100..180).contains(&followed), "seed {seed}: {followed}");
    }
}

#[test]
fn no_more_gaps_are_remembered_however_numbers_jump_and_fill_them() {
    let mut arrivals = Arrivals::default();
    come(&mut arrivals, 0, 1);
    come(&mut arrivals, 1, 1 << 30);
    for number in 0..3 * MAX_GAPS as u32 {
        come(&mut arrivals, 2, 3 + 2 * number);
        assert!(arrivals.gaps.len() <= MAX_GAPS, "{number}: {}", arrivals.gaps.len());
    }
    assert_eq!(arrivals.gaps.len(), MAX_GAPS);
}

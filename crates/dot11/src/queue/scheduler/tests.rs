//! The three rules over receivers that always have frames, and over some that come and go.

use ackless_wire::random::{Purpose, Stream};

use super::*;

const ALL: [SchedulerKind; 3] = [SchedulerKind::RoundRobin, SchedulerKind::Fcfs, SchedulerKind::Airtime];

/// Serves receivers that always have frames for `accesses`, each taking the receiver's PPDU time; accesses and air time
/// of each.
fn saturate(kind: SchedulerKind, ppdu: &[Duration], accesses: u64) -> Vec<(u64, Duration)> {
    let mut scheduler = Scheduler::new(kind, ppdu.len());
    let mut served = vec![(0, Duration::ZERO); ppdu.len()];
    for receiver in 0..ppdu.len() {
        scheduler.update(receiver, Some(Instant::ZERO));
    }
    for access in 1..=accesses {
        let receiver = scheduler.pick().expect("everyone has frames");
        served[receiver].0 += 1;
        served[receiver].1 += ppdu[receiver];
        scheduler.charge(receiver, ppdu[receiver]);
        scheduler.update(receiver, Some(Instant::from_micros(access)));
    }
    served
}

#[test]
fn round_robin_gives_equal_accesses_and_air_time_fairness_equal_air_time() {
    let ppdu = [200, 450, 4000, 5484].map(Duration::from_micros);
    for kind in [SchedulerKind::RoundRobin, SchedulerKind::Fcfs] {
        let served = saturate(kind, &ppdu, 40_000);
        assert!(served.iter().all(|&(accesses, _)| accesses == 10_000), "{kind:?}: {served:?}");
    }
    let served = saturate(SchedulerKind::Airtime, &ppdu, 40_000);
    let (least, most) = (served.iter().map(|s| s.1).min(), served.iter().map(|s| s.1).max());
    let spread = most.expect("four receivers") - least.expect("four receivers");
    // Each is at most one quantum ahead, and one PPDU behind.
    assert!(spread <= Duration::from_micros(5484 + 600), "{served:?}");
    assert!(served[0].0 > 20 * served[3].0, "{served:?}");
}

#[test]
fn whoever_has_frames_is_picked_and_nobody_else() {
    for kind in ALL {
        for seed in 0..50 {
            let mut random = Stream::new(seed, 0, Purpose::Test);
            let mut scheduler = Scheduler::new(kind, 8);
            let mut waiting = [0u64; 8];
            let mut passed_over = [0; 8];
            for step in 0..4_000 {
                let now = Instant::from_micros(step);
                if random.chance(0.5) {
                    let receiver = random.below(8) as usize;
                    waiting[receiver] += 1 + random.below(3);
                    // FCFS goes by the oldest frame; here a receiver's frames are all as old as its last change.
                    scheduler.update(receiver, Some(now));
                }
                assert_eq!(scheduler.any_ready(), waiting.iter().any(|&n| n > 0), "{kind:?}, seed {seed}");
                let Some(receiver) = scheduler.pick() else {
                    assert_eq!(waiting, [0; 8], "{kind:?}, seed {seed}, step {step}");
                    continue;
                };
                assert!(waiting[receiver] > 0, "{kind:?}, seed {seed}, step {step}: {receiver} has nothing");
                scheduler.charge(receiver, Duration::from_micros(100 + random.below(2_000)));
                waiting[receiver] -= 1;
                scheduler.update(receiver, (waiting[receiver] > 0).then_some(now));
                for other in 0..8 {
                    let waits = other != receiver && waiting[other] > 0;
                    passed_over[other] = if waits { passed_over[other] + 1 } else { 0 };
                }
                // Round robin passes nobody over twice. With air time the bound is the largest charge of 2.1 ms, seven
                // rounds in which each of seven others sends up to three times.
                let bound = match kind {
                    SchedulerKind::RoundRobin => 7,
                    SchedulerKind::Airtime => 150,
                    SchedulerKind::Fcfs => u32::MAX,
                };
                assert!(passed_over.iter().all(|&n| n <= bound), "{kind:?}, seed {seed}: {passed_over:?}");
            }
        }
    }
}

#[test]
fn first_come_is_first_served() {
    let mut scheduler = Scheduler::new(SchedulerKind::Fcfs, 3);
    scheduler.update(0, Some(Instant::from_micros(30)));
    scheduler.update(1, Some(Instant::from_micros(10)));
    scheduler.update(2, Some(Instant::from_micros(20)));
    assert_eq!(scheduler.pick(), Some(1));
    scheduler.update(1, Some(Instant::from_micros(25)));
    assert_eq!(scheduler.pick(), Some(2));
    scheduler.update(2, None);
    assert_eq!(scheduler.pick(), Some(1));
    scheduler.update(1, None);
    assert_eq!(scheduler.pick(), Some(0));
    scheduler.update(0, None);
    assert_eq!(scheduler.pick(), None);
}

#[test]
fn a_station_that_has_just_begun_goes_before_those_that_keep_sending() {
    let mut scheduler = Scheduler::new(SchedulerKind::Airtime, 3);
    for busy in 0..2 {
        scheduler.update(busy, Some(Instant::ZERO));
    }
    for _ in 0..10 {
        let busy = scheduler.pick().expect("two have frames");
        scheduler.charge(busy, Duration::from_millis(2));
    }
    scheduler.update(2, Some(Instant::ZERO));
    assert_eq!(scheduler.pick(), Some(2));
}

#[test]
fn a_station_that_comes_back_at_once_does_not_go_first_again() {
    let mut scheduler = Scheduler::new(SchedulerKind::Airtime, 2);
    scheduler.update(0, Some(Instant::ZERO));
    assert_eq!(scheduler.pick(), Some(0));
    scheduler.charge(0, Duration::from_micros(50));
    scheduler.update(0, None);
    scheduler.update(1, Some(Instant::ZERO));
    assert_eq!(scheduler.pick(), Some(1), "the first one is empty and leaves the new stations");
    scheduler.update(0, Some(Instant::ZERO));
    let next: Vec<_> = (0..2).filter_map(|_| scheduler.pick()).collect();
    assert_eq!(next, [1, 1], "it stands behind the other, which has not used up its quantum");
}

#[test]
fn a_debt_from_the_past_ends() {
    let mut scheduler = Scheduler::new(SchedulerKind::Airtime, 2);
    scheduler.charge(0, Duration::from_secs(60));
    scheduler.update(0, Some(Instant::ZERO));
    scheduler.update(1, Some(Instant::ZERO));
    let mut before = Duration::ZERO;
    while scheduler.pick() != Some(0) {
        before += Duration::from_millis(1);
        scheduler.charge(1, Duration::from_millis(1));
    }
    assert!(before > Duration::from_millis(28) && before < Duration::from_millis(32), "after {before}");
}

//! Timelines of one station's channel access, worked by hand, in microseconds.
//!
//! DCF here is that of 802.11a (DIFS 34, slot 9), EDCA that of 802.11n's best effort at 5 GHz (AIFS 43, slot 9); windows go from 15 to 1023.

use super::*;
use ackless_wire::random::Purpose;

/// Microseconds since the start.
const fn at(micros: u64) -> Instant {
    Instant::from_micros(micros)
}

const fn us(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

const fn parameters(function: Function) -> Parameters {
    let ifs = match function {
        Function::Dcf => us(34),
        Function::Edca => us(43),
    };
    Parameters { function, ifs, slot: us(9), cw_min: 15, cw_max: 1023 }
}

/// Access whose first counters are these, each as (contention window, counter).
fn drawing(function: Function, counters: &[(u16, u32)]) -> ChannelAccess {
    let fits = |seed: &u64| {
        let mut stream = Stream::new(*seed, 0, Purpose::Backoff);
        counters.iter().all(|&(window, counter)| stream.below(u64::from(window) + 1) == u64::from(counter))
    };
    let seed = (0..1_000_000).find(fits).expect("some seed draws these counters");
    ChannelAccess::new(parameters(function), BackoffPolicy::Standard, Stream::new(seed, 0, Purpose::Backoff))
}

/// The medium is idle from `since` on, and nothing holds this station back.
fn idle(access: &mut ChannelAccess, since: u64) {
    let first_slot = at(since) + access.parameters().ifs;
    access.resume(at(since), first_slot);
}

/// Access with this counter on a medium that is idle from 100 on: its frame came at 50, while the medium was busy.
fn counting(function: Function, counter: u32) -> ChannelAccess {
    let mut access = drawing(function, &[(15, counter)]);
    access.pause(at(10));
    access.request(at(50));
    idle(&mut access, 100);
    access
}

#[test]
fn an_undisturbed_counter_of_k_starts_k_slots_after_difs_or_aifs() {
    for k in [0, 1, 7, 15] {
        assert_eq!(counting(Function::Dcf, k).grant(), Some(at(100 + 34 + 9 * u64::from(k))), "DCF, {k}");
        assert_eq!(counting(Function::Edca, k).grant(), Some(at(100 + 43 + 9 * u64::from(k))), "EDCA, {k}");
    }
}

#[test]
fn dcf_does_not_count_a_slot_that_is_cut_short() {
    // Idle 100, DIFS to 134, slots end at 143 and 152; busy at 157 cuts the third: 5 - 2 = 3 left.
    let mut access = counting(Function::Dcf, 5);
    access.pause(at(157));
    assert_eq!(access.grant(), None);
    idle(&mut access, 300);
    assert_eq!(access.grant(), Some(at(300 + 34 + 3 * 9)));
}

#[test]
fn edca_counts_at_each_boundary_the_end_of_aifs_included() {
    // Idle 100, boundaries at 143, 152 and 161; busy at 166: 5 - 3 = 2 left.
    let mut access = counting(Function::Edca, 5);
    access.pause(at(166));
    idle(&mut access, 300);
    assert_eq!(access.grant(), Some(at(300 + 43 + 2 * 9)));
}

#[test]
fn a_busy_period_that_begins_on_a_boundary_counts_for_edca_but_not_for_dcf() {
    // Both have 2 to go, and somebody else begins one slot after the inter-frame space.
    // DCF: the slot from 134 to 143 was whole, 1 left, one slot after the next DIFS.
    let mut dcf = counting(Function::Dcf, 2);
    dcf.pause(at(143));
    idle(&mut dcf, 300);
    assert_eq!(dcf.grant(), Some(at(300 + 34 + 9)));
    // EDCA: boundaries at 143 and 152, nothing left, right at the end of the next AIFS.
    let mut edca = counting(Function::Edca, 2);
    edca.pause(at(152));
    idle(&mut edca, 300);
    assert_eq!(edca.grant(), Some(at(300 + 43)));
}

#[test]
fn a_frozen_dcf_station_has_at_least_one_slot_to_go() {
    // With 3 slots it would send at 161. Whoever begins before that leaves it at least one.
    for busy in 135..161 {
        let mut access = counting(Function::Dcf, 3);
        access.pause(at(busy));
        assert!(access.slots >= 1, "busy at {busy}");
    }
}

#[test]
fn a_counter_does_not_move_before_the_inter_frame_space_is_over() {
    for (function, ifs) in [(Function::Dcf, 34), (Function::Edca, 43)] {
        let mut access = counting(function, 4);
        access.pause(at(100 + ifs - 1));
        idle(&mut access, 300);
        assert_eq!(access.grant(), Some(at(300 + ifs + 4 * 9)), "{function:?}");
    }
}

#[test]
fn a_counter_survives_any_number_of_busy_periods() {
    // DCF, 6 slots: 2 whole ones in the first silence, none in the second, 3 in the third, 1 left.
    let mut access = counting(Function::Dcf, 6);
    access.pause(at(134 + 18));
    idle(&mut access, 300);
    access.pause(at(334 + 8));
    idle(&mut access, 500);
    access.pause(at(534 + 27));
    idle(&mut access, 700);
    assert_eq!(access.grant(), Some(at(734 + 9)));
}

#[test]
fn dcf_sends_at_once_what_arrives_on_a_medium_that_was_idle_for_difs() {
    let mut access = drawing(Function::Dcf, &[(15, 9)]);
    access.request(at(1000));
    assert_eq!(access.grant(), Some(at(1000)));
}

#[test]
fn dcf_lets_what_arrives_within_difs_wait_for_its_rest() {
    let mut access = drawing(Function::Dcf, &[(15, 9)]);
    access.pause(at(10));
    idle(&mut access, 100);
    access.request(at(120));
    assert_eq!(access.grant(), Some(at(134)));
}

#[test]
fn dcf_draws_for_a_frame_whose_difs_is_cut_short() {
    // The frame came at 120 and would have gone at 134, but at 130 somebody who waits for less began. Its counter is 9.
    let mut access = drawing(Function::Dcf, &[(15, 9)]);
    access.pause(at(10));
    idle(&mut access, 100);
    access.request(at(120));
    access.pause(at(130));
    idle(&mut access, 300);
    assert_eq!(access.grant(), Some(at(334 + 9 * 9)));
}

#[test]
fn edca_sends_what_arrives_on_an_idle_medium_at_the_next_slot_boundary() {
    // Boundaries at 43 + 9 n: 997 and 1006.
    for (arrival, start) in [(997, 997), (998, 1006), (1005, 1006), (1006, 1006)] {
        let mut access = drawing(Function::Edca, &[(15, 9)]);
        access.request(at(arrival));
        assert_eq!(access.grant(), Some(at(start)), "arrival at {arrival}");
    }
}

#[test]
fn edca_keeps_a_counter_of_zero_that_was_cut_short() {
    let mut access = drawing(Function::Edca, &[(15, 9)]);
    access.pause(at(10));
    idle(&mut access, 100);
    access.request(at(120));
    access.pause(at(130));
    idle(&mut access, 300);
    assert_eq!(access.grant(), Some(at(343)));
}

#[test]
fn what_arrives_while_the_medium_is_busy_draws_a_counter() {
    for (function, ifs) in [(Function::Dcf, 34), (Function::Edca, 43)] {
        let mut access = drawing(function, &[(15, 11)]);
        access.pause(at(10));
        access.request(at(60));
        assert_eq!(access.grant(), None, "nothing is granted on a busy medium");
        idle(&mut access, 100);
        assert_eq!(access.grant(), Some(at(100 + ifs + 11 * 9)), "{function:?}");
    }
}

#[test]
fn a_second_request_changes_nothing() {
    let mut access = counting(Function::Dcf, 5);
    let before = access.grant();
    access.request(at(140));
    assert_eq!(access.grant(), before);
}

#[test]
fn what_arrives_during_post_backoff_waits_for_its_end() {
    // The own exchange ended at 100 in success with nothing more to send; the counter of 6 runs from 134 to 188.
    let mut access = drawing(Function::Dcf, &[(15, 6)]);
    access.pause(at(10));
    access.settle(Settled::Done, false);
    idle(&mut access, 100);
    assert_eq!(access.grant(), None, "nothing waits");
    let mut later = access.clone();
    access.request(at(150));
    assert_eq!(access.grant(), Some(at(134 + 6 * 9)));
    later.request(at(189));
    assert_eq!(later.grant(), Some(at(189)), "post-backoff was over");
}

#[test]
fn post_backoff_stops_while_the_medium_is_busy() {
    // 6 slots, of which 2 passed before the medium got busy at 152. The frame comes while it is busy and draws nothing new.
    let mut access = drawing(Function::Dcf, &[(15, 6)]);
    access.pause(at(10));
    access.settle(Settled::Done, false);
    idle(&mut access, 100);
    access.pause(at(152));
    access.request(at(200));
    idle(&mut access, 300);
    assert_eq!(access.grant(), Some(at(334 + 4 * 9)));
}

#[test]
fn a_nav_in_the_future_counts_as_busy() {
    // The medium is silent from 100 on but reserved until 160. What comes at 130 draws 3, what comes at 165 does not.
    let mut early = drawing(Function::Dcf, &[(15, 3)]);
    early.pause(at(10));
    early.resume(at(160), at(160 + 34));
    let mut late = early.clone();
    early.request(at(130));
    assert_eq!(early.grant(), Some(at(194 + 3 * 9)));
    late.request(at(165));
    assert_eq!(late.grant(), Some(at(194)));
}

#[test]
fn eifs_holds_the_counter_longer() {
    // EIFS of 802.11a: 94. A busy period after 60 of them leaves the counter alone, one after 94 + 20 takes 2.
    let mut access = drawing(Function::Dcf, &[(15, 4)]);
    access.pause(at(10));
    access.request(at(50));
    access.resume(at(100), at(194));
    assert_eq!(access.grant(), Some(at(194 + 4 * 9)));
    access.pause(at(160));
    access.resume(at(300), at(394));
    access.pause(at(394 + 20));
    idle(&mut access, 500);
    assert_eq!(access.grant(), Some(at(534 + 2 * 9)));
}

#[test]
fn what_was_waited_for_is_known() {
    let access = counting(Function::Edca, 5);
    assert_eq!(access.waited(), Some(Waited { idle_since: at(100), first_slot: at(143) }));
}

#[test]
fn the_window_doubles_with_each_failure_up_to_the_largest_and_success_resets_it() {
    let mut access = drawing(Function::Dcf, &[(15, 0)]);
    assert_eq!(access.window, 15);
    for window in [31, 63, 127, 255, 511, 1023, 1023, 1023] {
        access.settle(Settled::Failed, true);
        assert_eq!(access.window, window);
        assert!(access.wants(), "what failed is sent again");
    }
    access.settle(Settled::Done, true);
    assert_eq!((access.window, access.wants()), (15, true));
    access.settle(Settled::Failed, true);
    access.settle(Settled::Done, false);
    assert_eq!((access.window, access.wants()), (15, false));
}

#[test]
fn a_failure_draws_from_the_doubled_window() {
    // Failure at 100 with a window of 31 and a counter of 25, which a window of 15 does not have.
    let mut access = drawing(Function::Edca, &[(31, 25)]);
    access.pause(at(10));
    access.settle(Settled::Failed, true);
    idle(&mut access, 100);
    assert_eq!(access.grant(), Some(at(143 + 25 * 9)));
}

#[test]
fn counters_are_drawn_from_zero_to_the_window_both_included() {
    let mut access = drawing(Function::Dcf, &[(15, 0)]);
    let mut drawn = [false; 16];
    for _ in 0..1000 {
        access.settle(Settled::Done, false);
        drawn[access.slots as usize] = true;
    }
    assert_eq!(drawn, [true; 16]);
}

#[test]
fn a_withdrawn_request_leaves_the_counter_running() {
    let mut access = counting(Function::Dcf, 5);
    access.withdraw_request();
    assert_eq!(access.grant(), None);
    access.request(at(150));
    assert_eq!(access.grant(), Some(at(134 + 5 * 9)));
}

#[test]
fn a_station_is_settled_once_nothing_waits_and_its_counter_has_run_out() {
    assert!(drawing(Function::Dcf, &[(15, 3)]).is_settled(at(0)), "a fresh station has no counter");
    // Post-backoff of 3: a frame that comes earlier than three slots after DIFS or AIFS waits until then.
    for (function, last) in [(Function::Dcf, 161), (Function::Edca, 170)] {
        let mut access = drawing(function, &[(15, 3)]);
        access.pause(at(10));
        access.settle(Settled::Done, false);
        assert!(!access.is_settled(at(50)), "a stopped counter has to run yet");
        idle(&mut access, 100);
        assert!(!access.is_settled(at(last - 1)), "{function:?}");
        assert!(access.is_settled(at(last)), "{function:?}");
        access.request(at(last));
        assert!(!access.is_settled(at(last)), "a frame waits");
    }
}

/// A medium with one station under test, which is told of every change, and its twin, which is told as little as may be.
struct Twins {
    eager: ChannelAccess,
    lazy: ChannelAccess,
    /// Since when the medium is idle for both, and when their first slot begins; nothing while it is busy.
    silence: Option<(Instant, Instant)>,
    random: Stream,
}

impl Twins {
    fn new(seed: u64) -> Self {
        let mut random = Stream::new(seed, 0, Purpose::Test);
        let function = if random.chance(0.5) { Function::Dcf } else { Function::Edca };
        let access = || {
            ChannelAccess::new(parameters(function), BackoffPolicy::Standard, Stream::new(seed, 0, Purpose::Backoff))
        };
        let ifs = parameters(function).ifs;
        Self { eager: access(), lazy: access(), silence: Some((Instant::ZERO, Instant::ZERO + ifs)), random }
    }

    fn request(&mut self, now: Instant) {
        self.eager.request(now);
        if !self.lazy.wants() && self.lazy.is_settled(now) {
            self.lazy.pause(now);
            if let Some((since, first_slot)) = self.silence {
                self.lazy.resume(since, first_slot);
            }
        }
        self.lazy.request(now);
    }

    fn busy(&mut self, now: Instant) {
        self.silence = None;
        self.eager.pause(now);
        if !self.lazy.is_settled(now) {
            self.lazy.pause(now);
        }
    }

    /// The medium falls silent, sometimes with a NAV or an EIFS.
    fn idle(&mut self, now: Instant) {
        let ifs = self.eager.parameters().ifs;
        let since = if self.random.chance(0.2) { now + us(self.random.below(100)) } else { now };
        let first_slot = since + ifs + if self.random.chance(0.2) { us(60) } else { Duration::ZERO };
        self.silence = Some((since, first_slot));
        self.eager.resume(since, first_slot);
        if !self.lazy.is_settled(now) {
            self.lazy.resume(since, first_slot);
        }
    }

    /// The grant was taken: an own frame exchange, which ends well or not. Returns when it is over.
    fn exchange(&mut self, now: Instant) -> Instant {
        self.busy(now);
        let end = now + us(50 + self.random.below(300));
        if self.random.chance(0.3) {
            self.eager.settle(Settled::Failed, true);
            self.lazy.settle(Settled::Failed, true);
        } else {
            let waiting = self.random.chance(0.3);
            self.eager.settle(Settled::Done, waiting);
            self.lazy.settle(Settled::Done, waiting);
        }
        end
    }
}

#[test]
fn a_station_that_is_told_late_is_granted_the_same_times_as_one_that_is_told_all() {
    let mut grants = 0;
    for seed in 0..400 {
        let mut twins = Twins::new(seed);
        let mut now = Instant::ZERO;
        for step in 0..200 {
            // In silence: a request, the own grant, or somebody else's transmission; a request may come while it is busy too.
            // Every other seed keeps to whole microseconds, so that things happen on slot boundaries.
            now += us(twins.random.below(120)) + Duration::from_nanos(twins.random.below(1000) * (seed % 2));
            if twins.random.chance(0.3) {
                twins.request(now);
            }
            assert_eq!(twins.eager.grant(), twins.lazy.grant(), "seed {seed}, step {step}, {now}");
            let grant = twins.eager.grant().map(|grant| grant.max(now));
            match grant {
                Some(grant) if twins.random.chance(0.5) => {
                    grants += 1;
                    now = twins.exchange(grant);
                }
                _ => {
                    // Whoever is granted this very instant would send too.
                    if grant == Some(now) {
                        now = twins.exchange(now);
                    } else {
                        twins.busy(now);
                        now += us(30 + twins.random.below(200));
                    }
                }
            }
            if twins.random.chance(0.3) {
                twins.request(now);
            }
            twins.idle(now);
        }
    }
    assert!(grants > 5_000, "only {grants} grants were compared");
}

/// The windows of a station under auto-zoom after each of `ends`; the paper's count of values is one more.
fn zoomed(ends: &[Settled]) -> Vec<u16> {
    let parameters = Parameters { cw_min: 31, cw_max: 1023, ..parameters(Function::Dcf) };
    let stream = Stream::new(1, 0, Purpose::Backoff);
    let mut access = ChannelAccess::new(parameters, BackoffPolicy::AutoZoom { floor: 1 }, stream);
    let settle = |&end| {
        access.settle(end, true);
        access.window()
    };
    ends.iter().map(settle).collect()
}

#[test]
fn auto_zoom_goes_down_by_one_to_its_floor_and_jumps_back_to_cw_min() {
    let mut ends = vec![Settled::Done; 40];
    ends.extend([Settled::Failed, Settled::Failed, Settled::Done, Settled::Done]);
    let windows = zoomed(&ends);
    let down: Vec<u16> = (1..31).rev().collect();
    assert_eq!(windows[..30], down);
    assert_eq!(windows[30..40], [1; 10]);
    // 2 values doubled are 4, below CWmin, so CWmin's 32; then 64; a success above CWmin leads to it, and the next one below it.
    assert_eq!(windows[40..], [31, 63, 31, 30]);
}

#[test]
fn auto_zoom_doubles_a_window_whose_double_lies_above_cw_min_and_stops_at_cw_max() {
    // After 10 successes 22 values, doubled 44.
    let mut ends = vec![Settled::Done; 10];
    ends.extend([Settled::Failed; 7]);
    assert_eq!(zoomed(&ends)[9..], [21, 43, 87, 175, 351, 703, 1023, 1023]);
}

#[test]
fn auto_zoom_starts_anew_from_cw_min_with_a_frame_that_was_given_up() {
    assert_eq!(zoomed(&[Settled::Done, Settled::Done, Settled::GivenUp, Settled::Done]), [30, 29, 31, 30]);
}

#[test]
fn what_takes_a_medium_for_idle_that_is_busy_to_this_instant_draws_nothing_but_waits_for_a_pending_counter() {
    for function in [Function::Dcf, Function::Edca] {
        let mut access = drawing(function, &[(15, 9)]);
        access.pause(at(10));
        access.request_without_draw(at(100));
        idle(&mut access, 100);
        assert_eq!(access.grant(), Some(at(100) + access.parameters().ifs), "{function:?}");
        // A post-back-off that still runs is waited for.
        let mut access = drawing(function, &[(15, 9)]);
        access.settle(Settled::Done, false);
        access.pause(at(10));
        access.request_without_draw(at(100));
        idle(&mut access, 100);
        assert_eq!(access.grant(), Some(at(100) + access.parameters().ifs + us(9 * 9)), "{function:?}");
    }
}

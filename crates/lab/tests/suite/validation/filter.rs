//! Claims of the paper on 802.11 ACK filtering (Statkus and Paulikas), in the built-in scenario `ack-filter-80211a`.
//!
//! `docs/validation.md` has every claim with the paper's figure, ours, and the experiment that explains the difference.

use ackless_cell::result::RunResult;
use ackless_lab::statistics::Estimate;
use ackless_model::Download;
use ackless_model::ack_filter::{Equations, frames_saved};
use ackless_model::exchange::Link;
use ackless_model::hack::contention;
use ackless_phy::{Band, OfdmRate, Standard, TxVector};
use ackless_wire::Bytes;

use super::support::{agrees, estimate, gain, half, runs, shown};

#[test]
fn thirty_percent_lie_between_frames_of_one_byte_and_of_sixty_four() {
    // Claim filter-1: "up to 30 %" with "very small frames" at 24 Mbps.
    let gain = |bytes| Equations::A.gain(OfdmRate::Mbps24, Bytes(bytes));
    println!("filter-1: paper up to 30 %, equations {:.1} % for 1 byte, {:.1} % for 64 bytes", gain(1), gain(64));
    assert!(gain(64) < 30.0 && gain(1) > 30.0, "{} to {} %", gain(64), gain(1));
    assert!([1, 64, 200, 500, 1_000, 1_500].map(gain).is_sorted_by(|a, b| a > b), "longer frames gain more");
}

#[test]
fn goodput_is_below_the_paper_s_and_its_gain_at_the_highest_group_rates_the_same() {
    // Claim filter-2: 26 and 27.5 Mbps differ, 5.8 % agrees where group-addressed frames go at 36 Mbps or more.
    let tcp = runs(SCENARIO, "tcp", &[], SEEDS);
    assert!(!agrees("filter-2, off, Mbps", 26.0, &estimate(&tcp, goodput)));
    let mut last = f64::NEG_INFINITY;
    for rate in [6, 9, 12, 18, 24, 36, 48, 54] {
        let key = format!("wifi.group_rate={rate}Mbps");
        let filter = runs(SCENARIO, "filter", &[&key], SEEDS);
        let on = agrees(&format!("filter-2, on, group rate {rate}, Mbps"), 27.5, &estimate(&filter, goodput));
        let same = agrees(&format!("filter-2, gain, group rate {rate}, %"), 5.8, &gain(&filter, &tcp));
        let gained = gain(&filter, &tcp).mean;
        assert!(!on, "27.5 Mbps at {rate}");
        assert_eq!(same, rate >= 36, "5.8 % at {rate} Mbps");
        assert!(gained > last, "{rate} Mbps gain {gained} %, the rate below {last} %");
        assert_eq!(gained > 0.0, rate >= 12, "{gained} % at {rate} Mbps");
        last = gained;
    }
}

#[test]
fn an_ack_for_four_segments_gives_both_of_the_paper_s_goodputs_and_not_its_gain() {
    // The experiment to claim filter-2.
    let keys = ["transport.ack=4", "wifi.group_rate=54Mbps"];
    let (tcp, filter) = (runs(SCENARIO, "tcp", &keys, 5), runs(SCENARIO, "filter", &keys, 5));
    assert!(agrees("an ACK for four, off, Mbps", 26.0, &estimate(&tcp, goodput)));
    assert!(agrees("an ACK for four, on, Mbps", 27.5, &estimate(&filter, goodput)));
    assert!(!agrees("an ACK for four, gain, %", 5.8, &gain(&filter, &tcp)));
}

#[test]
fn filtering_saves_more_of_the_frames_for_a_byte_than_the_paper_has_and_fewer_of_each_second() {
    // Claim filter-3 differs. One frame of six is what counting gives, and what is saved without frames that are sent again: with the filter, TCP ACKs that
    // collide are not. In a second more bytes are carried, so that fewer frames are saved.
    let (tcp, filter) = (runs(SCENARIO, "tcp", &[], SEEDS), runs(SCENARIO, "filter", &[], SEEDS));
    let saved = |frames: &dyn Fn(&RunResult) -> f64| {
        let both = filter.iter().zip(&tcp).map(|(with, without)| 100.0 * (1.0 - frames(with) / frames(without)));
        Estimate::of(&both.collect::<Vec<f64>>()).expect("there are runs")
    };
    let each_byte = saved(&|run| frames(run) / run.goodput_mbps);
    assert!(!agrees("filter-3, of the frames for a byte, %", 16.0, &each_byte));
    let each_second = saved(&frames);
    assert!(!agrees("  of a second, %", 16.0, &each_second));
    assert!(each_second.mean + half(&each_second) < 16.0 && each_byte.mean - half(&each_byte) > 16.0);
    let first = saved(&|run| (frames(run) - run.counters.total.retries as f64) / run.goodput_mbps);
    assert!(agrees("  for a byte, without those sent again, %", 16.0, &first));
    assert!((first.mean - frames_saved(2)).abs() < 0.3, "{} %, counted {} %", first.mean, frames_saved(2));
    println!("  off: {:.0} frames in a second", estimate(&tcp, frames).mean / 10.0);
}

#[test]
fn filtering_data_too_does_harm_without_any_losses_but_collisions() {
    // Section V: "useful only in wireless link conditions with no or very few package drops". Collisions suffice.
    let (tcp, data) = (runs(SCENARIO, "tcp", &[], 5), runs(SCENARIO, "filter-data", &[], 5));
    let gained = gain(&data, &tcp);
    println!("data unacknowledged too: {} %", shown(&gained));
    assert!(gained.mean < -30.0, "{} %", gained.mean);
}

#[test]
fn contending_closed_forms_are_within_two_and_a_half_percent_of_the_simulation() {
    let data = TxVector::ofdm(OfdmRate::Mbps54, Band::Ghz5);
    let download = Download::over(Link::of(Standard::A, Band::Ghz5, data));
    let stock = contention::tcp(&download).goodput;
    let mut rows = vec![("tcp", "wifi.group_rate=24Mbps", stock)];
    for (key, rate) in [
        ("wifi.group_rate=6Mbps", OfdmRate::Mbps6),
        ("wifi.group_rate=24Mbps", OfdmRate::Mbps24),
        ("wifi.group_rate=54Mbps", OfdmRate::Mbps54),
    ] {
        let group = TxVector::ofdm(rate, Band::Ghz5);
        let contended = contention::tcp_with_unanswered_acks(&download, group).expect("an ACK for two packets, alone");
        rows.push(("filter", key, contended.goodput));
    }
    for (row, key, form) in rows {
        let measured = estimate(&runs(SCENARIO, row, &[key], 5), goodput);
        let form = form.bps() as f64 / 1e6;
        let off = measured.mean / form - 1.0;
        println!("{row}, {key}: {} Mbps, closed form {form:.2}, {:+.1} %", shown(&measured), off * 1e2);
        assert!(off.abs() < 0.025, "{row}, {key}: {} Mbps, closed form {form}", measured.mean);
    }
}

/// Data frames, TCP ACKs among them, and link-layer ACKs, repeated ones too.
fn frames(run: &RunResult) -> f64 {
    (run.counters.total.data_ppdus + run.counters.total.acks) as f64
}

fn goodput(run: &RunResult) -> f64 {
    run.goodput_mbps
}

const SCENARIO: &str = "ack-filter-80211a";

/// The seeds of what stands in the table, 1 to this.
const SEEDS: u64 = 10;

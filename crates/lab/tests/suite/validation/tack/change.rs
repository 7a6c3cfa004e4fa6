//! A bandwidth that changes, a small buffer, a video, and datagrams that are answered: claims tack-14 to 18 and 20.

use ackless_cell::result::RunResult;
use ackless_cell::{Cell, scheme};
use ackless_lab::statistics::Estimate;
use ackless_wire::{BitRate, Duration, Instant};

use super::super::support::{cell, ears, estimate, excess, mean, runs, shown};
use super::goodput;

#[test]
fn tack_converges_sooner_than_bbr_when_the_bandwidth_doubles_and_when_it_halves() {
    // Claims tack-14 and tack-15 (section VII-D).
    let rows = [("bbr", "miracast"), ("bbr-l8", "miracast"), ("tack", "miracast"), ("tack", "standard")];
    let [bbr, sparse, tack, _] = rows.map(|(row, variant)| {
        let runs: Vec<_> = (1..=5).map(|seed| converges(row, variant, seed)).collect();
        let trips = |of: fn(&(Duration, Duration)) -> Duration, trip: f64| {
            Estimate::of(&runs.iter().map(|run| of(run).as_secs_f64() / trip).collect::<Vec<_>>())
                .expect("there are runs")
        };
        let (up, down) = (trips(|run| run.0, 0.04), trips(|run| run.1, 0.16));
        println!(
            "{row:7} {variant:8} knows 20 Mbps after {} RTTs of 40 ms, 10 Mbps after {} of 160",
            shown(&up),
            shown(&down)
        );
        (up.mean, down.mean)
    });
    // Half of BBR's 24 RTTs, of which one gain phase may do.
    assert!(tack.0 <= 16.0, "TACK takes {} RTTs", tack.0);
    assert!(sparse.0 > tack.0 * 2.0, "BBR with L = 8 takes {}, TACK {}", sparse.0, tack.0);
    assert!(bbr.1 > tack.1 * 2.0, "BBR takes {}, TACK {}", bbr.1, tack.1);
}

#[test]
fn a_third_of_the_product_is_buffer_enough() {
    // Claim tack-16 (section VIII), with a product of 500 kB.
    let measure = |row, buffer: &str| {
        let buffer = format!("wired.down_buffer={buffer}");
        mean(&cell("tack-buffer", row, &[&buffer, "run.measured=10s"]), 2, goodput)
    };
    let (third, whole) = (measure("tack", "166kB"), measure("tack", "500kB"));
    println!("TACK behind 1/3 bdp: {third:.2} Mbps, behind 1 bdp {whole:.2}");
    assert!(excess(third, whole) > -0.05, "{third} of {whole} Mbps");
}

#[test]
fn a_projected_screen_takes_fewer_acks_over_tack_and_stalls_about_as_often_as_over_bbr() {
    // Claims tack-17 and tack-20 (figure 16) differ: in a crowd of twelve TCP stalls more than UDP, whatever its ACKs. The path's round trip is below a millisecond, so f is
    // that of delayed ACKs until the crowd's delays make it longer.
    let of = |row| {
        let run = runs("tack-miracast", row, &["stations.crowd.count=12", "run.measured=20s"], 1).remove(0);
        let video = run.flows[0].video.expect("it shows a video");
        let rebuffering = video.rebuffering_percent.expect("it plays");
        let acks = run.flows[0].ends.as_ref().map_or(0, |ends| ends.acks);
        println!("{row:5} rebuffering {rebuffering:.1} %, {} stops, {acks} ACKs", video.stalls);
        (rebuffering, acks)
    };
    let ((udp, _), (bbr, acks), (tack, tacks)) = (of("stock"), of("bbr"), of("tack"));
    assert!(udp < bbr && udp < tack, "UDP {udp} %, BBR {bbr} %, TACK {tack} %");
    assert!(tack < bbr + 15.0, "TACK {tack} %, BBR {bbr} %");
    assert!(
        tacks * 2 < acks && tacks * 100 > acks,
        "TACK sends {tacks} ACKs, BBR {acks}: neither as many nor a hundredth"
    );
}

#[test]
fn beside_twelve_neighbours_most_stops_of_a_projected_screen_remain_without_any_ack() {
    // Claim tack-20: what is not of ACKs is of contention of data. Under HACK CUBIC's ACKs take no access of their own.
    let stops = |row| {
        let keys = ["transport.congestion=cubic", "stations.crowd.count=12", "run.measured=30s"];
        let percent =
            |run: &RunResult| run.flows[0].video.and_then(|video| video.rebuffering_percent).expect("it plays");
        estimate(&runs("tack-miracast", row, &keys, 4), percent)
    };
    let (with, without) = (stops("cubic"), stops("hack"));
    println!("rebuffering with ACKs {} %, without {} %", shown(&with), shown(&without));
    assert!((0.5 * with.mean..0.95 * with.mean).contains(&without.mean), "{} and {} %", with.mean, without.mean);
}

#[test]
fn beside_twelve_neighbours_a_cap_of_l_packets_waits_for_each_tack_of_its_own() {
    // Figure 16, L = 8: the round trip is below a millisecond, and the cap of two products and what an interval brings comes to L packets. Not so where an interval is of the usual round trip.
    let of = |every: u32, share: &str| {
        let keys = [format!("transport.ack_l={every}"), format!("tack.share={share}")];
        let keys = ["stations.crowd.count=12", "run.measured=30s", &keys[0], &keys[1]];
        estimate(&runs("tack-miracast", "tack", &keys, 2), |run| run.goodput_mbps)
    };
    let (two, eight, usual) = (of(2, "least"), of(8, "least"), of(8, "usual"));
    println!("L = 2 {} Mbps, L = 8 {}, by the usual round trip {}", shown(&two), shown(&eight), shown(&usual));
    assert!(excess(eight.mean, two.mean) < -0.2, "{} and {} Mbps", eight.mean, two.mean);
    assert!(excess(usual.mean, two.mean) > -0.02, "{} and {} Mbps", usual.mean, two.mean);
}

#[test]
fn answers_to_datagrams_cost_throughput_and_fail_to_double() {
    // Claim tack-18 (figure 3).
    let of = |every: u32| {
        let every = format!("transport.udp_ack_every={every}");
        let run = runs("tack-emulation", "stock", &[&every, "run.measured=2s"], 1).remove(0);
        let udp = run.flows[0].udp.expect("it is answered");
        println!("{every}: data {:.1} Mbps, answers {:.2}", run.goodput_mbps, udp.answers_mbps);
        (run.goodput_mbps, udp.answers_mbps)
    };
    let data: Vec<_> = [16, 8, 4, 2, 1].map(of).into();
    assert!(data.iter().rev().map(|of| of.0).is_sorted(), "data falls with the frequency of answers: {data:?}");
}

/// How long the sender's bandwidth takes to come within 5 % of what it is, after the step up and after the step down.
fn converges(row: &str, variant: &str, seed: u64) -> (Duration, Duration) {
    let config = cell("tack-step", row, &[&format!("tack.variant={variant}")]);
    let mut cell = Cell::new(&config, seed, |node| scheme(&config, node), ears(&config, None));
    let mut after = |from: u64, there: &dyn Fn(BitRate) -> bool| {
        let step = Instant::from_secs(from);
        let mut now = step;
        loop {
            cell.advance(now);
            let sender = cell.flows().endpoint(0, 0).expect("the flow runs");
            let model = sender.path_model(now).expect("BBR models the path");
            if there(model.bandwidth) {
                return now - step;
            }
            now += Duration::from_millis(10);
            assert!(now < Instant::from_secs(from + 19), "{row}: does not converge");
        }
    };
    (after(20, &|bw| bw >= BitRate::from_kbps(19_000)), after(40, &|bw| bw <= BitRate::from_kbps(10_500)))
}

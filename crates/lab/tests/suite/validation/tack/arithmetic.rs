//! What the paper's own equations say of its own figures.

use ackless_model::tack::{Flow, Tack, buffer};
use ackless_wire::{BitRate, Bytes, Duration};

#[test]
fn figure_1_is_equation_4_at_80_ms_on_g_n_and_ac_and_at_144_ms_on_b() {
    // Claim tack-1, with the UDP baselines of figure 11 as bw.
    for (name, mbps, paper) in [("g", 26, 95.4), ("n", 210, 99.4), ("ac", 590, 99.8)] {
        let saved = 100.0 * flow(mbps, 80).saved(Tack::PAPER);
        println!("802.11{name}: {saved:.2} % saved at 80 ms, paper {paper} %");
        assert!((saved - paper).abs() < 0.05, "802.11{name}: {saved} %");
    }
    let b = flow(7, 80);
    assert!((100.0 * b.saved(Tack::PAPER) - 82.9).abs() < 0.05);
    let needed = b.min_rtt_to_save(Tack::PAPER, 0.905);
    println!("802.11b: 90.5 % need {needed}");
    assert!((needed.as_secs_f64() * 1e3 - 144.4).abs() < 0.05, "{needed}");
}

#[test]
fn the_text_s_share_of_acks_on_g_needs_another_round_trip_than_figure_1() {
    // Claim tack-4: 1.9 ACKs for 100 data packets; at 80 ms and figure 11's 26 Mbps there are 2.3.
    let of = |millis| 100.0 * flow(26, millis).tack(Tack::PAPER) / flow(26, millis).packets_per_second();
    println!("802.11g: {:.2} ACKs for 100 packets at 80 ms, {:.2} at 97 ms", of(80), of(97));
    assert!((of(80) - 2.31).abs() < 0.01 && (of(97) - 1.9).abs() < 0.01);
}

#[test]
fn the_acks_of_figure_18_are_equation_4_at_the_emulator_s_round_trip_until_packets_are_lost() {
    // Claims tack-5 to tack-8: (Mbps, data packets, ACKs, RTTmin of the emulator in ms). A data packet carries 1448 bytes of goodput.
    let rtt = |mbps: f64, packets: f64, acks: f64| 4e3 * packets * 1448.0 * 8.0 / (mbps * 1e6) / acks;
    for (case, mbps, packets, acks, emulator) in
        [(1, 20.21, 222_561.0, 24_356.0, 20.0), (3, 190.22, 2_067_212.0, 2_474.0, 200.0)]
    {
        let implied = rtt(mbps, packets, acks);
        println!("figure 18, case {case}: 4 / f = {implied:.1} ms, emulator {emulator} ms");
        assert!(implied >= emulator && implied < 1.06 * emulator, "case {case}: {implied} ms");
    }
    // One packet in a hundred is lost: that many IACKs are what cases 2 and 4 have more than 1 and 3.
    for (case, packets, more) in [(2, 213_161.0, 26_068.0 - 24_356.0), (4, 2_204_647.0, 22_407.0 - 2_474.0)] {
        let lost = 0.01 * packets;
        println!("figure 18, case {case}: {more} ACKs more, {lost:.0} packets lost");
        assert!(more < lost && more > 0.75 * lost, "case {case}: {more} of {lost}");
    }
}

#[test]
fn figure_12_b_holds_as_orders_of_magnitude_for_ac_and_as_equality_for_b() {
    // Claims tack-11 and tack-12.
    let ratio = |mbps, millis| {
        let flow = flow(mbps, millis);
        flow.delayed(2, Duration::from_millis(40)) / flow.tack(Tack::PAPER)
    };
    println!("b, 10 ms: {:.2}; ac, 10 ms: {:.1}; ac, 80 ms: {:.1}", ratio(7, 10), ratio(590, 10), ratio(590, 80));
    assert!((ratio(7, 10) - 1.0).abs() < 1e-9);
    assert!(ratio(590, 10).log10().round() == 2.0 && ratio(590, 80).log10().round() == 3.0);
    assert!((ratio(590, 10) - 61.5).abs() < 0.05 && (ratio(590, 80) - 491.7).abs() < 0.05);
}

#[test]
fn beta_4_asks_for_a_third_of_the_bandwidth_delay_product() {
    // Claim tack-16.
    assert!((buffer(4).expect("4 is at least 2") - 0.33).abs() < 0.005);
}

fn flow(mbps: u64, millis: u64) -> Flow {
    Flow { bandwidth: BitRate::from_mbps(mbps), min_rtt: Duration::from_millis(millis), mss: Bytes(1_500) }
}

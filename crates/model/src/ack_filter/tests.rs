use ackless_phy::Band;

use super::*;
use crate::exchange::tests::{link_a, link_n150};

const A: Equations = Equations::A;

fn group(rate: OfdmRate) -> TxVector {
    TxVector::ofdm(rate, Band::Ghz5)
}

#[track_caller]
fn assert_percent(value: f64, part: f64, whole: f64) {
    assert!((value - 100.0 * part / whole).abs() < 1e-9, "{value} %, not {part} of {whole}");
}

#[test]
fn fifteen_hundred_bytes_at_24_mbps_by_hand() {
    // (22 + 8 * 1534) / 96 in 129 symbols: 20 + 516. (22 + 8 * 14) / 96 in 2: 20 + 8. Back-off 7.5 * 9.
    let (rate, payload) = (OfdmRate::Mbps24, Bytes(1_500));
    assert_eq!(A.backoff(), Duration::from_nanos(67_500));
    assert_eq!((A.data(rate, payload), A.answer(rate)), (Duration::from_micros(536), Duration::from_micros(28)));
    assert_eq!(A.exchange(rate, payload), Duration::from_nanos(34_000 + 67_500 + 536_000 + 16_000 + 28_000));
    assert_eq!(A.unanswered(rate, payload), Duration::from_nanos(34_000 + 67_500 + 536_000));
    assert_eq!(A.throughput(rate, payload).bps(), 12_000 * 1_000_000_000 / 681_500);
    assert_eq!(A.throughput_unanswered(rate, payload).bps(), 12_000 * 1_000_000_000 / 637_500);
    assert_percent(A.gain(rate, payload), 44.0, 637.5);
}

#[test]
fn equations_5_and_6_are_the_standard_s_durations() {
    let basic = BasicRates::of(Standard::A);
    for rate in OfdmRate::ALL {
        let vector = group(rate);
        for payload in [0, 1, 40, 64, 100, 999, 1_500, 2_304].map(Bytes) {
            assert_eq!(A.data(rate, payload), vector.duration(payload + A.mac), "{rate:?}, {payload}");
        }
        assert_eq!(A.answer(rate), vector.answer(&basic).duration(A.ack), "{rate:?}");
    }
}

#[test]
fn very_small_frames_gain_about_thirty_percent() {
    // Figure 2, at 24 Mbps. A byte: 302 bits in 4 symbols, 36 us; 44 of 137.5. 64 bytes: 806 bits in 9, 56 us; 44 of 157.5.
    let gain = |payload| A.gain(OfdmRate::Mbps24, Bytes(payload));
    assert_percent(gain(1), 44.0, 137.5);
    assert_percent(gain(64), 44.0, 157.5);
    assert!([1, 64, 256, 512, 1_024, 1_500, 2_304].map(gain).is_sorted_by(|a, b| a > b));
    // With 28 bytes of framing 254 bits in 3 symbols, with 36 as with 34.
    let framed = |mac| A.with_mac(Bytes(mac)).gain(OfdmRate::Mbps24, Bytes(1));
    assert_percent(framed(28), 44.0, 133.5);
    assert_percent(framed(36), 44.0, 137.5);
}

#[test]
fn no_equation_gives_27_5_mbps_at_24() {
    // Section V measured 26 and 27.5 Mbps. Whole frames of 1500 bytes: 54 symbols' rates by equations 3 and 8.
    let payload = Bytes(1_500);
    let (off, on) = (BitRate::from_mbps(26), BitRate::from_kbps(27_500));
    let answered = |rate| A.throughput(rate, payload);
    let unanswered = |rate| A.throughput_unanswered(rate, payload);
    assert_eq!(slowest_rate(off, answered), Some(OfdmRate::Mbps48));
    assert_eq!(slowest_rate(on, answered), Some(OfdmRate::Mbps48));
    assert_eq!(slowest_rate(off, unanswered), Some(OfdmRate::Mbps48));
    // What TCP carries, if its ACKs cost nothing at all: 1448 bytes in each frame that is answered.
    let without_acks = |rate| {
        let link = crate::Link::of(Standard::A, Band::Ghz5, group(rate));
        Download::over(link).without_acks().goodput()
    };
    assert_eq!(slowest_rate(off, without_acks), Some(OfdmRate::Mbps48));
    assert_eq!(slowest_rate(on, without_acks), Some(OfdmRate::Mbps54));
    assert_eq!(slowest_rate(BitRate::from_mbps(54), unanswered), None);
}

#[test]
fn a_tcp_ack_s_exchange_loses_its_second_half() {
    // Two data exchanges of 393.5 us; 88 bytes in 36 us at 54 Mbps, in 52 at 24, and in 144 at 6.
    let tcp = Download::over(link_a());
    for (rate, ack) in [(OfdmRate::Mbps54, 36_000), (OfdmRate::Mbps24, 52_000), (OfdmRate::Mbps6, 144_000)] {
        let cycle = download(&tcp, group(rate));
        assert_eq!((cycle.data.as_nanos(), cycle.acks.as_nanos()), (787_000, 34_000 + 67_500 + ack));
        assert_eq!((cycle.data_ppdus, cycle.ack_ppdus, cycle.packets), (2, 1, 2));
    }
    assert!(download(&tcp, tcp.link.data).goodput() > tcp.tcp().goodput());
    assert!(download(&tcp, group(OfdmRate::Mbps6)).goodput() < tcp.tcp().goodput());
}

#[test]
fn with_a_mpdus_each_filtered_ack_costs_an_access() {
    // 21 ACKs of 90 bytes: 742 bits in 8 symbols, 43 + 67.5 + 52 us each. Aggregated and answered they take 302.5 us together.
    let cycle = download(&Download::over(link_n150()), group(OfdmRate::Mbps24));
    assert_eq!((cycle.ack_ppdus, cycle.acks.as_nanos()), (21, 21 * 162_500));
    assert_eq!(Download::over(link_n150()).tcp().acks.as_nanos(), 302_500);
}

#[test]
fn delayed_acks_make_the_saved_frames_the_paper_s_16_percent() {
    // Two data frames, a TCP ACK, three link-layer ACKs: one of six. "More than 16 %".
    assert_percent(frames_saved(2), 1.0, 6.0);
    assert_percent(frames_saved(1), 1.0, 4.0);
    // 26 Mbps in 1448 bytes are 2244.5 segments a second, three frames and three halves for each. The paper has 600.
    assert!((frames_per_second(BitRate::from_mbps(26), Bytes(1_448), 2) - 6_733.4).abs() < 0.1);
}

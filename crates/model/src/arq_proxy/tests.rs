use super::*;

fn losses(per_attempt: f64, retry_limit: u8) -> Losses {
    Losses { per_attempt, retry_limit }
}

#[track_caller]
fn assert_near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1e-9), "{value}, not {expected}");
}

#[track_caller]
fn assert_rounds_to(value: f64, expected: f64) {
    assert!((value - expected).abs() < 0.05, "{value}, not {expected}");
}

#[test]
fn the_proxy_saves_866_of_2794_microseconds() {
    // Data: 50 + 310 + 192 + 1118 + 10 + 248. A TCP ACK: 76 bytes, 608 bits at 11 Mbps, in 56 us: 50 + 310 + 192 + 56 + 10 + 248.
    for (segments_per_ack, saved) in [(1, 866.0), (2, 433.0)] {
        let download = paper(Bytes(1_500), segments_per_ack);
        assert_near(datagrams_per_second(&download, TcpAcks::Proxied, &Losses::NONE), 1e6 / 1_928.0);
        assert_near(datagrams_per_second(&download, TcpAcks::Native, &Losses::NONE), 1e6 / (1_928.0 + saved));
        assert_near(gain(&download, &Losses::NONE), 100.0 * saved / 1_928.0);
        assert_eq!(goodput(&download, TcpAcks::Proxied, &Losses::NONE).bps(), 1_460 * 8 * 1_000_000 / 1_928);
        assert_eq!(download.without_acks().goodput(), goodput(&download, TcpAcks::Proxied, &Losses::NONE));
    }
}

#[test]
fn datagrams_like_tcp_acks_gain_100_percent_or_50() {
    // "Up to 100 %": both exchanges are the same.
    assert_near(gain(&paper(TCP_IP, 1), &Losses::NONE), 100.0);
    assert_near(gain(&paper(TCP_IP, 2), &Losses::NONE), 50.0);
    assert_eq!(goodput(&paper(TCP_IP, 1), TcpAcks::Proxied, &Losses::NONE), BitRate::ZERO);
}

#[test]
fn the_text_s_gains_lie_between_these_forms() {
    // 1500 bytes, 25 to 30 %; 40 to 200 bytes, 60 to 70 %. With an ACK for every datagram and for every second, alone and contending.
    for (datagram, expected) in
        [(1_500, [44.9, 22.5, 35.9, 17.6]), (200, [88.2, 44.1, 64.8, 32.0]), (40, [100.0, 50.0, 72.6, 36.0])]
    {
        let forms = [1, 2].map(|l| paper(Bytes(datagram), l));
        let alone = forms.map(|download| gain(&download, &Losses::NONE));
        let contending = forms.map(|download| gain_over_contending(&download));
        for (ours, expected) in alone.into_iter().chain(contending).zip(expected) {
            assert_rounds_to(ours, expected);
        }
    }
    let over_sizes = |l| [40, 100, 200, 500, 1_000, 1_500].map(|size| gain(&paper(Bytes(size), l), &Losses::NONE));
    assert!(over_sizes(1).is_sorted_by(|a, b| a > b) && over_sizes(2).is_sorted_by(|a, b| a > b));
}

#[test]
fn a_lost_frame_costs_its_timeout_and_a_wider_window() {
    // Data and answer 1568 us, data and timeout (10 + 20 + 192) 1532: 1550 on average. 50 + 310 + 1550, and then 50 + 630 + 1550.
    let download = paper(Bytes(1_500), 1);
    let exchange = |packet| download.link.exchange(1, packet);
    let half = losses(0.5, 2);
    assert_near(half.mean_time(&download.link, &exchange(Bytes(1_500))), (1_910.0 + 0.5 * 2_230.0) * 1e-6);
    // A TCP ACK: 506 and 470 us. 50 + 310 + 488, and then 50 + 630 + 488.
    assert_near(half.mean_time(&download.link, &exchange(TCP_IP)), (848.0 + 0.5 * 1_168.0) * 1e-6);
    assert_near(half.given_up(), 0.25);
    let rate = |acks| datagrams_per_second(&download, acks, &half);
    assert_near(rate(TcpAcks::Proxied), 0.75e6 / 3_025.0);
    assert_near(rate(TcpAcks::Native), 0.75e6 / (3_025.0 + 0.75 * 1_432.0));
}

#[test]
fn windows_double_up_to_cwmax() {
    let link = paper(Bytes(1_500), 1).link;
    assert_eq!(
        [0, 1, 4, 5, 6, 254].map(|doublings| window(&link, doublings)),
        [31.0, 63.0, 511.0, 1_023.0, 1_023.0, 1_023.0]
    );
}

#[test]
fn losses_lower_throughput_evenly_and_hardly_change_the_gain() {
    // "Around 30 % for PERs of up to 0.25", and a throughput that falls linearly.
    let download = paper(Bytes(1_500), 1);
    let pers = [0.0, 0.05, 0.1, 0.15, 0.2, 0.25];
    let carried = pers.map(|per| goodput(&download, TcpAcks::Native, &losses(per, RETRY_LIMIT)).mbps_f64());
    for pair in carried.windows(3) {
        let (first, second) = (pair[0] - pair[1], pair[1] - pair[2]);
        assert!(first > 0.0 && (second / first - 1.0).abs() < 0.05, "{carried:?}");
    }
    let gains = pers.map(|per| gain(&download, &losses(per, RETRY_LIMIT)));
    assert!(gains.is_sorted() && gains[5] - gains[0] < 4.0, "{gains:?}");
    // 0.25^7: one in sixteen thousand.
    assert_near(losses(0.25, 7).given_up(), 1.0 / 16_384.0);
}

#[test]
fn where_everything_is_lost_nothing_arrives() {
    for acks in [TcpAcks::Native, TcpAcks::Proxied] {
        assert_eq!(goodput(&paper(Bytes(1_500), 1), acks, &losses(1.0, 255)), BitRate::ZERO);
    }
}

#[test]
fn the_rtt_is_the_wire_s_for_few_packets_and_the_window_s_for_many() {
    // Data arrives after 50 + 310 + 192 + 1118 us; an ACK takes 50 + 310 + 192 + 56 more, a request 10 + 248.
    let download = paper(Bytes(1_500), 1);
    let both = |of: &dyn Fn(TcpAcks) -> Duration| [TcpAcks::Native, TcpAcks::Proxied].map(of);
    assert_eq!(both(&|acks| alone(&download, acks)), [2_278, 1_928].map(Duration::from_micros));
    let window = |window| both(&|acks| rtt(&download, acks, window, WIRE)).map(Duration::as_micros_floor);
    assert_eq!(window(1), [32_278, 31_928]);
    assert_eq!(window(20), [20 * 2_794, 20 * 1_928]);
    // The access point's 700 packets.
    assert_eq!(window(700), [700 * 2_794, 700 * 1_928]);
}
